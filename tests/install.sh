# `make test` runs this script. `make install` installs bloom.h, the companions
# and the licence, all of which anyone may read; `make uninstall` removes them,
# and all that the products installed.
. tests/helpers.sh
each_must_end
stage=$PWD/build/install.$$
trap 'rm -rf "$stage"' EXIT
order() { ${MAKE:-make -s} DESTDIR="$stage" PREFIX=/opt/b "$1"; }

# Headers where 2.2.0 put them. Below, install removes these, but no bloom.h of
# others, such as that of Debian's libbloom.
include=$stage/opt/b/include
headers="bloom.h $(echo examples/companions/*.h examples/*/bloom.hpp)"
mkdir -p "$include"
chmod -R 755 "$stage"
cp $headers "$include" 2>/dev/null
is "the headers of an older version" '' "$(
    ls "$include" | sed 's/.*/removed the & of an older version/' |
        sort >build/install.removed
    order install | sed 's/ from .*//' | sort | diff build/install.removed -)"
is "what is left of them" bloom-h "$(ls "$include")"
for title in '/* bloom.h, of another library */' '/* Bloom filters: bloom.h 2 - */' \
    '#ifndef _BLOOM_H'; do
    echo "$title" >"$include/bloom.h"
    echo "$title" >"$include/bloom.hpp"
    order install
    is "a bloom.h of others" "$title" \
        "$(cat "$include/bloom.h" && cmp "$include/bloom.h" "$include/bloom.hpp")"
done
rm -r "$stage"

(umask 077; order install) >build/install.log 2>&1
is "make install" "0" "$?$(cat build/install.log)"
for header in $headers; do
    [ ! -f "$header" ] ||
        same "installed" "$include/bloom-h/${header##*/}" "$header"
done
is "the folder of the headers" bloom-h "$(ls "$include")"
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
    "$(find "$stage" -type f -o -name 'bloom*')"
counted
