# formats: reads and makes the Bloom filters of other software
#   make check-formats    compared with Guava, DuckDB and Bitcoin's test vectors;
#                         half a minute. ALL=1: more damaged files

CHECKS += check-formats
LONG += check-formats:ALL=1
PACKAGES += default-jdk-headless libguava-java libxxhash-dev nodejs npm

check-formats: | build
	@CC="$(CC)" ALL="$(ALL)" sh examples/formats/tests/run.sh
.PHONY: check-formats
