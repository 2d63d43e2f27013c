#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Makes BTF from damaged DWARF, which the kernel must accept: see damaged.c.

usage: damaged.py BTFADDR KERNEL OUTPUT COUNT

Overwrites bytes of the DWARF of a small kernel, and has btfaddr write ordinary BTF of it, until
there are COUNT different results. OUTPUT has all of them in a row, each after its size, in 4 bytes.
"""
import concurrent.futures
import itertools
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.realpath(f"{os.path.dirname(__file__)}/../../tools/btfaddr/tests"))
import mutate  # pylint: disable=wrong-import-position

SECTIONS = (".debug_info", ".debug_abbrev", ".debug_str", ".debug_loclists", ".symtab")
BYTES = 3		# overwritten in each file; btfaddr makes little of more damage


def damage(elf, places, seed):
    """Returns a copy of the file with some bytes overwritten."""
    rng = random.Random(seed)
    damaged = bytearray(elf)
    mutate.overwrite(damaged, places[rng.randrange(len(places))], BYTES, rng)
    return damaged


def annotate(btfaddr, path, elf):
    """Returns what btfaddr makes of the file, or None if it refuses it."""
    with open(path, "wb") as file:
        file.write(elf)
    result = subprocess.run([btfaddr, "--legacy", path, "-o", f"{path}.btf"], check=False,
                            stderr=subprocess.DEVNULL, timeout=20)
    os.unlink(path)
    if result.returncode:
        return None
    with open(f"{path}.btf", "rb") as file:
        return file.read()


def different_outputs(btfaddr, elf, folder):
    """Yields BTF that differs from all before."""
    places = [mutate.find(elf, section) for section in SECTIONS]
    seen = {None}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for first in itertools.count(0, 100):
            seeds = range(first, first + 100)
            for btf in pool.map(lambda seed: annotate(btfaddr, f"{folder}/{seed}",
                                                      damage(elf, places, seed)), seeds):
                if btf not in seen:
                    seen.add(btf)
                    yield btf


def main():
    btfaddr, kernel, output, count = sys.argv[1:]
    elf = mutate.read(kernel)
    with tempfile.TemporaryDirectory() as folder, open(output, "wb") as file:
        for btf in itertools.islice(different_outputs(btfaddr, elf, folder), int(count)):
            file.write(struct.pack("<I", len(btf)) + btf)


main()
