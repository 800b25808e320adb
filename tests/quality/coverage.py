#!/usr/bin/env python3
"""Tests that the tests run all of the code (`make coverage`). gcov counts which
lines and branches of bloom.h and its companions are run by the test program, in
all its modes together, and by unit/window.c and slices.c. Each line and branch
that is never run is printed. It is a failure, unless UNCOVERED names its
function with a reason.

tests/modes.txt names the modes. Measured rates are left out: they are slow
without optimisation, and run no further code.
"""
import collections
import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import sys

BUILD = "build/coverage"
# Functions that the tests do not run completely, and why. Anything that is not
# run in another function is a failure. tests/inside.h says what bloom.h calls
# those that begin with inside_.
UNCOVERED = {
    "inside_count inside_combine_words inside_remove_counted":
        "paths after another thread came between, or after a compare-and-swap "
        "failed for no reason, which never happens on x86; see "
        "tests/threads/threads.c",
    "inside_allocate inside_check_fields bloom_window_copy":
        "the size does not fit into a 32-bit size_t, or memory is short",
    "bloom_chain_set_room_": "a room beyond 2^63 keys",
    "bloom_new bloom_new_layout bloom_rate_": "BLOOM_ASSERT, by default, checks nothing",
    "bloom_slices_find_words_ bloom_slices_find_wide_":
        "for vectors of 64 bytes, which this CPU may lack",
    "bloom_file_why_ bloom_file_follow_ bloom_file_copy_owner_ "
    "bloom_file_folder_ bloom_file_complete_ bloom_file_is_named_ "
    "bloom_file_zeros_ bloom_file_read_ bloom_file_is_whole_ bloom_file_view_ "
    "bloom_file_leads_to_ bloom_file_refuse_list_ bloom_file_sync_folder_ "
    "bloom_file_put_in_place_ bloom_file_begin_":
        "another program changes the file between two calls; errors of rare "
        "file systems; and two errors at the same time",
    "bloom_file_cells_ bloom_load bloom_file_sync_fd_ bloom_file_reserve_ "
    "bloom_file_create_shared_ bloom_file_open_shared_ "
    "bloom_file_check_shared_ bloom_file_map_shared_":
        "a system call of sharing or loading fails (reading, syncing, linking, "
        "mapping), which share.c does not make happen",
    "inside_probe_block_simd":
        "without SIMD, no call of it is compiled",
}


def modes(target):
    """{name: (options of bloom.h, flags of the tests)} of the modes that this
    target of make uses"""
    listed = subprocess.check_output(
        ["sh", "-c", ". tests/helpers.sh; flags " + target], text=True)
    return {name: (options.split(), tests.split()) for name, options, tests
            in (line.split("|") for line in listed.splitlines())}


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


def measure(name, source, *flags):
    """Runs a test program. Returns gcov's lines of each file of C."""
    folder = BUILD + "/" + name
    program = folder + "/" + os.path.basename(source)[:-2]
    os.makedirs(folder)
    # Without always_inline, each function is counted once, not in each caller
    run(".", "gcc", "-std=c99", "--coverage", "-I.", "-Dalways_inline=unused",
        *flags, "-O0", source, "-o", program)
    run(".", program)
    return {os.path.basename(file): lines for file, lines
            in gcov(folder, [os.path.basename(program) + ".gcda"])}


def gather(measured, name):
    """Adds up all programs. Returns the counts by line; the counts by (line,
    number of branches, branch), as a line has other branches in modes whose
    macros are constants; and the function of each line."""
    lines, branches = collections.Counter(), collections.Counter()
    function = {}
    for part in measured:
        for line in part.get(os.path.basename(name), []):
            number, there = line["line_number"], line["branches"]
            function[number] = re.sub("^BLOOM_ATOMIC_", "",
                                      line.get("function_name", ""))
            lines[number] += line["count"]
            for i, branch in enumerate(there):
                branches[number, len(there), i] += branch["count"]
    return lines, branches, function


def header(measured, name, known):
    """Returns the functions of a header with lines or branches that are not
    run, and how many of these have no reason. Prints each of them."""
    lines, branches, function = gather(measured, name)
    with open(name) as file:
        source = [text.strip() for text in file]
    missed = [(n, "never run") for n in lines if lines[n] == 0]
    missed += [(n, "branch %d of %d never taken" % (i + 1, of))
               for n, of, i in branches if branches[n, of, i] == 0]
    for number, what in sorted(missed):
        print("%s:%d: %s: %s: %s" % (name, number, function[number], what,
                                     source[number - 1]))
        if function[number] in known:
            print("    " + known[function[number]])
    failed = sum(function[number] not in known for number, _ in missed)
    failed += not lines             # no test includes it
    print("coverage of %s: %d of %d lines, %d of %d branches; %d not run with "
          "a reason, %d without" % (
              name, sum(1 for n in lines if lines[n]), len(lines),
              sum(1 for b in branches if branches[b]), len(branches),
              len(missed) - failed, failed))
    return {function[number] for number, _ in missed}, failed


def main():
    for tool in "gcc", "gcov":
        if not shutil.which(tool):
            sys.exit("coverage needs %s: apt-get install gcc" % tool)
    shutil.rmtree(BUILD, ignore_errors=True)
    measured = [measure(mode, "tests/unit/all.c", "-DBLOOM_STATIC",
                        *options, *tests, "-UTEST_RATES")
                for mode, (options, tests) in modes("coverage").items()]
    measured += [measure(name, "tests/unit/%s.c" % name)
                 for name in ("window", "slices", "file", "share")]
    with open("tests/inside.h") as file:
        outside = dict(re.findall(r"#define (inside_\w+) (\w+)", file.read()))
    known = {outside.get(name, name): reason
             for names, reason in UNCOVERED.items() for name in names.split()}
    unused, failed = set(known), 0
    for name in ["bloom.h"] + sorted(glob.glob("examples/companions/*.h")):
        functions, without = header(measured, name, known)
        unused -= functions
        failed += without
    for name in sorted(unused):
        print("UNCOVERED: no longer needed, as all of it is run:", name)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
