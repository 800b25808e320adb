/* SPDX-License-Identifier: MIT OR Unlicense
   bloom_file.h: filters of bloom.h in files, on POSIX systems and Windows.

   USE: #include "bloom_file.h", which includes bloom.h. One file of a program
   compiles the code: it defines BLOOM_IMPLEMENTATION and includes bloom_file.h
   before any other file. If the linker misses bloom_load, no file does. See USE
   in bloom.h. A filter that goes on over restarts of the program:
       int why;                                // ENOENT is of <errno.h>
       bloom *seen = bloom_load("seen.bloom", SIZE_MAX, &why);
       if (!seen && why == ENOENT)             // the first run
           seen = bloom_new(1000000, 0.01);
       if (!seen) {                            // keep the file
           fprintf(stderr, "seen.bloom: %s\n", bloom_file_text(why));
           return 1;
       }
       bloom_add(seen, "apple", 5);
       why = bloom_save(seen, "seen.bloom");   // 0, or an errno
       bloom_free(seen);

   CALLS
     of a filter      bloom_load, bloom_save      in memory between them
                      bloom_share, bloom_unshare  used by several processes
     of any image     bloom_file_load .._save .._free      (windows, slices, and
                      bloom_file_map .._unmap     to read   what
                      bloom_file_hold .._drop     to change bloom_chain_write
                                                            writes)
     of any errno     bloom_file_text

   Saving by fopen and fwrite is not safe: it empties the old file first, and a
   crash or a full disk then leaves a part of the new one. bloom_save and
   bloom_file_save write a new file beside the old one and rename it. At any
   time, also after a crash or a power cut, the file is the whole old one or the
   whole new one.

   Names are UTF-8 on Windows, and bytes elsewhere. Errors are those of errno.
   On Windows, bloom_file_save is EACCES while somebody has the file open or
   mapped, or is saving or loading it: save again a moment later.

   The options of bloom.h hold here, too. (But names of files are kept in memory
   of malloc, whatever BLOOM_MALLOC and BLOOM_NO_MALLOC say.) The file that
   compiles this code must not define BLOOM_READ_BYTE.
   The code needs functions of POSIX 2008, and flock. Compilers with -std=c99
   declare them only if _POSIX_C_SOURCE is 200809L before the first #include of
   a file. This one defines it then, so it must come first where its code is
   compiled. (It was never compiled on a BSD.)
   Compile 32-bit programs with -D_FILE_OFFSET_BITS=64. Otherwise opening a file
   of 2 GB or more fails with EOVERFLOW. On file systems with 64-bit inodes,
   opening any file may.
   Threads: all calls may run at the same time, also for the same file. (But
   bloom_file_text calls strerror, which on some systems must not.) */

#if (defined(BLOOM_IMPLEMENTATION) || defined(BLOOM_STATIC)) \
    && defined(__STRICT_ANSI__) && !defined(_WIN32) && !defined(__APPLE__) \
    && !defined(__FreeBSD__) && !defined(__OpenBSD__) \
    && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#if !defined(BLOOM_VERSION) \
    || (defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_IMPLEMENTATION_DONE_)) \
    || (defined(BLOOM_ATOMIC) && !defined(BLOOM_ATOMIC_FROM_THE_START_))
#include "bloom.h"
#endif

#ifndef BLOOM_FILE_H
#define BLOOM_FILE_H

#if !defined(BLOOM_VERSION) || BLOOM_VERSION != 30000
#error "bloom_file.h needs the bloom.h of its own version, but the compiler \
found another one first: copy the right one into the folder of bloom_file.h"
#endif
/* gcc warns if bloom_free gets a shared filter. It ignores that for inline
   functions. */
#if defined(__GNUC__) && __GNUC__ >= 11 && !defined(__clang__) \
    && !defined(BLOOM_STATIC)
#define BLOOM_FILE_TO_UNSHARE_ \
    BLOOM_USE_RESULT_ __attribute__((__malloc__(bloom_unshare, 1)))
#else
#define BLOOM_FILE_TO_UNSHARE_ BLOOM_USE_RESULT_
#endif

#ifdef BLOOM_NAME_                      /* see "Names" in bloom.h */
#define bloom_save BLOOM_NAME_(bloom_save)
#define bloom_load BLOOM_NAME_(bloom_load)
#define bloom_share BLOOM_NAME_(bloom_share)
#define bloom_unshare BLOOM_NAME_(bloom_unshare)
#define bloom_file_text BLOOM_NAME_(bloom_file_text)
#define bloom_file_save BLOOM_NAME_(bloom_file_save)
#define bloom_file_save_locked BLOOM_NAME_(bloom_file_save_locked)
#define bloom_file_load BLOOM_NAME_(bloom_file_load)
#define bloom_file_free BLOOM_NAME_(bloom_file_free)
#define bloom_file_map BLOOM_NAME_(bloom_file_map)
#define bloom_file_unmap BLOOM_NAME_(bloom_file_unmap)
#define bloom_file_hold BLOOM_NAME_(bloom_file_hold)
#define bloom_file_held BLOOM_NAME_(bloom_file_held)
#define bloom_file_sync BLOOM_NAME_(bloom_file_sync)
#define bloom_file_drop BLOOM_NAME_(bloom_file_drop)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Filters ------------------------------------------------------------ */

/* Seals b and saves it, as bloom_file_save does. Returns 0 or an errno. If
   threads add keys to b meanwhile (BLOOM_ATOMIC), save a copy by bloom_copy. */
BLOOM_USE_RESULT_
BLOOM_API int bloom_save(bloom *b, const char *name);

#ifndef BLOOM_NO_MALLOC
/* Loads a filter, to be freed by bloom_free. If the result is NULL, *why is an
   errno. why may be NULL. Without a seal, as after bloom_share, damaged cells
   are not noticed. One program at a time should load a file and later save it:
   what others save meanwhile, or add by bloom_share, is lost.
     ENOENT   There is no such file. Only then begin with an empty filter: after
              another error, the next save would replace what is there.
     EBADMSG  The file is no filter. Or it is incomplete, or damaged (if it has
              a seal). Or it has bytes after the image, which the next save
              would drop. Or this build cannot use its version, layout or size.
              bloom_file_load and bloom_open tell which.
     EFBIG    The image has more than `most` bytes.
     EBUSY    The file has changed meanwhile. If other processes share it, use
              bloom_share, not bloom_load. */
BLOOM_USE_RESULT_
BLOOM_API bloom *bloom_load(const char *name, size_t most, int *why);
#endif

