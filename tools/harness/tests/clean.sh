#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "clean".
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# A base, or another Debian ("make host"), has a build folder within this one.
test_clean_refuses_to_lose_commits() {
	local base inner

	for inner in '' trixie 7.3; do
		small_tree
		mkdir -p "$scratch/r/kernel/7.3"
		base=6.12
		[[ $inner != 7.3 ]] || base=7.3
		export BASE=$base BUILD=$scratch/r/build/$inner
		"$steps/source"
		linux=$BUILD/linux
		commit_change 20 "third change" a.c
		BASE=6.12 BUILD='' expect 1 "has work that kernel/$base/*.patch lack" "$steps/clean"
		[[ -e $linux && -e $scratch/r/build/linux ]] || fail "removed"
		"$steps/export-patches"
		expect 0 '' "$steps/clean"
		[[ ! -e $linux ]] || fail "still there"
		[[ -z $inner || -e $scratch/r/build/linux ]] || fail "not that one alone"
		unset BASE BUILD
		rm -r "$scratch/r" "$scratch/src"
	done
}

# Steps remove what they make, so they must not start in a folder with somebody's files, and "clean"
# must not take one for theirs.
test_folder_that_has_files_is_refused() {
	local folder

	small_tree
	mkdir -p "$scratch"/home/{source,bin,log,linux,.config} "$scratch/empty"
	touch "$scratch"/home/{source,bin}/precious
	find "$scratch"/{home,empty} | sort >"$scratch/before"
	BUILD=$scratch/home expect 1 "BUILD=$scratch/home has files in it, and make did not make it" \
		"$steps/source"
	for folder in "$scratch"/{home,empty}; do
		BUILD=$folder expect 1 "$folder: make did not make this folder" "$steps/clean"
	done
	find "$scratch"/{home,empty} | sort | diff "$scratch/before" -
	for BUILD in "$scratch"/{new/folder,empty}; do
		expect 0 '' env BUILD="$BUILD" "$steps/source"
	done
}

test_clean_removes_what_the_steps_make_and_nothing_else() {
	local build=$scratch/elsewhere

	small_tree
	BUILD=$build "$steps/source"
	BUILD=$build/trixie "$steps/source"
	mkdir -p "$build"/{bin,log,mine,gcc}
	touch "$build"/bin/btfaddr "$build/mine/precious" "$build/notes" "$build/gcc.lock" "$build/root.made"
	BUILD=$build expect 0 "$build stays, as it has files that no step has made:" "$steps/clean"
	[[ $(cd "$build" && find . | sort) == $'.\n./.btfaddr-build\n./mine\n./mine/precious\n./notes' ]] ||
		fail "$(find "$build")"
	rm -r "$build"/{mine,notes}
	BUILD=$build expect 0 '' "$steps/clean"
	[[ ! -e $build ]] || fail "left: $(find "$build")"
}

test_clean_waits_for_nobody() {
	small_tree
	exec 8>"$linux.lock"
	flock 8
	expect 1 "another 'make source' works in $linux" "$steps/clean"
	[[ -e $linux ]] || fail "removed"
}

run_tests
