/* What a key of module.c holds: a chain of filters, of which the last one takes
   the items. When it is full the next one has EXPANSION times its capacity and
   half its rate, so that all together keep `error`. (bloom.h's own chain always
   doubles, cannot be kept from doing so, and shares out the rate otherwise than
   RedisBloom, whose numbers people know. Hence plain filters here.) */
#include "redismodule.h"
#define BLOOM_STATIC
#define BLOOM_NO_MALLOC                 /* Redis counts the memory */
#include "bloom.h"
#include <string.h>

#define MOST_ITEMS (1ULL << 48)         /* in one filter */
#define MOST_CAPACITY (1 << 30)        /* that can be asked for */
#define MOST_EXPANSION 32768
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

typedef struct pending {                /* where loading stands */
    uint64_t loaded, missing, inside;   /* bytes of cells; in that link */
    size_t link;
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

static uint64_t all_cell_bytes(const chain *c)
{
    uint64_t bytes = 0;
    size_t i;
    for (i = 0; i < c->links; i++)
        bytes += cell_bytes(c->link[i].image);
    return bytes;
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

/* No filter that could never fit is made. But a replica, and a server that
   loads its file, have no choice. */
static uint64_t most_memory(RedisModuleCtx *ctx)
{
    const int follow = REDISMODULE_CTX_FLAGS_SLAVE
                     | REDISMODULE_CTX_FLAGS_LOADING;
    RedisModuleServerInfoData *info;
    uint64_t most;
    if (!ctx || RedisModule_GetContextFlags(ctx) & follow)
        return SIZE_MAX / 2;
    info = RedisModule_GetServerInfo(ctx, "memory");
    most = RedisModule_ServerInfoGetFieldUnsigned(info, "maxmemory", NULL);
    if (most == 0)
        most = RedisModule_ServerInfoGetFieldUnsigned(
            info, "total_system_memory", NULL);
    RedisModule_FreeServerInfo(ctx, info);
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

static unsigned char *copy_image(const unsigned char *from)
{
    uint64_t bytes = cell_bytes(from);
    unsigned char *image = new_image(from, bytes);
    if (image)
        memcpy(image, from, (size_t)bytes + IMAGE_HEADER);
    return image;
}

/* So many bytes of cells, the last ones, are to be loaded yet. */
static bool await(chain *c, uint64_t missing)
{
    uint64_t all = all_cell_bytes(c), bytes;
    pending *p;
    if (missing == 0 || missing > all)
        return missing == 0;
    c->pending = p = RedisModule_Calloc(1, sizeof *p);
    p->missing = missing;
    p->inside = p->loaded = all - missing;
    while (p->inside >= (bytes = cell_bytes(c->link[p->link].image))) {
        p->inside -= bytes;
        p->link++;
    }
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

/* Returns NULL or the error; so do others below. */
static const char *append(RedisModuleCtx *ctx, chain *c, uint64_t capacity,
                          double rate)
{
    double least = rate > LEAST_RATE ? rate : LEAST_RATE;
    bloom_plan plan = plan_for(capacity, least);
    unsigned char header[IMAGE_HEADER] = "BLM\1\0\100";
    chain_link l = { NULL, capacity, 0, least };
    size_t size = bloom_plan_size(plan);
    if (size == 0)
        return "ERR could not create filter";
    header[6] = plan.hashes;
    store(header + 8, plan.cells, 8);
    if (size < LARGE || size <= most_memory(ctx))
        l.image = new_image(header, plan.cells / 8);
    if (!l.image)
        return NO_MEMORY;
    insert_link(c, c->links, l);
    return NULL;
}