/* bloom_share maps a filter in a file, so that several processes add keys to it
   and look up one another's, at once and without a lock. It needs BLOOM_ATOMIC,
   which MSVC lacks, and is not declared without it or on Windows.
     Creating: if there is no file, it makes one for `plan`. If several do that
         at once, one of them wins, and all of them map its file. The file is
         sparse. If the disk is full later, the program gets SIGBUS where it
         adds a key. To be sure of the disk space, save an empty filter of this
         plan beforehand, by bloom_file_save and without a seal. The program
         also gets SIGBUS if another program shortens the file.
     Checks: if bloom_plan_size(plan) is 0, any filter will do, and ENOENT says
         that there is none. Otherwise a filter with another plan is EINVAL.
         EBADMSG is as for bloom_load, but the cells are not read, and the seal
         is not checked.
     Lock: it holds a shared lock on the file (flock). Meanwhile bloom_save and
         bloom_file_save to its name are EBUSY: the processes that share it
         would go on with the old file, which no longer has a name, and its keys
         would be lost. EBUSY of bloom_share: another process has locked the
         file for itself, as the command `bloom` does. A program that changes
         the file otherwise, or replaces it by a rename of its own, is not
         stopped.
     New keys: if two processes, or two threads, add a key at the same moment,
         both may be told that it is new; at least one is. For exactly one, both
         must hold a lock while they add it: see examples/companions/README.md.
     Kills: a process that is killed loses no key that it has added. After a
         power cut, cells that the system had not written are missing, unless a
         bloom_unshare has returned 0 since they were set. If the file had a
         seal, the disk may still have it, and bloom_load is EBADMSG.
     Limits: the file must be on a disk of this machine, not of a network, and
         its file system needs hard links to create it. (Without them, a save
         that finds no file may replace one that is made and shared in that
         moment.) In overlayfs, a map that was made before the file was shared
         for the first time may not see its keys. Calls that need exclusive
         access to a filter (see "Threads" in bloom.h) need it in all processes,
         bloom_seal and bloom_save among them. Do not call bloom_fold, as the
         file keeps its size: copy the filter, then fold and save the copy. A
         copy is also what you can save while others add.
   If the result is NULL, *why is an errno. why may be NULL. Give the filter to
   bloom_unshare, not to bloom_free. After fork, the child may use the filter,
   too; then both call bloom_unshare or exit.
   bloom_unshare writes the cells to the disk, also those that others have set,
   and unmaps the filter in this process. Returns 0, also for NULL, or the errno
   of writing; the filter is unmapped in any case. It is ENOENT if the file has
   lost its last name, as another program has removed or replaced it: the keys
   are lost. */
#if defined(BLOOM_ATOMIC) && !defined(_WIN32)
BLOOM_API int bloom_unshare(bloom *b);
BLOOM_FILE_TO_UNSHARE_
BLOOM_API bloom *bloom_share(const char *name, bloom_plan plan, int *why);
#endif

/* What an errno of the calls in this file means. Of EBADMSG, EINVAL and EBUSY,
   strerror says "Bad message", "Invalid argument" and "Device or resource
   busy". */
BLOOM_API const char *bloom_file_text(int why);

/* ---- Whole files -------------------------------------------------------- */

/* Replaces the file by the `size` bytes at image, or creates it. Returns 0 or
   an errno.
     How: the new file is written beside the old one, synchronised and renamed,
         and the folder is synchronised. (A program that may write the folder,
         but not read it, cannot do the last: a power cut may bring back the old
         file.) If two programs save the same file, the last one to rename its
         file wins, and the keys of the other are lost. So are keys that others
         added by bloom_share between your load and your save.
     Errors: the old file is unchanged, and nothing is left. (But if the disk
         fails while the folder is synchronised, the new file is in place, and
         if the folder gets another name, the new file is left in it.) A name of
         more than about 230 bytes after the last slash is ENAMETOOLONG. A limit
         on the size of files sends the signal SIGXFSZ, as for any write.
     Kills: a program that is killed while it saves leaves the new file. Its
         name ends with ".new." and two numbers. Remove it.
     Rights: the new file gets the owner, group and permissions of the old one.
         If the system forbids that, the result is EPERM. If the real user of
         the process may not write the old file, it is EACCES. On Linux, a file
         with an access control list is EPERM, as the list would be lost. On
         other systems it is lost, as set-user-ID bits and extended attributes
         are everywhere. On Windows, the new file gets the permissions that its
         folder gives.
     Links: a symbolic link stays, and the file that it names is replaced. A
         hard link keeps the old file. A file that is a mount point is EBUSY.
     Sharing: while a process maps the file by bloom_share, it is EBUSY, too.
     Others: a folder is EISDIR, and what is no regular file (a FIFO, a device)
         EINVAL: write to it by fwrite. So is a file without a name, as
         /proc/self/fd/N may be. If it has one, as /dev/stdout after >FILE, that
         file is replaced, with all that was written to it. */
BLOOM_USE_RESULT_
BLOOM_API int bloom_file_save(const char *name, const void *image, size_t size);

#ifndef BLOOM_NO_MALLOC
/* Reads a whole file or pipe into memory that is aligned to 32 bytes. Free the
   memory by bloom_file_free, or by the call for what it holds (bloom_free,
   bloom_window_free, bloom_slices_free). If the result is NULL, errno says why.
   It is EFBIG if the file has more than `most` bytes, and EBUSY if its size has
   changed meanwhile. Give a limit for files of strangers. An empty file is not
   an error: *size is 0. */
BLOOM_USE_RESULT_
BLOOM_API void *bloom_file_load(const char *name, size_t most, size_t *size);
BLOOM_API void bloom_file_free(void *image);       /* may be NULL */
#endif

/* Maps a regular file into memory, to be read only. The system loads its pages
   when they are used, and programs that map the same file share them. NULL:
   errno says why: EISDIR for a folder, ENODEV for a FIFO or a device. The map
   of an empty file is not NULL, and *size is 0. While the file is mapped,
   bloom_file_save may replace it: the map keeps the old one. But if another
   program makes the file shorter in place, reading the map ends the program
   (SIGBUS). If other processes add keys to the file (bloom_share), its seal may
   not match. */
BLOOM_USE_RESULT_
BLOOM_API const void *bloom_file_map(const char *name, size_t *size);
BLOOM_API void bloom_file_unmap(const void *image, size_t size);

/* ---- Whole files that are changed in place ------------------------------ */

/* bloom_file_hold maps a file to be changed, by one process at a time. What is
   stored there is in the file at once: a process that is killed loses nothing.
   It is for windows (bloom_window_resume). A chain needs a file that grows: see
   bloom_chain_open. Not on Windows.
     Size: if there is no file, or an empty one, it makes one of `size` zeros,
         and takes the disk space for it. So a full disk is ENOSPC at once. (On
         macOS and OpenBSD, and where the file system cannot do that, it is
         SIGBUS later.) A file of another size is EINVAL, but one that has fewer
         bytes, all of them zeros, becomes longer. If `size` is 0, the file is
         mapped as it is, and no or an empty file is ENOENT. bloom_file_held
         tells the size.
     New: if the result is not NULL, *why is 0, or ENOENT if the file is all
         zeros. Only then may you begin anew in it.
     Lock: it holds an exclusive lock on the file (flock). EBUSY says that
         another process has held, shared or saved it for half a second: call
         again to wait for longer. Meanwhile a save to its name is EBUSY, too.
     Errors: what is no regular file is ENODEV, and a folder EISDIR. The program
         gets SIGBUS if another one shortens the file, or if its disk fails.
     Limits: as for bloom_share, a disk of this machine. After fork, only one of
         both processes may use it.
   If the result is NULL, *why is an errno. why may be NULL.
   bloom_file_sync returns when the disk has all that was stored: 0, or the
   errno of writing. The system also writes by itself, some time later.
   bloom_file_drop does the same, and then unmaps the file and gives up the
   lock, also after an error. Its result for NULL is 0. It is ENOENT if the file
   has lost its last name, and so all that was stored is lost.
     Seals: after a power cut, the disk may have some stores and lack earlier
         ones. A seal must not vouch for cells that are missing. So use seals in
         this order, or not at all:
             bloom_window *w = bloom_window_resume(..);  // removes the seals
             why = bloom_file_sync(held);                // also on the disk
             ..                                          // adds keys
             why = bloom_file_sync(held);                // the cells
             bloom_window_seal(w);
             why = bloom_file_drop(held);                // the seals */
