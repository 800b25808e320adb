/* Fuzz target: the SQLite extension, examples/sqlite/sqlite.c, with any bytes
   as BLOBs and as pages of its tables, in a real SQLite that is linked in.
   Each call must return a value or an error message. A BLOB that one function
   accepts must be accepted by the others. A key that was added must be found. A
   table must still answer, or report that it is corrupted.

   The input: a byte for the length of the key and for the use of the bytes, the
   key, and the bytes. Their uses:
     BLOB     each function gets the bytes as a BLOB
     SEALED   the same, after the seals of the filter or of the links were made
              right, so that damage elsewhere is reached
     PAGE_1   they are page 1 of a table's data, with a valid checksum
     RAW      the same, without, and with 7 zeros per byte after them
     HEAD     they are the header of a table

   fuzz: length=160
   fuzz: libraries=-lsqlite3
   fuzz: package=libsqlite3-dev
   fuzz: bits=64 only
   fuzz: msan=no */
#define _POSIX_C_SOURCE 200809L
#include <sqlite3.h>
#define SQLITE_CORE 1
#include <stdio.h>
#include <stdlib.h>
#include "tests/fuzz/main.h"
#include "examples/sqlite/sqlite.c"

static sqlite3 *db;
enum { ADD, ASK, TELL, MERGE, PROBES, GROWN, BEGIN, BACK, END, BODY, TOP, PUT,
       LOOK, CALLS };
static sqlite3_stmt *calls[CALLS];
static uint64_t seed_of_seen;           /* page 0's seal */

static void set_up(void)
{
    static const char *const sql[CALLS] = {
        "SELECT bloom_may_contain(bloom_add(?1, ?2), ?2)",
        "SELECT bloom_may_contain(?1, ?2)",
        "SELECT bloom_info(?1)",
        "SELECT bloom_merge(x) FROM (SELECT ?1 x UNION ALL SELECT ?1)",
        "SELECT min(value > 0), count(*) FROM bloom_probes(?1, ?2)",
        "SELECT bloom_info(bloom_add(?1, ?2))",
        "SAVEPOINT s",
        "ROLLBACK TO s",
        "RELEASE s",
        "REPLACE INTO seen_data VALUES (1, ?1)",
        "REPLACE INTO seen_data VALUES (0, ?1)",
        "INSERT INTO seen VALUES (?2)",
        "SELECT count(*) FROM seen(?2)" };
    sqlite3_stmt *top;
    int i;
    must(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK);
    must(sqlite3_open(":memory:", &db) == SQLITE_OK);
    must(sqlite3_bloom_init(db, NULL, NULL) == SQLITE_OK);
    /* The head of a chain may require any amount of memory. */
    sqlite3_hard_heap_limit64(4 << 20);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 16);
    must(sqlite3_exec(db, "CREATE VIRTUAL TABLE seen USING bloom(1000, 1e-4)",
        NULL, NULL, NULL) == SQLITE_OK);
    for (i = 0; i < CALLS; i++)
        must(sqlite3_prepare_v2(db, sql[i], -1, &calls[i], NULL) == SQLITE_OK);
    must(sqlite3_prepare_v2(db, "SELECT bytes FROM seen_data WHERE page = 0",
                            -1, &top, NULL) == SQLITE_OK);
    must(sqlite3_step(top) == SQLITE_ROW);
    seed_of_seen = load64((const unsigned char *)sqlite3_column_blob(top, 0)
                          + HEADER);
    sqlite3_finalize(top);
}

/* Runs a statement. Returns its value if that is an integer, 1 for other
   values, -1 for an error. */
static long call(int which, const void *blob, size_t size, const void *text,
                 size_t text_size)
{
    sqlite3_stmt *s = calls[which];
    long result = -1;
    int code;
    sqlite3_bind_blob(s, 1, size ? blob : "", (int)size, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, text, (int)text_size, SQLITE_STATIC);
    code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        result = sqlite3_column_type(s, 0) == SQLITE_INTEGER
               ? sqlite3_column_int(s, 0) : 1;
    if (code == SQLITE_DONE)
        result = 0;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        must(code == SQLITE_NOMEM || code == SQLITE_TOOBIG
             || strncmp(sqlite3_errmsg(db), "bloom: ", 7) == 0);
    sqlite3_reset(s);
    return result;
}

/* The functions must agree on the BLOB, with two exceptions: those that read
   all of it also refuse a corrupted one whose seal does not match, and a chain
   may have to grow when there is no memory. */
