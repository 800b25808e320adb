/* save.c: the file that a filter is kept in. It is locked while it is in use,
   and written beside itself: whatever happens, there is the old one or the new
   one. */
#include "command.h"
#include "../common/lock.h"

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
                                           && memcmp(magic, "BLC", 3) != 0)))
        die_of("is not a Bloom filter, so it is not replaced", path);
}

static bool is_there(const char *path)
{
    struct stat file;
#ifdef _WIN32
    bool exists = stat(path, &file) == 0;
#else
    bool exists = lstat(path, &file) == 0;
#endif
    if (exists && !S_ISREG(file.st_mode))
        die_of("is a directory, a link or a device, not a plain file", path);
    if (exists ? access(path, W_OK) != 0 : errno != ENOENT)
        die_of(strerror(errno), path);
    if (exists)
        spare_other_files(path);
    return exists;
}

/* Locks it, and says whether it is there. What would prevent that it is written
   is said now, not after an hour's work. */
bool take_output(const char *path)
{
    if (strcmp(path, "-") == 0)
        die("-: cannot hold a filter, which replaces a file; give its name");
    is_there(path);
    watch_signals(NULL);
    atexit(let_go);
    lock(path, !options.no_wait);
    if (!create_beside(&coming, path))
        die_of(strerror(errno), path);
    remove_beside(&coming);
    forget_next();
    return is_there(path);
}

/* The library's links are in memory that it may change, and so may we. An old
   link that nobody added to is sealed already. */
static void seal_links(const filter *f)
{
    static const unsigned char none[8] = { 0 };
    unsigned i;
    for (i = 0; i < links_of(f); i++) {
        union { const bloom *fixed; bloom *b; } link;
        link.fixed = link_of(f, i);
        if (memcmp((const unsigned char *)link.fixed + 24, none, 8) == 0)
            bloom_seal(link.b);
    }
}

static bool write_filter(const filter *f, FILE *file)
{
    unsigned char head[32];
    unsigned i;
    if (!f->one) {
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

void save_filter(const char *path, filter *f)
{
    if (!create_beside(&coming, path))
        die_of(strerror(errno), path);
    seal_links(f);
    if (!write_filter(f, coming.file) || !replace_by(&coming)) {
        remove_beside(&coming);
        die_of(strerror(errno), path);
    }
    forget_next();
}
