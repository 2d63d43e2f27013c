#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Is every register that BTF doesn't list unused, and does every other hold what BTF says?

Programs of generate.py are compiled in many ways and run twice: as they are, and with
each function that BTF describes called through runtime.c's trampoline. Both must come to
the same sum.

usage: oracle.py BTFADDR FOLDER COMPILER FLAGS [FIRST SEED] [NUMBER]
       oracle.py --fuzz SECONDS BTFADDR FOLDER
       oracle.py --kinds

--fuzz takes random seeds, for that many seconds. --kinds prints a first seed, the compiler and the
flags for each kind of program whose compiler is installed. Programs that are broken stay in FOLDER.
"""
import itertools
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from generate import MEMBERS, SIZES, Program

HERE = os.path.dirname(os.path.abspath(__file__))
TEXT = 0x1000000
FLAGS = ["-fno-pie", "-ffreestanding", "-mgeneral-regs-only", "-fno-stack-protector",
         "-fno-asynchronous-unwind-tables", "-w", "-g", "-gdwarf-5"]
KINDS = [(cc, flags) for cc in ("gcc", "gcc-14", "clang-19") for flags in ("-O2", "-O3", "-Os")]
KINDS += [("clang-19", "-O2 -flto"), ("clang-19", "-O3 -flto=thin")]
# Linked as modules are, where what doesn't return is an undefined symbol
GUARD = "-fstack-protector-strong -mstack-protector-guard=global"
KINDS += [("gcc", f"-O2 {GUARD}"), ("gcc", f"-O2 {GUARD} -module"),
          ("clang-19", f"-O2 {GUARD} -module")]
ARM64 = "aarch64-linux-gnu"
KINDS += [(f"{ARM64}-gcc", flags)
          for flags in ("-O2", "-O3", "-Os", "-O2 -mbranch-protection=standard", f"-O2 {GUARD}")]
KINDS += [("clang-19", f"--target={ARM64} {flags}") for flags in ("-O2", "-O3", "-Os", "-O2 -flto")]
# Options of kernels that are instrumented, or hardened, as scripts/Makefile.* have them
UBSAN = "-fsanitize=bounds,shift,bool,enum,unreachable"
FOR_ALL = ["-fsanitize-coverage=trace-pc", UBSAN, "-fzero-call-used-regs=used-gpr",
           "-fpatchable-function-entry=16,16"]
FOR_GCC = ["-fsanitize=kernel-address --param asan-instrumentation-with-call-threshold=0",
           "-fsanitize=thread --param tsan-instrument-func-entry-exit=0 "
           "--param tsan-distinguish-volatile=1", "-fno-var-tracking-assignments"]
FOR_CLANG = ["-fsanitize=kernel-address -mllvm -asan-instrumentation-with-call-threshold=0 "
             "-mllvm -asan-stack=0", "-fsanitize=thread -mllvm -tsan-instrument-func-entry-exit=0 "
             "-mllvm -tsan-instrument-memintrinsics=0 -mllvm -tsan-distinguish-volatile=1",
             "-fdebug-info-for-profiling -mllvm -enable-fs-discriminator=true "
             "-mllvm -improved-fs-discriminator=true -funique-internal-linkage-names"]
OF_KERNELS = [("gcc", f"-O2 {flags}") for flags in FOR_ALL + FOR_GCC]
OF_KERNELS += [("clang-19", f"-O2 {flags}") for flags in FOR_ALL + FOR_CLANG]
OF_KERNELS += [(f"{ARM64}-gcc", f"-O2 {FOR_GCC[0]}"),
               ("clang-19", f"--target={ARM64} -O2 {FOR_CLANG[0]}")]
KINDS += OF_KERNELS
MAX_ARGS = 12		# of the kernel's trampoline
MAX_CHECKS = 12


def run(*cmd, **kwargs):
    return subprocess.run(cmd, check=True, stdout=subprocess.PIPE, text=True, **kwargs).stdout


class Case:
    """One program, compiled in one way."""

    def __init__(self, btfaddr, folder, compiler, flags, seed):
        self.btfaddr, self.seed = btfaddr, seed
        self.compiler, self.flags = compiler, flags.split()
        self.arm64 = ARM64 in f"{compiler} {flags}"
        self.runtime = os.path.join(folder, "arm64.o" if self.arm64 else "runtime.o")
        self.module = "-module" in self.flags
        if self.module:
            self.flags.remove("-module")
        self.base = os.path.join(folder, f"{compiler}{re.sub('[ =]', '', flags)}-{seed}")
        native = re.search("gcc|clang", compiler)[0] + ("-x86" if not self.arm64 else "")
        self.program = Program(seed, native)
        self.dump, self.unsure = "", set()

    def build(self):
        objs = []
        for unit in range(2):
            with open(f"{self.base}.{unit}.c", "w") as f:
                f.write(self.program.source(unit))
            objs.append(f"{self.base}.{unit}.o")
            # under LTO, LLVM 19 changes functions that it must then jump to, and gives up
            site = ["-Dmusttail="] if "-flto" in "".join(self.flags) else []
            site += ["-fpatchable-function-entry=2"] if self.arm64 else \
                ["-fcf-protection=none", "-pg", "-mfentry"]
            run(self.compiler, *FLAGS, *site, *self.flags, "-c", f"{self.base}.{unit}.c",
                "-o", objs[-1])
        if self.module:
            run("ld", "-r", *objs, "-o", f"{self.base}.ko")
            self.annotate(f"{self.base}.ko")
        objs.append(self.runtime)
        lto = any("lto" in flag for flag in self.flags)
        linker = [self.compiler, "-fuse-ld=lld", "-nostdlib", "-static",
                  *(f for f in self.flags if f.startswith(("-O", "--target"))),
                  f"-Wl,-Ttext={TEXT:#x},--defsym=_text={TEXT:#x}"] if lto else \
                 [self.tool("ld"), "-static", f"-Ttext={TEXT:#x}", f"--defsym=_text={TEXT:#x}"]
        run(*linker, *objs, "-o", self.base)
        if not self.module:
            self.annotate(self.base)

    def tool(self, name):
        return f"{ARM64}-{name}" if self.arm64 else name

    def annotate(self, elf):
        base = ["--btf_base", f"{os.path.dirname(self.base)}/base.btf"] if self.module else []
        run("pahole", "-J", *base, elf)
        run(self.btfaddr, *base, elf, "-o", f"{self.base}.btf")
        self.dump = run(self.btfaddr, *base, elf, "--dump")
        run(self.btfaddr, *base, elf, "--legacy", "-o", f"{self.base}.legacy")
        raw = run("bpftool", *([] if not base else ["-B", base[1]]), "btf", "dump", "file",
                  f"{self.base}.legacy", "format", "raw")
        self.unsure = {int(n) for n in re.findall(r"DECL_TAG 'return:unsure' type_id=(\d+) ", raw)}

    def described(self):
        """(address, prototype, whether what it returns is sure) of each function that has one."""
        symbols = {}
        for addr, name in re.findall(r"^(\w+) \w ([\w.]+)$", run("nm", self.base), re.M):
            symbols.setdefault(name, []).append(int(addr, 16))
        for line in self.dump.splitlines():
            place, func_id, _, proto = line.split("\t")
            if place == "-":
                continue
            # Both units may have a static function of that name. A module isn't linked as they are.
            addrs = symbols[parse(proto)[0]] if self.module else [TEXT + int(place, 16)]
            if len(addrs) == 1:
                yield addrs[0], proto, int(func_id) not in self.unsure

    def row(self, addr, proto, is_sure):
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
            nr_regs = 8 if self.arm64 else 6
            if regs + words <= nr_regs:
                place, regs = regs, regs + words
            else:
                place, stack = nr_regs + stack, stack + words
                # arm64 doesn't go back to registers
                regs = nr_regs if self.arm64 else regs
            if ctype in ("complex int", "complex long"):
                size = size // 2
            parts = MEMBERS.get(ctype) if is_aggregate(ctype) else None
            if parts:
                if all(s == 8 for _, s in parts) and ctype.startswith("struct"):
                    checks += [(place + i, 8, nr, want[f"{pname}__{m}"][0])
                               for i, (m, _) in enumerate(parts) if f"{pname}__{m}" in want]
            elif pname in want:
                checks.append((place, size, nr, want[pname][0]))
        checks = checks[:MAX_CHECKS]
        index, size = want.get("return", (0, 0)) if self.program.log_returns else (0, 0)
        if not is_sure or ret == "void":
            size = 0
        row = struct.pack("<QBBBBHH", addr, regs, stack, ret != "void", len(checks), index, size)
        row += b"".join(struct.pack("<BBHI", *c) for c in checks)
        return row.ljust(16 + 8 * MAX_CHECKS, b"\0")

    def result(self, rows):
        table = b"".join(rows) + bytes(16 + 8 * MAX_CHECKS)
        with open(f"{self.base}.table", "wb") as f:
            f.write(table.ljust(512 * (16 + 8 * MAX_CHECKS), b"\0"))
        run(self.tool("objcopy"), "--update-section", f".oracle={self.base}.table", self.base,
            f"{self.base}.run", stderr=subprocess.DEVNULL)
        try:
            p = subprocess.run(["qemu-aarch64-static"] * self.arm64 + [f"{self.base}.run"],
                               stdout=subprocess.PIPE, text=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return "runs on"
        return p.stdout + (f"status {p.returncode}" if p.returncode else "")

    def judge(self):
        """Functions that tracing breaks, and how many were traced."""
        self.build()
        rows = [(proto, self.row(addr, proto, sure)) for addr, proto, sure in self.described()]
        rows = [(proto, row) for proto, row in rows if row]
        plain = self.result([])
        if "stopped" not in plain:
            raise RuntimeError(f"{self.base}: doesn't run: {plain}")
        if self.result(row for _, row in rows) == plain:
            return [], len(rows)
        bad = [proto for proto, row in rows if self.result([row]) != plain]
        return bad or ["several together"], len(rows)

    def remove(self):
        for suffix in itertools.chain([""], (f".{s}" for s in (
                "0.c", "1.c", "0.o", "1.o", "btf", "legacy", "table", "run"))):
            os.unlink(self.base + suffix)
        if self.module:
            os.unlink(f"{self.base}.ko")


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


def judge_all(folder, cases):
    """Prints what is broken. Returns the numbers of programs, of functions that were traced, and of
    broken programs."""
    os.makedirs(folder, exist_ok=True)
    for cc, obj in ("gcc", "runtime.o"), (f"{ARM64}-gcc", "arm64.o"):
        if shutil.which(cc):
            run(cc, *FLAGS, "-O1", "-g0", "-c", f"{HERE}/runtime.c", "-o", f"{folder}/{obj}")
    # what the BTF of modules is based on
    run("gcc", "-g", "-c", "-x", "c", "-", "-o", f"{folder}/base.o", input="int base;")
    run("pahole", "-J", f"--btf_encode_detached={folder}/base.btf", f"{folder}/base.o")
    total = traced = failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, (bad, nr) in pool.map(lambda case: (case, case.judge()), cases):
            total += 1
            traced += nr
            for proto in bad:
                print(f"{case.compiler} '{' '.join(case.flags)}' {case.seed}: {proto}", flush=True)
            if bad:
                failed += 1
            else:
                case.remove()
    return total, traced, failed


def installed():
    """(compiler, flags, first seed) of each kind."""
    arm64 = shutil.which(f"{ARM64}-gcc") and shutil.which("qemu-aarch64-static")
    return [(cc, flags, nr * 1000 + 1) for nr, (cc, flags) in enumerate(KINDS)
            if shutil.which(cc) and (arm64 or ARM64 not in cc + flags)]


def fuzz(seconds, btfaddr, folder):
    """judge_all() of random programs; some of each kind at a time."""
    end = time.monotonic() + seconds
    total = traced = failed = 0
    while time.monotonic() < end:
        cases = [Case(btfaddr, folder, cc, flags, random.randrange(1 << 31))
                 for cc, flags, _ in installed()]
        numbers = judge_all(folder, cases)
        total, traced, failed = total + numbers[0], traced + numbers[1], failed + numbers[2]
    return total, traced, failed


def main():
    args = sys.argv[1:]
    if args == ["--kinds"]:
        for cc, flags, seed in installed():
            print(seed, cc, flags)
        return
    if args[:1] == ["--fuzz"]:
        total, traced, failed = fuzz(int(args[1]), args[2], args[3])
    else:
        btfaddr, folder, compiler, flags = args[:4]
        first, number = (int(n) for n in (args[4:] + ["1", "10"][len(args) - 4:]))
        total, traced, failed = judge_all(folder, [Case(btfaddr, folder, compiler, flags, seed)
                                                   for seed in range(first, first + number)])
    print(f"{total} programs, {traced} functions traced, {failed} programs broken")
    sys.exit(1 if failed or traced < total else 0)


if __name__ == "__main__":
    main()
