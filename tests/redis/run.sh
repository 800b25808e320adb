# Run by `make interop`: the Redis module in examples/redis on a redis-server of
# its own. Replies and errors word for word; python3-redis's bf() client; data
# that must be there again after restarts; malformed payloads.
. tests/redis/server.sh
build

# tests/redis/talk.txt has commands, and what redis-cli must print ("3>": RESP3)
start talk
while read -r mark line; do
    case $mark in
    '>') printf '%s\n' "> $line"
         printf '%s\n' "$line" | ask talk --no-raw ;;
    '3>') printf '%s\n' "3> $line"
          printf '%s\n' "$line" | ask talk -3 --no-raw ;;
    esac
done <tests/redis/talk.txt | sed '/^([0-9.]*s)$/d' >"$work/said"
diff tests/redis/talk.txt "$work/said" || fail "expected (<), but said (>)"
echo "$(grep -c '^3*>' tests/redis/talk.txt) commands answered word for word"

client talk client || fail "python3-redis's client"
client talk malformed || fail "malformed payloads"
client talk hostile || fail "heads of 1 MB"
stop talk

# The same in a module that watches itself
need gcc gcc
was="$module"
module=$PWD/build/bloom-watched.so
CC=gcc build -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
export ASAN_OPTIONS=detect_leaks=0
start watched
client watched malformed >"$work/said" ||
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
    client data check $rounds || fail "$how: lost data"
    echo "$how: a restart keeps all"
}

quietly() {
    said=$(ask data "$@") && [ "${said#*rr}" = "$said" ] || fail "$*: $said"
}

start data
client data fill A || fail fill
quietly config set save '3600 1'
again "RDB" TERM A
quietly config set aof-use-rdb-preamble no
quietly config set appendonly yes
rewritten data
client data fill B || fail fill
again "AOF of commands" KILL "A B" --appendonly yes
quietly bgrewriteaof
rewritten data
client data fill C || fail fill
again "AOF that begins with RDB" KILL "A B C" --appendonly yes
