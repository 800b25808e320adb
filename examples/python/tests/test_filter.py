"""Tests of examples/python/bloom.py: all types of keys, arguments, operators,
NumPy's arrays, and errors. What the library does with them, tests/unit/ tests."""
import copy
import ctypes
import pickle
import random
import sys
from array import array
from decimal import Decimal
from functools import partial

from bloom_checks import Index, Named, check, child, refuses, run_all, table
import bloom
from bloom import LAYOUTS, Bloom, Chain, Slices, Window

try:
    import numpy
except ImportError:
    numpy = None


class Text(str):
    def encode(self, *_):
        return b"another"


def one_key():
    for make in (Bloom, partial(Bloom, layout="counting"), Window, Chain,
                 partial(Bloom, hash_bits=32),
                 partial(Bloom, key=bytes(16), layout="counting")):
        table(r"""
    b = make(1000, 1e-9)
    new = "text", b"b", bytearray(b"array"), memoryview(b"a-b-c")[::2], "", 5, -1, Index(7), "Gr\u00fcn", Text("s")
    old = b"text", "b", b"array", "abc", b"", Index(5), 2**64 - 1, 7, b"Gr\xc3\xbcn", "s"
    [b.add(k) for k in new] -> [True] * 10
    [b.add(k) for k in old] -> [False] * 10
    [k in b for k in (*new, *old)] -> [True] * 20
    [k in b for k in ("5", b"none", 6, "grun", 0, 1, b"another")] -> [False] * 7
    list(b.check([*old, 8, "x"])) -> [1] * 10 + [0, 0]
    (len(b), 0 < b.fpr < 1e-8, bool(b)) -> (10, True, True)
    b.add(True) -> TypeError: not bool
    False in b -> TypeError: not bool
    b.update([2, True]) -> TypeError: not bool
    b.check([2, "x", False]) -> TypeError: not bool
    b.add(1.0) -> TypeError: not float
    None in b -> TypeError: not NoneType
    b.add(Decimal(1)) -> TypeError: not Decimal
    b.add([1]) -> TypeError: not list: for many keys, use update() and check()
    b.add(2**64) -> OverflowError: 2^64
    -2**63 - 1 in b -> OverflowError: 2^64
    b.add("\udc80") -> UnicodeEncodeError: surrogates
    list(b) -> TypeError: iterable
    {b} -> TypeError: unhashable
    (2 in b, bool(make(5)), len(make(5))) -> (True, True, 0)
    """, {**globals(), "make": make})


def many():
    numbers = [random.getrandbits(64) for _ in range(70000)]
    mixed = ["a", 1, b"", "bb", 2, -3] * 3000 + [f"k{i}" for i in range(70000)]
    signed = array("q", [n - 2**63 for n in numbers])
    gaps = memoryview(array("Q", [n for n in numbers for _ in "ab"]))[::2]
    for make in (lambda: Bloom(50000, layout="blocked", seed=7), lambda:
                 Chain(5000), lambda: Window(9000), lambda: Bloom(50000,
                                                          key=bytes(16))):
        for batch in (numbers, array("Q", numbers), gaps, iter(numbers), signed,
                      memoryview(signed), mixed, []):
            keys = numbers if hasattr(batch, "__next__") else batch
            one, all_ = make(), make()
            check(f"{make()!r}: {type(batch)}", sum(map(one.add, keys))
                  == all_.update(batch) and bytes(one) == bytes(all_)
                  and one == all_ and all_.check(keys) == bytearray(
                      key in one for key in keys))
    # Elements of other integer arrays are keys by value, in any byte order
    backward = ctypes.c_uint64.__ctype_be__ if sys.byteorder == "little" \
        else ctypes.c_uint64.__ctype_le__

    def broken(*keys):
        yield from keys
        raise ZeroDivisionError("no more")
    table("""
    b = Bloom(1000, 1e-9)
    for each in array("i", [-5, 6]), array("B", [201]), (backward * 2)(10**12, 5): b.update(each)
    list(b.check([-5, 6, 201, 10**12, 5, 7])) -> [1] * 5 + [0]
    b.update() + b.update([], array("Q")) -> 0
    b.update(["x", 1], range(3), [b"y"]) -> 5
    grid = memoryview(array("Q", range(900, 906))).cast("B").cast("Q", [2, 3])
    b.update(grid) -> TypeError: one dimension
    b.check(grid) -> TypeError: one dimension
    900 in b -> False
    b.update(["before"], 5) -> TypeError: int
    "before" in b -> True
    b.update("abc") -> TypeError: one key
    b.check(memoryview(b"abc")) -> TypeError: one key
    b.update(b) -> TypeError: iterable
    b.update(array("d", [1])) -> TypeError: not float
    b.update(["v", "w", None, "z"]) -> TypeError: not NoneType
    b.update([21, 22, 1 << 65, "z"]) -> OverflowError: 2^64
    b.update(["u", chr(0xdc80), "z"]) -> UnicodeEncodeError
    b.update(broken("s", "t")) -> ZeroDivisionError: no more
    list(b.check(["u", "v", "w", 21, 22, "s", "t", "z"])) -> [1] * 7 + [0]
    c = Chain(50000, 1e-9)
    c.update(broken(*range(70000))) -> ZeroDivisionError: no more
    sum(c.check(range(70000))) -> 70000
    """, {**globals(), **locals()})


