# SPDX-License-Identifier: GPL-2.0-only
"""What an x86-64 instruction does to the argument registers, from objdump's AT&T text.

A set of registers is an integer of 24 bits: rdi rsi rdx rcx r8 r9, and rax, in which values are
returned; on arm64 the eight of arguments. Each is in three parts: bit i is the low byte of register
i, bit 8 + i the second byte, bit 16 + i all above. An 8-bit write leaves the other parts as they
were, a 32-bit write sets them all, as the CPU does.

A register counts as read only if its value makes a difference: "xor %edx,%edx", "sbb %edx,%edx",
"or $-1,%edx" and "and $0,%edx" don't read rdx, and a long nop doesn't read its operand. Every
mnemonic is in a table here, or it is unknown: none is taken for harmless by default. Of rax only
what names it counts: whatever else may use it, counts as a write of it.
"""
import functools
import re

REGISTERS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
RAX = len(REGISTERS)	# its number
RESULTS = RAX, 2	# numbers of what holds a value of up to 16 bytes that is returned
PART = 8		# bits from one part of a register to the next
LOW, SECOND, UPPER = 0xff, 0xff << PART, 0xff << 2 * PART

NEXT, BRANCH, JUMP, CALL, RETURN, STOP, TRAP = range(7)


def parts_of(*numbers):
    """The set of the registers with these numbers, all parts of each."""
    return sum((1 | 1 << PART | 1 << 2 * PART) << number for number in numbers)


def whole(*names):
    """The set of these registers."""
    return parts_of(*map(REGISTERS.index, names))


ALL = whole(*REGISTERS)


def _register_table():
    """Assembler name -> (set, bytes), for every name of these registers."""
    table = {}
    names = ("rdi edi di dil", "rsi esi si sil", "rdx edx dx dl dh", "rcx ecx cx cl ch",
             "r8 r8d r8w r8b", "r9 r9d r9w r9b", "rax eax ax al ah")
    for i, forms in enumerate(names):
        sets = (parts_of(i), parts_of(i), 1 << i | 1 << PART + i, 1 << i, 1 << PART + i)
        for name, bits, size in zip(forms.split(), sets, (8, 4, 2, 1, 1)):
            table["%" + name] = bits, size
    return table


REGISTER = _register_table()
NO_REGISTER = (0, 0)
RCX, RDX, RDI, RSI = whole("rcx"), whole("rdx"), whole("rdi"), whole("rsi")
DX = 1 << REGISTERS.index("rdx") | 1 << PART + REGISTERS.index("rdx")

CONDITIONS = ("o no b nb ae e ne be a s ns p np l ge le g c nc z nz nae na nbe nl ng nge nle "
              "pe po").split()
PREFIXES = set("lock rep repz repe repnz repne notrack bnd data16 data32 addr32 cs ds es ss fs gs "
               "xacquire xrelease rex rex.W rex.R rex.X rex.B rex.WR rex.WB rex.RB rex.WRB "
               "rex.WRXB rex.WX rex.RX rex.XB".split())

# Sources are read, the last operand is written and not read.
COPIES = set("""mov movabs movbe movzb movzw movsb movsw movslq movzx movsx lea bsf bsr tzcnt lzcnt
    popcnt andn bextr blsi blsr blsmsk bzhi rorx sarx shlx shrx pdep pext lar lsl vmread
    movzbl movzwl movzbw movzbq movzwq movsbl movsbw movsbq movswl movswq rdrand rdseed rdfsbase
    rdgsbase rdpid rdsspq rdsspd smsw sldt str in""".split()) | {"set" + c for c in CONDITIONS}
# The last operand is read and written.
CHANGES = set("""add sub adc sbb and or xor inc dec neg not shl shr sar sal rol ror rcl rcr bts btr
    btc bswap shld shrd adcx adox crc32 cmpxchg""".split()) | {"cmov" + c for c in CONDITIONS}
EXCHANGES = {"xchg", "xadd"}
# All operands are read.
READS = set("""cmp test bt vmwrite invpcid invvpid invept verr verw ltr lldt lmsw lgdt lidt lkgs
    invlpg clflush clflushopt clwb prefetcht0 prefetcht1 prefetcht2 prefetchnta prefetchw prefetch
    wrfsbase wrgsbase vmptrld vmclear vmxon fxsave fxsave64 fxrstor fxrstor64 ldmxcsr stmxcsr
    movnti movdiri movdir64b enqcmd enqcmds wrss wrssq wrussq rstorssp clrssbsy incssp incsspq
    sgdt sidt vmptrst bound cldemote senduipi wruss wrssd lfs lgs lss xrstors64 ptwrite
    out""".split())
