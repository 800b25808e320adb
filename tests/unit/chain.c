/* The chain: it grows, keeps its rate, and is saved and loaded. */
#include "unit.h"

#ifdef BLOOM_HAS_CHAIN_

static size_t save_chain(const bloom_chain *c, unsigned char **image)
{
    size_t size = bloom_chain_size(c), at = 32;
    unsigned i;
    *image = (unsigned char *)malloc(size);
    bloom_chain_head(c, *image);
    for (i = 0; i < bloom_chain_links(c); i++) {
        const bloom *link = bloom_chain_link(c, i);
        memcpy(*image + at, link, bloom_size(link));
        at += bloom_size(link);
    }
    CHECK(at == size);
    return size;
}

static bool same_chain(const bloom_chain *c, const bloom_chain *d)
{
    unsigned char *a, *b;
    size_t size = save_chain(c, &a), other = save_chain(d, &b);
    bool same = size == other && memcmp(a, b, size) == 0;
    free(a);
    free(b);
    return same;
}

/* Writes the number of links, and the check, into the head of an image. */
static void count_links(unsigned char *head, unsigned links)
{
    unsigned char empty[40];
    bloom *b = bloom_init(empty, 40, a_plan(64, 1, 64, 0));
    head[6] = (unsigned char)links;
    head[7] = 0;
    head[7] = (unsigned char)(bloom_hash_key(b, head, 32).h1 & 255);
}

static bloom_plan chain_plan(unsigned layout, unsigned width)
{
    return in_layout(a_plan(0, 0, width, 77), layout);
}

/* A chain at 300 times its first capacity: every key is found, newness is right
   against an exact set (keys are 1, 2, 3 ...: what is higher was never added),
   and the rate is below p (within 4 sigma, 17%). What is loaded of its image
   half-way stays equal to it. */
static void grow_chain(uint64_t first_n, double p, unsigned width,
                       unsigned layout)
{
    bloom_chain *c = bloom_chain_create(first_n, p, chain_plan(layout, width));
    bloom_chain *d = NULL;
    uint64_t key, in = 0, maybe = 0, last = first_n * 300;
    unsigned i, links;
    CHECK(c && bloom_chain_links(c) == 1);
    CHECK(!bloom_chain_may_contain_u64(c, 1));
    for (key = 1; in < last; key++) {
        bool before = bloom_chain_may_contain_u64(c, key);
        CHECK(bloom_chain_add_u64(c, key) == !before);
        CHECK(!bloom_chain_add_u64(c, key));
        CHECK(!d || bloom_chain_add_u64(d, key) == !before);
        in += !before;
        if (in == last / 2 && !d) {
            unsigned char *image;
            size_t size = save_chain(c, &image);
            d = bloom_chain_load(image, size, NULL);
            free(image);
        }
    }
    CHECK(d && same_chain(c, d));
    for (last = key, key = 1; key < last; key++)
        CHECK(bloom_chain_may_contain_u64(c, key));
    for (; key < last + 60000; key++)
        maybe += bloom_chain_may_contain_u64(c, key);
    CHECK((double)maybe < 60000 * p * 1.17);
    CHECK((double)maybe > 60000 * p / 4);
    CHECK(bloom_chain_fpr(c) < p && bloom_chain_fpr(c) > p / 4);
    CHECK((double)bloom_chain_estimate(c) > 0.98 * (double)last);
    CHECK((double)bloom_chain_estimate(c) < 1.02 * (double)last);
    links = bloom_chain_links(c);
    CHECK(links == 9 && bloom_chain_link(c, links) == NULL);
    for (i = 0; i < links; i++) {
        const bloom *link = bloom_chain_link(c, i);
        bloom_plan plan = bloom_plan_layout(first_n << i,
            p / ((i + 1.0) * (i + 2.0)), (bloom_layout)layout);
        CHECK(bloom_plan_of(link).seed == 77);
        CHECK(bloom_plan_of(link).hash_bits == width);
        CHECK(bloom_plan_of(link).layout == layout);
        CHECK(bloom_plan_of(link).cells == plan.cells);
        CHECK(bloom_plan_of(link).hashes == plan.hashes);
    }
    bloom_chain_free(c);
    bloom_chain_free(d);
}

/* Chains of three links, the last of which has just begun, for the keys 0, 1,
   2 ..; made by tests/unit/golden.py. These bytes may never change. */
