# bloom uniq --last and --for: lines that were printed long ago are forgotten. Alone
# compares them with an exact list, and sets a clock

# exact N IN: compares out with an exact list, and prints three numbers: lines
# of IN that were printed although fewer than N others had been printed since
# they were printed before; lines that were dropped although more than 8/7 N +
# $late others had been printed since; and unexplained lines of out
exact() {
    awk -v n="$1" -v late="$late" '
        NR == FNR { out[FNR] = $0; outs = FNR; next }
        { known = ($0 in at) && printed - at[$0] < n
          old = !($0 in at) || printed - at[$0] > n * 8 / 7 + late
          if (out[printed + 1] == $0) { at[$0] = ++printed; early += known }
          else lost += old }
        END { print early + 0, lost + 0, outs - printed }' out "$2"
}
awk 'BEGIN { srand(7); for (i = 0; i < 40000; i++)
    print int(20000 * rand() * rand()) }' > in
rm -f f w; late=8      # N is rounded up to a multiple of 7
for n in 1 10 1000 3000 30000; do for layout in classic blocked; do
    what="--last $n, $layout"
    try "$what" 0 uniq --last $n -p 1e-9 -l $layout in; cp out want
    is "$what" '0 0 0' "$(exact $n in)"
done; done
for n in 10 1000 3000; do
    what="--last $n, -w 32"
    try "$what" 0 uniq --last $n -p 1e-4 -w 32 in
    is "$what: few are lost" yes "$(exact $n in |
        awk '{ print ($1 == 0 && $2 < 24 && $3 == 0) ? "yes" : $0 }')"
done
head -n 24000 in > in.1; tail -n 16000 in > in.2
late=8000                       # with a FILE, that many lines may be waiting
for n in 10 1000 5000; do
    try "--last $n, first run" 0 uniq --last $n -p 1e-9 -f f in.1; mv out first
    size=$(wc -c < f); is "$what" '0 0 0' "$(mv first out; exact $n in.1)"
    mv out first; try "--last $n, second run" 0 uniq -f f in.2; mv out second
    cat first second > out; is "$what" '0 0 0' "$(exact $n in)"
    is "$what: its size" "$size" "$(wc -c < f)"; rm f
done
try 'for -c' 0 uniq --last 5000 -p 1e-9 in; mv out want
try '-d and -c' 0 uniq -c --last 5000 -p 1e-9 in
says out "$(wc -l < want | tr -d ' ') new"
try '-d' 0 uniq -d --last 5000 -p 1e-9 in
is '-d' $((40000 - $(wc -l < want))) $(wc -l < out)
what='lines do not wait for others'; : > out
{ echo a; wait_for out; cat out > now; } | "$bloom" uniq --last 5 > out
is "$what" a "$(cat now)"

# FILE with other options and other verbs
daily() {       # daily OPTIONS: with a new FILE, and with the same FILE again
    rm -f f
    try "uniq $*" 0 uniq "$@" -f f a; same out a
    try "uniq $*, again" 0 uniq "$@" -f f a; same out /dev/null
    try 'no options' 0 uniq -f f a; same out /dev/null; cp f was
}
daily --last 7000 -p 1e-9 -w 64 -s 3 -l blocked
refuse 'f: made with --last 7000, not --last 50; use another file' \
    uniq --last 50 -f f < a
refuse 'f: made with --last 7000, not --for 1d' uniq --for 24h -f f < a
refuse 'f: made with --last 7000, not --last 5' uniq -n 5 -f f < a
refuse 'f: made with s = 3, not 4' uniq --last 7000 -s 4 -f f < a
refuse 'f: made with layout = blocked, not' uniq --last 7000 -l classic -f f < a
refuse 'f: has k = ' uniq --last 7000 -p 0.1 -f f < a; same f was
refuse 'f: is a filter that forgets; use another file or leave out --fixed' \
    uniq --fixed -f f < a
