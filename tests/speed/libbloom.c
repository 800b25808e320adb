/* Debian's libbloom in the benchmark, with the bytes of the same keys. Its
   header uses the same names as bloom.h, so only this file includes it. */

#include "/usr/include/bloom.h"
#include "bench.h"

LOOP(u64_add, struct bloom, bloom_add(f, k.u64 + i, 8) == 0)
LOOP(u64_ask, struct bloom, bloom_check(f, k.u64 + i, 8) == 1)
LOOP(string_add, struct bloom, bloom_add(f, k.text + i * STRING, STRING) == 0)
LOOP(string_ask, struct bloom, bloom_check(f, k.text + i * STRING, STRING) == 1)

static void clear(void *filter)
{
    bloom_reset(filter);
}

void libbloom_enter(void)
{
    static struct bloom b;
    contender c = { "libbloom", SINGLE, RIGHT, NULL, 0, clear, u64_add,
                    u64_ask };
    /* Its m is an int, and it refuses fewer than 1000 keys. */
    if (run.kind == HASHED || run.n > 140000000 || run.n < 1000)
        return;
    if (run.kind == STRINGS) {
        c.add = string_add;
        c.ask = string_ask;
    }
    c.filter = bloom_init(&b, (int)run.n, run.p) == 0 ? &b : NULL;
    c.bytes = b.bytes;
    enter(c);
}
