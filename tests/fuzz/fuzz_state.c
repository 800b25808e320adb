/* Fuzz target: random calls on two filters of one plan, against a model of
   every cell and a multiset of the keys (see fuzz.h). Every answer and, at the
   end, every cell must be that of the model, and no key may be lost. */

#include "fuzz.h"
#include "../layouts.h"

enum { CELLS = 1024, EACH = 16, KEYS = 3 * EACH, MANY = 150 };

/* count[] is how often each key is in. After the removal of a key that was not
   in, which bloom.h warns against, keys may be lost: then `valid` is false. */
typedef struct filter {
    yard room;
    bloom *b;
    unsigned char *image, cell[CELLS];
    unsigned count[KEYS];
    bool valid;
} filter;

/* The keys: EACH integers, EACH strings of 0 to EACH - 1 bytes, EACH hashes.
   All integers and all strings are different. */
static uint64_t integer[EACH];
static bloom_hash raw[EACH];
static const char text[] = "\377the quick brown fox jumps over";
static uint64_t probes[KEYS][64];
static bool probed[KEYS];

static bloom_plan plan;
static filter filters[2];
static yard flat;

QUIET uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCDU;
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53U;
    return x ^ x >> 33;
}

static const void *text_of(unsigned key)
{
    return key > EACH ? text + key % EACH : NULL;
}

QUIET bloom_hash hash_of(const bloom *b, unsigned key)
{
    bloom_hash h;
    if (key >= 2 * EACH)
        return raw[key - 2 * EACH];
    if (key >= EACH)
        return bloom_hash_key(b, text_of(key), key - EACH);
    h = bloom_hash_u64(b, integer[key]);
    if (plan.hash_bits == 64) {
        uint64_t mixed = mix(integer[key] + (plan.seed + 1)
                                            * 0x9E3779B97F4A7C15U);
        must(h.h1 == mixed && h.h2 == (mixed << 32 | mixed >> 32)
                                      * 0x9E3779B97F4A7C15U);
    }
    return h;
}

QUIET const uint64_t *probes_of(const filter *f, unsigned key)
{
    uint64_t index[64];
    unsigned i;
    if (!probed[key]) {
        bloom_hash h = hash_of(f->b, key);
        model_probes(plan, h, probes[key]);
        must(bloom_probes(f->b, h, index) == plan.hashes);
        for (i = 0; i < plan.hashes; i++)
            must(index[i] == probes[key][i] && index[i] < plan.cells);
        probed[key] = true;
    }
    return probes[key];
}

/* ---- The model ---- */

QUIET bool model_has(const filter *f, unsigned key)
{
    const uint64_t *index = probes_of(f, key);
    unsigned i;
    for (i = 0; i < plan.hashes; i++)
        if (f->cell[index[i]] == 0)
            return false;
    return true;
}

QUIET bool model_add(filter *f, unsigned key)
{
    const unsigned most = plan.layout == BLOOM_COUNTING ? 15 : 1;
    const uint64_t *index = probes_of(f, key);
    bool is_new = !model_has(f, key);
    unsigned i;
    must(!(is_new && f->valid && f->count[key] > 0));
    f->count[key]++;
    for (i = 0; i < plan.hashes; i++)
        if (f->cell[index[i]] < most)
            f->cell[index[i]]++;
    return is_new;
}

/* A key can be removed if each of its counters is 15, or at least the number of
   the key's probes there. */
QUIET bool model_remove(filter *f, unsigned key)
{
    const uint64_t *index = probes_of(f, key);
    unsigned i, j, times;
    for (i = 0; i < plan.hashes; i++) {
        for (times = j = 0; j < plan.hashes; j++)
            times += index[j] == index[i];
        if (f->cell[index[i]] < 15 && f->cell[index[i]] < times)
            return false;
    }
    for (i = 0; i < plan.hashes; i++)
        if (f->cell[index[i]] < 15)
            f->cell[index[i]]--;
    if (f->count[key] > 0)
        f->count[key]--;
    else
        f->valid = false;
    return true;
}

