# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by test scripts. Each test is a function test_<name> whose description is the
# comment-free name with spaces; it passes if it returns 0, and its output is shown as
# diagnostics if it doesn't. run_tests runs all of them in the order they are written in.

set -uo pipefail
export LC_ALL=C

# fail TEXT... - say what was seen, and fail the test.
fail() {
	echo "$*"
	exit 1
}

# run COMMAND... - run it; sets status, and out to what it printed (stdout and stderr).
# shellcheck disable=SC2034 # for the tests
run() {
	status=0
	out=$("$@" 2>&1 </dev/null) || status=$?
}

# want_status N, want_text TEXT, want_no_text TEXT - about the last "run".
want_status() {
	[[ $status -eq $1 ]] || fail "status $status, want $1; output: $out"
}

want_text() {
	[[ $out == *"$1"* ]] || fail "no '$1' in the output: $out"
}

want_no_text() {
	[[ $out != *"$1"* ]] || fail "'$1' in the output: $out"
}

# stub NAME TEXT - a command of this name, in bash, before all others.
stub() {
	mkdir -p "$scratch/bin"
	printf '#!/bin/bash\n%s\n' "$2" >"$scratch/bin/$1"
	chmod +x "$scratch/bin/$1"
	[[ $PATH == "$scratch/bin:"* ]] || PATH=$scratch/bin:$PATH
}

# stub_free DISK MEMORY - a machine with so many MB of both, whatever this one has.
stub_free() {
	stub df "echo h; echo fs 99999 9 $1 1% /"
	echo "MemAvailable: $(($2 * 1024)) kB" >"$scratch/meminfo"
	export MEMINFO=$scratch/meminfo
}

# skip TEXT... - the test can't be run here; says why.
skip() {
	echo "$*"
	exit 4
}

# run_tests - runs each test in a subshell with a scratch folder of its own in $scratch.
# TESTS, a regular expression, picks some of them by name; WITHOUT, another, leaves some out.
run_tests() {
	local tests number=0 failed=0 name log status

	mapfile -t tests < <(grep -oE '^test_[a-z0-9_]+' "$0" | grep -E -e "${TESTS:-.}" |
		grep -vE -e "${WITHOUT:-^$}")
	echo "TAP version 13"
	echo "1..${#tests[@]}"
	for name in "${tests[@]}"; do
		number=$((number + 1))
		scratch=$(mktemp -d)
		log=$scratch.log
		# Not in a condition, where bash would ignore the -e.
		(set -e; "$name") >"$log" 2>&1 </dev/null
		status=$?
		sed 's/^/#   /' "$log"
		name=${name#test_}
		name=${name//_/ }
		case $status in
		0) echo "ok $number - $name" ;;
		4) echo "ok $number - $name # SKIP $(tail -n 1 "$log")" ;;
		*) echo "not ok $number - $name"; failed=1 ;;
		esac
		rm -rf -- "$scratch" "$log"
	done
	return $failed
}
