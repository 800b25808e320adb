/* Tests the counting layout: adding and removing keys against an exact multiset
   and naive counters, removal of absent keys, merge, intersect and flatten. A
   failure means that removing a key can make another one a false negative, or
   that counters differ from other builds. */
#include "unit.h"

#ifndef BLOOM_TINY

/* A naive counting filter: the exact count of each cell, and STUCK if it ever
   reached 15. From then on, the counter in the image must stay 15. An AVR has
   little room: so this is one array, and the cells of a key are not on the
   stack. */
enum { STUCK = 0x4000 };
static unsigned naive_count[MOST_COUNTERS];
static uint64_t key_cells[64];

static unsigned naive_counter(uint64_t cell)
{
    return naive_count[cell] & STUCK ? 15 : naive_count[cell];
}

/* Compares all counters of b with the naive ones. */
static void check_counters(const bloom *b, uint64_t cells)
{
    const unsigned char *image = (const unsigned char *)(const void *)b;
    uint64_t i, ones = 0;
    for (i = 0; i < cells; i++) {
        unsigned nibble = image[32 + i / 2] >> (i % 2 ? 4 : 0) & 15;
        CHECK(nibble == naive_counter(i));
        ones += nibble != 0;
    }
    CHECK(bloom_ones(b) == ones);
}

/* Adds a key (by = 1) or removes it (by = -1). */
static void naive_move(const bloom *b, bloom_hash h, int by)
{
    unsigned k = bloom_probes(look(b, 32), h, key_cells), i;
    for (i = 0; i < k; i++) {
        naive_count[key_cells[i]] += (unsigned)by;
        if ((naive_count[key_cells[i]] & (STUCK - 1)) >= 15)
            naive_count[key_cells[i]] |= STUCK;
    }
}

/* bloom_count is the least of the key's counters. */
static void check_count(const bloom *b, size_t size, uint64_t key, unsigned in)
{
    const bloom_hash h = bloom_hash_u64(look(b, size), key);
    unsigned k = bloom_probes(look(b, size), h, key_cells), i, least = 15;
    for (i = 0; i < k; i++)
        if (naive_counter(key_cells[i]) < least)
            least = naive_counter(key_cells[i]);
    CHECK(bloom_count_u64(look(b, size), key) == least);
    CHECK(bloom_count_hash(look(b, size), h) == least);
    CHECK(least >= (in < 15 ? in : 15));
}

/* Adds and removes the keys 0 to 99 at random. Low keys are more frequent, so
   that some counters saturate. in[] holds how often each key is in. A key that
   is in must always be found. */
static void against_multiset(bloom_plan plan)
{
    unsigned in[100] = { 0 }, round, key;
    size_t size = bloom_plan_size(plan);
    bloom *b = bloom_init(memory + 1, size, plan);
    CHECK(b != NULL);
    memset(naive_count, 0, sizeof naive_count);
    for (round = 0; round < MOVES; round++) {
        bloom_hash h;
        bool maybe;
        key = (unsigned)(random64() % 100 * (random64() % 100) / 100);
        h = bloom_hash_u64(look(b, size), key);
        maybe = bloom_may_contain_u64(look(b, size), key);
        CHECK(maybe || !in[key]);
        if (random64() % 100 < (round < MOVES / 2 ? 80 : 20)) {
            CHECK(bloom_add_u64(b, key) == !maybe);
            naive_move(b, h, 1);
            in[key]++;
        } else if (in[key]) {
            CHECK(bloom_remove_hash(b, h));
            naive_move(b, h, -1);
            in[key]--;
        } else if (!maybe) {
            CHECK(!bloom_remove_u64(b, key));
        }
        check_count(b, size, key, in[key]);
        if (round % 100 == 0)
            check_counters(b, plan.cells);
    }
    for (key = 0; key < 100; key++)
        for (; in[key]; in[key]--) {
            CHECK(bloom_may_contain_u64(look(b, size), key));
            CHECK(bloom_remove_u64(b, key));
            naive_move(b, bloom_hash_u64(look(b, size), key), -1);
        }
    check_counters(b, plan.cells);
}

static bloom_plan counting_plan(uint64_t cells, unsigned k, unsigned width)
{
    bloom_plan plan = a_plan(cells, k, width, 5);
    plan.layout = BLOOM_COUNTING;
    return plan;
}

static void test_counting(void)
{
    unsigned w;
    for (w = 0; w < COUNT(widths); w++) {
        against_multiset(counting_plan(64, 3, widths[w]));
        against_multiset(counting_plan(512, 6, widths[w]));
        against_multiset(counting_plan(MOST_COUNTERS, 12, widths[w]));
        against_multiset(counting_plan(64, 64, widths[w]));
    }
}

/* A key that was added 15 times is permanent, and removing it is always true. */
static void test_permanent_key(void)
{
    bloom *b = bloom_init(memory, sizeof memory, counting_plan(256, 3, 64));
    unsigned i;
    for (i = 0; i < 14; i++)
        bloom_add_u64(b, 1);
    for (i = 0; i < 14; i++)
        CHECK(bloom_remove_u64(b, 1));
    CHECK(!bloom_remove_u64(b, 1));
    for (i = 0; i < 15; i++)
        bloom_add_u64(b, 1);
    for (i = 0; i < 100; i++)
        CHECK(bloom_remove_u64(b, 1));
    CHECK(bloom_may_contain_u64(look(b, 32 + 128), 1));
}

