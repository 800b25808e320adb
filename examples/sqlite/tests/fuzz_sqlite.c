/* Fuzz target: the SQLite extension, examples/sqlite/sqlite.c, with any bytes
   as BLOBs, in a real SQLite that is linked in.
   Each call must return a value or an error message. A BLOB that one function
   accepts must be accepted by the others. A key that was added must be found.

   The input: a byte for the length of the key and for the use of the bytes, the
   key, and the bytes. Their uses:
     BLOB     each function gets the bytes as a BLOB
     SEALED   the same, after the seals of the filter or of the links were made
              right, so that damage elsewhere is reached

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
enum { ADD, ASK, TELL, MERGE, GROWN, SEAL, CALLS };
static sqlite3_stmt *calls[CALLS];

static void set_up(void)
{
    static const char *const sql[CALLS] = {
        "SELECT bloom_may_contain(bloom_add(?1, ?2), ?2)",
        "SELECT bloom_may_contain(?1, ?2)",
        "SELECT bloom_info(?1)",
        "SELECT bloom_merge(x) FROM (SELECT ?1 x UNION ALL SELECT ?1)",
        "SELECT bloom_info(bloom_add(?1, ?2))",
        "SELECT bloom_may_contain(bloom_seal(?1), ?2)" };
    int i;
    must(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK);
    must(sqlite3_open(":memory:", &db) == SQLITE_OK);
    must(sqlite3_bloom_init(db, NULL, NULL) == SQLITE_OK);
    /* The head of a chain may require any amount of memory. */
    sqlite3_hard_heap_limit64(4 << 20);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 16);
    for (i = 0; i < CALLS; i++)
        must(sqlite3_prepare_v2(db, sql[i], -1, &calls[i], NULL) == SQLITE_OK);
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

/* The functions must agree on the BLOB, with two exceptions: bloom_seal also
   accepts one without a seal, and a chain may have to grow when there is no
   memory. */
static void try_functions(const void *blob, size_t size, const char *text,
                          size_t text_size)
{
    long answer = call(ASK, blob, size, text, text_size);
    long added = call(ADD, blob, size, text, text_size);
    long told = call(TELL, blob, size, text, text_size);
    must(added == 1 || added == -1);
    bool is_chain = size > 4 && memcmp(blob, "BLC", 3) == 0;
    must(told == -1 || added == 1 || is_chain);
    must((told == -1) == (answer == -1));
    must(answer == -1 || call(SEAL, blob, size, text, text_size) == answer);
    if (added == 1)
        must(call(GROWN, blob, size, text, text_size) == 1);
    call(MERGE, blob, size, text, text_size);
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

enum { BLOB, SEALED, USES };

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
    if (use == SEALED)
        seal_all(bytes, size);
    try_functions(use == SEALED ? bytes : data, size, k, key_size);
    return 0;
}
