// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of expressions. Conditions are compiled, and the code of the BPF programs tests them
 * on a call and memory that are made here. For wrong expressions, the message is tested.
 */
#include "fake_kernel.h"
#include "test.h"

#include "expr/expr.h"

static const struct condition {
	const char *text;
	bool matches;
} conditions[] = {
	/* numbers have the size of their types; the rest of a slot has other bits */
	{ "len > 4096", true },
	{ "len > 5000", false },
	{ "len >= 5000", true },
	{ "len < 5000", false },
	{ "len <= 5000", true },
	{ "5000 == len", true },
	{ "len != 5000", false },
	{ "ret < 0", true },
	{ "ret == -2", true },
	{ "ret == -ENOENT", true },
	{ "ret == ENOENT", false },
	{ "ret >= 0", false },
	{ "ret > -1", false },
	{ "c == 'x'", true },
	{ "c == '\\n'", false },
	{ "c == 0x78", true },
	{ "0170 == c", true },
	/* no unsigned number is negative */
	{ "len > -1", true },
	{ "len < -1", false },
	{ "ret < len", true },
	{ "len == -1", false },
	{ "node->flags != -32767", true },
	{ "len < 18446744073709551615", true },
	/* enumerators, NULL and the like */
	{ "mode == MODE_REL", true },
	{ "mode == MODE_ABS", false },
	{ "mode != MODE_NEGATIVE", true },
	{ "any == NULL", true },
	{ "node == NULL", false },
	{ "thing->yes == true", true },
	{ "thing->yes == false", false },
	/* members, elements, and the targets of pointers */
	{ "node->flags == 0x8001", true },
	{ "node->name.len == 6", true },
	{ "node->parent->flags == 0x40", true },
	{ "node->parent->name.len == 3", true },
	{ "(*node).flags == 0x8001", true },
	{ "(*(*node).parent).flags == 64", true },
	{ "*number == -42", true },
	{ "number[0] == -42", true },
	{ "thing->numbers[1] == 20", true },
	{ "thing->numbers[2] == 65535", true },
	{ "*thing->numbers == 10", true },
	{ "thing->names[1].len == 3", true },
	{ "thing->nodes[0]->flags == 0x8001", true },
	{ "thing->nodes[0]->parent->flags == 0x40", true },
	{ "thing->x == -7 && thing->y == -7", true },
	{ "node[0].flags == 0x8001", true },
	{ "*node->parent->name.text == 'a'", true },
	{ "node->parent->name.text[2] == 'c'", true },
	/* bit fields */
	{ "thing->low == 5", true },
	{ "thing->high == -3", true },
	{ "thing->wide == 0x81234", true },
	/* a structure in registers */
	{ "pair.first == -1", true },
	{ "pair.second == 2", true },
	{ "pair.node->flags == 0x40", true },
	/* bits */
	{ "node->flags & 1", true },
	{ "node->flags & 2", false },
	{ "(node->flags & 0x8000) == 0x8000", true },
	{ "(1 & node->flags) == 0", false },
	{ "(ret & 0xff) == 254", true },
	{ "(ret & 0x80000000) > 0", true },
	{ "thing->high & 1 & 3", true },
	/* strings */
	{ "text == \"abc\"", true },
	{ "\"abc\" == text", true },
	{ "text == \"abcd\"", false },
	{ "text == \"ab\"", false },
	{ "text != \"\"", true },
	{ "text == \"\" || text == \"abc\"", true },
	{ "node->parent->short_name == \"root\"", true },
	{ "node->short_name == \"leaf1234\"", true },
	{ "node->short_name == \"leaf123\"", false },
	{ "thing->names[1].text == \"abc\"", true },
	/* logic */
	{ "len", true },
	{ "(char)len == -120 && (unsigned char)len == 136", true },
	{ "(len) == 5000", true },
	{ "(void *)len == 5000", true },
	{ "!len", false },
	{ "any", false },
	{ "!any", true },
	{ "!!len", true },
	{ "len == 1 || ret < 0", true },
	{ "len == 1 && ret < 0", false },
	{ "len == 5000 && !(ret < 0)", false },
	{ "!(len == 1 || ret == 0)", true },
	{ "!(len == 5000 && ret == 0)", true },
	{ "!(len < 1) && !(len <= 1) && !(1 >= len) && !(1 > len)", true },
	{ "len == 1 || len == 2 || (ret == -2 && mode == MODE_REL)", true },
	{ "(len == 1 || len == 5000) && (ret == 0 || ret == -2)", true },
	{ "len == 5000 || ret == 0 && ret == 1", true },
	{ "(len == 5000 || ret == 0) && ret == 1", false },
	{ " len>4096&&node->name.len>3 ", true },
	/* a condition on a value that can't be read is false, and so is its opposite */
	{ "node->parent->parent->flags == 0", false },
	{ "node->parent->parent->flags != 0", false },
	{ "!(node->parent->parent->flags == 0)", false },
	{ "node->parent->parent->flags", false },
	{ "!node->parent->parent->flags", false },
	{ "node->parent->parent->flags == 0 || len == 5000", true },
	{ "!(node->parent->parent->flags == 0 && len == 1)", true },
	{ "!(node->parent->parent->flags == 0 && len == 5000)", false },
	{ "node->parent->parent == NULL", true },
	{ "node->name.text == \"abc\"", false },
	{ "node->name.text != \"abc\"", false },
	{ "thing->nodes[1]->flags == 0 || thing->nodes[1]->flags != 0", false },
};

