/* atomic.c: bloom.h once more, for threads that add to one filter at once.
   That takes half as long again, so nothing else uses it. Where a compiler has
   no atomic operations (tcc), one thread after the other. */
#include <pthread.h>
#ifdef __GCC_ATOMIC_CHAR_LOCK_FREE
#define BLOOM_ATOMIC
#endif
#define BLOOM_STATIC
#include "bloom.h"

size_t add_atomically(bloom *b, const bloom_key *key, size_t count);

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
