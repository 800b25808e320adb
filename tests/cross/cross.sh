# `make cross` runs this script. It tests bloom.h on other machines, most of
# them emulated: the promises of ../test.c, golden images (the bytes of filters
# must be those of the host) and the programs of CHIPS. All tests of ../unit/
# run on a big-endian machine (s390x), on one of 32 bits (i686), on one of 8 bits
# (AVR), and on chips whose memory is too small for test.c. By default there is one
# machine of each kind. ALL=1 adds the others, runs all tests on each machine, and
# more modes.
# Some targets are compiled only.
# It prints a line for each target, and ends with the sum, "N passed, N failed".
# If the tools of a target are missing, the target has failed, and their Debian
# packages are named.
# usage: [JOBS=1] [ALL=1] [CHIPS=..] cross.sh [TARGET...]
#   JOBS     how many targets at the same time
#   CHIPS    programs for chips, each FILE.c or FILE.c:SYMBOL. Its first comment
#            says what it prints; SYMBOL must be in ROM
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers.sh
ulimit -c 0
out=$PWD/build/cross
# The longest come first; those joined by a comma run one after the other.
TARGETS='s390x avr i686 aarch64 cortex-m0 win64 wasm-simd native native-clang ubsan
     strict msvc'
[ -z "$ALL" ] || TARGETS='cortex-m0 cortex-m3 cortex-m4 avr lx106 riscv32 aarch64
     armv7 riscv64 s390x sparc64 mips mips-n32 i686 win64,win32 wasm wasm-simd
     wasm-bare tcc native native-clang ubsan strict msvc zig'

# ---- Targets ----------------------------------------------------------------
# target sets these variables:
#   cc, files   the compiler with its flags; files that each program needs
#   run, by     the function that runs a program; its name in the output
#   builds      modes of bloom.h, of ../modes.txt; more: only with ALL=1
#   tests_of    the test program: test.c, or unit/all.c
#   checks      tests, images, chips, unaligned, companions
#   packages    the Debian packages that the target needs

arm='-mthumb -Os -ffunction-sections -nostartfiles --specs=rdimon.specs
     -T tests/cross/cortex_m.ld -Wl,--gc-sections'
mps2='-Wl,--defsym=ROM_SIZE=4M,--defsym=RAM_SIZE=4M'
avr='-mmcu=atmega2560 -Os -ffunction-sections -fno-inline-functions-called-once
     -Wl,--gc-sections'
lx106='-Os -ffunction-sections -mtext-section-literals -nostartfiles
       -Wl,--gc-sections,-e,reset,-Ttext=0x50001000
       -Wl,--section-start=.begin=0x50000000
       -Wl,--defsym=__heap_start=0x60000000,--defsym=__heap_end=0x60100000'
riscv32='-march=rv32imc -mabi=ilp32 --specs=picolibc.specs --crt0=hosted
         --oslib=semihost -Os -ffunction-sections -Wl,--gc-sections
         -Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=4M
         -Wl,--defsym=__ram=0x80400000,--defsym=__ram_size=4M
         -Wl,--defsym=__stack_size=16K'

