/* Shared by the fuzz targets of bloom.h and its companions: each is a file
   fuzz_NAME.c of this folder that includes this one and defines run_one. They
   test that no bytes and no numbers make bloom.h or a companion crash, and that
   what is accepted works correctly. run.sh finds them, and tells what a target
   may say in its first comment. (Targets of examples are in examples/NAME/tests/
   and use main.h only.) To build and run one by hand, in a folder INPUTS that
   unpack.sh has filled from its seeds:

   Seeds:        sh tests/fuzz/unpack.sh tests/fuzz/fuzz_image.txt INPUTS
   libFuzzer:    clang -I. -fsanitize=fuzzer,address,undefined
                 tests/fuzz/fuzz_image.c -o fuzz && ./fuzz INPUTS
   plain files:  cc -I. -DFUZZ_MAIN tests/fuzz/fuzz_image.c -o fuzz
                 && find INPUTS -type f -exec ./fuzz {} +
   AFL++:        afl-clang-fast -I. -DFUZZ_MAIN tests/fuzz/fuzz_image.c -o fuzz
                 && afl-fuzz -i INPUTS -o found ./fuzz @@

   Targets use only public names of bloom.h. The oracle is the model below,
   which computes the contents of filters anew, cell by cell, from the formulas
   of the format. */

#ifndef FUZZ_H
#define FUZZ_H

#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#define _FILE_OFFSET_BITS 64
#ifdef FUZZ_SCARCE          /* the target defines these, to refuse memory */
#include <stddef.h>
static void *scarce_malloc(size_t size);
static void scarce_free(void *old);
#define BLOOM_MALLOC(size) scarce_malloc(size)
#define BLOOM_FREE(old) scarce_free(old)
#endif
#define BLOOM_STATIC
#include "bloom.h"
#include "main.h"

/* QUIET is for functions that only check. clang does not instrument them, as
   their paths tell the fuzzer nothing, and instrumentation would take half of
   its time. gcc, which builds the 32-bit program, does instrument them. */
#ifdef __clang__
#define QUIET __attribute__((no_sanitize("coverage", "address", "undefined"))) \
    static inline
#else
#define QUIET static inline
#endif

/* ---- The input, as numbers ----------------------------------------------- */

typedef struct input { const unsigned char *at, *end; } input;

static inline unsigned byte_of(input *in)       /* 0 at the end */
{
    return in->at < in->end ? *in->at++ : 0;
}

static inline uint64_t number_of(input *in, unsigned bytes)
{
    uint64_t number = 0;
    unsigned i;
    for (i = 0; i < bytes; i++)
        number |= (uint64_t)byte_of(in) << 8 * i;
    return number;
}

/* Each target defines what it does with an input. */
static void run_one(input in);

/* ---- A second, simple implementation of the format ----------------------- */

QUIET uint64_t little_endian(const unsigned char *from)
{
    uint64_t number = 0;
    unsigned i = 8;
    while (i-- > 0)
        number = number << 8 | from[i];
    return number;
}

QUIET uint64_t bytes_for(bloom_plan plan)
{
    return 32 + plan.cells / (plan.layout == BLOOM_COUNTING ? 2 : 8);
}

QUIET bloom_plan plan_in(const unsigned char *image)
{
    bloom_plan plan;
    plan.layout = image[4];
    plan.hash_bits = image[5];
    plan.hashes = image[6];
    plan.cells = little_endian(image + 8);
    plan.seed = little_endian(image + 16);
    return plan;
}

/* Is the plan within the limits of the format? */
QUIET bool is_possible(bloom_plan plan)
{
    bool blocked = plan.layout == BLOOM_BLOCKED;
    if (plan.cells == 0 || plan.cells % (blocked ? 256 : 64) != 0)
        return false;
    if (plan.hashes < 1 || plan.hashes > 64)
        return false;
    if (blocked && (plan.hashes % 8 != 0 || plan.cells >= (uint64_t)1 << 40
                    || plan.hash_bits != 64))
        return false;
    return plan.hash_bits == 64
        || (plan.hash_bits == 32 && plan.cells <= 0xFFFFFFFFU && !blocked);
}

/* What bloom_plan_size must return */
QUIET size_t right_size(bloom_plan plan)
{
    if (plan.layout > BLOOM_COUNTING || !is_possible(plan)
        || bytes_for(plan) > SIZE_MAX)
        return 0;
    return (size_t)bytes_for(plan);
}

/* The error that bloom_open must report for these bytes */
QUIET bloom_error verdict(const unsigned char *image, size_t size)
{
    if (memcmp(image, "BLM", size < 3 ? size : 3) != 0)
        return BLOOM_NOT_A_FILTER;
    if (size < 32)
        return BLOOM_TRUNCATED;
    if (image[3] != 2)
        return BLOOM_WRONG_VERSION;
    if (image[7] != 0 || !is_possible(plan_in(image)))
        return BLOOM_BAD_HEADER;
    if (image[4] > BLOOM_COUNTING || bytes_for(plan_in(image)) > SIZE_MAX)
        return BLOOM_UNSUPPORTED;
    return bytes_for(plan_in(image)) > size ? BLOOM_TRUNCATED : BLOOM_OK;
}

