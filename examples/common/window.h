/* window.h: a filter that forgets, to be copied beside bloom.h. It knows the
   last n keys, or those of the last day, in memory that never grows: g = 2 to
   16 equal filters, its generations, of which the newest takes the keys and all
   are asked. When it is full, or when you call window_step because its time is
   over, the oldest is cleared and becomes the newest. Each has room for n / (g
   - 1) keys and the share p / g of the rate: so a key is known until at least n
   and at most n * g / (g - 1) others were added after it. To add it again makes
   it known for longer, and takes room again if the newest does not have it. To
   store a window, call window_seal(&w) and write w.size bytes from w.image: six
   little-endian numbers of 8 bytes each, 'B' 'L' 'W' 1, g, newest, 0, 0; room;
   keys; time; span; and h1 of these 40 bytes, hashed as keys are; 16 zeros; and
   the filters, sealed. */
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
    uint64_t room, keys;        /* of a generation; in the newest */
    uint64_t time, span;        /* yours: when that began, how long it lasts */
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
    const window empty = { NULL, 0, { NULL }, 0, 0, 0, 0, 0, 0 };
    const size_t each = bloom_plan_size(plan);
    if (!memory || each == 0 || room == 0 || g < 2 || g > 16
        || size < WINDOW_HEAD || (size - WINDOW_HEAD) / g < each)
        return false;
    *w = empty;
    w->image = (unsigned char *)memory;
    w->size = WINDOW_HEAD;
    w->room = room;
    for (; w->generations < g; w->size += each)
        w->filter[w->generations++] = bloom_init(w->image + w->size, each,
                                                 plan);
    return true;
}

#if !defined BLOOM_NO_FLOAT && !defined BLOOM_NO_MALLOC
/* The plan of each filter, and its room, for n keys and the rate p. Keys that a
   generation takes for known by mistake, at most one in g / p, do not count in
   its room, but raise its rate: it is planned for so many more. */
static inline bloom_plan window_plan(uint64_t n, double p, unsigned g,
                                     bloom_layout layout, uint64_t *room)
{
    const double share = p > 0 && p < 1 && g > 1 && n >> 62 == 0 ? p / g : 0;
    *room = (n > 0 ? n - 1 : 0) / (g > 1 ? g - 1 : 1) + 1;
    return bloom_plan_layout(*room + (uint64_t)((double)*room * share), share,
                             layout);
}

/* An empty window for n keys; free(w->image) gives its memory back. */
static inline bool window_new(window *w, uint64_t n, double p, unsigned g,
                              bloom_layout layout)
{
    uint64_t room;
    const bloom_plan plan = window_plan(n, p, g, layout, &room);
    const size_t each = bloom_plan_size(plan), size = WINDOW_HEAD + g * each;
    void *memory = g <= 16 && each < SIZE_MAX / 17 ? malloc(size) : NULL;
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
    bool found[WINDOW_BATCH];
    size_t i, n, g;
    for (; count > 0; count -= n, h += n, maybe += n) {
        n = count < WINDOW_BATCH ? count : WINDOW_BATCH;
        bloom_may_contain_many_hash(w->filter[0], h, n, maybe);
        for (g = 1; g < w->generations; g++) {
            bloom_may_contain_many_hash(w->filter[g], h, n, found);
            for (i = 0; i < n; i++)
                maybe[i] |= found[i];
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
    uint64_t word[8] = { 0x01574C42, w->room, w->keys, w->time, w->span };
    unsigned i;
    word[0] |= (uint64_t)w->generations << 32 | (uint64_t)w->newest << 40;
    for (i = 0; i < WINDOW_HEAD; i++) {
        if (i == 40)
            word[5] = bloom_hash_key(w->filter[0], w->image, 40).h1;
        w->image[i] = (unsigned char)(word[i / 8] >> i % 8 * 8 & 255);
    }
    for (i = 0; i < w->generations; i++)
        bloom_seal(w->filter[i]);
}

/* The i-th number of a head */
static inline uint64_t window_number(const unsigned char *head, unsigned i)
{
    uint64_t number = 0;
    unsigned j;
    for (j = 8; j-- > 0; )
        number = number << 8 | head[8 * i + j];
    return number;
}

/* Uses stored bytes as a window, in place, or says why they are none. Seals are
   not checked: bloom_verify does that for each filter. */
static inline bloom_error window_open(window *w, void *image, size_t size)
{
    unsigned char *head = (unsigned char *)image;
    window found = { head, WINDOW_HEAD, { NULL }, 0, 0, 0, 0, 0, 0 };
    bloom_error error = BLOOM_OK;
    if (!image || size < WINDOW_HEAD)
        return BLOOM_TRUNCATED;
    if (memcmp(head, "BLW", 3) != 0)
        return BLOOM_NOT_A_FILTER;
    if (head[3] != 1)
        return BLOOM_WRONG_VERSION;
    found.newest = head[5];
    found.room = window_number(head, 1);
    found.keys = window_number(head, 2);
    found.time = window_number(head, 3);
    found.span = window_number(head, 4);
    if (head[4] < 2 || head[4] > 16 || head[5] >= head[4] || head[6] || head[7]
        || found.keys > found.room || found.room == 0
        || window_number(head, 6) || window_number(head, 7))
        return BLOOM_BAD_HEADER;
    while (found.generations < head[4]) {
        bloom *b = bloom_open(head + found.size, size - found.size, &error);
        if (error != BLOOM_OK)
            return error;
        if (memcmp(b, head + WINDOW_HEAD, 24) != 0)
            return BLOOM_BAD_HEADER;
        found.filter[found.generations++] = b;
        found.size += bloom_size(b);
    }
    if (bloom_hash_key(found.filter[0], head, 40).h1 != window_number(head, 5))
        return BLOOM_CORRUPT;
    *w = found;
    return BLOOM_OK;
}
#endif
