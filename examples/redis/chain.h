/* The value of a key of module.c: a chain of filters, of which the last one
   takes the items. When it is full, the next one has EXPANSION times its
   capacity and half its rate, so that all together keep `error`.
   (bloom_chain.h always doubles and shares out the rate in its own way. People
   know RedisBloom's numbers, so this chain is made of plain filters.) */
#include "redismodule.h"
#define BLOOM_STATIC
#define BLOOM_NO_MALLOC                 /* Redis counts the memory */
#include "bloom.h"
#include <string.h>

#define MOST_ITEMS (1ULL << 48)         /* in one filter */
#define MOST_CAPACITY (1 << 30)        /* that can be asked for */
#define MOST_EXPANSION 32768
#define MOST_FILTERS 1075               /* RedisBloom's rates end there, at 0 */
#define MOST_GROWTH 536866816           /* bytes that an add reserves: 512 MB,
                                           and yet one size of an allocator's */
#define MOST_RATE 0.25                  /* more is taken as that */
#define LEAST_RATE 5e-19                /* less, too: a hash has 64 bits */
#define IMAGE_HEADER 32                 /* bytes before the cells */
#define LARGE ((size_t)1 << 20)         /* bytes that may be too many */
#define NO_MEMORY "ERR Insufficient memory to create filter"
#define BAD_DATA "ERR received bad data"

/* An image is one of bloom.h's, classic, seed 0, width 64; or RedisBloom's
   cells after a header that redisbloom.h describes. The kind says by which
   hash it is asked. While a dump is loaded images whose turn has not come are
   a header only. */
enum { OURS, WIDE, NARROW, KINDS };

typedef struct chain_link {
    unsigned char *image;
    uint64_t capacity, items;           /* that it is planned for; in it */
    double rate;                        /* at its capacity */
} chain_link;

typedef struct spot {                   /* a byte of all the cells of a chain */
    size_t link;
    uint64_t inside;
} spot;

typedef struct pending {                /* where loading stands */
    uint64_t loaded, missing;           /* bytes of cells */
    uint64_t reserved;                  /* in the link that is being loaded */
    spot at;
} pending;

typedef struct chain {
    chain_link *link;                   /* 1 or more; falling rates */
    pending *pending;                   /* NULL: all is there */
    uint32_t links, expansion;          /* expansion 0: NONSCALING */
    uint32_t growth;                    /* what RedisBloom called that */
    uint8_t options, theirs, kinds;     /* its; saved as it came; 1 << kind */
} chain;

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

/* UINT64_MAX if a head tells of more */
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

/* Past the last byte: link is the number of links. */
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

/* Forward, by bytes that are in one link */
static void advance(const chain *c, spot *s, uint64_t bytes)
{
    s->inside += bytes;
    if (s->inside == cell_bytes(c->link[s->link].image)) {
        s->inside = 0;
        s->link++;
    }
}

/* The bytes of cells of a link that have come; its image has room for them. */
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
    c->expansion = (uint32_t)expansion;
    return c;
}

static void insert_link(chain *c, size_t at, chain_link l)
{
    c->link = RedisModule_Realloc(c->link, (c->links + 1) * sizeof l);
    memmove(c->link + at + 1, c->link + at, (c->links++ - at) * sizeof l);
    c->link[at] = l;
    c->kinds |= (uint8_t)(1 << kind(l.image));
}

static unsigned long long told(RedisModuleServerInfoData *info,
                               const char *field)
{
    return RedisModule_ServerInfoGetFieldUnsigned(info, field, NULL);
}

/* A replica, and a server that loads its file, have no choice. */
static bool follows(RedisModuleCtx *ctx)
{
    return !ctx || RedisModule_GetContextFlags(ctx)
                   & (REDISMODULE_CTX_FLAGS_SLAVE
                      | REDISMODULE_CTX_FLAGS_LOADING);
}

/* The bytes that a new filter may take beside what there is, or under maxmemory
   in all where Redis evicts to make room */
static uint64_t room(RedisModuleCtx *ctx)
{
    RedisModuleServerInfoData *info;
    uint64_t most, used;
    const char *policy;
    if (follows(ctx))
        return SIZE_MAX / 2;
    info = RedisModule_GetServerInfo(ctx, "memory");
    most = told(info, "maxmemory");
    used = told(info, "used_memory") - told(info, "mem_not_counted_for_evict");
    policy = RedisModule_ServerInfoGetFieldC(info, "maxmemory_policy");
    if (most == 0)
        most = told(info, "total_system_memory");
    else if (policy && strcmp(policy, "noeviction") != 0)
        used = 0;
    RedisModule_FreeServerInfo(ctx, info);
    most = most > used ? most - used : 0;
    return most < SIZE_MAX / 2 ? most : SIZE_MAX / 2;
}

/* With this header, and cells of 0; NULL if memory is short. RedisModule_Calloc
   costs no time until the memory is used, but would end the server if there
   were none, hence the trial. */
static unsigned char *new_image(const unsigned char *header, uint64_t bytes)
{
    size_t size = (size_t)bytes + IMAGE_HEADER;
    void *trial = size >= LARGE ? RedisModule_TryAlloc(size) : NULL;
    unsigned char *image;
    if (bytes > SIZE_MAX / 2 || (size >= LARGE && !trial))
        return NULL;
    RedisModule_Free(trial);
    image = RedisModule_Calloc(1, size);
    memcpy(image, header, IMAGE_HEADER);
    return image;
}

/* With the first `bytes` of its cells */
static unsigned char *copy_image(const unsigned char *from, uint64_t bytes)
{
    unsigned char *image = new_image(from, bytes);
    if (image)
        memcpy(image, from, (size_t)bytes + IMAGE_HEADER);
    return image;
}

/* So many bytes of cells, the last ones, are to be loaded yet. */
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

/* ---- Planning ------------------------------------------------------------ */

/* Plans take time, and most filters of a server are alike. */
static bloom_plan plan_for(uint64_t capacity, double rate)
{
    static struct { uint64_t capacity; double rate; bloom_plan plan; }
        known[64];
    uint64_t mixed = (capacity ^ bits_of(rate)) * 0x9E3779B97F4A7C15U;
    size_t i = (size_t)(mixed >> 58);
    if (known[i].capacity != capacity || known[i].rate != rate) {
        known[i].capacity = capacity;
        known[i].rate = rate;
        known[i].plan = bloom_plan_for(capacity, rate);
    }
    return known[i].plan;
}

/* Returns NULL or the error; so do others below. What a chain grows by is for
   fewer items than asked for if these took too much memory. */
static const char *append(RedisModuleCtx *ctx, chain *c, uint64_t capacity,
                          double rate)
{
    double least = rate > LEAST_RATE ? rate : LEAST_RATE;
    bloom_plan plan = plan_for(capacity, least);
    unsigned char header[IMAGE_HEADER] = "BLM\2\0\100";
    chain_link l = { NULL, capacity, 0, least };
    size_t size = bloom_plan_size(plan);
    if (c->links > 0 && size > MOST_GROWTH) {
        l.capacity = (uint64_t)((double)capacity / (double)size * MOST_GROWTH);
        plan = plan_for(l.capacity, least);
        size = bloom_plan_size(plan);
    }
    if (size == 0)
        return "ERR could not create filter";
    header[6] = plan.hashes;
    store(header + 8, plan.cells, 8);
    if (size < LARGE || size <= room(ctx))
        l.image = new_image(header, plan.cells / 8);
    if (!l.image)
        return NO_MEMORY;
    insert_link(c, c->links, l);
    return NULL;
}
