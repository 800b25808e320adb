"""Data that RedisBloom wrote is loaded, looked up in and written again. Only
this compares the answers and the bytes with those of a real RedisBloom.
usage: from_redisbloom.py SOCKET old|golden FOLDER|grown FOLDER|loaded FOLDER
                        |unfinished FOLDER
FOLDER has the files of golden.txt, and the answers of a real RedisBloom."""
import struct
import sys

import redis

from client import crc64, dump, load, refused

server = redis.Redis(unix_socket_path=sys.argv[1])      # without client.py's bf()
run = server.execute_command
# name: kind of items, capacity, items, links, bytes of cells
FILTERS = {"ns_s_n1000_p01": ("s", 1000, 998, 1, 1200),
           "ns_b_n1000_p001": ("b", 1000, 1000, 1, 1800),
           "sc_s_n300_p01_x2": ("s", 2100, 994, 3, 3440),
           "ns_full_n100": ("s", 100, 100, 1, 120)}


def some_bytes(i):
    data = bytearray((i * 131 + j * 17 + 7) & 255 for j in range(4 + i % 37))
    data[:4] = struct.pack("<I", i * 2654435761 & 0xFFFFFFFF)
    return bytes(data)


def item(scheme, i):
    return some_bytes(i) if scheme == "b" else b"key-%d" % i


def absent(scheme, i):
    return some_bytes(i + 1000000) if scheme == "b" else b"absent-%d" % i


# ---- The golden files ----------------------------------------------------

def saved(folder, name):
    with open("%s/%s.dump" % (folder, name), "rb") as file:
        return file.read()


def answers(folder):
    """For each filter, the absent items that RedisBloom reports as present"""
    lines = open(folder + "/answers.txt").read().splitlines()[1:]
    return {name: set(map(int, positive.split(",")))
            for name, positive in map(str.split, lines)}


def check(key, name, expected):
    """All answers equal those of the real RedisBloom."""
    scheme, capacity, items, links, size = FILTERS[name]
    told = run("BF.INFO", key)
    assert told[1::2][:4] == [capacity, 32 + 64 * links + size, links, items]
    assert told[9] == (None if name[:2] == "ns" else 2)
    count = 100 if name == "ns_full_n100" else 1000
    assert min(run("BF.MEXISTS", key, *[item(scheme, i)
                                        for i in range(count)])) == 1
    said = run("BF.MEXISTS", key, *[absent(scheme, i) for i in range(10000)])
    assert {i for i in range(10000) if said[i]} == expected[name], name


def scandump(folder, name):
    ends = [FILTERS[name][4] + 1]
    if name == "sc_s_n300_p01_x2":
        ends = [417, 1353, 3441]
    read = lambda i, end: open("%s/%s.scandump.%d%s" % (
        folder, name, i, "_iter%d" % end if i > 1 else ""), "rb").read()
    return [(1, read(1, 0))] + [(end, read(i + 2, end))
                                for i, end in enumerate(ends)]


def golden(folder):
    expected = answers(folder)
    for name in FILTERS:
        payload = saved(folder, name)
        chunks = scandump(folder, name)
        server.restore("a", 0, payload)
        load("b", chunks)
        server.copy("a", "c")
        for key in "a", "b", "c":
            check(key, name, expected)
            assert dump(key) == chunks
            # the last 10 bytes are the version of RDB and the checksum
            assert server.dump(key)[:-10] == payload[:-10]
        server.delete("a", "b", "c")
    print("golden dumps: loaded, same answers, saved unchanged")


def grown(folder):
    """RedisBloom's filters take more items, full or not. Then they are saved in
    the module's own type."""
    expected = answers(folder)
    for name, (scheme, capacity, items, links, size) in FILTERS.items():
        server.restore("g", 100000000, saved(folder, name))
        theirs = server.dump("g")
        assert run("BF.ADD", "g", item(scheme, 0)) == 0     # in: no change
        assert server.dump("g") == theirs
        run("BF.MERGE", "u", "g")                       # a copy of our type
        check("u", name, expected)
        new, taken = [b"new %d" % i for i in range(3000)], 0
        for x in new:
            if refused(run, "BF.ADD", "g", x) == "non scaling filter is full":
                break
            taken += 1
        now = run("BF.INFO", "g")
        if name[:2] == "ns":
            assert now[7] == capacity and now[5] == links
        else:
            assert taken == 3000 and now[5] == links + 1 and now[1] == 4500
        found = run("BF.MEXISTS", "g", *new[:taken], *[
            item(scheme, i) for i in range(100)])
        assert min(found) == 1
        wrong = sum(run("BF.MEXISTS", "g", *[absent(scheme, i) for i in
                                             range(10000)]))
        assert wrong <= 1.5 * max(len(expected[name]), 100), wrong
        assert 0 < server.pttl("g") <= 100000000
        changed = now[7] > items
        assert (server.dump("g")[:10] != theirs[:10]) == changed
        payload, chunks = server.dump("g"), dump("g")
        load("g2", chunks)
        server.restore("g3", 0, payload)
        assert dump("g2") == dump("g3") == chunks
        server.delete("g", "g2", "g3", "u")
    print("golden filters grow")


