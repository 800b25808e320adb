# `make count` runs this script. It counts the instructions and the mispredicted
# branches of each call, per key, by callgrind, which simulates a CPU. So the load
# of the machine does not matter. Functions of libc are left out. count.c has the
# calls, and count.txt the figures of four builds: gcc and clang, each with SIMD
# and without. A figure fails if it has 5% more instructions than that table, or
# 0.05 more mispredictions per key. It also fails if it has that much less, so
# that the table stays true.
#
#   make count UPDATE=1    writes count.txt. A commit with a figure that rises
#                          says why
#
# The figures hold for the compilers and valgrind of Debian 12, on x86-64 with
# AVX2. On other machines the script prints SKIPPED, and fails. `count.sh --lacks`
# prints what is missing.
# It ends with "N passed, N failed".
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
. tests/helpers.sh
TABLE=tests/speed/count.txt

lacks() {
    for tool in gcc clang valgrind; do
        command -v $tool >/dev/null || echo "$tool "
    done
    case "$(gcc -dumpfullversion) $(clang -dumpversion) $(valgrind --version)" in
    '12.2.0 14.0.6 valgrind-3.19.0') ;;
    *) echo "gcc 12.2.0, clang 14.0.6 and valgrind 3.19.0 (Debian 12) " ;;
    esac
    grep -q '^flags.* avx2' /proc/cpuinfo || echo 'a CPU with AVX2'
}
lacking=$(lacks 2>/dev/null | tr -d '\n')
if [ "$1" = --lacks ]; then
    echo "$lacking"
    exit
elif [ -n "$lacking" ]; then
    echo "SKIPPED: count needs $lacking"
    echo "0 passed, 1 failed"
    exit 1
fi

# Prints NAME|INSTRUCTIONS MISPREDICTIONS per key, for each dump of callgrind: the
# sum over the functions of the program $1. A line of costs has the events Ir, Bc,
# Bcm, Bi and Bim. The line after calls= is the cost of a function that was called,
# which has lines of its own.
figures() {
    awk -v program="$1" '
        function end() {
            if (name != "")
                printf "%s|%.1f %.2f\n", name, ir / 10000, wrong / 10000
        }
        /^desc: Trigger: Client Request: / {
            end()
            name = $0
            sub(/.*Request: /, "", name)
            ir = wrong = 0
        }
        /^part: / && done++ { end(); name = "" }
        /^c?ob=/ {              # of a function, or of one that it calls
            id = $1
            sub(/.*=/, "", id)
            if (NF > 1) ours[id] = $2 ~ "/" program "$"
            if (/^o/) on = ours[id]
        }
        /^calls=/ { skip = 1; next }
        /^[0-9+*-]/ {
            if (on && !skip) { ir += $2; wrong += $4 + $6 }
            skip = 0
        }
        END { end() }' "$2"
}
build() {       # build NAME COMPILER...: writes build/count-NAME.txt
    name=$1
    shift
    "$@" -O2 -std=c99 -Wall -Wextra -I. tests/speed/count.c tests/speed/ours.c \
        -o "build/count-$name" &&
        rm -f "build/count-$name".out* &&
        valgrind --tool=callgrind --branch-sim=yes --combine-dumps=yes \
            --dump-line=no --callgrind-out-file="build/count-$name.out" \
            "build/count-$name" >"build/count-$name.log" 2>&1 &&
        figures "count-$name" "build/count-$name.out" \
            >"build/count-$name.txt" && return
    cat "build/count-$name.log"
    bad "count: $name does not run"
    counted
    exit 1
}
build gcc gcc
build gcc-plain gcc -DBLOOM_NO_SIMD
build clang clang
build clang-plain clang -DBLOOM_NO_SIMD

{
    echo "# Instructions and mispredicted branches per key; plain: BLOOM_NO_SIMD"
    printf '%-44s| %-11s | %-11s | %-11s | %s\n' '#' gcc 'gcc plain' \
        clang 'clang plain'
    paste -d '|' build/count-gcc.txt build/count-gcc-plain.txt \
        build/count-clang.txt build/count-clang-plain.txt |
        awk -F '|' '{ printf "%-44s| %-11s | %-11s | %-11s | %s\n",
                      $1, $2, $4, $6, $8 }'
} >build/count.txt
if [ -n "$UPDATE" ]; then
    cp build/count.txt $TABLE
    echo "wrote $TABLE"
fi
# Prints each figure that differs, then the numbers of figures that passed and
# failed
awk -F ' *[|] *' '
    FNR == 1 { file++ }
    /^# / { if (file == 2) for (i = 2; i <= NF; i++) build[i] = $i; next }
    file == 1 { for (i = 2; i <= NF; i++) was[$1, i] = $i; rows[$1]; next }
    { delete rows[$1] }
    { for (i = 2; i <= NF; i++) {
        split(was[$1, i], old, " ")
        split($i, new, " ")
        if (was[$1, i] == "" || new[1] == 0)
            why = "not in the table, or not counted"
        else if (new[1] > 1.05 * old[1] || new[2] > old[2] + 0.0501)
            why = "slower"
        else if (new[1] < 0.95 * old[1] || new[2] < old[2] - 0.0501)
            why = "faster: make count UPDATE=1"
        else { passed++; continue }
        failed++
        printf "FAILED: %s: %s: %s, was %s: %s\n", $1, build[i], $i,
               was[$1, i], why
    } }
    END {
        for (row in rows) { failed++; print "FAILED: " row ": not counted" }
        printf "%d passed, %d failed\n", passed, failed
        exit failed > 0 || passed == 0
    }' $TABLE build/count.txt
