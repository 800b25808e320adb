# `make check-sqlite` runs this script. It tests sqlite.c in the sqlite3 of this
# machine, with ASan and UBSan: the results of each function and table, random
# queries compared with real tables, rollbacks, other connections, corrupted data,
# lack of memory, and files exchanged with the command in both directions. Then it
# runs sqlite.sql with a tenth of the rows, and guard.c. ALL=1: 100000 random queries
# in place of 3000, and each allocation fails, not each 13th. Ends with "N passed, N
# failed".
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers.sh
need sqlite3ext.h libsqlite3-dev \
    'echo "#include <sqlite3ext.h>" | ${CC:-cc} -E -'
need sqlite3 sqlite3
enough
LC_ALL=C export LC_ALL
work=build/sqlite
rm -rf $work
mkdir -p $work || exit 1
WARN="-Wall -Wextra -pedantic -Werror -Wconversion -Wshadow"
gcc -std=c99 -g -O1 $WARN -shared -fPIC -I. -fsanitize=address,undefined \
    -fno-sanitize-recover=all examples/sqlite/sqlite.c -o $work/bloom.so
[ $? -eq 0 ] || exit 1
asan=$(gcc -print-file-name=libasan.so)
ubsan=$(gcc -print-file-name=libubsan.so)
code() {        # code N: prints " (N)" if this sqlite3 adds it to messages,
                # as 3.40 does and 3.53 does not
    echo 'SELECT zeroblob(1e10);' | sqlite3 -batch 2>&1 |
        sed -n "s/.* (18)$/ ($1)/p"
}
on() {          # on DATABASE SQL: prints the output and errors in one line.
                # Newer versions protect shadow tables by default.
    printf '.output %s\n.dbconfig defensive off\n.output\n.load %s\n%s\n' \
        $work/dbconfig $work/bloom "$2" |
        LD_PRELOAD="$asan $ubsan" sqlite3 -batch "$1" 2>&1 |
        sed -E 's/^(Runtime e|Parse e|E)rror near line [0-9]+: /error: /' |
        paste -sd ' '
}
sql() {         # sql WANTED SQL: tests the output of SQL in a new database
    is "$2" "$1" "$(on :memory: "$2")"
}

# ---- Functions --------------------------------------------------------------

keys="WITH t(k) AS (VALUES ('a'), ('b'), (5), (x'00ff'), (''), (NULL)),
    asked(k) AS (VALUES ('a'), ('b'), (5), (x'00ff'), (''), ('5'), (6), ('c'),
        (x'61'), (NULL))"
for n in ', 1000, 0.001' ', 1000' '' ', NULL, 0.001' ', 1e3'; do
    sql '1,1,1,1,1,0,0,0,1,-' "$keys SELECT group_concat(ifnull(
        bloom_may_contain((SELECT bloom(k$n) FROM t), k), '-')) FROM asked;"
done
sql '1|0|0' "SELECT bloom_may_contain(NULL, 5) IS NULL,
    bloom_may_contain(bloom(x, 10), 5), bloom_may_contain(bloom_merge(x), 5)
    FROM (SELECT NULL x);"
sql 'classic|0|9600|7|64|0|1232|4|1' "$keys SELECT i ->> 'layout',
    i ->> 'links', i ->> 'm', i ->> 'k', i ->> 'hash_bits', i ->> 'seed',
    i ->> 'bytes', i ->> 'keys', i ->> 'sealed'
    FROM (SELECT bloom_info(bloom(k, 1000)) i FROM t WHERE k <> '');"
sql '3|5000|1|1' "SELECT i ->> 'links', (i ->> 'keys' + 50) / 100 * 100,
    i ->> 'sealed', i ->> 'rate' < 0.01 FROM (SELECT bloom_info(bloom(value)) i
    FROM generate_series(1, 5000));"
sql '5000|1' "SELECT sum(bloom_may_contain((SELECT bloom(value) FROM
    generate_series(1, 5000)), value)), sum(bloom_may_contain((SELECT
    bloom(value) FROM generate_series(1, 5000)), -value)) BETWEEN 5 AND 50
    FROM generate_series(1, 5000);"
sql '1|1|1' "SELECT a = bloom_add(bloom_add(b, 'x'), 7), b = bloom_add(b, NULL),
    bloom_add(NULL, 7) IS NULL FROM (SELECT bloom(k, 9) a FROM
    (SELECT 'y' k UNION SELECT 'x' UNION SELECT 7)), (SELECT bloom('y', 9) b);"
sql '1|1' "SELECT bloom(value) = (SELECT bloom_add(f, 3000) FROM
    (SELECT bloom(value) f FROM generate_series(1, 2999))),
    count(*) = 3000 FROM generate_series(1, 3000);"
sql '1' "SELECT bloom_merge(f) = (SELECT bloom(value, 500) FROM
    generate_series(1, 400)) FROM (SELECT bloom(value, 500) f FROM
    generate_series(1, 400) GROUP BY value % 7);"
sql '1,2,3,3' "SELECT group_concat(bloom_info(f) ->> 'keys') FROM (SELECT
    bloom(k, 9) OVER (ORDER BY i) f FROM (SELECT 1 i, 'a' k UNION SELECT 2, 'b'
    UNION SELECT 3, 'c' UNION SELECT 4, 'a'));"

# Without rows the result is an empty chain, which can be merged with any filter.
none="FROM (SELECT 1 k) WHERE k > 1"
sql 'a b' "CREATE TABLE allow(k); SELECT x FROM (SELECT 'a' x UNION SELECT 'b')
    WHERE NOT bloom_may_contain((SELECT bloom(k) FROM allow), x);"
