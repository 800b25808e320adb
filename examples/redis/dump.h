/* Dumps: the chunks of BF.SCANDUMP and BF.LOADCHUNK. Without them, filters of
   this module could be neither saved in RDB and append-only files nor copied.

   Chunk 1 is the head. It begins like a chain of bloom_chain.h, but has another
   format. It consists of "BLC" and the version, 2; EXPANSION and
   the number of links, 4 bytes each; and for each link its capacity, items and
   rate (a double), 8 bytes each, and the header of its image. The other chunks
   hold the cells of all links, in order. The number of such a chunk is 1 plus
   the bytes of cells up to its end. Each chunk ends with a checksum that is
   seeded with the chunk's number. All numbers are little-endian.

   A filter that came from RedisBloom and to which nothing was added is dumped
   in RedisBloom's format. That has the same chunk numbers and the same layout
   of cells, but a head of its own and no checksums. */
#include "filter.h"

enum { HEAD = 12, LINK = 24 + IMAGE_HEADER, CHECKSUM = 8, CHUNK = 16 << 20 };

static void dump_head(const chain *c, unsigned char *to)
{
    const chain_link *l = c->link;
    memcpy(to, "BLC\2", 4);
    store(to + 4, c->expansion, 4);
    store(to + 8, c->links, 4);
    for (to += HEAD; l < c->link + c->links; l++, to += LINK) {
        store(to, l->capacity, 8);
        store(to + 8, l->items, 8);
        store(to + 16, bits_of(l->rate), 8);
        memcpy(to + 24, l->image, IMAGE_HEADER);
    }
}

/* The position of a dump in its chain: the number of the last chunk, and the
   spot where that chunk ended. Before the first chunk and after the last one
   the number is 0. */
typedef struct walk {
    const chain *chain;
    uint64_t number;
    spot at;
} walk;

static walk walk_from(const chain *c, uint64_t number)
{
    walk w = { c, number, { 0, 0 } };
    if (number > 0)
        w.at = spot_of(c, number - 1);
    return w;
}

/* The loaded bytes of cells from the spot to the end of its link */
static uint64_t bytes_from(const chain *c, spot s)
{
    return s.link == c->links ? 0 : bytes_there(c, s.link) - s.inside;
}

/* Returns the next chunk, which the caller frees; NULL after the last one. */
static unsigned char *next_chunk(walk *w, size_t *size)
{
    const chain *c = w->chain;
    uint64_t n = bytes_from(c, w->at);
    unsigned char *chunk;
    *size = 0;
    if (w->number == 0)
        n = c->theirs ? THEIR_HEAD + (uint64_t)c->links * THEIR_LINK
                      : HEAD + (uint64_t)c->links * LINK;
    n = n < CHUNK || w->number == 0 ? n : CHUNK;
    if (n == 0) {
        w->number = 0;
        return NULL;
    }
    chunk = RedisModule_Alloc((size_t)n + CHECKSUM);
    if (w->number == 0) {
        (c->theirs ? their_head : dump_head)(c, chunk);
        w->number = 1;
    } else {
        memcpy(chunk, c->link[w->at.link].image + IMAGE_HEADER + w->at.inside,
               (size_t)n);
        advance(c, &w->at, n);
        w->number += n;
    }
    store(chunk + n, checksum(chunk, (size_t)n, w->number), CHECKSUM);
    *size = (size_t)n + (c->theirs ? 0 : CHECKSUM);
    return chunk;
}

/* ---- Loading: the data is untrusted, so everything is checked ------------ */

static bool sound(const unsigned char *chunk, size_t size, uint64_t number)
{
    return size > CHECKSUM && load(chunk + size - CHECKSUM, CHECKSUM)
                              == checksum(chunk, size - CHECKSUM, number);
}

/* A lower bound of a plan's rate after so many items, cheap to compute. The
   share of set cells is 1 - exp(-x), which is more than x / (1 + x/2 + x^2/12).
   */
static double least_rate(bloom_plan plan, uint64_t items)
{
    double x = plan.hashes * (double)items / (double)plan.cells, rate = 1;
    double fill = x > 3 ? 0.95 : x / (1 + x / 2 + x * x / 12);
    int i;
    for (i = 0; i < plan.hashes; i++)
        rate *= fill;
    return rate;
}

static bool header_sound(const chain_link *l)
{
    const bloom *b = bloom_view(l->image, SIZE_MAX, NULL);
    bloom_plan plan;
    if (!b)
        return their_header_sound(l);
    plan = bloom_plan_of(b);
    return plan.layout == BLOOM_CLASSIC && plan.seed == 0
        && plan.hash_bits == 64 && load(l->image + 24, 8) == 0
        && l->capacity >= 1 && l->capacity <= MOST_ITEMS
        && l->items <= l->capacity && l->rate > 0 && l->rate <= MOST_RATE
        && least_rate(plan, l->capacity) <= l->rate * 1.0001;
}

