/* RedisBloom's filters: reads them from its dumps, append-only files and RDB
   files, looks items up by RedisBloom's rule, and writes the filters back
   unchanged. Without it, data of RedisBloom could not be moved to this module,
   nor back. "theirs" means RedisBloom's, "ours" means bloom.h's. The image of
   one of their filters is a header of our own, followed by their cells:

       offset size
         0     2    "MB"
         2     1    width of the hash: 64 bits, or 32 in very old filters
         3     1    if not 0: the number of cells is 2 to the power of this
         4     4    probes (hash functions)
         8     8    number of cells
        16     8    bytes of the cells
        24     8    bits per item in the filter's plan, a double

   An item has two hashes, a and b. Its probe i is cell (a + i b) modulo the
   number of cells. Numbers in RedisBloom's files are little-endian and not
   aligned. */
#include "chain.h"

#define MOST_PROBES 1100                /* a rate of 10^-323 needs 1075 */

enum {                                  /* RedisBloom's options, and our
                                           UNFINISHED */
    FORCE64 = 4, NO_SCALING = 8, ALL_OPTIONS = 15, UNFINISHED = 1 << 30
};

/* ---- Their hashes: MurmurHash64A, and MurmurHash2 in old versions -------- */

static uint64_t murmur64a(const unsigned char *p, size_t size, uint64_t seed)
{
    const uint64_t m = 0xC6A4A7935BD1E995U;
    uint64_t h = seed ^ (uint64_t)size * m, x;
    for (; size >= 8; size -= 8, p += 8) {
        x = load(p, 8) * m;
        h = (h ^ (x ^ x >> 47) * m) * m;
    }
    if (size > 0)
        h = (h ^ load(p, (int)size)) * m;
    h = (h ^ h >> 47) * m;
    return h ^ h >> 47;
}

static uint32_t murmur2(const unsigned char *p, size_t size, uint32_t seed)
{
    const uint32_t m = 0x5BD1E995U;
    uint32_t h = seed ^ (uint32_t)size, x;
    for (; size >= 4; size -= 4, p += 4) {
        x = (uint32_t)load(p, 4) * m;
        h = h * m ^ (x ^ x >> 24) * m;
    }
    if (size > 0)
        h = (h ^ (uint32_t)load(p, (int)size)) * m;
    h = (h ^ h >> 13) * m;
    return h ^ h >> 15;
}

static bloom_hash their_hash(int kind, const void *key, size_t size)
{
    bloom_hash h;
    if (kind == WIDE) {
        h.h1 = murmur64a(key, size, 0xC6A4A7935BD1E995U);
        h.h2 = murmur64a(key, size, h.h1);
    } else {
        h.h1 = murmur2(key, size, 0x9747B28CU);
        h.h2 = murmur2(key, size, (uint32_t)h.h1);
    }
    return h;
}

/* ---- Their cells --------------------------------------------------------- */

static uint64_t their_cells(const unsigned char *image)
{
    return image[3] ? 1ULL << image[3] : load(image + 8, 8);
}

/* Returns whether all cells of a key are set. If `add`, it sets them. */
static bool their_probes(unsigned char *image, bloom_hash h, bool add)
{
    uint64_t m = their_cells(image), i, x, k = load(image + 4, 4);
    unsigned char *cells = image + IMAGE_HEADER, mask;
    bool all = true;
    for (i = 0; i < k && (all || add); i++) {
        x = (h.h1 + i * h.h2) % m;
        mask = (unsigned char)(1 << (x & 7));
        all = all && cells[x >> 3] & mask;
        if (add)
            cells[x >> 3] |= mask;
    }
    return all;
}

/* ---- Checking one link: the data is untrusted ---------------------------- */

typedef struct their_link {
    uint64_t capacity, items, hashes, bits, bytes, power;
    double rate, bits_an_item;
} their_link;

/* Rounds up, as RedisBloom does. */
static uint64_t their_hashes(double bits_an_item)
{
    double k = 0.693147180559945 * bits_an_item;
    return (uint64_t)k + ((double)(uint64_t)k < k);
}

static bool their_sound(const their_link *t)
{
    return t->capacity > 0 && t->rate > 0 && t->rate < 1 && t->bits > 0
        && t->power < 64
        && t->bits_an_item > 0 && t->bits_an_item < MOST_PROBES * 1.45
        && t->hashes == their_hashes(t->bits_an_item)
        && t->hashes <= MOST_PROBES && t->bytes <= SIZE_MAX / 2
        && (t->bits - 1) / 8 + 1 == t->bytes
        && (1ULL << t->power) - 1 <= t->bits - 1;
}

