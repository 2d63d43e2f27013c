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
	FAILS="make demo" expect 1 "host: failed in trixie: make demo" "$host"
	grep -q ' check$' "$scratch/ran" && grep -q 'make deb$' "$scratch/ran" || fail "$(<"$scratch/ran")"
	expect 0 '' "$host"
}

test_host_runs_a_command_instead() {
	stub_host
	SUITE=sid expect 0 '' "$host" make fentry
	[[ $(tail -n 1 "$scratch/ran") == *"=BUILD=$scratch/r/build/sid -- make fentry" ]] ||
		fail "$(<"$scratch/ran")"
	FAILS="make fentry" expect 1 '' "$host" make fentry
}

run_tests
