#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every file that names the version names that of tools/version.mk.
built=${BUILD:-}
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
repo=${tools%/*}
bin=$(realpath -m -- "${built:-$repo/build}")/bin
version=$(sed -n 's/^VERSION := //p' "$tools/version.mk")

test_version_has_three_numbers() {
	[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "VERSION is '$version'"
}

test_version_of_the_news_is_this_one() {
	run grep -m 1 '^## ' "$repo/NEWS.md"
	[[ $out == "## $version" || $out == "## $version "* ]] || fail "newest: $out"
}

test_version_of_the_man_pages_is_this_one() {
	local page

	for page in btfaddr fentry; do
		run grep '^\.TH ' "$tools/$page/$page.1"
		want_text "\"$page $version\""
	done
}

# scripts/btfaddr-version.sh of the series reads it, and takes a first line of two numbers only.
test_version_of_btfaddr_is_what_the_kernel_reads() {
	[[ -x $bin/btfaddr ]] || fail "no $bin/btfaddr: build first"
	run "$bin/btfaddr" --version
	[[ $out == "btfaddr ${version%.*}"$'\n'"release $version" ]] || fail "$out"
	sed -n '/^+++ b\/scripts\/btfaddr-version.sh/,/^diff/s/^+//p' "$repo"/kernel/6.12/*.patch |
		sed 1d >"$scratch/btfaddr-version.sh"
	run sh "$scratch/btfaddr-version.sh" "$bin/btfaddr"
	[[ $out =~ ^[1-9][0-9]{2}$ ]] || fail "the kernel sees '$out'"
}

test_version_of_fentry_is_this_one() {
	[[ -x $bin/fentry ]] || fail "no $bin/fentry: build first"
	run "$bin/fentry" --version
	[[ $out == "fentry $version, libbpf "* ]] || fail "$out"
}

run_tests
