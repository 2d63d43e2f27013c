#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the checker itself: selftest.py GROUP [FOLDER], run by check.sh.

Exit status 0 if all tests of the group pass; failures are printed.
"""
import os
import re
import struct
import subprocess
import sys

import btf
import cases
from disasm import Disassembly
from elf import Elf
from elf_btf import PROTO
from insn import ALL, LOW, REGISTERS, SECOND, UPPER, decode, parts_of
import insn_arm64
from program import Program, walk_all
from verdict import Exceptions, File, Function, find_open, settle
from writer import BtfWriter

TEXT = 0xffffffff81000000
FAILED = []


def expect(what, seen, wanted):
    if seen != wanted:
        FAILED.append(what)
        print(f"{what}: {seen!r}, expected {wanted!r}")


def names(registers, table=REGISTERS):
    """A set of registers as text: "rdi rdx"; parts of a register: "rdx:l" "rdx:lh" "rdx:h"."""
    words = []
    for i, register in enumerate(table):
        parts = "".join(letter for letter, mask in (("l", LOW), ("h", SECOND), ("u", UPPER))
                        if registers & mask & parts_of(i))
        if parts:
            words.append(register if parts == "lhu" else f"{register}:{parts}")
    return " ".join(words)


def test_instructions(_):
    for text, reads, writes in cases.INSTRUCTIONS:
        insn = decode(text)
        expect(f"'{text}' is known", insn.known, True)
        expect(f"'{text}' reads", names(insn.reads), reads)
        expect(f"'{text}' writes", names(insn.writes), writes)
    for text in cases.UNKNOWN:
        expect(f"'{text}' is known", decode(text).known, False)
    expect("all parts", names(ALL), " ".join(REGISTERS))
    for text, *wanted in cases.ARM64:
        insn = insn_arm64.decode(text.replace(" ", "\t", 1))
        seen = [names(registers, insn_arm64.REGISTERS) for registers in (insn.reads, insn.writes)]
        expect(f"'{text}'", [insn.known, *seen, str(insn.stack)], [True, *wanted])
    expect("'frob x0'", insn_arm64.decode("frob\tx0").known, False)


def run(*command):
    subprocess.run(command, check=True)


def assemble(folder, name, source):
    """The .o of a source text."""
    path = os.path.join(folder, name)
    with open(path + ".s", "w", encoding="ascii") as file:
        file.write(source)
    run("as", "--64", "-o", path + ".o", path + ".s")
    return path + ".o"


def link(folder, name, source):
    """Something like a vmlinux: the text at the kernel's address, from a symbol _text on."""
    start = ".globl _text\n_text:\nint3\n.p2align 4, 0xcc\n"
    path = assemble(folder, name, ".text\n" + start + source)
    run("ld", f"-Ttext={TEXT:#x}", "-e", "0", "-z", "noexecstack", "--no-warn-rwx-segments",
        "-o", path[:-2], path)
    return path[:-2]


def function(name, body):
    lines = "\n".join(part.strip() for part in body.replace(";", "\n").split("\n"))
    return f".p2align 4, 0xcc\n.globl {name}\n.type {name}, @function\n{name}:\n{lines}\n"


def source_of(table):
    """The assembly of all functions of a table, with what they call."""
    return (".text\n" + "".join(function(name, body) for name, body in cases.HELPERS) +
            "".join(function(name, body) for name, *_, body in table) + cases.SECTIONS)


def bugs_of(*flags):
    """A trap with each of these flags, and a table that says so; each is in line 1."""
    return ("".join(function(f"trap_{n}", "ud2") for n, _ in enumerate(flags)) +
            '.section __bug_table, "aw"\n' +
            "".join(f".long trap_{n} - ., 0\n.short 1, {flag}\n" for n, flag in enumerate(flags)))


def prototypes_of(table, elf):
    """A prototype with no parameters for all functions of a table, and those of the helpers that
    have one; the others are assembly."""
    found = {elf.places[name]: btf.Prototype((0, 0), []) for name, *_ in table}
    long = (btf.INT, 8)
    found[elf.places["takes_two"]] = btf.Prototype((0, 0), [long] * 2)
    found[elf.places["with_seven"]] = btf.Prototype((0, 0), [long] * 7)
    found[elf.places["variadic"]] = btf.Prototype((0, 0), [long, (0, 0)])
    return found


def check_registers(what, table, column, found, elf):
    """Checks that the registers found, by place, are those in a column of the table."""
    for name, *wanted, _ in table:
        seen = " ".join(REGISTERS[n] for n in sorted(found[elf.places[name]]))
        expect(f"{what} {name}", seen, wanted[column])


def check_table(path, table, what):
    elf = Elf(path)
    prototypes = prototypes_of(table, elf)
    functions = [Function(place, name, prototypes[place]) for name, place in elf.places.items()
                 if place in prototypes]
    program = Program(Disassembly(elf), prototypes)
    walk_all(program, prototypes)
    files = [File(path, functions, program)]
    check_registers(what, table, 0, settle(files, Exceptions()), elf)
    if len(table[0]) > 3:
        check_registers(what + " open", table, 1, find_open(files), elf)
    return elf, program


def check_both(folder, name, table):
    """Checks a table's functions in a linked file and in a module."""
    check_table(link(folder, name, source_of(table)), table, "linked")
    check_table(assemble(folder, name + "_module", source_of(table)), table, "module")


def test_flow(folder):
    check_both(folder, "flow", cases.FLOW)
    kernel = Disassembly(Elf(link(folder, "warnings", bugs_of(1, 1))))
    module = Elf(assemble(folder, "bug", bugs_of(0)))
    expect("warnings", Disassembly(module, kernel).warnings, set())


