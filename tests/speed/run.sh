# `make bench` runs this script. It builds the benchmark, bench.c, with each
# compiler, runs it, and prints the rows. The exit status is 1 if a
# filter gave a wrong answer. For reliable times, keep other programs off the last
# CPU, to which it pins itself (chrt -f 50 make bench, as root). Variables select
# what is measured:
#   PARTS   ours, and dropped, libbloom, peers
#   N       numbers of keys
#   KEYS    kinds of keys: u64 hashed strings
#   RATES   false-positive rates; those other than 0.01 are measured for
#           integers and up to 10^6 keys only
#   ROUNDS  number of rounds, of which the fastest counts
#   BUILDS  compilers and flags, separated by commas; all but the first are
#           measured with integers at 0.01 only
#   OUT     the results are written to OUT.tsv
#   BOOST, LIBFILTER, FASTFILTER, DATASKETCHES  folders with the sources of these
#           peers (datasketches-cpp); BOOST has boost/bloom.hpp or, side by side,
#           the modules bloom, config, container_hash, core, describe and mp11 of
#           Boost 1.89 or later (Debian's libboost-dev has the rest)
# Examples: make bench N=1e8 KEYS=u64 OUT=build/bench-1e8
#   the rates of small filters: make bench N=50 ROUNDS=100 KEYS=u64 RATES=0.01 \
#       BUILDS=gcc,-O3,-march=native OUT=build/bench-50
#   without SIMD: make bench PARTS=ours N='1e4 1e6' KEYS=u64 RATES=0.01 \
#       BUILDS=gcc,-O2,-DBLOOM_NO_SIMD OUT=build/bench-plain
#   keys of text of 6, 12, 40 or 100 bytes: make bench PARTS=ours N=1e6 \
#       KEYS=strings RATES=0.01 BUILDS=gcc,-O2,-DSTRING=6 OUT=build/bench-6
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
: "${PARTS=ours dropped libbloom peers}" "${OUT=build/bench}" "${ROUNDS=3}"
: "${N=1e4 1e6 3e7}" "${KEYS=u64 hashed strings}" "${RATES=0.01 1e-6 1e-9}"
native=-O3,-march=native
: "${BUILDS=gcc,$native gcc,-O2 clang,$native clang,-O2}"

# without WHAT WHY VARIABLE: removes the words that begin with WHAT from a list
without() {
    echo "bench: without $1: $2"
    eval "$3=\$(for word in \$$3; do case \$word in $1*) ;; *)
        printf '%s ' \"\$word\" ;; esac; done)"
}
has() { case " $PARTS " in *" $1 "*) true ;; *) false ;; esac }

for compiler in gcc clang; do
    command -v $compiler >/dev/null ||
        without $compiler "apt-get install $compiler" BUILDS
done
[ -e /usr/include/bloom.h ] ||
    without libbloom 'apt-get install libbloom-dev' PARTS
if has peers; then
    for peer in BOOST LIBFILTER FASTFILTER DATASKETCHES; do
        eval "[ -n \"\$$peer\" ]" || missing="$missing $peer=dir"
    done
    [ -z "$missing" ] || echo "bench: without the peers of$missing"
    command -v c++ >/dev/null || without peers 'apt-get install g++' PARTS
fi
peers=${BOOST:+-DPEER_BOOST}
for folder in "$BOOST" "$BOOST"/*/include; do
    [ ! -d "$folder/boost" ] || peers="$peers -isystem $folder"
done
peers="$peers ${LIBFILTER:+-DPEER_LIBFILTER -isystem $LIBFILTER/c/include \
-isystem $LIBFILTER/c/lib} ${FASTFILTER:+-DPEER_FASTFILTER \
-isystem $FASTFILTER/src} ${DATASKETCHES:+-DPEER_DATASKETCHES \
-isystem $DATASKETCHES/filters/include -isystem $DATASKETCHES/common/include}"

# object NAME COMMAND...: compiles the object NAME of $program
object() {
    object=$program-$1.o
    shift
    "$@" -c -o "$object" && objects="$objects $object"
}

program_of() {
    program=$OUT-$(printf '%s' "$1" | tr -c '[:alnum:]\n' _)
}

compile() {                             # compile BUILD
    program_of "$1"
    cc=$(printf '%s' "$1" | tr ',' ' ')
    cxx=$(printf '%s' "$cc" | sed 's/^gcc/g++/; s/^clang/clang++/')
    link=$cc objects=
    warn="-Wall -Wextra -pedantic -I. -DENTER=$(for part in $PARTS; do
        printf '%s_enter();' "$part"; done)"
    for part in bench ours dropped libbloom; do
        case $part in bench | ours) true ;; *) has $part ;; esac || continue
        object $part $cc -std=c99 $warn tests/speed/$part.c || return
    done
    if has peers; then
        link=$cxx
        object peers $cxx -std=c++17 $warn $peers tests/speed/peers.cpp ||
            return
        for part in ${LIBFILTER:+block memory util}; do
            object $part $cc -w $peers "$LIBFILTER/c/lib/$part.c" || return
        done
    fi
    has libbloom && objects="$objects -lbloom"
    $link $objects -o "$program"
}

# run BUILD KEYS RATE N: prints rows that begin with the name of the build
run() {
    echo "bench: $*" >&2
    $pin "$program" "$2" "$3" "$4" "$ROUNDS" >"$OUT.new" || status=1
    sed "s/^/$(printf '%s' "$1" | tr ',' ' ')	/" "$OUT.new"
}

machine() {
    sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1
    sed -n 's/^cpu family.*: /family /p' /proc/cpuinfo | head -n 1
    echo "$(getconf _NPROCESSORS_ONLN) cores"
    for cache in /sys/devices/system/cpu/cpu0/cache/index[023]; do
        echo "L$(cat "$cache/level") $(cat "$cache/size")"
    done
    for compiler in gcc clang; do
        case $BUILDS in *$compiler*)
            echo "$compiler $($compiler -dumpfullversion -dumpversion)" ;;
        esac
    done
}

pin=
! command -v taskset >/dev/null ||
    pin="taskset -c $(($(getconf _NPROCESSORS_ONLN) - 1))"
status=0
for build in $BUILDS; do
    compile "$build" || exit 1
done
{
    printf 'machine\t%s\n' "$(machine 2>/dev/null | paste -s -d, |
        sed 's/,/, /g')"
    printf 'columns\t%s\n' "$N"
    others=!
    for build in $BUILDS; do
        program_of "$build"
        for n in $N; do for rate in $RATES; do for keys in $KEYS; do
            case $others$keys,$rate,$n in
            u64,0.01,* | !*,0.01,* | !u64,*,1e[3-6])
                run "$build" "$keys" "$rate" "$n" ;;
            esac
        done; done; done
        others=
    done
} >"$OUT.tsv.new"
rm -f "$OUT.new"
mv "$OUT.tsv.new" "$OUT.tsv"
awk -F '\t' '{ printf "%-22s %-8s %-6s %-8s %-32s %-8s %-8s %s\n", $1, $2, $3, $4, $5,
    $6, $7, $8 }' "$OUT.tsv"
exit $status
