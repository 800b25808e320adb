/* file.c: filters in files

   Locks (flock): a chain or a window belongs to one process. A filter of fixed
   size is shared, as by bloom_share: its cells are set by atomic operations,
   and the last process to leave seals it.

   A process that is killed at any time loses no line that it has recorded, as
   the cells are those of the file. What a kill or a power cut leaves, the next
   run accepts:

   * No seal. The seals of the parts that may change are removed, and are gone
     on the disk, before anything else changes. In the end the cells are on the
     disk before the seals. So no seal vouches for cells that are not there.
   * A chain whose head has an old number of keys, or that is followed by a link
     without keys. A new link is on the disk before the head counts it, and gets
     no key before that. bloom_chain_open says more.
   * A window that was about to change its header: see bloom_window_open.
   * A new file of zeros, or of zeros and the headers of generations, if the
     filter that the next run asks for is at least as large. Its first bytes are
     written last, in one call. */
#include "file.h"
#include "disk.h"
#include "lines.h"
#include "../companions/bloom_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = BLOOM_HEADER_SIZE, SEAL_AT = 24 };

/* ---- The filter in an image ---------------------------------------------- */

static bool is_sealed(const bloom *part)
{
    static const char none[8];
    const char *image = (const void *)part;
    return memcmp(image + SEAL_AT, none, 8) != 0;
}

static uint64_t number_at(const unsigned char *from)
{
    uint64_t number = 0;
    unsigned i;
    for (i = 8; i-- > 0; )
        number = number << 8 | from[i];
    return number;
}

static bloom_error find_filter(filter *f, void *image, size_t size)
{
    const unsigned char *head = image;
    bloom_error error;
    memset(f, 0, sizeof *f);
    if (size < HEADER)
        return begins_like_a_filter(image, size) ? BLOOM_TRUNCATED
                                                 : BLOOM_NOT_A_FILTER;
    if (memcmp(image, "BLW", 3) == 0)
        f->window = bloom_window_open(image, size, &error);
    else if (memcmp(image, "BLC", 3) == 0) {
        f->chain = bloom_chain_open(image, size, &error);
        f->n = number_at(head + 8);     /* no call tells it */
        f->p = f->chain ? bloom_chain_rate(f->chain) : 0;
    } else
        f->fixed = bloom_open(image, size, &error);
    return error;
}

/* Bytes after a chain that is in use are a link to come. */
static bool has_extra_bytes(const filter *f, size_t size)
{
    return size_of(f) < size
           && (!f->chain || is_sealed(part_of(f, parts_of(f) - 1)));
}

static void refuse_extra_bytes(const filter *f, size_t size, const char *name)
{
    if (has_extra_bytes(f, size))
        die_of("extra bytes follow the filter; use an intact copy, and join "
               "filters with bloom merge", name);
}

static void refuse_empty(size_t size, const char *name)
{
    if (size == 0)
        die_of("is empty; make a filter with bloom build or bloom uniq -f",
               name);
}

/* Maps the whole file. *size is its size. */
static char *map_all(int fd, const char *name, size_t *size, int how)
{
    struct stat there;
    char *image;
    if (fstat(fd, &there) != 0)
        die_of(strerror(errno), name);
    *size = (size_t)there.st_size;
    refuse_empty(*size, name);
    if ((uintmax_t)there.st_size > SIZE_MAX)
        die_of(strerror(EFBIG), name);
    image = map_bytes(fd, name, 0, *size, how);
    if (!image)
        die_of(strerror(errno), name);
    return image;
}

/* ---- Reading ------------------------------------------------------------ */

/* A window is copied at once, as another process may move lines within it.
   Other filters only get more lines. */
static char *copy_window(int fd, char *map, size_t size)
{
    char *copy = enlarge(NULL, size);
    lock_moves(fd, F_RDLCK);
    memcpy(copy, map, size);
    lock_moves(fd, F_UNLCK);
    munmap(map, size);
    return copy;
}

