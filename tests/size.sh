# Run by `make size`: what bloom.h takes on small chips, measured: flash and
# static RAM of a linked program less those of an empty one, with all that the
# linker pulled in; stack and time in an emulator. Writes build/size.md and
# compares with the figures that are promised; ends "N passed, N failed".
cd "$(dirname "$0")/.." || exit 1
out=build/size
mkdir -p "$out"
. tests/count.sh

need() {
    command -v "$1" >/dev/null && return
    echo "size needs $1: apt-get install $2"
    missing=1
}
missing=0
need arm-none-eabi-gcc 'gcc-arm-none-eabi libnewlib-arm-none-eabi'
need qemu-system-arm qemu-system-arm
need avr-gcc 'gcc-avr avr-libc'
need simavr simavr
[ $missing -eq 0 ] || exit 1

FLAGS='-std=c99 -Os -Wall -Wextra -ffunction-sections -fdata-sections
       -Wl,--gc-sections -I.'
AVR="avr-gcc -mmcu=atmega2560 $FLAGS"
ARM="arm-none-eabi-gcc -mthumb $FLAGS -nostartfiles"
BOARD="--specs=rdimon.specs -T tests/cross/cortex_m.ld
       -Wl,--defsym=ROM_SIZE=4M,--defsym=RAM_SIZE=4M tests/cross/cortex_m.c"

PARTS='tests/cross/size.c tests/cross/size_lib.c tests/cross/size_main.c'

# link CHIP PROGRAM FILES-AND-FLAGS...: $out/PROGRAM
link() {
    case $1 in
    avr) command="$AVR" ;;
    m0) command="$ARM -mcpu=cortex-m0" ;;
    m4) command="$ARM -mcpu=cortex-m4" ;;
    esac
    program=$out/$2
    shift 2
    $command "$@" -o "$program" 2>"$program.log" && return
    cat "$program.log"
    exit 1
}

# sections PROGRAM CHIP: "flash ram". On an AVR constants lie in .data, which
# is in both; a Cortex-M has its own section for them.
sections() {
    case $2 in avr) size=avr-size ;; *) size=arm-none-eabi-size ;; esac
    $size -A "$1" | awk '
        $1 ~ /^\.(text|rodata|data|ARM\.exidx)$/ { flash += $2 }
        $1 ~ /^\.(data|bss)$/ { ram += $2 }
        END { print flash + 0, ram + 0 }'
}

# flash CHIP USE FLAGS...: sets flash, ram
flash() {
    chip=$1 use=$2
    shift 2
    libc=
    [ "$chip" = avr ] || libc=--specs=nosys.specs
    link "$chip" empty -DUSE=0 "$@" $PARTS $libc
    link "$chip" user -DUSE="$use" "$@" $PARTS $libc
    set -- $(sections "$out/empty" "$chip") $(sections "$out/user" "$chip")
    flash=$(($3 - $1)) ram=$(($4 - $2))
}

# An M3 runs what was built for an M0: it is the instructions that count.
run() {
    case $1 in
    avr) simavr -m atmega2560 -f 16000000 "$2" 2>&1 >/dev/null |
            sed "s/$(printf '\033')\[[0-9;]*m//g; s/\.\$//" ;;
    *) board=mps2-an385
        [ "$1" = m0 ] || board=mps2-an386
        qemu-system-arm -M $board -nographic -monitor none -serial none \
            -icount shift=0 -semihosting -kernel "$2" ;;
    esac
}

# measure CHIP USE FLAGS...: what size_run.c prints
measure() {
    chip=$1 use=$2
    shift 2
    case $chip in avr) start=tests/cross/avr.c ;; *) start=$BOARD ;; esac
    link "$chip" run -DUSE="$use" "$@" tests/cross/size.c \
        tests/cross/size_lib.c tests/cross/size_run.c $start
    run "$chip" "$out/run"
}
stack_of() { measure "$@" | awk '$1 == "stack" { print $2 }'; }
time_of() { measure "$@" | awk '$1 == "time" { print $2, $3 }'; }

