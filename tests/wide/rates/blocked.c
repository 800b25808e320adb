/* make promise: the blocked layout at every p, and chains link by link.

   usage: blocked [table] [few] [chains] [memory] [seeds] [all] [seed=S]
     table   n from 10^3 to 10^7: memory, blocks a key, measured rate
     few     several blocks a key, and few in all
     chains  each link's own share of the rate
     memory  a chain's, beside one filter for as many keys
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

/* ---- Chains ---------------------------------------------------------------- */

enum { LINKS = 5 };

/* The rates of all links but the newest, which has just begun */
static void observe_links(tally *t, bloom_plan like, double p)
{
    bloom_chain *c = need(bloom_chain_create(200, p, like));
    const double asked = p < 1e-3 ? 0 : 40000;
    unsigned i;
    double j;
    while (bloom_chain_links(c) <= LINKS)
        bloom_chain_add_u64(c, random64());
    for (i = 0; i < LINKS; i++) {
        const bloom *b = bloom_chain_link(c, i);
        double maybes = 0;
        if (asked <= 0) {
            observe_cells(&t[i], b, (double)bloom_estimate(b));
            continue;
        }
        for (j = 0; j < asked; j++)
            maybes += bloom_may_contain_u64(b, random64());
        observe(&t[i], maybes / asked, (maybes + 0.01) / (asked * asked));
    }
    bloom_chain_free(c);
}

static void chains_at(bloom_plan like, double p)
{
    tally t[LINKS];
    unsigned i;
    double j;
    memset(t, 0, sizeof t);
    for (j = 0; j < 150 * effort; j++) {
        like.seed = random64();
        observe_links(t, like, p);
    }
    printf("%s  %5.0e ", like.layout == BLOOM_BLOCKED ? "blocked" : "classic",
           p);
    for (i = 0; i < LINKS; i++) {
        measure m = mean_of(t[i]);
        double share = p / ((i + 1.0) * (i + 2.0));
        printf("  %5.3f +-%.3f", m.rate / share, 4 * m.sigma / share);
        promise(m.rate <= share + 4 * m.sigma, "a link keeps its share");
    }
    printf("\n");
    fflush(stdout);
}

static void chains(void)
{
    static const double ps[] = { 0.5, 0.1, 0.01, 1e-6 };
    bloom_plan like = { 0, 0, 0, 0, 64 };
    unsigned i;
    printf("\nchains, first for 200 keys: each full link's rate / its share\n"
           "                link 0 .. %d\n", LINKS - 1);
    for (like.layout = BLOOM_CLASSIC; like.layout <= BLOOM_BLOCKED;
         like.layout++)
        for (i = 0; i < sizeof ps / sizeof *ps; i++)
            chains_at(like, ps[i]);
}

/* Bits a key of a chain, over what one filter has: just before a link is added,
   and with it */
static void memory_of(bloom_layout layout, uint64_t first_n, double p,
                      unsigned links, double full_most, double bits_most)
{
    bloom_chain *c = need(bloom_chain_new(first_n, p, layout));
    double keys = 0, before = 0, bits, one;
    while (bloom_chain_links(c) <= links) {
        before = (double)bloom_chain_size(c);
        keys += bloom_chain_add_u64(c, random64());
    }
    one = (double)bloom_plan_size(bloom_plan_layout((uint64_t)keys, p, layout));
    bits = 8 * (double)bloom_chain_size(c) / keys;
    printf("%s %5.0e, first for %4.0f: %8.0f keys fill %2u links: %.2f of one"
           " filter; then %.2f, %.0f bits a key\n",
           layout == BLOOM_BLOCKED ? "blocked" : "classic", p, (double)first_n,
           keys, links, before / one, bits * keys / 8 / one, bits);
    fflush(stdout);
    promise(before <= full_most * one, "the memory of a chain that is full");
    promise(bits <= bits_most, "the memory of a chain with a new link");
    bloom_chain_free(c);
}

static void memory(void)
{
    printf("\nmemory of chains\n");
    memory_of(BLOOM_CLASSIC, 1000, 0.01, 9, 1.95, 9.6 * 3.95);
    memory_of(BLOOM_CLASSIC, 100, 0.01, 13, 2.15, 9.6 * 4.25);
    memory_of(BLOOM_BLOCKED, 1000, 0.01, 9, 2.2, 10.6 * 4.4);
    memory_of(BLOOM_BLOCKED, 1000, 1e-6, 12, 2, 100);
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
        { "table", table }, { "few", few }, { "seeds", seeds },
        { "chains", chains }, { "memory", memory },
    };
    return run_parts(parts, sizeof parts / sizeof parts[0], argc, argv);
}