#ifndef _WIN32
BLOOM_USE_RESULT_
BLOOM_API void *bloom_file_hold(const char *name, size_t size, int *why);
BLOOM_API size_t bloom_file_held(const void *held);
BLOOM_API int bloom_file_sync(void *held);
BLOOM_API int bloom_file_drop(void *held);

/* Does the same as bloom_file_save, for a process that has locked the old file
   itself, by flock(fd, LOCK_EX), since before it read it: nobody can add a key
   in between that the new file lacks. It is EBUSY if fd is no longer the file
   of that name. If fd is -1, it is bloom_file_save. If it is BLOOM_FILE_NONE,
   there must be no file of that name, also none that another process makes
   meanwhile, or it is EEXIST; that needs hard links, as above. */
#define BLOOM_FILE_NONE (-2)
BLOOM_USE_RESULT_
BLOOM_API int bloom_file_save_locked(const char *name, const void *image,
                                     size_t size, int fd);
#endif

#ifdef __cplusplus
}
#endif
#endif /* BLOOM_FILE_H */

#if defined(BLOOM_IMPLEMENTATION) && !defined(BLOOM_FILE_DONE_)
#define BLOOM_FILE_DONE_
#if BLOOM_IN_ROM_
#error "bloom_file.h: not in a file that defines BLOOM_READ_BYTE"
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <io.h>
#include <windows.h>
#else
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif
#endif
#if !defined(_WIN32) && !defined(O_CLOEXEC)
#error "bloom_file.h: include it first, or compile with -std=gnu99 or with \
-D_POSIX_C_SOURCE=200809L"
#endif
#ifdef __cplusplus
extern "C" {
#endif
BLOOM_HUSH_

/* ==== Code ================================================================ */

/* Bytes per call of read and write. Some systems refuse 2 GB at once. */
#define BLOOM_FILE_MOST_ ((size_t)1 << 24)

static inline int bloom_file_why_(void)
{
    const int why = errno;
    return why != 0 ? why : EIO;
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

static inline bool bloom_file_is_slash_(char c)
{
#ifdef _WIN32
    return c == '/' || c == '\\' || c == ':';
#else
    return c == '/';
#endif
}

/* How many bytes of a path belong to its folder, with the last slash */
static inline size_t bloom_file_folder_size_(const char *path)
{
    size_t size = strlen(path);
    while (size > 0 && !bloom_file_is_slash_(path[size - 1]))
        size--;
    return size;
}

/* What is known about a file; there is none if it is not `there` */
typedef struct bloom_file_facts_ {
    bool there, regular, folder;
    uint64_t size;
#ifndef _WIN32
    mode_t mode;
    uid_t user;
    gid_t group;
    dev_t device;
    ino_t inode;
#endif
} bloom_file_facts_;

/* A file that is being saved */
typedef struct bloom_file_new_ {
    char *target;           /* the file to be replaced: links are resolved */
    char *name;             /* the new file beside it; NULL: there is none */
    int fd;                 /* the new file, open for writing; -1: closed */
    int lock;               /* the old file, which the caller has locked; -1:
                               not locked; BLOOM_FILE_NONE: must not exist */
} bloom_file_new_;

/* ---- POSIX -------------------------------------------------------------- */
#ifndef _WIN32

static inline int bloom_file_close_(int fd)
{
    return close(fd);
}

static inline long bloom_file_write_some_(int fd, const char *from, size_t size)
{
    return (long)write(fd, from, size);
}

static inline long bloom_file_read_some_(int fd, char *to, size_t size)
{
    return (long)read(fd, to, size);
}

static inline void bloom_file_remove_(const char *name)
{
    unlink(name);
}

static inline unsigned long bloom_file_process_(void)
{
    return (unsigned long)getpid();
}

/* `at` is where the texts of links lead. Is it the file that the system opens
   as `path`? It is not if a link in /proc leads to a file without a name: "f
   (deleted)" is no path, but another file may be called so. A file that other
   programs replace meanwhile may differ by chance, but not each time. */
static inline bool bloom_file_leads_to_(const char *path, const char *at)
{
    struct stat to, there;
    unsigned tries;
    for (tries = 0; tries < 10; tries++) {
        if (stat(path, &to) != 0)
            return true;        /* no file yet */
        if (lstat(at, &there) != 0 ? errno != ENOENT
            : to.st_dev == there.st_dev && to.st_ino == there.st_ino)
            return true;
    }
    return false;
}

/* The path that symbolic links lead to. No file needs to be there. If a link
   in /proc leads to a file that was removed or never had a name, its text is no
   path: EINVAL. NULL: see errno. */
static inline char *bloom_file_follow_(const char *path)
{
    struct stat file;
    char text[4096], *at, *next;
    unsigned links = 0;
    ssize_t size = 0;
    int why;
    if (stat(path, &file) != 0 && errno != ENOENT)
        return NULL;            /* the system may forbid to follow a link */
    at = bloom_file_join_(path, strlen(path), "", 0);
    while (at && (size = readlink(at, text, sizeof text)) >= 0) {
        next = NULL;
        if ((size_t)size == sizeof text || ++links > 40)
            errno = links > 40 ? ELOOP : ENAMETOOLONG;
        else
            next = bloom_file_join_(
                at, text[0] == '/' ? 0 : bloom_file_folder_size_(at), text,
                (size_t)size);
        why = errno;
        free(at);
        errno = why;
        at = next;
    }
    if (at && links > 0 && !bloom_file_leads_to_(path, at)) {
        free(at);
        errno = EINVAL;
        at = NULL;
    }
    return at;
}

static inline bloom_file_facts_ bloom_file_facts_of_(const struct stat *file)
{
    bloom_file_facts_ facts;
    facts.there = true;
    facts.regular = S_ISREG(file->st_mode);
    facts.folder = S_ISDIR(file->st_mode);
    facts.size = (uint64_t)file->st_size;
    facts.mode = file->st_mode & 0777;
    facts.user = file->st_uid;
    facts.group = file->st_gid;
    facts.device = file->st_dev;
    facts.inode = file->st_ino;
    return facts;
}

static inline int bloom_file_facts_of_fd_(int fd, bloom_file_facts_ *facts)
{
    struct stat file;
    if (fstat(fd, &file) != 0)
        return bloom_file_why_();
    *facts = bloom_file_facts_of_(&file);
    return 0;
}

/* Asks about the file to be replaced. It is no error if there is none. */
static inline int bloom_file_facts_of_path_(const char *path,
                                            bloom_file_facts_ *facts)
{
    struct stat file;
    memset(facts, 0, sizeof *facts);
    if (lstat(path, &file) != 0)
        return errno == ENOENT ? 0 : bloom_file_why_();
    *facts = bloom_file_facts_of_(&file);
    return !facts->regular || access(path, W_OK) == 0 ? 0 : bloom_file_why_();
}

/* Gives the new file the owner and group of the old one, if there is one. */
static inline int bloom_file_copy_owner_(int fd, const bloom_file_facts_ *old)
{
    bloom_file_facts_ now;
    int why;
    if (!old->there)
        return 0;
    why = bloom_file_facts_of_fd_(fd, &now);
    if (why != 0 || (now.user == old->user && now.group == old->group))
        return why;
    return fchown(fd, old->user, old->group) == 0 ? 0 : bloom_file_why_();
}

/* Creates a file. If it is `secret`, only its owner may read it: until it has
   the permissions of an old file. */
static inline int bloom_file_create_(const char *name, bool secret)
{
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                secret ? 0600 : 0666);
}

/* Opens a file to be read. If `wait` is false, a FIFO is opened at once. */
static inline int bloom_file_open_(const char *name, bool wait)
{
    return open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY
                      | (wait ? 0 : O_NONBLOCK));
}

