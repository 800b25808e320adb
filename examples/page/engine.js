/* The functions of page.c for JavaScript. The page has one instance of the module
   for each part, and each worker has its own. Addresses from WebAssembly are signed
   numbers; `>>> 0` makes them unsigned. */

export const LAYOUTS = ['classic', 'blocked', 'counting'];
export const ERRORS = { ok: 0, truncated: 1, notAFilter: 2, corrupt: 6, unsealed: 7 };
export const ASKED = 100000;            /* lookups at each measured point of part 2 */

/* Compiles synchronously if the browser allows it: for a module of this size, that
   is faster than to start another thread. */
export async function compiled(wasm) {
    try {
        return new WebAssembly.Module(wasm);
    } catch {
        return WebAssembly.compile(wasm);
    }
}

export class Engine {
    constructor(module) {
        this.c = new WebAssembly.Instance(module).exports;
        this.encoder = new TextEncoder();
    }

    view(at, size) {
        return new Uint8Array(this.c.memory.buffer, at >>> 0, size);
    }

    /* Copies bytes into the module's memory; null if memory is short. */
    put(bytes) {
        const at = this.c.allocate(bytes.length) >>> 0;
        if (at === 0)
            return null;
        this.view(at, bytes.length).set(bytes);
        return at;
    }

    text(at) {
        const bytes = new Uint8Array(this.c.memory.buffer, at >>> 0);
        return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
    }

    errorText(code) { return this.text(this.c.error_text(code)); }

    /* ---- Plans ---------------------------------------------------------- */

    plan() {
        const c = this.c;
        return { cells: c.cells(), hashes: c.hashes(), layout: c.layout(),
                 width: c.width(), seed: BigInt.asUintN(64, c.seed()),
                 bytes: c.bytes() };
    }

    planFor(n, p, layout, k = 0) {
        this.c.plan_for(n, p, layout, k);
        return this.plan();
    }

    /* The plan that holds the most keys in this many bytes, and how many these are */
    planFit(bytes, p, layout) {
        this.c.plan_fit(bytes, p, layout);
        return { ...this.plan(), n: this.c.capacity(p) };
    }

    planSet(cells, k, layout) {
        this.c.plan_set(cells, k, layout);
        return this.plan();
    }

    planOf(filter) {
        this.c.plan_of(filter);
        return this.plan();
    }

    /* ---- A filter and its keys ------------------------------------------ */

    withKey(key, call) {
        const bytes = this.encoder.encode(key), marked = this.c.mark();
        const result = call(this.put(bytes), bytes.length);
        this.c.release(marked);
        return result;
    }

    add(b, key) { return this.withKey(key, (k, s) => this.c.add(b, k, s)) === 1; }
    ask(b, key) { return this.withKey(key, (k, s) => this.c.ask(b, k, s)) === 1; }
    remove(b, key) {
        return this.withKey(key, (k, s) => this.c.remove(b, k, s)) === 1;
    }

    numbers(at, count) {
        const wide = new BigUint64Array(this.c.memory.buffer, at >>> 0, count);
        return Array.from(wide, Number);
    }

    probes(b, key) {
        return this.withKey(key, (k, s) =>
            this.numbers(this.c.probes(b, k, s), this.planOf(b).hashes));
    }

    image(b) { return this.view(b, this.c.size(b) >>> 0); }

    /* The facts about a chain that `bloom info` prints */
    infoOfChain() {
        const c = this.c, each = Array.from({ length: c.chain_links() },
                                            (_, i) => this.info(c.link(i)));
        const worst = [ERRORS.corrupt, ERRORS.unsealed].find((seal) =>
            each.some(({ verified }) => verified === seal));
        const marked = c.mark(), at = c.allocate(32) >>> 0;
        c.chain_head(at);
        const head = new DataView(c.memory.buffer, at, 32);
        const first = { n: head.getBigUint64(8, true), p: head.getFloat64(16, true) };
        c.release(marked);
        return { ...each[0], first, bytes: c.chain_size(), known: c.chain_estimate(),
                 rate: c.chain_fpr(), verified: worst ?? ERRORS.ok, links: each };
    }

    /* The facts about a filter that `bloom info` prints */
    info(b) {
        const c = this.c, plan = this.planOf(b), known = c.estimate(b);
        return { ...plan, ones: c.ones(b), known, rate: c.fpr(b),
                 verified: c.verify(b),
                 until: [0.01, 0.001].map((p) => c.capacity(p)) };
    }
}
