// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the report on what the compiler did to parameters. It is made from declarations as
 * btfaddr writes them into tags, and from BTF that is made here.
 */
#include "commands/changes.h"
#include "test.h"

#define ARGS_MAX 8
#define TEXT_MAX 512

/*
 * A declaration, the names of the arguments in BTF, and the expected report. The report has the
 * name of each parameter, what became of it, and the arguments (from 1) that may belong to it. Then
 * it has the type that the source returns, and whether that is dropped (BTF returns nothing).
 */
/* clang-format off */
static const struct change_case {
	const char *source;
	const char *args[ARGS_MAX];
	bool returns;
	const char *want;		/* NULL: it can't be read */
} cases[] = {
	{ "int f(int a, long b)", { "a", "b" }, true, "a same 1; b same 2; int" },
	{ "long f(const struct s *gone, int a, long b)", { "a", "b" }, true,
	  "gone gone; a moved 1; b moved 2; long" },
	{ "long f(int a, struct s *gone, long b)", { "a", "b" }, true,
	  "a same 1; gone gone; b moved 2; long" },
	{ "long f(int a, long b)", { "a", "b" }, false,
	  "a same 1; b same 2; long dropped" },
	{ "void f(int a)", {}, false, "a gone; void" },
	{ "struct rq *f(void)", {}, false, "struct rq * dropped" },
	{ "long f(const struct w *wide, int n)",
	  { "wide__first", "wide__fourth", "n" }, true,
	  "wide parts 1 2; n moved 3; long" },
	{ "int f(struct pair pair, int n)", { "pair__second", "n" }, true,
	  "pair parts 1; n same 2; int" },
	{ "int f(struct s *p, int n)", { "p__isra0", "n" }, true,
	  "p parts 1; n same 2; int" },
	/* the argument's parameter isn't known, but must be between known ones */
	{ "int f(struct s *p, struct s *q, int n, struct s *r)",
	  { "__isra0", "n" }, true,
	  "p unknown 1; q unknown 1; n moved 2; r gone; int" },
	{ "int f(int n, struct s *p, struct s *q)", { "n", "__isra0", "__isra1" },
	  true, "n same 1; p unknown 2 3; q unknown 2 3; int" },
	{ "int f(struct s *p, int n, struct s *q)", { "p__a", "n", "__isra1" },
	  true, "p parts 1; n same 2; q unknown 3; int" },
	{ "int f(struct s *p, int n, struct s *q)", { "n", "__isra0" }, true,
	  "p gone; n moved 1; q unknown 2; int" },
	/* a name that begins like another one */
	{ "int f(int a__b, int a)", { "a__b" }, true, "a__b same 1; a gone; int" },
	{ "int f(int a, int a__b, int ab)", { "a__b", "ab" }, true,
	  "a gone; a__b moved 1; ab moved 2; int" },
	{ "int f(int flag, int flags)", { "flags" }, true,
	  "flag gone; flags moved 1; int" },
	/* C syntax: which word is the name, and where a parameter ends */
	{ "int f(int (*func)(struct s *, void *), void *data)", { "data" }, true,
	  "func gone; data moved 1; int" },
	{ "int f(void *(*const *volatile func)(int, int), int n)", { "func" }, true,
	  "func same 1; n gone; int" },
	{ "int f(int (*(*func)(int a))(long b), char (*array)[16])", { "array" },
	  true, "func gone; array moved 1; int" },
	{ "void (*f(int a, int b))(int c)", { "b" }, false,
	  "a gone; b moved 1; void (*)(int c) dropped" },
	{ "int (*f(void))[4]", {}, false, "int (*)[4] dropped" },
	{ "int f(struct { int a; int b; } pair, enum { X, Y } e)", { "e" }, true,
	  "pair gone; e moved 1; int" },
	{ "int f(const char *fmt, ...)", { "fmt", "..." }, true,
	  "fmt same 1; ... same 2; int" },
	{ "int f(int level, const char *fmt, ...)", { "fmt", "..." }, true,
	  "level gone; fmt moved 1; ... moved 2; int" },
	{ "int f(int, struct s *, int n)", { "n" }, true,
	  " gone;  gone; n moved 1; int" },
	{ "unsigned long f(unsigned long long a)", {}, true,
	  "a gone; unsigned long" },
	{ "int", {}, true, NULL },
	{ "int f(int a", { "a" }, true, NULL },
	{ "", {}, true, NULL },
};
/* clang-format on */

static const char *const fates[] = {
	[FATE_SAME] = "same", [FATE_MOVED] = "moved",	  [FATE_PARTS] = "parts",
	[FATE_GONE] = "gone", [FATE_UNKNOWN] = "unknown",
};

static struct btf *make_btf(const struct change_case *c, __u32 *id)
{
	struct btf *btf = btf__new_empty();
	int i, type, proto;

	type = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	proto = btf__add_func_proto(btf, c->returns ? type : 0);
	for (i = 0; i < ARGS_MAX && c->args[i]; i++) {
		bool variadic = !strcmp(c->args[i], "...");

		btf__add_func_param(btf, variadic ? NULL : c->args[i], variadic ? 0 : type);
	}
	*id = btf__add_func(btf, "f.isra.0", BTF_FUNC_STATIC, proto);
	return btf;
}

static void say(const struct changes *c, char *text)
{
	int i, j;

	for (i = 0; i < c->param_cnt; i++) {
		text += sprintf(text, "%s %s", c->params[i].name, fates[changes__fate(c, i)]);
		for (j = 0; j < c->arg_cnt; j++)
			if (changes__is_about(c, j, i))
				text += sprintf(text, " %d", j + 1);
		text += sprintf(text, "; ");
	}
	sprintf(text, "%s%s", c->returns, c->return_dropped ? " dropped" : "");
}

int main(void)
{
	for_each_in(c, cases) {
		struct fentry_target t = { .source = c->source };
		struct btf *btf = make_btf(c, &t.type_id);
		char text[TEXT_MAX] = "";
		struct changes *changes;

		t.btf = btf;
		changes = changes__new(&t);
		if (changes)
			say(changes, text);
		report_text(changes ? text : NULL, c->want, *c->source ? c->source : "nothing");
		changes__free(changes);
		btf__free(btf);
	}
	return failures != 0;
}
