/* Tests that each plan keeps its rate p by bloom_plan_fpr, in the least memory
   and with the fewest probes; that impossible plans have size 0; and that plans
   are the same on every machine. rates.c tests bloom_plan_fpr itself. */
#include "unit.h"
#include <float.h>

#if BLOOM_CELLS(1000, 100) < 9585 || BLOOM_HASHES(1000, 100) != 7
#error "the planning macros do not work in #if"
#endif
static unsigned char fixed[BLOOM_SIZE(PLANNED, 100)];
enum { SHIFTED = BLOOM_SIZE(1 << 4, 100) };     /* g++ must not warn about << */

static void test_constant_plans(void)
{
    static const bloom_plan constant = BLOOM_PLAN(PLANNED, 100);
    bloom_plan plan = bloom_plan_one_in(PLANNED, 100);
    uint64_t n, sum;
    CHECK(bloom_init(fixed, sizeof fixed, constant) != NULL);
    CHECK(bloom_plan_size(constant) == sizeof fixed);
    CHECK(memcmp(&plan, &constant, offsetof(bloom_plan, hash_bits) + 1) == 0);
    CHECK(plan.hash_bits == widths[0]);
    CHECK(SHIFTED == BLOOM_SIZE(16, 100));
    CHECK(bloom_plan_one_in(0, 9).cells == bloom_plan_one_in(1, 9).cells);
    CHECK(bloom_plan_size(bloom_plan_one_in(10, 1)) == 0);
    CHECK(bloom_plan_size(bloom_plan_one_in(10, 0)) == 0);
    CHECK(bloom_plan_size(bloom_plan_one_in(10, 1000000001)) == 0);
    CHECK(BLOOM_SIZE(10, 1) == 0 && BLOOM_SIZE(10, 1000000001) == 0);
    CHECK(BLOOM_CELLS(10, 1) == 0 && BLOOM_HASHES(10, 1) == 0);
    CHECK(bloom_plan_size(bloom_plan_one_in(10, UINT64_MAX)) == 0);
    CHECK(bloom_plan_size(bloom_plan_one_in((1ULL << 42) + 1, 10)) == 0);
    CHECK(bloom_plan_one_in(1ULL << 42, 1000000000).cells > 43ULL << 42);
    /* See test_frozen_plans. Some n are so large that the last bit of the
       logarithm matters. */
    for (n = 2, sum = 0; n <= 1000000000; n = n * 9 / 7 + 1)
        sum = sum * 31 + bloom_plan_one_in(1ULL << 42, n).cells;
    for (n = 0; n < 600; n++)
        sum = sum * 31 + bloom_plan_one_in(n / 6, 10ULL << n % 6 * 5).cells;
    CHECK(sum == 0x2CAF5ABA64E93FC0U);
    for (n = 1; n < 2000000000; n = n * 3 + 1) {
#define SAME(one_in) \
        plan = bloom_plan_one_in(n, one_in); \
        CHECK(plan.cells == BLOOM_CELLS(n, one_in)); \
        CHECK(plan.hashes == BLOOM_HASHES(n, one_in))
        SAME(2); SAME(3); SAME(100); SAME(1000); SAME(65535); SAME(65536);
        SAME(131072); SAME(2097152);
        SAME(999999999); SAME(1000000000);
    }
}

#ifndef BLOOM_NO_FLOAT

/* Each plan keeps p. Fewer probes in the same memory would not, nor would any k
   in 64 cells less. */
static void test_least_plans(void)
{
    static const unsigned numbers[] = { 1, 2, 3, 5, 10, 50, 100, 1000,
                                        1000000 };
    static const double rates[] = { 0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-6, 1e-9 };
    unsigned i, j, k;
    for (i = 0; i < COUNT(numbers); i++)
        for (j = 0; j < COUNT(rates); j++) {
            bloom_plan plan = bloom_plan_for(numbers[i], rates[j]), less = plan;
            double bits = 1, p;
            for (p = 1; p > rates[j] * 1.0001; p /= 1.0001)
                bits += 1.0001 * 1e-4 / 0.480453;   /* n log2(1/p) / ln 2 */
            CHECK(bloom_plan_fpr(plan, numbers[i]) <= rates[j]);
            CHECK(numbers[i] < 100 || (double)plan.cells
                  <= 1.02 * numbers[i] * (bits - 1) + 64);
            CHECK(bloom_plan_capacity(plan, rates[j]) >= numbers[i]);
            less.hashes--;
            CHECK(!less.hashes || bloom_plan_fpr(less, numbers[i]) > rates[j]);
            less.cells -= 64;
            for (k = 1; k <= 64 && less.cells; k++) {
                less.hashes = (uint8_t)k;
                CHECK(bloom_plan_fpr(less, numbers[i]) > rates[j]);
            }
        }
}

