# `make check-cpp` runs this script: bloom.hpp does what it says, with g++ and
# clang++, in C++11 to C++23, with and without BLOOM_EXCEPTIONS, and without a
# warning. What must not compile does not, and the first error says why (ALL=1:
# also with clang++).
. tests/helpers.sh
each_must_end
need g++ g++
need clang++ clang
enough
work=build/check-cpp
rm -rf $work
mkdir -p $work || exit 1
include="-I. -Iexamples/companions"
warn='-Werror -Wall -Wextra -pedantic -Wshadow -Wconversion -Wsign-conversion'

# ---- What it does -----------------------------------------------------------

# Each compiler reads each standard in one mode at least.
exceptions='-DBLOOM_EXCEPTIONS -DBLOOM_ATOMIC'
while read -r mode; do
    silent g++ -std=$mode $warn $include examples/cpp/tests/hpp.cpp -o $work/hpp
    (cd $work && ./hpp) >$work/hpp.out 2>&1
    sum "$mode" $work/hpp.out
done <<LINES
c++11
c++17 -DBLOOM_ATOMIC
c++20 $exceptions -g -fsanitize=address,undefined
LINES
while read -r compiler mode; do
    silent $compiler -std=$mode $warn $include -fsyntax-only \
        examples/cpp/tests/hpp.cpp
done <<LINES
g++ c++14 $exceptions
g++ c++2b
clang++ c++11 $exceptions
clang++ c++14
clang++ c++17
clang++ c++20
clang++ c++2b $exceptions
LINES

