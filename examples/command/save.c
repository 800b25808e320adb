/* save.c: writes the file of a filter. The file is locked while it is in use.
   The new one is written as FILE.new.PID.0, and then renamed (replace.c).

   Programs that know nothing of the lock may remove it, or replace FILE. So the
   rename is made only if both are still those of this run. Otherwise FILE stays
   and the new file becomes FILE.kept.PID. No name that another process may use
   is ever written to. */
#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif
#include "save.h"
#include "input.h"
#include "memory.h"
#include "replace.h"
#include "say.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ---- The lock ------------------------------------------------------------ */
/* One writer at a time locks FILE.lock rather than FILE, because FILE may not
   exist yet, and is replaced. The system releases a lock when its process ends.
   If the process was killed, FILE.lock stays, but locks nothing. Readers need
   no lock: they see the old file or the new one. */

static char *target;                    /* FILE, symbolic links are resolved */
static int lock_fd = -1;
static char *lock_name;                 /* NULL: the lock is not held */

/* fd must be open for writing. Returns false and sets errno if another process
   has the lock, or if the system offers no (more) locks. */
static bool can_be_locked(int fd)
{
    struct flock all = { 0 };
    all.l_type = F_WRLCK;
    all.l_whence = SEEK_SET;
    return fcntl(fd, F_SETLK, &all) == 0;
}

/* Does this process have the lock, and is its file still there? Signal handlers
   may call this. */
static bool has_lock(const char *name)
{
    struct stat mine, there;
    return can_be_locked(lock_fd)
           && fstat(lock_fd, &mine) == 0 && lstat(name, &there) == 0
           && is_same_file(&mine, &there);
}

/* Whoever may write FILE can then take its lock, also if a kill has left it.
   Only root may give a file away. */
static void share_lock(int fd)
{
    struct stat file;
    if (stat(target, &file) == 0 && fchmod(fd, file.st_mode & 0666) == 0
        && fchown(fd, file.st_uid, file.st_gid) != 0)
        errno = 0;
}

/* A file that was there keeps its rights, as it may be a hard link to any
   file. */
static int open_lock(const char *name)
{
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (fd >= 0)
        share_lock(fd);
    else if (errno == EEXIST) {
        fd = open(name, O_RDWR | O_NOFOLLOW);
        if (fd < 0 && errno == ENOENT)
            errno = EAGAIN;             /* it was just removed */
    }
    return fd;
}

/* Returns false and sets errno: EAGAIN if another process has the lock. */
static bool try_lock(const char *name)
{
    lock_fd = open_lock(name);
    if (lock_fd < 0)
        return false;
    errno = 0;
    if (has_lock(name))
        return true;                    /* and not a file just removed */
    if (errno == EACCES || errno == ENOENT || errno == 0)
        errno = EAGAIN;
    close(lock_fd);
    return false;
}

/* The lock of another process stays. */
static void remove_lock(void)
{
    if (lock_name && has_lock(lock_name))
        remove(lock_name);
}

/* Blocks signals, so that their handler knows whether to remove the lock. */
static bool take_lock(char *name)
{
    bool taken;
    int why;
    hold_signals(true);
    taken = try_lock(name);
    if (taken)
        lock_name = name;
    why = errno;
    hold_signals(false);
    errno = why;
    return taken;
}

/* Waits, with a message after one second. Exits if it may not wait, or on any
   other error. */
static void lock(const char *path, bool may_wait)
{
    const struct timespec pause = { 0, 20000000 };
    char *name = name_beside(path, ".lock");
    unsigned tries = 0;
    while (!take_lock(name)) {
        if (errno != EAGAIN)
            die_of(strerror(errno), name);
        if (!may_wait)
            die_of("in use by another process; try again later, or leave out "
                   "--no-wait", path);
        if (++tries == 50)
            say("%s: in use by another process; waiting for it to end", path);
        nanosleep(&pause, NULL);
    }
}

