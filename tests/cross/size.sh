# `make size` runs this script. It measures what bloom.h needs on small chips,
# and compares that with the promised limits below. Flash and static RAM are
# those of a linked program, with all that the linker added, less those of an
# empty program. Stack and time are measured in an emulator. It writes
# build/size.md, and ends with "N passed, N failed". A failure means that
# bloom.h has become larger than promised. ALL=1 adds the ESP8266 and RISC-V.
cd "$(dirname "$0")/../.." || exit 1
out=build/size
mkdir -p "$out"
. tests/helpers.sh

need arm-none-eabi-gcc 'gcc-arm-none-eabi libnewlib-arm-none-eabi'
need qemu-system-arm qemu-system-arm
need avr-gcc 'gcc-avr avr-libc'
need simavr simavr
if [ -n "$ALL" ]; then
    need xtensa-lx106-elf-gcc 'gcc-xtensa-lx106 picolibc-xtensa-lx106-elf'
    need riscv64-unknown-elf-gcc \
        'gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf'
    need qemu-system-xtensa qemu-system-misc
fi
enough

FLAGS='-std=c99 -Os -Wall -Wextra -ffunction-sections -fdata-sections
       -Wl,--gc-sections -I.'
PLAIN='-nostartfiles -Wl,-e,_start'

# chip NAME: sets tool and cc; linked, what a program needs that is only linked;
# and runs, what a program needs that is run. An ESP8266, whose core is the
# LX106, has the 64-bit multiplication in ROM, so it is not counted.
chip() {
    chip=$1
    linked=$PLAIN
    case $1 in
    avr) tool=avr cc='avr-gcc -mmcu=atmega2560' linked=
        runs=tests/cross/avr.c ;;
    m0 | m4)
        tool=arm-none-eabi cc="arm-none-eabi-gcc -mthumb -mcpu=cortex-$1"
        linked="$PLAIN --specs=nosys.specs"
        runs='-nostartfiles --specs=rdimon.specs -T tests/cross/cortex_m.ld
            -Wl,--defsym=ROM_SIZE=4M,--defsym=RAM_SIZE=4M
            tests/cross/cortex_m.c' ;;
    lx106)
        tool=xtensa-lx106-elf
        cc='xtensa-lx106-elf-gcc -mtext-section-literals'
        linked="$PLAIN -Wl,--defsym=__muldi3=_start"
        runs='-nostartfiles -Wl,-e,reset,-Ttext=0x50001000
            -Wl,--section-start=.begin=0x50000000 tests/cross/xtensa.c' ;;
    rv32)
        tool=riscv64-unknown-elf
        cc='riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32
            --specs=picolibc.specs'
        runs='--crt0=hosted --oslib=semihost
            -Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=4M
            -Wl,--defsym=__ram=0x80400000,--defsym=__ram_size=4M' ;;
    esac
}

# bloom.h as an object of its own, where size.c does not contain it
printf '%s\n' '#ifdef SIZE_OBJECT' '#define BLOOM_IMPLEMENTATION' '#endif' \
    '#include "bloom.h"' >"$out/library.c"
PARTS="tests/cross/size.c tests/cross/size_main.c $out/library.c"

# link PROGRAM FILES-AND-FLAGS...: makes $out/PROGRAM
link() {
    program=$out/$1
    shift
    $cc $FLAGS "$@" -o "$program" 2>"$program.log" && return
    cat "$program.log"
    exit 1
}

# sections PROGRAM: prints "FLASH RAM". On an AVR, constants are in .data, which
# takes both. The other chips have sections for them.
sections() {
    $tool-size -A "$1" | awk '
        $1 ~ /^\.(text|s?rodata|s?data|ARM\.exidx)$/ { flash += $2 }
        $1 ~ /^\.s?(data|bss)$/ { ram += $2 }
        END { print flash + 0, ram + 0 }'
}

# flash USE FLAGS...: sets flash and ram
empty=          # the chip and flags of the program "empty"
flash() {
    use=$1
    shift
    [ "$empty" = "$chip $*" ] || link empty -DUSE=0 "$@" $PARTS $linked
    empty="$chip $*"
    link user -DUSE="$use" "$@" $PARTS $linked
    set -- $(sections "$out/empty") $(sections "$out/user")
    flash=$(($3 - $1)) ram=$(($4 - $2))
}

# Programs for an M0 run on an M3, as only instructions are counted.
run() {
    qemu='-monitor none -serial none -icount shift=0 -semihosting -kernel'
    case $chip in
    avr) simavr -m atmega2560 -f 16000000 "$1" 2>&1 >/dev/null |
            sed "s/$(printf '\033')\[[0-9;]*m//g; s/\.\$//" ;;
    lx106) qemu-system-xtensa -M sim -cpu lx106 -nographic $qemu "$1" ;;
    rv32) qemu-system-riscv32 -M virt -bios none -display none $qemu "$1" \
            2>&1 ;;
    m0) qemu-system-arm -M mps2-an385 -nographic $qemu "$1" ;;
    m4) qemu-system-arm -M mps2-an386 -nographic $qemu "$1" ;;
    esac
}

# measure USE FLAGS...: runs stack_and_time.c
measure() {
    use=$1
    shift
    link run -DUSE="$use" "$@" tests/cross/size.c \
        tests/cross/stack_and_time.c "$out/library.c" $runs
    run "$out/run"
}
stack_of() { measure "$@" | awk '$1 == "stack" { print $2 }'; }
time_of() { measure "$@" | awk '$1 == "time" { print $2, $3 }'; }