def loaded(folder):
    """After the server has loaded redisbloom.rdb or redisbloom.aof"""
    expected = answers(folder)
    assert sorted(server.keys()) == sorted(x.encode() for x in FILTERS)
    for name in FILTERS:
        check(name, name, expected)
        payload = saved(folder, name)
        assert server.dump(name)[:-10] == payload[:-10]


# ---- Older encodings, made by an independent implementation -----------------

def murmur64a(data, seed):
    most, m = 2 ** 64 - 1, 0xC6A4A7935BD1E995
    h = (seed ^ len(data) * m) & most
    whole = len(data) // 8 * 8
    for (k,) in struct.iter_unpack("<Q", data[:whole]):
        k = k * m & most
        k = (k ^ k >> 47) * m & most
        h = (h ^ k) * m & most
    if data[whole:]:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & most
    h = (h ^ h >> 47) * m & most
    return h ^ h >> 47


def murmur2(data, seed):
    most, m = 2 ** 32 - 1, 0x5BD1E995
    h = (seed ^ len(data)) & most
    whole = len(data) // 4 * 4
    for (k,) in struct.iter_unpack("<I", data[:whole]):
        k = k * m & most
        h = (h * m ^ (k ^ k >> 24) * m) & most
    if data[whole:]:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & most
    h = (h ^ h >> 13) * m & most
    return h ^ h >> 15


def probes(data, wide, cells, hashes):
    if wide:
        a = murmur64a(data, 0xC6A4A7935BD1E995)
        b = murmur64a(data, a)
    else:
        a = murmur2(data, 0x9747B28C)
        b = murmur2(data, a)
    return [(a + i * b) % 2 ** 64 % cells for i in range(hashes)]


def payload(encoding, fields):
    """A DUMP payload of the module's type: ints, doubles and bytes."""
    letters = ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
               "0123456789-_")
    number = 0
    for letter in "MBbloom--":
        number = number << 6 | letters.index(letter)
    length = lambda n: b"\x81" + struct.pack(">Q", n)
    data = b"\x07" + length(number << 10 | encoding)
    for x in fields:
        if isinstance(x, int):
            data += b"\2" + length(x)
        elif isinstance(x, float):
            data += b"\4" + struct.pack("<d", x)
        else:
            data += b"\5" + length(len(x)) + x
    data += b"\0" + struct.pack("<H", 10)
    return data + struct.pack("<Q", crc64(data))


