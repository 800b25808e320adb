# make demo              the main job on real input: every path below /usr
# make test              the tests, in each mode of the header; 20 seconds
# make                   builds build/bloom, the command
# make install           it, bloom.h, for pkg-config and CMake: PREFIX, DESTDIR
# make uninstall         and gone
# make deb               these as a Debian package, below build/
# make libbloom          build/libbloom.so and .a: all functions, for other languages
# make install-libbloom  these, below PREFIX/lib
# Wider checks, each of which names the Debian package that it misses:
# make strict            gcc and clang silent with every warning on, C99..C++20
# make house             lines, conditionals, what stands twice: figures and goals
# make sanitize          the tests under AddressSanitizer and UBSan
# make cross             tests and golden images on other machines, emulated
# make size              flash, RAM, stack and time on small chips; build/size.md
# make fuzz              tests/fuzz, each target for a minute under ASan and UBSan;
#                        RUNS=10000000: for so many executions
# make threads           BLOOM_ATOMIC under ThreadSanitizer, lost keys, prices
# make crash             the command stopped and killed, its disk full, its files bent;
#                        as root. RUNS=1000: for minutes
# make coverage          each line and branch of bloom.h runs in the tests, or it is said;
#                        and 95% of the command's lines in its own
# make mutants           300 small mistakes in bloom.h: do the tests see them? ALL=1, ONLY=
# make analyse           clang-tidy, cppcheck, gcc -fanalyzer; mandoc over bloom.1
# make prove             sizes, header checks, cells, folding proved for every input
# make promise           the rates that are promised, measured; minutes
# make promise-large     10^8 to 10^10 keys: hours, 14 GB; ROWS="blocked ten" for some
# make examples          each example prints what its head says
# make interop           those that need other software: sqlite, gnuplot, Guava, Redis
# make languages         bloom.py, bloom.hpp, the library; what CMake and Debian get
# make interop-redis     the Redis module with a replica and a cluster; a minute
# make race-redis        the Redis module against Redis's own sets
# make worst             the slowest calls there are, by search; a minute
# make bench             speed beside libbloom, lean kernels, the machine's floor; five
#                        minutes. BOOST=dir LIBFILTER=dir: beside these, too
# make lean              beside the lean kernels alone; a minute
# make pages             10^9 keys in huge pages, and not: 8 GB; N=1e8: less
# make figures           what bench and pages measured becomes the READMEs' figures
# make race              `bloom uniq` on 10 million lines, beside sort -u and awk
# make large             examples/intersect.c and top.c on 20 million lines each
# make pictures          the README's pictures, measured anew; two minutes
# make page              build/page.html: see a filter in the browser, from one file
# make page-test         that page, used as a person would, in chromium
# make help              this list
# make clean             build/, all that was made

CC = cc
CXX = c++
CFLAGS = -O2
WARN = -Wall -Wextra -pedantic
C99 = $(CC) -std=c99 $(WARN) $(CFLAGS) -I.

all: build/bloom

build:
	mkdir -p build

# Changes only when they do: what depends on it is then built anew.
build/flags: FORCE | build
	@echo '$(CC) $(CXX) $(CFLAGS) $(WARN)' | cmp -s - $@ || \
	    echo '$(CC) $(CXX) $(CFLAGS) $(WARN)' >$@
FORCE:

BLOOM = bloom.h Makefile build/flags

