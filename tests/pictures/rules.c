/* Computes the data of two pictures of `make pictures`, in rows with tabs.

   usage: rules rates P OUT.tsv [all] [seed=S]
     Compares bloom.h with the usual way to plan and index a Bloom filter: the
     measured rate over P, for n from 1 to 10^5. Columns: P, N, RULE, rate / P,
     standard error. The exit status is 1 if the rate of bloom.h is above P.
     The rules:
       guava     m = -n ln p / ln^2 2, rounded up to whole 64-bit words; k =
                 m/n ln 2, rounded; cell i is (h1 + i h2) mod m, in 63 bits.
                 Guava does so, and most others with other hash functions.
       constant  the same m and k; a cell is the upper half of x * m, x += h2
       bloom.h   the plan of bloom_plan_for, and the library's own calls
   usage: rules memory N OUT.tsv
     The bits per key of plans for N keys. Columns: N, P, LAYOUT, bits, k. */

#include "tests/rates/rates.h"

enum { GUAVA, CONSTANT, OURS, RULES };

static const char *const name[RULES] = { "guava", "constant", "bloom.h" };

static bloom_plan textbook_plan(double n, double p)
{
    double ln2 = log(2), m = floor(n * log(1 / p) / (ln2 * ln2));
    bloom_plan plan = bloom_plan_bytes(1, 40);
    plan.hashes = (uint8_t)fmax(1, floor(m / n * ln2 + 0.5));
    plan.cells = ((uint64_t)m + 63) / 64 * 64;
    return plan;
}

/* Sets the cells of a random key in a plain array of bits, or only tests them.
   Returns true if all were set before. */
static bool walk(unsigned char *bits, bloom_plan plan, int rule, bool set)
{
    uint64_t x = random64(), y = random64();
    unsigned k = plan.hashes, all = 1;
    while (k-- > 0 && (all || set)) {
        uint64_t i = rule == GUAVA ? (x & INT64_MAX) % plan.cells
                                   : inside_high_half(x, plan.cells);
        all &= (unsigned)bits[i >> 3] >> (i & 7) & 1;
        if (set)
            bits[i >> 3] |= (unsigned char)(1U << (i & 7));
        x += y;
    }
    return all;
}

static bool one(bloom *b, unsigned char *bits, bloom_plan plan, int rule,
                bool set)
{
    bloom_hash h;
    if (rule != OURS)
        return walk(bits, plan, rule, set);
    h.h1 = random64();
    h.h2 = random64();
    return set ? bloom_add_hash(b, h) : bloom_may_contain_hash(b, h);
}

static measure measure_rule(bloom_plan plan, double n, int rule, double ask_at)
{
    bloom *b = need(bloom_create(plan));
    unsigned char *bits = (unsigned char *)(void *)b + 32;
    double asked = 4 * n + 200, maybes = 0, i;
    tally t = { 0, 0, 0, 0 };
    while (t.filters < 20 || (t.filters * asked < ask_at && maybes < 1e4)) {
        double maybe = 0;
        bloom_clear(b);
        for (i = 0; i < n; i++)
            one(b, bits, plan, rule, true);
        for (i = 0; i < asked; i++)
            maybe += one(b, bits, plan, rule, false);
        maybes += maybe;
        observe(&t, maybe / asked, (maybe + 0.1) / (asked * asked));
    }
    bloom_free(b);
    return mean_of(t);
}

static void show(FILE *out, double p, double n)
{
    int rule;
    for (rule = 0; rule < RULES; rule++) {
        bloom_plan plan = rule == OURS ? bloom_plan_for((uint64_t)n, p)
                                       : textbook_plan(n, p);
        measure m = measure_rule(plan, n, rule, effort * fmin(2e4 / p, 4e7));
        fprintf(out, "%g\t%.0f\t%s\t%.4g\t%.2g\n", p, n, name[rule],
                m.rate / p, m.sigma / p);
        promise(rule != OURS || m.rate <= p + 4 * m.sigma,
                "the rate of bloom.h is <= p");
    }
}

static void rates(FILE *out, double p)
{
    double n, next;
    for (n = 1; n <= 1e5; n = fmax(n + 1, next)) {
        show(out, p, n);
        next = floor(n * (n < 30 ? 1.3 : 2.15) + 0.5);
    }
}

/* bloom_plan_size includes the 4 bits per cell of a counting filter. */
static void memory(FILE *out, double n)
{
    static const char *const layouts[] = { LAYOUT_NAMES };
    int layout, e;
    for (layout = 0; layout < LAYOUT_COUNT; layout++)
        for (e = 2; e <= 60; e++) {
            double p = pow(10, -e / 5.0);
            bloom_plan plan = bloom_plan_layout((uint64_t)n, p,
                                                (bloom_layout)layout);
            if (bloom_plan_size(plan) > 0)
                fprintf(out, "%g\t%.4g\t%s\t%.5g\t%d\n", n, p, layouts[layout],
                        8 * (double)(bloom_plan_size(plan) - 32) / n,
                        plan.hashes);
        }
}

int main(int count, char **words)
{
    bool of_rates = count > 3 && strcmp(words[1], "rates") == 0;
    double number = count > 3 ? strtod(words[2], NULL) : 0;
    FILE *out;
    int i;
    if (!(number > 0) || (of_rates ? number >= 1
                                   : strcmp(words[1], "memory") != 0))
        return say_what(count > 1 ? words[1] : "none was given");
    for (i = 4; i < count; i++)
        if (!is_option(words[i]))
            return say_what(words[i]);
    out = fopen(words[3], "w");
    if (!out)
        return say_what(words[3]);
    (of_rates ? rates : memory)(out, number);
    return fclose(out) != 0 ? 2 : ending();
}
