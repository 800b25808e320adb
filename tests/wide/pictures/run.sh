# Run by `make pictures`: measures and draws the README's pictures, as SVG, to
# build/; those beside this file are copies. That of speed needs what `make
# bench` has measured, that of promises what `make promise` and `promise-large`
# have, and says so. With `speed`, that picture alone.
cd "$(dirname "$0")/../../.." && mkdir -p build || exit 1
command -v gnuplot >/dev/null ||
    { echo "pictures needs gnuplot: apt-get install gnuplot-nox"; exit 1; }
flags='-std=c99 -O3'
compiler=$(${CC:-cc} --version | head -n 1)

# draw NAME DATA CAPTION [SETTINGS]
draw() {
    gnuplot -e "data = '$2'; caption = '$3'; $4" "tests/wide/pictures/$1.gnuplot" \
        >"build/$1.svg.new" && mv "build/$1.svg.new" "build/$1.svg" &&
        echo "build/$1.svg"
}

status=0
if [ -s build/bench.tsv ]; then
    build=$(awk -F'\t' 'NF == 8 { print $1; exit }' build/bench.tsv)
    draw speed build/bench.tsv "make bench: integers, p = 1%, $build; $(sed -n \
's/^machine\t//p' build/bench.tsv)" "build = '$build'" || status=1
else
    echo "no build/speed.svg: make bench has to come first"
fi
[ "$1" != speed ] || exit $status

${CC:-cc} $flags -Wall -Wextra -pedantic -I. tests/wide/rates/rules.c \
    -o build/rules -lm || exit 1
build/rules rates 1e-4 build/rates.tsv || status=1
draw rates build/rates.tsv "make pictures: random keys, 4*10^{7} questions a \
point at most; $compiler, ${flags#* }" || status=1
build/rules memory 1e5 build/memory.tsv >/dev/null || status=1
draw memory build/memory.tsv 'make pictures: plans for 100,000 keys' || status=1
if [ -s build/promise.tsv ] && [ -s build/large.txt ] && [ -s build/window.txt ]
then
    draw promise build/promise.tsv 'make promise, make promise-large; bars: four \
sigma' "large = 'build/large.txt'; window = 'build/window.txt'" || status=1
else
    echo "no build/promise.svg: make promise and make promise-large come first"
fi
exit $status
