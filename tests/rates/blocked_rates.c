/* Tests the rates of blocked filters (`make promise`). Measured rates are
   compared with p and with bloom_plan_fpr. Two filters with neighbouring seeds
   must have independent false positives.

   usage: blocked_rates [table] [few] [same] [seeds] [all] [seed=S]
     table    n from 10^3 to 10^7: memory, k and measured rate. A failure means
              that a plan needs over 1.2 times the classic memory or exceeds p.
     few      several blocks per key, few blocks in all. A failure means that
              bloom_plan_fpr is below the rate or, for p = 0.001, above 1.6
              times the rate. For lower p the ratio is only printed.
     same     a few keys and tiny p: plans, folded filters and windows. A
              failure means that their rate exceeds p, or that bloom_plan_fpr
              or bloom_fpr ignores keys whose probes test the same bits.
     seeds    integer keys in two filters whose seeds differ by 1. A failure
              means that their false positives are not independent.
     all      8 times the lookups
     seed=S   the random numbers' seed
   Without the name of a part, all parts run. The exit status is 1 if a promise
   is broken. */

#include "rates.h"
#include "examples/companions/bloom_window.h"

/* Adds `count` random integers, or looks them up if `asking`. Returns how many
   were new (or found). */
static double run(bloom *b, double count, bool asking)
{
    static uint64_t key[BATCH];
    double total = 0;
    while (count >= 1) {
        size_t i, some = count < BATCH ? (size_t)count : BATCH;
        for (i = 0; i < some; i++)
            key[i] = random64();
        total += (double)(asking
            ? bloom_may_contain_many_u64(b, key, some, NULL)
            : bloom_add_many_u64(b, key, some, NULL));
        count -= (double)some;
    }
    return total;
}

/* The mean rate of `filters` filters, by `asked` lookups of absent keys each;
   below p = 10^-4 from the cells */
static measure rate_of(bloom_plan plan, uint64_t n, double p, double filters,
                       double asked)
{
    tally t = { 0, 0, 0, 0 };
    while (t.filters < filters) {
        bloom *b = need(bloom_create(plan));
        run(b, (double)n, false);
        if (p < 0.9e-4) {
            observe_cells(&t, b, (double)n);
        } else {
            double maybes = run(b, asked, true);
            observe(&t, maybes / asked, (maybes + 1 / filters)
                                        / (asked * asked));
        }
        bloom_free(b);
    }
    return mean_of(t);
}

/* ---- The table ----------------------------------------------------------- */

static void cell(uint64_t n, double p)
{
    bloom_plan plan = bloom_plan_layout(n, p, BLOOM_BLOCKED);
    double more = (double)plan.cells / (double)bloom_plan_for(n, p).cells;
    double filters = n >= 1000000 ? 1 : fmin(2e6 / (double)n, 400);
    double asked = floor(effort * fmin(4e4 / p, 6e7) / filters);
    measure m = rate_of(plan, n, p, filters, asked);
    printf("%9.0f %6.0e  %5.3f %3d  %6.3f +-%.3f\n", (double)n, p, more,
           plan.hashes, m.rate / p, 4 * m.sigma / p);
    fflush(stdout);
    promise(more <= 1.2,
            "a blocked plan needs at most 1.2 times the classic memory");
    promise(m.rate <= p + 4 * m.sigma, "the rate of a blocked filter is <= p");
}

static void table(void)
{
    static const double ps[] = { 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-9 };
    uint64_t n;
    unsigned i;
    printf("\nblocked filters: memory / classic memory; k; measured rate / p"
           " +- 4 sigma\n        n      p  memory  k    rate / p\n");
    for (n = 1000; n <= 10000000; n *= 10)
        for (i = 0; i < sizeof ps / sizeof *ps; i++)
            cell(n, ps[i]);
}

/* ---- Few blocks ---------------------------------------------------------- */

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
                few_at(rates[j], blocks[i], b);
}

/* ---- The same bits -------------------------------------------------------
   The low half of a key's position chooses its bits in each block. If the low
   half of the step is 0, all block probes of the key test the same bits. If it
   is 2^31 or an odd multiple of 2^30, they alternate between two or four sets
   of bits. Such steps are too rare for lookups of random keys to find them. So
   hashes are drawn that have them, and their false positives count with the
   probability of the step: 2^-32, 2^-32 and 2^-31. The rate of all other keys is
   computed from the cells. */

/* Adds the rates of some filters. An absent key is looked up in all of them. */
static void observe_by_zeros(tally *t, bloom *const *filter, unsigned filters)
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
    bloom *b = need(bloom_create(plan));
    while (t.filters < 300000 * effort) {
        bloom_clear(b);
        filled(b, n);
        observe_by_zeros(&t, &b, 1);
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
    tally t = { 0, 0, 0, 0 };
    plan.cells = 256 * 5040;
    while (t.filters < 3000 * effort) {
        bloom *b = filled(bloom_create(plan), n);
        promise(bloom_fold(b, bloom_fold_by(b, p)),
                "bloom_fold accepts the number of bloom_fold_by");
        last = bloom_plan_of(b);
        observe_by_zeros(&t, &b, 1);
        bloom_free(b);
    }
    tell_same("folded", last, n, p, mean_of(t), 0);
}

static void same_in_window(uint64_t n, double p, unsigned g)
{
    tally t = { 0, 0, 0, 0 };
    bloom_window w;
    unsigned i;
    need(bloom_window_new(&w, n, p, g, BLOOM_BLOCKED) ? &w : NULL);
    while (t.filters < 100000 * effort) {
        for (i = 0; i < g; i++) {
            bloom_clear(w.filter[i]);
            filled(w.filter[i], w.room);
        }
        observe_by_zeros(&t, w.filter, g);
    }
    tell_same("window", bloom_plan_of(w.filter[0]), n, p, mean_of(t), 0);
    free(w.image);
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
           layout == BLOOM_BLOCKED ? "blocked" : "classic", width, (double)seed);
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

int main(int argc, char **argv)
{
    static const named_part parts[] = {
        { "table", table }, { "few", few }, { "same", same },
        { "seeds", seeds } };
    return run_parts(parts, sizeof parts / sizeof parts[0], argc, argv);
}
