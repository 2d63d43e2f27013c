# SPDX-License-Identifier: GPL-2.0-only
"""Which argument registers a function reads before it sets them, by walking its code.

The walk starts at the entry with the argument registers as the caller has set them. It follows
every path, with the set of registers that still have these values. A path ends where this set is
empty. A register counts as read if some path reads it for certain. Nothing is guessed:
  - At an indirect jump that isn't by a table in .rodata the path is "lost", unless the stack is as
    it was at the entry: then the jump is a call in the place of a return.
  - It isn't known what an indirect call reads (but it sets all registers). It isn't known, either,
    for a call whose target the kernel replaces when it runs: a static call, or an indirect one that
    alternatives replace (paravirt). The registers that may be arguments of such a call are "open".
    But if BTF has the prototype of a static call's first target, that one's arguments count as
    read. A patched-in function may keep registers: a compiler that reads a register after the call
    knows that. But the register is not an argument of the next call.
  - To push a register, and to pop or drop it again, doesn't read it. To read its slot on the stack
    does, and so does a call of a function that has an argument there.
  - If only the low byte of a register has been set, and then all of it is read, that is counted
    apart ("mixed"). Compilers copy such registers as a whole: "sete %dl; mov %edx,%eax; mov
    %al,(%rdi)".

A call is an edge: registers that are still as the caller has set them are read if the callee reads
them. program.propagate() finds that out after all functions have been walked. A call changes all of
them (x86-64 psABI, 3.2.1), unless the callee has no BTF: assembly may keep registers, and the walk
through it says which. So there is no list of the names of thunks, except for those whose code is
replaced when the kernel runs: __fentry__ and the thunks of retpolines and returns.
"""
import re

from insn import BRANCH, CALL, LOW, NEXT, PART, RETURN, STOP, TRAP, parts_of, registers_in

INDIRECT_THUNK = re.compile(r"__x86_indirect_(?:(?:call|jump)_)?thunk_(?:array_)?(r\w+)$")
RETURN_THUNKS = {"__x86_return_thunk", "srso_return_thunk", "srso_alias_return_thunk",
                 "retbleed_return_thunk", "its_return_thunk", "call_depth_return_thunk"}
ENTRY_HOOKS = {"__fentry__", "ftrace_caller", "ftrace_regs_caller"}
MAX_STATES = 64			# at one instruction


# All parts of the register with a number.
PARTS = [parts_of(n) for n in range(PART)]


def numbers_of(registers):
    """The numbers of registers of which the low byte is in the set."""
    return [i for i in range(PART) if registers >> i & 1]


class Summary:
    """What the walk through one function found.

    reads: register number -> {place: instruction} that read it. mixed: the same for what is left
    of a register that has been set in part. calls: [(callee, registers that hold the caller's
    values, place, instruction)]. lost, unknown: [(place, instruction, registers)] where the walk
    couldn't go on, or met an instruction that no table has. open: register number -> {place:
    instruction} that may go to a function which reads it. keeps: registers that are the same
    when it returns; None while it isn't known to return. ends: [(place, instruction, registers that
    are the same)] where it returns.
    """

    __slots__ = ("reads", "mixed", "open", "calls", "lost", "unknown", "keeps", "ends")

    def __init__(self):
        self.reads, self.mixed, self.open, self.calls = {}, {}, {}, []
        self.lost, self.unknown, self.ends = [], [], []
        self.keeps = None


class State:
    """What holds before an instruction: live, the registers that hold the caller's values; stack,
    those that are pushed, from the first one on: (register number, its parts) or None; depth, the
    bytes on the stack since the entry, None if that isn't known; passes, that what is live may be
    an argument of the next call."""

    __slots__ = ("live", "stack", "depth", "passes")

    def __init__(self, live, stack=(), depth=0, passes=True):
        self.live, self.stack, self.depth, self.passes = live, stack, depth, passes

    def copy(self, live=None):
        return State(self.live if live is None else live, self.stack, self.depth, self.passes)

    def passed(self):
        """The registers that the next call has as arguments, if it has so many."""
        return self.live if self.passes else 0


