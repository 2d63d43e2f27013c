#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Holds what fentry says of inlined calls against llvm-dwarfdump and kprobes that are put by hand.

usage: inlined_counts.py WITNESS SCRIPT --pick NUMBER
       inlined_counts.py WITNESS SCRIPT NAME... --module MODULE

WITNESS is by inline_witness.py. Its places of each function must be those that fentry explain has.
Then the functions are traced while a process runs SCRIPT, in Python. At each address of theirs in
WITNESS there is a kprobe, too, by tracefs: both must have the same number of hits by the process.
Prints TAP lines. $FENTRY and $INLINED are as for the selftests.

NUMBER functions are picked like this: a third has no symbol, a third has one, and a third has one
of a part that the compiler split off. Of each sort it is those with the most places, up to 40.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

TRACING = pathlib.Path("/sys/kernel/tracing")
GROUP = "by_hand"
BUFFER_KB = 32768
LIMIT = 1800				# seconds for fentry to detach
PLACES_MAX = 40				# of a function that is picked
FENTRY = [os.environ["FENTRY"], "--inline", os.environ["INLINED"]]


class Tap:
    """Numbers the results."""
    cnt = failed = 0

    def report(self, right, what, details=()):
        self.cnt += 1
        self.failed += not right
        print(f"{'ok' if right else 'not ok'} {self.cnt} - {what}", flush=True)
        for detail in [] if right else list(details)[:10]:
            print(f"# {detail}", flush=True)


def pick(witness, number):
    with open("/proc/kallsyms", encoding="ascii") as file:
        symbols = {line.split()[2] for line in file if line.split()[1] in "tT"}
    split = {name.split(".part.")[0] for name in symbols if ".part." in name}
    whole = symbols - split
    sorts = ([name for name in witness if name not in whole and name not in split],
             [name for name in witness if name in whole],
             [name for name in witness if name in split])
    picked = []
    for i, names in enumerate(reversed(sorts)):
        few = [name for name in names if len(witness[name]) <= PLACES_MAX]
        few.sort(key=lambda name: (-len(witness[name]), name))
        # if there are too few of a sort, others take their place
        picked += few[:(number - len(picked)) // (len(sorts) - i)]
    return picked


def base_address(module):
    if module:
        return int(pathlib.Path(f"/sys/module/{module}/sections/.text").read_text(), 16)
    with open("/proc/kallsyms", encoding="ascii") as file:
        return next(int(line.split()[0], 16) for line in file if line.split()[2] == "_text")


def explained(name, module, base):
    """What fentry explains of a name: offsets, and specifications."""
    output = subprocess.run([*FENTRY, "explain", f"{module}:{name}" if module else name, "--json"],
                            check=True, text=True, stdout=subprocess.PIPE).stdout
    places, specs = set(), set()
    for function in json.loads(output):
        calls = [call for call in function["inlined"] or () if call["address"]]
        if not calls:
            continue
        places |= {int(call["address"], 16) - base for call in calls}
        # what only an id tells apart is called NAME#ID
        spec = function["spec"]
        if "#" in spec and "id" in function:
            spec = f"{function['module']}:#{function['id']}"
        specs.add(spec)
    return places, specs


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
        """Not by open(), which seeks the end of what is appended to."""
        file = os.open(TRACING / path, os.O_WRONLY | flags)
        try:
            os.write(file, f"{text}\n".encode())
        finally:
            os.close(file)

    def counts(self):
        """Hits by address; ends the counting."""
        self.write(f"instances/{GROUP}/events/{GROUP}/enable", "0")
        hits = dict.fromkeys(self.by_event.values(), 0)
        for stats in self.instance.glob("per_cpu/cpu*/stats"):
            lost = re.findall(r"(?:overrun|dropped events): (\d+)", stats.read_text())
            if any(map(int, lost)):
                sys.exit("the trace buffer is too small")
        with open(self.instance / "trace", encoding="ascii", errors="replace") as trace:
            for line in trace:
                event = re.search(r": (at\d+): \(", line)
                if event:
                    hits[self.by_event[event.group(1)]] += 1
        return hits

    def remove(self):
        self.instance.rmdir()
        self.write("kprobe_events", "")


class Fentry:
    """A trace that counts the calls of specifications by a process."""

    def __init__(self, specs, pid):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            [*FENTRY, "trace", "--inlined", "--best-effort", "--max-sites", "100000", "--count",
             "-v", "--json", "--pid", str(pid), *specs],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = []
        for line in self.process.stderr:
            self.said.append(line.rstrip())
            if ": tracing " in line:
                return
        sys.exit("\n".join(self.said))

    def counts(self):
        """Hits by address of all places that have a probe; ends the trace."""
        self.process.send_signal(signal.SIGINT)
        output, said = self.process.communicate(timeout=LIMIT)
        self.said += said.splitlines()
        hits = collections.defaultdict(int)
        for row in json.loads(output):
            # a place may be of several functions
            address = int(row["address"], 16)
            hits[address] = max(hits[address], row["count"])
        return hits


def compare_places(tap, name, want, found):
    tap.report(want == found, f"{name}: {len(want)} places are those of llvm-dwarfdump",
               [f"{offset:#x} is missing" for offset in sorted(want - found)] +
               [f"{offset:#x} isn't in DWARF" for offset in sorted(found - want)])


def compare_counts(tap, traced, kprobes, witness, names, base):
    """Both have refused the same places, and have the same counts at others."""
    by_fentry, by_hand = traced.counts(), kprobes.counts()
    for name in names:
        addresses = [base + offset for offset in witness.get(name, ())]
        wrong = [address for address in addresses
                 if by_fentry.get(address) != by_hand.get(address)]
        probed = [address for address in addresses if address in by_hand]
        tap.report(not wrong, f"{name}: {sum(by_hand[a] for a in probed)} hits at {len(probed)} of "
                   f"{len(addresses)} places are those of kprobes by hand",
                   [f"{address:#x}: {by_fentry.get(address)}, and {by_hand.get(address)} by hand"
                    for address in wrong] + traced.said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("witness")
    parser.add_argument("script")
    parser.add_argument("--module")
    parser.add_argument("--pick", type=int)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    tap = Tap()
    base = base_address(args.module)
    with open(args.witness, encoding="utf-8") as file:
        witness = json.load(file)
    specs = set()
    args.names = pick(witness, args.pick) if args.pick else args.names
    for name in args.names:
        places, its_specs = explained(name, args.module, base)
        compare_places(tap, name, set(witness.get(name, ())), places)
        specs |= its_specs
    workload = Workload(args.script)
    workload.wait_asleep()
    traced = Fentry(sorted(specs), workload.pid)
    kprobes = Kprobes({base + offset for name in args.names for offset in witness.get(name, ())},
                      workload.pid)
    workload.run()
    compare_counts(tap, traced, kprobes, witness, args.names, base)
    workload.end()
    kprobes.remove()
    print(f"1..{tap.cnt}")
    sys.exit(1 if tap.failed else 0)


if __name__ == "__main__":
    main()
