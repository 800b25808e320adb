/* bloom.h 2.0.0 - public domain or MIT - Bloom filters that keep their rate

   USE
       #define BLOOM_IMPLEMENTATION            // in one .c or .cpp file
       #include "bloom.h"
       int main(void)
       {
           bloom *seen = bloom_new(1000000, 0.01);   // a million keys, 1%
           if (!seen)
               return 1;                             // no memory
           bloom_add(seen, "apple", 5);              // true: certainly new
           int maybe = bloom_may_contain(seen, "pear", 4);
           bloom_free(seen);
           return maybe;                             // 0: certainly not in
       }
   Other files that use the filter just include bloom.h. If only one file uses
   it, #define BLOOM_STATIC instead.

   PROMISES
     A key that was added is always found: never a false negative.
     A key that was not added is found with a rate of at most p, on average
     over keys and seeds, while at most n different keys were added: for every
     n, every p from 0.5 to 10^-12, every layout and width. The rates of single
     filters scatter around that average; bloom_fpr reports the rate of one.
     The hash sets a floor: no rate is below about 2^-64 (hash_bits 32: 2^-32).
     It includes the one integer key per seed whose hash is 0, so that its walk
     stays on one cell. A blocked filter of fewer than five keys with k >= 24
     has a floor of about 10^-12, which plans do not count.
     A filter is one block of bytes, the same on every machine, to be saved with
     fwrite, mapped, sent, or burnt into ROM.
     bloom_open checks any bytes; what it accepts is safe to use.
     Nothing is allocated unless you ask for it. There are no globals, no errno,
     no I/O and no libm. Of libc only calloc, free, memset and memcpy are
     called; without malloc only memset, and memcpy where a compiler copies
     structs by it. On x86-64 the compiler's own variable __cpu_model tells
     whether the CPU has AVX2. If it is missing (zig cc), compile with -mavx2
     or set BLOOM_NO_SIMD.

   WORDS
     n  keys that the filter is made for     k  probes: cells that a key sets
     m  cells (classic layout: bits)         p  false-positive rate
   A textbook says p = (1 - e^(-kn/m))^k. That is least at k = m/n * ln 2, so
   m = n * log2(1/p) / ln 2: 9.6 bits per key for 1%, and 4.8 more for a tenth
   of that rate. Small filters do worse than that; bloom_plan_for allows for it.

   OPTIONS are macros. Set those marked * before every #include "bloom.h". Set
   the others in the file with BLOOM_IMPLEMENTATION, or each with BLOOM_STATIC.
     BLOOM_IMPLEMENTATION   puts the code into this file.
   * BLOOM_STATIC           makes everything static inline in this file; other
                            files are unaffected.
   * BLOOM_API              stands before each function: by default extern,
                            in ELF and Mach-O hidden from other objects. To
                            export them from a shared library, #define BLOOM_API
                            extern there and in the programs that use it.
     BLOOM_MALLOC(size)     and BLOOM_FREE(pointer) replace calloc and free. The
                            memory need not be zeroed.
   * BLOOM_NO_MALLOC        leaves out bloom_new, bloom_create, bloom_copy
                            and bloom_free.
   * BLOOM_NO_FLOAT         leaves out the functions with a double, and
                            bloom_plan_bytes, bloom_estimate, bloom_fold_by.
   * BLOOM_TINY             is for firmware: the smallest code. It has only the
                            classic layout and the 32-bit hash, no malloc, no
                            floating point and no bloom_fold.
     BLOOM_ATOMIC           lets several threads add and look up at once
                            without a lock; see "Threads" below.
     BLOOM_NO_SIMD          uses plain C only: no vector instructions, and no
                            test of the CPU at run time.
     BLOOM_ASSERT(x)        is called to check that a filter is not NULL; by
                            default nothing is checked.
     BLOOM_READ_BYTE(p)     reads the byte of an image at p, a const unsigned
                            char *. It is for chips that read flash by an
                            instruction of their own: AVR, pgm_read_byte(p).
                            bloom_view, bloom_plan_of, bloom_size, bloom_copy,
                            bloom_hash_*, bloom_probes and bloom_may_contain*
                            then take filters in flash only; the other functions
                            still work in RAM.
   Options never change the bytes that a given plan produces. */

#ifndef BLOOM_H
#define BLOOM_H

#if !defined(_MSC_VER) && (defined(__cplusplus) ? __cplusplus < 201103L \
    : !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "bloom.h needs C99, or C++11"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* major * 10000 + minor * 100 + patch. The major version changes when the
   format does: 2.x reads and writes format 2 only. */
#define BLOOM_VERSION 20000

#ifdef BLOOM_TINY
#define BLOOM_TINY_FROM_THE_START_
#undef BLOOM_NO_MALLOC
#undef BLOOM_NO_FLOAT
#define BLOOM_NO_MALLOC
#define BLOOM_NO_FLOAT
#endif

#ifdef BLOOM_STATIC
#define BLOOM_STATIC_FROM_THE_START_
#undef BLOOM_IMPLEMENTATION
#define BLOOM_IMPLEMENTATION
#undef BLOOM_API
#define BLOOM_API static inline
#define BLOOM_API_ALWAYS_ BLOOM_ALWAYS_
#elif !defined(BLOOM_API) && defined(__GNUC__) \
    && (defined(__ELF__) || defined(__MACH__))
#define BLOOM_API __attribute__((visibility("hidden"))) extern
#elif !defined(BLOOM_API)
#define BLOOM_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ------------------------------------------------------------- */

/* A filter: its image. Only ever by pointer; any alignment. */
typedef struct bloom bloom;

/* A hashed key, good for every filter of the same width and seed. */
typedef struct bloom_hash { uint64_t h1, h2; } bloom_hash;

typedef enum bloom_layout {
    BLOOM_CLASSIC,               /* m bits, k probes anywhere: least memory */
    BLOOM_BLOCKED,               /* m bits; a key has eight in each of k/8
                                    blocks of 256. The fastest; for p below 5%
                                    10 to 20% larger, for few keys more */
    BLOOM_COUNTING               /* m counters of 4 bits: keys can be removed */
} bloom_layout;

/* The shape of a filter. A plan of cells 0 is impossible: it has size 0 and
   makes no filter. You may set seed and hash_bits before you use a plan. */
typedef struct bloom_plan {
    uint64_t cells;              /* m, bits or counters: a multiple of 64
                                    (blocked: of 256, and below 2^40) */
    uint64_t seed;               /* 0 unless set; width 32: its low half */
    uint8_t hashes;              /* k: 1..64 (blocked: 8, 16 .. 64) */
    uint8_t layout;              /* a bloom_layout */
    uint8_t hash_bits;           /* hash width: 64, or 32 for small CPUs, which
                                    needs m < 2^32; blocked: 64 only */
} bloom_plan;

typedef enum bloom_error {
    BLOOM_OK,
    BLOOM_TRUNCATED,             /* fewer bytes than the header or m needs */
    BLOOM_NOT_A_FILTER,          /* does not begin with BLM */
    BLOOM_WRONG_VERSION,         /* of the format */
    BLOOM_BAD_HEADER,            /* m, k, or width impossible */
    BLOOM_UNSUPPORTED,           /* layout or width not in this build */
    BLOOM_CORRUPT,               /* the seal does not match */
    BLOOM_UNSEALED               /* there is no seal to check */
} bloom_error;

/* ---- Planning ----------------------------------------------------------- */
/* n is the number of keys; 0 counts as 1. p is the rate, from 2^-64 to below 1;
   one_in, 2..10^9, asks for the rate 1 / one_in. Any other value, and a filter
   that would be too large, gives a plan of size 0. Plans are not exactly the
   smallest for p within 10^-6 of 1 and n above 10^11. */

/* Integer constant expressions for array sizes, initialisers and #if: m, k,
   image bytes, and a plan's initialiser; classic, seed 0, width 64 (with
   BLOOM_TINY 32), n to 2^42. They never take less memory than bloom_plan_for,
   from 100 keys on at most 2% and 64 bits more, and keep p in either width.
       static unsigned char memory[BLOOM_SIZE(1000, 100)];
       bloom_plan plan = BLOOM_PLAN(1000, 100); */
#define BLOOM_CELLS(n, one_in) BLOOM_CELLS_(n, one_in, BLOOM_LOG2_(one_in))
#define BLOOM_HASHES(n, one_in) BLOOM_HASHES_(n, one_in, BLOOM_LOG2_(one_in))
#define BLOOM_SIZE(n, one_in) (BLOOM_CELLS(n, one_in) / 8 \
    + 32 * BLOOM_POSSIBLE_(n, one_in))
#define BLOOM_PLAN(n, one_in) { BLOOM_CELLS(n, one_in), 0, \
    BLOOM_HASHES(n, one_in), 0, BLOOM_WIDTH_ }

/* The same plan at run time, in integers only. */
BLOOM_API bloom_plan bloom_plan_one_in(uint64_t n, uint64_t one_in);

/* Bytes of the image: 32 + m/8, counting 32 + m/2; or 0 if the plan is
   impossible, not in this build, or too large for size_t. */
BLOOM_API size_t bloom_plan_size(bloom_plan plan);

#ifndef BLOOM_NO_FLOAT

/* The smallest classic filter that keeps the rate p with n keys. k is the least
   that keeps p in this m. Takes 3 microseconds, near p = 2^-64 up to 200. */
BLOOM_API bloom_plan bloom_plan_for(uint64_t n, double p);

/* The same in a layout; a counting filter has a classic one's m and k. A
   blocked filter uses the fewest blocks per key that fit in 1.2 times the
   classic size. If none fits (p above 0.05, or few keys), it is the smallest.
   Its plan takes 20 microseconds, and near p = 2^-64 or p = 1 up to 700. */
BLOOM_API bloom_plan bloom_plan_layout(uint64_t n, double p, bloom_layout);

/* The smallest classic filter with exactly k probes, 1..64: few are fast. */
BLOOM_API bloom_plan bloom_plan_hashes(uint64_t n, double p, unsigned k);

/* The classic filter with the lowest rate whose image has at most `bytes`
   bytes; at least 40 are needed. */
BLOOM_API bloom_plan bloom_plan_bytes(uint64_t n, size_t bytes);

/* The expected false-positive rate after n different keys, 0..1: 0 for n = 0, 1
   for an impossible plan. It is within 2% (1% from 100 keys on; 4% for n <= 2
   with k near m). Only for blocked filters with several blocks per key but few
   in all it may be up to 50% too high, as it ignores that a crowded block
   leaves the others emptier. */
BLOOM_API double bloom_plan_fpr(bloom_plan plan, uint64_t n);

/* How many different keys a filter takes before its rate exceeds p: the largest
   n with bloom_plan_fpr(plan, n) <= p, as far as a double tells (p to 0.999, n
   below 2^53; beyond, the result may be below the n of the plan). It is 0 for
   an impossible plan, or p not between 0 and 1. */
BLOOM_API uint64_t bloom_plan_capacity(bloom_plan plan, double p);

#endif

/* ---- Making ------------------------------------------------------------- */

#ifndef BLOOM_NO_MALLOC

/* bloom_create makes an empty filter of a plan, bloom_new one of
   bloom_plan_for(n, p), and bloom_copy a clone of b with its seal, also of one
   that bloom_view gave. The image is aligned to 32 bytes. NULL if the plan is
   impossible or memory is short. Free each by bloom_free, which takes NULL. */
#ifndef BLOOM_NO_FLOAT
BLOOM_API bloom *bloom_new(uint64_t n, double p);
#endif
BLOOM_API bloom *bloom_create(bloom_plan plan);
BLOOM_API bloom *bloom_copy(const bloom *b);
BLOOM_API void bloom_free(bloom *b);

#endif

/* An empty filter in your memory of `size` bytes; NULL if bloom_plan_size(plan)
   is 0 or more than that, or if memory is NULL: then nothing is written. */
BLOOM_API bloom *bloom_init(void *memory, size_t size, bloom_plan plan);

/* Existing bytes as a filter, in place, not copied. The header is checked
   against `size`, but the cells are not: see bloom_verify. If the bytes are no
   filter of this build, or NULL (TRUNCATED), the result is NULL and *error is
   the reason; else it is OK. error may be NULL. Bytes may follow the image.
   bloom_view is for read-only bytes: ROM, or a mapped file. To learn the size
   of an image from its header of 32 bytes, give bloom_view SIZE_MAX for `size`,
   and call bloom_size unless the result is NULL. */
BLOOM_API bloom *bloom_open(void *image, size_t size, bloom_error *error);
BLOOM_API const bloom *bloom_view(const void *image, size_t size,
                                  bloom_error *error);

BLOOM_API bloom_plan bloom_plan_of(const bloom *b);
BLOOM_API size_t bloom_size(const bloom *b);        /* bytes of the image */
BLOOM_API void bloom_clear(bloom *b);               /* forget all keys */

/* Write a checksum of header and cells into the image, before it is stored;
   every call that may write cells removes it. bloom_verify returns OK, CORRUPT
   or UNSEALED. Both read the whole image. A seal finds damage, not forgery. */
BLOOM_API void bloom_seal(bloom *b);
BLOOM_API bloom_error bloom_verify(const bloom *b);
BLOOM_API const char *bloom_error_text(bloom_error error);

/* ---- Keys --------------------------------------------------------------- */
/* A key is `size` bytes at `key`. A key of 0 bytes is a key like any other, and
   its pointer may be NULL. For _u64 the key is an integer, hashed by value. In
   width 64, an integer and its bytes are different keys; in width 32 it is the
   key of its 8 bytes, little-endian. For _hash the key was hashed before, by
   bloom_hash_* or by your own hash. That must fill h1 and h2 (in width 32: h1
   and the upper half of h2) with bits that are as good as random; pass a hash
   of fewer bits through bloom_hash_u64 first.
   Hostile keys: whoever may choose the keys can make ones that fill a filter,
   or that are all false positives. A secret seed does not help, as MurmurHash3
   has collisions for every seed. Use _hash with a keyed hash (SipHash). */

/* Add a key. true: it was certainly new; false: it may have been in before. */
BLOOM_API bool bloom_add(bloom *b, const void *key, size_t size);
BLOOM_API bool bloom_add_u64(bloom *b, uint64_t key);
BLOOM_API bool bloom_add_hash(bloom *b, bloom_hash h);

/* Take back one bloom_add of a key that was added to a counting filter. If the
   layout is another, or the key was certainly not in, they return false and
   change no cell. Do not remove a key that was never added: if it is a false
   positive, that removes other keys. A counter that has reached 15 stays 15, so
   that it can never undercount. */
BLOOM_API bool bloom_remove(bloom *b, const void *key, size_t size);
BLOOM_API bool bloom_remove_u64(bloom *b, uint64_t key);
BLOOM_API bool bloom_remove_hash(bloom *b, bloom_hash h);

/* false: the key is certainly not in; true: it may be. */
BLOOM_API bool bloom_may_contain(const bloom *b, const void *key, size_t size);
BLOOM_API bool bloom_may_contain_u64(const bloom *b, uint64_t key);
BLOOM_API bool bloom_may_contain_hash(const bloom *b, bloom_hash h);

/* The hash of a key, for all filters with the width and the seed of b (in width
   32: with the low 32 bits of its seed). */
BLOOM_API bloom_hash bloom_hash_key(const bloom *b, const void *key,
                                    size_t size);
BLOOM_API bloom_hash bloom_hash_u64(const bloom *b, uint64_t key);

/* Write the k cells of a key into index[0..k-1] and return k: for teaching and
   tools. In a blocked filter eight follow for each block, one of each word. */
BLOOM_API unsigned bloom_probes(const bloom *b, bloom_hash h,
                                uint64_t index[64]);

/* ---- Many keys at once -------------------------------------------------- */
/* These do the same as one call for each of `count` keys, in their order. They
   are faster because the waits for memory overlap. is_new and maybe take the
   `count` results, or are NULL. They must not overlap the keys. The calls
   return how many results are true. */

typedef struct bloom_key { const void *data; size_t size; } bloom_key;

BLOOM_API size_t bloom_add_many(bloom *b, const bloom_key *keys,
                                size_t count, bool *is_new);
