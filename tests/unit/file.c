/* Tests of examples/companions/bloom_file.h. Its system calls go through
   functions here, which can end the process at call number i, let that call
   fail, or change the file at that moment. After each of these, the file must
   be the whole old one or the whole new one. Ends with "N passed, N failed".
   It works in the folder build/file.d. */
#ifndef _GNU_SOURCE
#define _XOPEN_SOURCE 700
#endif
#define _FILE_OFFSET_BITS 64
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/ptrace.h>
#include <sys/xattr.h>
#endif
#include "check.h"

/* ---- The system calls --------------------------------------------------- */

static unsigned calls;                  /* how many were made so far */
static unsigned when;                   /* at this one, something happens */
static enum { NOTHING, ENDS, FAILS, CHANGES } fault;
static void (*change)(void);
static bool unsynced, renamed_unsynced;
static unsigned file_syncs, folder_syncs;
static bool inherited;                  /* a file that a child process gets */
static int folder_error;                /* of fsync, for folders; 0: none */
static int maps;

/* true: the call must fail. */
static bool happens(void)
{
    if (++calls != when || fault == NOTHING)
        return false;
    if (fault == ENDS)
        _exit(9);
    if (fault == CHANGES)
        change();
    errno = EIO;
    return fault == FAILS;
}

static int open_(const char *name, int flags, ...)
{
    va_list values;
    int mode = 0;
    va_start(values, flags);
    if (flags & O_CREAT)
        mode = va_arg(values, int);
    va_end(values);
    inherited |= (flags & O_CLOEXEC) == 0;
    return happens() ? -1 : open(name, flags, mode);
}

/* Short writes and reads, as a signal or a pipe makes them */
static bool writes_nothing, readable;   /* by others, while it is written */
static ssize_t write_(int fd, const void *from, size_t size)
{
    struct stat file;
    unsynced = true;
    readable = fstat(fd, &file) != 0 || (file.st_mode & 077) != 0;
    if (happens())
        return -1;
    if (writes_nothing)
        return 0;
    if (calls % 5 == 0) {
        errno = EINTR;
        return -1;
    }
    return write(fd, from, size > 1 ? size / 2 : size);
}

static ssize_t read_(int fd, void *to, size_t size)
{
    if (happens())
        return -1;
    if (calls % 5 == 0) {
        errno = EINTR;
        return -1;
    }
    return read(fd, to, size > 1 ? size / 2 : size);
}

static int fsync_(int fd)
{
    struct stat file;
    const bool folder = fstat(fd, &file) == 0 && S_ISDIR(file.st_mode);
    unsynced = false;
    ++*(folder ? &folder_syncs : &file_syncs);
    if (folder_error && folder) {
        errno = folder_error;
        return -1;
    }
    return happens() ? -1 : fsync(fd);
}
static int close_(int fd)
{
    const bool fails = happens();
    const int result = close(fd);
    errno = fails ? EIO : ENOTTY;       /* success may change it, too */
    return fails ? -1 : result;
}
static int rename_(const char *a, const char *b)
{
    renamed_unsynced |= unsynced;
    return happens() ? -1 : rename(a, b);
}
static int fchmod_(int fd, mode_t mode)
    { return happens() ? -1 : fchmod(fd, mode); }
static int fchown_(int fd, uid_t user, gid_t group)
    { return happens() ? -1 : fchown(fd, user, group); }
static int access_(const char *name, int mode)
    { return happens() ? -1 : access(name, mode); }
static void *mmap_(void *p, size_t size, int prot, int flags, int fd, off_t o)
{
    void *map = happens() ? MAP_FAILED : mmap(p, size, prot, flags, fd, o);
    maps += map != MAP_FAILED && !(flags & MAP_FIXED);    /* over another */
    return map;
}
static int munmap_(void *p, size_t size)
{
    maps--;
    return munmap(p, size);
}
static int fstat_(int fd, struct stat *file)
    { return happens() ? -1 : fstat(fd, file); }
static int reserve_error;               /* of posix_fallocate; 0: none */
static int posix_fallocate_(int fd, off_t from, off_t size)
{
    if (reserve_error)
        return reserve_error;
    return happens() ? EIO : posix_fallocate(fd, from, size);
}
static int ftruncate_(int fd, off_t size)
    { return happens() ? -1 : ftruncate(fd, size); }
static int flock_(int fd, int how)
    { return happens() ? -1 : flock(fd, how); }
static ssize_t pread_(int fd, void *to, size_t size, off_t from)
{
    if (happens())
        return -1;
    if (calls % 5 == 0) {
        errno = EINTR;
        return -1;
    }
    return pread(fd, to, size > 1 ? size / 2 : size, from);
}
static unsigned maps_synced;
static int msync_(void *p, size_t size, int how)
{
    maps_synced += how == MS_SYNC;
    return happens() ? -1 : msync(p, size, how);
}
static int nanosleep_(const struct timespec *time, struct timespec *left)
    { return (void)time, (void)left, 0; }
static int lstat_(const char *name, struct stat *file)
    { return happens() ? -1 : lstat(name, file); }

#ifdef __linux__
static ssize_t lgetxattr_(const char *file, const char *name, void *to,
                          size_t size)
    { return happens() ? -1 : lgetxattr(file, name, to, size); }
static int fremovexattr_(int fd, const char *name)
    { return happens() ? -1 : fremovexattr(fd, name); }
#define lgetxattr lgetxattr_
#define fremovexattr fremovexattr_
#endif

/* Memory that is short is an error of its own. */
static void *malloc_(size_t size)
{
    void *memory = happens() ? NULL : malloc(size);
    if (!memory)
        errno = ENOMEM;
    return memory;
}
static void *calloc_(size_t count, size_t size)
    { return happens() ? NULL : calloc(count, size); }

