/* library.c: bloom.h for the whole command. Its memory may be in huge pages;
   before it comes room on the disk (save.c). */
#include <stdlib.h>

void *filter_memory(size_t size);

#define BLOOM_MALLOC(size) filter_memory(size)
#define BLOOM_FREE(memory) free(memory)
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
