"""Limits of the module: growth, number of filters, merges, memory, chunks that
arrive twice; and what replicas, the append-only file and listeners receive.
Without it, nothing notices a limit that is missing: only extreme keys reach one.
usage: limits.py SOCKET growth|full|filters|follower|room|arriving|appended
       limits.py SOCKET watched|merged FOLDER|versions FOLDER|again FOLDER
       limits.py SOCKET effects REPLICA
FOLDER has the files of golden.txt, REPLICA is the socket of a replica."""
import glob
import random
import struct
import sys
import time

import redis

from client import aborts, bf, dump, events, items, load, refused, server
from hostile import MOST, sealed
from from_redisbloom import payload, saved, scandump

run = server.execute_command
MB = 1 << 20


def used():
    return server.info("memory")["used_memory"]


def our_head(expansion, links):
    """links: for each link capacity, items, rate, k, cells"""
    head = b"BLC\2" + struct.pack("<II", expansion, len(links))
    for capacity, count, rate, k, cells in links:
        head += struct.pack("<QQd", capacity, count, rate)
        head += b"BLM\2\0\x40" + struct.pack("<BBQQQ", k, 0, cells, 0, 0)
    return sealed(1, head)


def their_head(growth, links):
    """links: for each link capacity, items, rate; it has 64 cells per item"""
    head = struct.pack("<QIII", sum(link[1] for link in links), len(links), 5,
                       growth)
    for capacity, count, rate in links:
        head += struct.pack("<QQQddIQB", capacity * 8, capacity * 64, count,
                            rate, 9.585058377367439, 7, capacity, 0)
    return head


# ---- The memory that one add may reserve -------------------------------------

def grows(most):
    """One add to a full filter reserves memory, but less than `most`."""
    before = used()
    assert bf.add("h", "x") == 1
    assert bf.exists("h", "x") == 1 and bf.info("h").filterNum == 2
    assert MB < used() - before < most, used() - before
    server.delete("h")


def growth():
    """EXPANSION is at most 32768, and an add reserves at most 512 MB."""
    links = [(1 << 16, 1 << 16, 1e-18, 60, 90 << 16)]
    cells = bytes(90 << 13)
    for expansion in 32769, 1 << 31, (1 << 32) - 1:
        assert refused(bf.loadchunk, "h", 1, our_head(expansion, links)) == \
            "received bad data"
    load("h", [(1, our_head(32768, links)),
               (1 + len(cells), sealed(1 + len(cells), cells))])
    grows(514 * MB)
    for expansion in 32769, (1 << 32) - 1:
        load("h", [(1, their_head(expansion, [(1000, 1000, 0.01)])),
                   (8001, bytes(8000))])
        assert bf.info("h").expansionRate == 32768
        assert dump("h")[0][1] == their_head(expansion, [(1000, 1000, 0.01)])
        grows(100 * MB)
        server.restore("h", 0, payload(4, [
            1000, 1, 5, expansion, 1000, 0.01, 7, 9.585, 64000, 0,
            bytes(8000), 1000]))
        grows(100 * MB)
    print("EXPANSION, and the memory that one add reserves, are limited")


# ---- The number of filters in a key ------------------------------------------

def full():
    """A NONSCALING filter that is full keeps its rate. Items that were false
    positives when they came are not counted, so more came than its capacity."""
    for rate in 0.25, 0.1, 0.01:
        wrong = 0
        for i in range(20):
            bf.create("n", rate, 1000, noScale=True)
            for some in range(0, 2000, 10):
                if isinstance(bf.madd("n", *items("n %d" % i, 2000)
                                      [some:some + 10])[-1], Exception):
                    break
            assert bf.info("n").insertedNum == 1000
            wrong += sum(bf.mexists("n", *items("absent", 5000)))
            server.delete("n")
        assert wrong <= rate * 100000 * 1.02, (rate, wrong)
    print("full NONSCALING filters keep their rate")


MOST_FILTERS = "problem inserting into filter: a key has at most 1075 filters"