#define open open_
#define write write_
#define read read_
#define fsync fsync_
#define close close_
#define rename rename_
#define fchmod fchmod_
#define fchown fchown_
#define access access_
#define mmap mmap_
#define munmap munmap_
#define fstat fstat_
#define lstat lstat_
#define posix_fallocate posix_fallocate_
#define ftruncate ftruncate_
#define flock flock_
#define pread pread_
#define msync msync_
#define nanosleep nanosleep_
#define malloc malloc_
#define calloc calloc_
#define BLOOM_STATIC
#include "examples/companions/bloom_file.h"
#include "examples/companions/bloom_window.h"
#undef open
#undef write
#undef read
#undef fsync
#undef close
#undef rename
#undef fchmod
#undef fchown
#undef access
#undef mmap
#undef munmap
#undef fstat
#undef lstat
#undef posix_fallocate
#undef ftruncate
#undef flock
#undef pread
#undef msync
#undef nanosleep
#undef malloc
#undef calloc
#undef lgetxattr
#undef fremovexattr

/* ---- Helpers ------------------------------------------------------------ */

enum { OLD = 5000, NEW = 70000 };
static char old_bytes[OLD], new_bytes[NEW];

#undef CHECK
#define CHECK(condition) \
    (check(condition, #condition) || (printf("    at call %u\n", when), false))
#define RUN(call) RUN_TEST(call, (fault = NOTHING, when = 0))

static void put(const char *name, const char *bytes, size_t size, mode_t mode)
{
    FILE *file = fopen(name, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size);
    CHECK(file && fclose(file) == 0 && chmod(name, mode) == 0);
}

static bool has(const char *name, const char *bytes, size_t size)
{
    static char there[NEW + 1];
    FILE *file = fopen(name, "rb");
    size_t got = file ? fread(there, 1, sizeof there, file) : 0;
    if (!file)
        return false;
    fclose(file);
    return got == size && memcmp(there, bytes, size) == 0;
}

static mode_t mode_of(const char *name)
{
    struct stat file;
    return stat(name, &file) == 0 ? file.st_mode & 07777 : 0;
}

/* How many files the folder has; removes those left by saves that ended. */
static unsigned files_in(const char *folder, bool clean)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    unsigned files = 0;
    while (dir && (entry = readdir(dir)) != NULL) {
        files += entry->d_name[0] != '.';
        if (clean && strstr(entry->d_name, ".new."))
            remove(entry->d_name);
    }
    if (dir)
        closedir(dir);
    return files;
}

/* Runs test in another process, as another user if this one is root. */
static int in_child(void (*test)(void))
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(77);
        test();
        fflush(stdout);
        _exit(failures != 0);
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- Saving and loading ------------------------------------------------- */

static void save_and_load(void)
{
    size_t size = 1;
    char *image;
    const char *map;
    const mode_t mask = umask(022);
    CHECK(bloom_file_save("f", old_bytes, OLD) == 0);
    CHECK(has("f", old_bytes, OLD) && mode_of("f") == 0644 && readable);
    CHECK(chmod("f", 0750) == 0 && bloom_file_save("f", new_bytes, NEW) == 0);
    CHECK(has("f", new_bytes, NEW) && mode_of("f") == 0750 && !readable);
    CHECK(chmod("f", 06755) == 0 && bloom_file_save("f", new_bytes, NEW) == 0);
    CHECK(mode_of("f") == 0755);        /* without set-user-ID bits */
    CHECK(files_in(".", false) == 1);
    image = (char *)bloom_file_load("f", NEW, &size);
    CHECK(image && size == NEW && memcmp(image, new_bytes, NEW) == 0);
    CHECK((uintptr_t)image % 32 == 0);
    bloom_file_free(image);
    CHECK(!bloom_file_load("f", NEW - 1, &size) && errno == EFBIG && size == 0);
    CHECK(!renamed_unsynced);
    map = (const char *)bloom_file_map("f", &size);
    CHECK(map && size == NEW && memcmp(map, new_bytes, NEW) == 0);
    CHECK(bloom_file_save("f", old_bytes, OLD) == 0);
    CHECK(map && memcmp(map, new_bytes, NEW) == 0);
    bloom_file_unmap(map, size);
    CHECK(bloom_file_save("f", NULL, 0) == 0 && has("f", "", 0));
    image = (char *)bloom_file_load("f", 0, &size);
    CHECK(image && size == 0);
    bloom_file_free(image);
    map = (const char *)bloom_file_map("f", &size);
    CHECK(map && size == 0);
    bloom_file_unmap(map, size);
    bloom_file_free(NULL);
    CHECK(!bloom_file_load("none", 9, &size) && errno == ENOENT);
    CHECK(!bloom_file_map("none", &size) && errno == ENOENT && size == 0);
    CHECK(!bloom_file_load(".", 9, &size) && errno == EISDIR);
    CHECK(!bloom_file_map(".", &size) && errno == EISDIR);
    CHECK(bloom_file_save(".", "x", 1) == EISDIR);
    CHECK(bloom_file_save("none/f", "x", 1) == ENOENT);
    CHECK(bloom_file_save("", "x", 1) == ENOENT);
    umask(mask);
}

/* Linux says that each file of /sys has a page, and files of /proc nothing. The
   file of 5 GB is sparse: 32 bits cannot load it, whatever the limit. */
static void other_sizes(void)
{
    static const char *const names[] = { "/sys/devices/system/cpu/online",
                                         "/proc/self/status" };
    size_t i, size;
    void *image;
    struct stat file;
    FILE *out;
    for (i = 0; i < 2; i++) {
        if (access(names[i], R_OK) != 0)
            continue;
        image = bloom_file_load(names[i], SIZE_MAX, &size);
        CHECK(image && size > 0 && stat(names[i], &file) == 0
              && file.st_size != (off_t)size);
        bloom_file_free(image);
        CHECK(!bloom_file_load(names[i], size - 1, &size) && errno == EFBIG);
    }
    out = fopen("f", "wb");
    if (CHECK(out && ftruncate(fileno(out), (off_t)5 << 30) == 0)) {
        CHECK(!bloom_file_load("f", sizeof size > 4 ? 9 : SIZE_MAX, &size)
              && errno == EFBIG && size == 0);
        CHECK(sizeof size > 4 || (!bloom_file_map("f", &size)
                                  && errno == EFBIG));
        fclose(out);
    }
    CHECK(remove("f") == 0);
}

static void aligned(void)
{
    void *image[20];
    size_t i, size;
    for (i = 0; i < 20; i++) {
        put("f", new_bytes, 11 * i, 0644);
        image[i] = bloom_file_load("f", SIZE_MAX, &size);
        CHECK(image[i] && size == 11 * i && (uintptr_t)image[i] % 32 == 0);
    }
    for (i = 0; i < 20; i++) {
        if (i % 2 == 0)
            bloom_file_free(image[i]);
        else
            bloom_free((bloom *)image[i]);
    }
}

static void write_nothing(void)
{
    put("f", old_bytes, OLD, 0644);
    writes_nothing = true;
    CHECK(bloom_file_save("f", new_bytes, NEW) == EIO);
    writes_nothing = false;
    CHECK(has("f", old_bytes, OLD) && files_in(".", false) == 1);
}

/* Some file systems cannot synchronise a folder. Other errors are reported. */
static void folders(void)
{
    static const int none[] = { EINVAL, EBADF, EOPNOTSUPP };
    unsigned i;
    for (i = 0; i < 3; i++) {
        folder_error = none[i];
        CHECK(bloom_file_save("f", new_bytes, NEW - i) == 0);
        CHECK(has("f", new_bytes, NEW - i));
    }
    folder_error = ENOSPC;
    CHECK(bloom_file_save("f", old_bytes, OLD) == ENOSPC);
    CHECK(has("f", old_bytes, OLD));
    folder_error = 0;
}

/* In a process without standard input and output, files get their numbers. */
static void low_numbers(void)
{
    const int in = dup(0), out = dup(1);
    size_t size = 0;
    const void *map;
    char *image;
    int why;
    fflush(stdout);
    close(0);
    close(1);
    folder_error = EIO;
    why = bloom_file_save("f", new_bytes, NEW);
    folder_error = 0;
    image = (char *)bloom_file_load("f", NEW, &size);
    map = bloom_file_map("f", &size);
    dup2(in, 0);
    dup2(out, 1);
    close(in);
    close(out);
    CHECK(why == EIO);                  /* the folder was synchronised */
    CHECK(image && memcmp(image, new_bytes, NEW) == 0);
    CHECK(map && size == NEW && memcmp(map, new_bytes, NEW) == 0);
    bloom_file_free(image);
    bloom_file_unmap(map, size);
}

/* /proc/self/fd/N is a link whose text is no path if the file has no name: for
   a file that was removed it is "/.../gone (deleted)", and another file may be
   called so. A file that still has another name is no different. */
static void nameless(void)
{
    char name[40];
    int pair[2], fd = open("gone", O_CREAT | O_RDWR, 0600);
    CHECK(fd >= 0 && link("gone", "other") == 0 && remove("gone") == 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (access(name, F_OK) == 0) {      /* on Linux */
        CHECK(bloom_file_save(name, "x", 1) == EINVAL);
        put("gone (deleted)", old_bytes, OLD, 0644);
        CHECK(bloom_file_save(name, "x", 1) == EINVAL);
        CHECK(has("gone (deleted)", old_bytes, OLD) && has("other", "", 0));
        CHECK(remove("gone (deleted)") == 0);
    }
    CHECK(remove("other") == 0);
    close(fd);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", pair[0]);
    if (access(name, F_OK) == 0)
        CHECK(bloom_file_save(name, "x", 1) == EINVAL);
    close(pair[0]);
    close(pair[1]);
    put("f", old_bytes, OLD, 0644);
    fd = open("f", O_RDWR);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (access(name, F_OK) == 0)
        CHECK(bloom_file_save(name, "x", 1) == 0 && has("f", "x", 1));
    close(fd);
    CHECK(files_in(".", false) == 1);
}

static void links(void)
{
    struct stat file;
    put("f", old_bytes, OLD, 0644);
    CHECK(mkdir("d", 0777) == 0 && symlink("../f", "d/a") == 0);
    CHECK(symlink("d/a", "b") == 0 && symlink("d/none", "c") == 0);
    CHECK(symlink("loop", "loop") == 0);
    CHECK(bloom_file_save("b", new_bytes, NEW) == 0);
    CHECK(has("f", new_bytes, NEW));
    CHECK(lstat("b", &file) == 0 && S_ISLNK(file.st_mode));
    CHECK(lstat("d/a", &file) == 0 && S_ISLNK(file.st_mode));
    CHECK(bloom_file_save("c", old_bytes, OLD) == 0);
    CHECK(has("d/none", old_bytes, OLD));
    CHECK(bloom_file_save("loop", "x", 1) == ELOOP);
    CHECK(link("f", "hard") == 0 && bloom_file_save("f", "x", 1) == 0);
    CHECK(has("hard", new_bytes, NEW) && has("f", "x", 1));
    remove("hard");
    remove("d/a");
    remove("d/none");
    CHECK(rmdir("d") == 0);
    remove("b");
    remove("c");
    remove("loop");
    CHECK(files_in(".", false) == 1);
}

/* A device of this folder that is like the one in /dev, if root may make one:
   as root, a mistake in bloom_file.h could replace that of the machine. NULL:
   there is none. */
static const char *device(const char *name)
{
    struct stat like;
    const char *own = strrchr(name, '/') + 1;
    if (stat(name, &like) != 0)
        return NULL;
    if (access("/dev", W_OK) != 0)
        return name;
    return mknod(own, S_IFCHR | 0666, like.st_rdev) == 0
           && access(own, W_OK) == 0 ? own : NULL;
}

/* A FIFO or a device is never written to. FIFOs can be read. */
static void devices(void)
{
    size_t size;
    char *image;
    const unsigned before = files_in(".", false);
    const char *null = device("/dev/null");
    FILE *pipe_;
    int fd, status;
    pid_t pid;
    CHECK(mkfifo("p", 0600) == 0);
    fd = open("p", O_RDWR);
    CHECK(fd >= 0 && bloom_file_save("p", "hello", 5) == EINVAL);
    CHECK(symlink("p", "l") == 0 && bloom_file_save("l", "x", 1) == EINVAL);
    close(fd);
    pid = fork();
    if (pid == 0) {
        pipe_ = fopen("p", "wb");
        _exit(!pipe_ || fwrite(new_bytes, 1, NEW, pipe_) != NEW
              || fclose(pipe_) != 0);
    }
    image = (char *)bloom_file_load("p", SIZE_MAX, &size);
    CHECK(image && size == NEW && memcmp(image, new_bytes, NEW) == 0);
    bloom_file_free(image);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    pid = fork();
    if (pid == 0) {
        signal(SIGPIPE, SIG_IGN);
        pipe_ = fopen("p", "wb");
        _exit(!pipe_ || fwrite(new_bytes, 1, NEW, pipe_) == NEW);
    }
    CHECK(!bloom_file_load("p", 1000, &size) && errno == EFBIG && size == 0);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(!bloom_file_map("p", &size) && errno == ENODEV);     /* at once */
    CHECK(!null || bloom_file_save(null, new_bytes, NEW) == EINVAL);
    CHECK(!null || (!bloom_file_map(null, &size) && errno == ENODEV));
    remove("p");
    remove("l");
    remove("null");
    CHECK(files_in(".", false) == before);
}

static void other_user(void)
{
    CHECK(bloom_file_save("ro/f", "x", 1) == EACCES);
    CHECK(bloom_file_save("ro/new", "x", 1) == EACCES);
    CHECK(bloom_file_save("rw/ours", "x", 1) == EPERM);
    CHECK(bloom_file_save("rw/read_only", "x", 1) == EACCES);
    CHECK(bloom_file_save("rw/new", "x", 1) == 0);
    CHECK(chmod("rw/new", 0222) == 0);      /* may be written, but not read */
    CHECK(bloom_file_save("rw/new", "xy", 2) == 0);
    CHECK(mode_of("rw/new") == 0222);
    CHECK(chmod("rw/new", 0644) == 0 && has("rw/new", "xy", 2));
}

/* A user who may not give files away must not change their owner. */
static void owners(void)
{
    static const unsigned ids[][2] = { { 12, 34 }, { 0, 34 }, { 12, 0 } };
    struct stat file;
    unsigned i;
    int status;
    CHECK(mkdir("ro", 0777) == 0 && mkdir("rw", 0777) == 0);
    put("ro/f", old_bytes, OLD, 0666);
    put("rw/ours", old_bytes, OLD, 0666);
    put("rw/read_only", old_bytes, OLD, 0444);
    CHECK(chmod("ro", 0555) == 0 && chmod("rw", 0777) == 0);
    if (geteuid() == 0) {
        status = in_child(other_user);
        CHECK(status == 0);
        CHECK(files_in("ro", false) == 1 && files_in("rw", false) == 3);
        CHECK(has("ro/f", old_bytes, OLD) && has("rw/ours", old_bytes, OLD));
        for (i = 0; i < 3; i++) {
            CHECK(chown("rw/ours", ids[i][0], ids[i][1]) == 0);
            CHECK(chmod("rw/ours", 0640) == 0);
            CHECK(bloom_file_save("rw/ours", "x", 1) == 0);
            CHECK(stat("rw/ours", &file) == 0 && file.st_uid == ids[i][0]
                  && file.st_gid == ids[i][1]
                  && (file.st_mode & 07777) == 0640);
        }
    } else {
        CHECK(bloom_file_save("ro/f", "x", 1) == EACCES);
        CHECK(bloom_file_save("rw/read_only", "x", 1) == EACCES);
        CHECK(has("ro/f", old_bytes, OLD) && files_in("rw", false) == 2);
    }
    CHECK(chmod("ro", 0777) == 0);
    remove("ro/f");
    remove("rw/ours");
    remove("rw/read_only");
    remove("rw/new");
    CHECK(rmdir("ro") == 0 && rmdir("rw") == 0);
}

/* With an access control list, the mode's group bits are the list's mask. Here
   the group itself has no rights. A file with a list stays. Without one, the new
   file does not get the default list of its folder either. */
static void access_lists(void)
{
#ifdef __linux__
    static const char name[] = "system.posix_acl_access", list[] =
        "\2\0\0\0" "\1\0\6\0\377\377\377\377" "\2\0\6\0\62\0\0\0"
        "\4\0\0\0\377\377\377\377" "\20\0\6\0\377\377\377\377"
        "\40\0\0\0\377\377\377\377";
    const size_t size = sizeof list - 1;
    char got[sizeof list];
    put("f", old_bytes, OLD, 0600);
    if (setxattr("f", name, list, size, 0) != 0) {
        CHECK(errno == EOPNOTSUPP);
        puts("skipped: this file system has no access control lists");
        return;
    }
    CHECK(mode_of("f") == 0660 && bloom_file_save("f", "x", 1) == EPERM);
    CHECK(has("f", old_bytes, OLD) && mode_of("f") == 0660);
    CHECK(getxattr("f", name, got, sizeof got) == (ssize_t)size
          && memcmp(got, list, size) == 0 && files_in(".", false) == 1);
    CHECK(mkdir("d", 0700) == 0);
    CHECK(setxattr("d", "system.posix_acl_default", list, size, 0) == 0);
    put("d/f", old_bytes, OLD, 0640);
    CHECK(removexattr("d/f", name) == 0 && chmod("d/f", 0640) == 0);
    CHECK(bloom_file_save("d/f", "x", 1) == 0 && mode_of("d/f") == 0640);
    CHECK(getxattr("d/f", name, got, sizeof got) == -1 && errno == ENODATA);
    CHECK(remove("d/f") == 0 && remove("d") == 0 && remove("f") == 0);
#endif
}

/* A limit on the size of files does what a full disk does. */
static void full_disk(void)
{
    struct rlimit was, limit;
    put("f", old_bytes, OLD, 0644);
    signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &was) == 0);
    limit = was;
    limit.rlim_cur = NEW / 2;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(bloom_file_save("f", new_bytes, NEW) == EFBIG);
    CHECK(setrlimit(RLIMIT_FSIZE, &was) == 0);
    CHECK(has("f", old_bytes, OLD) && files_in(".", false) == 1);
}

