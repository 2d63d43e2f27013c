#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fentry's counts of the calls of $FUNCTIONS functions that are inlined (50) are those of kprobes that
# are put by hand, where llvm-dwarfdump has these calls. TAP.
cd -- "$(dirname -- "${BASH_SOURCE[0]}")" || exit 1
lib/built_kernel || exit
exec lib/inlined_counts.py "${WITNESS:?}" lib/workload.py --pick "${FUNCTIONS:-50}"
