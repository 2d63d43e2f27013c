#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the scripts that build kernels, with a make and a VM that are stubs.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# The harness writes nothing outside of the build folder, unless the user wants that.
test_kernel_of_a_known_flavour_has_its_ccache_in_the_build_folder() {
	local show='. "$0/common.sh"; echo "$CCACHE_DIR"'

	small_tree
	expect 2 "there are: gcc thinlto cfi kasan noaddr other" "$steps/kernel" nosuch
	expect 0 "$scratch/r/build/ccache" env -u CCACHE_DIR bash -c "$show" "$steps"
	CCACHE_DIR=/mine expect 0 /mine bash -c "$show" "$steps"
}

test_kernel_for_arm64_has_a_folder_and_a_compiler_of_its_own() {
	local show='. "$0/common.sh"; echo "${BUILD#"$repo"} $bootable ${ARCH:-none} ${CROSS_COMPILE:-none}"'

	small_tree
	expect 0 "/build arch/x86/boot/bzImage none none" bash -c "$show" "$steps"
	ARCH=arm64 BASE=7.3 expect 0 "/build/7.3/arm64 arch/arm64/boot/Image arm64 aarch64-linux-gnu-" \
		bash -c "$show" "$steps"
	ARCH=arm expect 2 "ARCH=arm: there are x86 and arm64" "$steps/kernel" gcc
}

# make_root - Make the Debian for arm64. The host runs such programs already.
make_root() {
	mkdir -p "$scratch/formats/qemu-aarch64"
	stub id 'echo 0'
	ARCH=arm64 BUILD=$scratch/build FORMATS=$scratch/formats run "$harness/root"
}

test_debian_for_arm64_is_made_once_and_wholly() {
	local packages

	stub_free 99999 99999
	stub mmdebstrap 'echo "E: no mirror"; mkdir -p "${@: -1}"; exit 1'
	make_root
	want_status 1
	want_text "E: no mirror"
	[[ ! -e $scratch/build/root.made ]] || fail "half made"
	stub mmdebstrap 'echo "$*" >>"'"$scratch"'/called"; mkdir -p "${@: -1}"'
	make_root
	make_root
	want_status 0
	packages=$(awk '$1 == "arm64-root" { $1 = ""; print }' "$harness/packages" | xargs | tr ' ' ,)
	[[ $(<"$scratch/called") == "--architectures=arm64 "*" --include=$packages bookworm "*/build/root ]] ||
		fail "$(<"$scratch/called")"
	expect 2 "needs ARCH=arm64" "$harness/root"
}

# small_steps BODY - Run it on two patches; BODY is what make does.
small_steps() {
	small_tree
	mkdir -p "$scratch/r/tools/vm" "$scratch/r/tools/deb"
	cp "$tools/deb/twins.sh" "$scratch/r/tools/deb/"
	cp "${tools%/*}/virtme.config" "$scratch/r/"
	printf '#!/bin/sh\nexit 0\n' >"$scratch/r/tools/vm/run"
	chmod +x "$scratch/r/tools/vm/run"
	stub make "$1"
}

test_each_step_is_built_and_booted() {
	small_steps 'exit 0'
	expect 0 "ok 2 - patch 2, option on: second change" "$steps/steps"
	rm "$scratch/r/kernel/6.12/0002-"*
	expect 1 "the series for 6.12 is one patch, and has no steps: BASE=7.3 has" "$steps/steps"
	# without bzImage an old one would boot
	rm -rf "$scratch"/{r,src}
	small_steps '[[ $* != *bzImage* ]]'
	expect 1 "not ok 1 - patch 1, option on: first change" "$steps/steps"
}

# Put two tests of the tree's own into the kernel source. make and the VM do nothing, and the output
# of test_progs comes from $scratch/before and $scratch/after.
stub_test_progs() {
	local bpf=tools/testing/selftests/bpf

	small_tree
	mkdir -p "$linux/$bpf"/{prog_tests,progs} "$scratch/r/tools/vm" "$scratch/r/build/bin"
	echo '#include "used.skel.h"' >"$linux/$bpf/prog_tests/btf_one.c"
	: >"$linux/$bpf/prog_tests/other.c"
	echo CONFIG_BPF=y | tee "$scratch/r/virtme.config" >"$linux/$bpf/config"
	touch "$linux/$bpf"/{Makefile,x.c,progs/used.c,progs/unused.c,prog_tests/tc_helpers.h}
	git -C "$linux" add -A
	commit_change 3 "its tests" a.c
	commit_change 4 "and the last" a.c
	export BEFORE=HEAD~1
	stub make true
	stub clang-19 true
	stub vm-run 'case $* in */test-progs/after/*) cat "'"$scratch"'/after" ;; *) cat "'"$scratch"'/before" ;; esac'
	mv "$scratch/bin/vm-run" "$scratch/r/tools/vm/run"
	cp /bin/true "$scratch/r/build/bin/btfaddr"
	cat >"$scratch/before" <<-'EOF'
		#1/1     btf_one/a:OK
		#1/2     btf_one/b:FAIL
		#1/3     btf_one/c:SKIP
		#1/4     btf_one/name '\0' ok:OK
		#1       btf_one:FAIL
	EOF
}

test_test_progs_compares_what_passed_before() {
	stub_test_progs
	sed s/FAIL/OK/ "$scratch/before" >"$scratch/after"
	expect 0 '' "$steps/test-progs"
	want_text $'ok 1 - btf_one/a\nok 2 - btf_one/name \'\\0\' ok\n1..2'
	(cd "$scratch/r/build/test-progs/after.tree/tools/testing/selftests/bpf" &&
		[[ -e prog_tests/btf_one.c && -e progs/used.c ]] &&
		[[ ! -e prog_tests/other.c && ! -e progs/unused.c ]]) || fail "the wrong tests"
	sed s/a:OK/a:FAIL/ "$scratch/before" >"$scratch/after"
	expect 1 "not ok 1 - btf_one/a: FAIL after the series" "$steps/test-progs"
	sed -i 1d "$scratch/after"
	expect 1 "not ok 1 - btf_one/a: no result after the series" "$steps/test-progs"
}

test_test_progs_without_a_test_of_the_name() {
	stub_test_progs
	expect 1 "has no test that is called: nosuch*" "$steps/test-progs" 'nosuch*'
	BEFORE=nosuch expect 1 "test-progs: BEFORE='nosuch' is no commit of $linux" \
		"$steps/test-progs"
	: >"$scratch/before"
	expect 1 "test_progs says nothing" "$steps/test-progs"
}

# After a run was killed, its make still works on the tree that the next run would change.
test_test_progs_is_refused_while_a_killed_one_works_on() {
	local left

	stub_test_progs
	stub make '[[ ! -e "'"$scratch"/pid'" ]] && echo $$ >"'"$scratch"/pid'" && exec sleep 60'
	"$steps/test-progs" >/dev/null 2>&1 &
	for _ in {1..100}; do
		[[ ! -s $scratch/pid ]] || break
		sleep 0.1
	done
	left=$(<"$scratch/pid")
	kill -TERM $!
	! wait $! || fail "status 0"
	run "$steps/test-progs"
	kill "$left"
	want_status 1
	want_text "another 'make test-progs' works in $scratch/r/build/test-progs; wait for its end"
}

run_tests
