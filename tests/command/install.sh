# make install and uninstall: the files of the command

if [ "$bloom" = "$root/build/bloom" ]; then
    order="${MAKE:-make} -s -C $root DESTDIR=$work/stage PREFIX=/opt/b"
    what=install; $order install > out 2>&1; is "$what" 0 $?
    same stage/opt/b/bin/bloom "$bloom"
    same stage/opt/b/share/man/man1/bloom.1 "$root/examples/command/bloom.1"
    same stage/opt/b/share/bash-completion/completions/bloom \
        "$root/examples/command/bloom.bash"
    is 'installed' "$("$bloom" --version)" "$(stage/opt/b/bin/bloom --version)"
    what=uninstall; $order uninstall > out 2>&1; is "$what" 0 $?
    is "$what" '' "$(find stage -type f -o -path '*/bloom')"
else
    echo 'skipped: install (another command than build/bloom)'
fi
