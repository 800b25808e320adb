# `make check-leveldb` runs this script: bloom_leveldb.h compiles without a
# warning, policy.cpp tests it under ASan and UBSan, and demo.cpp finds every
# key of a database and measures the rate, with random keys and with consecutive
# numbers. Ends with "N passed, N failed".
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers.sh
each_must_end
CXX=${CXX:-c++}
need "$CXX" g++
need leveldb/db.h libleveldb-dev \
    'echo "#include <leveldb/db.h>" | $CXX -E -x c++ -'
enough
work=build/leveldb
rm -rf $work
mkdir -p $work || exit 1
TMPDIR=$PWD/$work export TMPDIR
warn='-Werror -Wall -Wextra -pedantic -Wshadow -Wconversion -Wsign-conversion'
folder=examples/leveldb

# built NAME SOURCE FLAGS...
built() {
    name=$1 source=$2
    shift 2
    silent $CXX -std=c++11 $warn -I. -I$folder "$@" $source -o $work/$name -lleveldb
}
built policy $folder/tests/policy.cpp -g -O1 -fsanitize=address,undefined \
    -fno-sanitize-recover=all
$work/policy $work/database >$work/policy.out 2>&1
sum policy $work/policy.out
built demo $folder/demo.cpp -O2
for keys in '' decimal; do
    check "demo $keys" $work/demo $keys 50000
done
is 'temporary folders that stayed' '' "$(ls $work | grep leveldb)"
is 'bad arguments: exit status' 2 "$($work/demo x 2>/dev/null; echo $?)"

# The README's lines of C++ are a program.
awk '/^```$/ { on = 0 } on { print } /^```cpp$/ { on = 1 }' $folder/README.md \
    >$work/first.cpp
built first $work/first.cpp
is 'the program in the README' "$(sed -n 's,^ *// prints: ,,p' $work/first.cpp)" \
    "$(cd $work && ./first)"
counted
