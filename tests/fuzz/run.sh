# `make fuzz` runs this script. It runs each fuzz target of this folder (fuzz.h
# lists them) under libFuzzer, AddressSanitizer and UBSan, from the target's
# corpus in corpus/. Then a second program without libFuzzer runs the same
# inputs with a 32-bit size_t. (For `large`, the first program is the one with
# 32 bits.) Each of the two counts as one test. A failure prints the condition
# that is not true or the sanitizer's summary; build/fuzz-TARGET.log has more.
# usage: [ONLY="image state"] [MSAN=1] run.sh [SECONDS [RUNS]]
#   SECONDS  for each target, 60 by default
#   RUNS     this many executions of each target, instead of a time
#   ONLY     only these targets
#   MSAN=1   under MemorySanitizer instead, in 64 bits only. Not for large, redis
#            and sqlite, as their libraries are not compiled with it.
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
limit=-max_total_time=${1:-60}
[ -z "$2" ] || limit=-runs=$2
. tests/count.sh
executions=0

# takes PACKAGE COMMAND...: ends the script and names PACKAGE, unless the
# compiler COMMAND works
takes() {
    package=$1
    shift
    echo 'int main(void) { return 0; }' | "$@" -x c - -o build/fuzz-try \
        2>/dev/null && return
    echo "fuzz needs $package: apt-get install $package"
    echo "0 passed, 1 failed"
    exit 1
}
SANITIZE="address,undefined,float-cast-overflow"
under="ASan and UBSan"
if [ -n "$MSAN" ]; then
    SANITIZE="memory -fsanitize-memory-param-retval"
    under=MSan
    export MSAN_OPTIONS=allocator_may_return_null=1
fi
takes clang clang
takes libclang-rt-14-dev clang -fsanitize=$SANITIZE
if [ -z "$MSAN" ]; then
    takes gcc-multilib gcc -m32 -fsanitize=$SANITIZE
    takes g++-multilib clang -m32 -lstdc++      # libFuzzer needs libstdc++
fi

result() {
    if [ "$1" -eq 0 ]; then
        ok
    else
        bad "$2; see $3:"
        grep -e 'not true:' -e 'SUMMARY' -e 'runtime error' -e 'written to' \
            -e 'error:' "$3"
    fi
}

# fuzz TARGET LENGTH [FLAG]...: runs a target with inputs of at most LENGTH
# bytes. It reads these variables, which may be set for one call: source (by
# default the target's own file), flags, libraries, and bits (32: the program
# with libFuzzer has 32 bits, the other one 64).
fuzz() {
    case " ${ONLY:-$1} " in *" $1 "*) fuzz_it "$@" ;; esac
    source= flags= libraries= bits=
}
fuzz_it() {
    target=$1 length=$2
    shift 2
    program=build/fuzz-$target
    source=${source:-tests/fuzz/fuzz_$target.c}
    seeds=build/seeds-$target found=build/corpus-$target
    other=$((96 - ${bits:-64}))
    mkdir -p "$found"
    corpus=${source##*/fuzz_}
    sh tests/fuzz/unpack.sh "tests/fuzz/corpus/${corpus%.c}.txt" "$seeds"
    clang -m${bits:-64} -std=c99 -g -O2 -I. $flags -fsanitize=fuzzer,$SANITIZE \
        "$@" -fno-sanitize-recover=all "$source" -o "$program" $libraries \
        >"$program.log" 2>&1 &&
    "$program" $limit -max_len="$length" -entropic=0 -timeout=5 \
        -print_final_stats=1 -artifact_prefix="$program-" \
        "$found" "$seeds" >>"$program.log" 2>&1
    result $? "$target" "$program.log"
    made=$(sed -n 's/^stat::number_of_executed_units: //p' "$program.log")
    executions=$((executions + ${made:-0}))
    again=
    if [ -z "$MSAN" ] && [ "$libraries" != -lsqlite3 ]; then    # 64 bits only
        gcc -m$other -std=c99 -g -O1 -I. $flags -DFUZZ_MAIN \
            -fsanitize=$SANITIZE -fno-sanitize-recover=all \
            "$source" -o "$program-$other" $libraries \
            >"$program-$other.log" 2>&1 &&
        find "$seeds" "$found" -type f \
            -exec "$program-$other" {} + >>"$program-$other.log" 2>&1
        result $? "$target in $other bits" "$program-$other.log"
        again=", $(find "$found" -type f | wc -l) of them also in $other bits"
    fi
    echo "$target: ${made:-0} executions$again"
}

# trace-cmp passes all compared numbers to libFuzzer. That finds magic bytes,
# but takes half of the time. The functions listed here only compute rates, and
# take most of the time of a plan: no target needs libFuzzer to count their paths,
# and only fuzz_plan.c needs the sanitizers' checks in them.
printf 'fun:bloom_%s_\n' moment mean_chances distinct_chances rate_of_probes \
    '*_rate' '*_floor' rate ln_1_plus power_minus_1 >build/fuzz-quiet.txt
NO_CMP=-fno-sanitize-coverage=trace-cmp
NO_PATHS=-fsanitize-coverage-ignorelist=build/fuzz-quiet.txt
NO_WATCH="$NO_CMP $NO_PATHS -fsanitize-ignorelist=build/fuzz-quiet.txt"
fuzz image 256 $NO_WATCH
fuzz state 128 $NO_WATCH
fuzz chain 128 $NO_WATCH
fuzz window 512 $NO_WATCH
fuzz plan 64 $NO_CMP $NO_PATHS
# In 32 bits, AddressSanitizer must not keep much of the memory that libFuzzer
# frees, or the address space is full after millions of runs. The memory that
# filters free is guarded by fuzz_memory.h.
asan=$ASAN_OPTIONS
export ASAN_OPTIONS="$asan:quarantine_size_mb=16"
bits=32
fuzz large 96 $NO_WATCH
ASAN_OPTIONS=$asan
fuzz command 384 $NO_WATCH
for tool in guava spark cassandra; do
    source=tests/fuzz/fuzz_jvm.c libraries=-lm
    flags="-DFUZZ_TOOL=\"examples/formats/$tool.c\""
    fuzz $tool 128
done
if (. tests/partners/redis/server.sh && fetch_header); then
    flags="-isystem build"
    fuzz redis 512
else
    result 1 "redis: no redismodule.h" /dev/null
fi
takes libsqlite3-dev clang -lsqlite3
source=tests/fuzz/fuzz_sqlite.c libraries=-lsqlite3
fuzz sqlite 160 -fno-sanitize-coverage=trace-cmp

echo "$executions executions under $under"
counted
