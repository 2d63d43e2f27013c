#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares fentry's counts of inlined functions with those of kprobes by hand.

usage: inlined_counts.py WITNESS SCRIPT --pick NUMBER [--called NUMBER]

inline_witness.py writes WITNESS. fentry traces functions with --inlined while a process runs
SCRIPT, in Python. Meanwhile kprobes of tracefs are at the functions' symbols, and at their places
in WITNESS. fentry must have the same places, with the same number of hits by the process. Half of
the functions must be called, or --called NUMBER. Prints TAP lines. $FENTRY and $INLINED are as for
the selftests.

--pick takes a third of its functions from those without a symbol, a third from those with one, and
a third from those of which the compiler made a part or a copy. It prefers functions with the most
places in system calls and their callees, by names of symbols, and takes none with more than 20
places. Without the series, BTF may lack functions with several symbols, so it takes none of them.
"""
import argparse
import bisect
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True		# write nothing into the source folder
from tap import Tap  # pylint: disable=wrong-import-position

TRACING = pathlib.Path("/sys/kernel/tracing")
GROUP = "by_hand"
BUFFER_KB = 32768
LIMIT = 1800				# seconds for fentry to detach
PLACES_MAX = 20				# of a function that is picked
SYMBOLS_MAX = 2				# the same, as many links take time
FENTRY = [os.environ["FENTRY"], "--functions", os.environ["INLINED"]]
PART = re.compile(r"\.(?:part|constprop)\.\d")
COPY = re.compile(r"\.(?:isra|constprop|llvm)\.\d+$")
# Names of functions that a workload reaches begin like this.
REACHED = re.compile("__(?:x|arm)64_sys_|ksys_|do_|vfs_|path_|filename_|link_path|lookup_|simple_|"
                     "shmem_|tcp_|inet_|ip_|sock_|__sys_|unix_|pipe_|ep_|copy_|mmap_|handle_mm|"
                     "filemap_")


class Symbols:
    """Text symbols of vmlinux."""

    def __init__(self):
        self.by_name, self.all = collections.defaultdict(set), []
        with open("/proc/kallsyms", encoding="ascii") as file:
            for line in file:
                addr, kind, name, *of = line.split()
                if kind in "tTwW" and not of:
                    self.by_name[name].add(int(addr, 16))
                    self.all.append((int(addr, 16), name))
        self.all.sort()
        self.parts = {PART.split(name)[0] for name in self.by_name if PART.search(name)}
        self.copies = collections.defaultdict(list)
        # BTF lacks a copy that ftrace can't patch, and fentry doesn't know its name
        patched = {line.split()[0] for line in
                   (TRACING / "available_filter_functions").read_text().splitlines()}
        for name in self.by_name:
            if COPY.search(name) and ".part." not in name and name in patched:
                self.copies[name.split(".")[0]].append(name)

    def at(self, addr):
        return self.all[bisect.bisect_right(self.all, (addr, "~")) - 1][1]

    def names(self, base):
        """Symbols that are a whole function of this name."""
        return [base] * (base in self.by_name) + self.copies[base]


def is_known(name, symbols):
    """Does BTF have all of the kernel's functions of this name?"""
    return os.path.exists("/proc/kallsyms_btf") or (
        not symbols.copies.get(name) and len(symbols.by_name.get(name, ())) < 2)


