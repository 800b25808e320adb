/* atomic.c: bloom.h once more, for threads that add to one filter at once.
   That takes half as long again, so nothing else uses it. */
#define BLOOM_STATIC
#define BLOOM_ATOMIC
#include "bloom.h"

size_t add_atomically(bloom *b, const bloom_key *key, size_t count);

size_t add_atomically(bloom *b, const bloom_key *key, size_t count)
{
    return bloom_add_many(b, key, count, NULL);
}
