// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens BTF that a kernel would refuse, prints declarations that libbpf can't print, and compares
 * the types of programs with those of functions. A letter stands for each type:
 *	i int		u unsigned int	l long		t typedef of int
 *	s struct s *	f struct s___x *	d struct s *, declared only
 *	r struct r *	n union s *	c const struct s *	v void *
 *	e enum e	g enum e___x	p int (*)(int)	q int (*)(long)
 *	S struct s	h char, signed	k char, unsigned	y unsigned char
 */
#include <stdlib.h>

#include "type.h"
#include "test_files.h"

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
	int s = strchr("scS", letter) ? btf__add_struct(btf, "s", 8) : 0;

	return letter == 'i' ? i :
	       letter == 'u' ? btf__add_int(btf, "unsigned int", 4, 0) :
	       letter == 'l' ? l :
	       letter == 't' ? btf__add_typedef(btf, "int_t", i) :
	       letter == 's' ? btf__add_ptr(btf, s) :
	       letter == 'f' ? btf__add_ptr(btf, btf__add_struct(btf, "s___x", 4)) :
	       letter == 'd' ? btf__add_ptr(btf, btf__add_fwd(btf, "s", BTF_FWD_STRUCT)) :
	       letter == 'r' ? btf__add_ptr(btf, btf__add_struct(btf, "r", 8)) :
	       letter == 'n' ? btf__add_ptr(btf, btf__add_union(btf, "s", 8)) :
	       letter == 'c' ? btf__add_ptr(btf, btf__add_const(btf, s)) :
	       letter == 'v' ? btf__add_ptr(btf, 0) :
	       letter == 'e' ? btf__add_enum(btf, "e", 4) :
	       letter == 'g' ? btf__add_enum(btf, "e___x", 4) :
	       letter == 'p' ? btf__add_ptr(btf, add_proto(btf, i, i)) :
	       letter == 'q' ? btf__add_ptr(btf, add_proto(btf, i, l)) :
	       letter == 'h' ? btf__add_int(btf, "char", 1, BTF_INT_SIGNED) :
	       letter == 'k' ? btf__add_int(btf, "char", 1, 0) :
	       letter == 'y' ? btf__add_int(btf, "unsigned char", 1, 0) :
			       s; /* S; 0 is void */
}

static const struct type_case {
	char prog, func;
	bool same;
} cases[] = {
	{ 'i', 'i', true },  { 't', 'i', true },  { 'i', 'u', false }, { 'i', 'l', false },
	{ 'h', 'k', true },  { 'h', 'y', false }, { 'i', 's', false }, { 's', 's', true },
	{ 'f', 's', true },  { 'd', 's', true },  { 's', 'c', true },  { 's', 'r', false },
	{ 's', 'n', false }, { 's', 'S', false }, { 'S', 'S', true },  { 'v', 'v', true },
	{ 'v', 's', false }, { 'e', 'e', true },  { 'g', 'e', true },  { 'e', 'i', false },
	{ 'p', 'p', true },  { 'p', 'q', false }, { '_', '_', true },  { 'i', '_', false },
};

static bool run(const struct type_case *c)
{
	struct btf *prog = btf__new_empty(), *kernel = btf__new_empty();
	int a = add_type(prog, c->prog), b = add_type(kernel, c->func);
	bool ok;

	ok = a >= 0 && b >= 0 && fentry_type__same(prog, a, kernel, b) == c->same;
	btf__free(prog);
	btf__free(kernel);
	return ok;
}

/* These make BTF, and return the id of a type that a function is given by pointer, or -1. */
static int ptr_to_itself(struct btf *btf)
{
	return btf__add_ptr(btf, btf__type_cnt(btf));
}

static int typedef_of_itself(struct btf *btf)
{
	return btf__add_typedef(btf, "t", btf__add_const(btf, btf__type_cnt(btf) + 1));
}

static int struct_in_itself(struct btf *btf)
{
	int id = btf__add_struct(btf, "s", 8);

	return btf__add_field(btf, "a", btf__type_cnt(btf), 0, 0) ? -1 :
	       btf__add_array(btf, id, id, 1) < 0		  ? -1 :
								    id;
}

static int proto_returns_itself(struct btf *btf)
{
	int proto = btf__add_func_proto(btf, btf__type_cnt(btf) + 1);

	return btf__add_ptr(btf, proto);
}

static int many_pointers(struct btf *btf)
{
	int i, id = btf__add_int(btf, "int", 4, 0);

	for (i = 0; i < 100000; i++)
		id = btf__add_ptr(btf, id);
	return id;
}

/* Each union has the one before twice: printing the last one would take forever. */
static int nested_unions(struct btf *btf)
{
	int i, id = btf__add_int(btf, "int", 4, 0);

	for (i = 0; i < 60; i++) {
		int next = btf__add_union(btf, NULL, 4);

		if (btf__add_field(btf, "a", id, 0, 0) || btf__add_field(btf, "b", id, 0, 0))
			return -1;
		id = next;
	}
	return id;
}

