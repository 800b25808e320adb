/* The pages in which a virtual table T of sqlite.c stores its filter: the rows
   of the table T_data.

   Page 0 is the header of the filter's image. Page i = 1, 2, ... holds the
   image's bytes 32 + 992 (i - 1) to 32 + 992 i - 1. Each page ends with its
   seal, a checksum of 8 bytes. Page 0's seal depends on the plan, and the seals
   of the other pages depend on page 0's seal and on the page number. So a
   corrupted page, one in the place of another, or one of another plan is
   detected as soon as a key needs it. Page and seal change together, because
   they are one value in one row. All pages are written when the table is
   created, so a missing page is damage, too. Four of these pages fit into one
   page of SQLite, of 4096 bytes.

   Page 0 may change at any time, because whoever can write to T_data can give
   it another plan: another connection, a statement of this one, a rollback. So
   one SELECT reads page 0 with each page, and only the plan that was in use at
   the last call is kept in memory. If page 0 differs from it, the call starts
   again. SQLite itself takes care of transactions and savepoints. */
#ifndef BLOOM_SQLITE_PAGES_H
#define BLOOM_SQLITE_PAGES_H

enum { HEADER = 32, PAGE = 992, SEAL = 8 };

typedef struct table {
    sqlite3_vtab base;
    sqlite3 *db;
    char *data;                         /* "main"."T_data" */
    sqlite3_stmt *read, *write;
    unsigned char header[HEADER + SEAL];    /* page 0; zeros: not yet read */
    uint64_t seed;                      /* of the seals of pages 1, 2, ... */
    double p;                           /* the false-positive rate asked for */
    uint64_t most;                      /* keys with which the rate is p, or 0:
                                           not yet computed */
    bool was_told;                      /* was the log told of more keys? */
} table;

typedef struct page {
    unsigned char bytes[PAGE + SEAL];
    size_t size;                        /* 0: missing, or longer than that */
} page;

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
        char *text = sqlite3_mprintf(sql, t->data, t->data);
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

/* Version 2.1 and older used the seed 0 for the seals of all pages, so these do
   not depend on the plan. */
enum { OLD_SEED = 0, SEED = 1 };        /* of page 0's seal */

/* Computes the seal of a page. The bytes for the seal temporarily hold the page
   number, so that the seal covers it. */
static uint64_t seal_of(uint64_t seed, unsigned char *bytes, size_t size,
                        uint64_t number)
{
    unsigned char plain[40] = { 'B', 'L', 'M', 2, 0, 64, 1, 0, 64 };
    store64(plain + 16, seed);
    store64(bytes + size, number);
    return bloom_hash_key(bloom_view(plain, sizeof plain, NULL), bytes,
                          size + SEAL).h1;
}

static void copy_column(sqlite3_stmt *from, int i, page *to)
{
    const void *bytes = sqlite3_column_blob(from, i);
    to->size = (size_t)sqlite3_column_bytes(from, i);
    if (!bytes || to->size > sizeof to->bytes)
        to->size = 0;
    memcpy(to->bytes, to->size ? bytes : "", to->size);
}

/* Reads page 0 and another page, and checks neither. */
static int fetch(table *t, uint64_t number, page *header, page *other)
{
    int result = ready(t, &t->read, "SELECT h.bytes, p.bytes FROM %s h LEFT "
        "JOIN %s p ON p.page = ?1 WHERE h.page = 0", number);
    header->size = other->size = 0;
    if (result)
        return result;
    if (sqlite3_step(t->read) == SQLITE_ROW) {
        copy_column(t->read, 0, header);
        copy_column(t->read, 1, other);
    }
    result = sqlite3_reset(t->read);
    return result ? failed(t, result) : SQLITE_OK;
}

/* Does the seal of a page match? `size` does not count the seal, which is
   overwritten. */
static bool is_whole(uint64_t seed, unsigned char *bytes, size_t size,
                     uint64_t number)
{
    uint64_t seal = load64(bytes + size);
    return seal == seal_of(seed, bytes, size, number);
}

/* Makes a page 0 the one in memory. */
static void use_header(table *t, const unsigned char *bytes, uint64_t seed)
{
    if (memcmp(t->header, bytes, sizeof t->header) == 0)
        return;
    memcpy(t->header, bytes, sizeof t->header);
    t->seed = seed;
    t->most = 0;
    t->was_told = false;
}

/* Reads page 0. SQLite connects to the table without it, so a corrupted table
   can still be dropped. */
static int open_table(table *t)
{
    page header, same;
    unsigned char *bytes = header.bytes;
    const bloom *b;
    uint64_t seal, seed;
    int result = fetch(t, 0, &header, &same);
    if (result)
        return result;
    if (header.size != HEADER + SEAL)
        return damaged(t, 0);
    seal = load64(bytes + HEADER);
    seed = seal == seal_of(SEED, bytes, HEADER, 0) ? seal : OLD_SEED;
    if (seed == OLD_SEED && seal != seal_of(OLD_SEED, bytes, HEADER, 0))
        return damaged(t, 0);
    b = bloom_view(bytes, SIZE_MAX, NULL);
    if (!b || bloom_plan_of(b).layout > BLOOM_BLOCKED)  /* cells are bits here */
        return damaged(t, 0);
    use_header(t, same.bytes, seed);
    return SQLITE_OK;
}

/* Reads a page and checks it. If page 0 is not the one in memory, page 0 counts
   as corrupted. */
