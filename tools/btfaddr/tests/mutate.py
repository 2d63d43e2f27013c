#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mutate.py IN OUT SECTION SEED - overwrite some bytes of a section of an ELF64.

SECTION "headers" is the table of sections."""
import random
import struct
import sys


def find(data, wanted):
    """file offset and size of a section"""
    shoff, = struct.unpack_from("<Q", data, 0x28)
    shentsize, shnum, shstrndx = struct.unpack_from("<HHH", data, 0x3a)
    if wanted == "headers":
        return shoff, shnum * shentsize

    def header(i):
        """name offset, file offset, size of section i"""
        at = shoff + i * shentsize
        name, = struct.unpack_from("<I", data, at)
        return (name,) + struct.unpack_from("<QQ", data, at + 0x18)

    names = header(shstrndx)[1]
    for i in range(shnum):
        name, off, size = header(i)
        if size and data[names + name:data.index(b"\0", names + name)].decode() == wanted:
            return off, size
    sys.exit(f"no section {wanted}")


def overwrite(data, place, cnt, rng):
    """overwrites cnt bytes of a place, as found by find()"""
    start, length = place
    for _ in range(cnt):
        data[start + rng.randrange(length)] = rng.choice((0, 0xff, rng.randrange(256)))


def main():
    path_in, path_out, section, seed = sys.argv[1:]
    with open(path_in, "rb") as file:
        data = bytearray(file.read())
    place = find(data, section)
    overwrite(data, place, 1 + place[1] // 200, random.Random(f"{section}{seed}"))
    with open(path_out, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
