/* save.c: the file that a filter is kept in. It is locked while it is in use,
   and written beside itself: whatever happens, there is the old one or the new
   one. */
#include "command.h"
#include "lock.h"

static beside coming;               /* the one that is written */

void let_go(void)
{
    unlock();
}

void remove_leftovers(void)
{
    if (coming.name)
        remove(coming.name);
    forget_lock();
}

static void forget_next(void)
{
    char *name = coming.name;
    coming.name = NULL;
    free(name);
}

/* Users who forget OUT must not lose their first IN. */
static void spare_other_files(const char *path)
{
    char magic[3];
    int fd = open_input(path);
    size_t got = read_some(fd, path, magic, sizeof magic);
    close(fd);
    if (got > 0 && (got < sizeof magic || (memcmp(magic, "BLM", 3) != 0
                                           && memcmp(magic, "BLC", 3) != 0
                                           && memcmp(magic, "BLW", 3) != 0)))
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
        die_of("is a directory, a link or a device, not a plain file", path);
    if (exists ? access(path, W_OK) != 0 : errno != ENOENT)
        die_of(strerror(errno), path);
    if (exists && is_standard_output(&file))
        die_of("is the standard output as well", path);
    if (exists)
        spare_other_files(path);
    return exists && file.st_size > 0;
}

/* Can a file be written beside it, and be locked? A lock that fails would leave
   its own file behind. */
static void try_beside(const char *path)
{
    bool made = create_beside(&coming, path);
    bool good = made && can_be_locked(fileno(coming.file));
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
    is_there(path);
    watch_signals(false);
    atexit(let_go);
    try_beside(path);
    lock(path, !options.no_wait);
    return is_there(path);
}

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

bool try_to_save(const char *path, filter *f)
{
    bool made = create_beside(&coming, path), good;
    if (f->one)
        bloom_seal(f->one);
    else if (f->window)
        bloom_window_seal(f->window);
    else
        bloom_chain_seal(f->chain);
    good = made && write_filter(f, coming.file) && replace_by(&coming);
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
