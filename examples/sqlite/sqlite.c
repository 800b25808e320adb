/* Bloom filters for SQLite, a loadable extension: filters as BLOBs.

       cc -O2 -shared -fPIC -I. examples/sqlite/sqlite.c -o bloom.sqlite.so
       sqlite> .load ./bloom.sqlite

   SQLite finds the entry point by the file name up to the first dot. The file
   is not called bloom.so, because Python would then import it in place of
   bloom.py.

   README.md beside this file says how to use it. A filter that triggers keep up
   to date is a table of filters: bloom_part says which row has a key. So SQLite
   itself stores it, rolls it back, and shares it with other connections. */
#include <sqlite3ext.h>
#include <string.h>
SQLITE_EXTENSION_INIT1
#define BLOOM_STATIC
#define BLOOM_MALLOC(size) sqlite3_malloc64(size)
#define BLOOM_FREE(memory) sqlite3_free(memory)
#include "../companions/bloom_chain.h"

static const bloom_plan like_classic = { 64, 0, 1, BLOOM_CLASSIC, 64 };
#define FIRST_N 1000                    /* keys in the first link of a chain */

/* ---- Keys ---------------------------------------------------------------- */

/* type is SQLite's type or NO_MEMORY. value is an integer, or the bits of a
   REAL. */
typedef struct key {
    int type;
    uint64_t value;
    const void *bytes;
    size_t size;
} key;

enum { NO_MEMORY = 0 };

/* Numbers that are equal in SQL are the same key. So a REAL with an integral
   value is the key of that integer: 5.0 = 5 and -0.0 = 0. Other REALs are the
   same key if their bits are equal. */
static key real_key(double x)
{
    key k = { SQLITE_FLOAT, 0, NULL, 0 };
    if (x >= -9223372036854775808.0 && x < 9223372036854775808.0
        && (double)(sqlite3_int64)x == x) {
        k.type = SQLITE_INTEGER;
        k.value = (uint64_t)(sqlite3_int64)x;
    } else {
        memcpy(&k.value, &x, sizeof k.value);
    }
    return k;
}

static key key_of(sqlite3_value *v)
{
    key k = { SQLITE_NULL, 0, NULL, 0 };
    k.type = sqlite3_value_type(v);
    if (k.type == SQLITE_INTEGER)
        k.value = (uint64_t)sqlite3_value_int64(v);
    if (k.type == SQLITE_FLOAT)
        return real_key(sqlite3_value_double(v));
    if (k.type != SQLITE_TEXT && k.type != SQLITE_BLOB)
        return k;
    k.bytes = k.type == SQLITE_TEXT ? (const void *)sqlite3_value_text(v)
                                    : sqlite3_value_blob(v);
    k.size = (size_t)sqlite3_value_bytes(v);
    if (!k.bytes && (k.size > 0 || k.type == SQLITE_TEXT))
        k.type = NO_MEMORY;             /* for converting the text to UTF-8 */
    return k;
}