# They read 16 bits, of which objdump 2.44 names all 32.
SELECTORS = {"verr", "verw", "ltr", "lldt"}
# Hypercalls and their kin. What the other side reads, only the source says.
LEAVES = set("vmcall vmmcall vmgexit tdcall seamcall vmfunc encls enclu getsec vmlaunch "
             "vmresume vmrun int syscall sysenter".split())
# The registers that they use are not in the operands: mnemonic -> (read, written).
IMPLICIT = dict.fromkeys(LEAVES, (0, 0))
for _reads, _writes, _names in (
        (0, 0, """nop nopw nopl nopq endbr64 endbr32 cli sti cld std clc stc cmc clac stac lfence
            mfence sfence pause wbinvd wbnoinvd invd swapgs clts cltq cwtl cbtw cwtq lahf sahf
            serialize vmxoff vmload vmsave clgi stgi skinit fwait emms femms fninit fnclex fnop
            clzero tilerelease saveprevssp setssbsy clui stui xabort xend xtest psmash rmpupdate
            invlpgb tlbsync iret iretl iretq int1 wait hlt vzeroupper vzeroall"""),
        (0, DX, "cwtd"), (0, RDX, "cltd cqto rdtsc"), (0, RDX | RCX, "rdtscp"), (0, RCX, "syscall"),
        (RCX, 0, "mwait mwaitx invlpga jrcxz jecxz"), (RCX, RCX, "loop loope loopne"),
        (RCX, RDX, "rdmsr rdpmc xgetbv rdpkru"), (RCX, RCX | RDX, "cpuid"),
        (RCX | RDX, 0, "wrmsr wrmsrns xsetbv wrpkru monitor monitorx rmpadjust pvalidate"),
        (RCX | RDX, RDX, "cmpxchg8b cmpxchg16b"),
        (RDX, 0, """umwait tpause xsave xsave64 xsaveopt xsaveopt64 xsavec xsavec64 xsaves xsaves64
            xrstor xrstor64 xrstors xrstors64""")):
    IMPLICIT.update(dict.fromkeys(_names.split(), (_reads, _writes)))
STRINGS = {"movs": RDI | RSI, "stos": RDI, "lods": RSI, "scas": RDI, "cmps": RDI | RSI,
           "ins": RDI | DX, "outs": RSI | DX, "xsha1": RDI | RSI, "xsha256": RDI | RSI}
# Registers of 1, 2, and more bytes; by the number of the suffix b, w, l, q.
SIZES = (re.compile(r"%(?:[abcd][lh]|[sd]il|[sb]pl|r\d+b)"),
         re.compile(r"%(?:[abcd]x|[sd]i|[sb]p|r\d+w)"), re.compile(""), re.compile(".*"))
NO_OPERAND_READ = {"nop", "nopw", "nopl", "nopq"}
VECTOR = re.compile(r"%(?:[xyz]?mm\d|st\b|k[0-7]\b|bnd\d)")
# x87 with a memory operand, or none.
X87 = re.compile(r"f(?:n?(?:stcw|stsw|stenv|save|ldenv)|n?st[a-z]*|i?ld[a-z0-9]*|ist[a-z]*|"
                 r"bst[a-z]*|bld|i?(?:add|sub|mul|div)[a-z]*|i?com[a-z]*|rstor|xch|chs|abs)$")
NAMES = re.compile(r"%[a-z0-9]+")
STACK_SLOT = re.compile(r"(-?0x[0-9a-f]+)?\(%rsp\)$")


class Insn:
    """One instruction.

    reads, writes: sets of registers. flow: where it goes on. target: a place, None if it isn't
    said. indirect: "*" and the operand of an indirect jump or call. known: False if no table has
    it. pushed, popped: the number of the register of a push or pop, -1 for anything else; None if
    it is no push or pop. stack: by how much it moves rsp otherwise; None if that can't be told.
    slot_read, slot_written: the offset from rsp of memory that it reads or sets. leaves: it calls
    another system, which may use any register.
    """

    __slots__ = ("reads", "writes", "flow", "target", "indirect", "known", "pushed", "popped",
                 "stack", "slot_read", "slot_written", "leaves")

    def __init__(self):
        self.reads = self.writes = self.stack = 0
        self.flow = NEXT
        self.target = self.indirect = self.pushed = self.popped = None
        self.slot_read = self.slot_written = None
        self.known = True
        self.leaves = False


def split_operands(text):
    """By the commas that are not in parentheses."""
    return re.findall(r"(?:\([^)]*\)|[^,(])+", text)


