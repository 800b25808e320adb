"""Bloom filters for CPython 3.8 and later, by ctypes: bloom.h's own images.

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

A key is bytes (or a bytearray, or a memoryview), a str (its UTF-8), or what has
__index__ (an int, a bool, NumPy's), from -2^63 to 2^64 - 1, by its value modulo
2^64. An integer and its text are different keys. Where one of many is refused,
or their iterator fails, those before it have been added.

Copies and pickles have memory of their own. Equal is only a filter and itself:
compare bytes(a) with bytes(b). Calls hold the interpreter's lock, so threads may
share a filter; in a free-threaded Python they need a lock of yours, and so do
processes that add to one mapped file. The library is $LIBBLOOM, or libbloom.so
beside this file or in ../build, or the installed one. Python takes any bloom.so
beside this file for the module: SQLite's and Redis's have other names.

Run as a program it prints:
       True False
       1001 keys
"""
from __future__ import annotations

import ctypes
import mmap
import os
import stat
import sys
from array import array
from contextlib import suppress
from ctypes import byref, c_bool, c_double, c_int, c_uint64, c_uint8, c_void_p
from itertools import accumulate, islice
from operator import index
from typing import Any, Iterable, Iterator, NamedTuple, SupportsIndex, Union

Key = Union[bytes, bytearray, memoryview, str, SupportsIndex]
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Plan = NamedTuple("Plan", [("cells", int), ("seed", int), ("hashes", int),
                           ("layout", int), ("hash_bits", int)])
LAYOUTS = ("classic", "blocked", "counting")
_BYTES = (bytes, bytearray, memoryview)
_U64 = 2**64 - 1
_UNSEALED = 7
_NATIVE = "@=<" if sys.byteorder == "little" else "@=>"
_WORD = next(c for c in "ILQ" if array(c).itemsize == ctypes.sizeof(c_void_p))


class BloomError(ValueError):
    """Bytes that are not a whole filter, or a seal that does not match."""


# ---- The library -----------------------------------------------------------

class _Plan(ctypes.Structure):
    _fields_ = [("cells", c_uint64), ("seed", c_uint64), ("hashes", c_uint8),
                ("layout", c_uint8), ("hash_bits", c_uint8)]


class _Pointer(c_void_p):
    """What is behind it goes with the last one who has it: close() takes no
    memory from a call that a key, or another thread, is in."""
    writable = True
    buffer = free = None                        # type: Any

    def __del__(self) -> None:
        if self.free:
            self.free(self)


_TYPES = {"P": _Plan, "p": _Pointer, "v": c_void_p, "u": c_uint64, "i": c_int,
          "d": c_double, "z": ctypes.c_size_t, "b": c_bool, "w": ctypes.c_uint,
          "s": ctypes.c_char_p, "-": None}
_BOTH = """free - v, seal - v, estimate u v, fpr d v, add b vsz, add_u64 b vu,
    may_contain b vsz, may_contain_u64 b vu, add_many z vvzv,
    add_many_u64 z vvzv, may_contain_many z vvzv, may_contain_many_u64 z vvzv"""
_CALLS = ["bloom_," + _BOTH, "bloom_chain_," + _BOTH, """bloom_,
    plan_layout P udi, plan_size z P, plan_of P v, create p P, copy p v,
    view p vzv, size z v, verify i v, error_text s i, remove b vsz,
    remove_u64 b vu, merge b vv, fold b vu, chain_create p udP,
    chain_load p vzv, chain_links w v, chain_link p vw, chain_head - vs"""]


def _load() -> ctypes.PyDLL:
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(here, "libbloom.so"),
              os.path.join(here, "../build/libbloom.so")]
    library = ctypes.PyDLL(os.environ.get("LIBBLOOM") or next(
        filter(os.path.exists, places), "libbloom-h.so.1"))
    for prefix, *calls in (calls.split(",") for calls in _CALLS):
        for name, result, arguments in map(str.split, calls):
            function = getattr(library, prefix + name)
            function.restype = _TYPES[result]
            function.argtypes = [_TYPES[letter] for letter in arguments]
    return library


_lib = _load()
_python = ctypes.PyDLL("", handle=ctypes.pythonapi._handle)


class _Buffer(ctypes.Structure):
    """Py_buffer: its address and size, and room for what follows."""
    _fields_ = [("address", c_void_p), ("owner", c_void_p),
                ("size", ctypes.c_ssize_t), ("rest", c_void_p * 13)]

    def __init__(self, owner: Any) -> None:
        _python.PyObject_GetBuffer(ctypes.py_object(owner), byref(self), 0)

    def __del__(self, release: Any = _python.PyBuffer_Release,
                byref: Any = byref) -> None:
        release(byref(self))


