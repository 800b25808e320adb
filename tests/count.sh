# Counts passed and failed tests, and names missing packages, for the scripts of
# tests/ and examples/*/tests/. They read this file by ". tests/count.sh" and
# end with the call `counted`.
passed=0 failed=0

ok() { passed=$((passed + 1)); }
bad() {         # bad WORDS...: one test failed; prints the words
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$*"
}
check() {       # check WHAT COMMAND...: passed if the command succeeds
    what=$1
    shift
    if "$@"; then ok; else bad "$what"; fi
}
is() {          # is WHAT WANTED GOT: passed if both strings are equal
    if [ "$2" = "$3" ]; then ok; return; fi
    bad "$1
    wanted: $2
    got:    $3"
}
same() {        # same WHAT FILE FILE: passed if both files have the same bytes
    is "$1: $2 is $3" "" "$(cmp "$2" "$3" 2>&1)"
}
silent() {      # silent COMMAND...: passed if the command succeeds; names it if
                # it fails
    if "$@"; then ok; else bad "$*"; fi
}
sum() {         # sum NAME FILE: adds up the last line "N passed, N failed" of
                # FILE, and prints the whole file if any failed
    line=$(grep '^[0-9]* passed, [0-9]* failed$' "$2" 2>/dev/null | tail -n 1)
    printf '%-12s %s\n' "$1" "${line:-did not end}"
    case $line in
    *', 0 failed') grep '^skipped' "$2" ;;
    *) cat "$2" 2>/dev/null ;;
    esac
    line=${line:-0 passed, 1 failed}
    passed=$((passed + ${line%% *}))
    line=${line#*, }
    failed=$((failed + ${line%% *}))
}
counted() {     # counted [NAME]: prints the sum; fails if a test failed
    echo "${1:+$1: }$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
missing=
need() {        # need WHAT PACKAGES [COMMAND]: fails if the command does, or if
                # there is no program WHAT; then names its Debian packages
    eval "${3:-command -v $1}" >/dev/null 2>&1 && return
    missing="$missing $2"
    echo "needs $1: apt-get install $2"
    return 1
}
enough() {      # enough: if anything was missing, the script ends, and failed
    [ -z "$missing" ] && return
    echo "0 passed, 1 failed"
    exit 1
}
