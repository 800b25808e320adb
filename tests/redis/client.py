"""What run.sh and cluster.sh do through python3-redis: its own bf() client,
filters to be found again, malformed payloads, millions of items.
usage: client.py SOCKET client|malformed|hostile|fill ROUND|check ROUND...
       client.py SOCKET|PORT add|found KEYS FROM TO
       client.py PORT failover PID
PORT is that of a node of a cluster, or of a Sentinel."""
import os
import random
import signal
import struct
import sys
import time

import redis
import redis.cluster

from crc import crc64

if sys.argv[2] == "failover":
    server = redis.Redis("127.0.0.1", int(sys.argv[1]))
elif sys.argv[1].isdigit():
    server = redis.cluster.RedisCluster("127.0.0.1", int(sys.argv[1]))
else:
    server = redis.Redis(unix_socket_path=sys.argv[1])
bf = server.bf()


def items(name, n):
    return [b"%s %d" % (name.encode(), i) for i in range(n)]


def dump(key):
    chunks, at = [], 0
    while True:
        at, data = server.execute_command("BF.SCANDUMP", key, at,
                                          NEVER_DECODE=[])
        if at == 0:
            assert data == b""
            return chunks
        chunks.append((at, data))


def load(key, chunks):
    for at, data in chunks:
        assert bf.loadchunk(key, at, data) == b"OK"


def refused(command, *arguments):
    try:
        command(*arguments)
    except redis.ResponseError as error:
        return str(error)
    return None


def client():
    assert bf.create("c", 0.01, 1000)
    assert bf.add("c", "x") == 1 and bf.add("c", "x") == 0
    assert bf.madd("c", "x", "y", b"\0\xff", "") == [0, 1, 1, 1]
    assert bf.exists("c", "") == 1 and bf.exists("c", "z") == 0
    assert bf.mexists("c", b"\0\xff", b"\0", "y") == [1, 0, 1]
    assert bf.create("cn", 0.001, 2, noScale=True)
    assert bf.insert("cn", ["a", "b"]) == [1, 1]
    assert refused(bf.add, "cn", "c") == "non scaling filter is full"
    assert bf.insert("ci", ["a"], capacity=10, error=0.1, expansion=3) == [1]
    assert refused(bf.insert, "no", ["a"], None, None, True) == "not found"
    told = bf.info("ci")
    assert (told.capacity, told.filterNum, told.insertedNum,
            told.expansionRate) == (10, 1, 1, 3)
    assert bf.info("cn").expansionRate is None
    if not redis.utils.HIREDIS_AVAILABLE:
        assert bf.scandump("c", 0)[0] == 1
    load("cc", dump("c"))
    assert dump("cc") == dump("c") and bf.exists("cc", "y") == 1
    digest = server.execute_command("DEBUG", "DIGEST-VALUE", "c", "cc")
    assert digest[0] == digest[1] != b"0" * 40
    bf.add("cc", "other")
    assert digest[1] != server.execute_command("DEBUG", "DIGEST-VALUE", "cc")[0]
    # the capacities that EXPANSION asks for, filter by filter
    for expansion, capacity in (1, 100), (2, 124), (4, 340):
        key = "e%d" % expansion
        bf.create(key, 1e-9, 4, expansion)
        assert sum(bf.madd(key, *range(100))) == 100
        assert bf.info(key).capacity == capacity
    # halves that fill a filter are always united
    for i in range(8):
        for half in "h1", "h2":
            bf.insert(half, items("%s %d" % (half, i), 5000), 10000,
                      noScale=True)
        server.execute_command("BF.MERGE", "h1", "h2")
        assert 9500 < bf.info("h1").insertedNum <= 10000
        server.delete("h1", "h2")
    # thousands of filters in one key, past the least rate
    bf.create("e", 0.0001, 1, 1)
    assert sum(bf.madd("e", *range(3000))) > 2990
    assert min(bf.mexists("e", *range(3000))) == 1
    load("ee", dump("e"))
    assert dump("ee") == dump("e")
    # more than one chunk: 38 MB of cells
    used = server.info("memory")["used_memory"]
    bf.create("big", 0.001, 20000000)
    bf.madd("big", *items("big", 1000))
    size = bf.info("big").size
    assert size <= server.memory_usage("big") < 1.001 * size
    used = server.info("memory")["used_memory"] - used
    assert 0.99 * size < used < 1.3 * size
    load("big2", dump("big"))
    assert len(dump("big2")) == 4 and dump("big2") == dump("big")
    assert min(bf.mexists("big2", *items("big", 1000))) == 1
    # but not where only 8 MB are allowed
    payload, head = server.dump("big"), dump("big")[:1]
    server.delete("big", "big2")
    server.config_set("maxmemory", "8mb")
    assert refused(load, "big", head).startswith("Insufficient memory")
    assert refused(server.restore, "big", 0, payload) == "Bad data format"
    server.config_set("maxmemory", 0)
    server.restore("big", 0, payload)
    assert min(bf.mexists("big", *items("big", 1000))) == 1
    server.delete("big")
    print("python3-redis: its bf() client works")