def filters():
    bf.create("e", 0.01, 1, 1)
    new = bf.madd("e", *range(1200))
    errors = [x for x in new if isinstance(x, redis.ResponseError)]
    assert new.count(1) == MOST == bf.info("e").filterNum
    assert {str(x) for x in errors} == {MOST_FILTERS}
    there = bf.mexists("e", *range(1200))
    assert all(there[i] == 1 for i in range(1200) if new[i] in (0, 1))
    load("e2", dump("e"))
    server.restore("e3", 0, server.dump("e"))
    assert dump("e") == dump("e2") == dump("e3")
    # RedisBloom's longest chain, and one filter more
    link = (1, 1, 0.01, 2, 64)
    for head in (lambda n: our_head(1, n * [link]),
                 lambda n: their_head(1, n * [link[:3]])):
        assert bf.loadchunk("f", 1, head(MOST))
        server.delete("f")
        assert refused(bf.loadchunk, "f", 1, head(MOST + 1)) == \
            "received bad data"
    fields = [1, 0.01, 7, 9.585, 64, 0, bytes(8), 1]
    server.restore("f", 0, payload(4, [MOST, MOST, 5, 1] + MOST * fields))
    assert refused(server.restore, "g", 0, payload(
        4, [MOST + 1, MOST + 1, 5, 1] + (MOST + 1) * fields)) == \
        "Bad data format"
    # Their items add up to 2^64, which BF.CARD could not show.
    assert refused(server.restore, "g", 0, payload(
        4, [2, 2, 5, 1] + 2 * (fields[:-1] + [1 << 63]))) == "Bad data format"
    head = bytearray(their_head(1, 2 * [(1, 0, 0.01)]))
    assert bf.loadchunk("g", 1, bytes(head)) and server.delete("g")
    head[20 + 23] = head[20 + 53 + 23] = 0x80
    assert refused(bf.loadchunk, "g", 1, bytes(head)) == "received bad data"
    was = dump("e")
    bf.create("f2", 0.01, 1, 1)
    bf.madd("f2", *range(1200, 1300))
    assert "1075 filters" in refused(run, "BF.MERGE", "e", "f2")
    assert dump("e") == was
    server.flushall()
    print("a key has at most %d filters" % MOST)


def follower():
    """Longer chains, which older versions of the module made, are accepted from
    a master and from the server's own file."""
    links = 3000
    cells = bytes([1]) + bytes(7)
    chunks = [(1, our_head(1, links * [(1, 1, 0.01, 2, 64)]))]
    for i in range(links):
        at = 9 + 8 * i
        chunks.append((at, sealed(at, cells)))
    assert refused(load, "m", chunks) == "received bad data"
    server.config_set("appendonly", "yes")
    while server.info("persistence")["aof_rewrite_in_progress"]:
        time.sleep(0.01)
    server.config_set("replica-read-only", "no")
    server.slaveof("127.0.0.1", 1)
    load("m", chunks)
    server.slaveof()
    assert bf.info("m").filterNum == links
    for again in "RELOAD", "LOADAOF":
        run("DEBUG", again)
        assert dump("m") == chunks, again
    server.config_set("appendonly", "no")
    absent = next(i for i in range(1000) if not bf.exists("m", i))
    assert refused(bf.add, "m", absent) == MOST_FILTERS
    server.flushall()
    print("a replica accepts %d filters" % links)


def size(key):
    return bf.info(key).size


# ---- BF.MERGE ----------------------------------------------------------------

def merge(dest, *sources):
    assert run("BF.MERGE", dest, *sources) == b"OK"


def found(key, *groups):
    for group in groups:
        assert min(bf.mexists(key, *group)) == 1, key


