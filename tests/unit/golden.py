#!/usr/bin/env python3
"""Makes the golden images of the tests by a second implementation of format 2
(image, MurmurHash3, walk) in plain Python. It uses nothing of bloom.h, and the
tests compare the library's images with these.

    usage: golden.py    prints the filters of tests/unit/images.c, then the
                        chains of tests/unit/chain.c, in hexadecimal
"""
import struct

M64 = 2**64 - 1
M32 = 2**32 - 1
G = 0x9E3779B97F4A7C15
C = 0xD1342543DE82EF95
SALT = [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
        0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31]


def rotl(x, r, bits):
    return (x << r | x >> (bits - r)) & (2**bits - 1)


def fmix64(h):
    h = (h ^ h >> 33) * 0xff51afd7ed558ccd & M64
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53 & M64
    return h ^ h >> 33


def fmix32(h):
    h = (h ^ h >> 16) * 0x85ebca6b & M32
    h = (h ^ h >> 13) * 0xc2b2ae35 & M32
    return h ^ h >> 16


def x86_32(key, seed):
    h = seed & M32
    whole = len(key) // 4 * 4

    def mix(k):
        return rotl(k * 0xcc9e2d51 & M32, 15, 32) * 0x1b873593 & M32
    for i in range(0, whole, 4):
        h ^= mix(int.from_bytes(key[i:i + 4], "little"))
        h = (rotl(h, 13, 32) * 5 + 0xe6546b64) & M32
    if key[whole:]:
        h ^= mix(int.from_bytes(key[whole:], "little"))
    return fmix32(h ^ len(key))


def x64_128(key, start):
    h1 = h2 = start
    c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
    whole = len(key) // 16 * 16

    def mix1(k):
        return rotl(k * c1 & M64, 31, 64) * c2 & M64

    def mix2(k):
        return rotl(k * c2 & M64, 33, 64) * c1 & M64
    for i in range(0, whole, 16):
        h1 ^= mix1(int.from_bytes(key[i:i + 8], "little"))
        h1 = ((rotl(h1, 27, 64) + h2) * 5 + 0x52dce729) & M64
        h2 ^= mix2(int.from_bytes(key[i + 8:i + 16], "little"))
        h2 = ((rotl(h2, 31, 64) + h1) * 5 + 0x38495ab5) & M64
    tail = key[whole:]
    if tail[8:]:
        h2 ^= mix2(int.from_bytes(tail[8:], "little"))
    if tail:
        h1 ^= mix1(int.from_bytes(tail[:8], "little"))
    h1 ^= len(key)
    h2 ^= len(key)
    h1 = (h1 + h2) & M64
    h2 = (h2 + h1) & M64
    h1, h2 = fmix64(h1), fmix64(h2)
    h1 = (h1 + h2) & M64
    return h1, (h2 + h1) & M64


class Filter:
    def __init__(self, layout, width, k, m, seed):
        self.layout, self.width, self.k = layout, width, k
        self.m, self.seed = m, seed
        self.cells = [0] * m

    def hash(self, key):
        start = (self.seed + 1) * G & M64
        if self.width == 64:
            if isinstance(key, int):
                h1 = fmix64((key + start) & M64)
                return h1, rotl(h1, 32, 64) * G & M64
            return x64_128(key, start)
        if isinstance(key, int):
            key = key.to_bytes(8, "little")
        a = x86_32(key, self.seed)
        b = x86_32(key, ~a)
        return a << 32 | b, b << 32

    def walk(self, key):
        x, y = self.hash(key)
        for _ in range(self.k // 8 if self.layout == 1 else self.k):
            yield x
            x = (x + y) & M64
            y = y * C & M64

    def probes(self, key):
        for x in self.walk(key):
            if self.layout != 1:
                yield x * self.m >> 64
                continue
            chooser = x if self.m >= 2**34 else x >> 32 << 32
            block = chooser * (self.m // 256) >> 64
            for i in range(8):
                bit = ((x & M32) * SALT[i] & M32) >> 27
                yield block * 256 + i * 32 + bit

    def add(self, key):
        for i in self.probes(key):
            if self.layout == 2:
                self.cells[i] = min(15, self.cells[i] + 1)
            else:
                self.cells[i] = 1

    def has(self, key):
        return all(self.cells[i] for i in self.probes(key))

    def image(self, sealed=True):
        bits = 4 if self.layout == 2 else 1
        body = sum(c << i * bits for i, c in enumerate(self.cells))
        body = body.to_bytes(self.m * bits // 8, "little")
        head = (b"BLM\2" + bytes([self.layout, self.width, self.k, 0])
                + self.m.to_bytes(8, "little") + self.seed.to_bytes(8, "little"))
        seal = 0
        if sealed and self.width == 64:
            seal = x64_128(body, x64_128(head, 0)[0])[0] or 1
        elif sealed:
            seal = x86_32(body, x86_32(head, 0)) or 1
        return head + seal.to_bytes(8, "little") + body


def chain(layout, plans, first_n, p, seed):
    """The image of a chain with the integers 0, 1, .. that ends when its last
    link has one key. plans are (m, k, room), where room is how many new keys a
    link takes: its capacity at its share of the rate, less that share of it,
    rounded down. For p = 0.25 and a link 0 with a capacity of 17, that is
    17 * (1 - 0.25 / 2), 14."""
    links, keys, key = [], 0, 0
    for m, k, room in plans:
        links.append(Filter(layout, 64, k, m, seed))
        keys = 0
        while keys < (1 if len(links) == len(plans) else room):
            if not any(link.has(key) for link in links):
                links[-1].add(key)
                keys += 1
            key += 1
    head = bytearray(b"BLC\2" + bytes([layout, 64, len(links), 0]))
    head += first_n.to_bytes(8, "little") + struct.pack("<d", p)
    head += keys.to_bytes(8, "little")
    head[7] = sum((2 * i + 1) * byte for i, byte in enumerate(head)) & 255
    return head + b"".join(link.image(False) for link in links)


def main():
    shapes = [(0, 64, 3, 128), (0, 32, 3, 128), (1, 64, 8, 512),
              (2, 64, 3, 128), (2, 32, 3, 128), (1, 64, 16, 768),
              (1, 64, 24, 1024)]
    names = ["CLASSIC", "BLOCKED", "COUNTING"]
    for layout, width, k, m in shapes:
        f = Filter(layout, width, k, m, 0x0123456789abcdef)
        for i in range(10):
            f.add(b"key-%d" % i)
            f.add(i)
        text = f.image().hex()
        print("    { BLOOM_%s, %d, %d, %d," % (names[layout], width, k, m))
        print("\n".join('    "%s"' % text[i:i + 64]
                        for i in range(0, len(text), 64)) + " },")
    for layout, first_n, plans in (
            (0, 14, ((64, 3, 12), (192, 4, 26))),       # as 2.2.0 made them
            (0, 14, ((128, 1, 14), (256, 3, 34))),      # and since
            (1, 44, ((256, 8, 40), (768, 8, 97))),
            (1, 44, ((512, 8, 80), (768, 8, 97)))):
        text = chain(layout, plans, first_n, 0.25, 0x0123456789abcdef).hex()
        print("\n".join('      "%s"' % text[i:i + 64]
                        for i in range(0, len(text), 64)) + ",")


if __name__ == "__main__":
    main()
