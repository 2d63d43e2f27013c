#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "source" and "export-patches": the kernel tree and its patches.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# makes BASE SERIES - Run "source". Check the title of the base's last commit, and those of the
# series, the last one first.
makes() {
	expect 0 '' "$steps/source"
	[[ $(git -C "$linux" log -1 --format=%s base) == "$1" ]] || fail "$(git -C "$linux" log base)"
	[[ $(series) == "$2" ]] || fail "$(series)"
	[[ -z $(git -C "$linux" status --porcelain) ]] || fail "not clean"
}

# does_not_apply FOLDER - Break the second patch, which is in this folder. Check that "source" names
# it and the file. An existing tree must not change, and no tree may be made.
does_not_apply() {
	local head

	head=$(git -C "$linux" rev-parse series 2>/dev/null) || :
	sed -i 's/^-9$/-nine/' "$scratch/r/$1/0002-"*
	expect 1 "patch $1/0002-second-change.patch does not apply on: kernel/b.c" "$steps/source"
	sed -i 's/^-nine$/-9/' "$scratch/r/$1/0002-"*
	[[ -n $head ]] || return 0
	[[ $(git -C "$linux" rev-parse HEAD) == "$head" ]] || fail "HEAD moved"
	[[ -z $(git -C "$linux" status --porcelain) ]] || fail "left dirty"
	[[ ! -e $linux/.git/rebase-apply ]] || fail "git am left in the middle"
}

# A git tree may be another user's.
test_source_from_a_tarball_and_a_git_tree() {
	small_tree
	tar -cJf "$scratch/t.tar.xz" -C "$scratch" src
	git -C "$scratch/src" init -q
	git -C "$scratch/src" add -A
	git -C "$scratch/src" -c user.name=x -c user.email=x commit -qm x
	[[ $(id -u) -ne 0 ]] || chown -R 65534 "$scratch/src"
	for KSRC in "$scratch/t.tar.xz" "$scratch/src"; do
		rm -rf "$scratch/r/build"
		makes "base: ${KSRC##*/}" $'Dev second change\nDev first change'
	done
}

test_source_twice_changes_nothing() {
	local head

	small_tree
	rm -rf "$scratch/r/build"
	"$steps/source"
	head=$(git -C "$linux" rev-parse HEAD)
	expect 0 '' "$steps/source"
	[[ -z $out && $(git -C "$linux" rev-parse HEAD) == "$head" ]] || fail "changed: $out"
	rm -rf "$scratch/r/build"
	"$steps/source"
	[[ $(git -C "$linux" rev-parse HEAD) == "$head" ]] || fail "other commits"
}

# The fixes are part of the base, and not of the series.
test_source_mends_the_base() {
	small_tree
	mkdir "$scratch/r/kernel/6.12/fixes"
	mv "$scratch/r/kernel/6.12/0002-"* "$scratch/r/kernel/6.12/fixes/"
	rm -rf "$scratch/r/build"
	makes "second change" "Dev first change"
	run "$steps/export-patches"
	[[ $(ls "$scratch/r/kernel/6.12") == $'0001-first-change.patch\nfixes' ]] ||
		fail "$(ls "$scratch/r/kernel/6.12")"
	rm -rf "$scratch/r/build"
	does_not_apply kernel/6.12/fixes
	makes "second change" "Dev first change"
}

# Other patches are below the series, too, in a folder for each subject. A cover letter is no patch.
test_source_has_other_patches_in_the_base() {
	local folder=$scratch/r/kernel/6.12/other/subject

	small_tree
	mkdir -p "$folder"
	mv "$scratch/r/kernel/6.12/0002-"* "$folder/"
	echo "no patch" >"$folder/0000-cover-letter.patch"
	makes "second change" "Dev first change"
	want_text "other/subject/0002-second-change.patch"
	run "$steps/source"
	[[ -z $out ]] || fail "said: $out"
}

test_source_follows_the_fixes() {
	local fixes=$scratch/r/kernel/6.12/fixes

	small_tree
	mkdir "$fixes"
	mv "$scratch/r/kernel/6.12/0002-"* "$fixes/"
	makes "second change" "Dev first change"
	does_not_apply kernel/6.12/fixes
	rm -r "$fixes"
	makes "base: src" "Dev first change"
	run "$steps/source"
	[[ -z $out ]] || fail "said: $out"
}

test_source_follows_changed_patches() {
	small_tree
	does_not_apply kernel/6.12
	rm "$scratch/r/kernel/6.12/0002-"*
	makes "base: src" "Dev first change"
}

