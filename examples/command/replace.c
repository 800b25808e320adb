/* replace.c: a new file beside an old one, which it replaces. As in
   bloom_file.h, the old file is locked for the moment of the rename, so that no
   process begins to share it (bloom_share), and a file that did not exist is
   linked, not renamed, so that it replaces none that was just made. While it is
   locked, the caller looks at it once more: a process that shared it until then
   may have added keys. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#endif
#include "replace.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

enum { MOST = 1 << 24 };        /* bytes per write: some systems refuse 2 GB */

/* ---- Names --------------------------------------------------------------- */

/* How many bytes of a path belong to its folder, with the last slash */
static size_t folder_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* The first `keep` bytes of path, and `more` */
static char *joined(const char *path, size_t keep, const char *more)
{
    const size_t size = strlen(more) + 1;
    char *name = enlarge(NULL, keep + size, path);
    memcpy(name, path, keep);
    memcpy(name + keep, more, size);
    return name;
}

char *name_beside(const char *path, const char *suffix)
{
    const size_t folder = folder_size(path);
    size_t keep = strlen(path);
    if (keep - folder > 200)
        for (keep = folder + 200; keep > folder
             && ((unsigned char)path[keep] >> 6) == 2; )
            keep--;
    return joined(path, keep, suffix);
}

/* `at` is where the texts of links lead. Is it the file that the system opens
   as `path`? It is not if a link in /proc leads to a file without a name: "f
   (deleted)" is no path, but another file may be called so. A file that other
   programs replace meanwhile may differ by chance, but not each time. */
static bool leads_to(const char *path, const char *at)
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

/* *at is the path that symbolic links lead to. No file needs to be there. */
static int follow(const char *path, char **at)
{
    char text[4096], *next;
    unsigned links = 0;
    ssize_t size;
    *at = joined(path, strlen(path), "");
    while ((size = readlink(*at, text, sizeof text - 1)) >= 0) {
        if ((size_t)size == sizeof text - 1 || ++links > 40)
            return links > 40 ? ELOOP : ENAMETOOLONG;
        text[size] = '\0';
        next = joined(*at, text[0] == '/' ? 0 : folder_size(*at), text);
        free(*at);
        *at = next;
    }
    return links > 0 && !leads_to(path, *at) ? EINVAL : 0;
}

/* ---- The old file -------------------------------------------------------- */

/* 0 if it may be replaced, or if there is none: then all of *old is zero */
static int look_at_old(const char *path, struct stat *old)
{
    if (lstat(path, old) != 0) {
        memset(old, 0, sizeof *old);
        return errno == ENOENT ? 0 : errno;
    }
    if (!S_ISREG(old->st_mode))
        return S_ISDIR(old->st_mode) ? EISDIR : EINVAL;
    return access(path, W_OK) == 0 ? 0 : errno;
}

static bool is_at(int fd, const char *path)
{
    struct stat file, there;
    return fstat(fd, &file) == 0 && stat(path, &there) == 0
           && file.st_dev == there.st_dev && file.st_ino == there.st_ino;
}

/* Locks the old file until *fd is closed; EBUSY after half a second: processes
   share it. ENOENT: there is none. The locked file is the one of that name: a
   save may have replaced it before. */
