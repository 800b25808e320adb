"""examples/bloom.py: every call, its files in the command and back, what it
refuses, and what 10^7 integers cost beside C and beside a filter in Python.
Run by run.sh: test_bloom.py WORK COMMAND [MANY], where
MANY is many.c compiled."""
import copy
import ctypes
import gzip
import io
import os
import pathlib
import pickle
import random
import re
import shutil
import stat
import subprocess
import sys
import threading
import time
import traceback
from array import array
from decimal import Decimal
from hashlib import md5
from math import ceil, log
from struct import pack, unpack

examples = os.environ.get("EXAMPLES", os.path.abspath(os.path.join(
    os.path.dirname(__file__), "../../../examples")))
sys.path.insert(0, examples)
import bloom  # noqa: E402
from bloom import Bloom, BloomError, Chain  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

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


def child(what, program, *says):
    """Another Python runs it and prints just that: a crash ends only that."""
    with open(path("child.py"), "w") as file:
        file.write("import sys\nsys.path.insert(0, {!r})\n"
                   "from bloom import *\n{}".format(examples, program))
    done = subprocess.run([sys.executable, path("child.py")], text=True,
                          capture_output=True)
    check("{}: {} {!r} {}".format(what, done.returncode, done.stdout,
                                  done.stderr[-600:]),
          done.stdout.split() == list(says) and done.returncode == 0
          and done.stderr == "")


class Named(Bloom):
    """With what a subclass may have: its own __init__, attributes, slots."""
    __slots__ = ("slot",)

    def __init__(self, name):
        super().__init__(1000, layout="blocked")
        self.name = name
        self.lock = threading.Lock()
        self.slot = "in a slot"

    def __getstate__(self):
        return {"name": self.name, "slot": self.slot}

    def __setstate__(self, state):
        self.name, self.slot = state["name"], state["slot"]


class Plain(Chain):
    def __init__(self, tags):
        super().__init__(10)
        self.tags = tags


class Slotted(Bloom):
    __slots__ = ("slot",)


class Reduced(Bloom):
    def __reduce__(self):
        return Reduced, (77,)


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


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

    class Text(str):
        def encode(self, *_):
            return b"another"
    b = Bloom(1000, 1e-9)
    check("what has __index__ is an integer", b.add(Index(7)) and 7 in b
          and b.add(True) and 1 in b and b.update([Index(8), 9]) == 2
          and list(b.check([8, Index(9), Index(10)])) == [1, 1, 0])
    check("a str of a subclass", b.add(Text("text")) and "text" in b)
    check("a memoryview", b.add(memoryview(b"a-b-c")[::2]) and b"abc" in b)
    refuses(TypeError, "not list", lambda: b.add([1]))
    refuses(TypeError, "not Decimal", lambda: b.add(Decimal(1)))
    refuses(UnicodeEncodeError, "surrogates", lambda: b.add("\udc80"))
    refuses(TypeError, "iterable", lambda: list(b))
    refuses(TypeError, "iterable", lambda: b.update(b))
    refuses(TypeError, "unhashable", lambda: {b})


def many():
    numbers = [random.getrandbits(64) for _ in range(140000)]
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
          [1] * 140000 + [1 in one])
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
    refuses(TypeError, "one key", lambda: b.update(memoryview(b"abc")))
    refuses(TypeError, "not float", lambda: b.update(array("d", [1])))
    refuses(OverflowError, "2^64", lambda: b.update([1, 2**64]))
    refuses(TypeError, "not float", lambda: b.update(["a", 1.5]))

    # Arrays of other integers are keys by value too, in any byte order
    b = Bloom(1000, 1e-9)
    backward = ctypes.c_uint64.__ctype_be__ if sys.byteorder == "little" \
        else ctypes.c_uint64.__ctype_le__
    for kind, batch in [("array i", array("i", [-5, 6])), ("array B",
                        array("B", [201])), ("bytes swapped", (backward * 2)(
                            10**12, 5)), ("none", array("Q"))]:
        b.update(batch)
        check(kind, all(i in b for i in batch))
    check("by value", -5 in b and 6 in b and 201 in b and 10**12 in b)
    table = memoryview(array("Q", range(6))).cast("B").cast("Q", [2, 3])
    refuses(Exception, "", lambda: b.update(table))

    # What comes before a bad key, or before the end of an iterator, is added
    def broken(*keys):
        yield from keys
        raise ZeroDivisionError("no more")
    for make in lambda: Bloom(70000, 1e-9), lambda: Chain(50000, 1e-9):
        for batch, before, error in [
                (broken("x", "y"), ["x", "y"], ZeroDivisionError),
                (broken(*range(70000)), range(70000), ZeroDivisionError),
                (["x", "y", None, "z"], ["x", "y"], TypeError),
                ([1, 2, 1 << 65, "z"], [1, 2], OverflowError),
                (["x", "\udc80", "z"], ["x"], UnicodeEncodeError)]:
            b = make()
            refuses(error, "", lambda: b.update(batch))
            check(f"what came before {error}", "z" not in b and
                  sum(b.check(before)) == len(before))


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


