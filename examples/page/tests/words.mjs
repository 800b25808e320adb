// Part 1: words, cells, false positives, many words, counting filters, the link.
import { readFileSync } from 'node:fs';
import { bloom, check, close, digits, figures, folder, infoOf, number, numberAt, open,
         run, same, save, text, until } from './lib.mjs';

// So many words that some share cells
const MANY = Array.from({ length: 30 }, (_, i) => `word-${i}`);
const FRUIT = ['apple', 'pear', 'cherry', 'plum', 'fig', 'quince'];

async function addWords(page, words) {
    for (const word of words) {
        await page.fill('#word', word);
        await page.press('#word', 'Enter');
    }
}

const verdict = async (page) => [await text(page, '#verdict'),
    await page.getAttribute('#answer', 'class')].join(' / ');

// The saved filter equals that of figures.c, and the figures those of `bloom info`.
async function sameFilter(page, what, m, k, layout, words) {
    const path = `${folder}/words.bloom`, other = `${folder}/other.bloom`;
    await save(page, '#save-words', path);
    run('build/figures', 'image', other, m, k, layout, ...words);
    check(`${what}: the same bytes`, readFileSync(path).equals(readFileSync(other)));
    const info = infoOf(path);
    same(`${what}: sealed`, info.seal, 'sealed and intact');
    close(`${what}: ones`, await numberAt(page, '#fill'), number(info.ones));
    close(`${what}: fill`, number((await text(page, '#fill')).split('(')[1]),
          number(info.ones.split('(')[1]));
    close(`${what}: rate`, await numberAt(page, '#now'), Number(info['rate now'].split(' ')[0]));
    const oneIn = (await text(page, '#now')).split('1 in')[1] ?? '0';
    const theirs = number(info['rate now'].split('1 in')[1] ?? '0');
    close(`${what}: 1 in`, number(oneIn), oneIn.includes('×') ? digits(theirs) : theirs);
    close(`${what}: estimate`, await numberAt(page, '#guess'), number(info.keys));
    return path;
}

async function sameProbes(page, m, k, layout, word) {
    const chips = await page.locator('#probes .chip').evaluateAll((all) =>
        all.map((chip) => chip.title));
    const [cells] = figures('probes', m, k, layout, word);
    same(`probes of ${word}, layout ${layout}`,
         chips.map(number).join(),
         cells.join());
}

export async function firstAnswer() {
    const times = [];
    for (let i = 0; i < 3; i++) {
        const page = await open();
        times.push(Number(await page.getAttribute('html', 'data-first')));
        same('the first answer', await text(page, '#verdict'), 'maybe');
        times[i] += await page.evaluate(() => {
            const word = document.querySelector('#word'), start = performance.now();
            word.value = 'stranger';
            word.dispatchEvent(new Event('input'));
            return performance.now() - start;
        });
        same('the answer for a typed word', await text(page, '#verdict'), 'certainly not');
        await page.context().close();
    }
    const best = Math.min(...times);
    console.log(`page loaded and first word answered after ${best.toFixed(0)} ms`
        + ` (each: ${times.map((t) => t.toFixed(0)).join(' ')})`);
}

export async function addAndAsk() {
    const page = await open('#words=&m=256&k=4');
    same('the filter is empty', await text(page, '#count'), '0');
    await addWords(page, FRUIT);
    same('six words', await text(page, '#count'), '6');
    await page.fill('#word', 'apple');
    same('a present word', await verdict(page), 'maybe / answer in');
    await page.fill('#word', 'rabbit');
    same('an absent word', await verdict(page), 'certainly not / answer out');
    for (const word of ['apple', 'rabbit', 'Ωmega ☂']) {
        await page.fill('#word', word);
        await sameProbes(page, 256, 4, 0, word);
    }
    await addWords(page, ['plum', 'plum', 'plum']);
    same('a word that is added again counts once', await text(page, '#count'),
         String(await page.locator('#in .word').count()));
    const path = await sameFilter(page, 'classic', 256, 4, 0, FRUIT);
    same('the command finds them', bloom(['check', path], `${FRUIT.join('\n')}\n`).stdout,
         `${FRUIT.join('\n')}\n`);
    await page.click('#again');
    same('start over', await text(page, '#fill'), '0 of 256 (0.00%)');
    await page.context().close();
}