class Walk:
    """The walk through one function; or from another place on, for these registers."""

    def __init__(self, program, place, live=None):
        self.program = program
        self.code = program.code
        self.entry = place if live is None else None
        self.result = Summary()
        self.seen = {}
        self.todo = [(place, State(live or self.code.all))]

    def run(self):
        while self.todo:
            place, state = self.todo.pop()
            where = self.code.block_of(place)
            if where is not None:
                self._path(*where, state)
        return self.result

    def _path(self, number, line, state):
        """Follows the code until it jumps away, or there is nothing more to see."""
        blocks = self.code.blocks
        while state.live or state.stack:
            block = blocks[number]
            self.code.parse(block)
            if line >= len(block.lines):
                # Assembly falls through to the next symbol.
                number, line = number + 1, 0
                if number >= len(blocks) or blocks[number].base != block.base:
                    return
                continue
            place = block.places[line]
            if self._been_here(place, state) or not self._step(block, line, state):
                return
            after = self.code.back_from(block, line)
            if after is not None:
                self.todo.append((after, state))
                return
            line += 1
        # Everything is overwritten: it may return, but keeps nothing.
        self.result.keeps = 0

    def _been_here(self, place, state):
        states = self.seen.setdefault(place, {})
        key = state.stack, state.depth, state.passes
        before = states.get(key)
        if before is not None and state.live & ~before == 0:
            return True
        if len(states) >= MAX_STATES:
            return True
        states[key] = state.live | (before or 0)
        return False

    def _step(self, block, line, state):
        """One instruction; False where the path ends."""
        place, text = block.places[line], block.lines[line][1]
        insn = self.code.decode(text)
        for other in self.code.instead.get(place, ()):
            self.todo.append((other, state.copy()))
        if insn.leaves:
            self._open(state, place, text)
        if not insn.known:
            self.result.unknown.append((place, text, state.live))
        if insn.reads & state.live:
            self._read(insn.reads & state.live, state.live, place, text)
        for target, written in self.code.faults.get(place, ()):
            # who goes on without the result doesn't take what is there for an argument
            written |= insn.writes if self.entry else 0
            self._go(target, state.copy(state.live & ~written), place, text)
        if insn.flow != NEXT:
            return self._flow(insn, block, line, state)
        state.live &= ~insn.writes
        if insn.stack != 0 or insn.pushed is not None or insn.popped is not None or state.stack:
            self._stack(insn, state, place, text)
        for target in self.code.edges.get(place, ()):
            self._go(target, state.copy(), place, text)
        return True

    def _read(self, read, live, place, text):
        for i in range(PART):
            if read & PARTS[i]:
                found = self.result.reads if live >> i & 1 else self.result.mixed
                found.setdefault(i, {}).setdefault(place, text)

    def _stack(self, insn, state, place, text):
        """Registers that are pushed: read when their slot is, given back when it is popped."""
        stack, live = state.stack, state.live
        moved = insn.stack
        if insn.pushed is not None:
            moved = -8
            held = live & PARTS[insn.pushed] if insn.pushed >= 0 else 0
            if held or stack:
                stack += ((insn.pushed, held) if held & LOW else None,)
        elif insn.popped is not None:
            moved = None if moved is None else 8
            slot, stack = (stack[-1], stack[:-1]) if stack else (None, ())
            # To drop a slot, compilers pop it into another register.
            if slot and slot[0] == insn.popped:
                state.live |= slot[1]
        elif moved is None:
            stack = ()
        elif moved < 0 and stack:
            stack += (None,) * (-moved // 8)
        elif moved > 0:
            stack = stack[:-(moved // 8)] if moved // 8 < len(stack) else ()
        if moved is None or state.depth is None:
            state.depth = 0 if text.startswith("leave") else None
        else:
            state.depth -= moved
        stack = self._slots(insn, stack, place, text)
        state.stack = stack if any(stack) else ()

    def _slots(self, insn, stack, place, text):
        """Pushed registers that the instruction reads or overwrites in memory."""
        for offset in (insn.slot_read, insn.slot_written):
            if offset is None or not 0 <= offset < 8 * len(stack):
                continue
            index = len(stack) - 1 - offset // 8
            slot = stack[index]
            if slot and offset == insn.slot_read:
                self._read(slot[1], slot[1], place, text)
            stack = stack[:index] + (None,) + stack[index + 1:]
        return stack

    def _go(self, target, state, place, text):
        """On to another place of this function; another function is an edge."""
        if target != self.entry and self.code.starts_function(target):
            self._tail_call(target, state, place, text)
        else:
            self.todo.append((target, state))

    def _tail_call(self, callee, state, place, text):
        if self.program.is_patched(callee):
            self._static_call(callee, state, place, text)
            self._returns(0)
            return
        self.result.calls.append((callee, state.passed(), place, text))
        self._returns(state.live & self.program.keeps(callee))

    def _open(self, state, place, text):
        for i in numbers_of(state.passed()):
            self.result.open.setdefault(i, {})[place] = text

    def _end(self, live, place, text):
        self.result.ends.append((place, text, live))
        self._returns(live)

    def _returns(self, live):
        kept = live if self.result.keeps is None else self.result.keeps
        self.result.keeps = kept & live

    def _flow(self, insn, block, line, state):
        """A jump, a call, or an end; whether the next instruction follows."""
        place, text = block.places[line], block.lines[line][1]
        for target in self.code.edges.get(place, ()):
            self._go(target, state.copy(), place, text)
        if insn.flow == RETURN:
            self._end(state.live, place, text)
            return False
        if insn.flow in (STOP, TRAP):
            return insn.flow == TRAP and place in self.code.warnings
        if insn.indirect:
            return self._indirect(insn, block, line, state)
        name, target = self.program.target(insn, block, line)
        if insn.flow == CALL:
            self._call(name, target, state, place, text)
            return True
        state.live &= ~insn.writes
        self._jump(name, target, state.copy(), place, text)
        # a static branch's jump may be a nop, and then the state changes on the way
        return insn.flow == BRANCH or place in self.code.edges

    def _thunk_register(self, name):
        match = INDIRECT_THUNK.match(name or "")
        return registers_in("%" + match[1]) if match else None

    def _jump(self, name, target, state, place, text):
        through = self._thunk_register(name)
        if through is not None:
            self._read(through & state.live, state.live, place, text)
            self._indirect_jump(state, place, text)
        elif name in RETURN_THUNKS:
            self._end(state.live, place, text)
        elif target is None:
            self._returns(0)
        elif self.code.block_of(target) is None:
            self._tail_call(target, state, place, text)
        else:
            self._go(target, state, place, text)

    def _call(self, name, target, state, place, text):
        if name in ENTRY_HOOKS:
            return
        through = self._thunk_register(name)
        if through is not None:
            self._read(through & state.live, state.live, place, text)
        if target is None or through is not None:
            if through is not None:
                self._open(state, place, text)
            state.live = 0
            return
        if self.program.is_patched(target):
            self._static_call(target, state, place, text)
            return
        # Pushed registers are arguments if the callee has arguments on the stack.
        words = self.program.stack_words.get(target, 0)
        for slot in state.stack[max(len(state.stack) - words, 0):]:
            if slot:
                self._read(slot[1], slot[1], place, text)
        self.result.calls.append((target, state.passed(), place, text))
        state.live &= self.program.keeps(target)

    def _static_call(self, callee, state, place, text):
        takes = self.program.patched_takes(callee)
        if takes is None:
            self._open(state, place, text)
        else:
            used = state.passed() & sum(PARTS[:takes])
            self._read(used, used, place, text)
        self._patched(state)

    def _patched(self, state):
        """What was live may still be there, but isn't an argument of the next call."""
        state.passes = False
        state.live &= self.code.all

    def _indirect(self, insn, block, line, state):
        place, text = block.places[line], block.lines[line][1]
        if insn.flow == CALL:
            self._open(state, place, text)
            if place in self.code.patched:
                self._patched(state)
            else:
                state.live = 0
            return True
        targets = self.code.jump_table(insn.indirect, block)
        for target in targets or ():
            self._go(target, state.copy(), place, text)
        if targets is None:
            self._indirect_jump(state, place, text)
        return False

    def _indirect_jump(self, state, place, text):
        if state.depth != 0:
            self.result.lost.append((place, text, state.live))
        else:
            self._open(state, place, text)
        self._returns(0)
