#!/bin/sh
# Run by `make demo`: what bloom does for a crawler.
# usage: demo.sh BLOOM PEAK
# Every path below /usr, met three times, goes through `bloom uniq`; then a
# filter of them is asked for others. Exits with 1 if a promise is broken. A rate
# of 1% of n lines is broken beyond 1% and 4 standard deviations of n throws of a
# die with 100 sides; chance alone goes there once in 30,000 runs.

bloom=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
peak=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
work=$(cd "$(dirname "$0")/../../.." && pwd)/build/demo.$$
mkdir -p "$work" && cd "$work" || exit 2
trap 'cd / && rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
LC_ALL=C export LC_ALL          # in which sort is fastest

lines() { wc -l < "$1" | tr -d ' '; }
bytes() { wc -c < "$1" | tr -d ' '; }
cost() { sed -n 's/^peak: //p' "$1"; }
percent() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f%%", 100 * a / b }'; }
broken() { echo "PROMISE BROKEN: $*"; exit 1; }
at_most() {                     # COUNT MOST WHAT
    [ "$1" -le "$2" ] || broken "$1 $3, and at most $2 may be"
}

find /usr 2> /dev/null > once
cat once once once > stream
"$peak" sort -u < stream > exact 2> sort.cost || exit 2
n=$(lines exact)
"$peak" "$bloom" uniq -n "$n" -p 0.01 < stream > kept 2> uniq.cost ||
    broken "bloom uniq says: $(cat uniq.cost)"
sort kept > sorted
uniq -d sorted > twice
sort -mu sorted exact > both    # comm, which not every machine has
strange=$(($(lines both) - n))
kept=$(lines kept) lost=$((n - $(lines kept)))

sed 's/$/ (absent)/' exact > absent
"$bloom" build -n "$n" -p 0.01 filter exact || broken 'bloom build failed'
"$bloom" check -v filter exact > forgotten
"$bloom" check filter absent > maybe
maybe=$(lines maybe)
most=$(awk -v n="$n" 'BEGIN {
    printf "%d", 0.01 * n + 4 * sqrt(0.01 * 0.99 * n) }')
passes="passes up to $(percent "$most" "$n") (*)"

cat << END
Every path below /usr, met three times: $(lines stream) lines, $n different

    sort -u                $(cost sort.cost)
    bloom uniq -p 0.01     $(cost uniq.cost)
    kept                   $kept; twice $(lines twice), never met $strange; \
promised: none
    lost                   $lost = $(percent $lost "$n"); promised: 1%, $passes

A filter with these paths, asked for $n others

    bytes                  $(bytes filter), the paths themselves: $(bytes exact)
    false "maybe"          $maybe = $(percent "$maybe" "$n"); promised: 1%, $passes
    own paths forgotten    $(lines forgotten); promised: never
END

[ -s twice ] && broken 'a line was printed twice'
[ "$strange" -eq 0 ] || broken 'a line was printed that is not in the input'
[ -s forgotten ] && broken 'a line was forgotten'
at_most "$lost" "$most" 'lines were lost'
at_most "$maybe" "$most" 'absent lines passed for known'
echo "
Every promise is kept. (*) $most lines: 1% and 4 standard deviations of chance"
