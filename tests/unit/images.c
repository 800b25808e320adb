/* Tests that images have the same bytes everywhere, against images made by
   golden.py, a second implementation of the format. Tests that bytes which are
   not an image are refused with the right error, that accepted ones are safe to
   use, and that a seal detects each flipped bit. */
#include "unit.h"

/* Sealed filters with seed 0x0123456789ABCDEF that hold the keys "key-0" to
   "key-9" and the integers 0 to 9, made by tests/unit/golden.py. These bytes
   must never change while the format version is 2. */
static const struct { uint8_t layout, width, hashes; uint16_t cells;
                      const char *image; } golden[] = {
    { BLOOM_CLASSIC, 64, 3, 128,
    "424c4d02004003008000000000000000efcdab89674523018e57edf1f5df2ef1"
    "42bc188a434cc8244249922cd0c92138" },
    { BLOOM_CLASSIC, 32, 3, 128,
    "424c4d02002003008000000000000000efcdab8967452301d5e84e6d00000000"
    "c2380231a1005920b31cd9098c3d0a0e" },
    { BLOOM_BLOCKED, 64, 8, 512,
    "424c4d02014008000002000000000000efcdab89674523010c71225090072fbb"
    "0a10022212005a10402202c84f08000c0a0c032026a0201408112058b0820090"
    "10a4698606c252104900b503117430aa6878028523288184883f0810a0c05c10" },
    { BLOOM_COUNTING, 64, 3, 128,
    "424c4d02024003008000000000000000efcdab896745230191abaf167be392b1"
    "1000000100121110001001001020001022000002001200010010001100011000"
    "3000000102100001100001200011100000000212011000120100200000101100" },
    { BLOOM_COUNTING, 32, 3, 128,
    "424c4d02022003008000000000000000efcdab89674523012a8bdd1800000000"
    "3000002100101100100000000100120001001010000000000120020200001000"
    "1300111000110100011001120110000000110010013111002010000010210000" }
#ifndef TEST_SMALL          /* these strings would fill the RAM */
    ,
    { BLOOM_BLOCKED, 64, 16, 768,
    "424c4d02014010000003000000000000efcdab89674523016a4ae234e0992bd6"
    "0a10034682581a30003a86c866681807082ca32c3430407c5c65206831528490"
    "08846532320a5812636087219d109008220c1927b2a8209028380998f0800435"
    "18a4189f0cd2525149423113127421e348f80ad02d818184d00f389020405d14" },
    { BLOOM_BLOCKED, 64, 24, 1024,
    "424c4d02014018000004000000000000efcdab896745230197c16ee017ec258f"
    "a810b30506d212540550c6c8411a1a05c029b3282d9a405998d43688215a8e16"
    "2a900076921a4a30616ba2483f60940e0a0e9706b2a060ac74318578f0c084b1"
    "028465332a8a5a12032a85239758980a607009a5b2a98110183d0898b0d01515"
    "59b01d8c4cd45a434e42b033006461e98cde0a703d999184d08f30d03248ce84" }
#endif
    };

/* Makes the filter golden[g] with `by` times as many cells, folds it to its
   size, and compares it. By 1 it is not folded, as folding writes all cells
   anew. Returns false if this build has no such filters. */
static bool test_golden(unsigned g, unsigned by)
{
    bloom_plan plan = in_layout(a_plan(golden[g].cells * by, golden[g].hashes,
                                       golden[g].width, 0x0123456789ABCDEFU),
                                golden[g].layout);
    bloom *b = bloom_init(memory, sizeof memory, plan);
    char hex[2 * GOLDEN_BYTES + 1], key[] = "key-0";
    unsigned i;
    if (!b)
        return false;
    for (i = 0; i < 10; i++) {
        key[4] = (char)('0' + i);
        bloom_add(b, key, 5);
        bloom_add_u64(b, i);
    }
#ifndef BLOOM_TINY
    CHECK(by == 1 || bloom_fold(b, by));
    plan.cells /= by;
#endif
    bloom_seal(b);
    for (i = 0; i < bloom_plan_size(plan); i++)
        sprintf(hex + 2 * i, "%02x", memory[i]);
    CHECK(strcmp(hex, golden[g].image) == 0);
    return true;
}

