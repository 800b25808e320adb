# `make check-redis` runs this script: each of the scripts below is one test, and
# prints what it tried. This script builds the module once for all of them.
# To run one alone: sh examples/redis/tests/NAME.sh
# To test another Redis, or Valkey: REDIS_SERVER=/path/to/server make check-redis
. examples/redis/tests/server.sh
build
each_must_end
export BUILT="$module"
for part in replies windows limits corrupted restarts from_redisbloom repeated settings \
    failover install
do
    echo "-- $part"
    check $part sh examples/redis/tests/$part.sh
done
counted