test_source_keeps_commits_that_no_patch_has() {
	small_tree
	commit_change 20 "third change" a.c
	expect 0 "isn't in kernel/6.12/*.patch yet" "$steps/source"
	rm "$scratch/r/kernel/6.12/0002-"*
	expect 0 "used as it is" "$steps/source"
	[[ $(series | wc -l) -eq 3 ]] || fail "$(series)"
}

test_source_keeps_uncommitted_work() {
	small_tree
	echo work >>"$linux/kernel/a.c"
	rm "$scratch/r/kernel/6.12/0002-"*
	expect 0 "used as it is" "$steps/source"
	[[ $(tail -n 1 "$linux/kernel/a.c") == work ]] || fail "work lost"
}

test_source_cannot_be_made() {
	small_tree
	rm -rf "$scratch/r/build"
	does_not_apply kernel/6.12
	rm -rf "$scratch/r/build"
	KSRC=/nonexistent expect 1 "no kernel source at /nonexistent" "$steps/source"
	echo junk >"$scratch/junk.tar.xz"
	KSRC=$scratch/junk.tar.xz expect 1 "cannot unpack" "$steps/source"
	[[ ! -e $linux ]] || fail "build/linux was left half made"
	stub_free 17 99999
	expect 1 "MB free, has 17 MB" "$steps/source"
}

test_source_keeps_a_commit_message_that_no_patch_has() {
	small_tree
	git -C "$linux" -c user.name=Dev -c user.email=dev@example.com commit -q --amend -m reworded
	rm "$scratch/r/kernel/6.12/0001-"*
	expect 0 "used as it is" "$steps/source"
	[[ $(series | head -n 1) == "Dev reworded" ]] || fail "$(series)"
	expect 1 '' "$steps/clean"
}