def test_open(folder):
    check_both(folder, "open", cases.OPEN)


def test_linked(folder):
    section = '.section __jump_table, "aw"'
    between = '.section .rodata\n.globl __{0}___jump_table\n__{0}___jump_table:\n'
    source = source_of(cases.LINKED).replace(section, between.format("start"))
    source = source.replace(" - ., 0\n.short 0, 1\n", " - .\n.short 1, 0\n")
    source = source.replace(" - ., 0\n.short 0, 0\n.section", " - .\n.short 0, 0\n.section")
    source = source.replace('.section __ex_table', between.format("stop") + '.section __ex_table')
    check_table(link(folder, "linked", source), cases.LINKED, "linked")


def test_doubts(folder):
    elf, program = check_table(link(folder, "doubts", source_of(cases.DOUBTS)), cases.DOUBTS, "")
    for name, _, _ in cases.DOUBTS:
        summary = program.summary(elf.places[name])
        for kind in ("unknown", "lost", "mixed"):
            expect(f"{name} is {kind}", bool(getattr(summary, kind)), name.startswith(kind))


def test_prototypes(_):
    for returns, parameters, registers, stack, attachable in cases.PROTOTYPES:
        kinds = [(getattr(btf, kind), size) for kind, size in parameters]
        prototype = btf.Prototype((getattr(btf, returns[0]), returns[1]) if returns[0] else (0, 0),
                                  kinds)
        what = f"{parameters} returning {returns}"
        expect(f"registers of {what}", prototype.registers, registers)
        expect(f"stack of {what}", prototype.stack_words, stack)
        expect(f"attachable {what}", prototype.attachable, attachable)


class Writer(BtfWriter):
    """BTF with one integer type, and functions with prototypes of it."""

    def __init__(self):
        super().__init__()
        self.long = self.add("long", btf.INT << 24, 8, struct.pack("<I", 64))

    def proto(self, parameters):
        return self.add("", PROTO << 24 | parameters, self.long,
                        struct.pack("<II", 0, self.long) * parameters)

    def long_func(self, name, parameters, address=None):
        self.func(name, self.proto(parameters), address)


def test_input(folder):
    """Writes a kernel and its BTF, for check.sh to run the checker on."""
    source = "".join(function(name, body) for name, _, _, body in cases.KERNEL)
    path = link(folder, "vmlinux", source)
    elf = Elf(path)
    writer = Writer()
    for name, parameters, placed, _ in cases.KERNEL:
        address = elf.places[name] - elf.places["_text"] if placed else None
        writer.long_func(name, int(parameters), address)
    writer.write(os.path.join(folder, "btf"))


def found_by(tool, *arguments):
    """What another program of this folder prints of a kernel that has faults."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), tool)
    done = subprocess.run([path, *arguments], check=False, capture_output=True, text=True)
    expect("status", done.returncode, 1)
    return done.stdout


def test_returns(folder):
    """Writes a kernel of callers and its BTF, and checks what ./returns finds of them."""
    bodies = [("dropped", "ret"), ("other", "xor %edx, %edx; ret"),
              ("reads_rdx", "mov %rdx, %rbx; ret"), ("keeps_rdx", "xor %eax, %eax; ret")]
    bodies += [(name, body) for name, _, body in cases.CALLERS]
    path = link(folder, "callers", "".join(function(name, body) for name, body in bodies))
    elf = Elf(path)
    writer = Writer()
    for name in elf.places:
        if name.startswith(("dropped", "described_")) and ".cold" not in name:
            writer.long_func(name, 0, elf.places[name] - elf.places["_text"])
    writer.write(path + ".btf")
    said = found_by("returns", "--drop", "dropped", "--btf", path + ".btf", path)
    for name, looks, _ in cases.CALLERS:
        found = re.search(rf"but {name}(\.cold)? uses the value: ", said)
        expect(f"{name} is found", bool(found), looks == "uses")
    # returns_it() and goes_on()
    expect("not known", ", 2 may use it" in said, True)


def names_source():
    """The assembly of cases.NAMES, with ftrace's table."""
    table = [".quad 0"] + [f".quad {name} + {site}" for name, site, _ in cases.NAMES if site]
    return ("".join(function(name, body) for name, _, body in cases.NAMES) + cases.ALIASES +
            ".data\n.globl __start_mcount_loc, __stop_mcount_loc\n__start_mcount_loc:\n" +
            "\n".join(table) + "\n__stop_mcount_loc:\n")


def test_names(folder):
    """./names on a kernel, pahole's BTF of it, and BTF with addresses that has faults."""
    path = link(folder, "names", names_source())
    places = Elf(path).places
    for name in "twin_1", "twin_2":
        run("objcopy", "--redefine-sym", f"{name}=twin", path)
    plain, annotated = Writer(), Writer()
    for name in cases.DESCRIBED:
        plain.long_func(name, 1)
    proto = annotated.proto(1)
    for name, symbol in cases.ANNOTATED:
        annotated.func(name, proto, places[symbol] - places["_text"])
    plain.write(path + ".plain")
    annotated.write(path + ".btf")
    with open(path + ".left", "wb") as file:
        file.write(cases.LEFT)
    said = found_by("names", "--plain", path + ".plain", "--btf", path + ".btf",
                    "--left-out", path + ".left", path)
    said = re.sub("ffffffff[0-9a-f]{8}", "ADDR", said.replace(path, "names"))
    expect("what is said", said.splitlines(), cases.SAID)


def main():
    test = globals().get("test_" + sys.argv[1]) if len(sys.argv) > 1 else None
    if test is None:
        print("usage: selftest.py GROUP [FOLDER]", file=sys.stderr)
        return 2
    test(sys.argv[2] if len(sys.argv) > 2 else None)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
