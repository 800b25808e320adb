"""Bloom filters for CPython 3.8 and later, by the C library libbloom (ctypes).

    make libbloom                         # build/libbloom.so
    cp examples/python/bloom.py build/libbloom.so YOUR_PROJECT

    from bloom import Bloom, Chain
    seen = Bloom(1_000_000, 0.01)         # a million keys, 1% false positives
    seen.add("apple")                     # True: it was certainly new
    "apple" in seen, "pear" in seen       # True, False
    seen.update(array("Q", range(1000)))  # integer keys, not copied
    seen.save("seen.bloom")               # `bloom check seen.bloom` reads it
    with Bloom.open("seen.bloom") as old: # maps the file into memory
        len(old), old.rate                # estimated keys, false-positive rate
    both = seen | other                   # union; also |=, &, &=
    log = Chain(1000, 0.01)               # grows, if n is not known

Keys: A key is bytes, a bytearray, a memoryview, a str, which counts as its
UTF-8, or an integer. Integers are int, bool, NumPy's integers and everything
else with __index__, from -2^63 to 2^64 - 1. They are keys by their value modulo
2^64. An integer and its text are different keys. If one of several keys is
refused, or if the iterator of the keys fails, the keys before it are added.

Filters: Copies and pickles have memory of their own. Two filters are equal if
their plans and cells are equal. Like sets, filters are not hashable. Only
filters with equal plans can be combined by | and &.

Threads may share a filter. While a call reads or writes a whole filter, other
threads run. They may look keys up in that filter, but add() and other changes
of it wait. During fold() all other threads wait. Use a lock of your own if the
interpreter has no global lock, or if several processes add to one mapped file.

The library is the file that $LIBBLOOM names. Without that variable it is
libbloom.so beside this file or in the build folder of the repository, or else
the installed library. Do not put a file bloom.so beside bloom.py: Python would
import it instead. That is why SQLite's extension is called bloom.sqlite.so.

Run as a program it prints:
       True False
       1001 keys
"""
import copy
import ctypes
import mmap
import os
import stat
import sys
from array import array
from contextlib import contextmanager, nullcontext, suppress
from ctypes import c_bool, c_double, c_int, c_uint64, c_uint8, c_void_p
from itertools import accumulate, islice
from operator import index
from threading import RLock
from types import SimpleNamespace
from typing import (Any, BinaryIO, Iterable, Iterator, NamedTuple,
                    SupportsIndex, Type, TypeVar, Union)

__version__ = "2.1.0"
Key = Union[bytes, bytearray, memoryview, str, SupportsIndex]
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Plan = NamedTuple("Plan", [("cells", int), ("seed", int), ("hashes", int),
                           ("layout", int), ("hash_bits", int)])
_F = TypeVar("_F", bound=Any)      # the class of self
LAYOUTS = ("classic", "blocked", "counting")
_BYTES = (bytes, bytearray, memoryview)
_U64, _CHUNK, _UNSEALED = 2**64 - 1, 2**16, 7
_WORD = next(c for c in "ILQ" if array(c).itemsize == ctypes.sizeof(c_void_p))


class BloomError(ValueError):
    """The bytes are not a filter, or truncated, or do not match their seal."""

# ---- The library -----------------------------------------------------------
class _Plan(ctypes.Structure):
    _fields_ = [*zip(Plan._fields, [c_uint64] * 2 + [c_uint8] * 3)]

def _functions(prefix: str, table: str) -> Any:
    """Declares the functions of a table. Each of its rows, separated by commas,
    consists of the type of the result, the types of the arguments, and names.
    Functions that read or write whole filters release the interpreter's lock.
    The others are short and hold it."""
    types = {"P": _Plan, "v": c_void_p, "u": c_uint64, "i": c_int,
             "d": c_double, "z": ctypes.c_size_t, "b": c_bool,
             "w": ctypes.c_uint, "s": ctypes.c_char_p, "-": None}
    whole = "seal estimate fpr copy verify merge intersect clear load".split()
    functions = SimpleNamespace()
    for result, arguments, *names in map(str.split, table.split(",")):
        for name in names:
            function = getattr(_released if name in whole else _held,
                               prefix + name)
            function.restype = types[result]
            function.argtypes = [types[letter] for letter in arguments]
            setattr(functions, name, function)
    return functions

_here = os.path.dirname(os.path.abspath(__file__))
_path = os.environ.get("LIBBLOOM") or next((place for place in (
    _here + "/libbloom.so", _here + "/../../build/libbloom.so")
    if os.path.exists(place)), "libbloom-h.so.2")
