/* SPDX-License-Identifier: MIT OR Unlicense
   bloom.h 3.0.0 - one header for C99 and C++11: Bloom filters that keep the
   false-positive rate you ask for

   A Bloom filter is a set of keys in very little memory: at a false-positive
   rate of 1%, about 10 bits per key, however long the keys are. Asked about a
   key, it answers "certainly not in the set" or "maybe". For a key that was
   added, the answer is always "maybe". The false-positive rate is how often the
   answer is "maybe" for an absent key. Use a filter where a "maybe" can be
   checked elsewhere, for example on disk, or where a rare error does no harm.
   A filter cannot list its keys.

   USE
       #define BLOOM_IMPLEMENTATION            // in one .c or .cpp file
       #include "bloom.h"
       int main(void)
       {
           bloom *seen = bloom_new(1000000, 0.01);   // n = 10^6 keys, p = 1%
           if (!seen)
               return 1;                             // no memory, or bad n or p
           bloom_add(seen, "apple", 5);              // true: certainly new
           int maybe = bloom_may_contain(seen, "pear", 4);
           bloom_free(seen);
           return maybe;                             // 0: certainly not in
       }
   Other files that use the filter just include bloom.h. If only one file uses
   it, #define BLOOM_STATIC instead.

   CALLS. Each is described where it is declared, in this order.
     plan   bloom_plan_for(n, p) .._layout .._hashes .._one_in   for n and p
            .._bytes .._bytes_layout .._fit                      for a size
            BLOOM_PLAN BLOOM_SIZE BLOOM_CELLS BLOOM_HASHES       constants
            bloom_plan_size .._fpr .._capacity                   ask a plan
     make   bloom_new bloom_new_layout bloom_create bloom_copy bloom_free
            bloom_init bloom_init_zeroed                         in your memory
     bytes  bloom_open bloom_view bloom_image_size bloom_size bloom_plan_of
            bloom_clear bloom_seal bloom_verify bloom_error_text
     keys   bloom_add bloom_may_contain     also .._u64 .._hash, and .._many
            bloom_remove bloom_count        counting; also .._u64 .._hash
            bloom_hash_key bloom_hash_u64 bloom_probes
     whole  bloom_merge bloom_intersect bloom_flatten bloom_fold bloom_fold_by
            bloom_ones bloom_estimate bloom_fpr                  ask a filter

   PROMISES
     No false negatives: a lookup always finds a key that was added.
     The rate you ask for: while at most n different keys were added, the rate
     is at most p, on average over keys and seeds, for every n, every layout,
     and p from 0.5 to 10^-12. A 32-bit hash adds up to 2^-32 + n * 2^-50. The
     rates of single filters scatter around that average. For classic filters
     and p = 1% the standard deviation is p * 1.3 / sqrt(n): with 1,000 keys,
     4% of p. So half of all full filters are slightly above p. For a filter
     that is surely below p, plan for p minus four standard deviations.
     bloom_fpr reports the rate of one filter.
     The same bytes on every machine: a filter is one block of bytes. It can be
     saved with fwrite, mapped, sent, or burnt into ROM.
     Malformed input is safe: anything bloom_open accepts can be used without
     out-of-bounds access, provided its header is not modified.
     Nothing hidden: only bloom_new, bloom_new_layout, bloom_create and
     bloom_copy allocate. There are no globals, no errno, no I/O and no libm.
     The only functions of libc that are called are calloc, free, memset and
     memcpy.

   WORDS
     n  capacity: how many different keys the filter is planned for
     m  number of cells: bits or, in a counting filter, counters of 4 bits
     k  probes per key; in textbooks, the number of hash functions
     p  false-positive rate
   bloom_add hashes a key, computes its k cells from the hash by enhanced double
   hashing, and sets them. bloom_may_contain tests whether all of them are set.
   To probe a cell is to set it or to test it.
   The textbook formula is p = (1 - e^(-kn/m))^k. p is lowest at k = m/n * ln 2.
   Then m = n * log2(1/p) / ln 2: 9.6 bits per key for p = 1%, and 4.8 more for
   a tenth of that rate. Small filters need more bits, and plans give them more.
   Classic filters take the least memory. Blocked filters are the fastest; with
   k = 8 they are split-block filters, as in Apache Parquet. Counting filters
   can remove keys. Five headers in examples/companions/ build on this one: a
   scalable Bloom filter, for an unknown n; a sliding window, which forgets old
   keys; slices, which ask thousands of filters about one key at once; a keyed
   hash, for keys that an attacker may choose; and calls that save and load
   files. Where BLOOM_IMPLEMENTATION is defined, also include those of them that
   the program uses.

   OPTIONS are macros. They never change the bytes that a given plan produces.
   Define those marked * before every #include "bloom.h". Define the others in
   the file with BLOOM_IMPLEMENTATION or, with BLOOM_STATIC, in each file.
     BLOOM_IMPLEMENTATION   compiles the functions into this file.
   * BLOOM_STATIC           compiles them into this file as static inline. Other
                            files are unaffected.
   * BLOOM_API              is the prefix of each declaration. The default is
                            extern, in ELF and Mach-O with hidden visibility. To
                            export from a shared library, #define it as a plain
                            extern in the library and in programs that use it.
                            Otherwise the linker of a program says "undefined
                            reference", as if the library lacked bloom.h.
                            If you compile it with -fvisibility=hidden, extern
                            exports nothing: use
                            __attribute__((visibility("default"))) extern.
     BLOOM_MALLOC(size)     and BLOOM_FREE(pointer) replace calloc and free.
                            BLOOM_MALLOC need not clear the memory.
   * BLOOM_NO_MALLOC        leaves out bloom_new, bloom_new_layout,
                            bloom_create, bloom_copy and bloom_free.
   * BLOOM_NO_FLOAT         leaves out all functions with a double, and
                            bloom_plan_bytes, bloom_plan_bytes_layout and
                            bloom_estimate.
   * BLOOM_TINY             is for firmware: the smallest code. It has only the
                            classic layout and the 32-bit hash, no malloc, no
                            floating point, no bloom_fold and no bloom_count.
   * BLOOM_ATOMIC           lets several threads add and look up at once
                            without a lock (GCC or Clang; see "Threads" below).
                            If some files of a program define it and others do
                            not, the program does not link. (With BLOOM_STATIC,
                            or with libbloom, which serves both, the linker
                            cannot notice that.)
   * BLOOM_NAMESPACE        is a prefix for the names of all functions and of
                            the type bloom. It lets two copies of bloom.h, or
                            bloom.h and another library that has a bloom_init,
                            be in one program. Your code stays as it is: with
                            the prefix my_, bloom_add means my_bloom_add. If a
                            file needs both headers, it includes the other one
                            first. After bloom.h and its companions, #undef
                            bloom_add, for example. Then bloom_add is the other
                            library's function, and my_bloom_add is the one of
                            bloom.h (with BLOOM_ATOMIC,
                            my_BLOOM_ATOMIC_bloom_add).
     BLOOM_NO_SIMD          leaves out the vector code (AVX2, NEON, WebAssembly)
                            and the run-time test for AVX2. That test reads
                            __cpu_model. If the linker does not find this symbol
                            (zig cc; gcc -flto with gold), set BLOOM_NO_SIMD or
                            compile with -mavx2.
     __OPTIMIZE_SIZE__      is defined by the compiler's option -Os. Where
                            size_t has 32 bits, it makes a small build, which
                            lacks the faster code. So do BLOOM_TINY,
                            BLOOM_READ_BYTE and a size_t of 16 bits.
     BLOOM_ASSERT(x)        is called to check that a filter is not NULL, that
                            the p of bloom_new is between 0 and 1, and that
                            planning computes rates of 1 to 64 probes. By
                            default nothing is checked.
     BLOOM_READ_BYTE(p)     is for chips that cannot read flash like RAM. It
                            reads the byte at p, a const unsigned char *; on an
                            AVR, define it as pgm_read_byte(p). Then bloom_view,
                            bloom_verify, bloom_plan_of, bloom_size, bloom_copy,
                            bloom_hash_*, bloom_probes and bloom_may_contain*
                            accept only filters in flash, and give wrong answers
                            for a filter in RAM. Other calls accept only RAM,
                            and keys are always read from RAM. If you have
                            filters in both, use each kind in a file of its own.
                            Both files define BLOOM_STATIC, and one of them
                            BLOOM_READ_BYTE. */

#ifndef BLOOM_H
#define BLOOM_H

#if !defined(_MSC_VER) && (defined(__cplusplus) ? __cplusplus < 201103L \
    : !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "bloom.h needs C99, or C++11"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* major * 10000 + minor * 100 + patch. Format 2 is frozen: this and every later
   version reads and writes it. */
#define BLOOM_VERSION 30000
/* The size of an image's header in bytes. From these bytes alone,
   bloom_image_size tells the size of the image. */
#define BLOOM_HEADER_SIZE 32

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
#elif !defined(BLOOM_API) && defined(__GNUC__) \
    && (defined(__ELF__) || defined(__MACH__))
#define BLOOM_API __attribute__((visibility("hidden"))) extern
#elif !defined(BLOOM_API)
#define BLOOM_API extern
#endif

/* ---- Names -----------------------------------------------------------------
   These are all functions of bloom.h. BLOOM_NAMESPACE puts its prefix before
   their names. So does BLOOM_ATOMIC: a file that defines it calls functions
   that only an implementation with BLOOM_ATOMIC has. Otherwise the program does
   not link: BLOOM_ATOMIC_bloom_add is missing, for example. */
#if defined(BLOOM_NAMESPACE) || defined(BLOOM_ATOMIC)
#define BLOOM_JOIN_(a, b) a##b
#define BLOOM_PREFIXED_(prefix, name) BLOOM_JOIN_(prefix, name)
#if !defined(BLOOM_ATOMIC)
#define BLOOM_NAME_(name) BLOOM_PREFIXED_(BLOOM_NAMESPACE, name)
#elif !defined(BLOOM_NAMESPACE)
#define BLOOM_NAME_(name) BLOOM_ATOMIC_##name
#else
#define BLOOM_NAME_(name) BLOOM_PREFIXED_(BLOOM_NAMESPACE, BLOOM_ATOMIC_##name)
#endif
#ifdef BLOOM_NAMESPACE
#define BLOOM_NAMESPACE_FROM_THE_START_
#define bloom BLOOM_NAME_(bloom)                    /* the type */
#endif
#ifdef BLOOM_ATOMIC
#define BLOOM_ATOMIC_FROM_THE_START_
#endif
#define bloom_plan_for BLOOM_NAME_(bloom_plan_for)          /* planning */
#define bloom_plan_layout BLOOM_NAME_(bloom_plan_layout)
#define bloom_plan_hashes BLOOM_NAME_(bloom_plan_hashes)
#define bloom_plan_bytes BLOOM_NAME_(bloom_plan_bytes)
#define bloom_plan_bytes_layout BLOOM_NAME_(bloom_plan_bytes_layout)
#define bloom_plan_fit BLOOM_NAME_(bloom_plan_fit)
#define bloom_plan_one_in BLOOM_NAME_(bloom_plan_one_in)
#define bloom_plan_size BLOOM_NAME_(bloom_plan_size)
#define bloom_plan_fpr BLOOM_NAME_(bloom_plan_fpr)
#define bloom_plan_capacity BLOOM_NAME_(bloom_plan_capacity)
#define bloom_new BLOOM_NAME_(bloom_new)                    /* making */
#define bloom_new_layout BLOOM_NAME_(bloom_new_layout)
#define bloom_create BLOOM_NAME_(bloom_create)
#define bloom_copy BLOOM_NAME_(bloom_copy)
#define bloom_free BLOOM_NAME_(bloom_free)
#define bloom_init BLOOM_NAME_(bloom_init)
#define bloom_init_zeroed BLOOM_NAME_(bloom_init_zeroed)
#define bloom_open BLOOM_NAME_(bloom_open)
#define bloom_view BLOOM_NAME_(bloom_view)
#define bloom_image_size BLOOM_NAME_(bloom_image_size)
#define bloom_plan_of BLOOM_NAME_(bloom_plan_of)
#define bloom_size BLOOM_NAME_(bloom_size)
#define bloom_clear BLOOM_NAME_(bloom_clear)
#define bloom_seal BLOOM_NAME_(bloom_seal)
#define bloom_verify BLOOM_NAME_(bloom_verify)
#define bloom_error_text BLOOM_NAME_(bloom_error_text)
#define bloom_add BLOOM_NAME_(bloom_add)                    /* one key */
#define bloom_add_u64 BLOOM_NAME_(bloom_add_u64)
#define bloom_add_hash BLOOM_NAME_(bloom_add_hash)
#define bloom_remove BLOOM_NAME_(bloom_remove)
#define bloom_remove_u64 BLOOM_NAME_(bloom_remove_u64)
#define bloom_remove_hash BLOOM_NAME_(bloom_remove_hash)
#define bloom_count BLOOM_NAME_(bloom_count)
#define bloom_count_u64 BLOOM_NAME_(bloom_count_u64)
#define bloom_count_hash BLOOM_NAME_(bloom_count_hash)
#define bloom_may_contain BLOOM_NAME_(bloom_may_contain)
#define bloom_may_contain_u64 BLOOM_NAME_(bloom_may_contain_u64)
#define bloom_may_contain_hash BLOOM_NAME_(bloom_may_contain_hash)
#define bloom_hash_key BLOOM_NAME_(bloom_hash_key)
#define bloom_hash_u64 BLOOM_NAME_(bloom_hash_u64)
#define bloom_probes BLOOM_NAME_(bloom_probes)
#define bloom_add_many BLOOM_NAME_(bloom_add_many)          /* many keys */
#define bloom_add_many_u64 BLOOM_NAME_(bloom_add_many_u64)
#define bloom_add_many_hash BLOOM_NAME_(bloom_add_many_hash)
#define bloom_may_contain_many BLOOM_NAME_(bloom_may_contain_many)
#define bloom_may_contain_many_u64 BLOOM_NAME_(bloom_may_contain_many_u64)
#define bloom_may_contain_many_hash BLOOM_NAME_(bloom_may_contain_many_hash)
#define bloom_merge BLOOM_NAME_(bloom_merge)                /* whole filters */
#define bloom_intersect BLOOM_NAME_(bloom_intersect)
#define bloom_flatten BLOOM_NAME_(bloom_flatten)
#define bloom_fold BLOOM_NAME_(bloom_fold)
#define bloom_fold_by BLOOM_NAME_(bloom_fold_by)
#define bloom_ones BLOOM_NAME_(bloom_ones)
#define bloom_estimate BLOOM_NAME_(bloom_estimate)
#define bloom_fpr BLOOM_NAME_(bloom_fpr)
#endif

/* USE_RESULT warns if the result of a call is ignored, which is surely a
   mistake. TO_FREE warns if the result is passed to any other deallocator, or
   other memory to bloom_free. */
#ifdef __GNUC__
#define BLOOM_USE_RESULT_ __attribute__((warn_unused_result))
#else
#define BLOOM_USE_RESULT_
#endif
#if defined(__GNUC__) && __GNUC__ >= 11 && !defined(__clang__) \
    && !defined(BLOOM_STATIC)
#define BLOOM_TO_FREE_ \
    BLOOM_USE_RESULT_ __attribute__((__malloc__(bloom_free, 1)))
#else
#define BLOOM_TO_FREE_ BLOOM_USE_RESULT_
#endif
/* READS warns if fewer elements than argument number `count` says are at
   argument number `pointer`. */
#if defined(__GNUC__) && __GNUC__ >= 10 && !defined(__clang__)
#define BLOOM_READS_(pointer, count) \
    __attribute__((__access__(__read_only__, pointer, count)))
#else
#define BLOOM_READS_(pointer, count)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types -------------------------------------------------------------- */
/* A filter is one block of bytes, its image: a header of 32 bytes, then the
   cells. It may lie at any address. Programs only use pointers to it. In C++,
   a member that is called bloom, too, needs the word struct:
       struct table { struct bloom *bloom; }; */
typedef struct bloom bloom;

/* The hash of a key, for all filters with the same hash_bits and seed */
typedef struct bloom_hash { uint64_t h1, h2; } bloom_hash;

typedef enum bloom_layout {
    BLOOM_CLASSIC,               /* k bits anywhere: the least memory */
    BLOOM_BLOCKED,               /* eight bits in each of k/8 blocks of 256:
                                    the fastest. For p up to 7%, the image is 10
                                    to 20% larger than a classic one, or up to
                                    60% for few keys. For a larger p it is
                                    larger still. */
    BLOOM_COUNTING               /* k counters of 4 bits: can remove keys */
} bloom_layout;

/* All that bloom_create needs to know. Let a bloom_plan_ function compute it;
   then you may change seed and hash_bits, or round cells up. */
typedef struct bloom_plan {
    uint64_t cells;              /* m: a multiple of 64 (blocked: of 256, and
                                    below 2^40) */
    uint64_t seed;               /* of the hash: 0 unless you change it */
    uint8_t hashes;              /* k: 1..64 (blocked: 8, 16 .. 64) */
    uint8_t layout;              /* a bloom_layout */
    uint8_t hash_bits;           /* 64, or 32 for small CPUs. 32 needs m < 2^32,
                                    and is not for blocked filters. Setting 32
                                    in a 64-bit plan raises the rate by 1% at
                                    p = 3e-8 and by 25% at 1e-9. Keys of 8 bytes
                                    or more add n * 2^-50 to it. */
} bloom_plan;

typedef enum bloom_error {
    BLOOM_OK,
    BLOOM_TRUNCATED,             /* NULL, or fewer bytes than the image has */
    BLOOM_NOT_A_FILTER,          /* does not begin with the letters BLM. Images
                                    of chains begin with BLC, of windows BLW, of
                                    slices BLS */
    BLOOM_WRONG_VERSION,         /* the format is not version 2 */
    BLOOM_BAD_HEADER,            /* m, k, hash_bits or reserved byte wrong */
    BLOOM_UNSUPPORTED,           /* this build lacks the layout or hash_bits, or
                                    the image is too large for its size_t */
    BLOOM_CORRUPT,               /* the seal does not match */
    BLOOM_UNSEALED,              /* there is no seal to check */
    BLOOM_NO_MEMORY              /* of companions: malloc has returned NULL */
} bloom_error;

/* ---- Planning ----------------------------------------------------------- */
/* A plan is for n different keys (0 counts as 1) and a rate p, 2^-64 <= p < 1.
   p is a share: 0.01 for 1%. A plan is impossible if an argument is out of
   range or the filter would be too large. Then no filter can be made from it,
   and bloom_plan_size(plan) is 0. Test the size: plan.cells may be above 0 in
   an impossible plan.
   Plans are identical on all machines, with two exceptions: where a double has
   32 bits or is kept in x87 registers, and above n = 2.9 * 10^10 where the
   compiler fuses products and sums. There, plans made with floating point may
   differ by a few cells. With -ffast-math plans are right, but a NaN for p is
   not noticed. */

/* These macros plan a classic filter with p = 1 / one_in. BLOOM_CELLS is m,
   BLOOM_HASHES is k, BLOOM_SIZE is the size of the image in bytes, and
   BLOOM_PLAN is the initialiser of a plan. The first three are constants for
   array sizes and #if. one_in is 2..10^9, n at most 2^42. hash_bits is 64
   (BLOOM_TINY: 32). You may set it to 32: the cells are enough for the 2^-32 of
   that width, but not for the n * 2^-50 (see PROMISES). The filter is never
   smaller than bloom_plan_for's, and for 100 keys or more it is larger by at
   most 2% + 64 bits.
   n and one_in must be integer constants. Write 100 for 1%: 0.01 does not
   compile. Neither does 1e6 for n. For values known at run time only, call
   bloom_plan_one_in: with variables, BLOOM_PLAN is an expression of 10,000
   characters that evaluates one_in 299 times, and clang++ rejects it. With
   BLOOM_TINY, plans of 2^32 cells or more are impossible, whatever these say.
       static unsigned char memory[BLOOM_SIZE(1000, 100)];
       bloom_plan plan = BLOOM_PLAN(1000, 100); */
#define BLOOM_CELLS(n, one_in) BLOOM_CELLS_(n, one_in, BLOOM_LOG2_(one_in))
#define BLOOM_HASHES(n, one_in) BLOOM_HASHES_(n, one_in, BLOOM_LOG2_(one_in))
#define BLOOM_SIZE(n, one_in) (BLOOM_CELLS(n, one_in) / 8 \
    + 32 * BLOOM_POSSIBLE_(n, one_in))
#define BLOOM_PLAN(n, one_in) { BLOOM_CELLS(n, one_in), 0, \
    BLOOM_HASHES(n, one_in), 0, BLOOM_WIDTH_ }

