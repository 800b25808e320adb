# Sourced by the scripts beside it: builds the module, and starts and stops
# servers. Each server has its own folder in $work. At the end all are stopped and
# $work is removed. Without it, a test that fails would leave its servers running.
# To test another Redis, or Valkey, set $REDIS_SERVER.
server=${REDIS_SERVER:-redis-server}
work=$(mktemp -d "${TMPDIR:-/tmp}/redis.XXXXXX") || exit 2
export PYTHONDONTWRITEBYTECODE=1        # no __pycache__ in tests/
trap 'stop_all; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

. tests/helpers.sh                # for `need`

fail() {
    echo "redis: $*" >&2
    exit 1
}

module=$work/bloom.redis.so
golden=$work/golden          # what a real RedisBloom wrote
sh tests/fuzz/unpack.sh examples/redis/tests/golden.txt "$golden"
preload= arguments=          # LD_PRELOAD, and the arguments of the module

# build [option...]: compiles the module. A warning is an error. run.sh does so once,
# for all scripts that build it without options.
build() {
    [ -z "$BUILT" ] || [ $# -gt 0 ] || { module=$BUILT; return; }
    need "$server" redis-server
    need redis-cli redis-tools
    need "python3 with redis" python3-redis "/usr/bin/python3 -c 'import redis'"
    need gcc gcc                # for AddressSanitizer
    enough
    sh examples/redis/header.sh || fail "no redismodule.h"
    ${CC:-cc} -std=c99 -O2 -Wall -Wextra -pedantic -Wconversion \
        -Wsign-conversion -Wshadow -shared -fPIC -I. -isystem build "$@" \
        examples/redis/module.c -o "$module" 2>"$work/warnings"
    status=$?
    cat "$work/warnings" >&2
    [ $status -eq 0 ] && [ ! -s "$work/warnings" ] ||
        fail "the module does not compile without warnings"
}

# start NAME [option...]: starts a server with the socket $work/NAME/socket
start() {
    name=$1
    shift
    mkdir -p "$work/$name"
    LD_PRELOAD=$preload "$server" --bind 127.0.0.1 --port 0 --save '' \
        --dir "$work/$name" --unixsocket "$work/$name/socket" \
        --enable-debug-command yes --repl-diskless-sync-delay 0 \
        --loadmodule "$module" $arguments "$@" >>"$work/$name/log" 2>&1 &
    echo $! >"$work/$name/pid"
    tries=0
    until [ "$(ask "$name" ping 2>&1)" = PONG ]; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] && kill -0 "$(cat "$work/$name/pid")" 2>/dev/null ||
            { tail -n 20 "$work/$name/log"; fail "$name does not start"; }
        sleep 0.1
    done
}

ask() {
    to=$work/$1/socket
    shift
    redis-cli -s "$to" "$@"
}

# stop NAME [signal]: by default TERM, after which the server saves its data
stop() {
    pid=$(cat "$work/$1/pid")
    rm "$work/$1/pid"
    kill -"${2:-TERM}" "$pid"
    wait "$pid" 2>/dev/null
}

# free N: prints N free ports. The ports 10000 higher, for the cluster bus, are
# free, too. Simultaneous runs begin their search at different ports.
free() {
    /usr/bin/python3 -c '
import os, socket, sys
def taken(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0
print(*[p for p in range(21000 + os.getpid() % 80 * 100, 30000)
        if not taken(p) and not taken(p + 10000)][:int(sys.argv[1])])' "$1"
}

# until_says NAME WORD COMMAND...: waits until the reply contains the word
until_says() {
    name=$1 word=$2 tries=0
    shift 2
    until ask "$name" "$@" 2>&1 | grep -q "$word"; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || fail "$name: the reply to $* does not show $word"
        sleep 0.1
    done
}

# rewritten NAME: waits until BGREWRITEAOF has succeeded
rewritten() {
    until ask "$1" info persistence | grep -q '^aof_rewrite_in_progress:0' &&
          ask "$1" info persistence | grep -q '^aof_rewrite_scheduled:0'; do
        sleep 0.1
    done
    ask "$1" info persistence | grep -q '^aof_last_bgrewrite_status:ok' ||
        fail "BGREWRITEAOF failed"
}

# again HOW SIGNAL [option...]: stops the server `data` by the signal and starts it
# with the options. Then the data must be the same, bit for bit.
again() {
    was=$(ask data debug digest)
    how=$1
    stop data "$2"
    shift 2
    start data "$@"
    [ "$(ask data debug digest)" = "$was" ] || fail "$how: the data differs"
    echo "$how: all data is there after a restart"
}

stop_all() {
    for running in "$work"/*/pid; do
        [ ! -f "$running" ] || kill -9 "$(cat "$running")" 2>/dev/null
    done
    wait
}

# python SCRIPT NAME WORD...: runs SCRIPT.py with the socket of server NAME
python() {
    script=examples/redis/tests/$1.py to=$work/$2/socket
    shift 2
    /usr/bin/python3 "$script" "$to" "$@" || fail "$script $*"
}
