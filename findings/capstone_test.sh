#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What capstone says "test REGISTER,MEMORY" reads, by released packages of Debian 12 and 13 alone. Needs
# root and apt.
#
# cs_regs_access() of 4.0.2 says that it reads the register, and writes the flags. 5.0.7 gives both operands
# access 0, and names neither register nor flags, without an error. The forms with two registers are right
# in both, and so is cmp. Who takes the answer for all that is read loses a register by the newer release.
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

# access CODE - Print what Python's capstone says that an instruction reads / writes.
access() {
	in_root python3 - "$1" <<-'EOF'
	import sys
	import capstone
	cs = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
	cs.detail = True
	insn, = cs.disasm(bytes.fromhex(sys.argv[1]), 0)
	print(" / ".join(" ".join(sorted(map(insn.reg_name, r))) for r in insn.regs_access()))
	EOF
}

fetch bookworm python3-capstone=4.0.2-5
expect "4.0.2: test %edx,0(%rip):" "edx rip / rflags" "$(access 851500000000)"
rm -rf "$root" "$work/cache"
fetch trixie python3-capstone=5.0.7-1~deb13u1
expect "5.0.7: test %edx,0(%rip):" "rip / " "$(access 851500000000)"
expect "5.0.7: test %edx,%edx:" "edx / rflags" "$(access 85d2)"
expect "5.0.7: cmp %edx,0(%rip):" "edx rip / rflags" "$(access 391500000000)"