target() {
    files='' run=run_user by=directly builds=separate more=tiny checks='tests images'
    tests_of=tests/test.c
    case $1 in
    cortex-m0) board arm-none-eabi-gcc microbit "-mcpu=cortex-m0 -DTEST_SMALL
            -Wl,--defsym=ROM_SIZE=256K,--defsym=RAM_SIZE=16K"
        tests_of=tests/unit/all.c builds='bare tiny'
        checks="$checks unaligned" ;;
    cortex-m3) board arm-none-eabi-gcc mps2-an385 "-mcpu=cortex-m3 $mps2" ;;
    cortex-m4) board arm-none-eabi-gcc mps2-an386 "-mcpu=cortex-m4 $mps2" ;;
    avr) cc="avr-gcc $avr -DTEST_SMALL" run=run_avr by='simavr atmega2560'
        files=tests/cross/avr.c tests_of=tests/unit/all.c builds='bare tiny'
        checks="$checks chips" packages='gcc-avr avr-libc simavr' ;;
    lx106)      # the core of the ESP8266
        cc="xtensa-lx106-elf-gcc $lx106 -DTEST_SMALL" files=tests/cross/xtensa.c
        run=run_lx106 by='qemu sim' tests_of=tests/unit/all.c builds='bare tiny'
        checks="$checks chips unaligned" packages='gcc-xtensa-lx106
            picolibc-xtensa-lx106-elf qemu-system-misc' ;;
    riscv32)    # ESP32-C3
        cc="riscv64-unknown-elf-gcc $riscv32" run=run_riscv32 by='qemu virt'
        builds='integer tiny' checks="$checks chips"
        packages='gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf
            qemu-system-misc' ;;
    aarch64) linux aarch64-linux-gnu qemu-aarch64 arm64 ;;
    armv7) linux arm-linux-gnueabihf qemu-arm armhf ;;
    riscv64)    # these paths: clang would use the newest gcc, maybe riscv32's
        linux riscv64-linux-gnu qemu-riscv64 riscv64
        libc=/usr/riscv64-linux-gnu
        libgcc=$(last /usr/lib/gcc-cross/riscv64-linux-gnu/*)
        cc="$cc -isystem $libc/include -B $libgcc -L $libgcc -B $libc/lib
            -L $libc/lib" ;;
    s390x) linux s390x-linux-gnu qemu-s390x s390x
        tests_of=tests/unit/all.c builds='separate tiny atomic'
        # With plans, rates and chains, twice the time. The order of bytes matters
        # in chains only, and golden.c has these.
        [ -n "$ALL" ] || cc="$cc -DTEST_CALLS" ;;
    sparc64) linux sparc64-linux-gnu qemu-sparc64 sparc64
        builds=integer checks="$checks unaligned" ;;
    mips) linux mips-linux-gnu qemu-mips mips
        more='tiny atomic' checks="$checks unaligned" ;;
    mips-n32)   # 64-bit registers and a 32-bit size_t, like x32, which few
                # kernels support
        linux mips64-linux-gnuabin32 qemu-mipsn32 mips
        n32=$(last /usr/lib/gcc-cross/mips-linux-gnu/*)/n32
        libc=/usr/mips-linux-gnu
        cc="$cc -isystem $libc/include -B $n32 -L $n32 -B $libc/lib32
            -L $libc/lib32 --ld-path=/usr/bin/mips-linux-gnu-ld"
        checks="$checks unaligned" packages="clang binutils-mips-linux-gnu
            $(newest 'libn32gcc-*-dev-mips-cross') libc6-dev-mipsn32-mips-cross
            qemu-user"
        ;;
    i686) cc='gcc -m32 -O2' tests_of=tests/unit/all.c
        packages='gcc-multilib qemu-user'
        # Plans, rates and chains take minutes with an emulated x87
        runs_32_bits || { cc="$cc -DTEST_CALLS"
            run='run_user qemu-i386' by=qemu-i386; } ;;
    win64) windows x86_64-w64-mingw32-gcc
        packages='gcc-mingw-w64-x86-64-win32 wine64 wine' ;;
    win32) windows i686-w64-mingw32-gcc
        packages='gcc-mingw-w64-i686-win32 wine32:i386' ;;
    wasm) cc='clang --target=wasm32-wasi -O2' run=run_wasm by=node
        packages='clang lld wasi-libc libclang-rt-dev-wasm32 nodejs' ;;
    wasm-simd) cc='clang --target=wasm32-wasi -Os -msimd128' run=run_wasm
        by=node packages='clang lld wasi-libc libclang-rt-dev-wasm32
            nodejs' ;;
    wasm-bare) cc='clang --target=wasm32 -ffreestanding -O2 -nostdlib
            -mbulk-memory -DGOLDEN_WASM -Wl,--no-entry,--export=main'
        run='run_wasm --bare' by=node builds='bare tiny' checks=images
        packages='clang lld nodejs' ;;
    tcc) cc=tcc packages='tcc libc6-dev' ;;
    native) cc='gcc -O3 -march=native'      # SIMD without a test of the CPU
        more=atomic checks="$checks companions"
        packages='gcc libc6-dev' ;;
    native-clang) cc='clang -O3 -march=native'
        more=atomic packages='clang libc6-dev'
        [ -z "$ALL" ] || checks="$checks companions" ;;
    ubsan) cc='gcc -O1 -fsanitize=undefined,alignment
            -fno-sanitize-recover=all'
        checks="$checks chips unaligned" packages='gcc libc6-dev' ;;
    *) echo "cross: $1: no such target"; exit 2 ;;
    esac
}

board() {       # board COMPILER MACHINE FLAGS
    cc="$1 $arm $3" files=tests/cross/cortex_m.c run="run_board $2"
    by="qemu $2" builds='integer tiny' checks='tests images chips'
    packages='gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm'
}
linux() {       # linux TRIPLE EMULATOR DEBIAN-NAME; Debian's gcc for these
                # machines cannot be installed beside gcc-multilib
    cc="clang --target=$1 -O2 -static" run="run_user $2" by=$2
    packages="clang binutils-$1 $(newest "libgcc-*-dev-$3-cross")
              libc6-dev-$3-cross qemu-user"
}
last() {        # last FILE...: the one with the highest version
    printf '%s\n' "$@" | sort -V | tail -n 1
}
windows() {     # windows COMPILER
    cc="$1 -O2" run=run_wine by=wine
}

# The last argument of each function is the program. The others come from `run`.
# A program that does not end is a failure.
run_user() { timeout $patience "$@"; }
run_board() {
    timeout $patience qemu-system-arm -M "$1" -nographic -monitor none -serial none \
        -semihosting -kernel "$2"
}
run_lx106() {
    timeout $patience qemu-system-xtensa -M sim -cpu lx106 -nographic -monitor none \
        -serial none -semihosting -kernel "$1"
}
run_riscv32() {
    timeout $patience qemu-system-riscv32 -M virt -bios none -display none \
        -monitor none -serial none -chardev stdio,id=out \
        -semihosting-config enable=on,chardev=out -kernel "$1"
}
run_avr() {     # simavr prints the serial port to stderr, in colour
    command -v simavr >/dev/null || return
    timeout $patience simavr -m atmega2560 -f 16000000 "$1" 2>&1 >/dev/null |
        sed "s/$(printf '\033')\[[0-9;]*m//g; s/\.\$//"
}
run_wasm() {
    for program; do :; done
    [ "$1" = --bare ] || set --
    timeout $patience node --no-warnings tests/cross/wasm.mjs "$program" "$@"
}
# A 64-bit Wine can run 32-bit programs if it finds the DLLs of libwine:i386.
run_wine() {
    command -v wine >/dev/null || return
    WINEPREFIX=$out/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' \
    WINEDLLPATH=${WINEDLLPATH:-/usr/lib/i386-linux-gnu/wine} \
        timeout $patience wine "$1" | tr -d '\r'
}

# The flags of a mode
options() { (mode "$1" && echo "-include tests/unit/hooks.h $options"); }
# Filters the lines of the golden images that a mode prints
images_of() {
    case $(options "$1") in
    *TINY*) grep -e '^plan ints' -e '^classic 32' -e '^window 32' -e '^slices 32' \
        -e '^keyed' ;;
    *NO_FLOAT*)
        if [ "$name" = avr ]; then
            grep -v -e '^plan real' -e '^chain' -e '^slices'
        else
            grep -v -e '^plan real' -e '^chain'
        fi ;;
    *) cat ;;
    esac
}

# ---- Checks -----------------------------------------------------------------

# compile SOURCE NAME FLAGS...: makes $dir/NAME.exe
compile() {
    source=$1 program=$dir/$2.exe
    shift 2
    $cc -std=c99 -Wall -Wextra -pedantic -I. "$@" "$source" $files \
        -o "$program" >"$program.log" 2>&1 && return
    echo "$name: $source does not compile:"
    tail -n 3 "$program.log"
    return 1
}

# Can a program be built and run? This one needs no library.
ready() {
    echo 'int main(void) { return 0; }' >"$dir/ready.c"
    compile "$dir/ready.c" ready >/dev/null && $run "$dir/ready.exe" \
        >"$dir/ready.txt" 2>&1
}

# The first mode runs all that the target runs, the others run test.c. A chip with
# too little memory for that runs unit/ in each, as does each machine with ALL=1.
run_tests() {
    source=tests/test.c
    case "$ALL $cc $1" in
    1* | *TEST_SMALL* | *separate) source=$tests_of ;;
    esac
    count_tests $source "$1" -DBLOOM_STATIC $(options "$1")
}

count_tests() {         # count_tests SOURCE NAME FLAGS...: one test program
    source=$1 test=$2
    shift 2
    compile "$source" "tests-$test" "$@" &&
        $run "$dir/tests-$test.exe" >"$dir/tests-$test.txt" 2>&1
    sum=$(grep '^[0-9]* passed, [0-9]* failed' "$dir/tests-$test.txt" 2>/dev/null)
    case $sum in
    '') tests_failed=$((tests_failed + 1))
        echo "$name: the tests ($test) did not end or were not built" ;;
    *) tests=$((tests + ${sum%% *}))
       sum=${sum#*, }
       tests_failed=$((tests_failed + ${sum%% *})) ;;
    esac
    case $sum in '0 failed') ;; *) tail -n 5 "$dir/tests-$test.txt" ;; esac 2>&1
}

# Compares the digests of the images and plans with the host's.
compare_images() {
    : >"$dir/golden-$1.txt"
    compile tests/cross/golden.c "golden-$1" $(options "$1") &&
        $run "$dir/golden-$1.exe" >"$dir/golden-$1.txt"
    images_of "$1" <"$out/golden.txt" >"$dir/host-$1.txt"
    other=$(diff "$dir/host-$1.txt" "$dir/golden-$1.txt" | grep '^[<>]')
    [ -z "$other" ] || echo "$other" | sed "s/^/$name ($1): differs: /; 4q"
    images=$((images + $(grep -c -x -F -f "$dir/host-$1.txt" \
        "$dir/golden-$1.txt")))
    images_failed=$((images_failed + $(printf '%s' "$other" | grep -c .)))
}

# chip_program FILE[:SYMBOL]: it prints what its comment says
chip_program() {
    source=${1%:*} symbol=${1#"${1%:*}"} example=$(basename "${1%:*}" .c)
    awk '/Prints:/ { on = 1; next } on && !/^       / { exit }
         on { sub(/ \*\/$/, ""); print substr($0, 8) }' "$source" \
        >"$dir/$example.says"
    if compile "$source" "$example" &&
       $run "$dir/$example.exe" >"$dir/$example.txt" &&
       [ -s "$dir/$example.says" ] &&
       cmp "$dir/$example.says" "$dir/$example.txt" &&
       in_rom "$dir/$example.exe" "${symbol#:}"; then
        examples=$((examples + 1))
    else
        examples_failed=$((examples_failed + 1))
        echo "$name: FAILED: $1"
    fi
}

in_rom() {
    [ -z "$2" ] || "${cc%%gcc*}nm" "$1" | grep -q " [TtRr] $2\$"
}

# On targets with the check "unaligned", this program must end with a trap.
unaligned() {
    traps=allowed
    compile tests/cross/unaligned.c unaligned || return
    $run "$dir/unaligned.exe" 2>/dev/null | grep -q 'unaligned load' ||
        traps=traps
}

# Compiles bloom.h alone, with warnings that matter on chips: 16-bit int, strict
# alignment. Then checks that it needs only memset, memcpy, and functions of the
# compiler's own library.
strict() {
    for tool in avr-gcc arm-none-eabi-gcc arm-none-eabi-nm clang; do
        command -v $tool >/dev/null ||
            echo "strict: no $tool; apt-get install gcc-avr avr-libc" \
                 "gcc-arm-none-eabi libnewlib-arm-none-eabi clang"
    done
    flags='-Werror -Wall -Wextra -pedantic -Wconversion -Wsign-conversion
           -Wshadow -Wundef -Wcast-qual -Wstrict-prototypes'
    echo '#include "bloom.h"' >"$dir/strict.c"
    only=               # some warnings need the whole compiler: the first mode
    for way in IMPLEMENTATION STATIC; do
        for mode in $(modes cross); do
            [ $mode = atomic ] && continue      # chips have no such operations
            for cc in "avr-gcc -mmcu=atmega2560 -Os -Wcast-align" \
                      "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb
                       -Wcast-align=strict"; do
                silent $flags -DBLOOM_$way $(options $mode) $only
            done
            [ -n "$ALL" ] || only=-fsyntax-only
        done
        cc='clang --target=msp430 -ffreestanding -O2 -Weverything
            -Wno-padded -Wno-declaration-after-statement'
        silent $flags -DBLOOM_$way $(options bare)
        silent $flags -DBLOOM_$way $(options tiny)
    done
    cc='arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Os -ffreestanding'
    silent -DBLOOM_IMPLEMENTATION $(options bare)
    outside=$(arm-none-eabi-nm -u "$dir/strict.o" | awk '{ print $2 }' |
              grep -v -e '^__aeabi_' -e '^memset$' -e '^memcpy$')
    if [ -n "$outside" ]; then
        echo "strict: bloom.h must not need" $outside
        tests_failed=$((tests_failed + 1))
    fi
    compiler='avr-gcc, arm-none-eabi-gcc, clang' by='not run'
}
silent() {
    if $cc -std=c99 "$@" -I. -c "$dir/strict.c" -o "$dir/strict.o"; then
        tests=$((tests + 1))
    else
        tests_failed=$((tests_failed + 1))
    fi
}

# Compilers whose programs cannot be run here
compilers() {
    sh tests/cross/compilers.sh "$1" "$dir" >"$dir/log" || cat "$dir/log"
    set -- $(tail -n 1 "$dir/log")              # N passed, N failed
    tests=${1:-0} tests_failed=${3:-1}
    compiler='clang, zig cc' by='not run'
}

# Tests one target: prints its messages, then its line.
one() {
    name=$1 dir=$out/$1
    tests=0 tests_failed=0 images=0 images_failed=0 examples=0 examples_failed=0
    traps=- compiler=''
    rm -rf "$dir"
    mkdir -p "$dir"
    case $name in
    strict) strict ;;
    msvc | zig) compilers "$name" ;;
    *) target "$name"
        if [ -n "$ALL" ]; then
            builds="$builds $more" tests_of=tests/unit/all.c
        fi
        check ;;
    esac
    row
}

check() {
    if ! ready; then
        echo "$name: cannot build and run a program; needs" $packages
        tail -n 2 "$dir/ready.exe.log" "$dir/ready.txt" 2>/dev/null
        tests_failed=1
        return
    fi
    for build in $builds; do
        case $checks in *tests*) run_tests "$build" ;; esac
        compare_images "$build"
    done
    case $checks in *chips*)
        for program in $CHIPS; do chip_program "$program"; done ;;
    esac
    case $checks in *unaligned*) unaligned ;; esac
    case $checks in *companions*)
        for program in window slices; do
            count_tests tests/unit/$program.c $program
        done ;;
    esac
    case $by in wine | qemu-*)              # these have files
        count_tests tests/cross/file.c file "-DIN=\"$dir/\"" ;;
    esac
}

row() {
    bad=$((tests_failed + images_failed + examples_failed))
    [ $traps = allowed ] && bad=$((bad + 1))
    echo "$((tests + images + examples)) $bad" >"$dir/count"
    version=$(${cc%% *} -dumpversion 2>/dev/null || ${cc%% *} -v 2>/dev/null)
    version=$(echo "$version" | sed 's/[^0-9]*\([0-9.]*\).*/\1/')
    printf "$format" "$name" "${compiler:-${cc%% *} $version}" "$by" \
        $tests $images $examples $traps
    [ $bad -eq 0 ] || echo "$name: $bad failed"
}

