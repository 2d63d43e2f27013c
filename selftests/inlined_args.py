#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""fentry's arguments of inlined calls must be those that user space has passed.

The functions of system calls ("__do_sys_lseek") are inlined, and call others that are inlined, too.
The test makes each system call with unique numbers, which the kernel refuses. Every stated argument
of such a function must be its number. If a function that it calls has an argument of the same name,
that must be the number, too. Prints TAP lines. $FENTRY, $INLINED and $WITNESS (by
inline_witness.py) are as for the selftests.
"""
import bisect
import ctypes
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True		# write nothing into the source folder
LIB = pathlib.Path(__file__).parent / "lib"
sys.path.insert(0, str(LIB))
from tap import Tap  # pylint: disable=wrong-import-position

if subprocess.call(LIB / "built_kernel"):
    sys.exit(4)

FENTRY = [os.environ["FENTRY"], "--functions", os.environ["INLINED"]]
PLACES_MAX = 12				# of a function that system calls call
NAME, PR_SET_NAME = "inlined_args", 15	# of the process that makes the calls
STATED_MIN = 0.6			# of the arguments of system calls, if GCC built the kernel
ARM64 = os.uname().machine == "aarch64"
SYSCALL = "__arm64_sys_" if ARM64 else "__x64_sys_"
# Numbers on x86 and on arm64, and parameters; none of these calls does anything.
CALLS = {
    "lseek": (8, 62, "fd offset whence"),
    "pread64": (17, 67, "fd buf count pos"),
    "pwrite64": (18, 68, "fd buf count pos"),
    "mremap": (25, 216, "addr old_len new_len flags new_addr"),
    "dup2": (33, None, "oldfd newfd"),
    "sendfile64": (40, 71, "out_fd in_fd offset count"),
    "sendto": (44, 206, "fd buff len flags addr addr_len"),
    "shutdown": (48, 210, "fd how"),
    "listen": (50, 201, "fd backlog"),
    "setsockopt": (54, 208, "fd level optname optval optlen"),
    "kill": (62, 129, "pid sig"),
    "fcntl": (72, 25, "fd cmd arg"),
    "fsync": (74, 82, "fd"),
    "ftruncate": (77, 46, "fd length"),
    "fchmod": (91, 52, "fd mode"),
    "fchown": (93, 55, "fd user group"),
    "getpgid": (121, 155, "pid"),
    "getpriority": (140, 141, "which who"),
    "prctl": (157, 167, "option arg2 arg3 arg4 arg5"),
    "readahead": (187, 213, "fd offset count"),
    "tkill": (200, 130, "pid sig"),
    "fadvise64": (221, None, "fd offset len advice"),
    "epoll_ctl": (233, 21, "epfd op fd event"),
    "tgkill": (234, 131, "tgid pid sig"),
    "sync_file_range": (277, 84, "fd offset nbytes flags"),
    "fallocate": (285, 47, "fd mode offset len"),
    "dup3": (292, 24, "oldfd newfd flags"),
    "getrandom": (318, 278, "ubuf len flags"),
    "copy_file_range": (326, 285, "fd_in off_in fd_out off_out len flags"),
    "close_range": (436, 436, "fd max_fd flags"),
}
CALLS = {name: (nrs[ARM64], params) for name, (*nrs, params) in CALLS.items()
         if nrs[ARM64]}

with open("/proc/version", encoding="ascii") as version:
    # LLVM's DWARF may state another value for a parameter than the one that was passed
    BY_CLANG = "clang version" in version.read()


def numbers(name):
    """Returns odd numbers (so no address is aligned) that decrease (so ranges are invalid)."""
    nr, params = CALLS[name]
    first = 20001 + 8 * nr
    return {param: first + 2 * (8 - i) for i, param in enumerate(params.split())}


def child():
    """Makes the calls. After the process has its name, it makes no others."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NAME, NAME.encode(), 0, 0, 0)
    for name, (nr, _) in CALLS.items():
        args = [ctypes.c_long(number) for number in numbers(name).values()]
        if libc.syscall(ctypes.c_long(nr), *args) >= 0:
            sys.exit(f"{name} hasn't failed")


