#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in an initramfs, on a distribution's kernel, with the package of its inlined calls. fentry
# must find the package's files, print the arguments that user space passed, and count as many calls
# as kprobes do. Prints TAP.
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../../harness/taplib.sh"

readonly lib=$here/../../../lib		# of the selftests

masks=(449 450 451 452 453 454 455)	# 0701 to 0707

test_arguments() {
	local mask seen=0

	fentry trace --inlined __do_sys_umask -- \
		python3 -c "import os; [os.umask(mask) for mask in ($(printf '%s, ' "${masks[@]}"))]" \
		>/run/out 2>/run/err
	report $? "trace --inlined finds the files, and ends well"
	for mask in "${masks[@]}"; do
		[[ $(grep -cE "__do_sys_umask@kernel/sys\.c\(mask=$mask\) in " /run/out) -eq 1 ]] || seen=1
	done
	report $seen "trace --inlined: ${#masks[@]} calls, with their arguments"
	sed 's/^/# /' /run/out /run/err
}

# It depends on the kernel which of the functions the workload calls.
test_counts() {
	FENTRY=fentry INLINED=/lib/modules/$(</proc/sys/kernel/osrelease)/btf \
		"$lib/inlined_counts.py" witness "$lib/workload.py" --pick "${FUNCTIONS:?}" \
		--called $((FUNCTIONS / 4)) >/run/out 2>/run/err
	report_lines </run/out
	sed 's/^/# /' /run/err
	[[ $(grep -cE '^(not )?ok ' /run/out) -eq $((FUNCTIONS + 1)) ]]
	report $? "all functions were compared"
}

tap_begin
test_arguments
test_counts
tap_end
