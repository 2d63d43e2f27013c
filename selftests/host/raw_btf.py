#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""raw_btf.py KO - turns BTF that the assembler wrote into what encoders write for a module

test_modules/btf_asm.h makes the sections .comment.BTF and .comment.BTF.base. An address in the
former is a relocation, because the assembler doesn't know it. Writes KO.base, and KO.raw with each
address as section number << 32 | offset in that section.
"""
import os
import struct
import sys

sys.path.insert(0, f"{os.path.dirname(os.path.realpath(__file__))}/../../tools/btfaddr/tests")
import elf_btf  # pylint: disable=wrong-import-position

R_X86_64_64, R_AARCH64_ABS64 = 1, 257


def addresses(elf, section):
    """Yields (offset, address of the function) for each relocation of a section."""
    symbols = list(elf.symbols())
    relas = elf.section(".rela" + section).bytes
    for offset, what, addend in struct.iter_unpack("<QQq", relas):
        symbol, kind = symbols[what >> 32], what & 0xffffffff
        assert kind in (R_X86_64_64, R_AARCH64_ABS64), f"relocation of type {kind}"
        assert symbol.section, "the function is not in this module"
        yield offset, symbol.section << 32 | symbol.value + addend


def main(path):
    elf = elf_btf.Elf(elf_btf.read(path))
    raw = bytearray(elf.section(".comment.BTF").bytes)
    for offset, address in addresses(elf, ".comment.BTF"):
        struct.pack_into("<Q", raw, offset, address)
    elf_btf.write(f"{path}.raw", raw)
    elf_btf.write(f"{path}.base", elf.section(".comment.BTF.base").bytes)


main(sys.argv[1])
