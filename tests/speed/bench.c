/* Measures the time to add and to look up a key in the filters of all
   contenders (`make bench`). They take turns on the same keys in one run, so
   that their ratios are reliable even on a busy machine.

   usage: bench u64|hashed|strings RATE N ROUNDS

   It prints lines of KEYS, N, RATE, CONTENDER, HOW, WHAT and VALUE, separated
   by tabs. WHAT is one of these:
     add, absent, present, mixed   ns per key; the least of all samples of 10^5
                                   keys; mixed: half absent, half present
     bits                          per key
     rate                          the measured false-positive rate, the mean
                                   of the rounds
   Filters of more than 10^7 keys are filled in the first round only.

   No lookup is repeated: absent keys are all different, present ones are drawn
   at random, and each round has its own. If a benchmark looks up the same 10^4
   keys again, the CPU's branch predictor learns the answers, and code that
   stops at the first unset bit seems five times as fast as it is. All answers
   are counted and checked. The exit status is 1 if one is wrong. */

#define _POSIX_C_SOURCE 200809L
#define BLOOM_STATIC
#include "bloom.h"
#include "bench.h"
#include "tests/random.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef ENTER                           /* run.sh defines it by its PARTS */
#define ENTER ours_enter();
#endif

static double now(void)                 /* ns */
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

enum { ADD, ABSENT, PRESENT, MIXED, OPERATIONS };
enum { MOST = 64 };                     /* contenders */
#define SAMPLE ((size_t)100000)         /* keys that are timed together */
#define POOL (9 * SAMPLE)               /* lookups in a pass */
#define ADDED (5 * SAMPLE)              /* least adds per contender and round */
#define CHUNK ((uint64_t)10000)         /* least keys that are added in turn */
#define CHECKED 1000000                 /* up to this n all bits are compared */
#define REFILLED 10000000               /* up to this n, each round refills */

struct run run;
static contender all[MOST];
static double ns[MOST][OPERATIONS], maybes[MOST];
static int contenders;
static bool wrong;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "bloom: %s: %s\n", what, why);
    exit(2);
}

void enter(contender c)
{
    if (contenders == MOST)
        die(c.name, "too many contenders");
    if (!c.filter)
        die(c.name, "cannot make a filter");
    all[contenders++] = c;
}

/* ---- Keys: functions of their number, so that none is stored ------------- */

static struct { uint64_t *u64; bloom_hash *hashes; bloom_key *strings;
                char *text; } pool;

static void make_pool(void)
{
    pool.u64 = malloc(POOL * sizeof *pool.u64);
    pool.hashes = malloc(POOL * sizeof *pool.hashes);
    pool.strings = malloc(POOL * sizeof *pool.strings);
    pool.text = malloc(POOL * STRING);
    if (!pool.u64 || !pool.hashes || !pool.strings || !pool.text)
        die("bench", "out of memory");
}

static void make_key(size_t i, uint64_t number)
{
    uint64_t key = random_at(number), digits = key;
    char *text = pool.text + i * STRING;
    int at;
    pool.u64[i] = key;
    if (run.kind == HASHED)
        pool.hashes[i] = bloom_hash_u64(ours[0], key);
    if (run.kind != STRINGS)
        return;
    for (at = STRING; at-- > 0; digits /= 64)   /* 6 bytes: 2^36 keys */
        text[at] = (char)('0' + digits % 64);
    pool.strings[i].data = text;
    pool.strings[i].size = STRING;
}

/* The number of the first key that is added in this round */
static uint64_t first_of(int round)
{
    return run.n <= REFILLED ? (uint64_t)round << 48 : 0;
}

/* Fills the pool with keys to look up: added keys at random, or keys that are
   never added. A round has up to MOST sets of these, which are all
   different. */
static void make_queries(int operation, int round, int set)
{
    uint64_t far = (uint64_t)1 << 63 | (uint64_t)round << 48
                   | (uint64_t)set << 40;
    size_t i;
    for (i = 0; i < POOL; i++) {
        uint64_t random = random_at(~(far | i));
        bool in = operation == PRESENT
                  || (operation == MIXED && random_at(random) >> 63);
        make_key(i, in ? first_of(round) + random % run.n : far | i);
    }
}

static keys pool_of(size_t from, size_t count)
{
    keys k;
    k.u64 = pool.u64 + from;
    k.hashes = pool.hashes + from;
    k.strings = pool.strings + from;
    k.text = pool.text + from * STRING;
    k.count = count;
    return k;
}

/* ---- Adding and looking up ----------------------------------------------- */

/* Adds up the time of keys. SAMPLE keys make a sample. The least of all samples
   is printed. */
typedef struct stopwatch { double spent, keys; } stopwatch;

static void stop(stopwatch *w, double start, size_t count, double *least)
{
    w->spent += now() - start;
    w->keys += (double)count;
    if (w->keys < SAMPLE)
        return;
    if (*least <= 0 || w->spent / w->keys < *least)
        *least = w->spent / w->keys;
    w->spent = w->keys = 0;
}

static void check(const contender *c, bool right, const char *what)
{
    if (!right)
        fprintf(stderr, "bloom: %s: wrong answers: %s\n", c->name, what);
    wrong |= !right;
}

/* Several contenders may share a filter and add to it in turn: the first of
   them, and the next one after c */
static int first_on(const void *filter)
{
    int c = 0;
    while (all[c].filter != filter || !all[c].add)
        c++;
    return c;
}

