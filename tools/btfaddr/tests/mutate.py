#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Changes ELF files and raw BTF.

usage: mutate.py bytes IN OUT SECTION SEED   overwrite some bytes of a section of an ELF file;
                                             "headers" is the table of sections
       mutate.py header IN OUT WHAT          change headers; WHAT: a key of HEADERS
       mutate.py flip IN OUT SYMBOL BIT      flip one bit in the address of a symbol
       mutate.py lie IN OUT KO WHAT          change the first address in IN, the raw BTF of KO;
                                             WHAT: a key of LIES
       mutate.py btf IN OUT WHAT             break one rule in raw BTF, which may have addresses;
                                             WHAT: a key of DAMAGES
       mutate.py spare IN OUT NAME OTHER     add a FUNC to raw BTF, as pahole's threads may; prints
                                             the ids of the first FUNC NAME, the other, and a tag
       mutate.py as IN OUT NAME OTHER        give FUNC NAME of raw BTF the prototype of FUNC OTHER
       mutate.py layout IN OUT               give raw BTF a table of the sizes of its kinds
       mutate.py copy IN OUT BASE STRUCT     give raw split BTF a copy of a struct of its base, as
                                             deduplication sometimes leaves there
"""
import random
import struct
import sys

from elf_btf import (ARRAY, CONST, DECL_TAG, ENUM, FUNC, INT, PTR, SHN_XINDEX, SHT_NOBITS,
                     SHT_NULL, SIZES, STRUCT, STT_FUNC, STT_OBJECT, TYPEDEF, UNION, Elf, RawBtf,
                     read, string, write)

NOWHERE = 0x7fffff


def find(data, wanted):
    """file offset and size of a section"""
    elf = Elf(data)
    if wanted == "headers":
        return elf.shoff, 64 * len(elf.sections)
    section = elf.section(wanted)
    return (section.offset, section.size) if section else sys.exit(f"no section {wanted}")


def overwrite(data, place, cnt, rng):
    """overwrites cnt bytes of a place, as found by find()"""
    start, length = place
    for _ in range(cnt):
        data[start + rng.randrange(length)] = rng.choice((0, 0xff, rng.randrange(256)))


def change_bytes(data, section, seed):
    place = find(data, section)
    overwrite(data, place, 1 + place[1] // 200, random.Random(f"{section}{seed}"))


def header_field(ko, field, value, section=".comment"):
    """changes the header of a section, by default of one that nothing needs"""
    at, fmt = {"type": (4, "<I"), "offset": (24, "<Q"), "size": (32, "<Q"),
               "align": (48, "<Q")}[field]
    struct.pack_into(fmt, ko.data, ko.section(section).at + at, value)


def xindex(ko, names):
    """the section of names, given where many sections make it necessary"""
    struct.pack_into("<H", ko.data, 0x3e, SHN_XINDEX)
    struct.pack_into("<I", ko.data, ko.sections[0].at + 40, names)


def no_bytes(ko, kind, size, section=".comment"):
    header_field(ko, "type", kind, section)
    header_field(ko, "size", size, section)


HEADERS = {
    "xindex": lambda ko: xindex(ko, ko.sections.index(ko.names)),
    "xindex nowhere": lambda ko: xindex(ko, 99999),
    "xindex of no names": lambda ko: xindex(ko, ko.sections.index(ko.section(".bss"))),
    "alignment": lambda ko: header_field(ko, "align", 1 << 31),
    "odd alignment": lambda ko: header_field(ko, "align", 24),
    "inactive": lambda ko: no_bytes(ko, SHT_NULL, 1 << 44),
    "code without bytes": lambda elf: no_bytes(elf, SHT_NOBITS, 1 << 62, ".fini"),
    "on the header": lambda ko: header_field(ko, "offset", 0),
    "on another": lambda ko: header_field(ko, "offset", ko.section(".text").offset),
    "code on headers": lambda ko: header_field(
        ko, "offset", ko.sections[0].at + 64 - ko.section(".text").size, ".text"),
}


def flip(data, name, bit):
    symbol = next(s for s in Elf(data).symbols() if s.name == name)
    struct.pack_into("<Q", data, symbol.at + 8, symbol.value ^ 1 << int(bit))


def address_of(ko, wanted):
    """the address of the first symbol that is wanted"""
    return next(s.section << 32 | s.value for s in ko.symbols() if wanted(s))


LIES = {
    "offset": lambda ko, addr: addr + 1,
    "offset outside": lambda ko, addr: addr | 0xfffffff0,
    "section": lambda ko, addr: addr + (1 << 32),
    "no section": lambda ko, addr: addr & 0xffffffff,
    "section outside": lambda ko, addr: addr | len(ko.sections) << 32,
    "section far outside": lambda ko, addr: addr | 0xfffffff0 << 32,
    "end of section": lambda ko, addr: addr & ~0xffffffff | ko.sections[addr >> 32].size,
    "data": lambda ko, addr: address_of(ko, lambda s: s.type == STT_OBJECT and s.section),
    "another function": lambda ko, addr: address_of(
        ko, lambda s: s.name in ("calls_out", "on_stack") and s.value != addr & 0xffffffff),
    "init": lambda ko, addr: address_of(
        ko, lambda s: s.type == STT_FUNC and ko.sections[s.section].name == ".init.text"),
    "all bits": lambda ko, addr: 2**64 - 1,
}


def lie(data, ko, what):
    at = next(t.addr_at for t in RawBtf(data).types if t.addr_at)
    addr, = struct.unpack_from("<Q", data, at)
    struct.pack_into("<Q", data, at, LIES[what](Elf(read(ko)), addr))


class Damage:
    """What can be broken in BTF."""

    def __init__(self, data):
        self.data, self.btf = data, RawBtf(data)

    def put(self, off, value):
        struct.pack_into("<I", self.data, off, value)

    def first(self, kind, wanted=lambda t: True):
        return next(t for t in self.btf.types if t.kind == kind and wanted(t))

    def id(self, kind):
        return self.btf.types.index(self.first(kind)) + 1

    def info(self, kind, more):
        """set bits of the first type of a kind"""
        at = self.first(kind).at + 4
        self.put(at, struct.unpack_from("<I", self.data, at)[0] | more)

    def members(self, kind=STRUCT):
        return self.first(kind, lambda t: t.vlen > 1)

    def string(self, wanted):
        """offset of a string that has another use"""
        return self.btf.strs.index(wanted)

    def rename(self, t):
        """put a character into a name that no name has"""
        self.data[self.btf.strs_at + t.name] = ord("-")

    def tag(self):
        """a tag of a function"""
        return self.first(DECL_TAG, lambda t: self.btf.types[t.ref - 1].kind == FUNC)


DAMAGES = {
    "name": lambda d: d.rename(d.first(TYPEDEF)),
    "no name": lambda d: d.put(d.first(FUNC).at, 0),
    "name nowhere": lambda d: d.put(d.first(STRUCT).at, NOWHERE),
    "member name": lambda d: d.put(d.members().at + 12, d.string(b"long unsigned int\0")),
    "member name nowhere": lambda d: d.put(d.members().at + 12, NOWHERE),
    "reference": lambda d: d.put(d.first(PTR).at + 8, len(d.btf.types) + 1),
    "void member": lambda d: d.put(d.members().at + 16, 0),
    "member order": lambda d: d.put(d.members().at + 20, 8 * d.members().ref - 8),
    "member outside": lambda d: d.put(d.members().at + 12 * d.members().vlen + 8,
                                      8 * d.members().ref + 8),
    "union member": lambda d: d.put(d.members(UNION).at + 20, 8),
    "integer bits": lambda d: d.put(d.first(INT).at + 12, 127),
    "integer encoding": lambda d: d.put(d.first(INT).at + 12, 3 << 24 | 8),
    "array of void": lambda d: d.put(d.first(ARRAY).at + 12, 0),
    "enum size": lambda d: d.put(d.first(ENUM).at + 8, 3),
    "enumerator": lambda d: d.put(d.first(ENUM).at + 12, d.string(b"long unsigned int\0")),
    "named pointer": lambda d: d.put(d.first(PTR).at, d.first(STRUCT).name),
    "kind_flag": lambda d: d.info(PTR, 1 << 31),
    "linkage": lambda d: d.info(FUNC, 7),
    "prototype": lambda d: d.put(d.first(FUNC).at + 8, 1),
    "tag index": lambda d: d.put(d.tag().at + 12, 100),
    "tag target": lambda d: d.put(d.tag().at + 8, d.id(PTR)),
    "modifiers": lambda d: d.put(d.first(CONST).at + 8, d.id(CONST)),
}


def append(data, btf, types, strs=b"", layout=b""):
    types = data[btf.start:btf.types_end] + types
    where = struct.pack("<II", len(types), len(layout)) if layout else b""
    data[:] = struct.pack("<HBBIIIII", btf.magic, btf.version, btf.flags, 24 + len(where), 0,
                          len(types), len(types + layout), len(btf.strs + strs)) + \
        where + types + layout + btf.strs + strs


def add_layout(data):
    append(data, RawBtf(data), b"", layout=b"".join(
        struct.pack("<BBH", *(4 * n for n in SIZES.get(kind, (0, 0))), 0) for kind in range(20)))


def spare(data, name, other):
    """
    The new FUNC is called NAME, and has the prototype of FUNC OTHER and a DECL_TAG "spare". Lookups
    by name find it first, as it gets the id of the old FUNC NAME, which moves to the end.
    """
    btf = RawBtf(data)
    found = {string(btf.strs, t.name): (i + 1, t) for i, t in enumerate(btf.types)
             if t.kind == FUNC}
    (nr, old), (_, donor) = found[name], found[other]
    struct.pack_into("<I", data, old.at + 8, donor.ref)
    append(data, btf, struct.pack("<III", old.name, FUNC << 24 | old.vlen, old.ref) +
           struct.pack("<IIIi", len(btf.strs), DECL_TAG << 24, nr, -1), b"spare\0")
    print(nr, len(btf.types) + 1, len(btf.types) + 2)


def as_other(data, name, other):
    btf = RawBtf(data)
    found = {string(btf.strs, t.name): t for t in btf.types if t.kind == FUNC}
    struct.pack_into("<I", data, found[name].at + 8, found[other].ref)


def copy(data, base, name):
    base = read(base)
    btf = RawBtf(base)
    t = next(t for t in btf.types if t.kind == STRUCT and string(btf.strs, t.name) == name)
    append(data, RawBtf(data), base[t.at:t.at + 12 + 4 * len(t.words)])


COMMANDS = {"bytes": change_bytes, "flip": flip, "lie": lie, "spare": spare, "as": as_other,
            "copy": copy, "layout": add_layout,
            "header": lambda data, what: HEADERS[what](Elf(data)),
            "btf": lambda data, what: DAMAGES[what](Damage(data))}


def main():
    command, path_in, path_out, *args = sys.argv[1:]
    data = read(path_in)
    COMMANDS[command](data, *args)
    write(path_out, data)


if __name__ == "__main__":
    main()
