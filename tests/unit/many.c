/* Tests that a call for many keys gives the same answers and the same image as
   one call per key, for all three kinds of keys, also in filters so large that
   bloom.h takes other paths. A failure means lost keys or wrong answers. */
#include "unit.h"
#include "kinds.h"

/* The hash `last` of test_boundaries, which needs the lowest bit of h1 */
static void test_many_at_boundary(void)
{
    bloom *b = bloom_init(memory, sizeof memory, a_plan(192, 1, 32, 0));
    bloom_hash last = { 44739242ULL << 32 | 2863311531U, 0 };
    bloom_add_hash(b, last);
    CHECK(bloom_may_contain_many_hash(look(b, 56), &last, 1, NULL) == 1);
}

#ifndef TEST_SMALL                  /* 200 keys do not fit in its RAM */

enum { MOST = 200 };
static uint64_t integers[MOST];
static bloom_hash hashes[MOST];
static bloom_key keys[MOST];
static char strings[MOST][24];

/* Random keys. Every fourth one repeats an earlier one, which may be in the
   same batch of bloom.h. */
static void fill_keys(void)
{
    unsigned i;
    for (i = 0; i < MOST; i++) {
        uint64_t number = random64();
        if (i % 4 == 3)
            number = integers[random64() % i];
        integers[i] = number;
        hashes[i].h1 = number * 0x9E3779B97F4A7C15U;
        hashes[i].h2 = ~number * 0xD1342543DE82EF95U;
        sprintf(strings[i], "%x", (unsigned)(number & 0xFFFFFFFFU));
        keys[i].data = strings[i];
        keys[i].size = i % 9 == 8 ? 0 : strlen(strings[i]);
    }
}

static bool add_one(bloom *b, unsigned kind, size_t i)
{
    return ONE(bloom_add, b, kind, keys[i], integers[i], hashes[i]);
}

static bool ask_one(const bloom *b, unsigned kind, size_t i)
{
    return ONE(bloom_may_contain, b, kind, keys[i], integers[i], hashes[i]);
}

/* Adds the last `count` keys in one call and, to another filter, one by one.
   Then looks up all MOST keys. The answers and images must be equal. The byte
   after the results must not change. (make sanitize checks that nothing after
   the keys is read.) */
static void many_against_single(bloom_plan plan, unsigned kind, unsigned count)
{
    static unsigned char space[sizeof memory];
    size_t size = bloom_plan_size(plan), first = MOST - count, result, i;
    bloom *many = bloom_init(memory + random64() % 9, size, plan);
    bloom *single = bloom_init(space, size, plan);
    const bloom *view;
    bool is_new[MOST + 1], maybe[MOST + 1];
    is_new[count] = maybe[MOST] = true;
    bloom_seal(many);
    result = MANY(bloom_add, many, kind, keys + first, integers + first,
                  hashes + first, count, is_new);
    if (count == 0) {                   /* nothing was added: the seal stays */
        CHECK(verify(many) == BLOOM_OK);
        bloom_seal(single);
    }
    for (i = 0; i < count; i++) {
        result -= is_new[i];
        CHECK(is_new[i] == add_one(single, kind, first + i));
    }
    CHECK(result == 0 && is_new[count] && maybe[MOST]);
    CHECK(memcmp(many, single, size) == 0);
    view = look(many, size);
    result = MANY(bloom_may_contain, view, kind, keys, integers, hashes, MOST,
                  maybe);
    for (i = 0; i < MOST; i++) {
        result -= maybe[i];
        CHECK(maybe[i] == ask_one(view, kind, i));
        CHECK(maybe[i] || i < first);
    }
    CHECK(result == 0);
    i = bloom_may_contain_many_u64(view, integers, MOST, NULL);
    CHECK(i == bloom_may_contain_many_u64(view, integers, MOST, maybe));
    CHECK(bloom_add_many_u64(many, integers, MOST, NULL) == MOST - i
          || plan.layout != BLOOM_CLASSIC || i < MOST);
}