static void test_golden_chains(void)
{
    static const char *const golden_chains[] = {
    "424c4301004003300200000000000000000000000000d03f0100000000000000"
    "424c4d01004001004000000000000000efcdab89674523010000000000000000"
    "0020082001280041424c4d01004002004000000000000000efcdab8967452301"
    "00000000000000004401130180042200424c4d01004002008000000000000000"
    "efcdab8967452301000000000000000020000004000000000000000000000000",
    "424c4301014003cc0200000000000000000000000000d03f0100000000000000"
    "424c4d01014008000001000000000000efcdab89674523010000000000000000"
    "5ff5f7ff6efedafbdf77bffaff6bffdffaffcfff7ce7d9bdbd77bf763feffdf6"
    "424c4d01014008000001000000000000efcdab89674523010000000000000000"
    "d17f3aeffdaf65cdffdd9c67d6d7e7ff2bfe67d9bce6f3fbdd1ff34fdb7e8f79"
    "424c4d01014008000001000000000000efcdab89674523010000000000000000"
    "0010000000000080400000000010000080000000000080000400000000001000" };
    unsigned layout;
    for (layout = 0; layout < 2; layout++) {
        bloom_plan like = in_layout(a_plan(0, 0, 64, 0x0123456789ABCDEFU),
                                    layout);
        bloom_chain *c = bloom_chain_create(2, 0.25, like);
        unsigned char *image;
        uint64_t key;
        size_t i, size;
        char byte[3];
        for (key = 0; bloom_chain_links(c) < 3; key++)
            bloom_chain_add_u64(c, key);
        size = save_chain(c, &image);
        CHECK(strlen(golden_chains[layout]) == 2 * size);
        for (i = 0; i < size; i++) {
            sprintf(byte, "%02x", image[i]);
            CHECK(memcmp(byte, golden_chains[layout] + 2 * i, 2) == 0);
        }
        free(image);
        bloom_chain_free(c);
    }
}

/* A link takes keys until its rate is its share, which comes from all that it
   was offered, found or not: so it is told that fewer are new. */
static void link_keeps_its_share(uint64_t n, double p)
{
    bloom_chain *c = bloom_chain_new(n, p, BLOOM_CLASSIC);
    bloom_plan plan = bloom_plan_for(n, p / 2);
    uint64_t key, added = 0;
    double rate = 0;
    CHECK(bloom_plan_of(bloom_chain_link(c, 0)).cells == plan.cells);
    for (key = 0; bloom_chain_links(c) == 1; key++)
        added += bloom_chain_add_u64(c, key);
    for (key = 0; rate < (double)added - 1; key++)
        rate += 1 - bloom_plan_fpr(plan, key);
    CHECK(bloom_plan_fpr(plan, key) < p / 2 * 1.02);
    CHECK(bloom_plan_fpr(plan, key) > p / 2 * 0.98);
    CHECK(bloom_plan_of(bloom_chain_link(c, 1)).cells
          == bloom_plan_for(2 * n, p / 6).cells);
    bloom_chain_free(c);
}

/* When links begin, to the key: a chain that was loaded elsewhere, or by another
   version, grows like this one. And what it says of itself: its rate, as that of
   links asked one after the other, and how many keys were offered. */
static void test_links_to_the_key(void)
{
    static const struct {
        uint64_t n; double p; unsigned layout, width, links; uint64_t keys;
    } known[] = {
        { 1000, 0.5, 0, 64, 4, 9588 }, { 700, 0.1, 0, 32, 3, 2182 },
        { 1000, 0.5, 1, 64, 4, 9327 }, { 700, 0.1, 1, 32, 3, 2197 },
        { 300, 0.3, 1, 64, 5, 5701 }, { 20, 1e-8, 0, 32, 3, 60 },
    };
    unsigned r, i;
    for (r = 0; r < COUNT(known); r++) {
        bloom_chain *c = bloom_chain_create(known[r].n, known[r].p,
            chain_plan(known[r].layout, known[r].width));
        double passed_by = 1, estimate;
        uint64_t key = 0;
        while (bloom_chain_links(c) < known[r].links && key < 99999)
            bloom_chain_add_u64(c, key++);
        CHECK(key == known[r].keys);
        for (i = 0; i < bloom_chain_links(c); i++)
            passed_by *= 1 - bloom_fpr(bloom_chain_link(c, i));
        passed_by += bloom_chain_fpr(c);
        CHECK(passed_by > 1 - 1e-12 && passed_by < 1 + 1e-12);
        estimate = (double)bloom_chain_estimate(c) / (double)key;
        CHECK(estimate > 0.97 && estimate < 1.03);
        bloom_chain_free(c);
    }
}

