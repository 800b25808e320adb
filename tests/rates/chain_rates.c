/* Tests that scalable Bloom filters (bloom_chain.h) keep their rate p, and how
   much memory they need (`make promise`). Rates are measured by lookups; below
   p = 10^-3 they are computed from the cells.

   usage: chain_rates [whole] [links] [memory] [all] [seed=S]
     whole    the rate of chains of 1 to 13 full links, against p
     links    the rate of each link, against its share of p
     memory   against one filter that is planned for the same keys
     all      8 times the chains
     seed=S   the random numbers' seed
   Without the name of a part, all parts run. The exit status is 1 if a rate is
   too high, if a link takes too few or too many keys, or if a chain needs more
   memory than the limits in memory(). */

#include "rates.h"

enum { LINKS = 13, LEAST = 5 };

static const double ps[] = { 0.5, 0.25, 0.01, 1e-6 };

static const char *name_of(bloom_plan like)
{
    return like.layout == BLOOM_BLOCKED ? "blocked" : "classic";
}

/* How many new keys the newest link takes: the capacity of its plan at its
   share of p, less that share of it for keys that were false positives.
   bloom_chain.h computes the same. */
static double capacity_of(const bloom_chain *c)
{
    unsigned i = bloom_chain_links(c) - 1;
    double share = bloom_chain_rate(c) / ((i + 1.0) * (i + 2.0));
    uint64_t n = bloom_plan_capacity(bloom_plan_of(bloom_chain_link(c, i)),
                                     share);
    return fmax(floor((double)n * (1 - share)), 1);
}

/* Observes the rate by lookups, or below p = 10^-3 from the cells. */
static void observe_chain(tally *t, const bloom_chain *c, double p)
{
    const double asked = 10000;
    double maybes = 0, j;
    if (p < 1e-3) {
        observe_chain_cells(t, c);
        return;
    }
    for (j = 0; j < asked; j++)
        maybes += bloom_chain_may_contain_u64(c, random64());
    observe(t, maybes / asked, (maybes + 0.01) / (asked * asked));
}

/* ---- Whole chains, each time that all their links are full --------------- */

static void whole_at(bloom_plan like, uint64_t first_n, double p)
{
    tally t[LINKS];
    unsigned i;
    double j;
    memset(t, 0, sizeof t);
    for (j = 0; j < (first_n < 100 ? 200 : 20) * effort; j++) {
        bloom_chain *c;
        like.seed = random64();
        c = need(bloom_chain_create(first_n, p, like));
        for (i = 0; i < LINKS; i++) {
            double more = capacity_of(c) - (i > 0);     /* 1 is in it already */
            while (more > 0)
                more -= bloom_chain_add_u64(c, random64());
            promise(bloom_chain_links(c) == i + 1,
                    "a link takes as many new keys as its capacity");
            observe_chain(&t[i], c, p);
            while (!bloom_chain_add_u64(c, random64()))
                continue;
            promise(bloom_chain_links(c) == i + 2,
                    "a full link takes no more keys");
        }
        bloom_chain_free(c);
    }
    printf("%s %6g %3.0f ", name_of(like), p, (double)first_n);
    for (i = 0; i < LINKS; i++) {
        measure m = mean_of(t[i]);
        printf(" %.3f+-%.3f", m.rate / p, 4 * m.sigma / p);
        promise(m.rate <= p + 4 * m.sigma, "the rate of a chain is <= p");
    }
    printf("\n");
    fflush(stdout);
}

static void whole(void)
{
    bloom_plan like = { 0, 0, 0, 0, 64 };
    unsigned i;
    uint64_t n;
    printf("\nchains of 1 to %d full links: measured rate / p +- 4 sigma\n"
           "             p first_n: 1, 2 .. links\n", LINKS);
    for (like.layout = BLOOM_CLASSIC; like.layout <= BLOOM_BLOCKED;
         like.layout++)
        for (i = 0; i < sizeof ps / sizeof *ps; i++)
            for (n = 1; n <= 100; n += 99)
                whole_at(like, n, ps[i]);
}