BLOOM_API size_t bloom_add_many_u64(bloom *b, const uint64_t *keys,
                                    size_t count, bool *is_new);
BLOOM_API size_t bloom_add_many_hash(bloom *b, const bloom_hash *hashes,
                                     size_t count, bool *is_new);

BLOOM_API size_t bloom_may_contain_many(const bloom *b, const bloom_key *keys,
                                        size_t count, bool *maybe);
BLOOM_API size_t bloom_may_contain_many_u64(const bloom *b,
                                            const uint64_t *keys,
                                            size_t count, bool *maybe);
BLOOM_API size_t bloom_may_contain_many_hash(const bloom *b,
                                             const bloom_hash *hashes,
                                             size_t count, bool *maybe);

/* ---- Threads ------------------------------------------------------------ */
/* Any number of threads may look up at once. With BLOOM_ATOMIC others may add
   and merge into the filter meanwhile: no key is lost, and if a thread tells
   another that it added a key, the other finds it. If several add one absent
   key at once, at least one is told that it is new. A key that is in may be
   removed meanwhile. These calls need exclusive access: bloom_seal,
   bloom_verify, bloom_clear, bloom_intersect, bloom_flatten, bloom_fold and
   bloom_copy. So does writing the image out. */

/* ---- Whole filters ------------------------------------------------------ */
/* Each reads the whole image. */

/* Make `into` the union of both filters, or their intersection. If the plans
   differ, they return false and change nothing. The union has the bytes that
   adding all keys to one filter gives (counters: the sum, at most 15). The
   intersection (counters: the lesser) has all keys that both have, and by
   chance others: its rate is at most the lower of the two. */
BLOOM_API bool bloom_merge(bloom *into, const bloom *from);
BLOOM_API bool bloom_intersect(bloom *into, const bloom *from);

/* Make a classic filter of the same m, k, width and seed contain just what a
   counting filter does, in a quarter of the memory. If the layouts are others,
   or the plans differ, it returns false and changes nothing. */
BLOOM_API bool bloom_flatten(bloom *into_classic, const bloom *counting);

#ifndef BLOOM_TINY

/* Make a filter that was planned too large smaller, in place: m becomes m / by.
   Its bytes are then those of a filter of m / by cells to which the same keys
   were added. The seal is removed. It returns false and changes nothing if by
   is 0 or does not divide m, if m / by is not a multiple of 64 (blocked: 256),
   or if a blocked filter would go from 2^34 cells or more to below, where a
   key's block is chosen by another rule. The memory behind b keeps its size;
   bloom_copy takes just what is needed.
   Fold if n is known only afterwards. Plan for the largest n there may be, and
   round m up to a multiple of 64 * 5040 (blocked: 256 * 5040), which has many
   divisors. Add the keys, merge the filters of other workers, and fold by
   bloom_fold_by. As k depends on p and hardly on n, the result is as good as a
   filter that was planned for n. */
BLOOM_API bool bloom_fold(bloom *b, uint64_t by);

#ifndef BLOOM_NO_FLOAT
/* The largest `by`, 1..65536, for which bloom_fold works and the folded filter
   keeps p for the keys that are in: bloom_plan_fpr of its plan and
   bloom_estimate(b) is at most p. 0 if not even 1 keeps p, or if p is not
   between 0 and 1. Reads the whole image, then takes up to 2 milliseconds. */
BLOOM_API uint64_t bloom_fold_by(const bloom *b, double p);
#endif

#endif

BLOOM_API uint64_t bloom_ones(const bloom *b);      /* cells that are not 0 */

#ifndef BLOOM_NO_FLOAT

/* How many different keys were added, as the share of set cells tells;
   UINT64_MAX if all are set. It does not hold for an intersection, which has
   about |A| + |B| - |A or B| keys: estimate the union for the last term. */
BLOOM_API uint64_t bloom_estimate(const bloom *b);

/* The false-positive rate of this filter with the cells as they are, 0..1. */
BLOOM_API double bloom_fpr(const bloom *b);

#endif

#ifdef __cplusplus
}
#endif

/* What the planning macros are made of. e is floor(log2(one_in)), counted by
   BLOOM_LOG2_; with x = one_in / 2^e - 1 the logarithm of one_in is taken as
   e + x + 61/128 x(1 - x): exact at powers of two, and between them too high,
   which pays for k being a whole number. BLOOM_BITS_ divides that by ln 2: bits
   a key, as in WORDS, times 65536; its last line pays for width 32. 3 + e/4
   bits pay for small filters. test_integer_plans checks all of it. */
#define BLOOM_ONE_ 4294967296ULL  /* 1.0 with 32 binary places */
#define BLOOM_LOG2_(r) (BLOOM_LOG2_4_(r, 1) + BLOOM_LOG2_4_(r, 5) \
    + BLOOM_LOG2_4_(r, 9) + BLOOM_LOG2_4_(r, 13) + BLOOM_LOG2_4_(r, 17) \
    + BLOOM_LOG2_4_(r, 21) + BLOOM_LOG2_4_(r, 25) + BLOOM_LOG2_4_(r, 29))
#define BLOOM_LOG2_4_(r, e) (((r) + 0ULL >= 1ULL << (e)) \
    + ((r) + 0ULL >= 2ULL << (e)) + ((r) + 0ULL >= 4ULL << (e)) \
    + ((r) + 0ULL >= 8ULL << (e)))
#define BLOOM_X_(r, e) ((((r) + 0ULL) << 32 >> (e)) - BLOOM_ONE_)
#define BLOOM_LOG_(r, e) ((e) * BLOOM_ONE_ + BLOOM_X_(r, e) \
    + (BLOOM_X_(r, e) * (BLOOM_ONE_ - BLOOM_X_(r, e)) >> 32) * 61 / 128)
#define BLOOM_POSSIBLE_(n, r) ((r) > 1 && (r) + 0ULL <= 1000000000 \
    && (n) + 0ULL <= 1ULL << 42)
#define BLOOM_HASHES_(n, r, e) (BLOOM_POSSIBLE_(n, r) \
    ? (BLOOM_LOG_(r, e) + BLOOM_ONE_ / 2) >> 32 : 0)
#define BLOOM_CELLS_(n, r, e) (BLOOM_POSSIBLE_(n, r) \
    ? (((n) + ((n) == 0)) * BLOOM_BITS_(r, e) / 65536 + 3 + (e) / 4 + 63) \
      / 64 * 64 : 0)
#define BLOOM_BITS_(r, e) ((BLOOM_LOG_(r, e) * 94549 >> 32) + 1 \
    + ((r) >> 15) * 5 / 4)
#ifdef BLOOM_TINY
#define BLOOM_WIDTH_ 32
#else
#define BLOOM_WIDTH_ 64
#endif

#endif /* BLOOM_H */

#if defined(BLOOM_STATIC) && !defined(BLOOM_STATIC_FROM_THE_START_)
#error "bloom.h: define BLOOM_STATIC before the first #include of bloom.h"
#endif
#if defined(BLOOM_TINY) && !defined(BLOOM_TINY_FROM_THE_START_)
#error "bloom.h: define BLOOM_TINY before the first #include of bloom.h"
#endif

/* ======================================================================== */

#if defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_IMPLEMENTATION_DONE_)
#define BLOOM_IMPLEMENTATION_DONE_

#if defined(BLOOM_MALLOC) != defined(BLOOM_FREE)
#error "bloom.h: define both BLOOM_MALLOC and BLOOM_FREE, or neither"
#elif !defined(BLOOM_MALLOC) && !defined(BLOOM_NO_MALLOC)
#include <stdlib.h>
#define BLOOM_MALLOC(size) calloc(1, size)
#define BLOOM_FREE(pointer) free(pointer)
#define BLOOM_IS_CLEARED_ true          /* calloc returns zeroed memory */
#else
#define BLOOM_IS_CLEARED_ false
#endif
#ifndef BLOOM_ASSERT
#define BLOOM_ASSERT(x) ((void)0)
#endif

/* Small builds leave out the part "Speed". A BLOOM_ALWAYS_ function is always
   inlined, a BLOOM_NEVER_ one never, any other at the compiler's discretion.
   The asm in PREFETCH keeps gcc from dropping a loop that does nothing else.
   HIDE makes a compiler forget what it knows about a variable. */
#if defined(BLOOM_TINY) || defined(__OPTIMIZE_SIZE__) \
    || defined(BLOOM_READ_BYTE)
#define BLOOM_SMALL_
#endif
#ifdef __GNUC__
#pragma GCC diagnostic push             /* the code is C and has C's casts */
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wuseless-cast"
#define BLOOM_ATTRIBUTE_(x) __attribute__(x)
#define BLOOM_ALWAYS_ static inline __attribute__((always_inline))
#define BLOOM_NEVER_ static __attribute__((noinline))
#define BLOOM_PREFETCH_(p) \
    do { __builtin_prefetch(p); __asm__ volatile(""); } while (0)
#define BLOOM_LIKELY_(x) __builtin_expect(x, 1)
#define BLOOM_HIDE_(x) __asm__("" : "+r"(x))
#else
#define BLOOM_ATTRIBUTE_(x)
#define BLOOM_ALWAYS_ static inline
#define BLOOM_NEVER_ static
#define BLOOM_PREFETCH_(p) ((void)(p))
#define BLOOM_LIKELY_(x) (x)
#define BLOOM_HIDE_(x) ((void)0)
#endif
#define BLOOM_FALL_THROUGH_ ((void)0)
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 7)
#undef BLOOM_FALL_THROUGH_
#define BLOOM_FALL_THROUGH_ __attribute__((fallthrough))
#endif
#ifdef _MSC_VER
#include <intrin.h>
#ifdef _M_X64
#undef BLOOM_PREFETCH_
#define BLOOM_PREFETCH_(p) \
    _mm_prefetch((const char *)(const void *)(p), _MM_HINT_T0)
#endif
#endif

/* In BLOOM_TINY these are constants, so that compilers remove the code for
   other layouts and for width 64; its m is below 2^32. */
#ifdef BLOOM_TINY
typedef uint32_t bloom_number_;
#define BLOOM_IS_32_(plan) ((void)(plan), true)
#define BLOOM_IS_BLOCKED_(layout) ((void)(layout), false)
#define BLOOM_IS_COUNTING_(layout) ((void)(layout), false)
#define BLOOM_LAST_LAYOUT_ BLOOM_CLASSIC
#else
typedef uint64_t bloom_number_;
#define BLOOM_IS_32_(plan) ((plan).hash_bits == 32)
#define BLOOM_IS_BLOCKED_(layout) ((layout) == BLOOM_BLOCKED)
#define BLOOM_IS_COUNTING_(layout) ((layout) == BLOOM_COUNTING)
#define BLOOM_LAST_LAYOUT_ BLOOM_COUNTING
#endif

/* SET_BITS sets bits in a byte that was `old`. SWAP_BYTE stores `now` and
   returns true if the byte still equals *old; otherwise, or if the CPU fails to
   store, *old becomes the byte, and it returns false. With BLOOM_ATOMIC other
   threads may do the same at the same time, in any order ("relaxed"), as bits
   do not depend on one another. A PURE function changes nothing, so a compiler
   may read the header once for a whole loop; with BLOOM_ATOMIC none is PURE. */
#ifdef BLOOM_ATOMIC
#if !defined(__GCC_ATOMIC_CHAR_LOCK_FREE) || __GCC_ATOMIC_CHAR_LOCK_FREE != 2
#error "bloom.h: BLOOM_ATOMIC needs the __atomic built-ins of GCC or Clang and \
lock-free bytes (__GCC_ATOMIC_CHAR_LOCK_FREE == 2); MSVC's dialect lacks them"
#endif
#define BLOOM_HAS_ATOMIC_WORDS_ (__GCC_ATOMIC_LLONG_LOCK_FREE == 2)
#define BLOOM_VOLATILE_ volatile
#define BLOOM_PURE_
#define BLOOM_LOAD_BYTE_(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define BLOOM_SET_BITS_(p, old, bits) do { if ((bits) & ~(old)) \
    __atomic_fetch_or(p, (unsigned char)(bits), __ATOMIC_RELAXED); } while (0)
