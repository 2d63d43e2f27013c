# SPDX-License-Identifier: GPL-2.0-only
"""The disassembly of a file, by objdump, and what sections beside the code say of its flow.

objdump's text is kept as one string for each symbol. Only the small part that the checker reaches
is parsed. Sections that say more:
  __jump_table  (static branches) where else the nop or jmp at a place may go
  __ex_table    where execution goes on if the instruction faults
  __bug_table   whether it goes on after a ud2: after a WARN it does, after a BUG it doesn't
  .altinstructions
                where the kernel puts other instructions when it starts, and which
  .parainstructions
                where it puts direct calls
In vmlinux some of these lie between two symbols, and have no section of their own.
"""
import bisect
import os
import re
import struct
import subprocess

from elf import InputError
import insn
import insn_arm64

OBJDUMP = os.environ.get("OBJDUMP")
BUG_WARNING = 1			# BUGFLAG_WARNING
DIRECT_CALL = 2			# ALT_FLAG_DIRECT_CALL: its replacement isn't used
CALLBACK = 0x80			# ARM64_CB_BIT: a function writes instructions of the same effect
# Handlers of faults that write to rax if their entry names that register: EX_TYPE_WRMSR_SAFE,
# RDMSR_SAFE, RDMSR_IN_MCE, IMM_REG and ZEROPAD of extable_fixup_types.h.
SETS_REGISTER = (10, 11, 13, 17, 20)
FAULT_REGISTERS = {0: insn.RAX, 1: 3, 2: 2, 6: 1, 7: 0, 8: 4, 9: 5}	# the numbers of insn.py
TABLE_JUMP = re.compile(r"jmp    \*(-?0x[0-9a-f]+)\(,%r\w+,8\)")
# Instructions that objdump 2.40 doesn't know, by their bytes.
NEWER = {b"\xf2\x0f\x00\xf7": "lkgs   %edi"}
HEADER = re.compile(r"([0-9a-f]+) <(.*)>:$", re.M)
LINE = re.compile(r"^ *([0-9a-f]+):\t([^#\n]*)#?(.*)", re.M)
SECTION = re.compile(r"Disassembly of section (.*):")


def _objdump(elf, *extra):
    """What objdump prints of a file."""
    objdump = OBJDUMP or ("aarch64-linux-gnu-objdump" if elf.arm64 else "objdump")
    command = [objdump, "-d", "-w", "--no-show-raw-insn", *extra, elf.path]
    try:
        done = subprocess.run(command, check=False, capture_output=True, encoding="latin-1",
                              env={**os.environ, "LC_ALL": "C"})
    except OSError as err:
        raise InputError(f"{elf.path}: {objdump} can't be run ({err}); install binutils"
                         f"{'-aarch64-linux-gnu' if elf.arm64 else ''}") from err
    if done.returncode:
        raise InputError(f"{elf.path}: objdump failed ({done.stderr.strip()}); is the file whole?")
    # there a number is "#1", and a comment "// text"
    return done.stdout.replace("#", "").replace("//", "#") if elf.arm64 else done.stdout


class Block:
    """The code from one symbol to the next. places: of its instructions; lines: their texts and
    objdump's comments, as (ignored, text, comment); index: place -> number of the instruction."""

    __slots__ = ("place", "name", "text", "base", "places", "lines", "index")

    def __init__(self, place, name, text, base):
        self.place, self.name, self.text, self.base = place, name, text, base
        self.places = self.lines = self.index = None

    def parse(self):
        self.lines = LINE.findall(self.text)
        self.set_places([int(line[0], 16) + self.base for line in self.lines])

    def set_places(self, places):
        self.places = places
        self.index = dict(zip(places, range(len(places))))

    def end(self, line):
        """Where the instruction after this one is, or None if it is the last one."""
        return self.places[line + 1] if line + 1 < len(self.places) else None

    def replace(self, number, name, rest):
        """Sets the instruction with this number, and replaces those after it by another Block."""
        places = self.places[:number + 1] + rest.places
        self.lines = self.lines[:number] + [("", name, "")] + rest.lines
        self.set_places(places)


