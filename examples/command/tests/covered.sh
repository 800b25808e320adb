# Run by `make check-command`: builds the command for gcov, and runs its tests.
# gcovr lists the lines that no test runs. Fewer than 95% are a failure.
. tests/helpers.sh
dir=build/coverage-command
rm -rf $dir && mkdir -p $dir || exit 1

# Replaces raise() in the command: writes gcov's counts before the signal ends it
cat >$dir/raise.c <<'END'
#undef raise
#include <signal.h>
void __gcov_dump(void);
int raise_counted(int number);
int raise_counted(int number) { __gcov_dump(); return raise(number); }
END
gcc -std=c99 -O1 --coverage -Draise=raise_counted -I. examples/command/*.c \
    $dir/raise.c -pthread -o $dir/bloom &&
    sh examples/command/tests/command.sh $dir/bloom &&
    gcovr --root . --filter examples/command/ --fail-under-line 95 $dir
