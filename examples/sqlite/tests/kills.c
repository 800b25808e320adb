/* Two processes write to one database, and are killed. Run by `make
   sqlite-kills`:

       kills FILE [RUNS]        FILE is the database; 500 kills

   The table `real` has the keys. A trigger adds each of them to the virtual
   table `seen`. Each writer adds keys in transactions, of which it rolls back
   some, and now and then it replaces `seen` by a table with another plan.
   Before each transaction it looks up keys that either of the two has added: a
   connection must never use a plan that the other has replaced.

   One or both are killed at any moment, half of the times after a halt. Then a
   new connection must find each key whose COMMIT a writer has reported;
   `seen` must know each row of `real`; and the database must be intact. The
   journal is rolled back or written ahead, in turn. Ends with "N passed, N
   failed". */
#define _POSIX_C_SOURCE 200809L
#include <sqlite3.h>
#define SQLITE_CORE 1
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "examples/sqlite/sqlite.c"
#include "tests/random.h"

enum { WRITERS = 2, ROUNDS = 40 };      /* kills before a new database */

static sqlite3 *db;

static void die(const char *what)
{
    printf("FAILED: %s: %s\n", what, sqlite3_errmsg(db));
    fflush(stdout);
    _exit(1);
}

/* Runs SQL and returns the integer that is its result, or 0. */
static long long sql(const char *format, ...)
{
    sqlite3_stmt *statement;
    const char *rest;
    char *text;
    long long result = 0;
    int code = SQLITE_OK;
    va_list list;
    va_start(list, format);
    text = sqlite3_vmprintf(format, list);
    va_end(list);
    for (rest = text; *rest && code == SQLITE_OK;) {
        if (sqlite3_prepare_v2(db, rest, -1, &statement, &rest) != SQLITE_OK)
            die(text);
        while ((code = sqlite3_step(statement)) == SQLITE_ROW)
            result = sqlite3_column_int64(statement, 0);
        code = sqlite3_finalize(statement);
    }
    if (code != SQLITE_OK)
        die(text);
    sqlite3_free(text);
    return result;
}

static void open_file(const char *file)
{
    if (sqlite3_open(file, &db) != SQLITE_OK ||
        sqlite3_bloom_init(db, NULL, NULL) != SQLITE_OK)
        die("open");
    sqlite3_busy_timeout(db, 60000);
    sql("PRAGMA synchronous = OFF");    /* kills lose no writes: no power cut */
}

/* Gives `seen` another plan: it is created again, or its pages are replaced by
   those of another table, which does not change the schema. */
static void replace_filter(void)
{
    if (below(3) == 0)
        sql("DROP TABLE seen; CREATE VIRTUAL TABLE seen USING bloom(%u, 1e-6);"
            "INSERT INTO seen SELECT key FROM real", 100 + below(5000));
    else
        sql("DELETE FROM seen_data; INSERT INTO seen_data SELECT * FROM %s",
            below(2) ? "small_data" : "large_data");
}

static void make_file(const char *file, bool ahead)
{
    static const char *const ends[] = { "", "-journal", "-wal", "-shm" };
    char name[500];
    unsigned i;
    for (i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", file, ends[i]);
        remove(name);
    }
    open_file(file);
    sql("PRAGMA journal_mode = %s; CREATE TABLE real(key PRIMARY KEY);"
        "CREATE VIRTUAL TABLE seen USING bloom(1000, 1e-6);"
        "CREATE VIRTUAL TABLE small USING bloom(200, 1e-6);"
        "CREATE VIRTUAL TABLE large USING bloom(5000, 1e-6);"
        "CREATE TRIGGER t AFTER INSERT ON real BEGIN"
        "    INSERT INTO seen VALUES (new.key);"
        "    INSERT INTO small VALUES (new.key);"
        "    INSERT INTO large VALUES (new.key); END",
        ahead ? "WAL" : "DELETE");
    sqlite3_close(db);
}

/* Rows of `real` that `seen` does not know, of all or of 30 */
static long long unknown(bool all)
{
    return sql("SELECT count(*) FROM (SELECT key FROM real WHERE rowid >= %u"
               " LIMIT %d) AS r WHERE NOT EXISTS (SELECT 1 FROM seen(r.key))",
               all ? 0 : 1 + below((unsigned)sql("SELECT count(*) FROM real")
                                    + 1), all ? -1 : 30);
}

/* ---- A writer ------------------------------------------------------------ */

/* Number i of this writer's keys: texts and integers. Even and odd writers have
   different keys. */
static void add_keys(uint64_t *i, unsigned count, unsigned writer)
{
    for (; count-- > 0; ++*i)
        sql(*i % 2 ? "INSERT INTO real VALUES (%lld)"
                   : "INSERT INTO real VALUES ('key %lld')",
            (long long)(*i * WRITERS + writer));
}

