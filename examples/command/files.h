/* files.h: error messages, and reading a file. Include it first, after
   #define PROGRAM "name",  the prefix of all messages. */

#ifndef EXAMPLES_FILES_H
#define EXAMPLES_FILES_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef BEFORE_MESSAGE                  /* called before each message */
#define BEFORE_MESSAGE() ((void)0)
#endif

/* ---- Messages ----------------------------------------------------------- */

static inline void say(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    BEFORE_MESSAGE();
    fputs(PROGRAM ": ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
}

#define die(...) (say(__VA_ARGS__), exit(2))
#define die_of(why, name) die("%s: %s", name, why)

static inline void *enlarge(void *memory, size_t size, const char *name)
{
    void *larger = memory ? realloc(memory, size) : malloc(size);
    if (!larger)
        die("%s: not enough memory for %" PRIu64 " bytes", name,
            (uint64_t)size);
    return larger;
}

/* ---- Reading ------------------------------------------------------------ */

static inline const char *shown(const char *name)
{
    return strcmp(name, "-") == 0 ? "standard input" : name;
}

/* Returns -1 and sets errno if the file cannot be opened. */
static inline int try_input(const char *name)
{
    return strcmp(name, "-") == 0 ? 0 : open(name, O_RDONLY);
}

static inline int open_input(const char *name)
{
    int fd = try_input(name);
    if (fd < 0)
        die_of(strerror(errno), name);
    return fd;
}

/* Waits for at least one byte, and returns what is there. 0: end of file. */
static inline size_t read_some(int fd, const char *name, void *to, size_t most)
{
    const size_t limit = 1 << 24;   /* some systems refuse 2 GB at once */
    ssize_t got;
    do
        got = read(fd, to, most < limit ? most : limit);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        die_of(strerror(errno), shown(name));
    return (size_t)got;
}

/* ---- Names --------------------------------------------------------------- */

/* Returns PATH with `suffix`, in the same folder; free() it. A file name has at
   most 255 bytes, so a long one is cut, at a character boundary of UTF-8. */
static inline char *name_beside(const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t folder = (size_t)(base - path), size = strlen(base);
    size_t more = strlen(suffix) + 1;
    char *name = enlarge(NULL, folder + size + more, path);
    if (size > 200)
        for (size = 200; size > 0 && ((unsigned char)base[size] >> 6) == 2; )
            size--;
    memcpy(name, path, folder + size);
    memcpy(name + folder + size, suffix, more);
    return name;
}

#endif
