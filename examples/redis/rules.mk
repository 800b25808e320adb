# redis: a module for Redis and Valkey, compatible with RedisBloom
#   make redis          build build/bloom.redis.so. Then `make install` installs it
#                       in PREFIX/lib/redis/modules
#   make check-redis    replies, restarts, replicas, RedisBloom's data; 2 min

CHECKS += check-redis
PACKAGES += redis-server redis-tools python3-redis gcc

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

.PHONY: redis check-redis