sql '0|1|1|0|1' "SELECT bloom_may_contain(f, 5),
    bloom_may_contain(bloom_add(f, 5), 5), bloom_info(f) ->> 'links',
    bloom_info(f) ->> 'keys', bloom_info(f) ->> 'sealed' FROM (SELECT
    bloom(k, 9, 0.5) f $none);"
sql '1' "SELECT bloom_merge(f) = (SELECT bloom('x', 500)) FROM (SELECT
    bloom('x', 500) f UNION ALL SELECT bloom(k, 500) $none);"
sql '0|0' "SELECT bloom_may_contain(bloom_merge(k), 1), bloom_info(
    bloom_merge(bloom)) ->> 'keys' FROM (SELECT bloom(k) bloom, k $none);"
sql '0,1' "SELECT group_concat(bloom_may_contain(f, 'a')) FROM (SELECT bloom(k)
    OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) f
    FROM (SELECT 1 i, 'a' k UNION SELECT 2, 'b'));"

# Equal numbers are the same key; other REALs are different keys
reals="(SELECT 5 k UNION SELECT -2.0 UNION SELECT 2.5 UNION SELECT 1e300 UNION
    SELECT -9223372036854775808.0)"
for n in '' ', 99'; do
    sql '1,1,1,1,1,1,1,0,0,0,0' "WITH asked(k) AS (VALUES (5), (5.0), (-2), (2.5),
        (1e300), (-9223372036854775808), (-2.0), (-2.5), ('2.5'), (0.0), (6.5))
        SELECT group_concat(bloom_may_contain((SELECT bloom(k$n) FROM $reals),
        k)) FROM asked;"
done
sql '1|1' "SELECT bloom_add(f, -0.0) = bloom_add(f, 0), bloom_add(f, 9.5) =
    (SELECT bloom(column1, 9) FROM (VALUES (1), (9.5)))
    FROM (SELECT bloom(1, 9) f);"
sql '0' "SELECT bloom_may_contain(bloom(9223372036854775807), 9223372036854775808.0);"
sql '7|1|1' "SELECT count(*), min(value), bloom_probes.link IS 0 FROM
    bloom_probes((SELECT bloom('x', 1000)), 'x');"
sql '0|6' "SELECT min(value), max(probe) FROM
    bloom_probes((SELECT bloom('x', 1000)), 'y');"
sql '2|2' "SELECT count(DISTINCT link), sum(value) / 7 + 1 FROM bloom_probes(
    (SELECT bloom(value) FROM generate_series(1, 1300)), 1);"

sql '14|7' "CREATE TABLE c(s, d); INSERT INTO c VALUES ('x', 'y');
    CREATE TABLE f AS SELECT bloom('x', 1000) f; SELECT count(*), sum(key = 'x')
    FROM c, f JOIN bloom_probes p ON image = f AND (key = s OR key = d);"

# ---- Errors -----------------------------------------------------------------

truncated=$(error_text TRUNCATED) corrupt=$(error_text CORRUPT)
foreign=$(error_text NOT_A_FILTER)
while IFS='	' read -r why what; do
    case $why in
    truncated) why=$truncated ;;
    corrupt) why=$corrupt ;;
    foreign) why=$foreign ;;
    esac
    sql "error: bloom: $why" "SELECT $what;"
done <<'END'
bloom(key, n, p): p must be a number between 0 and 1	bloom('a', 10, 1)
bloom(key, n, p): p must be a number between 0 and 1	bloom('a', 10, 'x')
bloom(key, n, p): p must be a number between 0 and 1	bloom('a', 10, '1%')
bloom(key, n, p): n must be a number from 0 to 1e18	bloom('a', -1)
bloom(key, n, p): n must be a number from 0 to 1e18	bloom('a', '10k')
bloom(key, n, p): n must be a number from 0 to 1e18	bloom('a', 'abc')
bloom(key, n, p): n must be a number from 0 to 1e18	bloom(NULL, '')
bloom(key, n, p): n must be a number from 0 to 1e18	bloom('a', x'31')
foreign	bloom_may_contain('BLM', 1)
foreign	bloom_may_contain(zeroblob(99), 1)
foreign	bloom_may_contain(zeroblob(3), 1)
truncated	bloom_may_contain(x'', 1)
foreign	bloom_may_contain(CAST('apple' AS BLOB), 1)
foreign	bloom_may_contain(CAST('BLX' AS BLOB), 1)
foreign	bloom_info(CAST('BLW' AS BLOB))
truncated	bloom_may_contain(CAST('B' AS BLOB), 1)
truncated	bloom_may_contain(CAST('BL' AS BLOB), 1)
truncated	bloom_may_contain(CAST('BLC' AS BLOB), 1)
truncated	bloom_info(CAST('BLM' AS BLOB))
truncated	bloom_may_contain(x'424c4d01', 1)
truncated	bloom_may_contain(substr(bloom(1, 99), 1, 99), 1)
truncated	bloom_may_contain(substr(bloom(1), 1, 99), 1)
truncated	bloom_add(substr(bloom(1), 1, 99), 1)
truncated	bloom_info(substr(bloom(1), 1, 99))
truncated	bloom_may_contain(substr(bloom(value), 1, 1232), 1) FROM generate_series(1, 3000)
corrupt	bloom_may_contain(CAST(substr(f, 1, 6) || x'0100' || substr(f, 9) AS BLOB), 1) FROM (SELECT bloom(1) f)
a filter that grows cannot be merged; make it with a fixed n, bloom(key, n)	bloom_merge(bloom) FROM (SELECT bloom(1) bloom)
filters with different plans cannot be merged; make all of them with the same n and p	bloom_merge(f) FROM (SELECT bloom(1, 9) f UNION SELECT bloom(1, 99))
bloom_info needs a BLOB, or the name of a table USING bloom	bloom_info('seen')
bloom_info needs a BLOB, or the name of a table USING bloom	bloom_info('temp', 'sqlite_schema')
a filter cannot remove a key; let the window frame begin at UNBOUNDED PRECEDING	sum(length(f)) FROM (SELECT bloom(k, 9) OVER (ROWS 0 PRECEDING) f FROM (SELECT 1 k UNION SELECT 2))
END
sql "error: string or blob too big$(code 18)" "SELECT bloom('a', 1e17);"
bent="SELECT CAST(substr(f, 1, 99) || x'fe' || substr(f, 101) AS BLOB) b
    FROM (SELECT bloom(value, 1000) f FROM generate_series(1, 900))"
