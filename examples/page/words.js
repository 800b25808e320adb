/* Part 1: words, their cells, and the words that cause a false positive. */

import { changed } from './address.js';
import { Cells, markOf } from './cells.js';
import { $, download, element, say, touchOnly } from './elements.js';
import { list, oneIn, percent, plural, rate, whole } from './numbers.js';

const quoted = (word) => `“${word}”`;

/* A filter, and the exact set of words that were added to it. A filter alone
   could not tell which of its answers are wrong. */
class Words {
    constructor(engine) {
        this.engine = engine;
        this.base = engine.c.mark();
        this.words = new Map();         /* word: { times, cells } */
        this.falses = [];               /* false positives, the first 100:
                                           { word, makers, added } */
        this.falseCount = 0;
        this.asked = 0;                 /* lookups, those of the reader only */
        this.second = 0;                /* "maybe": looked up again in the list */
        this.vain = 0;                  /* and not found there */
        this.m = 256;
        this.k = 4;
        this.layout = 0;
        this.probes = [];
        this.rebuild();
    }

    rebuild() {
        const { c } = this.engine, old = this.words;
        c.release(this.base);
        this.engine.planSet(this.m, this.k, this.layout);
        this.filter = c.create();
        this.by = Array.from({ length: this.m }, () => []);
        this.words = new Map();
        old.forEach(({ times }, word) => {
            for (; times > 0; times--)
                this.add(word);
        });
        const asked = this.falses.filter(({ added }) => !added);
        this.falses = [];
        this.falseCount = 0;
        asked.forEach(({ word }) => this.ask(word));
    }

    shape(m, k, layout) {
        Object.assign(this, { m, k, layout });
        this.rebuild();
    }

    clear() {
        this.words = new Map();
        this.falses = [];
        this.asked = this.second = this.vain = 0;
        this.rebuild();
    }

    /* ---- Cells ---------------------------------------------------------- */

    value(cell) {
        const image = this.engine.c.memory.buffer;
        const cells = new Uint8Array(image, (this.filter >>> 0) + 32);
        return this.layout === 2 ? cells[cell >> 1] >> 4 * (cell & 1) & 15
                                 : cells[cell >> 3] >> (cell & 7) & 1;
    }

    clearCell(cell) {                   /* in a classic or blocked filter */
        this.engine.image(this.filter)[32 + (cell >> 3)] &= ~(1 << (cell & 7));
        this.by[cell] = [];
    }

    setters(cell) { return this.by[cell]; }

    probesOf(word) { return this.engine.probes(this.filter, word); }

    /* Selects the word whose probes the page shows; '' for none. */
    show(word) {
        this.word = word;
        this.probes = word === '' ? [] : this.probesOf(word);
        this.isIn = this.words.has(word);
    }

    /* ---- Words ---------------------------------------------------------- */

    has(word) { return this.words.has(word); }
    maybe(word) { return this.engine.ask(this.filter, word); }

    add(word) {
        const known = this.words.get(word);
        if (!known && this.maybe(word))
            this.keepFalse(word, true);
        this.engine.add(this.filter, word);
        const cells = known?.cells ?? [...new Set(this.probesOf(word))];
        cells.filter((cell) => !this.by[cell].includes(word))
            .forEach((cell) => this.by[cell].push(word));
        this.words.set(word, { times: (known?.times ?? 0) + 1, cells });
    }

    /* Looks a word up. true: it is a false positive. */
    ask(word) {
        const wrong = !this.has(word) && this.maybe(word);
        if (wrong && !this.falses.some((f) => f.word === word && !f.added))
            this.keepFalse(word, false);
        return wrong;
    }

    /* As a program does, with the list as what lies behind the filter: after a "maybe",
       a second lookup, there. true: it was in vain. */
    lookUp(word) {
        const maybe = this.maybe(word), wrong = this.ask(word);
        this.asked++;
        this.second += maybe;
        this.vain += wrong;
        return wrong;
    }

