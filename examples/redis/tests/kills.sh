# Run by `make redis-kills`: the module on a server with a replica, then in a
# Redis Cluster of three nodes, all on loopback. It adds 10 million items in all
# (or $ITEMS). None may be lost when servers are killed. Takes a few minutes. Then
# a server that writes its append-only file before it replies is killed RUNS times
# while items are added (kills.py). No acknowledged item may be lost.
# usage: kills.sh [RUNS]        default: 20
. examples/redis/tests/server.sh
build
runs=${1:-20}
N=${ITEMS:-10000000}
P=$((N / 10))                           # items per step

add() {
    /usr/bin/python3 examples/redis/tests/client.py "$@" || fail "adding"
}

# all_found SOCKET|PORT KEYS END
all_found() {
    said=$(/usr/bin/python3 examples/redis/tests/client.py "$1" found "$2" 0 "$3")
    echo "$said"
    [ "$said" = "$3 of $3 found" ] || fail "items were lost"
}

same() {
    ask master wait 1 60000 >/dev/null
    [ "$(ask master debug digest)" = "$(ask replica debug digest)" ] ||
        fail "the replica differs"
    echo "the replica has the same filters, bit for bit"
}

set -- $(free 5)
begun=$(date +%s)
echo "-- a replica that joins while items are added, is killed and restarts"
start master --port "$1"
add "$work/master/socket" add 1 0 $P
add "$work/master/socket" add 1 $P $((2 * P)) &
adding=$!
start replica --port "$2" --replicaof 127.0.0.1 "$1"
wait $adding || fail "adding"
until_says replica master_link_status:up info replication
same
stop replica KILL
add "$work/master/socket" add 1 $((2 * P)) $((3 * P))
start replica --port "$2" --replicaof 127.0.0.1 "$1"
until_says replica master_link_status:up info replication
same
stop master KILL
ask replica replicaof no one >/dev/null
all_found "$work/replica/socket" 1 $((3 * P))
ask replica bf.info f0 | paste -sd ' '
stop replica

echo "-- three nodes, 300 keys; one node is killed and restarts"
shift 2
for port in "$@"; do
    start "node$port" --port "$port" --cluster-enabled yes --appendonly yes \
        --appendfsync no
done
redis-cli --cluster create "127.0.0.1:$1" "127.0.0.1:$2" "127.0.0.1:$3" \
    --cluster-yes >"$work/created" || { cat "$work/created"; fail cluster; }
for port in "$@"; do
    until_says "node$port" cluster_state:ok cluster info
done
add "$1" add 300 0 $((4 * P))
stop "node$2" KILL
start "node$2" --port "$2" --cluster-enabled yes --appendonly yes \
    --appendfsync no
for port in "$@"; do
    until_says "node$port" cluster_state:ok cluster info
done
add "$1" add 300 $((4 * P)) $((7 * P))
all_found "$1" 300 $((7 * P))
for port in "$@"; do
    echo "node $port: $(ask "node$port" dbsize) keys," \
        "$(ask "node$port" info memory | tr -d '\r' |
           sed -n 's/^used_memory://p') bytes of memory"
done
redis-cli -c -p "$1" bf.merge '{f}all' f1 f2 | grep -q CROSSSLOT ||
    fail "BF.MERGE over slots"
echo "$N items, none lost; $(($(date +%s) - begun)) s"

echo "-- killed while items are added"
under="/usr/bin/python3 examples/redis/tests/kills.py $work/data/socket $runs"
start data --appendonly yes --appendfsync always \
    --auto-aof-rewrite-percentage 50 --auto-aof-rewrite-min-size 64kb
wait "$(cat "$work/data/pid")" || { tail -n 20 "$work/data/log"; fail kills; }
rm "$work/data/pid"
lines() { grep -c "$1" "$work/data/log"; }
echo "$(grep ' kills, ' "$work/data/log" | tail -n 1); the file was rewritten:" \
    "$(lines 'rewriting started') started, $(lines 'rewrite finished succ') ended"
