/* Run by `make bench`: what bloom.h costs a key, beside libbloom (Debian's
   shared library, given the same keys) and beside what the machine needs to
   touch one random cache line in as much memory.

   usage: bench [-r ROUNDS] [-s] u64|strings RATE N
     -r   rounds, 5 unless said
     -s   a sweep's point: just what the chart shows
   Prints lines of KEYS, N, RATE, CONTENDER, WHAT, VALUE, with tabs between:
   ns a key to add, and to look up absent, present and mixed keys; of each
   filter bits/key, its measured rate, and the most that this may be.
   Each round runs every contender once, so drift hits all alike; the median
   of the rounds counts. A timing takes 20 ms or more of CPU time, of as many
   passes as that needs; clearing and page faults are not in it. Every answer
   is counted and checked. Exits with 1 if one was wrong. */

#define _POSIX_C_SOURCE 200809L
#include "loops.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t n;                           /* what this run is about */
static double p;
static int kind;
static bloom *image[FILTERS];                /* THEIRS: NULL */
static volatile uint64_t sink;               /* so every loop has a reader */
static bool wrong;                           /* an answer was */

static void die(const char *what, const char *why)
{
    fprintf(stderr, "bloom: %s: %s\n", what, why);
    exit(2);
}

static void *memory(size_t size)
{
    void *block = malloc(size);
    if (!block)
        die("bench", "out of memory");
    return memset(block, 0, size);           /* pages are there from here on */
}

static void load_libbloom(void)
{
    void *library = dlopen("libbloom.so", RTLD_NOW);
    if (!library)
        die("libbloom.so", "not found: apt-get install libbloom-dev");
    *(void **)&their_init = dlsym(library, "bloom_init");
    *(void **)&their_add = dlsym(library, "bloom_add");
    *(void **)&their_check = dlsym(library, "bloom_check");
    *(void **)&their_reset = dlsym(library, "bloom_reset");
    if (!their_init || !their_add || !their_check || !their_reset)
        die("libbloom.so", "a function is missing");
}

static void make_filters(void)
{
    image[CLASSIC] = bloom_create(bloom_plan_for(n, p));
    image[BLOCKED] = bloom_create(bloom_plan_layout(n, p, BLOOM_BLOCKED));
    if (!image[CLASSIC] || !image[BLOCKED]
        || their_init(&theirs, (int)n, p) != 0)
        die("bench", "a filter cannot be made");
}

static void clear(int filter)
{
    if (filter == THEIRS)
        their_reset(&theirs);
    else
        bloom_clear(image[filter]);
}

/* ---- Keys ----------------------------------------------------------------
   Key number id is a function of id, so that nothing is kept: 0..n-1 are in,
   from 2^40 on none is. Lookups ask many more keys than a small filter has,
   in an order that no branch predictor learns. */

#define FAR ((uint64_t)1 << 40)
#define FEWEST 131072U                  /* lookups in a pass, at least */
#define MOST 4000000U                   /* and at most: more than L3 holds */
#define CHUNK 1000000U                  /* keys made, then added, at a time */

static keys pool[OPERATIONS];
static char *arena[OPERATIONS];         /* where the strings of a pool lie */

