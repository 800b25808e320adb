/* guard: a lookup of a key that does not exist passes every cache and reaches
   the database. So a filter of the existing keys is put in front of it. If the
   filter answers "certainly not", the database is not asked. To make the
   comparison hard, the database is as fast as it can be: SQLite, a file with an
   index in a warm cache, within one transaction.

   usage: guard
   Compile it by:
       cc -std=c99 -O2 -I. examples/sqlite/guard.c -o guard -lsqlite3
   The exit status is 1 if a key was missed.

   Prints:
       keys:            200000; their filter takes 239 KB
       absent keys:     ... ns per lookup, guarded ... ns: ... times as fast
       mixed stream:    ... ns per lookup, guarded ... ns: ... times as fast
       lookups:         300000, of which 270000 of absent keys
       saved lookups:   267224
       false positives: 2776; expected for p = 0.01: about 2700
       keys missed:     0 */
#define _POSIX_C_SOURCE 200809L         /* mkstemp */
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
#define PROGRAM "guard"
#include "../need.h"
#include <sqlite3.h>
#include <time.h>
#include <unistd.h>

#define ROWS 200000u
#define KEY 24                          /* "user:" and 16 hex digits */
#define LOOKUPS 300000u                 /* of a stream of keys */

static const double p = 0.01;
static char file[] = "/tmp/guard-XXXXXX";
static sqlite3 *db;
static sqlite3_stmt *query;
static bloom *keys;                     /* every key in the database */

/* Ends the program with SQLite's message unless ok. */
static void is_well(bool ok)
{
    need(ok, file, ok ? NULL : sqlite3_errmsg(db));
}

static void run(const char *sql)
{
    is_well(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
}

/* Makes the key of a number. The keys look random, and different numbers have
   different keys, as each step can be inverted. The keys of the numbers below
   ROWS are in the database, and no others. */
static void make_key(char key[KEY], uint64_t number)
{
    uint64_t x = number * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xbf58476d1ce4e5b9u;
    snprintf(key, KEY, "user:%08lx%08lx", (unsigned long)(x >> 32),
             (unsigned long)(x & 0xffffffff));
}

/* Fills the database and the filter. A program that adds a row must add its key
   to the filter first. The key of a deleted row may stay in the filter: it only
   costs a lookup in the database. */
static void fill(void)
{
    sqlite3_stmt *insert;
    uint32_t i;
    char key[KEY];
    run("PRAGMA journal_mode = OFF; PRAGMA cache_size = -400000;"
        "CREATE TABLE users (key TEXT PRIMARY KEY, value INTEGER); BEGIN");
    is_well(sqlite3_prepare_v2(db, "INSERT INTO users VALUES (?, ?)", -1,
                               &insert, NULL) == SQLITE_OK);
    for (i = 0; i < ROWS; i++) {
        make_key(key, i);
        bloom_add(keys, key, strlen(key));
        sqlite3_bind_text(insert, 1, key, -1, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 2, i);
        is_well(sqlite3_step(insert) == SQLITE_DONE);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    run("COMMIT");
}

/* ---- Lookups, without and with the guard: the value, or -1 -------------- */

static int64_t ask(const char *key)
{
    int64_t value = -1;
    int found;
    sqlite3_bind_text(query, 1, key, -1, SQLITE_STATIC);
    found = sqlite3_step(query);
    if (found == SQLITE_ROW)
        value = sqlite3_column_int64(query, 0);
    sqlite3_reset(query);
    is_well(found == SQLITE_ROW || found == SQLITE_DONE);
    return value;
}

static int64_t guarded_ask(const char *key)
{
    return bloom_may_contain(keys, key, strlen(key)) ? ask(key) : -1;
}

/* ---- Measuring ---------------------------------------------------------- */

static char stream[LOOKUPS][KEY];
static int64_t plain[LOOKUPS], guarded[LOOKUPS];    /* their results */

/* Nanoseconds of CPU time per lookup, the best of three runs. Waiting for a
   disk is not counted; it would only make the database slower. */
static double measure(int64_t (*lookup)(const char *), int64_t *answer)
{
    double best = 0;
    int round;
    for (round = 0; round < 3; round++) {
        clock_t start = clock();
        double took;
        uint32_t i;
        for (i = 0; i < LOOKUPS; i++)
            answer[i] = lookup(stream[i]);
        took = (double)(clock() - start) / CLOCKS_PER_SEC * 1e9 / LOOKUPS;
        if (round == 0 || took < best)
            best = took;
    }
    return best;
}

/* Measures a stream in which `present` of ten keys exist. */
static void compare(const char *name, uint32_t present)
{
    double without, with;
    uint32_t i;
    for (i = 0; i < LOOKUPS; i++)
        make_key(stream[i], i % 10 < present ? i * 7919 % ROWS : ROWS + i);
    without = measure(ask, plain);
    with = measure(guarded_ask, guarded);
    printf("%s %.0f ns per lookup, guarded %.0f ns: %.1f times as fast\n",
           name, without, with, without / with);
}

/* Counts what the guard did with the last stream; the results of the database
   alone show what is right. Returns how many keys the guard missed. */
static uint32_t count(void)
{
    uint32_t i, absent = 0, wrong = 0, missed = 0;
    for (i = 0; i < LOOKUPS; i++) {
        bool maybe = bloom_may_contain(keys, stream[i], strlen(stream[i]));
        absent += plain[i] < 0;
        wrong += maybe && plain[i] < 0;
        missed += plain[i] != guarded[i];
    }
    printf("lookups:         %u, of which %u of absent keys\n",
           (unsigned)LOOKUPS, (unsigned)absent);
    printf("saved lookups:   %u\n", (unsigned)(absent - wrong));
    printf("false positives: %u; expected for p = %g: about %.0f\n",
           (unsigned)wrong, p, p * absent);
    printf("keys missed:     %u\n", (unsigned)missed);
    return missed;
}

static void open_database(void)
{
    int fd = mkstemp(file);
    need(fd >= 0, file, NULL);
    close(fd);
    is_well(sqlite3_open(file, &db) == SQLITE_OK);
    unlink(file);                       /* exists until it is closed */
    fill();
    is_well(sqlite3_prepare_v2(db, "SELECT value FROM users WHERE key = ?", -1,
                            &query, NULL) == SQLITE_OK);
    run("BEGIN");
}

static void close_database(void)
{
    sqlite3_finalize(query);
    run("COMMIT");
    sqlite3_close(db);
}

int main(int argc, char **argv)
{
    uint32_t missed;
    need(argc == 1, argv[1], "guard takes no arguments");
    keys = bloom_new(ROWS, p);
    need(keys != NULL, "filter", "not enough memory");
    open_database();
    printf("keys:            %u; their filter takes %u KB\n", ROWS,
           (unsigned)bloom_size(keys) / 1000);
    compare("absent keys:    ", 0);
    compare("mixed stream:   ", 1);
    missed = count();
    close_database();
    bloom_free(keys);
    return missed > 0;
}
