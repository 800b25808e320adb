/* The value of a key: a chain of filters, called links. New items go into the
   last link. When that is full, the chain gets another link with EXPANSION
   times its capacity and half its rate, so that all links together keep the
   rate `error`. Without it, a key could not grow, as a filter of bloom.h has a
   fixed size.
   bloom_chain.h is not used here, because it always doubles the capacity and
   divides the rate differently. Users of Redis know RedisBloom's numbers. */
#include "value.h"

#define MOST_ITEMS (1ULL << 48)         /* in one filter */
#define MOST_EXPANSION 32768            /* higher ones in RedisBloom's data
                                           count as this one */
#define MOST_FILTERS 1075               /* after so many, RedisBloom's rate,
                                           halved each time, is 0 */
#define MOST_GROWTH 536866816           /* bytes that one add may reserve:
                                           512 MB less 4 KB, so that allocators
                                           need no larger size class */
#define IMAGE_HEADER 32                 /* bytes before the cells */
#define NO_GROWTH "ERR problem inserting into filter"

/* An image is either one of bloom.h, classic, with seed 0 and width 64, or the
   cells of RedisBloom after the header that redisbloom.h describes. Its kind
   is the hash that it uses. While a dump is loaded, images whose cells have
   not arrived consist of the header only. */
enum { OURS, WIDE, NARROW, KINDS };

typedef struct chain_link {
    unsigned char *image;
    uint64_t capacity, items;           /* planned items; items in it */
    double rate;                        /* when it holds `capacity` items */
} chain_link;

typedef struct spot {                   /* a position in the cells of a chain */
    size_t link;
    uint64_t inside;                    /* bytes from the link's first cell */
} spot;

typedef struct pending {                /* the progress of loading a dump */
    uint64_t loaded, missing;           /* bytes of cells */
    uint64_t reserved;                  /* bytes of cells for which the image
                                           that is being loaded has memory */
    spot at;                            /* end of the loaded cells */
} pending;

typedef struct chain {
    chain_link *link;                   /* at least one; normally each has a
                                           lower rate than the one before */
    pending *pending;                   /* NULL: completely loaded */
    uint64_t beyond;                    /* items beyond the capacity; see add
                                           in filter.h */
    uint32_t links, expansion;          /* expansion 0: NONSCALING */
    uint32_t growth;                    /* the expansion in RedisBloom's data
                                           */
    uint8_t options;                    /* from RedisBloom's data */
    uint8_t theirs;                     /* 1: save it in RedisBloom's format */
    uint8_t kinds;                      /* bit 1 << kind of each image */
} chain;

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

