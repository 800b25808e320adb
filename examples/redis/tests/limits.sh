# Run by `make check-redis`: the limits of a key's growth, merges, memory, the rate of
# NONSCALING filters, chunks that are loaded twice, and what replicas and listeners
# receive. Nothing else notices a client that takes all memory, or a replica that
# lacks an item.
. examples/redis/tests/server.sh
build

start main
for what in growth full filters follower "merged $golden" "versions $golden" \
    "again $golden" room arriving appended watched
do
    python limits main $what
done
# The log has the first 64 bytes of a key.
grep -q 'Bloom filter "r\\x0Aforged\(\\x00\)\{56\}\.\.\.": ' "$work/main/log" ||
    fail "a key forges a line of the log"
set -- $(free 2)
ask main config set port "$1" >/dev/null
start other --port "$2" --replicaof 127.0.0.1 "$1"
until_says other master_link_status:up info replication
python limits main effects "$work/other/socket"
