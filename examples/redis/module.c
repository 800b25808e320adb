/* Bloom filters in Redis 7 and later, and Valkey: the commands of RedisBloom,
   its replies and errors word for word, so that its clients work, on bloom.h;
   and BF.MERGE. Build it with src/redismodule.h of Redis (`apt-get source
   redis`) in FOLDER, load it:

     cc -O2 -shared -fPIC -I. -IFOLDER examples/redis/module.c -o bloom.redis.so
     redis-server --loadmodule ./bloom.redis.so

   BF.RESERVE key error capacity [EXPANSION e] [NONSCALING]
   BF.ADD key item              BF.MADD key item...
   BF.EXISTS key item           BF.MEXISTS key item...
   BF.INSERT key [CAPACITY c] [ERROR p] [EXPANSION e] [NOCREATE] [NONSCALING]
             ITEMS item...
   BF.CARD key                  BF.INFO key [CAPACITY|SIZE|FILTERS|ITEMS|
   BF.DEBUG key                                            EXPANSION]
   BF.SCANDUMP key iterator     BF.LOADCHUNK key iterator data
   BF.MERGE dest source...

   An item whose BF.ADD was answered by 1 or 0 is found as long as Redis has the
   key: on replicas, after restarts, dumps and merges. Others are found at most
   with the rate `error` (0.25 if it is more, 10^-18 if less), however many were
   added: past `capacity` the key gets one more filter, for EXPANSION times as
   many items with half the rate. NONSCALING ones refuse instead. What is
   damaged is refused, and changes nothing. Until the last chunk of a dump is
   loaded a key answers by errors, never by a wrong 0.

   What RedisBloom wrote is taken as it is: dumps, RDB and append-only files. It
   answers as it did there, and goes on; only what is added past its capacity is
   kept in filters of ours. A key is written back as it came until something is
   added to it.

   BF.MERGE makes dest find what it and the sources do; if there is no dest, it
   is made, so that one source is copied. On an error dest is as it was. All
   must have the same error rate, and all or none be NONSCALING, then of the
   same capacity. Filters of the same size are united where that keeps the rate;
   else dest gets one more, or says that it is full if NONSCALING. So the rate
   is `error` if all could be united, and never more than the sum of what was
   merged. BF.CARD is then an estimate.

   A filter that does not fit beside what is there, under maxmemory or without
   that in the memory of the machine, is not made. If Redis evicts to make room
   it must fit under maxmemory alone. README.md has the other bounds. */
#include "ask.h"

/* An error while an append-only file is loaded would be data lost in silence,
   as no client is there to hear of it: then the server stops. */
static int refuse(context *ctx, const char *error)
{
    if (RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_LOADING) {
        RedisModule_Log(ctx, "warning", "Bloom filter in the append-only file: "
                        "%s. Stopped, as the data would be lost.", error);
        exit(1);
    }
    return RedisModule_ReplyWithError(ctx, error);
}

/* To clients that WATCH the key, cache it, or listen to events of modules */
static void announce(context *ctx, string *key)
{
    RedisModule_SignalModifiedKey(ctx, key);
    RedisModule_NotifyKeyspaceEvent(ctx, REDISMODULE_NOTIFY_MODULE,
                                    RedisModule_GetCurrentCommandName(ctx),
                                    key);
}

