/* library.c: bloom.h for the whole command. Its memory may be in huge pages. */
#include <stdlib.h>

void *image_memory(size_t size);

#define BLOOM_MALLOC(size) image_memory(size)
#define BLOOM_FREE(memory) free(memory)
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
