/* window.h: a filter that forgets, to be copied beside bloom.h. It knows the
   last n keys, or those of the last day, in memory that never grows: g = 2 to
   16 equal filters, its generations, of which the newest takes the keys and all
   are asked. When it is full, or when you call window_step because its time is
   over, the oldest is cleared and becomes the newest. Each has room for n / (g
   - 1) keys and the share p / g of the rate: so a key is known until at least n
   and at most n * g / (g - 1) others were added after it. To add it again makes
   it known for longer, and takes room again if the newest does not have it. To
   store a window, call window_seal(&w) and write w.size bytes from w.image: 'B'
   'L' 'W' 1, g, number of the newest, 0, 0; room, keys, time and check, 8 bytes
   each, little-endian, the check being h1 of the 32 bytes before, hashed as
   keys are; 24 zeros; and the filters, sealed. */
#ifndef WINDOW_H
#define WINDOW_H
#include "bloom.h"
#include <stdlib.h>
#include <string.h>

#define WINDOW_HEAD 64U
#define WINDOW_BATCH 64U

typedef struct window {
    unsigned char *image;
    size_t size;
    bloom *filter[16];
    unsigned generations, newest;
    uint64_t room, keys, time;  /* of a generation; in the newest; yours */
} window;

/* Begins a new generation, and forgets what the oldest has. */
static inline void window_step(window *w)
{
    w->newest = (w->newest + 1) % w->generations;
    w->keys = 0;
    bloom_clear(w->filter[w->newest]);
}

/* An empty window in your memory: g filters of a plan, each for `room` keys.
   false if it needs more, WINDOW_HEAD + g * bloom_plan_size(plan) bytes. */
static inline bool window_init(window *w, void *memory, size_t size, unsigned g,
                               bloom_plan plan, uint64_t room)
{
    const size_t each = bloom_plan_size(plan);
    const window empty = { (unsigned char *)memory, WINDOW_HEAD + g * each,
                           { NULL }, g, 0, room, 0, 0 };
    if (!memory || g < 2 || g > 16 || each == 0 || room == 0
        || size < WINDOW_HEAD || (size - WINDOW_HEAD) / g < each)
        return false;
    for (*w = empty; g-- > 0; )
        w->filter[g] = bloom_init(w->image + WINDOW_HEAD + g * each, each,
                                  plan);
    return true;
}

#if !defined BLOOM_NO_FLOAT && !defined BLOOM_NO_MALLOC
/* The same for n keys and rate p, in memory that free(w->image) gives back. Keys
   that a generation takes for known by mistake, at most one in g / p, do not
   count in its room, but raise its rate: it is planned for so many more. */
static inline bool window_new(window *w, uint64_t n, double p, unsigned g,
                              bloom_layout layout)
{
    const unsigned parts = g < 2 || g > 16 ? 1 : g - 1;
    const uint64_t room = n / parts + (n % parts > 0 || n == 0);
    const double share = p / (parts + 1);
    const bloom_plan plan = bloom_plan_layout(
        room + (uint64_t)((double)room * share), share, layout);
    const size_t each = bloom_plan_size(plan);
    const size_t size = WINDOW_HEAD + (parts + 1) * each;
    void *memory = each < SIZE_MAX / 17 ? malloc(size) : NULL;
    if (window_init(w, memory, size, g, plan, room))
        return true;
    free(memory);
    return false;
}
#endif

/* maybe[i]: false, the key of h[i] is certainly not known. */
static inline void window_may_contain_many(const window *w, const bloom_hash *h,
                                           size_t count, bool *maybe)
{
    bool answer[WINDOW_BATCH];
    size_t i, n, g;
    for (; count > 0; count -= n, h += n, maybe += n) {
        n = count < WINDOW_BATCH ? count : WINDOW_BATCH;
        bloom_may_contain_many_hash(w->filter[0], h, n, maybe);
        for (g = 1; g < w->generations; g++) {
            bloom_may_contain_many_hash(w->filter[g], h, n, answer);
            for (i = 0; i < n; i++)
                maybe[i] |= answer[i];
        }
    }
}

/* is_new[i]: true, the key of h[i] was certainly not known; now it is. */
static inline void window_add_many(window *w, const bloom_hash *h, size_t count,
                                   bool *is_new)
{
    bool added[WINDOW_BATCH];
    size_t i, n;
    for (; count > 0; count -= n, h += n, is_new += n) {
        if (w->keys >= w->room)
            window_step(w);
        n = count < WINDOW_BATCH ? count : WINDOW_BATCH;
        n = n < w->room - w->keys ? n : (size_t)(w->room - w->keys);
        window_may_contain_many(w, h, n, is_new);
        w->keys += bloom_add_many_hash(w->filter[w->newest], h, n, added);
        for (i = 0; i < n; i++)
            is_new[i] = added[i] && !is_new[i];
    }
}

static inline bool window_may_contain(const window *w, bloom_hash h)
{
    bool maybe;
    window_may_contain_many(w, &h, 1, &maybe);
    return maybe;
}

static inline bool window_add(window *w, bloom_hash h)
{
    bool is_new;
    window_add_many(w, &h, 1, &is_new);
    return is_new;
}

/* Seals the filters and writes the head. */
static inline void window_seal(window *w)
{
    uint64_t x = w->room;
    unsigned i;
    for (i = 0; i < w->generations; i++)
        bloom_seal(w->filter[i]);
    memcpy(memset(w->image, 0, WINDOW_HEAD), "BLW\1", 4);
    w->image[4] = (unsigned char)w->generations;
    w->image[5] = (unsigned char)w->newest;
    for (i = 8; i < 40; i++, x >>= 8) {
        x = i == 16 ? w->keys : i == 24 ? w->time : i == 32
          ? bloom_hash_key(w->filter[0], w->image, 32).h1 : x;
        w->image[i] = (unsigned char)(x & 255);
    }
}

/* Uses stored bytes as a window, in place, or says why they are none. Seals are
   not checked: bloom_verify does that for each filter. */
static inline bloom_error window_open(window *w, void *image, size_t size)
{
    unsigned char *head = (unsigned char *)image;
    window found = { head, WINDOW_HEAD, { NULL }, 0, 0, 0, 0, 0 };
    bloom_error error = BLOOM_OK;
    uint64_t check = 0;
    unsigned i;
    if (!image || size < WINDOW_HEAD)
        return BLOOM_TRUNCATED;
    if (memcmp(head, "BLW", 3) != 0)
        return BLOOM_NOT_A_FILTER;
    if (head[3] != 1)
        return BLOOM_WRONG_VERSION;
    for (i = 8; i-- > 0; check = check << 8 | head[32 + i]) {
        found.room = found.room << 8 | head[8 + i];
        found.keys = found.keys << 8 | head[16 + i];
        found.time = found.time << 8 | head[24 + i];
    }
    found.generations = head[4];
    found.newest = head[5];
    if (head[4] < 2 || head[4] > 16 || head[5] >= head[4] || head[6] || head[7]
        || found.room == 0 || found.keys > found.room)
        return BLOOM_BAD_HEADER;
    for (i = 0; i < head[4]; i++, found.size += bloom_size(found.filter[0])) {
        found.filter[i] = bloom_open(head + found.size, size - found.size,
                                     &error);
        if (error != BLOOM_OK)
            return error;
        if (memcmp(found.filter[i], found.filter[0], 24) != 0)
            return BLOOM_BAD_HEADER;
    }
    if (bloom_hash_key(found.filter[0], head, 32).h1 != check)
        return BLOOM_CORRUPT;
    *w = found;
    return BLOOM_OK;
}
#endif
