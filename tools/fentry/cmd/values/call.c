// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "values/call.h"
#include "array.h"

/* The memory behind more pointers would crowd other calls out of the buffer. */
#define MEMORIES_MAX 6

/*
 * Short forms: a structure behind a pointer is shown as a string in it that identifies it, and in
 * full beside that. It isn't shown if this kernel's structure doesn't have the string.
 */
static const struct {
	const char *name;
	const char *way;
} forms[] = {
	{ "block_device", "->bd_disk->disk_name" },
	{ "bpf_map", "->name" },
	{ "bpf_prog", "->aux->name" },
	{ "cgroup", "->kn->name" },
	{ "dentry", "->d_name.name" },
	{ "file", "->f_path.dentry->d_name.name" },
	{ "file_system_type", "->name" },
	{ "filename", "->name" },
	{ "gendisk", "->disk_name" },
	{ "kobject", "->name" },
	{ "linux_binprm", "->filename" },
	{ "module", "->name" },
	{ "net_device", "->name" },
	{ "path", "->dentry->d_name.name" },
	{ "qstr", "->name" },
	{ "sk_buff", "->dev->name" },
	{ "super_block", "->s_id" },
	{ "task_struct", "->comm" },
};

/* The way to the string, as of expr__walk(), or NULL. */
static const char *form_of(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++)
		if (!strcmp(forms[i].name, name))
			return forms[i].way;
	return NULL;
}

/* Return the value's number, or -1 if there is no room. */
static int add_value(struct call_plan *p, const struct trace_value *v)
{
	struct trace_plan *plan = &p->plan;

	if (plan->value_cnt == TRACE_VALUES)
		return -1;
	plan->values[plan->value_cnt] = *v;
	return plan->value_cnt++;
}

static bool has_room_for_memory(const struct call_plan *p)
{
	int i, cnt = 0;

	for (i = p->plan.filter_cnt; i < p->plan.value_cnt; i++)
		cnt += p->plan.values[i].kind == TRACE_MEMORY;
	return cnt < MEMORIES_MAX;
}

static void add_memory(struct call_plan *p, const struct place *place, struct shown *ret)
{
	struct trace_value v;

	if (!has_room_for_memory(p) || !place__memory(place, &v))
		return;
	ret->data = add_value(p, &v);
	ret->data_type = place->type;
	ret->data_real = types__real(p->scope.btf, place->type);
}

/* Find the string that is a structure's short form. */
static bool find_form(const struct expr_scope *scope, struct place place, struct trace_value *ret)
{
	const struct btf_type *t = types__real(scope->btf, place.type);
	const char *way;

	if (!btf_is_ptr(t))
		return false;
	t = types__real(scope->btf, t->type);
	way = btf_is_composite(t) ? form_of(types__name(scope->btf, t)) : NULL;
	return way && expr__walk(scope, way, &place) && place__string(&place, false, ret);
}

/* A single byte says nothing: it may be the first one of many. */
static bool is_worth_a_number(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = types__real(btf, id);

	return (btf_is_int(t) && (t->size > 1 || btf_int_encoding(t) & BTF_INT_BOOL)) ||
	       btf_is_any_enum(t);
}

/* How many bytes of a value are shown at most. */
struct length {
	unsigned int max; /* 0: no limit */
	int value;	  /* the number that says it; -1: none */
};

static const struct length no_length = { 0, -1 };

static int add_bytes(struct call_plan *p, struct trace_value v, const struct length *len)
{
	unsigned int max = len->max ? len->max + (v.kind == TRACE_STRING) : v.size;

	v.size = v.size < max ? v.size : max;
	v.len = len->value + 1;
	return add_value(p, &v);
}

static void add_pointee(struct call_plan *p, const struct place *place, const struct length *len,
			struct shown *ret)
{
	struct expr_error error;
	struct place to = *place;
	struct trace_value v;

	if (place__string(place, ret->format == EXPR_STRING, &v)) {
		ret->data = add_bytes(p, v, len);
		return;
	}
	if (find_form(&p->scope, *place, &v)) {
		if (!p->brief) {
			ret->form_beside = add_value(p, &v);
		} else {
			ret->data = add_value(p, &v);
			ret->form = true;
			return;
		}
	}
	if (!place__deref(&to, &error))
		return;
	if (is_worth_a_number(p->scope.btf, to.type) && place__number(&to, &v, &error)) {
		ret->data = add_value(p, &v);
		ret->data_type = to.type;
		ret->data_real = types__real(p->scope.btf, to.type);
	} else if (!p->brief && btf_is_composite(types__real(p->scope.btf, to.type))) {
		add_memory(p, &to, ret);
	}
}

