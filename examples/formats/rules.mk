# formats: reads and makes the Bloom filters of other software
#   make check-formats    compared with nm, git, Guava, DuckDB, and with files of
#                         Spark and Cassandra; 1 min. LOOKUPS=1e9: measures the
#                         rates of `parquet memory` with that many lookups each.
#                         PARQUET_TESTING=dir CHDB=dir CASSANDRA=dir: files of
#                         other projects, see README

CHECKS += check-formats
PACKAGES += binutils git python3 default-jdk-headless libguava-java \
    libxxhash-dev nodejs npm

check-formats: libbloom
	@CC="$(CC)" LOOKUPS="$(LOOKUPS)" PARQUET_TESTING="$(PARQUET_TESTING)" \
	    CHDB="$(CHDB)" CASSANDRA="$(CASSANDRA)" sh examples/formats/tests/run.sh
.PHONY: check-formats
