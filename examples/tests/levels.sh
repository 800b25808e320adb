# `make check-examples` runs this script. It tests examples/levels.c with paths of this
# machine: get and scan are compared with awk and grep, a damaged or truncated
# store is an error or has the right answers, and bad input changes nothing. The
# program is built with ASan and UBSan, if the compiler has them.
. tests/helpers.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
levels=$work/levels
${CC:-cc} -std=c99 -Wall -Wextra -pedantic -g -O1 -I. -fsanitize=address,undefined \
    -fno-sanitize-recover=all examples/levels.c -o "$levels" 2>"$work/log" ||
    { echo 'skipped: sanitizers, for levels.c'
      ${CC:-cc} -std=c99 -O2 -I. examples/levels.c -o "$levels" || exit 1; }
store=$work/store

# Three loads with nine runs in all; the last ones hide old values.
find /usr/include /usr/lib /usr/share | LC_ALL=C sort -u | head -n 6000 |
    awk '{ print $0 "\t" NR }' >"$work/lines"
awk -F '\t' 'NR % 3 == 0 { print $1 "\tnew " NR }' "$work/lines" >"$work/more"
cat "$work/lines" "$work/more" "$work/more" |
    LC_ALL=C awk -F '\t' '{ value[$1] = $2 }
        END { for (key in value) print key "\t" value[key] }' |
    LC_ALL=C sort -t "$(printf '\t')" -k 1,1 >"$work/want"
loads() {
    "$levels" load "$store" 1000 <"$work/lines" &&
        "$levels" load "$store" 1000 <"$work/more" &&
        "$levels" load "$store" 2500 <"$work/more" && [ ! -e "$store.new" ]
}
check 'levels load' loads

scans() {       # scans PREFIX: does scan print what the model has?
    awk -v prefix="$1" 'index($0, prefix) == 1' "$work/want" >"$work/wanted"
    "$levels" scan "$store" "$1" | cmp - "$work/wanted"
}
middle=$(sed -n '3000s/\t.*//p' "$work/lines")
for prefix in / /usr /usr/inc "${middle%/*}/" "$middle" /usr/include/std /none; do
    check "levels scan $prefix" scans "$prefix"
done
gets() {
    awk 'NR % 200 == 1' "$work/want" | while IFS="$(printf '\t')" read -r key value
    do
        [ "$("$levels" get "$store" "$key")" = "$value" ] || echo "$key"
    done >"$work/wrong"
    [ ! -s "$work/wrong" ]
}
check 'levels get' gets
finds_nothing() {
    "$levels" get "$store" /usr/include/none; [ $? -eq 1 ] &&
        { "$levels" get "$store" ''; [ $? -eq 1 ]; }
}
check 'levels get of an absent key exits with 1' finds_nothing

# Of the runs without a key, about 1% are read; of 20,000 at most 240.
few_reads() {
    awk '{ print $1 "x" }' "$work/lines" | "$levels" ask "$store" |
        awk '$1 == "keys" { found = $3; vain = $5; of = $7 }
             END { exit !(found == 0 && of >= 50000 && vain <= 0.0118 * of) }'
}
check 'levels ask: in vain at most 1% + 4 sigma' few_reads

# refuses TEXT WORD...: the exit status is 2, the message ends with TEXT, and the
# store is unchanged.
cp "$store" "$work/before"
refuses() {
    text=$1
    shift
    "$levels" "$@" >"$work/out" 2>"$work/err" <"$work/input"
    [ $? -eq 2 ] && grep -q "^levels: .*$text\$" "$work/err" &&
        cmp "$store" "$work/before" && { [ ! -e "$store.new" ] || [ -n "$left" ]; }
}
printf 'a\t1\n\tno key\n' >"$work/input"
check 'a line without a key' refuses 'has a line without a key' load "$store" 1
: >"$work/input"
check 'no lines' refuses 'has no keys' load "$store" 10
seq 2000 >"$work/input"
check 'too many runs' refuses 'give more keys per run' load "$store" 1
check 'a number' refuses 'is not a possible number' load "$store" 0
check 'usage' refuses 'ask STORE' gt "$store" a
check 'a folder' refuses 'Is a directory' get "$work" a
check 'no store' refuses 'No such file or directory' get "$work/none" a
left=yes
: >"$store.new"
check 'another load' refuses 'remove this file' load "$store" 10
rm -f "$store.new"
left=
full() {
    ( ulimit -f 100; trap '' XFSZ; refuses 'File too large' load "$store" 10 )
}
check 'a full disk' full

# Truncated anywhere, it is an error. With a flipped byte, it is an error or the
# answer is right, and load refuses it or keeps all runs.
size=$(wc -c <"$store")
key=$(awk -F '\t' 'NR == 2000 { print $1 }' "$work/want")
value=$(awk -F '\t' 'NR == 2000 { print $2 }' "$work/want")
truncated() {
    for at in 0 1 63 64 $((size / 64 / 3 * 64)) $((size / 2)) $((size - 64)) \
              $((size - 1)); do
        head -c "$at" "$work/before" >"$store"
        "$levels" get "$store" "$key" >"$work/out" 2>"$work/err"
        [ $? -eq 2 ] && [ ! -s "$work/out" ] &&
            grep -q "store: is truncated$" "$work/err" ||
            { echo "cut at $at"; return 1; }
    done
}
check 'a truncated store is an error' truncated
flip() {        # flip AT: makes a store in which this byte is another
    { head -c "$1" "$work/before"
      tail -c +$(($1 + 1)) "$work/before" | head -c 1 |
          tr '\000-\377' '\001-\377\000'
      tail -c +$(($1 + 2)) "$work/before"; } >"$store"
    "$levels" get "$store" "$key" >"$work/out" 2>"$work/err"
}
damaged() {     # in the headers and the filter of the first run; anywhere
    for at in 0 8 16 24 64 68 72 80 88 96 128 131 136 144 152 1000; do
        flip $at
        [ $? -eq 2 ] && [ ! -s "$work/out" ] || { echo "byte $at"; return 1; }
    done
    for at in $(awk -v size="$size" 'BEGIN { srand(7)
                    for (i = 0; i < 80; i++) print int(rand() * size) }'); do
        flip "$at"
        case $? in
        0) [ "$(cat "$work/out")" = "$value" ] ;;
        2) [ ! -s "$work/out" ] ;;
        *) false ;;
        esac || { echo "byte $at"; cat "$work/err"; return 1; }
    done
}
entry() {       # in the entry itself: its check, number, sizes, key and value
    at=$(LC_ALL=C grep -abo "$key$value" "$work/before" | head -n 1)
    for at in $(awk -v at="${at%%:*}" -v key="${#key}" 'BEGIN {
            print at - 24, at - 16, at - 8, at - 4, at, at + key }'); do
        flip "$at"
        [ $? -eq 2 ] && [ ! -s "$work/out" ] || { echo "byte $at"; return 1; }
    done
}
check 'a damaged store is an error or has the right answer' damaged
check 'a damaged entry is an error' entry
cp "$work/before" "$store"

counted