/* ---- Links, each by itself ----------------------------------------------- */

static void links_at(bloom_plan like, double p)
{
    tally t[LEAST];
    const double asked = p < 1e-3 ? 0 : 40000;
    unsigned i;
    double j, k;
    memset(t, 0, sizeof t);
    for (j = 0; j < 150 * effort; j++) {
        bloom_chain *c;
        like.seed = random64();
        c = need(bloom_chain_create(200, p, like));
        while (bloom_chain_links(c) <= LEAST)
            bloom_chain_add_u64(c, random64());
        for (i = 0; i < LEAST; i++) {
            const bloom *b = bloom_chain_link(c, i);
            double maybes = 0;
            for (k = 0; k < asked; k++)
                maybes += bloom_may_contain_u64(b, random64());
            if (asked > 0)
                observe(&t[i], maybes / asked, (maybes + 0.01)
                                               / (asked * asked));
            else
                observe_cells(&t[i], b, (double)bloom_estimate(b));
        }
        bloom_chain_free(c);
    }
    printf("%s %6g ", name_of(like), p);
    for (i = 0; i < LEAST; i++) {
        measure m = mean_of(t[i]);
        double share = p / ((i + 1.0) * (i + 2.0));
        printf("  %5.3f +-%.3f", m.rate / share, 4 * m.sigma / share);
        promise(m.rate <= share + 4 * m.sigma,
                "the rate of a link is at most its share of p");
    }
    printf("\n");
    fflush(stdout);
}

static void links(void)
{
    bloom_plan like = { 0, 0, 0, 0, 64 };
    unsigned i;
    printf("\nlinks 0 to %d of chains with first_n = 200: measured rate"
           " / share of p +- 4 sigma\n", LEAST - 1);
    for (like.layout = BLOOM_CLASSIC; like.layout <= BLOOM_BLOCKED;
         like.layout++)
        for (i = 0; i < sizeof ps / sizeof *ps; i++)
            links_at(like, ps[i]);
}

/* ---- Memory -------------------------------------------------------------- */

/* The memory of a chain over that of one filter for the same keys: when all
   `count` links are full, and when one more link has begun */
static void memory_of(bloom_layout layout, uint64_t first_n, double p,
                      unsigned count, double full_most, double bits_most)
{
    bloom_chain *c = need(bloom_chain_new(first_n, p, layout));
    double keys = 0, before = 0, bits, one;
    while (bloom_chain_links(c) <= count) {
        before = (double)bloom_chain_size(c);
        keys += bloom_chain_add_u64(c, random64());
    }
    one = (double)bloom_plan_size(bloom_plan_layout((uint64_t)keys, p, layout));
    bits = 8 * (double)bloom_chain_size(c) / keys;
    printf("%s %5.0e, first_n %4.0f: %8.0f keys fill %2u links: %.2f of one"
           " filter; with a new link %.2f, %.0f bits per key\n",
           layout == BLOOM_BLOCKED ? "blocked" : "classic", p, (double)first_n,
           keys, count, before / one, bits * keys / 8 / one, bits);
    fflush(stdout);
    promise(before <= full_most * one,
            "a full chain needs at most the stated memory");
    promise(bits <= bits_most,
            "a chain with a new link needs at most the stated memory");
    bloom_chain_free(c);
}

static void memory(void)
{
    printf("\nmemory of chains, over that of one filter for the same keys\n");
    memory_of(BLOOM_CLASSIC, 1000, 0.01, 9, 1.95, 9.6 * 3.95);
    memory_of(BLOOM_CLASSIC, 100, 0.01, 13, 2.15, 9.6 * 4.25);
    memory_of(BLOOM_BLOCKED, 1000, 0.01, 9, 2.2, 10.6 * 4.4);
    memory_of(BLOOM_BLOCKED, 1000, 1e-6, 12, 2, 100);
}

int main(int argc, char **argv)
{
    static const named_part parts[] = {
        { "whole", whole }, { "links", links }, { "memory", memory } };
    return run_parts(parts, sizeof parts / sizeof parts[0], argc, argv);
}
