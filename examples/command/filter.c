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

/* Returns how many bytes to read, by the first 32 bytes of a file. */
static size_t size_of_image(const void *header, const char *name)
{
    bloom_error error;
    const bloom *b = bloom_view(header, SIZE_MAX, &error);
    if (memcmp(header, "BLC", 3) == 0 || memcmp(header, "BLW", 3) == 0)
        return SIZE_MAX;            /* up to the end of the file */
    if (error == BLOOM_TRUNCATED)
        die_of("too large for this machine", name);
    if (!b)
        die_of(bloom_error_text(error), name);
    return bloom_size(b) + 1;       /* one more, to detect extra bytes */
}

/* Do the first bytes of a file look like a filter, a chain or a window? */
bool begins_as_filter(const void *bytes, size_t size)
{
    return size >= 3 && (memcmp(bytes, "BLM", 3) == 0
                         || memcmp(bytes, "BLC", 3) == 0
                         || memcmp(bytes, "BLW", 3) == 0);
}

/* Reports a file that is shorter than a header: as truncated if it begins like
   a filter, and as no filter otherwise. */
static void refuse_short(const void *image, size_t have, const char *name)
{
    if (have == 0)
        die_of("is empty; make a filter with bloom build or bloom uniq -f",
               name);
    die_of(bloom_error_text(begins_as_filter(image, have)
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

/* Memory grows with the bytes that arrive. The size in a header is not
   trusted. */
static unsigned char *read_image(const char *name, size_t *have)
{
    const size_t header = 32;
    size_t room = 1 << 16, size = header, got = 1, all;
    unsigned char *image = need_memory(room, name), *larger;
    int fd = open_input(name);
    all = bytes_to_come(fd) + 1;
    *have = 0;
    while (*have < size && got > 0) {
        if (*have == room) {
            room = room * 2 > all ? room * 2 : all;
            room = room < size ? room : size;
            larger = need_memory(room, name);
            memcpy(larger, image, *have);
            free(image);
            image = larger;
        }
        got = read_some(fd, name, image + *have, room - *have);
        *have += got;
        if (size == header && *have >= header)
            size = size_of_image(image, name);
    }
    close(fd);
    if (*have < header)
        refuse_short(image, *have, name);
    if (*have + 1 < size && size != SIZE_MAX)
        die_of(bloom_error_text(BLOOM_TRUNCATED), name);
    return image;
}

/* Reads n of the first link from the head, as no function returns it. */
static uint64_t first_n_of(const bloom_chain *c)
{
    unsigned char head[32];
    uint64_t n = 0;
    unsigned i;
    bloom_chain_head(c, head);
    for (i = 8; i-- > 0; )
        n = n << 8 | head[8 + i];
    return n;
}

filter read_filter(const char *name)
{
    filter f = { 0 };
    bloom_error error = BLOOM_OK;
    size_t size;
    unsigned char *image;
    if (strcmp(name, "-") == 0)
        die("-: is not the name of a filter; to read one from a pipe, give "
            "/dev/stdin");
    image = read_image(name, &size);
    f.one = bloom_open(image, size, &error);
    if (!f.one && memcmp(image, "BLW", 3) == 0)
        f.window = bloom_window_open(image, size, &error);
    else if (!f.one)
        f.chain = bloom_chain_load(image, size, &error);
    if (!f.one && !f.window && !f.chain)
        die_of(error == BLOOM_OK ? "not enough memory for the filter"
                                 : bloom_error_text(error), name);
    if (size > size_of(&f))
        die_of("extra bytes follow the filter; use an intact copy, and join "
               "filters with bloom merge", name);
    if (!f.chain)
        return f;
    f.n = first_n_of(f.chain);
    f.p = bloom_chain_rate(f.chain);
    free(image);
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

/* ---- Full --------------------------------------------------------------- */

bool warn_if_full(const filter *f, const char *name, const char *fate)
{
    const double rate = rate_of(f);
    char wanted[40] = "";
    if (f->window)
        return false;               /* it forgets lines instead */
    if (f->p > 0 ? rate < 1.1 * f->p || (f->one && f->known <= f->n)
                 : rate < 0.25)
        return false;
    if (f->p > 0)
        snprintf(wanted, sizeof wanted, ", not %.3g%%", 100 * f->p);
    if (f->chain)
        say("%s: cannot grow any further: %.3g%% of new lines %s%s",
            name, 100 * rate, fate, wanted);
    else if (f->n)
        say("%s: holds more than %" PRIu64 " lines: %.3g%% of new lines %s%s; "
            "make a larger filter with -n", name, f->n, 100 * rate, fate,
            wanted);
    else
        say("%s: %.3g%% of new lines %s%s; make a larger filter with -n",
            name, 100 * rate, fate, wanted);
    return true;
}
