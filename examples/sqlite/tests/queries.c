/* Runs random queries with the virtual tables of examples/sqlite/sqlite.c and
   with real tables of the same keys, and compares the results. Run by run.sh.

     cc -I. examples/sqlite/tests/queries.c -lsqlite3 && ./a.out [COUNT [SEED]]

   In every second round, the false-positive rate is 1e-9, so there is no false
   positive among the few dozen values. Each result must equal that of the real
   tables.
   In the other rounds the rate is 0.4. Then a query that only requires keys to
   be in must return at least the real rows. A query that only requires keys to
   be absent must return at most these. For other queries (counts, LEFT JOIN,
   EXCEPT, LIMIT) nothing is required. These rounds also compare keys with
   columns of INTEGER, REAL and NUMERIC affinity. With a real table, SQL would
   convert texts to numbers for that; a filter does not convert. A unary plus
   prevents the conversion in the queries of the real tables.

   Each query has two texts, one for the filters and one for the real tables. In
   the template, @F and @G stand for the filters or the real tables and @~ for
   the plus. @J{e} joins F(e), and @C{e} is F(e). */
#define _POSIX_C_SOURCE 200809L
#include <sqlite3.h>
#define SQLITE_CORE 1
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "examples/sqlite/sqlite.c"
#include "tests/random.h"

static sqlite3 *db;
static bool is_exact;                   /* no false positives */

/* ---- Random queries --------------------------------------------------------
   They use only a few values, so that lookups find keys. No text has the same
   bytes as a BLOB, because both would be the same key. */

static const char *one_of(const char *const *from)
{
    unsigned n = 0;
    while (from[n])
        n++;
    return from[below(n)];
}
#define ONE_OF(...) one_of((const char *const[]){ __VA_ARGS__, NULL })

/* ---- Random queries -------------------------------------------------------
   */

/* Texts that are freed after the query */
static char *texts[4096];
static unsigned text_count;

static const char *text(const char *format, ...)
{
    va_list list;
    char *made;
    va_start(list, format);
    made = sqlite3_vmprintf(format, list);
    va_end(list);
    if (!made || text_count == sizeof texts / sizeof *texts)
        abort();
    return texts[text_count++] = made;
}

static void forget_texts(void)
{
    while (text_count > 0)
        sqlite3_free(texts[--text_count]);
}

static const char *constant(void)
{
    switch (below(5)) {
    case 0: return text("%u", below(9));
    case 1: return text("'%u'", below(9));
    case 2: return ONE_OF("'x'", "'X'", "'x y'", "''", "x'00'", "x'ff01'");
    case 3: return ONE_OF("1.0", "5.0", "2.5", "-0.0", "1e300", "NULL", "-3");
    default: return ONE_OF("(1 + 2)", "('1' || '')", "(2 * 0.5)", "(10 / 2)",
                           "+'4'", "(5 > 3)", "(NULL IS NULL)", "-(-7)",
                           "(SELECT max(a) FROM u)", "('x' || ' ' || 'y')");
    }
}

/* A value of table `of`, or a constant. If its comparison with a key would
   convert the key, it is marked with @~. */
static const char *value_of(const char *of)
{
    const char *plus = is_exact ? "+" : "@~";
    switch (below(9)) {
    case 0: case 1: return text("%s.a", of);
    case 2: return text("%s.b", of);
    case 3: return text("%s.s", of);
    case 4: return text("%s%s.%s", plus, of, ONE_OF("i", "r", "n"));
    case 5: return text(ONE_OF("coalesce(%s.b, 3)", "(%s.i || '')",
                               "nullif(%s.a, 'x')", "(%s.i + 1)", "-%s.i",
                               "iif(%s.i > 4, 'y', 5.0)"), of);
    case 6: return below(2) ? text("CAST(%s.i AS TEXT)", of)
                 : text("%sCAST(%s.a AS %s)", plus, of, ONE_OF("INTEGER",
                        "REAL"));
    case 7: return text("(SELECT min(u.%s) FROM u WHERE u.id > %s.i)",
                        ONE_OF("a", "b", "s"), of);
    default: return constant();
    }
}

