/* Compares bloom.h with exact calculations (`make promise`): plans with exact
   sums in long double, without the approximations of bloom.h, and each of the
   assumptions on which these sums rest by itself.

   usage: exact [plans] [blocks] [floor] [walk] [even] [all] [brief] [n=N]
                [p=P] [seed=S]
     plans      thousands of random n and p: each plan keeps p by the exact sum,
                and less memory would not
     blocks     how many of all 2^32 masks a block of up to 20 keys accepts,
                against the formula
     floor      the least rate of 32-bit hashes, against bloom_plan_fpr
     walk       the walk of bloom.h, against k independent hash functions and
                against plain double hashing
     even       whether a filter of 2^33 cells is filled evenly
     all        8 times as many plans and blocks, blocks of each number of keys,
                and up to 10^9 keys for walk
     brief      one of eleven plans, blocks and walks; without even
     n=N, p=P   plans with this n or p only; with both, each plan is printed
     seed=S     the random numbers' seed
   Without the name of a part, all parts run. For plans, it prints the worst
   value of each property and its plan. The exit status is 1 if a value differs
   from the exact one by more than its limit: then plans exceed p, or waste
   memory. */

#include "rates.h"
#include <fenv.h>

typedef long double real;

static double only_n, only_p;

/* ---- Plans: exact sums -----------------------------------------------------
   `choices` times, one of m cells is chosen at random and set. Consider e given
   cells, of which u are not yet set. One choice turns u into u - 1 with the
   chance u/m. So entry (e, u) of the matrix of one choice, to the power of
   `choices`, is the chance that u of the e cells are still not set. No number
   is negative, so no digits are lost by cancellation. */

enum { SIDE = 65 };
typedef struct { unsigned side; real at[SIDE][SIDE]; } matrix;

/* by *= with. Both may be the same matrix: row e needs only rows up to e, and
   is replaced before those. */
static void multiply(matrix *by, const matrix *with)
{
    static real row[SIDE];
    unsigned e, u, i;
    for (e = by->side; e-- > 0; ) {
        for (u = 0; u <= e; u++)
            for (row[u] = 0, i = u; i <= e; i++)
                row[u] += by->at[e][i] * with->at[i][u];
        memcpy(by->at[e], row, (e + 1) * sizeof *row);
    }
}

static void one_choice(matrix *t, real m, unsigned k)
{
    unsigned e;
    memset(t, 0, sizeof *t);
    t->side = k + 1;
    for (e = 0; e <= k; e++) {
        t->at[e][e] = 1 - e / m;
        if (e > 0)
            t->at[e][e - 1] = e / m;
    }
}

/* Computes set[e], the chance that e given cells are all set. */
static void chances_of_set(real m, unsigned k, real choices, real *set)
{
    static matrix square, power;
    unsigned e;
    bool begun = false;
    one_choice(&square, m, k);
    for (; choices >= 1; choices = floorl(choices / 2)) {
        if (fmodl(choices, 2) > 0.5L) {
            if (begun)
                multiply(&power, &square);
            else
                power = square;
            begun = true;
        }
        multiply(&square, &square);
    }
    for (e = 0; e <= k; e++)
        set[e] = begun ? power.at[e][0] : e == 0;
}

/* E[F^k]. different[e] is the chance that k random cells are e different
   ones. */
static real moment(real m, unsigned k, real choices)
{
    real set[SIDE], different[SIDE] = { 1 }, sum = 0;
    unsigned i, e;
    chances_of_set(m, k, choices, set);
    for (i = 1; i <= k; i++) {
        for (e = i; e > 0; e--)
            different[e] = different[e] * e / m
                         + different[e - 1] * (m - (e - 1)) / m;
        different[0] = 0;
    }
    for (e = 0; e <= k; e++)
        sum += different[e] * set[e];
    return sum;
}

/* Adds the floor of width 64: some steps of a walk stay on few cells. */
static real with_floor(real fill, real rate)
{
    rate += fill / 0x1p63L;
    return rate < 1 ? rate : 1;
}

static real classic_rate(bloom_plan plan, double n)
{
    real m = (real)plan.cells, choices = (real)n * plan.hashes;
    return with_floor(-expm1l(choices * log1pl(-1 / m)),
                      moment(m, plan.hashes, choices));
}

