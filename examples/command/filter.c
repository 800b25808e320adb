/* filter.c: filters in memory: a single one, a chain, or a sliding window */
#include "command.h"

void *need_memory(size_t size, const char *name)
{
    void *memory = image_memory(size);
    if (!memory)
        die("%s: not enough memory for %" PRIu64 " bytes", name,
            (uint64_t)size);
    return memory;
}

void free_filter(filter *f)
{
    free(f->one);
    bloom_chain_free(f->chain);
    free(f->window);
    f->one = NULL;
    f->chain = NULL;
    f->window = NULL;
}

/* ---- Reading ------------------------------------------------------------ */

enum { HEADER = BLOOM_HEADER_SIZE };

/* Reports a file that is shorter than a header: as truncated if it begins like
   a filter, and as no filter otherwise. */
static void refuse_short(const void *image, size_t have, const char *name)
{
    if (have == 0)
        die_of("is empty; make a filter with bloom build or bloom uniq -f",
               name);
    die_of(bloom_error_text(begins_as("MCW", image, have)
                            ? BLOOM_TRUNCATED : BLOOM_NOT_A_FILTER), name);
}

/* Returns how many bytes of a file are left to read; 0: unknown. */
static size_t bytes_to_come(int fd)
{
    struct stat file;
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (at < 0 || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)
        || file.st_size <= at || (uintmax_t)(file.st_size - at) > SIZE_MAX / 2)
        return 0;
    return (size_t)(file.st_size - at);
}

/* Reads `size` bytes, or up to the end of the file; returns how many. */
static size_t read_whole(int fd, const char *name, void *to, size_t size)
{
    size_t have = 0, got = 1;
    while (have < size && got > 0)
        have += got = read_some(fd, name, (char *)to + have, size - have);
    return have;
}

/* Returns memory with the `have` bytes of `head` and those that follow, up to
   `size` bytes; *have: how many it has then. Memory grows with the bytes that
   arrive, as the size in a header is not trusted. */
static unsigned char *read_rest(int fd, const char *name, const void *head,
                                size_t *have, size_t size)
{
    const size_t all = *have + bytes_to_come(fd), first = 1 << 16;
    size_t room = all > first ? all : first;
    unsigned char *image, *larger;
    room = room < size ? room : size;
    image = need_memory(room, name);
    memcpy(image, head, *have);
    *have += read_whole(fd, name, image + *have, room - *have);
    while (*have == room && room < size) {
        room = room < size / 2 ? 2 * room : size;
        larger = need_memory(room, name);
        memcpy(larger, image, *have);
        free(image);
        image = larger;
        *have += read_whole(fd, name, image + *have, room - *have);
    }
    return image;
}

/* Reads the filter whose header is `head`. */
static bloom *read_one(int fd, const char *name, const void *head)
{
    bloom_error error;
    size_t size = bloom_image_size(head, &error), have = HEADER;
    unsigned char *image;
    if (size == 0)
        die_of(bloom_error_text(error), name);
    image = read_rest(fd, name, head, &have, size);
    if (have == size)
        return bloom_open(image, size, NULL);
    free(image);
    die_of(bloom_error_text(BLOOM_TRUNCATED), name);
}

/* Reads a link of a chain into memory that bloom_free can free. Its size is not
   trusted unless so many bytes are in the file. */
static bloom *read_link(int fd, const char *name, const void *head)
{
    const size_t size = bloom_image_size(head, NULL);
    bloom *b, *read;
    if (size == 0 || size - HEADER > bytes_to_come(fd)) {
        read = read_one(fd, name, head);
        b = bloom_copy(read);
        free(read);
    } else {
        b = bloom_create(bloom_plan_of(bloom_view(head, size, NULL)));
        if (b) {
            memcpy(b, head, HEADER);
            if (read_whole(fd, name, (char *)b + HEADER, size - HEADER)
                < size - HEADER) {
                bloom_free(b);
                die_of(bloom_error_text(BLOOM_TRUNCATED), name);
            }
        }
    }
    if (!b)
        die("%s: not enough memory for %" PRIu64 " bytes", name,
            (uint64_t)size);
    return b;
}