windows='f: a filter that forgets (made by uniq --last or --for) cannot be'
refuse "$windows merged" merge g f f
refuse "$windows folded" fold --by 2 f; same f was
try 'info' 0 info f; says out 'remembers:       the last 7000 lines'
near 600; says out 'seal:            sealed and'
try 'check' 0 check f a; same out a; try 'dump' 0 dump f
says out 'It forgets: a key may be in if any of f_0 to f_7 contains it'
try 'add' 0 add f b; try 'add' 1 check -v f ab; cp was f
for at in 4 5 8 16 24 32 40 48 63 64 200 3000; do
    overwrite f $at '\377\376'; what="byte $at"
    "$bloom" check -q f a 2> err; is "$what" 2 $?; cp was f
done
head -c 3000 was > f; refuse 'f: truncated' check f a; head -c 40 was > f
refuse 'f: truncated' uniq -f f < a; is 'f is as it was' 40 $(wc -c < f)
rm f; try 'a chain' 0 uniq -f f a
refuse 'f: is a filter that grows, which never forgets; use another file' \
    uniq --last 5 -f f < a; try 'one' 0 build f a
refuse 'f: is a filter of fixed size, which never forgets; use another file' \
    uniq --for 1h -f f < a
refuse '--last and --for: give only one' uniq --last 5 --for 1h < a
refuse '-n: --last gives the number of lines' uniq --last 5 -n 6 < a
refuse '--fixed: --last never grows anyway' uniq --last 5 --fixed < a
refuse '-l counting: does not work with --for' uniq --for 5s -l counting < a
for age in 5 5w 0h h -1d 36501d 876001h 52560001m 3153600001s 1.5h 5hh ''; do
    refuse "--for $age: must be a time" uniq --for "$age" < a
done
for age in 36500d 876000h 52560000m 3153600000s; do
    try "--for $age" 0 uniq --for $age a; same out a
done

