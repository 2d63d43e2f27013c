#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# DWARF compressed by zstd, by released packages of Debian 12 alone.
#
# binutils 2.40 writes and reads sections compressed by zstd. elfutils 0.188 of the same release can't read
# them, and calls the DWARF invalid. pahole 1.24, which uses its library, writes no BTF and no word, with
# status 0. So a build that asks for zstd goes on without types.
#
# Seen 2026-11-28: as the last lines say.
. "${0%/*}/lib.bash"

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
