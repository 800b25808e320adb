/* Tests the predicted rates of bloom_plan_fpr against exact sums over the
   distribution of set cells, and against measured rates. Tests what a filter
   reports of itself: bloom_fpr and bloom_estimate. If predictions are wrong,
   so are the plans, and a filter may exceed its rate. */
#include "unit.h"

#ifndef BLOOM_NO_FLOAT

/* The exact rate of k independent hash functions: E[(X/m)^k], where X is the
   number of cells that are set after `throws` independent throws at m cells. It
   computes the distribution of X in long double, throw by throw. For the same m
   it continues where the previous call ended. */
static double exact_rate(unsigned m, unsigned k, unsigned throws)
{
    static long double chance[2100];
    static unsigned last_m, thrown;
    long double rate = 0, one = 1.0L / m;
    unsigned i, j;
    if (m != last_m || throws < thrown)
        for (last_m = m, thrown = 0, j = 0; j < COUNT(chance); j++)
            chance[j] = j == 0;
    for (; thrown < throws; thrown++)
        for (j = (thrown < m ? thrown + 1 : m) + 1; j-- > 0; )
            chance[j] = chance[j] * (j * one)
                + (j ? chance[j - 1] * ((m - j + 1) * one) : 0);
    for (j = 1; j <= m && j <= throws; j++) {
        long double term = chance[j], fill = j * one;
        for (i = 0; i < k; i++)
            term *= fill;
        rate += term;
    }
    return (double)rate;
}

/* bloom_plan_fpr against that sum plus the floor of the hash, from filters of
   64 cells up to almost empty ones, in both widths. bloom_plan_fpr extrapolates
   from the first three moments. That may be off by 1.5% for fewer than ten
   keys, and by 4% where n * k reaches m. Counters have the rate of bits. */
static void test_exact_rates(void)
{
    static const unsigned cells[] = { 64, 128, 320, 1024, 3264, 122368,
                                      1 << 30 };
    unsigned c, throws, k, w;
    for (c = 0; c < COUNT(cells); c++)
        for (throws = 1; throws <= 2048; throws++)
            for (k = 1; k <= 64; k += k < 16 ? 3 : 12) {
                const unsigned n = throws / k;
                const bool far = throws >= cells[c];
                double rates, fill;
                if (n * k != throws || n > 64 || (n & (n - 1)) != 0)
                    continue;                       /* n: 1, 2, 4 .. 64 */
                rates = exact_rate(cells[c], k, throws);
                fill = exact_rate(cells[c], 1, throws);
                for (w = 32; w <= 64; w += 32) {
                    bloom_plan plan = a_plan(cells[c], k, w, 0);
                    double rate = bloom_plan_fpr(plan, n), exact = rates + fill
                        / (w == 32 ? 2147483648.0 : 9.2233720368547758e18);
                    CHECK(rate >= exact
                          * (far ? 0.97 : n < 10 ? 0.985 : 0.9999));
                    CHECK(rate <= exact
                          * (far ? 1.04 : n < 10 ? 1.015 : 1.0001));
                    plan.layout = BLOOM_COUNTING;
                    CHECK(bloom_plan_fpr(plan, n) <= rate
                          && bloom_plan_fpr(plan, n) >= rate);
                }
            }
    k = (unsigned)bloom_plan_hashes(4, 3.87065e-4, 64).cells;
    CHECK(exact_rate(k, 64, 4 * 64) <= 3.87065e-4);
}

/* With k = 1 the rate is 1 - (1 - 1/m)^n. For n a power of two that is found by
   squaring q = 1 - e. To lose no digits, e is stored instead of q:
   (1 - e)^2 = 1 - e(2 - e). */
static void test_precision(void)
{
    unsigned s;
    for (s = 8; s < 30; s++) {
        const uint64_t m = 1ULL << s;
        double rate = bloom_plan_fpr(a_plan(m, 1, 64, 0), m / 2), error;
        double e = 1 / (double)m;
        unsigned i;
        for (i = 1; i < s; i++)
            e *= 2 - e;
        error = rate / e - 1;
        CHECK(error < 1e-12 && error > -1e-12);
    }
}

