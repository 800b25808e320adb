/* The promises of bloom.h, one test each. Keep this file beside your copy of the
   header; it needs nothing else:

       cc -DBLOOM_IMPLEMENTATION test.c && ./a.out    the code in this file
       cc -DBLOOM_IMPLEMENTATION -x c -c bloom.h      or in an object of its own
       cc test.c bloom.o && ./a.out

   With the options that you build with (-DBLOOM_TINY, -DBLOOM_ATOMIC ...), for
   your machine, in C99 or C++11. It ends with "N passed, N failed". In bloom.h's
   own house tests/unit/ goes on from here. */
#include "bloom.h"
#include <stdio.h>
#include <string.h>

static int kept, broken;

static void promise(bool is_kept, const char *what)
{
    kept += is_kept;
    broken += !is_kept;
    if (!is_kept)
        printf("broken: %s\n", what);
}

/* ---- Filters in all layouts of this build, for 1000 keys and a rate of 1% -- */

#ifdef BLOOM_TINY
enum { LAST_LAYOUT = BLOOM_CLASSIC };
#else
enum { LAST_LAYOUT = BLOOM_COUNTING };
#endif
enum { N = 1000, ROOM = 8192 };

static bloom_plan plan_in(int layout)
{
    bloom_plan plan = bloom_plan_one_in(N, 100);
    plan.layout = (uint8_t)layout;
    if (layout == BLOOM_BLOCKED) {              /* 8 probes, whole blocks */
        plan.hashes = 8;
        plan.cells = (plan.cells * 9 / 8 / 256 + 1) * 256;
    }
    return plan;
}

/* An empty filter; at an odd address, for it may lie at any */
static bloom *filter_at(unsigned char *room, int layout)
{
    return bloom_init(room + 1, ROOM - 1, plan_in(layout));
}

static void add(bloom *b, uint64_t first, uint64_t last)
{
    for (; first <= last; first++)
        bloom_add_u64(b, first);
}

static unsigned found(const bloom *b, uint64_t first, uint64_t last)
{
    unsigned count = 0;
    for (; first <= last; first++)
        count += bloom_may_contain_u64(b, first);
    return count;
}

static unsigned char space[ROOM], more_space[ROOM];

/* ---- The promises ------------------------------------------------------- */

/* A key that was added is always found: after the others, in what was saved and
   loaded, and in what it was merged into. A key that is new was not found. */
static void nothing_is_lost(int layout)
{
    bloom *b = filter_at(space, layout), *c;
    bool right = bloom_add(b, "", 0) && !bloom_may_contain(b, "pear", 4)
              && bloom_add(b, "pear", 4) && !bloom_add(b, "pear", 4);
    uint64_t key;
    for (key = 1; key <= N; key++)
        right = right && bloom_may_contain_u64(b, key) != bloom_add_u64(b, key);
    promise(right, "newness is what a lookup would have said");
    memcpy(more_space, b, bloom_size(b));
    c = bloom_open(more_space, ROOM, NULL);
    promise(c && found(b, 1, N) == N && found(c, 1, N) == N
            && bloom_may_contain(c, "pear", 4), "a key is found again");
    b = filter_at(space, layout);
    add(b, N + 1, N + 300);
    promise(bloom_merge(b, c) && found(b, 1, N + 300) == N + 300,
            "a key is found after a merge");
}

/* The rate that was asked for, by chance +- 4 sigma, from 1 key to 1000 */
static void rate_is_kept(int layout)
{
    uint64_t n, key = 1;
    for (n = layout == BLOOM_CLASSIC ? 1 : N; n <= N; n *= 10) {
        bloom_plan plan = n == N ? plan_in(layout) : bloom_plan_one_in(n, 100);
        unsigned maybe = 0, round;
        for (round = 0; round < 10 * N / n; round++) {
            bloom *b = bloom_init(space, ROOM, plan);
            add(b, key, key + n - 1);
            maybe += found(b, key + n, key + 11 * n - 1);
            key += 11 * n;
        }
        promise(maybe < 1000 + 4 * 32, "at most 1% of absent keys are found");
    }
    promise(bloom_plan_one_in(N, 100).cells <= 97 * N / 10,
            "with 9.7 bits a key at most");
}

/* Any bytes are refused, or safe to use; and with a seal a changed bit is seen
   wherever it is. */
