# Run by run.sh: tests examples/formats/parquet.c with Parquet files that
# DuckDB and hyparquet-writer write (from npm, into build/npm), and with
# duckdb.parquet. That is a small file of DuckDB 1.5.6 with the columns word (a0
# to a9) and id (0 to 9), each value ten times. ALL=1: damage everywhere.
CC=${CC:-cc}
work=build/npm
mkdir -p $work
. tests/helpers.sh
each_must_end

# refuses WHY WORDS...: the example exits with 2 and prints only that reason
refuses() {
    why=$1
    shift
    build/parquet "$@" </dev/null >$work/out 2>$work/error
    [ $? -eq 2 ] && [ "$(cat $work/error)" = "parquet: $why" ]
}
# near X Y SHARE: X differs from Y by less than this share of Y
near() {
    awk "BEGIN { exit !($1 > $2 * (1 - $3) && $1 < $2 * (1 + $3)) }"
}

sh tests/prints.sh examples/formats/parquet.c:-lxxhash >$work/out
sum demonstration $work/out
npm install --prefix $work --no-save --no-audit --no-fund \
    @duckdb/node-api@1.5.6-r.1 hyparquet-writer@0.17.0 >$work/log 2>&1 &&
    cp examples/formats/tests/parquet.mjs $work && (cd $work && node parquet.mjs write) ||
    { cat $work/log; exit 1; }

# ours LIBRARY COLUMN TYPE GROUP BYTES: the example makes the same bits from the
# same values
ours() {
    build/parquet build "$3" "$5" <"$work/$2.$4" |
        cmp - "$work/$1.$2.$4.bits"
}
# finds LIBRARY COLUMN: finds all values of both row groups
finds() {
    cat "$work/$2.0" "$work/$2.1" >$work/in
    build/parquet check "$work/$1.parquet" "$2" <$work/in | cmp - $work/in
}
# rate LIBRARY COLUMN: of 200000 absent values, as many are false positives as the
# bits of the two row groups predict. The files were made for a rate of 1% in each
# row group, so these are about 2%.
rate() {
    case $2 in
    id | number) form=1%06d ;;      # too large for number; of these values only
                                    # 1000003 is in id
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
    check "$library $column $group: our bits" \
        ours "$library" "$column" "$type" "$group" "$bytes"
    [ "$group" = 0 ] || continue
    check "$library $column: values found" finds "$library" "$column"
    check "$library $column: rate" rate "$library" "$column"
done <$work/filters
check "14 filters" [ "$(wc -l <$work/filters)" -eq 14 ]

# Each type, with values as text: all values are found, and about 1% of others
while read -r column; do
    build/parquet check $work/types.parquet "$column" <$work/types.$column.in \
        >$work/out
    check "$column: values found" cmp $work/types.$column.in $work/out
    got=$(build/parquet check $work/types.parquet "$column" \
        <$work/types.$column.out | wc -l)
    check "$column: $got of 13400 others" near "$got" 147 0.6
done <$work/types
check '14 types' [ "$(wc -l <$work/types)" -eq 14 ]

# encoded TYPE TEXT BYTES: the value as text and in hexadecimal makes the same filter
encoded() {
    printf '%s\n' "$2" | build/parquet build "$1" 8192 >$work/words
    printf '%s\n' "$3" | build/parquet build -x "$1" 8192 >$work/hex
    check "$1 $2" cmp $work/words $work/hex
}
while read -r type bytes text; do
    encoded "$type" "$text" "$bytes"
done <<'END'
FLOAT16 003c 1
FLOAT16 00c0 -2
FLOAT16 ff7b 65504
FLOAT16 ff7b 65519.9
FLOAT16 0100 5.960464477539063e-08
FLOAT16 0000 1e-9
FLOAT16 0080 -0.0
FLOAT16 ff03 6.0975551605224609e-05
FLOAT16 0004 6.103515625e-05
FLOAT16 0068 2049
FLOAT16 0268 2051
FLOAT16 5535 0.333251953125
FLOAT 0000c03f 1.5
DOUBLE 000000000000f8bf -1.5
UINT32 ffffffff 4294967295
UINT64 ffffffffffffffff 18446744073709551615
INT32 ffffffff -1
INT64 0000000000000080 -9223372036854775808
UUID 550e8400e29b41d4a716446655440000 550E8400-e29b-41d4-a716-446655440000
UUID 550e8400e29b41d4a716446655440000 550e8400e29b41d4a716446655440000
DECIMAL(9,2) 39300000 123.45
DECIMAL(9,2) c7cfffff -123.45
DECIMAL(18,0) 15cd5b0700000000 123456789
DECIMAL(38,4) 000000000000000000000000000004d2 0.1234
DECIMAL(38,4) fffffffffffffffffffffffffffffb2e -0.1234
DECIMAL(38,4) ffffffffffffffffffffffffffffd8f0 -1
DECIMAL(38,0) 0000000000000001ffffffffffffffff 36893488147419103231
DECIMAL(20,1) 00000000000000000a 1.000
BYTE_ARRAY 616263 abc
END

