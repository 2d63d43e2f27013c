#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Input that btfaddr can't read, output that it can't write, and options that make no sense.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# bad TEXT OPTION... - With these options, btfaddr says that in one line, and writes nothing.
bad() {
	refused "$1" "$BTFADDR" "${@:2}" -o "$scratch/never"
}

# lacking - Make kernels that lack something.
lacking() {
	objcopy --remove-section .BTF "$kernel" "$scratch/nobtf"
	objcopy --strip-debug "$kernel" "$scratch/nodwarf"
	strip -o "$scratch/stripped" "$kernel"
	objcopy --only-keep-debug "$kernel" "$scratch/nocode"
	objcopy --strip-symbol _text "$kernel" "$scratch/notext"
}

test_bad_files() {
	echo "hello, world, this is no kernel" >"$scratch/text"
	: >"$scratch/empty"
	head -c $(($(stat -c %s "$kernel") / 2)) "$kernel" >"$scratch/half"
	head -c 40 "$kernel" >"$scratch/head"
	head -c 1000 "$kernel.btf" >"$scratch/half.btf"
	bad "none: cannot open" "$scratch/none"
	bad "text: not an ELF" "$scratch/text"
	bad "empty: not an ELF" "$scratch/empty"
	bad "half: " "$scratch/half"
	want_text truncated
	bad "head: " "$scratch/head"
	bad "half.btf: " "$kernel" --btf "$scratch/half.btf"
	want_text truncated
	bad "text: not BTF" "$kernel" --btf "$scratch/text"
	bad "this BTF has no addresses" "$kernel.btf.legacy"
}

test_what_a_kernel_lacks() {
	lacking
	bad "nobtf: no .BTF section: run pahole" "$scratch/nobtf"
	bad "nodwarf: no DWARF" "$scratch/nodwarf"
	bad "stripped: no symbol table" "$scratch/stripped"
	bad "nocode: no code in .text" "$scratch/nocode"
	bad "notext: no symbol _text" "$scratch/notext"
}

# Root may write anywhere, but nobody writes to /proc.
test_output_that_cannot_be_written() {
	refused "nowhere/x: cannot write" "$BTFADDR" "$kernel" -o "$scratch/nowhere/x"
	refused "/proc/x: cannot write" "$BTFADDR" "$kernel" -o /proc/x
	refused "not a regular file" "$BTFADDR" "$kernel" -o /dev/null
	cp "$kernel" "$scratch/itself"
	refused "itself: is INPUT" "$BTFADDR" "$scratch/itself" -o "$scratch/itself"
	cmp "$kernel" "$scratch/itself"
}

test_check_names_what_does_not_fit() {
	refused "no function in .BTF has an address" "$BTFADDR" --check "$kernel"
	objcopy --redefine-sym only_here=moved_away "$kernel.done" "$scratch/moved"
	run "$BTFADDR" --check "$scratch/moved"
	want_status 1
	want_match "function 'only_here' at _text[+]0x[0-9a-f]+: no function symbol of this name"
	want_match "[^0-9]1 of [0-9]+ addresses don't fit"
}

test_functions_files_that_cannot_be_written() {
	lacking
	refused "nowhere/x: cannot write" "$BTFADDR" "$kernel" --functions "$scratch/nowhere/x"
	refused "give the vmlinux" "$BTFADDR" "$kernel.btf" --functions "$scratch/never"
	refused "no DWARF" "$BTFADDR" "$scratch/nodwarf" --functions "$scratch/never"
	refused "no .BTF section" "$BTFADDR" "$scratch/nobtf" --functions "$scratch/never"
}

test_usage_errors() {
	expect 2 "no INPUT" "$BTFADDR"
	expect 2 "more than one INPUT" "$BTFADDR" a b
	expect 2 "nothing to do" "$BTFADDR" "$kernel"
	expect 2 "unrecognized option" "$BTFADDR" --guess "$kernel"
	expect 2 "jobs=0: not a number" "$BTFADDR" -j 0 "$kernel"
	expect 2 "jobs=2x: not a number" "$BTFADDR" --jobs=2x "$kernel"
	expect 2 "only json" "$BTFADDR" --stats=xml "$kernel"
	expect 2 "cannot be combined" "$BTFADDR" --check "$kernel" --functions "$scratch/never"
	expect 2 "give -o OUTPUT" "$BTFADDR" --stats "$kernel" --functions "$scratch/never"
	[[ ! -e $scratch/never ]]
}

WITHOUT=${QUICK:+usage}
run_tests
