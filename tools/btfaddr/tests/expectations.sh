# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of lib.sh
#
# What comments in the sources say that btfaddr prints. Sourced by kernels.sh, which says how they
# are written, and by modules.sh; and the tests that both have.

# What may differ in the types of the input: prototypes of FUNCs, the indexes of parameters in tags,
# and functions that are left out, which become "const void".
readonly MAY_DIFFER="/ FUNC /s/type_id=[0-9]*//; / DECL_TAG /s/component_idx=.*//;
s/ FUNC '\(folded_write\|unnamed\)' .*/ CONST '(anon)' type_id=0/"

# take NAME - Set input to that kernel or module, sources to what it is made of, and what "of" sets.
take() {
	of "$1"
	case $where/$1 in
	*/lto-*) sources=("$here"/src/lto/*.c) min_tags=1 ;;
	kernel/*) sources=("$here"/src/{kernel,net}/*.c "$here/src/start.c") min_tags=10 ;;
	*) sources=("$here"/src/{kernel,net,module}/*.c) min_tags=10 ;;
	esac
	[[ $where = kernel ]] && input=$FIXTURES/$1.elf || input=$FIXTURES/$1.ko
}

# expected KEYWORD - Print what the sources say, sorted, without keyword and compiler.
expected() {
	local kinds="all\|$who\|${who}_$where\|${who}_$MACHINE\|$marks\|${marks}_$MACHINE"

	sed -n "s/^ \* $1 \($kinds\)[: ] *\(.*\)/\2/p" "${sources[@]}" | sort -u
}

# names - Print the names of the functions in a dump, sorted.
names() {
	sed 's/^[^(]*[ *](\?\**\([A-Za-z0-9_.]*\)(.*/\1/' | sort
}

# want_none TEXT - There is nothing on stdin.
want_none() {
	local lines

	lines=$(cat)
	[[ -z $lines ]] || fail "$1: $lines"
}

# as_expected DUMP LEFT - Compare what btfaddr prints with the sources. With no_init set, what is in
# init text may be missing.
as_expected() {
	local dump=$scratch/dump.n

	normalize <"$1" >"$dump"
	[[ -n $(expected EXPECT) ]] || fail "nothing is expected"
	awk -F '\t' '$1 !~ /^-/ { print ($3 == "-" ? "" : $3 ": ") $4 }' "$dump" | sort |
		comm -13 - <(expected EXPECT) | want_none "not in the dump"
	cut -f 2 "$2" | sort | comm -13 - <(expected LEFT_OUT) | want_none "not left out"
	sed '/^-/d' "$dump" | names | comm -12 - <(expected LEFT_OUT) |
		want_none "left out, and in the dump"
	[[ -n ${no_init:-} ]] || sed -n '/^-/p' "$dump" | names |
		comm -13 - <(expected INIT) | want_none "not in the dump, without an address"
	expected ABSENT >"$scratch/absent"
	{ grep -F -f "$scratch/absent" "$dump" "$2" || :; } | want_none "not absent"
}

has_its_signatures() {
	as_expected "$input.btf.dump" "$input.left"
}

dump_raw() {
	local base=(-B "$kernel.btf.legacy")

	[[ $where = module ]] || base=()
	types_of "$1" "${base[@]}"
}

# The input's types are there with their ids, also if the BTF has addresses.
keeps_its_ids() {
	addr --legacy "$input" -o "$scratch/legacy"
	addr --legacy --btf "$input.btf" "$input" -o "$scratch/legacy2"
	cmp "$scratch/legacy" "$scratch/legacy2"
	section .BTF "$input" >"$scratch/before.raw"
	dump_raw "$scratch/before.raw" | sed "$MAY_DIFFER" >"$scratch/before"
	dump_raw "$scratch/legacy" | sed "$MAY_DIFFER" >"$scratch/after"
	[[ -s $scratch/before ]]
	cmp -n "$(stat -c %s "$scratch/before")" "$scratch/before" "$scratch/after"
}

# Functions that the compiler changed have tags.
has_tags_of_its_sources() {
	addr --legacy "$input" -o "$scratch/legacy"
	dump_raw "$scratch/legacy" >"$scratch/raw"
	normalize <"$input.btf.dump" >"$scratch/dump"
	declared "$min_tags" "${sources[@]}" "$here/src/header.h"
}
