# class: a Bloom filter in 90 minutes, a lesson with an exercise and its checker
#   make check-class      gives wrong solutions to the checker, measures the rates,
#                         draws curves and tables with gnuplot; 1 min

CHECKS += check-class
PACKAGES += gnuplot-nox

check-class: | build
	@CC="$(CC)" sh examples/class/tests/run.sh
.PHONY: check-class
