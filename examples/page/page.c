/* bloom.h for the browser page: the functions that its JavaScript calls. `make
   page` compiles this file to WebAssembly, without a libc; engine.js calls it.
   Whole numbers up to 2^53 are passed as doubles, addresses and small numbers
   as ints. */

#ifndef __wasm__
#error "page.c is for WebAssembly"
#endif
#include <stddef.h>
#include <stdint.h>

static void *take(size_t size);
#define BLOOM_STATIC
#define BLOOM_MALLOC(size) take(size)
#define BLOOM_FREE(p) ((void)(p))
#include "../companions/bloom_chain.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

/* ---- Memory --------------------------------------------------------------
   A stack of blocks: allocate adds one at the end, and release frees all blocks
   that were allocated since mark. */

enum { WASM_PAGE = 65536 };

extern unsigned char __heap_base;
static size_t used;

static void *take(size_t size)
{
    size_t from = ((used ? used : (size_t)&__heap_base) + 31) / 32 * 32;
    size_t have = __builtin_wasm_memory_size(0) * WASM_PAGE;
    if (size > SIZE_MAX - WASM_PAGE - from)
        return NULL;
    used = from + size;
    if (used <= have || __builtin_wasm_memory_grow(0,
            (used - have + WASM_PAGE - 1) / WASM_PAGE) != SIZE_MAX)
        return (void *)from;
    used = from;
    return NULL;
}

void *EXPORT(allocate)(size_t size) { return take(size); }
size_t EXPORT(mark)(void) { return used; }
void EXPORT(release)(size_t marked) { used = marked; }

/* ---- Plans ---------------------------------------------------------------
   plan_for, plan_fit, plan_set and plan_of set the current plan, which
   the others use. */

static bloom_plan plan;

double EXPORT(version)(void) { return BLOOM_VERSION; }

/* k = 0 chooses the best k, or for a blocked filter the planned one. */
void EXPORT(plan_for)(double n, double p, int layout, unsigned k)
{
    plan = k == 0 ? bloom_plan_layout((uint64_t)n, p, (bloom_layout)layout)
                  : bloom_plan_hashes((uint64_t)n, p, k);
    plan.layout = (uint8_t)layout;
}

/* The plan of at most `bytes` bytes that holds the most keys at the rate p */
void EXPORT(plan_fit)(double bytes, double p, int layout)
{
    plan = bloom_plan_fit(bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX, p,
                          (bloom_layout)layout);
}

void EXPORT(plan_set)(double cells, unsigned k, int layout)
{
    plan = bloom_plan_bytes(1, 40);
    plan.cells = (uint64_t)cells;
    plan.hashes = (uint8_t)k;
    plan.layout = (uint8_t)layout;
}

void EXPORT(plan_of)(const bloom *b) { plan = bloom_plan_of(b); }
void EXPORT(plan_seed)(uint64_t seed) { plan.seed = seed; }

double EXPORT(cells)(void) { return (double)plan.cells; }
int EXPORT(hashes)(void) { return plan.hashes; }
int EXPORT(layout)(void) { return plan.layout; }
int EXPORT(width)(void) { return plan.hash_bits; }
uint64_t EXPORT(seed)(void) { return plan.seed; }
double EXPORT(bytes)(void) { return (double)bloom_plan_size(plan); }
double EXPORT(rate)(double n) { return bloom_plan_fpr(plan, (uint64_t)n); }

double EXPORT(capacity)(double p)
{
    return (double)bloom_plan_capacity(plan, p);
}

/* ---- A filter ------------------------------------------------------------ */

bloom *EXPORT(create)(void) { return bloom_create(plan); }
void EXPORT(clear)(bloom *b) { bloom_clear(b); }
size_t EXPORT(size)(const bloom *b) { return bloom_size(b); }
void EXPORT(seal)(bloom *b) { bloom_seal(b); }
int EXPORT(verify)(const bloom *b) { return (int)bloom_verify(b); }
double EXPORT(ones)(const bloom *b) { return (double)bloom_ones(b); }
double EXPORT(fpr)(const bloom *b) { return bloom_fpr(b); }

