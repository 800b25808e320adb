"""Bloom filters for CPython 3.8 and later, by the C library libbloom (ctypes).

    make libbloom                         # build/libbloom.so
    cp examples/python/bloom.py build/libbloom.so YOUR_PROJECT

    from bloom import Bloom, Chain, Slices, Window
    seen = Bloom(1_000_000, 0.01)         # a million keys, 1% false positives
    seen.add("apple")                     # True: it was certainly new
    "apple" in seen, "pear" in seen       # True, False
    seen.update(array("Q", range(1000)))  # many keys: much faster than add()
    cache = Bloom.fit(64 << 20, 0.01)     # as many keys as fit into 64 MB
    seen.save("seen.bloom")               # `bloom check seen.bloom` reads it
    with Bloom.open("seen.bloom") as old: # maps the file into memory
        len(old), old.fpr                 # estimated keys, false-positive rate
    all_ = Bloom.share("all", 10**6)      # processes add to one file at once
    both = seen | other                   # union; also |=, &, &=
    log = Chain(1000, 0.01)               # grows, if n is not known
    recent = Window(1000, 0.01)           # forgets: the last 1000 keys
    days = Slices(1000, 0.01, 365)        # 365 filters that are asked at once
    days.add(7, "apple")                  # to filter 7
    days.find("apple")                    # [7]: which may contain it

Keys: A key is bytes, a bytearray, a memoryview, a str, which counts as its
UTF-8, or an integer. Integers are int, NumPy's integers and everything else
with __index__, from -2^63 to 2^64 - 1. They are keys by their value modulo
2^64. True and False are refused, because they are rarely meant as keys. An
integer and its text are different keys. If one of several keys is refused, or
if the iterator of the keys fails, the keys before it are added.

Secret: If strangers choose the keys, they can choose false positives. With
key=secrets.token_bytes(16) they cannot, as long as they do not know the key.
The key is not stored. Pass the same one whenever you open the filter: with
another key, or without one, it finds nothing. Such a filter cannot be pickled.

Filters: Copies and pickles have memory of their own. Two filters are equal if
their plans, cells and secrets are equal. Like sets, filters are not hashable.
Only filters with equal plans and secrets can be combined by | and &.

Files: load() reads a file into memory. Bloom.open() and Slices.open() map it
instead. A mapped file must not be overwritten in place, for example by cp: if
that makes it shorter, a lookup ends the process (SIGBUS), and otherwise lookups
mix old and new cells. Replace it by rename, as save() and mv do.

Processes may add keys to one file at the same time, and look up one another's,
if all of them open it by Bloom.share(). open(writable=True) is for one process:
it locks the file, and fails if another filter has it open to be changed. While
a file is open in either way, save() to it is refused.

Seals: save() writes a checksum into the file, the seal. A file that was changed
in place after that (writable=True, or `bloom uniq -f` that runs or was killed)
has none, and open() and load() warn that damage cannot be seen. load() checks
the seals, as do Chain.open() and Window.open(), which read the file.

Threads may share a filter. While a call reads or writes a whole filter, other
threads run. They may look keys up in that filter, but add() and other changes
of it wait. During fold() all other threads wait. os.fork() waits until the
calls that change a filter, or read all of it, have ended. Use a lock of your
own if the interpreter has no global lock.

The library is the file that $LIBBLOOM names. Without that variable it is
libbloom.so beside this file or in the build folder of the repository, or else
the installed library. Do not put another library as bloom.so beside bloom.py:
Python would import it instead.

Errors: An argument of a wrong type is a TypeError, and a wrong value a
ValueError. An integer key or a seed beyond 64 bits is an OverflowError.

`python -m bloom` prints the version of bloom.h and which library it is in.
"""
import copy
import ctypes
import errno
import mmap
import os
import sys
import time
import warnings
from array import array
from contextlib import contextmanager, nullcontext, suppress
from ctypes import c_bool, c_double, c_int, c_uint64, c_uint8, c_void_p
from functools import partial
from itertools import accumulate, islice
from operator import index
from threading import RLock
from types import SimpleNamespace
from typing import (Any, BinaryIO, Iterable, Iterator, List, Literal,
                    NamedTuple, Optional, Protocol, SupportsIndex, Type,
                    TypeVar, Union, overload)
from weakref import ref

_fcntl: Any = None
with suppress(ImportError):             # on Windows
    import fcntl as _fcntl

__all__ = ["Bloom", "BloomError", "BloomWarning", "Chain", "Plan", "Slices",
           "Window"]
Key = Union[bytes, bytearray, memoryview, str, SupportsIndex]
Secret = Optional[Union[bytes, bytearray, memoryview]]
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Plan = NamedTuple("Plan", [("cells", int), ("seed", int), ("hashes", int),
                           ("layout", int), ("hash_bits", int)])
_F = TypeVar("_F", bound=Any)      # the class of self
class _Array(Protocol):            # of NumPy, or pandas' Series
    def __array__(self) -> Any: ...
Layout = Literal["classic", "blocked", "counting"]
LAYOUTS = ("classic", "blocked", "counting")
_BYTES = (bytes, bytearray, memoryview)
_U64, _CHUNK = 2**64 - 1, 2**16
_NOT_A_FILTER, _UNSEALED = 2, 7         # bloom_error
_MAGIC = {b"BLM": "a filter: use Bloom", b"BLC": "a chain: use Chain",
          b"BLW": "a window: use Window",
          b"BLS": "an image of slices: use Slices"}
_WORD = next(c for c in "ILQ" if array(c).itemsize == ctypes.sizeof(c_void_p))


class BloomError(ValueError):
    """The bytes are not a filter, or truncated, or do not match their seal."""

class BloomWarning(UserWarning):
    """A file has no seal, so damage cannot be seen."""

# ---- The library -----------------------------------------------------------
class _Plan(ctypes.Structure):
    _fields_ = [*zip(Plan._fields, [c_uint64] * 2 + [c_uint8] * 3)]

class _WindowPlan(ctypes.Structure):
    _fields_ = [("filter", _Plan), ("room", c_uint64),
                ("generations", ctypes.c_uint)]

class _Hash(ctypes.Structure):
    _fields_ = [("h1", c_uint64), ("h2", c_uint64)]

