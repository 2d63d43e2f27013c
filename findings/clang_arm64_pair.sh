#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Where clang says that a structure of 16 bytes is when a function begins, by released packages of Debian 12
# alone.
#
# "long f(struct pair p, int n)" gets p in two registers, on x86-64 as on arm64. For x86-64 clang 19's list of
# p's locations begins at the function's first instruction, and names both. For arm64 it begins later, so a
# tracer at the entry is told nothing of p, while n, which comes behind it, is described from the entry on.
#
# Seen 2026-11-28: as the last lines say.
. "${0%/*}/lib.bash"

fetch bookworm clang-19=1:19.1.7-3~deb12u1 llvm-19=1:19.1.7-3~deb12u1
cat >"$root/w/x.c" <<'EOF'
struct pair { long a, b; };
extern long out(long a, long b);
long f(struct pair p, int n) { return out(p.a + p.b, n) + 1; }
EOF

# at_entry NAME - The locations of a parameter that hold at address 0, where f() begins.
at_entry() {
	awk -v name="(\"$1\")" '
		/DW_TAG/ { where = "none" }
		/\[0x0000000000000000, / { sub(/.*\): /, ""); sub(/\)?$/, ""); where = $0 }
		/DW_AT_name/ && $2 == name { print where }' "$work/dwarf"
}

for target in x86_64 aarch64; do
	in_root clang-19 --target=$target-linux-gnu -O2 -g -c -o /w/x.o /w/x.c
	in_root llvm-dwarfdump-19 --debug-info /w/x.o >"$work/dwarf"
	case $target in
	x86_64)
		expect "x86_64: p" "DW_OP_reg5 RDI, DW_OP_piece 0x8, DW_OP_reg4 RSI, DW_OP_piece 0x8" "$(at_entry p)"
		expect "x86_64: n" "DW_OP_reg1 RDX" "$(at_entry n)"
		;;
	aarch64)
		expect "aarch64: p" none "$(at_entry p)"
		expect "aarch64: n" "DW_OP_reg2 W2" "$(at_entry n)"
		;;
	esac
done
