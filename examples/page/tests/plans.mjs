// Parts 2, 3 and 5: plans, measured rates, rules for the step, ten million keys.
import { check, close, digits, figures, number, numberAt, open, same, text, until,
         untilMeasured } from './lib.mjs';

async function type(page, at, value) {
    await page.fill(at, String(value));
    await page.press(at, 'Enter');
}

const filtersFor = (n) => [100, 50, 20, 10, 5, 2, 1].find((f) => f * n <= 100000) ?? 1;

async function samePlan(page, n, p, layout, k) {
    const what = `n ${n}, p ${p}, layout ${layout}, k ${k || 'best'}`;
    const [[cells, , size, rate]] = figures('plan', n, p, layout, k);
    close(`${what}: m`, await numberAt(page, '#plan-cells'), cells);
    close(`${what}: bytes`, number(await page.getAttribute('#plan-bytes', 'title')), size);
    close(`${what}: bits per key`, await numberAt(page, '#plan-bits'),
          digits(cells * (layout === 2 ? 4 : 1) / n, 4));
    close(`${what}: rate`, await numberAt(page, '#plan-rate'), digits(rate));
}

export async function planning() {
    const page = await open();
    for (const [n, p, layout] of [[10000, 0.01, 0], [7, 1e-3, 0], [123456789, 1e-9, 0],
                                  [1000, 0.001, 1], [50, 1e-6, 1], [300, 0.02, 2]]) {
        await type(page, '#n-text', n);
        await type(page, '#p-text', p);
        await page.check(`#plan-layout input[value="${layout}"]`, { force: true });
        await samePlan(page, n, p, layout, 0);
        const [[, k]] = figures('plan', n, p, layout, 0);
        same('the best k is marked', (await text(page, '#plan-k-shown')), `${k} (${layout === 1 ? 'planned' : 'best'})`);
    }
    await page.fill('#plan-k', '2');
    await samePlan(page, 300, 0.02, 2, 2);
    await page.click('#best');
    await samePlan(page, 300, 0.02, 2, 0);
    await page.check('#plan-layout input[value="1"]', { force: true });
    for (const k of [16, 24]) {
        await page.fill('#plan-k', String(k));
        await samePlan(page, 300, 0.02, 1, k);
    }
    await page.click('#best');
    await page.fill('#n', '60');
    same('the slider sets n', await page.inputValue('#n-text'), '1,000,000');
    await type(page, '#p-text', '1');
    same('p = 1 is refused', await page.getAttribute('#p-text', 'aria-invalid'), 'true');
    check('with the reason', (await text(page, '#plan-note')).includes('1%'));
    await page.fill('#n', '40');
    same('moving the slider clears the error', [await page.getAttribute('#p-text', 'aria-invalid'),
        await text(page, '#plan-note')].join(), 'false,');
    await page.context().close();
}

// "I have this much memory": n is what fits into it, until n is chosen again.
export async function memory() {
    const page = await open();
    const fits = async (what, size, p, layout) => {
        const [[cells, k, bytes, n]] = figures('fit', size, p, layout);
        close(`${what}: n`, number(await page.inputValue('#n-text')), n);
        close(`${what}: m`, await numberAt(page, '#plan-cells'), cells);
        close(`${what}: bytes`, number(await page.getAttribute('#plan-bytes', 'title')), bytes);
        check(`${what}: k`, (await text(page, '#plan-k-shown')).startsWith(`${k} (`));
        check(`${what}: the rate is kept`, await numberAt(page, '#plan-rate') <= digits(p));
    };
    const layout = (which) =>
        page.check(`#plan-layout input[value="${which}"]`, { force: true });
    for (const [said, size] of [['64 MB', 64e6], ['10kB', 1e4], ['1.5MiB', 1.5 * 2 ** 20],
                                ['4000', 4000], ['1,234 bytes', 1234], ['2G', 2e9]]) {
        await type(page, '#memory-text', said);
        await fits(said, size, 0.01, 0);
    }
    await type(page, '#p-text', '1e-6');
    await fits('another p', 2e9, 1e-6, 0);
    for (const which of [1, 2]) {
        await layout(which);
        await fits(`layout ${which}`, 2e9, 1e-6, which);
    }
    await type(page, '#n-text', 1000);
    same('n is chosen again', await page.inputValue('#memory-text'), '');
    await samePlan(page, 1000, 1e-6, 2, 0);
    await type(page, '#memory-text', '40');
    check('nothing fits', (await text(page, '#plan-note')).startsWith('Not one key fits'));
    await samePlan(page, 1000, 1e-6, 2, 0);
    for (const refused of ['39', '5 GB', 'much', '0', '0.5', '5%']) {
        await type(page, '#memory-text', refused);
        same(`${refused} is refused`, await page.getAttribute('#memory-text', 'aria-invalid'), 'true');
        check('with the reason', (await text(page, '#plan-note')).includes('at least 40 bytes'));
    }
    await type(page, '#memory-text', '');
    same('no memory', await text(page, '#plan-note'), '');
    await page.context().close();
    const again = await open('?p=0.001&memory=64000000');
    same('a link has it', await again.inputValue('#memory-text'), '64 MB');
    close('and its n', number(await again.inputValue('#n-text')), figures('fit', 64e6, 0.001, 0)[0][3]);
    await until(again, () => /memory=64000000/.test(location.search + location.hash));
    await again.context().close();
}

