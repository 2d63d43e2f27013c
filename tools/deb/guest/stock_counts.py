#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares what fentry does at function entries on a stock kernel with the kernel itself.

usage: stock_counts.py counts SCRIPT
       stock_counts.py bloom [FD]

counts: takes 200 functions that a trampoline can't reach, and compares fentry's counts with those
of kprobes by hand, while a process runs SCRIPT. Then it attaches to all functions of these kinds.
Functions are left out of BTF, false in it, ambiguous, or renamed: kallsyms, BTF and "fentry list
--false" say which. Each kind in turn gets an equal share of what is left of the 200, and gives
first those names that the function tracer sees while a process runs SCRIPT, then others, by name.
Either side may miss a hit in an interrupt that comes while a probe is handled, and says so.

bloom: makes a bloom filter of 500 values, and asks for each while fentry traces the filter's
hash(). What is pushed and asked under the same wrong hash would fit.

Prints TAP lines. $FENTRY and $INLINED are as for the selftests.
"""
import collections
import ctypes
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parents[2] / "lib"), str(HERE.parents[1] / "regcheck")]
# pylint: disable=wrong-import-position
import btf
import inlined_counts as counts
from tap import Tap

RENAMED = re.compile(r"\.(?:isra|constprop|part)\.\d+")
PICKED = 200
BPF = 280 if os.uname().machine == "aarch64" else 321
BLOOM, VALUES = 30, 500
MAP_CREATE, MAP_LOOKUP, MAP_UPDATE = 0, 1, 2


def bloom(fd):
    """Pushes values of 4 bytes, which a filter with 3 hashes must all have; or asks for them."""
    libc = ctypes.CDLL(None, use_errno=True)

    def bpf(command, attributes):
        buffer = ctypes.create_string_buffer(attributes, 128)
        return libc.syscall(BPF, command, buffer, 128)

    command = MAP_UPDATE if fd is None else MAP_LOOKUP
    if fd is None:
        fd = bpf(MAP_CREATE, struct.pack("<5I44xQ", BLOOM, 0, 4, VALUES, 0, 3))
    if fd < 0:
        sys.exit(f"no bloom filter: {os.strerror(ctypes.get_errno())}")
    value = ctypes.create_string_buffer(4)
    denied = 0
    for number in range(VALUES):
        value[:] = struct.pack("<I", number * 2654435761 % 2**32)
        denied += bool(bpf(command, struct.pack("<I4xQQQ", fd, 0, ctypes.addressof(value), 0)))
    if command == MAP_LOOKUP:
        print(f"{'not ' * bool(denied)}ok - the filter denies {denied} of {VALUES} values")
        return
    subprocess.run(["fentry", "trace", "hash", "--count", "--", sys.argv[0], "bloom", str(fd)],
                   pass_fds=[fd], check=False)


def base_names():
    path = "/sys/kernel/btf/vmlinux"
    types = btf.Btf(path, pathlib.Path(path).read_bytes())
    return {types.func_name(func) for func in types.func_ids}


def kinds(symbols, traceable, false):
    """Returns the names of each kind. A name is of one kind only."""
    known = base_names()
    found = {"left out": [], "false": sorted(false & traceable), "ambiguous": [], "renamed": []}
    for name in sorted(traceable - false):
        if len(symbols.by_name[name]) > 1:
            found["ambiguous"].append(name)
        elif RENAMED.search(name):
            found["renamed"].append(name)
        elif name not in known:
            found["left out"].append(name)
    return found


def called(names, script):
    """Returns those of the names that the function tracer sees while a process runs the script."""
    (counts.TRACING / "set_ftrace_filter").write_text("\n".join(names) + "\n")
    write = counts.Kprobes.write
    workload = counts.Workload(script)
    workload.wait_asleep()
    write("buffer_size_kb", str(counts.BUFFER_KB))
    write("set_ftrace_pid", str(workload.pid))
    write("current_tracer", "function")
    workload.run()
    with open(counts.TRACING / "trace", encoding="ascii", errors="replace") as trace:
        found = {line.split(": ", 1)[1].split(" <-")[0] for line in trace if " <-" in line}
    write("current_tracer", "nop")
    write("set_ftrace_filter", "")
    write("set_ftrace_pid", "")
    workload.end()
    return found


def listed(option):
    output = subprocess.run([*counts.FENTRY, "list", option, "--json"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output)


def leave_out_refused(symbols, found):
    """Prints why names are refused altogether: one of them would end a trace of all."""
    rows = collections.defaultdict(list)
    for row in listed("--untraceable"):
        rows[row["function"]].append(row["reason"])
    reasons = collections.Counter()
    for kind, names in found.items():
        refused = [name for name in names if len(rows[name]) >= len(symbols.by_name[name])]
        reasons.update(f"{kind}: {rows[name][0]}" for name in refused)
        found[kind] = [name for name in names if name not in refused]
    for reason, count in reasons.most_common():
        print(f"# refused: {count} {reason}"[:300])


def pick(found, reached):
    """Returns the names of each kind that are traced."""
    picked, left = {}, PICKED
    for i, (kind, names) in enumerate(found.items()):
        names = sorted(names, key=lambda name: (name not in reached, name))
        picked[kind] = names[:left // (len(found) - i)]
        left -= len(picked[kind])
    return picked


def start(names, pid):
    """Starts a trace of all symbols of these names."""
    return counts.Fentry([counts.glob(name) for name in names], pid, [])


def print_refusals(said):
    """Prints how many functions were refused for each reason, and returns how many were."""
    reasons = collections.Counter(line.split(": ", 2)[2] for line in said
                                  if line.startswith("fentry: can't trace "))
    for reason, count in reasons.items():
        print(f"# refused: {count}: {reason}"[:300])
    return sum(reasons.values())


def compare(tap, symbols, picked, script):
    workload = counts.Workload(script)
    workload.wait_asleep()
    names = sum(picked.values(), [])
    traced = start(names, workload.pid)
    kprobes = counts.Kprobes(set().union(*(symbols.by_name[name] for name in names)), workload.pid)
    workload.run()
    hits = {addr: count for row in traced.counts().values() for addr, count in row.items()}
    by_hand = kprobes.counts()
    refused = [line for line in traced.said if line.startswith("fentry: can't trace ")]
    functions = with_hits = less = 0
    for kind, of_kind in picked.items():
        wrong = []
        for name, addr in ((name, addr) for name in of_kind for addr in symbols.by_name[name]):
            if addr not in hits and any(name in line.split() for line in refused):
                continue
            functions += addr in by_hand
            with_hits += by_hand.get(addr, 0) > 0
            less += max(by_hand.get(addr, 0) - hits.get(addr, 0), 0)
            if not kprobes.agree(addr, hits.get(addr), by_hand.get(addr)):
                wrong.append(f"{name}: {hits.get(addr)}, {by_hand.get(addr)} by hand")
        tap.report(not wrong, f"{kind}: counts of {len(of_kind)} names equal kprobes'", wrong)
    tap.report(functions >= PICKED and with_hits >= PICKED // 2,
               f"{with_hits} of {functions} had hits")
    missed = sum(map(int, re.findall(r"fentry: (\d+) calls came while", "\n".join(traced.said))))
    is_counted = tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 7)
    tap.report(less <= missed or not is_counted,
               f"fentry has {less} hits less, and says that {missed} were missed")
    print_refusals(traced.said)
    workload.end()
    kprobes.remove()


def sweep(tap, found):
    """Attaches to all functions of all kinds. Each that isn't traced must be refused by name."""
    names = [name for of_kind in found.values() for name in of_kind]
    traced = start(names, os.getpid())
    rows = sum(len(row) for row in traced.counts().values())
    tap.report(rows >= len(names) // 2, f"sweep: {rows} functions of {len(names)} names traced, "
               f"{print_refusals(traced.said)} refused", traced.said[-5:])


def main():
    if sys.argv[1:2] == ["bloom"]:
        bloom(int(sys.argv[2]) if len(sys.argv) > 2 else None)
        return
    tap = Tap()
    symbols = counts.Symbols()
    false = {row["function"] for row in listed("--false")}
    patched = {line.split()[0] for line in (counts.TRACING / "available_filter_functions")
               .read_text().splitlines() if "[" not in line}
    found = kinds(symbols, patched & symbols.by_name.keys(), false)
    leave_out_refused(symbols, found)
    reached = called(sum(found.values(), []), sys.argv[2])
    print(f"# {', '.join(f'{len(n)} {k}' for k, n in found.items())}; {len(reached)} are called")
    compare(tap, symbols, pick(found, reached), sys.argv[2])
    sweep(tap, found)


if __name__ == "__main__":
    main()