static int missing_type(struct btf *btf)
{
	return btf__add_ptr(btf, 1000000);
}

static struct btf_type *last_type(struct btf *btf)
{
	return (struct btf_type *)btf__type_by_id(btf, btf__type_cnt(btf) - 1);
}

static int missing_name(struct btf *btf)
{
	int id = btf__add_int(btf, "int", 4, 0);

	last_type(btf)->name_off = 1000000;
	return id;
}

static int nameless_func(struct btf *btf)
{
	int proto = btf__add_func_proto(btf, 0);

	btf__add_func(btf, "f", BTF_FUNC_STATIC, proto);
	last_type(btf)->name_off = 0;
	return proto;
}

static int func_of_struct(struct btf *btf)
{
	int id = btf__add_struct(btf, "s", 8);

	btf__add_func(btf, "f", BTF_FUNC_STATIC, id);
	return id;
}

/* struct s { struct s *a; void (*b)(struct s); }, which is valid C */
static int struct_behind_pointers(struct btf *btf)
{
	int id = btf__add_struct(btf, "s", 16);

	if (btf__add_field(btf, "a", id + 1, 0, 0) || btf__add_field(btf, "b", id + 3, 64, 0))
		return -1;
	btf__add_ptr(btf, id);
	if (add_proto(btf, 0, id) < 0 || btf__add_ptr(btf, id + 2) != id + 3)
		return -1;
	return id;
}

static const struct damaged {
	const char *name;
	int (*make)(struct btf *btf);
	const char *message; /* NULL: it is fine */
} damaged[] = {
	{ "a structure with pointers to itself", struct_behind_pointers, NULL },
	{ "a pointer to itself", ptr_to_itself, "nested too deep, or in itself" },
	{ "a typedef of itself", typedef_of_itself, "nested too deep, or in itself" },
	{ "a structure in itself", struct_in_itself, "nested too deep, or in itself" },
	{ "a prototype that returns itself", proto_returns_itself,
	  "nested too deep, or in itself" },
	{ "100000 pointers", many_pointers, "nested too deep, or in itself" },
	{ "unions of 2^60 members", nested_unions, "nested too deep, or in itself" },
	{ "an id of no type", missing_type, "a type that isn't there" },
	{ "a name that isn't there", missing_name, "a name that isn't there" },
	{ "a function without name", nameless_func, "a function without a name" },
	{ "a function that is a structure", func_of_struct, "a function without a prototype" },
};

static bool write_damaged(const char *path, const struct damaged *d)
{
	struct btf *btf = btf__new_empty();
	int id = d->make(btf), proto = id < 0 ? -1 : add_proto(btf, 0, btf__add_ptr(btf, id));
	bool ok = proto > 0 && btf__add_func(btf, "g", BTF_FUNC_STATIC, proto) > 0 &&
		  write_btf(path, btf);

	btf__free(btf);
	return ok;
}

/* Newer versions of libbpf find some of this themselves, and say less. */
static bool is_refused(const struct fentry_error *error, const char *message)
{
	return strstr(error->msg, "./vmlinux") &&
	       (strstr(error->msg, message) || !strncmp(error->msg, "can't read", 10));
}

/* All functions of BTF that can be opened must be printable. */
static bool print_all(const struct fentry_index *idx)
{
	const struct fentry_target *t;
	char *prototype;
	size_t i;

	for (i = 0; (t = fentry_index__target(idx, i)); i++) {
		if (fentry_target__prototype(t, &prototype, NULL))
			return false;
		free(prototype);
	}
	return i > 0;
}

static void test_damaged(void)
{
	LIBBPF_OPTS(fentry_index_opts, opts, .btf_dir = ".", .ids_path = "/dev/null");
	struct fentry_error error;
	struct fentry_index *idx;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(damaged); i++) {
		const char *message = damaged[i].message;

		error.msg[0] = '\0';
		err = write_damaged("vmlinux", &damaged[i]) ?
			      fentry_index__open(&opts, &idx, &error) :
			      -EIO;
		report(message ? err == -EINVAL && is_refused(&error, message) :
				 !err && print_all(idx),
		       damaged[i].name, error.msg);
		if (!err)
			fentry_index__free(idx);
	}
}

/* Declarations that kill libbpf's printer, in BTF that it accepts. Each function makes one type. */

/* A pointer to a pointer, and so on; returns its id. */
static int add_ptrs(struct btf *btf, int id, int cnt)
{
	while (cnt--)
		id = btf__add_ptr(btf, id);
	return id;
}

/* A struct without a name that has one member. */
static int add_nameless(struct btf *btf, int type, int size)
{
	int id = btf__add_struct(btf, NULL, size);

	return btf__add_field(btf, "a", type, 0, 0) ? -1 : id;
}

/* As long as people write them: no pointer leads to the struct. */
static int pointers_in_struct(struct btf *btf)
{
	return add_proto(btf, 1, add_nameless(btf, add_ptrs(btf, 1, 18), 8));
}

