#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""bad_btf.py IN OUT WHAT - break one rule in raw BTF, which may have addresses.

WHAT: a key of DAMAGES"""
import struct
import sys

INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, CONST = 1, 2, 3, 4, 5, 6, 7, 8, 10
FUNC, FUNC_PROTO, DECL_TAG = 12, 13, 17
FIXED = {INT: 4, ARRAY: 12, 14: 4, DECL_TAG: 4}
EACH = {STRUCT: 12, UNION: 12, ENUM: 8, FUNC_PROTO: 8, 15: 12, 19: 12}
NOWHERE = 0x7fffff

path_in, path_out, what = sys.argv[1:]
data = bytearray(open(path_in, "rb").read())
_, _, _, hdr_len, type_off, type_len, str_off, _ = struct.unpack_from("<HBBIIIII", data)
strings = hdr_len + str_off


def name(off):
    return data[strings + off:data.index(b"\0", strings + off)].decode()


class Type:
    def __init__(self, offset):
        self.at = offset
        self.name_off, self.info, self.ref = struct.unpack_from("<III", data, offset)
        self.kind, self.vlen = self.info >> 24 & 31, self.info & 0xffff
        self.size = 12 + FIXED.get(self.kind, 0) + EACH.get(self.kind, 0) * self.vlen
        if self.kind == FUNC and self.info >> 31:
            self.size += 8


types = [None]
at = hdr_len + type_off
while at < hdr_len + type_off + type_len:
    types.append(Type(at))
    at += types[-1].size


def put(off, value):
    struct.pack_into("<I", data, off, value)


def first(kind, wanted=lambda t: True):
    return next(t for t in types[1:] if t.kind == kind and wanted(t))


def a_struct(kind=STRUCT):
    return first(kind, lambda t: t.vlen > 1)


def string(wanted):
    """offset of a string of another use"""
    return data.index(wanted, strings) - strings


def rename(off):
    """put a character into a name that no name has"""
    data[strings + off] = ord("-")


def tag():
    """a tag of a function"""
    return first(DECL_TAG, lambda t: types[t.ref].kind == FUNC)


DAMAGES = {
    "name": lambda: rename(first(TYPEDEF).name_off),
    "no name": lambda: put(first(FUNC).at, 0),
    "name nowhere": lambda: put(first(STRUCT).at, NOWHERE),
    "member name": lambda: put(a_struct().at + 12, string(b"long unsigned int\0")),
    "member name nowhere": lambda: put(a_struct().at + 12, NOWHERE),
    "reference": lambda: put(first(PTR).at + 8, len(types)),
    "void member": lambda: put(a_struct().at + 16, 0),
    "member order": lambda: put(a_struct().at + 20, 8 * a_struct().ref - 8),
    "member outside": lambda: put(a_struct().at + 12 * a_struct().vlen + 8, 8 * a_struct().ref + 8),
    "union member": lambda: put(a_struct(UNION).at + 20, 8),
    "integer bits": lambda: put(first(INT).at + 12, 127),
    "integer encoding": lambda: put(first(INT).at + 12, 3 << 24 | 8),
    "array of void": lambda: put(first(ARRAY).at + 12, 0),
    "enum size": lambda: put(first(ENUM).at + 8, 3),
    "enumerator": lambda: put(first(ENUM).at + 12, string(b"long unsigned int\0")),
    "named pointer": lambda: put(first(PTR).at, first(STRUCT).name_off),
    "kind_flag": lambda: put(first(PTR).at + 4, first(PTR).info | 1 << 31),
    "linkage": lambda: put(first(FUNC).at + 4, first(FUNC).info | 7),
    "prototype": lambda: put(first(FUNC).at + 8, 1),
    "tag index": lambda: put(tag().at + 12, 100),
    "tag target": lambda: put(tag().at + 8, types.index(first(PTR))),
    "modifiers": lambda: put(first(CONST).at + 8, types.index(first(CONST))),
}
DAMAGES[what]()
open(path_out, "wb").write(data)
