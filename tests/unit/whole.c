/* Tests calls for whole filters: making, copying, merging, intersecting and
   folding, also when memory is short. The oracles are a filter to which the
   same keys were added, and cells that are counted or combined one by one. */
#include "unit.h"

static void test_making(void)
{
    bloom_plan plan = a_plan(1024, 7, 32, 9), p;
    unsigned i;
    CHECK(bloom_plan_size(plan) == 160);
    CHECK(bloom_init(NULL, 160, plan) == NULL);
    memset(memory, 0xAA, 160);
    CHECK(bloom_init(memory, 31, plan) == NULL);
    CHECK(bloom_init(memory, 159, plan) == NULL);
    CHECK(bloom_init(memory, 160, a_plan(1024, 0, 32, 9)) == NULL);
    for (i = 0; i < 160; i++)
        CHECK(memory[i] == 0xAA);           /* a failure writes nothing */
    memset(memory, 0xFF, sizeof memory);
    CHECK(bloom_init(memory, 160, plan) == (bloom *)(void *)memory);
    CHECK(bloom_ones((bloom *)(void *)memory) == 0 && memory[160] == 0xFF);
    p = bloom_plan_of(look((bloom *)(void *)memory, 160));
    CHECK(p.cells == 1024 && p.seed == 9 && p.hashes == 7);
    CHECK(p.layout == BLOOM_CLASSIC && p.hash_bits == 32);
    CHECK(bloom_plan_size(a_plan(0, 7, 32, 0)) == 0);
    CHECK(bloom_plan_size(a_plan(65, 7, 32, 0)) == 0);
    CHECK(bloom_plan_size(a_plan(64, 0, 32, 0)) == 0);
    CHECK(bloom_plan_size(a_plan(64, 65, 32, 0)) == 0);
    CHECK(bloom_plan_size(a_plan(64, 1, 31, 0)) == 0);
    CHECK(bloom_plan_size(a_plan(1ULL << 32, 1, 32, 0)) == 0);
    plan.layout = BLOOM_BLOCKED;
    CHECK(bloom_plan_size(plan) == 0);
    CHECK(bloom_init(memory, sizeof memory, plan) == NULL);
    plan.hashes = 8;                        /* blocks are for width 64 only */
    CHECK(bloom_plan_size(plan) == 0);
    CHECK(bloom_init(memory, sizeof memory, plan) == NULL);
    plan.hash_bits = 64;
    CHECK(bloom_plan_size(plan) == (LAYOUTS == 1 ? 0 : 160));
    plan.cells = 1024 + 64;
    CHECK(bloom_plan_size(plan) == 0);
    plan.cells = 1024;
    plan.layout = BLOOM_COUNTING;
    CHECK(bloom_plan_size(plan) == (LAYOUTS == 1 ? 0 : 32 + 512));
}

/* bloom_init_zeroed writes the header only. If the memory is all zeros, the
   image is that of bloom_init. Otherwise each key that was added is found all
   the same, and counters that are too high lose none by removing. */
static void test_init_zeroed(void)
{
    unsigned char other[256 + 32];          /* another image, then junk */
    unsigned char head[32];
    unsigned layout, key, i;
    for (layout = 0; layout < LAYOUTS; layout++) {
        bloom_plan plan = in_layout(a_plan(512, 8, widths[0], 3), layout);
        const size_t size = bloom_plan_size(plan);
        bloom *b;
        memset(other, 0xFF, sizeof other);
        init(other, sizeof other, plan);
        memset(memory, 0, sizeof memory);
        CHECK(!bloom_init_zeroed(NULL, size, plan)
              && !bloom_init_zeroed(memory, size - 1, plan) && memory[0] == 0);
        b = bloom_init_zeroed(memory, size, plan);
        CHECK(b == (bloom *)(void *)memory && memcmp(b, other, size) == 0);
        memcpy(head, other, sizeof head);
        random_bytes(other, sizeof other);
        memcpy(memory, other, sizeof other);
        b = bloom_init_zeroed(memory, sizeof memory, plan);
        CHECK(memcmp(memory, head, 32) == 0 && verify(b) == BLOOM_UNSEALED);
        CHECK(memcmp(memory + 32, other + 32, sizeof other - 32) == 0);
        for (key = 0; key < 20; key++)
            bloom_add_u64(b, key);
        for (i = 0; i < 2; i++) {
            for (key = i; key < 20; key += 1 + i)
                CHECK(bloom_may_contain_u64(look(b, size), key));
            for (key = 0; i == 0 && key < 20; key += 2)
                (void)bloom_remove_u64(b, key);
        }
    }
}

