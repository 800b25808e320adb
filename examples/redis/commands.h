/* Registers the commands with the server: their flags, ACL categories, keys and
   arguments, and the texts of COMMAND DOCS. Without it, the server would know
   no command, and neither ACL rules nor cluster clients would find the keys. */
#ifndef REDIS_COMMANDS_H
#define REDIS_COMMANDS_H

#include "settings.h"

#define KEYS(flags_, first, last) \
    { .flags = flags_, .begin_search_type = REDISMODULE_KSPEC_BS_INDEX, \
      .bs.index = { first }, .find_keys_type = REDISMODULE_KSPEC_FK_RANGE, \
      .fk.range = { last, 1, 0 } }

enum {
    READS = REDISMODULE_CMD_KEY_RO | REDISMODULE_CMD_KEY_ACCESS,
    WRITES = REDISMODULE_CMD_KEY_RW | REDISMODULE_CMD_KEY_INSERT,
    OPTIONAL = REDISMODULE_CMD_ARG_OPTIONAL,
    MULTIPLE = REDISMODULE_CMD_ARG_MULTIPLE
};

static RedisModuleCommandKeySpec reads[] = { KEYS(READS, 1, 0), { 0 } },
    writes[] = { KEYS(WRITES, 1, 0), { 0 } },
    merges[] = { KEYS(WRITES, 1, 0), KEYS(READS, 2, -1), { 0 } };

#define WORD(name_, type_, token_, flags_) \
    { .name = name_, .type = REDISMODULE_ARG_TYPE_##type_, .token = token_, \
      .flags = flags_ }
#define KEY WORD("key", KEY, NULL, 0)
#define ITERATOR WORD("iterator", INTEGER, NULL, 0)
#define FLAG(name, word) WORD(name, PURE_TOKEN, word, OPTIONAL)
#define FIELD(name, word) WORD(name, PURE_TOKEN, word, 0)
#define EXPANSION_WORD WORD("expansion", INTEGER, "EXPANSION", OPTIONAL)

typedef RedisModuleCommandArg words[];

static words key_words = { KEY, { 0 } },
    item_words = { KEY, WORD("item", STRING, NULL, 0), { 0 } },
    items_words = { KEY, WORD("item", STRING, NULL, MULTIPLE), { 0 } },
    scan_words = { KEY, ITERATOR, { 0 } },
    load_words = { KEY, ITERATOR, WORD("data", STRING, NULL, 0), { 0 } },
    fields = { FIELD("capacity", "CAPACITY"), FIELD("size", "SIZE"),
        FIELD("filters", "FILTERS"), FIELD("items", "ITEMS"),
        FIELD("expansion", "EXPANSION"), { 0 } },
    info_words = { KEY, { .name = "single_value",
        .type = REDISMODULE_ARG_TYPE_ONEOF, .flags = OPTIONAL,
        .subargs = fields }, { 0 } },
    merge_words = { WORD("destination", KEY, NULL, 0),
        { .name = "source", .type = REDISMODULE_ARG_TYPE_KEY,
          .key_spec_index = 1, .flags = MULTIPLE }, { 0 } },
    reserve_words = { KEY, WORD("error_rate", DOUBLE, NULL, 0),
        WORD("capacity", INTEGER, NULL, 0), EXPANSION_WORD,
        FLAG("nonscaling", "NONSCALING"), { 0 } },
    insert_words = { KEY, WORD("capacity", INTEGER, "CAPACITY", OPTIONAL),
        WORD("error", DOUBLE, "ERROR", OPTIONAL), EXPANSION_WORD,
        FLAG("nocreate", "NOCREATE"), FLAG("nonscaling", "NONSCALING"),
        FIELD("items", "ITEMS"), WORD("item", STRING, NULL, MULTIPLE), { 0 } },
    window_words = { KEY, WORD("error_rate", DOUBLE, NULL, 0),
        WORD("items", INTEGER, NULL, 0), WORD("seconds", DOUBLE, NULL, 0),
        WORD("generations", INTEGER, "GENERATIONS", OPTIONAL), { 0 } },
    at_words = { KEY, WORD("milliseconds", INTEGER, NULL, 0),
        WORD("item", STRING, NULL, MULTIPLE), { 0 } },
    image_words = { KEY, WORD("image", STRING, NULL, 0), { 0 } };

typedef int does(context *, string **, int);
static does reserve, add_items, insert_items, merge, load_chunk, exists,
    cardinality, info, debug, scan_dump, reserve_window, add_window_items,
    add_window_items_at, window_exists, window_info, load_window_image;

typedef struct command {
    const char *name, *since;           /* version of RedisBloom; for BF.MERGE
                                           and BW., of this module */
    does *function;
    int arity;                          /* -n: n words or more */
    const char *flags, *categories;
    RedisModuleCommandKeySpec *keys;
    RedisModuleCommandArg *words;
    const char *complexity, *summary, *tips;
} command;

#define WRITING "write deny-oom"
#define READING "readonly fast"
#define ITEM "O(k * f) for k hash functions and f filters in the key"
#define EACH_ITEM "O(n * k * f) for n items, k hash functions and f filters"
#define FILTER "O(f) for f filters in the key"
#define BYTES "O(n) for n bytes of filters"
#define AGED "O(n * k * g) for n items, k hash functions and g generations; " \
    "when a generation ends, also O(b) for its bytes"
#define PAIRS "O(n + f * g) for n bytes of filters, f filters in the sources " \
    "and g in the destination"