static const char *load_our_head(const unsigned char *p, size_t size,
                                 chain **loaded)
{
    uint64_t links = load(p + 8, 4);
    size_t i;
    if (links == 0 || load(p + 4, 4) > MOST_EXPANSION
        || size != HEAD + links * LINK + CHECKSUM)
        return BAD_DATA;
    *loaded = new_chain(load(p + 4, 4));
    for (i = 0, p += HEAD; i < links; i++, p += LINK) {
        chain_link l = { new_image(NULL, p + 24, 0), load(p, 8), load(p + 8, 8),
                         load_double(p + 16) };
        insert_link(*loaded, i, l);
        if (!header_sound(&l))
            return BAD_DATA;
    }
    return NULL;
}

/* Makes a chain of headers only. Memory for the cells is reserved as they
   arrive. */
static const char *load_head(RedisModuleCtx *ctx, const unsigned char *chunk,
                             size_t size, chain **loaded)
{
    bool ours = size >= HEAD + CHECKSUM && memcmp(chunk, "BLC\2", 4) == 0
             && sound(chunk, size, 1);
    uint64_t all = 0;
    const char *error;
    *loaded = NULL;
    error = (ours ? load_our_head : load_their_head)(chunk, size, loaded);
    if (!error && (*loaded)->links > MOST_FILTERS && !follows(ctx))
        error = BAD_DATA;
    if (!error) {
        all = all_cell_bytes(*loaded);
        error = all >= LARGE && all > room(ctx) ? NO_MEMORY : NULL;
    }
    if (!error && await(*loaded, all))
        return NULL;
    if (*loaded)
        free_chain(*loaded);
    *loaded = NULL;
    return error;
}

/* Returns whether all bits of a chunk are set already. Then the chunk was
   loaded before, and items may have been added since. */
static bool has(const chain *c, uint64_t offset, const unsigned char *chunk,
                size_t n)
{
    spot s = spot_of(c, offset);
    return n <= bytes_from(c, s)
        && within(chunk, c->link[s.link].image + IMAGE_HEADER + s.inside, n);
}

/* Reserves memory for the cells up to `end` of the link that is being loaded:
   for all of its cells, for 1/16 of them, for 1/256 and so on. So a head from
   an untrusted source reserves less than 16 times the bytes received, or less
   than 1 MB, and the last copy moves at most 1/16 of the cells. */
static const char *reserve_cells(RedisModuleCtx *ctx, chain *c, uint64_t end)
{
    pending *p = c->pending;
    chain_link *l = &c->link[p->at.link];
    uint64_t size = cell_bytes(l->image);
    unsigned char *image;
    if (end <= p->reserved)
        return NULL;
    while (size >= LARGE && size / 16 >= end)
        size /= 16;
    image = new_image(ctx, l->image, size);
    if (!image)
        return NO_MEMORY;
    memcpy(image, l->image, (size_t)p->at.inside + IMAGE_HEADER);
    RedisModule_Free(l->image);
    l->image = image;
    p->reserved = size;
    return NULL;
}

/* Appends a chunk to the link that is being loaded. */
static const char *load_next(RedisModuleCtx *ctx, chain *c,
                             const unsigned char *chunk, size_t n)
{
    pending *p = c->pending;
    const char *error = reserve_cells(ctx, c, p->at.inside + n);
    if (error)
        return error;
    memcpy(c->link[p->at.link].image + IMAGE_HEADER + p->at.inside, chunk, n);
    advance(c, &p->at, n);
    p->loaded += n;
    p->missing -= n;
    if (p->at.inside == 0)
        p->reserved = 0;
    if (p->missing == 0) {
        RedisModule_Free(p);
        c->pending = NULL;
    }
    return NULL;
}

static const char *load_cells(RedisModuleCtx *ctx, chain *c, uint64_t number,
                              const unsigned char *chunk, size_t size)
{
    uint64_t loaded = c->pending ? c->pending->loaded : all_cell_bytes(c);
    size_t n = c->theirs ? size : size - CHECKSUM;
    uint64_t offset = number - 1 - n;
    if ((!c->theirs && !sound(chunk, size, number)) || n == 0 || number <= n)
        return BAD_DATA;
    if (offset < loaded)
        return has(c, offset, chunk, n) ? NULL : BAD_DATA;
    if (!c->pending || offset > loaded)
        return c->theirs ? "ERR invalid offset - no link found" : BAD_DATA;
    if (n > cell_bytes(c->link[c->pending->at.link].image)
            - c->pending->at.inside)
        return c->theirs ? "ERR invalid chunk - Too big for current filter"
                         : BAD_DATA;
    return load_next(ctx, c, chunk, n);
}
