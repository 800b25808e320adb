/* sha.h: SHA-1 and SHA-256, the checksums at the end of Git's files, as FIPS
   180-4 defines them. It is for finding damage: whoever wants to can make two
   files with the same SHA-1. */
#ifndef BLOOM_COMMON_SHA_H
#define BLOOM_COMMON_SHA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SHA1_SIZE = 20, SHA256_SIZE = 32 };      /* bytes of a checksum */

static uint32_t sha_left(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

/* The 16 words of a block are the first of w[], the words of all rounds. */
static void sha_load(uint32_t *w, const unsigned char *p)
{
    int i;
    for (i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16
             | (uint32_t)p[2] << 8 | p[3];
}

static void sha1_block(uint32_t h[8], const unsigned char *p)
{
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f;
    int i;
    sha_load(w, p);
    for (i = 16; i < 80; i++)
        w[i] = sha_left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (i = 0; i < 80; i++) {
        f = i < 20 ? ((b & c) | (~b & d)) + 0x5A827999
          : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
          : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                   : (b ^ c ^ d) + 0xCA62C1D6;
        f += sha_left(a, 5) + e + w[i];
        e = d;
        d = c;
        c = sha_left(b, 30);
        b = a;
        a = f;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

/* The fractions of the cube roots of the first 64 primes */
static const uint32_t sha256_roots[64] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1,
    0x923F82A4, 0xAB1C5ED5, 0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3,
    0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174, 0xE49B69C1, 0xEFBE4786,
    0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147,
    0x06CA6351, 0x14292967, 0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13,
    0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85, 0xA2BFE8A1, 0xA81A664B,
    0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A,
    0x5B9CCA4F, 0x682E6FF3, 0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208,
    0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2
};

/* The xor of x rotated to the right by i and by j, and of `last` */
static uint32_t sha256_mix(uint32_t x, int i, int j, uint32_t last)
{
    return sha_left(x, 32 - i) ^ sha_left(x, 32 - j) ^ last;
}

static void sha256_block(uint32_t h[8], const unsigned char *p)
{
    uint32_t w[64], v[8], one, two;
    int i;
    sha_load(w, p);
    for (i = 16; i < 64; i++)
        w[i] = sha256_mix(w[i - 2], 17, 19, w[i - 2] >> 10) + w[i - 7]
             + sha256_mix(w[i - 15], 7, 18, w[i - 15] >> 3) + w[i - 16];
    memcpy(v, h, sizeof v);
    for (i = 0; i < 64; i++) {
        one = sha256_mix(v[4], 6, 11, sha_left(v[4], 7)) + v[7] + w[i]
            + ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha256_roots[i];
        two = sha256_mix(v[0], 2, 13, sha_left(v[0], 10))
            + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (i = 0; i < 8; i++)
        h[i] += v[i];
}

/* The checksum of data[0 .. size - 1], SHA1_SIZE or SHA256_SIZE bytes. The last
   block ends with the number of bits, before which come a bit 1 and zeros. */
static void sha(unsigned kind, const unsigned char *data, size_t size,
                unsigned char *sum)
{
    static const uint32_t begin[2][8] = {
        { 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0, 0, 0, 0 },
        { 0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F,
          0x9B05688C, 0x1F83D9AB, 0x5BE0CD19 }
    };
    void (*block)(uint32_t *, const unsigned char *)
        = kind == SHA1_SIZE ? sha1_block : sha256_block;
    unsigned char last[128] = { 0 };
    size_t left = size % 64, end = left < 56 ? 64 : 128, i;
    uint64_t bits = (uint64_t)size * 8;
    uint32_t h[8];
    memcpy(h, begin[kind != SHA1_SIZE], sizeof h);
    for (i = 0; i + 64 <= size; i += 64)
        block(h, data + i);
    if (left > 0)
        memcpy(last, data + size - left, left);
    last[left] = 0x80;
    for (i = 1; i <= 8; i++, bits >>= 8)
        last[end - i] = (unsigned char)(bits & 255);
    for (i = 0; i < end; i += 64)
        block(h, last + i);
    for (i = 0; i < kind; i++)
        sum[i] = (unsigned char)(h[i / 4] >> (24 - i % 4 * 8) & 255);
}

#endif