for what in 'bloom_info(b)' 'bloom_add(b, 1)' 'bloom_merge(b)'; do
    sql "error: bloom: $corrupt" \
        "SELECT $what FROM ($bent);"
done

# ---- Seals --------------------------------------------------------------------
# Whatever writes a filter that grows seals it. So one without a seal is refused,
# even where seals are not checked. A plain filter may come from a program that
# does not seal: then there is a warning in the error log, and bloom_info tells.

zeros='SELECT CAST(substr(f, 1, 24) || zeroblob(72) || substr(f, 97) AS BLOB) f
    FROM (SELECT bloom(value, 1000) f FROM generate_series(1, 1000))'
links="SELECT CAST(substr(f, 1, at) || zeroblob(8) || substr(f, at + 9) AS BLOB) b
    FROM (SELECT bloom(value) f FROM generate_series(1, 3000)), (SELECT 56 at UNION
    SELECT length(bloom(1)) + 24)"
for what in 'bloom_may_contain(b, 1)' 'bloom_info(b)' 'bloom_add(b, 1)' \
    'bloom_merge(b)' '(SELECT count(*) FROM bloom_probes(b, 1))'; do
    for link in 'at < 99' 'at > 99'; do
        sql 'error: bloom: a filter that grows has lost its seal: corrupt, or saved without bloom_chain_seal' \
            "SELECT $what FROM ($links WHERE $link);"
    done
done
none='(28) bloom: a filter is not sealed, so damage in it cannot be found'
is 'a plain filter without a seal' "$none 0 $none 1 $none 1 724" "$(on :memory: ".log stdout
SELECT bloom_info(f) ->> 'sealed' FROM ($zeros);
SELECT bloom_info(bloom_add(f, 1)) ->> 'sealed' FROM ($zeros);
SELECT bloom_info(bloom_merge(f)) ->> 'sealed' FROM ($zeros);
SELECT sum(bloom_may_contain(f, value)) FROM generate_series(1, 1000), ($zeros);")"

# ---- In indexes and triggers, with an untrusted schema -----------------------

sql '1 2|1 3' "PRAGMA trusted_schema = off; CREATE TABLE f(name, f);
    CREATE INDEX i ON f(bloom_may_contain(f, 'x'));
    INSERT INTO f SELECT 'x', bloom('x', 10); INSERT INTO f VALUES ('y', NULL);
    SELECT count(*) FROM f WHERE bloom_may_contain(f, 'x') = 1;
    CREATE TABLE t(k); CREATE VIRTUAL TABLE seen USING bloom(100);
    CREATE TRIGGER a AFTER INSERT ON t BEGIN
        UPDATE f SET f = bloom_add(f, new.k) WHERE name = 'x';
        INSERT INTO seen VALUES (new.k); END;
    INSERT INTO t VALUES ('k'), (8);
    SELECT bloom_may_contain(f, 'k') + bloom_may_contain(f, 8), 1 FROM f
        WHERE name = 'x';
    SELECT count(*) + 1 FROM (SELECT 'k' k UNION SELECT 8 UNION SELECT 9) a
        JOIN seen ON seen.key = a.k;"

# ---- Virtual tables: USING bloom(n, p) --------------------------------------

table="CREATE VIRTUAL TABLE seen USING bloom(10000, 0.001);"
sql '1|1|0|0|1 1|x' "$table INSERT INTO seen VALUES ('x'), (7), (x'01'), ('x');
    SELECT (SELECT count(*) FROM seen('x')), (SELECT count(*) FROM seen(7)),
        (SELECT count(*) FROM seen('7')), (SELECT count(*) FROM seen(NULL)),
        (SELECT count(*) FROM seen WHERE key = x'01');
    SELECT present, key FROM seen('x');"
sql '9000 1' "$table INSERT INTO seen SELECT value FROM
    generate_series(1, 9000); SELECT count(*) FROM generate_series(1, 9000) g
    JOIN seen ON seen.key = g.value; SELECT count(*) BETWEEN 1 AND 40 FROM
    generate_series(1000001, 1020000) g, seen(g.value);"
sql '3 2 1 0 error: bloom: only the column key can be inserted: INSERT INTO seen(key) 0' "$table BEGIN; INSERT INTO seen VALUES ('a');
    SAVEPOINT s; INSERT INTO seen VALUES ('b');
    SAVEPOINT t; INSERT INTO seen VALUES ('c');
    SELECT count(*) FROM (VALUES ('a'), ('b'), ('c')) v JOIN seen
        ON key = v.column1; ROLLBACK TO t;
    SELECT count(*) FROM (VALUES ('a'), ('b'), ('c')) v JOIN seen
        ON key = v.column1; ROLLBACK TO s;
    SELECT count(*) FROM (VALUES ('a'), ('b'), ('c')) v JOIN seen
        ON key = v.column1; ROLLBACK;
    SELECT count(*) FROM (VALUES ('a'), ('b'), ('c')) v JOIN seen
        ON key = v.column1;
    INSERT INTO seen(key, asked) VALUES ('x', NULL), ('y', 5);
    SELECT count(*) FROM seen('x');"
