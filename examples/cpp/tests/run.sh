# Run by `make languages`. It tests that build/libbloom.so exports every function
# and nothing else, examples/python/bloom.py with Debian's python3,
# examples/cpp/bloom.hpp with g++ and clang++, and by builds.sh the packages for
# CMake and Debian. If a tool is missing, it is named and the run fails. Ends with
# "N passed, N failed".
cd "$(dirname "$0")/../.." || exit 1
work=build/languages
rm -rf $work
mkdir -p $work || exit 1
. tests/count.sh
for tool in /usr/bin/python3:python3 g++:g++ clang++:clang nm:binutils; do
    need ${tool%:*} ${tool#*:}
done
enough
add() {         # add NAME OUTPUT: adds up the output of a test program
    printf '%s\n' "$2" >build/languages.out
    sum "$1" build/languages.out
}
make -s libbloom build/bloom || exit 1

# The library exports what bloom.h and its companions declare. Its soname differs
# from that of Debian's package libbloom, which is another library.
${CC:-cc} -E -P -DBLOOM_API=EXPORTED -DBLOOM_CHAIN_API=EXPORTED \
    -DBLOOM_WINDOW_API=EXPORTED -I. -include examples/companions/bloom_chain.h \
    -x c examples/companions/bloom_window.h | tr -s ' \n' ' ' |
    grep -o 'EXPORTED [^;(]*(' | grep -o 'bloom_[a-z0-9_]*(' | tr -d '(' |
    sort -u >$work/declared
nm -D --defined-only build/libbloom.so | awk '{ print $3 }' |
    sort >$work/exported
is 'exported functions' '' "$(diff $work/declared $work/exported)"
is 'at least 75 functions' yes "$([ $(wc -l <$work/declared) -ge 75 ] && echo yes)"
version=$(awk '/define BLOOM_VERSION/ { print int($3 / 10000); exit }' bloom.h)
is soname "libbloom-h.so.$version" "$(readelf -d build/libbloom.so |
    sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')"
is 'bloom.py loads this soname' "libbloom-h.so.$version" \
    "$(grep -o 'libbloom-h\.so\.[0-9]*' examples/python/bloom.py)"
cat >$work/use.c <<'END'
#define BLOOM_API extern
#include "bloom.h"
int main(void)
{
    bloom *b = bloom_new(10, 0.01);
    return !b || !bloom_add(b, "x", 1) || !bloom_may_contain(b, "x", 1);
}
END
make -s install-libbloom DESTDIR="$PWD/$work/root"
lib=$work/root/usr/local/lib
for how in "-L$lib -lbloom-h -Wl,-rpath,$PWD/$lib" $lib/libbloom-h.a; do
    ${CC:-cc} -I. $work/use.c -o $work/use $how && $work/use
    is "a program with $how" 0 $?
done

# Python
for test in filter files threads; do
    add "bloom.py, $test" "$(/usr/bin/python3 \
        tests/languages/test_$test.py $work build/bloom 2>&1)"
done
add packages "$(sh tests/languages/packages.sh 2>&1)"
said=$(awk '/it prints:/ { on = 1; next } on && !/^       / { exit }
            on { print substr($0, 8) }' examples/python/bloom.py)
is 'bloom.py prints what its head says' "$said" "$(/usr/bin/python3 examples/python/bloom.py)"

# C++: tests each function, compiles without warnings in each version with both
# compilers, and checks that the first error for a wrong type explains it
include="-I. -Iexamples/companions"
for std in c++11 c++20; do
    for mode in '' -DBLOOM_EXCEPTIONS; do
        g++ -std=$std -Werror -Wall -Wextra -pedantic -Wconversion -Wshadow \
            -g -O1 -fsanitize=address,undefined $mode $include \
            tests/languages/hpp.cpp -o $work/hpp
        add "bloom.hpp, $std $mode" "$($work/hpp 2>&1)"
    done
done
said=$(sed -n 's,^//     ,,p' examples/cpp/first.cpp)
for compiler in g++ clang++; do
    for std in c++11 c++14 c++17 c++20; do
        silent $compiler -std=$std -Werror -Wall -Wextra -pedantic -Wshadow \
            -Wconversion -Wsign-conversion $include examples/cpp/first.cpp \
            -o $work/first
        is "first.cpp, $compiler $std" "$said" "$($work/first)"
    done
done
for compiler in g++ clang++; do
    for std in c++11 c++14 c++17 c++20; do
        for mode in '' -DBLOOM_EXCEPTIONS; do
            silent $compiler -std=$std -Werror -Wall -Wextra -pedantic \
                -Wshadow -Wconversion -Wsign-conversion $mode $include \
                -fsyntax-only tests/languages/hpp.cpp
        done
    done
done
refused() {     # refused MESSAGE STATEMENT: the statement does not compile
    printf '%s\n' '#include "examples/cpp/bloom.hpp"' '#include <string>' \
        '#include <vector>' 'enum letter : char { a };' 'void use(bloompp::' \
        'filter &f, bloompp::chain &c, char *buf, uint8_t *bytes);' 'void' \
        'use(bloompp::filter &f, bloompp::chain &c, char *buf, uint8_t *bytes)' \
        "{ (void)f, (void)c, (void)buf, (void)bytes; $2; }" >$work/refused.cpp
    for compiler in g++ clang++; do
        $compiler -std=c++11 $include -fsyntax-only $work/refused.cpp \
            2>$work/refused.txt
        check "$compiler: $2: $1" grep -q "$1" <<END
$(grep error: $work/refused.txt | head -n 1)
END
    done
}
for use in 'f.add(buf, buf + 9)' 'f.add(bytes, bytes + 9)' 'f.add("a", "b")' \
           "f.add({'a', 'b'})" 'c.add(buf, buf + 9)' \
           'f.may_contain(buf, buf + 9, bytes)'; do
    refused 'A range of bytes is not a range of keys' "$use"
done
for use in "f.add('a')" "c.may_contain('a')" 'f.add(true)' 'f.add(1.5)' \
           'f.add(L"wide")' 'f.add(std::u16string())' 'f.add(a)' \
           'f.add(std::vector<double>())' 'f.remove(&f)'; do
    refused 'A key must be text, bytes, an integer, an enum or a bloom_hash' "$use"
done
is 'bloom.hpp has at most 280 lines' yes "$([ $(wc -l <examples/cpp/bloom.hpp) -le 280 ] &&
    echo yes)"

add 'CMake, Debian' "$(sh tests/languages/builds.sh 2>&1)"
counted