def merged(folder):
    """Items that the destination has add nothing, however often BF.MERGE
    repeats them. Sources that grow make the destination grow with them."""
    keys = ["k%d" % i for i in range(6)]
    for key in keys:
        bf.insert(key, items(key, 1000))
    merge("d", *keys)
    was = dump("d")
    for i in range(3):
        for sources in keys, ["d"], ["d"] + keys + keys[::-1]:
            merge("d", *sources)
            assert dump("d") == was, (i, sources)
    found("d", *[items(key, 1000) for key in keys])
    for i in range(150):
        for key in keys:
            bf.madd(key, *items("%s %d" % (key, i), 10))
        merge("d", *keys)
    every = [items(key, 1000) + [item for i in range(150) for item in
                                 items("%s %d" % (key, i), 10)] for key in keys]
    found("d", *every)
    merge("fresh", *keys)
    found("fresh", *every)
    times, rates = [], []
    for key in "d", "fresh":
        times.append(size(key) / sum(map(size, keys)))
        rates.append(sum(bf.mexists(key, *items("absent", 10000))) / 10000)
    assert times[0] < 2.5 and times[1] <= 1 and rates[1] < 0.066, (times, rates)
    print("six sources of rate 0.01, merged 150 times while they grow: %.1f "
          "times their size, rate %.3f; merged once: %.1f, %.3f" % (
              times[0], rates[0], times[1], rates[1]))
    # RedisBloom's filters, too: first the same one, then one that has grown
    server.restore("t", 0, saved(folder, "sc_s_n300_p01_x2"))
    merge("u", "t")
    was = dump("u")
    merge("u", "t", "u")
    assert dump("u") == was
    assert sum(bf.madd("t", *items("t", 50))) > 40
    merge("u", "t")
    found("u", [b"key-%d" % i for i in range(1000)], items("t", 50))
    assert dump("u") == dump("t")
    # Items were added while this dump was made: its head says that it has none.
    bf.insert("x", items("x", 9))
    (at, head), *cells = dump("x")
    head = sealed(at, head[:20] + bytes(8) + head[28:-8])
    load("z", [(at, head)] + cells)
    bf.create("y", 0.01, 50)
    merge("y", "z")
    found("y", items("x", 9))
    server.flushall()
    print("BF.MERGE: the same items again add nothing")