cannot='error: bloom: a filter cannot'
list="$cannot list its keys; look one up: FROM seen(key)"
for what in 'SELECT * FROM seen' 'DELETE FROM seen' \
    'SELECT key, bloom_info FROM seen' 'SELECT count(*) FROM seen' 'SELECT key FROM seen
    WHERE key > 5' "SELECT * FROM seen WHERE key = 'X' COLLATE NOCASE"; do
    sql "$list" "$table $what;"
done
sql "$cannot delete or change a key; create it again from the remaining keys" "$table INSERT INTO seen VALUES (1);
    DELETE FROM seen WHERE key = 1;"
sql "$cannot delete or change a key; create it again from the remaining keys" "$table INSERT INTO seen VALUES (1);
    UPDATE seen SET key = 2 WHERE key = 1;"
sql '1,1,1,0,0,0' "$table INSERT INTO seen VALUES (5.0), (NULL), (2.5), (1e300);
    SELECT group_concat(c) FROM (SELECT (SELECT count(*) FROM seen(column1)) c
    FROM (VALUES (5), (2.5), (1e300), (NULL), (6.0), ('5')));"
sql '3|2|1' "$table CREATE TABLE t(k); CREATE TRIGGER a AFTER INSERT ON t BEGIN
    INSERT INTO seen VALUES (new.k); END;
    INSERT OR IGNORE INTO t VALUES (NULL), (2.5), (7);
    INSERT OR IGNORE INTO seen VALUES (NULL), (8);
    SELECT count(*), (SELECT count(*) FROM t JOIN seen ON key = k),
        (SELECT count(*) FROM seen(8)) FROM t;"

# SQLite distinguishes the rows of an OR by their keys. A text in a list is not
# converted.
sql 'x,7' "$table CREATE TABLE c(s TEXT, d INT); INSERT INTO c VALUES ('x', 7);
    INSERT INTO seen VALUES ('x'), (7);
    SELECT group_concat(key) FROM c JOIN seen ON key = s OR key = d;"
sql '1|1' "$table INSERT INTO seen VALUES ('5'); SELECT count(*), (SELECT count(*)
    FROM seen WHERE key IS '5') FROM seen WHERE asked IN ('5', '6');"
sql '4 7|7 1' "$table CREATE TABLE t(i INTEGER PRIMARY KEY, k);
    INSERT INTO t VALUES (4, 'k'); INSERT INTO seen SELECT k FROM t;
    SELECT last_insert_rowid(); CREATE TRIGGER a AFTER INSERT ON t BEGIN
    INSERT INTO seen VALUES (new.k); END; INSERT INTO t VALUES (7, 'l');
    SELECT last_insert_rowid(), max(i) FROM t; SELECT changes();"
# One row of t, one of seen, and at least one page
sql '1|1' "$table CREATE TABLE t(k); CREATE TABLE before AS SELECT 0 AS n;
    CREATE TRIGGER a AFTER INSERT ON t BEGIN INSERT INTO seen VALUES (new.k);
    END; UPDATE before SET n = total_changes(); INSERT INTO t VALUES (7);
    SELECT changes(), total_changes() - n - 1 >= 3 FROM before;"
for n in '' 'x' '10, 1.5' '10, 0.1, 3' '-1' '1e17' "'10k'" '10, 1 %' '10, x' 'inf'
do
    sql 'error: bloom: USING bloom(n, p): cannot make such a filter; n must be the number of keys, and p the false-positive rate, between 0 and 1' \
        "CREATE VIRTUAL TABLE seen USING bloom($n);"
done
sql '1 had,had_data 1 0' "$table INSERT INTO seen VALUES ('x');
    ALTER TABLE seen RENAME TO had; SELECT count(*) FROM had('x');
    SELECT group_concat(name) FROM sqlite_master;
    INSERT INTO had VALUES ('y'); SELECT count(*) FROM had('y');
    DROP TABLE had; SELECT count(*) FROM sqlite_master;"
