/* beacon: a filter in a radio packet of few bytes. A node announces which
   messages it has, and its neighbours send it the others. An image would take
   32 bytes more, for its header. But if both sides know the plan, the cells are
   enough: the receiver makes an empty filter of the same plan, and copies the
   cells into it. They have the same bytes on every machine.

   The seed of each packet is its number. A message that is a false positive in
   one packet is not sent, but is probably not one in the next packet.

   Without a header nothing can be checked. With another plan, messages that the
   node has would be "certainly not" there. So if the plan may ever change, send
   its number, too; and let the radio add a checksum, as the seal is missing.

       cc -I. examples/firmware/beacon.c -o build/beacon
   To compile it for an ATmega2560 or a Cortex-M0, see the head of rom.c.

   Prints:
       a packet of 25 bytes for 20 messages; with the header it would be 56
       01 a8 45 86 21 82 cc c1 85 14 92 01 20
       a3 14 62 50 11 d6 11 e8 80 47 62 0c
       of 20 messages that the node has, 0 are sent again
       of 980 others, 962 are sent after packet 1, 18 after packet 2 */
#define BLOOM_TINY
#define BLOOM_STATIC
#include "bloom.h"
#include <stdio.h>
#include <string.h>

#define N 20
#define ONE_IN 20               /* 1 in 20 messages waits for the next packet */
#define CELL_BYTES (BLOOM_CELLS(N, ONE_IN) / 8)
#define PACKET (1 + CELL_BYTES)

/* An empty filter in `memory`. Both sides call this. */
static bloom *open_filter(unsigned char *memory, unsigned char seed)
{
    bloom_plan plan = BLOOM_PLAN(N, ONE_IN);
    plan.seed = seed;
    return bloom_init(memory, BLOOM_SIZE(N, ONE_IN), plan);
}

/* Writes a packet about the messages first .. first + N - 1. */
static bool announce(unsigned char *packet, unsigned char seed, uint32_t first)
{
    unsigned char memory[BLOOM_SIZE(N, ONE_IN)];
    bloom *have = open_filter(memory, seed);
    uint32_t i;
    if (!have)
        return false;
    for (i = 0; i < N; i++)
        bloom_add_u64(have, first + i);
    packet[0] = seed;
    memcpy(packet + 1, memory + BLOOM_HEADER_SIZE, CELL_BYTES);
    return true;
}

/* The filter that a packet contains, in `memory` */
static const bloom *receive(unsigned char *memory, const unsigned char *packet)
{
    bloom *have = open_filter(memory, packet[0]);
    if (have)
        memcpy(memory + BLOOM_HEADER_SIZE, packet + 1, CELL_BYTES);
    return have;
}

#define MESSAGES 1000U          /* the node has the first 20 of these */
#define FIRST 70000U

int main(void)
{
    static unsigned char memory[BLOOM_SIZE(N, ONE_IN)], sent[MESSAGES];
    unsigned char packet[PACKET], number;
    unsigned i, again = 0, after[3] = { 0, 0, 0 };
    for (number = 1; number <= 2; number++) {
        const bloom *have;
        if (!announce(packet, number, FIRST))
            return 1;
        if (number == 1) {
            printf("a packet of %u bytes for %u messages; with the header it "
                   "would be %u", (unsigned)PACKET, N,
                   (unsigned)BLOOM_SIZE(N, ONE_IN));
            for (i = 0; i < PACKET; i++)
                printf("%s%02x", i % 13 ? " " : "\n", (unsigned)packet[i]);
            printf("\n");
        }
        have = receive(memory, packet);
        for (i = 0; have && i < MESSAGES; i++)
            if (!sent[i] && !bloom_may_contain_u64(have, FIRST + i)) {
                sent[i] = number;
                after[number] += i >= N;
                again += i < N;
            }
    }
    printf("of %u messages that the node has, %u are sent again\n", N, again);
    printf("of %u others, %u are sent after packet 1, %u after packet 2\n",
           MESSAGES - N, after[1], after[2]);
    return again > 0;
}
