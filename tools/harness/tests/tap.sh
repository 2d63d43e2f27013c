#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "tap", the TAP reader, and of taplib.sh, which writes TAP.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# tap TEXT - Give the TAP reader this text. Set out, and set counts to "passed failed skipped".
tap() {
	out=$(printf '%b' "$1" | "$harness/tap" "$scratch/counts")
	counts=$(<"$scratch/counts")
}

# counts COUNTS TAP [TEXT] - Check what the reader counts, and that it says TEXT.
counts() {
	tap "$2"
	[[ $counts == "$1" ]] || fail "counts $counts, want $1; TAP: $2; output: $out"
	want_text "${3:-}"
}

test_tap_counts_and_passes_every_line_through() {
	local text='noise\nTAP version 13\n1..1\n# x  y\nok 1\n\nlast without newline'

	counts "1 1 1" 'TAP version 13\n1..3\nok 1 a\nnot ok 2 b\nok 3 c # SKIP no reason\n'
	counts "1 0 0" 'TAP version 13\r\n1..1\r\nok 1\r\n'
	counts "1 0 0" "$text"
	[[ $out == "$(printf '%b' "$text")" ]] || fail "changed: $out"
}

test_tap_shows_a_line_as_soon_as_it_comes() {
	mkfifo "$scratch/in"
	"$harness/tap" "$scratch/counts" <"$scratch/in" >"$scratch/out" &
	exec 5>"$scratch/in"
	echo 'TAP version 13' >&5
	until [[ -s $scratch/out ]]; do
		sleep 0.1
	done
	exec 5>&-
	wait
}

test_tap_plan_that_results_do_not_match() {
	counts "0 1 0" '' "no TAP at all"
	counts "1 1 0" 'TAP version 13\nok 1\n'
	counts "2 1 0" 'TAP version 13\n1..3\nok 1\nok 2\n' "plan of 3, but 2 results"
	counts "2 1 0" '1..1\nok 1\nok 2\n'
	counts "2 0 0" 'ok 1\nok 2\n1..2\n'
	counts "2 1 0" '1..2\nok 1\nok 1\n'
	counts "1 1 0" '1..1\nok 1\nBail out! no disk\n'
	counts "0 1 0" 'TAP version 13\n1..0 # SKIP nothing here\n'
	counts "2 1 0" 'TAP version 13\n1..1\nok 1\nTAP version 13\n1..1\nok 1\n'
}

test_tap_nested_tests_count_instead_of_their_program() {
	counts "2 1 1" 'TAP version 13\n1..2
# selftests: x: a\n# TAP version 13\n# 1..3\n# ok 1 x\n# # ok 9 is only text
# not ok 2 y\n# ok 3 z # SKIP why\nnot ok 1 selftests: x: a # exit=1
# selftests: x: b\n# any output\nok 2 selftests: x: b\n'
	counts "2 1 0" \
		'1..1\n# 1..2\n# # 1..2\n# # ok 1\n# # not ok 2\n# not ok 1 sub\n# ok 2\nnot ok 1 top\n'
}

test_tap_program_and_its_tests_do_not_say_the_same() {
	local nested='TAP version 13\n1..1\n# TAP version 13\n'

	counts "1 1 0" "$nested"'# 1..1\n# ok 1 x\nnot ok 1 a # exit=139\n'
	counts "1 1 0" "$nested"'# 1..3\n# ok 1 x\nnot ok 1 a # TIMEOUT\n' \
		"plan of 3, but 1 results below 'not ok 1 a"
	counts "0 1 0" "$nested"'# 1..1\n# not ok 1 x\nok 1 a\n'
	counts "0 0 1" "$nested"'# 1..0 # SKIP not root\nok 1 a # SKIP\n'
}

# A test fails where a command does. No file has a name that others can guess: in a shared folder
# they could put a link of that name, and bash would follow it.
test_taplib_runs_tests() {
	mkdir "$scratch/tmp"
	{
		printf '. "%s/taplib.sh"\ntest_one() { echo "$scratch"; ls "$TMPDIR"; }\n' "$harness"
		# bash would ignore the -e in a condition
		printf 'test_two() { false; true; }\ntest_three() { refute false; refute true; }\n'
		printf 'four() { run echo a1; want_match "a[0-9]"; [[ $* == "y z" ]]; }\n'
		printf 'five() { run echo a1; want_match "^1"; true; }\n'
		printf 'run_tests "four y z" five\n'
	} >"$scratch/script"
	TMPDIR=$scratch/tmp expect 1 "ok 1 - one" bash "$scratch/script"
	want_text "not ok 2 - two"
	want_text "not ok 3 - three"
	want_text "ok 4 - four y z"
	want_text "not ok 5 - five"
	want_no_text ".log"
	[[ -z $(ls "$scratch/tmp") ]] || fail "left: $(ls "$scratch/tmp")"
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

run_tests