_SHARED = """- v free seal, u v estimate, d v fpr, b vsz add may_contain,
    b vu add_u64 may_contain_u64, z vvzv add_many may_contain_many
    add_many_u64 may_contain_many_u64, """
try:
    _held, _released = ctypes.PyDLL(_path), ctypes.CDLL(_path)
    _bloom = _functions("bloom_", _SHARED + """P udi plan_layout, P v plan_of,
        z P plan_size, u Pd plan_capacity, d Pu plan_fpr, v P create, v v copy,
        v vzv view, z v size, i v verify, s i error_text, b vsz remove,
        b vu remove_u64 fold, b vv merge intersect, - v clear""")
    _chain = _functions("bloom_chain_", _SHARED + """v udP create, v vzv load,
        w v links, v vw link, - vs head, d v rate""")
except (OSError, AttributeError) as _error:     # missing, or another version
    raise ImportError("bloom.py needs libbloom: run `make libbloom` "
                      f"({_error})") from None
_memcmp = _released.memcmp
_memcmp.argtypes = [c_void_p, c_void_p, ctypes.c_size_t]
_python = ctypes.PyDLL("", handle=ctypes.pythonapi._handle)

class _Memory:
    """The memory of a filter or a chain. Functions of the library take it as a
    pointer. It is freed with the last reference to it, so close() does not free
    the memory while a call of another thread, or the method of a key, still
    uses it. A thread that changes the filter, or reads all of it, holds the
    lock. Lookups do not need this lock, because they hold the interpreter's
    lock while they run."""

    def __init__(self, address: Any, free: Any = None, owner: Any = None,
                 writable: bool = True) -> None:
        if not address:
            raise MemoryError("not enough memory for the filter")
        self._as_parameter_, self.free, self.owner = address, free, owner
        self.writable, self.lock = writable, RLock()    # a signal handler may
                                        # use a filter that its thread locked

    def __del__(self) -> None:
        if getattr(self, "free", None):
            self.free(self)

    def image(self) -> Any:
        """The bytes of a filter, not copied. They keep its memory alive."""
        image = (ctypes.c_char * _bloom.size(self)).from_address(
            self._as_parameter_)
        image.owner = self
        return image

def _address(view: Any) -> Any:
    """The address of the bytes of a memoryview or an array. The caller keeps
    that alive as long as it uses the address."""
    buffer = (c_void_p * 16)()          # Py_buffer: its address comes first
    _python.PyObject_GetBuffer(ctypes.py_object(view), buffer, 0)
    _python.PyBuffer_Release(buffer)
    return buffer[0]

def _opened(call: Any, image: memoryview, name: object) -> Any:
    error = c_int()
    address = call(_address(image), image.nbytes, ctypes.byref(error))
    _check(error.value, name)
    return address

def _check(error: int, name: object) -> int:
    if error not in (0, _UNSEALED):
        raise BloomError(f"{name}: {_bloom.error_text(error).decode()}")
    return error

def _copied(image: Any) -> _Memory:
    return _Memory(_bloom.copy(image), _bloom.free)

def _same(a: Any, b: Any) -> bool:
    """Compares two images except for their seals, bytes 24 to 31."""
    return len(a) == len(b) and not _memcmp(a, b, 24) and not _memcmp(
        ctypes.byref(a, 32), ctypes.byref(b, 32), len(a) - 32)

# ---- Arguments and keys ----------------------------------------------------
def _whole_number(n: Any) -> int:
    with suppress(TypeError, ValueError, OverflowError):
        if int(n) == n and 0 <= n <= _U64:
            return int(n)
    raise ValueError(f"{n!r} is not a whole number from 0 to 2^64 - 1")

def _plan(n: Any, p: Any, layout: str, seed: int, hash_bits: int) -> Any:
    n, p = _whole_number(n), c_double(p).value
    if layout not in LAYOUTS or hash_bits not in (32, 64):
        raise ValueError(f"layout must be one of {LAYOUTS} and hash_bits 64 or "
                         f"32, not {layout!r} and {hash_bits!r}")
    plan = _bloom.plan_layout(n, p, LAYOUTS.index(layout))
    plan.seed, plan.hash_bits = _u64(seed), int(hash_bits)
    if _bloom.plan_size(plan) == 0:
        raise ValueError(f"no {layout} filter is possible for n = {n}, p = {p} "
                         f"and hash_bits = {hash_bits}: p must be between 0 "
                         "and 1 and not too small, n must not be too large, "
                         "and blocked filters need hash_bits 64")
    return n, p, plan