/* ---- At every system call ----------------------------------------------- */

/* Ends a save at each of its calls in turn: the file is the old or the new one,
   and a program that goes on has left nothing else. */
static void end_anywhere(bool exists)
{
    unsigned olds = 0, news = 0;
    int status;
    for (when = 1; ; when++) {
        pid_t pid;
        remove("f");
        if (exists)
            put("f", old_bytes, OLD, 0600);
        fflush(stdout);
        pid = fork();
        if (pid == 0) {
            fault = ENDS;
            calls = 0;
            _exit(bloom_file_save("f", new_bytes, NEW));
        }
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            break;
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 9);
        files_in(".", true);
        if (has("f", new_bytes, NEW))
            news++;
        else if (CHECK(exists ? has("f", old_bytes, OLD)
                              : access("f", F_OK) != 0))
            olds++;
    }
    CHECK(has("f", new_bytes, NEW) && files_in(".", false) == 1);
    CHECK(olds > 20 && news > 1 && mode_of("f") == (exists ? 0600U : 0644U));
}

/* Lets each call fail in turn. If the save then says so, the file is the old
   one, unless only the folder was not synchronised. */
static void fail_anywhere(void)
{
    unsigned olds = 0, news = 0, ignored = 0;
    int why;
    for (when = 1; ; when++) {
        put("f", old_bytes, OLD, 0600);
        fault = FAILS;
        calls = 0;
        why = bloom_file_save("f", new_bytes, NEW);
        fault = NOTHING;
        CHECK(why == 0 || why == EIO || why == ENOMEM);
        CHECK(files_in(".", false) == 1 && mode_of("f") == 0600);
        if (has("f", old_bytes, OLD))
            olds += CHECK(why != 0);
        else if (CHECK(has("f", new_bytes, NEW)))
            news += why == EIO;
        ignored += why == 0;
        if (calls < when)
            break;
    }
    CHECK(why == 0 && olds > 20 && news == 1);
    /* No failure; closing the folder; and the lock of the old file: to open it,
       to ask what it is, to lock it, and to close it */
    CHECK(ignored == 2 + 4);
}

