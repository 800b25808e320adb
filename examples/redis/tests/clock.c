/* Preloaded into a server by windows.sh: its clock is $AHEAD seconds ahead.
   (Debian's libfaketime does not start in a server with jemalloc.) */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    const char *ahead = getenv("AHEAD");
    struct timespec t;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &t);
    now->tv_sec = t.tv_sec + (ahead ? atol(ahead) : 0);
    now->tv_usec = t.tv_nsec / 1000;
    return 0;
}