def operators():
    for plan in dict(), dict(layout="blocked"), dict(layout="counting"), \
            dict(hash_bits=32):
        a, b, all_, other = (Bloom(1000, 1e-6, **plan) for _ in range(4))
        a.update(range(600))
        b.update(range(400, 1000))
        all_.update(range(400))
        all_.update(range(600, 1000))
        all_.update([*range(400, 600)] * (2 if "counting" in plan.values()
                                          else 1))
        images = bytes(a), bytes(b)
        either, both = a | b, a & b
        check(f"{plan}: |", either == all_ and bytes(either) == bytes(all_))
        check(f"{plan}: &", sum(both.check(range(400, 600))) == 200
              and sum(both.check(range(400))) < 5)
        check(f"{plan}: as they were", images == (bytes(a), bytes(b)))
        c = a.copy()
        c &= b
        check(f"{plan}: &=", c == both and c != a and not c == b)
        c |= a
        check(f"{plan}: |=", sum(c.check(range(600))) == 600)
        c = a.copy()
        c.seal()
        check("a seal is no difference", c == a and bytes(c) != bytes(a))
        c.clear()
        check("clear", c == other and len(c) == 0 and not c.verify())
        refuses(ValueError, "plans", lambda: a & Bloom(1001))
        refuses(ValueError, "plans", lambda: a | Bloom(1000, 1e-6, seed=1))
        check("another plan", a != Bloom(1001) and other != Bloom(
            1000, 1e-6, **{**plan, "seed": 1}))
    n = Named("n")
    n.add("key")
    check("of a subclass", type(n | n) is Named and (n & n).name == "n"
          and n.copy() == n and n.copy() is not n)
    c = Chain(100, 0.01)
    c.update(range(500))
    d = c.copy()
    d.seal()
    check("chains", c == d and d == c and c != Chain(100, 0.01))
    d.add("one more")
    check("chains differ", c != d and not c == d and 1 in d)
    check("or in their heads", Chain(100) != Chain(101) and Chain() == Chain())

    b = Bloom(10000, 0.01)
    check("capacity", 10000 <= b.capacity(0.01) < 10100 and b.capacity(
        0.001) < 7000 and b.capacity(2) == b.capacity(0) == 0)
    check("error_rate", 0.0098 < b.error_rate(1e4) <= 0.01
          and b.error_rate(0) == 0 and c.error_rate() == 0.01)
    refuses(ValueError, "whole", lambda: b.error_rate(-1))
    refuses(TypeError, "", lambda: b.capacity("0.01"))


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
    os.makedirs(path("folder"), exist_ok=True)
    refuses(OSError, "", lambda: b.save(path("folder")))
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


def arguments():
    check("whole floats", Bloom(1e6).plan == Bloom(10**6).plan
          and Bloom(Decimal(10)).plan == Bloom(10, Decimal("0.01")).plan
          and bytes(Chain(1e3)) == bytes(Chain(1000)))
    for make in Bloom, Chain:
        for n in 1.5, float("inf"), float("nan"), -1.0, 1e30, "10", None, 1j:
            refuses(ValueError, "whole number", lambda: make(n))
        for p in "0.1", None:
            refuses(TypeError, "", lambda: make(10, p))
        refuses(TypeError, "", lambda: make(10, seed=1.5))
        refuses(OverflowError, "2^64", lambda: make(10, seed=2**64))
    check("seeds", Bloom(10, seed=-1).plan.seed == 2**64 - 1)
    check("plans compare", Bloom(10).plan == Bloom(10).plan != Bloom(99).plan)
    refuses(AttributeError, "", lambda: setattr(Bloom(9).plan, "cells", 9))


