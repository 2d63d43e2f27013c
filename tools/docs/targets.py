#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Does each target exist that these files say to make?

usage: targets.py REPOSITORY FILE...

Looks at the code in the prose and in blocks, for calls of make in the repository's folder or,
with -C, in one below it. What follows a "cd" in a block is for another tree. Prints the targets
that the Makefile lacks; status 1 if there are any.
"""
import functools
import os
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True		# the source folder stays as it is
import markdown  # pylint: disable=wrong-import-position

# The kernel tree's: what selftests/Makefile includes from there, which need not be there yet,
# and what its own Makefile does.
OF_THE_KERNEL = {"run_tests", "modules_install"}
VARIABLE = re.compile(r"^\w+\+?=")
NAME = re.compile(r"^[a-z][\w./-]*$")


@functools.cache
def targets_of(folder):
    """What the Makefile of a folder can make, as make itself says."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "BUILD"))}
    text = subprocess.run(["make", "-C", folder, "-npRrq", ":"], env=env, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    text = re.sub(r"^# Not a target:\n.*$", "", text, flags=re.MULTILINE)
    return set(re.findall(r"^([a-z][\w./-]*):", text, flags=re.MULTILINE)) | OF_THE_KERNEL


def commands(line):
    """The commands of a line of shell, each a list of words; those in quotes, too."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:			# prose that only looks like it
        return
    command = []
    for word in words + [";"]:
        if word in (";", "&&", "||", "|", "&", "$", "#", "--"):
            yield command
            command = []
            continue
        if "make " in word:
            yield from commands(word)
        command.append(word.rstrip(";"))


def made(command):
    """The folder and the targets of a call of make; None if it is another command."""
    while command and VARIABLE.match(command[0]):
        command = command[1:]
    if command[:1] != ["make"]:
        return None
    folder, targets, words = ".", [], iter(command[1:])
    for word in words:
        if word == "-C":
            folder = next(words, "")
        elif NAME.match(word):
            targets.append(word)
    return folder, targets


def lines(path):
    """Each line of shell that is for this repository."""
    with open(path, encoding="utf-8") as file:
        prose, blocks = markdown.split(file.read())
    yield from markdown.spans(prose)
    for block in blocks:
        for line in block:
            if line.startswith("cd "):
                break
            yield line


def main():
    status = 0
    for path in sys.argv[2:]:
        for line in lines(path):
            for folder, targets in filter(None, map(made, commands(line))):
                known = targets_of(os.path.join(sys.argv[1], folder))
                for target in targets:
                    if target not in known:
                        print(f"{path}: make {target}: {folder}/Makefile has no such target")
                        status = 1
    return status


sys.exit(main())
