/* disk.c: files that are locked and mapped */
#ifdef __linux__
#define _GNU_SOURCE                     /* fallocate */
#endif
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Locks --------------------------------------------------------------- */

static void lock(int fd, const char *name, int how, bool may_wait)
{
    const struct timespec pause = { 0, 20000000 };
    unsigned tries = 0;
    while (flock(fd, tries < 50 ? how | LOCK_NB : how) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            die_of(strerror(errno), name);
        if (!may_wait)
            die_of("in use by another process; try again later, or leave out "
                   "--no-wait", name);
        if (++tries < 50)
            nanosleep(&pause, NULL);
        else if (tries == 50)
            say("%s: in use by another process; waiting for it to end", name);
    }
}

bool is_named(int fd, const char *name)
{
    struct stat here, there;
    return fstat(fd, &here) == 0 && stat(name, &there) == 0
           && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

int open_locked(const char *name, bool create, int (*lock_for)(int fd),
                bool may_wait)
{
    struct stat file;
    int fd, how;
    if (strcmp(name, "-") == 0)
        die("-: cannot write a filter to standard output; give a file name");
    for (;; close(fd)) {
        if (stat(name, &file) == 0 && !S_ISREG(file.st_mode))
            die_of("is not a regular file; give another name for the filter",
                   name);
        fd = open(name, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0666);
        if (fd < 0 && errno == ENOENT && !create)
            return -1;
        if (fd < 0)
            die_of(strerror(errno), name);
        how = lock_for(fd);
        lock(fd, name, how, may_wait);
        if (is_named(fd, name) && how == lock_for(fd))
            return fd;
    }
}

void lock_moves(int fd, short how)
{
#ifdef __linux__
    const struct timespec pause = { 0, 10000000 };
    struct flock byte = { 0 };
    unsigned tries = 0;
    byte.l_type = how;
    byte.l_whence = SEEK_SET;
    byte.l_len = 1;
    while (fcntl(fd, F_SETLK, &byte) != 0 && ++tries < 500
           && (errno == EAGAIN || errno == EACCES || errno == EINTR))
        nanosleep(&pause, NULL);
#else
    (void)fd;
    (void)how;
#endif
}

bool is_output(int fd)
{
    struct stat here, out;
    return fstat(fd, &here) == 0 && fstat(1, &out) == 0
           && here.st_dev == out.st_dev && here.st_ino == out.st_ino;
}

/* ---- Maps --------------------------------------------------------------- */

/* All that were made, the last one first. Of those at one address, the last one
   may still be there. */
static struct map {
    const char *start, *end, *name;
    struct map *next;
} *maps;

static void print(const char *text)
{
    const ssize_t some = write(2, text, strlen(text));
    (void)some;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    const char *at = info->si_addr;
    const struct map *m = maps;
    (void)number;
    (void)context;
    while (m && (at < m->start || at >= m->end))
        m = m->next;
    print("bloom: ");
    print(m ? m->name : "a filter's file");
    print(": was made shorter by another program, or its disk failed or is "
          "full\n");
    _exit(2);
}

char *map_bytes(int fd, const char *name, size_t at, size_t size, int how)
{
    const size_t before = at % (size_t)sysconf(_SC_PAGESIZE);
    char *start = mmap(NULL, before + size, PROT_READ | PROT_WRITE, how, fd,
                       (off_t)(at - before));
    struct sigaction action = { 0 };
    struct map *m;
    if (start == MAP_FAILED)
        return NULL;
    m = enlarge(NULL, sizeof *m);
    m->start = start;
    m->end = start + before + size;
    m->name = name;
    m->next = maps;
    maps = m;
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = on_bus_error;
    sigaction(SIGBUS, &action, NULL);
    return start + before;
}

/* ---- Disk space and order ------------------------------------------------ */

int put(int fd, const void *bytes, size_t size, size_t at)
{
    const ssize_t some = pwrite(fd, bytes, size, (off_t)at);
    return some == (ssize_t)size ? 0 : some < 0 ? errno : ENOSPC;
}

int sync_file(int fd)
{
#ifdef F_FULLFSYNC                      /* macOS: also the memory of the disk */
    if (fcntl(fd, F_FULLFSYNC) == 0)
        return 0;
#endif
    return fsync(fd) == 0 ? 0 : errno;
}

int sync_map(const void *at, size_t size)
{
#ifdef __linux__                        /* sync_file is enough */
    (void)at;
    (void)size;
    return 0;
#else
    const size_t before = (uintptr_t)at % (size_t)sysconf(_SC_PAGESIZE);
    char *page = (char *)(uintptr_t)at - before;
    return msync(page, before + size, MS_SYNC) == 0 ? 0 : errno;
#endif
}

static int write_zeros(int fd, size_t at, size_t size)
{
    static const char zeros[1 << 16];
    int why = 0;
    while (size > 0 && why == 0) {
        const size_t some = size < sizeof zeros ? size : sizeof zeros;
        why = put(fd, zeros, some, at);
        at += some;
        size -= some;
    }
    return why;
}

/* Not posix_fallocate: where the file system cannot do it, glibc reads a byte
   of each block and writes it again, which undoes what another process has set
   there meanwhile. */
static int allocate(int fd, size_t at, size_t size)
{
#ifdef FALLOC_FL_KEEP_SIZE              /* Linux */
    int failed;
    do
        failed = fallocate(fd, 0, (off_t)at, (off_t)size);
    while (failed && errno == EINTR);
    return failed ? errno : 0;
#else
    (void)fd;
    (void)at;
    (void)size;
    return EOPNOTSUPP;
#endif
}

int reserve(int fd, size_t at, size_t size, bool is_new)
{
    int why = allocate(fd, at, size);
    if (why == EOPNOTSUPP || why == ENOSYS || why == EINVAL)
        why = is_new ? write_zeros(fd, at, size) : 0;
    if (why != 0 && is_new && ftruncate(fd, (off_t)at) != 0)
        return errno;
    return why;
}
