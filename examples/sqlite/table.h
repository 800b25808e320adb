/* The virtual table of sqlite.c, CREATE VIRTUAL TABLE T USING bloom(n, p): a
   table of the keys that were inserted. A key can be looked up, but the keys
   cannot be listed. The filter is stored in T_data (pages.h). Its layout is
   blocked, so that a lookup reads only one page for every 8 probes.

   The key is the PRIMARY KEY, and there is no rowid. SQLite executes an OR of
   two conditions as two lookups and drops rows that it has already returned. It
   recognises them by the rowid or by the PRIMARY KEY.
   The hidden column `asked` is the argument of T(key). It is declared as BLOB,
   because with HIDDEN alone SQLite gives it NUMERIC affinity, and asked IN
   ('5') would look up 5. The hidden columns bloom_info and bloom_image describe
   the whole filter. A query of nothing else needs no key. */
#ifndef BLOOM_SQLITE_TABLE_H
#define BLOOM_SQLITE_TABLE_H

enum column { KEY, ASKED, PRESENT, INFO, IMAGE };

typedef struct asked {
    sqlite3_vtab_cursor base;
    bool is_row;                        /* is there a row left? */
    sqlite3_value *key;                 /* of this row, or NULL */
} asked;

static int disconnect(sqlite3_vtab *base)
{
    table *t = (table *)base;
    forget_statements(t);
    sqlite3_free(t->base.zErrMsg);
    sqlite3_free(t->data);
    sqlite3_free(t);
    return SQLITE_OK;
}

/* Reads a number as SQLite does, independent of the locale. The comparison is
   true only if the whole text is a number. */
static bool number_of(sqlite3 *db, const char *word, double *x)
{
    sqlite3_stmt *s = NULL;
    bool is = sqlite3_prepare_v2(db, "SELECT CAST(?1 AS REAL) WHERE "
                  "CAST(?1 AS NUMERIC) = ?1", -1, &s, NULL) == SQLITE_OK
           && sqlite3_bind_text(s, 1, word, -1, SQLITE_STATIC) == SQLITE_OK
           && sqlite3_step(s) == SQLITE_ROW;
    if (is)
        *x = sqlite3_column_double(s, 0);
    sqlite3_finalize(s);
    return is;
}

/* Reads the arguments "n" or "n, p"; returns false if they are wrong. */
static bool arguments(sqlite3 *db, int count, const char *const *words,
                      double *n, double *p)
{
    *p = 0.01;
    return (count == 1 || count == 2) && number_of(db, words[0], n)
        && (count == 1 || number_of(db, words[1], p))
        && *n >= 0 && *n < 1e18;
}

static int create_data(table *t, double n)
{
    if (n < 0 || !make_header(t, bloom_plan_layout((uint64_t)n, t->p,
                                                   BLOOM_BLOCKED)))
        return table_error(&t->base, SQLITE_ERROR, "USING bloom(n, p): cannot "
            "make such a filter; n must be the number of keys, and p the "
            "false-positive rate, between 0 and 1");
    return write_pages(t);
}

static int begin_table(sqlite3 *db, bool is_new, int count,
                       const char *const *words, sqlite3_vtab **to,
                       char **error)
{
    table *t = sqlite3_malloc(sizeof *t);
    double n;
    int result;
    if (!t)
        return SQLITE_NOMEM;
    memset(t, 0, sizeof *t);
    t->db = db;
    t->data = sqlite3_mprintf("\"%w\".\"%w_data\"", words[1], words[2]);
    if (!arguments(db, count - 3, words + 3, &n, &t->p))
        n = -1;
    result = !t->data ? SQLITE_NOMEM : is_new ? create_data(t, n) : SQLITE_OK;
    if (!result)
        result = sqlite3_declare_vtab(db, "CREATE TABLE x(key PRIMARY KEY, "
                     "asked BLOB HIDDEN, present HIDDEN, bloom_info HIDDEN, "
                     "bloom_image HIDDEN) WITHOUT ROWID");
    if (!result)
        result = sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    *to = result ? NULL : &t->base;
    *error = t->base.zErrMsg;
    t->base.zErrMsg = NULL;
    if (result)
        disconnect(&t->base);
    return result;
}

static int create_table(sqlite3 *db, void *none, int count,
                        const char *const *words, sqlite3_vtab **to,
                        char **error)
{
    (void)none;
    return begin_table(db, true, count, words, to, error);
}

