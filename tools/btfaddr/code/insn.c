// SPDX-License-Identifier: GPL-2.0-only
/* Decoding instructions by capstone; arch/ tells what they do. */
#include <capstone/capstone.h>
#include <pthread.h>

#include "code/insn.h"

bool insn_decode(struct insn_decoder *dec, const u8 *code, size_t len, u64 addr, struct insn *ret)
{
	cs_insn *insn = dec->insn;

	memset(ret, 0, sizeof(*ret));
	if (!cs_disasm_iter(dec->handle, &code, &len, &addr, insn))
		return false;
	ret->len = insn->size;
	dec->arch->decode(dec->handle, insn, ret);
	return true;
}

bool insn_read(struct insn_decoder *dec, const struct elf_file *file, u64 addr, struct insn *ret)
{
	size_t len;
	const u8 *code = elf_file_code(file, addr, &len);

	return code && insn_decode(dec, code, len, addr, ret);
}

void insn_bound_step(struct insn_bound *bound, const struct insn *insn)
{
	if (insn->flow == FLOW_BRANCH) {
		bound->checked |= insn->above;
		return;
	}
	if (insn->compared) {
		bound->reg = insn->compared;
		bound->max = insn->limit;
		bound->checked = false;
	} else if (!bound->checked && !insn->keeps_flags) {
		bound->reg = 0;
	} else {
		bound->reg &= ~(insn->writes | insn->writes_low);
	}
}

u32 insn_len(struct insn_decoder *dec, const u8 *code, size_t len, u64 addr)
{
	cs_insn *insn = dec->insn;

	return cs_disasm_iter(dec->handle, &code, &len, &addr, insn) ? insn->size : 0;
}

/*
 * capstone sorts a table that all handles share when it decodes its first instruction, and takes no
 * lock. If two threads sort it at once, it loses some of the registers that opcodes imply, for as
 * long as the program runs.
 */
static void sort_tables(struct insn_decoder *dec)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static const u8 any[] = { 0x90, 0x90, 0x90, 0x90 };

	pthread_mutex_lock(&lock);
	insn_len(dec, any, sizeof(any), 0);
	pthread_mutex_unlock(&lock);
}

int insn_decoder_open(struct insn_decoder *dec, const struct arch *arch, bool details)
{
	csh handle;

	memset(dec, 0, sizeof(*dec));
	if (cs_open(arch->cs_arch, arch->cs_mode, &handle))
		return err("capstone: cannot decode %s code", arch->name);
	dec->arch = arch;
	dec->handle = handle;
	/* in this order: cs_malloc() makes room for details only if they are on */
	if (details && cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON))
		return err("capstone: built without details of instructions");
	dec->insn = cs_malloc(handle);
	if (!dec->insn)
		return err("capstone: out of memory");
	sort_tables(dec);
	return 0;
}

void insn_decoder_close(struct insn_decoder *dec)
{
	csh handle = dec->handle;

	if (dec->insn)
		cs_free(dec->insn, 1);
	if (handle)
		cs_close(&handle);
	memset(dec, 0, sizeof(*dec));
}
