/* Prints the nanoseconds that bloom_add_many_u64 of build/libbloom.so takes for
   each of 10^7 integers, the least of 5 passes. For tests/languages/run.sh. */
#define _POSIX_C_SOURCE 200809L
#define BLOOM_API extern
#include "../../bloom.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void)
{
    size_t n = 10000000, i;
    uint64_t *keys = malloc(n * sizeof *keys);
    double least = 1e18;
    int pass;
    for (i = 0; keys && i < n; i++)
        keys[i] = i;
    for (pass = 0; keys && pass < 5; pass++) {
        bloom *b = bloom_create(bloom_plan_layout(n, 0.01, BLOOM_BLOCKED));
        double start = now();
        if (!b)
            return 1;
        bloom_add_many_u64(b, keys, n, NULL);
        start = now() - start;
        least = start < least ? start : least;
        bloom_free(b);
    }
    free(keys);
    printf("%.2f\n", least / (double)n);
    return 0;
}