def _functions(prefix: str, table: str) -> Any:
    """Declares the functions of a table. Each of its rows, separated by commas,
    consists of the type of the result, the types of the arguments, and names.
    Functions that read or write whole filters release the interpreter's lock.
    The others are short and hold it."""
    types = {"P": _Plan, "W": _WindowPlan, "h": _Hash, "v": c_void_p,
             "u": c_uint64, "i": c_int, "d": c_double, "z": ctypes.c_size_t,
             "b": c_bool, "w": ctypes.c_uint, "s": ctypes.c_char_p, "-": None}
    whole = """seal estimate fpr copy verify merge intersect clear load fold_by
        find_all put get clear_filter save share unshare slices_count""".split()
    functions = SimpleNamespace()
    for result, arguments, *names in map(str.split, table.split(",")):
        for name in names:
            long = name in whole or (prefix + name)[6:] in whole
            function = getattr(_released if long else _held, prefix + name)
            function.restype = types[result]
            function.argtypes = [types[letter] for letter in arguments]
            setattr(functions, name, function)
    for name in "add", "may_contain", "remove", "count":
        if hasattr(functions, name):
            setattr(functions, name + "_one", [         # of the kinds of keys
                getattr(functions, name + kind, None)
                for kind in ("", "_u64", "_hash")])
    return functions

_here = os.path.dirname(os.path.abspath(__file__))
_path = os.environ.get("LIBBLOOM") or next((place for place in (
    _here + "/libbloom.so", _here + "/../../build/libbloom.so")
    if os.path.exists(place)), "libbloom-h.so.3")
_COMMON = """- v free seal, d v fpr, b vsz add may_contain,
    b vu add_u64 may_contain_u64, b vh add_hash may_contain_hash,
    z vvzv add_many may_contain_many add_many_u64 may_contain_many_u64, """
try:
    _held, _released = ctypes.PyDLL(_path), ctypes.CDLL(_path)
    _BLOOM = _COMMON + """b vsz remove, b vu remove_u64, b vh remove_hash,
        w vsz count, w vu count_u64, w vh count_hash, b vv merge,
        u v estimate, """
    _bloom = _functions("bloom_", _BLOOM + """P udi plan_layout,
        P zdi plan_fit, P v plan_of,
        z P plan_size, u Pd plan_capacity, d Pu plan_fpr, u vd fold_by,
        v P create, v v copy, v vzv view, z v size, i v verify, s i error_text,
        b vu fold, b vv intersect, - v clear""")
    _chain = _functions("bloom_chain_", _COMMON + """v udP create, v vzv load,
        u v estimate, w v links, v vw link, - vs head, d v rate""")
    _window = _functions("bloom_window_", _COMMON + """W udwi plan_for,
        W v plan_of, v W create, v vzv view, u v keys time span estimate,
        v vw generation, - v step clear, - vuu set_time, b vuu advance""")
    _slices = _functions("bloom_slices_", """- v free seal clear, v Pu create,
        v vu copy, v vzv view, z v size, P v plan_of, u v filters, i v verify,
        - vu clear_filter, h vsz hash_key, h vu hash_u64, b vuh add_hash,
        u vhv find_hash, u vvzv find_all, - vvzv count, b vuv put get""")
    _file = _functions("bloom_file_", "i svz save")
    _keyed = _functions("bloom_keyed_", "h vsz hash, h vu u64")
    _version = c_int.in_dll(_held, "bloom_version").value
except (OSError, AttributeError, ValueError) as _error:     # missing, or older
    raise ImportError("bloom.py needs libbloom: run `make libbloom` "
                      f"({_error})") from None
try:        # the same functions, for filters that other processes change, too
    _atomic = _functions("BLOOM_ATOMIC_bloom_", _BLOOM + """v sPv share,
        i v unshare""")
except AttributeError:
    _atomic = None
__version__ = f"{_version // 10000}.{_version // 100 % 100}.{_version % 100}"
_memcmp = _released.memcmp
_memcmp.argtypes = [c_void_p, c_void_p, ctypes.c_size_t]
_python = ctypes.PyDLL("", handle=ctypes.pythonapi._handle)

# ---- Arguments and keys ----------------------------------------------------
def _whole_number(n: Any) -> int:
    if not hasattr(n, "__int__") and not hasattr(n, "__index__"):
        raise TypeError("a whole number is needed, not " + type(n).__name__)
    with suppress(ValueError, OverflowError):           # nan, infinity
        if int(n) == n and 0 <= n <= _U64:
            return int(n)
    raise ValueError(f"{n!r} is not a whole number from 0 to 2^64 - 1")

def _how_many(filters: Any) -> int:
    if _whole_number(filters) == 0:
        raise ValueError("slices have at least 1 filter")
    return _whole_number(filters)

def _no_key(key: Any) -> TypeError:
    return TypeError("a key must be bytes, str or int, not "
                     + type(key).__name__ + (
                         ": for many keys, use update() and check()"
                         if hasattr(key, "__iter__") else ""))

def _is_bool(kind: Any) -> bool:
    return kind.__name__ in ("bool", "bool_")       # bool_ is NumPy's

def _u64(key: Any) -> int:
    if _is_bool(type(key)):
        raise _no_key(key)
    try:
        number = index(key)
    except TypeError:
        if not hasattr(key, "__iter__"):
            raise                       # an error of the key's own __index__
        raise _no_key(key) from None    # NumPy's arrays have one that fails
    if -2**63 <= number <= _U64:
        return number & _U64
    raise OverflowError("an integer key or a seed must be from -2^63 to "
                        "2^64 - 1")

def _plan(n: Any, p: Any, layout: Layout, seed: int, hash_bits: int,
          of: Any = _bloom.plan_layout, what: str = "n") -> Any:
    n, p = _whole_number(n), c_double(p).value
    hash_bits = _whole_number(hash_bits)
    if not isinstance(layout, str):
        raise TypeError("layout must be a str, not " + type(layout).__name__)
    if layout not in LAYOUTS or hash_bits not in (32, 64):
        raise ValueError(f"layout must be one of {LAYOUTS} and hash_bits 64 or "
                         f"32, not {layout!r} and {hash_bits!r}")
    plan = of(n, p, LAYOUTS.index(layout))
    plan.seed, plan.hash_bits = _u64(int(index(seed))), hash_bits
    if _bloom.plan_size(plan) == 0:
        few = _bloom.plan_layout(1, p, plan.layout)
        raise ValueError(
            f"p must be between 0 and 1, not {p}" if not 0 < p < 1 else
            "a blocked filter needs hash_bits 64" if layout == "blocked"
            and hash_bits == 32 else f"p = {p} is too small"
            if not _bloom.plan_size(few) else f"{n} bytes have no room for a "
            "key" if what == "bytes" else f"n = {n} is too large for a {layout} "
            f"filter with hash_bits {hash_bits}")
    return n, p, plan

