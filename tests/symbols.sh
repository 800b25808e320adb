# Tests how bloom.h and its companions are compiled and linked: which names they
# export, which functions of libc they need, and which wrong options are errors.
# Part of `make symbols`; ends with "N passed, N failed".
# usage: CC=.. symbols.sh     needs build/bloom.o
. tests/helpers.sh
each_must_end
CC=${CC:-cc}

# The compiler's own functions: 64-bit division and position-independent code on
# 32-bit machines; floating point in tcc, which also copies structs by memmove
own='-e ^__u*div -e ^__u*mod -e ^__x86[.]get_pc_thunk -e ^__aeabi_'
! echo __TINYC__ | $CC -E - | grep -qx __TINYC__ &&
    own="$own -e ^__fixuns -e ^__floatun -e ^memmove\$"

# Every public symbol begins with bloom_. The object needs only calloc, free,
# memset, memcpy (where a compiler copies structs by it) and, on x86-64,
# libgcc's __cpu_model.
public_names() {
    ! nm -g build/bloom.o | awk 'NF == 3 { print $3 }' |
        grep -v -e '^_*bloom_' $own
}
wanted_names() {
    ! nm -g build/bloom.o | awk 'NF == 2 { print $2 }' |
        grep -v -e '^_*calloc$' -e '^_*free$' -e '^_*memset$' \
                -e '^_*memcpy$' -e '^___*cpu_' \
                -e '^_*stack_chk' -e '^_*asan' -e '^_*ubsan' -e TABLE_ $own
}
# no_data FILE: the object has no variables. tcc puts constants among them, so
# the check is skipped if a file with a mere constant fails it.
no_data() {
    ! nm "$1" | grep -i ' [bdc] '
}
# A kernel may use general registers only: neither vectors nor the test for AVX2.
SCALAR='-mgeneral-regs-only -O2 -DBLOOM_NO_FLOAT -DBLOOM_NO_MALLOC'
no_vectors() {
    $CC $SCALAR -DBLOOM_IMPLEMENTATION -x c -S bloom.h -o build/scalar.s &&
        ! grep -E '%[xyz]mm|__cpu_' build/scalar.s
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
# links MAIN-FLAGS BLOOM-FLAGS: a program of two files, of which the second one has
# BLOOM_IMPLEMENTATION. If only one of them has BLOOM_ATOMIC, keys could be lost,
# so the program must not link, whatever sections the linker drops.
links() {
    printf '#include "bloom.h"\nint main(void) { return !bloom_new(9, 0.1); }\n' \
        >build/atomic.c
    $CC $1 -ffunction-sections -I. build/atomic.c -c -o build/atomic-main.o &&
        $CC $2 -DBLOOM_IMPLEMENTATION -I. -x c -c bloom.h \
            -o build/atomic-bloom.o &&
        $CC -Wl,--gc-sections build/atomic-main.o build/atomic-bloom.o \
            -o build/atomic 2>build/atomic.err
}
refuses_to_link() { ! links "$1" "$2"; }
names_atomic() { refuses_to_link "$1" "$2" && grep -q BLOOM_ATOMIC build/atomic.err; }
# Two copies of bloom.h with prefixes of their own, and a stand-in for a library
# that has functions of the same names, are one program.
namespaces() {
    mkdir -p build/names
    for prefix in one_ two_; do
        printf '#define BLOOM_NAMESPACE %s\n#define BLOOM_IMPLEMENTATION\n' \
            $prefix
        printf '#include "bloom.h"\nextern int %s(void);\nint %s(void) {' \
            ${prefix}main ${prefix}main
        printf ' bloom *b = bloom_new(9, 0.1); int new = b && bloom_add_u64(b, 1);'
        printf ' bloom_free(b); return new; }\n'
    done | awk '/NAMESPACE/ { n++ } { print >("build/names/" n ".c") }'
    printf '%s\n' 'int one_main(void), two_main(void);' \
        'int bloom_init(void *b); int bloom_init(void *b) { return b != 0; }' \
        'int main(void) { return !(one_main() && two_main() && bloom_init("")); }' \
        >build/names/main.c
    $CC -I. build/names/*.c -o build/names/main && build/names/main
}
# A stand-in for a library whose bloom.h has the same names, made of bloom.h: one
# file needs both headers. The names after #undef are that library's.
stand_in() {
    cat >build/stand_in.c <<'LINES'
struct bloom { void *filter; };                 /* the other header */
int bloom_init(struct bloom *b, int n, double p);
int bloom_add(struct bloom *b, const void *key, int size);
#define BLOOM_NAMESPACE my_
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
#undef bloom
#undef bloom_init
#undef bloom_add
int bloom_init(struct bloom *b, int n, double p)
{
    b->filter = bloom_new((uint64_t)n, p);
    return !b->filter;
}
int bloom_add(struct bloom *b, const void *key, int size)
{
    return !my_bloom_add((my_bloom *)b->filter, key, (size_t)size);
}
int main(void)
{
    struct bloom b;
    return bloom_init(&b, 10, 0.01) || bloom_add(&b, "x", 1)
        || !bloom_add(&b, "x", 1);
}
LINES
    $CC -I. build/stand_in.c -o build/stand_in && build/stand_in
}
# all_names HEADER: its block of names lacks no function: each has the prefix.
all_names() {
    $CC -DBLOOM_NAMESPACE=prefix_ -DBLOOM_API=extern -DBLOOM_IMPLEMENTATION \
        -I. -x c -c "$1" -o build/names.o &&
        ! nm -g build/names.o | awk 'NF == 3 { print $3 }' |
            grep -v -e '^_*prefix_bloom_' $own
}
# compiles LINE...: the lines are a file that compiles
compiles() {
    printf '%s\n' "$@" >build/lines.c
    $CC -I. -Iexamples/companions -c build/lines.c -o build/lines.o 2>build/lines.err
}
# refused LINE...: the preprocessor stops at an #error in these lines.
refused() {
    printf '%s\n' "$@" >build/lines.c
    ! $CC -E -I. -Iexamples/companions build/lines.c >build/lines.i 2>build/lines.err
}
# flash HEADER: its code is refused if lookups read flash, whatever comes first,
# but other files may include its declarations.
flash() {
    flash='#define BLOOM_READ_BYTE(p) (*(p))' code='#define BLOOM_IMPLEMENTATION'
    refused "$flash" "$code" "#include \"$1\"" &&
        grep -q "$1.*BLOOM_READ_BYTE" build/lines.err &&
        refused "$flash" "$code" '#include "bloom.h"' "#include \"$1\"" &&
        refused "$flash" '#define BLOOM_STATIC' '#include "bloom.h"' \
            "#include \"$1\"" &&
        compiles "$flash" "#include \"$1\""
}
# late_atomic HEADER: BLOOM_ATOMIC after bloom.h is an error here, too.
late_atomic() {
    refused '#include "bloom.h"' '#define BLOOM_ATOMIC' "#include \"$1\"" &&
        grep -q 'BLOOM_ATOMIC before the first' build/lines.err
}
# later HEADER: its code may follow an #include that only declares.
later() {
    compiles "#include \"$1\"" '#define BLOOM_IMPLEMENTATION' "#include \"$1\"" \
        "#include \"$1\"" &&
        nm -g build/lines.o | grep -q "T _*${1%.h}_" &&
        nm -g build/lines.o | grep -q 'T _*bloom_add$'
}
# A program whose implementation lacks a companion does not link, and the linker
# names the companion's function. With it, the program runs.
two_files() {
    printf '%s\n' '#include "bloom_window.h"' 'int main(void) {' \
        'bloom_window *w = bloom_window_new(9, 0.1, 2, BLOOM_CLASSIC);' \
        'int new = bloom_window_add_u64(w, 1); bloom_window_free(w);' \
        'return !new; }' >build/two.c
    $CC -I. -Iexamples/companions -c build/two.c -o build/two.o &&
        compiles '#define BLOOM_IMPLEMENTATION' '#include "bloom.h"' &&
        ! $CC build/two.o build/lines.o -o build/two 2>build/two.err &&
        grep -q bloom_window_new build/two.err &&
        compiles '#define BLOOM_IMPLEMENTATION' '#include "bloom_window.h"' &&
        $CC build/two.o build/lines.o -o build/two && build/two
}
# A companion that finds another library's bloom.h says so in its first error.
names_another_bloom() {
    mkdir -p build/another
    echo 'struct bloom { int entries; };' >build/another/bloom.h
    cp "examples/companions/$1" build/another
    ! $CC -c -x c "build/another/$1" -o build/late.o 2>build/another.err &&
        grep -m 1 'error' build/another.err |
            grep -q "$1 needs the bloom.h of its own version, but"
}
# A companion beside another library's bloom.h serves a file that has included
# ours by another path.
another_path() {        # another_path COMPANION OPTION
    printf '#error another bloom.h\n' >build/another/bloom.h
    printf '#define _POSIX_C_SOURCE 200809L\n#define %s\n#include "%s"\n%s\n' \
        "$2" "$PWD/bloom.h" "#include \"$1\"" >build/another/path.c
    $CC -E build/another/path.c >build/late.i
}
for companion in bloom_chain.h bloom_window.h bloom_slices.h \
    bloom_keyed.h bloom_file.h; do
    check "$companion beside another bloom.h is an error that says so" \
        names_another_bloom $companion
    check "$companion refuses BLOOM_READ_BYTE in any order" flash $companion
    check "$companion refuses BLOOM_ATOMIC after bloom.h" late_atomic $companion
    for option in BLOOM_IMPLEMENTATION BLOOM_STATIC BLOOM_H_IS_ENOUGH; do
        check "$companion beside another bloom.h, after ours: $option" \
            another_path $companion $option
    done
done
check "the linker names what the implementation lacks" two_files
if command -v nm >/dev/null; then
    check "public names begin with bloom_" public_names
    for header in bloom.h examples/companions/*.h; do
        check "all functions of $header have the prefix" all_names $header
    done
    for header in bloom_window.h bloom_slices.h bloom_keyed.h bloom_chain.h \
        bloom_file.h; do
        check "$header: code after declarations" later $header
    done
    check "bloom.h needs only calloc, free, memset, memcpy" wanted_names
    echo 'int f(int i) { static const int t[2] = { 1, 2 }; return t[i]; }' \
        >build/data.c
    $CC -c build/data.c -o build/data.o
    if no_data build/data.o >build/data.out; then
        check "bloom.h has no variables" no_data build/bloom.o
    else
        echo "skipped: no variables ($CC puts constants among them)"
    fi
else
    echo "skipped: three checks of symbols (no nm; Debian package binutils)"
fi
if $CC -mgeneral-regs-only -x c -S - -o build/scalar.s </dev/null 2>/dev/null
then
    check "-mgeneral-regs-only: no vector registers" no_vectors
else
    echo "skipped: -mgeneral-regs-only ($CC does not have it)"
fi
check "BLOOM_STATIC after the first #include is an error" late BLOOM_STATIC
check "BLOOM_TINY after the first #include is an error" late BLOOM_TINY
check "BLOOM_ATOMIC after the first #include is an error" late BLOOM_ATOMIC
check "BLOOM_NAMESPACE after the first #include is an error" \
    late 'BLOOM_NAMESPACE x_'
check "BLOOM_MALLOC without BLOOM_FREE is an error" one_sided_malloc
check "two copies with BLOOM_NAMESPACE and another bloom_init link" namespaces
check "a file that needs another library's bloom_init and ours" stand_in
if echo __GCC_ATOMIC_CHAR_LOCK_FREE | $CC -E - 2>/dev/null | grep -qx 2; then
    check "BLOOM_ATOMIC in both files links" links -DBLOOM_ATOMIC -DBLOOM_ATOMIC
    check "BLOOM_ATOMIC in the program alone is a linker error that names it" \
        names_atomic -DBLOOM_ATOMIC ''
    check "BLOOM_ATOMIC in the implementation alone does not link" \
        refuses_to_link '' -DBLOOM_ATOMIC
fi

counted
