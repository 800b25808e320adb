/* The value of a key of BW.RESERVE: a window of bloom_window.h, whose items
   expire, and its data type. It is one block of bytes: the image of the window,
   and then numbers of 8 bytes each, little-endian. RDB files, append-only files
   and DUMP contain this block as it is. Without this type, items could not
   expire: Redis only expires whole keys.

   Time is in milliseconds. The clock of the master decides, so the commands of
   window_commands.h say what time it is. */
#ifndef REDIS_WINDOW_H
#define REDIS_WINDOW_H

#include "value.h"
#include "examples/companions/bloom_window.h"

/* The numbers after the image. Since the check is only right in what was saved,
   digests leave it out. */
enum {
    SPAN,                               /* `seconds`, in milliseconds */
    PLANNED,                            /* `items` */
    EARLY,                              /* how often items were forgotten before
                                           their time, for want of room */
    EARLY_LAST,                         /* when that was the last time */
    CHECK,                              /* checksum of all bytes before it */
    NUMBERS
};

#define MOST_SPAN 1000000000000         /* of BW.RESERVE: 31 years */
#define MOST_TIME (1LL << 62)

static RedisModuleType *windows;

static size_t window_bytes(const bloom_window *w)
{
    return bloom_window_size(w) + 8 * NUMBERS;
}

static unsigned char *number_at(const bloom_window *w, int which)
{
    return (unsigned char *)(uintptr_t)w + bloom_window_size(w) + 8 * which;
}

static uint64_t number(const bloom_window *w, int which)
{
    return load(number_at(w, which), 8);
}

/* Makes a window for `items` new items in each `span`. Twice as many fit, so
   that bursts have room. Returns NULL or the error message. */
static const char *new_window(RedisModuleCtx *ctx, double rate, uint64_t items,
                              uint64_t span, unsigned generations,
                              bloom_window **made)
{
    double least = LEAST_RATE * generations;
    double p = rate < least ? least : rate < MOST_RATE ? rate : MOST_RATE;
    bloom_window_plan plan = bloom_window_plan_for(2 * items, p, generations,
                                                   BLOOM_CLASSIC);
    uint64_t size = bloom_window_plan_size(plan);
    void *block;
    if (size == 0)
        return "ERR could not create filter";
    size += 8 * NUMBERS;
    block = new_block(ctx, size);
    if (!block)
        return NO_MEMORY;
    *made = bloom_window_init(block, (size_t)size, plan);
    store(number_at(*made, SPAN), span, 8);
    store(number_at(*made, PLANNED), items, 8);
    return NULL;
}

/* ---- Time ---------------------------------------------------------------- */

/* Ends the generations that are too old, and counts if items were forgotten
   early: then it returns true. One millisecond is added to the span, because
   bloom_window.h forgets up to one unit of the clock early. */
static bool window_advance(bloom_window *w, uint64_t now)
{
    if (!bloom_window_advance(w, now, number(w, SPAN) + 1))
        return false;
    store(number_at(w, EARLY), number(w, EARLY) + 1, 8);
    store(number_at(w, EARLY_LAST), now, 8);
    return true;
}

/* How many generations, from the newest, are not too old at this time. This is
   how many bloom_window_advance would leave. A part that is 0, and a time that
   lies ahead of the clock, mean that nothing is forgotten by time now. */
static unsigned fresh(const bloom_window *w, uint64_t now)
{
    const unsigned g = bloom_window_plan_of(w).generations;
    const uint64_t time = bloom_window_time(w), part = bloom_window_span(w);
    const uint64_t old = part == 0 || now <= time ? 0 : (now - time) / part;
    return old < g ? g - (unsigned)old : 0;
}

static bloom_hash window_hash(const bloom_window *w, const void *item,
                              size_t size)
{
    return bloom_hash_key(bloom_window_generation(w, 0), item, size);
}

/* Looks an item up as of this time, and changes nothing. */
static bool window_has(const bloom_window *w, uint64_t now, bloom_hash h)
{
    const unsigned n = fresh(w, now);
    unsigned i;
    for (i = 0; i < n; i++)
        if (bloom_may_contain_hash(bloom_window_generation(w, i), h))
            return true;
    return false;
}

/* ---- RDB, append-only files, DUMP ---------------------------------------- */

static uint64_t window_checksum(const bloom_window *w)
{
    return checksum(w, window_bytes(w) - 8, 1);
}

/* What is wrong with the bytes from outside, or NULL. Every combination of
   times and numbers is safe to use, but for these limits. */
static const char *window_error(const void *bytes, size_t size)
{
    bloom_error error = BLOOM_TRUNCATED;
    const bloom_window *w = size < 8 * NUMBERS ? NULL
        : bloom_window_view(bytes, size - 8 * NUMBERS, &error);
    if (!w)
        return error == BLOOM_NOT_A_FILTER || error == BLOOM_WRONG_VERSION
             ? "ERR received bad data: it is no window of version 1" : BAD_DATA;
    return size != window_bytes(w) || number(w, CHECK) != window_checksum(w)
        || number(w, SPAN) < 1 || number(w, SPAN) > MOST_SPAN
        || number(w, PLANNED) < 1 ? BAD_DATA : NULL;
}

/* Makes the check right. All else stays, so this is no change. */
static const char *window_saved(bloom_window *w, size_t *size)
{
    store(number_at(w, CHECK), window_checksum(w), 8);
    *size = window_bytes(w);
    return (const char *)w;
}

static void save_window(RedisModuleIO *io, void *value)
{
    size_t size;
    const char *bytes = window_saved(value, &size);
    RedisModule_SaveStringBuffer(io, bytes, size);
}

static void *load_window(RedisModuleIO *io, int version)
{
    size_t size = 0;
    char *block = RedisModule_LoadStringBuffer(io, &size);
    const char *error = version != 1
        ? "it has another version of the format; use the module that wrote it"
        : block ? window_error(block, size) : BAD_DATA;
    return loaded_or_exit(io, block, RedisModule_Free, error);
}

static void rewrite_window(RedisModuleIO *io, RedisModuleString *key,
                           void *value)
{
    size_t size;
    const char *bytes = window_saved(value, &size);
    RedisModule_EmitAOF(io, "BW.LOAD", "sb", key, bytes, size);
}

static void digest_window(RedisModuleDigest *d, void *value)
{
    RedisModule_DigestAddStringBuffer(d, value, window_bytes(value) - 8);
    RedisModule_DigestEndSequence(d);
}

/* ---- The data type ------------------------------------------------------- */

/* Returns NULL if memory is short. */
static bloom_window *new_copy(RedisModuleCtx *ctx, const void *bytes,
                              size_t size)
{
    void *block = new_block(ctx, size);
    return block ? memcpy(block, bytes, size) : NULL;
}

static void *copy_window(RedisModuleString *from, RedisModuleString *to,
                         const void *value)
{
    (void)from, (void)to;
    return new_copy(NULL, value, window_bytes(value));
}

static size_t window_effort(RedisModuleString *key, const void *value)
{
    (void)key;
    return 1 + window_bytes(value) / LARGE;
}

static bool create_window_type(RedisModuleCtx *ctx)
{
    RedisModuleTypeMethods methods = {
        .version = REDISMODULE_TYPE_METHOD_VERSION, .rdb_load = load_window,
        .rdb_save = save_window, .aof_rewrite = rewrite_window,
        .free = RedisModule_Free, .mem_usage = value_bytes,
        .digest = digest_window,
        .copy = copy_window, .free_effort = window_effort
    };
    windows = RedisModule_CreateDataType(ctx, "bloom-h-w", 1, &methods);
    return windows != NULL;
}

#endif
