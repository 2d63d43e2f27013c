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
	expect 1 "not ok 1 - one" bash "$scratch/script"
}

test_taplib_reports_what_another_program_printed() {
	printf '. "%s/taplib.sh"\ntap_begin\nreport_lines "x: " <"%s/in"\ntap_end\n' "$harness" \
		"$scratch" >"$scratch/script"
	printf 'TAP version 13\n1..3\nok 4 - one\n# text\nnot ok two\nok 6 - three # SKIP why\n' \
		>"$scratch/in"
	expect 1 '' bash "$scratch/script"
	[[ $out == 'TAP version 13
ok 1 - x: one
# text
not ok 2 - x: two
ok 3 - x: three # SKIP why
1..3
# Totals: pass:1 fail:1 skip:1' ]] || fail "$out"
}

test_taplib_skips_a_whole_script() {
	printf '. "%s/taplib.sh"\nskip_all "no disk"\n' "$harness" >"$scratch/script"
	expect 4 "1..0 # SKIP no disk" bash "$scratch/script"
}

run_tests
