/* The pages in which a table of sqlite.c keeps its filter: the rows of T_data.
   Page 0 is the header of the filter's image, page i = 1, 2, ... are its bytes
   32 + 992 (i - 1) to 32 + 992 i - 1. Behind its bytes each page has its seal,
   8 bytes: so a page that is bent, or stands in another's place, is seen as
   soon as a key needs it; and page and seal change together, in one row. All
   pages are written when the table is made; one that is missing is damage as
   well. Four of these pages fit one of SQLite's, of 4096 bytes.

   Nothing but the header is kept in memory: so transactions, savepoints and
   other connections are SQLite's own affair. */
#ifndef BLOOM_SQLITE_PAGES_H
#define BLOOM_SQLITE_PAGES_H

enum { HEADER = 32, PAGE = 992, SEAL = 8 };

typedef struct table {
    sqlite3_vtab base;
    sqlite3 *db;
    char *data;                         /* "main"."T_data" */
    sqlite3_stmt *read, *write;
    unsigned char header[HEADER];
    bool is_open;                       /* was the header read? */
} table;

/* ---- Errors -------------------------------------------------------------- */

static int table_error(sqlite3_vtab *t, int code, const char *why)
{
    sqlite3_free(t->zErrMsg);
    t->zErrMsg = sqlite3_mprintf("bloom: %s", why);
    return code;
}

/* What SQLite says of the statement that failed */
static int failed(table *t, int code)
{
    return code == SQLITE_NOMEM ? code
         : table_error(&t->base, code, sqlite3_errmsg(t->db));
}

static int damaged(table *t, uint64_t number)
{
    sqlite3_free(t->base.zErrMsg);
    t->base.zErrMsg = sqlite3_mprintf("bloom: its data is damaged, in page "
        "%llu of %s: DROP the table, and make it anew from its keys",
        (sqlite3_uint64)number, t->data);
    return SQLITE_CORRUPT_VTAB;
}

/* ---- Statements ---------------------------------------------------------- */

static void forget_statements(table *t)
{
    sqlite3_finalize(t->read);
    sqlite3_finalize(t->write);
    t->read = t->write = NULL;
}

/* Runs what sqlite3_mprintf made, and frees it. */
static int run(table *t, char *sql)
{
    int result = sql ? sqlite3_exec(t->db, sql, NULL, NULL, NULL)
                     : SQLITE_NOMEM;
    sqlite3_free(sql);
    return result ? failed(t, result) : SQLITE_OK;
}

/* Prepares it unless it is, and binds the number of a page. No trigger on the
   pages, and no view in their place, may lead back here. */
static int ready(table *t, sqlite3_stmt **to, const char *sql, uint64_t number)
{
    int result = SQLITE_OK;
    if (!*to) {
        char *text = sqlite3_mprintf(sql, t->data);
        result = text ? sqlite3_prepare_v3(t->db, text, -1,
            SQLITE_PREPARE_PERSISTENT | SQLITE_PREPARE_NO_VTAB, to, NULL)
            : SQLITE_NOMEM;
        sqlite3_free(text);
    } else if (sqlite3_stmt_busy(*to)) {
        return table_error(&t->base, SQLITE_LOCKED, "its data asks for itself");
    }
    if (!result)
        result = sqlite3_bind_int64(*to, 1, (sqlite3_int64)number);
    return result ? failed(t, result) : SQLITE_OK;
}

/* ---- Pages --------------------------------------------------------------- */

/* Of a page with room for its seal, in which its number is for the moment */
static uint64_t seal_of(unsigned char *page, size_t size, uint64_t number)
{
    static const unsigned char plain[40] = { 'B', 'L', 'M', 2, 0, 64, 1, 0,
                                             64 };
    store64(page + size, number);
    return bloom_hash_key(bloom_view(plain, sizeof plain, NULL), page,
                          size + SEAL).h1;
}

/* Its bytes as they are, at most PAGE + SEAL; *size is 0 if there is none. */
static int fetch(table *t, uint64_t number, unsigned char *page, size_t *size)
{
    const void *bytes;
    int result = ready(t, &t->read, "SELECT bytes FROM %s WHERE page = ?1",
                       number), code;
    *size = 0;
    if (result)
        return result;
    code = sqlite3_step(t->read);
    if (code == SQLITE_ROW) {
        bytes = sqlite3_column_blob(t->read, 0);
        *size = (size_t)sqlite3_column_bytes(t->read, 0);
        if (!bytes || *size > PAGE + SEAL)
            result = damaged(t, number);
        else
            memcpy(page, bytes, *size);
    }
    code = sqlite3_reset(t->read);
    return code ? failed(t, code) : result;
}

