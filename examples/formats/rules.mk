# formats: reads and makes the Bloom filters of other software
#   make check-formats    compared with Guava, DuckDB and Bitcoin's test vectors;
#                         1 min. LOOKUPS=1e9: measures the rates of `parquet
#                         memory` with that many lookups each.
#                         PARQUET_TESTING=dir CHDB=dir: files of other projects,
#                         see README

CHECKS += check-formats
PACKAGES += default-jdk-headless libguava-java libxxhash-dev nodejs npm

check-formats: | build
	@CC="$(CC)" LOOKUPS="$(LOOKUPS)" PARQUET_TESTING="$(PARQUET_TESTING)" \
	    CHDB="$(CHDB)" sh examples/formats/tests/run.sh
.PHONY: check-formats
