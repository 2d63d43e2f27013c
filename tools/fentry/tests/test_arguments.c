// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that instructions which read parameters by name are changed to read the right ones. Each
 * case has instructions as FENTRY_PROG() makes them, as libbpf leaves them, and as they must be in
 * the end. The functions' BTF is made here.
 */
#include "arguments.skel.h"
#include "arguments.h"
#include "test_files.h"

#define INSNS 4

/* The same values as in fentry.bpf.h. */
#define ARG(k) (32512 + 16 * (k))
#define SECOND 8
#define RETURN ARG(12)
#define ASK(k) (0xf000000 + 8 * (k)) /* parameters are made 8 bytes apart */

#define LOAD(offset)        \
	((struct bpf_insn){ \
		.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 3, .src_reg = 1, .off = (offset) })
#define SET(value) \
	((struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = (value) })
#define READ(k)	       LOAD(ARG(k))
#define READ_SECOND(k) LOAD(ARG(k) + SECOND)
#define POISON	       ((struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = 0xbad2310 })

static const char types[] = "1 int int 4 signed\n"
			    "2 int long 8 signed\n"
			    "3 struct pair 16 first:2@0 second:2@64\n";

static int find_type(const struct btf *btf, const char *name)
{
	return strcmp(name, "void") ? btf__find_by_name(btf, name) : 0;
}

/* The types and names of "type name, type name", up to a closing parenthesis; how many. */
static int read_params(const struct btf *btf, const char *text, int *ids, char (*names)[32])
{
	int cnt = 0, len;
	char type[32];

	while (sscanf(text, "%31[^ ] %31[^,)]%n", type, names[cnt], &len) == 2) {
		ids[cnt++] = find_type(btf, type);
		text += len + strspn(text + len, ", ");
	}
	return cnt;
}

/* Makes the BTF that FENTRY_PROG(prog, params), or FEXIT_PROG(), leaves. */
static struct btf *declare(const char *params, bool exit)
{
	struct btf *btf = make_btf(NULL, types);
	char names[13][32];
	int ids[13], cnt = read_params(btf, params, ids, names), i, chars, inner;

	chars = btf__add_int(btf, "char", 1, 0);
	chars = btf__add_array(btf, chars, chars, ASK(0));
	inner = btf__add_struct(btf, NULL, 8 * cnt);
	for (i = 0; i < cnt; i++)
		btf__add_field(btf, names[i], ids[i], 64 * i, 0);
	btf__add_struct(btf, "list_head___fentry_prog", ASK(cnt));
	btf__add_field(btf, exit ? "exit" : "entry", chars, 0, 0);
	btf__add_field(btf, "parameters", inner, ASK(0) * 8U, 0);
	return btf;
}

/* Makes BTF of a kernel with a function "f", given as "type(params)". */
static struct btf *kernel_btf(const char *function, __u32 *id)
{
	struct btf *btf = make_btf(NULL, types);
	int ids[13], i, len = strcspn(function, "("), proto;
	char names[13][32];
	int cnt = read_params(btf, function + len + 1, ids, names);

	proto = btf__add_func_proto(btf, find_type(btf, textf("%.*s", len, function)));
	for (i = 0; i < cnt; i++)
		btf__add_func_param(btf, names[i], ids[i]);
	*id = btf__add_func(btf, "f", BTF_FUNC_STATIC, proto);
	return btf;
}

#define USES(name) "program 'prog' uses '" name "' of mod:f@x.c, but "