static int connect_table(sqlite3 *db, void *none, int count,
                         const char *const *words, sqlite3_vtab **to,
                         char **error)
{
    (void)none;
    return begin_table(db, false, count, words, to, error);
}

static int destroy_table(sqlite3_vtab *base)
{
    table *t = (table *)base;
    int result;
    forget_statements(t);
    result = run(t, sqlite3_mprintf("DROP TABLE IF EXISTS %s", t->data));
    if (result == SQLITE_ERROR)         /* there is a view in its place */
        result = run(t, sqlite3_mprintf("DROP VIEW IF EXISTS %s", t->data));
    if (!result)
        disconnect(base);
    return result;
}

/* Afterwards SQLite reads the schema again and connects under the new name. */
static int rename_table(sqlite3_vtab *base, const char *name)
{
    table *t = (table *)base;
    return run(t, sqlite3_mprintf("ALTER TABLE %s RENAME TO \"%w_data\"",
                                  t->data, name));
}

static int is_shadow(const char *name)
{
    return sqlite3_stricmp(name, "data") == 0;
}

/* Returns the index of a usable constraint that compares the column by = or IS,
   byte for byte, or -1. *waits becomes true if a constraint would be usable in
   another order of the join. */
static int equality(sqlite3_index_info *info, int column, bool *waits)
{
    int i;
    for (i = 0; i < info->nConstraint; i++) {
        unsigned char op = info->aConstraint[i].op;
        if (info->aConstraint[i].iColumn != column
            || (op != SQLITE_INDEX_CONSTRAINT_EQ
                && op != SQLITE_INDEX_CONSTRAINT_IS)
            || sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY"))
            continue;
        if (info->aConstraint[i].usable)
            return i;
        *waits = true;
    }
    return -1;
}

/* What a query plan does: it looks up a key, or it describes the table. */
enum { CANNOT, LOOK_UP, DESCRIBE };

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const sqlite3_uint64 whole = 1u << INFO | 1u << IMAGE;
    bool waits = false;
    int i = equality(info, ASKED, &waits);
    (void)base;
    if (i < 0)
        i = equality(info, KEY, &waits);
    if (i < 0 && waits)
        return SQLITE_CONSTRAINT;
    info->idxNum = i >= 0 ? LOOK_UP
                 : (info->colUsed & whole) && !(info->colUsed & ~whole)
                 ? DESCRIBE : CANNOT;
    info->estimatedRows = 1;
    info->estimatedCost = i >= 0 ? 10 : 1e18;
    if (i >= 0) {
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    }
    return SQLITE_OK;
}

/* Allocates a struct of zeros, which begins with the cursor. */
static int new_cursor(sqlite3_vtab_cursor **to, int size)
{
    *to = sqlite3_malloc(size);
    if (!*to)
        return SQLITE_NOMEM;
    memset(*to, 0, (size_t)size);
    return SQLITE_OK;
}

static int open_asked(sqlite3_vtab *base, sqlite3_vtab_cursor **to)
{
    (void)base;
    return new_cursor(to, sizeof(asked));
}

static int next_asked(sqlite3_vtab_cursor *base)
{
    asked *c = (asked *)base;
    sqlite3_value_free(c->key);
    c->key = NULL;
    c->is_row = false;
    return SQLITE_OK;
}