/* Makes the plan of BLOOM_PLAN at run time, without floating point. */
BLOOM_API bloom_plan bloom_plan_one_in(uint64_t n, uint64_t one_in);

/* The size of the image in bytes: 32 + m/8 (counting: 32 + m/2). It is 0 if the
   plan is impossible, not supported by this build, or too large for size_t. */
BLOOM_API size_t bloom_plan_size(bloom_plan plan);

#ifndef BLOOM_NO_FLOAT
/* Plans the smallest classic filter that keeps the rate p with n keys. If
   several k do so with the same m, it uses the smallest k. For p from 0.5 to
   10^-12 and n up to 10^10, the call computes at most 60 rates, and takes
   microseconds. */
BLOOM_API bloom_plan bloom_plan_for(uint64_t n, double p);

/* Plans a filter of any layout. A counting filter has the m and k of a classic
   one. For a blocked filter, this call looks for the smallest k that keeps p
   with 1.2 times the memory of a classic filter. If no k does (p above 0.07, or
   few keys), it plans the smallest blocked filter that keeps p. With p and n as
   above, the call computes at most 100 rates. */
BLOOM_API bloom_plan bloom_plan_layout(uint64_t n, double p, bloom_layout);

/* Plans the smallest classic filter that keeps p with exactly k probes per key,
   1..64. A smaller k than bloom_plan_for's is faster but needs more memory. */
BLOOM_API bloom_plan bloom_plan_hashes(uint64_t n, double p, unsigned k);

/* Of the classic filters whose image has at most `bytes` bytes, plans the one
   with the lowest rate for n keys. At least 40 bytes are needed. The second
   call does the same for any layout; other layouts need at least 64 bytes. No
   plan has more than 2^62 cells, however many bytes there are. */
BLOOM_API bloom_plan bloom_plan_bytes(uint64_t n, size_t bytes);
BLOOM_API bloom_plan bloom_plan_bytes_layout(uint64_t n, size_t bytes,
                                             bloom_layout);

/* Of the filters of this layout whose image has at most `bytes` bytes, plans
   the one that holds the most keys at the rate p. bloom_plan_capacity(plan, p)
   says how many. Of equal ones, it takes the smallest k. If not one key fits,
   or p is out of range, the plan is impossible. If p is above 0.999, rounding
   may hide a k that holds more keys. For p from 0.5 to 10^-12 the call computes
   at most 240 rates, and takes microseconds (blocked: a millisecond). */
BLOOM_API bloom_plan bloom_plan_fit(size_t bytes, double p, bloom_layout);

/* The false-positive rate, 0..1, to be expected after n different keys. It is 0
   if n is 0, and 1 if the plan is impossible. The error is at most 1% for
   n >= 100, else 2%, with three exceptions:
     - In your own plans with n <= 3 and k near m, it is up to 4%.
     - With several blocks per key, but at most a few hundred blocks in all, the
       real rate may be as low as a third of the result (2 blocks, k = 40).
     - Of the errors of 32-bit hashes, the result includes 2^-32 only. */
BLOOM_API double bloom_plan_fpr(bloom_plan plan, uint64_t n);

/* How many different keys a filter holds before its rate exceeds p: the largest
   n with bloom_plan_fpr(plan, n) <= p. It is 0 if the plan is impossible, or p
   not between 0 and 1. If the plan was made for p above 0.999 or n above 10^14,
   rounding may make the result smaller than that n. */
BLOOM_API uint64_t bloom_plan_capacity(bloom_plan plan, double p);
#endif

/* ---- Making ------------------------------------------------------------- */
#ifndef BLOOM_NO_MALLOC
/* bloom_create makes an empty filter from a plan. bloom_new(n, p) uses the plan
   bloom_plan_for(n, p), and bloom_new_layout(n, p, layout) uses
   bloom_plan_layout(n, p, layout). bloom_copy copies b with its seal. The
   result is aligned to 32 bytes. It is NULL if the plan is impossible or memory
   is short. p is a share, 0.01 for 1%, so it must be below 1.
   Give bloom_free only the result of one of these four calls or of a load in
   bloom_file.h, or NULL. Do not give it memory from malloc, or a filter of
   bloom_init or bloom_open. */
BLOOM_API void bloom_free(bloom *b);
#ifndef BLOOM_NO_FLOAT
BLOOM_TO_FREE_ BLOOM_API bloom *bloom_new(uint64_t n, double p);
BLOOM_TO_FREE_ BLOOM_API bloom *bloom_new_layout(uint64_t n, double p,
                                                 bloom_layout layout);
#endif
BLOOM_TO_FREE_ BLOOM_API bloom *bloom_create(bloom_plan plan);
BLOOM_TO_FREE_ BLOOM_API bloom *bloom_copy(const bloom *b);
#endif

/* These make an empty filter in your memory of `size` bytes. If memory is NULL,
   or bloom_plan_size(plan) is 0 or above size, they return NULL and write
   nothing. Free the memory as you have allocated it.
   bloom_init_zeroed writes the header only. It is for memory that is all zeros:
   a static array, a fresh anonymous map, a sparse file. If the memory is not
   zero, the filter has false positives from the start, but it still finds every
   key that is added. */
BLOOM_USE_RESULT_
BLOOM_API bloom *bloom_init(void *memory, size_t size, bloom_plan plan);
BLOOM_USE_RESULT_
BLOOM_API bloom *bloom_init_zeroed(void *memory, size_t size, bloom_plan plan);

/* These use the `size` bytes at image as a filter, in place. bloom_view is for
   read-only bytes, such as ROM or a mapped file. Other bytes may follow the
   image. Only the header is checked, in constant time; for the cells see
   bloom_verify. If this build cannot use the bytes as a filter, the result is
   NULL and *error is the reason. Otherwise *error is BLOOM_OK. error may be
   NULL. `size` must not be larger than the memory at image. */
BLOOM_USE_RESULT_
BLOOM_API bloom *bloom_open(void *image, size_t size, bloom_error *error);
BLOOM_USE_RESULT_
BLOOM_API const bloom *bloom_view(const void *image, size_t size,
                                  bloom_error *error);

/* The size in bytes of the image that begins with the BLOOM_HEADER_SIZE bytes
   at `head`. Use it to receive an image: read its header, then allocate this
   much, up to a limit of your own. If these bytes are not the header of a
   filter that this build can use, the result is 0 and *error is the reason.
   error may be NULL. If the result is not 0, the header has the plan:
   bloom_plan_of((const bloom *)head). */
BLOOM_API size_t bloom_image_size(const void *head, bloom_error *error);

BLOOM_API bloom_plan bloom_plan_of(const bloom *b);
BLOOM_API size_t bloom_size(const bloom *b);        /* bytes of the image */
BLOOM_API void bloom_clear(bloom *b);               /* removes all keys */

/* bloom_seal writes a checksum of header and cells, the seal, into the image.
   Every call that may write cells removes the seal, even if no cell changes.
   bloom_verify returns BLOOM_OK, BLOOM_CORRUPT or BLOOM_UNSEALED. bloom_seal
   reads all cells. So does bloom_verify, if there is a seal. A seal detects
   damage, not forgery. It misses damage with a probability of 2^-hash_bits.
   Call bloom_seal before you store an image:
       bloom_seal(b);
       FILE *file = fopen("seen.bloom", "wb");  // check this and the next two
       fwrite(b, 1, bloom_size(b), file);
       fclose(file);
   Without the b of "wb", Windows inserts bytes among the cells. Then nearly all
   keys are gone, and of all calls only bloom_verify notices it.
   A filter whose cells are all set is valid, and says "maybe" to every key: of
   what strangers send, refuse it if bloom_fpr is above a limit of your own. */
BLOOM_API void bloom_seal(bloom *b);
BLOOM_API bloom_error bloom_verify(const bloom *b);
BLOOM_API const char *bloom_error_text(bloom_error error);

/* ---- Keys --------------------------------------------------------------- */
/* A key is `size` bytes at `key`; for a size of 0, `key` may be NULL. These
   bytes must not lie in the filter itself.
   For _u64 a key is an integer. If hash_bits is 32, an integer is the same key
   as its 8 bytes in little-endian order. If hash_bits is 64, it is not.
   For _hash a key is a hash, from bloom_hash_key, bloom_hash_u64 or your own
   function. Your function must fill h1 and h2 (hash_bits 32: h1 and the upper
   half of h2) with bits that are as good as random. If your hash has only 64
   bits or fewer, pass it through bloom_hash_u64.
   Hostile keys: an attacker who chooses keys can find many false positives, and
   can exceed p with fewer than n keys. A secret seed does not help: some keys
   always collide. Use _hash with examples/companions/bloom_keyed.h. */

/* Adds a key. true: it was certainly not in. false: it may have been in. */
BLOOM_READS_(2, 3)
BLOOM_API bool bloom_add(bloom *b, const void *key, size_t size);
BLOOM_API bool bloom_add_u64(bloom *b, uint64_t key);
BLOOM_API bool bloom_add_hash(bloom *b, bloom_hash h);

/* Undoes one bloom_add of a key in a counting filter. If the filter is not a
   counting one or the key is certainly not in, the result is false and no cell
   changes. Remove only keys that were added: removing a false positive can
   remove other keys. Once a counter has reached 15, adding and removing leave
   it at 15, so that it never undercounts.
   true does not mean that the key is gone. A key that was added twice is in
   until it is removed twice, and 15 adds make it permanent: then the result is
   always true, and `while (bloom_remove(b, key, size));` never ends. So add
   each key once. Your program must know which keys are in. Do not ask
   bloom_may_contain instead: a false positive would not be added, and would no
   longer be found when the keys that it resembles are removed. */
BLOOM_READS_(2, 3)
BLOOM_API bool bloom_remove(bloom *b, const void *key, size_t size);
BLOOM_API bool bloom_remove_u64(bloom *b, uint64_t key);
BLOOM_API bool bloom_remove_hash(bloom *b, bloom_hash h);

#ifndef BLOOM_TINY
/* How often the key was added at most: the least of its counters, 0..15, where
   15 stands for 15 or more. It is never too low, unless keys were removed that
   had not been added. It is too high as often as the filter takes an absent key
   for one that is in. In filters for fewer than 30 keys it may be so for up to
   1.6% of the keys more, as cells of a key may be the same one. In filters that
   do not count, it is 1 if bloom_may_contain is true, else 0. */
BLOOM_READS_(2, 3)
BLOOM_API unsigned bloom_count(const bloom *b, const void *key, size_t size);
BLOOM_API unsigned bloom_count_u64(const bloom *b, uint64_t key);
BLOOM_API unsigned bloom_count_hash(const bloom *b, bloom_hash h);
#endif

/* Looks up a key. false: it is certainly not in. true: it may be in. */
BLOOM_READS_(2, 3)
BLOOM_API bool bloom_may_contain(const bloom *b, const void *key, size_t size);
BLOOM_API bool bloom_may_contain_u64(const bloom *b, uint64_t key);
BLOOM_API bool bloom_may_contain_hash(const bloom *b, bloom_hash h);

/* The hash of a key, for b and all filters with the same hash_bits and seed (if
   hash_bits is 32: with the same low 32 bits of the seed) */
BLOOM_READS_(2, 3) BLOOM_API bloom_hash bloom_hash_key(
    const bloom *b, const void *key, size_t size);
BLOOM_API bloom_hash bloom_hash_u64(const bloom *b, uint64_t key);

/* Writes the numbers of a key's k cells to index[0..k-1], and returns k. In a
   blocked filter, index[0..7] are in the key's first block, and so on. */
BLOOM_API unsigned bloom_probes(const bloom *b, bloom_hash h,
                                uint64_t index[64]);

/* ---- Many keys at once -------------------------------------------------- */
/* These do the same as one call for each of `count` keys, in their order. They
   write `count` results to `is_new` or `maybe`, unless that is NULL, and return
   how many results are true. The results must not overlap the keys.
   They are faster than single calls, because the waits for memory overlap. They
   take about 5 KB of stack (gcc 12 or clang 14, -O2, x86-64). In small builds
   (see __OPTIMIZE_SIZE__), they are loops of single calls. */
typedef struct bloom_key { const void *data; size_t size; } bloom_key;

BLOOM_READS_(2, 3) BLOOM_API size_t bloom_add_many(
    bloom *b, const bloom_key *keys, size_t count, bool *is_new);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_add_many_u64(
    bloom *b, const uint64_t *keys, size_t count, bool *is_new);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_add_many_hash(
    bloom *b, const bloom_hash *hashes, size_t count, bool *is_new);

BLOOM_READS_(2, 3) BLOOM_API size_t bloom_may_contain_many(
    const bloom *b, const bloom_key *keys, size_t count, bool *maybe);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_may_contain_many_u64(
    const bloom *b, const uint64_t *keys, size_t count, bool *maybe);
BLOOM_READS_(2, 3) BLOOM_API size_t bloom_may_contain_many_hash(
    const bloom *b, const bloom_hash *hashes, size_t count, bool *maybe);

/* ---- Threads ------------------------------------------------------------ */
/* Any number of threads may look up keys in a filter at the same time. A call
   that changes the filter needs exclusive access to it. With BLOOM_ATOMIC,
   threads may add keys, remove added keys and merge other filters into it while
   others look up keys. No key is lost. If thread A adds a key and then
   notifies thread B, B finds the key. If several threads add the same absent
   key at once, at least one gets true, and several may: another key may set the
   cell that would decide. If exactly one must get true, for example to count
   keys, each thread that adds takes one lock out of 64, which the key chooses:
       bloom_hash h = bloom_hash_key(b, key, size);
       pthread_mutex_lock(&locks[h.h1 >> 58]);     // pthread_mutex_t locks[64]
       bool is_new = bloom_add_hash(b, h);
       pthread_mutex_unlock(&locks[h.h1 >> 58]);
   Still, bloom_seal, bloom_clear, bloom_intersect, bloom_flatten and bloom_fold
   need exclusive access to their filters. During bloom_verify or saving, the
   filter must not change. So save a copy: with BLOOM_ATOMIC, bloom_copy may run
   while others add keys. The copy has each key whose call had returned. Seal it
   before you verify it. bloom_ones, bloom_estimate, bloom_fpr and the `from` of
   bloom_merge count as lookups.
   A signal handler is like a second thread: if it adds keys to a filter that
   the program is changing, both need BLOOM_ATOMIC, or a key may be lost. An
   interrupt handler on a chip is, too. BLOOM_ATOMIC needs atomic operations on
   bytes, which small chips lack: there, mask the interrupts that use the filter
   during each call that changes it. */

/* ---- Whole filters: each call reads the whole image --------------------- */
/* Makes `into` the union or the intersection of both filters. If their plans
   differ, the result is false and nothing changes. The union has the same bytes
   as one filter to which all keys were added. (Counters are summed, up to 15.)
   The intersection contains the keys that are in both filters, and its rate is
   at most the lower of theirs. (It keeps the smaller counter of each pair. Keys
   that were in one of the filters only must not be removed from it: that could
   remove other keys.) */
BLOOM_USE_RESULT_ BLOOM_API bool bloom_merge(bloom *into, const bloom *from);
BLOOM_USE_RESULT_
BLOOM_API bool bloom_intersect(bloom *into, const bloom *from);

/* Replaces the contents of a classic filter with those of a counting filter, in
   a quarter of the memory. If `into_classic` is not classic, `counting` is not
   counting, or their plans differ in anything else, the result is false and
   nothing changes. */
BLOOM_USE_RESULT_
BLOOM_API bool bloom_flatten(bloom *into_classic, const bloom *counting);

#ifndef BLOOM_TINY
/* Makes a filter smaller, in place: m becomes m / by. The image is then that of
   a filter of m / by cells with the same keys. Its seal is removed. The memory
   at b keeps its size; bloom_copy makes a copy of just the new size. A program
   that is killed meanwhile leaves cells that are folded in part: do not fold a
   mapped file, but a copy, and save that.
   The result is false, and nothing changes, if `by` is 0 or does not divide m,
   if m / by is not a multiple of 64 (blocked: of 256), or if a blocked filter
   would shrink from m >= 2^34 to m < 2^34, where another rule chooses blocks.
   Fold if n is known only at the end. Plan for the largest possible n, and
   round m up to a multiple of 64 * 5040 (blocked: 256 * 5040), which has many
   divisors. Add the keys, merge the filters of other workers, and call
   bloom_fold(b, bloom_fold_by(b, p)). If bloom_fold returns true, the estimated
   rate is at most p. If false, it is above p already: about n keys or more are
   in. (Half of all filters with exactly n keys are slightly above p.) If at
   least n/5040 keys came, the folded m is at most about twice that of a new
   plan. */
BLOOM_USE_RESULT_ BLOOM_API bool bloom_fold(bloom *b, uint64_t by);

#ifndef BLOOM_NO_FLOAT
/* The largest `by`, at most 65536, that bloom_fold accepts and with which the
   folded filter keeps p. That is so if bloom_plan_fpr of its plan, for
   bloom_estimate(b) keys, is at most p. The result is 0 if the rate exceeds p
   even without folding, or if p is not between 0 and 1. */
BLOOM_API uint64_t bloom_fold_by(const bloom *b, double p);
#endif
#endif

BLOOM_API uint64_t bloom_ones(const bloom *b);      /* cells that are not 0 */

#ifndef BLOOM_NO_FLOAT
/* An estimate of how many different keys are in, from the share of cells that
   are not 0; UINT64_MAX if no cell is 0. It is wrong for an intersection. To
   estimate how many keys a and b have in common (their plans must be equal):
       double both = 0;
       bloom *u = bloom_copy(a);           // then the union
       if (u && bloom_merge(u, b))
           both = (double)bloom_estimate(a) + (double)bloom_estimate(b)
                - (double)bloom_estimate(u);
       if (both < 0)                       // the three are estimates
           both = 0;
       bloom_free(u); */
BLOOM_API uint64_t bloom_estimate(const bloom *b);

/* The false-positive rate of this filter, 0..1, computed from its cells. It
   cannot notice that hashes of your own are bad. For example, { h, 0 } in place
   of random h1 and h2 sets one cell per key: a filter planned for 1% then has a
   rate of 10%, and the result is 10^-7. See examples/custom_hash.c. */
BLOOM_API double bloom_fpr(const bloom *b);
#endif

#ifdef __cplusplus
}
#endif

/* The planning macros compute m = n * log2(r) / ln 2, with r = one_in, in whole
   numbers. */
#define BLOOM_ONE_ 4294967296ULL  /* 1.0 with 32 binary places */
/* e, the whole part of log2(r) */
#define BLOOM_LOG2_(r) (BLOOM_LOG2_4_(r, 1) + BLOOM_LOG2_4_(r, 5) \
    + BLOOM_LOG2_4_(r, 9) + BLOOM_LOG2_4_(r, 13) + BLOOM_LOG2_4_(r, 17) \
    + BLOOM_LOG2_4_(r, 21) + BLOOM_LOG2_4_(r, 25) + BLOOM_LOG2_4_(r, 29))
#define BLOOM_LOG2_4_(r, e) (((r) + 0ULL >= 1ULL << (e)) \
    + ((r) + 0ULL >= 2ULL << (e)) + ((r) + 0ULL >= 4ULL << (e)) \
    + ((r) + 0ULL >= 8ULL << (e)))
/* 2^32 times an approximation of log2(r): e + x + 61/128 x(1 - x), where x is
   r / 2^e - 1. It is exact for powers of two, and too high between them, to
   offset the rounding of k. */
#define BLOOM_X_(r, e) ((((r) + 0ULL) << 32 >> (e)) - BLOOM_ONE_)
#define BLOOM_LOG_(r, e) ((e) * BLOOM_ONE_ + BLOOM_X_(r, e) \
    + (BLOOM_X_(r, e) * (BLOOM_ONE_ - BLOOM_X_(r, e)) >> 32) * 61 / 128)
#define BLOOM_POSSIBLE_(n, r) ((r) > 1 && (r) + 0ULL <= 1000000000 \
    && (n) + 0ULL <= 1ULL << 42)
#define BLOOM_HASHES_(n, r, e) (BLOOM_POSSIBLE_(n, r) \
    ? (BLOOM_LOG_(r, e) + BLOOM_ONE_ / 2) >> 32 : 0)
/* n | (n == 0) is n or, for 0, 1. It does not compile if n is a double. Small
   filters need 3 + e/4 more bits in total. */
#define BLOOM_CELLS_(n, r, e) (BLOOM_POSSIBLE_(n, r) \
    ? (((n) | ((n) == 0)) * BLOOM_BITS_PER_KEY_(r, e) / 65536 \
        + 3 + (e) / 4 + 63) \
      / 64 * 64 : 0)
