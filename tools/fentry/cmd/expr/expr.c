// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expressions in C over the parameters of a function and what it returns.
 *
 * There are members (. ->), elements ([constant]), what pointers point to (*), casts, bits (&
 * with a constant), comparisons, && || !, parentheses. Precedences are those of C.
 * Constants are numbers, characters, strings, enumerators, errno's names, NULL, true, false.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "expr/node.h"

#define ERRNO_MAX  4095
#define DEPTH_MAX  64
#define EXPR_NODES 96

/* Binary operators. The higher the level, the closer an operator binds. */
static const struct operator
{
	const char *text;
	const char *longer; /* what follows it in longer operators */
	int level;
	enum node_kind kind; /* NODE_PLACE: none, it changes its operand */
	enum trace_op op;
	bool swapped; /* a > b is b < a */
}
operators[] = {
	{ "||", "", 0, NODE_OR, 0, false },	     { "&&", "", 1, NODE_AND, 0, false },
	{ "&", "&", 2, NODE_PLACE, 0, false },	     { "==", "", 3, NODE_TEST, TRACE_EQ, false },
	{ "!=", "", 3, NODE_TEST, TRACE_NE, false }, { "<=", "", 4, NODE_TEST, TRACE_LE, false },
	{ ">=", "", 4, NODE_TEST, TRACE_LE, true },  { "<", "<=", 4, NODE_TEST, TRACE_LT, false },
	{ ">", ">=", 4, NODE_TEST, TRACE_LT, true }, {},
};

#define LEVELS 5

struct parser {
	const struct expr_scope *scope;
	const char *text, *at;
	struct expr_error *error;
	struct node nodes[EXPR_NODES];
	size_t cnt;
	int depth; /* to which operators and parentheses are nested */
};

static struct node *parse_or(struct parser *p);

/* Also says where the error is. */
#define fail(p, where, ...) (expr_error__set((p)->error, __VA_ARGS__), fail_at(p, where))

static struct node *fail_at(struct parser *p, const char *where)
{
	p->error->column = where - p->text + 1;
	return NULL;
}

static struct node *new_node(struct parser *p, enum node_kind kind, const char *at)
{
	struct node *n = &p->nodes[p->cnt];

