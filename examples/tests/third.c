/* Run by run.sh: tests the code of "Keys that occur several times" in
   examples/README.md, which run.sh copies to build/third.h. Of 600,000 keys in
   random order, a third come once, a third twice, and the others four times.
   Ends with "N passed, N failed". */
#define BLOOM_STATIC
#include "bloom.h"
#include "tests/random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "build/third.h"

enum { KEYS = 600000, ALL = KEYS / 3 * 7 };

static uint64_t order[ALL];
static unsigned char times[KEYS];

static void shuffle(void)
{
    size_t i, j, count = 0;
    for (i = 0; i < KEYS; i++)
        for (j = 0; j < (i % 3 == 2 ? 4 : i % 3 + 1); j++)
            order[count++] = i;
    for (i = ALL - 1; i > 0; i--) {
        uint64_t key = order[i];
        j = (size_t)below((unsigned)i + 1);
        order[i] = order[j];
        order[j] = key;
    }
}

/* Is a rate at most p, but for four standard deviations? */
static int at_most(const char *when, double wrong, double all, double p)
{
    int good = wrong <= all * p + 4 * sqrt(all * p);
    printf("at the %s time: %g of %g are true, at most %g are expected%s\n",
           when, wrong, all, all * p, good ? "" : ": FAILED");
    return good;
}

int main(void)
{
    const double p = 0.01;
    bloom *once = bloom_new(KEYS, p), *twice = bloom_new(KEYS, p);
    unsigned long came[4] = { 0, 0, 0, 0 }, told[4] = { 0, 0, 0, 0 };
    size_t i;
    int passed;
    if (!once || !twice)
        return 1;
    shuffle();
    for (i = 0; i < ALL; i++) {
        unsigned time = times[order[i]]++;
        came[time]++;
        told[time] += third_time(once, twice, &order[i], sizeof order[i]);
    }
    /* p / 4: until the end, the filters are far from full. */
    passed = at_most("first", (double)told[0], (double)came[0], p * p)
        + at_most("second", (double)told[1], (double)came[1], p / 4);
    printf("later: %lu of %lu are true\n", told[2] + told[3],
           came[2] + came[3]);
    passed += told[2] == came[2] && told[3] == came[3] && came[2] == KEYS / 3;
    bloom_free(once);
    bloom_free(twice);
    printf("%d passed, %d failed\n", passed, 3 - passed);
    return passed < 3;
}
