# SIGUSR1 and terminals: the state of a run

# While the other tests run, two runs on a terminal: of 7 and of 2 seconds
if script --version 2> /dev/null | grep -q util-linux; then
    on_terminal() {     # on_terminal SECONDS WORDS...: bloom, with err on a terminal
        echo "{ cat a; numbers=\$(cat b); sleep $1; echo \"\$numbers\"; } |
            '$bloom' $2 > out.$1" > script.$1
        script -q -e -c "sh script.$1" shown.$1 < /dev/null > script.$1.out 2>&1
    }
    on_terminal 7 uniq & on_terminal 2 'uniq -c' & shows=1
else
    shows=; echo 'skipped: the state on a terminal (Debian package bsdutils)'
fi

# asked WORDS...: bloom, which reads `many` and `ab`, and then waits for more lines
# from a FIFO: at SIGUSR1, err has $wanted, and the run goes on
asked() {
    what="state of $*"; begin; rm -f fed
    { cat ab; echo > fed; exec sleep 60; } > pipe & feeder=$!
    "$bloom" "$@" pipe > out 2> err & pid=$!
    wait_for fed; i=0
    until grep -q -x -e "$wanted" err || [ $i = 800 ]; do
        kill -USR1 $pid; sleep 0.05; i=$((i + 1))
    done
    is "$what" '' "$(grep -v -x -e "$wanted" -e 'bloom: [0-9]* lines read.*' err)"
    is "$what: is told" yes "$(grep -q -x -e "$wanted" err && echo yes)"
    kill $feeder; wait $pid; is "$what: exit status" 0 $?
    wait $feeder 2> /dev/null
}
numbers 1 200000 > want; read='bloom: 201201 lines read'; rm -f f g
rate='rate now [0-9.e-]*[0-9]'
for file in '' '-f f'; do
    wanted="$read, 200000 new, $rate"; asked uniq -n 3e5 -p 1e-9 $file many; same out want
done
wanted="$read"; asked build -j 1 g many; asked build -j 3 g many
wanted="$read, 200000 new, $rate"; asked build -j 1 -p 1e-9 -n 3e5 g many
wanted="$read, at most [0-9]* new, rate now at most [0-9.e-]*[0-9]"
asked build -j 3 -p 1e-9 -n 3e5 g many
# Above SMALL of build.c, so all threads fill one filter
asked build -j 3 -p 1e-9 -n 1.3e7 g many; rm g
wanted="$read, 0 new, $rate"; asked add f many
wanted="$read, 201201 may be in"; asked check -j 1 f many
cat many ab > want; same out want
asked check -j 3 f many; same out want
try 'an empty filter' 0 build -n 2e5 -p 1% g /dev/null; wanted="$read.*"
asked add g many; cp err told; what='rate of add'; try "$what" 0 info g
is "$what: that of info" "$(sed -n 's/^rate now: *\([^ ]*\).*/\1/p' out)" \
    "$(sed -n 's/.*201201 lines.* rate now //p' told | tail -n 1)"; rm g told

# The writer of a FIFO has not come
mkfifo nobody
for file in '' '-f g'; do
    what="state before a FIFO is opened, $file"; begin; : > out; i=0
    "$bloom" uniq $file a nobody > out 2> err & pid=$!; wait_for out
    until grep -q 'bloom: 600 lines read, 600 new' err || [ $i = 200 ]; do
        kill -USR1 $pid; sleep 0.05; i=$((i + 1))
    done
    says err 'bloom: 600 lines read, 600 new'
    kill $pid; wait $pid 2> /dev/null; is "$what: ended" 143 $?
done; rm -f g nobody

# Before a line is read, the signal does not end a run either
what='SIGUSR1 in info'; begin; rm -f fed go
{ echo > fed; until [ -e go ]; do sleep 0.05; done; cat f; } > pipe &
"$bloom" info pipe > out 2> err & pid=$!; wait_for fed; sleep 0.1
kill -USR1 $pid; sleep 0.1; : > go; wait $pid; is "$what" 0 $?
empty "$what" err; says out 'seal:            sealed and intact'
what='SIGUSR1 if it is ignored'; rm -f fed
{ cat a; echo > fed; sleep 1; } > pipe &
(trap '' USR1; exec "$bloom" uniq pipe > out 2> err) & pid=$!; wait_for fed
kill -USR1 $pid; wait $pid; is "$what" 0 $?; empty "$what" err; same out a
rm f fed go

if [ $shows ]; then
    wait; what='on a terminal'; begin
    tr '\r' '\n' < shown.7 > out
    says out 'bloom: 600 lines read, 600 new, rate now '
    numbers 1 1000 > want; same out.7 want
    what='less than 5 seconds'; begin
    is "$what" '' "$(tr '\r' '\n' < shown.2 | grep 'lines read')"
    rm script.* shown.* out.?
fi