static void test_golden_images(void)
{
    unsigned g, built = 0;
    for (g = 0; g < COUNT(golden); g++) {
        built += test_golden(g, 1);
#ifndef BLOOM_TINY
        test_golden(g, 3);
#endif
    }
    CHECK(built == (LAYOUTS == 1 ? 1 : COUNT(golden)));
}

/* Copies the image to the end of an array, so that the sanitizers report a read
   after it. */
static bloom_error error_of(const unsigned char *image, size_t size)
{
    unsigned char array[100];
    const size_t there = size < sizeof array ? size : sizeof array;
    unsigned char *copy = array + sizeof array - there;
    bloom_error of_open, of_view;
    memcpy(copy, image, there);
    CHECK((bloom_open(copy, size, &of_open) != NULL) == (of_open == BLOOM_OK));
    CHECK((bloom_view(look((bloom *)(void *)copy, there), size, &of_view)
           != NULL) == (of_view == BLOOM_OK));
    CHECK(of_open == of_view);
    if (size >= BLOOM_HEADER_SIZE) {
        size_t all = bloom_image_size(copy, &of_view);
        CHECK(of_view == (of_open == BLOOM_TRUNCATED ? BLOOM_OK : of_open));
        CHECK(of_view == BLOOM_OK ? (all <= size) == (of_open == BLOOM_OK)
                                  : all == 0);
    }
    return of_open;
}

/* The error for an image of `size` bytes that are not there, or are more than
   fit into a size_t */
static bloom_error missing(uint64_t size)
{
    return size > SIZE_MAX ? BLOOM_UNSUPPORTED : BLOOM_TRUNCATED;
}

/* The error for each corrupted header byte of a filter with m = 512 and k = 9.
   If several things are wrong, the first in this order is reported: the magic,
   the version, the other header fields, a layout, width or size that this build
   cannot use, missing cells. */
