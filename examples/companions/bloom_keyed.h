/* SPDX-License-Identifier: MIT OR Unlicense
   bloom_keyed.h: a keyed hash for filters of bloom.h, for keys that strangers
   choose. It is SipHash-2-4 with 128 bits of result (Aumasson and Bernstein
   2012), with a secret of 16 bytes.

   Anybody who knows how a filter hashes can compute its cells. An attacker can
   then find keys that are false positives, or keys that fill the filter fast.
   Without the secret, nobody can compute the cells of a key.

   USE: #include "bloom_keyed.h", which includes bloom.h. One file of a program
   compiles the code: it defines BLOOM_IMPLEMENTATION before this #include. If
   the linker misses bloom_keyed_hash, no file does. See USE in bloom.h.
       unsigned char secret[16];
       if (getrandom(secret, sizeof secret, 0) != sizeof secret)
           return 1;                           // once per filter: see LIMITS
       bloom_add_hash(b, bloom_keyed_hash(secret, "apple", 5));
       bloom_may_contain_hash(b, bloom_keyed_hash(secret, "pear", 4));
       bloom_may_contain_hash(b, bloom_keyed_u64(secret, 42));

   The hashes do not depend on a filter. They suit every filter, chain, window
   and slice, with hash_bits 64 or 32, and the same hash can be looked up in
   many.
   The same secret and key have the same hash on every machine.

   LIMITS
   The secret is not in the image of the filter. Keep it, in a safe place, for
   as long as the image. With a wrong secret, no key is found, except as a false
   positive, and no call reports it. Keys that were hashed in another way,
   by bloom_add say, are not found either.
   The secret protects only while nobody else knows it. It does not hide the
   answers of the filter: somebody who can ask many keys, and see each
   answer, learns which of them are false positives, and can ask those again.
   A keyed hash takes longer than the one of bloom_add: see
   examples/companions/README.md. The file that compiles this code must not
   define BLOOM_READ_BYTE. */

#if !defined(BLOOM_VERSION) \
    || (defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_IMPLEMENTATION_DONE_)) \
    || (defined(BLOOM_ATOMIC) && !defined(BLOOM_ATOMIC_FROM_THE_START_))
#include "bloom.h"
#endif

#ifndef BLOOM_KEYED_H
#define BLOOM_KEYED_H

#if !defined(BLOOM_VERSION) || BLOOM_VERSION != 30000
#error "bloom_keyed.h needs the bloom.h of its own version, but the compiler \
found another one first: copy the right one into the folder of bloom_keyed.h"
#endif
#ifdef BLOOM_NAME_                      /* see "Names" in bloom.h */
#define bloom_keyed_hash BLOOM_NAME_(bloom_keyed_hash)
#define bloom_keyed_u64 BLOOM_NAME_(bloom_keyed_u64)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The hash of the `size` bytes at data, for the _hash calls of any filter. For
   a size of 0, data may be NULL. */
BLOOM_READS_(2, 3) BLOOM_API bloom_hash bloom_keyed_hash(
    const unsigned char secret[16], const void *data, size_t size);

/* The hash of an integer: that of its 8 bytes in little-endian order */
BLOOM_API bloom_hash bloom_keyed_u64(const unsigned char secret[16],
                                     uint64_t integer);

#ifdef __cplusplus
}
#endif
#endif /* BLOOM_KEYED_H */

#if defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_KEYED_DONE_)
#define BLOOM_KEYED_DONE_
#if BLOOM_IN_ROM_
#error "bloom_keyed.h: not in a file that defines BLOOM_READ_BYTE"
#endif
#ifdef __cplusplus
extern "C" {
#endif
BLOOM_HUSH_

/* ==== Code ==================================================================
   The key is read as little-endian words of 8 bytes. The last word has the
   remaining bytes and, in its highest byte, the low 8 bits of the size. Each
   word is mixed in by 2 rounds (the 2 of SipHash-2-4), and each half of the
   result takes 4 more. */

typedef struct bloom_keyed_state_ { uint64_t v0, v1, v2, v3; }
    bloom_keyed_state_;

static inline void bloom_keyed_round_(bloom_keyed_state_ *s)
{
    s->v0 += s->v1;
    s->v1 = bloom_rotl64_(s->v1, 13) ^ s->v0;
    s->v0 = bloom_rotl64_(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = bloom_rotl64_(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = bloom_rotl64_(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = bloom_rotl64_(s->v1, 17) ^ s->v2;
    s->v2 = bloom_rotl64_(s->v2, 32);
}

static inline void bloom_keyed_mix_(bloom_keyed_state_ *s, uint64_t word)
{
    s->v3 ^= word;
    bloom_keyed_round_(s);
    bloom_keyed_round_(s);
    s->v0 ^= word;
}

static inline uint64_t bloom_keyed_finish_(bloom_keyed_state_ *s)
{
    bloom_keyed_round_(s);
    bloom_keyed_round_(s);
    bloom_keyed_round_(s);
    bloom_keyed_round_(s);
    return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

/* "somepseudorandomlygeneratedbytes", keyed. The 0xEE and, below, 0xDD are for
   a result of 128 bits. */
static inline bloom_keyed_state_ bloom_keyed_begin_(const unsigned char *secret)
{
    const uint64_t k0 = bloom_load64_(secret);
    const uint64_t k1 = bloom_load64_(secret + 8);
    bloom_keyed_state_ s;
    s.v0 = k0 ^ 0x736F6D6570736575U;
    s.v1 = k1 ^ 0x646F72616E646F6DU ^ 0xEE;
    s.v2 = k0 ^ 0x6C7967656E657261U;
    s.v3 = k1 ^ 0x7465646279746573U;
    return s;
}

static inline bloom_hash bloom_keyed_end_(bloom_keyed_state_ s, uint64_t last)
{
    bloom_hash h;
    bloom_keyed_mix_(&s, last);
    s.v2 ^= 0xEE;
    h.h1 = bloom_keyed_finish_(&s);
    s.v1 ^= 0xDD;
    h.h2 = bloom_keyed_finish_(&s);
    return h;
}

BLOOM_API bloom_hash bloom_keyed_hash(const unsigned char secret[16],
                                      const void *data, size_t size)
{
    const unsigned char *byte = (const unsigned char *)data;
    bloom_keyed_state_ s = bloom_keyed_begin_(secret);
    uint64_t last = (uint64_t)size << 56;
    size_t left, i;
    for (left = size; left >= 8; left -= 8, byte += 8)
        bloom_keyed_mix_(&s, bloom_load64_(byte));
    for (i = 0; i < left; i++)
        last |= (uint64_t)byte[i] << 8 * i;
    return bloom_keyed_end_(s, last);
}

BLOOM_API bloom_hash bloom_keyed_u64(const unsigned char secret[16],
                                     uint64_t integer)
{
    bloom_keyed_state_ s = bloom_keyed_begin_(secret);
    bloom_keyed_mix_(&s, integer);
    return bloom_keyed_end_(s, (uint64_t)8 << 56);
}

BLOOM_END_HUSH_
#ifdef __cplusplus
}
#endif
#endif /* BLOOM_IMPLEMENTATION */
