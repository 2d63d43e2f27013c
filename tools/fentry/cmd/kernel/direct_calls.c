// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often the kernel's code calls functions by name: x86-64's CALL, JMP and Jcc with 32 bits,
 * whose target is the first instruction of a function, or the one behind its ENDBR64.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/direct_calls.h"
#include "kernel/ksyms.h"

#define KCORE	   "/proc/kcore"
#define RETBLEED   "/sys/devices/system/cpu/vulnerabilities/retbleed"
#define PHDRS_MAX  4096
#define CHUNK	   (1 << 20)
#define INSN_MAX   6 /* 0f 8x and 32 bits */
#define ENDBR_SIZE 4
#define GAP_MAX	   65536 /* between symbols of one section */

/* Addresses that calls are counted of: a function's start, and behind its ENDBR64. */
struct wanted {
	unsigned long long addr;
	size_t cnt;
};

struct direct_calls {
	struct wanted *wanted; /* sorted by address */
	size_t cnt;
};

struct scan {
	int fd;
	Elf64_Phdr *phdrs;
	size_t phdr_cnt;
	struct direct_calls *calls;
	unsigned char *filter; /* a bit for each low part of an address */
};

#define FILTER_BITS	20
#define FILTER_AT(addr) ((addr) & ((1 << FILTER_BITS) - 1))

static int cmp_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool open_kcore(struct scan *s)
{
	Elf64_Ehdr ehdr;
	size_t size;

	s->fd = open(KCORE, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0 || pread(s->fd, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr) ||
	    ehdr.e_machine != EM_X86_64 || ehdr.e_phnum > PHDRS_MAX)
		return false;
	size = ehdr.e_phnum * sizeof(*s->phdrs);
	s->phdrs = malloc(size + 1);
	s->phdr_cnt = ehdr.e_phnum;
	return s->phdrs && pread(s->fd, s->phdrs, size, ehdr.e_phoff) == (ssize_t)size;
}

static bool add_wanted(struct scan *s, const struct fentry_index *idx)
{
	struct direct_calls *d = s->calls;
	const struct fentry_target *t;
	size_t i;

	d->wanted = calloc(2 * fentry_index__cnt(idx) + 1, sizeof(*d->wanted));
	s->filter = calloc(1, (1 << FILTER_BITS) / 8);
	if (!d->wanted || !s->filter)
		return false;
	for (i = 0; (t = fentry_index__target(idx, i)); i++) {
		if (!t->addr)
			continue;
		d->wanted[d->cnt++].addr = t->addr;
		d->wanted[d->cnt++].addr = t->addr + ENDBR_SIZE;
	}
	for (i = 0; i < d->cnt; i++)
		s->filter[FILTER_AT(d->wanted[i].addr) / 8] |= 1 << d->wanted[i].addr % 8;
	if (d->cnt)
		qsort(d->wanted, d->cnt, sizeof(*d->wanted), cmp_wanted);
	return true;
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

static struct wanted *find(const struct direct_calls *d, unsigned long long addr)
{
	const struct wanted key = { .addr = addr };

	return d->cnt ? bsearch(&key, d->wanted, d->cnt, sizeof(key), cmp_wanted) : NULL;
}

static void count(struct scan *s, unsigned long long target)
{
	struct wanted *found;

	if (!(s->filter[FILTER_AT(target) / 8] & 1 << target % 8))
		return;
	found = find(s->calls, target);
	if (found)
		found->cnt++;
}

/* @size: bytes of code that begins at @addr; an instruction may go on behind them */
static void scan_bytes(struct scan *s, const unsigned char *code, size_t size,
		       unsigned long long addr)
{
	size_t i, len;
	int distance;

	for (i = 0; i < size; i++) {
		if ((code[i] & 0xfe) == 0xe8)
			len = 5;
		else if (code[i] == 0x0f && (code[i + 1] & 0xf0) == 0x80)
			len = 6;
		else
			continue;
		memcpy(&distance, code + i + len - sizeof(distance), sizeof(distance));
		count(s, addr + i + len + distance);
	}
}

static bool scan_range(struct scan *s, unsigned long long addr, unsigned long long end)
{
	unsigned char *buf = calloc(1, CHUNK + INSN_MAX);
	bool right = buf;
	size_t size;

	for (; right && addr < end; addr += size) {
		size = end - addr < CHUNK ? end - addr : CHUNK;
		/* nothing is read behind the end of the range */
		memset(buf + size, 0, INSN_MAX);
		right = read_code(s, addr, buf, addr + size < end ? size + INSN_MAX : size);
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
		if (ksyms__at(k, k->syms[i].addr, &size))
			right = scan_range(s, k->syms[first].addr, k->syms[i].addr + size);
	}
	return right;
}

/* A mitigation makes calls go to code before functions, where they aren't looked for. */
static bool is_stuffed(void)
{
	FILE *f = fopen(RETBLEED, "re");
	char text[256] = "";

	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	return strstr(text, "Stuffing");
}

static bool scan_all(struct scan *s, const struct ksyms *k)
{
	unsigned long long begin = addr_of(k, "_stext"), end = addr_of(k, "_etext");

	return !k->hidden && begin && begin < end && scan_range(s, begin, end) &&
	       scan_modules(s, k);
}

struct direct_calls *direct_calls__load(const struct fentry_index *idx, const struct ksyms *known)
{
	struct ksyms *own = NULL;
	struct scan s = { .fd = -1, .calls = calloc(1, sizeof(*s.calls)) };
	bool right;

	right = s.calls && !is_stuffed() && open_kcore(&s) && add_wanted(&s, idx) &&
		(known || !ksyms__load(&own)) && scan_all(&s, known ?: own);
	ksyms__free(own);
	if (s.fd >= 0)
		close(s.fd);
	free(s.phdrs);
	free(s.filter);
	if (right)
		return s.calls;
	direct_calls__free(s.calls);
	return NULL;
}

bool direct_calls__of(const struct direct_calls *d, const struct fentry_target *target, size_t *ret)
{
	const struct wanted *at, *behind;

	*ret = 0;
	if (!d)
		return false;
	/* a function that is only inlined has no address, and no direct calls */
	at = target->addr ? find(d, target->addr) : NULL;
	behind = target->addr ? find(d, target->addr + ENDBR_SIZE) : NULL;
	*ret = (at ? at->cnt : 0) + (behind ? behind->cnt : 0);
	return target->addr ? at && behind : true;
}

void direct_calls__free(struct direct_calls *d)
{
	if (d)
		free(d->wanted);
	free(d);
}