/* Plans far from where the search for the least m begins, or impossible ones */
static void test_far_plans(void)
{
    bloom_plan plan = bloom_plan_layout(2647687, 0.9999999916, BLOOM_BLOCKED);
    CHECK(bloom_plan_fpr(plan, 2647687) <= 0.9999999916);
    plan = bloom_plan_layout(15, 1e-15, BLOOM_BLOCKED);
    CHECK(plan.cells > 256 && bloom_plan_fpr(plan, 15) <= 1e-15);
    plan = bloom_plan_layout(395895826352342976U, 1.5e-8, BLOOM_BLOCKED);
    CHECK(plan.cells == 0);
    CHECK(bloom_plan_hashes(18, 9.0348812270926721e-19, 1).cells == 0);
    plan = bloom_plan_hashes(38, 1.8699188374018014e-17, 1);
    CHECK((double)plan.cells * 1.8699188374018014e-17 / 38 > 1 - 1e-6);
    CHECK((double)plan.cells * 1.8699188374018014e-17 / 38 < 1 + 1e-6);
    plan = bloom_plan_for(1, 1.6e-12);
    CHECK(plan.cells == 64 && bloom_plan_fpr(plan, 1) <= 1.6e-12);
}

static void test_planning(void)
{
    static const double impossible[] = { 0, 1, 1.5, -0.1, 1e300 };
    const double nan = strtod("nan", NULL);
    const double least = 1 / 18446744073709551616.0;        /* 2^-64 */
    bloom_plan plan, less;
    uint64_t n;
    unsigned i;
    for (i = 0; i < COUNT(impossible); i++) {
        CHECK(bloom_plan_size(bloom_plan_for(9, impossible[i])) == 0);
        CHECK(bloom_plan_size(bloom_plan_hashes(9, impossible[i], 3)) == 0);
        CHECK(bloom_plan_size(bloom_plan_layout(9, impossible[i],
                                                BLOOM_BLOCKED)) == 0);
    }
#ifndef __cplusplus             /* C++ has no such value of the enum */
    CHECK(bloom_plan_size(bloom_plan_layout(9, 0.1, (bloom_layout)256)) == 0);
#endif
    CHECK(bloom_plan_for(9, 0.9).cells == 64);
    CHECK(bloom_plan_bytes(1000, 40).hashes == 1);
    CHECK(bloom_plan_bytes(1000000, 40).hashes == 1);   /* any k: rate 1 */
    CHECK(bloom_plan_for(300000000000000000, 0.01).cells >> 61 == 1);
    CHECK(bloom_plan_size(bloom_plan_for(9, nan)) == 0);
    CHECK(bloom_plan_size(bloom_plan_for(UINT64_MAX, 0.5)) == 0);
    CHECK(bloom_plan_size(bloom_plan_hashes(1ULL << 57, 1e-9, 1)) == 0);
    CHECK(bloom_plan_size(bloom_plan_hashes(1ULL << 50, 1e-9, 1)) == 0);
    CHECK(bloom_plan_hashes(0, 1e-9, 3).cells
          == bloom_plan_hashes(1, 1e-9, 3).cells);
    CHECK(bloom_plan_for(9, 1e-18).cells > 9 * 80);
    CHECK(bloom_plan_for(9, least).cells > 9 * 80);
    CHECK(bloom_plan_hashes(9, least, 60).cells > 9 * 80);
    CHECK(bloom_plan_layout(9, least, BLOOM_BLOCKED).cells > 9 * 80);
    CHECK(bloom_plan_for(9, 5.5e-20).cells < 9 * 120);
    CHECK(bloom_plan_size(bloom_plan_for(9, 5.4e-20)) == 0);
    CHECK(bloom_plan_size(bloom_plan_hashes(9, 5.4e-20, 60)) == 0);
    CHECK(bloom_plan_size(bloom_plan_layout(9, 5.4e-20, BLOOM_BLOCKED)) == 0);
    CHECK(bloom_plan_size(bloom_plan_for(9, 1e-300)) == 0);
    CHECK(bloom_plan_for(0, 1e-9).cells == bloom_plan_for(1, 1e-9).cells);
    CHECK(bloom_plan_for(0, 1e-9).hashes == bloom_plan_for(1, 1e-9).hashes);
    CHECK(bloom_plan_for(9, 2).hashes == 0);
    CHECK(bloom_plan_for(9, 0.1).seed == 0);
    CHECK(bloom_plan_hashes(9, 0.1, 3).seed == 0);
    CHECK(bloom_plan_layout(9, 0.1, BLOOM_BLOCKED).seed == 0);
    CHECK(bloom_plan_bytes(9, 99).seed == 0);
    CHECK(bloom_plan_one_in(9, 10).seed == 0);
    plan = a_plan(1024, 6, 64, 0);              /* k = 7 keeps this p, too */
    CHECK(bloom_plan_for(100, bloom_plan_fpr(plan, 100)).hashes == 6);
    CHECK(bloom_plan_layout(9, 0.1, BLOOM_CLASSIC).cells
          == bloom_plan_for(9, 0.1).cells);
    plan = bloom_plan_layout(1000, 0.01, BLOOM_COUNTING);
    CHECK(bloom_plan_size(plan) == 32 + 9600 / 2);
    CHECK(bloom_plan_fpr(plan, 1000) <= 0.01 && plan.hashes == 7);
    CHECK(bloom_plan_size(bloom_plan_layout(9, 2, BLOOM_COUNTING)) == 0);
    CHECK(bloom_plan_hashes(9, 0.01, 0).cells == 0);
    CHECK(bloom_plan_hashes(9, 0.01, 1).hashes == 1);
    CHECK(bloom_plan_hashes(9, 0.01, 64).hashes == 64);
    CHECK(bloom_plan_hashes(9, 0.01, 65).cells == 0);
    plan = bloom_plan_hashes(1000, 0.001, 3);
    less = plan;
    less.cells -= 64;
    CHECK(plan.hashes == 3 && bloom_plan_fpr(plan, 1000) <= 0.001);
    CHECK(bloom_plan_hashes(1000, bloom_plan_fpr(plan, 1000), 3).cells
          == plan.cells);                       /* a rate equal to p is kept */
    CHECK(bloom_plan_fpr(a_plan(64, 1, 32, 0), 100000) <= 1);
    CHECK(bloom_plan_fpr(less, 1000) > 0.001);
    for (i = 0; i < 40; i++)
        CHECK(bloom_plan_size(bloom_plan_bytes(1, i)) == 0);
    for (n = 1; n <= 100; n = n * 3 + 1)
        for (i = 40; i < 4000; i = i * 5 / 4) {
            plan = bloom_plan_bytes(n, i);
            less = plan;
            CHECK(bloom_plan_size(plan) <= i && bloom_plan_size(plan) + 8 > i);
            for (less.hashes = 1; less.hashes <= 64; less.hashes++)
                CHECK(bloom_plan_fpr(less, n)
                      >= bloom_plan_fpr(plan, n) * (1 - 1e-12));
        }
    CHECK(bloom_plan_bytes(0, 1000).hashes == bloom_plan_bytes(1, 1000).hashes);
    CHECK(bloom_plan_bytes(0, 40).hashes == bloom_plan_bytes(1, 40).hashes);
    if (sizeof (size_t) == 8) {
        CHECK(bloom_plan_bytes(1, (size_t)-1).cells == 1ULL << 62);
        plan = a_plan(1ULL << 62, 1, 64, 0);
        CHECK(bloom_plan_capacity(plan, 0.9) >> 63 == 1);
        plan = in_layout(a_plan(1ULL << 39, 8, 64, 0), BLOOM_BLOCKED);
        CHECK(bloom_plan_size(plan) == (1ULL << 36) + 32);
        plan.cells *= 2;
        CHECK(bloom_plan_size(plan) == 0);
    }
    CHECK(bloom_plan_bytes(1, (size_t)-1).cells > 0);
    CHECK(bloom_plan_capacity(a_plan(64, 1, 64, 0), 0.001) == 0);
    plan = in_layout(a_plan(64, 3, 64, 0), 3);
    CHECK(bloom_plan_fpr(plan, 1) >= 1 && bloom_plan_fpr(plan, 1) <= 1);
    CHECK(bloom_plan_capacity(plan, 0.9) == 0);
    plan = bloom_plan_for(1000, 0.01);
    n = bloom_plan_capacity(plan, 0.01);
    CHECK(bloom_plan_fpr(plan, n) <= 0.01);
    CHECK(bloom_plan_fpr(plan, n + 1) > 0.01);
    CHECK(bloom_plan_capacity(plan, 1) == 0);
    CHECK(bloom_plan_capacity(plan, nan) == 0);
    CHECK(bloom_plan_fpr(plan, 0) <= 0 && bloom_plan_fpr(plan, n * 99) > 0.9);
    plan.cells = 0;
    CHECK(bloom_plan_capacity(plan, 0.01) == 0 && bloom_plan_fpr(plan, 1) >= 1);
}