    /* Words that were added, and that the filter no longer has */
    lost() { return [...this.words.keys()].filter((word) => !this.maybe(word)); }

    /* What a classic filter cannot do: clears the cells of a word. Returns the other
       words that are lost with it, or null if it is not one of the words. */
    wipe(word) {
        const known = this.words.get(word), before = new Set(this.lost());
        if (!known || this.layout === 2)
            return null;
        known.cells.forEach((cell) => this.clearCell(cell));
        this.words.delete(word);
        return this.lost().filter((other) => !before.has(other));
    }

    remove(word) {
        const known = this.words.get(word);
        if (!known || this.layout !== 2)
            return false;
        this.engine.remove(this.filter, word);
        if (--known.times === 0) {
            known.cells.forEach((cell) => {
                this.by[cell] = this.by[cell].filter((w) => w !== word);
            });
            this.words.delete(word);
        }
        return true;
    }

    /* ---- False positives ------------------------------------------------ */

    keepFalse(word, added) {
        this.falseCount++;
        if (this.falses.length < 100)
            this.falses.push({ word, added,
                               makers: this.makers(this.probesOf(word)) });
    }

    /* A few words that together set these cells: [[word, [probe, ...]], ...].
       Greedy: each step takes the word that set most of the remaining cells. A
       word of null stands for counters that are stuck at 15. */
    makers(probes) {
        const left = new Set(probes), makers = [];
        while (left.size > 0) {
            const found = new Map();
            left.forEach((cell) => this.by[cell].forEach((word) =>
                found.set(word, [...(found.get(word) ?? []), cell])));
            const [word, cells] = [...found].reduce(
                (best, one) => one[1].length > best[1].length ? one : best,
                [null, []]);
            if (word === null)
                cells.push(...left);
            makers.push([word, probes.flatMap((cell, i) =>
                cells.includes(cell) ? [i + 1] : [])]);
            cells.forEach((cell) => left.delete(cell));
        }
        return makers;
    }

    info() { return this.engine.info(this.filter); }

    image() {
        this.engine.c.seal(this.filter);
        return this.engine.image(this.filter).slice();
    }
}

/* ---- On the page --------------------------------------------------------- */

export let words;
let cells;

const nameOfMaker = ([word]) => word === null ? 'a counter stuck at 15' : word;

function describeCell(cell) {
    const value = words.value(cell), by = words.setters(cell);
    const many = by.length > 12 ? [...by.slice(0, 12),
                                   `${whole(by.length - 12)} more`] : by;
    const who = by.length ? `set by ${plural(by.length, 'word')}: ${list(many)}`
              : value ? 'it stays at 15, although its words were removed' : 'not set';
    const count = words.layout === 2 && value ? `, counter ${value}` : '';
    return `Cell ${whole(cell)}${count}: ${who}.`;
}

function verdict() {
    const { word, probes } = words;
    if (word === '')
        return ['none', '', 'Type a word to see its probes and the answer of the filter.'];
    const maybe = words.maybe(word);
    if (words.has(word))
        return maybe ? ['in', 'maybe', `This is right: ${quoted(word)} was added.`]
            : ['wrong', 'certainly not', `This is wrong: ${quoted(word)} was added. It lost a `
                + 'cell when the cells of another word were cleared.'];
    if (maybe) {
        const makers = words.makers(probes).map(nameOfMaker);
        return ['wrong', 'maybe',
                `A false positive: ${quoted(word)} was not added. Its cells were `
                + `set by ${list(makers)}.`];
    }
    const miss = probes.findIndex((cell) => !words.value(cell));
    return ['out', 'certainly not',
            `Cell ${whole(probes[miss])}, which probe ${miss + 1} tests, is not set.`];
}

function showProbes() {
    const kinds = { own: 'set by this word only', shared: 'set by other words',
                    unset: 'not set' };
    const rows = words.probes.map((cell, i) => {
        const kind = markOf(words, cell);
        const mark = element(`i.mark.${kind}`, String(i + 1));
        const chip = element('span.chip', mark, whole(cell),
                             element('span.hidden', ` ${kinds[kind]}`));
        chip.title = describeCell(cell);
        return chip;
    });
    $('#probes').replaceChildren(...rows);
    $('#probes').hidden = rows.length === 0;
}

