#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the scripts that make Debian packages, on a small repository, with stubs for what
# takes long. Needs no kernel, no root and no network.
# shellcheck disable=SC2154 # status, out and scratch come from taplib.sh
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repo=${here%/tools/deb}
. "$repo/tools/harness/taplib.sh"
unset BASE BUILD KSRC CONFIG LOCALVERSION DEBEMAIL DEBFULLNAME MAKEFLAGS MFLAGS MAKELEVEL
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

# stub NAME TEXT - a command of this name, in bash, before all others.
stub() {
	mkdir -p "$scratch/bin"
	printf '#!/bin/bash\n%s\n' "$2" >"$scratch/bin/$1"
	chmod +x "$scratch/bin/$1"
	PATH=$scratch/bin:$PATH
}

commit() {
	git -C "$1" add -A
	git -C "$1" -c user.name=Dev -c user.email=dev@example.com commit -qm "$2" \
		--date "${3:-2026-01-02T03:04:05Z}"
}

# A repository with one commit, in $r, whose kernel tree is one as well.
small_repo() {
	r=$scratch/r linux=$scratch/r/build/linux
	steps=$r/tools/harness
	mkdir -p "$r"/tools/{btfaddr,fentry,deb} "$r/kernel/6.12" \
		"$linux"/{include/uapi,scripts} "$linux"/tools/{arch,build,include,lib,scripts}
	cp -r "$repo/tools/harness" "$r/tools/"
	cp -r "$here/debian" "$r/tools/deb/"
	cp "$repo/.gitignore" "$r/"
	echo 'const char *argp_program_version = "btfaddr 1.7";' >"$r/tools/btfaddr/main.c"
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

# dpkg-buildpackage that makes empty packages, and remembers what it was given.
small_deb() {
	small_repo
	# shellcheck disable=SC2016 # the stub's own
	stub dpkg-buildpackage 'v=$(sed -n "1s/.*(\(.*\)).*/\1/p" debian/changelog)
		for p in btfaddr fentry libfentry1 libfentry-dev; do : >"../${p}_${v}_amd64.deb"; done
		: >../x.changes; rm -rf "'"$scratch"'/src"; cp -r . "'"$scratch"'/src"'
	stub lintian 'exit 0'
	stub dpkg-query 'echo versions'
}

debs() {
	(cd "$r/build/deb" && ls -- *.deb | sort)
}

test_deb_version_is_that_of_the_commit() {
	small_deb
	run "$steps/deb"
	want_status 0
	id=$(git -C "$r" rev-parse --short=7 HEAD)
	[[ $(debs | tail -n 1) == "libfentry1_1.7~git20260102.030405.${id}_amd64.deb" ]] || fail "$(debs)"
	[[ $(debs | wc -l) -eq 4 ]] || fail "$(debs)"
	[[ $(grep '^Maintainer' "$scratch/src/debian/control") == "Maintainer: Dev <dev@example.com>" ]] ||
		fail "$(<"$scratch/src/debian/control")"
	grep -q 'Fri, 2 Jan 2026 03:04:05' "$scratch/src/debian/changelog" ||
		fail "$(<"$scratch/src/debian/changelog")"
	[[ -e $scratch/src/tools/fentry/main.c && -e $scratch/src/linux/tools/lib/x ]] || fail "not all there"
}

test_deb_twice_does_nothing() {
	small_deb
	"$steps/deb"
	stub dpkg-buildpackage 'exit 9'
	run "$steps/deb"
	want_status 0
	[[ -z $out ]] || fail "said: $out"
}

test_deb_follows_what_is_not_committed_and_what_is() {
	small_deb
	"$steps/deb"
	echo more >>"$r/tools/fentry/main.c"
	run "$steps/deb"
	want_status 0
	[[ $(debs | wc -l) -eq 4 && $(debs) == *"+local_amd64.deb" ]] || fail "$(debs)"
	grep -q more "$scratch/src/tools/fentry/main.c" || fail "not built"
	GIT_COMMITTER_DATE=2026-01-03T00:00:00Z commit "$r" second
	run "$steps/deb"
	[[ $(debs) == *"~git20260103.000000."* && $(debs) != *local* && $(debs | wc -l) -eq 4 ]] || fail "$(debs)"
	echo more >>"$linux/tools/lib/x"
	run "$steps/deb"
	want_text "DEB "
	grep -q more "$scratch/src/linux/tools/lib/x" || fail "not built"
}

# dpkg must take the next one for newer.
test_deb_versions_sort() {
	local a='1.7~git20260102.030405.abc1234'

	dpkg --compare-versions "$a" lt "$a+local"
	dpkg --compare-versions "$a+local" lt 1.7~git20260102.030406.0000000
	dpkg --compare-versions 1.7~git20260102.030406.0000000 lt 1.7
}

test_deb_that_fails_leaves_the_older_packages() {
	local before

	small_deb
	"$steps/deb"
	before=$(debs)
	echo more >>"$r/tools/fentry/main.c"
	stub lintian 'echo "E: fentry: some-tag"; exit 1'
	run "$steps/deb"
	want_status 1
	want_text "lintian found errors"
	want_text "E: fentry: some-tag"
	[[ $(debs) == "$before" ]] || fail "$(debs)"
	stub dpkg-buildpackage 'echo "main.c:1: error: no such thing"; exit 2'
	run "$steps/deb"
	want_status 1
	want_text "dpkg-buildpackage failed"
	want_text "main.c:1: error: no such thing"
	[[ $(debs) == "$before" ]] || fail "$(debs)"
}

test_deb_without_a_commit() {
	small_deb
	rm -rf "$r/.git"
	run "$steps/deb"
	want_status 1
	want_text "the packages' version is that of the commit"
	[[ ! -e $r/build/deb ]] || fail "half made"
}

test_deb_takes_the_maintainer_that_debian_tools_take() {
	small_deb
	DEBFULLNAME=Me DEBEMAIL=me@example.org run "$steps/deb"
	grep -qx 'Maintainer: Me <me@example.org>' "$scratch/src/debian/control" || fail "$out"
	grep -q '^ -- Me <me@example.org>' "$scratch/src/debian/changelog" || fail "$out"
}

run_tests
