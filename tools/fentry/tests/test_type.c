// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the types of programs with those of functions. A letter stands for each type:
 *	i int		u unsigned int	l long		t typedef of int
 *	s struct s *	f struct s___x *	d struct s *, declared only
 *	r struct r *	n union s *	c const struct s *	v void *
 *	e enum e	g enum e___x	p int (*)(int)	q int (*)(long)
 *	S struct s	h char, signed	k char, unsigned	y unsigned char
 * Prints "ok <name>" or "not ok <name>" lines, which check.sh numbers.
 */
#include <stdio.h>

#include "internal.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int add_proto(struct btf *btf, int ret, int param)
{
	int id = btf__add_func_proto(btf, ret);

	return btf__add_func_param(btf, "x", param) ? -1 : id;
}

/* Returns the id of the type that a letter stands for. */
static int add_type(struct btf *btf, char letter)
{
	int i = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int l = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);

	switch (letter) {
	case 'i':
		return i;
	case 'u':
		return btf__add_int(btf, "unsigned int", 4, 0);
	case 'l':
		return l;
	case 't':
		return btf__add_typedef(btf, "int_t", i);
	case 's':
		return btf__add_ptr(btf, btf__add_struct(btf, "s", 8));
	case 'f':
		return btf__add_ptr(btf, btf__add_struct(btf, "s___x", 4));
	case 'd':
		return btf__add_ptr(btf, btf__add_fwd(btf, "s", BTF_FWD_STRUCT));
	case 'r':
		return btf__add_ptr(btf, btf__add_struct(btf, "r", 8));
	case 'n':
		return btf__add_ptr(btf, btf__add_union(btf, "s", 8));
	case 'c':
		return btf__add_ptr(btf, btf__add_const(btf,
					btf__add_struct(btf, "s", 8)));
	case 'v':
		return btf__add_ptr(btf, 0);
	case 'e':
		return btf__add_enum(btf, "e", 4);
	case 'g':
		return btf__add_enum(btf, "e___x", 4);
	case 'p':
		return btf__add_ptr(btf, add_proto(btf, i, i));
	case 'q':
		return btf__add_ptr(btf, add_proto(btf, i, l));
	case 'h':
		return btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	case 'k':
		return btf__add_int(btf, "char", 1, 0);
	case 'y':
		return btf__add_int(btf, "unsigned char", 1, 0);
	case 'S':
		return btf__add_struct(btf, "s", 8);
	default:
		return 0;		/* void */
	}
}

static const struct type_case {
	char prog, func;
	bool same;
} cases[] = {
	{ 'i', 'i', true },
	{ 't', 'i', true },
	{ 'i', 'u', false },
	{ 'i', 'l', false },
	{ 'h', 'k', true },
	{ 'h', 'y', false },
	{ 'i', 's', false },
	{ 's', 's', true },
	{ 'f', 's', true },
	{ 'd', 's', true },
	{ 's', 'c', true },
	{ 's', 'r', false },
	{ 's', 'n', false },
	{ 's', 'S', false },
	{ 'S', 'S', true },
	{ 'v', 'v', true },
	{ 'v', 's', false },
	{ 'e', 'e', true },
	{ 'g', 'e', true },
	{ 'e', 'i', false },
	{ 'p', 'p', true },
	{ 'p', 'q', false },
	{ '_', '_', true },
	{ 'i', '_', false },
};

static bool run(const struct type_case *c)
{
	struct btf *prog = btf__new_empty(), *kernel = btf__new_empty();
	int a = add_type(prog, c->prog), b = add_type(kernel, c->func);
	bool ok;

	ok = a >= 0 && b >= 0 &&
	     fentry_type__same(prog, a, kernel, b) == c->same;
	btf__free(prog);
	btf__free(kernel);
	return ok;
}

int main(void)
{
	bool ok, all_ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct type_case *c = &cases[i];

		ok = run(c);
		all_ok &= ok;
		printf("%sok a program's type %c is %sa function's type %c\n",
		       ok ? "" : "not ", c->prog, c->same ? "" : "not ", c->func);
	}
	return all_ok ? 0 : 1;
}
