/* CREATE VIRTUAL TABLE T USING bloom(n, p), of sqlite.c. The filter is kept in
   the table T_data: page 0 is the header of its image, page i = 1, 2, ... are
   its bytes 32 + 992 (i - 1) to 32 + 992 i - 1; a page that is not there is
   zero. Nothing is kept in memory: so transactions, savepoints and other
   connections are SQLite's own affair. The layout is blocked: a key is in one
   page for each 8 of its probes. Four of these pages fit one of 4096 bytes. */
#ifndef BLOOM_COMMON_SQLITE_TABLE_H
#define BLOOM_COMMON_SQLITE_TABLE_H

enum { PAGE = 992 };

typedef struct table {
    sqlite3_vtab base;
    sqlite3 *db;
    char *schema, *data;                /* main, "main"."T_data" */
    sqlite3_stmt *read, *write;
    unsigned char header[32];
    unsigned char page[PAGE];
} table;

typedef struct asked {
    sqlite3_vtab_cursor base;
    sqlite3_value *key;                 /* NULL: no row, or no more */
} asked;

static int table_error(sqlite3_vtab *t, int code, const char *why)
{
    sqlite3_free(t->zErrMsg);
    t->zErrMsg = sqlite3_mprintf("bloom: %s", why);
    return code;
}

static void forget_statements(table *t)
{
    sqlite3_finalize(t->read);
    sqlite3_finalize(t->write);
    t->read = t->write = NULL;
}

static int disconnect(sqlite3_vtab *base)
{
    table *t = (table *)base;
    forget_statements(t);
    sqlite3_free(t->schema);
    sqlite3_free(t->data);
    sqlite3_free(t);
    return SQLITE_OK;
}

/* Runs it, which has one %s: where the data is. */
static int run(table *t, const char *sql)
{
    char *text = sqlite3_mprintf(sql, t->data);
    int result = text ? sqlite3_exec(t->db, text, NULL, NULL, NULL)
                      : SQLITE_NOMEM;
    sqlite3_free(text);
    return result;
}