static void test_many(void)
{
    static const unsigned counts[] = { 0, 1, 3, 64, 65, 128, 130, MOST };
    static const unsigned ks[] = { 1, 2, 3, 8, 17 };
    static const unsigned blocked_ks[] = { 8, 16, 24, 40, 64 };
    unsigned layout, w, kind, c, k;
    for (w = 0; w < COUNT(widths); w++)
        for (layout = 0; layout < LAYOUTS; layout++)
            for (kind = 0; kind < 3; kind++)
                for (c = 0; c < COUNT(counts); c++)
                    for (k = 0; k < COUNT(ks); k++) {
                        bloom_plan plan = in_layout(a_plan(1536, ks[k],
                                                           widths[w], 8),
                                                    layout);
                        if (layout == BLOOM_BLOCKED)
                            plan.hashes = (uint8_t)blocked_ks[k];
                        fill_keys();
                        if (layout != BLOOM_BLOCKED || widths[w] == 64)
                            many_against_single(plan, kind, counts[c]);
                    }
}

#ifndef TEST_FLASH

/* A large filter that takes little memory, as only the pages in use become
   memory: calloc supplies the zeros, and only the header is written. Returns
   NULL if there is not enough memory. Free the result with free. */
static bloom *sparse(bloom_plan plan)
{
    const size_t size = bloom_plan_size(plan);
    const uint64_t cells = plan.cells;
    unsigned char *image = (unsigned char *)calloc(size + 1, 1);
    bloom *b = NULL;
    if (size && image) {
        plan.cells = 256;
        init(image, 200, plan);
        store(image + 8, cells, 8);
        b = bloom_open(image, size, NULL);
    }
    if (!b)
        free(image);
    return b;
}

/* Filters larger than the CPU's caches, and of more than 2^32 cells (512 MB) */
static void many_in_large(uint64_t cells, unsigned k, unsigned layout)
{
    bloom *b = sparse(in_layout(a_plan(cells, k, widths[0], 8), layout));
    unsigned char *image = (unsigned char *)(void *)b;
    bool is_new[MOST], maybe[MOST];
    unsigned i;
    if (b) {
        fill_keys();
        CHECK(bloom_add_many_hash(b, hashes, 100, is_new) == 75);
        for (i = 0; i < 100; i++)
            CHECK(is_new[i] == (i % 4 != 3));
        for (i = 0; i < 100; i++)
            CHECK(!bloom_add_hash(b, hashes[i]));
        bloom_may_contain_many_hash(b, hashes, MOST, maybe);
        for (i = 0; i < MOST; i++)
            CHECK(maybe[i] == bloom_may_contain_hash(b, hashes[i])
                  && (maybe[i] || i >= 100));
        for (i = 0; i < MOST; i++) {    /* TINY begins these walks otherwise */
            bloom_add(b, keys[i].data, keys[i].size);
            CHECK(bloom_may_contain_hash(b, bloom_hash_key(b, keys[i].data,
                                                           keys[i].size)));
        }
        for (i = 0; i < 100; i++) {
            uint64_t cell[64], n = bloom_probes(b, hashes[i], cell);
            while (n-- > 0 && layout == BLOOM_CLASSIC)
                CHECK(image[32 + cell[n] / 8] >> cell[n] % 8 & 1);
        }
    }
    free(image);
}

/* Each of a key's k cells is tested, in every call that looks up or adds a key.
   If that cell alone is reset, the key is not found, and is new when added. */
