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

static void print(const struct btf *btf)
{
	struct btf_dump *dump = btf_dump__new(btf, count, NULL, NULL);
	__u32 nr = btf__type_cnt(btf);
	volatile __u32 id;

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
 * between them. The kernel refuses such BTF.
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
