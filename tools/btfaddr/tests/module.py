#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""module.py - look at an annotated module without btfaddr, or damage it

module.py records KO BASE     check .rela.BTF against .BTF, whose base is the raw
                              BTF file BASE; print where each function is
module.py same IN OUT         check that nothing changed but what btfaddr changes
module.py damage IN OUT WHAT  WHAT: a key of DAMAGES
"""
import struct
import sys

CHANGED = (".BTF", ".BTF.base", ".rela.BTF")
SHT_NULL, SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_RELA, SHT_NOBITS = 0, 1, 2, 3, 4, 8
R_X86_64_64, R_X86_64_32 = 1, 10
RELA, SYM, SHDR = "<QQq", "<IBBHQQ", "<IIQQQQIIQQ"


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
        self.data = bytearray(open(path, "rb").read())
        shoff, = struct.unpack_from("<Q", self.data, 0x28)
        nr, shstrndx = struct.unpack_from("<HH", self.data, 0x3c)
        self.header = self.data[:0x28] + self.data[0x30:0x3c] + self.data[0x3e:0x40]
        self.sections = [Section(self.data, shoff + i * 64) for i in range(nr)]
        self.names = self.sections[shstrndx]
        for s in self.sections:
            s.name = string(self.names.bytes, s.name_off) if s.type != SHT_NULL else ""

    def section(self, name):
        return next(s for s in self.sections if s.name == name)

    def symbols(self):
        """(name, info, section index, value) of each"""
        [table] = [s for s in self.sections if s.type == SHT_SYMTAB]
        strings = self.sections[table.link].bytes
        for name, info, _, shndx, value, _ in struct.iter_unpack(SYM, table.bytes):
            yield string(strings, name), info, shndx, value


def btf_parts(data):
    """offset of the types, the types, the strings"""
    _, _, _, hdr_len, type_off, type_len, str_off, str_len = struct.unpack_from("<HBBIIIII", data)
    return (hdr_len + type_off, data[hdr_len + type_off:][:type_len],
            data[hdr_len + str_off:][:str_len])


def extra(kind, vlen):
    fixed = {1: 4, 3: 12, 14: 4, 17: 4}
    each = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
    return fixed.get(kind, 0) + each.get(kind, 0) * vlen


def btf_records(btf, base_strings):
    """(name, offset of the address in .BTF, address) of each FUNC that has one"""
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


def records(path, base):
    ko = Module(path)
    symbols = list(ko.symbols())
    rela = ko.section(".rela.BTF")
    assert (rela.type, rela.entsize, rela.align) == (SHT_RELA, 24, 8), vars(rela)
    assert ko.sections[rela.link].type == SHT_SYMTAB
    assert ko.sections[rela.info].name == ".BTF"
    targets = {}
    for off, info, addend in struct.iter_unpack(RELA, rela.bytes):
        assert off not in targets and info & 0xffffffff == R_X86_64_64 and addend == 0
        targets[off] = symbols[info >> 32]
    base_strings = btf_parts(open(base, "rb").read())[2]
    for name, off, addr in btf_records(ko.section(".BTF").bytes, base_strings):
        sym_name, info, shndx, value = targets.pop(off)
        where = ko.sections[shndx]
        assert addr == 0 and name == sym_name and info & 15 == 2, (name, sym_name, info)
        assert where.type == SHT_PROGBITS and where.flags & 6 == 6 and value < where.size
        assert not where.name.startswith((".init", ".exit")), where.name
        print(f"{where.name}+{value:#x} {name}")
    assert not targets, targets


def file_order(ko):
    return [s.name for s in sorted(ko.sections, key=lambda s: s.offset)
            if s.bytes and s.name not in CHANGED]


def same(path_in, path_out):
    a, b = Module(path_in), Module(path_out)
    assert a.header == b.header
    ends = [s.offset + len(s.bytes) for s in b.sections]
    assert max(ends) <= len(b.data)
    for i, x in enumerate(a.sections):
        if x.name in CHANGED:
            continue
        y = b.sections[i]
        for field in ("name", "type", "flags", "addr", "link", "info", "align", "entsize"):
            assert getattr(x, field) == getattr(y, field), (x.name, field)
        assert y.type == SHT_NULL or not y.align or y.offset % y.align == 0, x.name
        if x is a.names:
            assert y.bytes.startswith(x.bytes)
        else:
            assert x.size == y.size and x.bytes == y.bytes, x.name
    assert file_order(a) == file_order(b)
    assert {s.name for s in b.sections[len(a.sections):]} <= set(CHANGED)


def put_rela(ko, index, off=None, info=None, addend=None):
    at = ko.section(".rela.BTF").offset + index * 24
    old = struct.unpack_from(RELA, ko.data, at)
    new = (off, info, addend)
    struct.pack_into(RELA, ko.data, at, *(o if n is None else n for o, n in zip(old, new)))
    return old


def against(ko, want):
    """make the first relocation one against the first symbol that is wanted"""
    for i, sym in enumerate(ko.symbols()):
        if i and want(*sym):
            put_rela(ko, 0, info=i << 32 | R_X86_64_64)
            return
    sys.exit("no such symbol")


def section_field(ko, field, value, fmt):
    struct.pack_into(fmt, ko.data, ko.section(".rela.BTF").at + field, value)


def at_end(ko):
    """put the first relocation's symbol at the end of its section"""
    sym = put_rela(ko, 0)[1] >> 32
    table = next(s for s in ko.sections if s.type == SHT_SYMTAB)
    shndx, = struct.unpack_from("<H", ko.data, table.offset + sym * 24 + 6)
    struct.pack_into("<Q", ko.data, table.offset + sym * 24 + 8, ko.sections[shndx].size)