static void longer(void)
{
    FILE *file = fopen("f", "ab");
    CHECK(file && fputs("more", file) >= 0 && fclose(file) == 0);
}

static void shorter(void)
{
    CHECK(truncate("f", OLD / 2) == 0);
}

/* The file is shorter for the next `gap` calls only. */
static unsigned gap;
static bool grew_again;

static void grow_again(void)
{
    grew_again = true;
    CHECK(truncate("f", OLD) == 0);
}

static void shorter_for_a_while(void)
{
    shorter();
    change = grow_again;
    when = calls + gap;
}

/* No load takes the short file for the whole one once it has grown again. */
static void load_in_between(void)
{
    unsigned at, errors = 0;
    size_t size;
    char *image;
    for (gap = 1; gap < 8; gap++)
        for (at = 1; at < 40; at++) {
            put("f", old_bytes, OLD, 0600);
            fault = CHANGES;
            change = shorter_for_a_while;
            when = at;
            calls = 0;
            grew_again = false;
            image = (char *)bloom_file_load("f", NEW, &size);
            fault = NOTHING;
            CHECK(image ? size == OLD || (size == OLD / 2 && !grew_again)
                        : errno == EBUSY);
            errors += !image;
            bloom_file_free(image);
        }
    CHECK(errors > 5);
}

