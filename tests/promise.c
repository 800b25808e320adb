/* make promise: the rates that bloom.h promises, measured on real filters with
   random keys, many seeds.

   usage: promise [rates] [generator] [estimate] [even]     (all, if none named)
     rates      measured / promised for each n, p, and kind of key
     generator  the k-index generator beside plain double hashing
     estimate   bloom_estimate at n = 10^6
     even       a filter of 2^33 bits is filled evenly
   Exits with 1 if a promise is broken, and says which. */

#define BLOOM_STATIC
#include "bloom.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static inline uint64_t random64(void)
{
    uint64_t z = state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

static int broken;

static void promise(int kept, const char *what)
{
    if (!kept)
        printf("    BROKEN: %s\n", what);
    broken += !kept;
}

/* ---- Rates -------------------------------------------------------------- */

typedef struct { double rate, sigma; } measure;

/* The mean over many filters, and its standard error, which is taken from how
   the filters differ, or from the count of "maybe"s if that is larger. */
static measure mean_of(double maybes, double squares, double filters,
                       double asked)
{
    measure result;
    double mean = maybes / filters;
    double among = (squares / filters - mean * mean) / filters;
    double counted = (maybes + 1) / (filters * filters);
    result.rate = mean / asked;
    result.sigma = sqrt(filters > 30 && among > counted ? among : counted)
                 / asked;
    return result;
}

enum { BYTES, INTEGERS };

static bool add(bloom *b, uint64_t key, int kind)
{
    return kind == INTEGERS ? bloom_add_u64(b, key) : bloom_add(b, &key, 8);
}

static bool ask(const bloom *b, uint64_t key, int kind)
{
    return kind == INTEGERS ? bloom_may_contain_u64(b, key)
                            : bloom_may_contain(b, &key, 8);
}

static measure measure_plan(bloom_plan plan, uint64_t n, int kind,
                            double ask_at)
{
    size_t size = bloom_plan_size(plan);
    void *memory = malloc(size);
    double maybes = 0, squares = 0, filters = 0, asked = 4.0 * (double)n + 200;
    while (filters * asked < ask_at) {
        double maybe = 0, i;
        bloom *b;
        plan.seed = random64();
        b = bloom_init(memory, size, plan);
        for (i = 0; i < (double)n; i++)
            add(b, random64(), kind);
        for (i = 0; i < asked; i++)
            maybe += ask(b, random64(), kind);
        maybes += maybe;
        squares += maybe * maybe;
        filters++;
    }
    free(memory);
    return mean_of(maybes, squares, filters, asked);
}

/* Lookups for 6400 "maybe"s, whose four sigma are 5% of p; for 160000, or 1%,
   where p >= 0.01. But at most 64 million. */
static double enough(double p)
{
    return fmin((p >= 0.01 ? 160000 : 6400) / p, 6.4e7);
}

static void rates(void)
{
    static const uint64_t keys[] = { 1, 2, 3, 5, 10, 50, 100, 1000, 10000,
                                     1000000 };
    static const double ps[] = { 0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-6 };
    unsigned i, j, kind;
    printf("measured rate / promised rate (and four sigma)\n"
           "        n      p  bits/key  k    64, bytes        64, integers"
           "     32, bytes\n");
    for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
        for (j = 0; j < sizeof ps / sizeof ps[0]; j++) {
            bloom_plan plan = bloom_plan_for(keys[i], ps[j]);
            double n = (double)keys[i], bits = (double)plan.cells;
            printf("%9.0f  %5.0e  %8.2f %2u", n, ps[j], bits / n, plan.hashes);
            promise(n < 100 || bits <= 1.02 * n * log2(1 / ps[j]) / log(2) + 64,
                    "memory within 2% and 64 bits of the textbook");
            for (kind = 0; kind < 3; kind++) {
                double planned;
                measure m;
                plan.hash_bits = kind == 2 ? 32 : 64;
                planned = bloom_plan_fpr(plan, keys[i]);
                m = measure_plan(plan, keys[i], kind == 1 ? INTEGERS : BYTES,
                                 enough(ps[j]));
                printf("   %6.4f (%.4f)", m.rate / ps[j], 4 * m.sigma / ps[j]);
                fflush(stdout);
                promise(m.rate <= ps[j] + 4 * m.sigma, "rate <= p");
                promise(n < 100 || fabs(m.rate - planned)
                                   <= 0.01 * planned + 4 * m.sigma,
                        "bloom_plan_fpr within 1%");
            }
            printf("\n");
        }
}

/* ---- The generator ------------------------------------------------------ */
/* Cells of random hashes by several rules, in a naive bitset of at most 2^15
   cells. */

enum { GUAVA, CONSTANT, SCRAMBLED, SCRAMBLED_32, SCRAMBLED_U64, INDEPENDENT };

static inline uint64_t high_half(uint64_t x, uint64_t m)
{
    return bloom_high_half_(x, m);
}

/* Sets (or asks for) the k cells of a random key; true if all were set. */
static inline bool walk(unsigned char *cell, uint64_t m, unsigned k, int rule,
                        bool set)
{
    uint64_t x = random64(), y = random64();
    bool all = true;
    if (rule == SCRAMBLED_32)
        y = x << 32;
    if (rule == SCRAMBLED_U64)
        y = x * 0x9E3779B97F4A7C15U;
    while (k-- > 0 && (all || set)) {
        uint64_t i = rule == GUAVA ? (x & INT64_MAX) % m : high_half(x, m);
        all = all && cell[i];
        if (set)
            cell[i] = 1;
        x = rule == INDEPENDENT ? random64() : x + y;
        if (rule >= SCRAMBLED)
            y *= 37;
    }
    return all;
}

static measure measure_rule(uint64_t m, unsigned k, unsigned n, int rule,
                            double ask_at)
{
    static unsigned char cell[1 << 15];
    double maybes = 0, squares = 0, filters = 0, asked = 4 * n + 200;
    while (filters * asked < ask_at && maybes < 3e4) {
        double maybe = 0;
        unsigned i;
        memset(cell, 0, m);
        for (i = 0; i < n; i++)
            walk(cell, m, k, rule, true);
        for (i = 0; i < asked; i++)
            maybe += walk(cell, m, k, rule, false);
        maybes += maybe;
        squares += maybe * maybe;
        filters++;
    }
    return mean_of(maybes, squares, filters, asked);
}

static void generator(void)
{
    static const struct { unsigned m, k, n; } rows[] = {
        { 64, 10, 4 }, { 256, 10, 18 }, { 512, 10, 35 }, { 4096, 10, 284 },
        { 320, 20, 10 }, { 28800, 20, 1000 }, { 64, 3, 1 }, { 128, 4, 2 } };
    unsigned i;
    int rule;
    printf("\nmeasured / textbook rate, (1 - (1 - 1/m)^(kn))^k, by index rule\n"
           "      m   k     n  textbook    Guava  constant    "
           "scrambled: w64     w32     u64   independent  bloom_plan_fpr\n");
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double m = rows[i].m, k = rows[i].k, n = rows[i].n;
        double book = pow(1 - pow(1 - 1 / m, k * n), k);
        bloom_plan plan = bloom_plan_bytes(1, 40);
        plan.cells = rows[i].m;
        plan.hashes = (uint8_t)rows[i].k;
        printf("%7.0f  %2.0f %5.0f   %7.1e", m, k, n, book);
        for (rule = GUAVA; rule <= INDEPENDENT; rule++) {
            measure r = measure_rule(rows[i].m, rows[i].k, rows[i].n, rule,
                                     fmin(3e4 / book, 1e9));
            double planned = bloom_plan_fpr(plan, rows[i].n);
            printf(rule == SCRAMBLED ? "           %7.3f" : "  %7.3f",
                   r.rate / book);
            fflush(stdout);
            promise(rule < SCRAMBLED || rule == INDEPENDENT
                    || fabs(r.rate - planned) <= 0.02 * planned + 4 * r.sigma,
                    "the scrambled step gives the planned rate");
        }
        printf("      %7.3f\n", bloom_plan_fpr(plan, rows[i].n) / book);
    }
}

