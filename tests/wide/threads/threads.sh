# Run by `make threads`: several threads in one filter, as BLOOM_ATOMIC allows.
# usage: threads.sh [KEYS]      how many keys are added by two threads; 1e7
cd "$(dirname "$0")/../../.." && mkdir -p build || exit 1
keys=${1:-1e7} source=tests/wide/threads/threads.c
WARN="-std=c99 -Wall -Wextra -pedantic -Werror -I. -pthread"
. tests/unit/count.sh

for tool in gcc clang; do
    command -v $tool >/dev/null && continue
    echo "threads needs $tool: apt-get install gcc libtsan2 clang" \
        "libclang-rt-14-dev"
    exit 1
done

# build NAME COMPILER FLAGS... : ATOMIC= builds the program itself without it
build() {
    name=build/threads-$1 cc="$2 $WARN"
    shift 2
    $cc "$@" -DLOOPS=plain -c $source -o build/threads-plain.o &&
    $cc "$@" -DLOOPS=atomic -DBLOOM_ATOMIC -c $source \
        -o build/threads-atomic.o &&
    $cc "$@" ${ATOMIC--DBLOOM_ATOMIC} $source build/threads-plain.o \
        build/threads-atomic.o -o $name
}
# Silent, and nothing lost
no_race() {
    build tsan "$@" -O1 -g -fsanitize=thread && build/threads-tsan race \
        >build/threads.out 2>&1 && ! grep -q WARNING build/threads.out && return
    cat build/threads.out
    false
}
# The same without BLOOM_ATOMIC must be reported, or the check is none. The first
# report is enough: each of hundreds takes time.
race_found() {
    ATOMIC= build tsan "$@" -O1 -g -fsanitize=thread || return
    ! TSAN_OPTIONS=halt_on_error=1 build/threads-tsan race \
        >build/threads.out 2>&1 &&
        grep -q 'WARNING: ThreadSanitizer: data race' build/threads.out
}

for cc in gcc clang; do
    check "$cc, ThreadSanitizer" no_race $cc
    check "$cc, ThreadSanitizer, plain C" no_race $cc -DBLOOM_NO_SIMD
    check "$cc, a planted race is found" race_found $cc
done
echo "ThreadSanitizer: $passed passed, $failed failed"

every_order() {
    case $(uname -m) in
    x86_64 | aarch64) ;;
    *) echo "skipped, interleave.c: no SIMD here"; return ;;
    esac
    gcc $WARN -O2 tests/wide/threads/interleave.c -o build/interleave &&
        build/interleave
}
check "every order of two threads" every_order

for options in "gcc -O2" "gcc -O2 -DBLOOM_NO_SIMD" "clang -O2"; do
    echo "$options"
    check "$options" build new $options
    check "$options: keys" build/threads-new keys "$keys"
    check "$options: new" build/threads-new new 300000
done

check "gcc -O2" build price gcc -O2
echo "load of the machine: $(cut -d ' ' -f 1-3 /proc/loadavg) (2 is all of it)"
check price build/threads-price price
check scale build/threads-price scale
echo "load of the machine: $(cut -d ' ' -f 1-3 /proc/loadavg)"

counted
