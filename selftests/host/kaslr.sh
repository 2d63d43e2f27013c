#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Addresses follow KASLR: boots until the kernel has been at two different places, and runs the test
# "addresses" at each. Runs on the host; TAP.
#
# usage: selftests/host/kaslr.sh [FLAVOUR]
. "$(dirname -- "${BASH_SOURCE[0]}")/boot_lib.sh"

readonly MAX_BOOTS=4

# boot_once() - Run the test in a fresh VM; sets text to where _text was.
boot_once() {
	local output status=0

	output=$(in_vm "VMLINUX=$BUILD/$FLAVOUR/vmlinux \
		MODULES=$BUILD/selftests/modules-$FLAVOUR $BUILD/selftests/addresses") ||
		status=$?
	text=$(sed -n 's/.*_text is at \([0-9a-f]\{16\}\).*/\1/p' <<<"$output")
	if [[ $status -ne 0 || -z $text ]]; then
		sed 's/^/# /' <<<"$output"
		return 1
	fi
}

main() {
	local boot result first='' text='' moved=1

	tap_begin
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
	tap_end
}

main
