/* SPDX-License-Identifier: MIT OR Unlicense
   bloom_file.h: files for the images of bloom.h, on POSIX systems and Windows.
   Filters, windows and slices are one block of bytes each, as is what
   bloom_chain_write writes. So three calls serve them all: save, load and map.

   Saving by fopen and fwrite is not safe: it empties the old file first, and a
   crash or a full disk then leaves a part of the new one. bloom_file_save
   writes a new file beside the old one and renames it. At any time, also after
   a crash or a power cut, the file is the whole old one or the whole new one.

   USE
       #include "bloom_file.h"                 // first; it includes bloom.h
       bloom_seal(b);
       int why = bloom_file_save("seen.bloom", b, bloom_size(b));
       if (why)
           fprintf(stderr, "seen.bloom: %s\n", strerror(why));

       size_t size;
       bloom_error error;
       void *image = bloom_file_load("seen.bloom", SIZE_MAX, &size);
       bloom *b = image ? bloom_open(image, size, &error) : NULL;
       if (b && bloom_verify(b) == BLOOM_OK)   // a damaged file loses keys
           bloom_may_contain(b, "apple", 5);
       bloom_file_free(image);                 // not bloom_free(b)

       const void *file = bloom_file_map("seen.bloom", &size);
       const bloom *b = file ? bloom_view(file, size, &error) : NULL;
   #define BLOOM_IMPLEMENTATION in one file, or BLOOM_STATIC here: see bloom.h.

   Names are UTF-8 on Windows, and bytes elsewhere. Errors are those of errno.

   OPTIONS are macros. Define them before every #include of this file.
     BLOOM_FILE_API             stands before each function. The default is
                                static inline. To export the functions from a
                                library, #define it extern in one of its files.
     BLOOM_FILE_MALLOC(size)    and BLOOM_FILE_FREE(pointer) replace the memory
                                of bloom_file_load. It must be aligned to 32.

   This file needs functions of POSIX 2008. Compilers with -std=c99 declare them
   only if _POSIX_C_SOURCE is 200809L before the first #include of a file. This
   one defines it, so include it first.
   Threads: all calls may run at the same time, also for the same file. */

#ifndef BLOOM_FILE_H
#define BLOOM_FILE_H

#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE) \
    && !defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif

#include "bloom.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(BLOOM_VERSION) || BLOOM_VERSION < 20200
#error "bloom_file.h needs bloom.h 2.2.0 or later, but the compiler found \
another bloom.h first: copy the right one into the folder of bloom_file.h"
#endif
#ifndef O_CLOEXEC
#error "bloom_file.h: include it first, or compile with -std=gnu99 or with \
-D_POSIX_C_SOURCE=200809L"
#endif
#if defined(BLOOM_FILE_MALLOC) != defined(BLOOM_FILE_FREE)
#error "bloom_file.h: define both BLOOM_FILE_MALLOC and BLOOM_FILE_FREE"
#endif
#ifndef BLOOM_FILE_API
#define BLOOM_FILE_API static inline
#endif

#ifdef BLOOM_NAME_                      /* see "Names" in bloom.h */
#define bloom_file_save BLOOM_NAME_(bloom_file_save)
#define bloom_file_load BLOOM_NAME_(bloom_file_load)
#define bloom_file_free BLOOM_NAME_(bloom_file_free)
#define bloom_file_map BLOOM_NAME_(bloom_file_map)
#define bloom_file_unmap BLOOM_NAME_(bloom_file_unmap)
#define bloom_file_begin BLOOM_NAME_(bloom_file_begin)
#define bloom_file_reserve BLOOM_NAME_(bloom_file_reserve)
#define bloom_file_put BLOOM_NAME_(bloom_file_put)
#define bloom_file_finish BLOOM_NAME_(bloom_file_finish)
#define bloom_file_cancel BLOOM_NAME_(bloom_file_cancel)
#endif

/* The code is C. These warnings of C++ compilers concern C's casts and NULL. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wuseless-cast"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Whole files -------------------------------------------------------- */

/* Replaces the file by the `size` bytes at image, or creates it. Returns 0 or
   an errno. After an error, the old file is unchanged, and nothing is left.
   (One exception: if the disk fails while the folder is written, the new file
   may be in place.)
   The new file is written beside the old one, synchronised and renamed, and the
   folder is synchronised. It gets the owner, group and permissions of the old
   one: if the system forbids that, the result is EPERM. A file that may not be
   written is not replaced, either (EACCES). A symbolic link stays, and the file
   that it names is replaced. A hard link keeps the old file.
   A FIFO or a character device (/dev/stdout) is written to directly. A folder
   is EISDIR, and anything else EINVAL.
   If two programs save the same file, the last one to rename its file wins. A
   program that is killed while it saves leaves the new file, whose name ends
   with ".new." and two numbers: remove it. */