/* The size of a window, by its header and that of its first generation. If they
   are damaged, what there is suffices for bloom_window_open to say so. */
static size_t size_of_window(const unsigned char *head, size_t have)
{
    const size_t first = BLOOM_WINDOW_HEADER_SIZE;
    size_t each = have < first + HEADER ? 0
                  : bloom_image_size(head + first, NULL);
    if (each == 0 || each > SIZE_MAX / 2 / 16 || head[4] < 2 || head[4] > 16)
        return have;
    return first + head[4] * each;
}

static bloom_window *read_window(int fd, const char *name, const void *start)
{
    unsigned char head[BLOOM_WINDOW_HEADER_SIZE + HEADER], *image;
    size_t have = HEADER;
    bloom_error error;
    bloom_window *w;
    memcpy(head, start, HEADER);
    have += read_whole(fd, name, head + HEADER, sizeof head - HEADER);
    image = read_rest(fd, name, head, &have, size_of_window(head, have));
    w = bloom_window_open(image, have, &error);
    if (!w) {
        free(image);
        die_of(bloom_error_text(error), name);
    }
    return w;
}

/* Reads n of the first link from the head, as no function returns it. */
static uint64_t first_n_of(const unsigned char *head)
{
    uint64_t n = 0;
    unsigned i;
    for (i = 8; i-- > 0; )
        n = n << 8 | head[8 + i];
    return n;
}

/* Reads link by link, so that memory has the chain only once. */
static bloom_chain *read_chain(int fd, const char *name,
                               const unsigned char *head)
{
    unsigned char first[HEADER];
    bloom *link[64];
    bloom_chain *c;
    bloom_error error;
    unsigned i;
    for (i = 0; i < head[6] && i < 64; i++) {
        if (read_whole(fd, name, first, HEADER) < HEADER)
            die_of(bloom_error_text(BLOOM_TRUNCATED), name);
        link[i] = read_link(fd, name, first);
    }
    c = bloom_chain_join(head, link, &error);
    if (!c)
        die_of(error == BLOOM_OK ? "not enough memory for the filter"
                                 : bloom_error_text(error), name);
    return c;
}

filter read_filter(const char *name)
{
    filter f = { 0 };
    unsigned char head[HEADER];
    size_t have;
    int fd;
    if (strcmp(name, "-") == 0)
        die("-: is not the name of a filter; to read one from a pipe, give "
            "/dev/stdin");
    fd = open_input(name);
    have = read_whole(fd, name, head, HEADER);
    if (have < HEADER)
        refuse_short(head, have, name);
    if (memcmp(head, "BLW", 3) == 0)
        f.window = read_window(fd, name, head);
    else if (memcmp(head, "BLC", 3) == 0)
        f.chain = read_chain(fd, name, head);
    else
        f.one = read_one(fd, name, head);
    if (read_some(fd, name, head + HEADER - 1, 1) > 0)
        die_of("extra bytes follow the filter; use an intact copy, and join "
               "filters with bloom merge", name);
    close(fd);
    if (f.chain) {
        f.n = first_n_of(head);
        f.p = bloom_chain_rate(f.chain);
    }
    return f;
}

bloom_error seal_of(const filter *f)
{
    return f->one ? bloom_verify(f->one)
         : f->chain ? bloom_chain_verify(f->chain)
         : bloom_window_verify(f->window);
}

static const char *kind_of(const filter *f)
{
    return f->chain ? "grows (made by uniq without --fixed)"
                    : "forgets (made by uniq --last or --for)";
}

/* Exits unless it is a single filter. `why`: "cannot be merged", for example */
void must_be_one(const filter *f, const char *name, const char *why)
{
    if (!f->one)
        die("%s: a filter that %s %s", name, kind_of(f), why);
}

/* The command seals every file that it writes. A single filter may come from a
   program that does not, but a chain or a window without a seal is damaged. */
