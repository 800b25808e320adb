# SIGUSR1 and terminals: the state of a run, which no other file asks for

# While the other tests run, two runs on a terminal: of 7 and of 2 seconds, by a
# clock that the tests set
if script --version 2> /dev/null | grep -q util-linux && has_clock; then
    on_terminal() {     # on_terminal SECONDS: bloom, with err on a terminal
        echo 0 > clock.$1; echo $1 > clock.$1.new; : > out.$1
        echo "{ cat a; until [ -s out.$1 ]; do sleep 0.02; done
                mv clock.$1.new clock.$1; cat b; } |
            LD_PRELOAD=./clock.so CLOCK=./clock.$1 '$bloom' uniq > out.$1" \
            > script.$1
        script -q -e -c "sh script.$1" shown.$1 < /dev/null > script.$1.out 2>&1
    }
    on_terminal 7 & on_terminal 2 & shows=1
else
    shows=; echo 'skipped: the state on a terminal (Debian package bsdutils, or' \
        'LD_PRELOAD does not work here)'
fi

told() {        # told WORDS...: asks for the state; has it been told, by grep?
    kill -USR1 $pid; grep -q "$@" err
}
# asked WORDS...: bloom, which reads `many` and `ab`, and then waits for more lines
# from a FIFO: at SIGUSR1, err has $wanted, and the run goes on
asked() {
    what="state of $*"; begin; rm -f fed
    { cat ab; echo > fed; hold; } > pipe & feeder=$!
    "$bloom" "$@" pipe > out 2> err & pid=$!
    wait_for fed; until_ told -x -e "$wanted"
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
    what="state before a FIFO is opened, $file"; begin; : > out
    "$bloom" uniq $file a nobody > out 2> err & pid=$!; wait_for out
    until_ told 'bloom: 600 lines read, 600 new'
    says err 'bloom: 600 lines read, 600 new'
    kill $pid; wait $pid 2> /dev/null; is "$what: ended" 143 $?
done; rm -f g nobody

# Before a line is read, the signal does not end a run either
what='SIGUSR1 in info'; begin; rm -f fed go
{ echo > fed; until_ [ -e go ]; cat f; } > pipe &
"$bloom" info pipe > out 2> err & pid=$!; wait_for fed; asleep $pid
kill -USR1 $pid; asleep $pid; : > go; wait $pid; is "$what" 0 $?
empty "$what" err; says out 'seal:            sealed and intact'
what='SIGUSR1 if it is ignored'; rm -f fed
{ cat a; echo > fed; hold; } > pipe & feeder=$!
(trap '' USR1; exec "$bloom" uniq pipe > out 2> err) & pid=$!; wait_for fed
kill -USR1 $pid; kill $feeder; wait $feeder 2> /dev/null
wait $pid; is "$what" 0 $?; empty "$what" err; same out a
rm f fed go

if [ $shows ]; then
    wait; what='on a terminal'; begin
    tr '\r' '\n' < shown.7 > out
    says out 'bloom: 1201 lines read, 1000 new, rate now '
    numbers 1 1000 > want; same out.7 want
    what='less than 5 seconds'; begin
    is "$what" '' "$(tr '\r' '\n' < shown.2 | grep 'lines read')"
    rm script.* shown.* clock.[27] out.?
fi
