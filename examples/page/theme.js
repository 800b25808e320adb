/* The theme: follows the system until the reader changes it. What is drawn with colours
   is drawn again then. */

import { $, say } from './elements.js';

export const style = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const themed = [];                      /* called when the theme has changed */
export const onTheme = (draw) => themed.push(draw);

const darkSystem = matchMedia('(prefers-color-scheme: dark)');

const isDark = () => document.documentElement.dataset.theme === 'dark';

function redraw() {
    say('#theme', isDark() ? 'Light' : 'Dark');
    $('#theme').setAttribute('aria-label', isDark() ? 'Light theme' : 'Dark theme');
    themed.forEach((draw) => draw());
}

function setTheme(dark) {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    redraw();
}

function followSystem() {
    setTheme(darkSystem.matches);
}

function turnTheme() {                  /* and stop following the system */
    darkSystem.removeEventListener('change', followSystem);
    setTheme(!isDark());
}

export function startTheme() {
    redraw();
    $('#theme').addEventListener('click', turnTheme);
    darkSystem.addEventListener('change', followSystem);
}
