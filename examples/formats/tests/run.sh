# `make check-formats` runs this script. Each part is a script of this folder
# and can be run alone.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers.sh
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
    >$out/prints
part guava &
part parquet
wait
for name in prints guava parquet; do
    sum $name $out/$name
done
counted