class Disassembly:
    """The code of one file: lines by place, and the edges that objdump doesn't show. kernel: the
    Disassembly of the kernel that a module is for."""

    def __init__(self, elf, kernel=None):
        self.elf = elf
        table = insn_arm64 if elf.arm64 else insn
        self.decode, self.registers, self.all = table.decode, table.REGISTERS, table.ALL
        self.results = table.RESULTS
        self.blocks = []
        self._split(_objdump(elf))
        self.blocks.sort(key=lambda b: b.place)
        self.starts = [b.place for b in self.blocks]
        self._read_edges()
        self._read_bugs(kernel)
        self._read_alternatives()
        self._tables = self._find_tables()

    def _split(self, text):
        base = 0
        for part in text.split("\n\n"):
            part = part.lstrip("\n")
            section = SECTION.match(part)
            if section:
                base = self._section_base(section[1])
                continue
            header = HEADER.match(part)
            if header:
                self.blocks.append(Block(int(header[1], 16) + base, header[2],
                                         part[header.end() + 1:], base))

    def _section_base(self, name):
        """In a module objdump counts from 0 in each section. Two sections may have one name."""
        if not self.elf.relocatable:
            return 0
        named = [s for s in self.elf.sections if s.name == name and s.is_code() and s.size]
        seen = self.__dict__.setdefault("_seen", {})
        number = seen[name] = seen.get(name, -1) + 1
        return named[min(number, len(named) - 1)].place

    def _fields(self, name, step):
        section = self.elf.section(name)
        start, end = 0, section.size if section is not None else 0
        if section is None:
            first, last = (self.elf.places.get(f"__{end}_{name}") for end in ("start", "stop"))
            section = self.elf.section_at(first) if first and last else None
            if section is not None:
                start, end = first - section.place, last - section.place
        for offset in range(start, end - step + 1, step):
            yield section, offset

    def _read_edges(self):
        """edges: place -> other places where execution may go on. faults: place -> [(place,
        registers set on the way)], where it goes on after a fault."""
        self.edges, self.faults = {}, {}
        for name, step, found in (("__jump_table", 16, self.edges),
                                  ("__ex_table", 12, self.faults)):
            for section, offset in self._fields(name, step):
                place = self.elf.pointer(section, offset, 4)
                target = self.elf.pointer(section, offset + 4, 4)
                if place is None or target is None:
                    continue
                if found is self.faults:
                    target = target, self._fault_register(section, offset + 8)
                found.setdefault(place, []).append(target)

    def _fault_register(self, section, offset):
        """Some handlers leave an error code in the register whose number is in bits 8 to 11. For
        other handlers, these bits are 0, as for rax."""
        raw, = struct.unpack_from("<I", section.bytes, offset)
        if self.elf.arm64:
            # UACCESS_ERR_ZERO, KACCESS_ERR_ZERO, LOAD_UNALIGNED_ZEROPAD
            used = {2: 2, 3: 2, 4: 1, 5: 1}.get(raw & 0xffff, 0)
            numbers = [raw >> 16 & 31, raw >> 21 & 31][:used]
            return insn.parts_of(*{n for n in numbers if n < 8})
        number = raw >> 8 & 15
        if number not in FAULT_REGISTERS or not number and raw & 0xff not in SETS_REGISTER:
            return 0
        return insn.parts_of(FAULT_REGISTERS[number])

    def _read_bugs(self, kernel):
        """warnings: the places of ud2 after which execution goes on. bug_entry: the size of an
        entry, and where its flags are; a module may have too few entries to tell."""
        self.warnings = set()
        self.bug_entry = kernel.bug_entry if kernel else self._bug_entry()
        size, at = self.bug_entry
        for section, offset in self._fields("__bug_table", size):
            flags, = struct.unpack_from("<H", section.bytes, offset + at)
            place = self.elf.pointer(section, offset, 4)
            if flags & BUG_WARNING and place is not None:
                self.warnings.add(place)

    def _bug_entry(self):
        size = self._entry_size("__bug_table", (8, 12), 16)
        ends = {section.bytes[offset + size - 2:offset + size]
                for section, offset in self._fields("__bug_table", size)}
        # the flags are the last field, or padding is behind them
        return size, size - 4 if ends == {b"\0\0"} else size - 2

    def _read_alternatives(self):
        """patched: the places of indirect calls that are made direct. instead: place -> places of
        instructions that may be run instead. back: their end -> where execution goes on then."""
        self.instead, self.back = {}, {}
        # before 6.8 those of paravirt calls were here
        self.patched = {self.elf.pointer(section, offset, 8)
                        for section, offset in self._fields(".parainstructions", 16)}
        size = self._entry_size(".altinstructions", (14, 13, 12), 14)
        for section, offset in self._fields(".altinstructions", size):
            entry = section.bytes[offset:offset + size]
            place = self.elf.pointer(section, offset, 4)
            other = self.elf.pointer(section, offset + 4, 4)
            # an entry of 13 bytes also has the length of padding
            old_length, new_length = entry[12:14] if size == 14 else entry[10:12]
            if self.elf.arm64 and entry[9] & CALLBACK:
                continue
            if size == 14 and entry[10] & DIRECT_CALL:
                self.patched.add(place)
            elif place is not None and new_length == 0:
                self.instead.setdefault(place, []).append(place + old_length)
            elif place is not None and other is not None:
                self.instead.setdefault(place, []).append(other)
                self.back[other + new_length] = place + old_length

    def back_from(self, block, line):
        """Where execution goes on after an instruction, if that is the last one of an alternative's
        replacement; else None."""
        if not self.back:
            return None
        end = block.end(line)
        if end is None and self.elf.arm64:
            end = block.places[line] + 4	# the replacement is behind a function
        elif end is None:
            section = self.elf.section_at(block.places[line])
            end = section.place + section.size
        return self.back.get(end)

    def _entry_size(self, name, sizes, largest):
        """An entry of __bug_table has 12 bytes, 4 more with a format, and 4 less without
        CONFIG_DEBUG_BUGVERBOSE; one of .altinstructions has 12 to 14. With the right size, the
        second entry points into code."""
        section = self.elf.section(name)
        if section is None:
            return largest
        for size in sizes:
            place = self.elf.pointer(section, size, 4) if section.size >= 2 * size else None
            code = self.elf.section_at(place) if place is not None else None
            if code is not None and code.is_code():
                return size
        return section.size if 0 < section.size <= largest else largest

    def parse(self, block):
        """Parses the block, if that isn't done yet."""
        if block.lines is None:
            block.parse()
            if "(bad)" in block.text:
                self._repair(block)

    def _repair(self, block):
        """Where objdump doesn't know an instruction, it loses track of those after it, too."""
        section = self.elf.section_at(block.place)
        for number, (place, line) in enumerate(zip(block.places, block.lines)):
            if "(bad)" in line[1] and self.elf.word(place) in NEWER:
                rest = self._disassemble(section, block, place + 4)
                rest.parse()
                block.replace(number, NEWER[self.elf.word(place)], rest)
                self._repair(block)
                return

    def _disassemble(self, section, block, place):
        """A Block of the code from this place to the end of the block."""
        after = bisect.bisect_right(self.starts, block.place)
        end = section.place + section.size
        if after < len(self.starts):
            end = min(end, self.starts[after])
        text = _objdump(self.elf, f"--start-address={place - block.base:#x}",
                        f"--stop-address={end - block.base:#x}", f"--section={section.name}")
        return Block(place, block.name, text, block.base)

    def block_of(self, place):
        """(number of the block, number of the line), or None if no instruction starts there."""
        number = bisect.bisect_right(self.starts, place) - 1
        while number >= 0:
            block = self.blocks[number]
            self.parse(block)
            line = block.index.get(place)
            if line is not None:
                return number, line
            # A symbol may have no line of its own: objdump leaves out zeros.
            if block.lines:
                return None
            number -= 1
        return None

    def starts_function(self, place):
        """Whether a symbol is there which isn't the cold part of another function."""
        number = bisect.bisect_left(self.starts, place)
        return (number < len(self.starts) and self.starts[number] == place
                and ".cold" not in self.blocks[number].name)

    def jump_table(self, operand, block):
        """The places in the table that "*table(,%reg,8)" jumps by, None for another operand. The
        table ends where another begins, or where an entry leaves the function."""
        match = TABLE_JUMP.match("jmp    " + operand)
        if not match or self.elf.relocatable:
            return None
        start = int(match[1], 16) & (1 << 64) - 1
        section = self.elf.section_at(start)
        if section is None:
            return None
        names = {block.name, block.name + ".cold"}
        targets = []
        while start + 8 * len(targets) not in self._tables or not targets:
            target = self.elf.pointer(section, start + 8 * len(targets) - section.place, 8)
            where = self.block_of(target) if target is not None else None
            if where is None or self.blocks[where[0]].name not in names:
                break
            targets.append(target)
        return targets or None

    def _find_tables(self):
        """Where the tables of all jumps start."""
        return {int(match[1], 16) & (1 << 64) - 1 for block in self.blocks
                if "jmp    *" in block.text for match in TABLE_JUMP.finditer(block.text)}