/* The group bits of a file with an access control list are the list's mask, so
   without the list the group would get rights that it does not have. A new file
   may have got the default list of its folder: that is removed. */
static inline int bloom_file_refuse_list_(const bloom_file_new_ *f)
{
#ifdef __linux__
    static const char name[] = "system.posix_acl_access";
    const ssize_t size = lgetxattr(f->target, name, NULL, 0);
    if (size > 0)
        return EPERM;
    if ((size == 0 || errno == ENODATA) && fremovexattr(f->fd, name) == 0)
        return 0;
    return errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS
         ? 0 : bloom_file_why_();
#else
    (void)f;
    return 0;
#endif
}

static inline int bloom_file_copy_rights_(const bloom_file_new_ *f,
                                          const bloom_file_facts_ *old)
{
    int why = bloom_file_copy_owner_(f->fd, old);
    if (why == 0 && old->there)
        why = bloom_file_refuse_list_(f);
    if (why != 0 || !old->there)
        return why;
    return fchmod(f->fd, old->mode) == 0 ? 0 : bloom_file_why_();
}

/* On macOS, fsync writes to the disk's own memory only; and its fcntl.h lacks
   F_FULLFSYNC if _POSIX_C_SOURCE is defined. */
#if defined(__APPLE__) && !defined(F_FULLFSYNC)
#define F_FULLFSYNC 51
#endif

static inline int bloom_file_sync_fd_(int fd)
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
    int why;
    *fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    why = *fd >= 0 || errno == EACCES ? 0 : bloom_file_why_();
    free(name);
    return why;
}

/* Synchronises a folder. Some systems cannot, and say EINVAL or EBADF. */
static inline int bloom_file_sync_folder_(int folder)
{
    const int why = folder >= 0 ? bloom_file_sync_fd_(folder) : 0;
    return why == EINVAL || why == EOPNOTSUPP || why == ENOTSUP || why == EBADF
         ? 0 : why;
}

/* Is this open file the one of that name? */
static inline bool bloom_file_is_named_(int fd, const char *path)
{
    struct stat there;
    bloom_file_facts_ file;
    return bloom_file_facts_of_fd_(fd, &file) == 0 && stat(path, &there) == 0
        && there.st_dev == file.device && there.st_ino == file.inode;
}

/* Opens a file and locks it, LOCK_SH or LOCK_EX; *fd is -1 after an error. The
   locked file is the one of that name: a save may have replaced it before. A
   save holds its lock for a moment only, so this tries again; EBUSY after half
   a second. */
static inline int bloom_file_lock_(const char *path, int flags, int how,
                                   int *fd)
{
    const struct timespec moment = { 0, 10000000 };
    unsigned tries;
    for (tries = 0; tries < 50; tries++) {
        int why = 0;
        *fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
        if (*fd < 0)
            return bloom_file_why_();
        if (flock(*fd, how | LOCK_NB) != 0)
            why = bloom_file_why_();
        else if (bloom_file_is_named_(*fd, path))
            return 0;
        close(*fd);
        *fd = -1;
        if (why != 0 && why != EWOULDBLOCK)
            return why;
        if (why != 0)
            nanosleep(&moment, NULL);
    }
    return EBUSY;
}

/* Locks the old file until it is replaced, so that no process begins to share
   it. EBUSY: some do. ENOENT: there is none. Then *fd is -1, as it is for a
   file that cannot be locked, and so not be shared: a file system may have no
   locks. NFS locks only a file that is open for writing. Other errors are those
   of a process that may not open the file, but others may, or that is short of
   something. */
static inline int bloom_file_lock_old_(const char *path, int *fd)
{
    int why = bloom_file_lock_(path, O_RDONLY, LOCK_EX, fd);
    if (why == EACCES || why == EBADF)
        why = bloom_file_lock_(path, O_WRONLY, LOCK_EX, fd);
    return why == EBUSY || why == ENOENT || why == EACCES || why == EMFILE
           || why == ENFILE || why == ENOMEM || why == EINTR ? why : 0;
}

/* Does the file still begin with this header? Its seal may be gone. */
static inline bool bloom_file_begins_(int fd, const unsigned char *head)
{
    unsigned char now[BLOOM_HEADER_SIZE];
    return pread(fd, now, sizeof now, 0) != (ssize_t)sizeof now
           || memcmp(now, head, sizeof now) == 0;
}

/* Gives the new file its name. After a rename, a file with its first name may
   belong to somebody else, so that name is forgotten. If there is no old file,
   a link is safer than a rename: it fails if another process has just made a
   file there, which may be shared already. bloom_file_cancel_ then removes the
   first name. If the file system has no links, this looks for the old file once
   more, as a link that fails can take long. */
static inline int bloom_file_put_in_place_(bloom_file_new_ *f)
{
    int old = -1, why;
    bool links = true;
    unsigned tries;
    if (f->lock >= 0 && !bloom_file_is_named_(f->lock, f->target))
        return EBUSY;
    for (tries = 0; tries < 10; tries++) {
        why = f->lock >= 0 ? 0 : bloom_file_lock_old_(f->target, &old);
        if (why != 0 && why != ENOENT)
            return why;
        if (why == ENOENT && links) {
            if (link(f->name, f->target) == 0)
                return 0;
            links = errno == EEXIST;
            continue;
        }
        if (why == 0 && f->lock == BLOOM_FILE_NONE)
            why = EEXIST;
        else
            why = rename(f->name, f->target) == 0 ? 0 : bloom_file_why_();
        if (old >= 0)
            close(old);
        if (why == 0) {
            free(f->name);
            f->name = NULL;
        }
        return why;
    }
    return EBUSY;
}

/* Renames the new file, and synchronises its folder. */
static inline int bloom_file_rename_(bloom_file_new_ *f)
{
    int folder, why = bloom_file_folder_(f->target, &folder);
    if (why == 0)
        why = bloom_file_put_in_place_(f);
    if (why == 0)
        why = bloom_file_sync_folder_(folder);
    if (folder >= 0)
        close(folder);
    return why;
}

/* NULL: see errno. The size is not 0. */
static inline const void *bloom_file_view_(int fd, size_t size)
{
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    return map == MAP_FAILED ? NULL : map;
}

static inline void bloom_file_unview_(const void *map, size_t size)
{
    munmap((void *)(uintptr_t)map, size);
}

/* ---- Windows ------------------------------------------------------------
   Its functions take names in UTF-16, and have errors of their own. */
#else

/* Sets errno to the last error of Windows. */
static inline int bloom_file_failed_(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND: case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME: case ERROR_BAD_PATHNAME:
        return errno = ENOENT;
    case ERROR_FILE_EXISTS: case ERROR_ALREADY_EXISTS:
        return errno = EEXIST;
    case ERROR_ACCESS_DENIED: case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION: case ERROR_USER_MAPPED_FILE:
    case ERROR_WRITE_PROTECT:
        return errno = EACCES;
    case ERROR_DISK_FULL: case ERROR_HANDLE_DISK_FULL:
        return errno = ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY: case ERROR_OUTOFMEMORY:
        return errno = ENOMEM;
    case ERROR_FILENAME_EXCED_RANGE:
        return errno = ENAMETOOLONG;
    default:
        return errno = EIO;
    }
}

