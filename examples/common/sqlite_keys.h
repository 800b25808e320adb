/* What sqlite.c and the tables share: SQLite's values as keys, its BLOBs as
   filters, and errors. bloom.h and sqlite3ext.h come before it. */
#ifndef BLOOM_COMMON_SQLITE_KEYS_H
#define BLOOM_COMMON_SQLITE_KEYS_H

typedef struct key { int type; uint64_t value; const void *bytes; size_t size; }
    key;

static const char real_key[] = "a REAL is no key: CAST it to INTEGER or TEXT";

/* Its type is SQLite's; not FLOAT, of which the caller says real_key. */
static key key_of(sqlite3_value *v)
{
    key k = { 0, 0, NULL, 0 };
    k.type = sqlite3_value_type(v);
    if (k.type == SQLITE_INTEGER) {
        k.value = (uint64_t)sqlite3_value_int64(v);
    } else if (k.type == SQLITE_TEXT || k.type == SQLITE_BLOB) {
        k.bytes = k.type == SQLITE_TEXT ? (const void *)sqlite3_value_text(v)
                                        : sqlite3_value_blob(v);
        k.size = (size_t)sqlite3_value_bytes(v);
        if (k.size > 0 && !k.bytes)
            k.type = SQLITE_NULL;       /* no memory for it; said elsewhere */
    }
    return k;
}

static bloom_hash hash_of(const bloom *b, const key *k)
{
    return k->type == SQLITE_INTEGER ? bloom_hash_u64(b, k->value)
                                     : bloom_hash_key(b, k->bytes, k->size);
}

/* The filters in a blob: itself, or the links of a chain. */
typedef struct images {
    const unsigned char *at;
    size_t left;
    bool is_chain;
    bloom_error error;                  /* why there is no other one, or OK */
} images;

static images images_of(sqlite3_value *v)
{
    images i = { NULL, 0, false, BLOOM_OK };
    i.at = sqlite3_value_type(v) == SQLITE_BLOB ? sqlite3_value_blob(v) : NULL;
    i.left = i.at ? (size_t)sqlite3_value_bytes(v) : 0;
    i.is_chain = i.left >= 4 && memcmp(i.at, "BLC\1", 4) == 0;
    if (i.left < 32)
        i.error = sqlite3_value_type(v) == SQLITE_BLOB ? BLOOM_TRUNCATED
                                                       : BLOOM_NOT_A_FILTER;
    else if (i.is_chain)
        i.at += 32, i.left -= 32;
    return i;
}

static const bloom *next_image(images *i)
{
    const bloom *b = NULL;
    if (i->error || i->left == 0
        || (i->is_chain && (i->left < 3 || memcmp(i->at, "BLM", 3) != 0)))
        return NULL;
    b = bloom_view(i->at, i->left, &i->error);
    if (b && i->is_chain)
        i->at += bloom_size(b), i->left -= bloom_size(b);
    else
        i->left = 0;
    return b;
}

static void say(sqlite3_context *to, const char *why)
{
    char *text = sqlite3_mprintf("bloom: %s", why);
    if (text)
        sqlite3_result_error(to, text, -1);
    else
        sqlite3_result_error_nomem(to);
    sqlite3_free(text);
}

/* false, and the sentence for the user, unless it is so */
static bool right(sqlite3_context *to, bool condition, const char *why)
{
    if (!condition)
        say(to, why);
    return condition;
}

static bool fine(sqlite3_context *to, bloom_error error)
{
    return right(to, error == BLOOM_OK, bloom_error_text(error));
}

static bool got(sqlite3_context *to, const void *memory)
{
    if (!memory)
        sqlite3_result_error_nomem(to);
    return memory != NULL;
}

/* Opens the filters in a blob that will be changed or told of, and checks the
   seals that there are: a new seal must not hide old damage. */
static bool sound(sqlite3_context *to, sqlite3_value *v, bool *sealed)
{
    images i = images_of(v);
    const bloom *b;
    *sealed = true;
    while ((b = next_image(&i)) != NULL) {
        bloom_error error = bloom_verify(b);
        *sealed = *sealed && error == BLOOM_OK;
        if (error != BLOOM_UNSEALED && !fine(to, error))
            return false;
    }
    return fine(to, i.error);
}

/* More than a BLOB may have? A head of a chain can ask for any memory. */
static bool too_big(sqlite3_context *to, size_t size)
{
    bool is = size == 0 || size > (size_t)sqlite3_limit(
        sqlite3_context_db_handle(to), SQLITE_LIMIT_LENGTH, -1);
    if (is)
        sqlite3_result_error_toobig(to);
    return is;
}

static bloom_chain *load_chain(sqlite3_context *to, sqlite3_value *v)
{
    bloom_error error;
    bloom_chain *c = bloom_chain_load(sqlite3_value_blob(v),
                                      (size_t)sqlite3_value_bytes(v), &error);
    if (fine(to, error) && got(to, c) && !too_big(to, bloom_chain_size(c)))
        return c;
    bloom_chain_free(c);
    return NULL;
}

#endif