def not_zero(ko):
    off = put_rela(ko, 0)[0]
    ko.data[ko.section(".BTF").offset + off] = 1


def to_init(ko):
    inits = [i for i, s in enumerate(ko.sections) if s.name == ".init.text"]
    against(ko, lambda name, info, shndx, value: info & 15 == 2 and shndx in inits)


def no_functions(ko):
    """make all functions objects"""
    table = next(s for s in ko.sections if s.type == SHT_SYMTAB)
    for at in range(table.offset, table.offset + table.size, 24):
        if ko.data[at + 4] & 15 == 2:
            ko.data[at + 4] += 1 - 2


def header_field(ko, field, value):
    """of a section that nothing needs"""
    at, fmt = {"name": (0, "<I"), "type": (4, "<I"), "offset": (24, "<Q"), "size": (32, "<Q"),
               "align": (48, "<Q")}[field]
    struct.pack_into(fmt, ko.data, ko.section(".comment").at + at, value)


def xindex(ko, names):
    """section names where many sections make it necessary"""
    struct.pack_into("<H", ko.data, 0x3e, 0xffff)
    struct.pack_into("<I", ko.data, ko.sections[0].at + 40, names)


def inactive(ko):
    header_field(ko, "type", SHT_NULL)
    header_field(ko, "size", 1 << 44)


DAMAGES = {
    "outside": lambda ko: put_rela(ko, 0, off=ko.section(".BTF").size - 4),
    "far outside": lambda ko: put_rela(ko, 0, off=2**64 - 4),
    "between": lambda ko: put_rela(ko, 0, off=put_rela(ko, 0)[0] + 4),
    "type": lambda ko: put_rela(ko, 0, info=put_rela(ko, 0)[1] ^ R_X86_64_64 ^ R_X86_64_32),
    "unknown type": lambda ko: put_rela(ko, 0, info=put_rela(ko, 0)[1] | 200),
    "addend": lambda ko: put_rela(ko, 0, addend=1),
    "no symbol": lambda ko: put_rela(ko, 0, info=0x7fffffff << 32 | R_X86_64_64),
    "undefined": lambda ko: against(ko, lambda name, info, shndx, value: name and not shndx),
    "data": lambda ko: against(ko, lambda name, info, shndx, value: info & 15 == 1 and shndx),
    "section symbol": lambda ko: against(ko, lambda name, info, shndx, value: info & 15 == 3),
    "init": to_init,
    "another function": lambda ko: put_rela(ko, 0, info=put_rela(ko, 1)[1]),
    "end of section": at_end,
    "twice": lambda ko: put_rela(ko, 0, off=put_rela(ko, 1)[0]),
    "not zero": not_zero,
    "none": lambda ko: section_field(ko, 32, 0, "<Q"),
    "half an entry": lambda ko: section_field(ko, 32, 36, "<Q"),
    "link": lambda ko: section_field(ko, 40, 1, "<I"),
    "no functions": no_functions,
    "info": lambda ko: section_field(ko, 44, 1, "<I"),
    "xindex": lambda ko: xindex(ko, ko.sections.index(ko.names)),
    "xindex nowhere": lambda ko: xindex(ko, 99999),
    "xindex of no names": lambda ko: xindex(ko, ko.sections.index(ko.section(".bss"))),
    "alignment": lambda ko: header_field(ko, "align", 1 << 31),
    "odd alignment": lambda ko: header_field(ko, "align", 24),
    "inactive": inactive,
    "on the header": lambda ko: header_field(ko, "offset", 0),
    "on another": lambda ko: header_field(ko, "offset", ko.section(".text").offset),
    "not rela": lambda ko: section_field(ko, 4, SHT_PROGBITS, "<I"),
}


def damage(path_in, path_out, what):
    ko = Module(path_in)
    DAMAGES[what](ko)
    open(path_out, "wb").write(ko.data)


if __name__ == "__main__":
    {"records": records, "same": same, "damage": damage}[sys.argv[1]](*sys.argv[2:])
