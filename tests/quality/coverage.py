#!/usr/bin/env python3
"""Tests that the tests run all of the code (`make coverage`). gcov counts which
lines and branches of bloom.h and bloom_chain.h the test program runs, in all
its modes together, without optimisation. Each line and branch that no mode runs
is printed. It is a failure, unless UNCOVERED names its function with a
reason.

Then gcov counts which lines of the command (examples/command/) its own tests
run. Lines that are not run are printed. Fewer than 95% are a failure.

Measured rates are left out. They are slow without optimisation, and run no
other code than the mode "same".
"""
import collections
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys

BUILD = "build/coverage"
CHAIN = "examples/companions/bloom_chain.h"
COMMAND_LEAST = 95      # per cent
MODES = {
    "same": ["-DBLOOM_IMPLEMENTATION"],
    "tiny": ["-DBLOOM_STATIC", "-DBLOOM_TINY"],
    "bare": ["-DBLOOM_IMPLEMENTATION", "-DBLOOM_NO_FLOAT",
             "-DBLOOM_NO_MALLOC", "-D__OPTIMIZE_SIZE__=1"],
    "flash": ["-DBLOOM_STATIC", "-DBLOOM_NO_FLOAT", "-DTEST_FLASH"],
    "portable": ["-DBLOOM_STATIC", "-DTEST_MALLOC", "-DTEST_LARGE",
                 "-U__SIZEOF_INT128__", "-DBLOOM_NO_SIMD"],
    "atomic": ["-DBLOOM_STATIC", "-DBLOOM_ATOMIC"],
    "atomic-plain": ["-DBLOOM_STATIC", "-DBLOOM_ATOMIC", "-DBLOOM_NO_SIMD"],
}

# Functions of bloom.h that the tests do not run completely, and why. Anything
# that is not run in another function is a failure.
UNCOVERED = {
    "bloom_add_hash bloom_may_contain_hash bloom_add_u64 "
    "bloom_may_contain_u64 bloom_add_general_ bloom_test_general_ "
    "bloom_hash_integers_ bloom_many_":
        "paths for a CPU without AVX2; the portable mode runs the same code",
    "bloom_count_ bloom_combine_words_":
        "paths after another thread came between, or after a compare-and-swap "
        "failed for no reason, which never happens on x86; see "
        "tests/threads/threads.c",
    "bloom_allocate_":
        "the size does not fit into a 32-bit size_t",
    "bloom_probe_bits_":
        "k & 7 is always one of the eight cases; gcov counts a ninth branch "
        "for none of them",
}
# Replaces raise() in the command: writes gcov's counts before the signal ends it.
RAISE = """#include <signal.h>
void __gcov_dump(void);
int raise_counted(int number);
int raise_counted(int number) { __gcov_dump(); return raise(number); }
"""


def run(folder, *command):
    subprocess.run(command, cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)


def gcov(folder, counts):
    """Yields (file, lines) for each source file in gcov's report"""
    run(folder, "gcov", "-b", "-c", "-j", *counts)
    for name in glob.glob(folder + "/*.gcov.json.gz"):
        with gzip.open(name) as file:
            for part in json.load(file)["files"]:
                yield part["file"], part["lines"]


def measure(mode):
    """Runs the tests in this mode. Returns gcov's lines of each header."""
    folder = BUILD + "/" + mode
    os.makedirs(folder)
    up = os.path.relpath(".", folder)
    # Without always_inline, each function is counted once, not in each caller
    run(folder, "gcc", "-std=c99", "-O0", "--coverage", "-I" + up,
        "-Dalways_inline=unused",
        *MODES[mode], up + "/tests/unit/all.c", "-o", "all")
    run(folder, "./all", up + "/tests/unit/murmur3.tsv")
    return {os.path.basename(name): lines
            for name, lines in gcov(folder, ["all.gcda"])}


