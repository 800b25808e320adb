# Run by `make interop`: bounds of what a key may grow to, memory as it is told
# and as it is, chunks that are loaded again, what replicas and listeners hear.
. tests/wide/redis/server.sh
build

start main
for what in growth filters follower 'again tests/wide/redis/golden' memory room \
    arriving appended watched; do
    python limits main $what
done
set -- $(free 2)
ask main config set port "$1" >/dev/null
start other --port "$2" --replicaof 127.0.0.1 "$1"
until_says other master_link_status:up info replication
python limits main effects "$work/other/socket"