function showFalses() {
    const rows = words.falses.map(({ word, makers, added }) => {
        const by = makers.flatMap(([name, probes], i) => [
            i ? ', ' : '', element('b', nameOfMaker([name])),
            ` (${probes.length > 1 ? 'probes' : 'probe'} ${probes.join(', ')})`]);
        return element('li', element('b.wrong', word),
                       added ? ' (found when it was added)' : '',
                       ': its cells were set by ', ...by);
    });
    const more = words.falseCount - words.falses.length;
    if (more > 0)
        rows.push(element('li.more', `and ${whole(more)} more`));
    $('#falses').replaceChildren(...rows);
    say('#false-count', whole(words.falseCount));
}

/* The newest words, as buttons that show their probes. How often a word was
   added matters, and is shown, only in a counting filter. */
function showIn() {
    const most = 60, all = [...words.words], newest = all.slice(-most);
    const lost = new Set(words.lost());
    const buttons = newest.map(([word, { times }]) => {
        const button = element('button.word', word,
                               words.layout === 2 && times > 1 ? ` ×${times}` : '');
        button.addEventListener('click', () => {
            $('#word').value = word;
            showWords(true);
        });
        button.setAttribute('aria-pressed', String(word === words.word));
        button.classList.toggle('lost', lost.has(word));
        if (lost.has(word))
            button.append(element('span.hidden', ' (lost)'));
        return button;
    });
    const more = all.length - newest.length;
    $('#in').replaceChildren(...more > 0 ? [`${plural(more, 'older word')}, and `] : [],
                             ...buttons);
}

function showFigures() {
    const info = words.info();
    say('#count', whole(words.words.size));
    say('#guess', info.known < 0 ? 'unknown: every cell is set'
                                 : `about ${whole(info.known)}`);
    say('#fill', `${whole(info.ones)} of ${whole(info.cells)} `
        + `(${percent(info.ones / info.cells)})`);
    say('#now', `${rate(info.rate)}${oneIn(info.rate)}`);
    say('#asked', whole(words.asked));
    say('#second', `${whole(words.second)}${words.vain ? `, ${whole(words.vain)} in vain` : ''}`);
}

/* walking: draw the probes one after another, not all at once. */
function showWord(walking) {
    const [kind, answer, because] = verdict();
    $('#answer').className = `answer ${kind}`;
    say('#verdict', answer);
    say('#because', because);
    showProbes();
    if (walking)
        cells.walk();
    else
        cells.drawAll();
}

export function showWords(walking = false) {
    words.show($('#word').value);
    showFigures();
    showIn();
    showFalses();
    showWord(walking);
    $('#falses').hidden = words.falseCount === 0;
    changed();
}

/* The ranges of the sliders depend on the layout. A block has 256 cells, and k
   is a multiple of 8 that bloom.h accepts. */
function fitSliders() {
    const blocked = words.layout === 1, slider = $('#k');
    const steps = blocked ? [8, 16, 24, 32] : [1, 16];
    const possible = steps.filter((k) => !blocked
        || words.engine.planSet(256, k, 1).bytes > 0);
    $('#m').min = blocked ? 8 : 7;
    slider.step = blocked ? 8 : 1;
    slider.min = possible[0];
    slider.max = possible.at(-1);
    slider.disabled = possible.length < 2;
    slider.value = words.k;
    $('#m').value = Math.log2(words.m);
    $('#m').setAttribute('aria-valuetext', whole(words.m));
    say('#m-shown', whole(words.m));
    say('#k-shown', whole(words.k));
    $('#remove').hidden = words.layout !== 2;
    $('#clear').hidden = words.layout === 2;
    $('#cells').setAttribute('aria-valuemax', words.m - 1);
    $(`#layout input[value="${words.layout}"]`).checked = true;
}

