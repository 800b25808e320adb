# build and check. Alone notices if the bytes of a filter depend on how its lines
# came: from files, pipes, counted or not, by one thread or several
try build 0 build f a b; try check 0 check f a; same out a
try 'check of stdin' 0 check f < ab; same out ab
cat a b a > want; try 'check of several' 0 check f a - a < b; same out want
try 'check -v' 1 check -v f a b; same out /dev/null
numbers 5001 25000 > absent; try 'check of others' 0 check -v f absent
is 'rate' yes "$(awk 'END { print 20000 - NR < 60 ? "yes" : NR }' out)"
try 'check of nothing' 1 check f /dev/null
for p in 1% 0.01; do try "-p $p" 0 build -n 1201 -p $p f$p a b; done
same f1% f0.01; try 'no -n' 0 build -p 1e-2 f ab; same f f1%
fed ab try 'a pipe' 0 build -n 1201 -p 1% f pipe; same f f1%
fed f try 'filter from a pipe' 0 check pipe a; same out a
try 'no -n, stdin' 0 build -p .01 f < ab; same f f1%
try 'no -n' 0 build -p .01 f ab; sed 1d ab > rest; try 'all but one' 0 build g rest
{ read -r line; try 'no -n, from here' 0 build f; } < ab; same f g
printf 'a\nb' > in; try 'no final newline' 0 build f in; printf '\n' >> in
try 'final newline' 0 build g in; same f g
try 'empty filter' 0 build f /dev/null; try 'nothing in it' 1 check f a
try 'empty filter' 0 info f; says out 'rate now:        0'
try 'width, seed' 0 build -w 32 -s 0x7 f a; try 'width, seed' 0 info f
says out 'hash width:      32'; says out 'seed:            7'
try 'check -w 32' 0 check f a; same out a
try 'info' 0 info one; says out 'layout:          classic'
near 1000; says out 'keys until 0.1%: 150'
says out 'seal:            sealed and intact'

# info --json
json() {        # json FILE VALUES: kind, layout, keys, rate, its purpose, seal
    try "json of $1" 0 info --json $1
    is "$what" "$2" "$(sed -n 's/^  "\([^"]*\)": "*\([^",[]*\).*/\1=\2/p' out |
        grep -v -e width -e seed -e bytes -e filters | tr '\n' ' ')"
    ! command -v python3 > out.json || python3 -m json.tool out > out.json
    is "$what: JSON" 0 $?; says out "\"bytes\": $(wc -c < $1 | tr -d ' '),"
}
try 'a filter' 0 build -n 100 -p 1% -l counting f /dev/null
json f 'kind=fixed layout=counting keys=0 rate=0 keys_until_1_percent=103 '\
'keys_until_0.1_percent=59 seal=intact '
says out '    { "k": 5, "m": 1024, "ones": 0, "keys": 0, "rate": 0 }'
overwrite f 24 '\0\0\0\0\0\0\0\0'; "$bloom" info --json f > out 2> err
says out '"seal": "missing"'; "$bloom" build -n 1 -p 0.5 f a 2> err
"$bloom" info --json f > out; says out '"keys": null'; rm f
numbers 1 90 > in; try 'chain' 0 uniq -n 60 -p 1% -f f in
json f 'kind=grows layout=blocked keys=90 rate=0.00648438 planned_lines=60 '\
'planned_rate=0.01 seal=intact '; is "$what: links" 2 $(grep -c '{ "k"' out)
rm f; try 'window' 0 uniq --last 70 -p 1e-9 -f f in
json f 'kind=forgets layout=blocked keys=80 rate=1.17352e-11 last_lines=70 '\
'last_seconds=0 seal=intact '; is "$what: parts" 8 $(grep -c '{ "k"' out)
overwrite f 90 x; "$bloom" info --json f > out 2> err; is "$what" 2 $?
says out '"seal": "damaged"'; cp f1% f

# Without -n, lines that can be read only once are counted by their hashes
for how in '' '-l blocked' '-l counting -s 7' '-w 32 -s 7' '-k 1 -t 5 -i' --fold; do
    try 'from files' 0 build $how f many a
    fed many try 'from a pipe' 0 build $how g pipe a; same g f
    what='from standard input'
    cat many a | "$bloom" build $how -j 1 g -; is "$what" 0 $?; same g f
done
what='a pipe of no lines'; : | "$bloom" build g; is "$what" 0 $?
try "$what" 0 build f /dev/null; same g f; cp g was
if (ulimit -v 40000; "$bloom" --version) > out 2> err; then
    what='too many lines for their hashes'
    (ulimit -v 40000; numbers 1 3000000 | "$bloom" build g 2> err)
    is "$what" 2 $?; same g was
    says err 'not enough memory for the hashes of all lines, 16 bytes each; give'
else echo 'skipped: too many lines for their hashes (by ulimit -v)'; fi; cp f1% f

# Layouts
for layout in classic blocked counting; do
    try $layout 0 build -n 1201 -l $layout f-$layout ab
    try $layout 0 check f-$layout a b; same out ab
    try $layout 0 info f-$layout; says out "layout:          $layout"
    try $layout 0 dump f-$layout; try $layout 0 merge g f-$layout f-$layout
    [ $layout = classic ] || refuse "f-$layout: layout $layout differs \
from classic in f-classic; build all parts with the same -l" \
        merge f f-classic f-$layout
done

