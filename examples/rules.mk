# examples/*.c: small programs, one file each
#   make check-examples   each prints what its comment says; 30 s

MORE += build/publish.out
CHECKS += check-examples
PACKAGES += g++ libxxhash-dev python3

# The code of "A filter that is published, and its updates", and its test
build/publish.h: examples/companions/README.md | build
	sed -n '/^## A filter that is published/,/^## /s/^    //p' $< >$@
build/publish: examples/tests/publish.c tests/unit/check.h build/publish.h $(BLOOM)
	$(C99) $< -o $@
build/publish.out: build/publish FORCE
	@$< >$@ 2>&1 || :
strict: build/publish.h

check-examples: | build
	@CC="$(CC)" CXX="$(CXX)" sh examples/tests/run.sh

.PHONY: check-examples