function reshape(m, k, layout) {
    fitShape(m, k, layout);
    showWords();
}

export function fitShape(m, k, layout) {
    const fit = layout === 1 ? Math.max(8, Math.min(32, Math.round(k / 8) * 8))
                             : Math.min(16, k);
    const cellsOf = layout === 1 ? Math.max(m, 256) : m;
    const possible = words.engine.planSet(cellsOf, fit, layout).bytes > 0;
    words.shape(cellsOf, possible ? fit : 8, layout);
    cells.cursor = -1;
    fitSliders();
}

function onCell(cell) {
    const reach = touchOnly.matches ? 'Tap a cell'
        : 'Point at a cell, or move to it with the arrow keys,';
    const text = cell < 0 ? `${reach} to see which words set it.` : describeCell(cell);
    say('#cell', text);
    $('#cells').setAttribute('aria-valuenow', Math.max(cell, 0));
    $('#cells').setAttribute('aria-valuetext', cell < 0 ? 'none' : text);
}

function removeWord(word) {
    if (words.remove(word)) {
        showWords();
        say('#because', `${quoted(word)} was removed. ${$('#because').textContent}`);
    } else {
        say('#because', `${quoted(word)} is not one of the words, so it was not `
            + 'removed: removing a false positive can remove other words.');
    }
}

function clearWord(word) {
    const lost = words.wipe(word), text = lost && list(lost.map(quoted));
    if (!lost) {
        say('#because', `${quoted(word)} is not one of the words, so its cells were not `
            + 'cleared.');
        return;
    }
    showWords();
    if (lost.length > 0) {
        $('#answer').className = 'answer wrong';
        say('#verdict', `${plural(lost.length, 'other word')} lost`);
    }
    say('#because', `${quoted(word)} is no longer in. ${lost.length > 0
        ? `But ${text} shared a cell with it and ${lost.length > 1 ? 'are' : 'is'} lost, too: the `
            + 'filter now says “certainly not”, which is wrong. So only a counting filter can '
            + 'remove words.'
        : 'No other word was lost this time, as none shared a cell with it.'}`);
}

/* Looks a word up as a program does, and says what the second lookup found. */
function lookUpWord(word) {
    words.lookUp(word);
    showWords(true);
    say('#because', `${$('#because').textContent} ${!words.maybe(word)
        ? 'No second lookup is needed.'
        : `The second lookup, in the list of words, ${words.has(word) ? 'found it.'
            : 'was in vain.'}`}`);
}

/* Calls `use` with the word, unless it is empty. */
function withWord(use) {
    const word = $('#word').value;
    $('#word').setAttribute('aria-invalid', String(word === ''));
    if (word !== '') {
        use(word);
    } else {
        showWords();
        say('#because', 'There is no word yet. Type one first.');
        $('#word').focus();
    }
}

export function startWords(engine) {
    words = new Words(engine);
    cells = new Cells($('#cells'), words);
    cells.onCursor = onCell;
    onCell(-1);
    $('#word').addEventListener('input', ({ target }) => {
        target.setAttribute('aria-invalid', 'false');
        showWords();
    });
    $('#word').addEventListener('focus', () => $('#word').select());
    $('#word-form').addEventListener('submit', (event) => {
        event.preventDefault();
        withWord((word) => {
            words.add(word);
            showWords(true);
            $('#word').select();
        });
    });
    $('#ask').addEventListener('click', () => withWord(lookUpWord));
    $('#remove').addEventListener('click', () => withWord(removeWord));
    $('#clear').addEventListener('click', () => withWord(clearWord));
    $('#layout').addEventListener('change', ({ target }) =>
        reshape(words.m, words.k, Number(target.value)));
    $('#m').addEventListener('input', ({ target }) =>
        reshape(2 ** Number(target.value), words.k, words.layout));
    $('#k').addEventListener('input', ({ target }) =>
        reshape(words.m, Number(target.value), words.layout));
    $('#save-words').addEventListener('click', () =>
        download('words.bloom', words.image()));
}
