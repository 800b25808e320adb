# firmware: a filter in flash, and a sliding window, for chips
#   make check-firmware   they print what their comments say; revoked.h is what
#                         the command makes; the lock works on an emulated
#                         Arduino; 10 s

CHECKS += check-firmware
PACKAGES += arduino-core-avr gcc-avr avr-libc qemu-system-misc
# make cross runs these; the image of rom.c is in ROM.
CHIPS += examples/firmware/rom.c:revoked_bloom examples/firmware/packets.c

check-firmware: | build
	@CC="$(CC)" MAKE="$(MAKE) -s" sh examples/firmware/tests/run.sh
.PHONY: check-firmware
