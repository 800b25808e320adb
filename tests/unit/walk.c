/* Tests which cells a key has (its walk), and that adds and lookups use exactly
   these. The oracle is a naive filter with one byte per cell. It computes the
   cell, the upper half of x * m, by long multiplication in base 2. In the
   blocked layout, word i of a block gets the bit whose number is the upper five
   bits of z * salt i modulo 2^32, where z is the low half of x. A failure means
   false negatives, or images that differ from those of other builds. */
#include "unit.h"

/* Each step of the walk is the previous one times this (Steele, Vigna 2021). */
#define FACTOR 15074714826142052245U

static unsigned char naive[MOST_CELLS];

/* The upper 64 bits of x * m */
static uint64_t naive_index(uint64_t x, uint64_t m)
{
    uint64_t high = 0, low = 0, x_high = 0;
    for (; m > 0; m >>= 1) {
        if (m & 1) {
            low += x;
            high += x_high + (low < x);
        }
        x_high = x_high << 1 | x >> 63;
        x <<= 1;
    }
    return high;
}

static unsigned naive_block_bit(bloom_plan plan, uint64_t x, unsigned word)
{
    static const char salts[] = "47b6137b44974d918824ad5ba2b7289d"
                                "705495c72df1424b9efc49475c6bfb31";
    char salt[9] = "";
    uint64_t blocks = plan.cells / 256, z = x % 4294967296U;
    memcpy(salt, salts + 8 * word, 8);
    z = z * strtoul(salt, NULL, 16) % 4294967296U;
    return (unsigned)((naive_index(x - x % 4294967296U, blocks) * 8 + word) * 32
                      + z / 134217728);
}

/* Were all cells of the key set? Sets them if `set` is true. */
static bool naive_walk(bloom_plan plan, bloom_hash h, bool set)
{
    uint64_t x = h.h1, y = h.h2;
    bool all = true;
    unsigned i;
    if (plan.hash_bits == 32)
        y -= y % 4294967296U;
    for (i = 0; i < plan.hashes; i++) {
        unsigned char *cell = naive + (plan.layout == BLOOM_BLOCKED
            ? naive_block_bit(plan, x, i % 8) : naive_index(x, plan.cells));
        if (plan.layout != BLOOM_BLOCKED || i % 8 == 7)
            x += y, y *= FACTOR;
        all = all && *cell;
        if (set)
            *cell = 1;
    }
    return all;
}

/* Looks up random keys (0 to 70 bytes, integers, hashes) in a filter at a
   random alignment and in the naive one, and adds about half of them to both.
   The answers must be equal, and at the end all bits. */
static void against_naive(bloom_plan plan)
{
    unsigned char key[80];
    size_t i, size = bloom_plan_size(plan);
    bloom *b = bloom_init(memory + random64() % 9, size, plan);
    const unsigned char *bytes = (const unsigned char *)(void *)b;
    unsigned round;
    CHECK(b != NULL);
    memset(naive, 0, sizeof naive);
    for (round = 0; round < KEYS; round++) {
        uint64_t number = random64(), index[64];
        const bloom *view = look(b, size);
        unsigned kind = round % 3, k;
        bool add = random64() % 2, in;
        bloom_hash h;
        random_bytes(key, sizeof key);
        i = round % 71;
        h = kind == 0 ? bloom_hash_key(view, key, i)
                      : bloom_hash_u64(view, number);
        if (kind == 2)
            h.h1 = number, h.h2 = random64();
        in = naive_walk(plan, h, false);
        CHECK(in == (kind == 0 ? bloom_may_contain(view, key, i)
                   : kind == 1 ? bloom_may_contain_u64(view, number)
                               : bloom_may_contain_hash(view, h)));
        k = bloom_probes(view, h, index);
        CHECK(k == plan.hashes && naive_walk(plan, h, false) == in);
        if (!add)
            continue;
        if (round % 16 == 0)
            bloom_seal(b);
        naive_walk(plan, h, true);
        CHECK(!in == (kind == 0 ? bloom_add(b, key, i)
                    : kind == 1 ? bloom_add_u64(b, number)
                                : bloom_add_hash(b, h)));
        CHECK(verify(b) == BLOOM_UNSEALED);
        view = look(b, size);
        CHECK(bloom_may_contain_hash(view, h));
        while (k-- > 0)                     /* blocked: one bit in each word */
            CHECK(naive[index[k]] == 1 && (plan.layout != BLOOM_BLOCKED
                                           || index[k] / 32 % 8 == k % 8));
    }
    for (i = 0; i < plan.cells; i++)
        CHECK((bytes[32 + i / 8] >> i % 8 & 1) == naive[i]);
}

