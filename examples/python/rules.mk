# python: bloom.py, bloom.h for Python 3.8 and later
#   make check-python     types of keys, files, threads, pip and mypy; 30 s

CHECKS += check-python
PACKAGES += python3 python3-numpy python3-venv mypy

check-python: libbloom
	@MAKE="$(MAKE) -s" VERSION=$(VERSION) \
	    sh examples/python/tests/run.sh

.PHONY: check-python
