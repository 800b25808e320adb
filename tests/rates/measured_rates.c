/* Tests the two main promises of bloom.h on real filters with random keys
   (`make promise`): the false-positive rate is at most p, and no added key is
   lost. It measures many filters for each n and p, in all layouts and widths,
   with bytes and integers as keys, after a merge, after saving and opening, and
   in chains. The rates are compared with p and with bloom_plan_fpr.

   usage: measured_rates [all] [n=N] [p=P] [seed=S] [FILE.tsv]
     all        n up to 10^8, and 8 times the lookups
     n=N, p=P   only this n (at most 10^9), only this p
     seed=S     the random numbers' seed
     FILE.tsv   also writes the points of a chart to this file: n, p, rate / p,
                4 sigma, layout, series
   The exit status is 1 if a promise is broken. */

#include "rates.h"

static double only_n, only_p;      /* 0: all */
static double asked_again, lost;
static FILE *points;               /* FILE.tsv, or NULL */

/* ---- Filters and chains, made in several ways ---------------------------- */

enum { WHOLE, MERGED, RELOADED, CHAIN };            /* how it was made */

static const struct series {
    const char *name;
    bloom_layout layout;
    uint8_t width;
    int kind, how;
} all_series[] = {
    { "classic 64",  BLOOM_CLASSIC,  64, BYTES,    WHOLE },
    { "integers",    BLOOM_CLASSIC,  64, INTEGERS, WHOLE },
    { "width 32",    BLOOM_CLASSIC,  32, BYTES,    WHOLE },
    { "merged",      BLOOM_CLASSIC,  64, BYTES,    MERGED },
    { "chain",       BLOOM_CLASSIC,  64, BYTES,    CHAIN },
    { "blocked 64",  BLOOM_BLOCKED,  64, BYTES,    WHOLE },
    { "integers",    BLOOM_BLOCKED,  64, INTEGERS, WHOLE },
    { "reloaded",    BLOOM_BLOCKED,  64, INTEGERS, RELOADED },
    { "merged",      BLOOM_BLOCKED,  64, INTEGERS, MERGED },
    { "chain",       BLOOM_BLOCKED,  64, INTEGERS, CHAIN },
    { "counting 64", BLOOM_COUNTING, 64, BYTES,    RELOADED },
    { "integers",    BLOOM_COUNTING, 64, INTEGERS, MERGED },
    { "width 32",    BLOOM_COUNTING, 32, INTEGERS, WHOLE } };

#define SERIES (sizeof all_series / sizeof all_series[0])

static subject filter_of(bloom_plan plan, double n, int kind)
{
    subject s = { NULL, NULL };
    s.b = need(bloom_create(plan));
    run_keys(s, n, kind, false);
    return s;
}

/* Adds the keys of `whole` to two filters, half of them to each, and merges
   these. The result must have the bytes of `whole`, which it replaces. */
static bloom *merged(bloom *whole, double n, int kind, uint64_t start)
{
    bloom_plan plan = bloom_plan_of(whole);
    bloom *first, *second;
    state = start;
    first = filter_of(plan, floor(n / 2), kind).b;
    second = filter_of(plan, n - floor(n / 2), kind).b;
    if (!bloom_merge(first, second)
        || memcmp(first, whole, bloom_size(whole)) != 0)
        promise(0, "two merged halves have the bytes of the whole filter");
    bloom_free(second);
    bloom_free(whole);
    return first;
}

/* Seals b, writes it to a file, and opens it again at an odd address. */
static bloom *reloaded(bloom *b, unsigned char **memory)
{
    static FILE *file;
    size_t size = bloom_size(b);
    bloom *again;
    if (!file)
        file = need(tmpfile());
    bloom_seal(b);
    rewind(file);
    *memory = need(malloc(size + 1));
    if (fwrite(b, 1, size, file) != size)
        promise(0, "a temporary file can be written");
    rewind(file);
    if (fread(*memory + 1, 1, size, file) != size)
        promise(0, "a temporary file can be read");
    again = need(bloom_open(*memory + 1, size, NULL));
    if (bloom_verify(again) != BLOOM_OK)
        promise(0, "the seal is valid after a reload");
    bloom_free(b);
    return again;
}

/* ---- Rates --------------------------------------------------------------- */

