# `make check-sqlite` runs this script. It tests sqlite.c in the sqlite3 of this
# machine, with ASan and UBSan: the results of each function, the guard of README.md,
# corrupted data, lack of memory, and files exchanged with the command in both
# directions. Then it runs sqlite.sql with a tenth of the rows. ALL=1: each allocation
# fails, not each 13th. Ends with "N passed, N failed".
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers.sh
each_must_end
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
sql 'classic|0|9600|7|64|0|1232|4' "$keys SELECT i ->> 'layout',
    i ->> 'links', i ->> 'm', i ->> 'k', i ->> 'hash_bits', i ->> 'seed',
    i ->> 'bytes', i ->> 'keys'
    FROM (SELECT bloom_info(bloom(k, 1000)) i FROM t WHERE k <> '');"
sql '3|5000|1' "SELECT i ->> 'links', (i ->> 'keys' + 50) / 100 * 100,
    i ->> 'rate' < 0.01 FROM (SELECT bloom_info(bloom(value)) i
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
sql '0|1|1|0' "SELECT bloom_may_contain(f, 5),
    bloom_may_contain(bloom_add(f, 5), 5), bloom_info(f) ->> 'links',
    bloom_info(f) ->> 'keys' FROM (SELECT bloom(k, 9, 0.5) f $none);"
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
for encoding in UTF-8 UTF-16; do
    sql '1|1' "PRAGMA encoding = '$encoding'; SELECT bloom_may_contain(f, 'Grün'),
        bloom_may_contain(f, x'4772c3bc6e') FROM (SELECT bloom('Grün', 10) f);"
done
# Each part gets about as many keys; equal numbers go to the same part.
sql '10|0|9|1' "SELECT count(*), min(part), max(part), min(n) > 900 AND max(n) < 1100
    FROM (SELECT bloom_part(value, 10) part, count(*) n FROM
    generate_series(1, 10000) GROUP BY 1);"
sql '1|1|1' "SELECT bloom_part(5, 99) = bloom_part(5.0, 99), bloom_part('x', 1) = 0,
    bloom_part(NULL, 9) IS NULL;"

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
foreign	bloom_info('seen')
bloom_part(key, parts): parts must be a number from 1 on	bloom_part(1, 0)
bloom_part(key, parts): parts must be a number from 1 on	bloom_part(1, 'x')
a filter cannot remove a key; let the window frame begin at UNBOUNDED PRECEDING	sum(length(f)) FROM (SELECT bloom(k, 9) OVER (ROWS 0 PRECEDING) f FROM (SELECT 1 k UNION SELECT 2))
END
sql "error: string or blob too big$(code 18)" "SELECT bloom('a', 1e17);"

# ---- Damage -------------------------------------------------------------------
# Every function verifies the seal of every filter: below and above 4096 bytes, and
# of each link of a chain. Only bloom_seal accepts a filter without one.

unsealed='a filter without a seal: it was in use when it was copied, saved without sealing it, or damaged; if you trust it, bloom_seal seals it'
damaged() {     # damaged FILTER AT BYTES: f, and b with other BYTES after AT
    echo "(SELECT f, CAST(substr(f, 1, $2) || $3 || substr(f, $2 + length($3) + 1)
        AS BLOB) b FROM (SELECT $1 f FROM generate_series(1, 3000)))"
}
while read -r at filter; do
    for what in 'bloom_may_contain(b, 1)' 'bloom_info(b)' 'bloom_add(b, 1)' \
        'bloom_merge(b)'; do
        sql "error: bloom: $corrupt" \
            "SELECT $what FROM $(damaged "$filter" $((at + 80)) "x'fefe'");"
        sql "error: bloom: $unsealed" \
            "SELECT $what FROM $(damaged "$filter" $at 'zeroblob(8)');"
    done
    sql "error: bloom: $corrupt" \
        "SELECT bloom_seal(b) FROM $(damaged "$filter" $((at + 80)) "x'fefe'");"
    sql '1|1' "SELECT bloom_seal(b) = f, bloom_seal(f) = f
        FROM $(damaged "$filter" $at 'zeroblob(8)');"
done <<'END'
24 bloom(value, 3000)
24 bloom(value, 9000)
56 bloom(value)
1480 bloom(value)
END
sql '1' 'SELECT bloom_seal(NULL) IS NULL;'

# Whichever byte is damaged, a key that is in is never "certainly not in".
for filter in 'bloom(value, 99)' 'bloom(value)'; do
    awk -v filter="$filter" -v q="'" 'BEGIN { for (i = 0; i < 80; i++)
        printf "SELECT bloom_may_contain(CAST(substr(f, 1, %d) || iif(substr(f, %d," \
            " 1) = x%s00%s, x%s01%s, x%s00%s) || substr(f, %d) AS BLOB), 7)" \
            " FROM (SELECT %s f FROM generate_series(1, 9));\n", i, i + 1,
            q, q, q, q, q, q, i + 2, filter }' >$work/bent
    is "$filter: each byte" 80 "$(on :memory: ".read $work/bent" |
        grep -o 'error: bloom: ' | wc -l)"
done

# A parameter is verified once, and then used for all rows.
is 'a large parameter' '3000|1' "$(on :memory: "
.parameter set :f \"(SELECT bloom(value, 9000) FROM generate_series(1, 3000))\"
SELECT sum(bloom_may_contain(:f, value)), sum(bloom_may_contain(:f, -value)) < 30
    FROM generate_series(1, 3000);")"

# ---- From version 2.4, as README.md describes it --------------------------------