#define BLOOM_SWAP_BYTE_(p, old, now) \
    __atomic_compare_exchange_n(p, old, (unsigned char)(now), true, \
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#else
#define BLOOM_HAS_ATOMIC_WORDS_ 1
#define BLOOM_VOLATILE_
#define BLOOM_PURE_ BLOOM_ATTRIBUTE_((pure))
#define BLOOM_LOAD_BYTE_(p) (*(p))
#define BLOOM_SET_BITS_(p, old, bits) (*(p) = (unsigned char)((old) | (bits)))
#define BLOOM_SWAP_BYTE_(p, old, now) \
    ((void)(old), (void)(*(p) = (unsigned char)(now)), true)
#endif
#ifdef BLOOM_READ_BYTE
#define BLOOM_IN_ROM_ true
#else
#define BLOOM_IN_ROM_ false
#define BLOOM_READ_BYTE(p) BLOOM_LOAD_BYTE_(p)
#endif

#ifdef __cplusplus
extern "C" {
#define BLOOM_NULL_ nullptr
#else
#define BLOOM_NULL_ NULL
#endif
/* volatile keeps compilers from turning this loop into a call of memset. */
#if __STDC_HOSTED__ && !(defined(BLOOM_NO_MALLOC) && defined(BLOOM_SMALL_))
#include <string.h>
#define BLOOM_ZERO_(bytes, size) memset(bytes, 0, size)
#else
#define BLOOM_ZERO_ bloom_zero_
static void bloom_zero_(volatile unsigned char *bytes, size_t size)
{
    while (size > 0)
        bytes[--size] = 0;
}
#endif

/* ==== The image =============================================================

    offset size  field
       0     4   magic: 'B' 'L' 'M' and the format version, 2
       4     1   layout: 0 classic, 1 blocked, 2 counting
       5     1   hash width in bits: 64 or 32; blocked: 64
       6     1   k, probes per key: 1..64; blocked: 8, 16 .. 64
       7     1   zero
       8     8   m, the number of cells, not 0: a multiple of 64, blocked 256
      16     8   seed
      24     8   seal; 0: not sealed
      32   m/8   cells: cell i is bit i & 7 of byte 32 + i / 8
           m/2   counting: the low (even i) or high 4 bits of byte 32 + i / 2

   Every number is little-endian. Invariant: a `bloom *` points to such a header
   with all its cells behind it, which bloom_init has written or bloom_open has
   checked. So its size fits into size_t, and nothing below checks it again. */

enum {
    BLOOM_LAYOUT_AT_ = 4, BLOOM_WIDTH_AT_ = 5, BLOOM_K_AT_ = 6,
    BLOOM_M_AT_ = 8, BLOOM_SEED_AT_ = 16, BLOOM_SEAL_AT_ = 24,
    BLOOM_HEADER_ = 32
};

static inline unsigned char *bloom_bytes_(bloom *b)
{
    void *bytes = b;
    BLOOM_ASSERT(b != BLOOM_NULL_);
    return (unsigned char *)bytes;
}

static inline const unsigned char *bloom_const_bytes_(const bloom *b)
{
    const void *bytes = b;
    BLOOM_ASSERT(b != BLOOM_NULL_);
    return (const unsigned char *)bytes;
}

/* Numbers are read and written byte by byte, so that neither alignment nor the
   machine's byte order matters. Compilers make one instruction of each. */

static inline uint32_t bloom_load32_(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8
         | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t bloom_load64_(const unsigned char *p)
{
    return bloom_load32_(p) | (uint64_t)bloom_load32_(p + 4) << 32;
}

static inline uint32_t bloom_low_half_(uint64_t x)
{
    return (uint32_t)(x & 0xFFFFFFFFU);
}

static inline void bloom_store32_(unsigned char *p, uint32_t x)
{
    p[0] = (unsigned char)(x & 255);
    p[1] = (unsigned char)(x >> 8 & 255);
    p[2] = (unsigned char)(x >> 16 & 255);
    p[3] = (unsigned char)(x >> 24);
}

static inline void bloom_store64_(unsigned char *p, uint64_t x)
{
    bloom_store32_(p, bloom_low_half_(x));
    bloom_store32_(p + 4, (uint32_t)(x >> 32));
}

BLOOM_ALWAYS_ bloom_plan bloom_parse_(const unsigned char *header)
{
    const bloom_plan plan = {
        bloom_load64_(header + BLOOM_M_AT_),
        bloom_load64_(header + BLOOM_SEED_AT_),
        header[BLOOM_K_AT_], header[BLOOM_LAYOUT_AT_], header[BLOOM_WIDTH_AT_]
    };
    return plan;
}

/* The header of an image that may lie in ROM: with BLOOM_READ_BYTE, a copy */
static inline const unsigned char *bloom_header_of_(const void *image,
                                                    unsigned char *copy)
{
    const unsigned char *header = (const unsigned char *)image;
    for (unsigned i = 0; BLOOM_IN_ROM_ && i < BLOOM_HEADER_; i++)
        copy[i] = (unsigned char)BLOOM_READ_BYTE(header + i);
    return BLOOM_IN_ROM_ ? copy : header;
}

BLOOM_API bloom_plan bloom_plan_of(const bloom *b)
{
    unsigned char copy[BLOOM_HEADER_];
    return bloom_parse_(bloom_header_of_(bloom_const_bytes_(b), copy));
}

static inline bloom_number_ bloom_cell_bytes_(bloom_number_ m, unsigned layout)
{
    return m >> (BLOOM_IS_COUNTING_(layout) ? 1 : 3);
}

/* The limits of the format first, then those of this build, and then whether
   the image has at most `size` bytes. m is in halves for small CPUs. */
static inline bloom_error bloom_check_fields_(uint32_t m, uint32_t m_high,
                                              unsigned layout, unsigned width,
                                              unsigned k, size_t size)
{
    bloom_number_ all = (bloom_number_)(m_high * 4294967296U + m);
    if ((m | m_high) == 0 || m % 64 != 0 || k < 1 || k > 64
        || (width != 64 && (width != 32 || m_high != 0)))
        return BLOOM_BAD_HEADER;
    if (layout == BLOOM_BLOCKED && (width != 64 || m % 256 != 0 || k % 8 != 0
                                    || m_high >> 8 != 0))
        return BLOOM_BAD_HEADER;
    if (layout > BLOOM_LAST_LAYOUT_ || width > BLOOM_WIDTH_)
        return BLOOM_UNSUPPORTED;
    return size < BLOOM_HEADER_ || bloom_cell_bytes_(all, layout)
         > size - BLOOM_HEADER_ ? BLOOM_TRUNCATED : BLOOM_OK;
}

static bloom_error bloom_check_(const unsigned char *header, size_t size)
{
    if (header[0] != 'B' || header[1] != 'L' || header[2] != 'M')
        return BLOOM_NOT_A_FILTER;
    if (header[3] != 2)
        return BLOOM_WRONG_VERSION;
    if (header[7] != 0)
        return BLOOM_BAD_HEADER;
    return bloom_check_fields_(bloom_load32_(header + BLOOM_M_AT_),
                               bloom_load32_(header + BLOOM_M_AT_ + 4),
                               header[BLOOM_LAYOUT_AT_],
                               header[BLOOM_WIDTH_AT_], header[BLOOM_K_AT_],
                               size);
}

/* The bytes of a plan's image; 0 if it is impossible or takes over `most`. */
static inline size_t bloom_plan_size_(bloom_plan plan, size_t most)
{
    if (bloom_check_fields_(bloom_low_half_(plan.cells),
                            (uint32_t)(plan.cells >> 32), plan.layout,
                            plan.hash_bits, plan.hashes, most) != BLOOM_OK)
        return 0;
    return BLOOM_HEADER_ + (size_t)bloom_cell_bytes_((bloom_number_)plan.cells,
                                                     plan.layout);
}

BLOOM_API size_t bloom_plan_size(bloom_plan plan)
{
    return bloom_plan_size_(plan, SIZE_MAX);
}

BLOOM_API size_t bloom_size(const bloom *b)
{
    return bloom_plan_size(bloom_plan_of(b));
}

BLOOM_API const bloom *bloom_view(const void *image, size_t size,
                                  bloom_error *error)
{
    unsigned char copy[BLOOM_HEADER_];
    bloom_error found = BLOOM_TRUNCATED;
    if (image && size >= BLOOM_HEADER_)
        found = bloom_check_(bloom_header_of_(image, copy), size);
    if (error)
        *error = found;
    return found == BLOOM_OK ? (const bloom *)image : BLOOM_NULL_;
}

BLOOM_API bloom *bloom_open(void *image, size_t size, bloom_error *error)
{
    bloom_error found = BLOOM_TRUNCATED;
    if (image && size >= BLOOM_HEADER_)
        found = bloom_check_((const unsigned char *)image, size);
    if (error)
        *error = found;
    return found == BLOOM_OK ? (bloom *)image : BLOOM_NULL_;
}

BLOOM_API const char *bloom_error_text(bloom_error error)
{
    switch (error) {
    case BLOOM_OK:            return "ok";
    case BLOOM_TRUNCATED:     return "truncated: bytes are missing at the end";
    case BLOOM_NOT_A_FILTER:  return "not a Bloom filter of bloom.h";
    case BLOOM_WRONG_VERSION: return "a format version this build cannot read";
    case BLOOM_BAD_HEADER:    return "bad header";
    case BLOOM_UNSUPPORTED:   return "a layout or hash width not in this build";
    case BLOOM_CORRUPT:       return "corrupt: the seal does not match";
    case BLOOM_UNSEALED:      return "not sealed";
    }
    return "unknown error";
}

/* bloom_load_word_ reads eight bytes of cells. bloom_unseal_ removes the seal,
   before any cell is written. With BLOOM_ATOMIC other threads may call both at
   the same time. */

#ifdef BLOOM_ATOMIC

typedef uint64_t bloom_atom_ __attribute__((may_alias, aligned(8)));

static inline uint64_t bloom_load_word_(const unsigned char *p)
{
    unsigned char copy[8];
    const void *aligned = p;
    if (BLOOM_HAS_ATOMIC_WORDS_ && (uintptr_t)p % 8 == 0) {
        uint64_t word = __atomic_load_n((const bloom_atom_ *)aligned,
                                        __ATOMIC_RELAXED);
        __builtin_memcpy(copy, &word, 8);
    } else for (unsigned i = 0; i < 8; i++)
        copy[i] = BLOOM_LOAD_BYTE_(p + i);
    return bloom_load64_(copy);
}

static inline void bloom_unseal_(unsigned char *image)
{
    if (bloom_load_word_(image + BLOOM_SEAL_AT_) != 0)
        for (unsigned i = BLOOM_SEAL_AT_; i < BLOOM_HEADER_; i++)
            __atomic_store_n(image + i, 0, __ATOMIC_RELAXED);
}

#else

#define bloom_load_word_ bloom_load64_

static inline void bloom_unseal_(unsigned char *image)
{
    bloom_store64_(image + BLOOM_SEAL_AT_, 0);
}

#endif

/* ==== Keys to hashes ========================================================
   MurmurHash3 (Austin Appleby 2011, SMHasher): x64_128 for width 64, x86_32 for
   width 32. */

/* ---- x64_128 ---------------------------------------------------------------
   Both lanes, h1 and h2, start at `start`, a number of 64 bits. The key is
   mixed into them in words of eight bytes, by turns. Zeros fill up the last
   words. */

static inline uint64_t bloom_rotl64_(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static inline uint64_t bloom_fmix64_(uint64_t h)
{
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDU;
    h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53U;
    return h ^ h >> 33;
}

static inline uint64_t bloom_mix64_1_(uint64_t word)
{
    return bloom_rotl64_(word * 0x87C37B91114253D5U, 31) * 0x4CF5AD432745937FU;
}

static inline uint64_t bloom_mix64_2_(uint64_t word)
{
    return bloom_rotl64_(word * 0x4CF5AD432745937FU, 33) * 0x87C37B91114253D5U;
}

/* The last size % 16 bytes of a key as two words. They are read without a
   branch on their number and without a loop over bytes, by loads that end where
   the key ends: a shift drops the bytes that an earlier word has already, and a
   mask what belongs to the other word. Only a key of fewer than eight bytes,
   before which nothing may be read, is put together byte by byte. */
static inline bloom_hash bloom_tail64_(const unsigned char *key, size_t size)
{
    bloom_hash tail = { 0, 0 };
    size_t odd = size & 7;
    if (size >= 8) {
        uint64_t last = bloom_load64_(key + size - 8) >> 8 >> (56 - 8 * odd);
        uint64_t mask = 0 - (uint64_t)(size >> 3 & 1);
        tail.h2 = last & mask;
        tail.h1 = (bloom_load64_(key + size - 8 - (odd & mask)) & mask)
                | (last & ~mask);
    } else {
        while (odd-- > 0)
            tail.h1 = tail.h1 << 8 | key[odd];
    }
    return tail;
}

static inline bloom_hash bloom_murmur64_(const unsigned char *key, size_t size,
                                         uint64_t start)
{
    bloom_hash h, tail = bloom_tail64_(key, size);
    h.h1 = h.h2 = start;
    for (size_t i = 0; size - i >= 16; i += 16) {
        h.h1 ^= bloom_mix64_1_(bloom_load64_(key + i));
        h.h1 = (bloom_rotl64_(h.h1, 27) + h.h2) * 5 + 0x52DCE729U;
        h.h2 ^= bloom_mix64_2_(bloom_load64_(key + i + 8));
        h.h2 = (bloom_rotl64_(h.h2, 31) + h.h1) * 5 + 0x38495AB5U;
    }
    h.h1 ^= bloom_mix64_1_(tail.h1) ^ size;
    h.h2 ^= bloom_mix64_2_(tail.h2) ^ size;
    h.h1 += h.h2;
    h.h2 += h.h1;
    h.h1 = bloom_fmix64_(h.h1);
    h.h2 = bloom_fmix64_(h.h2);
    h.h1 += h.h2;
    h.h2 += h.h1;
    return h;
}

/* ---- x86_32 -------------------------------------------------------------- */

static inline uint32_t bloom_rotl32_(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

static inline uint32_t bloom_mix32_(uint32_t word)
{
    return bloom_rotl32_(word * 0xCC9E2D51U, 15) * 0x1B873593U;
}

static inline uint32_t bloom_fmix32_(uint32_t h)
{
    h = (h ^ h >> 16) * 0x85EBCA6BU;
    h = (h ^ h >> 13) * 0xC2B2AE35U;
    return h ^ h >> 16;
}

/* The bytes left at the end are mixed in like a whole word, even if there are
   none: mixing a 0 changes nothing. */
static inline uint32_t bloom_murmur32_(const unsigned char *key, size_t size,
                                       uint32_t seed)
{
    uint32_t h = seed, word;
    size_t i = 0;
    unsigned bits;
    do {
        word = 0;
        for (bits = 0; bits < 32 && i < size; bits += 8)
            word |= (uint32_t)key[i++] << bits;
        h ^= bloom_mix32_(word);
        if (bits == 32)
            h = bloom_rotl32_(h, 13) * 5 + 0xE6546B64U;
    } while (bits == 32);
    return bloom_fmix32_(h ^ (uint32_t)size);
}

/* ---- Both widths --------------------------------------------------------- */

/* Where the hash of a key starts. Seeds are spread, so that near seeds do not
   give near integers one another's cells. It is 0 only for seed 2^64 - 1, from
   where MurmurHash3 hashes the empty key to 0, with all its cells together. */
#define BLOOM_GOLDEN_ 0x9E3779B97F4A7C15U           /* 2^64 / golden ratio */

static inline uint64_t bloom_start_(uint64_t seed)
{
    return (seed + 1) * BLOOM_GOLDEN_;
}

/* The seed of the second hash is the complement of the first hash. So it is not
   0 if the first hash is 0, as for the empty key with seed 0. */
BLOOM_NEVER_ bloom_hash bloom_hash32_(const unsigned char *key, size_t size,
                                      uint64_t seed)
{
    uint32_t a = bloom_murmur32_(key, size, bloom_low_half_(seed));
    uint32_t b = bloom_murmur32_(key, size, ~a);
    const bloom_hash h = { (uint64_t)a << 32 | b, (uint64_t)b << 32 };
    return h;
}

static inline bloom_hash bloom_hash_(bloom_plan plan, const void *key,
                                     size_t size)
{
    const unsigned char *bytes = (const unsigned char *)key;
    return BLOOM_IS_32_(plan) ? bloom_hash32_(bytes, size, plan.seed)
                              : bloom_murmur64_(bytes, size,
                                                bloom_start_(plan.seed));
}

BLOOM_NEVER_ bloom_hash bloom_hash32_u64_(uint64_t key, uint64_t seed)
{
    unsigned char bytes[8];
    bloom_store64_(bytes, key);
    return bloom_hash32_(bytes, 8, seed);
}

/* An integer has 64 bits to begin with: MurmurHash3's finaliser is enough. */
static inline uint64_t bloom_h1_u64_(uint64_t key, uint64_t seed)
{
    return bloom_fmix64_(key + bloom_start_(seed));
}

/* The step, h2, of an integer. Without the rotation, two integers that share
   the low half of h1 would share that of each step, and its bits in blocks. */
static inline bloom_hash bloom_from_h1_(uint64_t h1)
{
    const bloom_hash h = { h1, bloom_rotl64_(h1, 32) * BLOOM_GOLDEN_ };
    return h;
}

static inline bloom_hash bloom_hash_u64_(bloom_plan plan, uint64_t key)
{
    return BLOOM_IS_32_(plan) ? bloom_hash32_u64_(key, plan.seed)
                              : bloom_from_h1_(bloom_h1_u64_(key, plan.seed));
}

BLOOM_API bloom_hash bloom_hash_key(const bloom *b, const void *key,
                                    size_t size)
{
    return bloom_hash_(bloom_plan_of(b), key, size);
}

BLOOM_API bloom_hash bloom_hash_u64(const bloom *b, uint64_t key)
{
    return bloom_hash_u64_(bloom_plan_of(b), key);
}

/* ==== The walk: from a hash to cells ========================================
   A key walks through the filter by enhanced double hashing (Dillinger and
   Manolios 2004): it starts at position x and takes steps of y, and y changes
   after each step. Plain double hashing keeps y, and so its keys share cells
   too often. Here y is multiplied by a constant with good spectra (Steele and
   Vigna 2021). A factor of few bits, such as 37, would correlate three steps in
   a row; with this one the cells of a key are as good as k independent hashes.
   A position x of 64 bits stands for the cell that lies x / 2^64 of the way
   through the filter: the high half of the product x * m (Lemire 2019, "Fast
   random integer generation in an interval"). That needs no division and suits
   any m. */

#define BLOOM_FACTOR_ 0xD1342543DE82EF95U

/* The high half of the product of 128 bits, by the CPU's own instruction where
   the compiler has one; for WebAssembly __int128 would be a call. */
#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
__extension__ typedef unsigned __int128 bloom_product_;

static inline uint64_t bloom_high_half_(uint64_t x, uint64_t m)
{
    return (uint64_t)((bloom_product_)x * m >> 64);
}
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
static inline uint64_t bloom_high_half_(uint64_t x, uint64_t m)
{
    return __umulh(x, m);
}
#else
static inline uint64_t bloom_high_half_(uint64_t x, uint64_t m)
{
    uint64_t x0 = x & 0xFFFFFFFFU, x1 = x >> 32;
    uint64_t m0 = m & 0xFFFFFFFFU, m1 = m >> 32;
    uint64_t a = x1 * m0 + (x0 * m0 >> 32);
    uint64_t b = x0 * m1 + (a & 0xFFFFFFFFU);
    return x1 * m1 + (a >> 32) + (b >> 32);
}
#endif

#ifndef BLOOM_TINY

typedef struct bloom_walk_ { uint64_t x, y, m; } bloom_walk_;

/* In width 32 the low half of the step counts as 0. So the low half of x never
   changes, and a CPU of 32 bits gets the same cells with 32-bit numbers. */
static inline uint64_t bloom_y_(bloom_plan plan, uint64_t h2)
{
    return BLOOM_IS_32_(plan) ? h2 >> 32 << 32 : h2;
}

static inline bloom_walk_ bloom_walk_at_(uint64_t x, uint64_t y, uint64_t m)
{
    const bloom_walk_ walk = { x, y, m };
    return walk;
}

static inline bloom_walk_ bloom_walk_of_(bloom_plan plan, bloom_hash h)
{
    return bloom_walk_at_(h.h1, bloom_y_(plan, h.h2), plan.cells);
}

static inline void bloom_step_(bloom_walk_ *walk)
{
    walk->x += walk->y;
    walk->y *= BLOOM_FACTOR_;
}

static inline uint64_t bloom_next_(bloom_walk_ *walk)
{
    uint64_t cell = bloom_high_half_(walk->x, walk->m);
    bloom_step_(walk);
    return cell;
}

#else

/* The walk of width 32 with m < 2^32, in numbers of 32 bits: x and y are upper
   halves, and `low` is what the lower half of x adds to each product. m, a
   multiple of 64, is kept as m / 64, which fits into 16 bits where size_t has
   16. On an AVR this saves over 1,000 bytes of code. */
typedef struct bloom_walk_ { uint32_t x, y, m, low; } bloom_walk_;

/* (x * m + low) / 2^26, rounded down; low < 2^26 */
static inline uint32_t bloom_high_part_(uint32_t x, uint32_t m, uint32_t low)
{
    uint32_t lower = (x & 0xFFFF) * (m & 0xFFFF) + low;
    if (SIZE_MAX > 0xFFFF)
        return (uint32_t)(((uint64_t)x * m + low) >> 26);
    return ((x >> 16) * (m & 0xFFFF) + (lower >> 16)) >> 10;
}

static inline bloom_walk_ bloom_walk_at_(uint32_t x, uint32_t y, uint32_t low,
                                         uint32_t m)
{
    const bloom_walk_ walk = { x, y, m / 64,
                               bloom_high_part_(low, m / 64, 0) >> 6 };
    return walk;
}

static inline bloom_walk_ bloom_walk_of_(bloom_plan plan, bloom_hash h)
{
    return bloom_walk_at_((uint32_t)(h.h1 >> 32), (uint32_t)(h.h2 >> 32),
                          bloom_low_half_(h.h1), bloom_low_half_(plan.cells));
}

static inline bloom_walk_ bloom_walk_of_key_(const unsigned char *header,
                                             const void *key, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)key;
    uint32_t a = bloom_murmur32_(bytes, size,
                                 bloom_load32_(header + BLOOM_SEED_AT_));
    uint32_t b = bloom_murmur32_(bytes, size, ~a);
    return bloom_walk_at_(a, b, b, bloom_load32_(header + BLOOM_M_AT_));
}

static inline void bloom_step_(bloom_walk_ *walk)
{
    walk->x += walk->y;
    walk->y *= bloom_low_half_(BLOOM_FACTOR_);
}

static inline uint32_t bloom_next_(bloom_walk_ *walk)
{
    uint32_t cell = bloom_high_part_(walk->x, walk->m, walk->low);
    bloom_step_(walk);
    return cell;
}

#endif

/* ==== The three layouts =====================================================
   Each adds a key to the cells, or looks for it, along its walk. */

/* ---- CLASSIC: one bit a cell -----------------------------------------------
   Bit 0 of the result is the cell (of bloom_set_bit_: as it was before). Ignore
   the other bits. */

static inline unsigned bloom_look_bit_(const unsigned char *cells,
                                       uint64_t cell)
{
    const unsigned char *byte = cells + (size_t)(cell >> 3);
    return (unsigned)BLOOM_READ_BYTE(byte) >> (cell & 7);
}

static inline unsigned bloom_set_bit_(unsigned char *cells, uint64_t cell)
{
    unsigned char *byte = cells + (size_t)(cell >> 3);
    unsigned old = BLOOM_LOAD_BYTE_(byte);
    BLOOM_SET_BITS_(byte, old, 1U << (cell & 7));
    return old >> (cell & 7);
}

/* Sets the k cells. true: one of them was not set, so the key is new. */
static inline bool bloom_classic_add_(unsigned char *cells, unsigned k,
                                      bloom_walk_ *walk)
{
    unsigned set = 1;
    do
        set &= bloom_set_bit_(cells, bloom_next_(walk));
    while (--k > 0);
    return !(set & 1);
}

static inline bool bloom_classic_look_(const unsigned char *cells, unsigned k,
                                       bloom_walk_ *walk)
{
    unsigned set;
    do
        set = bloom_look_bit_(cells, bloom_next_(walk)) & 1;
    while (--k > 0 && set);
    return set;
}

/* ---- COUNTING: four bits a cell --------------------------------------------
   A counter that has reached 15 may stand for more, and so never moves again.
   A key whose probes coincide counts each of them. */

static inline unsigned bloom_shift_(uint64_t cell)
{
    return cell & 1 ? 4 : 0;
}

/* Counts a cell up (step 1) or down (-1), or only reads it (0); 15 stays 15,
   and 0 is not counted down. Returns what the cell was. */
static inline unsigned bloom_count_(unsigned char *cells, uint64_t cell,
                                    int step)
{
    unsigned char *byte = cells + (size_t)(cell >> 1);
    unsigned char old = BLOOM_LOAD_BYTE_(byte);
    unsigned one = 1U << bloom_shift_(cell);
    unsigned count = old >> bloom_shift_(cell) & 15;
    while (step != 0 && count < 15 && (step > 0 || count > 0)
           && !BLOOM_SWAP_BYTE_(byte, &old, step > 0 ? old + one : old - one))
        count = old >> bloom_shift_(cell) & 15;
    return count;
}

static inline bool bloom_counting_add_(unsigned char *cells, unsigned k,
                                       bloom_walk_ *walk)
{
    bool absent = false;
    while (k-- > 0)
        if (bloom_count_(cells, bloom_next_(walk), 1) == 0)
            absent = true;
    return absent;
}

/* Does it to each cell of a key until one was 0; returns how many were not 0 */
static inline unsigned bloom_counting_step_(unsigned char *cells, unsigned k,
                                            bloom_walk_ walk, int step)
{
    unsigned done = 0;
    while (done < k && bloom_count_(cells, bloom_next_(&walk), step) > 0)
        done++;
    return done;
}

/* Nothing is written if a cell is 0: so a thread that removes an absent key
   hides no other. If one is 0 only at its turn, because probes coincide or
   another thread was quicker, those before it are counted up again. */
static inline bool bloom_counting_remove_(unsigned char *cells, unsigned k,
                                          bloom_walk_ walk)
{
    unsigned done;
    if (bloom_counting_step_(cells, k, walk, 0) < k)
        return false;
    done = bloom_counting_step_(cells, k, walk, -1);
    if (done < k)
        bloom_counting_add_(cells, done, &walk);
    return done == k;
}

static inline bool bloom_is_counted_(const unsigned char *cells, uint64_t cell)
{
    const unsigned char *byte = cells + (size_t)(cell >> 1);
    return (BLOOM_READ_BYTE(byte) >> bloom_shift_(cell) & 15) != 0;
}

static inline bool bloom_counting_look_(const unsigned char *cells, unsigned k,
                                        bloom_walk_ *walk)
{
    while (k-- > 0)
        if (!bloom_is_counted_(cells, bloom_next_(walk)))
            return false;
    return true;
}

/* ---- BLOCKED: eight bits at a position -------------------------------------
   A position stands for a block of 256 bits, which lies in one cache line if
   the image is aligned to 32 bytes. The key has one bit in each of the block's
   eight words of 32 bits: the lower half of x times the word's salt is a
   product of 32 bits, whose top 5 are the number of that bit. With one position
   a key, k = 8, this is Apache Parquet's filter; with several it is
   multi-blocking (Putze, Sanders, Singler 2007), which is for small p. */

#define BLOOM_SALTS_ 0x47B6137BU, 0x44974D91U, 0x8824AD5BU, 0xA2B7289DU, \
                     0x705495C7U, 0x2DF1424BU, 0x9EFC4947U, 0x5C6BFB31U

/* Where the block of position x begins, in bytes. The upper half of x chooses
   it, as in Parquet. From m = 2^34 on these 32 bits are too few to choose
   evenly, and all of x does. */
static inline size_t bloom_block_(uint64_t m, uint64_t x)
{
    const uint64_t mask = m >> 34 == 0 ? 0xFFFFFFFF00000000U : UINT64_MAX;
    return (size_t)(bloom_high_half_(x & mask, m >> 8) << 5);
}

/* The bit of its block, 0..255, that position x has in word i */
static inline unsigned bloom_block_bit_(uint64_t x, unsigned i)
{
    static const uint32_t salt[8] = { BLOOM_SALTS_ };
    return i << 5 | (unsigned)((x & 0xFFFFFFFFU) * salt[i] >> 27 & 31);
}

static inline bool bloom_look_block_(const unsigned char *block,
                                           uint64_t x)
{
    unsigned i, set = 1;
    for (i = 0; i < 8; i++)
        set &= bloom_look_bit_(block, bloom_block_bit_(x, i));
    return set & 1;
}

static inline bool bloom_add_block_(unsigned char *block, uint64_t x)
{
    unsigned i, set = 1;
    for (i = 0; i < 8; i++)
        set &= bloom_set_bit_(block, bloom_block_bit_(x, i));
    return !(set & 1);
}

/* Adds a key to all of its blocks. true: one of them did not have it. */
static inline bool bloom_blocked_add_(unsigned char *cells, unsigned k,
                                      bloom_walk_ *walk)
{
    bool is_new = false;
    for (; k > 0; k -= 8, bloom_step_(walk))
        if (bloom_add_block_(cells + bloom_block_(walk->m, walk->x), walk->x))
            is_new = true;
    return is_new;
}

static inline bool bloom_blocked_look_(const unsigned char *cells, unsigned k,
                                       bloom_walk_ *walk)
{
    for (; k > 0; k -= 8, bloom_step_(walk))
        if (!bloom_look_block_(cells + bloom_block_(walk->m, walk->x),
                               walk->x))
            return false;
    return true;
}

/* ==== One key ============================================================= */

/* Adds a key to a filter of any layout. true: it is certainly new. */
static inline bool bloom_add_walk_(unsigned char *cells, unsigned layout,
                                   unsigned k, bloom_walk_ *walk)
{
    return BLOOM_IS_BLOCKED_(layout) ? bloom_blocked_add_(cells, k, walk)
         : BLOOM_IS_COUNTING_(layout) ? bloom_counting_add_(cells, k, walk)
                                      : bloom_classic_add_(cells, k, walk);
}

static inline bool bloom_look_walk_(const unsigned char *cells,
                                    unsigned layout, unsigned k,
                                    bloom_walk_ *walk)
{
    return BLOOM_IS_BLOCKED_(layout) ? bloom_blocked_look_(cells, k, walk)
         : BLOOM_IS_COUNTING_(layout) ? bloom_counting_look_(cells, k, walk)
                                      : bloom_classic_look_(cells, k, walk);
}

BLOOM_API bool bloom_remove_hash(bloom *b, bloom_hash h)
{
    unsigned char *image = bloom_bytes_(b);
    const bloom_plan plan = bloom_parse_(image);
    if (!BLOOM_IS_COUNTING_(plan.layout))
        return false;
    bloom_unseal_(image);
    return bloom_counting_remove_(image + BLOOM_HEADER_, plan.hashes,
                                  bloom_walk_of_(plan, h));
}

BLOOM_API bool bloom_remove(bloom *b, const void *key, size_t size)
{
    const bloom_plan plan = bloom_parse_(bloom_bytes_(b));
    return bloom_remove_hash(b, bloom_hash_(plan, key, size));
}

BLOOM_API bool bloom_remove_u64(bloom *b, uint64_t key)
{
    const bloom_plan plan = bloom_parse_(bloom_bytes_(b));
    return bloom_remove_hash(b, bloom_hash_u64_(plan, key));
}

BLOOM_API unsigned bloom_probes(const bloom *b, bloom_hash h,
                                uint64_t index[64])
{
    const bloom_plan plan = bloom_plan_of(b);
    bloom_walk_ walk = bloom_walk_of_(plan, h);
    for (unsigned i = 0; i < plan.hashes; i++) {
        if (!BLOOM_IS_BLOCKED_(plan.layout)) {
            index[i] = bloom_next_(&walk);
            continue;
        }
        index[i] = (uint64_t)bloom_block_(walk.m, walk.x) * 8
                 + bloom_block_bit_(walk.x, i % 8);
        if (i % 8 == 7)
            bloom_step_(&walk);
    }
    return plan.hashes;
}

/* ---- Many keys -------------------------------------------------------------
   The six calls of the interface meet in bloom_many_. There are three kinds of
   keys: exactly one of the pointers is set. */

typedef struct bloom_keys_ {
    const bloom_key *bytes;
    const uint64_t *integers;
    const bloom_hash *hashes;
    size_t count;
    bool *results;                      /* or NULL */
} bloom_keys_;

/* b is the filter; `into` is b again to add keys, or NULL to look them up. */
static size_t bloom_many_(bloom *into, const bloom *b, bloom_keys_ keys);

BLOOM_API size_t bloom_add_many(bloom *b, const bloom_key *keys,
                                size_t count, bool *is_new)
{
    const bloom_keys_ all = { keys, BLOOM_NULL_, BLOOM_NULL_, count, is_new };
    return bloom_many_(b, b, all);
}

BLOOM_API size_t bloom_add_many_u64(bloom *b, const uint64_t *keys,
                                    size_t count, bool *is_new)
{
    const bloom_keys_ all = { BLOOM_NULL_, keys, BLOOM_NULL_, count, is_new };
    return bloom_many_(b, b, all);
}

BLOOM_API size_t bloom_add_many_hash(bloom *b, const bloom_hash *hashes,
                                     size_t count, bool *is_new)
{
    const bloom_keys_ all = { BLOOM_NULL_, BLOOM_NULL_, hashes, count, is_new };
    return bloom_many_(b, b, all);
}

BLOOM_API size_t bloom_may_contain_many(const bloom *b, const bloom_key *keys,
                                        size_t count, bool *maybe)
{
    const bloom_keys_ all = { keys, BLOOM_NULL_, BLOOM_NULL_, count, maybe };
    return bloom_many_(BLOOM_NULL_, b, all);
}

BLOOM_API size_t bloom_may_contain_many_u64(const bloom *b,
                                            const uint64_t *keys,
                                            size_t count, bool *maybe)
{
    const bloom_keys_ all = { BLOOM_NULL_, keys, BLOOM_NULL_, count, maybe };
    return bloom_many_(BLOOM_NULL_, b, all);
}

BLOOM_API size_t bloom_may_contain_many_hash(const bloom *b,
                                             const bloom_hash *hashes,
                                             size_t count, bool *maybe)
{
    const bloom_keys_ all = { BLOOM_NULL_, BLOOM_NULL_, hashes, count, maybe };
    return bloom_many_(BLOOM_NULL_, b, all);
}

/* ---- Adding and looking up, in small code ----------------------------------
   Other builds have these calls in "Speed". */

#ifdef BLOOM_SMALL_

#ifndef BLOOM_TINY
static bloom_walk_ bloom_walk_of_key_(const unsigned char *header,
                                      const void *key, size_t size)
{
    const bloom_plan plan = bloom_parse_(header);
    return bloom_walk_of_(plan, bloom_hash_(plan, key, size));
}
#endif

BLOOM_API bool bloom_add(bloom *b, const void *key, size_t size)
{
    unsigned char *image = bloom_bytes_(b);
    bloom_walk_ walk = bloom_walk_of_key_(image, key, size);
    bloom_unseal_(image);
    return bloom_add_walk_(image + BLOOM_HEADER_, image[BLOOM_LAYOUT_AT_],
                           image[BLOOM_K_AT_], &walk);
}

BLOOM_API bool bloom_may_contain(const bloom *b, const void *key, size_t size)
{
    const unsigned char *image = bloom_const_bytes_(b);
    unsigned char copy[BLOOM_HEADER_];
    const unsigned char *header = bloom_header_of_(image, copy);
    bloom_walk_ walk = bloom_walk_of_key_(header, key, size);
    return bloom_look_walk_(image + BLOOM_HEADER_, header[BLOOM_LAYOUT_AT_],
                            header[BLOOM_K_AT_], &walk);
}

BLOOM_API bool bloom_add_hash(bloom *b, bloom_hash h)
{
    unsigned char *image = bloom_bytes_(b);
    const bloom_plan plan = bloom_parse_(image);
    bloom_walk_ walk = bloom_walk_of_(plan, h);
    bloom_unseal_(image);
    return bloom_add_walk_(image + BLOOM_HEADER_, plan.layout, plan.hashes,
                           &walk);
}

BLOOM_API bool bloom_may_contain_hash(const bloom *b, bloom_hash h)
{
    const bloom_plan plan = bloom_plan_of(b);
    bloom_walk_ walk = bloom_walk_of_(plan, h);
    return bloom_look_walk_(bloom_const_bytes_(b) + BLOOM_HEADER_, plan.layout,
                            plan.hashes, &walk);
}

BLOOM_API bool bloom_add_u64(bloom *b, uint64_t key)
{
    const bloom_plan plan = bloom_parse_(bloom_bytes_(b));
    return bloom_add_hash(b, bloom_hash_u64_(plan, key));
}

BLOOM_API bool bloom_may_contain_u64(const bloom *b, uint64_t key)
{
    return bloom_may_contain_hash(b, bloom_hash_u64(b, key));
}

static size_t bloom_many_(bloom *into, const bloom *b, bloom_keys_ keys)
{
    const bloom_plan plan = into ? bloom_parse_(bloom_bytes_(into))
                                 : bloom_plan_of(b);
    size_t i, trues = 0;
    for (i = 0; i < keys.count; i++) {
        const bloom_hash h = keys.hashes ? keys.hashes[i]
            : keys.integers ? bloom_hash_u64_(plan, keys.integers[i])
            : bloom_hash_(plan, keys.bytes[i].data, keys.bytes[i].size);
        const bool result = into ? bloom_add_hash(into, h)
                                 : bloom_may_contain_hash(b, h);
        trues += result;
        if (keys.results)
            keys.results[i] = result;
    }
    return trues;
}

#endif

/* ==== Whole filters =========================================================
   As m is a multiple of 64, cells are read and written in words of 64 bits. */

static bool bloom_same_plan_(bloom_plan a, bloom_plan b)
{
    return a.cells == b.cells && a.seed == b.seed && a.hashes == b.hashes
        && a.layout == b.layout && a.hash_bits == b.hash_bits;
}

/* Eight counters, one in the lower half of each byte: the sums, 15 at most, or
   the lesser ones. Bit 4 of a byte is set in x + y if the sum is beyond 15, and
   in 16 + x - y if x is not less than y. */
static inline uint64_t bloom_combined_counters_(uint64_t x, uint64_t y,
                                                bool both)
{
    const uint64_t next = 0x1010101010101010U;
    uint64_t sum = both ? (x | next) - y : x + y;
    uint64_t mask = (sum & next) - ((sum & next) >> 4);     /* 15 where it is */
    return both ? (y & mask) | (x & ~mask) : (sum | mask) & ~next;
}

/* Two words of cells: those that either has, or those that both have */
BLOOM_ALWAYS_ uint64_t bloom_combined_(uint64_t x, uint64_t y, bool counters,
                                       bool both)
{
    const uint64_t low = 0x0F0F0F0F0F0F0F0FU;
    if (!counters)
        return both ? x & y : x | y;
    return bloom_combined_counters_(x & low, y & low, both)
         | bloom_combined_counters_(x >> 4 & low, y >> 4 & low, both) << 4;
}

/* With BLOOM_ATOMIC this is done byte by byte, and again for a byte that
   another thread has changed meanwhile. */
BLOOM_ALWAYS_ void bloom_combine_words_(unsigned char *to,
                                        const unsigned char *from, size_t size,
                                        bool counters, bool both)
{
#ifdef BLOOM_ATOMIC
    for (size_t i = 0; i < size; i++) {
        unsigned char old = BLOOM_LOAD_BYTE_(to + i), now;
        const unsigned char other = BLOOM_LOAD_BYTE_(from + i);
        do
            now = (unsigned char)bloom_combined_(old, other, counters, both);
        while (now != old && !BLOOM_SWAP_BYTE_(to + i, &old, now));
    }
#else
    for (size_t i = 0; i < size; i += 8)
        bloom_store64_(to + i, bloom_combined_(bloom_load64_(to + i),
                       bloom_load64_(from + i), counters, both));
#endif
}

static bool bloom_combine_(bloom *into, const bloom *from, bool both)
{
    unsigned char *to = bloom_bytes_(into);
    const unsigned char *source = bloom_const_bytes_(from);
    const bloom_plan plan = bloom_parse_(to);
    const size_t size = bloom_plan_size(plan) - BLOOM_HEADER_;
    if (!bloom_same_plan_(plan, bloom_parse_(source)))
        return false;
    bloom_unseal_(to);
    to += BLOOM_HEADER_;
    source += BLOOM_HEADER_;
    if (BLOOM_IS_COUNTING_(plan.layout))
        bloom_combine_words_(to, source, size, true, both);
    else
        bloom_combine_words_(to, source, size, false, both);
    return true;
}

BLOOM_API bool bloom_merge(bloom *into, const bloom *from)
{
    return bloom_combine_(into, from, false);
}

BLOOM_API bool bloom_intersect(bloom *into, const bloom *from)
{
    return bloom_combine_(into, from, true);
}

BLOOM_API bool bloom_flatten(bloom *into_classic, const bloom *counting)
{
    unsigned char *to = bloom_bytes_(into_classic);
    const unsigned char *image = bloom_const_bytes_(counting);
    bloom_plan plan = bloom_parse_(image);
    uint64_t cell;
    if (!BLOOM_IS_COUNTING_(plan.layout))
        return false;
    plan.layout = BLOOM_CLASSIC;
    if (!bloom_same_plan_(plan, bloom_parse_(to)))
        return false;
    bloom_clear(into_classic);
    for (cell = 0; cell < plan.cells; cell++)
        if (image[BLOOM_HEADER_ + (size_t)(cell >> 1)]
            >> bloom_shift_(cell) & 15)
            bloom_set_bit_(to + BLOOM_HEADER_, cell);
    return true;
}

/* The number of ones in x: summed up in pairs of bits, in fours, in bytes, and
   then over the eight bytes. */
static inline unsigned bloom_popcount_(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555U;
    x = (x & 0x3333333333333333U) + (x >> 2 & 0x3333333333333333U);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FU;
    return (unsigned)(x * 0x0101010101010101U >> 56);
}

BLOOM_API uint64_t bloom_ones(const bloom *b)
{
    const unsigned char *image = bloom_const_bytes_(b);
    bloom_plan plan = bloom_parse_(image);
    size_t i, size = bloom_plan_size(plan);
    uint64_t ones = 0, word;
    for (i = BLOOM_HEADER_; i < size; i += 8) {
        word = bloom_load_word_(image + i);
        if (BLOOM_IS_COUNTING_(plan.layout)) {      /* a bit each, if not 0 */
            word |= word >> 2;
            word = (word | word >> 1) & 0x1111111111111111U;
        }
        ones += bloom_popcount_(word);
    }
    return ones;
}

/* ---- Folding ---------------------------------------------------------------
   The cell of x is floor(x * m / 2^64), and floor of that over `by` is floor(x
   * (m / by) / 2^64), the cell of the same x among m / by; the walk does not
   know m. So cell i of the folded filter stands for the cells i * by to i * by
   + by - 1, and blocks do likewise. What is written lies before what is still
   to be read. */

#ifndef BLOOM_TINY

/* 1 if one of `count` bits, from number `from` on, is set */
static inline uint64_t bloom_any_set_(const unsigned char *cells, uint64_t from,
                                      uint64_t count)
{
    for (;;) {
        const unsigned skip = (unsigned)(from & 63), left = 64 - skip;
        uint64_t word = bloom_load64_(cells + (size_t)(from / 64 * 8)) >> skip;
        if (count < left)
            word &= ((uint64_t)1 << count) - 1;
        if (word != 0 || count <= left)
            return word != 0;
        from += left;
        count -= left;
    }
}

/* The sum of `count` counters, from number `from` on, at most 15 */
static inline uint64_t bloom_sum_of_(unsigned char *cells, uint64_t from,
                                     uint64_t count)
{
    uint64_t sum = 0;
    for (; count > 0 && sum < 15; count--)
        sum += bloom_count_(cells, from++, 0);
    return sum < 15 ? sum : 15;
}

/* A word of the folded filter: a quarter of a block, 16 counters or 64 bits */
static inline uint64_t bloom_folded_word_(unsigned char *cells, unsigned layout,
                                          uint64_t i, uint64_t by)
{
    uint64_t word = 0, j;
    if (layout == BLOOM_BLOCKED)
        for (j = 0; j < by; j++)
            word |= bloom_load64_(cells
                + (size_t)((i / 4 * by + j) * 32 + i % 4 * 8));
    else if (layout == BLOOM_COUNTING)
        for (j = 16; j-- > 0; )
            word = word << 4 | bloom_sum_of_(cells, (i * 16 + j) * by, by);
    else
        for (j = 64; j-- > 0; )
            word = word << 1 | bloom_any_set_(cells, (i * 64 + j) * by, by);
    return word;
}

/* The plan of the folded filter; one of size 0 if it cannot be folded so. */
static bloom_plan bloom_folded_plan_(bloom_plan plan, uint64_t by)
{
    const uint64_t cells = by == 0 || plan.cells % by != 0 ? 0
                         : plan.cells / by;
    const bool other_rule = plan.layout == BLOOM_BLOCKED
                         && plan.cells >> 34 != 0 && cells >> 34 == 0;
    plan.cells = other_rule ? 0 : cells;
    return plan;
}

BLOOM_API bool bloom_fold(bloom *b, uint64_t by)
{
    unsigned char *image = bloom_bytes_(b), *cells = image + BLOOM_HEADER_;
    const bloom_plan plan = bloom_folded_plan_(bloom_parse_(image), by);
    const size_t size = bloom_plan_size(plan);
    if (size == 0)
        return false;
    bloom_unseal_(image);
    for (uint64_t i = 0; i < (size - BLOOM_HEADER_) / 8; i++)
        bloom_store64_(cells + (size_t)(i * 8),
                       bloom_folded_word_(cells, plan.layout, i, by));
    bloom_store64_(image + BLOOM_M_AT_, plan.cells);
    return true;
}

#endif

/* ---- Seals -----------------------------------------------------------------
   The seal is the hash of the cells, seeded with the hash of the 24 bytes
   before the seal. A result of 0 is stored as 1, because 0 means no seal. */

static inline uint64_t bloom_digest_(bloom_plan plan,
                                     const unsigned char *bytes, size_t size)
{
    if (BLOOM_IS_32_(plan))
        return bloom_murmur32_(bytes, size, (uint32_t)plan.seed);
    return bloom_murmur64_(bytes, size, plan.seed).h1;
}

static uint64_t bloom_checksum_(const unsigned char *image)
{
    bloom_plan plan = bloom_parse_(image);
    size_t size = bloom_plan_size(plan) - BLOOM_HEADER_;
    uint64_t sum;
    plan.seed = 0;
    plan.seed = bloom_digest_(plan, image, BLOOM_SEAL_AT_);
    sum = bloom_digest_(plan, image + BLOOM_HEADER_, size);
    return sum ? sum : 1;
}

BLOOM_API void bloom_seal(bloom *b)
{
    unsigned char *image = bloom_bytes_(b);
    bloom_store64_(image + BLOOM_SEAL_AT_, bloom_checksum_(image));
}

BLOOM_API bloom_error bloom_verify(const bloom *b)
{
    const unsigned char *image = bloom_const_bytes_(b);
    uint64_t seal = bloom_load64_(image + BLOOM_SEAL_AT_);
    if (seal == 0)
        return BLOOM_UNSEALED;
    return seal == bloom_checksum_(image) ? BLOOM_OK : BLOOM_CORRUPT;
}

/* ==== Making ============================================================== */

/* Writes all of the header but the seal. */
static inline void bloom_write_header_(unsigned char *image, bloom_plan plan)
{
    image[0] = 'B';
    image[1] = 'L';
    image[2] = 'M';
    image[3] = 2;
    image[BLOOM_LAYOUT_AT_] = plan.layout;
    image[BLOOM_WIDTH_AT_] = plan.hash_bits;
    image[BLOOM_K_AT_] = plan.hashes;
    image[7] = 0;
    bloom_store64_(image + BLOOM_M_AT_, plan.cells);
    bloom_store64_(image + BLOOM_SEED_AT_, plan.seed);
}

static inline void bloom_clear_(unsigned char *image, bloom_plan plan)
{
    const bloom_number_ m = (bloom_number_)plan.cells;
    BLOOM_ZERO_(image + BLOOM_SEAL_AT_, BLOOM_HEADER_ - BLOOM_SEAL_AT_
                + (size_t)bloom_cell_bytes_(m, plan.layout));
}

BLOOM_API void bloom_clear(bloom *b)
{
    unsigned char *image = bloom_bytes_(b);
    bloom_clear_(image, bloom_parse_(image));
}

BLOOM_API bloom *bloom_init(void *memory, size_t size, bloom_plan plan)
{
    unsigned char *image = (unsigned char *)memory;
    if (!image || bloom_plan_size_(plan, size) == 0)
        return BLOOM_NULL_;
    bloom_write_header_(image, plan);
    bloom_clear_(image, plan);
    return (bloom *)memory;
}

#ifndef BLOOM_NO_MALLOC

/* Memory for an image of `size` bytes; NULL for 0 bytes. The image begins at a
   multiple of 32 in a larger block; the byte before it tells how far in. */
static unsigned char *bloom_allocate_(size_t size)
{
    size_t room = size + 32, skip;
    void *memory = size > 0 && room > size ? BLOOM_MALLOC(room) : BLOOM_NULL_;
    unsigned char *image = (unsigned char *)memory;
    if (!memory)
        return BLOOM_NULL_;
    skip = 32 - (uintptr_t)image % 32;
    image += skip;
    image[-1] = (unsigned char)skip;
    return image;
}

BLOOM_API bloom *bloom_create(bloom_plan plan)
{
    size_t size = bloom_plan_size(plan);
    unsigned char *image = bloom_allocate_(size);
    if (!BLOOM_IS_CLEARED_)
        return bloom_init(image, size, plan);
    if (image)
        bloom_write_header_(image, plan);
    return (bloom *)(void *)image;
}

#ifndef BLOOM_NO_FLOAT
BLOOM_API bloom *bloom_new(uint64_t n, double p)
{
    return bloom_create(bloom_plan_for(n, p));
}
#endif

BLOOM_API bloom *bloom_copy(const bloom *b)
{
    const unsigned char *from = bloom_const_bytes_(b);
    const size_t size = bloom_size(b);
    unsigned char *image = bloom_allocate_(size);
    for (size_t i = 0; image && i < size; i++)
        image[i] = (unsigned char)BLOOM_READ_BYTE(from + i);
    return (bloom *)(void *)image;
}

BLOOM_API void bloom_free(bloom *b)
{
    if (b) {
        unsigned char *image = bloom_bytes_(b);
        BLOOM_FREE(image - image[-1]);
    }
}

#endif

/* ==== Planning ==============================================================
   The textbook throws each probe at random: n keys leave each of m cells unset
   with probability (1 - 1/m)^(kn), the rest is the share `fill` of set cells,
   and an absent key finds its k cells set with probability fill^k. Three things
   make the exact rate higher:
   * Filters differ in their share of set cells, F, and fuller ones count for
     more: the rate is E[F^k], 1.24 times fill^k for m = 64, k = 10, n = 4.
   * Blocks are not filled alike. At p = 1% that costs 10% of memory.
   * A step has 64 bits of hash, or 32. If all are 0, the walk stays on one
     cell: no rate is below this floor, about 2^-64, or 2^-32. */

/* ---- Planning in integers: see BLOOM_CELLS_ ------------------------------ */

static bloom_plan bloom_no_plan_(void)
{
    bloom_plan plan = { 0, 0, 0, BLOOM_CLASSIC, BLOOM_WIDTH_ };
    return plan;
}

BLOOM_API bloom_plan bloom_plan_one_in(uint64_t n, uint64_t one_in)
{
    bloom_plan plan = bloom_no_plan_();
    unsigned e = 0;
    while (one_in >> e > 1)
        e++;
    plan.cells = BLOOM_CELLS_(n, one_in, e);
    plan.hashes = (uint8_t)BLOOM_HASHES_(n, one_in, e);
    return plan;
}

#ifndef BLOOM_NO_FLOAT

/* ---- Powers, without libm ------------------------------------------------ */

/* ln(1 + x) for x > -0.3, exact near x = 0 as well. 1 + x is halved until x is
   small; then the series of 2 atanh(z) = ln((1 + z) / (1 - z)) is short. */
static double bloom_ln_1_plus_(double x)
{
    double halvings = 0, z, power, sum = 0;
    for (; x > 0.4; x = (x - 1) / 2)
        halvings++;
    z = power = x / (2 + x);
    for (unsigned i = 1; i < 25; i += 2) {
        sum += power / i;
        power *= z * z;
    }
    return 2 * sum + halvings * 0.69314718055994531;
}

/* (1 + x)^n - 1 where that is at most 0, exact near 0 as well. The series of
   e^y - 1 gives it for a part y of the exponent, which is doubled again by
   e^2y - 1 = (e^y - 1)(e^y - 1 + 2). */
static double bloom_power_minus_1_(double x, double n)
{
    double y = n * bloom_ln_1_plus_(x), term = 1, sum = 0;
    unsigned i, doublings = 0;
    for (; y < -0.1; y /= 2)
        doublings++;
    for (i = 1; i < 12; i++) {
        term *= y / i;
        sum += term;
    }
    while (doublings-- > 0)
        sum *= sum + 2;
    return sum;
}

/* ---- Moments ---------------------------------------------------------------
   k random cells are all set with probability E[F^k] (Bose et al. 2008,
   Christensen et al. 2010). If i are set, the next one is with probability
   ratio(i) = E[F^(i+1)] / E[F^i]. The first three ratios are computed exactly.
   Ratios rise ever more slowly and lie near the curve (A + B i)/(1 + C i)
   through those three. With k about the best and p >= 10^-12, the product is at
   most 1.4% too high for one key, 0.2% for two, and 0.002% from ten on. */
static double bloom_moment_(double m, unsigned k, double fill, double choices)
{
    /* by2 = (1 - 2/m)^choices - q^2, by3 = (1 - 3/m)^choices - q^3 */
    double q = 1 - fill, pair = 1 / ((m - 1) * (m - 1));
    double by2 = q * q * bloom_power_minus_1_(-pair, choices);
    double by3 = q * q * q
               * bloom_power_minus_1_(-(3 + 2 / (m - 1)) * pair, choices);
    double two = fill * fill + by2;
    double three = fill * fill * fill + 3 * by2 - by3;
    double square = (fill + (m - 1) * two) / m;             /* E[F^2], E[F^3] */
    double cube = (fill + (m - 1) * (3 * two + (m - 2) * three)) / (m * m);
    double rise = square / fill - fill, next = cube / square - square / fill;
    double c = next > 0 && next < rise ? (rise - next) / (2 * next) : 0;
    double moment = fill;
    for (unsigned i = 1; i < k; i++)
        moment *= fill + rise * i * (1 + c) / (1 + i * c);
    return moment;
}

/* A walk whose step is 0 stays on one cell, one whose step is half the range on
   two, and so on. Such keys add about fill * 2^-63 to each rate, in width 32
   fill * 2^-31. */
static double bloom_with_floor_(bloom_plan plan, double fill, double rate)
{
    rate += fill / (BLOOM_IS_32_(plan) ? 2147483648.0 : 9223372036854775808.0);
    return rate < 1 ? rate : 1;
}

static double bloom_classic_rate_(bloom_plan plan, double n)
{
    double m = (double)plan.cells, choices = n * plan.hashes;
    double fill = -bloom_power_minus_1_(-1 / m, choices);
    return bloom_with_floor_(plan, fill,
                             bloom_moment_(m, plan.hashes, fill, choices));
}

/* ---- Blocks (Putze, Sanders, Singler 2007) ---------------------------------
   A key chooses b = k/8 of the blocks, and one bit in each of a block's eight
   words of 32. A block that was chosen j times accepts a choice of an absent
   key with chance (1 - (31/32)^j)^8 + j * 2^-32: all eight words have the bit,
   or its 32 bits of hash are those of one of the j. */

/* ways[c][e]: the chance that c <= b choices in a word are e different bits */
static void bloom_count_ways_(unsigned b, double ways[9][9])
{
    unsigned c, e;
    for (c = 0; c <= b; c++)
        for (e = 0; e <= b; e++)
            ways[c][e] = c == 0 ? e == 0
                       : ways[c - 1][e] * e / 32 + (e == 0 ? 0
                       : ways[c - 1][e - 1] * (33 - e) / 32);
}

/* Writes to mean[c], c = 1..b, the chance that a block accepts c choices of a
   key, as a mean over all blocks. set[e] is the chance that e given bits of a
   word are set after j choices; j is binomial, as each of n * b choices falls
   on one of the blocks. From j = 0 up each weight is a multiple of the last;
   they are scaled down when they grow large. One block alone has j = n * b. */
static void bloom_mean_chances_(double blocks, double choices, unsigned b,
                                double mean[9])
{
    double j, weight = 1, word, ways[9][9], set[9] = { 1 };
    unsigned c, e;
    bloom_count_ways_(b, ways);
    for (c = 0; c <= b; c++)
        mean[c] = 0;
    for (j = 0; j <= choices && weight > 1e-12 * mean[b]; j++) {
        for (c = 0; c <= b && (blocks > 1 || j >= choices); c++) {
            for (word = 0, e = 0; e <= c; e++)
                word += ways[c][e] * set[e];
            word *= word;
            word *= word;
            mean[c] += weight * word * word;
        }
        for (e = b; e > 0; e--)
            set[e] = set[e] * (1 - e / 32.0) + set[e - 1] * (e / 32.0);
        if (blocks > 1)
            weight *= (choices - j) / ((j + 1) * (blocks - 1));
        if (weight > 1e30) {
            for (c = 0; c <= b; c++)
                mean[c] /= weight;
            weight = 1;
        }
    }
    for (c = 1; c <= b; c++)
        mean[c] /= mean[0];
    mean[1] += choices / blocks / 4294967296.0;
}

/* The chance that all b choices of a key are accepted, if a block accepts c of
   them with chance mean[c]: b! / blocks^b times the coefficient of x^b in
   (sum of mean[c] x^c / c!)^blocks. rate[i] is that for i choices, and follows
   from those before it (Euler's recurrence for powers of a series). */
static double bloom_rate_of_choices_(double blocks, unsigned b,
                                     const double mean[9])
{
    double rate[9] = { 1 }, ways;
    unsigned i, c;
    for (i = 1; i <= b; i++) {
        ways = 1 / blocks;
        for (rate[i] = 0, c = 1; c <= i; c++) {
            rate[i] += ways * (c * blocks - (i - c)) * mean[c] * rate[i - c];
            ways *= (i - c) / ((c + 1) * blocks);
        }
    }
    return rate[b];
}

static double bloom_blocked_rate_(bloom_plan plan, double n)
{
    double blocks = (double)plan.cells / 256, mean[9];
    unsigned b = plan.hashes / 8U;
    if (n * b > 1200 * blocks)              /* then all bits are set */
        return 1;
    bloom_mean_chances_(blocks, n * b, b, mean);
    return bloom_with_floor_(plan, mean[1],
                             bloom_rate_of_choices_(blocks, b, mean));
}

/* ---- The rate ------------------------------------------------------------ */

static double bloom_rate_(bloom_plan plan, unsigned k, uint64_t n)
{
    plan.hashes = (uint8_t)k;
    return BLOOM_IS_BLOCKED_(plan.layout)
         ? bloom_blocked_rate_(plan, (double)n)
         : bloom_classic_rate_(plan, (double)n);
}

BLOOM_API double bloom_plan_fpr(bloom_plan plan, uint64_t n)
{
    if (bloom_plan_size(plan) == 0)
        return 1;
    return n ? bloom_rate_(plan, plan.hashes, n) : 0;
}

BLOOM_API uint64_t bloom_plan_capacity(bloom_plan plan, double p)
{
    uint64_t n = 0, bit = 1ULL << 63;
    if (bloom_plan_size(plan) == 0 || !(p > 0 && p < 1))
        return 0;
    for (; bit > 0; bit /= 2)
        if (bloom_rate_(plan, plan.hashes, n + bit) <= p)
            n += bit;
    return n;
}

/* ---- The search ---------------------------------------------------------- */

/* The k of lowest rate: from the one given downhill. */
static unsigned bloom_best_hashes_(bloom_plan plan, unsigned k, uint64_t n)
{
    const unsigned step = BLOOM_IS_BLOCKED_(plan.layout) ? 8 : 1;
    double rate = bloom_rate_(plan, k, n), next;
    while (k + step <= 64 && (next = bloom_rate_(plan, k + step, n)) < rate) {
        rate = next;
        k += step;
    }
    while (k > step && (next = bloom_rate_(plan, k - step, n)) <= rate) {
        rate = next;
        k -= step;
    }
    return k;
}

static bool bloom_is_kept_(bloom_plan plan, uint64_t cells, uint64_t n,
                           double p)
{
    plan.cells = cells;
    return bloom_rate_(plan, plan.hashes, n) <= p;
}

/* The least m with which k probes keep p; no plan if that is beyond 2^62, or p
   is not from 2^-64 to below 1. Begins at the textbook's m, with which p^(1/k)
   of the cells are set, and goes in strides that grow until `low` cells are too
   few and low + stride enough; then halves what lies between. */
static bloom_plan bloom_least_plan_(uint64_t n, double p, bloom_layout layout,
                                    unsigned k)
{
    bloom_plan plan = { 0, 0, (uint8_t)k, (uint8_t)layout, BLOOM_WIDTH_ };
    const uint64_t unit = layout == BLOOM_BLOCKED ? 256 : 64;
    const uint64_t most = 1ULL << 62;
    uint64_t low, stride = unit;
    double unset, guess;
    if (!(p >= 5.421010862427522e-20 && p < 1))
        return bloom_no_plan_();
    unset = -bloom_power_minus_1_(1 / p - 1, -1.0 / k);
    guess = (double)n * k / (1e-17 + bloom_ln_1_plus_(1 / unset - 1));
    low = guess < (double)most ? (uint64_t)guess / unit * unit : most;
    while (low > 0 && bloom_is_kept_(plan, low, n, p)) {
        low -= low < stride ? low : stride;
        stride *= stride < most ? 8 : 1;
    }
    while (low < most && !bloom_is_kept_(plan, low + stride, n, p)) {
        low += stride;
        stride *= 8;
    }
    while ((stride /= 2) >= unit)
        if (!bloom_is_kept_(plan, low + stride, n, p))
            low += stride;
    plan.cells = low + unit;
    return low < most ? plan : bloom_no_plan_();
}

/* The least m of any k, and the least k for it. Begins with the k given, and
   goes on to the best k for one unit less while that needs less m. */
static bloom_plan bloom_best_plan_(uint64_t n, double p, bloom_layout layout,
                                   unsigned k)
{
    const unsigned unit = layout == BLOOM_BLOCKED ? 256 : 64;
    const unsigned step = layout == BLOOM_BLOCKED ? 8 : 1;
    bloom_plan plan = bloom_least_plan_(n, p, layout, k), less;
    for (less = plan; less.cells > unit; plan = less) {
        less.cells -= unit;
        k = bloom_best_hashes_(less, plan.hashes, n);
        less = k == plan.hashes ? plan : bloom_least_plan_(n, p, layout, k);
        if (less.cells >= plan.cells)
            break;
    }
    k = plan.hashes;
    while (k > step && bloom_rate_(plan, k - step, n) <= p)
        k -= step;
    plan.hashes = (uint8_t)k;
    return plan;
}

BLOOM_API bloom_plan bloom_plan_hashes(uint64_t n, double p, unsigned k)
{
    return k >= 1 && k <= 64
         ? bloom_least_plan_(n ? n : 1, p, BLOOM_CLASSIC, k)
         : bloom_no_plan_();
}

/* The search begins with the textbook's k, log2(1/p), rounded. */
BLOOM_API bloom_plan bloom_plan_for(uint64_t n, double p)
{
    double rest = 2.828 * p;
    unsigned k = 1;
    for (; rest < 1 && k < 64; rest *= 2)
        k++;
    return bloom_best_plan_(n ? n : 1, p, BLOOM_CLASSIC, k);
}

/* The fewest blocks a key that keep p in 1.2 times the classic plan's memory.
   If no number does (from some k on, more do not help), the least memory. */
static bloom_plan bloom_plan_blocked_(uint64_t n, double p)
{
    bloom_plan plan = bloom_plan_for(n, p);
    double rate = 2, last;
    unsigned k = 0;
    if (plan.cells == 0)
        return plan;
    plan.layout = BLOOM_BLOCKED;
    plan.cells = (plan.cells + plan.cells / 5) / 256 * 256;
    do {
        k += 8;
        last = rate;
        rate = bloom_rate_(plan, k, n);
    } while (rate > p && rate < last && k < 64);
    return rate <= p ? bloom_least_plan_(n, p, BLOOM_BLOCKED, k)
                     : bloom_best_plan_(n, p, BLOOM_BLOCKED, k - 8);
}

BLOOM_API bloom_plan bloom_plan_layout(uint64_t n, double p,
                                       bloom_layout layout)
{
    bloom_plan plan = layout == BLOOM_BLOCKED
                    ? bloom_plan_blocked_(n ? n : 1, p) : bloom_plan_for(n, p);
    plan.layout = (uint8_t)layout;
    return bloom_plan_size(plan) > 0 ? plan : bloom_no_plan_();
}

BLOOM_API bloom_plan bloom_plan_bytes(uint64_t n, size_t bytes)
{
    bloom_plan plan = bloom_no_plan_();
    const uint64_t most = 1ULL << 56;
    uint64_t words = bytes / 8;
    if (words < 5)
        return plan;
    words -= BLOOM_HEADER_ / 8;
    plan.cells = (words < most ? words : most) * 64;
    plan.hashes = (uint8_t)bloom_best_hashes_(plan, 1, n ? n : 1);
    return plan;
}

/* ==== What the cells tell ===================================================
   How many keys a filter holds, and its rate: the formulas of Planning with
   what is set in place of what is expected. */

/* n from the share of zeros, which is (1 - 1/m)^(kn) (Swamidass and Baldi 2007;
   the paper's e^-kn/m differs for small m). In a blocked filter each of
   a key's k/8 choices takes a cell with chance 8/m: (1 - 8/m)^(kn/8). */
static double bloom_keys_from_zeros_(bloom_plan plan, double zeros)
{
    double cells = BLOOM_IS_BLOCKED_(plan.layout) ? 8 : 1;  /* of a choice */
    return -bloom_ln_1_plus_(1 / zeros - 1)
         / (plan.hashes / cells
            * bloom_ln_1_plus_(-cells / (double)plan.cells));
}

BLOOM_API uint64_t bloom_estimate(const bloom *b)
{
    bloom_plan plan = bloom_parse_(bloom_const_bytes_(b));
    uint64_t zeros = plan.cells - bloom_ones(b);
    double share = (double)zeros / (double)plan.cells;
    if (zeros == 0)
        return UINT64_MAX;
    return (uint64_t)(bloom_keys_from_zeros_(plan, share) + 0.5);
}

/* An impossible plan has the rate 1, which is above every p. */
BLOOM_API uint64_t bloom_fold_by(const bloom *b, double p)
{
    const bloom_plan plan = bloom_parse_(bloom_const_bytes_(b));
    const uint64_t n = bloom_estimate(b);
    uint64_t by = p > 0 && p < 1 ? 65536 : 0;
    while (by > 0 && bloom_plan_fpr(bloom_folded_plan_(plan, by), n) > p)
        by--;
    return by;
}

/* The mean, over all blocks, of the product of the fills of a block's words */
static double bloom_fpr_of_blocks_(const unsigned char *cells, uint64_t blocks)
{
    double sum = 0, all = (double)blocks, product;
    unsigned i;
    for (; blocks > 0; blocks--) {
        for (product = 1, i = 0; i < 4; i++, cells += 8) {
            uint64_t words = bloom_load_word_(cells);
            product *= bloom_popcount_(words >> 32) / 32.0;
            product *= bloom_popcount_(bloom_low_half_(words)) / 32.0;
        }
        sum += product;
    }
    return sum / all;
}

BLOOM_API double bloom_fpr(const bloom *b)
{
    const unsigned char *cells = bloom_const_bytes_(b) + BLOOM_HEADER_;
    bloom_plan plan = bloom_parse_(bloom_const_bytes_(b));
    const bool blocked = BLOOM_IS_BLOCKED_(plan.layout);
    const uint64_t ones = bloom_ones(b);
    double fill = (double)ones / (double)plan.cells, rate = 1;
    if (!(fill > 0 && fill < 1))
        return fill;
    if (blocked)                        /* what a block accepts, on average */
        fill = bloom_fpr_of_blocks_(cells, plan.cells / 256)
             + bloom_keys_from_zeros_(plan, 1 - fill) * plan.hashes * 32
               / (double)plan.cells / 4294967296.0;
    for (unsigned k = plan.hashes; k > 0; k -= blocked ? 8 : 1)
        rate *= fill;
    return bloom_with_floor_(plan, fill, rate);
}

#endif

/* ==== Speed =================================================================
   All above is complete, and is what BLOOM_TINY and -Os compile. What follows
   sets and tests the same cells faster:
   * Blocks: all eight words at once, by SIMD.
   * One key: eight cells without a branch that depends on them.
   * Many keys: the CPU waits for many cells at the same time. */

#ifndef BLOOM_SMALL_

/* ---- Blocks by SIMD --------------------------------------------------------
   Vector types of GCC and Clang hold the eight words of a block. AVX2 does it,
   which the CPU is asked for at run time unless the compiler may take it for
   granted, and so do NEON and WebAssembly's SIMD. Elsewhere the functions in
   plain C take their place. */

#if defined(BLOOM_NO_SIMD) || !defined(__GNUC__) || !BLOOM_HAS_ATOMIC_WORDS_ \
    || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !__STDC_HOSTED__ \
    || (defined(_WIN32) && !defined(__clang__)) /* GCC bug 54412 */ \
    || !(defined(__AVX2__) || defined(__x86_64__) || defined(__aarch64__) \
         || defined(__wasm_simd128__))

#define BLOOM_TARGET_
#define BLOOM_HAS_SIMD_ false
#define bloom_peek_ bloom_load32_
#define bloom_simd_h1_(x, keys, count, seed) 0
#define bloom_simd_look_ bloom_look_block_
#define bloom_simd_add_ bloom_add_block_

#else

#if defined(__x86_64__) && !defined(__AVX2__)
#define BLOOM_TARGET_ __attribute__((target("avx2")))
#define BLOOM_HAS_SIMD_ __builtin_cpu_supports("avx2")
#else
#define BLOOM_TARGET_
#define BLOOM_HAS_SIMD_ true
#endif

typedef uint32_t bloom_words_ __attribute__((vector_size(32)));
typedef uint64_t bloom_longs_ __attribute__((vector_size(32)));
typedef long long bloom_vector_ __attribute__((vector_size(32)));

#define BLOOM_SIMD_MASK_(mask, x) do { \
    const uint32_t z = bloom_low_half_(x); \
    const bloom_words_ zs = { z, z, z, z, z, z, z, z }; \
    const bloom_words_ ones = { 1, 1, 1, 1, 1, 1, 1, 1 }; \
    const bloom_words_ salts = { BLOOM_SALTS_ }; \
    const bloom_words_ bits = ones << (zs * salts >> 27); \
    __builtin_memcpy(&(mask), &bits, 32); } while (0)

#ifdef __x86_64__
#define BLOOM_SIMD_ALL_(mask, cells) \
    (__builtin_ia32_ptestc256(cells, mask) != 0)

/* bloom_h1_u64_ of four keys at a time; returns how many were done. */
BLOOM_TARGET_ static inline size_t bloom_simd_h1_(uint64_t *x,
    const uint64_t *keys, size_t count, uint64_t seed)
{
    const uint64_t start = bloom_start_(seed);
    const bloom_longs_ starts = { start, start, start, start };
    size_t i;
    for (i = 0; count - i >= 4; i += 4) {
        bloom_longs_ h;
        __builtin_memcpy(&h, keys + i, 32);
        h += starts;
        h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDU;
        h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53U;
        h ^= h >> 33;
        __builtin_memcpy(x + i, &h, 32);
    }
    return i;
}
#else
#define bloom_simd_h1_(x, keys, count, seed) 0
#define BLOOM_SIMD_ALL_(mask, cells) \
    (((mask[0] & ~cells[0]) | (mask[1] & ~cells[1]) \
      | (mask[2] & ~cells[2]) | (mask[3] & ~cells[3])) == 0)
#endif

/* Other threads may set bits while a block is loaded. The load may then see
   some of these bits and not others, which is harmless, as each bit means
   something by itself: so it need not be atomic, only done anew each time. */
typedef const BLOOM_VOLATILE_ bloom_vector_ bloom_block_of_
    __attribute__((aligned(1), may_alias));

BLOOM_TARGET_ __attribute__((no_sanitize_thread)) static inline bool
bloom_simd_look_(const unsigned char *block, uint64_t x)
{
    const void *at = block;
    const bloom_vector_ cells = *(bloom_block_of_ *)at;
    bloom_vector_ mask;
    BLOOM_SIMD_MASK_(mask, x);
    return BLOOM_SIMD_ALL_(mask, cells);
}

#ifdef BLOOM_ATOMIC

/* Sets bits in a word, and returns those that were not set when the word was
   read. If several threads set a bit at once, the first one has read it as not
   set, so that at least one of them learns that the key is new. */
static inline uint64_t bloom_set_word_(unsigned char *at, uint64_t bits)
{
    void *aligned = at;
    bloom_atom_ *word = (bloom_atom_ *)aligned;
    uint64_t absent = bits & ~__atomic_load_n(word, __ATOMIC_RELAXED);
    if (absent)
        __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
    return absent;
}

BLOOM_TARGET_ static inline bool bloom_simd_add_(unsigned char *block,
                                                 uint64_t x)
{
    bloom_vector_ mask;
    uint64_t words[4], absent = 0;
    if (bloom_simd_look_(block, x))
        return false;
    if ((uintptr_t)block % 8 != 0)
        return bloom_add_block_(block, x);
    BLOOM_SIMD_MASK_(mask, x);
    __builtin_memcpy(words, &mask, 32);
    for (unsigned i = 0; i < 4; i++)
        absent |= bloom_set_word_(block + 8 * i, words[i]);
    return absent != 0;
}

#else

BLOOM_TARGET_ static inline bool bloom_simd_add_(unsigned char *block,
                                                 uint64_t x)
{
    bloom_vector_ mask, cells, both;
    BLOOM_SIMD_MASK_(mask, x);
    __builtin_memcpy(&cells, block, 32);
    both = cells | mask;
    __builtin_memcpy(block, &both, 32);
    return !BLOOM_SIMD_ALL_(mask, cells);
}

#endif

/* As bloom_load32_, which clang does not always turn into one load */
static inline uint32_t bloom_peek_(const unsigned char *p)
{
    uint32_t x;
    __builtin_memcpy(&x, p, 4);
    return x;
}

#endif

/* Adds a key to its blocks or, if `into` is NULL, looks it up. true: the blocks
   had it. No branch depends on a cell unless there is a further block. */
BLOOM_ALWAYS_ bool bloom_simd_blocks_(unsigned char *into,
                                      const unsigned char *cells, unsigned k,
                                      bloom_walk_ *walk)
{
    bool set = true;
    do {
        const size_t at = bloom_block_(walk->m, walk->x);
        set = (into ? !bloom_simd_add_(into + at, walk->x)
                    : bloom_simd_look_(cells + at, walk->x)) && set;
        bloom_step_(walk);
        k -= 8;
    } while (k > 0 && (into || set));
    return set;
}

/* ---- Eight cells at once ---------------------------------------------------
   A CPU cannot predict whether a cell is set, and a wrong guess costs more than
   all eight cells, which the memory brings at the same time. So no branch
   depends on a cell. The jump depends on k alone, which is the same for every
   key of a filter. CPUs that load words from any address take bits out of
   words of 64. Bit 0 of a result is the cell; ignore the rest. */

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__)) \
    && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !defined(BLOOM_ATOMIC)

static inline unsigned bloom_look_in_word_(const unsigned char *cells,
                                           uint64_t cell)
{
    uint64_t word;
    __builtin_memcpy(&word, cells + (size_t)(cell >> 6) * 8, 8);
    return (unsigned)(word >> (cell & 63));
}

static inline unsigned bloom_set_in_word_(unsigned char *cells, uint64_t cell)
{
    unsigned char *at = cells + (size_t)(cell >> 6) * 8;
    uint64_t old, word;
    __builtin_memcpy(&old, at, 8);
    word = old | (uint64_t)1 << (cell & 63);
    __builtin_memcpy(at, &word, 8);
    return (unsigned)(old >> (cell & 63));
}

#else
#define bloom_look_in_word_ bloom_look_bit_
#define bloom_set_in_word_ bloom_set_bit_
#endif

/* Sets the next cell or, if `into` is NULL, looks at it. Compilers that know y
   or m work out powers of the factor, or halves of m: more instructions. */
BLOOM_ALWAYS_ unsigned bloom_visit_cell_(unsigned char *into,
                                         const unsigned char *cells,
                                         bloom_walk_ *walk)
{
    uint64_t cell;
    BLOOM_HIDE_(walk->y);
    BLOOM_HIDE_(walk->m);
    cell = bloom_next_(walk);
    return into ? bloom_set_in_word_(into, cell)
                : bloom_look_in_word_(cells, cell);
}

/* All k cells: first k % 8 of them, then eight by eight. A lookup ends after
   eight of which one is not set or, if `stop` is true, at the first one that is
   not. true: all were set before. */
#define BLOOM_VISIT_ set &= bloom_visit_cell_(into, cells, walk); \
    if (stop && !(set & 1)) \
        return false
BLOOM_ALWAYS_ bool bloom_visit_bits_(unsigned char *into,
                                     const unsigned char *cells, unsigned k,
                                     bloom_walk_ *walk, bool stop)
{
    unsigned set = 1;
    do {
        switch (k & 7) {
        case 0: BLOOM_VISIT_; BLOOM_FALL_THROUGH_;
        case 7: BLOOM_VISIT_; BLOOM_FALL_THROUGH_;
        case 6: BLOOM_VISIT_; BLOOM_FALL_THROUGH_;
        case 5: BLOOM_VISIT_; BLOOM_FALL_THROUGH_;
        case 4: BLOOM_VISIT_; BLOOM_FALL_THROUGH_;
        case 3: BLOOM_VISIT_; BLOOM_FALL_THROUGH_;
        case 2: BLOOM_VISIT_; BLOOM_FALL_THROUGH_;
        case 1: BLOOM_VISIT_;
        }
        k = (k - 1) & ~7U;
    } while (k > 0 && (into || (set & 1)));
    return (set & 1) != 0;
}

/* ---- One key ---------------------------------------------------------------
   A call goes the shortest of three ways: in the user's loop if the filter has
   one block per key and the CPU has SIMD; bloom_add_bits_ and bloom_look_bits_
   for classic filters, and bloom_add_any_ and bloom_look_any_ for all others,
   which need more registers. */

BLOOM_TARGET_ BLOOM_NEVER_ bool bloom_simd_any_(unsigned char *into,
                                                const unsigned char *cells,
                                                unsigned k, bloom_walk_ walk)
{
    return bloom_simd_blocks_(into, cells, k, &walk);
}

BLOOM_NEVER_ bool bloom_add_any_(bloom *b, bloom_hash h)
{
    unsigned char *image = bloom_bytes_(b), *cells = image + BLOOM_HEADER_;
    const bloom_plan plan = bloom_parse_(image);
    bloom_walk_ walk = bloom_walk_of_(plan, h);
    bloom_unseal_(image);
    return plan.layout == BLOOM_BLOCKED && BLOOM_HAS_SIMD_
         ? !bloom_simd_any_(cells, cells, plan.hashes, walk)
         : bloom_add_walk_(cells, plan.layout, plan.hashes, &walk);
}

BLOOM_PURE_ BLOOM_NEVER_ bool bloom_look_any_(const bloom *b, bloom_hash h)
{
    const unsigned char *cells = bloom_const_bytes_(b) + BLOOM_HEADER_;
    const bloom_plan plan = bloom_plan_of(b);
    bloom_walk_ walk = bloom_walk_of_(plan, h);
    return plan.layout == BLOOM_BLOCKED && BLOOM_HAS_SIMD_
         ? bloom_simd_any_(BLOOM_NULL_, cells, plan.hashes, walk)
         : bloom_look_walk_(cells, plan.layout, plan.hashes, &walk);
}

/* These two take a step, h.h2, whose low half is 0 in width 32. */
BLOOM_NEVER_ bool bloom_add_bits_(bloom *b, bloom_hash h)
{
    unsigned char *image = bloom_bytes_(b), *cells = image + BLOOM_HEADER_;
    const bloom_plan plan = bloom_parse_(image);
    bloom_walk_ walk = bloom_walk_at_(h.h1, h.h2, plan.cells);
    if (plan.layout != BLOOM_CLASSIC)
        return bloom_add_any_(b, h);
    bloom_unseal_(image);
    return !bloom_visit_bits_(cells, cells, plan.hashes, &walk, false);
}

/* A filter of 16 MB or more lies beyond the caches, where each cell is
   waited for: there it is best to stop at the first cell that is not set. */
BLOOM_PURE_ BLOOM_NEVER_ bool bloom_look_huge_(const bloom *b, bloom_hash h)
{
    const unsigned char *cells = bloom_const_bytes_(b) + BLOOM_HEADER_;
    const bloom_plan plan = bloom_plan_of(b);
    bloom_walk_ walk = bloom_walk_at_(h.h1, h.h2, plan.cells);
    return bloom_visit_bits_(BLOOM_NULL_, cells, plan.hashes, &walk, true);
}

BLOOM_PURE_ BLOOM_NEVER_ bool bloom_look_bits_(const bloom *b, bloom_hash h)
{
    const unsigned char *cells = bloom_const_bytes_(b) + BLOOM_HEADER_;
    const bloom_plan plan = bloom_plan_of(b);
    bloom_walk_ walk = bloom_walk_at_(h.h1, h.h2, plan.cells);
    if (plan.layout != BLOOM_CLASSIC)
        return bloom_look_any_(b, h);
    if (plan.cells >> 27 != 0)
        return bloom_look_huge_(b, h);
    return bloom_visit_bits_(BLOOM_NULL_, cells, plan.hashes, &walk, false);
}

/* One block per key, in less than 2 GB. The number of blocks, m / 256, has 32
   bits, as m < 2^40. With BLOOM_STATIC the public calls are inlined as well. */

#ifndef BLOOM_API_ALWAYS_
#define BLOOM_API_ALWAYS_ BLOOM_API
#endif

#define BLOOM_BLOCKS_(image) bloom_peek_((image) + BLOOM_M_AT_ + 1)
#define BLOOM_IS_ONE_BLOCK_(image, blocks) BLOOM_LIKELY_(BLOOM_HAS_SIMD_ \
    && bloom_peek_((image) + BLOOM_LAYOUT_AT_) \
           == 0x084001UL /* blocked, 64, k = 8 */ \
    && (blocks) >> 26 == 0)