def copies():
    b = Bloom(1000, 0.001, layout="counting", seed=5)
    b.update(range(500))
    b.save(path("copied"))
    n, c = Named("n"), Plain(["t"])
    n.add("key")
    c.update(range(3000))
    s = Slotted(100)
    s.slot = "kept"
    ways = [("copy", copy.copy), ("deepcopy", copy.deepcopy)] + [
        (f"pickle {i}", lambda x, i=i: pickle.loads(pickle.dumps(x, i)))
        for i in range(pickle.HIGHEST_PROTOCOL + 1)]
    opened = Bloom.open(path("copied")), Bloom.open(path("copied"), True)
    for way, copied in ways:
        for a in (b, n, c, s, Bloom(7, 0.2, hash_bits=32), Chain(), *opened):
            image = bytes(a)
            x = copied(a)
            what = f"{way} of {a!r}"
            check(f"{what}: the same", type(x) is type(a) and bytes(x) == image)
            x.add("another")
            check(f"{what}: apart", "another" in x and bytes(a) == image)
            y = copied(x)
            x.close()
            check(f"{what}: lives on", "another" in y)
        x = copied(n)
        check(f"{way}: what a subclass has", x.name == "n"
              and x.slot == "in a slot" and "key" in x)
        check(f"{way}: slots", sys.version_info < (3, 11)
              or copied(s).slot == "kept")
        check(f"{way}: shallow or deep", copied(c).tags == ["t"] and
              (copied(c).tags is c.tags) == (way == "copy"))
        check(f"{way}: __reduce__ of a subclass",
              copied(Reduced(5)).plan == Bloom(77).plan)
        b.close() if way == ways[-1][0] else None
    refuses(ValueError, "closed", lambda: copy.copy(b))
    refuses(ValueError, "closed", lambda: pickle.dumps(b))
    check("one stays one", len(set(map(id, copy.deepcopy([n, n])))) == 1)
    check("from_bytes", Bloom.from_bytes(bytearray(bytes(n))).plan == n.plan
          and bytes(Chain.from_bytes(memoryview(bytes(c)))) == bytes(c)
          and type(Named.from_bytes(bytes(n))) is Named)
    refuses(BloomError, "not a Bloom", lambda: Bloom.from_bytes(bytes(c)))
    refuses(BloomError, "truncated", lambda: Chain.from_bytes(bytes(c)[:-1]))
    refuses(BloomError, "truncated", lambda: Bloom.from_bytes(b""))
    refuses(TypeError, "", lambda: Bloom.from_bytes("text"))
    for kind in "Bloom(9)", "Chain(9)":
        child(f"a closed copy of {kind}", f"""
import copy
a = {kind}
a.add("x")
b, c = copy.copy(a), copy.deepcopy(a)
c.add("y")
a.close()
print("x" in b, "x" in c, "y" in b)
""", "True", "True", "False")
        child(f"{kind} to a process that is spawned", f"""
import multiprocessing
def ask(b):
    b.add("there")
    return "x" in b, b
if __name__ == "__main__":
    b = {kind}
    b.add("x")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for found, back in pool.map(ask, [b]):
            print(found, "there" in back, "there" in b)
""", "True", "True", "False")


def closed():
    half, chain = Bloom.__new__(Bloom), Chain.__new__(Chain)
    refuses(ValueError, "", lambda: chain.__init__(layout="counting"))
    b, c = Bloom(5), Chain(5)
    b.close()
    with c:
        c.close()
    calls = {"add": "x", "update": [], "check": [], "__contains__": "x",
             "save": path("closed"), "remove": "x", "__ior__": Bloom(5),
             "fold": 1, "__reduce__": None, "__len__": None, "seal": None,
             "__bytes__": None, "__enter__": None, "verify": None,
             "__or__": Bloom(5), "__and__": Bloom(5), "__iand__": Bloom(5),
             "__eq__": None, "capacity": 0.01, "error_rate": 5}
    b.close()
    for a in b, c, half, chain:
        public = {name for kind in type(a).__mro__[:-1] for name in vars(kind)
                  if name[0] != "_"} - {"close", "open", "from_bytes"}
        for name in public | {n for n in calls if hasattr(a, n)}:
            if isinstance(a, Chain) and name in ("__or__", "__ior__"):
                continue                # refused of every chain
            one = [] if calls.get(name) is None else [calls[name]]
            if name == "__eq__":
                one = [a]
            elif isinstance(a, Chain) and name == "error_rate":
                one = []
            refuses(ValueError, "closed", lambda: getattr(a, name)(*one))
        check("bool and repr", a and repr(a))
        refuses(ValueError, "closed", lambda: Bloom(5).__ior__(half))
    check("none is saved", not os.path.exists(path("closed")))