/* In width 32 a rate near 2^-32 is kept by no link that is larger. */
static void test_chain_at_its_floor(void)
{
    bloom_chain *c = bloom_chain_create(10, 1e-9, chain_plan(0, 32)), *d;
    unsigned char *image;
    uint64_t key;
    size_t size;
    for (key = 0; key < 3000; key++) {
        bloom_chain_add_u64(c, key);
        CHECK(bloom_chain_may_contain_u64(c, key));
    }
    CHECK(bloom_chain_size(c) < 1000 && bloom_chain_fpr(c) > 0.99);
    size = save_chain(c, &image);
    d = bloom_chain_load(image, size, NULL);
    for (; key < 9999; key++)
        CHECK(bloom_chain_add_u64(c, key) == bloom_chain_add_u64(d, key));
    CHECK(same_chain(c, d));
    CHECK(!bloom_chain_create(10, 1e-12, chain_plan(0, 32)));
    free(image);
    bloom_chain_free(c);
    bloom_chain_free(d);
}

/* A link that holds no more keys than the one before it, as links of one or two
   keys may by chance, does not end the growth: rates that differ little let
   chains grow alike. */
static void test_small_links(void)
{
    double p;
    for (p = 3e-9; p < 12e-9; p += 1e-9) {
        bloom_chain *c = bloom_chain_create(1, p, chain_plan(0, 32));
        uint64_t key;
        for (key = 0; key < 30; key++)
            bloom_chain_add_u64(c, key);
        CHECK(bloom_chain_links(c) > 4 && bloom_chain_fpr(c) < p);
        bloom_chain_free(c);
    }
}

/* A seal that is there is kept, as it tells that memory was damaged since; a
   link that has none gets one. */
static void test_chain_seals(void)
{
    bloom_chain *c = bloom_chain_new(20, 0.1, BLOOM_CLASSIC);
    unsigned char *image;
    uint64_t key = 0;
    size_t size;
    while (bloom_chain_links(c) < 2)
        bloom_chain_add_u64(c, key++);
    bloom_chain_seal(c);
    size = save_chain(c, &image);
    bloom_chain_free(c);
    image[32 + 32] ^= 1;
    c = bloom_chain_load(image, size, NULL);
    free(image);
    while (bloom_verify(bloom_chain_link(c, 1)) == BLOOM_OK)
        bloom_chain_add_u64(c, key++);
    CHECK(bloom_verify(bloom_chain_link(c, 1)) == BLOOM_UNSEALED);
    bloom_chain_seal(c);
    CHECK(bloom_verify(bloom_chain_link(c, 0)) == BLOOM_CORRUPT);
    CHECK(bloom_verify(bloom_chain_link(c, 1)) == BLOOM_OK);
    bloom_chain_free(c);
}

static bloom_error chain_error(const unsigned char *image, size_t size)
{
    bloom_error error = BLOOM_OK;
    bloom_chain *c = bloom_chain_load(image, size, &error);
    CHECK((c != NULL) == (error == BLOOM_OK));
    bloom_chain_free(c);
    return error;
}

/* Each byte of a chain's image that can be wrong; a head is first bent as it is,
   and then with a check that matches. */