BLOOM_TARGET_ static inline bool bloom_add_one_block_(unsigned char *image,
                                                      uint32_t blocks,
                                                      uint64_t x)
{
    const size_t at = (size_t)((x >> 32) * blocks >> 32 << 5);
    bloom_unseal_(image);
    return bloom_simd_add_(image + BLOOM_HEADER_ + at, x);
}

BLOOM_TARGET_ static inline bool bloom_look_one_block_(
    const unsigned char *image, uint32_t blocks, uint64_t x)
{
    const size_t at = (size_t)((x >> 32) * blocks >> 32 << 5);
    return bloom_simd_look_(image + BLOOM_HEADER_ + at, x);
}

BLOOM_API_ALWAYS_ bool bloom_add_hash(bloom *b, bloom_hash h)
{
    unsigned char *image = bloom_bytes_(b);
    const uint32_t blocks = BLOOM_BLOCKS_(image);
    if (image[BLOOM_WIDTH_AT_] == 32)
        h.h2 = h.h2 >> 32 << 32;
    return BLOOM_IS_ONE_BLOCK_(image, blocks)
         ? bloom_add_one_block_(image, blocks, h.h1) : bloom_add_bits_(b, h);
}

BLOOM_API_ALWAYS_ bool bloom_may_contain_hash(const bloom *b, bloom_hash h)
{
    const unsigned char *image = bloom_const_bytes_(b);
    const uint32_t blocks = BLOOM_BLOCKS_(image);
    if (image[BLOOM_WIDTH_AT_] == 32)
        h.h2 = h.h2 >> 32 << 32;
    return BLOOM_IS_ONE_BLOCK_(image, blocks)
         ? bloom_look_one_block_(image, blocks, h.h1) : bloom_look_bits_(b, h);
}

