# SPDX-License-Identifier: GPL-2.0-only
# Where execution goes on besides where instructions say, in vmlinux and in modules: src/edges.c.
# Sourced by run.sh, after uses.sh and modules.sh.

# edges_known - the dump in $WORK/guard.dump lists all registers of src/edges.c, and no other
edges_known()
{
	local name two=(by_{key,key_on,warn,alternative,nothing,fault}) one=(no_{warn,alternative,fault})

	for name in "${two[@]}"; do
		grep -qP "\tlong $name\.isra\.0\(unsigned long p__isra0, unsigned long p__isra1\);" \
			"$WORK/guard.dump" || return 1
	done
	for name in "${one[@]}"; do
		grep -qP "\tlong $name\.isra\.0\(unsigned long p__isra0\);" "$WORK/guard.dump" ||
			return 1
	done
	grep -qP '\tlong by_warn_on_stack\.isra\.0\(.*, long f, unsigned long p__isra0, unsigned long p__isra1\);' \
		"$WORK/guard.dump" || return 1
	grep -q '	by_hypercall\.isra\.0	' "$WORK/guard.left" &&
		grep -q '	int ret_key\.isra\.0(' "$WORK/guard.dump" &&
		grep -q '	int ret_warn\.isra\.0(' "$WORK/guard.dump" &&
		grep -q '	void ret_unused\.isra\.0(' "$WORK/guard.dump"
}

# edges_object ENTRY FLAG... - compile src/edges.c; ENTRY: fields of struct bug_entry behind the first
edges_object()
{
	"${CROSS}gcc" "${CFLAGS[@]}" -g -DBUG_ENTRY="\"$1\"" "${@:2}" -c "$HERE/src/edges.c" -o "$WORK/edges.o"
}

edges_vmlinux()
{
	edges_object "$@"
	link_kernel "$WORK/edges" "$WORK/edges.o"
	annotated "$WORK/edges"
	edges_known
}

edges_module()
{
	edges_object "$@"
	link_module "$WORK/edges.ko" "$WORK/edges.o"
	annotated_module "$WORK/edges.ko"
	edges_known
}

# edges [PREFIX] - with each of the four forms that struct bug_entry has, by version and configuration
edges()
{
	local table='-DJUMP_TABLE="__jump_table"'
	local verbose='.long 0; .short 7, FLAGS' brief='.short FLAGS, 0'
	local newer_verbose='.long 0, 0; .short 7, FLAGS' newer_brief='.long 0; .short FLAGS, 0'

	check "${1:-}edges: vmlinux" edges_vmlinux "$newer_verbose" -DJUMP_TABLE='".data.jumps"' \
		-DJUMP_TABLE_BY_SYMBOLS
	check "${1:-}edges: module" edges_module "$newer_verbose" "$table"
	[ -z "${QUICK:-}" ] || return 0
	check "${1:-}edges: before 7.0" edges_vmlinux "$verbose" "$table"
	check "${1:-}edges: module, before 7.0" edges_module "$verbose" "$table"
	check "${1:-}edges: without BUGVERBOSE" edges_vmlinux "$newer_brief" "$table"
	check "${1:-}edges: without BUGVERBOSE, before 7.0" edges_module "$brief" "$table"
}
