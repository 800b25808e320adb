/* Bloom filters for SQLite, a loadable extension: filters as values, which are
   BLOBs, and filters as virtual tables.

       cc -O2 -shared -fPIC -I. examples/sqlite/sqlite.c -o bloom.sqlite.so
       sqlite> .load ./bloom.sqlite

   SQLite finds the entry point by the file name up to the first dot. The file
   is not called bloom.so, because Python would then import it in place of
   bloom.py.

   README.md beside this file says how to use it. keys.h has what all parts
   need: SQLite's values as keys, its BLOBs as filters, and errors. table.h and
   pages.h have the virtual table, and probes.h has bloom_probes. This file has
   the functions. */
#include <sqlite3ext.h>
#include <string.h>
SQLITE_EXTENSION_INIT1
#define BLOOM_STATIC
#define BLOOM_MALLOC(size) sqlite3_malloc64(size)
#define BLOOM_FREE(memory) sqlite3_free(memory)
#include "../companions/bloom_chain.h"

static const bloom_plan like_classic = { 64, 0, 1, BLOOM_CLASSIC, 64 };
#define FIRST_N 1000                    /* keys in the first link of a chain */

#include "keys.h"
#include "pages.h"
#include "table.h"
#include "probes.h"

/* ---- Results ------------------------------------------------------------- */

static void free_filter(void *b)
{
    bloom_free(b);
}

static void free_chain(void *c)
{
    bloom_chain_free(c);
}

static void return_chain(sqlite3_context *to, bloom_chain *c)
{
    size_t size = bloom_chain_size(c);
    void *image;
    if (too_big(to, size))
        return;
    image = sqlite3_malloc64(size);
    if (!got(to, image))
        return;
    bloom_chain_seal(c);
    bloom_chain_write(c, image);
    sqlite3_result_blob64(to, image, size, sqlite3_free);
}

/* ---- Aggregates: bloom, bloom_merge -------------------------------------- */

typedef struct state { bloom *filter; bloom_chain *chain; } state;

/* Reads n and p from the first row; n is -1 if it is not given. */
static bool sizes(sqlite3_context *to, int count, sqlite3_value **v, double *n,
                  double *p)
{
    *n = -1;
    *p = 0.01;
    if (count > 1 && sqlite3_value_type(v[1]) != SQLITE_NULL) {
        *n = sqlite3_value_double(v[1]);
        if (!right(to, is_number(v[1]) && *n >= 0 && *n < 1e18,
                   "bloom(key, n, p): n must be a number from 0 to 1e18"))
            return false;
    }
    if (count > 2 && sqlite3_value_type(v[2]) != SQLITE_NULL) {
        *p = sqlite3_value_double(v[2]);
        return right(to, is_number(v[2]) && *p > 0 && *p < 1,
                     "bloom(key, n, p): p must be a number between 0 and 1");
    }
    return true;
}

