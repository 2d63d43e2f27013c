/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ANNOTATOR_H
#define BTFADDR_ANNOTATOR_H

#include "annotate/annotate.h"
#include "btf/types.h"

/**
 * struct annotator - state of annotate()
 * @base: the input as libbpf has it
 * @split: what is added
 * @types: index of @base, and of FUNC_PROTOs in @split
 * @offsets: by id, of the types in @img
 * @removed: by id, FUNCs of the input that are none any more
 * @ulong_id: of unsigned long, the type of raw parameters; <0 without
 */
struct annotator {
	struct btf_image *img;
	struct funcs *funcs;
	struct elf_file *file;
	struct stats *stats;
	struct btf *base, *split;
	struct types types;
	u32 *offsets;
	bool *removed;
	int ulong_id;
};

#endif
