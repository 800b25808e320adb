# FILE keeps the filter between runs, and has one writer at a time

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

# A save writes the whole FILE, so one without changes is not saved
inode() { ls -i "$1" | awk '{ print $1 }'; }
unchanged() {   # unchanged FILE WORDS...: the command leaves FILE as it is
    file=$1; shift; cp "$file" was; cp "$file" copy; mv copy "$file"
    number=$(inode "$file")
    "$bloom" "$@" > out 2> err; is "$*: no save" "0 $number" "$? $(inode "$file")"
    same "$file" was
}
tail -n 50 a > in
for file in two chain window; do
    unchanged $file uniq -f $file in; unchanged $file uniq -f $file /dev/null
    unchanged $file uniq -c -f $file in; unchanged $file add $file in
done; unchanged two fold --by 1 two
try 'it counts' 0 build -l counting -n 1500 counts a; cp counts was
try 'a known line counts' 0 add counts a; cmp -s counts was; is "$what" 1 $?
rm counts

# A single filter without a seal may come from another program. One that grows
# or forgets has lost its seal: it is damaged
unseal() { overwrite "$1" "$2" '\0\0\0\0\0\0\0\0'; cp "$1" was; }
cp one loose; unseal loose 24; what='not sealed'
why='loose: has no seal, so damage to it cannot be detected'
for verb in 'info loose' 'check loose ab' 'dump loose' \
            'merge sum loose one'; do warned 0 "$why" $verb; done
"$bloom" info loose > out 2> err; says out 'seal:            not sealed'
same loose was
warned 0 "$why" uniq -f loose b; same loose one
unseal chain 56; unseal window 88
for file in chain window; do
    cp $file was
    for verb in 'check FILE a' 'check -v FILE a' 'uniq -f FILE a' 'add FILE b' \
                'dump FILE'; do
        refuse "$file: corrupt: a filter that" \
            $(echo "$verb" | sed "s/FILE/$file/")
        says err ' has a seal, but here it is missing'; same $file was
    done
    try "info of $file" 2 info $file; says out 'seal:            DAMAGED'
    says err "$file: corrupt: a filter that"
done
rm chain one-chain window loose sum was

# A filter that grows is loaded in its own size, not in twice that
if (ulimit -v 12000; "$bloom" --version) > out 2> err; then
    try 'a large chain' 0 uniq -n 1e7 -f large a; size=$(wc -c < large)
    (ulimit -v $((size / 1024 + 20000)); exec "$bloom" uniq -f large b) \
        > out 2> err; is "$what: loaded in its size" 0 $?; empty "$what" err
    rm large
else echo 'skipped: memory of a large chain (by ulimit -v)'; fi

# A name of 250 characters
name=$(printf '%0250d' 0)
try 'a long name' 0 uniq -f $name a; try 'a long name' 0 uniq -f $name -c a
says out '0 new'; rm $name
name=$(printf '%0199d\303\251\303\251' 0)       # cut at e with an accent
try 'a long name' 0 uniq -f $name a
try 'a long name' 0 uniq -f $name -c a; says out '0 new'; rm $name

# --save, a second writer, and kill -9, which leaves a lock file without a lock
rm -f f; : > out
{ cat a; hold; } > pipe & feeder=$!; : > printed
"$bloom" uniq -f f -n 2000 --save 1 < pipe > printed & pid=$!
wait_for printed
refuse 'f: in use by another process; try again later, or' uniq -f f --no-wait b
for verb in 'build -n 9' add 'merge'; do
    refuse 'f: in use by another' $verb --no-wait f one one
done
"$bloom" uniq -f f b > third 2> waits & third=$!; wait_for waits
begin; what='a signal to a second writer'; kill $third; wait $third 2> /dev/null
is "$what" 143 $?; refuse 'f: in use' uniq -f f --no-wait b; : > waits
"$bloom" uniq -f f b > second 2> waits & second=$!
what='--save'; wait_for f; try "$what" 0 check -c f printed
says out '600 in'
wait_for waits; kill -9 $pid; wait $pid 2> /dev/null
is 'kill -9 leaves its own file' f.new.$pid.0 "$(echo f.new.$pid.*)"
rm f.new.$pid.0
what='second writer'; wait $second; is "$what" 0 $?
kill $feeder; wait $feeder 2> /dev/null
says waits 'bloom: f: in use by another process; waiting for it to end'
is "$what: message once" 1 $(wc -l < waits)
numbers 601 1000 > want; same second want
try 'both' 0 check -c f ab; says out '1201 in'
is 'nothing is left' '' "$(ls | grep '\.lock')"
is 'no temporary file' '' "$(ls | grep '\.new')"
what='eight writers'; rm f
for i in 1 2 3 4 5 6 7 8; do
    numbers ${i}01 $((i + 1))50 | "$bloom" uniq -f f > out.$i 2> err.$i &
done; wait
sort -n out.? > out; numbers 101 950 > want; same out want