static void try_functions(const void *blob, size_t size, const char *text,
                          size_t text_size)
{
    long answer = call(ASK, blob, size, text, text_size);
    long added = call(ADD, blob, size, text, text_size);
    long told = call(TELL, blob, size, text, text_size);
    must(added == 1 || added == -1);
    bool is_chain = size > 4 && memcmp(blob, "BLC", 3) == 0;
    must(told == -1 || added == 1 || is_chain);
    must(told == -1 || answer >= 0);
    if (added == 1)
        must(call(GROWN, blob, size, text, text_size) == 1);
    call(MERGE, blob, size, text, text_size);
    if (answer >= 0)
        must(call(PROBES, blob, size, text, text_size) == answer
             || sqlite3_column_count(calls[PROBES]) == 2);
}

/* Uses a table with these bytes as page 1, then with its old page 1. */
static void try_table(const void *bytes, size_t size, const char *text,
                      size_t text_size)
{
    must(call(BEGIN, bytes, size, text, text_size) == 0);
    must(call(BODY, bytes, size, text, text_size) == 0);
    if (call(PUT, bytes, size, text, text_size) == 0)
        must(call(LOOK, bytes, size, text, text_size) == 1);
    else
        call(LOOK, bytes, size, text, text_size);
    must(call(BACK, bytes, size, text, text_size) == 0);
    must(call(PUT, bytes, size, text, text_size) == 0);
    must(call(LOOK, bytes, size, text, text_size) == 1);
    must(call(BACK, bytes, size, text, text_size) == 0);
    must(call(END, bytes, size, text, text_size) == 0);
}

/* Uses a table with these bytes as its header, with the seal of this version
   or, if `old`, of version 2.1. No other page belongs to the header,
   and page 1 is given the seal that does. */
static void try_header(const void *header, bool old)
{
    unsigned char zeros[PAGE + SEAL] = { 0 }, top[HEADER + SEAL];
    uint64_t seal;
    memcpy(top, header, HEADER);
    seal = seal_of(old ? OLD_SEED : SEED, top, HEADER, 0);
    store64(top + HEADER, seal);
    store64(zeros + PAGE, seal_of(old ? OLD_SEED : seal, zeros, PAGE, 1));
    must(call(BEGIN, NULL, 0, NULL, 0) == 0);
    must(call(TOP, top, sizeof top, NULL, 0) == 0);
    must(call(BODY, zeros, sizeof zeros, NULL, 0) == 0);
    if (call(PUT, NULL, 0, "k", 1) == 0)
        must(call(LOOK, NULL, 0, "k", 1) == 1);
    else
        must(call(LOOK, NULL, 0, "k", 1) != 1);
    must(call(BACK, NULL, 0, NULL, 0) == 0);
    must(call(PUT, NULL, 0, "k", 1) == 0);
    must(call(LOOK, NULL, 0, "k", 1) == 1);
    must(call(BACK, NULL, 0, NULL, 0) == 0);
    must(call(END, NULL, 0, NULL, 0) == 0);
}

/* Seals the filter or the links of a chain that begin at `image`. */
static void seal_all(unsigned char *image, size_t size)
{
    unsigned char *at = image;
    if (size > 32 && memcmp(image, "BLC", 3) == 0)
        at += 32;
    for (;;) {
        bloom *b = bloom_open(at, size - (size_t)(at - image), NULL);
        if (!b)
            return;
        bloom_seal(b);
        at += bloom_size(b);
    }
}

enum { BLOB, SEALED, PAGE_1, RAW, HEAD, USES };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char k[16];
    static unsigned char bytes[2048];
    size_t key_size;
    unsigned use;
    if (size < 1)
        return 0;
    if (!db)
        set_up();
    key_size = data[0] % 16u < size - 1 ? data[0] % 16u : size - 1;
    use = data[0] / 16u % USES;
    memcpy(k, data + 1, key_size);
    data += 1 + key_size;
    size -= 1 + key_size;
    size = size < sizeof bytes / 8 ? size : sizeof bytes / 8;
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, data, size);
    switch (use) {
    case SEALED:
        seal_all(bytes, size);
        try_functions(bytes, size, k, key_size);
        break;
    case PAGE_1:
        store64(bytes + PAGE, seal_of(seed_of_seen, bytes, PAGE, 1));
        try_table(bytes, PAGE + SEAL, k, key_size);
        break;
    case RAW:
        try_table(bytes, 8 * size, k, key_size);
        break;
    case HEAD:
        if (size >= HEADER)
            try_header(data, key_size % 2 > 0);
        break;
    default:
        try_functions(data, size, k, key_size);
    }
    return 0;
}
