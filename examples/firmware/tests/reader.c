/* Run by run.sh: compares reader.h with bloom.h in LOOKUPS lookups of present
   and absent keys, in filters of 64 to 10^6 cells and a few of up to 2^32 - 64,
   with every k, random seeds and keys of 0 to 40 bytes. Images that the reader
   cannot read must give "maybe". Ends with "N passed, N failed". */
#define BLOOM_STATIC
#include "bloom.h"
#include "tests/random.h"
#include "../reader.h"
#include <stdio.h>
#include <string.h>

#define LOOKUPS 2000000UL

/* Key number i of filter `trial`: up to 40 random bytes */
static unsigned make_key(unsigned char *key, uint64_t trial, uint64_t i)
{
    unsigned size, j;
    random_state = trial << 32 ^ i;
    size = (unsigned)(random64() % 41);
    for (j = 0; j < 40; j++)
        key[j] = (unsigned char)(random64() & 255);
    return size;
}

static unsigned long lookups, maybes, differ, lost;

/* Adds n keys, and looks up these and as many others. */
static void compare(bloom *b, uint64_t trial, uint64_t n)
{
    const unsigned char *image = (const unsigned char *)b;
    unsigned char key[40];
    uint64_t i;
    for (i = 0; i < n; i++) {
        unsigned size = make_key(key, trial, i);
        bloom_add(b, key, size);
    }
    for (i = 0; i < 2 * n; i++, lookups++) {
        unsigned size = make_key(key, trial, i);
        bool maybe = bloom_may_contain(b, key, size);
        bool ours = bloom_reader_may_contain(image, key, size);
        maybes += maybe;
        differ += maybe != ours;
        lost += i < n && !ours;
    }
}

static unsigned refused(void)
{
    static const struct { unsigned at, value; } bent[] = {
        { 0, 'b' }, { 3, 1 }, { 4, 1 }, { 4, 2 }, { 5, 64 }, { 12, 1 },
        { 15, 1 }
    };
    unsigned char image[40];
    unsigned i, wrong = 0;
    bloom_plan plan = { 64, 0, 3, BLOOM_CLASSIC, 32 };
    for (i = 0; i < sizeof bent / sizeof *bent; i++) {
        wrong += !bloom_init(image, sizeof image, plan);
        wrong += bloom_reader_may_contain(image, "key", 3) != 0;
        image[bent[i].at] = (unsigned char)bent[i].value;
        wrong += bloom_reader_may_contain(image, "key", 3) != 1;
    }
    return wrong;
}

static void integers(void)              /* a key of 8 bytes, the lowest first */
{
    static unsigned char memory[BLOOM_SIZE(1000, 100)];
    bloom_plan plan = BLOOM_PLAN(1000, 100);
    unsigned char key[8];
    uint64_t i, number;
    unsigned j;
    bloom *b;
    plan.hash_bits = 32;
    b = bloom_init(memory, sizeof memory, plan);
    for (i = 0; i < 1000; i++)
        bloom_add_u64(b, i * 0x0123456789ABCDEF);
    for (i = 0; i < 1000; i++) {
        number = i * 0x0123456789ABCDEF;
        for (j = 0; j < 8; j++)
            key[j] = (unsigned char)(number >> 8 * j & 255);
        lost += !bloom_reader_may_contain(memory, key, 8);
    }
}

int main(void)
{
    uint64_t trial;
    unsigned wrong = refused();
    for (trial = 1; lookups < LOOKUPS; trial++) {
        uint64_t keys, most = trial % 500 == 0 ? UINT32_MAX - 63U
                       : trial % 5 == 0 ? 1000000 : 6400;
        bloom_plan plan = { 0, 0, 0, BLOOM_CLASSIC, 32 };
        bloom *b;
        random_state = trial;
        plan.cells = trial % 1000 == 0 ? most
                   : (1 + random64() % (most / 64)) * 64;
        plan.seed = random64() % 4 ? random64() : 0;
        plan.hashes = (uint8_t)(1 + random64() % (trial % 2 ? 64 : 8));
        keys = plan.cells / plan.hashes;
        b = bloom_create(plan);
        if (!b)
            return printf("no memory\n0 passed, 1 failed\n"), 1;
        compare(b, trial, keys < 1000 ? keys : 1000);
        bloom_free(b);
    }
    integers();
    printf("reader.h: %lu lookups in %lu filters, %lu maybe: %lu differ from "
           "bloom.h, %lu keys are lost\n", lookups, (unsigned long)trial - 1,
           maybes, differ, lost);
    wrong = (differ > 0 ? 1U : 0) + (lost > 0 ? 1U : 0) + (wrong > 0 ? 1U : 0)
          + (maybes < LOOKUPS / 2 ? 1U : 0);
    printf("%u passed, %u failed\n", 4 - wrong, wrong);
    return wrong > 0;
}