/* ---- The estimate ------------------------------------------------------- */

static void estimate(void)
{
    bloom *b = bloom_new(1000000, 0.01);
    double n;
    printf("\nbloom_estimate for a filter of 1,000,000 keys at 1%%\n");
    for (n = 1; b && n <= 1000000; n++) {
        bloom_add_u64(b, random64());
        if (n >= 500000 && fmod(n, 100000) <= 0) {
            double judged = (double)bloom_estimate(b);
            printf("%9.0f added  %9.0f estimated  %+.3f%%\n", n, judged,
                   100 * (judged / n - 1));
            promise(fabs(judged / n - 1) < 0.01, "estimate within 1%");
        }
    }
    promise(b != NULL, "memory for 1.2 MB");
    bloom_free(b);
}

/* ---- Beyond 2^32 bits --------------------------------------------------- */

/* 4 * 10^7 keys with k = 4 into 2^33 cells; the ones of each 64th must be as
   many as of the others, within five sigma. */
static void even(void)
{
    enum { PARTS = 64 };
    const double keys = 4e7, m = 8589934592.0;
    bloom_plan plan = bloom_plan_bytes(1, 40);
    const unsigned char *cells;
    uint64_t part, i;
    double n, expected = m / PARTS * -expm1(-4 * keys / m), worst = 0;
    bloom *b;
    plan.cells = 1ULL << 33;
    plan.hashes = 4;
    b = bloom_create(plan);
    promise(b != NULL, "memory for 1 GiB");
    if (!b)
        return;
    for (n = 0; n < keys; n++)
        bloom_add_u64(b, random64());
    cells = (const unsigned char *)(const void *)b + 32;
    for (part = 0; part < PARTS; part++) {
        double ones = 0;
        for (i = 0; i < plan.cells / PARTS / 64; i++, cells += 8)
            ones += bloom_popcount_(bloom_load64_(cells));
        worst = fmax(worst, fabs(ones - expected) / sqrt(expected));
    }
    printf("\n2^33 cells: %.0f ones expected in each 64th; the furthest is %.1f"
           " sigma off\n", expected, worst);
    promise(worst < 5, "even fill beyond 2^32 cells");
    bloom_free(b);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void); } parts[] = {
        { "rates", rates }, { "generator", generator },
        { "estimate", estimate }, { "even", even } };
    unsigned i;
    int j;
    for (i = 0; i < 4; i++) {
        bool wanted = argc < 2;
        for (j = 1; j < argc; j++)
            wanted = wanted || strcmp(argv[j], parts[i].name) == 0;
        if (wanted)
            parts[i].run();
    }
    printf(broken ? "%d promises broken\n" : "every promise kept\n", broken);
    return broken != 0;
}
