# Run by `make fuzz`: each target, a NAME.c of this folder, under AddressSanitizer and
# UBSan from its corpus in corpus/, then what was found once more without
# libFuzzer in a 32-bit program (large: the other way round). Counts one test for
# each of the two.
# usage: run.sh [seconds a target, 60 if not given [executions instead]]
# ONLY="image state" in the environment: these targets alone
cd "$(dirname "$0")/../../.." && mkdir -p build || exit 1
limit=-max_total_time=${1:-60}
[ -z "$2" ] || limit=-runs=$2
. tests/unit/count.sh
executions=0

# takes PACKAGE COMMAND...: tells of a package without which it fails
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
takes clang clang
takes libclang-rt-14-dev clang -fsanitize=$SANITIZE
takes gcc-multilib gcc -m32 -fsanitize=$SANITIZE
takes g++-multilib clang -m32 -lstdc++          # of which libFuzzer is made

result() {
    if [ "$1" -eq 0 ]; then
        ok
    else
        bad "$2; see $3:"
        grep -e 'not so:' -e 'SUMMARY' -e 'runtime error' -e 'written to' \
            -e 'error:' "$3"
    fi
}

# fuzz TARGET LENGTH [FLAG]...: inputs of at most so many bytes. To hand every
# number compared to libFuzzer finds magic bytes, and takes half of the time.
# Before it may be set: source, unless it is TARGET.c; flags, libraries;
# bits, 32 for libFuzzer's program and 64 for that without it
fuzz() {
    case " ${ONLY:-$1} " in *" $1 "*) fuzz_it "$@" ;; esac
    source= flags= libraries= bits=
}
fuzz_it() {
    target=$1 length=$2
    shift 2
    program=build/fuzz-$target
    source=${source:-tests/wide/fuzz/$target.c}
    found=build/corpus-$target
    other=$((96 - ${bits:-64}))
    mkdir -p "$found"
    clang -m${bits:-64} -std=c99 -g -O2 -I. $flags -fsanitize=fuzzer,$SANITIZE \
        "$@" -fno-sanitize-recover=all "$source" -o "$program" $libraries \
        >"$program.log" 2>&1 &&
    "$program" $limit -max_len="$length" -entropic=0 -timeout=5 \
        -print_final_stats=1 -artifact_prefix="$program-" \
        "$found" "tests/wide/fuzz/corpus/$target" >>"$program.log" 2>&1
    result $? "$target" "$program.log"
    made=$(sed -n 's/^stat::number_of_executed_units: //p' "$program.log")
    executions=$((executions + ${made:-0}))
    again=
    if [ "$libraries" != -lsqlite3 ]; then      # of which there is none in 32
        gcc -m$other -std=c99 -g -O1 -I. $flags -DFUZZ_MAIN \
            -fsanitize=$SANITIZE -fno-sanitize-recover=all \
            "$source" -o "$program-$other" $libraries \
            >"$program-$other.log" 2>&1 &&
        find "tests/wide/fuzz/corpus/$target" "$found" -type f \
            -exec "$program-$other" {} + >>"$program-$other.log" 2>&1
        result $? "$target in $other bits" "$program-$other.log"
        again=", $(find "$found" -type f | wc -l) of them also in $other bits"
    fi
    echo "$target: ${made:-0} executions$again"
}

# Targets of planning watch all of it; the others leave out what only computes.
NO_CMP=-fno-sanitize-coverage=trace-cmp
NO_PATHS=-fsanitize-coverage-ignorelist=tests/wide/fuzz/quiet.txt
NO_WATCH="$NO_CMP $NO_PATHS -fsanitize-ignorelist=tests/wide/fuzz/quiet.txt"
fuzz image 256 $NO_WATCH
fuzz state 128 $NO_WATCH
fuzz chain 128 $NO_WATCH
fuzz window 512 $NO_WATCH
fuzz plan 64 $NO_CMP $NO_PATHS
# In 32 bits AddressSanitizer may keep little of what libFuzzer frees, which else
# fills the addresses within millions of runs. What filters free, memory.h guards.
asan=$ASAN_OPTIONS
export ASAN_OPTIONS="$asan:quarantine_size_mb=16"
bits=32
fuzz large 96 $NO_WATCH
ASAN_OPTIONS=$asan
fuzz command 384 $NO_WATCH
for tool in guava spark cassandra; do
    source=tests/wide/fuzz/jvm.c libraries=-lm
    flags="-DFUZZ_TOOL=\"examples/$tool.c\""
    fuzz $tool 128
done
if (. tests/wide/redis/server.sh && fetch_header); then
    flags="-isystem build"
    fuzz redis 512
else
    result 1 "redis: no redismodule.h" /dev/null
fi
takes libsqlite3-dev clang -lsqlite3
source=tests/wide/fuzz/sqlite.c libraries=-lsqlite3
fuzz sqlite 160 -fno-sanitize-coverage=trace-cmp

echo "$executions executions under ASan and UBSan"
counted
