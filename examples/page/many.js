/* Part 1: adding many words at a chosen speed, and made-up words. There are 2^18
   made-up words, in a scrambled order. */

import { $, say } from './elements.js';
import { NUMBER_RULE, parseWhole, plural, whole } from './numbers.js';
import { showWords, words } from './words.js';

const SYLLABLES = [...'bdfghklmnprstvwz'].flatMap((c) =>
    [...'aeio'].map((vowel) => c + vowel));
export const MAKEABLE = 64 ** 3;

export function madeWord(i) {
    const mixed = (i * 77773 + 12345) % MAKEABLE;
    return SYLLABLES[mixed >> 12] + SYLLABLES[mixed >> 6 & 63]
        + SYLLABLES[mixed & 63];
}

/* How many of the made-up words are in, counted from the first one. A link
   stores this number instead of the words. */
export function madeSoFar() {
    let count = 0;
    while (words.words.get(madeWord(count))?.times === 1)
        count++;
    return count;
}

/* ---- Adding one after another -------------------------------------------- */

const run = { left: [], all: 0, paused: false, timer: 0, wrong: '' };

const perSecond = () => Number($('#speed input:checked').value);

function showRun() {
    const done = run.all - run.left.length, going = run.left.length > 0;
    $('#many-progress').value = run.all ? done / run.all : 0;
    const progress = run.all ? `${whole(done)} of ${plural(run.all, 'word')} added`
        + `${run.paused && going ? ', paused' : ''}.` : '';
    say('#many-note', `${run.wrong} ${progress}`.trim());
    $('#many-note').classList.toggle('wrong', run.wrong !== '');
    $('#pause').disabled = $('#stop').disabled = !going;
    say('#pause', run.paused && going ? 'Continue' : 'Pause');
}

/* Marks the field of what is wrong, and says why; '' if nothing is wrong. The message
   stays while the words of an earlier click are still being added. */
function complain(field, why) {
    run.wrong = why;
    for (const at of ['#made', '#paste'])
        $(at).setAttribute('aria-invalid', String(why !== '' && at === field));
    showRun();
}

/* Adds one word, or at full speed as many as fit in 12 ms; then schedules the
   next call. */
function addSome() {
    const until = performance.now() + 12, slow = perSecond();
    let word;
    do {
        word = run.left.pop();
        words.add(word);
    } while (!slow && run.left.length > 0 && performance.now() < until);
    $('#word').value = word;
    showWords(slow > 0 && slow < 5);
    showRun();
    if (run.left.length > 0)
        run.timer = setTimeout(addSome, slow ? 1000 / slow : 0);
}

function addWords(all) {
    clearTimeout(run.timer);
    run.left = [...all].reverse();
    run.all = all.length;
    run.paused = false;
    complain('', '');
    if (all.length)
        addSome();
    showRun();
}

export function stopRun() {
    clearTimeout(run.timer);
    Object.assign(run, { left: [], all: 0, paused: false });
    complain('', '');
}

function pause() {
    run.paused = !run.paused;
    clearTimeout(run.timer);
    if (!run.paused)
        addSome();
    showRun();
}

/* ---- Finding a false positive, among the made-up words from the end ------ */

let tried = MAKEABLE;

function findFalse() {
    const stop = Math.max(0, tried - 200000), from = tried;
    while (--tried > stop) {
        const word = madeWord(tried);
        if (!words.has(word) && words.ask(word)) {
            $('#word').value = word;
            showWords(true);
            say('#false-note', `Found after trying ${plural(from - tried, 'word')}.`);
            return;
        }
    }
    tried = tried > 0 ? tried : MAKEABLE;
    say('#false-note', `None among ${plural(from - stop, 'word')}. Add more `
        + 'words, or choose fewer cells.');
}

/* Looks up words that were not added, so that each "maybe" is a false positive. */
function askAbsent() {
    const absent = [];
    for (let i = MAKEABLE - 1; absent.length < 100; i--)
        if (!words.has(madeWord(i)))
            absent.push(madeWord(i));
    const wrong = absent.filter((word) => words.lookUp(word)).length;
    showWords();
    say('#false-note', `100 absent words: ${plural(100 - wrong, 'answer')} “certainly not”; `
        + `${whole(wrong)} “maybe”, each followed by a second lookup in vain.`);
}

export function startMany() {
    $('#add-many').addEventListener('click', () => {
        const all = $('#paste').value.split(/\r?\n/).filter((word) => word !== '');
        if (all.length)
            addWords(all);
        else
            complain('#paste', 'Paste some words first, one per line.');
    });
    $('#make').addEventListener('click', () => {
        const first = madeSoFar(), wanted = parseWhole($('#made').value);
        if (!(wanted >= 1 && wanted % 1 === 0) || first + wanted > MAKEABLE / 2) {
            complain('#made', 'Enter a whole number from 1 to '
                + `${whole(MAKEABLE / 2 - first)}. ${NUMBER_RULE}`);
            return;
        }
        addWords(Array.from({ length: wanted }, (_, i) => madeWord(first + i)));
    });
    $('#pause').addEventListener('click', pause);
    $('#stop').addEventListener('click', stopRun);
    $('#speed').addEventListener('change', () => {
        if (run.left.length > 0 && !run.paused) {
            clearTimeout(run.timer);
            addSome();
        }
    });
    $('#find').addEventListener('click', findFalse);
    $('#ask-absent').addEventListener('click', askAbsent);
    $('#again').addEventListener('click', () => {
        stopRun();
        words.clear();
        tried = MAKEABLE;
        $('#word').value = '';
        showWords();
        $('#word').focus();
    });
}
