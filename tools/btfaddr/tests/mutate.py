#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""mutate.py IN OUT SECTION SEED - overwrite some bytes of a section of an ELF64."""
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


names = header(shstrndx)[1]
for i in range(shnum):
    name, off, size = header(i)
    if data[names + name:data.index(b"\0", names + name)].decode() == section and size:
        rng = random.Random(f"{section}{seed}")
        for _ in range(1 + size // 200):
            data[off + rng.randrange(size)] = rng.choice((0, 0xff, rng.randrange(256)))
        break
else:
    sys.exit(f"no section {section}")
open(path_out, "wb").write(data)
