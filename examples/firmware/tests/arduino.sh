# Builds the two tabs lock.ino and later.cpp for an Arduino Uno as the Arduino IDE
# does, with Debian's arduino-core-avr, and runs them on an emulated Uno. Badges are
# sent by the serial line, each after the answer to the one before, as its buffer is
# small. The sketch must answer each badge as the command does, and must find the
# badges that were revoked since. It also prints what the sketch takes. It ends with
# "N passed, N failed".
# usage: arduino.sh REVOKED.bloom      the filter of which revoked.h was made
. tests/helpers.sh
each_must_end
dir=build/arduino
rm -rf $dir && mkdir -p $dir
avr=/usr/share/arduino/hardware/arduino/avr
need arduino-core-avr arduino-core-avr "[ -e $avr/cores/arduino/Arduino.h ]"
need avr-gcc 'gcc-avr avr-libc'
need qemu-system-avr qemu-system-misc
enough

# -DDECIMAL_DIG: Debian's avr-g++ does not define it.
flags='-mmcu=atmega328p -DF_CPU=16000000L -DARDUINO=10819 -DARDUINO_AVR_UNO
       -DARDUINO_ARCH_AVR -DDECIMAL_DIG=__DECIMAL_DIG__ -Os -flto
       -ffunction-sections -fdata-sections -w'
cxx="avr-g++ $flags -std=gnu++11 -fpermissive -fno-exceptions
     -fno-threadsafe-statics"
paths="-I$avr/cores/arduino -I$avr/variants/standard -I. -Iexamples/firmware"

build_core() {
    for source in "$avr"/cores/arduino/*.c*; do
        object=$dir/$(basename "$source").o
        case $source in
        *.c) avr-gcc $flags -std=gnu11 $paths -c "$source" -o "$object" ;;
        *) $cxx $paths -c "$source" -o "$object" ;;
        esac || return
    done
    avr-gcc-ar rcs $dir/core.a $dir/*.o
}
sketch() {      # sketch NAME [TAB.cpp]: builds $dir/NAME.ino, with the IDE's
                # #include, and the other tab
    { echo '#include <Arduino.h>'; cat "$dir/$1.ino"; } >"$dir/$1.cpp"
    $cxx $paths "$dir/$1.cpp" $2 $dir/core.a -Wl,--gc-sections -lm \
        -o "$dir/$1.elf"
}
sections() {    # sections NAME: prints "FLASH RAM" in bytes
    avr-size -A "$dir/$1.elf" | awk '
        $1 ~ /^\.(text|data)$/ { flash += $2 }
        $1 ~ /^\.(data|bss)$/ { ram += $2 }
        END { print flash, ram }'
}
cp examples/firmware/lock.ino $dir
echo 'void setup() { Serial.begin(9600); }
      void loop() { Serial.println(Serial.read()); }' >$dir/empty.ino
if ! { build_core && sketch lock examples/firmware/later.cpp &&
    sketch empty; }; then
    bad 'lock.ino does not compile'
    counted
    exit 1
fi
filter=$1
set -- "$1" $(sections lock) $(sections empty)
echo "lock.ino takes $(($2 - $4)) bytes of flash and $(($3 - $5)) of RAM more" \
    "than an empty sketch"

# Leading zeros do not matter; 1003 and 1006 are revoked. 1001 and 1008 are good, and
# are revoked later, in RAM; two lines that revoke have no badge.
{ seq 1000 7 1150
  printf '%s\n' 01003 0001006 00000000000001003 01001 00000000000001001
} >$dir/badges
printf '%s\n' -01001 -1008 - -111111111111 >$dir/revoke
printf '%s\n' 1001 01008 1002 1005 1003 >$dir/again
answers() {             # answers FILE: as the command gives them
    sed 's/^0*//' "$1" >$dir/plain
    build/bloom check -v "$filter" $dir/plain | awk '
        FNR == NR { good[$1]; next }
        { print $1 in good ? "open" : "ask" }' - $dir/plain
}
answers $dir/badges >$dir/wanted
printf '%s\n' revoked revoked 'not revoked' 'not revoked' ask ask >>$dir/wanted
answers $dir/again | tail -n 3 >>$dir/wanted
is 'before, only 1003 is revoked' 'open
open
open
open
ask' "$(answers $dir/again)"
cat $dir/badges $dir/revoke $dir/again >$dir/sent
mkfifo $dir/line
: >$dir/said
qemu-system-avr -M uno -bios $dir/lock.elf -display none -monitor none \
    -serial stdio <$dir/line >$dir/said 2>$dir/log &
uno=$!
answered() {    # answered N: waits for N answers
    while [ "$(wc -l <$dir/said)" -lt $1 ]; do
        kill -0 $uno || return
        sleep 0.1
    done
}
sent=0
while answered $sent && read -r badge; do
    echo "$badge" >&3
    sent=$((sent + 1))
done <$dir/sent 3>$dir/line
answered $sent
kill $uno
tr -d '\r' <$dir/said >$dir/answers
same 'answers of the lock' $dir/wanted $dir/answers
counted
