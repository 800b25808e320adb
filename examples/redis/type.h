/* The two data types of keys: the module's own, and RedisBloom's. A filter that
   was loaded from RedisBloom keeps RedisBloom's type until something is added
   to it. In RDB files, a filter of the own type consists of the chunks of
   BF.SCANDUMP. In append-only files and digests, filters of both types do.
   Without these types, filters would be lost at each restart. */
#include "dump.h"

static RedisModuleType *ours, *theirs;

/* Saves the number of missing bytes; then each chunk, preceded by its number;
   then 0. */
static void rdb_save(RedisModuleIO *io, void *value)
{
    const chain *c = value;
    walk w = walk_from(c, 0);
    unsigned char *chunk;
    size_t size;
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

static void *rdb_load(RedisModuleIO *io, int version)
{
    chain *c = NULL;
    const char *error = version == 2 ? load_chunks(io, &c)
        : "it has another version of the format; use the module that wrote it";
    return loaded_or_exit(io, c, free_chain, error);
}

static void *rdb_load_theirs(RedisModuleIO *io, int version)
{
    chain *c = NULL;
    const char *error = version <= 4 ? load_theirs(io, version, &c)
        : "it has an unknown encoding; use the RedisBloom that wrote it";
    return loaded_or_exit(io, c, free_chain, error);
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

static size_t memory_usage(const void *value)
{
    const chain *c = value;
    size_t bytes = value_bytes(value) + bytes_of(c->link)
                 + bytes_of(c->pending), i;
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
        l.image = copy_image(NULL, l.image, bytes_there(c, i));
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

static bool create_types(RedisModuleCtx *ctx)
{
    RedisModuleTypeMethods methods = {
        .version = REDISMODULE_TYPE_METHOD_VERSION, .rdb_load = rdb_load,
        .rdb_save = rdb_save, .aof_rewrite = aof_rewrite, .free = free_chain,
        .mem_usage = memory_usage, .digest = digest, .copy = copy,
        .free_effort = free_effort
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

static place find(RedisModuleCtx *ctx, RedisModuleString *name, int mode)
{
    place p = { NULL, NULL, NULL };
    p.key = open_key(ctx, name, mode);
    p.chain = value_of(p.key, ours, theirs, &p.error);
    if (p.chain && p.chain->pending)
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