static void test_bad_chains(void)
{
    static const unsigned char half[8] = { 0, 0, 0, 0, 0, 0, 0xE0, 0x3F };
    unsigned char image[32 + 2 * 40 + 3 + 64 * 40] = "BLC\1";
    size_t i, size = 32 + 2 * 40;
    image[5] = 64;
    image[8] = 9;
    memcpy(image + 16, half, 8);
    count_links(image, 2);
    for (i = 32; i < sizeof image - 39; i += 40)
        bloom_init(image + i, 40, a_plan(64, 3, 64, 5));
    CHECK(chain_error(NULL, 99) == BLOOM_TRUNCATED);
    for (i = 0; i < size; i++)
        CHECK(chain_error(image, i) == BLOOM_TRUNCATED);
    for (; i < size + 3; i++)
        CHECK(chain_error(image, i) == BLOOM_OK);
    CHECK(chain_error(image, i) == BLOOM_BAD_HEADER);
    count_links(image, 64);
    CHECK(chain_error(image, 32 + 40 * 64) == BLOOM_OK);
    count_links(image, 65);
    CHECK(chain_error(image, 32 + 40 * 65) == BLOOM_BAD_HEADER);
    count_links(image, 2);
    for (i = 0; i < 3; i++) {                   /* what follows is no link */
        memcpy(image + size, i == 0 ? "xLM" : i == 1 ? "BxM" : "BLx", 3);
        CHECK(chain_error(image, size + 40) == BLOOM_OK);
    }
    for (i = 0; i < size; i++) {
        bloom_error want = i < 3 || (i >= 32 && i < 35) || (i >= 72 && i < 75)
              ? BLOOM_NOT_A_FILTER
            : i == 3 || i == 35 || i == 75 ? BLOOM_WRONG_VERSION
            : i == 36 || i == 76 ? BLOOM_UNSUPPORTED        /* layout 129 */
            : (i >= 4 && i < 7) || i == 23 || (i >= 36 && i <= 40)
              || (i >= 48 && i < 56) || (i >= 76 && i <= 80)
              || (i >= 88 && i < 96) ? BLOOM_BAD_HEADER
            : i < 32 ? BLOOM_CORRUPT
            : (i > 40 && i < 48) || (i > 80 && i < 88) ? BLOOM_TRUNCATED
            : BLOOM_OK;
        image[i] ^= 0x81;
        CHECK(chain_error(image, size) == want);
        if (want == BLOOM_CORRUPT && i != 7) {
            count_links(image, 2);
            CHECK(chain_error(image, size) == BLOOM_OK);
        }
        image[i] ^= 0x81;
        count_links(image, 2);
    }
    image[8] = 0;
    count_links(image, 2);
    CHECK(chain_error(image, size) == BLOOM_BAD_HEADER);
    image[8] = 9;
    for (i = 0; i < 3; i++) {                   /* p = 0, 1 and NaN */
        image[22] = i == 0 ? 0 : i == 1 ? 0xF0 : 0xF8;
        image[23] = i == 0 ? 0 : i == 1 ? 0x3F : 0x7F;
        count_links(image, 2);
        CHECK(chain_error(image, size) == BLOOM_BAD_HEADER);
    }
}

/* No key of a sealed chain is lost without a word: an image that is cut anywhere
   does not load, and where one bit is changed, it does not load, or a seal does
   not match, or every key is found. */
