/* Shared by the programs of tests/rates/ (`make promise`): means with their
   errors, a filter's rate computed from its cells, and the report of broken
   promises. Each program is one file that includes this one. */

#define BLOOM_STATIC
#include "examples/companions/bloom_chain.h"
#include "examples/companions/bloom_window.h"
#include "../inside.h"
#include "../layouts.h"
#include "../random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1024                 /* keys per call */

static double effort = 1;          /* multiplies the number of lookups */
static bool brief;                 /* measures one point of eleven */
static int broken;

static inline void promise(int kept, const char *what)
{
    if (!kept && broken < 100)          /* more lines would not help */
        printf("\n    BROKEN: %s\n", what);
    broken += !kept;
}

/* Is this point left out? Eleven is a prime, so no column of a table is left out
   in all of its rows. */
static inline bool left_out(void)
{
    static unsigned points;
    return brief && points++ % 11 != 0;
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

/* Sums over the observed filters. `own` is the sum of the variances of the
   single observations, which come from counting false positives. */
typedef struct { double filters, sum, squares, own; } tally;

static inline void observe(tally *t, double rate, double own)
{
    t->filters++;
    t->sum += rate;
    t->squares += rate * rate;
    t->own += own;
}

/* The mean rate of the filters and its standard error. The error is computed
   from how the filters differ, or from the own errors of the observations,
   whichever is larger. With few filters, the first may be too small by
   chance. */
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

/* ---- Keys for a filter or a chain ---------------------------------------- */

enum { BYTES, INTEGERS };                           /* kinds of keys */

typedef struct { bloom *b; bloom_chain *c; bloom_window *w; } subject; /* one */

/* Adds `some` keys, or looks them up if `asking`; at most BATCH. INTEGERS are
   taken from word[], BYTES from key[]. Returns how many were new (or found). */
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
    if (s.w)
        return (double)(asking
        ? kind == BYTES ? bloom_window_may_contain_many(s.w, key, some, NULL)
                        : bloom_window_may_contain_many_u64(s.w, word, some, NULL)
        : kind == BYTES ? bloom_window_add_many(s.w, key, some, NULL)
                        : bloom_window_add_many_u64(s.w, word, some, NULL));
    return (double)(asking
        ? kind == BYTES ? bloom_may_contain_many(s.b, key, some, NULL)
                        : bloom_may_contain_many_u64(s.b, word, some, NULL)
        : kind == BYTES ? bloom_add_many(s.b, key, some, NULL)
                        : bloom_add_many_u64(s.b, word, some, NULL));
}

/* The same with `count` random keys. They are all different as long as nothing
   resets `random_state`. */
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
   Rates that are too low to be sampled are computed from the image, which this
   file reads by itself, without bloom_fpr.
   Classic and counting: the share of set cells (the fill) to the power of k.
   Its variance follows from that of the fill, zeros (1 - zeros (1 - ln zeros))
   / m, where zeros = 1 - fill.
   Blocked: the mean over the blocks of the product of a block's eight fills, to
   the power of the blocks per key. Its variance is the one among the blocks.
   From that is subtracted the part that belongs to the sum of all loads, as the
   sum is fixed: (d ln p / d ln n)^2 over that sum, relative to p^2.
   Last, the floor of the hash's width is added: see exact.c. */

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

/* The rate of a chain or a window: the chance that at least one link, or one
   generation, finds an absent key. */
static inline void observe_parts(tally *t, subject s)
{
    double absent = 0, own = 0;
    const bloom *b;
    unsigned i;
    for (i = 0; (b = s.c ? bloom_chain_link(s.c, i)
                         : bloom_window_generation(s.w, i)) != NULL; i++) {
        tally link = { 0, 0, 0, 0 };
        observe_cells(&link, b, (double)bloom_estimate(b));
        absent += log1p(-link.sum);
        own += link.own;
    }
    observe(t, -expm1(absent), own);
}

/* The floor of width 32: no rate is below about this. */
#define FLOOR_IN_32 (1 / 4294967296.0)

/* ---- Arguments ----------------------------------------------------------- */

static bool is_option(const char *word)
{
    if (strcmp(word, "all") == 0)
        effort = 8;
    else if (strcmp(word, "brief") == 0)
        brief = true;
    else if (strncmp(word, "seed=", 5) == 0)
        random_state = strtoull(word + 5, NULL, 0);
    else
        return false;
    return true;
}

static int say_what(const char *word)
{
    fprintf(stderr, "bloom: promise: bad argument: %s\n", word);
    return 2;
}

static int ending(void)
{
    printf(broken ? "%d promises broken\n" : "every promise kept\n", broken);
    return broken != 0;
}

typedef struct { const char *name; void (*run)(void); } named_part;

/* Runs the parts that the arguments name, or all parts if they name none. */
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
