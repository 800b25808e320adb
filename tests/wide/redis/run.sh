# Run by `make interop`: the Redis module in examples/redis on a redis-server of
# its own. Replies and errors word for word; python3-redis's bf() client; data
# that must be there again after restarts; malformed payloads.
. tests/wide/redis/server.sh
build

quietly() {
    said=$(ask "$@") && [ "${said#*rr}" = "$said" ] || fail "$*: $said"
}

# talk.txt has commands, and what redis-cli must print ("3>": RESP3)
start talk
while read -r mark line; do
    case $mark in
    '>') printf '%s\n' "> $line"
         printf '%s\n' "$line" | ask talk --no-raw ;;
    '3>') printf '%s\n' "3> $line"
          printf '%s\n' "$line" | ask talk -3 --no-raw ;;
    esac
done <tests/wide/redis/talk.txt | sed '/^([0-9.]*s)$/d' >"$work/said"
diff tests/wide/redis/talk.txt "$work/said" || fail "expected (<), but said (>)"
echo "$(grep -c '^3*>' tests/wide/redis/talk.txt) commands answered word for word"

python client talk client
python hostile talk malformed
quietly talk config set sanitize-dump-payload yes
python hostile talk malformed 2
python hostile talk hostile
stop talk

# The same in a module that watches itself
need gcc gcc
was="$module"
module=$PWD/build/bloom-watched.so
CC=gcc build -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
export ASAN_OPTIONS=detect_leaks=0
start watched
(trap - EXIT; python hostile watched malformed
 python limits watched again tests/wide/redis/golden
 python limits watched arriving) >"$work/said" ||
    { cat "$work/said" "$work/watched/log"; fail "malformed payloads"; }
stop watched
module=$was preload=
echo "AddressSanitizer and UBSan: silent"

# again HOW SIGNAL ROUNDS [option...]: restarted so, the data must be the same,
# bit for bit, and what was added in those rounds found
again() {
    was=$(ask data debug digest)
    how=$1 rounds=$3
    stop data "$2"
    shift 3
    start data "$@"
    [ "$(ask data debug digest)" = "$was" ] || fail "$how: other data"
    python client data check $rounds
    echo "$how: a restart keeps all"
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
