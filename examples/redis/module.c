/* Bloom filters in Redis 7: the commands of RedisBloom, its replies and errors
   word for word, so that its clients work, on bloom.h; and BF.MERGE. Build it
   with src/redismodule.h of Redis (`apt-get source redis`) in FOLDER, load it:

       cc -O2 -shared -fPIC -I. -IFOLDER examples/redis/module.c -o bloom.so
       redis-server --loadmodule ./bloom.so

   BF.RESERVE key error capacity [EXPANSION e] [NONSCALING]
   BF.ADD key item              BF.MADD key item...
   BF.EXISTS key item           BF.MEXISTS key item...
   BF.INSERT key [CAPACITY c] [ERROR p] [EXPANSION e] [NOCREATE] [NONSCALING]
             ITEMS item...
   BF.CARD key                  BF.INFO key [CAPACITY|SIZE|FILTERS|ITEMS|
                                             EXPANSION]
   BF.SCANDUMP key iterator     BF.LOADCHUNK key iterator data
   BF.MERGE dest source...

   An item whose BF.ADD was answered by 1 or 0 is found as long as Redis has the
   key: on replicas, after restarts, dumps and merges. Others are found at most
   with the rate `error` (0.25 if it is more), however many were added: past
   `capacity` the key gets one more filter, for EXPANSION times as many items
   with half the rate. NONSCALING ones refuse instead. Dumps are this module's
   own; what is damaged is refused, and changes nothing. Until the last chunk is
   loaded a key answers by errors, never by a wrong 0.

   BF.MERGE makes dest find what it and the sources do; if there is no dest, it
   is made, so that one source is copied. On an error dest is as it was. All
   must have the same error rate, and all or none be NONSCALING, then of the
   same capacity. Filters of the same size are united where that keeps the rate;
   else dest gets one more, or says that it is full if NONSCALING. So the rate
   is `error` if all could be united, and never more than the sum of what was
   merged. BF.CARD is then an estimate.

   A filter that could never fit under maxmemory is not made. */
#include "chain.h"
#include <strings.h>

typedef RedisModuleCtx context;
typedef RedisModuleString string;

static RedisModuleType *type;

/* ---- Keys ---------------------------------------------------------------- */

static const char unfinished[] =
    "ERR filter is not loaded yet, BF.LOADCHUNK the rest of its dump";

typedef struct place {
    RedisModuleKey *key;
    chain *chain;                       /* NULL without an error: no key */
    const char *error;                  /* wrong type, or unfinished */
} place;

enum { READ = REDISMODULE_READ, WRITE = READ | REDISMODULE_WRITE };

static place find(context *ctx, string *name, int mode)
{
    place p = { NULL, NULL, NULL };
    RedisModule_AutoMemory(ctx);        /* closes the key */
    p.key = RedisModule_OpenKey(ctx, name, mode);
    if (RedisModule_KeyType(p.key) == REDISMODULE_KEYTYPE_EMPTY)
        return p;
    if (RedisModule_ModuleTypeGetType(p.key) == type)
        p.chain = RedisModule_ModuleTypeGetValue(p.key);
    if (!p.chain)
        p.error = REDISMODULE_ERRORMSG_WRONGTYPE;
    else if (p.chain->missing > 0)
        p.error = unfinished;
    return p;
}

static place find_existing(context *ctx, string *name)
{
    place p = find(ctx, name, READ);
    if (!p.chain && !p.error)
        p.error = "ERR not found";
    return p;
}

static void put(place p, chain *c)
{
    void *old;
    if (!p.chain)
        RedisModule_ModuleTypeSetValue(p.key, type, c);
    else if (RedisModule_ModuleTypeReplaceValue(p.key, type, c, &old)
             == REDISMODULE_OK)
        free_chain(old);
}

