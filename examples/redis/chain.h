/* The value of a key: a chain of filters, called links. New items go into the
   last link. When that is full, the chain gets another link with EXPANSION
   times its capacity and half its rate, so that all links together keep the
   rate `error`.
   bloom_chain.h is not used here, because it always doubles the capacity and
   divides the rate differently. Users of Redis know RedisBloom's numbers. */
#include "redismodule.h"
#define BLOOM_STATIC
#define BLOOM_NO_MALLOC                 /* Redis counts the memory */
#include "bloom.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define MOST_ITEMS (1ULL << 48)         /* in one filter */
#define MOST_CAPACITY (1 << 30)        /* that a client may request */
#define MOST_EXPANSION 32768            /* higher ones in RedisBloom's data
                                           count as this one */
#define MOST_FILTERS 1075               /* after so many, RedisBloom's rate,
                                           halved each time, is 0 */
#define MOST_GROWTH 536866816           /* bytes that one add may reserve:
                                           512 MB less 4 KB, so that allocators
                                           need no larger size class */
#define MOST_RATE 0.25                  /* higher rates count as this one */
#define LEAST_RATE 5e-19                /* lower rates count as this one,
                                           because a hash has 64 bits */
#define IMAGE_HEADER 32                 /* bytes before the cells */
#define LARGE ((size_t)1 << 20)         /* from this size on, images are made
                                           only if memory suffices */
#ifndef ROOT
#define ROOT ""                         /* the tests set another folder */
#endif
#define NO_MEMORY "ERR Insufficient memory to create filter"
#define NO_GROWTH "ERR problem inserting into filter"
#define BAD_DATA "ERR received bad data"

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

/* The values that exist, for INFO. Redis frees large values in a thread of its
   own, so these numbers change atomically. */
static struct { size_t keys, filters, bytes; } held;

static void more(size_t *number, size_t by)
{
    __atomic_fetch_add(number, by, __ATOMIC_RELAXED);
}

static void less(size_t *number, size_t by)
{
    __atomic_fetch_sub(number, by, __ATOMIC_RELAXED);
}

static void free_image(unsigned char *image)
{
    if (image) {
        less(&held.filters, 1);
        less(&held.bytes, RedisModule_MallocSize(image));
    }
    RedisModule_Free(image);
}

static void free_chain(void *value)
{
    chain *c = value;
    while (c->links > 0)
        free_image(c->link[--c->links].image);
    RedisModule_Free(c->link);
    RedisModule_Free(c->pending);
    RedisModule_Free(c);
    less(&held.keys, 1);
}