/* clang-format off */
static const struct place_case {
	const char *name, *params, *function;
	struct bpf_insn was[INSNS], want[INSNS];
	const char *source, *message;	/* NULL: no error */
	bool exit;			/* the program has a return value */
	bool at_entry;			/* and runs at the entry all the same */
	int fit;
} cases[] = {
	{ "as in the source", "int a, long b, int c",
	  "int(int a, long b, int c)", .fit = 2,
	  .was = { READ(0), READ(1), READ(2) },
	  .want = { LOAD(0), LOAD(8), LOAD(16) } },
	{ "the first one dropped", "int a, long b, int c", "int(long b, int c)", .fit = 2,
	  .was = { READ(1), READ(2) }, .want = { LOAD(0), LOAD(8) } },
	{ "the middle one dropped", "int a, long b, int c", "int(int a, int c)", .fit = 2,
	  .was = { READ(2), READ(0) }, .want = { LOAD(8), LOAD(0) } },
	{ "reordered", "int a, long b, int c", "int(int c, long b, int a)", .fit = 2,
	  .was = { READ(0), READ(2) }, .want = { LOAD(16), LOAD(0) } },
	{ "behind a structure of two slots", "pair p, int n",
	  "int(pair p, int n)", .fit = 2,
	  .was = { READ(0), READ_SECOND(0), READ(1) },
	  .want = { LOAD(0), LOAD(8), LOAD(16) } },
	{ "a structure elsewhere", "int n, pair p", "int(pair p)", .fit = 2,
	  .was = { READ_SECOND(1) }, .want = { LOAD(8) } },
	{ "a part, by its name", "int p__second, int n",
	  "int(int n, int p__second)", .fit = 2,
	  .was = { READ(0) }, .want = { LOAD(8) } },
	{ "the return value", "int a, int b, long ret",
	  "long(int b)", .exit = true, .fit = 2,
	  .was = { LOAD(RETURN), READ(1) }, .want = { LOAD(8), LOAD(0) } },
	{ "the return value behind a structure", "pair p, int ret",
	  "int(pair p)", .exit = true, .fit = 2,
	  .was = { LOAD(RETURN) }, .want = { LOAD(16) } },
	{ "an argument of the return value's name", "int ret, int x",
	  "int(int ret)", .exit = true, .fit = 2,
	  .was = { READ(0), LOAD(RETURN) }, .want = { LOAD(0), LOAD(8) } },
	{ "what the program asks for and is there", "int a, int b",
	  "int(int b)", .fit = 2,
	  .was = { READ(1), SET(ASK(1)) }, .want = { LOAD(0), SET(1) } },
	{ "what the program asks for and isn't", "int a, int b", "int(int b)", .fit = 2,
	  .was = { READ(0), SET(ASK(0)) }, .want = { SET(0), SET(0) } },
	{ "what the program asks for and is something else", "int a, int b",
	  "int(long a, int b)", .fit = 1,
	  .was = { READ(0), SET(ASK(0)), READ(1) },
	  .want = { SET(0), SET(0), LOAD(8) } },
	{ "a return value that the program asks for", "int a, int ret",
	  "void(int a)", .exit = true, .fit = 2,
	  .was = { LOAD(RETURN), SET(ASK(1)) }, .want = { SET(0), SET(0) } },
	{ "unused and of another type", "int a, int b", "int(long a, int b)", .fit = 1,
	  .was = { READ(1) }, .want = { LOAD(8) } },
	{ "of a function that has more", "int b", "int(int a, int b)", .fit = 1,
	  .was = { READ(0) }, .want = { LOAD(8) } },

	{ "gone", "int a, int b", "int(int b)",
	  .source = "int f(int a, int b)", .was = { READ(0) },
	  .message = USES("a") "there is no such argument: 'int f(int a, int b)' in the source is 'int f(int b)' in this kernel" },
	{ "gone, and the source unknown", "int a, int b",
	  "int()", .was = { READ(0) },
	  .message = USES("a") "there is no such argument: it is 'int f(void)' in this kernel" },
	{ "split", "pair p", "int(long p__second, int p__isra0)",
	  .source = "int f(struct pair p)", .was = { READ(0) },
	  .message = USES("p") "there is no such argument, only parts of it (use their names): 'p__second', 'p__isra0': 'int f(struct pair p)' in the source is 'int f(long p__second, int p__isra0)' in this kernel" },
	{ "of another type", "int a", "int(long a)",
	  .was = { READ(0) },
	  .message = USES("a") "the argument is of another type: it is 'int f(long a)' in this kernel" },
	{ "no return value", "int a, int ret", "void(int a)",
	  .source = "int f(int a)", .exit = true,
	  .was = { LOAD(RETURN) },
	  .message = USES("ret") "there is no return value: 'int f(int a)' in the source is 'void f(int a)' in this kernel" },
	{ "a return value of another type", "int ret",
	  "long()", .exit = true, .was = { LOAD(RETURN) },
	  .message = USES("ret") "the return value is of another type: it is 'long f(void)' in this kernel" },
	{ "a return value at entry", "int ret", "int()",
	  .exit = true, .at_entry = true, .was = { LOAD(RETURN) }, .fit = 2,
	  .message = "program 'prog' uses the return value ('ret') of mod:f@x.c, but doesn't run at its exit" },
};
/* clang-format on */