/* A condition without a filter */
static const char *condition(const char *of, int depth)
{
    switch (below(depth > 0 ? 9 : 6)) {
    case 0: return text("%s.a %s %s", of, ONE_OF("<", ">=", "=", "<>", "IS",
                        "IS NOT"), below(2) ? text("%s.s", of) : constant());
    case 1: return text("%s.%s IS %sNULL", of, ONE_OF("a", "b"),
                        ONE_OF("NOT ", ""));
    case 2: return text("%s.i BETWEEN %u AND %u", of, below(4), 4 + below(5));
    case 3: return text("%s.s LIKE '%u%%'", of, below(9));
    case 4: return text("%s.b IN (%s, %s)", of, constant(), constant());
    case 5: return text("%s.id %% %u", of, 2 + below(2));
    case 6: return text("NOT (%s)", condition(of, depth - 1));
    default: return text("(%s %s %s)", condition(of, depth - 1),
                         ONE_OF("OR", "AND"), condition(of, depth - 1));
    }
}

/* A condition that determines which keys are looked up in filter `f` */
static const char *asks(const char *f, const char *of)
{
    switch (below(14)) {
    case 0: return text("%s = %s.key", value_of(of), f);
    case 1: return text("%s.key IS %s", f, value_of(of));
    case 2: return text("%s.key IN (%s, %s, %s)", f, constant(), value_of(of),
                        value_of(of));
    case 3: return text("%s.key IN (SELECT %s FROM u)", f, value_of("u"));
    case 4: return text("%s.asked = %s", f, value_of(of));
    case 5: return text("%s.key = %s COLLATE BINARY AND %s.present", f,
                        value_of(of), f);
    case 6: return text("(%s.key, 1) = (%s, 1)", f, value_of(of));
    case 7: return text("%s.key = %s AND %s.key %s %s", f, value_of(of), f,
                        ONE_OF("<", ">", "<>", "="), constant());
    case 8: return text("%s.key IN (SELECT %s FROM u WHERE %s)", f,
                        value_of("u"), condition("u", 1));
    case 9: return text("%s.key = %s AND (%s.key LIKE 'x%%' OR %s)", f,
                        value_of(of), f, condition(of, 1));
    case 10: return text("%s.key = %s AND %s.key BETWEEN %u AND 'x'", f,
                         value_of(of), f, below(5));
    case 11: return text("%s.asked IN (%s, %s)", f, constant(), constant());
    case 12: return text("%s%s = %s.key", value_of(of),
                         below(4) ? "" : " COLLATE NOCASE", f);
    default: return text("%s.key = %s", f, value_of(of));
    }
}

static const char *where(const char *f, const char *of)
{
    switch (below(5)) {
    case 0: return text("(%s OR %s)", asks(f, of), asks(f, of));
    case 1: return text("(%s OR %s OR %s)", asks(f, of), asks(f, of),
                        asks(f, of));
    case 2: return text("%s AND %s", asks(f, of), condition(of, 2));
    case 3: return text("(%s AND %s OR %s)", asks(f, of), condition(of, 1),
                        asks(f, of));
    default: return asks(f, of);
    }
}

/* What false positives do to the result: more rows, fewer rows, or either */
typedef enum { MORE, LESS, OTHER } promise;

