// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens BTF that a kernel would refuse, prints declarations that libbpf can't print, and compares
 * the types of programs with those of functions. A letter stands for each type:
 *	i int		u unsigned int	l long		t typedef of int
 *	s struct s *	f struct s___x *	d struct s *, declared only
 *	r struct r *	n union s *	c const struct s *	v void *
 *	e enum e	g enum e___x	p int (*)(int)	q int (*)(long)
 *	S struct s	h char, signed	k char, unsigned	y another byte
 */
#include "type.h"
#include "test_files.h"

static int add_proto(struct btf *btf, int ret, int param)
{
	int id = btf__add_func_proto(btf, ret);

	return btf__add_func_param(btf, "x", param) ? -1 : id;
}

/* The last one of each list. Any other letter stands for void. */
static const char *const letters[128] = {
	['i'] = "1 int int 4 signed",
	['u'] = "1 int uint 4",
	['l'] = "1 int long 8 signed",
	['t'] = "1 int int 4 signed\n2 typedef int_t 1",
	['s'] = "1 struct s 8\n2 ptr 1",
	['f'] = "1 struct s___x 4\n2 ptr 1",
	['d'] = "1 fwd s\n2 ptr 1",
	['r'] = "1 struct r 8\n2 ptr 1",
	['n'] = "1 union s 8\n2 ptr 1",
	['c'] = "1 struct s 8\n2 const 1\n3 ptr 2",
	['v'] = "1 ptr 0",
	['e'] = "1 enum e 4",
	['g'] = "1 enum e___x 4",
	['p'] = "1 int int 4 signed\n2 proto 1 x:1\n3 ptr 2",
	['q'] = "1 int int 4 signed\n2 int long 8 signed\n3 proto 1 x:2\n4 ptr 3",
	['S'] = "1 struct s 8",
	['h'] = "1 int char 1 signed",
	['k'] = "1 int char 1",
	['y'] = "1 int byte 1",
};

static int add_letter(struct btf *btf, char letter)
{
	return letters[(int)letter] ? add_types(btf, letters[(int)letter]) : 0;
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
	int a = add_letter(prog, c->prog), b = add_letter(kernel, c->func);
	bool ok = fentry_type__same(prog, a, kernel, b) == c->same;

	btf__free(prog);
	btf__free(kernel);
	return ok;
}

/* A pointer to a pointer, and so on; returns its id. */
static int add_ptrs(struct btf *btf, int id, int cnt)
{
	while (cnt--)
		id = btf__add_ptr(btf, id);
	return id;
}

/* Types that no list can have. These return the id of the last one. */
static int many_pointers(struct btf *btf)
{
	return add_ptrs(btf, btf__add_int(btf, "int", 4, 0), 100000);
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

#define NESTED "nested too deep, or in itself"

/* A function is given the last type by pointer. */
static const struct damaged {
	const char *name;
	const char *types, *message; /* NULL: made by a function; it is fine */
	int (*make)(struct btf *btf);
} damaged[] = {
	{ "a structure with pointers to itself",
	  "1 struct s 16 a:2@0 b:4@64\n2 ptr 1\n3 proto 0 x:1\n4 ptr 3", NULL, NULL },
	{ "a pointer to itself", "1 ptr 1", NESTED, NULL },
	{ "a typedef of itself", "1 const 2\n2 typedef t 1", NESTED, NULL },
	{ "a structure in itself", "1 array 2 1\n2 struct s 8 a:1@0", NESTED, NULL },
	{ "a prototype that returns itself", "1 proto 2\n2 ptr 1", NESTED, NULL },
	{ "100000 pointers", NULL, NESTED, many_pointers },
	{ "unions of 2^60 members", NULL, NESTED, nested_unions },
	{ "an id of no type", "1 ptr 1000000", "a type that isn't there", NULL },
	{ "a name that isn't there", NULL, "a name that isn't there", missing_name },
	{ "a function without name", NULL, "a function without a name", nameless_func },
	{ "a function that is a structure", "1 struct s 8\n2 func f 1\n3 int int 4",
	  "a function without a prototype", NULL },
};

static bool write_damaged(const char *path, const struct damaged *d)
{
	struct btf *btf = btf__new_empty();
	int id = d->types ? add_types(btf, d->types) : d->make(btf);
	int proto = id < 0 ? -1 : add_proto(btf, 0, btf__add_ptr(btf, id));
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
	int err;

	for_each_in(d, damaged) {
		error.msg[0] = '\0';
		err = write_damaged("vmlinux", d) ? fentry_index__open(&opts, &idx, &error) : -EIO;
		report(d->message ? err == -EINVAL && is_refused(&error, d->message) :
				    !err && print_all(idx),
		       d->name, error.msg);
		if (!err)
			fentry_index__free(idx);
	}
}

/* Declarations that kill libbpf's printer, in BTF that it accepts. Each function makes one type. */

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

static const struct declaration {
	const char *name;
	const char *types; /* behind [1] int; NULL: made by a function */
	int (*make)(struct btf *btf);
	const char *text; /* NULL: it is refused */
} declarations[] = {
	{ "a struct behind many pointers", NULL, deep, NULL },
	/* libbpf would follow NULL */
	{ "a return type that isn't there", "2 proto 99", NULL, NULL },
	/* libbpf would never end */
	{ "a pointer to itself", "2 ptr 2", NULL, NULL },
	{ "a function that takes itself", "2 proto 1 x:2", NULL, NULL },
	{ "a struct in itself", "2 struct - 8 a:2@0", NULL, NULL },
	{ "a typedef of itself", "2 typedef t 2\n3 struct - 8 a:2@0", NULL, NULL },
	{ "structs that double", NULL, doubles, NULL },
	/* libbpf would divide by 0 */
	{ "a member of no size", "2 int none 0\n3 struct - 8 a:1@0 b:2@64", NULL, NULL },
	/* libbpf after 1.1 would print a line for every 8 bytes */
	{ "a huge struct", "2 struct - 2147483647 a:1@0", NULL, NULL },
	/* libbpf would take the second member to be far before the end of the first */
	{ "a member that is larger than its struct",
	  "2 int huge 1953656680\n3 struct - 4 a:2@0 b:1@0", NULL, NULL },
	{ "members out of order", "2 struct - 8 a:1@32 b:1@0", NULL, NULL },
	{ "many pointers", NULL, pointers_in_struct,
	  "int f(struct { int ******************a; } x)" },
};

static void test_declaration(const struct declaration *d)
{
	struct btf *btf = btf__new_empty();
	struct fentry_target target = { .name = "f", .btf = btf };
	struct fentry_error error = {};
	char *text = NULL;
	int err, id;

	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	id = d->types ? add_types(btf, d->types) : d->make(btf);
	if (!btf_is_func_proto(btf__type_by_id(btf, id)))
		id = add_proto(btf, 1, id);
	target.type_id = btf__add_func(btf, "f", BTF_FUNC_STATIC, id);
	err = fentry_target__prototype(&target, &text, &error);
	report(d->text ? text && !strcmp(text, d->text) :
			 err == -EINVAL && strstr(error.msg, "too deep"),
	       d->name, text ?: error.msg);
	free(text);
	btf__free(btf);
}

int main(void)
{
	libbpf_set_print(NULL);
	for_each_in(c, cases)
		expect(run(c), textf("a program's type %c is %sa function's type %c", c->prog,
				     c->same ? "" : "not ", c->func));
	for_each_in(d, declarations)
		test_declaration(d);
	if (!enter_folder())
		return 1;
	test_damaged();
	return failures ? 1 : 0;
}
