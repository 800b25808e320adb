# Run by `make race`: compares `bloom uniq` with other commands that print each
# line once, on 10 million lines like URLs, of which 80% are different. It fails if
# bloom uses more memory than the limits below, or loses more lines than P. Times
# are only measured. `short`: two million lines, and only bloom.
# usage: race.sh BLOOM PEAK [short]
bloom=$1
peak=$2
lines=10000000
[ "$3" != short ] || lines=2000000
dir=build/race
mkdir -p $dir && trap 'rm -rf $dir' EXIT || exit 1
trap 'exit 1' HUP INT TERM
TMPDIR=$dir LC_ALL=C            # in which sort is fastest
export TMPDIR LC_ALL

awk -v n=$lines 'BEGIN {
    srand(1)
    for (i = 0; i < n; i++) {
        j = i < 0.8 * n ? i : int(rand() * 0.8 * n)
        printf "https://www.example%d.org/archive/%d/page-%d.html\n",
            j % 977, j * 7919 % 10007, j
    }
}' >$dir/urls

# run NAME COMMAND...: a row of CPU time, wall time, peak memory and lines
run() {
    name=$1
    shift
    "$peak" "$@" <$dir/urls >$dir/kept 2>$dir/cost || cat $dir/cost >&2
    read -r _ wall _ kB _ _ CPU _ <$dir/cost
    kept=$(wc -l <$dir/kept)
    awk -v name="$name" -v s="$CPU" -v w="$wall" -v kB="$kB" -v kept="$kept" '
        BEGIN { printf "%-27s %6.1f s CPU %6.1f s %5.0f MB %9d lines", name, s,
                    w, kB / 976.6, kept }'
}

failed=0
judged() {                      # judged MB NAME COMMAND...
    most=$1
    shift
    run "$@"
    awk -v kB="$kB" -v most="$most" -v kept="$kept" -v n=$lines 'BEGIN {
        printf "; limits: %d MB, %d lost\n", most, n / 1250
        exit !(kB / 976.6 <= most && kept >= 0.8 * n - n / 1250) }' || failed=1
}
against() {                     # against NAME COMMAND...
    run "$@"
    awk -v a="$CPU" -v b="$first" -v c="$kB" -v d="$first_kB" 'BEGIN {
        printf "; %.1f times the time, %.1f times the memory\n", a / b, c / d }'
}
least() {                       # least COMMAND...: CPU time, best of three
    for i in 1 2 3; do
        rm -f $dir/seen
        "$peak" "$@" <$dir/urls 2>&1 >$dir/kept | sed 's/.*CPU //; s/ s$//'
    done | sort -n | head -n 1
}

echo "$lines lines, $(wc -c <$dir/urls) bytes, of which 80% are different"
if [ $lines = 2000000 ]; then
    judged 7 'bloom uniq' "$bloom" uniq
    judged 7 'bloom uniq -f FILE' "$bloom" uniq -f $dir/seen
    judged 11 'bloom uniq -n 2e5' "$bloom" uniq -n 2e5
    exit $failed
fi
judged 25 'bloom uniq -n 1e7 -p 0.001' "$bloom" uniq -n 1e7 -p 0.001
first=$CPU first_kB=$kB
judged 40 'bloom uniq' "$bloom" uniq
judged 42 'bloom uniq -f FILE' "$bloom" uniq -f $dir/seen
against 'sort -u' sort -u
against 'sort -u -S 20M' sort -u -S 20M
against "awk '!seen[\$0]++'" awk '!seen[$0]++'
awk -v a="$(least "$bloom" uniq -f $dir/seen)" -v b="$(least "$bloom" uniq)" '
    BEGIN { printf "-f FILE: %.2f times the CPU time, best of three\n", a / b }'
exit $failed