/* Looks up all added keys, and counts those that are not found. */
static void ask_again(subject made, uint64_t n, int kind, uint64_t start)
{
    uint64_t now = state;
    state = start;
    asked_again += (double)n;
    lost += (double)n - run_keys(made, (double)n, kind, true);
    state = now;
}

static subject make(const struct series *s, bloom_plan plan, uint64_t n,
                    double p, unsigned char **memory)
{
    subject made = { NULL, NULL };
    uint64_t start;
    plan.seed = random64();
    plan.hash_bits = s->width;
    start = state;
    if (s->how == CHAIN) {
        made.c = need(bloom_chain_new(n / 20 + 1, p, s->layout));
        run_keys(made, (double)n, s->kind, false);
    } else {
        made = filter_of(plan, (double)n, s->kind);
    }
    if (s->how == MERGED)
        made.b = merged(made.b, (double)n, s->kind, start);
    if (s->how == RELOADED)
        made.b = reloaded(made.b, memory);
    ask_again(made, n, s->kind, start);
    return made;
}

/* Measures at least 32 filters, so that their scatter is known. Large filters
   differ little, so 4 are enough from a million keys on, and 1 from ten
   million. There are enough lookups for 5000 false positives (4 sigma are 6%),
   but at most 8 million. Below p = 10^-5 the rate is computed from the
   cells. */
static measure measure_point(const struct series *s, uint64_t n, double p)
{
    double asked = effort * fmin(5e3 / p, 8e6), keys = (double)n;
    double filters = n >= 10000000 ? 1 : n >= 1000000 ? 4
                   : fmax(32, fmin(asked / (16 * keys + 800), 4000));
    bool sampled = p >= 1e-5 || (p > 1e-7 && n < 100 && effort > 1);
    bloom_plan plan = bloom_plan_layout(n, p, s->layout);
    tally t = { 0, 0, 0, 0 };
    if (!sampled)
        filters = fmin(filters, fmax(32, 2e6 / keys));
    if (s->how == CHAIN)                /* planning takes 1 ms per link */
        filters = fmin(filters, 100);
    asked = ceil(asked / filters);
    while (t.filters < filters) {
        unsigned char *memory = NULL;
        subject made = make(s, plan, n, p, &memory);
        if (sampled) {
            double maybes = run_keys(made, asked, s->kind, true);
            observe(&t, maybes / asked, (maybes + 1 / filters)
                                        / (asked * asked));
        } else if (made.c) {
            observe_chain_cells(&t, made.c);
        } else {
            observe_cells(&t, made.b, keys);
        }
        bloom_chain_free(made.c);
        if (memory)
            free(memory);
        else
            bloom_free(made.b);
    }
    return mean_of(t);
}

/* By what share bloom_plan_fpr may be too high: for blocked filters with
   several blocks per key and few in all */
static double few_blocks(bloom_plan plan)
{
    double blocks = (double)plan.cells / 256;
    return plan.layout != BLOOM_BLOCKED || plan.hashes == 8 || blocks > 100 ? 0
         : blocks < 20 ? 0.4 : 0.03;
}

/* Does a series begin the columns of its layout? */
static bool is_first(unsigned i)
{
    return i == 0 || all_series[i].layout != all_series[i - 1].layout;
}

static void show(unsigned i, uint64_t n, double p)
{
    static const char *const layouts[] = { "classic", "blocked", "counting" };
    const struct series *s = &all_series[i];
    bloom_plan plan = bloom_plan_layout(n, p, s->layout);
    double promised = p + (s->width == 32 ? FLOOR_IN_32 : 0), planned;
    double slack = n < 100 ? 0.02 : 0.01;
    measure m;
    plan.hash_bits = s->width;
    if (bloom_plan_size(plan) == 0) {   /* width 32 has less than 2^32 cells */
        printf(" %14s", "-");
        return;
    }
    m = measure_point(s, n, p);
    planned = bloom_plan_fpr(plan, n) / promised;
    m.rate /= promised;
    m.sigma /= promised;
    printf(is_first(i) ? "  |%6.3f +-%.3f" : " %6.3f +-%.3f", m.rate,
           4 * m.sigma);
    fflush(stdout);
    if (m.rate > 1 + 4 * m.sigma)
        promise(0, "the rate is <= p");
    if (s->how != CHAIN
        && (m.rate > (1 + slack) * planned + 4 * m.sigma
            || m.rate < (1 - slack - few_blocks(plan)) * planned - 4 * m.sigma))
        promise(0, "bloom_plan_fpr is within 2% (1% from 100 keys on)");
    if (points)
        fprintf(points, "%.0f\t%g\t%g\t%g\t%s\t%s\n", (double)n, p, m.rate,
                4 * m.sigma, layouts[s->layout], s->name);
}

