# Run by `make check-redis`: corrupted and hostile payloads. None may crash or block
# the server. Nothing else runs a server with AddressSanitizer.
. examples/redis/tests/server.sh
build

start plain
ask plain config set sanitize-dump-payload yes >/dev/null
python hostile plain malformed 2
python hostile plain hostile
stop plain

# The same with a module that is built with AddressSanitizer and UBSan
if [ -n "$REDIS_SERVER" ]; then
    echo "skipped: AddressSanitizer (only with Debian's redis-server)"
    exit
fi
module=$work/watched.so
CC=gcc build -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
export ASAN_OPTIONS=detect_leaks=0
start watched
(trap - EXIT; python hostile watched malformed
 python limits watched again "$golden"
 python limits watched arriving) >"$work/said" ||
    { cat "$work/said" "$work/watched/log"; fail "corrupted payloads"; }
stop watched
echo "AddressSanitizer and UBSan: no reports"
