# `make check-examples` runs this script. It tests examples/search.c with the text
# files of this tree: grep finds the same files, and bad input is an error that
# changes nothing. The program is built with ASan and UBSan, if the compiler has
# them.
. tests/helpers.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
search=$work/search
sanitized examples/search.c "$search" || exit 1
export ASAN_OPTIONS=detect_leaks=0      # it frees nothing at the end

index=$work/index
find examples tests bloom.h README.md -name '*.[ch]' -o -name '*.md' \
    -o -name '*.sh' | LC_ALL=C sort >"$work/names"
check 'search index' "$search" index "$index" 0.02 <"$work/names"

# The words of each file in one line, with a space before and after each
while read -r name; do
    mkdir -p "$work/text/$(dirname "$name")"
    { echo; LC_ALL=C tr A-Z a-z <"$name"; echo; } |
        LC_ALL=C tr -cs 'a-z0-9\200-\377' ' ' >"$work/text/$name"
done <"$work/names"

# greps WORDS...: does `search all` find what grep finds?
greps() {
    cp "$work/names" "$work/want"
    for words; do
        (cd "$work/text" && LC_ALL=C xargs grep -l -i -F -e " $words " \
            <"$work/want" >"$work/less")
        mv "$work/less" "$work/want"
    done
    "$search" all "$index" "$@" 2>"$work/said" | LC_ALL=C sort |
        cmp - "$work/want" && cat "$work/said" >>"$work/all-said"
}
for query in 'bloom' 'Sliding window' 'false positive rate' 'siphash' 'qsort bsearch' \
             'redis valkey' 'the'; do
    check "search all $query" greps $query
done
check 'search all, three words in a row' greps 'false positive rate' "ok bloom h"
# One to three words of a file, at random
: >"$work/all-said"
awk 'BEGIN { srand(1) }
     { all[NR] = $0 }
     END { for (i = 0; i < 40; i++) print all[int(rand() * NR) + 1] }' \
    "$work/names" |
while read -r name; do
    awk 'BEGIN { srand('$((i = i + 1))') }
         { for (n = i = 1; i < 999 && n <= 1 + '$i' % 3; i++) {
               word = $(int(rand() * NF) + 1)
               if (word ~ /^[a-z0-9]+$/ && length(word) < 40) { print word; n++ }
           } }' "$work/text/$name" | tr '\n' ' '
    echo
done >"$work/queries"
while read -r query; do
    check "search all $query" greps $query </dev/null
done <"$work/queries"
# "A of B files were not read; of C that were read, D were in vain"
rate() {        # D of A + D files were absent
    [ "$(wc -l <"$work/all-said")" -eq 40 ] &&
    awk '{ vain += $(NF - 3); absent += $1 + $(NF - 3) }
         END { wanted = 0.02 * absent
               exit !(vain <= wanted + 4 * sqrt(wanted)) }' "$work/all-said"
}
check 'at most 2% + 4 sigma are read in vain' rate
absent=zy''xwv                          # this file is one of those that are asked
nothing() { "$search" all "$index" $absent 2>"$work/said"; [ $? -eq 1 ]; }
check 'search all of an absent word exits with 1' nothing
reads_few() {   # of at least 100 files, at most 10% are read in vain
    "$search" all "$index" xtensa avr 2>&1 >/dev/null |
        awk '{ exit !($3 >= 100 && $1 > 0.5 * $3 && $(NF - 3) <= 0.1 * $3) }'
}
check 'search all reads few files' reads_few
like() {        # itself first, then its companions
    "$search" like "$index" examples/companions/bloom_window.h >"$work/like" &&
        [ "$(wc -l <"$work/like")" -eq 10 ] &&
        sed -n 1p "$work/like" |
            grep -q '^1\.00  examples/companions/bloom_window\.h$' &&
        sed 1d "$work/like" | grep -q 'examples/companions/' &&
        sort -c -s -r -n -k 1,1 "$work/like"
}
check 'search like' like

# refuses TEXT WORD...: exit status 2, a message that ends with TEXT
cp "$index" "$work/before"
refuses() {
    text=$1
    shift
    "$search" "$@" >"$work/out" 2>"$work/err" <"$work/input"
    [ $? -eq 2 ] && [ ! -s "$work/out" ] &&
        grep -q "^search: .*$text\$" "$work/err" && cmp "$work/before" "$index"
}
: >"$work/input"
check 'no files' refuses 'names no text file' index "$index"
echo README.md >"$work/input"
check 'a rate of 1' refuses 'is not a rate between 0 and 1' index "$index" 1
check 'no such folder' refuses 'No such file or directory' index "$work/no/index"
check 'no index' refuses 'No such file or directory' all "$work/none" word
check 'no word' refuses 'an argument has no word' all "$index" a -
printf 'a\0b' >"$work/binary"
check 'a NUL byte' refuses 'is not a text file' like "$index" "$work/binary"
head -c 1000 "$work/before" >"$index" && cp "$index" "$work/before.cut"
is 'a truncated index' 2 "$("$search" all "$index" bloom >/dev/null 2>&1; echo $?)"
size=$(wc -c <"$work/before")
damaged() {     # a byte of the filters: an error, as a word could be hidden
    for at in 8 30 40 70 $((size / 3)) $((size / 2)); do
        { head -c "$at" "$work/before"
          tail -c +$((at + 1)) "$work/before" | head -c 1 |
              tr '\000-\377' '\001-\377\000'
          tail -c +$((at + 2)) "$work/before"; } >"$index"
        "$search" all "$index" bloom >"$work/out" 2>"$work/err"
        [ $? -eq 2 ] && [ ! -s "$work/out" ] || { echo "byte $at"; return 1; }
    done
}
check 'a damaged index is an error' damaged
counted
