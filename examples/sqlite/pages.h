/* The pages in which a virtual table T of sqlite.c stores its filter: the rows
   of the table T_data.

   Page 0 is the header of the filter's image. Page i = 1, 2, ... holds the
   image's bytes 32 + 992 (i - 1) to 32 + 992 i - 1. Each page ends with its
   seal, a checksum of 8 bytes that depends on the page number. So a corrupted
   page, or one in the place of another, is detected as soon as a key needs it.
   Page and seal change together, because they are one value in one row. All
   pages are written when the table is created, so a missing page is damage,
   too. Four of these pages fit into one page of SQLite, of 4096 bytes.

   Only the header is kept in memory. So SQLite itself takes care of
   transactions, savepoints and other connections. */
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

/* Reports the message of the SQL statement that failed. */
static int failed(table *t, int code)
{
    return code == SQLITE_NOMEM ? code
         : table_error(&t->base, code, sqlite3_errmsg(t->db));
}

static int damaged(table *t, uint64_t number)
{
    sqlite3_free(t->base.zErrMsg);
    t->base.zErrMsg = sqlite3_mprintf("bloom: corrupted data in page %llu of "
        "%s; DROP the virtual table and create it again from its keys",
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

/* Runs a statement that sqlite3_mprintf made, and frees its text. */
static int run(table *t, char *sql)
{
    int result = sql ? sqlite3_exec(t->db, sql, NULL, NULL, NULL)
                     : SQLITE_NOMEM;
    sqlite3_free(sql);
    return result ? failed(t, result) : SQLITE_OK;
}

/* Prepares the statement if necessary, and binds a page number. It refuses
   recursion: a trigger on T_data, or a view in its place, must not use T. */
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
        return table_error(&t->base, SQLITE_LOCKED, "a trigger or view on the "
                           "table's own data uses the table; drop it");
    }
    if (!result)
        result = sqlite3_bind_int64(*to, 1, (sqlite3_int64)number);
    return result ? failed(t, result) : SQLITE_OK;
}

/* ---- Pages --------------------------------------------------------------- */

/* Computes the seal of a page. The bytes for the seal temporarily hold the page
   number, so that the seal covers it. */
static uint64_t seal_of(unsigned char *page, size_t size, uint64_t number)
{
    static const unsigned char plain[40] = { 'B', 'L', 'M', 2, 0, 64, 1, 0,
                                             64 };
    store64(page + size, number);
    return bloom_hash_key(bloom_view(plain, sizeof plain, NULL), page,
                          size + SEAL).h1;
}

/* Reads the bytes of a page without checking them, at most PAGE + SEAL. *size
   is 0 if the page is missing. */
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

/* Does the seal of a page match? `size` does not count the seal. */
static bool is_whole(unsigned char *page, size_t size, uint64_t number)
{
    unsigned char seal[SEAL], now[SEAL];
    memcpy(seal, page + size, SEAL);
    store64(now, seal_of(page, size, number));
    return memcmp(seal, now, SEAL) == 0;
}

/* Reads the header when it is first needed. So a corrupted table causes errors
   when it is used, but it can still be opened and dropped. */
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

/* Reads a page and checks it. `page` has PAGE + SEAL bytes, and the table is
   open. */
static int read_page(table *t, uint64_t number, unsigned char *page)
{
    size_t size;
    int result = fetch(t, number, page, &size);
    if (result)
        return result;
    return size == PAGE + SEAL && is_whole(page, PAGE, number)
           ? SQLITE_OK : damaged(t, number);
}

/* Seals and writes a page of `size` bytes. `page` has SEAL bytes more. */
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

/* Makes the header of an empty filter; returns false if the plan is impossible.
   bloom_init needs memory for all cells, so it makes a small filter, and then
   the real number of cells is written into the header. */
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

/* Writes page *number if it *changed, and reads page `to` instead. */
static int turn(table *t, unsigned char *page, uint64_t *number, uint64_t to,
                bool *changed)
{
    int result = *changed ? write_page(t, *number, page, PAGE) : SQLITE_OK;
    *changed = false;
    *number = to;
    return result ? result : read_page(t, to, page);
}

/* Tests the cells of a key, and sets them if `set`. *maybe tells whether all
   were set before. */
static int touch_key(table *t, const key *k, bool set, bool *maybe)
{
    unsigned char page[PAGE + SEAL];
    const bloom *b;
    uint64_t cells[64], number = 0;     /* of the page in memory */
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