static chain *new_chain(uint64_t expansion)
{
    chain *c = RedisModule_Calloc(1, sizeof *c);
    more(&held.keys, 1);
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

static unsigned long long told(RedisModuleServerInfoData *info,
                               const char *field)
{
    return RedisModule_ServerInfoGetFieldUnsigned(info, field, NULL);
}

/* Returns whether the server only repeats what was done before, as a replica
   or while it loads its file. Then it must not refuse anything. */
static bool follows(RedisModuleCtx *ctx)
{
    return !ctx || RedisModule_GetContextFlags(ctx)
                   & (REDISMODULE_CTX_FLAGS_SLAVE
                      | REDISMODULE_CTX_FLAGS_LOADING);
}

/* Returns whether the command comes from the master or from the append-only
   file. Then it was accepted before, perhaps by RedisBloom, and nobody reads
   the reply. */
static bool repeats(RedisModuleCtx *ctx)
{
    int flags = RedisModule_GetContextFlags(ctx);
    return flags & REDISMODULE_CTX_FLAGS_REPLICATED
        || (flags & (REDISMODULE_CTX_FLAGS_LOADING
                     | REDISMODULE_CTX_FLAGS_ASYNC_LOADING))
           == REDISMODULE_CTX_FLAGS_LOADING;
}

/* The most that a key may take: the setting bf-memory-limit, in bytes; 0: any
   size. It binds the commands of clients that make or enlarge filters. What
   was accepted before is never lost: data that is loaded, restored, copied or
   received from the master may be larger. */
static long long memory_limit;

/* The reasons for which an item or a filter is refused, how often each was
   given, and its name in INFO. The error message is written to `shortage`. */
enum { LIMIT, MAXMEMORY, MACHINE, FILTERS_FULL, FIXED_FULL, REASONS };

static struct { const char *name, *text; long long given; } reasons[REASONS] = {
    { "refused_bf_memory_limit",
      "the key would have %llu bytes, more than bf-memory-limit allows", 0 },
    { "refused_maxmemory",
      "%llu bytes are needed, more than are left below maxmemory", 0 },
    { "refused_machine_memory",
      "%llu bytes are needed, more than the machine can spare", 0 },
    { "refused_most_filters", "a key has at most 1075 filters", 0 },
    { "refused_nonscaling_full", "", 0 },
};

static char shortage[160];

/* Counts a refusal and returns the error message, which begins with `error`. */
static const char *refusal(const char *error, int reason, uint64_t bytes)
{
    int n = snprintf(shortage, sizeof shortage, "%s: ", error);
    snprintf(shortage + n, sizeof shortage - (size_t)n, reasons[reason].text,
             (unsigned long long)bytes);
    reasons[reason].given++;
    return shortage;
}

/* The number in a file of a cgroup; UINT64_MAX if there is none, or "max" */
static uint64_t number_in(const char *file)
{
    unsigned long long limit = UINT64_MAX;
    FILE *f = fopen(file, "r");
    if (f && fscanf(f, "%llu", &limit) != 1)
        limit = UINT64_MAX;
    if (f)
        fclose(f);
    return limit;
}

/* The lowest limit of the cgroup `path` and of those that contain it. In a
   container, the folder may be that of the container's own cgroup, whatever
   `path` is. */
static uint64_t least_limit(const char *folder, char *path, const char *name)
{
    uint64_t least = UINT64_MAX, limit;
    char file[1200], *end = path + strcspn(path, "\n");
    do {
        *end = 0;
        snprintf(file, sizeof file, "%s%s%s", folder, path, name);
        limit = number_in(file);
        least = limit < least ? limit : least;
    } while ((end = strrchr(path, '/')) != NULL);
    return least;
}

/* The lines of /proc/self/cgroup: "NUMBER:memory:PATH" in version 1 of cgroups,
   "0::PATH" in version 2 */
static uint64_t cgroup_limit(void)
{
    FILE *f = fopen(ROOT "/proc/self/cgroup", "r");
    uint64_t least = UINT64_MAX, limit;
    char line[1000], *name, *path;
    while (f && fgets(line, sizeof line, f)) {
        name = strchr(line, ':');
        path = name ? strchr(name + 1, ':') : NULL;
        if (!path || (path > name + 1 && strncmp(name, ":memory:", 8) != 0))
            continue;
        limit = path == name + 1
              ? least_limit(ROOT "/sys/fs/cgroup", path + 1, "/memory.max")
              : least_limit(ROOT "/sys/fs/cgroup/memory", path + 1,
                            "/memory.limit_in_bytes");
        least = limit < least ? limit : least;
    }
    if (f)
        fclose(f);
    return least;
}

/* The memory that Redis may use for filters if maxmemory is not set: half of
   what the process may use. The rest is for the allocator, which rounds sizes
   up, for pages that are copied while a child process saves, and for other
   programs. */
static uint64_t usable_memory(uint64_t machine)
{
    uint64_t least = cgroup_limit();
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && (uint64_t)space.rlim_cur < least)
        least = (uint64_t)space.rlim_cur;
    return (machine < least ? machine : least) / 2;
}

/* Returns NULL if so many bytes may be allocated: if they fit into the memory
   that is left below maxmemory or, if that is not set, below usable_memory. If
   Redis evicts keys, used memory does not count, because it can be freed. */