/* The bits per key times 65536: 94549 / 65536 is 1 / ln 2, rounded up. The last
   line offsets what degenerate walks add in width 32:
   bloom_plus_degenerate_walks_. */
#define BLOOM_BITS_PER_KEY_(r, e) ((BLOOM_LOG_(r, e) * 94549 >> 32) + 1 \
    + ((r) >> 15) * 5 / 4)
#ifdef BLOOM_TINY
#define BLOOM_WIDTH_ 32
#else
#define BLOOM_WIDTH_ 64
#endif

#endif /* BLOOM_H */

#if (defined(BLOOM_STATIC) && !defined(BLOOM_STATIC_FROM_THE_START_)) \
    || (defined(BLOOM_TINY) && !defined(BLOOM_TINY_FROM_THE_START_)) \
    || (defined(BLOOM_NAMESPACE) && !defined(BLOOM_NAMESPACE_FROM_THE_START_)) \
    || (defined(BLOOM_ATOMIC) && !defined(BLOOM_ATOMIC_FROM_THE_START_))
#error "bloom.h: define BLOOM_STATIC, BLOOM_TINY, BLOOM_NAMESPACE and \
BLOOM_ATOMIC before the first #include of bloom.h"
#endif

/* ======================================================================== */

/* The implementation follows a key: the image, hashes, the walk from a hash to
   the cells, the three layouts, one key, and many keys. Then come calls on
   whole filters, making, planning, and what the cells tell. Where a function
   has a faster body for some CPUs, it stands beside the plain one. */

#if defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_IMPLEMENTATION_DONE_)
#define BLOOM_IMPLEMENTATION_DONE_

/* ---- Compilers and platforms -------------------------------------------- */

#if defined(BLOOM_MALLOC) != defined(BLOOM_FREE)
#error "bloom.h: define both BLOOM_MALLOC and BLOOM_FREE, or neither"
#elif !defined(BLOOM_MALLOC) && !defined(BLOOM_NO_MALLOC)
#include <stdlib.h>
#define BLOOM_MALLOC(size) calloc(1, size)
#define BLOOM_FREE(pointer) free(pointer)
#define BLOOM_MALLOC_CLEARS_ true       /* calloc returns zeroed memory */
#else
#define BLOOM_MALLOC_CLEARS_ false
#endif
#ifndef BLOOM_ASSERT
#define BLOOM_ASSERT(x) ((void)0)
#endif

/* SMALL leaves out the faster bodies. If size_t has 16 bits, no filter is large
   enough for them. */
#if defined(BLOOM_TINY) || defined(BLOOM_READ_BYTE) || SIZE_MAX <= 0xFFFF \
    || (defined(__OPTIMIZE_SIZE__) && SIZE_MAX <= 0xFFFFFFFF)
#define BLOOM_SMALL_
#endif

/* Freestanding builds, and small ones without malloc, do without libc: there,
   volatile keeps bloom_zero_ from being compiled to memset. */
#if !__STDC_HOSTED__ || (defined(BLOOM_NO_MALLOC) && defined(BLOOM_SMALL_))
#define BLOOM_ZERO_ bloom_zero_
static void bloom_zero_(volatile unsigned char *bytes, size_t size)
{
    while (size > 0)
        bytes[--size] = 0;
}
#else
#include <string.h>
#define BLOOM_ZERO_(bytes, size) memset(bytes, 0, size)
#endif

/* The code is C. HUSH turns off warnings of C++ about C's casts and NULL, and a
   warning of gcc 12: it reports a leak if an image begins inside an allocated
   block. */
#ifdef __GNUC__
#define BLOOM_HUSH_ _Pragma("GCC diagnostic push") \
    _Pragma("GCC diagnostic ignored \"-Wpragmas\"") \
    _Pragma("GCC diagnostic ignored \"-Wunknown-warning-option\"") \
    _Pragma("GCC diagnostic ignored \"-Wold-style-cast\"") \
    _Pragma("GCC diagnostic ignored \"-Wzero-as-null-pointer-constant\"") \
    _Pragma("GCC diagnostic ignored \"-Wanalyzer-malloc-leak\"")
#define BLOOM_END_HUSH_ _Pragma("GCC diagnostic pop")
#else
#define BLOOM_HUSH_
#define BLOOM_END_HUSH_
#endif

/* GCC and Clang always inline an INLINE function, and never a NOINLINE one. */
#ifdef __GNUC__
#define BLOOM_ATTRIBUTE_(x) __attribute__(x)
#define BLOOM_INLINE_ static inline __attribute__((always_inline))
#define BLOOM_NOINLINE_ static __attribute__((noinline))
#else
#define BLOOM_ATTRIBUTE_(x)
#define BLOOM_INLINE_ static inline
#define BLOOM_NOINLINE_ static
#endif
#ifdef BLOOM_STATIC         /* for functions to be inlined into a user's loop */
#define BLOOM_API_INLINE_ BLOOM_INLINE_
#else
#define BLOOM_API_INLINE_ BLOOM_API
#endif

/* OPAQUE hides the value of x from the optimiser. The empty asm in PREFETCH
   keeps gcc from deleting a loop that only prefetches. */
#ifdef __GNUC__
#define BLOOM_LIKELY_(x) __builtin_expect(x, 1)
#define BLOOM_OPAQUE_(x) __asm__("" : "+r"(x))
#define BLOOM_PREFETCH_(p) \
    do { __builtin_prefetch(p); __asm__ volatile(""); } while (0)
#else
#define BLOOM_LIKELY_(x) (x)
#define BLOOM_OPAQUE_(x) ((void)0)
#define BLOOM_PREFETCH_(p) ((void)(p))
#endif
#ifdef _MSC_VER
#include <intrin.h>
#ifdef _M_X64
#undef BLOOM_PREFETCH_
#define BLOOM_PREFETCH_(p) \
    _mm_prefetch((const char *)(const void *)(p), _MM_HINT_T0)
#endif
#endif

/* For clang only: does two rounds of the next loop at a time, not eight; and
   keeps x one product, where clang would replace its rotation by two. */
#if defined(__clang__) && !defined(BLOOM_SMALL_)
#define BLOOM_UNROLL_2_ _Pragma("clang loop unroll_count(2)")
#define BLOOM_ONE_PRODUCT_(x) BLOOM_OPAQUE_(x)
#else
#define BLOOM_UNROLL_2_
#define BLOOM_ONE_PRODUCT_(x) ((void)0)
#endif

/* With BLOOM_ATOMIC, threads change cells while others read them. The order is
   relaxed, as no cell depends on another. */
#ifdef BLOOM_ATOMIC
#if !defined(__GCC_ATOMIC_CHAR_LOCK_FREE) || __GCC_ATOMIC_CHAR_LOCK_FREE != 2
#error "bloom.h: BLOOM_ATOMIC needs the __atomic built-ins of GCC or Clang and \
lock-free bytes (__GCC_ATOMIC_CHAR_LOCK_FREE == 2); MSVC's dialect lacks them"
#endif
#define BLOOM_MAY_USE_WORDS_ (__GCC_ATOMIC_LLONG_LOCK_FREE == 2)
#define BLOOM_VOLATILE_ volatile
#define BLOOM_LOAD_BYTE_(p) __atomic_load_n(p, __ATOMIC_RELAXED)
/* Sets bits in a byte that was `old` */
#define BLOOM_SET_BITS_(p, old, bits) do { if ((bits) & ~(old)) \
    __atomic_fetch_or(p, (unsigned char)(bits), __ATOMIC_RELAXED); } while (0)
/* A weak compare-and-swap: if the byte equals *old, stores `now` and returns
   true. Otherwise, or spuriously, reloads *old and returns false. */
#define BLOOM_CAS_BYTE_(p, old, now) \
    __atomic_compare_exchange_n(p, old, (unsigned char)(now), true, \
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED)
/* A PURE function has no side effects, so compilers may read the header once
   for a loop of calls. Here none is, as other threads may change cells. */
#define BLOOM_PURE_
#else
#define BLOOM_MAY_USE_WORDS_ 1
#define BLOOM_VOLATILE_
#define BLOOM_LOAD_BYTE_(p) (*(p))
#define BLOOM_SET_BITS_(p, old, bits) (*(p) = (unsigned char)((old) | (bits)))
#define BLOOM_CAS_BYTE_(p, old, now) \
    ((void)(old), (void)(*(p) = (unsigned char)(now)), true)
#define BLOOM_PURE_ BLOOM_ATTRIBUTE_((pure))
#endif
#ifdef BLOOM_READ_BYTE
#define BLOOM_IN_ROM_ 1
#else
#define BLOOM_IN_ROM_ 0
#define BLOOM_READ_BYTE(p) BLOOM_LOAD_BYTE_(p)
#endif

