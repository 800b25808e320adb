/* Measures the rates that `parquet memory` prints. For each size in bits per
   key, it makes a filter of 10^6 integers, hashed by XXH64 as Parquet requires,
   and measures its rate in two ways:
   by its cells: an absent key chooses one bit of each of the 8 words of a
       block. So its chance to be accepted is the mean, over all blocks, of the
       product of the words' shares of set bits. It must be within 2% of the
       printed rate.
   by lookups: of 10^7 integers that were not added, or of LOOKUPS. As many must
       be accepted as the printed rate predicts, within 2% and 4 sigma.
   Run by run.sh:     parquet memory | memory [LOOKUPS]
   The keys are counted up, so each run has the same result. */
#define BLOOM_STATIC
#include "bloom.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { KEYS = 1000000, GROUP = 250 };   /* GROUP keys are hashed at a time */
static double lookups = 1e7;

static bloom_hash hash_of(uint64_t key)
{
    unsigned char plain[8];
    bloom_hash h = { 0, 0 };
    unsigned i;
    for (i = 0; i < 8; i++)
        plain[i] = (unsigned char)(key >> 8 * i);
    h.h1 = XXH64(plain, 8, 0);
    return h;
}

/* Adds the next `count` keys, or looks them up. Returns how many were new, or
   how many may be in. */
static double next_keys(bloom *b, uint64_t *key, double count, bool add)
{
    bloom_hash h[GROUP];
    double done, result = 0;
    unsigned i;
    for (done = 0; done < count; done += GROUP) {
        for (i = 0; i < GROUP; i++)
            h[i] = hash_of((*key)++);
        result += (double)(add ? bloom_add_many_hash(b, h, GROUP, NULL)
                           : bloom_may_contain_many_hash(b, h, GROUP, NULL));
    }
    return result;
}

static double rate_by_cells(const bloom *b)
{
    const unsigned char *bits = (const unsigned char *)b + BLOOM_HEADER_SIZE;
    uint64_t blocks = bloom_plan_of(b).cells / 256, i;
    double sum = 0;
    for (i = 0; i < blocks; i++) {
        double chance = 1;
        unsigned word, bit;
        for (word = 0; word < 8; word++, bits += 4) {
            unsigned set = 0;
            for (bit = 0; bit < 32; bit++)
                set += bits[bit / 8] >> bit % 8 & 1;
            chance *= set / 32.0;
        }
        sum += chance;
    }
    return sum / (double)blocks;
}

/* Returns 1 if a rate differs from the printed one. */
static int differs(double bits_per_key, double printed)
{
    static uint64_t key;                /* no key is used twice */
    bloom_plan plan = { 0, 0, 8, BLOOM_BLOCKED, 64 };
    double by_cells, accepted, sigma = sqrt(lookups * printed * (1 - printed));
    bool right;
    bloom *b;
    plan.cells = 256 * (uint64_t)ceil(bits_per_key * KEYS / 256);
    b = bloom_create(plan);
    if (!b)
        return 1;
    next_keys(b, &key, KEYS, true);
    by_cells = rate_by_cells(b);
    accepted = next_keys(b, &key, lookups, false);
    bloom_free(b);
    right = fabs(by_cells / printed - 1) < 0.02
        && fabs(accepted - lookups * printed)
           < 0.02 * lookups * printed + 4 * sigma;
    printf("parquet memory: %5.2f bits per key: rate %.3g; measured %.4g by "
           "cells, %.4g by lookups%s\n", bits_per_key, printed, by_cells,
           accepted / lookups, right ? "" : ": WRONG");
    return !right;
}

int main(int count, char **words)
{
    char line[256];
    double p, exact, table, table_rate, formula, formula_rate;
    int rows = 0, wrong = 0;
    if (count > 1)
        lookups = ceil(strtod(words[1], NULL) / GROUP) * GROUP;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%lf %lf %lf %lf %lf %lf", &p, &exact, &table,
                   &table_rate, &formula, &formula_rate) != 6)
            continue;
        rows++;
        wrong += differs(exact, p);
        wrong += differs(table, table_rate);
        wrong += differs(formula, formula_rate);
    }
    return rows != 5 || wrong > 0;
}
