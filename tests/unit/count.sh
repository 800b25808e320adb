# Read by the scripts below tests/ (". tests/unit/count.sh"): what passed and what
# failed, counted in one place. A script ends with `counted`.
passed=0 failed=0

ok() { passed=$((passed + 1)); }
bad() {         # bad WORDS: one test that failed, and what is said of it
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$*"
}
check() {       # check WHAT COMMAND...: one test, passed if the command is
    what=$1
    shift
    if "$@"; then ok; else bad "$what"; fi
}
is() {          # is WHAT WANTED GOT
    if [ "$2" = "$3" ]; then ok; return; fi
    bad "$1
    wanted: $2
    got:    $3"
}
same() {        # same WHAT FILE FILE
    is "$1: $2 is $3" "" "$(cmp "$2" "$3" 2>&1)"
}
silent() {      # silent COMMAND...: one test, a compiler that has nothing to say
    if "$@"; then ok; else bad "$*"; fi
}
sum() {         # sum NAME FILE: adds the line "N passed, N failed" of FILE; of
                # what failed, all of it is shown
    line=$(grep '^[0-9]* passed, [0-9]* failed$' "$2" 2>/dev/null | tail -n 1)
    printf '%-12s %s\n' "$1" "${line:-did not end}"
    case $line in
    *', 0 failed') ;;
    *) cat "$2" 2>/dev/null ;;
    esac
    line=${line:-0 passed, 1 failed}
    passed=$((passed + ${line%% *}))
    line=${line#*, }
    failed=$((failed + ${line%% *}))
}
counted() {     # counted [NAME]: the sum, and the exit status
    echo "${1:+$1: }$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
needs() {       # needs TOOL PACKAGES: false, and says so, if it is not there
    command -v "$1" >/dev/null && return
    echo "needs $1: apt-get install $2"
    return 1
}
