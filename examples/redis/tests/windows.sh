# Run by `make check-redis`: windows, whose items expire (BW.*): an exact model on
# clocks that the test sets, replicas, payloads, what Redis does with keys, restarts,
# and failovers to servers whose clocks are wrong.
# usage: windows.sh [COMMANDS [SEED]]       of the model; default: 20000
. examples/redis/tests/server.sh
build

set -- "${1:-20000}" "${2:-1}" $(free 4)
start master --port "$3"
start replica --port "$4" --replicaof 127.0.0.1 "$3"
until_says replica master_link_status:up info replication
python windows master model "$work/replica/socket" "$1" "$2"
# The master's log says once a minute that items were forgotten; a replica's never.
said='more new items came'
[ "$(grep -c "$said" "$work/master/log")" -lt 10 ] && grep -q "$said" "$work/master/log" ||
    fail "the master's log: $said"
grep "$said" "$work/replica/log" && fail "the replica's log: $said"

ask replica replicaof no one >/dev/null
python windows master damaged "$work/replica/socket"
python windows master watched
python windows master room
stop replica
stop master

aof="--appendonly yes --appendfsync always"      # so that a kill loses nothing
preload=$work/clock.so
${CC:-cc} -O2 -shared -fPIC examples/redis/tests/clock.c -o "$preload" ||
    fail "clock.c"
export AHEAD=0                           # of the clocks of servers that start now
start data $aof --aof-use-rdb-preamble no
python windows data fill
again "AOF of BW.ADDAT" KILL $aof --aof-use-rdb-preamble no
python windows data check
AHEAD=7200
again "the same two hours later" KILL $aof --aof-use-rdb-preamble no
AHEAD=0
ask data bgrewriteaof >/dev/null
rewritten data
grep -q BW.LOAD "$work"/data/appendonlydir/*.base.aof || fail "no BW.LOAD"
again "AOF of BW.LOAD" KILL $aof
ask data bgrewriteaof >/dev/null
rewritten data
again "AOF that begins with RDB" KILL $aof
python windows data check
AHEAD=7200
again "two hours later" KILL $aof
python windows data late
stop data
echo "restarts: the windows are the same, bit for bit, also two hours later"

# A failover to a server whose clock is wrong
for wrong in -5000 5000; do
    AHEAD=0
    start master --port "$3"
    AHEAD=$wrong
    start replica --port "$4" --replicaof 127.0.0.1 "$3"
    until_says replica master_link_status:up info replication
    ask master flushall >/dev/null
    python windows master fill
    until_says replica "$(ask master debug digest)" debug digest
    python windows replica check         # by the master's clock
    stop master KILL
    ask replica replicaof no one >/dev/null
    python windows replica promoted "$wrong"
    AHEAD=0
    start master --port "$3" --replicaof 127.0.0.1 "$4"
    until_says master master_link_status:up info replication
    python windows replica more
    until_says master "$(ask replica debug digest)" debug digest
    python windows master check
    ask master replicaof no one >/dev/null
    python windows master more           # the clock jumps again
    stop master KILL
    stop replica KILL
done
echo "failovers to clocks that are wrong by 5000 s: the replicas are the same"
