# Run by `make interop`: the examples that need other software. What is missing
# is named with its Debian package, and counts as failed.
target=interop
. tests/wide/examples/need.sh
need 'echo "#include <sqlite3.h>" | ${CC:-cc} -E -' sqlite3.h libsqlite3-dev
need 'command -v sqlite3' sqlite3 sqlite3
need 'command -v gnuplot' gnuplot gnuplot-nox
[ $status -eq 0 ] || exit 1

sh tests/wide/examples/examples.sh guard:-lsqlite3 tables:-lm guava:-lm \
    spark:-lm cassandra:-lm || status=1
build/tables build/tables.svg >build/tables.out || status=1
if grep -q '<svg' build/tables.svg; then
    echo "tables: drew build/tables.svg"
else
    echo "tables: drew no chart"
    status=1
fi
sh tests/wide/jvm/run.sh || status=1
sh tests/wide/parquet/run.sh || status=1
sh tests/wide/sqlite/run.sh demo || status=1
sh tests/wide/redis/run.sh || status=1
sh tests/wide/redis/moving.sh || status=1
sh tests/wide/redis/settings.sh || status=1
sh tests/wide/redis/limits.sh || status=1
sh tests/wide/redis/failover.sh || status=1
exit $status
