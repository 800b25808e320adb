/* Numbers as texts, in the format of the reader's language, and back. They are
   rounded to a number of digits as printf("%.3g") rounds. */

const locale = navigator.languages?.length ? navigator.languages : undefined;
const formats = new Map();

export function format(value, options) {
    const key = JSON.stringify(options);
    if (!formats.has(key))
        formats.set(key, new Intl.NumberFormat(locale, options));
    return formats.get(key).format(value);
}

export const whole = (value) => format(value, { maximumFractionDigits: 0 });
export const significant = (value, digits = 3) =>
    format(Number(value.toPrecision(digits)),
           { maximumSignificantDigits: digits });
/* 0.012345 -> 0.012: for sliders */
export const twoDigits = (value) => Number(value.toPrecision(2));
const fixed = (value, digits) =>
    format(Number(value.toFixed(digits)), { minimumFractionDigits: digits,
                                            maximumFractionDigits: digits });

const SUPERSCRIPT = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴',
                      5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };
export const superscript = (number) =>
    [...String(number)].map((c) => SUPERSCRIPT[c]).join('');

function power(value, digits = 3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    return `${significant(Number(mantissa), digits)} × 10`
        + superscript(Number(exponent));
}

export const percent = (value) => format(Number((100 * value).toFixed(2)) / 100,
    { style: 'percent', minimumFractionDigits: 2 });

/* A false-positive rate as a percentage, or below 10^-5 as a power of ten */
export function rate(value) {
    if (value === 0)
        return format(0, { style: 'percent' });
    if (value < 1e-5)
        return power(value);
    return format(Number(value.toPrecision(3)),
                  { style: 'percent', maximumSignificantDigits: 3 });
}

export const oneIn = (value) => value > 0
    ? ` (1 in ${value > 0.1 ? fixed(1 / value, 1)
              : value < 1e-12 ? power(1 / value) : whole(1 / value)})` : '';

export function bytes(count) {
    const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
    let unit = 0, value = count;
    for (; value >= 999.5 && unit < units.length - 1; unit++)
        value /= 1000;
    return unit ? `${significant(value)} ${units[unit]}`
                : `${whole(count)} bytes`;
}

/* A time in nanoseconds, as a text. Up to three hours it is in seconds, so that one can
   compare two times. */
export function duration(ns) {
    const units = [['ns', 1, 0], ['µs', 1e3, 1e3], ['ms', 1e6, 1e6], ['s', 1e9, 1e9],
                   ['h', 3.6e12, 1.08e13]];
    const [unit, size] = units.findLast(([, , least]) => ns >= 0.9995 * least);
    return `${significant(ns / size)} ${unit}`;
}

export const plural = (count, one, many = `${one}s`) =>
    `${whole(count)} ${count === 1 ? one : many}`;

export const list = (items) =>
    new Intl.ListFormat('en', { type: 'conjunction' }).format(items);

/* How typed numbers are read; shown wherever one is refused. 0,5 and 0.5 mean the
   same in every language. Groups of thousands are read as this page writes them. */
export const NUMBER_RULE = `You may group thousands as in ${whole(1234567)}. Any other comma or `
    + 'point is read as the decimal point.';

const groupSign = /[.,]/.exec(whole(1234567))?.[0] ?? ' ';
const GROUPED = new RegExp(
    `^[1-9]\\d{0,2}([${groupSign}]\\d{2,3})*[${groupSign}]\\d{3}(?![\\d${groupSign}])`);

function ungrouped(text) {
    const plain = text.replace(/[\s'’_]/g, '');
    return (GROUPED.test(plain) ? plain.replaceAll(groupSign, '') : plain).replace(',', '.');
}

/* '1e6', '0.1 %' or '1,000' as a number; NaN if the text is not a number */
export function parseNumber(text) {
    const [, digits, share] = /^([\d.e+-]+)(%?)$/i.exec(ungrouped(text)) ?? [];
    return digits ? Number(digits) / (share ? 100 : 1) : NaN;
}

const UNITS = { '': 1, k: 1e3, m: 1e6, g: 1e9, ki: 2 ** 10, mi: 2 ** 20, gi: 2 ** 30 };

/* '64 MB', '64M', '1.5GiB' or '4000' as a number of bytes; 0 if there is no text, NaN if it
   is no number, or less than one byte */
export function parseBytes(text) {
    if (text.trim() === '')
        return 0;
    const [, number, unit] = /^(.*?)\s*([kmg]i?)?(?:b|bytes)?$/i.exec(text.trim()) ?? [];
    return Math.floor(parseNumber(number ?? '') * UNITS[(unit ?? '').toLowerCase()]) || NaN;
}

/* Whole numbers may have a decimal point only with an exponent: '1.5e6' is whole.
   '1.000' is refused, as it may be meant as a thousand. */
export const parseWhole = (text) => /^[^.]*$|e/i.test(ungrouped(text)) ? parseNumber(text) : NaN;
