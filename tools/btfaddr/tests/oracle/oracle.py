#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Is every register that BTF doesn't list unused, and does every one hold what it says?

Programs of generate.py are compiled in many ways and run twice: as they are, and with
each function that BTF describes called through runtime.c's trampoline. Both must come to
the same sum.

usage: oracle.py BTFADDR FOLDER COMPILER FLAGS [FIRST SEED] [NUMBER]
"""
import itertools
import os
import re
import struct
import subprocess
import sys

from generate import MEMBERS, SIZES, Program

HERE = os.path.dirname(os.path.abspath(__file__))
TEXT = 0x1000000
FLAGS = ["-fno-pie", "-ffreestanding", "-mno-sse", "-fcf-protection=none", "-fno-stack-protector",
         "-w", "-g", "-gdwarf-5"]
MAX_ARGS = 12		# of the kernel's trampoline
MAX_CHECKS = 12


def run(*cmd, **kwargs):
    return subprocess.run(cmd, check=True, stdout=subprocess.PIPE, text=True, **kwargs).stdout


class Case:
    """One program, compiled in one way."""

    def __init__(self, btfaddr, folder, compiler, flags, seed):
        self.btfaddr, self.seed = btfaddr, seed
        self.compiler, self.flags = compiler, flags
        self.base = os.path.join(folder, f"{compiler}{''.join(flags)}-{seed}")
        self.program = Program(seed)

    def build(self):
        objs = []
        for unit in range(2):
            with open(f"{self.base}.{unit}.c", "w") as f:
                f.write(self.program.source(unit))
            objs.append(f"{self.base}.{unit}.o")
            run(self.compiler, *FLAGS, "-pg", "-mfentry", *self.flags, "-c",
                f"{self.base}.{unit}.c", "-o", objs[-1])
        objs.append(f"{self.base}.runtime.o")
        run("gcc", *FLAGS, "-O1", "-g0", "-c", f"{HERE}/runtime.c", "-o", objs[-1])
        lto = any("lto" in flag for flag in self.flags)
        linker = [self.compiler, "-fuse-ld=lld", "-nostdlib", "-static",
                  *(f for f in self.flags if f.startswith("-O")),
                  f"-Wl,-Ttext={TEXT:#x},--defsym=_text={TEXT:#x}"] if lto else \
                 ["ld", "-static", f"-Ttext={TEXT:#x}", f"--defsym=_text={TEXT:#x}"]
        run(*linker, *objs, "-o", self.base)
        run("pahole", "-J", self.base)
        run(self.btfaddr, self.base, "-o", f"{self.base}.btf")

    def described(self):
        """(address, prototype) of each function that has one."""
        dump = run(self.btfaddr, f"{self.base}.btf", "--dump")
        for line in dump.splitlines():
            addr, _, _, proto = line.split("\t")
            if addr != "-":
                yield TEXT + int(addr, 16), proto

    def row(self, addr, proto):
        """What the trampoline needs; None for what the kernel refuses to attach to."""
        name, ret, params = parse(proto)
        if "..." in params or is_aggregate(ret) or len(params) > MAX_ARGS:
            return None
        regs = stack = 0
        checks = []
        want = self.program.want.get(name.split(".")[0], {}) if self.program.log else {}
        for nr, param in enumerate(params):
            ctype, pname = split_param(param)
            size = size_of(ctype)
            if size > 16:
                return None
            words = (size + 7) // 8
            if regs + words <= 6:
                place, regs = regs, regs + words
            else:
                place, stack = 6 + stack, stack + words
            parts = MEMBERS.get(ctype) if is_aggregate(ctype) else None
            if parts:
                if all(s == 8 for _, s in parts) and ctype.startswith("struct"):
                    checks += [(place + i, 8, nr, want[f"{pname}__{m}"][0])
                               for i, (m, _) in enumerate(parts) if f"{pname}__{m}" in want]
            elif pname in want:
                checks.append((place, size, nr, want[pname][0]))
        checks = checks[:MAX_CHECKS]
        row = struct.pack("<QBBBBI", addr, regs, stack, ret != "void", len(checks), 0)
        row += b"".join(struct.pack("<BBHI", *c) for c in checks)
        return row.ljust(16 + 8 * MAX_CHECKS, b"\0")

    def result(self, rows):
        table = b"".join(rows) + bytes(16 + 8 * MAX_CHECKS)
        with open(f"{self.base}.table", "wb") as f:
            f.write(table.ljust(512 * (16 + 8 * MAX_CHECKS), b"\0"))
        run("objcopy", "--update-section", f".oracle={self.base}.table", self.base,
            f"{self.base}.run", stderr=subprocess.DEVNULL)
        try:
            p = subprocess.run([f"{self.base}.run"], stdout=subprocess.PIPE, text=True,
                               timeout=20, check=False)
        except subprocess.TimeoutExpired:
            return "runs on"
        return p.stdout + (f"status {p.returncode}" if p.returncode else "")

    def judge(self):
        """Functions that tracing breaks, and how many were traced."""
        self.build()
        rows = {proto: self.row(addr, proto) for addr, proto in self.described()}
        rows = {proto: row for proto, row in rows.items() if row}
        plain = self.result([])
        if "stopped" not in plain:
            raise RuntimeError(f"{self.base}: doesn't run: {plain}")
        if self.result(rows.values()) == plain:
            return [], len(rows)
        bad = [p for p, row in rows.items() if self.result([row]) != plain]
        return bad or ["several together"], len(rows)

    def remove(self):
        for suffix in itertools.chain([""], (f".{s}" for s in (
                "0.c", "1.c", "0.o", "1.o", "runtime.o", "btf", "table", "run"))):
            os.unlink(self.base + suffix)


def is_aggregate(ctype):
    return ctype.startswith(("struct", "union")) and not ctype.endswith("*")


def parse(proto):
    """Name, return type, parameters."""
    m = re.fullmatch(r"(.*?[ *])([\w.]+)\((.*)\);", proto)
    params = [p for p in m[3].split(", ") if p != "void"]
    return m[2], unqualified(m[1]), params


def unqualified(ctype):
    return re.sub(r"\b(const|volatile)\b", "", ctype).strip()


def split_param(param):
    m = re.fullmatch(r"(.*?[ *])([\w]*)", param)
    return unqualified(m[1]), m[2]


def size_of(ctype):
    if is_aggregate(ctype) or ctype in SIZES:
        return SIZES[ctype]
    if ctype.endswith("*"):
        return 8
    # compilers name base types differently: "long unsigned int"
    words = ctype.split()
    return next((SIZES[word] for word in ("char", "short", "long") if word in words), 4)


def main():
    btfaddr, folder, compiler, flags = sys.argv[1:5]
    first, number = (int(n) for n in (sys.argv[5:7] + ["1", "10"][len(sys.argv) - 5:]))
    os.makedirs(folder, exist_ok=True)
    failed = traced = 0
    for seed in range(first, first + number):
        case = Case(btfaddr, folder, compiler, flags.split(), seed)
        bad, nr = case.judge()
        traced += nr
        for proto in bad:
            print(f"{case.base}: {proto}")
        if bad:
            failed += 1
        else:
            case.remove()
    print(f"{number} programs, {traced} functions traced, {failed} programs broken")
    sys.exit(1 if failed or traced < number else 0)


if __name__ == "__main__":
    main()
