#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# gcc -gbtf and the linker, by released packages of Debian 12 alone.
#
# 1. gcc 12 -gbtf writes a FUNC for a function that is only declared and called, as it does for one with
#    code, and its linkage says "static" for all.
# 2. GNU ld 2.40 knows nothing of .BTF and puts the sections one behind the other. bpftool 7.1 reads the
#    first object's and doesn't mention the rest: status 0, and the other objects' functions are gone.
#
# Seen 2026-11-28: as the last lines say.
. "${0%/*}/lib.bash"

# functions FILE - Print the functions that bpftool reads.
functions() {
	in_root bpftool btf dump file "/w/$1" >"$work/btf"
	sed -n "s/.* FUNC '\(.*\)' .* linkage=\(.*\)/\1:\2/p" "$work/btf" | sort | xargs
}

fetch bookworm gcc-12=12.2.0-14+deb12u1 binutils=2.40-2 bpftool
echo 'int a(int x) { return x; }' >"$root/w/a.c"
echo 'int a(int); int b(int x) { return a(x) + 1; }' >"$root/w/b.c"
for o in a b; do in_root gcc-12 -gbtf -O2 -c -o "/w/$o.o" "/w/$o.c"; done
in_root ld -r -o /w/ab.o /w/a.o /w/b.o
in_root ld -r -o /w/ba.o /w/b.o /w/a.o
expect "a.o, which defines a:" "a:static" "$(functions a.o)"
expect "b.o, which defines b and calls a:" "a:static b:static" "$(functions b.o)"
expect "ld -r a.o b.o:" "a:static" "$(functions ab.o)"
expect "ld -r b.o a.o:" "a:static b:static" "$(functions ba.o)"
expect "sections .BTF there:" 1 "$(in_root readelf -SW /w/ab.o | grep -c ' \.BTF ')"