def value(arg):
    """Returns a number; None if the value isn't known, or is a text."""
    if "address" in arg:
        return int(arg["address"], 16)
    return arg["value"] if isinstance(arg["value"], int) else None


def inner_names(witness, names):
    """Returns other functions that are inlined in these system calls, and in few other places."""
    symbols, base = [], 0
    with open("/proc/kallsyms", encoding="ascii") as file:
        for line in file:
            addr, _, name, *module = line.split()
            if not module:
                symbols.append((int(addr, 16), name))
                base = int(addr, 16) if name == "_stext" else base
    symbols.sort()
    ours = {SYSCALL + name for name in names}
    return [name for name, places in witness.items()
            if len(places) <= PLACES_MAX and not name.startswith("__do_sys_") and
            any(symbols[bisect.bisect_right(symbols, (base + place, "~")) - 1][1] in ours
                for place in places)]


def trace(specs):
    run = subprocess.run(
        [*FENTRY, "trace", "--inlined", "--best-effort", "--json", *specs, "--",
         sys.executable, __file__, "child"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, check=False)
    for line in run.stderr.splitlines():
        print(f"# {line}"[:300])
    if run.returncode:
        sys.exit("# fentry has failed")
    return [json.loads(line) for line in run.stdout.splitlines()]


def compare_own(tap, name, events):
    """Checks arguments of the system call itself. Returns how many are stated, and their number."""
    want = numbers(name)
    known = [arg for event in events for arg in event["args"] if value(arg) is not None]
    wrong = [arg for arg in known if value(arg) != numbers(name).get(arg["name"])]
    tap.report(len(events) == 1 and len(events[0]["args"]) == len(want) and not wrong,
               f"{name}: {len(known)} of {len(want)} arguments are stated, and are the call's",
               [f"{want}", *map(str, events[:3])])
    return len(known), len(want)


def compare_inner(tap, names, events):
    """Checks arguments of the functions that system calls call, if they have the same names."""
    wrong, right = [], set()
    for event in events:
        call, function = event["inlined"]["symbol"].removeprefix(SYSCALL), event["function"]
        if call not in names or function == f"__do_sys_{call}":
            continue
        for arg in event["args"]:
            want = numbers(call).get(arg["name"])
            # a pointer of this name may point to something else
            if want is None or value(arg) is None or "address" in arg:
                continue
            right.add((call, function, arg["name"]))
            if value(arg) != want:
                wrong.append(f"{arg} isn't {want}, in {call}: {event}")
    tap.report(not wrong and (right or BY_CLANG),
               f"{len(right)} arguments are passed on to functions that system calls call", wrong)


def main():
    if sys.argv[1:] == ["child"]:
        return child()
    tap = Tap()
    print("TAP version 13")
    with open(os.environ["WITNESS"], encoding="utf-8") as file:
        witness = json.load(file)
    names = [name for name in CALLS if f"__do_sys_{name}" in witness]
    events = [event for event in trace([f"[_]_do_sys_{name}" for name in names] +
                                       [f"[{name[0]}]{name[1:]}" for name in
                                        inner_names(witness, names)])
              if event["inlined"] and event["comm"] == NAME]
    stated = cnt = 0
    for name in names:
        own = [event for event in events if event["function"] == f"__do_sys_{name}"]
        of_call = compare_own(tap, name, own)
        stated, cnt = stated + of_call[0], cnt + of_call[1]
    tap.report(stated >= (0 if BY_CLANG else STATED_MIN) * cnt and len(names) > len(CALLS) / 2,
               f"of {len(names)} system calls, {stated} of {cnt} arguments are stated")
    compare_inner(tap, names, events)
    print(f"1..{tap.cnt}")
    sys.exit(1 if tap.failed else 0)


if __name__ == "__main__":
    main()
