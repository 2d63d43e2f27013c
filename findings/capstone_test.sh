#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What capstone says "test REGISTER,MEMORY" reads, by released packages of Debian 12 and 13 alone.
#
# cs_regs_access() of 4.0.2 says that it reads the register, and writes the flags. 5.0.7 gives both operands
# access 0, and names neither register nor flags, without an error. The forms with two registers are right
# in both, and so is cmp. Who takes the answer for all that is read loses a register by the newer release.
#
# Seen 2026-11-28: as the last lines say.
. "${0%/*}/lib.bash"

# access CODE - Print what Python's capstone says that an instruction reads / writes.
access() {
	in_root python3 - "$1" <<-'EOF'
	import sys
	import capstone
	cs = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
	cs.detail = True
	insn, = cs.disasm(bytes.fromhex(sys.argv[1]), 0)
	print(" / ".join(" ".join(sorted(map(insn.reg_name, r))) for r in insn.regs_access()))
	EOF
}

fetch bookworm python3-capstone=4.0.2-5
expect "4.0.2: test %edx,0(%rip):" "edx rip / rflags" "$(access 851500000000)"
rm -rf "$root" "$work/cache"
fetch trixie python3-capstone=5.0.7-1~deb13u1
expect "5.0.7: test %edx,0(%rip):" "rip / " "$(access 851500000000)"
expect "5.0.7: test %edx,%edx:" "edx / rflags" "$(access 85d2)"
expect "5.0.7: cmp %edx,0(%rip):" "edx rip / rflags" "$(access 391500000000)"
