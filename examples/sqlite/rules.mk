# sqlite: an extension for SQLite
#   make sqlite           build build/bloom.sqlite.so; then `make install` copies it
#                         to PREFIX/lib/sqlite3
#   make check-sqlite     each function, and lack of memory; half a minute. ALL=1:
#                         each allocation fails; 1 min

CHECKS += check-sqlite
LONG += check-sqlite:ALL=1
PACKAGES += libsqlite3-dev sqlite3

sqlite: build/bloom.sqlite.so
build/bloom.sqlite.so: examples/sqlite/sqlite.c $(BLOOM)
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

.PHONY: sqlite check-sqlite
