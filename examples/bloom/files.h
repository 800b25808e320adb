/* files.h: to say what is wrong, to read a file, to replace a file.

   Include it first, after  #define PROGRAM "name"  with which messages begin.
   A file is replaced by another that is written beside it and then takes its
   name: whatever happens, there is the old one or the new one. */

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

#ifdef _WIN32
#include <io.h>
#define fsync _commit
#define fchmod(fd, mode) 0
#define ftruncate _chsize_s
#define readlink(name, to, room) (-1)
#define replace_file(from, to) (remove(to), rename(from, to))
#else
#define O_BINARY 0
#define replace_file rename
#endif

#ifndef BEFORE_MESSAGE                  /* to be done before anything is said */
#define BEFORE_MESSAGE() ((void)0)
#endif

/* ---- What is wrong ------------------------------------------------------ */

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

/* -1, and errno: it cannot be opened. */
static inline int try_input(const char *name)
{
    return strcmp(name, "-") == 0 ? 0 : open(name, O_RDONLY | O_BINARY);
}

static inline int open_input(const char *name)
{
    int fd = try_input(name);
    if (fd < 0)
        die_of(strerror(errno), name);
    return fd;
}

/* What has arrived by now, or the next to arrive. 0: the end. */
static inline size_t read_some(int fd, const char *name, void *to, size_t most)
{
    const size_t limit = 1 << 24;   /* some systems do not take 2 GB at once */
    ssize_t got;
    do
        got = read(fd, to, most < limit ? most : limit);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        die_of(strerror(errno), shown(name));
    return (size_t)got;
}

/* ---- Writing ------------------------------------------------------------ */

/* PATH with `suffix`, in the same folder. Names end at 255 bytes: a long one
   is cut, between two characters of UTF-8. To be freed. */
static inline char *name_beside(const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t folder = (size_t)(base - path), size = strlen(base);
    char *name = enlarge(NULL, folder + size + strlen(suffix) + 1, path);
    if (size > 200)
        for (size = 200; size > 0 && ((unsigned char)base[size] >> 6) == 2; )
            size--;
    memcpy(name, path, folder + size);
    strcpy(name + folder + size, suffix);
    return name;
}

typedef struct beside {
    const char *path;               /* of the file to be replaced */
    char *name;                     /* of the one beside it */
    FILE *file;                     /* write here */
} beside;

/* A new file; false, and errno: it cannot be made, or is there already. */
static inline bool create_beside(beside *b, const char *path,
                                 const char *suffix)
{
    int fd, why;
    b->path = path;
    b->name = name_beside(path, suffix);
    fd = open(b->name, O_WRONLY | O_CREAT | O_EXCL | O_BINARY, 0666);
    b->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (b->file)
        return true;
    why = errno;
    if (fd >= 0) {
        close(fd);
        remove(b->name);
    }
    free(b->name);
    b->name = NULL;
    errno = why;
    return false;
}

/* It takes the name and the mode of the old file, if there is one. false, and
   errno: it cannot, and the old one is left. */
static inline bool replace_by(beside *b)
{
    struct stat old;
    bool good = fflush(b->file) == 0
                && (stat(b->path, &old) != 0
                    || fchmod(fileno(b->file), old.st_mode & 0777) == 0)
                && fsync(fileno(b->file)) == 0;
    good = (fclose(b->file) == 0) && good;
    b->file = NULL;
    return good && replace_file(b->name, b->path) == 0;
}

/* Also after replace_by has failed; errno is kept. */
static inline void remove_beside(beside *b)
{
    int why = errno;
    if (b->file)
        fclose(b->file);
    remove(b->name);
    b->file = NULL;
    errno = why;
}

#endif
