# Run by `make crash`: kills the bloom command while it writes, fills its disk,
# and gives it files that it cannot read or write. Needs root, to mount a small
# tmpfs.
# usage: crash.sh FOLDER [RUNS]     FOLDER has bloom, kill, stop, fast_clock.so;
#                                   RUNS: default 100; 1000 take 20 minutes
built=$(cd "$1" && pwd)
bloom=$built/bloom kill=$built/kill stop=$built/stop clock=$built/fast_clock.so
kills=${2:-100}
work=$(cd "$(dirname "$0")/../../.." && pwd)/build/crash.$$
mkdir -p "$work" && cd "$work" || exit 2
trap 'cd / && umount "$work/disk" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
LC_ALL=C export LC_ALL
. ../../tests/helpers.sh
. ../../examples/command/tests/until.sh

refused() {     # refused FILE WHY COMMAND...: status 2, one message, no output
    message="bloom: $1: $2"
    shift 2
    "$@" >out 2>err </dev/null
    [ $? = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
        grep -qxF -e "$message" err && return
    echo "    expected: $message"
    echo "    got:      $(cat err)"
    false
}
lines() { awk -v i="$1" -v n="$2" 'BEGIN { for (; n-- > 0; i++) print i }'; }

need strace strace
enough

# ---- Killed: see kill.c ----------------------------------------------------

lines 1 100000 >a; lines 90001 20000 >b
cat a b >ab
for f in a b; do "$bloom" build -n 300000 $f.bloom $f || exit 2; done
"$bloom" build -n 300000 whole ab || exit 2
"$bloom" uniq -f a.chain -n 50000 <a >/dev/null && cp a.chain chain &&
    "$bloom" uniq -f chain <b >/dev/null || exit 2
"$bloom" uniq -f a.window --last 50000 <a >a.printed && cp a.window window &&
    "$bloom" uniq -f window <b >/dev/null || exit 2
"$bloom" build --foldable -n 300000 a.wide a && cp a.wide folded &&
    "$bloom" fold --by 5 folded || exit 2
: >nothing
tail -n 30000 a.printed >a.last         # the window still has all of these

"$kill" "$bloom" "$kills" >killed; grep -v ' passed, ' killed
check "killed runs" grep -q ' passed, 0 failed' killed
rm -f FILE.*

# ---- Each system call ------------------------------------------------------
# With strace: the command is killed at each system call on files, and each call
# that writes fails, as on a full or broken disk.

is_there() { [ -e "$1" ]; }
is_file() {     # is_file OLD: FILE equals OLD; OLD nothing: it does not exist
    if [ "$1" = nothing ]; then [ ! -e FILE ]; else cmp -s FILE "$1"; fi
}
knows_printed() {   # FILE contains what uniq printed, and what it had before
    "$bloom" check -v FILE printed "$known" >missing
    [ $? = 1 ] && [ ! -s missing ]
}
is_kept() {     # FILE stays, as it cannot be looked at, and FILE.kept.PID is new
    grep -qx "bloom: FILE: $why; it is left as it is, .* is in FILE.kept.*" err &&
        is_file "$old" && cmp -s FILE.kept.* "$new"
}
# at_call OLD NEW COMMAND...: with $fault at the $nth $call. The second fsync is
# that of the folder, when FILE is new already
at_call() {
    old=$1 new=$2 known=a
    [ "$old" != a.window ] || known=a.last
    shift 2
    rm -f FILE FILE.new.* FILE.kept.*
    [ "$old" = nothing ] || cp "$old" FILE
    strace -f -e trace=$call -e inject=$call:$fault:when=$nth -o trace \
        "$@" <b >printed 2>err
    status=$?
    if ! grep -qe INJECTED -e 'killed by' trace; then
        hit=0
        is_file "$new"
        return
    fi
    hit=1 hits=$((hits + 1))
    case $fault/$status in
    signal=*) is_file "$old" || is_file "$new" ;;
    */0) [ $call = read ] && is_file "$new" ;;  # as glibc reads files in /sys
    *) [ $status = 2 ] && { is_kept || grep -qx "bloom: .*: $why" err; } &&
           { is_file "$old" || { [ "$2" = uniq ] && knows_printed; } ||
             { [ $call$nth = fsync2 ] && is_file "$new"; }; } &&
           ! is_there FILE.new.* && ! is_there FILE.lock* ;;
    esac
}
verb() {        # verb NUMBER DO: DO OLD NEW COMMAND...; all verbs that write
    case $1 in
    0) $2 nothing whole "$bloom" build -n 300000 FILE ab ;;
    1) $2 a.bloom whole "$bloom" build -n 300000 FILE ab ;;
    2) $2 a.bloom whole "$bloom" uniq -f FILE ;;
    3) $2 a.chain chain "$bloom" uniq -f FILE ;;
    4) $2 nothing whole "$bloom" merge FILE a.bloom b.bloom ;;
    5) $2 a.bloom whole "$bloom" merge FILE a.bloom b.bloom ;;
    6) $2 a.bloom whole "$bloom" add FILE b ;;
    7) $2 a.window window "$bloom" uniq --last 50000 -f FILE ;;
    8) $2 a.wide folded "$bloom" fold --by 5 FILE ;;
    esac
}
at_each() {     # at_each FAULT CALLS [WHY [FIRST]]: every such call of each
                # verb, from number FIRST on
    fault=$1 why=$3
    for call in $2; do
        for v in 0 1 2 3 4 5 6 7 8; do
            nth=${4:-1} hit=1
            while [ $hit = 1 ]; do
                check "verb $v, $call $nth: $1" verb $v at_call
                nth=$((nth + 1))
            done
        done
    done
}
hits=0
at_each signal=KILL 'openat read write fcntl fchmod fsync close rename unlink'
echo "killed at $hits system calls"
check "more than 150 calls" [ $hits -gt 150 ]
hits=0
: >FILE
at_each error=ENOSPC 'fallocate write fsync rename' 'No space left on device'
at_each error=EIO 'fallocate write fsync rename' 'Input/output error'
at_each error=EIO ftruncate 'Input/output error'
at_each error=EIO read 'Input/output error' 2   # the loader calls the first
echo "$hits system calls made to fail"
check "more than 40 calls" [ $hits -gt 40 ]
fault=error=ENOLCK why='No locks available' call=fcntl
nth=4+                          # the first three calls do not lock
for v in 0 1 2 3 4 5 6 7 8; do check "verb $v: no locks" verb $v at_call; done
rm -f FILE FILE.*

