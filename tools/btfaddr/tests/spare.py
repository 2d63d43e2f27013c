#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""spare.py IN OUT NAME OTHER - add a FUNC to raw BTF, as pahole's threads may

The new FUNC is called NAME, has the prototype of FUNC OTHER, and a DECL_TAG "spare".
It stands before all that is there already has, for lookups by name: that is, it gets the
id of FUNC NAME, which moves to the end.
"""
import struct
import sys

FUNC, DECL_TAG = 12, 17
EXTRA = {1: 4, 3: 12, 14: 4, 17: 4}
PER_VLEN = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}


def types(data):
    """Yield (offset, name_off, info, type) of each type."""
    off = 0
    while off < len(data):
        name, info, typ = struct.unpack_from("<III", data, off)
        yield off, name, info, typ
        kind, vlen = info >> 24 & 31, info & 0xffff
        off += 12 + EXTRA.get(kind, 0) + PER_VLEN.get(kind, 0) * vlen


def main():
    src, dst, name, other = sys.argv[1:]
    raw = open(src, "rb").read()
    magic, version, flags, hdr_len, type_off, type_len, str_off, str_len = \
        struct.unpack_from("<HBBIIIII", raw)
    data = bytearray(raw[hdr_len + type_off:hdr_len + type_off + type_len])
    strs = raw[hdr_len + str_off:hdr_len + str_off + str_len]

    found = {}
    for nr, (off, name_off, info, typ) in enumerate(types(data), 1):
        text = strs[name_off:strs.index(b"\0", name_off)].decode()
        if info >> 24 & 31 == FUNC:
            found[text] = nr, off, name_off, info, typ
    nr, off, name_off, info, typ = found[name]
    count = sum(1 for _ in types(data))
    struct.pack_into("<I", data, off + 8, found[other][4])
    data += struct.pack("<III", name_off, info, typ)
    data += struct.pack("<IIIi", len(strs), DECL_TAG << 24, nr, -1)
    strs += b"spare\0"
    open(dst, "wb").write(struct.pack("<HBBIIIII", magic, version, flags, 24, 0, len(data),
                                      len(data), len(strs)) + data + strs)
    print(nr, count + 1, count + 2)


main()
