# `make test` runs this script. It builds and runs the test program in each mode
# of the header, and the other tests: the files build/NAME.out in TESTS. Each
# result is printed when it is there: make does that, with the files
# build/NAME.said. Last, this script checks the first example. It skips modes
# that the compiler cannot build, and says so. It ends with the sum, "N passed, N
# failed".
# usage: CC=.. CXX=.. BUILD=.. TESTS=.. [ONLY="MODE..."] run.sh
. tests/helpers.sh
modes=
for mode in ${ONLY:-$(modes test)}; do
    lacking=$(lacks $mode)
    [ -z "$lacking" ] && modes="$modes $mode" ||
        echo "skipped: mode $mode ($lacking)"
done
modes="$modes window slices file"
[ -n "$(lacks atomic)" ] || modes="$modes share"
[ -n "$(lacks c++)" ] || modes="$modes slices-c++"

results=$(for mode in $modes; do echo "build/test-$mode"; done
    for file in $TESTS; do echo "${file%.out}"; done)
for result in $results; do
    rm -f $result.out $result.said
done
# Those of the command come first, as they mostly wait
$BUILD build/first $TESTS $(for result in $results; do echo $result.said; done)
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

counted