	if (p->cnt == EXPR_NODES)
		return fail(p, at, "the expression is too long");
	p->cnt++;
	*n = (struct node){ .kind = kind, .at = at };
	return n;
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

/* Take an operator, unless a longer one begins with it: "&" isn't "&&". */
static bool take(struct parser *p, const char *op, const char *longer)
{
	size_t len = strlen(op);

	skip_blanks(p);
	if (strncmp(p->at, op, len) || (p->at[len] && strchr(longer, p->at[len])))
		return false;
	p->at += len;
	return true;
}

static size_t name_length(const char *s)
{
	size_t len = 0;

	if (isdigit((unsigned char)*s))
		return 0;
	while (isalnum((unsigned char)s[len]) || s[len] == '_')
		len++;
	return len;
}

static bool is_word(const char *name, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(name, word, len);
}

static struct node *new_constant(struct parser *p, const char *at, unsigned long long value,
				 bool negative)
{
	struct node *n = new_node(p, NODE_CONSTANT, at);

	if (n) {
		n->constant = value;
		n->negative = negative;
	}
	return n;
}

static bool find_errno(const char *name, size_t len, unsigned long long *ret)
{
	int i;

	for (i = 1; i < ERRNO_MAX; i++) {
		const char *other = strerrorname_np(i);

		if (other && is_word(name, len, other)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

/* Find an enumerator in any enumeration. @is_signed: may the enumeration have negative values? */
static bool find_enumerator(const struct btf *btf, const char *name, size_t len,
			    unsigned long long *ret, bool *is_signed)
{
	__u32 id, cnt = btf__type_cnt(btf);
	int i;

	for (id = 1; id < cnt; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (!btf_is_any_enum(t))
			continue;
		*is_signed = btf_kflag(t);
		for (i = 0; i < btf_vlen(t); i++) {
			const struct btf_enum64 *e64 = btf_enum64(t) + i;
			const struct btf_enum *e = btf_enum(t) + i;

			__u32 name_off = btf_is_enum64(t) ? e64->name_off : e->name_off;

			if (!is_word(name, len, btf__name_by_offset(btf, name_off)))
				continue;
			*ret = btf_is_enum64(t) ? btf_enum64_value(e64) :
			       *is_signed	? (__u64)(__s64)e->val :
						  (__u32)e->val;
			return true;
		}
	}
	return false;
}

static bool find_param(const struct expr_scope *scope, const char *name, size_t len,
		       struct place *ret, struct expr_names *names)
{
	const struct btf *btf = scope->btf;
	const struct btf_type *proto = fentry_type__proto(btf, scope->func);
	const struct btf_param *params = btf_params(proto);
	unsigned int slot = 0;
	int i;

	for (i = 0; i < btf_vlen(proto); i++) {
		const char *other = btf__name_by_offset(btf, params[i].name_off);
		unsigned int slots;

		if (!params[i].type) /* "..." */
			break;
		slots = types__slots(btf, params[i].type);
		if (slot + slots > TRACE_MAX_ARGS)
			break;
		if (is_word(name, len, other)) {
			place__slot(btf, params[i].type, slot, ret);
			return true;
		}
		if (*other)
			expr_names__add(names, other);
		slot += slots;
	}
	if (!scope->exit || !proto->type)
		return false;
	expr_names__add(names, "ret");
	if (!is_word(name, len, "ret"))
		return false;
	place__slot(btf, proto->type, TRACE_RETURN, ret);
	return true;
}

/* Find what a word says of the task or the CPU. A parameter of this name comes first. */
static bool find_word(const struct expr_scope *scope, const char *name, size_t len,
		      struct place *ret)
{
	static const struct {
		const char *word, *type, *way;
		unsigned int kind, slot;
	} words[] = {
		{ "pid", "int", "", BTF_KIND_INT, TRACE_PID },
		{ "tid", "int", "", BTF_KIND_INT, TRACE_TID },
		{ "comm", "task_struct", ".comm", BTF_KIND_STRUCT, TRACE_TASK },
		{ "uid", "task_struct", ".cred->uid.val", BTF_KIND_STRUCT, TRACE_TASK },
		{ "cpu", "unsigned int", "", BTF_KIND_INT, TRACE_CPU },
		{ "cgroup", "u64", "", BTF_KIND_TYPEDEF, TRACE_CGROUP },
	};
	size_t i;
	int id;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!is_word(name, len, words[i].word))
			continue;
		id = btf__find_by_name_kind(scope->btf, words[i].type, words[i].kind);
		if (id < 0)
			return false;
		place__slot(scope->btf, id, words[i].slot, ret);
		ret->in_memory = *words[i].way;
		return expr__walk(scope, words[i].way, ret);
	}
	return false;
}

static struct node *unknown_name(struct parser *p, const char *name, size_t len,
				 const struct expr_names *names)
{
	const struct btf *btf = p->scope->btf;
	const struct btf_type *func = btf__type_by_id(btf, p->scope->func);
	const struct btf_type *proto = fentry_type__proto(btf, p->scope->func);

	if (is_word(name, len, "ret"))
		return fail(p, name, "%s",
			    proto->type ? "'ret' is known when calls return only: see --exit" :
					  "the function returns nothing");
	expr_error__set(p->error, "%s() has no parameter '%.*s'", types__name(btf, func), (int)len,
			name);
	expr_names__hint(names, "parameters", p->error);
	return fail_at(p, name);
}

static struct node *parse_name(struct parser *p)
{
	const char *name = p->at;
	size_t len = name_length(name);
	struct expr_names names = { .wanted = name, .len = len };
	unsigned long long value;
	struct place place;
	struct node *n;
	bool is_signed;

	p->at += len;
	if (find_param(p->scope, name, len, &place, &names) ||
	    find_word(p->scope, name, len, &place)) {
		n = new_node(p, NODE_PLACE, name);
		if (n)
			n->place = place;
		return n;
	}
	if (is_word(name, len, "NULL") || is_word(name, len, "false"))
		return new_constant(p, name, 0, false);
	if (is_word(name, len, "true"))
		return new_constant(p, name, 1, false);
	if (find_enumerator(p->scope->btf, name, len, &value, &is_signed))
		return new_constant(p, name, value, is_signed && (long long)value < 0);
	if (find_errno(name, len, &value))
		return new_constant(p, name, value, false);
	return unknown_name(p, name, len, &names);
}

static struct node *parse_number(struct parser *p)
{
	const char *at = p->at;
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(at, &end, 0);
	if (errno)
		return fail(p, at, "the number is too large");
	while (*end && strchr("uUlL", *end))
		end++;
	if (name_length(end) || isdigit((unsigned char)*end))
		return fail(p, at, "this is no number in C");
	p->at = end;
	return new_constant(p, at, value, false);
}

static char unescape(char c)
{
	static const char from[] = "nt0", to[] = "\n\t\0";
	const char *at = c ? strchr(from, c) : NULL;

	return at ? to[at - from] : c;
}

/* A string, or one character. */
static struct node *parse_quoted(struct parser *p)
{
	const char *at = p->at, quote = *p->at++;
	struct node *n = new_node(p, quote == '"' ? NODE_STRING : NODE_CONSTANT, at);
	size_t len = 0;

	if (!n)
		return NULL;
	for (; *p->at && *p->at != quote; p->at++) {
		bool escaped = *p->at == '\\' && p->at[1];

		p->at += escaped;
		/* what is compared has room for one more, so a longer string differs */
		if (len + 2 == sizeof(n->string))
			return fail(p, at, "strings can be compared with %zu characters at most",
				    sizeof(n->string) - 2);
		n->string[len++] = escaped ? unescape(*p->at) : *p->at;
	}
	if (!*p->at)
		return fail(p, at, "the closing %c is missing", quote);
	p->at++;
	if (quote == '\'') {
		if (len != 1)
			return fail(p, at, "'...' is one character; write \"...\" for a string");
		n->constant = (unsigned char)n->string[0];
	}
	return n;
}

static struct node *parse_primary(struct parser *p)
{
	struct node *n;

	if (take(p, "(", "")) {
		const char *at = p->at - 1;

		n = parse_or(p);
		if (n && !take(p, ")", ""))
			return fail(p, at, "the closing ) is missing");
		return n;
	}
	skip_blanks(p);
	if (name_length(p->at))
		return parse_name(p);
	if (isdigit((unsigned char)*p->at))
		return parse_number(p);
	if (*p->at == '"' || *p->at == '\'')
		return parse_quoted(p);
	if (!*p->at)
		return fail(p, p->at, "something is missing at the end");
	return fail(p, p->at, "'%c' can't stand here", *p->at);
}

static bool need_place(struct parser *p, const struct node *n, const char *op)
{
	if (n->kind == NODE_PLACE && n->place.value.mask == ~0ULL)
		return true;
	fail(p, n->at, "'%s' needs a parameter or something that one leads to", op);
	return false;
}

static struct node *parse_member(struct parser *p, struct node *n, bool arrow)
{
	const char *at;
	size_t len;

	if (!need_place(p, n, arrow ? "->" : "."))
		return NULL;
	if (arrow && !place__deref(&n->place, p->error))
		return fail_at(p, p->at - 2);
	skip_blanks(p);
	at = p->at;
	len = name_length(at);
	if (!len)
		return fail(p, at, "the name of a member is missing");
	p->at += len;
	return place__member(&n->place, at, len, p->error) ? n : fail_at(p, at);
}

static struct node *parse_index(struct parser *p, struct node *n)
{
	const char *at = p->at;
	const struct node *i;

	if (!need_place(p, n, "[]"))
		return NULL;
	i = parse_or(p);
	if (!i)
		return NULL;
	if (i->kind != NODE_CONSTANT || i->negative)
		return fail(p, at, "the index must be a constant that isn't negative");
	if (!take(p, "]", ""))
		return fail(p, p->at, "the closing ] is missing");
	return place__index(&n->place, i->constant, p->error) ? n : fail_at(p, at);
}

static struct node *parse_steps(struct parser *p, struct node *n)
{
	while (n) {
		if (take(p, "->", ""))
			n = parse_member(p, n, true);
		else if (take(p, ".", ""))
			n = parse_member(p, n, false);
		else if (take(p, "[", ""))
			n = parse_index(p, n);
		else
			break;
	}
	return n;
}

static struct node *parse_unary(struct parser *p);

/*
 * Take a cast's type and its parentheses. "(pid)" is a parameter: a type without a star is one only
 * if a value follows.
 */
static bool take_type(struct parser *p, __u32 *ret, const char **name, size_t *len)
{
	const char *start, *end;

	skip_blanks(p);
	if (*p->at != '(')
		return false;
	start = p->at + 1;
	start += strspn(start, " \t");
	end = start + strcspn(start, "()&|=<>!\"'.,-[");
	if (*end != ')' || !name_length(start))
		return false;
	*len = end - start;
	*name = start;
	end++;
	end += strspn(end, " \t");
	if (!memchr(start, '*', *len) && !name_length(end) &&
	    (!*end || !strchr("(*0123456789'", *end)))
		return false;
	*ret = types__find(p->scope->btf, start, *len);
	p->at = end;
	return true;
}

/* A value in memory, or a slot, has its lowest bytes first: a smaller type takes these. */
static struct node *parse_cast(struct parser *p, const char *name, size_t len, __u32 type)
{
	const struct btf *btf = p->scope->btf;
	struct node *n = parse_unary(p);

	if (!n || !need_place(p, n, "(type)"))
		return NULL;
	if (!type)
		return fail(p, name, "the kernel's BTF has no number or pointer of type '%.*s'",
			    (int)len, name);
	if (n->place.bits || !types__is_number(types__real(btf, n->place.type)))
		return fail(p, name, "only whole numbers and pointers have another type by a cast");
	if (btf__resolve_size(btf, type) > btf__resolve_size(btf, n->place.type))
		return fail(p, name, "a cast can't make a value larger");
	n->place.type = type;
	return n;
}

static struct node *parse_prefix(struct parser *p)
{
	const char *at, *name;
	struct node *n, *operand;
	size_t len;
	__u32 type;

	skip_blanks(p);
	at = p->at;
	if (take_type(p, &type, &name, &len))
		return parse_cast(p, name, len, type);
	if (take(p, "!", "=")) {
		operand = parse_unary(p);
		n = operand ? new_node(p, NODE_NOT, at) : NULL;
		if (n)
			n->a = operand;
		return n;
	}
	if (take(p, "*", "")) {
		n = parse_unary(p);
		if (!n || !need_place(p, n, "*"))
			return NULL;
		return place__deref(&n->place, p->error) ? n : fail_at(p, at);
	}
	if (take(p, "-", ">")) {
		n = parse_unary(p);
		if (n && n->kind != NODE_CONSTANT)
			return fail(p, at, "'-' needs a constant");
		if (n) {
			n->constant = -n->constant;
			n->negative = !n->negative && n->constant;
		}
		return n;
	}
	return parse_steps(p, parse_primary(p));
}

static struct node *parse_unary(struct parser *p)
{
	struct node *n;

	if (p->depth == DEPTH_MAX)
		return fail(p, p->at, "the expression is nested too deeply");
	p->depth++;
	n = parse_prefix(p);
	p->depth--;
	return n;
}

/* "&" makes no node: the value keeps the mask. */
static struct node *add_mask(struct parser *p, const char *at, struct node *a, struct node *b)
{
	struct node *value = a->kind == NODE_CONSTANT ? b : a, *mask = value == a ? b : a;
	struct trace_value unused;

	if (a->kind == NODE_TEST || b->kind == NODE_TEST)
		return fail(p, at, "comparisons come before '&' in C: write (a & b) == c");
	if (value->kind != NODE_PLACE || mask->kind != NODE_CONSTANT)
		return fail(p, at, "'&' needs a value and a constant");
	if (!place__number(&value->place, &unused, p->error))
		return fail_at(p, value->at);
	value->place.value.mask &= mask->constant;
	return value;
}

static const struct operator* take_operator(struct parser *p, int level)
{
	const struct operator* o;

	for (o = operators; o->text; o++)
		if (o->level == level && take(p, o->text, o->longer))
			return o;
	return NULL;
}

/* An unknown name that a string is compared with may be meant as a string. */
static void hint_quotes(struct parser *p, const struct node *a)
{
	const char *name = p->text + p->error->column - 1;
	size_t len = name_length(name);
	struct trace_value unused;

	if (len && strstr(p->error->msg, "has no parameter") && a->kind == NODE_PLACE &&
	    place__string(&a->place, false, &unused))
		expr_error__set(p->error, "strings have quotes: \"%.*s\"", (int)len, name);
}

/* Parse operators of this level and of those that bind closer. */
static struct node *parse_binary(struct parser *p, int level)
{
	struct node *a = level == LEVELS ? parse_unary(p) : parse_binary(p, level + 1), *b, *n;
	const struct operator* o;

	while (a && level < LEVELS && (o = take_operator(p, level))) {
		const char *at = p->at - strlen(o->text);

		b = parse_binary(p, level + 1);
		if (b && o->kind == NODE_PLACE) {
			a = add_mask(p, at, a, b);
			continue;
		}
		if (!b && o->kind == NODE_TEST)
			hint_quotes(p, a);
		n = b ? new_node(p, o->kind, o->kind == NODE_TEST ? at : a->at) : NULL;
		if (!n)
			return NULL;
		n->op = o->op;
		n->a = o->swapped ? b : a;
		n->b = o->swapped ? a : b;
		a = n;
	}
	return a;
}

static struct node *parse_or(struct parser *p)
{
	return parse_binary(p, 0);
}

static struct node *parse_all(struct parser *p)
{
	struct node *n = parse_or(p);

	skip_blanks(p);
	return n && *p->at && *p->at != ':' ?
		       fail(p, p->at, "'%s' is no part of the expression", p->at) :
		       n;
}

static struct parser *new_parser(const struct expr_scope *scope, const char *text,
				 struct expr_error *error)
{
	struct parser *p = calloc(1, sizeof(*p));

	*error = (struct expr_error){ .column = 1 };
	if (!p) {
		expr_error__set(error, "out of memory");
		return NULL;
	}
	p->scope = scope;
	p->text = p->at = text;
	p->error = error;
	return p;
}

/* Take "[LENGTH]" behind a format. */
static bool parse_length(struct parser *p, struct expr *ret)
{
	const char *at = p->at;
	struct trace_value unused;
	const struct node *n;

	if (!take(p, "[", ""))
		return true;
	n = parse_or(p);
	if (!n)
		return false;
	if (!take(p, "]", ""))
		return fail(p, p->at, "']' is missing");
	if (n->kind == NODE_CONSTANT && !n->negative && n->constant &&
	    n->constant <= TRACE_BYTES_MAX) {
		ret->max = n->constant;
		return true;
	}
	if (n->kind != NODE_PLACE || !btf_is_int(types__real(p->scope->btf, n->place.type)))
		return fail(p, at, "a length is an integer of the call, or from 1 to %d",
			    TRACE_BYTES_MAX);
	ret->has_len = true;
	ret->len = n->place;
	return place__number(&n->place, &unused, p->error) || fail_at(p, n->at);
}

/* "x" and "s" with a length are of what a pointer points to. */
static bool parse_format(struct parser *p, struct expr *ret)
{
	static const struct {
		const char *suffix;
		enum expr_format format;
	} formats[] = {
		{ "", EXPR_BY_TYPE },  { ":x", EXPR_HEX }, { ":d", EXPR_DECIMAL },
		{ ":s", EXPR_STRING }, { ":ip", EXPR_IP }, { ":port", EXPR_PORT },
		{ ":mac", EXPR_MAC },
	};
	size_t i, len = strcspn(p->at, "[");

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strlen(formats[i].suffix) != len || strncmp(p->at, formats[i].suffix, len))
			continue;
		ret->format = formats[i].format;
		if (!p->at[len])
			return true;
		if (ret->format != EXPR_HEX && ret->format != EXPR_STRING)
			break;
		if (ret->format == EXPR_HEX)
			ret->format = EXPR_BYTES;
		p->at += len;
		return parse_length(p, ret) &&
		       (!*p->at || fail(p, p->at, "'%s' is no part of the expression", p->at));
	}
	return fail(
		p, p->at,
		"the formats are :x, :d, :s, :ip, :port, :mac, :s[LENGTH] and :x[LENGTH], not '%s'",
		p->at);
}

