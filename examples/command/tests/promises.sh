# One test for each promise of the man page, in its order. `make test` runs only
# these; `make test-all` runs the other files, too
mkdir promises; cp a b ab many promises; cd promises || exit 2; mkfifo pipe

# Two things take a second, and are looked at in the end: a window forgets, and a
# run that waits for a lock says so
mkfifo slow; "$bloom" uniq -f saved slow > printed & saving=$!
exec 9> slow; cat a >&9
again() { echo a | "$bloom" uniq --for 1s -f forgets 2> forgets.err; }
{ again > first; until [ "$(again)" ]; do sleep 0.1; done; echo yes > later; } 9>&- &
wait_for printed
"$bloom" uniq -f saved b > second 2> waits 9>&- & second=$!

# uniq: each line the first time, in order, whole, and at once
printf 'b\na\nb\n\na\n\nc' > in; printf 'b\na\n\nc\n' > want
try 'uniq, in order' 0 uniq < in; same out want
try 'uniq of files and standard input' 0 uniq in - in < in; same out want
what='uniq, at once'; : > out
{ echo a; wait_for out; cat out > now; } | "$bloom" uniq > out
is "$what" a "$(cat now)"
try 'uniq -d' 0 uniq -d in; printf 'b\na\n\n' > want; same out want
try 'uniq -c' 0 uniq -c in; printf '4 new\n3 seen\n' > want; same out want
few_lost() {    # of 200000 lines, at most 0.1% are lost: 258 with chance
    is "$what: few are lost" yes \
        "$(wc -l < out | awk '{ print ($1 >= 199742 ? "yes" : $1) }')"
}
try 'it grows, and keeps the rate' 0 uniq -n 100 -f grown many; few_lost
try 'it forgets nothing' 1 check -v grown many
try 'the next run knows all' 0 uniq -f grown many; same out /dev/null
refuse 'grown: made with n = 100, not 5' uniq -n 5 -f grown a
: > empty; try 'an empty FILE is a new one' 0 uniq -f empty a; same out a
what='more lines than planned'
head -n 3000 many > in; "$bloom" uniq --fixed -n 1000 -p 0.1 in > out 2> err; is "$what" 3 $?
says err 'holds more than 1000 lines: 11.2% of new lines will now be lost, not 10%'
what='more lines, which a pipe still holds at the end'; head -n 1500 many > in
{ "$bloom" uniq --fixed -n 1000 -p 0.1 -f g in 2> err; echo $? > code; } | cat > out
is "$what" 3 "$(cat code)"; says err 'g: holds more than 1000 lines: '; rm g
try '--last' 0 uniq --last 7 -f window a; same out a
tail -n 7 a > in; try 'it knows the last lines' 0 uniq -c -f window in; says out '7 seen'
head -n 300 a > in; try 'it has forgotten the others' 1 check -q window in

# build, check, add, merge, fold, info, dump
numbers 1001 21000 > absent
try 'build counts the lines' 0 build -p 1% f ab
try 'check' 0 check -v f absent
is 'the rate' yes "$(awk 'END { print (20000 - NR < 260) ? "yes" : 20000 - NR }' out)"
try 'nothing is missing' 1 check -v f ab; same out /dev/null
fed ab try 'of a pipe' 0 build -p 1% g pipe; same f g
try '-q' 0 check -q f a; try '-q' 1 check -q f /dev/null
try '-c' 0 check -c f a; printf '600 in\n0 not in\n' > want; same out want
for i in 1 3; do
    try "-j $i" 0 build -j $i f.$i many; try "-j $i" 0 check -j $i f.$i many
    same out many
done; same f.1 f.3
for i in a b; do try 'a part' 0 build -n 1201 -p 1% f.$i $i; done
try 'merge' 0 merge g f.a f.b; same f g
cp f.a g; try 'add' 0 add g b; same f g
refuse 'grown: a filter that grows (made by uniq without --fixed) cannot be me' \
    merge g grown f
