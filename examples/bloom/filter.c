/* filter.c: a filter, or a chain of them, in memory */
#include "command.h"

/* ---- Making ------------------------------------------------------------- */

static bloom_plan plan_for(uint64_t n)
{
    int layout = options.layout < 0 ? BLOOM_CLASSIC : options.layout;
    bloom_plan plan = bloom_plan_layout(n, options.p, (bloom_layout)layout);
    plan.seed = options.seed;
    plan.hash_bits = options.width ? 32 : 64;
    if (options.width && bloom_plan_fpr(plan, n) > 1.01 * options.p)
        die("-w 32: too narrow for %" PRIu64 " lines with a rate of %g",
            n, options.p);
    if (bloom_plan_size(plan) == 0)
        die("-n %" PRIu64 " -p %g: more than fits into any memory",
            n, options.p);
    return plan;
}

static void *need_memory(size_t size, const char *name)
{
    void *memory = image_memory(size);
    if (!memory)
        die("%s: not enough memory for %" PRIu64 " bytes", name,
            (uint64_t)size);
    return memory;
}

filter new_filter(uint64_t n)
{
    filter f = { 0 };
    bloom_plan plan = plan_for(n);
    size_t size = bloom_plan_size(plan);
    f.one = bloom_init(need_memory(size, "filter"), size, plan);
    f.n = n;
    f.fixed = options.fixed || options.layout == BLOOM_COUNTING;
    return f;
}

filter new_chain(uint64_t first_n)
{
    filter f = { 0 };
    f.chain = bloom_chain_create(first_n, options.p, plan_for(first_n));
    if (!f.chain)
        die("filter: not enough memory for %" PRIu64 " lines", first_n);
    return f;
}

void free_filter(filter *f)
{
    free(f->one);
    bloom_chain_free(f->chain);
    f->one = NULL;
    f->chain = NULL;
}

/* ---- Reading ------------------------------------------------------------ */

/* By its header alone. */
static size_t size_of_image(const void *header, const char *name)
{
    bloom_error error;
    const bloom *b = bloom_view(header, SIZE_MAX, &error);
    if (memcmp(header, "BLC", 3) == 0)
        return SIZE_MAX;            /* all there is */
    if (error == BLOOM_TRUNCATED)
        die_of("too large for the memory of this machine", name);
    if (!b)
        die_of(bloom_error_text(error), name);
    return bloom_size(b);
}

/* What is in a file behind the place where it is read. */
static size_t bytes_to_come(int fd)
{
    struct stat file;
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (at < 0 || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)
        || file.st_size <= at || (uintmax_t)(file.st_size - at) > SIZE_MAX / 2)
        return 0;
    return (size_t)(file.st_size - at);
}

/* Memory grows with what arrives, not with what a header claims. */
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
    if (*have < size && size != SIZE_MAX)
        die_of(bloom_error_text(BLOOM_TRUNCATED), name);
    return image;
}

/* How many lines a filter was made for is not in it. A classic one of least
   memory was made for about as many as set half of its cells; a blocked one has
   8 bits a key down to a rate of 0.001, 16 down to that squared, and so on. */
static uint64_t made_for(bloom_plan plan)
{
    double rate = 1;
    unsigned i;
    if (plan.layout == BLOOM_BLOCKED)
        for (i = 0; i < plan.hashes; i += 8)
            rate /= 1000;
    else
        for (i = 0; i < plan.hashes; i++)
            rate /= 2;
    return bloom_plan_capacity(plan, rate);
}

filter read_filter(const char *name)
{
    filter f = { 0 };
    bloom_error error = BLOOM_OK;
    size_t size;
    unsigned char *image;
    if (strcmp(name, "-") == 0)
        die("-: is no name of a filter; one from a pipe is /dev/stdin");
    image = read_image(name, &size);
    f.one = bloom_open(image, size, &error);
    if (f.one)
        return f;
    f.chain = bloom_chain_load(image, size, &error);
    if (!f.chain)
        die_of(error == BLOOM_OK ? "not enough memory for its links"
                                 : bloom_error_text(error), name);
    free(image);
    return f;
}