static void store64(unsigned char *to, uint64_t value)
{
    unsigned i;
    for (i = 0; i < 8; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static bloom_hash hash_of(const bloom *b, const key *k)
{
    unsigned char bits[8];
    if (k->type == SQLITE_INTEGER)
        return bloom_hash_u64(b, k->value);
    if (k->type != SQLITE_FLOAT)
        return bloom_hash_key(b, k->bytes, k->size);
    store64(bits, k->value);
    return bloom_hash_key(b, bits, sizeof bits);
}

/* ---- Errors -------------------------------------------------------------- */

static void say(sqlite3_context *to, const char *why)
{
    char *text = sqlite3_mprintf("bloom: %s", why);
    if (text)
        sqlite3_result_error(to, text, -1);
    else
        sqlite3_result_error_nomem(to);
    sqlite3_free(text);
}

/* Returns the condition. If it is false, the statement fails with the message
   `why`. */
static bool right(sqlite3_context *to, bool condition, const char *why)
{
    if (!condition)
        say(to, why);
    return condition;
}

static bool got(sqlite3_context *to, const void *memory)
{
    if (!memory)
        sqlite3_result_error_nomem(to);
    return memory != NULL;
}

/* Returns false for NULL, which is not a key, and if memory is short, which it
   reports. */
static bool is_key(sqlite3_context *to, const key *k)
{
    if (k->type == NO_MEMORY)
        sqlite3_result_error_nomem(to);
    return k->type != NO_MEMORY && k->type != SQLITE_NULL;
}

/* Returns true, and reports it, if a BLOB may not be so large. The next link of
   a chain may be of any size, because its head may be untrusted. The size of an
   impossible plan is 0. */
static bool too_big(sqlite3_context *to, size_t size)
{
    bool is = size == 0 || size > (size_t)sqlite3_limit(
        sqlite3_context_db_handle(to), SQLITE_LIMIT_LENGTH, -1);
    if (is)
        sqlite3_result_error_toobig(to);
    return is;
}

/* ---- Filters ------------------------------------------------------------- */

/* The filter in a BLOB: plain points into the BLOB, chain is a copy. */
typedef struct filter { const bloom *plain; bloom_chain *chain; } filter;

/* Part i: the plain filter is part 0, the links of a chain are parts 0, 1, ...
   NULL after the last one */
static const bloom *part(const filter *f, unsigned i)
{
    if (!f->chain)
        return i == 0 ? f->plain : NULL;
    return i < bloom_chain_links(f->chain) ? bloom_chain_link(f->chain, i)
                                           : NULL;
}

/* Opens the filter in a BLOB. If there is none, it reports an error and returns
   false. The caller frees the chain. */
static bool open_filter(sqlite3_context *to, sqlite3_value *v, filter *f)
{
    bool is_blob = sqlite3_value_type(v) == SQLITE_BLOB;
    const void *image = is_blob ? sqlite3_value_blob(v) : NULL;
    size_t size = image ? (size_t)sqlite3_value_bytes(v) : 0;
    bloom_error error = BLOOM_NOT_A_FILTER;
    f->plain = NULL;
    f->chain = NULL;
    if (size >= 3 && memcmp(image, "BLC", 3) == 0)
        f->chain = bloom_chain_load(image, size, &error);
    else if (is_blob)
        f->plain = bloom_view(image, size, &error);
    if (error == BLOOM_NO_MEMORY)
        sqlite3_result_error_nomem(to);
    else
        right(to, error == BLOOM_OK, bloom_error_text(error));
    return error == BLOOM_OK;
}

static bloom_error seal_of(const filter *f)
{
    return f->chain ? bloom_chain_verify(f->chain) : bloom_verify(f->plain);
}

/* Is the filter as it was when it was sealed? Without a seal nobody can tell,
   and a key that damage removed would be "certainly not in". */
static bool is_sound(sqlite3_context *to, const filter *f)
{
    bloom_error error = seal_of(f);
    return right(to, error == BLOOM_OK, error != BLOOM_UNSEALED
        ? bloom_error_text(error) : "a filter without a seal: it was in use "
          "when it was copied, saved without sealing it, or damaged; if you "
          "trust it, bloom_seal seals it");
}

/* Is no cell set? */
static bool is_empty(const filter *f)
{
    const bloom *b;
    unsigned i;
    for (i = 0; (b = part(f, i)) != NULL; i++)
        if (bloom_ones(b) > 0)
            return false;
    return true;
}

/* The result is a description as JSON. */
static void describe(sqlite3_context *to, const filter *f)
{
    static const char *const layouts[] = { "classic", "blocked", "counting" };
    const bloom_chain *c = f->chain;
    unsigned links = c ? bloom_chain_links(c) : 0;
    const bloom *b = part(f, links > 0 ? links - 1 : 0);
    bloom_plan plan = bloom_plan_of(b);
    uint64_t keys = c ? bloom_chain_estimate(c) : bloom_estimate(b);
    char *text = sqlite3_mprintf("{\"layout\":\"%s\",\"links\":%u,\"m\":%llu,"
        "\"k\":%u,\"hash_bits\":%u,\"seed\":%llu,\"bytes\":%llu,\"keys\":%lld,"
        "\"rate\":%.6g}", layouts[plan.layout], links,
        (sqlite3_uint64)plan.cells, (unsigned)plan.hashes,
        (unsigned)plan.hash_bits, (sqlite3_uint64)plan.seed,
        (sqlite3_uint64)(c ? bloom_chain_size(c) : bloom_size(b)),
        (sqlite3_int64)(keys > INT64_MAX ? INT64_MAX : keys),
        c ? bloom_chain_fpr(c) : bloom_fpr(b));
    if (got(to, text))
        sqlite3_result_text(to, text, -1, sqlite3_free);
}

static bool is_number(sqlite3_value *v)
{
    int type = sqlite3_value_numeric_type(v);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

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
    if (!is_sound(to, from) || (from->chain && is_empty(from)))
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

enum { SMALL = 4096 };

/* If the BLOB is a constant or a parameter, SQLite keeps the auxiliary data for
   the next rows: the chain, or `verified` for a plain filter. For other BLOBs
   it forgets them at once. For a small filter, that takes more time than to
   verify the seal again. */
static void may_contain(sqlite3_context *to, int count, sqlite3_value **v)
{
    static char verified;
    void *kept = sqlite3_get_auxdata(to, 0);
    filter f = { NULL, kept == &verified ? NULL : kept };
    key k = key_of(v[1]);
    (void)count;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || !is_key(to, &k)
        || (!f.chain && !open_filter(to, v[0], &f)))
        return;
    if (!kept && !is_sound(to, &f)) {
        bloom_chain_free(f.chain);
        return;
    }
    sqlite3_result_int(to, f.chain
        ? bloom_chain_may_contain_hash(f.chain, hash_of(part(&f, 0), &k))
        : bloom_may_contain_hash(f.plain, hash_of(f.plain, &k)));
    if (!kept && f.chain)
        sqlite3_set_auxdata(to, 0, f.chain, free_chain);
    else if (!kept && bloom_size(f.plain) >= SMALL)
        sqlite3_set_auxdata(to, 0, &verified, NULL);
}

static void return_copy(sqlite3_context *to, const bloom *from, const key *k)
{
    bloom *b = bloom_copy(from);
    if (!got(to, b))
        return;
    if (k)
        bloom_add_hash(b, hash_of(b, k));
    bloom_seal(b);
    sqlite3_result_blob64(to, b, bloom_size(b), free_filter);
}

/* The result is the filter with the key, if any, and with a seal. */
static void return_with(sqlite3_context *to, const filter *f, const key *k)
{
    if (!f->chain) {
        return_copy(to, f->plain, k);
        return;
    }
    if (k)
        bloom_chain_add_hash(f->chain, hash_of(part(f, 0), k));
    return_chain(to, f->chain);
}

static void add(sqlite3_context *to, int count, sqlite3_value **v)
{
    key k = key_of(v[1]);
    filter f;
    (void)count;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || !open_filter(to, v[0], &f))
        return;
    if (is_sound(to, &f)) {
        if (k.type == SQLITE_NULL)
            sqlite3_result_value(to, v[0]);
        else if (is_key(to, &k))
            return_with(to, &f, &k);
    }
    bloom_chain_free(f.chain);
}

static void seal(sqlite3_context *to, int count, sqlite3_value **v)
{
    filter f;
    (void)count;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || !open_filter(to, v[0], &f))
        return;
    if (seal_of(&f) == BLOOM_UNSEALED || is_sound(to, &f))
        return_with(to, &f, NULL);
    bloom_chain_free(f.chain);
}

