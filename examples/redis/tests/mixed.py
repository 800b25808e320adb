"""A replica set of this module and a real RedisBloom, 2 or 8: each of two
servers is the master and the replica in turn.
usage: mixed.py OURS.so REDISBLOOM.so [WORD]
Both must find every item that was acknowledged. After a full synchronisation
they have the same bits. Then all of their answers must be equal until a filter
grows: the new filters of the two have different bits (README.md), so their
false positives and their counts differ, and only limits can be tested.
Another WORD makes other items. $REDIS_SERVER may name another server."""
import copy
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

import redis

from client import started

ERRORS = 0.5, 0.3, 0.1, 0.01, 0.001, 1e-6, 1e-9
# capacity: how many items are added at a time. The last has chunks of 16 MB.
SOME = {1: 12, 7: 30, 100: 200, 1000: 1000, 50000: 800, 10 ** 6: 800,
        2 * 10 ** 7: 800}
FIXED = (b"NONSCALING",)
KINDS = [(b"EXPANSION", x) for x in (1, 2, 4, 1000)] + [FIXED]
# Only RedisBloom 2 makes these filters. It takes EXPANSION modulo 2^32. The last
# two are not filled: it has no memory for 2^32 - 1, and 0 lets nothing grow.
HUGE = (7, 65536), (7, 2 ** 32 + 3), (100, 2 ** 32 - 1), (100, 2 ** 32)
ABSENT = [b"absent %d" % i + i % 9 * b"\xff" for i in range(1000)]
passed = failed = 0


def test(good, *words):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED:", *words, flush=True)