static void test_against_naive(void)
{
    static const unsigned cells[] = { 64, 128, 192, 1024, 8000, 32768 };
    unsigned c, k, w;
    for (w = 0; w < COUNT(widths); w++)
        for (c = 0; c < COUNT(cells) && cells[c] <= MOST_CELLS; c++)
            for (k = 1; k <= 64; k += k < 9 ? 1 : k < 16 ? 7 : 16)
                against_naive(a_plan(cells[c], k, widths[w], random64()));
}

/* The cells of keys in the largest filters. bloom_probes reads only the header,
   so these filters need no memory for cells. For m = 2^32 + 64 the first x has
   a product just above 2^64. If the carry between 32-bit halves is lost, the
   result is just below. */
static void test_large_probes(void)
{
    static const uint64_t cells[] = { 0xFFFFFFC0U, 0x100000040U, 0xFFFFFFFFC0U,
                                      0x123456789ABCDC0U };
    unsigned c, w, round, i;
    for (w = 0; w < COUNT(widths); w++)
        for (c = 0; c < COUNT(cells); c++) {
            bloom_plan plan = a_plan(cells[c], 64, widths[w], 0);
            if (bloom_plan_size(plan) == 0)     /* not in this build */
                continue;
            init(memory, sizeof memory, a_plan(64, 64, widths[w], 0));
            store(memory + 8, cells[c], 8);
            for (round = 0; round < 30; round++) {
                const bloom *b = look((bloom *)(void *)memory, 32);
                uint64_t index[64], x = random64(), y = random64();
                bloom_hash h;
                if (round == 0)
                    x = 0xFFFFFFC1U;
                h.h1 = x, h.h2 = y;
                if (widths[w] == 32)
                    y -= y % 4294967296U;
                CHECK(bloom_probes(b, h, index) == 64);
                for (i = 0; i < 64; i++, x += y, y *= FACTOR)
                    CHECK(index[i] == naive_index(x, cells[c]));
            }
        }
}

/* Hashes at the border between two cells: their upper halves alone give the
   cell before `cell`; with the lower half of h1, nearly all give `cell` itself.
   The hash `last` gives cell 2 only if the lowest bit of h1 is used, too. */
static void test_boundaries(void)
{
    static const unsigned cells[] = { 64, 192, 960 };
    unsigned c, w, cell, reached = 0;
    bloom *b = bloom_init(memory, sizeof memory, a_plan(192, 1, 32, 0));
    bloom_hash last = { 44739242ULL << 32 | 2863311531U, 0 };
    CHECK(bloom_add_hash(b, last) && memory[32] == 1 << 2);
    for (w = 0; w < COUNT(widths); w++)
        for (c = 0; c < COUNT(cells); c++)
            for (cell = 1; cell < cells[c]; cell++) {
                bloom_plan plan = a_plan(cells[c], 1, widths[w], 0);
                uint64_t index[64] = { 0 };
                bloom_hash h = { 0, 0 };
                b = bloom_init(memory, sizeof memory, plan);
                h.h1 = (((uint64_t)cell << 32) - 1) / cells[c] << 32
                     | 0xFFFFFFFFU;
                bloom_probes(look(b, 160), h, index);
                CHECK(index[0] == naive_index(h.h1, cells[c]));
                reached += index[0] == cell;
            }
    CHECK(reached > COUNT(widths) * 800);
}

#if defined BLOOM_TINY && !defined TEST_SMALL && !defined TEST_FLASH

/* BLOOM_TINY begins the walk of a key without making a bloom_hash of it. The
   walk of its bloom_hash must visit the same cells. In a filter this large, the
   last carry of the product decides one cell in 2^14. */
static void test_tiny_walk(void)
{
    static unsigned char image[65500];
    bloom_plan plan = a_plan((sizeof image - 32) / 8 * 64 - 64, 64, 32, 1);
    bloom *b = bloom_init(image, sizeof image, plan);
    unsigned key;
    for (key = 0; key < 4000; key++) {
        bloom_hash h = bloom_hash_key(b, &key, sizeof key);
        if (key % 2)
            bloom_add(b, &key, sizeof key);
        else
            bloom_add_hash(b, h);
        CHECK(bloom_may_contain(b, &key, sizeof key));
        CHECK(bloom_may_contain_hash(b, h));
    }
}

#endif

