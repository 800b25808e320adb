# `make check-firmware` runs this script: each program prints what its comment
# says, reader.h answers as bloom.h does, the command makes revoked.h, and the sketch
# for an Arduino answers as the command does. `make cross` runs the programs on
# emulated chips.
. tests/helpers.sh
each_must_end

sh tests/prints.sh examples/firmware/rom.c examples/firmware/packets.c \
    examples/firmware/beacon.c >build/firmware.out
sum programs build/firmware.out

# A packet has the same bytes on big-endian machines, and is received there.
for machine in s390x mips; do
    if clang --target=$machine-linux-gnu -O2 -static -I. \
        examples/firmware/beacon.c -o build/beacon-$machine; then
        qemu-$machine build/beacon-$machine >build/beacon-$machine.out
        same "beacon.c on $machine" build/beacon.out build/beacon-$machine.out
    else
        bad "beacon.c on $machine needs clang, qemu-user," \
            "$(newest "libgcc-*-dev-$machine-cross") and libc6-dev-$machine-cross"
    fi
done

sh examples/firmware/tests/reader.sh >build/reader.out 2>&1
sum reader.h build/reader.out
grep ': reader.h takes' build/reader.out

made_by_command() {
    seq 1000 3 3997 >build/revoked.txt &&
        build/bloom build -w 32 -p 0.01 build/revoked.bloom build/revoked.txt &&
        build/bloom dump build/revoked.bloom | cmp - examples/firmware/revoked.h
}
if [ -d examples/command ]; then
    $MAKE build/bloom && check "the command makes revoked.h" made_by_command
    sh examples/firmware/tests/arduino.sh build/revoked.bloom \
        >build/arduino.out 2>&1
    sum lock.ino build/arduino.out
else
    echo 'skipped: revoked.h and lock.ino, as the command makes (no' \
         'examples/command)'
fi
counted
