/* library.c: the implementation of bloom.h and its companions for the whole
   command. Filters come from filter_memory (save.c), which may reserve disk
   space first, and may use huge pages. */
#define _POSIX_C_SOURCE 200809L         /* for bloom_file.h */
#include <stdlib.h>

void *filter_memory(size_t size);

#define BLOOM_MALLOC(size) filter_memory(size)
#define BLOOM_FREE(memory) free(memory)
#define BLOOM_IMPLEMENTATION
#include "../companions/bloom_file.h"
#include "../companions/bloom_chain.h"
#include "../companions/bloom_window.h"
