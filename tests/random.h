/* Random numbers of the tests, the same in every run: splitmix64 (Steele, Lea,
   Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). A test
   that others should not influence sets `random_state` first. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

#define RANDOM_STEP 0x9E3779B97F4A7C15U /* of `random_state` */

static uint64_t random_state;

static inline uint64_t random_at(uint64_t z)    /* when `random_state` was z */
{
    z += RANDOM_STEP;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

static inline uint64_t random64(void)
{
    const uint64_t z = random_at(random_state);
    random_state += RANDOM_STEP;
    return z;
}

static inline uint32_t below(uint64_t limit)    /* below 2^31, too */
{
    return (uint32_t)((random64() >> 33) % limit);
}

#endif
