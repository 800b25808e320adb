/* Adding integers one by one, when nobody asks whether they are new. With
   BLOOM_STATIC, a compiler may then leave out the work that tells it. This is a
   file of its own, as gcc does so only if no call in the file uses the result.
   For count.c and bench.c. */
#define BLOOM_STATIC
#include "bloom.h"
#include "bench.h"

/* Returns the number of keys, as the number of new ones is not known. */
LOOP(dropped, bloom, ((void)bloom_add_u64(f, k.u64[i]), 1U))

uint64_t add_dropped(void *filter, keys k)
{
    return dropped(filter, k);
}

void dropped_enter(void)
{
    static const char *const names[] = { "classic, result dropped",
                                         "blocked, result dropped" };
    int layout;
    for (layout = 0; run.kind == U64 && layout < 2; layout++) {
        contender c = { NULL, SINGLE, NOTHING, NULL, 0, clear_ours, add_dropped,
                        NULL };
        c.name = names[layout];
        c.filter = bloom_create(bloom_plan_of(ours[layout]));
        enter(c);
    }
}
