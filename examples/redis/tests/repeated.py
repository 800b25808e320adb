"""Commands that RedisBloom 2 accepted, in an append-only file or from a master.
The master is this script: it speaks as much of Redis's protocol as a replica
needs. Only this notices a replica that goes on after it lost an item, or stops
although it lost none.
usage: repeated.py SOCKET written|wrong FILE|check|sent|loading|refused COMMAND
written: writes an append-only file; check: all its items must be there; sent:
sends the same to a replica, and checks; wrong, refused: the same with a command
that this module cannot take, which is one of WRONG below."""
import functools
import itertools
import math
import socket
import sys
import threading
import time

import redis

from client import refused
from from_redisbloom import payload, probes, run, server


def items(name, n):
    return [b"%s %d" % (name, i) for i in range(n)]


# key: the options of BF.INSERT, and how many items
FILTERS = {b"large": ((b"CAPACITY", b"2000000000", b"ERROR", b"0.5"), 100),
           b"wide": ((b"CAPACITY", b"100", b"ERROR", b"0.001", b"EXPANSION",
                      b"40000"), 3000),
           b"widest": ((b"EXPANSION", b"4294967296"), 3000)}
FULL, CAPACITY, RATE = [b"full %d" % i for i in range(8)], 1000, 0.25
WRONG = {"capacity": (b"BF.INSERT", b"k", b"CAPACITY", b"9000000000000000",
                      b"ERROR", b"0.001", b"ITEMS", b"x"),
         "payload": (b"RESTORE", b"k", b"0", payload(4, [
             1, 1, 5, 2, 10, 1.5, 7, 9.585, 96, 0, b"\0" * 12, 1])),
         # The replica has lost the window of its master.
         "window": (b"BW.ADDAT", b"k", b"4000000000000", b"x")}


@functools.lru_cache(None)
def accepted(key):
    """The items that RedisBloom accepts until its filter `key` is full: those
    with the reply 1, and those that are false positives of the filter."""
    bits_per_item = -math.log(RATE) / math.log(2) ** 2
    cells = (int(CAPACITY * bits_per_item) + 63) // 64 * 64
    hashes, cells_set, count, taken = math.ceil(math.log(2) * bits_per_item), \
        set(), 0, []
    for item in items(key, 10 * CAPACITY):
        if count == CAPACITY:
            break
        where = set(probes(item, True, cells, hashes))
        count += not where <= cells_set
        cells_set |= where
        taken.append(item)
    return taken


def commands():
    yield (b"SELECT", b"0")
    for key, (options, n) in FILTERS.items():
        yield (b"BF.INSERT", key, *options, b"ITEMS", *items(key, n))
    yield (b"BF.RESERVE", b"reserved", b"0.001", b"2000000000", b"EXPANSION",
           b"40000")
    yield (b"BF.ADD", b"reserved", b"x")
    # RedisBloom recognises words by their first letters, or ignores them.
    yield (b"BF.INSERT", b"short", b"cap", b"50", b"er", b"0.001", b"EX", b"3",
           b"i", b"x", b"y")
    yield (b"BF.RESERVE", b"words", b"0.001", b"60", b"FOO", b"BAR", b"BAZ")
    for key in FULL:
        yield (b"BF.RESERVE", key, b"%g" % RATE, b"%d" % CAPACITY,
               b"NONSCALING")
        yield (b"BF.MADD", key, *accepted(key))
        for item in items(b"refused", 1000):    # RedisBloom sends these, too
            yield (b"BF.ADD", key, item)


