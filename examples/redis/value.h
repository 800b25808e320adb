/* What the data types of keys have in common: opening a key, errors of loading,
   names in the log, and memory. */
#ifndef REDIS_VALUE_H
#define REDIS_VALUE_H

#include "memory.h"
#include <stdlib.h>

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

/* A server does not know which modules its replicas have. So if the file that
   this child process writes contains filters of our types, it logs the names of
   the replicas that wait for the file. It does so once, because the process
   ends with the file. */
static void name_replicas(RedisModuleIO *io)
{
    static bool named;
    RedisModuleCtx *ctx = RedisModule_GetContextFromIO(io);
    RedisModuleServerInfoData *info;
    const char *replica;
    char field[20] = "slave0";
    int i = 0;
    if (named || !(RedisModule_GetContextFlags(ctx)
                   & REDISMODULE_CTX_FLAGS_IS_CHILD))
        return;
    named = true;
    info = RedisModule_GetServerInfo(ctx, "replication");
    while ((replica = RedisModule_ServerInfoGetFieldC(info, field)) != NULL) {
        if (strstr(replica, "state=wait_bgsave")        /* Redis 8: this */
            || strstr(replica, "state=send_bulk_and_stream"))
            RedisModule_LogIOError(io, "warning", "The replica %s requests all "
                "data, which includes filters of this module's types. It must "
                "have the module bloom.h: RedisBloom stops with \"no matching "
                "module type\". See \"Moving without downtime\" in the "
                "module's README.md.", replica);
        sprintf(field, "slave%d", ++i);
    }
    RedisModule_FreeServerInfo(ctx, info);
}

/* Returns the value. If there was an error, it logs the error and returns NULL.
   Then a server that is starting stops, and RESTORE replies with an error. On a
   replica that is read-only, RESTORE comes from the master, and nobody reads
   the reply. So the replica stops. */
static void *loaded(RedisModuleIO *io, void *value, void (*release)(void *),
                    const char *error)
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
         & (REDISMODULE_CTX_FLAGS_READONLY | REDISMODULE_CTX_FLAGS_LOADING))
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

static void *moved(RedisModuleDefragCtx *ctx, void *memory)
{
    void *to = memory ? RedisModule_DefragAlloc(ctx, memory) : NULL;
    return to ? to : memory;
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
