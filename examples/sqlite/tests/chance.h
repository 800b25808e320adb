/* Random numbers for queries.c and kills.c: splitmix64 */
#ifndef CHANCE_H
#define CHANCE_H

#include <stdint.h>

static uint64_t state_of_chance = 1;

static unsigned chance(unsigned below)
{
    uint64_t x = state_of_chance += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return (unsigned)((x ^ x >> 31) >> 33) % below;
}

#endif
