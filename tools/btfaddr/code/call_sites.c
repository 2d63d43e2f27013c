// SPDX-License-Identifier: GPL-2.0-only
#include <stdatomic.h>

#include "code/call_sites.h"
#include "code/insn.h"

/* Bytes of code that a thread takes at a time. */
#define PIECE_SIZE 0x40000

/**
 * struct piece - a part of a section, and what was found there
 * @from: where it starts, and @to where it ends, in bytes from the section's start
 */
struct piece {
	const struct code_section *section;
	u64 from, to;
	struct call_sites sites;
};

/**
 * struct finder - state of call_sites_find()
 * @next: first piece that no thread has yet
 * @failed: a thread has no decoder
 */
struct finder {
	const struct elf_file *file;
	const struct u64map *targets;
	struct piece *pieces;
	size_t nr;
	atomic_size_t next;
	atomic_bool failed;
};

static void add_candidate(struct finder *f, struct piece *piece, u64 i)
{
	const struct code_section *section = piece->section;
	struct call_sites *ret = &piece->sites;
	u64 next, target;
	int64_t disp;
	bool call;
	u32 len;

	len = f->file->arch->branch(section->data + i, section->size - i, &disp, &call);
	if (!len)
		return;
	next = section->addr + i + len;
	target = section->addr + i + disp;
	if (!u64map_get(f->targets, target))
		return;
	PUSH(ret->sites, ret->nr, .addr = section->addr + i, .next = next, .target = target,
	     .jump = !call);
}

static void add_candidates(struct finder *f, struct piece *piece)
{
	const struct arch *arch = f->file->arch;
	const u8 *code = piece->section->data, *lens = arch->branch_lens;
	u64 i, step = arch->insn_align;

	/* a section may end in the middle of an instruction: arm64 modules have 1 byte in .plt */
	for (i = piece->from + arch->opcode_at; i < piece->to; i += step) {
		if (lens[code[i]])
			add_candidate(f, piece, i - arch->opcode_at);
	}
}

/* Where to start decoding in order to reach @site: at its function, or else at the site itself. */
static u64 decode_start(const struct code_section *section, const struct call_site *site)
{
	/* if the symbol is in another section, don't decode all the bytes from there */
	return site->caller < section->addr ? site->addr : site->caller;
}

/* Does DWARF say that a call returns to @addr? */
static bool returns_to(const struct code_section *section, u64 addr)
{
	u64 i = addr - section->addr;

	return section->returns && i < section->size && section->returns[i / 8] >> i % 8 & 1;
}

/*
 * Does DWARF alone tell that @site is an instruction? On x86 its bytes may also be the end of
 * another call, such as call *disp32(%rax,%rbp,8).
 */
static bool is_surely_call(const struct code_section *section, const struct call_site *site)
{
	u64 i = site->addr - section->addr;
	const u8 *code = section->data + i;

	return returns_to(section, site->next) &&
	       (i < 2 || code[-2] != 0xff || (code[-1] & 0xc7) != 0x84);
}

/* The last address up to @addr where an instruction is known to begin, at least @low. */
static u64 last_known(const struct code_section *section, u64 low, u64 addr)
{
	while (section->returns && addr > low && !returns_to(section, addr))
		addr--;
	return section->returns ? addr : low;
}

/* Drop the candidates that aren't instructions, from the last address on that is known to be one. */
static void check_candidates(struct insn_decoder *dec, const struct elf_file *file,
			     struct piece *piece)
{
	struct call_sites *sites = &piece->sites;
	u64 addr = 0, start = 0;
	const u8 *code;
	size_t i, nr = 0, len;

	for (i = 0; i < sites->nr; i++) {
		struct call_site *site = &sites->sites[i];

		site->caller = elf_file_function_start(file, site->addr);
		if (is_surely_call(piece->section, site))
			addr = site->addr;
		else if (!i || decode_start(piece->section, site) != start)
			addr = start = decode_start(piece->section, site);
		if (addr < site->addr)
			addr = last_known(piece->section, addr, site->addr);
		while (addr < site->addr) {
			code = elf_file_code(file, addr, &len);
			/* data, or an instruction that isn't known: go on behind it */
			addr += code ? insn_len(dec, code, len, addr) ?: 1 : 1;
		}
		if (addr == site->addr)
			sites->sites[nr++] = *site;
	}
	sites->nr = nr;
}

/* Take the next piece that no thread has yet, until there is none. */
static void take_pieces(void *ctx, u32 thread)
{
	struct insn_decoder dec = {};
	struct finder *f = ctx;
	size_t i;

	if (insn_decoder_open(&dec, f->file->arch, false)) {
		f->failed = true;
	} else {
		while ((i = atomic_fetch_add(&f->next, 1)) < f->nr) {
			add_candidates(f, &f->pieces[i]);
			check_candidates(&dec, f->file, &f->pieces[i]);
		}
	}
	insn_decoder_close(&dec);
}

static void list_pieces(struct finder *f)
{
	const struct code_section *section = f->file->code;
	u64 from, left;
	size_t i;

	for (i = 0; i < f->file->nr_code; i++, section++) {
		for (from = 0; section->data && from < section->size; from += PIECE_SIZE) {
			left = section->size - from;
			PUSH(f->pieces, f->nr, .section = section, .from = from,
			     .to = from + (left < PIECE_SIZE ? left : PIECE_SIZE));
		}
	}
}

int call_sites_find(const struct elf_file *file, const struct u64map *targets, u32 nr_threads,
		    struct call_sites *ret)
{
	struct finder f = { .file = file, .targets = targets };
	struct piece *piece;

	memset(ret, 0, sizeof(*ret));
	list_pieces(&f);
	threads_run(nr_threads, take_pieces, &f);
	for_each(piece, f.pieces, f.nr) {
		APPEND(ret->sites, ret->nr, piece->sites.sites, piece->sites.nr);
		free(piece->sites.sites);
	}
	free(f.pieces);
	return f.failed ? -1 : 0;
}
