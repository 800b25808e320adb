# Run by `make interop-redis`: a server whose append-only file is always written
# is killed RUNS times (20 if not given) while clients add, half of the times
# halted before by SIGSTOP, and restarted. What was acknowledged is known.
. tests/wide/redis/server.sh
build

run=0
while [ $run -lt "${RUNS:-20}" ]; do
    [ $((run % 20)) != 0 ] || rm -rf "$work"/data/appendonlydir "$work"/known
    [ $((run / 20 % 2)) = 0 ] && preamble=yes || preamble=no
    start data --appendonly yes --appendfsync always \
        --aof-use-rdb-preamble $preamble \
        --auto-aof-rewrite-percentage 20 --auto-aof-rewrite-min-size 64kb
    python kills data "$(cat "$work/data/pid")" $run "$work/known"
    stop data KILL
    run=$((run + 1))
done >"$work/runs"