def versions(folder):
    """Versions of the module may plan filters of equal capacity and rate with
    other sizes. Such filters are loaded, grow, and are merged. Here they are: a
    dump of BLOOM_VERSION 20200; a filter that claims a smaller capacity than it was
    planned for; and two filters of this version."""
    payload = saved(folder, "module-20200")
    server.restore("v", 0, payload)
    assert server.dump("v")[:-10] == payload[:-10]
    told = bf.info("v")
    assert (told.capacity, told.size, told.filterNum, told.insertedNum,
            told.expansionRate) == (70, 344, 3, 59, 2)
    bf.insert("planned", items("w", 60), 15, 0.01)
    (at, head), *cells = dump("planned")
    links = list(struct.iter_unpack("<QQd32s", head[12:-8]))
    claimed = b"".join(struct.pack("<QQd32s", capacity * 2 // 3,
                                   min(count, capacity * 2 // 3), rate, header)
                       for capacity, count, rate, header in links)
    load("w", [(at, sealed(at, head[:12] + claimed))] + cells)
    for ours, theirs in zip(links, struct.iter_unpack(
            "<QQd32s", dump("v")[0][1][12:-8])):
        assert ours[2] == theirs[2] and ours[3] != theirs[3]
    # The bytes of one filter, in a filter with more cells, find other items.
    bf.insert("few", items("few", 1), 10, 0.01)
    cells = dump("few")[1][1][:-8] + bytes(64)
    load("wider", [(1, our_head(2, [(10, 1, 0.005, 5, 8 * len(cells))])),
                   (1 + len(cells), sealed(1 + len(cells), cells))])
    merge("wider", "few")
    found("wider", items("few", 1))
    server.delete("few", "wider")
    bf.insert("n", items("n", 60), 10, 0.01)
    bf.insert("e", items("e", 60), 7, 0.01, expansion=3)
    count = dict.fromkeys("vwne", 60)
    for more in 0, 100:
        for key in count:
            bf.madd(key, *items(key, count[key] + more))
            count[key] += more
            found(key, items(key, count[key]))
        for order in "vwne", "enwv", "nvew":
            merge("all", *order)
            for key in order:
                merge("each", key)
                found("each", items(key, count[key]))
            for dest in "all", "each":
                merge(dest, dest, *order)
                found(dest, *[items(key, count[key]) for key in order])
                wrong = sum(bf.mexists(dest, *items("absent", 2000)))
                assert wrong <= 80 + 4 * 80 ** 0.5, (order, wrong)
                bf.madd(dest, *items("more", 100))
                found(dest, items("more", 100), items("v", count["v"]))
            was = dump("all")
            run("DEBUG", "RELOAD")
            assert dump("all") == was
            server.delete("all", "each")
    server.flushall()
    print("filters of several versions of the module are merged")


# ---- A chunk that is loaded again --------------------------------------------

def twice(dumped, key):
    for at, data in dumped:
        for i in range(2):
            assert bf.loadchunk("a", at, data), at
    if dumped[0][1][:3] == b"BLC":
        assert refused(bf.loadchunk, "a", *dumped[0]) == "item exists"
    for at, data in dumped[1:]:
        assert bf.loadchunk("a", at, data)
    assert dump("a") == dumped == dump(key)


def again(folder):
    bf.insert("k", items("k", 100), 20, 0.01)
    ours = dump("k")
    assert len(ours) > 3
    twice(ours, "k")
    # Items that were added between the two loads are not lost.
    more = items("more", 100)
    bf.madd("a", *more)
    was = dump("a")
    for at, data in ours[1:]:
        assert bf.loadchunk("a", at, data)
    assert dump("a") == was and min(bf.mexists("a", *more)) == 1
    server.delete("a")
    # Chunks that were not loaded before, or have other bits, are no repetition.
    load("a", ours[:3])
    at, data = ours[1]
    more = bytes(x | 1 << 5 for x in data[:-8])
    for chunk in ((at, sealed(at, more)),
                  (at + 8, sealed(at + 8, data[:-8])),
                  (at - 1, sealed(at - 1, data[:-8])),
                  (ours[3][0] + 8, sealed(ours[3][0] + 8, bytes(8)))):
        assert refused(bf.loadchunk, "a", *chunk) == "received bad data"
    load("a", ours[3:])
    assert dump("a") == ours
    # Nor is a chunk that extends beyond the end of a filter.
    at, data = ours[2]
    assert refused(bf.loadchunk, "a", at + 4096,
                   sealed(at + 4096, data[:-8] + bytes(4096)))
    server.delete("a")
    theirs = scandump(folder, "sc_s_n300_p01_x2")
    load("golden", theirs)
    twice(theirs, "golden")
    assert bf.loadchunk("a", 1 + 8, theirs[1][1][:8])
    assert refused(bf.loadchunk, "a", 1 + 8, b"\xff" * 8)
    assert dump("a") == theirs
    server.flushall()
    print("a chunk may be loaded twice")


# ---- Memory ------------------------------------------------------------------

NO_ROOM = ": Redis would exceed maxmemory or, without maxmemory, half of the " \
    "machine's memory"
NO_MEMORY = "Insufficient memory to create filter" + NO_ROOM
NO_GROWTH = "problem inserting into filter" + NO_ROOM


def room():
    """A filter that does not fit into the free memory is refused, unless Redis
    evicts keys."""
    big = our_head(2, [(4500000, 0, 0.01, 7, 4500000 // 64 * 64 * 10)])
    chunks = [(9, sealed(9, bytes(8))), (400009, sealed(400009, bytes(400000)))]
    assert bf.create("full", 0.01, 2000000) and bf.loadchunk("begun", 1, big)
    server.config_set("maxmemory", used() + 4 * MB)
    assert refused(bf.create, "n", 0.01, 4500000) == NO_MEMORY
    assert refused(bf.insert, "n", ["x"], 4500000) == NO_MEMORY
    load("begun", chunks[:1])
    for key, at, data in ("n", 1, big), ("begun", *chunks[1]):
        assert refused(bf.loadchunk, key, at, data) == NO_MEMORY, key
    assert server.exists("n") == 0
    assert bf.create("n", 0.01, 2000000)
    server.delete("n")
    server.config_set("maxmemory-policy", "allkeys-lru")
    assert bf.create("n", 0.01, 4500000)    # the next command evicts keys
    server.config_set("maxmemory-policy", "noeviction")
    server.config_set("maxmemory", 0)
    assert bf.create("n2", 0.01, 4500000)
    load("later", [(1, big)] + chunks)
    assert NO_MEMORY in [refused(bf.create, "huge%d" % i, 1e-18, 1 << 30)
                         for i in range(999)]       # 12 GB each
    # The allocator rounds up by a quarter at most.
    assert used() < 1.25 * server.info("memory")["total_system_memory"] / 2
    assert refused(server.restore, "r\nforged" + 99 * "\0", 0, payload(4, [
        1, 1, 5, 2, 10, 1.5, 7, 9.585, 96, 0, bytes(12), 1])) == \
        "Bad data format"
    server.flushall()
    print("only filters that fit into the free memory are made")


def arriving():
    """The memory reserved for a dump grows with its chunks, whatever sizes its
    head claims."""
    before = used()
    size = 1 << 30
    load("o", [(1, our_head(2, [(size // 2, 0, 0.01, 7, 8 * size)])),
               (9, sealed(9, bytes(8)))])
    load("t", [(1, their_head(2, [(size // 8, 0, 0.01)])), (9, bytes(8))])
    server.copy("o", "o2")
    server.restore("t2", 0, server.dump("t"))
    assert used() - before < 5 * MB, used() - before
    server.flushall()
    server.config_set("rdbcompression", "no")       # of random bytes
    first, size = 17 * MB, 19 * MB
    chance = random.Random(1)
    head = their_head(2, [(first // 8, 0, 0.01), ((size - first) // 8, 0, 0.005)])
    assert bf.loadchunk("t", 1, head)
    before = used()
    end, sent = 0, []
    while end < size:
        n = min(chance.choice((1, 9999, MB, 5 * MB)),
                (first if end < first else size) - end)
        sent.append(chance.randbytes(n))
        end += n
        assert bf.loadchunk("t", 1 + end, sent[-1])
        assert used() - before < 16 * end + 3 * MB
        if len(sent) % 4 == 0 and end < size:
            server.copy("t", "copy")
            server.restore("restored", 0, server.dump("copy"))
            run("DEBUG", "RELOAD")
            server.delete("t", "copy")
            server.rename("restored", "t")
    assert b"".join(data for at, data in dump("t")[1:]) == b"".join(sent)
    assert dump("t")[0][1] == head
    server.flushall()
    print("the memory reserved for a dump grows with its chunks")


# ---- Replicas, append-only file, notifications -------------------------------

def effects(other):
    """The replica gets the items that were added, and none that were refused
    for lack of memory."""
    replica = redis.Redis(unix_socket_path=other)
    bf.create("g", 1e-100, 30, 32768)
    bf.madd("g", *range(20))
    server.config_set("maxmemory", used() + 4 * MB)
    told = bf.madd("g", *range(40))
    assert told[:30] == 20 * [0] + 10 * [1]
    assert {str(x) for x in told[30:]} == {NO_GROWTH}, told
    told = run("BF.INSERT", "g2", "ERROR", "1e-100", "CAPACITY", 30,
               "EXPANSION", 32768, "ITEMS", *range(40))
    assert told.count(1) == 30
    server.config_set("maxmemory", 0)
    assert server.wait(1, 5000) == 1
    for key in "g", "g2":
        assert server.execute_command("DEBUG", "DIGEST-VALUE", key) == \
            replica.execute_command("DEBUG", "DIGEST-VALUE", key)
    assert bf.add("g", 35) == 1
    for i in range(4):
        for key in "abc":
            bf.insert(key, items("%s %d" % (key, i), 150))
        merge("d", *"abc")
        merge("d", "d", "a")
    assert server.wait(1, 5000) == 1
    assert replica.execute_command("BF.INFO", "g", "FILTERS") == [2]
    assert server.execute_command("DEBUG", "DIGEST") == \
        replica.execute_command("DEBUG", "DIGEST")
    server.flushall()
    print("a replica gets exactly the items that were added")


def read_commands(path):
    with open(path, "rb") as file:
        for line in file:
            yield [file.read(int(file.readline()[1:]) + 2)[:-2]
                   for i in range(int(line[1:]))]


def appended():
    """The append-only file contains, in order, each item for which the reply
    was 0 or 1. If all items of a command were accepted, it contains the command
    unchanged. So a server with other bits misses no item. Refused items are not
    in the file."""
    server.config_set("aof-use-rdb-preamble", "no")
    server.config_set("appendonly", "yes")
    while server.info("persistence")["aof_rewrite_in_progress"]:
        time.sleep(0.01)
    told = {}                           # the acknowledged items of each key

    def answered(key, some, answers):
        told.setdefault(key, []).extend(
            item for item, x in zip(some, answers) if x in (0, 1))

    bf.create("f", 0.05, 1000)
    answered("f", items("f", 900), bf.madd("f", *items("f", 900)))
    for transaction in False, True:
        with server.pipeline(transaction) as pipe:
            for item in items("f", 20000):
                pipe.execute_command("BF.ADD", "f", item)
            answered("f", items("f", 20000), pipe.execute())
    insert = (b"BF.INSERT", b"i", b"CAPACITY", b"7", b"ERROR", b"0.2", b"ITEMS",
              *items("i", 500))
    for i in range(2):
        answered("i", insert[7:], run(*insert))
    answered("lua", [b"x", b"x"], run(
        "EVAL", "return {redis.call('BF.ADD', KEYS[1], ARGV[1]), "
        "redis.call('BF.ADD', KEYS[1], ARGV[1])}", 1, "lua", "x"))
    bf.create("n", 0.25, 50, noScale=True)
    refusals = 0
    for i in range(0, 300, 10):
        some = items("n", 300)[i:i + 10]
        answers = bf.madd("n", *some)
        answered("n", some, answers)
        refusals += isinstance(answers[-1], redis.ResponseError)
    assert refusals > 20 and len(told["n"]) > 50
    assert refused(bf.add, "n", "absent") == "non scaling filter is full"
    (path,) = glob.glob(server.config_get("dir")["dir"] +
                        "/appendonlydir/*.incr.aof")
    was = run("DEBUG", "DIGEST")
    run("DEBUG", "LOADAOF")
    assert run("DEBUG", "DIGEST") == was
    stands, inserted, made = {}, 0, []
    for words in read_commands(path):
        name = words[0].upper()
        inserted += words == list(insert)
        if name == b"BF.RESERVE":
            made.append([words[1], float(words[2])] + words[3:])
        elif name[:3] == b"BF.":
            first = 7 if name == b"BF.INSERT" else 2
            stands.setdefault(words[1].decode(), []).extend(words[first:])
    for key in told:
        assert stands[key] == told[key], "%s: the file has %d items of %d" % (
            key, len(stands[key]), len(told[key]))
    assert stands.keys() == told.keys() and inserted == 2
    assert made == [[b"f", 0.05, b"1000", b"EXPANSION", b"2"],
                    [b"i", 0.2, b"7", b"EXPANSION", b"2"],
                    [b"lua", 0.01, b"100", b"EXPANSION", b"2"],
                    [b"n", 0.25, b"50", b"NONSCALING"]], made
    server.config_set("appendonly", "no")
    server.flushall()
    print("the append-only file has each item for which the reply was 0 or 1")


def watched():
    """Only changes abort WATCH and send notifications."""
    def change():
        bf.create("w", 0.01, 100)
        run("bf.Add", "w", "x")
        run("BF.INSERT", "w2", "ITEMS", "x")
        run("BF.MERGE", "w3", "w", "w2")
        load("w4", dump("w"))
        for command in (("BF.ADD", "w", "x"), ("BF.MADD", "w", "x", "x"),
                        ("BF.EXISTS", "w", "x"), ("BF.INFO", "w")):
            run(*command)
        assert refused(bf.create, "w", 0.01, 100) == "item exists"
        run("BF.ADD", "w", "y")
    assert events(change) == [
        ("bf.reserve", "w"), ("bf.add", "w"), ("bf.insert", "w2"),
        ("bf.merge", "w3"), ("bf.loadchunk", "w4"), ("bf.loadchunk", "w4"),
        ("bf.add", "w")]
    assert not aborts("BF.ADD", "w", "x")
    assert not aborts("BF.RESERVE", "w", 0.01, 100)
    assert aborts("BF.ADD", "w", "z")
    assert aborts("BF.MADD", "w", "new", "z")   # the last item was in
    server.flushall()
    print("only changes abort WATCH and send notifications")


if __name__ == "__main__":
    globals()[sys.argv[2]](*sys.argv[3:])