/* libbpf would use memory that it has freed. */
static int deep(struct btf *btf)
{
	int inner = add_nameless(btf, add_ptrs(btf, 1, 18), 8);

	return add_proto(btf, 1, add_ptrs(btf, add_nameless(btf, add_ptrs(btf, inner, 1), 8), 3));
}

/* libbpf would follow NULL. */
static int no_return_type(struct btf *btf)
{
	return btf__add_func_proto(btf, 99);
}

/* libbpf would never end. */
static int takes_itself(struct btf *btf)
{
	return add_proto(btf, 1, btf__type_cnt(btf));
}

static int struct_of_itself(struct btf *btf)
{
	return add_proto(btf, 1, add_nameless(btf, btf__type_cnt(btf), 8));
}

static int struct_of_typedef(struct btf *btf)
{
	int id = btf__add_typedef(btf, "t", btf__type_cnt(btf));

	return add_proto(btf, 1, add_nameless(btf, id, 8));
}

/* Each struct doubles what libbpf would print. */
static int doubles(struct btf *btf)
{
	int i, id = 1;

	for (i = 0; i < 40; i++) {
		id = add_nameless(btf, id, 4);
		btf__add_field(btf, "b", id - 1, 0, 0);
	}
	return add_proto(btf, 1, id);
}

/* libbpf would divide by 0. */
static int no_alignment(struct btf *btf)
{
	int none = btf__add_int(btf, "none", 1, 0);
	int id = btf__add_struct(btf, NULL, 8);

	((struct btf_type *)btf__type_by_id(btf, none))->size = 0;
	if (btf__add_field(btf, "a", 1, 0, 0) || btf__add_field(btf, "b", none, 64, 0))
		return -1;
	return add_proto(btf, 1, id);
}

/* libbpf after 1.1 would print a line for every 8 bytes. */
static int huge(struct btf *btf)
{
	return add_proto(btf, 1, add_nameless(btf, 1, 0x7fffffff));
}

/* libbpf would take the second member to be far before the end of the first. */
static int member_beyond_struct(struct btf *btf)
{
	int huge = btf__add_int(btf, "huge", 1, 0);
	int id = btf__add_struct(btf, NULL, 4);

	((struct btf_type *)btf__type_by_id(btf, huge))->size = 1953656680;
	if (btf__add_field(btf, "a", huge, 0, 0) || btf__add_field(btf, "b", 1, 0, 0))
		return -1;
	return add_proto(btf, 1, id);
}

static int members_out_of_order(struct btf *btf)
{
	int id = btf__add_struct(btf, NULL, 8);

	if (btf__add_field(btf, "a", 1, 32, 0) || btf__add_field(btf, "b", 1, 0, 0))
		return -1;
	return add_proto(btf, 1, id);
}

static const struct {
	const char *name;
	int (*make)(struct btf *btf);
	const char *text; /* NULL: it is refused */
} declarations[] = {
	{ "a struct behind many pointers", deep, NULL },
	{ "a return type that isn't there", no_return_type, NULL },
	{ "a pointer to itself", ptr_to_itself, NULL },
	{ "a function that takes itself", takes_itself, NULL },
	{ "a struct in itself", struct_of_itself, NULL },
	{ "a typedef of itself", struct_of_typedef, NULL },
	{ "structs that double", doubles, NULL },
	{ "a member of no size", no_alignment, NULL },
	{ "a huge struct", huge, NULL },
	{ "a member that is larger than its struct", member_beyond_struct, NULL },
	{ "members out of order", members_out_of_order, NULL },
	{ "many pointers", pointers_in_struct, "int f(struct { int ******************a; } x)" },
};

static void test_declaration(size_t nr)
{
	struct btf *btf = btf__new_empty();
	struct fentry_target target = { .name = "f", .btf = btf };
	const char *expected = declarations[nr].text;
	struct fentry_error error = {};
	char *text = NULL;
	int err, id;

	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	id = declarations[nr].make(btf);
	if (!btf_is_func_proto(btf__type_by_id(btf, id)))
		id = add_proto(btf, 1, id);
	target.type_id = btf__add_func(btf, "f", BTF_FUNC_STATIC, id);
	err = fentry_target__prototype(&target, &text, &error);
	report(expected ? text && !strcmp(text, expected) :
			  err == -EINVAL && strstr(error.msg, "too deep"),
	       declarations[nr].name, text ?: error.msg);
	free(text);
	btf__free(btf);
}

int main(void)
{
	char name[128];
	size_t i;

	libbpf_set_print(NULL);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct type_case *c = &cases[i];

		snprintf(name, sizeof(name), "a program's type %c is %sa function's type %c",
			 c->prog, c->same ? "" : "not ", c->func);
		report(run(c), name, "");
	}
	for (i = 0; i < ARRAY_SIZE(declarations); i++)
		test_declaration(i);
	if (!enter_folder())
		return 1;
	test_damaged();
	return failures ? 1 : 0;
}
