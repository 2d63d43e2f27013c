#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Reads what `btfaddr --functions` writes, from the description of the format alone.

usage: inline_btf.py check FILE BASE...   complains about whatever breaks a rule
       inline_btf.py sites FILE BASE...   a line for each site, as JSON
       inline_btf.py entries FILE BASE... a line for each function's entry: name, section, offset
       inline_btf.py false FILE BASE...   a line for each FUNC of BASE that is false: id, name, why
       inline_btf.py calls FILE BASE...   a line for each FUNC that is called: name, how often
       inline_btf.py stats FILE BASE...   the same as check, and how many sites FILE has

Each BASE is raw BTF, or an ELF file with .BTF; of several, each is the base of the next.
"""
import collections
import json
import os
import re
import struct
import sys

import elf_btf
from elf_btf import (ARRAY, CONST, DECL_TAG, FUNC, LOC_PARAM, LOC_PROTO, LOCSEC, PROTO, PTR,
                     RESTRICT, SIZES, TYPE_TAG, TYPEDEF, VOLATILE)

# DWARF's numbers; MACHINE=arm64 says whose FILE is, as it doesn't say that itself.
REGS = [f"x{nr}" for nr in range(31)] + ["sp"] if os.environ.get("MACHINE") == "arm64" else \
    "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split()
SIGNED, IS_CONST, ADDR, REG, DEREF, OFFSET = 1, 2, 4, 8, 16, 32
NESTED, SPLIT, EMPTY, SAME = 1, 2, 4, 8
MAGIC = 0x32534e46

Site = collections.namedtuple("Site", "section func proto offset caller parent inexact file line")


class Bad(Exception):
    """A rule is broken."""


def need(condition, what):
    if not condition:
        raise Bad(what)


class Btf(elf_btf.RawBtf):
    """Types and strings of one file, on top of those of its base."""

    def __init__(self, data, base=None):
        super().__init__(data)
        need((self.magic, self.version, self.flags) == (0xeb9f, 1, 0), "header")
        need(all(1 <= t.kind <= LOCSEC for t in self.types), "kind of a type")
        self.base = base
        self.data = data
        self.layout = None
        if self.hdr_len >= 32:
            layout_off, layout_len = struct.unpack_from("<II", data, 24)
            if layout_len:
                self.layout = data[self.hdr_len + layout_off:][:layout_len]
        self.first_str = base.first_str + len(base.strs) if base else 0
        self.first = base.first + len(base.types) if base else 1

    def nr(self):
        return self.first + len(self.types)

    def type(self, number):
        need(0 < number < self.nr(), f"type {number} is not there")
        return self.types[number - self.first] if number >= self.first else \
            self.base.type(number)

    def str(self, off):
        if off < self.first_str:
            return self.base.str(off)
        off -= self.first_str
        need(off < len(self.strs), "string offset")
        return elf_btf.string(self.strs, off)

    def name(self, number):
        return self.str(self.type(number).name)


def read(path, base=None):
    data = elf_btf.read(path)
    if data[:4] != b"\x7fELF":
        return Btf(data, base)
    elf = elf_btf.Elf(data)
    # a distilled base takes the place of vmlinux
    distilled = elf.section(".BTF.base")
    return Btf(elf.section(".BTF").bytes, Btf(distilled.bytes) if distilled else base)


def check_loc_param(number, t):
    flags, values = t.words[0], t.words[1:]
    kind = flags & ~SIGNED
    need(not t.name and not t.kflag and 1 <= t.ref <= 16, f"LOC_PARAM {number}")
    if kind in (IS_CONST, IS_CONST | ADDR):
        need(t.ref <= 8 and t.vlen == (2 if t.ref > 4 else 1), f"constant {number}")
        need(not kind & ADDR or not flags & SIGNED, f"address {number}")
        return
    need(all(reg < len(REGS) for reg in values[:1]), f"register of {number}")
    if kind == REG:
        need(t.vlen == (2 if t.ref > 8 else 1) and not flags & SIGNED, f"registers {number}")
        need(all(reg < len(REGS) for reg in values), f"register of {number}")
    elif kind == REG | DEREF:
        need(t.vlen == 1 and not flags & SIGNED, f"memory {number}")
    else:
        need(kind in (REG | OFFSET, REG | OFFSET | DEREF) and t.vlen == 2, f"flags of {number}")
        need(values[1] and bool(flags & SIGNED) == (values[1] >> 31), f"offset of {number}")
        need(t.ref <= 8 or kind & DEREF, f"size of {number}")


def check_func(btf, number):
    t = btf.type(number)
    need(t.kind == FUNC, f"type {number} is no FUNC")
    need(re.fullmatch(r"[A-Za-z_.][\w.]*", btf.str(t.name)), f"name of FUNC {number}")
    need(btf.type(t.ref).kind == PROTO, f"prototype of FUNC {number}")


def size_of(btf, number):
    """Size of a type."""
    t = btf.type(number)
    while t.kind in (TYPEDEF, VOLATILE, CONST, RESTRICT, TYPE_TAG):
        t = btf.type(t.ref)
    if t.kind == ARRAY:
        return t.words[2] * size_of(btf, t.words[0])
    return 8 if t.kind == PTR else t.ref


def is_entries(btf, t):
    return t.kind == LOCSEC and btf.str(t.name).startswith("entry.")


def members(t):
    """FUNC, LOC_PROTO and offset of each member of a LOCSEC."""
    return list(zip(*[iter(t.words)] * 3))


def check_locsec(btf, number, t):
    need(re.fullmatch(r"(inline|entry)\.\S+", btf.str(t.name)), f"name of LOCSEC {number}")
    need(not t.ref and not t.kflag and t.vlen, f"LOCSEC {number}")
    places = [(func, offset) for func, _, offset in members(t)]
    need(places == sorted(places), f"order of LOCSEC {number}")
    pairs = set()
    if is_entries(btf, t):
        need(len({offset for _, offset in places}) == len(places), "an address with two entries")
        need(len({func for func, _ in places}) == len(places), "a FUNC with two entries")
        need(all(func >= btf.first for func, _ in places), "an entry of a FUNC of the base")
    for func, proto, _ in members(t):
        check_func(btf, func)
        need(btf.type(proto).kind == LOC_PROTO, f"type {proto} is no LOC_PROTO")
        pairs.add((btf.type(func).ref, proto))
    for func_proto, proto in pairs:
        locs, params = btf.type(proto), btf.type(func_proto)
        need(locs.vlen == params.vlen, f"LOC_PROTO {proto} of FUNC_PROTO {func_proto}")
        for loc, param in zip(locs.words, params.words[1::2]):
            need(not loc or btf.type(loc).ref == size_of(btf, param),
                 f"size of LOC_PARAM {loc}, in LOC_PROTO {proto}")


def check_type(btf, number, t):
    if t.name:
        btf.str(t.name)
    if t.kind == LOC_PARAM:
        check_loc_param(number, t)
    elif t.kind == LOC_PROTO:
        need(not t.name and not t.ref and not t.kflag, f"LOC_PROTO {number}")
        need(all(not p or btf.type(p).kind == LOC_PARAM for p in t.words),
             f"parameters of LOC_PROTO {number}")
    elif t.kind == LOCSEC:
        check_locsec(btf, number, t)
    elif t.kind == FUNC:
        check_func(btf, number)
    elif t.kind == PROTO:
        refs = [t.ref] + list(t.words[1::2])
        need(all(not ref or btf.type(ref) for ref in refs), f"types of {number}")
        need(all(t.words[1:-1:2]), f"void parameter of {number}")
    elif t.kind == DECL_TAG:
        need(not btf.str(t.name).startswith(("cu:", "file:")) or btf.type(t.ref).kind == FUNC,
             f"tag {number}")


def check_layout(btf):
    """There is a layout if the base has one, and its sizes are right."""
    base = btf.base
    while base.base:
        base = base.base
    need(bool(base.layout) == bool(btf.layout), "layout")
    need(btf.hdr_len == (32 if btf.layout else 24), "length of header")
    for kind in range(1, LOCSEC + 1) if btf.layout else ():
        once, each = btf.layout[kind * 4:kind * 4 + 2]
        need((once / 4, each / 4) == SIZES.get(kind, (0, 0)), f"layout of kind {kind}")


def check(btf):
    check_layout(btf)
    for i, t in enumerate(btf.types):
        check_type(btf, btf.first + i, t)
    kinds = [t.kind for t in btf.types]
    own = [k for k in kinds if k >= LOC_PARAM]
    need(own == sorted(own) and kinds[len(kinds) - len(own):] == own, "order of kinds")
    for kind in (LOC_PARAM, LOC_PROTO, PROTO, FUNC):
        same = [(t[2:7], t.kind == FUNC and i) for i, t in enumerate(btf.types) if t.kind == kind]
        need(len(same) == len(set(same)), f"two of kind {kind} are the same")
    names = [btf.str(t.name) for t in btf.types if t.kind == LOCSEC]
    need(len(names) == len(set(names)), "two LOCSECs of a section")
    need(names == sorted(names, key=lambda n: n.startswith("entry.")), "order of LOCSECs")
    check_tags(btf)
    check_origins(btf, sites(btf))
    collections.deque(ranges(btf), 0)


def check_tags(btf):
    """No FUNC has two units, or two files, and each new FUNC has one of them."""
    tagged = [(t.ref, b.str(t.name).partition(":")[0]) for b in chain(btf) for t in b.types
              if t.kind == DECL_TAG and b.str(t.name).startswith(("cu:", "file:"))]
    need(len(tagged) == len(set(tagged)), "a FUNC has two units")
    new = {btf.first + i for i, t in enumerate(btf.types) if t.kind == FUNC}
    need(new <= {func for func, _ in tagged}, "a FUNC has neither unit nor file")
    lies = [func for func, _ in false(btf)]
    need(len(lies) == len(set(lies)), "a FUNC with two false tags")
    need(not set(lies) & {ref for ref, tag in tagged if tag == "cu"}, "a unit of a false FUNC")


def check_origins(btf, all_sites):
    for site in all_sites:
        depth = 0
        while site.parent is not None:
            site = all_sites[site.parent]
            depth += 1
            need(depth < 1000, "nested in itself")
        if site.caller:
            check_func(btf, site.caller)


def chain(btf):
    while btf:
        yield btf
        btf = btf.base


class Numbers:
    """Unsigned LEB128, one after the other."""

    def __init__(self, data):
        self.data = data
        self.pos = 0

    def next(self):
        value = shift = 0
        while True:
            need(self.pos < len(self.data) and shift < 64, "a number that is cut off, or too long")
            byte = self.data[self.pos]
            self.pos += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def at_end(self):
        return self.pos == len(self.data)


def signed(value):
    return -(value + 1 >> 1) if value & 1 else value >> 1


def read_origins(stream, nr_sites):
    """Yields for each site: whether it is nested, its origin, flags, file and line."""
    last, file, line = [0, 0], 0, 0
    for _ in range(nr_sites):
        number = stream.next()
        flags = number & 15
        nested = flags & NESTED
        last[nested] += signed(number >> 4)
        if not flags & SAME:
            number = stream.next()
            line += signed(number >> 1)
            if number & 1:
                file += signed(stream.next())
        yield nested, last[nested], flags, file, line


def origins(btf):
    """Returns the build id, (caller, parent, inexact, file, line) by site, and the calls."""
    pos = (btf.end + 3) & ~3
    magic, length, nr_sites, nr_files, nr_called, rest, base_types, base_strs, id_len, zero = \
        struct.unpack_from("<IIIIIIIIB3s", btf.data, pos)
    need(magic == MAGIC and pos + length == len(btf.data), "section behind the strings")
    need((base_types, base_strs) == (btf.first, btf.first_str), "what the base has")
    need(id_len <= 20 and not any(zero), "header behind the strings")
    build_id = btf.data[pos + 36:pos + 36 + id_len].hex()
    pos += 56
    files = struct.unpack_from(f"<{nr_files}I", btf.data, pos)
    pos += 4 * nr_files
    called = list(struct.iter_unpack("<2I", btf.data[pos:pos + 8 * nr_called]))
    need(len(called) == nr_called, "table of calls")
    need(all(a[0] < b[0] for a, b in zip(called, called[1:])), "order of calls")
    need(all(nr and btf.type(func).kind == FUNC for func, nr in called), "what is called")
    need(rest <= len(btf.data) - pos - 8 * nr_called, "bytes of ranges")
    stream = Numbers(btf.data[pos + 8 * nr_called:len(btf.data) - rest])
    ret = []
    for nested, origin, flags, file, line in read_origins(stream, nr_sites):
        inexact = "split" if flags & SPLIT else "empty" if flags & EMPTY else None
        need(0 <= origin < (nr_sites if nested else btf.nr()), "what a site is from")
        need(0 <= file < max(nr_files, 1) and 0 <= line < 1 << 32, "place of a call")
        ret.append((None if nested else origin, origin if nested else None, inexact,
                    btf.str(files[file]) if line else None, line))
    need(stream.at_end(), "more numbers than sites need")
    return build_id, ret, called, Numbers(btf.data[len(btf.data) - rest:])


def sites(btf):
    where = origins(btf)[1]
    ret = []
    for t in btf.types:
        if t.kind != LOCSEC or is_entries(btf, t):
            continue
        section = btf.str(t.name)[len("inline"):]
        for func, proto, offset in members(t):
            need(len(ret) < len(where), "fewer origins than sites")
            ret.append(Site(section, func, proto, offset, *where[len(ret)]))
    need(len(ret) == len(where), "more origins than sites")
    return ret


def ranges(btf):
    """Yields the start and the end of each piece of code, and the number of its site."""
    stream = origins(btf)[3]
    for i, site in enumerate(sites(btf)):
        end = site.offset
        for _ in range(stream.next()):
            start = end + signed(stream.next())
            end = start + stream.next()
            need(0 <= start < end, "piece of code")
            yield start, end, i
    need(stream.at_end(), "more ranges than sites need")


def frames(btf):
    """Prints what is inlined at each offset, the innermost function first, with its call."""
    all_sites, at = sites(btf), {}
    for start, end, i in ranges(btf):
        chain_of = []
        site = i
        while site is not None:
            chain_of.append(all_sites[site])
            site = all_sites[site].parent
        for offset in range(start, end):
            at[offset] = max(at.get(offset, []), chain_of, key=len)
    for offset in sorted(at):
        print(offset, *(f"{btf.name(s.func)}:{s.line}" for s in at[offset]))


def place(btf, number):
    """A LOC_PARAM as (what, values, size)."""
    if not number:
        return None
    t = btf.type(number)
    flags, values = t.words[0], list(t.words[1:])
    if flags & IS_CONST:
        value = values[0] | (values[1] << 32 if t.vlen > 1 else 0)
        if flags & SIGNED and value >> (8 * t.ref - 1):
            value -= 1 << (8 * t.ref)
        return ("addr" if flags & ADDR else "const", [value], t.ref)
    if flags & OFFSET:
        values[1] -= (values[1] >> 31) << 32
    what = "mem" if flags & DEREF else "sum" if flags & OFFSET else "reg"
    return (what, values, t.ref)


def paths(btf, prefix):
    return {t.ref: b.str(t.name)[len(prefix):] for b in chain(btf) for t in b.types
            if t.kind == DECL_TAG and b.str(t.name).startswith(prefix)}


def print_sites(btf):
    unit = paths(btf, "cu:") | paths(btf, "file:")
    all_sites = sites(btf)
    for i, site in enumerate(all_sites):
        proto = btf.type(btf.type(site.func).ref)
        params = {btf.str(name): place(btf, loc) for name, loc in
                  zip(proto.words[0::2], btf.type(site.proto).words)}
        root = site
        while root.parent is not None:
            root = all_sites[root.parent]
        print(json.dumps({
            "index": i, "section": site.section, "offset": site.offset,
            "func": btf.name(site.func), "unit": unit.get(site.func),
            "new": site.func >= btf.first, "params": params,
            "caller": root.caller and btf.name(root.caller),
            "parent": site.parent, "inexact": site.inexact, "file": site.file, "line": site.line}))


def false(btf):
    """The FUNCs of the base that are false, and why."""
    for t in btf.types:
        if t.kind == DECL_TAG and btf.str(t.name).startswith("false:"):
            need(t.ref < btf.first and btf.type(t.ref).kind == FUNC and t.words == (0xffffffff,),
                 "a false tag elsewhere than on a FUNC of the base")
            yield t.ref, btf.str(t.name)[len("false:"):]


def print_false(btf):
    for func, why in false(btf):
        print(func, btf.name(func), why, sep="\t")


def entries(btf):
    """A Site for each entry of a function."""
    return [Site(btf.str(t.name)[len("entry"):], *member, None, None, None, None, 0)
            for t in btf.types if is_entries(btf, t) for member in members(t)]


def print_entries(btf):
    for site in entries(btf):
        print(btf.name(site.func), site.section, site.offset)


def print_calls(btf):
    for func, nr in origins(btf)[2]:
        print(btf.name(func), nr)


def print_stats(btf):
    check(btf)
    all_sites = sites(btf)
    print(f"sites {len(all_sites)}: {sum(s.func < btf.first for s in all_sites)} of base FUNCs, "
          f"{sum(s.parent is None and not s.caller for s in all_sites)} without caller")


def main():
    command, path, *bases = sys.argv[1:]
    btf = None
    for base in bases:
        btf = read(base, btf)
    btf = read(path, btf)
    {"check": check, "sites": print_sites, "entries": print_entries,
     "false": print_false, "calls": print_calls, "frames": frames,
     "stats": print_stats}[command](btf)


if __name__ == "__main__":
    try:
        main()
    except Bad as bad:
        sys.exit(f"{sys.argv[2]}: {bad}")
