#!/bin/sh
# What bloom does for a crawler:  sh tests/demo.sh build/bloom build/peak
# Every path below /usr, met three times, goes through `bloom uniq`; then a
# filter of them is asked for others. Exits with 1 if a promise is broken.

bloom=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
peak=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
work=$(cd "$(dirname "$0")/.." && pwd)/build/demo.$$
mkdir -p "$work" && cd "$work" || exit 2
trap 'cd / && rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
LC_ALL=C export LC_ALL          # in which sort is fastest

lines() { wc -l < "$1" | tr -d ' '; }
bytes() { wc -c < "$1" | tr -d ' '; }
cost() { sed -n 's/^peak: //p' "$1"; }
percent() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f%%", 100 * a / b }'; }
broken() { echo "PROMISE BROKEN: $*"; exit 1; }
at_most_1_percent() {           # COUNT ALL WHAT; a bit more may be chance
    awk -v a="$1" -v b="$2" 'BEGIN {
        exit !(a <= 0.012 * b || a <= 0.01 * b + 4 * sqrt(0.01 * b)) }' ||
        broken "$(percent "$1" "$2") $3"
}

find /usr 2> /dev/null > once
cat once once once > stream
"$peak" sort -u < stream > exact 2> sort.cost || exit 2
n=$(lines exact)
"$peak" "$bloom" uniq -n "$n" -p 0.01 < stream > kept 2> uniq.cost ||
    broken "bloom uniq says: $(cat uniq.cost)"
sort kept > sorted
uniq -d sorted > twice
comm -23 sorted exact > strange
kept=$(lines kept) lost=$((n - $(lines kept)))

sed 's/$/ (absent)/' exact > absent
"$bloom" build -n "$n" -p 0.01 filter exact || broken 'bloom build failed'
"$bloom" check -v filter exact > forgotten
"$bloom" check filter absent > maybe
maybe=$(lines maybe)
chance=$(awk -v n="$n" 'BEGIN { printf "%.3f%%", 100 * 2 * sqrt(0.01 / n) }')

cat << END
Every path below /usr, met three times: $(lines stream) lines, $n different

    sort -u                $(cost sort.cost)
    bloom uniq -p 0.01     $(cost uniq.cost)
    kept                   $kept, of these twice or never met: $(cat \
        twice strange | wc -l | tr -d ' ')
    lost                   $lost = $(percent $lost "$n"); promised: at most 1%

A filter with these paths, asked for $n others

    bytes                  $(bytes filter), the paths themselves: $(bytes exact)
    false "maybe"          $maybe = $(percent "$maybe" "$n"); promised: 1%, \
by chance +- $chance
    own paths forgotten    $(lines forgotten); promised: never
END

[ -s twice ] && broken 'a line was printed twice'
[ -s strange ] && broken 'a line was printed that is not in the input'
[ -s forgotten ] && broken 'a line was forgotten'
at_most_1_percent $lost "$n" 'of the lines were lost'
at_most_1_percent "$maybe" "$n" 'of absent lines passed for known'
exit 0