refuse 'f: is OUT and an input' merge f f g
try 'large' 0 build --foldable -n 1e5 -p 1% large ab; cp large g
try 'fold' 0 fold -p 1% g; try 'it knows all' 1 check -v g ab
by=$((($(wc -c < large) - 32) / ($(wc -c < g) - 32))); cp large f.2
try 'fold by' 0 fold --by $by f.2; same f.2 g
is 'it is small' yes "$([ $(wc -c < g) -lt 2400 ] && echo yes)"
try 'build --fold' 0 build --fold -n 1e5 -p 1% f.2 ab; same f.2 g
try 'info' 0 info f; near 1000; says out 'seal:            sealed and intact'
try 'info --json' 0 info --json grown; says out '"kind": "grows"'
try 'dump' 0 dump f; says out 'const unsigned char f['
is 'all bytes' "$(wc -c < f | tr -d ' ')" "$(grep -o '0x..' out | grep -c .)"

# Options of filters and keys
for how in '-l classic' '-l blocked' '-l counting' '-w 32' '-s 7' '-p 0.2'; do
    try "$how" 0 build $how g a; try "$how" 1 check -v g a
    try "$how" 0 info g; mv out info."$(echo $how | tr -d ' ')"
done
what=options; says info.-lblocked 'layout:          blocked'
says info.-w32 'hash width:      32'; says info.-s7 'seed:            7'
keyed() {       # keyed WANTED OPTIONS: uniq prints WANTED, with `in` as input
    printf "$1" > want; shift
    try "uniq $*" 0 uniq "$@" in; same out want
}
printf 'a:1\na:2\nA:1\na:1\r\n a:1\n' > in
keyed 'a:1\nA:1\n a:1\n' -t : -k 1,1; keyed 'a:1\na:2\na:1\r\n a:1\n' -i
keyed 'a:1\na:2\nA:1\n a:1\n' --crlf; keyed 'a:1\na:2\nA:1\na:1\r\n' --trim
printf 'a\0a\n\0a\0' > in; printf 'a\0a\n\0' > want
try -z 0 uniq -z in; same out want

# Damage, other files, links, what another program does
cp f bad; overwrite bad 100 '\1\2\3'; cp bad was
for verb in 'check bad' 'uniq -f bad' 'add bad'; do
    refuse 'bad: corrupt' $verb a; same bad was
done
cp f loose; overwrite loose 24 '\0\0\0\0\0\0\0\0'
try 'without a seal' 0 check loose a; try 'info' 0 info loose
says out 'seal:            not sealed: in use, or a run was killed'
try 'it gets one' 0 uniq -f loose a; same loose f
refuse 'a: is not a Bloom filter, so it is not replaced' build a b
cp f real; chmod 640 real; ln -s real link
try 'a link' 0 build -n 700 link a; try 'its file' 1 check -v real a
is 'link and permissions stay' "real -rw-r-----" \
    "$(readlink link) $(ls -l real | cut -c 1-10)"
cp f other; mkfifo feed; begin; what='FILE is replaced during a run'
"$bloom" uniq -f f feed > news 2> err & pid=$!
exec 8> feed; echo new >&8; wait_for news; mv other f; exec 8>&-
wait $pid; is "$what" 2 $?
says err 'f: was replaced or removed by another program; the lines of this run are not'
cp f two; what='two runs share a filter of fixed size'
"$bloom" uniq -f two feed > news 2> err & pid=$!
exec 8> feed; echo 5001 >&8; wait_for news
if echo __GCC_ATOMIC_CHAR_LOCK_FREE | ${CC:-cc} -E - 2> err | grep -q -x 2
then try "$what" 0 uniq --no-wait -f two b; fi      # not with tcc
echo 5002 >&8; exec 8>&-; begin; wait $pid; is "$what" 0 $?
try "$what" 1 check -v two a b news

