# Run by `make interop-redis`: a server that writes its append-only file before
# it replies is killed RUNS times while clients add, half of the times halted
# before. After each restart all that was acknowledged must be known.
# usage: kills.sh [RUNS]        20 if not given; 1000 take half an hour
. tests/wide/redis/server.sh
build

run=0
while [ $run -lt "${1:-20}" ]; do
    [ $((run % 20)) != 0 ] || rm -rf "$work/data/appendonlydir" "$work/known"
    [ $((run / 20 % 2)) = 0 ] && preamble=yes || preamble=no
    start data --appendonly yes --appendfsync always \
        --aof-use-rdb-preamble $preamble --auto-aof-rewrite-percentage 50 \
        --auto-aof-rewrite-min-size 64kb
    pid=$(cat "$work/data/pid")
    python kills data "$pid" $run "$work/known" >>"$work/runs"
    wait "$pid" 2>/dev/null
    run=$((run + 1))
done
rewrites() { grep -c "$1" "$work/data/log"; }
begun=$(rewrites 'rewriting started') ended=$(rewrites 'rewrite finished succ')
awk -v rewrites="$begun rewrites of the file begun, $ended ended" \
    '{ halted += $1; asked += $2; told += $3 }
     END { printf "%d kills, %d halted before: %d items acknowledged, asked " \
               "for %d times after restarts, none lost; %s\n",
           NR, halted, told, asked, rewrites }' "$work/runs"
