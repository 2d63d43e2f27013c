#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Flip one bit in the address of a symbol.

usage: flip.py ELF SYMBOL BIT
"""
import struct
import sys

path, name, bit = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
data = bytearray(open(path, "rb").read())
shoff, = struct.unpack_from("<Q", data, 0x28)
shentsize, shnum = struct.unpack_from("<HH", data, 0x3a)
sections = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * shentsize) for i in range(shnum)]
symtab = next(s for s in sections if s[1] == 2)
strings = sections[symtab[6]][4]
for off in range(symtab[4], symtab[4] + symtab[5], 24):
    at = strings + struct.unpack_from("<I", data, off)[0]
    if data[at:data.index(0, at)] == name:
        value, = struct.unpack_from("<Q", data, off + 8)
        struct.pack_into("<Q", data, off + 8, value ^ 1 << bit)
        open(path, "wb").write(data)
        sys.exit(0)
sys.exit(f"no symbol {name}")
