// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests how functions are grouped into tracing_multi links, and which functions are left out.
 * BTF and addresses are made here.
 */
#include "index.h"
#include "way.h"
#include "test_files.h"

static const char types[] = "1 int int 4 signed\n"
			    "2 int __int128 16 signed\n"
			    "3 struct pair 16\n"
			    "4 struct big 24\n"
			    "5 union either 8\n"
			    "6 float double 8\n"
			    "7 const 3\n"
			    "8 typedef pair_t 7\n";

/* A letter for each, behind that of void. The function's type is "ii" for int f(int). */
static const char letters[] = "vispbuf-t";

/* Functions: the types of what they return and of their parameters, and why they are left out. */
static const struct func {
	const char *name, *types;
	const char *why; /* NULL: not left out */
	bool exit_only;	 /* at entry the function is taken */
} funcs[] = {
	{ "nothing", "v", NULL, false },
	{ "plain", "iii", NULL, false },
	{ "twelve", "iiiiiiiiiiiii", NULL, false },
	{ "thirteen", "iiiiiiiiiiiiii", "has more than 12 arguments", false },
	{ "seven_slots", "ippiii", NULL, false },
	{ "thirteen_slots", "ipiiiiiiiiiii",
	  "has more than 12 arguments, as a structure counts twice", false },
	{ "variadic", "iiv", "has variable arguments", false },
	{ "void_first", "ivi", "has an argument without type", false },
	{ "takes_pair", "ip", NULL, false },
	{ "takes_typedef", "it", NULL, false },
	{ "takes_big", "iib", "has a structure of more than 16 bytes by value", false },
	{ "takes_float", "if", "has an argument without size", false },
	{ "returns_pair", "p", "returns a structure or union by value", false },
	{ "returns_big", "bi", "returns a structure or union by value", false },
	{ "returns_typedef", "t", "returns a structure or union by value", false },
	{ "returns_union", "ui", "returns a structure or union by value", false },
	{ "returns_float", "f", "returns a type without size", false },
	{ "returns_s128", "s", "returns more than 8 bytes, too much for a program at its exit",
	  true },
};

static int type_of(char letter)
{
	return strchr(letters, letter) - letters;
}

static void add_func(struct btf *btf, const struct func *f)
{
	const char *type = f->types;
	int proto = btf__add_func_proto(btf, type_of(*type)), id;

	while (*++type) {
		id = type_of(*type);
		is(0, btf__add_func_param(btf, id ? "a" : NULL, id));
	}
	btf__add_func(btf, f->name, BTF_FUNC_STATIC, proto);
}

static struct btf *add_funcs(void)
{
	struct btf *btf = make_btf(NULL, types);

	for_each_in(f, funcs)
		add_func(btf, f);
	return btf;
}

static struct fentry_target func_of(const struct btf *btf, const char *name)
{
	return (struct fentry_target){
		.type_id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC),
		.btf = btf,
	};
}

static void test_prototypes(void)
{
	struct btf *btf = add_funcs();
	int exit;

	for_each_in(f, funcs)
		for (exit = 0; exit < 2; exit++) {
			const char *why = exit || !f->exit_only ? f->why : NULL;
			const struct fentry_target t = func_of(btf, f->name);

			report_text(fentry_target__unfit(&t, exit), why,
				    textf("%s at %s: %s", f->name, exit ? "exit" : "entry",
					  why ?: "taken"));
		}
	btf__free(btf);
}

/* Where a probe at the entry finds arguments: [size] register or stack, by the psABI. */
static const struct {
	const char *func;
	int nr;
	const char *place;
} places[] = {
	{ "plain", 1, "[4] r4" },	    { "thirteen", 5, "[4] r9" },
	{ "thirteen", 6, "[4] *r7+8" },	    { "thirteen", 12, "[4] *r7+56" },
	{ "seven_slots", 1, "[16] r1:r2" }, { "seven_slots", 4, "[4] *r7+8" },
	{ "takes_big", 0, "[4] r5" },	    { "takes_big", 1, "[24] *r7+8" },
	{ "takes_float", 0, "unknown" },    { "variadic", 0, "[4] r5" },
	{ "variadic", 1, "unknown" },	    { "returns_union", 0, "[4] r5" },
	{ "returns_big", 0, "[4] r4" },
};

static const char *place_text(const struct fentry_location *at, char *buf)
{
	sprintf(buf, "[%u] r%u", at->size, at->reg);
	if (at->place == FENTRY_REGISTERS)
		sprintf(buf + strlen(buf), ":r%u", at->high);
	else if (at->place == FENTRY_MEMORY)
		sprintf(buf, "[%u] *r%u+%lld", at->size, at->reg, (long long)at->offset);
	else if (at->place == FENTRY_UNKNOWN)
		strcpy(buf, "unknown");
	return buf;
}

