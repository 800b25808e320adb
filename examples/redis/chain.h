/* What a key of module.c holds: a chain of filters, of which the last one takes
   the items. When it is full the next one has EXPANSION times its capacity and
   half its rate, so that all together keep `error`. (bloom.h's own chain always
   doubles, cannot be kept from doing so, and knows after a restart only by
   estimate how full it is; so a replica would come to differ. Hence plain
   filters here, planned by the same rule.) */
#include "redismodule.h"
#define BLOOM_STATIC
#define BLOOM_MALLOC(size) RedisModule_TryAlloc(size)   /* counted by Redis */
#define BLOOM_FREE(pointer) RedisModule_Free(pointer)
#include "bloom.h"
#include <string.h>

#define MOST_ITEMS (1ULL << 48)         /* in one filter */
#define MOST_EXPANSION 32768
#define MOST_RATE 0.25                  /* more is taken as that */
#define LEAST_RATE 1e-18                /* not halved again; sums stay tiny */
#define IMAGE_HEADER 32                 /* bytes before the cells */
#define NO_MEMORY "ERR Insufficient memory to create filter"
#define BAD_DATA "ERR received bad data"

typedef struct chain_link {
    bloom *filter;                      /* all: classic, seed 0, width 64 */
    uint64_t capacity, items;           /* that it is planned for; in it */
    double rate;                        /* at its capacity */
} chain_link;

typedef struct chain {
    chain_link *link;                   /* 1 or more; falling rates */
    size_t links;
    uint64_t expansion;                 /* 0: NONSCALING */
    uint64_t missing;                   /* bytes of cells not loaded yet */
} chain;

static void free_chain(void *value)
{
    chain *c = value;
    while (c->links > 0)
        bloom_free(c->link[--c->links].filter);
    RedisModule_Free(c->link);
    RedisModule_Free(c);
}

static chain *new_chain(uint64_t expansion)
{
    chain *c = RedisModule_Calloc(1, sizeof *c);
    c->expansion = expansion;
    return c;
}

static void insert_link(chain *c, size_t at, chain_link l)
{
    c->link = RedisModule_Realloc(c->link, (c->links + 1) * sizeof l);
    memmove(c->link + at + 1, c->link + at, (c->links++ - at) * sizeof l);
    c->link[at] = l;
}

static uint64_t cell_bytes(const chain *c)
{
    uint64_t bytes = 0;
    size_t i;
    for (i = 0; i < c->links; i++)
        bytes += bloom_size(c->link[i].filter) - IMAGE_HEADER;
    return bytes;
}

/* NULL if memory is short, or if the filter alone were more than maxmemory. A
   replica, and a server that loads its file, have no choice. */
static bloom *new_filter(RedisModuleCtx *ctx, bloom_plan plan)
{
    const int follow = REDISMODULE_CTX_FLAGS_SLAVE
                     | REDISMODULE_CTX_FLAGS_LOADING;
    RedisModuleServerInfoData *info;
    unsigned long long most = 0;
    size_t size = bloom_plan_size(plan);
    if (size >> 20 > 0 && !(RedisModule_GetContextFlags(ctx) & follow)) {
        info = RedisModule_GetServerInfo(ctx, "memory");
        most = RedisModule_ServerInfoGetFieldUnsigned(info, "maxmemory", NULL);
        RedisModule_FreeServerInfo(ctx, info);
    }
    return most == 0 || size <= most ? bloom_create(plan) : NULL;
}

/* Returns NULL or the error; so do others below. */
static const char *append(RedisModuleCtx *ctx, chain *c, uint64_t capacity,
                          double rate)
{
    bloom_plan plan = bloom_plan_for(capacity, rate);
    chain_link l = { NULL, capacity, 0, rate };
    if (bloom_plan_size(plan) == 0)
        return "ERR could not create filter";
    l.filter = new_filter(ctx, plan);
    if (!l.filter)
        return NO_MEMORY;
    insert_link(c, c->links, l);
    return NULL;
}

static bool may_contain(const chain *c, bloom_hash h)
{
    size_t i = c->links;
    while (i-- > 0)
        if (bloom_may_contain_hash(c->link[i].filter, h))
            return true;
    return false;
}

enum { OLD, NEW, FULL, FAILED };

