/* A loadable extension for SQLite: filters in columns, and as tables.

       cc -O2 -shared -fPIC -I. examples/sqlite.c -o bloom.sqlite.so
       sqlite> .load ./bloom.sqlite

   SQLite goes by the name up to the first dot. A bloom.so would load too, but
   beside bloom.py Python would import it instead.

   bloom(key [, n [, p]])       aggregate: a filter of all keys, a BLOB; for n
                                keys and p false "maybe"s (0.01); without n it
                                grows, a chain. Also as a window function whose
                                frame begins at UNBOUNDED PRECEDING
   bloom_merge(blob)            aggregate: the union of filters of one plan
   bloom_may_contain(blob, key) 0: certainly not in, 1: maybe; NULL for a NULL
   bloom_add(blob, key)         the filter with one more key
   bloom_info(blob)             JSON; checks the seal too
   bloom_probes(blob, key)      table: the link, probe, cell, value looked at
   CREATE VIRTUAL TABLE seen USING bloom(n [, p])
                                INSERT INTO seen VALUES (key) adds; SELECT
                                count(*) FROM seen(key) asks, and so does a join
                                ON seen.key = x. Kept in the table seen_data:
                                other connections see it, ROLLBACK forgets

   The BLOBs are sealed images of bloom.h: writefile() them, and the command
   reads them; readfile() what it wrote. Text (as UTF-8) and blobs are keys by
   their bytes, integers by value: 5 and '5' are different keys. REAL is
   refused; NULL is no key. For each row SQLite copies what a subquery gave: in a
   join a large filter is a bound parameter, bloom_may_contain(:f, x), or a
   table. examples/sqlite.sql is a demonstration. */
#define BLOOM_STATIC
#include "bloom.h"
#include <sqlite3ext.h>
#include <stdlib.h>
#include <string.h>
SQLITE_EXTENSION_INIT1

static const bloom_plan like_classic = { 64, 0, 1, BLOOM_CLASSIC, 64 };
#define FIRST_N 1000                    /* of a chain */

#include "common/sqlite_keys.h"
#include "common/sqlite_table.h"
#include "common/sqlite_probes.h"

/* ---- Results ------------------------------------------------------------- */

static void free_filter(void *b)
{
    bloom_free(b);
}

static void return_chain(sqlite3_context *to, const bloom_chain *c)
{
    size_t size = bloom_chain_size(c);
    unsigned char *image, *at;
    unsigned i;
    if (too_big(to, size))
        return;
    image = at = sqlite3_malloc64(size);
    if (!got(to, image))
        return;
    bloom_chain_head(c, at);
    at += 32;
    for (i = 0; i < bloom_chain_links(c); i++) {
        const bloom *link = bloom_chain_link(c, i);
        memcpy(at, link, bloom_size(link));
        bloom_seal(bloom_open(at, bloom_size(link), NULL));
        at += bloom_size(link);
    }
    sqlite3_result_blob64(to, image, size, sqlite3_free);
}

/* ---- Aggregates: bloom, bloom_merge -------------------------------------- */

typedef struct state { bloom *filter; bloom_chain *chain; } state;

static bool begin(sqlite3_context *to, state *s, int count, sqlite3_value **v)
{
    bool grows = count < 2 || sqlite3_value_type(v[1]) == SQLITE_NULL;
    double n = grows ? 0 : sqlite3_value_double(v[1]), p = 0.01;
    bloom_plan plan;
    if (count > 2 && sqlite3_value_type(v[2]) != SQLITE_NULL)
        p = sqlite3_value_double(v[2]);
    if (!right(to, p > 0 && p < 1, "p must be between 0 and 1")
        || !right(to, n >= 0 && n < 1e18, "n must be 0 to 1e18"))
        return false;
    if (grows) {
        s->chain = bloom_chain_create(FIRST_N, p, like_classic);
        return got(to, s->chain);
    }
    plan = bloom_plan_for((uint64_t)n, p);
    if (too_big(to, bloom_plan_size(plan)))
        return false;
    s->filter = bloom_create(plan);
    return got(to, s->filter);
}

static void bloom_step(sqlite3_context *to, int count, sqlite3_value **v)
{
    state *s = sqlite3_aggregate_context(to, sizeof *s);
    key k = key_of(v[0]);
    if (!got(to, s) || k.type == SQLITE_NULL
        || !right(to, k.type != SQLITE_FLOAT, real_key))
        return;
    if (!s->filter && !s->chain && !begin(to, s, count, v))
        return;
    if (s->filter)
        bloom_add_hash(s->filter, hash_of(s->filter, &k));
    else
        bloom_chain_add_hash(s->chain,
                             hash_of(bloom_chain_link(s->chain, 0), &k));
}

static void merge_step(sqlite3_context *to, int count, sqlite3_value **v)
{
    state *s = sqlite3_aggregate_context(to, sizeof *s);
    images i = images_of(v[0]);
    const bloom *from;
    bool sealed;
    (void)count;
    if (!got(to, s) || sqlite3_value_type(v[0]) == SQLITE_NULL
        || !sound(to, v[0], &sealed) || !right(to, !i.is_chain,
            "a chain cannot be merged"))
        return;
    from = next_image(&i);
    if (s->filter) {
        right(to, bloom_merge(s->filter, from),
              "filters of different plans cannot be merged");
        return;
    }
    s->filter = bloom_create(bloom_plan_of(from));
    if (got(to, s->filter))
        memcpy(s->filter, from, bloom_size(from));
}

/* The window's so far */
static void value(sqlite3_context *to)
{
    state *s = sqlite3_aggregate_context(to, 0);
    if (s && s->chain)
        return_chain(to, s->chain);
    if (!s || !s->filter)
        return;
    bloom_seal(s->filter);
    sqlite3_result_blob64(to, s->filter, bloom_size(s->filter),
                          SQLITE_TRANSIENT);
}

