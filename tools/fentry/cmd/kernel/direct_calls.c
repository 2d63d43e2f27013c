// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the kernel's code calls a function at all. On x86-64, CALL, JMP and Jcc that leave a
 * function end in 32 bits: the distance from the next instruction to their target. So if none of
 * the bytes that look like one of these has the distance to a function, nothing calls it directly.
 * On arm64, B and BL have the distance in 26 bits, B.cond and CBZ in 19, TBZ in 14. Code that is
 * too far for these goes by way of code that the module loader writes: nothing can be said then.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/direct_calls.h"
#include "kernel/ksyms.h"

#define KCORE	  "/proc/kcore"
#define PHDRS_MAX 4096
#define CHUNK	  (1 << 20)
#define GAP_MAX	  65536 /* between symbols of one section */

/*
 * Calls go to a function's first instruction, behind its ENDBR64 or "bti c", or to a mitigation's
 * code before the function (arch/x86/kernel/callthunks.c).
 */
#define BEFORE 16
#define BEHIND 4

#ifdef __aarch64__
#define MACHINE	 EM_AARCH64
#define INSN_MAX 4
#define REACH	 (1ULL << 27) /* of BL */
#else
#define MACHINE	 EM_X86_64
#define INSN_MAX 6 /* 0f 8x and 32 bits; a shorter one has another byte before it */
#define REACH	 (1ULL << 31)
#endif

struct scan {
	int fd;
	Elf64_Phdr *phdrs;
	size_t phdr_cnt;
	unsigned long long wanted;
	bool found;
};

static bool open_kcore(struct scan *s)
{
	Elf64_Ehdr ehdr;
	size_t size;

	s->fd = open(KCORE, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0 || pread(s->fd, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr) ||
	    ehdr.e_machine != MACHINE || ehdr.e_phnum > PHDRS_MAX)
		return false;
	size = ehdr.e_phnum * sizeof(*s->phdrs);
	s->phdrs = malloc(size + 1);
	s->phdr_cnt = ehdr.e_phnum;
	return s->phdrs && pread(s->fd, s->phdrs, size, ehdr.e_phoff) == (ssize_t)size;
}

static bool read_code(const struct scan *s, unsigned long long addr, unsigned char *buf,
		      size_t size)
{
	size_t i;

	for (i = 0; i < s->phdr_cnt; i++) {
		const Elf64_Phdr *p = &s->phdrs[i];

		if (p->p_type == PT_LOAD && addr >= p->p_vaddr &&
		    addr + size <= p->p_vaddr + p->p_memsz)
			return pread(s->fd, buf, size, p->p_offset + addr - p->p_vaddr) ==
			       (ssize_t)size;
	}
	return false;
}

static bool is_wanted(const struct scan *s, unsigned long long target)
{
	return target - (s->wanted - BEFORE) <= BEFORE + BEHIND;
}

#ifdef __aarch64__

/* The number of bits of the distance from a branch to its target, and the lowest one of them. */
static int distance_bits(unsigned int insn, int *low)
{
	*low = 0;
	if ((insn & 0x7c000000) == 0x14000000) /* B, BL */
		return 26;
	*low = 5;
	if ((insn & 0x7e000000) == 0x36000000) /* TBZ, TBNZ */
		return 14;
	/* B.cond; CBZ, CBNZ */
	return (insn & 0xff000000) == 0x54000000 || (insn & 0x7e000000) == 0x34000000 ? 19 : 0;
}

static void scan_bytes(struct scan *s, const unsigned char *code, size_t size,
		       unsigned long long addr)
{
	int bits, low, distance;
	unsigned int insn;
	size_t i;

	for (i = 0; i + sizeof(insn) <= size; i += sizeof(insn)) {
		memcpy(&insn, code + i, sizeof(insn));
		bits = distance_bits(insn, &low);
		if (!bits)
			continue;
		distance = (int)(insn << (32 - bits - low)) >> (32 - bits);
		s->found |= is_wanted(s, addr + i + distance * 4);
	}
}

#else

/* Are the 32 bits behind these two bytes the distance of a CALL, a JMP, or a Jcc? */
static bool is_branch(const unsigned char *before)
{
	return (before[1] & 0xfe) == 0xe8 || (before[0] == 0x0f && (before[1] & 0xf0) == 0x80);
}

static void scan_bytes(struct scan *s, const unsigned char *code, size_t size,
		       unsigned long long addr)
{
	size_t i, end;
	int distance;

	for (i = 0; i + INSN_MAX <= size; i++) {
		end = i + INSN_MAX;
		memcpy(&distance, code + end - sizeof(distance), sizeof(distance));
		s->found |= is_wanted(s, addr + end + distance) && is_branch(code + i);
	}
}

#endif

/* Returns whether the code could be read. */
static bool scan_range(struct scan *s, unsigned long long addr, unsigned long long end)
{
	unsigned char *buf = malloc(CHUNK + INSN_MAX);
	bool right = buf;
	size_t size;

	right &= addr - s->wanted + REACH < 2 * REACH && end - s->wanted + REACH < 2 * REACH;
	for (; right && addr < end && !s->found; addr += CHUNK) {
		/* an instruction may go on in the next chunk */
		size = end - addr < CHUNK + INSN_MAX ? end - addr : CHUNK + INSN_MAX;
		right = read_code(s, addr, buf, size);
		if (right)
			scan_bytes(s, buf, size, addr);
	}
	free(buf);
	return right;
}

static unsigned long long addr_of(const struct ksyms *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->cnt; i++)
		if (!k->syms[i].module && !strcmp(k->syms[i].name, name))
			return k->syms[i].addr;
	return 0;
}

/* A module's code is from its first symbol to its last one. */
static bool scan_modules(struct scan *s, const struct ksyms *k)
{
	unsigned long long size;
	bool right = true;
	size_t i, first;

	for (i = 0; right && i < k->cnt; i++) {
		if (!k->syms[i].module)
			continue;
		for (first = i; i + 1 < k->cnt && k->syms[i + 1].module &&
				!strcmp(k->syms[i + 1].module, k->syms[i].module) &&
				k->syms[i + 1].addr - k->syms[i].addr < GAP_MAX;
		     i++)
			;
		right = ksyms__at(k, k->syms[i].addr, &size) &&
			scan_range(s, k->syms[first].addr, k->syms[i].addr + size);
	}
	return right;
}

bool direct_calls__none(const struct ksyms *k, unsigned long long addr)
{
	unsigned long long begin = addr_of(k, "_stext"), end = addr_of(k, "_etext");
	struct scan s = { .fd = -1, .wanted = addr };
	bool right;

	right = addr && !k->hidden && begin && begin < end && open_kcore(&s) &&
		scan_range(&s, begin, end) && scan_modules(&s, k);
	if (s.fd >= 0)
		close(s.fd);
	free(s.phdrs);
	return right && !s.found;
}