bloom_error seal_of(const filter *f)
{
    bloom_error worst = BLOOM_OK, error;
    unsigned i;
    for (i = 0; i < links_of(f); i++) {
        error = bloom_verify(link_of(f, i));
        if (error == BLOOM_CORRUPT || worst == BLOOM_OK)
            worst = error;
    }
    return worst;
}

filter read_sound_filter(const char *name)
{
    filter f = read_filter(name);
    if (seal_of(&f) == BLOOM_CORRUPT) {
        free_filter(&f);
        die_of(bloom_error_text(BLOOM_CORRUPT), name);
    }
    return f;
}

/* To be added to: how many are in one, and how many there is room for? */
filter read_to_add(const char *name)
{
    filter f = read_sound_filter(name);
    if (f.one) {
        f.n = made_for(bloom_plan_of(f.one));
        f.known = bloom_estimate(f.one);
        f.fixed = options.fixed
                  || bloom_plan_of(f.one).layout == BLOOM_COUNTING;
    }
    return f;
}

/* ---- One or a chain ----------------------------------------------------- */

unsigned links_of(const filter *f)
{
    return f->one ? 1 : bloom_chain_links(f->chain);
}

const bloom *link_of(const filter *f, unsigned i)
{
    return f->one ? f->one : bloom_chain_link(f->chain, i);
}

double rate_of(const filter *f)
{
    return f->one ? bloom_fpr(f->one) : bloom_chain_fpr(f->chain);
}

uint64_t keys_in(const filter *f)
{
    return f->one ? bloom_estimate(f->one) : bloom_chain_estimate(f->chain);
}

size_t size_of(const filter *f)
{
    return f->one ? bloom_size(f->one) : bloom_chain_size(f->chain);
}

/* ---- Chains ------------------------------------------------------------- */

static void store64(unsigned char *to, uint64_t number)
{
    unsigned i;
    for (i = 0; i < 8; i++, number >>= 8)
        to[i] = (unsigned char)number;
}

static uint64_t load64(const unsigned char *from)
{
    uint64_t number = 0;
    unsigned i = 8;
    while (i-- > 0)
        number = number << 8 | from[i];
    return number;
}

static void make_head(unsigned char head[32], bloom_plan plan, uint64_t first_n,
                      double p)
{
    static const unsigned char magic[] = { 'B', 'L', 'C', 1 };
    uint64_t bits;
    memcpy(&bits, &p, sizeof bits);
    memset(head, 0, 32);
    memcpy(head, magic, sizeof magic);
    head[4] = plan.layout;
    head[5] = plan.hash_bits;
    store64(head + 8, first_n);
    store64(head + 16, bits);
}

/* One that is full becomes the first link of a chain, with a second for twice
   as many lines. The rate of the first is then all of P, so the links to come
   share a sixteenth of that, and on the way there it is less. Hashes of 32 bits
   would end soon with less than 1e-7. Where there is no memory it is fixed. */
static void grow(filter *f)
{
    bloom_plan plan = bloom_plan_of(f->one), next;
    double p = bloom_plan_fpr(plan, f->n) / 8;
    size_t size = bloom_size(f->one), all;
    unsigned char *image;
    bloom_error error;
    if (plan.hash_bits == 32 && p < 1e-7)
        p = 1e-7;
    next = bloom_plan_layout(2 * f->n, p / 6, (bloom_layout)plan.layout);
    next.seed = plan.seed;
    next.hash_bits = plan.hash_bits;
    all = 32 + size + bloom_plan_size(next);
    f->fixed = true;
    if (bloom_plan_capacity(next, p / 6) < f->n || all < 32 + size
        || !(image = image_memory(all)))
        return;
    make_head(image, plan, f->n, p);
    memcpy(image + 32, f->one, size);
    bloom_init(image + 32 + size, all - 32 - size, next);
    f->chain = bloom_chain_load(image, all, &error);
    free(image);
    if (f->chain) {
        free(f->one);
        f->one = NULL;
    }
}

