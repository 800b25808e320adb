/* Random queries of examples/sqlite.c's tables, beside real tables of the same
   keys, in one connection. Run by run.sh.

     cc -I. tests/wide/sqlite/queries.c -lsqlite3 && ./a.out [COUNT [SEED]]

   Every second round has filters so precise (1e-9) that no false "maybe" is
   among the few dozen values there are: each answer must be that of the real
   tables. The other half has many false "maybe"s (0.4): then a query that only
   asks what is in must give at least the real rows; one that only asks what is
   not in, at most these; of the rest (counts, LEFT JOIN, EXCEPT, LIMIT) nothing
   is promised. In these rounds columns of INTEGER, REAL and NUMERIC affinity
   are compared with keys as well, for which SQL would make numbers of a real
   table's texts, and a filter does not: the real tables are asked without, by a
   unary plus.

   In a query, of which there are two texts: @F and @G are the filters or the
   real tables, @~ the plus, @J{e} joins F, called with e, and @C{e} is F of e.
   */
#define _POSIX_C_SOURCE 200809L
#include <sqlite3.h>
#define SQLITE_CORE 1
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "examples/sqlite.c"

static sqlite3 *db;
static bool is_exact;                   /* no false "maybe" */

#include "random.h"

/* ---- Answers --------------------------------------------------------------
   */

/* The text of a query for the filters or for the real tables, by its marks */
static char *for_one(const char *q, bool real)
{
    sqlite3_str *s = sqlite3_str_new(db);
    const char *close = "";
    for (; *q; q++) {
        if (*q == '}') {
            sqlite3_str_appendall(s, close);
        } else if (*q != '@') {
            sqlite3_str_appendchar(s, 1, *q);
        } else if (*++q == '~') {
            sqlite3_str_appendall(s, real ? "+" : "");
        } else if (*q == 'J') {
            sqlite3_str_appendall(s, real ? "JOIN real_F f ON f.asked = ("
                                          : ", seen_F((");
            close = real ? ")" : ")) f";
        } else if (*q == 'C') {
            sqlite3_str_appendall(s, real ? "(SELECT * FROM real_F WHERE asked "
                                            "= (" : "seen_F((");
            close = "))";
        } else {
            sqlite3_str_appendf(s, "%s_%c", real ? "real" : "seen", *q);
        }
        q += q[1] == '{';
    }
    return sqlite3_str_finish(s);
}

typedef struct answer { char **row; size_t count; } answer;

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A row as text; numbers that are equal are the same text. */
static char *row_of(sqlite3_stmt *q)
{
    sqlite3_str *s = sqlite3_str_new(db);
    int i;
    for (i = 0; i < sqlite3_column_count(q); i++) {
        int type = sqlite3_column_type(q, i);
        if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
            sqlite3_str_appendf(s, "%!.17g|",
                                sqlite3_column_double(q, i) + 0.0);
        else if (type == SQLITE_BLOB)
            sqlite3_str_appendf(s, "blob of %d|", sqlite3_column_bytes(q, i));
        else
            sqlite3_str_appendf(s, "%Q|", sqlite3_column_text(q, i));
    }
    return sqlite3_str_finish(s);
}

static void forget(answer *a)
{
    while (a->count > 0)
        sqlite3_free(a->row[--a->count]);
    free(a->row);
}

/* false if SQLite or the filter refuses it: some SQLites have no plan for
   FULL JOIN below UNION ALL, also of real tables. */
static bool ask_sql(const char *sql, answer *a)
{
    sqlite3_stmt *q = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &q, NULL);
    a->row = NULL;
    a->count = 0;
    while (code == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW) {
        a->row = realloc(a->row, (a->count + 1) * sizeof *a->row);
        if (!a->row || !(a->row[a->count++] = row_of(q)))
            abort();
    }
    code = sqlite3_finalize(q);
    if (a->count > 0)
        qsort(a->row, a->count, sizeof *a->row, compare);
    return sqlite3_errcode(db) == SQLITE_OK && code == SQLITE_OK;
}