BLOOM_FILE_API int bloom_file_save(const char *name, const void *image,
                                   size_t size);

/* Reads a whole file, also from a pipe, into memory that is aligned to 32 bytes
   and that bloom_file_free frees. NULL: errno says why. It is EFBIG if the file
   has more than `most` bytes, and EBUSY if its size has changed meanwhile. Give
   a limit for files of strangers. An empty file is not an error: *size is 0. */
BLOOM_FILE_API void *bloom_file_load(const char *name, size_t most,
                                     size_t *size);
BLOOM_FILE_API void bloom_file_free(void *image);       /* may be NULL */

/* Maps a regular file into memory, to be read only. The system loads its pages
   when they are used, and programs that map the same file share them. NULL:
   errno says why. While the file is mapped, bloom_file_save may replace it: the
   map keeps the old one. But if another program makes the file shorter in
   place, reading the map ends the program (SIGBUS). */
BLOOM_FILE_API const void *bloom_file_map(const char *name, size_t *size);
BLOOM_FILE_API void bloom_file_unmap(const void *image, size_t size);

/* ---- Saving step by step ------------------------------------------------
   For an image in several blocks, or to reserve disk space in advance:
       bloom_file f;
       int why = bloom_file_begin(&f, "seen.chain", NULL);
       if (!why && (why = bloom_file_put(&f, head, sizeof head)) != 0)
           bloom_file_cancel(&f);
       else if (!why)
           why = bloom_file_finish(&f);
   Each returns 0 or an errno. After bloom_file_begin has succeeded, call finish
   or cancel once. */

typedef struct bloom_file {
    char *target;           /* the file to be replaced: links are resolved */
    char *name;             /* the new file beside it */
    int fd;                 /* the new file, open for writing */
    uint64_t size;          /* bytes that were put */
    uint64_t reserved;
} bloom_file;

/* Creates the new file, named like the old one with a suffix, which must not
   exist (EEXIST). If suffix is NULL, it finds a free one. */
BLOOM_FILE_API int bloom_file_begin(bloom_file *f, const char *name,
                                    const char *suffix);

/* Reserves disk space for `size` bytes in all, so that a later
   bloom_file_put cannot find the disk full. */
BLOOM_FILE_API int bloom_file_reserve(bloom_file *f, uint64_t size);

/* Appends bytes to the new file. */
BLOOM_FILE_API int bloom_file_put(bloom_file *f, const void *bytes,
                                  size_t size);

/* Replaces the old file. After an error, it has done what cancel does. */
BLOOM_FILE_API int bloom_file_finish(bloom_file *f);

/* Removes the new file. The old one stays. errno is unchanged. */
BLOOM_FILE_API void bloom_file_cancel(bloom_file *f);

/* ==== Code ================================================================ */

/* Bytes per call of read and write. Some systems refuse 2 GB at once. */
#define BLOOM_FILE_MOST_ ((size_t)1 << 24)

static inline int bloom_file_why_(void)
{
    return errno != 0 ? errno : EIO;
}

/* ---- Names -------------------------------------------------------------- */

/* The first `keep` bytes of path, and `more`; NULL and ENOMEM */
static inline char *bloom_file_join_(const char *path, size_t keep,
                                     const char *more, size_t size)
{
    char *name = (char *)malloc(keep + size + 1);
    if (!name) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(name, path, keep);
    memcpy(name + keep, more, size);
    name[keep + size] = '\0';
    return name;
}

