#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "deps", with an apt that is a stub.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Make a package list for the test, and a dpkg-query and an apt-get that know no package.
stub_apt() {
	printf 'base nosuch-package-btfaddr\n' >"$scratch/packages"
	stub apt-get 'echo "E: Unable to locate package nosuch-package-btfaddr" >&2; exit 100'
	stub sudo 'exit 1'
	stub apt-cache 'exit 1'
	export PACKAGES=$scratch/packages BUILD=$scratch/build
}

test_deps_nothing_missing_is_silent() {
	printf 'base bash coreutils\n' >"$scratch/packages"
	PACKAGES=$scratch/packages expect 0 '' "$harness/deps"
	[[ -z $out ]] || fail "said: $out"
}

test_deps_names_the_unreachable_package() {
	stub_apt
	stub id 'echo 0'
	expect 1 "E: Unable to locate package nosuch-package-btfaddr" "$harness/deps"
	want_text "package nosuch-package-btfaddr: not in any source that apt knows"
}

test_deps_without_root_prints_the_apt_get_line() {
	stub_apt
	stub id 'echo 1000'
	run "$harness/deps"
	want_status 1
	want_text "apt-get update && apt-get install -y --no-install-recommends nosuch-package-btfaddr"
}

run_tests
