"""Tests of examples/python/bloom.py: threads that share a filter lose no keys,
and never save a half-changed filter. While a call reads or writes a whole
filter, other threads run and look keys up, but their changes wait."""
import os
import signal
import sys
import threading
import time

from bloom_checks import check, path, refuses, run_all, work
import bloom
from bloom import Bloom, Chain


PATIENCE = 300                          # seconds, after which a thread hangs


class Watched:
    """A lock that counts who has asked for it"""

    def __init__(self, lock):
        self.lock, self.asked = lock, []

    def __enter__(self):
        self.asked.append(threading.current_thread())
        self.lock.__enter__()

    def __exit__(self, *error):
        self.lock.__exit__(*error)


def wait_for(done):
    """Waits until done() is true, or for PATIENCE."""
    end = time.monotonic() + PATIENCE
    while not done() and time.monotonic() < end:
        time.sleep(0.001)


def together(*calls):
    """Calls them in threads, and returns their errors."""
    errors = []

    def run(call):
        try:
            call()
        except Exception as error:
            errors.append(error)
    all_ = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in all_:
        thread.start()
    for thread in all_:
        thread.join()
    return errors


def threads():
    """No key is lost, and what is saved or copied while others add is whole."""
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    for make in lambda: Bloom(10**6, layout="blocked"), lambda: Chain(100, 1e-4):
        a, b, added, stop = make(), make(), [0, 0], threading.Event()
        a.update(range(1000))

        def adding(i):
            while not stop.is_set():
                a.add(key(i, added[i]))
                added[i] += 1

        def key(i, n):
            return n if i else f"{n}"

        def whole(a, b):
            for _ in range(8):
                a.save(path("while adding"))
                with type(a).open(path("while adding")) as back:
                    check("saved", back.verify() is True)
                a.seal()
                a.verify()
                type(a).from_bytes(bytes(a)).verify()
                if isinstance(a, Bloom):
                    a |= b
                a == b, len(a), a.fpr

        def ending():
            found = together(lambda: whole(a, b), lambda: whole(b, a), lambda:
                             a.update(range(1000)))
            stop.set()
            check(f"errors: {found[:2]}", not found)
        together(lambda: adding(0), lambda: adding(1), ending)
        check(f"{added}: no key is lost", min(added) > 0 and all(a.check(
            range(1000))) and all(key(i, n) in a for i in (0, 1)
                                  for n in range(added[i])))
    sys.setswitchinterval(old)
    check("no temporary file is left",
          not [n for n in os.listdir(work) if ".new" in n])