static void their_header(const their_link *t, bool wide, unsigned char *header)
{
    memcpy(header, "MB", 2);
    header[2] = wide ? 64 : 32;
    header[3] = (unsigned char)t->power;
    store(header + 4, t->hashes, 4);
    store(header + 8, t->bits, 8);
    store(header + 16, t->bytes, 8);
    store(header + 24, bits_of(t->bits_an_item), 8);
}

static their_link their_link_of(const chain_link *l)
{
    const unsigned char *p = l->image;
    their_link t = { l->capacity, l->items, load(p + 4, 4), load(p + 8, 8),
                     load(p + 16, 8), p[3], l->rate, load_double(p + 24) };
    return t;
}

/* Returns whether the link's image begins with a valid header of theirs. */
static bool their_header_sound(const chain_link *l)
{
    their_link t = their_link_of(l);
    return memcmp(l->image, "MB", 2) == 0 && their_sound(&t)
        && (l->image[2] == 64 || l->image[2] == 32);
}

static chain *their_chain(uint64_t options, uint64_t growth)
{
    chain *c = new_chain(options & NO_SCALING ? 0 : growth);
    c->options = (uint8_t)(options & ALL_OPTIONS);
    c->growth = (uint32_t)growth;
    c->theirs = 1;
    return c;
}

/* ---- BF.SCANDUMP: the head (chunk 1) --------------------------------------
   Items, 8 bytes; links, options, growth, 4 bytes each. Then for each link:
   bytes, bits, items, rate, bits per item, 8 bytes each; probes, 4; capacity,
   8; power, 1. */

enum { THEIR_HEAD = 20, THEIR_LINK = 53 };

static const char *load_their_head(const unsigned char *p, size_t size,
                                   chain **loaded)
{
    uint64_t links = size > THEIR_HEAD ? load(p + 8, 4) : 0, left;
    uint64_t options = size > THEIR_HEAD ? load(p + 12, 4) : 0;
    unsigned char header[IMAGE_HEADER];
    chain *c;
    if (links == 0 || size != THEIR_HEAD + links * THEIR_LINK
        || options > ALL_OPTIONS)
        return BAD_DATA;
    c = their_chain(options, load(p + 16, 4));
    left = load(p, 8);
    for (p += THEIR_HEAD; c->links < links; p += THEIR_LINK) {
        their_link t = { load(p + 44, 8), load(p + 16, 8), load(p + 40, 4),
                         load(p + 8, 8), load(p, 8), p[52],
                         load_double(p + 24), load_double(p + 32) };
        chain_link l = { NULL, t.capacity, t.items, t.rate };
        if (!their_sound(&t) || t.bits / 8 != t.bytes || t.bits % 8
            || t.items > left)
            break;
        left -= t.items;
        their_header(&t, options & FORCE64, header);
        l.image = new_image(NULL, header, 0);
        insert_link(c, c->links, l);
    }
    if (c->links < links || left > 0) {
        free_chain(c);
        return BAD_DATA;
    }
    *loaded = c;
    return NULL;
}

static void their_head(const chain *c, unsigned char *to)
{
    uint64_t items = 0;
    size_t i;
    store(to + 8, c->links, 4);
    store(to + 12, c->options, 4);
    store(to + 16, c->growth, 4);
    for (i = 0; i < c->links; i++) {
        their_link t = their_link_of(&c->link[i]);
        unsigned char *p = to + THEIR_HEAD + i * THEIR_LINK;
        store(p, t.bytes, 8);
        store(p + 8, t.bits, 8);
        store(p + 16, t.items, 8);
        store(p + 24, bits_of(t.rate), 8);
        store(p + 32, bits_of(t.bits_an_item), 8);
        store(p + 40, t.hashes, 4);
        store(p + 44, t.capacity, 8);
        p[52] = (unsigned char)t.power;
        items += t.items;
    }
    store(to, items, 8);
}

/* ---- RDB ------------------------------------------------------------------
   Items, links, options (since encoding 2), growth (since encoding 4). Then for
   each link: capacity, rate, probes, bits per item, bits and power (both since
   encoding 1), cells, items. If the filter is loaded from a dump of which some
   chunks are still missing, options contain UNFINISHED, and growth is followed
   by the number of missing bytes. RedisBloom refuses such a filter. */