def arguments():
    table("""
    Bloom(1e6).plan == Bloom(10**6).plan != Bloom(99).plan -> True
    Bloom(Decimal(10), Decimal("0.01")).plan == Bloom(10).plan -> True
    bytes(Chain(1e3)) -> bytes(Chain(1000))
    Bloom(10, seed=-1).plan.seed -> 2**64 - 1
    bytes(Bloom(10, seed=True)) -> bytes(Bloom(10, seed=1))
    tuple(Bloom(1000, seed=3).plan) -> (9600, 3, 7, 0, 64)
    Bloom(9, hash_bits=32).plan.hash_bits -> 32
    setattr(Bloom(9).plan, "cells", 9) -> AttributeError
    Bloom(10, seed=2**64) -> OverflowError: 2^64
    Bloom(1.5) -> ValueError: whole number
    Chain(float("inf")) -> ValueError: whole number
    Bloom(float("nan")) -> ValueError: whole number
    Bloom(Decimal("nan")) -> ValueError: whole number
    Bloom(-1) -> ValueError: whole number
    Bloom(2**64) -> ValueError: whole number
    Bloom(10, 0) -> ValueError: p must be between 0 and 1, not 0.0
    Bloom(1000, 1) -> ValueError: p must be between 0 and 1, not 1.0
    Window(10, float("nan")) -> ValueError: p must be between 0 and 1, not nan
    Chain(10, 2) -> ValueError: p must be between 0 and 1, not 2.0
    Bloom(10, 1e-30) -> ValueError: p = 1e-30 is too small
    Bloom(2**62) -> ValueError: n = 4611686018427387904 is too large for a classic
    Bloom(2**33, hash_bits=32) -> ValueError: too large for a classic filter with hash_bits 32
    Bloom(2**50) -> MemoryError
    Bloom(10, layout="blocked", hash_bits=32) -> ValueError: a blocked filter needs hash_bits 64
    Bloom(10, layout="x") -> ValueError: layout
    Bloom(10, hash_bits=16) -> ValueError: hash_bits
    Bloom.fit(32) -> ValueError: 32 bytes have no room for a key
    Bloom.fit(1000, 1e-30) -> ValueError: p = 1e-30 is too small
    Bloom.fit(0.5) -> ValueError: whole number
    Chain(layout="counting") -> ValueError: a chain must be classic or blocked
    Chain(10, 1e-19) -> ValueError: p = 1e-19 is too small for a chain
    Chain(4.7e17) -> ValueError: first_n = 4.7e+17 is too large for a chain
    Window(10, generations=17) -> ValueError: 2 to 16
    Window(10, generations=1) -> ValueError: 2 to 16
    Window(10, 1e-19) -> ValueError: p = 1e-19 is too small for a window of 8
    Window(4.7e17, generations=2) -> ValueError: is too large for a window
    Slices(10, 0.1, 0) -> ValueError: at least 1
    Slices(10, 0.1, 1.5) -> ValueError: whole number
    Slices(10, 0.1, 2**60) -> MemoryError
    Bloom(10, key=b"short") -> ValueError: 16 bytes
    Bloom(10, key=bytes(17)) -> ValueError: 16 bytes
    """, globals())
    refuses((ValueError, MemoryError), "", lambda: Bloom.fit(2**64 - 1))