# folds VALUES BYTES FPP: the filter is folded to the size that Arrow's rule gives,
# which is computed here from the unfolded bits. It equals a filter of the same
# values that is made in that size.
folds() {
    seq "$1" >$work/in
    build/parquet build --exact INT64 "$2" <$work/in >$work/wide
    build/parquet build --exact INT64 "$2" "$3" <$work/in >$work/folded
    size=$(od -An -v -tu1 $work/wide | tr -s ' ' '\n' | awk -v target="$3" '
        NF { bytes++; for (x = $1; x > 0; x = int(x / 2)) ones += x % 2 }
        END { fill = ones / bytes / 8
              for (j = 0; bytes / 32 % 2 ^ (j + 1) == 0 \
                   && (1 - (1 - fill) ^ 2 ^ (j + 1)) ^ 8 <= target; j++) { }
              print bytes / 2 ^ j }')
    build/parquet build --exact INT64 "$size" <$work/in >$work/small
    [ "$(wc -c <$work/folded)" -eq "$size" ] &&
        cmp $work/folded $work/small && echo "$1 values: $2 to $size bytes"
}
for values in 0 1 100 1000 5000 20000 90000; do
    for fpp in 0.05 0.01 0.0001; do
        check "$values values, folded to $fpp" folds $values 65536 $fpp
        check "$values values, 96 * 1024 bytes" folds $values 98304 $fpp
    done
done
check '90000 values and 0.0001: not folded' [ "$(wc -c <$work/folded)" -eq 98304 ]
folds 1000 65536 0.01 >$work/out
check '1000 values fold to 2048 bytes' [ "$(cat $work/out)" = '1000 values: 65536 to 2048 bytes' ]
check 'a rate' refuses "2: is no rate between 0 and 1" build INT64 32 2

# sized BYTES WANTED: the filter has WANTED bytes, a power of two from 32 to 2^27,
# as Arrow's Init demands. A message says so if it differs.
sized() {
    build/parquet build INT64 $1 <$work/in >$work/out 2>$work/error
    is "a size of $1 bytes: status, size" "0 $2" "$? $(wc -c <$work/out)"
    build/parquet build --exact INT64 $2 <$work/in >$work/wanted
    same "a size of $1 bytes" $work/out $work/wanted
    is "a size of $1 bytes: the message" "$([ $1 = $2 ] || echo "parquet: $1:" \
        "rounded up to $2 bytes, as Arrow and Velox refuse sizes that are not a" \
        "power of two; --exact keeps it")" "$(cat $work/error)"
}
seq 100 >$work/in
while read -r size wanted; do
    sized $size $wanted
done <<'END'
1 32
32 32
33 64
96 128
4000 4096
4096 4096
134217727 134217728
134217728 134217728
END
build/parquet build INT64 3000 0.01 <$work/in >$work/out 2>$work/error
build/parquet build --exact INT64 4096 0.01 <$work/in >$work/wanted
same 'a size that is folded' $work/out $work/wanted
is 'exactly 96 bytes' 96 \
    "$(build/parquet build --exact INT64 96 <$work/in 2>&1 | wc -c)"
seq 300 | build/parquet build -x --exact INT64 96 >$work/out 2>$work/error
is '-x and --exact' '2 parquet: standard input: a line is not the column'"'"'s bytes in hexadecimal' \
    "$? $(cat $work/error)"
for size in 134217729 0 -32 x 64x ''; do
    check "a size of $size bytes" refuses "$size: is not a number of bytes up to 128 MiB; larger filters need --exact, and Arrow and Velox refuse them" \
        build INT64 "$size"
done

# Each line: TYPE VALUE MESSAGE. The value is refused with that message.
while read -r type value why; do
    printf '%s\n' "$value" | build/parquet build "$type" 32 >$work/out 2>$work/error
    check "$type $value" [ "$?: $(cat $work/error)" = "2: parquet: standard input: $why" ]
done <<'END'
INT32 2147483648 an integer is beyond the column's
INT32 1.5 a value is no integer
UINT32 -1 a value is negative, and the column is not
UINT32 4294967296 an integer is beyond the column's
UINT64 18446744073709551616 an integer is beyond the column's
FLOAT x a value is no number
DOUBLE nan a NaN has many encodings
FLOAT16 65520 a number is beyond the column's
UUID 550e8400-e29b-41d4-a716-44665544000 a value is no UUID
UUID 550e84-00e29b-41d4-a716-446655440000 a value is no UUID
DECIMAL(9,2) 1.234 a number is finer than the column's
DECIMAL(9,2) 21474836.48 a number is beyond the column's
DECIMAL(9,2) - a value is no number
DECIMAL(9,2) 1.2.3 a value is no number
INT96 1 BOOLEAN and INT96 are not hashed
BOOLEAN 1 BOOLEAN and INT96 are not hashed
END
refused() {     # refused COLUMN VALUE WHY: a lookup in types.parquet is refused
    printf '%s\n' "$2" | build/parquet check $work/types.parquet "$1" \
        >$work/out 2>$work/error
    check "$1 $2" [ "$?: $(cat $work/error)" = "2: parquet: standard input: $3" ]
}
refused micros '1969-12-31 23:59:00.0000001' "a time is finer than the column's"
refused micros '1969-02-29 23:59:00' 'a value is no date'
refused micros '1969-02-28 24:00:00' 'a value is no time'
refused nanos '2600-01-01 00:00:00' "a time is beyond the column's"
refused date '1969-13-01' 'a value is no date'
refused date '1969-12-31 ' 'a value is no date or time'
refused i16 32768 "an integer is beyond the column's"
for value in '1969-12-31T23:59Z' '1969-12-31 23:59:00.000' -60000; do
    check "millis $value" [ "$(echo "$value" | build/parquet check \
        $work/types.parquet millis)" = "$value" ]
done
check 'date by its days' [ "$(echo -365 | build/parquet check \
    $work/types.parquet date)" = -365 ]
check '-x of a UUID' [ "$(tr -d - <$work/types.uuid.in | build/parquet check -x \
    $work/types.parquet uuid | wc -l)" -eq 1600 ]

small=examples/formats/tests/duckdb.parquet
printf 'a0\na9\n' >$work/in
printf 'b0\na0\na10\n\na9' | build/parquet check $small word >$work/out
check "$small: word" cmp $work/in $work/out
printf '0\n9\n' >$work/in
printf '%s\n' -1 0 9 10 9223372036854775807 |
    build/parquet check $small id >$work/out
check "$small: id" cmp $work/in $work/out
check 'no column' refuses "$small: no such column" check $small none
check 'no file' refuses "none: No such file or directory" info none
check 'no Parquet' refuses "bloom.h: not a Parquet file, or cut short" info bloom.h
check 'a size' refuses "48: is not a multiple of 32 below 2^31" \
    build --exact INT64 48
check 'a type' refuses "TEXT: is not a type of Parquet's" build TEXT 32
for bad in x '' 1x 9223372036854775808; do
    echo "$bad" | build/parquet check $small id >$work/out 2>$work/error
    check "value '$bad'" [ $? -eq 2 ]
done

$CC -std=c99 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all \
    -I. examples/formats/parquet.c -o build/parquet-sanitized -lxxhash || exit 1
for words in "info $small" "check $small id"; do
    check 'no leaks' sh -c \
        "echo 1 | build/parquet-sanitized $words >$work/out 2>&1"
done
cp $small $work/small.parquet
ASAN_OPTIONS=detect_leaks=0         # twice as fast
export ASAN_OPTIONS
check 'truncated and corrupted files' node examples/formats/tests/parquet.mjs bend \
    build/parquet-sanitized $work/small.parquet id $([ -n "$ALL" ] && echo 1 || echo 7)

counted
