#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Do fentry's help and its man page have the same synopsis, and each command the same options?
Do the examples in both have options of their command?

usage: help_and_page.py FENTRY MAN-PAGE

Prints what differs; status 1 if anything does. In the man page's synopsis, [OPTIONS] stands for
all of them. An option of several commands is described at one of them; the others name it.
"""
import re
import subprocess
import sys

OPTION = r"\[(--?%s[a-z-]*)(?: ([^\]]*))?\](?:\.\.\.)?"


def plain(line):
    """A line of the man page's source, as it is printed."""
    macro, _, rest = line.partition(" ")
    if re.fullmatch(r"\.[BIR]{1,2}", macro):
        words = [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', rest)]
        line = ("" if len(macro) == 3 else " ").join(words)
    return re.sub(r"\\f.|\\&|\\", "", line).replace(" [ARG]", "")


def sections(page):
    """The lines of each section, by its title."""
    with open(page, encoding="utf-8") as file:
        parts = re.split(r"^\.S[SH] (.*)\n", file.read(), flags=re.MULTILINE)[1:]
    return {title.strip('"'): [plain(line) for line in text.splitlines()]
            for title, text in zip(parts[::2], parts[1::2])}


def usages(fentry):
    """The lines of the help's synopsis, each on one line."""
    text = subprocess.check_output([fentry, "help"], text=True).partition("\n\n")[0]
    lines = re.split(r"\n {7}(?=fentry )", text.removeprefix("usage: ").replace(" [ARG]", ""))
    return [re.sub(r"\s+", " ", line) for line in lines]


def options(usage, table):
    """The options of a command, with their arguments. The help's table knows long names."""
    long = dict(re.findall(r"^  (-\w), (--[a-z-]+)", table, re.MULTILINE))
    found = dict(re.findall(OPTION % "", usage))
    return found | {long[name]: arg for name, arg in found.items() if name in long}


def described(lines):
    """The options that a section of the man page lists, with their arguments."""
    found = {}
    for before, line in zip(lines, lines[1:]):
        if before in (".TP", ".TQ") and line.startswith("-"):
            arg = ""
            for item in reversed(line.split(", ")):
                name, _, own = item.partition(" ")
                arg = own or (arg if len(name) == 2 else "")	# -o has that of --output
                found[name] = arg
    return found


def compare(fentry, page):
    """Yields what differs."""
    parts, lines = sections(page), usages(fentry)
    synopsis = " ".join(parts["SYNOPSIS"]).split(" .br ")
    want = [re.sub(f" {OPTION % '[a-z]'}", " [OPTIONS]", line) for line in lines]
    want = [re.sub(r"( \[OPTIONS\])+", " [OPTIONS]", line) for line in want]
    if synopsis[:len(want)] != want:
        yield from (f"help: {a}; man page: {b}" for a, b in zip(want, synopsis) if a != b)
    examples = parts["EXAMPLES"]
    everywhere = {item for part in parts.values() for item in described(part).items()}
    for line in lines:
        command = line.split()[1]
        if command not in parts:
            continue
        table = subprocess.check_output([fentry, "help", command], text=True)
        has, says = options(line, table), described(parts[command])
        _, _, own = table.partition("\nExamples:\n")
        if own.count(f"  fentry {command} ") != 2:
            yield f"{command}: the help doesn't end with two examples"
        for example in examples + own.splitlines():
            if example.split()[:2] == ["fentry", command]:
                used = re.findall(r" (--?[a-z][a-z-]*)", example.partition(" -- ")[0])
                yield from (f"{example}: no option {name}" for name in used if name not in has)
        yield from (f"{command}: {name}: not in the man page" for name in has.keys() - says.keys()
                    if name.startswith("--") or (name, has[name]) not in everywhere)
        yield from (f"{command}: {name}: not in the help" for name in says.keys() - has.keys())
        yield from (f"{command}: {name} {has[name]}: '{says[name]}' in the man page"
                    for name in has.keys() & says.keys()
                    if says[name] != has[name]
                    if says[name] or (name, has[name]) not in everywhere)


wrong = list(compare(*sys.argv[1:3]))
print(*wrong, sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))
