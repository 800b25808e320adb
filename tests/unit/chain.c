/* Tests bloom_chain.h, the scalable Bloom filter: it grows, keeps its rate, is
   saved and loaded, refuses corrupted images, and loses no key when memory is
   short. The oracles are exact sets of keys, and images made by golden.py. */
#include "unit.h"
#include "kinds.h"

#ifdef TEST_CHAIN

/* Returns the size of the image, which must be the head, and then the images of
   the links. No byte after it may be written. */
static size_t save_chain(const bloom_chain *c, unsigned char **image)
{
    size_t size = bloom_chain_size(c), at = 32;
    unsigned char head[32];
    unsigned i;
    *image = (unsigned char *)malloc(size + 1);
    (*image)[size] = 77;
    bloom_chain_write(c, *image);
    bloom_chain_head(c, head);
    CHECK(memcmp(*image, head, 32) == 0);
    for (i = 0; i < bloom_chain_links(c); i++) {
        const bloom *link = bloom_chain_link(c, i);
        CHECK(memcmp(*image + at, link, bloom_size(link)) == 0);
        at += bloom_size(link);
    }
    CHECK(at == size && (*image)[size] == 77);
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

/* Writes the number of links into a head, and its check byte: the low byte of
   the sum over the other 31 bytes of (2i + 1) * byte i. */
static void count_links(unsigned char *head, unsigned links)
{
    unsigned i, sum = 0;
    head[6] = (unsigned char)links;
    head[7] = 0;
    for (i = 0; i < 32; i++)
        sum += (2 * i + 1) * head[i];
    head[7] = (unsigned char)(sum % 256);
}

/* A plan for bloom_chain_create, which reads only its layout and seed */
static bloom_plan chain_plan(unsigned layout)
{
    return in_layout(a_plan(12345, 67, 32, 77), layout);
}

/* The plan of link i: it takes n = first_n * 2^i keys and, for those that are
   false positives, its share of more. */
static bloom_plan link_plan(uint64_t first_n, double p, unsigned i,
                            unsigned layout)
{
    const double share = p / ((i + 1.0) * (i + 2.0));
    return bloom_plan_layout(
        (uint64_t)((double)(first_n << i) / (1 - share)) + 1, share,
        (bloom_layout)layout);
}

/* Grows a chain to 300 times the capacity of its first link. Keys are 1, 2, 3
   ... so every higher number is an absent key. Each added key must be found.
   The rate must be below p (17% is 4 sigma here). A chain that is saved
   half-way and loaded must stay equal to the first one. */
static void grow_chain(uint64_t first_n, double p, unsigned layout)
{
    bloom_chain *c = bloom_chain_create(first_n, p, chain_plan(layout));
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
        bloom_plan plan = link_plan(first_n, p, i, layout);
        CHECK(bloom_plan_of(link).seed == 77);
        CHECK(bloom_plan_of(link).hash_bits == 64);
        CHECK(bloom_plan_of(link).layout == layout);
        CHECK(bloom_plan_of(link).cells == plan.cells);
        CHECK(bloom_plan_of(link).hashes == plan.hashes);
    }
    bloom_chain_free(c);
    bloom_chain_free(d);
}

/* Chains of the keys 0, 1, 2 .. up to the first key of the second link, by
   golden.py: as bloom.h 2.2.0 made them, which planned links for n keys, and as
   they are made since. Neither of these bytes must ever change. */
static const struct golden {
    unsigned layout;
    uint64_t first_n, keys[2];
    const char *image[2];               /* of 2.2.0, and since */
} golden_chains[] = {
    { BLOOM_CLASSIC, 14, { 13, 18 }, {
      "424c43020040029d0e00000000000000000000000000d03f0100000000000000"
      "424c4d02004003004000000000000000efcdab89674523010000000000000000"
      "67340b28816c9845424c4d0200400400c000000000000000efcdab8967452301"
      "0000000000000000000000000000000000010000000400000000000008000004",
      "424c43020040029d0e00000000000000000000000000d03f0100000000000000"
      "424c4d02004001008000000000000000efcdab89674523010000000000000000"
      "00000208440001040240900c00000110424c4d02004003000001000000000000"
      "efcdab8967452301000000000000000000000040000000000000080000800000"
      "00000000000000000000000000000000" } },
    { BLOOM_BLOCKED, 44, { 42, 83 }, {
      "424c4302014002a42c00000000000000000000000000d03f0100000000000000"
      "424c4d02014008000001000000000000efcdab89674523010000000000000000"
      "1ef5f7ff6efacafbd737bffa776bffdffaffcbff6ca7d93dbd77bf5437effdb6"
      "424c4d02014008000003000000000000efcdab89674523010000000000000000"
      "0000000000000000000000000000000000000000000000000000000000000000"
      "0000020000000200000004000000400000000400000000800000040000000040"
      "0000000000000000000000000000000000000000000000000000000000000000",
      "424c4302014002a42c00000000000000000000000000d03f0100000000000000"
      "424c4d02014008000002000000000000efcdab89674523010000000000000000"
      "5f77fbff6e3e7ff7efbe9e7ffb9baf7fbaef6f7878e7f9fcfd7fa177ffefbbf5"
      "dee4f7efaedada99d55bbfd6d573f6db69fbc7ffac66dbbd7c3fbf5ca77cfcff"
      "424c4d02014008000003000000000000efcdab89674523010000000000000000"
      "0000000000000000000000000000000000000000000000000000000000000000"
      "0000100000020000000000400400000000000001000040000400000000100000"
      "0000000000000000000000000000000000000000000000000000000000000000" } }
};