static int prepare(table *t, sqlite3_stmt **to, const char *sql)
{
    char *text;
    int result;
    if (*to)
        return SQLITE_OK;
    text = sqlite3_mprintf(sql, t->data);
    result = text ? sqlite3_prepare_v3(t->db, text, -1,
        SQLITE_PREPARE_PERSISTENT, to, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return result;
}

static int read_page(table *t, uint64_t number, unsigned char *to, size_t size)
{
    int result = prepare(t, &t->read, "SELECT bytes FROM %s WHERE page = ?1"),
        ended;
    if (result)
        return result;
    sqlite3_bind_int64(t->read, 1, (sqlite3_int64)number);
    memset(to, 0, size);
    if (sqlite3_step(t->read) == SQLITE_ROW) {
        const void *bytes = sqlite3_column_blob(t->read, 0);
        if (bytes && (size_t)sqlite3_column_bytes(t->read, 0) == size)
            memcpy(to, bytes, size);
        else
            result = table_error(&t->base, SQLITE_CORRUPT_VTAB,
                                 "its data is damaged");
    }
    ended = sqlite3_reset(t->read);
    return result ? result : ended;
}

static int write_page(table *t, uint64_t number, const void *from, int size)
{
    int result = prepare(t, &t->write, "REPLACE INTO %s VALUES(?1, ?2)");
    if (result)
        return result;
    sqlite3_bind_int64(t->write, 1, (sqlite3_int64)number);
    sqlite3_bind_blob(t->write, 2, from, size, SQLITE_STATIC);
    sqlite3_step(t->write);
    result = sqlite3_reset(t->write);
    sqlite3_clear_bindings(t->write);
    return result;
}

/* Looks at the cells of a key, or sets them: *maybe: all were set. */
static int touch_key(table *t, const key *k, bool set, bool *maybe)
{
    const bloom *b = bloom_view(t->header, SIZE_MAX, NULL);
    uint64_t cells[64], number = 0;     /* of the page that is here */
    unsigned i, count = bloom_probes(b, hash_of(b, k), cells);
    bool changed = false;
    int result = SQLITE_OK;
    *maybe = true;
    for (i = 0; i < count && (set || *maybe); i++) {
        unsigned char *byte = t->page + cells[i] / 8 % PAGE;
        unsigned bit = 1u << cells[i] % 8;
        if (cells[i] / 8 / PAGE + 1 != number) {
            if (changed)
                result = write_page(t, number, t->page, PAGE);
            changed = false;
            number = cells[i] / 8 / PAGE + 1;
            if (!result)
                result = read_page(t, number, t->page, PAGE);
            if (result)
                return result;
        }
        if (!(*byte & bit)) {
            *maybe = false;
            changed = changed || set;
            *byte = (unsigned char)(set ? *byte | bit : *byte);
        }
    }
    return changed ? write_page(t, number, t->page, PAGE) : SQLITE_OK;
}

/* "n" or "n, p", as text */
static bloom_plan plan_of_words(int count, const char *const *words)
{
    bloom_plan none = { 0, 0, 0, 0, 0 };
    double n, p = 0.01;
    char *end;
    if (count < 1 || count > 2)
        return none;
    n = strtod(words[0], &end);
    if (end == words[0] || *end || !(n >= 0 && n < 1e18))
        return none;
    if (count == 2) {
        p = strtod(words[1], &end);
        if (end == words[1] || *end)
            return none;
    }
    return bloom_plan_layout((uint64_t)n, p, BLOOM_BLOCKED);
}

static int create_data(table *t, int count, const char *const *words)
{
    bloom *b = bloom_create(plan_of_words(count, words));
    int result;
    if (!b)
        return table_error(&t->base, SQLITE_ERROR, "USING bloom(n, p): no such "
            "filter; n is how many keys, p is between 0 and 1");
    memcpy(t->header, b, sizeof t->header);
    bloom_free(b);
    result = run(t, "CREATE TABLE %s(page INTEGER PRIMARY KEY, bytes BLOB)");
    return result ? result : write_page(t, 0, t->header, sizeof t->header);
}

static int begin_table(sqlite3 *db, bool is_new, int count,
                       const char *const *words, sqlite3_vtab **to,
                       char **error)
{
    table *t = sqlite3_malloc(sizeof *t);
    int result = SQLITE_NOMEM;
    if (!t)
        return result;
    memset(t, 0, sizeof *t);
    t->db = db;
    t->schema = sqlite3_mprintf("%s", words[1]);
    t->data = sqlite3_mprintf("\"%w\".\"%w_data\"", words[1], words[2]);
    if (t->schema && t->data)
        result = is_new ? create_data(t, count - 3, words + 3)
                        : read_page(t, 0, t->header, sizeof t->header);
    if (!result && !bloom_view(t->header, SIZE_MAX, NULL))
        result = table_error(&t->base, SQLITE_CORRUPT_VTAB,
                             "its data is damaged");
    if (!result)
        result = sqlite3_declare_vtab(db, "CREATE TABLE x(key, asked HIDDEN, "
                                          "present HIDDEN)");
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
    int result;
    forget_statements((table *)base);
    result = run((table *)base, "DROP TABLE %s");
    if (!result)
        disconnect(base);
    return result;
}

static int rename_table(sqlite3_vtab *base, const char *name)
{
    table *t = (table *)base;
    char *sql = sqlite3_mprintf("ALTER TABLE %%s RENAME TO \"%w_data\"", name),
         *data = sqlite3_mprintf("\"%w\".\"%w_data\"", t->schema, name);
    int result = sql && data ? run(t, sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (result) {
        sqlite3_free(data);
        return result;
    }
    forget_statements(t);
    sqlite3_free(t->data);
    t->data = data;
    return SQLITE_OK;
}

static int is_shadow(const char *name)
{
    return sqlite3_stricmp(name, "data") == 0;
}

/* Which constraint, if any, says column = something, byte for byte? *waits: one
   would, in another order of a join. */
static int equality(sqlite3_index_info *info, int column, bool *waits)
{
    int i;
    for (i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].iColumn != column
            || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ
            || sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY"))
            continue;
        if (info->aConstraint[i].usable)
            return i;
        *waits = true;
    }
    return -1;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    bool waits = false;
    int i = equality(info, 1, &waits);
    (void)base;
    if (i < 0)
        i = equality(info, 0, &waits);
    if (i < 0 && waits)
        return SQLITE_CONSTRAINT;
    info->idxNum = i >= 0;
    info->estimatedRows = 1;
    info->estimatedCost = i >= 0 ? 10 : 1e18;
    if (i >= 0) {
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    }
    return SQLITE_OK;
}

/* Zeros, of a struct that begins with the cursor */
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
    if (index == 0)
        return table_error(base->pVtab, SQLITE_ERROR,
            "a filter cannot list its keys: ask for one, FROM seen(key)");
    k = key_of(v[0]);
    if (k.type == SQLITE_FLOAT)
        return table_error(base->pVtab, SQLITE_ERROR, real_key);
    if (k.type == SQLITE_NULL)
        return SQLITE_OK;
    result = touch_key((table *)base->pVtab, &k, false, &maybe);
    if (result || !maybe)
        return result;
    c->key = sqlite3_value_dup(v[0]);
    return c->key ? SQLITE_OK : SQLITE_NOMEM;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    return !((asked *)base)->key;
}

static int asked_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
    if (i == 2)
        sqlite3_result_int(to, 1);
    else
        sqlite3_result_value(to, ((asked *)base)->key);
    return SQLITE_OK;
}

static int no_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *to)
{
    (void)base;
    *to = 1;
    return SQLITE_OK;
}

/* v: old and new rowid, key, asked, present; both rowids NULL: an INSERT */
static int update(sqlite3_vtab *base, int count, sqlite3_value **v,
                  sqlite3_int64 *rowid)
{
    bool maybe;
    key k;
    (void)rowid;
    if (count == 1 || sqlite3_value_type(v[0]) != SQLITE_NULL)
        return table_error(base, SQLITE_ERROR,
                           "a filter cannot forget or change a key");
    k = key_of(v[2]);
    if (k.type == SQLITE_FLOAT)
        return table_error(base, SQLITE_MISMATCH, real_key);
    if (k.type == SQLITE_NULL)
        return table_error(base, SQLITE_CONSTRAINT, "NULL is no key");
    return touch_key((table *)base, &k, true, &maybe);
}

static const sqlite3_module table_module = { 3, create_table, connect_table,
    best_index, disconnect, destroy_table, open_asked, close_asked, ask,
    next_asked, at_end, asked_column, no_rowid, update, NULL, NULL, NULL, NULL,
    NULL, rename_table, NULL, NULL, NULL, is_shadow };

#endif