/* Has a page of `size` bytes without its seal what was written? */
static bool is_whole(unsigned char *page, size_t size, uint64_t number)
{
    unsigned char seal[SEAL], now[SEAL];
    memcpy(seal, page + size, SEAL);
    store64(now, seal_of(page, size, number));
    return memcmp(seal, now, SEAL) == 0;
}

/* Reads the header when it is first needed: so damage is told to those who ask,
   and a damaged table can still be dropped. */
static int open_table(table *t)
{
    unsigned char page[PAGE + SEAL];
    size_t size;
    int result = t->is_open ? SQLITE_OK : fetch(t, 0, page, &size);
    if (result || t->is_open)
        return result;
    if (size != HEADER + SEAL || !is_whole(page, HEADER, 0))
        return damaged(t, 0);
    memcpy(t->header, page, HEADER);
    if (!bloom_view(t->header, SIZE_MAX, NULL))
        return damaged(t, 0);
    t->is_open = true;
    return SQLITE_OK;
}

/* To PAGE + SEAL bytes, of a table that is open */
static int read_page(table *t, uint64_t number, unsigned char *page)
{
    size_t size;
    int result = fetch(t, number, page, &size);
    if (result)
        return result;
    return size == PAGE + SEAL && is_whole(page, PAGE, number)
           ? SQLITE_OK : damaged(t, number);
}

/* Writes `size` bytes and their seal, for which there is room behind them. */
static int write_page(table *t, uint64_t number, unsigned char *page,
                      size_t size)
{
    int result = ready(t, &t->write, "REPLACE INTO %s VALUES(?1, ?2)", number);
    if (result)
        return result;
    store64(page + size, seal_of(page, size, number));
    sqlite3_bind_blob(t->write, 2, page, (int)size + SEAL, SQLITE_STATIC);
    sqlite3_step(t->write);
    result = sqlite3_reset(t->write);
    sqlite3_clear_bindings(t->write);
    return result ? failed(t, result) : SQLITE_OK;
}

static uint64_t pages(const table *t)
{
    const bloom *b = bloom_view(t->header, SIZE_MAX, NULL);
    return ((uint64_t)bloom_size(b) - HEADER + PAGE - 1) / PAGE;
}

/* The header of an empty filter; false if the plan is impossible. Its cells are
   many, so it is made of a small one, and says how many after that. */
static bool make_header(table *t, bloom_plan plan)
{
    unsigned char small[HEADER + 32];
    uint64_t cells = plan.cells;
    plan.cells = 256;
    if (cells == 0 || !bloom_init(small, sizeof small, plan))
        return false;
    store64(small + 8, cells);
    memcpy(t->header, small, HEADER);
    return bloom_view(t->header, SIZE_MAX, NULL) != NULL;
}

static int write_pages(table *t)
{
    unsigned char page[PAGE + SEAL] = { 0 };
    uint64_t i, count = pages(t);
    int result = run(t, sqlite3_mprintf("CREATE TABLE %s(page INTEGER "
                                        "PRIMARY KEY, bytes BLOB)", t->data));
    t->is_open = true;
    memcpy(page, t->header, HEADER);
    if (!result)
        result = write_page(t, 0, page, HEADER);
    memset(page, 0, sizeof page);
    for (i = 1; i <= count && !result; i++)
        result = write_page(t, i, page, PAGE);
    return result;
}

/* ---- Keys ---------------------------------------------------------------- */

/* Puts page `to` in place of page *number, which is written if it *changed. */
static int turn(table *t, unsigned char *page, uint64_t *number, uint64_t to,
                bool *changed)
{
    int result = *changed ? write_page(t, *number, page, PAGE) : SQLITE_OK;
    *changed = false;
    *number = to;
    return result ? result : read_page(t, to, page);
}

/* Looks at the cells of a key, or sets them: *maybe: all were set. */
static int touch_key(table *t, const key *k, bool set, bool *maybe)
{
    unsigned char page[PAGE + SEAL];
    const bloom *b;
    uint64_t cells[64], number = 0;     /* of the page that is here */
    unsigned i, count;
    bool changed = false;
    int result = open_table(t);
    *maybe = true;
    if (result)
        return result;
    b = bloom_view(t->header, SIZE_MAX, NULL);
    count = bloom_probes(b, hash_of(b, k), cells);
    for (i = 0; i < count && (set || *maybe); i++) {
        unsigned char *byte = page + cells[i] / 8 % PAGE;
        unsigned bit = 1u << cells[i] % 8;
        uint64_t at = cells[i] / 8 / PAGE + 1;
        if (at != number && (result = turn(t, page, &number, at, &changed)))
            return result;
        if (!(*byte & bit)) {
            *maybe = false;
            changed = changed || set;
            *byte = (unsigned char)(set ? *byte | bit : *byte);
        }
    }
    return changed ? write_page(t, number, page, PAGE) : SQLITE_OK;
}

#endif
