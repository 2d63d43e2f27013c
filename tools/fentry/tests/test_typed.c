// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arguments of calls as text, in brief and in full: BTF and calls are made here. Prints
 * "ok <name>" or "not ok <name>" lines, which check.sh numbers.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "test.h"
#include "typed.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ADDR 0xffff888000001000ULL
#define TEXT_MAX 512

enum type {
	INT, UNSIGNED, CHAR_PTR, NAME_PTR, VOID_PTR, INT_PTR, ST_PTR, ALIAS_PTR, FWD_PTR,
	ANON_PTR, FUNC_PTR, MODE, ST, TYPE_CNT
};

/* struct st { int a; int b; } */
static int add_struct(struct btf *btf, const char *name, int member)
{
	int id = btf__add_struct(btf, name, 8);

	btf__add_field(btf, "a", member, 0, 0);
	btf__add_field(btf, "b", member, 32, 0);
	return id;
}

static struct btf *make_btf(int *types)
{
	struct btf *btf = btf__new_empty();
	int chars = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);

	types[INT] = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	types[UNSIGNED] = btf__add_int(btf, "unsigned long", 8, 0);
	types[CHAR_PTR] = btf__add_ptr(btf, btf__add_const(btf, chars));
	types[NAME_PTR] = btf__add_typedef(btf, "name_t", types[CHAR_PTR]);
	types[VOID_PTR] = btf__add_ptr(btf, 0);
	types[INT_PTR] = btf__add_ptr(btf, types[INT]);
	types[ST] = add_struct(btf, "st", types[INT]);
	types[ST_PTR] = btf__add_ptr(btf, btf__add_const(btf, types[ST]));
	types[ALIAS_PTR] = btf__add_ptr(btf, btf__add_typedef(btf, "st_t", types[ST]));
	types[FWD_PTR] = btf__add_ptr(btf, btf__add_fwd(btf, "hidden", BTF_FWD_STRUCT));
	types[ANON_PTR] = btf__add_ptr(btf, add_struct(btf, NULL, types[INT]));
	types[FUNC_PTR] = btf__add_ptr(btf, btf__add_func_proto(btf, 0));
	types[MODE] = btf__add_enum(btf, "mode", 4);
	btf__add_enum_value(btf, "MODE_REL", 1);
	return btf;
}

/* One argument "arg", what it is, and what was copied of what it points to. */
static const struct typed_case {
	enum type type;
	const char *param;
	unsigned long long value;
	const char *copy;
	int copied;			/* bytes, or negative errno */
	const char *brief, *full;
} cases[] = {
	{ INT, "n", -100ULL, NULL, 0, "-100", "-100" },
	{ UNSIGNED, "n", 600000000000, NULL, 0, "600000000000", "600000000000" },
	{ MODE, "m", 1, NULL, 0, "MODE_REL", "MODE_REL" },
	{ MODE, "m", 7, NULL, 0, "7", "7" },
	{ CHAR_PTR, "s", ADDR, "/x\n\"y", 6, "\"/x\\n\\\"y\"",
	  "0xffff888000001000 \"/x\\n\\\"y\"" },
	{ NAME_PTR, "s", ADDR, "a", 2, "\"a\"", "0xffff888000001000 \"a\"" },
	{ CHAR_PTR, "s", ADDR, NULL, -EFAULT, "0xffff888000001000",
	  "0xffff888000001000" },
	{ CHAR_PTR, "s", 0, NULL, -EFAULT, "NULL", "0" },
	{ VOID_PTR, "p", ADDR, NULL, 0, "0xffff888000001000", "0xffff888000001000" },
	{ INT_PTR, "p", ADDR, NULL, 0, "0xffff888000001000", "0xffff888000001000" },
	{ FUNC_PTR, "p", ADDR, NULL, 0, "0xffff888000001000", "0xffff888000001000" },
	{ ST_PTR, "p", ADDR, "\1\0\0\0\2\0\0\0", 8, "0xffff888000001000 (st)",
	  "0xffff888000001000 (struct st){.a = (int)1,.b = (int)2,}" },
	{ ST_PTR, "st", ADDR, "\1\0\0\0\0\0\0\0", 8, "0xffff888000001000",
	  "0xffff888000001000 (struct st){.a = (int)1,}" },
	{ ALIAS_PTR, "p", ADDR, NULL, -EFAULT, "0xffff888000001000 (st)",
	  "0xffff888000001000" },
	{ ST_PTR, "p", 0, NULL, -EFAULT, "NULL", "0" },
	{ FWD_PTR, "p", ADDR, NULL, 0, "0xffff888000001000 (hidden)",
	  "0xffff888000001000" },
	{ ANON_PTR, "p", ADDR, NULL, -EFAULT, "0xffff888000001000",
	  "0xffff888000001000" },
	{ ST, "pair", 0x200000001, NULL, 0, "{1,2,}", "{1,2,}" },
};

/* The one argument of a call, as text. */
static void print(const struct typed_case *c, struct btf *btf, __u32 id, bool brief,
		  char *text)
{
	struct trace_event event = { .args = { c->value }, .arg_cnt = 1 };
	struct trace_plan plan;
	struct typed_call call = {
		.t = typed__new(), .btf = btf, .type_id = id, .plan = &plan,
		.event = &event, .brief = brief,
	};

	typed__plan(btf, id, false, brief, &plan);
	if (plan.captures[0].kind != TRACE_NOTHING) {
		event.captured[0] = c->copied;
		if (c->copy)
			memcpy(event.data[0], c->copy, c->copied);
	}
	*text = '\0';
	if (typed_call__next(&call) && !strcmp(call.value.name, c->param))
		snprintf(text, TEXT_MAX, "%s", call.value.text);
	typed__free(call.t);
}

int main(void)
{
	int types[TYPE_CNT];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct typed_case *c = &cases[i];
		struct btf *btf = make_btf(types);
		char text[TEXT_MAX];
		int id;

		id = btf__add_func_proto(btf, 0);
		btf__add_func_param(btf, c->param, types[c->type]);
		id = btf__add_func(btf, "f", BTF_FUNC_STATIC, id);
		print(c, btf, id, true, text);
		report(!strcmp(text, c->brief), c->brief, text);
		print(c, btf, id, false, text);
		report(!strcmp(text, c->full), c->full, text);
		btf__free(btf);
	}
	return failures != 0;
}