static void test_blocked_plans(void)
{
    uint64_t n, most;
    unsigned i, k;
    for (n = 1; n < 1000000000000; n = n * 7 + 1) {
        double p = 0.5;
        for (i = 0; i < 12; i++, p /= 7) {
            bloom_plan plan = bloom_plan_layout(n, p, BLOOM_BLOCKED);
            bloom_plan less = plan;
            if (plan.cells == 0) {
                CHECK(n > (sizeof n > sizeof (size_t) ? 20000000U
                                                      : 2000000000U));
                continue;
            }
            CHECK(plan.hashes % 8 == 0 && plan.cells % 256 == 0);
            CHECK(bloom_plan_fpr(plan, n) <= p);
            less.cells -= 256;
            CHECK(!less.cells || bloom_plan_fpr(less, n) > p);
            most = bloom_plan_for(n, p).cells;
            most += most / 5;
            if (plan.cells > most)          /* then no k needs less memory */
                for (k = 8; k <= 64 && less.cells; k += 8) {
                    less.hashes = (uint8_t)k;
                    CHECK(bloom_plan_fpr(less, n) > p);
                }
            less.cells = most / 256 * 256;
            for (k = 8; k < plan.hashes || (k <= 64 && plan.cells > most);
                 k += 8) {                  /* fewer blocks do not keep p */
                less.hashes = (uint8_t)k;
                CHECK(!less.cells || bloom_plan_fpr(less, n) > p);
            }
            CHECK(bloom_plan_capacity(plan, p) >= n);
        }
    }
    n = 1000000;
    CHECK(bloom_plan_layout(n, 0.01, BLOOM_BLOCKED).cells < 10600000);
    CHECK(bloom_plan_layout(n, 0.001, BLOOM_BLOCKED).cells < 17000000);
    CHECK(bloom_plan_layout(n, 1e-4, BLOOM_BLOCKED).cells < 21070000);
    CHECK(bloom_plan_layout(n, 1e-6, BLOOM_BLOCKED).cells < 33800000);
    CHECK(bloom_plan_layout(n, 1e-9, BLOOM_BLOCKED).cells < 50700000);
    CHECK(bloom_plan_layout(0, 0.1, BLOOM_BLOCKED).cells == 256);
    CHECK(bloom_plan_layout(0, 1e-12, BLOOM_BLOCKED).hashes
          == bloom_plan_layout(1, 1e-12, BLOOM_BLOCKED).hashes);
    CHECK(bloom_plan_size(bloom_plan_layout(9, 1, BLOOM_BLOCKED)) == 0);
    CHECK(bloom_plan_size(bloom_plan_layout(1ULL << 40, 0.1, BLOOM_BLOCKED))
          == 0);
    CHECK(bloom_plan_fpr(bloom_plan_layout(9, 0.1, BLOOM_BLOCKED),
                         1ULL << 60) >= 1);
}