static bool check_format(struct parser *p, const struct node *n, enum expr_format format)
{
	const struct btf *btf = p->scope->btf;
	struct trace_value unused;

	if (format == EXPR_STRING && !place__string(&n->place, true, &unused))
		return fail(p, n->at, "':s' needs a pointer or an array");
	if (format == EXPR_BYTES && !place__buffer(&n->place, &unused))
		return fail(p, n->at, "':x[]' needs a pointer or an array");
	if (format >= EXPR_IP && !place__network(&n->place, format, &unused, p->error))
		return fail_at(p, n->at);
	if ((format == EXPR_HEX || format == EXPR_DECIMAL) &&
	    !place__number(&n->place, &unused, p->error))
		return fail_at(p, n->at);
	if (!types__is_number(types__real(btf, n->place.type)) && !n->place.in_memory &&
	    n->place.bit)
		return fail(p, n->at, "this is a part of a register: print its members");
	return true;
}

bool expr__parse(const struct expr_scope *scope, const char *text, struct expr *ret,
		 struct expr_error *error)
{
	struct parser *p = new_parser(scope, text, error);
	const struct node *n = p ? parse_all(p) : NULL;
	bool ok = n;

	if (n && n->kind != NODE_PLACE)
		ok = fail(p, n->at, "this isn't a value of the call");
	ok = ok && parse_format(p, ret) && check_format(p, n, ret->format);
	if (ok)
		ret->place = n->place;
	free(p);
	return ok;
}

bool expr__walk(const struct expr_scope *scope, const char *text, struct place *place)
{
	struct expr_error error;
	struct parser *p = new_parser(scope, text, &error);
	struct node *n = p ? new_node(p, NODE_PLACE, text) : NULL;

	if (n) {
		n->place = *place;
		n = parse_steps(p, n);
	}
	if (n)
		*place = n->place;
	free(p);
	return n;
}

bool expr__filter(const struct expr_scope *scope, const char *text, struct trace_plan *plan,
		  struct expr_error *error)
{
	struct parser *p = new_parser(scope, text, error);
	const struct node *n = p ? parse_all(p) : NULL, *where = NULL;
	bool ok = n;

	if (n && *p->at)
		ok = fail(p, p->at, "formats are for what is printed");
	if (ok && !node__emit(n, plan, &where, error))
		ok = fail_at(p, where->at);
	free(p);
	return ok;
}
