/* Tests plans against exact rates, which are computed in long double without
   the approximations of bloom.h (`make promise`). For thousands of random n and
   p it checks that each plan keeps p, and that less memory would not.

   usage: plan_audit [all] [n=N] [p=P] [seed=S]
     all        8 times as many plans
     n=N, p=P   only this n, only this p; with both, each plan is printed
     seed=S     the random numbers' seed
   For each property it prints the worst value and its plan. The exit status is
   1 if one is beyond its limit: then plans exceed p, or waste memory. */

#include "rates.h"
#include <fenv.h>

typedef long double real;

static double only_n, only_p;

/* ---- Exact sums ----------------------------------------------------------
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

/* ---- The same for blocks --------------------------------------------------
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

/* ---- The worst plans ----------------------------------------------------- */

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

int main(int argc, char **argv)
{
    unsigned count;
    int i;
    for (i = 1; i < argc; i++) {
        if (strncmp(argv[i], "n=", 2) == 0)
            only_n = floor(fmin(fmax(strtod(argv[i] + 2, NULL), 1), 1e9));
        else if (strncmp(argv[i], "p=", 2) == 0)
            only_p = fmin(fmax(strtod(argv[i] + 2, NULL), 1e-15), 0.9);
        else if (!is_option(argv[i]))
            return say_what(argv[i]);
    }
    count = only_n > 0 && only_p > 0 ? 1 : (unsigned)(1000 * effort);
    classic_plans(2 * count);
    other_plans(count);
    blocked_plans(count);
    exceptions(10 * count);
    return ending();
}