def _plan_fit(bytes: int, p: float, layout: int) -> Any:
    most = 2 * sys.maxsize + 1                      # of a size_t
    return _bloom.plan_fit(min(bytes, most), p, layout)

def _plan_tuple(plan: _Plan) -> Plan:
    return Plan(*(getattr(plan, name) for name in Plan._fields))

def _bytes(key: Any) -> bytes:
    if isinstance(key, str):
        return str.encode(key)
    if isinstance(key, _BYTES):
        return bytes(key)
    raise _no_key(key)

class _Secret:
    """The 16 bytes of key=, or None. It hashes keys, and is shared by copies of
    a filter. Pickles would store it, so it refuses to be pickled."""

    def __init__(self, key: Any) -> None:
        if not isinstance(key, _BYTES):
            raise TypeError("key must be bytes, not " + type(key).__name__)
        self.bytes = bytes(key)
        if len(self.bytes) != 16:
            raise ValueError("key must have 16 bytes, for example "
                             f"secrets.token_bytes(16), not {len(self.bytes)}")

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Secret) and self.bytes == other.bytes

    def __reduce__(self) -> Any:
        raise TypeError("a filter with a key cannot be pickled, because a "
                        "pickle would store the key: send bytes(filter), and "
                        "use from_bytes(image, key=key)")

    def hash(self, key: Any) -> Any:
        if hasattr(key, "__index__"):
            return _keyed.u64(self.bytes, _u64(key))
        key = _bytes(key)
        return _keyed.hash(self.bytes, key, len(key))

def _one(calls: Any, memory: Any, key: Any) -> Any:
    texts, integers, hashes = calls
    if memory.secret is not None:
        return hashes(memory, memory.secret.hash(key))
    if hasattr(key, "__index__"):
        return integers(memory, _u64(key))
    key = _bytes(key)
    return texts(memory, key, len(key))

def _packed(keys: Any) -> Any:
    """Packs keys for one call. Returns the end of the function's name, an array
    of integers or of bloom_key, and an object to keep alive during the call. If
    the keys are of both kinds, or one is refused, the name ends with "" and the
    keys are unchanged: call the function for each of them."""
    for code in "" if any(map(_is_bool, set(map(type, keys)))) else "Qq":
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

def _batches(keys: Any, keyed: bool) -> Iterator[Any]:
    """Yields all keys in batches, packed unless they are hashed with a secret.
    If the iterator of the keys fails, the keys before that are yielded
    first."""
    view: Any = None
    with suppress(TypeError, ValueError, BufferError):
        view = memoryview(keys)
    if getattr(keys if view is None else view, "ndim", 1) > 1:
        raise TypeError("the keys are a table, whose rows or elements may be "
                        "the keys: pass one dimension, for example "
                        "table.ravel() or a column")
    wide = view is not None and view.format in {*"QqLl"} \
        and (view.ndim, view.itemsize) == (1, 8)
    if wide and not keyed:
        for i in range(0, len(view), _CHUNK):           # Ctrl-C comes between
            part = view[i:i + _CHUNK]
            yield "_many_u64", part if part.contiguous else array(
                "Q", bytes(part)), None
        return
    if isinstance(keys, (str, *_BYTES)) and not wide:
        raise TypeError("this is one key: pass a list of keys, or use add() or "
                        "`in`")
    every, chunk = iter(keys), [0]
    while chunk:
        chunk = []
        try:
            chunk.extend(islice(every, _CHUNK))
        finally:
            if chunk:
                yield ("", chunk, None) if keyed else _packed(chunk)

# ---- Memory ----------------------------------------------------------------
class _Memory:
    """The memory of a filter, a chain or a window. The library's functions take
    it as a pointer. It is freed with the last reference to it, so close() does
    not free the memory while a call of another thread, or the method of a key,
    still uses it. A thread that changes the filter, or reads all of it, holds
    the lock. Lookups do not need this lock, because they hold the interpreter's
    lock while they run."""

    all: Any = set()                    # weak references, for fork

    def __init__(self, address: Any, free: Any = None, owner: Any = None,
                 writable: bool = True, file: Any = None,
                 shared: bool = False) -> None:
        if not address:
            raise MemoryError("not enough memory for the filter")
        self._as_parameter_, self.free, self.owner = address, free, owner
        self.secret: Optional[_Secret] = None
        self.writable, self.lock = writable, RLock()    # a signal handler may
                                        # use a filter that its thread locked
        self.file = file                # os.fstat() of what is mapped
        self.shared = shared            # with other processes
        self.errors: Any = []           # of free
        self.all.add(ref(self, self.all.discard))

    def keyed(self, key: Any) -> "_Memory":
        if key is not None:
            self.secret = key if isinstance(key, _Secret) else _Secret(key)
        return self

    def __del__(self) -> None:
        if getattr(self, "free", None):
            self.errors.append(self.free(self))

    def image(self, size: Any = None) -> Any:
        """The bytes of a filter, not copied. They keep its memory alive."""
        image = (ctypes.c_char * (size or _bloom.size)(self)).from_address(
            self._as_parameter_)
        image.owner = self
        return image

def _memories() -> Any:
    """All that are in use, in the order in which their locks are taken"""
    return sorted(filter(None, (memory() for memory in list(_Memory.all))),
                  key=id)

class _Fork:
    """A child has the thread that forked and no other, so a lock that another
    thread holds would never be released there, and a filter that it is changing
    would stay half-changed. Therefore a fork takes all locks first. The child
    gets new ones, also for a filter that was made meanwhile."""

    def __init__(self) -> None:
        self.one, self.held = RLock(), []       # type: Any, Any
        if hasattr(os, "register_at_fork"):     # not on Windows
            os.register_at_fork(before=self.before, after_in_parent=self.parent,
                                after_in_child=self.child)

    def before(self) -> None:
        self.one.acquire()              # one fork at a time
        for memory in _memories():
            memory.lock.acquire()
            self.held.append(memory.lock)

    def parent(self) -> None:
        while self.held:
            self.held.pop().release()
        self.one.release()

    def child(self) -> None:
        self.one, self.held = RLock(), []
        for memory in _memories():
            memory.lock = RLock()

_Fork()

def _address(view: Any) -> Any:
    """The address of the bytes of a memoryview or an array. The caller keeps
    that alive as long as it uses the address."""
    buffer = (c_void_p * 16)()          # Py_buffer: its address comes first
    _python.PyObject_GetBuffer(ctypes.py_object(view), buffer, 0)
    _python.PyBuffer_Release(buffer)
    return buffer[0]

