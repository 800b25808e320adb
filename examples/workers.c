/* workers: how to size a filter whose n is known only at the end. Four
   processes add keys to one filter in a file (bloom_share). It is planned for
   ten million keys, the most that there may be. Only a million come, so the
   filter is then folded to the size that a million keys need. Needs POSIX, and
   GCC or Clang.
   Prints:
       planned for 10000000 keys: 12015392 bytes
       4 processes added about 1000069 keys
       folded by 10: 1201568 bytes, false-positive rate 0.99%
       a plan for that many keys: 1199240 bytes */
#define BLOOM_ATOMIC
#define BLOOM_IMPLEMENTATION
#include "companions/bloom_file.h"
#define PROGRAM "workers"
#include "need.h"
#include <sys/wait.h>

enum { WORKERS = 4, EACH = 400000, MOST = 10000000 };

static const char name[] = "workers.bloom";

/* Worker i adds its keys. Half of them are also keys of worker i + 1. */
static void work(bloom_plan plan, uint64_t i)
{
    bloom *b = bloom_share(name, plan, &errno);
    uint64_t key;
    need(b != NULL, name, NULL);
    for (key = i * EACH / 2; key < (i + 2) * EACH / 2; key++)
        bloom_add_u64(b, key);
    errno = bloom_unshare(b);
    need(errno == 0, name, NULL);
    _exit(0);
}

static void let_them_work(bloom_plan plan)
{
    int i, status;
    remove(name);
    for (i = 0; i < WORKERS; i++)
        if (fork() == 0)
            work(plan, (uint64_t)i);
    for (i = 0; i < WORKERS; i++)
        need(wait(&status) > 0 && status == 0, "a worker", "has failed");
}

int main(void)
{
    bloom_plan plan = bloom_plan_for(MOST, 0.01);
    const uint64_t unit = 64 * 5040;    /* 5040 has many divisors to fold by */
    uint64_t n, by;
    bloom *b;
    plan.cells += (unit - plan.cells % unit) % unit;
    let_them_work(plan);
    b = bloom_load(name, SIZE_MAX, &errno);
    need(b != NULL, name, NULL);
    n = bloom_estimate(b);
    printf("planned for %d keys: %u bytes\n", MOST, (unsigned)bloom_size(b));
    printf("%d processes added about %u keys\n", WORKERS, (unsigned)n);
    by = bloom_fold_by(b, 0.01);
    need(by > 0 && bloom_fold(b, by), name, "more keys than planned for");
    errno = bloom_save(b, name);
    need(errno == 0, name, NULL);
    printf("folded by %u: %u bytes, false-positive rate %.2f%%\n", (unsigned)by,
           (unsigned)bloom_size(b), 100 * bloom_fpr(b));
    printf("a plan for that many keys: %u bytes\n",
           (unsigned)bloom_plan_size(bloom_plan_for(n, 0.01)));
    bloom_free(b);
    remove(name);
    return 0;
}
