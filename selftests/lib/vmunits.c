// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "vmunits.h"

struct range {
	__u64 start, end; /* addresses in the file; end is behind */
	const char *unit;
};

struct vmunits {
	Dwarf *own; /* if it is ours to close */
	struct range *ranges;
	size_t cnt, room;
	__u64 text;
};

static int add_range(struct vmunits *u, __u64 start, __u64 end, const char *unit)
{
	if (u->cnt == u->room) {
		size_t room = u->room ? u->room * 2 : 4096;
		struct range *ranges = reallocarray(u->ranges, room, sizeof(*ranges));

		if (!ranges)
			return -ENOMEM;
		u->ranges = ranges;
		u->room = room;
	}
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

int vmunits__of(struct Dwarf *dwarf, __u64 text, struct vmunits **ret)
{
	struct vmunits *u = calloc(1, sizeof(*u));
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	int err = 0;

	if (!u)
		return -ENOMEM;
	u->text = text;
	while (!err && !dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL))
		err = add_unit(u, &die);
	if (!err && !u->cnt)
		err = -ENOENT;
	if (err) {
		vmunits__close(u);
		return err;
	}
	*ret = u;
	return 0;
}

int vmunits__open(const struct vmlinux *v, struct vmunits **ret)
{
	Dwarf *dwarf = dwarf_begin_elf(vmlinux__elf(v), DWARF_C_READ, NULL);
	int err;

	if (!dwarf)
		return -ENOENT;
	err = vmunits__of(dwarf, vmlinux__text(v), ret);
	if (err)
		dwarf_end(dwarf);
	else
		(*ret)->own = dwarf;
	return err;
}

void vmunits__close(struct vmunits *u)
{
	if (!u)
		return;
	dwarf_end(u->own);
	free(u->ranges);
	free(u);
}

const char *vmunits__at(const struct vmunits *u, __u64 offset)
{
	__u64 addr = u->text + offset;
	size_t i;

	/* Ranges that the linker discarded begin at 0: none has our address. */
	for (i = 0; i < u->cnt; i++)
		if (addr >= u->ranges[i].start && addr < u->ranges[i].end)
			return u->ranges[i].unit;
	return NULL;
}

bool path__ends(const char *path, const char *tail)
{
	size_t len = strlen(path), tail_len = strlen(tail);

	if (len < tail_len || strcmp(path + len - tail_len, tail))
		return false;
	return len == tail_len || path[len - tail_len - 1] == '/';
}

bool vmunits__is(const struct vmunits *u, __u64 offset, const char *tail)
{
	const char *path = vmunits__at(u, offset);

	return path && path__ends(path, tail);
}
