# `make test` and `make test-all` run this script. It builds and runs the test
# programs NAME.., and the other tests: the files build/NAME.out in TESTS. Each
# result is printed when it is there: make does that, with the files
# build/NAME.said. Last, this script checks the first example, and the names in
# tests/inside.h. It skips what the compiler cannot build, and says so. It ends with the sum, "N passed, N failed".
# usage: CC=.. CXX=.. BUILD=.. TESTS=.. [ONLY="NAME..."] run.sh NAME...
. tests/helpers.sh

# lacking NAME: what the compiler lacks for this program, or nothing
lacking() {
    case $1 in
    promises-*) lacks ${1#promises-} ;;
    slices-c++) lacks c++ ;;
    share) lacks atomic ;;
    window | slices | file) ;;
    *) lacks $1 ;;
    esac
}

# Those of the products come first, as they mostly wait
results=$(for file in $TESTS; do echo ${file%.out}; done)
for name in ${ONLY:-$*}; do
    why=$(lacking $name)
    [ -z "$why" ] && results="$results build/test-$name" ||
        echo "skipped: $name ($why)"
done
for result in $results; do
    rm -f $result.out $result.said
done
$BUILD build/first $(for result in $results; do echo $result.said; done)
for result in $results; do      # what make could not build is printed here
    name=${result#build/}
    sum "${name#test-}" $result.out >$result.sum
    [ -f $result.said ] || cat $result.sum
done

first_prints() {
    said=$(sed -n 's/^       \(apple.*\)/\1/p; s/^       \(pear.*in\).*/\1/p' \
           examples/first.c)
    [ "$(build/first)" = "$said" ]
}
check "examples/first.c prints what its comments say" first_prints

# Tests that `make test` does not run call private functions by tests/inside.h.
gone=$(sed -n 's/^#define [iI][nN][A-Za-z0-9_]* \([a-zA-Z0-9_]*_\).*/\1/p' \
        tests/inside.h |
    while read -r name; do grep -q -w "$name" bloom.h || echo "$name"; done)
is "private names in tests/inside.h that bloom.h lacks" '' "$gone"

counted