#ifdef __cplusplus
extern "C" {
#define BLOOM_NULL_ nullptr
#else
#define BLOOM_NULL_ NULL
#endif
BLOOM_HUSH_

/* BLOOM_TINY has one layout and one hash width: constants here, so that
   compilers remove the code for the others. Its m is below 2^32. */
#ifdef BLOOM_TINY
typedef uint32_t bloom_index_;
#define BLOOM_IS_32_(plan) ((void)(plan), true)
#define BLOOM_IS_BLOCKED_(layout) ((void)(layout), false)
#define BLOOM_IS_COUNTING_(layout) ((void)(layout), false)
#define BLOOM_LAST_LAYOUT_ BLOOM_CLASSIC
#else
typedef uint64_t bloom_index_;
#define BLOOM_IS_32_(plan) ((plan).hash_bits == 32)
#define BLOOM_IS_BLOCKED_(layout) ((layout) == BLOOM_BLOCKED)
#define BLOOM_IS_COUNTING_(layout) ((layout) == BLOOM_COUNTING)
#define BLOOM_LAST_LAYOUT_ BLOOM_COUNTING
#endif

/* ==== The image =============================================================
   A filter is one block of bytes: a header, then the cells.

    offset size  field
       0     4   magic: 'B' 'L' 'M' and the format version, 2
       4     1   layout: 0 classic, 1 blocked, 2 counting
       5     1   hash width in bits: 64 or 32; blocked: 64
       6     1   k, probes per key: 1..64; blocked: 8, 16 .. 64
       7     1   zero
       8     8   m, the number of cells, not 0: a multiple of 64 (blocked: of
                 256, and below 2^40); in width 32 below 2^32
      16     8   seed
      24     8   seal; 0: not sealed
      32   m/8   cells: cell i is bit i & 7 of byte 32 + i / 8
           m/2   counting: the low (even i) or high 4 bits of byte 32 + i / 2

   Every number is little-endian. Invariant: a `bloom *` points to a valid
   header, followed by all its cells, and the image's size fits into size_t.
   bloom_init, _create and _copy write such an image. bloom_open and bloom_view
   check that the caller's bytes are an image. Other functions rely on that. */

enum {
    BLOOM_FORMAT_ = 2,          /* the format version */
    BLOOM_FORMAT_AT_ = 3, BLOOM_LAYOUT_AT_ = 4, BLOOM_WIDTH_AT_ = 5,
    BLOOM_K_AT_ = 6, BLOOM_ZERO_AT_ = 7, BLOOM_M_AT_ = 8, BLOOM_SEED_AT_ = 16,
    BLOOM_SEAL_AT_ = 24
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

/* Takes away const, for functions that can both add and look up. They write
   nothing when they look up, so the filter may lie in ROM. */
static inline unsigned char *bloom_cast_const_(const bloom *b)
{
    BLOOM_ASSERT(b != BLOOM_NULL_);
    return (unsigned char *)(uintptr_t)b;
}

/* Numbers are read and written byte by byte, so that neither alignment nor the
   machine's byte order matters. Optimisers can make one instruction of each,
   but clang does not always do so for loads: hence the memcpy below. */

#define BLOOM_LOAD32_(p) ((uint32_t)(p)[0] | (uint32_t)(p)[1] << 8 \
    | (uint32_t)(p)[2] << 16 | (uint32_t)(p)[3] << 24)

#if defined(BLOOM_SMALL_) && defined(__GNUC__)
/* In small builds, all loads call one function. If the bytes are constants,
   such as the header of a constant image, the compiler computes the result. */
static inline uint32_t bloom_load32_unknown_(const unsigned char *p)
{
    return BLOOM_LOAD32_(p);
}

BLOOM_INLINE_ uint32_t bloom_load32_(const unsigned char *p)
{
    return __builtin_constant_p(p[0]) ? BLOOM_LOAD32_(p)
                                      : bloom_load32_unknown_(p);
}
#elif defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint32_t bloom_load32_(const unsigned char *p)
{
    uint32_t x;
    __builtin_memcpy(&x, p, 4);
    return x;
}
#else
static inline uint32_t bloom_load32_(const unsigned char *p)
{
    return BLOOM_LOAD32_(p);
}
#endif

static inline uint64_t bloom_load64_(const unsigned char *p)
{
    return bloom_load32_(p) | (uint64_t)bloom_load32_(p + 4) << 32;
}

/* Loads from an image in flash (rom is true), or from other memory, such as a
   key */
static inline unsigned bloom_load8_rom_(const unsigned char *p, bool rom)
{
    if (BLOOM_IN_ROM_ && rom)
        return (unsigned)BLOOM_READ_BYTE(p);
    return *p;
}

/* The number in bytes p[from] to p[to - 1]: 0 to 8 bytes */
static inline uint64_t bloom_load_part_rom_(const unsigned char *p, size_t from,
                                            size_t to, bool rom)
{
    uint64_t x = 0;
    while (to > from)
        x = x << 8 | bloom_load8_rom_(p + --to, rom);
    return x;
}

static inline uint64_t bloom_load64_rom_(const unsigned char *p, bool rom)
{
    return BLOOM_IN_ROM_ && rom ? bloom_load_part_rom_(p, 0, 8, rom)
                                : bloom_load64_(p);
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

/* One store on 64-bit machines, also without optimisation: a process that is
   killed must not leave a part of a seal in a mapped file. */
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ \
    && !defined(BLOOM_SMALL_)
BLOOM_INLINE_ void bloom_store64_(unsigned char *p, uint64_t x)
{
    __builtin_memcpy(p, &x, 8);
}
#else
BLOOM_INLINE_ void bloom_store64_(unsigned char *p, uint64_t x)
{
    bloom_store32_(p, bloom_low_half_(x));
    bloom_store32_(p + 4, (uint32_t)(x >> 32));
}
#endif

BLOOM_INLINE_ bloom_plan bloom_parse_(const unsigned char *header)
{
    const bloom_plan plan = {
        bloom_load64_(header + BLOOM_M_AT_),
        bloom_load64_(header + BLOOM_SEED_AT_),
        header[BLOOM_K_AT_], header[BLOOM_LAYOUT_AT_], header[BLOOM_WIDTH_AT_]
    };
    return plan;
}

/* The header of an image, or the first `size` bytes of it. With BLOOM_READ_BYTE
   the image may lie in flash that pointers cannot read, so its header is copied
   to `copy`. */
static inline const unsigned char *bloom_header_part_rom_(const void *image,
                                                          size_t size,
                                                          unsigned char *copy)
{
    const unsigned char *header = (const unsigned char *)image;
    for (unsigned i = 0;
         BLOOM_IN_ROM_ && i < size && i < BLOOM_HEADER_SIZE; i++)
        copy[i] = (unsigned char)BLOOM_READ_BYTE(header + i);
    return BLOOM_IN_ROM_ ? copy : header;
}

static inline const unsigned char *bloom_header_rom_(const void *image,
                                                     unsigned char *copy)
{
    return bloom_header_part_rom_(image, BLOOM_HEADER_SIZE, copy);
}

BLOOM_API bloom_plan bloom_plan_of(const bloom *b)
{
    unsigned char copy[BLOOM_HEADER_SIZE];
    return bloom_parse_(bloom_header_rom_(bloom_const_bytes_(b), copy));
}

static inline bloom_index_ bloom_cell_bytes_(bloom_index_ m, unsigned layout)
{
    return m >> (BLOOM_IS_COUNTING_(layout) ? 1 : 3);
}

/* Checks the limits of the format, then those of this build, and then whether
   the image takes at most `size` bytes. m comes in halves, for small CPUs. */
BLOOM_INLINE_ bloom_error bloom_check_fields_(uint32_t m, uint32_t m_high,
                                              unsigned layout, unsigned width,
                                              unsigned k, size_t size)
{
    bloom_index_ cells = bloom_cell_bytes_(
        (bloom_index_)(m_high * 4294967296U + m), layout);
    if ((m | m_high) == 0 || m % 64 != 0 || k < 1 || k > 64
        || (width != 64 && (width != 32 || m_high != 0)))
        return BLOOM_BAD_HEADER;
    if (layout == BLOOM_BLOCKED && (width != 64 || m % 256 != 0 || k % 8 != 0
                                    || m_high >> 8 != 0))
        return BLOOM_BAD_HEADER;
    if (layout > BLOOM_LAST_LAYOUT_ || width > BLOOM_WIDTH_
        || cells > (bloom_index_)(SIZE_MAX - BLOOM_HEADER_SIZE))
        return BLOOM_UNSUPPORTED;
    return size < BLOOM_HEADER_SIZE || cells > size - BLOOM_HEADER_SIZE
         ? BLOOM_TRUNCATED : BLOOM_OK;
}

/* Checks the header of an image of `size` bytes. If there are fewer than three
   bytes, only those are compared with the letters. */
static bloom_error bloom_check_(const unsigned char *header, size_t size)
{
    if ((size > 0 && header[0] != 'B') || (size > 1 && header[1] != 'L')
        || (size > 2 && header[2] != 'M'))
        return BLOOM_NOT_A_FILTER;
    if (size < BLOOM_HEADER_SIZE)
        return BLOOM_TRUNCATED;
    if (header[BLOOM_FORMAT_AT_] != BLOOM_FORMAT_)
        return BLOOM_WRONG_VERSION;
    if (header[BLOOM_ZERO_AT_] != 0)
        return BLOOM_BAD_HEADER;
    return bloom_check_fields_(bloom_load32_(header + BLOOM_M_AT_),
                               bloom_load32_(header + BLOOM_M_AT_ + 4),
                               header[BLOOM_LAYOUT_AT_],
                               header[BLOOM_WIDTH_AT_], header[BLOOM_K_AT_],
                               size);
}

/* The size in bytes of a plan's image; 0 if the plan is impossible or not in
   this build, or if the size is above `most`. */
static inline size_t bloom_plan_size_(bloom_plan plan, size_t most)
{
    if (bloom_check_fields_(bloom_low_half_(plan.cells),
                            (uint32_t)(plan.cells >> 32), plan.layout,
                            plan.hash_bits, plan.hashes, most) != BLOOM_OK)
        return 0;
    return BLOOM_HEADER_SIZE
         + (size_t)bloom_cell_bytes_((bloom_index_)plan.cells, plan.layout);
}

BLOOM_API size_t bloom_plan_size(bloom_plan plan)
{
    return bloom_plan_size_(plan, SIZE_MAX);
}

BLOOM_API size_t bloom_size(const bloom *b)
{
    return bloom_plan_size(bloom_plan_of(b));
}

/* For bloom_open, bloom_view and bloom_image_size. `header` may be NULL. */
static inline bool bloom_is_valid_(const unsigned char *header, size_t size,
                                   bloom_error *error)
{
    const bloom_error found = header ? bloom_check_(header, size)
                                     : BLOOM_TRUNCATED;
    if (error)
        *error = found;
    return found == BLOOM_OK;
}

BLOOM_API const bloom *bloom_view(const void *image, size_t size,
                                  bloom_error *error)
{
    unsigned char copy[BLOOM_HEADER_SIZE];
    const unsigned char *header =
        image ? bloom_header_part_rom_(image, size, copy) : BLOOM_NULL_;
    return bloom_is_valid_(header, size, error) ? (const bloom *)image
                                                : BLOOM_NULL_;
}

BLOOM_API bloom *bloom_open(void *image, size_t size, bloom_error *error)
{
    return bloom_is_valid_((const unsigned char *)image, size, error)
         ? (bloom *)image : BLOOM_NULL_;
}

BLOOM_API size_t bloom_image_size(const void *head, bloom_error *error)
{
    const unsigned char *header = (const unsigned char *)head;
    return bloom_is_valid_(header, SIZE_MAX, error)
         ? bloom_plan_size(bloom_parse_(header)) : 0;
}

BLOOM_API const char *bloom_error_text(bloom_error error)
{
    return error == BLOOM_OK            ? "ok"
         : error == BLOOM_TRUNCATED
             ? "truncated: bytes are missing at the end"
         : error == BLOOM_NOT_A_FILTER
             ? "not a Bloom filter of bloom.h (filters begin with BLM, chains "
               "with BLC, windows with BLW, slices with BLS)"
         : error == BLOOM_WRONG_VERSION
             ? "a format version this build cannot read; make the filter again"
         : error == BLOOM_BAD_HEADER    ? "bad header"
         : error == BLOOM_UNSUPPORTED
             ? "a layout, hash width or size that this build cannot use"
         : error == BLOOM_CORRUPT       ? "corrupt: the seal does not match"
         : error == BLOOM_UNSEALED      ? "not sealed"
         : error == BLOOM_NO_MEMORY     ? "out of memory"
                                        : "unknown error";
}

/* bloom_load_word_ reads eight bytes of an image. bloom_unseal_ removes the
   seal; it is called before some of the cells are changed. With BLOOM_ATOMIC,
   several threads may call both at the same time. If it can, it removes the
   seal at once: a process that is killed must not leave a part of it in a
   shared file. */
#ifdef BLOOM_ATOMIC
typedef uint64_t bloom_atomic_word_ __attribute__((may_alias, aligned(8)));

static inline uint64_t bloom_load_word_(const unsigned char *p)
{
    unsigned char copy[8];
    const void *aligned = p;
    if (BLOOM_MAY_USE_WORDS_ && (uintptr_t)p % 8 == 0) {
        uint64_t word = __atomic_load_n((const bloom_atomic_word_ *)aligned,
                                        __ATOMIC_RELAXED);
        __builtin_memcpy(copy, &word, 8);
    } else for (unsigned i = 0; i < 8; i++)
        copy[i] = BLOOM_LOAD_BYTE_(p + i);
    return bloom_load64_(copy);
}

static inline void bloom_unseal_(unsigned char *image)
{
    unsigned char *seal = image + BLOOM_SEAL_AT_;
    void *aligned = seal;
    if (bloom_load_word_(seal) == 0)
        return;
    if (BLOOM_MAY_USE_WORDS_ && (uintptr_t)seal % 8 == 0)
        __atomic_store_n((bloom_atomic_word_ *)aligned, 0, __ATOMIC_RELAXED);
    else for (unsigned i = 0; i < 8; i++)
        __atomic_store_n(seal + i, 0, __ATOMIC_RELAXED);
}
#else
#define bloom_load_word_ bloom_load64_

static inline void bloom_unseal_(unsigned char *image)
{
    BLOOM_ZERO_(image + BLOOM_SEAL_AT_, 8);
}
#endif

/* ==== Keys to hashes ========================================================
   A key is hashed to two numbers, h1 and h2, by MurmurHash3 (Austin Appleby
   2011, SMHasher): by x64_128 in width 64, and twice by x86_32 in width 32. In
   width 64, an integer needs only the finaliser of x64_128, fmix64. */

/* ---- x64_128 ---------------------------------------------------------------
   Both lanes of the hash, h1 and h2, start at the seed. Words of eight bytes of
   the key are mixed into the lanes in turn. The last size % 16 bytes, the
   tail, are padded with zeros to two words. */

static inline uint64_t bloom_rotl64_(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

/* The finaliser, on a number or on each number of a vector */
#define BLOOM_FMIX64_(h) do { \
    (h) = ((h) ^ (h) >> 33) * 0xFF51AFD7ED558CCDU; \
    (h) = ((h) ^ (h) >> 33) * 0xC4CEB9FE1A85EC53U; \
    (h) ^= (h) >> 33; } while (0)

static inline uint64_t bloom_fmix64_(uint64_t h)
{
    BLOOM_FMIX64_(h);
    return h;
}

static inline uint64_t bloom_mix64_1_(uint64_t word)
{
    word *= 0x87C37B91114253D5U;
    BLOOM_ONE_PRODUCT_(word);
    return bloom_rotl64_(word, 31) * 0x4CF5AD432745937FU;
}

static inline uint64_t bloom_mix64_2_(uint64_t word)
{
    word *= 0x4CF5AD432745937FU;
    BLOOM_ONE_PRODUCT_(word);
    return bloom_rotl64_(word, 33) * 0x87C37B91114253D5U;
}

/* The tail of a key: its first word in h1, its second in h2 */
#ifdef BLOOM_SMALL_
static inline bloom_hash bloom_tail64_(const unsigned char *key, size_t size,
                                       bool rom)
{
    const size_t first = size - (size & 15), second = first + 8;
    const bloom_hash tail = {
        bloom_load_part_rom_(key, first, size < second ? size : second, rom),
        bloom_load_part_rom_(key, second, size, rom)
    };
    return tail;
}
#else
/* An incomplete word of a key of eight bytes or more is `last`: the last eight
   bytes are loaded, and two shifts drop those of the word before. (If no byte
   remained, one shift would be by 64 bits, which C does not define.) From 16
   bytes on, no branch here depends on the size, as CPUs would often mispredict
   it: `mask` is all ones if the tail has a whole word, which comes before
   `last`. A key of 4 to 7 bytes is put together from its first and last four,
   which overlap; one of 1 to 3, from its first, middle and last byte. */
static inline bloom_hash bloom_tail64_(const unsigned char *key, size_t size,
                                       bool rom)
{
    bloom_hash tail = { 0, 0 };
    const size_t odd = size & 7;
    (void)rom;                          /* a build with READ_BYTE is small */
    if (size >= 8) {
        const unsigned char *last8 = key + size - 8;
        const uint64_t last = bloom_load64_(last8) >> 8 >> (56 - 8 * odd);
        if (size < 16) {
            tail.h1 = bloom_load64_(key);
            tail.h2 = last;
        } else {
            const uint64_t mask = 0 - (uint64_t)(size >> 3 & 1);
            tail.h1 = (bloom_load64_(last8 - odd) & mask) | (last & ~mask);
            tail.h2 = last & mask;
        }
    } else if (size >= 4)
        tail.h1 = bloom_load32_(key)
                | (uint64_t)bloom_load32_(key + size - 4) << 8 * (size - 4);
    else if (size > 0)
        tail.h1 = key[0] | (uint32_t)key[size >> 1] << 8 * (size >> 1)
                | (uint32_t)key[size - 1] << 8 * (size - 1);
    return tail;
}
#endif

static inline bloom_hash bloom_murmur64_(const unsigned char *key, size_t size,
                                         uint64_t seed, bool rom)
{
    bloom_hash h, tail = bloom_tail64_(key, size, rom);
    h.h1 = h.h2 = seed;
    for (size_t i = 0; size - i >= 16; i += 16) {
        h.h1 ^= bloom_mix64_1_(bloom_load64_rom_(key + i, rom));
        h.h1 = (bloom_rotl64_(h.h1, 27) + h.h2) * 5 + 0x52DCE729U;
        h.h2 ^= bloom_mix64_2_(bloom_load64_rom_(key + i + 8, rom));
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

/* An 8-bit CPU shifts by one bit at a time, but moves 16 bits at once. So it
   rotates by 16, and back. */
static inline uint32_t bloom_rotl32_(uint32_t x, unsigned by)
{
    if (SIZE_MAX > 0xFFFF)
        return x << by | x >> (32 - by);
    x = x << 16 | x >> 16;
    for (; by < 16; by++)
        x = x >> 1 | x << 31;
    return x;
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

/* The last 0 to 3 bytes are mixed in like a whole word, but h is not rotated
   after them. If there are none, the word is 0, which changes nothing. */
static inline uint32_t bloom_murmur32_(const unsigned char *key, size_t size,
                                       uint32_t seed, bool rom)
{
    uint32_t h = seed, word;
    size_t left = size;
    for (;;) {
        unsigned i = left < 4 ? (unsigned)left : 4;
        for (word = 0; i-- > 0; )
            word = word << 8 | bloom_load8_rom_(key + i, rom);
        h ^= bloom_mix32_(word);
        if (left < 4)
            return bloom_fmix32_(h ^ (uint32_t)size);
        h = bloom_rotl32_(h, 13) * 5 + 0xE6546B64U;
        key += 4;
        left -= 4;
    }
}

/* ---- Both widths --------------------------------------------------------- */

/* Two 32-bit hashes, a and b, make h1 = a:b and h2 = b:0. The low half of h1
   hardly affects the cell, so it needs no hash of its own. The seed of b is ~a,
   not a: for the empty key with seed 0, a is 0, and b with seed a would be 0,
   too. Suppose two keys differ only in their last eight bytes and collide in a.
   They then collide in b with probability 2^-18, not 2^-32, as a and b are one
   function with two seeds. So with n such keys, or n keys of 8 random bytes, an
   absent key has the hash of an added one with probability n * 2^-50. That is
   9% of p for n = 10^8 and p = 10^-6.
   BLOOM_TINY keeps the three halves that matter as 32-bit numbers. */
#ifdef BLOOM_TINY
typedef struct bloom_halves_ { uint32_t h1, h1_low, h2; } bloom_halves_;

static inline bloom_halves_ bloom_halves_of_(bloom_hash h)
{
    const bloom_halves_ halves = {
        (uint32_t)(h.h1 >> 32), bloom_low_half_(h.h1), (uint32_t)(h.h2 >> 32)
    };
    return halves;
}

static inline bloom_hash bloom_hash_of_halves_(bloom_halves_ h)
{
    const bloom_hash wide = { (uint64_t)h.h1 << 32 | h.h1_low,
                              (uint64_t)h.h2 << 32 };
    return wide;
}

static inline bloom_halves_ bloom_hash_bytes_(const unsigned char *header,
                                              const void *key, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)key;
    uint32_t seed = bloom_load32_(header + BLOOM_SEED_AT_);
    uint32_t a = bloom_murmur32_(bytes, size, seed, false);
    uint32_t b = bloom_murmur32_(bytes, size, ~a, false);
    const bloom_halves_ h = { a, b, b };
    return h;
}

static inline bloom_halves_ bloom_hash_integer_(const unsigned char *header,
                                                uint64_t key)
{
    unsigned char bytes[8];
    bloom_store64_(bytes, key);
    return bloom_hash_bytes_(header, bytes, 8);
}
#else
typedef bloom_hash bloom_halves_;
#define bloom_halves_of_(h) (h)
#define bloom_hash_of_halves_(h) (h)

/* In width 64, lanes start at bloom_spread_seed_, and integers are added to it.
   Without the product, key 5 with seed 6 would hash like key 6 with seed 5.
   Without the + 1, seed 0 would give 0: both lanes of the empty key would be 0,
   and all its probes would come to cell 0. Now only seed 2^64 - 1 gives 0. */
#define BLOOM_GOLDEN_ 0x9E3779B97F4A7C15U           /* 2^64 / golden ratio */

static inline uint64_t bloom_spread_seed_(uint64_t seed)
{
    return (seed + 1) * BLOOM_GOLDEN_;
}

/* MurmurHash3's finaliser is enough: different integers have different h1. */
static inline uint64_t bloom_h1_of_integer_(uint64_t key, uint64_t seed)
{
    return bloom_fmix64_(key + bloom_spread_seed_(seed));
}

/* In the walk below, the low half of x chooses the bits in a block. Without the
   rotation, keys with equal low halves of h1 share their bits in all blocks. */
static inline bloom_hash bloom_hash_of_h1_(uint64_t h1)
{
    const bloom_hash h = { h1, bloom_rotl64_(h1, 32) * BLOOM_GOLDEN_ };
    return h;
}

BLOOM_ATTRIBUTE_((pure)) BLOOM_NOINLINE_ bloom_hash bloom_hash_bytes_32_(
    const unsigned char *key, size_t size, uint64_t seed)
{
    uint32_t a = bloom_murmur32_(key, size, bloom_low_half_(seed), false);
    uint32_t b = bloom_murmur32_(key, size, ~a, false);
    const bloom_hash h = { (uint64_t)a << 32 | b, (uint64_t)b << 32 };
    return h;
}

BLOOM_ATTRIBUTE_((pure)) BLOOM_NOINLINE_ bloom_hash bloom_hash_integer_32_(
    uint64_t key, uint64_t seed)
{
    unsigned char bytes[8];
    bloom_store64_(bytes, key);
    return bloom_hash_bytes_32_(bytes, 8, seed);
}

static inline bloom_hash bloom_hash_bytes_of_(unsigned width, uint64_t seed,
                                              const void *key, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)key;
    return width == 32
         ? bloom_hash_bytes_32_(bytes, size, seed)
         : bloom_murmur64_(bytes, size, bloom_spread_seed_(seed), false);
}

static inline bloom_hash bloom_hash_integer_of_(unsigned width, uint64_t seed,
                                                uint64_t key)
{
    return width == 32 ? bloom_hash_integer_32_(key, seed)
                       : bloom_hash_of_h1_(bloom_h1_of_integer_(key, seed));
}

static inline bloom_hash bloom_hash_bytes_(const unsigned char *header,
                                           const void *key, size_t size)
{
    return bloom_hash_bytes_of_(header[BLOOM_WIDTH_AT_],
                                bloom_load64_(header + BLOOM_SEED_AT_),
                                key, size);
}

static inline bloom_hash bloom_hash_integer_(const unsigned char *header,
                                             uint64_t key)
{
    return bloom_hash_integer_of_(header[BLOOM_WIDTH_AT_],
                                  bloom_load64_(header + BLOOM_SEED_AT_), key);
}
#endif

BLOOM_API bloom_hash bloom_hash_key(const bloom *b, const void *key,
                                    size_t size)
{
    unsigned char copy[BLOOM_HEADER_SIZE];
    const unsigned char *header =
        bloom_header_rom_(bloom_const_bytes_(b), copy);
    return bloom_hash_of_halves_(bloom_hash_bytes_(header, key, size));
}

BLOOM_API bloom_hash bloom_hash_u64(const bloom *b, uint64_t key)
{
    unsigned char copy[BLOOM_HEADER_SIZE];
    const unsigned char *header =
        bloom_header_rom_(bloom_const_bytes_(b), copy);
    return bloom_hash_of_halves_(bloom_hash_integer_(header, key));
}

/* ==== The walk: from a hash to cells ========================================
   A walk has a position x, at first h1, and a step y, at first h2. It makes k
   probes:
       cell = floor(x * m / 2^64);  x += y;  y *= BLOOM_FACTOR_
   To probe is to test the cell or, when a key is added, to set it. In a blocked
   filter x chooses a block instead, of which the key takes eight bits. This is
   a block probe, and counts as eight of the k probes.
   The cell lies x / 2^64 of the way through the filter. Its number is the high
   half of the product x * m (Lemire 2019). This needs no division, and m may
   be any number.
   This is a kind of enhanced double hashing (Dillinger, Manolios 2004). Plain
   double hashing keeps y, and so its keys share cells too often. Here y is
   multiplied by a constant that does well in the spectral test (Steele, Vigna
   2021). With a small one, such as 37, three steps in a row correlate; with
   this one, the cells are as good as those of k independent hash functions. */
#define BLOOM_FACTOR_ 0xD1342543DE82EF95U

/* The high half of the 128-bit product. The last version is for compilers
   without 128-bit integers, and for WebAssembly, where these are slow calls. */
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
   changes, and a 32-bit CPU can compute the same cells with 32-bit numbers. */
static inline uint64_t bloom_first_step_(unsigned width, uint64_t h2)
{
    return h2 & ~(width == 32 ? (uint64_t)0xFFFFFFFFU : 0);
}

static inline bloom_walk_ bloom_walk_of_(const unsigned char *header,
                                         bloom_hash h)
{
    const bloom_walk_ walk = {
        h.h1, bloom_first_step_(header[BLOOM_WIDTH_AT_], h.h2),
        bloom_load64_(header + BLOOM_M_AT_)
    };
    return walk;
}

static inline void bloom_step_(bloom_walk_ *walk)
{
    walk->x += walk->y;
    walk->y *= BLOOM_FACTOR_;
}

static inline uint64_t bloom_next_cell_(bloom_walk_ *walk)
{
    uint64_t cell = bloom_high_half_(walk->x, walk->m);
    bloom_step_(walk);
    return cell;
}
#else
/* The same walk in 32-bit numbers, for width 32 and m < 2^32. x and y are the
   upper halves; `carry` is what the low half of x, which never changes, adds to
   each product. Here m is the number of bytes, a filter's m / 8, as that fits
   into a size_t. The high half of the product is the number of a byte, and the
   three bits below it are the number of a bit. */
typedef struct bloom_walk_ { uint32_t x, y; size_t m, carry; } bloom_walk_;

/* (x * m + carry) / 2^29, rounded down, for a walk's m and carry < m. A CPU of
   16 or 8 bits, and a Cortex-M0 or M23, lack a product of 32 by 32 bits. */
#if SIZE_MAX <= 0xFFFF
static inline uint32_t bloom_cell_at_(uint32_t x, size_t m, size_t carry)
{
    uint32_t low = (x & 0xFFFF) * (uint32_t)m + carry;
    return ((x >> 16) * (uint32_t)m + (low >> 16)) >> 13;
}
#elif defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_8M_BASE__)
static inline uint32_t bloom_cell_at_(uint32_t x, size_t m, size_t carry)
{
    uint32_t x0 = x & 0xFFFF, x1 = x >> 16, m0 = m & 0xFFFF, m1 = m >> 16;
    uint32_t a = x1 * m0 + (x0 * m0 >> 16);
    uint32_t b = x0 * m1 + (a & 0xFFFF);
    uint32_t low = x * m + carry;
    return (x1 * m1 + (a >> 16) + (b >> 16) + (low < carry)) << 3 | low >> 29;
}
#else
static inline uint32_t bloom_cell_at_(uint32_t x, size_t m, size_t carry)
{
    return (uint32_t)(((uint64_t)x * m + carry) >> 29);
}
#endif

static inline bloom_walk_ bloom_walk_of_(const unsigned char *header,
                                         bloom_halves_ h)
{
    const size_t m = (size_t)(bloom_load32_(header + BLOOM_M_AT_) / 8);
    const bloom_walk_ walk = { h.h1, h.h2, m,
                               (size_t)(bloom_cell_at_(h.h1_low, m, 0) / 8) };
    return walk;
}

static inline void bloom_step_(bloom_walk_ *walk)
{
    walk->x += walk->y;
    walk->y *= bloom_low_half_(BLOOM_FACTOR_);
}

static inline uint32_t bloom_next_cell_(bloom_walk_ *walk)
{
    uint32_t cell = bloom_cell_at_(walk->x, walk->m, walk->carry);
    bloom_step_(walk);
    return cell;
}
#endif

/* ==== The three layouts =====================================================
   Each layout probes the cells of a walk: it sets them if `add` is true, and
   otherwise only reads them. The result is whether all of them were set before:
   the key may be in. If a lookup finds a cell that is not set, the key is
   certainly not in, and the lookup may stop there. Adding probes all cells.
   `array`, where the cells begin, is not const, so that adding and looking up
   can share code. In every call `add` is a constant, so compilers make a copy
   for each value. */

/* ---- CLASSIC: one bit a cell -----------------------------------------------
   bloom_probe_bit_ returns the cell as it was before, in bit 0. Callers ignore
   the other bits. CPUs that load words from any address use 32-bit words: in a
   blocked filter, a key has one bit in each word, so no load waits for a store
   of the same key. */
#if defined(BLOOM_SMALL_) || defined(BLOOM_ATOMIC) || !defined(__GNUC__) \
    || !(defined(__x86_64__) || defined(__i386__) \
         || defined(__ARM_FEATURE_UNALIGNED)) \
    || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
static inline unsigned bloom_probe_bit_(unsigned char *array,
                                        bloom_index_ cell, bool add)
{
    unsigned char *byte = array + (size_t)(cell >> 3);
    const unsigned shift = cell & 7;
    unsigned old;
    if (!add)
        return (unsigned)BLOOM_READ_BYTE(byte) >> shift;
    old = BLOOM_LOAD_BYTE_(byte);
    BLOOM_SET_BITS_(byte, old, 1U << shift);
    return old >> shift;
}
#else
static inline unsigned bloom_probe_bit_(unsigned char *array, uint64_t cell,
                                        bool add)
{
    unsigned char *word = array + (size_t)(cell >> 5) * 4;
    uint32_t old, now;
    __builtin_memcpy(&old, word, 4);
    now = old | (uint32_t)1 << (cell & 31);
    if (add)
        __builtin_memcpy(word, &now, 4);
    return old >> (cell & 31);
}
#endif

/* Probes the k cells of a walk. A lookup stops at the first that is not set. */
BLOOM_INLINE_ bool bloom_probe_bits_(unsigned char *array, unsigned k,
                                     bloom_walk_ *walk, bool add)
{
    unsigned set, all = 1;
    do {
        set = bloom_probe_bit_(array, bloom_next_cell_(walk), add);
        all &= set;
    } while (--k > 0 && (add || (set & 1)));
    return (add ? all : set) & 1;
}

#ifndef BLOOM_SMALL_
/* 4 MB of bits, or 16 MB of counters. The limit is low because a large cache is
   often shared by several virtual machines. */
static inline bool bloom_exceeds_caches_(uint64_t m)
{
    return m >> 25 != 0;
}

/* The same faster, for cells in the CPU's caches. A CPU cannot predict whether
   a cell is set, and a wrong guess costs more than the loads of eight cells,
   which overlap. So a lookup may stop only after every eighth cell. OPAQUE
   keeps compilers from preparing powers of the factor, which is slow. */
BLOOM_INLINE_ bool bloom_probe_bits_by_8_(unsigned char *array, unsigned k,
                                          bloom_walk_ *walk, bool add)
{
    unsigned set = 1;
    do {
        const unsigned group = k < 8 ? k : 8;
        BLOOM_UNROLL_2_
        for (unsigned i = 0; i < group; i++) {
            BLOOM_OPAQUE_(walk->y);
            set &= bloom_probe_bit_(array, bloom_next_cell_(walk), add);
        }
        k -= group;
    } while (k > 0 && (add || (set & 1)));
    return set & 1;
}
#endif

/* ---- COUNTING: four bits a cell --------------------------------------------
   A cell counts the probes of added keys that have come to it; it is set if it
   is not 0. If several probes of one key meet there, each counts. A counter
   that has reached 15 may stand for more, so adding and removing no longer
   change it. */

static inline unsigned bloom_nibble_shift_(uint64_t cell)
{
    return cell & 1 ? 4 : 0;
}

/* Adds delta (1, -1, or 0 to read only) to a counter; 15 stays 15, and 0 is not
   decremented. Returns the old counter. */
static inline unsigned bloom_change_counter_(unsigned char *array,
                                             uint64_t cell, int delta)
{
    unsigned char *byte = array + (size_t)(cell >> 1);
    unsigned char old = BLOOM_LOAD_BYTE_(byte);
    unsigned one = 1U << bloom_nibble_shift_(cell);
    unsigned count = old >> bloom_nibble_shift_(cell) & 15;
    while (delta != 0 && count < 15 && (delta > 0 || count > 0)
           && !BLOOM_CAS_BYTE_(byte, &old, delta > 0 ? old + one : old - one))
        count = old >> bloom_nibble_shift_(cell) & 15;
    return count;
}

static inline unsigned bloom_counter_(const unsigned char *array, uint64_t cell)
{
    const unsigned char *byte = array + (size_t)(cell >> 1);
    return (unsigned)BLOOM_READ_BYTE(byte) >> bloom_nibble_shift_(cell) & 15U;
}

static inline bool bloom_is_counter_set_(const unsigned char *array,
                                         uint64_t cell)
{
    return bloom_counter_(array, cell) != 0;
}

static inline unsigned bloom_least_counter_(const unsigned char *array,
                                            unsigned k, bloom_walk_ walk)
{
    unsigned least = 15;
    while (k-- > 0 && least > 0) {
        const unsigned count = bloom_counter_(array, bloom_next_cell_(&walk));
        least = count < least ? count : least;
    }
    return least;
}

static inline bool bloom_probe_counters_(unsigned char *array, unsigned k,
                                         bloom_walk_ *walk, bool add)
{
    bool set = true;
    do {
        const uint64_t cell = bloom_next_cell_(walk);
        set = (add ? bloom_change_counter_(array, cell, 1) > 0
                   : bloom_is_counter_set_(array, cell)) && set;
    } while (--k > 0 && (add || set));
    return set;
}

/* Adds delta to the counters of a key in turn, up to the first that is 0.
   Returns how many come before it. */
static inline unsigned bloom_change_until_zero_(unsigned char *array,
    unsigned k, bloom_walk_ walk, int delta)
{
    unsigned done = 0;
    while (done < k && bloom_change_counter_(array, bloom_next_cell_(&walk),
                                             delta) > 0)
        done++;
    return done;
}

/* The first pass only reads. So the removal of an absent key lowers no counter,
   even briefly, and no thread misses another key, unless the key is a false
   positive. The second pass decrements. It meets a 0 only if two probes of a
   false positive coincide, or if a thread was faster. Then it is undone; until
   then, a thread may miss a key that was added. */
static inline bool bloom_remove_counted_(unsigned char *array, unsigned k,
                                         bloom_walk_ walk)
{
    unsigned done;
    if (bloom_change_until_zero_(array, k, walk, 0) < k)
        return false;
    done = bloom_change_until_zero_(array, k, walk, -1);
    if (done > 0 && done < k)
        bloom_probe_counters_(array, done, &walk, true);
    return done == k;
}

/* ---- BLOCKED: eight bits per block probe -----------------------------------
   A position x stands for a block of 256 bits, which lies in one cache line if
   the image is aligned to 32 bytes. The key has one bit in each of the block's
   eight words of 32 bits. The low half of x is multiplied by the word's salt;
   the top 5 bits of the 32-bit product are the number of that bit. With one
   block per key, k = 8, this is the split-block filter of Apache Parquet. With
   several it is multi-blocking (Putze, Sanders, Singler 2007), for small p. */
#define BLOOM_SALTS_ 0x47B6137BU, 0x44974D91U, 0x8824AD5BU, 0xA2B7289DU, \
                     0x705495C7U, 0x2DF1424BU, 0x9EFC4947U, 0x5C6BFB31U

/* The offset in bytes of the block of position x. The upper half of x chooses
   it, as in Parquet. From m = 2^34 on, those 32 bits would choose some blocks
   noticeably more often than others, so all 64 bits of x are used. The number
   of the block is floor(x * (m / 256) / 2^64). 32 times that is the high half
   of x * (m / 8), rounded down to a multiple of 32. */
static inline size_t bloom_block_offset_(uint64_t m, uint64_t x)
{
    const uint64_t mask = m >> 34 == 0 ? 0xFFFFFFFF00000000U : UINT64_MAX;
    return (size_t)bloom_high_half_(x & mask, m >> 3) / 32 * 32;
}

/* The number, 0..31, of the bit that position x has in word i of its block */
static inline unsigned bloom_block_bit_(uint64_t x, unsigned i)
{
    static const uint32_t salt[8] = { BLOOM_SALTS_ };
    return (unsigned)(bloom_low_half_((x & 0xFFFFFFFFU) * salt[i]) >> 27);
}

static inline bool bloom_probe_block_(unsigned char *block, uint64_t x,
                                      bool add)
{
    unsigned set = 1;
    for (unsigned i = 0; i < 8; i++)
        set &= bloom_probe_bit_(block + 4 * i, bloom_block_bit_(x, i), add);
    return set & 1;
}

/* The same by SIMD: a vector of GCC or Clang holds the eight words of a block.
   It compiles to AVX2, NEON or WebAssembly's SIMD. On x86-64 the CPU is tested
   for AVX2 at run time, unless the compiler may assume it. Without __SSE2__ or
   __ARM_NEON, code such as a kernel's must not touch vector registers. */
#if defined(BLOOM_SMALL_) || defined(BLOOM_NO_SIMD) || !defined(__GNUC__) \
    || !BLOOM_MAY_USE_WORDS_ || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ \
    || !__STDC_HOSTED__ \
    || (defined(_WIN32) && !defined(__clang__)) /* GCC bug 54412 */ \
    || !(defined(__AVX2__) || (defined(__x86_64__) && defined(__SSE2__)) \
         || (defined(__aarch64__) && defined(__ARM_NEON)) \
         || defined(__wasm_simd128__))
#define BLOOM_TARGET_
#define BLOOM_SIMD_INLINE_ static inline
#define BLOOM_HAS_SIMD_ false
static inline bool bloom_probe_block_simd_(unsigned char *block, uint64_t x,
                                           bool add)
{
    return bloom_probe_block_(block, x, add);
}
#else
#if defined(__x86_64__) && !defined(__AVX2__)
#define BLOOM_TARGET_ __attribute__((target("avx2")))
#define BLOOM_SIMD_INLINE_ BLOOM_TARGET_ static inline
#define BLOOM_HAS_SIMD_ __builtin_cpu_supports("avx2")
#else
#define BLOOM_TARGET_
#define BLOOM_SIMD_INLINE_ BLOOM_INLINE_
#define BLOOM_HAS_SIMD_ true
#endif
#ifdef __SANITIZE_THREAD__      /* GCC forgets no_sanitize_thread by inlining */
#undef BLOOM_SIMD_INLINE_
#define BLOOM_SIMD_INLINE_ BLOOM_TARGET_ BLOOM_NOINLINE_
#endif

typedef uint32_t bloom_u32x8_ __attribute__((vector_size(32)));
typedef long long bloom_i64x4_ __attribute__((vector_size(32)));

/* Sets `mask` to the eight bits of position x in its block */
#define BLOOM_SIMD_MASK_(mask, x) do { \
    const uint32_t z = bloom_low_half_(x); \
    const bloom_u32x8_ zs = { z, z, z, z, z, z, z, z }; \
    const bloom_u32x8_ ones = { 1, 1, 1, 1, 1, 1, 1, 1 }; \
    const bloom_u32x8_ salts = { BLOOM_SALTS_ }; \
    const bloom_u32x8_ bits = ones << (zs * salts >> 27); \
    __builtin_memcpy(&(mask), &bits, 32); } while (0)

#ifdef __x86_64__
#define BLOOM_SIMD_ALL_SET_(mask, cells) \
    (__builtin_ia32_ptestc256(cells, mask) != 0)
#else
#define BLOOM_SIMD_ALL_SET_(mask, cells) \
    (((mask[0] & ~cells[0]) | (mask[1] & ~cells[1]) \
      | (mask[2] & ~cells[2]) | (mask[3] & ~cells[3])) == 0)
#endif

#ifdef BLOOM_ATOMIC
/* Sets bits in a word, and returns those that were not set when the word was
   read. If several threads set a bit at once, the first of them has read it as
   not set. So at least one of them learns that the key is new. Most words of a
   new key lack a bit, so to write only these would cost more than it saves. */
static inline uint64_t bloom_set_word_(unsigned char *at, uint64_t bits)
{
    void *aligned = at;
    bloom_atomic_word_ *word = (bloom_atomic_word_ *)aligned;
    const uint64_t absent = bits & ~__atomic_load_n(word, __ATOMIC_RELAXED);
    __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
    return absent;
}

/* Other threads may set bits while a block is loaded. The load may then see
   some of these bits and not others, which is harmless, as no bit depends on
   another. So it need not be atomic; volatile makes each call load anew. */
__attribute__((no_sanitize_thread)) BLOOM_SIMD_INLINE_ bool
bloom_probe_block_simd_(unsigned char *block, uint64_t x, bool add)
{
    typedef const volatile bloom_i64x4_ unaligned
        __attribute__((aligned(1), may_alias));
    const void *at = block;
    const bloom_i64x4_ cells = *(unaligned *)at;
    bloom_i64x4_ mask;
    uint64_t words[4], absent = 0;
    BLOOM_SIMD_MASK_(mask, x);
    if (BLOOM_SIMD_ALL_SET_(mask, cells))
        return true;
    if (!add)
        return false;
    if ((uintptr_t)block % 8 != 0)
        return bloom_probe_block_(block, x, true);
    __builtin_memcpy(words, &mask, 32);
    for (unsigned i = 0; i < 4; i++)
        absent |= bloom_set_word_(block + 8 * i, words[i]);
    return absent == 0;
}
#else
BLOOM_SIMD_INLINE_ bool bloom_probe_block_simd_(unsigned char *block,
                                                uint64_t x, bool add)
{
    bloom_i64x4_ mask, old, now;
    BLOOM_SIMD_MASK_(mask, x);
    __builtin_memcpy(&old, block, 32);
    now = old | mask;
    if (add)
        __builtin_memcpy(block, &now, 32);
    return BLOOM_SIMD_ALL_SET_(mask, old);
}
#endif

#endif

/* Probes the k / 8 blocks of a walk, by SIMD or without */
BLOOM_INLINE_ bool bloom_probe_blocks_(unsigned char *array, unsigned k,
                                       bloom_walk_ *walk, bool add, bool simd)
{
    bool set = true;
    do {
        unsigned char *block = array + bloom_block_offset_(walk->m, walk->x);
        set = (simd ? bloom_probe_block_simd_(block, walk->x, add)
                    : bloom_probe_block_(block, walk->x, add)) && set;
        bloom_step_(walk);
        k -= 8;
    } while (k > 0 && (add || set));
    return set;
}

/* ---- Any layout, without SIMD -------------------------------------------- */
BLOOM_INLINE_ bool bloom_probe_(unsigned char *array, unsigned layout,
                                unsigned k, bloom_walk_ *walk, bool add)
{
    return BLOOM_IS_BLOCKED_(layout)
         ? bloom_probe_blocks_(array, k, walk, add, false)
         : BLOOM_IS_COUNTING_(layout) ? bloom_probe_counters_(array, k, walk,
                                                              add)
                                      : bloom_probe_bits_(array, k, walk, add);
}

/* ==== One key ===============================================================
   Each public function gives a key of its kind to bloom_access_bytes_,
   _integer_ or _hash_. They hash the key, and add it or look it up. */

#ifdef BLOOM_SMALL_
/* `header` is the image's own or, if the image is in flash, a copy. */
static bloom_walk_ bloom_walk_of_key_(const unsigned char *header,
                                      const void *key, size_t size)
{
    return bloom_walk_of_(header, bloom_hash_bytes_(header, key, size));
}

BLOOM_INLINE_ bool bloom_access_walk_(unsigned char *image,
                                      const unsigned char *header,
                                      bloom_walk_ *walk, bool add)
{
    if (add)
        bloom_unseal_(image);
    return bloom_probe_(image + BLOOM_HEADER_SIZE, header[BLOOM_LAYOUT_AT_],
                        header[BLOOM_K_AT_], walk, add);
}

BLOOM_INLINE_ bool bloom_access_bytes_(unsigned char *image, const void *key,
                                       size_t size, bool add)
{
    unsigned char copy[BLOOM_HEADER_SIZE];
    const unsigned char *header = add ? image : bloom_header_rom_(image, copy);
    bloom_walk_ walk = bloom_walk_of_key_(header, key, size);
    return bloom_access_walk_(image, header, &walk, add);
}

BLOOM_INLINE_ bool bloom_access_integer_(unsigned char *image, uint64_t key,
                                         bool add)
{
    unsigned char copy[BLOOM_HEADER_SIZE];
    const unsigned char *header = add ? image : bloom_header_rom_(image, copy);
    bloom_walk_ walk = bloom_walk_of_(header, bloom_hash_integer_(header, key));
    return bloom_access_walk_(image, header, &walk, add);
}

BLOOM_INLINE_ bool bloom_access_hash_(unsigned char *image, bloom_hash h,
                                      bool add)
{
    unsigned char copy[BLOOM_HEADER_SIZE];
    const unsigned char *header = add ? image : bloom_header_rom_(image, copy);
    bloom_walk_ walk = bloom_walk_of_(header, bloom_halves_of_(h));
    return bloom_access_walk_(image, header, &walk, add);
}
#else
/* The first of these that fits probes the cells:

     bloom_one_block_          one block per key, by SIMD. It is inlined into
     |                         the public function, which BLOOM_STATIC inlines
     |                         into the user's loop (on x86-64 only with -mavx2)
     bloom_add_image_ and bloom_look_up_image_
     | |- bloom_probe_bits_        classic filters: adding, and lookups in large
     | |                           ones, where the CPU waits for each cell, and
     | |                           the first that is not set ends the lookup
     | |- bloom_probe_bits_by_8_   lookups in those that fit into the caches
     bloom_add_counters_or_blocks_ and bloom_look_up_counters_or_blocks_
       |- bloom_probe_several_     several blocks per key, by SIMD
       |- bloom_probe_             counters, and blocks without SIMD

   Most are functions of their own: one for all needs more registers. */

BLOOM_TARGET_ BLOOM_NOINLINE_ bool bloom_probe_several_(unsigned char *array,
    unsigned k, bloom_walk_ walk, bool add)
{
    return bloom_probe_blocks_(array, k, &walk, add, true);
}

BLOOM_INLINE_ bool bloom_access_counters_or_blocks_(unsigned char *image,
                                                    bloom_hash h, bool add)
{
    unsigned char *array = image + BLOOM_HEADER_SIZE;
    const unsigned layout = image[BLOOM_LAYOUT_AT_], k = image[BLOOM_K_AT_];
    bloom_walk_ walk = bloom_walk_of_(image, h);
    if (add)
        bloom_unseal_(image);
    return layout == BLOOM_BLOCKED && BLOOM_HAS_SIMD_
         ? bloom_probe_several_(array, k, walk, add)
         : bloom_probe_(array, layout, k, &walk, add);
}

/* Adding and looking up have separate functions: a common one takes a quarter
   more instructions. */
BLOOM_NOINLINE_ bool bloom_add_counters_or_blocks_(unsigned char *image,
                                                   bloom_hash h)
{
    return bloom_access_counters_or_blocks_(image, h, true);
}

BLOOM_PURE_ BLOOM_NOINLINE_ bool bloom_look_up_counters_or_blocks_(
    unsigned char *image, bloom_hash h)
{
    return bloom_access_counters_or_blocks_(image, h, false);
}

BLOOM_NOINLINE_ bool bloom_add_image_(unsigned char *image, bloom_hash h)
{
    bloom_walk_ walk = bloom_walk_of_(image, h);
    if (image[BLOOM_LAYOUT_AT_] != BLOOM_CLASSIC)
        return bloom_add_counters_or_blocks_(image, h);
    bloom_unseal_(image);
    return bloom_probe_bits_(image + BLOOM_HEADER_SIZE, image[BLOOM_K_AT_],
                             &walk, true);
}

BLOOM_PURE_ BLOOM_NOINLINE_ bool bloom_look_up_image_(unsigned char *image,
                                                      bloom_hash h)
{
    unsigned char *array = image + BLOOM_HEADER_SIZE;
    bloom_walk_ walk = bloom_walk_of_(image, h);
    if (image[BLOOM_LAYOUT_AT_] != BLOOM_CLASSIC)
        return bloom_look_up_counters_or_blocks_(image, h);
    return bloom_exceeds_caches_(walk.m)
         ? bloom_probe_bits_(array, image[BLOOM_K_AT_], &walk, false)
         : bloom_probe_bits_by_8_(array, image[BLOOM_K_AT_], &walk, false);
}

BLOOM_INLINE_ bool bloom_access_image_(unsigned char *image, bloom_hash h,
                                       bool add)
{
    return add ? bloom_add_image_(image, h) : bloom_look_up_image_(image, h);
}

/* One block per key is for m < 2^34 (2 GB), where the upper half of x chooses
   the block. The number of blocks, m / 256, is bytes 1 to 4 of m, as m < 2^40.
   One load tests layout, width, k and the zero byte. */
BLOOM_INLINE_ bool bloom_is_one_block_(const unsigned char *image)
{
    const uint32_t fields = bloom_load32_(image + BLOOM_LAYOUT_AT_);
    const uint32_t blocks = bloom_load32_(image + BLOOM_M_AT_ + 1);
    return BLOOM_LIKELY_(BLOOM_HAS_SIMD_ && blocks >> 26 == 0
                         && fields == 0x084001UL /* blocked, 64, k = 8 */);
}

BLOOM_SIMD_INLINE_ bool bloom_one_block_(unsigned char *image, uint64_t x,
                                         bool add)
{
    const uint32_t blocks = bloom_load32_(image + BLOOM_M_AT_ + 1);
    size_t at = (size_t)((x >> 32) * blocks >> 32 << 5);
    BLOOM_OPAQUE_(at);
    if (add)
        bloom_unseal_(image);
    return bloom_probe_block_simd_(image + BLOOM_HEADER_SIZE + at, x, add);
}

BLOOM_INLINE_ bool bloom_access_hash_(unsigned char *image, bloom_hash h,
                                      bool add)
{
    return bloom_is_one_block_(image) ? bloom_one_block_(image, h.h1, add)
                                      : bloom_access_image_(image, h, add);
}

BLOOM_INLINE_ bool bloom_access_bytes_(unsigned char *image, const void *key,
                                       size_t size, bool add)
{
    return bloom_access_hash_(image, bloom_hash_bytes_(image, key, size), add);
}

/* The public function hashes integers in width 64 only. In width 32 it calls
   these, which keep it small. To hash in one place for both widths takes 10 to
   18% more time. */
BLOOM_NOINLINE_ bool bloom_add_integer_32_(unsigned char *image, uint64_t key)
{
    return bloom_add_image_(image, bloom_hash_integer_(image, key));
}

BLOOM_PURE_ BLOOM_NOINLINE_ bool bloom_look_up_integer_32_(
    unsigned char *image, uint64_t key)
{
    return bloom_look_up_image_(image, bloom_hash_integer_(image, key));
}

BLOOM_INLINE_ bool bloom_access_integer_(unsigned char *image, uint64_t key,
                                         bool add)
{
    const uint64_t seed = bloom_load64_(image + BLOOM_SEED_AT_);
    const uint64_t h1 = bloom_h1_of_integer_(key, seed);
    return bloom_is_one_block_(image)
             ? bloom_one_block_(image, h1, add)
         : image[BLOOM_WIDTH_AT_] == 64
             ? bloom_access_image_(image, bloom_hash_of_h1_(h1), add)
         : add ? bloom_add_integer_32_(image, key)
               : bloom_look_up_integer_32_(image, key);
}
#endif

BLOOM_API bool bloom_add(bloom *b, const void *key, size_t size)
{
    return !bloom_access_bytes_(bloom_bytes_(b), key, size, true);
}

BLOOM_API_INLINE_ bool bloom_add_u64(bloom *b, uint64_t key)
{
    return !bloom_access_integer_(bloom_bytes_(b), key, true);
}

BLOOM_API_INLINE_ bool bloom_add_hash(bloom *b, bloom_hash h)
{
    return !bloom_access_hash_(bloom_bytes_(b), h, true);
}

BLOOM_API bool bloom_may_contain(const bloom *b, const void *key, size_t size)
{
    return bloom_access_bytes_(bloom_cast_const_(b), key, size, false);
}

BLOOM_API_INLINE_ bool bloom_may_contain_u64(const bloom *b, uint64_t key)
{
    return bloom_access_integer_(bloom_cast_const_(b), key, false);
}

BLOOM_API_INLINE_ bool bloom_may_contain_hash(const bloom *b, bloom_hash h)
{
    return bloom_access_hash_(bloom_cast_const_(b), h, false);
}

static inline bool bloom_remove_(unsigned char *image, bloom_halves_ h)
{
    if (!BLOOM_IS_COUNTING_(image[BLOOM_LAYOUT_AT_]))
        return false;
    bloom_unseal_(image);
    return bloom_remove_counted_(image + BLOOM_HEADER_SIZE, image[BLOOM_K_AT_],
                                 bloom_walk_of_(image, h));
}

BLOOM_API bool bloom_remove(bloom *b, const void *key, size_t size)
{
    unsigned char *image = bloom_bytes_(b);
    return bloom_remove_(image, bloom_hash_bytes_(image, key, size));
}

BLOOM_API bool bloom_remove_u64(bloom *b, uint64_t key)
{
    unsigned char *image = bloom_bytes_(b);
    return bloom_remove_(image, bloom_hash_integer_(image, key));
}

BLOOM_API bool bloom_remove_hash(bloom *b, bloom_hash h)
{
    return bloom_remove_(bloom_bytes_(b), bloom_halves_of_(h));
}

#ifndef BLOOM_TINY
BLOOM_API unsigned bloom_count_hash(const bloom *b, bloom_hash h)
{
    const unsigned char *image = bloom_const_bytes_(b);
    unsigned char copy[BLOOM_HEADER_SIZE];
    const unsigned char *header = bloom_header_rom_(image, copy);
    if (!BLOOM_IS_COUNTING_(header[BLOOM_LAYOUT_AT_]))
        return bloom_may_contain_hash(b, h);
    return bloom_least_counter_(image + BLOOM_HEADER_SIZE, header[BLOOM_K_AT_],
                                bloom_walk_of_(header, bloom_halves_of_(h)));
}

BLOOM_API unsigned bloom_count(const bloom *b, const void *key, size_t size)
{
    return bloom_count_hash(b, bloom_hash_key(b, key, size));
}

BLOOM_API unsigned bloom_count_u64(const bloom *b, uint64_t key)
{
    return bloom_count_hash(b, bloom_hash_u64(b, key));
}
#endif

BLOOM_API unsigned bloom_probes(const bloom *b, bloom_hash h,
                                uint64_t index[64])
{
    unsigned char copy[BLOOM_HEADER_SIZE];
    const unsigned char *header =
        bloom_header_rom_(bloom_const_bytes_(b), copy);
    const unsigned k = header[BLOOM_K_AT_];
    bloom_walk_ walk = bloom_walk_of_(header, bloom_halves_of_(h));
    for (unsigned i = 0; i < k; i++) {
        if (!BLOOM_IS_BLOCKED_(header[BLOOM_LAYOUT_AT_])) {
            index[i] = bloom_next_cell_(&walk);
            continue;
        }
        index[i] = (uint64_t)bloom_block_offset_(walk.m, walk.x) * 8
                 + i % 8 * 32 + bloom_block_bit_(walk.x, i % 8);
        if (i % 8 == 7)
            bloom_step_(&walk);
    }
    return k;
}

/* ==== Many keys =============================================================
   The six public functions call bloom_many_. Of the three pointers to keys, the
   one for their kind is set; the others are NULL. */
typedef struct bloom_keys_ {
    const bloom_key *bytes;
    const uint64_t *integers;
    const bloom_hash *hashes;
    size_t count;
    bool *results;                      /* or NULL */
} bloom_keys_;

#ifdef BLOOM_SMALL_
static bool bloom_access_key_(unsigned char *image, const bloom_keys_ *keys,
                              size_t i, bool add)
{
    return keys->hashes ? bloom_access_hash_(image, keys->hashes[i], add)
         : keys->integers ? bloom_access_integer_(image, keys->integers[i], add)
                          : bloom_access_bytes_(image, keys->bytes[i].data,
                                                keys->bytes[i].size, add);
}

/* Adds the keys or looks them up. Returns how many results are true. */
static size_t bloom_many_(unsigned char *image, bloom_keys_ keys, bool add)
{
    size_t trues = 0;
    for (size_t i = 0; i < keys.count; i++) {
        const bool result = bloom_access_key_(image, &keys, i, add) != add;
        trues += result;
        if (keys.results)
            keys.results[i] = result;
    }
    return trues;
}
#else
/* Keys are taken in batches. While a batch is probed, the cells of the next one
   are prefetched, so that the CPU computes and the memory works all the time.
   Adding probes all cells of a key, and then prefetches all cells of the key
   that is one batch ahead. So keys are added in their order, as by one call for
   each. A lookup goes in rounds. In a round each key's next cell or block is
   probed, and at once the cell that follows is prefetched, without a branch on
   the result. Only keys whose cells were all set come to the next round. The
   first round also prefetches the first cells of the next batch.
   Nothing is prefetched if the filter fits into the caches. There, lookups take
   one round of all cells or, from m = 2^22 on, one of two cells or one block,
   which rules out most absent keys, and one of the rest. */
#define BLOOM_BATCH_ 128U

/* Keys on their walks: x is the next position, y the next step */
typedef struct bloom_batch_ {
    size_t count;
    uint64_t x[BLOOM_BATCH_], y[BLOOM_BATCH_];
} bloom_batch_;

typedef struct bloom_job_ {
    unsigned char *array;
    bloom_plan plan;
    bool add;
} bloom_job_;

BLOOM_INLINE_ void bloom_put_hash_(bloom_batch_ *batch, size_t i,
                                   unsigned width, bloom_hash h)
{
    batch->x[i] = h.h1;
    batch->y[i] = bloom_first_step_(width, h.h2);
}

/* Computes h1 of integers, four at a time. Returns how many it has hashed. */
#if defined(__x86_64__) && defined(BLOOM_SIMD_ALL_SET_)
typedef uint64_t bloom_u64x4_ __attribute__((vector_size(32)));

BLOOM_SIMD_INLINE_ size_t bloom_h1_by_4_(uint64_t *x,
    const uint64_t *keys, size_t count, uint64_t seed)
{
    const uint64_t spread = bloom_spread_seed_(seed);
    const bloom_u64x4_ spreads = { spread, spread, spread, spread };
    size_t i;
    for (i = 0; count - i >= 4; i += 4) {
        bloom_u64x4_ h;
        __builtin_memcpy(&h, keys + i, 32);
        h += spreads;
        BLOOM_FMIX64_(h);
        __builtin_memcpy(x + i, &h, 32);
    }
    return i;
}
#else
#define bloom_h1_by_4_(x, keys, count, seed) 0
#endif

/* With one block per key a walk ends before its first step. So y need not be
   computed. (It is still added to x, but nobody reads that x.) */
static inline bool bloom_takes_no_step_(bloom_plan plan)
{
    return plan.layout == BLOOM_BLOCKED && plan.hashes == 8;
}

static void bloom_hash_integers_(bloom_batch_ *batch, bloom_plan plan,
                                 const uint64_t *keys)
{
    size_t i, done = 0;
    if (plan.hash_bits == 64 && BLOOM_HAS_SIMD_)
        done = bloom_h1_by_4_(batch->x, keys, batch->count, plan.seed);
    if (!bloom_takes_no_step_(plan))
        for (i = 0; i < done; i++)
            batch->y[i] = bloom_hash_of_h1_(batch->x[i]).h2;
    for (i = done; i < batch->count; i++)
        bloom_put_hash_(batch, i, plan.hash_bits, bloom_hash_integer_of_(
            plan.hash_bits, plan.seed, keys[i]));
}

/* The number of keys in a batch. Adding prefetches all cells of a batch. They
   are at most 256 cache lines, half of a level-1 cache of 32 KB. A lookup
   prefetches one cell or block per key and round. */
static inline size_t bloom_batch_size_(bloom_plan plan, bool add)
{
    const unsigned of_key = plan.layout == BLOOM_BLOCKED ? plan.hashes / 8U
                                                         : plan.hashes;
    return add && bloom_exceeds_caches_(plan.cells) && of_key > 2
         ? 256 / of_key : BLOOM_BATCH_;
}

/* Hashes the keys from number `from` on, at most `most`. Each kind of key has
   its own loop, because one loop for all is slower. */
static void bloom_hash_batch_(bloom_batch_ *batch, bloom_plan plan,
                              const bloom_keys_ *keys, size_t from, size_t most)
{
    const size_t left = keys->count - from;
    const size_t count = left < most ? left : most;
    batch->count = count;
    if (keys->integers)
        bloom_hash_integers_(batch, plan, keys->integers + from);
    else if (keys->hashes)
        for (size_t i = 0; i < count; i++)
            bloom_put_hash_(batch, i, plan.hash_bits, keys->hashes[from + i]);
    else
        for (size_t i = 0; i < count; i++)
            bloom_put_hash_(batch, i, plan.hash_bits, bloom_hash_bytes_of_(
                plan.hash_bits, plan.seed, keys->bytes[from + i].data,
                keys->bytes[from + i].size));
}

/* The next functions are compiled for three kernels, and for adding and looking
   up. In each copy `kernel` and `add` are constants. The kernel BITS is for the
   classic layout, SIMD for blocks, and COUNTERS_OR_BLOCKS for counters and, on
   a CPU without SIMD, for blocks. They get the job by value. Through a pointer,
   it would be loaded anew after each change of a cell, which might have changed
   it, too. */
enum { BLOOM_BITS_, BLOOM_SIMD_, BLOOM_COUNTERS_OR_BLOCKS_ };

/* Probes the next `count` cells of a walk */
BLOOM_INLINE_ bool bloom_probe_next_(bloom_job_ job, int kernel, unsigned count,
                                     bloom_walk_ *walk, bool add)
{
    return kernel == BLOOM_BITS_
         ? bloom_probe_bits_by_8_(job.array, count, walk, add)
         : kernel == BLOOM_SIMD_
         ? bloom_probe_blocks_(job.array, count, walk, add, true)
         : bloom_probe_(job.array, job.plan.layout, count, walk, add);
}

/* Prefetches the next `count` cells of a walk */
BLOOM_INLINE_ void bloom_prefetch_next_(bloom_job_ job, int kernel,
                                        unsigned count, bloom_walk_ walk)
{
    const bool blocks = kernel != BLOOM_BITS_
                     && job.plan.layout == BLOOM_BLOCKED;
    const unsigned shift = kernel == BLOOM_COUNTERS_OR_BLOCKS_ ? 1 : 3;
    for (unsigned i = 0; i < count; i += blocks ? 8 : 1) {
        BLOOM_PREFETCH_(job.array
            + (blocks ? bloom_block_offset_(walk.m, walk.x)
                      : (size_t)(bloom_high_half_(walk.x, walk.m) >> shift)));
        bloom_step_(&walk);
    }
}

BLOOM_INLINE_ bloom_walk_ bloom_walk_in_(const bloom_batch_ *batch, size_t i,
                                         uint64_t m)
{
    const bloom_walk_ walk = { batch->x[i], batch->y[i], m };
    return walk;
}

/* Probes all k cells of each key. After a key, prefetches the cells of the key
   that has its place in the next batch, of `ahead` keys. */
BLOOM_INLINE_ size_t bloom_one_round_(bloom_job_ job, const bloom_batch_ *batch,
                                      const bloom_batch_ *next, size_t ahead,
                                      bool *results, int kernel, unsigned k,
                                      bool add)
{
    const uint64_t m = job.plan.cells;
    const size_t count = batch->count;
    size_t trues = 0;
    for (size_t i = 0; i < count || i < ahead; i++) {
        if (i < count) {
            bloom_walk_ walk = bloom_walk_in_(batch, i, m);
            const bool result = bloom_probe_next_(job, kernel, k, &walk, add)
                             != add;
            results[i] = result;
            trues += result;
        }
        if (i < ahead)
            bloom_prefetch_next_(job, kernel, k, bloom_walk_in_(next, i, m));
    }
    return trues;
}

/* Looks up the next `now` cells of each key, and keeps the keys whose cells
   were all set. Prefetches the `then` cells that follow. place[] says
   where in the batch the kept keys were. */
BLOOM_INLINE_ void bloom_round_(bloom_job_ job, bloom_batch_ *batch,
                                unsigned char *place, const bloom_batch_ *next,
                                size_t ahead, int kernel, unsigned now,
                                unsigned then)
{
    const uint64_t m = job.plan.cells;
    const size_t count = batch->count;
    size_t kept = 0;
    for (size_t i = 0; i < count || i < ahead; i++) {
        if (i < count) {
            bloom_walk_ walk = bloom_walk_in_(batch, i, m);
            const bool set = bloom_probe_next_(job, kernel, now, &walk, false);
            batch->x[kept] = walk.x;                    /* kept <= i */
            batch->y[kept] = walk.y;
            place[kept] = place[i];
            kept += set;
            if (then)
                bloom_prefetch_next_(job, kernel, then, walk);
        }
        if (i < ahead)
            bloom_prefetch_next_(job, kernel, now, bloom_walk_in_(next, i, m));
    }
    batch->count = kept;
}

BLOOM_INLINE_ size_t bloom_rounds_(bloom_job_ job, bloom_batch_ *batch,
                                   const bloom_batch_ *next, bool *results,
                                   int kernel)
{
    const bool large = bloom_exceeds_caches_(job.plan.cells);
    const unsigned k = job.plan.hashes;
    const unsigned step = kernel != BLOOM_BITS_
                       && job.plan.layout == BLOOM_BLOCKED ? 8 : 1;
    const size_t count = batch->count;
    unsigned char place[BLOOM_BATCH_];
    for (size_t i = 0; i < count; i++)
        place[i] = (unsigned char)i;
    if (large) {
        size_t ahead = next->count;
        for (unsigned left = k; left > step; left -= step, ahead = 0)
            bloom_round_(job, batch, place, next, ahead, kernel, step, step);
        bloom_round_(job, batch, place, next, 0, kernel, step, 0);
    } else {
        const unsigned first = step == 8 ? 8 : 2;
        bloom_round_(job, batch, place, next, 0, kernel, first, 0);
        bloom_round_(job, batch, place, next, 0, kernel, k - first, 0);
    }
    for (size_t i = 0; i < count; i++)
        results[i] = false;
    for (size_t i = 0; i < batch->count; i++)
        results[place[i]] = true;
    return batch->count;
}

/* Adds a batch, or looks it up. Returns how many results are true. */
BLOOM_INLINE_ size_t bloom_process_(bloom_job_ job, bloom_batch_ *batch,
                                    const bloom_batch_ *next, bool *results,
                                    int kernel, bool add)
{
    const uint64_t m = job.plan.cells;
    const unsigned k = job.plan.hashes;
    const bool large = bloom_exceeds_caches_(m);
    /* Four calls: a constant k is faster, and so, by 5 to 20% in filters within
       the caches, is a constant 0 in place of `ahead`. */
    if (kernel == BLOOM_SIMD_ && k == 8)
        return large ? bloom_one_round_(job, batch, next, next->count, results,
                                        kernel, 8, add)
                     : bloom_one_round_(job, batch, next, 0, results, kernel, 8,
                                        add);
    if (add || m >> 22 == 0
        || k <= (job.plan.layout == BLOOM_BLOCKED ? 8 : 2))
        return large ? bloom_one_round_(job, batch, next, next->count, results,
                                        kernel, k, add)
                     : bloom_one_round_(job, batch, next, 0, results, kernel, k,
                                        add);
    return bloom_rounds_(job, batch, next, results, kernel);
}

#define BLOOM_PROCESS_(kernel) (job->add \
    ? bloom_process_(*job, batch, next, results, kernel, true) \
    : bloom_process_(*job, batch, next, results, kernel, false))

BLOOM_NOINLINE_ size_t bloom_process_bits_(const bloom_job_ *job,
    bloom_batch_ *batch, const bloom_batch_ *next, bool *results)
{
    return BLOOM_PROCESS_(BLOOM_BITS_);
}

BLOOM_TARGET_ BLOOM_NOINLINE_ size_t bloom_process_simd_(const bloom_job_ *job,
    bloom_batch_ *batch, const bloom_batch_ *next, bool *results)
{
    return BLOOM_PROCESS_(BLOOM_SIMD_);
}

BLOOM_NOINLINE_ size_t bloom_process_counters_or_blocks_(const bloom_job_ *job,
    bloom_batch_ *batch, const bloom_batch_ *next, bool *results)
{
    return BLOOM_PROCESS_(BLOOM_COUNTERS_OR_BLOCKS_);
}

/* The first batch that is processed is empty, so that the cells of the first
   keys are prefetched like those of all others. */
static size_t bloom_many_(unsigned char *image, bloom_keys_ keys, bool add)
{
    const bloom_job_ job = { image + BLOOM_HEADER_SIZE, bloom_parse_(image),
                             add };
    const size_t most = bloom_batch_size_(job.plan, add);
    bool unwanted[BLOOM_BATCH_];
    bloom_batch_ batches[2];
    size_t hashed = 0, done = 0, trues = 0;
    unsigned now = 0;
    batches[0].count = 0;
    if (add && keys.count > 0)
        bloom_unseal_(image);
    do {
        bloom_batch_ *batch = &batches[now], *next = &batches[1 - now];
        bool *results = keys.results ? keys.results + done : unwanted;
        done = hashed;
        bloom_hash_batch_(next, job.plan, &keys, hashed, most);
        hashed += next->count;
        trues += job.plan.layout == BLOOM_CLASSIC
                   ? bloom_process_bits_(&job, batch, next, results)
               : job.plan.layout == BLOOM_BLOCKED && BLOOM_HAS_SIMD_
                   ? bloom_process_simd_(&job, batch, next, results)
                   : bloom_process_counters_or_blocks_(&job, batch, next,
                                                       results);
        now = 1 - now;
    } while (batches[now].count > 0);
    return trues;
}
#endif

BLOOM_API size_t bloom_add_many(bloom *b, const bloom_key *keys,
                                size_t count, bool *is_new)
{
    const bloom_keys_ all = { keys, BLOOM_NULL_, BLOOM_NULL_, count, is_new };
    return bloom_many_(bloom_bytes_(b), all, true);
}

BLOOM_API size_t bloom_add_many_u64(bloom *b, const uint64_t *keys,
                                    size_t count, bool *is_new)
{
    const bloom_keys_ all = { BLOOM_NULL_, keys, BLOOM_NULL_, count, is_new };
    return bloom_many_(bloom_bytes_(b), all, true);
}

BLOOM_API size_t bloom_add_many_hash(bloom *b, const bloom_hash *hashes,
                                     size_t count, bool *is_new)
{
    const bloom_keys_ all = { BLOOM_NULL_, BLOOM_NULL_, hashes, count, is_new };
    return bloom_many_(bloom_bytes_(b), all, true);
}

BLOOM_API size_t bloom_may_contain_many(const bloom *b, const bloom_key *keys,
                                        size_t count, bool *maybe)
{
    const bloom_keys_ all = { keys, BLOOM_NULL_, BLOOM_NULL_, count, maybe };
    return bloom_many_(bloom_cast_const_(b), all, false);
}

BLOOM_API size_t bloom_may_contain_many_u64(const bloom *b,
                                            const uint64_t *keys,
                                            size_t count, bool *maybe)
{
    const bloom_keys_ all = { BLOOM_NULL_, keys, BLOOM_NULL_, count, maybe };
    return bloom_many_(bloom_cast_const_(b), all, false);
}

BLOOM_API size_t bloom_may_contain_many_hash(const bloom *b,
                                             const bloom_hash *hashes,
                                             size_t count, bool *maybe)
{
    const bloom_keys_ all = { BLOOM_NULL_, BLOOM_NULL_, hashes, count, maybe };
    return bloom_many_(bloom_cast_const_(b), all, false);
}

/* ==== Whole filters =========================================================
   As m is a multiple of 64, cells can be read and written in 64-bit words. */

static bool bloom_same_plan_(bloom_plan a, bloom_plan b)
{
    return a.cells == b.cells && a.seed == b.seed && a.hashes == b.hashes
        && a.layout == b.layout && a.hash_bits == b.hash_bits;
}

/* x and y hold eight counters each, one in the low half of every byte. Returns
   the minima if `intersect`, else the sums, at most 15. Bit 4 of a byte is set
   in x + y if the sum is above 15, and in 16 + x - y if x >= y. */
static inline uint64_t bloom_combined_counters_(uint64_t x, uint64_t y,
                                                bool intersect)
{
    const uint64_t carry = 0x1010101010101010U;
    uint64_t sum = intersect ? (x | carry) - y : x + y;
    uint64_t mask = (sum & carry) - ((sum & carry) >> 4);   /* 15 if set */
    return intersect ? (y & mask) | (x & ~mask) : (sum | mask) & ~carry;
}

/* The intersection or the union of two words of cells */
BLOOM_INLINE_ uint64_t bloom_combined_(uint64_t x, uint64_t y, bool counters,
                                       bool intersect)
{
    const uint64_t low = 0x0F0F0F0F0F0F0F0FU;
    if (!counters)
        return intersect ? x & y : x | y;
    return bloom_combined_counters_(x & low, y & low, intersect)
         | bloom_combined_counters_(x >> 4 & low, y >> 4 & low, intersect) << 4;
}

/* With BLOOM_ATOMIC this is done byte by byte, and repeated for a byte that
   another thread has changed meanwhile. */
BLOOM_INLINE_ void bloom_combine_words_(unsigned char *to,
                                        const unsigned char *from, size_t size,
                                        bool counters, bool intersect)
{
#ifdef BLOOM_ATOMIC
    for (size_t i = 0; i < size; i++) {
        unsigned char old = BLOOM_LOAD_BYTE_(to + i), now;
        const unsigned char other = BLOOM_LOAD_BYTE_(from + i);
        do
            now = (unsigned char)bloom_combined_(old, other, counters,
                                                 intersect);
        while (now != old && !BLOOM_CAS_BYTE_(to + i, &old, now));
    }
#else
    for (size_t i = 0; i < size; i += 8)
        bloom_store64_(to + i, bloom_combined_(bloom_load64_(to + i),
                       bloom_load64_(from + i), counters, intersect));
#endif
}

static bool bloom_combine_(bloom *into, const bloom *from, bool intersect)
{
    unsigned char *to = bloom_bytes_(into);
    const unsigned char *source = bloom_const_bytes_(from);
    const bloom_plan plan = bloom_parse_(to);
    const size_t size = bloom_plan_size(plan) - BLOOM_HEADER_SIZE;
    if (!bloom_same_plan_(plan, bloom_parse_(source)))
        return false;
    bloom_unseal_(to);
    to += BLOOM_HEADER_SIZE;
    source += BLOOM_HEADER_SIZE;
    if (BLOOM_IS_COUNTING_(plan.layout))
        bloom_combine_words_(to, source, size, true, intersect);
    else
        bloom_combine_words_(to, source, size, false, intersect);
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
    if (!BLOOM_IS_COUNTING_(plan.layout))
        return false;
    plan.layout = BLOOM_CLASSIC;
    if (!bloom_same_plan_(plan, bloom_parse_(to)))
        return false;
    bloom_clear(into_classic);
    for (uint64_t cell = 0; cell < plan.cells; cell++)
        if (image[BLOOM_HEADER_SIZE + (size_t)(cell >> 1)]
            >> bloom_nibble_shift_(cell) & 15)
            bloom_probe_bit_(to + BLOOM_HEADER_SIZE, (bloom_index_)cell, true);
    return true;
}

/* The number of ones in x: added up in pairs of bits, in groups of four, in
   bytes, and then over the eight bytes. */
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
    const size_t size = bloom_plan_size(plan);
    uint64_t ones = 0;
    for (size_t i = BLOOM_HEADER_SIZE; i < size; i += 8) {
        uint64_t word = bloom_load_word_(image + i);
        if (BLOOM_IS_COUNTING_(plan.layout)) {  /* 1 for each that is not 0 */
            word |= word >> 2;
            word = (word | word >> 1) & 0x1111111111111111U;
        }
        ones += bloom_popcount_(word);
    }
    return ones;
}

