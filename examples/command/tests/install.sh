# make install and uninstall: the command, its manual page and its completion

if [ "$bloom" = "$root/build/bloom" ]; then
    order() {
        ${MAKE:-make} -s -C "$root" DESTDIR="$work/stage" PREFIX=/opt/b "$1"
    }
    what=install; (umask 077; order install) > out 2>&1; is "$what" 0 $?
    installed=stage/opt/b
    is 'the program' "$("$bloom" --version)" "$($installed/bin/bloom --version)"
    is 'its version' "bloom $(sed -n 's/^#define BLOOM_VERSION //p' "$root/bloom.h" |
        awk '{ print int($1 / 10000) "." int($1 / 100) % 100 "." $1 % 100 }')" \
        "$("$bloom" --version)"
    same $installed/share/man/man1/bloom.1 "$root/examples/command/bloom.1"
    same $installed/share/bash-completion/completions/bloom \
        "$root/examples/command/bloom.bash"
    is 'who may read them' '' "$(find $installed -type d ! -perm 755 -o \
        -name bloom -path '*/bin/*' ! -perm 755 -o \
        -type f -path '*/share/*' ! -perm 644)"
    what=uninstall; order uninstall > out 2>&1; is "$what" 0 $?
    is "$what" '' "$(find stage -name 'bloom' -type f -o -name bloom.1)"
else
    echo 'skipped: install (another command than build/bloom)'
fi
