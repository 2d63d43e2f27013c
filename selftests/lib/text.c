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
#define ENDBR_SIZE   4
#define PATCH_SIZE   5

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

int text__state(__u64 addr)
{
	static const unsigned char nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	unsigned char code[ENDBR_SIZE + PATCH_SIZE], *at = code;
	int err;

	err = text__read(addr, code, sizeof(code));
	if (err)
		return err;
	if (is_endbr(at))
		at += ENDBR_SIZE;
	if (!memcmp(at, nop, PATCH_SIZE))
		return TEXT_NOP;
	/* newer kernels jump to a trampoline that calls the function itself */
	if (*at == 0xe8 || (*at == 0xe9 && kconfig__has("CONFIG_DYNAMIC_FTRACE_WITH_JMP")))
		return TEXT_CALL;
	return TEXT_OTHER;
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
