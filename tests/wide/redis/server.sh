# Sourced by the scripts beside it: builds the module, starts and stops servers, each
# in a folder of its own under $work; all are stopped and gone at the end. The
# server is $REDIS_SERVER, if that is set: another one of Redis, or Valkey.
server=${REDIS_SERVER:-redis-server}
work=$(mktemp -d "${TMPDIR:-/tmp}/redis.XXXXXX") || exit 2
export PYTHONDONTWRITEBYTECODE=1        # no folder of its own in tests/
trap 'stop_all; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "redis: $*" >&2
    exit 1
}

need() {
    command -v "$1" >/dev/null || fail "needs $1: apt-get install $2"
}

# The header is in the source package only. Its deb-src lines are made from the
# system's own deb lines; their lists stay in build/, too.
fetch_header() {
    [ -s build/redismodule.h ] && return
    from=$PWD/build/redis-source
    mkdir -p "$from/lists/partial" "$from/cache/archives/partial"
    (. /etc/os-release &&
     apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) main' \
         'Identifier: Packages' 'Component: main' |
         grep " $VERSION_CODENAME" | sort -u) >"$from/sources.list"
    set -- apt-get -qq -o Dir::Etc::SourceList="$from/sources.list" \
        -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$from/lists" \
        -o Dir::Cache="$from/cache" -o APT::Sandbox::User=root
    "$@" update && (cd "$from" && "$@" source --download-only redis) &&
        tar xzf "$from"/redis_*.orig.tar.gz -C build --strip-components=2 \
            --wildcards '*/src/redismodule.h' && rm -rf "$from"
    [ -s build/redismodule.h ] || fail "no redismodule.h: needs deb-src redis"
}

module=$PWD/build/bloom.redis.so
preload= arguments=          # of the module
under=                       # what runs the server

# build [option...]: the module, without a warning
build() {
    need "$server" redis-server
    need redis-cli redis-tools
    /usr/bin/python3 -c 'import redis' 2>/dev/null ||
        fail "needs python3 with redis: apt-get install python3-redis"
    fetch_header
    ${CC:-cc} -std=c99 -O2 -Wall -Wextra -pedantic -Wconversion \
        -Wsign-conversion -Wshadow -shared -fPIC -I. -isystem build "$@" \
        examples/redis/module.c -o "$module" 2>"$work/warnings"
    status=$?
    cat "$work/warnings" >&2
    [ $status -eq 0 ] && [ ! -s "$work/warnings" ] ||
        fail "the module does not compile without a warning"
}

# start NAME [option...]: a server with the socket $work/NAME/socket
start() {
    name=$1
    shift
    mkdir -p "$work/$name"
    LD_PRELOAD=$preload $under "$server" --bind 127.0.0.1 --port 0 --save '' \
        --dir "$work/$name" --unixsocket "$work/$name/socket" \
        --enable-debug-command yes \
        --loadmodule "$module" $arguments "$@" >>"$work/$name/log" 2>&1 &
    echo $! >"$work/$name/pid"
    tries=0
    until [ "$(ask "$name" ping 2>&1)" = PONG ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] && kill -0 "$(cat "$work/$name/pid")" 2>/dev/null ||
            { tail -n 20 "$work/$name/log"; fail "$name does not start"; }
        sleep 0.1
    done
}

ask() {
    to=$work/$1/socket
    shift
    redis-cli -s "$to" "$@"
}

# stop NAME [signal]: after TERM, the default, it saves what is to be saved
stop() {
    pid=$(cat "$work/$1/pid")
    rm "$work/$1/pid"
    kill -"${2:-TERM}" "$pid"
    wait "$pid" 2>/dev/null
}

# free N: N ports of which 10000 higher ones, for the cluster's bus, are free. Runs
# side by side begin to look in different places.
free() {
    /usr/bin/python3 -c '
import os, socket, sys
def taken(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0
print(*[p for p in range(21000 + os.getpid() % 80 * 100, 30000)
        if not taken(p) and not taken(p + 10000)][:int(sys.argv[1])])' "$1"
}

# until_says NAME WORD COMMAND...: waits for a reply with that word in it
until_says() {
    name=$1 word=$2 tries=0
    shift 2
    until ask "$name" "$@" 2>&1 | grep -q "$word"; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || fail "$name: no $word in $*"
        sleep 0.1
    done
}

# rewritten NAME: waits for BGREWRITEAOF
rewritten() {
    until ask "$1" info persistence | grep -q '^aof_rewrite_in_progress:0' &&
          ask "$1" info persistence | grep -q '^aof_rewrite_scheduled:0'; do
        sleep 0.1
    done
    ask "$1" info persistence | grep -q '^aof_last_bgrewrite_status:ok' ||
        fail "BGREWRITEAOF"
}

stop_all() {
    for running in "$work"/*/pid; do
        [ ! -f "$running" ] || kill -9 "$(cat "$running")" 2>/dev/null
    done
    wait
}

# python SCRIPT NAME WORD...: what SCRIPT.py does to that server
python() {
    script=tests/wide/redis/$1.py to=$work/$2/socket
    shift 2
    /usr/bin/python3 "$script" "$to" "$@" || fail "$script $*"
}
