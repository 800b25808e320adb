"""Tests of examples/python/bloom.py: filters in files, including files of the
command; files that processes share; copies, pickles, closing, and the end of the
process; importing the module without the library."""
import copy
import errno
import fcntl
import gzip
import io
import os
import pathlib
import pickle
import stat
import subprocess
import sys
import warnings

from bloom_checks import (Named, Plain, Reduced, Slotted, check, child, command,
                          content, in_child, path, python, refuses, run_all,
                          table, warned, work, write)
from bloom import Bloom, BloomError, BloomWarning, Chain, Slices, Window

KINDS = Bloom, Chain, Window, Slices


def made(kind, **how):
    """A filter of this kind with a few keys"""
    if kind is Slices:
        b = Slices(1000, 0.01, 3, **how)
        b.update(1, range(100))
    else:
        b = kind(1000, 0.01, **how)
        b.update(range(100))
    return b


def add(b, key):
    return b.add(*[1] * isinstance(b, Slices), key)


def has(b, key):
    return b.find(key) == [1] if isinstance(b, Slices) else key in b


def fails(number, words, call):
    try:
        call()
    except OSError as error:
        check(f"{error!r}", error.errno == number and words in str(error))
    else:
        check(f"no error {number}", False)


def in_use(call):
    fails(errno.EBUSY, "in use, for example by share()", call)


def with_the_command():
    """One exchange of files with C, in each direction"""
    if command is None:
        print("skipped: files of the command, as examples/command is absent")
        return

    def run(*words):
        return subprocess.run([command, *words], capture_output=True, text=True,
                              encoding="latin-1")
    lines = [f"http://example.org/{i * i}" for i in range(5000)]
    write("lines", "\n".join(lines + [""]).encode())
    run("build", "-n", "5000", "-p", "0.01", path("theirs"), path("lines"))
    b = Bloom(5000, 0.01)
    b.update(lines)
    b.save(path("ours"))
    check("the same file", content("ours") == content("theirs"))
    check("the command's answers", run("check", path("ours"), path(
        "lines")).stdout.split() == lines)
    for kind, options in (Chain, []), (Window, ["--last", "1000"]):
        name = f"their {kind.__name__}"
        if os.path.exists(path(name)):
            os.remove(path(name))
        done = run("uniq", *options, "-f", path(name), path("lines"))
        its = kind.open(path(name))
        check(f"{kind.__name__} of the command: {done.stderr}", its.verify()
              and all(its.check(lines[-1000:])) and bytes(its) == content(name))


def files():
    """Each kind is saved, loaded and opened; damage is noticed."""
    name = path("file")
    for kind in KINDS:
        b = made(kind)
        if kind is Window:
            b.set_time(7, 8)
        check("unsealed", b.verify() is False)
        b.save(name)
        image = content("file")
        for get in kind.load, kind.open, lambda at: kind.from_bytes(
                content("file")):
            with get(pathlib.Path(name)) as again:
                check("the same", again == b and again.verify() is True
                      and bytes(again) == image and has(again, 50))
                again.save(path("copy"))
                check("saved again", content("copy") == image)
            refuses(ValueError, "closed", lambda: has(again, 50))
        loaded = kind.load(name)
        write("file", b"")              # overwritten in place: a map would end
        check("loaded", loaded == b and add(loaded, "another")
              and loaded != b and loaded.verify() is False)
        for get in kind.load, kind.open:
            for bad, words in (b"", "truncated"), (b"BL", "truncated"), \
                    (b"x" * 99, "not a Bloom"), (image[:-1], "truncated"):
                write("file", bad)
                refuses(BloomError, name + ": " + words, lambda: get(name))
            refuses(FileNotFoundError, "", lambda: get(path("none")))
        write("file", image[:-1] + bytes([image[-1] ^ 1]))
        refuses(BloomError, name + ": corrupt", lambda: kind.load(name))
        refuses(BloomError, "corrupt", lambda: kind.open(name).verify())
        if kind in (Bloom, Slices):     # saving does not seal what is damaged
            kind.open(name).save(path("worse"))
            refuses(BloomError, "corrupt", kind.open(path("worse")).verify)
        at = {Bloom: 24, Slices: 24, Chain: 56, Window: 88}[kind]
        check("sealed", any(image[at:at + 8]))
        write("file", image[:at] + bytes(8) + image[at + 8:])
        for get in kind.load, kind.open:
            its, texts = warned(lambda: get(name))
            check(f"a warning: {texts}", its == b and len(texts) == 1 and
                  texts[0].startswith(name + ": not sealed"))
        its, texts = warned(lambda: kind.from_bytes(content("file")))
        check("from_bytes takes it", its.verify() is False and not texts)
        # What is opened as another kind is named
        b.save(name)
        for other in {*KINDS} - {kind}:
            what = {Bloom: "a filter", Slices: "an image of slices"}.get(
                kind, "a " + kind.__name__.lower())
            words = f": this is {what}: use {kind.__name__}"
            refuses(BloomError, name + words, lambda: other.open(name))
            refuses(BloomError, "the image" + words,
                    lambda: other.from_bytes(image))
        keyed = made(kind, key=bytes(16))
        keyed.save(name)
        check("with a secret", has(kind.load(name, key=bytes(16)), 50)
              and not has(kind.open(name), 50))
    grown = Chain(10)
    grown.update(range(100))
    grown.save(name)
    with Chain.open(name) as c:
        c.update(range(100, 1000))
        check("grows further", c.links > grown.links and all(
            c.check(range(1000))))
    read, end = os.pipe()
    write("file", bytes(grown))
    os.write(end, content("file"))
    os.close(end)
    check("from a pipe", warned(lambda: Chain.load(f"/dev/fd/{read}"))[0]
          == grown)
    os.close(read)
    for kind in KINDS:
        write("file", bytes(made(kind)))
        for get in kind.open, kind.load:
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("default")
                for _ in range(3):
                    get(name)
            check("one warning, at the caller", len(seen) == 1 and seen[0]
                  .category is BloomWarning and seen[0].filename == __file__)