#ifndef BLOOM_NO_MALLOC
/* A copy has the bytes of its original, which may be in flash. Changing the
   copy does not change the original. */
static void test_copy(void)
{
    unsigned layout, size, key;
    for (layout = 0; layout < LAYOUTS; layout++) {
        bloom_plan plan = in_layout(a_plan(512, 8, widths[0], 3), layout);
        bloom *b = bloom_init(memory + 1, sizeof memory - 1, plan), *c;
        size = (unsigned)bloom_plan_size(plan);
        for (key = 3; key < 30; key++)
            bloom_add_u64(b, key);
        bloom_seal(b);
        CHECK(memory[size] != 0);                       /* the last byte */
        c = bloom_copy(look(b, size));
        CHECK(c && (uintptr_t)(void *)c % 32 == 0);
        CHECK(c && memcmp(c, b, size) == 0 && verify(c) == BLOOM_OK);
        bloom_add_u64(c, 2);
        CHECK(verify(b) == BLOOM_OK && bloom_ones(c) > bloom_ones(b));
        bloom_free(c);
    }
#ifdef TEST_MALLOC
    requests = 0;
    refused = 0;
    CHECK(bloom_copy((bloom *)(void *)(memory + 1)) == NULL);
    refused = -1;
#endif
}

static void test_malloc(void)
{
    unsigned i;
    for (i = 1; i < 20; i++) {
        bloom *b = bloom_create(a_plan(64 * i, 7, 64, 9));
        CHECK(b && (uintptr_t)(void *)b % 32 == 0 && bloom_ones(b) == 0);
        bloom_free(b);
    }
    bloom_free(NULL);
#ifndef BLOOM_NO_FLOAT
    {
        bloom *b = bloom_new(1000, 0.01);
        CHECK(b && bloom_size(b) == 32 + 9600 / 8);
        bloom_free(b);
#ifndef TEST_MALLOC                             /* there, BLOOM_ASSERT */
        CHECK(bloom_new(1000, 1) == NULL);
        CHECK(bloom_new_layout(1000, 1, BLOOM_BLOCKED) == NULL);
#endif
    }
    for (i = 0; i < LAYOUTS; i++) {
        const bloom_plan plan = bloom_plan_layout(1000, 0.01, (bloom_layout)i);
        bloom *b = bloom_new_layout(1000, 0.01, (bloom_layout)i);
        CHECK(b && bloom_plan_of(look(b, 40)).layout == i);
        CHECK(b && bloom_size(look(b, 40)) == bloom_plan_size(plan));
        bloom_free(b);
    }
#endif
    CHECK(bloom_create(a_plan(0, 7, 64, 9)) == NULL);
    CHECK(bloom_create(a_plan(1ULL << 61, 7, 64, 9)) == NULL);
    CHECK(bloom_create(a_plan(0xFFFFFFFFFFFFFFC0U, 7, 64, 9)) == NULL);
#ifdef TEST_MALLOC
    CHECK(held == 0 && bloom_create(a_plan(64000000, 7, 64, 9)) == NULL);
    CHECK(held == 0);
#endif
}
#endif

#ifdef TEST_MALLOC
/* BLOOM_ASSERT catches a NULL filter. */
static void test_assert(void)
{
    static unsigned seen;
    if (setjmp(at_null) == 0)
        (void)bloom_size(NULL);
    else
        seen++;
    if (setjmp(at_null) == 0)
        bloom_clear(NULL);
    else
        seen++;
    if (setjmp(at_null) == 0)
        CHECK(!bloom_may_contain_u64(NULL, 1));
    else
        seen++;
    if (setjmp(at_null) == 0)
        CHECK(!bloom_new(1000, 1));             /* meant as 1% */
    else
        seen++;
    CHECK(seen == 4);
}
#endif

