/* library.c: the implementation of bloom.h for the whole command. Filters come
   from filter_memory (save.c), which may reserve disk space first, and may use
   huge pages. */
#include <stdlib.h>

void *filter_memory(size_t size);

#define BLOOM_MALLOC(size) filter_memory(size)
#define BLOOM_FREE(memory) free(memory)
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