sql '1|1' "ATTACH ':memory:' AS [o\"d 'd]; CREATE VIRTUAL TABLE
    [o\"d 'd].[a\"b c] USING bloom(10); INSERT INTO [a\"b c] VALUES (1);
    SELECT count(*), (SELECT count(*) FROM [o\"d 'd].[a\"b c_data]) > 1
    FROM [a\"b c](1);"
sql '1 100%s%s%n,100%s%s%n_data' "$table ALTER TABLE seen RENAME TO [100%s%s%n];
    INSERT INTO [100%s%s%n] VALUES ('y');
    SELECT count(*) FROM [100%s%s%n]('y');
    SELECT group_concat(name) FROM sqlite_master;"
sql '1 error: bloom: there is already another table or index with this name: had_data 1' \
    "$table INSERT INTO seen VALUES (1); CREATE TABLE had_data(x); BEGIN;
    ALTER TABLE seen RENAME TO got; SELECT count(*) FROM got(1); ROLLBACK;
    ALTER TABLE seen RENAME TO had;
SELECT count(*) FROM seen(1);"
sql 'error: bloom: table "seen_data" already exists' "CREATE TABLE seen_data(x);
    $table"

# ---- A guard in front of a join, as README.md describes it --------------------

awk '/^## / { on = /A guard in front/ } on && /^    / { print substr($0, 5) }
    on && /^\| .*`/' examples/sqlite/README.md >$work/guard
sed '/^SELECT event/,$d' $work/guard >$work/triggers
sed -n '/^SELECT event/,/;$/p' $work/guard | sed '/;$/q' >$work/join
sed '1,/^COMMIT/d' $work/guard | sed -n '/^BEGIN/,/^COMMIT/p' >$work/copy
guarded() {     # guarded KEY FILE: the file with KEY in place of the column user
    new=$(echo "$1" | sed s/user/new.user/)
    event=$(echo "$1" | sed s/user/event.user/)
    sed "s/(new\.user)/($new)/; s/SELECT user FROM/SELECT $1 FROM/
        s/guard\.key = event\.user/guard.key = $event/
        s/(:guard, event\.user)/(:guard, $event)/" $work/$2
}
plain='SELECT event.user, why FROM event JOIN blocked ON blocked.user = event.user;'
changes="INSERT INTO blocked VALUES ('c', 1), ('d', 2);
    INSERT OR REPLACE INTO blocked VALUES ('c', 3), ('e', 4);
    INSERT INTO blocked VALUES ('e', 5) ON CONFLICT(user) DO UPDATE SET user = 'f';
    UPDATE blocked SET user = user || 'z' WHERE user = 'a'; UPDATE blocked SET
        user = 'g' WHERE user = 'd'; DELETE FROM blocked WHERE user = 'b';
    INSERT INTO event VALUES ('az'), ('AZ'), ('C'), ('c'), ('d'), ('e'), ('f'), ('g');"
guard_db() {    # guard_db COLUMN-OF-BLOCKED KEY: a new database with a guard
    rm -f $work/guard.db
    on $work/guard.db "CREATE TABLE blocked(user $1 UNIQUE, why);
        CREATE TABLE event(user TEXT); INSERT INTO blocked VALUES ('a', 0),
        ('b', 0), ('h  ', 0), (1, 0); INSERT INTO event VALUES ('a'), ('b'),
        ('h'), ('B'), ('h   '), ('1'), ('01'), ('none');
$(guarded "$2" triggers)
$changes" >/dev/null
}
is 'the guard of README.md' '10 3 5' "$(wc -l <$work/triggers) $(wc -l \
    <$work/join) $(wc -l <$work/copy)"
guard_db TEXT user
is 'the guard comes before the table' 'event guard blocked' "$(on $work/guard.db "
    EXPLAIN QUERY PLAN $(cat $work/join)" | grep -oE '(SCAN|SEARCH) [a-z]+' |
    cut -d ' ' -f 2 | paste -sd ' ')"
try_guard() {   # try_guard ROWS COLUMN KEY: as many rows with the guard, by both
                # ways, as without
    guard_db "$2" "$3"
    wanted=$(on $work/guard.db "$plain" | tr ' ' '\n' | sort)
    is "$2: rows" "$1" "$(on $work/guard.db "SELECT count(*) FROM ($(echo \
        "$plain" | tr -d ';'));")"
    for way in join copy; do
        is "$2: $3, $way" "$wanted" "$(on $work/guard.db "$(guarded "$3" $way)" |
            tr ' ' '\n' | sort)"
    done
}
try_guard 5 TEXT user
grep '^|' $work/guard | cut -d '`' -f 2 >$work/keys
is 'keys for collations and affinities' 3 "$(wc -l <$work/keys)"
for column in '7 TEXT COLLATE NOCASE' '7 TEXT COLLATE RTRIM' '6 NUMERIC'; do
    read -r key
    try_guard ${column%% *} "${column#* }" "$key"
done <$work/keys
guard_db TEXT user
is 'without the extension' 'no such module: bloom no such module: bloom 5' \
    "$(for what in "INSERT INTO blocked VALUES ('i', 0)" "UPDATE blocked SET why = 9" \
    "DELETE FROM blocked WHERE user = 'c'; SELECT count(*) FROM blocked WHERE why < 9"; do
    sqlite3 -batch $work/guard.db "$what" 2>&1 | grep -o 'no such.*\|^[0-9]$'
    done | paste -sd ' ')"

# ---- Tables as a whole: bloom_info, bloom_image, and too many keys ------------

some="CREATE VIRTUAL TABLE seen USING bloom(1000, 0.002);"
fill='INSERT INTO seen SELECT value FROM generate_series'
sql 'blocked|8|0|0.002|0|1|1000|1' "$some SELECT i ->> 'layout', i ->> 'k',
    i ->> 'keys', i ->> 'p', i ->> 'overfilled', i ->> 'n' BETWEEN 1000 AND 1100,
    (SELECT bloom_info(bloom_image) ->> 'keys' / 100 * 100 + 1000 FROM seen),
    bloom_info(NULL) IS NULL FROM (SELECT bloom_info('seen') i);"
sql '1|1|1 1' "ATTACH ':memory:' AS a; CREATE VIRTUAL TABLE a.had USING
    bloom(10); $some $fill(1, 1000); SELECT bloom_info('a', 'had') =
    bloom_info('had'), bloom_info('main', 'seen') = bloom_info('SEEN'),
    bloom_info(NULL, 'seen') IS NULL; SELECT bloom_info('seen') ->> 'keys' BETWEEN
    980 AND 1020;"
sql '1000|0|1' "$some $fill(1, 1000); CREATE TABLE f AS SELECT bloom_image f FROM
    seen; SELECT sum(value <= 1000 AND m), sum(m <> (SELECT count(*) FROM
    seen(value))), sum(m) > 1000 FROM (SELECT value, bloom_may_contain(f, value)
    m FROM generate_series(1, 20000), f);"
sql "              length 100000 error: string or blob too big$(code 18)" "CREATE
    VIRTUAL TABLE seen USING bloom(1e5);
.limit length 100000
SELECT length(bloom_image) FROM seen;"
sql 'error: bloom: bloom_info would call itself' "CREATE VIEW v AS SELECT
    bloom_info('v') bloom_info; SELECT bloom_info('v');"
sql '3 0' "$some CREATE TABLE f(f, i AS (bloom_info(f)));
    INSERT INTO f SELECT bloom(value, 9) FROM generate_series(1, 3) GROUP BY value;
    SELECT count(*) FROM f; SELECT count(*) FROM f WHERE i ->> 'keys' <> 1;"
sql '1' "$some $fill(1, 1250); SELECT bloom_info('seen') ->> 'overfilled';"
told() {        # told N-AND-P KEYS: how often the log is told of too many keys
    on :memory: ".log stdout
CREATE VIRTUAL TABLE seen USING bloom($1); $fill(1, $2); SELECT bloom_info('seen');
$fill(-$2, 0);" | grep -o 'more keys than it was made for' | wc -l
}
is 'the log is told of too many keys, once' '0 1 1 1 0 0 0 1' "$(while read -r n p keys
    do told "$n, $p" $keys; done <<'END' | paste -sd ' '
1000 0.002 500
1000 0.002 900
1000 0.002 3000
1000 0.002 10000
4e4 0.01 20000
1e4 1e-9 5000
6e4 0.4 30000
4e4 0.01 36000
END
)"

# ---- Corrupted data: an error for lookups and inserts, but DROP works -------

damaged='bloom: corrupted data in page'
while IFS='	' read -r damage page; do
    rm -f $work/damaged.db
    on $work/damaged.db "$table INSERT INTO seen VALUES (1); $damage;" >/dev/null
    for what in 'SELECT count(*) FROM seen(1)' 'INSERT INTO seen VALUES (1)'; do
        is "$damage: $what" "$damaged $page" \
            "$(on $work/damaged.db "$what;" | grep -o "$damaged [0-9]*")"
    done
    is "$damage: DROP" 0 "$(on $work/damaged.db 'DROP TABLE seen;
        SELECT count(*) FROM sqlite_master;')"
done <<'END'
UPDATE seen_data SET bytes = 5	0
DELETE FROM seen_data	0
UPDATE seen_data SET bytes = zeroblob(7)	0
UPDATE seen_data SET bytes = zeroblob(40) WHERE page = 0	0
UPDATE seen_data SET bytes = CAST(substr(bytes, 1, 9) || x'ff' || substr(bytes, 11) AS BLOB) WHERE page = 0	0
UPDATE seen_data SET bytes = zeroblob(32) WHERE page = 0	0
UPDATE seen_data SET bytes = CAST('bad' AS BLOB) WHERE page > 0	20
UPDATE seen_data SET bytes = zeroblob(1000) WHERE page > 0	20
UPDATE seen_data SET bytes = (SELECT bytes FROM seen_data WHERE page = 1) WHERE page = 20	20
DELETE FROM seen_data WHERE page = 20	20
UPDATE seen_data SET bytes = CAST(substr(bytes, 1, 992) AS BLOB) WHERE page = 20	20
END
for damage in 'DROP TABLE seen_data' 'DROP TABLE seen_data; CREATE TABLE
    seen_data(x)' 'DROP TABLE seen_data; CREATE TABLE seen_data(page, bytes)' \
    'DROP TABLE seen_data; CREATE VIEW seen_data AS SELECT 0 page, 0 bytes'; do
    rm -f $work/damaged.db
    on $work/damaged.db "$table $damage;" >/dev/null
    is "$damage" 'error: bloom: 0' "$(on $work/damaged.db '
        SELECT count(*) FROM seen(1);
        DROP TABLE seen; SELECT count(*) FROM sqlite_master;' | sed 's/bloom: .* /bloom: /')"
done

# If any byte of the header or of a page is corrupted, a lookup reports an error,
# never "not in".
awk 'BEGIN { for (page = 0; page < 2; page++)
    for (i = 1; i <= (page ? 1000 : 40); i++)
        printf "SAVEPOINT s; UPDATE seen_data SET bytes = CAST(substr(bytes, 1," \
            "%d) || iif(substr(bytes, %d, 1) = x\x2701\x27, x\x2702\x27," \
            "x\x2701\x27) || substr(bytes, %d) AS BLOB) WHERE page = %d;\n" \
            "PRAGMA writable_schema = reset; SELECT count(*) FROM seen(7);\n" \
            "ROLLBACK TO s; RELEASE s;\n", i - 1, i, i + 1, page }' >$work/bent
on :memory: "CREATE VIRTUAL TABLE seen USING bloom(90); INSERT INTO seen VALUES
(7);
.read $work/bent
PRAGMA writable_schema = reset;
SELECT 'in', count(*) FROM seen(7);" >$work/out
is 'corrupted bytes' "40 1000 in|1" "$(grep -o 'in page 0' $work/out | wc -l) $(grep \
    -o 'in page 1' $work/out | wc -l) $(grep -o 'in|.' $work/out)"

# ---- Another plan: the right answer or an error, never "not in" -------------

# Connection A has looked up keys in s when its data are replaced by those of t,
# which has the same keys and another plan: by another connection, by a copy of
# another file, in a transaction that is rolled back. Then A looks up and inserts.
ab() {          # ab SQL: a new database a.db with s and t, both of 1000 keys
    rm -f $work/a.db
    on $work/a.db "$1 INSERT INTO s SELECT value FROM generate_series(1, 1000);
        INSERT INTO t SELECT value FROM generate_series(1, 1000);" >/dev/null
}
count='SELECT count(*) FROM generate_series(1, 1000) JOIN s ON key = value;'
more='SELECT count(*) FROM generate_series(5001, 5300) JOIN s ON key = value;'
insert='INSERT INTO s SELECT value FROM generate_series(5001, 5300);'
small='CREATE VIRTUAL TABLE s USING bloom(1000, 0.01);'
large='CREATE VIRTUAL TABLE t USING bloom(1000, 0.001);'
swap='DELETE FROM s_data; INSERT INTO s_data SELECT * FROM t_data;'
for plans in "$small $large" "CREATE VIRTUAL TABLE s USING bloom(2e4, 1e-9);
    CREATE VIRTUAL TABLE t USING bloom(3000);"; do
    for way in "$swap" 'REPLACE INTO s_data SELECT * FROM t_data;'; do
        ab "$plans"
        echo "BEGIN; $way COMMIT;" >$work/swap
        is "another connection: $way" '1000 1000 300' "$(on $work/a.db "$count
.shell sqlite3 $work/a.db <$work/swap
$count $insert $more")"
        is 'a new connection' '1000 300' "$(on $work/a.db "$count $more")"
        ab "$plans"
        is "rolled back: $way" '1000 1000 1000 300' "$(on $work/a.db "$count
            BEGIN; SAVEPOINT s; $way $count ROLLBACK TO s; $count $insert COMMIT;
            $more")"
    done
done
ab "$small $large"
rm -f $work/b.db
on $work/b.db "CREATE VIRTUAL TABLE s USING bloom(9000, 0.001); $large
    INSERT INTO s VALUES (0); INSERT INTO s VALUES (-1);
    INSERT INTO s SELECT value FROM generate_series(1, 1000);" >/dev/null
is 'another file in place of this one' '1000 1000 300' "$(on $work/a.db "$count
.shell cp $work/b.db $work/a.db
$count $insert $more")"

# Pages of two plans in one table are an error.
while IFS='	' read -r page change; do
    ab "$small $large"
    is "$change" "$damaged $page $damaged $page" "$(on $work/a.db "$count $change;
$count
$insert" | grep -o "$damaged [0-9]*" | paste -sd ' ')"
done <<'END'
1	UPDATE s_data SET bytes = (SELECT bytes FROM t_data t WHERE t.page = s_data.page) WHERE page = 1
2	UPDATE s_data SET bytes = (SELECT bytes FROM t_data WHERE page = 0) WHERE page = 0
END

# Tables made by 2.1.0, which made these two seals without regard to the plan,
# are read and written. Then a new table takes the place of the old one.
is 'a table made by 2.1.0' "1 0 1 1 0 3 error: $damaged 1" "$(on :memory: "
    CREATE VIRTUAL TABLE s USING bloom(5); INSERT INTO s VALUES ('x');
    UPDATE s_data SET bytes = CAST(substr(bytes, 1, length(bytes) - 8) ||
        iif(page, x'71524fca1fc953ea', x'dd929a6e9e8d1df2') AS BLOB);
    SELECT count(*) FROM s('x'); SELECT count(*) FROM s('y');
    INSERT INTO s VALUES ('y'); SELECT count(*) FROM s('y');
    SELECT count(*) FROM s('x'); SAVEPOINT s;
    $large REPLACE INTO s_data SELECT * FROM t_data; SELECT count(*) FROM s('x');
    ROLLBACK TO s; SELECT 3 * count(*) FROM s('y');
    UPDATE s_data SET bytes = zeroblob(1000) WHERE page = 1;
SELECT count(*) FROM s('x');" | sed 's/ of "main".*//')"

# Triggers and views on the data that use the table itself are refused.
for trap in "CREATE TRIGGER a BEFORE INSERT ON seen_data BEGIN
    INSERT INTO seen VALUES (9); END" "CREATE TRIGGER a AFTER INSERT ON seen_data
    BEGIN SELECT count(*) FROM seen(9); END" "DROP TABLE seen_data;
    CREATE VIEW seen_data AS SELECT key AS page, 5 AS bytes FROM seen"; do
    is "$trap" 'error' "$(on :memory: "$table $trap; INSERT INTO seen VALUES (1);" |
        sed 's/error:.*/error/')"