/* ---- Plans: the same for blocks --------------------------------------------
   A block that received j choices accepts c choices of an absent key with the
   chance accept[c]. That is the chance for c bits in one word of 32, to the
   power of the eight words. A choice is also accepted if its 32 hash bits equal
   those of one of the j; for c > 1 this matters only in a filter of one block.
   With a chance of 2^-32 each, all choices of a key have the same 32 hash bits,
   or every other choice has. */

static real accept_by_load[1301][9];

static void make_loads(void)
{
    real set[1301][9] = { { 1 } };
    unsigned j, c, e;
    for (j = 1; j <= 1300; j++) {
        set[j][0] = 1;
        for (e = 1; e <= 8; e++)
            set[j][e] = set[j - 1][e] * (1 - e / 32.0L)
                      + set[j - 1][e - 1] * e / 32;
    }
    for (j = 0; j <= 1300; j++)
        for (c = 0; c <= 8; c++) {
            real different[9] = { 1 }, sum = 0;
            unsigned i;
            for (i = 1; i <= c; i++) {
                for (e = i; e > 0; e--)
                    different[e] = different[e] * e / 32
                                 + different[e - 1] * (33 - e) / 32;
                different[0] = 0;
            }
            for (e = 0; e <= c; e++)
                sum += different[e] * set[j][e];
            accept_by_load[j][c] = powl(sum, 8)
                                 + (c == 1 ? j / 4294967296.0L : 0);
        }
}

/* Computes mean[c], the mean of accept[c] over j, which is binomial. */
static void means_of_loads(real blocks, real choices, unsigned b, real *mean)
{
    real one = 1 / blocks;
    unsigned j, c;
    for (c = 0; c <= b; c++)
        mean[c] = 0;
    for (j = 0; j <= 1300 && j <= choices; j++) {
        real ln = blocks > 1
            ? lgammal(choices + 1) - lgammal(j + 1.0L)
              - lgammal(choices - j + 1) + j * logl(one)
              + (choices - j) * log1pl(-one)
            : j < choices ? -INFINITY : 0;
        for (c = 0; c <= b; c++)
            mean[c] += expl(ln) * accept_by_load[j][c];
    }
    for (c = 1; c <= b; c++)
        mean[c] /= mean[0];
}

static void multiply_series(real *by, const real *with)
{
    real product[9] = { 0 };
    unsigned i, j;
    for (i = 0; i <= 8; i++)
        for (j = 0; i + j <= 8; j++)
            product[i + j] += by[i] * with[j];
    memcpy(by, product, sizeof product);
}

/* The chance that all b choices of an absent key are accepted, where each goes
   to a random block: b! / blocks^b times the coefficient of t^b in (sum over c
   of mean[c] t^c / c!)^blocks. The series here are in t / blocks. */
static real all_accepted(uint64_t blocks, unsigned b, const real *mean)
{
    real square[9] = { 1 }, power[9] = { 1 }, rate = 1;
    unsigned c;
    uint64_t times;
    for (c = 1; c <= b; c++) {
        rate *= c;
        square[c] = mean[c] / rate / powl((real)blocks, c);
    }
    for (times = blocks; times > 0; times /= 2) {
        if (times % 2)
            multiply_series(power, square);
        multiply_series(square, square);
    }
    return power[b] * rate;
}

static real blocked_rate(bloom_plan plan, double n)
{
    const uint64_t blocks = plan.cells / 256;
    const unsigned b = plan.hashes / 8U;
    real mean[9], same[9], rate, few;
    unsigned c;
    if (n * b / (double)blocks > 1200)
        return 1;
    means_of_loads((real)blocks, (real)n * b, b, mean);
    for (c = b; blocks == 1 && c > 1; c--) {
        mean[c] += c * (real)n * b / 0x1p32L * mean[c - 1];
        if (c > 2)
            mean[c] += c * (c - 1) / 2 * powl(n * b / 0x1p32L, 2) * mean[c - 2];
    }
    for (c = 1; c <= b; c++)
        same[c] = mean[1];
    rate = all_accepted(blocks, b, mean);
    few = all_accepted(blocks, b, same)
        + all_accepted(blocks, b / 2, same)
          * all_accepted(blocks, b - b / 2, same);
    return with_floor(mean[1], rate + (few - 2 * rate) / 0x1p32L);
}

static real exact(bloom_plan plan, uint64_t n)
{
    return plan.layout == BLOOM_BLOCKED ? blocked_rate(plan, (double)n)
                                        : classic_rate(plan, (double)n);
}