COMMAND = $(wildcard examples/bloom/*.c)
build/bloom: $(COMMAND) $(wildcard examples/bloom/*.h examples/common/*.h) \
    $(BLOOM)
	$(C99) $(COMMAND) -pthread -o $@

build/first: examples/first.c $(BLOOM)
	$(C99) -O0 examples/first.c -o $@

build/peak: tests/peak.c $(BLOOM)
	$(C99) tests/peak.c -o $@

PREFIX = /usr/local
VERSION := $(shell awk '/define BLOOM_VERSION/ { v = $$3; print int(v / 10000) \
    "." int(v / 100) % 100 "." v % 100; exit }' bloom.h)

# ---- make install: what was built before is only copied ---------------------

INSTALLED = $(DESTDIR)$(PREFIX)
CMAKE = lib/cmake/bloom/bloom-config
DATA = include/bloom.h share/man/man1/bloom.1 share/pkgconfig/bloom.pc \
    share/bash-completion/completions/bloom share/doc/bloom/copyright \
    $(CMAKE).cmake $(CMAKE)-version.cmake
FILL = sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' \
    examples/bloom/install

install: build/bloom
	for file in bin/bloom $(DATA); do \
	    install -d $(INSTALLED)/$${file%/*} || exit; done
	install -m 755 build/bloom $(INSTALLED)/bin
	install bloom.h $(INSTALLED)/include
	install examples/bloom.1 $(INSTALLED)/share/man/man1
	install examples/bloom.bash \
	    $(INSTALLED)/share/bash-completion/completions/bloom
	$(FILL)/bloom.pc >$(INSTALLED)/share/pkgconfig/bloom.pc
	$(FILL)/config.cmake >$(INSTALLED)/$(CMAKE).cmake
	$(FILL)/version.cmake >$(INSTALLED)/$(CMAKE)-version.cmake
	sed '1,/^\/\* ---- Licence/d; s/^   //; s/ \*\/$$//' bloom.h \
	    >$(INSTALLED)/share/doc/bloom/copyright
	cd $(INSTALLED) && chmod 644 $(DATA)

uninstall:
	rm -f $(addprefix $(INSTALLED)/,bin/bloom $(DATA)) \
	    $(LIBDIR)/libbloom-h.so* $(LIBDIR)/libbloom-h.a
	cd $(INSTALLED) 2>/dev/null && \
	    rmdir lib/cmake/bloom share/doc/bloom 2>/dev/null || :

# A Debian package of it, below build/
deb: build/bloom
	@VERSION=$(VERSION) MAKE="$(MAKE) -s" sh examples/bloom/install/deb.sh

# ---- The library, for other languages ---------------------------------------

# The shared library is libbloom-h.so.MAJOR to the loader: Debian has another
# libbloom.so.1.
SONAME = libbloom-h.so.$(firstword $(subst ., ,$(VERSION)))
LIBRARY = $(C99) -fPIC -DBLOOM_API=extern -DBLOOM_IMPLEMENTATION -x c bloom.h

build/libbloom.so: $(BLOOM)
	$(LIBRARY) -shared -Wl,-soname,$(SONAME) -o $@

build/libbloom.a: $(BLOOM)
	$(LIBRARY) -c -o build/libbloom.o
	rm -f $@
	ar rcs $@ build/libbloom.o

libbloom: build/libbloom.so build/libbloom.a

LIBDIR = $(DESTDIR)$(PREFIX)/lib
install-libbloom: libbloom
	mkdir -p $(LIBDIR)
	cp build/libbloom.so $(LIBDIR)/libbloom-h.so.$(VERSION)
	ln -sf libbloom-h.so.$(VERSION) $(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(LIBDIR)/libbloom-h.so
	cp build/libbloom.a $(LIBDIR)/libbloom-h.a

demo: build/bloom build/peak
	@sh tests/demo.sh build/bloom build/peak

# ---- make test: one program, built and run once for each mode ----------------
# bloom.h is optimised as CFLAGS says (static, separate, flash, portable), as for
# a debugger (same, c++), for size (tiny, bare) or a little (atomic), so that
# each of these is tried. tests/run.sh leaves out the modes that a compiler does
# not have, and counts.

MODES = static portable separate same flash bare tiny
MODES_ATOMIC = atomic atomic-plain
MODES_CXX = c++ c++-and-c

UNIT = $(BLOOM) tests/test.c $(wildcard tests/unit/*)
PROGRAM = tests/unit/all.c
OBJECT = $(C99) -x c -DBLOOM_IMPLEMENTATION -c bloom.h -o $@
RATES = -DTEST_RATES
HOOKS = -include tests/unit/hooks.h
TEST_C = $(C99) -O0 -c $(PROGRAM) -o $@         # that calls one of these objects
TEST_CXX = $(CXX) -std=c++11 $(WARN) $(CFLAGS) -I. -O0 -x c++ $(PROGRAM)

build/bloom.o: $(BLOOM)
	$(OBJECT)
build/bloom-flash.o: $(BLOOM) tests/unit/hooks.h            # BLOOM_READ_BYTE
	$(OBJECT) $(HOOKS) -DTEST_FLASH -DBLOOM_NO_FLOAT
build/bloom-portable.o: $(BLOOM) tests/unit/hooks.h # no 128-bit numbers, no SIMD
	$(OBJECT) $(HOOKS) -DTEST_MALLOC -U__SIZEOF_INT128__ -DBLOOM_NO_SIMD
build/bloom-atomic.o: $(BLOOM)
	$(OBJECT) -O1 -DBLOOM_ATOMIC
build/bloom-atomic-plain.o: $(BLOOM)
	$(OBJECT) -O1 -DBLOOM_ATOMIC -DBLOOM_NO_SIMD

build/test.o: $(UNIT)
	$(TEST_C)
build/test-flash.o: $(UNIT)
	$(TEST_C) -DTEST_FLASH -DBLOOM_NO_FLOAT
build/test-portable.o: $(UNIT)
	$(TEST_C) -DTEST_MALLOC

build/test-separate: build/test.o build/bloom.o             # declarations only
	$(C99) $^ -o $@
build/test-atomic build/test-atomic-plain: build/test-%: build/test.o \
    build/bloom-%.o
	$(C99) $^ -o $@
build/test-flash build/test-portable: build/test-%: build/test-%.o \
    build/bloom-%.o
	$(C99) $^ -o $@
build/test-same: $(UNIT)                            # the code in the same file
	$(C99) -O0 -DBLOOM_IMPLEMENTATION $(PROGRAM) -o $@
build/test-static: $(UNIT) examples/first.c         # twice in one program
	$(C99) -DBLOOM_STATIC -Dmain=first -c examples/first.c -o build/first.o
	$(C99) -DBLOOM_STATIC $(RATES) $(PROGRAM) build/first.o -o $@
build/test-tiny: $(UNIT)
	$(C99) -Os -DBLOOM_STATIC -DBLOOM_TINY $(PROGRAM) -o $@
build/test-bare: $(UNIT)                            # as for firmware
	$(C99) -Os -DBLOOM_IMPLEMENTATION -DBLOOM_NO_FLOAT -DBLOOM_NO_MALLOC \
	    $(PROGRAM) -o $@
build/test-c++: $(UNIT)
	$(TEST_CXX) -DBLOOM_STATIC -o $@
build/test-c++-and-c: $(UNIT) build/bloom.o         # C++ calls the C object
	$(TEST_CXX) -x none build/bloom.o -o $@

build/test-%.out: build/test-% FORCE
	@$< >$@ 2>&1 || :
build/command-%.out: build/bloom FORCE
	@CC="$(CC)" sh tests/command.sh build/bloom $(subst +, ,$*) >$@ 2>&1 || :

JOBS = 4
test: | build
	@CC="$(CC)" CXX="$(CXX)" MAKE="$(MAKE) -s -k -j$(JOBS)" sh tests/run.sh \
	    "$(MODES)" "$(MODES_ATOMIC)" "$(MODES_CXX)"

# ---- Wider checks -----------------------------------------------------------

strict:
	@sh tests/strict.sh

house: | build
	@sh tests/house.sh

SANITIZE = -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
sanitize:
	rm -rf build
	ASAN_OPTIONS=allocator_may_return_null=1 \
	    $(MAKE) test CFLAGS="$(SANITIZE)" RATES=
	rm -rf build

cross: build/bloom
	@sh tests/cross.sh

size: build/bloom
	@sh tests/size.sh

threads: | build
	@sh tests/threads.sh

build/kill build/stop: build/%: tests/%.c $(BLOOM)
	$(C99) $< -o $@

build/fast_clock.so: tests/fast_clock.c $(BLOOM)
	$(CC) $(WARN) $(CFLAGS) -shared -fPIC $< -o $@

crash: build/bloom build/kill build/stop build/fast_clock.so
	@sh tests/crash.sh build $(RUNS)

SECONDS = 60
fuzz: | build
	@sh tests/fuzz/run.sh $(SECONDS) $(RUNS)

coverage: | build
	@python3 tests/coverage/coverage.py

mutants: | build                     # ALL=1: every one, hours; ONLY=: see the file
	@python3 tests/mutants/mutants.py $(if $(ALL),0,300)

analyse: | build
	@sh tests/analyse/run.sh

prove: | build
	@sh tests/analyse/prove.sh

PROMISE = tests/rates/promise.h examples/common/window.h $(BLOOM)
build/promise: tests/rates/promise.c $(PROMISE)
	$(C99) -O3 tests/rates/promise.c -o $@ -lm

build/promise-%: tests/rates/%.c $(PROMISE)
	$(C99) -O3 $< -o $@ -lm

PARTS = exact blocked plans few families window forget fold
promise: build/promise $(PARTS:%=build/promise-%)
	build/promise $(if $(ALL),all) build/promise.tsv
	for part in $(PARTS); do \
	    build/promise-$$part $(if $(ALL),all) || exit 1; done

promise-large: build/promise-large build/promise-window
	nice build/promise-large $(ROWS) >build/large.txt
	nice build/promise-window >build/window.txt
	cat build/large.txt build/window.txt

build/bench-plans: tests/speed/plans.c $(BLOOM)
	$(C99) $< -o $@ -lm

bench: build/bench-plans
	@sh tests/speed/run.sh
	@$<

build/worst: tests/speed/worst.c $(BLOOM)
	$(C99) tests/speed/worst.c -o $@

worst: build/worst
	build/worst

LEAN_BUILDS = gcc,-O3,-march=native clang,-O2,-march=native
LEAN = PARTS='ours lean' N='$(or $(N),1e4 1e6 1e7)' KEYS=u64 RATES=0.01 SWEEP= \
    ROUNDS=5 BUILDS='$(or $(BUILDS),$(LEAN_BUILDS))' OUT=build/lean
lean: | build
	@$(LEAN) sh tests/speed/run.sh

PAGES = PARTS=pages N=$(or $(N),1e9) KEYS=u64 RATES=0.01 SWEEP= ROUNDS=3 \
    BUILDS=gcc,-O3,-march=native OUT=build/pages
pages: | build
	@$(PAGES) sh tests/speed/run.sh

figures: | build
	@sh tests/speed/figures.sh

race: build/bloom build/peak
	@sh tests/race.sh build/bloom build/peak

# Then whether mini.c's bits are bloom.h's, and revoked.h what bloom dump prints
EXAMPLES = first mini:-lm probes fold crawler spam intersect top custom_hash bip37 \
    firmware/rom firmware/window
examples: build/bloom libbloom
	@CC="$(CC)" sh tests/examples.sh $(EXAMPLES)
	@for part in elf git run; do CC="$(CC)" sh tests/class/$$part.sh || exit 1; done
	@$(C99) tests/mini.c -lm -o build/mini-test && build/mini-test
	@$(C99) tests/window.c -o build/window-test && build/window-test
	@seq 1000 3 3997 >build/revoked.txt
	@build/bloom build -w 32 -p 0.01 build/revoked.bloom build/revoked.txt
	@build/bloom dump build/revoked.bloom | cmp - examples/firmware/revoked.h
	@if ! command -v $(CXX) >/dev/null; then \
	    echo 'skipped, mini.c as C++: apt-get install g++'; else \
	    $(CXX) -std=c++11 $(WARN) $(CFLAGS) -I. -x c++ tests/mini.c -lm \
	        -o build/mini-test && build/mini-test; fi

interop: | build
	@sh tests/interop.sh

languages: | build
	@sh tests/languages/run.sh

interop-redis: | build
	@sh tests/redis/cluster.sh

race-redis: | build
	@sh tests/redis/sets.sh

large: | build
	@sh tests/large.sh

pictures: | build
	@sh tests/pictures/run.sh

page: | build
	@sh examples/page/build.sh

page-test: page build/bloom
	@sh tests/page/run.sh

clean:
	rm -rf build

help:                                # the list above
	@sed -n '/^#/!q; s/^# //p' Makefile

.PHONY: all help FORCE install uninstall deb libbloom install-libbloom demo test \
    strict house sanitize cross size fuzz threads crash coverage mutants analyse prove \
    promise promise-large worst bench lean pages figures race examples interop languages \
    interop-redis race-redis large page page-test pictures clean
