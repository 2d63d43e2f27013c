// SPDX-License-Identifier: GPL-2.0-only
#include "code/call_sites.h"

/* Length of what may be a direct call or jump, and its displacement; else 0. */
static u32 branch_len(const u8 *code, u64 left, int32_t *disp)
{
	u32 len = 0;

	if (left >= 2 && (code[0] == 0xeb || (code[0] & 0xf0) == 0x70)) {
		*disp = (int8_t)code[1];
		return 2;
	}
	if (left >= 5 && (code[0] == 0xe8 || code[0] == 0xe9))
		len = 5;
	else if (left >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
		len = 6;
	if (len)
		memcpy(disp, code + len - sizeof(*disp), sizeof(*disp));
	return len;
}

static void add_candidates(const struct code_section *section, const struct u64map *targets,
			   struct call_sites *ret)
{
	struct call_site site;
	int32_t disp;
	u64 i;
	u32 len;

	for (i = 0; i < section->size; i++) {
		len = branch_len(section->data + i, section->size - i, &disp);
		if (!len)
			continue;
		site = (struct call_site){ .addr = section->addr + i };
		site.next = site.addr + len;
		site.target = site.next + disp;
		site.jump = section->data[i] != 0xe8;
		if (!u64map_get(targets, site.target))
			continue;
		GROW(ret->sites, ret->nr, ret->cap);
		ret->sites[ret->nr++] = site;
	}
}

/* Where decoding starts that comes to @addr: a function, or @addr without one. */
static u64 decode_start(const struct elf_file *file, const struct call_site *site)
{
	const struct code_section *section = elf_file_code_section(file, site->addr);

	/* a symbol may be anywhere, and what is between it and the section be endless */
	return !section || site->caller < section->addr ? site->addr : site->caller;
}

/* Drop the candidates that aren't instructions, decoding each function once. */
static void check_candidates(struct insn_decoder *dec, const struct elf_file *file,
			     struct call_sites *sites)
{
	u64 addr = 0, start = 0;
	struct insn insn;
	const u8 *code;
	size_t i, nr = 0, len;

	for (i = 0; i < sites->nr; i++) {
		struct call_site *site = &sites->sites[i];

		site->caller = elf_file_function_start(file, site->addr);
		if (!i || decode_start(file, site) != start)
			addr = start = decode_start(file, site);
		while (addr < site->addr) {
			code = elf_file_code(file, addr, &len);
			/* data, or an instruction that isn't known: go on behind it */
			addr += code && insn_decode(dec, code, len, addr, &insn) ? insn.len : 1;
		}
		if (addr == site->addr)
			sites->sites[nr++] = *site;
	}
	sites->nr = nr;
}

void call_sites_find(struct insn_decoder *dec, const struct elf_file *file,
		     const struct u64map *targets, struct call_sites *ret)
{
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < file->nr_code; i++) {
		if (file->code[i].data)
			add_candidates(&file->code[i], targets, ret);
	}
	check_candidates(dec, file, ret);
}