def types():
    """An argument of a wrong type is a TypeError, whatever the call."""
    b, w, s = Bloom(1000, layout="counting"), Window(10), Slices(9, 0.1, 3)
    images = bytes(b), bytes(w), bytes(s)
    no_number, no_key = (None, 1j, [1.5], "10"), (None, 1j, [1.5], 1.5, True)
    words = dict(p=0.1, seed=1)
    makes = [(Bloom, dict(words, n=10, hash_bits=64)), (Chain, dict(
        words, first_n=9)), (Window, dict(words, n=10, generations=8)),
        (Slices, dict(words, n=10, filters=3)), (Bloom.fit, dict(
            words, bytes=99))]
    calls = [(partial(make, **{a: w[a] for a in w if a != name}), name,
              no_number) for make, w in makes for name in w]
    for make, w_ in makes:
        calls += [(partial(make, **w_), "key", (5, "x" * 16, [1] * 16))]
        if make is not Slices:
            calls += [(partial(make, **w_), "layout", (None, 5, b"classic"))]
    calls += [(call, name, no_number) for call, name in (
        (b.capacity, "p"), (b.plan_fpr, "n"), (b.fold, "by"), (b.fold_by, "p"),
        (partial(w.set_time, 1), "span"), (partial(w.advance, span=1), "now"),
        (partial(s.add, key=5), "i"), (s.update, 0), (s.get, "i"),
        (partial(s.put, filter=Bloom(9, 0.1)), "i"))]
    calls += [(call, name, no_number[1:]) for call, name in (
        (s.clear, "i"), (s.copy, "filters"),
        (partial(Bloom.share, "none"), "n"))]
    for kind in Bloom, Chain, Window, Slices:
        calls += [(kind.from_bytes, 0, (*no_number, 5))]
        calls += [(call, 0, no_number[:3]) for call in (kind.load, kind.open)]
    calls += [(partial(s.put, 0), "filter", (*no_number, 5, s, Chain()))]
    calls += [(it.save, 0, no_number[:3]) for it in (b, w, s)]
    calls += [(call, 0, no_key) for call in (
        b.add, b.remove, b.count, b.__contains__, w.add, partial(s.add, 0),
        s.find)]
    calls += [(call, 0, (None, 1j, [1.5], 5, "text", b"text")) for call in (
        b.update, b.check, w.update, partial(s.update, 0), s.find_all, s.count)]
    for call, name, values in calls:
        for value in values:
            refuses(TypeError, "", lambda: call(**{name: value}) if isinstance(
                name, str) else call(value))
    check("unchanged", images == (bytes(b), bytes(w), bytes(s)))