def old():
    rate, capacity = 0.01, 1000
    bpe = 9.585058377367439
    for encoding, options, power, cells in (
            (0, 0, 0, 9585), (1, 0, 14, 16384), (1, 0, 0, 9600),
            (2, 4, 14, 16384), (2, 0, 14, 16384), (3, 5, 0, 9600),
            (4, 13, 0, 9600), (4, 1, 0, 9600), (1, 0, 6, 64),
            (4, 4, 13, 8192)):
        wide = options & 4 > 0
        size = 1200 if power == 13 else (cells + 7) // 8
        bits = bytearray(size)
        keys = [some_bytes(i)[:i % 41] + b"%d" % i for i in range(40)] + [b""]
        for key in keys if cells > 64 else []:
            for x in probes(key, wide, cells, 7):
                bits[x >> 3] |= 1 << (x & 7)
        fields = [len(keys), 1]
        fields += [options] if encoding >= 2 else []
        fields += [3] if encoding >= 4 else []
        fields += [capacity, rate, 7, bpe]
        fields += [size * 8 if power in (0, 13) else 0,
                   power] if encoding else []
        fields += [bytes(bits), len(keys)]
        name = "old"
        server.restore(name, 0, payload(encoding, fields))
        asked = keys + [b"no %d" % i for i in range(3000)]
        expected = [int(all(bits[x >> 3] >> (x & 7) & 1
                            for x in probes(key, wide, cells, 7)))
                    for key in asked]
        assert run("BF.MEXISTS", name, *asked) == expected, (encoding, power)
        width = 64 if wide else 32
        assert b"bits:%d hashes:7 hashwidth:%d" % (cells, width) in \
            run("BF.DEBUG", name)[1]
        assert run("BF.INFO", name, "EXPANSION") == [
            None if options & 8 else 3 if encoding == 4 else 2]
        server.restore("again", 0, server.dump(name))
        assert run("BF.MEXISTS", "again", *asked) == expected
        assert min(run("BF.MADD", name, b"n 1", b"n 2", b"n 3")) == 1
        assert min(run("BF.MEXISTS", name, b"n 1", b"n 2", *keys[:cells // 65])
                   ) == 1
        server.delete(name, "again")
    # impossible values: an error, never a filter
    good = [1, 1, 5, 2, 10, 0.01, 7, bpe, 96, 0, b"\0" * 12, 1]
    server.restore("ok", 0, payload(4, good))
    # of RedisBloom 2, which has no limits: they are saved unchanged
    large = payload(4, good[:3] + [2 ** 32 - 1, 2 ** 40] + good[5:])
    server.restore("large", 0, large)
    assert server.dump("large")[:-10] != server.dump("ok")[:-10]
    server.restore("large2", 0, server.dump("large"))
    assert server.dump("large2") == server.dump("large")
    assert run("BF.INFO", "large2")[1::2][::4] == [2 ** 40, 32768]
    assert run("BF.DEBUG", "large2")[1].count(b"capacity:%d " % 2 ** 40) == 1
    server.delete("large", "large2")
    # The number of bits must fit the bytes: above it, cells would be read
    # beyond them, and below it, items would not be found.
    for at, bad in ((1, 0), (1, 2), (1, 2 ** 64 - 1), (2, 16), (3, 2 ** 32),
                    (4, 0),
                    (5, 0.0), (5, 1.0), (5, float("nan")), (5, -0.5), (6, 8),
                    (6, 0), (7, float("nan")), (7, 1e300), (7, -bpe), (8, 97),
                    (8, 88), (8, 0), (8, 2 ** 63), (9, 7), (9, 64), (10, b""),
                    (10, b"\0" * 11), (2, 1 << 30 | 5)):
        fields = good[:at] + [bad] + good[at + 1:]
        assert refused(run, "RESTORE", "bad", 0, payload(4, fields)), (at, bad)
    assert refused(run, "RESTORE", "bad", 0, payload(5, good))
    for missing, cells, taken in (
            (0, b"", 0), (12, b"", 1), (11, b"\0", 1), (11, b"", 0),
            (11, b"\0" * 2, 0), (11, b"\0" * 12, 0), (0, b"\0" * 12, 1),
            (0, b"\0" * 13, 0), (13, b"", 0)):
        some = good[:2] + [1 << 30 | 5, 2, missing] + good[4:10] + [cells, 1]
        error = refused(run, "RESTORE", "bad", 0, payload(4, some))
        assert (error is None) == taken, (missing, cells)
        server.delete("bad")
    for first, second, taken in (b"\0" * 12, b"", 1), (b"", b"\0" * 12, 0):
        error = refused(run, "RESTORE", "bad", 0, payload(4, [
            2, 2, 1 << 30 | 5, 2, 12] + good[4:10] + [first, 1] + good[4:10]
            + [second, 1]))
        assert (error is None) == taken, (first, second)
        server.delete("bad")
    assert server.exists("bad") == 0
    server.delete("ok")
    print("encodings 0 to 4, hashes of 32 and 64 bits: all answers are right")


# ---- An unfinished dump ------------------------------------------------------

def unfinished(folder):
    """Loading begins before a restart and ends after it."""
    chunks = scandump(folder, "sc_s_n300_p01_x2")
    for cut in range(1, 4):
        key = "half%d" % cut
        if not server.exists(key):
            load(key, chunks[:cut])
        assert "not loaded yet" in refused(run, "BF.EXISTS", key, "x")
        assert "not loaded yet" in refused(run, "BF.ADD", key, "x")
        assert refused(run, "BF.LOADCHUNK", key, 9999, b"x") == \
            "invalid offset - no link found"
        server.copy(key, key + " copy")
        load(key + " copy", chunks[cut:])
        check(key + " copy", "sc_s_n300_p01_x2", answers(folder))
        server.delete(key + " copy")
    assert refused(run, "BF.LOADCHUNK", "half1", 1 + 417, b"x" * 417) == \
        "invalid chunk - Too big for current filter"
    good = chunks[0][1]
    for at, new in ((0, b"\xff" * 8), (8, b"\4"), (8, b"\0"), (12, b"\x15"),
                    (20, b"\xff" * 8), (28, b"\xa1"), (36, b"\xff" * 8),
                    (44, b"\0" * 8), (52, b"\xff" * 8), (60, b"\7"),
                    (72, b"\x40")):
        bad = good[:at] + new + good[at + len(new):]
        assert refused(run, "BF.LOADCHUNK", "bad", 1, bad) == \
            "received bad data", at
        assert refused(run, "BF.LOADCHUNK", "bad", 1, good[:-1])


if __name__ == "__main__":
    globals()[sys.argv[2]](*sys.argv[3:])