/* Width 32: every call that takes a hash ignores the low half of h2. */
static void test_low_half_of_h2(void)
{
    unsigned layout, round;
    for (layout = 0; layout < LAYOUTS; layout += BLOOM_COUNTING)
        for (round = 0; round < 20; round++) {
            bloom_plan plan = in_layout(a_plan(960, 9, 32, 0), layout);
            const size_t size = bloom_plan_size(plan);
            bloom *b = bloom_init(memory, sizeof memory, plan);
            bloom_hash h, other;
            uint64_t cell[64], same[64];
            h.h1 = other.h1 = random64();
            h.h2 = random64();
            other.h2 = h.h2 ^ (random64() & 0xFFFFFFFFU);
            bloom_probes(look(b, size), h, cell);
            bloom_probes(look(b, size), other, same);
            CHECK(memcmp(cell, same, 9 * sizeof *cell) == 0);
            CHECK(bloom_add_hash(b, h));
            CHECK(bloom_may_contain_hash(look(b, size), other));
            CHECK(bloom_may_contain_many_hash(look(b, size), &other, 1, NULL)
                  == 1);
            CHECK(!bloom_add_hash(b, other));
            CHECK(bloom_add_many_hash(b, &other, 1, NULL) == 0);
            CHECK(bloom_remove_hash(b, other) == (layout == BLOOM_COUNTING));
        }
}

#ifndef BLOOM_TINY

static void test_blocked(void)
{
    static const unsigned cells[] = { 256, 512, 768, 2048, 7936, 32768 };
    unsigned c, k;
    for (c = 0; c < COUNT(cells) && cells[c] <= MOST_CELLS; c++)
        for (k = 8; k <= 64; k += BLOCK_STEP)
            against_naive(in_layout(a_plan(cells[c], k, 64, random64()),
                                    BLOOM_BLOCKED));
}

/* The blocks of keys in the largest filters, of which only the header exists.
   Below 2^34 cells the upper half of x chooses the block, from there on all of
   x. They choose different blocks in about one case in 64. */
static void test_large_blocks(void)
{
    static const uint64_t cells[] = { (1ULL << 34) - 256, 1ULL << 34,
                                      (1ULL << 34) + 256, (1ULL << 40) - 256 };
    unsigned c, round, i;
    for (c = 0; c < COUNT(cells) && SIZE_MAX > 0xFFFFFFFFU; c++) {
        init(memory, sizeof memory, in_layout(a_plan(256, 24, 64, 0),
                                                    BLOOM_BLOCKED));
        store(memory + 8, cells[c], 8);
        for (round = 0; round < 1000; round++) {
            const bloom *b = look((bloom *)(void *)memory, 32);
            uint64_t index[64], x = random64(), y = random64();
            bloom_hash h;
            h.h1 = x, h.h2 = y;
            CHECK(bloom_probes(b, h, index) == 24);
            for (i = 0; i < 24; i++) {
                uint64_t whole = c == 0 ? x - x % 4294967296U : x;
                CHECK(index[i] / 256 == naive_index(whole, cells[c] / 256));
                if (i % 8 == 7)
                    x += y, y *= FACTOR;
            }
        }
    }
}

/* The integer whose h1 this is, with seed 0: fmix64 backwards. */
static uint64_t integer_of(uint64_t h1)
{
    h1 = (h1 ^ h1 >> 33) * 0x9CB4B2F8129337DBU;     /* inverse factors */
    h1 = (h1 ^ h1 >> 33) * 0x4F74430C22A54005U;
    return (h1 ^ h1 >> 33) - 0x9E3779B97F4A7C15U;   /* seed 0 */
}

/* Two integers whose h1 share the low half have the same eight bits in their
   first blocks. In their second and third blocks they must differ: there all
   eight bits agree by chance only, for one pair in 2^40. */
static void test_low_half_of_h1(void)
{
    bloom *b = bloom_init(memory, sizeof memory,
                          in_layout(a_plan(1024, 24, 64, 0), BLOOM_BLOCKED));
    const bloom *view = look(b, 160);
    unsigned round, i, equal[3];
    for (round = 0; round < 20; round++) {
        const uint64_t h1 = random64(), other = h1 ^ random64() >> 32 << 32;
        const bloom_hash h = bloom_hash_u64(view, integer_of(h1));
        const bloom_hash g = bloom_hash_u64(view, integer_of(other));
        uint64_t cell[64], same[64];
        CHECK(h.h1 == h1 && g.h1 == other);
        bloom_probes(view, h, cell);
        bloom_probes(view, g, same);
        memset(equal, 0, sizeof equal);
        for (i = 0; i < 24; i++)
            equal[i / 8] += cell[i] % 256 == same[i] % 256;
        CHECK(equal[0] == 8 && equal[1] < 8 && equal[2] < 8);
    }
}

#endif

static void probe_tests(void)
{
    RUN(test_against_naive());
    RUN(test_boundaries());
    RUN(test_large_probes());
    RUN(test_low_half_of_h2());
#if defined BLOOM_TINY && !defined TEST_SMALL && !defined TEST_FLASH
    RUN(test_tiny_walk());
#endif
#ifndef BLOOM_TINY
    RUN(test_blocked());
    RUN(test_large_blocks());
    RUN(test_low_half_of_h1());
#endif
}
