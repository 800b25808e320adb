#!/usr/bin/env python3
"""Which tests notice what? (`make mutants MATRIX=1`)

For a sample of mutants (see mutants.py), it runs every file of tests/unit/,
test.c, and the seeds of tests/fuzz/ once, each by itself, and prints how many
mutants each of them notices, and how many it notices alone. Files that notice
nothing alone are candidates to go. Tests of a file that notice nothing at all are
named. Last, it prints how many mutants `make test-all` notices, and how many of
these `make test` does; the exit status is 0 if that is at least 85%.

A mutant of bloom.h, of the chain or of keyed hashes is tested by unit/all.c in
the default mode and in the first other one that compiles its line, and if no
test notices it there, in the rest of the modes. One of another companion is
tested by the program of its name. Fuzz targets are compiled by tcc.

usage: matrix.py [COUNT] [SEED]     600 mutants, seed 1
Variables: JOBS, ONLY as in mutants.py. Results are in build/matrix.tsv, and a
run goes on where the last one ended.
"""
import collections
import glob
import multiprocessing
import os
import random
import re
import sys

import mutants
from mutants import (BUILD, DEFAULT, GCC, HEADERS, MODES, QUICK, TCC, all_mutants,
                     built_in, compile_header, execute, place, program_of, put,
                     read, run, stamp, OBJECT, SOURCES)

RESULTS = "build/matrix.tsv"
LEAST = 85          # percent of what make test-all notices, by make test
TEST_C = "promises_of_test_c()\n"
ALL_C = [mode for mode in ["separate", "portable", "tiny", "bare", "flash",
                           "atomic", "atomic-plain"] if mode in MODES]
FUZZ = [name for name in sorted(glob.glob("tests/fuzz/fuzz_*.c"))
        if os.path.exists(name[:-1] + "txt")]


def tests_object(mode, directory, out):
    """Compiles the test program of a mode, each test apart"""
    cc = (TCC,) if mode in QUICK and directory != "." else (GCC, "-O1")
    return not run(*cc, "-std=gnu99", "-w", "-I" + directory, "-DTEST_APART",
                   *MODES[mode][0], *MODES[mode][1], "-UTEST_RATES",
                   "-UTEST_LARGE", "-c",
                   "%s/tests/unit/%s.c" % (directory, program_of(mode)),
                   "-o", out)


def noticed(mode, mutant, only):
    """{file: tests of it} that notice the mutant in this mode; None if it does
    not compile"""
    here = place()
    test, bloom = (here + "/apart." + part for part in ("test.o", "bloom.o"))
    own = program_of(mode) != "all"
    if own or mutant.declares:
        if not tests_object(mode, here, test):
            return None if own else {"the compiler": {"error"}}
    else:
        test = "%s/%s.apart.o" % (BUILD, mode)
    cc = (TCC,) if mode in QUICK else (GCC, "-O0")
    objects = (test,)
    if not own:
        if not compile_header(mode, here, OBJECT, bloom):
            return None
        objects = (test, bloom)
    if run(*cc, *objects, "-o", here + "/apart"):
        return None
    _, out = execute(os.path.abspath(here + "/apart"), cwd=here,
                     TEST_SECONDS="20" if mode == "share" else "5",
                     **({"TEST_ONLY": only} if only else {}))
    found = {}
    for file, test in re.findall(r"^(\S+\.c) (.*): noticed$", out, re.M):
        name = file[file.index("tests/") + 6:]
        if test == "promises_of_test_c()":
            name = "test.c"
        found.setdefault(name, set()).add(test)
    if not re.search(r"^\d+ passed, \d+ failed$", out, re.M):
        found.setdefault("unit/%s.c" % program_of(mode), set()).add("end")
    return found


def fuzz_notices(mutant):
    """The targets whose seeds notice the mutant"""
    found = {}
    here = place()
    for source in FUZZ:
        name = source[11:-2]                    # fuzz_NAME
        companion = mutant.header != mutants.BLOOM
        if companion != ("companions" in name) and companion \
                or "bloom_file" in mutant.header or "keyed" in mutant.header:
            continue
        program = here + "/" + name
        if run(TCC, "-std=gnu99", "-w", "-I" + here, "-I.", "-DFUZZ_MAIN",
               "-DBLOOM_NO_SIMD", source, "-o", program):
            continue
        seeds = glob.glob(BUILD + "/seeds-" + name + "/*")
        if run("timeout", "300", program, *seeds, more_memory=True):
            found["fuzz/" + name] = {"seeds"}
    return found


