#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# DWARF that lies or is damaged: the functions that it is about are left out, and no others.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# with_honest_btf ELF - Annotate it, with the BTF of the honest program.
with_honest_btf() {
	annotated "$1" --btf "$FIXTURES/honest.raw"
}

# lie SYMBOL REASON ANCHOR PATTERN TEXT - Because of that change, this function is left out, and
# honest() isn't.
lie() {
	make_lie "${@:3}"
	with_honest_btf "$scratch/lie"
	grep -P "^0x[0-9a-f]+\t\Q$1\E\t$2" "$scratch/left"
	dumped '^0x.* honest\(int a\);'
	# the input has a FUNC of it, which must be gone, as it could be attached to
	not_dumped " \Q$1\E\("
}

readonly nowhere='\t.long\t0x7ffffff'

test_location_list_past_the_end() {
	lie liar "damaged parameter list" 'DW_AT_name: "liar"' 'LLST.*DW_AT_location' "$nowhere"
}

test_type_is_nowhere() {
	lie liar damaged 'DW_AT_name: "liar"' DW_TAG_formal_param "$(printf '\t.uleb128 0x7f')"
}

test_cyclic_typedef() {
	lie liar damaged DW_TAG_typedef DW_AT_type '\t.long\t0x2e'
}

test_abstract_origin_is_nowhere() {
	lie clone.constprop.0 damaged '0x[0-9a-f]*.*DW_AT_abstract_origin' DW_AT_abstract_origin \
		"$nowhere"
}

test_discarded_code() {
	lie liar "no DWARF" 'DW_AT_name: "liar"' DW_AT_low_pc '\t.quad\t0'
}

# DWARF has both parameters in one register. The code knows better, but not their types.
test_wrong_register_what_the_code_reads() {
	make_lie 'DW_AT_name: "liar"' 'byte.*0x55' '\t.byte\t0x54'
	with_honest_btf "$scratch/lie"
	dumped '^0x.*int liar\(__isra0, __isra1\);'
}

# A unit in another language: none of its functions is described.
test_unit_in_rust() {
	change DW_AT_language DW_AT_language '\t.byte\t0x1c' <"$FIXTURES/honest.s" >"$scratch/rust.s"
	assemble "$scratch/rust.s" "$scratch/rust"
	"$BTFADDR" "$scratch/rust" --btf "$FIXTURES/honest.raw" --left-out | tee "$scratch/rust.left"
	[[ $(grep -c 'not written in C' "$scratch/rust.left") = 3 ]]
	# in a namespace, as all functions of Rust
	clang -x c++ -fno-pie -g -c - -o "$scratch/rust.o" <<<'namespace n { int inner(int a) { return a; } }'
	ld -static -Ttext=$TEXT --defsym=_text=$TEXT -e $TEXT "$scratch/rust.o" -o "$scratch/rust"
	"$BTFADDR" "$scratch/rust" --btf "$FIXTURES/honest.raw" --left-out | tee "$scratch/rust.left"
	grep '	_ZN1n5innerEi	not written in C' "$scratch/rust.left"
}

# A symbol that is in the symbol table twice gets one FUNC.
test_symbol_twice() {
	local elf=$scratch/twice addr

	assemble "$FIXTURES/honest.s" "$scratch/honest"
	addr=$(nm "$scratch/honest" | awk '$3 == "liar" { print $1 }')
	objcopy --add-symbol liar=.text:$((0x$addr - TEXT)),function,local "$scratch/honest" "$elf"
	with_honest_btf "$elf"
	[[ $(nm "$elf" | grep -c " liar$") = 2 ]]
	[[ $(grep -c ' liar(' "$scratch/dump") = 1 ]]
	dumped '^0x.*-.* liar\('
}

# survives ELF [OPTION] - btfaddr does not crash, does the same on any number of threads, and what
# it writes can be read, by the kernel too
survives() {
	local elf=$1 out=$scratch/mutant.btf rc=0 four=0

	shift
	rm -f "$out" "$scratch/four.btf"
	timeout 20 "$BTFADDR" "$elf" "$@" -j1 -o "$out" >"$scratch/out" 2>&1 || rc=$?
	[[ $rc -le 1 ]]
	if [[ $rc = 0 ]]; then
		"$BTFADDR" "$elf" --btf "$out" --dump >/dev/null
		"$BTFADDR" "$out" --legacy -o "$out.legacy"
		kernel_takes "$out.legacy" >>"$scratch/out"
	fi
	timeout 20 "$BTFADDR" "$elf" "$@" -j4 -o "$scratch/four.btf" >"$scratch/four" 2>&1 || four=$?
	[[ $four = "$rc" ]]
	cmp "$scratch/out" "$scratch/four"
	[[ $rc = 1 ]] || cmp "$out" "$scratch/four.btf"
}

test_mutated_sections() {
	mutants "$kernel" ".debug_info .debug_abbrev .debug_loclists .debug_rnglists .symtab .BTF" \
		"${seeds[*]}" survives "$scratch/mutant"
}

test_mutated_sections_and_types_from_dwarf() {
	btf_of "$scratch/small.btf" <<<'int x; struct pair *p; struct pair { long first, second; };'
	mutants "$kernel" ".debug_info .debug_abbrev .debug_str" "${seeds[*]}" \
		survives "$scratch/mutant" --btf "$scratch/small.btf"
}

# The sanitizers run these, too, in a quarter of valgrind's time.
WITHOUT=${DECODERS:+mutated}
run_tests
