/* When does a filter before a hash table save time? (`make bench`) Looks up
   keys of which 1 to 100% are in the table, with and without a filter that says
   for most of the others that they are not. Prints nanoseconds per lookup,
   the least of ROUNDS rounds, for 10^6 and 10^7 keys.

   The table has open addressing and a load of at most 1/2: it takes one cache
   miss for most lookups. A table that is slower, or on a disk, gains more. */
#define BLOOM_STATIC
#define _POSIX_C_SOURCE 200809L
#include "bloom.h"
#include "clock.h"
#include <stdio.h>
#include <stdlib.h>

enum { ASKED = 1 << 21, ROUNDS = 7 };

typedef struct table { uint64_t *key, *value, mask; } table;

static uint64_t mix(uint64_t x)         /* fmix64: key number x */
{
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCDU;
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53U;
    return (x ^ x >> 33) | 1;           /* 0 is a free slot */
}

static uint64_t *slot(const table *t, uint64_t key)
{
    uint64_t at = key * 0x9E3779B97F4A7C15U >> 20;
    while (t->key[at & t->mask] != 0 && t->key[at & t->mask] != key)
        at++;
    return &t->key[at & t->mask];
}

static uint64_t find(const table *t, uint64_t key)
{
    const uint64_t *found = slot(t, key);
    return *found ? t->value[found - t->key] : 0;
}

static uint64_t sum;                    /* so that no lookup is left out */

/* Nanoseconds per lookup; b may be NULL. */
static double time_of(const table *t, const bloom *b, const uint64_t *asked)
{
    const double from = now();
    unsigned i;
    for (i = 0; i < ASKED; i++)
        if (!b || bloom_may_contain_u64(b, asked[i]))
            sum += find(t, asked[i]);
    return (now() - from) / ASKED;
}

/* The two take turns, so that a slow moment of the machine meets both. */
static void compare(const table *t, const bloom *b, const uint64_t *asked)
{
    double best[2] = { 1e9, 1e9 };
    unsigned round;
    for (round = 0; round < 2 * ROUNDS; round++) {
        const double ns = time_of(t, round % 2 ? b : NULL, asked);
        best[round % 2] = ns < best[round % 2] ? ns : best[round % 2];
    }
    printf("%12.1f %12.1f\n", best[0], best[1]);
}

static void measure(uint64_t n)
{
    static const unsigned percents[] = { 1, 10, 50, 55, 70, 85, 100 };
    bloom *b = bloom_create(bloom_plan_layout(n, 0.01, BLOOM_BLOCKED));
    uint64_t *asked = (uint64_t *)malloc(ASKED * sizeof *asked), i, key;
    table t = { NULL, NULL, 1 };
    size_t p;
    while (t.mask + 1 < 2 * n)
        t.mask = 2 * t.mask + 1;
    t.key = (uint64_t *)calloc(t.mask + 1, 8);
    t.value = (uint64_t *)calloc(t.mask + 1, 8);
    if (!b || !asked || !t.key || !t.value)
        exit(2);
    for (i = 0; i < n; i++) {
        key = mix(i);
        *slot(&t, key) = key;
        t.value[slot(&t, key) - t.key] = i + 1;
        bloom_add_u64(b, key);
    }
    for (p = 0; p < sizeof percents / sizeof *percents; p++) {
        for (i = 0; i < ASKED; i++) {
            key = mix(i * 31 + p) >> 1;
            asked[i] = mix(key % 100 < percents[p] ? key % n : n + key);
        }
        printf("%9lu %4u%%", (unsigned long)n, percents[p]);
        compare(&t, b, asked);
    }
    bloom_free(b);
    free(asked);
    free(t.key);
    free(t.value);
}

int main(void)
{
    puts("     keys  hits  table only  with filter   ns per lookup");
    measure(1000000);
    measure(10000000);
    return sum == 0;
}