/* The name in UTF-16, for free(); NULL: see errno */
static inline wchar_t *bloom_file_wide_(const char *name)
{
    const int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name,
                                         -1, NULL, 0);
    wchar_t *wide = NULL;
    if (size <= 0) {
        errno = EILSEQ;
        return NULL;
    }
    wide = (wchar_t *)malloc((size_t)size * sizeof *wide);
    if (wide)
        MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, size);
    else
        errno = ENOMEM;
    return wide;
}

static inline int bloom_file_close_(int fd)
{
    return _close(fd);
}

static inline long bloom_file_write_some_(int fd, const char *from, size_t size)
{
    return _write(fd, from, (unsigned)size);
}

static inline long bloom_file_read_some_(int fd, char *to, size_t size)
{
    return _read(fd, to, (unsigned)size);
}

static inline void bloom_file_remove_(const char *name)
{
    wchar_t *wide = bloom_file_wide_(name);
    if (wide)
        DeleteFileW(wide);
    free(wide);
}

static inline unsigned long bloom_file_process_(void)
{
    return (unsigned long)GetCurrentProcessId();
}

/* A file as one of the C library; -1: see errno */
static inline int bloom_file_make_(const char *name, DWORD access, DWORD how)
{
    wchar_t *wide = bloom_file_wide_(name);
    HANDLE file;
    int fd;
    if (!wide)
        return -1;
    file = CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE
                                     | FILE_SHARE_DELETE,
                       NULL, how, FILE_ATTRIBUTE_NORMAL, NULL);
    free(wide);
    if (file == INVALID_HANDLE_VALUE) {
        bloom_file_failed_();
        return -1;
    }
    fd = _open_osfhandle((intptr_t)file, _O_BINARY | _O_NOINHERIT);
    if (fd < 0)
        CloseHandle(file);
    return fd;
}

static inline int bloom_file_create_(const char *name, bool secret)
{
    (void)secret;
    return bloom_file_make_(name, GENERIC_WRITE, CREATE_NEW);
}

/* While a rename replaces a file, Windows may say that there is none (issue
   5501 of microsoft/STL). So this does not believe it at once. */
static inline int bloom_file_open_(const char *name, bool wait)
{
    wchar_t *wide = bloom_file_wide_(name);
    const DWORD is = wide ? GetFileAttributesW(wide) : 0;
    unsigned tries;
    int fd = -1;
    (void)wait;                             /* no FIFOs here */
    if (!wide)
        return -1;
    free(wide);
    if (is != INVALID_FILE_ATTRIBUTES && (is & FILE_ATTRIBUTE_DIRECTORY)) {
        errno = EISDIR;
        return -1;
    }
    for (tries = 0; tries < 4; tries++) {
        if (tries > 0)
            Sleep(10);
        fd = bloom_file_make_(name, GENERIC_READ, OPEN_EXISTING);
        if (fd >= 0 || errno != ENOENT)
            break;
    }
    return fd;
}

static inline int bloom_file_facts_of_fd_(int fd, bloom_file_facts_ *facts)
{
    const HANDLE file = (HANDLE)_get_osfhandle(fd);
    LARGE_INTEGER size;
    facts->there = true;
    facts->folder = false;
    facts->regular = GetFileType(file) == FILE_TYPE_DISK;
    facts->size = 0;
    if (!facts->regular)
        return 0;
    if (!GetFileSizeEx(file, &size))
        return bloom_file_failed_();
    facts->size = (uint64_t)size.QuadPart;
    return 0;
}

static inline int bloom_file_facts_of_path_(const char *path,
                                            bloom_file_facts_ *facts)
{
    wchar_t *wide = bloom_file_wide_(path);
    DWORD is = INVALID_FILE_ATTRIBUTES;
    facts->there = facts->folder = false;
    facts->regular = true;
    if (!wide)
        return bloom_file_why_();
    is = GetFileAttributesW(wide);
    free(wide);
    if (is == INVALID_FILE_ATTRIBUTES)
        return bloom_file_failed_() == ENOENT ? 0 : bloom_file_why_();
    facts->there = true;
    facts->folder = (is & FILE_ATTRIBUTE_DIRECTORY) != 0;
    facts->regular = !facts->folder;
    return facts->regular && (is & FILE_ATTRIBUTE_READONLY) ? EACCES : 0;
}

static inline bool bloom_file_begins_(int fd, const unsigned char *head)
{
    (void)fd;
    (void)head;
    return true;
}

static inline int bloom_file_copy_rights_(const bloom_file_new_ *f,
                                          const bloom_file_facts_ *old)
{
    (void)f;
    (void)old;
    return 0;
}

/* The path that the symbolic links of an open file lead to; NULL: see errno */
static inline char *bloom_file_final_(HANDLE file)
{
    const DWORD size = GetFinalPathNameByHandleW(file, NULL, 0, 0);
    wchar_t *wide = (wchar_t *)malloc((size + 1) * sizeof (wchar_t));
    char *path = wide ? (char *)malloc(4 * ((size_t)size + 1)) : NULL;
    if (!path)
        errno = ENOMEM;
    else if (size == 0 || !GetFinalPathNameByHandleW(file, wide, size + 1, 0)
             || !WideCharToMultiByte(CP_UTF8, 0, wide, -1, path,
                                     4 * ((int)size + 1), NULL, NULL)) {
        bloom_file_failed_();
        free(path);
        path = NULL;
    }
    free(wide);
    return path;
}

/* Follows symbolic links, if they lead to a file. */
static inline char *bloom_file_follow_(const char *name)
{
    wchar_t *wide = bloom_file_wide_(name);
    char *path = NULL;
    DWORD is;
    if (!wide)
        return NULL;
    is = GetFileAttributesW(wide);
    if (is == INVALID_FILE_ATTRIBUTES || !(is & FILE_ATTRIBUTE_REPARSE_POINT)) {
        path = bloom_file_join_(name, strlen(name), "", 0);
    } else {
        HANDLE file = CreateFileW(
            wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
        if (file == INVALID_HANDLE_VALUE) {
            bloom_file_failed_();
        } else {
            path = bloom_file_final_(file);
            CloseHandle(file);
        }
    }
    free(wide);
    return path;
}

static inline int bloom_file_sync_fd_(int fd)
{
    return _commit(fd) == 0 ? 0 : bloom_file_why_();
}

/* Returns when the disk has the new name. */
static inline int bloom_file_rename_(bloom_file_new_ *f)
{
    wchar_t *from = bloom_file_wide_(f->name);
    wchar_t *to = from ? bloom_file_wide_(f->target) : NULL;
    int why = 0;
    if (!to)
        why = bloom_file_why_();
    else if (!MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING
                                    | MOVEFILE_WRITE_THROUGH))
        why = bloom_file_failed_();
    free(from);
    free(to);
    if (why == 0) {
        free(f->name);
        f->name = NULL;
    }
    return why;
}

static inline const void *bloom_file_view_(int fd, size_t size)
{
    const HANDLE file = (HANDLE)_get_osfhandle(fd);
    HANDLE mapping = CreateFileMappingW(file, NULL, PAGE_READONLY, 0, 0, NULL);
    const void *map = mapping
        ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size) : NULL;
    if (!map)
        bloom_file_failed_();
    if (mapping)
        CloseHandle(mapping);
    return map;
}

