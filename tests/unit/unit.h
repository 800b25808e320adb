/* Shared by the parts of all.c: the included headers, random keys, plans, and
   look(), which views a filter in RAM or in flash. */
#ifndef UNIT_H
#define UNIT_H

#include "hooks.h"
#include "check.h"
#include "../random.h"
#include "guarded.h"
#include "../headers.h"
#include "../headers.h"     /* twice on purpose */
#include "../layouts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TEST_MALLOC
#include <setjmp.h>
/* Blocks that are allocated now; calls of count_malloc so far; the number of
   the call that gets NULL */
static int held, requests, refused = -1;
static jmp_buf at_null;
unsigned long assertions;
void not_true(void)
{
    longjmp(at_null, 1);
}
void *count_malloc(size_t size)
{
    void *block = requests++ != refused && size < 250000
                ? guarded_malloc(size) : NULL;
    held += block != NULL;
    return block;
}
void count_free(void *block)
{
    held--;
    guarded_free(block);
}
#endif

#define COUNT(array) (sizeof (array) / sizeof (array)[0])

/* TEST_SMALL is for a chip with 8 KB of RAM and no files. Filters are smaller
   and rounds fewer. It leaves out SMHasher's number for width 64, which
   needs 4 KB, and calls with hundreds of keys. */
#ifdef TEST_SMALL
#define MOST_CELLS 1024
#define MOST_COUNTERS 512
#define ROUNDS 400
#define KEYS 30
#define MOVES 120
#define PLANNED 100
#define BLOCK_STEP 56
#define GOLDEN_BYTES 96
#else
#define MOST_CELLS 32768
#define MOST_COUNTERS 2048
#define ROUNDS 20000
#define KEYS 120
#define MOVES 1500
#define PLANNED 1000
#define BLOCK_STEP 8
#define GOLDEN_BYTES 160
#endif

/* ---- Random keys --------------------------------------------------------- */

#define RUN(call) RUN_TEST(call, random_state = 1)

static void random_bytes(unsigned char *bytes, size_t size)
{
    uint64_t random = 0;
    size_t i;
    for (i = 0; i < size; i++, random >>= 8) {
        if (i % 8 == 0)
            random = random64();
        bytes[i] = (unsigned char)(random & 255);
    }
}

/* ---- What is tested in this build --------------------------------------- */

#ifdef BLOOM_TINY
static const uint8_t widths[] = { 32 };
#define LAYOUTS 1                           /* classic only */
#define BUILT(error) BLOOM_UNSUPPORTED      /* for a layout not in this build */
#else
static const uint8_t widths[] = { 64, 32 };
#define LAYOUTS LAYOUT_COUNT
#define BUILT(error) (error)
#endif

static unsigned char memory[MOST_CELLS / 8 + 64 < 1088 ? 1088
                                                     : MOST_CELLS / 8 + 64];

static bloom_plan a_plan(uint64_t cells, unsigned k, unsigned width,
                         uint64_t seed)
{
    bloom_plan plan;
    plan.cells = cells;
    plan.seed = seed;
    plan.hashes = (uint8_t)k;
    plan.layout = BLOOM_CLASSIC;
    plan.hash_bits = (uint8_t)width;
    return plan;
}

static bloom_plan in_layout(bloom_plan plan, unsigned layout)
{
    plan.layout = (uint8_t)layout;
    return plan;
}

/* The filter b of `size` bytes, for lookups. In the mode whose lookups read
   flash by BLOOM_READ_BYTE, it is a copy with inverted bits: a lookup that
   reads it plainly gets wrong bytes, and the test fails. The copy ends with its
   array, so that the sanitizers report a read after it. */
static const bloom *look(const bloom *b, size_t size)
{
#ifdef TEST_FLASH
    static unsigned char flash[sizeof memory + 64];
    const unsigned char *image = (const unsigned char *)(const void *)b;
    unsigned char *copy = flash + sizeof flash - size;
    size_t i;
    for (i = 0; i < size; i++)
        copy[i] = image[i] ^ 0x55;
    return (const bloom *)(const void *)copy;
#else
    (void)size;
    return b;
#endif
}

static void store(unsigned char *p, uint64_t x, unsigned size)
{
    for (; size-- > 0; x >>= 8)
        *p++ = (unsigned char)(x & 255);
}

/* bloom_verify of a filter in RAM, or of its copy in flash */
static bloom_error verify(const bloom *b)
{
    return bloom_verify(look(b, bloom_image_size(b, NULL)));
}

/* Makes a filter in an array that the test reads itself */
static void init(void *array, size_t size, bloom_plan plan)
{
    (void)!bloom_init(array, size, plan);
}

/* Seals b. Returns whether it was sealed before. */
static bool sealed(bloom *b)
{
    bool was = verify(b) == BLOOM_OK;
    if (!was)
        CHECK(verify(b) == BLOOM_UNSEALED);
    bloom_seal(b);
    CHECK(verify(b) == BLOOM_OK);
    return was;
}

#endif
