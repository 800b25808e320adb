/* For targets that give memory, or refuse it: bloom.h and the chain ask the
   target's scarce_malloc. */

#include <stddef.h>

static void *scarce_malloc(size_t size);
static void scarce_free(void *old);

#define BLOOM_MALLOC(size) scarce_malloc(size)
#define BLOOM_FREE(old) scarce_free(old)
#define BLOOM_CHAIN_MALLOC(size) scarce_malloc(size)
#define BLOOM_CHAIN_FREE(old) scarce_free(old)
#include "fuzz.h"
#include "memory.h"
