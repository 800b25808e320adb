# `make strict` runs this script. It compiles bloom.h, its companions, the
# examples and the tests by gcc and clang, with every warning as an error, in
# each language version and mode. It prints each command that fails, and ends
# with "N passed, N failed". These warnings are off, as they say nothing about
# the quality of C99 code: -Wpadded, -Wdeclaration-after-statement,
# -Wc++98-compat*, and -Wuseless-cast (a cast from uint64_t to size_t is needed
# on other machines).
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1

ALL="-Werror -Wall -Wextra -pedantic -Wconversion -Wsign-conversion -Wcast-qual
    -Wcast-align=strict -Wshadow -Wundef -Wstrict-overflow=2 -Wdouble-promotion
    -Wformat=2 -Wlogical-op -Wduplicated-cond -Wduplicated-branches
    -Wnull-dereference -Wswitch-enum -Wfloat-equal -Wredundant-decls
    -Wmissing-declarations -Warith-conversion -Wunused-macros -Wvla"
GCC="gcc $ALL -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
    -Wbad-function-cast -Wc++-compat"
GXX="g++ $ALL -Wold-style-cast -Wzero-as-null-pointer-constant -Wextra-semi"
CLANG="clang -Werror -Weverything -Wno-padded -Wno-declaration-after-statement"
CLANGXX="clang++ -Werror -Weverything -Wno-padded -Wno-c++98-compat-pedantic"
USER="-Werror -Wall -Wextra -pedantic"          # as in a user's program

echo '#include "bloom.h"' >build/strict.c
cp build/strict.c build/strict.cpp
for header in bloom_chain.h bloom_keyed.h bloom_window.h; do
    echo "#include \"examples/companions/$header\""
done >build/companions.c
cp build/companions.c build/companions.cpp
. tests/count.sh
need gcc gcc; need g++ g++; need clang++ clang
enough

# The commands are collected, one per line, and run by all CPUs at the end. Some
# warnings of gcc need optimisation: these are tested in the first language
# version only. The others, and all of clang's, need only -fsyntax-only.
compile() { echo "$* -I." | tr "\n" " " >>build/strict.jobs; echo >>build/strict.jobs; }
versions() {            # versions "VERSION..." GCC CLANG FLAGS...
    flow="-O2 -c"
    for std in $1; do
        compile "$2" -std=$std $flow "$4"
        compile "$3" -std=$std -fsyntax-only "$4"
        flow=-fsyntax-only
    done
}
C="c99 c11 c17" CXX="c++11 c++14 c++17 c++20"

: >build/strict.jobs
for mode in -DBLOOM_IMPLEMENTATION -DBLOOM_STATIC -DBLOOM_DECLARATIONS_ONLY \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_API=extern -fPIC" \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_TINY" \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_NO_FLOAT" \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_NO_MALLOC" \
            "-DBLOOM_IMPLEMENTATION '-DBLOOM_READ_BYTE(p)=(*(p))'" \
            "-DBLOOM_STATIC '-DBLOOM_READ_BYTE(p)=(*(p))'" \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_ATOMIC" \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_NO_SIMD -U__SIZEOF_INT128__"; do
    versions "$C" "$GCC" "$CLANG" "$mode build/strict.c"
    versions "$CXX" "$GXX" "$CLANGXX" "$mode build/strict.cpp"
done
for mode in -DBLOOM_IMPLEMENTATION -DBLOOM_STATIC -DBLOOM_DECLARATIONS_ONLY \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_CHAIN_API=extern"; do
    versions "$C" "$GCC" "$CLANG" "$mode build/companions.c"
    versions "$CXX" "$GXX" "$CLANGXX" "$mode build/companions.cpp"
done
echo "skipped: tests/fuzz/fuzz_redis.c (needs redismodule.h; see make fuzz)"
for file in examples/*.c examples/command/*.c examples/class/*.c \
            examples/formats/*.c examples/sqlite/*.c \
            tests/test.c tests/unit/all.c tests/unit/window.c \
            tests/peak.c examples/*/tests/*.c tests/examples/*.c \
            tests/fuzz/*.c tests/page/*.c tests/rates/*.c tests/speed/*.c \
            tests/threads/*.c; do
    [ "$file" = tests/fuzz/fuzz_redis.c ] ||
        versions "$C" "gcc $USER -Wconversion -Wshadow" \
            "clang $USER -Wconversion -Wshadow" "$file"
done
for mode in BLOOM_IMPLEMENTATION BLOOM_STATIC BLOOM_TINY; do
    versions "$CXX" "g++ $USER" "clang++ $USER" \
        "-D$mode -x c++ tests/unit/all.c"
done

tr '\n' '\0' <build/strict.jobs |
    xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
        if eval "$1 -o build/strict.$$.o"; then echo ok; else echo "FAILED: $1"
        fi; rm -f build/strict.$$.o' sh >build/strict.out
grep -v '^ok$' build/strict.out
passed=$(grep -c '^ok$' build/strict.out)
failed=$(($(wc -l <build/strict.jobs) - passed))
counted strict