static double load_double(const unsigned char *p)
{
    uint64_t bits = load(p, 8);
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static int kind(const unsigned char *image)
{
    return image[0] == 'B' ? OURS : image[2] == 64 ? WIDE : NARROW;
}

static uint64_t cell_bytes(const unsigned char *image)
{
    return kind(image) == OURS ? load(image + 8, 8) / 8 : load(image + 16, 8);
}

/* UINT64_MAX if the heads add up to more than that */
static uint64_t all_cell_bytes(const chain *c)
{
    uint64_t all = 0, bytes;
    size_t i;
    for (i = 0; i < c->links; i++) {
        bytes = cell_bytes(c->link[i].image);
        all = bytes < UINT64_MAX - all ? all + bytes : UINT64_MAX;
    }
    return all;
}

/* The size of the key that BF.INFO shows, by RedisBloom's formula */
static uint64_t key_bytes(const chain *c)
{
    return 32 + 64 * (uint64_t)c->links + all_cell_bytes(c);
}

/* For an offset past the last byte, `link` is the number of links. */
static spot spot_of(const chain *c, uint64_t offset)
{
    spot s = { 0, offset };
    uint64_t bytes;
    while (s.link < c->links
           && s.inside >= (bytes = cell_bytes(c->link[s.link].image))) {
        s.inside -= bytes;
        s.link++;
    }
    return s;
}

/* Moves the spot forward by bytes that lie within its link. */
static void advance(const chain *c, spot *s, uint64_t bytes)
{
    s->inside += bytes;
    if (s->inside == cell_bytes(c->link[s->link].image)) {
        s->inside = 0;
        s->link++;
    }
}

/* The bytes of a link's cells that were loaded; its image has memory for at
   least these. */
static uint64_t bytes_there(const chain *c, size_t i)
{
    const pending *p = c->pending;
    return !p || i < p->at.link ? cell_bytes(c->link[i].image)
         : i == p->at.link ? p->at.inside : 0;
}

/* ---- Memory -------------------------------------------------------------- */

static void free_chain(void *value)
{
    chain *c = value;
    while (c->links > 0)
        RedisModule_Free(c->link[--c->links].image);
    RedisModule_Free(c->link);
    RedisModule_Free(c->pending);
    RedisModule_Free(c);
}

static chain *new_chain(uint64_t expansion)
{
    chain *c = RedisModule_Calloc(1, sizeof *c);
    c->expansion = (uint32_t)(expansion < MOST_EXPANSION ? expansion
                                                         : MOST_EXPANSION);
    return c;
}

static void insert_link(chain *c, size_t at, chain_link l)
{
    c->link = RedisModule_Realloc(c->link, (c->links + 1) * sizeof l);
    memmove(c->link + at + 1, c->link + at, (c->links++ - at) * sizeof l);
    c->link[at] = l;
    c->kinds |= (uint8_t)(1 << kind(l.image));
}

/* Makes an image with this header and cells of 0. Returns NULL if memory is
   short. */
static unsigned char *new_image(RedisModuleCtx *ctx,
                                const unsigned char *header, uint64_t bytes)
{
    unsigned char *image = bytes < SIZE_MAX / 2
                         ? new_block(ctx, bytes + IMAGE_HEADER) : NULL;
    return image ? memcpy(image, header, IMAGE_HEADER) : NULL;
}

/* Copies the header and the first `bytes` of the cells. */
static unsigned char *copy_image(RedisModuleCtx *ctx,
                                 const unsigned char *from, uint64_t bytes)
{
    unsigned char *image = new_image(ctx, from, bytes);
    if (image)
        memcpy(image, from, (size_t)bytes + IMAGE_HEADER);
    return image;
}

/* Notes that the last `missing` bytes of the cells are still to be loaded.
   Returns false if the chain has fewer. */
static bool await(chain *c, uint64_t missing)
{
    uint64_t all = all_cell_bytes(c);
    if (missing == 0 || missing > all)
        return missing == 0;
    c->pending = RedisModule_Calloc(1, sizeof *c->pending);
    c->pending->missing = missing;
    c->pending->loaded = all - missing;
    c->pending->at = spot_of(c, all - missing);
    c->pending->reserved = c->pending->at.inside;
    return true;
}

/* ---- Growing ------------------------------------------------------------- */

/* The items for which a NONSCALING filter has room beyond its capacity. Items
   that are false positives when they come are not counted. So more items come
   than the capacity until the filter is full, but fewer than these more. */
static uint64_t spare(uint64_t capacity, double rate)
{
    return (uint64_t)((double)capacity * rate) + (capacity < 8 ? capacity : 8);
}

/* Appends an empty link. Returns NULL or the error message, like all functions
   below that return a const char *. If a chain that grows would need more than
   MOST_GROWTH bytes, the new link gets a smaller capacity. Settings do not
   change the new link: a replica, which may have others, makes the same one. */
static const char *append(RedisModuleCtx *ctx, chain *c, uint64_t capacity,
                          double rate)
{
    double least = rate > LEAST_RATE ? rate : LEAST_RATE;
    bloom_plan plan = bloom_plan_for(
        c->expansion ? capacity : capacity + spare(capacity, least), least);
    unsigned char header[IMAGE_HEADER] = "BLM\2\0\100";
    chain_link l = { NULL, capacity, 0, least };
    size_t size = bloom_plan_size(plan);
    if (c->links > 0 && size > MOST_GROWTH) {
        l.capacity = (uint64_t)((double)capacity / (double)size * MOST_GROWTH);
        plan = bloom_plan_for(l.capacity, least);
        size = bloom_plan_size(plan);
    }
    if (size == 0 || capacity > MOST_ITEMS)
        return "ERR could not create filter";
    header[6] = plan.hashes;
    store(header + 8, plan.cells, 8);
    l.image = new_image(ctx, header, plan.cells / 8);
    if (!l.image)
        return c->links > 0 ? NO_GROWTH NO_ROOM : NO_MEMORY;
    insert_link(c, c->links, l);
    return NULL;
}