test_source_follows_patches_written_by_another_git() {
	small_tree
	rm -rf "$scratch/r/build"
	sed -i '/^index /s/\([0-9a-f]\{10\}\)[0-9a-f]*/\1/g' "$scratch"/r/kernel/6.12/*
	"$steps/source"
	run "$steps/source"
	[[ -z $out ]] || fail "said: $out"
	expect 0 '' "$steps/source" --exported
	rm "$scratch/r/kernel/6.12/0002-"*
	makes "base: src" "Dev first change"
}

# The other base's build folder is within the first one's. Its tree gets a change without a patch.
test_bases_are_built_side_by_side() {
	small_tree
	mkdir "$scratch/r/kernel/7.3"
	BASE=7.3 expect 0 '' "$steps/source"
	linux=$scratch/r/build/7.3/linux
	[[ -z $(series) && $(git -C "$linux" log --format=%s base) == "base: src" ]] || fail "$(series)"
	commit_change 7 "for the other base" a.c
	BASE=7.3 expect 0 '' "$steps/export-patches"
	[[ $(ls "$scratch/r/kernel/7.3") == 0001-for-the-other-base.patch ]] || fail "$(ls -R "$scratch/r/kernel")"
	grep -qx 'Subject: \[RFC PATCH 7.3\] for the other base' "$scratch"/r/kernel/7.3/* || fail "no title"
	linux=$scratch/r/build/linux
	[[ $(series) == $'Dev second change\nDev first change' ]] || fail "$(series)"
}

# killing_git - Make a git that ends its whole process group by SIGKILL at its call number $kill_at:
# after the call, or in the middle of it for "am" and "reset". $scratch/calls counts the calls.
killing_git() {
	local hooks=$scratch/hooks real

	real=$(type -P git)
	mkdir -p "$hooks"
	stub step 'n=$(($(<"'"$scratch"'/calls") + 1)); echo $n >"'"$scratch"'/calls"
		[[ $n -ne ${kill_at:-0} ]] || kill -KILL 0'
	printf '#!/bin/sh\nexec step\n' | tee "$hooks/pre-applypatch" >"$hooks/post-applypatch"
	chmod +x "$hooks"/*
	stub git 'case " $* " in
		*" am "*) "'"$real"'" -c core.hooksPath="'"$hooks"'" "$@" ;;
		*" reset "*" --hard "*) [[ $2 != *"/linux" || -z ${kill_at:-} ]] || {
			echo partial >"$2/kernel/a.c"; touch "$2/.git/index.lock"; step
			rm "$2/.git/index.lock"; }
			"'"$real"'" "$@" ;;
		*) "'"$real"'" "$@" ;;
		esac
		status=$?; [[ -z ${kill_at:-} ]] || step; exit $status'
}

# Print what is in the tree, and in its repository.
tree_state() {
	git -C "$linux" for-each-ref
	git -C "$linux" symbolic-ref HEAD
	git -C "$linux" status --porcelain --ignored
	(cd "$linux" && find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum)
	(cd "$linux/.git" && find . -name '*.lock' -o -name 'rebase-*' -o -name 'btfaddr-*')
	find "$scratch/r/build" -maxdepth 1 | sort
}

# killed_anywhere START - Check that "source" makes the same tree from the build folder START in one
# run as in two, the first of which is killed at any place; with EACH_ONCE, at every third.
killed_anywhere() {
	local kill_at every=${EACH_ONCE:+3} build=$scratch/r/build

	killing_git
	rm -rf "$build"
	cp -a "$1" "$build"
	expect 0 '' "$steps/source"
	tree_state >"$scratch/want"
	export kill_at
	for ((kill_at = 1; ; kill_at += ${every:-1})); do
		rm -rf "$build"
		cp -a "$1" "$build"
		echo 0 >"$scratch/calls"
		run setsid -w "$steps/source"
		[[ $status -ne 0 ]] || break
		[[ $status -eq 137 ]] || fail "not killed, but status $status: $out"
		kill_at='' run "$steps/source"
		want_status 0
		want_no_text "used as it is"
		tree_state | diff "$scratch/want" - || fail "killed at step $kill_at: another tree"
	done
	[[ $kill_at -gt 15 ]] || fail "only $kill_at steps: git isn't what runs"
	tree_state | diff "$scratch/want" -
}

# The patches add, among others, a file that the tree's .gitignore names.
test_source_killed_while_it_makes_the_tree() {
	small_tree
	printf '*.o\n' >"$linux/.gitignore"
	echo object >"$linux/kernel/new.o"
	git -C "$linux" add -f .gitignore kernel/new.o
	commit_change 20 "third change" a.c
	"$steps/export-patches"
	mkdir "$scratch/r/kernel/6.12/fixes" "$scratch/start"
	mv "$scratch/r/kernel/6.12/0002-"* "$scratch/r/kernel/6.12/fixes/"
	killed_anywhere "$scratch/start"
}

test_source_killed_while_it_follows_the_patches() {
	small_tree
	commit_change 20 "third change" a.c
	"$steps/export-patches"
	mv "$scratch/r/build" "$scratch/start"
	mkdir "$scratch/r/kernel/6.12/fixes"
	mv "$scratch/r/kernel/6.12/0002-"* "$scratch/r/kernel/6.12/fixes/"
	killed_anywhere "$scratch/start"
}

# Here somebody commits between the kill and the next run.
test_source_keeps_what_was_committed_after_a_kill() {
	small_tree
	killing_git
	rm "$scratch/r/kernel/6.12/0002-"*
	echo 0 >"$scratch/calls"
	for ((kill_at = 1; kill_at < 50; kill_at++)); do
		echo 0 >"$scratch/calls"
		kill_at=$kill_at run setsid -w "$steps/source"
		[[ ! -e $linux/.git/btfaddr-switch ]] || break
	done
	[[ -e $linux/.git/btfaddr-switch ]] || fail "not killed in the middle"
	rm -f "$linux/.git/index.lock"
	commit_change 20 "third change" a.c
	expect 0 '' "$steps/source"
	[[ $(series | head -n 1) == "Dev third change" ]] || fail "$(series)"
}

test_source_waits_for_another_that_works() {
	small_tree
	exec 8>"$linux.lock"
	flock 8
	"$steps/source" >"$scratch/out" 2>&1 8>&- &
	for _ in {1..100}; do
		[[ ! -s $scratch/out ]] || break
		sleep 0.1
	done
	[[ $(<"$scratch/out") == "source: waiting for another 'make source', which works in $linux" ]] ||
		fail "$(<"$scratch/out")"
	[[ -e /proc/$! ]] || fail "did not wait"
	exec 8>&-
	wait $!
}

test_patches_round_trip_is_stable() {
	small_tree
	sha256sum "$scratch"/r/kernel/6.12/* >"$scratch/before"
	expect 0 '' "$steps/export-patches"
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
	expect 0 '' "$steps/export-patches"
	[[ $(ls "$scratch/r/kernel/6.12") == $'0000-cover-letter.patch\n0001-first-change.patch' ]] ||
		fail "$(ls -a "$scratch/r/kernel/6.12")"
}

run_tests
