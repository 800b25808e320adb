# Run by `make check-redis`: a master, two replicas and a Sentinel, on loopback. The
# master is killed while items are added. No acknowledged item may be lost.
# Nothing else tries a Sentinel.
. examples/redis/tests/server.sh
build
set -- $(free 4)
start master --port "$1"
start one --port "$2" --replicaof 127.0.0.1 "$1"
start two --port "$3" --replicaof 127.0.0.1 "$1"
until_says master connected_slaves:2 info replication
ask master bf.reserve f 0.001 1000 >/dev/null
mkdir "$work/sentinel"
printf '%s\n' "port $4" 'bind 127.0.0.1' "dir $work/sentinel" \
    "sentinel monitor m 127.0.0.1 $1 1" \
    'sentinel down-after-milliseconds m 1000' \
    'sentinel failover-timeout m 5000' >"$work/sentinel/conf"
"$server" "$work/sentinel/conf" --sentinel >"$work/sentinel/log" 2>&1 &
echo $! >"$work/sentinel/pid"
tries=0
until redis-cli -p "$4" sentinel masters 2>/dev/null | tr '\n' ' ' |
      grep -q 'num-slaves 2'; do
    tries=$((tries + 1))
    [ $tries -lt 3000 ] || fail "the Sentinel sees no replicas"
    sleep 0.1
done
pid=$(cat "$work/master/pid")
/usr/bin/python3 examples/redis/tests/client.py "$4" failover "$pid" || fail failover
