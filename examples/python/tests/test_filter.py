"""Tests of examples/python/bloom.py: all types of keys, plans, operators,
NumPy's arrays, and errors."""
import copy
import ctypes
import pickle
import random
import sys
from array import array
from decimal import Decimal
from functools import partial

from bloom_checks import Index, Named, check, child, refuses, run_all
import bloom
from bloom import LAYOUTS, Bloom, Chain, Slices, Window

try:
    import numpy
except ImportError:
    numpy = None


def keys():
    b = Bloom(1000, 0.0001)
    for key in "text", b"bytes", bytearray(b"array"), 5, -1, "", "Gr\u00fcn":
        check(f"{key!r} new", b.add(key) and not b.add(key) and key in b)
    check("text is its UTF-8", b"text" in b and "Gr\u00fcn".encode() in b)
    check("integers modulo 2^64", 2**64 - 1 in b and 1 not in b)
    check("absent", not any(k in b for k in ("5", b"none", 6, "grun", 0)))
    check("about 7", 6 <= len(b) <= 7 and 0 < b.fpr < 1e-9 and b)
    check("an empty filter is true", Bloom(5) and len(Bloom(5)) == 0)
    refuses(TypeError, "not float", lambda: b.add(1.0))
    refuses(TypeError, "not NoneType", lambda: None in b)
    refuses(OverflowError, "2^64", lambda: b.add(2**64))
    refuses(OverflowError, "2^64", lambda: b.add(-2**63 - 1))

    class Text(str):
        def encode(self, *_):
            return b"another"
    b = Bloom(1000, 1e-9)
    check("objects with __index__ are integers", b.add(Index(7)) and 7 in b
          and b.update([Index(8), 9]) == 2
          and list(b.check([8, Index(9), Index(10)])) == [1, 1, 0])
    for make in (partial(Bloom, layout="counting"),
                 partial(Bloom, layout="counting", key=bytes(16))):
        b = make(1000, 1e-9)
        for bad in True, False:
            for call in (b.add, b.__contains__, b.remove, lambda key: b.update(
                    [2, key]), lambda key: b.check([2, "x", key])):
                refuses(TypeError, "not bool", lambda: call(bad))
        check("True and False are no keys, but 1, 0 and others are",
              list(b.check([0, 1, 2])) == [0, 0, 1] and b.update([0, 1]) == 2
              and bytes(make(10, seed=True)) == bytes(make(10, seed=1)))
    b = Bloom(1000, 1e-9)
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
    one, b = Bloom(50000), Bloom(50000)
    check("several lists", b.update() == 0 and b.update(mixed, numbers, ["x"])
          == sum(map(one.update, (mixed, numbers, ["x"])))
          and bytes(b) == bytes(one))
    refuses(TypeError, "int", lambda: b.update(["before"], 5))
    check("the first list is added", "before" in b)
    refuses(TypeError, "one key", lambda: b.update("abc"))
    refuses(TypeError, "one key", lambda: b.update(memoryview(b"abc")))
    refuses(TypeError, "not float", lambda: b.update(array("d", [1])))
    refuses(OverflowError, "2^64", lambda: b.update([1, 2**64]))
    refuses(TypeError, "not float", lambda: b.update(["a", 1.5]))

    # Elements of other integer arrays are keys by value, in any byte order
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
    image = bytes(b)
    refuses(TypeError, "one dimension", lambda: b.update(table))
    refuses(TypeError, "one dimension", lambda: b.check(table))
    check("nothing of a table is added", bytes(b) == image)

    # Keys before a refused key, or before an iterator fails, are added
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
            check(f"keys before {error}", "z" not in b and
                  sum(b.check(before)) == len(before))


def arguments():
    check("whole floats", Bloom(1e6).plan == Bloom(10**6).plan
          and Bloom(Decimal(10)).plan == Bloom(10, Decimal("0.01")).plan
          and bytes(Chain(1e3)) == bytes(Chain(1000)))
    for make in Bloom, Chain:
        for n in 1.5, float("inf"), float("nan"), -1.0, 1e30, Decimal("nan"):
            refuses(ValueError, "whole number", lambda: make(n))
        refuses(TypeError, "", lambda: make(10, seed=1.5))
        refuses(OverflowError, "2^64", lambda: make(10, seed=2**64))
    check("seeds", Bloom(10, seed=-1).plan.seed == 2**64 - 1)
    check("plans compare", Bloom(10).plan == Bloom(10).plan != Bloom(99).plan)
    refuses(AttributeError, "", lambda: setattr(Bloom(9).plan, "cells", 9))


