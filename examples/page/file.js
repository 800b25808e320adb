/* Part 4: a filter from a file or from lines. A worker holds it, the "keeper". */

import { $, download, element, say } from './elements.js';
import { ERRORS, LAYOUTS } from './engine.js';
import { Jobs } from './jobs.js';
import { format, NUMBER_RULE, oneIn, parseNumber, parseWhole, percent, plural, rate, whole }
         from './numbers.js';
import { words } from './words.js';

let keeper = null, keptName = '', keptInfo = null;

const encode = (text) => new TextEncoder().encode(text);

const rateRow = (info) => ['rate now', `${rate(info.rate)}${oneIn(info.rate)}`];
const keysRow = (info) => ['keys', info.known < 0
    ? 'unknown: every cell is set' : `about ${whole(info.known)}`];

function chainRows(info) {
    const { n, p } = info.first;
    return [
        ['planned for', `${format(n, {})} lines at first, rate `
            + format(p, { maximumSignificantDigits: 10 })],
        ['seed', format(info.seed, {})], ['bytes', whole(info.bytes)],
        keysRow(info), rateRow(info),
        ['links', `${whole(info.links.length)}; it grows as lines are added`],
        ...info.links.map((link, i) => [`link ${i}`,
            `k ${whole(link.hashes)}, m ${whole(link.cells)}, `
            + `${percent(link.ones / link.cells)} ones, about ${whole(link.known)} keys, `
            + `rate ${rate(link.rate)}`]),
    ];
}

function filterRows(info) {
    const known = info.known < 0 ? Infinity : info.known;
    const room = (all) => `${whole(all)} (${whole(Math.max(0, all - known))} more)`;
    return [
        ['k', whole(info.hashes)], ['m', whole(info.cells)],
        ['seed', format(info.seed, {})], ['bytes', whole(info.bytes)],
        ['ones', `${whole(info.ones)} (${percent(info.ones / info.cells)})`],
        keysRow(info), rateRow(info),
        ['keys until 1%', room(info.until[0])], ['keys until 0.1%', room(info.until[1])],
    ];
}

/* The same rows in the same order as `bloom info` prints, but for its "file" and
   "made with" */
function infoRows(info) {
    const seals = { [ERRORS.ok]: 'sealed and intact',
                    [ERRORS.unsealed]: 'not sealed' };
    return [
        ['layout', LAYOUTS[info.layout]], ['hash width', whole(info.width)],
        ...info.links ? chainRows(info) : filterRows(info),
        ['seal', seals[info.verified] ?? 'DAMAGED'],
    ];
}

function showInfo(info) {
    keptInfo = info;
    say('#info-name', keptName);
    const heading = (text) => {
        const th = element('th', text);
        th.scope = 'row';
        return th;
    };
    $('#info tbody').replaceChildren(...infoRows(info).map(([name, value]) =>
        element('tr', heading(name), element('td', value))));
    $('#info').hidden = false;
    $('#asking').inert = false;
    $('#drop').classList.add('taken');
}

function refuse(name, why) {
    say('#file-note', `${name}: ${why}.`);
    $('#file-note').classList.add('wrong');
    $('#info').hidden = true;
    $('#asking').inert = true;
    keptInfo = null;
}

/* Starts a new keeper with a job that makes or opens a filter, and shows it. */
async function keep(name, job) {
    keeper?.stop();
    const mine = keeper = new Jobs(), bar = $('#file-progress');
    $('#drop').ariaBusy = 'true';
    bar.hidden = false;
    bar.value = 0;
    say('#file-note', '');
    $('#file-note').classList.remove('wrong');
    $('#answers').replaceChildren();
    say('#lines-note', '');
    const result = await mine.start(job, ({ progress }) => { bar.value = progress; });
    if (mine !== keeper)
        return;
    bar.hidden = true;
    $('#drop').ariaBusy = 'false';
    keptName = name;
    if (result.why) {
        refuse(name, result.why);
        return;
    }
    showInfo(result.info);
    if (result.info.verified === ERRORS.corrupt) {
        say('#file-note', `${name}: ${result.text}.`);
        $('#file-note').classList.add('wrong');
    } else if (result.info.verified === ERRORS.unsealed) {
        say('#file-note', `${name}: has no seal, so damage to it cannot be detected.`);
    } else if (result.lines !== undefined) {
        say('#file-note', `Made from ${plural(result.lines, 'line')}.`);
    }
}

const openFile = (file) => keep(file.name, { job: 'open', file });

function buildFile() {
    const layout = Number($('#build-layout').value);
    const wanted = $('#build-n').value.trim();
    const n = wanted === '' ? 0 : parseWhole(wanted);
    const p = parseNumber($('#build-p').value);
    if (!(p > 0 && p < 1) || !(wanted === '' || (n >= 1 && n % 1 === 0))) {
        say('#file-note', 'n must be a whole number, and p must lie between 0 and 1. For '
            + `one percent write 0.01 or 1%. ${NUMBER_RULE}`);
        return;
    }
    keep('lines.bloom', { job: 'make', text: encode($('#build-lines').value),
                          n, p, layout });
}

/* ---- Looking up, adding, saving ------------------------------------------ */

const MOST_SHOWN = 1000;

function splitLines(text) {
    const lines = text.split('\n');
    return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

async function askLines() {
    const text = $('#lines').value;
    const { answers, count, why } = await keeper.start(
        { job: 'lines', text: encode(text), adding: false });
    if (why) {
        say('#lines-note', `${why}.`);
        return;
    }
    const maybes = answers.reduce((sum, maybe) => sum + maybe, 0);
    say('#lines-note', `${plural(count, 'line')}: ${whole(maybes)} maybe, `
        + `${whole(count - maybes)} certainly not.`);
    $('#answers').replaceChildren(...splitLines(text).slice(0, MOST_SHOWN).map(
        (line, i) => element(answers[i] ? 'li.maybe' : 'li', element('span', line),
            element('b', answers[i] ? 'maybe' : 'certainly not'))));
}

async function addLines() {
    const { info, count, why } = await keeper.start(
        { job: 'lines', text: encode($('#lines').value), adding: true });
    say('#lines-note', why ? `${why}.` : `${plural(count, 'line')} added.`);
    if (!why)
        showInfo(info);
}

async function saveFile() {
    if (keptInfo.verified === ERRORS.corrupt) {
        say('#lines-note', 'The filter is damaged, so it was not saved: the new checksum '
            + 'would hide the damage.');
        return;
    }
    const { info, image, why } = await keeper.start({ job: 'image' });
    if (why) {
        say('#lines-note', `${why}.`);
        return;
    }
    showInfo(info);
    download(keptName, image);
}

export function startFile() {
    const drop = $('#drop');
    $('#file').addEventListener('change', ({ target }) => {
        if (target.files[0])
            openFile(target.files[0]);
        target.value = '';
    });
    for (const kind of ['dragover', 'dragleave', 'drop'])
        drop.addEventListener(kind, (event) => {
            event.preventDefault();
            drop.classList.toggle('over', kind === 'dragover');
            if (kind === 'drop' && event.dataTransfer.files[0])
                openFile(event.dataTransfer.files[0]);
        });
    $('#take').addEventListener('click', () =>
        keep('words.bloom', { job: 'open', bytes: words.image() }));
    $('#build').addEventListener('click', buildFile);
    $('#ask-lines').addEventListener('click', askLines);
    $('#add-lines').addEventListener('click', addLines);
    $('#save-file').addEventListener('click', saveFile);
}
