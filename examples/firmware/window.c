/* A sliding window. In a radio mesh each packet arrives several times, by
   several ways, and a node should pass it on once. Two small filters in RAM
   know the recent packets. New ones go into the current filter. When that has
   taken N, the older filter is cleared and becomes the current one. So the last
   N packets are always known, and at most 2N. Where there is more memory than
   on a chip, bloom_window.h has more generations, and files.

       cc -I. examples/firmware/window.c -o build/window
   For an ATmega2560 and a Cortex-M0 see the head of rom.c.

   Prints:
       2 filters of 216 bytes, for 100 packets each
       2000 packets, 4 times each: 1999 passed on once, 1 never, 0 twice
       1541 of them 500 packets later: 1539 passed on again, as forgotten */
#define BLOOM_TINY
#define BLOOM_STATIC
#include "bloom.h"
#include <stdio.h>

#define N 100U
#define ONE_IN 1000             /* of each filter; so 2 in 1000 may be lost */

typedef struct window {
    unsigned char memory[2][BLOOM_SIZE(N, ONE_IN)];
    bloom *current, *older;
    unsigned room;                      /* of the current filter, in packets */
} window;

static bool open_window(window *w)
{
    static const bloom_plan plan = BLOOM_PLAN(N, ONE_IN);
    w->current = bloom_init(w->memory[0], sizeof w->memory[0], plan);
    w->older = bloom_init(w->memory[1], sizeof w->memory[1], plan);
    w->room = N;
    return w->current && w->older;
}

static void swap(window *w)
{
    bloom *cleared = w->older;
    bloom_clear(cleared);
    w->older = w->current;
    w->current = cleared;
    w->room = N;
}

/* Is the packet new? From now on it is known. */
static bool is_new(window *w, uint16_t sender, uint32_t sequence)
{
    uint64_t packet = (uint64_t)sender << 32 | sequence;
    if (bloom_may_contain_u64(w->older, packet)
        || !bloom_add_u64(w->current, packet))
        return false;
    if (--w->room == 0)
        swap(w);
    return true;
}

/* Traffic: packet i comes, and i - 7, i - 23, i - 41 for the second, third and
   fourth time; later, as if a node had slept, i - 500. */
#define PACKETS 2000U
static const unsigned late[] = { 0, 7, 23, 41 };

static bool comes(window *w, unsigned i)
{
    return is_new(w, (uint16_t)(i % 5), 100000U + i);
}

int main(void)
{
    static unsigned char passed[PACKETS];       /* how often */
    static window w;
    unsigned i, j, once = 0, never = 0, again = 0;
    if (!open_window(&w))
        return 1;
    for (i = 0; i < PACKETS + 41; i++) {
        for (j = 0; j < 4; j++)
            if (i >= late[j] && i - late[j] < PACKETS
                && comes(&w, i - late[j]))
                passed[i - late[j]]++;
        again += i >= 500 && comes(&w, i - 500);
    }
    for (i = 0; i < PACKETS; i++) {
        once += passed[i] == 1;
        never += passed[i] == 0;
    }
    printf("2 filters of %u bytes, for %u packets each\n",
           (unsigned)sizeof w.memory[0], N);
    printf("%u packets, 4 times each: %u passed on once, %u never, %u twice\n",
           PACKETS, once, never, PACKETS - once - never);
    printf("%u of them 500 packets later: %u passed on again, as forgotten\n",
           PACKETS + 41 - 500, again);
    return once + never != PACKETS;
}