/* For each layout, bloom_plan_bytes_layout takes all cells that fit, and the k
   of lowest rate. */
static void test_plans_of_bytes(void)
{
    static const unsigned unit[LAYOUT_COUNT] = { 8, 32, 32 };   /* in bytes */
    const unsigned none = LAYOUT_COUNT;
    uint64_t n;
    size_t bytes;
    unsigned layout;
    for (layout = 0; layout < LAYOUT_COUNT; layout++) {
        const bool blocked = layout == BLOOM_BLOCKED;
        for (bytes = 0; bytes < 32U + unit[layout]; bytes++)
            CHECK(bloom_plan_size(bloom_plan_bytes_layout(
                      9, bytes, (bloom_layout)layout)) == 0);
        for (n = 0; n <= 300; n = n * 3 + 1)
            for (; bytes < 4000; bytes = bytes * 5 / 4) {
                bloom_plan plan = bloom_plan_bytes_layout(
                    n, bytes, (bloom_layout)layout), other = plan;
                const size_t size = bloom_plan_size(plan);
                CHECK(plan.layout == layout && plan.seed == 0);
                CHECK(size > 0 && size <= bytes && size + unit[layout] > bytes);
                for (other.hashes = blocked ? 8 : 1; other.hashes <= 64;
                     other.hashes = (uint8_t)(other.hashes + (blocked ? 8 : 1)))
                    CHECK(bloom_plan_fpr(other, n)
                          >= bloom_plan_fpr(plan, n) * (1 - 1e-12));
            }
        if (sizeof (size_t) == 8)       /* as many cells as the format allows */
            CHECK(bloom_plan_bytes_layout(1, (size_t)-1, (bloom_layout)layout)
                      .cells == (blocked ? 0xFFFFFFFFULL << 8 : 1ULL << 62));
    }
    CHECK(bloom_plan_bytes_layout(9, 999, (bloom_layout)none).cells == 0);
}