done

# ---- Whole databases: VACUUM, .dump, read-only, ATTACH, full -----------------

db=$work/whole.db
on $db "PRAGMA page_size = 1024; $table INSERT INTO seen VALUES ('x'), (7);
    CREATE TABLE t(k UNIQUE) STRICT;" >/dev/null 2>&1
on $db "CREATE TABLE t(k TEXT UNIQUE) STRICT; INSERT INTO t VALUES ('x');" \
    >/dev/null
count='SELECT count(*) FROM (VALUES (1)) t JOIN seen ON key IN (7, '"'x', 8)"
is 'VACUUM' 2 "$(on $db "VACUUM; $count;")"
on $db "VACUUM INTO '$work/into.db';"
is 'VACUUM INTO' 2 "$(on $work/into.db "$count;")"
sqlite3 $db .dump >$work/dump
is '.dump and .read' '2 3' "$(on :memory: ".read $work/dump
PRAGMA writable_schema = reset; $count; INSERT INTO seen VALUES (8); $count;")"
is 'in a STRICT table' 1 "$(on $db 'SELECT count(*) FROM t JOIN seen ON key = k;')"
is 'read only' "error: attempt to write a readonly database$(code 8) 2" \
    "$(on "file:$db?mode=ro" "$count; INSERT INTO seen VALUES (9);")"