/* Loads a golden image, and grows the chain by two more links. */
static bloom_chain *load_golden(const struct golden *g, unsigned since)
{
    const char *hex = g->image[since];
    unsigned char bytes[512], *image = NULL;
    const size_t size = strlen(hex) / 2;
    bloom_chain *c;
    unsigned byte;
    size_t i;
    for (i = 0; i < size; i++) {
        CHECK(sscanf(hex + 2 * i, "%2x", &byte) == 1);
        bytes[i] = (unsigned char)byte;
    }
    c = bloom_chain_load(bytes, size, NULL);
    CHECK(c && save_chain(c, &image) == size);
    CHECK(memcmp(image, bytes, size) == 0);
    free(image);
    return c;
}

/* Both images are loaded, contain their keys, and grow in the same way: the
   next links are planned as in new chains. */
static void test_golden_chains(void)
{
    unsigned i, since, link;
    uint64_t key;
    for (i = 0; i < COUNT(golden_chains); i++) {
        const struct golden *g = &golden_chains[i];
        bloom_plan like = in_layout(a_plan(0, 0, 64, 0x0123456789ABCDEFU),
                                    g->layout);
        bloom_chain *made = bloom_chain_create(g->first_n, 0.25, like), *c;
        for (key = 0; key < g->keys[1]; key++) {
            CHECK(bloom_chain_links(made) == 1);
            bloom_chain_add_u64(made, key);
        }
        CHECK(bloom_chain_links(made) == 2);
        for (since = 0; since < 2; since++) {
            c = load_golden(g, since);
            CHECK(same_chain(c, made) == (since == 1));
            for (key = 0; key < g->keys[since]; key++)
                CHECK(bloom_chain_may_contain_u64(c, key));
            for (; bloom_chain_links(c) < 4; key++)
                bloom_chain_add_u64(c, key);
            while (key-- > 0)
                CHECK(bloom_chain_may_contain_u64(c, key));
            for (link = 0; link < 4; link++)
                CHECK(memcmp(bloom_chain_link(c, link),
                             "BLM\2", 4) == 0
                      && (link < 2 || bloom_plan_of(bloom_chain_link(c, link))
                          .cells == link_plan(g->first_n, 0.25, link,
                                              g->layout).cells));
            bloom_chain_free(c);
        }
        bloom_chain_free(made);
    }
}

/* A link takes first_n * 2^i new keys, so a chain whose first_n was right does
   not grow. These are 2000 plans of links 0 and 1. */
static void test_right_first_n(void)
{
    unsigned plan, i;
    uint64_t key = 0;
    for (plan = 0; plan < 1000; plan++) {
        const uint64_t first_n = random64() % (1U << plan % 9) + 1;
        const double p = plan % 3       /* 2^-60 .. 0.99 */
            ? 1.0 / (double)((random64() >> (4 + random64() % 59)) + 2)
            : 0.99 - 1e-3 * (double)(random64() % 900);
        bloom_chain *c = bloom_chain_create(first_n, p, chain_plan(plan % 2));
        for (i = 0; i < 2; i++) {
            uint64_t new_keys = i;      /* the first one made the link */
            while (new_keys < first_n << i)
                new_keys += bloom_chain_add_u64(c, key++);
            CHECK(bloom_chain_links(c) == i + 1);
            while (bloom_chain_links(c) == i + 1 && i == 0)
                bloom_chain_add_u64(c, key++);
        }
        bloom_chain_free(c);
    }
}

/* Link 0 takes the capacity of its plan, less its share of that for false
   positives. Its rate must be at most its share, and not much less. */
static void link_keeps_its_share(uint64_t n, double p, unsigned layout)
{
    bloom_chain *c = bloom_chain_create(n, p, chain_plan(layout));
    bloom_plan plan = link_plan(n, p, 0, layout);
    uint64_t key, full = bloom_plan_capacity(plan, p / 2), known = 0;
    double rate = 0;
    CHECK(bloom_plan_of(bloom_chain_link(c, 0)).cells == plan.cells);
    for (key = 0; bloom_chain_links(c) == 1; key++)
        known += bloom_chain_add_u64(c, key);
    known--;                            /* the last key is in link 1 */
    CHECK((double)(full - known) >= (double)full * p / 2);
    CHECK((double)(full - known) < (double)full * p / 2 + 1);
    for (key = 0; rate < (double)known; key++)      /* all keys offered */
        rate += 1 - bloom_plan_fpr(plan, key);
    CHECK(bloom_plan_fpr(plan, key) <= p / 2);
    CHECK(bloom_plan_fpr(plan, key) > p / 2 * (p > 0.1 ? 0.7 : 0.95));
    CHECK(bloom_plan_of(bloom_chain_link(c, 1)).cells
          == link_plan(n, p, 1, layout).cells);
    bloom_chain_free(c);
}

/* A link takes at least one key, even if its capacity is 1, as in chains of
   2.2.0 for one key. */
static void test_least_link(void)
{
    bloom_chain *c = bloom_chain_new(1, 1e-6, BLOOM_CLASSIC);
    bloom *link = bloom_create(bloom_plan_for(1, 5e-7));
    unsigned char head[32];
    CHECK(bloom_plan_capacity(bloom_plan_of(link), 5e-7) == 1);
    bloom_chain_head(c, head);
    bloom_chain_free(c);
    c = bloom_chain_join(head, &link, NULL);
    CHECK(bloom_chain_add_u64(c, 1) && bloom_chain_links(c) == 1);
    CHECK(bloom_chain_add_u64(c, 2) && bloom_chain_links(c) == 2);
    bloom_chain_free(c);
}

/* Links begin at exactly these keys, on every machine.
   bloom_chain_fpr is the chance that a link finds an absent key. The estimate
   is near the number of keys. */