/* Which of `parts` filters has this key, from 0 on. The seed is not that of a
   filter, so that the keys of a part are spread over all of its cells. */
static void part_of(sqlite3_context *to, int count, sqlite3_value **v)
{
    static const unsigned char like[BLOOM_HEADER_SIZE + 8] = { 'B', 'L', 'M', 2,
        BLOOM_CLASSIC, 64, 1, 0, 64, [16] = 'p', 'a', 'r', 't' };
    key k = key_of(v[0]);
    sqlite3_int64 parts = sqlite3_value_int64(v[1]);
    (void)count;
    if (is_key(to, &k) && right(to, parts > 0, "bloom_part(key, parts): parts "
                                "must be a number from 1 on"))
        sqlite3_result_int64(to, (sqlite3_int64)(hash_of((const bloom *)(
            const void *)like, &k).h1 % (uint64_t)parts));
}

static void info(sqlite3_context *to, int count, sqlite3_value **v)
{
    filter f;
    (void)count;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL || !open_filter(to, v[0], &f))
        return;
    if (is_sound(to, &f))
        describe(to, &f);
    bloom_chain_free(f.chain);
}

#ifdef _WIN32
__declspec(dllexport)
#endif
int sqlite3_bloom_init(sqlite3 *db, char **error, const sqlite3_api_routines *);
int sqlite3_bloom_init(sqlite3 *db, char **error,
                       const sqlite3_api_routines *api)
{
    enum { FLAGS = SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC };
    static const struct {
        const char *name;
        int count;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = { { "bloom_may_contain", 2, may_contain },
        { "bloom_add", 2, add }, { "bloom_info", 1, info },
        { "bloom_part", 2, part_of }, { "bloom_seal", 1, seal } },
      aggregates[] = { { "bloom", 1, bloom_step }, { "bloom", 2, bloom_step },
        { "bloom", 3, bloom_step }, { "bloom_merge", 1, merge_step } };
    int result = SQLITE_OK;
    unsigned i;
    (void)error;
    SQLITE_EXTENSION_INIT2(api)
    for (i = 0; i < 5 && result == SQLITE_OK; i++)
        result = sqlite3_create_function_v2(db, functions[i].name,
            functions[i].count, FLAGS, NULL, functions[i].call, NULL, NULL,
            NULL);
    for (i = 0; i < 4 && result == SQLITE_OK; i++)
        result = sqlite3_create_window_function(db, aggregates[i].name,
            aggregates[i].count, FLAGS, NULL, aggregates[i].call, final, value,
            inverse, NULL);
    return result;
}