def _room(size: int) -> memoryview:
    """Memory of so many bytes. Blocked filters are faster if it is aligned."""
    room = bytearray(size + 31)
    return memoryview(room)[-_address(room) % 32:][:size]

def _aligned(image: Any) -> memoryview:
    image = memoryview(image).cast("B")
    room = _room(len(image))
    room[:] = image
    return room

def _check(error: int, name: object) -> int:
    if error not in (0, _UNSEALED):
        raise BloomError(f"{name}: {_bloom.error_text(error).decode()}")
    return error

def _opened(call: Any, image: memoryview, name: object, magic: bytes) -> Any:
    error = c_int()
    address = call(_address(image), image.nbytes, ctypes.byref(error))
    if error.value == _NOT_A_FILTER:
        found = ctypes.string_at(_address(image), 3)
        if found != magic and found in _MAGIC:
            raise BloomError(f"{name}: this is {_MAGIC[found]}")
    _check(error.value, name)
    return address

def _same(a: Any, b: Any) -> bool:
    """Compares two images except for their seals, bytes 24 to 31."""
    return len(a) == len(b) and not _memcmp(a, b, 24) and not _memcmp(
        ctypes.byref(a, 32), ctypes.byref(b, 32), len(a) - 32)

# ---- Files -----------------------------------------------------------------
def _write(file: Any, parts: Any) -> None:
    for part in map(memoryview, parts):
        while part:                     # a raw file may write only a part
            taken = file.write(part)
            part = part[len(part) if taken is None else taken:]

def _encoded(path: Any) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("embedded null byte in the path")
    return name

def _succeeded(why: int, path: Any) -> None:
    if why == errno.EBUSY:
        raise OSError(why, "the file is in use, for example by share() or "
                      "open(writable=True)", os.fspath(path))
    if why:
        raise OSError(why, os.strerror(why), os.fspath(path))

def _replace(path: Any, parts: Any) -> None:
    """Writes a new file, and then gives it the name of the old one."""
    image = parts[-1]
    if len(parts) > 2 or parts[0]:      # with a head, or several parts
        image = b"".join(parts)
    _succeeded(_file.save(_encoded(path), image, len(image)), path)

def _open_locked(path: Any) -> Any:
    """Opens a file that no other filter may change. The lock lasts as long as
    the file or a map of it is open. A save locks the old file for a moment, and
    may replace it before it is locked here, so this tries for half a second."""
    for _ in range(50):
        file: Any = open(path, "r+b")
        try:
            if _fcntl:
                _fcntl.flock(file.fileno(), _fcntl.LOCK_EX | _fcntl.LOCK_NB)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                    file, locked = None, file
                    return locked
        except BlockingIOError:
            time.sleep(0.01)
        finally:
            if file is not None:
                file.close()
    return _succeeded(errno.EBUSY, path)

