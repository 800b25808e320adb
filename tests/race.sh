# Run by `make race`: `bloom uniq` against `sort -u` on 10 million lines like
# URLs, of which 8 million are different. Fails below 5 times the speed, above
# 1/50 of the memory, or, with and without -n, if more lines are lost than P.
# usage: race.sh BLOOM PEAK
bloom=$1
peak=$2
dir=build/race
mkdir -p $dir && trap 'rm -rf $dir' EXIT || exit 1

LC_ALL=C awk 'BEGIN {
    srand(1)
    for (i = 0; i < 10000000; i++) {
        j = i < 8000000 ? i : int(rand() * 8000000)
        printf "https://www.example%d.org/archive/%d/page-%d.html\n",
            j % 977, j * 7919 % 10007, j
    }
}' >$dir/urls

"$peak" "$bloom" uniq -n 1e7 -p 0.001 <$dir/urls 2>$dir/bloom >$dir/kept
"$peak" sort -u $dir/urls 2>$dir/sort >$dir/sorted
"$peak" "$bloom" uniq <$dir/urls 2>$dir/grows >$dir/kept-too
echo "10000000 lines, $(wc -c <$dir/urls) bytes; $(wc -l <$dir/sorted) different"
sed "s/^peak/bloom uniq -n 1e7 -p 0.001/" $dir/bloom
sed "s/^peak/sort -u                   /" $dir/sort
sed "s/^peak/bloom uniq                     /" $dir/grows
kept=$(wc -l <$dir/kept) kept_too=$(wc -l <$dir/kept-too)
echo "bloom uniq kept $kept of them, and without -n $kept_too"
[ "$kept" -ge 7992000 ] && [ "$kept_too" -ge 7992000 ] || exit 1
cat $dir/bloom $dir/sort | awk '
    { seconds[NR] = $2; kB[NR] = $4 }
    END {
        faster = seconds[2] / seconds[1]
        smaller = kB[2] / kB[1]
        printf "%.1f times faster, in 1/%.0f of the memory\n", faster, smaller
        exit !(faster >= 5 && smaller >= 50)
    }'
