"""Corrupted and hostile payloads for RESTORE and BF.LOADCHUNK. None may crash
or block the server: only this measures how long a command takes at most.
usage: hostile.py SOCKET malformed [SEED] | hostile"""
import random
import struct
import sys

import redis

from client import bf, crc64, dump, items, load, refused, server

# ---- Corrupted payloads. Often their checksums are computed again (Redis's
# CRC-64, the checksum of a chunk, or both); otherwise only the checks of these
# checksums would be tested.

def murmur(data, seed):             # h1 of MurmurHash3_x64_128
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

    h1 = h2 = (seed + 1) * 0x9E3779B97F4A7C15 & most
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
    """Corrupts data: flips a bit, sets, deletes or repeats bytes, truncates or
    lengthens it; until it differs from the original."""
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
    """If a payload was accepted, each command must work on it, or return an
    error."""
    if server.exists(key) and not refused(dump, key):
        added = bf.madd(key, *range(100))
        for new, there in zip(added, bf.mexists(key, *range(100))):
            assert there == 1 or isinstance(new, redis.ResponseError)
        bf.info(key)
        server.memory_usage(key)
        server.execute_command("BF.MERGE", key + "2", key)
        server.delete(key + "2")


def tried(name, attempts):
    """Calls the attempts, which are functions. Payloads that are accepted must
    be harmless. Prints and returns how many were refused."""
    count = 0
    for attempt in attempts:
        count += refused(attempt) is not None
        harmless("bad")
        assert server.ping()
        server.delete("bad")
    print("%s: %d of %d refused, the server still works" %
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
    restore(payload)                # checksums here equal the server's
    assert dump("bad") == chunks
    assert all(sealed(at, data[:-8]) == data for at, data in chunks)
    server.delete("bad")

    # Corrupt what is between the type's name and the end mark, which Redis
    # checks itself. There are several encodings of one number. If only that
    # changed, the payload is accepted and must be the same filter.
    count = 0
    while count < 100:
        new = payload[:9] + bent(payload[9:-11], chance) + payload[-11:]
        if refused(restore, new):
            count += 1
        else:
            assert dump("bad") == chunks
        server.delete("bad")
    print("RESTORE: %d refused, the server still works" % count)

    def load_bent(seal_it):
        which, now = chance.randrange(len(chunks)), list(chunks)
        at, data = now[which]
        new = bent(data[:-8], chance)
        now[which] = at, sealed(at, new) if seal_it else new + data[-8:]
        return lambda: load("bad", now)

    assert tried("BF.LOADCHUNK", [load_bent(False) for i in range(100)]) == 100

    # With right checksums, some may be valid dumps of other cells or items.
    tried("BF.LOADCHUNK, sealed again", [load_bent(True) for i in range(300)])

    def restore_head():
        at, data = chunks[0]
        new = bytearray(data[:-8])
        i = chance.randrange(len(new))
        new[i:i + 8] = bent(bytes(new[i:i + 8]), chance)[:8].ljust(8, b"\0")
        new = sealed(1, bytes(new[:len(data) - 8]))
        assert payload.count(data) == 1 and len(new) == len(data)
        changed = payload.replace(data, new)
        return lambda: restore(changed)

    tried("RESTORE, sealed again", [restore_head() for i in range(300)])

    # Impossible heads: (offset, bytes). The first link begins at offset 12.
    at, data = chunks[0]
    tries = [(3, b"\1"), (8, b"\2"),
             (8, b"\4"), (12, b"\0"), (12, b"\xff" * 8), (20, b"\x0b"),
             (36, b"X"), (39, b"\1"), (40, b"\1"), (40, b"\2"), (41, b"\x20"),
             (42, b"\0"), (42, b"\1"), (42, b"\x41"), (43, b"\1"),
             (44, b"\1"), (44, b"\0\0"), (44, b"\0" * 5 + b"\1"),
             (44, b"\xc0" + b"\xff" * 7), (52, b"\1")]
    tries += [(28, struct.pack("<d", rate)) for rate in
              (0, -0.01, 0.0001, 0.26, 1, 1e300, float("nan"), float("inf"))]
    heads = [(at, sealed(at, data[:i] + new + data[i + len(new):-8]))
             for i, new in tries]
    assert tried("impossible heads", [lambda h=h: load("bad", [h])
                                      for h in heads]) == len(heads)

    def length(x):                  # in the encoding of RDB files
        return bytes([x] if x < 64 else [64 | x >> 8, x & 255])

    at, data = chunks[-1]
    lost = b"\2" + length(at) + b"\5" + length(len(data)) + data
    assert payload.count(lost) == 1
    assert refused(restore, payload.replace(lost, b"")) == "Bad data format"
    # The 0 that ends the chunks is no number, but a string.
    assert payload[-13:-10] == b"\2\0\0"
    assert refused(restore, payload[:-13] + b"\5" + payload[-12:]) == \
        "Bad data format"

    # Dumps whose chunks are in another order, from two filters, joined, or too
    # long
    bf.insert("m2", items("m2", 60), 10, 0.01)
    other = dump("m2")
    orders = [[chunks[i] for i in order] for order in
              ([0, 2], [0, 1, 3], [1], [0, 2, 1])]
    orders.append([(at + 8, data) for at, data in chunks])
    orders.append(chunks[:1] + other[2:])
    both = sealed(chunks[2][0], chunks[1][1][:-8] + chunks[2][1][:-8])
    orders.append([chunks[0], (chunks[2][0], both)])
    at, data = chunks[3]
    longer = at + 4096, sealed(at + 4096, data[:-8] + bytes(4096))
    orders.append(chunks[:3] + [longer])
    at, data = chunks[0]
    orders.append([(at, sealed(at, data[:12])), (at, sealed(at, data[:-64]))])
    count = tried("wrong sequences of chunks",
                  [lambda o=o: load("bad", o) for o in orders])
    assert count == len(orders)
    assert min(bf.mexists("m", *items("m", 60))) == 1
    server.delete("m", "m2")
    server.config_set("rdbcompression", "yes")


# ---- Heads with the maximum number of links, for BF.LOADCHUNK and RESTORE.
# Each command may take at most 50 ms of CPU time. An accepted head is also
# dumped, and deleted.

MOST = 1075


def most(link):
    return b"".join(map(link, range(MOST))), MOST


def hostile():
    def image(k, cells):
        return b"BLM\2\0\x40" + bytes([k, 0]) + struct.pack("<QQQ", cells, 0, 0)

    def ours(capacity, rate, k, cells):
        links, count = most(lambda i: struct.pack(
            "<QQd", capacity(i), 0, rate(i)) + image(k(i), cells(i)))
        return sealed(1, b"BLC\2" + struct.pack("<II", 1, count) + links)

    def theirs(bpe, hashes, size, items, capacity):
        links, count = most(lambda i: struct.pack(
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

    def used():                 # CPU time of the server alone
        told = server.info("cpu")
        return told["used_cpu_user"] + told["used_cpu_sys"]

    def timed(what, command, *arguments):       # the best of three runs
        least = 9
        for i in range(3):
            server.delete("bad")
            begun = used()
            error = refused(command, *arguments)
            least = min(least, used() - begun)
        print("%5.1f ms: %s: %s" % (1000 * least, what, error or "accepted"))
        slowest.append(least)
        assert server.info("memory")["used_memory"] < 64 << 20
        return not error

    for name, head in heads.items():
        if timed(name, bf.loadchunk, "bad", 1, head):
            assert "not loaded" in refused(bf.exists, "bad", "x")
            timed("RESTORE of the same", server.restore, "bad", 0,
                  server.dump("bad"))
    bf.create("many", 0.1, 1, 1)
    bf.madd("many", *range(10000))
    timed("RESTORE of %d links" % bf.info("many").filterNum, server.restore,
          "bad", 0, server.dump("many"))
    server.delete("bad", "many")
    assert max(slowest) < 0.05


if __name__ == "__main__":
    globals()[sys.argv[2]](*sys.argv[3:])
