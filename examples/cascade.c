/* A cascade of filters: exact answers about a known universe of keys, as
   browsers keep the list of revoked certificates (CRLite, Larisch et al. 2017).

   A key from outside the universe gets any answer, without a warning. So a
   cascade suits a set whose complement is known, too: all certificates in the
   public logs, all files of a release, all accounts.

   Level 0 is a filter of the revoked keys. Some valid keys are false positives
   of it: level 1 is a filter of these. Some revoked keys are false positives of
   level 1: level 2 is a filter of those; and so on, until there are none. To
   look up a key, go down to the first level that does not contain it. If the
   number of that level is odd, the key is revoked.

   Level 0 has the rate r / (s * sqrt(2)) for r revoked and s valid keys, and
   the others have 0.5, as in CRLite. The least that any list can take is its
   entropy, the logarithm of the number of possible lists. Other structures like
   clubcards come nearer to it. If one key changes, the cascade must be made
   anew.

   Prints:
       10000 of 1000000 keys are revoked: 19 levels, 137152 bits of cells
       13.7 bits per revoked key; no list of them takes less than 8.1
       0 wrong answers about 1000000 keys
       0.5% of keys from outside are called revoked */
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNIVERSE = 1000000, REVOKED = 10000, MOST = 64 };

typedef struct list { uint64_t *key; size_t count; } list;

static bloom *level[MOST];
static unsigned levels;

static void *need(void *memory)
{
    if (!memory) {
        fputs("cascade: not enough memory\n", stderr);
        exit(2);
    }
    return memory;
}

/* Makes a filter of the keys in `in`, and returns the keys of `out` that are
   false positives. Each level has a seed of its own: with the same seed, the
   false positives of one level would be likely in others. */
static list add_level(list in, list out, double p)
{
    bloom_plan plan = bloom_plan_for(in.count, p);
    list both = { (uint64_t *)need(malloc((out.count + 1) * sizeof *out.key)),
                  0 };
    size_t i;
    plan.seed = levels;
    level[levels] = (bloom *)need(bloom_create(plan));
    bloom_add_many_u64(level[levels], in.key, in.count, NULL);
    for (i = 0; i < out.count; i++)
        if (bloom_may_contain_u64(level[levels], out.key[i]))
            both.key[both.count++] = out.key[i];
    levels++;
    return both;
}

static void make_cascade(list revoked, list valid)
{
    double p = (double)revoked.count / ((double)valid.count * 1.41421356);
    list in = revoked, out = valid, next;
    while (in.count > 0 && levels < MOST) {
        next = add_level(in, out, p < 0.5 ? p : 0.5);
        if (levels > 2)
            free(out.key);              /* a list made by add_level */
        out = in;
        in = next;
        p = 0.5;
    }
    if (in.count > 0) {
        fputs("cascade: a key is both revoked and valid\n", stderr);
        exit(2);
    }
    free(in.key);
    if (levels > 1)
        free(out.key);
}

static bool is_revoked(uint64_t key)
{
    unsigned i = 0;
    while (i < levels && bloom_may_contain_u64(level[i], key))
        i++;
    return i % 2 == 1;
}

/* A different number for each i: the serial number of a certificate */
static uint64_t serial(uint64_t i)
{
    return i * 0x9E3779B97F4A7C15U ^ i >> 7;
}

int main(void)
{
    static uint64_t revoked[REVOKED], valid[UNIVERSE];
    list in = { revoked, 0 }, out = { valid, 0 };
    uint64_t i, cells = 0, wrong = 0, outside = 0;
    double entropy = 0, lists = 1;      /* lists * 2^entropy are possible */
    for (i = 0; i < UNIVERSE; i++)
        if (i % (UNIVERSE / REVOKED) == 0)
            revoked[in.count++] = serial(i);
        else
            valid[out.count++] = serial(i);
    make_cascade(in, out);
    for (i = 0; i < levels; i++)
        cells += bloom_plan_of(level[i]).cells;
    for (i = 0; i < UNIVERSE; i++)
        wrong += is_revoked(serial(i)) != (i % (UNIVERSE / REVOKED) == 0);
    for (; i < 2 * UNIVERSE; i++)
        outside += is_revoked(serial(i));
    for (i = 0; i < REVOKED; i++)
        for (lists *= (double)(UNIVERSE - i) / (double)(REVOKED - i);
             lists >= 2; lists /= 2)
            entropy++;
    printf("%d of %d keys are revoked: %u levels, %" PRIu64 " bits of cells\n",
           REVOKED, UNIVERSE, levels, cells);
    printf("%.1f bits per revoked key; no list of them takes less than %.1f\n",
           (double)cells / REVOKED, entropy / REVOKED);
    printf("%" PRIu64 " wrong answers about %d keys\n", wrong, UNIVERSE);
    printf("%.1f%% of keys from outside are called revoked\n",
           100.0 * (double)outside / UNIVERSE);
    while (levels > 0)
        bloom_free(level[--levels]);
    return wrong != 0;
}
