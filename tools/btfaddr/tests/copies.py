#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""copies.py write FOLDER | check - units whose types can't be merged.

write: unit<n>.c for each of UNITS units. Each has the same structs, which all lead to each other
and to one that differs from unit to unit, so that no two units can share one.
check: reads the output of "bpftool -j btf dump file" for all units together. The parameter of each
unit's function must lead to the struct of that unit, which has <n> + 1 elements.
"""
import json
import sys

UNITS = 6
STRUCTS = 60


def write(folder):
    structs = ["struct odd { int elements[ELEMENTS]; };"]
    structs += [f"struct s{i};" for i in range(STRUCTS)]
    for i in range(STRUCTS):
        # a long way from one to the other, and short cuts
        near, far = (i + 1) % STRUCTS, (i * 13 + 5) % STRUCTS
        structs.append(f"struct s{i} {{ int n; struct s{near} *near; struct s{far} *far; "
                       f"void (*call)(struct s{far} *){'; struct odd *odd' * (i == 50)}; }};")
    for n in range(UNITS):
        with open(f"{folder}/unit{n}.c", "w", encoding="utf-8") as unit:
            print(f"#define ELEMENTS {n + 1}", *structs,
                  "static __attribute__((noinline)) long same(struct s0 *a, long n)",
                  "{", '\tasm volatile("" ::: "memory");', "\treturn a->n + n;", "}",
                  f"long use{n}(struct s0 *a, long n)", "{", "\treturn same(a, n) + 1;", "}",
                  sep="\n", file=unit)


def check(types):
    """What is wrong, if anything."""
    by_id = {t["id"]: t for t in types}

    def member(struct, name):
        return by_id[next(m for m in struct["members"] if m["name"] == name)["type_id"]]

    def elements_of(func):
        struct = by_id[by_id[by_id[func["type_id"]]["params"][0]["type_id"]]["type_id"]]
        for _ in range(50):
            struct = by_id[member(struct, "near")["type_id"]]
        return member(by_id[member(struct, "odd")["type_id"]], "elements")["nr_elems"]

    funcs = [t for t in types if t["kind"] == "FUNC"]
    for n in range(UNITS):
        got = [elements_of(f) for f in funcs if f["name"] == f"use{n}"]
        if got != [n + 1]:
            yield f"use{n}: a struct of {got} elements, not {n + 1}"
    got = sorted(elements_of(f) for f in funcs if f["name"] == "same")
    if got != list(range(1, UNITS + 1)):
        yield f"same: structs of {got} elements"


if sys.argv[1:2] == ["write"]:
    write(sys.argv[2])
else:
    wrong = list(check(json.load(sys.stdin)["types"]))
    print(*wrong, sep="\n")
    sys.exit(bool(wrong))