static bool same_insns(const struct bpf_insn *a, const struct bpf_insn *b)
{
	return !memcmp(a, b, INSNS * sizeof(*a));
}

/* Changes instructions as libbpf does. */
static void poison(const struct bpf_insn *was, struct bpf_insn *insns)
{
	int i;

	for (i = 0; i < INSNS; i++)
		insns[i] = was[i].code ? POISON : was[i];
}

static void run(const struct place_case *c)
{
	struct fentry_target target = {
		.name = "f", .module = "mod", .unit = "x.c", .source = c->source
	};
	struct bpf_insn insns[INSNS];
	struct fentry_error error = {};
	struct fentry_arguments a;
	struct btf *btf;
	int err, fit;
	bool ok;

	poison(c->was, insns);
	btf = kernel_btf(c->function, &target.type_id);
	target.btf = btf;
	err = fentry_arguments__init(&a, "prog", c->was, INSNS);
	fentry_arguments__declare(&a, declare(c->params, c->exit));
	err = err ?: fentry_arguments__prepare(&a, insns, &error);
	fit = err ? -1 : fentry_arguments__fit(&a, btf, target.type_id);
	err = err ?: fentry_arguments__place(&a, &target, c->exit && !c->at_entry, insns, &error);
	if (c->message)
		ok = err < 0 && !strcmp(error.msg, c->message);
	else
		ok = !err && same_insns(insns, c->want);
	ok = ok && fit == c->fit;
	if (!ok)
		printf("# %d, fit %d: %s\n", err, fit, error.msg);
	expect(ok, textf("%s: %s", c->message ? "refused" : "placed", c->name));
	fentry_arguments__fini(&a);
	btf__free(btf);
}

/* Prepares a program of one instruction, of which libbpf has made @insns. */
static int prepare_one(struct fentry_arguments *a, struct bpf_insn insn, struct btf *btf,
		       struct bpf_insn *insns, struct fentry_error *error)
{
	struct bpf_insn was[INSNS] = { insn };
	int err = fentry_arguments__init(a, "prog", was, INSNS);

	poison(was, insns);
	fentry_arguments__declare(a, btf);
	return err ?: fentry_arguments__prepare(a, insns, error);
}

/* Objects with instructions that could have another meaning. */
static void run_strange(const char *name, struct bpf_insn was, int struct_size, const char *message)
{
	struct btf *btf = declare("int a, int b", false);
	struct fentry_error error = {};
	struct bpf_insn insns[INSNS];
	struct fentry_arguments a;
	int err;

	btf__add_struct(btf, "big", struct_size);
	err = prepare_one(&a, was, btf, insns, &error);
	report(message ? err && strstr(error.msg, message) : !err,
	       textf("%s: %s", message ? "refused" : "taken", name), error.msg);
	fentry_arguments__fini(&a);
}