/* Add a structure that is passed by value. */
static void add_slots(struct call_plan *p, const struct place *place, struct shown *ret)
{
	struct trace_value v = place->value;
	unsigned int i, slots = types__slots(p->scope.btf, place->type);

	if (place->bit || p->plan.value_cnt + slots > TRACE_VALUES)
		return;
	for (i = 0; i < slots; i++, v.slot++) {
		int at = add_value(p, &v);

		if (!i)
			ret->number = at;
	}
	ret->slots = slots;
}

static bool add_network(struct call_plan *p, const struct place *place, struct shown *ret,
			struct expr_error *error)
{
	struct trace_value v;

	if (!place__network(place, ret->format, &v, error))
		return false;
	*(v.kind == TRACE_NUMBER ? &ret->number : &ret->data) = add_value(p, &v);
	return true;
}

static void add_shown(struct call_plan *p, const struct place *place, const struct length *len,
		      struct shown *ret)
{
	const struct btf_type *t = types__real(p->scope.btf, place->type);
	bool by_number = ret->format == EXPR_HEX || ret->format == EXPR_DECIMAL;
	struct expr_error error;
	struct trace_value v;

	ret->type = place->type;
	ret->real = t;
	ret->number = ret->data = ret->form_beside = -1;
	if (ret->format == EXPR_BYTES) {
		if (place__buffer(place, &v))
			ret->data = add_bytes(p, v, len);
		return;
	}
	if (ret->format >= EXPR_IP) {
		add_network(p, place, ret, &error);
		return;
	}
	if (btf_is_array(t) && place->in_memory && !by_number) {
		if (place__string(place, ret->format == EXPR_STRING, &v)) {
			ret->data = add_bytes(p, v, len);
		} else {
			add_memory(p, place, ret);
		}
		return;
	}
	if (place__number(place, &v, &error)) {
		ret->number = add_value(p, &v);
		if (btf_is_ptr(t) && !by_number && v.mask == ~0ULL)
			add_pointee(p, place, len, ret);
	} else if (place->in_memory) {
		add_memory(p, place, ret);
	} else {
		add_slots(p, place, ret);
	}
}

static struct shown *new_shown(struct call_plan *p, const char *name, size_t len)
{
	struct shown *shown;

	if (!ARRAY_GROW(p->shown, p->cnt))
		return NULL;
	shown = &p->shown[p->cnt];
	*shown = (struct shown){
		.name = strndup(name, len), .number = -1, .data = -1, .form_beside = -1
	};
	if (!shown->name)
		return NULL;
	p->cnt++;
	return shown;
}

/* Is a parameter a buffer, and the next one the number of bytes in it? */
static bool is_buffer(const struct btf *btf, const struct btf_param *param,
		      const struct place *place)
{
	const struct btf_type *t = btf__type_by_id(btf, param[1].type);
	struct trace_value v;

	while (btf_is_mod(t))
		t = btf__type_by_id(btf, t->type);
	return place__string(place, false, &v) && btf_is_typedef(t) &&
	       !strcmp(types__name(btf, t), "size_t");
}

/* Show the length, whose value must come before the buffer's. */
static void add_length(struct call_plan *p, const struct place *buffer, __u32 type,
		       struct length *ret)
{
	struct expr_error error;
	struct place place;
	struct trace_value v;

	place__slot(p->scope.btf, type, buffer->value.slot + 1, &place);
	if (place__number(&place, &v, &error))
		ret->value = add_value(p, &v);
}

