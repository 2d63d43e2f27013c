/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function with types in BTF, a call of it, and memory that its arguments point to.
 * The helpers that BPF programs call read from this memory. No other address can be read.
 */
#ifndef FENTRY_FAKE_KERNEL_H
#define FENTRY_FAKE_KERNEL_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

enum mode { MODE_NEGATIVE = -2, MODE_ABS = 0, MODE_REL = 1 };

struct name {
	unsigned int len;
	const unsigned char *text;
};

struct node {
	unsigned int flags;
	struct name name;
	struct node *parent;
	char short_name[8];
};

struct thing {
	unsigned int low : 3;
	int high : 5;
	unsigned int wide : 20;
	union {
		long x;
		int y;
	};
	struct {
		_Bool yes;
		enum mode mode;
		unsigned short numbers[3];
		struct name names[2];
	};
	struct node *nodes[2];
};

struct pair {
	int first, second;
	struct node *node;
};

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

static void need(int id)
{
	if (id < 0)
		abort();
}

static inline int fake_struct(struct btf *btf, const char *name, size_t size)
{
	int id = btf__add_struct(btf, name, size);

	need(id);
	return id;
}

static inline void fake_field(struct btf *btf, const char *name, int type, size_t bit, size_t bits)
{
	need(type);
	need(btf__add_field(btf, name, type, bit, bits));
}

static inline int fake_array(struct btf *btf, int type, int cnt)
{
	return btf__add_array(btf, btf__find_by_name(btf, "int"), type, cnt);
}

static inline void fake_thing(struct btf *btf, int bools, int mode, int node_ptr)
{
	int number = btf__find_by_name(btf, "int");
	int u32 = btf__find_by_name(btf, "unsigned int");
	int numbers = fake_array(btf, btf__add_int(btf, "unsigned short", 2, 0), 3);
	int names = fake_array(btf, btf__find_by_name(btf, "name"), 2);
	int nodes = fake_array(btf, node_ptr, 2);
	int longs = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	int u = btf__add_union(btf, NULL, 8), s;

	fake_field(btf, "x", longs, 0, 0);
	fake_field(btf, "y", number, 0, 0);
	s = fake_struct(btf, NULL, 48);
	fake_field(btf, "yes", bools, 0, 0);
	fake_field(btf, "mode", mode, 32, 0);
	fake_field(btf, "numbers", numbers, 64, 0);
	fake_field(btf, "names", names, 128, 0);
	fake_struct(btf, "thing", sizeof(struct thing));
	fake_field(btf, "low", u32, 0, 3);
	fake_field(btf, "high", number, 3, 5);
	fake_field(btf, "wide", u32, 8, 20);
	fake_field(btf, NULL, u, offsetof(struct thing, x) * 8, 0);
	fake_field(btf, NULL, s, offsetof(struct thing, yes) * 8, 0);
	fake_field(btf, "nodes", nodes, offsetof(struct thing, nodes) * 8, 0);
}

static inline int fake_node(struct btf *btf, int u8)
{
	int u32 = btf__add_int(btf, "unsigned int", 4, 0);
	int text = btf__add_ptr(btf, btf__add_const(btf, u8));
	int chars = fake_array(btf, btf__find_by_name(btf, "char"), 8);
	int name = fake_struct(btf, "name", sizeof(struct name)), node;

	fake_field(btf, "len", u32, 0, 0);
	fake_field(btf, "text", text, 64, 0);
	node = fake_struct(btf, "node", sizeof(struct node));
	fake_field(btf, "flags", u32, 0, 0);
	fake_field(btf, "name", name, 64, 0);
	/* the pointer to it follows */
	fake_field(btf, "parent", btf__type_cnt(btf), 192, 0);
	fake_field(btf, "short_name", chars, 256, 0);
	return btf__add_ptr(btf, node);
}

/* A structure in one register, whose members are in parts of it, or beyond its end. */
static inline int fake_odd(struct btf *btf, int chars, int node_ptr)
{
	int address = fake_array(btf, chars, 4), none = fake_struct(btf, "none", 0), odd;

	odd = fake_struct(btf, "odd", 8);
	fake_field(btf, "none", none, 0, 0);
	fake_field(btf, "address", address, 32, 0);
	fake_field(btf, "packed", node_ptr, 32, 0);
	return odd;
}

/*
 * int f(struct node *node, unsigned long len, struct thing *thing, enum mode mode,
 *	 const char *text, struct pair pair, int *number, void *any, char c, struct odd odd);
 */
static inline struct btf *fake_btf(int *func)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int chars = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	int u8 = btf__add_int(btf, "unsigned char", 1, 0);
	int bools = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	int ulongs = btf__add_int(btf, "unsigned long", 8, 0);
	int text = btf__add_ptr(btf, btf__add_const(btf, chars));
	int any = btf__add_ptr(btf, 0), numbers = btf__add_ptr(btf, number);
	int node = fake_node(btf, u8), mode = btf__add_enum(btf, "mode", 4);
	int thing, pair, odd, proto;

	need(btf__add_enum_value(btf, "MODE_NEGATIVE", MODE_NEGATIVE));
	need(btf__add_enum_value(btf, "MODE_ABS", MODE_ABS));
	need(btf__add_enum_value(btf, "MODE_REL", MODE_REL));
	fake_thing(btf, bools, mode, node);
	thing = btf__add_ptr(btf, btf__add_const(btf, btf__find_by_name(btf, "thing")));
	pair = fake_struct(btf, "pair", sizeof(struct pair));
	fake_field(btf, "first", number, 0, 0);
	fake_field(btf, "second", number, 32, 0);
	fake_field(btf, "node", node, 64, 0);
	odd = fake_odd(btf, chars, node);
	ulongs = btf__add_typedef(btf, "size_t", ulongs);
	proto = btf__add_func_proto(btf, number);
	need(btf__add_func_param(btf, "node", node));
	need(btf__add_func_param(btf, "len", ulongs));
	need(btf__add_func_param(btf, "thing", thing));
	need(btf__add_func_param(btf, "mode", mode));
	need(btf__add_func_param(btf, "text", text));
	need(btf__add_func_param(btf, "pair", pair));
	need(btf__add_func_param(btf, "number", numbers));
	need(btf__add_func_param(btf, "any", any));
	need(btf__add_func_param(btf, "c", chars));
	need(btf__add_func_param(btf, "odd", odd));
	*func = btf__add_func(btf, "f", BTF_FUNC_STATIC, proto);
	need(*func);
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
