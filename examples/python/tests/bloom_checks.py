"""Shared by test_filter.py, test_files.py and test_threads.py. run.sh runs each
of them as: TEST WORK [COMMAND]. WORK is a folder for their files. COMMAND is
build/bloom; without it, what needs the command is skipped."""
import os
import subprocess
import sys
import threading
import traceback
import warnings

python = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, python)
from bloom import Bloom, BloomWarning, Chain  # noqa: E402

work = sys.argv[1]
command = sys.argv[2] if len(sys.argv) > 2 else None
passed = failed = 0


def check(what, good):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print(f"FAILED: {what}")


def refuses(kind, words, call):
    try:
        call()
    except kind as error:
        check(f"{words!r} in {error!r}", words in str(error))
    else:
        check(f"no error, but {kind} with {words!r} was expected", False)


def table(text, names):
    """Runs each line: a statement, or EXPRESSION -> RESULT, or EXPRESSION ->
    ERROR: WORDS of its text."""
    names = dict(names)
    for line in filter(None, map(str.strip, text.splitlines())):
        call, arrow, wanted = line.partition(" -> ")
        if not arrow:
            exec(line, names)
            continue
        kind, _, words = wanted.partition(": ")
        try:
            got = eval(call, names)
        except Exception as error:
            check(f"{line}: {error!r}", words in str(error) and kind in
                  [each.__name__ for each in type(error).__mro__])
        else:
            check(f"{line}: {got!r}", "Error" not in kind and
                  got == eval(wanted, names))


def path(name):
    return os.path.join(work, name)


def content(name):
    with open(path(name), "rb") as file:
        return file.read()


def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data)


def child(what, program, *says):
    """Runs a program in another Python, so that a crash ends only that. It must
    print exactly the words `says`."""
    write("child.py", f"import sys\nsys.path.insert(0, {python!r})\n"
          f"from bloom import *\n{program}".encode())
    done = subprocess.run([sys.executable, path("child.py")], text=True,
                          capture_output=True)
    check(f"{what}: {done}", done.stdout.split() == list(says)
          and done.returncode == 0 and done.stderr == "")


def in_child(call):
    """Calls it in a forked child, and returns the result, a small number."""
    number = os.fork()
    if number:
        return os.waitpid(number, 0)[1] >> 8
    end = 255
    try:
        end = int(call())
    finally:
        os._exit(end)


class Named(Bloom):
    """A subclass with its own __init__, attributes, slots and state."""
    __slots__ = ("slot",)

    def __init__(self, name):
        super().__init__(1000, layout="blocked")
        self.name = name
        self.lock = threading.Lock()
        self.slot = "in a slot"

    def __getstate__(self):
        return {"name": self.name, "slot": self.slot}

    def __setstate__(self, state):
        self.name, self.slot = state["name"], state["slot"]


class Plain(Chain):
    def __init__(self, tags):
        super().__init__(10)
        self.tags = tags


class Slotted(Bloom):
    __slots__ = ("slot",)


class Reduced(Bloom):
    def __reduce__(self):
        return Reduced, (77,)


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def warned(call):
    """Calls it, and returns its result and the texts of its BloomWarnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = call()
    return result, [str(w.message) for w in seen
                    if w.category is BloomWarning]


def run_all(*tests):
    warnings.simplefilter("error", BloomWarning)
    for test in tests:
        try:
            test()
        except Exception:
            check(f"{test.__name__} failed: {traceback.format_exc()}", False)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)