/* -1 if every cell is set, so that there is no estimate */
double EXPORT(estimate)(const bloom *b)
{
    uint64_t keys = bloom_estimate(b);
    return keys == UINT64_MAX ? -1 : (double)keys;
}

static bloom_error error;
static bloom_chain *chain;              /* the chain that was opened last */

bloom *EXPORT(open)(void *image, size_t size)
{
    return bloom_open(image, size, &error);
}

/* Loads a copy of a chain. Returns its number of links; 0 if it was refused. */
unsigned EXPORT(open_chain)(const void *image, size_t size)
{
    chain = bloom_chain_load(image, size, &error);
    return chain ? bloom_chain_links(chain) : 0;
}

unsigned EXPORT(chain_links)(void) { return bloom_chain_links(chain); }
const bloom *EXPORT(link)(unsigned i) { return bloom_chain_link(chain, i); }
double EXPORT(chain_size)(void) { return (double)bloom_chain_size(chain); }
double EXPORT(chain_fpr)(void) { return bloom_chain_fpr(chain); }
void EXPORT(chain_head)(unsigned char *to) { bloom_chain_head(chain, to); }

/* -1 if every cell of a link is set, so that there is no estimate */
double EXPORT(chain_estimate)(void)
{
    uint64_t keys = bloom_chain_estimate(chain);
    return keys == UINT64_MAX ? -1 : (double)keys;
}

int EXPORT(last_error)(void) { return (int)error; }

const char *EXPORT(error_text)(int code)
{
    return bloom_error_text((bloom_error)code);
}

int EXPORT(add)(bloom *b, const char *key, size_t size)
{
    return bloom_add(b, key, size);
}

int EXPORT(ask)(const bloom *b, const char *key, size_t size)
{
    return bloom_may_contain(b, key, size);
}

int EXPORT(remove)(bloom *b, const char *key, size_t size)
{
    return bloom_remove(b, key, size);
}

/* Returns the address of the key's k cell numbers, 64 bits each. */
static uint64_t probe[64];

const uint64_t *EXPORT(probes)(const bloom *b, const char *key, size_t size)
{
    bloom_probes(b, bloom_hash_key(b, key, size), probe);
    return probe;
}

/* ---- Lines, as the command reads them ------------------------------------ */

static size_t line_end(const char *text, size_t from, size_t size)
{
    while (from < size && text[from] != '\n')
        from++;
    return from;
}

double EXPORT(count_lines)(const char *text, size_t size)
{
    double count = 0;
    size_t at;
    for (at = 0; at < size; at = line_end(text, at, size) + 1)
        count++;
    return count;
}

static bool ask_line(const bloom *b, const char *line, size_t size)
{
    return b ? bloom_may_contain(b, line, size)
             : bloom_chain_may_contain(chain, line, size);
}

static bool add_line(bloom *b, const char *line, size_t size)
{
    return b ? bloom_add(b, line, size) : bloom_chain_add(chain, line, size);
}

/* If maybe is NULL, adds the lines; else looks them up and writes one answer
   per line to maybe[]. If b is NULL, uses the chain instead. */
void EXPORT(lines)(bloom *b, const char *text, size_t size, bool *maybe)
{
    size_t at = 0;
    while (at < size) {
        size_t end = line_end(text, at, size);
        if (maybe)
            *maybe++ = ask_line(b, text + at, end - at);
        else
            add_line(b, text + at, end - at);
        at = end + 1;
    }
}

/* ---- Numbers as keys ----------------------------------------------------- */

void EXPORT(add_range)(bloom *b, double from, double count)
{
    uint64_t key = (uint64_t)from;
    for (; count > 0; count--)
        bloom_add_u64(b, key++);
}

double EXPORT(ask_range)(const bloom *b, double from, double count)
{
    uint64_t key = (uint64_t)from;
    double maybes = 0;
    for (; count > 0; count--)
        maybes += bloom_may_contain_u64(b, key++);
    return maybes;
}

