# Run by `make check-redis`: the Redis module in examples/redis on redis-servers that
# it starts. Tests replies and error messages word for word, the bf() client of
# python3-redis, data after restarts, and corrupted payloads.
. examples/redis/tests/server.sh
build

quietly() {
    said=$(ask "$@") && [ "${said#*rr}" = "$said" ] || fail "$*: $said"
}

# talk.txt contains commands (">", with RESP3 "3>") and what redis-cli must print.
start talk
while read -r mark line; do
    case $mark in
    '>') printf '%s\n' "> $line"
         printf '%s\n' "$line" | ask talk --no-raw ;;
    '3>') printf '%s\n' "3> $line"
          printf '%s\n' "$line" | ask talk -3 --no-raw ;;
    esac
done <examples/redis/tests/talk.txt | sed '/^([0-9.]*s)$/d' >"$work/said"
diff examples/redis/tests/talk.txt "$work/said" || fail "expected (<), but got (>)"
echo "$(grep -c '^3*>' examples/redis/tests/talk.txt) commands: replies as expected"

python client talk client
python hostile talk malformed
quietly talk config set sanitize-dump-payload yes
python hostile talk malformed 2
python hostile talk hostile
stop talk

# The same with a module that is built with AddressSanitizer and UBSan
need gcc gcc
was="$module"
module=$PWD/build/bloom-watched.so
CC=gcc build -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
export ASAN_OPTIONS=detect_leaks=0
start watched
(trap - EXIT; python hostile watched malformed
 python limits watched again "$golden"
 python limits watched arriving) >"$work/said" ||
    { cat "$work/said" "$work/watched/log"; fail "corrupted payloads"; }
stop watched
module=$was preload=
echo "AddressSanitizer and UBSan: no reports"

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
quietly data config set appendonly yes
rewritten data
python client data fill B
again "AOF of commands" KILL "A B" --appendonly yes
quietly data bgrewriteaof
rewritten data
python client data fill C
again "AOF that begins with RDB" KILL "A B C" --appendonly yes
stop data

# Limits of a key's growth, reported and real memory, chunks that are loaded twice,
# and what replicas and listeners receive
start main
for what in growth filters follower "again $golden" memory room \
    arriving appended watched; do
    python limits main $what
done
set -- $(free 2)
ask main config set port "$1" >/dev/null
start other --port "$2" --replicaof 127.0.0.1 "$1"
until_says other master_link_status:up info replication
python limits main effects "$work/other/socket"
