/* SPDX-License-Identifier: GPL-2.0-only */
/* Sections of ELF files by name. */
#ifndef SELFTESTS_ELF_SECT_H
#define SELFTESTS_ELF_SECT_H

#include <libelf.h>

/** elf_sect__data() - The bytes of a section, which belong to @elf, or NULL. */
Elf_Data *elf_sect__data(Elf *elf, const char *name);

#endif /* SELFTESTS_ELF_SECT_H */
