/* Part 2: the memory for n, p and k; the predicted rate, and the measured one. */

import uPlot from 'uplot';
import { changed } from './address.js';
import { $, element, say } from './elements.js';
import { ASKED } from './engine.js';
import { Jobs } from './jobs.js';
import { bytes, format, NUMBER_RULE, parseBytes, parseNumber, parseWhole, plural, rate,
         significant, superscript, twoDigits, whole } from './numbers.js';
import { onTheme, style } from './theme.js';
import { showSaved, startSaved } from './time-saved.js';

/* k 0: the best. memory: n is what fits into so many bytes; 0: n was chosen. */
export const planning = { n: 10000, p: 0.01, layout: 0, k: 0, memory: 0 };
const FRACTIONS = [0.4, 0.6, 0.8, 1, 1.25, 1.6, 2.5, 4];
const MOST_MEASURED = 3e7, MOST_BYTES = 3e8;

let planEngine, chartRate, chartK, measuring = null, measured = null;

/* ---- Values that may be typed, or stand in the address ------------------- */

export const FIELDS = {
    n: { parse: parseWhole, fits: (n) => n >= 1 && n <= 1e12 && n % 1 === 0,
         hint: 'n must be a whole number from 1 to 10¹².' },
    p: { parse: parseNumber, fits: (p) => p >= 2 ** -64 && p < 1,
         hint: 'p must be at least 5.4 × 10⁻²⁰ and below 1. For one percent write 0.01 or 1%.' },
    memory: { parse: parseBytes, fits: (size) => size === 0 || (size >= 40 && size < 2 ** 32),
              hint: 'The memory must be at least 40 bytes and below 4.29 GB. Write 64 MB, 10 kB '
                  + 'or 4000.' },
};
const TOO_LARGE = 'This page uses 32-bit sizes, so it plans only filters below 4.29 GB. '
    + 'Choose fewer keys or a larger p. On 64-bit machines C has no such limit.';

/* ---- Plans --------------------------------------------------------------- */

/* Cells of the smallest blocked filter with this k whose rate is at most p, by
   binary search over the number of blocks; NaN if there is none. */
function leastBlocked(n, p, k) {
    const c = planEngine.c;
    const keeps = (blocks) => {
        c.plan_set(256 * blocks, k, 1);
        return c.bytes() > 0 && c.rate(n) <= p;
    };
    let low = 0, high = 1;
    while (high < 2 ** 31 && !keeps(high))
        [low, high] = [high, 2 * high];
    while (high - low > 1 && high < 2 ** 32) {
        const middle = Math.floor((low + high) / 2);
        [low, high] = keeps(middle) ? [low, middle] : [middle, high];
    }
    return keeps(high) ? 256 * high : NaN;
}

function planWith(k) {
    const { n, p, layout, memory } = planning;
    if (memory && k === 0)
        return planEngine.planFit(memory, p, layout);
    if (layout !== 1 || k === 0)
        return planEngine.planFor(n, p, layout, k);
    const cells = leastBlocked(n, p, k);
    return cells ? planEngine.planSet(cells, k, 1) : { cells: 0, bytes: 0 };
}

const bitsOf = ({ cells, layout }) => cells * (layout === 2 ? 4 : 1);

function possibleK(best) {
    const blocked = planning.layout === 1;
    const most = blocked ? Math.min(64, best + 24)
                         : Math.min(64, Math.max(12, Math.ceil(1.8 * best)));
    const steps = [];
    for (let k = blocked ? 8 : 1; k <= most; k += blocked ? 8 : 1)
        if (!blocked || planEngine.planSet(256, k, 1).bytes > 0)
            steps.push(k);
    return steps;
}

/* ---- Charts -------------------------------------------------------------- */

function axis(more) {
    const thin = { stroke: style('--line'), width: 1 };
    return { stroke: style('--ink-soft'), grid: thin, ticks: thin,
             font: '12px system-ui', ...more };
}

/* The ticks of a logarithmic axis: at each of these digits in every decade */
const decades = (each, show) => ({
    splits: (chart, which, low, high) => {
        const at = [];
        for (let e = Math.floor(Math.log10(low)); 10 ** e <= high; e++)
            at.push(...each.map((digit) => digit * 10 ** e));
        return at.filter((v) => v >= low * 0.999 && v <= high * 1.001);
    },
    filter: (chart, splits) => splits,
    values: (chart, splits) => splits.map(show),
});
const shortCount = (v) => format(v, { notation: 'compact' });
const shortRate = (v) => v > 9e-5 ? rate(v)
    : `10${superscript(Math.round(Math.log10(v)))}`;