static int lock_file(const char *path, int flags, int *fd)
{
    const struct timespec moment = { 0, 10000000 };
    unsigned tries;
    int why;
    for (tries = 0; tries < 50; tries++) {
        *fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (*fd < 0)
            return errno;
        why = flock(*fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
        if (why == 0 && is_at(*fd, path))
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

static int held = -1;                   /* the file of hold_file */

static bool is_held(const char *path)
{
    return held >= 0 && is_at(held, path);
}

/* The errors that are 0 here are those of a file system without locks, where no
   file can be shared; *fd is -1 then. Some lock only a file that is open for
   writing. The lock of hold_file is passed on. */
static int lock_old(const char *path, int *fd)
{
    int why;
    if (is_held(path)) {
        *fd = held;
        held = -1;
        return 0;
    }
    why = lock_file(path, O_RDONLY, fd);
    if (why == EACCES || why == EBADF)
        why = lock_file(path, O_WRONLY, fd);
    return why == EBUSY || why == ENOENT || why == EACCES || why == EMFILE
           || why == ENFILE || why == ENOMEM || why == EINTR || why == EIO
           || why == ENOLCK ? why : 0;
}

int hold_file(const char *path)
{
    const int why = lock_old(path, &held);
    return why == ENOENT ? 0 : why;
}

void release_file(void)
{
    if (held >= 0)
        close(held);
    held = -1;
}

/* ---- Rights -------------------------------------------------------------- */

static int copy_owner(int fd, const struct stat *old)
{
    struct stat now;
    if (old->st_mode == 0)
        return 0;
    if (fstat(fd, &now) != 0)
        return errno;
    if (now.st_uid == old->st_uid && now.st_gid == old->st_gid)
        return 0;
    return fchown(fd, old->st_uid, old->st_gid) == 0 ? 0 : errno;
}

/* Gives the new file the access control list of the old one, or none. The group
   bits of a file with a list are the list's mask, so without the list the group
   would get rights that it does not have. And a new file has the default list
   of its folder, if there is one. */
static int copy_list(const new_file *f)
{
#ifdef __linux__
    static const char name[] = "system.posix_acl_access";
    char list[4 + 8 * 500];
    const ssize_t size = lgetxattr(f->target, name, list, sizeof list);
    if (size > 0)
        return fsetxattr(f->fd, name, list, (size_t)size, 0) == 0 ? 0 : errno;
    if ((size == 0 || errno == ENODATA) && fremovexattr(f->fd, name) == 0)
        return 0;
    return errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS ? 0
                                                                      : errno;
#else
    (void)f;
    return 0;
#endif
}

static int copy_rights(const new_file *f, const struct stat *old)
{
    int why = copy_owner(f->fd, old);
    if (old->st_mode == 0)
        return why;
    if (why == 0)
        why = copy_list(f);
    if (why == 0 && fchmod(f->fd, old->st_mode & 0777) != 0)
        why = errno;
    return why;
}

/* ---- The new file -------------------------------------------------------- */

void cancel_file(new_file *f)
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

/* Until it has the permissions of an old file, only its owner may read it. */
static int create(new_file *f, bool secret)
{
    char suffix[64];
    unsigned i;
    int why = EEXIST;
    for (i = 0; why == EEXIST && i < 10000; i++) {
        snprintf(suffix, sizeof suffix, ".new.%ld.%u", (long)getpid(), i);
        f->name = name_beside(f->target, suffix);
        f->fd = open(f->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                     secret ? 0600 : 0666);
        if (f->fd >= 0)
            return 0;
        why = errno;
        free(f->name);
        f->name = NULL;
    }
    return why;
}

int begin_file(new_file *f, const char *path)
{
    struct stat old;
    int why;
    memset(f, 0, sizeof *f);
    f->fd = -1;
    why = follow(path, &f->target);
    if (why == 0)
        why = *path ? look_at_old(f->target, &old) : ENOENT;
    if (why == 0)
        why = create(f, old.st_mode != 0);
    if (why == 0)
        why = copy_owner(f->fd, &old);
    if (why != 0)
        cancel_file(f);
    return why;
}

/* For systems and file systems without posix_fallocate */
static int write_zeros(int fd, uint64_t from, uint64_t size)
{
    static const char zeros[4096];
    while (size > 0) {
        const size_t most = size < sizeof zeros ? (size_t)size : sizeof zeros;
        const ssize_t some = pwrite(fd, zeros, most, (off_t)from);
        if (some == 0)
            return EIO;
        if (some < 0 && errno != EINTR)
            return errno;
        from += some > 0 ? (uint64_t)some : 0;
        size -= some > 0 ? (uint64_t)some : 0;
    }
    return 0;
}

static int extend(int fd, uint64_t from, uint64_t to)
{
    int why = EOPNOTSUPP;
    if (to > INT64_MAX || (uint64_t)(off_t)to != to)
        return EFBIG;
#if defined(_POSIX_ADVISORY_INFO) && _POSIX_ADVISORY_INFO > 0
    do
        why = posix_fallocate(fd, (off_t)from, (off_t)(to - from));
    while (why == EINTR);
#endif
    if (why == EOPNOTSUPP || why == EINVAL || why == ENOSYS)
        why = write_zeros(fd, from, to - from);
    return why;
}

int reserve_in(new_file *f, uint64_t size)
{
    const uint64_t from = f->reserved > f->size ? f->reserved : f->size;
    int why;
    if (size <= from)
        return 0;
    why = extend(f->fd, from, size);
    if (why == 0)
        f->reserved = size;
    else if (f->failed == 0 && ftruncate(f->fd, (off_t)from) != 0)
        f->failed = errno;              /* it may have extended a part */
    return why;
}

int put_bytes(new_file *f, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (f->failed == 0 && size > 0) {
        const ssize_t some = write(f->fd, from, size < MOST ? size : MOST);
        if (some == 0 || (some < 0 && errno != EINTR))
            f->failed = some == 0 ? EIO : errno;
        from += some > 0 ? some : 0;
        size -= some > 0 ? (size_t)some : 0;
        f->size += some > 0 ? (uint64_t)some : 0;
    }
    return f->failed;
}

/* On macOS, fsync writes to the disk's own memory only. */
static int synchronise(int fd)
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
    return result == 0 ? 0 : errno;
}

int complete_file(new_file *f)
{
    struct stat old;
    int why = f->failed;
    if (f->fd < 0)
        return why;
    if (why == 0)
        why = look_at_old(f->target, &old);
    if (why == 0 && f->reserved > f->size
        && ftruncate(f->fd, (off_t)f->size) != 0)
        why = errno;
    if (why == 0)
        why = copy_rights(f, &old);
    if (why == 0)
        why = synchronise(f->fd);
    if (close(f->fd) != 0 && why == 0)
        why = errno;
    f->fd = -1;
    return f->failed = why;
}

/* ---- The rename ---------------------------------------------------------- */

/* After a rename, a file with the new file's first name may belong to somebody
   else, so that name is forgotten. After a link, cancel_file removes it. If the
   file system has no links, this looks for the old file once more, as a link
   that fails can take long. */
static int put_in_place(new_file *f, int (*look)(int locked))
{
    int old, why, looked;
    bool links = true;
    unsigned tries;
    for (tries = 0; tries < 10; tries++) {
        why = lock_old(f->target, &old);
        looked = look(why);
        if (looked != 0) {
            if (old >= 0)
                close(old);
            if (looked != EAGAIN)
                return looked;
            continue;
        }
        if (why == ENOENT && links) {
            if (link(f->name, f->target) == 0)
                return 0;
            links = errno == EEXIST;
            continue;
        }
        why = rename(f->name, f->target) == 0 ? 0 : errno;
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

/* A folder that may be written but not be read cannot be synchronised, nor can
   those of some systems, which say EINVAL or EBADF. */
static int open_folder(const char *path, int *fd)
{
    char *name = joined(path, folder_size(path), ".");
    int why;
    *fd = open(name, O_RDONLY | O_CLOEXEC);
    why = *fd >= 0 || errno == EACCES ? 0 : errno;
    free(name);
    return why;
}

static int synchronise_folder(int fd)
{
    const int why = fd >= 0 ? synchronise(fd) : 0;
    return why == EINVAL || why == EOPNOTSUPP || why == ENOTSUP || why == EBADF
         ? 0 : why;
}

int finish_file(new_file *f, int (*look)(int locked))
{
    int folder = -1, why = complete_file(f);
    if (why == 0)
        why = open_folder(f->target, &folder);
    if (why == 0)
        why = put_in_place(f, look);
    if (why == 0)
        why = synchronise_folder(folder);
    if (folder >= 0)
        close(folder);
    cancel_file(f);
    return why;
}
