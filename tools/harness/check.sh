#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the harness: the TAP reader and the counting in "check", the steps on a small
# source tree and in a scratch copy of the repository. Needs no kernel and no network. At the
# end, what the tools must have in common; for that they must be built.
harness=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$harness/taplib.sh"
. "$harness/circles.sh"
tools=${harness%/*}
built=$(realpath -m -- "${BUILD:-$tools/../build}")
unset BASE BUILD KSRC SUITES STRICT PACKAGES MAKEFLAGS MFLAGS MAKELEVEL

# tap TEXT - give the TAP reader this text; sets counts to "passed failed skipped".
tap() {
	run "$harness/tap" "$scratch/counts" < /dev/null
	out=$(printf '%b' "$1" | "$harness/tap" "$scratch/counts")
	counts=$(<"$scratch/counts")
}

want_counts() {
	[[ $counts == "$1" ]] || fail "counts $counts, want $1; output: $out"
}

test_tap_counts_passed_failed_skipped() {
	tap 'TAP version 13\n1..3\nok 1 a\nnot ok 2 b\nok 3 c # SKIP no reason\n'
	want_counts "1 1 1"
}

test_tap_passes_every_line_through() {
	local text='noise\nTAP version 13\n1..1\n# x  y\nok 1\n\nlast without newline'

	tap "$text"
	[[ $out == "$(printf '%b' "$text")" ]] || fail "changed: $out"
	want_counts "1 0 0"
}

test_tap_shows_a_line_as_soon_as_it_comes() {
	mkfifo "$scratch/in"
	"$harness/tap" "$scratch/counts" <"$scratch/in" >"$scratch/out" &
	exec 5>"$scratch/in"
	echo 'TAP version 13' >&5
	for _ in {1..50}; do
		[[ ! -s $scratch/out ]] || break
		sleep 0.1
	done
	[[ -s $scratch/out ]] || fail "nothing within 5 s"
	exec 5>&-
	wait
}

test_tap_empty_input_is_a_failure() {
	tap ''
	want_counts "0 1 0"
	want_text "no TAP at all"
}

test_tap_without_a_plan_is_a_failure() {
	tap 'TAP version 13\nok 1\n'
	want_counts "1 1 0"
}

test_tap_fewer_results_than_planned() {
	tap 'TAP version 13\n1..3\nok 1\nok 2\n'
	want_counts "2 1 0"
	want_text "plan of 3, but 2 results"
}

test_tap_more_results_than_planned() {
	tap '1..1\nok 1\nok 2\n'
	want_counts "2 1 0"
}

test_tap_plan_at_the_end() {
	tap 'ok 1\nok 2\n1..2\n'
	want_counts "2 0 0"
}

test_tap_number_out_of_order() {
	tap '1..2\nok 1\nok 1\n'
	want_counts "2 1 0"
}

test_tap_bail_out() {
	tap '1..1\nok 1\nBail out! no disk\n'
	want_counts "1 1 0"
}

test_tap_no_test_is_a_failure() {
	tap 'TAP version 13\n1..0 # SKIP nothing here\n'
	want_counts "0 1 0"
}

test_tap_started_twice() {
	tap 'TAP version 13\n1..1\nok 1\nTAP version 13\n1..1\nok 1\n'
	want_counts "2 1 0"
}

test_tap_nested_tests_count_instead_of_their_program() {
	tap 'TAP version 13\n1..2
# selftests: x: a\n# TAP version 13\n# 1..3\n# ok 1 x\n# # ok 9 is only text
# not ok 2 y\n# ok 3 z # SKIP why\nnot ok 1 selftests: x: a # exit=1
# selftests: x: b\n# any output\nok 2 selftests: x: b\n'
	want_counts "2 1 1"
}

test_tap_program_dies_after_its_tests_passed() {
	tap 'TAP version 13\n1..1\n# TAP version 13\n# 1..1\n# ok 1 x\nnot ok 1 a # exit=139\n'
	want_counts "1 1 0"
}

test_tap_program_dies_in_the_middle() {
	tap 'TAP version 13\n1..1\n# TAP version 13\n# 1..3\n# ok 1 x\nnot ok 1 a # TIMEOUT\n'
	want_counts "1 1 0"
	want_text "plan of 3, but 1 results below 'not ok 1 a"
}

test_tap_program_says_ok_although_a_test_failed() {
	tap 'TAP version 13\n1..1\n# TAP version 13\n# 1..1\n# not ok 1 x\nok 1 a\n'
	want_counts "0 1 0"
}

test_tap_program_that_skips_as_a_whole() {
	tap 'TAP version 13\n1..1\n# TAP version 13\n# 1..0 # SKIP not root\nok 1 a # SKIP\n'
	want_counts "0 0 1"
}

test_tap_nested_three_deep() {
	tap '1..1\n# 1..2\n# # 1..2\n# # ok 1\n# # not ok 2\n# not ok 1 sub\n# ok 2\nnot ok 1 top\n'
	want_counts "2 1 0"
}

test_tap_carriage_returns() {
	tap 'TAP version 13\r\n1..1\r\nok 1\r\n'
	want_counts "1 0 0"
}

# A copy of the repository whose suites are stubs; $1 is what tools/btfaddr's prints.
stub_repo() {
	mkdir -p "$scratch/r/tools/btfaddr"
	cp -r "$harness" "$scratch/r/tools/harness"
	printf '%b' "$1" >"$scratch/r/tools/btfaddr/tap"
	printf 'check:\n\t@cat tap; %s\n' "${2:-true}" >"$scratch/r/tools/btfaddr/Makefile"
}

check_stub() {
	run env SUITES="tools/btfaddr" "$@" "$scratch/r/tools/harness/check"
}

test_check_last_line_is_the_count() {
	stub_repo '1..2\nok 1\nok 2\n'
	check_stub
	want_status 0
	[[ ${out##*$'\n'} == "2 passed, 0 failed" ]] || fail "last line: ${out##*$'\n'}"
}

test_check_fails_with_a_failed_test_although_the_suite_exits_0() {
	stub_repo '1..2\nok 1\nnot ok 2\n'
	check_stub
	want_status 1
	[[ ${out##*$'\n'} == "1 passed, 1 failed" ]] || fail "last line: ${out##*$'\n'}"
}

test_check_counts_a_suite_that_dies_as_one_failure() {
	stub_repo '1..1\nok 1\n' 'exit 3'
	check_stub
	want_status 1
	[[ ${out##*$'\n'} == "1 passed, 1 failed" ]] || fail "last line: ${out##*$'\n'}"
}

test_check_counts_a_missing_suite_as_one_failure() {
	stub_repo ''
	rm -r "$scratch/r/tools/btfaddr"
	check_stub
	want_status 1
	[[ ${out##*$'\n'} == "0 passed, 1 failed" ]] || fail "last line: ${out##*$'\n'}"
}

test_check_adds_up_what_both_workers_ran() {
	stub_repo '1..2\nok 1\nok 2\n'
	mkdir -p "$scratch/r/tools/vm"
	printf 'check:\n\t@printf "1..2\\nok 1\\nnot ok 2\\n"\n' >"$scratch/r/tools/vm/Makefile"
	check_stub SUITES="tools/btfaddr tools/vm"
	want_status 1
	want_text "failed: tools/vm"
	[[ ${out##*$'\n'} == "3 passed, 1 failed" ]] || fail "last line: ${out##*$'\n'}"
}

test_check_says_at_the_end_what_failed() {
	local after

	stub_repo '1..3\nnot ok 1 early\n# why\nok 2\nok 3\n'
	check_stub
	want_status 1
	after=${out#*"# suite tools/btfaddr: 2 passed"}
	[[ $after == *$'\nnot ok 1 early\n# why\n'* ]] || fail "not in: $after"
	stub_repo "1..3\nok 1\nconsole: BUG: bad address\n$(printf 'console: rax %d\\n' {1..30})"
	check_stub
	after=${out#*"# suite tools/btfaddr: 1 passed"}
	[[ $after == *"console: BUG: bad address"* ]] || fail "not in: $after"
}

test_check_interrupted_leaves_nothing() {
	local pid i

	stub_repo '' 'echo $$$$ >pid; exec sleep 300'
	env SUITES=tools/btfaddr "$scratch/r/tools/harness/check" >/dev/null 2>&1 &
	pid=$!
	until [[ -s $scratch/r/tools/btfaddr/pid ]]; do sleep 0.1; done
	kill -TERM "$pid"
	! wait "$pid" || fail "status 0"
	pid=$(<"$scratch/r/tools/btfaddr/pid")
	for ((i = 0; i < 100; i++)); do
		[[ -e /proc/$pid ]] || return 0
		sleep 0.1
	done
	fail "the suite runs on"
}

test_check_strict_fails_on_a_skip() {
	stub_repo '1..2\nok 1\nok 2 # SKIP not here\n'
	check_stub
	want_status 0
	[[ ${out##*$'\n'} == "1 passed, 0 failed, 1 skipped" ]] || fail "last: ${out##*$'\n'}"
	check_stub STRICT=1
	want_status 1
}

test_check_unknown_suite() {
	stub_repo ''
	run env SUITES=nosuch "$scratch/r/tools/harness/check"
	want_status 2
}

test_check_quick_boots_nothing() {
	stub_repo '1..1\nok 1\n'
	run env SUITES=tools/btfaddr "$scratch/r/tools/harness/check" --quick
	want_status 0
	run env SUITES="tools/vm selftests-gcc valgrind" "$scratch/r/tools/harness/check" --quick
	want_status 2
}

# A tree that is small enough to be unpacked in a test, and a repository with two patches.
small_tree() {
	local src=$scratch/src

	stub_free 99999 99999
	mkdir -p "$scratch/r/kernel/6.12" "$scratch/r/tools" "$src/kernel"
	cp -r "$harness" "$scratch/r/tools/harness"
	printf 'all:\n' >"$src/Makefile"
	printf 'config X\n' >"$src/Kconfig"
	seq 1 30 >"$src/kernel/a.c"
	seq 1 30 >"$src/kernel/b.c"
	export KSRC=$src
	steps=$scratch/r/tools/harness
	linux=$scratch/r/build/linux
	run "$steps/source"
	want_status 0
	commit_change 5 "first change" a.c
	commit_change 9 "second change" b.c
	run "$steps/export-patches"
	want_status 0
}

# commit_change LINE SUBJECT FILE - as a developer would, in the tree.
commit_change() {
	sed -i "$1s/.*/$2/" "$linux/kernel/$3"
	git -C "$linux" -c user.name=Dev -c user.email=dev@example.com commit -qam "$2"
}