/* Removing an absent key returns false and changes nothing. That includes a key
   two of whose probes coincide on a counter that is only 1: none of its
   counters is 0, but the key cannot have been added. A classic filter removes
   nothing. */
static void test_remove_absent(void)
{
    unsigned char before[200];
    bloom *b = bloom_init(memory, sizeof memory, counting_plan(64, 5, 32));
    bloom *classic;
    uint64_t key, index[64], i, coincide = 0;
    for (key = 0; key < 2000; key++) {
        bloom_hash h = bloom_hash_u64(look(b, 64), key);
        bloom_clear(b);
        bloom_probes(look(b, 64), h, index);
        for (i = 0; i < 5; i++)         /* sets each counter to 1 */
            memory[32 + index[i] / 2] |= index[i] % 2 ? 0x10 : 1;
        memcpy(before, memory, 64);
        CHECK(bloom_may_contain_u64(look(b, 64), key));
        if (bloom_ones(b) == 5)
            continue;
        coincide++;
        CHECK(!bloom_remove_u64(b, key));
        CHECK(memcmp(before, memory, 64) == 0);
    }
    CHECK(coincide > 100);
    bloom_clear(b);
    CHECK(bloom_count(look(b, 64), "a", 1) == 0);
    CHECK(!bloom_remove(b, "a", 1) && bloom_add(b, "a", 1));
    CHECK(bloom_count(look(b, 64), "a", 1) > 0);
    CHECK(!sealed(b) && bloom_remove(b, "a", 1) && !sealed(b));
    CHECK(!bloom_remove(b, "a", 1) && !sealed(b) && bloom_ones(b) == 0);
    classic = bloom_init(memory, sizeof memory, a_plan(64, 5, 32, 5));
    bloom_add_u64(classic, 1);
    CHECK(!sealed(classic) && !bloom_remove_u64(classic, 1));
    CHECK(bloom_count_u64(look(classic, 64), 1) == 1);
    CHECK(bloom_count_u64(look(classic, 64), 2)
          == bloom_may_contain_u64(look(classic, 64), 2));
    CHECK(sealed(classic) && bloom_may_contain_u64(look(classic, 64), 1));
}

/* For every pair of counter values, merging gives the sum, at most 15, and
   intersecting the smaller one. Flattening gives the bytes of the classic
   filter with the same keys. */
static void test_whole_counting(void)
{
    unsigned char space_a[160], space_b[160], space_c[64];
    bloom_plan plan = counting_plan(256, 4, 32), flat = a_plan(256, 4, 32, 5);
    bloom *a, *b, *c = bloom_init(space_c, sizeof space_c, flat), *classic;
    bloom_hash first = { 0, 0 };
    unsigned x, i;
    for (x = 0; x < 16; x++) {
        a = bloom_init(space_a, sizeof space_a, plan);
        b = bloom_init(space_b, sizeof space_b, plan);
        for (i = 0; i < 128; i++) {
            space_a[32 + i] = (unsigned char)(i * 2 + (i >> 5));
            space_b[32 + i] = (unsigned char)(x | (15 - x) << 4);
        }
        memcpy(memory, space_a, 160);
        CHECK(bloom_merge(a, b));
        CHECK(bloom_intersect((bloom *)(void *)memory, b));
        for (i = 0; i < 256; i++) {
            unsigned old = (i / 2 * 2 + (i >> 6)) >> (i % 2 ? 4 : 0) & 15;
            unsigned other = i % 2 ? 15 - x : x;
            CHECK((space_a[32 + i / 2] >> (i % 2 ? 4 : 0) & 15)
                  == (old + other < 15 ? old + other : 15));
            CHECK((memory[32 + i / 2] >> (i % 2 ? 4 : 0) & 15)
                  == (old < other ? old : other));
        }
    }
    a = bloom_init(space_a, sizeof space_a, plan);
    classic = bloom_init(memory, sizeof memory, flat);
    for (i = 0; i < 60; i++) {
        bloom_add_u64(a, i);
        bloom_add_u64(classic, i);
    }
    bloom_add_hash(a, first);           /* all its probes are cell 0 */
    bloom_add_hash(classic, first);
    CHECK(bloom_ones(a) == bloom_ones(classic));
    memset(space_c + 32, 255, 32);      /* flattening removes what was in c */
    bloom_seal(c);
    CHECK(!bloom_flatten(c, classic) && !bloom_flatten(b, a) && sealed(c));
    CHECK(bloom_flatten(c, a) && memcmp(space_c, memory, 64) == 0);
    CHECK(!sealed(c));
    c = bloom_init(space_c, sizeof space_c, a_plan(256, 5, 32, 5));
    CHECK(!bloom_flatten(c, a) && bloom_ones(c) == 0);
}

static void counting_tests(void)
{
    RUN(test_counting());
    RUN(test_remove_absent());
    RUN(test_permanent_key());
    RUN(test_whole_counting());
}

#endif