def encoded(words):
    return b"*%d\r\n" % len(words) + b"".join(
        b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def check():
    for key, (options, n) in FILTERS.items():
        found = sum(run("BF.MEXISTS", key, *items(key, n)))
        assert found == n, "%s: %d of %d found" % (key, found, n)
        wrong = sum(run("BF.MEXISTS", key, *items(b"absent", 10000)))
        assert wrong <= 10000 * 0.012, (key, wrong)
    assert run("BF.EXISTS", "reserved", "x") == 1
    assert run("BF.INFO", "short")[1::8] == [50, 3]
    assert run("BF.MEXISTS", "short", "x", "y") == [1, 1]
    assert run("BF.INFO", "words", "CAPACITY") == [60]
    assert run("BF.INFO", "large", "CAPACITY") == [2000000000]
    assert run("BF.INFO", "reserved", "CAPACITY") == [2000000000]
    for key in b"wide", b"widest", b"reserved":
        assert run("BF.INFO", key, "EXPANSION") == [32768]
    for key in FULL:
        there = accepted(key)
        found = sum(run("BF.MEXISTS", key, *there))
        assert found == len(there), "%s: %d of %d" % (key, found, len(there))
        assert run("BF.INFO", key, "ITEMS") == [CAPACITY]
        wrong = sum(run("BF.MEXISTS", key, *items(b"absent", 10000)))
        assert wrong <= 10000 * RATE * 1.3, (key, wrong)
    print("CAPACITY 2000000000, EXPANSION 40000, full filters: all items found")


def master(data, *others):
    """Makes the server a replica of this script, which sends it an empty RDB
    file and the data. Before that, it sends each of the others, in parts, in
    place of the file, and closes the connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    empty = b"REDIS0009\xff" + bytes(8)
    last = [b"$%d\r\n%s%s" % (len(empty), empty, data)]

    def serve():
        for parts in others + (last,):
            with listener.accept()[0] as replica:
                for words in words_from(replica):
                    if words[0] == b"PING":
                        replica.sendall(b"+PONG\r\n")
                    elif words[0] == b"PSYNC":
                        replica.sendall(b"+FULLRESYNC %s 0\r\n" % (b"1" * 40))
                        for part in parts:
                            replica.sendall(part)
                        if parts is not last:
                            break
                    elif words[:2] != [b"REPLCONF", b"ACK"]:
                        replica.sendall(b"+OK\r\n")

    threading.Thread(target=serve, daemon=True).start()
    server.replicaof("127.0.0.1", listener.getsockname()[1])


def words_from(replica):
    """The commands that a replica sends"""
    asked = b""
    while True:
        more = replica.recv(4096)
        if not more:
            return
        asked += more
        while asked.count(b"\r\n") >= 1 + 2 * int(asked[1:2] or b"9"):
            count = 1 + 2 * int(asked[1:2])
            lines = asked.split(b"\r\n", count)
            asked = lines[count]
            yield lines[2:count:2]


def until(true):
    """Waits until it is true, or the server has ended."""
    for attempt in range(3000):
        try:
            if true():
                return
        except redis.ConnectionError:
            return
        time.sleep(0.1)
    raise AssertionError("the replica does not execute the commands")


def stream(data, *others):
    """The same, and waits until the server has executed all commands, or has
    ended."""
    master(data, *others)

    def executed():
        told = server.info("replication")
        return told["master_link_status"] == "up" and \
            told["slave_repl_offset"] >= len(data)
    until(executed)


def loading():
    """A replica that loads a file from the connection (repl-diskless-load) goes
    on if the connection breaks within a filter, and if a client's command is
    wrong: in both cases it has lost nothing."""
    server.config_set("repl-diskless-load", "swapdb")
    server.config_set("loading-process-events-interval-bytes", 1024)
    filter_ = b"REDIS0009\xfe\0\7\1f" + payload(4, [
        1, 1, 5, 2, 10, 0.01, 7, 9.585, 96, 0, b"\0" * 12, 1])[1:-10]
    whole = filter_ + b"\xff" + bytes(8)
    ended = threading.Event()

    def slowly():
        """Keys, until the test has ended. The replica has the last file."""
        yield b"$%d\r\nREDIS0009\xfe\0" % (1 << 40)
        for i in itertools.takewhile(lambda i: not ended.is_set(),
                                     itertools.count()):
            yield b"\0\6%06d\x3f%063d" % (i, i)
            time.sleep(0.001)
    broken, good = ([b"$%d\r\n%s" % (len(whole), part)]
                    for part in (filter_[:-20], whole))
    master(b"", broken, good, broken, slowly())
    until(lambda: server.info("persistence").get("async_loading"))
    assert run("BF.INFO", "f", "CAPACITY") == [10]
    server.config_set("replica-read-only", "no")
    assert refused(run, "BF.RESERVE", "k", 0.01, 2000000000).startswith(
        "capacity must be in the range")
    assert server.info("persistence")["async_loading"]
    ended.set()
    until(lambda: server.info("replication")["master_link_status"] == "up")
    assert server.ping()
    print("a replica that loads a file goes on after an error that loses nothing")


def main(what, *words):
    if what == "written":
        with open(words[0], "wb") as file:
            file.writelines(map(encoded, commands()))
    elif what == "wrong":
        with open(words[0], "wb") as file:
            file.write(encoded(WRONG["capacity"]))
    elif what == "check":
        check()
    elif what == "sent":
        stream(b"".join(map(encoded, commands())))
        check()
        # A client of a writable replica gets errors; the server does not stop.
        server.config_set("replica-read-only", "no")
        assert refused(run, "BF.RESERVE", "k", 0.01, 2000000000).startswith(
            "capacity must be in the range")
        assert refused(run, "BF.INSERT", "k", "EXPANSION", 40000, "ITEMS",
                       "x") == "Bad expansion"
        for words in (("BF.INSERT", "k", "cap", 50, "ITEMS", "x"),
                      ("BF.RESERVE", "k", 0.01, 100, "FOO")):
            assert refused(run, *words) == "unknown argument"
        assert refused(run, *WRONG["payload"]) == "Bad data format"
        assert server.ping()
    elif what == "loading":
        loading()
    elif what == "refused":
        stream(encoded(WRONG[words[0]]))
        try:
            server.ping()
        except redis.ConnectionError:
            return
        raise AssertionError("the replica goes on without a filter")


if __name__ == "__main__":
    main(*sys.argv[2:])
