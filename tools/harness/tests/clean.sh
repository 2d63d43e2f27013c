#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "clean".
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

test_clean_refuses_to_lose_commits() {
	small_tree
	commit_change 20 "third change" a.c
	expect 1 "has work that kernel/6.12/*.patch lack" "$steps/clean"
	[[ -e $linux ]] || fail "removed"
	run "$steps/export-patches"
	expect 0 '' "$steps/clean"
	[[ ! -e $scratch/r/build ]] || fail "still there"
}

# A base, or another Debian ("make host"), has a build folder within this one.
test_clean_refuses_to_lose_commits_of_an_inner_build() {
	local base inner

	for inner in trixie 7.3; do
		small_tree
		mkdir -p "$scratch/r/kernel/7.3"
		base=6.12
		[[ $inner != 7.3 ]] || base=7.3
		export BASE=$base BUILD=$scratch/r/build/$inner
		"$steps/source"
		linux=$BUILD/linux
		commit_change 7 "there alone" a.c
		BASE=6.12 BUILD='' expect 1 "has work that kernel/$base/*.patch lack" "$steps/clean"
		[[ -e $linux && -e $scratch/r/build/linux ]] || fail "removed"
		"$steps/export-patches"
		expect 0 '' "$steps/clean"
		[[ ! -e $linux && -e $scratch/r/build/linux ]] || fail "not that one alone"
		unset BASE BUILD
		rm -r "$scratch/r" "$scratch/src"
	done
}

# refused_to_clean FOLDER - Check that "clean" refuses, and leaves the folder as it was.
refused_to_clean() {
	find "$1" | sort >"$scratch/before"
	BUILD=$1 expect 1 "$1: make did not make this folder" "$steps/clean"
	find "$1" | sort | diff "$scratch/before" - || fail "removed"
}

test_clean_refuses_a_folder_that_make_did_not_make() {
	small_tree
	mkdir -p "$scratch"/home/{bin,log,linux,.config}
	touch "$scratch/home/bin/precious"
	refused_to_clean "$scratch/home"
	mkdir "$scratch/empty"
	refused_to_clean "$scratch/empty"
}

# Steps remove what they make, so they must not start in a folder with somebody's files.
test_no_step_begins_in_a_folder_that_has_files() {
	small_tree
	mkdir -p "$scratch/home/source"
	touch "$scratch/home/source/precious"
	BUILD=$scratch/home expect 1 "BUILD=$scratch/home has files in it, and make did not make it" \
		"$steps/source"
	[[ $(find "$scratch/home" -type f) == "$scratch/home/source/precious" ]] || fail "$(find "$scratch/home")"
	BUILD=$scratch/new/folder expect 0 '' "$steps/source"
	mkdir "$scratch/empty"
	BUILD=$scratch/empty expect 0 '' "$steps/source"
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
