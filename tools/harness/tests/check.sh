#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "check", with suites that are stubs.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# stub_suite SUITE TAP [COMMAND] - Copy the harness, and make a suite that prints TAP.
stub_suite() {
	check=$scratch/r/tools/harness/check
	mkdir -p "$scratch/r/$1"
	[[ -e $check ]] || cp -r "$harness" "$scratch/r/tools/harness"
	printf '%b' "$2" >"$scratch/r/$1/tap"
	printf 'check:\n\t@cat tap; %s\n' "${3:-true}" >"$scratch/r/$1/Makefile"
}

# check_suites STATUS LAST [VARIABLE...] - Run "check". LAST is the last line of what it prints.
check_suites() {
	run env SUITES="tools/btfaddr" "${@:3}" "$check"
	want_status "$1"
	[[ ${out##*$'\n'} == "$2" ]] || fail "last line: ${out##*$'\n'}"
}

test_check_fails_with_a_test_although_the_suite_exits_0_or_with_a_suite() {
	stub_suite tools/btfaddr '1..2\nok 1\nnot ok 2\n'
	check_suites 1 "1 passed, 1 failed"
	stub_suite tools/btfaddr '1..1\nok 1\n' 'exit 3'
	check_suites 1 "1 passed, 1 failed"
	rm -r "$scratch/r/tools/btfaddr"
	check_suites 1 "0 passed, 1 failed"
}

test_check_adds_up_what_both_workers_ran() {
	stub_suite tools/btfaddr '1..2\nok 1\nok 2\n'
	stub_suite tools/vm '1..2\nok 1\nnot ok 2\n'
	check_suites 1 "3 passed, 1 failed" SUITES="tools/btfaddr tools/vm"
	want_text "failed: tools/vm"
}

test_check_says_at_the_end_what_failed() {
	local after

	stub_suite tools/btfaddr \
		"1..4\nnot ok 1 early\n# why\nok 2\nok 3\nconsole: BUG: bad address\n$(printf 'console: rax %d\\n' {1..30})"
	check_suites 1 "2 passed, 2 failed"
	after=${out#*"# suite tools/btfaddr: 2 passed"}
	[[ $after == *$'\nnot ok 1 early\n# why\n'* && $after == *"console: BUG: bad address"* ]] || fail "not in: $after"
}

test_check_interrupted_leaves_nothing() {
	local pid i

	stub_suite tools/btfaddr '' 'echo $$$$ >pid; exec sleep 300'
	env SUITES=tools/btfaddr "$check" >/dev/null 2>&1 &
	pid=$!
	until [[ -s $scratch/r/tools/btfaddr/pid ]]; do sleep 0.1; done
	kill -TERM "$pid"
	! wait "$pid" || fail "status 0"
	pid=$(<"$scratch/r/tools/btfaddr/pid")
	for ((i = 0; i < 100; i++)); do
		[[ -e /proc/$pid ]] || return 0
		sleep 0.1
	done
	fail "the suite runs on"
}

test_check_skips_what_begins_too_late_and_strict_fails_on_a_skip() {
	stub_suite tools/btfaddr '1..2\nok 1\nok 2 # SKIP not here\n'
	check_suites 0 "1 passed, 0 failed, 1 skipped"
	check_suites 1 "1 passed, 0 failed, 1 skipped" STRICT=1
	stub_suite tools/btfaddr '1..2\nok 1\nok 2\n' 'echo ran >ran'
	# a run in which no test ran proves nothing
	check_suites 1 "0 passed, 0 failed, 1 skipped" BEGIN_BY="$(date +%s)"
	[[ ! -e $scratch/r/tools/btfaddr/ran ]] || fail "the suite ran"
	check_suites 0 "2 passed, 0 failed" BEGIN_BY=$(($(date +%s) + 600))
}

test_check_fuzzes_the_base_that_has_the_fixes() {
	stub_suite tools/fuzz '1..1\nok 1\n'
	mkdir -p "$scratch/r/kernel/7.3"
	expect 2 '' env SUITES=tools/fuzz "$check" "$scratch/r/build/thinlto"
	expect 0 "1 passed, 0 failed" env SUITES=tools/fuzz "$check" "$scratch/r/build"/{thinlto,7.3/gcc}
}

test_check_quick_boots_nothing() {
	stub_suite tools/btfaddr '1..1\nok 1\n'
	expect 0 '' env SUITES=tools/btfaddr "$check" --quick
	expect 2 '' env SUITES="tools/vm selftests-gcc valgrind" "$check" --quick
}

run_tests
