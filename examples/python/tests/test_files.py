"""Tests of examples/python/bloom.py: filters and chains in files, including
files of the command; files that processes share; copies, pickles, closing, and
the end of the process; importing the module without the library, and beside
other libraries."""
import copy
import errno
import fcntl
import gzip
import io
import mmap
import os
import pathlib
import pickle
import stat
import subprocess
import sys
import warnings
from array import array

from bloom_checks import (Named, Plain, Reduced, Slotted, check, child,
                          command, path, python, refuses, run_all, warned,
                          work)
import bloom
from bloom import Bloom, BloomError, BloomWarning, Chain, Slices, Window


def run(*words):
    return subprocess.run([command, *words], capture_output=True, text=True,
                          encoding="latin-1")


def with_the_command():
    if command is None:
        print("skipped: files of the command, as examples/command is absent")
        return
    lines = [f"http://example.org/{i * i}" for i in range(5000)]
    with open(path("lines"), "w") as file:
        file.write("\n".join(lines) + "\n")
    with open(path("asked"), "w") as file:
        file.write("".join(f"http://example.org/{i}\n" for i in range(9000)))
    run("build", "-n", "5000", "-p", "0.01", path("theirs"), path("lines"))
    b = Bloom(5000, 0.01)
    b.update(lines)
    b.save(path("ours"))
    check("the same file", open(path("ours"), "rb").read() ==
          open(path("theirs"), "rb").read())
    maybe = run("check", path("ours"), path("asked")).stdout.split()
    with Bloom.open(path("theirs")) as theirs:
        asked = open(path("asked")).read().split()
        check("the command's answers", maybe == [
            line for line, is_in in zip(asked, theirs.check(asked)) if is_in])
        check("some false positives", len(maybe) > 100
              and theirs.verify() is True)
    for kind, options in (Chain, []), (Window, ["--last", "1000"]):
        name = path(f"their {kind.__name__}")
        if os.path.exists(name):
            os.remove(name)
        done = run("uniq", *options, "-f", name, path("lines"))
        with kind.open(name) as its:
            check(f"{kind.__name__} of the command: {done.stderr}",
                  all(its.check(lines[-1000:])) and its.verify() is True
                  and bytes(its) == open(name, "rb").read())


def files():
    b = Bloom(5000, 0.01)
    b.update(range(5000))
    check("unsealed", b.verify() is False)
    b.save(path("ours"))
    with Bloom.open(path("ours")) as ours:
        check("the same", ours == b and ours.verify() is True)
        refuses(ValueError, "read only", lambda: ours.add("x"))
        refuses(ValueError, "read only", lambda: ours.update(["x"]))
        ours.save(path("copy"))
    refuses(ValueError, "closed", lambda: "x" in ours)
    ours.close()
    with Bloom.open(path("copy"), writable=True) as copy:
        check("new", copy.add("one more") and copy.verify() is False)
        refuses(ValueError, "fold its copy()", lambda: copy.fold(1))
    check("in the file", "one more" in warned(
        lambda: Bloom.open(path("copy")))[0])
    with open(path("ours"), "r+b") as file:
        file.seek(500)
        file.write(b"\xff")
    refuses(BloomError, "corrupt", Bloom.open(path("ours")).verify)
    for bytes_, words in (b"", "truncated"), (b"BLM", "truncated"), \
            (b"x" * 99, "not a Bloom"):
        with open(path("bad"), "wb") as file:
            file.write(bytes_)
        for kind in Bloom, Chain, Window:
            refuses(BloomError, words, lambda: kind.open(path("bad")))
    refuses(FileNotFoundError, "", lambda: Bloom.open(path("none")))
    refuses(FileNotFoundError, "", lambda: b.save(path("none/f")))
    check("no temporary file is left",
          not [n for n in os.listdir(work) if ".new" in n])


