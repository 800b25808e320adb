#!/bin/sh
# Tests of the bloom command:  sh command.sh build/bloom [SUBJECT...]
# A SUBJECT is the name of another file in this folder, without .sh; the default
# is all of them. `build`, `files` and `dump` need files that `kept` and `build`
# leave.
# Works in a new folder in build/, and needs cc for the output of `bloom dump`.

bloom=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$root/build/command.$$
mkdir -p "$work" && cd "$work" || exit 2
trap 'cd / && rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
LC_ALL=C export LC_ALL
. "$root/tests/helpers.sh"
# The system frees the memory of a process that ends.
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
each_must_end

# A test is one run of bloom, with all that is checked of it.
broken=
ok() { :; }
bad() { broken=1; printf 'FAILED: %s\n' "$*"; }
begin() {       # counts the test that ends here
    ended "$what"
    if [ -z "$broken" ]; then passed=$((passed + 1))
    else failed=$((failed + 1)); fi
    broken=
}
same() {        # same FILE FILE
    if cmp -s "$1" "$2"; then ok; return; fi
    bad "$what: $1 is $2: $(cmp "$1" "$2" 2>&1)"
}
empty() {       # empty WHAT FILE: the file is empty
    if [ -s "$2" ]; then bad "$1: $(cat "$2")"; else ok; fi
}
says() {        # says FILE WORDS: one of its lines contains the words
    if grep -qF -e "$2" "$1"; then ok
    else is "$what: $1" "$2" "$(cat "$1")"; fi
}
try() {         # try WHAT STATUS ARGUMENTS...: runs bloom, output to out, err
    begin
    what=$1 status=$2
    shift 2
    "$bloom" "$@" > out 2> err
    is "$what: exit status" "$status" $?
    if [ "$status" -lt 2 ]; then empty "$what: no message" err; fi
}
refuse() {      # refuse MESSAGE ARGUMENTS...: an error message that begins so
    message="bloom: $1"
    shift
    try "$message" 2 "$@"
    line=; IFS= read -r line < err
    case $line in
    "$message"*) ok ;;
    *) is "$what" "$message" "$line" ;;
    esac
    empty "$what: no output" out
}
warned() {      # warned STATUS MESSAGE ARGUMENTS...: as `try`, with one line in err
    begin
    status=$1 message="bloom: $2"
    shift 2
    "$bloom" "$@" > out 2> err
    is "$what: exit status" "$status" $?
    is "$what: one message" 1 $(wc -l < err); says err "$message"
}
near() {        # near N: out, from `bloom info`, estimates N keys, within 3%
    is "$what: about $1 keys" yes "$(awk -v n="$1" '/^keys: / {
        print ($3 >= 0.97 * n && $3 <= 1.03 * n) ? "yes" : $3 }' out)"
}
fed() {         # fed FILE TRY...: tries with FILE as the input of the FIFO pipe
    cat "$1" > pipe 2> /dev/null &
    feeder=$!
    shift
    "$@"
    kill $feeder 2> /dev/null; wait $feeder 2> /dev/null
}
numbers() {     # numbers FIRST LAST
    awk -v i="$1" -v last="$2" 'BEGIN { for (; i <= last; i++) print i }'
}
until_() {      # until_ COMMAND...: waits until it succeeds
    until "$@"; do sleep 0.02; done
}
wait_for() {    # wait_for FILE: until it is not empty
    until_ [ -s "$1" ]
}
hold() {        # keeps the standard output open until the test kills it
    exec sleep 3600
}
asleep() {      # asleep PID: until that process sleeps; at once without /proc
    [ ! -e /proc/$1/stat ] || until_ grep -q ') S ' /proc/$1/stat
}
written() {     # written PID: prints how many bytes it has written; or nothing
    sed -n 's/^wchar: //p' /proc/$1/io 2> /dev/null
}
has_written() { # has_written PID BYTES: until it has; at once if that is unknown
    enough() { [ "$(written $1)" -ge $2 ]; }
    [ -z "$(written $1)" ] || until_ enough $1 $2
}
overwrite() {   # overwrite FILE OFFSET BYTES, as printf writes them
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}

# Files that several subjects use
numbers 1 600 > a; numbers 400 1000 > b; cat a b > ab
numbers 1 200000 > many; mkfifo pipe

# A clock that tests set, for --for and for the state of a run. It takes the C
# library of the program, as CC may have another one
set_clock() { echo "$*" > clock.new; mv clock.new clock; }
at() {          # at SECONDS COMMAND...: runs it at that time, by this clock
    set_clock $((1000000000 + $1))
    export CLOCK=./clock LD_PRELOAD=./clock.so      # $PWD may have a space
    shift
    "$@"
    unset CLOCK LD_PRELOAD
}
has_clock() {
    [ -e clock.so ] || ${CC:-cc} -shared -fPIC -nostdlib -o clock.so \
        "$root/examples/command/tests/fast_clock.c" 2> err || return
    [ "$(at 0 "$bloom" --version 2>&1)" = "$("$bloom" --version)" ]
}

shift
[ $# -gt 0 ] || set -- usage uniq plan keys kept printed build files \
    dump install fold forget state promises
for subject; do
    . "$root/examples/command/tests/$subject.sh"
done
begin
counted
