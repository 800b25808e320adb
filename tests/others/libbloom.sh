# `make theirs LIBBLOOM=FOLDER` runs this script: libbloom's own tests, of
# FOLDER/misc/test, against our bloom.h through the stand-in in this folder.
# Ends with "N passed, N failed".
. tests/count.sh
work=build/theirs
mkdir -p $work
cc="${CC:-cc} -g -w -Itests/others"
silent $cc tests/others/libbloom.c "$LIBBLOOM/misc/test/basic.c" -o $work/basic
silent $cc "-DTEST_C=\"$LIBBLOOM/misc/test/test.c\"" tests/others/libbloom.c \
    tests/others/groups.c -o $work/groups
run() {         # run NAME WORDS...: passed if it ends with 0
    name=$1
    shift
    "$@" >$work/out 2>&1
    is "$name" 0 "$?"
}
run basic.c $work/basic
run 'test.c, bits' $work/groups bits
run 'test.c, merge_test' $work/groups merge
for row in '5002 0.01' '10000 0.1' '10000 0.01' '10000 0.001' '10000 0.0001' \
           '1000000 0.0001'; do
    run "test.c, add_random $row" $work/groups add $row
done
# basic() of test.c asserts libbloom's file format: a number for each reason why
# a file is refused, and at which byte. It must fail there, and not earlier.
$work/groups basic >$work/out 2>&1
is 'test.c, basic: not ours to pass' 1 "$(grep -c 'bloom_load(' $work/out)"
counted
