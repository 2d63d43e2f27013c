#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "check", with suites that are stubs.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# stub_repo TAP - Copy the repository, with stubs of the suites. That of tools/btfaddr prints TAP.
stub_repo() {
	check=$scratch/r/tools/harness/check
	mkdir -p "$scratch/r/tools/btfaddr"
	cp -r "$harness" "$scratch/r/tools/harness"
	printf '%b' "$1" >"$scratch/r/tools/btfaddr/tap"
	printf 'check:\n\t@cat tap; %s\n' "${2:-true}" >"$scratch/r/tools/btfaddr/Makefile"
}

# check_stub STATUS LAST [VARIABLE...] - Run "check". LAST is the last line of what it prints.
check_stub() {
	run env SUITES="tools/btfaddr" "${@:3}" "$check"
	want_status "$1"
	[[ ${out##*$'\n'} == "$2" ]] || fail "last line: ${out##*$'\n'}"
}

test_check_fails_with_a_failed_test_although_the_suite_exits_0() {
	stub_repo '1..2\nok 1\nnot ok 2\n'
	check_stub 1 "1 passed, 1 failed"
}

test_check_counts_a_suite_that_dies_or_is_missing_as_one_failure() {
	stub_repo '1..1\nok 1\n' 'exit 3'
	check_stub 1 "1 passed, 1 failed"
	rm -r "$scratch/r/tools/btfaddr"
	check_stub 1 "0 passed, 1 failed"
}

test_check_adds_up_what_both_workers_ran() {
	stub_repo '1..2\nok 1\nok 2\n'
	mkdir -p "$scratch/r/tools/vm"
	printf 'check:\n\t@printf "1..2\\nok 1\\nnot ok 2\\n"\n' >"$scratch/r/tools/vm/Makefile"
	check_stub 1 "3 passed, 1 failed" SUITES="tools/btfaddr tools/vm"
	want_text "failed: tools/vm"
}

test_check_says_at_the_end_what_failed() {
	local after

	stub_repo '1..3\nnot ok 1 early\n# why\nok 2\nok 3\n'
	check_stub 1 "2 passed, 1 failed"
	after=${out#*"# suite tools/btfaddr: 2 passed"}
	[[ $after == *$'\nnot ok 1 early\n# why\n'* ]] || fail "not in: $after"
	stub_repo "1..3\nok 1\nconsole: BUG: bad address\n$(printf 'console: rax %d\\n' {1..30})"
	check_stub 1 "1 passed, 1 failed"
	after=${out#*"# suite tools/btfaddr: 1 passed"}
	[[ $after == *"console: BUG: bad address"* ]] || fail "not in: $after"
}

test_check_interrupted_leaves_nothing() {
	local pid i

	stub_repo '' 'echo $$$$ >pid; exec sleep 300'
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
	stub_repo '1..2\nok 1\nok 2 # SKIP not here\n'
	check_stub 0 "1 passed, 0 failed, 1 skipped"
	check_stub 1 "1 passed, 0 failed, 1 skipped" STRICT=1
	stub_repo '1..2\nok 1\nok 2\n' 'echo ran >ran'
	check_stub 0 "2 passed, 0 failed" BEGIN_BY=$(($(date +%s) + 600))
	rm "$scratch/r/tools/btfaddr/ran"
	# a run in which no test ran proves nothing
	check_stub 1 "0 passed, 0 failed, 1 skipped" BEGIN_BY="$(date +%s)"
	[[ ! -e $scratch/r/tools/btfaddr/ran ]] || fail "the suite ran"
}

test_check_fuzzes_the_base_that_has_the_fixes() {
	stub_repo ''
	mkdir -p "$scratch/r/kernel/7.3" "$scratch/r/tools/fuzz"
	printf 'check:\n\t@printf "1..1\\nok 1\\n"\n' >"$scratch/r/tools/fuzz/Makefile"
	expect 2 '' env SUITES=tools/fuzz "$check" "$scratch/r/build/thinlto"
	expect 0 "1 passed, 0 failed" env SUITES=tools/fuzz "$check" "$scratch/r/build"/{thinlto,7.3/gcc}
}

test_check_for_arm64_boots_the_kernels_of_both_bases_and_nothing_else() {
	local run=$scratch/r/tools/vm/run

	stub_repo '1..1\nok 1\n'
	mkdir -p "$scratch/r/kernel/7.3" "${run%/*}"
	printf '#!/bin/sh\necho "$*" >>%s\nprintf "1..1\\nok 1\\n"\n' "$scratch/ran" >"$run"
	chmod +x "$run"
	expect 0 "2 passed, 0 failed" env -u EACH_ONCE ARCH=arm64 \
		SUITES="tools/btfaddr selftests-gcc 7.3/selftests-gcc" \
		"$check" "$scratch/r/build"/{,7.3/}arm64/gcc
	[[ $(grep -c '/arm64/gcc/arch/arm64/boot/Image -- kselftest_override_timeout=3600 ' \
		"$scratch/ran") -eq 2 ]] || fail "$(<"$scratch/ran")"
}

test_check_quick_boots_nothing() {
	stub_repo '1..1\nok 1\n'
	expect 0 '' env SUITES=tools/btfaddr "$check" --quick
	expect 2 '' env SUITES="tools/vm selftests-gcc valgrind" "$check" --quick
}

run_tests
