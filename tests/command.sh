#!/bin/sh
# Tests of the bloom command:  sh tests/command.sh build/bloom
# Works in a folder of its own in build/; needs cc for what `bloom dump` prints.

bloom=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/build/command.$$
mkdir -p "$work" && cd "$work" || exit 2
trap 'cd / && rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
LC_ALL=C export LC_ALL
passed=0 failed=0

is() {          # is WHAT WANTED GOT
    if [ "$2" = "$3" ]; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    printf 'FAILED: %s\n    wanted: %s\n    got:    %s\n' "$1" "$2" "$3"
}
same() {        # same FILE FILE
    is "$what: $1 is $2" "" "$(cmp "$1" "$2" 2>&1)"
}
says() {        # says FILE WORDS: they are somewhere in it
    if grep -qF -e "$2" "$1"; then is "" "" ""
    else is "$what: $1" "$2" "$(cat "$1")"; fi
}
try() {         # try WHAT STATUS ARGUMENTS...: runs bloom into files out, err
    what=$1 status=$2
    shift 2
    "$bloom" "$@" > out 2> err
    is "$what: exit status" "$status" $?
    if [ "$status" -lt 2 ]; then is "$what: no message" "" "$(cat err)"; fi
}
refuse() {      # refuse MESSAGE ARGUMENTS...: it begins like that; no output
    message="bloom: $1"
    shift
    try "$message" 2 "$@"
    is "$what" "$message" "$(head -n 1 err | cut -c "1-${#message}")"
    is "$what: no output" "" "$(cat out)"
}
fed() {         # fed FILE TRY...: while it is there to be read from a pipe
    cat "$1" > pipe 2> /dev/null &
    feeder=$!
    shift
    "$@"
    kill $feeder 2> /dev/null; wait $feeder 2> /dev/null
}
numbers() {     # numbers FIRST LAST
    awk -v i="$1" -v last="$2" 'BEGIN { for (; i <= last; i++) print i }'
}
overwrite() {   # overwrite FILE OFFSET BYTES, as printf writes them
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}

# Usage
for word in --help -h help; do try "$word" 0 $word; says out 'bloom uniq'; done
try version 0 --version; says out 'bloom 1.'
try 'help of a verb' 0 uniq --help; says out 'bloom uniq'
refuse 'no verb: not one of the verbs'
refuse 'fly: not one of the verbs' fly; says err 'usage: bloom uniq|build'
refuse '-z: no such option' uniq -z; says err 'usage: bloom uniq ['
refuse '-n: needs a value' uniq -n
refuse 'words: one word too many' uniq words
refuse 'b: one word too many' info a b
for v in build check info dump; do refuse "$v: needs 1 file" $v; done
refuse 'merge: needs 3 files' merge f f
for n in 0 -1 1.5 x 1e 1e19 0x10 '' 1k nan; do
    refuse "-n $n: not a whole number from 1 to 1e18" uniq -n "$n"
done < /dev/null
for p in 0 1 -0.1 100% x nan '' 0.1x; do
    refuse "-p $p: the rate must be between 0 and 1" uniq -p "$p"
done < /dev/null
refuse '-w 16: not known' build -w 16 f
refuse '-l odd: not known' build -l odd f
for s in x -1 1x 99999999999999999999; do refuse "-s $s: not a" build -s $s f
done
refuse '-n 1000000000000000000 -p 0.001: more' build -n 1e18 f
refuse '-w 32: too narrow for 1000000000 lines' build -w 32 -n 1e9 f
refuse '-w 32: too narrow for 9 lines' build -w 32 -n 9 -p 1e-11 f

# uniq: what a line is
printf 'a\nb\na\n\nb\n\nc' > in; printf 'a\nb\n\nc\n' > want
try uniq 0 uniq < in; same out want
printf 'a\0b\na\0c\na\0b\na\ra\r\na\n\na\n' > in
printf 'a\0b\na\0c\na\ra\r\na\n\n' > want
try 'NUL and CR' 0 uniq -n 9 -p 0.1% < in; same out want
try 'empty input' 0 uniq < /dev/null; same out /dev/null
long() { dd if=/dev/zero bs=1000000 count=5 2> /dev/null | tr '\0' x; }
{ long; echo; long; echo y; long; echo; long; } > in
{ long; echo; long; echo y; } > want
try 'long lines' 0 uniq < in; same out want
numbers 1 200000 > many; cat many many > twice
try 'many lines' 0 uniq -n 2e5 -p 1e-9 < twice; same out many
what='lines do not wait for others'
{ echo a; sleep 1; cat out > now; true; } | "$bloom" uniq > out
is "$what" a "$(cat now)"

# uniq -f: two runs are like one
numbers 1 600 > a; numbers 400 1000 > b; cat a b > ab
try 'one run' 0 uniq -f one -n 1500 < ab; mv out want
try 'first run' 0 uniq -f two -n 1500 < a; mv out first
try 'second run' 0 uniq -f two < b; cat first out > both
same both want; same one two
try 'third run' 0 uniq -f two < b; same out /dev/null; same one two
chmod 640 two; try 'mode' 0 uniq -f two < b
is "$what" -rw-r----- "$(ls -l two | cut -c 1-10)"
refuse 'two: is there already' uniq -f two -n 5 < a
refuse 'two: is there already' uniq -f two -p .1 < a; same one two
cp one loose; overwrite loose 24 '\0\0\0\0\0\0\0\0'
try 'not sealed' 0 info loose; says out 'seal:            not sealed'
try 'memory not sealed' 0 uniq -f loose < b; same loose one

# Past N
what='past N'; "$bloom" uniq -n 100 < many > out 2> err
says err 'bloom: standard input: past 100 lines; 1 new line in '
is "$what, said once" 1 $(wc -l < err)
head -n 100 many > hundred; try 'at N' 0 uniq -n 100 < hundred
for run in 1 2; do
    what="past N, run $run"; "$bloom" uniq -f two < many > out 2> err
    says err 'bloom: two: past '; is "$what, said once" 1 $(wc -l < err)
done
what='build past N'; "$bloom" build -n 100 f many 2> err
says err 'bloom: f: past 100 lines'; is "$what, said once" 1 $(wc -l < err)

# build and check
try build 0 build f a b; try check 0 check f a; same out a
try 'check of stdin' 0 check f < ab; same out ab
cat a b a > want; try 'check of several' 0 check f a - a < b; same out want
try 'check -v' 1 check -v f a b; same out /dev/null
numbers 5001 25000 > absent; try 'check of others' 0 check -v f absent
is 'rate' yes "$(awk 'END { print 20000 - NR < 60 ? "yes" : NR }' out)"
try 'check of nothing' 1 check f /dev/null
for p in 1% 0.01; do try "-p $p" 0 build -n 1201 -p $p f$p a b; done
same f1% f0.01; try 'no -n' 0 build -p 1e-2 f ab; same f f1%
mkfifo pipe
fed ab try 'a pipe' 0 build -n 1201 -p 1% f pipe; same f f1%
fed ab refuse 'pipe: can be read only once' build f pipe
fed f try 'filter from a pipe' 0 check pipe a; same out a
try 'no -n, stdin' 0 build -p .01 f < ab; same f f1%
sed 1d ab > rest; try 'all but one' 0 build g rest
{ read -r line; try 'no -n, from here' 0 build f; } < ab; same f g
cat ab | "$bloom" build f 2> err; is "$what" 2 $?
says err 'bloom: standard input: can be read only once'; same f g
try 'no final newline' 0 build f in; printf '\n' >> in
try 'final newline' 0 build g in; same f g
try 'empty filter' 0 build f /dev/null; try 'nothing in it' 1 check f a
try 'empty filter' 0 info f; says out 'rate now:        0'
try 'width, seed' 0 build -w 32 -s 0x7 f a; try 'width, seed' 0 info f
says out 'hash width:      32'; says out 'seed:            7'
try 'check -w 32' 0 check f a; same out a
try 'info' 0 info one; says out 'layout:          classic'
says out 'keys:            about 10'; says out 'keys until 0.1%: 150'
says out 'seal:            sealed and right'

# Layouts as they arrive
for layout in classic blocked counting; do
    try $layout 0 build -n 1201 -l $layout f-$layout ab
    try $layout 0 check f-$layout a b; same out ab
    try $layout 0 info f-$layout; says out "layout:          $layout"
    try $layout 0 dump f-$layout; try $layout 0 merge g f-$layout f-$layout
    [ $layout = classic ] || refuse "f-$layout: layout $layout differs \
from classic in f-classic" merge f f-classic f-$layout
done

# merge
try 'a' 0 build -n 1201 -p 1% fa a; try 'b' 0 build -n 1201 -p 1% fb b
try c 0 build -n 1201 -p 1% fc /dev/null
try merge 0 merge f fc fa fb; same f f1%
try 'merge into one' 0 merge fa fa fb; same fa f1%
try 'merge the same' 0 merge g fb fb; same g fb
for plan in 'seed 7:0:-s 7' 'hash width 32:64:-w 32' 'k 4:6:-p 5%'; do
    try "$plan" 0 build -n 1201 -p 1% ${plan##*:} odd b; middle=${plan#*:}
    refuse "odd: ${plan%%:*} differs from ${middle%%:*} in fb" merge f fb odd
done; same f f1%
try 'm' 0 build -n 1208 -p 1% odd b; refuse 'odd: m 11' merge f fb odd

# Errors leave what was there
refuse 'nil: No such file' check nil; refuse 'nil: No such file' build f nil
refuse '.: Is a directory' check .; refuse '.: Is a dir' build -n 1 f .
refuse '.: is a directory, a link' build -n 1 . a
ln -s f link; refuse 'link: is a directory, a link' merge link fb fb
refuse '/dev/null: is a directory, a link' build /dev/null a
refuse 'nil/f: No such file' build nil/f a; refuse 'nil/f: ' uniq -f nil/f < a
cp a c; refuse 'c: is not a Bloom filter' build c b; same a c; same f f1%
for size in 0 31 32 39 1000; do
    dd if=f1% of=bad bs=1 count=$size 2> /dev/null; cp bad was
    refuse 'bad: truncated' uniq -f bad < a; same bad was
    refuse 'bad: truncated' check bad a
done
cell=$(od -An -tu1 -j 100 -N 1 f1%); cp f1% bad
overwrite bad 100 "\\$(printf %o $((cell ^ 1)))"; cp bad was
for verb in 'check bad' 'uniq -f bad' 'merge f bad bad' 'dump bad'; do
    refuse 'bad: corrupt: the seal does not match' $verb < a
done; same bad was; same f f1%
try 'info of damage' 2 info bad; says out 'seal:            DAMAGED'
says err 'bad: corrupt'
overwrite bad 0 X; refuse 'bad: not a Bloom filter' check bad a
for field in 3:2:'a format version' 6:0:'bad header' 4:11:'a layout'; do
    cp f1% bad; value=${field#*:}
    overwrite bad ${field%%:*} "\\${value%%:*}"; cp bad was
    refuse "bad: ${field##*:}" uniq -f bad < a; same bad was
done
cp f1% bad; overwrite bad 13 '\377'; refuse 'bad: truncated' check bad a
if [ -e /dev/full ]; then
    printf '1\n-1' > new
    for verb in 'uniq -f one' 'uniq' 'check one' 'info one' 'dump one' help; do
        cp one was; what="$verb, disk full"
        "$bloom" $verb < new > /dev/full 2> err; is "$what" 2 $?
        says err 'standard output: '; same one was
    done
else
    echo 'no /dev/full here: not tested what a full disk does to the output'
fi
cp f was; what='no room to save'
(ulimit -f 1; "$bloom" build -n 1e6 f a 2> err); is "$what" 2 $?
says err 'bloom: f: File too large'; same f was
is 'no temporary file' '' "$(ls | grep tmp)"

# dump
cp f1% 9-odd.bloom; try dump 0 dump ../command.$$/9-odd.bloom
cat out - > rom.c <<'END'
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
#include <stdio.h>
int main(void)
{
    const bloom *b = bloom_view(_9_odd_bloom, sizeof _9_odd_bloom, NULL);
    return !b || fwrite(b, 1, bloom_size(b), stdout) != bloom_size(b);
}
END
for c in "${CC:-cc} -std=c99" "${CXX:-c++} -x c++ -std=c++11"; do
    what="dump with $c"
    $c -Wall -Wextra -pedantic -Werror -I"$root" rom.c -o rom && ./rom > image
    is "$what" 0 $?; same image f1%
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
