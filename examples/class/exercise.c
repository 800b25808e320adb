/* exercise: the textbook's Bloom filter, but for five places marked TODO, which
   you fill in. It compiles and runs as it is, and prints which TODOs are left:
       cc exercise.c -lm -o exercise && ./exercise
   When it prints "apple: 1, pear: 0", let checker.c look at it. Do not change
   the names, parameters and results of the functions. README.md says what there
   is to learn.
   Prints:
       TODO 1: filter_new: compute m and k; leave bits NULL if m >= 2^32
       TODO 2: load: make a number from bytes
       TODO 3: walk_on: find the bit at x, then change x and y
       TODO 4: filter_add: set the k bits of a key
       TODO 5: filter_may_contain: are all k bits of a key set?
       apple: 0, pear: 0 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TODO                            /* checker.c has its own */
#define TODO(number, what) \
    do { static int said; \
         if (!said++) puts("TODO " #number ": " what); } while (0)
#endif

/* A filter has m bits, and each key sets k of them. A key finds its bits by a
   walk: x is its position, and y is its next step. */
typedef struct filter { uint64_t m; int k; unsigned char *bits; } filter;
typedef struct walk { uint64_t x, y; } walk;

/* A filter for n keys and the false-positive rate p <= 0.5. The textbook says
   m = n ln(1/p) / (ln 2)^2, here rounded up to a multiple of 64, and
   k = log2(1/p), here rounded to the nearest integer. In C, ln is log(). `bits`
   points to m / 8 bytes, all 0. It is NULL if n or p is out of range, if m
   would be 2^32 or more, or if there is not enough memory. */
static filter filter_new(double n, double p)
{
    filter f = { 0, 0, NULL };
    if (n >= 1 && p >= 1e-19 && p <= 0.5) {
        TODO(1, "filter_new: compute m and k; leave bits NULL if m >= 2^32");
        f.m = 64;
        f.k = 1;
        f.bits = (unsigned char *)calloc((size_t)f.m / 8, 1);
    }
    return f;
}

/* The hash is MurmurHash3. It starts at 2^64 / golden ratio, because from 0 an
   empty key would get the hash 0, and so all its bits in one place. */
static const uint64_t golden = 0x9E3779B97F4A7C15U;

static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCDU;
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53U;
    return x ^ x >> 33;
}
static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

/* The bytes from .. to - 1 as a little-endian number: the bytes 1, 2, 3 are
   0x030201, on every machine. If there are no bytes, the number is 0. A byte is
   never negative. */
static uint64_t load(const unsigned char *bytes, size_t from, size_t to)
{
    TODO(2, "load: make a number from bytes");
    (void)bytes;
    (void)from;
    (void)to;
    return 0;
}

static walk walk_of(const void *key, size_t size)
{
    const uint64_t a = 0x87C37B91114253D5U, b = 0x4CF5AD432745937FU;
    const unsigned char *at = (const unsigned char *)key;
    size_t left = size;
    walk h = { golden, golden };
    for (; left >= 16; left -= 16, at += 16) {
        h.x ^= rotate(load(at, 0, 8) * a, 31) * b;
        h.x = (rotate(h.x, 27) + h.y) * 5 + 0x52DCE729;
        h.y ^= rotate(load(at, 8, 16) * b, 33) * a;
        h.y = (rotate(h.y, 31) + h.x) * 5 + 0x38495AB5;
    }
    /* The tail has up to 15 bytes: the first 8 go to x, the others to y. */
    h.x ^= rotate(load(at, 0, left < 8 ? left : 8) * a, 31) * b ^ size;
    h.y ^= rotate(load(at, 8, left) * b, 33) * a ^ size;
    h.x += h.y;
    h.y = scramble(h.x + h.y);
    h.x = scramble(h.x) + h.y;
    h.y += h.x;
    return h;
}

static walk walk_of_integer(uint64_t key)
{
    uint64_t x = scramble(key + golden);
    walk h = { x, rotate(x, 32) * golden };
    return h;
}

/* Returns the bit at the position x, and then takes one step. Think of x as a
   point on a ruler of length 2^64, on which the m bits lie side by side. The
   bit at this point is x * m / 2^64, rounded down. As m < 2^32, the product has
   up to 96 bits, too many for a uint64_t. So multiply as on paper, with two
   digits of 32 bits each:
       high = x >> 32 and low = x & 0xFFFFFFFF, so x = high * 2^32 + low
       x * m / 2^64 = (high * m + low * m / 2^32) / 2^32
   Each of these products fits, and `>> 32` divides by 2^32 and rounds down.
   Then take the step: add y to x, and after that multiply y by
   0xD1342543DE82EF95. */
static uint64_t walk_on(walk *h, uint64_t m)
{
    TODO(3, "walk_on: find the bit at x, then change x and y");
    (void)h;
    (void)m;
    return 0;
}

/* Sets the k bits of a walk. Bit i of the filter is bit i % 8 of byte i / 8,
   where bit 0 is the lowest bit of a byte. Returns 1 if at least one of the k
   bits was 0, so that the key is certainly new; 0 if it may have been in. */
static int filter_add(filter *f, walk h)
{
    uint64_t bit = walk_on(&h, f->m);           /* the first of k */
    TODO(4, "filter_add: set the k bits of a key");
    (void)bit;
    return 0;
}

/* Returns 0 if at least one of the k bits is 0, so that the key is certainly
   not in; 1 if it may be in. */
static int filter_may_contain(const filter *f, walk h)
{
    TODO(5, "filter_may_contain: are all k bits of a key set?");
    (void)f;
    (void)h;
    return 0;
}

int main(void)
{
    filter f = filter_new(1000000, 0.01);
    if (!f.bits)
        return 1;
    filter_add(&f, walk_of("apple", 5));
    filter_add(&f, walk_of_integer(42));
    printf("apple: %d, pear: %d\n", filter_may_contain(&f, walk_of("apple", 5)),
           filter_may_contain(&f, walk_of("pear", 4)));
    free(f.bits);
    return 0;
}
