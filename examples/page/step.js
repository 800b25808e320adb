/* Part 3: the step from probe to probe, constant or multiplied ("scrambled"), as
   pictures and as rates. */

import { changed } from './address.js';
import { $, element, say } from './elements.js';
import { Jobs } from './jobs.js';
import { NUMBER_RULE, parseWhole, rate, significant, whole } from './numbers.js';
import { onTheme, style } from './theme.js';

const RULES = { guava: 0, constant: 1, scrambled: 2, independent: 3 };
const ROWS = [[64, 10, 4], [256, 10, 18], [512, 10, 35], [4096, 10, 284],
              [320, 20, 10], [28800, 20, 1000], [64, 3, 1], [128, 4, 2]]
    .map(([m, k, n]) => ({ m, k, n }));
export const MOST_STEP_CELLS = 32768;

export let step = ROWS[2];                 /* shown in the pictures */
let stepEngine, stepRows = ROWS, ruling = null;

const textbook = ({ m, k, n }) => (-Math.expm1(k * n * Math.log1p(-1 / m))) ** k;

/* ---- Pictures ------------------------------------------------------------ */

function drawRule(canvas, rule) {
    const { m, k } = step, keys = 240, wide = 960, high = 3;
    canvas.width = wide;
    canvas.height = keys * high;
    const g = canvas.getContext('2d');
    g.fillStyle = style('--dot');
    stepEngine.planSet(m, k, 0);
    for (let i = 0; i < keys; i++) {
        const at = stepEngine.c.stepped(rule, i, (i + 0.5) / keys);
        const all = stepEngine.numbers(at, k);
        for (const cell of all) {
            const turned = (cell - all[0] + m) % m;     /* the first cell is at 0 */
            g.fillRect(Math.floor(turned / m * wide), i * high,
                       Math.max(high, wide / m), high);
        }
    }
}

function drawStep() {
    drawRule($('#constant'), RULES.constant);
    drawRule($('#scrambled'), RULES.scrambled);
}

/* ---- Rates --------------------------------------------------------------- */

function ratioCell(cell, ratio, share) {
    cell.textContent = significant(ratio)
        + (share > 0.02 ? ` ± ${significant(ratio * share, 1)}` : '');
    const heat = Math.min(1, Math.max(0, Math.log10(ratio) / 2));
    cell.style.setProperty('--heat', `${Math.round(heat * 100)}%`);
    cell.classList.toggle('bad', ratio * (1 - share) > 1.3);
}

function showRules() {
    const rows = stepRows.map((row) => {
        const show = element('button.quiet', whole(row.m));
        show.setAttribute('aria-label', `${whole(row.m)} cells: show the pictures`);
        show.addEventListener('click', () => chooseStep(row));
        stepEngine.planSet(row.m, row.k, 0);
        const promised = stepEngine.c.rate(row.n) / textbook(row);
        const tr = element('tr', element('td', show), element('td', whole(row.k)),
            element('td', whole(row.n)), element('td', rate(textbook(row))),
            ...Object.keys(RULES).map((rule) => element(`td.${rule}`, '–')),
            element('td', significant(promised)));      /* a ratio, as the others */
        tr.classList.toggle('chosen', row === step);
        return tr;
    });
    $('#rules tbody').replaceChildren(...rows);
}

function showRatio({ row, rule, maybes, asked, ended }) {
    const tr = $('#rules tbody').rows[row], ratio = maybes / asked / textbook(stepRows[row]);
    if (maybes > 0)
        ratioCell(tr.cells[4 + rule], ratio, 2 / Math.sqrt(maybes));
    tr.cells[4 + rule].title = `${whole(maybes)} of ${whole(asked)}`;
    tr.cells[4 + rule].classList.toggle('going', !ended);
    $('#rules-progress').value = (4 * row + rule + ended) / (4 * stepRows.length);
}

async function measureRules() {
    ruling?.stop();
    showRules();
    const mine = ruling = new Jobs();
    say('#measure-rules', 'Measure again');
    await mine.start({ job: 'rules', rows: stepRows }, (some) => {
        if (mine === ruling)
            showRatio(some);
    });
    if (mine === ruling)
        ruling = null;
    mine.stop();
}

/* ---- Controls ------------------------------------------------------------ */

/* Shows the pictures of a row. A row that is not in the list becomes its first
   one, and replaces the one that was added this way before. */
export function chooseStep(row) {
    const same = (other) => ['m', 'k', 'n'].every((x) => row[x] === other[x]);
    const there = stepRows.find(same);
    const measuredRows = $('#rules tbody').rows;
    step = there ?? row;
    for (const key of ['m', 'k', 'n'])
        $(`#step-${key}`).value = whole(step[key]);
    if (there) {
        [...measuredRows].forEach((tr, i) =>
            tr.classList.toggle('chosen', stepRows[i] === step));
    } else {
        ruling?.stop();
        ruling = null;
        stepRows = [row, ...ROWS];
        showRules();
    }
    drawStep();
    changed();
}

function typedStep() {
    const [m, k, n] = ['m', 'k', 'n'].map((x) => parseWhole($(`#step-${x}`).value));
    const fits = m >= 64 && m <= MOST_STEP_CELLS && m % 64 === 0
        && k >= 1 && k <= 64 && k % 1 === 0 && n >= 1 && n <= m && n % 1 === 0;
    say('#step-note', fits ? ''
        : `m must be a multiple of 64, at most ${whole(MOST_STEP_CELLS)}; k from 1 to 64; `
            + `n from 1 to m. ${NUMBER_RULE}`);
    if (fits)
        chooseStep({ m, k, n });
}

export function startStep(engine) {
    stepEngine = engine;
    showRules();
    for (const key of ['m', 'k', 'n'])
        $(`#step-${key}`).addEventListener('change', typedStep);
    $('#measure-rules').addEventListener('click', measureRules);
    new IntersectionObserver((entries, observer) => {
        if (entries.some((entry) => entry.isIntersecting)) {
            observer.disconnect();
            drawStep();
        }
    }, { rootMargin: '400px' }).observe($('#part-3'));
    onTheme(drawStep);
}
