# `make analyse` runs this script: three static analysers on bloom.h, in several
# modes, and on the command; and mandoc on its man page. None may print
# anything; a failure shows what was printed. It ends with "N passed, N failed".
# These checks are switched off, for the stated reasons:
#
# clang-tidy
#   easily-swappable-parameters   reports every function with two numbers
#   cert-flp30-c, FloatLoopCounter   four loops count keys or halvings in
#       doubles, which hold whole numbers exactly up to 2^53
#   implicit-widening-of-multiplication-result   reports 4 * i, with i < 8
#   bugprone-branch-clone   one switch has equal cases on purpose: each visits
#       one cell and falls through to the next
#   deadcode.DeadStores   only with BLOOM_TINY and BLOOM_NO_SIMD, which compile
#       away the uses of some variables
#   cert-err33-c, cert-dcl37-c, cert-dcl51-cpp, reserved-identifier   in the
#       command: a failed fprintf to stderr cannot be reported; _POSIX_C_SOURCE
#       is a name of POSIX
#   bugprone-signal-handler, cert-sig30-c   in the command: remove() is called
#       by a handler; in glibc it is unlink() for files, which POSIX allows
#   unix.Malloc   in the command: it does not see that a bloom * points to the
#       allocated block
#   core.CallAndMessage, core.uninitialized.Assign   in the command: it does not
#       see that left[] is filled up to `lefts`, and a chain's batch up to its
#       count
#   core.NullDereference   in the command: it does not see that exactly one of a
#       FILE's filter, chain and window is not NULL
# cppcheck
#   variableScope   variables are declared at the top of a function on purpose
#   knownConditionTrueFalse   a check of bloom_create for overflow, which is
#       possible where size_t has 32 bits
#   legacyUninitvar   in bloom.h, an array for unwanted results is written to
#       and never read; in save.c, readlink() fills `text`
#   nullPointerRedundantCheck, ctunullpointer, useStandardLibrary   in
#       bloom_chain.h: `into` is NULL only in lookups, which do not add; and the
#       header does not include <string.h>
#   redundantContinue   it is the empty body of a loop
#   unusedFunction   the functions of the header are for other files
# gcc -fanalyzer
#   shift-count-overflow   gcc 12 confuses the 8 lanes of a vector with its
#       bits, so the header is analysed without SIMD
#   null-dereference   it does not see that one of the three pointers to many
#       keys is not NULL
cd "$(dirname "$0")/../.." && mkdir -p build || exit 1
. tests/count.sh
for tool in clang-tidy cppcheck gcc mandoc; do
    need $tool $tool
done
enough

echo '#include "bloom.h"' >build/analyse.c
TIDY="-*,bugprone-*,cert-*,clang-analyzer-*
    -bugprone-easily-swappable-parameters,-cert-flp30-c
    -bugprone-implicit-widening-of-multiplication-result,-bugprone-branch-clone
    -clang-analyzer-security.FloatLoopCounter"
COMMAND="-cert-err33-c,-cert-dcl37-c,-cert-dcl51-cpp
    -bugprone-reserved-identifier,-bugprone-signal-handler,-cert-sig30-c
    -clang-analyzer-unix.Malloc,-clang-analyzer-core.CallAndMessage
    -clang-analyzer-core.uninitialized.Assign
    -clang-analyzer-core.NullDereference"

# silent COMMAND...: passed if the command succeeds and prints nothing
silent() {
    if "$@" >build/analyse.out 2>&1 && [ ! -s build/analyse.out ]; then
        ok
    else
        bad "not silent: $*"
        cat build/analyse.out
    fi
}
# tidy CHECKS FILE OPTION...: runs clang-tidy without its count of suppressed
# warnings
tidy() {
    checks=$(echo "$1" | tr -s ' \n' ',')
    file=$2
    shift 2
    clang-tidy -quiet -checks="$checks" --warnings-as-errors='*' \
        --header-filter='bloom\.h' "$file" -- -std=c99 -I. "$@" \
        2>build/analyse.err || { cat build/analyse.err; return 1; }
}
check() {
    cppcheck --quiet --std=c99 --enable=all --error-exitcode=1 \
        --inline-suppr --suppress=missingIncludeSystem \
        --suppress=unusedFunction --suppress=variableScope \
        --suppress=unmatchedSuppression \
        --suppress=legacyUninitvar:bloom.h \
        --suppress=knownConditionTrueFalse:bloom.h -I. "$@"
}
analyzer() {
    gcc -std=c99 -O2 -fanalyzer -DBLOOM_NO_SIMD \
        -Wno-analyzer-null-dereference -I. -c -o build/analyse.o "$@"
}

for mode in "" -DBLOOM_ATOMIC; do
    silent tidy "$TIDY" build/analyse.c -DBLOOM_STATIC $mode
done
for mode in -DBLOOM_TINY "-DBLOOM_NO_SIMD -U__SIZEOF_INT128__"; do
    silent tidy "$TIDY -clang-analyzer-deadcode.DeadStores" build/analyse.c \
        -DBLOOM_STATIC $mode
done
for file in examples/command/*.c; do
    silent tidy "$TIDY $COMMAND" "$file"
    silent analyzer "$file"
done
silent check -DBLOOM_IMPLEMENTATION build/analyse.c
silent check -DBLOOM_IMPLEMENTATION -DBLOOM_TINY build/analyse.c
silent check -DBLOOM_IMPLEMENTATION -DBLOOM_ATOMIC \
    -D__GCC_ATOMIC_CHAR_LOCK_FREE=2 build/analyse.c
silent check --suppress=redundantContinue --suppress=knownConditionTrueFalse \
    --suppress=legacyUninitvar:examples/command/save.c \
    --suppress=useStandardLibrary:'*bloom_chain.h' \
    --suppress=nullPointerRedundantCheck:'*bloom_chain.h' \
    --suppress=ctunullpointer:'*bloom_chain.h' \
    -DMADV_HUGEPAGE=14 -DFIONREAD=21531 -DDBL_MANT_DIG=53 \
    -UBLOOM_READ_BYTE -UBLOOM_TINY -UBLOOM_CHAIN_MALLOC -UBLOOM_CHAIN_FREE \
    --force examples/command
silent analyzer -DBLOOM_IMPLEMENTATION build/analyse.c
silent analyzer -DBLOOM_IMPLEMENTATION -DBLOOM_TINY build/analyse.c
silent analyzer -DBLOOM_IMPLEMENTATION -DBLOOM_ATOMIC build/analyse.c
silent mandoc -Tlint examples/command/bloom.1
counted analyse