static const command commands[] = {
    { "bf.reserve", "1.0.0", reserve, -4, WRITING, "write fast", writes,
      reserve_words, BYTES, "Creates an empty Bloom filter with the given "
      "false-positive rate and capacity.", NULL },
    { "bf.add", "1.0.0", add_items, 3, WRITING, "write", writes, item_words,
      ITEM, "Adds an item to a Bloom filter. Creates the filter if it does "
      "not exist.", NULL },
    { "bf.madd", "1.0.0", add_items, -3, WRITING, "write", writes, items_words,
      EACH_ITEM, "Adds items to a Bloom filter. Creates the filter if it does "
      "not exist.", NULL },
    { "bf.insert", "1.0.0", insert_items, -4, WRITING, "write", writes,
      insert_words, EACH_ITEM, "Adds items to a Bloom filter. Creates the "
      "filter with the given options if it does not exist.", NULL },
    { "bf.merge", "1.0.0", merge, -3, WRITING, "write", merges, merge_words,
      PAIRS, "Adds all items of the source filters to the destination. Creates "
      "the destination if it does not exist.", NULL },
    { "bf.loadchunk", "1.0.0", load_chunk, 4, WRITING, "write", writes,
      load_words, BYTES, "Restores a chunk of a Bloom filter that BF.SCANDUMP "
      "returned.", NULL },
    { "bf.exists", "1.0.0", exists, 3, READING, "read", reads, item_words,
      ITEM, "Returns 0 if the item was certainly not added, 1 if it may have "
      "been added.", NULL },
    { "bf.mexists", "1.0.0", exists, -3, READING, "read", reads, items_words,
      EACH_ITEM, "Returns, for each item, 0 if it was certainly not added, 1 "
      "if it may have been added.", NULL },
    { "bf.card", "2.4.4", cardinality, 2, READING, "read fast", reads,
      key_words, FILTER, "Returns the number of items in a Bloom filter. After "
      "BF.MERGE it is an estimate.", NULL },
    { "bf.info", "1.0.0", info, -2, READING, "read fast", reads, info_words,
      FILTER, "Returns the capacity, size in bytes, number of filters, number "
      "of items and expansion rate of a Bloom filter, or one of these.",
      "dont_cache" },
    { "bf.debug", "1.0.0", debug, 2, READING, "read", reads, key_words, FILTER,
      "Returns the size, hash functions, capacity, items and rate of each "
      "filter in the key.", "dont_cache" },
    { "bf.scandump", "1.0.0", scan_dump, 3, "readonly", "read", reads,
      scan_words, BYTES, "Returns a chunk of the filter for BF.LOADCHUNK, and "
      "the iterator of the next chunk.", "dont_cache" },
    { "bw.reserve", "2.4", reserve_window, -5, WRITING, "write fast", writes,
      window_words, BYTES, "Creates a window: a Bloom filter whose items "
      "expire after the given seconds, for so many new items in that time.",
      NULL },
    { "bw.add", "2.4", add_window_items, 3, "write", "write", writes,
      item_words, AGED, "Adds an item to a window unless it is in. Returns 1 "
      "if it was added, 0 if it is in or is a false positive.", NULL },
    { "bw.madd", "2.4", add_window_items, -3, "write", "write", writes,
      items_words, AGED, "Adds the items to a window that are not in. "
      "Returns, for each item, 1 if it was added, 0 if it is in or is a false "
      "positive.", NULL },
    { "bw.addat", "2.4", add_window_items_at, -4, "write", "write", writes,
      at_words, AGED, "Adds items at a time, in Unix milliseconds. For "
      "replicas and append-only files.", NULL },
    { "bw.load", "2.4", load_window_image, 3, WRITING, "write", writes,
      image_words, BYTES, "Restores a window. For append-only files.", NULL },
    { "bw.exists", "2.4", window_exists, 3, READING, "read", reads,
      item_words, AGED, "Returns 0 if the item was certainly not added in "
      "the window's seconds, 1 if it may have been added.", "dont_cache" },
    { "bw.mexists", "2.4", window_exists, -3, READING, "read", reads,
      items_words, AGED, "Returns, for each item, 0 if it was "
      "certainly not added in the window's seconds, 1 if it may have been "
      "added.",
      "dont_cache" },
    { "bw.info", "2.4", window_info, 2, "readonly", "read", reads, key_words,
      BYTES, "Returns the size, planned items, seconds, generations, capacity, "
      "estimated items and false-positive rate of a window, and how often "
      "items were forgotten early.", "dont_cache" },
};

/* Makes the ACL category "bloom" and puts the commands into their categories,
   on servers that have these functions: Redis 7.4 and later. They are looked
   up by name, because an older redismodule.h does not declare them. If the
   server refuses "bloom", because it exists or no more fit, the commands are
   put into the other categories only. */
static bool add_commands(context *ctx)
{
    int (*make)(context *, const char *) = NULL;
    int (*set)(RedisModuleCommand *, const char *) = NULL;
    const command *c, *end = commands + sizeof commands / sizeof *commands;
    char categories[32];
    RedisModule_GetApi("RedisModule_AddACLCategory", &make);
    RedisModule_GetApi("RedisModule_SetCommandACLCategories", &set);
    if (make)
        make(ctx, "bloom");
    for (c = commands; c < end; c++) {
        RedisModuleCommandInfo more = {
            .version = REDISMODULE_COMMAND_INFO_VERSION, .arity = c->arity,
            .key_specs = c->keys, .args = c->words, .summary = c->summary,
            .complexity = c->complexity, .since = c->since, .tips = c->tips };
        RedisModuleCommand *made;
        if (RedisModule_CreateCommand(ctx, c->name, c->function, c->flags, 1,
                                      c->keys == merges ? -1 : 1, 1))
            return false;
        made = RedisModule_GetCommand(ctx, c->name);
        strcat(strcpy(categories, "bloom "), c->categories);
        if (RedisModule_SetCommandInfo(made, &more)
            || (set && set(made, categories) && set(made, c->categories)))
            return false;
    }
    return true;
}

#endif