def writable():
    """What is open with writable=True is the only one that may be changed, also
    across processes, and is not saved to its own file."""
    name, link = path("own"), path("own link")
    if not os.path.lexists(link):
        os.symlink("own", link)
    for kind in Bloom, Slices:
        b = made(kind)
        b.save(name)
        with kind.open(name) as reader:
            changes = [lambda: add(reader, "x"), reader.clear, lambda:
                       reader.update(*[1] * (kind is Slices), ["x"])]
            if kind is Slices:
                changes += [lambda: reader.put(0, b.get(0)),
                            lambda: reader.clear(1)]
            for call in changes:
                refuses(ValueError, "read only", call)
            reader.save(name)           # read only: no keys to lose
        image = content("own")
        with kind.open(name, True) as old:
            for to in name, link, name.encode(), pathlib.Path(name):
                refuses(ValueError, f"{os.fsdecode(to)}: the filter was opened",
                        lambda: old.save(to))
                in_use(lambda: kind.open(to, True))
                in_use(lambda: Bloom.share(to))
                in_use(lambda: b.save(to))
            check("unchanged", content("own") == image == bytes(
                kind.open(name)))

            def other():
                try:
                    kind.open(name, True)
                except OSError as error:
                    return error.errno
            check("another process", in_child(other) == errno.EBUSY)
            check("added", add(old, "x") and old.verify() is False)
            its, texts = warned(lambda: kind.open(name))
            check("in the file", has(its, "x") and len(texts) == 1)
            old.seal()
            check("sealed in place", kind.load(name) == old != b)
            b.save(path("elsewhere"))
            os.replace(path("elsewhere"), name)
            old.save(name)              # this is another file now
            check("saved", kind.load(name) == old)
        kind.open(name, True).close()
    made(Bloom).save(name)
    with Bloom.open(name, True) as b:
        refuses(ValueError, "fold its copy()", lambda: b.fold(1))
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
    like = dict(n=1000, p=0.001, layout="counting", seed=5)
    a, c = Bloom.share(name, **like), Bloom(**like)
    check("the file of a filter", bytes(a) == content("shared") == bytes(c))
    b = Bloom.share(pathlib.Path(name))
    c.add("z")
    table("""
    a.add("x") and "x" in b -> True
    b.update(range(9), [b"y", 7]) -> 10
    ("y" in a, all(a.check(range(9))), b.count("y"), b.remove("y"), "y" in a) -> (True, True, 1, True, False)
    (a == b, len(a), len(b), a.plan) -> (True, 10, 10, b.plan)
    b |= c
    ("z" in a, "z" in a | c, a & c == c) -> (True, True, True)
    a.seal() -> ValueError: other processes
    a.clear() -> ValueError: other processes
    a.fold(1) -> ValueError: other processes
    a.__iand__(c) -> ValueError: other processes
    a.save(name) -> ValueError: in it already
    a.save(pathlib.Path(name)) -> ValueError: in it already
    Bloom.share(name, 1100, 0.001, layout="counting", seed=5) -> ValueError: shared: the filter in this file was made with other
    Bloom.share(name, 10, 2) -> ValueError: p must be
    Bloom.share(name + chr(0), 10) -> ValueError: null byte
    [x == a and x.add("own") and "own" not in a and x.seal() for x in (copy.copy(a), pickle.loads(pickle.dumps(a)), a.copy())] -> [None] * 3
    a.save(name + "2") or Bloom.load(name + "2") == a -> True
    """, {**globals(), **locals()})
    in_use(lambda: c.save(name))
    in_use(lambda: Bloom.open(name, True))
    check("a child uses the same filter", in_child(
        lambda: a.add("child") and a.close() or "x" in b) == 1
        and "child" in a and "child" in b)
    a.close()
    refuses(ValueError, "closed", lambda: "x" in a)
    in_use(lambda: c.save(name))
    free = b._memory.free
    b._memory.free = lambda memory: free(memory) or errno.EIO
    fails(errno.EIO, "", b.close)       # an error of writing is not lost
    with warned(lambda: Bloom.open(name, True))[0] as alone:
        check("then for one process", "child" in alone and not alone.seal())
    with Bloom.share(name, key=bytes(16)) as keyed:
        check("sealed, and a secret", keyed.verify() and keyed.add("x")
              and "x" in keyed and not keyed.verify())
    # A key comes while the cells are copied: the old seal is not copied
    c.save(name)
    seal = content("shared")[24:32]
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
    c.save(name)
    with open(name, "r+b") as file:     # but damage is seen
        file.seek(500)
        file.write(b"\xff")
    with Bloom.share(name) as a:
        refuses(BloomError, "corrupt", a.verify)
    Chain(10).save(path("chain"))
    refuses(BloomError, "chain: not a Bloom", lambda: Bloom.share(path("chain")))
    # Two processes add at once, and lose no key
    os.remove(name)
    with Bloom.share(name, 4 * 10**5, 1e-12) as b:
        def adding():
            for at in range(0, 2 * 10**5, 2000):
                b.update(range(-at, 2000 - at))
        first = os.fork() or (adding(), os._exit(0))
        for at in range(10**6, 12 * 10**5, 2000):
            b.update(range(at, at + 2000))
        check("no key is lost", os.waitpid(first, 0)[1] == 0 and all(b.check(
            range(2000 - 2 * 10**5, 2000))) and all(b.check(
                range(10**6, 12 * 10**5))))


