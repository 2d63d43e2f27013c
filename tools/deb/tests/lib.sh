# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by the tests of tools/deb. They use a small repository, and stubs for slow commands.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repo=${here%/tools/deb/tests}
. "$repo/tools/harness/taplib.sh"
unset BASE BUILD KSRC CONFIG LOCALVERSION OPTIONS DEBEMAIL DEBFULLNAME MAKEFLAGS MFLAGS MAKELEVEL
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

commit() {
	git -C "$1" add -A
	git -C "$1" -c user.name=Dev -c user.email=dev@example.com commit -qm "$2" \
		--date "${3:-2026-01-02T03:04:05Z}"
}

# Make a repository with one commit in $r. Its kernel tree is a repository with one commit, too.
# Pretend that the machine has enough disk and memory.
small_repo() {
	stub_free 99999 99999
	r=$scratch/r linux=$scratch/r/build/linux
	# shellcheck disable=SC2034 # used by those who source this
	steps=$r/tools/deb
	mkdir -p "$r"/tools/{btfaddr,fentry} "$r/kernel/6.12" \
		"$linux"/{include/uapi,scripts} "$linux"/tools/{arch,build,include,lib,scripts}
	cp -r "$repo/tools/harness" "$repo/tools/deb" "$r/tools/"
	cp "$repo/tools/fentry/fentry-files" "$r/tools/fentry/"
	cp "$repo/.gitignore" "$r/"
	echo 'VERSION := 1.7.0' >"$r/tools/version.mk"
	echo text | tee "$r"/tools/{arch,quiet}.mk >/dev/null
	echo code >"$r/tools/btfaddr/main.c"
	echo code >"$r/tools/fentry/main.c"
	for file in include/uapi/a.h scripts/bpf_doc.py tools/{arch,build,include,lib,scripts}/x; do
		echo text >"$linux/$file"
	done
	printf 'VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\nEXTRAVERSION =\n' >"$linux/Makefile"
	git -C "$r" init -q
	export GIT_COMMITTER_DATE=2026-01-02T03:04:05Z
	commit "$r" first
	git -C "$linux" init -q
	commit "$linux" base
}

# Make a kernel of three modules in $kernel, and a btfaddr that can't read damaged files. Its output
# is the names of the input and of the base.
small_kernel() {
	small_repo
	kernel=$scratch/kernel
	mkdir -p "$r/build/bin" "$kernel"/{drivers/net,fs,include/config}
	echo 6.12.117-Mine+ | tr 'M' 'm' >"$kernel/include/config/kernel.release"
	echo "good Linux version 6.12.117-mine+ (gcc)" >"$kernel/vmlinux"
	for module in drivers/net/snd-usb drivers/net/dummy fs/ext4; do
		echo good >"$kernel/$module.ko"
	done
	cat >"$r/build/bin/btfaddr" <<-'END'
		#!/bin/bash
		[[ $1 == --functions ]] || exit 9
		input=${!#}
		grep -q good "$input" || { echo "btfaddr: $input: no DWARF" >&2; exit 1; }
		echo "$(basename "$input") $([[ $3 != --btf_base ]] || basename "$4")" >"$2"
	END
	chmod +x "$r/build/bin/btfaddr"
}

# Make a debug package in $archive, and an apt-get that has no other package. $scratch/asked gets
# its arguments.
debug_package() {
	local tree=$scratch/tree debug=usr/lib/debug

	small_kernel
	archive=$scratch/archive release=6.12.117+deb12
	debug_name=linux-image-$release-dbg
	mkdir -p "$archive" "$tree/DEBIAN" "$tree/$debug/boot" "$tree/$debug/lib/modules/$release/kernel/fs"
	echo good >"$tree/$debug/boot/vmlinux-$release"
	echo good >"$tree/$debug/lib/modules/$release/kernel/fs/ext4.ko"
	printf 'Package: %s\nVersion: 1\nInstalled-Size: 9\nArchitecture: amd64\nMaintainer: x\nDescription: x\n' \
		"$debug_name" >"$tree/DEBIAN/control"
	dpkg-deb --build "$tree" "$archive/${debug_name}_1_amd64.deb" >/dev/null
	stub apt-get "echo \"\$*\" >>'$scratch/asked'; cp '$archive'/\"\${!#}\"_*.deb ."
}