series() {
	git -C "$linux" log --format='%an %s' base..series
}

test_source_from_a_tarball_folder_and_git_tree() {
	small_tree
	tar -cJf "$scratch/t.tar.xz" -C "$scratch" src
	git -C "$scratch/src" init -q
	git -C "$scratch/src" add -A
	git -C "$scratch/src" -c user.name=x -c user.email=x commit -qm x
	for KSRC in "$scratch/t.tar.xz" "$scratch/src"; do
		rm -rf "$scratch/r/build"
		run "$steps/source"
		want_status 0
		[[ $(series) == $'Dev second change\nDev first change' ]] || fail "$(series)"
		[[ -z $(git -C "$linux" status --porcelain) ]] || fail "not clean"
	done
}

test_source_twice_changes_nothing() {
	small_tree
	head=$(git -C "$linux" rev-parse HEAD)
	run "$steps/source"
	want_status 0
	[[ -z $out && $(git -C "$linux" rev-parse HEAD) == "$head" ]] || fail "changed: $out"
}

# They are part of the base, and no part of the series.
test_source_mends_the_base() {
	small_tree
	mkdir "$scratch/r/kernel/6.12/fixes"
	mv "$scratch/r/kernel/6.12/0002-"* "$scratch/r/kernel/6.12/fixes/"
	rm -rf "$scratch/r/build"
	run "$steps/source"
	want_status 0
	[[ $(series) == "Dev first change" ]] || fail "$(series)"
	[[ $(git -C "$linux" log -1 --format=%s base) == "second change" ]] || fail "not mended"
	run "$steps/export-patches"
	[[ $(ls "$scratch/r/kernel/6.12") == $'0001-first-change.patch\nfixes' ]] ||
		fail "$(ls "$scratch/r/kernel/6.12")"
	rm -rf "$scratch/r/build"
	sed -i 's/^-9$/-nine/' "$scratch/r/kernel/6.12/fixes/"*
	run "$steps/source"
	want_status 1
	want_text "patch kernel/6.12/fixes/0002-second-change.patch does not apply on: kernel/b.c"
	[[ ! -e $linux ]] || fail "half made"
}