static void test_damaged_chains(void)
{
    bloom_chain *c = bloom_chain_new(20, 0.1, BLOOM_CLASSIC);
    unsigned char *image;
    uint64_t key;
    size_t size, i, found;
    for (key = 0; bloom_chain_links(c) < 4; key++)
        bloom_chain_add_u64(c, key);
    bloom_chain_seal(c);
    for (i = 0; i < 4; i++)
        CHECK(bloom_verify(bloom_chain_link(c, (unsigned)i)) == BLOOM_OK);
    size = save_chain(c, &image);
    bloom_chain_free(c);
    for (i = 0; i < size; i++)
        CHECK(chain_error(image, i) == BLOOM_TRUNCATED);
    for (i = 0; i < 8 * size; i += i < 8 * 64 ? 1 : 5) {
        bool is_seen = false;
        unsigned link;
        image[i / 8] ^= (unsigned char)(1 << i % 8);
        c = bloom_chain_load(image, size, NULL);
        for (link = 0; c && !is_seen && link < bloom_chain_links(c); link++)
            is_seen = bloom_verify(bloom_chain_link(c, link)) == BLOOM_CORRUPT;
        for (found = 0; c && !is_seen && found < key; found++)
            CHECK(bloom_chain_may_contain_u64(c, found));
        bloom_chain_free(c);
        image[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    free(image);
}

/* Many keys give the answers and the bytes of one call after the other, for all
   three kinds of keys, also where links begin within a call, and for keys that
   come twice in one. */
static void many_in_chain(unsigned layout, unsigned width)
{
    bloom_chain *many = bloom_chain_create(150, 0.25, chain_plan(layout, width));
    bloom_chain *one = bloom_chain_create(150, 0.25, chain_plan(layout, width));
    static uint64_t number[700];
    static bloom_key text[700];
    static bloom_hash hashed[700];
    static bool answers[700];
    const bloom *link = bloom_chain_link(one, 0);
    size_t call, i, count, trues;
    CHECK(bloom_chain_rate(one) == 0.25);
    CHECK(bloom_chain_add_many(many, NULL, 0, NULL) == 0);
    for (call = 0; call < 40; call++) {
        size_t want = 0, wrong = 0, kind = call % 3, adds = call % 4 != 3;
        count = (size_t)(random64() % 700);
        for (i = 0; i < count; i++) {
            number[i] = random64() % 9000;
            text[i].data = &number[i];
            text[i].size = i % 9;
            hashed[i] = bloom_hash_u64(link, number[i] * 11);
        }
        memset(answers, 2, sizeof answers);
        trues = adds ? kind == 0 ? bloom_chain_add_many(many, text, count, answers)
              : kind == 1 ? bloom_chain_add_many_u64(many, number, count,
                                                     answers)
              : bloom_chain_add_many_hash(many, hashed, count, answers)
              : kind == 0 ? bloom_chain_may_contain_many(many, text, count,
                                                         answers)
              : kind == 1 ? bloom_chain_may_contain_many_u64(many, number,
                                                             count, answers)
              : bloom_chain_may_contain_many_hash(many, hashed, count, answers);
        for (i = 0; i < count; i++) {
            bool is = adds ? kind == 0 ? bloom_chain_add(one, text[i].data,
                                                         text[i].size)
                    : kind == 1 ? bloom_chain_add_u64(one, number[i])
                    : bloom_chain_add_hash(one, hashed[i])
                    : kind == 0 ? bloom_chain_may_contain(one, text[i].data,
                                                          text[i].size)
                    : kind == 1 ? bloom_chain_may_contain_u64(one, number[i])
                    : bloom_chain_may_contain_hash(one, hashed[i]);
            wrong += answers[i] != is;
            want += is;
        }
        CHECK(wrong == 0 && trues == want);
        if (adds)
            bloom_chain_add_many_u64(many, number, count, NULL);
        for (i = 0; adds && i < count; i++)
            bloom_chain_add_u64(one, number[i]);
        CHECK(bloom_chain_may_contain_many_u64(many, number, count, NULL)
              == bloom_chain_may_contain_many_u64(one, number, count, NULL));
        CHECK(same_chain(many, one));
    }
    CHECK(bloom_chain_links(one) > 4);
    bloom_chain_free(many);
    bloom_chain_free(one);
}

/* Heads: each p comes back as it was, first_n as it is, and a head alone is an
   empty chain, as are 64 links a chain. */
static void test_chain_heads(void)
{
    static const double p[] = { 0.5, 0.01, 1e-9, 0.999, 1e-18,
                                0.3333333333333333 };
    unsigned char head[32], again[32];
    uint64_t key;
    unsigned i;
    for (i = 0; i < COUNT(p); i++) {
        bloom_chain *c = bloom_chain_new(i, p[i], BLOOM_CLASSIC), *d;
        uint64_t bits, loaded = 0;
        CHECK(c != NULL);
        bloom_chain_head(c, head);
        memcpy(&bits, &p[i], 8);
        for (key = 8; key-- > 0; )
            loaded = loaded << 8 | head[16 + key];
        CHECK(loaded == bits && head[8] == (i ? i : 1) && head[24] == 0);
        CHECK(head[6] == 1);
        memcpy(again, head, 32);
        count_links(again, 0);
        d = bloom_chain_load(again, 32, NULL);
        CHECK(d && bloom_chain_links(d) == 1 && bloom_chain_rate(d) == p[i]);
        bloom_chain_head(d, again);
        CHECK(memcmp(head, again, 32) == 0);
        bloom_chain_free(c);
        bloom_chain_free(d);
    }
    head[4] = BLOOM_BLOCKED;        /* it is as its head says */
    head[5] = 32;
    count_links(head, 0);
    {
        bloom_chain *c = bloom_chain_load(head, 32, NULL);
        CHECK(c && bloom_plan_of(bloom_chain_link(c, 0)).hash_bits == 32);
        CHECK(c && bloom_plan_of(bloom_chain_link(c, 0)).layout == head[4]);
        CHECK(c && bloom_plan_of(bloom_chain_link(c, 0)).seed == 0);
        bloom_chain_free(c);
    }
    head[4] = BLOOM_CLASSIC;
    head[5] = 64;
    memset(head + 16, 0, 16);       /* the least p above 0: there is no plan */
    head[16] = 1;
    count_links(head, 0);
    CHECK(!bloom_chain_load(head, 32, NULL));
    head[15] = 0x80;                /* link 1 would be for 2^64 keys */
    count_links(head, 0);
    CHECK(!bloom_chain_load(head, 32, NULL));
}

/* Images that no chain would write, but that are ones: the least p above 0, as
   many keys as a number can be, a link that is full. */
static void test_odd_chains(void)
{
    unsigned char image[32 + 40] = "BLC\1", head[32];
    bloom_chain *c;
    image[5] = 64;
    image[8] = image[16] = 1;
    memset(image + 24, 255, 8);
    count_links(image, 1);
    bloom_init(image + 32, 40, a_plan(64, 3, 64, 5));
    c = bloom_chain_load(image, sizeof image, NULL);
    CHECK(c && bloom_chain_estimate(c) == 0);
    CHECK(bloom_chain_add_u64(c, 1) && bloom_chain_links(c) == 1);
    bloom_chain_head(c, head);
    CHECK(memcmp(head, image, 32) == 0);
    bloom_chain_free(c);
    memset(image + 64, 255, 8);
    c = bloom_chain_load(image, sizeof image, NULL);
    CHECK(c && bloom_chain_estimate(c) == UINT64_MAX);
    CHECK(!bloom_chain_add_u64(c, 1));
    bloom_chain_free(c);
    bloom_chain_free(NULL);
    image[5] = 32;
    count_links(image, 1);
    CHECK(!bloom_chain_load(image, sizeof image, NULL));
    image[5] = 64, image[4] = 1;
    count_links(image, 1);
    CHECK(!bloom_chain_load(image, sizeof image, NULL));
    c = bloom_chain_new(10, 0.5, BLOOM_BLOCKED);
    while (c && bloom_chain_links(c) < 3)
        bloom_chain_add_u64(c, random64());
    CHECK(c && bloom_chain_fpr(c) < 0.5);
    bloom_chain_free(c);
}

/* As many links as there may be: it takes keys, but grows no more. */
static void test_longest_chain(void)
{
    static unsigned char image[32 + 64 * 40] = "BLC\1";
    unsigned most, i;
    for (most = 50; most <= 64; most += 14) {
        bloom_chain *c;
        image[5] = 64;
        image[13] = 1;                          /* 2^40 keys in the first */
        image[23] = 0x3F;
        for (i = 0; i < 64; i++)
            bloom_init(image + 32 + 40 * i, 40, a_plan(64, 3, 64, 0));
        count_links(image, most);
        c = bloom_chain_load(image, 32 + most * 40, NULL);
        CHECK(c && bloom_chain_links(c) == most);
        for (i = 0; i < 9; i++)
            CHECK(bloom_chain_add_u64(c, i) && !bloom_chain_add_u64(c, i));
        CHECK(bloom_chain_links(c) == most);
        CHECK(bloom_ones(bloom_chain_link(c, most - 1)) > 9);
        bloom_chain_free(c);
    }
}

#ifdef TEST_MALLOC
/* The image of a chain for 9 keys and 0.5, of links of 64 cells */
static void small_image(unsigned char *image, unsigned links)
{
    memset(image, 0, 32);
    memcpy(image, "BLC\1", 4);
    image[5] = 64;
    image[8] = 9;
    image[22] = 0xE0, image[23] = 0x3F;
    count_links(image, links);
    while (links-- > 0)
        bloom_init(image + 32 + 40 * links, 40, a_plan(64, 3, 64, 5));
}

static void test_chain_without_memory(void)
{
    unsigned char image[32 + 40];
    bloom_error error = BLOOM_CORRUPT;
    small_image(image, 1);
    for (refused = 0; refused < 2; refused++) {     /* chain, then its link */
        requests = 0;
        CHECK(!bloom_chain_load(image, sizeof image, &error));
        CHECK(error == BLOOM_OK);
        requests = 0;
        CHECK(!bloom_chain_new(9, 0.1, BLOOM_CLASSIC));
        CHECK(requests == refused + 1);
    }
}

/* Of three links the first has no memory, so no more is asked for; but what is
   wrong with the last one is told. Where there is memory, what is wrong with the
   second is not forgotten at the third. */
static void test_links_without_memory(void)
{
    unsigned char image[32 + 3 * 40];
    bloom_error error = BLOOM_CORRUPT;
    small_image(image, 3);
    requests = 0;
    refused = 1;
    CHECK(!bloom_chain_load(image, sizeof image, &error));
    CHECK(error == BLOOM_OK && requests == 2);
    image[32 + 2 * 40] = 'b';
    requests = 0;
    CHECK(!bloom_chain_load(image, sizeof image, &error));
    CHECK(error == BLOOM_NOT_A_FILTER && requests == 2);
    small_image(image, 3);
    bloom_init(image + 32 + 40, 40, a_plan(64, 3, 64, 6));
    refused = -1;
    CHECK(!bloom_chain_load(image, sizeof image, &error));
    CHECK(error == BLOOM_BAD_HEADER);
}
#endif

static void test_chain(void)
{
    bloom_chain *c = bloom_chain_new(0, 0.1, BLOOM_CLASSIC);
    const bloom *link = bloom_chain_link(c, 0);
    CHECK(bloom_chain_add(c, NULL, 0) && !bloom_chain_add(c, "", 0));
    CHECK(bloom_chain_add_hash(c, bloom_hash_key(link, "a", 1)));
    CHECK(bloom_chain_may_contain(c, "a", 1));
    CHECK(!bloom_chain_may_contain(c, "b", 1));
    bloom_chain_free(c);
    bloom_chain_free(NULL);
    CHECK(!bloom_chain_new(9, 0.1, BLOOM_COUNTING));
    CHECK(!bloom_chain_new(9, 1, BLOOM_CLASSIC));
    CHECK(!bloom_chain_new(9, 0, BLOOM_CLASSIC));
    CHECK(!bloom_chain_new(UINT64_MAX, 0.1, BLOOM_CLASSIC));
    CHECK(!bloom_chain_create(9, 0.1, chain_plan(0, 63)));
}

#ifdef TEST_MALLOC
/* 1,000,000 bytes at most: then no link is new. */
static void test_chain_in_short_memory(void)
{
    bloom_chain *c = bloom_chain_new(100000, 0.01, BLOOM_CLASSIC);
    uint64_t first_n;
    requests = 0;
    for (state = 0; state < 900000; state++)
        bloom_chain_add_u64(c, state);
    CHECK(bloom_chain_links(c) == 3 && requests < 2 + 9);
    for (state = 0; state < 900000; state++)
        CHECK(bloom_chain_may_contain_u64(c, state));
    bloom_chain_free(c);
    for (first_n = 100; first_n < 110; first_n++) {
        requests = 0;
        refused = 2;                    /* the second link, once */
        c = bloom_chain_new(first_n, 0.01, BLOOM_CLASSIC);
        for (state = 0; state < 3 * first_n; state++)
            bloom_chain_add_u64(c, state);
        CHECK(requests == 4 && bloom_chain_links(c) == 2);
        bloom_chain_free(c);
    }
    requests = 0;
    refused = 1;                        /* for the filter, not for the chain */
    CHECK(!bloom_chain_new(9, 0.1, BLOOM_CLASSIC));
    test_chain_without_memory();
    test_links_without_memory();
    refused = -1;
    CHECK(held == 0);
}
#endif

static void chain_tests(void)
{
    RUN(test_chain());
    RUN(test_longest_chain());
    RUN(test_odd_chains());
    RUN(test_golden_chains());
    RUN(test_links_to_the_key());
    RUN(test_chain_heads());
    RUN(test_small_links());
    RUN(test_chain_seals());
    RUN(test_bad_chains());
    RUN(test_damaged_chains());
    RUN(many_in_chain(BLOOM_CLASSIC, 64));
    RUN(many_in_chain(BLOOM_CLASSIC, 32));
    RUN(many_in_chain(BLOOM_BLOCKED, 64));
    RUN(test_chain_at_its_floor());
    RUN(link_keeps_its_share(1000, 0.5));
    RUN(link_keeps_its_share(1000, 0.01));
    RUN(grow_chain(100, 0.01, 64, BLOOM_CLASSIC));
    RUN(grow_chain(111, 0.05, 32, BLOOM_CLASSIC));
    RUN(grow_chain(200, 0.01, 64, BLOOM_BLOCKED));
#ifdef TEST_MALLOC
    RUN(test_chain_in_short_memory());
#endif
}

#endif