/* ---- Folding ---------------------------------------------------------------
   Folding makes the filter of m / by cells with the same keys. The positions of
   a walk do not depend on m, and as `by` divides m,
       floor(floor(x * m / 2^64) / by) = floor(x * (m / by) / 2^64)
   So cell i of the folded filter is the union (of counters: the sum) of the
   cells i * by to i * by + by - 1; blocks likewise. This is done in place: word
   i of the result depends on no word before i. */

#ifndef BLOOM_TINY
/* 1 if any of the `count` bits from number `from` on is set, otherwise 0 */
static inline uint64_t bloom_any_set_(const unsigned char *array, uint64_t from,
                                      uint64_t count)
{
    for (;;) {
        const unsigned skip = (unsigned)(from & 63), left = 64 - skip;
        uint64_t word = bloom_load64_(array + (size_t)(from / 64 * 8)) >> skip;
        if (count < left)
            word &= ((uint64_t)1 << count) - 1;
        if (word != 0 || count <= left)
            return word != 0;
        from += left;
        count -= left;
    }
}

/* The sum of the `count` counters from number `from` on, at most 15 */
static inline uint64_t bloom_sum_of_(unsigned char *array, uint64_t from,
                                     uint64_t count)
{
    uint64_t sum = 0;
    for (; count > 0 && sum < 15; count--)
        sum += bloom_change_counter_(array, from++, 0);
    return sum < 15 ? sum : 15;
}