static bool begin(sqlite3_context *to, state *s, int count, sqlite3_value **v)
{
    double n, p;
    bloom_plan plan;
    if (!sizes(to, count, v, &n, &p))
        return false;
    if (n < 0) {
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
    if (!got(to, s)
        || (!s->filter && !s->chain && !begin(to, s, count, v))
        || !is_key(to, &k))
        return;
    if (s->filter)
        bloom_add_hash(s->filter, hash_of(s->filter, &k));
    else
        bloom_chain_add_hash(s->chain,
                             hash_of(bloom_chain_link(s->chain, 0), &k));
}

static void merge_into(sqlite3_context *to, state *s, const filter *from)
{
    bool sealed;
    if (!sound(to, from, &sealed) || (from->chain && is_empty(from)))
        return;
    if (!right(to, !from->chain, "a filter that grows cannot be merged; make "
                                 "it with a fixed n, bloom(key, n)"))
        return;
    if (s->filter) {
        right(to, bloom_merge(s->filter, from->plain),
              "filters with different plans cannot be merged; make all of them "
              "with the same n and p");
        return;
    }
    s->filter = bloom_copy(from->plain);
    got(to, s->filter);
}

static void merge_step(sqlite3_context *to, int count, sqlite3_value **v)
{
    state *s = sqlite3_aggregate_context(to, sizeof *s);
    filter from;
    (void)count;
    if (!got(to, s) || sqlite3_value_type(v[0]) == SQLITE_NULL
        || !open_filter(to, v[0], &from))
        return;
    merge_into(to, s, &from);
    bloom_chain_free(from.chain);
}

/* The result of an aggregate without rows. No row supplied n and p, so this is
   a chain. */
static void return_empty(sqlite3_context *to)
{
    bloom_chain *c = bloom_chain_create(FIRST_N, 0.01, like_classic);
    if (got(to, c))
        return_chain(to, c);
    bloom_chain_free(c);
}

/* The result for the current window frame */
static void value(sqlite3_context *to)
{
    state *s = sqlite3_aggregate_context(to, 0);
    if (s && s->chain) {
        return_chain(to, s->chain);
    } else if (s && s->filter) {
        bloom_seal(s->filter);
        sqlite3_result_blob64(to, s->filter, bloom_size(s->filter),
                              SQLITE_TRANSIENT);
    } else {
        return_empty(to);
    }
}

static void final(sqlite3_context *to)
{
    state *s = sqlite3_aggregate_context(to, 0);
    if (s && s->filter) {
        bloom_seal(s->filter);
        sqlite3_result_blob64(to, s->filter, bloom_size(s->filter),
                              free_filter);
        s->filter = NULL;
        return;
    }
    value(to);
    if (s) {
        bloom_chain_free(s->chain);
        s->chain = NULL;
    }
}

static void inverse(sqlite3_context *to, int count, sqlite3_value **v)
{
    (void)count;
    (void)v;
    right(to, false, "a filter cannot remove a key; let the window frame begin "
                     "at UNBOUNDED PRECEDING");
}

/* ---- Functions ----------------------------------------------------------- */

/* If the BLOB is constant, a chain is loaded once for all rows: SQLite then
   keeps the auxiliary data. Otherwise SQLite frees it at once. */
static void may_contain(sqlite3_context *to, int count, sqlite3_value **v)
{
    filter f = { NULL, sqlite3_get_auxdata(to, 0) };
    bool is_kept = f.chain != NULL;
    key k = key_of(v[1]);
    (void)count;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || !is_key(to, &k)
        || (!is_kept && !open_filter(to, v[0], &f)))
        return;
    sqlite3_result_int(to, f.chain
        ? bloom_chain_may_contain_hash(f.chain, hash_of(part(&f, 0), &k))
        : bloom_may_contain_hash(f.plain, hash_of(f.plain, &k)));
    if (f.chain && !is_kept)
        sqlite3_set_auxdata(to, 0, f.chain, free_chain);
}

static void add_to(sqlite3_context *to, const filter *f, const key *k)
{
    bloom *b;
    if (f->chain) {
        bloom_chain_add_hash(f->chain, hash_of(part(f, 0), k));
        return_chain(to, f->chain);
        return;
    }
    b = bloom_copy(f->plain);
    if (!got(to, b))
        return;
    bloom_add_hash(b, hash_of(b, k));
    bloom_seal(b);
    sqlite3_result_blob64(to, b, bloom_size(b), free_filter);
}

static void add(sqlite3_context *to, int count, sqlite3_value **v)
{
    key k = key_of(v[1]);
    filter f;
    bool sealed;
    (void)count;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || !open_filter(to, v[0], &f))
        return;
    if (sound(to, &f, &sealed)) {
        if (k.type == SQLITE_NULL)
            sqlite3_result_value(to, v[0]);
        else if (is_key(to, &k))
            add_to(to, &f, &k);
    }
    bloom_chain_free(f.chain);
}

/* Runs the query of table_info and frees its text. */
static void return_column(sqlite3_context *to, sqlite3 *db, char *sql)
{
    sqlite3_stmt *s = NULL;
    int code = sql ? sqlite3_prepare_v2(db, sql, -1, &s, NULL) : SQLITE_NOMEM;
    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        sqlite3_result_value(to, sqlite3_column_value(s, 0));
    else if (code == SQLITE_NOMEM)
        sqlite3_result_error_nomem(to);
    else if (code == SQLITE_ERROR && !s)
        say(to, "bloom_info needs a BLOB, or the name of a table USING bloom");
    else if (code != SQLITE_DONE)
        sqlite3_result_error(to, sqlite3_errmsg(db), -1);
    sqlite3_finalize(s);
    sqlite3_free(sql);
}

