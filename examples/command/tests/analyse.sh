# Static analysers on the command, and mandoc on its man page. None may print
# anything; a failure shows what was printed. It ends with "N passed, N failed".
# tests/quality/analysers.sh has the checks that are switched off everywhere. Some
# are switched off here:
#
# clang-tidy
#   cert-err33-c, cert-dcl37-c, cert-dcl51-cpp, reserved-identifier   a failed
#       fprintf to stderr cannot be reported; _POSIX_C_SOURCE is a name of POSIX
#   bugprone-signal-handler, cert-sig30-c   remove() is called by a handler; in
#       glibc it is unlink() for files, which POSIX allows
#   bugprone-branch-clone   see tests/quality/analyse.sh
#   unix.Malloc   it does not see that a bloom * points to the allocated block
#   core.CallAndMessage, core.uninitialized.Assign   it does not see that left[]
#       is filled up to `lefts`, and a chain's batch up to its count
#   core.UndefinedBinaryOperatorResult   it does not see that a lookup of many
#       keys fills its answers
#   core.NullDereference   it does not see that exactly one of a FILE's filter,
#       chain and window is not NULL
# gcc -fanalyzer
#   malloc-leak   it forgets that the new link of a chain is kept in the chain;
#       the sanitizers look for leaks
# cppcheck
#   redundantContinue   it is the empty body of a loop
#   knownConditionTrueFalse   see tests/quality/analyse.sh
#
# library.c and atomic.c are left out, as they contain little but bloom.h and its
# companions, of which `make analyse` takes care.
cd "$(dirname "$0")/../../.." || exit 1
. tests/quality/analysers.sh
need mandoc mandoc
enough

sources=$(ls examples/command/*.c | grep -v -e /library.c -e /atomic.c)
for file in $sources; do
    quiet tidy '-bugprone-branch-clone -cert-err33-c -cert-dcl37-c
        -cert-dcl51-cpp -bugprone-reserved-identifier -bugprone-signal-handler
        -cert-sig30-c -clang-analyzer-unix.Malloc
        -clang-analyzer-core.CallAndMessage
        -clang-analyzer-core.uninitialized.Assign
        -clang-analyzer-core.UndefinedBinaryOperatorResult
        -clang-analyzer-core.NullDereference' "$file"
    quiet analyzer -DBLOOM_NO_SIMD -Wno-analyzer-malloc-leak "$file"
done
quiet check_c --suppress=redundantContinue --suppress=knownConditionTrueFalse \
    -DMADV_HUGEPAGE=14 -DFIONREAD=21531 -DDBL_MANT_DIG=53 $sources
quiet mandoc -Tlint examples/command/bloom.1
counted
