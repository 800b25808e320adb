# `make guard` runs this script. It times bloom.h beside the lean kernels of lean.c,
# on the same keys and the same filter, in one process, by turns (bench.c). A cell is
# the ratio of the two times. guard.txt has the ratios from when it was written; a
# cell fails if its ratio is a quarter above that. While a cell fails, all are
# measured again, at most twice, and the least ratio of each counts: another program
# may slow one side down.
#
#   make guard UPDATE=1    writes guard.txt: the medians of five measurements
#
# Blocked filters of 10^6 keys are left out: their times vary twofold with the
# places of their pages. The ratios depend on the CPU and on the compilers a little
# (guard.txt names those that wrote it), on the load less. It needs AVX2, as the
# kernels do; `guard.sh --lacks` prints what is missing.
# It ends with "N passed, N failed".
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
TABLE=tests/speed/guard.txt
BUILDS='gcc,-O3,-march=native clang,-O2,-march=native'

lacking=$(for tool in gcc clang; do
        command -v $tool >/dev/null || printf '%s ' "$tool"
    done
    grep -q '^flags.* avx2' /proc/cpuinfo || printf 'a CPU with AVX2')
if [ "$1" = --lacks ]; then
    echo "$lacking"
    exit
elif [ -n "$lacking" ]; then
    echo "SKIPPED: guard needs $lacking"
    echo "0 passed, 1 failed"
    exit 1
fi

measure() {     # appends the ratios of all cells to build/guard.all
    for build in $BUILDS; do
        PARTS='ours lean' N='1e4 3e7' KEYS='u64 strings' RATES=0.01 ROUNDS=2 \
            SWEEP= BUILDS=$build OUT=build/guard-run \
            sh tests/speed/run.sh >build/guard.log 2>&1 || {
            cat build/guard.log
            echo "0 passed, 1 failed"
            exit 1
        }
        ratios build/guard-run.tsv >>build/guard.all
    done
}

ratios() {      # ratios TSV: prints CELL|RATIO from the rows of run.sh
    awk -F '\t' '
        NF == 8 && $7 ~ /^(add|absent|present|mixed)$/ {
            split($1, compiler, " ")
            name = $5
            is_lean = sub(/^lean /, "", name)
            if (name != "classic" && name != "blocked") next
            cell = compiler[1] ", " $2 ", " $3 ", " name ", " $6 ", " $7
            if (!is_lean)
                ours[cell] = $8
            else if (!(cell in lean) || $8 < lean[cell])
                lean[cell] = $8
        }
        END {
            for (cell in ours) if (lean[cell] > 0)
                printf "%s|%.2f\n", cell, ours[cell] / lean[cell]
        }' "$1"
}
number() {      # number I: of each cell, the ratio that is number I in order
    sort -t '|' -k 1,1 -k 2,2n build/guard.all |
        awk -F '|' -v i="$1" '$1 != last { n = 0; last = $1 } ++n == i'
}

rm -f build/guard.all
if [ -n "$UPDATE" ]; then
    for i in 1 2 3 4 5; do measure; done
    {
        echo "# Time of bloom.h over that of the lean kernels; see guard.sh"
        echo "# $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)," \
            "gcc $(gcc -dumpfullversion), clang $(clang -dumpversion)"
        number 3
    } >$TABLE
    echo "wrote $TABLE"
    exit
fi
for i in 1 2 3; do
    measure
    number 1 >build/guard.txt
    # Prints the cells that fail, then how many passed and failed
    awk -F '|' '
        /^#/ { next }
        NR == FNR { was[$1] = $2; next }
        !($1 in was) { failed++; print "FAILED: " $1 ": not in the table"; next }
        { left[$1] = 1 }
        $2 > 1.25 * was[$1] {
            failed++
            print "FAILED: " $1 ": ratio " $2 ", was " was[$1]
            next
        }
        { passed++ }
        END {
            for (cell in was) if (!(cell in left)) {
                failed++
                print "FAILED: " cell ": not measured"
            }
            printf "%d passed, %d failed\n", passed, failed
            exit failed > 0
        }' $TABLE build/guard.txt >build/guard.out && break
done
cat build/guard.out
tail -n 1 build/guard.out | grep -q ', 0 failed'