/* Has a chain grown as far as it can? Hashes of 32 bits end near a rate of
   2^-32, which no link can be below; then the rate is above its share. */
bool is_overfull(const filter *f)
{
    unsigned char head[32];
    uint64_t bits;
    double p;
    if (f->one || bloom_plan_of(link_of(f, 0)).hash_bits == 64)
        return false;
    bloom_chain_head(f->chain, head);
    bits = load64(head + 16);
    memcpy(&p, &bits, sizeof p);
    return rate_of(f) > 1.1 * (p + bloom_fpr(link_of(f, 0)));
}

/* The hashes of those keys that are in no link, and where they were in key. */
static size_t absent_keys(const bloom_chain *c, const bloom_key *key,
                          size_t count, bloom_hash *hash, size_t *at)
{
    unsigned link = bloom_chain_links(c);
    bool maybe[BATCH];
    size_t i, left;
    for (i = 0; i < count; i++) {
        hash[i] = bloom_hash_key(bloom_chain_link(c, 0), key[i].data,
                                 key[i].size);
        at[i] = i;
    }
    while (link-- > 0) {
        bloom_may_contain_many_hash(bloom_chain_link(c, link), hash, count,
                                    maybe);
        for (i = left = 0; i < count; i++)
            if (!maybe[i]) {
                hash[left] = hash[i];
                at[left++] = at[i];
            }
        count = left;
    }
    return count;
}

/* ---- Keys: at most BATCH ------------------------------------------------ */

void look_up(const filter *f, const bloom_key *key, size_t count, bool *maybe)
{
    bloom_hash hash[BATCH];
    size_t at[BATCH], i, absent;
    if (f->one) {
        bloom_may_contain_many(f->one, key, count, maybe);
        return;
    }
    absent = absent_keys(f->chain, key, count, hash, at);
    memset(maybe, true, count);
    for (i = 0; i < absent; i++)
        maybe[at[i]] = false;
}

static size_t add_to_chain(filter *f, const bloom_key *key, size_t count,
                           bool *is_new)
{
    bloom_hash hash[BATCH];
    size_t at[BATCH], i, added = 0;
    size_t absent = absent_keys(f->chain, key, count, hash, at);
    memset(is_new, false, count);
    for (i = 0; i < absent; i++) {
        is_new[at[i]] = bloom_chain_add_hash(f->chain, hash[i]);
        added += is_new[at[i]];
    }
    return added;
}

/* One that may become full grows with the first line that does not fit. */
static size_t add_to_full(filter *f, const bloom_key *key, size_t count,
                          bool *is_new)
{
    size_t i;
    uint64_t before = f->known;
    for (i = 0; i < count; i++) {
        const void *data = key[i].data;
        size_t size = key[i].size;
        if (f->one && f->known >= f->n && !f->fixed
            && !bloom_may_contain(f->one, data, size))
            grow(f);
        is_new[i] = f->one ? bloom_add(f->one, data, size)
                           : bloom_chain_add(f->chain, data, size);
        f->known += is_new[i];
    }
    return (size_t)(f->known - before);
}

/* Returns how many of them are new. */
size_t add_lines(filter *f, const bloom_key *key, size_t count, bool *is_new)
{
    size_t added;
    if (f->one && !f->fixed && (f->known >= f->n || f->n - f->known < count))
        return add_to_full(f, key, count, is_new);
    added = f->one ? bloom_add_many(f->one, key, count, is_new)
                   : add_to_chain(f, key, count, is_new);
    f->known += added;
    return added;
}

void warn_of_rate(const char *name, const filter *f, const char *fate)
{
    double rate = rate_of(f);
    say("%s: past %" PRIu64 " lines; 1 new line in %.*f %s (rate %.3g), and "
        "more with each; make a larger filter with -n",
        name, f->n, rate > 0.1, 1 / rate, fate, rate);
}
