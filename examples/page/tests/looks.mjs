// Looks and access: themes, widths, keyboard, screen reader, language.
import { statSync } from 'node:fs';
import { axe, check, open, same, text, until, untilMeasured } from './lib.mjs';

const WORDS = '#words=apple,pear,cherry,plum,fig,quince,melon,grape&made=24&m=256&k=4&word=';

// Brings every part of the page into the state in which it shows most.
async function fill(page) {
    await page.click('#find');
    await page.click('#take');
    await until(page, () => document.querySelector('#info-name').textContent === 'words.bloom');
    await page.fill('#lines', 'apple\nfig\nstranger\nhermit');
    await page.click('#ask-lines');
    await page.click('#measure');
    await untilMeasured(page);
    await page.click('#measure-rules');
    await until(page, () => document.querySelector('#rules-progress').value > 0.2);
}

// The picture in README.md, where `make page-picture` puts it
export async function picture() {
    const few = WORDS.replace('made=24&m=256', 'made=8&m=128');
    const page = await open(few, { viewport: { width: 1100, height: 1200 },
                                   colorScheme: 'light' });
    const path = 'build/shots/page.png';
    await page.click('#find');
    await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
    const { y, height } = await page.locator('#cells').boundingBox();
    await page.screenshot({ path, clip: { x: 30, y: y - 15, width: 1050, height: height + 22 } });
    const { size } = statSync(path);
    check('the picture has at most 60 KB', size <= 60000, size);
    await page.context().close();
}

async function accessible(page, what) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document,
        { resultTypes: ['violations'] }));
    const grave = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
    check(`axe: ${what}`, grave.length === 0, grave.map(({ id, nodes }) =>
        [id, ...nodes.slice(0, 4).map(({ html, any }) => [html.slice(0, 120), any[0]?.message])]));
    if (violations.length > grave.length)
        console.log(`axe, ${what}, less than serious:`, violations.map(({ id }) => id).join(' '));
}

export async function themesAndWidths() {
    const sizes = { phone: [360, 740], laptop: [1280, 800], projector: [1920, 1080] };
    for (const colorScheme of ['light', 'dark']) {
        for (const [name, [width, height]] of Object.entries(sizes)) {
            const page = await open(WORDS, { viewport: { width, height }, colorScheme });
            await fill(page);
            await page.evaluate(() => document.activeElement.blur());
            const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
            check(`${name}: nothing to scroll sideways`, wide <= width, wide);
            await page.evaluate(() => scrollTo(0, 0));
            await page.screenshot({ path: `build/shots/${name}-${colorScheme}.png` });
            for (const part of name === 'phone' ? [1, 2, 3, 4] : [2, 3, 4]) {
                await page.evaluate((i) => document.querySelector(`#part-${i}`)
                    .scrollIntoView(), part);
                await page.evaluate(() => new Promise((drawn) =>
                    requestAnimationFrame(() => requestAnimationFrame(drawn))));
                await page.screenshot({ path: `build/shots/${name}-${colorScheme}-${part}.png` });
            }
            if (name !== 'projector')
                await accessible(page, `${name}, ${colorScheme}`);
            await page.context().close();
        }
    }
    const page = await open(WORDS, { colorScheme: 'light' });
    const colour = () => page.evaluate(() => getComputedStyle(document.documentElement)
        .backgroundColor);
    const light = await colour();
    await page.click('#theme');
    const dark = await colour();
    check('the button changes the theme', light !== dark, light, dark);
    await page.context().close();
}

// A wide window that becomes narrow: nothing keeps the wide size.
export async function narrowed() {
    const page = await open(WORDS, { viewport: { width: 1200, height: 800 } });
    await fill(page);
    for (const width of [700, 390, 360]) {
        await page.setViewportSize({ width, height: 844 });
        await until(page, (most) =>     // nothing to scroll sideways
            document.scrollingElement.scrollWidth <= most, width);
        const last = await page.locator('#clear').boundingBox();
        check(`at ${width}: the buttons are whole`, last.x + last.width <= width, last);
    }
    await page.context().close();
}