static void save_theirs(RedisModuleIO *io, void *value)
{
    const chain *c = value;
    uint64_t items = 0, unfinished = c->pending ? UNFINISHED : 0;
    size_t i;
    for (i = 0; i < c->links; i++)
        items += c->link[i].items;
    RedisModule_SaveUnsigned(io, items);
    RedisModule_SaveUnsigned(io, c->links);
    RedisModule_SaveUnsigned(io, c->options | unfinished);
    RedisModule_SaveUnsigned(io, c->growth);
    if (c->pending)
        RedisModule_SaveUnsigned(io, c->pending->missing);
    for (i = 0; i < c->links; i++) {
        their_link t = their_link_of(&c->link[i]);
        RedisModule_SaveUnsigned(io, t.capacity);
        RedisModule_SaveDouble(io, t.rate);
        RedisModule_SaveUnsigned(io, t.hashes);
        RedisModule_SaveDouble(io, t.bits_an_item);
        RedisModule_SaveUnsigned(io, t.bits);
        RedisModule_SaveUnsigned(io, t.power);
        RedisModule_SaveStringBuffer(io,
            (const char *)c->link[i].image + IMAGE_HEADER,
            (size_t)bytes_there(c, i));
        RedisModule_SaveUnsigned(io, t.items);
    }
}

/* Cells may be missing only in an unfinished filter, and only the last ones.
   *end is the end of the cells that were loaded so far. */
static const char *load_their_link(RedisModuleIO *io, int encoding, chain *c,
                                   bool unfinished, spot *end)
{
    unsigned char header[IMAGE_HEADER];
    chain_link l = { NULL, 0, 0, 0 };
    const char *error = BAD_DATA;
    size_t size = 0;
    their_link t;
    char *cells;
    memset(&t, 0, sizeof t);
    t.capacity = l.capacity = RedisModule_LoadUnsigned(io);
    t.rate = l.rate = RedisModule_LoadDouble(io);
    t.hashes = RedisModule_LoadUnsigned(io);
    t.bits_an_item = RedisModule_LoadDouble(io);
    if (encoding > 0) {
        t.bits = RedisModule_LoadUnsigned(io);
        t.power = RedisModule_LoadUnsigned(io);
    } else if (t.bits_an_item > 0 && t.bits_an_item < MOST_PROBES * 1.45
               && t.capacity < MOST_ITEMS) {
        t.bits = (uint64_t)((double)t.capacity * t.bits_an_item);
    }
    if (encoding > 0 && t.bits == 0 && t.power > 0 && t.power < 64)
        t.bits = 1ULL << t.power;
    cells = RedisModule_LoadStringBuffer(io, &size);
    t.items = l.items = RedisModule_LoadUnsigned(io);
    t.bytes = unfinished ? t.bits / 8 : size;
    if (cells && !RedisModule_IsIOError(io) && their_sound(&t)
        && (size == 0 || (end->link == c->links && end->inside == 0))) {
        their_header(&t, c->options & FORCE64, header);
        l.image = new_image(NULL, header, size);
        error = l.image ? NULL : NO_MEMORY;
    }
    if (!error) {
        memcpy(l.image + IMAGE_HEADER, cells, size);
        insert_link(c, c->links, l);
        advance(c, end, size);
    }
    RedisModule_Free(cells);
    return error;
}

static const char *load_theirs(RedisModuleIO *io, int encoding, chain **loaded)
{
    uint64_t links, options = 0, growth = 2, missing = 0, left = UINT64_MAX;
    const char *error = NULL;
    spot end = { 0, 0 }, at;
    size_t i;
    chain *c;
    RedisModule_LoadUnsigned(io);       /* all items: the links have them too */
    links = RedisModule_LoadUnsigned(io);
    if (encoding >= 2)
        options = RedisModule_LoadUnsigned(io);
    if (encoding >= 4)
        growth = RedisModule_LoadUnsigned(io);
    if (options & UNFINISHED)
        missing = RedisModule_LoadUnsigned(io);
    if (RedisModule_IsIOError(io) || links == 0 || links > UINT32_MAX
        || (options & ~(uint64_t)UNFINISHED) > ALL_OPTIONS
        || growth > UINT32_MAX)
        return BAD_DATA;
    *loaded = c = their_chain(options, growth);
    while (c->links < links && !error)
        error = load_their_link(io, encoding, c, options & UNFINISHED, &end);
    at = spot_of(c, all_cell_bytes(c) - missing);
    if (!error && (!await(c, missing) || end.link != at.link
                   || end.inside != at.inside
                   || (links > MOST_FILTERS
                       && !follows(RedisModule_GetContextFromIO(io)))))
        error = BAD_DATA;
    for (i = 0; i < c->links && !error; i++) {
        if (c->link[i].items > left)
            error = BAD_DATA;
        left -= c->link[i].items;
    }
    return error;
}