/* For each layout, bloom_plan_fit takes all cells that fit. No k holds more
   keys, and no smaller k as many. */
static void test_plans_that_fit(void)
{
    static const double rates[] = { 0.9, 0.3, 0.01, 1e-6, 1e-15, 1e-18 };
    const unsigned none = LAYOUT_COUNT;
    const double nan = strtod("nan", NULL);
    unsigned layout, i, tried = 0;
    size_t bytes;
    for (layout = 0; layout < LAYOUT_COUNT; layout++) {
        const unsigned step = layout == BLOOM_BLOCKED ? 8 : 1;
        for (i = 0; i < COUNT(rates); i++)
            for (bytes = 30; bytes < 1000000; bytes = 2 * bytes + 9) {
                const bloom_plan plan =
                    bloom_plan_fit(bytes, rates[i], (bloom_layout)layout);
                const uint64_t n = bloom_plan_capacity(plan, rates[i]);
                bloom_plan other = bloom_plan_bytes_layout(
                    1, bytes, (bloom_layout)layout);
                unsigned k;
                CHECK(n > 0 || plan.cells == 0);
                CHECK(n == 0 || (plan.layout == layout && plan.seed == 0
                                 && plan.cells == other.cells));
                for (k = step; other.cells > 0 && k <= 64; k += step) {
                    uint64_t room;
                    other.hashes = (uint8_t)k;
                    room = bloom_plan_capacity(other, rates[i]);
                    CHECK(room <= n && (k >= plan.hashes || room < n));
                    tried += room > 0;
                }
            }
        CHECK(bloom_plan_size(bloom_plan_fit(999, 1, (bloom_layout)layout)) == 0);
        CHECK(bloom_plan_size(bloom_plan_fit(999, 0, (bloom_layout)layout)) == 0);
        CHECK(bloom_plan_size(bloom_plan_fit(1 << 20, 5e-20, (bloom_layout)layout))
              == 0);
        CHECK(bloom_plan_size(bloom_plan_fit(999, nan, (bloom_layout)layout)) == 0);
        CHECK(bloom_plan_size(bloom_plan_fit(39, 0.5, (bloom_layout)layout)) == 0);
    }
    CHECK(tried > 500);
    if (sizeof (size_t) == 8)           /* more keys than can be counted */
        CHECK(bloom_plan_capacity(bloom_plan_fit((size_t)-1, 0.999, BLOOM_CLASSIC),
                                  0.999) == UINT64_MAX);
    CHECK(bloom_plan_fit(999, 0.5, (bloom_layout)none).cells == 0);
}

/* Plans made with integers keep the rate in both widths. They need at least the
   memory of bloom_plan_for and, from 100 keys on, at most 2% and 64 bits
   more. */