static int add(RedisModuleCtx *ctx, chain *c, bloom_hash h)
{
    chain_link *last = &c->link[c->links - 1];
    double rate = last->rate > LEAST_RATE ? last->rate / 2 : last->rate;
    if (may_contain(c, h))
        return OLD;
    if (last->items >= last->capacity) {
        if (c->expansion == 0)
            return FULL;
        if (last->capacity > MOST_ITEMS / c->expansion
            || append(ctx, c, last->capacity * c->expansion, rate))
            return FAILED;
        last = &c->link[c->links - 1];
    }
    bloom_add_hash(last->filter, h);
    last->items++;
    return NEW;
}

/* ---- Union --------------------------------------------------------------- */

static bloom *copy_filter(const bloom *b)
{
    bloom *copy = bloom_create(bloom_plan_of(b));
    if (copy)
        memcpy(copy, b, bloom_size(b));
    return copy;
}

/* In one filter, if that keeps its rate: because its capacity is enough for
   all items, or because they have many in common. */
static bool unite(chain_link *into, const chain_link *from)
{
    double now = bloom_fpr(into->filter);
    bloom *both = copy_filter(into->filter);
    uint64_t items;
    if (!both || !bloom_merge(both, from->filter)
        || (into->items + from->items > into->capacity
            && bloom_fpr(both) > (now > into->rate ? now : into->rate))) {
        bloom_free(both);
        return false;
    }
    bloom_free(into->filter);
    into->filter = both;
    items = bloom_estimate(both);
    items = items < into->capacity ? items : into->capacity;
    into->items = items > into->items ? items : into->items;
    return true;
}

static const char *absorb_link(chain *into, chain_link l)
{
    size_t at = into->links, i;
    chain_link *x = into->link;
    for (i = 0; i < into->links; i++, x++)
        if (x->capacity == l.capacity && x->rate == l.rate && unite(x, &l))
            return NULL;
    if (into->links > 0 && into->expansion == 0)
        return "ERR non scaling filter is full";
    l.filter = copy_filter(l.filter);
    if (!l.filter)
        return NO_MEMORY;
    for (; at > 0; at--) {              /* the one with most room goes last */
        x = &into->link[at - 1];
        if (x->rate > l.rate || (x->rate == l.rate && x->items >= l.items))
            break;
    }
    insert_link(into, at, l);
    return NULL;
}

/* A chain without links becomes a copy. On an error it is no use any more. */
static const char *absorb(chain *into, const chain *from)
{
    const char *error = NULL;
    size_t i;
    if (into->links == 0)
        into->expansion = from->expansion;
    else if (!into->expansion != !from->expansion
             || into->link->rate != from->link->rate
             || (!into->expansion
                 && into->link->capacity != from->link->capacity))
        return "ERR filters to merge need the same error rate, and all or none "
               "to be NONSCALING, then of the same capacity";
    for (i = 0; i < from->links && !error; i++)
        if (from->link[i].items > 0 || into->links == 0)
            error = absorb_link(into, from->link[i]);
    return error;
}

/* ---- Dumps ------------------------------------------------------------------
   Chunk 1 is the head: "BLC" and the version, 1; EXPANSION and the number of
   links, 4 bytes each; for each link capacity, items and rate (a double), 8
   bytes each, and the header of its image. The others hold the cells of all
   links, in order; a chunk's number is 1 + the bytes of cells up to its end.
   Each chunk ends with a checksum, seeded with its number. Little-endian. */

enum { HEAD = 12, LINK = 24 + IMAGE_HEADER, CHECKSUM = 8, CHUNK = 16 << 20 };

static void store(unsigned char *to, uint64_t x, int bytes)
{
    for (; bytes-- > 0; x >>= 8)
        *to++ = (unsigned char)(x & 255);
}

static uint64_t load(const unsigned char *p, int bytes)
{
    uint64_t x = 0;
    while (bytes-- > 0)
        x = x << 8 | p[bytes];
    return x;
}

static uint64_t checksum(const void *bytes, size_t size, uint64_t number)
{
    unsigned char memory[IMAGE_HEADER + 8];
    bloom_plan plan = { 64, number, 1, BLOOM_CLASSIC, 64 };
    const bloom *hasher = bloom_init(memory, sizeof memory, plan);
    return bloom_hash_key(hasher, bytes, size).h1;
}

