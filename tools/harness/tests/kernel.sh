#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "kernel", without building one.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

test_kernel_unknown_flavour() {
	small_tree
	expect 2 "there are: gcc thinlto cfi kasan noaddr other" "$steps/kernel" nosuch
}

# The harness writes nothing outside of the build folder, unless the user wants that.
test_kernel_has_its_ccache_in_the_build_folder() {
	small_tree
	printf '. "%s"\n' "$steps/common.sh" >"$scratch/show"
	echo 'echo "$CCACHE_DIR"' >>"$scratch/show"
	run env -u CCACHE_DIR bash "$scratch/show"
	[[ $out == "$scratch/r/build/ccache" ]] || fail "$out"
	CCACHE_DIR=/mine run bash "$scratch/show"
	[[ $out == /mine ]] || fail "$out"
}

run_tests
