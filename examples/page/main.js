/* The start of the page. */

import wasm from 'page.wasm';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { $, $$, say, still } from './elements.js';
import { compiled, Engine } from './engine.js';
import { startFile } from './file.js';
import { readLink, restoreRest, restoreWords, startLink } from './link.js';
import { startMany } from './many.js';
import { startPlan } from './plan.js';
import { startRace } from './race.js';
import { startStep } from './step.js';
import { startTheme } from './theme.js';
import { startWords } from './words.js';

function goTo(event) {
    const section = $(event.currentTarget.getAttribute('href'));
    event.preventDefault();
    section.scrollIntoView({ behavior: still.matches ? 'auto' : 'smooth' });
    const title = $('h2', section);
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
}

const FIRST = '#words=apple,pear,cherry,plum,fig,quince,melon,grape&word=apple';

/* Starts part 1 first, so that it can answer before the other parts are ready. */
async function start() {
    const module = await compiled(wasm);
    const engine = new Engine(module), version = engine.c.version();
    const link = readLink(/=/.test(location.hash) ? location.hash : FIRST);
    startLink();
    startWords(engine);
    startMany();
    restoreWords(link);
    startTheme();
    document.documentElement.dataset.first = Math.round(performance.now());
    await new Promise((resolve) => setTimeout(resolve));
    startPlan(new Engine(module));
    startStep(new Engine(module));
    startFile();
    startRace();
    if (!location.hash && /[?&][np]=/.test(location.search))
        $('#part-2').scrollIntoView();
    restoreRest(link);
    say('#version', [version / 10000, version / 100 % 100, version % 100]
        .map(Math.floor).join('.'));
    $$('a[href^="#part-"]').forEach((a) => a.addEventListener('click', goTo));
    document.documentElement.dataset.ready = 'true';
}

start();