/* Are all rows of a among those of b? */
static bool within(const answer *a, const answer *b)
{
    size_t i = 0, j;
    for (j = 0; i < a->count && j < b->count; j++)
        i += strcmp(a->row[i], b->row[j]) == 0;
    return i == a->count;
}

static unsigned long equal, superset, subset, nothing, refused, wrong,
    real_rows;

static void count_one(promise kind)
{
    if (is_exact)
        equal++;
    else if (kind == MORE)
        superset++;
    else if (kind == LESS)
        subset++;
    else
        nothing++;
}

static bool keeps(promise kind, const answer *seen, const answer *real)
{
    if (is_exact)
        return within(seen, real) && within(real, seen);
    return kind == OTHER || (kind == MORE ? within(real, seen)
                                          : within(seen, real));
}

static void show(const answer *a)
{
    size_t i;
    for (i = 0; i < a->count && i < 10; i++)
        printf("%s%s", i ? "   " : "        ", a->row[i]);
    printf("\n");
}

static void try_one(void)
{
    promise kind;
    const char *both = query(&kind);
    char *sql = for_one(both, false), *other = for_one(both, true);
    answer seen, real;
    bool is_query = ask_sql(other, &real);
    if (!ask_sql(sql, &seen)) {
        const char *why = sqlite3_errmsg(db);
        refused++;
        if (is_query && !strstr(why, "cannot list its keys")
            && strcmp(why, "no query solution") != 0) {
            printf("refused: %s\n    %s\n", why, sql);
            wrong++;
        }
    } else if (keeps(kind, &seen, &real)) {
        count_one(kind);
        real_rows += real.count;
    } else {
        wrong++;
        printf("%zu rows where there are %zu:\n    %s\n    %s\n", seen.count,
               real.count, sql, other);
        show(&seen);
        show(&real);
    }
    forget(&seen);
    forget(&real);
    sqlite3_free(sql);
    sqlite3_free(other);
    forget_texts();
}

/* ---- Tables by chance -----------------------------------------------------
   */

static void run_sql(const char *sql)
{
    char *error = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &error) == SQLITE_OK)
        return;
    printf("%s\n    %s\n", error, sql);
    exit(2);
}

/* A row is added to t, u or w, whose triggers add keys to both; or what was
   added is taken back. */
static void change(void)
{
    switch (chance(12)) {
    case 0: run_sql("SAVEPOINT s"); break;
    case 1: run_sql("SAVEPOINT s; RELEASE s"); break;
    case 2: run_sql("SAVEPOINT s; INSERT INTO u(a) VALUES (8), ('8'), ('z');"
                    "ROLLBACK TO s; RELEASE s"); break;
    case 3: case 4:
        run_sql(text("INSERT INTO w SELECT %s, 1 WHERE true ON CONFLICT(k) DO "
                     "UPDATE SET c = c + 1", constant()));
        break;
    case 5:
        run_sql("DELETE FROM w WHERE c > 2");
        break;
    case 6:
        run_sql(text("UPDATE u SET b = %s WHERE id = %u", constant(),
                     chance(6)));
        break;
    default:
        run_sql(text("INSERT INTO %s(a, b, s, i, r, n) VALUES (%s, %s, %s, %u,"
                     "%s, %s)", ONE_OF("t", "u"), constant(), constant(),
                     constant(), chance(9), constant(), constant()));
    }
    forget_texts();
}

