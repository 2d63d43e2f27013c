#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What gcc -g1 says of functions, and what BTF makes of it, by released packages of Debian 12 alone.
#
# gcc 12 -g1 keeps a subprogram for each function, with name and address. It leaves out parameters, result
# and DW_AT_prototyped. So "long g(struct s *, int)" and "void v(void)" have the same attributes, and pahole
# 1.24 gives both the one prototype "void (void)", with status 0.
#
# Seen 2026-11-28: as the last lines say.
. "${0%/*}/lib.bash"

fetch bookworm gcc-12=12.2.0-14+deb12u1 binutils=2.40-2 pahole=1.24-4.1 bpftool
cat >"$root/w/x.c" <<'EOF'
struct s { long l; };
long g(struct s *p, int i) { return p->l + i; }
void v(void) { }
EOF
in_root gcc-12 -g1 -O2 -c -o /w/x.o /w/x.c
in_root readelf --debug-dump=info /w/x.o >"$work/dwarf"
expect "subprograms of -g1:" 2 "$(grep -c 'DW_TAG_subprogram' "$work/dwarf")"
expect "parameters, results, and DW_AT_prototyped:" 0 \
	"$(grep -cE 'DW_TAG_formal_parameter|DW_AT_type|DW_AT_prototyped' "$work/dwarf" || :)"
in_root pahole --btf_encode_detached=/w/x.btf /w/x.o
in_root bpftool btf dump file /w/x.btf >"$work/btf"
expect "prototypes in BTF:" "[1] FUNC_PROTO '(anon)' ret_type_id=0 vlen=0" "$(grep FUNC_PROTO "$work/btf")"
expect "functions with it:" "g v" "$(sed -n "s/.* FUNC '\(.*\)' type_id=1 .*/\1/p" "$work/btf" | sort | xargs)"
