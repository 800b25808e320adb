/* waiting.c: lines of `bloom uniq -f` that are on their way out

   A line is printed first, and its key added afterwards: what nobody got, as
   the disk was full or the reader of a pipe had gone, must not be known the
   next time. Until then the hash of its key waits here, in the order of
   printing, and a second copy of the line finds it.

   Lines are numbered from 1. Those from gone + 1 to last wait, line number i in
   line[i % MOST_WAITING]. The newest line of each list by hash is in newest;
   each line leads to an older one, and the first that no longer waits ends the
   list. So nothing has to be taken out of a list. An empty queue is all zeros:
   2 MB of them do not belong into the program's file. */
#include "command.h"

enum { LISTS = 1 << 13 };           /* few enough for a core's cache */

static struct waiting {
    struct { bloom_hash hash; uint64_t end, older; } line[MOST_WAITING];
    uint64_t newest[LISTS];
    uint64_t gone, last;
} queue;

static uint64_t *list_of(bloom_hash hash)
{
    return &queue.newest[hash.h1 % LISTS];
}

bool is_waiting(bloom_hash hash)
{
    uint64_t i = *list_of(hash);
    while (i > queue.gone) {
        bloom_hash other = queue.line[i % MOST_WAITING].hash;
        if (other.h1 == hash.h1 && other.h2 == hash.h2)
            return true;
        i = queue.line[i % MOST_WAITING].older;
    }
    return false;
}

size_t count_waiting(void)
{
    return (size_t)(queue.last - queue.gone);
}

void let_wait(bloom_hash hash, uint64_t end)
{
    uint64_t *list = list_of(hash), i = ++queue.last;
    queue.line[i % MOST_WAITING].hash = hash;
    queue.line[i % MOST_WAITING].end = end;
    queue.line[i % MOST_WAITING].older = *list;
    *list = i;
}

/* Returns how many were new to the filter. */
size_t add_printed(filter *f, uint64_t bytes)
{
    bloom_hash hash[BATCH];
    size_t count, added = 0;
    do {
        for (count = 0; count < BATCH && queue.gone < queue.last
             && queue.line[(queue.gone + 1) % MOST_WAITING].end <= bytes;
             count++)
            hash[count] = queue.line[++queue.gone % MOST_WAITING].hash;
        if (count > 0)
            added += add_hashes(f, hash, count);
    } while (count == BATCH);
    return added;
}
