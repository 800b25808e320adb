# `make strict` runs this script. It compiles bloom.h, its companions, the
# examples and the tests by gcc and clang, with every warning as an error: the
# default mode in each language version, and each other mode in C99 and C++11.
# ALL=1 compiles each mode and each source in each version, and with optimisation
# each way to include bloom.h, the products and the tests.
# It prints each command that fails, and ends with "N passed, N failed". These
# warnings are off, as they say nothing about the quality of C99 code: -Wpadded,
# -Wdeclaration-after-statement, -Wc++98-compat*, and -Wuseless-cast (a cast from
# uint64_t to size_t is needed on other machines).
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1

EVERY="-Werror -Wall -Wextra -pedantic -Wconversion -Wsign-conversion -Wcast-qual
    -Wcast-align=strict -Wshadow -Wundef -Wstrict-overflow=2 -Wdouble-promotion
    -Wformat=2 -Wlogical-op -Wduplicated-cond -Wduplicated-branches
    -Wnull-dereference -Wswitch-default -Wswitch-enum -Wfloat-equal
    -Wredundant-decls -Wmissing-declarations -Warith-conversion -Wunused-macros
    -Wvla"
GCC="gcc $EVERY -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
    -Wbad-function-cast -Wc++-compat"
GXX="g++ $EVERY -Wold-style-cast -Wzero-as-null-pointer-constant -Wextra-semi"
CLANG="clang -Werror -Weverything -Wno-padded -Wno-declaration-after-statement"
CLANGXX="clang++ -Werror -Weverything -Wno-padded -Wno-c++98-compat-pedantic"
USER="-Werror -Wall -Wextra -pedantic"          # as in a user's program

echo '#include "tests/headers.h"' | tee build/strict.c >build/strict.cpp
. tests/helpers.sh
need gcc gcc; need g++ g++; need clang++ clang
enough

# The commands are collected, one per line, and run by all CPUs at the end. Some
# warnings of gcc need optimisation: these are tested in the first language
# version only. The others, and all of clang's, need only -fsyntax-only. -O1 takes
# two thirds of the time of -O2, so that is what unit/ and, with ALL=1, products and
# other tests get.
compile() { echo "$* -I." | tr "\n" " " >>build/strict.jobs; echo >>build/strict.jobs; }
versions() {            # versions "VERSION..." GCC CLANG FLAGS [FIRST]
    flow=${5:--O2 -c}   # gcc's for the first version
    for std in $1; do
        compile "$2" -std=$std $flow "$4"
        compile "$3" -std=$std -fsyntax-only "$4"
        flow=-fsyntax-only
    done
}
C="c99 c11 c17 c2x" CXX="c++11 c++14 c++17 c++20 c++2b"

: >build/strict.jobs
# TEST_ALIGNED replaces built-in functions by macros of their own names.
c=$C cxx=$CXX
for mode in $(modes strict); do
    mode $mode
    for way in '' -DBLOOM_STATIC "-DBLOOM_IMPLEMENTATION -DBLOOM_API=extern -fPIC"; do
        flags="-include tests/unit/hooks.h $options -UTEST_ALIGNED $way"
        first='-O2 -c'
        case $ALL$c$way in c99 | c99-DBLOOM_IMPL*) first=-fsyntax-only ;; esac
        versions "$c" "$GCC" "$CLANG" "$flags build/strict.c" "$first"
        versions "$cxx" "$GXX" "$CLANGXX" "$flags build/strict.cpp" "$first"
    done
    [ -n "$ALL" ] || c=c99 cxx=c++11            # the first mode is the default
done
echo '#include "examples/companions/bloom_file.h"' |
    tee build/strict-file.c >build/strict-file.cpp
for way in '' -DBLOOM_STATIC "-DBLOOM_IMPLEMENTATION -DBLOOM_API=extern -fPIC"; do
    versions "$C" "$GCC" "$CLANG" "$way build/strict-file.c"
    versions "$CXX" "$GXX" "$CLANGXX" "$way build/strict-file.cpp"
