# cpp: bloom.hpp, bloom.h for C++11 and later
#   make check-cpp        every function, in each version of C++, with g++ and
#                         clang++; types that must not compile; 1 minute
# * make speed-cpp        what a secret costs, and whether bloom.hpp costs anything

CHECKS += check-cpp
PACKAGES += g++ clang

install::
	$(call put,644,examples/cpp/bloom.hpp,include/bloom-h)

check-cpp: | build
	@MAKE="$(MAKE) -s" sh examples/cpp/tests/run.sh

speed-cpp: examples/cpp/tests/speed.cpp examples/cpp/bloom.hpp $(BLOOM)
	@$(CXX) -std=c++11 $(WARN) -O2 -march=native -I. -Iexamples/companions \
	    examples/cpp/tests/speed.cpp -o build/speed-cpp && build/speed-cpp
.PHONY: check-cpp speed-cpp
