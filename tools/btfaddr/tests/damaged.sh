#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Types that the kernel would refuse: if they are in DWARF, the functions that need them are left
# out; if they are in BTF, the file is refused.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# annotate_damaged ASM OUT - With a BTF that has none of the types.
annotate_damaged() {
	btf_of "$scratch/int.btf" <<<'int x;'
	assemble "$1" "$2"
	annotated "$2" --btf "$scratch/int.btf"
	kernel_takes "$scratch/legacy"
}

# costs SYMBOL ANCHOR PATTERN TEXT - Because of the damage, only this function is left out
costs() {
	local out=$scratch/damaged

	change "$2" "$3" "$4" <"$scratch/deep.32.s" >"$out.s"
	annotate_damaged "$out.s" "$out"
	[[ $(grep -v '^#' "$scratch/left" | cut -f2) = "$1" ]]
	left_out "$1" '(damaged|name that BTF cannot have)'
	not_dumped " $1\("
	dumped '^0x.* honest\(int a\);'
}

# compile_deep NESTED - Make the honest assembly, whose deepest struct has that many levels
compile_deep() {
	(cd "$scratch" && gcc -O2 -g -gdwarf-5 -dA -S -fno-pie -ffreestanding -DDEEP="n$1" \
		"$here/src/damaged.c" -o "deep.$1.s")
}

# As deep as the kernel goes, and one more.
test_dwarf_nested_too_deep() {
	compile_deep 32
	compile_deep 33
	annotate_damaged "$scratch/deep.32.s" "$scratch/deep.32"
	[[ ! -s "$scratch/left" ]]
	dumped '^0x.* deep\(struct n32 \*p\);'
	annotate_damaged "$scratch/deep.33.s" "$scratch/deep.33"
	left_out deep 'damaged type'
	[[ $(wc -l <"$scratch/left") = 1 ]]
}

test_damaged_dwarf() {
	local name symbol anchor pattern text

	compile_deep 32
	while IFS='|' read -r name symbol anchor pattern text; do
		echo "$name"
		costs "$symbol" "$anchor" "$pattern" "$text"
	done <<-'END'
	name of a struct|pair_user|debug_str,|"pair"$|	.string "p-ir"
	name of a member|pair_user|debug_str,|"second"$|	.string "sec nd"
	name of an enumerator|row_user|"RED.0"|"RED.0"|	.ascii "R-D\\0"
	name of a parameter|names|debug_str,|"other"$|	.string "o-her"
	two parameters of a name|names|debug_str,|"other"$|	.string "only"
	member after its struct|pair_user|DW_AT_name: "second"|data_member_location|	.byte 0x10
	end of a member after its struct|pair_user|DW_AT_name: "second"|data_member_location|	.byte 0x5
	array longer than its struct|row_user|DW_TAG_subrange|DW_AT_upper_bound|	.value 0x4ff
	members out of order|flags_user|"low(.0)?"|data_bit_offset|	.byte 0x8
	bit-field larger than its type|flags_user|DW_AT_name: "high"|DW_AT_bit_size|	.byte 0x30
	size of an enum|row_user|DW_AT_name: "color"|DW_AT_byte_size|	.byte 0x3
	size of a union|either_user|DW_AT_name: "either"|DW_AT_byte_size|	.byte 0x4
	END
}

# refuses_btf WHAT TEXT - BTF that has addresses must obey the same rules.
refuses_btf() {
	local bad=$scratch/bad.btf

	mutate btf "$kernel.btf" "$bad" "$1"
	refused ": $2" "$BTFADDR" "$bad" -o "$scratch/never"
	want_text "bad.btf: .BTF is damaged: type "
	mutate btf "$kernel.btf.legacy" "$bad" "$1"
	! can_load || refute "$LOAD" "$bad"
}

test_damaged_btf() {
	local what text

	while IFS='|' read -r what text; do
		echo "$what"
		refuses_btf "$what" "$text"
	done <<-'END'
	name|its name is not one that C could have
	no name|it has no name
	name nowhere|a name of it is not in the string section
	member name|the name of a member is not one that C could have
	member name nowhere|a name of it is not in the string section
	reference|it refers to a type that is not there
	void member|a member is void
	member order|its members are not in order
	member outside|a member lies outside of it
	union member|a member of a union is not at its start
	integer bits|it has more bits than its size has room for
	integer encoding|its encoding is not known
	array of void|it is an array of void
	enum size|no enum has that size
	enumerator|the name of an enumerator is not one that C could have
	named pointer|it has a name
	kind_flag|its kind is damaged
	linkage|its linkage is not known
	prototype|it has no prototype
	tag index|it is a tag of a member or parameter that is not there
	tag target|it is a tag of a type that cannot have one
	modifiers|the types that it refers to never end
	END
}

# One function has a declaration without an end, the other is printed
test_btf_with_a_declaration_without_an_end() {
	sed '/^#/d' "$here/../../fuzz/cases/fuzz_elf/pointer-to-itself" | base64 -d | gzip -d \
		>"$scratch/endless.btf"
	timeout 20 "$BTFADDR" "$scratch/endless.btf" --dump >"$scratch/endless"
	grep "^0x10	4	-	f: types are damaged" "$scratch/endless"
	grep "^0x20	6	-	int g(int x);" "$scratch/endless"
}

test_running_kernel_can_be_asked() {
	run "$LOAD" "$kernel.btf.legacy"
	[[ $status -eq 0 ]] || skip "it takes no BTF: ${out%%$'\n'*}"
}

run_tests