BLOOM_API bool bloom_add(bloom *b, const void *key, size_t size)
{
    const bloom_plan plan = bloom_parse_(bloom_bytes_(b));
    return bloom_add_hash(b, bloom_hash_(plan, key, size));
}

BLOOM_API bool bloom_may_contain(const bloom *b, const void *key, size_t size)
{
    return bloom_may_contain_hash(b, bloom_hash_key(b, key, size));
}

/* Integers of width 64 are hashed in the user's loop; width 32 needs a call,
   which keeps that loop small. */
BLOOM_NEVER_ bool bloom_add_u64_32_(bloom *b, uint64_t key)
{
    return bloom_add_bits_(b, bloom_hash_u64(b, key));
}

BLOOM_PURE_ BLOOM_NEVER_ bool bloom_look_u64_32_(const bloom *b, uint64_t key)
{
    return bloom_look_bits_(b, bloom_hash_u64(b, key));
}

BLOOM_API_ALWAYS_ bool bloom_add_u64(bloom *b, uint64_t key)
{
    unsigned char *image = bloom_bytes_(b);
    const uint64_t h1 = bloom_h1_u64_(key,
        bloom_load64_(image + BLOOM_SEED_AT_));
    const uint32_t blocks = BLOOM_BLOCKS_(image);
    return BLOOM_IS_ONE_BLOCK_(image, blocks)
         ? bloom_add_one_block_(image, blocks, h1)
         : image[BLOOM_WIDTH_AT_] == 64
             ? bloom_add_bits_(b, bloom_from_h1_(h1))
             : bloom_add_u64_32_(b, key);
}