static int read_page(table *t, uint64_t number, page *to)
{
    page header;
    int result = fetch(t, number, &header, to);
    if (result)
        return result;
    if (header.size != sizeof t->header
        || memcmp(header.bytes, t->header, sizeof t->header) != 0)
        return damaged(t, 0);
    return to->size == PAGE + SEAL && is_whole(t->seed, to->bytes, PAGE, number)
           ? SQLITE_OK : damaged(t, number);
}

/* Seals and writes the first `size` bytes of a page. */
static int write_page(table *t, uint64_t number, page *from, size_t size)
{
    int result = ready(t, &t->write, "REPLACE INTO %s VALUES(?1, ?2)", number);
    if (result)
        return result;
    store64(from->bytes + size, seal_of(number > 0 ? t->seed : SEED,
                                        from->bytes, size, number));
    sqlite3_bind_blob(t->write, 2, from->bytes, (int)size + SEAL,
                      SQLITE_STATIC);
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
    page now = { { 0 }, 0 };
    uint64_t i, count = pages(t);
    int result = run(t, sqlite3_mprintf("CREATE TABLE %s(page INTEGER "
                                        "PRIMARY KEY, bytes BLOB)", t->data));
    memcpy(now.bytes, t->header, HEADER);
    if (!result)
        result = write_page(t, 0, &now, HEADER);
    use_header(t, now.bytes, load64(now.bytes + HEADER));
    memset(&now, 0, sizeof now);
    for (i = 1; i <= count && !result; i++)
        result = write_page(t, i, &now, PAGE);
    return result;
}

/* Returns a copy of the whole image in *image, which has PAGE bytes more. The
   caller frees it, also after an error. */
static int read_image(table *t, unsigned char **image)
{
    page now;
    int result = open_table(t);
    uint64_t i, count = result ? 0 : pages(t);
    *image = result ? NULL : sqlite3_malloc64(HEADER + (count + 1) * PAGE);
    if (!*image)
        return result ? result : SQLITE_NOMEM;
    memcpy(*image, t->header, HEADER);
    for (i = 1; i <= count && !result; i++) {
        result = read_page(t, i, &now);
        memcpy(*image + HEADER + (i - 1) * PAGE, now.bytes, PAGE);
    }
    return result;
}

/* The number of keys up to which the rate is at most p */
static uint64_t capacity(table *t)
{
    const bloom *b = bloom_view(t->header, SIZE_MAX, NULL);
    if (t->most == 0)
        t->most = bloom_plan_capacity(bloom_plan_of(b), t->p);
    return t->most;
}

/* Writes to SQLite's error log, once per connection, that the table has far too
   many keys. Only the page that just changed is examined, as if it were a
   filter of its own: the fill of a page differs by some percent from that of
   the others, so the limit is 1.5 times the planned number of keys. */
static void tell_if_too_full(table *t, const page *changed, uint64_t number)
{
    unsigned char part[HEADER + PAGE];
    uint64_t cells = load64(t->header + 8),
             here = cells - (number - 1) * PAGE * 8;
    if (t->was_told)
        return;
    if (here > PAGE * 8)
        here = PAGE * 8;
    memcpy(part, t->header, HEADER);
    store64(part + 8, here);
    memcpy(part + HEADER, changed->bytes, PAGE);
    t->was_told = (double)bloom_estimate(bloom_view(part, sizeof part, NULL))
                * (double)cells > 1.5 * (double)here * (double)capacity(t);
    if (t->was_told)
        sqlite3_log(SQLITE_WARNING, "bloom: %s has more keys than it was made "
            "for, so its false-positive rate is above %g; create it again with "
            "a larger n", t->data, t->p);
}

/* ---- Keys ---------------------------------------------------------------- */

static int put_page(table *t, page *p, uint64_t number)
{
    tell_if_too_full(t, p, number);
    return write_page(t, number, p, PAGE);
}

/* Writes page *number if it *changed, and reads page `to` instead. */
static int turn(table *t, page *p, uint64_t *number, uint64_t to, bool *changed)
{
    int result = *changed ? put_page(t, p, *number) : SQLITE_OK;
    *changed = false;
    *number = to;
    return result ? result : read_page(t, to, p);
}

/* Tests or sets the cells of a key, by the plan in memory. */
static int try_key(table *t, const key *k, bool set, bool *maybe)
{
    page p;
    const bloom *b = bloom_view(t->header, SIZE_MAX, NULL);
    uint64_t cells[64], number = 0;     /* of the page in memory */
    unsigned i, count = b ? bloom_probes(b, hash_of(b, k), cells) : 0;
    bool changed = false;
    int result = b ? SQLITE_OK : SQLITE_CORRUPT_VTAB;
    *maybe = true;
    for (i = 0; i < count && (set || *maybe); i++) {
        unsigned char *byte = p.bytes + cells[i] / 8 % PAGE;
        unsigned bit = 1u << cells[i] % 8;
        uint64_t at = cells[i] / 8 / PAGE + 1;
        if (at != number && (result = turn(t, &p, &number, at, &changed)))
            return result;
        if (!(*byte & bit)) {
            *maybe = false;
            changed = changed || set;
            *byte = (unsigned char)(set ? *byte | bit : *byte);
        }
    }
    return changed ? put_page(t, &p, number) : result;
}

/* Tests the cells of a key, and sets them if `set`. *maybe tells whether all
   were set before. If the plan in memory is not the table's, page 0 is read
   again before any page was written. */
static int touch_key(table *t, const key *k, bool set, bool *maybe)
{
    int result = try_key(t, k, set, maybe);
    if (result != SQLITE_CORRUPT_VTAB)
        return result;
    sqlite3_free(t->base.zErrMsg);
    t->base.zErrMsg = NULL;
    result = open_table(t);
    return result ? result : try_key(t, k, set, maybe);
}

#endif
