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
    both = seen | other                   # also |=, &, &=: of equal plans

A key is bytes (or a bytearray, or a memoryview), a str (its UTF-8), or what has
__index__ (an int, a bool, NumPy's), from -2^63 to 2^64 - 1, by its value modulo
2^64. An integer and its text are different keys. If one of many keys is
refused, or their iterator fails, the keys before it are in. Copies and pickles
have memory of their own. Filters are equal if their plans and cells are equal.
Like sets, they are not hashable.

Threads may share a filter. A call that reads or writes a whole filter lets
other threads run. Meanwhile they may look keys up in that filter, but add() and
other changes of it wait. If the interpreter has no global lock, or if processes
add to one mapped file, use a lock of your own.

The library is $LIBBLOOM, or libbloom.so beside this file or in ../build, or the
installed one. Python would import a bloom.so beside this file in its place, so
SQLite's is called bloom.sqlite.so.

Run as a program it prints:
       True False
       1001 keys
"""
import ctypes
import mmap
import os
import stat
import sys
from array import array
from copy import copy
from contextlib import contextmanager, suppress
from ctypes import (ArgumentError, byref, c_bool, c_double, c_int, c_uint64,
                    c_uint8, c_void_p)
from itertools import accumulate, islice
from operator import index
from threading import RLock
from types import SimpleNamespace
from typing import (Any, BinaryIO, Iterable, Iterator, NamedTuple,
                    SupportsIndex, Union)

Key = Union[bytes, bytearray, memoryview, str, SupportsIndex]
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Plan = NamedTuple("Plan", [("cells", int), ("seed", int), ("hashes", int),
                           ("layout", int), ("hash_bits", int)])
LAYOUTS = ("classic", "blocked", "counting")
_BYTES = (bytes, bytearray, memoryview)
_U64, _CHUNK, _UNSEALED = 2**64 - 1, 2**16, 7
_WORD = next(c for c in "ILQ" if array(c).itemsize == ctypes.sizeof(c_void_p))


class BloomError(ValueError):
    """Bytes that are not a whole filter, or a seal that does not match."""

# ---- The library -----------------------------------------------------------
class _Pointer(c_void_p):
    """What is behind it goes with the last one who has it: close() takes no
    memory from a call that a key, or another thread, is in."""
    memory = free = None                # type: Any

    def __del__(self) -> None:
        if self.free:
            self.free(self)


class _Gate:
    """What a change passes for the pointer. `with gate` shuts it: ctypes then
    finds no _as_parameter_ and raises ArgumentError. ctypes looks for it when
    the call already holds the interpreter's lock for good. So no change begins
    after the gate was shut, and single keys need no lock of ours."""

    def __init__(self, pointer: Any, writable: bool = True) -> None:
        self.pointer, self.writable = pointer, writable
        self.lock, self.depth = RLock(), 0      # a signal's handler may nest
        self._as_parameter_ = pointer.value

    def __enter__(self) -> Any:
        self.lock.acquire()
        self.depth += 1
        vars(self).pop("_as_parameter_", None)
        return self.pointer

    def __exit__(self, *_: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self._as_parameter_ = self.pointer.value
        self.lock.release()


class _Plan(ctypes.Structure):
    _fields_ = [*zip(Plan._fields, [c_uint64] * 2 + [c_uint8] * 3)]

def _calls(prefix: str, held: str, released: str) -> Any:
    """Functions of the library. The first ones are short and hold the lock of
    the interpreter. The others read or write whole filters and release it."""
    types = {"P": _Plan, "p": _Pointer, "v": c_void_p, "u": c_uint64,
             "i": c_int, "d": c_double, "z": ctypes.c_size_t, "b": c_bool,
             "w": ctypes.c_uint, "s": ctypes.c_char_p, "-": None}
    functions = SimpleNamespace()
    for library, calls in (_held, held), (_released, released):
        for name, result, arguments in map(str.split, calls.split(",")):
            function = getattr(library, prefix + name)
            function.restype = types[result]
            function.argtypes = [types[letter] for letter in arguments]
            setattr(functions, name, function)
    return functions


_places = (os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
           for name in ("libbloom.so", "../build/libbloom.so"))
_path = os.environ.get("LIBBLOOM") or next(
    filter(os.path.exists, _places), "libbloom-h.so.2")
_keys = """free - v, add b vsz, add_u64 b vu, may_contain b vsz,
    may_contain_u64 b vu, add_many z vvzv, add_many_u64 z vvzv,
    may_contain_many z vvzv, may_contain_many_u64 z vvzv"""
_whole = "seal - v, estimate u v, fpr d v"
try:
    _held, _released = ctypes.PyDLL(_path), ctypes.CDLL(_path)
    _bloom = _calls("bloom_", _keys + """, plan_layout P udi, plan_size z P,
        plan_capacity u Pd, plan_fpr d Pu, plan_of P v, create p P, size z v,
        view p vzv, error_text s i, remove b vsz, remove_u64 b vu,
        fold b vu""", _whole + ", copy p v, verify i v, "
        "merge b vv, intersect b vv, clear - v")
    _chain = _calls("bloom_chain_", _keys + """, create p udP, links w v,
        link p vw, head - vs, rate d v""", _whole + ", load p vzv")
except (OSError, AttributeError) as _error:     # none, or another version's
    raise ImportError("bloom.py needs libbloom: run `make libbloom` "
                      f"({_error})") from None
_memcmp = _released.memcmp
_memcmp.argtypes = [c_void_p, c_void_p, ctypes.c_size_t]
_python = ctypes.PyDLL("", handle=ctypes.pythonapi._handle)

def _address(view: Any) -> int:
    """Of what a memoryview or an array holds, which must stay meanwhile."""
    buffer = (c_void_p * 16)()          # Py_buffer: its address comes first
    _python.PyObject_GetBuffer(ctypes.py_object(view), buffer, 0)
    _python.PyBuffer_Release(buffer)
    return buffer[0]

def _opened(call: Any, image: memoryview, name: object) -> Any:
    error = c_int()
    pointer = call(_address(image), image.nbytes, byref(error))
    _check(error.value, name)
    return pointer

def _check(error: int, name: object) -> int:
    if error not in (0, _UNSEALED):
        raise BloomError(f"{name}: {_bloom.error_text(error).decode()}")
    return error

def _owned(pointer: Any, free: Any = _bloom.free) -> Any:
    if not pointer:
        raise MemoryError("no memory for the filter")
    pointer.free = free
    return pointer

def _same(a: Any, b: Any) -> bool:
    """Of two images, all but the seal in bytes 24 to 31."""
    size = _bloom.size(a)
    return size == _bloom.size(b) and not any(
        _memcmp(a.value + start, b.value + start, end - start)
        for start, end in ((0, 24), (32, size)))

# ---- Arguments and keys ----------------------------------------------------
def _whole_number(n: Any) -> int:
    with suppress(TypeError, ValueError, OverflowError):
        if int(n) == n and 0 <= n <= _U64:
            return int(n)
    raise ValueError(f"{n!r} is not a whole number from 0 to 2^64 - 1")

def _plan(n: Any, p: Any, layout: str, seed: int, hash_bits: int) -> Any:
    n, p = _whole_number(n), c_double(p).value
    if layout not in LAYOUTS or hash_bits not in (32, 64):
        raise ValueError(f"layout is one of {LAYOUTS}, hash_bits 64 or 32")
    plan = _bloom.plan_layout(n, p, LAYOUTS.index(layout))
    plan.seed, plan.hash_bits = _u64(seed), int(hash_bits)
    if _bloom.plan_size(plan) == 0:
        raise ValueError(f"p is {p}, and not between 0 and 1, or too small; or "
                         "n is too large")
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

def _one(texts: Any, integers: Any, handle: Any, key: Any) -> bool:
    try:
        if hasattr(key, "__index__"):
            return integers(handle, _u64(key))
        key = _bytes(key)
        return texts(handle, key, len(key))
    except ArgumentError:               # the gate is shut
        with handle.lock:
            return _one(texts, integers, handle.pointer, key)

def _packed(keys: Any) -> Any:
    """True and integers, or False and bloom_keys (pairs of an address and a
    size, and the bytes they are of); None: of both kinds, or one is refused."""
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
    return None, keys

def _batches(keys: Any) -> Iterator[Any]:
    """All keys, packed. What was read before an iterator fails comes first."""
    with suppress(TypeError, ValueError, BufferError):
        view = memoryview(keys)
        if (view.ndim, view.itemsize) == (1, 8) and view.format in {*"QqLl"}:
            for i in range(0, len(view), _CHUNK):       # Ctrl-C comes between
                part = view[i:i + _CHUNK]
                yield True, part if part.contiguous else array("Q", bytes(part))
            return
    if isinstance(keys, (str, *_BYTES)):
        raise TypeError("that is one key: add it, or pass a list of keys")
    every, chunk = iter(keys), [0] * _CHUNK
    while len(chunk) == _CHUNK:
        chunk = []
        try:
            chunk.extend(islice(every, _CHUNK))
        finally:
            if chunk:
                yield _packed(chunk)

# ---- Files -----------------------------------------------------------------
def _write(file: Any, parts: Any) -> None:
    for part in map(memoryview, parts):
        while part:                     # a raw file may take less than all
            taken = file.write(part)
            part = part[len(part) if taken is None else taken:]

def _replace(path: Any, parts: Any) -> None:
    path = os.path.realpath(os.fsdecode(path))
    beside = f"{os.path.dirname(path)}/bloom.tmp.{os.urandom(8).hex()}"
    file = open(beside, "xb")
    try:
        with file, suppress(FileNotFoundError):
            _write(file, parts)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode))
        os.replace(beside, path)
    except BaseException:
        os.remove(beside)
        raise

# ---- Filters ---------------------------------------------------------------
class _Filter:
    """What Bloom and Chain share: a pointer behind a gate, until closed."""
    _gate = _lib = None                 # type: Any

    def _open_gate(self, to_change: bool = False) -> Any:
        gate = self._gate
        if gate is None:
            raise ValueError("the filter is closed")
        if to_change and not gate.writable:
            raise ValueError("the filter was opened to be read only")
        return gate

    @contextmanager
    def _both(self, other: Any, to_change: bool = False) -> Iterator[Any]:
        gates = self._open_gate(to_change), other._open_gate()
        first, second = sorted(gates, key=id)   # else two threads might wait
        with first, second:                     # for each other
            yield [gate.pointer for gate in gates]

    def __enter__(self) -> Any:
        return self._open_gate() and self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Give the memory back now; else it goes with the object."""
        self._gate = None

    def __bool__(self) -> bool:
        return True                     # also when it is empty, not as a set

    def __len__(self) -> int:
        """How many different keys were added, judged by the bits."""
        with self._open_gate() as pointer:
            return min(self._lib.estimate(pointer), sys.maxsize)

    @property
    def rate(self) -> float:
        """How many absent keys are said to be in, from the bits as they are."""
        with self._open_gate() as pointer:
            return self._lib.fpr(pointer)

    def __eq__(self, other: Any) -> bool:
        """Equal plans and cells; one may be sealed and the other not."""
        if not isinstance(other, _Filter) or self._lib is not other._lib:
            return NotImplemented
        with self._both(other):
            return bytes(self._head()) == bytes(other._head()) and all(
                map(_same, self._images(), other._images()))

    def add(self, key: Key) -> bool:
        """True if the key was certainly new."""
        gate = self._gate
        if gate is None or not gate.writable:
            self._open_gate(True)           # raises; a call less for others
        return _one(self._lib.add, self._lib.add_u64, gate, key)

    def __contains__(self, key: Key) -> bool:
        return _one(self._lib.may_contain, self._lib.may_contain_u64,
                    self._open_gate().pointer, key)

    def update(self, keys: Iterable[Key]) -> int:
        """Add many keys; how many were certainly new."""
        return sum(new for new, _ in self._many("add", True, keys))

    def check(self, keys: Iterable[Key]) -> bytearray:
        """`key in self` of each of many keys, 1 or 0."""
        return bytearray().join(
            answers for _, answers in self._many("may_contain", False, keys))

    def _many(self, name: str, to_change: bool, keys: Any) -> Iterator[Any]:
        """Of each chunk of keys, how many answers are True, and these."""
        self._open_gate(to_change)
        one, many = ([getattr(self._lib, name + end + kind) for kind in (
            "", "_u64")] for end in ("", "_many"))
        for is_int, batch, *_ in _batches(keys):
            handle = self._open_gate(to_change)
            if not to_change:
                handle = handle.pointer
            if is_int is None:
                each = bytearray(_one(*one, handle, key) for key in batch)
                yield sum(each), each
            else:
                answers = (c_bool * (len(batch) // (1 if is_int else 2)))()
                call = many[is_int]
                rest = _address(batch), len(answers), answers
                try:
                    total = call(handle, *rest)
                except ArgumentError:   # the gate is shut
                    with handle.lock:
                        total = call(handle.pointer, *rest)
                yield total, answers

    def seal(self) -> None:
        """Write a checksum into each image; the next add removes it."""
        with self._open_gate(True) as pointer:
            self._lib.seal(pointer)

    def verify(self, name: object = "the filter") -> bool:
        """True: seals are right; False: one is missing. Damage: BloomError."""
        with self._open_gate():
            return not any([_check(_bloom.verify(image), name)
                            for image in self._images()])

    def _snapshot(self) -> Any:
        """Copies of the images as they are at one moment, and all bytes."""
        with self._open_gate():
            copies = [_owned(_bloom.copy(image)) for image in self._images()]
            head = self._head()
        return copies, [head] + [(ctypes.c_char * _bloom.size(
            copy)).from_address(copy.value) for copy in copies]

    def __bytes__(self) -> bytes:
        copies, parts = self._snapshot()
        return b"".join(parts)

    def copy(self) -> Any:
        """A filter in memory of its own, as copy.copy() makes it."""
        return copy(self)

    @classmethod
    def from_bytes(cls, image: Any, name: object = "the image") -> Any:
        """A copy in memory of what bytes() gave or a file holds."""
        self = object.__new__(cls)
        self._copy(memoryview(image), name)
        return self

    def __reduce__(self) -> Any:
        """Of a copy, or a pickle: the image, and what a subclass added."""
        def own(part: Any) -> Any:
            return {name: part[name] for name in part if name != "_gate"} \
                if isinstance(part, dict) else part
        state = getattr(self, "__getstate__", lambda: vars(self))()
        return type(self).from_bytes, (bytes(self),), (
            tuple(map(own, state)) if isinstance(state, tuple) else own(state))

    def save(self, file: Union[Path, BinaryIO]) -> None:
        """Write the filter, sealed. A named file is replaced only when the new
        one is complete. A file object is written from its position. Others may
        add meanwhile, because a copy in memory is written."""
        copies, parts = self._snapshot()
        for copied in copies:
            if _bloom.verify(copied) == _UNSEALED:  # damage stays visible
                _bloom.seal(copied)
        if hasattr(file, "write"):
            _write(file, parts)
        else:
            _replace(file, parts)


class Bloom(_Filter):
    """A filter for n keys: of p of the absent ones it says that they are in."""
    _lib = _bloom
    _head = bytes                       # there is none

    def __init__(self, n: float, p: float = 0.01, *, layout: str = "classic",
                 seed: int = 0, hash_bits: int = 64) -> None:
        self._gate = _Gate(_owned(_bloom.create(_plan(n, p, layout, seed,
                                                      hash_bits)[-1])))

    @classmethod
    def open(cls, path: Path, writable: bool = False) -> "Bloom":
        """A saved filter, mapped. What is added to a writable one is in the
        file, until save() puts another one there. verify() reads all of it."""
        with open(path, "r+b" if writable else "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise BloomError(f"{path!r}: truncated")
            image = memoryview(mmap.mmap(file.fileno(), 0, access=(
                mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ)))
        self = object.__new__(cls)
        pointer = _opened(_bloom.view, image, path)
        pointer.memory = image
        self._gate = _Gate(pointer, writable)
        return self

    def _copy(self, image: memoryview, name: object) -> None:
        self._gate = _Gate(_owned(_bloom.copy(_opened(_bloom.view, image,
                                                      name))))

    def _images(self) -> Any:
        return [self._open_gate().pointer]

    @property
    def plan(self) -> Plan:
        plan = _bloom.plan_of(self._open_gate().pointer)
        return Plan(*(getattr(plan, name) for name in Plan._fields))

    def capacity(self, p: float) -> int:
        """How many keys fit before the expected rate exceeds p."""
        plan = _bloom.plan_of(self._open_gate().pointer)
        return _bloom.plan_capacity(plan, c_double(p).value)

    def error_rate(self, n: float) -> float:
        """The expected rate after n keys. `rate` is the rate now."""
        plan = _bloom.plan_of(self._open_gate().pointer)
        return _bloom.plan_fpr(plan, _whole_number(n))

    def remove(self, key: Key) -> bool:
        """Of layout "counting", take back one add; False: it was not in."""
        return _one(_bloom.remove, _bloom.remove_u64,
                    self._open_gate(True), key)

    def _combine(self, call: Any, other: Any) -> Any:
        if not isinstance(other, Bloom):
            return NotImplemented
        with self._both(other, True) as (into, source):
            if not call(into, source):
                raise ValueError("the plans of the two filters differ")
        return self

    def __ior__(self, other: Any) -> Any:
        return self._combine(_bloom.merge, other)

    def __iand__(self, other: Any) -> Any:
        """Keep the keys that are in both. By chance others stay too."""
        return self._combine(_bloom.intersect, other)

    def __or__(self, other: Any) -> Any:
        return self.copy()._combine(_bloom.merge, other)

    def __and__(self, other: Any) -> Any:
        return self.copy()._combine(_bloom.intersect, other)

    def clear(self) -> None:
        """Forget all keys."""
        with self._open_gate(True) as pointer:
            _bloom.clear(pointer)

    def fold(self, by: int) -> None:
        """Keep the keys in 1 / by of the cells: n was planned too large."""
        with self._open_gate(True) as pointer:  # and lookups wait, for the lock
            if not _bloom.fold(pointer, _whole_number(by)):
                raise ValueError(f"{self.plan.cells} cells do not fold by {by}")

    def __repr__(self) -> str:
        return "<Bloom closed>" if self._gate is None else (
            f"<Bloom {LAYOUTS[self.plan.layout]} m={self.plan.cells} "
            f"k={self.plan.hashes} keys={len(self)} rate={self.rate:.3g}>")


class Chain(_Filter):
    """A filter that grows: for when nobody knows how many keys will come."""
    _lib = _chain

    def __init__(self, first_n: float = 1000, p: float = 0.01, *,
                 layout: str = "classic", seed: int = 0) -> None:
        made = _chain.create(*_plan(first_n, p, layout, seed, 64))
        if not made:
            raise ValueError("there is no such chain")
        self._gate = _Gate(_owned(made, _chain.free))

    @classmethod
    def open(cls, path: Path) -> "Chain":
        """A saved chain, its seals checked; it goes on growing."""
        with open(path, "rb") as file:
            self = cls.from_bytes(file.read(), path)
        self.verify(path)
        return self

    def _copy(self, image: memoryview, name: object) -> None:
        self._gate = _Gate(_owned(_opened(_chain.load, image, name),
                                  _chain.free))

    def _images(self) -> Any:
        chain, links = self._open_gate().pointer, []
        for i in range(_chain.links(chain)):
            links.append(_chain.link(chain, i))
            links[i].memory = chain     # which stays as long as a link is asked
        return links

    def _head(self) -> Any:
        head = ctypes.create_string_buffer(32)
        _chain.head(self._open_gate().pointer, head)
        return head

    def error_rate(self) -> float:
        """The rate that was asked for. It holds for any number of keys."""
        return _chain.rate(self._open_gate().pointer)

    def __or__(self, other: Any) -> Any:
        raise TypeError("a union of chains would not keep the rate: keep both, "
                        "and ask `key in a or key in b`")

    __ior__ = __or__


if __name__ == "__main__":
    seen = Bloom(1_000_000, 0.01)
    seen.add("apple")
    print("apple" in seen, "pear" in seen)
    seen.update(array("Q", range(1000)))
    print(len(seen), "keys")
