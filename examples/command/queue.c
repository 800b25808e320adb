/* queue.c: the lines of `bloom uniq -f` that are being printed, and are not in
   the filter yet

   A line is printed first, and its key is added to the filter afterwards. If
   the line did not reach its reader, because the disk was full or the reader of
   a pipe had exited, the next run must not know it. Until a line is printed,
   the hash of its key waits in this queue, and a second copy of the line finds
   it here.

   Lines are numbered from 1. Lines gone + 1 to last wait; line i is in
   line[(i - base) % MOST_WAITING]. When the queue is empty, the next line
   goes to line[1] again, so that a queue that stays short stays in the
   cache. The lines are also in LISTS linked lists, by hash. newest holds the
   newest line of each list, and each line leads to an older one. A list ends
   at the first line that no longer waits, so that no line has to be removed
   from a list. An empty queue is all zeros, so that its 2 MB take no space
   in the executable file. */
#include "queue.h"

enum { LISTS = 1 << 13 };           /* fit in a core's cache */
enum { AT_ONCE = 256 };             /* keys that are added at once */

typedef struct waiting { bloom_hash hash; uint64_t end, older; } waiting;

static struct queue {
    waiting line[MOST_WAITING];
    uint64_t newest[LISTS];
    uint64_t gone, last, base;
} queue;

static waiting *line_of(uint64_t i)
{
    return &queue.line[(i - queue.base) % MOST_WAITING];
}

static uint64_t *list_of(bloom_hash hash)
{
    return &queue.newest[hash.h1 % LISTS];
}

bool is_waiting(bloom_hash hash)
{
    uint64_t i = *list_of(hash);
    while (i > queue.gone) {
        const waiting *other = line_of(i);
        if (other->hash.h1 == hash.h1 && other->hash.h2 == hash.h2)
            return true;
        i = other->older;
    }
    return false;
}

size_t count_waiting(void)
{
    return (size_t)(queue.last - queue.gone);
}

void let_wait(bloom_hash hash, uint64_t end)
{
    uint64_t *list = list_of(hash);
    waiting *line;
    if (queue.gone == queue.last)
        queue.base = queue.last;
    line = line_of(++queue.last);
    line->hash = hash;
    line->end = end;
    line->older = *list;
    *list = queue.last;
}

void add_printed(filter *f, uint64_t bytes)
{
    bloom_hash hash[AT_ONCE];
    size_t count;
    do {
        for (count = 0; count < AT_ONCE && queue.gone < queue.last
             && line_of(queue.gone + 1)->end <= bytes; count++)
            hash[count] = line_of(++queue.gone)->hash;
        if (count > 0)
            add_hashes(f, hash, count);
    } while (count == AT_ONCE);
}
