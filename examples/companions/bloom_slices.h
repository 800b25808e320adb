/* SPDX-License-Identifier: MIT OR Unlicense
   bloom_slices.h: thousands of filters of bloom.h that are asked at once. The
   answer names the filters that may contain a key.

   A program that has a filter for each file, segment, day or genome asks all of
   them about each key. Asked one by one, each filter costs a cache miss or
   more. Here, the filters are stored cell by cell: a row of bits has cell 0 of
   every filter, the next row has cell 1 of every filter, and so on. A key has
   its k cells at the same places in all filters, so a lookup reads k rows and
   combines them by AND, whatever the number of filters. This is called a
   bit-sliced index (BIGSI, COBS) or an interleaved Bloom filter (SeqAn).

   USE: #include "bloom_slices.h", which includes bloom.h. One file of a
   program compiles the code: it defines BLOOM_IMPLEMENTATION before this
   #include. If the linker misses bloom_slices_new, no file does. See USE in
   bloom.h.
       // 100 filters, for up to 1000 keys each; p = 1% for each
       bloom_slices *s = bloom_slices_new(1000, 0.01, 100);
       uint64_t who[2];                        // 100 bits, in words of 64
       if (!s)
           return 1;                       // no memory, or bad arguments
       bloom_slices_add(s, 7, "apple", 5);     // to filter 7
       uint64_t found = bloom_slices_find(s, "apple", 5, who);
       if (found > 0 && (who[7 / 64] >> 7 % 64 & 1))
           puts("filter 7 may contain it");    // it is one of `found` filters
       bloom_slices_free(s);

   Each of the filters is a classic filter of bloom.h: it has the cells and the
   false-positive rate of a filter of the same plan with the same keys.
   bloom_slices_put and bloom_slices_get move whole filters in and out.
   All filters have one plan, so plan for the one with the most keys. If their
   number is a multiple of 64, the image takes about as many bytes as the
   filters alone. Otherwise it takes as many as for the next multiple. Multiples
   of 512 are the fastest.

   Like a filter, the slices are one block of bytes, their image, at any
   address. It can lie in static memory, be saved with fwrite, or be used in a
   mapped file. Its calls are those of a filter with another prefix.
   They do the same, and report errors in the same way, unless the comments
   below say otherwise.

   WHAT IT COSTS
   A lookup reads k rows of one bit per filter. An added key writes k bits in k
   rows. bloom_slices_put and _get of one filter touch all rows.
   So add keys directly to filters of some 1000 keys, or if a filter gets only
   few keys. This takes 1 to 4 times as long as adding to a separate filter. To
   fill filters of 10^5 or 10^6 keys, fill a separate filter, and move it in by
   bloom_slices_put. For 365 of them, that takes 2.6 to 3.7 times as long as
   filling separate filters alone. Adding directly takes 7 to 9 times as long,
   because the slices exceed the caches. (p = 0.01, gcc 12 -O3 -march=native,
   AMD EPYC.)

   The options of bloom.h hold here, too. BLOOM_NO_SIMD leaves out the vector
   code, which needs GCC or Clang. The vectors have the size of the registers
   that the compiler may use: compile with -mavx2 or -march=native for vectors
   larger than the 16 bytes that every x86-64 has. With BLOOM_NO_MALLOC or
   BLOOM_TINY, use bloom_slices_init. Slices are in memory that pointers read,
   so the file that compiles this code must not define BLOOM_READ_BYTE.
   Threads: any number of threads may make calls that take a const bloom_slices
   at the same time. Every other call needs exclusive access, even for different
   filters, because 64 filters share a word. With BLOOM_ATOMIC, bloom_slices_add
   and its variants may run at the same time as each other, bloom_slices_find
   and bloom_slices_count. */

#if !defined(BLOOM_VERSION) \
    || (defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_IMPLEMENTATION_DONE_)) \
    || (defined(BLOOM_ATOMIC) && !defined(BLOOM_ATOMIC_FROM_THE_START_))
#include "bloom.h"
#endif

#ifndef BLOOM_SLICES_H
#define BLOOM_SLICES_H

