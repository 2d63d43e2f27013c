#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of make steps, with a make and a VM that do nothing.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# small_steps BODY - Run it on two patches; BODY is what make does.
small_steps() {
	small_tree
	mkdir -p "$scratch/r/tools/vm" "$scratch/r/tools/deb"
	cp "$tools/deb/twins.sh" "$scratch/r/tools/deb/"
	cp "${tools%/*}/virtme.config" "$scratch/r/"
	printf '#!/bin/sh\nexit 0\n' >"$scratch/r/tools/vm/run"
	chmod +x "$scratch/r/tools/vm/run"
	stub make "$1"
	run "$steps/steps"
}

test_each_step_is_built_and_booted() {
	small_steps 'exit 0'
	want_status 0
	want_text "ok 2 - patch 2, option on: second change"
}

# An old bzImage would boot all the same.
test_step_that_does_not_compile_fails() {
	small_steps '[[ $* != *bzImage* ]]'
	want_status 1
	want_text "not ok 1 - patch 1, option on: first change"
}

test_one_patch_has_no_steps() {
	small_steps 'exit 0'
	rm "$scratch/r/kernel/6.12/0002-"*
	expect 1 "steps: the series for 6.12 is one patch, and has no steps: BASE=7.3 has" \
		"$steps/steps"
}

run_tests