/* How many bytes of a path belong to its folder, with the last slash */
static inline size_t bloom_file_folder_size_(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The path and a suffix. File names have at most 255 bytes, so a long one is
   cut where a character of UTF-8 begins. */
static inline char *bloom_file_beside_(const char *path, const char *suffix)
{
    const size_t folder = bloom_file_folder_size_(path);
    size_t keep = strlen(path);
    if (keep - folder > 200)
        for (keep = folder + 200; keep > folder
             && ((unsigned char)path[keep] >> 6) == 2; )
            keep--;
    return bloom_file_join_(path, keep, suffix, strlen(suffix));
}

/* The path that symbolic links lead to. No file needs to be there. NULL: see
   errno. */
static inline char *bloom_file_follow_(const char *path)
{
    char text[4096], *at = bloom_file_join_(path, strlen(path), "", 0), *next;
    unsigned links = 0;
    ssize_t size = 0;
    while (at && (size = readlink(at, text, sizeof text)) >= 0) {
        next = NULL;
        if ((size_t)size == sizeof text || ++links > 40)
            errno = links > 40 ? ELOOP : ENAMETOOLONG;
        else
            next = bloom_file_join_(
                at, text[0] == '/' ? 0 : bloom_file_folder_size_(at), text,
                (size_t)size);
        free(at);
        at = next;
    }
    return at;
}

/* ---- Saving ------------------------------------------------------------- */

/* Looks at the file to be replaced: 0 if it may be. old->st_mode is 0 if there
   is none. */
static inline int bloom_file_look_(const char *path, struct stat *old)
{
    if (lstat(path, old) != 0) {
        old->st_mode = 0;
        return errno == ENOENT ? 0 : bloom_file_why_();
    }
    if (!S_ISREG(old->st_mode))
        return S_ISDIR(old->st_mode) ? EISDIR : EINVAL;
    return access(path, W_OK) == 0 ? 0 : bloom_file_why_();
}

/* Gives the new file the owner and group of the old one, if there is one. */
static inline int bloom_file_own_(int fd, const struct stat *old)
{
    struct stat now;
    if (old->st_mode == 0)
        return 0;
    if (fstat(fd, &now) != 0)
        return bloom_file_why_();
    if (now.st_uid == old->st_uid && now.st_gid == old->st_gid)
        return 0;
    return fchown(fd, old->st_uid, old->st_gid) == 0 ? 0 : bloom_file_why_();
}

/* Only the owner may read the new file until it has the old one's mode. */
static inline int bloom_file_create_(bloom_file *f, const char *suffix,
                                     bool secret)
{
    f->name = bloom_file_beside_(f->target, suffix);
    if (!f->name)
        return ENOMEM;
    f->fd = open(f->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                 secret ? 0600 : 0666);
    if (f->fd >= 0)
        return 0;
    free(f->name);
    f->name = NULL;
    return bloom_file_why_();
}

BLOOM_FILE_API void bloom_file_cancel(bloom_file *f)
{
    const int why = errno;
    if (f->fd >= 0)
        close(f->fd);
    if (f->name)
        unlink(f->name);
    free(f->name);
    free(f->target);
    f->name = f->target = NULL;
    f->fd = -1;
    errno = why;
}

BLOOM_FILE_API int bloom_file_begin(bloom_file *f, const char *name,
                                    const char *suffix)
{
    struct stat old;
    char own[64];
    unsigned tries = 0;
    int why;
    f->fd = -1;
    f->name = NULL;
    f->size = f->reserved = 0;
    f->target = bloom_file_follow_(name);
    if (!f->target)
        return bloom_file_why_();
    why = bloom_file_look_(f->target, &old);
    if (why == 0)
        do {
            sprintf(own, ".new.%ld.%u", (long)getpid(), tries);
            why = bloom_file_create_(f, suffix ? suffix : own,
                                     old.st_mode != 0);
        } while (why == EEXIST && !suffix && ++tries < 10000);
    if (why == 0)
        why = bloom_file_own_(f->fd, &old);
    if (why != 0)
        bloom_file_cancel(f);
    return why;
}

static inline int bloom_file_write_(int fd, const void *bytes, size_t size)
{
    const char *from = (const char *)bytes;
    while (size > 0) {
        const size_t most = size < BLOOM_FILE_MOST_ ? size : BLOOM_FILE_MOST_;
        const ssize_t some = write(fd, from, most);
        if (some < 0 && errno != EINTR)
            return bloom_file_why_();
        from += some > 0 ? some : 0;
        size -= some > 0 ? (size_t)some : 0;
    }
    return 0;
}

BLOOM_FILE_API int bloom_file_put(bloom_file *f, const void *bytes, size_t size)
{
    const int why = bloom_file_write_(f->fd, bytes, size);
    f->size += why == 0 ? size : 0;
    return why;
}

/* Writing zeros reserves disk space in any file system. */
static inline int bloom_file_zeros_(int fd, uint64_t from, uint64_t size)
{
    char zeros[4096];
    memset(zeros, 0, sizeof zeros);
    while (size > 0) {
        const size_t most = size < sizeof zeros ? (size_t)size : sizeof zeros;
        const ssize_t some = pwrite(fd, zeros, most, (off_t)from);
        if (some < 0 && errno != EINTR)
            return bloom_file_why_();
        from += some > 0 ? (uint64_t)some : 0;
        size -= some > 0 ? (uint64_t)some : 0;
    }
    return 0;
}

BLOOM_FILE_API int bloom_file_reserve(bloom_file *f, uint64_t size)
{
    const uint64_t from = f->reserved > f->size ? f->reserved : f->size;
    int why = EOPNOTSUPP;
    if (size <= from)
        return 0;
#if defined(_POSIX_ADVISORY_INFO) && _POSIX_ADVISORY_INFO > 0
    do
        why = posix_fallocate(f->fd, (off_t)from, (off_t)(size - from));
    while (why == EINTR);
#endif
    if (why == EOPNOTSUPP || why == EINVAL)
        why = bloom_file_zeros_(f->fd, from, size - from);
    if (why == 0)
        f->reserved = size;
    return why;
}

/* macOS writes to the disk's own memory only, unless it is told otherwise. */
static inline int bloom_file_sync_(int fd)
{
    int result;
    do {
#ifdef F_FULLFSYNC
        result = fcntl(fd, F_FULLFSYNC);
        if (result != 0 && errno != EINTR)
            result = fsync(fd);
#else
        result = fsync(fd);
#endif
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : bloom_file_why_();
}

/* Opens the folder of a file, to synchronise it. *fd is -1 if the folder may be
   written but not be read. */
static inline int bloom_file_folder_(const char *path, int *fd)
{
    char *name = bloom_file_join_(path, bloom_file_folder_size_(path), ".", 1);
    *fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    free(name);
    return *fd >= 0 || errno == EACCES ? 0 : bloom_file_why_();
}

/* Renames the new file. After that, its first name may be somebody else's. Some
   file systems cannot synchronise a folder, and say EINVAL. */
static inline int bloom_file_rename_(bloom_file *f)
{
    int folder, why = bloom_file_folder_(f->target, &folder);
    if (why == 0 && rename(f->name, f->target) != 0)
        why = bloom_file_why_();
    if (why == 0) {
        free(f->name);
        f->name = NULL;
        why = folder >= 0 ? bloom_file_sync_(folder) : 0;
        if (why == EINVAL || why == EOPNOTSUPP || why == ENOTSUP)
            why = 0;
    }
    if (folder >= 0)
        close(folder);
    return why;
}

/* Makes the new file ready to replace the old one. */
static inline int bloom_file_complete_(bloom_file *f)
{
    struct stat old;
    int why = bloom_file_look_(f->target, &old);
    if (why == 0 && f->reserved > f->size
        && ftruncate(f->fd, (off_t)f->size) != 0)
        why = bloom_file_why_();
    if (why == 0)
        why = bloom_file_own_(f->fd, &old);
    if (why == 0 && old.st_mode != 0 && fchmod(f->fd, old.st_mode & 0777) != 0)
        why = bloom_file_why_();
    return why == 0 ? bloom_file_sync_(f->fd) : why;
}

BLOOM_FILE_API int bloom_file_finish(bloom_file *f)
{
    int why = bloom_file_complete_(f);
    if (close(f->fd) != 0 && why == 0)
        why = bloom_file_why_();
    f->fd = -1;
    if (why == 0)
        why = bloom_file_rename_(f);
    bloom_file_cancel(f);
    return why;
}

static inline int bloom_file_write_to_(const char *name, const void *image,
                                       size_t size)
{
    const int fd = open(name, O_WRONLY | O_CLOEXEC);
    int why;
    if (fd < 0)
        return bloom_file_why_();
    why = bloom_file_write_(fd, image, size);
    if (close(fd) != 0 && why == 0)
        why = bloom_file_why_();
    return why;
}

BLOOM_FILE_API int bloom_file_save(const char *name, const void *image,
                                   size_t size)
{
    struct stat there;
    bloom_file f;
    int why;
    if (stat(name, &there) == 0
        && (S_ISFIFO(there.st_mode) || S_ISCHR(there.st_mode)))
        return bloom_file_write_to_(name, image, size);
    why = bloom_file_begin(&f, name, NULL);
    if (why != 0)
        return why;
    why = bloom_file_put(&f, image, size);
    if (why == 0)
        return bloom_file_finish(&f);
    bloom_file_cancel(&f);
    return why;
}

/* ---- Loading ------------------------------------------------------------ */

BLOOM_FILE_API void bloom_file_free(void *image)
{
#ifdef BLOOM_FILE_FREE
    BLOOM_FILE_FREE(image);
#else
    free(image);
#endif
}

static inline void *bloom_file_allocate_(size_t size)
{
#ifdef BLOOM_FILE_MALLOC
    void *memory = BLOOM_FILE_MALLOC(size > 0 ? size : 1);
#else
    void *memory = NULL;
    if (posix_memalign(&memory, 64, size > 0 ? size : 1) != 0)
        memory = NULL;
#endif
    if (!memory)
        errno = ENOMEM;
    return memory;
}

/* Reads until the memory is full or the file ends. false: see errno */
static inline bool bloom_file_fill_(int fd, char *to, size_t size, size_t *got)
{
    ssize_t some = 1;
    for (*got = 0; some != 0 && *got < size; ) {
        const size_t most = size - *got;
        some = read(fd, to + *got, most < BLOOM_FILE_MOST_ ? most
                                                           : BLOOM_FILE_MOST_);
        if (some < 0 && errno != EINTR)
            return false;
        *got += some > 0 ? (size_t)some : 0;
    }
    return true;
}

/* Reads to the end of the file, with memory for one more byte than it has. The
   size that the system reports is only a guess: that of a pipe is 0. */
static inline char *bloom_file_read_(int fd, size_t guess, size_t most,
                                     size_t *size)
{
    const size_t limit = most < SIZE_MAX ? most + 1 : most;
    size_t room = guess < limit ? guess + 1 : limit, got;
    char *memory = (char *)bloom_file_allocate_(room), *larger = NULL;
    *size = 0;
    while (memory
           && bloom_file_fill_(fd, memory + *size, room - *size, &got)) {
        *size += got;
        if (*size < room)
            return memory;
        errno = EFBIG;
        if (room == limit)
            break;
        room = room < limit / 2 ? 2 * room : limit;
        larger = (char *)bloom_file_allocate_(room);
        if (!larger)
            break;
        memcpy(larger, memory, *size);
        bloom_file_free(memory);
        memory = larger;
    }
    bloom_file_free(memory);
    return NULL;
}

static inline bool bloom_file_is_whole_(int fd, const struct stat *before,
                                        size_t size)
{
    struct stat now;
    if (fstat(fd, &now) != 0)
        return false;
    if (!S_ISREG(now.st_mode) || (now.st_size == before->st_size
        && (now.st_size == 0 || (uint64_t)now.st_size == size)))
        return true;
    errno = EBUSY;
    return false;
}

/* Opens a file to be read; -1: see errno */
static inline int bloom_file_open_(const char *name, struct stat *file)
{
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, file) == 0)
        return fd;
    if (fd >= 0) {
        const int why = errno;
        close(fd);
        errno = why;
    }
    return -1;
}

