"""examples/bloom.py: every call, its files in the command and back, what it
refuses, and what 10^7 integers cost beside C and beside a filter in Python.
Run by tests/languages/run.sh: test_bloom.py WORK COMMAND [MANY], where
MANY is tests/languages/many.c compiled."""
import os
import random
import subprocess
import sys
import threading
import time
from array import array
from hashlib import md5
from math import ceil, log
from struct import pack, unpack

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../examples"))
from bloom import Bloom, BloomError, Chain  # noqa: E402

work, command = sys.argv[1:3]
passed = failed = 0


def check(what, good):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print(f"FAILED: {what}")


def refuses(kind, words, call):
    try:
        call()
    except kind as error:
        check(f"{words!r} in {error!r}", words in str(error))
    else:
        check(f"nothing said of {words!r}", False)


def path(name):
    return os.path.join(work, name)


def keys():
    b = Bloom(1000, 0.0001)
    for key in "text", b"bytes", bytearray(b"array"), 5, -1, "", "Gr\u00fcn":
        check(f"{key!r} new", b.add(key) and not b.add(key) and key in b)
    check("text is its UTF-8", b"text" in b and "Gr\u00fcn".encode() in b)
    check("integers modulo 2^64", 2**64 - 1 in b and True not in b)
    check("absent", not any(k in b for k in ("5", b"none", 6, "grun", 0)))
    check("about 7", 6 <= len(b) <= 7 and 0 < b.rate < 1e-9 and b)
    check("an empty one is true", Bloom(5) and len(Bloom(5)) == 0)
    refuses(TypeError, "not float", lambda: b.add(1.0))
    refuses(TypeError, "not NoneType", lambda: None in b)
    refuses(OverflowError, "2^64", lambda: b.add(2**64))
    refuses(OverflowError, "2^64", lambda: b.add(-2**63 - 1))


def many():
    numbers = [random.getrandbits(64) for _ in range(40000)]
    signed = [n - 2**63 for n in numbers]
    one = Bloom(50000, layout="blocked", seed=7)
    new = sum(map(one.add, numbers))
    gaps = memoryview(array("Q", [n for n in numbers for _ in "ab"]))[::2]
    for kind, batch in [("list", numbers), ("array", array("Q", numbers)),
                        ("iterator", iter(numbers)), ("gaps", gaps),
                        ("memory", memoryview(array("Q", numbers)))]:
        b = Bloom(50000, layout="blocked", seed=7)
        check(f"update of a {kind}", b.update(batch) == new)
        check(f"{kind}: the same bits", bytes(b) == bytes(one))
    check("check", list(one.check(array("Q", numbers + [1]))) ==
          [1] * 40000 + [1 in one])
    one, b = Bloom(50000), Bloom(50000)
    check("signed", b.update(array("q", signed)) == sum(map(one.add, signed)))
    check("signed: the same bits", bytes(b) == bytes(one))
    mixed = ["a", 1, b"", "bb", 2, -3] * 3000 + [f"k{i}" for i in range(40000)]
    one, b = Bloom(50000), Bloom(50000)
    check("mixed", b.update(mixed) == sum(map(one.add, mixed)))
    check("mixed: the same bits", bytes(b) == bytes(one) and
          sum(b.check(mixed)) == len(mixed) and b.update([]) == 0)
    check("absent", 50 < sum(b.check(range(50000, 100000))) < 400)
    refuses(TypeError, "one key", lambda: b.update("abc"))
    refuses(TypeError, "64-bit", lambda: b.update(array("d", [1])))
    refuses(TypeError, "64-bit", lambda: b.update(array("i", [1])))
    refuses(OverflowError, "2^64", lambda: b.update([1, 2**64]))
    refuses(TypeError, "not float", lambda: b.update(["a", 1.5]))


def whole():
    a, b = Bloom(1000), Bloom(1000)
    a.update(range(500))
    b.update(range(500, 1000))
    a |= b
    check("union", all(i in a for i in range(1000)) and 950 < len(a) < 1050)
    refuses(ValueError, "plans", lambda: a.__ior__(Bloom(1001)))
    c = Bloom(100, layout="counting")
    check("remove", c.add("x") and c.remove("x") and "x" not in c
          and not c.remove("x"))
    check("not counting", not a.remove(5) and 5 in a)
    check("plan", a.plan.layout == 0 and a.plan.hashes == 7
          and a.plan.cells == 9600 and repr(a).startswith("<Bloom classic"))
    check("width 32", Bloom(9, hash_bits=32).plan.hash_bits == 32)
    for bad in dict(p=0), dict(p=1.5), dict(p=float("nan")), dict(n=-1), \
            dict(layout="x"), dict(hash_bits=16), dict(n=2**64), dict(n=2**60):
        refuses((ValueError, MemoryError), "", lambda: Bloom(
            **{"n": 10, **bad}))


def run(*words):
    return subprocess.run([command, *words], capture_output=True, text=True,
                          encoding="latin-1")


