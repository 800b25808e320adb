"""Bloom filters for Python 3.9 and later, through ctypes: bloom.h's own images.

    make libbloom                         # build/libbloom.so
    cp examples/bloom.py build/libbloom.so YOUR_PROJECT

    from bloom import Bloom, Chain
    seen = Bloom(1_000_000, 0.01)         # room for a million keys at 1%
    seen.add("apple")                     # True: it was new
    "apple" in seen, "pear" in seen       # True, False
    seen.update(array("Q", range(1000)))  # integers, without a copy
    seen.save("seen.bloom")               # `bloom check seen.bloom` reads it
    with Bloom.open("seen.bloom") as old: # mapped, not read
        len(old), old.rate                # about how many keys; the rate now

A key is bytes (or a bytearray), a str (its UTF-8), or an int from -2^63 to
2^64 - 1, by its value modulo 2^64. An int and its text are different keys.
The library is $LIBBLOOM, or libbloom.so beside this file or in ../build, or the
installed one. Calls hold the interpreter's lock, so threads may share a filter.

Run as a program it prints:
       True False
       1001 keys
"""
from __future__ import annotations

import ctypes
import mmap
import os
import sys
import weakref
from array import array
from contextlib import AbstractContextManager, suppress
from ctypes import byref, c_int, c_uint64, c_uint8, c_void_p
from itertools import accumulate, islice
from typing import Any, Callable, Iterable, Iterator, Tuple, Union

Key = Union[bytes, bytearray, str, int]
Path = Union[str, "os.PathLike[str]"]
LAYOUTS = ("classic", "blocked", "counting")
_U64 = 2**64 - 1
_UNSEALED = 7
_NATIVE = "@=<" if sys.byteorder == "little" else "@=>"


class BloomError(ValueError):
    """Bytes that are not a whole filter, or a seal that does not match."""


# ---- The library -----------------------------------------------------------

class Plan(ctypes.Structure):
    """The shape of a filter: those of the same plan can be merged."""
    _fields_ = [("cells", c_uint64), ("seed", c_uint64), ("hashes", c_uint8),
                ("layout", c_uint8), ("hash_bits", c_uint8)]


_TYPES = {"P": Plan, "u": c_uint64, "d": ctypes.c_double, "i": c_int,
          "z": ctypes.c_size_t, "b": ctypes.c_bool, "s": ctypes.c_char_p,
          "v": c_void_p, "w": ctypes.c_uint, "-": None}
_CALLS = """plan_layout P udi, plan_size z P, create v P, free - v, seal - v,
    plan_of P v, view v vzv, size z v, verify i v, error_text s i, add b vsz,
    may_contain b vsz, remove b vsz, add_u64 b vu, may_contain_u64 b vu,
    remove_u64 b vu, add_many z vvzv, add_many_u64 z vvzv, merge b vv,
    may_contain_many z vvzv, may_contain_many_u64 z vvzv, estimate u v, fpr d v,
    chain_create v udP, chain_free - v, chain_load v vzv, chain_add b vsz,
    chain_add_u64 b vu, chain_may_contain b vsz, chain_may_contain_u64 b vu,
    chain_links w v, chain_link v vw, chain_head - vs, chain_estimate u v,
    chain_fpr d v, chain_size z v"""


def _load() -> ctypes.PyDLL:
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(here, "libbloom.so"),
              os.path.join(here, "../build/libbloom.so")]
    library = ctypes.PyDLL(os.environ.get("LIBBLOOM") or next(
        filter(os.path.exists, places), "libbloom-h.so.1"))
    for call in _CALLS.split(","):
        name, result, arguments = call.split()
        function = getattr(library, "bloom_" + name)
        function.restype = _TYPES[result]
        function.argtypes = [_TYPES[letter] for letter in arguments]
    return library


_lib = _load()


def _pair(name: str) -> Tuple[Any, Any]:
    return getattr(_lib, name), getattr(_lib, name + "_u64")


def _plan(n: int, p: float, layout: str, seed: int, hash_bits: int) -> Plan:
    if layout not in LAYOUTS or hash_bits not in (32, 64):
        raise ValueError(f"layout is one of {LAYOUTS}, hash_bits 64 or 32")
    if not 0 <= n <= _U64 or not 0 < p < 1:
        raise ValueError("n must be 0 to 2^64 - 1, and p between 0 and 1")
    plan = _lib.bloom_plan_layout(n, p, LAYOUTS.index(layout))
    plan.seed, plan.hash_bits = seed & _U64, hash_bits
    if _lib.bloom_plan_size(plan) == 0:
        raise ValueError("n too large, or p too small, for such a filter")
    return plan


def _check(error: int, name: object) -> None:
    if error not in (0, _UNSEALED):
        raise BloomError(f"{name}: {_lib.bloom_error_text(error).decode()}")


class _Buffer(ctypes.Structure):
    """Py_buffer: its address, and room for what follows."""
    _fields_ = [("address", c_void_p), ("rest", c_void_p * 15)]

    def __init__(self, owner: Any) -> None:
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(owner),
                                            byref(self), 0)

    def release(self) -> None:
        ctypes.pythonapi.PyBuffer_Release(byref(self))