void refuse_damage(const filter *f, bloom_error seal, const char *name)
{
    if (seal == BLOOM_CORRUPT)
        die_of(bloom_error_text(seal), name);
    if (seal == BLOOM_UNSEALED && !f->one)
        die("%s: corrupt: a filter that %s has a seal, but here it is missing",
            name, kind_of(f));
    if (seal == BLOOM_UNSEALED)
        say("%s: has no seal, so damage to it cannot be detected", name);
}

filter read_sound_filter(const char *name)
{
    filter f = read_filter(name);
    const bloom_error seal = seal_of(&f);
    refuse_damage(&f, seal, name);
    f.sealed = seal == BLOOM_OK;
    return f;
}

/* ---- A single filter, a chain, or a window ------------------------------- */

unsigned links_of(const filter *f)
{
    return f->one ? 1
           : f->window ? bloom_window_plan_of(f->window).generations
           : bloom_chain_links(f->chain);
}

const bloom *link_of(const filter *f, unsigned i)
{
    return f->one ? f->one : f->window ? bloom_window_generation(f->window, i)
           : bloom_chain_link(f->chain, i);
}

/* The probability that at least one link gives a false positive */
double rate_of(const filter *f)
{
    return f->one ? bloom_fpr(f->one)
         : f->window ? bloom_window_fpr(f->window)
         : bloom_chain_fpr(f->chain);
}

uint64_t keys_in(const filter *f)
{
    uint64_t sum = 0, keys;
    unsigned i;
    if (f->chain)
        return bloom_chain_estimate(f->chain);
    for (i = 0; i < links_of(f); i++) {
        keys = bloom_estimate(link_of(f, i));
        sum = keys < UINT64_MAX - sum ? sum + keys : UINT64_MAX;
    }
    return sum;
}

size_t size_of(const filter *f)
{
    return f->one ? bloom_size(f->one)
           : f->window ? bloom_window_size(f->window)
           : bloom_chain_size(f->chain);
}

/* ---- Keys --------------------------------------------------------------- */

const bloom_hash *hash_lines(const filter *f, const bloom_key *key,
                             size_t count, bloom_hash *hash)
{
    size_t i;
    for (i = 0; i < count; i++)
        hash[i] = bloom_hash_key(link_of(f, 0), key[i].data, key[i].size);
    return hash;
}

void look_up(const filter *f, const bloom_key *key, size_t count, bool *maybe)
{
    bloom_hash hash[BATCH];
    if (f->one)
        bloom_may_contain_many(f->one, key, count, maybe);
    else if (f->chain)
        bloom_chain_may_contain_many(f->chain, key, count, maybe);
    else
        look_up_hashes(f, hash_lines(f, key, count, hash), count, maybe);
}

void look_up_hashes(const filter *f, const bloom_hash *hash, size_t count,
                    bool *maybe)
{
    if (f->one)
        bloom_may_contain_many_hash(f->one, hash, count, maybe);
    else if (f->window)
        bloom_window_may_contain_many_hash(f->window, hash, count, maybe);
    else
        bloom_chain_may_contain_many_hash(f->chain, hash, count, maybe);
}

/* A counting filter counts a known key once more. */
static size_t note_added(filter *f, size_t count, size_t added)
{
    f->known += added;
    f->changed |= added > 0 || (f->one && count > 0 && bloom_plan_of(f->one)
                                                    .layout == BLOOM_COUNTING);
    return added;
}

/* Both return how many of the keys are new. add_hashes is for keys that
   look_up_hashes did not find. */
size_t add_lines(filter *f, const bloom_key *key, size_t count, bool *is_new)
{
    bloom_hash hash[BATCH];
    size_t added = f->one ? bloom_add_many(f->one, key, count, is_new)
        : f->chain ? bloom_chain_add_many(f->chain, key, count, is_new)
        : add_new_to_window(f, hash_lines(f, key, count, hash), count, is_new);
    return note_added(f, count, added);
}

size_t add_hashes(filter *f, const bloom_hash *hash, size_t count)
{
    size_t added = f->one ? bloom_add_many_hash(f->one, hash, count, NULL)
        : f->chain ? bloom_chain_add_absent_hash(f->chain, hash, count)
        : add_to_window(f, hash, count);
    return note_added(f, count, added);
}
