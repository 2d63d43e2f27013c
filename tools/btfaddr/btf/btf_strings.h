/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_BTF_STRINGS_H
#define BTFADDR_BTF_STRINGS_H

#include "btf/btf_image.h"

/**
 * struct btf_strings - hash table of the strings of an image
 *
 * It is made when the first string is asked for, as most modules need none.
 *
 * @img: not owned
 * @slots: offset of a string in each, 0 if free
 * @nr: how many have one
 * @end: offset of the first string that isn't in it yet
 */
struct btf_strings {
	struct btf_image *img;
	u32 *slots;
	u32 nr, mask;
	u32 end;
};

/* Offset of the first string that equals @s; 0 if there is none, or if it is empty. */
u32 btf_strings_find(struct btf_strings *strs, const char *s);
/* The same, appended to the image if it isn't there. */
u32 btf_strings_add(struct btf_strings *strs, const char *s);
void btf_strings_free(struct btf_strings *strs);

#endif