test_source_follows_the_fixes() {
	local fixes=$scratch/r/kernel/6.12/fixes

	small_tree
	mkdir "$fixes"
	mv "$scratch/r/kernel/6.12/0002-"* "$fixes/"
	run "$steps/source"
	want_status 0
	[[ $(git -C "$linux" log -1 --format=%s base) == "second change" ]] || fail "$out"
	[[ $(series) == "Dev first change" ]] || fail "$(series)"
	[[ -z $(git -C "$linux" status --porcelain) ]] || fail "not clean"
	head=$(git -C "$linux" rev-parse series)
	sed -i 's/^-9$/-nine/' "$fixes/"*
	run "$steps/source"
	want_status 1
	want_text "patch kernel/6.12/fixes/0002-second-change.patch does not apply on: kernel/b.c"
	[[ $(git -C "$linux" rev-parse HEAD) == "$head" && -z $(git -C "$linux" status --porcelain) ]] ||
		fail "not as before: $(git -C "$linux" status)"
	rm -r "$fixes"
	run "$steps/source"
	want_status 0
	[[ $(git -C "$linux" log --format=%s base) == "base: "* ]] || fail "still mended"
	run "$steps/source"
	[[ -z $out ]] || fail "said: $out"
}

test_source_same_patches_same_commits() {
	small_tree
	rm -rf "$scratch/r/build"
	"$steps/source"
	head=$(git -C "$linux" rev-parse HEAD)
	rm -rf "$scratch/r/build"
	"$steps/source"
	[[ $(git -C "$linux" rev-parse HEAD) == "$head" ]] || fail "other commits"
}

