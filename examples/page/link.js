/* The state of the page as a link, and back. */

import { keepAddress, onAddress, setAddress } from './address.js';
import { $, $$, say } from './elements.js';
import { LAYOUTS } from './engine.js';
import { madeSoFar, madeWord, MAKEABLE, stopRun } from './many.js';
import { FIELDS, planning, replan } from './plan.js';
import { chooseStep, MOST_STEP_CELLS, step } from './step.js';
import { fitShape, showWords, words } from './words.js';

function stateOfPage() {
    const made = madeSoFar(), own = [];
    const generated = new Set(Array.from({ length: made }, (_, i) => madeWord(i)));
    words.words.forEach(({ times }, word) => {
        if (!generated.has(word))
            own.push(...Array(times).fill(word));
    });
    const asked = words.falses.filter(({ added }) => !added).slice(0, 20);
    const many = (all) => all.map(encodeURIComponent).join(',');
    const state = [
        ['words', many(own)], ['made', made || ''], ['m', words.m], ['k', words.k],
        ['layout', LAYOUTS[words.layout]],
        ['word', encodeURIComponent($('#word').value)],
        ['asked', many(asked.map(({ word }) => word))],
        ['probes', planning.k || ''],
        ['plan', LAYOUTS[planning.layout]], ['step', `${step.m},${step.k},${step.n}`],
    ];
    return [`n=${planning.n}&p=${planning.p}`
                + (planning.memory ? `&memory=${planning.memory}` : ''),
            state.filter(([key, value]) => key === 'words' || value !== '')
                .map(([key, value]) => `${key}=${value}`).join('&')];
}

function partInView() {
    const middle = innerHeight / 2;
    const at = $$('main section').findLast((section) =>
        section.getBoundingClientRect().top < middle);
    return at && at.id !== 'part-1' ? `&part=${at.id.slice(5)}` : '';
}

async function copyLink() {
    if (!setAddress(partInView())) {
        notice('Too many words for a link. Save the filter instead.');
        return;
    }
    const copied = await navigator.clipboard?.writeText(location.href)
        .then(() => true, () => false);
    notice(copied ? 'Copied' : 'Copy it from the address bar');
}

let noticed = 0;

function notice(text) {
    clearTimeout(noticed);
    say('#share', text);
    noticed = setTimeout(() => say('#share', 'Copy link'), 2500);
}

const within = (value, least, most, otherwise) =>
    value >= least && value <= most && value % 1 === 0 ? value : otherwise;

/* Text with a % that is not part of an escape is taken as it is. */
function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

export function readLink(hash) {
    const state = new Map(hash.slice(1).split('&').map((part) => {
        const [key, ...value] = part.split('=');
        return [key, value.join('=')];
    }));
    const text = (key) => state.get(key) ?? '';
    return { text, number: (key) => Number(text(key) || NaN),
             many: (key) => text(key).split(',').map(decoded).filter(Boolean),
             layout: (key) => Math.max(0, LAYOUTS.indexOf(text(key))) };
}

export function restoreWords({ text, number, many, layout }) {
    stopRun();
    words.clear();
    const m = 2 ** Math.round(Math.log2(within(number('m'), 128, 4096, 256)));
    fitShape(m, within(number('k'), 1, 64, 4), layout('layout'));
    for (let i = 0; i < within(number('made'), 1, MAKEABLE / 2, 0); i++)
        words.add(madeWord(i));
    many('words').forEach((word) => words.add(word));
    words.falses = [];
    words.falseCount = 0;
    many('asked').forEach((word) => words.ask(word));
    $('#word').value = decoded(text('word'));
    showWords();
}

/* Numbers in an address mean the same in every language. */
const numberInAddress = (value) => value.endsWith('%')
    ? Number(value.slice(0, -1) || NaN) / 100 : Number(value || NaN);

/* Restores n, p and the memory. If a value is refused, shows the reader which one and why, as the
   address soon has the values that the page uses instead. Values after # are newer
   than those after ?. */
function restorePlan({ text, number, layout }) {
    const plan = { n: 10000, p: 0.01 }, refused = [];
    const query = new URLSearchParams(location.search);
    for (const [field, { fits, hint }] of Object.entries(FIELDS)) {
        const value = text(field) || query.get(field) || '';
        if (fits(numberInAddress(value)))
            plan[field] = numberInAddress(value);
        else if (value !== '')
            refused.push(`The address says ${field} = ${value.slice(0, 40)}, but ${hint}`);
    }
    replan({ ...plan, layout: layout('plan'), k: within(number('probes'), 1, 64, 0) });
    if (refused.length)
        say('#plan-note', refused.join(' '));
    return refused.length === 0;
}

export function restoreRest(link) {
    const { text, number } = link, [m, k, n] = text('step').split(',').map(Number);
    const good = restorePlan(link);
    if (within(m, 64, MOST_STEP_CELLS, 0) && m % 64 === 0 && within(k, 1, 64, 0)
        && within(n, 1, m, 0))
        chooseStep({ m, k, n });
    if (!good)
        $('#plan-note').scrollIntoView({ block: 'center' });
    else if (text('part'))
        $(`#part-${within(number('part'), 1, 5, 1)}`).scrollIntoView();
}

function restore(hash) {
    restoreWords(readLink(hash));
    restoreRest(readLink(hash));
}

export function startLink() {
    keepAddress(stateOfPage);
    onAddress(restore);
    $('#share').addEventListener('click', copyLink);
}
