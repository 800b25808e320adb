/* Images: the same bytes everywhere, and bytes that are not right. */
#include "unit.h"

/* Keys "key-0" .. "key-9" and the integers 0..9, seed 0x0123456789ABCDEF,
   sealed; made by tests/unit/golden.py. These bytes may never change. */
static const struct { uint8_t layout, width, hashes; uint16_t cells;
                      const char *image; } golden[] = {
    { BLOOM_CLASSIC, 64, 3, 128,
    "424c4d01004003008000000000000000efcdab8967452301fcd0b88c1e849452"
    "3781845c5a316a7402d6947e0506e910" },
    { BLOOM_CLASSIC, 32, 3, 128,
    "424c4d01002003008000000000000000efcdab89674523014315c33000000000"
    "933c9130890bf401a71cca81a038080b" },
    { BLOOM_BLOCKED, 64, 8, 512,
    "424c4d01014008000002000000000000efcdab8967452301a7b30622cb42cfa9"
    "0e10000000004a10500001482300000c0834010018a000102801001090800012"
    "20e4d12744d2423a612217123b6310824038a687a42095860897089a28507c30" },
    { BLOOM_BLOCKED, 32, 8, 512,
    "424c4d01012008000002000000000000efcdab8967452301577ed2d800000000"
    "0889855162100a8640412161149136200d0342458c2a0c05093826a004e00ca0"
    "068089050420902a028325a048c40a608d520044242003b14864024520018640" },
    { BLOOM_COUNTING, 64, 3, 128,
    "424c4d01024003008000000000000000efcdab8967452301649d04dddec60cb7"
    "1101110002000010000100100011010110100102010011002010100100011101"
    "1000000010020111000101101012210101010000100100000210101100000100" },
    { BLOOM_COUNTING, 32, 3, 128,
    "424c4d01022003008000000000000000efcdab89674523017821e89500000000"
    "1100011000211100010001100000120001100010211000000001111101000000"
    "1102102000110100101000110100001000002020001021000010000013300000" }
#ifndef TEST_SMALL          /* their text would fill the RAM */
    ,
    { BLOOM_BLOCKED, 64, 16, 768,
    "424c4d01014010000003000000000000efcdab8967452301fc01b0377f5a9eaf"
    "0215148787010b1281a410da4255804c18919144d12802131c15090212168239"
    "2e40418594124a50506047012b20181c00b7262538a015522a90099ae8c10633"
    "12e490264de88a3a69421b563c63b1c240b8e693b520818e00b7089800527c32" },
    { BLOOM_BLOCKED, 32, 16, 768,
    "424c4d01012010000003000000000000efcdab89674523012fa7411e00000000"
    "a881865142112e86400d216d2493362191134375dc0a0c05293826c424e40d64"
    "4248134624a0c8ae12e20b81d04d222e0f402916916483814008327d784002e4"
    "158089019464900a060127b04c800ae09c5218403ca011344d644220340185c0" },
    { BLOOM_BLOCKED, 64, 24, 1024,
    "424c4d01014018000004000000000000efcdab8967452301669ffdcea6e33056"
    "445414c58f0398188da414c81075804c10b091cd5149161e2cd4a90003128439"
    "1e8107928ac34b565d49433a6f3160cc49b70301dce8070539c181b2d09d22f2"
    "a2ce41279592ca1229a00f33534a3d1640b3a4e72022bd520ab508ae28543631"
    "107490044e680838614212442e2191c00098e611b500038c0093089800125832" },
    { BLOOM_BLOCKED, 32, 24, 1024,
    "424c4d01012018000004000000000000efcdab8967452301e639f7a700000000"
    "88a08459401186a6400d212b141734a0911340599c9a0e051830a4e416f40d64"
    "220d930262212c8a0a640cc5708132030c06a32cd4202916610a162d6488a4a0"
    "56d01b4414a0dc2e14933780c04d4afd8f40281615448eb54920a25f18e98364"
    "07c095258476830a222557b15c9a42a0965a544bbca9d9803d46463035a114f2" }
#endif
    };

/* Also if it had `by` times as many cells, and was folded. false: not built */
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
    CHECK(bloom_fold(b, by));
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

static bloom_error error_of(const unsigned char *image, size_t size)
{
    unsigned char copy[100];
    bloom_error of_open, of_view;
    memcpy(copy, image, sizeof copy);
    CHECK((bloom_open(copy, size, &of_open) != NULL) == (of_open == BLOOM_OK));
    CHECK((bloom_view(look((bloom *)(void *)copy, sizeof copy), size, &of_view)
           != NULL) == (of_view == BLOOM_OK));
    CHECK(of_open == of_view);
    return of_open;
}

/* One header byte is changed: the error is the first in this order: the magic,
   the version, the other header bytes, a layout or width that this build has
   not, cells that are missing. The filter has m = 512, k = 9. */