/* Marks the planned n and p by two dashed lines. */
function drawPlanned(chart) {
    const g = chart.ctx, { left, top, width, height } = chart.bbox;
    const x = chart.valToPos(planning.n, 'x', true);
    const y = chart.valToPos(planning.p, 'y', true);
    g.save();
    g.strokeStyle = style('--ink-soft');
    g.lineWidth = devicePixelRatio;
    g.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    g.beginPath();
    g.moveTo(x, top);
    g.lineTo(x, top + height);
    g.moveTo(left, y);
    g.lineTo(left + width, y);
    g.stroke();
    g.restore();
}

function makeChart(at, options, data) {
    const box = $(at);
    box.replaceChildren();
    const chart = new uPlot({ width: box.clientWidth, height: box.clientHeight,
                              legend: { show: false }, cursor: { show: false },
                              padding: [12, 12, 0, 0], ...options }, data, box);
    return chart;
}

/* The 95% confidence interval of the rate at point i, by the formula of Wilson (1927),
   which also holds for few false positives and for none. The rates of small filters
   differ from one another. This makes the variance `spread` times larger, as if there
   were `spread` times fewer lookups. */
function interval({ maybes, spread }, i) {
    const z = 1.96, share = maybes[i] / ASKED;
    const asked = ASKED / (spread?.[i] ?? 1), room = z * z / asked;
    const half = z * Math.sqrt((share * (1 - share) + room / 4) / asked);
    return [maybes[i] > 0 ? (share + room / 2 - half) / (1 + room) : 0,
            Math.min(1, (share + room / 2 + half) / (1 + room))];
}

const intervalText = (i) => interval(measured, i).map(rate).join(' to ');

/* Draws the interval of each measured point as a bar. */
function drawIntervals(chart) {
    const g = chart.ctx, { left, top, width, height } = chart.bbox;
    if (!measured)
        return;
    g.save();
    g.beginPath();
    g.rect(left, top, width, height);
    g.clip();
    g.strokeStyle = style('--wrong');
    g.lineWidth = 2 * devicePixelRatio;
    g.beginPath();
    measured.maybes.forEach((maybes, i) => {
        const x = chart.valToPos(measured.points[i], 'x', true);
        const [low, high] = interval(measured, i);
        g.moveTo(x, low > 0 ? chart.valToPos(low, 'y', true) : top + height);
        g.lineTo(x, chart.valToPos(high, 'y', true));
    });
    g.stroke();
    g.restore();
}

function rateData(plan) {
    const { n } = planning, from = Math.max(1, n / 5), to = n * 5;
    const at = new Set([n, ...FRACTIONS.map((f) => Math.round(f * n) || 1)]);
    for (let i = 0; i <= 100; i++)
        at.add(Math.round(from * (to / from) ** (i / 100)));
    const x = [...at].sort((a, b) => a - b);
    planEngine.planSet(plan.cells, plan.hashes, plan.layout);
    const promised = x.map((keys) => planEngine.c.rate(keys));
    const points = x.map((keys) => {
        const i = measured?.points.indexOf(keys) ?? -1;
        return measured?.maybes[i] > 0 ? measured.maybes[i] / ASKED : null;
    });
    return [x, promised.map((r) => r > 0 ? r : null), points];
}

function drawRate(plan) {
    chartRate?.destroy();
    chartRate = makeChart('#chart-rate', {
        scales: { x: { time: false, distr: 3, range: (u, low, high) => [low, high] },
                  y: { distr: 3, range: [planning.p / 1000, 1] } },
        axes: [axis(decades([1, 2, 5], shortCount)),
               axis({ ...decades([1], shortRate), size: 64 })],
        series: [{}, { stroke: style('--accent'), width: 2, pxAlign: 0,
                   points: { show: false } },
                 { stroke: style('--wrong'), paths: () => null,
                   points: { show: true, size: 9, fill: style('--wrong') } }],
        hooks: { draw: [drawPlanned, drawIntervals] },
    }, rateData(plan));
}