def own_file():
    """What is open with writable=True is not saved to its own file: later keys
    would go into the old file, which has lost its name."""
    name, link = path("own"), path("own link")
    if not os.path.lexists(link):
        os.symlink("own", link)
    for b in Bloom(1000), Slices(1000, 0.01, 3):
        b.save(name)
        image = open(name, "rb").read()
        one = ("x",) if isinstance(b, Bloom) else (1, "x")
        with type(b).open(name, writable=True) as old:
            for to in name, link, name.encode(), pathlib.Path(name):
                refuses(ValueError, "own", lambda: old.save(to))
                refuses(ValueError, "use seal()", lambda: old.save(to))
            check("unchanged", open(name, "rb").read() == image)
            old.add(*one)
            old.seal()
            old.save(path("elsewhere"))
            check("sealed in place", type(b).load(name) == old != b
                  and type(b).load(path("elsewhere")) == old)
            in_use(lambda: b.save(name))
            b.save(path("elsewhere"))
            os.replace(path("elsewhere"), name)
            old.save(name)              # this is another file now
            check("saved", type(b).load(name) == old)
        with type(b).open(name) as old:
            old.save(name)              # read only: no keys to lose
            check("saved again", type(b).load(name) == old)


def in_use(call):
    try:
        call()
    except OSError as error:
        check(f"{error!r}", error.errno == errno.EBUSY
              and "in use, for example by share()" in str(error))
    else:
        check("a file in use was opened or replaced", False)


def one_process():
    """open(writable=True) has the file for itself, also across processes."""
    name = path("alone")
    for b in Bloom(1000), Slices(1000, 0.01, 3):
        b.save(name)
        with type(b).open(name, True):
            in_use(lambda: type(b).open(name, True))
            in_use(lambda: type(b).open(os.fsencode(name), True))
            in_use(lambda: Bloom.share(name))
            with type(b).open(name) as reader:
                check("it may be read", reader == b)
            number = os.fork()
            if number == 0:
                try:
                    type(b).open(name, True)
                except OSError as error:
                    os._exit(error.errno)
                os._exit(0)
            check("the lock holds in another process",
                  os.waitpid(number, 0)[1] >> 8 == errno.EBUSY)
        type(b).open(name, True).close()
    # A save replaces the file between opening and locking it
    new, flock = Bloom(1000), fcntl.flock
    new.add("new")
    saves = [new.save]

    def late(*arguments):
        if saves:
            saves.pop()(name)
        return flock(*arguments)
    fcntl.flock = late
    try:
        with Bloom.open(name, True) as b:
            check("the new file is open", "new" in b and os.path.samestat(
                b._memory.file, os.stat(name)))
    finally:
        fcntl.flock = flock


