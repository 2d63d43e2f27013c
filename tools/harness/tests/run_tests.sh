#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of taplib.sh, by itself.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Anybody could make a link of a fixed name in a common folder, and it would be followed.
test_taplib_writes_no_file_whose_name_can_be_guessed() {
	mkdir "$scratch/tmp"
	printf '. "%s/taplib.sh"\ntest_one() { echo "$scratch"; ls "$TMPDIR"; }\nrun_tests\n' \
		"$harness" >"$scratch/script"
	TMPDIR=$scratch/tmp run bash "$scratch/script"
	want_text "ok 1 - one"
	want_no_text ".log"
	[[ -z $(ls "$scratch/tmp") ]] || fail "left: $(ls "$scratch/tmp")"
}

# bash would ignore the -e in a condition.
test_taplib_tests_fail_where_a_command_does() {
	printf '. "%s/taplib.sh"\ntest_one() { false; true; }\nrun_tests\n' "$harness" >"$scratch/script"
	run bash "$scratch/script"
	want_status 1
	want_text "not ok 1 - one"
}

run_tests