static void test_whole(void)
{
    unsigned char space_a[200], space_b[200], space_both[200];
    bloom_plan plan = a_plan(1024, 5, 32, 1), different[4];
    bloom *a = bloom_init(space_a + 1, 160, plan);
    bloom *b = bloom_init(space_b, 160, plan);
    bloom *both = bloom_init(space_both + 7, 160, plan);
    unsigned i, naive_ones = 0;
    for (i = 0; i < 120; i++) {
        if (i < 80)
            bloom_add_u64(a, i);
        if (i >= 40)
            bloom_add_u64(b, i);
        bloom_add_u64(both, i);
    }
    CHECK(bloom_merge(a, b) && memcmp(space_a + 1, space_both + 7, 160) == 0);
    for (i = 8 * 32; i < 8 * 160; i++)
        naive_ones += space_both[7 + i / 8] >> i % 8 & 1;
    CHECK(bloom_ones(both) == naive_ones);
    bloom_clear(a);
    for (i = 0; i < 80; i++)
        bloom_add_u64(a, i);
    for (i = 0; i < 4; i++)
        different[i] = plan;
    different[0].cells = 960;
    different[1].seed = 2;
    different[2].hashes = 6;
    different[3].hash_bits = 64;
    for (i = 0; i < (COUNT(widths) == 1 ? 3 : 4); i++) {
        memcpy(space_both, space_a, sizeof space_a);
        init(memory, sizeof memory, different[i]);
        bloom_seal(a);
        CHECK(!bloom_merge(a, (bloom *)(void *)memory));
        CHECK(!bloom_intersect(a, (bloom *)(void *)memory));
        CHECK(sealed(a));
    }
    memcpy(space_both, space_a, sizeof space_a);
    CHECK(bloom_intersect(a, b));
    for (i = 32; i < 160; i++)
        CHECK(space_a[1 + i] == (space_both[1 + i] & space_b[i]));
    for (i = 40; i < 80; i++)
        CHECK(bloom_may_contain_u64(look(a, 160), i));
    CHECK(bloom_merge(a, a) && bloom_intersect(a, a));
}

#ifndef BLOOM_TINY
/* A filter of m * by cells that is folded by `by` has the bytes of a filter of
   m cells with the same keys. Some keys are added often, so that counters reach
   15. */
static void fold(bloom_plan plan, uint64_t by)
{
    unsigned char wanted[32 + 256 / 2];       /* the largest of test_fold */
    bloom *small = bloom_init(wanted, sizeof wanted, plan), *b;
    const size_t size = bloom_plan_size(plan);
    const uint64_t m = plan.cells;
    unsigned char *at;      /* odd, or at the very end of memory[], where the
                               sanitizer notices a read that goes too far */
    uint64_t key;
    plan.cells *= by;
    if (bloom_plan_size(plan) > sizeof memory - 1)
        return;                             /* too large for this chip */
    at = memory + sizeof memory - bloom_plan_size(plan) - by % 2;
    b = bloom_init(at, bloom_plan_size(plan), plan);
    for (key = 0; key < m / 8; key++) {
        bloom_add_u64(b, key % 3 ? key : 0);
        bloom_add_u64(small, key % 3 ? key : 0);
    }
    bloom_seal(b);
    CHECK(!bloom_fold(b, 0) && !bloom_fold(b, 2 * plan.cells));
    CHECK(!bloom_fold(b, plan.cells) && !bloom_fold(b, plan.cells / 64 * 2));
    CHECK(plan.cells % 11 == 0 || !bloom_fold(b, 11));
    CHECK(bloom_plan_of(look(b, 32)).cells == plan.cells && sealed(b));
    CHECK(bloom_fold(b, by) && bloom_size(look(b, 32)) == size);
    CHECK(memcmp(at, wanted, size) == 0);
}

