/* disk.c: files that are locked and mapped */
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

bool is_output(int fd)
{
    struct stat here, out;
    return fstat(fd, &here) == 0 && fstat(1, &out) == 0
           && here.st_dev == out.st_dev && here.st_ino == out.st_ino;
}

/* ---- Maps --------------------------------------------------------------- */

static void on_bus_error(int number)
{
    static const char text[] = "bloom: a filter's file was made shorter by "
        "another program, or its disk failed or is full\n";
    const ssize_t some = write(2, text, sizeof text - 1);
    (void)number;
    (void)some;
    _exit(2);
}

char *map_bytes(int fd, size_t at, size_t size, int how)
{
    const size_t before = at % (size_t)sysconf(_SC_PAGESIZE);
    char *map = mmap(NULL, before + size, PROT_READ | PROT_WRITE, how, fd,
                     (off_t)(at - before));
    signal(SIGBUS, on_bus_error);
    return map == MAP_FAILED ? NULL : map + before;
}

/* ---- Disk space and order ------------------------------------------------ */

int put(int fd, const void *bytes, size_t size, size_t at)
{
    const ssize_t some = pwrite(fd, bytes, size, (off_t)at);
    return some == (ssize_t)size ? 0 : some < 0 ? errno : ENOSPC;
}

int sync_file(int fd)
{
    return fsync(fd) == 0 ? 0 : errno;
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

int reserve(int fd, size_t at, size_t size, bool is_new)
{
    int why = EOPNOTSUPP;
#if !defined(__APPLE__) && !defined(__OpenBSD__)
    do
        why = posix_fallocate(fd, (off_t)at, (off_t)size);
    while (why == EINTR);
#endif
    if (why == EOPNOTSUPP || why == ENOSYS || why == EINVAL)
        why = is_new ? write_zeros(fd, at, size) : 0;
    if (why != 0 && is_new && ftruncate(fd, (off_t)at) != 0)
        return errno;
    return why;
}
