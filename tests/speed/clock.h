/* The clock of the speed programs */
#ifndef CLOCK_H
#define CLOCK_H

#include <time.h>

static inline double now(void)          /* ns */
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#endif