/* A query of two columns x and y, of kind MORE */
static const char *simple_rows(void)
{
    switch (below(9)) {
    case 0: return text("SELECT t.id AS x, f.key AS y FROM @F f JOIN t ON %s "
                        "WHERE %s", where("f", "t"), condition("t", 1));
    case 1: return text("SELECT t.id AS x, 0 AS y FROM t WHERE EXISTS (SELECT "
                        "1 FROM @F f WHERE %s)", where("f", "t"));
    case 2: return text("SELECT t.id AS x, t.a AS y FROM t WHERE %s OR t.%s IN "
                        "(SELECT f.key FROM @F f WHERE %s)", condition("t", 1),
                        ONE_OF("a", "b", "s"), where("f", "t"));
    case 3: return text("SELECT t.id AS x, g.key AS y FROM t JOIN @F f ON %s "
                        "JOIN @G g ON %s", where("f", "t"), below(2)
                        ? "g.key = f.key" : where("g", "t"));
    case 4: return text("SELECT t.id AS x, f.key AS y FROM t @J{%s} WHERE %s",
                        value_of("t"), condition("t", 2));
    case 5: return text("SELECT t.id AS x, f.key AS y FROM t %s JOIN u ON "
                        "t.%s = u.%s JOIN @F f ON %s", ONE_OF("RIGHT", "FULL",
                        "LEFT", "CROSS"), ONE_OF("a", "s"),
                        ONE_OF("a", "b"), where("f", ONE_OF("t", "u")));
    case 6: return text("SELECT t.id AS x, v.k AS y FROM t JOIN @V v ON v.k = "
                        "%s", value_of("t"));
    case 7: return text("SELECT u.id AS x, f.key AS y FROM u, @F f WHERE %s",
                        where("f", "u"));
    default: return text("SELECT t.id AS x, 1 AS y FROM t WHERE (SELECT "
                         "count(*) FROM @C{%s}) > 0", value_of("t"));
    }
}

static const char *rows(int depth)
{
    switch (depth > 0 ? below(16) : 8) {
    case 0: return text("SELECT x, y FROM (%s) UNION ALL SELECT x, y FROM (%s)",
                        rows(depth - 1), rows(depth - 1));
    case 1: return text("%s UNION %s", rows(0), rows(0));
    case 2: return text("%s INTERSECT %s", rows(0), rows(0));
    case 3: return text("WITH c AS %s (%s) SELECT c.x, u.id AS y FROM c JOIN u"
                        " ON u.a = c.y", ONE_OF("MATERIALIZED",
                        "NOT MATERIALIZED", ""), rows(depth - 1));
    case 4: return text("SELECT DISTINCT y AS x, 2 AS y FROM (%s)",
                        rows(depth - 1));
    case 5: return text("SELECT x, max(3) AS y FROM (%s) GROUP BY x HAVING "
                        "count(*) > 1", rows(depth - 1));
    case 6: return text("SELECT m.x AS x, f.key AS y FROM (%s) m JOIN @G f ON "
                        "f.key = %sm.%s", rows(depth - 1),
                        is_exact ? "+" : "@~", ONE_OF("x", "y"));
    case 7: return text("WITH RECURSIVE r(n) AS (SELECT %s UNION SELECT n + 1 "
                        "FROM r JOIN @F f ON f.key = +n %s WHERE n < 12) "
                        "SELECT n AS x, 4 AS y FROM r", ONE_OF("0", "1", "2.0"),
                        ONE_OF("", "OR f.key = n + 2", "OR f.key = n || ''"));
    default: return simple_rows();
    }
}

