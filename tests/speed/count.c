/* The calls of bloom.h, each on KEYS keys, for `make count`: callgrind counts
   the instructions and the mispredicted branches between two requests, and
   count.sh compares them with those of the last version of bloom.h, for which
   it compiles this file, too. So a new call needs an #if of BLOOM_VERSION in
   these files, until the next version. Each dump has the name of a
   row. The loops are those of ours.c and dropped.c.

   Filters of 10^4 keys lie in the caches. Calls for many keys have other code
   in filters of 2^22 and of 2^25 cells. Half of those cells are set at random,
   which takes less time than adding so many keys. */

#define BLOOM_STATIC
#include "bloom.h"
#include "examples/companions/bloom_chain.h"
#include "examples/companions/bloom_slices.h"
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

enum { KEYS = 10000, TEXT = 64, FILTERS = 1000, GROUP = 100 };

struct run run;
static const char *row = "";            /* the kind of keys */
static uint64_t integers[2][KEYS];      /* added keys, and absent ones */
static bloom_hash hashes[2][KEYS];
static bloom_key strings[2][KEYS];
static unsigned char text[2][KEYS][TEXT];

static void die(const char *why)
{
    fprintf(stderr, "bloom: count: %s\n", why);
    exit(2);
}

static void make_keys(const bloom *b)
{
    size_t set, i, at;
    for (set = 0; set < 2; set++)
        for (i = 0; i < KEYS; i++) {
            uint64_t key = hash_of(set << 40 | i);
            integers[set][i] = key;
            hashes[set][i] = bloom_hash_u64(b, key);
            strings[set][i].data = text[set][i];
            for (at = 0; at < TEXT; at++)
                text[set][i][at] = (unsigned char)(key >> at % 8 * 8 & 255);
        }
}

/* The sizes of strings. If they vary, a branch on the size is mispredicted. */
static unsigned least_size, most_size;

static keys keys_of(size_t set)
{
    keys k = { NULL, NULL, NULL, NULL, KEYS };
    size_t i;
    k.u64 = integers[set];
    k.hashes = hashes[set];
    k.strings = strings[set];
    for (i = 0; i < KEYS; i++)
        strings[set][i].size = least_size + (size_t)(integers[set][i] >> 48)
                                            % (most_size - least_size + 1);
    return k;
}

/* Counts a loop, and checks that it says yes as often as it must */
static void count(const contender *c, const char *what, loop *does, keys k,
                  uint64_t least, uint64_t most)
{
    char name[200];
    uint64_t yes;
    snprintf(name, sizeof name, "%s, %s, %s, %s", c->name, row, what,
             c->how == MANY ? "many" : "one");
    CALLGRIND_ZERO_STATS;
    yes = does(c->filter, k);
    CALLGRIND_DUMP_STATS_AT(name);
    if (yes < least || yes > most)
        die(name);
}

/* ours.c enters each filter twice: with one key per call, and with many */
void enter(contender c)
{
    keys added = keys_of(0), absent = keys_of(1);
    if (!c.filter)
        die("out of memory");
    if (c.clear)
        c.clear(c.filter);
    count(&c, "add", c.add, added, KEYS / 2, KEYS);
    count(&c, "absent", c.ask, absent, 0, KEYS / 10);
    count(&c, "present", c.ask, added, KEYS, KEYS);
}

static void filter_of(const char *name, bloom_plan plan)
{
    static const struct { const char *name; int kind; unsigned least, most; }
        of[] = { { "integers", U64, 0, 0 }, { "hashes", HASHED, 0, 0 },
                 { "20 bytes", STRINGS, 20, 20 } };
    bloom *b = bloom_create(plan);
    size_t i;
    for (i = 0; i < sizeof of / sizeof *of; i++) {
        row = of[i].name;
        run.kind = of[i].kind;
        least_size = of[i].least;
        most_size = of[i].most;
        enter_ours(name, b, clear_ours);
    }
    bloom_free(b);
}

LOOP(hash_ask, const bloom,
     bloom_hash_key(f, k.strings[i].data, k.strings[i].size).h1 & 1)

/* bloom_hash_key alone, of text of each usual size, and of sizes that vary */
static void hashes_of(bloom_plan plan)
{
    static const unsigned sizes[][2] = { { 6, 6 }, { 12, 12 }, { 16, 16 },
        { 20, 20 }, { 40, 40 }, { 64, 64 }, { 1, 14 }, { 8, 31 }, { 0, 63 } };
    contender c = { "bloom_hash_key", SINGLE, NOTHING, NULL, 0, NULL, NULL,
                    hash_ask };
    char name[20];
    size_t i;
    c.filter = bloom_create(plan);
    row = name;
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        least_size = sizes[i][0];
        most_size = sizes[i][1];
        snprintf(name, sizeof name, "%u to %u bytes", least_size, most_size);
        count(&c, "hash", c.ask, keys_of(0), KEYS / 3, KEYS - KEYS / 3);
    }
    bloom_free(c.filter);
}

