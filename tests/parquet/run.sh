# Called by `make interop`: examples/parquet.c against the .parquet files that
# DuckDB and hyparquet-writer write (npm, into build/npm) and against
# tests/parquet/duckdb.parquet, written by DuckDB 1.5.6 and small: columns word (a0 to
# a9) and id (0 to 9), ten times each. What is missing is named and fails.
CC=${CC:-cc}
work=build/npm
mkdir -p $work
status=0
need() {
    eval "$1" >/dev/null 2>&1 && return
    echo "parquet needs $2: apt-get install $3"
    status=1
}
need 'echo "#include <xxhash.h>" | $CC -E -' xxhash.h libxxhash-dev
need 'command -v node' node nodejs
need 'command -v npm' npm npm
[ $status -eq 0 ] || exit 1

passed=0
failed=0
is() {                          # is WHAT TEST...
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "parquet: $what: failed"
    fi
}
# refuses WHY WORDS...: exit 2 and that reason, alone
refuses() {
    why=$1
    shift
    build/parquet "$@" </dev/null >$work/out 2>$work/error
    [ $? -eq 2 ] && [ "$(cat $work/error)" = "bloom: $why" ]
}
# near X Y SHARE: X is Y, give or take this share of Y
near() {
    awk "BEGIN { exit !($1 > $2 * (1 - $3) && $1 < $2 * (1 + $3)) }"
}

sh tests/examples.sh parquet:-lxxhash || exit 1
npm install --prefix $work --no-save --no-audit --no-fund \
    @duckdb/node-api@1.5.6-r.1 hyparquet-writer@0.17.0 >$work/log 2>&1 &&
    cp tests/parquet/write.mjs $work && (cd $work && node write.mjs write) ||
    { cat $work/log; exit 1; }

# ours FILTER: the same values make the same bits
ours() {
    build/parquet build "$3" "$5" <"$work/$2.$4" |
        cmp - "$work/$1.$2.$4.bits"
}
# finds LIBRARY COLUMN: the values of both row groups, and no others but about
# as many as the bits tell
finds() {
    cat "$work/$2.0" "$work/$2.1" >$work/in
    build/parquet check "$work/$1.parquet" "$2" <$work/in | cmp - $work/in
}
# rate LIBRARY COLUMN: of 200000 absent values as many as the bits of the two
# row groups tell; which is about what was asked, 1% in each
rate() {
    case $2 in
    id | number) form=1%06d ;;      # no multiple of 1000003, and too large
    *) form='absent %d' ;;
    esac
    awk -v form="$form\n" \
        'BEGIN { for (i = 1; i <= 200000; i++) printf form, i }' >$work/absent
    got=$(build/parquet check "$work/$1.parquet" "$2" <$work/absent | wc -l)
    says=$(build/parquet info "$work/$1.parquet" |
        awk -v "c=$2:" '$4 == c { out = (n++ ? out : 1) * (1 - $NF) }
                        END { print 200000 * (1 - out) }')
    echo "$1 $2: $got of 200000 absent values may be in; expected $says"
    near "$got" "$says" 0.1 && near "$got" 4000 0.5
}
while read -r library column type group bytes; do
    is "$library $column $group: our bits" \
        ours "$library" "$column" "$type" "$group" "$bytes"
    [ "$group" = 0 ] || continue
    is "$library $column: values found" finds "$library" "$column"
    is "$library $column: rate" rate "$library" "$column"
done <$work/filters
is "14 filters" [ "$(wc -l <$work/filters)" -eq 14 ]

small=tests/parquet/duckdb.parquet
printf 'a0\na9\n' >$work/in
printf 'b0\na0\na10\n\na9' | build/parquet check $small word >$work/out
is "$small: word" cmp $work/in $work/out
printf '0\n9\n' >$work/in
printf '%s\n' -1 0 9 10 9223372036854775807 |
    build/parquet check $small id >$work/out
is "$small: id" cmp $work/in $work/out
is 'no column' refuses "$small: no such column" check $small none
is 'no file' refuses "none: No such file or directory" info none
is 'no Parquet' refuses "bloom.h: not a Parquet file, or cut short" info bloom.h
is 'a size' refuses "33: is not a multiple of 32 below 2^31" build INT64 33
is 'a type' refuses "TEXT: is not a type of Parquet's" build TEXT 32
for bad in x '' 1x 9223372036854775808; do
    echo "$bad" | build/parquet check $small id >$work/out 2>$work/error
    is "value '$bad'" [ $? -eq 2 ]
done

$CC -std=c99 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all \
    -I. examples/parquet.c -o build/parquet-sanitized -lxxhash || exit 1
for words in "info $small" "check $small id"; do
    is 'no leaks' sh -c \
        "echo 1 | build/parquet-sanitized $words >$work/out 2>&1"
done
cp $small $work/small.parquet
ASAN_OPTIONS=detect_leaks=0         # twice as fast; of 2000 ways to go wrong
export ASAN_OPTIONS
is 'cut and bent' node tests/parquet/write.mjs bend build/parquet-sanitized \
    $work/small.parquet id
echo "parquet: $passed passed, $failed failed"
[ $failed -eq 0 ]
