# bloom uniq keeps the rate P, and takes the same options for FILE every day. Alone
# measures the rate, and refuses each other option

# Of n new lines, at most P * n are lost, and four standard deviations more
kept() {        # kept N P: out has enough of N new lines
    is "$what: few are lost" yes "$(wc -l < out | awk -v n="$1" -v p="$2" '
        { least = n - n * p - 4 * sqrt(n * p * (1 - p))
          print ($1 >= least ? "yes" : $1 " of " n) }')"
}
numbers 1 300000 > all; numbers 1 90000 > old; numbers 100001 400000 > new
rm -f f g
what='far beyond 1000'; try "$what" 0 uniq -n 1000 -p 0.1 all; kept 300000 0.1
for p in 0.2 0.1 0.0001; do
    try "-p $p" 0 uniq -n 1e5 -p $p -f f old; kept 90000 $p
    what="-p $p, again"; try "$what" 0 uniq -f f new; kept 300000 $p
    try "$what" 1 check -v f old; try "$what" 0 info f
    says out "planned for:     100000 lines at first, rate $p"; rm f
done

# The same options work every day, and other options are refused
daily() {       # daily OPTIONS: with a new FILE, and with the same FILE again
    try "uniq $*" 0 uniq "$@" -f f a; same out a
    try "uniq $*, again" 0 uniq "$@" -f f a; same out /dev/null
}
daily -n 2000 -p 0.7% -l classic -w 64 -s 0; try 'again' 0 uniq -p 0.007 -f f a
cp f was
for pair in 'n = 2000:-n 5' 'p = 0.007:-p 0.01' 'layout = classic:-l blocked' \
            'w = 64:-w 32' 's = 0:-s 7'; do
    here=${pair%%:*} there=${pair##*:}
    refuse "f: made with $here, not ${there#* }; use another file or leave out \
${there%% *}" uniq $there -f f < a
done; same f was
refuse 'f: is a filter that grows; use another file or leave out --fixed' \
    uniq --fixed -f f < a; same f was; rm f
daily --fixed -n 700 -p 1e-7 -l classic -w 32 -s 7; rm f
daily -n 700 -p 1e-5 -l blocked -s 7; rm f
refuse '-w 32: too narrow for 700 lines at p = 1e-10; leave out -w 32' \
    uniq --fixed -w 32 -n 700 -p 1e-10 -f f < a

# A filter of fixed size stays one. Its file records k and m, but not n and p
for layout in classic blocked counting; do
    daily --fixed -n 2000 -p 1e-9 -l $layout; is "$what" BLM "$(head -c 3 f)"
    try 'no options' 0 uniq -f f b; is 'it stays one' BLM "$(head -c 3 f)"
    cp f was
    refuse 'f: has k = ' uniq -n 2001 -p 0.01 -f f < a
    says err ', but -n 2001 -p 0.01 means k = '; same f was
    refuse "f: made with layout = $layout, not" uniq -f f < a \
        -l $([ $layout = blocked ] && echo classic || echo blocked)
    refuse 'f: made with s = 0, not 3' uniq -s 3 -f f < a
    rm f
done
try build 0 build -n 700 f a
try 'as built' 0 uniq -n 700 -f f a; same out /dev/null; rm f

# --bytes: a filter of fixed size, with room for as many lines as possible
size_of() { wc -c < "$1" | tr -d ' '; }
for layout in classic blocked counting; do
    what="--bytes, $layout"
    warned 0 'f: room for ' build --bytes 100K -l $layout f a
    room=$(sed 's/.* for \([0-9]*\) lines at p = 0.001$/\1/' err)
    is "$what: its size" yes "$([ $(size_of f) -le 102400 ] &&
        [ $(size_of f) -ge 102000 ] && echo yes)"
    warned 0 "g: room for $room lines" uniq --bytes 102400 -l $layout -f g a
    same out a; try "$what, again" 0 uniq --bytes 100K -f g b; try "$what" 0 info g
    is "$what: keys until P" $room \
        "$(sed -n 's/^keys until 0.1%: *\([0-9]*\) .*/\1/p' out)"
    refuse 'g: has k = ' uniq --bytes 50K -f g a
    says err ', but --bytes 51200 -p 0.001 means k = '; rm f g