static void test_links_to_the_key(void)
{
    static const struct {
        uint64_t n; double p; unsigned layout, links; uint64_t keys;
    } known[] = {
        { 1000, 0.5, 0, 4, 8870 }, { 700, 0.1, 0, 3, 2172 },
        { 1000, 0.5, 1, 4, 8161 }, { 700, 0.1, 1, 3, 2195 },
        { 300, 0.3, 1, 5, 5249 }, { 20, 1e-8, 0, 3, 61 }, { 2, 1e-17, 0, 2, 4 },
    };
    unsigned r, i;
    for (r = 0; r < COUNT(known); r++) {
        bloom_chain *c = bloom_chain_create(known[r].n, known[r].p,
                                            chain_plan(known[r].layout));
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

/* No filter of width 64 has a rate below about 2^-64. A chain whose next link
   would need one does not grow: its newest link takes all further keys, and
   none is lost. A chain loaded from its image behaves in the same way. */
static void test_chain_that_cannot_grow(void)
{
    bloom_chain *c = bloom_chain_new(10, 1e-18, BLOOM_CLASSIC), *d;
    unsigned char *image;
    uint64_t key;
    size_t size;
    for (key = 0; key < 3000; key++) {
        bloom_chain_add_u64(c, key);
        CHECK(bloom_chain_may_contain_u64(c, key));
    }
    CHECK(bloom_chain_links(c) > 2 && bloom_chain_links(c) < 8);
    CHECK(bloom_chain_fpr(c) > 0.5);
    size = save_chain(c, &image);
    d = bloom_chain_load(image, size, NULL);
    for (; key < 9999; key++)
        CHECK(bloom_chain_add_u64(c, key) == bloom_chain_add_u64(d, key));
    CHECK(same_chain(c, d));
    CHECK(!bloom_chain_new(10, 1e-20, BLOOM_CLASSIC));
    free(image);
    bloom_chain_free(c);
    bloom_chain_free(d);
}

/* bloom_chain_seal seals the links that have no seal. It keeps existing seals,
   even one that does not match: that reports corruption since it was made. */
static void test_chain_seals(void)
{
    bloom_chain *c = bloom_chain_new(20, 0.1, BLOOM_CLASSIC);
    unsigned char *image;
    uint64_t key = 0;
    size_t size;
    while (bloom_chain_links(c) < 2)
        bloom_chain_add_u64(c, key++);
    CHECK(bloom_chain_verify(c) == BLOOM_UNSEALED);
    bloom_chain_seal(c);
    CHECK(bloom_chain_verify(c) == BLOOM_OK);
    size = save_chain(c, &image);
    bloom_chain_free(c);
    image[32 + 32] ^= 1;
    c = bloom_chain_load(image, size, NULL);
    free(image);
    CHECK(bloom_chain_verify(c) == BLOOM_CORRUPT);
    while (bloom_verify(bloom_chain_link(c, 1)) == BLOOM_OK)
        bloom_chain_add_u64(c, key++);
    CHECK(bloom_verify(bloom_chain_link(c, 1)) == BLOOM_UNSEALED);
    CHECK(bloom_chain_verify(c) == BLOOM_CORRUPT);
    bloom_chain_seal(c);
    CHECK(bloom_chain_verify(c) == BLOOM_CORRUPT);
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

/* Each byte of an image is corrupted in turn. The error must be the right one.
   If only the check byte detects it, a right check byte makes it acceptable. */
static void test_bad_chains(void)
{
    static const unsigned char half[8] = { 0, 0, 0, 0, 0, 0, 0xE0, 0x3F };
    unsigned char image[32 + 2 * 40 + 3 + 64 * 40] = "BLC\2";
    size_t i, size = 32 + 2 * 40;
    image[5] = 64;
    image[8] = 9;
    memcpy(image + 16, half, 8);
    count_links(image, 2);
    for (i = 32; i < sizeof image - 39; i += 40) {
        init(image + i, 40, a_plan(64, 3, 64, 5));
        bloom_seal((bloom *)(void *)(image + i));
    }
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
    count_links(image, 0);
    CHECK(chain_error(image, 32) == BLOOM_BAD_HEADER);
    CHECK(chain_error(image, sizeof image) == BLOOM_BAD_HEADER);
    count_links(image, 2);
    for (i = 0; i < 3; i++) {           /* other bytes after the last link */
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
            : SIZE_MAX <= 0xFFFFFFFF && i >= 44 && i % 40 >= 4 && i % 40 < 8
              ? BLOOM_UNSUPPORTED       /* more than 2^32 cells */
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

/* Corruption of a sealed chain never loses a key silently. If an old link lacks
   its seal, bloom_chain_verify says so. A truncated image does not load. If one
   bit is flipped, either the image does not load, or a seal does not match, or
   every key is still found. */
static void test_damaged_chains(void)
{
    bloom_chain *c = bloom_chain_new(10, 0.1, BLOOM_CLASSIC);
    unsigned char *image, seal[8];
    uint64_t key;
    size_t size, i, found;
    for (key = 0; bloom_chain_links(c) < 4; key++)
        bloom_chain_add_u64(c, key);
    bloom_chain_seal(c);
    CHECK(bloom_chain_verify(c) == BLOOM_OK);
    size = save_chain(c, &image);
    bloom_chain_free(c);
    memcpy(seal, image + 32 + 24, 8);   /* of the oldest link */
    memset(image + 32 + 24, 0, 8);
    c = bloom_chain_load(image, size, NULL);
    CHECK(bloom_chain_verify(c) == BLOOM_UNSEALED);
    bloom_chain_free(c);
    memcpy(image + 32 + 24, seal, 8);
    for (i = 0; i < size; i++)
        CHECK(chain_error(image, i) == BLOOM_TRUNCATED);
    for (i = 0; i < 8 * size; i++) {
        bool is_seen;
        image[i / 8] ^= (unsigned char)(1 << i % 8);
        c = bloom_chain_load(image, size, NULL);
        is_seen = c && bloom_chain_verify(c) == BLOOM_CORRUPT;
        for (found = 0; c && !is_seen && found < key; found++)
            CHECK(bloom_chain_may_contain_u64(c, found));
        CHECK(!c || i / 8 >= 32);
        CHECK(!c || (bloom_chain_fpr(c) <= 1 && bloom_chain_size(c) <= size));
        bloom_chain_free(c);
        image[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    free(image);
}

/* A call for many keys gives the same answers and images as one call per key,
   for all three kinds of keys. That includes calls during which the chain
   grows, calls with a key twice, and the lookup of a single key. */
static void many_in_chain(unsigned layout)
{
    bloom_chain *many = bloom_chain_create(150, 0.25, chain_plan(layout));
    bloom_chain *one = bloom_chain_create(150, 0.25, chain_plan(layout));
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
        count = call == 3 ? 1 : (size_t)(random64() % 700);
        for (i = 0; i < count; i++) {
            number[i] = random64() % 9000;
            text[i].data = &number[i];
            text[i].size = i % 9;
            hashed[i] = bloom_hash_u64(link, number[i] * 11);
        }
        memset(answers, 2, sizeof answers);
        trues = adds ? MANY(bloom_chain_add, many, kind, text, number, hashed,
                            count, answers)
                     : MANY(bloom_chain_may_contain, many, kind, text, number,
                            hashed, count, answers);
        for (i = 0; i < count; i++) {
            bool is = adds ? ONE(bloom_chain_add, one, kind, text[i], number[i],
                                 hashed[i])
                           : ONE(bloom_chain_may_contain, one, kind, text[i],
                                 number[i], hashed[i]);
            wrong += answers[i] != is;
            want += is;
        }
        CHECK(wrong == 0 && trues == want && *(char *)&answers[count] == 2);
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

/* Keys that are looked up first, and added afterwards as absent, make the same
   chain. The older links are not tested: a key that only such a link contains
   counts as new. */
static void absent_in_chain(unsigned layout)
{
    bloom_chain *absent = bloom_chain_create(150, 1e-9, chain_plan(layout));
    bloom_chain *one = bloom_chain_create(150, 1e-9, chain_plan(layout));
    const bloom *link = bloom_chain_link(one, 0);
    static bloom_hash hashed[700];
    size_t i, count;
    uint64_t key = 0;
    bloom_hash first = bloom_hash_u64(link, 0);
    while (key < 9000) {
        count = (size_t)(random64() % 700);
        for (i = 0; i < count; i++)
            hashed[i] = bloom_hash_u64(link, key++);
        CHECK(bloom_chain_may_contain_many_hash(absent, hashed, count, NULL)
              == 0);
        CHECK(bloom_chain_add_absent_hash(absent, hashed, count) == count);
        CHECK(bloom_chain_add_many_hash(one, hashed, count, NULL) == count);
        CHECK(same_chain(absent, one));
    }
    CHECK(bloom_chain_links(one) > 4);
    CHECK(bloom_chain_add_many_hash(absent, &first, 1, NULL) == 0);
    CHECK(bloom_chain_add_absent_hash(absent, &first, 1) == 1);
    bloom_chain_free(absent);
    bloom_chain_free(one);
}

/* The image of a chain with first_n = 9 and p = 0.5, of empty links of 64 cells
   with k probes */
static void small_image(unsigned char *image, unsigned links, unsigned k)
{
    memset(image, 0, 32);
    memcpy(image, "BLC\2", 4);
    image[5] = 64;
    image[8] = 9;
    image[22] = 0xE0, image[23] = 0x3F;
    count_links(image, links);
    while (links-- > 0)
        init(image + 32 + 40 * links, 40, a_plan(64, k, 64, 5));
}

/* bloom_chain_join makes the same chain of the parts of an image as
   bloom_chain_load of the whole, or finds the same error and leaves the links to
   the caller. There are 3 links of 40 bytes. Then both get the same keys, one
   chain in a single call and the other key by key, and must stay equal. */
static void join_as_loaded(const unsigned char *image)
{
    bloom_error joined = BLOOM_OK, loaded = BLOOM_OK;
    bloom *link[3];
    bloom_chain *c, *d;
    uint64_t number[20];
    bool is_new[20];
    unsigned i;
    for (i = 0; i < 3; i++)
        link[i] = bloom_copy(bloom_view(image + 32 + 40 * i, 40, NULL));
    c = bloom_chain_join(image, link, &joined);
    d = bloom_chain_load(image, 32 + 3 * 40, &loaded);
    CHECK((c != NULL) == (d != NULL) && joined == loaded);
    for (i = 0; i < 20; i++)
        number[i] = i;
    if (c)
        bloom_chain_add_many_u64(c, number, 20, is_new);
    for (i = 0; c && i < 20; i++)
        CHECK(is_new[i] == bloom_chain_add_u64(d, i));
    CHECK(!c || same_chain(c, d));
    for (i = 0; !c && i < 3; i++)
        bloom_free(link[i]);
    bloom_chain_free(c);
    bloom_chain_free(d);
}

static void test_joined_chains(void)
{
    unsigned char image[32 + 3 * 40];
    unsigned i, bit;
    small_image(image, 3, 3);
    join_as_loaded(image);
    image[24] = 200;                    /* more keys than the link takes */
    count_links(image, 3);
    join_as_loaded(image);
    for (i = 0; i < 32; i++)
        for (bit = 1; bit < 256; bit *= 2)
            if (i != 6) {               /* as load needs these links */
                image[i] = (unsigned char)(image[i] ^ bit);
                join_as_loaded(image);
                if (i < 7)
                    count_links(image, 3);
                join_as_loaded(image);
                image[i] = (unsigned char)(image[i] ^ bit);
                count_links(image, 3);
            }
    init(image + 32 + 40, 40, a_plan(64, 3, 64, 6));
    join_as_loaded(image);
    for (i = 0; i < 2; i++) {           /* link i alone has another width */
        small_image(image, 3, 3);
        init(image + 32 + 40 * i, 40, a_plan(64, 3, 32, 5));
        CHECK(chain_error(image, sizeof image) == BLOOM_BAD_HEADER);
        CHECK(chain_error(image, sizeof image - 1) == BLOOM_BAD_HEADER);
        join_as_loaded(image);
    }
}

/* The head stores p exactly, and first_n (0 as 1). Loading restores both. */
static void test_chain_heads(void)
{
    static const double p[] = { 0.5, 0.01, 1e-9, 0.999, 1e-18,
                                0.3333333333333333 };
    unsigned i, at;
    for (i = 0; i < COUNT(p); i++) {
        bloom_chain *c = bloom_chain_new(i, p[i], BLOOM_BLOCKED), *d;
        unsigned char *image;
        uint64_t bits, written = 0;
        size_t size = save_chain(c, &image);
        memcpy(&bits, &p[i], 8);
        for (at = 24; at-- > 16; )
            written = written << 8 | image[at];
        CHECK(written == bits && image[8] == (i ? i : 1) && image[24] == 0);
        CHECK(memcmp(image, "BLC\2\1\100\1", 7) == 0);
        d = bloom_chain_load(image, size, NULL);
        CHECK(d && bloom_chain_rate(d) == p[i] && same_chain(c, d));
        free(image);
        bloom_chain_free(c);
        bloom_chain_free(d);
    }
}

static uint64_t estimate_of(const unsigned char *image, size_t size)
{
    bloom_chain *c = bloom_chain_load(image, size, NULL);
    uint64_t estimate = bloom_chain_estimate(c);
    CHECK(bloom_chain_fpr(c) >= 0 && bloom_chain_fpr(c) <= 1);
    bloom_chain_free(c);
    return estimate;
}

/* Estimates of full or almost full links would be 10^24, infinity or NaN, which
   do not fit into uint64_t. They must be UINT64_MAX. */
static void test_estimates_without_end(void)
{
    unsigned char image[32 + 13 * 40];
    unsigned i;
    small_image(image, 13, 1);
    CHECK(estimate_of(image, sizeof image) == 0);
    for (i = 0; i < 13; i++) {                  /* sets 63 of 64 cells */
        memset(image + 32 + 40 * i + 32, 255, 8);
        image[32 + 40 * i + 39] = 0x7F;
        if (i == 8)
            CHECK(estimate_of(image, sizeof image) < (uint64_t)1 << 62);
    }
    CHECK(estimate_of(image, sizeof image) == UINT64_MAX);
    small_image(image, 13, 1);
    memset(image + 64, 255, 8);                 /* link 0, then also link 1 */
    CHECK(estimate_of(image, sizeof image) == UINT64_MAX);
    memset(image + 104, 255, 8);
    CHECK(estimate_of(image, sizeof image) == UINT64_MAX);
    small_image(image, 13, 64);
    memset(image + 32 + 12 * 40 + 32, 255, 8);  /* the newest only */
    CHECK(estimate_of(image, sizeof image) == UINT64_MAX);
}

/* Accepted, though no chain writes them: a p too small for any plan, as many
   keys as possible, a full link. Refused: links that do not match the head. */
static void test_odd_chains(void)
{
    unsigned char image[32 + 40], head[32];
    bloom_chain *c;
    small_image(image, 1, 3);
    image[8] = image[16] = 1;
    image[22] = image[23] = 0;
    memset(image + 24, 255, 8);
    count_links(image, 1);
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
    image[4] = 1;                       /* blocked; its link is classic */
    count_links(image, 1);
    CHECK(chain_error(image, sizeof image) == BLOOM_BAD_HEADER);
    image[4] = 0;
    image[5] = image[32 + 5] = 32;
    count_links(image, 1);
    CHECK(chain_error(image, sizeof image) == BLOOM_BAD_HEADER);
    image[5] = 64;                      /* width 32 in the link only */
    count_links(image, 1);
    CHECK(chain_error(image, sizeof image) == BLOOM_BAD_HEADER);
}

/* A chain with the greatest number of links, or whose next link would be too
   large, takes keys but does not grow. */
static void test_longest_chain(void)
{
    static unsigned char image[32 + 64 * 40] = "BLC\2";
    unsigned most, i;
    for (most = 50; most <= 64; most += 14) {
        bloom_chain *c;
        image[5] = 64;
        image[13] = 1;                          /* 2^40 keys in the first */
        image[23] = 0x3F;
        for (i = 0; i < 64; i++)
            init(image + 32 + 40 * i, 40, a_plan(64, 3, 64, 0));
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
static void test_chain_without_memory(void)
{
    unsigned char image[32 + 40];
    bloom_error error = BLOOM_CORRUPT;
    bloom *link;
    small_image(image, 1, 3);
    link = bloom_open(image + 32, 40, NULL);
    requests = refused = 0;
    CHECK(!bloom_chain_join(image, &link, &error));
    CHECK(error == BLOOM_NO_MEMORY);
    requests = 0;
    CHECK(!bloom_chain_open(image, sizeof image, &error));
    CHECK(error == BLOOM_NO_MEMORY);
    for (refused = 0; refused < 2; refused++) {     /* the chain, its link */
        requests = 0;
        CHECK(!bloom_chain_load(image, sizeof image, &error));
        CHECK(error == BLOOM_NO_MEMORY);
        requests = 0;
        CHECK(!bloom_chain_new(9, 0.1, BLOOM_CLASSIC));
        CHECK(requests == refused + 1);
    }
}

/* bloom_chain_load checks all links before it allocates memory, so it reports a
   corrupted link even if memory is short. If there is no memory for the first
   link, it does not try the others. */
static void test_links_without_memory(void)
{
    unsigned char image[32 + 3 * 40];
    bloom_error error = BLOOM_CORRUPT;
    small_image(image, 3, 3);
    requests = 0;
    refused = 1;
    CHECK(!bloom_chain_load(image, sizeof image, &error));
    CHECK(error == BLOOM_NO_MEMORY && requests == 2);
    image[32 + 2 * 40] = 'b';
    requests = 0;
    CHECK(!bloom_chain_load(image, sizeof image, &error));
    CHECK(error == BLOOM_NOT_A_FILTER && requests == 0);
    small_image(image, 3, 3);
    init(image + 32 + 40, 40, a_plan(64, 3, 64, 6));
    refused = -1;
    CHECK(!bloom_chain_load(image, sizeof image, &error));
    CHECK(error == BLOOM_BAD_HEADER);
}
#endif

/* Keys that are all in leave the seal of the newest link; a new one removes
   it. */
static void many_keep_the_seal(void)
{
    bloom_chain *c = bloom_chain_new(1000, 1e-9, BLOOM_CLASSIC);
    uint64_t number[300];
    bool is_new[300];
    unsigned i;
    for (i = 0; i < 300; i++)
        number[i] = i;
    CHECK(bloom_chain_add_many_u64(c, number, 299, NULL) == 299);
    bloom_chain_seal(c);
    CHECK(bloom_chain_add_many_u64(c, number, 299, is_new) == 0);
    CHECK(bloom_chain_verify(c) == BLOOM_OK && !is_new[0] && !is_new[298]);
    CHECK(bloom_chain_add_many_u64(c, number, 300, is_new) == 1);
    CHECK(bloom_chain_verify(c) == BLOOM_UNSEALED);
    CHECK(is_new[299] && !is_new[298] && bloom_chain_may_contain_u64(c, 299));
    bloom_chain_free(c);
}

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
    CHECK(!bloom_chain_create(9, 0.1, chain_plan(BLOOM_COUNTING)));
}

#ifdef TEST_MALLOC
/* A chain that got no memory for its second link is saved after each key, and
   loaded. The loaded one must try again to grow at its next new key. */
static void test_loaded_in_short_memory(void)
{
    bloom_chain *c = bloom_chain_new(20, 0.01, BLOOM_CLASSIC);
    uint64_t full = bloom_plan_capacity(bloom_plan_of(bloom_chain_link(c, 0)),
                                        0.005) * 995 / 1000;
    uint64_t from, key;
    for (key = 0; key < full; key++)
        CHECK(bloom_chain_add_u64(c, key));
    requests = refused = 0;
    CHECK(bloom_chain_add_u64(c, key++) && requests == 1);
    refused = -1;
    for (from = key; from < 2 * full; from = key) {
        unsigned char *image;
        size_t size = save_chain(c, &image);
        bloom_chain *d = bloom_chain_load(image, size, NULL);
        for (key = from; bloom_chain_links(d) < 2 && key < 9 * full; key++)
            bloom_chain_add_u64(d, key);
        CHECK(key == from + 1);
        bloom_chain_free(d);
        free(image);
        bloom_chain_add_u64(c, key = from);
        key++;
    }
    CHECK(bloom_chain_links(c) == 1);
    bloom_chain_free(c);
}

/* count_malloc refuses blocks of 250,000 bytes. The chain stops growing,
   tries again at twice as many keys, and loses none. */
static void test_chain_in_short_memory(void)
{
    bloom_chain *c = bloom_chain_new(25000, 0.01, BLOOM_CLASSIC);
    uint64_t first_n;
    requests = 0;
    for (random_state = 0; random_state < 225000; random_state++)
        bloom_chain_add_u64(c, random_state);
    CHECK(bloom_chain_links(c) == 3 && requests < 2 + 9);
    for (random_state = 0; random_state < 225000; random_state++)
        CHECK(bloom_chain_may_contain_u64(c, random_state));
    bloom_chain_free(c);
    for (first_n = 100; first_n < 110; first_n++) {
        requests = 0;
        refused = 2;            /* the second link, at its first try */
        c = bloom_chain_new(first_n, 0.01, BLOOM_CLASSIC);
        for (random_state = 0; random_state < 3 * first_n; random_state++)
            bloom_chain_add_u64(c, random_state);
        CHECK(requests == 4 && bloom_chain_links(c) == 2);
        bloom_chain_free(c);
    }
    requests = 0;
    refused = 1;                /* the filter; the chain gets its memory */
    CHECK(!bloom_chain_new(9, 0.1, BLOOM_CLASSIC));
    test_chain_without_memory();
    test_links_without_memory();
    refused = -1;
    test_loaded_in_short_memory();
    CHECK(held == 0);
}
#endif

/* ---- Links in memory of one's own ----------------------------------------
   A chain in a file, as a process keeps it: `bytes` is the file. */
static struct chain_file {
    unsigned char bytes[60000];
    size_t size;
} file;

/* Begins the file with an empty chain, and opens it. */
static bloom_chain *begin_file(uint64_t first_n, double p, unsigned layout)
{
    bloom_chain *c = bloom_chain_create(first_n, p, chain_plan(layout));
    memset(file.bytes, 0, sizeof file.bytes);
    file.size = bloom_chain_size(c);
    bloom_chain_write(c, file.bytes);
    bloom_chain_free(c);
    return bloom_chain_open(file.bytes, file.size, NULL);
}

/* The process was killed. What another one finds must have the keys 1 to
   `last`, and room for no more keys than the chain's newest link, but for 5%. */
static void is_whole(const bloom_chain *c, uint64_t last)
{
    static struct chain_file copy;
    bloom_error error = BLOOM_CORRUPT;
    uint64_t key;
    bloom_chain *d;
    copy = file;
    d = bloom_chain_open(copy.bytes, copy.size, &error);
    if (!CHECK(d && error == BLOOM_OK))
        return;
    for (key = 1; key <= last; key++)
        if (!CHECK(bloom_chain_may_contain_u64(d, key)))
            break;
    CHECK(bloom_chain_size(d) <= file.size);
    if (bloom_chain_links(d) == bloom_chain_links(c))
        CHECK(bloom_chain_room(d) <= bloom_chain_room(c)
              + bloom_plan_capacity(bloom_plan_of(
                    bloom_chain_link(d, bloom_chain_links(d) - 1)), 0.5) / 20);
    CHECK(memcmp(&copy, &file, sizeof copy) == 0);      /* it only reads */
    bloom_chain_free(d);
}

/* Appends a link to the file, as bloom_chain.h says. The process may be killed
   after each byte. */
static bool append_link(bloom_chain *c, uint64_t last)
{
    const bloom_plan plan = bloom_chain_next(c);
    const size_t at = bloom_chain_size(c), size = bloom_plan_size(plan);
    unsigned char head[BLOOM_HEADER_SIZE], chain_head[32];
    size_t i;
    if (!CHECK(size > 0 && at + size <= sizeof file.bytes && at == file.size))
        return false;
    (void)!bloom_init_zeroed(head, size, plan);     /* the header only */
    for (i = 0; i < BLOOM_HEADER_SIZE; i++) {
        file.bytes[at + i] = head[i];
        file.size = at + i + 1;
        is_whole(c, last);
    }
    file.size = at + size;
    is_whole(c, last);
    file.bytes[at + size - 1] = 1;      /* that link has a key: others added */
    CHECK(!bloom_chain_open(file.bytes, file.size, NULL));
    file.bytes[at + size - 1] = 0;
    CHECK(bloom_chain_append(c, (bloom *)(void *)(file.bytes + at)));
    is_whole(c, last);
    bloom_chain_head(c, chain_head);
    memcpy(file.bytes, chain_head, 32);
    is_whole(c, last);
    return true;
}

/* Nor does it take more keys if the head is right, and the estimate too low. */
static void has_no_more_room(const bloom_chain *c)
{
    unsigned char head[32];
    bloom_chain *d;
    memcpy(head, file.bytes, 32);
    bloom_chain_head(c, file.bytes);
    d = bloom_chain_open(file.bytes, file.size, NULL);
    CHECK(d && bloom_chain_room(d) <= bloom_chain_room(c));
    bloom_chain_free(d);
    memcpy(file.bytes, head, 32);
}

/* Such a chain grows as one that allocates. It keeps each key when its process
   is killed, in whose file the head is old. */
static void chain_in_a_file(unsigned layout)
{
    const bloom_chain *plain = NULL;
    bloom_chain *c = begin_file(20, 0.01, layout), *d;
    bloom_chain *own = bloom_chain_create(20, 0.01, chain_plan(layout));
    uint64_t key, batch[50], some, i;
    if (!CHECK(c && own))
        return;
    for (key = 1; key <= 2000; key += some) {
        if (bloom_chain_room(c) == 0 && !append_link(c, key - 1))
            return;
        some = 1 + below(bloom_chain_room(c) < 50 ? bloom_chain_room(c) : 50);
        for (i = 0; i < some; i++)
            batch[i] = key + i;
        CHECK(bloom_chain_add_many_u64(c, batch, (size_t)some, NULL)
              == bloom_chain_add_many_u64(own, batch, (size_t)some, NULL));
        if (below(4) == 0)
            is_whole(c, key + some - 1);
        has_no_more_room(c);
    }
    CHECK(same_chain(c, own) && bloom_chain_links(c) > 5);
    CHECK(bloom_chain_size(c) == file.size);
    bloom_chain_head(c, file.bytes);
    bloom_chain_seal(c);
    CHECK(bloom_chain_verify(c) == BLOOM_OK);
    bloom_chain_free(c);                /* the links stay */
    c = bloom_chain_open(file.bytes, file.size, NULL);
    plain = d = bloom_chain_load(file.bytes, file.size, NULL);
    CHECK(c && d && same_chain(c, plain)
          && bloom_chain_verify(c) == BLOOM_OK);
    memcpy(file.bytes + file.size, file.bytes + 32, BLOOM_HEADER_SIZE);
    CHECK(!bloom_chain_open(file.bytes, file.size + 100, NULL));
    bloom_chain_unseal(c);              /* of the newest link alone */
    bloom_chain_free(d);
    d = bloom_chain_load(file.bytes, file.size + 100, NULL);
    CHECK(d && same_chain(c, d));
    bloom_chain_free(d);
    d = bloom_chain_open(file.bytes, file.size + 100, NULL);
    CHECK(d && bloom_chain_size(d) == file.size);
    for (i = 0; i < bloom_chain_links(c); i++)
        CHECK(bloom_verify(bloom_chain_link(c, (unsigned)i))
              == (i + 1 < bloom_chain_links(c) ? BLOOM_OK : BLOOM_UNSEALED));
    bloom_chain_free(d);
    bloom_chain_free(c);
    bloom_chain_free(own);
}

/* Each process is killed, so the head never learns how many keys there are. The
   chain keeps its rate all the same. */
static void chain_of_killed_processes(unsigned layout)
{
    bloom_chain *c = begin_file(100, 0.02, layout);
    uint64_t key = 0, maybe = 0, i;
    unsigned char head[32];
    while (key < 3000 && CHECK(c != NULL)) {
        while (bloom_chain_room(c) == 0) {
            const size_t at = bloom_chain_size(c);
            const bloom_plan plan = bloom_chain_next(c);
            CHECK(bloom_chain_append(c, bloom_init(
                file.bytes + at, sizeof file.bytes - at, plan)));
            bloom_chain_head(c, head);
            memcpy(file.bytes, head, 32);
        }
        for (i = 0; i < 7 && bloom_chain_room(c) > 0; i++)
            bloom_chain_add_u64(c, ++key);
        bloom_chain_free(c);
        c = bloom_chain_open(file.bytes, sizeof file.bytes, NULL);
    }
    if (!c)
        return;
    for (i = 1; i <= key; i++)
        if (!CHECK(bloom_chain_may_contain_u64(c, i)))
            break;
    for (i = 0; i < 20000; i++)
        maybe += bloom_chain_may_contain_u64(c, 100000 + i);
    CHECK(maybe < 20000 / 50 && bloom_chain_fpr(c) < 0.02);
    CHECK(bloom_chain_links(c) == 5);
    bloom_chain_free(c);
}

/* The image of a process that was killed, with its old head, may also be loaded:
   the chain grows in time. */
static void killed_and_loaded(void)
{
    bloom_chain *c = begin_file(1000, 0.01, BLOOM_CLASSIC);
    uint64_t key;
    for (key = 0; key < 900; key++)
        bloom_chain_add_u64(c, key);
    bloom_chain_free(c);
    c = bloom_chain_load(file.bytes, file.size, NULL);
    for (; key < 1800; key++)
        bloom_chain_add_u64(c, key);
    CHECK(bloom_chain_links(c) == 2 && bloom_chain_fpr(c) < 0.01);
    bloom_chain_free(c);
}

/* Only the link that comes next is appended, and only to a borrowed chain. */
static void wrong_links(void)
{
    bloom_chain *c = begin_file(10, 0.01, BLOOM_CLASSIC);
    bloom_chain *own = bloom_chain_new(10, 0.01, BLOOM_CLASSIC);
    bloom_plan plan = bloom_chain_next(c);
    bloom *link = bloom_create(plan), *other;
    plan.seed ^= 1;
    other = bloom_create(plan);
    CHECK(!bloom_chain_append(own, link) && !bloom_chain_append(c, other)
          && !bloom_chain_append(c, NULL) && bloom_chain_links(c) == 1);
    CHECK(bloom_chain_append(c, link) && bloom_chain_links(c) == 2);
    bloom_chain_free(c);
    bloom_chain_free(own);
    bloom_free(link);
    bloom_free(other);
}

/* A full link to which none is appended takes all keys. */
static void chain_that_is_left_alone(void)
{
    bloom_chain *c = begin_file(50, 0.01, BLOOM_CLASSIC), *d;
    const size_t size = bloom_chain_size(c);
    uint64_t key;
    for (key = 1; key <= 2000; key++) {
        const uint64_t room = bloom_chain_room(c);
        const bool is_new = bloom_chain_add_u64(c, key);
        CHECK(bloom_chain_room(c) == room - (is_new && room > 0));
        if (key == 8) {                 /* a few keys are counted, too */
            d = bloom_chain_open(file.bytes, size, NULL);
            CHECK(d && bloom_chain_room(d) <= bloom_chain_room(c) + 1);
            bloom_chain_free(d);
        }
    }
    CHECK(bloom_chain_room(c) == 0 && bloom_chain_links(c) == 1
          && bloom_chain_size(c) == size && bloom_chain_fpr(c) > 0.5);
    for (key = 1; key <= 2000; key++)
        CHECK(bloom_chain_may_contain_u64(c, key));
    bloom_chain_free(c);
    memset(file.bytes + 64, 255, size - 64);
    c = bloom_chain_open(file.bytes, size, NULL);
    CHECK(c && bloom_chain_room(c) == 0);       /* every cell is set */
    bloom_chain_free(c);
}

/* The plan of a 65th link, and of one that would be too large, is none. */
static void last_link(void)
{
    unsigned char image[32 + 64 * 40];
    bloom_chain *c;
    small_image(image, 64, 1);
    c = bloom_chain_open(image, sizeof image, NULL);
    CHECK(c && bloom_plan_size(bloom_chain_next(c)) == 0);
    CHECK(c && !bloom_chain_append(c, (bloom *)(void *)(image + 32)));
    bloom_chain_free(c);
    small_image(image, 63, 1);
    c = bloom_chain_open(image, sizeof image, NULL);
    CHECK(c && bloom_plan_size(bloom_chain_next(c)) == 0
          && bloom_chain_next(c).seed == bloom_plan_of(bloom_chain_link(c, 0))
                                             .seed);
    bloom_chain_free(c);
    CHECK(!bloom_chain_open(NULL, 0, NULL));
}

static void chain_tests(void)
{
    RUN(chain_in_a_file(BLOOM_CLASSIC));
    RUN(chain_in_a_file(BLOOM_BLOCKED));
    RUN(chain_of_killed_processes(BLOOM_CLASSIC));
    RUN(chain_of_killed_processes(BLOOM_BLOCKED));
    RUN(killed_and_loaded());
    RUN(wrong_links());
    RUN(chain_that_is_left_alone());
    RUN(last_link());
    RUN(test_chain());
    RUN(many_keep_the_seal());
    RUN(test_least_link());
    RUN(test_longest_chain());
    RUN(test_odd_chains());
    RUN(test_estimates_without_end());
    RUN(test_golden_chains());
    RUN(test_right_first_n());
    RUN(test_links_to_the_key());
    RUN(test_chain_heads());
    RUN(test_chain_seals());
    RUN(test_bad_chains());
    RUN(test_joined_chains());
    RUN(test_damaged_chains());
    RUN(many_in_chain(BLOOM_CLASSIC));
    RUN(many_in_chain(BLOOM_BLOCKED));
    RUN(absent_in_chain(BLOOM_CLASSIC));
    RUN(absent_in_chain(BLOOM_BLOCKED));
    RUN(test_chain_that_cannot_grow());
    RUN(link_keeps_its_share(1000, 0.5, BLOOM_CLASSIC));
    RUN(link_keeps_its_share(1000, 0.01, BLOOM_CLASSIC));
    RUN(link_keeps_its_share(1000, 0.01, BLOOM_BLOCKED));
    RUN(grow_chain(100, 0.01, BLOOM_CLASSIC));
    RUN(grow_chain(200, 0.01, BLOOM_BLOCKED));
#ifdef TEST_MALLOC
    RUN(test_chain_in_short_memory());
#endif
}

#endif
