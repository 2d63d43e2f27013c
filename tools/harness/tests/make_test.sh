#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "make test", with selftests that are a stub, and of the lists in the selftests' README.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# stub_selftests TAP [STATUS] - Make a repository with the selftests many and fentry.sh, and a gcc
# kernel. "run_tests" prints TAP and exits with STATUS. $scratch/made and $scratch/ran have what "all"
# and "run_tests" were called with.
stub_selftests() {
	mkdir -p "$scratch/r/tools/fentry" "$scratch/r/selftests/host"
	[[ -e $scratch/r/tools/harness ]] || cp -r "$harness" "$scratch/r/tools/"
	printf '%b' "$1" >"$scratch/tap"
	printf 'all:\n' >"$scratch/r/tools/fentry/Makefile"
	printf '%s\n' 'all:' "	@echo \$(FLAVOUR) \$(T) >$scratch/made" \
		'run_tests:' "	@echo \$(FLAVOUR) \$(T) >$scratch/ran; cat $scratch/tap; exit ${2:-0}" \
		'emit_tests:' '	@printf ":many\n:fentry.sh\n"' >"$scratch/r/selftests/Makefile"
	touch "$scratch/r/selftests/"{sets.c,host/kaslr.sh}
	stub_kernel gcc
}

# stub_kernel FLAVOUR - Make the files of a kernel that is built.
stub_kernel() {
	mkdir -p "$scratch/r/build/$1/arch/x86/boot"
	touch "$scratch/r/build/$1/"{vmlinux,arch/x86/boot/bzImage}
}

# make_test STATUS LAST [NAME...] - Run "make test". LAST is the last line of what it prints.
make_test() {
	run "$scratch/r/tools/harness/test" "${@:3}"
	want_status "$1"
	[[ ${out##*$'\n'} == "$2" ]] || fail "last line: ${out##*$'\n'}"
}

test_make_test_shows_results_and_fails_with_a_test_or_the_vm_or_if_none_has_run() {
	stub_selftests '1..2\nok 1 a\nok 2 b # SKIP why\n'
	make_test 0 "1 passed, 0 failed, 1 skipped" many fentry.sh
	want_text "ok 1 a"
	[[ $(<"$scratch/made") == "gcc many fentry.sh" ]] || fail "made: $(<"$scratch/made")"
	[[ $(<"$scratch/ran") == "gcc many fentry.sh" ]] || fail "ran: $(<"$scratch/ran")"
	stub_selftests '1..2\nok 1\nnot ok 2\n'
	make_test 1 "1 passed, 1 failed" many
	stub_selftests '1..1\nok 1 # SKIP why\n'
	make_test 1 "test: no test has run" many
	stub_selftests '1..1\nok 1\n' 123
	make_test 1 "test: no test failed, but 'make -C selftests run_tests' did, with status 2" many
}

test_make_test_of_what_is_no_test_or_for_another_kernel_or_for_the_host() {
	stub_selftests ''
	make_test 2 "test: no selftest 'mani'; did you mean many?" mani
	make_test 2 "test: no selftest 'xyzzy'; there are: many fentry.sh" many xyzzy
	expect 2 "selftest 'sets' isn't for gcc" "$scratch/r/tools/harness/test" sets
	expect 2 "selftests/host/kaslr.sh gcc" "$scratch/r/tools/harness/test" kaslr.sh
	expect 2 "needs a TEST" "$scratch/r/tools/harness/test"
	[[ ! -e $scratch/made && ! -e $scratch/ran ]] || fail "it went on"
}

test_make_test_takes_the_kernel_that_is_built() {
	local no_kernel="run 'make kernel BASE=6.12 FLAVOUR=gcc' first"

	stub_selftests '1..1\nok 1\n'
	stub_kernel thinlto
	FLAVOUR=thinlto make_test 0 "1 passed, 0 failed" many
	want_text "many with 6.12, thinlto"
	make_test 0 "1 passed, 0 failed" many
	want_text "many with 6.12, gcc"
	rm "$scratch/r/build/gcc/vmlinux"
	make_test 0 "1 passed, 0 failed" many
	want_text "many with 6.12, thinlto"
	rm -r "$scratch/r/build/thinlto"
	make_test 1 "test: no kernel in $scratch/r/build: $no_kernel" many
	BASE=7.3 FLAVOUR=kasan expect 1 "no kasan kernel in $scratch/r/build/7.3: run 'make kernel BASE=7.3" \
		"$scratch/r/tools/harness/test" many
}

# make_run_tests VARIABLE=VALUE... - Print what run_tests of the selftests does on another kernel.
make_run_tests() {
	local folder=$scratch/build/linux/tools/testing/selftests

	mkdir -p "$folder"
	printf 'run_tests:\n\t$(call RUN_TESTS)\n' >"$folder/lib.mk"
	run make -s -n -C "${harness%/tools/harness}/selftests" "BUILD=$scratch/build" "$@" run_tests
}

test_run_tests_boots_the_kernel_that_was_built() {
	make_run_tests FLAVOUR=thinlto
	want_status 0
	want_text "vm/run --build '$scratch/build' --kernel '$scratch/build/thinlto/arch/x86/boot/bzImage'"
	ARCH=arm64 make_run_tests
	want_status 2
	want_text "no Debian for arm64 in $scratch/build/root: 'make root ARCH=arm64' makes it"
	mkdir -p "$scratch/build/root/usr/include/bpf"
	ARCH=arm64 make_run_tests
	want_status 0
	want_text "--kernel '$scratch/build/gcc/arch/arm64/boot/Image'"
}

test_run_tests_passes_settings_on() {
	local in_guest

	export ROUNDS=7 TESTS="a|b\$ 'c'"
	make_run_tests T='many fentry.sh'
	eval "in_guest=${out##* -- }"
	eval "in_guest=(${in_guest// make *})"
	[[ "${in_guest[*]}" == "ROUNDS=7 T=many fentry.sh TESTS=$TESTS" ]] ||
		fail "${in_guest[*]}"
}

run_tests