static inline void bloom_file_unview_(const void *map, size_t size)
{
    (void)size;
    UnmapViewOfFile(map);
}

#endif

/* ---- Saving ------------------------------------------------------------- */

/* Looks at the file to be replaced: 0 if it may be, or if there is none. */
static inline int bloom_file_may_replace_(const char *path,
                                          bloom_file_facts_ *old)
{
    const int why = bloom_file_facts_of_path_(path, old);
    if (why != 0 || !old->there || old->regular)
        return why;
    return old->folder ? EISDIR : EINVAL;
}

/* Frees f, and removes the new file if it has not replaced the old one. */
static inline void bloom_file_cancel_(bloom_file_new_ *f)
{
    if (f->fd >= 0)
        bloom_file_close_(f->fd);
    if (f->name)
        bloom_file_remove_(f->name);
    free(f->name);
    free(f->target);
}

/* Creates the new file, in the folder to which symbolic links lead; 0, or
   EEXIST and others */
static inline int bloom_file_create_beside_(bloom_file_new_ *f, unsigned number,
                                            bool secret)
{
    char suffix[64];
    const int size = snprintf(suffix, sizeof suffix, ".new.%lu.%u",
                              bloom_file_process_(), number);
    int why;
    f->name = bloom_file_join_(f->target, strlen(f->target), suffix,
                               (size_t)size);
    if (!f->name)
        return ENOMEM;
    f->fd = bloom_file_create_(f->name, secret);
    if (f->fd >= 0)
        return 0;
    why = bloom_file_why_();
    free(f->name);
    f->name = NULL;
    return why;
}

static inline int bloom_file_begin_(bloom_file_new_ *f, const char *name,
                                    int lock)
{
    bloom_file_facts_ old;
    unsigned number = 0;
    int why;
    f->lock = lock;
    f->fd = -1;
    f->name = NULL;
    f->target = bloom_file_follow_(name);
    if (!f->target)
        return bloom_file_why_();
    why = *name ? bloom_file_may_replace_(f->target, &old) : ENOENT;
    if (why == 0) {
        do
            why = bloom_file_create_beside_(f, number, old.there);
        while (why == EEXIST && ++number < 10000);
    }
    if (why != 0)
        bloom_file_cancel_(f);
    return why;
}

static inline int bloom_file_write_(int fd, const void *bytes, size_t size)
{
    const char *from = (const char *)bytes;
    while (size > 0) {
        const size_t most = size < BLOOM_FILE_MOST_ ? size : BLOOM_FILE_MOST_;
        const long some = bloom_file_write_some_(fd, from, most);
        if (some == 0)
            return EIO;
        if (some < 0 && errno != EINTR)
            return bloom_file_why_();
        from += some > 0 ? some : 0;
        size -= some > 0 ? (size_t)some : 0;
    }
    return 0;
}

/* Gives the new file the rights of the old one, and writes it to the disk. */
static inline int bloom_file_complete_(bloom_file_new_ *f)
{
    bloom_file_facts_ old;
    int why = bloom_file_may_replace_(f->target, &old);
    if (why == 0)
        why = bloom_file_copy_rights_(f, &old);
    if (why == 0)
        why = bloom_file_sync_fd_(f->fd);
    if (bloom_file_close_(f->fd) != 0 && why == 0)
        why = bloom_file_why_();
    f->fd = -1;
    return why;
}

static inline int bloom_file_replace_(const char *name, const void *image,
                                      size_t size, int lock)
{
    bloom_file_new_ f;
    int why = bloom_file_begin_(&f, name, lock);
    if (why != 0)
        return why;
    why = bloom_file_write_(f.fd, image, size);
    if (why == 0)
        why = bloom_file_complete_(&f);
    if (why == 0)
        why = bloom_file_rename_(&f);
    bloom_file_cancel_(&f);
    return why;
}

BLOOM_API int bloom_file_save(const char *name, const void *image, size_t size)
{
    return bloom_file_replace_(name, image, size, -1);
}

#ifndef _WIN32
BLOOM_API int bloom_file_save_locked(const char *name, const void *image,
                                     size_t size, int fd)
{
    return bloom_file_replace_(name, image, size, fd);
}
#endif

BLOOM_API const char *bloom_file_text(int why)
{
    switch (why) {
    case EBADMSG:
        return "not a filter, incomplete, damaged, or not for this build";
    case EINVAL:
        return "of another plan or size, or not a regular file";
    case EBUSY:
        return "in use or changed by another process, or a mount point";
    case ENODEV:
        return "not a regular file";
    case EFBIG:
        return "too large";
    case EPERM:
        return "not permitted, or its owner, group or access control list "
               "would be lost";
    case EOVERFLOW:
        return "too large for a program of 32 bits that was compiled without "
               "-D_FILE_OFFSET_BITS=64";
    default:
        return strerror(why);
    }
}

/* ---- Loading ------------------------------------------------------------ */

#ifndef BLOOM_NO_MALLOC
BLOOM_API void bloom_file_free(void *image)
{
    bloom_free((bloom *)image);
}
#endif

/* Reads until the memory is full or the file ends. false: see errno */
static inline bool bloom_file_fill_(int fd, char *to, size_t size, size_t *got)
{
    long some = 1;
    for (*got = 0; some != 0 && *got < size; ) {
        const size_t most = size - *got;
        some = bloom_file_read_some_(fd, to + *got, most < BLOOM_FILE_MOST_
                                                    ? most : BLOOM_FILE_MOST_);
        if (some < 0 && errno != EINTR)
            return false;
        *got += some > 0 ? (size_t)some : 0;
    }
    return true;
}

/* Opens a file to be read; -1: see errno */
static inline int bloom_file_to_read_(const char *name, bool wait,
                                      bloom_file_facts_ *facts)
{
    const int fd = bloom_file_open_(name, wait);
    int why = errno;
    memset(facts, 0, sizeof *facts);
    if (fd >= 0)
        why = bloom_file_facts_of_fd_(fd, facts);
    if (fd >= 0 && why == 0)
        return fd;
    if (fd >= 0)
        bloom_file_close_(fd);
    errno = why;
    return -1;
}

#ifndef BLOOM_NO_MALLOC
/* Memory that bloom_free and its sisters free; NULL and ENOMEM */
static inline char *bloom_file_allocate_(size_t size)
{
    void *memory = bloom_allocate_(size, 64);   /* as slices like it */
    if (!memory)
        errno = ENOMEM;
    return (char *)memory;
}

/* Reads to the end of the file, with memory for one more byte than it has. The
   size that the system reports is only a guess: that of a pipe is 0. */
static inline char *bloom_file_read_(int fd, size_t guess, size_t most,
                                     size_t *size)
{
    const size_t limit = most < SIZE_MAX ? most + 1 : most;
    size_t room = guess < limit ? guess + 1 : limit, got;
    char *memory = bloom_file_allocate_(room), *larger = NULL;
    int why;
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
        larger = bloom_file_allocate_(room);
        if (!larger)
            break;
        memcpy(larger, memory, *size);
        bloom_file_free(memory);
        memory = larger;
    }
    why = errno;
    bloom_file_free(memory);
    errno = why;
    return NULL;
}

/* false, and errno, if the file had another size meanwhile. The size that Linux
   tells of files in /proc and /sys is a guess, 0 or a page: if nothing follows
   the bytes that were read, they are the whole file. */
