#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "host".
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Make a repository where "make host" only writes the commands for the Debian to $scratch/ran.
stub_host() {
	mkdir -p "$scratch/r/tools"
	cp -r "$repo/tools/harness" "$repo/tools/deb" "$scratch/r/tools/"
	host=$scratch/r/tools/deb/host
	stub id 'echo 0'
	stub mmdebstrap 'exit 0'
	stub systemd-nspawn 'echo "$*" >>"'"$scratch"'/ran"; [[ "$*" != *" $FAILS"* ]]'
	stub_free 99999 99999
	export FAILS=none
}

test_host_runs_all_parts_and_names_those_that_failed() {
	stub_host
	FAILS="make demo" run "$host"
	want_status 1
	want_text "host: failed in trixie: make demo"
	grep -q ' check$' "$scratch/ran" && grep -q 'make deb$' "$scratch/ran" || fail "$(<"$scratch/ran")"
	run "$host"
	want_status 0
}

test_host_runs_a_command_instead() {
	stub_host
	SUITE=sid run "$host" make fentry
	want_status 0
	[[ $(tail -n 1 "$scratch/ran") == *"=BUILD=$scratch/r/build/sid -- make fentry" ]] ||
		fail "$(<"$scratch/ran")"
	FAILS="make fentry" run "$host" make fentry
	want_status 1
}

test_host_is_refused_while_another_runs() {
	stub_host
	mkdir -p "$scratch/r/build/host"
	exec 8>"$scratch/r/build/host/trixie.lock"
	flock 8
	run "$host" true
	want_status 1
	want_text "host: another 'make host' works in $scratch/r/build/host/trixie; wait for its end"
	[[ ! -e $scratch/ran ]] || fail "$(<"$scratch/ran")"
}

run_tests
