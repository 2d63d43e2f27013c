// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints declarations that kill libbpf's printer, in BTF that it accepts. Each function makes the
 * types of one, and returns the id of the prototype. The last one is fine.
 * Prints "ok <name>" or "not ok <name>" lines, which check.sh numbers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libfentry.h"
#include "test.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A pointer to a pointer, and so on; returns its id. */
static int add_ptrs(struct btf *btf, int id, int cnt)
{
	while (cnt--)
		id = btf__add_ptr(btf, id);
	return id;
}

/* A struct without a name that has one member. */
static int add_struct(struct btf *btf, int type, int size)
{
	int id = btf__add_struct(btf, NULL, size);

	return btf__add_field(btf, "a", type, 0, 0) ? -1 : id;
}

/* int f(<type> x); type 1 is int. */
static int add_proto(struct btf *btf, int type)
{
	int id = btf__add_func_proto(btf, 1);

	return btf__add_func_param(btf, "x", type) ? -1 : id;
}

/* As long as people write them: the struct has no pointer behind it. */
static int many_pointers(struct btf *btf)
{
	return add_proto(btf, add_struct(btf, add_ptrs(btf, 1, 18), 8));
}

/* Use of memory that was freed. */
static int deep(struct btf *btf)
{
	int inner = add_struct(btf, add_ptrs(btf, 1, 18), 8);

	return add_proto(btf, add_ptrs(btf, add_struct(btf, add_ptrs(btf, inner, 1), 8), 3));
}

/* NULL. */
static int no_return_type(struct btf *btf)
{
	return btf__add_func_proto(btf, 99);
}

/* No end. */
static int pointer_to_itself(struct btf *btf)
{
	return add_proto(btf, btf__add_ptr(btf, btf__type_cnt(btf)));
}

static int takes_itself(struct btf *btf)
{
	return add_proto(btf, btf__type_cnt(btf));
}

static int struct_of_itself(struct btf *btf)
{
	return add_proto(btf, add_struct(btf, btf__type_cnt(btf), 8));
}

static int typedef_of_itself(struct btf *btf)
{
	int id = btf__add_typedef(btf, "t", btf__type_cnt(btf));

	return add_proto(btf, add_struct(btf, id, 8));
}

/* Twice as much with each struct. */
static int doubles(struct btf *btf)
{
	int i, id = 1;

	for (i = 0; i < 40; i++) {
		id = add_struct(btf, id, 4);
		btf__add_field(btf, "b", id - 1, 0, 0);
	}
	return add_proto(btf, id);
}

/* Division by 0. */
static int no_alignment(struct btf *btf)
{
	int none = btf__add_int(btf, "none", 1, 0);
	int id = btf__add_struct(btf, NULL, 8);

	((struct btf_type *)btf__type_by_id(btf, none))->size = 0;
	if (btf__add_field(btf, "a", 1, 0, 0) || btf__add_field(btf, "b", none, 64, 0))
		return -1;
	return add_proto(btf, id);
}

/* A line for every 8 bytes, in libbpf after 1.1. */
static int huge(struct btf *btf)
{
	return add_proto(btf, add_struct(btf, 1, 0x7fffffff));
}

/* Where the second member is, libbpf thinks that it is far in front of the end of the first. */
static int member_beyond_struct(struct btf *btf)
{
	int huge = btf__add_int(btf, "huge", 1, 0);
	int id = btf__add_struct(btf, NULL, 4);

	((struct btf_type *)btf__type_by_id(btf, huge))->size = 1953656680;
	if (btf__add_field(btf, "a", huge, 0, 0) || btf__add_field(btf, "b", 1, 0, 0))
		return -1;
	return add_proto(btf, id);
}

static int members_out_of_order(struct btf *btf)
{
	int id = btf__add_struct(btf, NULL, 8);

	if (btf__add_field(btf, "a", 1, 32, 0) || btf__add_field(btf, "b", 1, 0, 0))
		return -1;
	return add_proto(btf, id);
}

static const struct {
	const char *name;
	int (*make)(struct btf *btf);
	const char *text; /* NULL: it is refused */
} cases[] = {
	{ "a struct behind many pointers", deep, NULL },
	{ "a return type that isn't there", no_return_type, NULL },
	{ "a pointer to itself", pointer_to_itself, NULL },
	{ "a function that takes itself", takes_itself, NULL },
	{ "a struct in itself", struct_of_itself, NULL },
	{ "a typedef of itself", typedef_of_itself, NULL },
	{ "structs that double", doubles, NULL },
	{ "a member of no size", no_alignment, NULL },
	{ "a huge struct", huge, NULL },
	{ "a member that is larger than its struct", member_beyond_struct, NULL },
	{ "members out of order", members_out_of_order, NULL },
	{ "many pointers", many_pointers, "int f(struct { int ******************a; } x)" },
};

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct btf *btf = btf__new_empty();
		struct fentry_target target = { .name = "f", .btf = btf };
		struct fentry_error error = {};
		char *text = NULL;
		int err, proto;

		btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
		proto = cases[i].make(btf);
		target.type_id = btf__add_func(btf, "f", BTF_FUNC_STATIC, proto);
		err = fentry_target__prototype(&target, &text, &error);
		report(cases[i].text ? text && !strcmp(text, cases[i].text) :
				       err == -EINVAL && strstr(error.msg, "too deep"),
		       cases[i].name, text ?: error.msg);
		free(text);
		btf__free(btf);
	}
	return failures != 0;
}