def gather(measured, name):
    """Adds up all modes. Returns the counts by line; the counts by (line,
    number of branches, branch), as a line has other branches in modes whose
    macros are constants; and the function of each line."""
    lines, branches = collections.Counter(), collections.Counter()
    function = {}
    for mode in MODES:
        for line in measured[mode].get(os.path.basename(name), []):
            number, there = line["line_number"], line["branches"]
            function[number] = line.get("function_name", "")
            lines[number] += line["count"]
            for i, branch in enumerate(there):
                branches[number, len(there), i] += branch["count"]
    return lines, branches, function


def reasons():
    """{function: why the tests do not run all of it}"""
    return {name: reason for names, reason in UNCOVERED.items()
            for name in names.split()}


def header(measured, name, known):
    """True if each line and branch of a header is run, or has a reason"""
    lines, branches, function = gather(measured, name)
    with open(name) as file:
        source = [text.strip() for text in file]
    failed, explained = 0, 0
    missed = [(n, "never run") for n in lines if lines[n] == 0]
    missed += [(n, "branch %d of %d never taken" % (i + 1, of))
               for n, of, i in branches if branches[n, of, i] == 0]
    for number, what in sorted(missed):
        reason = known.get(function[number])
        failed += reason is None
        explained += reason is not None
        print("%s:%d: %s: %s: %s%s" % (
            name, number, function[number], what, source[number - 1],
            "\n    " + reason if reason else ""))
    for whole in sorted(set(known) - {function[n] for n, _ in missed}):
        print("UNCOVERED: no longer needed, as all of it is run:", whole)
    print("coverage of %s: %d of %d lines, %d of %d branches; %d not run with "
          "a reason, %d without" % (
              name, sum(1 for n in lines if lines[n]), len(lines),
              sum(1 for b in branches if branches[b]), len(branches),
              explained, failed))
    return failed == 0


def measure_command():
    """Counts by (file, line) of the command and its headers. RAISE writes the
    counts of a command that a signal ends, unless that is SIGKILL."""
    folder = BUILD + "/command"
    os.makedirs(folder)
    up = os.path.relpath(".", folder)
    names = []
    for source in glob.glob("examples/command/*.c"):
        run(folder, "gcc", "-std=c99", "-O0", "--coverage", "-I" + up,
            "-Draise=raise_counted",
            "-c", up + "/" + source)
        names.append(os.path.basename(source)[:-2])
    with open(folder + "/raise.c", "w") as file:
        file.write(RAISE)
    run(folder, "gcc", "--coverage", "-pthread", *(n + ".o" for n in names),
        "raise.c", "-o", "bloom")
    run(".", "sh", "tests/command/command.sh", folder + "/bloom")
    lines = collections.Counter()
    for name, counts in gcov(folder, [n + ".gcda" for n in names
                                      if os.path.exists(folder + "/" + n
                                                        + ".gcda")]):
        name = os.path.relpath(os.path.join(folder, name))
        if name.startswith("examples/"):
            for line in counts:
                lines[name, line["line_number"]] += line["count"]
    return lines


def command():
    """True if enough lines of the command are run"""
    lines = measure_command()
    missed = sorted(at for at in lines if lines[at] == 0)
    for name, number in missed:
        with open(name) as file:
            print("%s:%d: not run: %s" % (name, number,
                                          file.readlines()[number - 1].strip()))
    share = 100 - 100.0 * len(missed) / len(lines)
    print("coverage of the command: %d of %d lines, %.1f%%; the least is %d%%"
          % (len(lines) - len(missed), len(lines), share, COMMAND_LEAST))
    return share >= COMMAND_LEAST


def main():
    for tool in "gcc", "gcov":
        if not shutil.which(tool):
            sys.exit("coverage needs %s: apt-get install gcc" % tool)
    shutil.rmtree(BUILD, ignore_errors=True)
    measured = {mode: measure(mode) for mode in MODES}
    complete = all([header(measured, "bloom.h", reasons()),
                    header(measured, CHAIN, {})])
    sys.exit(not (command() and complete))


main()
