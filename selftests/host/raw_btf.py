#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""raw_btf.py KO - turns BTF that the assembler wrote into what encoders write for a module

test_modules/btf_asm.h makes the sections .comment.BTF and .comment.BTF.base. An address in the
former is a relocation, because the assembler doesn't know it. Writes KO.base, and KO.raw with each
address as section number << 32 | offset in that section.
"""
import struct
import sys

SHT_SYMTAB, SHT_RELA = 2, 4
R_X86_64_64, R_AARCH64_ABS64 = 1, 257


def read_sections(data):
    """Returns (name, type, link, info, contents) of each section, by number."""
    start, = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3c)
    headers = [struct.unpack_from("<IIQQQQII", data, start + 64 * i) for i in range(count)]
    strings = headers[names][4]
    return [(data[strings + h[0]:data.index(b"\0", strings + h[0])].decode(), h[1], h[6], h[7],
             data[h[4]:h[4] + h[5]]) for h in headers]


def addresses(sections, number):
    """Yields (offset, address of the function) for each relocation of section NUMBER."""
    for _, sort, link, info, relas in sections:
        if sort != SHT_RELA or info != number:
            continue
        symbols = sections[link][4]
        for offset, what, addend in struct.iter_unpack("<QQq", relas):
            symbol, kind = what >> 32, what & 0xffffffff
            assert kind in (R_X86_64_64, R_AARCH64_ABS64), f"relocation of type {kind}"
            _, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", symbols, 24 * symbol)
            assert section, "the function is not in this module"
            yield offset, section << 32 | value + addend


def main(path):
    with open(path, "rb") as file:
        sections = read_sections(file.read())
    number = next(i for i, s in enumerate(sections) if s[0] == ".comment.BTF")
    raw = bytearray(sections[number][4])
    for offset, address in addresses(sections, number):
        struct.pack_into("<Q", raw, offset, address)
    base = next(s[4] for s in sections if s[0] == ".comment.BTF.base")
    for suffix, contents in ("raw", raw), ("base", base):
        with open(f"{path}.{suffix}", "wb") as file:
            file.write(contents)


main(sys.argv[1])