static void replaced(void)
{
    put("f2", new_bytes, NEW, 0600);
    CHECK(rename("f2", "f") == 0);
}

/* At each call of a load, the file becomes longer, shorter, or another one, or
   the call fails. The load has the file as it was at some time, or an error. */
static void load_anywhere(void (*how)(void), const char *then, size_t size,
                          int error)
{
    unsigned befores = 0, afters = 0, errors = 0;
    for (when = 1; ; when++) {
        size_t got;
        char *image;
        put("f", old_bytes, OLD, 0600);
        fault = how ? CHANGES : FAILS;
        change = how;
        calls = 0;
        image = (char *)bloom_file_load("f", NEW, &got);
        fault = NOTHING;
        if (!image)
            errors += CHECK((errno == error || (error && errno == ENOMEM))
                            && got == 0);
        else if (got == OLD && memcmp(image, old_bytes, OLD) == 0)
            befores++;
        else
            afters += CHECK(got == size && memcmp(image, then, size) == 0);
        bloom_file_free(image);
        if (calls < when)
            break;
    }
    CHECK(when > 10 && befores > 0 && (!error || errors > 2));
    CHECK(!how || afters > 0);
}

/* Another program replaces the file at each call of a save through a link. */
static void save_while_replaced(void)
{
    CHECK(symlink("f", "l") == 0);
    for (when = 1; when == 1 || calls >= when; when++) {
        put("f", new_bytes, NEW, 0600);
        fault = CHANGES;
        change = replaced;
        calls = 0;
        CHECK(bloom_file_save("l", old_bytes, OLD) == 0);
        fault = NOTHING;
        CHECK(has("l", old_bytes, OLD) || has("l", new_bytes, NEW));
    }
    CHECK(when > 20 && remove("l") == 0 && files_in(".", false) == 1);
}