/* An invalid instruction stays as it is: the kernel will refuse it. So do all without BTF. */
static void run_left(const char *name, struct bpf_insn insn, struct btf *btf)
{
	struct fentry_target target = { .name = "f" };
	struct bpf_insn insns[INSNS];
	struct fentry_arguments a;
	int err = prepare_one(&a, insn, btf, insns, NULL);

	err = err ?: fentry_arguments__place(&a, &target, false, insns, NULL);
	expect(!err && !a.cnt && insns[0].imm == 0xbad2310, textf("left as it is: %s", name));
	fentry_arguments__fini(&a);
}

/* An instruction that libbpf has relocated doesn't read an argument. */
static void run_relocated(void)
{
	struct bpf_insn was[INSNS] = { READ(0) };
	struct fentry_arguments a;
	int err;

	err = fentry_arguments__init(&a, "prog", was, INSNS);
	fentry_arguments__declare(&a, declare("int a", false));
	err = err ?: fentry_arguments__prepare(&a, was, NULL);
	expect(!err && !a.cnt, "taken: a load at such an offset that is valid");
	fentry_arguments__fini(&a);
}

/* Opens the object with its program's section changed to another one of the same length. */
static struct bpf_object *open_object(const char *section)
{
	static const char from[] = "fentry/f";
	struct bpf_object *obj = NULL;
	const void *elf;
	char *copy, *at;
	size_t size;

	elf = arguments_bpf__elf_bytes(&size);
	copy = malloc(size);
	memcpy(copy, elf, size);
	while (strcmp(section, from) && (at = memmem(copy, size, from, strlen(from))))
		memcpy(at, section, strlen(from));
	obj = bpf_object__open_mem(copy, size, NULL);
	free(copy);
	return obj;
}

/*
 * Many objects, one after another: a program often gets the memory of an earlier one. Only programs
 * of the library's sections may read arguments by name.
 */
static void run_many_objects(void)
{
	static const char *const sections[] = { "fentry/f", "kprobe/f", "fentry/f", "tracep/f" };
	const struct bpf_program *prog, *places[64];
	int i, reused = 0;
	bool ok = true;

	for (i = 0; ok && i < 64; i++) {
		const char *section = sections[i % 4];
		struct bpf_object *obj = open_object(section);
		bool by_name = *section == 'f';
		int before;

		prog = obj ? bpf_object__next_program(obj, NULL) : NULL;
		ok = prog && fentry_prog__reads_by_name(prog) == by_name &&
		     !!fentry_arguments__of(prog) == by_name;
		places[i] = prog;
		for (before = 0; before < i && places[before] != prog; before++)
			;
		reused += before < i;
		bpf_object__close(obj);
	}
	printf("# %d of %d programs have a place that another one had\n", reused, i);
	expect(ok, "many objects in one process");
}

int main(void)
{
	struct bpf_insn word = READ(0);

	fentry_register(NULL);
	libbpf_set_print(NULL);
	for_each_in(c, cases)
		run(c);
	word.code = BPF_LDX | BPF_MEM | BPF_W;
	run_strange("a structure of 32512 bytes", READ(1), 32512, NULL);
	run_strange("a structure of more", READ(1), 32513,
		    "has 'struct big' of 32513 bytes, whose fields can't be told from arguments");
	run_strange("a load of half an argument", word, 8,
		    "the compiler reads parameter 'a' by an instruction (0, code 0x61)");
	run_strange("an undeclared parameter", READ(2), 8,
		    "reads an argument that it doesn't declare: instruction 0");
	run_strange("an undeclared return value", LOAD(RETURN), 8,
		    "reads an argument that it doesn't declare");
	run_left("a relocated value that is no argument's", SET(ASK(2)),
		 declare("int a, int b", false));
	run_left("an argument's address", SET(ARG(1)), declare("int a, int b", false));
	run_left("a program whose BTF isn't loaded", READ(0), NULL);
	run_relocated();
	run_many_objects();
	return failures ? 1 : 0;
}
