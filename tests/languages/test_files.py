"""Tests of examples/python/bloom.py: filters and chains in files, including
files of the command; copies, pickles, closing, and the end of the process;
importing the module without the library, and beside other libraries."""
import copy
import gzip
import io
import os
import pathlib
import pickle
import re
import shutil
import stat
import subprocess
import sys

from bloom_checks import (Named, Plain, Reduced, Slotted, check, child,
                          command, examples, path, python, refuses, run_all,
                          work)
from bloom import Bloom, BloomError, Chain


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
        check("some false positives", len(maybe) > 100
              and theirs.verify() is True)
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
    check("no temporary file is left",
          not [n for n in os.listdir(work) if "tmp" in n])


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
        check("grows further", os.path.getsize(path("chain")) > 2 * size
              and 19000 in d and 1 in d)
    refuses(BloomError, "not a Bloom", lambda: Bloom.open(path("chain")))
    with open(path("chain"), "r+b") as file:
        file.seek(100)
        file.write(bytes(9))
    refuses(BloomError, "corrupt", lambda: Chain.open(path("chain")))
    refuses(ValueError, "", lambda: Chain(layout="counting"))
    refuses(ValueError, "", lambda: Chain(p=2))


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
                continue                # no chain has these
            one = [] if calls.get(name) is None else [calls[name]]
            if name == "__eq__":
                one = [a]
            elif isinstance(a, Chain) and name == "error_rate":
                one = []
            refuses(ValueError, "closed", lambda: getattr(a, name)(*one))
        check("bool and repr", a and repr(a))
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
    b = Bloom(1000)
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
    long = os.path.join(work, "n" * 255)
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


def beside():
    """The libraries of other examples, in one folder, do not hide bloom.py."""
    folder = path("beside")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    shutil.copy(os.path.join(python, "bloom.py"), folder)
    names = set()
    for name in "sqlite/sqlite.c", "sqlite/sqlite.sql", "redis/module.c":
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


run_all(files, chains, copies, closed, endings, saves, without, beside)
