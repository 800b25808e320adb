/* The start of the page, its theme, and the link that restores its state. */

const MOST_OF_LINK = 12000;             /* characters */

/* ---- The link ------------------------------------------------------------ */

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
    return state.filter(([key, value]) => key === 'words' || value !== '')
        .map(([key, value]) => `${key}=${value}`).join('&');
}

function partInView() {
    const middle = innerHeight / 2;
    const at = $$('main section').findLast((section) =>
        section.getBoundingClientRect().top < middle);
    return at && at.id !== 'part-1' ? `&part=${at.id.slice(5)}` : '';
}

/* n and p go into the query, before the #, so that people can write such a link by
   hand. Not every browser lets a file: page change its query; then they follow #. */
function setAddress(state) {
    const plan = `n=${planning.n}&p=${planning.p}`;
    try {
        history.replaceState(null, '', `?${plan}#${state}`);
    } catch {
        history.replaceState(null, '', `#${state}&${plan}`);
    }
    lastHash = location.hash;
}

/* Updates the address a moment after each change. */
let sharing = 0, lastHash = '';

function shared() {
    clearTimeout(sharing);
    sharing = setTimeout(() => {
        const state = stateOfPage();
        if (state.length <= MOST_OF_LINK)
            setAddress(state);
    }, 250);
}

async function copyLink() {
    const state = stateOfPage();
    if (state.length > MOST_OF_LINK) {
        notice('Too many words for a link. Save the filter instead.');
        return;
    }
    setAddress(`${state}${partInView()}`);
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

function readLink(hash) {
    const state = new Map(hash.slice(1).split('&').map((part) => {
        const [key, ...value] = part.split('=');
        return [key, value.join('=')];
    }));
    const text = (key) => state.get(key) ?? '';
    return { text, number: (key) => Number(text(key) || NaN),
             many: (key) => text(key).split(',').map(decoded).filter(Boolean),
             layout: (key) => Math.max(0, LAYOUTS.indexOf(text(key))) };
}

function restoreWords({ text, number, many, layout }) {
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

/* Restores n and p. If a value is refused, shows the reader which one and why, as the
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

function restoreRest(link) {
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

/* ---- The theme: follows the system until the reader changes it ----------- */

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

/* ---- The start ----------------------------------------------------------- */

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
    const module = await compiled(bytesOfModule());
    const engine = new Engine(module), version = engine.c.version();
    const link = readLink(/=/.test(location.hash) ? location.hash : FIRST);
    startWords(engine);
    restoreWords(link);
    redraw();
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
    $('#share').addEventListener('click', copyLink);
    $('#theme').addEventListener('click', turnTheme);
    darkSystem.addEventListener('change', followSystem);
    addEventListener('hashchange', () => {
        if (location.hash === lastHash || !/=/.test(location.hash))
            return;
        restoreWords(readLink(location.hash));
        restoreRest(readLink(location.hash));
    });
    document.documentElement.dataset.ready = 'true';
}

start();
