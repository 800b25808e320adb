/* An allocator for BLOOM_MALLOC. malloc returns multiples of 16, but often only
   multiples of 64 for larger blocks. Each block here lies 16 bytes further into
   64 than the last one. It is filled with junk, and the bytes after it are
   compared when it is freed. With AddressSanitizer they cannot be read. */
#ifndef GUARDED_H
#define GUARDED_H

#include <stdint.h>
#include "check.h"
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

enum { GUARDED = 64 };                  /* bytes after each block */

/* Lies in the 64 bytes before each block */
typedef struct guarded {
    void *whole;
    size_t size;
} guarded;

static inline guarded *guarded_head(void *block)
{
    void *head = (unsigned char *)block - 64;
    return (guarded *)head;
}

static inline void *guarded_malloc(size_t size)
{
    static unsigned calls;
    const size_t all = size + 64 + 64 + 48 + GUARDED;
    unsigned char *block = (unsigned char *)(all > size ? malloc(all) : NULL);
    void *whole = block;
    if (!block)
        return NULL;
    block += 64;
    block += (64 - (uintptr_t)block % 64) % 64 + calls++ % 4 * 16;
    memset(block, 0xA5, size + GUARDED);
    guarded_head(block)->whole = whole;
    guarded_head(block)->size = size;
    ASAN_POISON_MEMORY_REGION(block + size, GUARDED);
    return block;
}

static inline void guarded_free(void *pointer)
{
    unsigned char *block = (unsigned char *)pointer;
    unsigned i;
    if (!block)
        return;
    block += guarded_head(block)->size;
    ASAN_UNPOISON_MEMORY_REGION(block, GUARDED);
    for (i = 0; i < GUARDED; i++)
        CHECK(block[i] == 0xA5);
    free(guarded_head(pointer)->whole);
}

#endif
