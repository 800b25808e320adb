# formats: reads and makes the Bloom filters of other software
#   make check-formats    compared with Guava, DuckDB and Bitcoin's test vectors;
#                         half a minute. ALL=1: 10^9 lookups for each rate of
#                         `parquet memory`, and more damaged files; 6 min.
#                         PARQUET_TESTING=dir CHDB=dir: files of other projects,
#                         see README

CHECKS += check-formats
LONG += check-formats:ALL=1
PACKAGES += default-jdk-headless libguava-java libxxhash-dev nodejs npm

check-formats: | build
	@CC="$(CC)" ALL="$(ALL)" PARQUET_TESTING="$(PARQUET_TESTING)" \
	    CHDB="$(CHDB)" sh examples/formats/tests/run.sh
.PHONY: check-formats