class Server:
    def __init__(self, name, module, folder):
        self.name, self.module, self.process = name, module, None
        self.folder = tempfile.mkdtemp(dir=folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.client = redis.Redis("127.0.0.1", self.port, socket_timeout=600)

    def start(self):
        """Starts the server without data. It ends with this process. A master
        sends no PING, which might get lost when its replica is promoted."""
        self.stop()
        for file in os.listdir(self.folder):
            os.remove(self.folder + "/" + file)
        with open(self.folder + "/log", "w") as log:
            self.process = started(
                [os.environ.get("REDIS_SERVER", "redis-server"), "--save", "",
                 "--bind", "127.0.0.1", "--port", str(self.port), "--dir",
                 self.folder, "--repl-diskless-sync-delay", "0",
                 "--repl-backlog-size", "256mb", "--repl-timeout", "7200",
                 "--repl-ping-replica-period", "3600", "--loadmodule",
                 self.module], self.client, stdout=log, stderr=log)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def ask(self, *words):
        """Returns the reply. An error is a reply, too, if a filter is full."""
        try:
            return self.client.execute_command(*words)
        except redis.ResponseError as error:
            assert "full" in str(error), (self.name, error)
            return error

    def told(self, field):
        return self.client.info("everything").get(field)

    def exists(self, key, items):
        return [x for at in range(0, len(items), 1000) for x in
                self.ask("BF.MEXISTS", key, *items[at:at + 1000])]


class Filter:
    def __init__(self, key, how, error, capacity, kind):
        self.key, self.how, self.kind = key, how, kind
        self.error, self.capacity = error, capacity
        self.added, self.sent = set(), set()
        self.loaded = False     # RedisBloom made it, and both have its bits
        self.same = 0           # not 0: as long as it has so many sub-filters

    def add(self, master):
        """BF.INSERT with options or BF.RESERVE makes the filter. Without a kind
        the first command makes it: BF.INSERT, BF.MADD or BF.ADD.
        README.md: unless both have the same bits, NONSCALING filters must not
        be filled if RedisBloom follows; and if this module follows, those with
        an `error` above 0.25 refuse items above their capacity."""
        key, n, options, new = self.key, SOME[self.capacity], [], not self.sent
        if self.kind[1:] in ((2 ** 32 - 1,), (2 ** 32,)) or \
                self.kind == FIXED and not self.same and (
                    master.name == "ours" or self.error > 0.25):
            n = max(0, min(n, self.capacity - len(self.sent)))
        if new and self.kind and self.how:
            master.ask("BF.RESERVE", key, self.error, self.capacity, *self.kind)
        elif new and self.kind:
            options = "ERROR", self.error, "CAPACITY", self.capacity, *self.kind
        items = [b"%s %d" % (key, i) + i % 9 * b"\0"
                 for i in range(len(self.sent), len(self.sent) + n)]
        a, b = (n + 1) // 2, n - n // 4
        parts = [(("BF.INSERT", key, *options, "ITEMS"), items[:a]),
                 (("BF.MADD", key), items[a:b])]
        parts += [(("BF.ADD", key), [x]) for x in items[b:]]
        count = master.ask("BF.CARD", key)
        for words, items in parts[self.how:] + parts[:self.how]:
            said = master.ask(*words, *items) if items else []
            for x, reply in zip(items, said if type(said) is list else [said]):
                # README.md: a false positive of a full NONSCALING filter may
                # be missing in a replica that has other bits
                full = self.kind == FIXED and count >= self.capacity
                if reply == 1 or reply == 0 and (self.same or not full):
                    self.added.add(x)
                assert reply in (0, 1) or full, (key, reply)
                count += reply == 1
            self.sent.update(items)

    def copied(self, source, master, key):
        """The master loads RedisBloom's dump of this filter."""
        at, chunk = source.ask("BF.SCANDUMP", self.key, 0)
        while at:
            master.ask("BF.LOADCHUNK", key, at, chunk)
            at, chunk = source.ask("BF.SCANDUMP", self.key, at)
        other = copy.deepcopy(self)
        other.key = key
        return other.synchronised(master)

    def synchronised(self, master):
        self.same = master.ask("BF.INFO", self.key, "FILTERS")[0]
        self.loaded = True
        return self

    def check(self, ours, theirs):
        """Returns what is wrong."""
        wrong, items, yes, info = "", list(self.added), [], []
        for s in ours, theirs:
            lost = len(items) - sum(s.exists(self.key, items))
            yes.append(s.exists(self.key, ABSENT))
            info.append(s.ask("BF.INFO", self.key)[1:8:2])
            if lost:
                wrong += "%s lost %d of %d items; " % (s.name, lost, len(items))
            if s.ask("BF.CARD", self.key) != info[-1][3]:
                wrong += s.name + ": BF.CARD; "
        if info[0][2] != self.same != info[1][2]:
            self.same = 0               # it has grown on both
        if self.same and (yes[0] != yes[1] or info[0] != info[1]):
            wrong += "the answers differ: %s; " % info
        # RedisBloom's small filters have more false positives than `error`. So
        # this module may have those that it got from there.
        for name, number, known in (
                ("false positives", sum(yes[0]), sum(yes[1])),
                ("not counted", len(items) - info[0][3],
                 len(items) - info[1][3])):
            n = self.error * max(len(items), len(ABSENT))
            if number > known * self.loaded + 1.5 * n + 4 * n ** 0.5 + 4:
                wrong += "%d %s; " % (number, name)
        return wrong + "counted too often; " * (info[0][3] > len(self.sent))


class Pair:
    def __init__(self, word, ours, theirs):
        self.word, self.ours, self.theirs = word, ours, theirs
        self.filters, self.batch = [], 0

    def add(self, master):
        """Copies some filters, makes new ones, and adds to all."""
        n, self.batch = self.batch, self.batch + 1
        self.filters += [f.copied(self.theirs, master, b"%s/%d" % (f.key, n))
                         for f in self.filters[n - 1::15]]
        shapes = [] if n else [(0.01, 2 * 10 ** 7, KINDS[1])]
        shapes += [(error, capacity, KINDS[(i + j + n) % 5])
                   for i, error in enumerate(ERRORS)
                   for j, capacity in enumerate(list(SOME)[:6])] * (n < 5)
        shapes += 3 * [(0.01, 100, ())] + [(0.01, 7, (b"EXPANSION", 32768))]
        if any(m["name"] == "bf" and m["ver"] < 30000
               for m in master.told("modules")):
            shapes += [(0.01, c, (b"EXPANSION", x)) for c, x in HUGE]
        self.filters += [Filter(b"%s%d-%d" % (self.word, n, i), (i + n) % 3,
                                *shape) for i, shape in enumerate(shapes)]
        for f in self.filters:
            f.add(master)

    def attach(self, replica, master, full):
        before = master.told("sync_full")
        replica.ask("REPLICAOF", "127.0.0.1", master.port)
        self.wait(replica, master)
        test((master.told("sync_full") != before) == full,
             replica.name, "did not get", "all data" if full else "a part")
        for f in self.filters if full else []:
            f.synchronised(master)

    def wait(self, replica, master):
        end = time.time() + 600
        while replica.told("master_link_status") != "up" or replica.told(
                "slave_repl_offset") != master.told("master_repl_offset"):
            assert time.time() < end, replica.name + " does not follow"
            time.sleep(0.02)

    def check(self, phase, master, replica):
        good = []
        for f in self.filters:
            wrong = f.check(self.ours, self.theirs)
            test(not wrong, phase, f.key, f.error, f.capacity, f.kind, wrong)
            good += [] if wrong else [f]
        same = [len(f.added) + len(ABSENT) for f in good if f.same]
        print("%s -> %s, %s: %d filters, %d items found on both; %d have the "
              "same bits, %d answers equal; %d failed" % (
                  master.name, replica.name, phase, len(self.filters),
                  sum(len(f.added) for f in good), len(same), sum(same),
                  len(self.filters) - len(good)), flush=True)

    def run(self, master, replica):
        master.start()
        replica.start()
        self.add(self.theirs)
        self.add(self.theirs)
        self.attach(self.ours, self.theirs, True)
        if master is self.ours:         # RedisBloom gets its own data back
            master.ask("REPLICAOF", "NO", "ONE")
            replica.start()
            self.attach(replica, master, True)
        self.check("full sync", master, replica)
        for phase in ("live", "fail-over", "live", "going back", "live",
                      "fail-over again", "going back again"):
            if phase != "live":
                master, replica = replica, master
                master.ask("REPLICAOF", "NO", "ONE")
            self.add(master)
            if phase != "live":
                self.attach(replica, master, False)
            self.wait(replica, master)
            self.check(phase, master, replica)
        replica.start()
        if master is self.theirs:
            self.attach(replica, master, True)
            return self.check("full sync again", master, replica)
        # README.md: RedisBloom cannot read what this module made, and stops
        replica.ask("REPLICAOF", "127.0.0.1", master.port)
        replica.process.wait(60)
        with open(replica.folder + "/log") as log:
            test("no matching module type" in log.read(), "no reason is logged")
        for f in self.filters:
            lost = len(f.added) - sum(master.exists(f.key, list(f.added)))
            test(not lost, "RedisBloom has stopped", f.key, lost, "lost")


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
with tempfile.TemporaryDirectory() as folder:
    servers = [Server(name, os.path.abspath(module), folder) for name, module in
               zip(("ours", "RedisBloom"), sys.argv[1:])]
    try:
        word = b"".join(map(str.encode, sys.argv[3:]))
        Pair(word + b"a", *servers).run(*servers[::-1])
        Pair(word + b"b", *servers).run(*servers)
    except (OSError, AssertionError, redis.RedisError,
            subprocess.TimeoutExpired) as error:
        test(False, repr(error))
        for s in servers:
            with open(s.folder + "/log") as log:
                print(s.name + ":\n" + "".join(log.readlines()[-9:]))
    finally:
        for s in servers:
            s.stop()
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
