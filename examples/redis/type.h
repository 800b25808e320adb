/* The two data types of keys: the module's own, and RedisBloom's. A filter that
   was loaded from RedisBloom keeps RedisBloom's type until something is added
   to it. In RDB files, a filter of the own type consists of the chunks of
   BF.SCANDUMP. In append-only files and digests, filters of both types do. */
#include "dump.h"
#include <stdio.h>
#include <stdlib.h>

static RedisModuleType *ours, *theirs;

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
   this child process writes contains filters of our type, it logs the names of
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
                "data, which includes filters of type bloom-h-1. It must have "
                "the module bloom.h: RedisBloom stops with \"no matching module"
                " type\". See \"Moving without downtime\" in the module's "
                "README.md.", replica);
        sprintf(field, "slave%d", ++i);
    }
    RedisModule_FreeServerInfo(ctx, info);
}

/* Saves the number of missing bytes; then each chunk, preceded by its number;
   then 0. */
static void rdb_save(RedisModuleIO *io, void *value)
{
    const chain *c = value;
    walk w = walk_from(c, 0);
    unsigned char *chunk;
    size_t size;
    name_replicas(io);
    RedisModule_SaveUnsigned(io, c->pending ? c->pending->missing : 0);
    while ((chunk = next_chunk(&w, &size)) != NULL) {
        RedisModule_SaveUnsigned(io, w.number);
        RedisModule_SaveStringBuffer(io, (char *)chunk, size);
        RedisModule_Free(chunk);
    }
    RedisModule_SaveUnsigned(io, 0);
}

static const char *load_chunks(RedisModuleIO *io, chain **c)
{
    RedisModuleCtx *ctx = RedisModule_GetContextFromIO(io);
    uint64_t missing = RedisModule_LoadUnsigned(io), number;
    const char *error = NULL;
    size_t size;
    while (!error && (number = RedisModule_LoadUnsigned(io)) != 0) {
        void *chunk = RedisModule_LoadStringBuffer(io, &size);
        if (chunk && !*c && number == 1)
            error = load_head(ctx, chunk, size, c);
        else
            error = chunk && *c ? load_cells(ctx, *c, number, chunk, size)
                                : BAD_DATA;
        RedisModule_Free(chunk);
    }
    if (!error && (!*c || (*c)->theirs
                   || missing != ((*c)->pending ? (*c)->pending->missing : 0)))
        error = BAD_DATA;
    return error;
}

/* Returns the chain. If there was an error, it logs the error and returns NULL.
   Then a server that is starting stops, and RESTORE replies with an error. On a
   replica that is read-only, RESTORE comes from the master, and nobody reads
   the reply. So the replica stops. */