# The bloom_image of a virtual table that the extension of 2.4.0 made
image="x'424C4D0201400800000100000000000000000000000000002C9F4E60BA578D65\
0001420143000020848000100490040004980000042220000101200000084102'"
sql '1|1|1|1|0' "SELECT bloom_may_contain(i, 'ann'), bloom_may_contain(i, 'bob'),
    bloom_may_contain(i, 42.0), bloom_may_contain(i, 2.5), bloom_may_contain(i, 'eve')
    FROM (SELECT $image i);"
rm -f $work/old.db
on $work/old.db "CREATE TABLE blocked(user TEXT); CREATE TABLE guard_data(page);
    CREATE TRIGGER guard_insert AFTER INSERT ON blocked BEGIN
        INSERT INTO guard VALUES (new.user); END;
    CREATE TRIGGER guard_update AFTER UPDATE ON blocked BEGIN
        INSERT INTO guard VALUES (new.user); END;
    PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('table', 'guard',
        'guard', 0, 'CREATE VIRTUAL TABLE guard USING bloom(9)');" >/dev/null
is 'a table of 2.4 without its extension' 'error: no such module: bloom blocked ok 7' \
    "$(on $work/old.db "DROP TABLE guard;
$(sed -n 's/^    //; /^DROP TRIGGER/,/^DROP TABLE/p' examples/sqlite/README.md)
SELECT group_concat(name) FROM sqlite_schema; PRAGMA integrity_check;
INSERT INTO blocked VALUES (7); SELECT user FROM blocked;")"

# ---- In indexes and triggers, with an untrusted schema -----------------------

sql '1 2|1' "PRAGMA trusted_schema = off; CREATE TABLE f(name, f);
    CREATE INDEX i ON f(bloom_may_contain(f, 'x'));
    INSERT INTO f SELECT 'x', bloom('x', 10); INSERT INTO f VALUES ('y', NULL);
    SELECT count(*) FROM f WHERE bloom_may_contain(f, 'x') = 1;
    CREATE TABLE t(k);
    CREATE TRIGGER a AFTER INSERT ON t BEGIN
        UPDATE f SET f = bloom_add(f, new.k) WHERE name = 'x'; END;
    INSERT INTO t VALUES ('k'), (8);
    SELECT bloom_may_contain(f, 'k') + bloom_may_contain(f, 8), 1 FROM f
        WHERE name = 'x';"

# ---- A guard in front of a join, as README.md describes it --------------------

awk '/^## / { on = /A guard in front/ } on && /^    / { print substr($0, 5) }
    on && /^\| .*`/' examples/sqlite/README.md >$work/guard
sed '/^SELECT event/,$d' $work/guard >$work/triggers
sed -n '/^SELECT event/,/;$/p' $work/guard | sed '/;$/q' >$work/join
sed '1,/^COMMIT/d' $work/guard | sed -n '/^BEGIN/,/^COMMIT/p' >$work/copy
guarded() {     # guarded KEY FILE: the file with KEY in place of the column user
    new=$(echo "$1" | sed s/user/new.user/)
    event=$(echo "$1" | sed s/user/event.user/)
    sed "s/(new\.user,/($new,/g; s/, new\.user)/, $new)/; s/(user,/($1,/g
        s/(event\.user,/($event,/; s/, event\.user)/, $event)/" $work/$2
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
is 'the guard of README.md' '10 4 5' "$(wc -l <$work/triggers) $(wc -l \
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
is 'without the extension' 'no such function: bloom_part no such function: bloom_part 5' \
    "$(for what in "INSERT INTO blocked VALUES ('i', 0)" "UPDATE blocked SET why = 9" \
    "DELETE FROM blocked WHERE user = 'c'; SELECT count(*) FROM blocked WHERE why < 9"; do
    sqlite3 -batch $work/guard.db "$what" 2>&1 | grep -o 'no such.*\|^[0-9]$'
    done | paste -sd ' ')"

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

    # A FILE in use has no seal. bloom_seal accepts it, and so does everything
    # once the run has ended.
    rm -f $work/grown $work/fifo && mkfifo $work/fifo || exit 1
    : >$work/out                        # before the loop looks at it
    build/bloom uniq -f $work/grown <$work/fifo >$work/out &
    exec 3>$work/fifo
    echo pear >&3
    until [ -s $work/out ]; do kill -0 $! || break; done
    asked="SELECT bloom_may_contain(readfile('$work/grown'), 'pear');"
    is 'a FILE in use' "error: bloom: $unsealed 1" "$(on :memory: "$asked
        SELECT bloom_may_contain(bloom_seal(readfile('$work/grown')), 'pear');")"
    exec 3>&-
    wait $!
    is 'a FILE after use' 1 "$(on :memory: "$asked")"
}
if [ -d examples/command ]; then
    exchange
else
    echo 'skipped: files exchanged with the command, as examples/command is absent'
fi

# ---- Linked with SQLite: lack of memory ------------------

linked() {      # linked PROGRAM NUMBER
    gcc -std=c99 -g -O1 -I. -fsanitize=address,undefined \
        -fno-sanitize-recover=all examples/sqlite/tests/$1.c -lsqlite3 \
        -o $work/$1 || exit 1
    $work/$1 $2 >$work/out 2>&1
    is $1 0 $?
    sed "s/^/sqlite $1: /" $work/out
}
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
        -e 's/+ 1000000/+ 100000/; s/user, 4000)/user, 400)/' examples/sqlite/sqlite.sql |
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

# ---- The first session of README.md -----------------------------

sed -n 's/^    sqlite> //p' examples/sqlite/README.md |
    (cd $work/demo && sqlite3) >$work/out 2>&1
awk '/^    sqlite> / { on = 1; next } on && /^    / { print substr($0, 5); next }
    { on = 0 }' examples/sqlite/README.md >$work/wanted
same 'the first session of README.md' $work/out $work/wanted
counted
