// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "annotate/check.h"

#define MAX_SHOWN 5

int check_addrs(const struct btf_image *img, const char *name, struct elf_file *file)
{
	size_t off = 0, len;
	struct btf_type t;
	u32 id, bad = 0;
	const char *func;

	if (!img->nr_addrs)
		return err("%s: no function in .BTF has an address: run btfaddr on it first",
			   name);
	if (!file->has_text)
		return err("%s: no symbol _text, which addresses count from: give a vmlinux",
			   file->path);
	for (id = 1; id < img->nr_types; id++, off += len) {
		memcpy(&t, img->types.data + off, sizeof(t));
		len = sizeof(t) + btf_type_extra(&t);
		if (img->addrs[id] == NO_ADDR)
			continue;
		func = btf_image_str(img, t.name_off);
		if (img->addrs[id] <= UINT32_MAX &&
		    elf_file_find_sym(file, func, file->text + img->addrs[id]))
			continue;
		if (bad++ < MAX_SHOWN)
			err("%s: type %u: no function symbol '%s' at _text+%#" PRIx64, name, id,
			    func, img->addrs[id]);
	}
	if (!bad)
		return 0;
	return err("%s: %u of %u addresses don't fit the symbols of %s: annotate it again", name,
		   bad, img->nr_addrs, file->path);
}
