#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All inlined calls of a kernel are where llvm-dwarfdump has them. Boots nothing; TAP.
#
# usage: selftests/host/inlined.sh [FLAVOUR]
. "$(dirname -- "${BASH_SOURCE[0]}")/boot_lib.sh"

readonly OUTPUT=$BUILD/selftests
set -o pipefail

test_places() {
	"$repo/tools/btfaddr/tests/inline_btf.py" sites "$OUTPUT/inlined-$FLAVOUR/vmlinux.functions" \
		"$BUILD/$FLAVOUR/vmlinux" |
		"$repo/selftests/lib/inline_witness.py" compare "$OUTPUT/witness-$FLAVOUR" | sed 's/^/# /'
}

make -s --no-print-directory -C "$repo/selftests" "BUILD=$BUILD" "FLAVOUR=$FLAVOUR" T=inlined_counts.sh
tap_begin
result=0
test_places || result=1
report "$result" "all inlined calls of $FLAVOUR are where llvm-dwarfdump has them"
tap_end
