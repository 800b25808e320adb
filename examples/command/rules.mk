# command: bloom, a command that remembers lines in filters
# `make test` runs a test for each promise of the manual page, `make test-all` the
# whole suite.
#   make demo            all paths below /usr, compared with sort -u; 3 s
#   make crash           kill the command at each system call and at random, cut the
#                        power, fill its disk; as root, 1 min. RUNS=1000: that many
#                        kills at random
# * make race            uniq on 10^7 lines, compared with sort -u and awk; 1 min.
#                        ONLY=short: its memory and losses, on 2 * 10^6 lines
#   make check-command   these three (race ONLY=short) and coverage; as root, 2 min.
#                        ALL=1: also static analysers

PRODUCTS += build/bloom
TESTS += build/command.out
MORE += build/command-all.out
CHECKS += check-command
LONG += race crash:RUNS=1000 check-command:ALL=1
PACKAGES += strace python3 mandoc gcovr gcc binutils

COMMAND = examples/command
build/bloom: $(wildcard $(COMMAND)/*.[ch]) $(BLOOM) $(COMMAND)/rules.mk
	$(C99) $(wildcard $(COMMAND)/*.c) -pthread -o $@

# The subjects of one word run one after the other: `files` and `dump` use files
# that `kept` and `build` make.
SUBJECTS = kept+build+files+dump printed+plan uniq+fold usage keys+forget install \
    state
build/command.out: build/command-promises.out
	@cp $< $@
build/command-all.out: $(SUBJECTS:%=build/command-%.out)
	@. tests/helpers.sh && for part in $(SUBJECTS); do \
	    sum $$part build/command-$$part.out; done >$@; counted >>$@ || :
build/command-%.out: build/bloom FORCE
	@CC="$(CC)" sh $(COMMAND)/tests/command.sh build/bloom \
	    $(subst +, ,$*) >$@ 2>&1 || :

demo: build/bloom build/peak
	@sh $(COMMAND)/tests/demo.sh build/bloom build/peak

race: build/bloom build/peak
	@sh $(COMMAND)/tests/race.sh build/bloom build/peak $(ONLY)

build/cuts.so: $(COMMAND)/tests/cuts.c build/flags
	$(CC) $(WARN) $(CFLAGS) -shared -fPIC $< -o $@
build/shares: $(COMMAND)/tests/shares.c $(BLOOM)
	$(C99) $< -o $@
build/fast_clock.so: $(COMMAND)/tests/fast_clock.c build/flags
	$(CC) $(WARN) $(CFLAGS) -shared -fPIC $< -o $@
crash: build/bloom build/cuts.so build/fast_clock.so build/shares
	@python3 $(COMMAND)/tests/crash.py build $(or $(RUNS),20)

check-command: | build
	@CC="$(CC)" MAKE="$(MAKE) -s" RUNS="$(RUNS)" ALL=$(ALL) \
	    sh $(COMMAND)/tests/run.sh

install:: build/bloom
	$(call put,755,build/bloom,bin)
	$(call put,644,$(COMMAND)/bloom.1,share/man/man1)
	install -d $(INSTALLED)/share/bash-completion/completions
	install -m 644 $(COMMAND)/bloom.bash \
	    $(INSTALLED)/share/bash-completion/completions/bloom
uninstall::
	rm -f $(addprefix $(INSTALLED)/,bin/bloom share/man/man1/bloom.1 \
	    share/bash-completion/completions/bloom)

.PHONY: demo race crash check-command
