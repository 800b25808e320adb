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

   A filter that could never fit under maxmemory, or without that in the memory
   of the machine, is not made. */
#include "settings.h"

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

/* The end of a command that has no more to say than OK. */
static int finish(context *ctx, const char *error)
{
    if (error)
        return refuse(ctx, error);
    RedisModule_ReplicateVerbatim(ctx);
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

/* BF.Madd and BF.Mexists do as BF.add and BF.exists, for many. */
static bool is_many(const string *name)
{
    return (text(name)[3] | 32) == 'm';
}

static hashes hash_item(const chain *c, const string *item)
{
    size_t size;
    const char *bytes = RedisModule_StringPtrLen(item, &size);
    return hash(c, bytes, size);
}

/* ---- Making and adding --------------------------------------------------- */

static chain *create(context *ctx, options o, const char **error)
{
    chain *c = new_chain(o.fixed ? 0 : (uint64_t)o.expansion);
    double rate = o.rate < MOST_RATE ? o.rate : MOST_RATE;
    *error = append(ctx, c, (uint64_t)o.capacity,
                    c->expansion ? rate / 2 : rate);
    if (!*error)
        return c;
    free_chain(c);
    return NULL;
}

static int reserve(context *ctx, string **argv, int argc)
{
    options o = defaults;
    const char *error;
    place p;
    if (argc > 7)
        return RedisModule_WrongArity(ctx);
    error = read_reserve(argv, argc, &o);
    if (error)
        return finish(ctx, error);
    p = find(ctx, argv[1], WRITE);
    error = p.chain ? "ERR item exists" : p.error;
    if (!error && (p.chain = create(ctx, o, &error)) != NULL)
        RedisModule_ModuleTypeSetValue(p.key, ours, p.chain);
    return finish(ctx, error);
}

/* For BF.ADD and its kin. Replicas, and the append-only file, are told how the
   filter was made: their settings may be others. */
static void find_or_create(context *ctx, place *p, string *name, options o)
{
    string *rate;
    if (p->error == unfinished)
        p->error = "ERR problem inserting into filter: it is not loaded yet, "
                   "BF.LOADCHUNK the rest of its dump";
    if (p->chain || p->error)
        return;
    if (!o.create)
        p->error = "ERR not found";
    else if ((p->chain = create(ctx, o, &p->error)) != NULL) {
        RedisModule_ModuleTypeSetValue(p->key, ours, p->chain);
        rate = RedisModule_CreateStringPrintf(ctx, "%.17g", o.rate);
        RedisModule_Replicate(ctx, "BF.RESERVE", "sslcl", name, rate,
                              o.capacity, "EXPANSION",
                              (long long)p->chain->expansion);
    }
}

/* One reply each; FULL is the last one. */
static int insert(context *ctx, string *name, string **items, int count,
                  options o, bool many)
{
    place p = find(ctx, name, WRITE);
    bool changed = false;
    int i, done = OLD;
    find_or_create(ctx, &p, name, o);
    if (p.error)
        return refuse(ctx, p.error);
    if (many)
        RedisModule_ReplyWithArray(ctx, REDISMODULE_POSTPONED_LEN);
    for (i = 0; i < count && done != FULL; i++) {
        hashes h = hash_item(p.chain, items[i]);
        done = add(ctx, p.chain, &h);
        changed = changed || done == NEW;
        if (done == OLD || done == NEW)
            RedisModule_ReplyWithBool(ctx, done == NEW);
        else
            RedisModule_ReplyWithError(ctx, done == FULL
                ? "ERR non scaling filter is full"
                : "ERR problem inserting into filter");
    }
    if (many)
        RedisModule_ReplySetArrayLength(ctx, i);
    if (changed && p.chain->theirs)
        adopt(p);
    return changed ? RedisModule_ReplicateVerbatim(ctx) : REDISMODULE_OK;
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
    if (dest.error)
        free_chain(united);
    else
        put(dest, united);
    return finish(ctx, dest.error);
}

/* ---- Asking -------------------------------------------------------------- */

/* A missing key, and one of another type, contain nothing. */
static int exists(context *ctx, string **argv, int argc)
{
    place p;
    int i;
    if (argc > 3 && !is_many(argv[0]))
        return RedisModule_WrongArity(ctx);
    p = find(ctx, argv[1], READ);
    if (p.error == unfinished)
        return RedisModule_ReplyWithError(ctx, p.error);
    if (is_many(argv[0]))
        RedisModule_ReplyWithArray(ctx, argc - 2);
    for (i = 2; i < argc; i++) {
        hashes h;
        if (p.chain)
            h = hash_item(p.chain, argv[i]);
        RedisModule_ReplyWithBool(ctx, p.chain && may_contain(p.chain, &h));
    }
    return REDISMODULE_OK;
}

enum { CAPACITY, SIZE, FILTERS, ITEMS, EXPANSION, FIELDS };

static void sum(const chain *c, uint64_t field[FIELDS])
{
    size_t i;
    field[CAPACITY] = field[ITEMS] = 0;
    for (i = 0; i < c->links; i++) {
        field[CAPACITY] += c->link[i].capacity;
        field[ITEMS] += c->link[i].items;
    }
    field[SIZE] = 32 + 64 * c->links + all_cell_bytes(c);  /* as its */
    field[FILTERS] = c->links;
    field[EXPANSION] = c->expansion;
}

static int cardinality(context *ctx, string **argv, int argc)
{
    place p = find(ctx, argv[1], READ);
    uint64_t value[FIELDS] = { 0 };
    (void)argc;
    if (p.error)
        return RedisModule_ReplyWithError(ctx, p.error);
    if (p.chain)
        sum(p.chain, value);
    return RedisModule_ReplyWithLongLong(ctx, (long long)value[ITEMS]);
}

static int info(context *ctx, string **argv, int argc)
{
    static const char *const names[] = { "CAPACITY", "SIZE", "FILTERS",
        "ITEMS", "EXPANSION" }, *const labels[] = { "Capacity", "Size",
        "Number of filters", "Number of items inserted", "Expansion rate" };
    int resp3 = RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_RESP3;
    bool one = argc == 3;
    uint64_t value[FIELDS];
    int i = 0;
    place p;
    if (argc > 3)
        return RedisModule_WrongArity(ctx);
    p = find_existing(ctx, argv[1]);
    while (one && i < FIELDS && !is(argv[2], names[i]))
        i++;
    if (i == FIELDS && !p.error)
        p.error = "Invalid information value";
    if (p.error)
        return RedisModule_ReplyWithError(ctx, p.error);
    sum(p.chain, value);
    if (one && !resp3)
        RedisModule_ReplyWithArray(ctx, 1);
    else
        RedisModule_ReplyWithMap(ctx, one ? 1 : FIELDS);
    do {
        if (!one || resp3)
            RedisModule_ReplyWithSimpleString(ctx, labels[i]);
        if (i == EXPANSION && value[i] == 0)
            RedisModule_ReplyWithNull(ctx);
        else
            RedisModule_ReplyWithLongLong(ctx, (long long)value[i]);
    } while (!one && ++i < FIELDS);
    return REDISMODULE_OK;
}

static int debug(context *ctx, string **argv, int argc)
{
    place p = find_existing(ctx, argv[1]);
    uint64_t value[FIELDS], i;
    (void)argc;
    if (p.error)
        return RedisModule_ReplyWithError(ctx, p.error);
    sum(p.chain, value);
    RedisModule_ReplyWithArray(ctx, 1 + (long)p.chain->links);
    RedisModule_ReplyWithString(ctx, RedisModule_CreateStringPrintf(ctx,
        "size:%llu", (unsigned long long)value[ITEMS]));
    for (i = 0; i < p.chain->links; i++) {
        const chain_link *l = &p.chain->link[i];
        bool own = kind(l->image) == OURS;
        uint64_t bytes = cell_bytes(l->image);
        RedisModule_ReplyWithString(ctx, RedisModule_CreateStringPrintf(ctx,
            "bytes:%llu bits:%llu hashes:%u hashwidth:%u capacity:%llu "
            "size:%llu ratio:%g", (unsigned long long)bytes,
            (unsigned long long)(own ? 8 * bytes : their_cells(l->image)),
            (unsigned)(own ? l->image[6] : load(l->image + 4, 4)),
            kind(l->image) == NARROW ? 32U : 64U,
            (unsigned long long)l->capacity, (unsigned long long)l->items,
            l->rate));
    }
    return REDISMODULE_OK;
}

/* ---- Dumps --------------------------------------------------------------- */

static int scan_dump(context *ctx, string **argv, int argc)
{
    place p = find_existing(ctx, argv[1]);
    unsigned char *chunk;
    long long iterator;
    uint64_t number;
    size_t size;
    (void)argc;
    if (!p.error && RedisModule_StringToLongLong(argv[2], &iterator))
        p.error = "Second argument must be numeric";
    if (p.error)
        return RedisModule_ReplyWithError(ctx, p.error);
    number = (uint64_t)iterator;
    chunk = dump(p.chain, &number, &size);
    RedisModule_ReplyWithArray(ctx, 2);
    RedisModule_ReplyWithLongLong(ctx, (long long)number);
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
        error = p.chain ? load_cells(p.chain, (uint64_t)number, data, size)
                        : "ERR not found";
    else if (p.chain && !p.error)
        error = "ERR item exists";
    else if ((error = load_head(ctx, data, size, &c)) == NULL)
        put(p, c);
    return finish(ctx, error);
}

/* ---- The module ---------------------------------------------------------- */

static const char writing[] = "write deny-oom", reading[] = "readonly fast";

static const command commands[] = {
    { "bf.reserve", reserve, -4, writing, writes, reserve_words },
    { "bf.add", add_items, 3, writing, writes, item_words },
    { "bf.madd", add_items, -3, writing, writes, items_words },
    { "bf.insert", insert_items, -4, writing, writes, insert_words },
    { "bf.merge", merge, -3, writing, merges, merge_words },
    { "bf.loadchunk", load_chunk, 4, writing, writes, load_words },
    { "bf.exists", exists, 3, reading, reads, item_words },
    { "bf.mexists", exists, -3, reading, reads, items_words },
    { "bf.card", cardinality, 2, reading, reads, key_words },
    { "bf.info", info, -2, reading, reads, info_words },
    { "bf.debug", debug, 2, reading, reads, key_words },
    { "bf.scandump", scan_dump, 3, "readonly", reads, scan_words },
};

int RedisModule_OnLoad(context *ctx, string **argv, int argc);
int RedisModule_OnLoad(context *ctx, string **argv, int argc)
{
    if (RedisModule_Init(ctx, "bloom.h", 2, REDISMODULE_APIVER_1)
        || !RedisModule_LoadConfigs)    /* older than Redis 7 */
        return REDISMODULE_ERR;
    RedisModule_SetModuleOptions(ctx, REDISMODULE_OPTIONS_HANDLE_IO_ERRORS);
    return create_types(ctx) && settle(ctx, argv, argc)
        && add_commands(ctx, commands, sizeof commands / sizeof *commands)
         ? REDISMODULE_OK : REDISMODULE_ERR;
}