def _owned(pointer: Any, free: Any = _lib.bloom_free) -> Any:
    if not pointer:
        raise MemoryError("no memory for the filter")
    pointer.free = free
    return pointer


def _opened(call: Any, buffer: _Buffer, name: object) -> Any:
    error = c_int()
    pointer = call(buffer.address, buffer.size, byref(error))
    _check(error.value, name)
    return pointer


def _check(error: int, name: object) -> None:
    if error not in (0, _UNSEALED):
        raise BloomError(f"{name}: {_lib.bloom_error_text(error).decode()}")


# ---- Arguments and keys ----------------------------------------------------

def _whole(n: Any) -> int:
    with suppress(TypeError, ValueError, OverflowError):
        if int(n) == n and 0 <= n <= _U64:
            return int(n)
    raise (ValueError if isinstance(n, (int, float)) else TypeError)(
        f"{n!r} is not a whole number from 0 to 2^64 - 1")


def _plan(n: Any, p: Any, layout: str, seed: int, hash_bits: int) -> Any:
    n, p = _whole(n), c_double(p).value
    if layout not in LAYOUTS or hash_bits not in (32, 64):
        raise ValueError(f"layout is one of {LAYOUTS}, hash_bits 64 or 32")
    if not 0 < p < 1:
        raise ValueError(f"p is between 0 and 1, not {p}")
    plan = _lib.bloom_plan_layout(n, p, LAYOUTS.index(layout))
    plan.seed, plan.hash_bits = _u64(seed), int(hash_bits)
    if _lib.bloom_plan_size(plan) == 0:
        raise ValueError("n too large, or p too small, for such a filter")
    return n, p, plan


def _u64(key: Any) -> int:
    number = index(key)
    if not -2**63 <= number <= _U64:
        raise OverflowError("an int key is -2^63 to 2^64 - 1")
    return number & _U64


def _bytes(key: Any) -> bytes:
    if isinstance(key, str):
        return str.encode(key)
    if isinstance(key, _BYTES):
        return bytes(key)
    raise TypeError("a key is bytes, str or int, not " + type(key).__name__)


def _pair(name: str) -> Any:
    return getattr(_lib, name), getattr(_lib, name + "_u64")


def _one(pair: Any, handle: Any, key: Any) -> bool:
    if hasattr(key, "__index__"):
        return pair[1](handle, _u64(key))
    key = _bytes(key)
    return pair[0](handle, key, len(key))


def _chunks(keys: Any, limit: int = 1 << 14) -> Iterator[Any]:
    """Parts of an array of 64-bit integers, or lists of keys; what was read
    before an iterator fails comes before its exception."""
    with suppress(TypeError, ValueError, BufferError):
        view = memoryview(keys)
        if (view.ndim, view.itemsize) == (1, 8) and view.format.strip(
                _NATIVE) in ("Q", "q", "L", "l"):
            for i in range(0, len(view), 1 << 20):      # Ctrl-C comes between
                part = view[i:i + (1 << 20)]
                yield part if part.c_contiguous else array("Q", bytes(part))
            return
    if isinstance(keys, (str, *_BYTES)):
        raise TypeError("that is one key: add it, or pass a list of keys")
    every, chunk = iter(keys), [0] * limit
    while len(chunk) == limit:
        chunk = []
        try:
            chunk.extend(islice(every, limit))
        finally:
            if chunk:
                yield chunk


def _packed(keys: Any) -> Any:
    """What the calls for many keys take: the integers (True), or bloom_keys,
    whose pairs of an address and a size are followed by the bytes they are of.
    None where there are both kinds, or a key is refused: then one by one."""
    if not isinstance(keys, list):
        return True, keys
    for code in "Qq":
        with suppress(Exception):
            return True, array(code, list(map(index, keys)))
    with suppress(Exception):
        texts = list(map(_bytes, keys))
        sizes = array(_WORD, map(len, texts))
        joined = ctypes.create_string_buffer(b"".join(texts))
        pairs = array(_WORD, bytes(2 * sizes.itemsize * len(texts)))
        pairs[1::2] = sizes
        pairs[0::2] = array(_WORD, accumulate(
            sizes[:-1], initial=ctypes.addressof(joined)))
        return False, pairs, joined
    return None