// Each cell, reached by the arrow keys, is described and painted as in the image.
export async function cells() {
    const page = await open(`#words=${MANY}&m=256&k=4`);
    const path = `${folder}/cells.bloom`;
    await page.fill('#word', '');
    await save(page, '#save-words', path);
    const image = readFileSync(path).subarray(32), by = new Map();
    for (const word of MANY)
        for (const cell of figures('probes', 256, 4, 0, word)[0])
            by.set(cell, new Set([...by.get(cell) ?? [], word]));
    const told = [], painted = await page.evaluate(() => {
        const canvas = document.querySelector('#cells'), size = canvas.width / 16;
        const g = canvas.getContext('2d');
        return Array.from({ length: 256 }, (_, i) => g.getImageData(
            (i % 16 + 0.5) * size, (Math.floor(i / 16) + 0.5) * size, 1, 1)
            .data.join());
    });
    const empty = painted[[...Array(256).keys()].find((i) => !by.has(i))];
    await page.focus('#cells');
    await page.keyboard.press('Home');
    for (let i = 0; i < 256; i++) {
        told.push(await page.getAttribute('#cells', 'aria-valuetext'));
        await page.keyboard.press('ArrowRight');
    }
    for (let i = 0; i < 256; i++) {
        const bit = image[i >> 3] >> (i & 7) & 1, words = [...by.get(i) ?? []];
        same(`cell ${i}`, told[i], `Cell ${i}: ${bit ? `set by ${words.length} `
            + `${words.length > 1 ? 'words' : 'word'}: ${words.join(', ').replace(/(.*), /, words.length > 2 ? '$1, and ' : '$1 and ')}`
            : 'not set'}.`);
        check(`cell ${i} is painted`, (painted[i] !== empty) === (bit === 1));
    }
    const shades = new Map([...by].map(([cell, words]) => [words.size, painted[cell]]));
    for (const word of ['word-7', 'word-20', 'stranger']) {   // own, shared, not set
        await page.fill('#word', word);
        const kinds = await page.locator('#probes .mark').evaluateAll((all) =>
            all.map((mark) => mark.className.replace('mark ', '')));
        same(`probes of ${word}`, kinds.join(), figures('probes', 256, 4, 0, word)[0]
            .map((cell) => !by.has(cell) ? 'unset' : by.get(cell).size === 1
                && by.get(cell).has(word) ? 'own' : 'shared').join());
    }
    check('two words are darker than one', shades.size > 1
          && new Set(shades.values()).size === shades.size, [...shades]);
    const box = await page.locator('#cells').boundingBox();
    const [cell] = figures('probes', 256, 4, 0, 'word-7')[0];
    await page.mouse.move(box.x + (cell % 16 + 0.5) * box.width / 16,
                          box.y + (Math.floor(cell / 16) + 0.5) * box.height / 16);
    check('pointing shows which words set a cell', (await text(page, '#cell')).includes('word-7'),
          await text(page, '#cell'));
    await page.context().close();
}

export async function layouts() {
    const page = await open(`#words=${FRUIT}&m=512&k=8&word=plum`);
    await page.check('#layout input[value="1"]', { force: true });
    await sameFilter(page, 'blocked', 512, 8, 1, FRUIT);
    await sameProbes(page, 512, 8, 1, 'plum');
    for (const k of [16, 24, 32]) {
        if (Number(await page.getAttribute('#k', 'max')) < k)
            continue;
        await page.fill('#k', String(k));
        await sameFilter(page, `blocked, k ${k}`, 512, k, 1, FRUIT);
        await sameProbes(page, 512, k, 1, 'plum');
    }
    await page.check('#layout input[value="2"]', { force: true });
    await page.fill('#k', '5');
    await addWords(page, ['apple', 'apple', 'kiwi']);
    await sameProbes(page, 512, 5, 2, 'kiwi');
    await page.fill('#word', 'apple');
    await page.click('#remove');
    await page.fill('#word', 'plum');
    await page.click('#remove');
    check('a removed word is gone', !(await verdict(page)).includes('answer in')
        && !(await page.locator('#in .word').allTextContents()).includes('plum'));
    const left = ['apple', 'apple', ...FRUIT.filter((w) => w !== 'plum' && w !== 'apple'),
                  'kiwi'];
    await sameFilter(page, 'counting', 512, 5, 2, left);
    same('the number of words', await text(page, '#count'), String(new Set(left).size));
    same('a word that was added twice', (await page.locator('#in .word').allTextContents())
        .filter((word) => word.startsWith('apple')).join(), 'apple ×2');
    await page.fill('#word', 'never');
    await page.click('#remove');
    check('a word that was not added is not removed',
          (await text(page, '#because')).includes('is not one of the words'));
    await sameFilter(page, 'counting, unchanged', 512, 5, 2, left);
    await page.context().close();
}

