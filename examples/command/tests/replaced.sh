# Another program replaces FILE or removes its lock during a run. Then FILE
# stays, the status is 2, and FILE.kept.PID has what the run knows. (In `make
# crash`, stop.c does so at random times.)

rm -f f f.* was other; numbers 7001 7010 > in; numbers 7001 7600 > others
try 'FILE' 0 uniq -f was a; try 'another one' 0 uniq -f other others
is 'they have the same size' $(wc -c < was) $(wc -c < other)
try 'a part' 0 build -n 10 part in
run() {         # run INPUT ARGUMENTS...: a run that has got INPUT from the FIFO
                # pipe, and waits for more
    begin
    input=$1; shift; what="$*, $how"; : > printed
    "$bloom" "$@" > printed 2> err & pid=$!
    exec 9> pipe; cat $input >&9
    [ $1 != uniq ] || wait_for printed
}
ends() {        # ends STATUS
    exec 9>&-; wait $pid; is "$what: status" $1 $?
}
kept() {        # kept WHY NOW LINES: the end of a run; FILE is like NOW, or does
                # not exist, and FILE.kept.PID contains LINES
    ends 2; is "$what: one message" 1 $(wc -l < err)
    says err "bloom: f: $1"; says err " is in f.kept.$pid"
    if [ $2 = none ]; then is "$what: FILE" none "$(ls f 2> /dev/null || echo none)"
    else same f $2; fi
    try "$what: kept" 1 check -v f.kept.$pid $3; rm -f f.kept.$pid
    is "$what: nothing else" '' "$(ls | grep '^f\.')"
}
why='another program has changed, replaced or removed it; it is left as it is'
for verb in uniq build add merge; do
    for how in rename copy 'copy with the old time' removal link; do
        cp was f; cp other new
        case $verb in
        uniq) run in uniq -f f pipe ;;
        build) run in build -n 10 f pipe ;;
        add) run in add f pipe ;;
        merge) run part merge f pipe part ;;
        esac
        now=other
        case $how in
        rename) mv new f ;;
        copy) cat new > f ;;
        copy*) touch -r f at; cat new > f; touch -r at f ;;
        removal) rm f; now=none ;;
        link) rm f; ln -s other f ;;
        esac
        kept "$why" $now in; rm -f f at new
    done
done
how='none at first'; run in build -n 10 f pipe; cp other f; kept "$why" other in
how='another link'; mv was store; ln -sf store f; run in uniq -f f pipe
ln -sf other f; begin; what="$how"; exec 9>&-; wait $pid; is "$how" 2 $?
says err "bloom: f: $why"; says err " is in store.kept.$pid"; same f other
rm f store.kept.$pid; mv store was

has_changed() { ! cmp -s f was; }
# What was saved before is not forgotten in silence, either
for how in 'no new line' 'a signal'; do
    cp was f; cp other new; run in uniq --save 1 -f f pipe
    until_ has_changed
    mv new f; [ "$how" = 'no new line' ] || kill $pid
    kept "$why" other in
done
how='nothing to save'; cp was f; cp other new; run a uniq -d -f f pipe
mv new f; kept "$why" other a

# Each run without its lock is on its own; the lock of another run stays
how='lock removed'; lock='its lock, f.lock, was removed or taken over'; cp was f
for verb in 'uniq -f f' 'add f' 'build -n 10 f'; do
    cp was f; run in $verb pipe; rm f.lock; kept "$lock" was in
done
cp was f; run in uniq -f f pipe; echo mine > new; mv new f.lock
begin; ends 2; says err "$lock"; same f was
is 'the lock of another program stays' mine "$(cat f.lock)"; rm f.*

# Two runs, the second of them after the lock of the first was removed
cp was f; how='two runs'; mkfifo pipe2
"$bloom" uniq --save 1 -f f pipe > printed 2> err & pid=$!
exec 9> pipe; numbers 5001 5010 >&9; wait_for printed; rm f.lock
"$bloom" uniq -f f pipe2 > second 2> err2 9>&- & other=$!
exec 8> pipe2; numbers 6001 6010 >&8; wait_for second
begin; what='the first of two runs'; wait $pid; is "$what" 2 $?; says err "$lock"
exec 9>&-; same f was; try "$what" 1 check -v f.kept.$pid printed
is 'the lock of the second run' f.lock "$(ls f.lock)"
begin; what='the second'; exec 8>&-; wait $other; is "$what" 0 $?; empty "$what" err2
cat a second > want; try 'they are in' 1 check -v f want
is 'only what was kept' f.kept.$pid "$(ls | grep '^f\.')"; rm f f.* pipe2

