#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "deb", which builds the packages of the tools.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Make a dpkg-buildpackage that makes empty packages, and copies the sources to $scratch/src.
small_deb() {
	small_repo
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
	expect 0 '' "$steps/deb"
	id=$(git -C "$r" rev-parse --short=7 HEAD)
	[[ $(debs | tail -n 1) == "libfentry1_1.7.0~git20260102.030405.$id~deb"*_amd64.deb ]] || fail "$(debs)"
	[[ $(debs | wc -l) -eq 4 ]] || fail "$(debs)"
	[[ $(grep '^Maintainer' "$scratch/src/debian/control") == "Maintainer: Dev <dev@example.com>" ]] ||
		fail "$(<"$scratch/src/debian/control")"
	grep -q 'Fri, 2 Jan 2026 03:04:05' "$scratch/src/debian/changelog" ||
		fail "$(<"$scratch/src/debian/changelog")"
	[[ -e $scratch/src/tools/fentry/main.c && -e $scratch/src/linux/tools/lib/x ]] || fail "not all there"
}

test_deb_follows_what_is_not_committed_and_what_is() {
	small_deb
	"$steps/deb"
	expect 0 '' "$steps/deb"
	[[ -z $out ]] || fail "again: $out"
	echo more >>"$r/tools/fentry/main.c"
	expect 0 '' "$steps/deb"
	[[ $(debs | wc -l) -eq 4 && $(debs) == *"+local~deb"*_amd64.deb ]] || fail "$(debs)"
	grep -q more "$scratch/src/tools/fentry/main.c" || fail "not built"
	GIT_COMMITTER_DATE=2026-01-03T00:00:00Z commit "$r" second
	run "$steps/deb"
	[[ $(debs) == *"~git20260103.000000."* && $(debs) != *local* && $(debs | wc -l) -eq 4 ]] || fail "$(debs)"
	echo more >>"$linux/tools/lib/x"
	run "$steps/deb"
	want_text "DEB "
	grep -q more "$scratch/src/linux/tools/lib/x" || fail "not built"
}

test_deb_that_fails_leaves_the_older_packages() {
	local before

	small_deb
	"$steps/deb"
	before=$(debs)
	echo more >>"$r/tools/fentry/main.c"
	stub lintian 'echo "E: fentry: some-tag"; exit 1'
	expect 1 "lintian found errors or warnings" "$steps/deb"
	want_text "E: fentry: some-tag"
	[[ $(debs) == "$before" ]] || fail "$(debs)"
	stub dpkg-buildpackage 'echo "main.c:1: error: no such thing"; exit 2'
	expect 1 "dpkg-buildpackage failed" "$steps/deb"
	want_text "main.c:1: error: no such thing"
	[[ $(debs) == "$before" ]] || fail "$(debs)"
}

run_tests
