/* queue.c: lines gone + 1 to last wait. When none waits, the next line goes to
   line[1] again, so that a queue that stays short stays in the cache. The lines
   are also in linked lists, by hash: newest[] holds the newest line of each
   list, and each line leads to an older one. A list ends at the first line that
   no longer waits. */
#include "queue.h"

enum { LISTS = 1 << 13 };

typedef struct waiting { bloom_hash hash; uint64_t end, older; } waiting;

static waiting line[MOST_WAITING];
static uint64_t newest[LISTS];
static uint64_t gone, last, base;

static waiting *line_of(uint64_t i)
{
    return &line[(i - base) % MOST_WAITING];
}

uint64_t count_waiting(void)
{
    return last - gone;
}

bool is_waiting(bloom_hash hash)
{
    uint64_t i = newest[hash.h1 % LISTS];
    for (; i > gone; i = line_of(i)->older)
        if (line_of(i)->hash.h1 == hash.h1 && line_of(i)->hash.h2 == hash.h2)
            return true;
    return false;
}

void let_wait(bloom_hash hash, uint64_t end)
{
    uint64_t *list = &newest[hash.h1 % LISTS];
    waiting *new;
    if (gone == last)
        base = last;
    new = line_of(++last);
    new->hash = hash;
    new->end = end;
    new->older = *list;
    *list = last;
}

size_t take_printed(uint64_t bytes, bloom_hash *hash, size_t most)
{
    size_t count = 0;
    while (count < most && gone < last && line_of(gone + 1)->end <= bytes)
        hash[count++] = line_of(++gone)->hash;
    return count;
}