def judge(arguments):
    """(id, files that notice it and their tests, by make test, by test-all)"""
    mutant, modes = arguments
    put(mutant.header, mutant.text())
    found, fast, compiled = {}, False, False
    for number, mode in enumerate(modes):
        if number > 1 and found:
            break
        only = reached[mode].get(mutant.name, "")
        here = noticed(mode, mutant, only)
        if here is None:
            continue
        compiled = True
        for name, tests in here.items():
            found.setdefault(name, set()).update(tests)
        fast = fast or (bool(here) if mode in FAST else
                        mode == "tiny" and "test.c" in here)
    everything = bool(found)
    for name, tests in (fuzz_notices(mutant) if compiled else {}).items():
        found[name] = tests
    put(mutant.header, SOURCES[mutant.header])
    return mutant.id, compiled, fast, everything, sorted(
        name + "|" + test for name in found for test in found[name])


FAST = {DEFAULT, "window", "slices", "slices-default", "file", "share"}
reached = {}


def prepare(mode):
    if not tests_object(mode, ".", "%s/%s.apart.o" % (BUILD, mode)):
        sys.exit("matrix: the tests in mode %s do not compile" % mode)
    return mutants.tests_of_functions(mode)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    jobs = int(os.environ.get("JOBS", os.cpu_count()))
    everything = [m for header in HEADERS for m in all_mutants(header)]
    mine = mutants.chosen(everything, count, seed)
    random.Random(seed).shuffle(mine)
    os.makedirs(BUILD, exist_ok=True)
    for source in FUZZ:
        run("sh", "tests/fuzz/unpack.sh", source[:-1] + "txt",
            BUILD + "/seeds-" + source[11:-2])

    modes_for = {header: ["separate", "portable", "atomic"] for header in HEADERS}
    modes_for[mutants.BLOOM] = ALL_C
    for name in "window", "slices", "file":
        modes_for["examples/companions/bloom_%s.h" % name] = [name]
    modes_for["examples/companions/bloom_file.h"] = ["file", "share"]
    built = {(header, mode): built_in(mode, header)
             for header in HEADERS for mode in modes_for[header]}
    tasks = [(m, [mode for mode in modes_for[m.header]
                  if m.begins in built[m.header, mode]]) for m in mine]
    now = stamp(*map(read, mutants.TESTS + list(HEADERS)
                     + glob.glob("tests/quality/m*.py") + FUZZ))
    known = {}
    if os.path.exists(RESULTS):
        for line in open(RESULTS):
            words = line.rstrip("\n").split("\t")
            if words[0] == now:
                known[words[1]] = words
    with multiprocessing.Pool(jobs) as pool:
        modes = sorted({mode for _, some in tasks for mode in some})
        reached.update(zip(modes, pool.map(prepare, modes)))
    todo = [task for task in tasks if task[0].id not in known]
    with open(RESULTS, "a") as log, multiprocessing.Pool(jobs) as pool:
        for number, compiled, fast, slow, found in pool.imap_unordered(judge,
                                                                       todo):
            known[number] = [now, number, str(int(compiled)), str(int(fast)),
                             str(int(slow))] + found
            log.write("\t".join(known[number]) + "\n")
            log.flush()
    report([known[m.id] for m in mine])


def report(rows):
    rows = [row for row in rows if row[2] == "1"]
    notice, alone, tests = (collections.Counter() for _ in range(3))
    for row in rows:
        files = {name.split("|")[0] for name in row[5:]}
        notice.update(files)
        if len(files) == 1:
            alone.update(files)
        tests.update(row[5:])
    print("%d mutants that compile; %d noticed" % (
        len(rows), sum(len(row) > 5 for row in rows)))
    print("%-20s %8s %6s" % ("file", "notices", "alone"))
    files = {name.split("/", 1)[1] for name in
             glob.glob("tests/unit/*.c") + FUZZ} - {"unit/all.c"} | {"test.c"}
    for name in sorted({re.sub(r"^(fuzz/.*)\.c$", r"\1", file)
                        for file in files} | set(notice)):
        print("%-20s %8d %6d" % (name, notice[name], alone[name]))
    fast = sum(row[3] == "1" for row in rows)
    slow = sum(row[4] == "1" for row in rows)
    share = 100.0 * fast / slow if slow else 0
    print("make test-all notices %d, make test %d of them: %.1f%%" % (
        slow, fast, share))
    sys.exit(share < LEAST)


if __name__ == "__main__":
    main()