# ---- All targets, or the given ones -----------------------------------------

format='%-12s %-31s %-17s %5s %6s %8s %9s\n'

if [ "$1" = --one ]; then       # prints all at once, as others run meanwhile
    for name in $(echo "$2" | tr , ' '); do
        text=$(one "$name" 2>&1)
        printf '%s\n' "$text"
    done
    exit
fi

if [ "$1" = --lacks ]; then     # prints the packages of a target that are missing
    name=$2 dir=$out/$2
    mkdir -p "$dir"
    target "$2"
    ready || echo $packages
    exit
fi

mkdir -p "$out"
rm -f "$out"/*/count
${CC:-cc} -std=c99 -O2 -I. tests/cross/golden.c -o "$out/golden" &&
    "$out/golden" >"$out/golden.txt" || exit 2

printf "$format" target compiler 'run by' tests images examples unaligned
echo "${*:-$TARGETS}" | tr ' ' '\n' | grep . |
    xargs -P "${JOBS:-$(nproc)}" -n 1 sh tests/cross/cross.sh --one
WINEPREFIX=$out/wine wineserver -k 2>/dev/null
rm -rf "$out/wine"
for name in $(echo "${*:-$TARGETS}" | tr , ' '); do
    cat "$out/$name/count" 2>/dev/null || echo 0 1
done | awk '{ passed += $1; failed += $2 }
    END { printf "%d passed, %d failed\n", passed, failed; exit (failed > 0) }'
