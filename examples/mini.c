/* mini: the textbook's Bloom filter, to read and to paste. Public domain.
   Compile it as C99, with the library of log and ceil: cc examples/mini.c -lm,
   or as C++11: c++ -x c++ examples/mini.c. Paste all but main. With the same m
   and k it sets the same bits as bloom.h. Its m and k come from the textbook's
   formulas, which are not exact for few keys; those of bloom.h are.
   Prints:
       apple: 1, pear: 0 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __GNUC__                         /* you need not use all functions */
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

/* A filter has m bits, and each key sets k of them. A key finds its bits by a
   walk: x is its position, and y is its next step. */
typedef struct filter { uint64_t m; int k; unsigned char *bits; } filter;
typedef struct walk { uint64_t x, y; } walk;

/* A filter for n keys and the false-positive rate p <= 0.5. The textbook says
   m = n ln(1/p) / (ln 2)^2, here rounded up to a multiple of 64, and
   k = log2(1/p), here rounded to the nearest integer. Free `bits` in the end.
   They are NULL if n or p is out of range, if m would be 2^32 or more, or if
   there is not enough memory. */
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

/* The bytes from .. to - 1 as a little-endian number; 0 if there are none */
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

/* Returns the bit at the position, x * m / 2^64, and then takes one step. The
   product has up to 96 bits, so the two halves of x are multiplied separately.
   Then the step is multiplied by a constant of Steele and Vigna (2021). If the
   step stayed the same, the rate of a small filter would be many times p. */
static uint64_t walk_on(walk *h, uint64_t m)
{
    uint64_t bit = ((h->x >> 32) * m + ((h->x & 0xFFFFFFFF) * m >> 32)) >> 32;
    h->x += h->y;
    h->y *= 0xD1342543DE82EF95U;
    return bit;
}

/* Returns 1 if the key was certainly new, 0 if it may have been in. */
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

/* Returns 0 if the key is certainly not in, 1 if it may be. */
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