static uint64_t mixed(uint64_t z)       /* splitmix64 */
{
    z += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

static uint64_t id_of(int operation, uint64_t i)
{
    uint64_t random = mixed(i * 2 + 1);
    if (operation == MIX)
        operation = mixed(random) >> 63 ? PRESENT : ABSENT;
    return operation == ADD ? i : operation == ABSENT ? FAR + i : random % n;
}

/* 20..60 printable characters; returns where the next string may begin. */
static char *write_string(bloom_key *key, char *to, uint64_t id)
{
    uint64_t random = mixed(~id);
    size_t i, size = 20 + random % 41;
    key->data = to;
    key->size = size;
    for (i = 0; i < size; i++) {
        random = i % 8 ? random >> 8 : mixed(random + i);
        to[i] = (char)(' ' + ((random & 255) * 95 >> 8));
    }
    return to + size;
}

/* The pool of an operation becomes keys number from, from + 1, ... of it. */
static void make_keys(int operation, uint64_t from, size_t count)
{
    keys *k = pool + operation;
    char *end = arena[operation];
    size_t i;
    for (i = 0; i < count; i++) {
        uint64_t id = id_of(operation, from + i);
        k->u64[i] = mixed(id);
        if (kind == U64) {
            k->hashes[i] = bloom_hash_u64(image[CLASSIC], k->u64[i]);
        } else {
            end = write_string(k->strings + i, end, id);
            k->hashes[i] = bloom_hash_key(image[CLASSIC], k->strings[i].data,
                                          k->strings[i].size);
        }
    }
}

static keys part_of(int operation, size_t from, size_t count)
{
    keys part = pool[operation];
    part.u64 += from;
    part.strings += from;
    part.hashes += from;
    part.count = count;
    return part;
}

/* Few keys are added set by set, so that no pass repeats the last one. */
static size_t sets(void)
{
    return n < FEWEST ? FEWEST / (size_t)n : 1;
}

static size_t at_most(uint64_t count, size_t most)
{
    return count < most ? (size_t)count : most;
}

static void make_pools(void)
{
    size_t asked = n < FEWEST ? FEWEST : at_most(n, MOST), i;
    for (i = 0; i < OPERATIONS; i++) {
        keys *k = pool + i;
        size_t text = kind == STRINGS ? 1 : 0;
        k->count = i == ADD ? sets() * at_most(n, CHUNK) : asked;
        k->u64 = memory(k->count * sizeof *k->u64);
        k->hashes = memory(k->count * sizeof *k->hashes);
        k->strings = memory(k->count * sizeof *k->strings * text + 1);
        k->maybe = memory(k->count * sizeof *k->maybe);
        arena[i] = memory(k->count * 60 * text + 1);
        make_keys((int)i, 0, k->count);
    }
}

/* ---- Timing -------------------------------------------------------------- */

#define LEAST 0.020                     /* seconds */

static double seconds(void)              /* of CPU time: others may run too */
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double clock_cost;                /* between two looks: the least */

static void time_clock(void)
{
    int i;
    clock_cost = 1;
    for (i = 0; i < 1000; i++) {
        double start = seconds(), spent = seconds() - start;
        clock_cost = spent < clock_cost ? spent : clock_cost;
    }
}

/* No key that is in is denied; and in one setting all contenders on the same
   filter give the same answers to the same keys. */
static uint64_t first_count[FILTERS][OPERATIONS];

static void check(int c, int operation, uint64_t yes, uint64_t count)
{
    static bool told[CONTENDERS][OPERATIONS];
    uint64_t *first = &first_count[contenders[c].filter][operation];
    sink += yes;
    if (c >= FLOOR)
        return;
    if (*first == UINT64_MAX)
        *first = yes;
    if (yes != *first || (operation == PRESENT && yes != count)
        || (operation == MIX && yes < count / 3)
        || (operation == ADD && (double)yes < (1 - 2 * p) * (double)count)) {
        if (!told[c][operation])
            fprintf(stderr, "bloom: %s: %s: %.0f of %.0f answers are true,"
                    " at first %.0f\n", contenders[c].name,
                    operation_name[operation], (double)yes, (double)count,
                    (double)*first);
        told[c][operation] = wrong = true;
    }
}

static double time_part(int c, keys part, uint64_t *yes)
{
    double start = seconds();
    *yes += contenders[c].of[kind].add(image[contenders[c].filter], part);
    return seconds() - start - clock_cost;
}

/* Adds the n keys from `from` on, in chunks; seconds without making them. */
static double add_all(int c, uint64_t from, bool made)
{
    double spent = 0;
    uint64_t yes = 0, done;
    size_t count;
    clear(contenders[c].filter);
    for (done = 0; done < n; done += count) {
        count = at_most(n - done, CHUNK);
        if (!made)
            make_keys(ADD, from + done, count);
        spent += time_part(c, part_of(ADD, made ? (size_t)from : 0, count),
                           &yes);
    }
    if (from == 0)
        check(c, ADD, yes, n);
    return spent;
}

static double time_add(int c)
{
    double spent = 0;
    uint64_t passes = 0;
    do
        spent += add_all(c, passes++ % sets() * n, true);
    while (spent < LEAST);
    return spent * 1e9 / (double)(passes * n);
}

static double time_ask(int c, int operation)
{
    loop *ask = contenders[c].of[kind].ask;
    bloom *b = image[contenders[c].filter];
    keys all = pool[operation];
    double start = seconds(), spent;
    uint64_t passes = 0;
    do {
        check(c, operation, ask(b, all), all.count);
        passes++;
        spent = seconds() - start;
    } while (spent < LEAST);
    return spent * 1e9 / (double)(passes * all.count);
}

/* Who fills a filter, and whose name stands for it */
static const int filler[FILTERS] = { C_MANY, B_MANY, LIBBLOOM };
static const int single[FILTERS] = { C, B, LIBBLOOM };

static void print(const char *name, const char *what, double value)
{
    printf("%s\t%.0f\t%g\t%s\t%s\t%.6g\n", kind == U64 ? "u64" : "strings",
           (double)n, p, name, what, value);
}

/* The share of 4 million absent keys that each filter lets through. A small
   filter is filled with new keys again and again, as by chance some let more
   through than others: split blocks of n keys within a sigma of 5 / sqrt(n),
   as measured. What it may be is p and four sigma of all that. */
static void print_rates(void)
{
    size_t asked = pool[ABSENT].count;
    uint64_t trials = n <= CHUNK ? (MOST + asked - 1) / asked : 1, t;
    double total = (double)(trials * asked);
    double sigma = sqrt(1 / (p * total) + 25 / (double)(trials * n));
    uint64_t maybes[FILTERS] = { 0, 0, 0 };
    int f;
    for (t = 0; t < trials; t++) {
        make_keys(ABSENT, t * asked, asked);
        for (f = 0; f < FILTERS; f++) {
            if (t > 0)
                add_all(filler[f], t * n, false);
            maybes[f] += contenders[filler[f]].of[kind].ask(image[f],
                part_of(ABSENT, 0, asked));
        }
    }
    for (f = 0; f < FILTERS; f++) {
        const char *name = contenders[single[f]].name;
        double bytes = f == THEIRS ? theirs.bytes
                                   : (double)bloom_size(image[f]);
        print(name, "bits/key", 8 * bytes / (double)n);
        print(name, "rate", (double)maybes[f] / total);
        print(name, "rate allowed", p * (1 + 4 * sigma));
    }
}

/* ---- Rounds -------------------------------------------------------------- */

#define MOST_ROUNDS 99

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double sample[CONTENDERS][OPERATIONS][MOST_ROUNDS];     /* ns a key */

static void time_all(int operation, int round, bool sweep)
{
    int c;
    for (c = 0; c < CONTENDERS; c++)
        if (contenders[c].of[kind].ask && (contenders[c].in_chart || !sweep))
            sample[c][operation][round] = operation == ADD
                ? time_add(c) : time_ask(c, operation);
}

/* Beyond CHUNK keys a filter is filled but once a round: its contenders take
   turns, each with a hundredth of the keys, or a little more. */
static void add_by_turns(int f, int round)
{
    double spent[CONTENDERS] = { 0 };
    double added[CONTENDERS] = { 0 };
    uint64_t yes = 0, ignored = 0, done = 0;
    int c = 0;
    for (clear(f); done < n; c = (c + 1) % CONTENDERS) {
        size_t count = at_most(n - done, at_most(n / 100 + 1, CHUNK));
        if (contenders[c].filter != f || !contenders[c].of[kind].add)
            continue;
        make_keys(ADD, done, count);
        spent[c] += time_part(c, part_of(ADD, 0, count),
                              c < FLOOR ? &yes : &ignored);
        added[c] += (double)count;
        if (c < FLOOR)
            done += count;
    }
    check(filler[f], ADD, yes, n);
    for (c = 0; c < CONTENDERS; c++)
        if (added[c] > 0)
            sample[c][ADD][round] = spent[c] * 1e9 / added[c];
}

/* All adds, then all lookups, in filters with the first n keys */
static void run_round(int round, bool sweep)
{
    int f, operation;
    if (!sweep && n <= CHUNK)
        time_all(ADD, round, sweep);
    for (f = 0; f < FILTERS; f++)
        if (!sweep && n > CHUNK)
            add_by_turns(f, round);
        else if (!sweep || round == 0)
            add_all(filler[f], 0, n <= CHUNK);
    for (operation = ABSENT; operation < (sweep ? MIX : OPERATIONS);
         operation++)
        time_all(operation, round, sweep);
}

static void print_medians(int rounds)
{
    int c, operation;
    for (c = 0; c < CONTENDERS; c++)
        for (operation = ADD; operation < OPERATIONS; operation++) {
            double *ns = sample[c][operation];
            qsort(ns, (size_t)rounds, sizeof *ns, ascending);
            if (ns[0] > 0)
                print(contenders[c].name, operation_name[operation],
                      ns[rounds / 2]);
        }
}

static double number(const char *word)
{
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end)
        die(word, "not a number");
    return value;
}

