#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Does each link in these files lead to a file, and to a heading that the file has?

usage: links.py FILE.md...

Prints the links that lead nowhere; status 1 if there are any. Links to the web aren't checked.
"""
import os
import re
import sys

FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^    .*$|`[^`]+`", re.MULTILINE)
LINK = re.compile(r"(?:\]\(\s*|^\[[^\]]+\]:\s*)([^)\s]+)", re.MULTILINE)
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8") as file:
        return FENCED.sub("", file.read())


def anchors(text):
    """The names that GitHub gives to the headings."""
    seen = []
    for heading in HEADING.findall(text):
        words = re.sub(r"\]\([^)]*\)|[^\w\- ]", "", heading).lower().replace(" ", "-")
        yield f"{words}-{seen.count(words)}" if words in seen else words
        seen.append(words)


def complaint(path, link):
    """What is wrong with a link in this file, or None."""
    target, _, anchor = link.partition("#")
    file = os.path.join(os.path.dirname(path), target) if target else path
    if target.startswith("/") or not os.path.exists(file):
        return "no such file"
    if anchor and (not file.endswith(".md") or anchor not in anchors(read(file))):
        return "no such heading"
    return None


wrong = [f"{path}: {link}: {complaint(path, link)}"
         for path in sys.argv[1:] for link in LINK.findall(CODE.sub("", read(path)))
         if "://" not in link and not link.startswith("mailto:") and complaint(path, link)]
print(*wrong, sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))
