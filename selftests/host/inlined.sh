#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All inlined calls of a kernel are where llvm-dwarfdump has them. Of 50 functions, fentry's counts
# of these calls are those of kprobes that are put there by hand (lib/inlined_counts.py). Takes some
# minutes; runs on the host; TAP.
#
# usage: selftests/host/inlined.sh [FLAVOUR]
# shellcheck source-path=SCRIPTDIR source=boot_lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/boot_lib.sh"

readonly FUNCTIONS=${FUNCTIONS:-50} OUTPUT=$BUILD/selftests LIMIT=3600

witness=$(mktemp -p "$BUILD")
trap 'rm -f -- "$witness"' EXIT
make -s --no-print-directory -C "$repo/selftests" "BUILD=$BUILD" "FLAVOUR=$FLAVOUR" T=inlined
"$repo/selftests/lib/inline_witness.py" "$BUILD/$FLAVOUR/vmlinux" _text >"$witness"
"$repo/tools/btfaddr/tests/inline_btf.py" sites "$OUTPUT/inlined-$FLAVOUR/vmlinux.inline" \
	"$BUILD/$FLAVOUR/vmlinux" |
	"$repo/selftests/lib/inline_witness.py" compare "$witness" | sed 's/^/# /'
in_vm "FENTRY=$BUILD/bin/fentry INLINED=$OUTPUT/inlined-$FLAVOUR selftests/lib/inlined_counts.py \
	$witness selftests/lib/workload.py --pick $FUNCTIONS" --timeout "$LIMIT"
