/* Preloaded into a server by windows.sh: its clock stands still at the
   milliseconds in the file $CLOCK, until a test writes others there. They must
   lie ahead of the real time: jemalloc's thread sleeps until a time of this
   clock. Without it, no test could wait for items that expire in a day, or
   look them up in the last millisecond. (Debian's libfaketime does not start
   in a server with jemalloc.) */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static long long milliseconds(void)
{
    static const volatile long long *now;
    if (!now)
        now = mmap(NULL, sizeof *now, PROT_READ, MAP_SHARED,
                   open(getenv("CLOCK"), O_RDONLY), 0);
    return *now;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    long long ms = milliseconds();
    (void)zone;
    now->tv_sec = (time_t)(ms / 1000);
    now->tv_usec = (suseconds_t)(ms % 1000 * 1000);
    return 0;
}

time_t time(time_t *where)
{
    time_t now = (time_t)(milliseconds() / 1000);
    if (where)
        *where = now;
    return now;
}
