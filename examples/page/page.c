/* bloom.h for the browser page: the functions that its JavaScript calls. `make
   page` compiles this file to WebAssembly, without a libc, into index.html.
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

/* The smallest blocked filter with k probes per key whose rate with n keys is
   at most p, by bisection of the number of blocks. If it would not fit into the
   memory of WebAssembly, the plan is impossible. */
static bloom_plan blocked_with(uint64_t n, double p, unsigned k)
{
    uint64_t low = 0, high = (uint64_t)SIZE_MAX / 32 + 1;
    bloom_plan found = bloom_plan_layout(n, p, BLOOM_BLOCKED);
    found.hashes = (uint8_t)k;
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        found.cells = 256 * middle;
        if (bloom_plan_fpr(found, n) <= p)
            high = middle;
        else
            low = middle;
    }
    found.cells = 256 * high;
    return found;
}

/* k = 0 chooses the best k, or for a blocked filter the planned one. */
void EXPORT(plan_for)(double n, double p, int layout, unsigned k)
{
    const uint64_t keys = (uint64_t)n;
    plan = k == 0 ? bloom_plan_layout(keys, p, (bloom_layout)layout)
         : layout == BLOOM_BLOCKED ? blocked_with(keys, p, k)
         : bloom_plan_hashes(keys, p, k);
    plan.layout = (uint8_t)layout;
}

/* The plan of at most `bytes` bytes that holds the most keys at the rate p */
void EXPORT(plan_fit)(double bytes, double p, int layout)
{
    plan = bloom_plan_fit(bytes > 0 && bytes <= SIZE_MAX ? (size_t)bytes : 0, p,
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

double EXPORT(cells)(void) { return (double)plan.cells; }
int EXPORT(hashes)(void) { return plan.hashes; }
int EXPORT(layout)(void) { return plan.layout; }
double EXPORT(bytes)(void) { return (double)bloom_plan_size(plan); }
double EXPORT(rate)(double n) { return bloom_plan_fpr(plan, (uint64_t)n); }

double EXPORT(capacity)(double p)
{
    return (double)bloom_plan_capacity(plan, p);
}

/* ---- A filter ------------------------------------------------------------ */

bloom *EXPORT(create)(void) { return bloom_create(plan); }
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

const bloom *EXPORT(link)(unsigned i) { return bloom_chain_link(chain, i); }
double EXPORT(chain_fpr)(void) { return bloom_chain_fpr(chain); }
int EXPORT(chain_ask)(const char *key, size_t size)
{
    return bloom_chain_may_contain(chain, key, size);
}

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