#if !defined(BLOOM_VERSION) || BLOOM_VERSION != 30000
#error "bloom_slices.h needs the bloom.h of its own version, but the compiler \
found another one first: copy the right one into the folder of bloom_slices.h"
#endif
/* BLOOM_NAMESPACE and BLOOM_ATOMIC: see "Names" in bloom.h. */
#ifdef BLOOM_NAMESPACE
#define bloom_slices BLOOM_NAME_(bloom_slices)
#endif
#ifdef BLOOM_NAME_
#define bloom_slices_add BLOOM_NAME_(bloom_slices_add)
#define bloom_slices_add_hash BLOOM_NAME_(bloom_slices_add_hash)
#define bloom_slices_add_u64 BLOOM_NAME_(bloom_slices_add_u64)
#define bloom_slices_clear BLOOM_NAME_(bloom_slices_clear)
#define bloom_slices_clear_filter BLOOM_NAME_(bloom_slices_clear_filter)
#define bloom_slices_copy BLOOM_NAME_(bloom_slices_copy)
#define bloom_slices_count BLOOM_NAME_(bloom_slices_count)
#define bloom_slices_create BLOOM_NAME_(bloom_slices_create)
#define bloom_slices_filters BLOOM_NAME_(bloom_slices_filters)
#define bloom_slices_find BLOOM_NAME_(bloom_slices_find)
#define bloom_slices_find_all BLOOM_NAME_(bloom_slices_find_all)
#define bloom_slices_find_hash BLOOM_NAME_(bloom_slices_find_hash)
#define bloom_slices_find_u64 BLOOM_NAME_(bloom_slices_find_u64)
#define bloom_slices_free BLOOM_NAME_(bloom_slices_free)
#define bloom_slices_get BLOOM_NAME_(bloom_slices_get)
#define bloom_slices_hash_key BLOOM_NAME_(bloom_slices_hash_key)
#define bloom_slices_hash_u64 BLOOM_NAME_(bloom_slices_hash_u64)
#define bloom_slices_image_size BLOOM_NAME_(bloom_slices_image_size)
#define bloom_slices_init BLOOM_NAME_(bloom_slices_init)
#define bloom_slices_new BLOOM_NAME_(bloom_slices_new)
#define bloom_slices_open BLOOM_NAME_(bloom_slices_open)
#define bloom_slices_plan_of BLOOM_NAME_(bloom_slices_plan_of)
#define bloom_slices_plan_size BLOOM_NAME_(bloom_slices_plan_size)
#define bloom_slices_put BLOOM_NAME_(bloom_slices_put)
#define bloom_slices_seal BLOOM_NAME_(bloom_slices_seal)
#define bloom_slices_size BLOOM_NAME_(bloom_slices_size)
#define bloom_slices_verify BLOOM_NAME_(bloom_slices_verify)
#define bloom_slices_view BLOOM_NAME_(bloom_slices_view)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define BLOOM_SLICES_HEADER_SIZE 64     /* bytes before the first row */

typedef struct bloom_slices bloom_slices;   /* the image; only by pointer */

/* ---- Making ------------------------------------------------------------- */
/* The size of the image in bytes: 64 + 8 * m * W, where m is plan.cells, and W
   is filters / 64, rounded up. It is 0 if filters is 0, if the plan is
   impossible or not classic, or if the size is too large for size_t.
   Static memory for 100 filters:
       static unsigned char memory[64 + 8 * BLOOM_CELLS(1000, 100) * 2]; */
BLOOM_API size_t bloom_slices_plan_size(bloom_plan plan, uint64_t filters);

#ifndef BLOOM_NO_MALLOC
/* These make empty filters. bloom_slices_new(n, p, filters) uses the plan
   bloom_plan_for(n, p). The result is NULL if bloom_slices_plan_size is 0 or
   memory is short. */
#ifndef BLOOM_NO_FLOAT
BLOOM_USE_RESULT_
BLOOM_API bloom_slices *bloom_slices_new(uint64_t n, double p,
                                         uint64_t filters);
#endif
BLOOM_USE_RESULT_
BLOOM_API bloom_slices *bloom_slices_create(bloom_plan plan, uint64_t filters);

/* Makes a copy with `filters` filters. If that is more than s has, the new ones
   are empty and come last. If it is fewer, the last ones are left out. A copy
   with the same number has the seal of s, others have none. The result is NULL
   if `filters` is 0, if the copy is too large, or if memory is short. */
BLOOM_USE_RESULT_
BLOOM_API bloom_slices *bloom_slices_copy(const bloom_slices *s,
                                          uint64_t filters);

/* Only for the result of these calls or of bloom_file_load, or NULL */
BLOOM_API void bloom_slices_free(bloom_slices *s);
#endif

/* Makes empty filters in your memory, as bloom_init makes one. */
BLOOM_USE_RESULT_
BLOOM_API bloom_slices *bloom_slices_init(void *memory, size_t size,
                                          bloom_plan plan, uint64_t filters);

/* These use the `size` bytes at image as slices, in place. Only the first 64
   bytes are checked, in constant time. The checks, in this order, are:
       BLOOM_TRUNCATED      image is NULL
       BLOOM_NOT_A_FILTER   the bytes do not begin with the letters BLS
       BLOOM_TRUNCATED      there are fewer than 64
       BLOOM_WRONG_VERSION  the format is not version 2
       BLOOM_BAD_HEADER     a field of the header is impossible
       the errors of bloom_view for the header of a filter, which comes next,
                            and BLOOM_BAD_HEADER if it is not classic, or if it
                            is sealed
       BLOOM_UNSUPPORTED    the size is too large for size_t
       BLOOM_TRUNCATED      there are fewer bytes than the image has */
BLOOM_USE_RESULT_
BLOOM_API bloom_slices *bloom_slices_open(void *image, size_t size,
                                          bloom_error *error);
BLOOM_USE_RESULT_
BLOOM_API const bloom_slices *bloom_slices_view(const void *image, size_t size,
                                                bloom_error *error);

/* The size of the image that begins with these 64 bytes. If they do not begin
   slices that this build can use, the result is 0 and *error is the reason.
   error may be NULL. */
BLOOM_API size_t bloom_slices_image_size(const void *head, bloom_error *error);

BLOOM_API size_t bloom_slices_size(const bloom_slices *s);
BLOOM_API bloom_plan bloom_slices_plan_of(const bloom_slices *s);
BLOOM_API uint64_t bloom_slices_filters(const bloom_slices *s);

/* As bloom_seal and bloom_verify */
BLOOM_API void bloom_slices_seal(bloom_slices *s);
BLOOM_API bloom_error bloom_slices_verify(const bloom_slices *s);

/* Removes all keys, or those of filter i. If there is no filter i, nothing
   changes. */
BLOOM_API void bloom_slices_clear(bloom_slices *s);
BLOOM_API void bloom_slices_clear_filter(bloom_slices *s, uint64_t i);

/* ---- Keys --------------------------------------------------------------- */
/* A key is bytes, an integer (_u64) or a hash (_hash), as in bloom.h. */