def copies():
    b, n, c, s = made(Bloom), Named("n"), Plain(["t"]), Slotted(100)
    b.save(path("copied"))
    n.add("key")
    c.update(range(3000))
    s.slot = "kept"
    opened = Bloom.open(path("copied")), Bloom.open(path("copied"), True)
    ways = [copy.copy, copy.deepcopy] + [
        lambda x, i=i: pickle.loads(pickle.dumps(x, i))
        for i in range(pickle.HIGHEST_PROTOCOL + 1)]
    for way, copied in enumerate(ways):
        for a in (b, n, c, s, Bloom(7, 0.2, hash_bits=32), made(Window),
                  made(Slices), *opened):
            image, x = bytes(a), copied(a)
            what = f"way {way} of {a!r}"
            check(f"{what}: the same", type(x) is type(a) and bytes(x) == image)
            add(x, "another")
            check(f"{what}: independent", has(x, "another")
                  and bytes(a) == image)
            y = copied(x)
            x.close()
            check(f"{what}: after the original is closed", has(y, "another"))
        x = copied(n)
        check(f"{way}: a subclass", (x.name, x.slot) == ("n", "in a slot")
              and "key" in x and copied(Reduced(5)).plan == Bloom(77).plan)
        check(f"{way}: slots", sys.version_info < (3, 11)
              or copied(s).slot == "kept")
        check(f"{way}: shallow or deep", copied(c).tags == ["t"] and
              (copied(c).tags is c.tags) == (way == 0))
    b.close()
    table("""
    copy.copy(b) -> ValueError: closed
    pickle.dumps(b) -> ValueError: closed
    len(set(map(id, copy.deepcopy([n, n])))) -> 1
    type(Named.from_bytes(bytearray(bytes(n)))) -> Named
    bytes(Chain.from_bytes(memoryview(bytes(c)))) -> bytes(c)
    """, {**globals(), **locals()})
    child("to a process that is spawned", """
import multiprocessing
def ask(b):
    b.add("there")
    return "x" in b, b
if __name__ == "__main__":
    for b in Bloom(9), Chain(9), Window(9):
        b.add("x")
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            for found, back in pool.map(ask, [b]):
                print(found, "there" in back, "there" in b)
""", *["True", "True", "False"] * 3)


