# Run by `make check-redis`: replies and error messages word for word, and the bf()
# client of python3-redis.
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
