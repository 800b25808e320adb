/* packets: a sliding window for a chip. In a radio mesh, each packet arrives
   several times over different paths, but a node should forward it once. Two
   small filters in RAM remember the recent packets. New packets are added to
   the current filter. When it has N packets, the older filter is cleared and
   becomes the current one. So at least the last N packets are remembered, and
   at most the last 2N. If you have more memory than a chip, use bloom_window.h,
   which has more than two filters and can be stored in files.

       cc -I. examples/firmware/packets.c -o build/packets
   To compile it for an ATmega2560 or a Cortex-M0, see the head of rom.c.

   Prints:
       2 filters of 216 bytes, for 100 packets each
       2000 packets, 4 times each: 1999 forwarded once, 1 never, 0 twice
       1541 of them 500 packets later: 1539 forwarded again, being forgotten */
#define BLOOM_TINY
#define BLOOM_STATIC
#include "bloom.h"
#include <stdio.h>

#define N 100U
#define ONE_IN 1000             /* false-positive rate of each filter, so 2 in
                                   1000 packets may be lost */

typedef struct window {
    unsigned char memory[2][BLOOM_SIZE(N, ONE_IN)];
    bloom *current, *older;
    unsigned room;                      /* packets until the next swap */
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

/* Is the packet new? From now on it is remembered. */
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

/* Made-up traffic: at time i, packet i arrives for the first time, and packets
   i - 7, i - 23 and i - 41 for the second, third and fourth time. Then packet
   i - 500 arrives once more, as if from a node that was asleep. */
#define PACKETS 2000U
static const unsigned late[] = { 0, 7, 23, 41 };

/* Packet i arrives. Returns whether it is forwarded. */
static bool comes(window *w, unsigned i)
{
    return is_new(w, (uint16_t)(i % 5), 100000U + i);
}

int main(void)
{
    static unsigned char passed[PACKETS];       /* how often forwarded */
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
    printf("%u packets, 4 times each: %u forwarded once, %u never, %u twice\n",
           PACKETS, once, never, PACKETS - once - never);
    printf("%u of them 500 packets later: %u forwarded again, being "
           "forgotten\n", PACKETS + 41 - 500, again);
    return once + never != PACKETS;
}