def shared():
    name = path("shared")
    if os.path.exists(name):
        os.remove(name)
    refuses(FileNotFoundError, name, lambda: Bloom.share(name))
    a = Bloom.share(name, 1000, 0.001, layout="counting", seed=5)
    check("the file of a filter", bytes(a) == open(name, "rb").read()
          == bytes(Bloom(1000, 0.001, layout="counting", seed=5)))
    b = Bloom.share(pathlib.Path(name))
    check("one finds the keys of the other", a.add("x") and "x" in b
          and b.update(range(9), [b"y", 7]) == 10 and "y" in a
          and all(a.check(range(9))) and b.count("y") == 1 and b.remove("y")
          and "y" not in a and a.count("y") == 0)
    check("the same", a == b and len(a) == len(b) == 10 and a.fpr == b.fpr
          and a.plan == b.plan)
    c = Bloom(1000, 0.001, layout="counting", seed=5)
    c.add("z")
    b |= c
    check("union", "z" in a and "z" in a | c and a & c == c)
    for call in a.seal, a.clear, lambda: a.fold(1), lambda: a.__iand__(c):
        refuses(ValueError, "other processes", call)
    refuses(ValueError, "shared: the filter in this file was made with other",
            lambda: Bloom.share(name, 1100, 0.001, layout="counting", seed=5))
    for to in name, pathlib.Path(name):
        refuses(ValueError, "in it already", lambda: a.save(to))
        in_use(lambda: c.save(to))
    in_use(lambda: Bloom.open(name, True))
    for x in copy.copy(a), pickle.loads(pickle.dumps(a)), a.copy():
        check("a copy", x == a and x.add("own") and "own" not in a
              and x.seal() is None and "own" not in b)
    a.save(path("elsewhere"))
    check("saved elsewhere", Bloom.load(path("elsewhere")) == a)
    number = os.fork()                  # the child uses the same filter
    if number == 0:
        a.add("child")
        a.close()
        os._exit("x" not in b)
    check("the child's keys", os.waitpid(number, 0)[1] == 0 and "child" in a
          and "child" in b)
    a.close()
    refuses(ValueError, "closed", lambda: "x" in a)
    in_use(lambda: c.save(name))
    free = b._memory.free
    b._memory.free = lambda memory: free(memory) or errno.EIO
    try:
        b.close()
    except OSError as error:
        check(f"an error of writing: {error!r}", error.errno == errno.EIO)
    else:
        check("an error of writing is lost", False)
    with warned(lambda: Bloom.open(name, True))[0] as alone:
        check("then for one process", "child" in alone and not alone.seal())
    with Bloom.share(name, key=bytes(16)) as keyed:
        check("sealed, and a secret", keyed.verify() and keyed.add("x")
              and "x" in keyed and not keyed.verify())
    # A key comes while the cells are copied: the old seal is not copied
    c.save(name)
    seal = open(name, "rb").read()[24:32]
    with Bloom.share(name) as a, Bloom.share(name) as b:
        copied = Bloom._copied

        def late(image):
            b.add("late")
            made = copied(image)
            made.image()[24:32] = seal
            return made
        Bloom._copied = staticmethod(late)
        try:
            check("no wrong seal", a.verify() is False)
        finally:
            del Bloom._copied
    with open(name, "r+b") as file:     # but damage is seen
        file.write(open(path("elsewhere"), "rb").read())
        file.seek(500)
        file.write(b"\xff")
    with Bloom.share(name) as a:
        refuses(BloomError, "corrupt", a.verify)
    with Chain(10) as chain:
        chain.save(path("chain"))
        refuses(BloomError, "chain: not a Bloom", lambda: Bloom.share(
            path("chain")))
    refuses(ValueError, "null byte", lambda: Bloom.share(path("a\0b"), 10))
    refuses(ValueError, "p must be", lambda: Bloom.share(path("none"), 10, 2))