/* Few keys in large filters: the rate grows with n and falls with m, even where
   the powers of the fill are far below the precision of a double. */
static void test_sparse_rates(void)
{
    double last = 0, rate;
    unsigned n, k;
    uint64_t m;
    for (n = 1; n < 2000; n = n * 5 / 4 + 1) {
        rate = bloom_plan_fpr(a_plan(1 << 20, 3, 64, 0), n);
        CHECK(rate > last);
        last = rate;
    }
    for (k = 4; k <= 64; k *= 2)
        for (last = 1, m = 1024; m <= 1ULL << 61; m *= 2) {
            if (bloom_plan_size(a_plan(m, k, 64, 0)) == 0)
                continue;                       /* a 32-bit size_t */
            rate = bloom_plan_fpr(a_plan(m, k, 64, 0), 1);
            CHECK(rate > 0 && rate < last);
            CHECK(bloom_plan_capacity(a_plan(m, k, 64, 0), rate) == 1);
            last = rate;
            for (n = 2; n < 10; n++) {
                double more = bloom_plan_fpr(a_plan(m, k, 64, 0), n);
                CHECK(more > rate);
                rate = more;
            }
        }
}

/* The exact rate of a blocked filter with k = 8: the mean over the loads of a
   block, whose distribution is computed in long double, key by key. */
static double exact_blocked_rate(unsigned blocks, unsigned n)
{
    static long double chance[3001];
    long double rate = 0, hit = 1.0L / blocks, none = 1;
    unsigned i, j;
    for (j = 0; j <= n; j++)
        chance[j] = 0;
    for (chance[0] = 1, i = 0; i < n; i++)
        for (j = i + 2; j-- > 0; )
            chance[j] = chance[j] * (1 - hit) + (j ? chance[j - 1] * hit : 0);
    for (j = 0; j <= n; j++, none *= 31.0L / 32) {
        long double word = 1 - none;
        word *= word;
        word *= word;
        rate += chance[j] * (word * word + j / 4294967296.0L);
    }
    return rate < 1 ? (double)rate : 1;
}

static void test_blocked_rates(void)
{
    static const unsigned blocks[] = { 1, 2, 3, 10, 100, 5000 };
    unsigned b, n;
    for (b = 0; b < COUNT(blocks); b++)
        for (n = 1; n <= 3000; n = n * 3 + 1) {
            double exact = exact_blocked_rate(blocks[b], n);
            double rate = bloom_plan_fpr(in_layout(a_plan(256 * blocks[b], 8,
                                         64, 0), BLOOM_BLOCKED), n);
            CHECK(rate > exact * (1 - 1e-9) && rate <= 1);
            CHECK(rate < exact * (1 + 1e-9));
        }
}

/* The chance that a block accepts c block probes of an absent key after j
   throws. Each word of 32 bits is a classic filter of 32 cells. If all probes of
   the key test the same bits, the block accepts any number of them like one. */
static double exact_chance(unsigned c, unsigned j, bool same)
{
    double word = exact_rate(32, same ? 1 : c, j);
    double four = word * word * word * word;
    return c == 0 ? 1
         : four * four + (c == 1 || same ? j / 4294967296.0 : 0);
}

/* The rate of b block probes per key in one block or in two, between which the
   loads are split binomially. A step whose low half is 0, with a chance of
   2^-32, makes all probes test the same bits. A low half of 2^31 has the same
   chance; then there are two sets of bits, and in one block both must be
   accepted. In two blocks that is too rare to matter here. */
