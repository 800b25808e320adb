/* Measures rates by lookups of absent keys (`make promise`), on real filters
   with random keys: the false-positive rate is at most p, and no added key is
   lost. The rates are compared with p and with bloom_plan_fpr. Those that are
   too low for lookups are computed from the cells.

   usage: measured [table] [few] [cells] [same] [folded] [counts] [seeds]
                   [scatter] [all] [brief] [n=N] [p=P] [seed=S]
     table      many filters for each n and p, in all layouts and widths, with
                bytes and integers as keys, after a merge, after saving and
                opening, in chains, and in windows that have stepped
     few        several blocks per key, few blocks in all: bloom_plan_fpr is not
                below the rate nor, for p = 0.001, above 1.6 times the rate
     cells      1 to 10 keys, and rates down to 10^-14: the walk is as good as k
                independent hash functions
     same       a few keys and tiny p, in blocks: keys whose probes test the
                same bits count in plans, folded filters, windows and bloom_fpr
     folded     filters that bloom_fold_by folds keep p
     counts     bloom_count is never too low, and too high at the rate of false
                positives
     seeds      two filters with neighbouring seeds have independent false
                positives
     scatter    how far the rates of single full filters lie from their mean
     all        table: n up to 10^8; 8 times the lookups
     brief      one of eleven points of each part
     n=N, p=P   table: only this n, of which the filters that fit in memory, and
                only this p
     seed=S     the random numbers' seed
   Without the name of a part, all parts run. The exit status is 1 if a promise
   is broken. */

#include "rates.h"

static double only_n, only_p;      /* 0: all */
static double asked_again, lost;

/* ---- Filters and chains, made in several ways ---------------------------- */

enum { WHOLE, MERGED, RELOADED, CHAIN, WINDOW };    /* how it was made */

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
    { "window",      BLOOM_CLASSIC,  64, BYTES,    WINDOW },
    { "blocked 64",  BLOOM_BLOCKED,  64, BYTES,    WHOLE },
    { "integers",    BLOOM_BLOCKED,  64, INTEGERS, WHOLE },
    { "reloaded",    BLOOM_BLOCKED,  64, INTEGERS, RELOADED },
    { "merged",      BLOOM_BLOCKED,  64, INTEGERS, MERGED },
    { "chain",       BLOOM_BLOCKED,  64, INTEGERS, CHAIN },
    { "window",      BLOOM_BLOCKED,  64, INTEGERS, WINDOW },
    { "counting 64", BLOOM_COUNTING, 64, BYTES,    RELOADED },
    { "integers",    BLOOM_COUNTING, 64, INTEGERS, MERGED },
    { "width 32",    BLOOM_COUNTING, 32, INTEGERS, WHOLE } };

#define SERIES (sizeof all_series / sizeof all_series[0])

static subject filter_of(bloom_plan plan, double n, int kind)
{
    subject s = { NULL, NULL, NULL };
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
    random_state = start;
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
    uint64_t now = random_state;
    random_state = start;
    asked_again += (double)n;
    lost += (double)n - run_keys(made, (double)n, kind, true);
    random_state = now;
}