static const char schema[] =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, s TEXT, i INTEGER, r REAL,"
    "   n NUMERIC);"
    "CREATE TABLE u(id INTEGER PRIMARY KEY, a, b, s TEXT, i INTEGER, r REAL,"
    "   n NUMERIC);"
    "CREATE TABLE w(k UNIQUE, c);"
    "CREATE INDEX t_a ON t(a);"
    "CREATE TABLE real_F(key UNIQUE, asked AS (key), present AS (1));"
    "CREATE TABLE real_G(key UNIQUE, asked AS (key), present AS (1));"
    "CREATE VIEW new_F AS SELECT key FROM real_F;"
    "CREATE VIEW new_G AS SELECT key FROM real_G;"
    "CREATE TRIGGER f INSTEAD OF INSERT ON new_F WHEN new.key IS NOT NULL AND"
    "   NOT EXISTS (SELECT 1 FROM real_F WHERE key = new.key) BEGIN"
    "   INSERT INTO real_F VALUES (new.key); END;"
    "CREATE TRIGGER g INSTEAD OF INSERT ON new_G WHEN new.key IS NOT NULL AND"
    "   NOT EXISTS (SELECT 1 FROM real_G WHERE key = new.key) BEGIN"
    "   INSERT INTO real_G VALUES (new.key); END;"
    "CREATE VIEW seen_V AS SELECT key AS k FROM seen_F UNION ALL"
    "   SELECT key FROM seen_G;"
    "CREATE VIEW real_V AS SELECT key AS k FROM real_F UNION ALL"
    "   SELECT key FROM real_G;"
    "CREATE TRIGGER t1 AFTER INSERT ON t WHEN new.id % 2 BEGIN"
    "   INSERT OR IGNORE INTO seen_F VALUES (new.a);"
    "   INSERT INTO new_F VALUES (new.a); END;"
    "CREATE TRIGGER u1 AFTER INSERT ON u BEGIN"
    "   REPLACE INTO seen_G(key) VALUES (new.s), (new.r);"
    "   INSERT INTO new_G VALUES (new.s), (new.r); END;"
    "CREATE TRIGGER u2 AFTER UPDATE OF b ON u BEGIN"
    "   INSERT INTO seen_F SELECT new.b;"
    "   INSERT INTO new_F VALUES (new.b); END;"
    "CREATE TRIGGER w1 AFTER INSERT ON w BEGIN"
    "   INSERT OR IGNORE INTO seen_F VALUES (new.k);"
    "   INSERT INTO new_F VALUES (new.k); END;"
    "CREATE TRIGGER w2 AFTER UPDATE ON w BEGIN"
    "   INSERT OR IGNORE INTO seen_G VALUES (old.k);"
    "   INSERT INTO new_G VALUES (old.k); END;";

static void make(void)
{
    unsigned i, changes = 12 + chance(16);
    if (sqlite3_open(":memory:", &db) != SQLITE_OK
        || sqlite3_bloom_init(db, NULL, NULL) != SQLITE_OK)
        abort();
    run_sql(text("PRAGMA encoding = '%s'; PRAGMA automatic_index = %u;"
                 "PRAGMA reverse_unordered_selects = %u",
                 ONE_OF("UTF-8", "UTF-16"), chance(2), chance(2)));
    for (i = 0; i < 2; i++)
        run_sql(text("CREATE VIRTUAL TABLE seen_%c USING bloom(%s)", "FG"[i],
                     is_exact ? "60, 1e-9" : "6, 0.4"));
    run_sql(schema);
    for (i = 0; i < changes; i++)
        change();
    if (chance(2))
        run_sql("ANALYZE");
}

int main(int count, char **words)
{
    unsigned long i, wanted = count > 1 ? strtoul(words[1], NULL, 10) : 100000;
    state_of_chance = count > 2 ? strtoul(words[2], NULL, 10) : 1;
    for (i = 0; i < wanted; i++) {
        if (i % 250 == 0) {
            sqlite3_close(db);
            is_exact = i / 250 % 2 == 0;
            make();
        }
        try_one();
    }
    sqlite3_close(db);
    printf("%lu queries, %lu rows of the real tables: %lu equal, %lu at "
           "least these, %lu at most, %lu without a promise, %lu refused, %lu "
           "wrong\n",
           i, real_rows, equal, superset, subset, nothing, refused, wrong);
    return wrong > 0 || refused * 4 > i;
}