int call_plan__args(struct call_plan *p)
{
	const struct btf_type *proto = fentry_type__proto(p->scope.btf, p->scope.func);
	const struct btf_param *params = btf_params(proto);
	struct length len = no_length, next = no_length;
	unsigned int slot = 0, slots;
	int i;

	for (i = 0; i < btf_vlen(proto); i++, slot += slots, len = next, next = no_length) {
		const char *name = btf__name_by_offset(p->scope.btf, params[i].name_off);
		struct shown *shown = new_shown(p, name, strlen(name));
		struct place place;

		if (!shown)
			return -ENOMEM;
		slots = 1;
		if (!params[i].type) /* "..." */
			continue;
		slots = types__slots(p->scope.btf, params[i].type);
		if (slot + slots > TRACE_MAX_ARGS)
			continue;
		place__slot(p->scope.btf, params[i].type, slot, &place);
		if (len.value >= 0) {
			shown->type = params[i].type;
			shown->real = types__real(p->scope.btf, params[i].type);
			shown->number = len.value;
			continue;
		}
		if (i + 1 < btf_vlen(proto) && slot + 1 < TRACE_MAX_ARGS &&
		    is_buffer(p->scope.btf, &params[i], &place))
			add_length(p, &place, params[i + 1].type, &next);
		add_shown(p, &place, &next, shown);
	}
	return 0;
}

void call_plan__return(struct call_plan *p)
{
	const struct btf_type *proto = fentry_type__proto(p->scope.btf, p->scope.func);
	struct place place;

	if (!p->scope.exit || !proto->type)
		return;
	place__slot(p->scope.btf, proto->type, TRACE_RETURN, &place);
	add_shown(p, &place, &no_length, &p->ret);
	p->has_ret = true;
}

bool call_plan__filter(struct call_plan *p, const char *text, struct expr_error *error)
{
	return expr__filter(&p->scope, text, &p->plan, error);
}

static void trim(const char **text, size_t *len)
{
	while (*len && strchr(" \t", **text)) {
		(*text)++;
		(*len)--;
	}
	while (*len && strchr(" \t", (*text)[*len - 1]))
		(*len)--;
}

/* Take "name=" from the front of an expression. Return the length of the name, or 0. */
static size_t take_label(const char **text, size_t *len)
{
	size_t name = 0, equals;

	while (name < *len && (isalnum((*text)[name]) || (*text)[name] == '_'))
		name++;
	equals = name + strspn(*text + name, " \t");
	if (!name || isdigit(**text) || equals + 1 >= *len || (*text)[equals] != '=' ||
	    (*text)[equals + 1] == '=')
		return 0;
	*text += equals + 1;
	*len -= equals + 1;
	trim(text, len);
	return name;
}

/* What lines call an expression: its last member, without the format. */
static char *last_member(const char *text)
{
	const char *at, *from = text;
	int depth = 0;

	for (at = text; *at && (depth || *at != ':'); at++) {
		depth += strchr("([", *at) ? 1 : strchr(")]", *at) ? -1 : 0;
		if (!depth && *at == '.')
			from = at + 1;
		else if (!depth && !strncmp(at, "->", 2))
			from = at + 2;
	}
	return strndup(from, at - from);
}

static bool find_length(struct call_plan *p, const struct expr *e, struct length *ret,
			struct expr_error *error)
{
	struct trace_value v;

	*ret = (struct length){ e->max, -1 };
	if (!e->has_len)
		return true;
	if (!place__number(&e->len, &v, error))
		return false;
	ret->value = add_value(p, &v);
	return true;
}

static bool print_one(struct call_plan *p, const char *text, size_t len, struct expr_error *error)
{
	const char *name = text, *expr = text;
	size_t name_len = take_label(&expr, &len);
	struct shown *shown = new_shown(p, name_len ? name : expr, name_len ?: len);
	char *copy = strndup(expr, len);
	struct length length;
	struct expr e = {};
	bool ok = shown && copy;

	if (ok && !name_len)
		shown->label = last_member(copy);
	if (!ok || !(name_len || shown->label)) {
		expr_error__set(error, "out of memory");
		ok = false;
	}
	if (ok) {
		ok = expr__parse(&p->scope, copy, &e, error);
		error->column += expr - text;
	}
	ok = ok && find_length(p, &e, &length, error);
	if (ok) {
		shown->format = e.format;
		add_shown(p, &e.place, &length, shown);
		if (shown->number < 0 && shown->data < 0)
			ok = expr_error__set(error, "these are too many values for one function");
	}
	free(copy);
	return ok;
}

