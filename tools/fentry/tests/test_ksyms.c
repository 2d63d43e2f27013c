// SPDX-License-Identifier: GPL-2.0-only
/* Tests which symbols addresses are in. The symbols of a kernel are made here. */
#include "kernel/ksyms.h"
#include "test.h"

static struct ksym syms[] = {
	{ 0xffffffff81000000, "first", NULL },
	{ 0xffffffff81000040, "alias", NULL },
	{ 0xffffffff81000040, "second", NULL },
	{ 0xffffffff81000100, "last", NULL },
	{ 0xffffffffa0000000, "init", "p9" },
	{ 0xffffffffa0001ff0, "cleanup", "p9" },
	{ 0xffffffffa0004000, "bpf_trampoline_1", "bpf" },
	{ 0xffffffffa0004200, "bpf_prog_2", "bpf" },
	{ 0xffffffffa0100000, "distant", "bpf" },
};

static const struct {
	const char *what;
	unsigned long long addr;
	const char *name; /* NULL: the address is in no symbol */
	unsigned long long size;
} cases[] = {
	{ "before the first", 0xffffffff80ffffff, NULL, 0 },
	{ "the first byte", 0xffffffff81000000, "first", 0x40 },
	{ "the last byte", 0xffffffff8100003f, "first", 0x40 },
	{ "an alias", 0xffffffff81000041, "second", 0xc0 },
	{ "the last one of vmlinux", 0xffffffff81000fff, "last", 0xf00 },
	{ "beyond it", 0xffffffff81001000, NULL, 0 },
	{ "far beyond it", 0xffffffff9f000000, NULL, 0 },
	{ "a module's", 0xffffffffa0000123, "init", 0x1ff0 },
	{ "the last one of a module", 0xffffffffa0001ff8, "cleanup", 0x10 },
	{ "between modules", 0xffffffffa0002000, NULL, 0 },
	{ "a trampoline", 0xffffffffa0004010, "bpf_trampoline_1", 0x200 },
	{ "the last one before a gap", 0xffffffffa0004210, "bpf_prog_2", 0xe00 },
	{ "the gap", 0xffffffffa0005000, NULL, 0 },
	{ "the last one", 0xffffffffa0100001, "distant", 0x1000 },
};

int main(void)
{
	const struct ksyms k = { .syms = syms, .cnt = ARRAY_SIZE(syms) };

	for_each_in(c, cases) {
		unsigned long long size = 0;
		const struct ksym *sym = ksyms__at(&k, c->addr, &size);

		report(sym ? c->name && !strcmp(sym->name, c->name) && size == c->size : !c->name,
		       c->what, sym ? sym->name : "none");
	}
	return failures != 0;
}