static int next_after(int c)
{
    const void *filter = all[c].filter;
    do
        c = (c + 1) % contenders;
    while (all[c].filter != filter || !all[c].add);
    return c;
}

/* Fills the filter of c with the keys from number `from` on. Its contenders
   take turns; if `alone`, c adds all, and is not timed. Returns how many keys
   were new. */
static uint64_t fill(int c, uint64_t from, bool alone)
{
    static stopwatch watch[MOST];
    uint64_t chunk = run.n / 101 + 1, done, new = 0;
    size_t count, i;
    chunk = chunk < CHUNK ? CHUNK : chunk > POOL ? POOL : chunk;
    all[c].clear(all[c].filter);
    for (done = 0; done < run.n; done += count) {
        double start;
        count = (size_t)(run.n - done < chunk ? run.n - done : chunk);
        for (i = 0; i < count; i++)
            make_key(i, from + done + i);
        start = now();
        new += all[c].add(all[c].filter, pool_of(0, count));
        if (alone)
            continue;
        stop(watch + c, start, count, &ns[c][ADD]);
        c = next_after(c);
    }
    return new;
}

/* Checks that one contender alone makes the same bits and as many new keys as
   all in turn did. */
static void check_bits(int c, uint64_t from, uint64_t new)
{
    bloom *b = all[c].filter, *was = bloom_copy(b);
    if (!was)
        die("bench", "out of memory");
    check(all + c, fill(c, from, true) == new, "other keys are new");
    check(all + c, memcmp(was, b, bloom_size(b)) == 0, "other bits");
    bloom_free(was);
}

/* Fills the filter, several times if it is small. Another contender begins each
   time. The keys of the last time are looked up later. */
static void add_round(int first, int round)
{
    uint64_t from = first_of(round), new, fills, sharing = 1;
    int c;
    for (c = next_after(first); c != first; c = next_after(c))
        sharing++;
    for (fills = ADDED * sharing / run.n + 1; fills-- > 0;) {
        new = fill(c, from + fills * run.n, false);
        if (all[c].check == EXACT && round == 0 && run.n <= CHECKED)
            check_bits(first, from + fills * run.n, new);
        c = next_after(c);
    }
}

/* Looks up the pool by one contender. Returns how many keys it finds. The first
   sample is not timed, as it fetches the filter into the caches. */
static uint64_t ask(int c, int operation)
{
    stopwatch watch = { 0, 0 };
    uint64_t yes = 0;
    size_t from;
    for (from = 0; from < POOL; from += SAMPLE) {
        double start = now();
        yes += all[c].ask(all[c].filter, pool_of(from, SAMPLE));
        if (from > 0)
            stop(&watch, start, SAMPLE, &ns[c][operation]);
    }
    return yes;
}

/* All contenders get the same lookups, and must give the same answers. If the
   filters are larger than the caches, each gets other lookups, as the memory
   that the last one read is in the caches. */
static void ask_round(int operation, int round)
{
    bool same = run.n <= REFILLED;
    uint64_t yes[MOST];
    int c;
    make_queries(operation, round, 0);
    for (c = 0; c < contenders; c++) {
        if (!all[c].ask)
            continue;
        if (!same)
            make_queries(operation, round, c);
        yes[c] = ask(c, operation);
        if (all[c].check == NOTHING)
            continue;
        if (operation == ABSENT)
            maybes[c] += (double)yes[c] / POOL;
        check(all + c, operation != ABSENT || run.n < 1000
                       || (double)yes[c] / POOL < 3 * run.p + 1e-5,
              "false-positive rate");
        check(all + c, operation != PRESENT || yes[c] == POOL, "a key is lost");
        check(all + c, !same || yes[c] == yes[first_on(all[c].filter)],
              "others on this filter found another number");
    }
}

/* ---- The run ------------------------------------------------------------- */

static const char *const kinds[KINDS] = { "u64", "hashed", "strings" };

static void print(const contender *c, const char *what, double value)
{
    if (value > 0)
        printf("%s\t%.0f\t%g\t%s\t%s\t%s\t%.4g\n", kinds[run.kind],
               (double)run.n, run.p, c->name,
               c->how == MANY ? "many" : "single", what, value);
}

static double number(const char *word, double low, double high)
{
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end || !(value >= low && value <= high))
        die(word, "not a number, or out of range");
    return value;
}

int main(int count, char **words)
{
    static const char *const what[] = { "add", "absent", "present", "mixed" };
    int rounds, round, c, i;
    if (count != 5)
        die("usage", "bench u64|hashed|strings RATE N ROUNDS");
    while (run.kind < KINDS && strcmp(words[1], kinds[run.kind]) != 0)
        run.kind++;
    if (run.kind == KINDS)
        die(words[1], "unknown kind of keys");
    run.p = number(words[2], 1e-12, 0.5);
    run.n = (uint64_t)number(words[3], 1, 1e11);
    rounds = (int)number(words[4], 1, 1000);
    make_pool();
    ENTER
    for (round = 0; round < rounds; round++) {
        for (c = 0; c < contenders && (round == 0 || run.n <= REFILLED); c++)
            if (all[c].add && first_on(all[c].filter) == c)
                add_round(c, round);
        for (i = ABSENT; i < OPERATIONS; i++)
            ask_round(i, round);
    }
    for (c = 0; c < contenders; c++) {
        for (i = 0; i < OPERATIONS; i++)
            print(all + c, what[i], ns[c][i]);
        print(all + c, "bits", 8 * all[c].bytes / (double)run.n);
        print(all + c, "rate", maybes[c] / rounds);
    }
    return wrong;
}
