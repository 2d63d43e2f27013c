// SPDX-License-Identifier: GPL-2.0-only
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "env.h"
#include "ksyms.h"
#include "vmsyms.h"

#ifdef __aarch64__
#define NOPS_SIZE 8 /* from a function's entry */
#else
#define NOPS_SIZE 0
#endif

struct vmlinux {
	int fd;
	Elf *elf;
	struct vmsym *syms;
	size_t cnt;
	__u64 text; /* address of _text in the file */
};

static int vmsym__cmp_name(const void *a, const void *b)
{
	const struct vmsym *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int vmsym__cmp(const void *a, const void *b)
{
	const struct vmsym *x = a, *y = b;

	return vmsym__cmp_name(a, b) ?: (x->offset > y->offset) - (x->offset < y->offset);
}

/*
 * Does the file symbol before this one name its file? It does for static functions. LTO hides
 * global functions: the linker makes them local, and puts them behind the file symbol of any file.
 */
static bool has_file(const GElf_Sym *sym)
{
	return GELF_ST_BIND(sym->st_info) == STB_LOCAL &&
	       GELF_ST_VISIBILITY(sym->st_other) == STV_DEFAULT;
}

static int read_symtab(struct vmlinux *v, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t i, cnt = shdr->sh_size / shdr->sh_entsize;
	const char *file = NULL, *name;
	GElf_Sym sym;

	v->syms = calloc(cnt, sizeof(*v->syms));
	if (!v->syms)
		return -ENOMEM;
	for (i = 0; i < cnt; i++) {
		if (!gelf_getsym(data, i, &sym))
			return -EINVAL;
		name = elf_strptr(v->elf, shdr->sh_link, sym.st_name);
		if (!name)
			return -EINVAL;
		/* A file symbol stands before the local symbols of its file. */
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			file = name;
		if (!strcmp(name, "_text"))
			v->text = sym.st_value;
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		v->syms[v->cnt++] = (struct vmsym){
			.offset = sym.st_value,
			.name = name,
			.file = has_file(&sym) ? file : NULL,
		};
	}
	return 0;
}

static int read_sections(struct vmlinux *v)
{
	Elf_Scn *scn = NULL;
	int err = -EINVAL;
	GElf_Shdr shdr;
	size_t i;

	while ((scn = elf_nextscn(v->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			return -EINVAL;
		if (shdr.sh_type == SHT_SYMTAB)
			err = read_symtab(v, scn, &shdr);
	}
	if (err)
		return err;
	if (!v->text)
		return -EINVAL;
	for (i = 0; i < v->cnt; i++)
		v->syms[i].offset -= v->text;
	qsort(v->syms, v->cnt, sizeof(*v->syms), vmsym__cmp);
	return 0;
}

int vmlinux__open(struct vmlinux **ret, const char **why)
{
	static char message[PATH_MAX + 128];
	const char *path = env__need("VMLINUX");
	struct vmlinux *v;
	int err;

	v = calloc(1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	v->fd = open(path, O_RDONLY | O_CLOEXEC);
	err = v->fd < 0 ? -errno : 0;
	if (!err) {
		v->elf = elf_begin(v->fd, ELF_C_READ, NULL);
		err = v->elf ? read_sections(v) : -EINVAL;
	}
	if (!err) {
		*ret = v;
		return 0;
	}
	snprintf(message, sizeof(message), "%s: %s", path, strerror(-err));
	*why = message;
	vmlinux__close(v);
	return err;
}

void vmlinux__close(struct vmlinux *v)
{
	if (!v)
		return;
	elf_end(v->elf);
	if (v->fd >= 0)
		close(v->fd);
	free(v->syms);
	free(v);
}

const struct vmsym *vmlinux__named(const struct vmlinux *v, const char *name, size_t *cnt)
{
	const struct vmsym key = { .name = name };

	return sorted__range(&key, v->syms, v->cnt, sizeof(*v->syms), vmsym__cmp_name, cnt);
}

struct Elf *vmlinux__elf(const struct vmlinux *v)
{
	return v->elf;
}

const struct vmsym *vmlinux__at(const struct vmlinux *v, const char *name, __u64 offset)
{
	const struct vmsym key = { .name = name, .offset = offset };

	return bsearch(&key, v->syms, v->cnt, sizeof(*v->syms), vmsym__cmp);
}

struct range {
	__u64 start, end; /* addresses in the file; end is behind */
	const char *unit;
};

struct vmunits {
	Dwarf *dwarf;
	struct range *ranges;
	size_t cnt;
	__u64 text;
};

static int add_range(struct vmunits *u, __u64 start, __u64 end, const char *unit)
{
	if (!ARRAY_GROW(u->ranges, u->cnt))
		return -ENOMEM;
	u->ranges[u->cnt++] = (struct range){ start, end, unit };
	return 0;
}

static int add_unit(struct vmunits *u, Dwarf_Die *cu)
{
	const char *name = dwarf_diename(cu);
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;
	int err = 0;

	while (name && !err && (off = dwarf_ranges(cu, off, &base, &start, &end)) > 0)
		err = add_range(u, start, end, name);
	return err;
}

int vmunits__open(const struct vmlinux *v, struct vmunits **ret)
{
	struct vmunits *u = calloc(1, sizeof(*u));
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	int err = 0;

	if (!u)
		return -ENOMEM;
	u->text = v->text;
	u->dwarf = dwarf_begin_elf(v->elf, DWARF_C_READ, NULL);
	while (!err && !dwarf_get_units(u->dwarf, cu, &cu, NULL, NULL, &die, NULL))
		err = add_unit(u, &die);
	if (!err && !u->cnt)
		err = -ENOENT;
	if (err)
		vmunits__close(u);
	else
		*ret = u;
	return err;
}

void vmunits__close(struct vmunits *u)
{
	if (!u)
		return;
	dwarf_end(u->dwarf);
	free(u->ranges);
	free(u);
}

static const char *unit_of(const struct vmunits *u, __u64 addr)
{
	size_t i;

	/* Ranges that the linker discarded begin at 0, so they contain no address of the kernel. */
	for (i = 0; i < u->cnt; i++)
		if (addr >= u->ranges[i].start && addr < u->ranges[i].end)
			return u->ranges[i].unit;
	return NULL;
}

const char *vmunits__at(const struct vmunits *u, __u64 offset)
{
	__u64 addr = u->text + offset;

	/* In GCC's DWARF for arm64, functions begin behind the nops that ftrace patches. */
	return unit_of(u, addr) ?: unit_of(u, addr + NOPS_SIZE);
}

bool path__ends(const char *path, const char *tail)
{
	size_t len = strlen(path), tail_len = strlen(tail);

	if (len < tail_len || strcmp(path + len - tail_len, tail))
		return false;
	return len == tail_len || path[len - tail_len - 1] == '/';
}
