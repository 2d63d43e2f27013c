#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "make test", with a VM that is a stub, and of the lists in the selftests' README.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# stub_selftests TAP [STATUS] - Make a repository with the selftests many and fentry.sh, a gcc
# kernel, and a VM that prints TAP and exits with STATUS. $scratch/vm and $scratch/made have the
# arguments that the VM and the selftests' make were called with.
stub_selftests() {
	mkdir -p "$scratch/r/tools/"{vm,fentry} "$scratch/r/selftests/host"
	cp -r "$harness" "$scratch/r/tools/harness"
	printf '%b' "$1" >"$scratch/tap"
	printf '#!/bin/sh\necho "$@" >%q/vm\ncat %q/tap\nexit %s\n' "$scratch" "$scratch" "${2:-0}" \
		>"$scratch/r/tools/vm/run"
	chmod +x "$scratch/r/tools/vm/run"
	printf 'all:\n' >"$scratch/r/tools/fentry/Makefile"
	printf '%s\n' 'all:' "	@echo \$(FLAVOUR) \$(T) >$scratch/made" \
		'emit_tests:' '	@printf ":many\n:fentry.sh\n"' >"$scratch/r/selftests/Makefile"
	touch "$scratch/r/selftests/"{sets.c,host/kaslr.sh}
	stub_kernel gcc
}

# stub_kernel FLAVOUR - Make the files of a kernel that is built.
stub_kernel() {
	mkdir -p "$scratch/r/build/$1/arch/x86/boot"
	touch "$scratch/r/build/$1/"{vmlinux,arch/x86/boot/bzImage}
}

make_test() {
	run "$scratch/r/tools/harness/test" "$@"
}

want_last_line() {
	[[ ${out##*$'\n'} == "$1" ]] || fail "last line: ${out##*$'\n'}"
}

test_make_test_shows_results_and_their_number() {
	stub_selftests '1..2\nok 1 a\nok 2 b # SKIP why\n'
	make_test many fentry.sh
	want_status 0
	want_text "ok 1 a"
	want_last_line "1 passed, 0 failed, 1 skipped"
	[[ $(<"$scratch/made") == "gcc many fentry.sh" ]] || fail "made: $(<"$scratch/made")"
	[[ $(<"$scratch/vm") == *"--kernel $scratch/r/build/gcc/"*" FLAVOUR=gcc T='many fentry.sh' run_tests" ]] ||
		fail "VM: $(<"$scratch/vm")"
}

test_make_test_fails_with_a_test() {
	stub_selftests '1..2\nok 1\nnot ok 2\n'
	make_test many
	want_status 1
	want_last_line "1 passed, 1 failed"
}

test_make_test_fails_if_none_has_run() {
	stub_selftests '1..1\nok 1 # SKIP why\n'
	make_test many
	want_status 1
	want_last_line "test: no test has run"
	: >"$scratch/tap"
	make_test many
	want_status 1
	want_text "no TAP at all"
}

test_make_test_fails_if_the_vm_does() {
	stub_selftests '1..1\nok 1\n' 123
	make_test many
	want_status 1
	want_last_line "test: no test failed, but the VM's exit status is 123"
}

test_make_test_names_the_nearest_test() {
	stub_selftests ''
	make_test mani
	want_status 2
	[[ $out == "test: no selftest 'mani'; did you mean many?" ]] || fail "$out"
	make_test many xyzzy
	want_status 2
	[[ $out == "test: no selftest 'xyzzy'; there are: many fentry.sh" ]] || fail "$out"
	[[ ! -e $scratch/made && ! -e $scratch/vm ]] || fail "it went on"
}

test_make_test_of_what_is_for_another_kernel_or_for_the_host() {
	stub_selftests ''
	make_test sets
	want_status 2
	want_text "selftest 'sets' isn't for gcc"
	make_test kaslr.sh
	want_status 2
	want_text "selftests/host/kaslr.sh gcc"
	make_test
	want_status 2
}

test_make_test_without_a_kernel_says_what_to_run() {
	stub_selftests ''
	rm "$scratch/r/build/gcc/vmlinux"
	make_test many
	want_status 1
	[[ $out == "test: no kernel in $scratch/r/build: run 'make kernel BASE=6.12 FLAVOUR=gcc' first" ]] ||
		fail "$out"
	run env BASE=7.3 FLAVOUR=kasan "$scratch/r/tools/harness/test" many
	want_status 1
	want_text "no kasan kernel in $scratch/r/build/7.3: run 'make kernel BASE=7.3 FLAVOUR=kasan' first"
}

test_make_test_takes_the_kernel_that_is_built() {
	stub_selftests '1..1\nok 1\n'
	stub_kernel thinlto
	run env FLAVOUR=thinlto "$scratch/r/tools/harness/test" many
	want_text "many with 6.12, thinlto"
	make_test many
	want_text "many with 6.12, gcc"
	rm -r "$scratch/r/build/gcc"
	make_test many
	want_text "many with 6.12, thinlto"
}

test_make_test_passes_settings_on() {
	stub_selftests '1..1\nok 1\n'
	run env ROUNDS=7 TESTS='a|b' "$scratch/r/tools/harness/test" many
	want_status 0
	[[ $(<"$scratch/vm") == *" ROUNDS=7 TESTS=a\\|b make "* ]] || fail "VM: $(<"$scratch/vm")"
}

# In the lists of the README, a name follows four spaces, and two or more spaces follow it.
test_readme_lists_every_selftest() {
	local folder=${harness%/tools/harness}/selftests

	sed -nE 's/^ {4}([a-z0-9_]+(\.sh)?) {2}.*/\1/p' "$folder/README" | sort >"$scratch/listed"
	(cd "$folder" && ls -- *.c *.sh host/*.sh) | sed 's,^host/,,; s,\.c$,,' |
		grep -vx boot_lib.sh | sort | diff "$scratch/listed" - || fail "listed <, there >"
}

run_tests
