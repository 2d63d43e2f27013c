#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "deps", and of what "source" fetches, with an apt that is a stub.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

test_deps_nothing_missing_is_silent() {
	printf 'base bash coreutils\n' >"$scratch/packages"
	PACKAGES=$scratch/packages expect 0 '' "$harness/deps"
	[[ -z $out ]] || fail "said: $out"
}

test_deps_that_cannot_be_installed() {
	printf 'base nosuch-package-btfaddr\n' >"$scratch/packages"
	stub apt-get 'echo "E: Unable to locate package nosuch-package-btfaddr" >&2; exit 100'
	stub sudo 'exit 1'
	stub apt-cache 'exit 1'
	export PACKAGES=$scratch/packages BUILD=$scratch/build
	stub id 'echo 0'
	expect 1 "E: Unable to locate package nosuch-package-btfaddr" "$harness/deps"
	want_text "package nosuch-package-btfaddr: not in any source that apt knows"
	stub id 'echo 1000'
	expect 1 "apt-get update && apt-get install -y --no-install-recommends nosuch-package-btfaddr" \
		"$harness/deps"
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

test_source_that_the_suite_lacks_or_that_cannot_be_fetched() {
	local lacks="trixie-backports has no linux-source-7.3 any more"

	small_tree
	unset KSRC
	stub_suite 0 1
	expect 1 "$lacks (it has: linux-source-7.4 linux-source-7.5); KSRC=" "$steps/source"
	[[ ! -e $scratch/r/build/7.3/linux ]] || fail "half made"
	stub_suite 100 0
	expect 1 "E: Failed to fetch" "$steps/source"
	want_text "no linux-source-7.3: KSRC="
}

run_tests
