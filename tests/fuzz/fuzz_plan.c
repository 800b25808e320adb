/* Fuzz target: plans from any numbers (see fuzz.h). Plans must stay within the
   limits of the format, keep p by bloom_plan_fpr, and use no more memory than
   needed. rates/exact.c tests bloom_plan_fpr itself, and unit/plans.c the
   length of the search.

   fuzz: length=64 */

#include "fuzz.h"

/* Above this rate, a further key no longer changes the double reliably, so some
   checks are left out. */
#define NEARLY_1 0.999

/* With this many keys or cells, rounding may change a count by 1; by more with
   p near 1. */
#define DIGITS 1000000000000U

static bool is_rate(double p)
{
    return p > 0 && p < 1;
}

static double rate_of(bloom_plan plan, uint64_t n)
{
    double rate = bloom_plan_fpr(plan, n);
    must(rate >= 0 && rate <= 1);
    must(n > 0 || bloom_plan_size(plan) == 0 || !(rate > 0));
    return rate;
}

/* Makes filters of the plan: in too little memory, which must fail, and in
   exactly enough. */
static void make(bloom_plan plan)
{
    static unsigned char memory[1024 + 1];
    size_t size = bloom_plan_size(plan);
    must(size == right_size(plan));
    must(!bloom_init(memory + 1, size ? size - 1 : SIZE_MAX, plan));
    if (size == 0)
        must(!bloom_create(plan));
    if (size > 0 && size <= 1024) {
        bloom *b = bloom_init(memory + 1, size, plan);
        must(b && bloom_size(b) == size && bloom_ones(b) == 0);
        must(bloom_view(b, size, NULL) == b);
    }
}

/* Checks a plan for n keys and p: it is possible, and keeps p. */
static void kept(bloom_plan plan, uint64_t n, double p)
{
    uint64_t unsure;            /* rounding error, larger for p near 1 */
    make(plan);
    must(is_rate(p) || plan.cells == 0);
    must(plan.cells == 0 || is_possible(plan));
    if (bloom_plan_size(plan) == 0)
        return;
    must(plan.seed == 0 && plan.hash_bits == 64);
    must(rate_of(plan, n ? n : 1) <= p);
    if (p > NEARLY_1)
        return;
    unsure = (uint64_t)((double)n / (double)DIGITS / (1 - p));
    must(bloom_plan_capacity(plan, p) >= n - unsure);
}

/* Checks that one granule less, with k probes, does not keep p. */
static void is_least(bloom_plan plan, uint64_t n, double p, unsigned k)
{
    if (bloom_plan_size(plan) == 0 || plan.cells <= 256
        || plan.cells > DIGITS)
        return;
    plan.cells -= plan.layout == BLOOM_BLOCKED ? 256 : 64;
    if (plan.layout != BLOOM_BLOCKED)
        plan.hashes = (uint8_t)k;
    must(rate_of(plan, n ? n : 1) > p || p > NEARLY_1);
}

/* Checks a blocked plan: it has the fewest blocks per key that keep p in 1.2
   times the classic plan's memory. If no number does, it has the least
   memory. */
static void is_frugal(bloom_plan plan, uint64_t n, double p)
{
    uint64_t most = bloom_plan_for(n, p).cells;
    bloom_plan other = plan;
    bool within;
    most = (most + most / 5) / 256 * 256;
    within = plan.cells <= most;
    if (plan.cells == 0 || plan.cells > DIGITS || p > NEARLY_1)
        return;
    if (p < 1e-12)              /* not promised: the rate may fall, rise, fall */
        return;
    for (other.hashes = 8; other.hashes <= 64; other.hashes += 8) {
        other.cells = within ? most : plan.cells - 256;
        if (other.cells > 0 && (!within || other.hashes < plan.hashes))
            must(rate_of(other, n ? n : 1) > p);
    }
}