/* The end of a command that has no more to say than OK. */
static int answer(context *ctx, string *key, const char *error)
{
    if (error)
        return refuse(ctx, error);
    announce(ctx, key);
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

/* The same of one that replicas run as it came */
static int finish(context *ctx, string *key, const char *error)
{
    if (!error)
        RedisModule_ReplicateVerbatim(ctx);
    return answer(ctx, key, error);
}

/* ---- Making and adding --------------------------------------------------- */

/* Makes the filter of a key that does not exist. Replicas and the append-only
   file get a BF.RESERVE with all parameters, as their settings may differ. It
   says NONSCALING because old versions of RedisBloom refuse EXPANSION 0. */
static void create(context *ctx, place *p, string *name, options o)
{
    chain *c = new_chain(o.fixed ? 0 : (uint64_t)o.expansion);
    double rate = o.rate < MOST_RATE ? o.rate : MOST_RATE;
    p->error = append(ctx, c, (uint64_t)o.capacity,
                      c->expansion ? rate / 2 : rate);
    if (p->error) {
        free_chain(c);
        return;
    }
    p->chain = c;
    RedisModule_ModuleTypeSetValue(p->key, ours, c);
    RedisModule_Replicate(ctx, "BF.RESERVE", c->expansion ? "sslcl" : "sslc",
        name, RedisModule_CreateStringPrintf(ctx, "%.17g", o.rate), o.capacity,
        c->expansion ? "EXPANSION" : "NONSCALING", (long long)c->expansion);
}

/* A replica makes the filters of its master, whatever its own settings are. */
static int reserve(context *ctx, string **argv, int argc)
{
    options o = defaults;
    const char *error;
    place p;
    if (argc > 7)
        return RedisModule_WrongArity(ctx);
    if (follows(ctx))
        o.fixed = false;
    error = read_reserve(argv, argc, &o);
    if (error)
        return answer(ctx, argv[1], error);
    p = find(ctx, argv[1], WRITE);
    if (p.chain)
        p.error = "ERR item exists";
    else if (!p.error)
        create(ctx, &p, argv[1], o);
    return answer(ctx, argv[1], p.error);
}

/* For BF.ADD and its kin */
static void find_or_create(context *ctx, place *p, string *name, options o)
{
    if (p->error == unfinished)
        p->error = "ERR problem inserting into filter: it is not loaded yet, "
                   "BF.LOADCHUNK the rest of its dump";
    if (p->chain || p->error)
        return;
    if (o.create)
        create(ctx, p, name, o);
    else
        p->error = "ERR not found";
}

static int reply(context *ctx, int done)
{
    static const char full[] = "ERR non scaling filter is full";
    return done == FULL ? RedisModule_ReplyWithError(ctx, full)
         : done == FAILED ? refuse(ctx, "ERR problem inserting into filter")
         : RedisModule_ReplyWithBool(ctx, done == NEW);
}

/* Gives one reply for each item; FULL is the last one. Replicas and the
   append-only file get each item that was taken, also if all of its bits were
   set: in a RedisBloom that reads on, other bits are set. They do not get an
   item for which there was no room, as they may have more memory. */
static int insert(context *ctx, string *name, string **items, int count,
                  options o, bool many)
{
    place p = find(ctx, name, WRITE);
    bool changed = false;
    string **taken;
    int i, n = 0, done = OLD;
    find_or_create(ctx, &p, name, o);
    if (p.error)
        return refuse(ctx, p.error);
    taken = RedisModule_Alloc((size_t)count * sizeof *taken);
    if (many)
        RedisModule_ReplyWithArray(ctx, REDISMODULE_POSTPONED_LEN);
    for (i = 0; i < count && done != FULL; i++) {
        hashes h = hash_item(p.chain, items[i]);
        done = add(ctx, p.chain, &h);
        changed = changed || done == NEW;
        if (done == NEW || done == OLD)
            taken[n++] = items[i];
        reply(ctx, done);
    }
    if (many)
        RedisModule_ReplySetArrayLength(ctx, i);
    if (changed && p.chain->theirs)
        adopt(p);
    if (changed)
        announce(ctx, name);
    if (n == count)
        RedisModule_ReplicateVerbatim(ctx);
    else if (n > 0)
        RedisModule_Replicate(ctx, "BF.MADD", "sv", name, taken, (size_t)n);
    RedisModule_Free(taken);
    return REDISMODULE_OK;
}

static int add_items(context *ctx, string **argv, int argc)
{
    if (argc > 3 && !is_many(argv[0]))
        return RedisModule_WrongArity(ctx);
    return insert(ctx, argv[1], argv + 2, argc - 2, defaults, is_many(argv[0]));
}

static int insert_items(context *ctx, string **argv, int argc)
{
    options o = defaults;
    const char *error = NULL;
    int i;
    for (i = 2; i < argc && !begins(argv[i], "i") && !error; i++) {
        if (begins(argv[i], "noc"))
            o.create = false;
        else if (begins(argv[i], "n"))
            o.fixed = true;
        else if (!begins(argv[i], "e") && !begins(argv[i], "c"))
            error = "Unknown argument received";
        else if (++i < argc)
            error = read_insert(argv[i - 1], argv[i], &o);
    }
    if (error)
        return RedisModule_ReplyWithError(ctx, error);
    if (++i >= argc)
        return RedisModule_WrongArity(ctx);
    return insert(ctx, argv[1], argv + i, argc - i, o, true);
}

static int merge(context *ctx, string **argv, int argc)
{
    place dest = find(ctx, argv[1], WRITE), from;
    chain *united = new_chain(0);
    int i;
    if (dest.chain && !dest.error)
        dest.error = absorb(united, dest.chain);
    for (i = 2; i < argc && !dest.error; i++) {
        from = find_existing(ctx, argv[i]);
        dest.error = from.error ? from.error : absorb(united, from.chain);
    }
    if (!dest.error && united->links > MOST_FILTERS && !follows(ctx))
        dest.error = "ERR more than 1075 filters would be in one key";
    if (dest.error)
        free_chain(united);
    else
        put(dest, united);
    return finish(ctx, argv[1], dest.error);
}

/* ---- Dumps --------------------------------------------------------------- */

static int scan_dump(context *ctx, string **argv, int argc)
{
    place p = find_existing(ctx, argv[1]);
    unsigned char *chunk;
    long long iterator;
    size_t size;
    walk w;
    (void)argc;
    if (!p.error && RedisModule_StringToLongLong(argv[2], &iterator))
        p.error = "Second argument must be numeric";
    if (p.error)
        return RedisModule_ReplyWithError(ctx, p.error);
    w = walk_from(p.chain, (uint64_t)iterator);
    chunk = next_chunk(&w, &size);
    RedisModule_ReplyWithArray(ctx, 2);
    RedisModule_ReplyWithLongLong(ctx, (long long)w.number);
    RedisModule_ReplyWithStringBuffer(ctx, chunk ? (char *)chunk : "", size);
    RedisModule_Free(chunk);
    return REDISMODULE_OK;
}

/* The head may come again while the filter is unfinished: begin anew. */
static int load_chunk(context *ctx, string **argv, int argc)
{
    place p = find(ctx, argv[1], WRITE);
    const char *error = NULL;
    const unsigned char *data;
    long long number;
    size_t size;
    chain *c;
    (void)argc;
    data = (const void *)RedisModule_StringPtrLen(argv[3], &size);
    if (RedisModule_StringToLongLong(argv[2], &number))
        error = "ERR Second argument must be numeric";
    else if (p.error && p.error != unfinished)
        error = p.error;
    else if (number != 1)
        error = p.chain ? load_cells(ctx, p.chain, (uint64_t)number, data,
                                    size)
                        : "ERR not found";
    else if (p.chain && !p.error)
        error = "ERR item exists";
    else if ((error = load_head(ctx, data, size, &c)) == NULL)
        put(p, c);
    return finish(ctx, argv[1], error);
}

/* ---- The module ---------------------------------------------------------- */

int RedisModule_OnLoad(context *ctx, string **argv, int argc);
int RedisModule_OnLoad(context *ctx, string **argv, int argc)
{
    if (RedisModule_Init(ctx, "bloom.h", 2, REDISMODULE_APIVER_1)
        || !RedisModule_LoadConfigs)    /* older than Redis 7 */
        return REDISMODULE_ERR;
    RedisModule_SetModuleOptions(ctx,
        REDISMODULE_OPTIONS_HANDLE_IO_ERRORS
        | REDISMODULE_OPTIONS_HANDLE_REPL_ASYNC_LOAD
        | REDISMODULE_OPTION_NO_IMPLICIT_SIGNAL_MODIFIED);
    return create_types(ctx) && settle(ctx, argv, argc) && add_commands(ctx)
         ? REDISMODULE_OK : REDISMODULE_ERR;
}
