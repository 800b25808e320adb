/* What the programs of `make promise` share: random numbers, means with their
   errors, a filter's rate from its cells, and how a broken promise is told. Each
   is one file that includes this. */

#define BLOOM_STATIC
#include "examples/companions/bloom_chain.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1024                 /* keys at once */

static uint64_t state;

static inline uint64_t random64(void)
{
    uint64_t z = state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

static double effort = 1;          /* lookups, as a multiple of the default */
static int broken;

static inline void promise(int kept, const char *what)
{
    if (!kept && broken < 100)          /* no more lines than help */
        printf("\n    BROKEN: %s\n", what);
    broken += !kept;
}

static inline void *need(void *memory)
{
    if (!memory) {
        fputs("bloom: promise: not enough memory\n", stderr);
        exit(2);
    }
    return memory;
}

/* ---- Means and their errors --------------------------------------------- */

typedef struct { double rate, sigma; } measure;

/* What was seen of each filter: its rate, and the variance that this one
   observation has by itself (from counting "maybe"s, say). */
typedef struct { double filters, sum, squares, own; } tally;

static inline void observe(tally *t, double rate, double own)
{
    t->filters++;
    t->sum += rate;
    t->squares += rate * rate;
    t->own += own;
}

/* The mean over the filters and its standard error: from how the filters
   differ, or from the observations' own errors if these are larger, as they
   are by luck where filters are few. */
static inline measure mean_of(tally t)
{
    measure m;
    double f = t.filters, among = 0;
    m.rate = t.sum / f;
    if (f > 1)
        among = (t.squares / f - m.rate * m.rate) / (f - 1);
    m.sigma = sqrt(fmax(among, t.own / (f * f)));
    return m;
}

/* ---- Keys, given to a filter or a chain ----------------------------------- */

enum { BYTES, INTEGERS };                           /* kinds of keys */

typedef struct { bloom *b; bloom_chain *c; } subject;    /* one of the two */

/* Adds, or asks for, `some` keys, at most BATCH: words as they are, or what is at
   `key`. Returns how many were "maybe" (or new). */
static inline double run_batch(subject s, const bloom_key *key,
                               const uint64_t *word, size_t some, int kind,
                               bool asking)
{
    if (s.c)
        return (double)(asking
        ? kind == BYTES ? bloom_chain_may_contain_many(s.c, key, some, NULL)
                        : bloom_chain_may_contain_many_u64(s.c, word, some, NULL)
        : kind == BYTES ? bloom_chain_add_many(s.c, key, some, NULL)
                        : bloom_chain_add_many_u64(s.c, word, some, NULL));
    return (double)(asking
        ? kind == BYTES ? bloom_may_contain_many(s.b, key, some, NULL)
                        : bloom_may_contain_many_u64(s.b, word, some, NULL)
        : kind == BYTES ? bloom_add_many(s.b, key, some, NULL)
                        : bloom_add_many_u64(s.b, word, some, NULL));
}

/* The same with so many random keys, of which no two are alike as long as
   `state` is left alone. */
static inline double run_keys(subject s, double count, int kind, bool asking)
{
    static uint64_t word[BATCH];
    static bloom_key key[BATCH];
    double total = 0;
    while (count > 0) {
        size_t i, some = count < BATCH ? (size_t)count : BATCH;
        for (i = 0; i < some; i++) {
            word[i] = random64();
            key[i].data = &word[i];
            key[i].size = 8;
        }
        count -= (double)some;
        total += run_batch(s, key, word, some, kind, asking);
    }
    return total;
}

/* ---- The rate from the cells ---------------------------------------------
   Where it is too low to be sampled: by this file's own reading of the image.
   Classic: the part of set cells, to the k-th power; its variance comes of that
   of the fill, zeros (1 - zeros (1 - ln zeros)) / m. Blocked: the mean over
   blocks of the product of its words' fills, to the power of a key's blocks; its
   variance is that among blocks, less what is in it of the sum of their loads,
   which is no chance: (d ln p / d ln n)^2 over that sum, relative to p^2.
   Then what the hash's width costs: see exact.c. */

static inline unsigned ones_of(unsigned byte, bool counters)
{
    unsigned ones = 0;
    if (counters)
        return (byte % 16 ? 1U : 0) + (byte / 16 ? 1U : 0);
    for (; byte; byte &= byte - 1)
        ones++;
    return ones;
}

static inline double of_the_sum(bloom_plan plan, double n)
{
    double more = bloom_plan_fpr(plan, (uint64_t)(1.01 * n));
    double less = bloom_plan_fpr(plan, (uint64_t)(0.99 * n));
    double slope = log(more / less) / log(1.01 / 0.99);
    return n < 1000 ? 0 : slope * slope / (n * plan.hashes / 8);
}

static inline void observe_cells(tally *t, const bloom *b, double n)
{
    const unsigned char *at = (const unsigned char *)(const void *)b;
    const unsigned char *end = at + bloom_size(b);
    bloom_plan plan = bloom_plan_of(b);
    double m = (double)plan.cells, k = plan.hashes, fill, rate, zeros;
    double set = 0, product = 1, sum = 0, squares = 0;
    unsigned ones[256], byte, in_word = 0;
    for (byte = 0; byte < 256; byte++)
        ones[byte] = ones_of(byte, plan.layout == BLOOM_COUNTING);
    for (at += 32; at < end; at++) {
        set += ones[*at];
        in_word += ones[*at];
        if (plan.layout != BLOOM_BLOCKED || (end - at) % 4 != 1)
            continue;
        product *= in_word / 32.0;
        in_word = 0;
        if ((end - at) % 32 == 1) {
            sum += product;
            squares += product * product;
            product = 1;
        }
    }
    if (plan.layout == BLOOM_BLOCKED) {
        double blocks = m / 256, mean = sum / blocks, each = k / 8;
        double own = (squares / blocks - mean * mean) / blocks / (mean * mean);
        own = own * each * each - of_the_sum(plan, n);
        mean += n * each / blocks / 4294967296.0;
        rate = pow(mean, each);
        observe(t, rate, own * rate * rate);
        return;
    }
    fill = set / m;
    rate = pow(fill, k);
    zeros = 1 - fill;
    observe(t, rate + (plan.hash_bits == 32 ? fill / 2147483648.0 : 0),
            rate * rate * k * k / (fill * fill) * zeros
            * (1 - zeros * (1 - log(zeros))) / m);
}

/* Of a chain: that one of its links says "maybe". */
static inline void observe_chain_cells(tally *t, const bloom_chain *c)
{
    double absent = 0, own = 0;
    unsigned i;
    for (i = 0; i < bloom_chain_links(c); i++) {
        const bloom *b = bloom_chain_link(c, i);
        tally link = { 0, 0, 0, 0 };
        observe_cells(&link, b, (double)bloom_estimate(b));
        absent += log1p(-link.sum);
        own += link.own;
    }
    observe(t, -expm1(absent), own);
}

/* Width 32: no rate is below about this. */
#define FLOOR_IN_32 (1 / 4294967296.0)

/* ---- Words ---------------------------------------------------------------- */

static bool is_option(const char *word)
{
    if (strcmp(word, "all") == 0)
        effort = 8;
    else if (strncmp(word, "seed=", 5) == 0)
        state = strtoull(word + 5, NULL, 0);
    else
        return false;
    return true;
}

static int say_what(const char *word)
{
    fprintf(stderr, "bloom: promise: what is %s?\n", word);
    return 2;
}

static int ending(void)
{
    printf(broken ? "%d promises broken\n" : "every promise kept\n", broken);
    return broken != 0;
}

/* The parts of a program that its arguments name, or all */
typedef struct { const char *name; void (*run)(void); } named_part;

static inline int run_parts(const named_part *parts, size_t count, int argc,
                            char **argv)
{
    bool wanted[16] = { false }, any = false;
    size_t j;
    int i;
    for (i = 1; i < argc; i++) {
        bool known = is_option(argv[i]);
        for (j = 0; j < count; j++)
            if (strcmp(argv[i], parts[j].name) == 0)
                known = any = wanted[j] = true;
        if (!known)
            return say_what(argv[i]);
    }
    for (j = 0; j < count; j++)
        if (wanted[j] || !any)
            parts[j].run();
    return ending();
}