/* ---- Holding ------------------------------------------------------------ */

/* The errno of holding "h", which has `size` bytes then if it can be held */
static int hold_error(size_t size)
{
    int why = -1;
    char *held = (char *)bloom_file_hold("h", size, &why);
    size_t i;
    if (!held)
        return why;
    CHECK(bloom_file_held(held) == size || size == 0);
    for (i = 0; why == ENOENT && i < size; i++)
        if (!CHECK(held[i] == 0))
            break;
    CHECK(bloom_file_drop(held) == 0);
    return why;
}

static void hold_file(void)
{
    char *held, *longer;
    struct stat there;
    int why = -1, fd;
    CHECK(hold_error(0) == ENOENT && access("h", F_OK) != 0);
    file_syncs = folder_syncs = 0;
    held = (char *)bloom_file_hold("h", NEW, &why);
    if (!CHECK(held && why == ENOENT && bloom_file_held(held) == NEW))
        return;
    CHECK(file_syncs == 1 && folder_syncs == 1);        /* it, and its name */
    CHECK(stat("h", &there) == 0 && there.st_size == NEW
          && (there.st_mode & 07777) == 0644
          && (uint64_t)there.st_blocks * 512 >= NEW);
    CHECK(hold_error(NEW) == EBUSY && bloom_file_save("h", "x", 1) == EBUSY);
    memcpy(held, new_bytes, NEW);
    maps_synced = 0;
    unsynced = true;
    CHECK(has("h", new_bytes, NEW));            /* at once */
    CHECK(bloom_file_sync(held) == 0 && maps_synced == 1 && !unsynced);
    unsynced = true;
    CHECK(bloom_file_drop(held) == 0 && maps_synced == 2 && !unsynced);
    CHECK(hold_error(NEW) == 0 && hold_error(0) == 0);
    CHECK(hold_error(NEW - 1) == EINVAL && hold_error(NEW + 1) == EINVAL);
    CHECK(has("h", new_bytes, NEW));
    held = (char *)bloom_file_hold("h", 0, NULL);
    CHECK(held && memcmp(held, new_bytes, NEW) == 0);
    CHECK(remove("h") == 0 && bloom_file_drop(held) == ENOENT);
    CHECK(bloom_file_drop(NULL) == 0);

    put("h", "", 0, 0600);                      /* new ones */
    CHECK(hold_error(0) == ENOENT && hold_error(NEW) == ENOENT);
    CHECK(hold_error(NEW) == ENOENT && hold_error(0) == ENOENT);
    CHECK(mode_of("h") == 0600);
    longer = (char *)calloc(2, NEW);
    if (!CHECK(longer != NULL))
        return;
    CHECK(hold_error(2 * NEW) == ENOENT);       /* of fewer zeros */
    CHECK(hold_error(NEW) == EINVAL);
    longer[2 * NEW - 1] = 1;                    /* this one is not new */
    put("h", longer, 2 * NEW, 0600);
    CHECK(hold_error(2 * NEW) == 0 && hold_error(3 * NEW) == EINVAL);
    free(longer);
    CHECK(stat("h", &there) == 0 && there.st_size == 2 * NEW);
    CHECK(remove("h") == 0 && symlink("g", "h") == 0);
    CHECK(hold_error(NEW) == ENOENT && stat("g", &there) == 0);
    CHECK(remove("g") == 0 && remove("h") == 0);
    CHECK(mkdir("h", 0777) == 0 && hold_error(9) == EISDIR && rmdir("h") == 0);
    CHECK(mkfifo("h", 0666) == 0 && hold_error(9) == ENODEV
          && hold_error(0) == ENODEV && remove("h") == 0);

    put("h", old_bytes, OLD, 0600);             /* two locks of one process */
    fd = open("h", O_RDONLY);
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0 && hold_error(OLD) == EBUSY);
    CHECK(bloom_file_save("h", "x", 1) == EBUSY);
    CHECK(bloom_file_save_locked("h", new_bytes, NEW, fd) == 0);
    CHECK(has("h", new_bytes, NEW) && mode_of("h") == 0600);
    CHECK(bloom_file_save_locked("h", "x", 1, fd) == EBUSY);
    CHECK(has("h", new_bytes, NEW) && files_in(".", false) == 2);
    CHECK(bloom_file_save_locked("h", "x", 1, -1) == 0 && has("h", "x", 1));
    CHECK(fd >= 0 && close(fd) == 0 && remove("h") == 0);
}

