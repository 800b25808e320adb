# Run by `make analyse`: three static analysers over bloom.h, in its modes, and
# over the command, and mandoc over its page. None may say a word. What is left
# off:
#
# clang-tidy
#   easily-swappable-parameters  fires on every function of two numbers
#   cert-flp30-c, FloatLoopCounter   four loops count keys or halvings in
#       doubles, which hold whole numbers exactly up to 2^53
#   implicit-widening-of-multiplication-result   4 * i, i < 8
#   bugprone-branch-clone   the cases of bloom_visit_bits_ are alike on purpose:
#       each visits one cell and falls through to the next
#   deadcode.DeadStores   BLOOM_TINY and BLOOM_NO_SIMD only: what serves the
#       other layouts, or SIMD, is compiled away there
#   cert-err33-c, cert-dcl37-c, cert-dcl51-cpp, reserved-identifier   in the
#       command: a failed fprintf to stderr has nobody to tell; _POSIX_C_SOURCE
#       is POSIX's name
#   bugprone-signal-handler, cert-sig30-c   remove() in give_up: glibc's is
#       unlink(), which POSIX allows in a handler
#   unix.Malloc   in the command: it does not see that a bloom * is the block
#   core.CallAndMessage, core.uninitialized.Assign   there too: nor that left[]
#       is filled up to `lefts`, and a chain's batch up to its count
#   core.NullDereference   there too: nor that of a FILE's one filter, chain and
#       window just one is not NULL
# cppcheck
#   variableScope   C99 code that declares at the top of a function on purpose
#   knownConditionTrueFalse   bloom_create: room > size can fail where size_t
#       has 32 bits
#   legacyUninitvar   bloom_many_: `unwanted` is written to, never read; and
#       save.c: readlink() fills `text`
#   nullPointerRedundantCheck, ctunullpointer, useStandardLibrary   in
#       bloom_chain.h: `into` is NULL in lookups only, which do not add; and the
#       header does without <string.h>
#   redundantContinue   the empty body of a loop
#   unusedFunction   the header's functions are for others
# gcc -fanalyzer
#   shift-count-overflow   gcc 12 takes the 8 lanes of a vector for its bits:
#       the header is analysed without SIMD
#   null-dereference   does not know the invariant of bloom_keys_: one of its
#       three pointers is not NULL
cd "$(dirname "$0")/../../.." && mkdir -p build || exit 1
for tool in clang-tidy cppcheck gcc mandoc; do
    command -v $tool >/dev/null && continue
    echo "analyse needs $tool: apt-get install clang-tidy cppcheck gcc mandoc"
    exit 1
done

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
. tests/unit/count.sh

# silent WORDS...: a command that says nothing
silent() {
    if "$@" >build/analyse.out 2>&1 && [ ! -s build/analyse.out ]; then
        ok
    else
        bad "not silent: $*"
        cat build/analyse.out
    fi
}
# tidy CHECKS FILE OPTION...: without the count of what was suppressed
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
for file in examples/bloom/*.c; do
    silent tidy "$TIDY $COMMAND" "$file"
    silent analyzer "$file"
done
silent check -DBLOOM_IMPLEMENTATION build/analyse.c
silent check -DBLOOM_IMPLEMENTATION -DBLOOM_TINY build/analyse.c
silent check -DBLOOM_IMPLEMENTATION -DBLOOM_ATOMIC \
    -D__GCC_ATOMIC_CHAR_LOCK_FREE=2 build/analyse.c
silent check --suppress=redundantContinue --suppress=knownConditionTrueFalse \
    --suppress=legacyUninitvar:examples/bloom/save.c \
    --suppress=useStandardLibrary:'*bloom_chain.h' \
    --suppress=nullPointerRedundantCheck:'*bloom_chain.h' \
    --suppress=ctunullpointer:'*bloom_chain.h' \
    -DMADV_HUGEPAGE=14 -DFIONREAD=21531 -DDBL_MANT_DIG=53 \
    -UBLOOM_READ_BYTE -UBLOOM_TINY -UBLOOM_CHAIN_MALLOC -UBLOOM_CHAIN_FREE \
    --force examples/bloom
silent analyzer -DBLOOM_IMPLEMENTATION build/analyse.c
silent analyzer -DBLOOM_IMPLEMENTATION -DBLOOM_TINY build/analyse.c
silent analyzer -DBLOOM_IMPLEMENTATION -DBLOOM_ATOMIC build/analyse.c
silent mandoc -Tlint examples/bloom/bloom.1
counted analyse
