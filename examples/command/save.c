/* save.c: writes the file of a filter. The file is locked while it is in use.
   The new one is written as FILE.lock.new, and then renamed. So the old file or
   the new one is there at any time, even after a crash.

   Only the process that has the lock creates FILE.lock.new. If it exists
   before, it was left by a process that was killed. */
#include "command.h"
#include "lock.h"

static char *target;                /* FILE, with symbolic links resolved */
static beside coming;               /* FILE.lock.new */
static size_t reserved;             /* bytes of disk space that it has */
static int why_no_room;             /* errno of the first failure; or 0 */

static void forget_next(void)
{
    char *name = coming.name;
    coming.name = NULL;
    reserved = 0;
    free(name);
}

void let_go(void)
{
    if (coming.name)
        remove_beside(&coming);
    forget_next();
    unlock();
}

void remove_leftovers(void)
{
    if (coming.name)
        remove(coming.name);
    forget_lock();
}

/* ---- Before anything is read --------------------------------------------- */

/* Resolves symbolic links, so that a link stays and its target is replaced. The
   target need not exist. */
static char *follow_links(const char *path)
{
    const size_t length = strlen(path) + 1;
    char text[4096], *at = enlarge(NULL, length, path), *next;
    unsigned links = 0;
    ssize_t size;
    memcpy(at, path, length);
    while ((size = readlink(at, text, sizeof text)) >= 0) {
        const char *slash = text[0] == '/' ? NULL : strrchr(at, '/');
        size_t folder = slash ? (size_t)(slash - at) + 1 : 0;
        if (size == sizeof text || ++links > 40)
            die_of(strerror(links > 40 ? ELOOP : ENAMETOOLONG), path);
        next = enlarge(NULL, folder + (size_t)size + 1, path);
        memcpy(next, at, folder);
        memcpy(next + folder, text, (size_t)size);
        next[folder + (size_t)size] = '\0';
        free(at);
        at = next;
    }
    return at;
}

/* If the user forgot OUT, its place has the first IN, which must not be
   lost. */
static void spare_other_files(const char *path)
{
    char magic[3];
    int fd = open_input(path);
    size_t got = read_some(fd, path, magic, sizeof magic);
    close(fd);
    if (got > 0 && !begins_as_filter(magic, got))
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
    bool exists = lstat(path, &file) == 0;
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

/* Exits unless a file can be created beside it, and locked. Trying the real
   lock would leave its file behind on failure. Other processes may do the same
   now, as the lock is not taken yet; so the name contains the process
   number. */
static void try_beside(const char *path)
{
    long number = (long)getpid(), end = number + 100;
    char suffix[32];
    bool made, good;
    do {
        snprintf(suffix, sizeof suffix, ".tmp.%ld", number);
        made = create_beside(&coming, path, suffix);
    } while (!made && errno == EEXIST && ++number < end);
    good = made && can_be_locked(fileno(coming.file));
    if (made)
        remove_beside(&coming);
    if (!good)
        die_of(strerror(errno), path);
    forget_next();
}

/* Reports everything that would prevent writing the file before the work
   begins, not an hour later. */
bool take_output(const char *path)
{
    if (strcmp(path, "-") == 0)
        die("-: cannot write a filter to standard output; give a file name");
    target = follow_links(path);
    is_there(target);
    watch_signals(false);
    atexit(let_go);
    try_beside(target);
    lock(target, !options.no_wait);
    return is_there(target);
}

/* ---- Disk space ---------------------------------------------------------- */

static bool create_next(void)
{
    char *left = name_beside(target, ".lock.new");
    remove(left);
    free(left);
    return create_beside(&coming, target, ".lock.new");
}

bool reserve(size_t size)
{
    if (!coming.name && !create_next())
        return false;
    if (size > reserved
        && !allocate(fileno(coming.file), reserved, size - reserved))
        return false;
    reserved = size;
    return true;
}

/* A chain does not grow if there is no disk space for its new link. The lines
   that were printed so far can then still be saved, in the older links. */
void *filter_memory(size_t size)
{
    if (reserved == 0 || reserve(reserved + size))
        return image_memory(size);
    why_no_room = errno;
    return NULL;
}

int disk_is_full(void)
{
    return why_no_room;
}

/* ---- Writing ------------------------------------------------------------- */

static bool write_filter(const filter *f, FILE *file)
{
    unsigned char head[32];
    unsigned i;
    if (f->window)
        return fwrite(f->window, 1, size_of(f), file) == size_of(f);
    if (f->chain) {
        bloom_chain_head(f->chain, head);
        if (fwrite(head, 1, sizeof head, file) != sizeof head)
            return false;
    }
    for (i = 0; i < links_of(f); i++) {
        size_t size = bloom_size(link_of(f, i));
        if (fwrite(link_of(f, i), 1, size, file) != size)
            return false;
    }
    return true;
}

/* Releases reserved bytes that the filter did not need. */
static bool cut_rest(const filter *f)
{
    return reserved <= size_of(f)
           || (fflush(coming.file) == 0
               && ftruncate(fileno(coming.file), (off_t)size_of(f)) == 0);
}

bool try_to_save(const char *path, filter *f)
{
    bool made = coming.name || create_next(), good;
    if (f->one)
        bloom_seal(f->one);
    else if (f->window)
        bloom_window_seal(f->window);
    else
        bloom_chain_seal(f->chain);
    good = made && write_filter(f, coming.file) && cut_rest(f)
           && replace_by(&coming);
    if (made && !good)
        remove_beside(&coming);
    if (!good)
        say("%s: %s", path, strerror(errno));
    forget_next();
    f->changed = false;                 /* no second message at exit */
    f->sealed = good;
    return good;
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