# merge
try 'a' 0 build -n 1201 -p 1% fa a; try 'b' 0 build -n 1201 -p 1% fb b
try c 0 build -n 1201 -p 1% fc /dev/null
try merge 0 merge f fc fa fb; same f f1%
try 'merge the same' 0 merge g fb fb; same g fb
cp fa was; ln -s fa to-fa; cp fb link; ln -f fa link
for words in 'fa fa fb' 'fb fa fb' 'fa to-fa fb' 'to-fa fb fa' 'fa fb link'; do
    refuse '' merge $words; says err ': is OUT and an input; write to a new fil'
done; rm to-fa link
refuse 'merge: one input has no union; for that of fa and fb, type: bloom' \
    merge fa fb
says err ': bloom merge OUT fa fb'
same fa was
for plan in 'seed 7:0:-s 7' 'hash width 32:64:-w 32' 'k 4:6:-p 5%'; do
    try "$plan" 0 build -n 1201 -p 1% ${plan##*:} odd b; middle=${plan#*:}
    refuse "odd: ${plan%%:*} differs from ${middle%%:*} in fb; build" \
        merge f fb odd
done; same f f1%
try 'm' 0 build -n 1208 -p 1% odd b; refuse 'odd: m 11' merge f fb odd


# Threads: the same filter, and the same lines in the same order
numbers 100001 300000 > others; cat many others > all
for layout in classic blocked counting; do
    for jobs in 1 3; do
        try "-j $jobs" 0 build -l $layout -j $jobs f$jobs many
        try "-j $jobs" 0 check -j $jobs f$jobs all; mv out out$jobs
        try "-j $jobs -v" 1 check -v -j $jobs f$jobs many
        try "-j $jobs -c" 0 check -c -j $jobs f$jobs all; mv out count$jobs
    done
    same f3 f1; same out3 out1; same count3 count1
done

# A large filter, which all threads fill together
for jobs in 1 3; do try "-j $jobs" 0 build -n 6e7 -j $jobs f$jobs many; done
same f3 f1; rm f1 f3

# add; check -c and -q
try build 0 build -n 1201 f a; try add 0 add f b; try build 0 build -n 1201 g ab
same f g; try 'add stdin' 0 add f < a; same f g
refuse 'nil: No such file' add nil a; refuse 'a: not a Bloom filter' add a b
what='add past N'
warned 3 'f: 100% of new lines are now taken for known; make a lar' add f many
try 'blocked' 0 build -n 1201 -l blocked f a; try 'add to it' 0 add f b
try 'blocked' 0 check -c f ab; says out '0 not in'
what='add past N, blocked'
warned 3 'f: 100% of new lines are now taken for known; make a lar' add f many
what='build past N'
warned 3 'f: holds more than 1 lines: 100% of new ' build -n 1 -p .5 f ab
try 'it is made' 0 check f many; same out many
try 'all cells' 0 info f; says out 'keys:            unknown: every cell is set'
try 'all cells' 0 dump f; says out 'seed 0, every cell is set.'
what='merge of full ones'
warned 3 'h: 100% of new lines are now taken for known; make a lar' merge h f f
rm h
try 'a grown one' 0 uniq -f chain -n 100 a
try 'add to a grown one' 0 add chain many; try 'grown' 1 check -vc chain many
says out '0 not in'; echo absent > in
try 'not in a grown one' 1 check chain in; same out /dev/null
try 'in a grown one' 0 check chain a; same out a
overwrite chain 3 '\11'; refuse 'chain: a format version' check chain a
rm chain
try -c 0 check -c g a; printf '600 in\n0 not in\n' > want; same out want
try '-c -v' 1 check -c -v g a; same out want
try -q 0 check -q g a; same out /dev/null
try '-q -v' 1 check -qv g a; same out /dev/null
numbers 5001 5009 > absent; try -q 1 check -q g absent
try '-q -v' 0 check -qv g absent
try '-c' 1 check -c g absent; says out '0 in'; says out '9 not in'

# A list of breached passwords is HASH:COUNT
hashes() {      # hashes FIRST LAST: like those of passwords
    awk -v i="$1" -v last="$2" 'BEGIN { for (; i <= last; i++)
        printf "5BAA61E4C9B93F3F0682250B6CF8331B%08X\n", i }'
}
hashes 1 100 > asked; sed 1d asked > fewer
sed 's/$/:42/; 1,50s/$/\r/' asked > list; sed 1d list > shorter
warned 0 'these lines look like HASH:COUNT; to add the hashes alone, give -t : -k' \
    build -p 1e-9 f list
hint='f: contains none of these hashes' case='; if the case of the letters may'
count='; if it was built from HASH:COUNT lines, rebuild it with -t : -k 1,1'
warned 1 "$hint$count$case differ, give -i to build and check" check f asked
warned 0 "$hint$count$case" check -v -j 3 f asked; same out asked
warned 1 "$hint$case differ" check -t : -k 1,1 f asked
warned 1 "$hint$count" check -i f asked
is "$what: no more" 1 "$(grep -c 'rebuild it with -t : -k 1,1$' err)"
# No hint where all may be well: few lines, other lines, -q, a line that is in
try 'few lines of HASH:COUNT' 0 build -p 1e-9 f shorter
try 'all options' 1 check -i -t : -k 1,1 f asked; try '-q' 1 check -q f asked
try 'few hashes' 1 check f fewer; try 'other lines' 1 check f many
cat asked > in; echo x >> in; try 'one other line' 1 check f in
tail -n 1 list > in; cat asked >> in; try 'one that is in' 0 check f in
try 'the hashes alone' 0 build -t : -k 1,1 f list
try 'all are in' 0 check f asked; same out asked
rm asked fewer list shorter
cp f1% f