static void final(sqlite3_context *to)
{
    state *s = sqlite3_aggregate_context(to, 0);
    if (s && s->filter) {
        bloom_seal(s->filter);
        sqlite3_result_blob64(to, s->filter, bloom_size(s->filter),
                              free_filter);
        s->filter = NULL;
    }
    if (s && s->chain) {
        return_chain(to, s->chain);
        bloom_chain_free(s->chain);
        s->chain = NULL;
    }
}

static void inverse(sqlite3_context *to, int count, sqlite3_value **v)
{
    (void)count;
    (void)v;
    right(to, false, "a filter cannot forget a key: let the frame begin "
                     "at UNBOUNDED PRECEDING");
}

/* ---- Functions ----------------------------------------------------------- */

static void may_contain(sqlite3_context *to, int count, sqlite3_value **v)
{
    images i = images_of(v[0]);
    key k = key_of(v[1]);
    const bloom *b;
    bool maybe = false;
    (void)count;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || k.type == SQLITE_NULL
        || !right(to, k.type != SQLITE_FLOAT, real_key))
        return;
    while (!maybe && (b = next_image(&i)) != NULL)
        maybe = bloom_may_contain_hash(b, hash_of(b, &k));
    if (fine(to, i.error))
        sqlite3_result_int(to, maybe);
}

static void add(sqlite3_context *to, int count, sqlite3_value **v)
{
    key k = key_of(v[1]);
    size_t size = (size_t)sqlite3_value_bytes(v[0]);
    bloom_chain *c;
    void *copy;
    bloom *b;
    bool sealed;
    (void)count;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || !sound(to, v[0], &sealed)
        || !right(to, k.type != SQLITE_FLOAT, real_key))
        return;
    if (k.type == SQLITE_NULL) {
        sqlite3_result_value(to, v[0]);
    } else if (images_of(v[0]).is_chain) {
        c = load_chain(to, v[0]);
        if (c) {
            bloom_chain_add_hash(c, hash_of(bloom_chain_link(c, 0), &k));
            return_chain(to, c);
        }
        bloom_chain_free(c);
    } else {
        copy = sqlite3_malloc64(size);
        if (!got(to, copy))
            return;
        b = bloom_open(memcpy(copy, sqlite3_value_blob(v[0]), size), size,
                       NULL);
        bloom_add_hash(b, hash_of(b, &k));
        bloom_seal(b);
        sqlite3_result_blob64(to, copy, size, sqlite3_free);
    }
}

static void info(sqlite3_context *to, int count, sqlite3_value **v)
{
    static const char *const layouts[] = { "classic", "blocked", "counting" };
    images i = images_of(v[0]);
    const bloom *b;
    bloom_plan plan;
    bloom_chain *c = NULL;
    uint64_t keys;
    bool sealed;
    char *text;
    (void)count;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || !sound(to, v[0], &sealed)
        || (i.is_chain && !(c = load_chain(to, v[0]))))
        return;
    b = c ? bloom_chain_link(c, bloom_chain_links(c) - 1) : next_image(&i);
    plan = bloom_plan_of(b);
    keys = c ? bloom_chain_estimate(c) : bloom_estimate(b);
    text = sqlite3_mprintf("{\"layout\":\"%s\",\"links\":%u,\"m\":%llu,"
        "\"k\":%u,\"hash_bits\":%u,\"seed\":%llu,\"bytes\":%llu,\"keys\":%lld,"
        "\"rate\":%.6g,\"sealed\":%s}", layouts[plan.layout],
        c ? bloom_chain_links(c) : 0, (sqlite3_uint64)plan.cells,
        (unsigned)plan.hashes, (unsigned)plan.hash_bits,
        (sqlite3_uint64)plan.seed,
        (sqlite3_uint64)(c ? bloom_chain_size(c) : bloom_size(b)),
        (sqlite3_int64)(keys > INT64_MAX ? INT64_MAX : keys),
        c ? bloom_chain_fpr(c) : bloom_fpr(b), sealed ? "true" : "false");
    bloom_chain_free(c);
    if (got(to, text))
        sqlite3_result_text(to, text, -1, sqlite3_free);
}

#ifdef _WIN32
__declspec(dllexport)
#endif
int sqlite3_bloom_init(sqlite3 *db, char **error, const sqlite3_api_routines *);
int sqlite3_bloom_init(sqlite3 *db, char **error,
                       const sqlite3_api_routines *api)
{
    enum { FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };
    static const struct {
        const char *name;
        int count;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = { { "bloom_may_contain", 2, may_contain },
        { "bloom_add", 2, add }, { "bloom_info", 1, info } },
      aggregates[] = { { "bloom", 1, bloom_step }, { "bloom", 2, bloom_step },
        { "bloom", 3, bloom_step }, { "bloom_merge", 1, merge_step } };
    int result = SQLITE_OK;
    unsigned i;
    (void)error;
    SQLITE_EXTENSION_INIT2(api)
    for (i = 0; i < 3 && result == SQLITE_OK; i++)
        result = sqlite3_create_function_v2(db, functions[i].name,
            functions[i].count, FLAGS, NULL, functions[i].call, NULL, NULL,
            NULL);
    for (i = 0; i < 4 && result == SQLITE_OK; i++)
        result = sqlite3_create_window_function(db, aggregates[i].name,
            aggregates[i].count, FLAGS, NULL, aggregates[i].call, final, value,
            inverse, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_create_module(db, "bloom_probes", &probes_module,
                                       NULL);
    if (result == SQLITE_OK)
        result = sqlite3_create_module(db, "bloom", &table_module, NULL);
    return result;
}
