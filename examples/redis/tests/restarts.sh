# Run by `make check-redis`: data after restarts from RDB and append-only files.
# Nothing else notices filters that a restart changes.
. examples/redis/tests/server.sh
build

quietly() {
    said=$(ask "$@") && [ "${said#*rr}" = "$said" ] || fail "$*: $said"
}

start data
python client data fill A
quietly data config set save '3600 1'
again "RDB" TERM
python client data check A
quietly data config set aof-use-rdb-preamble no
# Otherwise Redis may write after it replies, if the disk is busy: a kill would
# lose that.
quietly data config set appendfsync always
quietly data config set appendonly yes
rewritten data
python client data fill B
again "AOF of commands" KILL --appendonly yes --appendfsync always
python client data check A B
quietly data bgrewriteaof
rewritten data
python client data fill C
again "AOF that begins with RDB" KILL --appendonly yes --appendfsync always
python client data check A B C
stop data
