# SPDX-License-Identifier: GPL-2.0-only
"""Writes the BTF that tests need."""
import struct

from btf import MAGIC
from elf_btf import FUNC


class BtfWriter:
    """BTF that continues these types and strings. order: of bytes, as struct has it. first_string:
    the offset of the first string, which in split BTF is behind those of the base."""

    def __init__(self, order="<", types=b"", strings=b"\0", next_id=1, first_string=0):
        self.order, self.types, self.strings = order, types, strings
        self.next_id, self.first_string = next_id, first_string

    def add(self, name, info, size, rest=b""):
        offset = self.first_string + len(self.strings) if name else 0
        self.strings += name.encode() + b"\0" if name else b""
        self.types += struct.pack(self.order + "III", offset, info, size) + rest
        self.next_id += 1
        return self.next_id - 1

    def func(self, name, proto, address=None):
        flag, rest = 0, b""
        if address is not None:
            flag, rest = 1 << 31, struct.pack(self.order + "Q", address)
        return self.add(name, flag | FUNC << 24, proto, rest)

    def write(self, path):
        header = struct.pack(self.order + "HBBIIIII", MAGIC, 1, 0, 24, 0, len(self.types),
                             len(self.types), len(self.strings))
        with open(path, "wb") as file:
            file.write(header + self.types + self.strings)
