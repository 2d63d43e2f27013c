# SPDX-License-Identifier: GPL-2.0-only
"""The functions that llvm-dwarfdump finds in a file."""
import os
import shutil
import subprocess

from elf import InputError

# Prints each unit and function of a dump, and below it what matters: names, type, origin and place,
# and of each parameter its type. Parameters of inlined functions and of types are further right.
FILTER = r"""
/^0x/ {
    match($0, / DW_TAG_| NULL/); column = RSTART; tag = $2; kind = ""
    if (tag == "DW_TAG_compile_unit") kind = "U"
    else if (tag == "DW_TAG_subprogram" && in_c) { kind = "F"; depth = column; inside = 1 }
    else if (column <= depth) inside = 0
    else if (inside && column == depth + 2 && tag == "DW_TAG_formal_parameter") kind = "A"
    else if (inside && column == depth + 2 && tag == "DW_TAG_unspecified_parameters") print "V"
    if (kind) print kind, $1
    next
}
!kind { next }
kind == "U" && /DW_AT_language/ { in_c = /DW_LANG_C/ }
/DW_AT_(abstract_origin|specification)/ { gsub(/[()]/, ""); print "O", $2; next }
/DW_AT_low_pc/ || /^ +\[0x/ { gsub(/[][(),]/, " "); print "P", /low_pc/ ? $2 : $1; next }
/DW_AT_(name|type|comp_dir|decl_file)/ {
    what = /DW_AT_name/ ? "N" : /DW_AT_type/ ? "T" : /DW_AT_comp_dir/ ? "D" : "L"
    sub(/^[^"]*"/, ""); sub(/"\)$/, ""); print what, $0
}
"""
NOP, BTI_C = b"\x1f\x20\x03\xd5", b"\x5f\x24\x03\xd5"	# of arm64
MEMBERS = {"N": "name", "T": "type", "O": "origin", "D": "folder", "L": "file"}


class Entry:
    """A unit, which has a name and a folder, or a function: its DW_TAG_subprogram."""

    def __init__(self, unit=None):
        self.unit = unit
        self.name = self.folder = self.origin = self.file = None
        self.type = "void"
        self.places, self.parameters, self.variadic = [], [], False

    def path(self, name):
        """A path, which DWARF may have relative to this unit's folder."""
        return os.path.normpath(os.path.join(self.folder or "", name))


def starts(elf, place):
    """Where DWARF may have the function at a place: gcc on arm64, behind the nops for ftrace."""
    yield place
    while elf.arm64 and elf.word(place) in (NOP, BTI_C):
        place += 4
        yield place


def read(path):
    """offset -> Entry of each function in C."""
    tool = shutil.which("llvm-dwarfdump-19") or shutil.which("llvm-dwarfdump")
    if not tool:
        raise InputError("needs llvm-dwarfdump; install llvm-19")
    found, entry, unit, parameter = {}, None, None, False
    with subprocess.Popen([tool, "--debug-info", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as dump, \
            subprocess.Popen(["awk", FILTER], stdin=dump.stdout, text=True,
                             stdout=subprocess.PIPE) as lines:
        dump.stdout.close()
        for line in lines.stdout:
            kind, value = line[0], line[2:-1]
            if kind == "U":
                entry = unit = Entry()
            elif kind == "F":
                entry = found[int(value[:-1], 16)] = Entry(unit)
            elif kind == "V":
                entry.variadic = True
            elif kind == "A":
                entry.parameters.append("void")
            elif kind == "T" and parameter:
                entry.parameters[-1] = value
            elif parameter:
                continue
            elif kind == "P":
                entry.places.append(int(value, 16))
            else:
                setattr(entry, MEMBERS[kind], value)
            parameter = kind == "A" or parameter and kind not in "UF"
    return found
