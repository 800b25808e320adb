/* memory.c: memory for filters */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE                     /* madvise */
#define _DARWIN_C_SOURCE
#endif
#include "memory.h"
#include "say.h"

#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21, HUGE_FROM = 1 << 22 };

static bool (*allowed)(size_t size);

/* Each access to a random place in a large filter needs a page table lookup.
   With huge pages, the page tables are small enough for the cache. */
void *image_memory(size_t size)
{
    bool huge = size >= HUGE_FROM;
    void *memory = NULL;
    if (posix_memalign(&memory, huge ? HUGE_PAGE : 64, size) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (huge)
        madvise(memory, size, MADV_HUGEPAGE);   /* failure is harmless */
#endif
    return memory;
}

void *need_memory(size_t size, const char *name)
{
    void *memory = image_memory(size);
    if (!memory)
        die("%s: not enough memory for %" PRIu64 " bytes", name,
            (uint64_t)size);
    return memory;
}

void *filter_memory(size_t size)
{
    return !allowed || allowed(size) ? image_memory(size) : NULL;
}

void ask_before_memory(bool (*may)(size_t size))
{
    allowed = may;
}
