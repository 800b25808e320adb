/* save.c: the file that a filter is kept in. It is locked while it is in use,
   and written beside itself: whatever happens, there is the old one or the new
   one.

   FILE.lock.new is the one that is written. Only the process that has the lock
   makes it, so one that is there already was left by a process that was
   killed. */
#include "command.h"
#include "lock.h"

static char *target;                /* FILE, or where the link leads */
static beside coming;               /* the one that is written */
static size_t reserved;             /* its bytes for which the disk has room */
static int why_no_room;             /* errno; 0: there was always room */

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

/* The file at the end of a chain of symbolic links, which need not be there: a
   link stays, and its target is replaced. */
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

/* Users who forget OUT must not lose their first IN. */
static void spare_other_files(const char *path)
{
    char magic[3];
    int fd = open_input(path);
    size_t got = read_some(fd, path, magic, sizeof magic);
    close(fd);
    if (got > 0 && !begins_as_filter(magic, got))
        die_of("is not a Bloom filter, so it is not replaced", path);
}

/* `bloom uniq -f s <a >s` would lose what it prints. */
static bool is_standard_output(const struct stat *file)
{
    struct stat out;
    return fstat(1, &out) == 0 && S_ISREG(out.st_mode)
           && out.st_dev == file->st_dev && out.st_ino == file->st_ino;
}

/* Is anything in it? An empty file is as good as none. */
static bool is_there(const char *path)
{
    struct stat file = { 0 };
#ifdef _WIN32
    bool exists = stat(path, &file) == 0;
#else
    bool exists = lstat(path, &file) == 0;
#endif
    if (exists && !S_ISREG(file.st_mode))
        die_of("is a directory or a device, not a plain file", path);
    if (exists ? access(path, W_OK) != 0 : errno != ENOENT)
        die_of(strerror(errno), path);
    if (exists && is_standard_output(&file))
        die_of("is the standard output as well", path);
    if (exists)
        spare_other_files(path);
    return exists && file.st_size > 0;
}

/* Can a file be written beside it, and be locked? A lock that fails would leave
   its own file behind. Nobody else may use this name meanwhile, as the lock is
   not taken yet. */
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

/* What would prevent that it is written is said now, not after an hour's
   work. */
bool take_output(const char *path)
{
    if (strcmp(path, "-") == 0)
        die("-: cannot hold a filter, which replaces a file; give its name");
    target = follow_links(path);
    is_there(target);
    watch_signals(false);
    atexit(let_go);
    try_beside(target);
    lock(target, !options.no_wait);
    return is_there(target);
}

/* ---- Room on the disk ---------------------------------------------------- */

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

/* A chain does not grow if the disk has no room for its new link: what was
   printed already can then still be saved, in the old link. */
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
        return fwrite(f->window->image, 1, f->window->size, file)
               == f->window->size;
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

/* More may have been reserved. */
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
    return good;
}

void save_filter(const char *path, filter *f)
{
    if (!try_to_save(path, f))
        exit(2);
}
