/* The start, the theme, and the link that restores what is shown. */

const MOST_OF_LINK = 12000;             /* letters */

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
        ['n', planning.n], ['p', planning.p], ['probes', planning.k || ''],
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

/* The address follows what is shown, a moment later. */
let sharing = 0, lastHash = '';

function shared() {
    clearTimeout(sharing);
    sharing = setTimeout(() => {
        const state = stateOfPage();
        if (state.length > MOST_OF_LINK)
            return;
        lastHash = `#${state}`;
        history.replaceState(null, '', lastHash);
    }, 250);
}

async function copyLink() {
    const state = stateOfPage();
    if (state.length > MOST_OF_LINK) {
        notice('Too many words for a link: save the filter instead.');
        return;
    }
    lastHash = `#${state}${partInView()}`;
    history.replaceState(null, '', lastHash);
    const copied = await navigator.clipboard?.writeText(location.href)
        .then(() => true, () => false);
    notice(copied ? 'Copied.' : 'It is in the address bar.');
}

let noticed = 0;

function notice(text) {
    clearTimeout(noticed);
    say('#share', text);
    noticed = setTimeout(() => say('#share', 'Copy link'), 2500);
}

const within = (value, least, most, otherwise) =>
    value >= least && value <= most && value % 1 === 0 ? value : otherwise;

function restore(hash) {
    const state = new Map(hash.slice(1).split('&').map((part) => {
        const [key, ...value] = part.split('=');
        return [key, value.join('=')];
    }));
    const text = (key) => {
        try {
            return decodeURIComponent(state.get(key) ?? '');
        } catch {
            return state.get(key);      /* a lone % */
        }
    };
    const many = (key) => (state.get(key) || '').split(',')
        .map((word) => {
            try { return decodeURIComponent(word); } catch { return word; }
        }).filter((word) => word !== '');
    const number = (key) => Number(state.get(key) || NaN);
    const layout = (key) => Math.max(0, LAYOUTS.indexOf(state.get(key)));
    stopRun();
    words.clear();
    const m = 2 ** Math.round(Math.log2(within(number('m'), 128, 4096, 256)));
    reshape(m, within(number('k'), 1, 64, 4), layout('layout'));
    for (let i = 0; i < within(number('made'), 1, MAKEABLE / 2, 0); i++)
        words.add(madeWord(i));
    many('words').forEach((word) => words.add(word));
    words.falses = [];
    words.falseCount = 0;
    many('asked').forEach((word) => words.ask(word));
    $('#word').value = text('word');
    showWords();
    const p = number('p');
    replan({ n: within(number('n'), 1, 1e12, 10000), p: p > 0 && p < 1 ? p : 0.01,
             layout: layout('plan'), k: within(number('probes'), 1, 64, 0) });
    const [sm, sk, sn] = (state.get('step') ?? '').split(',').map(Number);
    if (within(sm, 64, MOST_STEP_CELLS, 0) && sm % 64 === 0 && within(sk, 1, 64, 0)
        && within(sn, 1, sm, 0))
        chooseStep({ m: sm, k: sk, n: sn });
    if (state.has('part'))
        $(`#part-${within(number('part'), 1, 5, 1)}`).scrollIntoView();
}

/* ---- The theme: the system's, or the other ------------------------------- */

const darkSystem = matchMedia('(prefers-color-scheme: dark)');

function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === 'dark' : darkSystem.matches;
}

function redraw() {
    say('#theme', isDark() ? 'Light' : 'Dark');
    $('#theme').setAttribute('aria-label', isDark() ? 'Light theme' : 'Dark theme');
    themed.forEach((draw) => draw());
}

function turnTheme() {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    redraw();
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

async function start() {
    const engine = await Engine.load(bytesOfModule());
    const version = engine.c.version();
    say('#version', [version / 10000, version / 100 % 100, version % 100]
        .map(Math.floor).join('.'));
    startWords(engine);
    startPlan(await Engine.load(bytesOfModule()));
    startStep(await Engine.load(bytesOfModule()));
    startFile();
    startRace();
    $$('a[href^="#part-"]').forEach((a) => a.addEventListener('click', goTo));
    $('#share').addEventListener('click', copyLink);
    $('#theme').addEventListener('click', turnTheme);
    darkSystem.addEventListener('change', redraw);
    restore(/=/.test(location.hash) ? location.hash
        : '#words=apple,pear,cherry,plum,fig,quince,melon,grape&word=apple');
    redraw();
    addEventListener('hashchange', () => {
        if (location.hash !== lastHash && /=/.test(location.hash))
            restore(location.hash);
    });
    document.documentElement.dataset.ready = 'true';
}

start();
