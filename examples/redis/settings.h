/* What the module is told: settings, by its arguments and by CONFIG; options of
   commands. And what it tells the server: commands, their words and keys. */
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

/* What is not in its range changes nothing. */
static bool read_rate(const string *word, double *rate)
{
    double x;
    if (RedisModule_StringToDouble(word, &x) || !(x > 0 && x < 1))
        return false;
    *rate = x;
    return true;
}

static bool read_number(const string *word, long long *number, long long least,
                        long long most)
{
    long long x;
    if (RedisModule_StringToLongLong(word, &x) || !in(x, least, most))
        return false;
    *number = x;
    return true;
}

static bool is(const string *word, const char *name)
{
    return strcasecmp(text(word), name) == 0;
}

/* ---- Settings ------------------------------------------------------------ */

enum { RATE, CAPACITY_FIRST, GROWTH, SETTINGS };

static struct setting {
    const char *name, *older, *preset, *range;  /* older: RedisBloom before 8 */
    string *shown;                              /* as it was written */
} settings[SETTINGS] = {
    { "bf-error-rate", "ERROR_RATE", "0.01", "(0, 1)", NULL },
    { "bf-initial-size", "INITIAL_SIZE", "100", "[1, 1073741824]", NULL },
    { "bf-expansion-factor", "", "2", "[0, 32768]", NULL },
};

static string *get_setting(const char *name, void *setting)
{
    (void)name;
    return ((struct setting *)setting)->shown;
}

static int change_setting(const char *name, string *word, void *setting,
                          string **error)
{
    struct setting *s = setting;
    double rate = defaults.rate;
    bool good = s == &settings[RATE] ? read_rate(word, &rate)
        : s == &settings[GROWTH]
        ? read_number(word, &defaults.expansion, 0, MOST_EXPANSION)
        : read_number(word, &defaults.capacity, 1, MOST_CAPACITY);
    if (!good) {
        *error = RedisModule_CreateStringPrintf(NULL,
            "Value for `%s` must be in the range %s", name, s->range);
        return REDISMODULE_ERR;
    }
    defaults.rate = rate < MOST_RATE ? rate : MOST_RATE;
    if (s->shown)
        RedisModule_FreeString(NULL, s->shown);
    s->shown = rate > MOST_RATE
             ? RedisModule_CreateStringFromDouble(NULL, MOST_RATE)
             : RedisModule_CreateStringFromString(NULL, word);
    return REDISMODULE_OK;
}

#ifndef REDISMODULE_CONFIG_UNPREFIXED   /* Redis 8's header has it, and then */
#define REDISMODULE_CONFIG_UNPREFIXED 0 /* names do not begin with bloom.h. */
#endif

/* From the module's arguments, then from redis.conf */
static bool settle(context *ctx, string **argv, int argc)
{
    string *error;
    int i, at;
    for (at = 0; at < argc; at += 2) {
        for (i = 0; i < SETTINGS && !is(argv[at], settings[i].name)
                    && !is(argv[at], settings[i].older); )
            i++;
        error = at + 1 < argc ? argv[at + 1] : argv[at];
        if (i < SETTINGS && at + 1 < argc
            && !change_setting(settings[i].name, error, &settings[i], &error))
            continue;
        RedisModule_Log(ctx, "warning", "argument of the module: %s: %s",
            text(argv[at]), i == SETTINGS ? "there is no such one"
                          : at + 1 == argc ? "has no value" : text(error));
        return false;
    }
    for (i = 0; i < SETTINGS; i++)
        if (RedisModule_RegisterStringConfig(ctx, settings[i].name,
                settings[i].shown ? text(settings[i].shown)
                                  : settings[i].preset,
                REDISMODULE_CONFIG_UNPREFIXED, get_setting, change_setting,
                NULL, &settings[i]))
            return false;
    return RedisModule_LoadConfigs(ctx) == REDISMODULE_OK;
}

/* ---- Options of commands ------------------------------------------------- */

static const char *read_reserve(string **argv, int argc, options *o)
{
    int i;
    if (RedisModule_StringToDouble(argv[2], &o->rate))
        return "ERR bad error rate";
    if (!(o->rate > 0 && o->rate < 1))
        return "ERR error rate must be in the range (0.000000, 1.000000)";
    if (RedisModule_StringToLongLong(argv[3], &o->capacity))
        return "ERR bad capacity";
    if (!in(o->capacity, 1, MOST_CAPACITY))
        return "ERR capacity must be in the range [1, 1073741824]";
    for (i = 4; i < argc; i++)          /* other words are ignored, as there */
        o->fixed = o->fixed || is(argv[i], "NONSCALING");
    for (i = 4; i < argc && !is(argv[i], "EXPANSION"); )
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

/* Options are told by their first letters. */
static bool begins(const string *word, const char *with)
{
    return strncasecmp(text(word), with, strlen(with)) == 0;
}

static const char *read_insert(string *name, string *value, options *o)
{
    if (begins(name, "er"))
        return read_rate(value, &o->rate) ? NULL : "Bad error rate";
    if (begins(name, "e"))
        return read_number(value, &o->expansion, 0, MOST_EXPANSION)
             ? NULL : "Bad expansion";
    return read_number(value, &o->capacity, 1, MOST_CAPACITY)
         ? NULL : "Bad capacity";
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