/* Several expressions may end in one member. */
static void settle_labels(struct call_plan *p)
{
	size_t i, j;
	bool same;

	for (i = 0; i < p->cnt; i++) {
		for (same = false, j = i + 1; p->shown[i].label && j < p->cnt; j++) {
			if (strcmp(p->shown[i].label, p->shown[j].label ?: p->shown[j].name))
				continue;
			free(p->shown[j].label);
			p->shown[j].label = NULL;
			same = true;
		}
		if (!same)
			continue;
		free(p->shown[i].label);
		p->shown[i].label = NULL;
	}
}

bool call_plan__print(struct call_plan *p, const char *text, struct expr_error *error)
{
	const char *at = text;

	for (;; at++) {
		size_t len = strcspn(at, ","), part_len = len;
		const char *part = at;

		trim(&part, &part_len);
		*error = (struct expr_error){ .column = 1 };
		if (!print_one(p, part, part_len, error)) {
			error->column += part - text;
			return false;
		}
		at += len;
		if (!*at) {
			settle_labels(p);
			return true;
		}
	}
}

bool call_plan__key(struct call_plan *p, unsigned int nr, const char *text,
		    struct expr_error *error)
{
	struct shown *key = &p->keys[nr];
	struct trace_value v;
	struct expr e = {};

	if (!expr__parse(&p->scope, text, &e, error))
		return false;
	if (e.has_len || e.max)
		return expr_error__set(error, "a length is for --print");
	*key = (struct shown){ .type = e.place.type,
			       .real = types__real(p->scope.btf, e.place.type),
			       .format = e.format,
			       .number = -1,
			       .data = -1,
			       .form_beside = -1 };
	if (e.format >= EXPR_IP) {
		if (!add_network(p, &e.place, key, error))
			return false;
	} else if (e.format != EXPR_HEX && e.format != EXPR_DECIMAL &&
		   (place__string(&e.place, e.format == EXPR_STRING, &v) ||
		    find_form(&p->scope, e.place, &v))) {
		if (v.size > TRACE_STRING_SIZE)
			v.size = TRACE_STRING_SIZE;
		key->data = add_value(p, &v);
	} else {
		if (!place__number(&e.place, &v, error))
			return false;
		key->number = add_value(p, &v);
	}
	p->plan.keys[nr] = p->plan.value_cnt - 1;
	return key->number >= 0 || key->data >= 0 ||
	       expr_error__set(error, "these are too many values for one function");
}

void call_plan__fini(struct call_plan *p)
{
	size_t i;

	for (i = 0; i < p->cnt; i++) {
		free(p->shown[i].name);
		free(p->shown[i].label);
	}
	free(p->shown);
}

/* Take @size bytes, filled up to a multiple of 8, from what is left of an event. */
static const void *take(const unsigned char **at, size_t *left, size_t size)
{
	const unsigned char *start = *at;

	if (size > *left)
		return NULL;
	size = (size + 7) & ~7UL;
	size = size > *left ? *left : size;
	*at += size;
	*left -= size;
	return start;
}

static bool take_number(const unsigned char **at, size_t *left, unsigned long long *ret)
{
	const void *from = take(at, left, sizeof(*ret));

	if (from)
		memcpy(ret, from, sizeof(*ret));
	return from;
}

static bool take_value(const struct trace_value *v, const unsigned char **at, size_t *left,
		       struct call_value *ret)
{
	if (!take_number(at, left, &ret->number))
		return false;
	if (v->kind != TRACE_NUMBER) {
		ret->size = ret->number;
		ret->data = take(at, left, ret->size);
	}
	return v->kind == TRACE_NUMBER || ret->data;
}

bool call__init(struct call *c, const struct call_plan *plan, const struct trace_event *event,
		size_t size)
{
	const unsigned char *at = (const unsigned char *)(event + 1);
	const struct trace_plan *p = &plan->plan;
	size_t left;
	int i;

	if (size < sizeof(*event))
		return false;
	left = size - sizeof(*event);
	c->plan = plan;
	c->event = event;
	c->stack = (const unsigned long long *)at;
	c->stack_cnt = event->stack_size;
	if (event->stack_size > 0) {
		c->stack_cnt = event->stack_size / (int)sizeof(*c->stack);
		if (!take(&at, &left, event->stack_size))
			return false;
	}
	for (i = p->filter_cnt; i < p->value_cnt; i++) {
		struct call_value *v = &c->values[i];

		*v = (struct call_value){ .ok = !(event->failed & 1U << i) };
		if (v->ok && !take_value(&p->values[i], &at, &left, v))
			return false;
	}
	return true;
}
