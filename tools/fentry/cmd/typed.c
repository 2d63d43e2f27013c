// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arguments and return values of calls as their types in BTF say: numbers and
 * enumerators as such, pointers as addresses. What "char *" and pointers to
 * structures point to was copied at the call, as the plan said, and is shown
 * behind the address; libbpf prints structures, and leaves out zeroes.
 *
 * In brief a string is shown without its address, and of a structure behind a
 * pointer only the name, unless the parameter is called the same:
 *
 *	filename=0x7ffc1e5f "/proc/version", how=0xffffc9000 (struct open_how){...}
 *	filename="/proc/version", how=0xffffc9000 (open_how)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "typed.h"

#define TEXT_MAX 4096
#define CUT "..."

struct typed {
	/* libbpf's printers, one for each BTF that was met */
	struct dump {
		const struct btf *btf;
		struct btf_dump *dump;
	} *dumps;
	size_t cnt;
	char text[TEXT_MAX];		/* of the value in hand; always ends */
	size_t len;
};

struct typed *typed__new(void)
{
	return calloc(1, sizeof(struct typed));
}

void typed__free(struct typed *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->cnt; i++)
		btf_dump__free(t->dumps[i].dump);
	free(t->dumps);
	free(t);
}

static void append_va(struct typed *t, const char *fmt, va_list args)
{
	int len;

	len = vsnprintf(t->text + t->len, sizeof(t->text) - t->len, fmt, args);
	if (len > 0)
		t->len += len;
	if (t->len >= sizeof(t->text)) {
		t->len = sizeof(t->text) - 1;
		strcpy(t->text + t->len - strlen(CUT), CUT);
	}
}

static void __attribute__((format(printf, 2, 3)))
append(struct typed *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	append_va(t, fmt, args);
	va_end(args);
}

static void dump_printf(void *ctx, const char *fmt, va_list args)
{
	append_va(ctx, fmt, args);
}

static struct btf_dump *get_dump(struct typed *t, const struct btf *btf)
{
	struct dump *dumps;
	struct btf_dump *dump;
	size_t i;

	for (i = 0; i < t->cnt; i++)
		if (t->dumps[i].btf == btf)
			return t->dumps[i].dump;
	dumps = reallocarray(t->dumps, t->cnt + 1, sizeof(*dumps));
	if (!dumps)
		return NULL;
	t->dumps = dumps;
	dump = btf_dump__new(btf, dump_printf, t, NULL);
	if (libbpf_get_error(dump))
		return NULL;
	t->dumps[t->cnt++] = (struct dump){ btf, dump };
	return dump;
}

/* A type without typedefs and qualifiers. */
static __u32 skip_names(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)) {
		id = t->type;
		t = btf__type_by_id(btf, id);
	}
	return id;
}

static bool is_char(const struct btf *btf, const struct btf_type *t)
{
	return btf_is_int(t) && t->size == 1 &&
	       !strcmp(btf__name_by_offset(btf, t->name_off), "char");
}

/* What must be copied of the memory that a value points to. */
static enum trace_kind kind_of(const struct btf *btf, __u32 id, __u32 *pointee)
{
	const struct btf_type *t = btf__type_by_id(btf, skip_names(btf, id));

	if (!btf_is_ptr(t))
		return TRACE_NOTHING;
	*pointee = skip_names(btf, t->type);
	t = btf__type_by_id(btf, *pointee);
	if (is_char(btf, t))
		return TRACE_STRING;
	return btf_is_composite(t) && t->size ? TRACE_MEMORY : TRACE_NOTHING;
}

static const struct btf_type *proto_of(const struct btf *btf, __u32 type_id)
{
	return btf__type_by_id(btf, btf__type_by_id(btf, type_id)->type);
}

/* Slots that a parameter takes: a structure by value may take two. */
static unsigned int slots_of(const struct btf *btf, __u32 id)
{
	long long size = btf__resolve_size(btf, id);

	return size > 8 ? (size + 7) / 8 : 1;
}

static void plan_capture(const struct btf *btf, __u32 id, unsigned int slot,
			 bool brief, struct trace_plan *plan, int *cnt)
{
	struct trace_capture *c = &plan->captures[*cnt];
	const struct btf_type *pointee;
	enum trace_kind kind;
	__u32 pointee_id;

	if (*cnt == TRACE_CAPTURES || slot >= TRACE_ARGS)
		return;
	kind = kind_of(btf, id, &pointee_id);
	if (kind == TRACE_NOTHING || (brief && kind == TRACE_MEMORY))
		return;
	pointee = btf__type_by_id(btf, pointee_id);
	c->kind = kind;
	c->arg = slot;
	c->size = kind == TRACE_STRING || pointee->size > TRACE_CAPTURE_SIZE ?
		  TRACE_CAPTURE_SIZE : pointee->size;
	(*cnt)++;
}

void typed__plan(const struct btf *btf, __u32 type_id, bool exit, bool brief,
		 struct trace_plan *plan)
{
	const struct btf_type *proto = proto_of(btf, type_id);
	const struct btf_param *params = btf_params(proto);
	unsigned int slot = 0;
	int i, cnt = 0;