# ---- Filters ---------------------------------------------------------------
def _as_numpy(keys: Any, answers: Any, kind: Any) -> Any:
    """The answers to these keys: an array of NumPy's if the keys are one."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(keys, "__array__"):
        return answers
    return numpy.frombuffer(answers, kind)

class _Image:
    """The common part of all classes. An image has a head, which may be empty,
    and parts that have a seal each. The functions for a part are _part."""
    _memory = _lib = _parts = _shape = None             # type: Any
    _part, _magic = _bloom, b""

    @staticmethod
    def _copied(image: Any) -> _Memory:
        """A copy of a part"""
        return _Memory(_bloom.copy(image), _bloom.free)

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
        """Free the memory now. Otherwise it is freed with the object. A shared
        filter is first written to the disk; if that fails, this is an
        OSError."""
        errors = [] if self._memory is None else self._memory.errors
        self._memory = None
        if any(errors):
            raise OSError(errors[0], os.strerror(errors[0]))

    def __bool__(self) -> bool:
        return True                     # even if it is empty, unlike a set

    def _whole(self, call: Any, to_change: bool = False) -> Any:
        memory = self._open(to_change)
        if to_change:
            self._not_shared()
        with memory.lock:
            return call(memory)

    def _not_shared(self) -> None:
        if self._open().shared:
            raise ValueError("other processes may change the filter now: do "
                             "this when all have closed it, with open(path, "
                             "writable=True)")

    def __repr__(self) -> str:
        if self._memory is None:
            return f"<{type(self).__name__} closed>"
        return f"<{type(self).__name__} {self._shape()}>"

    def __eq__(self, other: Any) -> bool:
        """Equal plans, cells and secrets. The seals do not count."""
        if not isinstance(other, _Image) or type(self)._lib is not type(
                other)._lib:
            return NotImplemented
        if self._open().secret != other._open().secret:
            return False
        with self._both(other) as memories:
            (head, *images), (its, *others) = map(self._parts, memories)
            return head == its and all(map(_same, images, others))

    def seal(self) -> None:
        """Write a checksum into the filter, or into each link of a chain. The
        next change removes it."""
        self._whole(self._lib.seal, True)

    def verify(self, name: object = "the filter") -> bool:
        """Check the seals. Return True if all match, False if one is missing.
        Raise BloomError if one does not match."""
        with self._open().lock:
            return not any([_check(self._part.verify(image), name)
                            for image in self._parts(self._open())[1:]])

    def _snapshot(self) -> Any:
        """The head and copies of the images, all of the same moment."""
        memory = self._open()
        with memory.lock:
            head, *images = self._parts(memory)
            return [head, *(image if memory.shared else
                            self._copied(image).image(self._part.size)
                            for image in images)]

    def __bytes__(self) -> bytes:
        return b"".join(self._snapshot())

    def copy(self: _F) -> _F:
        """Return a copy with memory of its own, as copy.copy() does."""
        return copy.copy(self)

    @classmethod
    def from_bytes(cls: Type[_F], image: Any, name: object = "the image", *,
                   key: Secret = None) -> _F:
        """Make a filter from a copy of the bytes of bytes() or of a file. The
        seals are not checked; call verify() for that. Errors name the `name`.
        """
        return cls._at(_aligned(image), name, key)

    @classmethod
    def _in(cls, image: memoryview, name: object, **how: Any) -> _Memory:
        """The filter in these bytes, which are not copied"""
        return _Memory(_opened(cls._lib.view, image, name, cls._magic),
                       owner=image, **how)

    @classmethod
    def _at(cls: Type[_F], image: memoryview, name: object, key: Secret,
            **how: Any) -> _F:
        self = object.__new__(cls)
        self._memory = cls._in(image, name, **how).keyed(key)
        return self

    @classmethod
    def load(cls: Type[_F], path: Path, *, key: Secret = None) -> _F:
        """Read a saved file into memory, and check its seals. If one does not
        match, raise BloomError. If one is missing, give a BloomWarning. If
        another process begins to share the file meanwhile, it may be a
        BloomError, too: try again."""
        return cls._load(path, key)

    @classmethod
    def _load(cls: Type[_F], path: Path, key: Secret) -> _F:
        name = os.fsdecode(path)
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            image = _room(size) if size else _aligned(file.read())  # a pipe
            if size:
                image = image[:file.readinto(image)]
        self = cls._at(image, name, key)
        if not self.verify(name):
            cls._unsealed(name, 4)
        return self

    @staticmethod
    def _unsealed(name: object, level: int) -> None:
        warnings.warn(f"{name}: not sealed, so damage cannot be seen",
                      BloomWarning, stacklevel=level)

    def __reduce__(self) -> Any:
        """For copies and pickles: the image, and the attributes that a subclass
        added."""
        make = type(self).from_bytes
        secret = self._open().secret
        if secret is not None:
            make = partial(make, key=secret)
        def own(part: Any) -> Any:
            return {name: part[name] for name in part
                    if name not in ("_memory", "_lib")} \
                if isinstance(part, dict) else part
        state = getattr(self, "__getstate__", lambda: vars(self))()
        return make, (bytes(self),), (
            tuple(map(own, state)) if isinstance(state, tuple) else own(state))

    def save(self, file: Union[Path, BinaryIO]) -> None:
        """Write the filter, sealed, to a path, or to a file object at its
        position. The file at a path is replaced only when the new one is
        complete, also after a crash. It keeps its owner and permissions, and
        must be a regular file. Other threads may add meanwhile, because a copy
        is written. A filter that was opened by share() or with
        writable=True is never saved to its own file: later keys would go into
        the old file, which has lost its name. Its keys are in the file already;
        after writable=True, use seal(). While such a file is open, saving
        another filter to it is an OSError (EBUSY)."""
        path: Any = None if hasattr(file, "write") else os.fspath(file)
        if path is not None and self._is_in(path):
            raise ValueError(f"{os.fsdecode(path)}: the filter was opened from "
                             "this file by share() or with writable=True, so "
                             "its keys are in it already: use seal() if nobody "
                             "shares it, or save it elsewhere")
        head, *images = self._snapshot()
        for image in images:
            if self._part.verify(image) == _UNSEALED:
                self._part.seal(image)  # a wrong seal stays wrong
        write = _write if path is None else _replace
        write(file, [head, *images])

    def _is_in(self, path: Any) -> bool:
        """Is it a map of this very file, and writable?"""
        file = self._open().file
        with suppress(OSError, ValueError):     # _replace() raises them, too
            return file is not None and os.path.samestat(file, os.stat(path))
        return False


class _Mapped(_Image):
    """The common part of Bloom and Slices: their files can be mapped."""

    @classmethod
    def open(cls: Type[_F], path: Path, writable: bool = False, *,
             key: Secret = None) -> _F:
        """Map a saved filter into memory. If it is writable, added keys go into
        the file, until somebody replaces it, and the seal is removed. This is
        for one process: it locks the file (flock), and if another filter has it
        open by share() or with writable=True, it is an OSError (EBUSY). The
        cells are not checked; call verify() for that. A file without a seal
        causes a BloomWarning. If the file may be overwritten in place, use
        load(): while it is mapped, a lookup may then end the process
        (SIGBUS)."""
        name = os.fsdecode(path)
        with _open_locked(path) if writable else open(path, "rb") as file:
            facts = os.fstat(file.fileno())
            if facts.st_size == 0:
                raise BloomError(f"{name}: truncated: the file is empty")
            # The map keeps the file open, and so the lock.
            image = memoryview(mmap.mmap(file.fileno(), 0, access=(
                mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ)))
        self = cls._at(image, name, key, writable=writable,
                       file=facts if writable else None)
        if not any(image[24:32]):
            cls._unsealed(name, 3)
        return self

    @classmethod
    def _parts(cls, memory: _Memory) -> Any:
        """What other processes may change is copied, with all keys that were in
        before. If a key comes meanwhile, the seal of the original is removed;
        that of the copy does not match then, and is removed, too."""
        if memory.shared:
            original, memory = memory, cls._copied(memory)
            if not any(ctypes.string_at(original._as_parameter_ + 24, 8)):
                ctypes.memset(memory._as_parameter_ + 24, 0, 8)
        return [b"", memory.image(cls._lib.size)]   # only chains have a head

class _Filter(_Image):
    """The common part of Bloom, Chain and Window."""
    _kind = None                                        # type: Any

    def __len__(self) -> int:
        """An estimate, from the cells, of how many different keys are in. It is
        too large for an intersection: see `&`. If every cell is set, it may be
        any number: raise OverflowError."""
        keys = self._whole(self._lib.estimate)
        if keys == _U64:
            raise OverflowError("every cell is set: the number of keys is "
                                "unknown, and every key seems to be in")
        return min(keys, sys.maxsize)

    @property
    def fpr(self) -> float:
        """The false-positive rate now, computed from the cells."""
        return self._whole(self._lib.fpr)

    def _shape(self) -> str:
        try:
            keys = str(len(self))
        except OverflowError:
            keys = "unknown, as every cell is set"
        return f"{self._kind()} fpr={self.fpr:.3g} keys={keys}"

    def add(self, key: Key) -> bool:
        """Add a key. Return True if it was certainly new, False if it may have
        been in before."""
        memory = self._memory
        if memory is None or not memory.writable:
            self._open(True)            # called only to raise the error
        with memory.lock:
            return _one(self._lib.add_one, memory, key)

    def __contains__(self, key: Key) -> bool:
        return _one(self._lib.may_contain_one, self._open(), key)

    def update(self, *keys: Iterable[Key]) -> int:
        """Add many keys: all keys of one list, or of several. Return how many
        of them were certainly new. This is much faster than add() for each of
        them, above all if the keys are an array of 64-bit integers."""
        self._open(True)                # to be refused without keys, too
        return sum(new for each in keys
                   for new, _ in self._many("add", True, each))

    @overload
    def check(self, keys: _Array) -> Any: ...
    @overload
    def check(self, keys: Iterable[Key]) -> bytearray: ...
    def check(self, keys: Any) -> Any:
        """Look up many keys. For each of them return 1 if it may be in, 0 if it
        is certainly not in. For a NumPy array, or what NumPy can convert to
        one, return a NumPy array of bool. It serves as a mask:
        keys[~b.check(keys)] are the keys that are certainly not in."""
        answers = bytearray().join(
            answers for _, answers in self._many("may_contain", False, keys))
        return _as_numpy(keys, answers, bool)

    def _many(self, name: str, to_change: bool, keys: Any) -> Iterator[Any]:
        """For each batch of keys, yields how many results are True, and the
        results."""
        keyed = self._open(to_change).secret is not None
        for end, batch, _ in _batches(keys, keyed):
            memory = self._open(to_change)
            with memory.lock if to_change else nullcontext():
                if end:
                    answers = (c_bool * (len(batch) >> (end == "_many")))()
                    total = getattr(self._lib, name + end)(
                        memory, _address(batch), len(answers), answers)
                else:
                    calls = getattr(self._lib, name + "_one")
                    answers = bytearray(_one(calls, memory, key)
                                        for key in batch)
                    total = sum(answers)
            yield total, answers


class Bloom(_Mapped, _Filter):
    """A filter for n keys with the false-positive rate p. The layout "classic"
    takes the least memory, "blocked" is the fastest, and with "counting" keys
    can be removed. `key` is a secret of 16 bytes, for keys that strangers
    choose."""
    _lib, _magic = _bloom, b"BLM"

    def __init__(self, n: float, p: float = 0.01, *, layout: Layout = "classic",
                 seed: int = 0, hash_bits: int = 64, key: Secret = None
                 ) -> None:
        plan = _plan(n, p, layout, seed, hash_bits)[-1]
        self._memory = _Memory(_bloom.create(plan), _bloom.free).keyed(key)

    @classmethod
    def fit(cls: Type[_F], bytes: float, p: float = 0.01, *,
            layout: Layout = "classic", seed: int = 0, key: Secret = None
            ) -> _F:
        """Make a filter of at most so many bytes. Of all filters of this
        layout, it holds the most keys at the false-positive rate p: capacity(p)
        says how many."""
        plan = _plan(bytes, p, layout, seed, 64, _plan_fit, "bytes")[-1]
        self = object.__new__(cls)
        self._memory = _Memory(_bloom.create(plan), _bloom.free).keyed(key)
        return self

    @classmethod
    def share(cls: Type[_F], path: Path, n: Optional[float] = None,
              p: float = 0.01, *, layout: Layout = "classic", seed: int = 0,
              hash_bits: int = 64, key: Secret = None) -> _F:
        """Map a filter in a file that several processes use at the same time.
        They add keys, and look up one another's, without a lock of yours; so do
        programs in C, by bloom_share(). If there is no file, make one for these
        arguments. If there is one for other arguments, raise ValueError.
        Without n, take the filter that is there. The cells are not checked.

        The file must be on a disk of this machine. If the disk is full, a
        process that adds ends (SIGBUS). A process that is killed loses no key.
        After a power cut, keys may be missing that no close() has written to
        the disk. seal(), clear(), fold() and &= are refused, because they need
        the filter alone, as is open(path, writable=True). copy(), bytes() and
        pickles make filters that are not shared. After os.fork(), the child may
        use the filter, too. This needs a POSIX system."""
        if _atomic is None:
            raise NotImplementedError("share() needs a POSIX system, and a "
                                      "compiler with atomic operations for "
                                      "libbloom")
        plan, why = _Plan(), c_int()
        if n is not None:
            plan = _plan(n, p, layout, seed, hash_bits)[-1]
        address = _atomic.share(_encoded(path), plan, ctypes.byref(why))
        if why.value == errno.EBADMSG:
            raise BloomError(f"{os.fsdecode(path)}: not a Bloom filter, or not "
                             "a whole one")
        if why.value == errno.EINVAL:
            raise ValueError(f"{os.fsdecode(path)}: the filter in this file "
                             "was made with other arguments")
        _succeeded(why.value, path)
        self = object.__new__(cls)
        self._lib = _atomic
        self._memory = _Memory(address, _atomic.unshare,
                               shared=True).keyed(key)
        self._memory.file = os.stat(path)
        return self

    @property
    def plan(self) -> Plan:
        return _plan_tuple(_bloom.plan_of(self._open()))

    def capacity(self, p: float) -> int:
        """How many keys the filter can hold before the expected false-positive
        rate exceeds p."""
        return _bloom.plan_capacity(_Plan(*self.plan), c_double(p))

    def plan_fpr(self, n: float) -> float:
        """The expected false-positive rate after n keys. The rate now is
        `fpr`."""
        return _bloom.plan_fpr(_Plan(*self.plan), _whole_number(n))

    def remove(self, key: Key) -> bool:
        """Take back one add() of a key, in layout "counting". Return False if
        the key was certainly not in. True does not mean that it is gone: it may
        have been added several times, or be a false positive now. Each add()
        counts, and 15 of them make a key permanent. So add a key only if it is
        not in, and remove only keys that were added: removing a false positive
        can remove others."""
        memory = self._open(True)
        with memory.lock:
            removed = _one(self._lib.remove_one, memory, key)
        if not removed and LAYOUTS[self.plan.layout] != "counting":
            raise ValueError(f"a {LAYOUTS[self.plan.layout]} filter cannot "
                             "remove keys: make it with layout=\"counting\"")
        return removed

    def count(self, key: Key) -> int:
        """How often a key was added at most, in layout "counting": 0 to 15,
        where 15 stands for 15 or more. It is never too low, unless keys were
        removed that had not been added. In other layouts it is 1 if the key may
        be in, else 0."""
        return _one(self._lib.count_one, self._open(), key)

    def _combine(self: _F, call: Any, other: "Bloom") -> _F:
        if not isinstance(other, Bloom):
            return NotImplemented
        with self._both(other, True) as (into, source):
            if into.secret != source.secret:
                raise ValueError("the filters have different keys (key=), so "
                                 "their cells do not mean the same")
            if not call(into, source):
                raise ValueError("the plans of the two filters differ: make "
                                 "both with the same arguments")
        return self

    def __ior__(self: _F, other: "Bloom") -> _F:
        return self._combine(self._lib.merge, other)

    def __iand__(self: _F, other: "Bloom") -> _F:
        """Keep the keys that are in both filters; a few others stay by
        chance. The len() of the result is too large, see `&`."""
        self._not_shared()
        return self._combine(_bloom.intersect, other)

    def __or__(self: _F, other: "Bloom") -> _F:
        return self.copy()._combine(_bloom.merge, other)

    def __and__(self: _F, other: "Bloom") -> _F:
        """The filter of the keys that are in both. Its len() is too large,
        because two filters have some cells in common by chance. Estimate the
        number of common keys by max(0, len(a) + len(b) - len(a | b))."""
        return self.copy()._combine(_bloom.intersect, other)

    def clear(self) -> None:
        """Remove all keys."""
        self._whole(_bloom.clear, True)

    def fold(self, by: int) -> None:
        """Make the filter smaller, to 1 / by of its cells, if n was planned too
        large: b.fold(b.fold_by(p)). All keys stay in; the false-positive rate
        rises. In a mapped file it is a ValueError, because a process that is
        killed meanwhile would lose keys: fold b.copy(), and save that."""
        self._not_shared()
        if self._open().file is not None:
            raise ValueError("the filter is in a file: fold its copy(), and "
                             "save() that")
        by = _whole_number(by)          # _bloom.fold holds the interpreter's
                                        # lock, so lookups wait
        if not self._whole(lambda memory: _bloom.fold(memory, by), True):
            raise ValueError(f"cannot fold {self.plan.cells} cells by {by}: "
                             "the quotient must be a multiple of 64 (blocked: "
                             "256)")

    def fold_by(self, p: float) -> int:
        """The largest number by which fold() can make the filter smaller while
        the false-positive rate, for the keys that are in, stays at most p. It
        is 0 if the rate is already above p."""
        return self._whole(lambda memory: _bloom.fold_by(memory, c_double(p)))

    def _kind(self) -> str:
        return "{1} m={0.cells} k={0.hashes}".format(
            self.plan, LAYOUTS[self.plan.layout])


class _Loaded(_Filter):
    """The common part of Chain and Window: only save() makes their files."""

    @classmethod
    def open(cls: Type[_F], path: Path, *, key: Secret = None) -> _F:
        """The same as load()"""
        return cls._load(path, key)

    def __or__(self, other: Any) -> Any:
        raise TypeError("chains and windows cannot be merged, because the "
                        "union would not keep the rate: keep both, and test "
                        "`key in a or key in b`")

    __ior__ = __or__


class Chain(_Loaded):
    """A scalable Bloom filter: it grows, and keeps the false-positive rate p
    for any number of keys. Use it if n is not known."""
    _lib, _magic = _chain, b"BLC"

    def __init__(self, first_n: float = 1000, p: float = 0.01, *,
                 layout: Layout = "classic", seed: int = 0, key: Secret = None
                 ) -> None:
        made = _chain.create(*_plan(first_n, p, layout, seed, 64))
        if not made:
            raise ValueError(
                "a chain must be classic or blocked" if layout == "counting"
                else f"first_n = {first_n} is too large for a chain"
                if _bloom.plan_size(_bloom.plan_layout(1, p / 2, 0))
                else f"p = {p} is too small for a chain")
        self._memory = _Memory(made, _chain.free).keyed(key)

    @staticmethod
    def _in(image: memoryview, name: object) -> _Memory:    # type: ignore
        return _Memory(_opened(_chain.load, image, name, b"BLC"), _chain.free)

    @staticmethod
    def _parts(chain: _Memory) -> Any:
        head = ctypes.create_string_buffer(32)
        _chain.head(chain, head)
        return [head.raw, *(_Memory(_chain.link(chain, i), owner=chain).image()
                            for i in range(_chain.links(chain)))]

    @property
    def rate(self) -> float:
        """The false-positive rate p that was asked for. The chain keeps it for
        any number of keys. The rate now is `fpr`."""
        return _chain.rate(self._open())

    @property
    def links(self) -> int:
        """How many filters the chain has."""
        return _chain.links(self._open())

    def _kind(self) -> str:
        memory = self._open()
        layout = _bloom.plan_of(_chain.link(memory, 0)).layout
        return "{} links={} rate={:.3g}".format(
            LAYOUTS[layout], _chain.links(memory), _chain.rate(memory))


class Window(_Loaded):
    """A sliding window: it contains at least the last n keys, and forgets older
    ones, in constant memory. It has 2 to 16 generations. When the newest one is
    full, the oldest one is forgotten. To forget by time, call advance()."""
    _lib, _magic = _window, b"BLW"

    def __init__(self, n: float, p: float = 0.01, *, generations: int = 8,
                 layout: Layout = "classic", seed: int = 0, key: Secret = None
                 ) -> None:
        n, p, like = _plan(n, p, layout, seed, 64)
        if index(generations) not in range(2, 17):
            raise ValueError("a window has 2 to 16 generations, not "
                             f"{generations!r}")
        plan = _window.plan_for(n, p, generations, like.layout)
        plan.filter.seed = like.seed
        if _bloom.plan_size(plan.filter) == 0:
            few = _window.plan_for(1, p, generations, like.layout)
            raise ValueError(
                f"n = {n} is too large for a window" if _bloom.plan_size(
                    few.filter) else f"p = {p} is too small for a window of "
                f"{generations} generations")
        self._memory = _Memory(_window.create(plan), _window.free).keyed(key)

    @staticmethod
    def _parts(window: _Memory) -> Any:
        """The header of 64 bytes, and the generations as they lie in memory"""
        at = window._as_parameter_
        size = _bloom.size(at + 64)
        return [ctypes.string_at(at, 64), *(
            _Memory(at + 64 + i * size, owner=window).image()
            for i in range(_window.plan_of(window).generations))]

    @property
    def plan(self) -> Plan:
        """The plan of each generation"""
        return _plan_tuple(_window.plan_of(self._open()).filter)

    @property
    def generations(self) -> int:
        """How many generations the window has."""
        return _window.plan_of(self._open()).generations

    @property
    def room(self) -> int:
        """How many new keys a generation takes."""
        return _window.plan_of(self._open()).room

    @property
    def time(self) -> int:
        """A number for your own use, saved with the window, and 0 at first.
        But if you call advance(), it keeps here when the newest generation
        began, and in `span` how long a generation lasts, or 0 after the clock
        was set back."""
        return _window.time(self._open())

    @property
    def span(self) -> int:
        """Another one. `bloom uniq --for` stores in `time` when the newest
        generation began, and in `span` how long it lasts, in milliseconds."""
        return _window.span(self._open())

    def set_time(self, time: int, span: int) -> None:
        """Set `time` and `span`."""
        time, span = _whole_number(time), _whole_number(span)
        self._whole(lambda memory: _window.set_time(memory, time, span), True)

    def advance(self, now: int, span: int) -> bool:
        """Forget keys that are older than `span`, in any unit of time. A key
        counts as added at the time `now` of the last call. So call it before
        each add(), before an update() of at most `room_left` keys, and before a
        lookup that must not find older keys. The result is True if there was no
        room: keys were forgotten that may be younger than `span`. That is rare
        if at most n keys come in any 2 * span. Do not call it before the clock
        is set: a time that is far ahead empties the window. If the clock was
        set back by more than about `span`, keys are not forgotten by time until
        it is right again; set_time(0, 0) begins anew at the next call."""
        now, span = _whole_number(now), _whole_number(span)
        return self._whole(lambda memory: _window.advance(memory, now, span),
                           True)

    @property
    def room_left(self) -> int:
        """How many new keys the newest generation still takes, at least 1."""
        memory = self._open()
        return max(1, _window.plan_of(memory).room - _window.keys(memory))

    def step(self) -> None:
        """Forget the oldest generation, and begin a new one."""
        self._whole(_window.step, True)

    def clear(self) -> None:
        """Remove all keys."""
        self._whole(_window.clear, True)

    def __len__(self) -> int:
        """An estimate of how many keys are in, from the cells. A key that is in
        several generations, because it was added again, counts in each."""
        return super().__len__()

    def _kind(self) -> str:
        plan = _window.plan_of(self._open())
        return (f"{LAYOUTS[plan.filter.layout]} generations={plan.generations} "
                f"room={plan.room}")


class Slices(_Mapped):
    """Many filters that are asked at once, each for n keys with the
    false-positive rate p: a bit-sliced index, or interleaved Bloom filter. They
    have one plan and one key=, and their numbers are 0 to filters - 1."""
    _lib = _part = _slices
    _magic = b"BLS"
    _hashes = (_slices.hash_key, _slices.hash_u64, lambda _, hash: hash)

    def __init__(self, n: float, p: float, filters: int, *, seed: int = 0,
                 hash_bits: int = 64, key: Secret = None) -> None:
        plan = _plan(n, p, "classic", seed, hash_bits)[-1]
        self._memory = _Memory(_slices.create(plan, _how_many(filters)),
                               _slices.free).keyed(key)

    @staticmethod
    def _copied(image: Any) -> _Memory:
        return _Memory(_slices.copy(image, _slices.filters(image)),
                       _slices.free)

    @property
    def plan(self) -> Plan:
        """The plan of each filter"""
        return _plan_tuple(_slices.plan_of(self._open()))

    @property
    def filters(self) -> int:
        """How many filters there are."""
        return _slices.filters(self._open())

    def _number(self, i: int) -> int:
        if index(i) not in range(self.filters):
            raise IndexError(f"there is no filter {i}: the numbers are 0 to "
                             f"{self.filters - 1}")
        return index(i)

    def _hash(self, key: Any) -> Any:
        return _one(self._hashes, self._open(), key)

    def add(self, i: int, key: Key) -> bool:
        """Add a key to filter i. Return True if it was certainly new there."""
        i, hash = self._number(i), self._hash(key)
        memory = self._open(True)
        with memory.lock:
            return _slices.add_hash(memory, i, hash)

    def update(self, i: int, *keys: Iterable[Key]) -> int:
        """Add many keys to filter i. Return how many were certainly new."""
        self._number(i), self._open(True)
        return sum(self.add(i, key) for each in keys
                   for _, batch, _ in _batches(each, True) for key in batch)

    def find(self, key: Key) -> List[int]:
        """The numbers of the filters that may contain a key. All others
        certainly do not."""
        hash, who = self._hash(key), self._words()
        _slices.find_hash(self._open(), hash, _address(who))
        return self._numbers(who)

    def find_all(self, keys: Iterable[Key]) -> List[int]:
        """The numbers of the filters that may contain all of these keys."""
        hashes, who = self._many(keys), self._words()
        self._whole(lambda memory: _slices.find_all(
            memory, hashes, len(hashes), _address(who)))
        return self._numbers(who)

    @overload
    def count(self, keys: _Array) -> Any: ...
    @overload
    def count(self, keys: Iterable[Key]) -> "array[int]": ...
    def count(self, keys: Any) -> Any:
        """For each filter, how many of these keys it may contain. For a NumPy
        array of keys, return a NumPy array."""
        hashes, counts = self._many(keys), array("I", bytes(4 * self.filters))
        self._whole(lambda memory: _slices.count(
            memory, hashes, len(hashes), _address(counts)))
        return _as_numpy(keys, counts, "u4")

    def _many(self, keys: Any) -> Any:
        hashes = [self._hash(key) for _, batch, _ in _batches(keys, True)
                  for key in batch]
        return (_Hash * len(hashes))(*hashes)

    def _words(self) -> Any:
        return array("Q", bytes(8 * ((self.filters + 63) // 64)))

    @staticmethod
    def _numbers(who: Any) -> List[int]:
        found = []
        for i, bits in enumerate(who):
            while bits:
                lowest = bits & -bits
                found.append(i * 64 + lowest.bit_length() - 1)
                bits ^= lowest
        return found

    def put(self, i: int, filter: Bloom) -> None:
        """Replace filter i by a copy of a filter with the same plan and
        key=."""
        i = self._number(i)
        if not isinstance(filter, Bloom):
            raise TypeError(f"{type(filter).__name__} is not a Bloom")
        with self._both(filter, True) as (into, source):
            if into.secret != source.secret or not _slices.put(into, i, source):
                raise ValueError("the filter has another plan or key= than the "
                                 "slices: make it with the same arguments")

    def get(self, i: int) -> Bloom:
        """Return a copy of filter i."""
        i, made = self._number(i), object.__new__(Bloom)
        def copied(memory: _Memory) -> _Memory:
            one = _Memory(_bloom.create(_slices.plan_of(memory)), _bloom.free)
            _slices.get(memory, i, one)
            return one.keyed(memory.secret)
        made._memory = self._whole(copied)
        return made

    def copy(self: _F, filters: Optional[int] = None) -> _F:
        """Return a copy. It may have more filters, which are empty and come
        last, or fewer."""
        made = copy.copy(self)
        if filters is not None:
            old = made._memory
            made._memory = _Memory(_slices.copy(old, _how_many(filters)),
                                   _slices.free).keyed(old.secret)
        return made

    def clear(self, i: Optional[int] = None) -> None:
        """Remove all keys, or those of filter i."""
        if i is None:
            self._whole(_slices.clear, True)
        else:
            number = self._number(i)
            self._whole(lambda memory: _slices.clear_filter(memory, number),
                        True)

    def _shape(self) -> str:
        return "filters={0} m={1.cells} k={1.hashes}".format(self.filters,
                                                             self.plan)


def _main() -> None:
    print(f"bloom.h {__version__}, {_path}")

if __name__ == "__main__":
    _main()
