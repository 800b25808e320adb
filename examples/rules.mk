# examples/*.c: small programs, one file each
#   make check-examples   each prints what its comment says; 1 min
# * make check-large      intersect.c and top.c on files of 2 * 10^7 lines; 2 min

CHECKS += check-examples
PACKAGES += g++

check-examples: | build
	@CC="$(CC)" CXX="$(CXX)" sh examples/tests/run.sh

check-large: build/peak
	@sh examples/tests/large.sh
.PHONY: check-examples check-large
