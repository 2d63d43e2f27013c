// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code that stores a parameter.
 */
#include "inline/format.h"
#include "inline/stored.h"

/* DWARF's numbers */
#define REG_RBP 6
#define REG_RSP 7

static bool is_there(const struct insn *insn, u32 reg, int64_t off, u32 size)
{
	enum insn_mem mem = reg == REG_RSP ? MEM_SP : MEM_BP;

	return insn->mem == mem && !insn->has_index && insn->disp < off + (int64_t)size &&
	       off < insn->disp + (int64_t)insn->mem_size;
}

/* Is the place still what it was behind the instruction, on one of the ways from there? */
static bool goes_on(const struct insn *insn, u32 reg)
{
	if (reg == REG_RSP ? insn->sp != SP_KEPT && insn->sp != SP_TO_BP : insn->bp_lost)
		return false;
	return insn->flow == FLOW_NEXT || insn->flow == FLOW_BRANCH || insn->flow == FLOW_CALL ||
	       insn->flow == FLOW_INDIRECT_CALL;
}

bool place_is_stored(struct insn_decoder *dec, const struct elf_file *file, u64 addr, u64 end,
		     const struct loc_param *place)
{
	u32 reg = place->vals[0];
	int64_t off = place->flags & LOC_OFFSET ? (int32_t)place->vals[1] : 0;
	struct insn insn;
	const u8 *code;
	size_t len;

	if (!(place->flags & LOC_DEREF) || (reg != REG_RSP && reg != REG_RBP))
		return false;
	if (!dec->handle && insn_decoder_open(dec, true))
		return true;
	for (; addr < end; addr += insn.len) {
		code = elf_file_code(file, addr, &len);
		if (!code || !insn_decode(dec, code, len, addr, &insn))
			break;
		if (is_there(&insn, reg, off, place->size))
			return insn.is_store;
		if (!goes_on(&insn, reg))
			break;
	}
	return false;
}
