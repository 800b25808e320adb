/* The long jobs, run in a worker. A job
   posts its progress as it goes. To stop a job, the page ends its worker. */

import { ASKED, compiled, Engine, ERRORS, LAYOUTS } from './engine.js';

let engine;

/* ---- Part 2: the measured rate ------------------------------------------- */

const FAR = 2 ** 50;

/* The rates of small filters differ from one another. So for small n the lookups
   are spread over several filters. */
function filtersFor(n) {
    return [100, 50, 20, 10, 5, 2, 1].find((f) => f * n <= 100000) ?? 1;
}

/* How many times larger the variance of a sum over filters is than if each lookup
   were independent of the others; at least 1 */
function spreadOf(sum, squares, filters) {
    const share = sum / ASKED, expected = ASKED * share * (1 - share);
    const variance = (squares - sum * sum / filters) * filters / (filters - 1);
    return filters > 1 && expected > 0 ? Math.max(1, variance / expected) : 1;
}

function measure({ plan, n, points }) {
    const c = engine.c, filters = filtersFor(n), asked = ASKED / filters;
    const sums = points.map(() => 0), squares = points.map(() => 0);
    let spent = 0;                      /* ms in lookups of absent keys */
    engine.planSet(plan.cells, plan.hashes, plan.layout);
    const marked = c.mark();
    for (let f = 0; f < filters; f++) {
        c.release(marked);
        const b = c.create(), first = f * 2 ** 32;
        if (!b)
            return { why: 'not enough memory' };
        let added = 0;
        points.forEach((point, i) => {
            while (added < point) {
                const some = Math.min(point - added, 500000);
                c.add_range(b, first + added, some);
                added += some;
                if (point > 500000)
                    postMessage({ progress: added / points.at(-1) });
            }
            const start = performance.now();
            const maybes = c.ask_range(b, FAR + first, asked);
            spent += performance.now() - start;
            sums[i] += maybes;
            squares[i] += maybes * maybes;
            if (filters === 1)
                postMessage({ progress: added / points.at(-1),
                              maybes: sums.slice(0, i + 1) });
        });
        postMessage({ progress: (f + 1) / filters });
    }
    return { maybes: sums, own: spent * 1e6 / (points.length * ASKED),
             spread: sums.map((sum, i) => spreadOf(sum, squares[i], filters)) };
}

/* ---- Part 3: rules for the step ------------------------------------------ */

/* Measures each row under each rule, until `enough` false positives or `most`
   lookups. */
function rules({ rows, enough = 10000, most = 2e7 }) {
    const c = engine.c;
    rows.forEach(({ m, k, n }, row) => {
        engine.planSet(m, k, 0);
        for (let rule = 0; rule < 4; rule++) {
            const each = 4 * n + 200;
            let trials = 0, maybes = 0, due = performance.now() + 150;
            const tell = (ended) => postMessage({ row, rule, maybes, ended,
                                                  asked: trials * each });
            while (maybes < enough && trials * each < most) {
                maybes += c.trial(rule, n, each, trials++);
                if (performance.now() > due) {
                    due = performance.now() + 150;
                    tell(false);
                }
            }
            tell(true);
        }
    });
    return {};
}

/* ---- Part 4: a filter from a file, or made from lines -------------------- */

/* filter: its address, or 0 if a chain is open. empty: the mark of the module's
   memory before either is loaded. */
let filter = 0, empty = 0;

/* Reads the file into the module's memory, and returns its address there. */
async function readFile(file) {
    const at = engine.c.allocate(file.size) >>> 0;
    if (at === 0)
        throw new Error('too large for the memory of this page');
    const reader = file.stream().getReader();
    let have = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done)
            break;
        engine.view(at + have, value.length).set(value);
        have += value.length;
        postMessage({ progress: have / file.size });
    }
    return at;
}

function loaded() {
    const info = filter ? engine.info(filter) : engine.infoOfChain();
    return { info, text: engine.errorText(info.verified) };
}

function forget() {
    engine.c.release(empty);
    filter = 0;
}

/* Why the bytes were refused. bloom.h reports any bytes shorter than a header as
   truncated. This page does so only if they begin like a filter or a chain;
   otherwise they are not a filter. */
function whyNot(magic) {
    const error = engine.c.last_error();
    if (magic === '')
        return 'is empty, so it is not a Bloom filter';
    if (error === ERRORS.truncated && !/^BL[MC][\x01-\x08\x0e-\x1f]/.test(magic))
        return engine.errorText(ERRORS.notAFilter);
    return error ? engine.errorText(error) : 'too large for the memory of this page';
}

/* A single filter may come from a program that does not seal. The command and this page
   seal every link of a growing filter, so a link without a seal is damaged. */
const NO_SEAL = 'corrupt: a filter that grows (made by uniq without --fixed) has a seal, '
    + 'but here it is missing';