# ---- Stopped, and more than one at once: see stop.c ------------------------

rm -f FILE FILE.*
"$stop" "$bloom" "$clock" $((kills / 4)) >stopped 2>&1; grep -v ' passed, ' stopped
check "stopped runs" grep -q ' passed, 0 failed' stopped

# ---- The lock removed, or FILE replaced: see stop.c --------------------------
# Eight processes at once, as the runs wait most of the time

mkdir replaced
for part in 1 2 3 4 5 6 7 8; do
    mkdir replaced/$part
    (cd replaced/$part && exec "$stop" "$bloom" - $(((kills + 15) / 16)) >out) &
done
wait
grep -h FAILED replaced/?/out
cat replaced/?/out | awk '/ kept$/ { kept += $(NF - 1); runs += $(NF - 9) }
    END { print runs " runs whose lock or FILE went, " kept " of them kept" }'
check "replaced runs" \
    [ "$(cat replaced/?/out | grep -c ' passed, 0 failed')" = 8 ]
# FILE is replaced while the run is stopped in a system call: in the first fsync,
# as the new file is written to the disk, and in the second one, that of the
# folder, right after the rename
at_fsync() {    # at_fsync NUMBER: replaces FILE there; sets status
    rm -f FILE FILE.*; cp a.bloom other; cp a.bloom FILE; : >trace
    strace -f -e trace=fsync -e inject=fsync:signal=STOP:when=$1 -o trace \
        "$bloom" uniq -f FILE <b >printed 2>err & pid=$!
    until_ grep -q 'stopped by SIGSTOP' trace
    mv other FILE; kill -CONT "$(sed 's/ .*//; q' trace)"
    wait $pid; status=$?
    check "replaced at fsync $1: it stays" cmp -s FILE a.bloom
}
at_fsync 1
check "replaced before the rename: status $status" [ $status = 2 ]
check "replaced before the rename: kept" \
    [ "$("$bloom" check -v FILE.kept.* printed | wc -l)" = 0 ]