/* Adds keys from number i on, and reports each number up to which all are
   committed. */
static void write_for_ever(const char *file, unsigned writer, uint64_t i,
                           int report)
{
    uint64_t undone;
    open_file(file);
    for (;;) {
        if (unknown(false) != 0)
            die("a writer's lookup");
        sql("BEGIN IMMEDIATE");
        add_keys(&i, 1 + below(30), writer);
        if (below(3) == 0) {
            undone = i;
            sql("SAVEPOINT s");
            add_keys(&undone, below(30), writer);
            if (below(5) == 0)
                replace_filter();
            sql("ROLLBACK TO s");
        }
        if (below(8) == 0)
            replace_filter();
        if (unknown(false) != 0)
            die("a writer's own lookup");
        sql("COMMIT");
        if (write(report, &i, sizeof i) != sizeof i)
            _exit(1);
    }
}

/* ---- Kills --------------------------------------------------------------- */

static uint64_t committed[WRITERS];     /* numbers below are in the file */
static unsigned long kills, faults;

static void sleep_ms(unsigned ms)
{
    struct timespec time = { 0, (long)ms * 1000000L };
    nanosleep(&time, NULL);
}

static void check_file(const char *file)
{
    unsigned writer;
    open_file(file);
    for (writer = 0; writer < WRITERS; writer++) {
        long long rows = sql("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL"
            " SELECT i + 1 FROM n WHERE i + 1 < %lld)"
            " SELECT count(*) FROM n JOIN real ON key ="
            " iif(i %% 2, i * %d + %u, 'key ' || (i * %d + %u)) WHERE i < %lld",
            (long long)committed[writer], WRITERS, writer, WRITERS, writer,
            (long long)committed[writer]);
        if (rows != (long long)committed[writer])
            printf("FAILED: %lld of %lld committed keys\n", rows,
                   (long long)committed[writer]), faults++;
        /* It may have committed more than it reported. */
        committed[writer] = (uint64_t)sql(
            "SELECT count(*) FROM real WHERE iif(typeof(key) = 'text',"
            " substr(key, 5), key) %% %d = %u", WRITERS, writer);
    }
    if (unknown(true) != 0)
        printf("FAILED: the filter does not know each row\n"), faults++;
    if (sql("SELECT count(*) FROM pragma_integrity_check"
            " WHERE integrity_check <> 'ok'") != 0)
        printf("FAILED: integrity_check\n"), faults++;
    sqlite3_close(db);
}

static void start_and_kill(const char *file)
{
    pid_t child[WRITERS];
    int report[WRITERS][2], status;
    unsigned writer, both = below(2), halted = below(2);
    fflush(stdout);
    for (writer = 0; writer < WRITERS; writer++) {
        if (pipe(report[writer]) != 0 || (child[writer] = fork()) < 0)
            die("fork");
        if (child[writer] == 0) {
            random_state += writer + 1;
            write_for_ever(file, writer, committed[writer], report[writer][1]);
        }
        close(report[writer][1]);
    }
    sleep_ms(20 + below(150));
    for (writer = 0; writer < WRITERS; writer++) {
        if (halted) {
            kill(child[writer], SIGSTOP);
            sleep_ms(below(5));
        }
        kill(child[writer], SIGKILL);
        if (!both)
            sleep_ms(below(100));      /* the other one goes on */
    }
    for (writer = 0; writer < WRITERS; writer++) {
        uint64_t i;
        if (waitpid(child[writer], &status, 0) < 0 || !WIFSIGNALED(status))
            printf("FAILED: a writer ended before it was killed\n"), faults++;
        else
            kills++;
        while (read(report[writer][0], &i, sizeof i) == sizeof i)
            committed[writer] = i;
        close(report[writer][0]);
    }
}

int main(int argc, char **argv)
{
    unsigned long runs = argc > 2 ? strtoul(argv[2], NULL, 10) : 500, round;
    uint64_t keys = 0;
    unsigned writer;
    if (argc < 2)
        return 2;
    for (round = 0; kills < runs && faults == 0; round++) {
        random_state = round;
        if (round % ROUNDS == 0) {
            keys += committed[0] + committed[1];
            memset(committed, 0, sizeof committed);
            make_file(argv[1], round / ROUNDS % 2);
        }
        start_and_kill(argv[1]);
        check_file(argv[1]);
    }
    for (writer = 0; writer < WRITERS; writer++)
        keys += committed[writer];
    printf("%lu kills, %llu committed keys\n%d passed, %lu failed\n", kills,
           (unsigned long long)keys, faults == 0, faults);
    return faults != 0;
}