# key: how it is made; in each round it gets N items of its name
FILLED = {"r1": (0.01, 1000), "r2": (0.001, 30000), "r3": (0.05, 100, 4),
          "r4": (0.2, 10, 1), "r5": (0.01, 30000, None, True)}
N = 10000


def fill(round):
    for key, how in FILLED.items():
        if not server.exists(key):
            bf.create(key, *how)
        bf.madd(key, *items(key + round, N))
    bf.insert("other", items("other" + round, N), 1000)
    server.execute_command("BF.MERGE", "united", "r1", "other")
    bf.add("one" + round, "x")
    load("copy" + round, dump("r1"))
    load("half" + round, dump("r1")[:3])
    server.expire("r2", 100000)


def check(*rounds):
    for key in FILLED:
        for round in rounds:
            assert min(bf.mexists(key, *items(key + round, N))) == 1, key
        wrong = sum(bf.mexists(key, *items("absent", N)))
        most = N * FILLED[key][0]
        assert wrong <= most + 4 * most ** 0.5, (key, wrong)
    for round in rounds:
        for name in "r1", "other":
            assert min(bf.mexists("united", *items(name + round, N))) == 1
        assert bf.exists("one" + round, "x") == 1
        assert min(bf.mexists("copy" + round, *items("r1" + round, N))) == 1
        assert "not loaded yet" in refused(bf.exists, "half" + round, "x")
    wrong = sum(bf.mexists("united", *items("absent", N)))
    assert wrong <= 2 * N * 0.01, wrong
    load("half" + rounds[-1], dump("copy" + rounds[-1])[3:])
    assert dump("half" + rounds[-1]) == dump("copy" + rounds[-1])
    server.delete("half" + rounds[-1])
    load("half" + rounds[-1], dump("copy" + rounds[-1])[:3])
    assert server.ttl("r2") > 90000


# ---- Malformed payloads. Checksums are made right again, or nothing but the
# checksums would be tested: Redis's CRC-64, the one of a chunk, both, neither.

def murmur(data, seed):             # the first half of MurmurHash3_x64_128
    most = 2 ** 64 - 1
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F

    def rotl(x, by):
        return (x << by | x >> (64 - by)) & most

    def mix(x, a, by, b):
        return rotl(x * a & most, by) * b & most

    def fmix(x):
        x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD & most
        x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53 & most
        return x ^ x >> 33

    h1 = h2 = seed
    whole = len(data) // 16 * 16
    for i in range(0, whole, 16):
        k1, k2 = struct.unpack_from("<QQ", data, i)
        h1 = ((rotl(h1 ^ mix(k1, c1, 31, c2), 27) + h2) * 5 + 0x52DCE729) & most
        h2 = ((rotl(h2 ^ mix(k2, c2, 33, c1), 31) + h1) * 5 + 0x38495AB5) & most
    k1, k2 = struct.unpack("<QQ", data[whole:].ljust(16, b"\0"))
    h1 ^= mix(k1, c1, 31, c2) ^ len(data)
    h2 ^= mix(k2, c2, 33, c1) ^ len(data)
    h1 = (h1 + h2) & most
    h2 = (h2 + h1) & most
    return (fmix(h1) + fmix(h2)) & most


