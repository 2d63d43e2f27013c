# SPDX-License-Identifier: GPL-2.0-only
"""Tables of figures, and their places in docs/figures.md.

Each table has its own place there, between two lines that are comments in Markdown:

    <!-- bench: NAME -->
    <!-- end: NAME -->

A benchmark prints its table and replaces the text between these lines. If a kernel has no place
there, its table is only printed.
"""
import datetime
import os
import re
import subprocess
import sys
import tempfile
import textwrap

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BUILD = os.environ.get("BUILD", f"{REPO}/build")
FILE = os.path.join(REPO, "docs/figures.md")


def in_vm(kernel, script, *options, why_not=None):
    """Runs a shell script in a VM with this bzImage. Returns its output, or None if that has the
    text why_not."""
    result = subprocess.run([f"{REPO}/tools/vm/run", "--build", BUILD, "--kernel", kernel, *options,
                             "--", script], stdout=subprocess.PIPE, text=True, check=False)
    if why_not and why_not in result.stdout:
        return None
    if result.returncode:
        sys.exit(f"bench: status {result.returncode} of the VM: {result.stdout.strip()}")
    return result.stdout


class Table:
    """A Markdown table whose columns are figures, except for the first one."""

    def __init__(self, *columns):
        self.lines = ["| " + " | ".join(columns) + " |",
                      "| --- |" + " ---: |" * (len(columns) - 1)]

    def row(self, *cells):
        """Adds a line of cells, which are text."""
        self.lines.append("| " + " | ".join(cells) + " |")

    def ratio(self, what, here, there, unit, ratio=None):
        """Adds a line with a figure of ours, the figure to compare it with, and their ratio."""
        self.row(what, f"{here:.2f} {unit}", f"{there:.2f} {unit}",
                 f"{here / there if ratio is None else ratio:.3f}")


def machine():
    """Returns the processor's name and the number of cores that this process may use."""
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        found = re.search(r"^model name\s*: (.*)$", cpuinfo.read(), re.MULTILINE)
    return f"{found[1] if found else 'unknown processor'}, {len(os.sched_getaffinity(0))} cores"


def kernel_version(vmlinux):
    """Returns the version of a kernel from the banner in its vmlinux."""
    with open(vmlinux, "rb") as file:
        found = re.search(rb"Linux version (\d\S*) ", file.read())
    return found[1].decode() if found else "of unknown version"


def replaced(text, name, section):
    """Returns the text with a new section in the named place; None if there is no such place."""
    start, end = f"<!-- bench: {name} -->\n", f"<!-- end: {name} -->\n"
    if text.count(start) != 1 or text.count(end) != 1 or text.index(start) > text.index(end):
        return None
    return text[:text.index(start)] + start + section + text[text.index(end):]


def store(path, text):
    """Replaces the file at once: even after a kill, readers see the old or the new one."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(path),
                                     prefix=".figures.", delete=False) as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(file.name, os.stat(path).st_mode & 0o777)
            os.rename(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def publish(name, what, table, file=FILE):
    """Prints a table and puts it into its place, and says what was measured, when and where."""
    today = datetime.date.today().isoformat()
    title = textwrap.fill(f"{what}. {machine()}; {today}.", 100, break_on_hyphens=False)
    section = "\n".join(["", title, "", *table.lines, "", ""])
    print(f"\n{name}\n{section}", end="", flush=True)
    with open(file, encoding="utf-8") as old:
        text = replaced(old.read(), name, section)
    if text is None:
        print(f"(docs/figures.md has no place for '{name}'.)", file=sys.stderr)
    else:
        store(file, text)


def publish_kernel(title, image, what, table):
    """Publishes a table about a kernel, whose folder ends the table's name. image: a vmlinux, or
    the bzImage beside one."""
    folder = os.path.dirname(os.path.abspath(image)).removesuffix("/arch/x86/boot")
    vmlinux = f"{folder}/vmlinux" if image.endswith("/bzImage") else image
    kernel = folder.removeprefix(REPO + "/")
    publish(f"{title} {kernel}", f"Linux {kernel_version(vmlinux)} of `{kernel}`, {what}", table)
