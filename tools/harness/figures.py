# SPDX-License-Identifier: GPL-2.0-only
"""What the benchmarks share: commands in the VM, and the tables that they print."""
import datetime
import os
import re
import subprocess
import sys
import textwrap

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BUILD = os.environ.get("BUILD", f"{REPO}/build")


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


def publish(title, image, what, table):
    """Prints a table about a kernel, and what was measured, when and where. image: a vmlinux, or
    the bzImage beside one."""
    folder = os.path.dirname(os.path.abspath(image)).removesuffix("/arch/x86/boot")
    vmlinux = f"{folder}/vmlinux" if image.endswith("/bzImage") else image
    text = (f"Linux {kernel_version(vmlinux)} of `{folder.removeprefix(REPO + '/')}`, {what}. "
            f"{machine()}; {datetime.date.today().isoformat()}.")
    print(f"\n### {title}\n", textwrap.fill(text, 100, break_on_hyphens=False), "", *table.lines,
          sep="\n", flush=True)