async function open({ file, bytes }) {
    const c = engine.c;
    const size = file ? file.size : bytes.length;
    forget();
    const at = file ? await readFile(file) : engine.put(bytes);
    const magic = String.fromCharCode(...engine.view(at, Math.min(size, 4)));
    if (magic.startsWith('BLW'))
        return { why: 'is a sliding window of bloom_window.h, which only the command opens' };
    const isChain = magic.startsWith('BLC');
    filter = isChain ? 0 : c.open(at, size);
    if (isChain ? !c.open_chain(at, size) : !filter)
        return { why: whyNot(magic) };
    const opened = loaded();
    return isChain && opened.info.verified === ERRORS.unsealed ? { why: NO_SEAL } : opened;
}

function make({ text, n, p, layout }) {
    const c = engine.c;
    forget();
    const at = engine.put(text), lines = c.count_lines(at, text.length);
    const plan = engine.planFor(n || lines, p, layout);
    filter = plan.bytes ? c.create() : 0;
    if (!filter)
        return { why: 'too large for the memory of this page' };
    c.lines(filter, at, text.length, 0);
    c.seal(filter);
    return { ...loaded(), lines };
}

/* Adds the lines, or looks them up. Adding to a chain may allocate a link, so the
   memory is not released then. */
function lines({ text, adding }) {
    const c = engine.c, marked = c.mark(), at = engine.put(text);
    const count = c.count_lines(at, text.length);
    const maybe = adding ? 0 : c.allocate(count);
    c.lines(filter, at, text.length, maybe);
    const answers = adding ? null : engine.view(maybe, count).slice();
    if (filter || !adding)
        c.release(marked);
    return { ...(adding ? loaded() : {}), answers, count };
}

/* The image of the filter or chain, after sealing it */
function image() {
    const c = engine.c;
    if (filter) {
        c.seal(filter);
        return { ...loaded(), image: engine.image(filter).slice() };
    }
    const marked = c.mark(), head = c.allocate(32), parts = [];
    c.chain_head(head);
    parts.push(engine.view(head, 32).slice());
    for (let i = 0; i < c.chain_links(); i++) {
        c.seal(c.link(i));
        parts.push(engine.image(c.link(i)).slice());
    }
    c.release(marked);
    return { ...loaded(), image: new Blob(parts) };
}

/* ---- Part 5: ten million keys -------------------------------------------- */

const CHUNK = 100000;

/* Calls `use` for chunks of the random keys number from .. from + n - 1. Returns its
   time per key, without the time to make the keys, and the sum of its results. */
function timed(n, from, keys, what, use) {
    const c = engine.c;
    let spent = 0, yes = 0;
    for (let done = 0; done < n; done += CHUNK) {
        const some = Math.min(CHUNK, n - done);
        c.random_keys(keys, from + done, some);
        const start = performance.now();
        yes += use(some);
        spent += performance.now() - start;
        if (done % (10 * CHUNK) === 0)
            postMessage({ progress: done / n, what });
    }
    return { ns: spent * 1e6 / n, yes };
}

function raceFilter(n, p, layout, keys) {
    const c = engine.c, marked = c.mark();
    const { bytes, hashes } = engine.planFor(n, p, layout), b = c.create();
    const name = LAYOUTS[layout];
    const run = (from, asking) => timed(n, from, keys, name,
        (some) => c.keys(b, keys, some, asking));
    const result = { name, bytes, hashes, add: run(0, 0),
                     absent: run(FAR, 1), present: run(0, 1) };
    c.release(marked);
    return result;
}

function raceSet(n, keys) {
    const set = new Set();
    const each = (use) => (some) => {
        const key = new Float64Array(engine.c.memory.buffer, keys, some);
        let yes = 0;
        for (let i = 0; i < some; i++)
            yes += use(key[i]);
        return yes;
    };
    const ask = each((key) => set.has(key) ? 1 : 0);
    const add = timed(n, 0, keys, 'set',
                      each((key) => { set.add(key); return 1; }));
    return { name: 'set', add, absent: timed(n, FAR, keys, 'set', ask),
             present: timed(n, 0, keys, 'set', ask) };
}

function race({ n, p }) {
    const keys = engine.c.allocate(8 * CHUNK) >>> 0;
    for (let i = 0; i < 4; i++) {       /* warm-up: browsers optimise hot code */
        raceFilter(CHUNK, p, 0, keys);
        raceFilter(CHUNK, p, 1, keys);
        raceSet(CHUNK, keys);
    }
    postMessage({ result: raceFilter(n, p, 0, keys) });
    postMessage({ result: raceFilter(n, p, 1, keys) });
    postMessage({ result: raceSet(n, keys) });
    return {};
}

/* ---- Messages ------------------------------------------------------------ */

const jobs = { measure, rules, open, make, lines, image, race };

async function answer({ job, wasm, ...rest }) {
    try {
        if (!engine) {
            engine = new Engine(await compiled(wasm));
            empty = engine.c.mark();
        }
        postMessage({ done: job, ...await jobs[job](rest) });
    } catch (error) {
        postMessage({ done: job, why: error.message });
    }
}

let queue = Promise.resolve();
onmessage = ({ data }) => { queue = queue.then(() => answer(data)); };