static void *loaded(RedisModuleIO *io, chain *c, const char *error)
{
    if (!error && RedisModule_IsIOError(io))
        error = BAD_DATA;
    if (!error)
        return c;
    if (c)
        free_chain(c);
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

static void *rdb_load(RedisModuleIO *io, int version)
{
    chain *c = NULL;
    const char *error = version == 2 ? load_chunks(io, &c)
        : "it has another version of the format; use the module that wrote it";
    return loaded(io, c, error);
}

static void *rdb_load_theirs(RedisModuleIO *io, int version)
{
    chain *c = NULL;
    const char *error = version <= 4 ? load_theirs(io, version, &c)
        : "it has an unknown encoding; use the RedisBloom that wrote it";
    return loaded(io, c, error);
}

static void aof_rewrite(RedisModuleIO *io, RedisModuleString *key, void *value)
{
    walk w = walk_from(value, 0);
    unsigned char *chunk;
    size_t size;
    while ((chunk = next_chunk(&w, &size)) != NULL) {
        RedisModule_EmitAOF(io, "BF.LOADCHUNK", "slb", key, (long long)w.number,
                            (char *)chunk, size);
        RedisModule_Free(chunk);
    }
}

static void digest(RedisModuleDigest *d, void *value)
{
    walk w = walk_from(value, 0);
    unsigned char *chunk;
    size_t size;
    while ((chunk = next_chunk(&w, &size)) != NULL) {
        RedisModule_DigestAddStringBuffer(d, (char *)chunk, size);
        RedisModule_Free(chunk);
    }
    RedisModule_DigestEndSequence(d);
}

static size_t bytes_of(void *memory)
{
    return memory ? RedisModule_MallocSize(memory) : 0;
}

/* Includes Redis's two objects that refer to the value, of two words each. */
static size_t memory_usage(const void *value)
{
    const chain *c = value;
    void *object = RedisModule_Alloc(2 * sizeof(void *));
    size_t bytes = bytes_of((void *)(uintptr_t)value) + bytes_of(c->link)
                 + bytes_of(c->pending) + 2 * bytes_of(object), i;
    RedisModule_Free(object);
    for (i = 0; i < c->links; i++)
        bytes += bytes_of(c->link[i].image);
    return bytes;
}

/* Redis frees a value with a large effort in the background. */
static size_t free_effort(RedisModuleString *key, const void *value)
{
    (void)key;
    return ((const chain *)value)->links + all_cell_bytes(value) / LARGE;
}

/* For COPY */
static void *copy(RedisModuleString *from, RedisModuleString *to,
                  const void *value)
{
    const chain *c = value;
    chain *made = new_chain(c->expansion);
    size_t i;
    (void)from, (void)to;
    for (i = 0; i < c->links; i++) {
        chain_link l = c->link[i];
        l.image = copy_image(l.image, bytes_there(c, i));
        if (!l.image) {
            free_chain(made);
            return NULL;
        }
        insert_link(made, i, l);
    }
    made->growth = c->growth;
    made->options = c->options;
    made->theirs = c->theirs;
    await(made, c->pending ? c->pending->missing : 0);
    return made;
}

static void *moved(RedisModuleDefragCtx *ctx, void *memory)
{
    void *to = memory ? RedisModule_DefragAlloc(ctx, memory) : NULL;
    return to ? to : memory;
}

static int defrag(RedisModuleDefragCtx *ctx, RedisModuleString *key,
                  void **value)
{
    chain *c = *value = moved(ctx, *value);
    size_t i;
    (void)key;
    c->link = moved(ctx, c->link);
    c->pending = moved(ctx, c->pending);
    for (i = 0; i < c->links; i++)
        c->link[i].image = moved(ctx, c->link[i].image);
    return 0;
}

static bool create_types(RedisModuleCtx *ctx)
{
    RedisModuleTypeMethods methods = {
        .version = REDISMODULE_TYPE_METHOD_VERSION, .rdb_load = rdb_load,
        .rdb_save = rdb_save, .aof_rewrite = aof_rewrite, .free = free_chain,
        .mem_usage = memory_usage, .digest = digest, .copy = copy,
        .free_effort = free_effort, .defrag = defrag
    };
    ours = RedisModule_CreateDataType(ctx, "bloom-h-1", 2, &methods);
    methods.rdb_load = rdb_load_theirs;
    methods.rdb_save = save_theirs;
    theirs = RedisModule_CreateDataType(ctx, "MBbloom--", 4, &methods);
    return ours && theirs;
}

/* ---- Keys ---------------------------------------------------------------- */

static const char unfinished[] =
    "ERR filter is not loaded yet; send the rest of its dump with BF.LOADCHUNK";

typedef struct place {
    RedisModuleKey *key;
    chain *chain;                       /* NULL without an error: no key */
    const char *error;                  /* wrong type, or unfinished */
} place;

enum { READ = REDISMODULE_READ, WRITE = READ | REDISMODULE_WRITE };

static place find(RedisModuleCtx *ctx, RedisModuleString *name, int mode)
{
    place p = { NULL, NULL, NULL };
    RedisModuleType *t;
    RedisModule_AutoMemory(ctx);        /* closes the key */
    p.key = RedisModule_OpenKey(ctx, name, mode);
    if (RedisModule_KeyType(p.key) == REDISMODULE_KEYTYPE_EMPTY)
        return p;
    t = RedisModule_ModuleTypeGetType(p.key);
    if (t && (t == ours || t == theirs))
        p.chain = RedisModule_ModuleTypeGetValue(p.key);
    if (!p.chain)
        p.error = REDISMODULE_ERRORMSG_WRONGTYPE;
    else if (p.chain->pending)
        p.error = unfinished;
    return p;
}

static place find_existing(RedisModuleCtx *ctx, RedisModuleString *name)
{
    place p = find(ctx, name, READ);
    if (!p.chain && !p.error)
        p.error = "ERR not found";
    return p;
}

/* Replaces the value of the key and keeps its expiry time. */
static void put(place p, chain *c)
{
    mstime_t expiry = p.chain ? RedisModule_GetAbsExpire(p.key)
                              : REDISMODULE_NO_EXPIRE;
    RedisModule_ModuleTypeSetValue(p.key, c->theirs ? theirs : ours, c);
    if (expiry != REDISMODULE_NO_EXPIRE)
        RedisModule_SetAbsExpire(p.key, expiry);
}

/* Turns a key of RedisBloom's type into one of our type, because something was
   added to it. */
static void adopt(place p)
{
    void *c;
    p.chain->theirs = 0;
    RedisModule_ModuleTypeReplaceValue(p.key, theirs, new_chain(0), &c);
    put(p, c);
}
