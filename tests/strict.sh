# Run by `make strict`: gcc and clang with every warning on, as errors, in each
# language version and mode. Left off, because they cannot hold or say nothing
# of the code: -Wpadded, -Wdeclaration-after-statement, -Wc++98-compat*,
# -Wuseless-cast (a cast from uint64_t to size_t is needed elsewhere).
cd "$(dirname "$0")/.." && mkdir -p build || exit 1

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
OUT="-I. -o build/strict.o"
USER="-Werror -Wall -Wextra -pedantic"          # what a user's program sees

echo '#include "bloom.h"' >build/strict.c
cp build/strict.c build/strict.cpp
. tests/count.sh
for tool in gcc g++ clang clang++; do
    needs $tool "gcc g++ clang" || exit 1
done

for mode in -DBLOOM_IMPLEMENTATION -DBLOOM_STATIC -DBLOOM_DECLARATIONS_ONLY \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_TINY" \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_NO_FLOAT" \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_NO_MALLOC" \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_READ_BYTE(p)=(*(p))" \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_ATOMIC" \
            "-DBLOOM_IMPLEMENTATION -DBLOOM_NO_SIMD -U__SIZEOF_INT128__"; do
    for std in c99 c11 c17; do
        silent $GCC -std=$std -O2 $mode -c build/strict.c $OUT
        silent $CLANG -std=$std -O2 $mode -c build/strict.c $OUT
    done
    for std in c++11 c++14 c++17 c++20; do
        silent $GXX -std=$std -O2 $mode -c build/strict.cpp $OUT
        silent $CLANGXX -std=$std -O2 $mode -c build/strict.cpp $OUT
    done
done
echo "skipped: tests/fuzz/redis.c, which make fuzz builds with redismodule.h"
for file in examples/*.c examples/bloom/*.c tests/*.c tests/speed/*.c \
            tests/fuzz/*.c tests/rates/*.c tests/page/*.c tests/unit/all.c; do
    [ "$file" != tests/fuzz/redis.c ] || continue
    for std in c99 c11 c17; do
        silent gcc $USER -Wconversion -Wshadow -std=$std -O2 -c "$file" $OUT
        silent clang $USER -Wconversion -Wshadow -std=$std -O2 -c "$file" $OUT
    done
done
for std in c++11 c++14 c++17 c++20; do
    for mode in BLOOM_IMPLEMENTATION BLOOM_STATIC BLOOM_TINY; do
        silent g++ $USER -std=$std -O2 -D$mode -x c++ -c tests/unit/all.c $OUT
        silent clang++ $USER -std=$std -O2 -D$mode -x c++ -c tests/unit/all.c $OUT
    done
done
counted strict
