# Run by `make crash`: the bloom command is killed while it writes, and given
# files it cannot read or write. As root, as it uses up a disk (a small tmpfs).
# usage: crash.sh BLOOM STOP CLOCK [RUNS]       60 if not given; 1000 take minutes
bloom=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
stop=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
clock=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
kills=${4:-60}
work=$(cd "$(dirname "$0")/.." && pwd)/build/crash.$$
mkdir -p "$work" && cd "$work" || exit 2
trap 'cd / && umount "$work/disk" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
LC_ALL=C export LC_ALL
. ../../tests/count.sh

refused() {     # refused FILE WHY ARGUMENTS...: status 2, one line, no output
    message="bloom: $1: $2"
    shift 2
    "$@" >out 2>err </dev/null
    [ $? = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
        grep -qxF -e "$message" err && return
    echo "    wanted: $message"
    echo "    got:    $(cat err)"
    false
}
lines() { awk -v i="$1" -v n="$2" 'BEGIN { for (; n-- > 0; i++) print i }'; }
random() { od -An -N 4 -tu4 /dev/urandom | tr -d ' '; }

needs strace strace || exit 2

# ---- Killed ----------------------------------------------------------------
# 5 MB each: half of the kills come in the time that a whole run takes, the
# others soon after FILE.tmp.PID is there; half are halted before.

lines 1 100000 >a; lines 90001 20000 >b
cat a b >ab
for f in a b; do "$bloom" build -n 3000000 $f.bloom $f || exit 2; done
"$bloom" build -n 3000000 whole ab || exit 2
"$bloom" uniq -f a.chain -n 50000 <a >/dev/null && cp a.chain chain &&
    "$bloom" uniq -f chain <b >/dev/null || exit 2
: >nothing

ms() { echo $(($(date +%s%N) / 1000000)); }
whole_run=$(ms); "$bloom" build -n 3000000 FILE ab
whole_run=$(($(ms) - whole_run))

is_there() { [ -e "$1" ]; }
started_writing() {     # waits, at most as long as the command runs
    while [ -d /proc/$pid ] && ! is_there FILE.tmp.*; do :; done
}
halt() {        # halt FURTHER: for a moment, and if FURTHER is 1 it then goes on
    kill -STOP $pid
    sleep 0.001
    grep -q '^State:.T' /proc/$pid/status && halted=$((halted + 1))
    [ "$1" = 1 ] || return
    kill -CONT $pid
    sleep 0.00$((random_number % 10))
}
judge() {       # judge OLD NEW STATUS: FILE is one of them, NEW if all went well
    [ "$3" = 137 ] || ended=$((ended + 1))
    is_there FILE.tmp.* && left=$((left + 1))
    if [ ! -e FILE ]; then
        olds=$((olds + 1))
        [ "$1" = nothing ] && [ "$3" != 0 ]
    elif ! "$bloom" info FILE 2>err | grep -qx 'seal: *sealed and right'; then
        echo "    $(cat err)"
        false
    elif cmp -s FILE "$1"; then
        olds=$((olds + 1))
        [ "$3" != 0 ]
    else
        news=$((news + 1))
        cmp -s FILE "$2"
    fi
}
begin() {       # begin OLD
    rm -f FILE FILE.tmp.*
    [ "$1" = nothing ] || cp "$1" FILE
}
attack() {      # attack OLD NEW COMMAND...: one run, killed
    old=$1 new=$2
    shift 2
    begin "$old"
    random_number=$(random)
    "$@" <b >/dev/null 2>&1 &
    pid=$!
    [ "$late" = 1 ] && started_writing
    sleep "$(printf 0.%04d $((random_number % (late ? 100 : 10 * whole_run))))"
    [ $((i / 14 % 2)) = 0 ] || halt $((i / 28 % 2))
    kill -9 $pid
    wait $pid
    judge "$old" "$new" $?
}
verb() {        # verb NUMBER DO: DO OLD NEW COMMAND..., of all that write
    case $1 in
    0) $2 nothing whole "$bloom" build -n 3000000 FILE ab ;;
    1) $2 a.bloom whole "$bloom" build -n 3000000 FILE ab ;;
    2) $2 a.bloom whole "$bloom" uniq -f FILE ;;
    3) $2 a.chain chain "$bloom" uniq -f FILE ;;
    4) $2 nothing whole "$bloom" merge FILE a.bloom b.bloom ;;
    5) $2 a.bloom whole "$bloom" merge FILE FILE b.bloom ;;
    6) $2 a.bloom whole "$bloom" add FILE b ;;
    esac
}
olds=0 news=0 left=0 ended=0 halted=0 i=0
while [ $((i - ended)) -lt "$kills" ]; do
    late=$((i / 7 % 2))
    check "killed, run $i" verb $((i % 7)) attack
    i=$((i + 1))