static void made_meanwhile(void)
{
    put("h", old_bytes, OLD, 0600);
}

/* A save that is to make a new file leaves the one that another process makes,
   at whichever call that happens. */
static void only_new(void)
{
    unsigned kept = 0;
    int why;
    CHECK(bloom_file_save_locked("h", "x", 1, BLOOM_FILE_NONE) == 0);
    CHECK(bloom_file_save_locked("h", "y", 1, BLOOM_FILE_NONE) == EEXIST);
    CHECK(has("h", "x", 1));
    for (when = 1; ; when++) {
        remove("h");
        calls = 0;
        fault = CHANGES;
        change = made_meanwhile;
        why = bloom_file_save_locked("h", new_bytes, NEW, BLOOM_FILE_NONE);
        fault = NOTHING;
        if (calls < when)
            break;
        CHECK((why == 0 || why == EEXIST) && has("h", old_bytes, OLD));
        kept += why == EEXIST;
    }
    CHECK(why == 0 && kept > 20 && has("h", new_bytes, NEW));
    CHECK(remove("h") == 0 && files_in(".", false) == 1);
}

/* A disk that is full, and file systems that cannot take space beforehand */
static void take_space(void)
{
    static const int cannot[] = { EINVAL, EOPNOTSUPP, ENOSYS };
    struct stat there;
    unsigned i;
    struct rlimit was, limit;
    reserve_error = ENOSPC;
    CHECK(hold_error(NEW) == ENOSPC);
    CHECK(stat("h", &there) == 0 && there.st_size == 0 && remove("h") == 0);
    for (i = 0; i < 3; i++) {
        reserve_error = cannot[i];
        CHECK(hold_error(NEW) == ENOENT && hold_error(NEW) == ENOENT);
        CHECK(stat("h", &there) == 0 && there.st_size == NEW);
        if (i < 2)
            remove("h");
    }
    reserve_error = ENOSPC;                     /* a file with holes */
    CHECK((uint64_t)there.st_blocks * 512 >= NEW || hold_error(NEW) == ENOSPC);
    reserve_error = 0;
    CHECK(hold_error(NEW) == ENOENT && stat("h", &there) == 0
          && (uint64_t)there.st_blocks * 512 >= NEW);
    remove("h");
    put("h", "\0\0\0", 3, 0600);
    signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &was) == 0);
    limit = was;
    limit.rlim_cur = NEW / 2;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(hold_error(NEW) == EFBIG);
    CHECK(setrlimit(RLIMIT_FSIZE, &was) == 0);
    CHECK(has("h", "\0\0\0", 3) && remove("h") == 0);
}

/* A process ends at each call in turn, or the call fails. Then nothing is lost,
   and the next process holds the file. */
static void hold_anywhere(bool exists, bool ends)
{
    int status, why = 0;
    char *held;
    pid_t pid;
    for (when = 1; ; when++) {
        remove("h");
        if (exists)
            put("h", new_bytes, NEW, 0600);
        fflush(stdout);
        pid = ends ? fork() : 0;
        if (pid == 0) {
            fault = ends ? ENDS : FAILS;
            calls = 0;
            held = (char *)bloom_file_hold("h", NEW, &why);
            CHECK(held ? why == (exists ? 0 : ENOENT)
                       : why == EIO || why == ENOMEM || why == EINVAL);
            if (held)
                status = bloom_file_drop(held);
            fault = NOTHING;
        }
        if (ends && pid == 0)
            _exit(held ? status : 99);
        CHECK(!ends || (pid > 0 && waitpid(pid, &status, 0) == pid));
        folder_syncs = 0;       /* what was killed may have left no name */
        CHECK(hold_error(NEW) == (exists ? 0 : ENOENT));
        CHECK(folder_syncs == !exists);
        CHECK(!exists || has("h", new_bytes, NEW));
        if (ends ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : calls < when)
            break;
    }
    CHECK(when > (exists ? 10 : 15) && remove("h") == 0);
}

/* The lines that keep a window, in the comment of bloom_window.h and in the
   README of the companions: quality/docs.sh compares them. */
static int keep_window(void)
{
    int why;
    bloom_error error;
    bloom_window_plan plan = bloom_window_plan_for(1000, 0.01, 8,
                                                   BLOOM_CLASSIC);
    size_t size = bloom_window_plan_size(plan);
    void *file = bloom_file_hold("seen.window", size, &why);
    bloom_window *seen = file ? bloom_window_resume(file, size, plan, &error)
                              : NULL;
    if (!seen)
        return 1;
    why = bloom_file_sync(file);
    bloom_window_add(seen, "apple", 5);
    why = bloom_file_drop(file);
    return why;
}

/* They are killed at each call of the system. No key of earlier runs is lost,
   nor the apple, once it was added. */
