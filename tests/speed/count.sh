# `make count` runs this script. It counts the instructions and the mispredicted
# branches of each call, per key, by callgrind, which simulates a CPU. So the load
# of the machine does not matter. Functions of libc are left out. count.c has the
# calls. Each is counted with the bloom.h of this tree and with that of the last
# version, by the same compilers: gcc and clang, each with SIMD and without. A
# figure fails if it has 5% more instructions than the last version, or 0.05 more
# mispredictions per key, unless accepted.txt says why. What fell is printed.
#
# The last version comes from git: the commit before the one that raised
# BLOOM_VERSION to what it is now. Without git, nothing is compared, and the
# script says so. SINCE=COMMIT compares with another one.
# `count.sh --lacks` prints which tools are missing.
# It ends with "N passed, N failed".
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
. tests/helpers.sh
ACCEPTED=tests/speed/accepted.txt

if [ "$1" = --lacks ]; then
    for tool in gcc clang valgrind; do
        command -v $tool >/dev/null || printf '%s ' $tool
    done
    exit
fi
need gcc gcc; need clang clang; need valgrind valgrind
enough

version() { sed -n 's/^#define BLOOM_VERSION //p'; }
last() {        # last: the commit of the last version, or nothing
    now=$(version <bloom.h)
    if [ "$(git show HEAD:bloom.h 2>/dev/null | version)" != "$now" ]; then
        git rev-parse -q --verify HEAD      # the new version is not committed yet
    else
        raised=$(git log -n 1 --format=%H -G'^#define BLOOM_VERSION ' -- bloom.h)
        [ -n "$raised" ] && git rev-parse -q --verify "$raised^"
    fi 2>/dev/null
}
old=${SINCE:-$(last)}
if [ -z "$old" ]; then
    echo "skipped: no older version in git to count beside this one"
    echo "0 passed, 0 failed"
    exit
fi
tree=build/count-old
rm -rf $tree && mkdir -p $tree &&
    git archive "$old" bloom.h examples/companions | tar -x -C $tree || exit 1
echo "bloom.h $(version <bloom.h) beside $(version <$tree/bloom.h)," \
    "$(git log -n 1 --format='%h of %cs' "$old")"

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
# count NAME FOLDER COMPILER...: writes build/count-NAME.txt, for the bloom.h of
# this folder
count() {
    name=count-$1 folder=$2
    shift 2
    "$@" -O2 -std=c99 -Wall -Wextra -I"$folder" -I. tests/speed/count.c \
        tests/speed/ours.c tests/speed/dropped.c -o "build/$name" &&
        rm -f "build/$name".out* &&
        valgrind --tool=callgrind --branch-sim=yes --combine-dumps=yes \
            --dump-line=no --callgrind-out-file="build/$name.out" \
            "build/$name" >"build/$name.log" 2>&1 &&
        figures "$name" "build/$name.out" >"build/$name.txt" && return
    cat "build/$name.log"
    bad "$name does not run"
    counted
    exit 1
}

# compare NAME COMPILER...: compares both versions in the build of this name. In
# a line BUILD|ROW of accepted.txt, "*" stands for any text.
compare() {
    build=$1
    shift
    count "$build-old" $tree "$@"
    count "$build" . "$@"
    awk -F '|' -v build="$build" -v base="$(version <$tree/bloom.h)" '
        FNR == 1 { file++ }
        file == 1 {
            if (/^#/ || $1 != base) next
            pattern = $2 "|" $3
            gsub(/[][\\.^$+?(){}|]/, "\\\\&", pattern)
            gsub(/\*/, ".*", pattern)
            accepted[++patterns] = "^" pattern "$"
            next
        }
        file == 2 { was[$1] = $2; next }
        !($1 in was) { print "new: " build ": " $1 ": " $2; next }
        {
            split(was[$1], old, " ")
            split($2, new, " ")
            delete was[$1]
            line = build ": " $1 ": " $2 ", was " old[1] " " old[2]
            rose = new[1] > 1.05 * old[1] || new[2] > old[2] + 0.0501
            for (i = 1; rose && i <= patterns; i++)
                if ((build "|" $1) ~ accepted[i]) {
                    rose = 0
                    print "accepted: " line
                }
            if (new[1] == 0) { rose = 1; line = line ": not counted" }
            if (rose) { failed++; print "FAILED: " line; next }
            passed++
            if (new[1] < 0.95 * old[1] || new[2] < old[2] - 0.0501)
                print "fell: " line
        }
        END {
            for (row in was) {
                failed++
                print "FAILED: " build ": " row ": not counted any more"
            }
            printf "%d passed, %d failed\n", passed, failed
        }' $ACCEPTED "build/count-$build-old.txt" "build/count-$build.txt" \
        >"build/count-$build.said"
    grep -v ' passed, ' "build/count-$build.said"
    sum "count $build" "build/count-$build.said"
}
compare gcc gcc
compare gcc-plain gcc -DBLOOM_NO_SIMD
compare clang clang
compare clang-plain clang -DBLOOM_NO_SIMD
counted
