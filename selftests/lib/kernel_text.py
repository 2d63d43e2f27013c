#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Finds changes in the text of the running kernel.

usage: kernel_text.py save FILE           writes the text of vmlinux, as it is in memory, to a file
       kernel_text.py compare FILE PROBES prints bytes that differ where no probe is, and probes
                                          that changed no byte; PROBES has an address in each line
       kernel_text.py show ADDRESS SIZE   prints bytes, also of a module
"""
import os
import struct
import sys

# Bytes of the longest one: a breakpoint, or a jump.
PROBE = 4 if os.uname().machine == "aarch64" else 5


def symbols(*names):
    found = {}
    with open("/proc/kallsyms", encoding="ascii") as file:
        for line in file:
            addr, _, name = line.split()[:3]
            if name in names:
                found[name] = int(addr, 16)
    return [found[name] for name in names]


def read_text(start, end):
    """Reads memory by /proc/kcore, an ELF file with a segment for each range of addresses."""
    with open("/proc/kcore", "rb") as kcore:
        head = kcore.read(64)
        offset, = struct.unpack_from("<Q", head, 32)
        size, number = struct.unpack_from("<HH", head, 54)
        for i in range(number):
            kcore.seek(offset + i * size)
            _, _, at, addr, _, _, length = struct.unpack("<IIQQQQQ", kcore.read(48))
            if addr <= start and end <= addr + length:
                kcore.seek(at + start - addr)
                return kcore.read(end - start)
    sys.exit("/proc/kcore doesn't have the kernel's text")


def changed(old, new):
    """Yields the offset of each byte that differs."""
    for i in range(0, len(new), 4096):
        if old[i:i + 4096] != new[i:i + 4096]:
            yield from (j for j in range(i, min(i + 4096, len(new))) if old[j] != new[j])


def complaints(start, offsets, probes):
    probed = {addr + i: addr for addr in probes for i in range(PROBE)}
    seen = set()
    for offset in offsets:
        if start + offset in probed:
            seen.add(start + offset)
        else:
            yield f"{start + offset:x} has changed, where no probe is"
    for addr in probes:
        if not seen.intersection(range(addr, addr + PROBE)):
            yield f"{addr:x} has not changed, where a probe should be"


def main():
    command, path, *probes = sys.argv[1:]
    if command == "show":
        print(read_text(int(path, 16), int(path, 16) + int(probes[0])).hex())
        return 0
    start, end = symbols("_stext", "_etext")
    text = read_text(start, end)
    if command == "save":
        with open(path, "wb") as file:
            file.write(text)
        return 0
    with open(path, "rb") as file:
        offsets = changed(file.read(), text)
    with open(probes[0], encoding="ascii") as file:
        wrong = list(complaints(start, offsets, {int(line, 16) for line in file}))
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
