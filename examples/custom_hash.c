/* custom_hash: how to use your own hash, and what a hash does to the rate.

   Hash the key yourself, and call bloom_add_hash and bloom_may_contain_hash, as
   xxh3() below shows for XXH3_128bits of libxxhash, which is faster than the
   MurmurHash3 of bloom.h. Such a filter has other bytes than one whose keys
   bloom.h hashes, so all programs that use it need the same hash. To try it
   (Debian: libxxhash-dev): cc -O2 -I. -DXXH3 examples/custom_hash.c -lxxhash

   First, the string hashes of textbooks, BKDR, AP and DJB, are compared with
   MurmurHash3. The keys are addresses of pages, which differ in a number only.
   The pages with even numbers are added to filters planned for p = 1%. Then the
   odd numbers between them are looked up, and later, higher numbers. With a
   good hash, the false-positive rate is about 1% for both.

   Second, an attacker who knows the seed and all bits of a filter crafts keys:
   either keys that share no cells and so fill the filter, or keys that are all
   false positives. Both attacks fail if the hash is keyed with a secret, as by
   examples/companions/bloom_keyed.h, which is SipHash-2-4.

   Third, bloom_fpr computes the rate from the number of cells that are set, as
   if hashes were random. So it cannot notice hashes of your own that are not:
   with h2 = 0, all k cells of a key are the same one, and the filter looks
   almost empty. A 32-bit filter ignores the low halves of h1 and h2, so small
   numbers all have the same cell.

   Prints:
       false-positive rate, pages    odd    later    ns
       MurmurHash3                 1.02%    0.99%   ...
       XXH3_128bits              ...
       BKDR, AP, DJB raw           9.39%    0.09%   ...
       BKDR, AP mixed              1.01%    1.01%   ...
       bloom_keyed.h               1.01%    1.02%   ...
       false-positive rate of       plain    keyed  keys tried
       pages, filled by attacker  11.11%    1.00%     6053188
       keys of the attacker      100.00%    0.91%     1003569
       hashes of your own       measured bloom_fpr
       MurmurHash3                 1.00%    1.00%
       { h, 0 }                    9.92%    0.00%
       { h, h }, h < 2^32        100.00%    0.00% */
#define BLOOM_STATIC
#include "companions/bloom_keyed.h"     /* which includes bloom.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- A fast hash from a library ------------------------------------------ */

#ifdef XXH3
#include <xxhash.h>

static bloom_hash xxh3(const void *key, size_t size)
{
    XXH128_hash_t of_key = XXH3_128bits(key, size);
    bloom_hash h = { of_key.low64, of_key.high64 };
    return h;
}
#endif

/* ---- Textbook hashes of 32 bits -----------------------------------------
   Their weakness: keys often differ in their last characters only, and those
   change only the low bits of the hash. */

/* BKDR is times(131, 0, key), and DJB is times(33, 5381, key). */
static uint32_t times(uint32_t factor, uint32_t h, const char *key)
{
    while (*key)
        h = h * factor + (unsigned char)*key++;
    return h;
}

static uint32_t ap(const char *key)
{
    uint32_t h = 0;
    unsigned i;
    for (i = 0; key[i]; i++)
        h ^= i % 2 ? ~(h << 11 ^ (unsigned char)key[i] ^ h >> 5)
                   : h << 7 ^ (unsigned char)key[i] ^ h >> 3;
    return h;
}

/* ---- Ways to hash a key for a filter ------------------------------------- */

enum way { MURMUR3, LIBRARY, RAW, MIXED, KEYED, NO_STEP, SMALL };

static bloom_hash hash(enum way way, const bloom *b, const char *key)
{
    /* A real program gets a new secret at each start, by getrandom() say. */
    static const unsigned char secret[16] = {
        0x24, 0x3F, 0x6A, 0x88, 0x85, 0xA3, 0x08, 0xD3,
        0x13, 0x19, 0x8A, 0x2E, 0x03, 0x70, 0x73, 0x44 };
    bloom_hash h;
    switch (way) {
#ifdef XXH3
    case LIBRARY:
        return xxh3(key, strlen(key));
#endif
    case RAW:                   /* wrong: these bits are not like random ones */
        h.h1 = (uint64_t)times(131, 0, key) << 32 | times(33, 5381, key);
        h.h2 = (uint64_t)ap(key) << 32;
        return h;
    case MIXED:                 /* right: bloom_hash_u64 mixes the bits */
        return bloom_hash_u64(b, (uint64_t)times(131, 0, key) << 32 | ap(key));
    case KEYED:                 /* right, and safe against attackers */
        return bloom_keyed_hash(secret, key, strlen(key));
    case NO_STEP:               /* wrong: the k cells are one */
        h.h1 = bloom_hash_key(b, key, strlen(key)).h1;
        h.h2 = 0;
        return h;
    case SMALL:                 /* wrong: the high halves are 0 */
        h.h1 = bloom_hash_key(b, key, strlen(key)).h1 & UINT32_MAX;
        h.h2 = h.h1;
        return h;
    default:
        return bloom_hash_key(b, key, strlen(key));
    }
}

/* ---- Rates and costs ----------------------------------------------------- */