QUIET void compare(const filter *f)
{
    uint64_t i;
    unsigned key;
    for (i = 0; i < plan.cells; i++)
        must(cell_in(f->image, i) == f->cell[i]);
    for (key = 0; key < KEYS; key++)
        if (f->valid && f->count[key] > 0)
            must(bloom_may_contain_hash(f->b, hash_of(f->b, key)));
}

/* ---- The calls ---- */

static bool do_add(filter *f, unsigned key, bool by_hash)
{
    if (by_hash || key >= 2 * EACH)
        return bloom_add_hash(f->b, hash_of(f->b, key));
    return key < EACH ? bloom_add_u64(f->b, integer[key])
                      : bloom_add(f->b, text_of(key), key - EACH);
}

static bool do_remove(filter *f, unsigned key, bool by_hash)
{
    if (by_hash || key >= 2 * EACH)
        return bloom_remove_hash(f->b, hash_of(f->b, key));
    return key < EACH ? bloom_remove_u64(f->b, integer[key])
                      : bloom_remove(f->b, text_of(key), key - EACH);
}

static bool do_look(const filter *f, unsigned key, bool by_hash)
{
    if (by_hash || key >= 2 * EACH)
        return bloom_may_contain_hash(f->b, hash_of(f->b, key));
    return key < EACH ? bloom_may_contain_u64(f->b, integer[key])
                      : bloom_may_contain(f->b, text_of(key), key - EACH);
}

/* One of the six calls for many keys; they are all of one kind. */
QUIET size_t do_many(filter *f, const unsigned *keys, size_t count,
                      unsigned kind, bool add, bool *result)
{
    static uint64_t integers[MANY];
    static bloom_key strings[MANY];
    static bloom_hash hashes[MANY];
    size_t i;
    for (i = 0; i < count; i++) {
        if (kind == 0) {
            integers[i] = integer[keys[i]];
        } else if (kind == 1) {
            strings[i].data = text_of(keys[i]);
            strings[i].size = keys[i] - EACH;
        } else {
            hashes[i] = hash_of(f->b, keys[i]);
        }
    }
    if (kind == 0)
        return add ? bloom_add_many_u64(f->b, integers, count, result)
                   : bloom_may_contain_many_u64(f->b, integers, count, result);
    if (kind == 1)
        return add ? bloom_add_many(f->b, strings, count, result)
                   : bloom_may_contain_many(f->b, strings, count, result);
    return add ? bloom_add_many_hash(f->b, hashes, count, result)
               : bloom_may_contain_many_hash(f->b, hashes, count, result);
}

/* Returns true if the call may have written to the filter. */
QUIET bool many(filter *f, unsigned options, input *in)
{
    static bool result[MANY + 1];
    unsigned keys[MANY], kind = options % 3, step = byte_of(in), i;
    bool add = options & 16, quiet = options & 32;
    size_t count = byte_of(in), trues = 0, got;
    count = count < 192 ? count % 8 : MANY - count % 50;
    for (i = 0; i < count; i++)
        keys[i] = kind < 2 ? kind * EACH + (step + i * (step / 16)) % EACH
                           : (step + i * (step / 16)) % KEYS;
    result[count] = (step & 1) != 0;
    got = do_many(f, keys, count, kind, add, quiet ? NULL : result);
    must(result[count] == ((step & 1) != 0));
    for (i = 0; i < count; i++) {
        bool expected = add ? model_add(f, keys[i]) : model_has(f, keys[i]);
        must(quiet || result[i] == expected);
        trues += expected;
    }
    must(got == trues);
    return add && count > 0;
}

/* Merging and intersecting change only f. g keeps its seal, or stays without
   one. */
QUIET void combine(filter *f, const filter *g, bool is_union)
{
    const unsigned most = plan.layout == BLOOM_COUNTING ? 15 : 1;
    bloom_error seal = bloom_verify(g->b);
    unsigned i;
    must(is_union ? bloom_merge(f->b, g->b) : bloom_intersect(f->b, g->b));
    for (i = 0; i < plan.cells; i++) {
        unsigned a = f->cell[i], b = g->cell[i], sum = a + b;
        f->cell[i] = (unsigned char)(!is_union ? a < b ? a : b
                                     : sum < most ? sum : most);
    }
    for (i = 0; i < KEYS; i++) {
        unsigned a = f->count[i], b = g->count[i];
        f->count[i] = is_union ? a + b : a < b ? a : b;
    }
    f->valid = f->valid && g->valid;
    must(f == g || bloom_verify(g->b) == seal);
}