static void test_places(void)
{
	struct btf *btf = add_funcs();
	struct fentry_location at;
	char text[64];

	for_each_in(p, places) {
		const struct fentry_target t = func_of(btf, p->func);

		fentry_target__at_entry(&t, p->nr, &at);
		report_text(place_text(&at, text), p->place,
			    textf("argument %d of %s at its entry", p->nr, p->func));
	}
	btf__free(btf);
}

/* The functions to plan for. vmlinux and two modules have a BTF each, of make_funcs(). */
static struct fentry_target targets[] = {
	{ .name = "alone", .type_id = 2, .addr = 0x1000 },
	{ .name = "once", .type_id = 4, .addr = 0x2000 },
	{ .name = "again", .type_id = 3, .addr = 0x2000 },
	{ .name = "hidden", .type_id = 5 },
	{ .name = "twin", .type_id = 6, .same_name = 2 },
	{ .name = "in_a", .module = "a", .type_id = 2, .addr = 0x9000 },
	{ .name = "in_b", .module = "b", .type_id = 2, .addr = 0xa000 },
	{ .name = "in_a_too", .module = "a", .type_id = 3, .addr = 0x9010 },
	{ .name = "unique", .type_id = 7, .addr = 0x3000, .same_name = 1 },
};

/* Points at the first functions, checked as for an attachment. */
static struct fentry_multi *plan(struct fentry_multi *m, struct fentry_point *points, size_t cnt)
{
	size_t i;

	*m = (struct fentry_multi){ .points = points, .cnt = cnt };
	for (i = 0; i < cnt; i++)
		points[i] = (struct fentry_point){ .target = &targets[i] };
	return fentry_multi__check(m) ? NULL : m;
}

/* The functions of each link; without an address, a function isn't for one. */
static const char *links_text(const struct fentry_multi *m, char *buf)
{
	size_t i, n = 0, cnt = 0, at[ARRAY_SIZE(targets)], *nrs = at;
	char *end = buf;

	*buf = '\0';
	for (i = 0; i < m->cnt; i++)
		if (!m->points[i].why && m->points[i].target->addr)
			nrs[cnt++] = i;
	for (; cnt; nrs += n, cnt -= n) {
		n = fentry_points__group(m->points, nrs, cnt);
		end += sprintf(end, "%s:", m->points[*nrs].target->module ?: "vmlinux");
		for (i = 0; i < n; i++)
			end += sprintf(end, " %s", m->points[nrs[i]].target->name);
		end += sprintf(end, "; ");
	}
	return buf;
}

static struct btf *make_funcs(void)
{
	return make_btf(NULL, "1 proto 0\n2 func f 1\n3 func f 1\n4 func f 1\n5 func f 1\n"
			      "6 func f 1\n7 func f 1");
}

static void test_groups(void)
{
	static const char expected[] = "vmlinux: alone once unique; a: in_a in_a_too; b: in_b; ";
	struct fentry_point p[ARRAY_SIZE(targets)];
	struct fentry_multi m;
	char text[512];
	size_t i;

	if (!plan(&m, p, ARRAY_SIZE(targets)))
		return report(false, "a plan", "can't be made");
	report_text(links_text(&m, text), expected,
		    "a link for each BTF object, in the order given");
	expect(!p[0].why && !p[1].why && !p[5].why && !p[8].why,
	       "what is in a link isn't left out");
	report_text(p[2].why, "can't attach to again: it is given twice",
		    "of two at one address the second is left out");
	report(!p[3].why, "without address: in no link, but not left out", p[3].why ?: "");
	report(p[4].why && strstr(p[4].why, "2 functions are called twin"), "ambiguous: left out",
	       p[4].why ?: "NULL");
	for (i = 0; i < m.cnt; i++)
		free(p[i].why);
}

/* No function is no failure. If all functions are the same one, it remains once. */
static void test_small(void)
{
	struct fentry_point p[3];
	struct fentry_multi m;

	expect(plan(&m, p, 0), "no function, no link");
	expect(plan(&m, p, 3) && m.left_out == 1, "twice one function: once in a link");
	free(p[2].why);
}

int main(void)
{
	struct btf *btf[] = { make_funcs(), make_funcs(), make_funcs() };

	for_each_in(t, targets)
		t->btf = btf[t->module ? *t->module - 'a' + 1 : 0];
	test_prototypes();
	test_places();
	test_groups();
	test_small();
	for_each_in(b, btf)
		btf__free(*b);
	return failures != 0;
}
