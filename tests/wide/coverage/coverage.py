#!/usr/bin/env python3
"""Run by `make coverage`: the lines and branches of bloom.h and bloom_chain.h
that the test program runs, in all its modes together, counted by gcc and gcov without
optimisation. Fails if no mode runs a line or takes a branch of a function that
uncovered.txt does not name, with a reason; what is not run in those is printed
with it. Then the lines of the command, examples/bloom, that its tests
(command.sh) run: fails below 95%, and names those that they do not run.

The mode of the rates is left out: it is slow without optimisation and runs no
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
    "portable": ["-DBLOOM_STATIC", "-DTEST_MALLOC", "-U__SIZEOF_INT128__",
                 "-DBLOOM_NO_SIMD"],
    "atomic": ["-DBLOOM_STATIC", "-DBLOOM_ATOMIC"],
    "atomic-plain": ["-DBLOOM_STATIC", "-DBLOOM_ATOMIC", "-DBLOOM_NO_SIMD"],
}


def run(folder, *command):
    subprocess.run(command, cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)


def gcov(folder, counts):
    """(file, lines) of each source file in gcov's account of these counts"""
    run(folder, "gcov", "-b", "-c", "-j", *counts)
    for name in glob.glob(folder + "/*.gcov.json.gz"):
        with gzip.open(name) as file:
            for part in json.load(file)["files"]:
                yield part["file"], part["lines"]


def measure(mode):
    """gcov's own account of the headers in this mode: lists of their lines"""
    folder = BUILD + "/" + mode
    os.makedirs(folder)
    up = os.path.relpath(".", folder)
    # Each function once, not once more in each caller, layout and SIMD
    run(folder, "gcc", "-std=c99", "-O0", "--coverage", "-I" + up,
        "-Dalways_inline=unused",
        *MODES[mode], up + "/tests/unit/all.c", "-o", "all")
    run(folder, "./all", up + "/tests/unit/murmur3.tsv")
    return {os.path.basename(name): lines
            for name, lines in gcov(folder, ["all.gcda"])}


def gather(measured, name):
    """Counts by line, and by (line, branches there, number of the branch):
    the same line has other branches where a mode's macros are constants; and
    the function that each line is in"""
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
    """{function: why the tests do not come to all of it}"""
    with open("tests/wide/coverage/uncovered.txt") as file:
        pairs = [line.partition(":") for line in file
                 if line.strip() and line[0] != "#"]
    return {name: reason.strip() for names, _, reason in pairs
            for name in names.split()}


def header(measured, name, known):
    """True if all of a header is run, or has a reason"""
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
        print("uncovered.txt: all is run of", whole)
    print("coverage of %s: %d of %d lines, %d of %d branches; %d not run with "
          "a reason, %d without" % (
              name, sum(1 for n in lines if lines[n]), len(lines),
              sum(1 for b in branches if branches[b]), len(branches),
              explained, failed))
    return failed == 0


def measure_command():
    """Counts by (file, line) of the command and of what it includes; what a
    signal ends says before that what it has run, unless it is SIGKILL."""
    folder = BUILD + "/command"
    os.makedirs(folder)
    up = os.path.relpath(".", folder)
    names = []
    for source in glob.glob("examples/bloom/*.c"):
        run(folder, "gcc", "-std=c99", "-O0", "--coverage", "-I" + up,
            "-Draise=raise_counted",
            "-c", up + "/" + source)
        names.append(os.path.basename(source)[:-2])
    run(folder, "gcc", "--coverage", "-pthread", *(n + ".o" for n in names),
        up + "/tests/wide/coverage/raise.c", "-o", "bloom")
    run(".", "sh", "tests/wide/command/command.sh", folder + "/bloom")
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
    """True if enough of it is run"""
    lines = measure_command()
    missed = sorted(at for at in lines if lines[at] == 0)
    for name, number in missed:
        with open(name) as file:
            print("%s:%d: not run: %s" % (name, number,
                                          file.readlines()[number - 1].strip()))
    share = 100 - 100.0 * len(missed) / len(lines)
    print("coverage of the command: %d of %d lines, %.1f%%; %d%% is the least"
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
