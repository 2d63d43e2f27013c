#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What gcc -g1 says of functions, and what BTF makes of it, by released packages of Debian 12 alone. Needs
# root and apt.
#
# gcc 12 -g1 keeps a subprogram for each function, with name and address. It leaves out parameters, result
# and DW_AT_prototyped. So "long g(struct s *, int)" and "void v(void)" have the same attributes, and pahole
# 1.24 gives both the one prototype "void (void)", with status 0.
#
# Seen 2026-11-28: as the last lines say.
set -euo pipefail
export LC_ALL=C

work=$(mktemp -d)
root=$work/root
trap 'rm -rf "$work"' EXIT

# fetch SUITE NAME=VERSION...
fetch() {
	local uri apt d suite=$1
	shift
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/$')
	mkdir -p "$work"/{lists,cache/archives,none}/partial "$root"/{usr/{bin,sbin,lib,lib64},w,dev,tmp}
	cp -a /dev/null "$root/dev/"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" >"$work/list"
	apt=(apt-get -qq -y -d --no-install-recommends -o Dir::Etc::SourceList="$work/list"
		-o Dir::Etc::SourceParts="$work/none" -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache"
		-o Dir::State::Status=/dev/null -o APT::Sandbox::User=root -o Debug::NoLocking=true)
	"${apt[@]}" update >/dev/null 2>&1 && "${apt[@]}" install "$@" >/dev/null 2>&1 ||
		{ echo "can't install $*"; exit 2; }
	for d in bin sbin lib lib64; do ln -sfn "usr/$d" "$root/$d"; done
	for d in "$work"/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$d" | tar -x -C "$root" --keep-directory-symlink
	done
}

# expect WHAT WANT SEEN
expect() {
	printf '%-60s %s\n' "$1" "$3"
	[[ $3 == "$2" ]] || { echo "it was $2"; exit 1; }
}

in_root() {
	chroot "$root" "$@"
}

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
