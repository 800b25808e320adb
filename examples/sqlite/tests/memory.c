/* Tests examples/sqlite/sqlite.c when memory runs out. For each allocation of
   SQLite and of the extension, one run lets this allocation and all later ones
   fail. Run by run.sh, with ASan.

     cc -I. examples/sqlite/tests/memory.c -lsqlite3 && ./a.out [STEP]

   With STEP, only every STEP-th allocation is tested. Each statement must
   return the right value or the error "out of memory". A key whose INSERT
   succeeded must be found afterwards, and the database must be intact. Before
   that, a large parameter must be verified only once per statement. */
#define _POSIX_C_SOURCE 200809L
#include <sqlite3.h>
#define SQLITE_CORE 1
#include <stdio.h>
#include <stdlib.h>
#include "examples/sqlite/sqlite.c"

/* ---- Allocations that fail ------------------------------------------------
   */

static sqlite3_mem_methods real;
static long left = -1;                  /* allocations until they fail; -1:
                                           none fails */

static bool fails(void)
{
    if (left > 0)
        left--;
    return left == 0;
}

static void *failing_malloc(int size)
{
    return fails() ? NULL : real.xMalloc(size);
}

static void *failing_realloc(void *memory, int size)
{
    return fails() ? NULL : real.xRealloc(memory, size);
}

/* ---- Statements -----------------------------------------------------------
   */

static const struct { const char *sql, *wanted; } steps[] = {
    { "WITH v(v) AS (VALUES ('a'), (5)) SELECT sum(bloom_may_contain("
      "(SELECT bloom(v) FROM v), v)) FROM v", "2" },
    { "WITH RECURSIVE i(i) AS (SELECT 1 UNION SELECT i + 1 FROM i WHERE"
      " i < 1500) SELECT bloom_may_contain(bloom(i), 1) FROM i", "1" },
    { "SELECT bloom_may_contain(bloom_add(bloom(1), 'k'), 'k')", "1" },
    { "SELECT bloom_may_contain(bloom_add(bloom(1, 9), 'k'), 'k')", "1" },
    { "SELECT length(bloom_info(bloom_seal(bloom_merge(f)))) > 9 FROM (SELECT"
      " bloom(1, 9) f UNION SELECT bloom(2, 9))", "1" },
    { "SELECT max(bloom_may_contain(f, 'b')) FROM (SELECT bloom(k) OVER"
      " (ORDER BY k) f FROM (SELECT 'a' k UNION SELECT 'b'))", "1" },
    { "CREATE TABLE seen(part INTEGER PRIMARY KEY, keys)", "" },
    { "INSERT INTO seen SELECT bloom_part(k, 3), bloom(k, 9) FROM (SELECT 'x' k"
      " UNION SELECT 7 UNION SELECT 2.5) GROUP BY 1", "" },
    { "UPDATE seen SET keys = bloom_add(keys, 7)", "" },
    { "SELECT sum(bloom_may_contain(keys, 7)) = count(*) FROM seen", "1" },
};
enum { STEPS = sizeof steps / sizeof *steps };

static sqlite3 *db;
static char answer[100];

static int keep(void *none, int count, char **values, char **names)
{
    (void)none;
    (void)count;
    (void)names;
    sqlite3_snprintf(sizeof answer, answer, "%s",
                     values[0] ? values[0] : "NULL");
    return 0;
}

static void fail(const char *sql, const char *why)
{
    printf("%s\n    %s\n", sql, why);
    exit(1);
}

static int run_one(const char *sql)
{
    answer[0] = 0;
    return sqlite3_exec(db, sql, keep, NULL, NULL);
}

static void must_be(const char *sql, const char *wanted)
{
    if (run_one(sql) != SQLITE_OK)
        fail(sql, sqlite3_errmsg(db));
    if (strcmp(answer, wanted) != 0)
        fail(sql, answer);
}

/* Returns how many steps succeeded before memory ran out. */
static int run_all(void)
{
    int i, code;
    for (i = 0; i < STEPS; i++) {
        code = run_one(steps[i].sql);
        if (code == SQLITE_NOMEM)
            return i;
        if (code != SQLITE_OK)
            fail(steps[i].sql, sqlite3_errmsg(db));
        if (strcmp(answer, steps[i].wanted) != 0)
            fail(steps[i].sql, answer);
    }
    return STEPS;
}

/* A key whose INSERT succeeded is found. */
static void check_rest(void)
{
    must_be("PRAGMA integrity_check", "ok");
    if (run_one("SELECT 1 FROM seen") == SQLITE_OK && answer[0])
        must_be("SELECT bloom_may_contain(keys, 'x') FROM seen WHERE part ="
                " bloom_part('x', 3)", "1");
}

/* The filter is damaged after the first row. The second row does not notice
   it, as the filter was verified already; the next statement does. */
static void verified_once(void)
{
    static unsigned char image[BLOOM_SIZE(9000, 100)];
    bloom *b = bloom_init(image, sizeof image, bloom_plan_one_in(9000, 100));
    sqlite3_stmt *s;
    int first, second;
    bloom_add_u64(b, 1);
    bloom_seal(b);
    sqlite3_open(":memory:", &db);
    sqlite3_bloom_init(db, NULL, NULL);
    sqlite3_prepare_v2(db, "SELECT bloom_may_contain(?, column1) FROM"
                           " (VALUES (1), (1))", -1, &s, NULL);
    sqlite3_bind_blob(s, 1, image, sizeof image, SQLITE_STATIC);
    first = sqlite3_step(s);
    image[sizeof image - 1] ^= 1;
    second = sqlite3_step(s);
    sqlite3_reset(s);
    if (first != SQLITE_ROW || second != SQLITE_ROW
        || sqlite3_step(s) != SQLITE_ERROR)
        fail("bloom_may_contain(?, 1)", "is not verified once per statement");
    sqlite3_finalize(s);
    sqlite3_close(db);
}

int main(int count, char **words)
{
    sqlite3_mem_methods failing;
    long n, step = count > 1 ? atol(words[1]) : 1, runs = -1;
    int done;
    verified_once();
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
    failing = real;
    failing.xMalloc = failing_malloc;
    failing.xRealloc = failing_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &failing);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    for (n = 1, done = 0; done < STEPS; n += step, runs++) {
        if (sqlite3_open(":memory:", &db) != SQLITE_OK)
            fail("open", "no database");
        left = n;
        done = sqlite3_bloom_init(db, NULL, NULL) == SQLITE_OK ? run_all() : 0;
        left = -1;
        if (sqlite3_get_autocommit(db) || done > 0) {
            sqlite3_bloom_init(db, NULL, NULL);
            check_rest();
        }
        sqlite3_close(db);
    }
    printf("%ld of %ld allocations tested for failure\n", runs, n - 2);
    return 0;
}