at_fsync 2
check "replaced after the last save: status $status" [ $status = 0 ]
check "replaced after the last save: nothing else" [ "$(ls FILE*)" = FILE ]

# ---- A full disk -----------------------------------------------------------

"$bloom" build -n 2000 small b 2>/dev/null
mkdir disk
if mount -t tmpfs -o size=800k tmpfs disk 2>err; then
    cp a.bloom disk/f
    full='No space left on device'
    for room in 0 4 8 400 ; do
        rm -f disk/fill
        used=$(du -k disk/f | awk '{ print $1 }')
        dd if=/dev/zero of=disk/fill bs=1024 count=$((800 - used - room)) \
            2>/dev/null
        for verb in "build -n 300000 disk/f ab" "uniq -f disk/f" \
                    "merge disk/f a.bloom b.bloom"; do
            "$bloom" $verb <b >/dev/null 2>err
            check "disk full, $room kB: $verb: status" [ $? = 2 ]
            check "disk full: message" \
                [ "$(cat err)" = "bloom: disk/f: $full" ]
            check "disk full: as it was" cmp -s disk/f a.bloom
            check "disk full: nothing beside it: $(ls disk | tr '\n' ' ')" \
                [ "$(ls disk | grep -c -e new -e lock)" = 0 ]
        done
    done
    # FILE records what was printed, even if its own disk is full
    all_known() {
        "$bloom" check -v disk/f printed >missing
        [ $? = 1 ] && [ ! -s missing ] && [ $status = "$1" ] &&
            [ -s printed ] && [ "$(ls disk | grep -v -e '^f$' -e fill)" = "" ]
    }
    small_disk() {      # small_disk STATUS OPTIONS...: uniq of 400000 lines
        wanted=$1
        shift
        rm -f disk/*
        lines 1 400000 | "$bloom" uniq -f disk/f "$@" >printed 2>err
        status=$?
        check "small disk, $*: what was printed is known" all_known $wanted
    }
    small_disk 2 -n 100
    check "small disk: message" [ "$(cat err)" = "bloom: disk/f: $full" ]
    # Once there is room, it grows, and keeps the rate: of 400000 lines, at most
    # 0.1% are lost, and four standard deviations more
    mount -o remount,size=9m disk; mv printed before
    lines 1 400000 | "$bloom" uniq -f disk/f >printed 2>err
    check "more room: status" [ $? = 0 ]
    check "more room: no message: $(cat err)" [ ! -s err ]
    count=$(cat before printed | wc -l)
    check "more room: $count of 400000 are printed" [ $count -ge 399520 ]
    rm -f disk/*; mount -o remount,size=800k disk
    small_disk 2 -n 50000 --save 1
    small_disk 0 -n 400000 -p 0.1 --fixed
    rm -f disk/*
    lines 1 9 | "$bloom" uniq -f disk/f -n 1e6 >printed 2>err
    check "no space at all: status" [ $? = 2 ]
    check "no space at all: message" [ "$(cat err)" = "bloom: disk/f: $full" ]
    check "no space at all: nothing is printed" [ ! -s printed ]
    check "no space at all: no FILE" [ "$(ls disk)" = "" ]
    filled() {          # filled STATUS OPTIONS...: another program fills it
        wanted=$1
        shift
        rm -f disk/*; : >printed
        { lines 1 900; until_ grep -qx 900 printed
          dd if=/dev/zero of=disk/fill 2>/dev/null
          case $* in *--save*) until_ [ -s disk/f ] ;; esac
          lines 901 700; } |
            "$bloom" uniq -f disk/f -p 0.01 "$@" >printed 2>err
        status=$?
        check "filled meanwhile, $*: what was printed is known" \
            all_known $wanted
    }
    filled 0 -n 9000                # enough space until the end,
    filled 2 -n 1000                # not enough for a new link,
    filled 2 -n 9000 --save 1       # not enough to save twice
    umount disk
else
    echo "skipped: a full disk, as mount fails: $(cat err)"
fi

# ---- Files that are not filters --------------------------------------------

cp small safe
try_all() {     # try_all FILE WHY: each verb that reads a filter
    file=$1
    check "check" refused "$file" "$2" "$bloom" check "$file" a
    check "info" refused "$file" "$2" "$bloom" info "$file"
    check "dump" refused "$file" "$2" "$bloom" dump "$file"
    check "merge from" refused "$file" "$2" "$bloom" merge safe small "$file"
    check "safe is as it was" cmp -s safe small
}
no_file='is not a regular file; give another name for the filter'
mkdir folder
try_all folder 'Is a directory'
try_all nothing 'is empty; make a filter with bloom build or bloom uniq -f'
mkfifo fifo
for verb in "uniq -f fifo" "build fifo a" "merge fifo small small"; do
    check "$verb" refused fifo "$no_file" timeout 300 "$bloom" $verb
    check "still a FIFO" [ -p fifo ]
done
for verb in "uniq -f folder" "merge folder small small"; do
    check "$verb" refused folder "$no_file" "$bloom" $verb
done

# As root may read all files, the user nobody tries, in a folder that this user
# cannot write
as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
cp small locked; chmod 600 locked
shared=$(mktemp -d) && chmod 755 "$shared" && cp "$bloom" "$shared/bloom" &&
    cp small "$shared/locked" && chmod 600 "$shared/locked" &&
    cp small "$shared/open" && chmod 644 "$shared/open"
mkdir "$shared/own" && cp small "$shared/own/locked" &&
    chmod 400 "$shared/own/locked" && chown -R 65534 "$shared/own"
for verb in check info dump "uniq -f" "merge $shared/own/new $shared/open"; do
    check "unreadable: $verb" refused "$shared/locked" 'Permission denied' \
        $as_nobody "$shared/bloom" $verb "$shared/locked"
done
for verb in "uniq -f" "build -n 5"; do
    check "read-only: $verb" refused "$shared/own/locked" 'Permission denied' \
        $as_nobody "$shared/bloom" $verb "$shared/own/locked"
    check "folder not writable: $verb" refused "$shared/open" \
        'Permission denied' $as_nobody "$shared/bloom" $verb "$shared/open"
done
check "nothing new" [ "$(ls "$shared" "$shared/own" | grep -c .)" = 7 ]
check "nothing changed" eval 'cmp -s small "$shared/locked" &&
    cmp -s small "$shared/open" && cmp -s small "$shared/own/locked"'
# FILE keeps its owner and its group. Who may not give them to the new file is
# refused, as its owner could not read it afterwards
owner() { stat -c %u:%g:%a "$1"; }
for verb in "add" "uniq -f" "build -n 500" "merge"; do
    cp small "$shared/open"; chown 65534:1 "$shared/open"
    chmod 640 "$shared/open"
    case $verb in
    merge) set -- small small ;;
    *) set -- a ;;
    esac
    number=$(stat -c %i "$shared/open")
    "$bloom" $verb "$shared/open" "$@" >out 2>err
    check "$verb as root: written" [ $number != "$(stat -c %i "$shared/open")" ]
    check "$verb as root: its owner" [ "$(owner "$shared/open")" = 65534:1:640 ]
done
cp small "$shared/own/mine"; chmod 666 "$shared/own/mine"       # of root
check "owner" refused "$shared/own/mine" 'Operation not permitted' \
    $as_nobody "$shared/bloom" uniq -f "$shared/own/mine"
check "as it was" cmp -s small "$shared/own/mine"
check "its owner stays" [ "$(owner "$shared/own/mine")" = 0:0:666 ]
# A lock that a killed run of root leaves has the rights of FILE. One that the
# owner of FILE cannot open is named. A lock that was there keeps its rights
add_mine() { $as_nobody "$shared/bloom" add "$shared/own/mine" "$shared/few"; }
lines 1 9 >"$shared/few"; rm "$shared/own/mine"; mkfifo pipe
"$bloom" build "$shared/own/mine" "$shared/few" || exit 2
chown 65534:65534 "$shared/own/mine"
chmod 660 "$shared/own/mine"; lock=$shared/own/mine.lock
"$bloom" add "$shared/own/mine" pipe & pid=$!
exec 9>pipe; kill -9 $pid; wait $pid 2>err; exec 9>&-
check "root's lock: $(owner "$lock")" [ "$(owner "$lock")" = 65534:65534:660 ]
check "root's lock is taken by the owner of FILE" add_mine
check "and removed" [ ! -e "$lock" ]
: >"$shared/secret"; chmod 600 "$shared/secret"; ln "$shared/secret" "$lock"
check "a lock of root" refused "$lock" 'Permission denied' add_mine
check "a lock that is a link" "$bloom" add "$shared/own/mine" "$shared/few"
check "its file is as it was" [ "$(owner "$shared/secret")" = 0:0:600 ]
rm -rf "$shared"

# ---- Every length, and every bit -------------------------------------------
# Of a filter, a chain and a window. After the header of the filter, only each
# 29th length and bit, unless there are 1000 runs
step=29
[ "$kills" -lt 1000 ] || step=1

lines 1 9 | "$bloom" build -n 40 -p 0.1 tiny - &&
    lines 1 3 | "$bloom" uniq -n 1 -p 0.5 -l classic -f tiny-chain >out &&
    lines 1 3 | "$bloom" uniq --last 2 -p 0.5 -l classic -f tiny-window >out ||
    exit 2
text() { (cd ../.. && error_text "$1"); }
not=$(text NOT_A_FILTER) short=$(text TRUNCATED) seal=$(text CORRUPT)
every_length() {        # every_length FILE
    size=$(wc -c <$1) found=0 tried=0 length=1  # length 0 is a new FILE
    while [ $length -lt "$size" ]; do
        head -c $length $1 >bad; cp bad was
        why=$short
        [ $length -ge 4 ] || why=$not
        refused bad "$why" "$bloom" check bad a &&
            "$bloom" uniq -f bad <b >out 2>&1
        [ $? = 2 ] && cmp -s bad was && found=$((found + 1))
        tried=$((tried + 1))
        length=$((length + (length < 40 ? 1 : step)))
    done
    check "$1: $found of $tried lengths refused" [ $found = $tried ]
}

# A flipped bit in a header may give another message. A flip could remove a seal
# only if the seal had a single bit.
every_bit() {   # every_bit FILE HEADERS: the headers are its first bytes
    od -An -v -tu1 $1 | tr -s ' ' '\n' | grep . >bytes
    found=0 bit=0 tried=0
    why="$seal|$short|$(text BAD_HEADER)|$(text WRONG_VERSION)"
    why="$why|$(text UNSUPPORTED)|not a Bloom filter .*"
    why="$why|not enough memory for [0-9]* bytes"
    why="$why|extra bytes follow the filter; use an intact .*"
    for byte in $(cat bytes); do
        flip=1
        while [ $flip -lt 256 ]; do
            flip=$((flip * 2)) bit=$((bit + 1))
            [ $((bit % step)) = 0 ] || { [ $1 = tiny ] && [ $bit -le 256 ]; } ||
                continue
            tried=$((tried + 1))
            cp $1 bad
            printf "\\$(printf %o $((byte ^ (flip / 2))))" |
                dd of=bad bs=1 seek=$(((bit - 1) / 8)) conv=notrunc 2>/dev/null
            [ $bit -gt $((8 * $2)) ] && why=$seal
            "$bloom" check bad a >out 2>err
            if [ $? = 2 ] && [ ! -s out ] &&
                grep -qxE "bloom: bad: ($why)" err; then
                found=$((found + 1))
            else
                echo "    $1, bit $bit: $(cat err)"
            fi
        done
    done
    check "$1: $found of $tried flipped bits detected" [ $found = $tried ]
}
every_length tiny; every_bit tiny 32
every_length tiny-chain; every_bit tiny-chain "$(wc -c <tiny-chain)"
every_length tiny-window; every_bit tiny-window "$(wc -c <tiny-window)"

counted
