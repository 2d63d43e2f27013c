#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Addresses follow KASLR: boots until the kernel has been at two different places, and
# runs the "addresses" test at each. Runs on the host; TAP.
#
# usage: selftests/kaslr.sh [FLAVOUR]
set -euo pipefail

repo=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
readonly repo
readonly BUILD=${BUILD:-$repo/build}
readonly FLAVOUR=${1:-gcc}
readonly MAX_BOOTS=4
readonly TIMEOUT=300		# seconds a boot may take, test included

tests=0 failures=0

report() {
	tests=$((tests + 1))
	if [[ $1 -eq 0 ]]; then
		echo "ok $tests $2"
	else
		failures=$((failures + 1))
		echo "not ok $tests $2"
	fi
}

# boot_once() - Run the test in a fresh VM; sets text to where _text was.
boot_once() {
	local output status=0

	output=$("$repo/tools/vm/run" --timeout "$TIMEOUT" --build "$BUILD" \
		--kernel "$BUILD/$FLAVOUR/arch/x86/boot/bzImage" -- \
		"VMLINUX=$BUILD/$FLAVOUR/vmlinux $BUILD/selftests/addresses" 2>&1) ||
		status=$?
	text=$(sed -n 's/.*_text is at \([0-9a-f]\{16\}\).*/\1/p' <<<"$output")
	if [[ $status -ne 0 || -z $text ]]; then
		sed 's/^/# /' <<<"$output"
		return 1
	fi
}

main() {
	local boot result first='' text='' moved=1

	[[ $# -le 1 ]] || { echo "usage: kaslr.sh [FLAVOUR]" >&2; exit 2; }
	echo "TAP version 13"
	for ((boot = 1; boot <= MAX_BOOTS; boot++)); do
		result=0
		boot_once || result=1
		report "$result" "boot $boot: addresses are _text + offset${text:+, _text is at $text}"
		[[ $result -eq 0 ]] || break
		if [[ -n $first && $text != "$first" ]]; then
			moved=0
			break
		fi
		first=${first:-$text}
	done
	report "$moved" "two boots had the kernel at different places"
	echo "1..$tests"
	[[ $failures -eq 0 ]]
}

main "$@"
