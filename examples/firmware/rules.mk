# firmware: filters in flash, in RAM and in radio packets, and a sliding window, for
# chips; and a reader for compilers that cannot take bloom.h
#   make check-firmware   they print what their comments say, packets on big-endian
#                         machines, too; revoked.h is what the command makes; the
#                         lock works on an emulated Arduino; the reader answers as
#                         bloom.h does, in four simulators; 10 s

CHECKS += check-firmware
PACKAGES += arduino-core-avr gcc-avr avr-libc qemu-system-misc sdcc sdcc-ucsim \
    cc65 clang qemu-user binutils-s390x-linux-gnu libgcc-*-dev-s390x-cross \
    libc6-dev-s390x-cross binutils-mips-linux-gnu libgcc-*-dev-mips-cross \
    libc6-dev-mips-cross
# make cross runs these; the image of rom.c is in ROM.
CHIPS += examples/firmware/rom.c:revoked_bloom examples/firmware/packets.c \
    examples/firmware/beacon.c

check-firmware: | build
	@CC="$(CC)" MAKE="$(MAKE) -s" sh examples/firmware/tests/run.sh
.PHONY: check-firmware