def foreign():
    b, c = Bloom(1000, layout="blocked"), Chain(1000, layout="blocked")
    b.add("x")
    image = bytes(b)
    for other in c, {1, 2}, b"bytes", None, 5:
        def merge():
            nonlocal b
            b |= other
        refuses(TypeError, "|=", merge)
        check(f"not equal to {other}", b != other)
    check("untouched", bytes(b) == image)
    b |= b
    check("with itself", bytes(b) == image)
    refuses(TypeError, "key in a or key in b", lambda: c | Chain())
    refuses(TypeError, "&", lambda: c & Chain())
    refuses(TypeError, "&", lambda: b & c)
    # A key, or an iterator of keys, that closes the filter while it is asked
    for kind in "Bloom(10**6)", "Chain(10**6)":
        child(f"{kind} closed by its key", f"""
class Key(bytes):
    def __bytes__(self):
        b.close()
        return b"x"
class Number(int):
    def __index__(self):
        b.close()
        return 5
    __and__ = __rand__ = lambda self, other: b.close() or 5
def keys():
    yield from range(20000)
    b.close()
    yield from range(20000)
calls = (lambda: b.add(Key()), lambda: Key() in b, lambda: b.add(Number()),
         lambda: b.update([Key()] * 9), lambda: b.update(keys()),
         lambda: b.update(["a", Key(), 1, 2, "b"]), lambda: b.check(keys()))
for call in calls:
    b = {kind}
    try:
        call()
    except ValueError as error:
        assert "closed" in str(error), error
print("alive")
""", "alive")


def endings():
    child("filters that live at exit", f"""
import sys, threading, mmap
a, c = Bloom(9), Chain(9)
a.save({path("at_exit")!r})
m = Bloom.open({path("at_exit")!r}, True)
ring = [Bloom(5), m]
ring.append(ring)
sys.kept = mmap.kept = [Bloom(9), Chain(9), Bloom.open({path("at_exit")!r})]
def forever():
    while True:
        a.update(range(1000))
        c.add(5)
threading.Thread(target=forever, daemon=True).start()
print("done")
""", "done")
    child("memory goes with the last who has it", f"""
import resource
links = Chain(10**8)
links, _ = links._images(), links.close()
Bloom(5 * 10**7).save({path("large")!r})
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
for make in (lambda: Bloom(5 * 10**7), lambda: Chain(2 * 10**7),
             lambda: Bloom.open({path("large")!r})):
    for i in range(40):
        filter = make()
        if i % 2:
            filter.close()
import bloom
print(bloom._bloom.size(links[0]) > 10**8)
""", "True")
    os.remove(path("large"))
    b = Bloom(1000)
    b.update(range(500))
    image = bytes(b)
    number = os.fork()
    if number == 0:
        b.add("in the child")
        b.close()
        os._exit(0)
    check("fork", os.waitpid(number, 0)[1] == 0 and bytes(b) == image)


def folds():
    big = next(b for b in map(Bloom, range(20000, 20100))
               if b.plan.cells % 128 == 0)
    big.update(range(3000))
    rate, cells = big.rate, big.plan.cells
    big.fold(2.0)
    check("folded", all(i in big for i in range(3000)) and big.rate > rate
          and big.plan.cells == cells / 2)
    image = bytes(big)
    for by in 0, 7919, -1, 2.5:
        refuses(ValueError, "fold" if by in (0, 7919) else "whole",
                lambda: big.fold(by))
    check("and as it was", bytes(big) == image)


