/* Measures the rates of chains and windows (`make promise`), by lookups or, if
   they are too low for that, from the cells.

   usage: companions [whole] [links] [memory] [windows] [all] [brief]
                     [seed=S]
     whole    the rate of chains of 1 to 13 full links, against p
     links    the rate of each link, against its share of p
     memory   of a chain, against one filter that is planned for the same keys
     windows  find each of the last n keys, and others with a rate of at most p;
              and the memory of age-partitioned filters, computed
     all      8 times the chains; also windows of a million keys, to which 10^8
              keys are added
     brief    one of eleven chains, links and windows
     seed=S   the random numbers' seed
   Without the name of a part, all parts run. The exit status is 1 if a rate is
   too high, if a link takes too few or too many keys, if a chain needs more
   memory than the limits in memory(), or if a window forgets a key too soon. */

#include "rates.h"
#include "examples/companions/bloom_window.h"

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
    if (left_out())
        return;
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
    if (left_out())
        return;
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
    bloom_chain *c;
    double keys = 0, before = 0, bits, one;
    if (left_out())
        return;
    c = need(bloom_chain_new(first_n, p, layout));
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

/* ---- Windows --------------------------------------------------------------
   Keys are drawn from 4n numbers, so that some come again. The oracle is a list
   of when each number was last added. Absent keys are larger numbers, which are
   not drawn. */

#define FAR (1ULL << 60)                /* the drawn numbers lack this bit */

static uint32_t *added_at;              /* when each was last added; 0: never */

/* Adds numbers in batches. After each batch it looks up numbers that are among
   the last n. Returns how many of these were not found. */
static uint64_t add_all(bloom_window *w, uint64_t n, uint64_t keys)
{
    static uint64_t batch[BATCH];
    uint64_t now = 0, lost = 0, i, number;
    while (now < keys) {
        for (i = 0; i < BATCH; i++) {
            number = random64() % (4 * n);
            batch[i] = number;
            added_at[number] = (uint32_t)++now;
        }
        bloom_window_add_many_u64(w, batch, BATCH, NULL);
        for (i = 0; i < BATCH; ) {
            number = random64() % (4 * n);
            if (added_at[number] > 0 && now - added_at[number] <= n)
                batch[i++] = number;
        }
        lost += BATCH
              - bloom_window_may_contain_many_u64(w, batch, BATCH, NULL);
    }
    return lost;
}

/* Measures the mean rate of some windows after `keys` keys, by lookups, and
   once more when the newest generation is full, from the cells. */
static void windows_at(unsigned windows, uint64_t n, double p, unsigned g,
                 bloom_layout layout, uint64_t keys)
{
    const uint64_t asked = p > 1e-5 ? 1 << 20 : 0;
    const bloom_plan plan = bloom_plan_layout(n, p, layout);
    tally ends = { 0, 0, 0, 0 }, fulls = { 0, 0, 0, 0 };
    measure end, full;
    double memory = 0;
    uint64_t lost = 0, i, maybe;
    bloom_window *w;
    if (left_out())
        return;
    for (; windows > 0; windows--) {
        w = need(bloom_window_new(n, p, g, layout));
        added_at = need(calloc((size_t)(4 * n), sizeof *added_at));
        lost += add_all(w, n, keys);
        for (i = maybe = 0; i < asked; i++)
            maybe += bloom_window_may_contain_u64(w, random64() | FAR);
        observe(&ends, (double)maybe / (double)(asked + !asked),
                (double)maybe / (double)(asked + !asked)
                / (double)(asked + !asked));
        while (bloom_window_keys(w) < bloom_window_plan_of(w).room)
            bloom_window_add_u64(w, random64() | FAR);
        observe(&fulls, bloom_window_fpr(w), 0);
        memory = (double)bloom_window_size(w);
        bloom_window_free(w);
        free(added_at);
    }
    end = mean_of(ends);
    full = mean_of(fulls);
    printf("%-8s g %2u, p %-6g: %.0f forgotten; rate / p when full %5.3f"
           " +-%.3f", layout ? "blocked" : "classic", g, p, (double)lost,
           full.rate / p, 4 * full.sigma / p);
    if (asked > 0)
        printf(", at the end %5.3f +-%.3f", end.rate / p, 4 * end.sigma / p);
    printf("; memory %.2f\n", memory / (double)bloom_plan_size(plan));
    fflush(stdout);
    promise(lost == 0, "a window finds each of the last n keys");
    promise(end.rate <= p + 4 * end.sigma && full.rate <= p + 4 * full.sigma,
            "the rate of a window is <= p");
}

/* The rate of an age-partitioned filter of k + l slices (Shtul, Baquero,
   Almeida 2020): how likely k slices in a row have the key's bit. Each key goes
   into the newest k slices, and then the slices age by one. So the i-th has got
   the keys of i + 1 ages, at most k, when half of its bits are set. */
static double rate_of_ages(unsigned k, unsigned l)
{
    double row[64] = { 1 }, rate = 0;           /* of 0 .. k - 1 slices */
    for (unsigned i = 0; i < k + l; i++) {
        const double set = i < k ? 1 - pow(2, -(i + 1.0) / k) : 0.5;
        double none = 0;
        rate += row[k - 1] * set;
        for (unsigned j = 0; j < k; j++)
            none += row[j] * (1 - set);
        for (unsigned j = k - 1; j > 0; j--)
            row[j] = row[j - 1] * set;
        row[0] = none;
    }
    return rate;
}

/* The least bits per key of one that finds the keys of the last l ages */
static double bits_of_ages(double p)
{
    double least = INFINITY;
    for (unsigned k = 2; k < 64; k++)
        for (unsigned l = 1; l < 400 && rate_of_ages(k, l) <= p; l++)
            least = fmin(least, (double)(k + l) * k / (l * log(2)));
    return least;
}

static void ages(double p)
{
    const double n = 1e6;
    const double theirs = bits_of_ages(p);
    const double ours = 8 * (double)bloom_window_plan_size(
        bloom_window_plan_for((uint64_t)n, p, 8, BLOOM_CLASSIC)) / n;
    printf("p %-6g: %.1f bits a key; age-partitioned %.1f: %.2f times\n", p,
           ours, theirs, theirs / ours);
}

static void windows(void)
{
    static const double rates[] = { 0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6 };
    unsigned g, i;
    printf("\nwindows of 20,000 keys; memory over that of one filter;"
           " +- 4 sigma\n");
    for (g = 2; g <= 16; g *= 2)
        for (i = 0; i < sizeof rates / sizeof *rates; i++)
            windows_at(8, 20000, rates[i], g,
                       i % 2 ? BLOOM_BLOCKED : BLOOM_CLASSIC, 200000);
    printf("\nwindows with g = 8 of a million keys\n");
    ages(0.1);
    ages(0.01);
    ages(0.0001);
    if (effort > 1)
        printf("windows of a million keys, after 10^8 keys were added\n");
    for (g = 2; effort > 1 && g <= 16; g *= 2)
        windows_at(2, 1000000, 0.01, g, BLOOM_BLOCKED, 100000000);
}

int main(int argc, char **argv)
{
    static const named_part parts[] = {
        { "whole", whole }, { "links", links }, { "memory", memory },
        { "windows", windows } };
    return run_parts(parts, sizeof parts / sizeof parts[0], argc, argv);
}
