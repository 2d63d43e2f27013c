# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by every finding. $root is a folder for released packages, which goes at the end.
set -euo pipefail
export LC_ALL=C

work=$(mktemp -d)
root=$work/root
trap 'rm -rf "$work"' EXIT

# fetch SUITE NAME=VERSION... - Install packages of a suite of Debian, with what they depend on, in $root.
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

# expect WHAT WANT SEEN - Print what was seen, and fail if it is something else.
expect() {
	printf '%-60s %s\n' "$1" "$3"
	[[ $3 == "$2" ]] || { echo "it was $2"; exit 1; }
}

in_root() {
	chroot "$root" "$@"
}
