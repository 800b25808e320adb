# python: bloom.py, bloom.h for Python 3.8 and later
#   make check-python     types of keys, files, threads, pip and mypy; 30 s.
#                         RBLOOM=FILE: also the api_test.py of rbloom, see README
# * make speed-python     update() compared with add(), and what a secret costs

CHECKS += check-python
PACKAGES += python3 python3-numpy python3-venv mypy

check-python: libbloom
	@MAKE="$(MAKE) -s" VERSION=$(VERSION) RBLOOM="$(RBLOOM)" \
	    sh examples/python/tests/run.sh

speed-python: libbloom
	@/usr/bin/python3 examples/python/tests/speed.py
.PHONY: check-python speed-python