export async function falseMaybes() {
    const page = await open('#words=&m=256&k=4');
    await page.fill('#paste', FRUIT.join('\n'));
    await page.check('#speed input[value="0"]', { force: true });
    await page.click('#add-many');
    await page.fill('#made', '30');
    await page.click('#make');
    await until(page, () => document.querySelector('#count').textContent === '36');
    const before = Number(await text(page, '#false-count'));
    await page.click('#find');
    same('one more false positive', await text(page, '#false-count'), String(before + 1));
    same('it is marked as wrong', await verdict(page), 'maybe / answer wrong');
    const word = await page.inputValue('#word');
    const path = `${folder}/false.bloom`;
    await save(page, '#save-words', path);
    same('the command answers the same', bloom(['check', path], `${word}\n`).stdout, `${word}\n`);
    const item = await page.locator('#falses li').last().textContent();
    const made = (await page.locator('#in .word').allInnerTexts()).map((w) => w.trim());
    check('it was not added', made.length === 36 && !made.includes(word), made.length);
    const [cells] = figures('probes', 256, 4, 0, word), seen = new Set();
    for (const [, maker, probes] of item.matchAll(/(\S+) \(probes? ([\d, ]+)\)/g)) {
        const own = figures('probes', 256, 4, 0, maker)[0];
        check(`${maker} was added`, made.includes(maker));
        for (const probe of probes.split(', ').map(Number)) {
            check(`${maker} has the cell of probe ${probe}`, own.includes(cells[probe - 1]));
            seen.add(probe);
        }
    }
    same('every probe is explained', seen.size, 4);
    await page.context().close();
}

// Lookups are counted, and those after a "maybe" go on to the list of words.
export async function secondLookups() {
    const page = await open(`#words=${MANY}&m=256&k=4`), path = `${folder}/second.bloom`;
    const counts = async () => [await text(page, '#asked'), await text(page, '#second')].join(' / ');
    same('typing is not counted', await counts(), '0 / 0');
    const steps = [['word-7', 'found it.', '1 / 1'], ['stranger', 'No second lookup', '2 / 1']];
    for (const [word, ending, count] of steps) {
        await page.fill('#word', word);
        await page.click('#ask');
        check(`${word}: ${ending}`, (await text(page, '#because')).includes(ending),
              await text(page, '#because'));
        same(`${word}: counts`, await counts(), count);
    }
    await save(page, '#save-words', path);
    await page.click('#ask-absent');
    const note = await text(page, '#false-note'), wrong = number(note.split('; ')[1]);
    same('100 answers', number(note.split('words: ')[1]) + wrong, 100);
    const falses = await page.locator('#falses b.wrong').allTextContents();
    same('the command finds as many', bloom(['check', path], `${falses.join('\n')}\n`).stdout,
         `${falses.join('\n')}\n`);
    check('some were false positives', wrong > 0 && falses.length >= wrong, note);
    same('each has a second lookup in vain', await counts(), `102 / ${1 + wrong}, ${wrong} in vain`);
    await page.click('#again');
    same('start over', await counts(), '0 / 0');
    await page.context().close();
}

// Clearing the cells of a word in a classic or blocked filter loses each word that shares
// one with it, and no other.
export async function clearedWords() {
    for (const [layout, m, k] of [[0, 256, 4], [1, 512, 8]]) {
        const page = await open(`#words=${MANY}&m=${m}&k=${k}&layout=${['classic', 'blocked'][layout]}`);
        const cellsOf = (word) => figures('probes', m, k, layout, word)[0];
        const gone = new Set(cellsOf('word-3'));
        const lost = MANY.filter((word) => word !== 'word-3' && cellsOf(word).some((c) => gone.has(c)));
        await page.fill('#word', 'word-3');
        await page.click('#clear');
        same(`layout ${layout}: lost words`, (await page.locator('#in .lost').allInnerTexts())
            .map((word) => word.split(/\s/)[0]).sort().join(), [...lost].sort().join());
        const because = await text(page, '#because');
        check('they are named', lost.length > 0 && lost.every((word) => because.includes(`“${word}”`)),
              because);
        const titles = await page.locator('#probes .chip').evaluateAll((all) =>
            all.map((chip) => chip.title));
        check('its cells are not set', titles.every((title) => title.endsWith(': not set.')), titles);
        const path = `${folder}/cleared.bloom`;
        await save(page, '#save-words', path);
        same('the command misses the same words', bloom(['check', '-v', path],
             `${MANY.join('\n')}\n`).stdout.trim().split('\n').sort().join(),
             [...lost, 'word-3'].sort().join());
        await page.fill('#word', lost[0]);
        same('a lost word', await verdict(page), 'certainly not / answer wrong');
        await page.click('#add');
        same('adding it again', await verdict(page), 'maybe / answer in');
        await page.fill('#word', 'never');
        await page.click('#clear');
        check('a word that was not added is not cleared',
              (await text(page, '#because')).includes('is not one of the words'));
        await page.check('#layout input[value="2"]', { force: true });
        check('a counting filter removes', await page.isHidden('#clear')
              && await page.isVisible('#remove'));
        await page.context().close();
    }
}

