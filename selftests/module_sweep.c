// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches to every function of modules that BTF describes, one after another, and reads the
 * kernel's text each time. The call must be at the function that the module's symbol table and
 * DWARF have for this name and compilation unit, and at no other function of this name. The modules
 * are test modules, or those in $SWEEP_MODULES, which are loaded already. Their files, with symbols
 * and DWARF, are in $MODULES.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <elfutils/libdwfl.h>
#include <linux/types.h>

#include "expect.h"

#include "kbtf.h"
#include "kmod.h"
#include "ksyms.h"
#include "look.h"
#include "vmsyms.h"

#define TEST_MODULES "kinds protos"
#define MAX_MODULES  64

/*
 * The file of a loaded module: a second opinion on where its functions are. The symbol table and
 * the kernel's places of the sections give the address of each function, and DWARF gives its unit.
 * libdwfl turns offsets in the file into addresses, by /sys/module/NAME/sections.
 */
struct kofile {
	Dwfl *dwfl;
	Dwfl_Module *mod;
	struct vmunits *units;
	struct look_func *funcs; /* sorted by name, then address */
	size_t cnt;
};

static void kofile__close(struct kofile *k)
{
	if (!k)
		return;
	vmunits__close(k->units);
	dwfl_end(k->dwfl);
	free(k->funcs);
	free(k);
}

static int kofunc__cmp_name(const void *a, const void *b)
{
	const struct look_func *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int kofunc__cmp(const void *a, const void *b)
{
	const struct look_func *x = a, *y = b;

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

/* The kernel doesn't list empty sections: give them no address, or libdwfl would fail. */
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
	/* only searches by address use the range, and there are none here */
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
		/* libdwfl has no section for a symbol that isn't in memory */
		if (!name || GELF_ST_TYPE(sym.st_info) != STT_FUNC || shndx == SHN_UNDEF ||
		    shndx == (GElf_Word)-1)
			continue;
		k->funcs[k->cnt++] = (struct look_func){
			.addr = addr,
			.name = name,
			.unit = vmunits__at(k->units, addr),
		};
	}
	qsort(k->funcs, k->cnt, sizeof(*k->funcs), kofunc__cmp);
	return k->cnt ? 0 : -ENOENT;
}

static int kofile__open(const char *module, struct kofile **ret, const char **why)
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

static const struct look_func *kofile__named(const struct kofile *k, const char *name, size_t *cnt)
{
	const struct look_func key = { .name = name };

	return sorted__range(&key, k->funcs, k->cnt, sizeof(*k->funcs), kofunc__cmp_name, cnt);
}

FIXTURE(module_sweep) {
	char *text, *names[MAX_MODULES]; /* of the modules, in text */
	size_t cnt, loaded;		 /* loaded: how many of them the test has loaded */
	struct btf *base;
	struct ksyms syms, btf_syms;
	struct look *look;
};

typedef FIXTURE_DATA(module_sweep) module_sweep_t;

/* All that is known of one module. */
struct module {
	const char *name;
	struct kofile *file;
	struct sites sites;
	int btf_fd;
	struct btf *btf;
	const char **units; /* by type id */
};

FIXTURE_SETUP(module_sweep)
{
	const char *given = getenv("SWEEP_MODULES");
	char *name;

	self->text = strdup(given ?: TEST_MODULES);
	ASSERT_NE(NULL, self->text);
	for (name = strtok(self->text, " "); name; name = strtok(NULL, " ")) {
		ASSERT_GT(MAX_MODULES, self->cnt);
		self->names[self->cnt++] = name;
	}
	self->base = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	ASSERT_NE(NULL, self->base);
	for (; !given && self->loaded < self->cnt; self->loaded++)
		ASSERT_EQ(0, kmod__load(self->names[self->loaded], ""));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	ASSERT_EQ(0, look__new(&self->btf_syms, &self->look));
}

FIXTURE_TEARDOWN(module_sweep)
{
	look__free(self->look);
	ksyms__free(&self->btf_syms);
	ksyms__free(&self->syms);
	btf__free(self->base);
	while (self->loaded)
		EXPECT_EQ(0, kmod__unload(self->names[--self->loaded]));
	free(self->text);
}

static void module__close(struct module *m)
{
	free(m->units);
	btf__free(m->btf);
	if (m->btf_fd >= 0)
		close(m->btf_fd);
	sites__free(&m->sites);
	kofile__close(m->file);
}

static int module__open(struct module *m, const struct ksyms *syms, struct btf *base,
			const char **why)
{
	char path[128];
	int err;

	err = kofile__open(m->name, &m->file, why);
	if (err)
		return err;
	*why = "can't read ftrace's list, or the module's BTF";
	err = sites__read(syms, m->name, &m->sites);
	if (err)
		return err;
	m->btf_fd = kbtf__open(m->name);
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", m->name);
	m->btf = btf__parse_split(path, base);
	if (m->btf_fd < 0 || !m->btf)
		return -ENOENT;
	m->units = btf_units__read(m->btf);
	return m->units ? 0 : -ENOMEM;
}

struct counts {
	size_t by_outcome[LOOK_MISSED + 1], untraceable;
};

static void sweep(struct __test_metadata *_metadata, const module_sweep_t *self,
		  const struct module *m, struct counts *counts)
{
	size_t i;

	for (i = 0; i < self->btf_syms.cnt; i++) {
		const struct ksym *s = &self->btf_syms.syms[i];
		const struct look_func *funcs;
		enum look_outcome outcome;
		size_t cnt;

		if (!ksym__is_of(s, m->name))
			continue;
		if (!sites__has(&m->sites, s->addr)) {
			counts->untraceable++;
			continue;
		}
		funcs = kofile__named(m->file, s->name, &cnt);
		outcome = look__at(self->look, m->btf_fd, s, m->units[s->type_id], funcs, cnt);
		counts->by_outcome[outcome]++;
		if (outcome != LOOK_ATTACHED)
			TH_LOG("%s: %s:%s (#%u): %s",
			       outcome == LOOK_MISSED ? "MISS" : "not attachable", m->name, s->name,
			       s->type_id, look__why(self->look));
	}
}

/* Try all functions of each module. Expect to attach to at least one of each. */
TEST_F_TIMEOUT(module_sweep, all_functions, 3 * 3600)
{
	struct counts all = {};
	size_t i;

	ASSERT_LT(0, self->cnt);
	for (i = 0; i < self->cnt; i++) {
		struct module m = { .name = self->names[i], .btf_fd = -1 };
		size_t before = all.by_outcome[LOOK_ATTACHED];
		const char *why = "";

		ASSERT_OK(module__open(&m, &self->syms, self->base, &why), "%s: %s", m.name, why);
		sweep(_metadata, self, &m, &all);
		EXPECT_LT(before, all.by_outcome[LOOK_ATTACHED])
		TH_LOG("no function of %s", m.name);
		module__close(&m);
	}
	TH_LOG("%zu modules: %zu attached, %zu not attachable, %zu missed, %zu not traceable",
	       self->cnt, all.by_outcome[LOOK_ATTACHED], all.by_outcome[LOOK_REFUSED],
	       all.by_outcome[LOOK_MISSED], all.untraceable);
	EXPECT_EQ(0, all.by_outcome[LOOK_MISSED]);
}

TEST_HARNESS_MAIN
