# `make check-command` runs this script: everything about the command but what
# `make test` runs. ALL=1: also static analysers. It ends with "N passed, N failed".
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers.sh
for tool in strace python3 mandoc gcovr gcc ${ALL:+clang-tidy cppcheck}; do
    need $tool $tool
done
need nm binutils
enough

part() {        # part WHAT COMMAND...: passed if it succeeds; prints its output
    echo "== $1"
    check "$@"
}
part "make demo" $MAKE demo
part "make crash" $MAKE crash RUNS="$RUNS"
part "make race" $MAKE race ONLY=short
part "the last version" sh examples/command/tests/versions.sh
is 'mandoc -Tlint' '' "$(mandoc -Tlint examples/command/bloom.1 2>&1)"
[ -z "$ALL" ] || part "analysers" sh examples/command/tests/analyse.sh
part "coverage" sh examples/command/tests/covered.sh
counted