def is_memory(operand):
    return "(" in operand or ":" in operand or operand[0] not in "%$"


def registers_in(operand):
    """What an operand mentions: itself if it is a register, else the parts of an address."""
    found = 0
    for name in NAMES.findall(operand):
        found |= REGISTER.get(name, NO_REGISTER)[0]
    return found


def _base(mnemonic, table):
    """The mnemonic as the table has it, with or without the suffix for the operand's size."""
    if mnemonic in table:
        return mnemonic
    return mnemonic[:-1] if mnemonic[-1] in "bwlq" and mnemonic[:-1] in table else None


def _write(insn, operand):
    """operand is written; the registers of its address are read."""
    if is_memory(operand):
        insn.reads |= registers_in(operand)
        return
    insn.writes |= registers_in(operand)
    if operand == "%rsp":
        insn.stack = None


def _read(insn, operands):
    for operand in operands:
        insn.reads |= registers_in(operand)


def _sets_regardless(base, operands):
    """The result doesn't depend on the last operand, though it is an input."""
    if len(operands) != 2:
        return False
    source, last = operands
    if base in ("xor", "sub", "sbb"):
        return source == last
    if base == "and":
        return source == "$0x0"
    size = REGISTER.get(last, NO_REGISTER)[1]
    return base == "or" and source == f"${(1 << 8 * size) - 1:#x}"


def _change(insn, base, operands):
    last = operands[-1]
    if _sets_regardless(base, operands):
        _write(insn, last)
        return
    if last == "%rsp" and base in ("add", "sub") and operands[0][0] == "$":
        amount = int(operands[0][1:], 16)
        amount -= (amount >> 63) << 64
        insn.stack = amount if base == "add" else -amount
        return
    _read(insn, operands)
    _write(insn, last)


def _multiply_divide(insn, mnemonic, base, operands):
    """mul, div and their signed forms: with one operand, rdx:rax is the other one, but ax for
    bytes."""
    if base == "imul" and len(operands) > 1:
        _read(insn, operands if len(operands) == 2 else operands[:-1])
        _write(insn, operands[-1])
        return
    operand = operands[-1]
    _read(insn, [operand])
    suffix = mnemonic[len(base):]
    size = "bwlq".index(suffix) if suffix else next(
        i for i, names in enumerate(SIZES) if names.fullmatch(operand))
    if size > 0:
        other = RDX if size > 1 else DX
        insn.writes |= other
        insn.reads |= other if base in ("div", "idiv") else 0


def _string(insn, base, prefix):
    insn.reads |= STRINGS[base]
    insn.writes |= STRINGS[base] & ~RDX
    if prefix.startswith("rep"):
        insn.reads |= RCX
        insn.writes |= RCX


def _push_pop(insn, base, operands):
    """An argument register that is pushed isn't read yet: flow.py looks for who reads it."""
    operand = operands[0] if operands else ""
    register = REGISTER.get(operand, NO_REGISTER)[0]
    number = (register & LOW).bit_length() - 1
    if base == "push":
        insn.pushed = number
        if number < 0:
            _read(insn, [operand])
    else:
        insn.popped = number
        if operand:
            _write(insn, operand)
            insn.stack = None if operand == "%rsp" else 0


def _jump(insn, mnemonic, operand):
    insn.flow = {"call": CALL, "lcall": CALL, "jmp": JUMP, "ljmp": JUMP}.get(mnemonic, BRANCH)
    insn.reads, insn.writes = IMPLICIT.get(mnemonic, (0, 0))
    if operand.startswith("*"):
        insn.indirect = operand.rstrip()
        _read(insn, [operand])
        return
    insn.target = int(operand.split(None, 1)[0], 16)


def _vector(insn, operands):
    """General registers beside vector registers: the last operand is the destination."""
    _read(insn, operands[:-1])
    last = operands[-1]
    if is_memory(last):
        _read(insn, [last])
    else:
        _write(insn, last)


JUMPS = {"j" + c for c in CONDITIONS} | {"jmp", "ljmp", "call", "lcall", "jrcxz", "jecxz", "loop",
                                         "loope", "loopne"}


