/* Run by `make pages`: a filter in 4 KB pages and in huge ones, which the README
   tells how to get; ns a key that is added and an absent one that is looked for,
   many at once, beside a random line of 64 bytes that is read where the hash of
   the key says. n keys, 1%; only a part of them is added, as time does not
   depend on it. Linux.
       pages N */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#define BLOOM_STATIC
#include "bloom.h"

#define HUGE ((size_t)2 << 20)
#define KEYS 65536

static uint64_t keys[KEYS];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Reads a byte of the line that each key's hash tells. */
static unsigned lines(const unsigned char *memory, size_t size)
{
    uint64_t count = size / 64 - 1;
    unsigned i, sum = 0;
    for (i = 0; i < KEYS; i++)
        sum += memory[((keys[i] * 0x9E3779B97F4A7C15U >> 32) * count >> 32)
                      * 64];
    return sum;
}

static void measure(bloom *b, const unsigned char *memory, double n,
                    const char *what)
{
    double most = n < 1e7 ? n : 1e7, done = 0, add = 0, ask = 0, line = 0, t;
    uint64_t next = 1;
    uint64_t added = 0, found = 0;
    volatile unsigned read = 0;
    unsigned i;
    for (; done < most; done += KEYS) {
        for (i = 0; i < KEYS; i++)
            keys[i] = next++ * 0xD1B54A32D192ED03U;
        t = now();
        added += bloom_add_many_u64(b, keys, KEYS, NULL);
        add += now() - t;
        for (i = 0; i < KEYS; i++)
            keys[i] = ~keys[i];
        t = now();
        found += bloom_may_contain_many_u64(b, keys, KEYS, NULL);
        ask += now() - t;
        t = now();
        read = read + lines(memory, bloom_size(b));
        line += now() - t;
    }
    if ((double)added < 0.9 * done || (double)found > 0.1 * done)
        fprintf(stderr, "pages: wrong answers\n");
    printf("%-26s add %6.1f   absent %6.1f   a line %6.1f ns\n", what,
           add / done, ask / done, line / done);
}

static int run(double n, bloom_layout layout, bool huge, const char *what)
{
    bloom_plan plan = bloom_plan_layout((uint64_t)n, 0.01, layout);
    size_t size = bloom_plan_size(plan), room = size + 2 * HUGE;
    void *map = mmap(NULL, room, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *memory = map;
    if (map == MAP_FAILED) {
        perror("pages");
        return 1;
    }
    memory += HUGE - (uintptr_t)memory % HUGE;
    if (madvise(memory, room - HUGE, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
        perror("pages: madvise");
    measure(bloom_init(memory, size, plan), memory, n, what);
    munmap(map, room);
    return 0;
}

int main(int count, char **argument)
{
    double n = count > 1 ? strtod(argument[1], NULL) : 1e8;
    if (!(n >= KEYS && n <= 1e11)) {
        fprintf(stderr, "usage: pages N\n");
        return 2;
    }
    printf("n = %g, p = 1%%, many keys at once\n", n);
    return run(n, BLOOM_BLOCKED, false, "blocked, pages of 4 KB")
         | run(n, BLOOM_BLOCKED, true, "blocked, huge pages")
         | run(n, BLOOM_CLASSIC, false, "classic, pages of 4 KB")
         | run(n, BLOOM_CLASSIC, true, "classic, huge pages");
}
