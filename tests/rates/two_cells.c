/* Tests that the walk of bloom.h is as good as k independent hash functions, in
   filters of one to ten keys, where bad walks do most harm (`make promise`).
   The oracle is the exact sum E[F^k], plus the chance that the step of the walk
   is 0. Such filters have rates down to 10^-14, which cannot be sampled
   directly. So the program draws absent keys whose first two cells are set, and
   each false positive counts fill^2 instead of 1.

   usage: two_cells [all] [seed=S]
     all      up to 8 times the filters, so that lower rates can be measured
     seed=S   the random numbers' seed
   It prints the measured rate over the exact one. The exit status is 1 if one
   is not within 3%, nor within four sigma, of 1. */

#include "rates.h"

/* HASH, INTEGER and HASH_32 are drawn by their first two cells. The others are
   drawn at random. */
enum { HASH, INTEGER, HASH_32, STRING, STRING_32, INTEGER_32, SORTS };
enum { ASKED = 1024, MOST = 20000 };    /* lookups per filter; filters */

/* E[F^k] after `throws` independent throws at m cells */
static double exact(double m, unsigned k, unsigned throws)
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
        h.h1 = (step - (high * BLOOM_GOLDEN_ >> 32)) * 0x9937733DU & 0xFFFFFFFFU;
        h.h1 |= high << 32;
        h = bloom_hash_from_h1_(h.h1);
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
    for (i = 0; i < ASKED; i++) {
        for (j = 0; j < 2; j++)
            at[j] = set[bloom_high_half_(random64(), count)] * wide
                  + bloom_high_half_(random64(), wide);
        maybe += bloom_may_contain_hash(b, sort >= STRING ? any_hash(b, sort)
                                        : hash_by_two(sort, at[0], at[1]));
    }
    weight = (sort < STRING ? pow(count / (double)m, 2) : 1) / ASKED;
    observe(t, maybe * weight, maybe * weight * weight);
}

/* Can this rate be measured, if each false positive counts `weight`? */
static bool is_seen(double rate, double weight)
{
    return rate / weight * MOST * effort * ASKED >= 500;
}

static void one(bloom_plan plan, unsigned n, double fill, double rate, int sort)
{
    tally t = { 0, 0, 0, 0 };
    measure r = { 0, 1 };
    bloom *b;
    if (!is_seen(rate, sort < STRING ? fill * fill : 1)) {
        printf(" %14s", "-");
        return;
    }
    if (sort == HASH_32 || sort >= STRING_32) {
        plan.hash_bits = 32;
        rate += fill / 4294967296.0;
    }
    b = need(bloom_create(plan));
    while (t.filters < 500
           || (t.filters < MOST * effort && r.sigma > 0.007 * rate)) {
        observe_filter(&t, b, n, sort);
        r = mean_of(t);
    }
    bloom_free(b);
    printf("  %5.3f +-%.3f", r.rate / rate, 4 * r.sigma / rate);
    fflush(stdout);
    promise(fabs(r.rate / rate - 1) <= fmax(0.03, 4 * r.sigma / rate),
            "the walk is as good as independent hashes");
}

static void all_sorts(unsigned m, unsigned k, unsigned n)
{
    const double fill = exact(m, 1, n * k), rate = exact(m, k, n * k);
    bloom_plan plan = { 0, 42, 0, BLOOM_CLASSIC, 64 };
    int sort;
    if (!is_seen(rate, fill * fill))
        return;
    plan.cells = m;
    plan.hashes = (uint8_t)k;
    printf("%6u %2u %2u %8.1e", m, k, n, rate);
    for (sort = HASH; sort < SORTS; sort++)
        one(plan, n, fill, rate, sort);
    printf("\n");
}

int main(int argc, char **argv)
{
    static const unsigned cells[] = { 64, 256, 1024, 4096, 122368 };
    static const unsigned keys[] = { 1, 2, 3, 5, 10 };
    unsigned i, j, k;
    for (i = 1; i < (unsigned)argc; i++)
        if (!is_option(argv[i]))
            return say_what(argv[i]);
    printf("\nfew keys: rate / rate of k independent hashes, +- 4 sigma\n"
           "     m  k  n     rate        hash 64     integer 64        hash 32"
           "      string 64      string 32     integer 32\n");
    for (i = 0; i < sizeof cells / sizeof *cells; i++)
        for (k = 3; k <= 6; k++)
            for (j = 0; j < sizeof keys / sizeof *keys; j++)
                all_sorts(cells[i], k, keys[j]);
    return ending();
}