static void dump_head(const chain *c, unsigned char *to)
{
    const chain_link *l = c->link;
    uint64_t rate;
    memcpy(to, "BLC\1", 4);
    store(to + 4, c->expansion, 4);
    store(to + 8, c->links, 4);
    for (to += HEAD; l < c->link + c->links; l++, to += LINK) {
        memcpy(&rate, &l->rate, 8);
        store(to, l->capacity, 8);
        store(to + 8, l->items, 8);
        store(to + 16, rate, 8);
        memcpy(to + 24, l->filter, IMAGE_HEADER);
    }
}

/* The cells at an offset, and how many bytes of them are in that link. */
static unsigned char *cells_at(const chain *c, uint64_t offset, uint64_t *bytes)
{
    const chain_link *l;
    for (l = c->link; l < c->link + c->links; l++, offset -= *bytes) {
        *bytes = bloom_size(l->filter) - IMAGE_HEADER;
        if (offset < *bytes) {
            *bytes -= offset;
            return (unsigned char *)l->filter + IMAGE_HEADER + offset;
        }
    }
    return NULL;
}

/* The chunk that follows chunk *number, to be freed; *number becomes its own.
   After the last one, and for what is no number: NULL, and *number 0. */
static unsigned char *dump(const chain *c, uint64_t *number, size_t *size)
{
    uint64_t offset = *number - 1, there = cell_bytes(c) - c->missing;
    uint64_t n = HEAD + c->links * LINK;
    unsigned char *chunk, *cells = NULL;
    *size = 0;
    if (*number == 0) {
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
        dump_head(c, chunk);
    store(chunk + n, checksum(chunk, (size_t)n, *number), CHECKSUM);
    *size = (size_t)n + CHECKSUM;
    return chunk;
}

static bool sound(const unsigned char *chunk, size_t size, uint64_t number)
{
    return size > CHECKSUM && load(chunk + size - CHECKSUM, CHECKSUM)
                              == checksum(chunk, size - CHECKSUM, number);
}

/* A link must be one that could have been planned: its rate kept, in not much
   more memory than that takes. */
static const char *load_link(RedisModuleCtx *ctx, chain *c,
                             const unsigned char *p)
{
    chain_link l = { NULL, load(p, 8), load(p + 8, 8), 0 };
    const bloom *header = bloom_view(p + 24, SIZE_MAX, NULL);
    uint64_t rate = load(p + 16, 8);
    bloom_plan plan;
    memcpy(&l.rate, &rate, 8);
    if (!header || l.capacity < 1 || l.capacity > MOST_ITEMS
        || l.items > l.capacity || !(l.rate > 0 && l.rate <= MOST_RATE))
        return BAD_DATA;
    plan = bloom_plan_of(header);
    if (plan.layout != BLOOM_CLASSIC || plan.seed != 0 || plan.hash_bits != 64
        || plan.cells / 2 > bloom_plan_for(l.capacity, l.rate).cells
        || bloom_plan_fpr(plan, l.capacity) > l.rate * 1.1)
        return BAD_DATA;
    l.filter = new_filter(ctx, plan);
    if (!l.filter)
        return NO_MEMORY;
    insert_link(c, c->links, l);
    return NULL;
}

/* From a stranger: nothing is believed. */
static const char *load_head(RedisModuleCtx *ctx, const unsigned char *chunk,
                             size_t size, chain **loaded)
{
    uint64_t links = size >= HEAD + CHECKSUM ? load(chunk + 8, 4) : 0;
    const char *error = NULL;
    chain *c;
    *loaded = NULL;
    if (links == 0 || size != HEAD + links * LINK + CHECKSUM
        || !sound(chunk, size, 1) || memcmp(chunk, "BLC\1", 4) != 0
        || load(chunk + 4, 4) > MOST_EXPANSION
        || (load(chunk + 4, 4) == 0 && links > 1))
        return BAD_DATA;
    c = new_chain(load(chunk + 4, 4));
    for (chunk += HEAD; c->links < links && !error; chunk += LINK)
        error = load_link(ctx, c, chunk);
    c->missing = cell_bytes(c);
    if (error)
        free_chain(c);
    else
        *loaded = c;
    return error;
}

static const char *load_cells(chain *c, uint64_t number,
                              const unsigned char *chunk, size_t size)
{
    uint64_t start = cell_bytes(c) - c->missing, room = 0;
    unsigned char *cells = cells_at(c, start, &room);
    if (!cells || !sound(chunk, size, number) || room < size - CHECKSUM
        || number != 1 + start + size - CHECKSUM)
        return BAD_DATA;
    memcpy(cells, chunk, size - CHECKSUM);
    c->missing -= size - CHECKSUM;
    return NULL;
}
