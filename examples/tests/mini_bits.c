/* Run by `make check-examples`: tests that examples/mini.c sets the same bits
   as bloom.h and gives the same answers, for keys of 0 to 40 bytes and for
   integers, and that its m and k are those of the textbook. It is built as C99
   and as C++11 (-x c++). */
#define BLOOM_STATIC
#include "bloom.h"
#include <string.h>
#define main main_of_mini
#include "examples/mini.c"
#undef main

static int passed, failed;

static void check(int right, const char *what, double n, double p)
{
    passed += right;
    failed += !right;
    if (!right)
        printf("%s, for n = %.0f, p = %g\n", what, n, p);
}

/* Key number i of 0 to 40 bytes, and below, key number i as an integer. The
   keys have bytes of all values, and integers of all bits. */
typedef struct test_key { unsigned char bytes[41]; size_t size; } test_key;

static test_key key_of(uint64_t i)
{
    test_key key = { { 0 }, 0 };
    size_t j;
    for (j = 0; j < sizeof key.bytes; j++)
        key.bytes[j] = (unsigned char)(i * 0x9E3779B97F4A7C15U
                                       >> (j * 7 + i) % 57);
    key.size = (size_t)(i % 41);
    memcpy(key.bytes, &i, key.size < sizeof i ? key.size : sizeof i);
    return key;
}

static uint64_t integer_of(uint64_t i)
{
    return i * 0xD1342543DE82EF95U;
}

/* Adds n keys of each kind and looks up 4 * n, of which the first n are
   present. Returns whether all results agree. */
static int same_answers(filter *f, bloom *b, uint64_t n)
{
    uint64_t i;
    int same = 1;
    for (i = 0; i < n; i++) {
        test_key key = key_of(i);
        same &= filter_add(f, walk_of(key.bytes, key.size))
             == (int)bloom_add(b, key.bytes, key.size);
        same &= filter_add(f, walk_of_integer(integer_of(i)))
             == (int)bloom_add_u64(b, integer_of(i));
    }
    for (i = 0; i < 4 * n; i++) {
        test_key key = key_of(i);
        int in = filter_may_contain(f, walk_of(key.bytes, key.size));
        int in_u64 = filter_may_contain(f, walk_of_integer(integer_of(i)));
        same &= in == (int)bloom_may_contain(b, key.bytes, key.size)
             && in_u64 == (int)bloom_may_contain_u64(b, integer_of(i))
             && (i >= n || (in && in_u64));
    }
    return same;
}

static void compare(double n, double p)
{
    filter f = filter_new(n, p);
    bloom_plan plan = { 0, 0, 0, BLOOM_CLASSIC, 64 };
    bloom *b;
    plan.cells = f.m;
    plan.hashes = (uint8_t)f.k;
    b = bloom_create(plan);
    check(f.bits && b, "no filter", n, p);
    if (f.bits && b) {
        check(same_answers(&f, b, (uint64_t)n), "answers differ", n, p);
        check(memcmp(f.bits, (unsigned char *)b + 32, (size_t)f.m / 8) == 0,
              "bits differ", n, p);
    }
    bloom_free(b);
    free(f.bits);
}

/* Compares the walks of many keys in a filter of the largest m. Its cells would
   take half a gigabyte; bloom_probes needs only the header. */
static void walks(void)
{
    static unsigned char memory[40];
    bloom_plan plan = { 64, 0, 64, BLOOM_CLASSIC, 64 };
    const uint64_t m = 4294967296U - 64;
    uint64_t cell[64], key;
    bloom *b = bloom_init(memory, sizeof memory, plan);
    int i, same = 1;
    for (i = 0; i < 8; i++)
        memory[8 + i] = (unsigned char)(m >> 8 * i);
    for (key = 0; key < 100000; key++) {
        walk h = walk_of_integer(integer_of(key));
        bloom_probes(b, bloom_hash_u64(b, integer_of(key)), cell);
        for (i = 0; i < 64; i++)
            same &= walk_on(&h, m) == cell[i];
    }
    check(same, "walks differ", (double)key, 0);
}

/* m and k as computed by hand, for example n * 9.58506 bits for 1% */
static void sized(double n, double p, double m, int k)
{
    filter f = filter_new(n, p);
    check((double)f.m >= m && (double)f.m < m + 64 && f.m % 64 == 0
          && f.k == k, "not the textbook's m and k", n, p);
    free(f.bits);
}

static void refused(double n, double p)
{
    filter f = filter_new(n, p);
    check(!f.bits, "impossible n or p is not refused", n, p);
    free(f.bits);
}

int main(void)
{
    static const double ns[] = { 1, 2, 9, 41, 100, 1000, 20000 },
        ps[] = { 0.5, 0.1, 0.01, 0.001, 1e-6, 1e-9, 1e-15 };
    size_t i, j;
    for (i = 0; i < sizeof ns / sizeof *ns; i++)
        for (j = 0; j < sizeof ps / sizeof *ps; j++)
            compare(ns[i], ps[j]);
    walks();
    sized(1, 0.5, 1.442, 1);
    sized(1e6, 0.1, 4792529.1, 3);
    sized(1e6, 0.01, 9585058.3, 7);
    sized(1e6, 0.001, 14377587.5, 10);
    sized(1e6, 1e-6, 28755175.1, 20);
    refused(0, 0.01);
    refused(1, 0);
    refused(1, 0.6);
    refused(1, -0.5);
    refused(1, log(-1.0));
    refused(log(-1.0), 0.01);
    refused(4.5e8, 0.01);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