static void test_bad_images(void)
{
    const struct { unsigned char at, value; bloom_error error; } cases[]
        = { { 0, 'b', BLOOM_NOT_A_FILTER }, { 1, 0, BLOOM_NOT_A_FILTER },
            { 2, 'N', BLOOM_NOT_A_FILTER }, { 3, 0, BLOOM_WRONG_VERSION },
            { 3, 1, BLOOM_WRONG_VERSION },  { 3, 3, BLOOM_WRONG_VERSION },
            { 4, 1, BLOOM_BAD_HEADER },
            { 4, 3, BLOOM_UNSUPPORTED },    { 4, 255, BLOOM_UNSUPPORTED },
            { 5, 0, BLOOM_BAD_HEADER },     { 5, 33, BLOOM_BAD_HEADER },
            { 5, 128, BLOOM_BAD_HEADER },   { 6, 0, BLOOM_BAD_HEADER },
            { 6, 1, BLOOM_OK },             { 6, 64, BLOOM_OK },
            { 6, 65, BLOOM_BAD_HEADER },    { 6, 255, BLOOM_BAD_HEADER },
            { 7, 1, BLOOM_BAD_HEADER },     { 8, 1, BLOOM_BAD_HEADER },
            { 8, 32, BLOOM_BAD_HEADER },    { 8, 64, BLOOM_TRUNCATED },
            { 9, 0, BLOOM_BAD_HEADER },     { 9, 1, BLOOM_OK },
            { 9, 3, BLOOM_TRUNCATED },      { 11, 128, missing(1UL << 28) },
            { 20, 99, BLOOM_OK },           { 24, 1, BLOOM_OK } };
    static const char *const texts[] = { "ok", "truncated", "not a Bloom",
        "version", "bad header", "this build", "corrupt", "not sealed",
        "out of memory", "unknown error" };
#if SIZE_MAX > 0xFFFFFFFF
    const size_t large = ((size_t)1 << 37) + 96;
#endif
    unsigned char image[100];
    unsigned i, size, w;
    for (w = 0; w < COUNT(widths); w++) {
        memset(image, 0, sizeof image);
        init(image, 96, a_plan(512, 9, widths[w], 3));
        for (size = 0; size < 96; size++)
            CHECK(error_of(image, size) == BLOOM_TRUNCATED);
        CHECK(error_of(image, 96) == BLOOM_OK);
        CHECK(error_of(image, 100) == BLOOM_OK);
        CHECK(bloom_open(image, 96, NULL) == (bloom *)(void *)image);
        CHECK(!bloom_open(NULL, 96, NULL) && !bloom_view(NULL, 96, NULL));
        CHECK(bloom_image_size(image, NULL) == 96);
        CHECK(bloom_image_size(NULL, NULL) == 0);
        for (i = 0; i < 3; i++) {               /* too short, and no filter */
            image[i] ^= 32;
            for (size = 0; size < 32; size++)
                CHECK(error_of(image, size)
                      == (size > i ? BLOOM_NOT_A_FILTER : BLOOM_TRUNCATED));
            image[i] ^= 32;
        }
        for (i = 0; i < COUNT(cases); i++) {
            unsigned char old = image[cases[i].at];
            image[cases[i].at] = cases[i].value;
            CHECK(error_of(image, 96) == cases[i].error);
            CHECK(error_of(image, 32) == (cases[i].error == BLOOM_OK
                  ? BLOOM_TRUNCATED : cases[i].error));
            image[cases[i].at] = old;
        }
        image[15] = 128;                                /* m = 2^63 + 512 */
        CHECK(error_of(image, 96) == (widths[w] == 32 ? BLOOM_BAD_HEADER
                                                      : missing(1ULL << 60)));
        image[15] = 0;
        image[13] = 1;                                  /* m = 2^40 + 512 */
#if SIZE_MAX > 0xFFFFFFFF
        CHECK(widths[w] == 32 || (error_of(image, large) == BLOOM_OK
              && error_of(image, large - 1) == BLOOM_TRUNCATED));
#endif
        image[13] = 0;
        image[4] = BLOOM_COUNTING;                      /* 256 bytes of cells */
        CHECK(error_of(image, 96) == BUILT(BLOOM_TRUNCATED));
        image[9] = 0;
        image[8] = 64;
        CHECK(error_of(image, 63) == BUILT(BLOOM_TRUNCATED));
        CHECK(error_of(image, 64) == BUILT(BLOOM_OK));
        image[8] = 0;
        image[9] = 2;
        image[4] = BLOOM_BLOCKED;
        image[6] = 8;
        image[5] = 32;                          /* blocked needs width 64 */
        CHECK(error_of(image, 32) == BLOOM_BAD_HEADER);
        CHECK(error_of(image, 96) == BLOOM_BAD_HEADER);
        image[5] = 64;
        CHECK(error_of(image, 95) == BUILT(BLOOM_TRUNCATED));
        CHECK(error_of(image, 96) == BUILT(BLOOM_OK));
        image[6] = 7;
        CHECK(error_of(image, 96) == BLOOM_BAD_HEADER);
        image[6] = 8;
        image[8] = 64;
        CHECK(error_of(image, 104 - 4) == BLOOM_BAD_HEADER);
        image[8] = 0;
        image[13] = 1;                                  /* m = 2^40 + 512 */
        CHECK(error_of(image, 96) == BLOOM_BAD_HEADER);
    }
    init(image, 96, a_plan(512, 9, 32, 3));
    image[5] = 64;
    CHECK(error_of(image, 96) == (COUNT(widths) == 1 ? BLOOM_UNSUPPORTED
                                                     : BLOOM_OK));
    for (i = 0; i < COUNT(texts); i++)
        CHECK(strstr(bloom_error_text((bloom_error)i), texts[i]) != NULL);
    CHECK(strcmp(bloom_error_text((bloom_error)-1), "unknown error") == 0);
}

#if SIZE_MAX <= 0xFFFFFFFF
/* Images whose cells alone fit into size_t are too large with the header. */
static void test_largest_images(void)
{
    const unsigned width = SIZE_MAX <= 0xFFFF ? widths[COUNT(widths) - 1] : 64;
    const bool built = SIZE_MAX <= 0xFFFF || width == widths[0];
    bloom_plan plan = a_plan((uint64_t)(SIZE_MAX - 31) * 8, 9, width, 3);
    unsigned char image[100];
    unsigned i;
    memset(image, 0, sizeof image);
    init(image, 96, a_plan(512, 9, widths[0], 3));
    image[5] = (unsigned char)width;
    for (i = 0; i < 4; i++, plan.cells += 64) {
        store(image + 8, plan.cells, 8);
        CHECK(error_of(image, 96) == BLOOM_UNSUPPORTED);
        CHECK(bloom_plan_size(plan) == 0);
    }
    plan.cells = (uint64_t)(SIZE_MAX - 31) * 8 - 64;
    store(image + 8, plan.cells, 8);
    CHECK(error_of(image, 96) == (built ? BLOOM_TRUNCATED : BLOOM_UNSUPPORTED));
    CHECK(!built || bloom_plan_size(plan) == SIZE_MAX - 7);
#ifndef BLOOM_NO_MALLOC
    CHECK(!bloom_create(plan));         /* with 32 bytes more, it wraps */
#endif
}
#endif