// What the filter saves, computed from the rate on the page
export async function saves() {
    const SIZE = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, h: 3.6e12 };
    const time = (said) => number(said) * SIZE[said.split(' ')[1].replace(',', '')];
    const page = await open('?n=1000&p=0.02');
    const set = (at, value) => page.locator(at).evaluate((input, to) => {
        input.value = to;
        input.dispatchEvent(new Event('input'));
    }, value);
    const near = (what, got, wanted) =>
        check(what, Math.abs(got - wanted) <= 0.01 * wanted, got, wanted);
    await page.click('#measure');
    await untilMeasured(page);
    const own = time((await text(page, '#saves-note')).split('takes ')[1]);
    check('a lookup in the filter takes some ns', own > 0.5 && own < 1e5, own);
    for (const [hits, behind] of [[10, 50], [0, 30], [55, 62], [100, 90], [100, 10]]) {
        await set('#hits', hits);
        await set('#behind', behind);
        const what = `${hits}% hits, 10^${behind / 10} ns`, cost = 10 ** (behind / 10);
        const rate = await numberAt(page, '#plan-rate');
        const on = 1e6 * (hits / 100 + (1 - hits / 100) * rate);
        const slower = 1e6 * own + on * cost > 1e6 * cost;
        same(`${what}: share`, await text(page, '#hits-shown'), `${hits}%`);
        near(`${what}: time of one`, time(await text(page, '#behind-shown')), cost);
        near(`${what}: without`, time(await text(page, '#time-without')), 1e6 * cost);
        near(`${what}: with`, time(await text(page, '#time-with')), 1e6 * own + on * cost);
        near(`${what}: go on`, number((await text(page, '#saves-note')).split('lookups, ')[1]), on);
        same(`${what}: slower`, (await text(page, '#saves-note')).includes('costs more'), slower);
    }
    const [without, with_] = await page.locator('.bars i').evaluateAll((bars) =>
        bars.map((bar) => bar.getBoundingClientRect().width));
    check('the bars show it: here the filter costs time', with_ > without, with_, without);
    await type(page, '#p-text', '0.5');
    check('another plan is not measured yet', (await text(page, '#saves-note')).includes('Measure'));
    await page.context().close();
}

// WebAssembly has 32-bit addresses, so at most 4 GB.
export async function pageLimit() {
    const page = await open();
    await page.locator('#part-2').scrollIntoViewIfNeeded();
    await type(page, '#n-text', 4e9);
    same('too large for the page', await text(page, '#plan-bytes'), 'too large for this page');
    check('its limit is named', (await text(page, '#plan-note')).includes('below 4.29 GB'),
          await text(page, '#plan-note'));
    same('no chart of the previous plan', await page.locator('.chart canvas').count(), 0);
    same('the slider has the value', await page.getAttribute('#n', 'aria-valuetext'), '4,000,000,000');
    await type(page, '#n-text', 3e9);
    await samePlan(page, 3e9, 0.01, 0, 0);
    same('within the limit there is no note', await text(page, '#plan-note'), '');
    same('and both charts', await page.locator('.chart canvas').count(), 2);
    await page.context().close();
}

// The notes of a measurement, while it runs and at its end, do not replace the error
// message of an input.
export async function errorStays() {
    const page = await open();
    await page.locator('#part-2').scrollIntoViewIfNeeded();
    await type(page, '#n-text', 50000);
    await page.click('#measure');
    await type(page, '#p-text', '7');
    const error = await text(page, '#plan-note');
    check('p = 7 is refused', error.startsWith('p must'), error);
    await untilMeasured(page);
    same('the error stays', await text(page, '#plan-note'), error);
    same('the input is marked', await page.getAttribute('#p-text', 'aria-invalid'), 'true');
    await page.context().close();
}

