# SPDX-License-Identifier: GPL-2.0-only
# Random programs, each function of which is called as the kernel's trampoline does: see
# oracle/oracle.py. Sourced by run.sh.
#
# Environment: ORACLE_PROGRAMS (of each kind; 24, or 12 with EACH_ONCE; 8 for arm64, in an emulator)

# Results must not depend on registers that BTF doesn't list, or that a return may change.
oracle()
{
	local cc flags seed programs

	while read -r seed cc flags; do
		programs=${EACH_ONCE:+12}
		[[ $cc$flags != *aarch64* ]] || programs=8
		check "oracle: $cc $flags" "$HERE/oracle/oracle.py" "$BTFADDR" "$WORK/oracle" "$cc" \
			"$flags" "$seed" "${ORACLE_PROGRAMS:-${programs:-24}}"
	done < <("$HERE/oracle/oracle.py" --kinds)
	for cc in gcc-14 clang-19; do
		if ! command -v $cc >/dev/null; then
			report_skipped "oracle: $cc" "no $cc"
		fi
	done
	if [ -z "$(type -P qemu-aarch64-static)" ] || [ -z "$(type -P aarch64-linux-gnu-gcc)" ]; then
		report_skipped "oracle: arm64" \
			"apt-get install gcc-aarch64-linux-gnu qemu-user-static"
	fi
}