def closed():
    """Every public call of a closed filter, or of one that was never made, is a
    ValueError."""
    half, chain = Bloom.__new__(Bloom), Chain.__new__(Chain)
    refuses(ValueError, "", lambda: chain.__init__(layout="counting"))
    gone = [made(kind) for kind in KINDS]
    for b in gone:
        with b:
            b.close()
        b.close()
    calls = {"add": ["x"], "count": ["x"], "update": [[]], "check": [[]],
             "__contains__": ["x"], "save": [path("closed")], "remove": ["x"],
             "__ior__": [Bloom(5)], "__or__": [Bloom(5)], "__iand__": [Bloom(5)],
             "__and__": [Bloom(5)], "fold": [1], "capacity": [0.01],
             "fold_by": [0.01], "plan_fpr": [5], "set_time": [1, 2],
             "advance": [1, 2], "__reduce__": [], "__len__": [],
             "__bytes__": [], "__enter__": []}
    of_slices = {"add": [0, "x"], "update": [0, []], "find": ["x"],
                 "find_all": [[]], "count": [[]], "put": [0, Bloom(5)],
                 "get": [0]}
    for a in half, chain, *gone:
        public = {name for kind in type(a).__mro__[:-1] for name in vars(kind)
                  if name[0] != "_"} - {"close", "open", "load", "share", "fit",
                                        "from_bytes"}
        for name in public | {n for n in calls if hasattr(a, n)}:
            if not isinstance(a, Bloom) and name in ("__or__", "__ior__"):
                continue                # only filters have these
            arguments = of_slices.get(name) if isinstance(a, Slices) else None
            refuses(ValueError, "closed", lambda: getattr(a, name)(
                *(calls.get(name, []) if arguments is None else arguments)))
        refuses(ValueError, "closed", lambda: a == a)
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
    child("memory is freed with the last reference, and load() takes it once", f"""
import resource
links = Chain(10**8)
links, _ = links._parts(links._memory)[1:], links.close()
Bloom(5 * 10**7).save({path("large")!r})
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
for make in (lambda: Bloom(5 * 10**7), lambda: Chain(2 * 10**7),
             lambda: Bloom.load({path("large")!r}),
             lambda: Bloom.open({path("large")!r})):
    for i in range(40):
        filter = make()
        if i % 2:
            filter.close()
import bloom
print(bloom._bloom.size(links[0]) > 10**8)
del links, filter
room = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (room + 10**8,) * 2)
print(Bloom.load({path("large")!r}).verify())
""", "True", "True")
    os.remove(path("large"))
    b = made(Bloom)
    image = bytes(b)
    check("fork", in_child(lambda: b.add("in the child") and not b.close())
          == 1 and bytes(b) == image)


def saves():
    b, c = made(Bloom), made(Chain)
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
    for name, number in (("folder", errno.EISDIR), ("none/f", errno.ENOENT),
                         ("real/f", errno.ENOTDIR),
                         ("n" * 256, errno.ENAMETOOLONG)):
        for given in path(name), path(name).encode(), pathlib.Path(path(name)):
            try:
                b.save(given)
            except OSError as error:
                check(f"{error!r}", error.errno == number and ".new" not in str(
                    error) and error.filename == os.fspath(given))
            else:
                check(f"{name} was replaced", False)
    refuses(ValueError, "null byte", lambda: b.save(path("a\0b")))
    child("a full disk", f"""
import os, resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
os.makedirs({path("full")!r}, exist_ok=True)
os.chdir({path("full")!r})
Bloom(10).save("old")
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    Bloom(10**5).save("old")
except OSError as error:
    print(error.filename, error.errno == 27, os.listdir())
""", "old", "True", "['old']")

    # File objects, including one that writes little at a time
    class Little(io.RawIOBase):
        taken = b""

        def writable(self):
            return True

        def write(self, part):
            self.taken += bytes(part[:100])
            return len(part[:100])

    class Silent:
        taken = b""

        def write(self, part):
            self.taken += bytes(part)

    for a in b, c, made(Window), made(Slices):
        a.save(path("real"))
        memory, little, silent = io.BytesIO(b"before"), Little(), Silent()
        memory.seek(6)
        for file in memory, little, silent:
            a.save(file)
        with gzip.open(path("real.gz"), "wb") as file:
            a.save(file)
        check("written", memory.getvalue()[6:] == little.taken == silent.taken
              == gzip.open(path("real.gz")).read() == content("real"))
        refuses(TypeError, "", lambda: a.save(io.StringIO()))
    check("no temporary file is left",
          not [n for n in os.listdir(work) if ".new" in n])


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


run_all(with_the_command, files, writable, shared, copies, closed, endings,
        saves, without)
