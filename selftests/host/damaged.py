#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Makes BTF from damaged DWARF, which the kernel must accept: see damaged.c.

usage: damaged.py BTFADDR OUTPUT COUNT

Compiles sources of btfaddr's tests, overwrites bytes of their DWARF, and has btfaddr write
ordinary BTF of it, until there are COUNT different results. OUTPUT has all of them in a row, each
after its size, in 4 bytes.
"""
import concurrent.futures
import glob
import itertools
import os
import random
import struct
import subprocess
import sys
import tempfile

TESTS = os.path.realpath(f"{os.path.dirname(__file__)}/../../tools/btfaddr/tests")
sys.path.insert(0, TESTS)
import mutate  # pylint: disable=wrong-import-position

SOURCES = f"{TESTS}/src"
COMPILE = ["gcc", "-O2", "-gdwarf-5", "-ffreestanding", "-fno-pie", "-mno-sse", "-w", "-c"]
TEXT = "0x1000000"
SECTIONS = (".debug_info", ".debug_abbrev", ".debug_str", ".debug_loclists", ".symtab")
BYTES = 3		# overwritten in each file; btfaddr makes little of more damage


def compile_kernel(folder):
    """Returns an ELF file that has DWARF, and pahole's BTF."""
    kernel, objects = f"{folder}/kernel", []
    for source in sorted(glob.glob(f"{SOURCES}/start.c") + glob.glob(f"{SOURCES}/kernel/*.c")):
        objects.append(f"{folder}/{os.path.basename(source)}.o")
        subprocess.run([*COMPILE, source, "-o", objects[-1]], check=True)
    subprocess.run(["ld", "-static", f"-Ttext={TEXT}", f"--defsym=_text={TEXT}", *objects,
                    "-o", kernel], check=True)
    subprocess.run(["pahole", "-J", kernel], check=True)
    with open(kernel, "rb") as file:
        return file.read()


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


def different_outputs(btfaddr, folder):
    """Yields BTF that differs from all before."""
    elf = compile_kernel(folder)
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
    if len(sys.argv) != 4:
        sys.exit("damaged.py: usage: damaged.py BTFADDR OUTPUT COUNT")
    btfaddr, output, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder, open(output, "wb") as file:
        for btf in itertools.islice(different_outputs(btfaddr, folder), count):
            file.write(struct.pack("<I", len(btf)) + btf)


main()
