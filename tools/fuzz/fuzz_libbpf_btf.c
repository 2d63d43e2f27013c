// SPDX-License-Identifier: GPL-2.0-only
/* BTF through the tree's libbpf: parsed, printed, deduplicated, swapped, distilled. */
#include <setjmp.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "fuzz.h"

static jmp_buf too_much;
static int left;

/*
 * Much text is no fault: it doubles with each nameless struct that has two members of another such
 * struct, and a gap between members takes a line for every 8 bytes.
 */
static void count(void *ctx, const char *fmt, va_list args)
{
	char text[64];

	vsnprintf(text, sizeof(text), fmt, args);
	if (!left--)
		longjmp(too_much, 1);
}

#define DEEPEST 512

/*
 * Does what is printed for a type end? Only the kernel looks for types that lead back to
 * themselves, and btf_dump follows them until there is no memory left. A pointer to a type with a
 * name needs only the name.
 */
static bool ends(const struct btf *btf, __u32 id, int depth)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	__u32 i;

	if (depth > DEEPEST || !left--)
		return false;
	if (btf_is_ptr(t) || btf_is_mod(t) || btf_is_typedef(t) || btf_is_func(t)) {
		const struct btf_type *to = btf__type_by_id(btf, t->type);

		return (btf_is_ptr(t) && btf_is_composite(to) && to->name_off) ||
		       ends(btf, t->type, depth + 1);
	}
	if (btf_is_array(t))
		return ends(btf, btf_array(t)->type, depth + 1);
	for (i = 0; btf_is_composite(t) && i < btf_vlen(t); i++) {
		if (!ends(btf, btf_members(t)[i].type, depth + 1))
			return false;
	}
	for (i = 0; btf_is_func_proto(t) && i < btf_vlen(t); i++) {
		if (!ends(btf, btf_params(t)[i].type, depth + 1))
			return false;
	}
	return !btf_is_func_proto(t) || ends(btf, t->type, depth + 1);
}

static void print(const struct btf *btf)
{
	struct btf_dump *dump;
	__u32 nr = btf__type_cnt(btf);
	volatile __u32 id;

	left = 100000;
	for (id = 1; id < nr; id++) {
		if (!ends(btf, id, 0))
			return;
	}
	dump = btf_dump__new(btf, count, NULL, NULL);
	left = 100000;
	if (!setjmp(too_much)) {
		for (id = 1; dump && id < nr; id++)
			btf_dump__emit_type_decl(dump, id, NULL);
		for (id = 1; dump && id < nr; id++)
			btf_dump__dump_type(dump, id);
	}
	btf_dump__free(dump);
}

static struct btf *copy(const struct btf *btf, struct btf *base)
{
	const void *data;
	__u32 size;

	data = btf__raw_data(btf, &size);
	FUZZ_CHECK(data);
	return btf__new_split(data, size, base);
}

/* libbpf must accept what it writes, with all types. */
static void again(const struct btf *btf, struct btf *base)
{
	struct btf *copied = copy(btf, base);

	FUZZ_CHECK(copied);
	FUZZ_CHECK(btf__type_cnt(copied) == btf__type_cnt(btf));
	btf__free(copied);
}

/* Check what libbpf writes in both byte orders. */
static void write_both(struct btf *btf, struct btf *base)
{
	enum btf_endianness was = btf__endianness(btf);

	again(btf, base);
	btf__set_endianness(btf, !was);
	again(btf, base);
	btf__set_endianness(btf, was);
}

/* As a module's BTF is distilled when it's built, and relocated when it's loaded. */
static void distill(struct btf *split, struct btf *base)
{
	struct btf *new_base, *new_split, *copied_base, *copied;

	if (btf__distill_base(split, &new_base, &new_split))
		return;
	/* a base that refers to types which distilling leaves out is refused here */
	copied_base = copy(new_base, NULL);
	copied = copied_base ? copy(new_split, copied_base) : NULL;
	if (copied && !btf__relocate(copied, base))
		again(copied, base);
	btf__free(copied);
	btf__free(copied_base);
	btf__free(new_split);
	btf__free(new_base);
}

static void use(struct btf *btf, struct btf *base, bool writable)
{
	print(btf);
	if (writable)
		write_both(btf, base);
	if (writable && base)
		distill(btf, base);
	if (btf__dedup(btf, NULL))
		return;
	print(btf);
	if (writable)
		write_both(btf, base);
}

/*
 * libbpf writes the sections one behind the other, so it doesn't write BTF right that has a gap
 * between them.
 */
static bool has_gap(const uint8_t *data, size_t size)
{
	struct btf_header hdr = {};

	memcpy(&hdr, data, size < sizeof(hdr) ? size : sizeof(hdr));
	return hdr.type_off || hdr.str_off != hdr.type_len;
}

void fuzz_one(const uint8_t *data, size_t size)
{
	size_t first = fuzz_btf_size(data, size), second = 0;
	struct btf *base, *split = NULL;
	bool writable;

	writable = !has_gap(data, size) &&
		   (!first || first == size || !has_gap(data + first, size - first));
	if (first)
		second = fuzz_btf_size(data + first, size - first);
	base = btf__new(data, second ? first : size);
	if (base)
		fuzz_taken();
	if (base && second)
		split = btf__new_split(data + first, second, base);
	if (split)
		use(split, base, writable);
	btf__free(split);
	if (base)
		use(base, NULL, writable);
	btf__free(base);
}