BLOOM_FILE_API void *bloom_file_load(const char *name, size_t most,
                                     size_t *size)
{
    struct stat file;
    const int fd = bloom_file_open_(name, &file);
    char *memory;
    int why;
    *size = 0;
    if (fd < 0)
        return NULL;
    if (!S_ISREG(file.st_mode))
        file.st_size = 1 << 16;
    memory = bloom_file_read_(fd, (size_t)file.st_size, most, size);
    if (memory && !bloom_file_is_whole_(fd, &file, *size)) {
        bloom_file_free(memory);
        memory = NULL;
    }
    why = errno;
    close(fd);
    if (!memory) {
        *size = 0;
        errno = why;
    }
    return memory;
}

/* A map cannot be empty, so the map of an empty file is no map. */
BLOOM_FILE_API const void *bloom_file_map(const char *name, size_t *size)
{
    struct stat file;
    const int fd = bloom_file_open_(name, &file);
    void *map = MAP_FAILED;
    int why;
    *size = 0;
    if (fd < 0)
        return NULL;
    if (!S_ISREG(file.st_mode))
        errno = S_ISDIR(file.st_mode) ? EISDIR : ENODEV;
    else if ((uint64_t)file.st_size > SIZE_MAX)
        errno = EFBIG;
    else if (file.st_size > 0)
        map = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_SHARED, fd, 0);
    why = errno;
    close(fd);
    if (S_ISREG(file.st_mode) && file.st_size == 0)
        return "";
    errno = why;
    if (map == MAP_FAILED)
        return NULL;
    *size = (size_t)file.st_size;
    return map;
}

BLOOM_FILE_API void bloom_file_unmap(const void *image, size_t size)
{
    if (size > 0)
        munmap((void *)(uintptr_t)image, size);
}

#ifdef __cplusplus
}
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif /* BLOOM_FILE_H */
