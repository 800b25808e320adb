# Run by `make pictures`: measures and draws the pictures of README.md as SVG, in
# build/. Those in this folder are copies. The picture of speed needs the results of
# `make bench`, and that of promises those of `make promise`; if they are missing, a
# message says so. usage: run.sh [speed]       With `speed`, draws that picture only.
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
command -v gnuplot >/dev/null ||
    { echo "pictures needs gnuplot: apt-get install gnuplot-nox"; exit 1; }
flags='-std=c99 -O3'
compiler=$(${CC:-cc} --version | head -n 1)

# draw NAME DATA CAPTION [SETTINGS]: draws NAME.gnuplot to build/NAME.svg
draw() {
    gnuplot -e "data = '$2'; caption = '$3'; $4" "tests/pictures/$1.gnuplot" \
        >"build/$1.svg.new" && mv "build/$1.svg.new" "build/$1.svg" &&
        echo "build/$1.svg"
}

status=0
if [ -s build/bench.tsv ]; then
    build=$(awk -F'\t' 'NF == 8 { print $1; exit }' build/bench.tsv)
    draw speed build/bench.tsv "make bench: integers, p = 1%, $build; $(sed -n \
's/^machine\t//p' build/bench.tsv)" "build = '$build'" || status=1
else
    echo "build/speed.svg was not drawn: run make bench first"
fi
[ "$1" != speed ] || exit $status

${CC:-cc} $flags -Wall -Wextra -pedantic -I. tests/pictures/rules.c \
    -o build/rules -lm || exit 1
build/rules rates 1e-4 build/rates.tsv || status=1
draw rates build/rates.tsv "make pictures: random keys, at most 4*10^{7} lookups \
per point; $compiler, ${flags#* }" || status=1
build/rules memory 1e5 build/memory.tsv >/dev/null || status=1
if [ -s build/promise.tsv ]; then
    draw promise build/promise.tsv 'make promise' || status=1
else
    echo "build/promise.svg was not drawn: run make promise first"
fi
exit $status
