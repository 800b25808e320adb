/* make promise: the blocked layout at every p.

   usage: blocked [table] [few] [seeds] [all] [seed=S]
     table   n from 10^3 to 10^7: memory, blocks a key, measured rate
     few     several blocks a key, and few in all
     seeds   integer keys under two seeds that are neighbours
     all     with 8 times the lookups
   All parts, if none is named. Exits with 1 if a promise is broken. */

#include "promise.h"

/* Random integers, added or asked for; returns how many were new, or "maybe" */
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

/* So many filters: lookups, or below p = 10^-4 the cells */
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
    promise(more <= 1.2, "blocked: 1.2 times the classic plan's memory");
    promise(m.rate <= p + 4 * m.sigma, "blocked: rate <= p");
}

static void table(void)
{
    static const double ps[] = { 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-9 };
    uint64_t n;
    unsigned i;
    printf("\nblocked: memory over the classic plan's, k, rate / p +- four"
           " sigma\n        n      p  memory  k    rate / p\n");
    for (n = 1000; n <= 10000000; n *= 10)
        for (i = 0; i < sizeof ps / sizeof *ps; i++)
            cell(n, ps[i]);
}

/* ---- Few blocks ----------------------------------------------------------- */

static void few(void)
{
    static const unsigned blocks[] = { 1, 2, 3, 4, 6, 12, 20, 50 };
    bloom_plan plan = bloom_plan_layout(1, 0.5, BLOOM_BLOCKED);
    unsigned i, b;
    printf("\nseveral blocks a key, few in all, n so that p is 0.001: measured"
           " rate / bloom_plan_fpr\nblocks  k   n  integers\n");
    for (i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (b = 2; b <= 4; b++) {
            uint64_t n;
            double says;
            measure m;
            plan.cells = 256 * (uint64_t)blocks[i];
            plan.hashes = (uint8_t)(8 * b);
            n = bloom_plan_capacity(plan, 0.001);
            if (n == 0)
                continue;
            says = bloom_plan_fpr(plan, n);
            m = rate_of(plan, n, 1, 4000 * effort, 1000);
            printf("%6u %2d %3.0f  %5.3f +-%.3f\n", blocks[i], plan.hashes,
                   (double)n, m.rate / says, 4 * m.sigma / says);
            fflush(stdout);
            promise(m.rate <= says * 1.01 + 4 * m.sigma
                    && m.rate >= says / 1.6 - 4 * m.sigma,
                    "few blocks: bloom_plan_fpr is at most 1.6 times the rate");
        }
}

/* ---- Neighbouring seeds ---------------------------------------------------- */

/* Keys 0, 1, 2 .. in both; how many of the absent keys that one filter takes for
   its own does the other take too, or their neighbour? By chance: hits * rate. */
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
                "other seeds have other false positives");
    }
    printf("\n");
    fflush(stdout);
}

static void seeds(void)
{
    static const uint64_t from[] = { 0, 1, 0x123456789ABCDEF0U };
    unsigned i;
    printf("\ninteger keys: false positives in common, over those by chance,\n"
           "when the other filter is asked for the key -2, -1, 0, +1, +2\n");
    for (i = 0; i < sizeof from / sizeof *from; i++) {
        seeds_of(BLOOM_CLASSIC, 64, from[i]);
        seeds_of(BLOOM_BLOCKED, 64, from[i]);
    }
    seeds_of(BLOOM_CLASSIC, 32, 0);
}

int main(int argc, char **argv)
{
    static const named_part parts[] = {
        { "table", table }, { "few", few }, { "seeds", seeds } };
    return run_parts(parts, sizeof parts / sizeof parts[0], argc, argv);
}
