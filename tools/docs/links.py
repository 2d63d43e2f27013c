#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Does each link in these files lead somewhere?

usage: links.py FILE.md...

Looks at links to files, which must exist, and to headings, which the file must have; the web
isn't asked. Prints those that lead nowhere; status 1 if there are any.
"""
import os
import sys

sys.dont_write_bytecode = True		# the source folder stays as it is
import markdown  # pylint: disable=wrong-import-position


def prose_of(path):
    with open(path, encoding="utf-8") as file:
        return markdown.split(file.read())[0]


def complaint(path, link):
    """What is wrong with a link in this file, or None."""
    target, _, anchor = link.partition("#")
    file = os.path.join(os.path.dirname(path), target) if target else path
    if target.startswith("/") or not os.path.exists(file):
        return "no such file"
    if anchor and (not file.endswith(".md") or anchor not in markdown.anchors(prose_of(file))):
        return "no such heading"
    return None


def main():
    status = 0
    for path in sys.argv[1:]:
        for link in markdown.links(prose_of(path)):
            wrong = "://" not in link and not link.startswith("mailto:") and complaint(path, link)
            if wrong:
                print(f"{path}: {link}: {wrong}")
                status = 1
    return status


sys.exit(main())
