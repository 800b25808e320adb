# `make check-formats` runs this script, after make libbloom. Each part is a script
# of this folder and can be run alone. Three of them run at the same time. Last come
# files of other projects, if a variable names their folder: see others.py.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers.sh
need nm binutils
need git git
need python3 python3
need javac default-jdk-headless
need guava.jar libguava-java '[ -e /usr/share/java/guava.jar ]'
need xxhash.h libxxhash-dev 'echo "#include <xxhash.h>" | ${CC:-cc} -E -'
need node nodejs
need npm npm
enough
CC=${CC:-cc} export CC

out=build/formats
mkdir -p $out
part() {
    sh examples/formats/tests/$1.sh >$out/$1 2>&1
}
sh tests/prints.sh examples/formats/bitcoin.c examples/formats/guava.c:-lm \
    examples/formats/spark.c:-lm examples/formats/cassandra.c:-lm >$out/prints
part jvm &
part parquet &
part elf
part git
wait
for name in prints elf git jvm parquet; do
    sum $name $out/$name
done
grep '^parquet memory' $out/parquet

# other PROGRAM KIND FOLDER, and flags for the compiler
other() {
    [ -n "$3" ] || return 0
    program=$1 kind=$2 folder=$3
    shift 3
    $CC -std=c99 -O2 -I. examples/formats/$program.c -o build/$program "$@" &&
        python3 examples/formats/tests/others.py build/$program $kind "$folder" \
            >$out/$kind 2>&1
    grep -v passed $out/$kind
    sum $kind $out/$kind
}
other parquet parquet-testing "$PARQUET_TESTING" -lxxhash -lm
other parquet clickhouse "$CHDB" -lxxhash -lm
other cassandra cassandra "$CASSANDRA" -lm
counted
