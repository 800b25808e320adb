/* library.c: the implementation of bloom.h and its companions. Each access to a
   random place in a large filter needs a page table lookup. With huge pages,
   the page tables are small enough for the cache. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE                     /* madvise */
#define _DARWIN_C_SOURCE
#endif
#include <stdlib.h>
#include <sys/mman.h>

static void *filter_memory(size_t size)
{
    const size_t huge = 1 << 21;
    void *memory = NULL;
    if (posix_memalign(&memory, size >= 2 * huge ? huge : 64, size) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (size >= 2 * huge)
        madvise(memory, size, MADV_HUGEPAGE);   /* failure is harmless */
#endif
    return memory;
}

#define BLOOM_MALLOC(size) filter_memory(size)
#define BLOOM_FREE(memory) free(memory)
#define BLOOM_IMPLEMENTATION
#include "../companions/bloom_file.h"
#include "../companions/bloom_chain.h"
#include "../companions/bloom_window.h"
