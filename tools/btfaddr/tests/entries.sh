#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Functions that BTF without addresses lacks, shares or is wrong about: src/entries.c, with changes
# of pahole's BTF.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# program [FLAG] - Set elf and functions: the program, and what --functions writes of it.
program() {
	elf=$FIXTURES/entries-${CROSS:+arm64-}gcc-5${1:--O2}.elf functions=$scratch/functions
	"$BTFADDR" --functions "$functions" "$elf"
	inline_says check "$functions" "$elf"
}

# Each kind of falsehood is tagged, and nothing else: not the two FUNCs of one type, nor those that
# only an inlined function has. In open() all is right but that it isn't variadic.
test_false_funcs() {
	program
	inline_says false "$functions" "$elf" | cut -f2,3 | sort >"$scratch/false"
	# GCC has no functions without a frame for arm64
	diff "$scratch/false" - < <(sed "${CROSS:+/^keeps/d}" <<-'END'
		born	0 parameters, not 3
		differs	0 parameters, not 2
		few	2 parameters, not 3
		keeps	another calling convention
		many	2 parameters, not 1
		open	1 parameter and ..., not 2
		returns	type of the return value
		shared	0 parameters, not 2
		types	type of parameter 1
	END
	)
}

# A reader that shares nothing with btfaddr finds the same, but it doesn't read code.
test_false_funcs_by_another_reader() {
	local tagged=$scratch/tagged

	[[ -n $(type -P llvm-dwarfdump-19 llvm-dwarfdump) ]] || skip "no llvm-dwarfdump: apt-get install llvm"
	program
	inline_says false "$functions" "$elf" | grep -v keeps >"$tagged"
	"$here/../../regcheck/prototypes" --tagged "$tagged" "$elf"
	# it sees a tag that is missing, and one too many
	sed -i "s/^[0-9]*\tfew\t/$(func_id "$elf" two)\ttwo\t/" "$tagged"
	run "$here/../../regcheck/prototypes" --tagged "$tagged" "$elf"
	want_match $'(^|\n)few: [^\n]* has no tag'
	want_match $'(^|\n)two: [^\n]* but is true'
}

# Functions without a true FUNC of their own have an entry, where nm has the symbol.
test_where_functions_begin() {
	local text

	program
	text=0x$(readelf -SW "$elf" | sed -n 's/.* \.text *PROGBITS *\([0-9a-f]*\).*/\1/p')
	nm "$elf" | awk '$3 ~ /^(born|few|lost_.*|many|open|returns|shared|types|.*[.](isra|constprop)[.].*)$/ { print $1, $3 }' |
		while read -r addr name; do echo "$name .text $((0x$addr - text))"; done | sort >"$scratch/nm"
	[[ $(wc -l <"$scratch/nm") -ge 13 ]]
	inline_says entries "$functions" "$elf" | sort | diff "$scratch/nm" -
}

# At a breakpoint there, the places have the arguments.
test_run() {
	local flag

	for flag in -O2 -Os; do
		program $flag
		runs_as_said 30 "$elf" "$functions"
	done
}

# With addresses there is nothing to add.
test_none_with_addresses() {
	program
	"$BTFADDR" "$elf" -o "$scratch/btf" --functions "$functions"
	"$BTFADDR" "$scratch/btf" --legacy -o "$scratch/legacy"
	inline_says check "$functions" "$scratch/legacy"
	inline_says entries "$functions" "$scratch/legacy" >"$scratch/none"
	inline_says false "$functions" "$scratch/legacy" >>"$scratch/none"
	[[ ! -s $scratch/none ]]
}

# A module's functions count from their sections.
test_module() {
	local ko=$scratch/entries.ko

	object "$ko.o" -gdwarf-5 <<-'C'
		__attribute__((noipa)) long lost(long n, long m) { return n - m; }
		__attribute__((noipa)) long lies(long n, long m) { return n + m; }
		__attribute__((noipa, section(".text.unlikely"))) long alon(long n) { return n; }
	C
	link_module "$ko" "$ko.o"
	section .BTF "$ko" | sed 's/lost/gone/; s/lies/XXXX/; s/alon/lies/; s/XXXX/alon/' >"$ko.raw"
	"${CROSS}objcopy" --update-section .BTF="$ko.raw" "$ko"
	addr "$ko" --functions "$ko.functions"
	inline_says check "$ko.functions" "$kernel.btf.legacy" "$ko.raw"
	inline_says entries "$ko.functions" "$kernel.btf.legacy" "$ko.raw" | sort >"$ko.entries"
	nm "$ko" | sed -n 's/^0*\([0-9a-f]*\) T \(.*\)/\2 \1/p' | sort | while read -r name offset; do
		echo "$name .text$([[ $name != alon ]] || echo .unlikely) $((0x$offset))"
	done | diff - "$ko.entries"
	inline_says false "$ko.functions" "$kernel.btf.legacy" "$ko.raw" | cut -f2 | sort >"$ko.false"
	printf '%s\n' alon lies | diff - "$ko.false"
}

mapfile -t tests < <(grep -o '^test_[a-z_]*' "$0")
run_tests "${tests[@]/#/on_arm64 }"