def saves():
    b = Bloom(1000)
    b.save(path("real"))
    os.chmod(path("real"), 0o640)
    if os.path.lexists(path("link")):
        os.remove(path("link"))
    os.symlink("real", path("link"))
    b.add("x")
    b.save(path("link"))
    check("a link stays, and the mode", os.path.islink(path("link")) and
          stat.S_IMODE(os.stat(path("real")).st_mode) == 0o640
          and "x" in Bloom.open(path("real")))
    long = os.path.join(work, "n" * 255)
    for name in path("real").encode(), pathlib.Path(path("real")), long:
        b.save(name)
        check(f"{name!r}", bytes(Bloom.open(name)) == open(name, "rb").read()
              and Bloom.open(name).verify())
    os.remove(long)
    # A file object, also one that takes little at a time
    class Little(io.RawIOBase):
        def __init__(self):
            self.taken = []

        def writable(self):
            return True

        def write(self, part):
            self.taken.append(bytes(part[:100]))
            return len(self.taken[-1])

    class Silent:
        def __init__(self):
            self.taken = []

        def write(self, part):
            self.taken.append(bytes(part))

    c = Chain(10)
    c.update(range(100))
    for a in b, c:
        a.save(path("real"))
        image = open(path("real"), "rb").read()
        memory, little, silent = io.BytesIO(b"before"), Little(), Silent()
        memory.seek(6)
        a.save(memory)
        a.save(little)
        a.save(silent)
        check("into memory", memory.getvalue() == b"before" + image)
        check("bit by bit", b"".join(little.taken) == image)
        check("into what returns nothing", b"".join(silent.taken) == image)
        with gzip.open(path("real.gz"), "wb") as file:
            a.save(file)
        check("compressed", gzip.open(path("real.gz")).read() == image
              and type(a).from_bytes(image).verify())
        refuses(TypeError, "", lambda: a.save(io.StringIO()))
    b.save(path("real"))
    # Damage is not sealed away
    image = bytearray(open(path("real"), "rb").read())
    image[500] ^= 255
    open(path("bad"), "wb").write(image)
    Bloom.open(path("bad")).save(path("worse"))
    refuses(BloomError, "corrupt", Bloom.open(path("worse")).verify)


def threads():
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    errors = []

    def together(*calls):
        def run(call):
            try:
                call()
            except Exception as error:
                errors.append(error)
        all_ = [threading.Thread(target=run, args=(call,)) for call in calls]
        for thread in all_:
            thread.start()
        for thread in all_:
            thread.join()

    for b in Bloom(40000), Chain(100, 1e-4):
        together(*(lambda i=i: b.update(range(i, 40000, 4)) for i in range(4)))
        check("threads lose none", sum(b.check(range(40000))) == 40000)

        def save():
            for _ in range(30):
                b.save(path("by threads"))
        together(save, save, save, save)
        check(f"saves do not collide: {errors[:2]}", not errors)
        back = type(b).open(path("by threads"))
        check("saved", sum(back.check(range(40000))) == 40000)

    # What is saved while others add is sealed, and holds what was in before
    for make in lambda: Bloom(10**6, 1e-4), lambda: Chain(10, 1e-4):
        b, bad = make(), []
        b.update(range(1000))
        stop = threading.Event()

        def adding():
            key = 1000
            while not stop.is_set():
                b.add(key)
                key += 1

        def saving():
            try:
                for i in range(25):
                    b.save(path("while adding"))
                    with type(b).open(path("while adding")) as back:
                        if back.verify() is not True or \
                                sum(back.check(range(1000))) != 1000:
                            bad.append("not as it was")
            except Exception as error:
                bad.append(error)
            stop.set()
        together(adding, adding, saving)
        check(f"saved while others add: {bad[:3]}", not bad)
    sys.setswitchinterval(old)
    check("nothing left", not [n for n in os.listdir(work) if "tmp" in n])