def gates():
    """During a call on a whole filter other threads run and look keys up, but
    their changes wait."""
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    # Without this flag of ctypes (FUNCFLAG_PYTHONAPI), a function does not hold
    # the interpreter's lock.
    holds = 4
    whole = """seal estimate fpr verify copy merge intersect clear load fold_by
        find_all put get clear_filter save share unshare""".split()
    held = [name for lib in (bloom._bloom, bloom._atomic, bloom._chain,
                             bloom._window, bloom._slices, bloom._file)
            for name in whole
            if hasattr(lib, name) and getattr(getattr(lib, name), "_flags_", 0)
            & holds]
    held += ["count"] if bloom._slices.count._flags_ & holds else []
    check(f"{held} hold the interpreter's lock", not held
          and bloom._bloom.count._flags_ & holds
          and not bloom._memcmp._flags_ & holds
          and bloom._bloom.add._flags_ & holds)

    def is_shut(*filters):
        """Returns whether this thread has locked all these filters."""
        entered = []

        def enter():
            for f in filters:
                if f._memory.lock.acquire(blocking=False):
                    f._memory.lock.release()
                    entered.append(f)
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        return not entered

    # Each function that releases the interpreter's lock runs with the filter's
    # lock held.
    a, b, found = Bloom(100), Bloom(100), {}
    lib = bloom._bloom

    def watched(name, function, *filters):
        def call(*arguments):
            found[name] = is_shut(*filters)
            return function(*arguments)
        return call
    watch = {name: (a,) for name in ("seal", "estimate", "fpr", "verify",
                                     "copy", "clear", "fold", "fold_by")}
    watch.update(merge=(a, b), intersect=(a, b))
    before = dict(vars(lib))
    for name, filters in watch.items():
        setattr(lib, name, watched(name, before[name], *filters))
    same, bloom._same = bloom._same, watched("==", bloom._same, a, b)
    try:
        a == b, a.seal(), len(a), a.fpr, a.verify(), bytes(a), a.fold(1)
        a.fold_by(0.5)
        a |= b
        a &= b
        a.clear()
    finally:
        vars(lib).update(before)
        bloom._same = same
    check(f"filters locked: {found}", len(found) == 11 and all(found.values())
          and not is_shut(a) and not is_shut(b))

    for b in Bloom(100), Chain(100):
        b.add("in")
        done = []
        adding = [threading.Thread(target=lambda call=call: done.append(call()))
                  for call in (lambda: b.add("new"), lambda: b.update([1, 2]),
                               lambda: b.update(["x"]), b.seal)]
        asking = threading.Thread(target=lambda: done.append(
            ["in" in b, list(b.check(["in", "out"]))]))
        lock = b._memory.lock
        with lock:
            b._memory.lock = watched = Watched(lock)
            for thread in *adding, asking:
                thread.start()
            asking.join(PATIENCE)
            wait_for(lambda: len(watched.asked) + len(done) >= 5)
            check(f"lookups do not wait, changes do: {done}",
                  done == [[True, [1, 0]]])
            b._memory.lock = lock
            check("the same thread does not wait", b.add("mine") and len(b) == 2
                  and b.add("mine, after len") and b.update(["more"]) == 1)
            check("a nested call keeps the lock", is_shut(b))
        for thread in adding:
            thread.join(PATIENCE)
        check(f"then changes are made: {done}", len(done) == 5
              and all(b.check(["new", 1, 2, "x", "mine", "more"])))
        with b._memory.lock:
            closing = threading.Thread(target=b.close)
            closing.start()
            closing.join(PATIENCE)
        refuses(ValueError, "closed", lambda: b.add("late"))
    sys.setswitchinterval(old)


def forks():
    """A child can use the filters that threads of its parent are changing, and
    finds each as it was between two changes."""
    n = 10**7
    a, b, chain = Bloom(10**6, layout="blocked"), Bloom(n), Chain(100)
    full, empty, stop = b.copy(), b.copy(), threading.Event()
    full.update(range(10**5))
    added, changed = [], []

    def adding():
        while not stop.is_set():
            a.update(range(10**5))
            chain.update(range(1000))
            added.append(1)

    def changing():
        while not stop.is_set():
            b.__ior__(full)
            b.clear()
            changed.append(1)

    def in_child():
        signal.alarm(PATIENCE)          # ends a child that hangs
        thread = threading.Thread(target=lambda: [
            a.add("x"), chain.add("x"), b.seal(), a.update(["y"])])
        thread.start()
        thread.join()
        good = "x" in a and "x" in chain and "y" in a and (
            b == full or b == empty)
        os._exit(not good)
    changes = [threading.Thread(target=call) for call in (adding, changing)]
    for thread in changes:
        thread.start()
    ends = []
    while len(ends) < 20 and not any(ends):
        seen = len(added), len(changed)
        wait_for(lambda: len(added) > seen[0] and len(changed) > seen[1])
        child = os.fork()
        if child == 0:
            in_child()
        ends.append(os.waitpid(child, 0)[1])
    check("the parent goes on", a.add("z") and all(
        thread.is_alive() for thread in changes))
    stop.set()
    for thread in changes:
        thread.join()
    check(f"children: {ends}", ends == [0] * 20)


run_all(threads, gates, forks)