function drawK(best) {
    const all = possibleK(best.hashes);
    const n = Math.max(planning.n, 1);
    const bits = all.map((k) => bitsOf(planWith(k)) / n || null);
    const finite = bits.filter(Boolean);
    const only = (k, plan) => all.map((each) => each === k ? bitsOf(plan) / n : null);
    const chosen = planning.k && planning.k !== best.hashes
        ? only(planning.k, planWith(planning.k)) : all.map(() => null);
    chartK?.destroy();
    chartK = makeChart('#chart-k', {
        scales: { x: { time: false, range: [all[0] - 0.5, all.at(-1) + 0.5] },
                  y: { range: [0, 2.5 * Math.min(...finite)] } },
        axes: [axis({ values: (u, at) => at.map((v) => v % 1 ? '' : whole(v)),
                      ...planning.layout === 1 && { splits: () => all } }),
               axis({ size: 64, values: (u, at) => at.map((v) => whole(v)) })],
        series: [{}, { stroke: style('--accent'), width: 2, pxAlign: 0,
                       points: { show: true, size: 6, fill: style('--accent') } },
                 { stroke: style('--wrong'), paths: () => null,
                   points: { show: true, size: 13, fill: style('--wrong') } },
                 { stroke: style('--ink'), paths: () => null, width: 2,
                   points: { show: true, size: 13, fill: style('--paper') } }],
    }, [all, bits, only(best.hashes, best), chosen]);
    return all;
}

/* ---- The plan on the page ------------------------------------------------ */

function showTable(plan) {
    planEngine.planSet(plan.cells, plan.hashes, plan.layout);
    const rows = (measured?.points ?? []).map((n, i) => {
        const maybes = measured.maybes[i], known = maybes !== undefined;
        const cells = [whole(n), rate(planEngine.c.rate(n)),
                       known ? rate(maybes / ASKED) : '…',
                       known ? whole(maybes) : '…', known ? intervalText(i) : '…'];
        return element('tr', ...cells.map((text) => element('td', text)));
    });
    $('#points tbody').replaceChildren(...rows);
    const at = measured?.points.indexOf(planning.n) ?? -1;
    const maybes = measured?.maybes[at];
    say('#plan-measured', maybes === undefined ? '–'
        : `${rate(maybes / ASKED)} (${whole(maybes)} of ${whole(ASKED)}; `
            + `95% confidence interval ${intervalText(at)})`);
}

function showK(best, plan, all) {
    const slider = $('#plan-k');
    slider.min = all[0];
    slider.max = all.at(-1);
    slider.step = planning.layout === 1 ? 8 : 1;
    slider.value = plan.hashes;
    /* A blocked plan uses few blocks per key, for speed, even if more blocks would
       take a little less memory. So its k is called planned, not best. */
    const kind = planning.layout === 1 ? 'planned' : 'best';
    say('#k-kind', `${kind} k`);
    say('#plan-k-shown', plan.hashes === best.hashes
        ? `${plan.hashes} (${kind})` : `${plan.hashes} (${kind}: ${best.hashes})`);
    say('#best', planning.layout === 1 ? 'Planned k' : 'Best k');
    $('#best').disabled = plan.hashes === best.hashes;
}

function showInputs() {
    $('#n').value = 10 * Math.log10(planning.n);
    $('#p').value = -10 * Math.log10(planning.p);
    $('#n').setAttribute('aria-valuetext', whole(planning.n));
    $('#p').setAttribute('aria-valuetext', rate(planning.p));
    for (const [id, text] of [['#n-text', whole(planning.n)],
                              ['#p-text', rate(planning.p)],
                              ['#memory-text', planning.memory ? bytes(planning.memory) : '']])
        if (document.activeElement !== $(id))
            $(id).value = text;
    $(`#plan-layout input[value="${planning.layout}"]`).checked = true;
}

let planned;

/* Removes the charts and points of the previous plan, and says why. */
function showNoPlan() {
    [chartRate, chartK].forEach((chart) => chart?.destroy());
    chartRate = chartK = null;
    $('#points tbody').replaceChildren();
    say('#plan-measured', '–');
    say('#plan-note', TOO_LARGE);
}

function showPlan() {
    const { n } = planning, best = planWith(0);
    planned = planning.k ? planWith(planning.k) : best;
    if (!planned.bytes) {
        planning.k = 0;
        planned = best;
    }
    const possible = planned.bytes > 0;
    say('#plan-bytes', possible ? bytes(planned.bytes) : 'too large for this page');
    $('#plan-bytes').title = possible ? plural(planned.bytes, 'byte') : '';
    say('#plan-bits', possible ? significant(bitsOf(planned) / n, 4) : '–');
    say('#plan-cells', possible ? whole(planned.cells) : '–');
    planEngine.planSet(planned.cells, planned.hashes, planned.layout);
    const falseRate = possible ? planEngine.c.rate(n) : NaN;
    say('#plan-rate', possible ? rate(falseRate) : '–');
    showSaved({ falseRate });
    $('#measure').disabled = !possible;
    showInputs();
    if (!possible) {
        showNoPlan();
        return;
    }
    drawRate(planned);
    showK(best, planned, drawK(best));
    showTable(planned);
}