def filters():
    """Each call of a filter, and its operators"""
    table("""
    a, b = (Bloom(1000, 1e-6, layout="counting") for _ in "ab")
    a.update(range(600)) + b.update(range(400, 1000)) -> 1200
    images = bytes(a), bytes(b)
    (len((a | b).check(range(1000))), sum((a | b).check(range(1000)))) -> (1000, 1000)
    [sum((a & b).check(range(i, i + 200))) for i in (0, 200, 400, 600)] -> [0, 0, 200, 0]
    images -> (bytes(a), bytes(b))
    c = a.copy()
    c == a and c is not a -> True
    c &= b
    c == a & b != a -> True
    c |= a
    sum(c.check(range(600))) -> 600
    c |= c
    c = a.copy(); c.seal()
    c == a and bytes(c) != bytes(a) and c.verify() -> True
    c.clear()
    (c == Bloom(1000, 1e-6, layout="counting"), len(c), c.verify()) -> (True, 0, False)
    c == Bloom(1000, 1e-6, layout="counting", seed=1) -> False
    a | Bloom(1000, 1e-6) -> ValueError: plans
    a & Bloom(1001, 1e-6, layout="counting") -> ValueError: plans
    a.__ior__(Bloom(1001)) -> ValueError: plans
    [c.count("x") for _ in range(20) if c.add("x") or True] -> [*range(1, 15)] + [15] * 6
    (c.remove("x"), c.count("x"), c.copy().count("x")) -> (True, 15, 15)
    c.add(Index(-3)), c.add(-3), c.add(b"y")
    [c.count(k) for k in (-3, "y", 9)] -> [2, 1, 0]
    (c.remove("y"), "y" in c, c.remove("y")) -> (True, False, False)
    p = Bloom(1000); p.add(5)
    (p.count(5), p.count(6)) -> (1, 0)
    p.remove(5) -> ValueError: layout="counting"
    p.remove("none") -> ValueError: layout="counting"
    5 in p -> True
    n = Named("n"); n.add("key"); m = n & n
    (type(n | n), m.name, "key" in m) -> (Named, "n", True)
    f = Named.fit(10**4, 1e-3, layout="counting", seed=3, key=bytes(16))
    (type(f), 9800 < len(bytes(f)) <= 10**4, f.plan.layout, f.plan.seed) -> (Named, True, 2, 3)
    f.add("x") and "x" not in Bloom.from_bytes(bytes(f)) -> True
    f.plan_fpr(f.capacity(1e-3)) <= 1e-3 < f.plan_fpr(f.capacity(1e-3) * 2) -> True
    (p.capacity(2), p.plan_fpr(0)) -> (0, 0)
    p.plan_fpr(-1) -> ValueError: whole
    big = next(b for b in map(Bloom, range(20000, 20100)) if b.plan.cells % 128 == 0)
    big.update(range(3000)) and None
    cells = big.plan.cells; big.fold(2.0)
    (all(big.check(range(3000))), big.plan.cells) -> (True, cells / 2)
    big.fold(0) -> ValueError: cannot fold
    big.fold(7919) -> ValueError: cannot fold
    big.fold(-1) -> ValueError: whole
    big.plan.cells -> cells / 2
    big = Bloom(10**6); big.update(range(1000))
    by = big.fold_by(0.01); big.fold(by)
    (by > 100, 0 < big.fpr < 0.012, big.fold_by(1e-9)) -> (True, True, 0)
    c, d = Chain(10, 0.01), Chain(10, 0.01)
    c.update(range(100)) and d.update([*range(99), 1000]) and None
    (c == d, c == c.copy(), Chain(100) == Chain(101), Chain() == Chain()) -> (False, True, False, True)
    (c.links > 2, c.rate, 0 < c.fpr < 0.01, 95 < len(c) < 105) -> (True, 0.01, True, True)
    [x == y for x in (p, c) for y in ({1, 2}, b"bytes", None, 5)] -> [False] * 8
    p == c -> False
    """, globals())
    b, c = Bloom(1000, layout="blocked"), Chain(1000)
    for call, words in ((lambda: b | c, "|"), (lambda: b & 5, "&"),
                        (lambda: b | {1}, "|"), (lambda: c & c, "&"),
                        (lambda: c | c, "key in a or key in b"),
                        (lambda: c.__ior__(c), "key in a or key in b"),
                        (lambda: Window(9) | Window(9), "window")):
        refuses(TypeError, words, call)
    check("as before", b == Bloom(1000, layout="blocked"))