/* ---- Plans: the worst ---------------------------------------------------- */

typedef struct { double value, n, p, m, k; } extreme;

static void note(extreme *worst, real value, uint64_t n, double p,
                 bloom_plan plan)
{
    if ((double)value <= worst->value)
        return;
    worst->value = (double)value;
    worst->n = (double)n;
    worst->p = p;
    worst->m = (double)plan.cells;
    worst->k = plan.hashes;
}

static void tell(const char *what, extreme worst, double limit)
{
    printf("%-52s %10.7f   n %.0f, p %.4g, m %.0f, k %.0f\n", what,
           worst.value, worst.n, worst.p, worst.m, worst.k);
    fflush(stdout);
    promise(worst.value <= limit, what);
}

static uint64_t any_n(void)
{
    uint64_t draw = random64();
    if (only_n > 0)
        return (uint64_t)only_n;
    return draw % 2 ? 1 + draw / 2 % 30
                    : (uint64_t)pow(10, 1 + 5 * (double)(draw >> 11) / 0x1p53);
}

static double any_p(void)
{
    double p = 0.5 * pow(2e-16, (double)(random64() >> 11) / 0x1p53);
    return only_p > 0 ? only_p : p;
}

static void show(const char *name, bloom_plan plan, uint64_t n, double p)
{
    if (only_n > 0 && only_p > 0)
        printf("    %-8s m %.0f, k %d: exact / p %.9f, bloom_plan_fpr / p"
               " %.9f\n", name, (double)plan.cells, plan.hashes,
               (double)exact(plan, n) / p, bloom_plan_fpr(plan, n) / p);
}

/* p over the exact rate of a filter with one granule less memory, with the best
   k. If the result is above 1, less memory would keep p. */
static real with_less(bloom_plan plan, uint64_t n, double p, unsigned step)
{
    real best = 1;
    unsigned k;
    plan.cells -= plan.layout == BLOOM_BLOCKED ? 256 : 64;
    if (plan.cells == 0)
        return 0;
    for (k = step; k <= 64; k += step) {
        plan.hashes = (uint8_t)k;
        if (bloom_plan_fpr(plan, n) < 1.1 * p)
            best = fminl(best, exact(plan, n));
    }
    return (real)p / best;
}

static void classic_plans(unsigned count)
{
    extreme kept = { 0 }, least = { 0 }, given = { 0 }, given_least = { 0 };
    extreme high = { 0 }, low = { 0 };
    unsigned i;
    for (i = 0; i < count; i++) {
        uint64_t n = any_n();
        double p = any_p();
        bloom_plan plan = bloom_plan_for(n, p);
        real rate = exact(plan, n);
        show("for", plan, n, p);
        note(&kept, rate / p, n, p, plan);
        note(&high, bloom_plan_fpr(plan, n) / rate, n, p, plan);
        note(&low, rate / bloom_plan_fpr(plan, n), n, p, plan);
        note(&least, with_less(plan, n, p, 1), n, p, plan);
        plan = bloom_plan_hashes(n, p, 1 + (unsigned)(random64() % 64));
        if (plan.cells == 0)            /* it would need over 2^62 cells */
            continue;
        show("hashes", plan, n, p);
        note(&given, exact(plan, n) / p, n, p, plan);
        if (plan.cells > 64) {
            bloom_plan less = plan;
            less.cells -= 64;
            note(&given_least, p / exact(less, n), n, p, plan);
        }
    }
    printf("\n%u classic plans: the largest value of each ratio\n", count);
    tell("bloom_plan_for: exact rate / p", kept, 1.0001);
    tell("bloom_plan_for: p / exact rate in less, best k", least, 1.0001);
    tell("bloom_plan_for: bloom_plan_fpr / exact rate", high, 1.015);
    tell("bloom_plan_for: exact rate / bloom_plan_fpr", low, 1.0001);
    tell("bloom_plan_hashes: exact rate / p", given, 1.0001);
    tell("bloom_plan_hashes: p / exact rate in less", given_least, 1.005);
}

