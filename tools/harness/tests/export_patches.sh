#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "export-patches".
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

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
