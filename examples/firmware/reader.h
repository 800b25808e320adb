/* reader.h: looks keys up in a bloom.h filter on chips whose compiler cannot
   take bloom.h, such as sdcc for the 8051, STM8 and Z80, and cc65 for the 6502.
   It has no structs and no numbers of more than 32 bits. It reads the images
   that BLOOM_TINY makes: classic layout, 32-bit hash. See README.md for how to
   make one on another machine.

       if (!bloom_reader_may_contain(image, "1003", 4))
           open_the_door();                    // certainly not in the filter

   The image must be whole. Its seal is not checked here. An integer key of
   bloom_add_u64 is a key of 8 bytes, the lowest first. */
#ifndef BLOOM_READER_H
#define BLOOM_READER_H

#include <stdint.h>

static uint32_t bloom_reader_load_(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16
         | (uint32_t)p[3] << 24;
}

static uint32_t bloom_reader_rotate_(uint32_t x, unsigned char by)
{
    return x << by | x >> (32 - by);
}

/* MurmurHash3_x86_32, byte by byte */
static uint32_t bloom_reader_hash_(const unsigned char *key, unsigned size,
                                   uint32_t h)
{
    uint32_t word = 0;
    unsigned i;
    for (i = 0; i < size; i++) {
        word |= (uint32_t)key[i] << (i & 3) * 8;
        if ((i & 3) == 3 || i + 1 == size) {
            word = bloom_reader_rotate_(word * 0xCC9E2D51, 15) * 0x1B873593;
            h ^= word;
            word = 0;
            if ((i & 3) == 3)
                h = bloom_reader_rotate_(h, 13) * 5 + 0xE6546B64;
        }
    }
    h ^= size;
    h = (h ^ h >> 16) * 0x85EBCA6B;
    h = (h ^ h >> 13) * 0xC2B2AE35;
    return h ^ h >> 16;
}

/* (x * m + carry) / 2^32, rounded down; as on paper, with digits of 16 bits */
static uint32_t bloom_reader_scale_(uint32_t x, uint32_t m, uint32_t carry)
{
    uint32_t low = (x & 0xFFFF) * (m & 0xFFFF) + (carry & 0xFFFF);
    uint32_t one = (x >> 16) * (m & 0xFFFF) + (low >> 16) + (carry >> 16);
    uint32_t two = (x & 0xFFFF) * (m >> 16) + (one & 0xFFFF);
    return (x >> 16) * (m >> 16) + (one >> 16) + (two >> 16);
}

/* Returns 0 if the key is certainly not in the filter, else 1. The answers are
   those of bloom_may_contain. If the image is of another kind, which this
   reader cannot read, the answer is 1 for every key. */
static unsigned char bloom_reader_may_contain(const unsigned char *image,
                                              const void *key, unsigned size)
{
    const unsigned char *bytes = (const unsigned char *)key;
    uint32_t m = bloom_reader_load_(image + 8), a, b, cell, carry;
    unsigned char k = image[6];
    if (image[0] != 'B' || image[1] != 'L' || image[2] != 'M' || image[3] != 2
        || image[4] != 0 || image[5] != 32 || bloom_reader_load_(image + 12))
        return 1;
    a = bloom_reader_hash_(bytes, size, bloom_reader_load_(image + 16));
    b = bloom_reader_hash_(bytes, size, ~a);
    carry = bloom_reader_scale_(b, m, 0);
    for (; k > 0; k--) {                /* the walk: see bloom.h */
        cell = bloom_reader_scale_(a, m, carry);
        if (!(image[32 + (cell >> 3)] >> (cell & 7) & 1))
            return 0;
        a += b;
        b *= 0xDE82EF95;
    }
    return 1;
}

#endif