// A long word without spaces, and a false positive that it causes
export async function longWords() {
    const long = 'w'.repeat(63), page = await open(`#words=${long}&m=128&k=1`,
        { viewport: { width: 390, height: 844 } });
    const wide = (what) => page.evaluate(() => document.scrollingElement.scrollWidth)
        .then((width) => check(`${what}: nothing to scroll sideways`, width <= 390, width));
    await wide('a word of 63 characters is in');
    await page.fill('#word', long);
    await wide('it is looked up');
    await page.evaluate(() => {                 // the cell that it set
        document.querySelector('#cells').focus();
        for (let i = 0; i < 128; i++) {
            if (document.querySelector('#cell').textContent.includes('www'))
                break;
            document.querySelector('#cells').dispatchEvent(new KeyboardEvent('keydown',
                { key: i ? 'ArrowRight' : 'Home' }));
        }
    });
    check('its cell is described', (await text(page, '#cell')).includes('www'), await text(page, '#cell'));
    await wide('its cell is described');
    await page.click('#find');
    await wide('it caused a false positive');
    await page.setInputFiles('#file', { name: long, mimeType: '', buffer: Buffer.from('none') });
    await until(page, () => document.querySelector('#file-note').textContent !== '');
    await wide('a file of that name is refused');
    await page.context().close();
}

// What a phone shows: no text is cut, and nothing speaks of keys that it does not have.
export async function phone() {
    const options = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
    const page = await open(WORDS, options);
    await fill(page);
    const cut = await page.evaluate(() => {
        const texts = document.querySelectorAll('caption, figcaption, p, label, legend, h2, h3');
        return [...texts].filter((at) => !at.closest('.hidden')).filter((at) => {
            const range = document.createRange();
            range.selectNodeContents(at);
            return [...range.getClientRects()].some(({ right }) => right > innerWidth);
        }).map((at) => at.textContent);
    });
    check('no caption or paragraph is cut', cut.length === 0, cut);
    same('what to do with the cells', await text(page, '#cell'),
         'Tap a cell to see which words set it.');
    const help = await page.locator('#cells-help').evaluate((at) => at.innerText);
    check('its description has no keys', !/arrow/.test(help), help);
    await page.locator('#cells').tap({ position: { x: 30, y: 30 } });
    await until(page, () => /^Cell \d+/.test(document.querySelector('#cell').textContent));
    await page.tap('#word');
    same('a tap elsewhere ends it', await text(page, '#cell'),
         'Tap a cell to see which words set it.');
    await page.context().close();
    for (const query of ['?n=ten', '?p=2', '?n=ten&p=2#words=owl&m=128',
                         '#words=owl&n=0&part=4']) {
        const wrong = await open(query, options);
        const seen = await wrong.locator('#plan-note').evaluate((at) => {
            const { top, bottom } = at.getBoundingClientRect();
            const header = document.querySelector('header').getBoundingClientRect().bottom;
            return at.textContent !== '' && top >= header && bottom <= innerHeight;
        });
        check(`${query}: the reason is in view`, seen);
        await wrong.context().close();
    }
    const laptop = await open(WORDS);
    check('with a mouse and keys: both', /Point at .* arrow keys/.test(await text(laptop, '#cell')));
    await laptop.context().close();
}

export async function keyboard() {
    const page = await open('#words=&m=256&k=4');
    const focused = () => page.evaluate(() => document.activeElement.id
        || document.activeElement.getAttribute('href') || document.activeElement.value);
    const order = [];
    for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab');
        order.push(await focused());
    }
    for (const id of ['#part-1', 'share', 'theme', 'cells', 'word', 'add', 'ask', 'm', 'k', 'paste',
                      'find', 'n-text', 'n', 'p-text', 'measure'])
        check(`Tab reaches ${id}`, order.includes(id), order.join(' '));
    await page.focus('#word');
    await page.keyboard.type('owl');
    await page.keyboard.press('Enter');
    same('Enter adds', await text(page, '#count'), '1');
    await page.focus('#layout input:checked');
    await page.keyboard.press('ArrowRight');
    same('an arrow chooses the layout', await page.locator('#k').inputValue(), '8');
    const ring = await page.evaluate(() => {
        document.querySelector('#add').focus();
        return getComputedStyle(document.querySelector('#add')).outlineStyle;
    });
    check('the focus is visible', ring !== 'none', ring);
    await page.context().close();
}

