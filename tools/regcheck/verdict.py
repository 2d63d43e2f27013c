# SPDX-License-Identifier: GPL-2.0-only
"""What the walks found, compared with the prototypes; and the list of exceptions."""
import fnmatch

from elf import InputError
from flow import numbers_of
import insn
import insn_arm64
from program import propagate


class Exceptions:
    """Reads that do no harm, from a file. A line: FUNCTION REGISTER INSTRUCTION # WHY

    FUNCTION and INSTRUCTION are shell patterns; runs of blanks in an instruction count as one.
    The function is the one that has the instruction: callers that pass the register on to it
    need no exception.
    """

    def __init__(self, path=None):
        self.rules = []
        self.used = {}
        if path is None:
            return
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")
        except OSError as err:
            raise InputError(f"{path}: can't be read ({err}); name the list of exceptions") from err
        for number, line in enumerate(lines, 1):
            rule, _, why = line.partition("#")
            words = rule.split(None, 2)
            if not words:
                continue
            known = insn.REGISTERS + insn_arm64.REGISTERS
            if len(words) != 3 or words[1] not in known or not why.strip():
                raise InputError(f"{path}:{number}: '{line}' is not an exception; "
                                 "write: FUNCTION REGISTER INSTRUCTION # WHY")
            self.rules.append((words[0], words[1], squeeze(words[2]), why.strip()))

    def allow(self, name, register, place, text):
        """Whether this read does no harm."""
        for rule in self.rules:
            if (register == rule[1] and fnmatch.fnmatchcase(name, rule[0])
                    and fnmatch.fnmatchcase(squeeze(text), rule[2])):
                self.used[name, register, f"{place}: {squeeze(text)}"] = rule
                return True
        return False


def squeeze(text):
    """With single blanks."""
    return " ".join(text.split())


class Function:
    """One that BTF describes. changed: by the compiler, as its BTF says."""

    def __init__(self, place, name, prototype, changed=False):
        self.place, self.name, self.prototype, self.changed = place, name, prototype, changed

    def beyond(self, numbers):
        """Those register numbers that the prototype doesn't occupy."""
        if self.prototype.variadic:
            return []
        return [n for n in numbers if n >= self.prototype.registers]


class File:
    """A vmlinux or a module: its functions that BTF describes, and its code."""

    def __init__(self, path, functions, program):
        self.path, self.functions, self.program = path, functions, program


def settle(files, exceptions):
    """What each function reads, but for what an exception allows: place -> {register number:
    read}."""
    for program in (file.program for file in files):
        for place, summary in program.summaries.items():
            for number, found in summary.reads.items():
                register = program.code.registers[number]
                for where, text in list(found.items()):
                    if exceptions.allow(program.name(place), register, program.show(where), text):
                        del found[where]
    fixed = {f.place: f.prototype.registers for file in files for f in file.functions
             if f.prototype.variadic}
    return propagate([file.program for file in files], fixed, lambda summary: summary.reads)


def find_open(files):
    """What each function may pass on to a call whose target isn't known: place -> {register
    number: read}. A function that BTF describes takes only the registers that BTF lists."""
    takes = {f.place: f.prototype.registers for file in files for f in file.functions}
    return propagate([file.program for file in files], takes, lambda summary: summary.open)


def chain(place, number, reads):
    """The functions from this one to the one that has the instruction."""
    places = []
    while place is not None and place not in places:
        places.append(place)
        place = reads[place][number][2]
    return places


class Verdict:
    """The findings in one file, and the functions of other classes: lists of (function, place,
    instruction, register numbers)."""

    def __init__(self, file, reads, is_open):
        self.file, self.reads = file, reads
        self.findings, self.unknown, self.lost, self.mixed, self.open = [], [], [], [], []
        self.made_up = []
        for function in file.functions:
            summary = file.program.summary(function.place)
            for number in function.beyond(reads[function.place]):
                self.findings.append((function, number))
            for kind, found in (("unknown", self.unknown), ("lost", self.lost)):
                for place, text, live in getattr(summary, kind):
                    numbers = function.beyond(numbers_of(live))
                    if numbers:
                        found.append((function, place, text, numbers))
            for number in function.beyond(summary.mixed):
                if number not in reads[function.place]:
                    place, text = next(iter(summary.mixed[number].items()))
                    self.mixed.append((function, place, text, [number]))
            self.made_up += [(function, number) for number in function.prototype.unnamed
                             if not any(number in found for found in (
                                 reads[function.place], is_open[function.place], summary.mixed))
                             and not any(number in numbers_of(live)
                                         for *_, live in summary.unknown + summary.lost)]
            numbers = function.beyond(sorted(is_open[function.place]))
            if numbers:
                place, text, _ = is_open[function.place][numbers[0]]
                self.open.append((function, place, text, numbers))

    def finding_line(self, function, number):
        show, registers = self.file.program.show, self.file.program.code.registers
        place, text, _ = self.reads[function.place][number]
        line = (f"{function.name}: {show(function.place)} reads {registers[number]}, BTF lists "
                f"{listed(function, registers)}: {show(place)}: {squeeze(text)}")
        callees = chain(function.place, number, self.reads)[1:]
        if callees:
            place, text, _ = self.reads[callees[-1]][number]
            names = ", ".join(self.file.program.name(callee) for callee in callees)
            line += f"; it goes on to {names} ({show(place)}: {squeeze(text)})"
        if not function.prototype.attachable:
            line += " [the kernel refuses to attach to it for its types]"
        return line

    def class_lines(self, what, found):
        """Lines that name the functions of a class, and the places."""
        show = self.file.program.show
        for function, place, text, numbers in found:
            registers = " ".join(self.file.program.code.registers[n] for n in numbers)
            yield (f"{function.name}: {show(function.place)} {what} {registers}: "
                   f"{show(place)}: {squeeze(text)}")


def listed(function, registers):
    """The registers that BTF lists."""
    return " ".join(registers[:function.prototype.registers]) or "none"
