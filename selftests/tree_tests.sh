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

# The first glob has a function that vmlinux has with another prototype, and a link must not have a
# function twice. The others match functions of vmlinux, and the module's init function, which is gone.
test_a_glob_has_functions_of_the_module_alone() {
	local glob

	[[ $(uname -m) != aarch64 ]] || skip "arm64 has no links of many functions"
	trap 'rmmod protos_lone' EXIT
	insmod "$MODULES/protos_lone.ko"
	for glob in 'bpf_fentry_test2*' 'p*' 'protos_*'; do
		run "${RUNNER%/*}/attach_multi" "protos_lone:$glob"
		want_status 0
		want_text "glob protos_lone:$glob ok"
	done
}

# lookups NAME... - Look up names, and print for each whether libbpf has found it.
lookups() {
	[[ -x ${RUNNER%/*}/attach_name ]] || skip "no attach_name: make -C tools/tree-tests"
	run "${RUNNER%/*}/attach_name" "$@"
	want_status 0
}

# Its first letters are not the name of a module.
test_a_prefix_is_the_whole_name_of_a_module() {
	trap 'rmmod protos_lone' EXIT
	insmod "$MODULES/protos_lone.ko"
	lookups protos:protos_other protos_lone:protos_other v:vfs_read :vfs_read vmlinux:vfs_read
	[[ $out == "protos:protos_other No such process
protos_lone:protos_other ok
v:vfs_read No such process
:vfs_read No such process
vmlinux:vfs_read ok" ]] || fail "$out"
}

# BTF is sorted since 7.3.
test_a_lookup_by_name_is_no_walk_over_all_types() {
	local name seconds most

	for name in __x64_sys_read vfs_read; do
		lookups -t "$name"
		read -r _ seconds _ most <<<"$out"
		awk "BEGIN { exit !($seconds < $most && $most > 0) }" || fail "$name: $out"
	done
}

# Linux 6.12 has no such links and no sorted BTF, and its series no tests.
[[ $(uname -r) != 6.12.* ]] || WITHOUT='attaching|glob|lookup'

run_tests
