/* atomic.c: a second copy of bloom.h, for threads that add to one filter at the
   same time. Atomic adds take about 1.5 times as long, so that no other file
   uses this copy. If the compiler has no atomic operations (tcc), a mutex lets
   one thread add at a time. */
#include <pthread.h>
#ifdef __GCC_ATOMIC_CHAR_LOCK_FREE
#define BLOOM_ATOMIC
#endif
#define BLOOM_STATIC
#include "atomic.h"

size_t add_atomically(bloom *b, const bloom_key *key, size_t count)
{
#ifdef BLOOM_ATOMIC
    return bloom_add_many(b, key, count, NULL);
#else
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    size_t news;
    pthread_mutex_lock(&one_at_a_time);
    news = bloom_add_many(b, key, count, NULL);
    pthread_mutex_unlock(&one_at_a_time);
    return news;
#endif
}
