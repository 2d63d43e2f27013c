#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The functions files of many modules at a time.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

test_each_module_has_the_file_that_it_has_alone() {
	addr "$ko" --functions "$scratch/alone"
	cp "$ko" "$scratch/my-mod.ko"
	cp "$ko" "$scratch/two.ko.debug"
	echo bad >"$scratch/bad.ko"
	mkdir "$scratch/out"
	run addr -j 2 --functions "$scratch/out" "$scratch"/{my-mod.ko,bad.ko,two.ko.debug}
	want_status 1
	want_text "bad.ko: not an ELF file"
	[[ $(ls -- "$scratch/out") == "my_mod.functions"$'\n'"two.functions" ]]
	cmp "$scratch/alone" "$scratch/out/my_mod.functions"
	cmp "$scratch/alone" "$scratch/out/two.functions"
	addr --functions "$scratch/out" "$ko"
	cmp "$scratch/alone" "$scratch/out/$(basename -- "${ko//-/_}" .ko).functions"
}

test_two_modules_of_one_name() {
	mkdir "$scratch"/{out,a,b}
	cp "$ko" "$scratch/a/x-y.ko"
	cp "$ko" "$scratch/b/x_y.ko"
	run addr --functions "$scratch/out" "$scratch/a/x-y.ko" "$scratch/b/x_y.ko"
	want_status 1
	want_text "b/x_y.ko: has the name of $scratch/a/x-y.ko"
	[[ -e $scratch/out/x_y.functions ]]
}

test_options_that_make_no_sense_with_many() {
	run addr --functions "$scratch/file" "$ko" "$ko"
	want_status 2
	want_text "more than one INPUT"
	run addr --functions "$scratch" -o "$scratch/out" "$ko"
	want_status 2
	want_text "with a folder, only --btf_base and -j"
}

run_tests
