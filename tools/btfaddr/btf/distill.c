// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "btf/distill.h"

static char libbpf_says[256];

/* libbpf's error codes don't tell which type is meant. */
static int keep_message(enum libbpf_print_level level, const char *fmt, va_list args)
{
	if (level == LIBBPF_WARN)
		vsnprintf(libbpf_says, sizeof(libbpf_says), fmt, args);
	libbpf_says[strcspn(libbpf_says, "\n")] = 0;
	return 0;
}

static struct btf *to_btf(const struct btf_image *img, enum btf_part part, enum btf_form form,
			  struct btf *base)
{
	struct buf bytes = {};
	struct btf *btf;

	btf_image_write(img, part, form, &bytes);
	btf = btf__new_split(bytes.data, bytes.len, base);
	buf_free(&bytes);
	return btf;
}

static int parse(struct btf_image *img, const char *name, const struct btf *btf, bool split)
{
	const void *data;
	u32 len;

	data = btf__raw_data(btf, &len);
	if (!data)
		return err("out of memory");
	return btf_image_parse(img, name, data, len, split);
}

/* Put @base and what stands on it in the place of @img. */
static int replace(struct btf_image *img, const char *name, const struct btf *base,
		   const struct btf *own)
{
	struct btf_image new = {}, add = {};
	int ret;

	ret = parse(&new, name, base, false) || parse(&add, name, own, true) ? -1 : 0;
	if (ret) {
		btf_image_free(&new);
	} else {
		btf_image_make_base(&new);
		btf_image_append(&new, &add);
		btf_image_free(img);
		*img = new;
	}
	btf_image_free(&add);
	return ret;
}

static int distill_onto(struct btf_image *img, const char *name, struct btf *base,
			struct btf *own)
{
	struct btf *new_base, *new_own;
	int ret;

	if (btf__distill_base(own, &new_base, &new_own))
		return -1;
	ret = replace(img, name, new_base, new_own);
	/* the kernel will do the same; it fails if two types of one name have the same size */
	if (!ret && btf__relocate(new_own, base))
		ret = -1;
	btf__free(new_own);
	btf__free(new_base);
	return ret;
}

int distill(struct btf_image *img, const char *name)
{
	libbpf_print_fn_t print = libbpf_set_print(keep_message);
	struct btf *base, *own = NULL;
	int ret = -1;

	libbpf_says[0] = 0;
	base = to_btf(img, BTF_BASE, BTF_ORDINARY, NULL);
	/* the extended form, as ids of functions change, and their addresses must follow */
	if (base)
		own = to_btf(img, BTF_OWN, BTF_EXTENDED, base);
	if (own)
		ret = distill_onto(img, name, base, own);
	if (ret)
		err("%s: cannot distill its base: %s", name,
		    *libbpf_says ? libbpf_says : strerror(errno));
	libbpf_set_print(print);
	btf__free(own);
	btf__free(base);
	return ret;
}
