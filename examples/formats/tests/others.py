#!/usr/bin/env python3
"""Files of other projects, for run.sh:

    others.py PROGRAM parquet-testing FOLDER   of apache/parquet-testing
    others.py PROGRAM clickhouse FOLDER        with node_modules of the npm
                                               package chdb, a ClickHouse

PROGRAM is parquet. It must read each .parquet file outside bad_data/, make the
bits of each filter from its values, and find each of them. Ends with "N passed,
N failed".
"""
import glob
import os
import subprocess
import sys
import zlib

program, kind, folder = sys.argv[1:]
passed = failed = 0


def check(good, what):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED:", what)


def run(*command, lines=()):
    """(whether the program succeeded, its output)"""
    done = subprocess.run(command, input=b"".join(l + b"\n" for l in lines),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode == 0, done.stdout


def read(name):
    with open(name, "rb") as file:
        return file.read()


# ---- Parquet ----------------------------------------------------------------

def plain_texts(page):
    """The values of a page: definition levels, then texts with their lengths"""
    at = 4 + int.from_bytes(page[:4], "little")
    texts = []
    while at < len(page):
        size = int.from_bytes(page[at:at + 4], "little")
        texts.append(page[at + 4:at + 4 + size])
        at += 4 + size
    return texts


def has_bits(name, kind, size, values):
    """The filter in this file has the bits that we make of its values."""
    good, bits = run(program, "build", "--exact", kind, str(size), lines=values)
    check(good and len(bits) == size and bits in read(name), name + ": bits")


def found(name, column, values):
    """The values that may be in, of these"""
    good, out = run(program, "check", name, column, lines=values)
    check(good, name)
    return out.split(b"\n")[:-1]


def parquet_files():
    names = glob.glob(folder + "/**/*.parquet", recursive=True)
    unread = [name for name in names if not run(program, "info", name)[0]]
    check(names and all("/bad_data/" in name for name in unread), str(unread))
    print("%d of %d files read" % (len(names) - len(unread), len(names)))
    has_bits(folder + "/data/bloom_filter.xxhash.bin", "BYTE_ARRAY",
             1024, [b"hello", b"parquet", b"bloom", b"filter"])
    both = folder + "/data/data_index_bloom_encoding_%s.parquet"
    file = read(both % "stats")                 # its only page is compressed
    values = plain_texts(zlib.decompressobj(31).decompress(
        file[file.index(b"\x1f\x8b"):]))
    for name, size in (both % "stats", 1024), (both % "with_length", 2048):
        check(len(values) == 14 and found(name, "String", values) == values,
              name + ": values")
        has_bits(name, "BYTE_ARRAY", size, values)


# ---- ClickHouse --------------------------------------------------------------

QUERY = """
const { query } = require("chdb");
query(`SELECT toInt64(number * 7919) AS i, concat('key-', toString(number)) AS s
    FROM numbers(%d) INTO OUTFILE '%s' TRUNCATE FORMAT Parquet
    SETTINGS output_format_parquet_write_bloom_filter = 1`);
process.stdout.write(query("SELECT version()", "TSV"));
"""


def clickhouse_file():
    count, absent = 10000, 200000
    name = os.path.abspath("build/formats-clickhouse.parquet")
    version = subprocess.run(["node", "-e", QUERY % (count, name)], cwd=folder,
                             stdout=subprocess.PIPE, check=True).stdout
    print("ClickHouse", version.decode().strip())
    for column, kind, text in (("i", "INT64", lambda k: b"%d" % (7919 * k)),
                               ("s", "BYTE_ARRAY", lambda k: b"key-%d" % k)):
        values = [text(k) for k in range(count)]
        others = [text(k) for k in range(count, count + absent)]
        check(found(name, column, values) == values, column + ": values")
        has_bits(name, kind, 16384, values)
        print("%s: %.3f%% of %d absent values" % (
            column, 100.0 * len(found(name, column, others)) / absent, absent))


{"parquet-testing": parquet_files, "clickhouse": clickhouse_file}[kind]()
print("%d passed, %d failed" % (passed, failed))
