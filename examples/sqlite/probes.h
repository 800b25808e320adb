/* bloom_probes(blob, key) of sqlite.c: a table of the cells that a lookup
   tests. As in table.h, the PRIMARY KEY lets SQLite distinguish the rows of
   different lookups. */
#ifndef BLOOM_SQLITE_PROBES_H
#define BLOOM_SQLITE_PROBES_H

typedef struct probe { unsigned link, probe; uint64_t cell; int value; }
    probe;
typedef struct probes {
    sqlite3_vtab_cursor base;
    sqlite3_value *image, *key;
    probe *rows;
    size_t count, at;
} probes;

static int connect_probes(sqlite3 *db, void *none, int count,
                          const char *const *words, sqlite3_vtab **to,
                          char **error)
{
    int result = sqlite3_declare_vtab(db, "CREATE TABLE x(link, probe, cell, "
        "value, image BLOB HIDDEN, key BLOB HIDDEN, PRIMARY KEY(image, key, "
        "link, probe)) WITHOUT ROWID");
    (void)none;
    (void)count;
    (void)words;
    (void)error;
    if (result)
        return result;
    *to = sqlite3_malloc(sizeof **to);
    if (!*to)
        return SQLITE_NOMEM;
    memset(*to, 0, sizeof **to);
    return sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
}

static int disconnect_probes(sqlite3_vtab *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

static int best_probes(sqlite3_vtab *base, sqlite3_index_info *info)
{
    bool waits = false;
    int image = equality(info, 4, &waits), of_key = equality(info, 5, &waits);
    (void)base;
    if (image < 0 || of_key < 0)
        return SQLITE_CONSTRAINT;
    info->aConstraintUsage[image].argvIndex = 1;
    info->aConstraintUsage[of_key].argvIndex = 2;
    info->aConstraintUsage[image].omit = 1;
    info->aConstraintUsage[of_key].omit = 1;
    info->estimatedRows = 10;
    info->estimatedCost = 10;
    return SQLITE_OK;
}

static int open_probes(sqlite3_vtab *base, sqlite3_vtab_cursor **to)
{
    (void)base;
    return new_cursor(to, sizeof(probes));
}

static void forget_values(probes *c)
{
    sqlite3_value_free(c->image);
    sqlite3_value_free(c->key);
    c->image = c->key = NULL;
}

static int close_probes(sqlite3_vtab_cursor *base)
{
    forget_values((probes *)base);
    sqlite3_free(((probes *)base)->rows);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* Appends the rows of one filter. */
static bool append(probes *c, const bloom *b, const key *k, unsigned link)
{
    const unsigned char *cells = (const unsigned char *)b + 32;
    bool counts = bloom_plan_of(b).layout == BLOOM_COUNTING;
    uint64_t cell[64];
    unsigned i, count = bloom_probes(b, hash_of(b, k), cell);
    probe *rows = sqlite3_realloc64(c->rows, (c->count + count) * sizeof *rows);
    if (!rows)
        return false;
    c->rows = rows;
    for (i = 0; i < count; i++) {
        probe *row = rows + c->count++;
        row->link = link;
        row->probe = i;
        row->cell = cell[i];
        row->value = counts ? cells[cell[i] / 2] >> cell[i] % 2 * 4 & 15
                            : cells[cell[i] / 8] >> cell[i] % 8 & 1;
    }
    return true;
}

/* Appends the rows of the filter, or of all links of a chain. */
static int append_parts(probes *c, const filter *f, const key *k)
{
    const bloom *b;
    unsigned i;
    for (i = 0; (b = part(f, i)) != NULL; i++)
        if (!append(c, b, k, i))
            return SQLITE_NOMEM;
    return i > 0 ? SQLITE_OK : SQLITE_NOMEM;
}

static int fill_probes(sqlite3_vtab_cursor *base, int index, const char *none,
                       int count, sqlite3_value **v)
{
    probes *c = (probes *)base;
    key k = key_of(v[1]);
    bloom_error error;
    filter f;
    int result;
    (void)index;
    (void)none;
    (void)count;
    c->count = c->at = 0;
    forget_values(c);
    if (k.type == NO_MEMORY)
        return SQLITE_NOMEM;
    if (k.type == SQLITE_NULL || sqlite3_value_type(v[0]) == SQLITE_NULL)
        return SQLITE_OK;
    c->image = sqlite3_value_dup(v[0]);
    c->key = sqlite3_value_dup(v[1]);
    error = read_filter(v[0], &f);
    result = error ? table_error(base->pVtab, SQLITE_ERROR, why_not(error))
           : c->image && c->key ? append_parts(c, &f, &k) : SQLITE_NOMEM;
    bloom_chain_free(f.chain);
    return result;
}

static int next_probe(sqlite3_vtab_cursor *base)
{
    ((probes *)base)->at++;
    return SQLITE_OK;
}

static int past_probes(sqlite3_vtab_cursor *base)
{
    return ((probes *)base)->at >= ((probes *)base)->count;
}

static int probe_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
    const probe *row = ((probes *)base)->rows + ((probes *)base)->at;
    if (i < 4)
        sqlite3_result_int64(to, i == 0 ? row->link : i == 1 ? row->probe
            : i == 2 ? (sqlite3_int64)row->cell : row->value);
    else
        sqlite3_result_value(to, i == 4 ? ((probes *)base)->image
                                        : ((probes *)base)->key);
    return SQLITE_OK;
}

static const sqlite3_module probes_module = {
    .xConnect = connect_probes, .xBestIndex = best_probes,
    .xDisconnect = disconnect_probes, .xOpen = open_probes,
    .xClose = close_probes, .xFilter = fill_probes, .xNext = next_probe,
    .xEof = past_probes, .xColumn = probe_column, .xRowid = no_rowid };

#endif
