/* parquet_memory.h: how many bits per key a Parquet filter needs; part of
   parquet.c.

   The rate is the exact sum of Putze, Sanders and Singler 2007, section 3. n
   keys fall into m / 256 blocks, at random. A block with j keys accepts an
   absent key with probability (1 - (31/32)^j)^8, and j has the binomial
   distribution. bloom_plan_fpr computes this sum, with j * 2^-32 added to the
   probability. This term is right for Parquet, too: the bits that a key sets in
   its block depend on 32 bits of its hash, and with probability 2^-32 an absent
   key has the same 32 bits as a key of the block. For a rate of 0.00001, this
   adds 0.015% to the rate. */
#ifndef BLOOM_PARQUET_MEMORY_H
#define BLOOM_PARQUET_MEMORY_H

#include <math.h>

#define MEMORY_KEYS 1e6                 /* for more keys, all digits that are
                                           printed stay the same */

static double rate_of_blocks(double blocks)
{
    bloom_plan plan = { 256 * (uint64_t)blocks, 0, 8, BLOOM_BLOCKED, 64 };
    return bloom_plan_fpr(plan, (uint64_t)MEMORY_KEYS);
}

static double rate_of_bits(double bits_per_key)
{
    return rate_of_blocks(ceil(bits_per_key * MEMORY_KEYS / 256));
}

/* The least memory that keeps the rate p. The rate falls with the number of
   blocks. */
static double least_bits(double p)
{
    double too_few = 0, enough = MEMORY_KEYS;
    while (enough - too_few > 1) {
        double middle = floor((too_few + enough) / 2);
        if (rate_of_blocks(middle) > p)
            too_few = middle;
        else
            enough = middle;
    }
    return enough * 256 / MEMORY_KEYS;
}

/* Prints a row for each rate p. Its columns are: p; the least bits per key that
   keep p; those of the table in Parquet's specification, and the rate that a
   filter of this size has; those of the formula that Arrow and parquet-java
   use, and the rate. The formula is the one for classic filters with k = 8. It
   would hold if a key could set its bits anywhere in the filter. */
static void print_memory(void)
{
    static const struct { const char *p; double bits; } table[] = {
        { "0.1", 6.0 }, { "0.01", 10.5 }, { "0.001", 16.9 }, { "0.0001", 26.4 },
        { "0.00001", 41.0 } };
    size_t i;
    puts("rate p    exact    specification        formula");
    puts("          bits     bits   rate          bits    rate");
    for (i = 0; i < sizeof table / sizeof *table; i++) {
        double p = strtod(table[i].p, NULL);
        double formula = -8 / log(1 - pow(p, 1 / 8.0));
        printf("%-7s   %5.2f    %4.1f   %-12.3g  %5.2f   %.3g\n", table[i].p,
               least_bits(p), table[i].bits, rate_of_bits(table[i].bits),
               formula, rate_of_bits(formula));
    }
}
#endif