static void unlock(void)
{
    hold_signals(true);
    remove_lock();
    if (lock_name)
        close(lock_fd);
    free(lock_name);
    lock_name = NULL;
    hold_signals(false);
}

/* ---- The new file -------------------------------------------------------- */

static new_file coming;         /* FILE.new.PID.0, if its name is not NULL */
static int why_no_room;             /* errno of the first failure; or 0 */

/* Signals are held while `coming` changes, as their handler reads its name, and
   while a file is written, as some systems would interrupt that. */
static void cancel_next(void)
{
    hold_signals(true);
    if (coming.name)
        cancel_file(&coming);
    hold_signals(false);
}

void let_go(void)
{
    cancel_next();
    unlock();
}

/* Signal handlers call it. */
static void remove_leftovers(void)
{
    if (coming.name)
        remove(coming.name);
    remove_lock();
}

/* ---- Whose FILE is it? --------------------------------------------------- */

static const char *given;           /* FILE, as it is named */
typedef struct state {
    struct stat file;               /* all zero: there is none */
    char head[BLOOM_HEADER_SIZE];   /* its first bytes */
    int why;                        /* errno of reading these, or 0 */
} state;
static state held;                  /* FILE when this run read or wrote it */
static char *kept;                  /* FILE.kept.PID, as FILE cannot be
                                       replaced, or it or its lock is no longer
                                       that of this run; or NULL */
static bool lock_is_lost, told;     /* the reason is the lock; the user knows */
static int barred;                  /* the reason is this errno */

static bool has_same_bytes(const struct stat *a, const struct stat *b)
{
    return is_same_file(a, b)
           && a->st_size == b->st_size
           && a->st_mtim.tv_sec == b->st_mtim.tv_sec
           && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Programs can set the time of writing, but not that of the last change. */
static bool is_as_held(const struct stat *file)
{
    return has_same_bytes(file, &held.file)
           && file->st_ctim.tv_sec == held.file.st_ctim.tv_sec
           && file->st_ctim.tv_nsec == held.file.st_ctim.tv_nsec;
}

/* A program that shares FILE (bloom_share) removes its seal, which is in the
   head, with the first key. In tmpfs, that changes no time. */
static state state_of(const char *name)
{
    state s;
    int fd;
    memset(&s, 0, sizeof s);
    if (lstat(name, &s.file) != 0)
        memset(&s.file, 0, sizeof s.file);
    if (!S_ISREG(s.file.st_mode))
        return s;
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || read(fd, s.head, sizeof s.head) < 0)
        s.why = errno == ENOENT ? 0 : errno;    /* it was just removed */
    if (fd >= 0)
        close(fd);
    return s;
}

/* A filter with bytes of 0 where its seal would be */
static bool has_no_seal(const state *s)
{
    static const char none[8];
    return begins_as("M", s->head, sizeof s->head)
           && memcmp(s->head + BLOOM_HEADER_SIZE - 8, none, 8) == 0;
}

/* Is FILE another one? It may have become a link to another file, too. Returns
   errno if it cannot be read, or 0. */
static int look_at_file(bool *replaced)
{
    const state there = state_of(target);
    struct stat named;
    if (stat(given, &named) != 0)
        memset(&named, 0, sizeof named);
    *replaced = !is_as_held(&there.file) || !is_as_held(&named)
                || memcmp(there.head, held.head, sizeof held.head) != 0;
    return there.why;
}

bool is_replaced(void)
{
    bool replaced;
    if (kept)
        return !told;
    return look_at_file(&replaced) != 0 || replaced;
}

static char *free_name(void)
{
    const long process = (long)getpid();
    char suffix[64], *name;
    struct stat file;
    unsigned i = 0;
    snprintf(suffix, sizeof suffix, ".kept.%ld", process);
    while (lstat(name = name_beside(target, suffix), &file) == 0) {
        free(name);
        snprintf(suffix, sizeof suffix, ".kept.%ld.%u", process, ++i);
    }
    return name;
}

