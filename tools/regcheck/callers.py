# SPDX-License-Identifier: GPL-2.0-only
"""Does a caller look at what a function has left in rax and rdx?

From the instruction behind a call this follows every path, also into the cold part of the function
and back, and to where the kernel goes on after a fault, until the register is set. If a look is
found, some path has it. The path ends
  - for rax, at the next call; for rdx there, too, unless the callee is assembly that keeps it,
  - at an indirect jump that isn't by a table in .rodata,
  - at an instruction of which it isn't known what it does to the register.
To return with a register as it is, or to jump to a function that reads it, is to look at it. What
is pushed isn't followed.
"""
import re

from flow import ENTRY_HOOKS, RETURN_THUNKS
from insn import BRANCH, CALL, NEXT, REGISTERS, RETURN, STOP, TRAP, decode, whole

RAX, RDX = 1, 2
THIRD = REGISTERS.index("rdx")
FORMS = {"%rax": "", "%eax": "d", "%ax": "w", "%al": "b"}	# as r8 and r9 have them
# What uses rax and doesn't name it.
SIGN = {"cltq", "cwtl", "cbtw", "cqto", "cltd", "cwtd"}
IMPLICIT = re.compile(r"(rep|lock|lods|stos|scas|cmps|movs[bwlq]? +%|i?mul|i?div|cmpxchg|xlat|"
                      r"[ls]ahf|cpuid|rd|wr|in |out|sys|vm|x|monitor|mwait|pvalidate|psmash)")


def looks_at_rax(text):
    """Whether an instruction reads rax; None if it doesn't, and what follows may."""
    mnemonic = text.split(None, 1)[0]
    if mnemonic in SIGN:
        return True
    spare = next((name for name in ("r8", "r9") if name not in text), None)
    if spare is None or "%ah" in text or (IMPLICIT.match(text) and not mnemonic.startswith("xor")):
        return False
    # what is known of arguments holds for rax under the name of one
    insn = decode(re.sub(r"%(?:[re]?ax|al)\b", lambda m: f"%{spare}{FORMS[m[0]]}", text))
    if insn.reads & whole(spare):
        return True
    return False if not insn.known or insn.writes & whole(spare) else None


def looks_at_rdx(insn):
    """The same of rdx."""
    if insn.reads & whole("rdx"):
        return True
    return False if not insn.known or insn.pushed == THIRD or insn.writes & whole("rdx") else None


class Look:
    """What follows a call. returned: the registers that the caller returns something in, None if
    that isn't known. found: (place, text) of a look. leaves: a caller of which that isn't known
    leaves rax as it was."""

    def __init__(self, program, returned):
        self.program, self.code, self.returned = program, program.code, returned
        self.found, self.leaves = None, False
        self.seen, self.todo = {}, []

    def run(self, block, line):
        """Looks from there on; returns itself."""
        self._go(block.places[line] if line < len(block.places) else None, RAX | RDX)
        while self.todo and not self.found:
            place, live = self.todo.pop()
            where = self.code.block_of(place)
            if where is not None:
                self._path(self.code.blocks[where[0]], where[1], live)
        return self

    def ends(self, place, text, live):
        """The caller returns there."""
        if self.returned is None:
            self.leaves |= bool(live & RAX)
        elif live & self.returned:
            self.found = place, text

    def _go(self, place, live):
        if place is not None and live & ~self.seen.get(place, 0):
            self.todo.append((place, live))

    def _path(self, block, line, live):
        while live and not self.found and line < len(block.lines):
            place, text = block.places[line], block.lines[line][1]
            if not live & ~self.seen.get(place, 0):
                return
            self.seen[place] = self.seen.get(place, 0) | live
            insn = decode(text)
            for target in self.code.instead.get(place, ()):
                self._go(target, live)
            for target, written, sets_rax in self.code.faults.get(place, ()):
                self._go(target, live & ~(RDX if written & whole("rdx") else 0) &
                         ~(RAX if sets_rax else 0))
            live = self._look(insn, place, text, live)
            for target in self.code.edges.get(place, ()):
                self._go(target, live)
            if insn.flow != NEXT:
                live = self._flow(insn, block, line, live)
            after = self.code.back_from(block, line)
            if after is not None:
                self._go(after, live)
                return
            line += 1

    def _look(self, insn, place, text, live):
        """The registers that are as they were behind the instruction."""
        for register, looks in ((RAX, looks_at_rax(text)), (RDX, looks_at_rdx(insn))):
            if live & register and looks is not None:
                if looks:
                    self.found = place, text
                live &= ~register
        return live

    def _flow(self, insn, block, line, live):
        """The registers with which the next instruction follows."""
        place, text = block.places[line], block.lines[line][1]
        if insn.flow == RETURN:
            self.ends(place, text, live)
            return 0
        if insn.flow in (STOP, TRAP):
            return live if insn.flow == TRAP and place in self.code.warnings else 0
        if insn.indirect:
            for target in insn.flow != CALL and self.code.jump_table(insn.indirect, block) or ():
                self._go(target, live)
            return 0
        name, target = self.program.target(insn, block, line)
        if insn.flow == CALL:
            return live if name in ENTRY_HOOKS else self._call(target, place, text, live)
        if name in RETURN_THUNKS:
            self.ends(place, text, live)
        elif target is not None and self.code.block_of(target) and \
                not self.code.starts_function(target):
            self._go(target, live)
        else:
            self._call(target, place, text, live)
        return live if insn.flow == BRANCH or place in self.code.edges else 0

    def _call(self, callee, place, text, live):
        """rdx may be an argument; and assembly may keep it. A variadic function reads all."""
        program = self.program
        if not live & RDX or callee is None or program.is_patched(callee):
            return 0
        takes = program.takes.get(callee, 0) if callee in program.compiled else 6
        if takes > THIRD and THIRD in program.summary(callee).reads:
            self.found = place, text
        return RDX if program.keeps(callee) >> THIRD & 1 else 0
