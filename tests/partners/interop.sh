# Run by `make interop`: runs the examples that need other software. If software is
# missing, prints the name of its Debian package and fails.
target=interop
. tests/unit/count.sh
need 'echo "#include <sqlite3.h>" | ${CC:-cc} -E -' sqlite3.h libsqlite3-dev
need 'command -v sqlite3' sqlite3 sqlite3
need 'command -v gnuplot' gnuplot gnuplot-nox
[ $status -eq 0 ] || exit 1

sh tests/examples/examples.sh guard:-lsqlite3 class/tables:-lm \
    formats/guava:-lm formats/spark:-lm formats/cassandra:-lm || status=1
build/tables build/tables.svg >build/tables.out || status=1
if grep -q '<svg' build/tables.svg; then
    echo "tables: drew build/tables.svg"
else
    echo "tables: drew no chart"
    status=1
fi
sh tests/partners/jvm/run.sh || status=1
sh tests/partners/parquet/run.sh || status=1
sh tests/partners/sqlite/run.sh demo || status=1
sh tests/partners/redis/run.sh || status=1
sh tests/partners/redis/from_redisbloom.sh || status=1
sh tests/partners/redis/settings.sh || status=1
sh tests/partners/redis/failover.sh || status=1
exit $status
