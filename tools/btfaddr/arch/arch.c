// SPDX-License-Identifier: GPL-2.0-only
#include "arch/arch.h"

const struct arch *arch_find(u16 machine)
{
	static const struct arch *const archs[] = { &arch_x86, &arch_arm64 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(archs); i++) {
		if (archs[i]->machine == machine)
			return archs[i];
	}
	return NULL;
}

int arch_arg_reg(const struct arch *arch, u64 dwarf_reg)
{
	u32 i;

	for (i = 0; i < arch->nr_args; i++) {
		if (arch->dwarf_args[i] == dwarf_reg)
			return i;
	}
	return -1;
}

u32 arch_saved_bit(const struct arch *arch, u64 dwarf_reg)
{
	u32 bits = arch->saved, numbers = arch->dwarf_saved;

	for (; bits; bits &= bits - 1, numbers &= numbers - 1) {
		if (dwarf_reg < 32 && (numbers & -numbers) == 1u << dwarf_reg)
			return bits & -bits;
	}
	return 0;
}
