# make install and uninstall: exactly the files listed here

if [ "$bloom" = "$root/build/bloom" ]; then
    order="${MAKE:-make} -s -C $root DESTDIR=$work/stage PREFIX=/opt/b"
    what=install; (umask 077; $order install) > out 2>&1; is "$what" 0 $?
    (cd stage/opt/b && find . -type f | sort) > files
    cat > want <<'END_OF_FILES'
./bin/bloom
./include/bloom.h
./include/bloom_chain.h
./include/bloom_keyed.h
./include/bloom_window.h
./lib/cmake/bloom/bloom-config-version.cmake
./lib/cmake/bloom/bloom-config.cmake
./share/bash-completion/completions/bloom
./share/doc/bloom/copyright
./share/man/man1/bloom.1
./share/pkgconfig/bloom.pc
END_OF_FILES
    same files want; same stage/opt/b/include/bloom.h "$root/bloom.h"
    for file in bloom_chain.h bloom_keyed.h bloom_window.h; do
        same stage/opt/b/include/$file "$root/examples/companions/$file"
    done
    is 'who may read' '' "$(find stage/opt/b -type d ! -perm 755 -o \
        -type f ! -path '*/bin/bloom' ! -perm 644)"
    is 'what was to be filled in' '' "$(grep -rlI '@[A-Z]*@' stage)"
    is 'installed' "$("$bloom" --version)" "$(stage/opt/b/bin/bloom --version)"
    what=bloom.pc; says stage/opt/b/share/pkgconfig/bloom.pc \
        "Version: $("$bloom" --version | cut -c 7-)"
    if command -v pkg-config > /dev/null; then
        is 'pkg-config' -I/opt/b/include "$(
            PKG_CONFIG_PATH=stage/opt/b/share/pkgconfig \
            pkg-config --cflags bloom | tr -d ' ')"
    fi
    # The licence is the last comment of bloom.h, without its frame
    sed '1,/^\/\* ---- Licence/d' "$root/bloom.h" > licence
    sed 's/./   &/; $s/$/ *\//' stage/opt/b/share/doc/bloom/copyright > framed
    what=copyright; same framed licence; says licence 'MIT OR Unlicense'
    what=uninstall; $order uninstall > out 2>&1; is "$what" 0 $?
    is "$what" '' "$(find stage -type f -o -path '*/bloom')"
else
    echo 'skipped: install (another command than build/bloom)'
fi