# ---- Keys ------------------------------------------------------------------

def _call(pair: Tuple[Any, Any], handle: Any, key: Key) -> bool:
    if isinstance(key, int):
        if not -2**63 <= key <= _U64:
            raise OverflowError("an int key is -2^63 to 2^64 - 1")
        return pair[1](handle, key & _U64)
    key = _bytes(key)
    return pair[0](handle, key, len(key))


def _bytes(key: Any) -> bytes:
    if isinstance(key, str):
        return key.encode()
    if isinstance(key, (bytes, bytearray)):
        return bytes(key)
    raise TypeError("a key is bytes, str or int, not " + type(key).__name__)


def _integers(keys: Any) -> Any:
    """A buffer of 64-bit integers, as it is if it has no gaps; or None."""
    try:
        view = memoryview(keys)
    except TypeError:
        return None
    if view.itemsize != 8 or view.format.strip(_NATIVE) not in list("QqLl"):
        raise TypeError("a buffer of keys must be of 64-bit integers, "
                        f"not {view.format!r}: pass a list of keys")
    return view if view.c_contiguous else array("Q", view.tobytes())


def _chunks(keys: Iterable[Key]) -> Iterator[Tuple[bool, Any]]:
    """What the calls for many keys take: integers (True), or bloom_keys, whose
    pairs of an address and a size are followed by the bytes they are of."""
    if isinstance(keys, (str, bytes, bytearray)):
        raise TypeError("that is one key: add it, or pass a list of keys")
    view = _integers(keys)
    if view is not None:
        yield True, view
        return
    every = iter(keys)
    for chunk in iter(lambda: list(islice(every, 1 << 14)), []):
        texts = [_bytes(key) for key in chunk if not isinstance(key, int)]
        if texts and len(texts) < len(chunk):   # both kinds, in their order
            for key in chunk:
                yield from _chunks([key])
        elif texts:
            sizes = array("Q", map(len, texts))
            joined = ctypes.create_string_buffer(b"".join(texts))
            pairs = array("Q", bytes(16 * len(texts)))
            pairs[1::2] = sizes
            pairs[0::2] = array("Q", accumulate(
                sizes[:-1], initial=ctypes.addressof(joined)))
            yield False, pairs
        elif min(chunk) < -2**63 or max(chunk) > _U64:
            raise OverflowError("an int key is -2^63 to 2^64 - 1")
        else:
            yield True, array("Q", [key & _U64 for key in chunk])


def _many(name: str, handle: Callable[[], Any], keys: Iterable[Key],
          answers: Any = None) -> int:
    """Of how many keys a call said True; each answer to the bytearray."""
    total = 0
    for integers, numbers in _chunks(keys):
        buffer = _Buffer(numbers)
        count = len(memoryview(numbers).cast("B")) // (8 if integers else 16)
        truths = None if answers is None else (ctypes.c_bool * count)()
        try:
            total += _pair(name)[integers](handle(), buffer.address, count,
                                           truths)
        finally:
            buffer.release()
        if truths is not None:
            answers += truths
    return total


# ---- Filters ---------------------------------------------------------------

