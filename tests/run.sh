# Run by `make test`: the tests of each mode named, then what is not a test
# program. Ends with the sum, "N passed, N failed".
passed=0
failed=0

# add NAME OUTPUT: count the line "N passed, N failed" that ends OUTPUT
add() {
    sum=$(printf '%s\n' "$2" | grep '^[0-9]* passed, [0-9]* failed$')
    printf '%-12s %s\n' "$1" "${sum:-did not end}"
    case $sum in
    '') failed=$((failed + 1)); printf '%s\n' "$2" ;;
    *', 0 failed') passed=$((passed + ${sum%% *})) ;;
    *) printf '%s\n' "$2"
       sum=${sum% failed}
       failed=$((failed + ${sum##* }))
       passed=$((passed + ${sum%% *})) ;;
    esac
}

# check NAME COMMAND...: one test, passed if the command is
check() {
    name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: failed"
    fi
}

modes=$*
if echo 'int main() { return 0; }' >build/c++.cpp &&
   $CXX build/c++.cpp -o build/c++ 2>/dev/null; then
    $MAKE -s -j2 build/test-c++ build/test-c++-and-c || failed=$((failed + 1))
    modes="$modes c++ c++-and-c"
else
    echo "skipped: the two C++ modes (no C++ compiler; Debian package g++)"
fi
for mode in $modes; do                      # all at once, then one by one
    build/test-$mode tests/murmur3.tsv >build/test-$mode.out 2>&1 &
done
CC="$CC" sh tests/command.sh build/bloom >build/test-command.out 2>&1 &
wait
for mode in $modes command; do
    add "$mode" "$(cat "build/test-$mode.out")"
done

# README's first program is examples/first.c, and prints what it says
readme_program() {
    awk '/^```c$/ { on = 1; next } /^```$/ { if (on) exit } on' README.md |
        cmp -s - examples/first.c
}
first_prints() {
    said=$(sed -n 's/^       \(apple.*\)/\1/p; s/^       \(pear.*in\).*/\1/p' \
           examples/first.c)
    [ "$(build/first)" = "$said" ]
}
check "README.md shows examples/first.c" readme_program
check "examples/first.c prints what it says" first_prints

# Every symbol begins with bloom_; calloc, free and memset are all it asks for,
# memcpy where a compiler copies by it, and on x86-64 libgcc's __cpu_model
public_names() {
    ! nm -g build/bloom.o | awk 'NF == 3 { print $3 }' | grep -v '^_*bloom_'
}
wanted_names() {
    ! nm -g build/bloom.o | awk 'NF == 2 { print $2 }' |
        grep -v -e '^_*calloc$' -e '^_*free$' -e '^_*memset$' \
                -e '^_*memcpy$' -e '^___*cpu_' \
                -e '^_*stack_chk' -e '^_*asan' -e '^_*ubsan' -e TABLE_
}
no_data() {
    ! nm build/bloom.o | grep -i ' [bdc] '
}
late() {
    printf '#include "bloom.h"\n#define %s\n#include "bloom.h"\n' "$1" \
        >build/late.c
    ! $CC -I. -c build/late.c -o build/late.o 2>/dev/null
}
one_sided_malloc() {
    ! $CC -DBLOOM_IMPLEMENTATION '-DBLOOM_MALLOC(n)=0' -x c -c bloom.h \
        -o build/late.o 2>/dev/null
}
if command -v nm >/dev/null; then
    check "public names begin with bloom_" public_names
    check "no name from outside but calloc, free, memset, memcpy" wanted_names
    check "no variables" no_data
else
    echo "skipped: three checks of symbols (no nm; Debian package binutils)"
fi
check "BLOOM_STATIC set late is an error" late BLOOM_STATIC
check "BLOOM_TINY set late is an error" late BLOOM_TINY
check "BLOOM_MALLOC without BLOOM_FREE is an error" one_sided_malloc

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
