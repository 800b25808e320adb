"""Tests that use python3-redis, for replies.sh, restarts.sh and failover.sh.
Without it, nothing tries the bf() client, and nothing looks up each item after
a restart or a failover.
usage: client.py SOCKET client|fill ROUND|check ROUND...
       client.py PORT failover PID
PORT is that of a Sentinel. PID is the process of the master."""
import os
import signal
import sys
import time

import redis

if sys.argv[2] == "failover":
    server = redis.Redis("127.0.0.1", int(sys.argv[1]))
else:
    server = redis.Redis(unix_socket_path=sys.argv[1])
bf = server.bf()


def crc64(data):  # reflected, with the polynomial of Jones
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x95AC9329AC4BC9B5 if crc & 1 else 0)
    return crc


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


def events(change):
    """The notifications that are sent while change() runs: [(event, key)]"""
    server.config_set("notify-keyspace-events", "KEd")
    listener, heard = server.pubsub(), []
    listener.psubscribe("__keyevent@0__:*")
    assert listener.get_message(timeout=300)["type"] == "psubscribe"
    change()
    server.publish("__keyevent@0__:end", "")
    while not heard or heard[-1][0] != "end":
        message = listener.get_message(timeout=300)
        assert message, heard
        heard.append((message["channel"].decode()[15:],
                      message["data"].decode()))
    server.config_set("notify-keyspace-events", "")
    return heard[:-1]


def aborts(*words):
    """Whether the command aborts a transaction that watches w"""
    with server.pipeline() as pipe:
        pipe.watch("w")
        refused(server.execute_command, *words)
        pipe.multi()
        pipe.ping()
        try:
            pipe.execute()
        except redis.WatchError:
            return True
    return False


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
    # the sum of the filters' capacities for each EXPANSION
    for expansion, capacity in (1, 100), (2, 124), (4, 340):
        key = "e%d" % expansion
        bf.create(key, 1e-9, 4, expansion)
        assert sum(bf.madd(key, *range(100))) == 100
        assert bf.info(key).capacity == capacity
    # two filters that together fill one are always united
    for i in range(8):
        for half in "h1", "h2":
            bf.insert(half, items("%s %d" % (half, i), 5000), 10000,
                      noScale=True)
        server.execute_command("BF.MERGE", "h1", "h2")
        assert 9500 < bf.info("h1").insertedNum <= 10000
        server.delete("h1", "h2")
    # a thousand filters in one key: their rates fall below the least rate
    bf.create("e", 0.0001, 1, 1)
    assert sum(bf.madd("e", *range(1000))) > 990
    assert min(bf.mexists("e", *range(1000))) == 1
    load("ee", dump("e"))
    assert dump("ee") == dump("e")
    # more than one chunk: 38 MB of cells
    used = server.info("memory")["used_memory"]
    bf.create("big", 0.001, 20000000)
    bf.madd("big", *items("big", 1000))
    used = server.info("memory")["used_memory"] - used
    assert 0.98 * used < server.memory_usage("big") < 1.02 * used
    assert bf.info("big").size < 1.01 * used    # the server frees some, too
    load("big2", dump("big"))
    assert len(dump("big2")) == 4 and dump("big2") == dump("big")
    assert min(bf.mexists("big2", *items("big", 1000))) == 1
    # refused if maxmemory is 8 MB
    payload, head = server.dump("big"), dump("big")[:1]
    server.delete("big", "big2")
    server.config_set("maxmemory", "8mb")
    assert refused(load, "big", head).startswith("Insufficient memory")
    assert refused(server.restore, "big", 0, payload) == "Bad data format"
    server.config_set("maxmemory", 0)
    server.restore("big", 0, payload)
    assert min(bf.mexists("big", *items("big", 1000))) == 1
    server.delete("big")
    print("python3-redis: the bf() client works")


# key: the arguments of its BF.RESERVE. In each round, N items are added to it.
FILLED = {"r1": (0.01, 1000), "r2": (0.001, 30000), "r3": (0.05, 100, 4),
          "r4": (0.2, 100, 1), "r5": (0.01, 30000, None, True)}
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


# ---- Adding while a master is killed. PORT is the port of a Sentinel.

def failover(pid, seconds="900"):
    """Adds items and waits until a replica has them (WAIT). Kills the master
    meanwhile. In the end the new master must find all acknowledged items."""
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
    print("%d items were acknowledged before the master was killed, %d after "
          "that, all found; %d were not acknowledged" % (
              killed, len(acknowledged) - killed, tried - len(acknowledged)))


if __name__ == "__main__":
    globals()[sys.argv[2]](*sys.argv[3:])