/* A device such as /dev/zero may have no end. */
static char *load_pipe(const char *name, size_t *size, bool is_device)
{
    char *image = bloom_file_load(name, is_device ? 1 << 16 : SIZE_MAX, size);
    if (!image)
        die_of(strerror(errno), name);
    refuse_empty(*size, name);
    return image;
}

static bloom_error check_image(filter *f, char *image, size_t size)
{
    const bloom_error error = find_filter(f, image, size);
    return error == BLOOM_OK ? seal_of(f) : error;
}

static bool is_usable(bloom_error damage)
{
    return damage == BLOOM_OK || damage == BLOOM_UNSEALED;
}

/* A process that begins to change the file removes its seals, and sets them at
   its end. A look at that moment finds a seal beside other cells, which is not
   damage. So what looks damaged is looked at once more with the lock, when no
   process can change it; or, if another one has it, a few times. */
static bloom_error load_file(filter *f, const char *name, size_t *size)
{
    const struct timespec pause = { 0, 50000000 };
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    unsigned left = 5;
    bloom_error damage;
    if (fd < 0)
        die_of(strerror(errno), name);
    for (;;) {
        char *image = map_all(fd, name, size, MAP_PRIVATE);
        const bool is_window = *size >= 3 && memcmp(image, "BLW", 3) == 0;
        if (is_window)
            image = copy_window(fd, image, *size);
        damage = check_image(f, image, *size);
        if ((is_window || !f->window)   /* else it became one meanwhile */
            && ((is_usable(damage) && !has_extra_bytes(f, *size))
                || left-- == 0))
            break;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            left = 0;
        else
            nanosleep(&pause, NULL);
        if (is_window)
            free(image);
        else
            munmap(image, *size);
    }
    close(fd);                          /* and its lock */
    return damage;
}

filter read_file(const char *name, bloom_error *seal)
{
    struct stat there = { 0 };
    filter f;
    bloom_error damage;
    size_t size = 0;
    char *image;
    if (strcmp(name, "-") == 0)
        die("-: is not the name of a filter; to read one from a pipe, give "
            "/dev/stdin");
    if (stat(name, &there) == 0 && S_ISREG(there.st_mode))
        damage = load_file(&f, name, &size);
    else {
        image = load_pipe(name, &size, S_ISCHR(there.st_mode));
        damage = check_image(&f, image, size);
    }
    if (!is_usable(damage) && !(seal && parts_of(&f) > 0))
        die_of(bloom_error_text(damage), name);
    refuse_extra_bytes(&f, size, name);
    if (seal)
        *seal = damage;
    return f;
}

/* A filter of fixed size is shared, if that is possible. */
static int lock_to_add(int fd)
{
    char magic[3];
    return processes_can_share && pread(fd, magic, 3, 0) == 3
           && memcmp(magic, "BLM", 3) == 0 ? LOCK_SH : LOCK_EX;
}

static int lock_alone(int fd)
{
    (void)fd;
    return LOCK_EX;
}

/* `bloom uniq -f s <a >s` would print into its filter. */
static void must_not_be_output(int fd, const char *name)
{
    if (is_output(fd))
        die_of("is also the standard output; print to another file", name);
}

/* ---- A new file ---------------------------------------------------------- */

/* Is it empty, or what a run left that was killed while it made the file? A
   disk that begins with zeros is not. */
static bool is_blank(int fd, const filter *new)
{
    const char *wanted = (const void *)new->window;     /* NULL: zeros */
    char bytes[1 << 12];
    size_t at = 0, i;
    ssize_t got;
    while ((got = pread(fd, bytes, sizeof bytes, (off_t)at)) > 0) {
        if (at + (size_t)got > size_of(new))
            return false;
        for (i = 0; i < (size_t)got; i++, at++)
            if (bytes[i] != '\0' && !(wanted && bytes[i] == wanted[at]))
                return false;
    }
    return got == 0;
}