static inline bool bloom_file_is_whole_(int fd, const bloom_file_facts_ *before,
                                        size_t size)
{
    bloom_file_facts_ now;
    char byte;
    size_t more = 0;
    int why = bloom_file_facts_of_fd_(fd, &now);
    if (why == 0 && now.regular && now.size != size && now.size != 0)
        why = !bloom_file_fill_(fd, &byte, 1, &more) ? bloom_file_why_()
            : more > 0 || size > now.size ? EBUSY : 0;
    if (why == 0 && now.regular && now.size != before->size)
        why = EBUSY;
    if (why != 0)
        errno = why;
    return why == 0;
}

BLOOM_API void *bloom_file_load(const char *name, size_t most, size_t *size)
{
    bloom_file_facts_ file;
    const int fd = bloom_file_to_read_(name, true, &file);
    char *memory = NULL;
    int why;
    *size = 0;
    if (fd < 0)
        return NULL;
    if (file.regular && file.size > SIZE_MAX)
        errno = EFBIG;
    else
        memory = bloom_file_read_(
            fd, file.regular ? (size_t)file.size : 1 << 16, most, size);
    if (memory && !bloom_file_is_whole_(fd, &file, *size)) {
        bloom_file_free(memory);
        memory = NULL;
    }
    why = errno;
    bloom_file_close_(fd);
    if (!memory) {
        *size = 0;
        errno = why;
    }
    return memory;
}

#endif

/* A map cannot be empty, so the map of an empty file is no map. */
BLOOM_API const void *bloom_file_map(const char *name, size_t *size)
{
    bloom_file_facts_ file;
    const int fd = bloom_file_to_read_(name, false, &file);
    const void *map = NULL;
    int why;
    *size = 0;
    if (fd < 0)
        return NULL;
    if (!file.regular)
        errno = file.folder ? EISDIR : ENODEV;
    else if (file.size > SIZE_MAX)
        errno = EFBIG;
    else
        map = file.size > 0 ? bloom_file_view_(fd, (size_t)file.size) : "";
    why = errno;
    bloom_file_close_(fd);
    errno = why;
    if (map)
        *size = (size_t)file.size;
    return map;
}

BLOOM_API void bloom_file_unmap(const void *image, size_t size)
{
    if (size > 0)
        bloom_file_unview_(image, size);
}

/* ---- Filters ------------------------------------------------------------ */

BLOOM_API int bloom_save(bloom *b, const char *name)
{
    bloom_seal(b);
    return bloom_file_save(name, b, bloom_size(b));
}

/* Reads the header of a filter; 0, EBADMSG if there is none, or another errno.
   *size is the size of its image. */
static inline int bloom_file_header_(int fd, unsigned char *head, size_t *size)
{
    size_t got;
    if (!bloom_file_fill_(fd, (char *)head, BLOOM_HEADER_SIZE, &got))
        return bloom_file_why_();
    *size = got == BLOOM_HEADER_SIZE ? bloom_image_size(head, NULL) : 0;
    return *size > 0 ? 0 : EBADMSG;
}

#ifndef BLOOM_NO_MALLOC
/* Reads the cells after the header, and looks for bytes after them. */
static inline int bloom_file_cells_(int fd, bloom *b, const unsigned char *head,
                                    size_t size)
{
    void *image = b;
    char *to = (char *)image, more;
    size_t got, after = 0;
    memcpy(to, head, BLOOM_HEADER_SIZE);
    if (!bloom_file_fill_(fd, to + BLOOM_HEADER_SIZE, size - BLOOM_HEADER_SIZE,
                          &got)
        || !bloom_file_fill_(fd, &more, 1, &after))
        return bloom_file_why_();
    if (got < size - BLOOM_HEADER_SIZE || after > 0)
        return EBADMSG;
    if (bloom_verify(b) == BLOOM_CORRUPT)
        return bloom_file_begins_(fd, head) ? EBADMSG : EBUSY;
    return 0;
}

BLOOM_API bloom *bloom_load(const char *name, size_t most, int *why)
{
    unsigned char head[BLOOM_HEADER_SIZE];
    const void *header = head;
    bloom_file_facts_ file;
    const int fd = bloom_file_to_read_(name, true, &file);
    bloom *b = NULL;
    size_t size = 0;
    int error = fd < 0 ? bloom_file_why_()
                       : bloom_file_header_(fd, head, &size);
    if (error == 0 && size > most)
        error = EFBIG;
    if (error == 0 && file.regular && file.size != 0 && file.size < size)
        error = EBADMSG;                /* before it takes memory */
    if (error == 0) {
        b = bloom_create(bloom_plan_of((const bloom *)header));
        error = b ? bloom_file_cells_(fd, b, head, size) : ENOMEM;
    }
    if (error == 0 && !bloom_file_is_whole_(fd, &file, size))
        error = bloom_file_why_();
    if (fd >= 0)
        bloom_file_close_(fd);
    if (why)
        *why = error;
    if (error == 0)
        return b;
    bloom_free(b);
    return NULL;
}
#endif

/* ---- Maps that are written ------------------------------------------------
   Before the first page of the file lies a page that notes its size, and the
   open file, which holds the lock. */
#ifndef _WIN32

typedef struct bloom_file_shared_ {
    void *map;              /* both pages and all that follow */
    size_t size;            /* of the file */
    int fd;
} bloom_file_shared_;

/* Maps the file after a page for the notes. First the whole room is taken, by a
   private map of the file, whose first page becomes that page. NULL: *why is an
   errno */