done
# The headers after windows.h or Arduino.h, which define common words as macros.
# Here, each of them is an error where it is used. The headers of the system come
# before these macros, as they do there.
{
    printf '#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n'
    grep -h '^#include <' bloom.h examples/companions/*.h tests/unit/hooks.h |
        grep -v -e windows -e intrin -e '<io.h' | sort -u
    for name in small hyper near far IN OUT interface LOW; do
        echo "#define $name 0 $name"
    done
    for name in min max bit F; do
        echo "#define $name(a, ...) (0 a)"
    done
} >build/strict-macros.h
for mode in $(modes strict); do
    mode $mode
    flags="-include build/strict-macros.h -include tests/unit/hooks.h"
    flags="$flags $options -DBLOOM_STATIC"
    compile "gcc $USER -std=gnu99 -fsyntax-only $flags build/strict.c"
    compile "clang++ $USER -std=gnu++11 -fsyntax-only $flags build/strict.cpp"
done
for way in -DBLOOM_STATIC "-DBLOOM_IMPLEMENTATION -DBLOOM_API=extern -fPIC"; do
    flags="-include build/strict-macros.h $way"
    versions gnu99 "gcc $USER" "clang $USER" "$flags build/strict-file.c"
    versions gnu++11 "g++ $USER" "clang++ $USER" "$flags build/strict-file.cpp"
done
for way in BLOOM_IMPLEMENTATION BLOOM_STATIC BLOOM_TINY; do
    first='-O1 -c'
    case $ALL$way in BLOOM_IMPL*) first=-fsyntax-only ;; esac
    versions "$cxx" "g++ $USER" "clang++ $USER" "-D$way -x c++ tests/unit/all.c" "$first"
done

# Small static filters of each layout, in a user's program: gcc took the block code
# for an access after their end (-Warray-bounds), with AVX2 and if a call is
# inlined. Sizes are those of up to 64 keys at 10%.
awk 'BEGIN {
    print "#define BLOOM_STATIC\n#include \"bloom.h\""
    for (n = 1; n <= 64; n += 1 + int(n / 4))
        use("keys" n, "BLOOM_SIZE(" n ", 10)", "BLOOM_PLAN(" n ", 10)")
    for (n = 1; n <= 7; n++) {
        if (n <= 3)
            use("blocks" n, 32 + 32 * n, "{ " 256 * n ", 0, 8, 1, 64 }")
        use("counters" n, 32 + 32 * n, "{ " 64 * n ", 0, 3, 2, 64 }")
    }
}
function use(name, size, plan) {
    printf "int %s(uint64_t key);\nint %s(uint64_t key)\n{\n", name, name
    printf "    static unsigned char memory[%s];\n", size
    printf "    const bloom_plan plan = %s;\n", plan
    print "    bloom *b = bloom_init(memory, sizeof memory, plan);"
    print "    return b && bloom_add(b, &key, 3) + bloom_add_u64(b, key)"
    print "        + bloom_may_contain(b, &key, 8) + bloom_remove_u64(b, key);\n}"
}' | tee build/strict-small.c >build/strict-small.cpp
avx2=
! gcc -mavx2 -E -x c /dev/null >/dev/null 2>&1 || avx2=-mavx2
for flags in "-O1 $avx2" -O2 "-O2 $avx2" -O3 "-O3 $avx2"; do
    compile "gcc -std=c99 $USER $flags -c build/strict-small.c"
    compile "g++ -std=c++11 $USER $flags -c build/strict-small.cpp"
    [ -n "$ALL" ] || continue
    compile "clang -std=c99 $USER $flags -c build/strict-small.c"
    compile "clang++ -std=c++11 $USER $flags -c build/strict-small.cpp"
done

# All other sources, by gcc in the first version, by clang in the last one. Those
# whose #include or #error says that something is missing are skipped. Those in
# cross/ and prove/ are for other machines and tools.
for file in $(ls examples/*.c examples/*/*.c examples/*/tests/*.c tests/*.c \
              tests/*/*.c 2>/dev/null | grep -v '^tests/\(cross\|prove\)/'); do
    folder=${file%/*}
    grep -q "^#include \"${file##*/}\"" "$folder"/*.c && continue  # a part
    lacks=$(gcc -std=c99 -I. -E "$file" 2>&1 >/dev/null | sed -n '
        s/.*fatal error: \(.*\): No such file.*/needs \1/p
        s/.*error: #error "\(.*\)"/\1/p')
    if [ -n "$lacks" ]; then
        echo "skipped: $file ($lacks)"
        continue
    fi
    warn="$USER -Wconversion -Wshadow"
    if [ -n "$ALL" ]; then
        versions "$C" "gcc $warn" "clang $warn" "$file" '-O1 -c'
    else
        compile "gcc $warn -std=c99 -fsyntax-only $file"
        compile "clang $warn -std=c2x -fsyntax-only $file"
    fi
done

tr '\n' '\0' <build/strict.jobs |
    xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
        if eval "$1 -o build/strict.$$.o"; then echo ok; else echo "FAILED: $1"
        fi; rm -f build/strict.$$.o' sh >build/strict.out
grep -v '^ok$' build/strict.out
passed=$(grep -c '^ok$' build/strict.out)
failed=$(($(wc -l <build/strict.jobs) - passed))
counted strict
