# Run by `make check-redis`: what RedisBloom 2 accepted, with capacities and
# expansions above the limits of this module, is accepted from an append-only file
# and from a master. What cannot be accepted stops the server:
# only this notices if it goes on with fewer items.
. examples/redis/tests/server.sh
build

# file NAME WHAT: makes an append-only file for server NAME
file() {
    folder=$work/$1/appendonlydir
    mkdir -p "$folder"
    echo 'file appendonly.aof.1.base.aof seq 1 type b' \
        >"$folder/appendonly.aof.manifest"
    python repeated "$1" "$2" "$folder/appendonly.aof.1.base.aof"
}

# stopped NAME WORDS: the log must give these words as the reason
stopped() {
    grep "Bloom filter \"k\": .*$2.*" "$work/$1/log" | sed 's/.*Bloom/Bloom/' |
        grep . || { cat "$work/$1/log"; fail "$1: the log gives no reason"; }
    grep -q 'The server stops' "$work/$1/log" || fail "$1: it did not stop"
}

file data written
start data --appendonly yes
python repeated data check
stop data

file wrong wrong
(trap - EXIT; start wrong --appendonly yes) >/dev/null 2>&1 &&
    fail "the server starts without a filter of its file"
stopped wrong 'could not create filter.*bf.insert from the append-only file'

start replica
python repeated replica sent
stop replica
start loading
python repeated loading loading
stop loading
for what in capacity payload window; do
    start replica-$what
    python repeated replica-$what refused $what
    rm "$work/replica-$what/pid"
done
stopped replica-capacity 'could not create filter.*bf.insert from the master'
stopped replica-payload 'bad data'
stopped replica-window 'not found.*bw.addat from the master'
