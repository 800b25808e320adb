/* atomic.c: a second copy of bloom.h, for threads and processes that add to one
   filter at the same time. Atomic adds take about 1.5 times as long, so that no
   other file uses this copy. If the compiler has no atomic operations (tcc), a
   mutex lets one thread add at a time, and processes cannot share a filter. */
#include <pthread.h>
#ifdef __GCC_ATOMIC_CHAR_LOCK_FREE
#define BLOOM_ATOMIC
#endif
#define BLOOM_STATIC
#include "filter.h"

#ifdef BLOOM_ATOMIC
const bool processes_can_share = true;
#else
const bool processes_can_share = false;
#endif
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void take_turns(bool begin)
{
    if (!processes_can_share)
        begin ? pthread_mutex_lock(&one_at_a_time)
              : pthread_mutex_unlock(&one_at_a_time);
}

size_t add_atomically(bloom *b, const bloom_key *key, size_t count)
{
    size_t added;
    take_turns(true);
    added = bloom_add_many(b, key, count, NULL);
    take_turns(false);
    return added;
}

size_t add_hashes_atomically(bloom *b, const bloom_hash *hash, size_t count)
{
    size_t added;
    take_turns(true);
    added = bloom_add_many_hash(b, hash, count, NULL);
    take_turns(false);
    return added;
}
