#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the top Makefile: its help on the targets, and the cases in which it refuses to begin.
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
	[[ -s $scratch/documented ]] || fail "none is named"
	{ make -s -C "$repo" -pnq help 2>/dev/null || :; } | sed -n 's/^\.PHONY: //p' | tr ' ' '\n' |
		grep -vxF "$(printf '%s\n' "${internal[@]}")" | sort | diff "$scratch/documented" - ||
		fail "'<' is in make help, '>' is a target"
}

test_make_help_has_three_groups_and_the_common_variables() {
	local word

	expect 0 '' make -s -C "$repo" help
	for word in use develop release; do
		want_text $'\n\n'"$word"$':\n  '
	done
	for word in BASE KSRC BUILD V; do
		want_text $'\n'"  $word="
	done
	[[ $(grep -c '^#: ' "$repo/Makefile") -eq $(documented | wc -l) ]] || fail "a group of no name"
}

# refused FOLDER ARGUMENT... - Check that make prints one line and does nothing.
refused() {
	mkdir -p "$1/tools"
	cp "$repo/Makefile" "$1/"
	cp -r "$harness" "$1/tools/"
	expect 2 "must have no space or colon in it" \
		make --no-print-directory -C "$1" "${@:2}" source
	[[ $(wc -l <<<"$out") -eq 1 && ! -e $1/build ]] || fail "$out"
}

test_make_refuses_a_path_with_a_space_or_colon() {
	refused "$scratch/a b"
	refused "$scratch/a:b"
	refused "$scratch/r" "BUILD=$scratch/b c"
	[[ ! -e $scratch/b ]] || fail "made"
}

run_tests
