// SPDX-License-Identifier: GPL-2.0
/*
 * A program's parameters against a function's. Each case is a list of types, on
 * both sides, by one letter each:
 *	i int		u unsigned int	l long		t typedef of int
 *	s struct s *	f struct s___x *	d struct s *, declared only
 *	r struct r *	n union s *	c const struct s *	v void *
 *	e enum e	g enum e___x	p int (*)(int)	q int (*)(long)
 *	S struct s	h char, signed	k char, unsigned	y unsigned char
 * Prints "ok <name>" or "not ok <name>" lines, which check.sh numbers.
 */
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int add_proto(struct btf *btf, int ret, int param)
{
	int id = btf__add_func_proto(btf, ret);

	return btf__add_func_param(btf, "x", param) ? -1 : id;
}

/* The id of the type that a letter stands for. */
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

/* A function of these parameters; the first letter is what it returns. */
static int add_func(struct btf *btf, const char *name, const char *types)
{
	int ids[16] = {}, proto, i, cnt = strlen(types);

	for (i = 0; i < cnt; i++)
		ids[i] = add_type(btf, types[i]);
	proto = btf__add_func_proto(btf, ids[0]);
	for (i = 1; i < cnt; i++)
		if (btf__add_func_param(btf, "p", ids[i]))
			return -1;
	return btf__add_func(btf, name, BTF_FUNC_STATIC, proto);
}

static const struct fit_case {
	const char *prog;		/* parameters after the context */
	const char *func;		/* what it returns, and parameters */
	bool takes_return;
	bool fits;
} cases[] = {
	{ "", "_", false, true },
	{ "i", "_i", false, true },
	{ "i", "_ii", false, false },
	{ "ii", "_i", false, false },
	{ "t", "_i", false, true },
	{ "i", "_u", false, false },
	{ "i", "_l", false, false },
	{ "h", "_k", false, true },
	{ "h", "_y", false, false },
	{ "i", "_s", false, false },
	{ "s", "_s", false, true },
	{ "f", "_s", false, true },
	{ "d", "_s", false, true },
	{ "s", "_c", false, true },
	{ "s", "_r", false, false },
	{ "s", "_n", false, false },
	{ "s", "_S", false, false },
	{ "S", "_S", false, true },
	{ "v", "_v", false, true },
	{ "v", "_s", false, false },
	{ "e", "_e", false, true },
	{ "g", "_e", false, true },
	{ "e", "_i", false, false },
	{ "p", "_p", false, true },
	{ "p", "_q", false, false },
	{ "si", "_si", false, true },
	{ "si", "_is", false, false },
	/* a last parameter for the return value, of programs on the exit */
	{ "si", "is", true, true },
	{ "s", "is", true, true },
	{ "sl", "is", true, false },
	{ "si", "is", false, false },
	{ "s", "_s", true, true },
};

static bool run(const struct fit_case *c)
{
	struct btf *prog = btf__new_empty(), *kernel = btf__new_empty();
	const struct btf_type *proto;
	char types[16];
	bool ok = false;
	int func;

	snprintf(types, sizeof(types), "iv%s", c->prog);
	if (add_func(prog, "____p", types) > 0) {
		func = add_func(kernel, "f", c->func);
		proto = fentry_signature__find(prog, "p");
		ok = func > 0 && proto &&
		     fentry_signature__fits(prog, proto, c->takes_return,
					    kernel, func) == c->fits;
	}
	btf__free(prog);
	btf__free(kernel);
	return ok;
}

int main(void)
{
	struct btf *btf = btf__new_empty();
	bool ok, all_ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct fit_case *c = &cases[i];

		ok = run(c);
		all_ok &= ok;
		printf("%sok program (%s)%s %s function (%s) returning %c\n",
		       ok ? "" : "not ", c->prog,
		       c->takes_return ? " on exit" : "",
		       c->fits ? "fits" : "doesn't fit", c->func + 1,
		       c->func[0]);
	}
	add_func(btf, "p", "iv");
	add_func(btf, "____q", "i");
	ok = !fentry_signature__find(btf, "p") && !fentry_signature__find(btf, "q");
	all_ok &= ok;
	printf("%sok a program that doesn't declare its parameters\n",
	       ok ? "" : "not ");
	btf__free(btf);
	return all_ok ? 0 : 1;
}
