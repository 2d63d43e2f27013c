#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The fentry command under lockdown: boots in each mode and runs fentry_lockdown.sh there. TAP.
#
# usage: selftests/host/lockdown.sh [FLAVOUR]
. "$(dirname -- "${BASH_SOURCE[0]}")/boot_lib.sh"

readonly MODES=(integrity confidentiality)

# boot(mode) - Run the guest's tests in a fresh VM, and report each.
boot() {
	local mode=$1 output status=0

	output=$(in_vm "VMLINUX=$BUILD/$FLAVOUR/vmlinux FENTRY=$BUILD/bin/fentry \
		TRIGGER=$BUILD/selftests/trigger MODULES=$BUILD/selftests/modules-$FLAVOUR \
		selftests/fentry_lockdown.sh $mode" --append "lockdown=$mode") || status=$?
	report_lines "$mode: " <<<"$output"
	# it also fails if it ends early
	report "$status" "$mode: all tests were run and passed"
}

main() {
	local mode

	if ! grep -qx CONFIG_SECURITY_LOCKDOWN_LSM=y "$BUILD/$FLAVOUR/.config"; then
		echo "lockdown.sh: $BUILD/$FLAVOUR is built without CONFIG_SECURITY_LOCKDOWN_LSM" >&2
		exit 1
	fi
	tap_begin
	for mode in "${MODES[@]}"; do
		boot "$mode"
	done
	tap_end
}

main