class _Filter(AbstractContextManager):
    """What Bloom and Chain share: a handle, until it is closed."""
    _pointer = _end = _prefix = _add = _may_contain = None  # type: Any
    _writable = True

    def __init_subclass__(cls, prefix: str) -> None:
        cls._prefix = prefix
        cls._add = _pair(prefix + "add")
        cls._may_contain = _pair(prefix + "may_contain")

    def _own(self, pointer: Any, end: Any, *what: Any) -> None:
        self._pointer = pointer
        self._end = weakref.finalize(self, end, *what)

    def _handle(self) -> Any:
        if self._pointer is None:
            raise ValueError("the filter is closed")
        return self._pointer

    def _to_change(self) -> Any:
        if not self._writable:
            raise ValueError("the filter was opened to be read only")
        return self._handle()

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Give the memory back now; else it goes with the object."""
        self._pointer = None
        if self._end:
            self._end()

    def __bool__(self) -> bool:
        return True                     # also when it is empty, not as a set

    def add(self, key: Key) -> bool:
        """True if the key was certainly new."""
        return _call(self._add, self._to_change(), key)

    def __contains__(self, key: Key) -> bool:
        return _call(self._may_contain, self._handle(), key)

    def __len__(self) -> int:
        """How many different keys were added, judged by the bits."""
        estimate = getattr(_lib, self._prefix + "estimate")
        return min(estimate(self._handle()), sys.maxsize)

    @property
    def rate(self) -> float:
        """How many absent keys are said to be in, from the bits as they are."""
        return getattr(_lib, self._prefix + "fpr")(self._handle())


class Bloom(_Filter, prefix="bloom_"):
    """A filter for n keys: of p of the absent ones it says that they are in."""

    def __init__(self, n: int, p: float = 0.01, *, layout: str = "classic",
                 seed: int = 0, hash_bits: int = 64) -> None:
        plan = _plan(n, p, layout, seed, hash_bits)
        made = _lib.bloom_create(plan)
        if not made:
            raise MemoryError(f"{_lib.bloom_plan_size(plan)} bytes")
        self._own(made, _lib.bloom_free, made)

    @classmethod
    def open(cls, path: Path, writable: bool = False) -> Bloom:
        """A saved filter, mapped: what is added to a writable one is in the
        file. To check the seal is to read all of it: verify()."""
        with open(path, "r+b" if writable else "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise BloomError(f"{path}: truncated")
            memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_WRITE
                               if writable else mmap.ACCESS_READ)
        buffer, error, self = _Buffer(memory), c_int(), cls.__new__(cls)
        self._own(_lib.bloom_view(buffer.address, len(memory), byref(error)),
                  buffer.release)
        self._writable = writable
        _check(error.value, path)
        return self

    def remove(self, key: Key) -> bool:
        """Of layout "counting", take back one add; False: it was not in."""
        return _call(_pair("bloom_remove"), self._to_change(), key)

    def update(self, keys: Iterable[Key]) -> int:
        """Add many keys; how many were certainly new."""
        return _many("bloom_add_many", self._to_change, keys)

    def check(self, keys: Iterable[Key]) -> bytearray:
        """`key in self` of each of many keys, 1 or 0."""
        answers = bytearray()
        _many("bloom_may_contain_many", self._handle, keys, answers)
        return answers

    def __ior__(self, other: Bloom) -> Bloom:
        if not _lib.bloom_merge(self._to_change(), other._handle()):
            raise ValueError("the plans of the two filters differ")
        return self

    def __bytes__(self) -> bytes:
        return bytes(_image(self._handle()))

    @property
    def plan(self) -> Plan:
        return _lib.bloom_plan_of(self._handle())

    def seal(self) -> None:
        """Write a checksum into the image; the next add removes it."""
        _lib.bloom_seal(self._to_change())

    def verify(self) -> bool:
        """True: the seal is right; False: there is none. BloomError: damage."""
        error = _lib.bloom_verify(self._handle())
        _check(error, "the filter")
        return error == 0

    def save(self, path: Path) -> None:
        """Sealed, unless opened read-only; complete, or as it was before."""
        if self._writable:
            self.seal()
        _write(path, [_image(self._handle())])

    def __repr__(self) -> str:
        plan = self.plan
        return (f"<Bloom {LAYOUTS[plan.layout]} m={plan.cells} "
                f"k={plan.hashes} keys={len(self)} rate={self.rate:.3g}>")


class Chain(_Filter, prefix="bloom_chain_"):
    """A filter that grows: for when nobody knows how many keys will come."""

    def __init__(self, first_n: int = 1000, p: float = 0.01, *,
                 layout: str = "classic", seed: int = 0,
                 hash_bits: int = 64) -> None:
        made = _lib.bloom_chain_create(first_n, p, _plan(
            first_n, p, layout, seed, hash_bits))
        if not made:
            raise ValueError("there is no such chain")
        self._own(made, _lib.bloom_chain_free, made)

    @classmethod
    def open(cls, path: Path) -> Chain:
        """A saved chain, its seals checked; it goes on growing."""
        with open(path, "rb") as file:
            image = file.read()
        error, self = c_int(), cls.__new__(cls)
        made = _lib.bloom_chain_load(image, len(image), byref(error))
        _check(error.value, path)
        if not made:
            raise MemoryError(path)
        self._own(made, _lib.bloom_chain_free, made)
        for link in self._links():
            _check(_lib.bloom_verify(link), path)
        return self

    def update(self, keys: Iterable[Key]) -> int:
        """Add many keys; how many were certainly new."""
        return sum(map(self.add, keys))

    def save(self, path: Path) -> None:
        """Each link sealed; complete, or as it was before."""
        head = ctypes.create_string_buffer(32)
        _lib.bloom_chain_head(self._handle(), head)
        copies = [bytearray(_image(link)) for link in self._links()]
        for copy in copies:
            _lib.bloom_seal((ctypes.c_char * len(copy)).from_buffer(copy))
        _write(path, [head, *copies])

    def _links(self) -> list[Any]:
        return [_lib.bloom_chain_link(self._pointer, i)
                for i in range(_lib.bloom_chain_links(self._handle()))]


def _image(filter: Any) -> Any:
    return (ctypes.c_char * _lib.bloom_size(filter)).from_address(filter)


def _write(path: Path, parts: Iterable[Any]) -> None:
    beside = f"{os.fspath(path)}.tmp.{os.getpid()}"
    try:
        with open(beside, "xb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.remove(beside)
        raise


if __name__ == "__main__":
    seen = Bloom(1_000_000, 0.01)
    seen.add("apple")
    print("apple" in seen, "pear" in seen)
    seen.update(array("Q", range(1000)))
    print(len(seen), "keys")
