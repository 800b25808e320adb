/* system.c: cores, clocks, signals, waiting */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE                     /* FIONREAD, F_GETPIPE_SZ */
#define _DARWIN_C_SOURCE
#endif
#include "system.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stopped_by, signals_came, can_wait, asked;
static void (*before_end)(void);        /* NULL: nothing to clean up */

#ifdef CLOCK_BOOTTIME
#define STEADY CLOCK_BOOTTIME           /* goes on while the machine sleeps */
#else
#define STEADY CLOCK_MONOTONIC
#endif

static double at_start;                 /* system's clock less seconds() */

/* If a standard stream is closed, the next file to be opened would take its
   number. This opens /dev/null in its place, in the wrong mode, so that reading
   or writing the stream fails. */
void prepare_system(void)
{
    int fd;
    at_start = (double)milliseconds() / 1000 - seconds();
    signal(SIGXFSZ, SIG_IGN);           /* write then fails with EFBIG */
    watch_questions(false);
    for (fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

unsigned count_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}

/* Linux tells through which mount a file was opened. Returns -1 if that is
   unknown. */
static long mount_of(int fd)
{
    char line[128];
    long number = -1;
    FILE *facts;
    snprintf(line, sizeof line, "/proc/self/fdinfo/%d", fd);
    facts = fopen(line, "r");
    while (facts && number < 0 && fgets(line, sizeof line, facts))
        if (strncmp(line, "mnt_id:", 7) == 0)
            number = strtol(line + 7, NULL, 10);
    if (facts)
        fclose(facts);
    return number;
}

bool is_mount_point(const char *path, int beside)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK);
    const long here = fd < 0 ? -1 : mount_of(fd), there = mount_of(beside);
    if (fd >= 0)
        close(fd);
    return here >= 0 && there >= 0 && here != there;
}

double seconds(void)
{
    struct timespec now;
    clock_gettime(STEADY, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

double clock_set_ahead(void)
{
    return (double)milliseconds() / 1000 - seconds() - at_start;
}

/* ---- Signals ------------------------------------------------------------ */

void before_end_by_signal(void (*clean_up)(void))
{
    before_end = clean_up;
}

static const int signals[] = {
    SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGALRM, SIGUSR2,
    SIGXCPU, SIGVTALRM, SIGPROF
};

enum { SIGNALS = sizeof signals / sizeof *signals };

static int wake[2] = { -1, -1 };        /* pipe; the handler writes to it */

static void on_signal(int number)
{
    int why = errno;
    if (!can_wait)
        end_by_signal(number);
    if (!stopped_by)
        stopped_by = number;
    if (signals_came < 2)
        signals_came++;
    if (write(wake[1], "", 1) < 0)
        can_wait = 1;                   /* pipe full: it wakes poll anyway */
    errno = why;
}

static void on_question(int number)
{
    const int why = errno;
    (void)number;
    asked = 1;
    if (wake[1] >= 0 && write(wake[1], "", 1) < 0)
        asked = 1;                      /* pipe full: it wakes poll anyway */
    errno = why;
}

static void open_wake(void)
{
    if (wake[0] < 0
        && (pipe(wake) != 0 || fcntl(wake[0], F_SETFL, O_NONBLOCK) != 0
            || fcntl(wake[1], F_SETFL, O_NONBLOCK) != 0))
        die_of(strerror(errno), "pipe");
}

/* An ignored signal stays ignored. */
static void watch(int number, void (*handler)(int), int flags)
{
    struct sigaction new = { 0 }, old;
    new.sa_handler = handler;
    new.sa_flags = flags;
    sigemptyset(&new.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &new, NULL);
}

void watch_signals(bool may_wait)
{
    unsigned i;
    if (may_wait)
        open_wake();
    can_wait = may_wait;
    for (i = 0; i < SIGNALS; i++)
        watch(signals[i], on_signal, 0);
}

void watch_questions(bool at_work)
{
    if (at_work)
        open_wake();
    watch(SIGUSR1, on_question, at_work ? 0 : SA_RESTART);
}

bool was_asked(void)
{
    const bool now = asked;
    if (now)
        asked = 0;
    return now;
}

void hold_signals(bool held)
{
    sigset_t all;
    unsigned i;
    sigemptyset(&all);
    sigaddset(&all, SIGUSR1);
    for (i = 0; i < SIGNALS; i++)
        sigaddset(&all, signals[i]);
    sigprocmask(held ? SIG_BLOCK : SIG_UNBLOCK, &all, NULL);
}

/* ---- Waiting ------------------------------------------------------------ */

/* Returns true when fd is ready, and false if a signal or the time comes
   first. */
static bool wait_for(int fd, short events, double until)
{
    struct pollfd either[2] = { { 0 }, { 0 } };
    double left = until - seconds();
    char came[16];
    if (left <= 0)
        return false;
    either[0].fd = fd;
    either[1].fd = wake[0];
    either[0].events = events;
    either[1].events = POLLIN;
    poll(either, 2, left > 1e6 ? -1 : (int)(left * 1000) + 1);
    if (either[1].revents && read(wake[0], came, sizeof came) > 0)
        return false;
    return either[0].revents != 0;
}

bool wait_for_input(int fd, double until)
{
    return !stopped_by && wait_for(fd, POLLIN, until) && !stopped_by;
}

/* ---- Standard output ---------------------------------------------------- */

#ifndef PIPE_BUF
#define PIPE_BUF 512                    /* the minimum in POSIX */
#endif
#ifndef F_GETPIPE_SZ
#define F_GETPIPE_SZ (-1)
#endif

static struct { bool known, is_pipe, may_wait; size_t capacity; } sink;

static void look_at_output(void)
{
    struct stat out;
    int capacity = -1;
    sink.known = true;
    if (fstat(1, &out) != 0)
        return;
    sink.is_pipe = S_ISFIFO(out.st_mode);
    sink.may_wait = sink.is_pipe || S_ISSOCK(out.st_mode) || isatty(1);
    if (sink.is_pipe)
        capacity = fcntl(1, F_GETPIPE_SZ);
    sink.capacity = capacity > PIPE_BUF ? (size_t)capacity : PIPE_BUF;
}

size_t unread_output(void)
{
    int unread = 0;
    if (!sink.known)
        look_at_output();
#ifdef FIONREAD
    if (sink.is_pipe && ioctl(1, FIONREAD, &unread) != 0)
        unread = 0;
#endif
    return unread > 0 ? (size_t)unread : 0;
}

/* An empty pipe takes its full capacity without blocking. One that poll calls
   writable takes PIPE_BUF bytes. */
size_t room_in_output(double until)
{
    if (!sink.known)
        look_at_output();
    if (!sink.may_wait)
        return SIZE_MAX;
#ifdef FIONREAD
    if (sink.is_pipe && unread_output() == 0)
        return sink.capacity;
#endif
    return wait_for(1, POLLOUT, until) ? PIPE_BUF : 0;
}

bool reader_exits(double until)
{
    return wait_for(1, 0, until);       /* poll always reports POLLERR */
}

int stop_signal(void)
{
    return stopped_by;
}

bool stop_now(void)
{
    return signals_came > 1;
}

void end_by_signal(int number)
{
    sigset_t one;
    if (before_end)
        before_end();
    signal(number, SIG_DFL);
    sigemptyset(&one);                  /* a handler runs with it blocked */
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
}