# A full disk: of the output, of FILE, and where the reader of a pipe exits. What
# reached the reader is known, and nothing else
known() {       # known WHAT LINES [STATUS]: of those of `wide`, g has only these
    try "$1" ${3:-0} check g wide; what=$1; same out "$2"
}
whole() {       # whole FILE: without an incomplete line at its end
    awk 'NR > 1 { print last } { last = $0 }' "$1"
    if [ "$(tail -c 1 "$1" | wc -l)" -eq 1 ]; then tail -n 1 "$1"; fi
}
sed 's/$/.........,.........,.........,/' many > wide; head -n 600 wide > some
# The disk is full before g can grow, so it holds more lines than planned: at p =
# 1e-9, it was wrong for one line in 7 million
exact='uniq -n 2000 -p 1e-15 -f g'; rm -f g
what='a full disk'; (ulimit -f 96; "$bloom" $exact wide > got 2> err)
is "$what" 2 $?; says err 'standard output: File too large'
whole got > want; known "$what" want
what='a full disk, and more is appended'; "$bloom" $exact wide >> got 2> err
is "$what" 0 $?; sort got > out; sort wide | comm -23 - out > lost
empty "$what" lost; is "$what: lines" 200001 "$(wc -l < got)"; rm -f g
what='a full disk of FILE'; (ulimit -f 96; "$bloom" $exact wide 2> err) | cat > got
says err 'bloom: g: File too large'; whole got > want; known "$what" want
is "$what: nothing is left" '' "$(ls g.* 2> /dev/null)"; rm -f g
if [ -e /dev/full ]; then
    what=/dev/full; "$bloom" $exact some > /dev/full 2> err; is "$what" 2 $?
    known "$what" /dev/null 1
fi
what='the reader exits'
"$bloom" $exact wide 2> err | dd bs=4096 count=1 > got 2> /dev/null
whole got > want
if [ "$(uname)" = Linux ]; then known "$what" want; fi; rm -f g
${CC:-cc} "$root/examples/command/tests/socket.c" -o socket
what='the reader of a socket reads all'; size=$(($(wc -c < some)))
./socket $size 999999 "$bloom" $exact some > got; is "$what" 0 $?; same got some
known "$what" some; rm -f g
what='the reader of a socket exits'
./socket $size 9000 "$bloom" $exact some > got; is "$what" 0 $?
if [ "$(uname)" = Linux ]; then
    try "$what: the rest" 0 $exact some; whole got | sort -u - out > want
    sort some > all; same want all
fi; rm -f g
what='a file is missing'; "$bloom" $exact some nosuch > out 2> err
is "$what" 2 $?; same out some; known "$what" some; rm g

# A signal and a kill
what='a signal'; "$bloom" uniq -f g feed > out & pid=$!
exec 8> feed; cat a >&8; wait_for out; kill $pid; wait $pid 2> /dev/null
is "$what" 143 $?; exec 8>&-; try "$what" 1 check -v g a
what='a second writer'
refuse 'saved: in use by another process' uniq --no-wait -f saved b
wait_for waits; kill -9 $saving; wait $saving 2> /dev/null; exec 9>&-
begin; what='after a kill -9'; wait $second; is "$what" 0 $?
says waits 'saved: in use by another process; waiting for it to end'
numbers 601 1000 > want; same second want; try "$what" 1 check -v saved ab
is "$what: nothing beside it" saved "$(ls -d saved*)"
wait_for later; is '--for 1s: first, and after a second' 'a yes' \
    "$(cat first) $(cat later)"
try '--for 1d' 0 uniq --for 1d -f day a; try 'again' 0 uniq -f day a
same out /dev/null

# Errors and help
refuse 'fly: no such verb' fly; refuse '-x: no such option' uniq -x
refuse 'nosuch: No such file' check nosuch
try help 0 help uniq; says out 'usage: bloom uniq [OPTION...]'
try version 0 --version; says out "bloom $(
    sed -n 's/.* BLOOM_VERSION \([0-9]\).*/\1/p' "$root/bloom.h")."
cd .. && rm -r promises
