# `make analyse` runs this script: three static analysers on bloom.h and its
# companions, in four modes; ALL=1: in each that ../modes.txt marks. None may print anything; a failure
# shows what was printed. It ends with "N passed, N failed". analysers.sh has the
# checks that are switched off everywhere. Some are switched off here:
#
# clang-tidy
#   bugprone-branch-clone   one switch has equal cases on purpose: each visits
#       one cell and falls through to the next
#   deadcode.DeadStores   some modes compile away the uses of some variables
#   reserved-identifier   bloom_file.h defines _POSIX_C_SOURCE
#   macro-parentheses   in bloom_slices.h macros make functions, and their
#       arguments are types, names and variables
# cppcheck
#   knownConditionTrueFalse   a check of bloom_create for overflow, which is
#       possible where size_t has 32 bits; and it takes the first value of a
#       loop's variable for its only one; and errors that only some systems
#       report, in bloom_file.h
#   unsignedLessThanZero   without SIMD a loop has no rounds
#   legacyUninitvar   an array for unwanted results is written to and never read
#   nullPointerRedundantCheck, ctunullpointer, useStandardLibrary   in
#       bloom_chain.h: `into` is NULL only in lookups, which do not add; and the
#       header does not include <string.h>
# gcc -fanalyzer
#   BLOOM_NO_SIMD   gcc 12 confuses the 8 lanes of a vector with its bits, and
#       reports shift-count-overflow
cd "$(dirname "$0")/../.." || exit 1
. tests/quality/analysers.sh

echo '#include "tests/headers.h"' >build/analyse.c
modes='separate tiny flash atomic'
[ -z "$ALL" ] || modes=$(modes analyse)
for mode in $modes; do
    mode $mode
    flags="-include tests/unit/hooks.h $options"
    quiet tidy '-bugprone-branch-clone -clang-analyzer-deadcode.DeadStores
        -bugprone-macro-parentheses' build/analyse.c -DBLOOM_STATIC $flags
    quiet analyzer -DBLOOM_IMPLEMENTATION -DBLOOM_NO_SIMD $flags build/analyse.c
    quiet check_c -DBLOOM_IMPLEMENTATION -D__GCC_ATOMIC_CHAR_LOCK_FREE=2 \
        -DDBL_MANT_DIG=53 --suppress=knownConditionTrueFalse \
        --suppress=legacyUninitvar:bloom.h \
        --suppress=unsignedLessThanZero:bloom.h \
        --suppress=useStandardLibrary:'*bloom_chain.h' \
        --suppress=nullPointerRedundantCheck:'*bloom_chain.h' \
        --suppress=ctunullpointer:'*bloom_chain.h' \
        --include=tests/unit/hooks.h $options build/analyse.c
done
echo '#include "examples/companions/bloom_file.h"' >build/analyse-file.c
quiet tidy '-bugprone-reserved-identifier -cert-dcl37-c -cert-dcl51-cpp' \
    build/analyse-file.c -DBLOOM_STATIC
quiet analyzer -DBLOOM_STATIC build/analyse-file.c
quiet check_c -DBLOOM_STATIC -DO_CLOEXEC=1 \
    --suppress=knownConditionTrueFalse build/analyse-file.c
counted analyse
