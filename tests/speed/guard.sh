# `make guard` runs this script. It times bloom.h beside the lean kernels of lean.c,
# on the same keys and the same filter, in one process, by turns (bench.c). A lean
# kernel is made for one layout and one k, and tells nothing, so it shows what the
# machine can do. A cell is the ratio of the two times. It fails if the ratio is
# above the limit of its group, below. While a cell fails, all are measured again,
# at most twice, and the least ratio of each counts: another program may slow one
# side down.
#
# This is a benchmark, for a quiet machine, and not a part of make check or
# .ci/run. `make count` finds smaller losses. This finds what it cannot see: waits
# for memory, and instructions that take long.
#
# Blocked filters of 10^6 keys are left out: their times vary twofold with the
# places of their pages. It needs AVX2, as the kernels do.
# It ends with "N passed, N failed".
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
. tests/helpers.sh
BUILDS='gcc,-O3,-march=native clang,-O2,-march=native'

# The largest ratios by keys, n and keys per call. They are an eighth above what
# an EPYC of 2023 and gcc 12 and clang 14 needed for any of a group's cells.
limits() {
    cat <<'LINES'
u64     10000    many   1.7
u64     10000    single 2.0
u64     30000000 many   1.3
u64     30000000 single 2.0
strings 10000    many   2.0
strings 10000    single 2.2
strings 30000000 many   1.6
strings 30000000 single 1.9
LINES
}

need gcc gcc; need clang clang
need 'a CPU with AVX2' '(none)' "grep -q '^flags.* avx2' /proc/cpuinfo"
enough

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
ratios() {      # ratios TSV: prints COMPILER KEYS N HOW LAYOUT WHAT RATIO
    awk -F '\t' '
        NF == 8 && $7 ~ /^(add|absent|present|mixed)$/ {
            split($1, compiler, " ")
            name = $5
            is_lean = sub(/^lean /, "", name)
            if (name != "classic" && name != "blocked") next
            cell = compiler[1] " " $2 " " $3 " " $6 " " name " " $7
            if (!is_lean)
                ours[cell] = $8
            else if (!(cell in lean) || $8 < lean[cell])
                lean[cell] = $8
        }
        END {
            for (cell in ours) if (lean[cell] > 0)
                printf "%s %.2f\n", cell, ours[cell] / lean[cell]
        }' "$1"
}

rm -f build/guard.all
for i in 1 2 3; do
    measure
    # Prints the cells that fail, the worst of each group, and the numbers
    limits | awk '
        NR == FNR { limit[$1 " " $2 " " $3] = $4; next }
        { cell = $1 " " $2 " " $3 " " $4 " " $5 " " $6 }
        !(cell in least) || $7 < least[cell] { least[cell] = $7 }
        END {
            for (cell in least) {
                split(cell, word, " ")
                group = word[2] " " word[3] " " word[4]
                if (least[cell] > worst[group]) worst[group] = least[cell]
                if (least[cell] <= limit[group]) { passed++; continue }
                failed++
                print "FAILED: " cell ": ratio " least[cell]
            }
            for (group in limit)
                print group ": at most " worst[group] ", limit " limit[group]
            printf "%d passed, %d failed\n", passed, failed
            exit failed > 0 || passed < 100
        }' - build/guard.all >build/guard.out && break
done
cat build/guard.out
tail -n 1 build/guard.out | grep -q ', 0 failed'