/* The hash of a key, for all filters of s: bloom_hash_key and bloom_hash_u64 of
   a filter of the same plan */
BLOOM_API bloom_hash bloom_slices_hash_key(const bloom_slices *s,
                                           const void *key, size_t size);
BLOOM_API bloom_hash bloom_slices_hash_u64(const bloom_slices *s, uint64_t key);

/* Adds a key to filter i. true: it was certainly not in that filter. false: it
   may have been in; or there is no filter i, and nothing was added. So make
   sure that i is below bloom_slices_filters(s). */
BLOOM_API bool bloom_slices_add(bloom_slices *s, uint64_t i, const void *key,
                                size_t size);
BLOOM_API bool bloom_slices_add_u64(bloom_slices *s, uint64_t i, uint64_t key);
BLOOM_API bool bloom_slices_add_hash(bloom_slices *s, uint64_t i, bloom_hash h);

/* Which filters may contain the key? Bit i % 64 of who[i / 64] is 1 if filter i
   may contain it, and 0 if it certainly does not. `who` has (filters + 63) / 64
   words, and is not NULL; in the last word, bits without a filter are 0.
   Returns how many filters may contain the key. */
BLOOM_API uint64_t bloom_slices_find(const bloom_slices *s, const void *key,
                                     size_t size, uint64_t *who);
BLOOM_API uint64_t bloom_slices_find_u64(const bloom_slices *s, uint64_t key,
                                         uint64_t *who);
BLOOM_API uint64_t bloom_slices_find_hash(const bloom_slices *s, bloom_hash h,
                                          uint64_t *who);

/* Which filters may contain all of `count` keys? If count is 0, all filters.
   It stops as soon as no filter is left. */
BLOOM_API uint64_t bloom_slices_find_all(const bloom_slices *s,
                                         const bloom_hash *hashes, size_t count,
                                         uint64_t *who);

/* Sets counts[i], for each filter i, to how many of the `count` keys it may
   contain. A key that is given twice counts twice. `count` must be below 2^32,
   or a count may wrap to 0. The call takes about 13 KB of stack (gcc 12 or
   clang 14, -O2, x86-64). In small builds (see __OPTIMIZE_SIZE__ in bloom.h),
   it takes 512 pointers and some more. */
BLOOM_API void bloom_slices_count(const bloom_slices *s,
                                  const bloom_hash *hashes, size_t count,
                                  uint32_t *counts);

/* ---- Whole filters ------------------------------------------------------ */
/* bloom_slices_put replaces filter i by a copy of b. bloom_slices_get makes b a
   copy of filter i: it then has, byte for byte, the image of a filter to which
   the same keys were added. If there is no filter i, or if the plan of b is not
   bloom_slices_plan_of(s), the result is false and nothing changes. */
BLOOM_USE_RESULT_
BLOOM_API bool bloom_slices_put(bloom_slices *s, uint64_t i, const bloom *b);
BLOOM_USE_RESULT_
BLOOM_API bool bloom_slices_get(const bloom_slices *s, uint64_t i, bloom *b);

#ifdef __cplusplus
}
#endif
#endif /* BLOOM_SLICES_H */

