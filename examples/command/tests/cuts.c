/* By LD_PRELOAD: copies the FILE named by CUTS before and after each call that
   writes it or changes its size, and each that prints, to CUTS.NUMBER. After
   fsync, the name ends with .synced. crash.py makes of these what a power cut
   may leave. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void copy(int fd, const char *suffix)
{
    static char bytes[1 << 16];
    static int number;
    const char *name = getenv("CUTS");
    struct stat here, there;
    char to[512];
    off_t at = 0;
    ssize_t got;
    int out, in;
    if (!name || fstat(fd, &here) != 0 || stat(name, &there) != 0
        || (fd != 1 && here.st_ino != there.st_ino))
        return;
    in = open(name, O_RDONLY);
    snprintf(to, sizeof to, "%s.%04d%s", name, number++, suffix);
    out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (; (got = read(in, bytes, sizeof bytes)) > 0; at += got)
        if (pwrite(out, bytes, (size_t)got, at) != got)
            abort();
    close(in);
    close(out);
}

#define WRAPPED(result, name, parameters, arguments, suffix) \
    result name parameters \
    { \
        result (*real) parameters; \
        result done; \
        *(void **)&real = dlsym(RTLD_NEXT, #name); \
        copy(fd, ""); \
        done = real arguments; \
        copy(fd, suffix); \
        return done; \
    }
WRAPPED(int, fsync, (int fd), (fd), ".synced")
WRAPPED(ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n), "")
WRAPPED(int, ftruncate64, (int fd, off_t size), (fd, size), "")
WRAPPED(int, fallocate64, (int fd, int how, off_t at, off_t size),
        (fd, how, at, size), "")
WRAPPED(ssize_t, pwrite64, (int fd, const void *b, size_t n, off_t at),
        (fd, b, n, at), "")
WRAPPED(int, ftruncate, (int fd, off_t size), (fd, size), "")
WRAPPED(int, fallocate, (int fd, int how, off_t at, off_t size),
        (fd, how, at, size), "")
WRAPPED(ssize_t, pwrite, (int fd, const void *b, size_t n, off_t at),
        (fd, b, n, at), "")