BLOOM_API_ALWAYS_ bool bloom_may_contain_u64(const bloom *b, uint64_t key)
{
    const unsigned char *image = bloom_const_bytes_(b);
    const uint64_t h1 = bloom_h1_u64_(key,
        bloom_load64_(image + BLOOM_SEED_AT_));
    const uint32_t blocks = BLOOM_BLOCKS_(image);
    return BLOOM_IS_ONE_BLOCK_(image, blocks)
         ? bloom_look_one_block_(image, blocks, h1)
         : image[BLOOM_WIDTH_AT_] == 64
             ? bloom_look_bits_(b, bloom_from_h1_(h1))
             : bloom_look_u64_32_(b, key);
}

/* ---- Many keys -------------------------------------------------------------
   Keys are taken a batch at a time. A batch is hashed; then the memory is asked
   for its cells, and then they are visited, so that the CPU waits for many of
   them at once. To look, that is done twice: most absent keys are known after
   the first block or the first two cells, and only the keys that are left need
   the rest. A filter that lies in the CPU's own caches needs no asking, and one
   with at most 8 probes visits all cells at once. */

#define BLOOM_BATCH_ 128U

/* Keys on their walks: x is the next position, y the next step. */
typedef struct bloom_batch_ {
    size_t count;
    uint64_t x[BLOOM_BATCH_], y[BLOOM_BATCH_];
    unsigned char key[BLOOM_BATCH_];    /* its number, after bloom_sift_ */
    bool answer[BLOOM_BATCH_];
} bloom_batch_;