static double exact_rate_of_blocks(unsigned blocks, unsigned b, unsigned loads)
{
    double one = exact_chance(b, loads, false), two = 0, coins = 1;
    double single = exact_chance(b, loads, true), ways;
    unsigned j, c;
    if (blocks == 1)
        return one + (single + single * single) / 4294967296.0;
    for (j = 0; j < loads + b; j++)
        coins /= 2;
    for (j = 0; j <= loads; j++) {
        for (ways = coins, c = 0; c <= b; c++) {
            two += ways * exact_chance(c, j, false)
                        * exact_chance(b - c, loads - j, false);
            two += ways * exact_chance(c, j, true)
                        * exact_chance(b - c, loads - j, true) / 4294967296.0;
            ways = ways * (b - c) / (c + 1);
        }
        coins = coins * (loads - j) / (j + 1);
    }
    return two;
}

/* Filters of one and of two blocks. bloom_plan_fpr ignores that a crowded block
   leaves the other emptier, so it is higher than the exact rate of two. */
static void test_rates_of_blocks(void)
{
    unsigned b, n;
    for (b = 2; b <= 4; b++)
        for (n = 3; n <= 20; n += n < 5 ? 1 : 5) {
            bloom_plan plan = in_layout(a_plan(256, 8 * b, 64, 0),
                                        BLOOM_BLOCKED);
            double rate = bloom_plan_fpr(plan, n);
            double exact = exact_rate_of_blocks(1, b, n * b);
            CHECK(rate > exact * 0.9999 && rate < exact * 1.005);
            plan.cells = 512;
            rate = bloom_plan_fpr(plan, n);
            exact = exact_rate_of_blocks(2, b, n * b);
            CHECK(rate > exact && rate < exact * (0.5 + 0.4 * b));
        }
}

/* The chance that all b = 2 or 3 probes of a key are accepted by `blocks`
   independent blocks, if c probes in one block are with the chance mean[c] */
static double all_accepted(double blocks, unsigned b, const double mean[4])
{
    const double one = mean[1], same = 1 / blocks, other = 1 - same;
    if (b == 2)
        return same * mean[2] + other * one * one;
    return same * same * mean[3] + 3 * same * other * mean[2] * one
         + other * (1 - 2 * same) * one * one * one;
}

/* Filters of many blocks, with 16 or 24 bits per key: the mean over the loads
   of a block. The last terms are for steps whose low half is 0 or 2^31, as
   above, and for the floor of the hash. */
static void test_rates_of_many_blocks(void)
{
    static const struct { unsigned blocks, b, n; } rows[] = {
        { 3, 2, 47 }, { 10, 2, 1 }, { 10, 2, 2 }, { 10, 3, 7 }, { 100, 2, 800 },
        { 100, 3, 300 }, { 4096, 3, 20 }
    };
    unsigned r, c, j;
    for (r = 0; r < COUNT(rows); r++) {
        const unsigned b = rows[r].b, loads = rows[r].n * b;
        const double blocks = rows[r].blocks;
        double mean[4] = { 1, 0, 0, 0 }, one[4], weight = 1, rate, exact, same;
        bloom_plan plan = in_layout(a_plan(256 * rows[r].blocks, 8 * b, 64, 0),
                                    BLOOM_BLOCKED);
        for (j = 0; j < loads; j++)
            weight *= 1 - 1 / blocks;
        for (j = 0; j <= loads; j++) {
            for (c = 1; c <= b; c++)
                mean[c] += weight * exact_chance(c, j, false);
            weight *= (loads - j) / (blocks - 1) / (j + 1);
        }
        exact = all_accepted(blocks, b, mean);
        one[0] = 1;
        one[1] = one[2] = one[3] = mean[1];
        same = b == 2 ? mean[1] * mean[1]
             : mean[1] * all_accepted(blocks, 2, one);
        exact += (all_accepted(blocks, b, one) + same - 2 * exact)
                 / 4294967296.0 + mean[1] / 9.2233720368547758e18;
        rate = bloom_plan_fpr(plan, rows[r].n) / exact;
        CHECK(rate > 1 - 1e-9 && rate < 1 + 1e-9);
    }
}

/* A few keys in one block, at rates that no lookups of random keys measure. The
   low half of the step is drawn as 0, or as 2^31, each of which has a chance of
   2^-32. With k = 64 nearly all false positives are of this kind. */
