# leveldb: bloom_leveldb.h, filters of bloom.h for LevelDB
#   make check-leveldb    every key is found, the rate is at most p, and damage
#                         hides no key; 10 s
# * make leveldb          time, rate and blocks read, beside LevelDB's own filters:
#                         10^6 keys, or KEYS=N in blocks of BLOCK_SIZE=N; a minute

CHECKS += check-leveldb
PACKAGES += g++ libleveldb-dev

check-leveldb: | build
	@CXX="$(CXX)" sh examples/leveldb/tests/run.sh

build/leveldb-demo: examples/leveldb/demo.cpp examples/leveldb/bloom_leveldb.h \
    $(BLOOM)
	$(CXX) -std=c++11 $(WARN) -O2 -I. examples/leveldb/demo.cpp -o $@ -lleveldb
leveldb: build/leveldb-demo
	build/leveldb-demo $(if $(DECIMAL),decimal) $(KEYS) $(BLOCK_SIZE)
.PHONY: check-leveldb leveldb
