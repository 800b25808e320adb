/* mini: the textbook's Bloom filter, to read and to paste. Public domain.
   cc examples/mini.c -lm, as C99 or C++11. For the same m and k its bits are
   those of bloom.h, whose plans are exact for few keys too. Prints:
       apple: 1, pear: 0 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* m bits, of which a key sets k; and a key, which walks from x by strides y. */
typedef struct filter { uint64_t m; int k; unsigned char *bits; } filter;
typedef struct walk { uint64_t x, y; } walk;

/* For n keys; one that was not added is "maybe" with the probability p <= 0.5:
   m = n ln(1/p) / (ln 2)^2, here up to a multiple of 64, and k = log2(1/p).
   Free `bits` in the end. NULL: no such n or p, m >= 2^32, or memory short. */
static filter filter_new(double n, double p)
{
    filter f = { 0, 0, NULL };
    double ln_2 = log(2.0), m = ceil(n * log(1 / p) / (ln_2 * ln_2) / 64) * 64;
    if (n >= 1 && p >= 1e-19 && p <= 0.5 && m < 4294967296.0) {
        f.m = (uint64_t)m;
        f.k = (int)(log(1 / p) / ln_2 + 0.5);
        f.bits = (unsigned char *)calloc((size_t)f.m / 8, 1);
    }
    return f;
}

/* MurmurHash3 makes two numbers of a key, as good as random. */
static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCDU;
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53U;
    return x ^ x >> 33;
}
static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

/* The bytes from..to - 1, if any, as a number: the first is the lowest. */
static uint64_t load(const unsigned char *bytes, size_t from, size_t to)
{
    uint64_t x = 0;
    while (to > from)
        x = x << 8 | bytes[--to];
    return x;
}

static walk walk_of(const void *key, size_t size)
{
    const uint64_t a = 0x87C37B91114253D5U, b = 0x4CF5AD432745937FU;
    const unsigned char *at = (const unsigned char *)key;
    size_t left = size;
    walk h = { 0, 0 };
    for (; left >= 16; left -= 16, at += 16) {
        h.x ^= rotate(load(at, 0, 8) * a, 31) * b;
        h.x = (rotate(h.x, 27) + h.y) * 5 + 0x52DCE729;
        h.y ^= rotate(load(at, 8, 16) * b, 33) * a;
        h.y = (rotate(h.y, 31) + h.x) * 5 + 0x38495AB5;
    }
    /* The tail, up to 15 bytes: 8 for x, the rest for y. No bytes are a 0. */
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
    uint64_t x = scramble(key + 0x9E3779B97F4A7C15U);
    walk h = { x, x * 0x9E3779B97F4A7C15U };
    return h;
}

/* The bit x / 2^64 * m, in two halves, as the product has 96 bits; then on. A
   stride that stayed the same would give small filters many times p. */
static uint64_t walk_on(walk *h, uint64_t m)
{
    uint64_t bit = ((h->x >> 32) * m + ((h->x & 0xFFFFFFFF) * m >> 32)) >> 32;
    h->x += h->y;
    h->y *= 37;
    return bit;
}

/* 1: the key was certainly new; 0: it may have been in before */
static int filter_add(filter *f, walk h)
{
    int i, is_new = 0;
    for (i = 0; i < f->k; i++) {
        uint64_t bit = walk_on(&h, f->m);
        is_new |= !(f->bits[bit / 8] >> bit % 8 & 1);
        f->bits[bit / 8] |= (unsigned char)(1 << bit % 8);
    }
    return is_new;
}

/* 0: the key is certainly not in; 1: it may be */
static int filter_may_contain(const filter *f, walk h)
{
    int i, maybe = 1;
    for (i = 0; i < f->k && maybe; i++) {
        uint64_t bit = walk_on(&h, f->m);
        maybe = f->bits[bit / 8] >> bit % 8 & 1;
    }
    return maybe;
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
