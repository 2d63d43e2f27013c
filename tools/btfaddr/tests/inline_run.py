#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Runs a program, and compares what it passes to inlined functions with what the file says.

usage: inline_run.py PROGRAM FILE BASE

PROGRAM is src/inlined.c or src/entries.c, compiled. FILE is what `btfaddr --functions` writes of
it, based on BASE. Each site, and each entry of a function, has a breakpoint. There, the places that
FILE states must have the values that PROGRAM has passed to expect(). Each expected call must be
seen, and no other, unless FILE says that the code may have been copied. Prints how many values were
compared. QEMU runs PROGRAM, which is for the architecture that MACHINE says.
"""
import collections
import os
import socket
import subprocess
import sys
import tempfile
import time

import inline_btf

ARM64 = os.environ.get("MACHINE") == "arm64"
QEMU = f"qemu-{'aarch64' if ARM64 else 'x86_64'}-static"
# registers by DWARF number, those of arguments, and the order in which QEMU has them
DWARF = inline_btf.REGS
PC, SP, FIRST, *ARGS = (["pc", "sp", *DWARF[:8]] if ARM64 else
                        "rip rsp rdi rsi rdx rcx r8 r9".split())
REGS = [*DWARF, PC] if ARM64 else \
    ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", *DWARF[6:], PC]


class Tracee:
    """A program in QEMU, which is told what to do by the protocol of gdb."""

    def __init__(self, program):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "socket")
            self.qemu = subprocess.Popen([QEMU, "-g", path, program])
            self.socket = socket.socket(socket.AF_UNIX)
            while self.socket.connect_ex(path) and self.qemu.poll() is None:
                time.sleep(0.01)
        self.answers = self.socket.makefile("rb")

    def ask(self, text):
        self.socket.sendall(f"+${text}#{sum(text.encode()) & 255:02x}".encode())
        answer = b""
        while not answer.endswith(b"#"):
            byte = self.answers.read(1)
            if not byte:
                sys.exit("inline_run: QEMU has ended")
            answer = b"" if byte == b"$" else answer + byte
        self.answers.read(2)		# the sum of the answer
        return answer[:-1].decode()

    def read(self, addr, size):
        return int.from_bytes(bytes.fromhex(self.ask(f"m{addr:x},{size:x}")), "little")

    def stop_at(self, addr):
        self.ask(f"Z0,{addr:x},4")

    def stops(self):
        """Yields the registers at each breakpoint, before its instruction runs."""
        while (state := self.ask("c")).startswith("T05"):
            words = bytes.fromhex(self.ask("g"))
            yield {name: int.from_bytes(words[8 * i:8 * i + 8], "little")
                   for i, name in enumerate(REGS)}
            self.ask("s")
        if state != "W00":
            sys.exit(f"inline_run: the program has ended by {state}")


def value(where, tracee, regs, text):
    """The value in a place that FILE states, None if it states none."""
    if not where:
        return None
    what, vals, size = where
    mask = (1 << 8 * size) - 1
    reg = regs[DWARF[vals[0]]] if what in ("reg", "sum", "mem") else 0
    if what == "addr":
        return text + vals[0]
    if what == "const":
        return vals[0] & mask
    if what == "mem":
        return tracee.read((reg + sum(vals[1:])) & (1 << 64) - 1, size)
    if what == "sum":
        return (reg + vals[1]) & mask
    return (reg | (regs[DWARF[vals[1]]] << 64 if len(vals) > 1 else 0)) & mask


def expected(btf, func, regs, tracee):
    """The arguments that expect() was told, by the sizes of their types."""
    words = [regs[reg] for reg in ARGS]
    words += [tracee.read(regs[SP] + 8 * (i + (not ARM64)), 8) for i in range(6)]
    ret = []
    for ref in btf.type(btf.type(func).ref).words[1::2]:
        size = inline_btf.size_of(btf, ref)
        val = 0
        for i in range(0, size, 8):
            val |= words.pop(0) << 8 * i
        ret.append(val & ((1 << 8 * size) - 1))
    return ret


def c_string(tracee, addr):
    text = b""
    while not text.endswith(b"\0"):
        text += tracee.read(addr + len(text), 1).to_bytes(1, "little")
    return text[:-1].decode()


def compare(name, want, have, inexact, failures):
    """How many values were compared."""
    if len(want) != len(have):
        if not inexact:
            failures.append(f"{name}: {len(want)} calls, {len(have)} hits")
        return 0
    nr = 0
    for args, (where, found) in zip(want, have):
        for i, (arg, val) in enumerate(zip(args, found)):
            nr += val is not None
            if val not in (None, arg):
                failures.append(f"{name} at {where:#x}: argument {i} is {arg:#x}, not {val:#x}")
    return nr


def main():
    program, path, base = sys.argv[1:]
    symbols = {f[2]: int(f[0], 16) for f in map(str.split, subprocess.check_output(
        ["nm", program], text=True).splitlines()) if len(f) == 3}
    btf = inline_btf.read(path, inline_btf.read(base))
    text = {f[0]: int(f[2], 16) for f in (line.split("]", 1)[-1].split() for line in
            subprocess.check_output(["readelf", "-SW", program], text=True).splitlines())
            if len(f) > 3 and f[0].startswith(".")}
    tracee = Tracee(program)
    at = collections.defaultdict(list)
    for site in inline_btf.sites(btf) + inline_btf.entries(btf):
        at[text[site.section] + site.offset].append(site)
        tracee.stop_at(text[site.section] + site.offset)
    tracee.stop_at(symbols["expect"])
    ids = {btf.name(site.func): site.func for sites in at.values() for site in sites}
    want, have = collections.defaultdict(list), collections.defaultdict(list)
    for regs in tracee.stops():
        if regs[PC] == symbols["expect"]:
            name = c_string(tracee, regs[FIRST])
            if name in ids:
                want[name].append(expected(btf, ids[name], regs, tracee))
        for site in at[regs[PC]]:
            have[btf.name(site.func)].append((regs[PC], [
                value(inline_btf.place(btf, loc), tracee, regs, symbols["_text"])
                for loc in btf.type(site.proto).words]))
    failures = []
    inexact = {btf.name(site.func) for sites in at.values() for site in sites if site.inexact}
    # other entries are of libc's functions, and of those that share a name
    told = {btf.name(site.func) for site in inline_btf.sites(btf)} | set(want)
    nr = sum(compare(name, want[name], have[name], name in inexact, failures)
             for name in told)
    print(f"{len(ids)} functions, {sum(map(len, have.values()))} hits, {nr} values")
    for failure in failures:
        print(failure)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