/* Writes an empty filter, whose cells are zeros; 0 or an errno */
static int write_new(int fd, const filter *new)
{
    const char *image = (const void *)new->window;
    unsigned char start[2 * HEADER];
    size_t size = HEADER, at;
    int why = reserve(fd, 0, size_of(new), true);
    unsigned i;
    memcpy(start, part_of(new, 0), HEADER);
    if (new->chain) {
        memcpy(start + HEADER, part_of(new, 0), HEADER);
        bloom_chain_head(new->chain, start);
        size += HEADER;
    }
    for (i = 0; why == 0 && new->window && i < parts_of(new); i++) {
        at = (size_t)((const char *)(const void *)part_of(new, i) - image);
        why = put(fd, image + at, HEADER, at);
    }
    if (why == 0 && new->window)
        why = sync_file(fd);
    if (why == 0)
        why = new->window ? put(fd, image, BLOOM_WINDOW_HEADER_SIZE, 0)
                          : put(fd, start, size, 0);
    return why == 0 ? sync_file(fd) : why;
}

static bool may_be_blank(int fd)
{
    char first = '\0';
    return pread(fd, &first, 1, 0) < 1 || first == '\0';
}

/* Opens the file, and makes a new filter if there is none. The lock of this
   process cannot become one that is shared, so the file is opened anew. */
static void open_or_begin(file *f, const wish *w, bool may_wait)
{
    struct stat there;
    filter new = { 0 };
    int why;
    if (stat(f->name, &there) != 0)      /* before an impossible one is begun */
        new = new_filter(w);
    for (;; close(f->fd)) {
        f->fd = open_locked(f->name, true, lock_to_add, may_wait);
        must_not_be_output(f->fd, f->name);
        if (!may_be_blank(f->fd))
            break;
        if (parts_of(&new) == 0)
            new = new_filter(w);
        if (!is_blank(f->fd, &new))
            break;
        why = write_new(f->fd, &new);
        if (why != 0)
            die_of(strerror(why), f->name);
        f->is_new = true;
        f->in.n = new.n;
        f->in.p = new.p;
    }
    free_filter(&new);
}

/* ---- Adding -------------------------------------------------------------- */

/* The disk has failed. What has not changed yet stays as it is. */
static void fail(file *f, int why)
{
    f->failed = true;
    say("%s: %s", f->name, strerror(why));
    if (f->ending)                      /* exit() is running */
        _exit(2);
    exit(2);
}

/* Returns when the disk has all that was stored: 0 or an errno */
static int sync_all(const file *f)
{
    int why = 0;
    unsigned i;
    for (i = 0; why == 0 && i < parts_of(&f->in); i++)
        why = sync_map(part_of(&f->in, i), bloom_size(part_of(&f->in, i)));
    if (why == 0 && f->in.window)
        why = sync_map(f->in.window, BLOOM_WINDOW_HEADER_SIZE);
    return why == 0 ? sync_file(f->fd) : why;
}

/* Removes the seals of all parts that may change. */
static void unseal(file *f)
{
    const unsigned parts = parts_of(&f->in);
    unsigned i;
    int why;
    for (i = f->in.chain ? parts - 1 : 0; i < parts; i++)
        if (is_sealed(part_of(&f->in, i)))
            memset((char *)(uintptr_t)part_of(&f->in, i) + SEAL_AT, 0, 8);
    why = sync_all(f);
    if (why != 0)
        fail(f, why);
    f->unsealed = true;
}

/* Goes on with the window. It counts keys that are in and not counted, as after
   a kill or a power cut. */
static bloom_error resume(filter *f, size_t size)
{
    static const bloom_window_plan any;
    bloom_error error;
    f->window = bloom_window_resume(f->window, size, any, &error);
    return error == BLOOM_OK ? BLOOM_UNSEALED : error;
}

