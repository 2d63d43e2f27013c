#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mutate.py IN OUT SECTION SEED - overwrite some bytes of a section of an ELF64.

SECTION "headers" is the table of sections."""
import random
import struct
import sys

path_in, path_out, section, seed = sys.argv[1:]
data = bytearray(open(path_in, "rb").read())
shoff, = struct.unpack_from("<Q", data, 0x28)
shentsize, shnum, shstrndx = struct.unpack_from("<HHH", data, 0x3a)


def header(i):
    """name offset, file offset, size of section i"""
    at = shoff + i * shentsize
    name, = struct.unpack_from("<I", data, at)
    return (name,) + struct.unpack_from("<QQ", data, at + 0x18)


def find(wanted):
    """file offset, size"""
    if wanted == "headers":
        return shoff, shnum * shentsize
    names = header(shstrndx)[1]
    for i in range(shnum):
        name, off, size = header(i)
        if size and data[names + name:data.index(b"\0", names + name)].decode() == wanted:
            return off, size
    sys.exit(f"no section {wanted}")


start, length = find(section)
rng = random.Random(f"{section}{seed}")
for _ in range(1 + length // 200):
    data[start + rng.randrange(length)] = rng.choice((0, 0xff, rng.randrange(256)))
open(path_out, "wb").write(data)
