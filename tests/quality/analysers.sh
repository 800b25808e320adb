# Three static analysers, for analyse.sh and for the products. Scripts that work in
# the top folder read this file by ". tests/quality/analysers.sh". These checks
# are switched off, for the stated reasons:
#
# clang-tidy
#   easily-swappable-parameters   reports every function with two numbers
#   cert-flp30-c, FloatLoopCounter   a few loops count keys or halvings in
#       doubles, which hold whole numbers exactly up to 2^53
#   implicit-widening-of-multiplication-result   reports 4 * i, with i < 8
# cppcheck
#   variableScope   variables are declared at the top of a function on purpose
#   unusedFunction   the functions of the header are for other files
# gcc -fanalyzer
#   null-dereference   it does not see that one of the three pointers to many
#       keys is not NULL
. tests/helpers.sh
need clang-tidy clang-tidy; need cppcheck cppcheck; need gcc gcc
enough
mkdir -p build

# quiet COMMAND...: passed if the command succeeds and prints nothing
quiet() {
    if "$@" >build/analyse.out 2>&1 && [ ! -s build/analyse.out ]; then
        ok
    else
        bad "not silent: $*"
        cat build/analyse.out
    fi
}
# tidy OFF FILE FLAG...: clang-tidy without the checks OFF, and without its count
# of suppressed warnings
tidy() {
    checks='-*,bugprone-*,cert-*,clang-analyzer-*,-cert-flp30-c
        -bugprone-easily-swappable-parameters
        -bugprone-implicit-widening-of-multiplication-result
        -clang-analyzer-security.FloatLoopCounter '$1
    file=$2
    shift 2
    clang-tidy -quiet -checks="$(echo "$checks" | tr -s ' \n' ',')" \
        --warnings-as-errors='*' --header-filter='.*' "$file" \
        -- -std=c99 -I. "$@" 2>build/analyse.err ||
        { cat build/analyse.err; return 1; }
}
check_c() {     # check_c FLAG... FILE: cppcheck
    cppcheck --quiet --std=c99 --enable=all --error-exitcode=1 --inline-suppr \
        --suppress=missingIncludeSystem --suppress=unusedFunction \
        --suppress=variableScope --suppress=unmatchedSuppression -I. "$@"
}
analyzer() {    # analyzer FLAG... FILE: gcc -fanalyzer
    gcc -std=c99 -O2 -fanalyzer -Wno-analyzer-null-dereference -I. \
        -c -o build/analyse.o "$@"
}
