/* Tests the assumptions on which the formulas of bloom_plan_fpr rest, each by
   itself (`make promise`).

   usage: exact_sums [blocks] [floor] [generator] [estimate] [even] [all]
                     [seed=S]
     blocks     how many of all 2^32 masks a block of 1 to 20 keys accepts,
                against the formula
     floor      the least rate of 32-bit hashes, against bloom_plan_fpr
     generator  the walk of bloom.h, against k independent hash functions and
                against plain double hashing
     estimate   bloom_estimate, against the number of keys, up to 10^6
     even       whether a filter of 2^33 cells is filled evenly
     all        8 times the blocks, and up to 10^9 keys for the generator
     seed=S     the random numbers' seed
   Without the name of a part, all parts run. The exit status is 1 if a measured
   value differs from the formula by more than its limit: then plans do not keep
   their rate. */

#include "rates.h"

/* ---- Blocks, exactly ------------------------------------------------------
   A mask is made from 32 bits of the hash, z: in word i it has the bit whose
   number is the upper 5 bits of z * salt[i]. This part counts all z whose mask
   a block accepts.
   To be faster than 2^32 tries, it lists only the z with given bits a and b in
   words 0 and 1. Let z * salt[0] = a * 2^27 + t with 0 <= t < 2^27, and step =
   salt[1] / salt[0]. Then t must satisfy t * step + offset < 2^27 (mod 2^32).
   By the three gap theorem, the distance from one such t to the next is one of
   three: g, h, or g + h. */

static const uint32_t salt[8] = { 0x47b6137b, 0x44974d91, 0x8824ad5b,
    0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31 };

static uint32_t inverse(uint32_t odd)
{
    uint32_t x = odd;           /* correct in 3 bits, then in 6, 12, ... */
    unsigned i;
    for (i = 0; i < 4; i++)
        x *= 2 - odd * x;
    return x;
}

/* Are the bits of z set in the words `from` to 7? */
static bool accepts(const uint32_t *word, uint32_t z, unsigned from)
{
    for (; from < 8; from++)
        if (!(word[from] >> (z * salt[from] >> 27) & 1))
            return false;
    return true;
}

/* The least t >= 1 with r + t * step < 2^27 (mod 2^32) */
static uint32_t first_below(uint32_t r, uint32_t step)
{
    uint32_t t = 1;
    while ((r += step) >> 27)
        t++;
    return t;
}

/* The number of accepted z with the bits a and b in words 0 and 1 */
static double accepted_with(const uint32_t *word, uint32_t a, uint32_t b)
{
    const uint32_t back = inverse(salt[0]), step = salt[1] * back;
    uint32_t g = first_below(0, step), h = first_below(0, 0 - step);
    const uint32_t small = g < h ? g : h, large = g < h ? h : g;
    uint32_t r = (a << 27) * step - (b << 27), t = 0, gap;
    double count = 0;
    if (r >> 27) {
        t = first_below(r, step);
        r += t * step;
    }
    while (!(t >> 27)) {
        count += accepts(word, (a << 27 | t) * back, 2);
        gap = (r + large * step) >> 27 ? small + large : large;
        gap = (r + small * step) >> 27 ? gap : small;
        t += gap;
        r += gap * step;
    }
    return count;
}

static double accepted_by(const uint32_t *word)
{
    double count = 0;
    uint32_t a, b;
    for (a = 0; a < 32; a++)
        for (b = 0; b < 32; b++)
            if (word[0] >> a & 1 && word[1] >> b & 1)
                count += accepted_with(word, a, b);
    return count;
}

/* A filter of one block with j random keys. Copies its words to `word`. */
static bloom *one_block(unsigned j, uint32_t *word)
{
    bloom_plan plan = bloom_plan_layout(1, 0.5, BLOOM_BLOCKED);
    bloom *b;
    const unsigned char *cell;
    unsigned i;
    plan.cells = 256;
    b = need(bloom_create(plan));
    while (j-- > 0)
        bloom_add_u64(b, random64());
    cell = (const unsigned char *)(const void *)b + 32;
    for (i = 0; i < 8; i++, cell += 4)
        word[i] = (uint32_t)cell[0] | (uint32_t)cell[1] << 8
                | (uint32_t)cell[2] << 16 | (uint32_t)cell[3] << 24;
    return b;
}

/* Compares the count with bloom.h, which looks up all 2^32 values of z. */
static void check_count(void)
{
    static bloom_hash h[BATCH];
    uint32_t word[8];
    bloom *b = one_block(4, word);
    double count = 0, exact = accepted_by(word);
    uint64_t z;
    for (z = 0; z >> 32 == 0; z++) {
        h[z % BATCH].h1 = z;
        if (z % BATCH == BATCH - 1)
            count += (double)bloom_may_contain_many_hash(b, h, BATCH, NULL);
    }
    printf("4 keys: bloom.h accepts %.0f of all 2^32 masks; counted: %.0f\n",
           count, exact);
    promise(count == exact, "bloom.h accepts the masks that were counted");
    bloom_free(b);
}

