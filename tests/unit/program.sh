# Builds a test program in a mode of bloom.h, for `make test` and `make test-all`.
# usage: C99="cc -std=c99 FLAGS" CXX11="c++ -std=c++11 FLAGS" program.sh NAME
#   NAME     MODE: makes build/test-MODE, of unit/all.c; promises-MODE: of test.c
#   TEST_FLAGS has further flags for the tests.
. tests/helpers.sh
mode "${1#promises-}" || exit 1
out=build/test-$1
case $1 in
promises-*) source=tests/test.c ;;
*) source=tests/unit/all.c ;;
esac
set -- $program
kind=$1
shift
options="-include tests/unit/hooks.h $options"
tests="$options $test_options $TEST_FLAGS $source"

object() {
    $C99 "$@" $options -DBLOOM_IMPLEMENTATION -x c -c tests/headers.h \
        -o "$out.bloom.o"
}
case $kind in
one) $C99 "$@" -DBLOOM_IMPLEMENTATION $tests -o "$out" ;;
static)
    $C99 -O0 -DBLOOM_STATIC -Dmain=first -c examples/first.c -o "$out.first.o" &&
        $C99 "$@" -DBLOOM_STATIC $tests "$out.first.o" -o "$out" ;;
object)
    object "$@" && $C99 -O0 -c $tests -o "$out.o" &&
        $C99 "$out.o" "$out.bloom.o" -o "$out" ;;
c++) $CXX11 "$@" -DBLOOM_STATIC -x c++ $tests -o "$out" ;;
mixed)
    object "$@" && $CXX11 -O0 -x c++ $tests -x none "$out.bloom.o" -o "$out" ;;
*) echo "tests/modes.txt: unknown program: $kind"; exit 1 ;;
esac
