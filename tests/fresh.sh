# `make fresh` runs this script. It runs `make test` as on machines where nobody
# has run it before: in 32 bits; for musl, with the tools of busybox; and always
# without git, by a user who is not root, in a folder whose name has a space and
# which has files of others. ALL=1: also with clang and with tcc, and where names and
# linkers differ, it also runs `make symbols`. It ends with "N passed, N failed", where
# each run counts as one.
# usage: [ALL=1] fresh.sh [NAME...]         NAME: only these runs
. tests/helpers.sh
need musl-gcc musl-tools; need busybox busybox
need nm binutils; need mawk mawk; need dash dash
if [ -n "$ALL" ]; then need tcc tcc; need clang++ clang; fi
need 'gcc -m32' 'gcc-multilib g++-multilib' \
    'echo "int main() { return 0; }" | g++ -m32 -x c++ - -o build/fresh.m32'
enough
unset MAKEFLAGS MAKELEVEL MFLAGS ONLY TESTS
make=$(command -v make)
root=$(mktemp -d) && chmod 755 "$root" || exit
trap 'rm -rf "$root"' EXIT
tree="$root/a folder"
user=
[ "$(id -u)" -ne 0 ] || user='setpriv --reuid=65534 --regid=65534 --clear-groups'

# As on Alpine: the tools of busybox, a C compiler for musl, and binutils. The
# awk of Debian's busybox has no logarithm, and there is no `install` in it.
bin=$root/bin
mkdir "$bin"
for tool in $(busybox --list); do
    ln -s "$(command -v busybox)" "$bin/$tool"
done
for tool in musl-gcc x86_64-linux-gnu-gcc as ld ar nm readelf install make; do
    ln -sf "$(command -v $tool)" "$bin/$tool"
done
ln -sf "$(command -v mawk)" "$bin/awk"
ln -sf "$(command -v dash)" "$bin/sh"

# fresh NAME PATH TARGET-OR-VARIABLE...: runs `make test` with these
fresh() {
    name=$1 path=$2
    shift 2
    case " ${only:-$name} " in *" $name "*) ;; *) return ;; esac
    echo "make test $*"
    log=build/fresh-$name.log
    rm -rf "$tree" && copy "$tree" && rm -rf "$tree/build" &&
        mkdir "$tree/venv" "$tree/node_modules" || exit
    tee "$tree/venv/version.py" "$tree/node_modules/package.json" <bloom.h \
        >/dev/null
    [ -z "$user" ] || chown -R 65534:65534 "$tree"
    if (cd "$tree" && $user env PATH="$path" "$make" test JOBS=2 "$@") >"$log" 2>&1; then
        ok
        grep '^skipped' "$log"
    else
        bad "make test $*, of $(grep -c ' passed, ' "$log") programs: see $log"
        grep -v ' 0 failed$' "$log"
    fi
    tail -n 1 "$log"
}
only=$*
[ -z "$ALL$only" ] || fresh clang "$PATH" symbols CC=clang CXX=clang++
[ -z "$ALL$only" ] || fresh tcc "$PATH" CC=tcc
if runs_32_bits; then
    fresh m32 "$PATH" ${ALL:+symbols} CC='gcc -m32' CXX='g++ -m32'
elif [ "$only" != musl ]; then
    echo 'skipped: m32 (this kernel does not run programs of 32 bits)'
fi
fresh musl "$bin" ${ALL:+symbols} CC=musl-gcc
counted
