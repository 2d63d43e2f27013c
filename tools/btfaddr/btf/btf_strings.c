// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding strings of a BTF.
 */
#include "btf/btf_strings.h"

/* Add strings from offset @off to @end. Of equal ones the first is found first. */
static void index_strings(struct btf_strings *strs, u32 off, u32 end)
{
	const char *s;
	size_t len;
	u32 i;

	for (; off < end; off += len + 1) {
		s = btf_image_str(strs->img, off);
		len = strlen(s);
		for (i = hash_bytes(s, len) & strs->mask; strs->slots[i];)
			i = (i + 1) & strs->mask;
		strs->slots[i] = off;
		strs->nr++;
	}
}

static u32 count(const struct buf *strs)
{
	u32 nr = 0;
	size_t i;

	for (i = 0; i < strs->len; i++)
		nr += !strs->data[i];
	return nr;
}

/* Begin anew, with room for more strings than there are. */
static void make_table(struct btf_strings *strs)
{
	const struct btf_image *img = strs->img;
	u32 nr = count(&img->strs) + (img->base ? count(&img->base->strs) : 0), size = 1024;

	while (size < nr + nr / 2)
		size *= 2;
	free(strs->slots);
	strs->slots = xcalloc(size, sizeof(*strs->slots));
	strs->mask = size - 1;
	strs->nr = strs->end = 0;
}

/* Take in what was appended to the image since. */
static void catch_up(struct btf_strings *strs)
{
	u32 end = btf_image_strs_end(strs->img);

	/* each of those that are new may be of a single byte */
	if (!strs->slots || strs->end > end || strs->nr + (end - strs->end) > strs->mask / 4 * 3)
		make_table(strs);
	if (strs->end < strs->img->first_str)
		index_strings(strs, strs->end, strs->img->first_str);
	index_strings(strs, strs->end < strs->img->first_str ? strs->img->first_str : strs->end,
		      end);
	strs->end = end;
}

u32 btf_strings_find(struct btf_strings *strs, const char *s)
{
	u32 i;

	if (!*s)
		return 0;
	catch_up(strs);
	i = hash_str(s) & strs->mask;
	while (strs->slots[i] && strcmp(btf_image_str(strs->img, strs->slots[i]), s))
		i = (i + 1) & strs->mask;
	return strs->slots[i];
}

u32 btf_strings_add(struct btf_strings *strs, const char *s)
{
	u32 off = btf_strings_find(strs, s);

	if (off || !*s)
		return off;
	off = btf_image_strs_end(strs->img);
	buf_add(&strs->img->strs, s, strlen(s) + 1);
	return off;
}

void btf_strings_free(struct btf_strings *strs)
{
	free(strs->slots);
	strs->slots = NULL;
}
