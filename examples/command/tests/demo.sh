#!/bin/sh
# Run by `make demo`: what the bloom command does, for a web crawler for example.
# usage: demo.sh BLOOM PEAK
# Every path below /usr, three times, goes through `bloom uniq`. Then absent
# paths are looked up in a filter of these paths. Exits with 1 if a promise is
# broken. The promised rate of 1% counts as broken above 1% of n lines plus 4
# standard deviations of the binomial distribution. Chance alone exceeds that
# once in 30,000 runs.

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
    broken "bloom uniq: $(cat uniq.cost)"
sort kept > sorted
uniq -d sorted > twice
sort -mu sorted exact > both    # instead of comm, which some machines lack
strange=$(($(lines both) - n))
kept=$(lines kept) lost=$((n - $(lines kept)))

sed 's/$/ (absent)/' exact > absent
"$bloom" build -n "$n" -p 0.01 filter exact || broken 'bloom build failed'
"$bloom" check -v filter exact > forgotten
"$bloom" check filter absent > maybe
maybe=$(lines maybe)
most=$(awk -v n="$n" 'BEGIN {
    printf "%d", 0.01 * n + 4 * sqrt(0.01 * 0.99 * n) }')
passes="at most $(percent "$most" "$n") here (*)"

cat << END
Every path below /usr, three times: $(lines stream) lines, $n different

    sort -u                $(cost sort.cost)
    bloom uniq -p 0.01     $(cost uniq.cost)
    printed                $kept lines; twice: $(lines twice), not in the \
input: $strange; promised: none
    lost                   $lost = $(percent $lost "$n"); promised: 1%, $passes

A filter of these paths, and $n absent paths

    bytes                  $(bytes filter); the paths themselves: $(bytes exact)
    false positives        $maybe = $(percent "$maybe" "$n"); promised: 1%, $passes
    paths forgotten        $(lines forgotten); promised: none
END

[ -s twice ] && broken 'a line was printed twice'
[ "$strange" -eq 0 ] || broken 'a line was printed that is not in the input'
[ -s forgotten ] && broken 'a line was forgotten'
at_most "$lost" "$most" 'lines were lost'
at_most "$maybe" "$most" 'absent lines were taken for known'
echo "
Every promise is kept. (*) $most lines: 1% plus 4 standard deviations"
