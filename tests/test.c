/* Tests the promises of bloom.h, each once, except "nothing hidden": a program
   cannot see that. Keep this file beside your copy of the header; it needs
   nothing else. Compile it in one of these ways:

       cc -DBLOOM_IMPLEMENTATION test.c && ./a.out    the code in this file

       cc -DBLOOM_IMPLEMENTATION -x c -c bloom.h      the code in an object
       cc test.c bloom.o && ./a.out

   Use the compiler, the target and the options of your own build, for example
   -DBLOOM_TINY or -DBLOOM_ATOMIC. The language is C99 or C++11, or later.

   The program prints "broken:" and the promise for each test that fails, and
   ends with "N passed, N failed". The exit status is 0 if all passed. A failure
   means that bloom.h does not keep that promise in this build, so do not use
   the build. The repository of bloom.h has more tests, in tests/unit/. */
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

/* ---- A filter in each layout of this build, for 1000 keys at 1% ---------- */

#ifdef BLOOM_TINY
enum { LAST_LAYOUT = BLOOM_CLASSIC };
#else
enum { LAST_LAYOUT = BLOOM_COUNTING };
#endif
enum { N = 1000, ROOM = 8192 };         /* keys; enough bytes in any layout */

static bloom_plan plan_in(int layout)
{
    bloom_plan plan = bloom_plan_one_in(N, 100);
    plan.layout = (uint8_t)layout;
    if (layout == BLOOM_BLOCKED) {      /* one block per key; 1/8 more memory */
        plan.hashes = 8;
        plan.cells = (plan.cells * 9 / 8 / 256 + 1) * 256;
    }
    return plan;
}

/* An empty filter. Any address is allowed, so this one is odd. */
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

/* A key that was added is always found: after 1000 more were added, in a copy
   that was saved and opened, and in a filter that the copy was merged into.
   bloom_add returns true if, and only if, a lookup just before it did not find
   the key. */
static void nothing_is_lost(int layout)
{
    bloom *b = filter_at(space, layout), *c;
    bool right = bloom_add(b, "", 0) && !bloom_may_contain(b, "pear", 4)
              && bloom_add(b, "pear", 4) && !bloom_add(b, "pear", 4);
    uint64_t key;
    for (key = 1; key <= N; key++)
        right = right && bloom_may_contain_u64(b, key) != bloom_add_u64(b, key);
    promise(right, "an add returns true if a lookup did not find the key");
    memcpy(more_space, b, bloom_size(b));
    c = bloom_open(more_space, ROOM, NULL);
    promise(c && found(b, 1, N) == N && found(c, 1, N) == N
            && bloom_may_contain(c, "pear", 4),
            "every added key is found, also in a saved copy");
    b = filter_at(space, layout);
    add(b, N + 1, N + 300);
    promise(bloom_merge(b, c) && found(b, 1, N + 300) == N + 300,
            "every key of both filters is found after a merge");
}

/* The false-positive rate is at most the planned 1%, with 1, 10, 100 and 1000
   keys in the classic layout, and with 1000 keys in the others. For each n,
   100,000 absent keys are looked up, in 10,000 / n filters. Of these, 1000 may
   be found, and up to 4 sigma more by chance; sigma is about 32. */
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
        promise(maybe < 1000 + 4 * 32,
                "at most 1% of absent keys are false positives");
    }
    promise(bloom_plan_one_in(N, 100).cells <= 97 * N / 10,
            "1000 keys at 1% need at most 9.7 bits per key");
}

/* Corrupted bytes are either refused, or safe to use. Of a sealed filter every
   truncation is refused. A flipped bit, of the header or of the cells, is
   refused by bloom_open or reported by bloom_verify. All bits of the header are
   tried, and every 37th of the cells. */
static void bad_bytes_are_safe(int layout)
{
    bloom *b = filter_at(space, layout);
    size_t size = bloom_size(b), i, wrong = 0;
    add(b, 1, N);
    bloom_seal(b);
    for (i = 0; i < size; i++)
        wrong += bloom_view(b, i, NULL) != NULL;
    promise(wrong == 0 && bloom_view(b, size, NULL) == b,
            "a truncated image is refused, a whole one is not");
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
    promise(wrong == 0 && bloom_verify(b) == BLOOM_OK,
            "a flipped bit in a sealed image is detected");
}

/* A filter writes nothing outside its own bytes. bloom_init writes nothing at
   all if the memory is one byte too small. */
static void nothing_outside_is_touched(int layout)
{
    size_t size = bloom_plan_size(plan_in(layout)), i, wrong = 0;
    memset(space, 0xAA, ROOM);
    promise(!bloom_init(space + 1, size - 1, plan_in(layout)),
            "bloom_init refuses memory that is too small");
    for (i = 0; i < ROOM; i++)
        wrong += space[i] != 0xAA;
    add(filter_at(space, layout), 1, N);
    for (i = 1 + size; i < ROOM; i++)
        wrong += space[i] != 0xAA;
    promise(space[0] == 0xAA && wrong == 0,
            "nothing is written outside the filter's memory");
}

/* bloom_add_many_u64 gives the same answers and bytes as one call per key. Keys
   0 to 299 occur twice, so not all of them are new. */
static void many_are_as_one_by_one(int layout)
{
    static uint64_t asked[N];
    static bool is_new[N];
    bloom *many = filter_at(space, layout);
    bloom *one = filter_at(more_space, layout);
    size_t i, wrong = 0;
    for (i = 0; i < N; i++)
        asked[i] = i % 700;
    bloom_add_many_u64(many, asked, N, is_new);
    for (i = 0; i < N; i++)
        wrong += bloom_add_u64(one, asked[i]) != is_new[i];
    promise(wrong == 0
            && memcmp(space + 1, more_space + 1, bloom_size(one)) == 0
            && bloom_may_contain_many_u64(many, asked, N, NULL) == N,
            "one call for many keys equals one call per key");
}

/* The hash is MurmurHash3_x86_32 (width 32 is tested, which every build has).
   A filter's bytes are the same on every machine: `image` was made by another
   implementation of the format, tests/unit/golden.py of the repository. */
static void bytes_are_the_same(void)
{
    static const unsigned char image[49] = "BLM\2\0\x20\3\0\x80\0\0\0\0\0\0\0"
        "\xEF\xCD\xAB\x89\x67\x45\x23\1\xD5\xE8\x4E\x6D\0\0\0\0"
        "\xC2\x38\2\x31\xA1\0\x59\x20\xB3\x1C\xD9\x09\x8C\x3D\x0A\x0E";
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
    promise(memcmp(space, image, 48) == 0,
            "a filter has the same bytes as on other machines");
}

#ifndef BLOOM_TINY
/* Half of the keys are removed. The others are still found, and so they are in
   the classic filter that bloom_flatten makes. Fewer than 50 of the 500
   removed keys may be false positives. */
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
            && found(b, 501, N) < 50,
            "removed keys are gone, the others are found");
    promise(bloom_flatten(classic, b) && found(classic, 1, 500) == 500,
            "a counting filter becomes a classic one with the same keys");
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

#ifndef UNIT_H                      /* tests/unit/all.c has its own main */
int main(void)
{
    test_promises();
    printf("%d passed, %d failed\n", kept, broken);
    return broken != 0;
}
#endif
