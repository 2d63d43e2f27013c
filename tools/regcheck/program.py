# SPDX-License-Identifier: GPL-2.0-only
"""A kernel and its modules as one program: who calls whom, and what follows from that."""
from flow import ENTRY_HOOKS, INDIRECT_THUNK, RETURN_THUNKS, Summary, Walk
from insn import JUMP, PART

R_X86_64_32S = 11
MAX_DEPTH = 30			# of calls within calls, to find out which registers are kept


class Program:
    """The code of a kernel, or of a module on top of a kernel; walks functions, and remembers
    the summaries. prototypes: by the place of functions that BTF describes."""

    def __init__(self, code, prototypes, kernel=None):
        self.code = code
        self.elf = code.elf
        self.kernel = kernel
        self.summaries = {}
        self.compiled = set(prototypes) | (kernel.compiled if kernel else set())
        self.stack_words = {place: p.stack_words for place, p in prototypes.items()
                            if p.stack_words}
        self.takes = {place: p.registers for place, p in prototypes.items() if not p.variadic}
        if kernel:
            self.stack_words.update(kernel.stack_words)
            self.takes.update(kernel.takes)
        self.special = {place: name for name, place in self.elf.places.items()
                        if name in ENTRY_HOOKS or name in RETURN_THUNKS
                        or INDIRECT_THUNK.match(name)}
        self.trampolines = self._trampolines()
        self._walking = set()

    def owner(self, place):
        """The Program that has the code at a place, or None."""
        if self.code.block_of(place) is not None:
            return self
        return self.kernel.owner(place) if self.kernel else None

    def name(self, place):
        """The symbol that has the code at a place."""
        owner = self.owner(place)
        return owner.code.blocks[owner.code.block_of(place)[0]].name if owner else f"{place:x}"

    def show(self, place):
        """A place as people write it."""
        return (self.owner(place) or self).elf.show(place)

    def summary(self, place):
        """The Summary of the function there; an empty one if there is no code."""
        owner = self.owner(place)
        if owner is None:
            return Summary()
        if place not in owner.summaries:
            owner.summaries[place] = Walk(owner, place).run()
        return owner.summaries[place]

    def keeps(self, place):
        """The registers that a call of the function leaves alone."""
        if place in self.compiled or place in self._walking or len(self._walking) > MAX_DEPTH:
            return 0
        self._walking.add(place)
        kept = self.summary(place).keeps
        self._walking.discard(place)
        return kept or 0

    def begins_with_hook(self, place):
        """The function calls __fentry__ first, or has room for that: it can be traced."""
        number, line = self.code.block_of(place) or (None, None)
        if number is None:
            return False
        block = self.code.blocks[number]
        for line in range(line, min(line + 2, len(block.lines))):
            text = block.lines[line][1]
            if text.startswith(("nop", "bti\tc")) and self.elf.arm64:
                return True
            if text.startswith("call"):
                insn = self.code.decode(text)
                return (insn.target is not None
                        and self.target(insn, block, line)[0] in ENTRY_HOOKS)
            if not text.startswith("endbr64"):
                return text.startswith("nopl   0x0(%rax,%rax,1)")
        return False

    def target(self, insn, block, line):
        """(name if it says what is there, place or None) of a direct jump or call."""
        value = insn.target
        if not self.elf.relocatable:
            return self.special.get(value), value
        found = self._relocation(block, line)
        if found is None:
            return self.special.get(value + block.base), value + block.base
        name, place, addend = found
        if place is not None:
            return name, place + addend
        return name, self.kernel.elf.places.get(name) if self.kernel else None

    def _relocation(self, block, line):
        """(name, place or None, addend) that an instruction is relocated to. On x86 these are its
        last four bytes, as from the end of the instruction."""
        place, end = block.places[line], block.end(line)
        section = self.elf.section_at(place)
        relocations = self.elf.relocations(section)
        if self.elf.arm64:
            return relocations.get(place - section.place, (None,))[1:] or None
        for start in range(place + 1, place + 5):
            found = relocations.get(start - section.place)
            if found and (end is None or start + 4 == end):
                kind, name, target, addend = found
                return name, target, addend + 4 if kind != R_X86_64_32S else addend
        return None

    def _trampolines(self):
        """The range of places of static calls' trampolines."""
        section = self.elf.section(".static_call.text")
        if section is not None:
            return range(section.place, section.place + section.size)
        # the linker script puts them between these
        ends = [self.elf.places.get(f"__static_call_text_{end}", 0) for end in ("start", "end")]
        return range(*ends)

    def is_patched(self, place):
        """Whether the code at a place is replaced when the kernel runs, by a jump to any function
        of its prototype."""
        return place in self.trampolines or bool(self.kernel and self.kernel.is_patched(place))

    def patched_takes(self, place):
        """How many registers are arguments of a static call, None if that isn't known: the
        prototype is that of the function which is there from the start, if BTF describes it."""
        owner = self.owner(place)
        number, line = owner.code.block_of(place)
        block = owner.code.blocks[number]
        insn = owner.code.decode(block.lines[line][1])
        if insn.flow != JUMP or insn.indirect:
            return None
        return owner.takes.get(owner.target(insn, block, line)[1])


def walk_all(program, places):
    """Walks the functions at these places, and all that they call."""
    todo, seen = list(places), set()
    while todo:
        place = todo.pop()
        if place not in seen:
            seen.add(place)
            todo.extend(callee for callee, *_ in program.summary(place).calls)


def propagate(programs, takes, own):
    """For each function, the registers that it or a callee to which it passes them on uses:
    place -> {register number: (place, instruction, callee or None)}, the first use that was found.
    own: the uses in a Summary itself, register number -> {place: instruction}. takes: how many
    registers are arguments, by place; other functions may take all."""
    has, callers = {}, {}
    for program in programs:
        for place, summary in program.summaries.items():
            has[place] = {number: (*next(iter(found.items())), None)
                          for number, found in own(summary).items() if found}
            for callee, live, where, text in summary.calls:
                callers.setdefault(callee, []).append((place, live, where, text))
    todo = [place for place, found in has.items() if found]
    while todo:
        callee = todo.pop()
        numbers = [i for i in has[callee] if i < takes.get(callee, PART)]
        for place, live, where, text in callers.get(callee, ()):
            found = has[place]
            new = [i for i in numbers if live >> i & 1 and i not in found]
            for i in new:
                found[i] = (where, text, callee)
            if new:
                todo.append(place)
    return has
