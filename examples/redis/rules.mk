# redis: a module for Redis and Valkey, compatible with RedisBloom
#   make redis          build build/bloom.redis.so. Then `make install` installs it
#                       in PREFIX/lib/redis/modules
#   make check-redis    replies, restarts, replicas, RedisBloom's data; 2 min
# * make redis-kills    servers of a replica set and of a cluster are killed, then
#                       one server under load. RUNS=1000: so many kills; 2 min
# * make redis-mixed    a replica set of this module and of RedisBloom, which
#                       REDISBLOOM=FILE names; 2 min
# * make redis-race     speed, memory, and how long a command blocks the server,
#                       compared with Redis's own sets; 2 min

CHECKS += check-redis
PACKAGES += redis-server redis-tools python3-redis gcc
LONG += redis-kills:RUNS=1000

build/redismodule.h: | build
	@sh examples/redis/header.sh

redis: build/bloom.redis.so
build/bloom.redis.so: $(wildcard examples/redis/*.[ch]) $(BLOOM) | \
    build/redismodule.h
	$(C99) -Wconversion -Wsign-conversion -Wshadow -shared -fPIC \
	    -isystem build examples/redis/module.c -o $@

check-redis: | build/redismodule.h
	@CC="$(CC)" sh examples/redis/tests/run.sh

# redismodule.h may have to be downloaded, so `make install` does not build the
# module. Redis refuses a module that is not executable.
install:: $(wildcard build/bloom.redis.so)
	$(if $^,$(call put,755,$<,lib/redis/modules))
uninstall::
	rm -f $(INSTALLED)/lib/redis/modules/bloom.redis.so

redis-kills: | build/redismodule.h
	@CC="$(CC)" sh examples/redis/tests/kills.sh $(RUNS)

redis-mixed: build/bloom.redis.so
	/usr/bin/python3 -B examples/redis/tests/mixed.py build/bloom.redis.so \
	    $(if $(REDISBLOOM),$(REDISBLOOM),$(error REDISBLOOM=FILE is missing))

redis-race: | build/redismodule.h
	@CC="$(CC)" sh examples/redis/tests/race.sh

.PHONY: redis check-redis redis-kills redis-mixed redis-race
