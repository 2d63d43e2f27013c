#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# DWARF compressed by zstd, by released packages of Debian 12 alone. Needs root and apt.
#
# binutils 2.40 writes and reads sections compressed by zstd. elfutils 0.188 of the same release can't read
# them, and calls the DWARF invalid. pahole 1.24, which uses its library, writes no BTF and no word, with
# status 0. So a build that asks for zstd goes on without types.
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

# btf FILE - Let pahole write BTF; print its status, how many lines it said, and how many files there are.
btf() {
	local status=0

	in_root pahole "--btf_encode_detached=/w/$1.btf" "/w/$1" >"$work/said" 2>&1 || status=$?
	echo "$status $(wc -l <"$work/said") $(find "$root/w" -name "$1.btf" | wc -l)"
}

fetch bookworm gcc-12=12.2.0-14+deb12u1 binutils=2.40-2 pahole=1.24-4.1 elfutils=0.188-2.1
echo 'int a(int x) { return x; }' >"$root/w/x.c"
in_root gcc-12 -g -O2 -c -o /w/x.o /w/x.c
for c in zlib zstd; do in_root objcopy --compress-debug-sections=$c /w/x.o /w/$c.o; done
expect "readelf, zstd: functions" 1 "$(in_root readelf -wi /w/zstd.o | grep -c DW_TAG_subprogram)"
expect "eu-readelf, zlib: functions" 1 "$(in_root eu-readelf -winfo /w/zlib.o | grep -cw subprogram)"
expect "eu-readelf, zstd:" "eu-readelf: cannot get next unit: invalid DWARF" \
	"$(in_root eu-readelf -winfo /w/zstd.o 2>&1 >/dev/null || :)"
expect "pahole, zlib: status, lines, files of BTF" "0 0 1" "$(btf zlib.o)"
expect "pahole, zstd: status, lines, files of BTF" "0 0 0" "$(btf zstd.o)"