def closed_by_keys():
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


def arrays():
    """NumPy's arrays as keys. check() answers them with an array of bool, which
    serves as a mask, and other keys with a bytearray, as before 2.2."""
    if numpy is None:
        print("skipped: NumPy's arrays need apt-get install python3-numpy")
        return

    class Series:                       # as of pandas
        def __init__(self, keys):
            self.keys = keys

        def __array__(self, *_):
            return numpy.array(self.keys)

        def __iter__(self):
            return iter(self.keys)
    for make in lambda: Bloom(50000), lambda: Chain(500):
        for kind in "i8 >i8 <u8 i4 u2 >i2 O".split():
            batch = numpy.arange(0 if "u" in kind else -300, 30000).astype(kind)
            batch.flags.writeable = False
            one, b = make(), make()
            check(f"NumPy's {kind}", b.update(batch) == one.update(
                [*map(int, batch)]) and bytes(b) == bytes(one)
                and b.check(numpy.repeat(batch, 2)[::2]).all()
                and b.check(batch[::-1]).all())
    keys = numpy.arange(10)
    for b in Bloom(1000, 1e-9), Window(100, 1e-9, key=bytes(16)):
        b.update(keys[5:])
        for asked in (keys, keys.astype("i2"), keys.astype(object),
                      Series([*range(10)])):
            found = b.check(asked)
            check(f"{found!r}", type(found) is numpy.ndarray and list(keys[
                ~found]) == [0, 1, 2, 3, 4] and found.dtype == bool)
        found[0] = True                 # its memory is the caller's own
        check("none", b.check(keys[:0]).shape == (0,))
        for asked in [*range(10)], array("Q", range(10)), iter(keys):
            check("no array", b.check(asked) == bytearray(5) + b"\1" * 5)
    table("""
    b, grid = Bloom(1000, 1e-9), numpy.arange(100, 104).reshape(2, 2)
    b.update(numpy.array(["a", "bc"]), numpy.array([b"d"]), numpy.array(["g", 77, b"h"], dtype=object), list(numpy.arange(3))) -> 9
    list(b.check(["a", "bc", "d", "g", 77, "h", 0, 1, 2])) -> [1] * 9
    b.add(numpy.int64(5)) and numpy.uint8(5) in b -> True
    b.add(numpy.array(10**9)) and 10**9 in b -> True
    b.update(grid.ravel()) -> 4
    list(b.check(grid[:, 1])) -> [1, 1]
    b.update(grid) -> TypeError: one dimension
    b.check(grid.astype("U3")) -> TypeError: one dimension
    b.check(numpy.zeros((2, 1), "M8[D]")) -> TypeError: one dimension
    b.update(numpy.arange(3.0)) -> TypeError
    b.update(numpy.arange(3) == 1) -> TypeError
    b.update(numpy.array(["2020-01-01"], "M8[D]")) -> TypeError
    b.update(numpy.array(5)) -> TypeError
    b.update(numpy.zeros(2, "u8,u8")) -> TypeError
    b.add(numpy.float64(2)) -> TypeError: not float64
    b.add(numpy.bool_(1)) -> TypeError: not
    b.add(numpy.arange(2)) -> TypeError: not ndarray: for many keys, use update() and check()
    numpy.zeros(2) in b -> TypeError: not ndarray: for many keys
    Bloom(9, key=bytes(16)).add(numpy.arange(2)) -> TypeError: not ndarray: for many
    Bloom(numpy.int64(10), numpy.float32(0.5), seed=numpy.uint8(3)).plan -> Bloom(10, 0.5, seed=3).plan
    s = Slices(100, 1e-4, 5)
    s.update(3, numpy.arange(3)) -> 3
    s.count(numpy.arange(2)).tolist() -> [0, 0, 0, 2, 0]
    s.count(numpy.arange(2)).dtype -> numpy.uint32
    s.find(numpy.arange(3)) -> TypeError: use update() and check()
    """, globals())


