#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""module.py - look at a module and its BTF without btfaddr, or damage them

module.py places BTF BASE KO      check the addresses in BTF, a raw file whose base is the raw file
                                  BASE, against the module; print where each function is
module.py lie IN OUT KO WHAT      change the first address in IN, the raw BTF of KO; WHAT: a key of
                                  LIES
module.py header IN OUT WHAT      change headers of a module; WHAT: a key of HEADERS
"""
import struct
import sys

SHT_NULL, SHT_PROGBITS, SHT_SYMTAB, SHT_NOBITS, SHT_SYMTAB_SHNDX = 0, 1, 2, 8, 18
STT_OBJECT, STT_FUNC = 1, 2
SHN_LORESERVE, SHN_XINDEX = 0xff00, 0xffff
SYM, SHDR = "<IBBHQQ", "<IIQQQQIIQQ"


def read(path):
    with open(path, "rb") as file:
        return bytearray(file.read())


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def string(data, off):
    return data[off:data.index(b"\0", off)].decode()


class Section:
    def __init__(self, data, at):
        self.at = at
        (self.name_off, self.type, self.flags, self.addr, self.offset, self.size,
         self.link, self.info, self.align, self.entsize) = struct.unpack_from(SHDR, data, at)
        has_bytes = self.type not in (SHT_NULL, SHT_NOBITS)
        self.bytes = bytes(data[self.offset:self.offset + self.size]) if has_bytes else b""


class Module:
    def __init__(self, path):
        self.data = read(path)
        shoff, = struct.unpack_from("<Q", self.data, 0x28)
        nr, shstrndx = struct.unpack_from("<HH", self.data, 0x3c)
        first = Section(self.data, shoff)
        self.sections = [Section(self.data, shoff + i * 64) for i in range(nr or first.size)]
        self.names = self.sections[first.link if shstrndx == SHN_XINDEX else shstrndx]
        for s in self.sections:
            s.name = string(self.names.bytes, s.name_off) if s.type != SHT_NULL else ""

    def section(self, name):
        return next(s for s in self.sections if s.name == name)

    def symbols(self):
        """(name, type, section number, value) of each"""
        [table] = [s for s in self.sections if s.type == SHT_SYMTAB]
        large = b"".join(s.bytes for s in self.sections if s.type == SHT_SYMTAB_SHNDX)
        strings = self.sections[table.link].bytes
        for i, (name, info, _, shndx, value, _) in enumerate(struct.iter_unpack(SYM, table.bytes)):
            if shndx == SHN_XINDEX:
                shndx, = struct.unpack_from("<I", large, i * 4)
            elif shndx >= SHN_LORESERVE:
                shndx = 0
            yield string(strings, name), info & 15, shndx, value


def btf_parts(data):
    """offset of the types, the types, the strings"""
    _, _, _, hdr_len, type_off, type_len, str_off, str_len = struct.unpack_from("<HBBIIIII", data)
    return (hdr_len + type_off, data[hdr_len + type_off:][:type_len],
            data[hdr_len + str_off:][:str_len])


def extra(kind, vlen):
    fixed = {1: 4, 3: 12, 14: 4, 17: 4}
    each = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
    return fixed.get(kind, 0) + each.get(kind, 0) * vlen


def btf_addresses(btf, base_strings):
    """(name, where the address is, address) of each FUNC that has one"""
    start, types, strings = btf_parts(btf)
    strings = base_strings + strings
    pos = 0
    while pos < len(types):
        name, info = struct.unpack_from("<II", types, pos)
        kind = info >> 24 & 31
        pos += 12 + extra(kind, info & 0xffff)
        if kind == 12 and info >> 31:
            yield string(strings, name), start + pos, struct.unpack_from("<Q", types, pos)[0]
            pos += 8


def places(path, base, ko):
    ko = Module(ko)
    funcs = {(shndx << 32 | value, name) for name, kind, shndx, value in ko.symbols()
             if kind == STT_FUNC}
    seen = set()
    for name, _, addr in btf_addresses(read(path), btf_parts(read(base))[2]):
        where, offset = ko.sections[addr >> 32], addr & 0xffffffff
        assert (addr, name) in funcs and addr not in seen, (name, hex(addr))
        assert where.type == SHT_PROGBITS and where.flags & 6 == 6 and offset < where.size
        assert not where.name.startswith((".init", ".exit")), where.name
        seen.add(addr)
        print(f"{where.name}+{offset:#x} {name}")


def address_of(ko, want):
    """the address of the first symbol that is wanted"""
    return next(shndx << 32 | value for name, kind, shndx, value in ko.symbols()
                if want(name, kind, shndx, value))


def of_init(ko, _):
    inits = [i for i, s in enumerate(ko.sections) if s.name == ".init.text"]
    return address_of(ko, lambda name, kind, shndx, value: kind == STT_FUNC and shndx in inits)


LIES = {
    "offset": lambda ko, addr: addr + 1,
    "offset outside": lambda ko, addr: addr | 0xfffffff0,
    "section": lambda ko, addr: addr + (1 << 32),
    "no section": lambda ko, addr: addr & 0xffffffff,
    "section outside": lambda ko, addr: addr | len(ko.sections) << 32,
    "section far outside": lambda ko, addr: addr | 0xfffffff0 << 32,
    "end of section": lambda ko, addr: addr & ~0xffffffff | ko.sections[addr >> 32].size,
    "data": lambda ko, addr: address_of(
        ko, lambda name, kind, shndx, value: kind == STT_OBJECT and shndx),
    "another function": lambda ko, addr: address_of(
        ko, lambda name, kind, shndx, value: name == "calls_out"),
    "init": of_init,
    "all bits": lambda ko, addr: 2**64 - 1,
}


def lie(path_in, path_out, ko, what):
    data = read(path_in)
    # only where the addresses are matters, and names are not needed for that
    where, addr = next((where, addr) for _, where, addr in btf_addresses(data, b"\0" * (1 << 26)))
    struct.pack_into("<Q", data, where, LIES[what](Module(ko), addr))
    write(path_out, data)


def header_field(ko, field, value, section=".comment"):
    """of a section that nothing needs, unless another one is named"""
    at, fmt = {"type": (4, "<I"), "offset": (24, "<Q"), "size": (32, "<Q"),
               "align": (48, "<Q")}[field]
    struct.pack_into(fmt, ko.data, ko.section(section).at + at, value)


def xindex(ko, names):
    """the section of names, given where many sections make it necessary"""
    struct.pack_into("<H", ko.data, 0x3e, SHN_XINDEX)
    struct.pack_into("<I", ko.data, ko.sections[0].at + 40, names)


def inactive(ko):
    header_field(ko, "type", SHT_NULL)
    header_field(ko, "size", 1 << 44)


HEADERS = {
    "xindex": lambda ko: xindex(ko, ko.sections.index(ko.names)),
    "xindex nowhere": lambda ko: xindex(ko, 99999),
    "xindex of no names": lambda ko: xindex(ko, ko.sections.index(ko.section(".bss"))),
    "alignment": lambda ko: header_field(ko, "align", 1 << 31),
    "odd alignment": lambda ko: header_field(ko, "align", 24),
    "inactive": inactive,
    "on the header": lambda ko: header_field(ko, "offset", 0),
    "on another": lambda ko: header_field(ko, "offset", ko.section(".text").offset),
    "code on headers": lambda ko: header_field(
        ko, "offset", ko.sections[0].at + 64 - ko.section(".text").size, ".text"),
}


def header(path_in, path_out, what):
    ko = Module(path_in)
    HEADERS[what](ko)
    write(path_out, ko.data)


if __name__ == "__main__":
    {"places": places, "lie": lie, "header": header}[sys.argv[1]](*sys.argv[2:])
