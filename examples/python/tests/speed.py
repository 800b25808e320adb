"""`make speed-python` runs this: how many times faster update() and check() are
than add() and `in`, and what key= costs. All are CPU times in one process, the
best of several rounds."""
import os
import sys
import time
from array import array

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from bloom import Bloom  # noqa: E402

N, ROUNDS = 200_000, 5


def best(make, call):
    times = []
    for _ in range(ROUNDS):
        b = make()
        start = time.process_time()
        call(b)
        times.append(time.process_time() - start)
    return min(times) / N * 1e9


def single(keys):
    def call(b):
        add = b.add
        for key in keys:
            add(key)
    return call


def asked(keys):
    return lambda b: [key in b for key in keys]


integers = range(N)
kinds = [("an array of 64-bit integers", array("Q", integers)),
         ("a list of int", list(integers)),
         ("a list of str", [f"http://example.org/{i}" for i in integers]),
         ("a list of bytes", [b"http://example.org/%d" % i for i in integers])]
try:
    import numpy
    kinds.insert(0, ("a NumPy array of uint64",
                     numpy.arange(N, dtype=numpy.uint64)))
except ImportError:
    print("skipped: NumPy's arrays (Debian package python3-numpy)")
print(f"ns per key, {N} new keys, p = 1%, blocked   add  update  ratio"
      "     in   check  ratio")
for name, keys in kinds:
    def make():
        return Bloom(N, layout="blocked")
    full = make()
    full.update(keys)
    one, many = best(make, single(keys)), best(make, lambda b: b.update(keys))
    ask = best(lambda: full, asked(keys))
    check = best(lambda: full, lambda b: b.check(keys))
    print(f"{name:39} {one:7.0f} {many:7.1f} {one / many:6.0f} {ask:6.0f} "
          f"{check:7.1f} {ask / check:6.0f}")
texts = kinds[-2][1]
plain, keyed = (best(lambda: Bloom(N, layout="blocked", key=key),
                     single(texts)) for key in (None, bytes(16)))
print(f"add() of a str with key=: {keyed / plain:.1f} times as long")
many, keyed = (best(lambda: Bloom(N, layout="blocked", key=key),
                    lambda b: b.update(texts)) for key in (None, bytes(16)))
print(f"update() of str with key=: {keyed / many:.1f} times as long")