#if defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_SLICES_DONE_)
#define BLOOM_SLICES_DONE_
#if BLOOM_IN_ROM_
#error "bloom_slices.h: not in a file that defines BLOOM_READ_BYTE"
#endif
#ifdef __cplusplus
extern "C" {
#endif
BLOOM_HUSH_

/* ==== Code ==================================================================

    offset size  field of the header (numbers are little-endian)
       0     4   magic: 'B' 'L' 'S' and the format version, 2
       4     4   zero
       8     8   the number of filters, not 0
      16     8   zero
      24     8   seal; 0: not sealed
      32    32   the header of a classic filter of the plan, not sealed
      64         m rows of W = (filters + 63) / 64 words of eight bytes. Bit
                 i % 64 of word i / 64 of row c is cell c of filter i.

   Invariants: the header is valid, all rows follow it, and the size fits into
   size_t. Bits of a row that belong to no filter are 0 in images that are made
   here. bloom_slices_open does not check them, so no result depends on them. */

static inline const unsigned char *bloom_slices_const_bytes_(
    const bloom_slices *s)
{
    return (const unsigned char *)s;
}

static inline unsigned char *bloom_slices_bytes_(bloom_slices *s)
{
    return (unsigned char *)s;
}

/* ---- The header --------------------------------------------------------- */

BLOOM_API uint64_t bloom_slices_filters(const bloom_slices *s)
{
    return bloom_load64_(bloom_slices_const_bytes_(s) + 8);
}

/* The filter that begins at byte 32. It has a header, but its cells are not
   those of a filter. */
static inline const bloom *bloom_slices_filter_(const bloom_slices *s)
{
    const void *header = bloom_slices_const_bytes_(s) + 32;
    return (const bloom *)header;
}

BLOOM_API bloom_plan bloom_slices_plan_of(const bloom_slices *s)
{
    return bloom_plan_of(bloom_slices_filter_(s));
}

/* How many words a row of so many filters has */
static inline uint64_t bloom_slices_words_(uint64_t filters)
{
    return filters / 64 + (filters % 64 != 0);
}

/* How many words a row of s has. They fit into size_t, as all rows do. */
static inline size_t bloom_slices_row_words_(const bloom_slices *s)
{
    return (size_t)bloom_slices_words_(bloom_slices_filters(s));
}

/* The bits of the last word of a row that belong to filters */
static inline uint64_t bloom_slices_last_mask_(uint64_t filters)
{
    return UINT64_MAX >> (64 - filters % 64) % 64;
}

BLOOM_API size_t bloom_slices_plan_size(bloom_plan plan, uint64_t filters)
{
    const uint64_t words = bloom_slices_words_(filters);
    const uint64_t most = (SIZE_MAX - BLOOM_SLICES_HEADER_SIZE) / 8;
    if (filters == 0 || plan.layout != BLOOM_CLASSIC
        || bloom_plan_size(plan) == 0 || words > most / plan.cells)
        return 0;
    return BLOOM_SLICES_HEADER_SIZE + (size_t)(plan.cells * words) * 8;
}

BLOOM_API size_t bloom_slices_size(const bloom_slices *s)
{
    return bloom_slices_plan_size(bloom_slices_plan_of(s),
                                  bloom_slices_filters(s));
}

/* ---- Making ------------------------------------------------------------- */

/* Writes the header for a possible plan. The memory is zero. */
static inline void bloom_slices_write_header_(unsigned char *image,
                                              bloom_plan plan, uint64_t filters)
{
    image[0] = 'B';
    image[1] = 'L';
    image[2] = 'S';
    image[3] = 2;
    bloom_store64_(image + 8, filters);
    bloom_write_header_(image + 32, plan);
}

BLOOM_API bloom_slices *bloom_slices_init(void *memory, size_t size,
                                          bloom_plan plan, uint64_t filters)
{
    const size_t needed = bloom_slices_plan_size(plan, filters);
    unsigned char *image = (unsigned char *)memory;
    if (!memory || needed == 0 || needed > size)
        return NULL;
    BLOOM_ZERO_(image, needed);
    bloom_slices_write_header_(image, plan, filters);
    return (bloom_slices *)memory;
}

#ifndef BLOOM_NO_MALLOC
/* Rows of 64 bytes are faster in one cache line than in two, so the image
   begins at a multiple of 64. */
BLOOM_API bloom_slices *bloom_slices_create(bloom_plan plan, uint64_t filters)
{
    unsigned char *image = bloom_allocate_(
        bloom_slices_plan_size(plan, filters), 64);
    if (image)
        bloom_slices_write_header_(image, plan, filters);
    return (bloom_slices *)(void *)image;
}

#ifndef BLOOM_NO_FLOAT
BLOOM_API bloom_slices *bloom_slices_new(uint64_t n, double p, uint64_t filters)
{
    return bloom_slices_create(bloom_plan_for(n, p), filters);
}
#endif

BLOOM_API bloom_slices *bloom_slices_copy(const bloom_slices *s,
                                          uint64_t filters)
{
    const bloom_plan plan = bloom_slices_plan_of(s);
    const uint64_t old = bloom_slices_filters(s);
    const uint64_t both = old < filters ? old : filters;
    const size_t from_row = bloom_slices_row_words_(s) * 8;
    const unsigned char *from = bloom_slices_const_bytes_(s);
    bloom_slices *copy = bloom_slices_create(plan, filters);
    unsigned char *to = bloom_slices_bytes_(copy), *last;
    size_t to_row, some;
    uint64_t row;
    if (!copy)
        return NULL;
    if (old == filters) {
        bloom_copy_bytes_(to, from, bloom_slices_size(s));
        return copy;
    }
    to_row = bloom_slices_row_words_(copy) * 8;
    some = (size_t)bloom_slices_words_(both) * 8;
    from += BLOOM_SLICES_HEADER_SIZE;
    to += BLOOM_SLICES_HEADER_SIZE;
    for (row = 0; row < plan.cells; row++, from += from_row, to += to_row) {
        bloom_copy_bytes_(to, from, some);
        last = to + some - 8;
        bloom_store64_(last, bloom_load64_(last)
                                  & bloom_slices_last_mask_(both));
    }
    return copy;
}

BLOOM_API void bloom_slices_free(bloom_slices *s)
{
    bloom_free((bloom *)(void *)s);
}
#endif

/* ---- The rows of a key ------------------------------------------------------
   A key has one row for each cell of its walk: see "The walk" in bloom.h. */

typedef struct bloom_slices_walk_ {
    const unsigned char *rows;          /* row 0 */
    size_t row_bytes;
    unsigned k;
    bloom_walk_ cells;
} bloom_slices_walk_;

static inline bloom_slices_walk_ bloom_slices_walk_of_(const bloom_slices *s,
                                                       bloom_hash h)
{
    const unsigned char *image = bloom_slices_const_bytes_(s);
    const bloom_slices_walk_ walk = {
        image + BLOOM_SLICES_HEADER_SIZE, bloom_slices_row_words_(s) * 8,
        image[38], bloom_walk_of_(image + 32, bloom_halves_of_(h))
    };
    return walk;
}

/* Where the row of the next cell begins, in bytes from row 0 on */
static inline size_t bloom_slices_next_row_(bloom_slices_walk_ *walk)
{
    return (size_t)bloom_next_cell_(&walk->cells) * walk->row_bytes;
}

static inline const unsigned char *bloom_slices_next_(bloom_slices_walk_ *walk)
{
    return walk->rows + bloom_slices_next_row_(walk);
}

/* ---- One key ------------------------------------------------------------ */

BLOOM_API bloom_hash bloom_slices_hash_key(const bloom_slices *s,
                                           const void *key, size_t size)
{
    return bloom_hash_key(bloom_slices_filter_(s), key, size);
}

BLOOM_API bloom_hash bloom_slices_hash_u64(const bloom_slices *s, uint64_t key)
{
    return bloom_hash_u64(bloom_slices_filter_(s), key);
}

BLOOM_API bool bloom_slices_add_hash(bloom_slices *s, uint64_t i, bloom_hash h)
{
    bloom_slices_walk_ walk = bloom_slices_walk_of_(s, h);
    unsigned char *words = bloom_slices_bytes_(s) + BLOOM_SLICES_HEADER_SIZE;
    unsigned set = 1;
    if (i >= bloom_slices_filters(s))
        return false;
    words += (size_t)(i / 64) * 8;
    bloom_unseal_(bloom_slices_bytes_(s));
    for (; walk.k > 0; walk.k--)
        set &= bloom_probe_bit_(words + bloom_slices_next_row_(&walk), i % 64,
                                true);
    return !(set & 1);
}

BLOOM_API bool bloom_slices_add(bloom_slices *s, uint64_t i, const void *key,
                                size_t size)
{
    return bloom_slices_add_hash(s, i, bloom_slices_hash_key(s, key, size));
}

BLOOM_API bool bloom_slices_add_u64(bloom_slices *s, uint64_t i, uint64_t key)
{
    return bloom_slices_add_hash(s, i, bloom_slices_hash_u64(s, key));
}

/* ---- Kernels ----------------------------------------------------------------
   A kernel works on one word of some rows, or on a few vectors of words. Rows
   are done in the largest pieces that fit, and what is left, in smaller ones.
   The macros define each kernel for words and for vectors. */

#if defined(__GNUC__) && !defined(BLOOM_NO_SIMD) && !defined(BLOOM_TINY) \
    && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#if defined(__AVX512F__)
#define BLOOM_SLICES_VECTOR_SIZE_ 64
#elif defined(__AVX2__)
#define BLOOM_SLICES_VECTOR_SIZE_ 32
#elif defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__)
#define BLOOM_SLICES_VECTOR_SIZE_ 16
#endif
#endif

/* With BLOOM_ATOMIC, threads may set bits of a row while others read it. A
   vector may then have some of these bits and not others, which is harmless, as
   no bit depends on another. So it need not be read in one piece, but each call
   must read it again, hence volatile. C calls that a data race. GCC and Clang,
   which BLOOM_ATOMIC needs, compile it as it is meant. */
#ifdef BLOOM_ATOMIC
#define BLOOM_SLICES_RACY_ __attribute__((no_sanitize_thread)) static inline
#else
#define BLOOM_SLICES_RACY_ static inline
#endif
#ifdef BLOOM_SLICES_VECTOR_SIZE_
typedef uint64_t bloom_slices_vector_
    __attribute__((vector_size(BLOOM_SLICES_VECTOR_SIZE_)));
typedef bloom_slices_vector_ bloom_slices_unaligned_
    __attribute__((aligned(1), may_alias));
#define BLOOM_SLICES_VECTOR_(p) (*(const BLOOM_VOLATILE_ \
    bloom_slices_unaligned_ *)(const void *)(p))
