/* The settings of the module, from its arguments and from CONFIG, and the
   options of commands. */
#ifndef REDIS_SETTINGS_H
#define REDIS_SETTINGS_H

#include "type.h"
#include <limits.h>
#include <stdlib.h>
#include <strings.h>

typedef RedisModuleCtx context;
typedef RedisModuleString string;

typedef struct options {
    double rate;
    long long capacity, expansion;
    bool fixed, create;
    bool repeated;                      /* the command was accepted before */
    long long most_capacity, most_expansion;    /* that the command may have */
} options;

static options defaults = { 0.01, 100, 2, false, true, false, MOST_CAPACITY,
                            MOST_EXPANSION };

static const char *text(const string *word)
{
    return RedisModule_StringPtrLen(word, NULL);
}

static bool in(long long x, long long least, long long most)
{
    return x >= least && x <= most;
}

/* Both return false and change nothing if the word is not a number in range. */
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

/* A number of bytes, as in redis.conf: 1k is 1000, and 1kb is 1024. */
static bool read_bytes(const string *word, long long *bytes)
{
    static const char *const units[] = { "", "b", "k", "kb", "m", "mb", "g",
                                         "gb" };
    static const long long sizes[] = { 1, 1, 1000, 1 << 10, 1000000, 1 << 20,
                                       1000000000, 1 << 30 };
    const char *p = text(word);
    size_t digits = strspn(p, "0123456789"), i = 0;
    long long x;
    while (i < 8 && strcasecmp(p + digits, units[i]) != 0)
        i++;
    if (digits < 1 || digits > 18 || i == 8)
        return false;
    x = strtoll(p, NULL, 10);
    if (x > (1LL << 62) / sizes[i])
        return false;
    *bytes = x * sizes[i];
    return true;
}

static bool is(const string *word, const char *name)
{
    return strcasecmp(text(word), name) == 0;
}

/* Ignores case. */
static bool begins(const string *word, const char *with)
{
    return strncasecmp(text(word), with, strlen(with)) == 0;
}

/* Whether the name of a command is BF.MADD, BF.MEXISTS, BW.MADD or BW.MEXISTS,
   which share the code of those without the M */
static bool is_many(const string *name)
{
    return (text(name)[3] | 32) == 'm';
}

/* ---- Settings ------------------------------------------------------------ */

/* For "%d.%d.%d" */
#define VERSION BLOOM_VERSION / 10000, BLOOM_VERSION / 100 % 100, \
    BLOOM_VERSION % 100

enum { RATE, CAPACITY_FIRST, GROWTH, MEMORY_LIMIT, SETTINGS };

static struct setting {
    const char *name, *older;           /* older: RedisBloom's name for it
                                           before Redis 8, or "" */
    const char *preset, *range;
    string *shown;                      /* the value as the user wrote it */
} settings[SETTINGS] = {
    { "bf-error-rate", "ERROR_RATE", "0.01", "(0, 1)", NULL },
    { "bf-initial-size", "INITIAL_SIZE", "100", "[1, 1073741824]", NULL },
    { "bf-expansion-factor", "", "2", "[0, 32768]", NULL },
    { "bf-memory-limit", "", "500mb", "[0, 2^62] bytes, such as 500mb",
      NULL },
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
        : s == &settings[MEMORY_LIMIT] ? read_bytes(word, &memory_limit)
        : read_number(word, &defaults.capacity, 1, MOST_CAPACITY);
    if (!good) {
        *error = RedisModule_CreateStringPrintf(NULL,
            "Value for `%s` must be in the range %s", name, s->range);
        return REDISMODULE_ERR;
    }
    defaults.rate = rate < MOST_RATE ? rate : MOST_RATE;
    defaults.fixed = defaults.expansion == 0;
    if (s->shown)
        RedisModule_FreeString(NULL, s->shown);
    s->shown = rate > MOST_RATE
             ? RedisModule_CreateStringFromDouble(NULL, MOST_RATE)
             : RedisModule_CreateStringFromString(NULL, word);
    return REDISMODULE_OK;
}

/* Without this flag, the names of settings begin with "bloom.h.". Only Redis 8
   and later accept the flag. They are recognised by
   RedisModule_LoadDefaultConfigs, which is as new as the flag, so it does not
   matter with which header the module is built. */
#define WITHOUT_PREFIX (1 << 9)

static unsigned naming(void)
{
    int (*since_redis_8)(context *) = NULL;
    RedisModule_GetApi("RedisModule_LoadDefaultConfigs", &since_redis_8);
    return since_redis_8 ? WITHOUT_PREFIX : REDISMODULE_CONFIG_DEFAULT;
}