# at_most WHAT VALUE LIMIT: one of the figures that are promised
at_most() {
    if [ "$2" -le "$3" ]; then
        ok
        echo "met      $1: $2 <= $3"
    else
        bad "NOT MET  $1: $2 > $3"
    fi
}

# row CHIP NAME BUILD FLAGS...: both uses of one build on one chip; the limits
# are in $lookup_most, $fill_most, $stack_most, empty where none is promised
row() {
    chip=$1 name=$2 build=$3
    shift 3
    flash "$chip" 1 "$@"; lookup=$flash lookup_ram=$ram
    flash "$chip" 2 "$@"; fill=$flash fill_ram=$ram
    lookup_stack=$(stack_of "$chip" 1 "$@")
    fill_stack=$(stack_of "$chip" 2 "$@")
    set -- $(time_of "$chip" 3 "$@") $(time_of "$chip" 0 "$@")
    echo "| $name | $build | $lookup | $lookup_stack | $fill | $fill_stack |" \
        "$fill_ram | $(($1 - $3)) | $(($2 - $4)) |" >>"$out/rows"
    what="$name, $build"
    [ -z "$lookup_most" ] ||
        at_most "$what, view + may_contain: bytes" $lookup $lookup_most
    [ -z "$fill_most" ] ||
        at_most "$what, init + add + may_contain: bytes" $fill $fill_most
    [ -z "$stack_most" ] ||
        at_most "$what: stack" $((lookup_stack > fill_stack ?
                                  lookup_stack : fill_stack)) $stack_most
    [ -z "$stack_most" ] || at_most "$what: static RAM" \
        $((lookup_ram > fill_ram ? lookup_ram : fill_ram)) 0
}

: >"$out/rows"
stack_most=120
lookup_most=520 fill_most=760 row m0 Cortex-M0 TINY -DBLOOM_TINY
lookup_most=440 fill_most=680 row m4 Cortex-M4 TINY -DBLOOM_TINY
lookup_most=1400 fill_most=2000 row avr ATmega2560 TINY -DBLOOM_TINY
lookup_most= fill_most= stack_most=
all='-DBLOOM_NO_MALLOC -DBLOOM_NO_FLOAT'
row m0 Cortex-M0 'all layouts' $all
fill_most=1600 row m4 Cortex-M4 'all layouts' $all
fill_most= row avr ATmega2560 'all layouts' $all
fill_most=
row m0 Cortex-M0 'TINY, own object' -DBLOOM_TINY -DSIZE_OBJECT
row m4 Cortex-M4 'TINY, own object' -DBLOOM_TINY -DSIZE_OBJECT
row avr ATmega2560 'TINY, own object' -DBLOOM_TINY -DSIZE_OBJECT

flash avr 1 -DBLOOM_TINY -DSIZE_IN_FLASH
in_flash=$flash
link m4 user -DUSE=2 -mcpu=cortex-m4 $all $PARTS --specs=nosys.specs
memset=$(arm-none-eabi-nm -S "$out/user" | awk '$4 == "memset" { print $2 }')

{
    echo "| chip | build | view, may_contain: flash | stack |" \
        "init, add, may_contain: flash | stack | static RAM |" \
        "lookup of a key: in | not in |"
    echo "|---|---|---|---|---|---|---|---|---|"
    cat "$out/rows"
    echo
    echo "Bytes, with every helper that the linker pulls in;" \
        "arm-none-eabi-gcc $(arm-none-eabi-gcc -dumpversion), avr-gcc" \
        "$(avr-gcc -dumpversion), -Os. All layouts: BLOOM_NO_MALLOC and" \
        "BLOOM_NO_FLOAT, both hash widths. BLOOM_STATIC but for the last" \
        "three rows. Lookups of 8-byte keys, k = 7: instructions on" \
        "Cortex-M, cycles on the ATmega2560; there an image in flash" \
        "(BLOOM_READ_BYTE) takes $in_flash for view and may_contain."
    [ -z "$memset" ] || echo "Of all layouts on a Cortex-M4" \
        "$(printf '%d' "0x$memset") bytes are libc's memset."
} >build/size.md
cat build/size.md
counted
