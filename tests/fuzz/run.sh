# `make fuzz` runs this script. It runs each fuzz target, a file fuzz_NAME.c of
# this folder or of examples/*/tests/, under libFuzzer, AddressSanitizer and
# UBSan, from the target's seeds. Then a second program without libFuzzer runs
# the same inputs with a size_t of 32 bits; without AddressSanitizer and by
# qemu-i386, if the kernel runs no programs of 32 bits. Each of the two counts as
# one test. A failure prints the condition that is not true or the
# sanitizer's summary; build/fuzz-NAME.log has more.
# usage: [ONLY="image state"] [BITS=64] [MSAN=1] run.sh [SECONDS [RUNS]]
#   SECONDS  for each target, at most; 60 by default
#   RUNS     executions of each target, at most
#   ONLY     only these targets
#   BITS=64  without the second program
#   MSAN=1   under MemorySanitizer instead, in 64 bits only
#
# A target says in its first comment what it needs, each on a line of its own:
#   fuzz: length=N       inputs have at most N bytes; 128 by default
#   fuzz: seeds=FILE     FILE beside the target has its seeds, in place of
#                        fuzz_NAME.txt; unpack.sh tells their form
#   fuzz: before=WORDS   a shell command that makes something in build/ first
#   fuzz: flags=WORDS    for the compilers
#   fuzz: libraries=-lX  for the linkers
#   fuzz: package=NAME   the Debian package of that library
#   fuzz: compare=yes    libFuzzer sees all compared numbers. That finds magic
#                        bytes, but takes half of the time.
#   fuzz: bits=64 only   there is no second program
#   fuzz: asan=OPTIONS   for AddressSanitizer
#   fuzz: msan=no        left out with MSAN=1: it needs a library that was not
#                        built for MemorySanitizer
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
limit="-max_total_time=${1:-60} -runs=${2:--1}"
. tests/helpers.sh
executions=0

# works COMPILER...: a program can be built so
works() {
    echo 'int main(void) { return 0; }' | "$@" -x c - -o build/fuzz-try
}
SANITIZE="address,undefined,float-cast-overflow"
under="ASan and UBSan"
if [ -n "$MSAN" ]; then
    SANITIZE="memory -fsanitize-memory-param-retval"
    under=MSan
    export MSAN_OPTIONS=allocator_may_return_null=1
fi
need clang clang 'works clang' &&
    need "clang's sanitizers" libclang-rt-dev \
        "works clang -fsanitize=$SANITIZE"
if [ -z "$MSAN$BITS" ]; then
    need 'gcc -m32' gcc-multilib "works gcc -m32 -fsanitize=$SANITIZE"
    narrow="-fsanitize=$SANITIZE" emulator=
    if ! runs_32_bits; then
        need qemu-i386 qemu-user
        narrow="-fsanitize=${SANITIZE#address,}" emulator=qemu-i386
    fi
fi
enough

# told KEY: the value that $source gives it in its first comment
told() {
    sed -n "s/^.*fuzz: $1=\(.*\)/\1/p; /\*\//q" "$source" | sed 's| *\*/$||'
}
result() {
    if [ "$1" -eq 0 ]; then
        ok
    else
        bad "$2; see $3:"
        grep -e 'not true:' -e 'SUMMARY' -e 'runtime error' -e 'written to' \
            -e 'error:' "$3"
    fi
}
# fuzz NAME: runs the target in $source
fuzz() {
    program=build/fuzz-$1 seeds=build/seeds-$1 found=build/corpus-$1
    length=$(told length) flags=$(told flags) libraries=$(told libraries)
    before=$(told before) bits=$(told bits) texts=$(told seeds)
    compare=
    [ "$(told compare)" = yes ] || compare=-fno-sanitize-coverage=trace-cmp
    if ! need "$libraries" "$(told package)" "works clang $libraries" ||
       ! eval "$before"; then
        bad "$1"
        return
    fi
    texts=${source%/*}/${texts:-fuzz_$1.txt}
    mkdir -p "$seeds" "$found"
    [ ! -e "$texts" ] || sh tests/fuzz/unpack.sh "$texts" "$seeds"
    asan=$ASAN_OPTIONS
    export ASAN_OPTIONS="$asan:$(told asan)"
    clang -std=c99 -g -O2 -I. $flags -fsanitize=fuzzer,$SANITIZE \
        $compare -fno-sanitize-recover=all "$source" -o "$program" $libraries \
        >"$program.log" 2>&1 &&
    "$program" $limit -max_len=${length:-128} -entropic=0 -timeout=120 \
        -print_final_stats=1 -artifact_prefix="$program-" \
        "$found" "$seeds" >>"$program.log" 2>&1
    result $? "$1" "$program.log"
    ASAN_OPTIONS=$asan
    made=$(sed -n 's/^stat::number_of_executed_units: //p' "$program.log")
    executions=$((executions + ${made:-0}))
    again=
    if [ -z "$MSAN$BITS$bits" ]; then
        gcc -m32 -std=c99 -g -O1 -I. $flags -DFUZZ_MAIN $narrow \
            -fno-sanitize-recover=all "$source" -o "$program-32" $libraries \
            >"$program-32.log" 2>&1 &&
        find "$seeds" "$found" -type f \
            -exec $emulator "$program-32" {} + >>"$program-32.log" 2>&1
        result $? "$1 in 32 bits" "$program-32.log"
        again=", $(find "$found" -type f | wc -l) of them also in 32 bits"
    fi
    echo "$1: ${made:-0} executions$again"
}

for source in tests/fuzz/fuzz_*.c examples/*/tests/fuzz_*.c; do
    [ -e "$source" ] || continue
    name=${source##*/fuzz_}
    name=${name%.c}
    case " ${ONLY:-$name} " in *" $name "*) ;; *) continue ;; esac
    if [ -z "$MSAN" ] || [ "$(told msan)" != no ]; then
        fuzz "$name"
    fi
done

echo "$executions executions under $under"
counted