/* Word i of the folded filter: a quarter of a block, 16 counters or 64 bits */
static inline uint64_t bloom_folded_word_(unsigned char *array, unsigned layout,
                                          uint64_t i, uint64_t by)
{
    uint64_t word = 0;
    if (layout == BLOOM_BLOCKED)
        for (uint64_t j = 0; j < by; j++)
            word |= bloom_load64_(array
                + (size_t)((i / 4 * by + j) * 32 + i % 4 * 8));
    else if (layout == BLOOM_COUNTING)
        for (uint64_t j = 16; j-- > 0; )
            word = word << 4 | bloom_sum_of_(array, (i * 16 + j) * by, by);
    else
        for (uint64_t j = 64; j-- > 0; )
            word = word << 1 | bloom_any_set_(array, (i * 64 + j) * by, by);
    return word;
}

/* The plan of the folded filter. It is impossible if m / by is not a possible m
   or if folding changes which bits of x choose a block: bloom_block_offset_. */
static bloom_plan bloom_folded_plan_(bloom_plan plan, uint64_t by)
{
    const uint64_t m = by == 0 || plan.cells % by != 0 ? 0 : plan.cells / by;
    const bool changes_rule = plan.layout == BLOOM_BLOCKED
                           && plan.cells >> 34 != 0 && m >> 34 == 0;
    plan.cells = changes_rule ? 0 : m;
    return plan;
}

