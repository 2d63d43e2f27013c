#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "clean".
# shellcheck disable=SC2154 # status, out and scratch come from taplib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

test_clean_refuses_to_lose_commits() {
	small_tree
	commit_change 20 "third change" a.c
	run "$steps/clean"
	want_status 1
	want_text "has work that kernel/6.12/*.patch lack"
	[[ -e $linux ]] || fail "removed"
	run "$steps/export-patches"
	run "$steps/clean"
	want_status 0
	[[ ! -e $scratch/r/build ]] || fail "still there"
}

test_clean_refuses_to_lose_commits_of_another_base() {
	small_tree
	mkdir "$scratch/r/kernel/7.3"
	BASE=7.3 "$steps/source"
	linux=$scratch/r/build/7.3/linux
	commit_change 7 "for the other base" a.c
	run "$steps/clean"
	want_status 1
	want_text "has work that kernel/7.3/*.patch lack"
	[[ -e $linux && -e $scratch/r/build/linux ]] || fail "removed"
	BASE=7.3 "$steps/export-patches"
	BASE=7.3 run "$steps/clean"
	want_status 0
	[[ ! -e $linux && -e $scratch/r/build/linux ]] || fail "not that one alone"
}

test_clean_refuses_a_folder_that_is_no_build_folder() {
	small_tree
	mkdir "$scratch/precious"
	BUILD=$scratch/precious run "$steps/clean"
	want_status 1
	[[ -e $scratch/precious ]] || fail "removed"
}

run_tests