#endif

/* Sets who[0..] to the AND of the rows of a key, from their byte `at` on. If
   `first` is false, the old who[0..] is included. The kernel does n of the type
   `word`. Returns how many bits are 1. */
#define BLOOM_SLICES_FIND_KERNEL_(name, word, n, load, put) \
BLOOM_SLICES_RACY_ unsigned name(bloom_slices_walk_ walk, size_t at, \
                                 bool first, uint64_t *who) \
{ \
    const unsigned char *row = bloom_slices_next_(&walk) + at; \
    put *to = (put *)(void *)who; \
    word all[n]; \
    unsigned i, ones = 0; \
    for (i = 0; i < n; i++) \
        all[i] = load(row + i * sizeof(word)); \
    while (--walk.k > 0) { \
        row = bloom_slices_next_(&walk) + at; \
        for (i = 0; i < n; i++) \
            all[i] &= load(row + i * sizeof(word)); \
    } \
    for (i = 0; i < n; i++) { \
        if (!first) \
            all[i] &= to[i]; \
        to[i] = all[i]; \
    } \
    for (i = 0; i < n * (sizeof(word) / 8); i++) \
        ones += bloom_popcount_(who[i]); \
    return ones; \
}

/* Eight keys, of which each has k rows: row[8 * i + j] is row i of key j. The
   rows of a key are combined by AND. Then the kernel counts for each bit in how
   many keys it is set, and adds that to the number which the eight planes hold,
   up to 255: a bit of plane p counts 2^p. Numbers are added by carry-save
   adders: SUM adds the bits of a and b to those of `low`, and makes `high` of
   the carries. */
#define BLOOM_SLICES_SUM_(high, low, a, b) \
    do { \
        t = low ^ (a); \
        high = (low & (a)) | (t & (b)); \
        low = t ^ (b); \
    } while (0)