// What is wrong with an input is said, and stays while words are still being added.
export async function refusedInput() {
    const page = await open('#words=&m=4096&k=3'), note = () => text(page, '#many-note');
    for (const button of ['#add', '#ask', '#clear']) {
        await page.click(button);
        same(`${button} without a word`, await text(page, '#because'),
             'There is no word yet. Type one first.');
        same(`${button}: the field is marked`, await page.getAttribute('#word', 'aria-invalid'), 'true');
    }
    same('nothing was added or counted', [await text(page, '#count'), await text(page, '#asked')]
        .join(), '0,0');
    await page.fill('#word', 'owl');
    same('typing clears the mark', await page.getAttribute('#word', 'aria-invalid'), 'false');
    await page.fill('#paste', '\n\n');
    await page.click('#add-many');
    check('nothing pasted', (await note()).startsWith('Paste some words'), await note());
    await page.fill('#made', '20000');  // 11 minutes
    await page.click('#make');
    check('a right number clears the message', /^[\d,]+ of 20,000/.test(await note()), await note());
    await page.fill('#made', 'ten');
    await page.click('#make');
    const before = await note();
    await until(page, (old) => document.querySelector('#many-note').textContent !== old, before);
    check('a wrong number during a run', /^Enter a whole number.* of 20,000 words added/
        .test(await note()), await note());
    same('it is marked', await page.getAttribute('#made', 'aria-invalid'), 'true');
    await page.click('#stop');
    same('stop clears the message', await note(), '');
    await page.context().close();
}

export async function manyWords() {
    const page = await open('#words=&m=4096&k=3', { clock: true });
    await page.fill('#made', '20000');  // 11 minutes at this speed
    await page.check('#speed input[value="30"]', { force: true });
    await page.click('#make');
    await until(page, () => parseFloat(document.querySelector('#count').textContent) > 5);
    await page.click('#pause');
    const paused = await text(page, '#count');
    check('words are added one after another', number(paused) < 20000, paused);
    await page.clock.runFor(60000);
    same('none is added during the pause', await text(page, '#count'), paused);
    await page.click('#pause');
    const start = Date.now();
    await page.check('#speed input[value="0"]', { force: true });
    await until(page, () => document.querySelector('#count').textContent === '20,000');
    same('all are added', await text(page, '#many-note'), '20,000 of 20,000 words added.');
    console.log(`20,000 words at full speed: ${((Date.now() - start) / 1000).toFixed(1)} s`);
    await page.fill('#word', 'nobody');
    check('a full filter', (await text(page, '#guess')).length > 0
          && await numberAt(page, '#fill') <= 4096);
    await page.check('#speed input[value="2"]', { force: true });
    await page.fill('#made', '2000');   // 17 minutes at this speed
    await page.click('#make');
    await page.click('#stop');
    const stopped = await text(page, '#count');
    check('words were left', number(stopped) < 22000, stopped);
    await page.clock.runFor(60000);
    same('stop stops', await text(page, '#count'), stopped);
    await page.context().close();
}

