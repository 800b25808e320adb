/* The commands that only read: BF.EXISTS, BF.MEXISTS, BF.CARD, BF.INFO and
   BF.DEBUG */
#include "commands.h"

static hashes hash_item(const chain *c, const string *item)
{
    size_t size;
    const char *bytes = RedisModule_StringPtrLen(item, &size);
    return hash(c, bytes, size);
}

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