test_source_follows_changed_patches() {
	small_tree
	rm "$scratch/r/kernel/6.12/0002-"*
	run "$steps/source"
	want_status 0
	[[ $(series) == "Dev first change" ]] || fail "$(series)"
}

test_source_keeps_commits_that_no_patch_has() {
	small_tree
	commit_change 20 "third change" a.c
	rm "$scratch/r/kernel/6.12/0002-"*
	run "$steps/source"
	want_status 0
	want_text "used as it is"
	[[ $(series | wc -l) -eq 3 ]] || fail "$(series)"
}

test_source_keeps_uncommitted_work() {
	small_tree
	echo work >>"$linux/kernel/a.c"
	rm "$scratch/r/kernel/6.12/0002-"*
	run "$steps/source"
	want_status 0
	want_text "used as it is"
	[[ $(tail -n 1 "$linux/kernel/a.c") == work ]] || fail "work lost"
}

test_source_names_the_patch_and_file_that_fail() {
	small_tree
	sed -i 's/^-9$/-nine/' "$scratch/r/kernel/6.12/0002-"*
	head=$(git -C "$linux" rev-parse HEAD)
	run "$steps/source"
	want_status 1
	want_text "patch kernel/6.12/0002-second-change.patch does not apply on: kernel/b.c"
	[[ $(git -C "$linux" rev-parse HEAD) == "$head" ]] || fail "HEAD moved"
	[[ -z $(git -C "$linux" status --porcelain) ]] || fail "left dirty"
	[[ ! -e $linux/.git/rebase-apply ]] || fail "git am left in the middle"
	rm -rf "$scratch/r/build"
	run "$steps/source"
	want_status 1
	want_text "patch kernel/6.12/0002-second-change.patch does not apply on: kernel/b.c"
}

