#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Finds inlined calls by llvm-dwarfdump, which shares no code with btfaddr.

usage: inline_witness.py FILE [SYMBOL]
       inline_witness.py compare WITNESS <SITES

FILE has DWARF. Prints JSON: {"NAME": [OFFSET, ...], ...}, with the offset of the first instruction
of each inlined call of a function of this name in .text. Offsets count from SYMBOL, or
else from the section's beginning, as in modules. "compare" compares WITNESS with SITES, the output
of "tools/btfaddr/tests/inline_btf.py sites" for btfaddr's file.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

# Only entries of these kinds matter: they say where code is.
KINDS = "subprogram|inlined_subroutine|lexical_block|label|call_site|GNU_call_site|compile_unit"
WANTED = (rf"DW_TAG_({KINDS})$|DW_AT_(abstract_origin|low_pc|ranges|entry_pc)[[:space:]]"
          r"|^ +\[0x[0-9a-f]+, 0x")
ORIGIN = re.compile(r'DW_AT_abstract_origin\s+\(0x[0-9a-f]+ "([^"]*)"\)')
NUMBER = re.compile(r"[\[(]0x([0-9a-f]+)")


def dump_lines(path):
    """Yields the lines of the dump that matter: grep is far quicker than Python."""
    tool = shutil.which("llvm-dwarfdump-19") or shutil.which("llvm-dwarfdump")
    if not tool:
        sys.exit("needs llvm-dwarfdump")
    with subprocess.Popen([tool, "--debug-info", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as dump, \
            subprocess.Popen(["grep", "-E", WANTED], stdin=dump.stdout, text=True,
                             stdout=subprocess.PIPE, env=dict(os.environ, LC_ALL="C")) as grep:
        dump.stdout.close()
        yield from grep.stdout
    if dump.returncode:
        sys.exit(f"{tool} failed on {path}")


def entry(values):
    """Returns the first instruction (DWARF 5, 2.18); None if there is no code."""
    base = values.get("low_pc", values["ranges"][0] if values["ranges"] else None)
    first = values.get("entry_pc", base)
    # a small constant counts from the base
    return first + base if base is not None and first is not None and first < base else first


def entries(lines):
    """Yields (kind, name, values) of each function and inlined call."""
    values, kind, name = {}, None, ""
    for line in lines:
        if "DW_TAG_" in line:
            if kind:
                yield kind, name, values
            values, name = {"ranges": []}, ""
            kind = line.split("DW_TAG_")[1].strip()
            kind = kind if kind in ("subprogram", "inlined_subroutine") else None
            continue
        if not kind:
            continue
        if "abstract_origin" in line:
            # later ones belong to parameters
            origin = ORIGIN.search(line)
            name = name or (origin.group(1) if origin else "")
        elif line.lstrip().startswith("["):
            values["ranges"].append(int(NUMBER.search(line).group(1), 16))
        elif "DW_AT_ranges" not in line:
            key = re.search(r"DW_AT_(\w+)", line).group(1)
            values.setdefault(key, int(NUMBER.search(line).group(1), 16))


def run(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def text_section(path):
    """Where .text begins and ends."""
    found = re.search(r"\] \.text +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)",
                      run("readelf", "-SW", path))
    start, size = (int(number, 16) for number in found.groups())
    return start, start + size


def compare(path):
    with open(path, encoding="utf-8") as file:
        want = {name: set(offsets) for name, offsets in json.load(file).items()}
    found = collections.defaultdict(set)
    for site in map(json.loads, sys.stdin):
        found[site["func"].split(".")[0]].add(site["offset"])
    wrong = [name for name in want.keys() | found if want.get(name) != found.get(name)]
    print(f"{len(want)} functions have {sum(map(len, want.values()))} places; of {len(wrong)} "
          "llvm-dwarfdump and btfaddr have others")
    for name in wrong[:10]:
        print(f"{name}: {sorted(want.get(name, ()))} and {sorted(found.get(name, ()))}"[:300])
    sys.exit(1 if wrong else 0)


def main():
    path, *symbol = sys.argv[1:]
    if path == "compare":
        compare(symbol[0])
    start, end = text_section(path)
    symbols = [(name, int(addr, 16)) for addr, name in
               re.findall(r"^([0-9a-f]+) \w (\S+)$", run("nm", path), re.M)]
    base = dict(symbols)[symbol[0]] if symbol else start
    # in GCC's DWARF for arm64, functions begin behind the two nops that ftrace patches
    nops = (0, 8) if "AArch64" in run("readelf", "-h", path) else (0,)
    begins = {addr + size for _, addr in symbols for size in nops}
    sites = collections.defaultdict(set)
    has_symbol = False
    for kind, name, values in entries(dump_lines(path)):
        addr = entry(values)
        if addr is None:
            continue
        if kind == "subprogram":
            # without a symbol, this code is unused: the linker took another file's function
            has_symbol = any(part in begins for part in [addr, *values["ranges"]])
        elif has_symbol and name and start <= addr < end:
            sites[name].add(addr - base)
    json.dump({name: sorted(offsets) for name, offsets in sites.items()}, sys.stdout)


if __name__ == "__main__":
    main()
