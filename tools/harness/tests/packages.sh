#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "deps", and of what "source" fetches, with an apt that is a stub.
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

# stub_suite UPDATE SHOW - Make an apt whose archive has one source package. $scratch/apt-get.log
# has the arguments that apt-get was called with. UPDATE and SHOW are the statuses of "apt-get
# update" and of "apt-cache show", which tells whether the package is there.
stub_suite() {
	mkdir -p "$scratch/deb/usr/src"
	tar -cJf "$scratch/deb/usr/src/linux-source-7.3.tar.xz" -C "$scratch" src
	stub apt-get 'echo "$*" >>"'"$scratch"'/apt-get.log"
		case $* in
		indextargets*) echo "http://mirror.test/debian/" ;;
		*update) echo "E: Failed to fetch" >&2; exit '"$1"' ;;
		*download*) : >linux-source-7.3_1_all.deb ;;
		esac'
	stub apt-cache 'case $* in
		*show*) exit '"$2"' ;;
		*pkgnames*) echo linux-source-7.5; echo linux-source-7.4 ;;
		esac'
	stub dpkg-deb 'tar -c -C "'"$scratch"'/deb" ./usr'
	export BASE=7.3
}

# apt's configuration names nothing of the system's except its mirror and its keys.
test_source_that_the_system_lacks_is_fetched() {
	small_tree
	mkdir "$scratch/r/kernel/7.3"
	stub_suite 0 0
	unset KSRC
	expect 0 "linux-source-7.3 of trixie-backports" "$steps/source"
	linux=$scratch/r/build/7.3/linux
	[[ $(git -C "$linux" log --format=%s base) == "base: linux-source-7.3.tar.xz" ]] || fail "$out"
	! grep -v "^indextargets\|-c $scratch/r/build/7.3/source/apt/conf" "$scratch/apt-get.log" ||
		fail "the system's configuration"
	[[ $(<"$scratch/r/build/7.3/source/apt/sources.list") == \
	   "deb [signed-by="*"] http://mirror.test/debian/ trixie-backports main" ]] || fail "other sources"
	grep -q '^Dir::State "'"$scratch" "$scratch/r/build/7.3/source/apt/conf" || fail "other state"
	rm "$scratch/apt-get.log"
	expect 0 '' "$steps/source"
	[[ ! -e $scratch/apt-get.log ]] || fail "fetched again"
}

test_source_that_the_suite_lacks() {
	small_tree
	stub_suite 0 1
	unset KSRC
	run "$steps/source"
	want_status 1
	want_text "trixie-backports has no linux-source-7.3 any more (it has: linux-source-7.4 linux-source-7.5); KSRC="
	[[ ! -e $scratch/r/build/7.3/linux ]] || fail "half made"
}

test_source_that_cannot_be_fetched() {
	small_tree
	stub_suite 100 0
	unset KSRC
	expect 1 "E: Failed to fetch" "$steps/source"
	want_text "no linux-source-7.3: KSRC="
}

run_tests