static void bad_bytes_are_safe(int layout)
{
    bloom *b = filter_at(space, layout);
    size_t size = bloom_size(b), i, wrong = 0;
    add(b, 1, N);
    bloom_seal(b);
    for (i = 0; i < size; i++)
        wrong += bloom_view(b, i, NULL) != NULL;
    promise(wrong == 0 && bloom_view(b, size, NULL) == b, "too short is refused");
    for (i = 0; i < 8 * size; i += i < 8 * 32 ? 1 : 37) {
        bloom *c;
        space[1 + i / 8] ^= (unsigned char)(1 << i % 8);
        c = bloom_open(space + 1, size, NULL);
        if (c) {
            bloom_may_contain(c, "pear", 4);
            wrong += bloom_verify(c) != BLOOM_CORRUPT;
        }
        space[1 + i / 8] ^= (unsigned char)(1 << i % 8);
    }
    promise(wrong == 0 && bloom_verify(b) == BLOOM_OK, "a changed bit is seen");
}

/* Nothing is written outside, and nothing at all where a filter cannot be. */
static void nothing_outside_is_touched(int layout)
{
    size_t size = bloom_plan_size(plan_in(layout)), i, wrong = 0;
    memset(space, 0xAA, ROOM);
    promise(!bloom_init(space + 1, size - 1, plan_in(layout)), "too small");
    for (i = 0; i < ROOM; i++)
        wrong += space[i] != 0xAA;
    add(filter_at(space, layout), 1, N);
    for (i = 1 + size; i < ROOM; i++)
        wrong += space[i] != 0xAA;
    promise(space[0] == 0xAA && wrong == 0, "nothing outside is written");
}

/* Many keys in one call: what one call after the other would have said */
static void many_are_as_one_by_one(int layout)
{
    static uint64_t asked[N];
    static bool is_new[N];
    bloom *many = filter_at(space, layout), *one = filter_at(more_space, layout);
    size_t i, wrong = 0;
    for (i = 0; i < N; i++)
        asked[i] = i % 700;
    bloom_add_many_u64(many, asked, N, is_new);
    for (i = 0; i < N; i++)
        wrong += bloom_add_u64(one, asked[i]) != is_new[i];
    promise(wrong == 0 && memcmp(space + 1, more_space + 1, bloom_size(one)) == 0
            && bloom_may_contain_many_u64(many, asked, N, NULL) == N,
            "many keys are as one by one");
}

/* The hash is MurmurHash3, here x86_32, and the bytes are the same on every
   machine: those of a small filter are written down. */
static void bytes_are_the_same(void)
{
    static const unsigned char image[49] = "BLM\1\0\x20\3\0\x80\0\0\0\0\0\0\0"
        "\xEF\xCD\xAB\x89\x67\x45\x23\1\x43\x15\xC3\x30\0\0\0\0"
        "\x93\x3C\x91\x30\x89\x0B\xF4\1\xA7\x1C\xCA\x81\xA0\x38\x08\x0B";
    bloom_plan plan = { 128, 0, 3, BLOOM_CLASSIC, 32 };
    bloom *b = bloom_init(space, ROOM, plan);
    const char *fox = "The quick brown fox jumps over the lazy dog";
    char key[] = "key-0";
    promise(bloom_hash_key(b, fox, strlen(fox)).h1 >> 32 == 0x2E4FF723,
            "the hash is MurmurHash3");
    plan.seed = 0x0123456789ABCDEFU;
    b = bloom_init(space, ROOM, plan);
    for (; key[4] <= '9'; key[4]++) {
        bloom_add(b, key, 5);
        bloom_add_u64(b, (uint64_t)(key[4] - '0'));
    }
    bloom_seal(b);
    promise(memcmp(space, image, 48) == 0, "the same bytes");
}

#ifndef BLOOM_TINY
static void counters_forget(void)
{
    bloom *b = filter_at(space, BLOOM_COUNTING);
    bloom *classic = filter_at(more_space, BLOOM_CLASSIC);
    uint64_t key;
    unsigned removed = 0;
    add(b, 1, N);
    for (key = 501; key <= N; key++)
        removed += bloom_remove_u64(b, key);
    promise(removed == 500 && found(b, 1, 500) == 500
            && found(b, 501, N) < 50, "what is removed goes, the others stay");
    promise(bloom_flatten(classic, b) && found(classic, 1, 500) == 500,
            "and a classic filter can be made of it");
}
#endif

static void test_promises(void)
{
    int layout;
    for (layout = BLOOM_CLASSIC; layout <= LAST_LAYOUT; layout++) {
        nothing_is_lost(layout);
        rate_is_kept(layout);
        bad_bytes_are_safe(layout);
        nothing_outside_is_touched(layout);
        many_are_as_one_by_one(layout);
    }
    bytes_are_the_same();
#ifndef BLOOM_TINY
    counters_forget();
#endif
}

#ifndef UNIT_H                      /* tests/unit/ has a main of its own */
int main(void)
{
    test_promises();
    printf("%d passed, %d failed\n", kept, broken);
    return broken != 0;
}
#endif