/* Random headers: a filter that is accepted lies within the given bytes, and
   adding to it works. */
static void test_accepted_images(void)
{
    unsigned char image[100];
    unsigned round, i, accepted = 0;
    for (round = 0; round < ROUNDS; round++) {
        bloom *b;
        random_bytes(image, sizeof image);
        memcpy(image, "BLM\2\0\40\1\0\0\2\0\0\0\0\0\0", 16);
        for (i = round % 3; i-- > 0; )
            image[4 + random64() % 12] = (unsigned char)(random64() & 255);
        b = bloom_open(image, 96, NULL);
        if (!b)
            continue;
        accepted++;
        CHECK(bloom_size(look(b, 96)) <= 96);
        bloom_add(b, image, 96);
        bloom_add_u64(b, round);
        CHECK(bloom_may_contain_u64(look(b, 96), round));
    }
    CHECK(accepted > ROUNDS / 20 && accepted < ROUNDS / 20 * 19);
}

/* Every call that may write cells removes the seal, even if it changes none. A
   flipped bit makes the seal invalid. */
static void test_seal(void)
{
    unsigned char other[96];
    unsigned w, bit;
    for (w = 0; w < COUNT(widths); w++) {
        bloom_plan plan = a_plan(512, 9, widths[w], w ? 3 : 3ULL << 60);
        bloom *b = bloom_init(memory, 96, plan);
        bloom *c = bloom_init(other, 96, plan);
        CHECK(!sealed(b) && sealed(b));
        for (bit = 24; bit < 32; bit++) {       /* each byte of the seal */
            memset(memory + 24, 0, 8);
            memory[bit] = 1;
            bloom_add_u64(b, bit);
            CHECK(verify(b) == BLOOM_UNSEALED);
            CHECK(bloom_plan_of(look(b, 96)).seed == plan.seed);
        }
        bloom_clear(b);
        bloom_add(b, "a", 1);
        CHECK(!sealed(b));
        bloom_add(b, "a", 1);
        CHECK(!sealed(b));
        bloom_add_u64(b, 1);
        CHECK(!sealed(b));
        bloom_add_hash(b, bloom_hash_u64(look(b, 96), 1));
        CHECK(!sealed(b));
        CHECK(bloom_merge(b, c) && !sealed(b));
        CHECK(bloom_intersect(b, c) && !sealed(b));
        bloom_clear(b);
        CHECK(!sealed(b));
        bloom_add_u64(b, 1);
        bloom_seal(b);
        bloom_ones(b);
        bloom_may_contain_u64(look(b, 96), 1);
        CHECK(sealed(b));
        for (bit = 8 * 8; bit < 8 * 96; bit++) {
            if (bit == 8 * 8)
                bit = 8 * 16;           /* skips the other bytes of m */
            memory[bit / 8] ^= (unsigned char)(1 << bit % 8);
            CHECK(verify(b) == BLOOM_CORRUPT);
            memory[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
}

/* The checksum of this filter is 0, which means "not sealed". So 1 is
   stored. */
static void test_seal_of_zero(void)
{
    bloom *b = bloom_init(memory, 40, a_plan(64, 1, 32, 0x29242B6U));
    bloom_seal(b);
    CHECK(memory[24] == 1 && verify(b) == BLOOM_OK);
}

static void image_tests(void)
{
    RUN(test_golden_images());
    RUN(test_bad_images());
#if SIZE_MAX <= 0xFFFFFFFF
    RUN(test_largest_images());
#endif
    RUN(test_accepted_images());
    RUN(test_seal());
    RUN(test_seal_of_zero());
}
