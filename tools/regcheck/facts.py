# SPDX-License-Identifier: GPL-2.0-only
"""What is known of registers on one path: constants, and what set the flags.

That is enough to see that a path is impossible where the compiler tests a flag that says whether a
register has been set: "xor %ecx,%ecx ... test %cl,%cl; je". A register is known if it was set to a
constant, copied from another, or compared equal to a constant. After an instruction that this file
doesn't understand nothing is known, and then all branches are possible. So facts only take away
paths that are impossible.

A set of facts is a frozenset of
  (register, (value, bytes))     that many low bytes of the register have this value
  (register, (register, bytes))  they are those of the other register, and the rest is 0
  ("flags", (left, right, bytes)) the flags are of a comparison: left is a value or the name of a
                                 register, right is a value
"""
import functools

from insn import CONDITIONS, is_memory, split_operands

NONE = frozenset()

_FORMS = {"rax": "rax eax ax al ah", "rbx": "rbx ebx bx bl bh", "rcx": "rcx ecx cx cl ch",
          "rdx": "rdx edx dx dl dh", "rsi": "rsi esi si sil", "rdi": "rdi edi di dil",
          "rbp": "rbp ebp bp bpl", "rsp": "rsp esp sp spl"}
for _n in range(8, 16):
    _FORMS[f"r{_n}"] = f"r{_n} r{_n}d r{_n}w r{_n}b"
# "%cl" -> ("rcx", 1); the second bytes have size 0: they are not followed.
NAMES = {"%" + form: (register, (8, 4, 2, 1, 0)[i])
         for register, forms in _FORMS.items() for i, form in enumerate(forms.split())}
PRESERVED = {"rbx", "rbp", "rsp", "r12", "r13", "r14", "r15"}	# by calls
# These change only the last operand; the noisy ones change the flags, too.
SILENT = set("""mov movabs lea push pop not nop nopw nopl endbr64 movzbl movzwl movzbw movzbq
    movzwq movslq movsbl movsbw movsbq movswl movswq cltq cwtl bswap pushf""".split())
NOISY = set("""add sub and or xor inc dec neg shl shr sar rol ror bt bts btr btc imul adc
    sbb""".split())
COMPARES = {"cmp", "test"}
CPUID_SUBLEAVES = {4, 7, 0xb, 0xd, 0xf, 0x10, 0x12, 0x14, 0x17, 0x18, 0x1a, 0x1b, 0x1d, 0x1e,
                   0x1f, 0x20, 0x23, 0x24, 0x8000001d, 0x80000020, 0x80000026}


def _mask(size):
    return (1 << 8 * size) - 1


@functools.lru_cache(maxsize=None)
def _parse(text):
    """(mnemonic without the size, operands)"""
    mnemonic, _, rest = text.partition(" ")
    if mnemonic not in SILENT and mnemonic[:-1] in SILENT | NOISY | COMPARES:
        if mnemonic not in NOISY | COMPARES and mnemonic[-1] in "bwlq":
            mnemonic = mnemonic[:-1]
    return mnemonic, tuple(split_operands(rest.strip()))


def _value(operand, known):
    """The value of an operand, or None."""
    if operand[0] == "$":
        return int(operand[1:], 16) & _mask(8)
    register, size = NAMES.get(operand, (None, 0))
    value, known_size = known.get(register, (None, 0))
    if isinstance(value, int) and 0 < size <= known_size:
        return value & _mask(size)
    return None


def _result(mnemonic, operands, known):
    """The fact about the last operand, a register, that the instruction makes, or None."""
    if len(operands) != 2 or NAMES[operands[1]][1] < 4:
        return None
    source, last = operands
    if mnemonic in ("xor", "sub") and source == last:
        return 0, 8
    size = NAMES[last][1]
    if mnemonic not in ("mov", "movabs", "movzbl", "movzwl") or is_memory(source):
        return None
    value = _value(source, known)
    if value is not None:
        return value & _mask(size), 8
    register, source_size = NAMES.get(source, (None, 0))
    # rsp moves by instructions that don't name it.
    if register in (None, "rsp", NAMES[last][0]) or source_size == 0:
        return None
    return register, min(size, source_size)


