/* Measures the CPU time of bloom_plan_for and bloom_plan_layout in microseconds
   (`make bench`), for many p and each n. A time is the least of several passes.
   It prints the mean and the worst over p, and whether the limit of 100
   microseconds is met. Exceeding it does not change the exit status. */

#define _POSIX_C_SOURCE 200809L
#define BLOOM_STATIC
#include "bloom.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { PASSES = 7, RATES = 40 };

extern volatile uint64_t sink;
volatile uint64_t sink;                 /* compilers must not drop a plan */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double microseconds(uint64_t n, double p, bloom_layout layout)
{
    double least = 1e9, start, spent;
    int pass, i, many = 1;
    for (pass = 0; pass < PASSES; pass++) {
        start = seconds();
        for (i = 0; i < many; i++)
            sink = bloom_plan_layout(n, p, layout).cells;
        spent = (seconds() - start) * 1e6 / many;
        many = spent > 200 ? 1 : (int)(200 / (spent + 1)) + 1;
        least = fmin(least, spent);
    }
    return least;
}

/* Returns the worst time of all p, and adds to *mean their mean. */
static double worst_of(double n, bloom_layout layout, double *mean)
{
    double worst = 0, spent;
    int i;
    for (i = 0; i < RATES; i++) {
        double p = 0.5 * pow(2e-12, i / (RATES - 1.0));
        spent = microseconds((uint64_t)n, p, layout);
        worst = fmax(worst, spent);
        *mean += spent / RATES;
    }
    return worst;
}

int main(void)
{
    static const double ns[] = { 1, 2, 3, 5, 10, 20, 50, 100, 1e3, 1e4, 1e5, 1e6,
                                 1e7, 1e9, 1e12 };
    double worst[3] = { 0, 0, 0 };
    static const double most[3] = { 100, 100, 100 };
    static const char *const of[3] = { "fewer than 100 keys", "100 to 10^6 keys",
                                       "more keys" };
    unsigned i;
    printf("microseconds per plan, p from 0.5 to 10^-12: mean, worst\n"
           "      n      bloom_plan_for    BLOOM_BLOCKED\n");
    for (i = 0; i < sizeof ns / sizeof *ns; i++) {
        double mean = 0, mean_b = 0;
        double classic = worst_of(ns[i], BLOOM_CLASSIC, &mean);
        double blocked = worst_of(ns[i], BLOOM_BLOCKED, &mean_b);
        unsigned range = ns[i] < 100 ? 0 : ns[i] <= 1e6 ? 1 : 2;
        printf("%8.0e  %8.1f %8.1f %8.1f %8.1f\n", ns[i], mean, classic, mean_b,
               blocked);
        worst[range] = fmax(worst[range], fmax(classic, blocked));
    }
    for (i = 0; i < 3; i++)
        printf("%s the worst plan for %s: %.1f of %.0f microseconds\n",
               worst[i] <= most[i] ? "met     " : "NOT MET ", of[i], worst[i],
               most[i]);
    return 0;
}
