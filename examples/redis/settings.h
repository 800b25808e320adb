/* The settings of the module, from its arguments and from CONFIG, the options
   of commands, and how commands end. Without it, all filters would have the
   same rate, and a replica that cannot execute a command of its master would go
   on with fewer items. */
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

/* ---- Settings: those of RedisBloom --------------------------------------- */

/* The names before Redis 8, and since then */
static bool read_setting(const string *name, const string *value)
{
    return is(name, "ERROR_RATE") || is(name, "bf-error-rate")
         ? read_rate(value, &defaults.rate)
         : is(name, "INITIAL_SIZE") || is(name, "bf-initial-size")
         ? read_number(value, &defaults.capacity, 1, MOST_CAPACITY)
         : is(name, "bf-expansion-factor")
           && read_number(value, &defaults.expansion, 0, MOST_EXPANSION);
}

static string *get_rate(const char *name, void *shown)
{
    string **s = shown;
    (void)name;
    if (*s)
        RedisModule_FreeString(NULL, *s);
    return *s = RedisModule_CreateStringPrintf(NULL, "%.15g", defaults.rate
                                  < MOST_RATE ? defaults.rate : MOST_RATE);
}

static int set_rate(const char *name, string *value, void *shown,
                    string **error)
{
    (void)shown;
    if (read_rate(value, &defaults.rate))
        return REDISMODULE_OK;
    *error = RedisModule_CreateStringPrintf(NULL,
        "Value for `%s` must be in the range (0, 1)", name);
    return REDISMODULE_ERR;
}

static long long get_number(const char *name, void *number)
{
    (void)name;
    return *(long long *)number;
}

static int set_number(const char *name, long long value, void *number,
                      string **error)
{
    (void)name, (void)error;
    *(long long *)number = value;
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

/* Reads the settings from the module's arguments, then from redis.conf. */
static bool settle(context *ctx, string **argv, int argc)
{
    static string *shown;
    const unsigned flags = naming();
    int i;
    for (i = 0; i < argc; i += 2)
        if (i + 1 == argc || !read_setting(argv[i], argv[i + 1])) {
            RedisModule_Log(ctx, "warning", "module argument %s: unknown, or "
                            "its value is missing or out of range",
                            quoted(argv[i]));
            return false;
        }
    return !RedisModule_RegisterStringConfig(ctx, "bf-error-rate",
               text(get_rate("", &shown)), flags, get_rate, set_rate, NULL,
               &shown)
        && !RedisModule_RegisterNumericConfig(ctx, "bf-initial-size",
               defaults.capacity, flags, 1, MOST_CAPACITY, get_number,
               set_number, NULL, &defaults.capacity)
        && !RedisModule_RegisterNumericConfig(ctx, "bf-expansion-factor",
               defaults.expansion, flags, 0, MOST_EXPANSION, get_number,
               set_number, NULL, &defaults.expansion)
        && !RedisModule_LoadConfigs(ctx);
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
    o.fixed = o.expansion == 0 && !repeats(ctx);
    if (repeats(ctx)) {
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

#define UNKNOWN "ERR unknown argument"

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
            return UNKNOWN;
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

/* ---- How a command that writes ends: replies, notifications, replicas ---- */

/* Replies with the error. If the command comes from the master or from the
   append-only file, nobody reads the reply, and the data would be lost
   silently. The server stops instead. */
static int refuse(context *ctx, const string *key, const char *error)
{
    if (repeats(ctx)) {
        RedisModule_Log(ctx, "warning", "Bloom filter %s: %s, in the command "
            "%s from the %s. The server stops, because it would otherwise lose "
            "data of this filter.", quoted(key), error,
            RedisModule_GetCurrentCommandName(ctx),
            RedisModule_GetContextFlags(ctx)
            & REDISMODULE_CTX_FLAGS_REPLICATED ? "master" : "append-only file");
        exit(1);
    }
    return RedisModule_ReplyWithError(ctx, error);
}

/* Tells clients that watch or cache the key, and listeners to module events,
   that it has changed. */
static void announce(context *ctx, string *key)
{
    RedisModule_SignalModifiedKey(ctx, key);
    RedisModule_NotifyKeyspaceEvent(ctx, REDISMODULE_NOTIFY_MODULE,
                                    RedisModule_GetCurrentCommandName(ctx),
                                    key);
}

/* Ends a command whose reply is OK or an error. */
static int answer(context *ctx, string *key, const char *error)
{
    if (error)
        return refuse(ctx, key, error);
    announce(ctx, key);
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

/* The same for a command that replicas run unchanged. */
static int finish(context *ctx, string *key, const char *error)
{
    if (!error)
        RedisModule_ReplicateVerbatim(ctx);
    return answer(ctx, key, error);
}

#endif