static int close_asked(sqlite3_vtab_cursor *base)
{
    next_asked(base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int ask(sqlite3_vtab_cursor *base, int index, const char *none,
               int count, sqlite3_value **v)
{
    asked *c = (asked *)base;
    bool maybe;
    int result;
    key k;
    (void)none;
    (void)count;
    next_asked(base);
    c->is_row = index == DESCRIBE;
    if (index == DESCRIBE)
        return SQLITE_OK;
    if (index == CANNOT)
        return table_error(base->pVtab, SQLITE_ERROR,
            "a filter cannot list its keys; look one up: FROM seen(key)");
    k = key_of(v[0]);
    if (k.type == SQLITE_NULL || k.type == NO_MEMORY)
        return k.type == SQLITE_NULL ? SQLITE_OK : SQLITE_NOMEM;
    result = touch_key((table *)base->pVtab, &k, false, &maybe);
    if (result || !maybe)
        return result;
    c->key = sqlite3_value_dup(v[0]);
    c->is_row = c->key != NULL;
    return c->is_row ? SQLITE_OK : SQLITE_NOMEM;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    return !((asked *)base)->is_row;
}

/* The description of the table. It says `overfilled` if there are over 10% more
   keys than the plan is for: the number of keys is an estimate. */
static void return_info(sqlite3_context *to, table *t, const filter *f)
{
    uint64_t keys = bloom_estimate(f->plain), most = capacity(t);
    bool overfilled = (double)keys > 1.1 * (double)most + 1;
    char *more = sqlite3_mprintf(",\"n\":%llu,\"p\":%g,\"overfilled\":%s",
        (sqlite3_uint64)most, t->p, overfilled ? "true" : "false");
    if (got(to, more))
        describe(to, f, true, more);
    sqlite3_free(more);
}

static int return_whole(sqlite3_context *to, table *t, int i)
{
    unsigned char *image;
    int result = read_image(t, &image);
    bloom *b = result ? NULL : bloom_open(image, SIZE_MAX, NULL);
    filter f = { NULL, NULL };
    if (b && i == INFO) {
        f.plain = b;
        return_info(to, t, &f);
    } else if (b) {
        bloom_seal(b);
        sqlite3_result_blob64(to, image, bloom_size(b), sqlite3_free);
        return SQLITE_OK;
    }
    sqlite3_free(image);
    return result;
}

static int asked_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
    const asked *c = (const asked *)base;
    if (i == INFO || i == IMAGE)
        return return_whole(to, (table *)base->pVtab, i);
    if (i == PRESENT)
        sqlite3_result_int(to, 1);
    else if (c->key)
        sqlite3_result_value(to, c->key);
    return SQLITE_OK;
}

/* SQLite requires it, but does not call it for tables without a rowid. */
static int no_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *to)
{
    (void)base;
    (void)to;
    return SQLITE_ERROR;
}

/* v[0] is the old key, which is NULL for an INSERT. v[2] is the new key, and
   then come the hidden columns. A NULL key is skipped. The last insert rowid is
   restored, because the user did not insert the rows of the pages. */
static int update(sqlite3_vtab *base, int count, sqlite3_value **v,
                  sqlite3_int64 *rowid)
{
    table *t = (table *)base;
    sqlite3_int64 last = sqlite3_last_insert_rowid(t->db);
    bool maybe;
    int result, i;
    key k;
    if (count == 1 || sqlite3_value_type(v[0]) != SQLITE_NULL)
        return table_error(base, SQLITE_ERROR,
                           "a filter cannot delete or change a key; create it "
                           "again from the remaining keys");
    for (i = ASKED; i <= IMAGE; i++)
        if (sqlite3_value_type(v[2 + i]) != SQLITE_NULL)
            return table_error(base, SQLITE_ERROR, "only the column key can be "
                               "inserted: INSERT INTO seen(key)");
    k = key_of(v[2]);
    if (k.type == SQLITE_NULL || k.type == NO_MEMORY)
        result = k.type == SQLITE_NULL ? SQLITE_OK : SQLITE_NOMEM;
    else
        result = touch_key(t, &k, true, &maybe);
    sqlite3_set_last_insert_rowid(t->db, last);
    *rowid = last;
    return result;
}

#if SQLITE_VERSION_NUMBER >= 3044000

/* For PRAGMA integrity_check: reports in *error which page is corrupted, or why
   the pages cannot be read. */
static int check_table(sqlite3_vtab *base, const char *schema, const char *name,
                       int flags, char **error)
{
    table *t = (table *)base;
    page now;
    int result = open_table(t);
    uint64_t i, count = result ? 0 : pages(t);
    (void)schema;
    (void)name;
    (void)flags;
    for (i = 1; i <= count && !result; i++)
        result = read_page(t, i, &now);
    if (result != SQLITE_CORRUPT_VTAB && result != SQLITE_ERROR)
        return result;
    *error = base->zErrMsg;
    base->zErrMsg = NULL;
    return SQLITE_OK;
}

#define CHECKED .iVersion = 4, .xIntegrity = check_table
#else
#define CHECKED .iVersion = 3
#endif

static const sqlite3_module table_module = { CHECKED,
    .xCreate = create_table, .xConnect = connect_table,
    .xBestIndex = best_index, .xDisconnect = disconnect,
    .xDestroy = destroy_table, .xOpen = open_asked, .xClose = close_asked,
    .xFilter = ask, .xNext = next_asked, .xEof = at_end,
    .xColumn = asked_column, .xRowid = no_rowid, .xUpdate = update,
    .xRename = rename_table, .xShadowName = is_shadow };

#endif
