/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function with types in BTF (see fake_types.bpf.c), a call of it, and memory that its arguments
 * point to.
 * The helpers that BPF programs call read from this memory. No other address can be read.
 */
#ifndef FENTRY_FAKE_KERNEL_H
#define FENTRY_FAKE_KERNEL_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "fake_types.h"
#include "fake_types.skel.h"

static struct fake {
	struct node root, leaf;
	struct thing thing;
	int number;
	char text[8];
} fake = {
	.root = { 0x40, { 3, (const unsigned char *)fake.text }, NULL, "root" },
	.leaf = { 0x8001, { 6, NULL }, &fake.root,
		  { 'l', 'e', 'a', 'f', '1', '2', '3', '4' } },
	.thing = {
		.low = 5, .high = -3, .wide = 0x81234, .x = -7, .yes = 1,
		.mode = MODE_REL, .numbers = { 10, 20, 65535 },
		.names = { { 1, NULL }, { 3, (const unsigned char *)fake.text } },
		.nodes = { &fake.leaf, NULL },
	},
	.number = -42,
	.text = "abc",
};

static inline long fake_read(void *to, unsigned int size, const void *from)
{
	size_t at = (const char *)from - (const char *)&fake;

	if (at > sizeof(fake) || size > sizeof(fake) - at) {
		memset(to, 0, size);
		return -EFAULT;
	}
	memcpy(to, from, size);
	return 0;
}

static inline long fake_read_string(void *to, unsigned int size, const void *from)
{
	char *text = to;
	unsigned int i;

	for (i = 0; i < size; i++) {
		if (fake_read(text + i, 1, (const char *)from + i))
			return -EFAULT;
		if (!text[i])
			return i + 1;
	}
	text[size - 1] = '\0';
	return size;
}

/* These are used instead of those in <bpf/bpf_helpers.h>. */
#define __BPF_HELPERS__
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define bpf_probe_read_user	  fake_read
#define bpf_probe_read_kernel	  fake_read
#define bpf_probe_read_user_str	  fake_read_string
#define bpf_probe_read_kernel_str fake_read_string

#include "bpf/shared.h"

static const struct trace_limits limits = {
	TRACE_VALUES, TRACE_VALUES, TRACE_TESTS, TRACE_STEPS, 1, 0
};

#include "bpf/values.bpf.h"

/*
 * Make a function in BTF of fake_types.bpf.c.
 * @name: a structure, whose members are the parameters, and the last one what the function returns
 * @only: NULL, or the one of its members that is the parameter of a function that returns nothing
 * @func: receives the function's id
 */
static inline struct btf *fake_function(const char *name, const char *only, __u32 *func)
{
	size_t size, i, cnt;
	const void *elf = fake_types_bpf__elf_bytes(&size), *data;
	struct bpf_object *obj = bpf_object__open_mem(elf, size, NULL);
	struct btf_member members[16];
	const struct btf_type *t;
	char param[16];
	struct btf *btf;
	__u32 len;
	int proto;

	data = btf__raw_data(bpf_object__btf(obj), &len);
	btf = btf__new(data, len);
	bpf_object__close(obj);
	t = btf__type_by_id(btf, btf__find_by_name_kind(btf, "mode", BTF_KIND_ENUM));
	((struct btf_type *)t)->info |= 1U << 31; /* signed, which clang 14 doesn't say */
	t = btf__type_by_id(btf, btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT));
	cnt = btf_vlen(t) - !only;
	memcpy(members, btf_members(t), btf_vlen(t) * sizeof(*members));
	proto = btf__add_func_proto(btf, only ? 0 : members[cnt].type);
	for (i = 0; i < cnt; i++) {
		strcpy(param, btf__name_by_offset(btf, members[i].name_off));
		if (!only || !strcmp(param, only))
			btf__add_func_param(btf, param, members[i].type);
	}
	*func = btf__add_func(btf, name, BTF_FUNC_STATIC, proto);
	return btf;
}

/* The values that the trampoline would pass on for one call of f(), whose result is -2. */
static inline void fake_call(struct scratch *s)
{
	const unsigned long long args[] = {
		(unsigned long)&fake.leaf,
		5000,
		(unsigned long)&fake.thing,
		MODE_REL,
		(unsigned long)fake.text,
		(2ULL << 32) + (unsigned int)-1,
		(unsigned long)&fake.root,
		(unsigned long)&fake.number,
		0,
		'x' + 0x700,
		0x0102030400000000,
	};

	memset(s, 0, sizeof(*s));
	memcpy(s->args, args, sizeof(args));
	s->args[TRACE_RETURN] = (unsigned int)-2;
}

#endif /* FENTRY_FAKE_KERNEL_H */