#define BLOOM_SLICES_COUNT_KERNEL_(name, word, load, put) \
BLOOM_SLICES_RACY_ void name(const unsigned char *const *row, unsigned k, \
                             size_t at, uint64_t *planes) \
{ \
    put *plane = (put *)(void *)planes; \
    const size_t next = BLOOM_SLICES_COLUMNS_ * 8 / sizeof(word); \
    word v[8], t, a, b, twos, fours; \
    word one = plane[0], two = plane[next], four = plane[2 * next]; \
    unsigned i, j; \
    for (j = 0; j < 8; j++) \
        v[j] = load(row[j] + at); \
    for (i = 1; i < k; i++) \
        for (j = 0, row += 8; j < 8; j++) \
            v[j] &= load(row[j] + at); \
    BLOOM_SLICES_SUM_(a, one, v[0], v[1]); \
    BLOOM_SLICES_SUM_(b, one, v[2], v[3]); \
    BLOOM_SLICES_SUM_(twos, two, a, b); \
    BLOOM_SLICES_SUM_(a, one, v[4], v[5]); \
    BLOOM_SLICES_SUM_(b, one, v[6], v[7]); \
    BLOOM_SLICES_SUM_(fours, two, a, b); \
    BLOOM_SLICES_SUM_(a, four, twos, fours); \
    plane[0] = one; \
    plane[next] = two; \
    plane[2 * next] = four; \
    for (i = 3; i < 8; i++) { \
        b = plane[i * next] & a; \
        plane[i * next] ^= a; \
        a = b; \
    } \
}

/* How many words of a row are counted at a time. Chips have little stack. */
#ifdef BLOOM_SMALL_
#define BLOOM_SLICES_COLUMNS_ 1U
#else
#define BLOOM_SLICES_COLUMNS_ 128U
#endif

BLOOM_SLICES_FIND_KERNEL_(bloom_slices_find_word_, uint64_t, 1,
                          bloom_load_word_, uint64_t)
BLOOM_SLICES_FIND_KERNEL_(bloom_slices_find_words_, uint64_t, 2,
                          bloom_load_word_, uint64_t)
BLOOM_SLICES_COUNT_KERNEL_(bloom_slices_count_word_, uint64_t,
                           bloom_load_word_, uint64_t)
#ifdef BLOOM_SLICES_VECTOR_SIZE_
BLOOM_SLICES_FIND_KERNEL_(bloom_slices_find_vector_, bloom_slices_vector_, 1,
                          BLOOM_SLICES_VECTOR_, bloom_slices_unaligned_)
BLOOM_SLICES_FIND_KERNEL_(bloom_slices_find_vectors_, bloom_slices_vector_, 4,
                          BLOOM_SLICES_VECTOR_, bloom_slices_unaligned_)
BLOOM_SLICES_COUNT_KERNEL_(bloom_slices_count_vector_, bloom_slices_vector_,
                           BLOOM_SLICES_VECTOR_, bloom_slices_unaligned_)
#endif

/* ---- Which filters? ----------------------------------------------------- */

/* Sets `who` to the filters that may contain a key. If `first` is false, it
   keeps only those that were in it before. Returns how many. */
static inline uint64_t bloom_slices_find_wide_(const bloom_slices *s,
                                                      bloom_hash h, bool first,
                                                      uint64_t *who)
{
    const bloom_slices_walk_ walk = bloom_slices_walk_of_(s, h);
    const size_t words = walk.row_bytes / 8;
    uint64_t found = 0, others;
    size_t i = 0;
#ifdef BLOOM_SLICES_VECTOR_SIZE_
    const size_t lanes = BLOOM_SLICES_VECTOR_SIZE_ / 8;
    for (; i + 4 * lanes <= words; i += 4 * lanes)
        found += bloom_slices_find_vectors_(walk, i * 8, first, who + i);
    for (; i + lanes <= words; i += lanes)
        found += bloom_slices_find_vector_(walk, i * 8, first, who + i);
#endif
    for (; i + 2 <= words; i += 2)
        found += bloom_slices_find_words_(walk, i * 8, first, who + i);
    for (; i < words; i++)
        found += bloom_slices_find_word_(walk, i * 8, first, who + i);
    others = who[words - 1] & ~bloom_slices_last_mask_(bloom_slices_filters(s));
    if (others == 0)                    /* unless the image is damaged */
        return found;
    who[words - 1] ^= others;
    return found - bloom_popcount_(others);
}

static inline uint64_t bloom_slices_find_(const bloom_slices *s,
                                                 bloom_hash h, bool first,
                                                 uint64_t *who)
{
    const uint64_t filters = bloom_slices_filters(s);
    if (filters > 64)
        return bloom_slices_find_wide_(s, h, first, who);
    bloom_slices_find_word_(bloom_slices_walk_of_(s, h), 0, first, who);
    *who &= bloom_slices_last_mask_(filters);
    return bloom_popcount_(*who);
}

BLOOM_API uint64_t bloom_slices_find_hash(const bloom_slices *s, bloom_hash h,
                                          uint64_t *who)
{
    return bloom_slices_find_(s, h, true, who);
}

BLOOM_API uint64_t bloom_slices_find(const bloom_slices *s, const void *key,
                                     size_t size, uint64_t *who)
{
    return bloom_slices_find_hash(s, bloom_slices_hash_key(s, key, size), who);
}

BLOOM_API uint64_t bloom_slices_find_u64(const bloom_slices *s, uint64_t key,
                                         uint64_t *who)
{
    return bloom_slices_find_hash(s, bloom_slices_hash_u64(s, key), who);
}

BLOOM_API uint64_t bloom_slices_find_all(const bloom_slices *s,
                                         const bloom_hash *hashes, size_t count,
                                         uint64_t *who)
{
    const size_t words = bloom_slices_row_words_(s);
    uint64_t found = bloom_slices_filters(s);
    size_t i;
    for (i = 0; count == 0 && i < words; i++)
        who[i] = i < words - 1 ? UINT64_MAX : bloom_slices_last_mask_(found);
    for (i = 0; i < count && found > 0; i++)
        found = bloom_slices_find_(s, hashes[i], i == 0, who);
    return found;
}

/* ---- How many keys? ----------------------------------------------------- */

