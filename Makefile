# make                    build the products of examples/
# make test               test the headers and the command; 15 s on two idle
#                         cores. ONLY="window slices": only these programs
# make test-all           the same in every mode of bloom.h, and all tests of a
#                         second; a minute
# make check              before a commit: test-all, symbols, strict, sanitize,
#                         count, and the header on a big-endian, a 32-bit and an
#                         8-bit machine
# make release            before a release: all that takes hours. It can be stopped,
#                         and goes on where it was
# make install            install bloom.h and its companions (in PREFIX/include/
#                         bloom-h), the command, and what was built of the other
#                         products. PREFIX=/usr/local, DESTDIR=
# make uninstall          remove what make install put there
# make libbloom           build libbloom.so and .a in build/, for other languages
# make install-libbloom   install these two in PREFIX/lib
# make version            print the version of bloom.h
# make checks             print the checks that .ci/run runs
# make packages           print the Debian packages that these need
# make clean              remove build/, which has all built files
# make help               print this list, the further checks (tests/Makefile),
#                         and the targets of each product
#

CC = cc
CXX = c++
CFLAGS = -O2
WARN = -Wall -Wextra -pedantic
C99 = $(CC) -std=c99 $(WARN) $(CFLAGS) -I.

# Each folder of examples/ that has a rules.mk is a product. Its rules.mk adds to
# these variables and has the product's own rules. All paths there are relative to
# this folder. examples/class/rules.mk is a short one.
#   PRODUCTS  what `make` builds
#   TESTS     files build/NAME.out that `make test` makes: each ends with a line
#             "N passed, N failed". These may need a C compiler and make only.
#   MORE      such files that only `make test-all` makes
#   LONG      what `make release` makes in addition, with colons for spaces:
#             crash:RUNS=1000
#   CHECKS    targets check-NAME for .ci/run; each ends with such a line, too
#   PACKAGES  the Debian packages that CHECKS need
#   CHIPS     programs that `make cross` runs on chips: see tests/cross/cross.sh
# install:: and uninstall:: have two colons, so that each product adds its own.
RULES = $(sort $(wildcard examples/rules.mk examples/*/rules.mk))
PRODUCTS =
TESTS =
MORE = build/install.out
LONG =

all:

build:
	mkdir -p build

# This file changes only if a compiler or a flag does. Then all that depends on
# it is built again.
build/flags: FORCE | build
	@echo '$(CC) $(CXX) $(CFLAGS) $(WARN)' | cmp -s - $@ || \
	    echo '$(CC) $(CXX) $(CFLAGS) $(WARN)' >$@

COMPANIONS = $(addprefix examples/companions/,bloom_file.h bloom_chain.h \
    bloom_window.h bloom_slices.h bloom_keyed.h)
BLOOM = bloom.h $(COMPANIONS) Makefile build/flags

build/first: examples/first.c $(BLOOM)
	$(C99) -O0 examples/first.c -o $@

# ---- make test --------------------------------------------------------------

# What a newcomer runs. The program "separate" has all of tests/unit/all.c, in the
# default mode; promises-MODE has the promises of tests/test.c in another mode.
FAST = share separate promises-static promises-c++ promises-tiny window slices file
# What only `make test-all` runs: all of unit/all.c in the other modes. Those that
# differ only in how files are compiled and linked run test.c.
MODES := $(shell . tests/helpers.sh && modes test)
SLOW = $(filter-out separate static mixed,$(MODES)) promises-mixed slices-c++

UNIT = $(BLOOM) tests/test.c $(wildcard tests/*.h tests/unit/*.[ch])
MODE = tests/modes.txt tests/helpers.sh tests/unit/program.sh

build/test-window build/test-slices build/test-file build/test-share: \
    build/test-%: $(UNIT)
	$(C99) -O1 tests/unit/$*.c -o $@
build/test-slices-c++: $(UNIT)
	$(CXX) -x c++ -std=c++11 $(WARN) $(CFLAGS) -I. -DBLOOM_NO_SIMD \
	    tests/unit/slices.c -o $@

$(MODES:%=build/test-%) $(MODES:%=build/test-promises-%): build/test-%: \
    $(UNIT) $(MODE) examples/first.c
	@C99='$(C99)' CXX11='$(CXX) -std=c++11 $(WARN) $(CFLAGS) -I.' \
	    TEST_FLAGS='$(TEST_FLAGS)' sh tests/unit/program.sh $*
build/test-%.out: build/test-% FORCE
	@$< >$@ 2>&1 || :

build/install.out: all FORCE | build
	@MAKE="$(MAKE) -s" sh tests/install.sh >$@ 2>&1 || :

# Prints one result, from a file, so that those of several jobs do not mix. A make
# of its own builds and runs each program: one make would build all of them before
# it runs the first.
build/test-%.said: build/flags
	@$(MAKE) build/test-$*.out && . tests/helpers.sh && \
	    sum $* build/test-$*.out >$@ && cat $@
build/%.said: build/%.out
	@. tests/helpers.sh && sum $* $< >$@; cat $@

JOBS ?= 6
RUN_TESTS = CC="$(CC)" CXX="$(CXX)" BUILD="$(MAKE) -s -k -j$(JOBS)" \
    sh tests/unit/run.sh
test: | build
	@TESTS="$(TESTS)" $(RUN_TESTS) $(FAST)

test-all: | build
	@TESTS="$(TESTS) $(MORE)" $(RUN_TESTS) $(FAST) $(SLOW)

# ---- make install: what was built before is only copied ---------------------

PREFIX = /usr/local
# The version is written in bloom.h only; all others take it from there.
VERSION := $(shell awk '/define BLOOM_VERSION/ { v = $$3; print int(v / 10000) \
    "." int(v / 100) % 100 "." v % 100; exit }' bloom.h)
version:
	@echo $(VERSION)
# In quotes, for a folder with a space in its name
INSTALLED = '$(DESTDIR)$(PREFIX)'
# $(call put,MODE,FILES,FOLDER): copies the files to that folder below PREFIX
put = install -d $(INSTALLED)/$3 && install -m $1 $2 $(INSTALLED)/$3

# Up to 2.2.0, the headers lay in include/ itself, where bloom.h hid the bloom.h
# of Debian's libbloom. These are removed, but only if their title is ours.
OLD = bloom.h bloom.hpp $(notdir $(COMPANIONS))
OURS = ^[/ ][* ] bloom\(\.h [0-9]*\.[0-9]*\.[0-9]* -\|\.h for C++\|_[a-z]*\.h:\)

LICENCE = $(INSTALLED)/share/doc/bloom
install::
	$(call put,644,bloom.h $(COMPANIONS),include/bloom-h)
	@cd $(INSTALLED)/include && for old in $(OLD); do \
	    sed 2q $$old 2>/dev/null | grep -q '$(OURS)' && rm -f $$old && \
	    echo "removed the $$old of an older version from $$PWD" || :; done
	install -d $(LICENCE)
	sed '1,/^\/\* ---- Licence/d; s/^   //; s/ \*\/$$//' bloom.h \
	    >$(LICENCE)/copyright
	chmod 644 $(LICENCE)/copyright

uninstall::
	rm -f $(LICENCE)/copyright $(LIBDIR)/libbloom-h.so* \
	    $(LIBDIR)/libbloom-h.a $(OLD:%=$(INSTALLED)/include/bloom-h/%)
	rmdir $(LICENCE) $(INSTALLED)/include/bloom-h 2>/dev/null || :

# ---- The library, for other languages ---------------------------------------

# The shared library is libbloom-h.so.MAJOR to the loader, as no function goes
# within a major version. Debian has another libbloom.so.1. Other languages
# cannot read the macro BLOOM_VERSION, so the library has it as a constant, too.
# Its second object has the functions for programs with -DBLOOM_ATOMIC, which have
# names of their own. It is empty if the compiler has no atomic operations.
SONAME = libbloom-h.so.$(firstword $(subst ., ,$(VERSION)))
LIBRARY = $(C99) -fPIC -DBLOOM_IMPLEMENTATION -DBLOOM_API=extern -x c - -c -o
OBJECTS = build/libbloom.o build/libbloom-atomic.o

build/libbloom.o: $(BLOOM)
	{ printf '#include "%s"\n' $(COMPANIONS); \
	    echo 'extern const int bloom_version;'; \
	    echo 'const int bloom_version = BLOOM_VERSION;'; } | $(LIBRARY) $@
build/libbloom-atomic.o: $(BLOOM)
	{ echo 'typedef int bloom_not_empty_;'; \
	    echo '#if __GCC_ATOMIC_CHAR_LOCK_FREE == 2'; \
	    echo '#define BLOOM_ATOMIC'; \
	    printf '#include "%s"\n' $(COMPANIONS); \
	    echo '#endif'; } | $(LIBRARY) $@
build/libbloom.so: $(OBJECTS)
	$(C99) -shared -Wl,-soname,$(SONAME) $(OBJECTS) -o $@
build/libbloom.a: $(OBJECTS)
	rm -f $@
	ar rcs $@ $(OBJECTS)

libbloom: build/libbloom.so build/libbloom.a

LIBDIR = $(INSTALLED)/lib
install-libbloom: libbloom
	mkdir -p $(LIBDIR)
	cp build/libbloom.so $(LIBDIR)/libbloom-h.so.$(VERSION)
	ln -sf libbloom-h.so.$(VERSION) $(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(LIBDIR)/libbloom-h.so
	cp build/libbloom.a $(LIBDIR)/libbloom-h.a

# ---- The wider checks, and the examples -------------------------------------

include tests/Makefile         # sets CHECKS and PACKAGES
include $(RULES)

all: $(PRODUCTS)

checks:                         # those of products first, as some of them wait
	@echo $(filter check-%,$(CHECKS)) $(filter-out check-%,$(CHECKS))
packages:
	@. tests/helpers.sh; for name in $(PACKAGES:%='%'); do newest "$$name"; \
	    done | sort -u

clean:
	rm -rf build

help:                           # the comments at the top of all these files
	@awk 'FNR == 1 { if (on) print ""; on = 1 } !/^#/ && on { on = 0; print "" } \
	    on { print substr($$0, 3) }' Makefile tests/Makefile $(RULES)

.PHONY: all FORCE test test-all install uninstall libbloom install-libbloom \
    version checks packages clean help