/* A filter; `into` is its cells, or NULL for lookups. */
typedef struct bloom_task_ {
    unsigned char *into;
    const unsigned char *cells;
    bloom_plan plan;
    bool large;                         /* beyond the caches: prefetch */
} bloom_task_;

BLOOM_ALWAYS_ void bloom_begin_one_(bloom_batch_ *batch, size_t i,
                                    bloom_plan plan, bloom_hash h)
{
    batch->x[i] = h.h1;
    batch->y[i] = bloom_y_(plan, h.h2);
}

/* Integers are hashed by SIMD where there is any. The step, y, is not computed
   for one block per key, where none is taken. */
static void bloom_begin_integers_(bloom_batch_ *batch, bloom_plan plan,
                                  const uint64_t *keys)
{
    const bool one = plan.layout == BLOOM_BLOCKED && plan.hashes == 8;
    size_t i, done = 0;
    if (!BLOOM_IS_32_(plan) && BLOOM_HAS_SIMD_)
        done = bloom_simd_h1_(batch->x, keys, batch->count, plan.seed);
    for (i = 0; i < done && !one; i++)
        batch->y[i] = bloom_from_h1_(batch->x[i]).h2;
    for (i = done; i < batch->count; i++)
        bloom_begin_one_(batch, i, plan, bloom_hash_u64_(plan, keys[i]));
}