def windows():
    table("""
    w = Window(1000, 0.001, layout="blocked", seed=9)
    (w.generations, w.room, w.room_left, w.plan.layout, w.plan.seed, len(w)) -> (8, 143, 143, 1, 9, 0)
    w.update(range(5000)) > 4900 -> True
    (all(w.check(range(4000, 5000))), sum(w.check(range(3000))) < 30) -> (True, True)
    (950 < len(w) < 1250, 0 < w.fpr < 0.0011) -> (True, True)
    [4999 in w for _ in range(9) if w.step() or True] -> [True] * 7 + [False] * 2
    w.add("x") and w.clear() or ("x" in w, len(w)) -> (False, 0)
    w.set_time(5, 2**64 - 1)
    (w.time, w.span) -> (5, 2**64 - 1)
    w.set_time(-1, 0) -> ValueError: whole
    w = Window(70, 1e-6)
    (w.add(0), w.room, w.room_left) -> (True, 10, 9)
    [w.advance(now, 20) or w.add(f"key {now}") for now in range(100)] -> [True] * 100
    (all(f"key {i}" in w for i in range(80, 100)), any(f"key {i}" in w for i in range(70)), w.span) -> (True, False, 3)
    (w.advance(5, 20), w.advance(10**9, 20), "key 99" in w) -> (False, False, True)
    (w.advance(2 * 10**9, 20), len(w)) -> (False, 0)
    sum(w.advance(2 * 10**9, 20) for i in range(200) if w.add(i) or True) > 0 -> True
    w.update(range(10**6, 10**6 + w.room_left)) and w.room_left >= 1 -> True
    w.advance(-1, 5) -> ValueError: whole
    w.advance(5, 0.5) -> ValueError: whole
    """, globals())


def slices():
    """Filters that are asked at once answer like an array of filters."""
    texts = [f"text {i}" for i in range(300)]
    for key in None, bytes(range(16)):
        s = Slices(200, 1e-4, 130, key=key, seed=3)
        plain = [Bloom(200, 1e-4, key=key, seed=3) for _ in range(130)]
        for i, b in enumerate(plain):
            for one in i, texts[i], b"bytes", Index(-i):
                check("added", s.add(i, one) == b.add(one))
            check("many", s.update(i, texts[i:i + 2], texts[i + 2:i + 5])
                  == b.update(texts[i:i + 5]) and s.update(i) == 0)
        for keys in texts[:90], range(90), ["mixed", 7, b"x"]:
            check("very many", s.update(77, keys) == plain[77].update(keys) > 0)
        check("get", all(s.get(i) == b for i, b in enumerate(plain)))
        query = texts[70:75]
        table("""
    (s.filters, s.plan, repr(s)) -> (130, plain[0].plan, f"<Slices filters=130 m={s.plan.cells} k=13>")
    [s.find(k) for k in (*texts, 7, "none")] -> [[i for i, b in enumerate(plain) if k in b] for k in (*texts, 7, "none")]
    s.find_all(query) == s.find_all(iter(query)) == [70, 77] -> True
    s.find_all([]) -> [*range(130)]
    list(s.count(query)) -> [sum(b.check(query)) for b in plain]
    s.put(3, plain[77]), s.clear(4)
    (s.get(3) == plain[77], s.get(5) == plain[5], len(s.get(4))) -> (True, True, 0)
    image = bytes(s)
    again, more, fewer = s.copy(), s.copy(200), s.copy(71)
    (again == s, type(again), more == s, more.filters) -> (True, Slices, False, 200)
    (more.find_all(query), fewer.find_all(query)) -> ([3, 70, 77], [3, 70])
    Slices.from_bytes(image, key=key) == s != Slices.from_bytes(image, key=bytes(16)) -> True
    again.clear()
    (again.find(7), again == Slices(200, 1e-4, 130, key=key, seed=3)) -> ([], True)
    s.get(130) -> IndexError: 0 to 129
    s.clear(-1) -> IndexError: 0 to 129
    s.add(2**70, "x") -> IndexError: 0 to 129
    s.update(130, []) -> IndexError: 0 to 129
    s.put(130, plain[0]) -> IndexError: 0 to 129
    s.put(0, Bloom(9, seed=3, key=key)) -> ValueError: another plan
    s.put(0, Bloom(200, 1e-4, seed=3, key=b"another" + bytes(9))) -> ValueError: another plan
    s.put(0, s) -> TypeError: not a Bloom
    s.copy(0) -> ValueError: at least 1
    bytes(s) -> image
    """, {**globals(), **locals()})