/* One granule less would not keep p. From 100 keys on, the memory is at most
   that of the textbook's formula plus 2% and 64 bits. */
static void check_memory(uint64_t n, double p)
{
    bloom_plan plan = bloom_plan_for(n, p), less;
    double keys = (double)n;
    size_t size = bloom_plan_size(plan);
    less = bloom_plan_bytes(n, size - 8);
    if (plan.cells > 64 && bloom_plan_fpr(less, n) <= p)
        promise(0, "a classic plan needs the least memory that keeps p");
    if (n >= 100
        && (double)plan.cells > 1.02 * keys * log2(1 / p) / log(2) + 64)
        promise(0, "a classic plan is within 2% of the textbook's memory");
    less = bloom_plan_layout(n, p, BLOOM_BLOCKED);
    less.cells -= 256;
    if (less.cells > 0 && bloom_plan_fpr(less, n) <= p)
        promise(0, "a blocked plan needs the least memory that keeps p");
}

static void rates(void)
{
    static const uint64_t keys[] = { 1, 2, 3, 5, 10, 30, 100, 1000, 10000,
                                     100000, 1000000, 10000000, 100000000 };
    double ps[] = { 0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-6, 1e-9 };
    const unsigned rows = sizeof keys / sizeof keys[0];
    const unsigned columns = only_p > 0 ? 1 : sizeof ps / sizeof ps[0];
    unsigned i, j, s;
    if (only_p > 0)
        ps[0] = only_p;
    printf("measured rate / p +- 4 sigma; for p < 1e-5 from the cells\n"
           "        n      p  bits/key: c   b");
    for (s = 0; s < SERIES; s++)
        printf(is_first(s) ? "  |%14s" : " %14s", all_series[s].name);
    printf("\n");
    for (i = 0; i < rows; i++)
        for (j = 0; j < columns; j++) {
            uint64_t n = only_n > 0 ? (uint64_t)only_n : keys[i];
            bool large = n >= 10000000;
            if (only_n > 0 ? i > 0
                : large && (effort < 2 || (columns > 1 && j != 2 && j != 6)))
                continue;
            printf("%10.0f  %5.0e   %6.2f %6.2f", (double)n, ps[j],
                   (double)bloom_plan_for(n, ps[j]).cells / (double)n,
                   (double)bloom_plan_layout(n, ps[j], BLOOM_BLOCKED).cells
                   / (double)n);
            check_memory(n, ps[j]);
            for (s = 0; s < SERIES; s++)
                show(s, n, ps[j]);
            printf("\n");
        }
}

static void rates_and_lost(void)
{
    rates();
    printf("%.0f lookups of added keys: %.0f not found\n", asked_again, lost);
    promise(lost <= 0, "every added key is found");
}

int main(int argc, char **argv)
{
    int i;
    for (i = 1; i < argc; i++) {
        size_t size = strlen(argv[i]);
        bool is_file = size > 4 && strcmp(argv[i] + size - 4, ".tsv") == 0;
        if (strncmp(argv[i], "n=", 2) == 0)
            only_n = floor(fmin(fmax(strtod(argv[i] + 2, NULL), 1), 1e9));
        else if (strncmp(argv[i], "p=", 2) == 0)
            only_p = fmin(fmax(strtod(argv[i] + 2, NULL), 1e-9), 0.5);
        else if (is_file)
            points = fopen(argv[i], "w");
        else if (!is_option(argv[i]))
            return say_what(argv[i]);
        if (is_file && !points) {
            perror(argv[i]);
            return 2;
        }
    }
    rates_and_lost();
    if (points)
        promise(fclose(points) == 0, "the points of the chart can be written");
    return ending();
}