def four_processes():
    """Four processes add keys to a file at once, and look up one another's."""
    name, count, keys, each = path("four"), 4, 10**5, 2000
    if os.path.exists(name):
        os.remove(name)
    added = memoryview(mmap.mmap(-1, 4096)).cast("Q")   # of each process
    all_ = array("Q", range(count * keys))

    def adding(i):
        with Bloom.share(name, count * keys, 1e-12) as b:
            lost = 0
            for at in range(0, keys, each):
                b.update(all_[i * keys + at:i * keys + at + each])
                added[i] = at + each
                other = (i + 1 + at // each % 3) % count
                lost += b.check(all_[other * keys:
                                     other * keys + added[other]]).count(0)
        return lost > 0
    children = []
    for i in range(count):
        children.append(os.fork())
        if children[-1] == 0:
            end = 2
            try:
                end = adding(i)
            finally:
                os._exit(end)
    ends = [os.waitpid(child, 0)[1] >> 8 for child in children]
    with Bloom.share(name) as b:
        found = sum(b.check(all_))
        check(f"{found} of {count * keys} keys, {ends}",
              found == count * keys and ends == [0] * 4)
        check("as of one process", b.fpr < 1e-11 and "absent" not in b)


def loads():
    """load() has the file in memory, and checks it."""
    made = [kind(1000) for kind in (Bloom, Chain, Window)]
    for b in made + [Slices(1000, 0.01, 3)]:
        b.update(*([] if b in made else [1]), range(100))
        b.save(path("load"))
        image = open(path("load"), "rb").read()
        again = type(b).load(pathlib.Path(path("load")))
        with open(path("load"), "wb"):
            pass                        # overwritten in place: a map would end
        check("load", again == b and again.verify() is True
              and bytes(again) == image)
        again.add(*([] if b in made else [2]), "another")
        check("it can be changed", again != b and again.verify() is False)
        refuses(BloomError, "truncated", lambda: type(b).load(path("load")))
        with open(path("load"), "wb") as file:
            file.write(image[:-1] + bytes([image[-1] ^ 1]))
        refuses(BloomError, path("load") + ": corrupt",
                lambda: type(b).load(path("load")))
    b = Bloom(100, key=bytes(16))
    b.add("x")
    b.save(path("load"))
    check("with a secret", "x" in Bloom.load(path("load"), key=bytes(16))
          and "x" not in Bloom.load(path("load")))
    with open(path("load"), "wb") as file:
        file.write(bytes(Bloom(100)))
    check("not sealed", "not sealed" in warned(
        lambda: Bloom.load(path("load")))[1][0])


def chains():
    c = Chain(1000, 0.01, layout="blocked", seed=3)
    new = c.update(range(5000)) + c.add("text")
    check("grown", all(i in c for i in range(5000)) and new > 4900)
    check("estimate", 4800 < len(c) < 5200 and 0 < c.fpr <= 0.011)
    c.save(path("chain"))
    size = os.path.getsize(path("chain"))
    with Chain.open(path("chain")) as d:
        check("all there", all(i in d for i in range(5000)) and "text" in d)
        check("the same", len(d) == len(c) and d.fpr == c.fpr and c)
        d.update(range(5000, 20000))
        d.save(path("chain"))
        check("grows further", os.path.getsize(path("chain")) > 2 * size
              and 19000 in d and 1 in d)
    with open(path("chain"), "r+b") as file:
        file.seek(100)
        file.write(bytes(9))
    refuses(BloomError, "corrupt", lambda: Chain.open(path("chain")))
    refuses(ValueError, "", lambda: Chain(layout="counting"))
    refuses(ValueError, "", lambda: Chain(p=2))


def windows():
    w = Window(1000, 0.001, layout="blocked", seed=3)
    w.update(range(5000))
    w.set_time(7, 8)
    w.save(path("window"))
    with Window.open(path("window")) as v:
        check("the same", v == w and (v.time, v.span) == (7, 8)
              and v.verify() is True and w.verify() is False)
        v.update(range(5000, 5100)), w.update(range(5000, 5100))
        check("goes on", v == w and v.verify() is False and 5099 in v)
        v.save(path("window"))
    image = open(path("window"), "rb").read()
    check("from_bytes", bytes(Window.from_bytes(image)) == image)
    for at, words in (64 + 100, "corrupt"), (8, "corrupt"), (4, "impossible"):
        bad = bytearray(image)
        bad[at] ^= 64
        with open(path("bad"), "wb") as file:
            file.write(bad)
        refuses(BloomError, "", lambda: Window.open(path("bad")))
    refuses(BloomError, "truncated", lambda: Window.from_bytes(image[:-1]))


def slices():
    s = Slices(100, 0.001, 70, seed=3)
    for i in range(70):
        s.update(i, range(i, 100))
    s.save(path("slices"))
    check("unsealed", s.verify() is False)
    with Slices.open(path("slices")) as t:
        check("the same", t == s and t.verify() is True and t.find(50) == [
            *range(51)] and t.get(60) == s.get(60))
        for call in (lambda: t.add(0, "x"), lambda: t.update(0, ["x"]),
                     lambda: t.put(0, s.get(0)), t.clear, lambda: t.clear(1)):
            refuses(ValueError, "read only", call)
    with Slices.open(path("slices"), writable=True) as t:
        check("new", t.add(69, "one more") and t.verify() is False)
    check("in the file", warned(lambda: Slices.open(
        path("slices")))[0].find("one more") == [69])
    s.save(path("slices"))
    with open(path("slices"), "r+b") as file:
        file.seek(500)
        file.write(b"\xff")
    refuses(BloomError, "corrupt", Slices.open(path("slices")).verify)
    for image in bytes(s)[:-1], b"BLS":
        refuses(BloomError, "truncated", lambda: Slices.from_bytes(image))


def seals():
    """A file without a seal: a warning for a filter, which a program in C may
    have written, an error for the others, which save() always seals."""
    for make in lambda: Bloom(1000), lambda: Chain(1000), lambda: Window(1000):
        b = make()
        b.update(range(100))
        b.save(path("sealed"))
        image = bytearray(open(path("sealed"), "rb").read())
        at = {"BLM": 24, "BLC": 32 + 24, "BLW": 64 + 24}[image[:3].decode()]
        check("sealed", any(image[at:at + 8]))
        image[at:at + 8] = bytes(8)
        image[at + 8:at + 72] = bytes(64)       # lost keys
        with open(path("unsealed"), "wb") as file:
            file.write(image)
        if isinstance(b, Bloom):
            for writable in False, True:
                old, texts = warned(lambda: Bloom.open(path("unsealed"),
                                                       writable))
                check(f"a warning: {texts}", len(texts) == 1
                      and texts[0].startswith(path("unsealed"))
                      and "not sealed" in texts[0])
            check("keys are lost", not all(old.check(range(100))))
            check("none", warned(lambda: Bloom.open(path("sealed")))[1] == [])
        else:
            refuses(BloomError, f"{path('unsealed')}: not sealed",
                    lambda: type(b).open(path("unsealed")))
            copy, texts = warned(lambda: type(b).from_bytes(image))
            check("from_bytes takes it", copy.verify() is False and not texts)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            Bloom.open(path("copy"))
    check("one warning, at the caller", len(seen) == 1 and seen[0].category
          is BloomWarning and seen[0].filename == __file__)


def other_kinds():
    """What is opened as another kind is named."""
    made = {kind: kind(100) for kind in (Bloom, Chain, Window)}
    made[Slices] = Slices(100, 0.1, 5)
    for kind, b in made.items():
        b.save(path("kind"))
        for other in {*made} - {kind}:
            what = {Bloom: "a filter", Slices: "an image of slices"}.get(
                kind, "a " + kind.__name__.lower())
            words = f"{path('kind')}: this is {what}: use {kind.__name__}"
            refuses(BloomError, words, lambda: other.open(path("kind")))
            refuses(BloomError, f"the image: this is {what}",
                    lambda: other.from_bytes(bytes(b)))
        bad = bytearray(bytes(b))
        at = {Bloom: 0, Chain: 32, Window: 64, Slices: 0}[kind]
        bad[at:at + 3] = b"ABC"
        refuses(BloomError, "the image: not a Bloom", lambda:
                kind.from_bytes(bad))


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
        for a in (b, n, c, s, Bloom(7, 0.2, hash_bits=32), Chain(), Window(9),
                  *opened):
            image = bytes(a)
            x = copied(a)
            what = f"{way} of {a!r}"
            check(f"{what}: the same", type(x) is type(a) and bytes(x) == image)
            x.add("another")
            check(f"{what}: independent", "another" in x and bytes(a) == image)
            y = copied(x)
            x.close()
            check(f"{what}: usable after the original is closed",
                  "another" in y)
        x = copied(n)
        check(f"{way}: attributes of a subclass", x.name == "n"
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
    refuses(BloomError, "truncated", lambda: Chain.from_bytes(bytes(c)[:-1]))
    refuses(BloomError, "truncated", lambda: Bloom.from_bytes(b""))
    refuses(TypeError, "", lambda: Bloom.from_bytes("text"))
    s = Slices(100, 0.01, 3)
    s.add(2, "x")
    for way, copied in ways:
        x = copied(s)
        x.add(1, "x")
        check(f"{way} of slices", type(x) is Slices and s.find("x") == [2]
              and x.find("x") == [1, 2])
    for kind in "Bloom(9)", "Chain(9)", "Window(9)":
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
    w, s = Window(5), Slices(5, 0.1, 2)
    w.close(), s.close()
    refuses(ValueError, "", lambda: chain.__init__(layout="counting"))
    b, c = Bloom(5), Chain(5)
    b.close()
    with c:
        c.close()
    calls = {"add": "x", "count": "x", "update": [], "check": [], "__contains__": "x",
             "save": path("closed"), "remove": "x", "__ior__": Bloom(5),
             "fold": 1, "__reduce__": None, "__len__": None, "seal": None,
             "__bytes__": None, "__enter__": None, "verify": None,
             "__or__": Bloom(5), "__and__": Bloom(5), "__iand__": Bloom(5),
             "__eq__": None, "capacity": 0.01, "fold_by": 0.01, "plan_fpr": 5,
             "set_time": (1, 2), "advance": (1, 2)}
    of_slices = {"add": (0, "x"), "update": (0, []), "find": ("x",),
                 "find_all": ([],), "count": ([],), "put": (0, Bloom(5)),
                 "get": (0,)}
    b.close()
    for a in b, c, w, s, half, chain:
        public = {name for kind in type(a).__mro__[:-1] for name in vars(kind)
                  if name[0] != "_"} - {"close", "open", "load", "share", "fit",
                                         "from_bytes"}
        for name in public | {n for n in calls if hasattr(a, n)}:
            if not isinstance(a, Bloom) and name in ("__or__", "__ior__"):
                continue                # only filters have these
            one = [] if calls.get(name) is None else [calls[name]]
            if name == "__eq__":
                one = [a]
            elif name in ("set_time", "advance"):
                one = calls[name]
            elif a is s and name in of_slices:
                one = of_slices[name]
            refuses(ValueError, "closed", lambda: getattr(a, name)(*one))
        check("bool and repr", a and "closed>" in repr(a))
        refuses(ValueError, "closed", lambda: Bloom(5).__ior__(half))
    check("no closed filter is saved", not os.path.exists(path("closed")))


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
    child("memory is freed with the last reference", f"""
import resource
links = Chain(10**8)
links, _ = links._parts(links._memory)[1:], links.close()
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


def saves():
    b, w = Bloom(1000), Window(10)
    w.add("x")
    b.save(path("real"))
    os.chmod(path("real"), 0o640)
    if os.path.lexists(path("link")):
        os.remove(path("link"))
    os.symlink("real", path("link"))
    b.add("x")
    b.save(path("link"))
    check("saving keeps a link and the mode", os.path.islink(path("link")) and
          stat.S_IMODE(os.stat(path("real")).st_mode) == 0o640
          and "x" in Bloom.open(path("real")))

    # What is not a regular file stays, and errors name the caller's path
    os.makedirs(path("folder"), exist_ok=True)
    if os.path.exists(path("fifo")):
        os.remove(path("fifo"))
    os.mkfifo(path("fifo"))
    # A device of its own: if save() is broken, root would lose /dev/full
    device = path("device")
    if os.path.exists(device):
        os.remove(device)
    if os.geteuid() == 0:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 7))
    else:
        print("skipped: a device file (needs root)")
        device = "/dev/full"
    pipe, sealed = os.pipe(), Bloom.from_bytes(bytes(b))
    sealed.seal()
    for a, image in (b, bytes(sealed)), (w, None):
        with open(pipe[1], "wb", closefd=False) as end:
            a.save(end)
        got = os.read(pipe[0], 10**6)
        check("written to a pipe", got == image or a is w and Window.from_bytes(
            got) == w and Window.from_bytes(got).verify())
    for name, number in ((path("folder"), errno.EISDIR),
                         (device, errno.EINVAL),
                         (path("fifo"), errno.EINVAL),
                         (f"/dev/fd/{pipe[1]}", errno.EINVAL),
                         (path("none/f"), errno.ENOENT),
                         (path("real/f"), errno.ENOTDIR),
                         (path("n" * 256), errno.ENAMETOOLONG)):
        for given in name, name.encode(), pathlib.Path(name):
            before = os.path.exists(name) and os.lstat(name)
            try:
                b.save(given)
            except OSError as error:
                check(f"{error!r}", error.errno == number
                      and error.filename == os.fspath(given)
                      and ".new" not in str(error))
            else:
                check(f"{name} was replaced", False)
            check(f"{name} is as it was", not before or
                  os.path.samestat(before, os.lstat(name)))
    refuses(ValueError, "null byte", lambda: b.save(path("a\0b")))
    if os.geteuid() == 0:
        os.chown(path("real"), 1234, 1235)
        b.save(path("real"))
        now = os.stat(path("real"))
        check("owner and group stay", (now.st_uid, now.st_gid, now.st_mode
              & 0o777) == (1234, 1235, 0o640))
        os.chown(path("real"), 0, 0)
    # A full disk: the file may not grow above 4 KB. As another user: a file
    # that cannot be written
    os.makedirs(path("full"), exist_ok=True)
    child("a full disk, and a file that cannot be written", f"""
import os, resource, signal, stat
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.chdir({path("full")!r})
os.chmod(".", 0o777)
Bloom(10).save("old")
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    Bloom(10**5).save("old")
except OSError as error:
    print(error.filename, error.errno == 27, os.listdir())
os.chmod("old", 0o400)
if os.getuid() == 0:
    os.setuid(65534)
old = os.stat("old")
try:
    Bloom(10).save("old")
except PermissionError as error:
    print(error.filename, os.path.samestat(old, os.stat("old")))
""", "old", "True", "['old']", "old", "True")
    os.chmod(path("full/old"), 0o600)
    for end in pipe:
        os.close(end)

    long = os.path.join(work, "n" * 220)
    for name in path("real").encode(), pathlib.Path(path("real")), long:
        b.save(name)
        check(f"{name!r}", bytes(Bloom.open(name)) == open(name, "rb").read()
              and Bloom.open(name).verify())
    os.remove(long)
    # File objects, including one that writes little at a time
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
        check("written to memory", memory.getvalue() == b"before" + image)
        check("written in small parts", b"".join(little.taken) == image)
        check("write() that returns None", b"".join(silent.taken) == image)
        with gzip.open(path("real.gz"), "wb") as file:
            a.save(file)
        check("compressed", gzip.open(path("real.gz")).read() == image
              and type(a).from_bytes(image).verify())
        refuses(TypeError, "", lambda: a.save(io.StringIO()))
    b.save(path("real"))
    # Saving does not seal corrupted cells again
    image = bytearray(open(path("real"), "rb").read())
    image[500] ^= 255
    open(path("bad"), "wb").write(image)
    Bloom.open(path("bad")).save(path("worse"))
    refuses(BloomError, "corrupt", Bloom.open(path("worse")).verify)


def without():
    """Without the library, the last line of the error says what to do."""
    for library, words in ("/none/libbloom.so", "/none/libbloom.so"), \
            ("libc.so.6", "bloom_free"):
        done = subprocess.run(
            [sys.executable, "-c", "import bloom"], text=True, cwd=python,
            capture_output=True, env={**os.environ, "LIBBLOOM": library})
        last = done.stderr.splitlines()[-1]
        check(f"without {library}: {done.stderr}", done.returncode == 1
              and last.startswith("ImportError: bloom.py needs libbloom: run "
                                  "`make libbloom`") and words in last
              and "During handling" not in done.stderr)


run_all(with_the_command, files, own_file, one_process, shared,
        four_processes, loads, chains, windows, slices,
        seals, other_kinds, copies, closed, endings, saves, without)