is 'ATTACH, DETACH' 'error: no such table: a.seen 2' "$(on :memory: \
    "ATTACH '$db' AS a; $count; DETACH a; SELECT count(*) FROM a.seen(1);" |
    sed 's/a.seen .* /a.seen /')"
is 'database full' "20 error: bloom: database or disk is full$(code 13) 2000 1 2" \
    "$(on :memory: "CREATE TABLE t(k); BEGIN; PRAGMA max_page_count = 20;
    CREATE VIRTUAL TABLE seen USING bloom(1e6);
PRAGMA max_page_count = 2000; SELECT count(*) FROM sqlite_master; $table
    SELECT count(*) - 1 FROM sqlite_master;")"

# Other connections see committed keys, and no others
for encoding in UTF-8 UTF-16; do
    db=$work/$encoding.db
    on $db "PRAGMA encoding = '$encoding'; PRAGMA journal_mode = wal; $table
        CREATE TABLE f AS SELECT bloom('Grün', 10) f;" >/dev/null
    { printf '.load %s/bloom\n' $work
      printf "SELECT count(*) FROM seen('Grün');\nBEGIN;\n"
      printf "INSERT INTO seen VALUES ('Grün');\n"
      printf ".shell printf '.load $work/bloom\\\\nSELECT count(*) FROM "
      printf 'seen(\\"Grün\\");'"'"' | sqlite3 %s\n' $db
      printf "COMMIT;\n"; } >$work/script
    on $db "SELECT count(*) FROM seen('Grün');" >$work/out
    on $db "INSERT INTO seen VALUES ('Grün');" >>$work/out
    on $db "SELECT count(*) FROM seen('Grün');" >>$work/out
    on $db "SELECT bloom_may_contain(f, 'Grün') FROM f;" >>$work/out
    on $db "SELECT bloom_may_contain(f, x'4772c3bc6e') FROM f;" >>$work/out
    is "$encoding" '0 1 1 1' "$(grep . $work/out | paste -sd ' ')"