static void test_same_bits(void)
{
    enum { FILTERS = 5000, ASKED = 40 };
    const bloom_plan plan = in_layout(a_plan(256, 64, 64, 0), BLOOM_BLOCKED);
    double maybe = 0, says = 0, ratio;
    unsigned f, i;
    for (f = 0; f < FILTERS; f++) {
        bloom *b = bloom_init(memory, sizeof memory, plan);
        for (i = 0; i < 3; i++)
            bloom_add_u64(b, random64());
        for (i = 0; i < 2 * ASKED; i++) {
            bloom_hash h;
            h.h1 = random64();
            h.h2 = random64() << 32 | (i % 2 ? 1U << 31 : 0);
            maybe += bloom_may_contain_hash(b, h);
        }
        says += bloom_fpr(b) / (double)FILTERS;
    }
    maybe /= (double)FILTERS * (double)ASKED * 4294967296.0;
    ratio = bloom_plan_fpr(plan, 3) / maybe;
    CHECK(ratio > 0.85 && ratio < 1.15);            /* sigma 0.03 */
    ratio = says / maybe;
    CHECK(ratio > 0.85 && ratio < 1.15);
}

/* The floor of the rate: in width 32, one step of the walk in 2^32 is 0, in
   width 64 one in 2^64. Such a walk stays on one cell. */
static void test_floors(void)
{
    bloom_plan plan = a_plan(1 << 20, 64, 32, 0);
    CHECK(bloom_plan_fpr(plan, 1) > 64.0 / (1 << 20) / 4294967296.0);
    plan.hash_bits = 64;
    CHECK(bloom_plan_fpr(plan, 1) > 64.0 / (1 << 20) / 1.8446744073709552e19);
    CHECK(bloom_plan_fpr(plan, 1) < 64.0 / (1 << 20) / 4e18);
    plan = in_layout(a_plan(1 << 20, 64, 64, 0), BLOOM_BLOCKED);
    CHECK(bloom_plan_fpr(plan, 1) > 8.0 / 4096 / 4294967296.0 / 1.85e19);
    CHECK(bloom_plan_fpr(plan, 1) < 8.0 / 4096 / 4294967296.0 / 4e18);
}

/* The measured rates of small filters agree with bloom_plan_fpr, and with the
   textbook's formula times the factor in the rows of test_rates. Each is
   measured until 1200 false positives were seen (sigma 2.9%), or 600 where they
   are rare (4%). `make promise` measures with more. */
#ifdef TEST_RATES

static double measured_rate(bloom_plan plan, unsigned n, bool by_value,
                            unsigned asks, double enough)
{
    double asked = 0, maybe = 0;
    while (maybe < enough) {
        bloom *b = bloom_init(memory, sizeof memory, plan);
        unsigned i;
        for (i = 0; i < asks + n; i++) {
            uint64_t key = random64(), two[2];
            two[0] = two[1] = key;
            if (i < n)
                (void)(by_value ? bloom_add_u64(b, key)
                                : bloom_add(b, two, sizeof two));
            else
                maybe += by_value ? bloom_may_contain_u64(b, key)
                                  : bloom_may_contain(b, two, sizeof two);
        }
        asked += asks;
    }
    return maybe / asked;
}

static double power(double x, unsigned exponent)
{
    double product = 1;
    while (exponent-- > 0)
        product *= x;
    return product;
}

