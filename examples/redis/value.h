/* What the data types of keys have in common: memory, numbers in it, checksums,
   names in the log, errors of loading, and opening a key. Without it, filters
   and windows could differ in how much memory a client may take, and in whether
   a replica stops that would lose a key. */
#ifndef REDIS_VALUE_H
#define REDIS_VALUE_H

#include "redismodule.h"
#define BLOOM_STATIC
#define BLOOM_NO_MALLOC                 /* Redis counts the memory */
#include "bloom.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CAPACITY (1 << 30)        /* that a client may request */
#define MOST_RATE 0.25                  /* higher rates count as this one */
#define LEAST_RATE 5e-19                /* lower rates count as this one,
                                           because a hash has 64 bits */
#define LARGE ((size_t)1 << 20)         /* from this size on, values are made
                                           only if memory suffices */
#define NO_ROOM ": Redis would exceed maxmemory or, without maxmemory, half " \
    "of the machine's memory"
#define NO_MEMORY "ERR Insufficient memory to create filter" NO_ROOM
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
   the reply. While a replica loads a file beside its old data, clients may send
   commands: Redis then sets ASYNC_LOADING in place of LOADING. */
static bool repeats(RedisModuleCtx *ctx)
{
    return RedisModule_GetContextFlags(ctx) & (REDISMODULE_CTX_FLAGS_REPLICATED
                                               | REDISMODULE_CTX_FLAGS_LOADING);
}

static uint64_t memory_field(RedisModuleServerInfoData *info, const char *name)
{
    return RedisModule_ServerInfoGetFieldUnsigned(info, name, NULL);
}

/* The bytes that a client's command may allocate: what is left below maxmemory
   or, if that is not set, below half of the machine's memory. If Redis evicts
   keys, used memory does not count, because it can be freed. */
static uint64_t room(RedisModuleCtx *ctx)
{
    RedisModuleServerInfoData *info;
    uint64_t most, used;
    const char *policy;
    if (follows(ctx))
        return SIZE_MAX / 2;
    info = RedisModule_GetServerInfo(ctx, "memory");
    most = memory_field(info, "maxmemory");
    used = memory_field(info, "used_memory")
         - memory_field(info, "mem_not_counted_for_evict");
    policy = RedisModule_ServerInfoGetFieldC(info, "maxmemory_policy");
    if (most == 0)
        most = memory_field(info, "total_system_memory") / 2;
    else if (policy && strcmp(policy, "noeviction") != 0)
        used = 0;
    RedisModule_FreeServerInfo(ctx, info);
    return most > used ? most - used : 0;
}

/* Returns so many bytes of 0, or NULL if memory is short. Without a context,
   only malloc decides. RedisModule_Calloc takes no time for memory that is not
   yet used, but it ends the server if it fails. So RedisModule_TryAlloc tries
   the size first. */
static void *new_block(RedisModuleCtx *ctx, uint64_t bytes)
{
    void *trial = NULL;
    if (bytes >= LARGE) {
        if (bytes > SIZE_MAX / 2 || bytes > room(ctx)
            || !(trial = RedisModule_TryAlloc((size_t)bytes)))
            return NULL;
        RedisModule_Free(trial);
    }
    return RedisModule_Calloc(1, (size_t)bytes);
}

/* The key or another word from outside, for the log: in quotes, at most 64
   bytes, and all others than printable ASCII as \xHH, so that a key can
   neither forge a line of the log nor push the message out of it. */
static const char *quoted(const RedisModuleString *word)
{
    static char shown[4 * 64 + 6];
    size_t size = 0, i;
    const char *p = word ? RedisModule_StringPtrLen(word, &size) : "";
    char *to = shown;
    *to++ = '"';
    for (i = 0; i < size && i < 64; i++)
        to += sprintf(to, p[i] < ' ' || p[i] > '~' || p[i] == '"'
                      || p[i] == '\\' ? "\\x%02X" : "%c", (unsigned char)p[i]);
    strcpy(to, i < size ? "...\"" : "\"");
    return shown;
}

/* Returns the value. If there was an error, it logs the error and returns NULL.
   Then a server that is starting stops, a replica to which a file is sent asks
   for it again, and RESTORE replies with an error. On a replica that is
   read-only, RESTORE comes from the master, and nobody reads the reply. So the
   replica stops. */
static void *loaded_or_exit(RedisModuleIO *io, void *value,
                            void (*release)(void *), const char *error)
{
    if (!error && RedisModule_IsIOError(io))
        error = BAD_DATA;
    if (!error)
        return value;
    if (value)
        release(value);
    RedisModule_LogIOError(io, "warning", "Cannot load Bloom filter %s: %s",
        quoted(RedisModule_GetKeyNameFromIO(io)), error);
    if ((RedisModule_GetContextFlags(RedisModule_GetContextFromIO(io))
         & (REDISMODULE_CTX_FLAGS_READONLY | REDISMODULE_CTX_FLAGS_LOADING
            | REDISMODULE_CTX_FLAGS_ASYNC_LOADING))
        == REDISMODULE_CTX_FLAGS_READONLY) {
        RedisModule_LogIOError(io, "warning", "The server stops, because it "
                               "would otherwise lose this filter.");
        exit(1);
    }
    return NULL;
}

static size_t bytes_of(void *memory)
{
    return memory ? RedisModule_MallocSize(memory) : 0;
}

/* Includes Redis's two objects that refer to the value, of two words each. */
static size_t value_bytes(const void *value)
{
    void *object = RedisModule_Alloc(2 * sizeof(void *));
    size_t bytes = bytes_of((void *)(uintptr_t)value) + 2 * bytes_of(object);
    RedisModule_Free(object);
    return bytes;
}

/* ---- Keys ---------------------------------------------------------------- */

enum { READ = REDISMODULE_READ, WRITE = READ | REDISMODULE_WRITE };

static RedisModuleKey *open_key(RedisModuleCtx *ctx, RedisModuleString *name,
                                int mode)
{
    RedisModule_AutoMemory(ctx);        /* closes the key */
    return RedisModule_OpenKey(ctx, name, mode);
}

/* Returns the value of a key of type a or b. NULL without an error: there is no
   such key. */
static void *value_of(RedisModuleKey *key, const RedisModuleType *a,
                      const RedisModuleType *b, const char **error)
{
    const RedisModuleType *t;
    if (RedisModule_KeyType(key) == REDISMODULE_KEYTYPE_EMPTY)
        return NULL;
    t = RedisModule_ModuleTypeGetType(key);
    if (t && (t == a || t == b))
        return RedisModule_ModuleTypeGetValue(key);
    *error = REDISMODULE_ERRORMSG_WRONGTYPE;
    return NULL;
}

#endif