# The README: its first block of C++ is a program, the others are statements. They
# print what they say.
awk '/^```$/ { on = 0 } on && block == 1 { print } /^```cpp$/ { on = 1; block++ }' \
    examples/cpp/README.md >$work/program.cpp
{
    printf '#include "bloom.hpp"\n#include <cstdio>\nint main()\n{\n'
    awk '/^```$/ { on = 0 } on && block > 1 { print }
        /^```cpp$/ { on = 1; block++ }' examples/cpp/README.md
    echo '}'
} >$work/statements.cpp
said() {        # said PART COMPILER...: compiles a part of the README, and runs it
    part=$1
    shift
    silent "$@" $work/$part.cpp -o $work/$part
    is "the $part in the README, $1" \
        "$(sed -n 's,^// prints: ,,p' $work/$part.cpp)" "$(cd $work && ./$part)"
}
for compiler in g++ clang++; do
    said program $compiler -std=c++11 $warn $include -Iexamples/cpp
done
said statements g++ -std=c++17 $warn -DBLOOM_STATIC -DBLOOM_ATOMIC $include \
    -Iexamples/cpp

# ---- What does not compile --------------------------------------------------

# Both compilers read the headers from headers.hpp.gch beside headers.hpp, which
# takes a fifth of the time. With other options, its name differs.
cat >$work/headers.hpp <<LINES
#include "examples/cpp/bloom.hpp"
#include <string>
#include <vector>
LINES
# compile COMPILER OPTIONS STATEMENT: its messages go to $work/messages
compile() {
    headers=$work/headers-$(echo "$1$2" | tr -d ' ').hpp
    [ -e $headers ] || { cp $work/headers.hpp $headers
        silent $1 $2 $include -x c++-header $headers -o $headers.gch; }
    cat >$work/use.cpp <<LINES
enum letter : char { a };
struct nothing {};
struct point { int x, y; };
std::array<unsigned char, 16> bloom_key_of(const point &p)
    { return bloompp::pack(p.x, p.y); }
void use(bloompp::filter &f, bloompp::filter &g, bloompp::chain &c,
         bloompp::window &w, bloompp::slices &s, char *buf, uint8_t *bytes);
void use(bloompp::filter &f, bloompp::filter &g, bloompp::chain &c,
         bloompp::window &w, bloompp::slices &s, char *buf, uint8_t *bytes)
    { (void)f, (void)g, (void)c, (void)w, (void)s, (void)buf, (void)bytes; $3; }
LINES
    $1 $2 $include -include $headers -fsyntax-only $work/use.cpp 2>$work/messages
}
refused() {     # refused MESSAGE STATEMENT: the first error has the message
    for compiler in g++ ${ALL:+clang++}; do
        compile $compiler -std=c++11 "$2"
        check "$compiler: $2: $1" grep -q "$1" <<LINES
$(grep error: $work/messages | head -n 1)
LINES
    done
}
for use in 'f.add(buf, buf + 9)' 'f.add(bytes, bytes + 9)' 'f.add("a", "b")' \
           "f.add({'a', 'b'})" 'c.add(buf, buf + 9)' 'w.add(buf, buf + 9)' \
           'f.may_contain(buf, buf + 9, bytes)' "f.may_contain({'a'})"; do
    refused 'A range of bytes is not a range of keys' "$use"
done
for use in "f.add('a')" "c.may_contain('a')" 'f.add(true)' 'f.add(1.5)' \
           'f.add(L"wide")' 'f.add(std::u16string())' 'f.add(a)' \
           'f.add(std::vector<double>())' 'f.remove(&f)' 'f.add(nullptr)' \
           'f.may_contain(nullptr)' 'f.remove(nullptr)' 'c.add(nullptr)' \
           'w.add(nullptr)' 'f.add({ nullptr, nullptr })' 'f.add(nothing())' \
           'w.add(std::vector<nothing>(2))' \
           'f.may_contain(std::vector<double>())' \
           'f.add(std::vector<bool>(2))'; do
    refused 'A key must be text, bytes, an integer, an enum or a bloom_hash' \
        "$use"
done

for use in "s.add(0, 'a')" "s.find('a')" 's.count({ 1.5 })'; do
    refused 'A key must be text, bytes, an integer, an enum or a bloom_hash' \
        "$use"
done
refused share 'bloompp::share("x")'        # without BLOOM_ATOMIC
refused 'pack takes integers and enums' "bloompp::pack(1, 'a')"
refused 'pack takes integers and enums' 'bloompp::pack("text")'

# A result that is the only sign of failure, or of any effect, must be used. Here
# |= throws instead. Each statement is a line of one function.
warns="f.merge(g) f.intersect(g) f.fold(2) f.copy() c.copy() w.copy() s.copy()
f|g f&g c.link(0) s.get(0) s.put(0,f) c.load(\"x\")"
throws='f|=g f&=g w.save("x")'
may='f.add("x") f.remove("x") f.add({1,2}) w.step()'
ignored() {     # ignored OPTIONS WARNED: those that the compilers warn of
    for compiler in g++ clang++; do
        compile $compiler "-std=c++17 $1" "
#line 1 \"ignored\"
$(printf '%s;\n' $warns $throws $may)"
        line=0
        for use in $warns $throws $may; do
            line=$((line + 1))
            case " $2 " in *" $use "*) wanted=1 ;; *) wanted=0 ;; esac
            is "$compiler $1: $use: warnings" $wanted "$(grep -c \
                "^ignored:$line:.*nodiscard" $work/messages | sed 's/[1-9].*/1/')"
        done
    done
}
ignored '' "$(echo $warns $throws)"
ignored -DBLOOM_EXCEPTIONS "$(echo $warns)"

# ---- make install ------------------------------------------------------------

$MAKE install DESTDIR="$PWD/$work/stage" PREFIX=/b >$work/log 2>&1 ||
    cat $work/log
installed=$work/stage/b/include/bloom-h
same 'make install' $installed/bloom.hpp examples/cpp/bloom.hpp
said program g++ -std=c++11 -I$installed
$MAKE uninstall DESTDIR="$PWD/$work/stage" PREFIX=/b >$work/log 2>&1
check 'make uninstall' [ ! -e $installed ]
counted
