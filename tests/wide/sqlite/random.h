/* Queries by chance, for queries.c, which says what @F and its like are. Values
   are few, so that keys meet: no text has the bytes of a blob. */
#ifndef TEST_SQLITE_RANDOM_H
#define TEST_SQLITE_RANDOM_H

static uint64_t state_of_chance = 1;

static unsigned chance(unsigned below)
{
    uint64_t x = state_of_chance += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return (unsigned)((x ^ x >> 31) >> 33) % below;
}

static const char *one_of(const char *const *from)
{
    unsigned n = 0;
    while (from[n])
        n++;
    return from[chance(n)];
}
#define ONE_OF(...) one_of((const char *const[]){ __VA_ARGS__, NULL })

/* ---- Queries by chance ----------------------------------------------------
   */

/* Text that lives until the next query */
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
    switch (chance(5)) {
    case 0: return text("%u", chance(9));
    case 1: return text("'%u'", chance(9));
    case 2: return ONE_OF("'x'", "'X'", "'x y'", "''", "x'00'", "x'ff01'");
    case 3: return ONE_OF("1.0", "5.0", "2.5", "-0.0", "1e300", "NULL", "-3");
    default: return ONE_OF("(1 + 2)", "('1' || '')", "(2 * 0.5)", "(10 / 2)",
                           "+'4'", "(5 > 3)", "(NULL IS NULL)", "-(-7)",
                           "(SELECT max(a) FROM u)", "('x' || ' ' || 'y')");
    }
}

/* A value of table `of`, or a constant: only of the kinds whose comparison
   converts nothing, or marked with @~ */
static const char *value_of(const char *of)
{
    const char *plus = is_exact ? "+" : "@~";
    switch (chance(9)) {
    case 0: case 1: return text("%s.a", of);
    case 2: return text("%s.b", of);
    case 3: return text("%s.s", of);
    case 4: return text("%s%s.%s", plus, of, ONE_OF("i", "r", "n"));
    case 5: return text(ONE_OF("coalesce(%s.b, 3)", "(%s.i || '')",
                               "nullif(%s.a, 'x')", "(%s.i + 1)", "-%s.i",
                               "iif(%s.i > 4, 'y', 5.0)"), of);
    case 6: return chance(2) ? text("CAST(%s.i AS TEXT)", of)
                 : text("%sCAST(%s.a AS %s)", plus, of, ONE_OF("INTEGER",
                        "REAL"));
    case 7: return text("(SELECT min(u.%s) FROM u WHERE u.id > %s.i)",
                        ONE_OF("a", "b", "s"), of);
    default: return constant();
    }
}

/* A condition that asks no filter */
static const char *condition(const char *of, int depth)
{
    switch (chance(depth > 0 ? 9 : 6)) {
    case 0: return text("%s.a %s %s", of, ONE_OF("<", ">=", "=", "<>", "IS",
                        "IS NOT"), chance(2) ? text("%s.s", of) : constant());
    case 1: return text("%s.%s IS %sNULL", of, ONE_OF("a", "b"),
                        ONE_OF("NOT ", ""));
    case 2: return text("%s.i BETWEEN %u AND %u", of, chance(4), 4 + chance(5));
    case 3: return text("%s.s LIKE '%u%%'", of, chance(9));
    case 4: return text("%s.b IN (%s, %s)", of, constant(), constant());
    case 5: return text("%s.id %% %u", of, 2 + chance(2));
    case 6: return text("NOT (%s)", condition(of, depth - 1));
    default: return text("(%s %s %s)", condition(of, depth - 1),
                         ONE_OF("OR", "AND"), condition(of, depth - 1));
    }
}

/* One that says what key filter `f` is asked for */
static const char *asks(const char *f, const char *of)
{
    switch (chance(14)) {
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
                         value_of(of), f, chance(5));
    case 11: return text("%s.asked IN (%s, %s)", f, constant(), constant());
    case 12: return text("%s%s = %s.key", value_of(of),
                         chance(4) ? "" : " COLLATE NOCASE", f);
    default: return text("%s.key = %s", f, value_of(of));
    }
}

static const char *where(const char *f, const char *of)
{
    switch (chance(5)) {
    case 0: return text("(%s OR %s)", asks(f, of), asks(f, of));
    case 1: return text("(%s OR %s OR %s)", asks(f, of), asks(f, of),
                        asks(f, of));
    case 2: return text("%s AND %s", asks(f, of), condition(of, 2));
    case 3: return text("(%s AND %s OR %s)", asks(f, of), condition(of, 1),
                        asks(f, of));
    default: return asks(f, of);
    }
}

typedef enum { MORE, LESS, OTHER } promise;     /* of rows, by more "maybe"s */

/* Two columns x and y, and MORE rows */
static const char *simple_rows(void)
{
    switch (chance(9)) {
    case 0: return text("SELECT t.id AS x, f.key AS y FROM @F f JOIN t ON %s "
                        "WHERE %s", where("f", "t"), condition("t", 1));
    case 1: return text("SELECT t.id AS x, 0 AS y FROM t WHERE EXISTS (SELECT "
                        "1 FROM @F f WHERE %s)", where("f", "t"));
    case 2: return text("SELECT t.id AS x, t.a AS y FROM t WHERE %s OR t.%s IN "
                        "(SELECT f.key FROM @F f WHERE %s)", condition("t", 1),
                        ONE_OF("a", "b", "s"), where("f", "t"));
    case 3: return text("SELECT t.id AS x, g.key AS y FROM t JOIN @F f ON %s "
                        "JOIN @G g ON %s", where("f", "t"), chance(2)
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
    switch (depth > 0 ? chance(16) : 8) {
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
    switch (chance(14)) {
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
                        "%u", rows(1), 1 + chance(5), chance(3));
    case 8: return text("SELECT t.id, u.id, f.key FROM t JOIN @F f ON %s %s "
                        "JOIN u ON u.a = f.key", where("f", "t"),
                        ONE_OF("RIGHT", "FULL", "LEFT"));
    case 9: return text("SELECT t.id, (SELECT count(*) FROM @F f WHERE %s) "
                        "FROM t", where("f", "t"));
    default: *kind = MORE;
        return rows(2);
    }
}

#endif
