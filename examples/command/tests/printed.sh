# However `bloom uniq -f` ends, FILE records the lines that were printed, except
# those that did not reach the reader. Alone has readers that stop, come late, or
# sleep, and all signals

known() {       # known WHAT LINES: of the lines of `in`, f contains only these
    try "$1" "$([ -s "$2" ] && echo 0 || echo 1)" check f in
    what=$1; same out "$2"
}
whole() {       # whole FILE: without an incomplete line at its end
    awk 'NR > 1 { print last } { last = $0 }' "$1"
    if [ "$(tail -c 1 "$1" | wc -l)" -eq 1 ]; then tail -n 1 "$1"; fi
}
exact='uniq -n 2000 -p 1e-9 -f f'   # without false positives
tail -n 1 many > last; cp many in; rm -f f; mkfifo taken

# A copy of a line that is still being printed
printf 'a\nb\na\nc\nb\na\n' > in; printf 'a\nb\nc\n' > want
try 'copies' 0 $exact < in; same out want; cat want > in; known 'copies' want
rm f; cp many in

# A missing input; output that fails at once, fails later, or is closed
what='a file is missing'; "$bloom" $exact a nosuch b > out 2> err
is "$what: exit status" 2 $?; says err 'bloom: nosuch: No such file'
same out a; known "$what" a; rm f
what='only a missing file'; "$bloom" $exact nosuch 2> err; is "$what" 2 $?
try 'one line' 0 $exact last; cp f was
for output in /dev/full -; do
    [ -e "$output" ] || [ $output = - ] || continue
    what="output to $output"
    if [ $output = - ]; then "$bloom" $exact a 2> err >&-
    else "$bloom" $exact a 2> err > $output; fi
    is "$what: exit status" 2 $?; says err 'bloom: standard output: '
    same f was; known "$what" last
done
rm f; what='a limit'; sed 's/$/.........,.........,.........,/' many > in
(ulimit -f 96; "$bloom" $exact in > got 2> err)
is "$what: exit status" 2 $?; says err 'standard output: File too large'
whole got > want; known "$what" want; rm f; cp many in
what='-c, and it cannot be said'
if [ -e /dev/full ]; then
    "$bloom" $exact -c a > /dev/full 2> err; is "$what" 2 $?; known "$what" a
    rm f
fi
what='it prints into FILE'; "$bloom" $exact a > f 2> err; is "$what" 2 $?
says err 'bloom: f: is also the standard output; print to another'; rm f

# The reader of the pipe exits: lines left unread in the pipe are not known, and
# the next run prints them
for trap in :  "trap '' PIPE"; do
    what="a reader who takes 4096 bytes, $trap"; rm -f f
    sh -c "$trap; exec \"\$@\"" - "$bloom" $exact many 2> err |
        dd bs=4096 count=1 > got 2> /dev/null
    whole got > want; known "$what" want
done
try "$what: the rest" 0 $exact many; cat want out > got; same got many; rm f

# If all of it fits in the pipe, the command waits at its end for the reader. It
# does so too if it ends because a file is missing
for files in in 'in nosuch'; do
    what="a late reader who takes 4096 bytes, $files"; numbers 1 5000 > in
    "$bloom" $exact $files > taken 2> err & pid=$!
    exec 9< taken; has_written $pid $(wc -c < in)
    dd bs=4096 count=1 <&9 > got 2> /dev/null; exec 9<&-; wait $pid
    whole got > want; known "$what" want; rm f
    what="a late reader who takes everything, $files"
    "$bloom" $exact $files > taken 2> err & pid=$!
    exec 9< taken; has_written $pid $(wc -c < in)
    cat <&9 > got; exec 9<&-; wait $pid; same got in; known "$what" in; rm f
done
# It does not wait longer than half a second after a signal. Then it counts the
# lines in the pipe as read
what='a reader who waits for the command'; exec 9<> taken
{ cat in; hold; } > pipe & feeder=$!
"$bloom" $exact pipe > taken & pid=$!; has_written $pid $(wc -c < in)
kill $pid; wait $pid 2> /dev/null; is "$what" 143 $?
kill $feeder; wait $feeder 2> /dev/null
dd bs=65536 count=1 <&9 > got 2> /dev/null; exec 9<&-; whole got > want
known "$what" want; cp many in; rm f

# Signals. The command runs in the foreground, as a shell ignores two of them
# for a command with &
ulimit -c 0
for signal in TERM HUP PIPE INT QUIT ALRM USR2 XCPU; do
    what="stopped by $signal"; rm -f f out pid
    if [ "$(sh -c "kill -$signal \$\$; echo no")" = no ]; then
        echo "skipped: $what: ignored here, as by nohup" >&3; continue
    fi
    { cat a; hold; } > pipe & feeder=$!
    { wait_for out; kill -$signal $(cat pid); } &
    sh -c 'echo $$ > pid; exec "$@"' - "$bloom" $exact < pipe > out
    is "$what: exit status" $signal "$(kill -l $?)"
    kill $feeder; wait $feeder 2> /dev/null
    known "$what" a
done 3>&2 2> /dev/null
what='stopped while it opens a FIFO'; rm -f f out
"$bloom" $exact a taken > out & pid=$!
wait_for out
kill $pid; wait $pid 2> /dev/null; is "$what: exit status" 143 $?; known "$what" a; rm -f f

# At the first signal it prints what it has read. The second signal kills it
what='killed before a reader who sleeps'
"$bloom" $exact many > taken & pid=$!
exec 9< taken; has_written $pid 40000; asleep $pid; kill $pid; asleep $pid
is "$what: not yet" yes "$(kill -0 $pid && echo yes)"
kill $pid; wait $pid 2> /dev/null; is "$what: exit status" 143 $?
cat <&9 > got; exec 9<&-; try "$what: nothing unread is known" 1 check f many
try "$what: the rest" 0 $exact many; same out many; rm f
