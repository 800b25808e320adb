/* A module for Redis 7 and later, and for Valkey, that offers RedisBloom's
   Bloom filter commands, BF.MERGE and filters whose items expire, built on
   bloom.h. Without it, programs that use RedisBloom could not change over to
   bloom.h. Replies and error messages of BF. commands are RedisBloom's, word
   for word, so that its clients work. Some error messages go on with a colon
   and the reason. Unlike in RedisBloom, words that are no options are errors.

   README.md has the commands, and says how to build this file.

   No false negatives: an item for which BF.ADD replied 1 or 0 is found as long
   as Redis has the key. This holds on replicas and after restarts, dumps and
   merges.
   False positives: other items are found with a rate of at most `error`,
   however many items were added. An `error` above 0.25 counts as 0.25, and one
   below 5 * 10^-19 as 5 * 10^-19. When a filter has `capacity` items, the key
   gets another filter, for EXPANSION times as many items and half the rate. A
   NONSCALING filter refuses new items instead.
   Commands of a master or of an append-only file: they are executed, or the
   server stops with the reason in its log. RedisBloom 2 has no limits for
   CAPACITY and EXPANSION, so such commands may exceed those for clients, and
   they may have the words that RedisBloom accepts.
   Corrupted data: it is refused and changes nothing. Until the last chunk of a
   dump is loaded, commands on the key return errors, never a wrong 0.

   Dumps, RDB files and append-only files of RedisBloom are loaded as they are.
   Their filters give the same answers as in RedisBloom and take further items.
   Only items beyond their capacity go into new filters of bloom.h. Until
   something is added, a key is saved exactly as RedisBloom saved it.

   After BF.MERGE, dest finds every item that it or a source found before. If
   dest does not exist, it is created, so one source is copied. After an error
   dest is unchanged. All filters need the same error rate. Either none of them
   is NONSCALING, or all are, with the same capacity. A filter whose bits are
   all in a filter of dest adds nothing. Filters of equal size are united if the
   union keeps the rate. Otherwise dest gets an additional filter, or, if it is
   NONSCALING, the reply is an error. So the rate of dest is `error` if all
   filters could be united, and never above the sum of the merged rates,
   including its own before the merge. After a merge BF.CARD returns an
   estimate.

   Memory: a filter of 1 MB or more is created only if Redis stays below
   maxmemory with it or, without maxmemory, below half of the machine's memory.
   If Redis evicts keys, only the filter itself must fit below maxmemory.
   README.md lists the other limits. */
#include "window_commands.h"

static hashes hash_item(const chain *c, const string *item)
{
    size_t size;
    const char *bytes = RedisModule_StringPtrLen(item, &size);
    return hash(c, bytes, size);
}

/* ---- Making and adding --------------------------------------------------- */

/* Makes the filter of a key that does not exist. Replicas and the append-only
   file get a BF.RESERVE with all parameters, because their settings may differ.
   For filters that do not grow it contains NONSCALING, because old versions of
   RedisBloom refuse EXPANSION 0. */
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

