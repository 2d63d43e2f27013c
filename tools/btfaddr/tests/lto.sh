# SPDX-License-Identifier: GPL-2.0-only
# ThinLTO: a static function that another unit calls after inlining becomes name.llvm.<hash>, and
# DWARF refers from one unit to another. Sourced by run.sh.

build_lto()
{
	local out=$1 dwarf=$2 file

	for file in a b; do
		clang-19 -flto=thin "${CFLAGS[@]:0:4}" -g -gdwarf-"$dwarf" \
			-c "$HERE/src/lto/$file.c" -o "$out.$file.o"
	done
	clang-19 -fuse-ld=lld -nostdlib -static -Wl,-Ttext=$TEXT,--defsym=_text=$TEXT \
		"$out.a.o" "$out.b.o" -o "$out"
	pahole -J "$out"
}

# What src/lto has in each build.
readonly LTO_PROTOS=("long promoted.llvm.HASH(struct pair *p, int n);" \
	"long imported(struct pair *p, int n);" "long lto_user(struct pair *p, int n);")

lto()
{
	local dwarf out proto unit rc

	for dwarf in 4 5; do
		out=$WORK/lto-$dwarf
		check "thinlto dwarf$dwarf: builds" build_lto "$out" $dwarf
		[ $rc = 0 ] || continue
		"$BTFADDR" "$out" -o "$out.btf"
		"$BTFADDR" "$out.btf" --dump >"$out.btf.dump"
		sed 's/\.llvm\.[0-9]*/.llvm.HASH/' "$out.btf.dump" >"$out.dump"
		for proto in "${LTO_PROTOS[@]}"; do
			rc=0
			has_line "$out.dump" '^0x' - "$proto" || rc=1
			report_log $rc "thinlto dwarf$dwarf: $proto" "$out.dump"
		done
		for unit in a b; do
			rc=0
			has_line "$out.dump" '^0x' "tests/src/lto/$unit.c" \
				"long both.llvm.HASH(struct pair *p, int n);" || rc=1
			report_log $rc "thinlto dwarf$dwarf: both.llvm.HASH of $unit.c is tagged" "$out.dump"
		done
		general "thinlto dwarf$dwarf" "$out" "$out.btf"
		bpftool btf dump file "$out.btf.legacy" format raw >"$out.raw"
		check "thinlto dwarf$dwarf: what changed is tagged with its source" declared \
			"$out.raw" "$out.dump" 1 "$HERE"/src/lto/*.c "$HERE/src/header.h"
	done
}