static void kept_window(void)
{
    const bloom_window_plan plan = bloom_window_plan_for(1000, 0.01, 8,
                                                         BLOOM_CLASSIC);
    unsigned key, killed = 0;
    int why, status;
    pid_t pid;
    bloom_window *w;
    void *file;
    for (when = 1, status = 9 << 8; status != 0; when++) {
        remove("seen.window");
        file = bloom_file_hold("seen.window", bloom_window_plan_size(plan),
                               &why);
        w = bloom_window_resume(file, bloom_file_held(file), plan, NULL);
        for (key = 0; key < 2000; key++)
            bloom_window_add_u64(w, key);
        CHECK(bloom_file_drop(file) == 0);
        fflush(stdout);
        pid = fork();
        if (pid == 0) {
            fault = ENDS;
            calls = 0;
            _exit(keep_window());
        }
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid
              && (status == 0 || status == 9 << 8));
        file = bloom_file_hold("seen.window", 0, &why);
        w = bloom_window_resume(file, bloom_file_held(file), plan, NULL);
        for (key = 1000; key < 2000; key++)
            CHECK(bloom_window_may_contain_u64(w, key));
        killed += status != 0 && bloom_window_may_contain(w, "apple", 5);
        CHECK(status != 0 || bloom_window_may_contain(w, "apple", 5));
        CHECK(bloom_file_drop(file) == 0);
    }
    CHECK(killed == 4);         /* at msync, fsync, munmap and close */
    remove("seen.window");
    CHECK(keep_window() == 0 && keep_window() == 0);    /* from nothing */
    put("seen.window", old_bytes, OLD, 0600);
    CHECK(keep_window() == 1 && has("seen.window", old_bytes, OLD));
    remove("seen.window");
}

/* unit/window.c tries all orders of stores that bloom_window.h allows. Here the
   compiler's own order is tried: a process is stopped after each instruction
   while generations are exchanged, and the window must have all keys. */
#if defined __linux__ && (defined __x86_64__ || defined __aarch64__)
static void step_by_step(void)
{
    const bloom_window_plan plan = bloom_window_plan_for(30, 1e-6, 4,
                                                         BLOOM_CLASSIC);
    static unsigned char last[4096], copy[4096];
    const size_t size = bloom_window_plan_size(plan);
    void *image = bloom_file_hold("seen.window", size, NULL);
    bloom_window *w = NULL;
    uint64_t key = 0, i;
    unsigned long images = 0, missing = 0;
    int status = 0;
    pid_t pid;
    if (CHECK(image && size <= sizeof last))
        w = bloom_window_resume(image, size, plan, NULL);
    if (!CHECK(w != NULL))
        return;
    for (i = 0; i < 4; i++) {           /* 3 keys, 3, 3; and a full one */
        bloom_window_advance(w, 100 * i, 300);
        do
            bloom_window_add_u64(w, key++);
        while (i < 3 ? key % 3 != 0 : bloom_window_keys(w) < plan.room);
    }
    memcpy(last, image, size);
    pid = fork();
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(0);                   /* in an emulator, for example */
        raise(SIGSTOP);
        bloom_window_advance(w, 301, 300);
        _exit(0);
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    while (pid > 0 && WIFSTOPPED(status)) {
        if (memcmp(last, image, size) != 0) {
            bloom_window *after;
            memcpy(last, image, size);
            memcpy(copy, image, size);
            after = bloom_window_resume(copy, size, plan, NULL);
            for (i = 0; i < key; i++)
                missing += !after || !bloom_window_may_contain_u64(after, i);
            images++;
        }
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0) {
            kill(pid, SIGKILL);
            images = 0;
        }
        if (waitpid(pid, &status, 0) != pid)
            break;
    }
    if (images == 0)
        puts("skipped: a process cannot be stopped after each instruction");
    CHECK(missing == 0 && (images == 0 || images > 50));
    CHECK(images == 0 || bloom_window_keys(w) == 3);    /* they were moved */
    CHECK(bloom_file_drop(image) == 0 && remove("seen.window") == 0);
}
#else
static void step_by_step(void)
{
}
#endif

int main(void)
{
    static char grown[OLD + 5];
    const int free_fd = dup(1);
    unsigned i;
    close(free_fd);
    for (i = 0; i < NEW; i++)
        new_bytes[i] = (char)(i * 7 % 251);
    for (i = 0; i < OLD; i++)
        old_bytes[i] = (char)(i * 3 % 241);
    memcpy(grown, old_bytes, OLD);
    memcpy(grown + OLD, "more", 5);
    umask(022);
    mkdir("build", 0777);
    if (system("rm -rf build/file.d") != 0 || mkdir("build/file.d", 0777) != 0
        || chdir("build/file.d") != 0) {
        puts("FAILED: no folder build/file.d\n0 passed, 1 failed");
        return 1;
    }
    RUN(save_and_load());
    RUN(other_sizes());
    RUN(aligned());
    RUN(write_nothing());
    RUN(folders());
    RUN(low_numbers());
    RUN(nameless());
    RUN(links());
    RUN(devices());
    RUN(owners());
    RUN(access_lists());
    RUN(full_disk());
    RUN(end_anywhere(true));
    RUN(end_anywhere(false));
    RUN(fail_anywhere());
    RUN(load_anywhere(longer, grown, OLD + 4, EBUSY));
    RUN(load_anywhere(shorter, old_bytes, OLD / 2, EBUSY));
    RUN(load_anywhere(replaced, new_bytes, NEW, 0));
    RUN(load_anywhere(NULL, NULL, 0, EIO));
    RUN(load_in_between());
    RUN(save_while_replaced());
    remove("f");
    put("f", old_bytes, OLD, 0600);
    RUN(kept_window());
    RUN(step_by_step());
    RUN(hold_file());
    RUN(only_new());
    RUN(take_space());
    RUN(hold_anywhere(false, true));
    RUN(hold_anywhere(false, false));
    RUN(hold_anywhere(true, true));
    RUN(hold_anywhere(true, false));
    RUN(CHECK(dup(1) == free_fd && maps == 0));     /* all were closed */
    RUN(CHECK(!inherited));
    return end_tests();
}