static subject make(const struct series *s, bloom_plan plan, uint64_t n,
                    double p, unsigned char **memory)
{
    subject made = { NULL, NULL, NULL };
    uint64_t start;
    plan.seed = random64();
    plan.hash_bits = s->width;
    start = random_state;
    if (s->how == WINDOW) {     /* whose 8 generations are full, by other keys */
        made.w = need(bloom_window_new(n, p, 8, s->layout));
        run_keys(made, 9.0 * (double)bloom_window_plan_of(made.w).room, s->kind,
                 false);
        start = random_state;
        run_keys(made, (double)n, s->kind, false);
    } else if (s->how == CHAIN) {
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
    if (made.b && n >= 100000
        && fabs((double)bloom_estimate(made.b) / (double)n - 1) > 0.01)
        promise(0, "bloom_estimate is within 1% of the number of keys");
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
    if (s->how >= CHAIN)                /* planning takes 1 ms per link */
        filters = fmin(filters, 100);
    asked = ceil(asked / filters);
    while (t.filters < filters) {
        unsigned char *memory = NULL;
        subject made = make(s, plan, n, p, &memory);
        if (sampled) {
            double maybes = run_keys(made, asked, s->kind, true);
            observe(&t, maybes / asked, (maybes + 1 / filters)
                                        / (asked * asked));
        } else if (made.b) {
            observe_cells(&t, made.b, keys);
        } else {
            observe_parts(&t, made);
        }
        bloom_chain_free(made.c);
        bloom_window_free(made.w);
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
    return plan.layout != BLOOM_BLOCKED || plan.hashes == 8 ? 0
         : fmin(0.4, 8 / blocks);
}

/* Does a series begin the columns of its layout? */
static bool is_first(unsigned i)
{
    return i == 0 || all_series[i].layout != all_series[i - 1].layout;
}

static void show(unsigned i, uint64_t n, double p)
{
    const struct series *s = &all_series[i];
    bloom_plan plan = bloom_plan_layout(n, p, s->layout);
    double promised = p + (s->width == 32 ? FLOOR_IN_32 : 0), planned;
    double slack = n < 100 ? 0.02 : 0.01, rare;
    void *room = malloc(3 * bloom_plan_size(plan)); /* of two halves and the whole */
    measure m;
    plan.hash_bits = s->width;
    free(room);
    if (left_out() || !room || bloom_plan_size(plan) == 0) {    /* of width 32 */
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
    /* Of rare events, too few also make sigma too small. */
    rare = m.rate > 0 ? sqrt(fmax(1, planned / m.rate)) : 1;
    if (s->how < CHAIN
        && (m.rate > (1 + slack) * planned + 4 * m.sigma
            || m.rate < (1 - slack - few_blocks(plan)) * planned
                        - 4 * rare * m.sigma))
        promise(0, "bloom_plan_fpr is within 2% (1% from 100 keys on)");
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
    if (n >= 1000 && p < 0.04
        && (double)less.cells > 1.2 * (double)plan.cells)
        promise(0, "a blocked plan needs at most 1.2 times the classic memory");
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

static void table(void)
{
    rates();
    printf("%.0f lookups of added keys: %.0f not found\n", asked_again, lost);
    promise(lost <= 0, "every added key is found");
}

/* ---- Few blocks ---------------------------------------------------------- */

/* The mean rate of `filters` filters, by `asked` lookups of absent keys each;
   below p = 10^-4 from the cells */
static measure rate_of(bloom_plan plan, uint64_t n, double p, double filters,
                       double asked)
{
    tally t = { 0, 0, 0, 0 };
    while (t.filters < filters) {
        subject s = { need(bloom_create(plan)), NULL, NULL };
        run_keys(s, (double)n, INTEGERS, false);
        if (p < 0.9e-4) {
            observe_cells(&t, s.b, (double)n);
        } else {
            double maybes = run_keys(s, asked, INTEGERS, true);
            observe(&t, maybes / asked, (maybes + 1 / filters)
                                        / (asked * asked));
        }
        bloom_free(s.b);
    }
    return mean_of(t);
}

/* Filters hold bloom_plan_capacity(plan, p) keys. Rates below 1e-4 are computed
   from the cells, because lookups would find too few false positives. */
static void few_at(double p, unsigned blocks, unsigned b)
{
    bloom_plan plan = bloom_plan_layout(1, 0.5, BLOOM_BLOCKED);
    uint64_t n;
    double says;
    measure m;
    plan.cells = 256 * (uint64_t)blocks;
    plan.hashes = (uint8_t)(8 * b);
    n = bloom_plan_capacity(plan, p);
    if (n == 0)
        return;
    says = bloom_plan_fpr(plan, n);
    m = rate_of(plan, n, p, (p < 0.001 ? 20000 : 4000) * effort, 1000);
    printf("%6.0e %6u %2d %4.0f  %5.3f +-%.3f\n", p, blocks, plan.hashes,
           (double)n, m.rate / says, 4 * m.sigma / says);
    fflush(stdout);
    promise(m.rate <= says * 1.01 + 4 * m.sigma
            && (p < 0.001 || m.rate >= says / 1.6 - 4 * m.sigma),
            "few blocks: bloom_plan_fpr is 1 to 1.6 times the rate at 0.001");
}

static void few(void)
{
    static const unsigned blocks[] = { 1, 2, 3, 4, 6, 12, 20, 50, 100, 300 };
    static const double rates[] = { 1e-3, 1e-6, 1e-10 };
    unsigned i, b, j;
    printf("\nseveral blocks per key, few in all: measured rate /"
           " bloom_plan_fpr\n     p blocks  k    n  integers\n");
    for (j = 0; j < 3; j++)
        for (i = 0; i < sizeof blocks / sizeof *blocks; i++)
            for (b = 2; b <= (j == 0 ? 4 : 5); b++)
                if (!left_out())
                    few_at(rates[j], blocks[i], b);
}

/* ---- Few keys, by their first two cells -----------------------------------
   The oracle is the exact sum E[F^k], plus the chance that the step of the walk
   is 0. Such filters have rates down to 10^-14, which cannot be sampled
   directly. So absent keys are drawn whose first two cells are set, and each
   false positive counts fill^2 instead of 1. The measured rate over the exact
   one must be within 3%, or four sigma, of 1. */

/* HASH, INTEGER and HASH_32 are drawn by their first two cells. The others are
   drawn at random. */
enum { HASH, INTEGER, HASH_32, STRING, STRING_32, INTEGER_32, SORTS };
enum { LOOKUPS = 1024, MOST = 20000 };    /* lookups per filter; filters */

/* E[F^k] after `throws` independent throws at m cells */
static double exact_moment(double m, unsigned k, unsigned throws)
{
    double chance[61] = { 1 }, sum = 0;
    unsigned j, t;
    for (t = 1; t <= throws; t++, chance[0] = 0)
        for (j = t; j > 0; j--)
            chance[j] = chance[j] * j / m + chance[j - 1] * (m - j + 1) / m;
    for (j = 0; j <= throws; j++)
        sum += chance[j] * pow(j / m, k);
    return sum;
}

/* The hash of a random key */
static bloom_hash any_hash(const bloom *b, int sort)
{
    uint64_t two[2];
    bloom_hash h;
    two[0] = h.h1 = random64();
    two[1] = h.h2 = random64();
    return sort == HASH ? h
         : sort == INTEGER || sort == INTEGER_32 ? bloom_hash_u64(b, two[0])
         : bloom_hash_key(b, two, 8 + two[0] % 9);
}

/* A hash whose walk begins at x and goes on to `to` (only the upper halves
   count). For an integer, the low half of h1 is chosen so that the step, which
   is made from it by an odd factor, has the right upper half. In width 32 the
   low half of h1 is the upper half of h2. */
static bloom_hash hash_by_two(int sort, uint64_t x, uint64_t to)
{
    const uint64_t high = x >> 32, step = (to - x) >> 32;
    bloom_hash h;
    h.h1 = sort == HASH ? x : high << 32 | step;
    h.h2 = to - x;
    if (sort == INTEGER) {      /* 0x9937733D: inverse of G's low half */
        h.h1 = (step - (high * INSIDE_GOLDEN >> 32)) * 0x9937733DU;
        h.h1 = high << 32 | (h.h1 & 0xFFFFFFFFU);
        h = inside_hash_from_h1(h.h1);
    }
    return h;
}

/* Observes one filter: the share of false positives, times fill^2 if the keys
   were drawn by two cells */
static void observe_filter(tally *t, bloom *b, unsigned n, int sort)
{
    const uint64_t m = bloom_plan_of(b).cells, wide = UINT64_MAX / m;
    uint64_t set[60], index[64], at[2];
    double maybe = 0, weight;
    unsigned count = 0, i, j;
    for (bloom_clear(b); n > 0; n--) {
        bloom_hash h = any_hash(b, sort);
        for (i = bloom_probes(b, h, index); i-- > 0; count += j == count) {
            for (j = 0; j < count && set[j] != index[i]; j++)
                ;
            set[j] = index[i];
        }
        bloom_add_hash(b, h);
    }
    for (i = 0; i < LOOKUPS; i++) {
        for (j = 0; j < 2; j++)
            at[j] = set[inside_high_half(random64(), count)] * wide
                  + inside_high_half(random64(), wide);
        maybe += bloom_may_contain_hash(b, sort >= STRING ? any_hash(b, sort)
                                        : hash_by_two(sort, at[0], at[1]));
    }
    weight = (sort < STRING ? pow(count / (double)m, 2) : 1) / LOOKUPS;
    observe(t, maybe * weight, maybe * weight * weight);
}

/* Can this rate be measured, if each false positive counts `weight`? */
static bool is_seen(double rate, double weight)
{
    return rate / weight * MOST * effort * LOOKUPS >= 500;
}

/* In width 32, a step of 0 adds at most fill * 2^-32: the rate of independent
   hashes contains a part of it, walks that stay in one cell. */
static void one_sort(bloom_plan plan, unsigned n, double fill, double rate,
                     int sort)
{
    tally t = { 0, 0, 0, 0 };
    measure r = { 0, 1 };
    double most = rate, sure;
    bloom *b;
    if (!is_seen(rate, sort < STRING ? fill * fill : 1) || left_out()) {
        printf(" %14s", "-");
        return;
    }
    if (sort == HASH_32 || sort >= STRING_32) {
        plan.hash_bits = 32;
        most += fill / 4294967296.0;
    }
    b = need(bloom_create(plan));
    while (t.filters < 500
           || (t.filters < MOST * effort
               && (r.rate == 0 || r.sigma > 0.007 * most))) {
        observe_filter(&t, b, n, sort);
        r = mean_of(t);
    }
    bloom_free(b);
    printf("  %5.3f +-%.3f", r.rate / most, 4 * r.sigma / most);
    fflush(stdout);
    sure = fmax(0.03 * most, 4 * r.sigma);
    promise(r.rate >= rate - sure && r.rate <= most + sure,
            "the walk is as good as independent hashes");
}

static void all_sorts(unsigned m, unsigned k, unsigned n)
{
    const double fill = exact_moment(m, 1, n * k);
    const double rate = exact_moment(m, k, n * k);
    bloom_plan plan = { 0, 42, 0, BLOOM_CLASSIC, 64 };
    int sort;
    if (!is_seen(rate, fill * fill))
        return;
    plan.cells = m;
    plan.hashes = (uint8_t)k;
    printf("%6u %2u %2u %8.1e", m, k, n, rate);
    for (sort = HASH; sort < SORTS; sort++)
        one_sort(plan, n, fill, rate, sort);
    printf("\n");
}

static void cells(void)
{
    static const unsigned ms[] = { 64, 256, 1024, 4096, 122368 };
    static const unsigned keys[] = { 1, 2, 3, 5, 10 };
    unsigned i, j, k;
    printf("\nfew keys: rate / rate of k independent hashes, +- 4 sigma\n"
           "     m  k  n     rate        hash 64     integer 64        hash 32"
           "      string 64      string 32     integer 32\n");
    for (i = 0; i < sizeof ms / sizeof *ms; i++)
        for (k = 3; k <= 6; k++)
            for (j = 0; j < sizeof keys / sizeof *keys; j++)
                all_sorts(ms[i], k, keys[j]);
}

/* ---- The same bits -------------------------------------------------------
   The low half of a key's position chooses its bits in each block. If the low
   half of the step is 0, all block probes of the key test the same bits. If it
   is 2^31 or an odd multiple of 2^30, they alternate between two or four sets
   of bits. Such steps are too rare for lookups of random keys to find them. So
   hashes are drawn that have them, and their false positives count with the
   probability of the step: 2^-32, 2^-32 and 2^-31. The rate of all other keys
   is computed from the cells. */

/* Adds the rates of some filters. An absent key is looked up in all of them. */
static void observe_by_zeros(tally *t, const bloom *const *filter,
                             unsigned filters)
{
    double rate = 0, own = 0;
    unsigned f, v, i;
    for (f = 0; f < filters; f++) {
        tally cells = { 0, 0, 0, 0 };
        observe_cells(&cells, filter[f], 1);
        rate += cells.sum;
    }
    for (v = 30; v <= 32; v++) {        /* the low zeros of the half */
        const double chance = v == 30 ? 0x1p-31 : 0x1p-32;
        const double asked = v == 32 ? 64 : v == 31 ? 16 : 4;
        double maybe = 0;
        for (i = 0; i < asked; i++) {
            const uint64_t half = v == 32 ? 0 : (random64() | 1) << v;
            bloom_hash h;
            bool in = false;
            h.h1 = random64();
            h.h2 = random64() << 32 | (half & 0xFFFFFFFFU);
            for (f = 0; f < filters; f++)
                in |= bloom_may_contain_hash(filter[f], h);
            maybe += in;
        }
        rate += chance * maybe / asked;
        own += chance * chance * maybe / (asked * asked);
    }
    observe(t, rate, own);
}

static bloom *filled(bloom *b, uint64_t n)
{
    while (n-- > 0)
        bloom_add_u64(need(b), random64());
    return b;
}

static void tell_same(const char *what, bloom_plan plan, uint64_t n, double p,
                      measure m, double least)
{
    printf("%-7s n %2.0f, p %8.2e, blocks %2.0f, k %2d: %.4f +-%.4f\n", what,
           (double)n, p, (double)plan.cells / 256, plan.hashes, m.rate / p,
           4 * m.sigma / p);
    fflush(stdout);
    promise(m.rate <= p + 4 * m.sigma && m.rate >= least * p - 4 * m.sigma,
            "the rate of a few keys is <= p, for tiny p, too");
}

/* One filter, of this plan. Its mean bloom_fpr must agree, too. */
static void same_in(const char *what, bloom_plan plan, uint64_t n, double p,
                    double least)
{
    tally t = { 0, 0, 0, 0 };
    double says = 0;
    measure m;
    bloom *b;
    const bloom *full;
    if (left_out())
        return;
    full = b = need(bloom_create(plan));
    while (t.filters < 300000 * effort) {
        bloom_clear(b);
        filled(b, n);
        observe_by_zeros(&t, &full, 1);
        says += bloom_fpr(b);
    }
    m = mean_of(t);
    tell_same(what, plan, n, p, m, least);
    says /= t.filters;
    promise(fabs(says / m.rate - 1) <= 0.03 + 4 * m.sigma / m.rate,
            "bloom_fpr counts keys whose probes test the same bits");
    bloom_free(b);
}

/* Plans of your own, of one block, where bloom_plan_fpr is exact */
static void same_in_one_block(uint64_t n, unsigned k)
{
    bloom_plan plan = bloom_plan_layout(1, 0.5, BLOOM_BLOCKED);
    plan.cells = 256;
    plan.hashes = (uint8_t)k;
    same_in("block", plan, n, bloom_plan_fpr(plan, n), 0.99);
}

/* Filters that are planned for `most` keys, in 5040 blocks, and folded */
static void same_folded(uint64_t n, uint64_t most, double p)
{
    bloom_plan plan = bloom_plan_layout(most, p, BLOOM_BLOCKED), last = plan;
    const bloom *small;
    tally t = { 0, 0, 0, 0 };
    if (left_out())
        return;
    plan.cells = 256 * 5040;
    while (t.filters < 3000 * effort) {
        bloom *b = filled(bloom_create(plan), n);
        promise(bloom_fold(b, bloom_fold_by(b, p)),
                "bloom_fold accepts the number of bloom_fold_by");
        last = bloom_plan_of(b);
        small = b;
        observe_by_zeros(&t, &small, 1);
        bloom_free(b);
    }
    tell_same("folded", last, n, p, mean_of(t), 0);
}

static void same_in_window(uint64_t n, double p, unsigned g)
{
    tally t = { 0, 0, 0, 0 };
    bloom_window *w;
    const bloom *part[16];
    unsigned i;
    if (left_out())
        return;
    w = need(bloom_window_new(n, p, g, BLOOM_BLOCKED));
    for (i = 0; i < g; i++)
        part[i] = bloom_window_generation(w, i);
    while (t.filters < 100000 * effort) {
        bloom_window_clear(w);
        for (i = 0; i < g; i++) {
            bloom_window_step(w);
            while (bloom_window_keys(w) < bloom_window_plan_of(w).room)
                bloom_window_add_u64(w, random64());
        }
        observe_by_zeros(&t, part, g);
    }
    tell_same("window", bloom_plan_of(part[0]), n, p, mean_of(t), 0);
    bloom_window_free(w);
}

static void same(void)
{
    static const struct { uint64_t n; double p; } plans[] = {
        { 3, 7.5e-13 }, { 4, 1e-12 }, { 4, 1.37e-12 }, { 4, 1.4e-12 },
        { 5, 5.17e-11 }, { 6, 1e-12 } };
    unsigned i;
    printf("\nfew keys: rate / p +- 4 sigma (block: / bloom_plan_fpr)\n");
    for (i = 0; i < sizeof plans / sizeof *plans; i++)
        same_in("plan", bloom_plan_layout(plans[i].n, plans[i].p,
                                          BLOOM_BLOCKED),
                plans[i].n, plans[i].p, 0);
    same_in_one_block(3, 64);
    same_in_one_block(4, 32);
    same_in_one_block(4, 64);
    same_in_one_block(5, 40);
    same_folded(4, 38, 1e-12);
    same_folded(4, 300, 5e-12);
    same_in_window(24, 1.15e-12, 7);
    same_in_window(16, 2e-12, 6);
}

/* ---- Folded filters -------------------------------------------------------
   Each filter is planned for 100 times as many keys as it gets. As bloom.h
   advises at bloom_fold, its m is rounded up to a number with many divisors: a
   multiple of 5040 * 64 (blocked: 256). Then it is folded as far as
   bloom_fold_by allows. The size is printed over that of a plan for the actual
   keys. */

static bloom *folded_filter(bloom_plan plan, double n, double p)
{
    const uint64_t unit = plan.layout == BLOOM_BLOCKED ? 256 : 64;
    subject s = { NULL, NULL, NULL };
    plan.cells += (unit * 5040 - plan.cells % (unit * 5040)) % (unit * 5040);
    s.b = need(bloom_create(plan));
    run_keys(s, n, BYTES, false);
    promise(bloom_fold(s.b, bloom_fold_by(s.b, p)),
            "bloom_fold accepts the number of bloom_fold_by");
    return s.b;
}

/* The mean rate and size of `filters` folded filters */
static void folded_rate(unsigned filters, uint64_t n, double p,
                        bloom_layout layout)
{
    static const char *const names[] = { LAYOUT_NAMES };
    const bloom_plan right = bloom_plan_layout(n, p, layout);
    const double asked = effort * (1 << 20);
    tally t = { 0, 0, 0, 0 };
    measure m;
    double size = 0, maybe;
    if (left_out())
        return;
    for (; filters > 0; filters--) {
        subject s = { NULL, NULL, NULL };
        s.b = folded_filter(bloom_plan_layout(100 * n, p, layout), (double)n,
                            p);
        maybe = run_keys(s, asked, BYTES, true) / asked;
        observe(&t, maybe, maybe / asked);
        size = (double)bloom_size(s.b) / (double)bloom_plan_size(right);
        bloom_free(s.b);
    }
    m = mean_of(t);
    printf("%-8s n %7.0f, p %-6g: rate / p %5.3f +-%.3f; size %.3f of a "
           "plan's\n", names[layout], (double)n, p, m.rate / p,
           4 * m.sigma / p, size);
    fflush(stdout);
    promise(m.rate <= p + 4 * m.sigma, "the rate of a folded filter is <= p");
}

static void folded(void)
{
    static const double rates_of[] = { 0.1, 0.01, 0.001, 1e-4 };
    unsigned i, layout;
    printf("\nfilters planned for 100 n keys and folded for n; +- 4 sigma\n");
    for (layout = BLOOM_CLASSIC; layout < LAYOUT_COUNT; layout++)
        for (i = 0; i < sizeof rates_of / sizeof *rates_of; i++)
            folded_rate(4, i % 2 ? 100000 : 3000, rates_of[i],
                        (bloom_layout)layout);
}

/* ---- How often bloom_count is too high ----------------------------------- */

/* Each key is added once to four times. A key whose cells are all one (m is 64,
   k is 2) counts itself twice, so up to 1/64 of the keys more are too high. */
static void count_rate(uint64_t n, double p)
{
    const bloom_plan plan = bloom_plan_layout(n, p, BLOOM_COUNTING);
    double filters = ceil(effort * (1 << 20) / (double)n), most;
    tally t = { 0, 0, 0, 0 };
    measure m;
    if (left_out())
        return;
    for (; filters > 0; filters--) {
        bloom *b = need(bloom_create(plan));
        const uint64_t first = random64();
        double high = 0;
        uint64_t i;
        unsigned times;
        for (i = 0; i < n; i++)
            for (times = 0; times <= i % 4; times++)
                bloom_add_u64(b, first + i);
        for (i = 0; i < n; i++) {
            const unsigned count = bloom_count_u64(b, first + i);
            promise(count >= i % 4 + 1, "bloom_count is never too low");
            high += count > i % 4 + 1;
        }
        observe(&t, high / (double)n, high / (double)n / (double)n);
        bloom_free(b);
    }
    m = mean_of(t);
    most = p + (n < 30 ? 0.016 : 0);
    printf("n %6.0f, p %-5g: k %2d, too high %.5f +-%.5f\n", (double)n, p,
           plan.hashes, m.rate, 4 * m.sigma);
    fflush(stdout);
    promise(m.rate <= most + 4 * m.sigma,
            "bloom_count is too high at most at the rate p");
}

static void counts(void)
{
    static const uint64_t keys[] = { 1, 10, 29, 30, 100, 1000, 10000 };
    static const double rates_of[] = { 0.25, 0.1, 0.01, 0.001 };
    unsigned i, j;
    printf("\nhow often bloom_count of an added key is too high; +- 4 sigma\n");
    for (i = 0; i < sizeof keys / sizeof *keys; i++)
        for (j = 0; j < sizeof rates_of / sizeof *rates_of; j++)
            count_rate(keys[i], rates_of[j]);
}

/* ---- Neighbouring seeds -------------------------------------------------- */

/* Two filters with the same keys 0, 1, 2 .. and neighbouring seeds. For d from
   -2 to 2: how often is the absent key i a false positive of the first filter,
   and i + d one of the second? By chance that happens hits * hits / ASKED
   times. */
static void seeds_of(bloom_layout layout, uint8_t width, uint64_t seed)
{
    enum { N = 100000, ASKED = 4000000, SIDE = 2 };
    static bool in[2][ASKED];
    bloom_plan plan = bloom_plan_layout(N, 0.01, layout);
    double hits[2] = { 0, 0 };
    uint64_t i;
    int s, d;
    if (left_out())
        return;
    plan.hash_bits = width;
    for (s = 0; s < 2; s++) {
        bloom *b;
        plan.seed = seed + (uint64_t)s;
        b = need(bloom_create(plan));
        for (i = 0; i < N; i++)
            bloom_add_u64(b, i);
        for (i = 0; i < ASKED; i++)
            hits[s] += in[s][i] = bloom_may_contain_u64(b, N + i);
        bloom_free(b);
    }
    printf("%s %d, seeds %.3g and 1 more:",
           layout == BLOOM_BLOCKED ? "blocked" : "classic", width,
           (double)seed);
    for (d = -SIDE; d <= SIDE; d++) {
        double both = 0, chance = hits[0] * hits[1] / ASKED;
        for (i = SIDE; i < ASKED - SIDE; i++)
            both += in[0][i] && in[1][i + (uint64_t)(int64_t)d];
        printf("  %.3f", both / chance);
        promise(fabs(both - chance) <= 4.5 * sqrt(chance),
                "filters with other seeds have independent false positives");
    }
    printf("\n");
    fflush(stdout);
}

static void seeds(void)
{
    static const uint64_t from[] = { 0, 1, 0x123456789ABCDEF0U };
    unsigned i;
    printf("\ninteger keys: common false positives / those expected by chance;"
           "\nthe second filter looks up the key -2, -1, 0, +1, +2\n");
    for (i = 0; i < sizeof from / sizeof *from; i++) {
        seeds_of(BLOOM_CLASSIC, 64, from[i]);
        seeds_of(BLOOM_BLOCKED, 64, from[i]);
    }
    seeds_of(BLOOM_CLASSIC, 32, 0);
}

/* The rates of single filters, from their cells (bloom_fpr), for p = 1%. In
   theory their standard deviation is 0.55 k / sqrt(m) of p, where half of the
   cells are set. */
static void scatter(void)
{
    uint64_t n, key = 0;
    for (n = 1000; n <= 100000; n *= 10) {
        const unsigned filters = n < 100000 ? 1000 : 200;
        const bloom_plan plan = bloom_plan_for(n, 0.01);
        const double wanted = 0.55 * plan.hashes / sqrt((double)plan.cells);
        double sum = 0, squares = 0, above = 0, mean, deviation;
        unsigned i;
        if (left_out())
            continue;
        for (i = 0; i < filters; i++) {
            bloom *b = bloom_create(plan);
            const uint64_t end = key + n;
            double rate;
            while (key < end)
                bloom_add_u64(b, key++);
            rate = bloom_fpr(b) / 0.01;
            sum += rate;
            squares += rate * rate;
            above += rate > 1;
            bloom_free(b);
        }
        mean = sum / filters;
        deviation = sqrt(squares / filters - mean * mean);
        printf("scatter, n = %-6.0f  rate / p %.4f +- %.4f (theory: %.4f), above "
               "p: %.0f%%\n", (double)n, mean, deviation, wanted,
               100 * above / filters);
        promise(mean <= 1 + 4 * deviation / sqrt(filters)
                && deviation < 1.2 * wanted,
                "single filters scatter as stated");
    }
}

int main(int argc, char **argv)
{
    static const named_part parts[] = {
        { "table", table }, { "few", few }, { "cells", cells },
        { "same", same }, { "folded", folded }, { "counts", counts },
        { "seeds", seeds }, { "scatter", scatter } };
    int i, words = 1;
    for (i = 1; i < argc; i++) {
        if (strncmp(argv[i], "n=", 2) == 0)
            only_n = floor(fmin(fmax(strtod(argv[i] + 2, NULL), 1), 1e12));
        else if (strncmp(argv[i], "p=", 2) == 0)
            only_p = fmin(fmax(strtod(argv[i] + 2, NULL), 1e-9), 0.5);
        else
            argv[words++] = argv[i];
    }
    return run_parts(parts, sizeof parts / sizeof parts[0], words, argv);
}
