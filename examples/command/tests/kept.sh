# FILE keeps the filter between runs, and is changed in place. Alone has what a
# kill leaves of each kind of filter, new files that are not complete, and FILE cut
# short (crash.py does so where there is Python)

try 'one run' 0 uniq --fixed -l classic -f one -n 1500 < ab; mv out want
try 'first run' 0 uniq --fixed -l classic -f two -n 1500 < a; mv out first
try 'second run' 0 uniq -f two < b; cat first out > both
same both want; same one two
try 'third run' 0 uniq -f two < b; same out /dev/null; same one two
try 'as built' 0 build -n 1500 f ab; same f one
chmod 640 two; echo x > in; try 'mode' 0 uniq -f two in; same out in
is "$what" -rw-r----- "$(ls -l two | cut -c 1-10)"
try 'a chain, in one run' 0 uniq -f one-chain -n 100 -p 1e-9 ab
try 'first run' 0 uniq -f chain -n 100 -p 1e-9 a
try 'second run' 0 uniq -f chain b; same chain one-chain
try 'a window' 0 uniq -f window --last 100 a

# Known lines change nothing
tail -n 50 a > in
for file in two chain window; do
    cp $file was
    for verb in "uniq -f $file in" "uniq -f $file /dev/null" "uniq -c -f $file in" \
            "add $file in"; do
        try "$verb" 0 $verb; same $file was
    done
done; cp two was; try 'fold by 1' 0 fold --by 2 two; cp was two
try 'it counts' 0 build -l counting -n 1500 counts a; cp counts was
try 'a known line counts' 0 add counts a; cmp -s counts was; is "$what" 1 $?
rm counts

# What a kill leaves, of each kind: no seals, a chain with an old number of keys
# and an empty link to come, a window that goes on. It is used, and gets seals
unsealed='not sealed: in use, or a run was killed'
for how in "--fixed -n 1500" "-n 100" "--last 9000" "--for 1d -n 9000"; do
    what="killed, $how"; : > printed; rm -f f
    { cat a; hold; } > pipe & feeder=$!
    "$bloom" uniq -f f $how -p 1e-9 < pipe > printed & pid=$!
    all_known() { "$bloom" check -c f a 2> err | grep -qx '600 in'; }
    wait_for printed; until_ all_known; kill -9 $pid; wait $pid 2> /dev/null
    kill $feeder; wait $feeder 2> /dev/null
    is "$what: nothing beside it" f "$(ls -d f f.* 2> /dev/null)"
    try "$what" 0 info f; says out "seal:            $unsealed"
    try "$what" 0 info --json f; says out '"seal": "missing"'
    try "$what" 0 uniq -f f b; numbers 601 1000 > want; same out want
    try "$what" 1 check -v f ab; try "$what" 0 info f; says out 'sealed and intact'
done
# The head of a chain has an old number of keys, and a link was to be appended
rm -f f; try 'a chain' 0 uniq -f f -n 100 -p 1e-9 a; try 'it is sealed' 0 info f
last=$(awk '/^link / { at += bytes; bytes = 32 + $6 / 8 }
    END { print 32 + at }' out); "$bloom" uniq -f g -n 4000 -p 1e-9 /dev/null
overwrite f $((last + 24)) '\0\0\0\0\0\0\0\0'
cp f was; head -c 64 g | tail -c 32 >> f; head -c 4000 /dev/zero >> f
try 'a link to come' 1 check -v f a; try 'it is cut off' 0 uniq -f f b
numbers 601 1000 > want; same out want
try 'it knows all' 1 check -v f ab; rm g was
# A new file that was not complete: zeros, or zeros and headers of generations. A
# file that only begins with zeros is none
for how in '--fixed -n 2000' '-n 2000' '--last 9000' '--for 1d -n 900'; do
    rm -f f; try "new, $how" 0 uniq $how -f f /dev/null; size=$(wc -c < f)
    dd if=/dev/zero of=f bs=64 count=1 conv=notrunc 2> /dev/null
    case $how in
    --last* | --for*)
        for i in 0 1 2 3 4 5 6 7; do        # without seals
            overwrite f $((64 + i * (size - 64) / 8 + 24)) '\0\0\0\0\0\0\0\0'
        done ;;
    *) dd if=/dev/zero of=f bs=$size count=1 2> /dev/null ;;
    esac
    try "not complete, $how" 0 uniq $how -f f a; same out a
    try "complete, $how" 0 uniq $how -f f a; same out /dev/null
done
{ dd if=/dev/zero bs=4096 count=2000 2> /dev/null; echo disk; } > f; cp f was
refuse 'f: not a Bloom filter' uniq -f f a; same f was
dd if=/dev/zero of=f bs=4096 count=5000 2> /dev/null; cp f was
refuse 'f: not a Bloom filter' uniq -f f a; same f was
rm -f f one-chain chain window was

# Another program cuts FILE short
: > printed; "$bloom" uniq -f f pipe > printed 2> err & pid=$!
exec 9> pipe; cat a >&9; wait_for printed; : > f; cat b >&9; exec 9>&-
begin; what='FILE is cut short'; wait $pid; is "$what" 2 $?
says err "bloom: f: was made shorter by another program"; rm f

# A second writer of a chain waits. One of a filter of fixed size does not, but
# what replaces it does
: > printed
{ cat a; hold; } > pipe & feeder=$!
"$bloom" uniq -f f -n 2000 < pipe > printed & pid=$!
wait_for printed
refuse 'f: in use by another process; try again later, or' uniq -f f --no-wait b
for verb in 'build -n 9' add 'merge'; do
    refuse 'f: in use by another' $verb --no-wait f one one
done
"$bloom" uniq -f f b > second 2> waits & second=$!
wait_for waits; kill $pid; what='second writer'; wait $second; is "$what" 0 $?
kill $feeder; wait $feeder 2> /dev/null
says waits 'bloom: f: in use by another process; waiting for it to end'
is "$what: message once" 1 $(wc -l < waits)
numbers 601 1000 > want; same second want
try 'both' 0 check -c f ab; says out '1201 in'
what='eight writers'; rm f
for i in 1 2 3 4 5 6 7 8; do
    numbers ${i}01 $((i + 1))50 | "$bloom" uniq -f f > out.$i 2> err.$i &
done; wait
sort -n out.? > out; numbers 101 950 > want; same out want