done 2>/dev/null
echo "$i runs, $kills of them killed: $olds left the old file or none," \
    "$news the new one; $left with a FILE.tmp.PID beside it; $halted halted"
if [ "$kills" -ge 50 ]; then
    check "kills hit while it was written" [ $left -gt 0 ]
    check "old and new were both seen" [ $olds -gt 0 -a $news -gt 0 ]
    check "some were halted" [ $halted -gt 0 ]
fi

# ---- Each system call ------------------------------------------------------
# Killed at each of those that concern files, and each that writes failing: a
# disk full, or broken. strace does it.

untouched() {   # untouched OLD
    if [ "$1" = nothing ]; then [ ! -e FILE ]; else cmp -s FILE "$1"; fi
}
at_call() {     # at_call OLD NEW COMMAND...: with $fault at $nth $call
    old=$1 new=$2
    shift 2
    begin "$old"
    strace -f -e trace=$call -e inject=$call:$fault:when=$nth -o trace \
        "$@" <b >/dev/null 2>err
    status=$?
    case $fault in
    signal=*) judge "$old" "$new" $status ;;
    *) grep -q INJECTED trace || { cmp -s FILE "$new"; return; }
       [ $status = 2 ] && grep -qx "bloom: .*: $why" err &&
           untouched "$old" && ! is_there FILE.tmp.* ;;
    esac
}
at_each() {     # at_each FAULT CALLS [WHY]: of each verb, until one has no more
    fault=$1 why=$3
    for call in $2; do
        for v in 0 1 2 3 4 5 6; do
            nth=1
            while [ $nth = 1 ] || grep -qe INJECTED -e KILL trace; do
                check "verb $v, $call $nth: $1" verb $v at_call
                grep -qe INJECTED -e KILL trace && hits=$((hits + 1))
                nth=$((nth + 1))
            done
        done
    done
}
hits=0
at_each signal=KILL 'openat read write fcntl fchmod fsync close rename unlink'
echo "killed at $hits system calls"
check "all calls that there are" [ $hits -gt 150 ]
hits=0
: >FILE
at_each error=ENOSPC 'write fsync rename' 'No space left on device'
at_each error=EIO 'write fsync rename' 'Input/output error'
echo "$hits system calls failed"
check "all calls that there are" [ $hits -gt 40 ]
rm -f FILE FILE.*

# ---- Stopped, and more than one at once: see tests/stop.c ------------------

rm -f FILE FILE.*
"$stop" "$bloom" "$clock" "$kills" >stopped 2>&1; grep -v ' passed, ' stopped
check "stopped runs" grep -q ' passed, 0 failed' stopped

# ---- A full disk -----------------------------------------------------------

"$bloom" build -n 2000 small b 2>/dev/null
mkdir disk
if mount -t tmpfs -o size=6M tmpfs disk 2>err; then
    cp a.bloom disk/f
    full='No space left on device'
    for room in 0 4 8 400 ; do
        rm -f disk/fill
        used=$(du -k disk/f | awk '{ print $1 }')
        dd if=/dev/zero of=disk/fill bs=1024 count=$((6144 - used - room)) \
            2>/dev/null
        for verb in "build -n 3000000 disk/f ab" "uniq -f disk/f" \
                    "merge disk/f a.bloom b.bloom"; do
            "$bloom" $verb <b >/dev/null 2>err
            check "disk full, $room kB: $verb: status" [ $? = 2 ]
            check "disk full: message" \
                [ "$(cat err)" = "bloom: disk/f: $full" ]
            check "disk full: as it was" cmp -s disk/f a.bloom
            check "disk full: nothing beside it: $(ls disk | tr '\n' ' ')" \
                [ "$(ls disk | grep -c tmp)" = 0 ]
        done
    done
    umount disk