static int reserve(context *ctx, string **argv, int argc)
{
    options o = options_of(ctx);
    const char *error;
    place p;
    if (argc > 7)
        return RedisModule_WrongArity(ctx);
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

/* For the commands that add: finds the filter, or creates it if o.create. */
static void find_or_create(context *ctx, place *p, string *name, options o)
{
    if (p->error == unfinished)
        p->error = "ERR problem inserting into filter: it is not loaded yet; "
                   "send the rest of its dump with BF.LOADCHUNK";
    if (p->chain || p->error)
        return;
    if (o.create)
        create(ctx, p, name, o);
    else
        p->error = "ERR not found";
}

static int reply(context *ctx, const string *key, int done, const char *error)
{
    static const char full[] = "ERR non scaling filter is full";
    return done == FULL ? RedisModule_ReplyWithError(ctx, full)
         : done == FAILED ? refuse(ctx, key, error)
         : RedisModule_ReplyWithBool(ctx, done == NEW);
}

/* Sends one reply for each item; after FULL no more follow. Replicas and the
   append-only file get each accepted item, even if all of its bits were set,
   because RedisBloom, which may read them, sets other bits. They do not get an
   item that was refused for lack of memory. They may have more memory, and
   would then differ. */
static int insert(context *ctx, string *name, string **items, int count,
                  options o, bool many)
{
    place p = find(ctx, name, WRITE);
    bool changed = false;
    const char *error = NULL;
    string **taken;
    int i, n = 0, done = OLD;
    find_or_create(ctx, &p, name, o);
    if (p.error)
        return refuse(ctx, name, p.error);
    taken = RedisModule_Alloc((size_t)count * sizeof *taken);
    if (many)
        RedisModule_ReplyWithArray(ctx, REDISMODULE_POSTPONED_LEN);
    for (i = 0; i < count && done != FULL; i++) {
        hashes h = hash_item(p.chain, items[i]);
        done = add(ctx, p.chain, &h, &error);
        changed = changed || done == NEW;
        if (done == NEW || done == OLD)
            taken[n++] = items[i];
        reply(ctx, name, done, error);
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
    return insert(ctx, argv[1], argv + 2, argc - 2, options_of(ctx),
                  is_many(argv[0]));
}

static int insert_items(context *ctx, string **argv, int argc)
{
    options o = options_of(ctx);
    const char *error = NULL;
    int i;
    for (i = 2; i < argc && !option(&o, argv[i], "ITEMS", "i") && !error; i++) {
        if (option(&o, argv[i], "NOCREATE", "noc"))
            o.create = false;
        else if (option(&o, argv[i], "NONSCALING", "n"))
            o.fixed = true;
        else if (!option(&o, argv[i], "EXPANSION", "e")
                 && !option(&o, argv[i], "ERROR", "e")
                 && !option(&o, argv[i], "CAPACITY", "c"))
            error = UNKNOWN;
        else if (++i < argc)
            error = read_insert(argv[i - 1], argv[i], &o);
    }
    if (error)
        return refuse(ctx, argv[1], error);
    if (++i >= argc)
        return RedisModule_WrongArity(ctx);
    return insert(ctx, argv[1], argv + i, argc - i, o, true);
}

/* Adds the items of a key to `united`. */
static const char *merge_one(context *ctx, chain *united, const chain *from)
{
    const char *error = absorb(ctx, united, from);
    if (!error && united->links > MOST_FILTERS && !follows(ctx))
        return "ERR the merged key would have more than 1075 filters; merge "
               "fewer sources";
    return error;
}

static int merge(context *ctx, string **argv, int argc)
{
    place dest = find(ctx, argv[1], WRITE), from;
    chain *united = new_chain(0);
    int i;
    if (dest.chain && !dest.error)
        dest.error = merge_one(ctx, united, dest.chain);
    for (i = 2; i < argc && !dest.error; i++) {
        from = find_existing(ctx, argv[i]);
        dest.error = from.error ? from.error
                   : merge_one(ctx, united, from.chain);
    }
    if (dest.error)
        free_chain(united);
    else
        put(dest, united);
    return finish(ctx, argv[1], dest.error);
}

/* ---- Reading ------------------------------------------------------------- */

/* As in RedisBloom, the replies for a missing key, or for a key of another
   type, are 0. */
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
    field[SIZE] = key_bytes(c);
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

/* While the filter is unfinished, its first chunk may come again: then loading
   starts over. */
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
    if (RedisModule_Init(ctx, "bloom.h", BLOOM_VERSION, REDISMODULE_APIVER_1)
        || !RedisModule_LoadConfigs)    /* older than Redis 7 */
        return REDISMODULE_ERR;
    RedisModule_SetModuleOptions(ctx,
        REDISMODULE_OPTIONS_HANDLE_IO_ERRORS
        | REDISMODULE_OPTIONS_HANDLE_REPL_ASYNC_LOAD
        | REDISMODULE_OPTION_NO_IMPLICIT_SIGNAL_MODIFIED);
    return create_types(ctx) && create_window_type(ctx)
        && settle(ctx, argv, argc) && add_commands(ctx)
         ? REDISMODULE_OK : REDISMODULE_ERR;
}