# No file of another program or run is overwritten or removed
how='a file with its names'; cp was f; begin
sh -c 'echo mine > f.kept.$$; echo mine > f.new.$$.0; echo $$ > pid
    exec "$@"' - "$bloom" uniq -f f pipe > printed 2> err & pid=$!
exec 9> pipe; cat in >&9; wait_for printed; rm f; ends 2
says err " is in f.kept.$pid.1"; try "$how" 1 check -v f.kept.$pid.1 in
is "$how: both stay" 'mine mine' "$(echo $(cat f.kept.$pid f.new.$pid.0))"
rm f.*
how='a cleaner'; cp was f; run in uniq -f f pipe; rm f.new.*; ends 0
empty "$how" err; try "$how" 1 check -v f in
how='nothing replaced'; rm f; cp was f; run in uniq -f f pipe; ends 0
empty "$how" err; try "$how" 1 check -v f in; rm f

# A program shares FILE (bloom_share) and adds a key during a run. That key
# stays. In tmpfs, this changes no time. A FILE without a seal is locked until the
# first save, and a second run waits for the first. At the end, the program shares
# FILE when the run replaces it, for a moment; or for longer, "to the end".
if ${CC:-cc} -std=c99 -O1 -I"$root" -o shares \
    "$root/examples/command/tests/shares.c" 2> err; then
    mkfifo go; echo key > key
    for place in . /dev/shm; do
        [ -w $place ] || continue
        d=$(mktemp -d $place/bloom.XXXXXX)
        for how in during 'no seal' 'at the end' 'to the end'; do
            rm -f $d/f*; try "shared $how: build" 0 build -n 1000 $d/f a
            [ "$how" != 'no seal' ] || echo | ./shares $d/f before > out
            run in uniq -f $d/f pipe; what="shared $how, $place"; : > shared
            ./shares $d/f key < go > shared 9>&- & sharer=$!
            exec 8> go
            case $how in
            'no seal')
                exec 8>&-; wait $sharer; is "$what: EBUSY" 16 $?
                : > waits; "$bloom" uniq -f $d/f key 9>&- > out 2> waits & second=$!
                wait_for waits; exec 9>&-; wait $pid; is "$what: status" 0 $?
                wait $second; is "$what: the second run" 0 $?
                try "$what" 1 check -v $d/f in key ;;
            'to the end')
                wait_for shared; exec 9>&-; wait $pid; is "$what: status" 2 $?
                says err "bloom: $d/f: another program shares it; it is left"
                try "$what: kept" 1 check -v $d/f.kept.$pid in
                exec 8>&-; wait $sharer; is "$what: added" 0 $?
                is "$what: lost" '' "$("$bloom" check -v $d/f key 2> err)" ;;
            *)  wait_for shared
                [ "$how" = during ] || { exec 9>&-; asleep $pid; }
                echo >&8; exec 8>&- 9>&-; wait $sharer; is "$what: added" 0 $?
                wait $pid; is "$what: status" 2 $?
                [ "$how" != during ] || says err "bloom: $d/f: $why"
                is "$what: lost" '' "$("$bloom" check -v $d/f key 2> err)"
                try "$what: kept" 1 check -v $d/f.kept.$pid in ;;
            esac
        done
        rm -r $d
    done
else
    echo "skipped: FILE is shared: $(head -n 1 err)"
fi

# A mount point cannot be replaced
cp was f
if unshare -m mount --bind other f 2> err; then
    mounted() {
        begin; what="$1 of a mount point"
        unshare -m sh -c 'mount --bind other f && exec "$@"' - \
            "$bloom" "$@" > out 2> err; is "$what" 2 $?; empty "$what" out
        is "$what" "bloom: f: is a mount point, so it cannot be replaced; mount \
its folder instead" "$(cat err)"
        is "$what: nothing is left" '' "$(ls | grep '^f\.')"
    }
    mounted uniq -f f in; mounted build -n 10 f in; mounted add f in
    mkdir real folder; cp was real/f; begin; what='a mounted folder'
    unshare -m sh -c 'mount --bind real folder && exec "$@"' - \
        "$bloom" uniq -f folder/f in > out 2> err; is "$what" 0 $?
    same out in; try "$what" 1 check -v real/f in; rm -r real folder
else
    echo "skipped: FILE as a mount point: $(cat err)"
fi
rm -f f was other part others in second
