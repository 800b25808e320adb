# `make release` runs this script: all checks before a release, and those that are
# too long for .ci/run. It prints each result with the date, goes on after a
# failure, and writes the results to build/release.txt. What passed on this commit
# is skipped, so it can be stopped and started again, over days. With changes that
# are not committed, and without git, nothing is skipped. The output of a check is
# in build/release-N.log. It ends with "N passed, N failed".
# usage: MAKE=.. release.sh CHECK...
#   CHECK     words for make, joined by colons: mutants:ALL=1
. tests/helpers.sh
results=build/release.txt
touch $results
commit=$(git rev-parse --short HEAD 2>/dev/null) || commit=unknown
[ -z "$(git status --porcelain 2>&1)" ] || commit=$commit+changes

# said RESULT WORDS: writes down and prints how the check ended
said() {
    echo "$(date '+%Y-%m-%d %H:%M')  $commit  $1  make $2" | tee -a $results
}
number=0
for check in "$@"; do
    words=$(echo "$check" | tr : ' ')
    number=$((number + 1))
    case $commit in
    *unknown* | *changes) ;;
    *)  before=$(grep -F "  $commit  passed  " $results | grep -x ".*  make $words")
        if [ -n "$before" ]; then
            echo "skipped, as it passed: $before"
            ok
            continue
        fi ;;
    esac
    if $MAKE $words >build/release-$number.log 2>&1; then
        ok
        said passed "$words"
    else
        said FAILED "$words: see build/release-$number.log"
        failures build/release-$number.log
        failed=$((failed + 1))
    fi
done
counted