/* Reads the settings from the module's arguments, then from redis.conf. It
   ignores RedisBloom's arguments for commands that this module does not have.
   */
static bool settle(context *ctx, string **argv, int argc)
{
    const unsigned flags = naming();
    string *error;
    int i, at;
    for (at = 0; at < argc; at += 2) {
        if (begins(argv[at], "cf") && at + 1 < argc) {
            RedisModule_Log(ctx, "warning", "module argument %s: ignored, "
                "because this module has no CF. commands", quoted(argv[at]));
            continue;
        }
        for (i = 0; i < SETTINGS && !is(argv[at], settings[i].name)
                    && !is(argv[at], settings[i].older); )
            i++;
        error = at + 1 < argc ? argv[at + 1] : argv[at];
        if (i < SETTINGS && at + 1 < argc
            && !change_setting(settings[i].name, error, &settings[i], &error))
            continue;
        RedisModule_Log(ctx, "warning", "module argument %s: %s",
            quoted(argv[at]), at + 1 == argc ? "its value is missing"
                            : i == SETTINGS ? "unknown; use bf-error-rate, "
                              "bf-initial-size, bf-expansion-factor or "
                              "bf-memory-limit"
                            : text(error));
        return false;
    }
    for (i = 0; i < SETTINGS; i++)
        if (RedisModule_RegisterStringConfig(ctx, settings[i].name,
                settings[i].shown ? text(settings[i].shown)
                                  : settings[i].preset,
                flags, get_setting, change_setting, NULL, &settings[i]))
            return false;
    if (RedisModule_LoadConfigs(ctx))
        return false;
    for (i = 0; i < SETTINGS; i++)
        RedisModule_Log(ctx, "notice", "version %d.%d.%d, %s %s", VERSION,
                        settings[i].name, text(settings[i].shown));
    return true;
}

/* ---- Options of commands ------------------------------------------------- */

/* A command that was accepted before may have any capacity and expansion:
   RedisBloom 2 has no limits. It may also have words that clients may not use:
   RedisBloom, and this module up to 2.3.0, recognised options by their first
   letters, and BF.RESERVE ignored other words. The expansion factor of a
   replica may be 0, but the filters of its master grow. */
static options options_of(context *ctx)
{
    options o = defaults;
    if (repeats(ctx)) {
        o.fixed = false;
        o.repeated = true;
        o.most_capacity = o.most_expansion = LLONG_MAX;
    }
    return o;
}

/* Whether the word is this option: the whole name, in any case, or, in a
   command that was accepted before, a word that begins so */
static bool option(const options *o, const string *word, const char *name,
                   const char *beginning)
{
    return o->repeated ? begins(word, beginning) : is(word, name);
}

/* The error message for a word that is no option. Clients have tried these
   four. */
static const char *unknown(const string *word)
{
    return is(word, "EX") || is(word, "PX") || is(word, "TTL")
        || is(word, "EXPIRE")
         ? "ERR unknown argument: expire the whole key by EXPIRE; items by "
           "BW.RESERVE"
         : "ERR unknown argument";
}

static const char *read_reserve(string **argv, int argc, options *o)
{
    int i, at = 0;                      /* at: where the expansion is */
    if (RedisModule_StringToDouble(argv[2], &o->rate))
        return "ERR bad error rate";
    if (!(o->rate > 0 && o->rate < 1))
        return "ERR error rate must be in the range (0.000000, 1.000000)";
    if (RedisModule_StringToLongLong(argv[3], &o->capacity))
        return "ERR bad capacity";
    if (!in(o->capacity, 1, o->most_capacity))
        return "ERR capacity must be in the range [1, 1073741824]";
    for (i = 4; i < argc; i++)
        if (is(argv[i], "NONSCALING"))
            o->fixed = true;
        else if (is(argv[i], "EXPANSION") && at == 0)
            at = ++i;
        else if (!o->repeated)
            return unknown(argv[i]);
    if (at == 0)
        return NULL;
    if (at == argc)
        return "ERR no expansion";
    if (RedisModule_StringToLongLong(argv[at], &o->expansion))
        return "ERR bad expansion";
    if (o->fixed && o->expansion != 0)
        return "Nonscaling filters cannot expand";
    return in(o->expansion, 0, o->most_expansion) ? NULL
        : "ERR expansion must be in the range [0, 32768]";
}

static const char *read_insert(string *name, string *value, options *o)
{
    if (begins(name, "er"))
        return read_rate(value, &o->rate) ? NULL : "Bad error rate";
    if (begins(name, "e"))
        return read_number(value, &o->expansion, 0, o->most_expansion)
             ? NULL : "Bad expansion";
    return read_number(value, &o->capacity, 1, o->most_capacity)
         ? NULL : "Bad capacity";
}

#endif