# ---- Filters ---------------------------------------------------------------

class _Filter:
    """What Bloom and Chain share: a pointer, until it is closed."""
    _pointer = _prefix = _add = _may_contain = None     # type: Any

    def _handle(self) -> Any:
        if self._pointer is None:
            raise ValueError("the filter is closed")
        return self._pointer

    def _to_change(self) -> Any:
        if not self._handle().writable:
            raise ValueError("the filter was opened to be read only")
        return self._handle()

    def _call(self, name: str) -> Any:
        return getattr(_lib, self._prefix + name)

    def __enter__(self) -> Any:
        self._handle()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Give the memory back now; else it goes with the object."""
        self._pointer = None

    def __bool__(self) -> bool:
        return True                     # also when it is empty, not as a set

    def __len__(self) -> int:
        """How many different keys were added, judged by the bits."""
        return min(self._call("estimate")(self._handle()), sys.maxsize)

    @property
    def rate(self) -> float:
        """How many absent keys are said to be in, from the bits as they are."""
        return self._call("fpr")(self._handle())

    def add(self, key: Key) -> bool:
        """True if the key was certainly new."""
        return _one(self._add, self._to_change(), key)

    def __contains__(self, key: Key) -> bool:
        return _one(self._may_contain, self._handle(), key)

    def update(self, keys: Iterable[Key]) -> int:
        """Add many keys; how many were certainly new."""
        return sum(new for new, _ in self._many("add", self._to_change, keys))

    def check(self, keys: Iterable[Key]) -> bytearray:
        """`key in self` of each of many keys, 1 or 0."""
        return bytearray().join(answers for _, answers in self._many(
            "may_contain", self._handle, keys))

    def _many(self, name: str, handle: Any, keys: Any) -> Iterator[Any]:
        """Of each chunk of keys, how many answers are True, and these."""
        handle()
        one, many = (_pair(self._prefix + name + end) for end in ("", "_many"))
        for chunk in _chunks(keys):
            packed = _packed(chunk)
            if packed is None:
                each = bytearray([_one(one, handle(), key) for key in chunk])
                yield sum(each), each
            else:
                is_int, numbers, *_ = packed
                answers = (c_bool * (len(numbers) // (1 if is_int else 2)))()
                yield many[is_int](handle(), _Buffer(numbers).address,
                                   len(answers), answers), answers

    def seal(self) -> None:
        """Write a checksum into each image; the next add removes it."""
        self._call("seal")(self._to_change())

    def verify(self, name: object = "the filter") -> bool:
        """True: seals are right; False: one is missing. Damage: BloomError."""
        errors = [_lib.bloom_verify(image) for image in self._images()]
        for error in errors:
            _check(error, name)
        return not any(errors)

    def _snapshot(self) -> Any:
        """Copies of the images, and all bytes. Each call is of one moment, and
        between them a chain may grow."""
        copies, parts = [], []          # type: list[Any], list[Any]
        while len(copies) < len(self._images()):
            copies.append(_owned(_lib.bloom_copy(self._images()[len(copies)])))
            parts = [self._head()] + [(ctypes.c_char * _lib.bloom_size(
                copy)).from_address(copy.value) for copy in copies]
        return copies, parts

    def __bytes__(self) -> bytes:
        copies, parts = self._snapshot()
        return b"".join(parts)

    @classmethod
    def from_bytes(cls, image: Any) -> Any:
        """A filter of what bytes() gave, or of what a file holds. Like open()
        and pickle it does not call __init__."""
        self = object.__new__(cls)
        self._copy(_Buffer(image), "the image")
        return self

    def __reduce__(self) -> Any:
        """Of a copy, or a pickle: the image, and what a subclass added."""
        state = getattr(self, "__getstate__", lambda: vars(self))()
        parts = [{name: part[name] for name in part if name != "_pointer"}
                 if isinstance(part, dict) else part
                 for part in (state if isinstance(state, tuple) else [state])]
        return (type(self).from_bytes, (bytes(self),),
                tuple(parts) if isinstance(state, tuple) else parts[0])

    def save(self, path: Path) -> None:
        """Sealed, and complete, or as it was before. What is saved is a copy
        in memory, so that others may add meanwhile."""
        copies, parts = self._snapshot()
        for copy in copies:
            if _lib.bloom_verify(copy) == _UNSEALED:    # damage stays visible
                _lib.bloom_seal(copy)
        path = os.path.realpath(os.fsdecode(path))
        beside = os.path.join(os.path.dirname(path),
                              f"bloom.tmp.{os.urandom(8).hex()}")
        try:
            with open(beside, "xb") as file:
                with suppress(FileNotFoundError):
                    os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode))
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.remove(beside)
            raise


class Bloom(_Filter):
    """A filter for n keys: of p of the absent ones it says that they are in."""
    _prefix = "bloom_"
    _add, _may_contain = map(_pair, ("bloom_add", "bloom_may_contain"))

    def __init__(self, n: float, p: float = 0.01, *, layout: str = "classic",
                 seed: int = 0, hash_bits: int = 64) -> None:
        *_, plan = _plan(n, p, layout, seed, hash_bits)
        self._pointer = _owned(_lib.bloom_create(plan))

    @classmethod
    def open(cls, path: Path, writable: bool = False) -> Any:
        """A saved filter, mapped: what is added to a writable one is in the
        file. To check the seal is to read all of it: verify()."""
        access = mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ
        with open(path, "r+b" if writable else "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise BloomError(f"{path!r}: truncated")
            buffer = _Buffer(mmap.mmap(file.fileno(), 0, access=access))
        self = object.__new__(cls)
        self._pointer = _opened(_lib.bloom_view, buffer, path)
        self._pointer.buffer, self._pointer.writable = buffer, writable
        return self

    def _copy(self, buffer: _Buffer, name: object) -> None:
        view = _opened(_lib.bloom_view, buffer, name)
        self._pointer = _owned(_lib.bloom_copy(view))

    def _images(self) -> Any:
        return [self._handle()]

    def _head(self) -> Any:
        return b""

    @property
    def plan(self) -> Plan:
        plan = _lib.bloom_plan_of(self._handle())
        return Plan(*(getattr(plan, name) for name in Plan._fields))

    def remove(self, key: Key) -> bool:
        """Of layout "counting", take back one add; False: it was not in."""
        return _one(_pair("bloom_remove"), self._to_change(), key)

    def __ior__(self, other: Any) -> Any:
        if not isinstance(other, Bloom):
            return NotImplemented
        if not _lib.bloom_merge(self._to_change(), other._handle()):
            raise ValueError("the plans of the two filters differ")
        return self

    def fold(self, by: int) -> None:
        """Make a filter that was planned too large smaller, in place: it keeps
        its keys, and has 1 / by of its cells."""
        if not _lib.bloom_fold(self._to_change(), _whole(by)):
            raise ValueError(f"{self.plan.cells} cells cannot be folded by {by}")

    def __repr__(self) -> str:
        if self._pointer is None:
            return "<Bloom closed>"
        cells, _, hashes, layout, _ = self.plan
        return (f"<Bloom {LAYOUTS[layout]} m={cells} k={hashes} "
                f"keys={len(self)} rate={self.rate:.3g}>")


class Chain(_Filter):
    """A filter that grows: for when nobody knows how many keys will come."""
    _prefix = "bloom_chain_"
    _add, _may_contain = map(_pair, ("bloom_chain_add",
                                     "bloom_chain_may_contain"))

    def __init__(self, first_n: float = 1000, p: float = 0.01, *,
                 layout: str = "classic", seed: int = 0,
                 hash_bits: int = 64) -> None:
        made = _lib.bloom_chain_create(*_plan(first_n, p, layout, seed,
                                              hash_bits))
        if not made:
            raise ValueError("there is no such chain")
        self._pointer = _owned(made, _lib.bloom_chain_free)

    @classmethod
    def open(cls, path: Path) -> Any:
        """A saved chain, its seals checked; it goes on growing."""
        self = object.__new__(cls)
        with open(path, "rb") as file:
            self._copy(_Buffer(file.read()), path)
        self.verify(path)
        return self

    def _copy(self, buffer: _Buffer, name: object) -> None:
        made = _opened(_lib.bloom_chain_load, buffer, name)
        self._pointer = _owned(made, _lib.bloom_chain_free)

    def _images(self) -> Any:
        chain = self._handle()
        return [_lib.bloom_chain_link(chain, i)
                for i in range(_lib.bloom_chain_links(chain))]

    def _head(self) -> Any:
        head = ctypes.create_string_buffer(32)
        _lib.bloom_chain_head(self._handle(), head)
        return head


if __name__ == "__main__":
    seen = Bloom(1_000_000, 0.01)
    seen.add("apple")
    print("apple" in seen, "pear" in seen)
    seen.update(array("Q", range(1000)))
    print(len(seen), "keys")
