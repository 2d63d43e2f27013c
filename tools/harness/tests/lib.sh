# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by the harness's tests, which use a small source tree in a copy of the repository.

harness=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck disable=SC2034 # for the tests
tools=${harness%/*}
# shellcheck source=../taplib.sh
. "$harness/taplib.sh"
unset ARCH BASE BUILD BEGIN_BY FLAVOUR KSRC SUITES STRICT PACKAGES MAKEFLAGS MFLAGS MAKELEVEL

# Make a tree that is small enough to be unpacked in a test, and a repository with two patches.
small_tree() {
	local src=$scratch/src

	stub_free 99999 99999
	mkdir -p "$scratch/r/kernel/6.12" "$scratch/r/tools" "$src/kernel"
	cp -r "$harness" "$scratch/r/tools/harness"
	printf 'all:\n' >"$src/Makefile"
	printf 'config X\n' >"$src/Kconfig"
	seq 1 30 >"$src/kernel/a.c"
	seq 1 30 >"$src/kernel/b.c"
	export KSRC=$src
	steps=$scratch/r/tools/harness
	linux=$scratch/r/build/linux
	# shellcheck disable=SC2034 # for the tests
	patches=$scratch/r/kernel/6.12
	expect 0 '' "$steps/source"
	commit_change 5 "first change" a.c
	commit_change 9 "second change" b.c
	expect 0 '' "$steps/export-patches"
}

# commit_change LINE SUBJECT FILE - Commit a change to the tree, as a developer would.
commit_change() {
	sed -i "$1s/.*/$2/" "$linux/kernel/$3"
	git -C "$linux" -c user.name=Dev -c user.email=dev@example.com commit -qam "$2"
}

series() {
	git -C "$linux" log --format='%an %s' base..series
}
