# What was printed is known afterwards, what nobody got is not, however
# `bloom uniq -f` ends

known() {       # known WHAT LINES: FILE f has them, and of `in` no others
    try "$1" "$([ -s "$2" ] && echo 0 || echo 1)" check f in
    what=$1; same out "$2"
}
whole() {       # whole FILE: without the part of a line at its end
    awk 'NR > 1 { print last } { last = $0 }' "$1"
    if [ "$(tail -c 1 "$1" | wc -l)" -eq 1 ]; then tail -n 1 "$1"; fi
}
exact='uniq -n 2000 -p 1e-9 -f f'   # of which no line is taken for another
tail -n 1 many > last; cp many in; rm -f f; mkfifo taken

# An input that is missing, output that fails: at once, later, closed
what='a file is missing'; "$bloom" $exact a nosuch b > out 2> err
is "$what: exit status" 2 $?; says err 'bloom: nosuch: No such file'
same out a; known "$what" a; rm f
what='only a missing file'; "$bloom" $exact nosuch 2> err; is "$what" 2 $?
is "$what: no FILE" no "$([ -e f ] || echo no)"
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
says err 'bloom: f: is the standard output as well'; rm f

# Its reader goes away: what lies unread in the pipe is not known
for trap in :  "trap '' PIPE"; do
    what="a reader who takes 4096 bytes, $trap"
    sh -c "$trap; exec \"\$@\"" - "$bloom" $exact many 2> err |
        dd bs=4096 count=1 > got 2> /dev/null
    whole got > want; known "$what" want; rm f
done

# Signals: in the foreground, as what is behind & ignores two of them
ulimit -c 0
for signal in TERM HUP PIPE INT QUIT ALRM USR1 XCPU; do
    what="stopped by $signal"; rm -f f out pid
    if [ "$(sh -c "kill -$signal \$\$; echo no")" = no ]; then
        echo "skipped: $what: it is ignored here, as by nohup" >&3; continue
    fi
    { cat a; exec sleep 30; } > pipe & feeder=$!
    { wait_for out; kill -$signal $(cat pid); } &
    sh -c 'echo $$ > pid; exec "$@"' - "$bloom" $exact < pipe > out
    is "$what: exit status" $signal "$(kill -l $?)"
    kill $feeder; wait $feeder 2> /dev/null
    known "$what" a
done 3>&2 2> /dev/null
what='stopped while it opens a FIFO'; rm -f f out
"$bloom" $exact a taken > out & pid=$!
wait_for f; is "$what: it has saved before" yes "$([ -s f ] && echo yes)"
kill -TERM $pid; wait $pid 2> /dev/null; is "$what: exit status" 143 $?
known "$what" a; rm -f f

# A reader who reads nothing: what is in the pipe is saved when it is time and
# at the first signal; at the second the command ends
what='killed before a reader who sleeps'
"$bloom" $exact --save 1 many > taken & pid=$!
exec 9< taken; wait_for f; kill -9 $pid; wait $pid 2> /dev/null
cat <&9 > got; exec 9<&-; whole got > want; known "$what" want
rm f f.lock
what='stopped before a reader who sleeps'
"$bloom" $exact many > taken & pid=$!
exec 9< taken; sleep 0.2; kill -TERM $pid; wait_for f
is "$what: not yet" yes "$(kill -0 $pid && echo yes)"
dd bs=4096 count=4 <&9 > got 2> /dev/null; sleep 0.2    # so that more comes
kill -TERM $pid; wait $pid 2> /dev/null; is "$what: exit status" 143 $?
cat <&9 >> got; exec 9<&-; same got "$(whole got > want; echo want)"
known "$what" want; rm f
is 'nothing is left' '' "$(ls | grep -e tmp -e lock)"