static void usage(void)
{
    fputs("usage: bench [-r ROUNDS] [-s] u64|strings RATE N\n", stderr);
    exit(2);
}

int main(int count, char **words)
{
    int option, rounds = 5, round;
    bool sweep = false;
    double wanted;
    while ((option = getopt(count, words, "r:s")) != -1)
        if (option == 's')
            sweep = true;
        else if (option == 'r')
            rounds = (int)fmin(number(optarg), 1000);
        else
            usage();
    if (count - optind != 3 || rounds < 1 || rounds > MOST_ROUNDS)
        usage();
    kind = strcmp(words[optind], "strings") == 0 ? STRINGS : U64;
    if (kind == U64 && strcmp(words[optind], "u64") != 0)
        usage();
    p = number(words[optind + 1]);
    wanted = number(words[optind + 2]);
    if (!(wanted >= 1000 && wanted <= 1.4e8))
        die(words[optind + 2], "not 1000..1.4e8, as libbloom can hold");
    n = (uint64_t)wanted;
    load_libbloom();
    make_filters();
    make_pools();
    time_clock();
    memset(first_count, 255, sizeof first_count);
    for (round = 0; round < rounds; round++)
        run_round(round, sweep);
    print_medians(rounds);
    if (!sweep)
        print_rates();
    return wrong;
}