done

# ---- Files exchanged with the command ---------------------------------------

exchange() {
    ${MAKE:-make -s} build/bloom || exit 1
    awk 'BEGIN { for (i = 0; i < 3000; i++) print "key " i * i }' >$work/keys
    awk 'BEGIN { for (i = 0; i < 9000; i++) print "key " i * 7 }' >$work/asked
    build/bloom build -n 3000 -p 0.01 $work/theirs $work/keys
    on :memory: "CREATE TABLE k(k); CREATE TABLE a(k);
.mode ascii
.separator \"|\" \"\\n\"
.import $work/keys k
.import $work/asked a
.mode list
SELECT writefile('$work/ours', bloom(k, 3000, 0.01)) FROM k;
.once $work/out
SELECT k FROM a WHERE bloom_may_contain(readfile('$work/theirs'), k);" >/dev/null
    build/bloom check $work/ours $work/asked >$work/wanted
    is 'the same file as the command makes' "$(sha256sum <$work/theirs)" \
        "$(sha256sum <$work/ours)"
    is 'file of the command here' '' "$(cmp $work/wanted $work/out 2>&1)"
    is 'with false positives' yes "$([ $(wc -l <$work/out) -gt 3 ] && echo yes)"
    build/bloom info $work/ours >$work/out
    is 'the command finds the seal' 1 "$(grep -c '^seal.*intact\|^seal.*ok' $work/out)"
}
if [ -d examples/command ]; then
    exchange
else
    echo 'skipped: files exchanged with the command, as examples/command is absent'
fi

# ---- Linked with SQLite: random queries, and lack of memory ------------------

linked() {      # linked PROGRAM NUMBER
    gcc -std=c99 -g -O1 -I. -fsanitize=address,undefined \
        -fno-sanitize-recover=all examples/sqlite/tests/$1.c -lsqlite3 \
        -o $work/$1 || exit 1
    $work/$1 $2 >$work/out 2>&1
    is $1 0 $?
    sed "s/^/sqlite $1: /" $work/out
}
linked queries $([ -n "$ALL" ] && echo 100000 || echo 3000)
linked memory $([ -n "$ALL" ] && echo 1 || echo 13)

# ---- The demonstration, with a tenth of the rows -----------------------------

demo() {
    ${MAKE:-make -s} sqlite DESTDIR=$PWD/$work/stage PREFIX=/opt install \
        >$work/out 2>&1
    is 'make install' 0 "$?$(grep -v '^ *\(install\|sed\|cp\|chmod\|\[\)' $work/out)"
    mkdir -p $work/demo/build
    cp $work/stage/opt/lib/sqlite3/bloom.sqlite.so $work/demo/build
    ${MAKE:-make -s} DESTDIR=$PWD/$work/stage PREFIX=/opt uninstall >$work/out 2>&1
    is 'make uninstall' '0' "$?$(find $work/stage -name '*sqlite*')"
    sed -e 's/0, 999999)/0, 99999)/; s/9999999/999999/; s/% 10000,/% 1000,/' \
        -e 's/+ 1000000/+ 100000/' examples/sqlite/sqlite.sql |
        (cd $work/demo && sqlite3 demo.db) >$work/out 2>&1
    awk '/^with/ { what = $0; next }
        /^[0-9]+$/ { count = $0 }
        /cache misses/ { pages = $NF }
        /^Run Time/ && what { print what ": " count " events, " pages \
            " pages, " $4 " s"; what = "" }' $work/out >$work/demo/told
    sed 's/^/sqlite demo: /' $work/demo/told
    is 'demo: the plans' 'event blocked event guard blocked event blocked' \
        "$(grep -oE '(SCAN|SEARCH) [a-z]+' $work/out | cut -d ' ' -f 2 |
            paste -sd ' ')"
    is 'demo: the same events' '1001 1001 1001' \
        "$(sed 's/.*: \([0-9]*\) events.*/\1/' $work/demo/told | paste -sd ' ')"
    set -- $(sed 's/.* \([0-9]*\) pages.*/\1/' $work/demo/told)
    is "demo: less than a tenth of the pages" yes \
        "$([ $(($2 * 10)) -lt "$1" ] && [ $(($3 * 10)) -lt "$1" ] && echo yes)"
}
demo

# ---- The first session of README.md, and guard.c -----------------------------

sed -n 's/^    sqlite> //p' examples/sqlite/README.md |
    (cd $work/demo && sqlite3) >$work/out 2>&1
awk '/^    sqlite> / { on = 1; next } on && /^    / { print substr($0, 5); next }
    { on = 0 }' examples/sqlite/README.md >$work/wanted
same 'the first session of README.md' $work/out $work/wanted
sh tests/prints.sh examples/sqlite/guard.c:-lsqlite3 >$work/out
sum guard $work/out
counted
