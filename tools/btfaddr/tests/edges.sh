#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Where execution goes on besides where instructions say, in vmlinux and in modules: src/edges.c.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# known - The dump lists all registers of src/edges.c, and no other
known() {
	local name two=(by_{key,key_on,warn,alternative,nothing,fault}) one=(no_{warn,alternative,fault})

	for name in "${two[@]}"; do
		dumped "\tlong $name\.isra\.0\(p__isra0, p__isra1\);"
	done
	for name in "${one[@]}"; do
		dumped "\tlong $name\.isra\.0\(p__isra0\);"
	done
	dumped '\tlong by_warn_on_stack\.isra\.0\(.*, long f, p__isra0, p__isra1\);'
	left_out 'by_hypercall\.isra\.0'
	dumped '\tint ret_key\.isra\.0\('
	dumped '\tint ret_warn\.isra\.0\('
	dumped '\tvoid ret_unused\.isra\.0\('
}

# The fields of struct bug_entry behind the first, by version and configuration
declare -A entries=([7.0]='.long 0, 0; .short 7, FLAGS' [before_7.0]='.long 0; .short 7, FLAGS'
	[7.0_without_BUGVERBOSE]='.long 0; .short FLAGS, 0' [before_7.0_without_BUGVERBOSE]='.short FLAGS, 0')

# edges_object FORM FLAG... - Compile src/edges.c.
edges_object() {
	"${CROSS}gcc" "${CFLAGS[@]}" -g -DBUG_ENTRY="\"${entries[$1]}\"" "${@:2}" -c "$here/src/edges.c" \
		-o "$scratch/edges.o"
}

in_vmlinux() {
	local table=(-DJUMP_TABLE='"__jump_table"')

	[[ $1 != 7.0 ]] || table=(-DJUMP_TABLE='".data.jumps"' -DJUMP_TABLE_BY_SYMBOLS)
	edges_object "$1" "${table[@]}"
	link_kernel "$scratch/edges" "$scratch/edges.o"
	annotated "$scratch/edges"
	known
}

in_module() {
	edges_object "$1" -DJUMP_TABLE='"__jump_table"'
	link_module "$scratch/edges.ko" "$scratch/edges.o"
	annotated_module "$scratch/edges.ko"
	known
}

tests=("in_vmlinux 7.0" "in_module 7.0")
[[ -n ${QUICK:-} ]] || tests+=("in_vmlinux before_7.0" "in_module before_7.0"
	"in_vmlinux 7.0_without_BUGVERBOSE" "in_module before_7.0_without_BUGVERBOSE")
run_tests "${tests[@]}" "${tests[@]/#/on_arm64 }"
