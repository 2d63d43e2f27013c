#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "kernel", without building one.
# shellcheck disable=SC2154 # status, out and scratch come from taplib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

test_kernel_unknown_flavour() {
	small_tree
	run "$steps/kernel" nosuch
	want_status 2
	want_text "there are: gcc thinlto kasan noaddr other"
}

run_tests
