# `make check-examples` runs this script: each small program prints what its
# comment says, levels.c stores and finds the paths of this machine, and mini.c
# sets the bits of bloom.h, in C and in C++.
. tests/count.sh

for source in examples/*.c; do
    case $source in
    examples/mini.c) source=$source:-lm ;;
    esac
    set -- "$@" "$source"
done
sh tests/prints.sh "$@" >build/examples.out
sum programs build/examples.out
sh examples/tests/levels.sh >build/levels.out
sum levels build/levels.out
sh examples/tests/search.sh >build/search.out
sum search build/search.out

WARN='-Wall -Wextra -pedantic -O2 -I.'
${CC:-cc} -std=c99 $WARN examples/tests/mini_bits.c -lm -o build/mini-test &&
    build/mini-test >build/mini.out
sum mini.c build/mini.out
if command -v "${CXX:-c++}" >/dev/null; then
    ${CXX:-c++} -std=c++11 $WARN -x c++ examples/tests/mini_bits.c -lm \
        -o build/mini-test && build/mini-test >build/mini.out
    sum 'mini.c, C++' build/mini.out
else
    echo 'skipped: mini.c as C++ (no C++ compiler; Debian package g++)'
fi
counted