static void dropped_of(const char *name, bloom_plan plan)
{
    contender c = { name, SINGLE, NOTHING, NULL, 0, NULL, add_dropped, NULL };
    c.filter = bloom_create(plan);
    row = "integers, result dropped";
    count(&c, "add", c.add, keys_of(0), KEYS, KEYS);
    bloom_free(c.filter);
}

static void half_full(void *filter)
{
    unsigned char *cells = (unsigned char *)filter + BLOOM_HEADER_SIZE;
    size_t i, words = bloom_size(filter) / 8 - 4;
    for (i = 0; i < words; i++, cells += 8) {
        uint64_t word = hash_of(i);
        memcpy(cells, &word, 8);
    }
}

/* A full filter of that many cells; its name has its size in memory */
static void large_of(const char *name, bloom_plan plan, uint64_t cells)
{
    bloom *b;
    plan.cells = cells;
    b = bloom_create(plan);
    row = "integers";
    run.kind = U64;
    enter_ours(name, b, half_full);
    bloom_free(b);
}

/* ---- Companions ---------------------------------------------------------- */

LOOP(chain_add, bloom_chain, bloom_chain_add_u64(f, k.u64[i]))
LOOP(chain_ask, const bloom_chain, bloom_chain_may_contain_u64(f, k.u64[i]))
SLICES(chain_adds, bloom_chain, bloom_chain_add_many_u64(f, k.u64 + i, count,
                                                         NULL))
SLICES(chain_asks, const bloom_chain,
       bloom_chain_may_contain_many_u64(f, k.u64 + i, count, NULL))

/* A chain that has grown to several links: new for each way to call it */
static void chains(const char *name, bloom_layout layout)
{
    contender c = { name, SINGLE, RIGHT, NULL, 0, NULL, chain_add, chain_ask };
    row = "integers";
    for (; c.how <= MANY; c.how++, c.add = chain_adds, c.ask = chain_asks) {
        c.filter = bloom_chain_new(KEYS / 20, 0.01, layout);
        enter(c);
        bloom_chain_free(c.filter);
    }
}

static uint64_t who[FILTERS / 64 + 1];
static uint32_t hits[FILTERS];
LOOP(slices_add, bloom_slices, bloom_slices_add_u64(f, i % FILTERS, k.u64[i]))
LOOP(slices_ask, const bloom_slices,
     bloom_slices_find_u64(f, k.u64[i], who) > 0)

static uint64_t slices_count(void *filter, keys k)
{
    size_t i;
    for (i = 0; i < k.count; i += GROUP)
        bloom_slices_count(filter, k.hashes + i, GROUP, hits);
    return k.count;
}

/* A thousand filters of ten keys */
static void slices(void)
{
    contender c = { "slices", SINGLE, RIGHT, NULL, 0, NULL, slices_add,
                    slices_ask };
    c.filter = bloom_slices_new(KEYS / FILTERS, 0.00001, FILTERS);
    row = "integers";
    enter(c);
    row = "hashes";
    count(&c, "count", slices_count, keys_of(0), 0, KEYS);
    bloom_slices_free(c.filter);
}

int main(void)
{
    bloom_plan classic = bloom_plan_for(KEYS, 0.01);
    bloom_plan blocked = bloom_plan_layout(KEYS, 0.01, BLOOM_BLOCKED);
    bloom *b = bloom_create(classic);
    if (!b)
        die("out of memory");
    make_keys(b);
    bloom_free(b);
    filter_of("classic", classic);
    filter_of("blocked", blocked);
    filter_of("several blocks", bloom_plan_layout(KEYS, 1e-6, BLOOM_BLOCKED));
    filter_of("counting", bloom_plan_layout(KEYS, 0.01, BLOOM_COUNTING));
    hashes_of(classic);
    dropped_of("classic", classic);
    dropped_of("blocked", blocked);
    large_of("classic, 1/2 MB", classic, 1 << 22);
    large_of("classic, 4 MB", classic, 1 << 25);
    large_of("blocked, 4 MB", blocked, 1 << 25);
    chains("chain, classic", BLOOM_CLASSIC);
    chains("chain, blocked", BLOOM_BLOCKED);
    slices();
    return 0;
}
