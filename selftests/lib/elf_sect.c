// SPDX-License-Identifier: GPL-2.0-only
#include <gelf.h>
#include <string.h>

#include "elf_sect.h"

Elf_Data *elf_sect__data(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) &&
		    !strcmp(elf_strptr(elf, names, shdr.sh_name) ?: "", name))
			return elf_rawdata(scn, NULL);
	return NULL;
}
