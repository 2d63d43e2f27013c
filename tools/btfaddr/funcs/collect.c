// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a file to its functions: symbols, then what DWARF says of each.
 */
#include "funcs/collect.h"
#include "funcs/scan.h"
#include "funcs/signatures.h"

int funcs_scan(struct funcs *funcs, struct elf_file *file, u32 nr_threads)
{
	memset(funcs, 0, sizeof(*funcs));
	funcs->file = file;
	if (!file->has_text)
		return err("%s: no symbol _text, which addresses count from: give a vmlinux",
			   file->path);
	funcs_add_symbols(funcs, file);
	return scan_dwarf(funcs, file, nr_threads);
}

int funcs_collect(struct funcs *funcs, struct elf_file *file, u32 nr_threads)
{
	if (funcs_scan(funcs, file, nr_threads))
		return -1;
	read_all_signatures(funcs, file);
	return 0;
}
