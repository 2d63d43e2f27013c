#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "tap", the TAP reader.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# tap TEXT - Give the TAP reader this text, and set counts to "passed failed skipped".
tap() {
	run "$harness/tap" "$scratch/counts" < /dev/null
	out=$(printf '%b' "$1" | "$harness/tap" "$scratch/counts")
	counts=$(<"$scratch/counts")
}

want_counts() {
	[[ $counts == "$1" ]] || fail "counts $counts, want $1; output: $out"
}

test_tap_counts_passed_failed_skipped() {
	tap 'TAP version 13\n1..3\nok 1 a\nnot ok 2 b\nok 3 c # SKIP no reason\n'
	want_counts "1 1 1"
}

test_tap_passes_every_line_through() {
	local text='noise\nTAP version 13\n1..1\n# x  y\nok 1\n\nlast without newline'

	tap "$text"
	[[ $out == "$(printf '%b' "$text")" ]] || fail "changed: $out"
	want_counts "1 0 0"
}

test_tap_shows_a_line_as_soon_as_it_comes() {
	mkfifo "$scratch/in"
	"$harness/tap" "$scratch/counts" <"$scratch/in" >"$scratch/out" &
	exec 5>"$scratch/in"
	echo 'TAP version 13' >&5
	for _ in {1..50}; do
		[[ ! -s $scratch/out ]] || break
		sleep 0.1
	done
	[[ -s $scratch/out ]] || fail "nothing within 5 s"
	exec 5>&-
	wait
}

test_tap_empty_input_is_a_failure() {
	tap ''
	want_counts "0 1 0"
	want_text "no TAP at all"
}

test_tap_without_a_plan_is_a_failure() {
	tap 'TAP version 13\nok 1\n'
	want_counts "1 1 0"
}

test_tap_fewer_results_than_planned() {
	tap 'TAP version 13\n1..3\nok 1\nok 2\n'
	want_counts "2 1 0"
	want_text "plan of 3, but 2 results"
}

test_tap_more_results_than_planned() {
	tap '1..1\nok 1\nok 2\n'
	want_counts "2 1 0"
}

test_tap_plan_at_the_end() {
	tap 'ok 1\nok 2\n1..2\n'
	want_counts "2 0 0"
}

test_tap_number_out_of_order() {
	tap '1..2\nok 1\nok 1\n'
	want_counts "2 1 0"
}

test_tap_bail_out() {
	tap '1..1\nok 1\nBail out! no disk\n'
	want_counts "1 1 0"
}

test_tap_no_test_is_a_failure() {
	tap 'TAP version 13\n1..0 # SKIP nothing here\n'
	want_counts "0 1 0"
}

test_tap_started_twice() {
	tap 'TAP version 13\n1..1\nok 1\nTAP version 13\n1..1\nok 1\n'
	want_counts "2 1 0"
}

test_tap_nested_tests_count_instead_of_their_program() {
	tap 'TAP version 13\n1..2
# selftests: x: a\n# TAP version 13\n# 1..3\n# ok 1 x\n# # ok 9 is only text
# not ok 2 y\n# ok 3 z # SKIP why\nnot ok 1 selftests: x: a # exit=1
# selftests: x: b\n# any output\nok 2 selftests: x: b\n'
	want_counts "2 1 1"
}

test_tap_program_dies_after_its_tests_passed() {
	tap 'TAP version 13\n1..1\n# TAP version 13\n# 1..1\n# ok 1 x\nnot ok 1 a # exit=139\n'
	want_counts "1 1 0"
}

test_tap_program_dies_in_the_middle() {
	tap 'TAP version 13\n1..1\n# TAP version 13\n# 1..3\n# ok 1 x\nnot ok 1 a # TIMEOUT\n'
	want_counts "1 1 0"
	want_text "plan of 3, but 1 results below 'not ok 1 a"
}

test_tap_program_says_ok_although_a_test_failed() {
	tap 'TAP version 13\n1..1\n# TAP version 13\n# 1..1\n# not ok 1 x\nok 1 a\n'
	want_counts "0 1 0"
}

test_tap_program_that_skips_as_a_whole() {
	tap 'TAP version 13\n1..1\n# TAP version 13\n# 1..0 # SKIP not root\nok 1 a # SKIP\n'
	want_counts "0 0 1"
}

test_tap_nested_three_deep() {
	tap '1..1\n# 1..2\n# # 1..2\n# # ok 1\n# # not ok 2\n# not ok 1 sub\n# ok 2\nnot ok 1 top\n'
	want_counts "2 1 0"
}

test_tap_carriage_returns() {
	tap 'TAP version 13\r\n1..1\r\nok 1\r\n'
	want_counts "1 0 0"
}

run_tests