/* The check byte of a chain's head */
QUIET unsigned char check_of(const unsigned char *image)
{
    unsigned sum = 0, i;
    for (i = 0; i < 32; i++)
        sum += i == 7 ? 0 : (2 * i + 1) * image[i];
    return (unsigned char)(sum & 255);
}

/* The error that bloom_chain_load must report for these bytes, if there is
   enough memory */
QUIET bloom_error chain_verdict(const unsigned char *image, size_t size)
{
    uint64_t bits;
    bloom_error error;
    size_t at = 32, last = 32;
    unsigned links;
    double p;
    if (size < 32)
        return BLOOM_TRUNCATED;
    if (memcmp(image, "BLC", 3) != 0)
        return BLOOM_NOT_A_FILTER;
    if (image[3] != 2)
        return BLOOM_WRONG_VERSION;
    bits = little_endian(image + 16);
    memcpy(&p, &bits, sizeof p);
    if (image[4] > 1 || image[5] != 64 || image[6] < 1 || image[6] > 64
        || little_endian(image + 8) == 0 || !(p > 0 && p < 1))
        return BLOOM_BAD_HEADER;
    if (image[7] != check_of(image))
        return BLOOM_CORRUPT;
    for (links = image[6]; links > 0; links--) {
        error = verdict(image + at, size - at);
        if (error != BLOOM_OK)
            return error;
        if (memcmp(image + at + 4, image + 4, 2) != 0
            || memcmp(image + at + 16, image + 32 + 16, 8) != 0)
            return BLOOM_BAD_HEADER;
        last = at;
        at += (size_t)bytes_for(plan_in(image + at));
    }
    if (size - at < 3 || memcmp(image + at, "BLM", 3) != 0)
        return BLOOM_OK;
    if (little_endian(image + last + 24) != 0)      /* sealed */
        return BLOOM_BAD_HEADER;
    for (at += 32; at < size; at++)     /* a link to come has no key */
        if (image[at] != 0)
            return BLOOM_BAD_HEADER;
    return BLOOM_OK;
}

/* Cell i of an image: a bit or a counter */
QUIET unsigned cell_in(const unsigned char *image, uint64_t i)
{
    const unsigned char *cells = image + 32;
    if (image[4] == BLOOM_COUNTING)
        return i % 2 ? cells[i / 2] / 16 : cells[i / 2] % 16;
    return cells[i / 8] >> i % 8 & 1;
}

/* x * m / 2^64, rounded down, by long multiplication from the last digit of x
   to the first. The digits are bytes. If the product of a byte and m could
   exceed 64 bits, they are single bits, and a carry out of the sum is added by
   hand. */
QUIET uint64_t share_of(uint64_t m, uint64_t x)
{
    uint64_t share = 0, sum;
    unsigned i;
    if (m >> 56 == 0) {
        for (i = 0; i < 64; i += 8)
            share = (share + (x >> i & 255) * m) >> 8;
        return share;
    }
    for (i = 0; i < 64; i++) {
        sum = share + (x >> i & 1 ? m : 0);
        share = sum / 2 + (sum < share ? (uint64_t)1 << 63 : 0);
    }
    return share;
}

/* The cells of a key */
QUIET void model_probes(bloom_plan plan, bloom_hash h, uint64_t *index)
{
    static const uint32_t salt[8] = {
        0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
        0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31 };
    const uint64_t low = 0xFFFFFFFF;
    const bool blocked = plan.layout == BLOOM_BLOCKED;
    uint64_t x = h.h1, y = h.h2;
    unsigned i, word;
    if (plan.hash_bits == 32)
        y &= ~low;
    for (i = 0; i < plan.hashes; i += blocked ? 8 : 1) {
        uint64_t whole = plan.cells >> 34 ? x : x & ~low;
        for (word = 0; blocked && word < 8; word++)
            index[i + word] = share_of(plan.cells / 256, whole) * 256
                + word * 32 + ((x & low) * salt[word] & low) / (1 << 27);
        if (!blocked)
            index[i] = share_of(plan.cells, x);
        x += y;
        y *= 0xD1342543DE82EF95U;
    }
}

/* ---- Memory that ends where the image does -------------------------------
   AddressSanitizer reports accesses outside the image: from its end on, and
   before its beginning, except for up to 7 bytes, as the tool has a granularity
   of 8 bytes. */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(WITH_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at))
#endif

enum { MOST = 1 << 13, EDGE = 64 };

typedef struct yard {
    uint64_t aligned;
    unsigned char bytes[EDGE + 16 + MOST + EDGE];
    unsigned char *end;
} yard;

/* `size` bytes at an address that is `shift` modulo 16 */
QUIET unsigned char *place(yard *r, unsigned shift, size_t size)
{
    unsigned char *at = r->bytes + EDGE + shift % 16;
    must(size <= MOST);
    if (r->end)
        ASAN_UNPOISON_MEMORY_REGION(r->end, EDGE);
    ASAN_UNPOISON_MEMORY_REGION(r->bytes + EDGE, 16);
    ASAN_POISON_MEMORY_REGION(r->bytes, EDGE + shift % 16 / 8 * 8);
    r->end = at + size;
    ASAN_POISON_MEMORY_REGION(r->end, EDGE);
    return at;
}

/* ---- Entry point --------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char none[1] = { 0 };
    input in;
    in.at = size ? data : none;
    in.end = in.at + size;
    run_one(in);
    return 0;
}

#endif
