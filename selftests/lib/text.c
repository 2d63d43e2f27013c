// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "text.h"

#define MAX_SEGMENTS 64

/* /proc/kcore is an ELF core file, whose segments say where an address is. */
static int find_offset(int fd, __u64 addr, size_t size, off_t *ret)
{
	Elf64_Phdr phdrs[MAX_SEGMENTS];
	Elf64_Ehdr ehdr;
	size_t len;
	int i;

	if (pread(fd, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr) ||
	    memcmp(ehdr.e_ident, ELFMAG, SELFMAG) || ehdr.e_phentsize != sizeof(phdrs[0]) ||
	    ehdr.e_phnum > MAX_SEGMENTS)
		return -EINVAL;
	len = ehdr.e_phnum * sizeof(phdrs[0]);
	if (pread(fd, phdrs, len, ehdr.e_phoff) != (ssize_t)len)
		return -EINVAL;

	for (i = 0; i < ehdr.e_phnum; i++) {
		const Elf64_Phdr *p = &phdrs[i];

		if (p->p_type == PT_LOAD && addr >= p->p_vaddr &&
		    addr - p->p_vaddr + size <= p->p_memsz) {
			*ret = p->p_offset + (addr - p->p_vaddr);
			return 0;
		}
	}
	return -EFAULT;
}

int text__read(__u64 addr, void *buf, size_t size)
{
	ssize_t got;
	off_t off;
	int fd, err;

	fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = find_offset(fd, addr, size, &off);
	if (!err) {
		got = pread(fd, buf, size, off);
		if (got < 0)
			err = -errno;
		else if ((size_t)got != size)
			err = -EIO;
	}
	close(fd);
	return err;
}

#ifdef __aarch64__

#define INSN_BTI_C     0xd503245f
#define INSN_MOV_X9_LR 0xaa1e03e9
#define INSN_NOP       0xd503201f

/*
 * Two nops are at the entry, behind a "bti c" if there is one. ftrace makes the first one keep the
 * return address once and for all, and the second one a call.
 */
static enum text_state state_of(const unsigned char *code)
{
	__u32 insns[TEXT_SIZE / 4], *at = insns;

	memcpy(insns, code, sizeof(insns));
	if (*at == INSN_BTI_C)
		at++;
	if (at[0] != INSN_MOV_X9_LR && at[0] != INSN_NOP)
		return TEXT_OTHER;
	if (at[1] == INSN_NOP)
		return TEXT_NOP;
	return at[1] >> 26 == 0x25 ? TEXT_CALL : TEXT_OTHER; /* BL */
}

size_t text__probe_size(const unsigned char *code)
{
	static const unsigned char brk[PROBE_SIZE] = { 0x80, 0x00, 0x20, 0xd4 };

	return memcmp(code, brk, PROBE_SIZE) ? 0 : PROBE_SIZE;
}

#else

#define ENDBR_SIZE 4
#define PATCH_SIZE (TEXT_SIZE - ENDBR_SIZE)

/* The kernel replaces an endbr64 by a nop if nothing calls the function indirectly (ibt.h). */
static bool is_endbr(const unsigned char *code)
{
	static const unsigned char endbr64[ENDBR_SIZE] = { 0xf3, 0x0f, 0x1e, 0xfa };
	/* of Linux 6.12, and of 7.3 */
	static const unsigned char sealed_once[ENDBR_SIZE] = { 0x66, 0x0f, 0x1f, 0x00 };
	static const unsigned char sealed[ENDBR_SIZE] = { 0x0f, 0x1f, 0x40, 0xd6 };

	return !memcmp(code, endbr64, ENDBR_SIZE) || !memcmp(code, sealed_once, ENDBR_SIZE) ||
	       !memcmp(code, sealed, ENDBR_SIZE);
}

static enum text_state state_of(const unsigned char *at)
{
	static const unsigned char nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	if (is_endbr(at))
		at += ENDBR_SIZE;
	if (!memcmp(at, nop, PATCH_SIZE))
		return TEXT_NOP;
	/* newer kernels jump to a trampoline that calls the function itself */
	if (*at == 0xe8 || (*at == 0xe9 && kconfig__has("CONFIG_DYNAMIC_FTRACE_WITH_JMP")))
		return TEXT_CALL;
	return TEXT_OTHER;
}

size_t text__probe_size(const unsigned char *code)
{
	return *code == 0xcc ? 1 : *code == 0xe9 ? PROBE_SIZE : 0;
}

#endif

int text__state(__u64 addr)
{
	unsigned char code[TEXT_SIZE];

	return text__read(addr, code, sizeof(code)) ?: (int)state_of(code);
}

const char *text__state_name(int state)
{
	switch (state) {
	case TEXT_NOP:
		return "nop";
	case TEXT_CALL:
		return "call";
	case TEXT_OTHER:
		return "other";
	default:
		return strerror(-state);
	}
}
