/* workers: how to size a filter whose n is known only at the end. Each of four
   processes fills a filter that is planned for ten million keys, the most that
   there may be. The union of these filters has only a million keys, and is then
   folded to the size that a million keys need. Needs POSIX.
   Prints:
       planned for 10000000 keys: 12015392 bytes
       union of 4 filters: about 1000069 keys
       folded by 10: 1201568 bytes, false-positive rate 0.99%
       a plan for that many keys: 1199240 bytes */
#define _DEFAULT_SOURCE
#define BLOOM_STATIC
#include "bloom.h"
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 4, EACH = 400000, MOST = 10000000 };

/* Worker i adds its keys. Half of them are also keys of worker i + 1. */
static void work(bloom *b, uint64_t i)
{
    for (uint64_t key = i * EACH / 2; key < (i + 2) * EACH / 2; key++)
        bloom_add_u64(b, key);
    _exit(0);
}

int main(void)
{
    bloom_plan plan = bloom_plan_for(MOST, 0.01);
    bloom *filter[WORKERS];
    const uint64_t unit = 64 * 5040;    /* 5040 has many divisors to fold by */
    uint64_t n, by;
    size_t size;
    plan.cells += (unit - plan.cells % unit) % unit;
    size = bloom_plan_size(plan);
    for (int i = 0; i < WORKERS; i++) {
        void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED)
            return 1;
        filter[i] = bloom_init(shared, size, plan);
        if (fork() == 0)
            work(filter[i], (uint64_t)i);
    }
    while (wait(NULL) > 0) { }
    for (int i = 1; i < WORKERS; i++)
        if (!bloom_merge(filter[0], filter[i]))     /* their plans differ */
            return 1;
    n = bloom_estimate(filter[0]);
    printf("planned for %d keys: %u bytes\n"
           "union of %d filters: about %u keys\n",
           MOST, (unsigned)size, WORKERS, (unsigned)n);
    by = bloom_fold_by(filter[0], 0.01);
    if (by == 0 || !bloom_fold(filter[0], by))
        return 1;
    printf("folded by %u: %u bytes, false-positive rate %.2f%%\n", (unsigned)by,
           (unsigned)bloom_size(filter[0]), 100 * bloom_fpr(filter[0]));
    printf("a plan for that many keys: %u bytes\n",
           (unsigned)bloom_plan_size(bloom_plan_for(n, 0.01)));
    return 0;
}
