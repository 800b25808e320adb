# firmware: a filter in flash, and a sliding window, for chips
#   make check-firmware   they print what their comments say; revoked.h is what
#                         the command makes; 1 s

CHECKS += check-firmware
PACKAGES +=

check-firmware: | build
	@CC="$(CC)" MAKE="$(MAKE) -s" sh examples/firmware/tests/run.sh
.PHONY: check-firmware