static double product_of(const uint32_t *word)
{
    double product = 1;
    unsigned i, j, ones;
    for (i = 0; i < 8; i++) {
        for (ones = 0, j = 0; j < 32; j++)
            ones += word[i] >> j & 1;
        product *= ones / 32.0;
    }
    return product;
}

/* The mean of the product of a block's eight fills is known: it is
   (1 - (31/32)^j)^8. So only the difference between the accepted masks and that
   product is measured, which has a smaller error. */
static void blocks(void)
{
    const double all = 4294967296.0;
    unsigned j;
    printf("\nof 2^32 masks, how many a block with j keys accepts\n"
           "  j  blocks      counted   +- 4 sigma      formula   ratio\n");
    for (j = 1; j <= 20; j++) {
        double expected = all * pow(-expm1(j * log1p(-1 / 32.0)), 8);
        double formula = expected + j, f;
        double many = j < 5 ? 64 : j < 9 ? 8 : 1;
        tally t = { 0, 0, 0, 0 };
        measure m;
        for (f = 0; f < many * effort; f++) {
            uint32_t word[8];
            double counted;
            bloom_free(one_block(j, word));
            counted = accepted_by(word);
            observe(&t, counted - all * product_of(word), counted - j);
        }
        m = mean_of(t);
        m.rate += expected;
        printf("%3u  %6.0f %12.2f %12.2f %12.2f  %6.4f\n", j, f, m.rate,
               4 * m.sigma, formula, m.rate / formula);
        fflush(stdout);
        promise(fabs(m.rate - formula) <= 0.03 * formula + 4 * m.sigma,
                "a block accepts what the formula says, within 3%");
    }
    check_count();
}

/* ---- The floor of 32-bit hashes -------------------------------------------
   A walk whose step y is 0, or a large power of two times an odd number, visits
   few different cells. v low zero bits of y have the chance 2^-(v + 1); v = 32
   means y = 0. The rates for each v are measured, weighted by their chance and
   added. The sum is compared with the floor that bloom_plan_fpr adds. */

static double rate_with_zeros(const bloom *b, unsigned v)
{
    double maybes = 0, i;
    for (i = 0; i < 400000; i++) {
        bloom_hash h;
        h.h1 = random64();
        h.h2 = v == 32 ? 0 : (random64() | 1) << (32 + v);
        maybes += bloom_may_contain_hash(b, h);
    }
    return maybes / 400000;
}

static void floor_of_32(void)
{
    static const struct { uint64_t n; double p; } rows[] = {
        { 1, 1e-9 }, { 3, 1e-9 }, { 10, 1e-9 }, { 100, 1e-9 }, { 1000, 1e-9 },
        { 100000, 1e-9 }, { 1000, 1e-6 } };
    unsigned i, v;
    uint64_t j;
    printf("\nwidth 32: rate due to walks on few cells, times 2^32\n"
           "      n      p   fill  measured  by bloom_plan_fpr\n");
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bloom_plan plan = bloom_plan_for(rows[i].n, rows[i].p);
        double sum = 0, fill, says = -bloom_plan_fpr(plan, rows[i].n);
        bloom *b;
        plan.hash_bits = 32;
        says = (says + bloom_plan_fpr(plan, rows[i].n)) * 4294967296.0;
        b = need(bloom_create(plan));
        for (j = 0; j < rows[i].n; j++)
            bloom_add_u64(b, random64());
        fill = (double)bloom_ones(b) / (double)plan.cells;
        for (v = 26; v <= 32; v++)
            sum += rate_with_zeros(b, v) * pow(2, v == 32 ? 0 : 31 - v);
        printf("%7.0f  %5.0e  %5.3f  %8.3f  %8.3f\n", (double)rows[i].n,
               rows[i].p, fill, sum, says);
        promise(sum <= says * 1.02,
                "bloom_plan_fpr includes the floor of width 32");
        bloom_free(b);
    }
}

/* ---- The generator ------------------------------------------------------
   Several rules that make k cells of a random hash, in a naive filter of at
   most 2^15 cells with one byte each. GUAVA and CONSTANT are double hashing,
   with a step y that stays the same. The OURS rules are the walk of bloom.h in
   width 64, in width 32, and for integers. */

enum { GUAVA, CONSTANT, OURS, OURS_32, OURS_U64, INDEPENDENT };

/* Sets the k cells of a random key if `set`, else tests them. Returns true if
   all of them were set before. */
