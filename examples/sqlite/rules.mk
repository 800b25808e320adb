# sqlite: an extension for SQLite
#   make sqlite           build build/bloom.sqlite.so; then `make install` copies it
#                         to PREFIX/lib/sqlite3
#   make check-sqlite     each function and table, random queries compared with
#                         real tables, lack of memory; half a minute. ALL=1: more
#                         random queries, and each allocation fails; 1 min
# * make sqlite-kills     two processes that write are killed 500 times, or RUNS=N
#                         times; a minute

CHECKS += check-sqlite
LONG += check-sqlite:ALL=1 sqlite-kills:RUNS=5000
PACKAGES += libsqlite3-dev sqlite3

sqlite: build/bloom.sqlite.so
build/bloom.sqlite.so: $(wildcard examples/sqlite/*.[ch]) $(BLOOM)
	$(C99) -shared -fPIC examples/sqlite/sqlite.c -o $@

install::
	[ ! -f build/bloom.sqlite.so ] || { \
	    $(call put,755,build/bloom.sqlite.so,lib/sqlite3); }
uninstall::
	rm -f $(INSTALLED)/lib/sqlite3/bloom.sqlite.so
	rmdir $(INSTALLED)/lib/sqlite3 2>/dev/null || :

check-sqlite: | build
	@CC="$(CC)" MAKE="$(MAKE) -s" ALL="$(ALL)" \
	    sh examples/sqlite/tests/run.sh

build/sqlite-kills: examples/sqlite/tests/kills.c \
    $(wildcard examples/sqlite/*.[ch]) $(BLOOM)
	$(C99) examples/sqlite/tests/kills.c -lsqlite3 -o $@
sqlite-kills: build/sqlite-kills
	build/sqlite-kills build/kills.db $(RUNS)
.PHONY: sqlite check-sqlite sqlite-kills
