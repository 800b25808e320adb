/* The commands of windows, whose items expire: BW.RESERVE, BW.ADD, BW.MADD,
   BW.EXISTS, BW.MEXISTS, BW.INFO, and BW.ADDAT and BW.LOAD for replicas and
   append-only files. Without them, no client could use a window.

   The clock of the master decides. Replicas and the append-only file get
   BW.ADDAT with the master's time. So they make the same changes, whenever
   they execute it, and whatever their own clocks say. */
#include "window.h"
#include "commands.h"

/* A replica asks no clock, but takes the time of the last change of this
   window. Its own clock, or the time of another key, might be ahead: then it
   would deny items that are younger than `seconds`. */
static uint64_t window_now(context *ctx, const bloom_window *w)
{
    return follows(ctx) ? bloom_window_time(w)
                        : (uint64_t)RedisModule_Milliseconds();
}

typedef struct window_place {
    RedisModuleKey *key;
    bloom_window *window;               /* NULL without an error: no key */
    const char *error;
} window_place;

static window_place find_window(context *ctx, string *name, int mode)
{
    window_place p = { NULL, NULL, NULL };
    p.key = open_key(ctx, name, mode);
    p.window = value_of(p.key, windows, windows, &p.error);
    return p;
}

static window_place find_existing_window(context *ctx, string *name, int mode)
{
    window_place p = find_window(ctx, name, mode);
    if (!p.window && !p.error)
        p.error = "ERR not found: make the window by BW.RESERVE";
    return p;
}

/* Rounds up to milliseconds, so that no item is forgotten early. */
static bool read_seconds(const string *word, uint64_t *span)
{
    double x;
    if (RedisModule_StringToDouble(word, &x)
        || !(x >= 0.001 && x <= MOST_SPAN / 1000))
        return false;
    *span = (uint64_t)(x * 1000 + 0.999);
    return true;
}

static int reserve_window(context *ctx, string **argv, int argc)
{
    long long items = 0, generations = 8;
    double rate = 0;
    uint64_t span = 0;
    window_place p = { NULL, NULL, NULL };
    bloom_window *made = NULL;
    if (argc > 7)
        return RedisModule_WrongArity(ctx);
    if (!read_rate(argv[2], &rate))
        p.error = "ERR error rate must be in the range (0, 1)";
    else if (!read_number(argv[3], &items, 1, MOST_CAPACITY))
        p.error = "ERR items must be in the range [1, 1073741824]";
    else if (!read_seconds(argv[4], &span))
        p.error = "ERR seconds must be in the range [0.001, 1000000000]";
    else if (argc > 5 && !is(argv[5], "GENERATIONS"))
        p.error = UNKNOWN;
    else if (argc == 6 || (argc == 7
             && !read_number(argv[6], &generations, 2, 16)))
        p.error = "ERR generations must be in the range [2, 16]";
    else
        p = find_window(ctx, argv[1], WRITE);
    if (p.window)
        p.error = "ERR item exists";
    if (!p.error)
        p.error = new_window(ctx, rate, (uint64_t)items, span,
                             (unsigned)generations, &made);
    if (!p.error)
        RedisModule_ModuleTypeSetValue(p.key, windows, made);
    return finish(ctx, argv[1], p.error);
}

/* Logs that items were forgotten early, at most once a minute. */
static void log_early(context *ctx, const string *key, const bloom_window *w)
{
    static long long last;
    long long now = RedisModule_Milliseconds();
    if (follows(ctx) || (last && now - last < 60000 && now >= last))
        return;
    last = now;
    RedisModule_Log(ctx, "warning", "Window %s: more new items came than it "
        "has room for, so items younger than %g seconds were forgotten. "
        "BW.RESERVE was told %llu items. The log says this once a minute; "
        "BW.INFO counts all.", quoted(key), (double)number(w, SPAN) / 1000,
        (unsigned long long)number(w, PLANNED));
}

static bloom_hash window_hash_item(const bloom_window *w, const string *item)
{
    size_t size;
    const char *bytes = RedisModule_StringPtrLen(item, &size);
    return window_hash(w, bytes, size);
}

/* Adds an item, whether it is in or not. */
static void add_to_window(context *ctx, const string *name, bloom_window *w,
                          uint64_t now, bloom_hash item)
{
    if (window_advance(w, now))
        log_early(ctx, name, w);
    bloom_window_add_hash(w, item);
}

/* BW.ADD and BW.MADD: an item that is in changes nothing. It takes no room, its
   time stays, and replicas and the append-only file do not get it. */
static int add_window_items(context *ctx, string **argv, int argc)
{
    window_place p = find_existing_window(ctx, argv[1], WRITE);
    string **added;
    uint64_t now;
    size_t n = 0;
    int i;
    if (argc > 3 && !is_many(argv[0]))
        return RedisModule_WrongArity(ctx);
    if (p.error)
        return refuse(ctx, argv[1], p.error);
    now = window_now(ctx, p.window);
    added = RedisModule_Alloc((size_t)argc * sizeof *added);
    if (is_many(argv[0]))
        RedisModule_ReplyWithArray(ctx, argc - 2);
    for (i = 2; i < argc; i++) {
        bloom_hash item = window_hash_item(p.window, argv[i]);
        bool in = window_has(p.window, now, item);
        if (!in) {
            add_to_window(ctx, argv[1], p.window, now, item);
            added[n++] = argv[i];
        }
        RedisModule_ReplyWithBool(ctx, !in);
    }
    if (n > 0) {
        RedisModule_Replicate(ctx, "BW.ADDAT", "slv", argv[1], (long long)now,
                              added, n);
        announce(ctx, argv[1]);
    }
    RedisModule_Free(added);
    return REDISMODULE_OK;
}

