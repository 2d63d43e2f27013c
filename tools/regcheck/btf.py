# SPDX-License-Identifier: GPL-2.0-only
"""BTF, as far as it says which function is where, and which registers carry its arguments.

A finished file has the functions' places in .BTF_func, an array of { addr, idx }. idx is the
position of a FUNC among the file's own types, and addr the offset from _text. In a module addr is
0 and has a relocation that names the function. In BTF as btfaddr writes it (--btf) a FUNC (kind
12) with kind_flag is followed by a __u64: in vmlinux the offset from _text, and in a module the
number of a section and the offset there, of 32 bits each. Only annotated_functions() knows which
FUNC a function has.

The registers are those that the BPF trampoline preserves: btf_distill_func_proto() in the
kernel's kernel/bpf/btf.c makes a model of the prototype, and save_args() in arch/x86/net/
bpf_jit_comp.c counts registers by that. The kernel refuses to attach to functions that are
variadic, return a struct, or have more than 12 arguments, arguments of more than 16 bytes, or
unions. Their registers are compared all the same, by the x86-64 psABI, 3.2.3.
"""
import struct

from elf import OF_RECORDS, InputError
from elf_btf import (CONST, DECL_TAG, ENUM, ENUM64, FLOAT, FUNC, INT, PTR, RESTRICT, STRUCT,
                     TYPE_TAG, TYPEDEF, UNION, VOLATILE, RawBtf)

MAGIC = 0xeb9f
MODIFIERS = {TYPEDEF, VOLATILE, CONST, RESTRICT, TYPE_TAG}
SIZED = {INT, STRUCT, UNION, ENUM, ENUM64, FLOAT}
KERNEL_MAX_ARGS = 12
SOURCE_TAG = "source:"
MAX_CHAIN = 64		# modifiers on modifiers; a longer chain is a cycle


class Btf(RawBtf):
    """Types by id. Ids and string offsets of a module's BTF continue those of its base. func_ids:
    the FUNCs. placed: those that have an address."""

    def __init__(self, path, data, base=None):
        self.path = path
        self.data = data
        self.base = base
        try:
            super().__init__(data)
            damaged = self.magic != MAGIC or self.end > len(data)
        except struct.error:
            damaged = True
        if damaged:
            raise InputError(f"{path}: its BTF is damaged or truncated; build it again")
        self.first_id = base.end_id if base else 1
        self.first_string = base.end_string if base else 0
        self.end_id = self.first_id + len(self.types)
        self.end_string = self.first_string + len(self.strs)
        self.func_ids, self.placed = [], []
        for type_id, found in enumerate(self.types, self.first_id):
            if not INT <= found.kind <= ENUM64:
                raise InputError(f"{path}: type {type_id} is of the unknown kind {found.kind}; "
                                 "teach tools/btfaddr/tests/elf_btf.py about it")
            if found.kind == FUNC:
                self.func_ids.append(type_id)
                self.placed += [type_id] if found.addr_at else []
        self._implicit = None
        self.arm64 = False

    def record(self, type_id):
        """The elf_btf.Type with an id."""
        if self.base and type_id < self.first_id:
            return self.base.record(type_id)
        return self.types[type_id - self.first_id]

    def name(self, offset):
        if self.base and offset < self.first_string:
            return self.base.name(offset)
        start = offset - self.first_string
        return self.strs[start:self.strs.find(b"\0", start)].decode("latin-1")

    def func_name(self, type_id):
        return self.name(self.record(type_id).name)

    def address_field(self, type_id):
        """The address in a FUNC's own record."""
        return struct.unpack_from("<Q", self.data, self.record(type_id).addr_at)[0]

    def resolve(self, type_id):
        """(kind, size) without typedefs and qualifiers; (0, 0) for void."""
        for _ in range(MAX_CHAIN):
            if type_id == 0:
                return 0, 0
            found = self.record(type_id)
            kind = found.kind
            if kind not in MODIFIERS:
                return kind, 8 if kind == PTR else found.ref if kind in SIZED else 0
            type_id = found.ref
        raise InputError(f"{self.path}: type {type_id} refers to itself; build it again")

    def implicit_args(self):
        """id of a kfunc -> id of the FUNC <name>_impl, by which the kernel attaches to it: programs
        call it without the arguments that the verifier adds. Since 7.3."""
        if self._implicit is None:
            kfuncs = {self.func_name(i): i for i in self.tagged("bpf_kfunc")}
            names = {i: self.func_name(i) for i in self.func_ids}
            self._implicit = {kfuncs[name[:-5]]: i for i, name in names.items()
                              if name.endswith("_impl") and name[:-5] in kfuncs}
        return self._implicit

    def tagged(self, tag):
        """ids of the types of this file with a DECL_TAG."""
        for found in self.types:
            if found.kind == DECL_TAG and found.ref >= self.first_id and \
                    self.name(found.name) == tag:
                yield found.ref

    def declarations(self):
        """(FUNC id, declaration in the source) of each function that the compiler changed."""
        for found in self.types:
            if found.kind == DECL_TAG and self.name(found.name).startswith(SOURCE_TAG):
                yield found.ref, self.name(found.name)[len(SOURCE_TAG):]

    def parameters(self, proto_id):
        """(type that is returned, (name, type) of each parameter) of a FUNC_PROTO."""
        proto = self.record(proto_id)
        fields = zip(proto.words[::2], proto.words[1::2])
        return proto.ref, [(self.name(name), type_id) for name, type_id in fields]

    def declared(self, func_id):
        """The parameters() of a FUNC, with those that the code has and programs don't pass."""
        return self.parameters(self.record(self.implicit_args().get(func_id, func_id)).ref)

    def prototype(self, func_id):
        """The Prototype of a FUNC."""
        returns, fields = self.declared(func_id)
        prototype = Prototype(self.resolve(returns), [self.resolve(t) for _, t in fields],
                              self.arm64)
        prototype.unnamed = [number for (name, _), number in zip(fields, prototype.firsts)
                             if number is not None and name.startswith("__isra")]
        return prototype