static uint64_t mixed(uint64_t z)       /* splitmix64 */
{
    z += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

/* Random whole numbers below 2^53, which JavaScript represents exactly */
void EXPORT(random_keys)(double *to, double from, double count)
{
    uint64_t i = (uint64_t)from;
    for (; count > 0; count--)
        *to++ = (double)(mixed(i++) >> 11);
}

/* Adds `count` such keys, or looks them up, up to 1024 per call. Returns how
   many were new, or how many may be in. */
double EXPORT(keys)(bloom *b, const double *key, double count, int asking)
{
    uint64_t some[1024];
    double yes = 0;
    while (count > 0) {
        size_t i, n = count < 1024 ? (size_t)count : 1024;
        for (i = 0; i < n; i++)
            some[i] = (uint64_t)*key++;
        yes += (double)(asking ? bloom_may_contain_many_u64(b, some, n, NULL)
                               : bloom_add_many_u64(b, some, n, NULL));
        count -= (double)n;
    }
    return yes;
}

/* ---- Part 3: other rules for the step ------------------------------------
   GUAVA: cell i is (h1 + i h2) mod m, with the sum cut to 63 bits. CONSTANT:
   the walk of bloom.h, but with a constant step. SCRAMBLED: bloom.h itself.
   INDEPENDENT: k random cells. All but SCRAMBLED use a plain array of cells. */

enum { GUAVA, CONSTANT, SCRAMBLED, INDEPENDENT };
enum { MOST_CELLS = 32768 };

static uint64_t state;

static uint64_t random64(void) { return mixed(state++); }

static unsigned next_cell(bloom_hash *h, int rule)
{
    uint64_t x = h->h1, m = plan.cells;
    h->h1 = rule == INDEPENDENT ? random64() : x + h->h2;
    return (unsigned)(rule == GUAVA ? (x & INT64_MAX) % m
        : ((x >> 32) * m + ((x & UINT32_MAX) * m >> 32)) >> 32);
}

static bool walk(unsigned char *cell, bloom_hash h, int rule, bool set)
{
    unsigned k = plan.hashes;
    bool all = true;
    while (k-- > 0 && (set || all)) {
        unsigned char *at = cell + next_cell(&h, rule);
        all = all && *at;
        if (set)
            *at = 1;
    }
    return all;
}

static bloom_hash random_hash(void)
{
    bloom_hash h;
    h.h1 = random64();
    h.h2 = random64();
    return h;
}

/* Adds n random keys to one filter of the plan and looks up `count` others.
   Returns the number of false positives; `trial` selects the random keys. */
double EXPORT(trial)(int rule, double n, double count, double trial)
{
    static unsigned char cell[MOST_CELLS];
    size_t marked = used;
    double maybes = 0;
    bloom *b = bloom_create(plan);
    if (!b || plan.cells > MOST_CELLS)
        return -1;
    __builtin_memset(cell, 0, MOST_CELLS);
    state = (uint64_t)trial << 32;
    for (; n > 0; n--)
        if (rule == SCRAMBLED)
            bloom_add_hash(b, random_hash());
        else
            walk(cell, random_hash(), rule, true);
    for (; count > 0; count--)
        maybes += rule == SCRAMBLED ? bloom_may_contain_hash(b, random_hash())
                                    : walk(cell, random_hash(), rule, false);
    used = marked;
    return maybes;
}

/* The cells of random key number i, with a step of `step` (0 to 1) of the way
   around the filter */
const uint64_t *EXPORT(stepped)(int rule, double i, double step)
{
    size_t marked = used;
    bloom *b = bloom_create(plan);
    bloom_hash h;
    unsigned j;
    h.h1 = mixed((uint64_t)i);
    h.h2 = (uint64_t)(step * 9007199254740992.0) << 11 | 1;
    if (!b || rule == SCRAMBLED)
        bloom_probes(b, h, probe);
    else
        for (j = 0; j < plan.hashes; j++)
            probe[j] = next_cell(&h, rule);
    used = marked;
    return probe;
}