static void each_cell_counts(bloom_plan plan)
{
    const bool counts = plan.layout == BLOOM_COUNTING;
    bloom *b = sparse(plan);
    unsigned char *image = (unsigned char *)(void *)b;
    uint64_t cell[64];
    unsigned n = 0;
    bloom_hash h;
    h.h1 = random64(), h.h2 = random64();
    if (b) {
        CHECK(bloom_add_hash(b, h));
        n = bloom_probes(b, h, cell);
    }
    while (n-- > 0) {
        unsigned bits = counts ? 15U << cell[n] % 2 * 4 : 1U << cell[n] % 8;
        CHECK(bloom_may_contain_hash(b, h));
        CHECK(bloom_may_contain_many_hash(b, &h, 1, NULL) == 1);
        image[32 + cell[n] / (counts ? 2 : 8)] &= (unsigned char)~bits;
        CHECK(!bloom_may_contain_hash(b, h));
        CHECK(bloom_may_contain_many_hash(b, &h, 1, NULL) == 0);
        CHECK(n % 2 ? bloom_add_hash(b, h)
                    : bloom_add_many_hash(b, &h, 1, NULL) == 1);
        CHECK(!bloom_add_hash(b, h));
        CHECK(bloom_add_many_hash(b, &h, 1, NULL) == 0);
    }
    free(image);
}

/* One filter in each range of sizes that bloom.h treats differently. From 2^22
   cells on, lookups of many keys prefetch; from 2^25 on, adds do so as well;
   from 2^27 on, a lookup of one key stops at the first cell that is not set. */
static void test_each_cell_counts(void)
{
    static const uint64_t cells[] = { 1 << 20, (1 << 22) + 256,
                                      (1 << 25) + 256, (1 << 27) + 256 };
    unsigned layout, w, c, k;
    for (w = 0; w < COUNT(widths); w++)
        for (layout = 0; layout < LAYOUTS; layout++)
            for (c = 0; c < COUNT(cells); c++)
                for (k = 1; k <= 24; k += k < 9 ? 1 : k < 16 ? 7 : 8)
                    if (layout != BLOOM_BLOCKED
                        || (k % 8 == 0 && widths[w] == 64))
                        each_cell_counts(in_layout(a_plan(cells[c], k,
                                                          widths[w], 8),
                                                   layout));
}

/* From 2^34 cells (2 GB) on, all of x chooses the block, not only its upper
   half. Here the lower half decides. It must do so in adds and lookups, of one
   key and of many. */
static void test_block_by_all_of_x(void)
{
    const uint64_t blocks = 17U << 22;
    bloom *b = sparse(in_layout(a_plan(blocks * 256, 8, 64, 0), BLOOM_BLOCKED));
    unsigned char *image = (unsigned char *)(void *)b;
    unsigned i, n, single = MOST / 2, out = 0;
    uint64_t cell[64];
    for (i = 0; b && i < MOST; i++) {
        hashes[i].h1 = (((i + 1ULL) * 99991 << 32) - 1) / blocks << 32
                     | 0xFFFFFFFFU;
        hashes[i].h2 = 0;
        if (i < single)
            bloom_add_hash(b, hashes[i]);
    }
    if (b)
        bloom_add_many_hash(b, hashes + single, MOST - single, NULL);
    for (i = 0; b && i < MOST; i++) {
        bloom_probes(b, hashes[i], cell);
        for (n = 0; n < 8; n++)
            out += !(image[32 + cell[n] / 8] >> cell[n] % 8 & 1);
        out += !bloom_may_contain_hash(b, hashes[i]);
    }
    CHECK(out == 0);
    CHECK(!b || bloom_may_contain_many_hash(b, hashes, MOST, NULL) == MOST);
    free(image);
}

static void test_many_in_large(void)
{
    unsigned layout;
    for (layout = 0; layout < LAYOUTS; layout++) {
        many_in_large(1 << 23, 8, layout);
        many_in_large(1 << 26, 24, layout);
        many_in_large((1 << 26) + 256, 8, layout);
    }
    many_in_large((1 << 27) + 64, 7, BLOOM_CLASSIC);    /* beyond the caches */
    if (widths[0] == 64)
        many_in_large((1ULL << 32) + (1ULL << 31) + 64, 11, BLOOM_CLASSIC);
}

#endif

#endif

static void many_tests(void)
{
    RUN(test_many_at_boundary());
#ifndef TEST_SMALL
    RUN(test_many());
#ifndef TEST_FLASH
    RUN(test_many_in_large());
    RUN(test_each_cell_counts());
    RUN(test_block_by_all_of_x());
#endif
#endif
}