	memset(plan, 0, sizeof(*plan));
	if (exit)
		plan_capture(btf, proto->type, TRACE_RETURN, brief, plan, &cnt);
	for (i = 0; i < btf_vlen(proto) && slot < TRACE_MAX_ARGS; i++) {
		plan_capture(btf, params[i].type, slot, brief, plan, &cnt);
		slot += slots_of(btf, params[i].type);
	}
}

static void append_string(struct typed *t, const char *data, int size)
{
	int i;

	append(t, "\"");
	for (i = 0; i < size && data[i]; i++) {
		unsigned char c = data[i];

		if (c == '"' || c == '\\')
			append(t, "\\%c", c);
		else if (c == '\n')
			append(t, "\\n");
		else if (c < ' ' || c > '~')
			append(t, "\\x%02x", c);
		else
			append(t, "%c", c);
	}
	append(t, "\"%s", size == TRACE_CAPTURE_SIZE ? CUT : "");
}

/* Return whether there was more of the value than @size bytes. */
static bool append_value(struct typed_call *call, __u32 id, const void *data,
			 size_t size, bool plain)
{
	LIBBPF_OPTS(btf_dump_type_data_opts, opts, .compact = true,
		    .skip_names = plain);
	struct btf_dump *dump = get_dump(call->t, call->btf);

	if (!dump) {
		append(call->t, "?");
		return false;
	}
	return btf_dump__dump_type_data(dump, id, data, size, &opts) == -E2BIG;
}

/* What was copied of what an argument points to, or NULL. */
static const char *find_copy(const struct typed_call *call, enum trace_kind kind,
			     unsigned int slot, int *size)
{
	int i;

	for (i = 0; kind != TRACE_NOTHING && i < TRACE_CAPTURES; i++) {
		const struct trace_capture *c = &call->plan->captures[i];

		if (c->kind != kind || c->arg != slot)
			continue;
		*size = call->event->captured[i];
		/* not of NULL, an error code, what is paged out */
		return *size > 0 ? call->event->data[i] : NULL;
	}
	return NULL;
}

static void append_pointer(struct typed_call *call, __u32 id, unsigned int slot)
{
	const char *copy;
	enum trace_kind kind;
	__u32 pointee;
	int size;

	append(call->t, "%#llx", call->event->args[slot]);
	kind = kind_of(call->btf, id, &pointee);
	copy = find_copy(call, kind, slot, &size);
	if (!copy)
		return;
	append(call->t, " ");
	if (kind == TRACE_STRING)
		append_string(call->t, copy, size);
	else if (append_value(call, pointee, copy, size, false))
		append(call->t, CUT);
}

/* Name of the structure behind a pointer; "" if it's none, or has none. */
static const char *pointee_name(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	t = btf__type_by_id(btf, skip_names(btf, t->type));
	return btf_is_composite(t) || btf_is_fwd(t) ?
	       btf__name_by_offset(btf, t->name_off) : "";
}

static void append_brief(struct typed_call *call, const char *param, __u32 id,
			 unsigned int slot)
{
	const char *name = pointee_name(call->btf, id);
	unsigned long long addr = call->event->args[slot];
	const char *copy;
	int size;

	copy = find_copy(call, TRACE_STRING, slot, &size);
	if (copy)
		append_string(call->t, copy, size);
	else if (!addr)
		append(call->t, "NULL");
	else if (!*name || (param && !strcmp(name, param)))
		append(call->t, "%#llx", addr);
	else
		append(call->t, "%#llx (%s)", addr, name);
}

static void set_value(struct typed_call *call, const char *name, __u32 id,
		      unsigned int slot)
{
	const unsigned long long *raw = &call->event->args[slot];
	unsigned int max = slot == TRACE_RETURN ? 1 : TRACE_MAX_ARGS - slot;
	__u32 real = skip_names(call->btf, id);
	struct typed *t = call->t;

	t->len = 0;
	t->text[0] = '\0';
	if (btf_is_ptr(btf__type_by_id(call->btf, real))) {
		if (call->brief)
			append_brief(call, name, real, slot);
		else
			append_pointer(call, real, slot);
	} else if (append_value(call, real, raw, max * sizeof(*raw), true)) {
		append(t, CUT);
	}
	call->value = (struct typed_value){
		.name = name,
		.text = t->text,
		.number = t->len &&
			  t->len == strspn(t->text, "-0123456789"),
	};
}

bool typed_call__next(struct typed_call *call)
{
	const struct btf_type *proto = proto_of(call->btf, call->type_id);
	const struct btf_param *p = btf_params(proto) + call->param;
	const char *name;

	if (call->param >= btf_vlen(proto))
		return false;
	name = btf__name_by_offset(call->btf, p->name_off);
	if (call->slot < call->event->arg_cnt && call->slot < TRACE_MAX_ARGS) {
		set_value(call, name, p->type, call->slot);
		call->slot += slots_of(call->btf, p->type);
	} else {
		call->value = (struct typed_value){ name, CUT, false };
	}
	call->param++;
	return true;
}

bool typed_call__return(struct typed_call *call)
{
	const struct btf_type *proto = proto_of(call->btf, call->type_id);

	if (!proto->type)
		return false;
	set_value(call, NULL, proto->type, TRACE_RETURN);
	return true;
}
