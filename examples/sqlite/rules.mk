# sqlite: an extension for SQLite
#   make check-sqlite     each function and table, random queries compared with
#                         real tables, lack of memory; 1 min. QUERIES=100000:
#                         that many random queries

CHECKS += check-sqlite
PACKAGES += libsqlite3-dev sqlite3

check-sqlite: | build
	@CC="$(CC)" MAKE="$(MAKE) -s" QUERIES="$(QUERIES)" \
	    sh examples/sqlite/tests/run.sh
.PHONY: check-sqlite