static void test_fold(void)
{
#ifdef TEST_SMALL                       /* on an AVR, all would take minutes */
    static const uint8_t by[] = { 3 };
#else
    static const uint8_t by[] = { 1, 2, 3, 5, 7, 9, 16, 64 };
#endif
    unsigned char header[32];
    bloom_plan plan = a_plan(64, 8, 64, 0);
    unsigned layout, width, i;
    uint64_t j;
    bloom *b;
    for (i = 0; i < COUNT(by); i++)
        for (layout = 0; layout < LAYOUTS; layout++)
            for (width = 32; width <= 64; width += 32) {
                plan = in_layout(a_plan(256, 8, width, 5), layout);
                if (layout == BLOOM_BLOCKED && width == 32)
                    continue;
                fold(plan, by[i]);
                plan.hashes = 16;
                fold(plan, by[i]);
                plan.cells = layout == BLOOM_BLOCKED ? 768 : 192;
                fold(plan, by[i]);
            }
    if (SIZE_MAX >> 31 <= 1)
        return;                         /* size_t is too small for 2^34 cells */
    memset(header, 0, sizeof header);   /* bloom_fold reads no cells here */
    memcpy(header, "BLM\2\1\100\10", 7);
    for (j = 1; j <= 64; j *= 2) {
        store(header + 8, 1ULL << 34, 8);
        b = bloom_open(header, SIZE_MAX, NULL);
        CHECK(b && (j == 1 || !bloom_fold(b, j)));
    }
}
#endif

#if !defined BLOOM_TINY && !defined BLOOM_NO_FLOAT

/* Compares bloom_fold_by with trying each `by` on a copy of b, for a filter of
   this plan with n keys. For most n and p it is larger than they need. */
static void fold_by(bloom_plan plan, unsigned n)
{
    static const double rates[] = { 0.9, 0.3, 0.01, 1e-4, 1e-9, 1e-15, 1e-19 };
    static unsigned char copy[sizeof memory];
    uint64_t by, estimate, largest[COUNT(rates)] = { 0 };
    bloom *b = bloom_init(memory, sizeof memory, plan);
    size_t size;
    unsigned i;
    CHECK(b != NULL);
    while (n-- > 0)
        bloom_add_u64(b, random64());
    bloom_seal(b);
    estimate = bloom_estimate(b);
    size = bloom_size(b);
    memcpy(copy, b, size);
    for (by = 1; by <= 65536; by++)
        if (bloom_fold((bloom *)(void *)copy, by)) {
            plan = bloom_plan_of((bloom *)(void *)copy);
            for (i = 0; i < COUNT(rates); i++)
                if (bloom_plan_fpr(plan, estimate) <= rates[i])
                    largest[i] = by;
            memcpy(copy, b, size);
        }
    for (i = 0; i < COUNT(rates); i++)
        CHECK(bloom_fold_by(b, rates[i]) == largest[i]);
    CHECK(sealed(b));                               /* b is not changed */
}

static void test_fold_by(void)
{
    static const double impossible[] = { 0, 1, 1.5, -0.1, 1e300 };
    const double nan = strtod("nan", NULL);
    bloom *b = bloom_init(memory, sizeof memory, a_plan(64 * 60, 3, 64, 0));
    unsigned n, i;
    for (n = 0; n <= 300; n = n * 3 + 1) {
        fold_by(a_plan(64 * 420, 7, 64, 1), n);
        fold_by(a_plan(64 * 251, 2, 32, 2), n);     /* a prime number */
        fold_by(in_layout(a_plan(256 * 96, 8, 64, 3), BLOOM_BLOCKED), n);
        fold_by(in_layout(a_plan(256 * 60, 24, 64, 4), BLOOM_BLOCKED), n);
        fold_by(in_layout(a_plan(64 * 120, 5, 64, 5), BLOOM_COUNTING), n);
    }
    b = bloom_init(memory, sizeof memory, a_plan(64 * 60, 3, 64, 0));
    for (i = 0; i < COUNT(impossible); i++)
        CHECK(bloom_fold_by(b, impossible[i]) == 0);
    CHECK(bloom_fold_by(b, nan) == 0);
    CHECK(bloom_fold_by(b, 1e-9) == 60);            /* empty: any `by` */
    bloom_add_u64(b, 1);
    CHECK(bloom_fold_by(b, 1e-30) == 0);            /* already above p */
    CHECK(bloom_fold_by(b, 0.5) == 60);
    memset(memory + 32, 0xFF, bloom_size(b) - 32);
    CHECK(bloom_fold_by(b, 0.999) == 0);            /* full */
}

