// Part 4: files that the command wrote, and files that it must read.
import { readFileSync, writeFileSync } from 'node:fs';
import { bloom, check, close, digits, figures, folder, infoOf, number, open, run, same, save, text, until }
    from './lib.mjs';

const lines = (from, to) =>
    `${Array.from({ length: to - from }, (_, i) => `line ${from + i}`).join('\n')}\n`;

function build(name, input, ...options) {
    const path = `${folder}/${name}`;
    writeFileSync(`${folder}/in`, input);
    const { status, stderr } = bloom(['build', ...options, path, `${folder}/in`]);
    if (status !== 0 && status !== 3)       // 3: built, but it holds too many lines
        throw new Error(stderr);
    return path;
}

const settled = (page) => until(page, () =>
    document.querySelector('#drop').ariaBusy === 'false');

async function load(page, path) {
    await page.setInputFiles('#file', path);
    await settled(page);
}

const table = (page) => page.evaluate(() => Object.fromEntries(
    [...document.querySelectorAll('#info tr')].map((tr) =>
        [tr.cells[0].textContent, tr.cells[1].textContent])));

// Row by row: the page shows each number that the command prints, in its order.
async function sameInfo(page, path) {
    const here = await table(page), there = infoOf(path);
    delete there.file;
    delete there['made with'];              // of a chain: not on the page
    same(`${path}: rows`, Object.keys(here).join(), Object.keys(there).join());
    for (const [name, value] of Object.entries(there)) {
        const numbers = (row) => row.replace(/,/g, '')
            .match(/-?\d[\d.]*(e[-+]\d+)?( × 10⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?%?/g) ?? [];
        const [a, b] = [numbers(here[name]), numbers(value)];
        if (a.length === 0)
            same(`${path}: ${name}`, here[name], value);
        else if (name === 'seed')
            same(`${path}: seed`, a[0], b[0]);      // may need more than 53 bits
        else
            b.forEach((each, i) => close(`${path}: ${name}`, number(a[i] ?? ''),
                a[i]?.includes('×') ? digits(Number(each))
                : each.endsWith('%') ? number(each) : Number(each)));
    }
}

export async function opened() {
    const page = await open();
    const input = lines(0, 20000);
    const grown = `${folder}/grown`;        // a chain
    bloom(['uniq', '-f', grown, '-n', '3000', '-p', '0.01'], input);
    const paths = [grown, build('classic', input, '-p', '0.01'),
                   build('blocked', input, '-l', 'blocked', '-p', '0.0001'),
                   build('counting', input, '-l', 'counting', '-s', '18446744073709551615'),
                   build('narrow', input, '-w', '32'),
                   build('few', 'one\n', '-n', '5', '-p', '1e-9'),
                   build('full', lines(0, 3000), '-n', '1', '-p', '0.5')];
    for (const path of paths) {
        await load(page, path);
        await sameInfo(page, path);
        const asked = lines(19000, 24000);
        // Set at once, as if pasted: fill() inserts line by line, which takes minutes.
        await page.locator('#lines').evaluate((at, all) => { at.value = all; }, asked);
        await page.click('#ask-lines');
        await until(page, () => /5,000 lines/.test(document.querySelector('#lines-note').textContent));
        const maybe = bloom(['check', path], asked).stdout.split('\n').length - 1;
        same(`${path}: how many lines may be in`, (await text(page, '#lines-note'))
            .replace(/,/g, ''), `5000 lines: ${maybe} maybe ${5000 - maybe} certainly not.`);
        const shown = (await page.locator('#answers .maybe span').allInnerTexts()).join('\n');
        same(`${path}: which lines`, shown, bloom(['check', path], lines(19000, 20000)).stdout.trim());
    }
    await page.context().close();
}

export async function saved() {
    const page = await open();
    const path = build('to-change', lines(0, 500), '-n', '2000', '-p', '0.001');
    await load(page, path);
    await page.fill('#lines', 'new line\nanother\n\nlast without an end');
    await page.click('#add-lines');
    await until(page, () => /4 lines added/.test(document.querySelector('#lines-note').textContent));
    same('adding removes the seal', (await table(page)).seal, 'not sealed');
    same('the file name', await save(page, '#save-file', `${folder}/changed`), 'to-change');
    const whole = build('whole', `${lines(0, 500)}new line\nanother\n\nlast without an end\n`,
                        '-n', '2000', '-p', '0.001');
    check('the same bytes as from `bloom build`', readFileSync(`${folder}/changed`)
        .equals(readFileSync(whole)));
    same('the command accepts the seal', infoOf(`${folder}/changed`).seal,
         'sealed and intact');
    await page.click('#part-4 summary');
    let many = 300;         // one more key needs a larger plan, so a wrong count shows
    while (figures('plan', many, 0.001, 2, 0)[0][0]
           === figures('plan', many + 1, 0.001, 2, 0)[0][0])
        many++;
    for (const [layout, name] of ['classic', 'blocked', 'counting'].entries()) {
        await page.fill('#build-lines', lines(0, many));
        await page.fill('#build-p', layout === 1 ? '1%' : '0.001');
        await page.fill('#build-n', layout === 2 ? '' : '1000');
        await page.selectOption('#build-layout', String(layout));
        await page.click('#build');
        await settled(page);
        await save(page, '#save-file', `${folder}/made`);
        const theirs = build('made-there', lines(0, many), '-l', name,
            '-p', layout === 1 ? '0.01' : '0.001', ...layout === 2 ? [] : ['-n', '1000']);
        check(`${name}: the same bytes as from \`bloom build\``, readFileSync(`${folder}/made`)
            .equals(readFileSync(theirs)));
    }
    await page.click('#take');
    await settled(page);
    await save(page, '#save-file', `${folder}/taken`);
    same('the words of part 1', bloom(['check', `${folder}/taken`], 'apple\nnobody\n').stdout,
         'apple\n');
    await page.context().close();
}

// A chain grows here exactly as it does with the command.
export async function chains() {
    const page = await open();
    const [path, other] = [`${folder}/chain`, `${folder}/chain-there`];
    const add = (file, input) => bloom(['uniq', '-f', file, ...input.startsWith('line 0\n')
        ? ['-n', '100', '-p', '0.01', '-l', 'blocked'] : []], input);
    add(path, lines(0, 700));
    add(other, lines(0, 700));
    add(other, lines(700, 3000));
    await load(page, path);
    await page.locator('#lines').evaluate((at, all) => { at.value = all; }, lines(700, 3000));
    await page.click('#add-lines');
    await until(page, () => /2,300 lines added/.test(
        document.querySelector('#lines-note').textContent));
    same('adding removes the seal', (await table(page)).seal, 'not sealed');
    await save(page, '#save-file', `${folder}/chain-here`);
    check('the same bytes as from `bloom uniq`', readFileSync(`${folder}/chain-here`)
        .equals(readFileSync(other)));
    await load(page, `${folder}/chain-here`);
    await sameInfo(page, `${folder}/chain-here`);
    await page.context().close();
}

export async function corrupted() {
    const page = await open();
    const sound = readFileSync(build('sound', lines(0, 100)));
    const bends = { short: sound.subarray(0, 20), text: Buffer.from('just some text, no filter'
        + ' at all, but long enough\n'), cut: sound.subarray(0, -3) };
    const change = (name, at, to) => {
        bends[name] = Buffer.from(sound);
        bends[name][at] = to;
    };
    change('version', 3, 9);
    change('layout', 4, 7);
    change('k', 6, 0);
    change('m', 8, 1);
    change('huge', 15, 1);
    change('cells', 60, sound[60] ^ 4);
    bends.nothing = Buffer.alloc(0);
    bends.letter = sound.subarray(0, 1);
    bends.magic = sound.subarray(0, 3);
    bends['short-text'] = Buffer.from('apple\n');
    bends.almost = Buffer.from('BLX');
    bends['chain-magic'] = Buffer.from('BLC');
    bloom(['uniq', '-f', `${folder}/to-bend`, '-n', '10'], lines(0, 500));
    const chain = readFileSync(`${folder}/to-bend`);
    bends['chain-cut'] = chain.subarray(0, -5);
    bends['chain-head'] = chain.subarray(0, 20);
    bends['chain-layout'] = Buffer.from(chain);
    bends['chain-layout'][4] = 2;
    bends['chain-version'] = Buffer.from(chain);
    bends['chain-version'][3] = 9;
    for (const [name, bytes] of Object.entries(bends)) {
        const path = `${folder}/bent-${name}`;
        writeFileSync(path, bytes);
        await load(page, path);
        const here = await text(page, '#file-note');
        const there = bloom(['info', path]).stderr.trim().split(': ').slice(2).join(': ');
        if (name === 'huge')                // WebAssembly has less memory than C here
            check('a huge m', here.length > 20, here);
        else if (name === 'nothing')        // the command's message names other commands
            check('an empty file', /: is empty/.test(here) && /^is empty/.test(there), here, there);
        else
            same(`corrupted: ${name}`, here, `bent-${name}: ${there}.`);
        same(`corrupted: ${name}: no lookups`, await page.locator('#asking').evaluate((e) => e.inert),
             name !== 'cells');
    }
    bloom(['uniq', '-f', `${folder}/window`, '--last', '100', '-p', '0.01'], lines(0, 50));
    const window = readFileSync(`${folder}/window`);
    for (const [name, bytes] of Object.entries({ window, 'window-short': window.subarray(0, 5) })) {
        writeFileSync(`${folder}/${name}`, bytes);
        await load(page, `${folder}/${name}`);
        const said = await text(page, '#file-note');
        check(`${name}: is recognised`, said.startsWith(`${name}: is a sliding window`), said);
        check(`${name}: no lookups`, await page.locator('#asking').evaluate((e) => e.inert));
    }
    await load(page, `${folder}/bent-cells`);
    same('a damaged filter', (await table(page)).seal, 'DAMAGED');
    await page.click('#save-file');
    check('is not saved with a new seal', (await text(page, '#lines-note')).includes('damaged'));
    await page.context().close();
}

// A filter without a seal is opened, but a growing filter without one is damaged. The page
// says both in the words of the command.
export async function unsealed() {
    const page = await open();
    const zeroed = (name, from, at) => {
        const bytes = Buffer.from(from);
        at.forEach((each) => bytes.fill(0, each, each + 8));
        writeFileSync(`${folder}/${name}`, bytes);
        return `${folder}/${name}`;
    };
    const why = (path) => bloom(['check', path], 'line 1\n').stderr.trim()
        .split(': ').slice(2).join(': ');
    const plain = zeroed('plain-unsealed', readFileSync(build('plain', lines(0, 100))), [24]);
    await load(page, plain);
    same('a filter without a seal', await text(page, '#file-note'),
         'plain-unsealed: has no seal, so damage to it cannot be detected.');
    same('in the words of the command', await text(page, '#file-note'),
         `plain-unsealed: ${why(plain)}.`);
    same('its row', (await table(page)).seal, 'not sealed');
    check('it takes lookups', !await page.locator('#asking').evaluate((e) => e.inert));
    bloom(['uniq', '-f', `${folder}/grown-sealed`, '-n', '100', '-p', '0.01'], lines(0, 500));
    const grown = readFileSync(`${folder}/grown-sealed`), seals = [];
    for (let at = 32; at < grown.length; at++)
        if (grown.toString('latin1', at, at + 4) === 'BLM\x02')
            seals.push(at + 24);
    check('the chain has links', seals.length > 1, seals);
    await load(page, `${folder}/grown-sealed`);
    same('with its seals it opens', await text(page, '#file-note'), '');
    const chains = { all: seals, first: seals.slice(0, 1), last: seals.slice(-1) };
    for (const [name, at] of Object.entries(chains)) {
        const path = zeroed(`chain-unsealed-${name}`, grown, at);
        await load(page, path);
        const said = await text(page, '#file-note');
        same(`${name}: refused`, said, `chain-unsealed-${name}: ${why(path)}.`);
        check(`${name}: the seal is named`, said.includes('seal'), said);
        check(`${name}: no lookups`, await page.locator('#asking').evaluate((e) => e.inert));
        check(`${name}: no table`, await page.locator('#info').isHidden());
    }
    bloom(['uniq', '-f', `${folder}/window-sealed`, '--last', '100', '-p', '0.01'], lines(0, 50));
    const window = readFileSync(`${folder}/window-sealed`);
    await load(page, zeroed('window-unsealed', window, [24, 64 + 24]));
    check('a window is refused', await page.locator('#asking').evaluate((e) => e.inert));
    await page.context().close();
}

export async function large() {
    const path = build('large', lines(0, 1000), '-n', '60000000', '-p', '0.001');
    const page = await open(), start = Date.now();
    await load(page, path);
    const size = readFileSync(path).length;
    console.log(`${size} bytes opened and checked in ${Date.now() - start} ms`);
    check('more than 100 MB', size > 1e8);
    await sameInfo(page, path);
    run('rm', path);
    await page.context().close();
}

export async function dropped() {
    const path = build('dropped', lines(0, 10));
    const page = await open();
    await page.evaluate((bytes) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], 'dropped'));
        for (const kind of ['dragover', 'drop'])
            document.querySelector('#drop').dispatchEvent(
                new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
    }, [...readFileSync(path)]);
    await settled(page);
    await sameInfo(page, path);
    await page.context().close();
}