static void test_bad_images(void)
{
    static const struct { unsigned char at, value; bloom_error error; } cases[]
        = { { 0, 'b', BLOOM_NOT_A_FILTER }, { 1, 0, BLOOM_NOT_A_FILTER },
            { 2, 'N', BLOOM_NOT_A_FILTER }, { 3, 0, BLOOM_WRONG_VERSION },
            { 3, 2, BLOOM_WRONG_VERSION },  { 4, 1, BLOOM_BAD_HEADER },
            { 4, 3, BLOOM_UNSUPPORTED },    { 4, 255, BLOOM_UNSUPPORTED },
            { 5, 0, BLOOM_BAD_HEADER },     { 5, 33, BLOOM_BAD_HEADER },
            { 5, 128, BLOOM_BAD_HEADER },   { 6, 0, BLOOM_BAD_HEADER },
            { 6, 1, BLOOM_OK },             { 6, 64, BLOOM_OK },
            { 6, 65, BLOOM_BAD_HEADER },    { 6, 255, BLOOM_BAD_HEADER },
            { 7, 1, BLOOM_BAD_HEADER },     { 8, 1, BLOOM_BAD_HEADER },
            { 8, 32, BLOOM_BAD_HEADER },    { 8, 64, BLOOM_TRUNCATED },
            { 9, 0, BLOOM_BAD_HEADER },     { 9, 1, BLOOM_OK },
            { 9, 3, BLOOM_TRUNCATED },      { 11, 128, BLOOM_TRUNCATED },
            { 20, 99, BLOOM_OK },           { 24, 1, BLOOM_OK } };
    static const char *const texts[] = { "ok", "truncated", "not a Bloom",
        "version", "bad header", "not in this build", "corrupt", "not sealed",
        "unknown error" };
    const size_t large = (size_t)((1ULL << 37) + 96);
    unsigned char image[100];
    unsigned i, size, w;
    for (w = 0; w < COUNT(widths); w++) {
        memset(image, 0, sizeof image);
        bloom_init(image, 96, a_plan(512, 9, widths[w], 3));
        for (size = 0; size < 96; size++)
            CHECK(error_of(image, size) == BLOOM_TRUNCATED);
        CHECK(error_of(image, 96) == BLOOM_OK);
        CHECK(error_of(image, 100) == BLOOM_OK);
        CHECK(bloom_open(image, 96, NULL) == (bloom *)(void *)image);
        CHECK(!bloom_open(NULL, 96, NULL) && !bloom_view(NULL, 96, NULL));
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
                                                      : BLOOM_TRUNCATED));
        image[15] = 0;
        image[13] = 1;                                  /* m = 2^40 + 512 */
        CHECK(widths[w] == 32 || large != (1ULL << 37) + 96
              || (error_of(image, large) == BLOOM_OK
                  && error_of(image, large - 1) == BLOOM_TRUNCATED));
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
    bloom_init(image, 96, a_plan(512, 9, 32, 3));
    image[5] = 64;
    CHECK(error_of(image, 96) == (COUNT(widths) == 1 ? BLOOM_UNSUPPORTED
                                                     : BLOOM_OK));
    for (i = 0; i < COUNT(texts); i++)
        CHECK(strstr(bloom_error_text((bloom_error)i), texts[i]) != NULL);
    CHECK(strcmp(bloom_error_text((bloom_error)-1), "unknown error") == 0);
}

/* Random headers: what is accepted ends within the bytes that were given. */
static void test_accepted_images(void)
{
    unsigned char image[100];
    unsigned round, i, accepted = 0;
    for (round = 0; round < ROUNDS; round++) {
        bloom *b;
        random_bytes(image, sizeof image);
        memcpy(image, "BLM\1\0\40\1\0\0\2\0\0\0\0\0\0", 16);
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

/* Every call that may write cells takes the seal away, even if it writes none;
   every flipped bit is found. */
static void test_seal(void)
{
    unsigned char other[96];
    unsigned w, bit;
    for (w = 0; w < COUNT(widths); w++) {
        bloom_plan plan = a_plan(512, 9, widths[w], w ? 3 : 3ULL << 60);
        bloom *b = bloom_init(memory, 96, plan);
        bloom *c = bloom_init(other, 96, plan);
        CHECK(!sealed(b) && sealed(b));
        for (bit = 24; bit < 32; bit++) {               /* of any seal */
            memset(memory + 24, 0, 8);
            memory[bit] = 1;
            bloom_add_u64(b, bit);
            CHECK(bloom_verify(b) == BLOOM_UNSEALED);
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
        bloom_merge(b, c);
        CHECK(!sealed(b));
        bloom_intersect(b, c);
        CHECK(!sealed(b));
        bloom_clear(b);
        CHECK(!sealed(b));
        bloom_add_u64(b, 1);
        bloom_seal(b);
        bloom_ones(b);
        bloom_may_contain_u64(look(b, 96), 1);
        CHECK(sealed(b));
        for (bit = 8 * 8; bit < 8 * 96; bit++) {
            if (bit == 8 * 8)
                bit = 8 * 16;                           /* m would not fit */
            memory[bit / 8] ^= (unsigned char)(1 << bit % 8);
            CHECK(bloom_verify(b) == BLOOM_CORRUPT);
            memory[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
}

/* The checksum of this filter is 0, which would read as "not sealed". */
static void test_seal_of_zero(void)
{
    bloom *b = bloom_init(memory, 40, a_plan(64, 1, 32, 0xBC63D223U));
    bloom_seal(b);
    CHECK(memory[24] == 1 && bloom_verify(b) == BLOOM_OK);
}

static void image_tests(void)
{
    RUN(test_golden_images());
    RUN(test_bad_images());
    RUN(test_accepted_images());
    RUN(test_seal());
    RUN(test_seal_of_zero());
}
