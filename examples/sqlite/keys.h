/* Shared by sqlite.c and its tables: SQLite's values as keys, its BLOBs as
   filters, and errors. Include sqlite3ext.h and bloom_chain.h before it. */
#ifndef BLOOM_SQLITE_KEYS_H
#define BLOOM_SQLITE_KEYS_H

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

static uint64_t load64(const unsigned char *from)
{
    uint64_t value = 0;
    unsigned i;
    for (i = 0; i < 8; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
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

/* Is there a seal, right or wrong, in each link of a chain? Whoever saves a
   chain seals it first. So a missing seal was overwritten, and the cells that
   follow it probably were, too. */
static bool has_seals(const filter *f)
{
    static const unsigned char none[8];
    const bloom *b;
    unsigned i;
    for (i = 0; (b = part(f, i)) != NULL; i++)
        if (memcmp((const unsigned char *)b + 24, none, sizeof none) == 0)
            return false;
    return true;
}

/* After an error, and if memory is short, both pointers are NULL. In the second
   case the result is BLOOM_OK. A chain without seals is BLOOM_UNSEALED; a plain
   filter needs no seal. */
static bloom_error read_filter(sqlite3_value *v, filter *f)
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
    if (f->chain && !has_seals(f)) {
        bloom_chain_free(f->chain);
        f->chain = NULL;
        error = BLOOM_UNSEALED;
    }
    return error == BLOOM_NO_MEMORY ? BLOOM_OK : error;
}

static const char *why_not(bloom_error error)
{
    return error == BLOOM_UNSEALED ? "a filter that grows has lost its seal: "
        "corrupt, or saved without bloom_chain_seal" : bloom_error_text(error);
}

/* Opens the filter in a BLOB. If there is none, it reports an error and returns
   false. The caller frees the chain. */
static bool open_filter(sqlite3_context *to, sqlite3_value *v, filter *f)
{
    bloom_error error = read_filter(v, f);
    return right(to, error == BLOOM_OK, why_not(error))
        && got(to, f->plain ? (const void *)f->plain : f->chain);
}

/* Checks the seals, because sealing a filter again must not hide old damage.
   *sealed tells whether there are any. Without a seal, damage cannot be found.
   SQLite's only place for such a warning is its error log. */
static bool sound(sqlite3_context *to, const filter *f, bool *sealed)
{
    bloom_error error = f->chain ? bloom_chain_verify(f->chain)
                                 : bloom_verify(f->plain);
    *sealed = error != BLOOM_UNSEALED;
    if (*sealed)
        return right(to, error == BLOOM_OK, bloom_error_text(error));
    sqlite3_log(SQLITE_WARNING, "bloom: a filter is not sealed, so damage in "
                                "it cannot be found");
    return true;
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

/* The result is a description as JSON; `more` are further members. */
static void describe(sqlite3_context *to, const filter *f, bool sealed,
                     const char *more)
{
    static const char *const layouts[] = { "classic", "blocked", "counting" };
    const bloom_chain *c = f->chain;
    unsigned links = c ? bloom_chain_links(c) : 0;
    const bloom *b = part(f, links > 0 ? links - 1 : 0);
    bloom_plan plan = bloom_plan_of(b);
    uint64_t keys = c ? bloom_chain_estimate(c) : bloom_estimate(b);
    char *text = sqlite3_mprintf("{\"layout\":\"%s\",\"links\":%u,\"m\":%llu,"
        "\"k\":%u,\"hash_bits\":%u,\"seed\":%llu,\"bytes\":%llu,\"keys\":%lld,"
        "\"rate\":%.6g,\"sealed\":%s%s}", layouts[plan.layout], links,
        (sqlite3_uint64)plan.cells, (unsigned)plan.hashes,
        (unsigned)plan.hash_bits, (sqlite3_uint64)plan.seed,
        (sqlite3_uint64)(c ? bloom_chain_size(c) : bloom_size(b)),
        (sqlite3_int64)(keys > INT64_MAX ? INT64_MAX : keys),
        c ? bloom_chain_fpr(c) : bloom_fpr(b), sealed ? "true" : "false", more);
    if (got(to, text))
        sqlite3_result_text(to, text, -1, sqlite3_free);
}

static bool is_number(sqlite3_value *v)
{
    int type = sqlite3_value_numeric_type(v);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

#endif
