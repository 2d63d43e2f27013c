# SPDX-License-Identifier: GPL-2.0-only
"""As much of an ELF file, for x86-64 or arm64, as the checkers need.

Places are plain integers. In vmlinux they are the link addresses. In a module every section starts
at 0, so section n lies at `base + (n << 32)`, and a place says its section. Relocations say what a
field of a module points to.
"""
import mmap
import os
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../btfaddr/tests"))

# pylint: disable=wrong-import-position
import elf_btf
from elf_btf import SHT_NOBITS, SHT_SYMTAB

ET_REL = 1
EM_X86_64, EM_AARCH64 = 62, 183
SHT_RELA = 4
SHF_ALLOC = 2
SHF_EXECINSTR = 4
STT_NOTYPE, STT_FUNC = 0, 2
SHN_UNDEF = 0
SHN_LORESERVE = 0xff00
# Those whose value is relative to the place: PC32, PLT32, PC64; arm64's PREL64, PREL32.
PC_RELATIVE = {2, 4, 24, 260, 261}
OF_RECORDS = {2, 261}			# those of .BTF_func: PC32, PREL32


class InputError(Exception):
    """The file can't be checked; the text says which, why, and what to do."""


class Section(elf_btf.Section):
    """place: where the section starts."""

    index = place = 0

    def is_code(self):
        return bool(self.flags & SHF_EXECINSTR) and self.type != SHT_NOBITS


class Elf(elf_btf.Elf):
    """sections, symbols, and what the words of its sections point to."""

    section_class = Section

    def __init__(self, path, base=0):
        self.path = path
        self._map(path)
        try:
            super().__init__(self.data)
        except (struct.error, IndexError, ValueError) as err:
            raise InputError(f"{path}: its section headers are broken; build it again") from err
        for index, section in enumerate(self.sections):
            section.index = index
            section.place = base + (index << 32) if self.relocatable else section.addr
        self._read_symbols()
        self._relocations = {}

    def _map(self, path):
        try:
            with open(path, "rb") as file:
                self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as err:
            raise InputError(f"{path}: can't be read ({err}); name a vmlinux or a module") from err
        head = self.data[:20]
        if head[:6] != b"\x7fELF\x02\x01" or len(head) < 20:
            raise InputError(f"{path}: not a 64-bit ELF file; name a vmlinux or a module")
        kind, machine = struct.unpack_from("<HH", head, 16)
        self.relocatable = kind == ET_REL
        self.arm64 = machine == EM_AARCH64
        if machine not in (EM_X86_64, EM_AARCH64):
            raise InputError(f"{path}: it is for ELF machine {machine}; name a file for x86-64 "
                             "or arm64")

    def _read_symbols(self):
        """places: place by name, the global symbol's if there are several. global_names: those of
        which it is. functions: name -> the places of the code symbols that have it, but for arm64's
        $x, which the kernel doesn't know. by_index: (name, place), for relocations; the place of an
        undefined one is None."""
        self.places, self.functions, self.by_index = {}, {}, []
        table = next((s for s in self.sections if s.type == SHT_SYMTAB), None)
        if table is None:
            raise InputError(f"{self.path}: it has no symbols; name the file from before stripping")
        text, local = self.sections[table.link].bytes, {}
        for name_off, info, _, shndx, value, _ in struct.iter_unpack("<IBBHQQ", table.bytes):
            name = text[name_off:text.find(b"\0", name_off)].decode("latin-1")
            place = self._symbol_place(shndx, value)
            self.by_index.append((name, place))
            if name and place is not None:
                (self.places if info >> 4 else local).setdefault(name, place)
                if info & 15 in (STT_NOTYPE, STT_FUNC) and name[0] != "$":
                    self.functions.setdefault(name, []).append(place)
        self.global_names = set(self.places)
        self.places = {**local, **self.places}

    def _symbol_place(self, shndx, value):
        if shndx == SHN_UNDEF:
            return None
        if self.relocatable and shndx < SHN_LORESERVE:
            return self.sections[shndx].place + value
        return value

    def section_at(self, place):
        for section in self.sections:
            if section.flags & SHF_ALLOC and section.place <= place < section.place + section.size:
                return section
        return None

    def word(self, place):
        """The 4 bytes of code at a place."""
        section = self.section_at(place)
        offset = section.offset + place - section.place if section else len(self.data)
        return self.data[offset:offset + 4]

    def show(self, place):
        """A place as people write it: an address, or in a module section+offset."""
        section = self.section_at(place) if self.relocatable else None
        return f"{section.name}+{place - section.place:#x}" if section else f"{place:x}"

    def is_resident(self, place):
        """It is code that stays: nothing attaches to what is freed after the start."""
        section = self.section_at(place)
        return section is not None and section.is_code() and not section.name.startswith(
            (".init", ".exit"))

    def relocations(self, section):
        """The section's relocations: offset -> (type, symbol name, place or None, addend)."""
        if section.index not in self._relocations:
            found = {}
            for rela in self.sections:
                if self.relocatable and rela.type == SHT_RELA and rela.info == section.index:
                    for offset, info, addend in struct.iter_unpack("<QQq", rela.bytes):
                        name, place = self.by_index[info >> 32]
                        found[offset] = (info & 0xffffffff, name, place, addend)
            self._relocations[section.index] = found
        return self._relocations[section.index]

    def pointer(self, section, offset, size):
        """The place that a field points to: 8 bytes an address, 4 a distance from the field.
        None if it points out of the file, or nowhere."""
        relocation = self.relocations(section).get(offset)
        if relocation is not None:
            kind, _, place, addend = relocation
            if place is None or (kind in PC_RELATIVE) != (size == 4):
                return None
            return place + addend
        if self.relocatable or section.type == SHT_NOBITS or offset + size > section.size:
            return None
        raw = self.data[section.offset + offset:section.offset + offset + size]
        if size == 8:
            return int.from_bytes(raw, "little")
        return section.place + offset + int.from_bytes(raw, "little", signed=True)
