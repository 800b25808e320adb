/* SPDX-License-Identifier: MIT OR Unlicense
   bloom_window.h: a sliding window, made of filters of bloom.h. It contains the
   last n keys, or those of the last day, and forgets older ones. Its memory
   never grows.

   A window consists of g filters with the same plan, g = 2 to 16: its
   generations. New keys go into the newest generation. A lookup tests all
   generations. When the newest one is full, the oldest one is cleared and
   becomes the newest. To forget by time, call bloom_window_step whenever the
   newest generation should end, for example once an hour.

   USE
       #include "bloom_window.h"               // which includes bloom.h
       bloom_window w;
       bloom_hash h;
       if (!bloom_window_new(&w, 1000000, 0.01, 8, BLOOM_CLASSIC))
           return 1;                           // no memory
       h = bloom_hash_key(w.filter[0], "apple", 5);
       bloom_window_add(&w, h);                // true: certainly not in
       bloom_window_may_contain(&w, h);        // false: certainly not in
       free(w.image);
   As for bloom.h, #define BLOOM_IMPLEMENTATION in one file of the program. If
   only one file uses filters, #define BLOOM_STATIC instead. BLOOM_READ_BYTE
   must not be defined, because a window is in RAM.
   Threads: any number of threads may look up keys at the same time. Every other
   call needs exclusive access, even with BLOOM_ATOMIC.

   WHAT IT CONTAINS
   For n keys and the false-positive rate p, each generation is planned for the
   rate p / g. Its capacity, called room, is n / (g - 1) keys, rounded up. A key
   stays in for at least the next n keys, and for at most the next g * room - 1,
   not counting keys that the newest generation already seemed to contain. With
   n = 1000 and g = 8, room is 143: a key stays in for the next 1001 to 1143
   keys. With n = 10 and g = 16, room is 1: it stays in for the next 15.
   If you add a key again, the window keeps it for longer, and the key takes up
   room again. If the newest generation contains the key, nothing changes.

   THE IMAGE
   To save a window, call bloom_window_seal(&w) and write w.size bytes from
   w.image: a head of 64 bytes, then the images of all generations, sealed.

    offset size  field of the head (numbers are little-endian)
       0     4   magic: 'B' 'L' 'W' and the format version, 1
       4     1   g, the number of generations, 2..16
       5     1   the newest generation, below g
       6     2   zero
       8     8   room, not 0
      16     8   keys: how many were new to the newest generation, at most room
      24     8   time: for your own use
      32     8   span: for your own use
      40     8   check: h1 of the bytes 0..39, hashed like a key of the window
      48    16   zero

   OPTION: BLOOM_WINDOW_API stands before each function. The default is static
   inline. #define it before every #include of this file. To export the
   functions from a shared library, #define it as extern in one of its files. */

#ifndef BLOOM_WINDOW_H
#define BLOOM_WINDOW_H

#include "bloom.h"
#include <string.h>

#ifndef BLOOM_WINDOW_API
#define BLOOM_WINDOW_API static inline
#endif