def _special(insn, prefix, mnemonic, operands):
    """Mnemonics that are in no plain table; False if this one isn't here, either."""
    if mnemonic in ("ret", "retw", "lret", "lretq", "sysretl", "sysretq", "sysexit", "uiret"):
        insn.flow = RETURN
    elif mnemonic == "int3":
        insn.flow = STOP
    elif mnemonic in ("ud2", "ud1", "ud0"):
        insn.flow = TRAP
    elif mnemonic in ("pushf", "pushfq", "popf", "popfq"):
        _push_pop(insn, "push" if mnemonic.startswith("push") else "pop", [])
    elif base := _base(mnemonic, ("push", "pop")):
        _push_pop(insn, base, operands)
    elif mnemonic in ("leave", "enter"):
        insn.stack = None
    elif base := _base(mnemonic, ("mul", "div", "imul", "idiv")):
        _multiply_divide(insn, mnemonic, base, operands)
    elif mnemonic == "mulx":
        _read(insn, operands[:1])
        insn.reads |= RDX
        insn.writes |= registers_in(operands[1]) | registers_in(operands[2])
    elif (base := _base(mnemonic, STRINGS)) and all(
            "(" in o or o[1:] in ("al", "ax", "eax", "rax") for o in operands):
        _string(insn, base, prefix)
    else:
        return False
    return True


def _general(insn, mnemonic, operands):
    """The plain tables."""
    if _base(mnemonic, COPIES):
        _read(insn, operands[:-1])
        _write(insn, operands[-1])
    elif base := _base(mnemonic, CHANGES):
        _change(insn, base, operands)
    elif _base(mnemonic, EXCHANGES):
        _read(insn, operands)
        for operand in operands:
            _write(insn, operand)
    elif _base(mnemonic, READS):
        _read(insn, operands)
        if mnemonic in SELECTORS and not is_memory(operands[0]):
            insn.reads &= (1 << 2 * PART) - 1
    elif X87.match(mnemonic):
        _read(insn, operands)
    else:
        return False
    return True


def _stack_slots(insn, mnemonic, operands):
    """Memory addressed by rsp alone. Only a plain mov doesn't read its destination."""
    for i, operand in enumerate(operands):
        match = STACK_SLOT.match(operand)
        if match and not mnemonic.startswith(("lea", "nop")):
            offset = int(match[1] or "0", 16)
            if i == len(operands) - 1 and _base(mnemonic, ("mov", "movabs")):
                insn.slot_written = offset
            else:
                insn.slot_read = offset


# What uses rax and doesn't name it.
RAX_SIGN = {"cltq", "cwtl", "cbtw", "cqto", "cltd", "cwtd"}
RAX_IMPLICIT = re.compile(
    r"(rep|lock|lods|stos|scas|cmps|movs[bwlq]? +%|i?mul|i?div|cmpxchg|xlat|[ls]ahf|cpuid|rd|wr|"
    r"in |out|sys|vm|x(?!or)|monitor|mwait|umwait|tpause|pvalidate|psmash|invlpga)")


@functools.lru_cache(maxsize=None)
def decode(text):
    """The Insn of "mnemonic operands", without objdump's comment."""
    insn = _decode(text)
    if text.split(None, 1)[:1] and text.split(None, 1)[0] in RAX_SIGN:
        insn.reads |= parts_of(RAX)
    elif RAX_IMPLICIT.match(text) or not insn.known:
        insn.reads &= ~parts_of(RAX)
        insn.writes |= parts_of(RAX)
    return insn


def _decode(text):
    """As decode(), but for what isn't said of rax."""
    insn = Insn()
    words = text.split(None, 1)
    prefix = ""
    while words and words[0] in PREFIXES and len(words) > 1:
        prefix = words[0] if words[0].startswith("rep") else prefix
        words = words[1].split(None, 1)
    mnemonic = words[0] if words else "nothing"
    if mnemonic.endswith((",pt", ",pn")):
        mnemonic = mnemonic[:-3]
    if mnemonic in JUMPS and len(words) > 1:
        _jump(insn, mnemonic, words[1])
        return insn
    operands = split_operands(words[1].strip()) if len(words) > 1 else []
    if mnemonic in IMPLICIT:
        insn.reads, insn.writes = IMPLICIT[mnemonic]
        insn.leaves = mnemonic in LEAVES
        if mnemonic not in NO_OPERAND_READ:
            _read(insn, operands)
    elif operands and VECTOR.search(text):
        _vector(insn, operands)
    elif not _special(insn, prefix, mnemonic, operands):
        # Instructions without operands are known only if IMPLICIT, _special() or X87 has them.
        insn.known = bool(operands or X87.match(mnemonic)) and _general(insn, mnemonic, operands)
    if mnemonic == "lea" and operands[-1] == "%rsp" and STACK_SLOT.match(operands[0]):
        insn.stack = int(STACK_SLOT.match(operands[0])[1] or "0", 16)
    if "(%rsp)" in text:
        _stack_slots(insn, mnemonic, operands)
    return insn