/* The end of a command that has no more to say than OK. */
static int finish(context *ctx, const char *error)
{
    if (error)
        return RedisModule_ReplyWithError(ctx, error);
    RedisModule_ReplicateVerbatim(ctx);
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

/* BF.Madd and BF.Mexists do as BF.add and BF.exists, for many. */
static bool is_many(const string *command)
{
    return (RedisModule_StringPtrLen(command, NULL)[3] | 32) == 'm';
}

static bloom_hash hash(const chain *c, const string *item)
{
    size_t size;
    const char *bytes = RedisModule_StringPtrLen(item, &size);
    return bloom_hash_key(c->link->filter, bytes, size);
}

/* ---- Making and adding --------------------------------------------------- */

typedef struct options {
    double rate;
    long long capacity, expansion;
    bool fixed, create;
} options;

static const options defaults = { 0.01, 100, 2, false, true };

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

static const char *text(const string *word)
{
    return RedisModule_StringPtrLen(word, NULL);
}

static bool in(long long x, long long least, long long most)
{
    return x >= least && x <= most;
}

static const char *read_reserve(string **argv, int argc, options *o)
{
    int i;
    if (RedisModule_StringToDouble(argv[2], &o->rate))
        return "ERR bad error rate";
    if (!(o->rate > 0 && o->rate < 1))
        return "ERR error rate must be in the range (0.000000, 1.000000)";
    if (RedisModule_StringToLongLong(argv[3], &o->capacity))
        return "ERR bad capacity";
    if (!in(o->capacity, 1, 1 << 30))
        return "ERR capacity must be in the range [1, 1073741824]";
    for (i = 4; i < argc; i++)          /* other words are ignored, as there */
        o->fixed = o->fixed || strcasecmp(text(argv[i]), "NONSCALING") == 0;
    for (i = 4; i < argc && strcasecmp(text(argv[i]), "EXPANSION") != 0; )
        i++;
    if (i >= argc)
        return NULL;
    if (++i == argc)
        return "ERR no expansion";
    if (RedisModule_StringToLongLong(argv[i], &o->expansion))
        return "ERR bad expansion";
    if (o->fixed && o->expansion != 0)
        return "Nonscaling filters cannot expand";
    return in(o->expansion, 0, MOST_EXPANSION) ? NULL
        : "ERR expansion must be in the range [0, 32768]";
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
        RedisModule_ModuleTypeSetValue(p.key, type, p.chain);
    return finish(ctx, error);
}

/* One reply each; FULL is the last one. */
static int insert(context *ctx, string *name, string **items, int count,
                  options o, bool many)
{
    place p = find(ctx, name, WRITE);
    bool changed = !p.chain;
    int i, done = OLD;
    if (!p.chain && !p.error && !o.create)
        p.error = "ERR not found";
    if (!p.chain && !p.error && (p.chain = create(ctx, o, &p.error)) != NULL)
        RedisModule_ModuleTypeSetValue(p.key, type, p.chain);
    if (p.error)
        return RedisModule_ReplyWithError(ctx, p.error);
    if (many)
        RedisModule_ReplyWithArray(ctx, REDISMODULE_POSTPONED_LEN);
    for (i = 0; i < count && done != FULL; i++) {
        done = add(ctx, p.chain, hash(p.chain, items[i]));
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
    return changed ? RedisModule_ReplicateVerbatim(ctx) : REDISMODULE_OK;
}

static int add_items(context *ctx, string **argv, int argc)
{
    if (argc > 3 && !is_many(argv[0]))
        return RedisModule_WrongArity(ctx);
    return insert(ctx, argv[1], argv + 2, argc - 2, defaults, is_many(argv[0]));
}

/* Options are told by their first letters. */
static bool begins(const string *word, const char *with)
{
    return strncasecmp(text(word), with, strlen(with)) == 0;
}

static const char *read_insert(string *name, string *value, options *o)
{
    if (begins(name, "er"))
        return RedisModule_StringToDouble(value, &o->rate)
            || !(o->rate > 0 && o->rate < 1) ? "Bad error rate" : NULL;
    if (begins(name, "e"))
        return RedisModule_StringToLongLong(value, &o->expansion)
            || !in(o->expansion, 0, MOST_EXPANSION) ? "Bad expansion" : NULL;
    return RedisModule_StringToLongLong(value, &o->capacity)
        || !in(o->capacity, 1, 1 << 30) ? "Bad capacity" : NULL;
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
    for (i = 2; i < argc; i++)
        RedisModule_ReplyWithBool(ctx, p.chain
            && may_contain(p.chain, hash(p.chain, argv[i])));
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
    field[SIZE] = 32 + 64 * c->links + cell_bytes(c);     /* as RedisBloom's */
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
    while (one && i < FIELDS && strcasecmp(text(argv[2]), names[i]) != 0)
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

/* ---- Dumps ------------------------------------------------------------------
   RDB files, AOF and digests have the chunks of BF.SCANDUMP. */

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

/* What is missing; each chunk after its number; 0. */
static void rdb_save(RedisModuleIO *io, void *value)
{
    uint64_t number = 0;
    unsigned char *chunk;
    size_t size;
    RedisModule_SaveUnsigned(io, ((const chain *)value)->missing);
    while ((chunk = dump(value, &number, &size)) != NULL) {
        RedisModule_SaveUnsigned(io, number);
        RedisModule_SaveStringBuffer(io, (char *)chunk, size);
        RedisModule_Free(chunk);
    }
    RedisModule_SaveUnsigned(io, 0);
}

static void *rdb_load(RedisModuleIO *io, int version)
{
    const char *error = version == 1 ? NULL : "unknown version";
    uint64_t missing = RedisModule_LoadUnsigned(io), number;
    chain *c = NULL;
    size_t size;
    while (!error && (number = RedisModule_LoadUnsigned(io)) != 0) {
        void *chunk = RedisModule_LoadStringBuffer(io, &size);
        if (chunk && !c && number == 1)
            error = load_head(RedisModule_GetContextFromIO(io), chunk, size,
                              &c);
        else
            error = chunk && c ? load_cells(c, number, chunk, size) : BAD_DATA;
        RedisModule_Free(chunk);
    }
    if (!error && c && c->missing == missing && !RedisModule_IsIOError(io))
        return c;
    RedisModule_LogIOError(io, "warning", "Bloom filter: %s",
                           error ? error : BAD_DATA);
    if (c)
        free_chain(c);
    return NULL;
}

static void aof_rewrite(RedisModuleIO *io, string *key, void *value)
{
    uint64_t number = 0;
    unsigned char *chunk;
    size_t size;
    while ((chunk = dump(value, &number, &size)) != NULL) {
        RedisModule_EmitAOF(io, "BF.LOADCHUNK", "slb", key, (long long)number,
                            (char *)chunk, size);
        RedisModule_Free(chunk);
    }
}

static void digest(RedisModuleDigest *d, void *value)
{
    uint64_t number = 0;
    unsigned char *chunk;
    size_t size;
    while ((chunk = dump(value, &number, &size)) != NULL) {
        RedisModule_DigestAddStringBuffer(d, (char *)chunk, size);
        RedisModule_Free(chunk);
    }
    RedisModule_DigestEndSequence(d);
}

/* ---- The module ---------------------------------------------------------- */

/* Each image lies in an allocation 32 bytes larger. */
static size_t memory_usage(const void *value)
{
    const chain *c = value;
    return sizeof *c + (size_t)cell_bytes(c)
         + c->links * (sizeof *c->link + IMAGE_HEADER + 32);
}

static const struct {
    const char *name;
    RedisModuleCmdFunc function;
    int arity;                          /* -n: n words or more */
    const char *flags;
} commands[] = {
    { "BF.RESERVE", reserve, -4, "write deny-oom" },
    { "BF.ADD", add_items, 3, "write deny-oom" },
    { "BF.MADD", add_items, -3, "write deny-oom" },
    { "BF.INSERT", insert_items, -4, "write deny-oom" },
    { "BF.MERGE", merge, -3, "write deny-oom" },
    { "BF.LOADCHUNK", load_chunk, 4, "write deny-oom" },
    { "BF.EXISTS", exists, 3, "readonly fast" },
    { "BF.MEXISTS", exists, -3, "readonly fast" },
    { "BF.CARD", cardinality, 2, "readonly fast" },
    { "BF.INFO", info, -2, "readonly fast" },
    { "BF.SCANDUMP", scan_dump, 3, "readonly" },
};

static int add_command(context *ctx, size_t i)
{
    RedisModuleCommandInfo more = { .version = REDISMODULE_COMMAND_INFO_VERSION,
                                    .arity = commands[i].arity };
    int keys = commands[i].function == merge ? -1 : 1;
    return RedisModule_CreateCommand(ctx, commands[i].name,
               commands[i].function, commands[i].flags, 1, keys, 1)
        || RedisModule_SetCommandInfo(
               RedisModule_GetCommand(ctx, commands[i].name), &more);
}

int RedisModule_OnLoad(context *ctx, string **argv, int argc);
int RedisModule_OnLoad(context *ctx, string **argv, int argc)
{
    RedisModuleTypeMethods methods = {
        .version = REDISMODULE_TYPE_METHOD_VERSION, .rdb_load = rdb_load,
        .rdb_save = rdb_save, .aof_rewrite = aof_rewrite, .free = free_chain,
        .mem_usage = memory_usage, .digest = digest
    };
    size_t i;
    (void)argv;
    if (RedisModule_Init(ctx, "bloom.h", 1, REDISMODULE_APIVER_1) || argc > 0
        || !RedisModule_TryAlloc)       /* older than Redis 7 */
        return REDISMODULE_ERR;
    RedisModule_SetModuleOptions(ctx, REDISMODULE_OPTIONS_HANDLE_IO_ERRORS);
    type = RedisModule_CreateDataType(ctx, "bloom-h-1", 1, &methods);
    for (i = 0; type && i < sizeof commands / sizeof *commands; i++)
        if (add_command(ctx, i))
            return REDISMODULE_ERR;
    return type ? REDISMODULE_OK : REDISMODULE_ERR;
}
