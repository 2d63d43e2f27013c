#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What btfaddr makes of src/kernel and src/net, by each compiler and version of DWARF, and of
# src/lto.
# Comments in the sources say what it must print:
#   EXPECT <who> [<unit>]: <prototype>	with an address, and tagged with just that unit, or none
#   LEFT_OUT <who>: <symbol>			not given an address
#   INIT <who>: <name>				in BTF, without an address
#   ABSENT <who>: <symbol>			neither of these
# <who> is all, gcc, clang, or clang19 (clang 15 and later, which mark changes), gcc12, or
# gcc14 (later than 12; it names some changes otherwise). gcc_kernel and gcc_module differ because
# pahole writes no FUNC into a module if the base has an equal one. All but "all" may have _x86 or
# _arm64 behind them.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
. "$here/expectations.sh"

where=kernel

addr() {
	"$BTFADDR" "$@"
}

# kernel NAME TEST - A test of one of the kernels.
kernel() {
	take "$1"
	"$2"
}

has_addresses_of_nm() {
	are_of_nm "$input" "$input.btf.dump"
}

is_annotated_again() {
	"$BTFADDR" "$input" -o "$scratch/btf" --left-out | cmp "$input.left"
	cmp "$input.btf" "$scratch/btf"
	"$BTFADDR" "$input.done" -o "$scratch/btf"
	cmp "$input.btf" "$scratch/btf"
	"$BTFADDR" --check "$input.done"
}

is_the_same_on_any_number_of_threads() {
	same_on_threads "$input"
}

# Tags on parameters of a function that lost a parameter.
test_tags_on_parameters() {
	of clang-5
	types_of "$FIXTURES/clang-5.elf" >"$scratch/before"
	types_of "$FIXTURES/clang-5.elf.btf.legacy" >"$scratch/after"
	grep "DECL_TAG 'on_kept' .*component_idx=2" "$scratch/before"
	grep "DECL_TAG 'on_const' .*component_idx=1" "$scratch/before"
	grep "DECL_TAG 'on_kept' .*component_idx=1" "$scratch/after"
	grep "DECL_TAG 'on_const' .*component_idx=-1" "$scratch/after"
}

# Types that the BTF lacks come from DWARF. The BTF is of one source, the functions of others.
test_types_from_dwarf() {
	local no_init=y

	take gcc-5
	btf_of "$scratch/small.btf" <<<'int x; struct pair *p; struct pair { long first, second; };'
	"$BTFADDR" "$kernel" --btf "$scratch/small.btf" -o "$scratch/full.btf"
	"$BTFADDR" "$scratch/full.btf" --dump >"$scratch/full.dump"
	# init_only isn't in that BTF
	grep -v init_only "$kernel.left" >"$scratch/full.left"
	as_expected "$scratch/full.dump" "$scratch/full.left"
}

# Compressed sections hold the same.
compressed() {
	objcopy --compress-debug-sections="$1" "$kernel" "$scratch/compressed"
	"$BTFADDR" "$scratch/compressed" -o "$scratch/compressed.btf"
	cmp "$scratch/compressed.btf" "$kernel.btf"
}

test_dwarf_compressed_by_zlib() { compressed zlib; }

test_dwarf_compressed_in_gnus_old_way() { compressed zlib-gnu; }

# Debian 12's libelf can't decompress it, that of 13 can.
test_dwarf_compressed_by_zstd() {
	if pkg-config --atleast-version=0.189 libelf; then
		compressed zstd
	else
		objcopy --compress-debug-sections=zstd "$kernel" "$scratch/zstd"
		refused "zstd: DWARF compressed by zstd" "$BTFADDR" "$scratch/zstd" \
			-o "$scratch/never"
		want_text decompress
	fi
}

test_stats_of_annotated_btf() {
	run "$BTFADDR" --stats "$kernel.btf"
	want_match "annotated already: [1-9]"
}

test_stats_as_json_add_up() {
	"$BTFADDR" --stats=json "$kernel" >"$scratch/json"
	python3 - "$scratch/json" "$gcc" <<-'PY'
		import json, sys
		s = json.load(open(sys.argv[1]))
		assert s["seen"] == s["annotated"] + sum(s["left_out"].values()), s
		assert s["annotated"] == s["kept"] + s["corrected"] + s["added"], s
		assert s["annotated"] == sum(s["by_kind"].values()), s
		kinds = {"gcc12": (13, 13), "gcc14": (24, 2)}[sys.argv[2]]
		assert (s["by_kind"]["isra"], s["by_kind"]["constprop"]) == kinds, s
		assert s["by_kind"]["part"] == 2 and s["dropped"] == 5, s
		assert s["changed"] == 26 and 16 * s["changed"] < s["source_bytes"] < 4096, s
		assert s["ambiguous"] == 8 and s["without_address"]["init"] == 1, s
		assert s["bytes_after"] > s["bytes_before"] > 0, s
	PY
}

threads_that_decode_share_nothing() {
	valgrind -q --tool=helgrind --error-exitcode=99 "$DECODERS"
}

tests=(${DECODERS:+threads_that_decode_share_nothing})
for name in $KERNELS; do
	for what in has_{its_signatures,tags_of_its_sources,addresses_of_nm} is_annotated_again \
		is_the_same_on_any_number_of_threads keeps_its_ids; do
		tests+=("kernel $name $what")
	done
done
WITHOUT=${QUICK:+tags_on_parameters}
run_tests "${tests[@]}"
