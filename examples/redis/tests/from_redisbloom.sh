# Run by `make check-redis`: loads what a real RedisBloom wrote (golden.txt):
# dumps, RDB files, append-only files, old encodings, unfinished dumps. Nothing else
# notices a false negative of a moved filter, or a file that RedisBloom cannot read
# again.
. examples/redis/tests/server.sh
build

# files NAME: puts RedisBloom's file into the folder of server NAME, and sets
# $options for that server
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
python from_redisbloom dumps old
python from_redisbloom dumps golden $golden
python from_redisbloom dumps grown $golden
stop dumps

for name in rdb aof-rdb aof-aof; do
    files $name
    start $name $options
    python from_redisbloom $name loaded $golden
    python from_redisbloom $name unfinished $golden
    ask $name config set aof-use-rdb-preamble no >/dev/null
    [ $name = rdb ] && ask $name config set save '3600 1' >/dev/null ||
        { ask $name bgrewriteaof >/dev/null; rewritten $name; }
    stop $name
    start $name $options
    python from_redisbloom $name unfinished $golden
    ask $name del half1 half2 half3 >/dev/null
    python from_redisbloom $name loaded $golden
    stop $name
    echo "$name: a server starts from RedisBloom's file, then from its own"
done

# A rate of 0.01 is changed to 1.28: the server logs the reason and does not start
bend='s/{\x14\xaeG\xe1z\x84?/{\x14\xaeG\xe1z\xf4?/'
for name in rdb aof-aof; do
    files $name
    for file in "$work/$name/dump.rdb" "$folder/appendonly.aof.1.base.aof"; do
        [ ! -f "$file" ] || LC_ALL=C sed -i "$bend" "$file"
    done
    (trap - EXIT; start $name --rdbchecksum no $options) >"$work/said" 2>&1 &&
        fail "$name: the server loaded a corrupted file"
    grep -o 'Bloom filter.*bad data.*' "$work/$name/log" ||
        fail "$name: the log gives no reason"
done
