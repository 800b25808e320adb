/* Memory: how much of it there is, what is refused for want of it, and the
   numbers that INFO bloom.h shows. Also numbers in memory, and a checksum. */
#ifndef REDIS_MEMORY_H
#define REDIS_MEMORY_H

#include "redismodule.h"
#define BLOOM_STATIC
#define BLOOM_NO_MALLOC                 /* Redis counts the memory */
#include "bloom.h"
#include <stdio.h>
#include <string.h>

#define MOST_CAPACITY (1 << 30)        /* that a client may request */
#define MOST_RATE 0.25                  /* higher rates count as this one */
#define LEAST_RATE 5e-19                /* lower rates count as this one,
                                           because a hash has 64 bits */
#define LARGE ((size_t)1 << 20)         /* from this size on, values are made
                                           only if memory suffices */
#define NO_MEMORY "ERR Insufficient memory to create filter"
#define BAD_DATA "ERR received bad data"

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

/* The image of the smallest filter of bloom.h (64 cells, k = 1), of which only
   the hash is used */
static const unsigned char smallest[32 + 8] = "BLM\2\0\100\1\0\100";

static uint64_t checksum(const void *bytes, size_t size, uint64_t number)
{
    unsigned char seeded[sizeof smallest];
    memcpy(seeded, smallest, sizeof seeded);
    store(seeded + 16, number, 8);
    return bloom_hash_key((const bloom *)seeded, bytes, size).h1;
}

/* The values that exist, for INFO. Redis frees large values in a thread of its
   own, so these numbers change atomically. */
static struct { size_t keys, filters, windows, bytes; } held;

static void more(size_t *number, size_t by)
{
    __atomic_fetch_add(number, by, __ATOMIC_RELAXED);
}

static void less(size_t *number, size_t by)
{
    __atomic_fetch_sub(number, by, __ATOMIC_RELAXED);
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

/* Returns NULL if so many bytes may be allocated: if they fit into the memory
   that is left below maxmemory or, if that is not set, below half of the
   machine's. If Redis evicts keys, used memory does not count, because it can
   be freed. */
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
        reason = most == 0 ? MACHINE : MAXMEMORY;
        if (most == 0)
            most = told(info, "total_system_memory") / 2;
        else if (policy && strcmp(policy, "noeviction") != 0)
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

/* Returns so many bytes of 0, or NULL if memory is short. RedisModule_Calloc
   takes no time for memory that is not yet used, but it ends the server if it
   fails. So RedisModule_TryAlloc tries the size first. */
static void *new_block(uint64_t bytes)
{
    size_t size = (size_t)bytes;
    void *trial = size >= LARGE ? RedisModule_TryAlloc(size) : NULL;
    if (bytes > SIZE_MAX / 2 || (size >= LARGE && !trial))
        return NULL;
    RedisModule_Free(trial);
    return RedisModule_Calloc(1, size);
}

#endif
