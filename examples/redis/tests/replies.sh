# Run by `make check-redis`: replies and error messages word for word, the bf()
# client of python3-redis, and the program of README.md. Nothing else notices a
# reply that a client of RedisBloom does not understand.
. examples/redis/tests/server.sh
build

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

# The program of README.md that copies a key in chunks
start target
ask talk flushall >/dev/null
ask talk bf.insert seen capacity 20000000 items a b >/dev/null
sed -n '/^    import redis$/,/"BF.LOADCHUNK"/s/^    //p' examples/redis/README.md |
    sed "s,port=6379,unix_socket_path='$work/talk/socket',
         s,port=6380,unix_socket_path='$work/target/socket'," >"$work/program.py"
/usr/bin/python3 "$work/program.py" || fail "the program that copies a key"
[ "$(ask target bf.mexists seen a b c | paste -sd ' ')" = "1 1 0" ] &&
    [ "$(ask talk debug digest)" = "$(ask target debug digest)" ] ||
    fail "the copy of a key differs"
echo "the program of README.md copies a key"