QUIET void flatten(const filter *f, unsigned shift)
{
    bloom_plan classic = plan;
    size_t size;
    unsigned char *at;
    bloom *b;
    uint64_t i;
    classic.layout = BLOOM_CLASSIC;
    size = bloom_plan_size(classic);
    at = place(&flat, shift, size);
    b = bloom_init(at, size, classic);
    memset(at + 24, 0xA5, size - 24);
    must(bloom_flatten(b, f->b) == (plan.layout == BLOOM_COUNTING));
    if (plan.layout == BLOOM_COUNTING)
        must(bloom_verify(b) == BLOOM_UNSEALED);
    for (i = 0; i < plan.cells && plan.layout == BLOOM_COUNTING; i++)
        must(cell_in(at, i) == (f->cell[i] != 0));
}

/* Folds a copy of f. Each of its cells must be the union (counters: the sum) of
   `by` cells of f in a row; in blocked filters, of the same cell of `by` blocks
   in a row. */
QUIET void fold(const filter *f, uint64_t by, unsigned shift)
{
    const uint64_t unit = plan.layout == BLOOM_BLOCKED ? 256 : 1;
    const uint64_t grain = plan.layout == BLOOM_BLOCKED ? 256 : 64;
    const unsigned most = plan.layout == BLOOM_COUNTING ? 15 : 1;
    const size_t size = bloom_size(f->b);
    unsigned char *at = place(&flat, shift, size);
    const bool can = by > 0 && plan.cells % (by * grain) == 0;
    bloom *b;
    uint64_t i, j;
    memcpy(at, f->image, size);
    b = bloom_open(at, size, NULL);
    must(b && bloom_fold(b, by) == can);
    must(can || memcmp(at, f->image, size) == 0);
    for (i = 0; can && i < plan.cells / by; i++) {
        unsigned cell = 0;
        for (j = 0; j < by; j++)
            cell += f->cell[(i / unit * by + j) * unit + i % unit];
        must(cell_in(at, i) == (cell < most ? cell : most));
    }
    must(!can || (bloom_verify(b) == BLOOM_UNSEALED
                  && bloom_plan_of(b).cells == plan.cells / by));
}

/* Copies f to another address, and opens it there. */
static void reload(filter *f, unsigned shift)
{
    static unsigned char copy[MOST];
    size_t size = bloom_size(f->b);
    bloom_error error;
    memcpy(copy, f->image, size);
    f->image = place(&f->room, shift, size);
    memcpy(f->image, copy, size);
    f->b = bloom_open(f->image, size, &error);
    must(f->b && error == BLOOM_OK);
}

QUIET void count_cells(const filter *f)
{
    uint64_t ones = 0, i;
    double rate = bloom_fpr(f->b);
    for (i = 0; i < plan.cells; i++)
        ones += f->cell[i] != 0;
    must(bloom_ones(f->b) == ones);
    must((bloom_estimate(f->b) == UINT64_MAX) == (ones == plan.cells));
    must(rate >= 0 && rate <= 1 && (rate > 0 || ones * 4 < plan.cells));
}

/* bloom_fold_by must return the largest of all numbers that fold f and keep p
   for the estimated number of keys. */
QUIET void fold_by(const filter *f, double p)
{
    const uint64_t n = bloom_estimate(f->b);
    uint64_t by, largest = 0;
    bloom_plan folded = plan;
    for (by = 1; by <= plan.cells; by++) {
        folded.cells = plan.cells / by;
        if (plan.cells % by == 0 && is_possible(folded)
            && bloom_plan_fpr(folded, n) <= p)
            largest = by;
    }
    must(bloom_fold_by(f->b, p) == largest);
}

static void seal(filter *f)
{
    bloom_seal(f->b);
    must(bloom_verify(f->b) == BLOOM_OK);
}

static void clear(filter *f)
{
    bloom_clear(f->b);
    memset(f->cell, 0, sizeof f->cell);
    memset(f->count, 0, sizeof f->count);
    f->valid = true;
}

