# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Test scripts source this file to print TAP. There are two ways to use it:
#
# - A test is a function test_<name>, whose description is its name with spaces. It passes if it
#   returns 0. Its output is shown as diagnostics. The script ends with run_tests, which runs all
#   tests in the order in which they are written.
# - The tests of a script that ends with call_tests "report" each of their assertions, as those of the
#   fentry command do: they take long to prepare what they then look at from many sides.
#
# Adding a test: write such a function, with "expect", "run" and want_*, in the script on its
# subject; a new script in the folder tests/ of a tool is found by its Makefile. TESTS=name runs it
# alone. Break what it tests, and see it fail.

set -uo pipefail
export LC_ALL=C

tap_number=0 tap_failed=0 tap_skipped=0

# tap_begin [PLAN] - Begin the TAP. PLAN is the number of results, if it is known beforehand.
tap_begin() {
	tap_planned=${1:-}
	echo "TAP version 13"
	[[ -z $tap_planned ]] || echo "1..$tap_planned"
}

# tap_end - Print the plan, if tap_begin had none, and the sums. Fail if a test did.
tap_end() {
	[[ -n $tap_planned ]] || echo "1..$tap_number"
	echo "# Totals: pass:$((tap_number - tap_failed - tap_skipped)) fail:$tap_failed skip:$tap_skipped"
	[[ $tap_failed -eq 0 ]]
}

# report RESULT DESCRIPTION - Print a result. If it isn't 0, print also the output of the function
# "details", if the script has one.
report() {
	tap_number=$((tap_number + 1))
	if [[ $1 -eq 0 ]]; then
		echo "ok $tap_number - $2"
		return
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_number - $2"
	! declare -F details >/dev/null || details | sed 's/^/# /' || :
}

# report_skipped DESCRIPTION REASON - Print the result of a test that can't run here.
report_skipped() {
	tap_number=$((tap_number + 1)) tap_skipped=$((tap_skipped + 1))
	echo "ok $tap_number - $1 # SKIP $2"
}

# report_lines [PREFIX] - Report the results that another program printed, read from stdin, with
# PREFIX in front of each description. Everything else that it printed is shown as diagnostics.
report_lines() {
	local line what result='^(not )?ok +([0-9]+ +)?(- )?(.*)'

	while IFS= read -r line; do
		if [[ ! $line =~ $result ]]; then
			[[ $line == "TAP version"* || $line == 1..* ]] || echo "# ${line#\# }"
			continue
		fi
		what=${1:-}${BASH_REMATCH[4]}
		if [[ $what == *" # SKIP "* ]]; then
			report_skipped "${what%% # SKIP *}" "${what#* # SKIP }"
		else
			report "${BASH_REMATCH[1]:+1}" "$what"
		fi
	done
}

# skip_all REASON - End a script of which no test can run here.
skip_all() {
	printf 'TAP version 13\n1..0 # SKIP %s\n' "$1"
	exit 4
}

# need VARIABLE... - End a selftest, with the reason, if one of these variables isn't set.
need() {
	local name

	for name; do
		[[ -z ${!name:-} ]] || continue
		echo "Bail out! \$$name isn't set: 'make test T=${0##*/}' sets it"
		exit 1
	done
}

# fail TEXT... - Say what is wrong, and fail the test.
fail() {
	echo "$*"
	exit 1
}

# run COMMAND... - Run a command. Set status, and set out to its output (stdout and stderr).
run() {
	status=0
	out=$("$@" 2>&1 </dev/null) || status=$?
}

# want_status N, want_text TEXT, want_no_text TEXT - Check the result of the last "run".
want_status() {
	[[ $status -eq $1 ]] || fail "status $status, want $1; output: $out"
}

want_text() {
	[[ $out == *"$1"* ]] || fail "no '$1' in the output: $out"
}

want_no_text() {
	[[ $out != *"$1"* ]] || fail "'$1' in the output: $out"
}

# want_match REGEX - Check the output of the last "run".
want_match() {
	[[ $out =~ $1 ]] || fail "nothing like '$1' in the output: $out"
}

# refute COMMAND... - The command must fail. A "!" before a command that isn't a test's last would
# go unnoticed.
refute() {
	! "$@" || fail "unexpected success: $*"
}

# expect N TEXT COMMAND... - Run a command, and check its status. Its output must have TEXT in it.
expect() {
	run "${@:3}"
	want_status "$1"
	want_text "$2"
}

# fence FILE INFO - Print the fenced block of a Markdown file that begins with ```INFO.
fence() {
	awk -v info="\`\`\`$2" '$0 == "```" { show = 0 } show; $0 == info { show = 1 }' "$1"
}

# stub NAME TEXT - Make a bash script of this name, and put it first in PATH.
stub() {
	mkdir -p "$scratch/bin"
	printf '#!/bin/bash\n%s\n' "$2" >"$scratch/bin/$1"
	chmod +x "$scratch/bin/$1"
	[[ $PATH == "$scratch/bin:"* ]] || PATH=$scratch/bin:$PATH
}

# stub_free DISK MEMORY - Pretend that the machine has DISK and MEMORY MB free.
stub_free() {
	stub df "echo h; echo fs 99999 9 $1 1% /"
	echo "MemAvailable: $(($2 * 1024)) kB" >"$scratch/meminfo"
	export MEMINFO=$scratch/meminfo
}

# skip TEXT... - End a test that can't run here, and say why.
skip() {
	echo "$*"
	exit 4
}

# tests_here - Print the names of the script's tests, in the order in which they are written.
tests_here() {
	grep -oE '^test_[a-z0-9_]+' "$0"
}

# picked - Copy the names that TESTS and WITHOUT leave.
picked() {
	grep -E -e "${TESTS:-.}" | grep -vE -e "${WITHOUT:-^$}"
}

# call_tests [TEST...] - Call all tests of the script, or these, in this shell.
call_tests() {
	local tests test

	mapfile -t tests < <(if [[ $# -gt 0 ]]; then printf '%s\n' "$@"; else tests_here; fi | picked)
	tap_begin
	for test in "${tests[@]}"; do
		"$test"
	done
	tap_end
}

# run_tests [TEST...] - Run each test of the script, and then each TEST, a function with arguments
# ("is_checked gcc"), in a subshell with a scratch folder of its own in $scratch. TESTS, a regular
# expression, picks some of them by name; WITHOUT, another, leaves some out.
run_tests() {
	local tests name log status

	mapfile -t tests < <({ tests_here; [[ $# -eq 0 ]] || printf '%s\n' "$@"; } | picked)
	tap_begin "${#tests[@]}"
	for name in "${tests[@]}"; do
		scratch=$(mktemp -d)
		log=$(mktemp)
		# Not in a condition, where bash would ignore the -e.
		(set -e; $name) >"$log" 2>&1 </dev/null
		status=$?
		sed 's/^/#   /' "$log"
		name=${name//test_/}
		name=${name//_/ }
		if [[ $status -eq 4 ]]; then
			report_skipped "$name" "$(tail -n 1 "$log")"
		else
			report "$status" "$name"
		fi
		rm -rf -- "$scratch" "$log"
	done
	tap_end
}
