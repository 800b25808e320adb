# `make test` runs this script. `make install` installs bloom.h, the companions
# and the licence, all of which anyone may read; `make uninstall` removes them,
# and all that the products installed.
. tests/helpers.sh
stage=$PWD/build/install.$$
trap 'rm -rf "$stage"' EXIT
order() { ${MAKE:-make -s} DESTDIR="$stage" PREFIX=/opt/b "$1"; }

(umask 077; order install) >build/install.log 2>&1
is "make install" "0" "$?$(cat build/install.log)"
for header in bloom.h examples/companions/*.h; do
    same "installed" "$stage/opt/b/include/${header##*/}" "$header"
done
is "files or folders that only the owner may read" '' \
    "$(find "$stage" -type d ! -perm 755 -o -type f ! -perm -644)"
is "files with something that was to be filled in" '' \
    "$(grep -rl '@[A-Z]\{3,\}@' "$stage")"

# The licence is the last comment of bloom.h, without its frame
licence() { sed '1,/^\/\* ---- Licence/d' bloom.h; }
is "the copyright file" "$(licence)" "$(sed 's/./   &/; $s/$/ *\//' \
    "$stage/opt/b/share/doc/bloom/copyright")"
check "the licence is in bloom.h" eval "licence | grep -q 'MIT OR Unlicense'"

order uninstall >build/install.log 2>&1
is "make uninstall" 0 "$?$(cat build/install.log)"
is "files and folders named bloom that uninstall left" '' \
    "$(find "$stage" -type f -o -name bloom)"
counted