/* The name that the new file gets */
static const char *place_of_next(void)
{
    bool replaced = false;
    if (!kept) {
        lock_is_lost = !has_lock(lock_name);
        if (!lock_is_lost)
            barred = look_at_file(&replaced);
        if (lock_is_lost || barred != 0 || replaced)
            kept = free_name();
    }
    return kept ? kept : target;
}

static void tell_kept(bool is_saved)
{
    const char *so = is_saved ? ", and what this run knows is in " : "";
    const char *name = is_saved ? kept : "";
    told = true;
    if (lock_is_lost)
        say("%s: its lock, %s, was removed or taken over, so another run may "
            "use it; it is left as it is%s%s", given, lock_name, so, name);
    else if (barred != 0)
        say("%s: %s; it is left as it is%s%s", given,
            barred == EBUSY ? "another program shares it" : strerror(barred),
            so, name);
    else
        say("%s: another program has changed, replaced or removed it; it is "
            "left as it is%s%s", given, so, name);
}

/* ---- Before anything is read --------------------------------------------- */

/* If the user forgot OUT, its place has the first IN, which must not be
   lost. */
static void spare_other_files(const char *path)
{
    char magic[4];
    int fd = open_input(path);
    size_t got = read_some(fd, path, magic, sizeof magic);
    close(fd);
    if (got > 0 && !begins_as("MCW", magic, got))
        die_of("is not a Bloom filter, so it is not replaced; give the name of "
               "a filter here", path);
}

/* `bloom uniq -f s <a >s` would overwrite its output. */
static bool is_standard_output(const struct stat *file)
{
    struct stat out;
    return fstat(1, &out) == 0 && S_ISREG(out.st_mode)
           && is_same_file(&out, file);
}

/* Exits if the file must not or cannot be replaced. It need not exist. */
static void must_be_replaceable(const char *path)
{
    struct stat file = { 0 };
    bool exists = stat(path, &file) == 0;
    if (exists && !S_ISREG(file.st_mode))
        die_of("is not a regular file; give another name for the filter", path);
    if (exists ? access(path, W_OK) != 0 : errno != ENOENT)
        die_of(strerror(errno), path);
    if (exists && is_standard_output(&file))
        die_of("is also the standard output; print to another file", path);
    if (exists)
        spare_other_files(path);
}

/* Exits unless a file can be created beside the one that `path` leads to, be
   given its owner, and be locked. Trying the real lock would leave its file
   behind on failure. Other processes may do the same now, as the lock is not
   taken yet; so the name contains the process number. */
static void try_beside(const char *path)
{
    int why;
    hold_signals(true);
    why = begin_file(&coming, path);
    hold_signals(false);
    if (why == 0 && !can_be_locked(coming.fd))
        why = errno;
    if (why != 0)
        die_of(strerror(why), path);
    if (is_mount_point(coming.target, coming.fd))
        die_of("is a mount point, so it cannot be replaced; mount its folder "
               "instead", path);
    target = coming.target;
    coming.target = NULL;
    cancel_next();
}

/* Reports everything that would prevent writing the file before the work
   begins, not an hour later. */
bool take_output(const char *path, bool may_wait)
{
    int why = 0;
    if (strcmp(path, "-") == 0)
        die("-: cannot write a filter to standard output; give a file name");
    must_be_replaceable(path);
    before_end_by_signal(remove_leftovers);
    watch_signals(false);
    atexit(let_go);
    try_beside(path);
    lock(target, may_wait);
    given = path;
    why = hold_file(target);
    held = state_of(target);            /* before it is read */
    if (!has_no_seal(&held))            /* without one, a key could be missed */
        release_file();
    if (why == EBUSY)
        die_of("another program shares it; try again later", path);
    if (why != 0 || held.why != 0)
        die_of(strerror(why ? why : held.why), path);
    must_be_replaceable(target);
    return held.file.st_size > 0;       /* it may be away for a moment only */
}

