/* What the server is told when the module is loaded: settings, by arguments of
   the module and by CONFIG; commands with their words and keys. */
#include "type.h"
#include <stdlib.h>
#include <strings.h>

typedef RedisModuleCtx context;
typedef RedisModuleString string;

typedef struct options {
    double rate;
    long long capacity, expansion;
    bool fixed, create;
} options;

static options defaults = { 0.01, 100, 2, false, true };

static const char *text(const string *word)
{
    return RedisModule_StringPtrLen(word, NULL);
}

static bool in(long long x, long long least, long long most)
{
    return x >= least && x <= most;
}

static bool read_rate(const string *word, double *rate)
{
    return RedisModule_StringToDouble(word, rate) == REDISMODULE_OK
        && *rate > 0 && *rate < 1;
}

static bool read_number(const string *word, long long *number, long long least,
                        long long most)
{
    return RedisModule_StringToLongLong(word, number) == REDISMODULE_OK
        && in(*number, least, most);
}

/* ---- Settings ------------------------------------------------------------ */

static string *rate_shown;              /* as it was written */

static string *get_rate(const char *name, void *data)
{
    (void)name, (void)data;
    return rate_shown;
}

static int set_rate(const char *name, string *word, void *data, string **error)
{
    double rate;
    if (!read_rate(word, &rate)) {
        *error = RedisModule_CreateStringPrintf(NULL, "Value for `%s` must be "
                     "in the range (0.000000, 1.000000)", name);
        return REDISMODULE_ERR;
    }
    (void)data;
    defaults.rate = rate < MOST_RATE ? rate : MOST_RATE;
    if (rate_shown)
        RedisModule_FreeString(NULL, rate_shown);
    rate_shown = rate > MOST_RATE
               ? RedisModule_CreateStringFromDouble(NULL, MOST_RATE)
               : RedisModule_CreateStringFromString(NULL, word);
    return REDISMODULE_OK;
}

static long long get_number(const char *name, void *data)
{
    (void)name;
    return *(long long *)data;
}

static int set_number(const char *name, long long x, void *data, string **error)
{
    (void)name, (void)error;
    *(long long *)data = x;
    return REDISMODULE_OK;
}

enum { NUMBERS = 2 };

static const struct {
    const char *name, *older;           /* what older RedisBlooms call it */
    long long *value, least, most;
} numbers[NUMBERS] = {
    { "bf-initial-size", "INITIAL_SIZE", &defaults.capacity, 1, MOST_CAPACITY },
    { "bf-expansion-factor", "", &defaults.expansion, 0, MOST_EXPANSION },
};

static bool is(const string *word, const char *name)
{
    return strcasecmp(text(word), name) == 0;
}

static bool read_setting(string *name, string *value)
{
    string *error;
    int i;
    if (is(name, "bf-error-rate") || is(name, "ERROR_RATE"))
        return set_rate("", value, NULL, &error) == REDISMODULE_OK;
    for (i = 0; i < NUMBERS; i++)
        if (is(name, numbers[i].name) || is(name, numbers[i].older))
            return read_number(value, numbers[i].value, numbers[i].least,
                               numbers[i].most);
    return false;
}

#ifndef REDISMODULE_CONFIG_UNPREFIXED   /* Redis 8's header has it, and then */
#define REDISMODULE_CONFIG_UNPREFIXED 0 /* the names do not begin with ours */
#endif

static bool register_settings(context *ctx)
{
    const unsigned flags = REDISMODULE_CONFIG_UNPREFIXED;
    int i;
    if (RedisModule_RegisterStringConfig(ctx, "bf-error-rate",
            rate_shown ? text(rate_shown) : "0.01", flags, get_rate, set_rate,
            NULL, NULL))
        return false;
    for (i = 0; i < NUMBERS; i++)
        if (RedisModule_RegisterNumericConfig(ctx, numbers[i].name,
                *numbers[i].value, flags, numbers[i].least, numbers[i].most,
                get_number, set_number, NULL, numbers[i].value))
            return false;
    return RedisModule_LoadConfigs(ctx) == REDISMODULE_OK;
}

static bool settle(context *ctx, string **argv, int argc)
{
    int i;
    for (i = 0; i < argc; i += 2)
        if (i + 1 == argc || !read_setting(argv[i], argv[i + 1])) {
            RedisModule_Log(ctx, "warning", "no such setting, or a bad value: "
                "%s %s", text(argv[i]), i + 1 < argc ? text(argv[i + 1]) : "");
            return false;
        }
    return register_settings(ctx);
}

/* ---- Commands ------------------------------------------------------------ */

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

#define WORD(name, type, token, flags) \
    { name, REDISMODULE_ARG_TYPE_##type, 0, token, NULL, NULL, flags, NULL, \
      NULL }
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
    info_words = { KEY, { "single_value", REDISMODULE_ARG_TYPE_ONEOF, 0, NULL,
        NULL, NULL, OPTIONAL, NULL, fields }, { 0 } },
    merge_words = { WORD("destination", KEY, NULL, 0),
        { "source", REDISMODULE_ARG_TYPE_KEY, 1, NULL, NULL, NULL, MULTIPLE,
          NULL, NULL }, { 0 } },
    reserve_words = { KEY, WORD("error_rate", DOUBLE, NULL, 0),
        WORD("capacity", INTEGER, NULL, 0), EXPANSION_WORD,
        FLAG("nonscaling", "NONSCALING"), { 0 } },
    insert_words = { KEY, WORD("capacity", INTEGER, "CAPACITY", OPTIONAL),
        WORD("error", DOUBLE, "ERROR", OPTIONAL), EXPANSION_WORD,
        FLAG("nocreate", "NOCREATE"), FLAG("nonscaling", "NONSCALING"),
        FIELD("items", "ITEMS"), WORD("item", STRING, NULL, MULTIPLE), { 0 } };

typedef struct command {
    const char *name;
    RedisModuleCmdFunc function;
    int arity;                          /* -n: n words or more */
    const char *flags;
    RedisModuleCommandKeySpec *keys;
    RedisModuleCommandArg *words;
} command;

/* Servers newer than the header have categories for a module's commands. */
static bool add_commands(context *ctx, const command *c, size_t commands)
{
    int (*category)(context *, const char *) = NULL;
    int (*set_category)(RedisModuleCommand *, const char *) = NULL;
    RedisModule_GetApi("RedisModule_AddACLCategory", &category);
    RedisModule_GetApi("RedisModule_SetCommandACLCategories", &set_category);
    if (category && category(ctx, "bloom"))
        set_category = NULL;
    for (; commands-- > 0; c++) {
        RedisModuleCommandInfo more = {
            .version = REDISMODULE_COMMAND_INFO_VERSION, .arity = c->arity,
            .key_specs = c->keys, .args = c->words };
        RedisModuleCommand *made;
        if (RedisModule_CreateCommand(ctx, c->name, c->function, c->flags, 1,
                                      c->keys == merges ? -1 : 1, 1))
            return false;
        made = RedisModule_GetCommand(ctx, c->name);
        if (category && set_category)
            set_category(made, "bloom");
        if (RedisModule_SetCommandInfo(made, &more))
            return false;
    }
    return true;
}
