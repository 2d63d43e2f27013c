#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the scripts that install packages and build kernels, with an apt, a make and a VM that are
# stubs.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# The harness writes nothing outside of the build folder, unless the user wants that.
test_kernels_have_folders_compilers_and_a_ccache_of_their_own() {
	local show='. "$0/common.sh"; echo "${BUILD#"$repo"} $bootable ${CROSS_COMPILE:-none} $CCACHE_DIR"'

	small_tree
	expect 2 "there are: gcc thinlto cfi kasan noaddr other" "$steps/kernel" nosuch
	expect 0 "/build arch/x86/boot/bzImage none $scratch/r/build/ccache" \
		env -u CCACHE_DIR bash -c "$show" "$steps"
	CCACHE_DIR=/mine ARCH=arm64 BASE=7.3 \
		expect 0 "/build/7.3/arm64 arch/arm64/boot/Image aarch64-linux-gnu- /mine" bash -c "$show" "$steps"
	ARCH=arm expect 2 "ARCH=arm: there are x86 and arm64" "$steps/kernel" gcc
}

# make succeeds, but writes no bzImage, so that an old one would boot.
test_step_that_does_not_compile_fails() {
	small_tree
	mkdir -p "$scratch/r/tools/vm" "$scratch/r/tools/deb"
	cp "$tools/deb/twins.sh" "$scratch/r/tools/deb/"
	cp "${tools%/*}/virtme.config" "$scratch/r/"
	stub run 'exit 0'
	mv "$scratch/bin/run" "$scratch/r/tools/vm/"
	stub make '[[ $* != *bzImage* ]]'
	expect 1 "not ok 1 - patch 1, option on: first change" "$steps/steps"
}

test_deps_that_are_there_and_that_cannot_be_installed() {
	printf 'base bash coreutils\n' >"$scratch/packages"
	export PACKAGES=$scratch/packages BUILD=$scratch/build
	expect 0 '' "$harness/deps"
	[[ -z $out ]] || fail "said: $out"
	printf 'base nosuch-package-btfaddr\n' >"$scratch/packages"
	stub apt-get 'echo "E: Unable to locate package nosuch-package-btfaddr" >&2; exit 100'
	stub sudo 'exit 1'
	stub apt-cache 'exit 1'
	stub id 'echo 0'
	expect 1 "E: Unable to locate package nosuch-package-btfaddr" "$harness/deps"
	want_text "package nosuch-package-btfaddr: not in any source that apt knows"
	stub id 'echo 1000'
	expect 1 "apt-get update && apt-get install -y --no-install-recommends nosuch-package-btfaddr" \
		"$harness/deps"
}

run_tests