static void other_plans(unsigned count)
{
    extreme best = { 0 }, below = { 0 }, above = { 0 };
    unsigned i, k;
    for (i = 0; i < count; i++) {
        uint64_t n = any_n(), room;
        double p = any_p();
        bloom_plan plan = bloom_plan_bytes(n, 40 + (size_t)random64() % 64
                                              * (8 + (size_t)n / 64 * 8));
        bloom_plan other = plan;
        real rate = exact(plan, n);
        show("bytes", plan, n, p);
        for (k = plan.hashes > 8 ? plan.hashes - 8U : 1;
             k <= 64 && k <= plan.hashes + 8U; k++) {
            other.hashes = (uint8_t)k;
            note(&best, rate / exact(other, n), n, p, plan);
        }
        room = bloom_plan_capacity(plan, p);
        if (room > 0)
            note(&below, exact(plan, room) / p, room, p, plan);
        note(&above, p / exact(plan, room + 1), room + 1, p, plan);
    }
    printf("\n%u plans of bloom_plan_bytes, and their capacities\n", count);
    tell("bloom_plan_bytes: exact rate / that of the best k", best, 1.01);
    tell("bloom_plan_capacity: exact rate / p", below, 1.006);
    tell("bloom_plan_capacity: p / exact rate of one key more", above, 1.005);
}

/* bloom_plan_fit: it holds its capacity, and no other k holds one key more. */
static void plans_that_fit(unsigned count)
{
    extreme kept = { 0 }, more = { 0 };
    unsigned i, k;
    make_loads();
    for (i = 0; i < count; i++) {
        const bool blocked = i % 3 == 1;
        const unsigned step = blocked ? 8 : 1;
        const uint64_t n = any_n();
        const double p = any_p();
        const bloom_plan plan = bloom_plan_fit(
            40 + (size_t)(random64() % 64 * (8 + n / 64 * 8)), p,
            blocked ? BLOOM_BLOCKED : BLOOM_CLASSIC);
        const uint64_t room = bloom_plan_capacity(plan, p);
        bloom_plan other = plan;
        if (room == 0)
            continue;
        show("fit", plan, room, p);
        note(&kept, exact(plan, room) / p, room, p, plan);
        for (k = step; k <= 64; k += step) {
            other.hashes = (uint8_t)k;
            note(&more, p / exact(other, room + 1), room + 1, p, other);
        }
    }
    printf("\n%u plans of bloom_plan_fit\n", count);
    tell("bloom_plan_fit: exact rate / p", kept, 1.006);
    tell("bloom_plan_fit: p / exact rate of one key more, any k", more, 1.006);
}

/* p over the exact rate of a plan that the rule of bloom_plan_layout would
   prefer: fewer blocks per key within 1.2 times the classic memory or, if no k
   keeps p there, less memory. Above 1, the plan breaks the rule. */
static real by_the_rule(bloom_plan plan, uint64_t n, double p)
{
    bloom_plan other = plan;
    uint64_t most = bloom_plan_for(n, p).cells;
    real better = 0;
    unsigned k;
    most = (most + most / 5) / 256 * 256;
    for (k = 8; k <= 64; k += 8) {
        other.hashes = (uint8_t)k;
        other.cells = plan.cells <= most ? most : plan.cells - 256;
        if (other.cells > 0 && (plan.cells > most || k < plan.hashes))
            better = fmaxl(better, p / exact(other, n));
    }
    return better;
}

static void blocked_plans(unsigned count)
{
    extreme kept = { 0 }, least = { 0 }, rule = { 0 }, said = { 0 };
    unsigned i;
    make_loads();
    for (i = 0; i < count; i++) {
        uint64_t n = any_n();
        double p = any_p();
        bloom_plan plan = bloom_plan_layout(n, p, BLOOM_BLOCKED), less = plan;
        real rate = exact(plan, n);
        show("blocked", plan, n, p);
        note(&kept, rate / p, n, p, plan);
        note(&said, fabsl(bloom_plan_fpr(plan, n) / rate - 1), n, p, plan);
        note(&rule, by_the_rule(plan, n, p), n, p, plan);
        less.cells -= 256;
        if (less.cells > 0)
            note(&least, p / exact(less, n), n, p, plan);
    }
    printf("\n%u blocked plans\n", count);
    tell("blocked: exact rate / p", kept, 1.0001);
    tell("blocked: p / exact rate in less", least, 1.0001);
    tell("blocked: p / exact rate of plans the rule prefers", rule, 1.0001);
    tell("blocked: bloom_plan_fpr / exact rate - 1", said, 1e-6);
}

