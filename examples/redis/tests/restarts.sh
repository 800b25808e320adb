# Run by `make check-redis`: data after restarts from RDB and append-only files.
. examples/redis/tests/server.sh
build

quietly() {
    said=$(ask "$@") && [ "${said#*rr}" = "$said" ] || fail "$*: $said"
}

# again HOW SIGNAL ROUNDS [option...]: stops the server by the signal and starts
# it with the options. Then the data must be the same, bit for bit, and all items
# of these rounds must be found.
again() {
    was=$(ask data debug digest)
    how=$1 rounds=$3
    stop data "$2"
    shift 3
    start data "$@"
    [ "$(ask data debug digest)" = "$was" ] || fail "$how: the data differs"
    python client data check $rounds
    echo "$how: all data is there after a restart"
}

start data
python client data fill A
quietly data config set save '3600 1'
again "RDB" TERM A
quietly data config set aof-use-rdb-preamble no
# Otherwise Redis may write after it replies, if the disk is busy: a kill would
# lose that.
quietly data config set appendfsync always
quietly data config set appendonly yes
rewritten data
python client data fill B
again "AOF of commands" KILL "A B" --appendonly yes --appendfsync always
quietly data bgrewriteaof
rewritten data
python client data fill C
again "AOF that begins with RDB" KILL "A B C" --appendonly yes --appendfsync always
stop data