/* The name may lead to another file for a moment, and then to FILE again. */
filter read_output(void)
{
    filter f = read_sound_filter(given);
    if (!is_same_file(&f.file, &held.file))
        die_of("another program replaces it; try again", given);
    return f;
}

/* ---- Disk space ---------------------------------------------------------- */

static int reserve_bytes(size_t size)
{
    int why;
    hold_signals(true);
    why = coming.name ? 0 : begin_file(&coming, place_of_next());
    hold_signals(false);
    return why ? why : reserve_in(&coming, size);
}

/* A chain does not grow if there is no disk space for its new link. The lines
   that were printed so far can then still be saved, in the older links. */
static bool reserve_more(size_t size)
{
    int why = 0;
    if (coming.name && coming.reserved > 0)
        why = reserve_bytes((size_t)coming.reserved + size);
    if (why != 0)
        why_no_room = why;
    return why == 0;
}

bool reserve(size_t size)
{
    ask_before_memory(reserve_more);
    errno = reserve_bytes(size);
    return errno == 0;
}

int disk_is_full(void)
{
    return why_no_room;
}

/* ---- Writing ------------------------------------------------------------- */

static int write_filter(const filter *f)
{
    const void *piece;
    size_t size;
    unsigned i = 0;
    int why = 0;
    while (why == 0 && (piece = file_piece(f, i++, &size)) != NULL)
        why = put_bytes(&coming, piece, size);
    return why;
}

/* Returns EAGAIN if the new file is now for another place: FILE was replaced
   after it was begun, or cannot be locked, or FILE.kept.PID is not free now. */
static int aim_next(int locked)
{
    const char *place = place_of_next();
    size_t size;
    if (strcmp(coming.target, place) == 0) {
        if (locked == ENOENT || (locked == 0 && !kept))
            return 0;
        if (!kept)
            barred = locked;
        free(kept);
        place = kept = free_name();
    }
    size = strlen(place) + 1;
    coming.target = memcpy(enlarge(coming.target, size, place), place, size);
    return EAGAIN;
}

/* The last look at FILE is while it is locked, so that no program begins to
   share it after that. Little time passes until the rename, as the new file is
   already on the disk then. */
static int finish_next(void)
{
    struct stat there;
    state next;
    int why;
    aim_next(ENOENT);
    why = complete_file(&coming);
    next = state_of(coming.name);
    if (why == 0)
        why = next.why;
    if (why == 0)
        why = finish_file(&coming, aim_next);
    if (lstat(target, &there) == 0 && has_same_bytes(&there, &next.file)) {
        held = next;
        held.file = there;              /* a rename changes a time */
    } else if (why == 0 && !kept)
        held = next;
    return why;
}

/* Replaces the file. Returns errno, or 0. */
static int replace_file(filter *f)
{
    int why = 0;
    if (coming.name && (coming.size > 0 || access(coming.name, F_OK) != 0))
        cancel_file(&coming);           /* the last save failed half-way, or
                                           another program has removed it */
    if (!coming.name)
        why = begin_file(&coming, place_of_next());
    seal_filter(f);
    if (why == 0)
        why = write_filter(f);
    if (why == 0)
        why = finish_next();
    if (why != 0 && coming.name)
        cancel_file(&coming);
    return why;
}

bool try_to_save(const char *path, filter *f)
{
    int why;
    hold_signals(true);
    why = replace_file(f);
    hold_signals(false);
    if (why != 0)
        say("%s: %s", kept ? kept : path, strerror(why));
    if (kept)
        tell_kept(why == 0);
    f->changed = false;                 /* no second message at exit */
    f->sealed = why == 0 && !kept;
    return f->sealed;
}

void save_filter(const char *path, filter *f)
{
    if (!try_to_save(path, f))
        exit(2);
}

/* A save writes the whole file. A file without a seal gets one. */
bool has_changes(const filter *f)
{
    return f->changed || !f->sealed || is_replaced();
}

void save_changes(const char *path, filter *f)
{
    if (has_changes(f))
        save_filter(path, f);
}
