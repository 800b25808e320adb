/* How a command that writes ends: its reply or error, the log, notifications
   and replicas */
#ifndef REDIS_REPLY_H
#define REDIS_REPLY_H

#include "settings.h"

/* Whether a minute has passed since *last, which it then sets to now */
static bool once_a_minute(long long *last)
{
    long long now = RedisModule_Milliseconds();
    if (*last && now - *last < 60000 && now >= *last)
        return false;
    *last = now;
    return true;
}

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
