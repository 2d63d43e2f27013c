#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# debuginfod 0.188 and debug packages, by released packages of Debian 12 alone.
#
# 1. The package "debuginfod" neither depends on bsdtar nor recommends it. "debuginfod -U" then serves
#    nothing of a folder of .deb files. One line of a shell says so; the server goes on, and answers 404.
# 2. It has noted the file as scanned. With bsdtar and the same database, the answer is still 404, until
#    the database is removed.
# 3. A vmlinux can't be asked for in pieces: a Range request is answered by 200 and the whole file. HEAD,
#    which would tell the size, is answered by 400. So a client can't resume.
#
# Seen 2026-11-28: 404, 404, 200; 200 with the whole size; 400.
. "${0%/*}/lib.bash"

server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$work"' EXIT

# serve - Start a server on the folder of packages, and wait until it has scanned them.
serve() {
	[[ -z $server ]] || { kill "$server"; wait "$server" 2>/dev/null || :; }
	url=http://127.0.0.1:$((20000 + RANDOM % 10000))
	chroot "$root" debuginfod -U /w/debs -d /w/db -p "${url##*:}" --disable-source-scan -g 0 -v >"$work/log" 2>&1 &
	server=$!
	for _ in {1..600}; do
		if in_root curl -s "$url/metrics" >"$work/metrics" &&
			grep -q '^thread_work_total{role="traverse"}' "$work/metrics" &&
			! grep -qE '^thread_(busy|work_pending)\{role="(scan|traverse)"\} [1-9]' "$work/metrics"; then
			return
		fi
		kill -0 "$server" || break
		sleep 0.1
	done
	cat "$work/log"
	exit 2
}

# ask [OPTION...] - Print the status of a request for the file.
ask() {
	in_root curl -s -o /w/got -w '%{http_code}' "$@" "$url/buildid/$id/debuginfo"
}

fetch bookworm debuginfod=0.188-2.1 binutils=2.40-2 curl dash
ln -sfn dash "$root/usr/bin/sh"
pkg=$work/pkg
mkdir -p "$root/w/debs" "$pkg/DEBIAN" "$pkg/usr/lib/debug"
printf '.globl _start\n_start: nop\n' >"$root/w/x.s"
in_root as -g -o /w/x.o /w/x.s
in_root ld --build-id=sha1 -o /w/x /w/x.o
id=$(in_root readelf -n /w/x | sed -n 's/.*Build ID: //p')
cp "$root/w/x" "$pkg/usr/lib/debug/"
printf 'Package: x-dbg\nVersion: 1\nArchitecture: all\nMaintainer: x <x@x>\nDescription: x\n' >"$pkg/DEBIAN/control"
dpkg-deb -b "$pkg" "$root/w/debs/x-dbg.deb" >/dev/null
serve
expect "debuginfod with what it depends on, of a .deb:" 404 "$(ask)"
fetch bookworm libarchive-tools
serve
expect "with bsdtar:" 404 "$(ask)"
rm "$root"/w/db*
serve
expect "with bsdtar, and a new database:" 200 "$(ask)"
expect "bytes 0 to 99 of it:" 200 "$(ask -r 0-99)"
expect "which are all of it:" "$(stat -c %s "$root/w/x")" "$(stat -c %s "$root/w/got")"
expect "HEAD:" 400 "$(ask -I)"