static const struct mistake {
	const char *text;
	int column;
	const char *message; /* its beginning */
} mistakes[] = {
	{ "nod->flags", 1,
	  "f() has no parameter 'nod'; did you mean 'node'? It has: node, len, thing, mode, text, pair, number, any, c, odd, ret" },
	{ "len == MODE_RELL", 8, "f() has no parameter 'MODE_RELL'; it has: " },
	{ "node->flag", 7,
	  "struct node has no member 'flag'; did you mean 'flags'? It has: flags, name, parent, short_name" },
	{ "node->name.length", 12,
	  "struct name has no member 'length'; did you mean 'len'? It has: len, text" },
	{ "odd.none.len", 10, "struct none has no member 'len'; it has no members at all" },
	{ "odd.packed->flags", 11, "this isn't a whole pointer" },
	{ "node.flags", 6, "this is a pointer (struct node *): write '->' instead of '.'" },
	{ "pair->first", 5, "this is no pointer, it is struct pair" },
	{ "len->x", 4, "this is no pointer, it is unsigned long" },
	{ "*len", 1, "this is no pointer, it is unsigned long" },
	{ "len.x", 5, "this has no members, it is unsigned long" },
	{ "*any", 1, "this points to nothing that has a type, it is void *" },
	{ "any->x", 4, "this points to nothing that has a type, it is void *" },
	{ "len[0]", 5, "this is neither array nor pointer, it is unsigned long" },
	{ "thing->numbers[3] == 1", 16, "the array has 3 elements, the last is [2]" },
	{ "thing->numbers[len] == 1", 16, "the index must be a constant that isn't negative" },
	{ "thing->numbers[-1] == 1", 16, "the index must be a constant that isn't negative" },
	{ "number[99999999999] == 1", 8, "that is too far away" },
	{ "thing->numbers[1", 17, "the closing ] is missing" },
	{ "pair == 1", 1, "this is no number, it is struct pair" },
	{ "node->name", 1, "this is no number, it is struct name" },
	{ "node->flags & 1 == 1", 13, "comparisons come before '&' in C: write (a & b) == c" },
	{ "node->flags & len", 13, "'&' needs a value and a constant" },
	{ "(node->flags & 1).x", 2, "'.' needs a parameter or something that one leads to" },
	{ "len == 1 &&", 12, "something is missing at the end" },
	{ "", 1, "something is missing at the end" },
	{ "(len == 1", 1, "the closing ) is missing" },
	{ "len == 1)", 9, "')' is no part of the expression" },
	{ "len = 1", 5, "'= 1' is no part of the expression" },
	{ "len == == 1", 8, "'=' can't stand here" },
	{ "len + 1", 5, "'+ 1' is no part of the expression" },
	{ "len == 1:x", 9, "formats are for what is printed" },
	{ "len == 1x", 8, "this is no number in C" },
	{ "len == 18446744073709551616", 8, "the number is too large" },
	{ "len == \"a\"", 1, "this is no string, neither 'char *' nor an array of char" },
	{ "text < \"a\"", 6, "strings can be compared by == and != only" },
	{ "text == \"a", 9, "the closing \" is missing" },
	{ "c == 'ab'", 6, "'...' is one character; write \"...\" for a string" },
	{ "text == \"0123456789012345678901234567890123456789012345678901234567890123\"", 9,
	  "strings can be compared with 62 characters at most" },
	{ "text == \"a\" || text == \"b\" || text == \"c\" || text == \"d\" || text == \"e\"", 69,
	  "the condition has more than 4 strings" },
	{ "1 == 2", 3, "this compares two constants" },
	{ "1", 1, "a constant alone is no condition" },
	{ "\"a\"", 1, "a constant alone is no condition" },
	{ "(len == 1) == 1", 6, "only values, numbers and strings can be compared" },
	{ "-len == 1", 1, "'-' needs a constant" },
	{ "node->parent->parent->parent->parent->parent->parent->parent->parent->parent->flags", 77,
	  "more than 8 pointers one after another" },
	{ "len||len||len||len||len||len||len||len||len||len||len||len||len||len||len||len||len", 1,
	  "the condition has more than 16 comparisons" },
	{ "(u32)len", 2, "the kernel's BTF has no number or pointer of type 'u32'" },
	{ "(struct nod *)len", 2,
	  "the kernel's BTF has no number or pointer of type 'struct nod *'" },
	{ "(struct node)len", 2,
	  "the kernel's BTF has no number or pointer of type 'struct node'" },
	{ "(int long)ret", 2, "a cast can't make a value larger" },
	{ "(int)pair", 2, "only whole numbers and pointers have another type by a cast" },
	{ "(int)thing->low", 2, "only whole numbers and pointers have another type by a cast" },
	{ "(int)5", 6, "'(type)' needs a parameter or something that one leads to" },
	{ "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((len))))", 65,
	  "the expression is nested too deeply" },
};

