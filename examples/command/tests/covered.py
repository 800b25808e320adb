#!/usr/bin/env python3
"""Tests that the command's tests run its code: gcov counts which of its lines
they run. Lines that are not run are printed. Fewer than 95% are a failure."""
import collections
import glob
import os
import shutil
import sys

sys.path.insert(0, "tests/quality")
sys.dont_write_bytecode = True
from coverage import gcov, run      # noqa: E402

LEAST = 95      # percent
FOLDER = "build/coverage-command"
# Replaces raise() in the command: writes gcov's counts before the signal ends it.
RAISE = """#include <signal.h>
void __gcov_dump(void);
int raise_counted(int number);
int raise_counted(int number) { __gcov_dump(); return raise(number); }
"""


def measure():
    """Counts by (file, line) of the command and its headers. RAISE writes the
    counts of a command that a signal ends, unless that is SIGKILL."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    up = os.path.relpath(".", FOLDER)
    names = []
    for source in glob.glob("examples/command/*.c"):
        run(FOLDER, "gcc", "-std=c99", "-O0", "--coverage", "-I" + up,
            "-Draise=raise_counted", "-c", up + "/" + source)
        names.append(os.path.basename(source)[:-2])
    with open(FOLDER + "/raise.c", "w") as file:
        file.write(RAISE)
    run(FOLDER, "gcc", "--coverage", "-pthread", *(n + ".o" for n in names),
        "raise.c", "-o", "bloom")
    run(".", "sh", "examples/command/tests/command.sh", FOLDER + "/bloom")
    lines = collections.Counter()
    for name, counts in gcov(FOLDER, [n + ".gcda" for n in names if
                                      os.path.exists(FOLDER + "/" + n
                                                     + ".gcda")]):
        name = os.path.relpath(os.path.join(FOLDER, name))
        if name.startswith("examples/command/"):
            for line in counts:
                lines[name, line["line_number"]] += line["count"]
    return lines


lines = measure()
missed = sorted(at for at in lines if lines[at] == 0)
for name, number in missed:
    with open(name) as file:
        print("%s:%d: not run: %s" % (name, number,
                                      file.readlines()[number - 1].strip()))
share = 100 - 100.0 * len(missed) / len(lines)
print("coverage of the command: %d of %d lines, %.1f%%; the least is %d%%"
      % (len(lines) - len(missed), len(lines), share, LEAST))
sys.exit(share < LEAST)
