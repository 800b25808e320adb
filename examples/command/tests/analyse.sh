# Static analysers on the command. None may print anything; a failure shows what was
# printed. It ends with "N passed, N failed".
# tests/quality/analysers.sh has the checks that are switched off everywhere. Some
# are switched off here:
#
# clang-tidy
#   cert-err33-c, cert-dcl37-c, cert-dcl51-cpp, reserved-identifier   a failed
#       fprintf to stderr cannot be reported; _POSIX_C_SOURCE is a name of POSIX
#   bugprone-branch-clone   see tests/quality/analyse.sh
# cppcheck
#   knownConditionTrueFalse   see tests/quality/analyse.sh
#
# library.c and atomic.c are left out, as they contain little but bloom.h and its
# companions, of which `make analyse` takes care.
cd "$(dirname "$0")/../../.." || exit 1
. tests/quality/analysers.sh

sources=$(ls examples/command/*.c | grep -v -e /library.c -e /atomic.c)
for file in $sources; do
    quiet tidy '-bugprone-branch-clone -cert-err33-c -cert-dcl37-c
        -cert-dcl51-cpp -bugprone-reserved-identifier' "$file"
    quiet analyzer -DBLOOM_NO_SIMD "$file"
done
quiet check_c --suppress=knownConditionTrueFalse -DMADV_HUGEPAGE=14 \
    -DFIONREAD=21531 -DDBL_MANT_DIG=53 $sources
counted
