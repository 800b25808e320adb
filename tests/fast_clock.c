/* A clock that runs 50 times as fast, for `make crash`: with it in LD_PRELOAD
   `bloom uniq --save 1` saves every 20 ms. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
    long status = syscall(SYS_clock_gettime, clock, t);
    double fast = 50 * ((double)t->tv_sec + (double)t->tv_nsec / 1e9);
    t->tv_sec = (time_t)fast;
    t->tv_nsec = (long)((fast - (double)t->tv_sec) * 1e9);
    return (int)status;
}