static bool folded;                     /* fold_by was called for this input */

/* Makes one call. A call that may write must remove the seal, even if it
   changes no cell. */
static void step(filter *f, filter *g, unsigned call, input *in)
{
    unsigned key = byte_of(in), by_hash = key & 128;
    bloom_error before = bloom_verify(f->b);
    bool counting = plan.layout == BLOOM_COUNTING, writes = true;
    key %= KEYS;
    switch (call / 2 % 16) {
    case 0: writes = many(f, call | 16, in); break;
    case 1: many(f, (call & ~16U) | (by_hash ? 1 : 0), in); writes = false;
            break;
    case 2: combine(f, g, true); break;
    case 3: combine(f, g, false); break;
    case 4: combine(f, f, key & 1); break;
    case 5: flatten(f, key); writes = false; break;
    case 6: reload(f, key); writes = false; break;
    case 7: seal(f); return;
    case 8: count_cells(f); writes = false;
            if (by_hash && key % 16 == 1 && !folded) {  /* takes milliseconds */
                fold_by(f, 1 / (1 + (double)((uint64_t)1 << key)));
                folded = true;
            }
            break;
    case 9: if (key == 0) clear(f); else fold(f, key - 1, call);
            writes = key == 0; break;
    case 10:
    case 11: must(do_look(f, key, by_hash) == model_has(f, key));
             writes = false; break;
    case 12:
    case 13: must(do_remove(f, key, by_hash)
                  == (counting && model_remove(f, key)));
             writes = counting; break;
    default: must(do_add(f, key, by_hash) == model_add(f, key));
    }
    must(writes || !counting || bloom_verify(f->b) == before);
    must(!writes || bloom_verify(f->b) == BLOOM_UNSEALED);
}

static void begin(filter *f, unsigned shift)
{
    size_t size = bloom_plan_size(plan);
    must(size == bytes_for(plan));
    f->image = place(&f->room, shift, size);
    memset(f->image, 0xA5, size);
    must(!bloom_init(f->image, size - 1, plan));
    f->b = bloom_init(f->image, size, plan);
    must(f->b && verdict(f->image, size) == BLOOM_OK);
    memset(f->cell, 0, sizeof f->cell);
    memset(f->count, 0, sizeof f->count);
    f->valid = true;
}

static void choose_plan(input *in)
{
    unsigned shape = byte_of(in), cells = byte_of(in);
    plan.layout = (uint8_t)(shape % LAYOUT_COUNT);
    plan.hash_bits = shape & 128 && plan.layout != BLOOM_BLOCKED ? 32 : 64;
    plan.hashes = (uint8_t)(plan.layout == BLOOM_BLOCKED
                            ? 8 + 8 * (shape & 64 ? byte_of(in) % 8 : 0)
                            : shape & 64 ? 1 + byte_of(in) % 64
                            : 1 + cells / 16);
    plan.cells = plan.layout == BLOOM_BLOCKED ? 256 * (1 + cells % 4)
                                              : 64 * (1 + cells % 16);
    plan.seed = shape & 32 ? number_of(in, 8) : shape / 4 % 8;
}

static void run_one(input in)
{
    unsigned i, shift;
    uint64_t h1, h2;
    choose_plan(&in);
    shift = byte_of(&in);
    h1 = number_of(&in, 2) * 0x1000100010001U;
    h2 = number_of(&in, 2) << 48 | number_of(&in, 1);
    for (i = 0; i < EACH; i++) {
        integer[i] = i < 4 ? i : h1 * i + ~(uint64_t)0 / i;
        raw[i].h1 = i & 1 ? ~h1 : h1 * (i + 1);
        raw[i].h2 = i & 2 ? h2 * i : ~h2 + i / 4;
    }
    memset(probed, 0, sizeof probed);
    folded = false;
    begin(&filters[0], shift);
    begin(&filters[1], shift / 16);
    while (in.at < in.end) {
        unsigned call = byte_of(&in);
        step(&filters[call & 1], &filters[!(call & 1)], call, &in);
    }
    compare(&filters[0]);
    compare(&filters[1]);
}