static void test_rates(void)
{
    static const struct { unsigned m, k, n; double multiple; } rows[] = {
        { 64, 10, 4, 1.24 }, { 256, 10, 18, 1.05 }, { 512, 10, 35, 1.03 },
        { 4096, 10, 284, 1.00 }, { 64, 3, 1, 1.014 } };
    unsigned r, kind;
    for (r = 0; r < COUNT(rows); r++)
        for (kind = 0; kind < 3; kind++) {
            unsigned m = rows[r].m, n = rows[r].n, k = rows[r].k;
            bloom_plan plan = a_plan(m, k, kind ? 64 : 32, 42);
            double textbook = power(1 - power(1 - 1.0 / m, k * n), k);
            bool rare = textbook < 0.0005;
            double rate = measured_rate(plan, n, kind == 2, 2000,
                                        rare ? 600 : 1200);
            double off = rare ? 0.14 : 0.1;
            CHECK(rate > (1 - off) * bloom_plan_fpr(plan, n));
            CHECK(rate < (1 + off) * bloom_plan_fpr(plan, n));
            CHECK(rate > (1 - off) * rows[r].multiple * textbook);
            CHECK(rate < (1 + off) * rows[r].multiple * textbook);
        }
    /* The rates of single blocked filters scatter more, so there are more of
       them. With several blocks per key and few blocks in all, the rate is
       below bloom_plan_fpr. */
    for (r = 0; r < 3; r++)
        for (kind = 0; kind < 6; kind++) {
            unsigned blocks = r < 2 ? 2 * r + 1 : 40, b = 1U << kind / 2;
            bloom_plan plan = in_layout(a_plan(256 * blocks, 8 * b, 64, 4),
                                        BLOOM_BLOCKED);
            unsigned n = (unsigned)bloom_plan_capacity(plan, 0.01);
            double rate = measured_rate(plan, n, kind % 2, 200 + n, 5000);
            rate /= bloom_plan_fpr(plan, n);
            CHECK(rate > (b == 1 || blocks > 9 ? 0.94 : 0.7));
            CHECK(rate < 1.05 * 1.03);
        }
}

#endif

/* All cells but one are set. The term for keys whose 32 hash bits within a
   block are equal would raise the rate to 1.0000001, but a rate is at most
   1. */
static void test_full_blocks(void)
{
    const size_t size = 32 + ((size_t)1 << 23);
    unsigned char *image = (unsigned char *)malloc(size);
    bloom *b = bloom_init(image, size, in_layout(a_plan(1 << 26, 8, 64, 0),
                                                 BLOOM_BLOCKED));
    CHECK(b != NULL);
    memset(image + 32, 0xFF, size - 32);
    image[1000] = 0xFE;
    CHECK(bloom_fpr(b) <= 1 && bloom_fpr(b) >= 1);
    CHECK(bloom_ones(b) == (1 << 26) - 1);
    free(image);
}

/* bloom_fpr and bloom_estimate of blocked filters with k = 8. With one key in
   ten blocks, the rate is known exactly: an absent key in that block is found
   if its 32 hash bits are equal, or if each of 8 words matches by chance. With
   2500 keys, 100,000 lookups of absent keys measure it. */
static void test_blocked_estimate(void)
{
    bloom *one = bloom_init(memory, 352, in_layout(a_plan(2560, 8, 64, 0),
                                                   BLOOM_BLOCKED));
    double rate;
    bloom_add_u64(one, 1);                  /* (2^-32 + 2^-40) / 10 */
    rate = bloom_fpr(one) * 10 * 4294967296.0;
    CHECK(rate > 1.0039 && rate < 1.003907);
    bloom_plan plan = bloom_plan_layout(2500, 0.02, BLOOM_BLOCKED);
    bloom *b = bloom_init(memory, sizeof memory, plan);
    unsigned i, maybe = 0;
    CHECK(bloom_estimate(b) == 0 && bloom_fpr(b) <= 0);
    for (i = 0; i < 2500; i++)
        bloom_add_u64(b, random64());
    CHECK(bloom_estimate(b) > 2430 && bloom_estimate(b) < 2570);
    for (i = 0; i < 100000; i++)
        maybe += bloom_may_contain_u64(b, random64());
    CHECK(bloom_fpr(b) < 1.1e-5 * maybe && bloom_fpr(b) > 0.9e-5 * maybe);
    memset(memory + 32, 0xFF, sizeof memory - 32);
    CHECK(bloom_estimate(b) == UINT64_MAX && bloom_fpr(b) >= 1);
}

/* bloom_fpr with several blocks per key. For k = 16 it is the square of the
   mean rate of the single blocks. For larger filters it is near
   bloom_plan_fpr. */