/* bloom_info(table) and bloom_info(schema, table): a virtual table's own column
   bloom_info. The function's user data tells whether it is running: a view with
   such a column could call the function with the view's own name. */
static void table_info(sqlite3_context *to, int count, sqlite3_value **v)
{
    bool *is_running = sqlite3_user_data(to);
    const char *name = (const char *)sqlite3_value_text(v[count - 1]);
    const char *schema = (const char *)sqlite3_value_text(v[0]);
    if (sqlite3_value_type(v[0]) == SQLITE_NULL
        || sqlite3_value_type(v[count - 1]) == SQLITE_NULL
        || !got(to, name) || !got(to, schema)
        || !right(to, !*is_running, "bloom_info would call itself"))
        return;
    *is_running = true;
    return_column(to, sqlite3_context_db_handle(to), count == 1
        ? sqlite3_mprintf("SELECT bloom_info FROM \"%w\"", name)
        : sqlite3_mprintf("SELECT bloom_info FROM \"%w\".\"%w\"", schema,
                          name));
    *is_running = false;
}

static void info(sqlite3_context *to, int count, sqlite3_value **v)
{
    filter f;
    bool sealed;
    if (count == 2 || sqlite3_value_type(v[0]) == SQLITE_TEXT) {
        table_info(to, count, v);
        return;
    }
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || !open_filter(to, v[0], &f))
        return;
    if (sound(to, &f, &sealed))
        describe(to, &f, sealed, "");
    bloom_chain_free(f.chain);
}

static int add_info(sqlite3 *db, int count, int flags)
{
    bool *is_running = sqlite3_malloc(sizeof *is_running);
    if (!is_running)
        return SQLITE_NOMEM;
    *is_running = false;
    return sqlite3_create_function_v2(db, "bloom_info", count, flags,
        is_running, info, NULL, NULL, sqlite3_free);
}

#ifdef _WIN32
__declspec(dllexport)
#endif
int sqlite3_bloom_init(sqlite3 *db, char **error, const sqlite3_api_routines *);
int sqlite3_bloom_init(sqlite3 *db, char **error,
                       const sqlite3_api_routines *api)
{
    enum { SAFE = SQLITE_UTF8 | SQLITE_INNOCUOUS,
           FLAGS = SAFE | SQLITE_DETERMINISTIC };
    static const struct {
        const char *name;
        int count;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = { { "bloom_may_contain", 2, may_contain },
        { "bloom_add", 2, add } },
      aggregates[] = { { "bloom", 1, bloom_step }, { "bloom", 2, bloom_step },
        { "bloom", 3, bloom_step }, { "bloom_merge", 1, merge_step } };
    int result = SQLITE_OK;
    unsigned i;
    (void)error;
    SQLITE_EXTENSION_INIT2(api)
    for (i = 0; i < 2 && result == SQLITE_OK; i++)
        result = sqlite3_create_function_v2(db, functions[i].name,
            functions[i].count, FLAGS, NULL, functions[i].call, NULL, NULL,
            NULL);
    for (i = 0; i < 4 && result == SQLITE_OK; i++)
        result = sqlite3_create_window_function(db, aggregates[i].name,
            aggregates[i].count, FLAGS, NULL, aggregates[i].call, final, value,
            inverse, NULL);
    /* bloom_info(blob) may be in a generated column or an index, so it has to
       stay deterministic. */
    if (result == SQLITE_OK)
        result = add_info(db, 1, FLAGS);
    if (result == SQLITE_OK)
        result = add_info(db, 2, SAFE);
    if (result == SQLITE_OK)
        result = sqlite3_create_module(db, "bloom_probes", &probes_module,
                                       NULL);
    if (result == SQLITE_OK)
        result = sqlite3_create_module(db, "bloom", &table_module, NULL);
    return result;
}