def sealed(number, chunk):
    return chunk + struct.pack("<Q", murmur(chunk, number))


def bent(data, chance):
    """Bytes changed, lost, doubled, set to an extreme; cut, or made longer."""
    new = bytearray(data)
    while bytes(new) == data:
        at = chance.randrange(len(new))
        kind = chance.randrange(6)
        if kind == 0:
            new[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            new[at:at + 8] = bytes([chance.choice([0, 127, 255])] * 8)
        elif kind == 2:
            del new[at:at + chance.randrange(1, 9)]
        elif kind == 3:
            new[at:at] = new[at:at + chance.randrange(1, 33)]
        elif kind == 4:
            del new[max(at, 1):]
        else:
            new += chance.randbytes(chance.randrange(1, 9))
    return bytes(new)


def harmless(key):
    """What was taken after all must be of use, or say that it is not."""
    if server.exists(key) and not refused(dump, key):
        added = bf.madd(key, *range(100))
        for new, there in zip(added, bf.mexists(key, *range(100))):
            assert there == 1 or isinstance(new, redis.ResponseError)
        bf.info(key)
        server.memory_usage(key)
        server.execute_command("BF.MERGE", key + "2", key)
        server.delete(key + "2")


def tried(name, attempts):
    """attempts: functions; prints how many were refused. Any other must not
    do harm."""
    count = 0
    for attempt in attempts:
        count += refused(attempt) is not None
        harmless("bad")
        assert server.ping()
        server.delete("bad")
    print("%s: %d of %d refused, the server lives" %
          (name, count, len(attempts)))
    return count


def restore(payload):
    body = payload[:-8]
    server.restore("bad", 0, body + struct.pack("<Q", crc64(body)))


def malformed(seed="1"):
    chance = random.Random(seed)
    server.config_set("rdbcompression", "no")
    bf.insert("m", items("m", 60), 10, 0.01)
    payload, chunks = server.dump("m"), dump("m")
    restore(payload)                # the checksums here are those there
    assert dump("bad") == chunks
    assert all(sealed(at, data[:-8]) == data for at, data in chunks)
    server.delete("bad")

    # Between the type's name and the end mark, which are Redis's to check. It
    # knows several ways to write a number: then it is the same filter.
    count = 0
    while count < 100:
        new = payload[:9] + bent(payload[9:-11], chance) + payload[-11:]
        if refused(restore, new):
            count += 1
        else:
            assert dump("bad") == chunks
        server.delete("bad")
    print("RESTORE: %d refused, the server lives" % count)

    def load_bent(seal_it):
        which, now = chance.randrange(len(chunks)), list(chunks)
        at, data = now[which]
        new = bent(data[:-8], chance)
        now[which] = at, sealed(at, new) if seal_it else new + data[-8:]
        return lambda: load("bad", now)

    assert tried("BF.LOADCHUNK", [load_bent(False) for i in range(100)]) == 100

    # with right checksums: any may be a dump of other cells or items
    tried("BF.LOADCHUNK, sealed anew", [load_bent(True) for i in range(300)])

    def restore_head():
        at, data = chunks[0]
        new = bytearray(data[:-8])
        i = chance.randrange(len(new))
        new[i:i + 8] = bent(bytes(new[i:i + 8]), chance)[:8].ljust(8, b"\0")
        new = sealed(1, bytes(new[:len(data) - 8]))
        assert payload.count(data) == 1 and len(new) == len(data)
        changed = payload.replace(data, new)
        return lambda: restore(changed)

    tried("RESTORE, sealed anew", [restore_head() for i in range(300)])

    # heads that cannot be: (offset, bytes); the first link begins at 12
    at, data = chunks[0]
    tries = [(3, b"\2"), (8, b"\2"),
             (8, b"\4"), (12, b"\0"), (12, b"\xff" * 8), (20, b"\x0b"),
             (36, b"X"), (39, b"\2"), (40, b"\1"), (40, b"\2"), (41, b"\x20"),
             (42, b"\0"), (42, b"\1"), (42, b"\x41"), (43, b"\1"),
             (44, b"\1"), (44, b"\0\0"), (44, b"\0" * 5 + b"\1"),
             (44, b"\xc0" + b"\xff" * 7), (52, b"\1")]
    tries += [(28, struct.pack("<d", rate)) for rate in
              (0, -0.01, 0.0001, 0.26, 1, 1e300, float("nan"), float("inf"))]
    heads = [(at, sealed(at, data[:i] + new + data[i + len(new):-8]))
             for i, new in tries]
    assert tried("heads that cannot be", [lambda h=h: load("bad", [h])
                                          for h in heads]) == len(heads)

    def length(x):                  # as RDB files have it
        return bytes([x] if x < 64 else [64 | x >> 8, x & 255])

    at, data = chunks[-1]
    lost = b"\2" + length(at) + b"\5" + length(len(data)) + data
    assert payload.count(lost) == 1
    assert refused(restore, payload.replace(lost, b"")) == "Bad data format"

    # a dump whose chunks come in another order, twice, from two filters, as
    # one, or too long
    bf.insert("m2", items("m2", 60), 10, 0.01)
    other = dump("m2")
    orders = [[chunks[i] for i in order] for order in
              ([0, 2], [0, 1, 1], [0, 1, 3], [1], [0, 2, 1], [0, 1, 2, 2])]
    orders.append([(at + 8, data) for at, data in chunks])
    orders.append(chunks[:1] + other[2:])
    both = sealed(chunks[2][0], chunks[1][1][:-8] + chunks[2][1][:-8])
    orders.append([chunks[0], (chunks[2][0], both)])
    at, data = chunks[3]
    longer = at + 4096, sealed(at + 4096, data[:-8] + bytes(4096))
    orders.append(chunks[:3] + [longer])
    at, data = chunks[0]
    orders.append([(at, sealed(at, data[:12])), (at, sealed(at, data[:-64]))])
    count = tried("chunks in a wrong order",
                  [lambda o=o: load("bad", o) for o in orders])
    assert count == len(orders)
    assert min(bf.mexists("m", *items("m", 60))) == 1
    server.delete("m", "m2")
    server.config_set("rdbcompression", "yes")


# ---- Heads of 1 MB, and what is 1 MB for RESTORE: at most 50 ms each. What is
# taken is asked, dumped and deleted, too.

def megabyte(link):
    count = (1 << 20) // len(link(0))
    return b"".join(map(link, range(count))), count


def hostile():
    def image(k, cells):
        return b"BLM\1\0\x40" + bytes([k, 0]) + struct.pack("<QQQ", cells, 0, 0)

    def ours(capacity, rate, k, cells):
        links, count = megabyte(lambda i: struct.pack(
            "<QQd", capacity(i), 0, rate(i)) + image(k(i), cells(i)))
        return sealed(1, b"BLC\1" + struct.pack("<II", 1, count) + links)

    def theirs(bpe, hashes, size, items, capacity):
        links, count = megabyte(lambda i: struct.pack(
            "<QQQddIQB", size(i), size(i) * 8, items, 0.1, bpe, hashes,
            capacity, 0))
        return struct.pack("<QIII", items * count, count, 5, 1) + links

    same = lambda x: lambda i: x
    heads = {
        "small links": ours(same(1), same(0.01), same(2), same(64)),
        "small links of small rates": ours(
            lambda i: 1 + i % 20, same(1e-18), same(30),
            lambda i: 64 * (4 + i % 20 * 2)),
        "links of 1 MB": ours(same(1 << 19), same(0.01), same(7),
                              same(1 << 23)),
        "links of a terabyte": ours(same(1 << 39), same(0.01), same(7),
                                    same(1 << 43)),
        "RedisBloom's, small": theirs(9.585, 7, same(8), 1, 1),
        "RedisBloom's, 1075 probes": theirs(1550.0, 1075, same(8), 1, 1),
        "RedisBloom's, large": theirs(9.585, 7, same(1 << 20), 0, 1 << 62),
        "RedisBloom's, larger": theirs(9.585, 7, same(1 << 60), 0, 1 << 62),
    }
    assert server.config_get("maxmemory")["maxmemory"] == "0"
    slowest = []

    def used():                 # by the server; others may use the cores too
        told = server.info("cpu")
        return told["used_cpu_user"] + told["used_cpu_sys"]

    def timed(what, command, *arguments):       # the least of three times
        least = 9
        for i in range(3):
            server.delete("bad")
            begun = used()
            error = refused(command, *arguments)
            least = min(least, used() - begun)
        print("%5.1f ms: %s: %s" % (1000 * least, what, error or "taken"))
        slowest.append(least)
        assert server.info("memory")["used_memory"] < 64 << 20
        return not error

    for name, head in heads.items():
        if timed(name, bf.loadchunk, "bad", 1, head):
            assert "not loaded" in refused(bf.exists, "bad", "x")
            timed("RESTORE of that", server.restore, "bad", 0,
                  server.dump("bad"))
    bf.create("many", 0.1, 1, 1)
    bf.madd("many", *range(10000))
    timed("RESTORE of %d links" % bf.info("many").filterNum, server.restore,
          "bad", 0, server.dump("many"))
    server.delete("bad", "many")
    assert max(slowest) < 0.05


# ---- Item i of many goes to key i % KEYS; a thousand in a command.

def thousands(keys, first, end):
    for key in range(keys):
        numbers = range(first + (key - first) % keys, end, keys)
        for at in range(0, len(numbers), 1000):
            yield "f%d" % key, [b"item %d" % i for i in numbers[at:at + 1000]]


def add(keys, first, end):
    new = 0
    for key, some in thousands(int(keys), int(first), int(end)):
        new += sum(bf.madd(key, *some))
    print("%d added, %d of them new" % (int(end) - int(first), new))


def found(keys, first, end):
    there = 0
    for key, some in thousands(int(keys), int(first), int(end)):
        there += sum(bf.mexists(key, *some))
    print("%d of %d found" % (there, int(end) - int(first)))


# ---- Adds while a master is killed: PORT is a Sentinel's.

def failover(pid, seconds="90"):
    """Adds and asks that a replica has them (WAIT); kills the master; in the
    end the new master finds all that was acknowledged."""
    sentinel = redis.Redis("127.0.0.1", int(sys.argv[1]), socket_timeout=2)
    acknowledged, tried, killed, back = [], 0, 0, 0
    begun, master = time.time(), None
    while time.time() < begun + float(seconds) and back < 200:
        some = [b"item %d" % i for i in range(tried, tried + 100)]
        tried += 100
        try:
            if not master:
                host, port = sentinel.execute_command(
                    "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "m")
                master = redis.Redis(host, int(port), socket_timeout=2)
            master.execute_command("BF.MADD", "f", *some)
            if master.execute_command("WAIT", 1, 1000) >= 1:
                acknowledged += some
                back += killed > 0
        except redis.RedisError:
            master = None
            time.sleep(0.05)
        if not killed and len(acknowledged) >= 50000:
            killed = len(acknowledged)
            os.kill(int(pid), signal.SIGKILL)
    assert killed and back >= 200, (killed, back)
    for at in range(0, len(acknowledged), 1000):
        assert min(master.execute_command("BF.MEXISTS", "f",
                                          *acknowledged[at:at + 1000])) == 1
    print("%d items acknowledged before the master was killed, %d after: all "
          "found; %d were not acknowledged" % (
              killed, len(acknowledged) - killed, tried - len(acknowledged)))


globals()[sys.argv[2]](*sys.argv[3:])
