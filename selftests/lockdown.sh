#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The fentry command under lockdown: boots in each of its modes and runs fentry_lockdown.sh
# there. Runs on the host; TAP.
#
# usage: selftests/lockdown.sh [FLAVOUR]
set -euo pipefail

repo=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
readonly repo
readonly BUILD=${BUILD:-$repo/build}
readonly FLAVOUR=${1:-gcc}
readonly MODES=(integrity confidentiality)
readonly TIMEOUT=300		# seconds a boot may take, tests included

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

# boot(mode) - Run the guest's tests in a fresh VM, and report each.
boot() {
	local mode=$1 output line status=0

	output=$("$repo/tools/vm/run" --timeout "$TIMEOUT" --build "$BUILD" \
		--kernel "$BUILD/$FLAVOUR/arch/x86/boot/bzImage" --append "lockdown=$mode" -- \
		"FENTRY=$BUILD/bin/fentry TRIGGER=$BUILD/selftests/trigger \
		selftests/fentry_lockdown.sh $mode" 2>&1) || status=$?
	while IFS= read -r line; do
		case $line in
		"ok "*) report 0 "$mode: ${line#ok * }" ;;
		"not ok "*) report 1 "$mode: ${line#not ok * }" ;;
		"TAP version"*|1..*) ;;
		*) echo "# ${line#\# }" ;;
		esac
	done <<<"$output"
	# it also fails if it ends early
	report "$status" "$mode: all tests were run and passed"
}

main() {
	local mode

	[[ $# -le 1 ]] || { echo "usage: lockdown.sh [FLAVOUR]" >&2; exit 2; }
	if ! grep -qx CONFIG_SECURITY_LOCKDOWN_LSM=y "$BUILD/$FLAVOUR/.config"; then
		echo "lockdown.sh: $BUILD/$FLAVOUR is built without CONFIG_SECURITY_LOCKDOWN_LSM" >&2
		exit 1
	fi
	echo "TAP version 13"
	for mode in "${MODES[@]}"; do
		boot "$mode"
	done
	echo "1..$tests"
	[[ $failures -eq 0 ]]
}

main "$@"
