# Run by `make fuzz`: each target, tests/fuzz/NAME.c, under AddressSanitizer and
# UBSan from its corpus in tests/fuzz/corpus, then what was found once more without
# libFuzzer in a 32-bit program. Counts one test for each of the two.
# usage: tests/fuzz/run.sh [seconds a target, 60 if not given]
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
seconds=${1:-60}
. tests/count.sh
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
takes gcc-multilib gcc -m32 -fsanitize=address,undefined

result() {
    if [ "$1" -eq 0 ]; then
        ok
    else
        bad "$2; see $3:"
        grep -e 'not so:' -e 'SUMMARY' -e 'runtime error' -e 'written to' \
            -e 'error:' "$3"
    fi
}

# fuzz TARGET LENGTH [FLAG]: inputs of at most so many bytes. To hand every
# number compared to libFuzzer finds magic bytes, and takes half of the time.
# Before it may be set: source, unless it is tests/fuzz/TARGET.c; flags, libraries
fuzz() {
    program=build/fuzz-$1
    source=${source:-tests/fuzz/$1.c}
    found=build/corpus-$1
    mkdir -p "$found"
    clang -std=c99 -g -O2 -I. $flags -fsanitize=fuzzer,$SANITIZE $3 \
        -fno-sanitize-recover=all "$source" -o "$program" $libraries \
        >"$program.log" 2>&1 &&
    "$program" -max_total_time="$seconds" -max_len="$2" -entropic=0 -timeout=5 \
        -print_final_stats=1 -artifact_prefix="$program-" \
        "$found" "tests/fuzz/corpus/$1" >>"$program.log" 2>&1
    result $? "$1" "$program.log"
    made=$(sed -n 's/^stat::number_of_executed_units: //p' "$program.log")
    executions=$((executions + ${made:-0}))
    if [ "$libraries" = -lsqlite3 ]; then       # of which there is none in 32
        echo "$1: ${made:-0} executions"
        source= flags= libraries=
        return
    fi
    gcc -m32 -std=c99 -g -O1 -I. $flags -DFUZZ_MAIN \
        -fsanitize=address,undefined -fno-sanitize-recover=all \
        "$source" -o "$program-32" $libraries >"$program-32.log" 2>&1 &&
    find "tests/fuzz/corpus/$1" "$found" -type f -exec "$program-32" {} + \
        >>"$program-32.log" 2>&1
    result $? "$1 in 32 bits" "$program-32.log"
    echo "$1: ${made:-0} executions," \
         "$(find "$found" -type f | wc -l) of them also in 32 bits"
    source= flags= libraries=
}

fuzz image 256
fuzz state 128 -fno-sanitize-coverage=trace-cmp
fuzz chain 256 -fno-sanitize-coverage=trace-cmp
fuzz plan 64 -fno-sanitize-coverage=trace-cmp
fuzz command 384 -fno-sanitize-coverage=trace-cmp
for tool in guava spark cassandra; do
    source=tests/fuzz/jvm.c libraries=-lm
    flags="-DFUZZ_TOOL=\"../../examples/$tool.c\""
    fuzz $tool 128
done
if (. tests/redis/server.sh && fetch_header); then
    flags="-isystem build"
    fuzz redis 512
else
    result 1 "redis: no redismodule.h" /dev/null
fi
takes libsqlite3-dev clang -lsqlite3
source=tests/fuzz/sqlite.c libraries=-lsqlite3
fuzz sqlite 160 -fno-sanitize-coverage=trace-cmp

echo "$executions executions under ASan and UBSan"
counted
