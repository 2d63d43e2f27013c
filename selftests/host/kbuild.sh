#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel's build without btfaddr, or with another version of it: for modules built by M=, which
# don't require it, and in Kconfig. TAP.
#
# usage: selftests/host/kbuild.sh [FLAVOUR]
. "$(dirname -- "${BASH_SOURCE[0]}")/boot_lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../tools/deb/twins.sh
. "$repo/tools/deb/twins.sh"

# build_twins BTFADDR - Build a module with two functions of one name, as $scratch/twins/twins.ko.
build_twins() {
	local -a compiler=(CC=gcc)

	! grep -qx CONFIG_CC_IS_CLANG=y "$BUILD/$FLAVOUR/.config" || compiler=(LLVM=-19)
	write_twins "$scratch/twins"
	run make -s -C "$BUILD/$FLAVOUR" "M=$scratch/twins" "BTFADDR=$1" "${compiler[@]}" modules
	want_status 0
}

# want_sections NUMBER - Check how many sections named .BTF, and .BTF_func, the module has.
want_sections() {
	local section found

	for section in ".BTF 1" ".BTF_func $1"; do
		found=$(objdump -h "$scratch/twins/twins.ko" | awk '{ print $2 }' |
			grep -cxF -- "${section% *}" || :)
		[[ $found -eq ${section#* } ]] || fail "$found of ${section% *}"
	done
}

test_module_with_btfaddr() {
	build_twins "$BUILD/bin/btfaddr"
	want_no_text unavailability
	want_sections 1
}

# The module is usable, and the build says what the module lacks.
test_module_without_btfaddr() {
	build_twins no-such-btfaddr
	want_text "twins.ko get no addresses due to unavailability of no-such-btfaddr"
	want_sections 0
}

# BTFADDR= runs no btfaddr, and the build must not warn.
test_module_of_which_nobody_wants_addresses() {
	build_twins ""
	want_no_text unavailability
	want_sections 0
}

# want_version NUMBER TEXT - Check what Kconfig takes for the version of a program that prints this.
want_version() {
	stub btfaddr "[[ \$* == --version ]] && echo '$2'"
	run "$BUILD/linux/scripts/btfaddr-version.sh" btfaddr
	want_status 0
	[[ $out == "$1" ]] || fail "'$2' is version $out, want $1"
}

test_version_of_btfaddr() {
	local version

	want_version 100 "btfaddr 1.0"
	want_version 108 "btfaddr 1.08"
	want_version 109 "btfaddr v1.9.3"
	want_version 1210 "btfaddr 12.10"
	want_version 0 "no number"
	version=$("$BUILD/bin/btfaddr" --version)
	run "$BUILD/linux/scripts/btfaddr-version.sh" "$BUILD/bin/btfaddr"
	want_status 0
	grep -qxF -- "btfaddr $((out / 100)).$((out % 100))" <<<"$version" || fail "$version is $out"
}

test_version_of_no_btfaddr() {
	run "$BUILD/linux/scripts/btfaddr-version.sh" no-such-btfaddr
	want_status 1
	[[ $out == 0 ]] || fail "$out"
}

set +e
run_tests
