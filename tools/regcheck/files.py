# SPDX-License-Identifier: GPL-2.0-only
"""What the programs of this folder share: arguments, the files that they name, the exit status.

Exit status: 0 nothing found, 1 something found, 2 wrong usage or input that can't be checked.
"""
import argparse
import os
import sys

import btf as btf_module
from elf import Elf, InputError

MODULE_BASE = 1 << 44			# distance between the places of one module and the next


def parser(doc, files="VMLINUX [MODULE.ko]"):
    """An ArgumentParser with the arguments that all programs take. doc: a program's, of which the
    first line is shown."""
    made = argparse.ArgumentParser(description=doc.partition("\n")[0])
    made.add_argument("--btf", metavar="FILE",
                      help="raw BTF with addresses, in place of VMLINUX's; or a folder that has "
                           "NAME.btf for each file")
    made.add_argument("files", nargs="+", metavar=files)
    return made


def read_files(options):
    """(Elf, Btf, the kernel's Btf or None) of a vmlinux, and then of modules on top of it. A module
    may have no BTF."""
    kernel, folder = None, options.btf if os.path.isdir(options.btf or "") else None
    for number, path in enumerate(options.files):
        elf = Elf(path, number * MODULE_BASE)
        if elf.relocatable == (number == 0):
            raise InputError(f"{path}: a vmlinux comes first, modules after it")
        raw = None if number else options.btf
        if folder:
            raw = os.path.join(folder, os.path.basename(path) + ".btf")
        btf = btf_module.read(elf, raw, kernel)
        yield elf, btf, kernel
        # modules were built on what the kernel ships
        kernel = kernel or (btf_module.load(elf) if folder else btf)


def run(check, arguments):
    """Ends the program with the status of a check, which returns whether it has found something.
    arguments: an ArgumentParser."""
    try:
        sys.exit(1 if check(arguments.parse_args()) else 0)
    except (InputError, OSError) as err:
        print(f"{os.path.basename(sys.argv[0])}: {err}", file=sys.stderr)
        sys.exit(2)
