// SPDX-License-Identifier: GPL-2.0-only
/* libdwfl turns offsets in a module's file into addresses, by /sys/module/NAME/sections. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdwfl.h>

#include "kmod.h"
#include "kofile.h"
#include "sorted.h"
#include "vmunits.h"

struct kofile {
	Dwfl *dwfl;
	Dwfl_Module *mod;
	struct vmunits *units;
	struct kofunc *funcs; /* sorted by name, then address */
	size_t cnt;
};

static int kofunc__cmp_name(const void *a, const void *b)
{
	const struct kofunc *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int kofunc__cmp(const void *a, const void *b)
{
	const struct kofunc *x = a, *y = b;

	return kofunc__cmp_name(a, b) ?: (x->addr > y->addr) - (x->addr < y->addr);
}

static int find_elf(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base, char **path,
		    Elf **elf)
{
	(void)mod;
	(void)data;
	(void)base;
	(void)elf;
	*path = kmod__path(name);
	return *path ? open(*path, O_RDONLY | O_CLOEXEC) : -1;
}

/* The kernel doesn't list empty sections, for which libdwfl would give up: they are nowhere. */
static int section_address(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
			   const char *section, GElf_Word index, const GElf_Shdr *shdr,
			   Dwarf_Addr *addr)
{
	if (dwfl_linux_kernel_module_section_address(mod, data, name, base, section, index, shdr,
						     addr) != DWARF_CB_OK)
		*addr = -1;
	return DWARF_CB_OK;
}

static int report(struct kofile *k, const char *module)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = section_address,
	};

	k->dwfl = dwfl_begin(&callbacks);
	if (!k->dwfl)
		return -ENOMEM;
	dwfl_report_begin(k->dwfl);
	/* the range is for searches by address, which aren't made here */
	k->mod = dwfl_report_module(k->dwfl, module, 1, 2);
	return k->mod && !dwfl_report_end(k->dwfl, NULL, NULL) ? 0 : -EINVAL;
}

static int read_units(struct kofile *k)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(k->mod, &bias);

	return dwarf ? vmunits__of(dwarf, -bias, &k->units) : -ENOENT;
}

static int read_functions(struct kofile *k)
{
	int i, cnt = dwfl_module_getsymtab(k->mod);

	if (cnt < 0)
		return -EINVAL;
	k->funcs = calloc(cnt + 1, sizeof(*k->funcs));
	if (!k->funcs)
		return -ENOMEM;
	for (i = 0; i < cnt; i++) {
		GElf_Addr addr;
		const char *name;
		GElf_Word shndx;
		GElf_Sym sym;

		name = dwfl_module_getsym_info(k->mod, i, &sym, &addr, &shndx, NULL, NULL);
		/* a symbol that isn't in memory is in no section that the kernel has */
		if (!name || GELF_ST_TYPE(sym.st_info) != STT_FUNC || shndx == SHN_UNDEF ||
		    shndx == (GElf_Word)-1)
			continue;
		k->funcs[k->cnt++] = (struct kofunc){
			.addr = addr,
			.name = name,
			.unit = vmunits__at(k->units, addr),
		};
	}
	qsort(k->funcs, k->cnt, sizeof(*k->funcs), kofunc__cmp);
	return k->cnt ? 0 : -ENOENT;
}

int kofile__open(const char *module, struct kofile **ret, const char **why)
{
	static char message[PATH_MAX];
	struct kofile *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	err = report(k, module) ?: read_units(k) ?: read_functions(k);
	if (!err) {
		*ret = k;
		return 0;
	}
	snprintf(message, sizeof(message), "%s.ko: %s (%s)", module, strerror(-err),
		 dwfl_errmsg(-1) ?: "libdwfl has no error");
	*why = message;
	kofile__close(k);
	return err;
}

void kofile__close(struct kofile *k)
{
	if (!k)
		return;
	vmunits__close(k->units);
	dwfl_end(k->dwfl);
	free(k->funcs);
	free(k);
}

const struct kofunc *kofile__named(const struct kofile *k, const char *name, size_t *cnt)
{
	const struct kofunc key = { .name = name };

	return sorted__range(&key, k->funcs, k->cnt, sizeof(*k->funcs), kofunc__cmp_name, cnt);
}
