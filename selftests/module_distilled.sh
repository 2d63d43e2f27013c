#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The module "kinds" was built for the kernel of flavour gcc. On a kernel whose BTF has other type ids
# it has the same functions, if it has a distilled base. TAP; runs on the kernel of flavour other.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/module_lib.sh"

readonly HERE_BTF=/sys/kernel/btf/vmlinux
readonly BUILT_FOR=$OUTPUT/legacy-gcc		# BTF of the kernel that the module was built for
readonly DISTILLED=$OUTPUT/distilled-gcc/kinds.ko
readonly WHOLE=$OUTPUT/whole-gcc/kinds.ko	# needs that very BTF
readonly BIN=$OUTPUT/../bin

# The struct of vmlinux that a function of the module reads.
readonly STRUCT=kretprobe

# id_of STRUCT FILE - its id in this BTF.
id_of() {
	bpftool btf dump file "$2" | sed -n "s/^\[\([0-9]*\)\] STRUCT '$1' .*/\1/p"
}

test_vmlinux_has_other_type_ids() {
	local here built_for

	here=$(id_of "$STRUCT" "$HERE_BTF")
	built_for=$(id_of "$STRUCT" "$BUILT_FOR")
	[[ -n $here && -n $built_for && $here -ne $built_for ]] ||
		fail "struct $STRUCT is $here here, $built_for where the module was built"
	echo "struct $STRUCT is $here here, $built_for where the module was built"
}

test_module_without_distilled_base_is_refused() {
	dmesg -C
	refused "$WHOLE" "Invalid parameters"
	run dmesg
	want_text "failed to validate module [kinds] BTF: -22"
}

test_distilled_module_has_its_functions() {
	load_file "$DISTILLED"
	described
}

# Compares the prototypes with those in the module's file, which has type ids of the other vmlinux.
test_distilled_module_has_their_prototypes() {
	"$BIN/btfaddr" --dump --btf_base "$BUILT_FOR" "$WHOLE" |
		awk -F '\t' '$1 != "-" { sub(/;$/, "", $4); print $3, $4 }' | sort >"$scratch/built"
	[[ $(wc -l <"$scratch/built") -gt 30 ]] || fail "built with $(<"$scratch/built")"
	load_file "$DISTILLED"
	"$BIN/fentry" list 'kinds:*' --json |
		jq -r '.[] | select(.address) | "\(.unit // "-") \(.prototype)"' | sort |
		diff "$scratch/built" - || fail "built with <, listed >"
}

test_distilled_module_is_traced() {
	kinds "$DISTILLED"
}

run_tests