# at_most WHAT VALUE LIMIT: checks a promised limit
at_most() {
    if [ "$2" -le "$3" ]; then
        ok
        echo "met      $1: $2 <= $3"
    else
        bad "NOT MET  $1: $2 > $3"
    fi
}

# row CHIP NAME BUILD FLAGS...: measures one build on one chip, and checks it
# against $lookup_most, $fill_most and $stack_most. Empty ones are not promised.
row() {
    chip "$1"
    name=$2 build=$3
    shift 3
    flash 1 "$@"; lookup=$flash lookup_ram=$ram
    flash 4 "$@"; constant=$flash
    flash 5 "$@"; two=$flash
    flash 2 "$@"; fill=$flash fill_ram=$ram
    lookup_stack=$(stack_of 1 "$@")
    fill_stack=$(stack_of 2 "$@")
    set -- $(time_of 3 "$@") $(time_of 0 "$@")
    echo "| $name | $build | $lookup | $lookup_stack | $constant |" \
        "$fill | $fill_stack | $two | $fill_ram | $(($1 - $3)) | $(($2 - $4)) |" >>"$out/rows"
    what="$name, $build"
    [ -z "$lookup_most" ] ||
        at_most "$what, bytes of view, may_contain" $lookup $lookup_most
    [ -z "$fill_most" ] ||
        at_most "$what, bytes of init, add, may_contain" $fill $fill_most
    [ -z "$constant_most" ] ||
        at_most "$what, bytes if the compiler knows the image" $constant \
            $constant_most
    [ -z "$two_most" ] ||
        at_most "$what, bytes of init, add, may_contain for two filters" $two \
            $two_most
    [ -z "$stack_most" ] ||
        at_most "$what, bytes of stack" $((lookup_stack > fill_stack ?
                                  lookup_stack : fill_stack)) $stack_most
    [ -z "$stack_most" ] || at_most "$what, bytes of static RAM" \
        $((lookup_ram > fill_ram ? lookup_ram : fill_ram)) 0
}

: >"$out/rows"
stack_most=136
lookup_most=420 fill_most=500 constant_most=280 two_most=760
row m0 Cortex-M0 TINY -DBLOOM_TINY
lookup_most=336 fill_most=436 constant_most=200 two_most=690
row m4 Cortex-M4 TINY -DBLOOM_TINY
lookup_most=1100 fill_most=1340 constant_most=650 two_most=1700
row avr ATmega2560 TINY -DBLOOM_TINY
lookup_most=540 fill_most=712 constant_most=296 two_most=984
[ -z "$ALL" ] || row lx106 'Xtensa LX106' TINY -DBLOOM_TINY
lookup_most=472 fill_most=632 constant_most=280 two_most=880
[ -z "$ALL" ] || row rv32 'RISC-V rv32imc' TINY -DBLOOM_TINY
lookup_most= fill_most= stack_most= constant_most= two_most=
all='-DBLOOM_NO_MALLOC -DBLOOM_NO_FLOAT'
row m0 Cortex-M0 'all layouts' $all
fill_most=1834 row m4 Cortex-M4 'all layouts' $all
memset=$(arm-none-eabi-nm -S "$out/user" | awk '$4 == "memset" { print $2 }')
fill_most= row avr ATmega2560 'all layouts' $all
[ -z "$ALL" ] || row lx106 'Xtensa LX106' 'all layouts' $all
[ -z "$ALL" ] || row rv32 'RISC-V rv32imc' 'all layouts' $all
row m0 Cortex-M0 'TINY, own object' -DBLOOM_TINY -DSIZE_OBJECT
row m4 Cortex-M4 'TINY, own object' -DBLOOM_TINY -DSIZE_OBJECT
row avr ATmega2560 'TINY, own object' -DBLOOM_TINY -DSIZE_OBJECT

chip avr
flash 1 -DBLOOM_TINY -DSIZE_IN_FLASH

{
    echo "| chip | build | view, may_contain: flash | stack |" \
        "the same of a constant array: flash |" \
        "init, add, may_contain: flash | stack | two filters: flash |" \
        "static RAM | lookup of a present key | absent key |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|"
    cat "$out/rows"
    echo
    echo "Bytes, with every function that the linker adds (except the" \
        "LX106's 64-bit multiplication, which an ESP8266 has in ROM)."
    for tool in arm-none-eabi avr xtensa-lx106-elf riscv64-unknown-elf; do
        ! command -v $tool-gcc >/dev/null ||
            echo "$tool-gcc $($tool-gcc -dumpversion),"
    done
    echo "-Os. 'All layouts' is built with BLOOM_NO_MALLOC and" \
        "BLOOM_NO_FLOAT, and has both hash widths. All rows but the last" \
        "three use BLOOM_STATIC. Lookups are of 8-byte keys with k = 7, in" \
        "cycles on the ATmega2560, else in instructions. With an image in" \
        "flash (BLOOM_READ_BYTE), view and may_contain take $flash bytes on" \
        "the ATmega2560."
    [ -z "$memset" ] || echo "$(printf '%d' "0x$memset") of these bytes are" \
        "libc's memset, in the row of all layouts on a Cortex-M4."
} >build/size.md
cat build/size.md
counted