def _u64(key: Any) -> int:
    number = index(key)
    if -2**63 <= number <= _U64:
        return number & _U64
    raise OverflowError("an integer key or a seed must be from -2^63 to "
                        "2^64 - 1")

def _bytes(key: Any) -> bytes:
    if isinstance(key, str):
        return str.encode(key)
    if isinstance(key, _BYTES):
        return bytes(key)
    raise TypeError("a key must be bytes, str or int, not "
                    + type(key).__name__)

def _one(texts: Any, integers: Any, memory: _Memory, key: Any) -> bool:
    if hasattr(key, "__index__"):
        return integers(memory, _u64(key))
    key = _bytes(key)
    return texts(memory, key, len(key))

def _packed(keys: Any) -> Any:
    """Packs keys for one call. Returns the end of the function's name, an array
    of integers or of bloom_key, and an object to keep alive during the call. If
    the keys are of both kinds, or one is refused, the name ends with "" and the
    keys are unchanged: call the function for each of them."""
    for code in "Qq":
        with suppress(Exception):
            return "_many_u64", array(code, list(map(index, keys))), None
    with suppress(Exception):
        texts = list(map(_bytes, keys))
        sizes = array(_WORD, map(len, texts))
        joined = ctypes.create_string_buffer(b"".join(texts))
        pairs = sizes * 2
        pairs[0::2] = array(_WORD, accumulate(
            sizes[:-1], initial=ctypes.addressof(joined)))
        pairs[1::2] = sizes
        return "_many", pairs, joined
    return "", keys, None

def _batches(keys: Any) -> Iterator[Any]:
    """Yields all keys, packed in batches. If the iterator of the keys fails,
    the keys before that are yielded first."""
    with suppress(TypeError, ValueError, BufferError):
        view = memoryview(keys)
        if (view.ndim, view.itemsize) == (1, 8) and view.format in {*"QqLl"}:
            for i in range(0, len(view), _CHUNK):       # Ctrl-C comes between
                part = view[i:i + _CHUNK]
                yield "_many_u64", part if part.contiguous else array(
                    "Q", bytes(part)), None
            return
    if isinstance(keys, (str, *_BYTES)):
        raise TypeError("this is one key: pass a list of keys, or use add() or "
                        "`in`")
    every, chunk = iter(keys), [0]
    while chunk:
        chunk = []
        try:
            chunk.extend(islice(every, _CHUNK))
        finally:
            if chunk:
                yield _packed(chunk)

