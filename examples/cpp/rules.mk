# cpp: bloom.hpp, bloom.h for C++11 and later
#   make check-cpp        every function, in each version of C++, with g++ and
#                         clang++; types that must not compile; 1 minute

CHECKS += check-cpp
LONG += check-cpp:ALL=1
PACKAGES += g++ clang

install::
	$(call put,644,examples/cpp/bloom.hpp,include/bloom-h)

check-cpp: | build
	@ALL=$(ALL) MAKE="$(MAKE) -s" sh examples/cpp/tests/run.sh

.PHONY: check-cpp