// The 95% confidence interval: the rates q that are at most 1.96 standard errors, at q,
// from the measured one; found by bisection. The page solves the equation (Wilson).
function intervalOf(maybes, asked) {
    const far = (q) => Math.abs(maybes / asked - q) > 1.96 * Math.sqrt(q * (1 - q) / asked);
    return [0, 1].map((end) => {
        let inside = maybes / asked, outside = end;
        for (let i = 0; i < 200; i++) {
            const middle = (inside + outside) / 2;
            if (far(middle))
                outside = middle;
            else
                inside = middle;
        }
        return inside;
    });
}

// Checks an interval, '1% to 2%'. true: the predicted rate is in it.
function sameInterval(what, said, n, maybes, predicted) {
    const [low, high] = said.split(' to ').map(number);
    const [least, most] = intervalOf(maybes, 100000).map((end) => digits(end));
    if (filtersFor(n) === 1) {
        close(`${what}: lower end`, low, least);
        close(`${what}: upper end`, high, most);
    } else {                            // at least as wide: small filters differ
        check(`${what}: interval`, low <= least && high >= most, said, least, most);
    }
    return predicted >= low && predicted <= high;
}

// How many tall bars the chart has: neighbouring columns with more pixels of the colour of
// the measured points than a dot is high
const tallBars = (page) => page.evaluate(() => {
    const canvas = document.querySelector('#chart-rate canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const red = Array(canvas.width).fill(0);
    for (let i = 0; i < data.length; i += 4)
        red[i / 4 % canvas.width] += data[i] === 0xb8 && data[i + 1] === 0x44 && data[i + 2] === 0x0a;
    return red.filter((count, x) => count > 20 && !(red[x - 1] > 20)).length;
});

// Few false positives, and none: the interval is told, and a bar is drawn.
export async function fewHits() {
    const page = await open('', { colorScheme: 'light' });
    const measured = async (n, p) => {
        await type(page, '#n-text', n);
        await type(page, '#p-text', p);
        await page.click('#measure');
        await untilMeasured(page);
        const said = await text(page, '#plan-measured');
        const [, maybes, interval] = said.match(
            / \((\d+) of 100,000; 95% confidence interval (.*)\)$/) ?? [said, '-1', ''];
        return [Number(maybes), interval];
    };
    const [few, interval] = await measured(200000, '5e-5');
    check('few false positives', few > 0 && few < 20, few, interval);
    sameInterval('few false positives', interval, 200000, few, 0);
    const [none, above] = await measured(200000, '1e-12');
    same('no false positive', none, 0);
    same('the interval of none', above, '0% to 0.00384%');
    const zeros = await page.evaluate(() => [...document.querySelectorAll('#points tbody tr')]
        .filter((tr) => tr.cells[3].textContent === '0').length);
    const bars = await tallBars(page);
    check('each point without false positives has a bar', zeros >= 4 && bars >= zeros, zeros, bars);
    await page.context().close();
}

async function sameMeasured(page, n, p, layout, k = 0) {
    await type(page, '#n-text', n);
    await type(page, '#p-text', p);
    await page.check(`#plan-layout input[value="${layout}"]`, { force: true });
    if (k)
        await page.fill('#plan-k', String(k));
    await page.click('#measure');
    await untilMeasured(page);
    const rows = await page.evaluate(() => [...document.querySelectorAll('#points tbody tr')]
        .map((tr) => [...tr.cells].map((td) => td.textContent)));
    const points = rows.map(([keys]) => number(keys));
    const expected = figures('measure', n, p, layout, k, filtersFor(n), ...points);
    let inside = 0;
    rows.forEach(([, predicted, measured, maybes, interval], i) => {
        const what = `n ${n}, p ${p}, layout ${layout}: measured at ${points[i]}`;
        close(what, number(maybes), expected[i][0]);
        close(what, number(measured), digits(expected[i][0] / 100000));
        inside += sameInterval(what, interval, n, expected[i][0], number(predicted));
    });
    check(`n ${n}: most intervals contain the predicted rate`, inside >= 0.75 * rows.length,
          inside, rows);
    const at = expected[points.indexOf(n)][0];
    close('the rate at n', await numberAt(page, '#plan-measured'), digits(at / 100000));
    check('there were false positives', rows.some(([, , , maybes]) => number(maybes) > 0));
}

export async function measuring() {
    const page = await open();
    await page.click('#part-2 summary');
    await sameMeasured(page, 10000, 0.01, 0);
    await sameMeasured(page, 5, 0.1, 2);
    await sameMeasured(page, 2000, 0.003, 0, 3);
    await sameMeasured(page, 300, 0.001, 1);
    await sameMeasured(page, 600000, 0.02, 1);
    await page.evaluate(() => {         // keeps the job from the worker
        const send = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (job) {
            document.addEventListener('sendIt', () => send.call(this, job));
        };
    });
    await page.click('#measure');
    await page.fill('#hits', '7');
    same('the page goes on while a worker measures', await text(page, '#hits-shown'), '7%');
    same('nothing is measured on the page', await text(page, '#measure-note'), '');
    await page.evaluate(() => document.dispatchEvent(new Event('sendIt')));
    await untilMeasured(page);
    await type(page, '#n-text', 1e9);
    await page.click('#measure');
    check('too large to measure', (await text(page, '#measure-note')).includes('Too large'));
    await page.context().close();
}

export async function steps() {
    const page = await open();
    await page.click('#measure-rules');
    await until(page, () => document.querySelector('#rules-progress').value === 1);
    const rows = await page.evaluate(() => [...document.querySelectorAll('#rules tbody tr')]
        .map((tr) => [...tr.cells].map((td) => td.textContent)));
    const titles = await page.evaluate(() => [...document.querySelectorAll('#rules tbody tr')]
        .map((tr) => [...tr.cells].map((td) => td.title)));
    same('rows', rows.length, 8);
    rows.forEach((row, r) => {
        const [m, k, n] = row.slice(0, 3).map(number);
        const book = (1 - (1 - 1 / m) ** (k * n)) ** k;
        close(`textbook of ${m}, ${k}, ${n}`, number(row[3]), digits(book));
        for (let rule = 0; rule < 4; rule++) {
            const [[maybes, asked]] = figures('rule', rule, m, k, n);
            const [here, of] = titles[r][4 + rule].split(' of ').map(number);
            close(`rule ${rule} of ${m}, ${k}, ${n}: false positives`, here, maybes);
            close(`rule ${rule} of ${m}, ${k}, ${n}: lookups`, of, asked);
            if (maybes > 0)
                check(`rule ${rule} of ${m}, ${k}, ${n}: ratio`, Math.abs(number(row[4 + rule])
                    / (maybes / asked / book) - 1) < 0.006, row[4 + rule]);
        }
    });
    console.log(rows.map((row) => row.join('  ')).join('\n'));
    // A key whose step is constant and about a third of the filter has all its ten
    // cells in three clusters. Count the rows whose cells lie in at most 4 of 16
    // parts: about 25 of 240 with a constant step, and about 1 at random.
    const heaps = await page.evaluate(() => ['constant', 'scrambled'].map((id) => {
        const g = document.querySelector(`#${id}`).getContext('2d');
        return Array.from({ length: 240 }, (_, key) => {
            const row = g.getImageData(0, 3 * key + 1, 960, 1).data;
            return Array.from({ length: 16 }, (_, i) => Array.from({ length: 60 },
                (_, j) => row[4 * (60 * i + j) + 3]).some((alpha) => alpha > 0))
                .filter(Boolean).length;
        }).filter((parts) => parts <= 4).length;
    }));
    check('the constant step makes clusters', heaps[0] > 15, heaps);
    check('bloom.h makes none', heaps[1] < 5, heaps);
    await type(page, '#step-m', 100);
    check('m = 100 is refused', (await text(page, '#step-note')).includes('multiple of 64'));
    await type(page, '#step-m', 192);
    same('a row for typed values', await text(page, '#rules tbody tr:first-child td:first-child'), '192');
    await page.context().close();
}

export async function tenMillion() {
    const page = await open();
    await page.click('#race');
    await until(page, () => document.querySelector('#race-note').textContent === 'Done.');
    const rows = await page.evaluate(() => [...document.querySelectorAll('#race-table tbody tr')]
        .map((tr) => [...tr.cells].map((td) => td.textContent)));
    console.log(rows.map((row) => row.join('  ')).join('\n'));
    for (const layout of [0, 1]) {
        const [[size, maybes]] = figures('race', 1e7, 0.01, layout);
        const [, memory, each, , , , rate, lost] = rows[layout];
        close(`layout ${layout}: memory`, number(memory) * 1e6, digits(size));
        close(`layout ${layout}: bytes per key`, number(each), digits(size / 1e7));
        close(`layout ${layout}: rate`, number(rate), digits(maybes / 1e7));
        same(`layout ${layout}: lost`, lost, '0');
    }
    same('a Set is never wrong', rows[2].slice(6).join(), '0,0');
    await page.context().close();
}
