/* A clock for tests, by LD_PRELOAD. It stands still at the number of seconds in
   the file CLOCK, until the test writes another number to it. Without CLOCK, it
   runs 50 times as fast as the system's, so that `bloom uniq --save 1` saves
   every 20 ms. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double seconds_in(const char *name)
{
    char text[32] = "";
    const int file = open(name, O_RDONLY);
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    return size > 0 ? atof(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    const char *name = getenv("CLOCK");
    const long status = name ? 0 : syscall(SYS_clock_gettime, clock, t);
    const double now = name ? seconds_in(name)
        : 50 * ((double)t->tv_sec + (double)t->tv_nsec / 1e9);
    t->tv_sec = (time_t)now;
    t->tv_nsec = (long)((now - (double)t->tv_sec) * 1e9);
    return (int)status;
}