# --for, with a clock that the tests set
if has_clock; then
    what='--for, without a FILE'; : > out
    { printf 'a\nb\na\n'; until_ grep -q b out; set_clock 1000000001.3
      echo a; } | at 0 "$bloom" uniq --for 1s > out 2> err
    printf 'a\nb\na\n' > want; same out want; empty "$what" err
    what='--for, and the clock is set ahead'; : > out
    { echo a; until_ grep -q a out; set_clock 1000000001 9000; echo a
      until_ grep -q . err; set_clock 1000000002 18000; echo a; } |
        at 0 "$bloom" uniq --for 1h > out 2> err
    printf 'a\na\na\n' > want; same out want; is "$what" \
        'bloom: --for 1h: the clock was set ahead, so all lines are forgotten' \
        "$(cat err)"

    # Time passes, and there is room: nothing that is younger is forgotten
    what='--for, after a burst'; : > out
    { numbers 1 650; until_ grep -q -x 650 out; set_clock 1000000001.6
      echo 1; } | at 0 "$bloom" uniq --for 4s -n 700 > out
    numbers 1 650 > want; same out want

    rm -f f
    at 0 try 'at first' 0 uniq --for 24h -p 1e-9 -f f a; same out a
    for i in 1 1800 40000 80000 86390; do
        at $i try "after $i seconds" 0 uniq -f f a; same out /dev/null
    done
    at 86390 try 'check' 0 check -q f a
    at 98800 try 'too old to check' 1 check -q f a
    at 98800 try 'info' 0 info f; says out 'keys:            about 0'
    at 98800 try 'dump' 0 dump f; says out 'about 0 keys'
    cp f was; at 98800 try 'after a day' 0 uniq -f f a; same out a
    cp was f; at 9876543 try 'much later' 0 uniq --for 1d -f f a; same out a
    # The clock is set back by more than a day: its lines count as printed now,
    # which is saved although none is new, and only once
    back='--for 1d: the clock is more than that time behind the lines that are'
    cp f was; at 5000000 warned 0 "$back" uniq -f f a; same out /dev/null
    at 5000000 try 'a clock set back' 0 uniq -f f b
    numbers 601 1000 > want; same out want
    at 5086390 try 'a day after that' 0 uniq -f f ab; same out /dev/null
    at 5200000 try 'much later' 0 uniq -f f ab; sort -nu ab > want; same out want
    cp was f; at 5000000 warned 0 "$back" add f b
    at 5000000 try 'check' 0 check -c f ab; says out '1201 in'
    # By less than a day: no message. After a burst the window is four sevenths
    # of a day ahead of the clock. Lines are known for a day, but not for three
    rm f; at 100000 try 'a burst' 0 uniq --for 1d -n 1001 -p 1e-9 -f f a
    at 70000 try 'a clock set back by hours' 0 uniq -f f ab
    numbers 601 1000 > want; same out want
    at 156390 try 'a day after that' 0 uniq -f f ab; same out /dev/null
    at 350000 try 'much later' 0 uniq -f f ab; sort -nu ab > want; same out want
    # A burst of N lines leaves it six sevenths ahead, which is no wrong clock
    numbers 1 700 > in; rm f
    at 0 try 'a burst of N lines' 0 uniq --for 1d -n 700 -p 1e-9 -f f in
    at 1 try 'the same again' 0 uniq -f f in; same out /dev/null
    rm f; at 0 try 'at first' 0 uniq --for 24h -f f ab
    at 0 try 'and more' 0 info f; says out 'remembers:       lines of the last 1d, up to 1000006'
    refuse 'f: made with --for 1d, not --for 12h; use another file or' \
        uniq --for 12h -f f < a
    refuse 'f: made with -n 1000006, not -n 5; use another file' \
        uniq --for 1d -n 5 -f f < a
    refuse 'f: made with --for 1d, not --last 7; use another file' \
        uniq --last 7 -f f < a
    # More lines than -n: the rate stays at most P, the last N lines are known,
    # and one message appears
    rm f; what='--for, and more than N'
    "$bloom" uniq --for 1d -n 7000 -p 0.01 -f f many > out 2> err
    is "$what" 0 $?; is "$what: one message" 1 $(wc -l < err)
    says err '--for 1d: more than 7000 new lines came within twice that time, so'
    is "$what: few are lost" yes \
        "$(wc -l < out | awk '{ print ($1 >= 197800 ? "yes" : $1) }')"
    rm f; "$bloom" uniq --for 1d -n 7000 -p 1e-9 -f f many > out 2> err
    tail -n 7000 many > in; try "$what, check" 0 check -c f in
    says out '7000 in'; "$bloom" uniq -f f in > out 2> err; same out /dev/null

    # Runs at all hours for a month, with bursts, of 700 lines at most within
    # two days: lines younger than a day are dropped, those older than two and
    # a half are printed. Lines that end in `a` come again and again
    rm -f f; what='--for, with bursts'; awk 'BEGIN { srand(5)
        for (i = 1; i <= 90; i++) {
            time += 3600 * int(24 * rand() * rand() + 1)
            for (j = 0; j < 20; j++) print time, int(rand() * 60) "a"
            if (rand() < 0.2 && time - burst > 172800)
                for (burst = time; j < 450; j++) print time, i "." j
        } }' > in
    for i in $(cut -d ' ' -f 1 in | uniq); do
        awk -v t=$i '$1 == t { print $2 }' in | at $i "$bloom" uniq --for 24h \
            -n 700 -p 1e-9 -f f | sed "s/^/$i /"
    done > out 2> err; empty "$what" err
    is "$what" '0 early, 0 late, 0 odd' "$(awk '
        NR == FNR { out[FNR] = $0; outs = FNR; next }
        { age = ($2 in at) ? $1 - at[$2] : 9e9
          if (out[printed + 1] == $0) {
              early += age < 86400; at[$2] = $1; printed++ }
          else late += age > 216000 }
        END { print early + 0 " early, " late + 0 " late, " outs - printed \
                    " odd" }' out in)"
else
    echo "skipped: --for with another clock (LD_PRELOAD does not work here)"
fi
rm -f f w was want in in.1 in.2 first second now