static void test_integer_plans(void)
{
    uint64_t n, one_in;
    for (n = 1; n < 1000000000; n = n * 7 / 5 + 1)
        for (one_in = 2; one_in <= 1000000000; one_in += 1 + one_in / 3) {
            bloom_plan plan = bloom_plan_one_in(n, one_in);
            bloom_plan least = bloom_plan_for(n, 1.0 / (double)one_in);
            CHECK(plan.cells >= least.cells);
            CHECK(n < 100 || (double)plan.cells
                             <= 1.02 * (double)least.cells + 64);
            CHECK(bloom_plan_fpr(plan, n) * (double)one_in <= 1);
            plan.hash_bits = 32;
            CHECK(plan.cells >> 32
                  || bloom_plan_fpr(plan, n) * (double)one_in <= 1);
        }
}

/* With p this near to 1, the last digit of a rate is rounding error. k = 2
   keeps p in 64 cells less than k = 1 needs, and yet the least m that is found
   for k = 2 is larger. The search for a better k must still end. */
static void test_plans_near_one(void)
{
    const double p = 1 - DBL_EPSILON;
    bloom_plan plan = bloom_plan_for(192384, p);
    CHECK(plan.cells > 0 && bloom_plan_fpr(plan, 192384) <= p);
    CHECK(plan.cells <= bloom_plan_hashes(192384, p, 1).cells);
}

/* The search for a plan ends after few steps. A step computes one rate, which
   checks an assertion. These arguments have the most steps, by a random search:
   of all n and p, where they find no plan, and of n up to 10^10 with p from 0.5
   to 10^-12. */
#ifdef TEST_MALLOC

static void test_steps_of_search(void)
{
    static const struct {
        uint64_t n; double p; bloom_layout layout; unsigned long most;
    } slow[] = {
        { 39336842966991263, 5.53687e-20, BLOOM_CLASSIC, 400 },
        { 41050174042759396, 5.53297e-20, BLOOM_BLOCKED, 500 },
        { 1, 1e-12, BLOOM_CLASSIC, 60 },
        { 2, 6.22615e-12, BLOOM_BLOCKED, 100 },
    };
    unsigned i;
    for (i = 0; i < COUNT(slow); i++) {
        assertions = 0;
        bloom_plan_layout(slow[i].n, slow[i].p, slow[i].layout);
        CHECK(assertions > 10 && assertions <= slow[i].most);
    }
    assertions = 0;
    bloom_plan_hashes(1, 1.25647e-19, 1);
    CHECK(assertions > 10 && assertions <= 100);
    assertions = 0;
    bloom_plan_fit(29489675, 1.28875e-12, BLOOM_CLASSIC);
    CHECK(assertions > 100 && assertions <= 240);
}
#endif

/* Plans are frozen: filters that were made from other plans cannot be merged.
   So a version that plans another m or k than the ones before it, however good,
   breaks the programs of its users. These are checksums of the plans of 2.1 and
   later. All other tests compare plans and rates with exact sums. An x87 is an
   exception, as it computes with more bits than a double has. */
static void test_frozen_plans(void)
{
    uint64_t n, plans = 0, blocked = 0, bytes = 0;
    double p;
    unsigned k;
    for (n = 1; n < 1000000000; n = n < 8 ? n + 1 : n * 3)
        for (p = 0.9, k = 1; p > 5.5e-20; p *= 0.57, k = k % 64 + 1) {
            bloom_plan plan = bloom_plan_for(n, p);
            plans = plans * 31 + plan.cells + plan.hashes;
            if (n > 10000000 || k % 3)
                continue;
            plan = bloom_plan_layout(n, p, BLOOM_BLOCKED);
            blocked = blocked * 31 + plan.cells + plan.hashes;
            plan = bloom_plan_bytes(n, 40 + 3 * n * k / 8);
            bytes = bytes * 31 + plan.cells + plan.hashes;
        }
#if !defined FLT_EVAL_METHOD || FLT_EVAL_METHOD == 0
    CHECK(plans == 0x4CFA9FACF41BF4A3U);
    CHECK(blocked == 0xA7E4847EF1908088U);
    CHECK(bytes == 0x5A10B4B321D0A5E8U);
#endif
}

#endif

static void plan_tests(void)
{
    RUN(test_constant_plans());
#ifndef BLOOM_NO_FLOAT
    RUN(test_least_plans());
    RUN(test_blocked_plans());
    RUN(test_planning());
    RUN(test_far_plans());
    RUN(test_plans_of_bytes());
    RUN(test_plans_that_fit());
    RUN(test_plans_near_one());
    RUN(test_frozen_plans());
#ifdef TEST_MALLOC
    RUN(test_steps_of_search());
#endif
    RUN(test_integer_plans());
#endif
}
