/* What promise.c and exact.c share: random numbers, means with their errors,
   and how a broken promise is told. Each is one file that includes this. */

#define BLOOM_STATIC
#include "bloom.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1024                 /* keys at once */

static uint64_t state;

static inline uint64_t random64(void)
{
    uint64_t z = state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

static double effort = 1;          /* lookups, as a multiple of the default */
static int broken;

static inline void promise(int kept, const char *what)
{
    if (!kept && broken < 100)          /* no more lines than help */
        printf("\n    BROKEN: %s\n", what);
    broken += !kept;
}

static inline void *need(void *memory)
{
    if (!memory) {
        fputs("bloom: promise: not enough memory\n", stderr);
        exit(2);
    }
    return memory;
}

/* ---- Means and their errors --------------------------------------------- */

typedef struct { double rate, sigma; } measure;

/* What was seen of each filter: its rate, and the variance that this one
   observation has by itself (from counting "maybe"s, say). */
typedef struct { double filters, sum, squares, own; } tally;

static inline void observe(tally *t, double rate, double own)
{
    t->filters++;
    t->sum += rate;
    t->squares += rate * rate;
    t->own += own;
}

/* The mean over the filters and its standard error: from how the filters
   differ, or from the observations' own errors if these are larger, as they
   are by luck where filters are few. */
static inline measure mean_of(tally t)
{
    measure m;
    double f = t.filters, among = 0;
    m.rate = t.sum / f;
    if (f > 1)
        among = (t.squares / f - m.rate * m.rate) / (f - 1);
    m.sigma = sqrt(fmax(among, t.own / (f * f)));
    return m;
}

static bool is_option(const char *word)
{
    if (strcmp(word, "all") == 0)
        effort = 8;
    else if (strncmp(word, "seed=", 5) == 0)
        state = strtoull(word + 5, NULL, 0);
    else
        return false;
    return true;
}

static int say_what(const char *word)
{
    fprintf(stderr, "bloom: promise: what is %s?\n", word);
    return 2;
}

static int ending(void)
{
    printf(broken ? "%d promises broken\n" : "every promise kept\n", broken);
    return broken != 0;
}