#define PAGES 500000
#define FEW 10000                       /* keys that the attacker crafts */
static char keys[PAGES][40];

static void make_pages(unsigned first, unsigned step)
{
    unsigned i;
    for (i = 0; i < PAGES; i++)
        sprintf(keys[i], "http://example.com/page/%u", first + i * step);
}

static void add_keys(enum way way, bloom *b, int count)
{
    int i;
    for (i = 0; i < count; i++)
        bloom_add_hash(b, hash(way, b, keys[i]));
}

/* The percentage of the keys that may be in b */
static double percent(enum way way, const bloom *b, int count)
{
    int i, maybes = 0;
    for (i = 0; i < count; i++)
        maybes += bloom_may_contain_hash(b, hash(way, b, keys[i]));
    return 100.0 * maybes / count;
}

static bloom *create(bloom_plan plan)
{
    bloom *b = bloom_create(plan);
    if (b)
        return b;
    fprintf(stderr, "custom_hash: filter: not enough memory\n");
    exit(2);
}

static void compare(enum way way, const char *name)
{
    double odd, later;
    clock_t start;
    bloom *b = create(bloom_plan_hashes(PAGES, 0.01, 3));
    make_pages(0, 2);
    add_keys(way, b, PAGES);
    make_pages(1, 2);
    odd = percent(way, b, PAGES);
    make_pages(2 * PAGES, 1);
    start = clock();
    later = percent(way, b, PAGES);
    printf("%-25s %6.2f%% %7.2f%% %5.0f\n", name, odd, later,
           (double)(clock() - start) * 1e9 / CLOCKS_PER_SEC / PAGES);
    bloom_free(b);
}

/* ---- The attacker, who knows the seed and all bits of a filter ----------- */

/* Would the key set k cells that no crafted key has set? If so, marks them. */
static bool all_new(const bloom *b, const char *key)
{
    static bool taken[FEW * 10];        /* m is 9.6 n */
    uint64_t cells[64];
    unsigned i, k = bloom_probes(b, bloom_hash_key(b, key, strlen(key)), cells);
    for (i = 0; i < k; i++)
        if (taken[cells[i]])
            return false;
    for (i = 0; i < k; i++)
        taken[cells[i]] = true;
    return true;
}

/* Crafts FEW keys: to_fill: keys that share no cell; else: false positives.
   Returns how many keys were tried. */
static unsigned craft(const bloom *b, bool to_fill)
{
    unsigned found = 0, tries = 0;
    while (found < FEW) {
        int size = sprintf(keys[found], "http://evil.example/%u", tries++);
        found += to_fill ? all_new(b, keys[found])
                         : bloom_may_contain(b, keys[found], (size_t)size);
    }
    return tries;
}

/* Prints the rate of a plain filter under attack, and that of a keyed one. */
static void attack(bool to_fill, const char *name)
{
    bloom_plan plan = bloom_plan_for(FEW, 0.01);
    bloom *b = create(plan), *keyed = create(plan);
    unsigned tries = 0;
    int asked = to_fill ? PAGES : FEW;
    make_pages(0, 1);
    if (to_fill)
        tries = craft(b, true);
    add_keys(MURMUR3, b, FEW);
    add_keys(KEYED, keyed, FEW);
    if (to_fill)
        make_pages(0, 1);
    else
        tries = craft(b, false);
    printf("%-25s %6.2f%% %7.2f%% %11u\n", name, percent(MURMUR3, b, asked),
           percent(KEYED, keyed, asked), tries);
    bloom_free(b);
    bloom_free(keyed);
}

/* ---- What bloom_fpr cannot notice --------------------------------------- */

static void own(enum way way, unsigned hash_bits, const char *name)
{
    bloom_plan plan = bloom_plan_for(PAGES, 0.01);
    bloom *b;
    plan.hash_bits = (uint8_t)hash_bits;
    b = create(plan);
    make_pages(0, 1);
    add_keys(way, b, PAGES);
    make_pages(PAGES, 1);
    printf("%-25s %6.2f%% %7.2f%%\n", name, percent(way, b, PAGES),
           100 * bloom_fpr(b));
    bloom_free(b);
}

int main(int count, char **arguments)
{
    if (count > 1) {
        fprintf(stderr, "custom_hash: %s: custom_hash takes no arguments\n",
                arguments[1]);
        return 2;
    }
    puts("false-positive rate, pages    odd    later    ns");
    compare(MURMUR3, "MurmurHash3");
#ifdef XXH3
    compare(LIBRARY, "XXH3_128bits");
#else
    puts("XXH3_128bits              (see the top of custom_hash.c)");
#endif
    compare(RAW, "BKDR, AP, DJB raw");
    compare(MIXED, "BKDR, AP mixed");
    compare(KEYED, "bloom_keyed.h");
    puts("false-positive rate of       plain    keyed  keys tried");
    attack(true, "pages, filled by attacker");
    attack(false, "keys of the attacker");
    puts("hashes of your own       measured bloom_fpr");
    own(MURMUR3, 64, "MurmurHash3");
    own(NO_STEP, 64, "{ h, 0 }");
    own(SMALL, 32, "{ h, h }, h < 2^32");
    return 0;
}