else
    check "a disk to fill: $(cat err)" false
fi

# ---- What is no filter -----------------------------------------------------

cp small safe
try_all() {     # try_all FILE WHY: each verb that reads a filter
    file=$1
    check "check" refused "$file" "$2" "$bloom" check "$file" a
    check "info" refused "$file" "$2" "$bloom" info "$file"
    check "dump" refused "$file" "$2" "$bloom" dump "$file"
    check "merge from" refused "$file" "$2" "$bloom" merge safe small "$file"
    check "safe is as it was" cmp -s safe small
}
no_file='is a directory, a link or a device, not a plain file'
mkdir folder
try_all folder 'Is a directory'
try_all nothing 'truncated: bytes are missing at the end'
mkfifo fifo
for verb in "uniq -f fifo" "build fifo a" "merge fifo small small"; do
    check "$verb" refused fifo "$no_file" timeout 5 "$bloom" $verb
    check "still a FIFO" [ -p fifo ]
done
for verb in "uniq -f folder" "merge folder small small"; do
    check "$verb" refused folder "$no_file" "$bloom" $verb
done

# root may read everything, so nobody asks; in a folder that nobody can write
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
    check "no room beside it: $verb" refused "$shared/open" \
        'Permission denied' $as_nobody "$shared/bloom" $verb "$shared/open"
done
check "nothing new" [ "$(ls "$shared" "$shared/own" | grep -c .)" = 7 ]
check "nothing changed" eval 'cmp -s small "$shared/locked" &&
    cmp -s small "$shared/open" && cmp -s small "$shared/own/locked"'
rm -rf "$shared"

# ---- Every length, and every bit -------------------------------------------

lines 1 9 | "$bloom" build -n 40 -p 0.1 tiny - || exit 2
size=$(wc -c <tiny)
short=0 length=0
while [ $length -lt "$size" ]; do
    head -c $length tiny >bad; cp bad was
    refused bad 'truncated: bytes are missing at the end' "$bloom" check bad a \
        && "$bloom" uniq -f bad <b >out 2>&1
    [ $? = 2 ] && cmp -s bad was && short=$((short + 1))
    length=$((length + 1))
done
check "$short of $size lengths refused" [ $short = "$size" ]

# One flipped bit. Where it is in the header the header says what is wrong.
# A seal can be flipped into none only if it has a single bit.
od -An -v -tu1 tiny | tr -s ' ' '\n' | grep . >bytes
found=0 bit=0
bits=$((8 * size))
why='corrupt: the seal does not match|bad header|truncated: bytes are missing'
why="$why at the end|not a Bloom filter of bloom.h|a format version this build"
why="$why cannot read|a layout or hash width not in this build|too large for"
why="$why the memory of this machine|not enough memory for [0-9]* bytes"
for byte in $(cat bytes); do
    flip=1
    while [ $flip -lt 256 ]; do
        cp tiny bad
        printf "\\$(printf %o $((byte ^ flip)))" |
            dd of=bad bs=1 seek=$((bit / 8)) conv=notrunc 2>/dev/null
        cp bad was
        [ $bit -ge 256 ] && why='corrupt: the seal does not match'
        "$bloom" check bad a >out 2>err
        if [ $? = 2 ] && [ ! -s out ] && cmp -s bad was &&
            grep -qxE "bloom: bad: ($why)" err; then
            found=$((found + 1))
        else
            echo "    bit $bit: $(cat err)"
        fi
        flip=$((flip * 2)) bit=$((bit + 1))
    done
done
check "$found of $bits flipped bits found" [ $found = $bits ]

counted