def files():
    lines = [f"http://example.org/{i * i}" for i in range(5000)]
    with open(path("lines"), "w") as file:
        file.write("\n".join(lines) + "\n")
    with open(path("asked"), "w") as file:
        file.write("".join(f"http://example.org/{i}\n" for i in range(9000)))
    run("build", "-n", "5000", "-p", "0.01", path("theirs"), path("lines"))
    b = Bloom(5000, 0.01)
    b.update(lines)
    check("unsealed", b.verify() is False)
    b.save(path("ours"))
    check("the same file", open(path("ours"), "rb").read() ==
          open(path("theirs"), "rb").read())
    maybe = run("check", path("ours"), path("asked")).stdout.split()
    with Bloom.open(path("theirs")) as theirs:
        asked = open(path("asked")).read().split()
        check("the command's answers", maybe == [
            line for line, is_in in zip(asked, theirs.check(asked)) if is_in])
        check("some wrong", len(maybe) > 100 and theirs.verify() is True)
        refuses(ValueError, "read only", lambda: theirs.add("x"))
        refuses(ValueError, "read only", lambda: theirs.update(["x"]))
        theirs.save(path("copy"))
    refuses(ValueError, "closed", lambda: "x" in theirs)
    theirs.close()
    with Bloom.open(path("copy"), writable=True) as copy:
        check("new", copy.add("one more") and copy.verify() is False)
    check("in the file", "one more" in Bloom.open(path("copy")))
    with open(path("ours"), "r+b") as file:
        file.seek(500)
        file.write(b"\xff")
    refuses(BloomError, "corrupt", Bloom.open(path("ours")).verify)
    for bytes_, words in (b"", "truncated"), (b"BLM", "truncated"), \
            (b"x" * 99, "not a Bloom"):
        with open(path("bad"), "wb") as file:
            file.write(bytes_)
        refuses(BloomError, words, lambda: Bloom.open(path("bad")))
        refuses(BloomError, words, lambda: Chain.open(path("bad")))
    refuses(FileNotFoundError, "", lambda: Bloom.open(path("none")))
    refuses(FileNotFoundError, "", lambda: b.save(path("none/f")))
    refuses(OSError, "", lambda: b.save(work))
    check("nothing left", not [n for n in os.listdir(work) if "tmp" in n])


def chains():
    c = Chain(1000, 0.01, layout="blocked", seed=3)
    new = c.update(range(5000)) + c.add("text")
    check("grown", all(i in c for i in range(5000)) and new > 4900)
    check("estimate", 4800 < len(c) < 5200 and 0 < c.rate <= 0.011)
    c.save(path("chain"))
    size = os.path.getsize(path("chain"))
    with Chain.open(path("chain")) as d:
        check("all there", all(i in d for i in range(5000)) and "text" in d)
        check("the same", len(d) == len(c) and d.rate == c.rate and c)
        d.update(range(5000, 20000))
        d.save(path("chain"))
        check("grows on", os.path.getsize(path("chain")) > 2 * size
              and 19000 in d and 1 in d)
    refuses(BloomError, "not a Bloom", lambda: Bloom.open(path("chain")))
    with open(path("chain"), "r+b") as file:
        file.seek(100)
        file.write(bytes(9))
    refuses(BloomError, "corrupt", lambda: Chain.open(path("chain")))
    refuses(ValueError, "", lambda: Chain(layout="counting"))
    refuses(ValueError, "", lambda: Chain(p=2))


def threads():
    b = Bloom(40000)
    work = [threading.Thread(target=b.update, args=(range(i, 40000, 4),))
            for i in range(4)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    check("threads lose none", sum(b.check(range(40000))) == 40000)


def python_rule(n, p):
    """A filter as pybloom-live lays it out: k slices of bits, of a digest's
    numbers one each; here in the fewest words that Python has for it."""
    k = ceil(log(1 / p, 2))
    slice_ = ceil(n * abs(log(p)) / (k * log(2) ** 2))
    bits = bytearray(k * slice_ // 8 + 1)
    salts = [md5(md5(pack("I", i)).digest()) for i in range(ceil(k * 4 / 16))]

    def add(key):
        at = 0
        key = str(key).encode()
        for salt in salts:
            h = salt.copy()
            h.update(key)
            for number in unpack("4I", h.digest())[:k - at // slice_]:
                i = at + number % slice_
                bits[i >> 3] |= 1 << (i & 7)
                at += slice_
    return add


def speed(many):
    n = 10**7
    numbers = array("Q", range(n))
    least = of_c = 1e9
    for _ in range(9):
        of_c = min(of_c, float(subprocess.check_output([many])))
        b = Bloom(n, 0.01, layout="blocked")
        start = time.perf_counter()
        b.update(numbers)
        least = min(least, (time.perf_counter() - start) / n * 1e9)
    add = python_rule(n, 0.01)
    start = time.perf_counter()
    for i in range(200000):
        add(i)
    python = (time.perf_counter() - start) / 200000 * 1e9
    print(f"10^7 integers: {least:.1f} ns each; in C {of_c:.1f}, "
          f"{least / of_c:.2f} of it; pybloom-live's rule in Python "
          f"{python:.0f}, {python / least:.0f} times that")
    check("20 times as fast as Python", python > 20 * least)
    check("within 1.3 of C", least < 1.3 * of_c)


for test in keys, many, whole, files, chains, threads:
    test()
if len(sys.argv) > 3:
    speed(sys.argv[3])
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
