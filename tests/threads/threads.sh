# `make threads` runs this script. It tests the promises of BLOOM_ATOMIC: no
# data race (ThreadSanitizer), no lost key, and an absent key is new to at least
# one thread. Without BLOOM_ATOMIC the same programs must fail, which shows that
# they detect the fault. ALL=1: both compilers, each with SIMD and without;
# and all orders of two threads.
# usage: [ALL=1] threads.sh [KEYS]  KEYS are added by two threads; 1e7 by default
#        threads.sh table       the price of BLOOM_ATOMIC, for RESULTS.md
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
keys=${1:-1e7} source=tests/threads/threads.c
WARN="-std=c99 -Wall -Wextra -pedantic -Werror -I. -pthread"
. tests/helpers.sh

# build NAME COMPILER FLAGS...: builds build/threads-NAME. With ATOMIC= before
# it, the program itself (not its loops) is built without BLOOM_ATOMIC.
build() {
    name=build/threads-$1 cc="$2 $WARN"
    shift 2
    $cc "$@" -DLOOPS=plain -c $source -o build/threads-plain.o &&
    $cc "$@" -DLOOPS=atomic -DBLOOM_ATOMIC -c $source \
        -o build/threads-atomic.o &&
    $cc "$@" ${ATOMIC--DBLOOM_ATOMIC} $source build/threads-plain.o \
        build/threads-atomic.o -o $name
}

need gcc gcc
if [ "$1" = table ]; then
    enough
    build table gcc -O2 -march=native && build/threads-table table
    exit
fi
need clang 'clang libclang-rt-dev'
enough

# ThreadSanitizer reports nothing, and no key is lost.
no_race() {
    build tsan "$@" -O1 -g -fsanitize=thread && build/threads-tsan race \
        >build/threads.out 2>&1 && ! grep -q WARNING build/threads.out && return
    cat build/threads.out
    false
}
# Without BLOOM_ATOMIC, ThreadSanitizer must report a race. It stops at the
# first of hundreds of reports, to save time.
race_found() {
    ATOMIC= build tsan "$@" -O1 -g -fsanitize=thread || return
    ! TSAN_OPTIONS=halt_on_error=1 build/threads-tsan race \
        >build/threads.out 2>&1 &&
        grep -q 'WARNING: ThreadSanitizer: data race' build/threads.out
}

builds='gcc clang,-DBLOOM_NO_SIMD'
[ -z "$ALL" ] || builds='gcc gcc,-DBLOOM_NO_SIMD clang clang,-DBLOOM_NO_SIMD'
for build in $builds; do
    options=$(echo $build | tr , ' ')
    check "$options, ThreadSanitizer" no_race $options
    check "$options, ThreadSanitizer finds races without BLOOM_ATOMIC" \
        race_found $options
done
echo "ThreadSanitizer: $passed passed, $failed failed"

every_order() {
    case $(uname -m) in
    x86_64 | aarch64) ;;
    *) echo "skipped: interleave.c (needs x86-64 or AArch64)"; return ;;
    esac
    gcc $WARN -O2 tests/threads/interleave.c -o build/interleave &&
        build/interleave ${ALL:+all}
}
check "every order of two threads is correct" every_order

for build in $builds; do
    options="$(echo $build | tr , ' ') -O2"
    echo "$options"
    check "$options: builds" build new $options
    check "$options: no key is lost" build/threads-new keys "$keys"
    check "$options: an absent key is new to one" build/threads-new new 300000
    check "$options: with a lock, to exactly one" build/threads-new once 100000
done

counted
