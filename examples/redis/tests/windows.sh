# Run by `make check-redis`: windows, whose items expire (BW.*): an exact model on
# clocks that the test sets, replicas, payloads, what Redis does with keys, restarts,
# and failovers to servers whose clocks are wrong. Nothing else notices an item that
# is forgotten early.
# usage: windows.sh [COMMANDS [SEED]]       of the model; default: 20000
. examples/redis/tests/server.sh
build

preload=$work/clock.so
${CC:-cc} -O2 -shared -fPIC examples/redis/tests/clock.c -o "$preload" ||
    fail "clock.c"
now=4000000000000        # milliseconds: the year 2096

# begin NAME MILLISECONDS [option...]: starts a server whose clock stands still
begin() {
    clock "$1" "$2"
    name=$1
    shift 2
    start "$name" "$@"
}

# clock NAME MILLISECONDS: sets the clock of a server
clock() {
    mkdir -p "$work/$1"
    export CLOCK="$work/$1/clock"        # of servers that start now
    /usr/bin/python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("q", int(sys.argv[1])))' "$2" 1<>"$CLOCK"
}

# The model sets the clock of the master back and forth, at most 20 days. The
# replica's clock is 63 years ahead.
set -- "${1:-20000}" "${2:-1}" $(free 4)
begin master $now --port "$3" --repl-timeout 2000000 --repl-backlog-ttl 0
begin replica 6000000000000 --port "$4" --replicaof 127.0.0.1 "$3" \
    --repl-timeout 2000000
until_says replica master_link_status:up info replication
if ! /usr/bin/python3 examples/redis/tests/windows.py "$work/master/socket" settable
then
    stop replica
    stop master
    preload=
    start master
    start replica
    python windows master damaged "$work/replica/socket"
    python windows master watched
    python windows master room
    echo "skipped: what needs a clock, as this server counts on by itself (Valkey 9)"
    exit
fi
python windows master model "$work/replica/socket" "$1" "$2"
grep "more new items came" "$work/replica/log" && fail "a replica logs"
grep -q "more new items came" "$work/master/log" || fail "the master does not log"

ask replica replicaof no one >/dev/null
clock replica $now
clock master $now
python windows master damaged "$work/replica/socket"
python windows master watched
python windows master room
python windows master renewed
python windows master early "$work/master/log"
stop replica
stop master

aof="--appendonly yes --appendfsync always"      # so that a kill loses nothing
begin data $now $aof --aof-use-rdb-preamble no
python windows data fill
again "AOF of BW.ADDAT" KILL $aof --aof-use-rdb-preamble no
python windows data check
clock data $((now + 7200000))
again "the same two hours later" KILL $aof --aof-use-rdb-preamble no
clock data $now
ask data bgrewriteaof >/dev/null
rewritten data
grep -q BW.LOAD "$work"/data/appendonlydir/*.base.aof || fail "no BW.LOAD"
again "AOF of BW.LOAD" KILL $aof
ask data bgrewriteaof >/dev/null
rewritten data
again "AOF that begins with RDB" KILL $aof
python windows data check
clock data $((now + 7200000))
again "two hours later" KILL $aof
python windows data late
stop data
echo "restarts: the windows are the same, bit for bit, also two hours later"

# A failover to a server whose clock is wrong
for wrong in -5000 5000; do
    begin master $now --port "$3"
    begin replica $((now + wrong * 1000)) --port "$4" --replicaof 127.0.0.1 "$3"
    until_says replica master_link_status:up info replication
    ask master flushall >/dev/null
    python windows master fill
    until_says replica "$(ask master debug digest)" debug digest
    python windows replica check         # by the master's clock
    stop master KILL
    ask replica replicaof no one >/dev/null
    python windows replica promoted "$wrong"
    begin master $now --port "$3" --replicaof 127.0.0.1 "$4"
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
