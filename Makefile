# make                    build build/bloom, the command
# make demo               try it: all paths below /usr, compared with sort -u; 3 s
# make test               test the header and the command; 20 to 60 s
# make page               build build/page.html: see a filter in the browser
# make install            install the command, bloom.h, its companions, and files
#                         for pkg-config and CMake. PREFIX=/usr/local, DESTDIR=
# make uninstall          remove what make install put there
# make deb                build a Debian package, in build/
# make libbloom           build libbloom.so and .a in build/, for other languages
# make install-libbloom   install these two in PREFIX/lib
# make clean              remove build/, which has all built files
# make help               print this list, and the list of further checks

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

COMPANIONS = $(addprefix examples/companions/,bloom_chain.h bloom_window.h)
BLOOM = bloom.h $(COMPANIONS) Makefile build/flags

COMMAND = $(wildcard examples/command/*.c)
build/bloom: $(COMMAND) $(wildcard examples/command/*.h) $(BLOOM)
	$(C99) $(COMMAND) -pthread -o $@

build/first: examples/first.c $(BLOOM)
	$(C99) -O0 examples/first.c -o $@

# ---- make test: one program, built and run once for each mode ----------------

UNIT = $(BLOOM) tests/test.c $(wildcard tests/unit/*.[ch])
MODES := $(shell . tests/modes.sh && modes test)
MODE = tests/modes.txt tests/modes.sh tests/unit/program.sh

build/bloom.o: $(BLOOM)
	$(C99) -x c -DBLOOM_IMPLEMENTATION -c bloom.h -o $@
build/test-window: $(UNIT)                          # not a mode: bloom_window.h
	$(C99) -O1 tests/unit/window.c -o $@

$(MODES:%=build/test-%): build/test-%: $(UNIT) $(MODE) examples/first.c
	@C99='$(C99)' CXX11='$(CXX) -std=c++11 $(WARN) $(CFLAGS) -I.' \
	    TEST_FLAGS='$(TEST_FLAGS)' sh tests/unit/program.sh $*
build/test-%.out: build/test-% FORCE
	@$< >$@ 2>&1 || :
build/command-%.out: build/bloom FORCE
	@CC="$(CC)" sh tests/command/command.sh build/bloom \
	    $(subst +, ,$*) >$@ 2>&1 || :

JOBS = 4
test: | build
	@CC="$(CC)" CXX="$(CXX)" MAKE="$(MAKE) -s -k -j$(JOBS)" sh tests/unit/run.sh

# ---- make demo, make page ---------------------------------------------------

build/peak: tests/command/peak.c $(BLOOM)
	$(C99) tests/command/peak.c -o $@

demo: build/bloom build/peak
	@sh tests/command/demo.sh build/bloom build/peak

page: | build
	@sh examples/page/make_page.sh

# ---- make install: what was built before is only copied ---------------------

PREFIX = /usr/local
VERSION := $(shell awk '/define BLOOM_VERSION/ { v = $$3; print int(v / 10000) \
    "." int(v / 100) % 100 "." v % 100; exit }' bloom.h)
INSTALLED = $(DESTDIR)$(PREFIX)
CMAKE = lib/cmake/bloom/bloom-config
DATA = $(addprefix include/,bloom.h $(notdir $(COMPANIONS))) \
    $(addprefix share/,man/man1/bloom.1 pkgconfig/bloom.pc doc/bloom/copyright \
    bash-completion/completions/bloom) $(CMAKE).cmake $(CMAKE)-version.cmake
FILL = sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' \
    examples/command/install

install: build/bloom
	for file in bin/bloom $(DATA); do \
	    install -d $(INSTALLED)/$${file%/*} || exit; done
	install -m 755 build/bloom $(INSTALLED)/bin
	install bloom.h $(COMPANIONS) $(INSTALLED)/include
	install examples/command/bloom.1 $(INSTALLED)/share/man/man1
	install examples/command/bloom.bash \
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
	@VERSION=$(VERSION) MAKE="$(MAKE) -s" sh examples/command/install/deb.sh

# ---- The library, for other languages ---------------------------------------

# The shared library is libbloom-h.so.MAJOR to the loader: Debian has another
# libbloom.so.1.
SONAME = libbloom-h.so.$(firstword $(subst ., ,$(VERSION)))
LIBRARY = $(C99) -fPIC -DBLOOM_IMPLEMENTATION -DBLOOM_API=extern \
    -DBLOOM_CHAIN_API=extern -DBLOOM_WINDOW_API=extern \
    $(COMPANIONS:%=-include %) -x c /dev/null

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

# ---- The wider checks -------------------------------------------------------

include tests/Makefile

clean:
	rm -rf build

help:                                # the lists at the top of both files
	@awk 'FNR == 1 { on = 1 } !/^#/ && on { on = 0; print "" } \
	    on { print substr($$0, 3) }' Makefile tests/Makefile

.PHONY: all FORCE test demo page install uninstall deb libbloom install-libbloom \
    clean help
