#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Random programs, each function of which is called as the kernel's trampoline does: see
# oracle/oracle.py.
#
# Environment: ORACLE_PROGRAMS (of each kind; 24, or 12 with EACH_ONCE; 8 for arm64, in an emulator,
# and with options of instrumented kernels)
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Results must not depend on registers that BTF doesn't list, or that a return may change: programs SEED
# CC FLAG...
programs() {
	local number=${EACH_ONCE:+12}

	case $* in
	*aarch64* | *-fsanitize* | *-fzero* | *-fpatchable* | *-fno-var* | *-fdebug*) number=8 ;;
	esac
	"$here/oracle/oracle.py" "$BTFADDR" "$scratch/oracle" "$2" "${*:3}" "$1" \
		"${ORACLE_PROGRAMS:-${number:-24}}"
}

test_compiler_gcc_14() { needs gcc-14; }

test_compiler_clang_19() { needs clang-19; }

test_compiler_for_arm64() { on_arm64 needs qemu-aarch64-static qemu-user-static; }

mapfile -t kinds < <("$here/oracle/oracle.py" --kinds)
run_tests "${kinds[@]/#/programs }"
