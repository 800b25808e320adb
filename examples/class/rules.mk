# class: a Bloom filter in 90 minutes, a lesson with an exercise and its checker
#   make check-class      gives wrong solutions to the checker, measures the rates,
#                         draws curves with gnuplot; 20 s. ALL=1: the tables, too

CHECKS += check-class
LONG += check-class:ALL=1
PACKAGES += gnuplot-nox

check-class: | build
	@CC="$(CC)" ALL="$(ALL)" sh examples/class/tests/run.sh
.PHONY: check-class