static inline bool walk(unsigned char *cell, uint64_t m, unsigned k, int rule,
                        bool set)
{
    uint64_t x = random64(), y = random64();
    bool all = true;
    if (rule == OURS_32)
        y = x << 32;
    if (rule == OURS_U64)
        y = bloom_hash_from_h1_(x).h2;
    while (k-- > 0 && (all || set)) {
        uint64_t i = rule == GUAVA ? (x & INT64_MAX) % m
                                   : bloom_high_half_(x, m);
        all = all && cell[i];
        if (set)
            cell[i] = 1;
        x = rule == INDEPENDENT ? random64() : x + y;
        if (rule >= OURS)
            y *= BLOOM_FACTOR_;
    }
    return all;
}

static measure measure_rule(uint64_t m, unsigned k, unsigned n, int rule,
                            double ask_at)
{
    static unsigned char cell[1 << 15];
    double maybes = 0, asked = 4 * n + 200;
    tally t = { 0, 0, 0, 0 };
    while (t.filters * asked < ask_at && maybes < 3e4) {
        double maybe = 0;
        unsigned i;
        memset(cell, 0, m);
        for (i = 0; i < n; i++)
            walk(cell, m, k, rule, true);
        for (i = 0; i < asked; i++)
            maybe += walk(cell, m, k, rule, false);
        maybes += maybe;
        observe(&t, maybe / asked, maybe / (asked * asked));
    }
    return mean_of(t);
}

static void generator(void)
{
    static const struct { unsigned m, k, n; } rows[] = {
        { 64, 10, 4 }, { 256, 10, 18 }, { 512, 10, 35 }, { 4096, 10, 284 },
        { 320, 20, 10 }, { 28800, 20, 1000 }, { 64, 3, 1 }, { 128, 4, 2 } };
    const double most = effort > 1 ? 1e9 : 6e7;
    unsigned i;
    int rule;
    printf("\nmeasured rate / (1 - (1 - 1/m)^(kn))^k, by rule for the cells\n"
           "      m   k     n  textbook    Guava  constant    "
           "bloom.h: w64       w32     u64   independent  bloom_plan_fpr\n");
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double m = rows[i].m, k = rows[i].k, n = rows[i].n;
        double book = pow(1 - pow(1 - 1 / m, k * n), k);
        bloom_plan plan = bloom_plan_bytes(1, 40);
        plan.cells = rows[i].m;
        plan.hashes = (uint8_t)rows[i].k;
        printf("%7.0f  %2.0f %5.0f   %7.1e", m, k, n, book);
        for (rule = GUAVA; rule <= INDEPENDENT; rule++) {
            measure r = measure_rule(rows[i].m, rows[i].k, rows[i].n, rule,
                                     fmin(3e4 / book, most));
            double planned = bloom_plan_fpr(plan, rows[i].n);
            printf(rule == OURS ? "           %7.3f" : "  %7.3f",
                   r.rate / book);
            fflush(stdout);
            promise(rule < OURS
                    || fabs(r.rate - planned) <= 0.02 * planned + 4 * r.sigma,
                    "the walk has the rate of bloom_plan_fpr, within 2%");
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
            promise(fabs(judged / n - 1) < 0.01,
                    "bloom_estimate is within 1% of the number of keys");
        }
    }
    promise(b != NULL, "there are 1.2 MB of memory for this test");
    bloom_free(b);
}

/* ---- Beyond 2^32 bits --------------------------------------------------- */

/* Adds 4 * 10^7 keys with k = 4 to a filter of 2^33 cells. Each 64th of it must
   have the expected number of set cells, within five sigma. */
static void even(void)
{
    enum { PIECES = 64 };
    const double keys = 4e7, m = 8589934592.0;
    bloom_plan plan = bloom_plan_bytes(1, 40);
    const unsigned char *cells;
    uint64_t part, i;
    double n, expected = m / PIECES * -expm1(-4 * keys / m), worst = 0;
    bloom *b;
    plan.cells = 1ULL << 33;
    plan.hashes = 4;
    b = bloom_create(plan);
    promise(b != NULL, "there is 1 GiB of memory for this test");
    if (!b)
        return;
    for (n = 0; n < keys; n++)
        bloom_add_u64(b, random64());
    cells = (const unsigned char *)(const void *)b + 32;
    for (part = 0; part < PIECES; part++) {
        double ones = 0;
        for (i = 0; i < plan.cells / PIECES / 64; i++, cells += 8)
            ones += bloom_popcount_(bloom_load64_(cells));
        worst = fmax(worst, fabs(ones - expected) / sqrt(expected));
    }
    printf("\n2^33 cells: %.0f ones expected in each 64th; the worst is %.1f"
           " sigma off\n", expected, worst);
    promise(worst < 5, "a filter of more than 2^32 cells is filled evenly");
    bloom_free(b);
}

int main(int argc, char **argv)
{
    static const named_part parts[] = {
        { "blocks", blocks }, { "floor", floor_of_32 },
        { "generator", generator }, { "estimate", estimate },
        { "even", even } };
    return run_parts(parts, sizeof parts / sizeof parts[0], argc, argv);
}
