# SPDX-License-Identifier: GPL-2.0-only
# Random programs, each function of which is called as the kernel's trampoline does: see
# oracle/oracle.py. Sourced by run.sh.
#
# Environment: ORACLE_SEED (the first program's; 1), ORACLE_PROGRAMS (of each kind; 6)

# oracle_of COMPILER FLAGS - whatever happens to registers that BTF doesn't list, or that may
# be lost with a return, they come to the same result
oracle_of()
{
	check "oracle: $1 $2" "$HERE/oracle/oracle.py" "$BTFADDR" "$WORK/oracle" "$1" "$2" \
		"${ORACLE_SEED:-1}" "${ORACLE_PROGRAMS:-6}"
}

oracle()
{
	local cc flags

	for cc in gcc gcc-14 clang-19; do
		if ! command -v $cc >/dev/null; then
			nr=$((nr + 1))
			echo "ok $nr - oracle: $cc # SKIP no $cc"
			continue
		fi
		for flags in -O2 -O3 -Os; do
			oracle_of $cc $flags
		done
	done
	if command -v clang-19 >/dev/null; then
		oracle_of clang-19 "-O2 -flto"
		oracle_of clang-19 "-O3 -flto=thin"
	fi
}