def gates():
    """A call on a whole filter lets other threads run and look keys up; what
    they would change waits."""
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    b = Bloom(3 * 10**7, layout="blocked")
    b.update(range(1000))
    other, held = b.copy(), set()
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.0005):
            ticks.append(time.perf_counter())
    ticking = threading.Thread(target=tick)
    ticking.start()
    calls = {"len": lambda: len(b), "rate": lambda: b.rate, "seal": b.seal,
             "verify": b.verify, "copies": b._snapshot, "bytes": b.__bytes__,
             "|=": lambda: b.__ior__(other), "&=": lambda: b.__iand__(other),
             "==": lambda: b == other,
             "save": lambda: b.save(io.BytesIO())}
    for name, call in calls.items():
        most = 0
        for _ in range(8):              # another process may have the CPU
            start = time.perf_counter()
            call()
            end = time.perf_counter()
            most = max(most, sum(start + 0.001 < t < end - 0.001
                                 for t in ticks[-1000:]))
            if most >= 5:
                break
        held |= set() if most >= 5 else {name}
    stop.set()
    ticking.join()
    check(f"lock of the interpreter held by {held}", not held)

    def is_shut(*filters):
        return not any("_as_parameter_" in vars(f._gate) for f in filters)

    # Each function that releases the lock finds the gates shut
    a, b, found = Bloom(100), Bloom(100), {}
    lib = bloom._bloom

    def watched(name, function, *filters):
        def call(*arguments):
            found[name] = is_shut(*filters)
            return function(*arguments)
        return call
    watch = {name: (a,) for name in ("seal", "estimate", "fpr", "verify",
                                     "copy", "clear", "fold")}
    watch.update(merge=(a, b), intersect=(a, b))
    before = dict(vars(lib))
    for name, filters in watch.items():
        setattr(lib, name, watched(name, before[name], *filters))
    same, bloom._same = bloom._same, watched("==", bloom._same, a, b)
    try:
        a == b, a.seal(), len(a), a.rate, a.verify(), bytes(a), a.fold(1)
        a |= b
        a &= b
        a.clear()
    finally:
        vars(lib).update(before)
        bloom._same = same
    check(f"gates are shut: {found}", len(found) == 10 and all(found.values())
          and not is_shut(a) and not is_shut(b))

    for b in Bloom(100), Chain(100):
        b.add("in")
        done = []
        adding = [threading.Thread(target=lambda call=call: done.append(call()))
                  for call in (lambda: b.add("new"), lambda: b.update([1, 2]),
                               lambda: b.update(["x"]), b.seal)]
        asking = threading.Thread(target=lambda: done.append(
            ["in" in b, list(b.check(["in", "out"]))]))
        with b._open_gate():
            for thread in *adding, asking:
                thread.start()
            asking.join(10)
            time.sleep(0.05)
            check(f"lookups do not wait, changes do: {done}",
                  done == [[True, [1, 0]]])
            check("the same thread does not wait", b.add("mine") and len(b) == 2
                  and b.add("mine, after len") and b.update(["more"]) == 1)
            check("a nested call leaves the gate shut", is_shut(b))
        for thread in adding:
            thread.join(10)
        check(f"then they are made: {done}", len(done) == 5
              and all(b.check(["new", 1, 2, "x", "mine", "more"])))
        with b._open_gate():
            closing = threading.Thread(target=b.close)
            closing.start()
            closing.join(10)
        refuses(ValueError, "closed", lambda: b.add("late"))

    # Whole filters while others add: no key is lost, no seal is wrong
    for make in lambda: Bloom(10**6, layout="blocked"), \
            lambda: Bloom(10**6, layout="counting"), lambda: Chain(10**5):
        a, b, wrong, adds = make(), make(), [], [0, 0]
        stop = threading.Event()

        def adding(i):
            while not stop.is_set():
                (a if i else b).add(key(i, adds[i]))
                adds[i] += 1

        def key(i, n):
            return f"{n}" if i else n

        def whole(a, b):
            try:
                for _ in range(4):
                    a.seal()
                    a.verify()
                    type(a).from_bytes(bytes(a)).verify()
                    if isinstance(a, Bloom):
                        a |= b
                    a == b, len(a), a.rate
            except BloomError as error:
                wrong.append(error)
        both = [threading.Thread(target=whole, args=pair)
                for pair in ((a, b), (b, a))]
        others = [threading.Thread(target=adding, args=(i,)) for i in (0, 1)]
        for thread in both + others:
            thread.start()
        for thread in both:
            thread.join()
        stop.set()
        for thread in others:
            thread.join()
        check(f"seals while others add: {wrong[:1]}", not wrong)
        lost = sum(not (a if i else b).check([key(i, n)])[0]
                   for i in (0, 1) for n in range(adds[i]))
        check(f"{lost} of {adds} keys lost", not lost and min(adds) > 0)
    sys.setswitchinterval(old)


