# make install, uninstall: all of it, and nothing but it

if [ "$bloom" = "$root/build/bloom" ]; then
    order="${MAKE:-make} -s -C $root DESTDIR=$work/stage PREFIX=/opt/b"
    what=install; $order install > out 2>&1; is "$what" 0 $?
    (cd stage/opt/b && find . -type f | sort) > files
    cat > want <<'END_OF_FILES'
./bin/bloom
./include/bloom.h
./share/bash-completion/completions/bloom
./share/man/man1/bloom.1
./share/pkgconfig/bloom.pc
END_OF_FILES
    same files want; same stage/opt/b/include/bloom.h "$root/bloom.h"
    is 'installed' "$("$bloom" --version)" "$(stage/opt/b/bin/bloom --version)"
    what=bloom.pc; says stage/opt/b/share/pkgconfig/bloom.pc \
        "Version: $("$bloom" --version | cut -c 7-)"
    if command -v pkg-config > /dev/null; then
        is 'pkg-config' -I/opt/b/include "$(
            PKG_CONFIG_PATH=stage/opt/b/share/pkgconfig \
            pkg-config --cflags bloom | tr -d ' ')"
    fi
    what=uninstall; $order uninstall > out 2>&1; is "$what" 0 $?
    is "$what" '' "$(find stage -type f)"
else
    echo 'skipped: install (another command than build/bloom)'
fi