// n and p are in the query, so that people can write them by hand; so for file: pages.
async function byQuery() {
    const planOf = async (page) => [await page.inputValue('#n-text'),
                                    await page.inputValue('#p-text')].join();
    const page = await open('?n=2500&p=0.002');
    same('?n=&p=', await planOf(page), '2,500,0.2%');
    same('the words are those of the first visit', await text(page, '#count'), '8');
    check('part 2 is in view', await page.evaluate(() => document
        .querySelector('#part-2').getBoundingClientRect().top < innerHeight / 2));
    await page.fill('#p-text', '1e-4');
    await page.press('#p-text', 'Enter');
    await until(page, () => location.search === '?n=2500&p=0.0001');
    check('n and p are in the address once',
          !/[#&][np]=/.test(await page.evaluate(() => location.hash)));
    await page.reload();
    await page.waitForSelector('html[data-ready]', { state: 'attached' });
    same('they are kept after a reload', await planOf(page), '2,500,0.01%');
    await page.evaluate(() => {         // a browser that refuses to change the query
        const { replaceState } = history;
        history.replaceState = (state, title, to) => {
            if (to.startsWith('?'))
                throw new DOMException('no', 'SecurityError');
            replaceState.call(history, state, title, to);
        };
    });
    await page.fill('#n-text', '77');
    await page.press('#n-text', 'Enter');
    await until(page, () => /&n=77&p=0.0001/.test(location.hash));
    await page.reload();
    await page.waitForSelector('html[data-ready]', { state: 'attached' });
    same('the newer values win', await planOf(page), '77,0.01%');
    await until(page, () => location.search === '?n=77&p=0.0001');
    await page.evaluate(() => { location.hash = '#words=owl&m=128'; });
    await until(page, () => document.querySelector('#count').textContent === '1');
    same('another hash does not change them', await planOf(page), '77,0.01%');
    await page.context().close();
    const n = 'n must be a whole number from 1 to 10¹².', p = 'p must be at least '
        + '5.4 × 10⁻²⁰ and below 1. For one percent write 0.01 or 1%.';
    for (const [query, note, plan] of [
        ['?n=-1&p=0.5', n, '10,000,50%'], ['?n=1.5', n, '10,000,1%'],
        ['?n=1e99&p=1e-3', n, '10,000,0.1%'], ['?n=<script>alert(1)</script>', n, '10,000,1%'],
        ['?n=7&p=1', p, '7,1%'], ['?p=NaN', p, '10,000,1%'], ['?p=1e-30&n=8', p, '8,1%'],
        ['?p=5%', '', '10,000,5%'], ['?n=&p=', '', '10,000,1%'], ['?n=%&p=%E0%A4', n + p, '10,000,1%'],
        ['?n=Infinity&p=-0', n + p, '10,000,1%'], ['?q=1&&=', '', '10,000,1%']]) {
        const refused = await open(query), asked = new URLSearchParams(query);
        const why = [['n', n], ['p', p]].filter(([, hint]) => note.includes(hint)).map(
            ([field, hint]) => `The address says ${field} = ${asked.get(field)}, but ${hint}`);
        same(`${query}: note`, await text(refused, '#plan-note'), why.join(' '));
        same(`${query}: plan`, await planOf(refused), plan);
        await refused.context().close();
    }
}

export async function link() {
    const page = await open('#words=&m=512&k=3&layout=counting');
    await addWords(page, ['a,b', 'x y', '50%', 'ä&=#', 'a,b']);
    await page.fill('#made', '40');
    await page.check('#speed input[value="0"]', { force: true });
    await page.click('#make');
    await until(page, () => document.querySelector('#count').textContent === '44');
    await page.click('#find');
    await page.fill('#n-text', '2000');
    await page.press('#n-text', 'Enter');
    await page.fill('#step-m', '256');
    await page.press('#step-m', 'Enter');
    await until(page, () => /step=256,/.test(location.hash));
    const again = await open(await page.evaluate(() => location.search + location.hash));
    for (const at of ['#count', '#fill', '#now', '#verdict', '#probes', '#falses', '#m-shown',
                      '#k-shown', '#plan-cells'])
        same(`the link restores ${at}`, await text(again, at), await text(page, at));
    same('the link restores the step', await again.inputValue('#step-m'), '256');
    await save(page, '#save-words', `${folder}/link-1`);
    await save(again, '#save-words', `${folder}/link-2`);
    check('the link restores every byte', readFileSync(`${folder}/link-1`)
        .equals(readFileSync(`${folder}/link-2`)));
    await page.context().close();
    await again.context().close();
    await byQuery();
    const bent = await open('#words=%,%E0%A4&m=77&k=999&layout=none&n=-1&p=7&step=1,2&part=9');
    same('a corrupted link does no harm', await text(bent, '#count'), '2');
    await bent.context().close();
}
