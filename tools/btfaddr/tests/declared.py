#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""declared.py DUMP RAW SOURCE... - compare source: tags with the text of the sources.

DUMP is what btfaddr --dump prints of the functions, with base types spelled as the sources do,
RAW bpftool's raw dump of the same BTF, which has the tags. A function must have a tag exactly
if its prototype isn't the definition in a SOURCE, and the tag must be that definition. A function
that is defined nowhere, because the compiler made it, must have none. Prints what is wrong.
"""
import re
import sys

# Parts of a definition that don't belong to the function's type.
NOT_TYPE = re.compile(r"\b(?:static|inline|extern|noinline|init_text)\b\s*"
                      r"|__attribute__\s*\(\(.*?\)\)+\s*|\s*\btag\(\"\w*\"\)")
NOT_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|^#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)


def definitions(text):
    """The text before each function body, unchanged."""
    head, braces, parentheses = "", 0, 0
    for char in text:
        parentheses += (char == "(") - (char == ")")
        if not parentheses:
            braces += (char == "{") - (char == "}")
        if not parentheses and char == "{" and braces == 1 and head.rstrip().endswith(")"):
            yield head
        if not parentheses and char in "{};" or braces:
            head = ""
        else:
            head += char


def read_declarations(paths):
    """name -> (path, declaration) of each function of that name that the files define."""
    declared = {}
    for path in paths:
        with open(path, encoding="utf-8") as source:
            text = NOT_CODE.sub("", source.read())
        for head in definitions(text):
            declaration = " ".join(NOT_TYPE.sub("", head).split())
            # an array that is a parameter is a pointer
            declaration = re.sub(r"(\w+)\[\w*\](?=[,)])", r"*\1", declaration)
            name = re.search(r"(\w+)\(", declaration).group(1)
            declared.setdefault(name, []).append((path, declaration))
    return declared


def read_tags(path):
    with open(path, encoding="utf-8") as raw:
        return {int(type_id): tag for tag, type_id in
                re.findall(r"DECL_TAG 'source:(.*)' type_id=(\d+) component_idx=-1", raw.read())}


def is_right(declared, name, unit, prototype, tag):
    """Does a function have the tag that it must have, or none where it must have none?"""
    base = name.split(".")[0]
    found = {declaration for path, declaration in declared.get(base, ())
             if unit == "-" or path.endswith(unit.split("/src/")[-1]) or path.endswith(".h")}
    if not found or re.sub(rf"\b{re.escape(name)}\(", base + "(", prototype) in found:
        return tag is None
    return tag in found


def main():
    dump, raw, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
    declared, tags, bad = read_declarations(sources), read_tags(raw), 0
    with open(dump, encoding="utf-8") as lines:
        for line in lines:
            _, type_id, unit, prototype = line.rstrip(";\n").split("\t")
            # in the dump, the second type of a name has a number; in the source it has none
            prototype = re.sub(r"___\d+", "", prototype)
            name = re.search(r"([\w.]+)\(", prototype).group(1)
            tag = tags.pop(int(type_id), None)
            if not is_right(declared, name, unit, prototype, tag):
                print(f"{prototype}: wrong tag: {tag}")
                bad += 1
    for tag in tags.values():
        print(f"on nothing: {tag}")
    sys.exit(1 if bad or tags else 0)


if __name__ == "__main__":
    main()
