/* The contenders of `make bench PARTS=pages` (Linux): filters in pages of 4 KB
   and in huge pages, and the floor, one random line of 64 bytes per key. Adding
   10^9 keys would take long. So the cells are filled with random bits, of which
   half are set, as in a full filter, and only n / 64 keys are added. */

#define _DEFAULT_SOURCE
#define BLOOM_STATIC
#include "bloom.h"
#include "bench.h"
#include <stdio.h>
#include <sys/mman.h>

#define HUGE ((size_t)2 << 20)

static void fill_randomly(void *filter)
{
    unsigned char *cells = (unsigned char *)filter + 32;
    size_t i, size = bloom_size(filter) - 32;
    uint64_t x = 1;
    for (i = 0; i < size; i += 8) {
        x ^= x << 13;                           /* xorshift64 */
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(cells + i, &x, 8);
    }
}

/* An empty filter in pages of its own, or NULL */
static bloom *make(bloom_layout layout, bool huge)
{
    bloom_plan plan = bloom_plan_layout(run.n, run.p, layout);
    size_t size = bloom_plan_size(plan), room = size + 2 * HUGE;
    void *map = mmap(NULL, room, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *memory = map;
    if (map == MAP_FAILED)
        return NULL;
    memory += HUGE - (uintptr_t)memory % HUGE;
    if (madvise(memory, room - HUGE, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
        perror("bloom: pages: madvise");
    return bloom_init(memory, size, plan);
}

void pages_enter(void)
{
    static const char *const names[2][3] = {
        { "4 KB: classic", "4 KB: blocked", "4 KB: floor" },
        { "huge: classic", "huge: blocked", "huge: floor" }
    };
    int huge;
    run.added = run.n / 64;
    for (huge = 0; huge < 2; huge++) {
        const char *const *name = names[huge];
        enter_ours(name[0], ours[0] = make(BLOOM_CLASSIC, huge), fill_randomly);
        enter_ours(name[1], make(BLOOM_BLOCKED, huge), fill_randomly);
        enter_floor(name[2], make(BLOOM_BLOCKED, huge), fill_randomly);
    }
}
