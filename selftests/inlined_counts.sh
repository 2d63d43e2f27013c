#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For $FUNCTIONS functions that are inlined (50), fentry must count as many calls as kprobes by hand
# at the places that llvm-dwarfdump finds. TAP.
cd -- "$(dirname -- "${BASH_SOURCE[0]}")" || exit 1
lib/built_kernel || exit
exec lib/inlined_counts.py "${WITNESS:?}" lib/workload.py --pick "${FUNCTIONS:-50}"