static inline void *bloom_file_map_shared_(int fd, size_t size, int *why)
{
    const long page = sysconf(_SC_PAGESIZE);
    const size_t first = (size_t)page;
    bloom_file_shared_ *notes;
    void *room = MAP_FAILED, *map = MAP_FAILED;
    if (page > 0 && size <= SIZE_MAX - first)
        room = mmap(NULL, first + size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (room != MAP_FAILED
        && mprotect(room, first, PROT_READ | PROT_WRITE) == 0)
        map = mmap((char *)room + first, size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, fd, 0);
    if (map == MAP_FAILED) {
        *why = bloom_file_why_();
        if (room != MAP_FAILED)
            munmap(room, first + size);
        return NULL;
    }
    notes = (bloom_file_shared_ *)map - 1;
    notes->map = room;
    notes->size = size;
    notes->fd = fd;
    return map;
}

static inline bloom_file_shared_ bloom_file_notes_(const void *map)
{
    return ((const bloom_file_shared_ *)map)[-1];
}

/* Synchronises the map and, as macOS writes to the disk's own memory, the
   file. */
static inline int bloom_file_sync_map_(void *map)
{
    const bloom_file_shared_ notes = bloom_file_notes_(map);
    return msync(map, notes.size, MS_SYNC) != 0 ? bloom_file_why_()
                                                : bloom_file_sync_fd_(notes.fd);
}

/* Also unmaps it, and closes the file. ENOENT: the file has lost its name. */
static inline int bloom_file_end_map_(void *map)
{
    const bloom_file_shared_ notes = bloom_file_notes_(map);
    struct stat file;
    int why = bloom_file_sync_map_(map);
    if (why == 0 && fstat(notes.fd, &file) == 0 && file.st_nlink == 0)
        why = ENOENT;
    munmap(notes.map, notes.size + (size_t)((char *)map - (char *)notes.map));
    close(notes.fd);
    return why;
}

/* ---- Holding ------------------------------------------------------------ */

/* Are the first `size` bytes zeros? 0, or an errno */
static inline int bloom_file_zeros_(int fd, uint64_t size, bool *zeros)
{
    char bytes[4096];
    uint64_t at = 0;
    ssize_t some, i;
    *zeros = true;
    while (*zeros && at < size) {
        some = pread(fd, bytes, sizeof bytes, (off_t)at);
        if (some < 0 && errno != EINTR)
            return bloom_file_why_();
        if (some == 0)
            return EBUSY;               /* it has become shorter */
        for (i = 0; i < some; i++)
            *zeros = *zeros && bytes[i] == 0;
        at += some > 0 ? (uint64_t)some : 0;
    }
    return 0;
}

/* Makes the file at least so long, and takes the disk space for its holes. */
static inline int bloom_file_reserve_(int fd, uint64_t old, size_t size)
{
    int why = EOPNOTSUPP;
    if ((uint64_t)(off_t)size != size)
        return EFBIG;
#if !defined(__APPLE__) && !defined(__OpenBSD__)
    do
        why = posix_fallocate(fd, 0, (off_t)size);
    while (why == EINTR);
#endif
    if (why == EINVAL || why == EOPNOTSUPP || why == ENOSYS)
        why = old >= size || ftruncate(fd, (off_t)size) == 0
            ? 0 : bloom_file_why_();
    else if (why != 0 && old < size)
        (void)!ftruncate(fd, (off_t)old);
    return why;
}

/* Synchronises the name of a new file. */
static inline int bloom_file_sync_name_(const char *name)
{
    char *target = bloom_file_follow_(name);
    int folder, why;
    if (!target)
        return bloom_file_why_();
    why = bloom_file_folder_(target, &folder);
    if (why == 0)
        why = bloom_file_sync_folder_(folder);
    if (folder >= 0)
        close(folder);
    free(target);
    return why;
}

/* Looks at the file, and gives it its size and disk space. A process that was
   killed here may have left a file whose name is not on the disk. */
static inline int bloom_file_prepare_(int fd, const char *name, size_t *size,
                                      bool *is_new)
{
    struct stat file;
    uint64_t old;
    int why;
    if (fstat(fd, &file) != 0)
        return bloom_file_why_();
    if (!S_ISREG(file.st_mode))
        return ENODEV;
    old = (uint64_t)file.st_size;
    if (*size == 0 && old > SIZE_MAX)
        return EFBIG;
    if (*size == 0)
        *size = (size_t)old;
    if (*size == 0)
        return ENOENT;
    why = old > *size ? EINVAL : bloom_file_zeros_(fd, old, is_new);
    if (why == 0 && old < *size && !*is_new)
        why = EINVAL;
    if (why == 0 && (old < *size || (uint64_t)file.st_blocks * 512 < *size))
        why = bloom_file_reserve_(fd, old, *size);
    if (why == 0 && *is_new)
        why = bloom_file_sync_fd_(fd);
    if (why == 0 && *is_new)
        why = bloom_file_sync_name_(name);
    return why;
}

BLOOM_API void *bloom_file_hold(const char *name, size_t size, int *why)
{
    void *held = NULL;
    bool is_new = false;
    int fd, error = bloom_file_lock_(name, size > 0 ? O_RDWR | O_CREAT : O_RDWR,
                                     LOCK_EX, &fd);
    if (error == 0)
        error = bloom_file_prepare_(fd, name, &size, &is_new);
    if (error == 0)
        held = bloom_file_map_shared_(fd, size, &error);
    if (!held && fd >= 0)
        close(fd);
    if (why)
        *why = held && is_new ? ENOENT : error;
    return held;
}

BLOOM_API size_t bloom_file_held(const void *held)
{
    return bloom_file_notes_(held).size;
}

BLOOM_API int bloom_file_sync(void *held)
{
    return bloom_file_sync_map_(held);
}

BLOOM_API int bloom_file_drop(void *held)
{
    return held ? bloom_file_end_map_(held) : 0;
}
#endif

/* ---- Sharing ------------------------------------------------------------ */
#if defined(BLOOM_ATOMIC) && !defined(_WIN32)

/* Makes a file for an empty filter, unless there is one. The file gets its name
   when it is complete. */
static inline int bloom_file_create_shared_(const char *name, bloom_plan plan)
{
    unsigned char head[BLOOM_HEADER_SIZE];
    const size_t size = bloom_plan_size(plan);
    bloom_file_new_ f;
    int folder = -1, why = bloom_file_begin_(&f, name, -1);
    if (why != 0)
        return why;
    (void)!bloom_init_zeroed(head, size, plan);     /* the header only */
    why = (uint64_t)(off_t)size != size ? EFBIG
        : bloom_file_write_(f.fd, head, sizeof head);
    if (why == 0 && ftruncate(f.fd, (off_t)size) != 0)
        why = bloom_file_why_();
    if (why == 0)
        why = bloom_file_sync_fd_(f.fd);
    if (why == 0)
        why = bloom_file_folder_(f.target, &folder);
    if (why == 0 && link(f.name, f.target) != 0)
        why = bloom_file_why_();
    if (why == 0)
        why = bloom_file_sync_folder_(folder);
    if (folder >= 0)
        close(folder);
    bloom_file_cancel_(&f);
    return why;
}

/* Opens and locks the file, and creates it if there is none. */
static inline int bloom_file_open_shared_(const char *name, bloom_plan plan,
                                          int *fd)
{
    int created = 0, why;
    unsigned tries;
    for (tries = 0; tries < 50; tries++) {
        why = bloom_file_lock_(name, O_RDWR, LOCK_SH, fd);
        if (why != ENOENT || bloom_plan_size(plan) == 0)
            return why;
        if (created != 0 && created != EEXIST)
            return created;
        created = bloom_file_create_shared_(name, plan);
    }
    return EBUSY;
}

/* Does the file have a filter, and of this plan? */
static inline int bloom_file_check_shared_(int fd, bloom_plan plan,
                                           size_t *size)
{
    unsigned char head[BLOOM_HEADER_SIZE];
    const void *header = head;
    bloom_plan there;
    bloom_file_facts_ file;
    int why = bloom_file_facts_of_fd_(fd, &file);
    if (why == 0 && !file.regular)
        why = ENODEV;
    if (why == 0)
        why = bloom_file_header_(fd, head, size);
    if (why != 0 || file.size != *size)
        return why != 0 ? why : EBADMSG;
    there = bloom_plan_of((const bloom *)header);
    return bloom_plan_size(plan) == 0 || bloom_same_plan_(there, plan) ? 0
                                                                       : EINVAL;
}

BLOOM_API bloom *bloom_share(const char *name, bloom_plan plan, int *why)
{
    bloom *b = NULL;
    size_t size = 0;
    int fd, error = bloom_file_open_shared_(name, plan, &fd);
    if (error == 0)
        error = bloom_file_check_shared_(fd, plan, &size);
    if (error == 0)
        b = (bloom *)bloom_file_map_shared_(fd, size, &error);
    if (!b && fd >= 0)
        close(fd);
    if (why)
        *why = error;
    return b;
}

BLOOM_API int bloom_unshare(bloom *b)
{
    return b ? bloom_file_end_map_(b) : 0;
}
#endif

BLOOM_END_HUSH_
#ifdef __cplusplus
}
#endif
#endif /* BLOOM_IMPLEMENTATION */
