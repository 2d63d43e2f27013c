#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of libfentry and the fentry command that need no patched kernel and no root. TAP.
#
# usage: check.sh FENTRY TEST...
set -euo pipefail

[[ $# -ge 2 ]] || { echo "usage: check.sh FENTRY TEST..." >&2; exit 2; }
readonly FENTRY=$1
shift

tests=0 failures=0

# report(result, description)
report() {
	tests=$((tests + 1))
	if [[ $1 -eq 0 ]]; then
		echo "ok $tests - $2"
	else
		failures=$((failures + 1))
		echo "not ok $tests - $2"
	fi
}

# check_library(test) - Number its tests, whose lines are "ok NAME" or "not ok NAME".
check_library() {
	local line status=0 output

	output=$("$1") || status=$?
	while IFS= read -r line; do
		case $line in
		"ok "*) report 0 "${line#ok }" ;;
		"not ok "*) report 1 "${line#not ok }" ;;
		*) echo "# $line" ;;
		esac
	done <<<"$output"
	# it also fails if it ends early
	report "$status" "${1##*/} exits with 0"
}

# usage_error(message, arguments...) - These must give status 2 and this one line.
usage_error() {
	local message=$1 status=0 output result=1

	shift
	output=$("$FENTRY" "$@" 2>&1) || status=$?
	[[ $status -eq 2 && $output == "fentry: $message (try 'fentry help')" ]] &&
		result=0
	report "$result" "fentry $*: $message"
	[[ $result -eq 0 ]] || echo "# status $status: $output"
}

check_usage() {
	local bad

	usage_error "what to do?"
	usage_error "unknown command 'lis'" lis
	usage_error "help takes no arguments" help me
	usage_error "list: unknown option '-x'" list -x
	usage_error "list: one pattern, please, not 'b' too" list a b
	usage_error "trace: which function?" trace
	usage_error "trace: which function?" trace --count
	usage_error "trace: unknown option '--cont'" trace a --cont
	usage_error "trace: unknown option '-c'" trace a -c
	usage_error "trace: --count takes no argument" trace a --count=1
	usage_error "trace: --count has no calls that --stack could be of" trace a --count --stack
	usage_error "trace: no command after '--'" trace a --
	for bad in '' 0 -1 1s nan inf 1e99; do
		usage_error "trace: --duration needs a number of seconds above 0, not '$bad'" \
			trace a --duration "$bad"
	done
	usage_error "trace: --duration needs an argument" trace a --duration
	usage_error "trace: --duration needs a number of seconds above 0, not 'x'" \
		trace a --duration=x
	usage_error "run: which object?" run
	usage_error "run: one object, please" run a b
	usage_error "run: --target needs an argument" run a --target
	usage_error "run: --duration needs a number of seconds above 0, not '0'" run a --duration 0
	usage_error "run: no command after '--'" run a --
	usage_error "run: unknown option '--count'" run a --count
	usage_error "resolve: which function?" resolve
	usage_error "resolve: unknown option '--json'" resolve a --json
	usage_error "resolve: unknown option '--'" resolve a -- b
	usage_error "explain: give one name, without unit or glob" explain
	usage_error "explain: give one name, without unit or glob" explain a b
	usage_error "explain: give one name, without unit or glob" explain a@b
	usage_error "explain: give one name, without unit or glob" explain 'a*'
	usage_error "list: --json takes no argument" list --json=x
	usage_error "--version takes no arguments" --version x
	usage_error "bad target 'a@': expected [module:]name[@path] or [module:]#id" trace a@
	usage_error "bad target '#x': '#' must be followed by a BTF id (a decimal number from 1)" \
		list '#x'
}

check_help() {
	local result=0

	"$FENTRY" help | grep -q '^usage: fentry list' || result=1
	[[ $("$FENTRY" --help) == "$("$FENTRY" help)" ]] || result=1
	report "$result" "fentry help"
	result=0
	[[ $("$FENTRY" --version) =~ ^fentry\ [0-9.]+,\ libbpf\ v[0-9.]+$ ]] || result=1
	report "$result" "fentry --version"
}

# What needs no kernel feature, only a file that is or isn't there.
check_run() {
	local output status=0 result=1

	output=$("$FENTRY" run /no/such.bpf.o 2>&1) || status=$?
	[[ $status -eq 1 && $output == "fentry: can't open /no/such.bpf.o: No such file or directory" ]] &&
		result=0
	report "$result" "fentry run: no such file"
	status=0 result=1
	output=$("$FENTRY" run "$0" 2>&1) || status=$?
	[[ $status -eq 1 && $output == "fentry: $0 is no BPF object that libbpf can read: "* ]] && result=0
	report "$result" "fentry run: no BPF object"
}

echo "TAP version 13"
for test in "$@"; do
	check_library "$test"
done
check_usage
check_help
check_run
echo "1..$tests"
[[ $failures -eq 0 ]]