/* A file with holes, as bloom_share makes it, gets its disk space. tmpfs takes
   space even where the cells of a hole are read. */
static void fill_holes(const file *f)
{
    struct stat there;
    int why = fstat(f->fd, &there) == 0 ? 0 : errno;
    if (why == 0 && (uint64_t)there.st_blocks * 512 < f->size)
        why = reserve(f->fd, 0, f->size, false);
    if (why != 0)
        die_of(strerror(why), f->name);
}

/* Maps and checks the filter. */
static bloom_error map_file(file *f, const wish *w)
{
    const filter begun = f->in;         /* the file does not record n and p */
    char *image = map_all(f->fd, f->name, &f->size, MAP_SHARED);
    bloom_error seal = find_filter(&f->in, image, f->size);
    if (seal != BLOOM_OK)
        die_of(bloom_error_text(seal), f->name);
    refuse_extra_bytes(&f->in, f->size, f->name);
    f->size = size_of(&f->in);
    fill_holes(f);
    if (f->in.fixed) {
        f->in.n = begun.n;
        f->in.p = begun.p;
    }
    if (w)
        must_agree(&f->in, w, f->name);
    seal = f->in.window ? resume(&f->in, f->size) : seal_of(&f->in);
    if (seal == BLOOM_CORRUPT && f->in.fixed)
        seal = seal_of(&f->in);         /* another process removes the seal */
    if (!is_usable(seal))
        die_of(bloom_error_text(seal), f->name);
    return seal;
}

/* A kill may have left a link that was about to be appended. */
static void cut_off(file *f)
{
    struct stat there;
    if (fstat(f->fd, &there) != 0
        || ((uint64_t)there.st_size > f->size
            && ftruncate(f->fd, (off_t)f->size) != 0))
        fail(f, errno);
}

/* A filter without a seal is to get one in the end. A window has none from now
   on, as it changes at once: it forgets. */
file open_file(const char *name, const wish *w, bool may_wait)
{
    file f = { 0 };
    bloom_error seal;
    f.name = name;
    if (w)
        open_or_begin(&f, w, may_wait);
    else
        f.fd = open_locked(name, false, lock_to_add, may_wait);
    if (f.fd < 0)
        die_of(strerror(ENOENT), name);
    seal = map_file(&f, w);
    f.in.is_shared = f.in.fixed != NULL;
    f.in.file = f.fd;
    if (seal == BLOOM_UNSEALED)
        unseal(&f);
    cut_off(&f);
    return f;
}

uint64_t room_in(const file *f)
{
    return f->in.chain ? bloom_chain_room(f->in.chain) : UINT64_MAX;
}

/* The head of a chain is written in one call, so that it is never torn. */
static int write_head(const file *f)
{
    unsigned char head[HEADER];
    bloom_chain_head(f->in.chain, head);
    return put(f->fd, head, HEADER, 0);
}

void add_room(file *f)
{
    const bloom_plan plan = bloom_chain_next(f->in.chain);
    const size_t size = bloom_plan_size(plan);
    char *link = NULL;
    int why;
    if (size == 0)
        die_of("cannot grow any more; start a new file", f->name);
    if (!f->unsealed)
        unseal(f);
    why = reserve(f->fd, f->size, size, true);
    if (why == 0) {
        link = map_bytes(f->fd, f->name, f->size, size, MAP_SHARED);
        why = link ? 0 : errno;
    }
    if (why != 0)
        die_of(strerror(why), f->name);
    (void)!bloom_chain_append(f->in.chain,
                              bloom_init_zeroed(link, size, plan));
    f->size += size;
    why = sync_all(f);
    if (why == 0)
        why = write_head(f);
    if (why == 0)
        why = sync_all(f);
    if (why != 0)
        fail(f, why);
}

static bool may_change(file *f)
{
    if (!f->unsealed && !f->failed)
        unseal(f);
    return !f->failed;
}