def fits():
    """The filter that holds the most keys in so many bytes"""
    for layout in LAYOUTS:
        for size, p in (10**4, 0.01), (10**6, 1e-5), (1e3, 0.2):
            b = Bloom.fit(size, p, layout=layout, seed=3)
            n = b.capacity(p)
            check(f"{b!r} in {size} bytes", size * 0.98 < len(bytes(b)) <= size
                  and b.plan.layout == LAYOUTS.index(layout)
                  and b.plan.seed == 3 and b.plan_fpr(n) <= p)
            check("more keys need more bytes", layout == "blocked" or len(bytes(
                Bloom(n + n // 50 + 9, p, layout=layout))) > size)
    b = Bloom.fit(10**4)
    n = b.capacity(0.01)
    b.update(range(n))
    check("p is 0.01", b == Bloom.fit(10**4, 0.01) | b and 0.009 < b.fpr < 0.011
          and 8000 < n < 8400)
    n = Named.fit(1000, key=bytes(16))
    check("a subclass, and a secret", type(n) is Named and n.add("x")
          and "x" not in Bloom.from_bytes(bytes(n)))
    for bad in dict(bytes=32), dict(bytes=0), dict(p=1), dict(p=0), \
            dict(p=1e-30), dict(layout="x"), dict(bytes=-1), dict(bytes=0.5):
        refuses(ValueError, "", lambda: Bloom.fit(**{"bytes": 1000, **bad}))
    refuses((ValueError, MemoryError), "", lambda: Bloom.fit(2**64 - 1))


def counts():
    """How often a key was added at most"""
    for make in partial(Bloom, key=bytes(16)), Bloom, partial(
            Bloom, hash_bits=32):
        b = make(1000, 1e-6, layout="counting")
        keys = "text", b"bytes", 7, Index(-3), ""
        for i in range(20):
            check(f"{i} times", [b.count(key) for key in keys]
                  == [min(i, 15)] * 5)
            for key in keys:
                b.add(key)
        check("15 for ever", b.remove(7) and b.count(7) == 15)
        b.add("x"), b.add("x"), b.remove("x")
        check("one less", b.count("x") == 1 and b.count("y") == 0
              and b.copy().count("x") == 1)
    for layout in "classic", "blocked":
        b = Bloom(1000, 1e-6, layout=layout)
        b.add("x"), b.add("x")
        check("0 or 1", (b.count("x"), b.count(1)) == (1, 0))
    b, times = Bloom(3000, 0.01, layout="counting"), range(1, 8)
    for i in times:
        b.update(range(3000 * i // 7))
    off = [b.count(key) - sum(key < 3000 * i // 7 for i in times)
           for key in range(3000)]
    check(f"{off}: never too low, seldom too high", min(off) == 0
          and sum(map(bool, off)) < 60)


def types():
    """An argument of a wrong type is a TypeError, whatever the call."""
    b, w, s = Bloom(1000, layout="counting"), Window(10), Slices(9, 0.1, 3)
    images = bytes(b), bytes(w), bytes(s)
    number, text = ("10", b"10"), (5, b"classic")
    every = 1j, object(), [1.5], {}
    makes = [(Bloom, dict(n=10, p=0.1, layout="classic", seed=1, hash_bits=64)),
             (Chain, dict(first_n=9, p=0.1, layout="classic", seed=1)),
             (Window, dict(n=10, p=0.1, generations=8, layout="classic",
                           seed=1)),
             (Slices, dict(n=10, p=0.1, filters=3, seed=1, hash_bits=64))]
    calls = [(partial(make, **{a: words[a] for a in words if a != name}), name,
              (None, *every, *(text if name == "layout" else number)))
             for make, words in makes for name in words]
    calls += [(partial(make, *[10, 0.1, 3][:1 + 2 * (make is Slices)]), "key",
               (*every, 5, "x" * 16)) for make, _ in makes]
    calls += [(call, name, (None, *every, *number)) for call, name in (
        (Bloom.fit, "bytes"), (partial(Bloom.fit, 99), "p"),
        (partial(Bloom.fit, 99), "seed"), (b.capacity, "p"), (b.plan_fpr, "n"), (b.fold, "by"), (b.fold_by, "p"),
        (partial(w.set_time, 1), "span"), (partial(w.advance, span=1), "now"),
        (partial(s.add, key=5), "i"), (s.update, 0), (s.get, "i"),
        (partial(s.put, filter=Bloom(9, 0.1)), "i"))]
    calls += [(call, name, (*every, *number)) for call, name in (
        (s.clear, "i"), (s.copy, "filters"),
        (partial(Bloom.share, "none"), "n"))]
    for kind in Bloom, Chain, Window, Slices:
        calls += [(kind.from_bytes, 0, (None, *every, 5, "BLM")),
                  (kind.load, 0, (None, *every, 1.5)),
                  (kind.open, 0, (None, *every, 1.5))]
    calls += [(partial(s.put, 0), "filter", (None, *every, 5, s, Chain()))]
    calls += [(it.save, 0, (None, *every, 5)) for it in (b, w, s)]
    calls += [(call, 0, (None, *every, 1.5, True)) for call in (
        b.add, b.remove, b.count, b.__contains__, w.add, partial(s.add, 0),
        s.find)]
    calls += [(call, 0, (None, 1j, object(), [1.5], 5, "text", b"text"))
              for call in (b.update, b.check, w.update, partial(s.update, 0),
                           s.find_all, s.count)]
    for call, name, values in calls:
        for value in values:
            refuses(TypeError, "", lambda: call(**{name: value}) if isinstance(
                name, str) else call(value))
    check("unchanged", images == (bytes(b), bytes(w), bytes(s)))


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
    check("15 adds make a key permanent", [c.add("y") for _ in range(15)]
          == [True] + [False] * 14 and all(c.remove("y") for _ in range(99))
          and "y" in c)
    for other in a, Bloom(100, layout="blocked"):
        other.add(5)
        refuses(ValueError, 'layout="counting"', lambda: other.remove(5))
        refuses(ValueError, 'layout="counting"', lambda: other.remove("none"))
        check("not removed", 5 in other)
    check("plan", a.plan.layout == 0 and a.plan.hashes == 7
          and a.plan.cells == 9600)
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
        check(f"{plan}: operands unchanged", images == (bytes(a), bytes(b)))
        c = a.copy()
        c &= b
        check(f"{plan}: &=", c == both and c != a and not c == b)
        c |= a
        check(f"{plan}: |=", sum(c.check(range(600))) == 600)
        c = a.copy()
        c.seal()
        check("seals do not count in ==", c == a and bytes(c) != bytes(a))
        c.clear()
        check("clear", c == other and len(c) == 0 and not c.verify())
        refuses(ValueError, "plans", lambda: a & Bloom(1001))
        refuses(ValueError, "plans", lambda: a | Bloom(1000, 1e-6, seed=1))
        check("another plan", a != Bloom(1001) and other != Bloom(
            1000, 1e-6, **{**plan, "seed": 1}))
    # The number of common keys of two disjoint sets, and of two that share 100
    disjoint, sharing, intersections = [], [], []
    for seed in range(200):
        a, b, c = (Bloom(500, seed=seed) for _ in "abc")
        for x, first in (a, 0), (b, 500), (c, 400):
            x.update(range(first, first + 500))
        disjoint.append(len(a) + len(b) - len(a | b))
        sharing.append(len(a) + len(c) - len(a | c))
        intersections.append(len(a & b))
    check(f"some of {disjoint} are below 0", max(map(abs, disjoint)) < 50
          and sum(n < 0 for n in disjoint) > 50
          and 95 < sum(sharing) / 200 < 105)
    check(f"{intersections}: misleading", min(intersections) > 50)
    n = Named("n")
    n.add("key")
    check("operators of a subclass", type(n | n) is Named
          and (n & n).name == "n" and n.copy() == n and n.copy() is not n)
    c = Chain(100, 0.01)
    c.update(range(500))
    d = c.copy()
    d.seal()
    check("chains", c == d and d == c and c != Chain(100, 0.01))
    d.add("one more")
    check("chains differ", c != d and not c == d and 1 in d)
    c, d = Chain(10), Chain(10)
    c.update(range(100))
    d.update(range(99))
    d.add(1000)
    check("chains differ in their last links only", c != d and c == c.copy())
    check("chains differ in their heads", Chain(100) != Chain(101)
          and Chain() == Chain())

    b = Bloom(10000, 0.01)
    check("capacity", 10000 <= b.capacity(0.01) < 10100 and b.capacity(
        0.001) < 7000 and b.capacity(2) == b.capacity(0) == 0)
    check("plan_fpr", 0.0098 < b.plan_fpr(1e4) <= 0.01
          and b.plan_fpr(0) == 0)
    check("rate", c.rate == 0.01 and 0 < c.fpr < 0.01)
    refuses(ValueError, "whole", lambda: b.plan_fpr(-1))
    refuses(TypeError, "", lambda: b.capacity("0.01"))


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
    check("unchanged after errors", bytes(b) == image)
    b |= b
    check("union with itself", bytes(b) == image)
    refuses(TypeError, "key in a or key in b", lambda: c | Chain())
    refuses(TypeError, "&", lambda: c & Chain())
    refuses(TypeError, "&", lambda: b & c)
    # A key, or an iterator of keys, that closes the filter during the call
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


def folds():
    big = next(b for b in map(Bloom, range(20000, 20100))
               if b.plan.cells % 128 == 0)
    big.update(range(3000))
    rate, cells = big.fpr, big.plan.cells
    big.fold(2.0)
    check("folded", all(i in big for i in range(3000)) and big.fpr > rate
          and big.plan.cells == cells / 2)
    image = bytes(big)
    for by in 0, 7919, -1, 2.5:
        refuses(ValueError, "fold" if by in (0, 7919) else "whole",
                lambda: big.fold(by))
    check("unchanged after errors", bytes(big) == image)
    b = Bloom(10**6)
    c = Bloom.from_bytes(bytes(b))
    b.update(range(1000)), c.update(range(1000))
    by = b.fold_by(0.01)
    b.fold(by)
    check(f"folded by {by}", by > 100 and len(bytes(b)) < len(bytes(c)) / 100
          and b.fpr < 0.012 and all(b.check(range(1000))))
    check("no number keeps p", b.fold_by(1e-9) == 0 == b.fold_by(0))
    refuses(TypeError, "", lambda: b.fold_by("0.01"))


def arrays():
    if numpy is None:
        print("skipped: NumPy's arrays need apt-get install python3-numpy")
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
        for bad in (numpy.arange(3.0), numpy.arange(3) == 1,
                    numpy.array(["2020-01-01"], "M8[D]"),
                    numpy.array(5), numpy.zeros(2, "u8,u8")):
            refuses(TypeError, "", lambda: b.update(bad))
        for kind in "u8", "i2", "S3", "U3", "f8", "M8[D]", "O":
            for shape in (2, 2), (2, 1), (1, 2), (2, 2, 2):
                table = numpy.zeros(shape, kind)
                refuses(TypeError, "one dimension", lambda: b.update(table))
                refuses(TypeError, "one dimension", lambda: b.check(table))
        table = numpy.arange(100, 104).reshape(2, 2)
        check("a table's elements, and a column", b.update(table.ravel()) == 4
              and list(b.check(table[:, 1])) == [1, 1])
        for one in (numpy.arange(2), numpy.zeros(2), numpy.array(["a", "b"]),
                    [1, 2], {"a"}, range(3)):
            for call in b.add, b.__contains__, Bloom(
                    9, key=bytes(16)).add, Bloom(9, layout="counting").remove:
                refuses(TypeError, f"not {type(one).__name__}: for many keys, "
                        "use update() and check()", lambda: call(one))
        refuses(TypeError, "not float64", lambda: b.add(numpy.float64(2)))
        check("an array of no dimension is one key", b.add(numpy.array(10**9))
              and 10**9 in b)
    check("numbers of NumPy's as arguments", Bloom(
        numpy.int64(10), numpy.float32(0.5), seed=numpy.uint8(3)).plan ==
        Bloom(numpy.float64(10), 0.5, seed=3).plan)


def answers():
    """check() answers as an array of bool if it is asked by an array, so that
    the answers are a mask. Other keys get a bytearray, as before 2.2."""
    if numpy is None:
        return                          # arrays() says so

    class Series:                       # as of pandas
        def __init__(self, keys):
            self.keys = keys

        def __array__(self, *_):
            return numpy.array(self.keys)

        def __iter__(self):
            return iter(self.keys)

    keys = numpy.arange(10)
    for b in Bloom(1000, 1e-9), Chain(10, 1e-9), Window(100, 1e-9, key=bytes(16)):
        b.update(keys[5:])
        for asked in (keys, keys.astype("i2"), keys.astype(object),
                      keys[::-1][::-1], Series([*range(10)])):
            found = b.check(asked)
            check(f"{found!r}", type(found) is numpy.ndarray
                  and found.dtype == bool and found.tolist() == [False] * 5
                  + [True] * 5 and list(keys[~found]) == [0, 1, 2, 3, 4])
        found[0] = True                 # its memory is the caller's own
        check("none", b.check(keys[:0]).shape == (0,))
        for asked in [*range(10)], range(10), array("Q", range(10)), iter(keys):
            check("as before", b.check(asked) == bytearray(5) + b"\1" * 5)


def windows():
    for layout in "classic", "blocked", "counting":
        w = Window(1000, 0.001, layout=layout, seed=9)
        one = Window(1000, 0.001, layout=layout, seed=9)
        check("as planned", (w.generations, w.room, w.plan.layout, w.plan.seed)
              == (8, 143, LAYOUTS.index(layout), 9) and w and len(w) == 0)
        new = w.update(range(5000))
        check("single keys", new == sum(map(one.add, range(5000)))
              and bytes(w) == bytes(one) and w == one and not w != one)
        check("the last 1000 are in", all(w.check(range(4000, 5000)))
              and 4999 in w and 950 < len(w) < 1250)
        check("older ones are forgotten", sum(w.check(range(3000))) < 30)
        check("about p", 0 < w.fpr < 0.0011)
        for step in range(8):
            check(f"{step} steps", (4999 in w) is (step < 8))
            w.step()
        check("forgotten", 4999 not in w and len(w) == 0 and w != one)
        one.clear()
        check("cleared", 4999 not in one and one.add("x") and w != one)
    w = Window(10, 0.01, generations=2)
    check("keys of all kinds", w.add("x") and w.add(7) and w.add(b"bytes")
          and not w.add("x") and w.update(["y", 8]) == 2
          and list(w.check(["y", 8, 9])) == [1, 1, 0] and "x" in w)
    check("repr", repr(Window(1000)).startswith(
        "<Window classic generations=8 room=143 fpr=0 keys=0"))
    w.set_time(5, 2**64 - 1)
    check("time and span", (w.time, w.span) == (5, 2**64 - 1))
    refuses(ValueError, "whole", lambda: w.set_time(-1, 0))
    for bad in 1, 17, 0, -1:
        refuses(ValueError, "2 to 16", lambda: Window(10, generations=bad))
    for bad in dict(p=0), dict(p=1), dict(n=-1), dict(layout="x"), \
            dict(n=2**63), dict(p=1e-19), dict(p=float("nan")):
        refuses(ValueError, "", lambda: Window(**{"n": 10, **bad}))
    refuses(TypeError, "window", lambda: w | w)
    refuses(TypeError, "window", lambda: w.__ior__(w))


def times():
    """A window that forgets by time"""
    w = Window(70, 1e-6)
    check("its room", w.room == w.room_left == 10 and w.add(0)
          and w.room_left == 9)
    for now in range(100):
        check("room for few", not w.advance(now, 20) and w.add(f"key {now}"))
        check(f"at {now}", all(f"key {i}" in w for i in range(max(0, now - 20),
                                                            now)))
    check("older ones are forgotten", sum(f"key {i}" in w for i in range(70))
          == 0 and w.span == 3)
    check("the clock goes back", not w.advance(5, 20) and "key 99" in w)
    check("and is right again", not w.advance(10**9, 20) and "key 99" in w)
    check("a long pause", not w.advance(2 * 10**9, 20) and len(w) == 0)
    no_room = 0
    for i in range(200):
        no_room += w.advance(10**9, 20)
        w.add(i)
    check("no room for a burst", no_room > 0 and 199 in w)
    w.update(range(10**6, 10**6 + w.room_left))
    check("full", w.room_left >= 1)
    for bad in (-1, 5), (5, -1), (5, 0.5):
        refuses(ValueError, "whole", lambda: w.advance(*bad))


def slices():
    """Filters that are asked at once answer like an array of filters."""
    for key in None, bytes(range(16)):
        s = Slices(200, 1e-4, 130, key=key, seed=3)
        plain = [Bloom(200, 1e-4, key=key, seed=3) for _ in range(130)]
        texts = [f"text {i}" for i in range(300)]
        for i, b in enumerate(plain):
            for one in i, texts[i], b"bytes", Index(-i):
                check("added", s.add(i, one) == b.add(one))
            check("many", s.update(i, texts[i:i + 2], texts[i + 2:i + 5])
                  == b.update(texts[i:i + 5]) and s.update(i) == 0)
        for keys in texts[:90], range(90), ["mixed", 7, b"x"]:
            new = s.update(77, keys)
            check("very many", plain[77].update(keys) == new > 0)
        check("shape", s.filters == 130 and s.plan == plain[0].plan
              and repr(s) == f"<Slices filters=130 m={s.plan.cells} k=13>")
        query = texts[70:75]
        check("find", [s.find(k) for k in (*texts, 7, "none")] == [
            [i for i, b in enumerate(plain) if k in b]
            for k in (*texts, 7, "none")])
        check("find_all", s.find_all(query) == s.find_all(iter(query)) == [
            i for i, b in enumerate(plain) if all(b.check(query))] 
            == [70, 77] and s.find_all([]) == [*range(130)])
        counts = s.count(query)
        check(f"count {counts}", list(counts) == [sum(b.check(query))
                                                  for b in plain])
        check("get", all(bytes(s.get(i)) == bytes(b) and s.get(i) == b
                         and texts[i] in s.get(i)
                         for i, b in enumerate(plain)))
        if numpy is not None:
            asked = numpy.arange(3)
            found = s.count(asked)
            check("NumPy", found.dtype == numpy.uint32 and found.tolist() == [
                sum(b.check([0, 1, 2])) for b in plain]
                and numpy.arange(130)[s.find(5)].tolist() == s.find(5))
            refuses(TypeError, "use update() and check()",
                    lambda: s.find(asked))
        s.put(3, plain[77])
        s.clear(4)
        check("put and clear", s.get(3) == plain[77] and s.get(5) == plain[5]
              and s.get(4) == Bloom(200, 1e-4, key=key, seed=3))
        image = bytes(s)
        again, more, fewer = s.copy(), s.copy(200), s.copy(71)
        check("copies", again == s and type(again) is Slices and more != s
              and more.find_all(query) == [3, 70, 77] and more.filters == 200
              and fewer.find_all(query) == [3, 70] and len(image) == len(
                  bytes(again)) and Slices.from_bytes(image, key=key) == s)
        again.clear()
        check("cleared", again.find(7) == [] and bytes(s) == image
              and again == Slices(200, 1e-4, 130, key=key, seed=3))
        for bad in 130, -1, 2**70:
            for call in (s.get, s.clear, lambda i: s.add(i, "x"),
                         lambda i: s.update(i, []),
                         lambda i: s.put(i, plain[0])):
                refuses(IndexError, "0 to 129", lambda: call(bad))
        for other in Bloom(200, 1e-4, key=key), Bloom(9, seed=3, key=key), \
                Bloom(200, 1e-4, seed=3, key=b"another" + bytes(9)):
            refuses(ValueError, "another plan", lambda: s.put(0, other))
        for other in Chain(), b"x", s:
            refuses(TypeError, "not a Bloom", lambda: s.put(0, other))
        check("unchanged after errors", bytes(s) == image)
    for bad in 0, -1, 1.5, 2**64:
        refuses(ValueError, "", lambda: Slices(10, 0.1, bad))
    refuses(ValueError, "at least 1", lambda: s.copy(0))
    refuses(MemoryError, "", lambda: Slices(10, 0.1, 2**60))
    check("kept", Slices.from_bytes(bytes(s), key=key) == s != Slices.from_bytes(
        bytes(s)) and s != Bloom(9) and s.find_all(query))


def secrets_():
    """Filters with key="""
    secret, other = bytes(range(16)), bytes(16)
    makes = (Bloom, Chain, Window, partial(Bloom, layout="counting"),
             partial(Bloom, layout="blocked"), partial(Bloom, hash_bits=32))
    texts = ["x", b"bytes", "Gr\u00fcn", 7, -1, 2**64 - 1, Index(5), ""]
    for make in makes:
        a, b, plain = (make(2000, 1e-4, key=k)
                       for k in (secret, bytearray(other), None))
        new = a.update(range(2000)) + a.update(texts)
        check("new", new > 1990 and all(a.check(range(2000)))
              and all(key in a for key in texts))
        single = make(2000, 1e-4, key=memoryview(secret))
        for key in [*range(2000), *texts]:
            single.add(key)
        check("single keys", bytes(single) == bytes(a) and single == a)
        b.update(range(2000)), plain.update(range(2000))
        check("an integer is its 8 bytes, not its text", "1999" not in a
              and (1999).to_bytes(8, "little") in a)
        check("other cells", bytes(b) != bytes(a) != bytes(plain))
        check("the secret is not stored", secret not in bytes(a))
        image = bytes(a)
        again = type(a).from_bytes(image, key=secret)
        check("the right secret", all(again.check(range(2000))) and again == a
              and "x" in again and again.copy() == a
              and "x" in copy.deepcopy(a))
        for wrong in other, None:
            lost = type(a).from_bytes(image, key=wrong)
            check(f"secret {wrong} finds nothing", lost != a and
                  sum(lost.check(range(2000))) < 8)
        check("absent keys", sum(a.check(range(10**5, 2 * 10**5))) < 40)
        refuses(TypeError, "cannot be pickled", lambda: pickle.dumps(a))
        check("keys of a copy", a.copy().add("one more"))
    a, b, c = (Bloom(100, key=k) for k in (secret, other, None))
    for x, y in (a, b), (a, c), (c, a):
        for call in (lambda: x | y, lambda: x & y, lambda: x.__ior__(y)):
            refuses(ValueError, "different keys", call)
        check("not equal", x != y)
    b = Bloom(100, key=secret)
    b.add("b")
    check("union", "b" in a | b and "b" not in a & b)
    d = Bloom(100, layout="counting", key=secret)
    check("remove", d.add(5) and d.remove(5) and 5 not in d and d.add("x")
          and not d.remove("y") and d.remove("x"))
    for bad in b"short", bytes(17), b"":
        refuses(ValueError, "16 bytes", lambda: Bloom(10, key=bad))
    for bad in "x" * 16, 16, [1] * 16:
        refuses(TypeError, "bytes", lambda: Chain(10, key=bad))
    # SipHash-2-4 of 128 bits: two of its published vectors
    for data, h1, h2 in ((b"", 0xe6a825ba047f81a3, 0x930255c71472f66d),
                         (b"\0", 0x44af996bd8c187da, 0x45fc229b11597634)):
        h = bloom._keyed.hash(secret, data, len(data))
        check(f"vector of {len(data)} bytes", (h.h1, h.h2) == (h1, h2))


def names():
    """`from bloom import *` gives every public class, and nothing else."""
    public = {name for name, it in vars(bloom).items() if name[0] != "_"
              and isinstance(it, type) and it.__module__ == "bloom"}
    check(f"__all__, {public}", set(bloom.__all__) == public)
    everything = {}
    exec("from bloom import *", everything)
    check("import *", set(everything) - {"__builtins__"} == public)
    number = ctypes.c_int.in_dll(bloom._held, "bloom_version").value
    check("version", [*map(int, bloom.__version__.split("."))]
          == [number // 10000, number // 100 % 100, number % 100])


def full():
    """A filter whose cells are all set"""
    for b in Bloom(10), Chain(10), Window(10), Bloom(10, layout="counting"):
        b.add("x")
        image = bytearray(bytes(b))
        at = 32 if image[2:3] == b"M" else 64
        image[at:] = (b"\xff" * (len(image) - at) if at == 32 else image[at:])
        if isinstance(b, Bloom):
            b = Bloom.from_bytes(image)
        elif isinstance(b, Chain):
            image[64:] = b"\xff" * (len(image) - 64)
            b = Chain.from_bytes(image)
        else:
            each = (len(image) - 64) // 8
            image[96:64 + each] = b"\xff" * (each - 32)
            b = Window.from_bytes(image)
        refuses(OverflowError, "every cell is set", lambda: len(b))
        check(f"{b!r}", "fpr=1 keys=unknown" in repr(b) and b.fpr == 1)
    b, c = Bloom(1000), Chain(1000, layout="blocked")
    b.update(range(500)), c.update(range(500))
    check(f"{b!r}", repr(b) == f"<Bloom classic m=9600 k=7 fpr={b.fpr:.3g} "
          f"keys={len(b)}>")
    check(f"{c!r}", repr(c) == f"<Chain blocked links=1 rate=0.01 "
          f"fpr={c.fpr:.3g} keys={len(c)}>" and c.links == 1)
    check("repr of a subclass", repr(Named("n")).startswith("<Named blocked"))


run_all(keys, many, arguments, fits, counts, types, whole, operators, foreign, folds, arrays,
        answers, windows, times, slices, secrets_, names, full)