static const char *query(promise *kind)
{
    *kind = OTHER;
    switch (below(14)) {
    case 0: *kind = LESS;
        return text("SELECT t.id FROM t WHERE %s AND NOT EXISTS (SELECT 1 FROM "
                    "@F f WHERE %s)", condition("t", 1), where("f", "t"));
    case 1: *kind = LESS;
        return text("SELECT t.id FROM t LEFT JOIN @F f ON %s WHERE f.key IS "
                    "NULL", where("f", "t"));
    case 2: *kind = LESS;
        return text("SELECT t.id, t.a FROM t WHERE t.a NOT IN (SELECT f.key "
                    "FROM @F f WHERE %s)", where("f", "t"));
    case 3:
        return text("SELECT t.id, f.key, f.present FROM t LEFT JOIN @F f ON %s "
                    "WHERE %s", where("f", "t"), condition("t", 1));
    case 4: return text("%s EXCEPT %s", rows(0), rows(0));
    case 5: return text("SELECT x, y, count(*) OVER (PARTITION BY x), "
                        "row_number() OVER (ORDER BY x, y) FROM (%s)", rows(1));
    case 6: return text("SELECT y, count(*), count(DISTINCT x) FROM (%s) GROUP "
                        "BY y", rows(2));
    case 7: return text("SELECT x, y FROM (%s) ORDER BY 1, 2 LIMIT %u OFFSET "
                        "%u", rows(1), 1 + below(5), below(3));
    case 8: return text("SELECT t.id, u.id, f.key FROM t JOIN @F f ON %s %s "
                        "JOIN u ON u.a = f.key", where("f", "t"),
                        ONE_OF("RIGHT", "FULL", "LEFT"));
    case 9: return text("SELECT t.id, (SELECT count(*) FROM @F f WHERE %s) "
                        "FROM t", where("f", "t"));
    default: *kind = MORE;
        return rows(2);
    }
}

/* ---- Answers --------------------------------------------------------------
   */

/* Makes the text of a query for the filters or for the real tables. */
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

/* A row as text. Equal numbers have equal texts. */
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

/* Returns false if SQLite or the filter refuses the query. Some versions of
   SQLite cannot plan a FULL JOIN below UNION ALL, even with real tables. */
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
        printf("%zu rows instead of %zu:\n    %s\n    %s\n", seen.count,
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

/* ---- Random tables --------------------------------------------------------
   */

static void run_sql(const char *sql)
{
    char *error = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &error) == SQLITE_OK)
        return;
    printf("%s\n    %s\n", error, sql);
    exit(2);
}

/* Adds a row to t, u or w, whose triggers add keys to the filters and to the
   real tables, or rolls such a change back. */
static void change(void)
{
    switch (below(12)) {
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
                     below(6)));
        break;
    default:
        run_sql(text("INSERT INTO %s(a, b, s, i, r, n) VALUES (%s, %s, %s, %u,"
                     "%s, %s)", ONE_OF("t", "u"), constant(), constant(),
                     constant(), below(9), constant(), constant()));
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
    unsigned i, changes = 12 + below(16);
    if (sqlite3_open(":memory:", &db) != SQLITE_OK
        || sqlite3_bloom_init(db, NULL, NULL) != SQLITE_OK)
        abort();
    run_sql(text("PRAGMA encoding = '%s'; PRAGMA automatic_index = %u;"
                 "PRAGMA reverse_unordered_selects = %u",
                 ONE_OF("UTF-8", "UTF-16"), below(2), below(2)));
    for (i = 0; i < 2; i++)
        run_sql(text("CREATE VIRTUAL TABLE seen_%c USING bloom(%s)", "FG"[i],
                     is_exact ? "60, 1e-9" : "6, 0.4"));
    run_sql(schema);
    for (i = 0; i < changes; i++)
        change();
    if (below(2))
        run_sql("ANALYZE");
}

int main(int count, char **words)
{
    unsigned long i, wanted = count > 1 ? strtoul(words[1], NULL, 10) : 100000;
    random_state = count > 2 ? strtoul(words[2], NULL, 10) : 1;
    for (i = 0; i < wanted; i++) {
        if (i % 250 == 0) {
            sqlite3_close(db);
            is_exact = i / 250 % 2 == 0;
            make();
        }
        try_one();
    }
    sqlite3_close(db);
    printf("%lu queries with %lu rows of the real tables: %lu results equal, "
           "%lu with at least these rows, %lu with at most these, %lu not "
           "compared, %lu refused, %lu wrong\n",
           i, real_rows, equal, superset, subset, nothing, refused, wrong);
    return wrong > 0 || refused * 4 > i;
}