size_t record(file *f, const bloom_hash *hash, size_t count)
{
    return count > 0 && may_change(f) ? add_absent(&f->in, hash, count) : 0;
}

size_t record_keys(file *f, const bloom_key *key, size_t count)
{
    return count > 0 && may_change(f) ? add_atomically(f->in.fixed, key, count)
                                      : 0;
}

void sync_lines(file *f)
{
    const int why = f->unsealed && !f->failed ? sync_all(f) : 0;
    if (why != 0)
        fail(f, why);
}

/* ---- The end ------------------------------------------------------------- */

/* A seal is set when the disk has the cells, and if no other process may change
   them. */
static int seal_file(file *f)
{
    int why = f->in.chain ? write_head(f) : 0;
    if (why == 0)
        why = sync_all(f);
    if (why != 0)
        return why;
    if (f->in.chain)
        bloom_chain_seal(f->in.chain);
    else if (f->in.window)
        bloom_window_seal(f->in.window);
    else if (flock(f->fd, LOCK_EX | LOCK_NB) == 0)
        bloom_seal(f->in.fixed);
    return sync_all(f);
}

/* It looks at the name before it seals, as it may lose the lock then. Another
   process may fold FILE from that moment on. */
bool close_file(file *f)
{
    const bool changed = f->fd >= 0 && f->unsealed && !f->failed;
    const bool kept = !changed || is_named(f->fd, f->name);
    const int why = changed ? seal_file(f) : 0;
    if (why != 0)
        say("%s: %s", f->name, strerror(why));
    else if (!kept)
        say("%s: was replaced or removed by another program; the lines of this "
            "run are not in it", f->name);
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
    return why == 0 && kept && !f->failed;
}

/* ---- Replacing ----------------------------------------------------------- */

static int claimed = BLOOM_FILE_NONE;   /* OUT, locked, if there is one */

/* Says before the work begins, not in the end, that there is no folder for OUT,
   or that nothing can be made in it. */
static void must_have_folder(const char *out)
{
    const size_t size = strlen(out) + 1;
    char *folder = memcpy(enlarge(NULL, size), out, size);
    char *slash = strrchr(folder, '/');
    struct stat link;
    if (slash)
        slash[1] = '\0';
    if (lstat(out, &link) != 0          /* not a link to a file to come */
        && access(slash ? folder : ".", W_OK | X_OK) != 0)
        die_of(strerror(errno), out);
    free(folder);
}

/* If OUT were also an input, its lines or keys would be lost. */
static void spare_inputs(const char *out, char **names)
{
    struct stat there, in;
    const bool exists = stat(out, &there) == 0;
    for (; exists && *names; names++)
        if (look_at_input(*names, &in) && in.st_dev == there.st_dev
            && in.st_ino == there.st_ino)
            die_of("is OUT and an input; write to a new file, then rename it",
                   shown(*names));
}

void claim_file(const char *out, char **inputs, bool may_wait)
{
    char head[HEADER];
    ssize_t got;
    spare_inputs(out, inputs);
    claimed = open_locked(out, false, lock_alone, may_wait);
    if (claimed < 0) {
        claimed = BLOOM_FILE_NONE;
        must_have_folder(out);
        return;
    }
    must_not_be_output(claimed, out);
    got = pread(claimed, head, HEADER, 0);
    if (got < 0)
        die_of(strerror(errno), out);
    if (got > 0 && !begins_like_a_filter(head, (size_t)got))
        die_of("is not a Bloom filter, so it is not replaced; give the name of "
               "a filter here", out);
}

void replace_file(const char *out, bloom *b)
{
    int why;
    bloom_seal(b);
    why = bloom_file_save_locked(out, b, bloom_size(b), claimed);
    if (why != 0)
        die_of(why == EEXIST
               ? "was made by another program meanwhile; it is left as it is"
               : why == EBUSY ? bloom_file_text(why) : strerror(why), out);
    if (claimed >= 0)
        close(claimed);
}