/* ---- Measuring ----------------------------------------------------------- */

let due = 0, seen = false;

function stopMeasuring() {
    clearTimeout(due);
    measuring?.stop();
    measuring = null;
    measured = null;
    showSaved({ own: 0 });
    $('#measure-progress').value = 0;
    say('#measure-note', '');
}

function showMeasured(points, maybes, spread) {
    measured = { points, maybes, spread };
    chartRate?.setData(rateData(planned));
    showTable(planned);
}

async function startMeasuring() {
    const points = [...new Set(FRACTIONS.map((f) =>
        Math.max(1, Math.round(f * planning.n))))];
    stopMeasuring();
    if (planned.bytes > MOST_BYTES || planning.n > MOST_MEASURED) {
        say('#measure-note', 'Too large to measure here. The limits are '
            + `${bytes(MOST_BYTES)} and ${whole(MOST_MEASURED)} keys.`);
        return;
    }
    const mine = measuring = new Jobs();
    const { why, maybes, spread, own } = await mine.start(
        { job: 'measure', plan: { ...planned, seed: undefined }, n: planning.n, points },
        ({ progress, maybes: some }) => {
            $('#measure-progress').value = progress;
            if (some)
                showMeasured(points, some);
        });
    if (mine !== measuring)
        return;
    mine.stop();
    measuring = null;
    $('#measure-progress').value = 1;
    say('#measure-note', why ?? `${plural(points.length, 'point')}, each from `
        + `${whole(ASKED)} lookups of absent keys.`
        + `${maybes.some((m) => m === 0) ? ' A point without false positives has only a bar.' : ''}`);
    if (why)
        return;
    showMeasured(points, maybes, spread);
    showSaved({ own });
}

/* Measures small plans without a click, once the sliders rest. */
function measureSoon() {
    clearTimeout(due);
    if (seen && planned.bytes && planning.n <= 100000)
        due = setTimeout(startMeasuring, 500);
}

/* If the memory was chosen, n follows from it, until n is chosen again. If not one key
   fits into it, it is no longer chosen. */
export function replan(changes) {
    const wanted = { ...planning, memory: changes.n ? 0 : planning.memory, ...changes };
    const { memory, p, layout } = wanted;
    const n = memory ? planEngine.planFit(memory, p, layout).n : wanted.n;
    Object.assign(planning, wanted, n ? { n } : { memory: 0 });
    say('#plan-note', n ? '' : `Not one key fits into ${bytes(memory)} at this rate.`);
    for (const field of Object.keys(FIELDS))
        $(`#${field}-text`).setAttribute('aria-invalid', 'false');
    stopMeasuring();
    showPlan();
    measureSoon();
    changed();
}

/* ---- Controls ------------------------------------------------------------ */

function typed(field, { parse, fits, hint }) {
    $(`#${field}-text`).addEventListener('change', ({ target }) => {
        const value = parse(target.value);
        if (fits(value)) {
            target.blur();
            replan({ [field]: value });
        } else {
            target.setAttribute('aria-invalid', 'true');
            say('#plan-note', `${hint} ${NUMBER_RULE}`);
        }
    });
}

export function startPlan(engine) {
    planEngine = engine;
    $('#n').addEventListener('input', ({ target }) =>
        replan({ n: Math.round(twoDigits(10 ** (target.value / 10))) }));
    $('#p').addEventListener('input', ({ target }) =>
        replan({ p: twoDigits(10 ** (-target.value / 10)) }));
    for (const [field, rule] of Object.entries(FIELDS))
        typed(field, rule);
    $('#plan-k').addEventListener('input', ({ target }) =>
        replan({ k: Number(target.value) }));
    $('#plan-layout').addEventListener('change', ({ target }) =>
        replan({ layout: Number(target.value), k: 0 }));
    $('#best').addEventListener('click', () => replan({ k: 0 }));
    $('#measure').addEventListener('click', startMeasuring);
    new IntersectionObserver((entries, observer) => {
        if (!entries.some((entry) => entry.isIntersecting))
            return;
        observer.disconnect();
        seen = true;
        measureSoon();
    }).observe($('#part-2'));
    new ResizeObserver(() => {
        for (const chart of [chartRate, chartK]) {
            const box = chart?.root.parentElement;
            if (box?.clientWidth && box.clientWidth !== chart.width)
                chart.setSize({ width: box.clientWidth, height: box.clientHeight });
        }
    }).observe($('.charts'));
    startSaved();
    onTheme(() => planned && showPlan());
}
