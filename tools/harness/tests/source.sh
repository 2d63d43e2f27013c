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

# A git tree may be another user's. The second run changes nothing, and a new tree has the same
# commits.
test_source_from_a_tarball_and_a_git_tree() {
	local head

	small_tree
	tar -cJf "$scratch/t.tar.xz" -C "$scratch" src
	git -C "$scratch/src" init -q
	git -C "$scratch/src" add -A
	git -C "$scratch/src" -c user.name=x -c user.email=x commit -qm x
	[[ $(id -u) -ne 0 ]] || chown -R 65534 "$scratch/src"
	for KSRC in "$scratch/t.tar.xz" "$scratch/src"; do
		rm -rf "$scratch/r/build"
		makes "base: ${KSRC##*/}" $'Dev second change\nDev first change'
		head=$(git -C "$linux" rev-parse HEAD)
		run "$steps/source"
		[[ -z $out && $(git -C "$linux" rev-parse HEAD) == "$head" ]] || fail "changed: $out"
	done
	rm -rf "$scratch/r/build"
	"$steps/source"
	[[ $(git -C "$linux" rev-parse HEAD) == "$head" ]] || fail "other commits"
}

# follows FOLDER - The second patch is in this folder, below the series. Check that the tree follows,
# and that a new one is the same.
follows() {
	makes "second change" "Dev first change"
	run "$steps/source"
	[[ -z $out ]] || fail "said: $out"
	expect 0 '' "$steps/export-patches"
	[[ $(cd "$patches" && ls [0-9]*) == 0001-first-change.patch ]] || fail "$(ls "$patches")"
	does_not_apply "$1"
	rm -rf "$scratch/r/build"
	does_not_apply "$1"
	makes "second change" "Dev first change"
}

# fixes/ and other/ are part of the base, and not of the series. A cover letter is no patch.
test_source_follows_the_patches_and_what_is_below_them() {
	local folder

	for folder in fixes other/subject; do
		small_tree
		does_not_apply kernel/6.12
		mkdir -p "$patches/$folder"
		mv "$patches/0002-"* "$patches/$folder/"
		echo "no patch" >"$patches/$folder/0000-cover-letter.patch"
		follows "kernel/6.12/$folder"
		rm -r "${patches:?}/$folder"
		makes "base: src" "Dev first change"
		rm -r "$scratch"/{r,src}
	done
}

test_source_keeps_work_that_no_patch_has() {
	small_tree
	commit_change 20 "third change" a.c
	expect 0 "isn't in kernel/6.12/*.patch yet" "$steps/source"
	rm "$patches/0002-"*
	expect 0 "used as it is" "$steps/source"
	[[ $(series | wc -l) -eq 3 ]] || fail "$(series)"
	git -C "$linux" reset -q --hard HEAD~2
	git -C "$linux" -c user.name=Dev -c user.email=dev@example.com commit -q --amend -m reworded
	expect 0 "used as it is" "$steps/source"
	[[ $(series) == "Dev reworded" ]] || fail "$(series)"
	expect 1 '' "$steps/clean"
	"$steps/export-patches"
	echo work >>"$linux/kernel/a.c"
	rm "$patches"/*
	expect 0 "used as it is" "$steps/source"
	[[ $(tail -n 1 "$linux/kernel/a.c") == work ]] || fail "work lost"
}

test_source_cannot_be_made() {
	small_tree
	rm -rf "$scratch/r/build"
	KSRC=/nonexistent expect 1 "no kernel source at /nonexistent" "$steps/source"
	echo junk >"$scratch/junk.tar.xz"
	KSRC=$scratch/junk.tar.xz expect 1 "cannot unpack" "$steps/source"
	[[ ! -e $linux ]] || fail "build/linux was left half made"
	stub_free 17 99999
	expect 1 "MB free, has 17 MB" "$steps/source"
}

test_source_follows_patches_written_by_another_git() {
	small_tree
	rm -rf "$scratch/r/build"
	sed -i '/^index /s/\([0-9a-f]\{10\}\)[0-9a-f]*/\1/g' "$patches"/*
	"$steps/source"
	run "$steps/source"
	[[ -z $out ]] || fail "said: $out"
	expect 0 '' "$steps/source" --exported
	rm "$patches/0002-"*
	makes "base: src" "Dev first change"
}

# The interrupt comes while the files change.
test_source_interrupted_leaves_one_tree() {
	local real

	small_tree
	real=$(type -P git)
	rm "$patches/0002-"*
	stub git '[[ " $* " != *" checkout "* ]] || kill -INT 0
		exec "'"$real"'" "$@"'
	expect 0 '' setsid -w "$steps/source"
	[[ $(series) == "Dev first change" && -z $(git -C "$linux" status --porcelain) ]] || fail "$(series)"
	run "$steps/source"
	[[ -z $out ]] || fail "said: $out"
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

test_patches_are_stable_and_stale_ones_go() {
	small_tree
	sha256sum "$patches"/* >"$scratch/before"
	expect 0 '' "$steps/export-patches"
	sha256sum "$patches"/* | diff "$scratch/before" -
	grep -q '^From 0000000000000000000000000000000000000000 ' "$patches"/0001-* || fail "commit id in the patch"
	! grep -q '^MIME-Version\|^Content-Type: multipart' "$patches"/* || fail "patches as attachments"
	! grep -q ' changed, \| | ' "$patches"/* || fail "diffstats"
	echo cover >"$patches/0000-cover-letter.patch"
	git -C "$linux" reset -q --hard HEAD~1
	expect 0 '' "$steps/export-patches"
	[[ $(ls "$patches") == $'0000-cover-letter.patch\n0001-first-change.patch' ]] || fail "$(ls -a "$patches")"
}

run_tests
