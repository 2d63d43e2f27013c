#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Files of the tree must agree: the help of make, the version, and the list of selftests.
built=${BUILD:-}
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
repo=${tools%/*}
# Targets that exist only for other targets.
internal=(built has-cmd help kernels)

# documented - Print the targets that "make help" names, one a line.
documented() {
	make -s -C "$repo" help | sed -nE 's/^  ([a-z][a-z-]*)( .*)?$/\1/p' | sort
}

test_make_help_names_each_target_and_no_other() {
	documented >"$scratch/documented"
	# each in one of the groups that are shown
	[[ $(grep -c '^#: ' "$repo/Makefile") -eq $(wc -l <"$scratch/documented") ]] || fail "$(documented)"
	{ make -s -C "$repo" -pnq help 2>/dev/null || :; } | sed -n 's/^\.PHONY: //p' | tr ' ' '\n' |
		grep -vxF "$(printf '%s\n' "${internal[@]}")" | sort | diff "$scratch/documented" - ||
		fail "'<' is in make help, '>' is a target"
}

test_make_refuses_a_path_with_a_space_or_colon() {
	local folder

	for folder in "$scratch/a b" "$scratch/a:b" "$scratch/r"; do
		mkdir -p "$folder/tools"
		cp "$repo/Makefile" "$folder/"
		cp -r "$harness" "$folder/tools/"
		expect 2 "must have no space or colon in it" \
			make --no-print-directory -C "$folder" "BUILD=${folder/%\/r//b c}" source
		[[ $(wc -l <<<"$out") -eq 1 && ! -e $folder/build && ! -e $scratch/b ]] || fail "$out"
	done
}

test_make_for_arm64_begins_nothing_that_is_for_x86() {
	expect 2 "ARCH=arm64 isn't for fuzz, only for: help deps" \
		make --no-print-directory -C "$repo" ARCH=arm64 check deb kernel fuzz
	expect 2 "ARCH=arm: there are x86 and arm64" make --no-print-directory -C "$repo" ARCH=arm kernel
	expect 0 "deps base 6.12 arm64" make -n -C "$repo" "BUILD=$scratch/build" ARCH=arm64 deps
	expect 0 "deps base 6.12" make -n -C "$repo" "BUILD=$scratch/build" deps
	want_no_text arm64
}

bin=$(realpath -m -- "${built:-$repo/build}")/bin
version=$(sed -n 's/^VERSION := //p' "$tools/version.mk")

test_version_of_news_man_pages_and_fentry_is_this_one() {
	[[ $(grep -m 1 '^## ' "$repo/NEWS.md") =~ ^"## $version"( |$) ]] || fail "$version isn't the newest"
	grep -q "^\.TH .*\"btfaddr $version\"" "$tools/btfaddr/btfaddr.1" || fail "not btfaddr's"
	grep -q "^\.TH .*\"fentry $version\"" "$tools/fentry/fentry.1" || fail "not fentry's"
	expect 0 "fentry $version, libbpf " "$bin/fentry" --version
}

# scripts/btfaddr-version.sh of the series reads it, and takes a first line of two numbers only.
test_version_of_btfaddr_is_what_the_kernel_reads() {
	expect 0 '' "$bin/btfaddr" --version
	[[ $out == "btfaddr ${version%.*}"$'\n'"release $version" ]] || fail "$out"
	sed -n '/^+++ b\/scripts\/btfaddr-version.sh/,/^diff/s/^+//p' "$repo"/kernel/6.12/*.patch |
		sed 1d >"$scratch/btfaddr-version.sh"
	run sh "$scratch/btfaddr-version.sh" "$bin/btfaddr"
	[[ $out =~ ^[1-9][0-9]{2}$ ]] || fail "the kernel sees '$out'"
}

# The README has a command that prints these comments, and no list of the tests.
test_each_selftest_begins_with_what_it_tests() {
	local folder=${harness%/tools/harness}/selftests file

	for file in "$folder"/*.c "$folder"/*.sh "$folder"/host/*.sh; do
		head -n 4 "$file" | grep -v SPDX | grep -qE '^(/\*| \*|#) [^ ]+ [^ ]+' || fail "${file##*/}"
	done
}

run_tests