#ifdef __cplusplus
extern "C" {
#ifdef __GNUC__                 /* for g++, as the code has C's casts */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#define BLOOM_WINDOW_HEAD 64U           /* bytes of the head */
#define BLOOM_WINDOW_BATCH_ 64U

typedef struct bloom_window {
    unsigned char *image;
    size_t size;                        /* of the image, in bytes */
    bloom *filter[16];                  /* the generations, in the image */
    unsigned generations, newest;       /* g, and an index into filter[] */
    uint64_t room, keys;                /* capacity of each generation, and new
                                           keys in the newest one */
    uint64_t time, span;                /* for your own use: for example, when
                                           the newest generation began, and how
                                           long it is to last */
} bloom_window;

/* Clears the oldest generation, whose keys are forgotten, and makes it the
   newest. */
BLOOM_WINDOW_API void bloom_window_step(bloom_window *w)
{
    w->newest = (w->newest + 1) % w->generations;
    w->keys = 0;
    bloom_clear(w->filter[w->newest]);
}

/* Makes an empty window in your memory of `size` bytes: g filters of the plan,
   each for `room` keys. It needs BLOOM_WINDOW_HEAD + g * bloom_plan_size(plan)
   bytes. The result is false, and *w is unchanged, if memory is NULL or size is
   less than that, if the plan is impossible, if g is not 2..16, or if room = 0.
   */
BLOOM_WINDOW_API bool bloom_window_init(bloom_window *w, void *memory,
                                        size_t size, unsigned g,
                                        bloom_plan plan, uint64_t room)
{
    const size_t each = bloom_plan_size(plan);
    if (!memory || each == 0 || room == 0 || g < 2 || g > 16
        || size < BLOOM_WINDOW_HEAD || (size - BLOOM_WINDOW_HEAD) / g < each)
        return false;
    memset(w, 0, sizeof *w);
    w->image = (unsigned char *)memory;
    w->size = BLOOM_WINDOW_HEAD;
    w->room = room;
    for (; w->generations < g; w->size += each)
        w->filter[w->generations++] = bloom_init(w->image + w->size, each,
                                                 plan);
    return true;
}

#ifndef BLOOM_NO_FLOAT

/* Returns the plan of each generation of a window for n keys with the rate p,
   and writes the capacity of a generation to *room. A key that is a false
   positive of the newest generation is not counted in w->keys. So the plan is
   for *room * (1 + p / g) keys. */
BLOOM_WINDOW_API bloom_plan bloom_window_plan(uint64_t n, double p, unsigned g,
                                              bloom_layout layout,
                                              uint64_t *room)
{
    const double share = p > 0 && p < 1 && g > 1 && n >> 62 == 0 ? p / g : 0;
    *room = (n > 0 ? n - 1 : 0) / (g > 1 ? g - 1 : 1) + 1;
    return bloom_plan_layout(*room + (uint64_t)((double)*room * share), share,
                             layout);
}

#endif
#if !defined(BLOOM_NO_FLOAT) && !defined(BLOOM_NO_MALLOC)
#include <stdlib.h>

/* Makes an empty window for n keys with the rate p. Free its memory with
   free(w->image). The result is false if g is not 2..16, if no filter can keep
   the rate p / g, or if memory is short. */
BLOOM_WINDOW_API bool bloom_window_new(bloom_window *w, uint64_t n, double p,
                                       unsigned g, bloom_layout layout)
{
    uint64_t room;
    const bloom_plan plan = bloom_window_plan(n, p, g, layout, &room);
    const size_t each = bloom_plan_size(plan);
    const size_t size = BLOOM_WINDOW_HEAD + g * each;
    void *memory;
    if (each == 0 || g > 16 || each >= SIZE_MAX / 17)
        return false;
    memory = malloc(size);
    if (bloom_window_init(w, memory, size, g, plan, room))
        return true;
    free(memory);
    return false;
}

#endif

/* Looks up `count` keys by their hashes. maybe[i] becomes false if the key with
   the hash h[i] is certainly not in, and true if it may be in. */
BLOOM_WINDOW_API void bloom_window_may_contain_many(const bloom_window *w,
                                                    const bloom_hash *h,
                                                    size_t count, bool *maybe)
{
    bool found[BLOOM_WINDOW_BATCH_];
    size_t i, n, g;
    for (; count > 0; count -= n, h += n, maybe += n) {
        n = count < BLOOM_WINDOW_BATCH_ ? count : BLOOM_WINDOW_BATCH_;
        bloom_may_contain_many_hash(w->filter[0], h, n, maybe);
        for (g = 1; g < w->generations; g++) {
            bloom_may_contain_many_hash(w->filter[g], h, n, found);
            for (i = 0; i < n; i++)
                maybe[i] = maybe[i] || found[i];
        }
    }
}

/* Adds `count` keys by their hashes, in their order. is_new[i] becomes true if
   the key with the hash h[i] was certainly not in, otherwise false. */
BLOOM_WINDOW_API void bloom_window_add_many(bloom_window *w,
                                            const bloom_hash *h, size_t count,
                                            bool *is_new)
{
    bool added[BLOOM_WINDOW_BATCH_];
    size_t i, n;
    for (; count > 0; count -= n, h += n, is_new += n) {
        if (w->keys >= w->room)
            bloom_window_step(w);
        n = count < BLOOM_WINDOW_BATCH_ ? count : BLOOM_WINDOW_BATCH_;
        n = n < w->room - w->keys ? n : (size_t)(w->room - w->keys);
        bloom_window_may_contain_many(w, h, n, is_new);
        w->keys += bloom_add_many_hash(w->filter[w->newest], h, n, added);
        for (i = 0; i < n; i++)
            is_new[i] = added[i] && !is_new[i];
    }
}

/* The same for one key, by its hash. The result is returned, not stored. */
BLOOM_WINDOW_API bool bloom_window_may_contain(const bloom_window *w,
                                               bloom_hash h)
{
    bool maybe;
    bloom_window_may_contain_many(w, &h, 1, &maybe);
    return maybe;
}

BLOOM_WINDOW_API bool bloom_window_add(bloom_window *w, bloom_hash h)
{
    bool is_new;
    bloom_window_add_many(w, &h, 1, &is_new);
    return is_new;
}

/* Writes the head into the image, and seals each generation. */
BLOOM_WINDOW_API void bloom_window_seal(bloom_window *w)
{
    uint64_t word[8] = { 0x01574C42, w->room, w->keys, w->time, w->span };
    unsigned i;
    word[0] |= (uint64_t)w->generations << 32 | (uint64_t)w->newest << 40;
    for (i = 0; i < BLOOM_WINDOW_HEAD; i++) {
        if (i == 40)
            word[5] = bloom_hash_key(w->filter[0], w->image, 40).h1;
        w->image[i] = (unsigned char)(word[i / 8] >> i % 8 * 8 & 255);
    }
    for (i = 0; i < w->generations; i++)
        bloom_seal(w->filter[i]);
}

/* Reads the number at byte 8 * i of a head. */
static inline uint64_t bloom_window_number_(const unsigned char *head,
                                            unsigned i)
{
    uint64_t number = 0;
    unsigned j;
    for (j = 8; j-- > 0; )
        number = number << 8 | head[8 * i + j];
    return number;
}

/* Reads the head of an image of `size` bytes into *w, without the filters. */
static inline bloom_error bloom_window_read_head_(bloom_window *w,
                                                  unsigned char *head,
                                                  size_t size)
{
    if (!head || size < BLOOM_WINDOW_HEAD)
        return BLOOM_TRUNCATED;
    if (memcmp(head, "BLW", 3) != 0)
        return BLOOM_NOT_A_FILTER;
    if (head[3] != 1)
        return BLOOM_WRONG_VERSION;
    memset(w, 0, sizeof *w);
    w->image = head;
    w->size = BLOOM_WINDOW_HEAD;
    w->newest = head[5];
    w->room = bloom_window_number_(head, 1);
    w->keys = bloom_window_number_(head, 2);
    w->time = bloom_window_number_(head, 3);
    w->span = bloom_window_number_(head, 4);
    return head[4] < 2 || head[4] > 16 || head[5] >= head[4] || head[6]
        || head[7] || w->keys > w->room || w->room == 0
        || bloom_window_number_(head, 6) || bloom_window_number_(head, 7)
         ? BLOOM_BAD_HEADER : BLOOM_OK;
}

/* Uses the `size` bytes at image as a window, in place. If they are no window,
   the result is the reason, and *w is unchanged. Otherwise it is BLOOM_OK. The
   cells are not checked: for that, call bloom_verify for each generation. */
BLOOM_WINDOW_API bloom_error bloom_window_open(bloom_window *w, void *image,
                                               size_t size)
{
    unsigned char *head = (unsigned char *)image;
    bloom_window found;
    bloom_error error = bloom_window_read_head_(&found, head, size);
    if (error != BLOOM_OK)
        return error;
    while (found.generations < head[4]) {
        bloom *b = bloom_open(head + found.size, size - found.size, &error);
        if (error != BLOOM_OK)
            return error;
        if (memcmp(b, head + BLOOM_WINDOW_HEAD, 24) != 0)
            return BLOOM_BAD_HEADER;    /* not the plan of the first filter */
        found.filter[found.generations++] = b;
        found.size += bloom_size(b);
    }
    if (bloom_hash_key(found.filter[0], head, 40).h1
        != bloom_window_number_(head, 5))
        return BLOOM_CORRUPT;
    *w = found;
    return BLOOM_OK;
}

#ifdef __cplusplus
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
}
#endif

#endif /* BLOOM_WINDOW_H */
