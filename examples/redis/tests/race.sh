# Run by `make redis-race`: compares the module with Redis's own sets on one
# server, and windows with its filters. Prints the speed by redis-benchmark -P 16
# (the best of 3 alternating rounds), then the memory of a million keys of 40 bytes,
# then how long one command with many items blocks the server. Fails if the filter
# is slower, or not 10 times smaller.
. examples/redis/tests/server.sh
need redis-benchmark redis-tools
build
start race
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "$(nproc) x $cpu, $("$server" --version | cut -d ' ' -f 3)"

rate() {
    redis-benchmark -s "$work/race/socket" -P 16 -n 1000000 -r 1000000 --csv \
        "$@" key:_______________________:__rand_int__ |
        tail -n 1 | cut -d '"' -f 4
}

for round in 1 2 3; do
    ask race del set filter window >/dev/null
    ask race bf.reserve filter 0.01 1000000 >/dev/null
    ask race bw.reserve window 0.01 1000000 3600 >/dev/null
    for command in 'sadd set' 'bf.add filter' 'bw.add window' 'sismember set' \
        'bf.exists filter' 'bw.exists window'; do
        echo "$command $(rate $command)"
    done
done >"$work/rates"
best() {
    grep "^$1 " "$work/rates" | sort -k 3n | tail -n 1 | cut -d ' ' -f 3
}
slower=0
for names in 'sadd bf.add bw.add' 'sismember bf.exists bw.exists'; do
    for name in $names; do
        echo "$name $(best $name)"
    done | awk '{ rate[NR] = $2; printf "%-10s %7d per second\n", $1, $2 }
        END { exit rate[2] < rate[1] }' || slower=1
done

used() {
    ask race info memory | tr -d '\r' | sed -n 's/^used_memory://p'
}

# grown KEY COMMAND: prints the memory that a million keys take
grown() {
    before=$(used)
    [ "$1" = filter ] && ask race bf.reserve filter 0.01 1000000 >/dev/null
    awk -v command="$2" 'BEGIN { for (i = 0; i < 1000000; i++)
        printf "%s key:_______________________:%012d\n", command, i }' |
        ask race --pipe >/dev/null
    after=$(used)
    echo "$1 $((after - before)) $(ask race memory usage "$1" samples 0)"
}

ask race del set filter window >/dev/null
{ grown set 'sadd set'
  grown filter 'bf.add filter'
  grown chain 'bf.add chain'; } >"$work/sizes"
awk '{ size[$1] = $2
       printf "%-10s %9d bytes of used_memory, %9d of MEMORY USAGE\n",
           $1, $2, $3 }
     END { printf "a million keys of 40 bytes: a filter is %.1f times " \
               "smaller than the set; a chain of initial capacity 100, %.1f\n",
               size["set"] / size["filter"], size["set"] / size["chain"]
           exit size["set"] < 10 * size["filter"] }' "$work/sizes" || slower=1

for appendonly in no yes; do
    ask race config set appendonly $appendonly >/dev/null
    python client race blocked "seconds for which one command blocks the server," \
        "appendonly $appendonly:"
done
exit $slower