static const char *no_room(RedisModuleCtx *ctx, const char *error,
                           uint64_t bytes)
{
    RedisModuleServerInfoData *info;
    uint64_t most = SIZE_MAX / 2, used = 0;
    const char *policy;
    int reason = MACHINE;
    if (bytes < LARGE)
        return NULL;
    if (!follows(ctx)) {
        info = RedisModule_GetServerInfo(ctx, "memory");
        most = told(info, "maxmemory");
        used = told(info, "used_memory")
             - told(info, "mem_not_counted_for_evict");
        policy = RedisModule_ServerInfoGetFieldC(info, "maxmemory_policy");
        if (most == 0)
            most = usable_memory(told(info, "total_system_memory"));
        else
            reason = MAXMEMORY;
        if (reason == MAXMEMORY && policy && strcmp(policy, "noeviction") != 0)
            used = 0;
        RedisModule_FreeServerInfo(ctx, info);
    }
    return bytes <= (most > used ? most - used : 0)
         ? NULL : refusal(error, reason, bytes);
}

/* Returns NULL if a client's command may enlarge a key to so many bytes. */
static const char *over_limit(RedisModuleCtx *ctx, const char *error,
                              uint64_t bytes)
{
    return memory_limit == 0 || bytes <= (uint64_t)memory_limit || follows(ctx)
         ? NULL : refusal(error, LIMIT, bytes);
}

/* Makes an image with this header and cells of 0. Returns NULL if memory is
   short. RedisModule_Calloc takes no time for memory that is not yet used, but
   it ends the server if it fails. So RedisModule_TryAlloc tries the size first.
   */
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
    more(&held.filters, 1);
    more(&held.bytes, RedisModule_MallocSize(image));
    return image;
}

/* Copies the header and the first `bytes` of the cells. */
static unsigned char *copy_image(const unsigned char *from, uint64_t bytes)
{
    unsigned char *image = new_image(from, bytes);
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

/* ---- Planning ------------------------------------------------------------ */

/* Caches plans, because planning takes time and most filters of a server are
   alike. */
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

/* The items for which a NONSCALING filter has room beyond its capacity. Items
   that are false positives when they come are not counted. So more items come
   than the capacity until the filter is full, but fewer than these more. */
static uint64_t spare(uint64_t capacity, double rate)
{
    return (uint64_t)((double)capacity * rate) + (capacity < 8 ? capacity : 8);
}

/* Appends an empty link. Returns NULL or the error message, like all functions
   below that return a const char *. If a chain that grows would need more than
   MOST_GROWTH bytes, the new link gets a smaller capacity. Settings such as
   memory_limit do not change the new link: a replica, which may have others,
   makes the same one. */
static const char *append(RedisModuleCtx *ctx, chain *c, uint64_t capacity,
                          double rate)
{
    double least = rate > LEAST_RATE ? rate : LEAST_RATE;
    bloom_plan plan = plan_for(c->expansion ? capacity
                               : capacity + spare(capacity, least), least);
    unsigned char header[IMAGE_HEADER] = "BLM\2\0\100";
    chain_link l = { NULL, capacity, 0, least };
    size_t size = bloom_plan_size(plan);
    const char *what = c->links > 0 ? NO_GROWTH : NO_MEMORY, *error;
    if (c->links > 0 && size > MOST_GROWTH) {
        l.capacity = (uint64_t)((double)capacity / (double)size * MOST_GROWTH);
        plan = plan_for(l.capacity, least);
        size = bloom_plan_size(plan);
    }
    if (size == 0 || capacity > MOST_ITEMS)
        return "ERR could not create filter";
    error = over_limit(ctx, what, key_bytes(c) + 64 + plan.cells / 8);
    if (!error)
        error = no_room(ctx, what, size);
    if (error)
        return error;
    header[6] = plan.hashes;
    store(header + 8, plan.cells, 8);
    l.image = new_image(header, plan.cells / 8);
    if (!l.image)
        return refusal(what, MACHINE, size);
    insert_link(c, c->links, l);
    return NULL;
}
