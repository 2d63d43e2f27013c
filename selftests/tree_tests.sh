#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel tree's own tests that the series adds and that need its kernel. tools/tree-tests builds
# them and runs the others. TAP; runs on the patched kernel.
. "$(dirname -- "${BASH_SOURCE[0]}")/../tools/harness/taplib.sh"

"${BASH_SOURCE[0]%/*}/lib/built_kernel" || exit
need BUILD MODULES
readonly RUNNER=$BUILD/tree-tests/run_prog_tests

# prog_test NAME - every subtest of it.
prog_test() {
	[[ -x $RUNNER ]] || skip "no $RUNNER: make -C tools/tree-tests"
	run "$RUNNER" "$1"
	out=$(grep -v ':PASS:' <<<"$out")
	want_status 0
	[[ ${out##*$'\n'} == "0 failed" ]] || fail "ended early: $out"
}

# The test loads its module from this folder.
test_attaching_to_one_of_several_functions() {
	cd -- "${RUNNER%/*}/twins"
	prog_test btf_func_attach
}

# vmlinux has a function of this name with another prototype. A link must not have a function twice.
test_a_glob_has_a_function_of_a_module_once() {
	[[ $(uname -m) != aarch64 ]] || skip "arm64 has no links of many functions"
	trap 'rmmod protos_lone' EXIT
	insmod "$MODULES/protos_lone.ko"
	run "${RUNNER%/*}/attach_multi" 'protos_lone:bpf_fentry_test2*'
	want_status 0
	want_text "glob protos_lone:bpf_fentry_test2* ok"
}

run_tests
