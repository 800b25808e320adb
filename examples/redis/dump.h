/* Dumps. Chunk 1 is the head: "BLC" and the version, 1; EXPANSION and number of
   links, 4 bytes each; for each link capacity, items and rate (a double), 8
   bytes each, and the header of its image. The others hold the cells of all
   links, in order; a chunk's number is 1 + the bytes of cells up to its end.
   Each chunk ends with a checksum, seeded with its number. Little-endian.
   What came from RedisBloom, and got nothing added, is dumped as RedisBloom
   does: numbers and cells alike, but its own head, and no checksums. */
#include "filter.h"

enum { HEAD = 12, LINK = 24 + IMAGE_HEADER, CHECKSUM = 8, CHUNK = 16 << 20 };

static uint64_t checksum(const void *bytes, size_t size, uint64_t number)
{
    unsigned char seeded[sizeof smallest];
    memcpy(seeded, smallest, sizeof seeded);
    store(seeded + 16, number, 8);
    return bloom_hash_key((const bloom *)seeded, bytes, size).h1;
}

static void dump_head(const chain *c, unsigned char *to)
{
    const chain_link *l = c->link;
    memcpy(to, "BLC\1", 4);
    store(to + 4, c->expansion, 4);
    store(to + 8, c->links, 4);
    for (to += HEAD; l < c->link + c->links; l++, to += LINK) {
        store(to, l->capacity, 8);
        store(to + 8, l->items, 8);
        store(to + 16, bits_of(l->rate), 8);
        memcpy(to + 24, l->image, IMAGE_HEADER);
    }
}

/* The cells at an offset, and how many bytes of them are in that link. */
static unsigned char *cells_at(const chain *c, uint64_t offset, uint64_t *bytes)
{
    const chain_link *l;
    for (l = c->link; l < c->link + c->links; l++, offset -= *bytes) {
        *bytes = cell_bytes(l->image);
        if (offset < *bytes) {
            *bytes -= offset;
            return l->image + IMAGE_HEADER + offset;
        }
    }
    return NULL;
}

/* The chunk that follows chunk *number, to be freed; *number becomes its own.
   After the last one, and for what is no number: NULL, and *number 0. */
static unsigned char *dump(const chain *c, uint64_t *number, size_t *size)
{
    uint64_t offset = *number - 1, n = 0;
    uint64_t there = c->pending ? c->pending->loaded : all_cell_bytes(c);
    unsigned char *chunk, *cells = NULL;
    *size = 0;
    if (*number == 0) {
        n = c->theirs ? THEIR_HEAD + (uint64_t)c->links * THEIR_LINK
                      : HEAD + (uint64_t)c->links * LINK;
        *number = 1;
    } else if (offset < there) {
        cells = cells_at(c, offset, &n);
        n = n < there - offset ? n : there - offset;
        n = n < CHUNK ? n : CHUNK;
        *number += n;
    } else {
        *number = 0;
        return NULL;
    }
    chunk = RedisModule_Alloc((size_t)n + CHECKSUM);
    if (cells)
        memcpy(chunk, cells, (size_t)n);
    else
        (c->theirs ? their_head : dump_head)(c, chunk);
    store(chunk + n, checksum(chunk, (size_t)n, *number), CHECKSUM);
    *size = (size_t)n + (c->theirs ? 0 : CHECKSUM);
    return chunk;
}

/* ---- Loading: from a stranger, nothing is believed ----------------------- */

static bool sound(const unsigned char *chunk, size_t size, uint64_t number)
{
    return size > CHECKSUM && load(chunk + size - CHECKSUM, CHECKSUM)
                              == checksum(chunk, size - CHECKSUM, number);
}

/* A rate that a plan surely has after so many items, cheaply: 1 - exp(-x), the
   part of the cells that are set, is more than x / (1 + x/2 + x^2/12). */
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
    if (links == 0 || size != HEAD + links * LINK + CHECKSUM)
        return BAD_DATA;
    *loaded = new_chain(load(p + 4, 4));
    for (i = 0, p += HEAD; i < links; i++, p += LINK) {
        chain_link l = { new_image(p + 24, 0), load(p, 8), load(p + 8, 8),
                         load_double(p + 16) };
        insert_link(*loaded, i, l);
        if (!header_sound(&l))
            return BAD_DATA;
    }
    return NULL;
}

/* Headers only: no memory is taken until the cells come. */
static const char *load_head(RedisModuleCtx *ctx, const unsigned char *chunk,
                             size_t size, chain **loaded)
{
    bool ours = size >= HEAD + CHECKSUM && memcmp(chunk, "BLC\1", 4) == 0
             && sound(chunk, size, 1);
    uint64_t left = UINT64_MAX;
    const char *error;
    size_t i;
    *loaded = NULL;
    error = (ours ? load_our_head : load_their_head)(chunk, size, loaded);
    for (i = 0; !error && i < (*loaded)->links; i++) {
        uint64_t bytes = cell_bytes((*loaded)->link[i].image);
        if (bytes >= LARGE && left > SIZE_MAX / 2)
            left = most_memory(ctx);
        if (bytes > left)
            error = NO_MEMORY;
        left -= bytes;
    }
    if (!error && await(*loaded, all_cell_bytes(*loaded)))
        return NULL;
    if (*loaded)
        free_chain(*loaded);
    *loaded = NULL;
    return error;
}

/* Into the link whose turn it is */
static const char *load_cells(chain *c, uint64_t number,
                              const unsigned char *chunk, size_t size)
{
    pending *p = c->pending;
    chain_link *l = p ? &c->link[p->link] : NULL;
    size_t n = c->theirs ? size : size - CHECKSUM;
    unsigned char *image;
    if (!c->theirs && !sound(chunk, size, number))
        return BAD_DATA;
    if (!p || n == 0 || number != 1 + p->loaded + n)
        return c->theirs ? "ERR invalid offset - no link found" : BAD_DATA;
    if (n > cell_bytes(l->image) - p->inside)
        return c->theirs ? "ERR invalid chunk - Too big for current filter"
                         : BAD_DATA;
    if (p->inside == 0) {
        image = new_image(l->image, cell_bytes(l->image));
        if (!image)
            return NO_MEMORY;
        RedisModule_Free(l->image);
        l->image = image;
    }
    memcpy(l->image + IMAGE_HEADER + p->inside, chunk, n);
    p->inside += n;
    p->loaded += n;
    p->missing -= n;
    if (p->inside == cell_bytes(l->image)) {
        p->inside = 0;
        p->link++;
    }
    if (p->missing == 0) {
        RedisModule_Free(p);
        c->pending = NULL;
    }
    return NULL;
}