def _forget(known, register):
    """Drops the facts of a register, and those that refer to it."""
    known.pop(register, None)
    for name, fact in list(known.items()):
        if register in fact:
            del known[name]


def _compare(mnemonic, operands, known):
    """The fact that cmp or test makes of the flags."""
    right, left = operands
    if mnemonic == "test" and right != left:
        values = _value(right, known), _value(left, known)
        if None in values:
            return None
        size = NAMES[left][1]
        return values[0] & values[1] & _mask(size), 0, size
    register, size = NAMES.get(left, (None, 0))
    right_value = 0 if mnemonic == "test" else _value(right, known)
    if not size or right_value is None:
        return None
    value = _value(left, known)
    return (register if value is None else value), right_value & _mask(size), size


@functools.lru_cache(maxsize=1 << 16)
def after(text, facts):
    """What is known after an instruction that isn't a jump or a call."""
    mnemonic, operands = _parse(text)
    known = dict(facts)
    if mnemonic in COMPARES and len(operands) == 2:
        flags = _compare(mnemonic, operands, known)
        known.pop("flags", None)
        if flags:
            known["flags"] = flags
        return frozenset(known.items())
    conditional = mnemonic[:3] == "set" and mnemonic[3:] in CONDITIONS or mnemonic[:4] == "cmov"
    if mnemonic in ("cltq", "cwtl"):
        operands = ("%rax",)
    if not (mnemonic in SILENT or mnemonic in NOISY or conditional):
        return NONE
    if mnemonic in NOISY:
        known.pop("flags", None)
        if mnemonic == "imul" and len(operands) == 1:
            return NONE
    if operands and mnemonic not in ("nop", "nopw", "nopl", "push", "bt"):
        last = operands[-1]
        if last in NAMES:
            fact = _result(mnemonic, operands, known)
            _forget(known, NAMES[last][0])
            if fact is not None:
                known[NAMES[last][0]] = fact
        elif not is_memory(last):
            return NONE
    return frozenset(known.items())


def after_call(facts):
    """What is known after a call: registers that it preserves."""
    return frozenset((name, fact) for name, fact in facts if name in PRESERVED
                     and (isinstance(fact[0], int) or fact[0] in PRESERVED))


def _holds(condition, left, right, size):
    """Whether the condition is true of two values, or None for one that isn't followed."""
    half = 1 << 8 * size - 1
    signed_left, signed_right = (left ^ half) - half, (right ^ half) - half
    difference = left - right & _mask(size)
    return {"e": left == right, "ne": left != right, "b": left < right, "ae": left >= right,
            "a": left > right, "be": left <= right, "l": signed_left < signed_right,
            "ge": signed_left >= signed_right, "g": signed_left > signed_right,
            "le": signed_left <= signed_right, "s": difference >= half,
            "ns": difference < half}.get(condition)


def branch(text, facts):
    """(facts if the conditional jump is taken, facts if not); None for a way that is impossible."""
    condition = text.split(None, 1)[0].split(",")[0][1:]
    known = dict(facts)
    flags = known.get("flags")
    if not flags:
        return facts, facts
    left, right, size = flags
    if isinstance(left, int):
        holds = _holds(condition, left, right, size)
        return (facts if holds is not False else None), (facts if not holds else None)
    if condition not in ("e", "ne"):
        return facts, facts
    _learn(known, left, right, size)
    equal = frozenset(known.items())
    return (equal, facts) if condition == "e" else (facts, equal)


def _learn(known, register, value, size):
    """That many low bytes of a register have turned out to have this value. So have those of its
    copies, and of the register that it is a copy of."""
    original, copied = known.get(register, (None, 0))
    known[register] = value, size
    if isinstance(original, str) and copied >= size:
        known[original] = value, size
    for name, fact in list(known.items()):
        if name != "flags" and fact[0] == register and fact[1] <= size:
            known[name] = value & _mask(fact[1]), 8


def reads_nothing(text, facts):
    """Whether the facts show that an instruction doesn't read a register that it might read: cpuid
    of a leaf that has no subleaves ignores ecx."""
    leaf = _value("%eax", dict(facts))
    return text.startswith("cpuid") and leaf is not None and leaf not in CPUID_SUBLEAVES