class Prototype:
    """registers: how many of the six, or arm64's eight, hold arguments. stack_words: how much is on
    the stack, in 8 bytes. variadic. attachable: the kernel attaches to it. firsts: the number of
    each parameter's first register, None on the stack. unnamed: those of __israN, which btfaddr has
    only because the code reads them; or where clang leaves an argument unread and unwritten."""

    def __init__(self, returns, parameters, arm64=False):
        self.variadic = bool(parameters) and parameters[-1] == (0, 0)
        self.attachable = (not self.variadic and len(parameters) <= KERNEL_MAX_ARGS
                           and returns[0] not in (STRUCT, UNION, FLOAT)
                           and all(kind in (INT, PTR, ENUM, ENUM64, STRUCT) and 0 < size <= 16
                                   for kind, size in parameters))
        # The caller's buffer for a large return value is an argument before all others.
        self.registers = returns[0] in (STRUCT, UNION) and returns[1] > 16 and not arm64
        self.stack_words = 0
        self.firsts, self.unnamed = [], []
        for kind, size in parameters:
            # arm64 has the address of what is larger
            needed = 1 if arm64 and size > 16 else (size + 7) // 8
            if kind != FLOAT and needed <= 2 and self.registers + needed <= (8 if arm64 else 6):
                self.firsts.append(self.registers)
                self.registers += needed
            else:
                self.firsts.append(None)
                self.stack_words += needed
                # arm64 doesn't go back to registers
                self.registers = 8 if arm64 else self.registers


def load(elf, base=None):
    """The BTF that a file ships. A module for other kernels also ships its base. None for a module
    without BTF, or with zeros instead of it: nothing can be attached in it."""
    section = elf.section(".BTF")
    if section is None or not any(section.bytes):
        if elf.relocatable:
            return None
        raise InputError(f"{elf.path}: it has no BTF; build it with CONFIG_DEBUG_INFO_BTF")
    own_base = elf.section(".BTF.base")
    if own_base is not None:
        base = Btf(elf.path, own_base.bytes)
    return Btf(elf.path, section.bytes, base)


def read(elf, path, base):
    """From the raw file, if there is a path, or as the ELF file ships it."""
    if path is None:
        return load(elf, base)
    try:
        with open(path, "rb") as file:
            return Btf(path, file.read(), base)
    except OSError as err:
        raise InputError(f"{path}: can't be read ({err}); name a raw BTF file") from err


def func_records(elf):
    """(addr, idx) of each record of .BTF_func; none without the section."""
    section = elf.section(".BTF_func")
    content = section.bytes if section else b""
    if len(content) % 8:
        raise InputError(f"{elf.path}: .BTF_func ends in the middle of a record; build it again")
    return list(struct.iter_unpack("<II", content))


def module_place(elf, relocations, number, what):
    """Where the function of a record of a module is."""
    kind, name, place, addend = relocations.get(8 * number, (None, None, None, 0))
    if kind not in OF_RECORDS or place is None or addend:
        raise InputError(f"{elf.path}: {what} has no relocation to a function of this module "
                         f"({name}); build it again")
    return place


def annotated_functions(elf, btf):
    """The (place, FUNC id) pairs of a file: which function each FUNC with an address is."""
    text = elf.places.get("_text")
    if text is None and not elf.relocatable:
        raise InputError(f"{elf.path}: it has no symbol _text; name a kernel's vmlinux")
    if btf.placed:
        fields = [(btf.address_field(i), i) for i in btf.placed]
        return [(elf.sections[addr >> 32].place + (addr & 0xffffffff) if elf.relocatable else
                 text + addr, i) for addr, i in fields]
    pairs = []
    records = func_records(elf)
    relocations = elf.relocations(elf.section(".BTF_func")) if records and elf.relocatable else {}
    for number, (addr, idx) in enumerate(records):
        func_id = btf.first_id + idx
        what = f"record {number} of .BTF_func"
        if func_id >= btf.end_id or btf.record(func_id).kind != FUNC:
            raise InputError(f"{elf.path}: {what} refers to no FUNC; build it again")
        place = module_place(elf, relocations, number, what) if elf.relocatable else text + addr
        pairs.append((place, func_id))
    return pairs


def unplaced_functions(elf, btf, placed):
    """(place, FUNC id) pairs of FUNCs without an address, if just one function has the FUNC's name,
    so that the kernel would take that. placed: the pairs of FUNCs with an address."""
    taken, ids = {place for place, _ in placed}, {func_id for _, func_id in placed}
    pairs = []
    for func_id in btf.func_ids:
        if func_id not in ids:
            places = elf.functions.get(btf.func_name(func_id), ())
            if len(places) == 1 and places[0] not in taken and elf.is_resident(places[0]):
                pairs.append((places[0], func_id))
    return pairs
