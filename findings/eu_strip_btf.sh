#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What strips a module decides whether it has BTF, by released packages of Debian 12 alone. Needs root
# and apt.
#
# A module's .BTF isn't allocated: the kernel's loader reads it from the file. binutils' "strip -g" keeps
# such a section. elfutils' eu-strip 0.188 takes it for debug info: it leaves the module, and is in the file
# of debug info, unless --keep-section=.BTF is given. The kernel loads such a module without a word, and
# without BTF. eu-unstrip joins the two again, also for relocatable files: code, DWARF and BTF are back.
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

# expect FILE SECTIONS - Check which of .text, .BTF and .debug_info a file has; NOBITS counts as not.
expect() {
	local has

	has=$(chroot "$root" readelf -SW "/w/$1" | awk '/ (\.text|\.BTF|\.debug_info) +PROGBITS/ {
		sub(/.*\] /, ""); print $1 }' | sort | xargs)
	printf '%-40s %s\n' "$1 has" "$has"
	[[ $has == "$2" ]] || { echo "it was $2"; exit 1; }
}

in_root() {
	chroot "$root" "$@"
}

fetch bookworm elfutils=0.188-2.1 binutils=2.40-2
mkdir -p "$root/w"
printf '.globl f\nf: nop\n.section .BTF,"",@progbits\n.long 0x1eb9f\n' >"$root/w/x.s"
in_root as -g -o /w/x.ko /w/x.s
in_root strip -g -o /w/strip.ko /w/x.ko
in_root eu-strip -f /w/eu.debug -o /w/eu.ko /w/x.ko
in_root eu-strip --keep-section=.BTF -f /w/keep.debug -o /w/keep.ko /w/x.ko
in_root eu-unstrip -o /w/joined.ko /w/eu.ko /w/eu.debug
expect x.ko ".BTF .debug_info .text"
expect strip.ko ".BTF .text"
expect eu.ko ".text"
expect eu.debug ".BTF .debug_info"
expect keep.ko ".BTF .text"
expect joined.ko ".BTF .debug_info .text"
