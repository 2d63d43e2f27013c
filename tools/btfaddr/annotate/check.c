// SPDX-License-Identifier: GPL-2.0-only
#include "annotate/check.h"

#define MAX_SHOWN 5

/* What is wrong with the address of a FUNC; NULL if nothing. */
static const char *check_addr(const struct elf_file *file, const char *name, u64 place)
{
	const struct elf_sym *sym = NULL;
	u64 addr;

	if (elf_file_addr(file, place, &addr))
		sym = elf_file_find_sym(file, name, addr);
	if (!sym)
		return "no function symbol of this name is there";
	return sym->resident ? NULL : "this is not in resident text";
}

static void show(const struct elf_file *file, const char *name, u32 id, const char *func, u64 place,
		 const char *what)
{
	char *text = elf_file_place_text(file, place);

	err("%s: type %u, function '%s' at %s%s: %s", name, id, func, file->module ? "" : "_text+",
	    text, what);
	free(text);
}

int check_addrs(const struct btf_image *img, const char *name, const struct elf_file *file)
{
	const char *func, *what;
	u32 id, bad = 0;
	u64 place;

	/* some modules have nothing but data and init functions */
	if (!img->nr_addrs && !elf_file_has_functions(file))
		return 0;
	if (!img->nr_addrs)
		return err("%s: no function in .BTF has an address: run btfaddr on it first", name);
	if (!file->has_text)
		return err("%s: no symbol _text, which addresses count from: give a vmlinux",
			   file->path);
	for (id = img->first_id; id < img->nr_types; id++) {
		place = *btf_image_addr(img, id);
		if (place == NO_ADDR)
			continue;
		func = type_name(img, type_by_id(img, id));
		what = check_addr(file, func, place);
		if (what && bad++ < MAX_SHOWN)
			show(file, name, id, func, place, what);
	}
	if (!bad)
		return 0;
	return err("%s: %u of %u addresses don't fit the symbols of %s: annotate it again", name,
		   bad, img->nr_addrs, file->path);
}
