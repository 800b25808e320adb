/* library.c: the implementation of bloom.h and its companions for the whole
   command, with the memory of memory.h */
#include "memory.h"
#include <stdlib.h>

#define BLOOM_MALLOC(size) filter_memory(size)
#define BLOOM_FREE(memory) free(memory)
#define BLOOM_IMPLEMENTATION
#include "../companions/bloom_chain.h"
#include "../companions/bloom_window.h"