/* BW.ADDAT adds all of its items, because the master has decided. Version 2.4.0
   also sends items that are in: there, adding an item again renews its time. */
static int add_window_items_at(context *ctx, string **argv, int argc)
{
    window_place p = find_existing_window(ctx, argv[1], WRITE);
    long long now;
    int i;
    if (!read_number(argv[2], &now, 0, MOST_TIME))
        p.error = "ERR milliseconds must be in the range "
                  "[0, 4611686018427387904]";
    for (i = 3; i < argc && !p.error; i++)
        add_to_window(ctx, argv[1], p.window, (uint64_t)now,
                      window_hash_item(p.window, argv[i]));
    return finish(ctx, argv[1], p.error);
}

/* If the key does not exist, the replies are 0, as those of BF.EXISTS. */
static int window_exists(context *ctx, string **argv, int argc)
{
    window_place p;
    uint64_t now = 0;
    int i;
    if (argc > 3 && !is_many(argv[0]))
        return RedisModule_WrongArity(ctx);
    p = find_window(ctx, argv[1], READ);
    if (p.error)
        return RedisModule_ReplyWithError(ctx, p.error);
    if (p.window)
        now = window_now(ctx, p.window);
    if (is_many(argv[0]))
        RedisModule_ReplyWithArray(ctx, argc - 2);
    for (i = 2; i < argc; i++)
        RedisModule_ReplyWithBool(ctx, p.window
            && window_has(p.window, now, window_hash_item(p.window, argv[i])));
    return REDISMODULE_OK;
}

static void reply_number(context *ctx, const char *label, uint64_t value)
{
    RedisModule_ReplyWithSimpleString(ctx, label);
    RedisModule_ReplyWithLongLong(ctx, (long long)value);
}

static void reply_text(context *ctx, const char *label, string *value)
{
    RedisModule_ReplyWithSimpleString(ctx, label);
    RedisModule_ReplyWithString(ctx, value);
}

/* Reads all cells, for the estimate and the rate. Generations that are too old
   do not count. */
static int window_info(context *ctx, string **argv, int argc)
{
    window_place p = find_existing_window(ctx, argv[1], READ);
    const bloom_window *w = p.window;
    bloom_window_plan plan;
    uint64_t now, span, keys = 0;
    double rate = 0;
    unsigned i;
    (void)argc;
    if (p.error)
        return RedisModule_ReplyWithError(ctx, p.error);
    plan = bloom_window_plan_of(w);
    span = number(w, SPAN);
    now = window_now(ctx, w);
    for (i = 0; i < fresh(w, now); i++) {
        const bloom *b = bloom_window_generation(w, i);
        uint64_t some = bloom_estimate(b);
        keys += some < 2 * plan.room ? some : 2 * plan.room;
        rate += (1 - rate) * bloom_fpr(b);
    }
    RedisModule_ReplyWithMap(ctx, 9);
    reply_number(ctx, "Size", window_bytes(w));
    reply_number(ctx, "Items", number(w, PLANNED));
    reply_text(ctx, "Seconds", RedisModule_CreateStringPrintf(ctx,
        span % 1000 ? "%llu.%03llu" : "%llu",
        (unsigned long long)span / 1000, (unsigned long long)span % 1000));
    reply_number(ctx, "Generations", plan.generations);
    reply_number(ctx, "Capacity", (plan.generations - 1) * plan.room);
    reply_number(ctx, "Estimated number of items", keys);
    reply_text(ctx, "False-positive rate", RedisModule_CreateStringPrintf(ctx,
        "%.3g", rate));
    reply_number(ctx, "Forgotten early", number(w, EARLY));
    RedisModule_ReplyWithSimpleString(ctx, "Last forgotten early");
    if (number(w, EARLY) > 0)
        RedisModule_ReplyWithLongLong(ctx, (long long)number(w, EARLY_LAST));
    else
        RedisModule_ReplyWithNull(ctx);
    return REDISMODULE_OK;
}

static int load_window_image(context *ctx, string **argv, int argc)
{
    window_place p = find_window(ctx, argv[1], WRITE);
    size_t size;
    const char *bytes = RedisModule_StringPtrLen(argv[2], &size);
    bloom_window *made = NULL;
    (void)argc;
    if (p.window)
        p.error = "ERR item exists";
    if (!p.error)
        p.error = window_error(bytes, size);
    if (!p.error && (made = new_copy(ctx, bytes, size)) == NULL)
        p.error = NO_MEMORY;
    if (made)
        RedisModule_ModuleTypeSetValue(p.key, windows, made);
    return finish(ctx, argv[1], p.error);
}
