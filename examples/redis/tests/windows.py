"""Windows, whose items expire (BW.*), on real servers, compared with an exact
model: a dict that has, for each item, the time when it was added. The test
sets the clock of the server (clock.c). Only this notices an item that is
forgotten early, or that never expires.
usage: windows.py SOCKET model REPLICA COMMANDS [SEED]
       windows.py SOCKET damaged OTHER
       windows.py SOCKET settable|watched|room|renewed|early LOG
       windows.py SOCKET fill|check|late|promoted SECONDS|more
REPLICA is the socket of a replica, OTHER that of another server. LOG is the
log of the server."""
import mmap
import os
import random
import struct
import sys
import time

import redis

from client import aborts, crc64, events, refused, server
from hostile import bent, sealed

run = server.execute_command
with open(os.path.dirname(sys.argv[1]) + "/clock", "r+b") as file:
    clock = mmap.mmap(file.fileno(), 8)


def at_time(now, *words):
    """Executes a command at this time, in milliseconds."""
    struct.pack_into("q", clock, 0, now)
    return run(*words)


def settable():
    """Ends with status 1 if the server does not show each time that is set."""
    for now in range(4 * 10 ** 12, 5 * 10 ** 12, 10 ** 10):
        if at_time(now, "TIME") != (now // 1000, 0):
            sys.exit(1)


def info(key):
    said = run("BW.INFO", key)
    return dict(zip([name.decode() for name in said[::2]], said[1::2]))


def until(true):
    """Waits until it is true, at most ten minutes."""
    end = time.monotonic() + 600
    while not true():
        assert time.monotonic() < end, "it does not become true"
        time.sleep(0.01)


def followed(replica):
    """Waits until the replica has executed all commands. Then the data must be
    the same, bit for bit."""
    def there():
        told = replica.info("replication")
        return told.get("master_link_status") == "up" and \
            told["slave_repl_offset"] == \
            server.info("replication")["master_repl_offset"]
    until(there)
    for part in ("DIGEST",), ("DIGEST-VALUE",) + tuple(MODELS):
        assert run("DEBUG", *part) == replica.execute_command("DEBUG", *part)


# ---- The model ---------------------------------------------------------------

MODELS = {}


class Model:
    """A window and what it must contain. `items` new ones come per `span`, which
    is in milliseconds, but `burst` times as many now and then. With a burst of 0
    the pace varies little, so nothing may be forgotten early, and all items must
    expire. If `back` is true, the clock is sometimes set back. `hot` of the
    items come ten times as often as all others: nothing may be forgotten early,
    either."""

    def __init__(self, key, error, items, span, g, burst=0, back=False, hot=0):
        self.key, self.error, self.items, self.span = key, error, items, span
        self.g, self.burst, self.back, self.hot = g, burst, back, hot
        self.now, self.made, self.told = 4 * 10 ** 12, 0, 0
        self.known, self.lost = {}, 0   # item: when it was added, less set-backs
        self.asked = self.wrong = self.must = 0
        run("BW.RESERVE", key, error, items, "%d.%03d" % divmod(span, 1000),
            *(["GENERATIONS", g] if g != 8 else []))
        MODELS[key] = self

    def come(self, chance):
        """Returns an item: a new one, one that came lately, or one that
        expired."""
        kind = chance.random()
        if self.hot and kind >= 0.1 * (1 - self.hot / self.items):
            return -chance.randrange(self.hot) - 1
        if self.hot or kind < 0.6 or self.made < 10:
            self.made += 1
            return self.made
        near = int(self.items * (1 if kind < 0.9 else 5))
        return max(1, self.made - chance.randrange(near + 1))

    def step(self, chance):
        """The clock goes on, and some items come."""
        n = 50 if self.hot else chance.choice((1, 1, 1, 2, 5))
        if self.burst > 100 and chance.random() < 0.01:
            n = 400                     # the window goes round in one command
        pace = self.span * n / self.items * (0.1 if self.hot else 1.1)
        if self.burst > 1 and chance.random() < 0.3:
            pace /= self.burst
        self.now += int(pace * chance.uniform(0, 2))
        if chance.random() < 0.001:             # nothing came for some time
            self.now += int(self.span * chance.uniform(0, 3))
        if self.back and chance.random() < 0.002:
            back = int(self.span * chance.choice((0.01, 0.3, 2, 50)))
            self.now -= back
            # bloom_window.h may forget what is there up to this time early.
            self.known = {item: at - back for item, at in self.known.items()}
        items = [self.come(chance) for i in range(n)]
        new = at_time(self.now, "BW.ADD" if n == 1 else "BW.MADD", self.key,
                      *["%s %d" % (self.key, i) for i in items])
        missing = []
        for item, new in zip(items, [new] if n == 1 else new):
            missing += self.verdict(item, not new)
            if new:
                self.known[item] = self.now
        self.forgive(missing)

    def verdict(self, item, seen):
        """Returns [item] if it must be seen, but is not."""
        if item in self.known and self.now - self.known[item] < self.span:
            self.must += 1
            return [] if seen else [item]
        if self.old(item):
            self.asked += 1
            self.wrong += seen
        return []

    def old(self, item):
        """Whether it never came or must have expired: at most g parts, and the
        time until the next command, after it came. With bursts, generations are
        used again, and keep items for longer. Hot items come in bursts: those
        that expire together are soon added together. One that is a false
        positive would count again and again."""
        most = self.g * (self.span // (self.g - 1) + 1) + self.span / 20
        return item > 0 and (item not in self.known or self.burst == self.hot
                             == 0 and self.now - self.known[item] > most)

    def forgive(self, missing):
        """Items may only be missing if BW.INFO has counted that since some were
        missing before."""
        if missing:
            count = info(self.key)["Forgotten early"]
            assert count > self.told, "%s: %s are not seen at %d" % (
                self.key, missing, self.now)
            self.told, self.lost = count, self.lost + 1
            self.known = dict.fromkeys(self.known, -10 ** 15)

    def check_replica(self, replica, chance):
        """A replica takes the time of the last change of this key. A time of
        another key that is far ahead hides nothing, nor does its own clock."""
        run("BW.ADDAT", "tick", self.now + 10 ** 10, chance.random())
        followed(replica)
        some = chance.sample(range(1, self.made + 1), min(self.made, 500)) + \
            list(range(max(1, self.made - 2 * self.items), self.made + 1)) + \
            list(range(-self.hot, 0))
        found = replica.execute_command("BW.MEXISTS", self.key, *[
            "%s %d" % (self.key, i) for i in some])
        missing = []
        for item, there in zip(some, found):
            missing += self.verdict(item, there)
        self.forgive(missing)
        assert replica.execute_command("DEBUG", "DIGEST") == \
            run("DEBUG", "DIGEST"), "reading changed something"

    def end(self):
        told = info(self.key)
        most = self.error * self.asked
        print("%s: %d items; %d lookups of items that must be seen; %d of %d "
              "others seen (at most %g expected); %d times forgotten early, "
              "noticed %d times" % (
                  self.key, self.made + self.hot, self.must, self.wrong,
                  self.asked, most, told["Forgotten early"], self.lost))
        assert self.wrong <= most + 4 * most ** 0.5 + 1
        assert self.burst > 0 or told["Forgotten early"] == 0
        assert self.burst < 100 or told["Forgotten early"] > 0


def repeats(replica):
    """Items that are in change nothing, and are not sent."""
    run("BW.RESERVE", "tick", 0.01, 100000, 1000)
    assert run("BW.MADD", "tick", "x", "x", "y") == [1, 0, 1]

    def state():
        followed(replica)
        return (run("DEBUG", "DIGEST"), replica.info("commandstats")
                ["cmdstat_bw.addat"]["calls"])
    was = state()
    assert run("BW.ADD", "tick", "x") == 0
    assert run("BW.MADD", "tick", *20 * "xy") == 40 * [0] and state() == was
    run("BW.ADD", "tick", 1000 * "x")
    sent = server.info("replication")["master_repl_offset"]
    assert run("BW.MADD", "tick", 1000 * "x", "new") == [0, 1]
    assert server.info("replication")["master_repl_offset"] - sent < 1000
    server.delete("tick")


def model(other, commands, seed="1"):
    replica = redis.Redis(unix_socket_path=other)
    chance = random.Random(seed)
    Model("calm", 0.01, 500, 60000, 8)
    Model("small", 0.02, 20, 5000, 2, burst=1)
    Model("finest", 0.001, 1000, 3600000, 16)
    Model("bursts", 0.01, 100, 10000, 8, burst=5)
    Model("flooded", 0.01, 50, 100000, 4, burst=1000)
    Model("back", 0.01, 100, 10000, 8, burst=1, back=True)
    Model("back2", 0.01, 100, 1001, 3, burst=20, back=True)
    Model("hot", 0.001, 1000, 10000, 8, hot=400)
    Model("hotter", 0.001, 1000, 10000, 8, hot=999)
    repeats(replica)
    run("BW.RESERVE", "tick", 0.01, 100000, 1)
    keys, sent, resyncs = list(MODELS.values()), 0, 0
    address = replica.info("replication")
    while sent < int(commands):
        m = chance.choice(keys)
        for i in range(200):
            m.step(chance)
        sent += 200
        if sent % 1000 == 0:
            how = chance.randrange(4)
            if how == 0:                # a part of the commands, or all data
                replica.replicaof("no", "one")
                if chance.random() < 0.5:
                    replica.flushall()
                replica.replicaof(address["master_host"],
                                  address["master_port"])
                resyncs += 1
            elif how == 1:
                run("DEBUG", "RELOAD")
            followed(replica)
            if how > 1:
                m.check_replica(replica, chance)
    was = run("DEBUG", "DIGEST")
    later = max(m.now for m in keys) + 10 ** 9      # 11 days
    for m in keys:
        seen = sum(at_time(later, "BW.MEXISTS", m.key, *[
            "%s %d" % (m.key, i) for i in range(-m.hot, m.made + 1)]))
        # After a clock was set back, items count as added now.
        assert m.back or seen == info(m.key)["Estimated number of items"] == 0
        m.end()
    assert run("DEBUG", "DIGEST") == was
    print("%d commands; the replica was disconnected %d times, and is the same, "
          "bit for bit" % (sent, resyncs))
    server.flushall()


# ---- Renewed and forgotten ----------------------------------------------------

def renewed():
    """BW.ADD of an item that is in takes no room and does not renew its time.
    BW.ADDAT does both, as v2.4.0 sends it: so the item stays for as long as
    v2.4.0 promised."""
    now = 4 * 10 ** 12
    run("BW.RESERVE", "v", 0.001, 2, 10)
    assert at_time(now, "BW.MADD", "v", "X", *8 * "Y") == [1, 1] + 7 * [0]
    assert at_time(now + 9999, "BW.EXISTS", "v", "X") == 1
    run("BW.RESERVE", "w", 1e-6, 100, 10)
    assert at_time(now, "BW.MADD", "w", "x", "y") == [1, 1]
    for after in 0, 1, 5000, 9999, 10000:
        assert at_time(now + after, "BW.MADD", "w", "x", "y") == [0, 0]
    assert run("BW.ADDAT", "w", now + 9000, "x") == b"OK"
    assert at_time(now + 19000, "BW.MEXISTS", "w", "x", "y") == [1, 0]
    assert run("BW.ADD", "w", "y") == 1
    assert at_time(now + 29000, "BW.MEXISTS", "w", "x", "y") == [0, 1]
    # Seven generations are full at once. Each item may have come late in its
    # millisecond, so when the clock shows 7000 more, it may be younger than 7 s.
    run("BW.RESERVE", "f", 1e-6, 10, 7)
    full = range(info("f")["Capacity"] + 1)
    assert min(at_time(now, "BW.MADD", "f", *full)) == 1
    assert at_time(now + 7000, "BW.MEXISTS", "f", *full) == len(full) * [1]
    assert info("f")["Forgotten early"] == 0
    server.flushall()
    print("only BW.ADDAT renews the time of an item that is in")


def early(log):
    """The log says at most once a minute that items were forgotten early. It
    also says so if the clock was set back. BW.INFO counts all."""
    def lines():
        with open(log) as file:
            return file.read().count('Window "w": more new items came')
    now = 5 * 10 ** 12
    run("BW.RESERVE", "w", 1e-6, 10, 1000)
    assert at_time(now, "BW.MADD", "w", *range(20)) == 20 * [1]
    assert (info("w")["Forgotten early"], lines()) == (0, 0)
    assert info("w")["Last forgotten early"] is None
    for i in range(20, 99):
        if info("w")["Forgotten early"] == 0:
            run("BW.ADD", "w", i)
    assert info("w")["Forgotten early"] == lines() == 1
    assert info("w")["Last forgotten early"] == now
    for after, times in (59999, 1), (60000, 2), (119999, 2), (0, 3):
        was = info("w")["Forgotten early"]
        at_time(now + after, "BW.MADD", "w", *range(100 * was, 100 * was + 99))
        assert info("w")["Forgotten early"] > was
        assert info("w")["Last forgotten early"] == now + after
        assert lines() == times, (after, lines())
    server.flushall()
    print("the log says once a minute that items were forgotten early")


# ---- Payloads ----------------------------------------------------------------

def damaged(other):
    """RESTORE on another server; corrupted payloads of RESTORE and BW.LOAD."""
    target = redis.Redis(unix_socket_path=other)
    chance = random.Random(1)
    server.config_set("rdbcompression", "no")
    run("BW.RESERVE", "w", 0.01, 20, 1000, "GENERATIONS", 3)
    run("BW.MADD", "w", *range(30))
    payload = server.dump("w")
    target.restore("w", 0, payload)
    server.copy("w", "copy")
    run("BW.ADD", "copy", "x")
    digest = run("DEBUG", "DIGEST-VALUE", "w", "copy")
    assert digest[0] == target.execute_command("DEBUG", "DIGEST-VALUE", "w")[0]
    assert digest[0] != digest[1] and server.dump("w") == payload
    assert target.execute_command("BW.MEXISTS", "w", *range(30)) == 30 * [1]
    size = info("w")["Size"]
    at = payload.index(b"BLW\1")
    image = payload[at:at + size]
    assert sealed(1, image[:-8]) == image
    assert run("BW.LOAD", "loaded", image) == b"OK"
    assert refused(run, "BW.LOAD", "loaded", image) == "item exists"
    assert run("DEBUG", "DIGEST-VALUE", "loaded")[0] == digest[0]
    assert abs(server.memory_usage("w") - size) < 500
    wrong = accepted = 0
    for i in range(600):
        new = bent(image[:-8], chance)
        new = sealed(1, new) if i % 3 else new + image[-8:]
        whole = payload[:at] + new + payload[at + size:-8]
        if len(new) == size:
            said = refused(server.restore, "bad", 0,
                           whole + struct.pack("<Q", crc64(whole)))
            assert said in (None, "Bad data format"), said
            assert said or server.delete("bad")
        if refused(run, "BW.LOAD", "bad", new):
            wrong += 1
            assert not server.exists("bad")
            continue
        assert i % 3, "the checksum was wrong"
        accepted += 1
        run("BW.MADD", "bad", *range(100))
        run("BW.ADDAT", "bad", chance.choice((0, 1 << 62, 10 ** 13)),
            *range(100))
        run("BW.MEXISTS", "bad", *range(100))
        info("bad")
        server.delete("bad")
    # The type of a value ends with its version in RDB, which is 1.
    later = payload[:9] + bytes([payload[9] + 1]) + payload[10:-8]
    assert refused(server.restore, "bad", 0, later + struct.pack(
        "<Q", crc64(later))) == "Bad data format"
    # In each of these, one field is impossible: its offset, and the bytes
    for offset, bytes_ in ((3, b"\2"), (4, b"\1"), (4, b"\x11"), (5, b"\3"),
                           (6, b"\1"), (8, bytes(8)), (16, b"\xff" * 8),
                           (40, b"\0"), (48, b"\1"), (64, b"X"), (68, b"\1"),
                           (68, b"\2"), (70, b"\0"), (size - 40, bytes(8)),
                           (size - 40, b"\xff" * 8), (size - 32, bytes(8))):
        new = image[:offset] + bytes_ + image[offset + len(bytes_):]
        assert refused(run, "BW.LOAD", "bad", sealed(1, new[:-8])), offset
    for new in b"", b"BLW", image[:-9], image[:96], image + b"x":
        assert refused(run, "BW.LOAD", "bad", new), new
    assert wrong > 300 and accepted > 20, (wrong, accepted)
    server.flushall()
    target.flushall()
    print("RESTORE and BW.LOAD: %d corrupted windows refused; %d with a right "
          "checksum accepted, and harmless" % (wrong, accepted))


# ---- What Redis does with keys ------------------------------------------------

def watched():
    """Only changes abort WATCH and send notifications. The time that goes by is
    none."""
    def change():
        run("BW.RESERVE", "w", 1e-6, 100, 1000)
        run("bw.Add", "w", "x")
        payload = server.dump("w")
        at = payload.index(b"BLW\1")
        run("BW.LOAD", "w2", payload[at:at + info("w")["Size"]])
        for command in (("BW.ADD", "w", "x"), ("BW.MADD", "w", "x", "x"),
                        ("BW.EXISTS", "w", "x"), ("BW.INFO", "w"),
                        ("BW.MADD", "w", "y", "z"),
                        ("BW.ADDAT", "w2", 10 ** 13, "x")):
            run(*command)
        assert refused(run, "BW.RESERVE", "w", 0.01, 100, 1) == "item exists"
        run("EVAL", "return redis.call('BW.ADD', KEYS[1], ARGV[1])", 1, "w",
            "lua")
    assert events(change) == [
        ("bw.reserve", "w"), ("bw.add", "w"), ("bw.load", "w2"),
        ("bw.madd", "w"), ("bw.addat", "w2"), ("bw.add", "w")]
    assert not aborts("BW.ADD", "w", "x")
    assert not aborts("BW.MEXISTS", "w", "x", "new")
    assert not aborts("BW.INFO", "w")
    assert aborts("BW.ADD", "w", "new")
    assert aborts("BW.ADDAT", "w", 10 ** 13, "x")
    server.flushall()
    print("windows: only changes abort WATCH and send notifications")


def room():
    """A window never grows: it takes items when the memory is full. Redis itself
    refuses BW.RESERVE then, the module if the memory would be full."""
    run("BW.RESERVE", "w", 0.01, 100000, 1000)
    used = server.info("memory")["used_memory"]
    server.config_set("maxmemory", used + 10 ** 6)
    assert "Insufficient memory" in refused(run, "BW.RESERVE", "n", 0.01, 10 ** 6,
                                            9)
    server.config_set("maxmemory", 1)
    assert "maxmemory" in refused(run, "BW.RESERVE", "n", 0.01, 10, 9)
    assert sum(run("BW.MADD", "w", *range(1000))) > 980
    server.config_set("maxmemory", 0)
    # UNLINK leaves a large window to another thread.
    run("BW.RESERVE", "large", 0.01, 2 * 10 ** 7, 9)
    was = server.info("memory")["lazyfreed_objects"]
    server.unlink("large")
    until(lambda: server.info("memory")["lazyfreed_objects"] > was)
    server.flushall()
    print("windows take items when the memory is full")


# ---- What must survive restarts: items of a window of a day, and of an hour

def fill():
    for key, seconds in ("day", 86400), ("hour", 3600):
        run("BW.RESERVE", key, 0.001, 1000, seconds)
        assert sum(run("BW.MADD", key, *range(500))) > 495
    for i in range(20):                 # a window that forgot items early
        if not server.exists("few"):
            run("BW.RESERVE", "few", 0.001, 10, 3600)
        run("BW.MADD", "few", *range(100 * i, 100 * i + 100))
    assert info("few")["Forgotten early"] > 0


def check():
    for key in "day", "hour":
        assert run("BW.MEXISTS", key, *range(500)) == 500 * [1], key
    assert info("few")["Forgotten early"] > 0


def late():
    """Two hours later"""
    was = run("DEBUG", "DIGEST")
    assert run("BW.MEXISTS", "day", *range(500)) == 500 * [1]
    assert run("BW.MEXISTS", "hour", *range(500)) == 500 * [0]
    assert run("DEBUG", "DIGEST") == was
    assert run("BW.ADD", "hour", 1) == 1 and run("BW.ADD", "day", 1) == 0


# ---- A failover to a server whose clock is wrong ---------------------------

def promoted(seconds):
    """If the clock is ahead, all items are older at once. If it is behind,
    nothing is forgotten until it has caught up."""
    assert run("BW.MEXISTS", "day", *range(500)) == 500 * [1]
    assert run("BW.MEXISTS", "hour", *range(500)) == 500 * [int(seconds) < 0]
    was = run("DEBUG", "DIGEST")
    assert run("BW.MADD", "day", *range(500)) == 500 * [0]
    assert run("DEBUG", "DIGEST") == was
    assert sum(run("BW.MADD", "hour", *range(500))) >= 495 * (int(seconds) > 0)


def more():
    run("BW.MADD", "day", *range(1000, 1100))
    run("BW.MADD", "hour", *range(500))
    assert run("BW.MEXISTS", "day", *range(500), *range(1000, 1100)) == \
        600 * [1]
    check()


if __name__ == "__main__":
    globals()[sys.argv[2]](*sys.argv[3:])