/* Adds the numbers in one word of each of the planes to `some` counts, up to
   64. At first, bit i of x[p] counts 2^p for filter i. The loops exchange bits
   between words: byte b of x[q] becomes the number for filter 8 * b + q. This
   transposes blocks of 8 * 8 bits (Warren, Hacker's Delight, 7-3). */
static inline void bloom_slices_add_planes_(const uint64_t *planes,
                                            uint32_t *counts, unsigned some)
{
    static const uint64_t mask[3] = { 0x5555555555555555U, 0x3333333333333333U,
                                      0x0F0F0F0F0F0F0F0FU };
    uint64_t x[8], t;
    unsigned i, j, d;
    for (i = 0; i < 8; i++)
        x[i] = planes[i * BLOOM_SLICES_COLUMNS_];
    for (j = 0; j < 3; j++)
        for (i = 0, d = 1U << j; i < 8; i++)
            if (!(i & d)) {
                t = ((x[i] >> d) ^ x[i + d]) & mask[j];
                x[i + d] ^= t;
                x[i] ^= t << d;
            }
    for (j = 0; j < some / 8; j++)
        for (i = 0; i < 8; i++)
            counts[8 * j + i] += (uint32_t)(x[i] >> 8 * j & 255);
    for (i = 0; i < some % 8; i++)
        counts[8 * j + i] += (uint32_t)(x[i] >> 8 * j & 255);
}

/* Counts at most 255 keys, as the planes can, for the filters of `words` words
   from word `from` on. There are at most COLUMNS words. */
static inline void bloom_slices_count_some_(
    const bloom_slices *s, const bloom_hash *hashes, size_t count, size_t from,
    size_t words, uint32_t *counts)
{
    static const unsigned char none[BLOOM_SLICES_COLUMNS_ * 8] = { 0 };
    uint64_t planes[8 * BLOOM_SLICES_COLUMNS_];
    const unsigned char *row[8 * 64];
    const unsigned k = bloom_slices_plan_of(s).hashes;
    uint64_t filters = bloom_slices_filters(s) - from * 64;
    size_t i, j;
    for (i = 0; i < 8 * BLOOM_SLICES_COLUMNS_; i++)
        planes[i] = 0;
    for (i = 0; i < count; i += 8) {
        for (j = 0; j < 8; j++) {
            unsigned r;
            bloom_slices_walk_ walk;
            if (i + j < count)
                walk = bloom_slices_walk_of_(s, hashes[i + j]);
            for (r = 0; r < k; r++)
                row[8 * r + j] = i + j < count
                    ? bloom_slices_next_(&walk) + from * 8 : none;
        }
        j = 0;
#ifdef BLOOM_SLICES_VECTOR_SIZE_
        for (; j + BLOOM_SLICES_VECTOR_SIZE_ / 8 <= words;
             j += BLOOM_SLICES_VECTOR_SIZE_ / 8)
            bloom_slices_count_vector_(row, k, j * 8, planes + j);
#endif
        for (; j < words; j++)
            bloom_slices_count_word_(row, k, j * 8, planes + j);
    }
    for (j = 0; j < words; j++, filters -= 64)
        bloom_slices_add_planes_(planes + j, counts + j * 64,
                                 filters < 64 ? (unsigned)filters : 64);
}

BLOOM_API void bloom_slices_count(const bloom_slices *s,
                                  const bloom_hash *hashes, size_t count,
                                  uint32_t *counts)
{
    const size_t words = bloom_slices_row_words_(s);
    const uint64_t filters = bloom_slices_filters(s);
    size_t i, j, some, wide;
    for (i = 0; i < filters; i++)
        counts[i] = 0;
    for (i = 0; i < words; i += wide) {
        wide = words - i < BLOOM_SLICES_COLUMNS_ ? words - i
                                                 : BLOOM_SLICES_COLUMNS_;
        for (j = 0; j < count; j += some) {
            some = count - j < 255 ? count - j : 255;
            bloom_slices_count_some_(s, hashes + j, some, i, wide,
                                     counts + i * 64);
        }
    }
}

/* ---- Whole filters ------------------------------------------------------ */

BLOOM_API void bloom_slices_clear(bloom_slices *s)
{
    bloom_unseal_(bloom_slices_bytes_(s));
    BLOOM_ZERO_(bloom_slices_bytes_(s) + BLOOM_SLICES_HEADER_SIZE,
                       bloom_slices_size(s) - BLOOM_SLICES_HEADER_SIZE);
}

BLOOM_API void bloom_slices_clear_filter(bloom_slices *s, uint64_t i)
{
    const size_t row = bloom_slices_row_words_(s) * 8;
    const unsigned char others = (unsigned char)(255 - (1U << i % 8));
    unsigned char *rows = bloom_slices_bytes_(s) + BLOOM_SLICES_HEADER_SIZE;
    size_t m = (size_t)bloom_slices_plan_of(s).cells;
    if (i >= bloom_slices_filters(s))
        return;
    bloom_unseal_(bloom_slices_bytes_(s));
    rows += (size_t)(i / 8);
    while (m-- > 0)
        rows[m * row] &= others;
}

