# Run by `make interop-redis`: a server that writes its append-only file before
# it replies is killed in the middle of adds, and nothing that it acknowledged
# is lost: kills.py.
# usage: kills.sh [RUNS]        20 if not given
. tests/wide/redis/server.sh
build
under="/usr/bin/python3 tests/wide/redis/kills.py $work/data/socket ${1:-20}"
start data --appendonly yes --appendfsync always \
    --auto-aof-rewrite-percentage 50 --auto-aof-rewrite-min-size 64kb
wait "$(cat "$work/data/pid")" || { tail -n 20 "$work/data/log"; fail kills; }
rm "$work/data/pid"
lines() { grep -c "$1" "$work/data/log"; }
echo "$(grep ' kills, ' "$work/data/log" | tail -n 1); rewrites of the file:" \
    "$(lines 'rewriting started') begun, $(lines 'rewrite finished succ') ended"