export async function language() {
    const page = await open('#words=&made=100&m=4096&k=4', { locale: 'de-DE' });
    check('a decimal comma', /\d,\d\d\s%/.test(await text(page, '#fill')), await text(page, '#fill'));
    same('a point between thousands', await text(page, '#m-shown'), '4.096');
    await page.fill('#p-text', '0,5 %');
    await page.press('#p-text', 'Enter');
    await page.fill('#n-text', '12.345');
    await page.press('#n-text', 'Enter');
    await until(page, () => location.search === '?n=12345&p=0.005');
    await page.context().close();
}

// Thousands may be grouped as the page writes them. Any other comma or point is the
// decimal point, which n must not have. null: the number is refused.
const NUMBERS = {
    'en-US': { n: { '1,000,000': 1e6, '12,345': 12345, '1e6': 1e6, '1 000 000': 1e6,
                    '10,00,000': 1e6, '1.5e6': 1.5e6, '1,5': null, '1.5': null, '1.000': null,
                    '1.000.000': null, '1,000,00': null, '1,2,3': null, '1,,000': null,
                    ',000': null, '-5': null, '0x10': null, 'ten': null, '1,000,5': null },
               p: { '0.5%': 0.005, '0,5%': 0.005, '0,5 %': 0.005, '0.001': 0.001,
                    '0,001': 0.001, '.01': 0.01, ',01': 0.01, '1e-3': 0.001, '1,5e-3': 0.0015,
                    '0.125%': 0.00125, '0,5,0%': null, '1.0.0%': null, '%': null, '0.1%%': null } },
    'de-DE': { n: { '1.000.000': 1e6, '12.345': 12345, '1,5': null, '1.5': null, '1,000': null,
                    '1,000,000': null, '1,5e6': 1.5e6 },
               p: { '0,5%': 0.005, '0.5%': 0.005, '0.001': 0.001, '0,001': 0.001,
                    '1.000%': null } },
};

const shown = {                         // the value that a screen reader gets
    n: (said) => Number(said.replace(/\D/g, '')),
    p: (said) => parseFloat(said.replace(',', '.')) / 100,
};

export async function typedNumbers() {
    const type = async (page, field, value) => {
        await page.fill(`#${field}-text`, value);
        await page.press(`#${field}-text`, 'Enter');
    };
    for (const [locale, fields] of Object.entries(NUMBERS)) {
        const page = await open('#words=', { locale });
        for (const [field, cases] of Object.entries(fields))
            for (const [typed, value] of Object.entries(cases)) {
                await type(page, field, field === 'n' ? '77' : '7%');
                await type(page, field, typed);
                const got = shown[field](await page.getAttribute(`#${field}`, 'aria-valuetext'));
                const what = `${locale}, ${field}: ${typed}`;
                check(what, Math.abs(got / (value ?? (field === 'n' ? 77 : 0.07)) - 1) < 1e-9, got);
                same(`${what}: refused`, await page.getAttribute(`#${field}-text`, 'aria-invalid'),
                     String(value === null));
                check(`${what}: why`, value !== null || (await text(page, '#plan-note'))
                    .includes(locale === 'de-DE' ? '1.234.567' : '1,234,567'));
            }
        await page.fill('#made', '1,5');
        await page.click('#make');
        check(`${locale}: 1.5 words are refused`, (await text(page, '#many-note')).includes('from 1 to'),
              await text(page, '#many-note'));
        await page.context().close();
    }
}

export async function sizes() {
    const page = statSync('build/page.html').size, module = statSync('build/page.wasm').size;
    console.log(`page ${page} bytes, module ${module}`);
    check('the page is below 300 KB', page < 300000, page);
    check('the module is below 40 KB', module < 40000, module);
}