done
warned 0 'f: room for ' build --bytes 1M -w 32 -s 7 f a; rm f
try 'one that grows' 0 uniq -f f a; cp f was
refuse 'f: is a filter that grows; use another file or leave out --bytes' \
    uniq --bytes 1M -f f a; same f was; rm f
refuse '--bytes 39: too few for a filter of one line at p = 0.001' build --bytes 39 f a
refuse '--bytes 39: too few for a filter of one line' uniq --bytes 39 a
refuse '-n and --bytes: give only one of them' build -n 5 --bytes 1M f a
refuse '--bytes: does not work with --for' uniq --for 1d --bytes 1M a
refuse '--bytes: determines the size alone' build --bytes 1M --fold f a
for size in 0 -1 1X 1KB K 1.5M 9999999T ''; do
    refuse "--bytes $size: must be a number of bytes" uniq --bytes "$size" a
done
is 'no FILE' '' "$(ls f g 2> /dev/null)"

# An empty FILE, as mktemp makes it, counts as a new one
: > f; chmod 600 f; daily -n 2000; rm f

# Beyond N lines: one warning; the exit status is 3. If the rate stays at most P,
# there is no message
past() {        # past STATUS WORDS...: bloom uniq, with a message
    wanted=$1
    shift
    "$bloom" uniq "$@" > out 2> err
    is "$what: exit status" "$wanted" $?
}
full='will now be lost, not'
for p in 20% 5% 0.01%; do for layout in classic blocked; do
    try "$layout, $p" 0 build -n 2000 -p $p -l $layout f a
    numbers 1 2000 > at; try 'at N' 0 uniq --fixed -n 2000 -p $p -f g at
    numbers 1 3000 > past
    for fixed in '--fixed -f g' --fixed; do
        what="past N, $layout, $p"
        past 3 $fixed -n 2000 -p $p past
        says err ': holds more than 2000 lines: '
        says err "$full $p; make a larger"
        is "$what: one warning" 1 $(grep -c 'will now be lost' err)
        name=uniq; [ "$fixed" = --fixed ] || name=g
        is "$what: one line, with the name" 1 $(grep -c "^bloom: $name: " err)
    done
    what='build past N'; "$bloom" build -n 2000 -p $p -l $layout f past 2> err
    says err "f: holds more than 2000 lines: "
    says err "are now taken for known, not $p;"
    rm f g
done; done
what='n and p are not known'
try "$what" 0 build -n 62000 -l blocked f a; try "$what" 0 uniq -f f old
past 3 -f f all; says err 'bloom: f: '
says err '% of new lines will now be lost; make a larger filter, with -n or --bytes'; rm f
what='counters do not grow'
past 3 -l counting -n 100 many
says err 'bloom: uniq: holds more than 100 lines'

# A run that is ended by a signal has warned, too
numbers 1 200000 > in; what='stopped by a signal'; : > out; : > err
{ cat in; hold; } > pipe & feeder=$!
"$bloom" uniq --fixed -n 100000 -p 0.01 -f f < pipe > out 2> err & pid=$!
all_read() { kill -USR1 $pid; grep -q '^bloom: 200000 lines read' err; }
wait_for out; until_ all_read
kill $pid; wait $pid 2> /dev/null; is "$what: status" 143 $?
says err 'f: holds more than 100000 lines: '; kill $feeder; wait $feeder 2> /dev/null
rm -f f in; what='a chain that is short of memory' short=no
if (ulimit -v 10000; "$bloom" --version) > out 2> err; then
    for limit in 10000 9000 8000 7000 6000 5000; do
        (ulimit -v $limit; "$bloom" uniq -l classic -n 1000 -p 0.1 many) \
            > out 2> err
        [ $? = 3 ] && grep -q 'could not grow when it was full' err &&
            short=yes && break
    done
fi
if [ $short = yes ]; then begin; says err 'of new lines will now be lost, not 10%'
else echo 'skipped: a chain that is short of memory (by ulimit -v)'; fi
for how in '--last 20000' '--for 1h -n 2e6' '-n 20' '-n 2e5 --fixed'; do
    try "no message, $how" 0 uniq $how many
done