static void plan_for_rate(uint64_t n, double p, unsigned k, unsigned layout)
{
    bloom_plan least = bloom_plan_for(n, p), plan;
    kept(least, n, p);
    is_least(least, n, p, 1 + k % 64);
    plan = bloom_plan_hashes(n, p, k);
    kept(plan, n, p);
    must(plan.cells == 0 || plan.hashes == k);
    is_least(plan, n, p, k);
    must(bloom_plan_size(plan) == 0 || plan.cells >= least.cells
         || p > NEARLY_1);
    plan = bloom_plan_layout(n, p, (bloom_layout)layout);
    kept(plan, n, p);
    must(plan.cells == 0 || plan.layout == layout);
    must(plan.cells == 0 || layout == BLOOM_BLOCKED
         || (plan.cells == least.cells && plan.hashes == least.hashes));
    if (layout == BLOOM_BLOCKED) {
        is_least(plan, n, p, 0);
        is_frugal(plan, n, p);
    }
}

static void plan_for_bytes(uint64_t n, size_t bytes)
{
    const uint64_t most = ((uint64_t)1 << 59) + 32;
    bloom_plan plan = bloom_plan_bytes(n, bytes);
    size_t size = bloom_plan_size(plan);
    double rate;
    make(plan);
    must(bytes < 40 ? size == 0 : size <= bytes && size >= 40);
    must(bytes < 40 || bytes > most || bytes - size < 8);
    if (size == 0)
        return;
    rate = rate_of(plan, n ? n : 1);
    if (plan.hashes++ < 64)
        must(rate_of(plan, n ? n : 1) >= rate);
    plan.hashes = (uint8_t)(plan.hashes - 2);
    if (plan.hashes > 0)
        must(rate_of(plan, n ? n : 1) >= rate);
}

static void plan_in_integers(uint64_t n, uint64_t one_in)
{
    bloom_plan plan = bloom_plan_one_in(n, one_in), least;
    bool in_range = n <= (uint64_t)1 << 42 && one_in >= 2
                    && one_in <= 1000000000;
    double p = 1 / (double)one_in;
    make(plan);
    must((plan.cells > 0) == in_range);
    if (bloom_plan_size(plan) == 0)
        return;
    n = n ? n : 1;
    must(rate_of(plan, n) <= p);
    least = bloom_plan_for(n, p);
    must(plan.cells >= least.cells);
    must(n < 100 || plan.cells <= least.cells + least.cells / 50 + 64);
    plan.hash_bits = 32;
    if (bloom_plan_size(plan) > 0)
        must(rate_of(plan, n) <= p);
}

/* Checks bloom_plan_capacity of any plan: that many keys keep p, and one more
   does not. */
static void plan_of_numbers(bloom_plan plan, uint64_t n, double p)
{
    uint64_t capacity = bloom_plan_capacity(plan, p);
    make(plan);
    rate_of(plan, n);
    if (bloom_plan_size(plan) == 0 || !is_rate(p)) {
        must(capacity == 0);
        must(bloom_plan_size(plan) > 0 || bloom_plan_fpr(plan, n) >= 1);
        return;
    }
    must(rate_of(plan, capacity) <= p);
    must(capacity == UINT64_MAX || rate_of(plan, capacity + 1) > p
         || p > NEARLY_1);
}

static void run_one(input in)
{
    uint64_t n = any_number(&in), other = any_number(&in);
    double p = any_rate(&in);
    unsigned what = byte_of(&in), k = byte_of(&in);
    bloom_plan plan;
    if (k == 255)
        k = (unsigned)number_of(&in, 4);
    plan.layout = (uint8_t)(what / 4 % 8);
    plan.hashes = (uint8_t)k;
    plan.hash_bits = what & 128 ? 32 : 64;
    plan.cells = other & ~(uint64_t)(k & 63 ? 63 : 0);
    plan.seed = number_of(&in, 8);
    if (what % 8 == 7)
        plan.hash_bits = (uint8_t)byte_of(&in);
    switch (what % 4) {
    case 0: plan_for_rate(n, p, k, plan.layout); break;
    case 1: plan_for_bytes(n, (size_t)other); break;
    case 2: plan_in_integers(n, other); break;
    default: plan_of_numbers(plan, n, p);
    }
}