test_source_missing_and_bad_ksrc() {
	small_tree
	rm -rf "$scratch/r/build"
	KSRC=/nonexistent run "$steps/source"
	want_status 1
	want_text "no kernel source at /nonexistent"
	echo junk >"$scratch/junk.tar.xz"
	KSRC=$scratch/junk.tar.xz run "$steps/source"
	want_status 1
	want_text "cannot unpack"
	[[ ! -e $linux ]] || fail "build/linux was left half made"
}

test_no_disk_space_says_needs_and_has() {
	small_tree
	rm -rf "$scratch/r/build"
	stub_free 17 99999
	run "$steps/source"
	want_status 1
	want_text "MB free, has 17 MB"
}

test_patches_round_trip_is_stable() {
	small_tree
	sha256sum "$scratch"/r/kernel/6.12/* >"$scratch/before"
	run "$steps/export-patches"
	want_status 0
	sha256sum "$scratch"/r/kernel/6.12/* | diff "$scratch/before" -
	[[ $(wc -l <"$scratch/before") -eq 2 ]] || fail "$(<"$scratch/before")"
	grep -q '^From 0000000000000000000000000000000000000000 ' "$scratch"/r/kernel/6.12/0001-* ||
		fail "commit id in the patch"
	! grep -q '^MIME-Version\|^Content-Type: multipart' "$scratch"/r/kernel/6.12/* ||
		fail "patches as attachments"
}

test_patches_keeps_the_cover_letter_and_drops_stale_ones() {
	small_tree
	echo cover >"$scratch/r/kernel/6.12/0000-cover-letter.patch"
	git -C "$linux" reset -q --hard HEAD~1
	run "$steps/export-patches"
	want_status 0
	[[ $(ls "$scratch/r/kernel/6.12") == $'0000-cover-letter.patch\n0001-first-change.patch' ]] ||
		fail "$(ls -a "$scratch/r/kernel/6.12")"
}

test_source_keeps_a_commit_message_that_no_patch_has() {
	small_tree
	git -C "$linux" -c user.name=Dev -c user.email=dev@example.com commit -q --amend -m reworded
	rm "$scratch/r/kernel/6.12/0001-"*
	run "$steps/source"
	want_text "used as it is"
	[[ $(series | head -n 1) == "Dev reworded" ]] || fail "$(series)"
	run "$steps/clean"
	want_status 1
}

test_source_follows_patches_written_by_another_git() {
	small_tree
	rm -rf "$scratch/r/build"
	sed -i '/^index /s/\([0-9a-f]\{10\}\)[0-9a-f]*/\1/g' "$scratch"/r/kernel/6.12/*
	"$steps/source"
	run "$steps/source"
	[[ -z $out ]] || fail "said: $out"
	run "$steps/source" --exported
	want_status 0
	rm "$scratch/r/kernel/6.12/0002-"*
	run "$steps/source"
	[[ $(series) == "Dev first change" ]] || fail "$(series)"
}

test_source_says_that_work_is_not_exported() {
	small_tree
	commit_change 20 "third change" a.c
	run "$steps/source"
	want_status 0
	want_text "isn't in kernel/6.12/*.patch yet"
}

