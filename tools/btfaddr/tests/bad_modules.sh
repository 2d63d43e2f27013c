#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Bad modules: btfaddr says in one line what is wrong and writes nothing.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# bad TEXT OPTION... - With a base and these options, btfaddr says that.
bad() {
	refused "$1" addr "${@:2}" -o "$scratch/never"
}

# names_lie WHAT REGEX - --check says what is wrong with the first address, and nothing is written.
names_lie() {
	local lie=$scratch/lie.btf line lines

	mutate lie "$ko.btf" "$lie" "$ko" "$1"
	run addr --btf "$lie" "$ko" -o "$scratch/never"
	[[ $status = 1 && ! -e $scratch/never ]]
	run addr --check --btf "$lie" "$ko"
	want_status 1
	want_match "lie.btf: type [0-9]+, function '.*' at $2: no function symbol of this name is there"
	mapfile -t lines <<<"$out"
	[[ ${#lines[@]} -le 2 ]]
	for line in "${lines[@]}"; do
		[[ $line == "btfaddr: "*"lie.btf: "* ]] || fail "$line"
	done
}

test_addresses_that_are_wrong() {
	local what place

	while IFS='|' read -r what place; do
		echo "$what"
		names_lie "$what" "$place"
	done <<-'END'
	offset|[.a-z]*text[+]0x[0-9a-f]*1
	offset outside|[.a-z]*text[+]0xfffffff0
	section|[ .a-z0-9]*[+]0x[0-9a-f]+
	no section|section 0[+]0x[0-9a-f]+
	section outside|section [0-9]+[+]0x[0-9a-f]+
	section far outside|section 429496[0-9]*[+]0x[0-9a-f]+
	end of section|[.a-z]*text[+]0x[0-9a-f]+
	data|section [0-9]+[+]0x[0-9a-f]+
	another function|.text[+]0x[0-9a-f]+
	init|.init.text[+]0x[0-9a-f]+
	END
}

# A symbol may be at the end of its section, where no function is.
test_symbol_at_the_end_of_a_section() {
	local end=$scratch/end.ko func offset

	names_lie "end of section" ".*"
	func=$(sed -n "s/.*function '\(.*\)' at .*/\1/p" <<<"$out")
	offset=$(sed -n "s/.* at \([.a-z]*\)+\(0x[0-9a-f]*\): .*/\1:\2/p" <<<"$out")
	objcopy --add-symbol "$func=$offset,function" "$ko" "$end"
	[[ $(readelf -sW "$end" | grep -c "FUNC .* $func$") = 2 ]]
	refute addr --check --btf "$scratch/lie.btf" "$end"
}

# An encoder may not know that init text is not resident.
test_address_in_init_text() {
	objcopy --rename-section .text.unlikely=.init.text.unlikely "$ko" "$scratch/init.ko"
	expect 1 "function 'unlikely_text' at .init.text.unlikely+0x" \
		addr --check --btf "$ko.btf" "$scratch/init.ko"
	want_text ": this is not in resident text"
	want_match "gcc-5.ko.btf: [12] of [0-9]+ addresses don't fit the symbols of .*init.ko"
}

test_address_with_all_bits() {
	mutate lie "$ko.btf" "$scratch/lie.btf" "$ko" "all bits"
	bad "lie.btf: .BTF is damaged at type " --btf "$scratch/lie.btf" "$ko"
}

# Headers that no compiler writes; btfaddr can still read what it needs.
test_odd_section_headers() {
	local what

	for what in xindex inactive alignment "odd alignment" "on the header" "on another"; do
		echo "$what"
		mutate header "$ko" "$scratch/header.ko" "$what"
		addr "$scratch/header.ko" -o "$scratch/btf"
		cmp "$scratch/btf" "$ko.btf"
	done
}

test_bad_section_headers() {
	local what

	for what in "xindex nowhere" "xindex of no names"; do
		echo "$what"
		mutate header "$ko" "$scratch/header.ko" "$what"
		bad "header.ko: no .BTF section" "$scratch/header.ko"
	done
	mutate header "$ko" "$scratch/header.ko" "code on headers"
	bad "header.ko: .text is damaged: it overlaps headers of the file" "$scratch/header.ko"
}

# The base is of another kernel: some names begin in the middle of its strings, or beyond these.
test_other_bases() {
	local base i

	echo "struct s { int member; } v;" | btf_of "$scratch/small.btf"
	for i in {1..2000}; do
		echo "struct s_$i { int member_$i; } v_$i;"
	done | btf_of "$scratch/big.btf"
	objcopy --remove-section .BTF "$kernel" "$scratch/nobtf"
	for base in "$kernel" "$scratch"/{small,big}.btf; do
		bad "what pahole had as --btf_base" --btf_base "$base" "$ko"
	done
	bad "none: cannot open" --btf_base "$scratch/none" "$ko"
	bad "no .BTF section" --btf_base "$scratch/nobtf" "$ko"
	bad "a relocatable file: give the vmlinux" --btf_base "$ko" "$ko"
	refused "give it with --btf_base" "$BTFADDR" "$ko" -o "$scratch/never"
	want_text "gcc-5.ko: "
	refused "gcc-5.elf: not a module" "$BTFADDR" --btf_base "$kernel" "$kernel" -o "$scratch/never"
}

# The base that pahole's distilled_base makes is too small to find types in.
test_distilled_by_pahole() {
	btf_of "$scratch/small.btf" <<<'int x;'
	objcopy --add-section .BTF.base="$scratch/small.btf" "$ko" "$scratch/pahole.ko"
	bad "pahole.ko: has .BTF.base" "$scratch/pahole.ko"
}

# btfaddr 1.0 wrote addresses into the module.
test_addresses_in_the_module() {
	objcopy --update-section .BTF="$ko.btf" "$ko" "$scratch/addresses.ko"
	bad "addresses.ko: its .BTF has addresses" "$scratch/addresses.ko"
	refused "addresses.ko: its .BTF has addresses" addr --check "$scratch/addresses.ko"
}

test_bad_files() {
	objcopy --remove-section .BTF "$ko" "$scratch/nobtf.ko"
	strip --strip-debug -o "$scratch/nodwarf.ko" "$ko"
	cp "$ko" "$scratch/whole.ko"
	pahole -J "$scratch/whole.ko"
	bad "nobtf.ko: no .BTF section: run pahole -J --btf_base" "$scratch/nobtf.ko"
	bad "nodwarf.ko: no DWARF" "$scratch/nodwarf.ko"
	bad "whole.ko: .BTF is not split BTF" "$scratch/whole.ko"
	bad "gcc-5.elf.btf: .BTF is not split BTF" --btf "$kernel.btf" "$ko"
	bad "gcc-5.ko.btf: .BTF is damaged, or that of a module" "$ko.btf"
	refused "no function in .BTF has an address" addr --check "$ko"
}

# A module with nothing but data and init functions: to have nothing to annotate is no mistake.
test_no_functions() {
	local data=$scratch/data.ko

	object "$data.o" <<<'int data; __attribute__((section(".init.text"))) int start(void) { return data; }'
	link_module "$data" "$data.o"
	addr "$data" -o "$data.btf"
	addr --check --btf "$data.btf" "$data"
	section .BTF "$data" | cmp - "$data.btf"
	# a base that was distilled before pahole ran again isn't used
	btf_of "$scratch/small.btf" <<<'int x;'
	objcopy --add-section .BTF.base="$scratch/small.btf" "$data" "$scratch/based.ko"
	addr "$scratch/based.ko" -o "$data.btf"
	section .BTF "$data" | cmp - "$data.btf"
}

# Cut a module off, in small steps through the header, then in large ones.
test_cut_off_anywhere() {
	local size len

	size=$(stat -c %s "$ko")
	for ((len = 0; len < size; len += len < 128 ? 8 : size / 20)); do
		head -c $len "$ko" >"$scratch/cut.ko"
		expect 1 . addr --check "$scratch/cut.ko"
		expect 1 . addr "$scratch/cut.ko" -o "$scratch/never"
	done
}

run_tests
