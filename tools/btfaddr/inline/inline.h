/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_INLINE_H
#define BTFADDR_INLINE_H

#include "annotate/annotate.h"

/**
 * inline_write() - split BTF of inline sites and entries, see inline/format.h
 * @img: the base BTF, with addresses if the functions have any; not changed in the end
 * @name: of the input, for messages
 * @funcs: of funcs_collect() or, if the BTF has addresses, of funcs_scan(); some lose their
 *	signature
 * @out: the bytes of the file are appended to it
 *
 * Return: 0, or -1 after an error message.
 */
int inline_write(struct btf_image *img, const char *name, struct funcs *funcs,
		 struct elf_file *file, struct buf *out);

#endif
