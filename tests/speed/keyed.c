/* The price of a keyed hash (`make keyed`): nanoseconds per key of MurmurHash3,
   which bloom_add uses, and of bloom_keyed.h's SipHash-2-4, in one process. The
   rounds of both alternate, and the best of each counts. The last two rows are
   lookups of absent keys in a blocked filter of 10^6 keys at 1%. */
#define _POSIX_C_SOURCE 199309L
#define BLOOM_STATIC
#include "bloom.h"
#include "examples/companions/bloom_keyed.h"
#include "clock.h"
#include <stdio.h>

enum { KEYS = 1 << 16, MOST = 1024, ROUNDS = 40 };

static unsigned char text[KEYS + MOST];
static const unsigned char secret[16] = "0123456789abcde";
static uint64_t sum;                    /* so that no call is left out */

/* Hashes KEYS keys of `size` bytes (0: integers), which overlap. If b is not
   NULL, looks them up as well. */
static double time_of(bool keyed, size_t size, const bloom *b,
                      const bloom *like)
{
    const double start = now();
    bloom_hash h;
    size_t i;
    for (i = 0; i < KEYS; i++) {
        if (keyed)
            h = size ? bloom_keyed_hash(secret, text + i, size)
                     : bloom_keyed_u64(secret, i);
        else
            h = size ? bloom_hash_key(like, text + i, size)
                     : bloom_hash_u64(like, i);
        sum += b ? bloom_may_contain_hash(b, h) : h.h1 ^ h.h2;
    }
    return (now() - start) / KEYS;
}

static void row(const char *name, size_t size, const bloom *b,
                const bloom *like)
{
    double best[2] = { 1e9, 1e9 }, took;
    unsigned i;
    for (i = 0; i < 2 * ROUNDS; i++) {
        took = time_of(i % 2 != 0, size, b, like);
        best[i % 2] = took < best[i % 2] ? took : best[i % 2];
    }
    printf("%-24s %11.1f %12.1f %6.1f\n", name, best[0], best[1],
           best[1] / best[0]);
}

int main(void)
{
    static const struct { size_t size; const char *name; } sizes[] = {
        { 0, "integer" }, { 8, "8 bytes" }, { 16, "16 bytes" },
        { 32, "32 bytes" }, { 64, "64 bytes" }, { 256, "256 bytes" },
        { 1024, "1024 bytes" } };
    bloom *b = bloom_create(bloom_plan_layout(1000000, 0.01, BLOOM_BLOCKED));
    size_t i;
    if (!b)
        return 2;
    for (i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i * i * 7919 >> 11 & 255);
    for (i = 0; i < 1000000; i++)
        bloom_add_u64(b, ~(uint64_t)i);
    puts("ns per key               MurmurHash3  SipHash-2-4  ratio");
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++)
        row(sizes[i].name, sizes[i].size, NULL, b);
    row("integer, and a lookup", 0, b, b);
    row("32 bytes, and a lookup", 32, b, b);
    bloom_free(b);
    return sum == 1;
}
