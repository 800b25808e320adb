/* save.c: writes the file of a filter. The file is locked while it is in use.
   The new one is written as FILE.lock.new, and then renamed (bloom_file.h).

   Only the process that has the lock creates FILE.lock.new. If it exists
   before, it was left by a process that was killed. */
#include "command.h"
#include "../companions/bloom_file.h"
#include <time.h>

/* ---- The lock ------------------------------------------------------------ */
/* One writer at a time locks FILE.lock rather than FILE, because FILE may not
   exist yet, and is replaced. The system releases a lock when its process ends.
   If the process was killed, FILE.lock stays, but locks nothing. Readers need
   no lock: they see the old file or the new one. */

/* Returns PATH with `suffix`, in the same folder; free() it. A file name has at
   most 255 bytes, so a long one is cut, at a character boundary of UTF-8. */
static char *name_beside(const char *path, const char *suffix)
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

/* Returns false and sets errno: EAGAIN if another process has the lock. */
static bool try_lock(const char *name)
{
    struct stat mine, there;
    lock_fd = open(name, O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    if (lock_fd < 0)
        return false;
    if (can_be_locked(lock_fd)
        && fstat(lock_fd, &mine) == 0 && stat(name, &there) == 0
        && mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
        return true;                    /* and not a file just removed */
    if (errno == EACCES || errno == ENOENT || errno == 0)
        errno = EAGAIN;
    close(lock_fd);
    return false;
}

static void remove_lock(const char *name)
{
    remove(name);                       /* while nobody else has the lock */
    close(lock_fd);
}

/* Blocks signals, so that their handler knows whether to remove the lock. */
static bool take_lock(char *name)
{
    bool taken;
    int why;
    hold_signals(true);
    errno = 0;
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
            die_of(strerror(errno), path);
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
    if (lock_name)
        remove_lock(lock_name);
    free(lock_name);
    lock_name = NULL;
    hold_signals(false);
}

static void forget_lock(void)
{
    if (lock_name)
        remove(lock_name);
}

/* ---- The new file -------------------------------------------------------- */

static char *target;                /* FILE, with symbolic links resolved */
static bloom_file coming;           /* FILE.lock.new, if its name is not NULL */
static int why_no_room;             /* errno of the first failure; or 0 */

/* Signals are held while `coming` changes, as their handler reads its name, and
   while a file is written, as some systems would interrupt that. */
static void cancel_next(void)
{
    hold_signals(true);
    if (coming.name)
        bloom_file_cancel(&coming);
    hold_signals(false);
}

void let_go(void)
{
    cancel_next();
    unlock();
}

void remove_leftovers(void)
{
    if (coming.name)
        remove(coming.name);
    forget_lock();
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
           && out.st_dev == file->st_dev && out.st_ino == file->st_ino;
}

/* Returns whether the file exists and is not empty. Exits if it must not or
   cannot be replaced. */
static bool is_there(const char *path)
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
    return exists && file.st_size > 0;
}

/* Exits unless a file can be created beside the one that `path` leads to, be
   given its owner, and be locked. Trying the real lock would leave its file
   behind on failure. Other processes may do the same now, as the lock is not
   taken yet; so the name contains the process number. */
static void try_beside(const char *path)
{
    int why;
    hold_signals(true);
    why = bloom_file_begin(&coming, path, NULL);
    hold_signals(false);
    if (why == 0 && !can_be_locked(coming.fd))
        why = errno;
    if (why != 0)
        die_of(strerror(why), path);
    target = coming.target;
    coming.target = NULL;
    cancel_next();
}

/* Reports everything that would prevent writing the file before the work
   begins, not an hour later. */
bool take_output(const char *path)
{
    if (strcmp(path, "-") == 0)
        die("-: cannot write a filter to standard output; give a file name");
    is_there(path);
    watch_signals(false);
    atexit(let_go);
    try_beside(path);
    lock(target, !options.no_wait);
    return is_there(target);
}

/* ---- Disk space ---------------------------------------------------------- */

static int create_next(void)
{
    char *left = name_beside(target, ".lock.new");
    remove(left);
    free(left);
    return bloom_file_begin(&coming, target, ".lock.new");
}

bool reserve(size_t size)
{
    int why;
    hold_signals(true);
    why = coming.name ? 0 : create_next();
    hold_signals(false);
    if (why == 0)
        why = bloom_file_reserve(&coming, size);
    errno = why;
    return why == 0;
}

/* A chain does not grow if there is no disk space for its new link. The lines
   that were printed so far can then still be saved, in the older links. */
void *filter_memory(size_t size)
{
    if (!coming.name || coming.reserved == 0
        || reserve((size_t)coming.reserved + size))
        return image_memory(size);
    why_no_room = errno;
    return NULL;
}

int disk_is_full(void)
{
    return why_no_room;
}

/* ---- Writing ------------------------------------------------------------- */

static int write_filter(const filter *f)
{
    unsigned char head[32];
    unsigned i;
    int why = 0;
    if (f->window)
        return bloom_file_put(&coming, f->window, size_of(f));
    if (f->chain) {
        bloom_chain_head(f->chain, head);
        why = bloom_file_put(&coming, head, sizeof head);
    }
    for (i = 0; why == 0 && i < links_of(f); i++)
        why = bloom_file_put(&coming, link_of(f, i), bloom_size(link_of(f, i)));
    return why;
}

/* Replaces the file. Returns errno, or 0. */
static int replace_file(filter *f)
{
    int why = coming.name ? 0 : create_next();
    if (f->one)
        bloom_seal(f->one);
    else if (f->window)
        bloom_window_seal(f->window);
    else
        bloom_chain_seal(f->chain);
    if (why == 0)
        why = write_filter(f);
    if (why == 0)
        why = bloom_file_finish(&coming);
    else if (coming.name)
        bloom_file_cancel(&coming);
    return why;
}

bool try_to_save(const char *path, filter *f)
{
    int why;
    hold_signals(true);
    why = replace_file(f);
    hold_signals(false);
    if (why != 0)
        say("%s: %s", path, strerror(why));
    f->changed = false;                 /* no second message at exit */
    f->sealed = why == 0;
    return why == 0;
}

void save_filter(const char *path, filter *f)
{
    if (!try_to_save(path, f))
        exit(2);
}

/* A save writes the whole file. A file without a seal gets one. */
void save_changes(const char *path, filter *f)
{
    if (f->changed || !f->sealed)
        save_filter(path, f);
}
