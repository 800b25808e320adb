# `make check` runs this script: what to run before each commit, in a few
# minutes and without root. It runs make test-all, symbols, strict, sanitize,
# count, and the tests of bloom.h on a big-endian machine (s390x), a 32-bit one
# (i686) and an 8-bit one (AVR). A part whose Debian packages are missing is
# skipped, and they are named. It ends with "N passed, N failed", where each part
# counts as one.
. tests/helpers.sh
skipped=

part() {        # part TARGET...: makes it, unless `need` found something missing
    if [ -z "$missing" ]; then
        check "make $*" $MAKE "$@"
    else
        skipped="$skipped
skipped: make $* (apt-get install$missing)"
    fi
    missing=
}
has_sanitizers() {
    echo 'int main(void) { return 0; }' |
        ${CC:-cc} -fsanitize=address,undefined -x c - -o build/check-try &&
        build/check-try
}

part test-all
part symbols
need g++ g++
need clang++ clang
part strict
need "${CC:-cc}'s sanitizers" 'gcc or clang' has_sanitizers
part sanitize
lacking=$(sh tests/speed/count.sh --lacks)
need count "$lacking" "[ -z '$lacking' ]"
part count
for machine in s390x i686 avr; do
    lacking=$(sh tests/cross/cross.sh --lacks $machine)
    need "cross ONLY=$machine" "$lacking" "[ -z '$lacking' ]"
    part cross ONLY=$machine
done
echo "$skipped" | grep .
counted
