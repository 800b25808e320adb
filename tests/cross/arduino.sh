# Builds examples/firmware/lock.ino for an Arduino Uno as the Arduino IDE does,
# with Debian's arduino-core-avr. cross.sh calls it, and then runs the sketch.
# It prints "FLASH RAM": the bytes that the sketch needs more than an empty one.
# (-DDECIMAL_DIG: Debian's avr-g++ does not define it.)
# usage: arduino.sh FOLDER
dir=$1
avr=/usr/share/arduino/hardware/arduino/avr
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
    avr-gcc-ar rcs "$dir/core.a" "$dir"/*.o
}
sketch() {      # sketch NAME: builds $dir/NAME.ino, with the IDE's #include
    { echo '#include <Arduino.h>'; cat "$dir/$1.ino"; } >"$dir/$1.cpp"
    $cxx $paths "$dir/$1.cpp" "$dir/core.a" -Wl,--gc-sections -lm \
        -o "$dir/$1.elf"
}
sections() {
    avr-size -A "$dir/$1.elf" | awk '
        $1 ~ /^\.(text|data)$/ { flash += $2 }
        $1 ~ /^\.(data|bss)$/ { ram += $2 }
        END { print flash, ram }'
}

[ -e "$avr/cores/arduino/Arduino.h" ] || { echo "no arduino-core-avr"; exit 1; }
cp examples/firmware/lock.ino "$dir"
echo 'void setup() { Serial.begin(9600); }
      void loop() { Serial.println(Serial.read()); }' >"$dir/empty.ino"
build_core && sketch lock && sketch empty || exit 1
set -- $(sections lock) $(sections empty)
echo "$(($1 - $3)) $(($2 - $4))"