def secrets_():
    """Filters with key="""
    secret, other = bytes(range(16)), bytes(16)
    for make in Bloom, Chain, Window, partial(Bloom, layout="counting"):
        a = make(2000, 1e-4, key=secret)
        check("new", a.update(range(2000)) > 1990 and a.add("x"))
        table("""
    (all(a.check(range(2000))), "x" in a, sum(a.check(range(10**5, 2 * 10**5))) < 40) -> (True, True, True)
    ("1999" in a, (1999).to_bytes(8, "little") in a) -> (False, True)
    image = bytes(a)
    secret in image -> False
    again = type(a).from_bytes(bytearray(image), key=memoryview(secret))
    (again == a, all(again.check(range(2000))), "x" in again.copy(), 7 in copy.deepcopy(a)) -> (True,) * 4
    [(lost == a, sum(lost.check(range(2000))) < 8) for lost in (type(a).from_bytes(image, key=k) for k in (other, None))] -> [(False, True)] * 2
    pickle.dumps(a) -> TypeError: cannot be pickled
    """, {**globals(), **locals()})
    table("""
    a, b, c = (Bloom(100, key=k) for k in (secret, other, None))
    a | b -> ValueError: different keys
    a & c -> ValueError: different keys
    c.__ior__(a) -> ValueError: different keys
    (a == b, a == c) -> (False, False)
    d = Bloom(100, key=secret); d.add("d")
    ("d" in a | d, "d" in a & d) -> (True, False)
    """, {**globals(), **locals()})
    # SipHash-2-4 of 128 bits: one of its published vectors
    h = bloom._keyed.hash(secret, b"\0", 1)
    check("vector", (h.h1, h.h2) == (0x44af996bd8c187da, 0x45fc229b11597634))


def names():
    """`from bloom import *` gives every public class, and nothing else."""
    public = {name for name, it in vars(bloom).items() if name[0] != "_"
              and isinstance(it, type) and it.__module__ == "bloom"}
    everything = {}
    exec("from bloom import *", everything)
    check(f"__all__, {public}", set(everything) - {"__builtins__"} == public
          == set(bloom.__all__))


def full():
    """Filters whose cells are all set, and how filters look"""
    for kind, at, size in (Bloom, 32, 0), (Chain, 64, 0), (Window, 96, 8):
        b = kind(10)
        b.add("x")
        image = bytearray(bytes(b))
        end = 64 + (len(image) - 64) // size if size else len(image)
        image[at:end] = b"\xff" * (end - at)
        b = kind.from_bytes(image)
        refuses(OverflowError, "every cell is set", lambda: len(b))
        check(f"{b!r}", "fpr=1 keys=unknown" in repr(b) and b.fpr == 1)
    for b, text in ((Bloom(1000), "Bloom classic m=9600 k=7"), (Named("n"),
                    "Named blocked m="), (Window(1000), "Window classic "
                    "generations=8 room=143 fpr=0 keys=0"), (Chain(
                        1000, layout="blocked"), "Chain blocked links=1 "
                    "rate=0.01 fpr=0 keys=0")):
        check(f"{b!r}", repr(b).startswith("<" + text) and repr(b)[-1] == ">")


run_all(one_key, many, arguments, types, filters, closed_by_keys, arrays,
        windows, slices, secrets_, names, full)
