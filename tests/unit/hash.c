/* Tests that bloom_hash_key is MurmurHash3 as its author published it: by
   SMHasher's verification value, the hash of its hashes of keys of 0 to 255
   bytes. Then tests that only the bytes of the key matter, and how seeds,
   integers and the empty key enter the hash (format version 2). A failure means
   that filters differ from those of other builds. */
#include "unit.h"

/* The hash of a key for a filter with this width and seed */
static bloom_hash hash(unsigned width, uint64_t seed, const void *key,
                       size_t size)
{
    unsigned char image[40];
    bloom *b = bloom_init(image, sizeof image, a_plan(64, 1, width, seed));
    return bloom_hash_key(look(b, sizeof image), key, size);
}

/* The filter seed for which the hash starts with a published MurmurHash3 seed.
   In width 64 a filter starts at (seed + 1) * G, and 0xF1DE83E19937733D is the
   inverse of G modulo 2^64. */
static uint64_t seed_for(unsigned width, uint64_t published)
{
    return width == 64 ? published * 0xF1DE83E19937733DU - 1 : published;
}

/* SMHasher's VerificationTest: it hashes the keys {}, {0}, {0,1}, ... with the
   seeds 256 - i, and then hashes all results. The first four bytes of the last
   hash are published. */
static uint32_t verification(unsigned width)
{
    unsigned char key[256], *results = memory;
    unsigned i, bytes = width == 64 ? 16 : 4;
    bloom_hash h;
    for (i = 0; i < 256; i++) {
        key[i] = (unsigned char)i;
        h = hash(width, seed_for(width, 256 - i), key, i);
        if (width == 32)
            h.h1 >>= 32;
        store(results + bytes * i, h.h1, bytes < 8 ? bytes : 8);
        if (width == 64)
            store(results + bytes * i + 8, h.h2, 8);
    }
    h = hash(width, seed_for(width, 0), results, bytes * 256);
    return (uint32_t)(width == 64 ? h.h1 & 0xFFFFFFFFU : h.h1 >> 32);
}

static void test_smhasher(void)
{
    unsigned w;
    for (w = 0; w < COUNT(widths); w++)
        if (256U * widths[w] / 4 <= sizeof memory)
            CHECK(verification(widths[w])
                  == (widths[w] == 64 ? 0x6384BA69U : 0xB0F57EE3U));
}

static void test_keys(void)
{
    unsigned w;
    for (w = 0; w < COUNT(widths); w++) {
        bloom_plan plan = a_plan(1024, 5, widths[w], 7);
        bloom *b = bloom_init(memory, sizeof memory, plan);
        const bloom *view = look(b, 160);
        bloom_hash h = bloom_hash_u64(view, 5);
        unsigned char five[8] = { 5, 0, 0, 0, 0, 0, 0, 0 };
        CHECK(!bloom_may_contain(view, NULL, 0));
        CHECK(bloom_add(b, NULL, 0) && !bloom_add(b, "", 0));
        view = look(b, 160);
        CHECK(bloom_may_contain(view, NULL, 0));
        CHECK(!bloom_may_contain(view, "\0", 1));
        if (widths[w] == 64) {      /* an integer is not the key of its bytes */
            CHECK(h.h1 != bloom_hash_key(view, five, 8).h1);
            CHECK(h.h2 == (h.h1 << 32 | h.h1 >> 32) * 0x9E3779B97F4A7C15U);
        } else {
            CHECK(h.h1 == bloom_hash_key(view, five, 8).h1);
            CHECK(h.h2 == h.h1 << 32);
        }
    }
}

/* Width 64: an integer's hash is fmix64(key + (seed + 1) * G). So with seed s,
   a key has the hash that key + s * G has with seed 0. As fmix64(0) is 0, the
   key -(s + 1) * G is the one whose hash is 0. */
static void test_seeds(void)
{
    static const uint64_t seeds[] = { 0, 1, 2, 99, 1ULL << 40, UINT64_MAX };
    const uint64_t golden = 0x9E3779B97F4A7C15U;
    unsigned char image[40];
    unsigned i;
    for (i = 0; widths[0] == 64 && i < COUNT(seeds); i++) {
        const uint64_t s = seeds[i], key = random64();
        bloom *b = bloom_init(image, sizeof image, a_plan(64, 1, 64, 0));
        const uint64_t h1 = bloom_hash_u64(look(b, 40), key + s * golden).h1;
        b = bloom_init(image, sizeof image, a_plan(64, 1, 64, s));
        CHECK(bloom_hash_u64(look(b, 40), key).h1 == h1);
        CHECK(bloom_hash_u64(look(b, 40), 0 - (s + 1) * golden).h1 == 0);
        CHECK(bloom_hash_u64(look(b, 40), 0 - (s + 1) * golden).h2 == 0);
    }
}

/* Width 32: the first hash, a, is the upper half of h1. The lower half is the
   same hash of the key with seed ~a. Only the low half of the filter's seed
   matters. */
static void test_second_hash(void)
{
    unsigned char key[20];
    unsigned size;
    for (size = 0; size <= sizeof key; size++) {
        const uint64_t seed = random64();
        bloom_hash h, second;
        random_bytes(key, sizeof key);
        h = hash(32, seed, key, size);
        second = hash(32, ~h.h1 >> 32, key, size);
        CHECK((h.h1 & 0xFFFFFFFFU) == second.h1 >> 32);
        CHECK(h.h2 == h.h1 << 32);
        CHECK(hash(32, seed & 0xFFFFFFFFU, key, size).h1 == h.h1);
    }
}

/* MurmurHash3 of no bytes with seed 0 is 0, and the k cells of such a hash
   would all be the same. bloom.h starts its hash elsewhere, so that the empty
   key has k cells like any other key. */
static void test_empty_key(void)
{
    unsigned char image[32 + 1024 / 8];
    unsigned w, i, j, equal;
    for (w = 0; w < COUNT(widths); w++) {
        bloom *b = bloom_init(image, sizeof image, a_plan(1024, 8, widths[w],
                                                          0));
        const bloom *view = look(b, sizeof image);
        uint64_t cell[64];
        CHECK(bloom_probes(view, bloom_hash_key(view, NULL, 0), cell) == 8);
        for (i = equal = 0; i < 8; i++)
            for (j = 0; j < i; j++)
                equal += cell[i] == cell[j];
        CHECK(equal <= 1);
        bloom_add(b, "", 0);
        CHECK(bloom_ones(b) >= 7);
    }
}

/* A key's hash is that of its bytes, whatever lies beside them, at any address.
   The second key is a block of malloc of its size, so that ASan sees a read
   before or after it. */
static void test_bytes_beside(void)
{
    unsigned char bytes[80];
    unsigned w, size, at;
    for (w = 0; w < COUNT(widths); w++)
        for (size = 0; size <= 64; size++)
            for (at = 0; at < 8; at++) {
                unsigned char *key = (unsigned char *)malloc(size + !size);
                bloom_hash h, second;
                if (!key)
                    continue;
                random_bytes(bytes, sizeof bytes);
                memcpy(key, bytes + 4 + at, size);
                h = hash(widths[w], 5, bytes + 4 + at, size);
                second = hash(widths[w], 5, size ? key : key + 1, size);
                CHECK(h.h1 == second.h1 && h.h2 == second.h2);
                free(key);
            }
}

static void hash_tests(void)
{
    RUN(test_smhasher());
    RUN(test_bytes_beside());
    RUN(test_keys());
    RUN(test_seeds());
    RUN(test_second_hash());
    RUN(test_empty_key());
}
