/* bloom_probes(blob, key) of sqlite.c: the cells that a lookup looks at. */
#ifndef BLOOM_COMMON_SQLITE_PROBES_H
#define BLOOM_COMMON_SQLITE_PROBES_H

typedef struct probe { unsigned link, probe; uint64_t cell; int value; }
    probe;
typedef struct probes {
    sqlite3_vtab_cursor base;
    probe *rows;
    size_t count, at;
} probes;

static int connect_probes(sqlite3 *db, void *none, int count,
                          const char *const *words, sqlite3_vtab **to,
                          char **error)
{
    (void)none;
    (void)count;
    (void)words;
    (void)error;
    *to = sqlite3_malloc(sizeof **to);
    if (!*to)
        return SQLITE_NOMEM;
    memset(*to, 0, sizeof **to);
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    return sqlite3_declare_vtab(db, "CREATE TABLE x(link, probe, cell, value, "
                                    "image HIDDEN, key HIDDEN)");
}

static int disconnect_probes(sqlite3_vtab *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

static int best_probes(sqlite3_vtab *base, sqlite3_index_info *info)
{
    bool waits;
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

static int close_probes(sqlite3_vtab_cursor *base)
{
    sqlite3_free(((probes *)base)->rows);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* Rows for one filter of the image */
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

static int fill_probes(sqlite3_vtab_cursor *base, int index, const char *none,
                       int count, sqlite3_value **v)
{
    probes *c = (probes *)base;
    images i = images_of(v[0]);
    key k = key_of(v[1]);
    const bloom *b;
    unsigned link = 0;
    (void)index;
    (void)none;
    (void)count;
    c->count = c->at = 0;
    if (k.type == SQLITE_FLOAT)
        return table_error(base->pVtab, SQLITE_ERROR, real_key);
    if (k.type == SQLITE_NULL || sqlite3_value_type(v[0]) == SQLITE_NULL)
        return SQLITE_OK;
    while ((b = next_image(&i)) != NULL)
        if (!append(c, b, &k, link++))
            return SQLITE_NOMEM;
    return i.error ? table_error(base->pVtab, SQLITE_ERROR,
                                 bloom_error_text(i.error)) : SQLITE_OK;
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
    return SQLITE_OK;
}

static int probe_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *to)
{
    *to = (sqlite3_int64)((probes *)base)->at;
    return SQLITE_OK;
}

static const sqlite3_module probes_module = { 0, NULL, connect_probes,
    best_probes, disconnect_probes, NULL, open_probes, close_probes,
    fill_probes, next_probe, past_probes, probe_column, probe_rowid, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL };

#endif