BLOOM_API bool bloom_slices_put(bloom_slices *s, uint64_t i, const bloom *b)
{
    const size_t row = bloom_slices_row_words_(s) * 8;
    const void *image = b;
    const unsigned char *cells = (const unsigned char *)image
                               + BLOOM_HEADER_SIZE;
    const bloom_plan plan = bloom_slices_plan_of(s);
    unsigned char *rows = bloom_slices_bytes_(s) + BLOOM_SLICES_HEADER_SIZE;
    size_t c;
    if (i >= bloom_slices_filters(s)
        || !bloom_same_plan_(plan, bloom_plan_of(b)))
        return false;
    bloom_unseal_(bloom_slices_bytes_(s));
    rows += (size_t)(i / 8);
    for (c = 0; c < plan.cells; c++) {
        const unsigned bit = cells[c / 8] >> c % 8 & 1;
        unsigned char *at = rows + c * row;
        *at = (unsigned char)((*at & ~(1U << i % 8)) | bit << i % 8);
    }
    return true;
}

BLOOM_API bool bloom_slices_get(const bloom_slices *s, uint64_t i, bloom *b)
{
    const size_t row = bloom_slices_row_words_(s) * 8;
    void *image = b;
    unsigned char *cells = (unsigned char *)image + BLOOM_HEADER_SIZE;
    const bloom_plan plan = bloom_slices_plan_of(s);
    const unsigned char *rows = bloom_slices_const_bytes_(s)
                              + BLOOM_SLICES_HEADER_SIZE;
    size_t c;
    if (i >= bloom_slices_filters(s)
        || !bloom_same_plan_(plan, bloom_plan_of(b)))
        return false;
    bloom_clear(b);
    rows += (size_t)(i / 8);
    for (c = 0; c < plan.cells; c++) {
        const unsigned bit = rows[c * row] >> i % 8 & 1;
        cells[c / 8] |= (unsigned char)(bit << c % 8);
    }
    return true;
}

/* ---- The image ---------------------------------------------------------- */

/* The seal, never 0: the hash of all bytes from 32 on, by a filter whose seed
   is the hash of bytes 0 to 23. */
static inline uint64_t bloom_slices_checksum_(const bloom_slices *s)
{
    const unsigned char *image = bloom_slices_const_bytes_(s);
    unsigned char memory[BLOOM_HEADER_SIZE + 8];
    bloom_plan plan = { 64, 0, 1, BLOOM_CLASSIC, 0 };
    uint64_t sum;
    plan.hash_bits = bloom_slices_plan_of(s).hash_bits;
    plan.seed = bloom_hash_key(bloom_init(memory, sizeof memory, plan),
                               image, 24).h1;
    sum = bloom_hash_key(bloom_init(memory, sizeof memory, plan),
                         image + 32, bloom_slices_size(s) - 32).h1;
    return sum + (sum == 0);
}

BLOOM_API void bloom_slices_seal(bloom_slices *s)
{
    bloom_store64_(bloom_slices_bytes_(s) + 24, bloom_slices_checksum_(s));
}

BLOOM_API bloom_error bloom_slices_verify(const bloom_slices *s)
{
    const uint64_t seal =
        bloom_load64_(bloom_slices_const_bytes_(s) + 24);
    return seal == 0 ? BLOOM_UNSEALED
         : seal == bloom_slices_checksum_(s) ? BLOOM_OK : BLOOM_CORRUPT;
}

/* What is wrong with the first 64 of `size` bytes, or BLOOM_OK */
static inline bloom_error bloom_slices_check_(const unsigned char *head,
                                              size_t size)
{
    static const unsigned char magic[4] = { 'B', 'L', 'S', 2 };
    bloom_error error = BLOOM_OK;
    const bloom *b;
    size_t i;
    if (!head)
        return BLOOM_TRUNCATED;
    for (i = 0; i < 3 && i < size; i++)
        if (head[i] != magic[i])
            return BLOOM_NOT_A_FILTER;
    if (size < BLOOM_SLICES_HEADER_SIZE)
        return BLOOM_TRUNCATED;
    if (head[3] != magic[3])
        return BLOOM_WRONG_VERSION;
    for (i = 0; i < 4; i++)
        if (head[4 + i])
            return BLOOM_BAD_HEADER;
    if (bloom_load64_(head + 8) == 0 || bloom_load64_(head + 16))
        return BLOOM_BAD_HEADER;
    if (bloom_image_size(head + 32, &error) == 0)
        return error;
    b = (const bloom *)(const void *)(head + 32);
    return bloom_plan_of(b).layout != BLOOM_CLASSIC
           || bloom_load64_(head + 56) ? BLOOM_BAD_HEADER
         : bloom_slices_size((const bloom_slices *)(const void *)head) == 0
           ? BLOOM_UNSUPPORTED : BLOOM_OK;
}

BLOOM_API size_t bloom_slices_image_size(const void *head, bloom_error *error)
{
    const bloom_error found = bloom_slices_check_(
        (const unsigned char *)head, BLOOM_SLICES_HEADER_SIZE);
    if (error)
        *error = found;
    return found == BLOOM_OK ? bloom_slices_size((const bloom_slices *)head)
                             : 0;
}

BLOOM_API const bloom_slices *bloom_slices_view(const void *image, size_t size,
                                                bloom_error *error)
{
    const bloom_slices *s = (const bloom_slices *)image;
    bloom_error found = bloom_slices_check_((const unsigned char *)image, size);
    if (found == BLOOM_OK && bloom_slices_size(s) > size)
        found = BLOOM_TRUNCATED;
    if (error)
        *error = found;
    return found == BLOOM_OK ? s : NULL;
}

BLOOM_API bloom_slices *bloom_slices_open(void *image, size_t size,
                                          bloom_error *error)
{
    bloom_slices *s = (bloom_slices *)image;
    return bloom_slices_view(image, size, error) ? s : NULL;
}

BLOOM_END_HUSH_
#ifdef __cplusplus
}
#endif
#endif /* BLOOM_IMPLEMENTATION */