/* The result is at most 65536, even if a larger `by` would do. A blocked filter
   of 2^34 cells or more is not folded below 2^34, as smaller filters choose a
   key's block by another rule. */
static void test_fold_by_limits(void)
{
    static const struct { uint64_t cells, by; uint8_t layout; } rows[] = {
        { 64ULL * 65536 * 2, 65536, BLOOM_CLASSIC },
        { 64ULL * 65537, 1, BLOOM_CLASSIC },        /* a prime number */
#ifdef TEST_LARGE
        { 1ULL << 34, 1, BLOOM_BLOCKED },       /* 2 GB: slow, so in one mode */
#endif
        { 64ULL * 63000 * 3, 63000, BLOOM_CLASSIC } };
    unsigned i;
    for (i = 0; i < COUNT(rows); i++) {
        bloom *b = sparse(in_layout(a_plan(rows[i].cells, 8, 64, 0),
                                    rows[i].layout));
        if (b)                          /* NULL if memory is short */
            CHECK(bloom_fold_by(b, 0.01) == rows[i].by);
        free(b);
    }
}

#endif

#if !defined BLOOM_NO_MALLOC && !defined BLOOM_NO_FLOAT
/* The code in the comment on bloom_estimate. `make docs` compares the two. */
static double both_of(const bloom *a, const bloom *b)
{
    double both = 0;
    bloom *u = bloom_copy(a);           // then the union
    if (u && bloom_merge(u, b))
        both = (double)bloom_estimate(a) + (double)bloom_estimate(b)
             - (double)bloom_estimate(u);
    if (both < 0)                       // the three are estimates
        both = 0;
    bloom_free(u);
    return both;
}

/* Two sets of 500 keys, with `shared` of them in both. The sum of estimates is
   below that of the union for some seeds, but the result is never below 0. */
static void test_intersection_size(void)
{
    unsigned shared, seed, key, below = 0;
    for (shared = 0; shared <= 500; shared += 250)
        for (seed = 0; seed < 200; seed++) {
            bloom_plan plan = bloom_plan_for(1000, 0.01);
            bloom *a, *b, *u;
            double both;
            plan.seed = seed;
            a = bloom_create(plan);
            b = bloom_create(plan);
            for (key = 0; key < 500; key++) {
                bloom_add_u64(a, key);
                bloom_add_u64(b, key + 500 - shared);
            }
            both = both_of(a, b);
            CHECK(both >= 0 && both > shared - 40.0 && both < shared + 40.0);
            u = bloom_copy(a);
            CHECK(bloom_merge(u, b));
            below += bloom_estimate(a) + bloom_estimate(b) < bloom_estimate(u);
            bloom_free(a);
            bloom_free(b);
            bloom_free(u);
        }
    CHECK(below > 50);
}
#endif

static void whole_tests(void)
{
    RUN(test_making());
    RUN(test_init_zeroed());
    RUN(test_whole());
#ifndef BLOOM_TINY
    RUN(test_fold());
#ifndef BLOOM_NO_FLOAT
    RUN(test_fold_by());
    RUN(test_fold_by_limits());
#endif
#endif
#if !defined BLOOM_NO_MALLOC && !defined BLOOM_NO_FLOAT
    RUN(test_intersection_size());
#endif
#ifndef BLOOM_NO_MALLOC
    RUN(test_copy());
    RUN(test_malloc());
#endif
#ifdef TEST_MALLOC
    RUN(test_assert());
#endif
}
