/* Preloaded into a server by windows.sh: its clock is $AHEAD seconds ahead.
   (Debian's libfaketime does not start in a server with jemalloc.) */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t ahead(void)
{
    const char *seconds = getenv("AHEAD");
    return seconds ? atol(seconds) : 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec t;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &t);
    now->tv_sec = t.tv_sec + ahead();
    now->tv_usec = t.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *where)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    if (where)
        *where = now.tv_sec;
    return now.tv_sec;
}
