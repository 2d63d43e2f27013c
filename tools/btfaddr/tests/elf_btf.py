#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads ELF files and raw BTF without btfaddr, for tests and regcheck.

usage: elf_btf.py BTF BASE KO

Checks the addresses in BTF, a raw file whose base is the raw file BASE, against the module KO, and
prints where each function is.
"""
import collections
import struct
import sys

SHT_NULL, SHT_PROGBITS, SHT_SYMTAB, SHT_NOBITS, SHT_SYMTAB_SHNDX = 0, 1, 2, 8, 18
STT_OBJECT, STT_FUNC = 1, 2
SHN_LORESERVE, SHN_XINDEX = 0xff00, 0xffff

INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, PROTO, VAR, \
    DATASEC, FLOAT, DECL_TAG, TYPE_TAG, ENUM64, LOC_PARAM, LOC_PROTO, LOCSEC = range(1, 23)
# words behind struct btf_type: once, and for each of vlen
SIZES = {INT: (1, 0), ARRAY: (3, 0), STRUCT: (0, 3), UNION: (0, 3), ENUM: (0, 2), PROTO: (0, 2),
         VAR: (1, 0), DATASEC: (0, 3), DECL_TAG: (1, 0), ENUM64: (0, 3), LOC_PARAM: (1, 1),
         LOC_PROTO: (0, 1), LOCSEC: (0, 3)}

# at: its offset in the file; addr_at: that of its address, 0 if it has none
Type = collections.namedtuple("Type", "at name kind kflag vlen ref words addr_at")
# at: the offset of its entry in the symbol table
Symbol = collections.namedtuple("Symbol", "at name type section value")


def read(path):
    with open(path, "rb") as file:
        return bytearray(file.read())


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def string(data, off):
    return data[off:data.index(b"\0", off)].decode(errors="replace")


class Section:
    def __init__(self, data, at):
        self.data, self.at, self.name = data, at, ""
        (self.name_off, self.type, self.flags, self.addr, self.offset, self.size,
         self.link, self.info, self.align, self.entsize) = \
            struct.unpack_from("<IIQQQQIIQQ", data, at)

    @property
    def bytes(self):
        if self.type in (SHT_NULL, SHT_NOBITS):
            return b""
        return bytes(self.data[self.offset:self.offset + self.size])


class Elf:
    section_class = Section

    def __init__(self, data):
        self.data = data
        self.shoff, = struct.unpack_from("<Q", data, 0x28)
        nr, shstrndx = struct.unpack_from("<HH", data, 0x3c)
        first = self.section_class(data, self.shoff)
        self.sections = [self.section_class(data, self.shoff + i * 64)
                         for i in range(nr or first.size)]
        self.names = self.sections[first.link if shstrndx == SHN_XINDEX else shstrndx]
        names = self.names.bytes
        for s in self.sections:
            s.name = string(names, s.name_off) if s.type != SHT_NULL else ""

    def section(self, name):
        """The section of that name, None if there is none."""
        return next((s for s in self.sections if s.name == name), None)

    def symbols(self):
        [table] = [s for s in self.sections if s.type == SHT_SYMTAB]
        large = b"".join(s.bytes for s in self.sections if s.type == SHT_SYMTAB_SHNDX)
        strings = self.sections[table.link].bytes
        for i, (name, info, _, shndx, value, _) in \
                enumerate(struct.iter_unpack("<IBBHQQ", table.bytes)):
            if shndx == SHN_XINDEX:
                shndx, = struct.unpack_from("<I", large, i * 4)
            elif shndx >= SHN_LORESERVE:
                shndx = 0
            yield Symbol(table.offset + i * 24, string(strings, name), info & 15, shndx, value)


class RawBtf:
    """The types and strings of one file, without its base."""

    def __init__(self, data):
        self.magic, self.version, self.flags, self.hdr_len, type_off, type_len, str_off, str_len = \
            struct.unpack_from("<HBBIIIII", data)
        self.start, self.types_end = self.hdr_len + type_off, self.hdr_len + type_off + type_len
        self.strs_at = self.hdr_len + str_off
        self.strs = bytes(data[self.strs_at:self.strs_at + str_len])
        self.end = self.strs_at + str_len
        self.types = list(self.parse(data))

    def parse(self, data):
        pos = self.start
        while pos < self.types_end:
            at = pos
            name, info, ref = struct.unpack_from("<III", data, at)
            kind, kflag, vlen = info >> 24 & 0x7f, info >> 31, info & 0xffffff
            once, each = SIZES.get(kind, (0, 0))
            cnt = once + (each * vlen if each else 0)
            pos += 12 + 4 * cnt
            addr_at = pos if kind == FUNC and kflag else 0
            pos += 8 if addr_at else 0
            yield Type(at, name, kind, kflag, vlen, ref,
                       struct.unpack_from(f"<{cnt}I", data, at + 12), addr_at)


def places(path, base, ko):
    data, ko = read(path), Elf(read(ko))
    btf = RawBtf(data)
    strings = RawBtf(read(base)).strs + btf.strs
    funcs = {(s.section << 32 | s.value, s.name) for s in ko.symbols() if s.type == STT_FUNC}
    seen = set()
    for t in btf.types:
        if not t.addr_at:
            continue
        name, (addr,) = string(strings, t.name), struct.unpack_from("<Q", data, t.addr_at)
        where, offset = ko.sections[addr >> 32], addr & 0xffffffff
        assert (addr, name) in funcs and addr not in seen, (name, hex(addr))
        assert where.type == SHT_PROGBITS and where.flags & 6 == 6 and offset < where.size
        assert not where.name.startswith((".init", ".exit")), where.name
        seen.add(addr)
        print(f"{where.name}+{offset:#x} {name}")


if __name__ == "__main__":
    places(*sys.argv[1:4])
