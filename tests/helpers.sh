# Helpers for all scripts of tests/ and examples/*/tests/: they count passed and
# failed tests, name missing packages, and read modes.txt, the list of the modes
# of bloom.h. Scripts work in the top folder, read this file by
# ". tests/helpers.sh" and end with the call `counted`.
passed=0 failed=0

ok() {          # ok [WORDS...]: one test passed
    passed=$((passed + 1))
    ended "$@"
}
bad() {         # bad WORDS...: one test failed; prints the words
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$*"
    ended "$@"
}
check() {       # check WHAT COMMAND...: passed if the command succeeds
    what=$1
    shift
    if "$@"; then ok "$what"; else bad "$what"; fi
}
is() {          # is WHAT WANTED GOT: passed if both strings are equal
    if [ "$2" = "$3" ]; then ok "$1"; return; fi
    bad "$1
    wanted: $2
    got:    $3"
}
same() {        # same WHAT FILE FILE: passed if both files have the same bytes
    is "$1: $2 is $3" "" "$(cmp "$2" "$3" 2>&1)"
}
silent() {      # silent COMMAND...: passed if the command succeeds; names it if
                # it fails
    if "$@"; then ok "$*"; else bad "$*"; fi
}
sanitized() {   # sanitized SOURCE PROGRAM: builds it with ASan and UBSan, or
                # without them if the compiler does not have them
    ${CC:-cc} -std=c99 -Wall -Wextra -pedantic -g -O1 -I. \
        -fsanitize=address,undefined -fno-sanitize-recover=all "$1" -o "$2" \
        2>"$2.log" ||
        { echo "skipped: sanitizers, for ${1##*/}"
          ${CC:-cc} -std=c99 -O2 -I. "$1" -o "$2"; }
}
failures() {    # failures LOG: prints its failed tests, and its last lines
    grep -i -A 3 '^ *\(failed\|not ok\)' "$1" | head -n 20
    tail -n 20 "$1"
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
    ended "$1"
}
counted() {     # counted [NAME]: prints the sum; fails if a test failed
    unwatched
    echo "${1:+$1: }$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
newest() {      # newest NAME: prints it, or the last Debian package that fits a
                # NAME with "*" in place of a version
    case $1 in
    *\**) apt-cache pkgnames | grep -x "$(echo "$1" | sed 's/\*/[0-9.]*/')" |
        sort -V | tail -n 1 ;;
    *) echo "$1" ;;
    esac
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
    unwatched
    echo "0 passed, 1 failed"
    exit 1
}

runs_32_bits() {        # fails if gcc can build a program of 32 bits, and this
                        # kernel does not run it, as on some virtual machines.
                        # qemu-i386 runs it anyway
    set -- "$(mktemp)" 0
    if echo 'int main(void) { return 0; }' | gcc -m32 -x c - -o "$1" 2>/dev/null
    then "$1" 2>/dev/null || set -- "$1" 1; fi
    rm -f "$1"
    return $2
}

error_text() {  # error_text NAME: what bloom_error_text says of BLOOM_NAME, so
                # that tests of messages need not repeat it
    {
        echo '#define BLOOM_STATIC'
        echo '#include "bloom.h"'
        echo '#include <stdio.h>'
        echo "int main(void) { puts(bloom_error_text(BLOOM_$1)); return 0; }"
    } >build/error-text.c &&
        ${CC:-cc} -std=c99 -w -I. build/error-text.c -o build/error-text &&
        build/error-text
}

# ---- Tests that do not end --------------------------------------------------

patience=1200           # seconds, for a test or a program: a hundred times what
                        # any takes, as the machine may be slow and busy

# each_must_end: from here on, if no test ends for $patience, the script fails: it
# says after which test, and what was running, and all of that is killed. A process
# beside the script does this. It learns from a file which test ended last.
# `counted` stops it; if the script ends in another way, it notices.
watched=
each_must_end() {
    watched=$(mktemp) || exit
    (watch & echo $! >"$watched.watcher")
}
ended() { [ -z "$watched" ] || echo "$passed $failed $*" >"$watched"; }
unwatched() {
    [ -z "$watched" ] || kill "$(cat "$watched.watcher")"
    rm -f "$watched" "$watched.watcher"
    watched=
}
watch() {
    seconds=0 before=
    while kill -0 $$ 2>/dev/null && [ $seconds -lt $patience ]; do
        sleep 1 >/dev/null 2>&1         # it may outlive this process
        IFS= read -r now <"$watched"
        [ "$now" = "$before" ] || seconds=0
        before=$now seconds=$((seconds + 1))
    done
    [ $seconds -ge $patience ] || { rm -f "$watched" "$watched.watcher"; return; }
    echo "FAILED: a test has not ended in $patience seconds; it comes after" \
        "$(echo "${now:-the start}" | sed 's/^[0-9]* [0-9]* //')"
    ps -A -o pid= -o ppid= -o args= | awk -v top=$$ '
        { parent[$1] = $2; pid = $1; $1 = $2 = ""; words[pid] = $0 }
        END { for (pid in parent) {
            up = parent[pid]
            while (up != top && up in parent) up = parent[up]
            if (up == top) print pid words[pid]
        } }' >"$watched"
    sed 's/^[0-9]* */    it was running: /' "$watched"
    kill $$
    kill -9 $(sed 's/ .*//' "$watched") 2>/dev/null
    rm -f "$watched" "$watched.watcher"
}

# ---- The modes of bloom.h ---------------------------------------------------

modes() {       # modes TARGET: the names of the modes that this target uses
    sed '/^#/d' tests/modes.txt | awk -F ' *[|] *' -v tool="$1" '
        tool == "test" ? $2 != "-" : " " $3 " " ~ " " tool " " { print $1 }'
}
mode() {        # mode NAME: sets program, options and test_options
    IFS='|' read -r name program tools options test_options for <<LINE
$(grep "^$1 *|" tests/modes.txt)
LINE
    [ -n "$name" ] && return
    echo "tests/modes.txt has no mode $1"
    return 1
}
flags() {       # flags TARGET: for programs, lines NAME|OPTIONS|TEST-OPTIONS
    for mode in $(modes "$1"); do
        mode $mode &&
            echo "$mode|-include tests/unit/hooks.h $options|$test_options"
    done
}
lacks() {       # lacks NAME: what a compiler lacks for this mode, or nothing
    mode "$1" || return
    case $options in *BLOOM_ATOMIC*)
        echo __GCC_ATOMIC_CHAR_LOCK_FREE | ${CC:-cc} -E - 2>/dev/null |
            grep -q -x 2 || echo "${CC:-cc} has no atomic operations" ;;
    esac
    case $program in *c++* | *mixed*)
        echo 'int main() { return 0; }' >build/c++.cpp &&
            ${CXX:-c++} build/c++.cpp -o build/c++ 2>/dev/null ||
            echo "no C++ compiler; Debian package g++" ;;
    esac
    case $program in *mixed*)
        echo __TINYC__ | ${CC:-cc} -E - 2>/dev/null | grep -q -x __TINYC__ ||
            echo "objects of tcc need its own library" ;;
    esac
}

# ---- Copies of the tree -----------------------------------------------------

# copy FOLDER: copies this tree there, where its targets can be made without
# touching build/ here. What was built there before stays: make builds it again
# only if its sources changed.
copy() {
    mkdir -p "$1" || return
    find "$1" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    for file in * .ci .gitignore; do
        [ "$file" = build ] || cp -pR "$file" "$1" || return
    done
}
