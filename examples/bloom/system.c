/* system.c: what ISO C does not have: signals, waiting, cores, huge pages */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE                 /* madvise */
#define _DARWIN_C_SOURCE
#endif
#include "command.h"
#include <signal.h>
#include <time.h>

enum { HUGE_PAGE = 1 << 21, HUGE_FROM = 1 << 22 };

static volatile sig_atomic_t stopped_by;
static void (*last_act)(void);          /* before a signal ends the command */

#ifdef _WIN32

void prepare_system(void)
{
    _setmode(0, O_BINARY);
    _setmode(1, O_BINARY);
}

unsigned count_cores(void)
{
    const char *number = getenv("NUMBER_OF_PROCESSORS");
    return number ? (unsigned)atoi(number) : 1;
}

void *image_memory(size_t size)
{
    return malloc(size);
}

double seconds(void)
{
    return (double)time(NULL);
}

static void on_signal(int number)
{
    stopped_by = number;
}

void watch_signals(void (*act)(void))
{
    last_act = act;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
}

bool wait_for_input(int fd, double until)
{
    (void)fd;
    return stopped_by == 0 && seconds() < until;
}

#else

#include <poll.h>
#include <sys/mman.h>

void prepare_system(void)
{
    signal(SIGXFSZ, SIG_IGN);           /* is an error of write */
}

unsigned count_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}

/* A random line of a large filter costs a walk through the page tables, which
   huge pages make so small that they stay in the cache. */
void *image_memory(size_t size)
{
    bool huge = size >= HUGE_FROM;
    void *memory = NULL;
    if (posix_memalign(&memory, huge ? HUGE_PAGE : 64, size) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (huge)
        madvise(memory, size, MADV_HUGEPAGE);   /* or it is as it was */
#endif
    return memory;
}

double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int wake[2] = { -1, -1 };        /* written to by the handler */

/* The first signal asks to stop, a second one does not ask; but SIGPIPE comes
   with each write until we have. */
static void on_signal(int number)
{
    int why = errno;
    if (!last_act || (stopped_by && number != SIGPIPE))
        end_by_signal(number);
    if (!stopped_by) {
        stopped_by = number;
        if (write(wake[1], "", 1) < 0)
            stopped_by = number;        /* nothing is waiting */
    }
    errno = why;
}

/* From now on signals wait until stop_signal() is asked; with NULL they only
   have leftovers removed. Those that were ignored still are. */
void watch_signals(void (*act)(void))
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
    struct sigaction new = { 0 }, old;
    unsigned i;
    last_act = act;
    if (act && wake[0] < 0 && pipe(wake) != 0)
        die_of(strerror(errno), "pipe");
    new.sa_handler = on_signal;
    sigemptyset(&new.sa_mask);
    for (i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0
            && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &new, NULL);
}

/* false where there is nothing to be read, but a signal came or it is time. */
bool wait_for_input(int fd, double until)
{
    struct pollfd either[2] = { { 0 }, { 0 } };
    double left = until - seconds();
    either[0].fd = fd;
    either[1].fd = wake[0];
    either[0].events = either[1].events = POLLIN;
    if (stopped_by || left <= 0)
        return false;
    poll(either, 2, left > 1e6 ? -1 : (int)(left * 1000) + 1);
    return either[0].revents != 0 && !stopped_by;
}

#endif

int stop_signal(void)
{
    return stopped_by;
}

void end_by_signal(int number)
{
    remove_leftovers();
    signal(number, SIG_DFL);
    raise(number);
#ifndef _WIN32
    {
        sigset_t one;                   /* it is blocked in its own handler */
        sigemptyset(&one);
        sigaddset(&one, number);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
    }
#endif
}
