# Run by `make interop`: what a real RedisBloom wrote (golden/) is
# loaded: dumps, RDB and append-only files, old encodings, half a dump.
. tests/wide/redis/server.sh
build
golden=tests/wide/redis/golden

moving() {
    to=$work/$1/socket
    shift
    /usr/bin/python3 tests/wide/redis/moving.py "$to" "$@" || fail "moving.py: $*"
}

# files NAME: NAME's folder with RedisBloom's file; options for the server
files() {
    folder=$work/$1/appendonlydir
    rm -rf "$work/$1"
    mkdir -p "$folder"
    if [ "$1" = rdb ]; then
        cp $golden/redisbloom.rdb "$work/$1/dump.rdb"
        options=
        return
    fi
    echo 'file appendonly.aof.1.base.aof seq 1 type b' \
        >"$folder/appendonly.aof.manifest"
    cp "$golden/redisbloom.${1#aof-}" "$folder/appendonly.aof.1.base.aof"
    options='--appendonly yes'
}

start dumps
moving dumps old
moving dumps golden $golden
moving dumps grown $golden
stop dumps

for name in rdb aof-rdb aof-aof; do
    files $name
    start $name $options
    moving $name loaded $golden
    moving $name unfinished $golden
    ask $name config set aof-use-rdb-preamble no >/dev/null
    [ $name = rdb ] && ask $name config set save '3600 1' >/dev/null ||
        { ask $name bgrewriteaof >/dev/null; rewritten $name; }
    stop $name
    start $name $options
    moving $name unfinished $golden
    ask $name del half1 half2 half3 >/dev/null
    moving $name loaded $golden
    stop $name
    echo "$name: a server begins with RedisBloom's file, and again with its own"
done

# A rate of 0.01 becomes 1.28: the server says why, and does not serve
bend='s/{\x14\xaeG\xe1z\x84?/{\x14\xaeG\xe1z\xf4?/'
for name in rdb aof-aof; do
    files $name
    for file in "$work/$name/dump.rdb" "$folder/appendonly.aof.1.base.aof"; do
        [ ! -f "$file" ] || LC_ALL=C sed -i "$bend" "$file"
    done
    (trap - EXIT; start $name --rdbchecksum no $options) >"$work/said" 2>&1 &&
        fail "$name: a bent file was taken"
    grep -o 'Bloom filter.*bad data.*' "$work/$name/log" ||
        fail "$name: no sentence in the log"
done
