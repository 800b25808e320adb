/* later: the second tab of lock.ino, with the badges that were revoked after
   revoked.h was made. Their filter is in RAM, and is lost at a reset. This file
   does not define BLOOM_READ_BYTE: with it, bloom_may_contain would look for
   this filter in flash, and a badge that was just added would not be found. As
   both tabs define BLOOM_STATIC, each has its own copy of the functions that it
   calls. */
#define BLOOM_TINY
#define BLOOM_STATIC
#include "bloom.h"

/* 100 badges at a rate of 1%. With more, "ask" is answered too often, but no
   badge is forgotten. */
static unsigned char memory[BLOOM_SIZE(100, 100)];

/* The filter in `memory`, which is made at the first call */
static bloom *later()
{
    static const bloom_plan plan = BLOOM_PLAN(100, 100);
    static bloom *filter;
    if (!filter)
        filter = bloom_init(memory, sizeof memory, plan);
    return filter;
}

bool revoke_later(const char *badge, uint8_t size)
{
    if (!later())
        return false;
    bloom_add(later(), badge, size);
    return true;
}

bool may_be_revoked_later(const char *badge, uint8_t size)
{
    return !later() || bloom_may_contain(later(), badge, size);
}