BLOOM_API bool bloom_fold(bloom *b, uint64_t by)
{
    unsigned char *image = bloom_bytes_(b), *array = image + BLOOM_HEADER_SIZE;
    const bloom_plan plan = bloom_folded_plan_(bloom_parse_(image), by);
    const size_t size = bloom_plan_size(plan);
    if (size == 0)
        return false;
    bloom_unseal_(image);
    for (uint64_t i = 0; i < (size - BLOOM_HEADER_SIZE) / 8; i++)
        bloom_store64_(array + (size_t)(i * 8),
                       bloom_folded_word_(array, plan.layout, i, by));
    bloom_store64_(image + BLOOM_M_AT_, plan.cells);
    return true;
}
#endif

/* ---- Seals -----------------------------------------------------------------
   The seal is a checksum: the hash of the cells. Its seed is the hash, with
   seed 0, of the 24 bytes before the seal. In width 64, only the h1 of a hash
   is used. A result of 0 is stored as 1, because 0 means "not sealed". */
static inline uint64_t bloom_digest_(bloom_plan plan,
                                     const unsigned char *bytes, size_t size,
                                     bool rom)
{
    if (BLOOM_IS_32_(plan))
        return bloom_murmur32_(bytes, size, bloom_low_half_(plan.seed), rom);
    return bloom_murmur64_(bytes, size, plan.seed, rom).h1;
}

static uint64_t bloom_checksum_(const unsigned char *header,
                                const unsigned char *array, bool rom)
{
    bloom_plan plan = bloom_parse_(header);
    size_t size = bloom_plan_size(plan) - BLOOM_HEADER_SIZE;
    uint64_t sum;
    plan.seed = 0;
    plan.seed = bloom_digest_(plan, header, BLOOM_SEAL_AT_, false);
    sum = bloom_digest_(plan, array, size, rom);
    return sum ? sum : 1;
}

BLOOM_API void bloom_seal(bloom *b)
{
    unsigned char *image = bloom_bytes_(b);
    bloom_store64_(image + BLOOM_SEAL_AT_,
                   bloom_checksum_(image, image + BLOOM_HEADER_SIZE, false));
}

BLOOM_API bloom_error bloom_verify(const bloom *b)
{
    const unsigned char *image = bloom_const_bytes_(b);
    unsigned char copy[BLOOM_HEADER_SIZE];
    const unsigned char *header = bloom_header_rom_(image, copy);
    const uint64_t seal = bloom_load64_(header + BLOOM_SEAL_AT_);
    if (seal == 0)
        return BLOOM_UNSEALED;
    return seal == bloom_checksum_(header, image + BLOOM_HEADER_SIZE, true)
         ? BLOOM_OK : BLOOM_CORRUPT;
}

/* ==== Making ============================================================== */

/* Writes the header except for the seal, which is cleared with the cells. */
static inline void bloom_write_header_(unsigned char *image, bloom_plan plan)
{
    image[0] = 'B';
    image[1] = 'L';
    image[2] = 'M';
    image[BLOOM_FORMAT_AT_] = BLOOM_FORMAT_;
    image[BLOOM_LAYOUT_AT_] = plan.layout;
    image[BLOOM_WIDTH_AT_] = plan.hash_bits;
    image[BLOOM_K_AT_] = plan.hashes;
    image[BLOOM_ZERO_AT_] = 0;
    bloom_store64_(image + BLOOM_M_AT_, plan.cells);
    bloom_store64_(image + BLOOM_SEED_AT_, plan.seed);
}

static inline void bloom_clear_(unsigned char *image, bloom_plan plan)
{
    const bloom_index_ m = (bloom_index_)plan.cells;
    BLOOM_ZERO_(image + BLOOM_SEAL_AT_, BLOOM_HEADER_SIZE - BLOOM_SEAL_AT_
                + (size_t)bloom_cell_bytes_(m, plan.layout));
}

BLOOM_API void bloom_clear(bloom *b)
{
    unsigned char *image = bloom_bytes_(b);
    bloom_clear_(image, bloom_parse_(image));
}

#if SIZE_MAX > 0xFFFF
BLOOM_API
#else           /* with a constant plan, the code is shorter than a call */
BLOOM_API_INLINE_
#endif
bloom *bloom_init(void *memory, size_t size, bloom_plan plan)
{
    unsigned char *image = (unsigned char *)memory;
    if (!image || bloom_plan_size_(plan, size) == 0)
        return BLOOM_NULL_;
    bloom_write_header_(image, plan);
    bloom_clear_(image, plan);
    return (bloom *)memory;
}

BLOOM_API bloom *bloom_init_zeroed(void *memory, size_t size, bloom_plan plan)
{
    unsigned char *image = (unsigned char *)memory;
    if (!image || bloom_plan_size_(plan, size) == 0)
        return BLOOM_NULL_;
    bloom_write_header_(image, plan);
    bloom_store64_(image + BLOOM_SEAL_AT_, 0);
    return (bloom *)memory;
}

static inline void bloom_copy_bytes_(unsigned char *to,
                                     const unsigned char *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)BLOOM_READ_BYTE(from + i);
}

#ifndef BLOOM_NO_MALLOC
/* Zeroed memory for an image of `size` bytes; NULL for 0 bytes. The image
   begins at a multiple of `alignment`, 32 or 64, in a larger block. The byte
   before it tells how far in, so bloom_free frees all of these. */
static unsigned char *bloom_allocate_(size_t size, unsigned alignment)
{
    size_t whole = size + alignment, skip;
    void *memory = size > 0 && whole > size ? BLOOM_MALLOC(whole) : BLOOM_NULL_;
    unsigned char *image = (unsigned char *)memory;
    if (!memory)
        return BLOOM_NULL_;
    skip = alignment - (uintptr_t)image % alignment;
    image += skip;
    image[-1] = (unsigned char)skip;
    if (!BLOOM_MALLOC_CLEARS_)
        BLOOM_ZERO_(image, size);
    return image;
}

BLOOM_API bloom *bloom_create(bloom_plan plan)
{
    const size_t size = bloom_plan_size(plan);
    return bloom_init_zeroed(bloom_allocate_(size, 32), size, plan);
}

#ifndef BLOOM_NO_FLOAT
BLOOM_API bloom *bloom_new(uint64_t n, double p)
{
    BLOOM_ASSERT(p > 0 && p < 1);
    return bloom_create(bloom_plan_for(n, p));
}

BLOOM_API bloom *bloom_new_layout(uint64_t n, double p, bloom_layout layout)
{
    BLOOM_ASSERT(p > 0 && p < 1);
    return bloom_create(bloom_plan_layout(n, p, layout));
}
#endif