/* Planning never divides by zero, overflows, or makes a NaN. */
static void exceptions(unsigned count)
{
    bloom_plan plan;
    unsigned i, seen = 0;
    for (i = 0; i < count; i++) {
        uint64_t n = any_n();
        double p = any_p();
        feclearexcept(FE_ALL_EXCEPT);
        plan = bloom_plan_layout(i ? n : 5, i ? p : 0.1, BLOOM_BLOCKED);
        plan.hash_bits = (uint8_t)(i % 2 ? 32 : 64);
        plan = bloom_plan_hashes(n, bloom_plan_fpr(plan, n), 1 + i % 64);
        plan = bloom_plan_bytes(bloom_plan_capacity(plan, p), 40 + i);
        plan = bloom_plan_for(n, bloom_plan_fpr(plan, n));
        seen += fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW) != 0;
    }
    printf("\n%u plans of each kind: %u divide by zero or overflow\n", count,
           seen);
    promise(seen == 0, "planning does not divide by zero or overflow");
}

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
    for (j = 1; j <= 20; j += effort > 1 || j < 4 ? 1 : 4) {
        if (left_out())
            continue;
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
    if (!left_out())
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
        if (left_out())
            continue;
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

/* ---- The walk ------------------------------------------------------
   Several rules that make k cells of a random hash, in a naive filter of at
   most 2^15 cells with one byte each. GUAVA and CONSTANT are double hashing,
   with a step y that stays the same. The OURS rules are the walk of bloom.h in
   width 64, in width 32, and for integers. */

enum { GUAVA, CONSTANT, OURS, OURS_32, OURS_U64, INDEPENDENT };

/* Sets the k cells of a random key if `set`, else tests them. Returns true if
   all of them were set before. */
static inline bool takes_walk(unsigned char *cell, uint64_t m, unsigned k,
                              int rule, bool set)
{
    uint64_t x = random64(), y = random64();
    bool all = true;
    if (rule == OURS_32)
        y = x << 32;
    if (rule == OURS_U64)
        y = inside_hash_from_h1(x).h2;
    while (k-- > 0 && (all || set)) {
        uint64_t i = rule == GUAVA ? (x & INT64_MAX) % m
                                   : inside_high_half(x, m);
        all = all && cell[i];
        if (set)
            cell[i] = 1;
        x = rule == INDEPENDENT ? random64() : x + y;
        if (rule >= OURS)
            y *= INSIDE_FACTOR;
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
            takes_walk(cell, m, k, rule, true);
        for (i = 0; i < asked; i++)
            maybe += takes_walk(cell, m, k, rule, false);
        maybes += maybe;
        observe(&t, maybe / asked, maybe / (asked * asked));
    }
    return mean_of(t);
}

static void walks(void)
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
            measure r;
            double planned;
            if (left_out()) {
                printf(rule == OURS ? "           %7s" : "  %7s", "-");
                continue;
            }
            r = measure_rule(rows[i].m, rows[i].k, rows[i].n, rule,
                             fmin(3e4 / book, most));
            planned = bloom_plan_fpr(plan, rows[i].n);
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
    if (brief)
        return;
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
            ones += inside_popcount(inside_load64(cells));
        worst = fmax(worst, fabs(ones - expected) / sqrt(expected));
    }
    printf("\n2^33 cells: %.0f ones expected in each 64th; the worst is %.1f"
           " sigma off\n", expected, worst);
    promise(worst < 5, "a filter of more than 2^32 cells is filled evenly");
    bloom_free(b);
}

static void all_plans(void)
{
    unsigned count = only_n > 0 && only_p > 0 ? 1 : (unsigned)(1000 * effort);
    count = brief ? (count + 10) / 11 : count;
    classic_plans(2 * count);
    other_plans(count);
    plans_that_fit(count);
    blocked_plans(count);
    exceptions(10 * count);
}

int main(int argc, char **argv)
{
    static const named_part parts[] = {
        { "plans", all_plans }, { "blocks", blocks }, { "floor", floor_of_32 },
        { "walk", walks }, { "even", even } };
    int i, words = 1;
    for (i = 1; i < argc; i++)
        if (strncmp(argv[i], "n=", 2) == 0)
            only_n = floor(fmin(fmax(strtod(argv[i] + 2, NULL), 1), 1e9));
        else if (strncmp(argv[i], "p=", 2) == 0)
            only_p = fmin(fmax(strtod(argv[i] + 2, NULL), 1e-15), 0.9);
        else
            argv[words++] = argv[i];
    return run_parts(parts, sizeof parts / sizeof parts[0], words, argv);
}
