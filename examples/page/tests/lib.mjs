// Helpers of the page's tests: a browser, the command, and counting of results.
import { execFileSync, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(resolve('build/npm-test/x'));
const { chromium } = require('playwright-core');

export const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
export const address = pathToFileURL(resolve('build/page.html')).href;
export const folder = 'build/page-test';

// ---- Counting --------------------------------------------------------------

const count = { passed: 0, failed: 0 };

export function check(what, holds, ...seen) {
    count[holds ? 'passed' : 'failed']++;
    if (!holds)
        console.log(`failed: ${what}`.slice(0, 500), ...seen);
}

export const same = (what, here, there) =>
    check(what, here === there, `\n  page:   ${here}\n  expects: ${there}`);

// Numbers read from text are equal but for the rounding of doubles.
export function close(what, here, there) {
    const alike = here === there
        || Math.abs(here - there) <= 1e-9 * Math.abs(there);
    check(what, alike, `\n  page:   ${here}\n  expects: ${there}`);
}

export function ending() {
    console.log(`${count.passed} passed, ${count.failed} failed`);
    return count.failed === 0 ? 0 : 1;
}

// ---- Numbers on the screen, in English -------------------------------------

const UPPER = '⁰¹²³⁴⁵⁶⁷⁸⁹';

// The first number of a text such as '0.0219% (1 in 4,574)', '2.26 × 10⁻⁷',
// '31 of 256' or '12 kB'
export function number(text) {
    const plain = text.replace(/,/g, '');
    const found = plain.match(/(-?[\d.]+)( × 10(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+))?( ?%)?/);
    if (!found)
        return NaN;
    const [, digits, , sign, upper, share] = found;
    const power = upper
        ? `e${sign ? '-' : ''}${[...upper].map((c) => UPPER.indexOf(c)).join('')}`
        : share ? 'e-2' : '';
    return Number(digits + power);
}

export const digits = (value, many = 3) => Number(value.toPrecision(many));

// ---- Programs --------------------------------------------------------------

export const run = (program, ...words) =>
    execFileSync(program, words.map(String), { encoding: 'utf8',
                                               maxBuffer: 1e9 });
export const figures = (...words) => run('build/figures', ...words).trim()
    .split('\n').map((line) => line.split(' ').map(Number));

// Runs the command; returns its exit status, stdout and stderr. If
// examples/command was deleted, throws NO_COMMAND, and page.mjs skips the test.
export const NO_COMMAND = new Error('build/bloom is missing');
export function bloom(words, input = '') {
    if (!existsSync('build/bloom'))
        throw NO_COMMAND;
    return spawnSync('build/bloom', words, { input, encoding: 'utf8', maxBuffer: 1e9 });
}

// What `bloom info` prints about a file, as an object of texts
export const infoOf = (file) => Object.fromEntries(bloom(['info', file]).stdout
    .trim().split('\n').map((line) => line.match(/^(.*?): +(.*)$/).slice(1)));

// ---- The browser -----------------------------------------------------------

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
               '--disable-background-networking', '--disable-component-update',
               '--disable-sync'];

export const browser = await chromium.launch(
    { executablePath: '/usr/bin/chromium', headless: true, args: FLAGS });

// No wait takes longer, in milliseconds; on a busy machine a click can take 30 s.
const timeout = Number(process.env.PATIENCE ?? 300000);

// Every line that a page wrote on its console, and every network request it made
export const complaints = [];

// clock: the page's time goes on as usual, and further by page.clock
export async function open(hash = '', { clock, ...options } = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 },
        locale: 'en-US', acceptDownloads: true, reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(timeout);
    const page = await context.newPage();
    page.on('console', (line) => /willReadFrequently/.test(line.text()) // from the tests
        || complaints.push(line.text()));
    page.on('pageerror', (error) => complaints.push(error.stack));
    page.on('request', (request) => {
        if (!/^(file|blob|data):/.test(request.url()))
            complaints.push(request.url());
    });
    if (clock)
        await page.clock.install();
    await page.goto(address + hash);
    await page.waitForSelector('html[data-ready]', { state: 'attached' });
    return page;
}

export const text = (page, at) => page.locator(at).textContent();
export const numberAt = async (page, at) => number(await text(page, at));

export const until = (page, holds, argument) => page.waitForFunction(holds, argument);
export const untilMeasured = (page) => until(page, () =>
    /absent keys/.test(document.querySelector('#measure-note').textContent));

export async function save(page, button, path) {
    const [download] = await Promise.all([page.waitForEvent('download'),
                                          page.click(button)]);
    await download.saveAs(path);
    return download.suggestedFilename();
}