# ---- Files -----------------------------------------------------------------
def _write(file: Any, parts: Any) -> None:
    for part in map(memoryview, parts):
        while part:                     # a raw file may write only a part
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
    """The common part of Bloom and Chain."""
    _memory = _lib = _parts = _load = None      # type: Any

    def _open(self, to_change: bool = False) -> Any:
        memory = self._memory
        if memory is None:
            raise ValueError("the filter is closed")
        if to_change and not memory.writable:
            raise ValueError("the filter is read only: open it with "
                             "writable=True")
        return memory

    @contextmanager
    def _both(self, other: Any, to_change: bool = False) -> Iterator[Any]:
        memories = self._open(to_change), other._open()
        first, second = sorted(memories, key=id)    # in one order, or threads
        with first.lock, second.lock:               # would deadlock
            yield memories

    def __enter__(self: _F) -> _F:
        return self._open() and self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Free the memory now. Otherwise it is freed with the object."""
        self._memory = None

    def __bool__(self) -> bool:
        return True                     # even if it is empty, unlike a set

    def _whole(self, call: Any, to_change: bool = False) -> Any:
        memory = self._open(to_change)
        with memory.lock:
            return call(memory)

    def __len__(self) -> int:
        """An estimate, from the cells, of how many different keys were
        added."""
        return min(self._whole(self._lib.estimate), sys.maxsize)

    @property
    def rate(self) -> float:
        """The current false-positive rate, computed from the cells."""
        return self._whole(self._lib.fpr)

    def __eq__(self, other: Any) -> bool:
        """Equal plans and cells. The seals do not count."""
        if not isinstance(other, _Filter) or self._lib is not other._lib:
            return NotImplemented
        with self._both(other) as memories:
            (head, *images), (its, *others) = map(self._parts, memories)
            return head == its and all(map(_same, images, others))

    def add(self, key: Key) -> bool:
        """Add a key. Return True if it was certainly new, False if it may have
        been in before."""
        memory = self._memory
        if memory is None or not memory.writable:
            self._open(True)            # called only to raise the error
        with memory.lock:
            return _one(self._lib.add, self._lib.add_u64, memory, key)

    def __contains__(self, key: Key) -> bool:
        return _one(self._lib.may_contain, self._lib.may_contain_u64,
                    self._open(), key)

    def update(self, keys: Iterable[Key]) -> int:
        """Add many keys. Return how many of them were certainly new."""
        return sum(new for new, _ in self._many("add", True, keys))

    def check(self, keys: Iterable[Key]) -> bytearray:
        """Look up many keys. For each of them return 1 if it may be in, 0 if it
        is certainly not in."""
        return bytearray().join(
            answers for _, answers in self._many("may_contain", False, keys))

    def _many(self, name: str, to_change: bool, keys: Any) -> Iterator[Any]:
        """For each batch of keys, yields how many results are True, and the
        results."""
        self._open(to_change)
        call = {end: getattr(self._lib, name + end)
                for end in ("", "_u64", "_many", "_many_u64")}
        for end, batch, _ in _batches(keys):
            memory = self._open(to_change)
            with memory.lock if to_change else nullcontext():
                if end:
                    answers = (c_bool * (len(batch) >> (end == "_many")))()
                    total = call[end](memory, _address(batch), len(answers),
                                      answers)
                else:
                    answers = bytearray(_one(call[""], call["_u64"], memory,
                                             key) for key in batch)
                    total = sum(answers)
            yield total, answers

    def seal(self) -> None:
        """Write a checksum into the filter, or into each link of a chain. The
        next change removes it."""
        self._whole(self._lib.seal, True)

    def verify(self, name: object = "the filter") -> bool:
        """Check the seals. Return True if all match, False if one is missing.
        Raise BloomError if one does not match."""
        with self._open().lock:
            return not any([_check(_bloom.verify(image), name)
                            for image in self._parts(self._open())[1:]])

    def _snapshot(self) -> Any:
        """The head and copies of the images, all of the same moment."""
        with self._open().lock:
            head, *images = self._parts(self._open())
            return [head, *(_copied(image).image() for image in images)]

    def __bytes__(self) -> bytes:
        return b"".join(self._snapshot())

    def copy(self: _F) -> _F:
        """Return a copy with memory of its own, as copy.copy() does."""
        return copy.copy(self)

    @classmethod
    def from_bytes(cls: Type[_F], image: Any, name: object = "the image") -> _F:
        """Make a filter from a copy of the bytes of bytes() or of a file."""
        self = object.__new__(cls)
        self._memory = cls._load(memoryview(image), name)
        return self

    def __reduce__(self) -> Any:
        """For copies and pickles: the image, and the attributes that a subclass
        added."""
        def own(part: Any) -> Any:
            return {name: part[name] for name in part if name != "_memory"} \
                if isinstance(part, dict) else part
        state = getattr(self, "__getstate__", lambda: vars(self))()
        return type(self).from_bytes, (bytes(self),), (
            tuple(map(own, state)) if isinstance(state, tuple) else own(state))

    def save(self, file: Union[Path, BinaryIO]) -> None:
        """Write the filter, sealed, to a path, or to a file object at its
        position. The file at a path is replaced only when the new one is
        complete. Other threads may add meanwhile, because a copy is written."""
        head, *images = self._snapshot()
        for image in images:
            if _bloom.verify(image) == _UNSEALED:   # a wrong seal stays wrong
                _bloom.seal(image)
        write = _write if hasattr(file, "write") else _replace
        write(file, [head, *images])


class Bloom(_Filter):
    """A filter for n keys with the false-positive rate p. The layout "classic"
    takes the least memory, "blocked" is the fastest, and with "counting" keys
    can be removed."""
    _lib = _bloom

    def __init__(self, n: float, p: float = 0.01, *, layout: str = "classic",
                 seed: int = 0, hash_bits: int = 64) -> None:
        plan = _plan(n, p, layout, seed, hash_bits)[-1]
        self._memory = _Memory(_bloom.create(plan), _bloom.free)

    @classmethod
    def open(cls: Type[_F], path: Path, writable: bool = False) -> _F:
        """Map a saved filter into memory. If it is writable, added keys go into
        the file, until save() replaces the file. The cells are not checked;
        call verify() for that."""
        with open(path, "r+b" if writable else "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise BloomError(f"{path!r}: truncated: the file is empty")
            image = memoryview(mmap.mmap(file.fileno(), 0, access=(
                mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ)))
        self = object.__new__(cls)
        self._memory = _Memory(_opened(_bloom.view, image, path),
                               owner=image, writable=writable)
        return self

    @staticmethod
    def _load(image: memoryview, name: object) -> _Memory:
        return _copied(_opened(_bloom.view, image, name))

    @staticmethod
    def _parts(memory: _Memory) -> Any:
        return [b"", memory.image()]    # only chains have a head

    @property
    def plan(self) -> Plan:
        plan = _bloom.plan_of(self._open())
        return Plan(*(getattr(plan, name) for name in Plan._fields))

    def capacity(self, p: float) -> int:
        """How many keys the filter can hold before the expected false-positive
        rate exceeds p."""
        return _bloom.plan_capacity(_Plan(*self.plan), c_double(p))

    def error_rate(self, n: float) -> float:
        """The expected false-positive rate after n keys. The current one is
        `rate`."""
        return _bloom.plan_fpr(_Plan(*self.plan), _whole_number(n))

    def remove(self, key: Key) -> bool:
        """Take back one add() of a key, in layout "counting". Return False if
        the key was certainly not in, or if the layout is another. Remove only
        keys that were added: removing a false positive can remove others."""
        memory = self._open(True)
        with memory.lock:
            return _one(_bloom.remove, _bloom.remove_u64, memory, key)

    def _combine(self: _F, call: Any, other: "Bloom") -> _F:
        if not isinstance(other, Bloom):
            return NotImplemented
        with self._both(other, True) as (into, source):
            if not call(into, source):
                raise ValueError("the plans of the two filters differ: make "
                                 "both with the same arguments")
        return self

    def __ior__(self: _F, other: "Bloom") -> _F:
        return self._combine(_bloom.merge, other)

    def __iand__(self: _F, other: "Bloom") -> _F:
        """Keep the keys that are in both filters; a few others stay by
        chance."""
        return self._combine(_bloom.intersect, other)

    def __or__(self: _F, other: "Bloom") -> _F:
        return self.copy()._combine(_bloom.merge, other)

    def __and__(self: _F, other: "Bloom") -> _F:
        return self.copy()._combine(_bloom.intersect, other)

    def clear(self) -> None:
        """Remove all keys."""
        self._whole(_bloom.clear, True)

    def fold(self, by: int) -> None:
        """Make the filter smaller, to 1 / by of its cells, if n was planned too
        large. All keys stay in; the false-positive rate rises."""
        by = _whole_number(by)          # _bloom.fold holds the interpreter's
                                        # lock, so lookups wait
        if not self._whole(lambda memory: _bloom.fold(memory, by), True):
            raise ValueError(f"cannot fold {self.plan.cells} cells by {by}: "
                             "the quotient must be a multiple of 64 (blocked: "
                             "256)")

    def __repr__(self) -> str:
        return "<Bloom closed>" if self._memory is None else (
            f"<Bloom {LAYOUTS[self.plan.layout]} m={self.plan.cells} "
            f"k={self.plan.hashes} keys={len(self)} rate={self.rate:.3g}>")


class Chain(_Filter):
    """A scalable Bloom filter: it grows, and keeps the false-positive rate p
    for any number of keys. Use it if n is not known."""
    _lib = _chain

    def __init__(self, first_n: float = 1000, p: float = 0.01, *,
                 layout: str = "classic", seed: int = 0) -> None:
        made = _chain.create(*_plan(first_n, p, layout, seed, 64))
        if not made:
            raise ValueError("no such chain is possible: use layout classic or "
                             "blocked, a larger p or a smaller first_n")
        self._memory = _Memory(made, _chain.free)

    @classmethod
    def open(cls: Type[_F], path: Path) -> _F:
        """Load a saved chain and check its seals. It can grow further."""
        with open(path, "rb") as file:
            self = cls.from_bytes(file.read(), path)
        self.verify(path)
        return self

    @staticmethod
    def _load(image: memoryview, name: object) -> _Memory:
        return _Memory(_opened(_chain.load, image, name), _chain.free)

    @staticmethod
    def _parts(chain: _Memory) -> Any:
        head = ctypes.create_string_buffer(32)
        _chain.head(chain, head)
        return [head.raw, *(_Memory(_chain.link(chain, i), owner=chain).image()
                            for i in range(_chain.links(chain)))]

    def error_rate(self) -> float:
        """The false-positive rate p that the chain was made for. It holds for
        any number of keys."""
        return _chain.rate(self._open())

    def __or__(self, other: Any) -> Any:
        raise TypeError("chains cannot be merged, because the union would not "
                        "keep the rate: keep both and test `key in a or key in "
                        "b`")

    __ior__ = __or__


if __name__ == "__main__":
    seen = Bloom(1_000_000, 0.01)
    seen.add("apple")
    print("apple" in seen, "pear" in seen)
    seen.update(array("Q", range(1000)))
    print(len(seen), "keys")