static void test_condition(const struct expr_scope *scope, const struct condition *c)
{
	struct expr_error error = {};
	struct trace_plan plan = {};
	static struct scratch s;
	bool compiled = expr__filter(scope, c->text, &plan, &error);

	fake_call(&s);
	report(compiled && passes(&s, &plan) == c->matches, c->text,
	       compiled ? "compiled" : error.msg);
}

static void test_mistake(const struct expr_scope *scope, const struct mistake *m)
{
	struct expr_error error = {};
	struct trace_plan plan = {};
	bool compiled = expr__filter(scope, m->text, &plan, &error);

	report(!compiled && error.column == m->column &&
		       !strncmp(error.msg, m->message, strlen(m->message)),
	       m->text, textf("column %d: %s", error.column, error.msg));
}

int main(void)
{
	struct expr_scope scope = { .exit = true };
	struct btf *btf = fake_function("f", NULL, &scope.func);
	struct expr_error error;
	struct trace_plan plan = {};

	scope.btf = btf;
	for_each_in(c, conditions)
		test_condition(&scope, c);
	for_each_in(m, mistakes)
		test_mistake(&scope, m);
	scope.exit = false;
	report(!expr__filter(&scope, "ret < 0", &plan, &error) &&
		       !strcmp(error.msg, "'ret' is known when calls return only: see --exit"),
	       "ret without --exit", error.msg);
	btf__free(btf);
	return failures != 0;
}
