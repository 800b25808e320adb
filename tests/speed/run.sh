# Run by `make bench`: builds tests/speed/bench.c with each compiler, runs it, judges
# what it measured (tests/speed/judge.awk) and draws the chart (tests/speed/chart.gnuplot).
# Exits with 1 if an answer was wrong or a promise broken; not if a figure falls
# short, which may be the machine. What to run is said by variables:
#   N       how many keys; 1e8 takes a minute a round, kind, rate and build
#   RATES   of false "maybe"s
#   KEYS    kinds of keys            ROUNDS  of which the median counts
#   BUILDS  gcc-native gcc-O2 clang-native clang-O2: -O3 -march=native, or -O2
#   SWEEP   numbers of keys in the chart, which is of the first of BUILDS
#   SWEEP_ROUNDS  1: quick
#   OUT     where rows and chart go: OUT.tsv, OUT-sweep.tsv, OUT.svg
# so: make bench N=1e8 KEYS=u64 RATES=0.01 SWEEP= OUT=build/bench-1e8
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
: "${N=1e4 1e6}" "${KEYS=u64 strings}" "${RATES=0.01 0.001}" "${ROUNDS=5}"
: "${BUILDS=gcc-native gcc-O2}" "${OUT=build/bench}"
: "${SWEEP_ROUNDS=1}"
: "${SWEEP=1000 3162 1e4 31623 1e5 316228 1e6 3162278 1e7 31622777}"

missing=0
need() {
    eval "$1" >/dev/null 2>&1 && return
    echo "bench needs $2: apt-get install $3"
    missing=1
}
need 'test -e /usr/include/bloom.h' libbloom libbloom-dev
need 'command -v gcc' gcc gcc
case $BUILDS in *clang*) need 'command -v clang' clang clang ;; esac
[ -z "$SWEEP" ] || need 'command -v gnuplot' gnuplot gnuplot-nox
[ $missing -eq 0 ] || exit 1

# compile NAME: build/bench-NAME; bloom.h static, and once more in an object
compile() {
    case $1 in
    *-native) flags="-O3 -march=native" ;;
    *-O2) flags=-O2 ;;
    *) echo "bench: no such build: $1" && return 1 ;;
    esac
    program=build/bench-$1
    cc="${1%-*} -std=c99 -Wall -Wextra -pedantic $flags -I."
    $cc -x c -DBLOOM_IMPLEMENTATION -c bloom.h -o "$program-bloom.o" &&
    $cc -x c -DBENCH_DECLARED -c tests/speed/loops.h \
        -o "$program-declared.o" &&
    $cc tests/speed/bench.c "$program-bloom.o" "$program-declared.o" -o "$program" \
        -lm -ldl
}

# run NAME ARGUMENT...: what the program prints, after the name of the build
run() {
    name=$1
    shift
    echo "bench: $name $*" >&2
    "build/bench-$name" "$@" >"$OUT.new" || status=1
    sed "s/^/$name	/" "$OUT.new"
}

status=0
for build in $BUILDS; do
    compile "$build" || exit 1
done
for build in $BUILDS; do
    for n in $N; do
        for rate in $RATES; do
            for kind in $KEYS; do
                run "$build" -r "$ROUNDS" "$kind" "$rate" "$n"
            done
        done
    done
done >"$OUT.tsv"
[ -z "$SWEEP" ] || for n in $SWEEP; do
    run "${BUILDS%% *}" -s -r "$SWEEP_ROUNDS" u64 0.01 "$n"
done >"$OUT-sweep.tsv"
rm -f "$OUT.new"
gcc -std=c99 -Wall -Wextra -pedantic -O2 -I. tests/speed/plans.c \
    -o build/bench-plans -lm || status=1

sed -n 's/^model name.*: /on /p' /proc/cpuinfo | head -n 1
for compiler in gcc clang; do
    case $BUILDS in *$compiler*) $compiler --version | head -n 1 ;; esac
done
[ -z "$N" ] || awk -f tests/speed/judge.awk "$OUT.tsv" || status=1
echo && build/bench-plans || status=1
[ -z "$SWEEP" ] ||
    gnuplot -e "sweep = '$OUT-sweep.tsv'; svg = '$OUT.svg'" \
        tests/speed/chart.gnuplot || status=1
exit $status
