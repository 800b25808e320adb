/* Prints the nanoseconds that bloom_add_many_u64 of build/libbloom.so takes for
   each of 10^7 integers. For test_filter.py. */
#define _POSIX_C_SOURCE 200809L
#define BLOOM_API extern
#include "bloom.h"
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
    bloom *b = bloom_create(bloom_plan_layout(n, 0.01, BLOOM_BLOCKED));
    double start;
    if (!keys || !b)
        return 1;
    for (i = 0; i < n; i++)
        keys[i] = i;
    start = now();
    bloom_add_many_u64(b, keys, n, NULL);
    printf("%.2f\n", (now() - start) / (double)n);
    bloom_free(b);
    free(keys);
    return 0;
}
