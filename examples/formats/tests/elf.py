"""Run by elf.sh: writes small ELF files with a section .gnu.hash, of 32 and 64 bits,
little- and big-endian. For each it writes names, and those of them that may be in the
filter. It is a second implementation, with which examples/formats/elf.c is compared.
    elf.py FOLDER    writes FOLDER/CLASS-ORDER.so, .names and .maybe"""
import struct
import sys


def gnu_hash(name):
    h = 5381
    for byte in name.encode():
        h = (h * 33 + byte) % 2**32
    return h


def bits_of(name, bits, words, shift):
    h = gnu_hash(name)
    return h // bits % words, 1 << h % bits | 1 << (h >> shift) % bits


def elf(wide, order, section):
    """An ELF file: header, the section, and a table of two section headers"""
    word = "Q" if wide else "I"
    size = 64 if wide else 52
    each = 64 if wide else 40
    ident = b"\x7fELF" + bytes([1 + wide, 1 + (order == ">"), 1]) + bytes(9)
    header = ident + struct.pack(
        order + "HHI" + 3 * word + "IHHHHHH", 3, 0, 1, 0, 0,
        size + len(section), 0, size, 0, 0, each, 2, 0)
    first = bytes(each)
    second = struct.pack(order + "II" + 4 * word + "II" + 2 * word, 1,
                         0x6FFFFFF6, 2, 0, size, len(section), 0, 0, 8, 0)
    return header + section + first + second


def write(folder, wide, order):
    bits, shift, words = (64, 9, 16) if wide else (32, 9, 32)
    names = [f"{prefix}_{i}" for i in range(80) for prefix in ("get", "é")]
    absent = [f"absent_{i * i}" for i in range(3000)]
    filter = [0] * words
    for name in names:
        at, mask = bits_of(name, bits, words, shift)
        filter[at] |= mask
    section = struct.pack(order + "IIII", 1, 1, words, shift)
    section += struct.pack(order + f"{words}{'Q' if wide else 'I'}", *filter)
    section += struct.pack(order + "I", 1)
    section += b"".join(struct.pack(order + "I", gnu_hash(name) & ~1)
                        for name in names)
    maybe = [name for name in names + absent
             if (of := bits_of(name, bits, words, shift))
             and filter[of[0]] & of[1] == of[1]]
    path = f"{folder}/{bits}-{'big' if order == '>' else 'little'}"
    with open(path + ".so", "wb") as out:
        out.write(elf(wide, order, section))
    with open(path + ".names", "w", encoding="utf-8") as out:
        out.write("\n".join(names + absent) + "\n")
    with open(path + ".maybe", "w", encoding="utf-8") as out:
        out.write("\n".join(maybe) + "\n")


for is_wide in (False, True):
    for byte_order in "<>":
        write(sys.argv[1], is_wide, byte_order)