def without():
    """Without the library, one line says what to do."""
    for library, words in ("/none/libbloom.so", "/none/libbloom.so"), \
            ("libc.so.6", "bloom_free"):
        done = subprocess.run(
            [sys.executable, "-c", "import bloom"], text=True, cwd=examples,
            capture_output=True, env={**os.environ, "LIBBLOOM": library})
        last = done.stderr.splitlines()[-1]
        check(f"without {library}: {done.stderr}", done.returncode == 1
              and last.startswith("ImportError: bloom.py needs libbloom: run "
                                  "`make libbloom`") and words in last
              and "During handling" not in done.stderr)


def beside():
    """What the other examples are built as does not hide bloom.py."""
    folder = path("beside")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    shutil.copy(os.path.join(examples, "bloom.py"), folder)
    names = set()
    for name in "sqlite.c", "sqlite.sql", "redis/module.c":
        with open(os.path.join(examples, name)) as file:
            names.update(re.findall(r"-o (\S+\.so)", file.read()))
    check(f"names {names}", len(names) >= 2)
    for name in names:
        open(os.path.join(folder, name), "w").close()
    done = subprocess.run([sys.executable, "-c", "import bloom"], text=True,
                          capture_output=True, cwd=folder, env={
                              **os.environ, "LIBBLOOM": os.path.abspath(
                                  os.path.join(work, "../libbloom.so"))})
    check(f"import beside {names}: {done.stderr}", done.returncode == 0)


def arrays():
    if numpy is None:
        print("skipped, NumPy's arrays: apt-get install python3-numpy")
        return
    for make in lambda: Bloom(50000), lambda: Chain(500):
        one, signed = make(), make()
        new = one.update(range(30000))
        signed.update(range(-300, 300))
        for kind in "i8 u8 >i8 >u8 <u8 i4 u4 u2 i2 >i2".split():
            b = make()
            batch = numpy.arange(30000).astype(kind)
            check(f"NumPy's {kind}", b.update(batch) == new
                  and bytes(b) == bytes(one))
            both = numpy.repeat(batch, 2)[::2]
            check(f"{kind} with gaps", sum(b.check(both)) == 30000
                  and sum(b.check(batch[::-1])) == 30000)
        for kind in "i8", "i4", ">i2":
            b = make()
            b.update(numpy.arange(-300, 300).astype(kind))
            check(f"negative {kind}", bytes(b) == bytes(signed))
        b = make()
        fixed = numpy.arange(30000, dtype="u8")
        fixed.flags.writeable = False
        check("read-only", b.update(fixed) == new and bytes(b) == bytes(one))
        b = make()
        check("a list of them", b.update(list(numpy.arange(5))) == 5
              and b.add(numpy.int64(5)) and b.add(numpy.uint8(6))
              and all(i in b for i in range(7)) and numpy.int32(3) in b)
        b.update(numpy.array(["a", "bc"]))
        b.update(numpy.array([b"d", b"ef"]))
        b.update(numpy.array(["g", 77, b"h"], dtype=object))
        check("texts", sum(b.check(["a", "bc", "d", "ef", "g", 77, "h"])) == 7)
        for bad in (numpy.arange(3.0), numpy.zeros((2, 2), "u8"),
                    numpy.array(["2020-01-01"], "M8[D]"), numpy.array(5),
                    numpy.zeros(2, "u8,u8")):
            refuses(TypeError, "", lambda: b.update(bad))
        refuses(TypeError, "", lambda: b.add(numpy.arange(2)))
        refuses(TypeError, "", lambda: b.add(numpy.float64(2)))
    check("numbers of NumPy's as arguments", Bloom(
        numpy.int64(10), numpy.float32(0.5), seed=numpy.uint8(3)).plan ==
        Bloom(numpy.float64(10), 0.5, seed=3).plan)


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


for test in (keys, many, arguments, whole, operators, files, chains, copies,
             closed, foreign, endings, folds, saves, threads, gates, without,
             beside, arrays):
    try:
        test()
    except Exception:
        check(f"{test.__name__} ends: {traceback.format_exc()}", False)
if len(sys.argv) > 3:
    speed(sys.argv[3])
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