static void test_rate_of_several_blocks(void)
{
    bloom *few = bloom_init(memory, sizeof memory,
                            in_layout(a_plan(768, 16, 64, 0), BLOOM_BLOCKED));
    unsigned k, i, j;
    double mean = 0, ratio;
    for (i = 0; i < 48; i++)
        bloom_add_u64(few, i);
    for (i = 0; i < 24; i += 8) {
        double product = 1;
        for (j = i; j < i + 8; j++) {
            unsigned set = 0, bit;
            for (bit = 0; bit < 32; bit++)
                set += memory[32 + j * 4 + bit / 8] >> bit % 8 & 1;
            product *= set / 32.0;
        }
        mean += product / 3;
    }
    ratio = bloom_fpr(few) / (mean * mean);
    CHECK(ratio > 1 - 1e-6 && ratio < 1 + 1e-6);
    for (k = 16; k <= 64; k += 24) {
        bloom_plan plan = in_layout(a_plan(25600, k, 64, 0), BLOOM_BLOCKED);
        bloom *b = bloom_init(memory, sizeof memory, plan);
        for (i = 0; i < 4800 / k * 8; i++)
            bloom_add_u64(b, random64());
        ratio = bloom_fpr(b) / bloom_plan_fpr(plan, i);
        CHECK(ratio > 0.85 && ratio < 1.2);
    }
}

static void test_estimate(void)
{
    bloom_plan plan = bloom_plan_for(2000, 0.01);
    bloom *b = bloom_init(memory, sizeof memory, plan);
    double fill, rate = 1;
    unsigned i;
    CHECK(bloom_estimate(look(b, sizeof memory)) == 0 && bloom_fpr(b) <= 0);
    for (i = 0; i < 2000; i++)
        bloom_add_u64(b, random64());
    CHECK(bloom_estimate(b) > 1950 && bloom_estimate(b) < 2050);
    fill = (double)bloom_ones(b) / (double)plan.cells;
    for (i = 0; i < plan.hashes; i++)
        rate *= fill;
    CHECK(bloom_fpr(b) > rate * 0.999 && bloom_fpr(b) < rate * 1.001);
    memset(memory + 32, 0xFF, sizeof memory - 32);
    CHECK(bloom_estimate(b) == UINT64_MAX && bloom_fpr(b) >= 1);
    test_blocked_estimate();
    test_full_blocks();
    /* The estimate is the n for which this share of the cells is expected to be
       set: 1 - (1 - 8/256)^n = 31/32, then 1 - (1 - 1/64)^3n = 1/2 and
       1 - (1 - 1/64)^n = 63/64 */
    b = bloom_init(memory, sizeof memory, in_layout(a_plan(256, 8, 64, 0),
                                                    BLOOM_BLOCKED));
    memset(memory + 32, 0xFF, 31);
    CHECK(bloom_estimate(b) == 109);
    b = bloom_init(memory, sizeof memory, a_plan(64, 3, 64, 0));
    memset(memory + 32, 0xFF, 4);
    CHECK(bloom_estimate(b) == 15);
    b = bloom_init(memory, sizeof memory, a_plan(64, 1, 64, 0));
    memset(memory + 32, 0xFF, 7);
    memory[39] = 0x7F;
    CHECK(bloom_estimate(b) == 264);
    plan.hash_bits = 32;
    b = bloom_init(memory, sizeof memory, plan);
    memory[32] = 1;
    CHECK(bloom_fpr(b) * 2147483648.0 * (double)plan.cells > 0.999);
}

static void rate_tests(void)
{
    RUN(test_exact_rates());
    RUN(test_precision());
    RUN(test_sparse_rates());
    RUN(test_blocked_rates());
    RUN(test_rates_of_blocks());
    RUN(test_rates_of_many_blocks());
    RUN(test_same_bits());
    RUN(test_floors());
#ifdef TEST_RATES           /* in one mode only, as they take a few seconds */
    RUN(test_rates());
#endif
    RUN(test_rate_of_several_blocks());
    RUN(test_estimate());
}

#endif
