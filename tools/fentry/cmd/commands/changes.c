// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the compiler made of a function's parameters. BTF has what the function is
 * given, and its declaration in the source as btfaddr wrote it into a tag:
 *
 *	source		long f(struct pair pair, int unused, long n)
 *	BTF		long f.isra.0(long pair__second, long n)
 *
 * Names say what is what: btfaddr calls a part of a parameter <parameter>__<member>,
 * or <parameter>__isra<N> if it doesn't know which member that is, or __isra<N> if it
 * doesn't know the parameter either. The order is that of the source.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/changes.h"
#include "array.h"
#include "type.h"

#define RAW_PART FENTRY_PARTS "isra"
#define VARIADIC "..."

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t word_len(const char *text)
{
	size_t len = 0;

	while (is_word(text[len]))
		len++;
	return len;
}

/* Find the declared name: the first one with a parenthesis right behind it. */
static const char *find_name(const char *declaration)
{
	const char *at;
	size_t len;

	for (at = declaration; *at; at += len ?: 1) {
		len = word_len(at);
		if (len && at[len] == '(')
			return at;
	}
	return NULL;
}

/* Find the end of a bracket's contents, or of @one element of a list in it. */
static const char *find_end(const char *text, bool one)
{
	int depth = 0;

	for (; *text; text++) {
		if (!depth && (*text == ')' || (one && *text == ',')))
			return text;
		depth += strchr("({[", *text) != NULL;
		depth -= strchr(")}]", *text) != NULL;
	}
	return text;
}

static bool is_qualifier(const char *word, size_t len)
{
	static const char *const qualifiers[] = { "const", "volatile", "restrict" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(qualifiers); i++)
		if (len == strlen(qualifiers[i]) && !strncmp(word, qualifiers[i], len))
			return true;
	return false;
}

/* The name in "int (*name)(void)", "(*const name)[4]"; NULL if it's none of these. */
static const char *inner_name(const char *text)
{
	const char *at = text;
	size_t len;

	while ((at = strstr(at, "(*"))) {
		at += strspn(at, "(* ");
		while ((len = word_len(at)) && is_qualifier(at, len))
			at += len + strspn(at + len, "* ");
		if (len)
			return at;
	}
	return NULL;
}

/* The name of a parameter; "" if it has none. */
static char *param_name(const char *text)
{
	const char *name = inner_name(text), *end = text + strlen(text);

	if (!strcmp(text, VARIADIC))
		return strdup(text);
	if (name)
		return strndup(name, word_len(name));
	for (name = end; name > text && is_word(name[-1]);)
		name--;
	/* a type alone is one word, or ends in a star */
	return strdup(name > text ? name : "");
}

static int add_param(struct changes *c, const char *text, size_t len)
{
	struct source_param *p;

	if (!ARRAY_GROW(c->params, (size_t)c->param_cnt))
		return -1;
	p = &c->params[c->param_cnt++];
	p->text = strndup(text, len);
	p->name = p->text ? param_name(p->text) : NULL;
	return p->name ? 0 : -1;
}

/* The return type: the text before the name, and the text behind the parameters. */
static char *return_type(const char *declaration, const char *name, const char *behind)
{
	size_t len = name - declaration;
	char *type;

	while (len && declaration[len - 1] == ' ')
		len--;
	return asprintf(&type, "%.*s%s", (int)len, declaration, behind) < 0 ? NULL : type;
}

static int read_declaration(struct changes *c, const char *declaration)
{
	const char *name = find_name(declaration), *at, *end;

	if (!name)
		return -1;
	at = name + word_len(name) + 1;
	end = find_end(at, false);
	if (!*end)
		return -1;
	c->returns = return_type(declaration, name, end + 1);
	if (!c->returns)
		return -1;
	if (!strncmp(at, "void)", strlen("void)")))
		return 0;
	while (at < end) {
		const char *comma = find_end(at, true);

		if (add_param(c, at, comma - at))
			return -1;
		at = comma + strspn(comma, ", ");
	}
	return 0;
}

static bool is_raw_part(const char *name)
{
	size_t len = strlen(RAW_PART);

	return !strncmp(name, RAW_PART, len) && isdigit((unsigned char)name[len]);
}

/* Find the parameter that an argument is, or is a part of, by its name. */
static void place_argument(const struct changes *c, struct argument *arg)
{
	size_t len;
	int i;

	arg->of = -1;
	for (i = 0; i < c->param_cnt && !arg->whole; i++) {
		const char *name = c->params[i].name;

		len = strlen(name);
		if (!len || strncmp(arg->name, name, len))
			continue;
		arg->whole = !arg->name[len];
		if (arg->whole || !strncmp(arg->name + len, FENTRY_PARTS, strlen(FENTRY_PARTS)))
			arg->of = i;
	}
}

static int read_arguments(struct changes *c, const struct fentry_target *target)
{
	const struct btf_type *t = fentry_type__proto(target->btf, target->type_id);
	const struct btf_param *params = btf_params(t);
	int i;

	c->return_dropped = !t->type && strcmp(c->returns, "void");
	c->args = calloc(btf_vlen(t) + 1, sizeof(*c->args));
	if (!c->args)
		return -1;
	for (i = 0; i < btf_vlen(t); i++) {
		struct argument *arg = &c->args[c->arg_cnt++];

		arg->name = params[i].type ? btf__name_by_offset(target->btf, params[i].name_off) :
					     VARIADIC;
		place_argument(c, arg);
	}
	return 0;
}

struct changes *changes__new(const struct fentry_target *target)
{
	struct changes *c = calloc(1, sizeof(*c));

	if (c && !read_declaration(c, target->source) && !read_arguments(c, target))
		return c;
	changes__free(c);
	return NULL;
}

void changes__free(struct changes *c)
{
	int i;

	if (!c)
		return;
	for (i = 0; i < c->param_cnt; i++) {
		free(c->params[i].text);
		free(c->params[i].name);
	}
	free(c->params);
	free(c->args);
	free(c->returns);
	free(c);
}

/* Is there an argument that is known to be the parameter, or a part of it? */
static bool is_placed(const struct changes *c, int param)
{
	int i;

	for (i = 0; i < c->arg_cnt; i++)
		if (c->args[i].of == param)
			return true;
	return false;
}

/* May an unknown argument be a part of a parameter? Known arguments beside it set the bounds. */
static bool may_be_part(const struct changes *c, int arg, int param)
{
	int i;

	if (!is_raw_part(c->args[arg].name) || is_placed(c, param))
		return false;
	for (i = arg; i-- && c->args[i].of < 0;)
		;
	if (i >= 0 && c->args[i].of > param)
		return false;
	for (i = arg + 1; i < c->arg_cnt && c->args[i].of < 0; i++)
		;
	return i == c->arg_cnt || c->args[i].of > param;
}

bool changes__is_about(const struct changes *c, int arg, int param)
{
	return c->args[arg].of == param || (c->args[arg].of < 0 && may_be_part(c, arg, param));
}

enum fate changes__fate(const struct changes *c, int param)
{
	int i;

	for (i = 0; i < c->arg_cnt; i++) {
		if (!changes__is_about(c, i, param))
			continue;
		if (c->args[i].of < 0)
			return FATE_UNKNOWN;
		if (!c->args[i].whole)
			return FATE_PARTS;
		return i == param ? FATE_SAME : FATE_MOVED;
	}
	return FATE_GONE;
}