BLOOM_API bloom *bloom_copy(const bloom *b)
{
    const size_t size = bloom_size(b);
    unsigned char *image = bloom_allocate_(size, 32);
    if (image)
        bloom_copy_bytes_(image, bloom_const_bytes_(b), size);
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
   A classic plan is the least m, with its k, whose rate after n keys is at most
   p. In the textbook every probe comes to a random cell. So n keys leave each
   of m cells unset with probability (1 - 1/m)^(kn). `fill` is the share of set
   cells; an absent key finds its k cells set with probability fill^k. The
   exact rate is higher, for three reasons:
   * F, the share of set cells, varies between filters. The rate is E[F^k],
     above E[F]^k: 1.24 times as high for m = 64, k = 10, n = 4.
   * Blocks are not equally full. That costs 10% of memory at p = 1%, n > 1,000.
   * A step has 64 bits of hash, or 32. If all are 0, the walk stays on one
     cell. So no rate is below about 2^-64, or 2^-32. If only the low 32 of 64
     are 0, all block probes of a key test the same bits. */

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

/* ln(1 + x) for x > -0.3, accurate near 0 too. 1 + x is halved until x <= 0.4.
   Then ln(1 + x) = 2 atanh(z) with z = x / (2 + x), whose series is short. */
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

/* (1 + x)^n - 1 = e^y - 1 for y = n ln(1 + x) <= 0, accurate near 0 too. y is
   halved until the series of e^y - 1 is short. Then each halving is undone by
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
   k random cells are all set with probability E[F^k], the expectation of F^k
   (Bose et al. 2008, Christensen et al. 2010). E[F^k] is the product of
       ratio(i) = E[F^(i+1)] / E[F^i],  i = 0 to k - 1
   Ratios 0, 1, 2 are computed exactly. The others rise ever more slowly, and
   come from the curve (A + B i)/(1 + C i) through these three; `c` is its C.
   With the best k and p >= 10^-12 the result is at most 1.4% too high for one
   key, 0.2% for two, and 0.002% from ten on. */
static double bloom_moment_(double m, unsigned k, double fill, double probes)
{
    /* Two given cells are unset with probability (1 - 2/m)^probes = q^2 + by2,
       three with (1 - 3/m)^probes = q^3 + by3. Two are set with probability
       `two`, three with `three`. */
    double q = 1 - fill, pair = 1 / ((m - 1) * (m - 1));
    double by2 = q * q * bloom_power_minus_1_(-pair, probes);
    double by3 = q * q * q
               * bloom_power_minus_1_(-(3 + 2 / (m - 1)) * pair, probes);
    double two = fill * fill + by2;
    double three = fill * fill * fill + 3 * by2 - by3;
    double square = (fill + (m - 1) * two) / m;             /* E[F^2], E[F^3] */
    double cube = (fill + (m - 1) * (3 * two + (m - 2) * three)) / (m * m);
    /* ratio(1) - ratio(0), ratio(2) - ratio(1), and the curve through these */
    double rise = square / fill - fill, next = cube / square - square / fill;
    double c = next > 0 && next < rise ? (rise - next) / (2 * next) : 0;
    double moment = fill;
    for (unsigned i = 1; i < k; i++)
        moment *= fill + rise * i * (1 + c) / (1 + i * c);
    return moment;
}

/* Adds the false positives of short walks to the rate. A walk with step 0 stays
   on one cell, one with step 2^63 on two, and so on. Together they add about
   fill * 2^-63, in width 32 about fill * 2^-31. */
static double bloom_plus_degenerate_walks_(bloom_plan plan, double fill,
                                           double rate)
{
    rate += fill / (BLOOM_IS_32_(plan) ? 2147483648.0 : 9223372036854775808.0);
    return rate < 1 ? rate : 1;
}

static double bloom_classic_rate_(bloom_plan plan, double n)
{
    double m = (double)plan.cells, probes = n * plan.hashes;
    double fill = -bloom_power_minus_1_(-1 / m, probes);
    double rate = bloom_moment_(m, plan.hashes, fill, probes);
    return bloom_plus_degenerate_walks_(plan, fill, rate);
}

/* ---- Blocks (Putze, Sanders, Singler 2007) ---------------------------------
   A key makes b = k/8 block probes. Each takes one bit in each of a block's
   eight words. The load j of a block is the number of block probes of added
   keys that have come to it. The block accepts a probe of an absent key with
   probability (1 - (31/32)^j)^8 + j * 2^-32: all eight bits are set by chance,
   or the low half of x, which chooses them, is that of one of the j probes. */

/* distinct[c][e]: the chance that c random picks hit e different bits of 32 */
static void bloom_distinct_chances_(unsigned b, double distinct[9][9])
{
    unsigned c, e;
    for (c = 0; c <= b; c++)
        for (e = 0; e <= b; e++)
            distinct[c][e] = c == 0 ? e == 0
                           : distinct[c - 1][e] * e / 32 + (e == 0 ? 0
                           : distinct[c - 1][e - 1] * (33 - e) / 32);
}

/* Writes to mean[c], c = 1..b, the probability that a block accepts c probes of
   one key, averaged over the load j. The caller has set all of mean to 0. j is
   binomial; if the filter is one block, j is n * b. set[e] is the probability
   that e given bits of a word are set. One word accepts c probes with
   probability `word`, the block with word^8. `weight` is proportional to the
   probability of j, and mean[0] is the sum of the weights, to divide by. If
   weight gets large, all sums are scaled down. */
static void bloom_mean_chances_(double blocks, double probes, unsigned b,
                                double mean[9])
{
    double j, weight = 1, word, distinct[9][9], set[9] = { 1 };
    unsigned c, e;
    bloom_distinct_chances_(b, distinct);
    for (j = 0; j <= probes && weight > 1e-12 * mean[b]; j++) {
        for (c = 0; c <= b && (blocks > 1 || j >= probes); c++) {
            for (word = 0, e = 0; e <= c; e++)
                word += distinct[c][e] * set[e];
            word *= word;
            word *= word;
            mean[c] += weight * word * word;    /* the eight words of a block */
        }
        for (e = b; e > 0; e--)
            set[e] = set[e] * (1 - e / 32.0) + set[e - 1] * (e / 32.0);
        if (blocks > 1)
            weight *= (probes - j) / ((j + 1) * (blocks - 1));
        if (weight > 1e30) {
            for (c = 0; c <= b; c++)
                mean[c] /= weight;
            weight = 1;
        }
    }
    for (c = b + 1; c-- > 0; )
        mean[c] /= mean[0];
    /* Or one of the c probes has the low half of one of the j, and the block
       accepts the other c - 1. Among several blocks c > 1 is too rare. */
    for (c = 1; c <= b && (c == 1 || blocks <= 1); c++)
        mean[c] += mean[c - 1] * c * probes / blocks / 4294967296.0;
}

/* The probability that all b probes of a key are accepted. If c_t of them come
   to block t, and blocks are taken as independent, it is the product of the
   mean[c_t] with c_t > 0. These c_t have probability b! / blocks^b / product of
   c_t!. The sum over all ways is b! / blocks^b times the coefficient of x^b
   in (1 + sum of mean[c] x^c / c!, c = 1..b)^blocks. rate[i] is this for i
   probes, from rate[0..i-1] by Euler's recurrence for powers of a series. */
static void bloom_rates_of_probes_(double blocks, unsigned b,
                                   const double mean[9], double rate[9])
{
    double weight;
    unsigned i, c;
    rate[0] = 1;
    for (i = 1; i <= b; i++) {
        weight = 1 / blocks;
        for (rate[i] = 0, c = 1; c <= i; c++) {
            rate[i] += weight * (c * blocks - (i - c)) * mean[c] * rate[i - c];
            weight *= (i - c) / ((c + 1) * blocks);
        }
    }
}

/* Adds the false positives of keys whose probes test the same bits, whatever
   the block. If the low half of the first step is 0, that of x never changes,
   and all b probes test the same bits. If it is 2^31, it is 2^31 in each step,
   and every second probe tests the same bits. Each case has probability 2^-32.
   A block accepts several probes of the same bits with the probability `one` of
   a single probe. This matters for a few keys in a few blocks and tiny p. */
static double bloom_plus_same_bits_(double blocks, unsigned b, double one,
                                    double rate)
{
    const double mean[9] = { 1, one, one, one, one, one, one, one, one };
    double same[9];
    bloom_rates_of_probes_(blocks, b, mean, same);
    return rate + (same[b] + same[b / 2] * same[b - b / 2] - 2 * rate)
                  / 4294967296.0;
}

static double bloom_blocked_rate_(bloom_plan plan, double n)
{
    double blocks = (double)plan.cells / 256, mean[9] = { 0 }, rate[9];
    unsigned b = plan.hashes / 8U;
    if (n * b > 1200 * blocks)  /* nearly all bits are set, or no block */
        return 1;
    bloom_mean_chances_(blocks, n * b, b, mean);
    bloom_rates_of_probes_(blocks, b, mean, rate);
    return bloom_plus_degenerate_walks_(plan, mean[1],
        bloom_plus_same_bits_(blocks, b, mean[1], rate[b]));
}

/* ---- The rate ------------------------------------------------------------ */

/* The rate after n keys, with k in place of the plan's own */
static double bloom_rate_(bloom_plan plan, unsigned k, uint64_t n)
{
    BLOOM_ASSERT(k >= 1 && k <= 64);
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

/* The k of lowest rate. k rises while that lowers the rate, then sinks. */
static unsigned bloom_best_k_(bloom_plan plan, unsigned k, uint64_t n)
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

static bool bloom_keeps_rate_(bloom_plan plan, uint64_t m, uint64_t n, double p)
{
    plan.cells = m;
    return bloom_rate_(plan, plan.hashes, n) <= p;
}

/* Can a plan keep p? Not below 2^-64. A NaN is no rate. */
static bool bloom_is_rate_(double p)
{
    return p >= 5.421010862427522e-20 && p < 1;
}

/* The least m with which k probes keep p. The plan is impossible if m is above
   2^62 or p no rate. `low` starts at the textbook's m, with p^(1/k) of the
   cells set. The search gallops down from `low` until that fails, up until it
   succeeds, and then bisects. 1e-17 guards a division by 0. */
static bloom_plan bloom_least_plan_(uint64_t n, double p, bloom_layout layout,
                                    unsigned k)
{
    bloom_plan plan = { 0, 0, (uint8_t)k, (uint8_t)layout, BLOOM_WIDTH_ };
    const uint64_t unit = layout == BLOOM_BLOCKED ? 256 : 64;
    const uint64_t most = 1ULL << 62;
    uint64_t low, stride = unit;
    double unset, guess;
    if (!bloom_is_rate_(p))
        return bloom_no_plan_();
    unset = -bloom_power_minus_1_(1 / p - 1, -1.0 / k);
    guess = (double)n * k / (1e-17 + bloom_ln_1_plus_(1 / unset - 1));
    low = guess < (double)most ? (uint64_t)guess / unit * unit : most;
    while (low > 0 && bloom_keeps_rate_(plan, low, n, p)) {
        low -= low < stride ? low : stride;
        stride *= stride < most ? 8 : 1;
    }
    while (low < most && !bloom_keeps_rate_(plan, low + stride, n, p)) {
        low += stride;
        stride *= 8;
    }
    while ((stride /= 2) >= unit)
        if (!bloom_keeps_rate_(plan, low + stride, n, p))
            low += stride;
    plan.cells = low + unit;
    return low < most ? plan : bloom_no_plan_();
}

/* The least m of any k, and the least k that keeps p with this m. Begins with
   the k given and its least m. Each round finds the k of lowest rate at m minus
   one unit, and then that k's least m. It ends when m no longer falls. */
static bloom_plan bloom_best_plan_(uint64_t n, double p, bloom_layout layout,
                                   unsigned k)
{
    const unsigned unit = layout == BLOOM_BLOCKED ? 256 : 64;
    const unsigned step = layout == BLOOM_BLOCKED ? 8 : 1;
    bloom_plan plan = bloom_least_plan_(n, p, layout, k), less;
    while (plan.cells > unit) {
        less = plan;
        less.cells -= unit;
        k = bloom_best_k_(less, plan.hashes, n);
        if (k == plan.hashes)
            break;
        less = bloom_least_plan_(n, p, layout, k);
        if (less.cells >= plan.cells)
            break;
        plan = less;
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

/* log2(1/p), rounded: 1 above p = 2^-1.5, 2 above 2^-2.5 .. It is near the best
   k of a classic filter. */
static unsigned bloom_textbook_k_(double p)
{
    double rest = 2.828 * p;
    unsigned k = 1;
    for (; rest < 1 && k < 64; rest *= 2)
        k++;
    return k;
}

BLOOM_API bloom_plan bloom_plan_for(uint64_t n, double p)
{
    return bloom_best_plan_(n ? n : 1, p, BLOOM_CLASSIC, bloom_textbook_k_(p));
}

/* Plans the fewest blocks per key that keep p in 1.2 times the classic memory.
   If none do, up to k = 64 or until the rate rises, plans the least memory. */
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
    return plan.layout == layout && bloom_plan_size(plan) > 0
         ? plan : bloom_no_plan_();
}

/* As many cells as fit, in units of 64 cells or of one block, up to 2^62 cells
   (blocked: up to 2^40 - 256, the format's limit). k is still 0. If no unit
   fits, m is 0, too. */
static bloom_plan bloom_cells_in_(size_t bytes, bloom_layout layout)
{
    const bool blocked = layout == BLOOM_BLOCKED;
    const unsigned unit = layout == BLOOM_CLASSIC ? 8 : 32;      /* in bytes */
    const uint64_t most = blocked ? 0xFFFFFFFFU : 1ULL << 56;
    const uint64_t units = bytes < BLOOM_HEADER_SIZE ? 0
                         : (bytes - BLOOM_HEADER_SIZE) / unit;
    bloom_plan plan = bloom_no_plan_();
    if (units == 0 || (unsigned)layout > BLOOM_LAST_LAYOUT_)
        return plan;
    plan.layout = (uint8_t)layout;
    plan.cells = (units < most ? units : most) * (blocked ? 256 : 64);
    return plan;
}

BLOOM_API bloom_plan bloom_plan_bytes_layout(uint64_t n, size_t bytes,
                                             bloom_layout layout)
{
    bloom_plan plan = bloom_cells_in_(bytes, layout);
    const unsigned k = layout == BLOOM_BLOCKED ? 8 : 1;
    if (plan.cells > 0)
        plan.hashes = (uint8_t)bloom_best_k_(plan, k, n ? n : 1);
    return plan;
}

/* Begins with a k near the best. Another k is better if it keeps p with one key
   more. */
BLOOM_API bloom_plan bloom_plan_fit(size_t bytes, double p,
                                    bloom_layout layout)
{
    bloom_plan plan = bloom_is_rate_(p) ? bloom_cells_in_(bytes, layout)
                                        : bloom_no_plan_();
    const unsigned step = layout == BLOOM_BLOCKED ? 8 : 1;
    unsigned k = (bloom_textbook_k_(p) + step - 1) / step * step;
    uint64_t n;
    plan.hashes = (uint8_t)k;
    n = bloom_plan_capacity(plan, p);
    for (k = step; plan.cells > 0 && k <= 64 && n < UINT64_MAX; k += step)
        if (bloom_rate_(plan, k, n + 1) <= p) {
            plan.hashes = (uint8_t)k;
            n = bloom_plan_capacity(plan, p);
        }
    if (n == 0)
        return bloom_no_plan_();
    k = step;
    while (k < plan.hashes && bloom_rate_(plan, k, n) > p)
        k += step;
    plan.hashes = (uint8_t)k;
    return plan;
}

BLOOM_API bloom_plan bloom_plan_bytes(uint64_t n, size_t bytes)
{
    return bloom_plan_bytes_layout(n, bytes, BLOOM_CLASSIC);
}

/* ==== What the cells tell ===================================================
   How many keys a filter holds, and its rate now: the formulas of Planning,
   with the actual share of set cells in place of the expected one. */

/* n from the share of unset cells, (1 - 1/m)^(kn) (Swamidass and Baldi 2007;
   their e^(-kn/m) differs for small m). In a blocked filter each of kn/8 probes
   sets a given cell with probability 8/m: the share is (1 - 8/m)^(kn/8). */
static double bloom_keys_from_unset_(bloom_plan plan, double unset)
{
    double at_once = BLOOM_IS_BLOCKED_(plan.layout) ? 8 : 1;    /* per probe */
    return -bloom_ln_1_plus_(1 / unset - 1)
         / (plan.hashes / at_once
            * bloom_ln_1_plus_(-at_once / (double)plan.cells));
}

BLOOM_API uint64_t bloom_estimate(const bloom *b)
{
    bloom_plan plan = bloom_parse_(bloom_const_bytes_(b));
    uint64_t zeros = plan.cells - bloom_ones(b);
    double share = (double)zeros / (double)plan.cells;
    if (zeros == 0)
        return UINT64_MAX;
    return (uint64_t)(bloom_keys_from_unset_(plan, share) + 0.5);
}

/* The loop skips impossible plans: their rate is 1, which is above p. */
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
static double bloom_fpr_of_blocks_(const unsigned char *array, uint64_t blocks)
{
    double sum = 0, all = (double)blocks, product;
    unsigned i;
    for (; blocks > 0; blocks--) {
        for (product = 1, i = 0; i < 4; i++, array += 8) {
            uint64_t words = bloom_load_word_(array);
            product *= bloom_popcount_(words >> 32) / 32.0;
            product *= bloom_popcount_(bloom_low_half_(words)) / 32.0;
        }
        sum += product;
    }
    return sum / all;
}

BLOOM_API double bloom_fpr(const bloom *b)
{
    const unsigned char *array = bloom_const_bytes_(b) + BLOOM_HEADER_SIZE;
    bloom_plan plan = bloom_parse_(bloom_const_bytes_(b));
    const bool blocked = BLOOM_IS_BLOCKED_(plan.layout);
    const uint64_t ones = bloom_ones(b);
    double fill = (double)ones / (double)plan.cells, rate = 1;
    if (!(fill > 0 && fill < 1))
        return fill;
    if (blocked)                        /* the chance of one block probe */
        fill = bloom_fpr_of_blocks_(array, plan.cells / 256)
             + bloom_keys_from_unset_(plan, 1 - fill) * plan.hashes * 32
               / (double)plan.cells / 4294967296.0;
    for (unsigned k = plan.hashes; k > 0; k -= blocked ? 8 : 1)
        rate *= fill;
    if (blocked)
        rate = bloom_plus_same_bits_((double)plan.cells / 256, plan.hashes / 8U,
                                     fill, rate);
    return bloom_plus_degenerate_walks_(plan, fill, rate);
}
#endif

/* ==== For companions ========================================================
   The headers in examples/companions/ may use these private names of bloom.h
   and the offsets of "The image", and nothing else that is private. They need
   bloom.h of the same version.
       declarations  BLOOM_NAME_, BLOOM_USE_RESULT_, BLOOM_READS_,
                     BLOOM_ATOMIC_FROM_THE_START_, BLOOM_IMPLEMENTATION_DONE_
       platforms     BLOOM_HUSH_, BLOOM_END_HUSH_, BLOOM_IN_ROM_, BLOOM_SMALL_,
                     BLOOM_NOINLINE_
       threads       BLOOM_VOLATILE_, bloom_load_word_, bloom_unseal_ (of a seal
                     at byte 24)
       numbers       bloom_load64_, bloom_store64_,
                     bloom_rotl64_, bloom_popcount_
       memory        bloom_allocate_, bloom_copy_bytes_, BLOOM_ZERO_,
                     bloom_const_bytes_
       walks         bloom_walk_, bloom_walk_of_, bloom_halves_of_,
                     bloom_next_cell_, bloom_probe_bit_
       keys          bloom_keys_, bloom_hash_of_
       headers       bloom_same_plan_, bloom_write_header_, BLOOM_SEAL_AT_ */

/* The hash of key number i, for a filter and for all others like it */
static inline bloom_hash bloom_hash_of_(const bloom *b,
                                        const bloom_keys_ *keys, size_t i)
{
    return keys->bytes ? bloom_hash_key(b, keys->bytes[i].data,
                                        keys->bytes[i].size)
         : keys->integers ? bloom_hash_u64(b, keys->integers[i])
                          : keys->hashes[i];
}

BLOOM_END_HUSH_
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
       Bloom filters (blocked filters)
   A. Appleby 2011, MurmurHash3 (SMHasher)
   S. J. Swamidass, P. Baldi 2007, Mathematical correction for fingerprint
       similarity measures (bloom_estimate) */

/* ---- Versions --------------------------------------------------------------
   An image names its format in its fourth byte. Format 2 is frozen: every later
   version of bloom.h reads and writes it. To find a newer version, search for
   "bloom.h", "Bloom filter" and "the founders of bloom.h".

   Each version says what a program that used the one before must change. All
   else compiles and does the same: examples and tests of 2.0.0 to 2.4.0 were
   compiled with later headers.

   3.0.0, November 2026. From this version on, no public name, option, command
   option or file goes or changes its meaning within a major version. Keys of
   text are hashed faster. A window and a chain may lie in a mapped file, and
   lose no key if their process is killed. New: bloom_window_resume;
   bloom_chain_open, _room, _next, _append, _unseal; bloom_file_hold, _held,
   _sync, _drop, _save_locked, _text. To change:
   - Link programs that use libbloom again. To the loader it is libbloom-h.so.3.
   - The fourth byte of an image is the format, 2. If you compared it with
     BLOOM_VERSION / 10000, compare it with 2.
   - Rename functions of your own that are called like the new ones, or define
     BLOOM_NAMESPACE.
   - Adding a key that a full newest generation of a window seems to contain
     changes nothing. So windows can differ in their bytes from those of 2.4.0.
   - bloom_unshare returns ENOENT, where it returned 0, if another program has
     removed or replaced the file.
   - The command, the module for Redis, the SQLite extension, bloom.py, the page
     and the CMake package change, too: see "Versions" in their READMEs.

   2.4.0, November 2026. New: bloom_plan_fit, bloom_count. bloom_file.h promises
   less. To change:
   - Rename functions of your own that are called so, or define
     BLOOM_NAMESPACE.
   - bloom_file_begin, _reserve, _put, _complete, _finish and _cancel are gone.
     Put the blocks together in memory, and call bloom_file_save. To reserve
     disk space for bloom_share, save an empty filter by it, without a seal.
   - bloom_file_save and bloom_save refuse a FIFO or a device (EINVAL): use
     fwrite. They refuse a file with an access control list (EPERM, on Linux),
     and names of more than about 230 bytes (ENAMETOOLONG).
   - Link programs that use libbloom again, as functions are gone from it. To
     the loader it is libbloom-h.so.2.4 now; it was libbloom-h.so.2.

   2.3.0, November 2026. The companions are parts of one implementation. New:
   bloom_plan_bytes_layout, bloom_new_layout, bloom_init_zeroed, bloom_save,
   bloom_load, bloom_share, bloom_unshare. Blocks without SIMD take three
   quarters of the time, and -mgeneral-regs-only gets no vector code. libbloom
   also has the functions for programs with BLOOM_ATOMIC. To change:
   - Where BLOOM_IMPLEMENTATION is defined, include the companions, too, after
     it. Otherwise the program does not link.
   - Define BLOOM_API in place of BLOOM_CHAIN_API and its four sisters, and
     BLOOM_MALLOC and BLOOM_FREE in place of those of chains and files.
   - Copy bloom_file.h beside bloom.hpp, which includes it.
   - Include the system headers that you use: where bloom_file.h only declares,
     it includes none.
   - If you include bloom_file.h, rename functions of your own that are called
     bloom_save, bloom_load, bloom_share or bloom_unshare. If they are another
     library's, define BLOOM_NAMESPACE, and #undef these names after the
     #include.
   - Saving a file that is shared fails with EBUSY.
   - New chains differ in their bytes, as a link takes all the keys that it was
     planned for. Each version loads the other's chains.
   - After a clock was set back, bloom_window_advance forgets nothing until it
     is right again.
   - `make install` puts the headers into include/bloom-h.

   2.2.0, November 2026. BLOOM_TINY takes fewer bytes and cycles. Calls for many
   keys are faster in filters of one block per key. New: bloom_image_size,
   BLOOM_NAMESPACE, bloom_window_advance, bloom_slices.h, bloom_file.h. To
   change:
   - Define BLOOM_ATOMIC in every file that includes bloom.h, or in none.
     Otherwise the program does not link.
   - Copy bloom_slices.h beside bloom.hpp, which includes it.
   - An image that is too large for size_t is BLOOM_UNSUPPORTED, and fewer than
     32 bytes that do not begin with BLM are BLOOM_NOT_A_FILTER. Both were
     BLOOM_TRUNCATED. BLOOM_NO_MEMORY is a new error.

   2.1.0, November 2026. Calls for many keys keep the memory busy. -Os is no
   longer slow on 64-bit machines. New: BLOOM_HEADER_SIZE, bloom_keyed.h,
   bloom_chain_write, bloom_chain_verify. To change:
   - Windows have the calls of a filter: bloom_window_new returns a window,
     bloom_window_free frees it, and functions return what was a field. The
     former bloom_window_add and _may_contain end in _hash now.
     BLOOM_WINDOW_HEAD is BLOOM_WINDOW_HEADER_SIZE, and bloom_window_plan is
     bloom_window_plan_for. The images are unchanged.
   - Copy bloom_keyed.h and bloom_window.h beside bloom.hpp, which includes
     them.
   - Blocked filters for at most 15 keys and p below 10^-12 get other plans. To
     merge such filters with old ones, make them from the plan of these.

   2.0.0, November 2026. Format 2: the walk is as good as k independent hash
   functions, and the rate is at most p without exceptions. New: bloom_fold_by.
   To change:
   - Images of format 1 are refused. Make those filters again from their keys.
   - The chain moved from bloom.h to bloom_chain.h.

   1.1.0, November 2026. New: bloom_copy, bloom_fold. The head of a chain has a
   check byte.

   1.0.0, November 2026. The first version, with format 1. */

/* ---- Licence: choose the one you prefer ------------------------------------
   SPDX-License-Identifier: MIT OR Unlicense

   1. Public domain (Unlicense)
   This is free and unencumbered software released into the public domain.

   Anyone is free to copy, modify, publish, use, compile, sell, or distribute
   this software, either in source code form or as a compiled binary, for any
   purpose, commercial or non-commercial, and by any means.

   In jurisdictions that recognize copyright laws, the author or authors of this
   software dedicate any and all copyright interest in the software to the
   public domain. We make this dedication for the benefit of the public at large
   and to the detriment of our heirs and successors. We intend this dedication
   to be an overt act of relinquishment in perpetuity of all present and future
   rights to this software under copyright law.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
   AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
   ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
   WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

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