def pick(witness, number, symbols, base):
    sizes = {name: len(places) + (0 if len(symbols.names(name)) <= SYMBOLS_MAX else PLACES_MAX)
             for name, places in witness.items()}
    few = [name for name in witness if sizes[name] <= PLACES_MAX and is_known(name, symbols)]
    reached = {name: sum(bool(REACHED.match(symbols.at(base + place))) for place in witness[name])
               for name in few}
    few.sort(key=lambda name: (-reached[name], name))
    sorts = ([name for name in few if name in symbols.parts],
             [name for name in few if name in symbols.by_name and name not in symbols.parts],
             [name for name in few if not symbols.names(name) and name not in symbols.parts])
    picked = []
    for i, names in enumerate(sorts):
        # if there are too few of a sort, others take their place
        picked += names[:(number - len(picked)) // (len(sorts) - i)]
    return picked


class Workload:
    """A process that runs a script when it is told to, and then waits."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            code = compile(file.read(), path, "exec")
        begin, self.begin = os.pipe()
        self.done, done = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(begin)
            os.close(done)
            return
        os.close(self.begin)
        os.close(self.done)
        os.read(begin, 1)
        exec(code, {})  # pylint: disable=exec-used
        os.write(done, b"x")
        os.read(begin, 1)
        os._exit(0)

    def wait_asleep(self):
        stat = pathlib.Path(f"/proc/{self.pid}/stat")
        while ") S " not in stat.read_text():
            time.sleep(0.05)

    def run(self):
        os.write(self.begin, b"x")
        if os.read(self.done, 1) != b"x":
            sys.exit("the workload failed")
        self.wait_asleep()

    def end(self):
        os.close(self.begin)
        os.waitpid(self.pid, 0)


class Kprobes:
    """Kprobes at addresses, of which hits by one process are counted."""

    def __init__(self, addresses, pid):
        self.by_event, self.refused = {}, set()
        self.in_interrupts, self.missed = collections.Counter(), {}	# hits, by address
        for i, address in enumerate(sorted(addresses)):
            try:
                self.write("kprobe_events", f"p:{GROUP}/at{i} {address:#x}", os.O_APPEND)
                self.by_event[f"at{i}"] = address
            except OSError:
                self.refused.add(address)
        self.instance = TRACING / "instances" / GROUP
        self.instance.mkdir()
        self.write(f"instances/{GROUP}/buffer_size_kb", str(BUFFER_KB))
        self.write(f"instances/{GROUP}/options/overwrite", "0")
        self.write(f"instances/{GROUP}/events/{GROUP}/filter", f"common_pid == {pid}")
        self.write(f"instances/{GROUP}/events/{GROUP}/enable", "1")

    @staticmethod
    def write(path, text, flags=os.O_TRUNC):
        """Doesn't use open(), which seeks to the end of the file for appending."""
        file = os.open(TRACING / path, os.O_WRONLY | flags)
        try:
            os.write(file, f"{text}\n".encode())
        finally:
            os.close(file)

    def counts(self):
        """Hits by address; ends the counting."""
        self.write(f"instances/{GROUP}/events/{GROUP}/enable", "0")
        hits = dict.fromkeys(self.by_event.values(), 0)
        for line in (TRACING / "kprobe_profile").read_text().splitlines():
            self.missed[self.by_event[line.split()[0]]] = int(line.split()[2])
        for stats in self.instance.glob("per_cpu/cpu*/stats"):
            lost = re.findall(r"(?:overrun|dropped events): (\d+)", stats.read_text())
            if any(map(int, lost)):
                sys.exit("the trace buffer is too small")
        with open(self.instance / "trace", encoding="ascii", errors="replace") as trace:
            for line in trace:
                # the third of the flags says which context it is
                event = re.search(r"\] ..(.)\S+ +[\d.]+: (at\d+): \(", line)
                if event:
                    hits[self.by_event[event.group(2)]] += 1
                    self.in_interrupts[self.by_event[event.group(2)]] += event.group(1) != "."
        return hits

    def agree(self, address, ours, by_hand):
        """May a program have counted ours? No probe is handled in an interrupt of another."""
        if ours is None or by_hand is None:
            return ours == by_hand
        return by_hand - self.in_interrupts[address] <= ours <= by_hand + self.missed[address]

    def remove(self):
        self.instance.rmdir()
        self.write("kprobe_events", "")


class Fentry:
    """A trace that counts the calls of specifications by a process."""

    def __init__(self, specs, pid, options=("--inlined", "--best-effort")):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            [*FENTRY, "trace", *options, "--count", "-v", "--json", "--pid", str(pid), *specs],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = []
        for line in self.process.stderr:
            self.said.append(line.rstrip())
            if ": tracing " in line:
                return
        sys.exit("\n".join(self.said))

    def counts(self):
        """Ends the trace; returns hits by function and address of each probe or program."""
        self.process.send_signal(signal.SIGINT)
        output, said = self.process.communicate(timeout=LIMIT)
        self.said += said.splitlines()
        hits = collections.defaultdict(dict)
        for row in json.loads(output):
            # "module:name@unit in caller, file:line"
            name = re.match(r"(?:\w+:)?(\w+)", row["function"]).group(1)
            hits[name][int(row["address"], 16)] = row["count"]
        return hits


def compare(tap, name, traced, by_hand, kprobes, places, symbols):
    """Both must refuse the same places, and have the same counts at others."""
    want = {address: by_hand[address] for address in places | symbols if address in by_hand}
    wrong = [address for address in want.keys() | traced
             if not kprobes.agree(address, traced.get(address), want.get(address))]
    tap.report(not wrong, f"{name}: {sum(want.values())} hits at {len(want)} of "
               f"{len(places | symbols)} places are those of kprobes by hand",
               [f"{address:#x}: {traced.get(address)}, and {want.get(address)} by hand"
                for address in wrong])
    return sum(want.values()) > 0


def glob(name):
    """A specification of all symbols of this name."""
    return f"[{name[0]}]{name[1:]}"


def specs_of(name, symbols):
    """Returns globs, since several functions may have the name; a copy's finds its source, too."""
    copies = symbols.copies[name]
    return [glob(spec) for spec in copies + [name] * (not copies or name in symbols.by_name)]


def seen_symbols(name, symbols, said):
    """Returns the addresses of functions of this name, except those that fentry can't trace."""
    return {address for symbol in symbols.names(name) for address in symbols.by_name[symbol]
            if not any(re.match(rf"fentry: can't trace .*\b{re.escape(symbol)}\b", line)
                       for line in said)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("witness")
    parser.add_argument("script")
    parser.add_argument("--pick", type=int, required=True)
    parser.add_argument("--called", type=int)
    args = parser.parse_args()
    tap = Tap()
    print("TAP version 13")
    symbols = Symbols()
    base = min(symbols.by_name["_stext"])
    with open(args.witness, encoding="utf-8") as file:
        witness = json.load(file)
    names = pick(witness, args.pick, symbols, base)
    workload = Workload(args.script)
    workload.wait_asleep()
    traced = Fentry([spec for name in names for spec in specs_of(name, symbols)], workload.pid)
    places = {name: {base + place for place in witness.get(name, ())} for name in names}
    itself = {name: seen_symbols(name, symbols, traced.said) for name in names}
    kprobes = Kprobes(set().union(*places.values(), *itself.values()), workload.pid)
    workload.run()
    by_fentry, by_hand = traced.counts(), kprobes.counts()
    hit = sum(compare(tap, name, by_fentry[name], by_hand, kprobes, places[name], itself[name])
              for name in names)
    for line in traced.said:
        print(f"# {line}"[:300])
    least = (len(names) + 1) // 2 if args.called is None else args.called
    tap.report(hit >= least, f"{hit} of {len(names)} functions were called")
    workload.end()
    kprobes.remove()
    print(f"1..{tap.cnt}")
    sys.exit(1 if tap.failed else 0)


if __name__ == "__main__":
    main()