/* Begins the walks of `count` keys from number `from` on. Each kind of keys has
   a loop of its own, as one loop for all takes a third more time. Integers and
   hashes of the next batch are prefetched, before the memory is busy. */
static void bloom_begin_(bloom_batch_ *batch, bloom_plan plan,
                         const bloom_keys_ *keys, size_t from, size_t count)
{
    const size_t left = keys->count - from;
    batch->count = count;
    for (size_t i = count; i < left && i < 2 * count; i += 4)
        if (keys->integers)
            BLOOM_PREFETCH_(keys->integers + from + i);
        else if (keys->hashes)
            BLOOM_PREFETCH_(keys->hashes + from + i);
    if (keys->integers)
        bloom_begin_integers_(batch, plan, keys->integers + from);
    else if (keys->hashes)
        for (size_t i = 0; i < count; i++)
            bloom_begin_one_(batch, i, plan, keys->hashes[from + i]);
    else
        for (size_t i = 0; i < count; i++)
            bloom_begin_one_(batch, i, plan,
                             bloom_hash_(plan, keys->bytes[from + i].data,
                                         keys->bytes[from + i].size));
}

/* The steps of a batch exist once, and become loops of their own for each `how`
   and for adding and looking: BITS for the classic layout, SIMD for blocks, and
   PLAIN for counters, and for blocks on a CPU without SIMD. `how` and whether
   `into` is NULL are constants. */

enum { BLOOM_BITS_, BLOOM_SIMD_BLOCKS_, BLOOM_PLAIN_ };

/* Asks the memory for the next k cells of each key. */
BLOOM_ALWAYS_ void bloom_prefetch_(const bloom_task_ *task,
                                   const bloom_batch_ *batch, int how,
                                   unsigned k)
{
    const bool blocks = how != BLOOM_BITS_
                     && task->plan.layout == BLOOM_BLOCKED;
    const unsigned shift = how == BLOOM_PLAIN_ ? 1 : 3;
    const uint64_t m = task->plan.cells;
    unsigned done;
    for (size_t i = 0; i < batch->count; i++) {
        bloom_walk_ walk = bloom_walk_at_(batch->x[i], batch->y[i], m);
        for (done = 0; done < k; done += blocks ? 8 : 1) {
            BLOOM_PREFETCH_(task->cells + (blocks ? bloom_block_(m, walk.x)
                : (size_t)(bloom_high_half_(walk.x, m) >> shift)));
            bloom_step_(&walk);
        }
    }
}

/* Adds a key or, if `into` is NULL, looks at its next k cells. true: all were
   set. */
BLOOM_ALWAYS_ bool bloom_visit_(const bloom_task_ *task, unsigned char *into,
                                int how, unsigned k, bloom_walk_ *walk)
{
    const unsigned char *cells = task->cells;
    const unsigned layout = task->plan.layout;
    return how == BLOOM_BITS_ ? bloom_visit_bits_(into, cells, k, walk, false)
         : how == BLOOM_SIMD_BLOCKS_ ? bloom_simd_blocks_(into, cells, k, walk)
         : into ? !bloom_add_walk_(into, layout, k, walk)
                : bloom_look_walk_(cells, layout, k, walk);
}

/* Visits k cells of each key. Writes the answers, and returns how many are
   true. */
BLOOM_ALWAYS_ size_t bloom_pass_(const bloom_task_ *task,
                                 const bloom_batch_ *batch, bool *answer,
                                 unsigned char *into, int how, unsigned k)
{
    const uint64_t m = task->plan.cells;
    const size_t count = batch->count;
    size_t i, trues = 0;
    for (i = 0; i < count; i++) {
        bloom_walk_ walk = bloom_walk_at_(batch->x[i], batch->y[i], m);
        const bool set = bloom_visit_(task, into, how, k, &walk);
        const bool is_true = into ? !set : set;
        answer[i] = is_true;
        trues += is_true;
    }
    return trues;
}

/* Looks at the first `some` cells. Keeps only the keys that may be in, with
   their walks as far as they came. */
BLOOM_ALWAYS_ void bloom_sift_(const bloom_task_ *task, bloom_batch_ *batch,
                               int how, unsigned some)
{
    const uint64_t m = task->plan.cells;
    const size_t count = batch->count;
    size_t i, kept = 0;
    for (i = 0; i < count; i++) {
        bloom_walk_ walk = bloom_walk_at_(batch->x[i], batch->y[i], m);
        const bool set = bloom_visit_(task, BLOOM_NULL_, how, some, &walk);
        batch->x[kept] = walk.x;                        /* kept <= i */
        batch->y[kept] = walk.y;
        batch->key[kept] = (unsigned char)i;
        kept += set;
    }
    batch->count = kept;
}

BLOOM_ALWAYS_ size_t bloom_run_(const bloom_task_ *task, bloom_batch_ *batch,
                                bool *results, unsigned char *into, int how)
{
    const unsigned k = task->plan.hashes;
    const unsigned some = task->plan.layout == BLOOM_BLOCKED ? 8 : 2;
    const bool once = into || k <= some || (!task->large && k <= 8);
    size_t i, trues;
    if (task->large)
        bloom_prefetch_(task, batch, how, once ? k : some);
    if (once)
        return how == BLOOM_SIMD_BLOCKS_ && k == 8
             ? bloom_pass_(task, batch, results, into, how, 8)
             : bloom_pass_(task, batch, results, into, how, k);
    for (i = 0; i < batch->count; i++)
        results[i] = false;
    bloom_sift_(task, batch, how, some);
    if (task->large)
        bloom_prefetch_(task, batch, how, k - some);
    trues = bloom_pass_(task, batch, batch->answer, into, how, k - some);
    for (i = 0; i < batch->count; i++)
        results[batch->key[i]] = batch->answer[i];
    return trues;
}

#define BLOOM_RUN_(how) (task->into \
    ? bloom_run_(task, batch, results, task->into, how) \
    : bloom_run_(task, batch, results, BLOOM_NULL_, how))

BLOOM_TARGET_ BLOOM_NEVER_ size_t bloom_run_simd_(const bloom_task_ *task,
                                                  bloom_batch_ *batch,
                                                  bool *results)
{
    return BLOOM_RUN_(BLOOM_SIMD_BLOCKS_);
}

BLOOM_NEVER_ size_t bloom_run_bits_(const bloom_task_ *task,
                                    bloom_batch_ *batch, bool *results)
{
    return BLOOM_RUN_(BLOOM_BITS_);
}

BLOOM_NEVER_ size_t bloom_run_plain_(const bloom_task_ *task,
                                     bloom_batch_ *batch, bool *results)
{
    return BLOOM_RUN_(BLOOM_PLAIN_);
}

/* A filter is large from 2^25 cells on (4 MB of bits), or, for lookups if it is
   not blocked, from 2^22 on. */
static size_t bloom_many_(bloom *into, const bloom *b, bloom_keys_ keys)
{
    const bloom_plan plan = bloom_plan_of(b);
    const bool blocked = plan.layout == BLOOM_BLOCKED;
    const bool large = plan.cells >> (blocked || into ? 25 : 22) != 0;
    bool unwanted[BLOOM_BATCH_];
    bloom_batch_ batch;
    bloom_task_ task;
    size_t from, count, trues = 0;
    task.into = BLOOM_NULL_;
    task.cells = bloom_const_bytes_(b) + BLOOM_HEADER_;
    task.plan = plan;
    task.large = large;
    if (into && keys.count > 0) {
        bloom_unseal_(bloom_bytes_(into));
        task.into = bloom_bytes_(into) + BLOOM_HEADER_;
    }
    for (from = 0; from < keys.count; from += count) {
        bool *results = keys.results ? keys.results + from : unwanted;
        count = keys.count - from < BLOOM_BATCH_ ? keys.count - from
                                                : BLOOM_BATCH_;
        bloom_begin_(&batch, plan, &keys, from, count);
        trues += plan.layout == BLOOM_CLASSIC
                   ? bloom_run_bits_(&task, &batch, results)
               : blocked && BLOOM_HAS_SIMD_
                   ? bloom_run_simd_(&task, &batch, results)
                   : bloom_run_plain_(&task, &batch, results);
    }
    return trues;
}

#endif

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* BLOOM_IMPLEMENTATION */

/* ---- Papers ----------------------------------------------------------------
   B. H. Bloom 1970, Space/time trade-offs in hash coding with allowable errors
   P. Bose et al. 2008, On the false-positive rate of Bloom filters
   K. Christensen, A. Roginsky, M. Jimeno 2010, A new analysis of the
       false-positive rate of a Bloom filter
   P. C. Dillinger, P. Manolios 2004, Bloom filters in probabilistic
       verification (enhanced double hashing)
   G. L. Steele, S. Vigna 2021, Computationally easy, spectrally good
       multipliers for congruential pseudorandom number generators (the factor)
   D. Lemire 2019, Fast random integer generation in an interval
   F. Putze, P. Sanders, J. Singler 2007, Cache-, hash- and space-efficient
       Bloom filters (blocks, and several of them per key)
   A. Appleby 2011, MurmurHash3 (SMHasher)
   S. J. Swamidass, P. Baldi 2007, Mathematical correction for fingerprint
       similarity measures (the number of keys, from the cells) */

/* ---- Licence --------------------------------------------------------------
   Choose the one you prefer.

   1. Public domain

   This is free and unencumbered software released into the public domain.
   Anyone is free to copy, modify, publish, use, compile, sell, or distribute
   this software, either in source code form or as a compiled binary, for any
   purpose, commercial or non-commercial, and by any means. The software is
   provided as is, without warranty of any kind.

   2. MIT

   Copyright (c) 2026 the founders of bloom.h

   Permission is hereby granted, free of charge, to any person obtaining a copy
   of this software and associated documentation files (the "Software"), to
   deal in the Software without restriction, including without limitation the
   rights to use, copy, modify, merge, publish, distribute, sublicense, and/or
   sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in
   all copies or substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
   AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
   FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS
   IN THE SOFTWARE. */
