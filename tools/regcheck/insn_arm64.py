# SPDX-License-Identifier: GPL-2.0-only
"""What an arm64 instruction does to the argument registers x0 to x7, from objdump's text without #.

As in insn.py, every mnemonic is in a table here, or it is unknown. Writing 32 bits of a register
sets the others to 0, so that no register is ever set in part.
"""
import functools
import re

from insn import BRANCH, CALL, JUMP, RETURN, STOP, TRAP, Insn, parts_of

REGISTERS = tuple(f"x{number}" for number in range(8))
ALL = parts_of(*range(8))
RESULTS = 0, 1
NAMES = re.compile(r"\b[xw]([0-7])\b")
VECTOR = re.compile(r"\b[vqdshb]\d+\b")
# The last operands are read, and the first one is written.
WRITES = re.compile(r"""adds?|subs?|ands?|or[rn]|eo[rn]|bics?|mov[nz]?|mvn|negs?|ngcs?|adcs?|sbcs?|
    mul|madd|msub|mneg|[us]m(ull|addl|subl|negl|ulh)|[us]div|lsl|lsr|asr|ror|extr|[us]bf(x|iz|m)|
    [us]xt[bhw]|cl[sz]|rbit|rev(16|32|64)?|csel|csin[cv]|csneg|cset|csetm|cin[cv]|cneg|adrp?|mrs|
    sysl|crc32c?[bhwx]|ld(u|t|a|ap|la|x|ax|apu)?r(s?[bh]|sw)?|rdvl|cntd|irg|ldg|gmi|pacga|xar""",
                    re.VERBOSE)
# The first one is read, too.
CHANGES = re.compile(r"movk|bf(i|xil|m|c)|(pac|aut)(i|d)z?[ab]|xpac[id]|cas(a|l|al)?[bh]?")
PAIRS = re.compile(r"ldn?p(sw)?|lda?xp")
# All are read; of those behind, the first one is written.
READS = re.compile(r"""cmp|cmn|tst|cc?m[pn]|st(u|t|l|lu)?r[bh]?|stn?p|prfu?m|wf[ei]t|msr|dc|ic|
    at|tlbi|sys|stgp?|stz2?g|st(add|clr|eor|set|[us](max|min))l?[bh]?|ldr[a-z]*\.v""", re.VERBOSE)
STATUS = re.compile(r"stl?x(r[bh]?|p)")
# The first operand is read, and the second one written.
ATOMICS = re.compile(r"(ld(add|clr|eor|set|[us](max|min))|swp)(a|l|al)?[bh]?")
NOTHING = re.compile(r"""nop|hint|bti|isb|dsb|dmb|ssbb|pssbb|sb|esb|clrex|wfe|wfi|yield|sevl?|csdb|
    psb|tsb|dgh|(pac|aut)i[ab](sp|z|1716)|xpaclri|cfinv|setend""", re.VERBOSE)
VECTOR_READS = re.compile(r"[us]?mov|fmov|fcvt[a-z]*")
STACK = re.compile(r"\[sp(?:, (-?\d+))?\](!)?(?:, (-?\d+))?$")


def _registers(text):
    """What a part of the text mentions."""
    return parts_of(*{int(number) for number in NAMES.findall(text)})


def _split(text):
    """The operands, by the commas that are not in brackets."""
    parts = re.findall(r"(?:\[[^]]*\]!?|\{[^}]*\}(?:\[\d+\])?|[^,])+", text)
    return [part.strip() for part in parts]


def _jump(insn, name, operands):
    """A jump or call; False if it is none."""
    if name in ("b", "bl") or name.startswith(("b.", "bc.")):
        insn.flow = {"b": JUMP, "bl": CALL}.get(name, BRANCH)
    elif name in ("cbz", "cbnz", "tbz", "tbnz"):
        insn.flow, insn.reads = BRANCH, _registers(operands[0])
    elif name.startswith(("blr", "br")) and name != "brk":
        insn.flow = CALL if name[1] == "l" else JUMP
        insn.reads, insn.indirect = _registers(" ".join(operands)), "*" + operands[0]
        return True
    else:
        return False
    insn.target = int(operands[-1], 16)
    return True


def _general(insn, name, operands):
    """The tables."""
    written = []
    if any(VECTOR.search(o.split("[")[0]) or o[0] == "{" for o in operands):
        written = operands[:1] if VECTOR_READS.fullmatch(name) else []
    elif WRITES.fullmatch(name) or STATUS.fullmatch(name) or CHANGES.fullmatch(name):
        written = operands[:1]
    elif PAIRS.fullmatch(name):
        written = operands[:2]
    elif ATOMICS.fullmatch(name):
        written = operands[1:2]
    elif not READS.fullmatch(name):
        return bool(NOTHING.fullmatch(name))
    kept = operands if CHANGES.fullmatch(name) else [o for o in operands if o not in written]
    # the base of a store to "x0, [x0]" and the source of "add x0, x0, #1" are read, too
    kept += [o for i, o in enumerate(operands) if o in written and operands.index(o) != i]
    insn.reads = _registers(" ".join(kept))
    insn.writes = _registers(" ".join(written))
    return True


def _stack(insn, name, text, operands):
    """By how much it moves sp."""
    match = STACK.search(text)
    if match and (match[2] or match[3]):
        insn.stack = int(match[3] or match[1])
    elif operands[0] == "sp" and name in ("add", "sub") and operands[1] == "sp" and \
            len(operands) == 3 and re.fullmatch(r"0x[0-9a-f]+", operands[2]):
        insn.stack = int(operands[2], 16) * (1 if name == "add" else -1)
    elif operands[0] == "sp":
        insn.stack = None


@functools.lru_cache(maxsize=None)
def decode(text):
    """The Insn of "mnemonic operands", without objdump's comment."""
    insn = Insn()
    # an address may look like a vector register: "adrp x1, d0 <f>"
    text = re.sub(r"\b([0-9a-f]+) <[^>]*>", r"0x\1", text)
    name, _, rest = text.strip().partition("\t")
    operands = _split(rest)
    if name in ("ret", "retaa", "retab", "eret"):
        insn.flow = RETURN
    elif name in ("brk", "udf", "hlt", ".inst"):
        insn.flow = TRAP if name == "brk" else STOP
    elif name in ("svc", "hvc", "smc"):
        insn.leaves, insn.writes = True, parts_of(0, 1, 2, 3)	# results, by Arm's SMCCC
    elif not _jump(insn, name, operands):
        insn.known = _general(insn, name, operands)
        if operands and insn.known:
            _stack(insn, name, rest, operands)
    return insn