test_clean_refuses_to_lose_commits() {
	small_tree
	commit_change 20 "third change" a.c
	run "$steps/clean"
	want_status 1
	want_text "has work that kernel/6.12/*.patch lack"
	[[ -e $linux ]] || fail "removed"
	run "$steps/export-patches"
	run "$steps/clean"
	want_status 0
	[[ ! -e $scratch/r/build ]] || fail "still there"
}

# The other base, with a change that no patch has, in the folder of the first.
test_bases_are_built_side_by_side() {
	small_tree
	mkdir "$scratch/r/kernel/7.3"
	BASE=7.3 run "$steps/source"
	want_status 0
	linux=$scratch/r/build/7.3/linux
	[[ -z $(series) && $(git -C "$linux" log --format=%s base) == "base: src" ]] || fail "$(series)"
	commit_change 7 "for the other base" a.c
	BASE=7.3 run "$steps/export-patches"
	want_status 0
	[[ $(ls "$scratch/r/kernel/7.3") == 0001-for-the-other-base.patch ]] || fail "$(ls -R "$scratch/r/kernel")"
	grep -qx 'Subject: \[PATCH 7.3 1/1\] for the other base' "$scratch"/r/kernel/7.3/* || fail "no title"
	linux=$scratch/r/build/linux
	[[ $(series) == $'Dev second change\nDev first change' ]] || fail "$(series)"
}

test_clean_refuses_to_lose_commits_of_another_base() {
	small_tree
	mkdir "$scratch/r/kernel/7.3"
	BASE=7.3 "$steps/source"
	linux=$scratch/r/build/7.3/linux
	commit_change 7 "for the other base" a.c
	run "$steps/clean"
	want_status 1
	want_text "has work that kernel/7.3/*.patch lack"
	[[ -e $linux && -e $scratch/r/build/linux ]] || fail "removed"
	BASE=7.3 "$steps/export-patches"
	BASE=7.3 run "$steps/clean"
	want_status 0
	[[ ! -e $linux && -e $scratch/r/build/linux ]] || fail "not that one alone"
}

test_clean_refuses_a_folder_that_is_no_build_folder() {
	small_tree
	mkdir "$scratch/precious"
	BUILD=$scratch/precious run "$steps/clean"
	want_status 1
	[[ -e $scratch/precious ]] || fail "removed"
}

test_kernel_unknown_flavour() {
	small_tree
	run "$steps/kernel" nosuch
	want_status 2
	want_text "there are: gcc thinlto kasan noaddr other"
}

# The tree's own tests, two of them, in the kernel source; make and the VM do nothing, and
# test_progs says what $scratch/before and $scratch/after have.
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

test_test_progs_passes_what_passes_after() {
	stub_test_progs
	sed s/FAIL/OK/ "$scratch/before" >"$scratch/after"
	run "$steps/test-progs"
	want_status 0
	want_text $'ok 1 - btf_one/a\nok 2 - btf_one/name \'\\0\' ok\n1..2'
	(cd "$scratch/r/build/test-progs/after.tree/tools/testing/selftests/bpf" &&
		[[ -e prog_tests/btf_one.c && -e progs/used.c ]] &&
		[[ ! -e prog_tests/other.c && ! -e progs/unused.c ]]) || fail "the wrong tests"
}

test_test_progs_fails_what_passed_before() {
	stub_test_progs
	sed s/a:OK/a:FAIL/ "$scratch/before" >"$scratch/after"
	run "$steps/test-progs"
	want_status 1
	want_text "not ok 1 - btf_one/a: FAIL after the series"
	sed -i 1d "$scratch/after"
	run "$steps/test-progs"
	want_status 1
	want_text "not ok 1 - btf_one/a: no result after the series"
}

test_test_progs_without_a_test_of_the_name() {
	stub_test_progs
	run "$steps/test-progs" 'nosuch*'
	want_status 1
	want_text "has no test that is called: nosuch*"
	BEFORE=nosuch run "$steps/test-progs"
	want_status 1
	want_text "test-progs: BEFORE='nosuch' is no commit of $linux"
	: >"$scratch/before"
	run "$steps/test-progs"
	want_status 1
	want_text "test_progs says nothing"
}

# Whose make goes on with the tree that the next one would change.
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

# A package list of our own, and dpkg-query and apt-get that know nothing.
stub_apt() {
	printf 'base nosuch-package-btfaddr\n' >"$scratch/packages"
	stub apt-get 'echo "E: Unable to locate package nosuch-package-btfaddr" >&2; exit 100'
	stub sudo 'exit 1'
	stub apt-cache 'exit 1'
	export PACKAGES=$scratch/packages BUILD=$scratch/build
}

test_deps_nothing_missing_is_silent() {
	printf 'base bash coreutils\n' >"$scratch/packages"
	PACKAGES=$scratch/packages run "$harness/deps"
	want_status 0
	[[ -z $out ]] || fail "said: $out"
}

test_deps_names_the_unreachable_package() {
	stub_apt
	stub id 'echo 0'
	run "$harness/deps"
	want_status 1
	want_text "E: Unable to locate package nosuch-package-btfaddr"
	want_text "package nosuch-package-btfaddr: not in any source that apt knows"
}

test_deps_without_root_prints_the_apt_get_line() {
	stub_apt
	stub id 'echo 1000'
	run "$harness/deps"
	want_status 1
	want_text "apt-get update && apt-get install -y --no-install-recommends nosuch-package-btfaddr"
}

# A repository where "make host" runs nothing: $scratch/ran has what was asked of the Debian.
stub_host() {
	mkdir -p "$scratch/r/tools"
	cp -r "$harness" "$scratch/r/tools/harness"
	host=$scratch/r/tools/harness/host
	stub id 'echo 0'
	printf '#!/bin/sh\necho "%s/root"\n' "$scratch" >"$scratch/r/tools/harness/debian-root"
	printf '#!/bin/bash\necho "${@: %s}" >>"%s"\n[[ "$*" != *" $FAILS"* ]]\n' '-3' "$scratch/ran" \
		>"$scratch/r/tools/harness/in-root"
	export FAILS=none
}

test_host_runs_all_parts_and_names_those_that_failed() {
	stub_host
	FAILS="make demo" run "$host"
	want_status 1
	want_text "host: failed in trixie: make demo"
	grep -q ' check$' "$scratch/ran" && grep -q 'make deb$' "$scratch/ran" || fail "$(<"$scratch/ran")"
	run "$host"
	want_status 0
	[[ $(grep -c update "$scratch/ran") -eq 1 ]] || fail "again set up: $(<"$scratch/ran")"
}

test_host_runs_a_command_instead() {
	stub_host
	SUITE=sid run "$host" make fentry
	want_status 0
	[[ $(tail -n 1 "$scratch/ran") == "$scratch/r/build/sid make fentry" ]] || fail "$(<"$scratch/ran")"
	FAILS="make fentry" run "$host" make fentry
	want_status 1
}

test_host_is_refused_while_another_runs() {
	stub_host
	mkdir -p "$scratch/r/build/host"
	exec 8>"$scratch/r/build/host/trixie.lock"
	flock 8
	run "$host" true
	want_status 1
	want_text "host: another 'make host' works in $scratch/r/build/host/trixie; wait for its end"
	[[ ! -e $scratch/ran ]] || fail "$(<"$scratch/ran")"
}

# stub_suite UPDATE SHOW - apt that has an archive of one source package: $scratch/apt-get.log is
# what apt-get was called with; status of "update", and of whether the package is there.
stub_suite() {
	mkdir -p "$scratch/deb/usr/src"
	tar -cJf "$scratch/deb/usr/src/linux-source-7.3.tar.xz" -C "$scratch" src
	stub apt-get 'echo "$*" >>"'"$scratch"'/apt-get.log"
		case $* in
		indextargets*) echo "http://mirror.test/debian/" ;;
		*update) echo "E: Failed to fetch" >&2; exit '"$1"' ;;
		*download*) : >linux-source-7.3_1_all.deb ;;
		esac'
	stub apt-cache 'case $* in
		*show*) exit '"$2"' ;;
		*pkgnames*) echo linux-source-7.5; echo linux-source-7.4 ;;
		esac'
	stub dpkg-deb 'tar -c -C "'"$scratch"'/deb" ./usr'
	export BASE=7.3
}

# By a configuration that names nothing of the system's but its mirror and its keys.
test_source_that_the_system_lacks_is_fetched() {
	small_tree
	mkdir "$scratch/r/kernel/7.3"
	stub_suite 0 0
	unset KSRC
	run "$steps/source"
	want_status 0
	want_text "linux-source-7.3 of trixie-backports"
	linux=$scratch/r/build/7.3/linux
	[[ $(git -C "$linux" log --format=%s base) == "base: linux-source-7.3.tar.xz" ]] || fail "$out"
	! grep -v "^indextargets\|-c $scratch/r/build/7.3/source/apt/conf" "$scratch/apt-get.log" ||
		fail "the system's configuration"
	[[ $(<"$scratch/r/build/7.3/source/apt/sources.list") == \
	   "deb [signed-by="*"] http://mirror.test/debian/ trixie-backports main" ]] || fail "other sources"
	grep -q '^Dir::State "'"$scratch" "$scratch/r/build/7.3/source/apt/conf" || fail "other state"
	rm "$scratch/apt-get.log"
	run "$steps/source"
	want_status 0
	[[ ! -e $scratch/apt-get.log ]] || fail "fetched again"
}

test_source_that_the_suite_lacks() {
	small_tree
	stub_suite 0 1
	unset KSRC
	run "$steps/source"
	want_status 1
	want_text "trixie-backports has no linux-source-7.3 any more (it has: linux-source-7.4 linux-source-7.5); KSRC="
	[[ ! -e $scratch/r/build/7.3/linux ]] || fail "half made"
}

test_source_that_cannot_be_fetched() {
	small_tree
	stub_suite 100 0
	unset KSRC
	run "$steps/source"
	want_status 1
	want_text "E: Failed to fetch"
	want_text "no linux-source-7.3: KSRC="
}

test_no_circle_between_files_of_btfaddr() {
	no_circles "$tools/btfaddr" "$built/btfaddr"
}

test_no_circle_between_files_of_fentry() {
	no_circles "$tools/fentry" "$built/fentry"
}

# compile NAME TEXT - write a source file to $scratch/src, and its object to $scratch/obj.
compile() {
	mkdir -p "$scratch/src/sub" "$scratch/obj/sub"
	echo "$2" >"$scratch/src/$1.c"
	gcc -c "$scratch/src/$1.c" -o "$scratch/obj/$1.o"
}

test_circle_through_three_files_is_named() {
	compile a 'int b(void); int a(void) { return b(); }'
	compile sub/b 'extern int c; int b(void) { return c; }'
	compile c 'int a(void); int c = 1; int d(void) { return a(); }'
	compile user 'int a(void); int user(void) { return a(); }'
	run no_circles "$scratch/src" "$scratch/obj"
	want_status 1
	want_text "a.c uses b of sub/b.c"
	want_text "sub/b.c uses c of c.c"
	want_text "c.c uses a of a.c"
	want_no_text "user.c uses"
	compile c 'int c = 1;'
	run no_circles "$scratch/src" "$scratch/obj"
	want_status 0
	[[ -z $out ]] || fail "said: $out"
}

test_circles_are_not_looked_for_without_objects() {
	compile a 'int a;'
	touch -d '1 hour' "$scratch/src/a.c"
	run no_circles "$scratch/src" "$scratch/obj"
	want_status 1
	want_text "/obj/a.o is missing or older than"
	rm "$scratch/obj/a.o"
	run no_circles "$scratch/src" "$scratch/obj"
	want_status 1
	want_text "/obj/a.o is missing or older than"
}

run_tests
