// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values of calls as JSON: "value", and its "address" if it is behind a pointer. What wasn't read
 * is null. Structures are objects, which also have the members of their anonymous members.
 *
 * How bytes of a type become JSON is worked out once: a form is a list of numbers, each with the
 * text that comes before it.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "output/json.h"
#include "values/typed.h"

#define DEPTH_MAX 32
/* Pieces of text are short. Copying a whole chunk takes less time than copying its exact length. */
#define CHUNK 16

enum kind {
	NOTHING, /* but the text */
	UNSIGNED,
	SIGNED,
	ADDRESS,
	BOOL,
	ENUM,
	STRING,
};

struct op {
	size_t text, text_len; /* of the form's text: what comes before the value */
	enum kind kind;
	unsigned int at, size;	     /* the bytes that it is in */
	unsigned int left, right;    /* a number is shifted, so that its bits remain */
	const struct btf_type *type; /* of an ENUM */
};

struct json_form {
	struct json_form *next; /* in its bucket */
	const struct btf *btf;
	const struct btf_type *type;
	size_t size; /* of the data */
	struct op *ops;
	size_t cnt;
	struct text text;
	size_t text_end; /* the text behind it belongs to no op yet */
	bool failed;
};

static enum kind kind_of(const struct btf_type *t)
{
	if (btf_is_ptr(t) || btf_is_array(t))
		return ADDRESS;
	if (btf_is_any_enum(t))
		return ENUM;
	if (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_BOOL)
		return BOOL;
	return types__is_signed(t) ? SIGNED : UNSIGNED;
}

/* A name may be longer than any number. */
static bool put_name(struct text *to, const struct btf *btf, const struct btf_type *t,
		     unsigned long long n)
{
	const char *name = types__enumerator(btf, t, n);

	if (name)
		json_put_text(to, name);
	return name;
}

static void put_number(struct text *to, const struct btf *btf, const struct btf_type *t,
		       enum kind kind, unsigned long long n)
{
	if (kind == ADDRESS)
		json_put_address(to, n);
	else if (kind == BOOL && n <= 1)
		text__string(to, n ? "true" : "false");
	else if (kind != ENUM || !put_name(to, btf, t, n))
		json_put_number(to, n, types__is_signed(t));
}

/* @t: of types__real() */
static void put_value(struct text *to, const struct btf *btf, const struct btf_type *t,
		      unsigned long long n)
{
	put_number(to, btf, t, kind_of(t), n);
}

static struct op *add_op(struct json_form *f, enum kind kind)
{
	struct op *op;

	if (!ARRAY_GROW(f->ops, f->cnt)) {
		f->failed = true;
		return NULL;
	}
	op = &f->ops[f->cnt++];
	*op = (struct op){
		.text = f->text_end,
		.text_len = f->text.len - f->text_end,
		.kind = kind,
	};
	f->text_end = f->text.len;
	return op;
}

static void add_bits(struct json_form *f, const struct btf_type *t, unsigned long long bit,
		     unsigned int bits)
{
	unsigned long long first = bit / 8, last = (bit + bits + 7) / 8;
	struct op *op;

	if (!bits || bits > 64 || last > f->size || last - first > 8) {
		text__string(&f->text, "null");
		return;
	}
	op = add_op(f, kind_of(t));
	if (!op)
		return;
	op->at = first;
	op->size = last - first;
	op->left = 64 - bit % 8 - bits;
	op->right = 64 - bits;
	op->type = t;
}

static void add_bytes(struct json_form *f, const struct btf_type *t, unsigned long long at,
		      unsigned int depth);

static void add_members(struct json_form *f, const struct btf_type *t, unsigned long long at,
			unsigned int depth, const char **comma)
{
	const struct btf_member *m = btf_members(t);
	int i;

	for (i = 0; i < btf_vlen(t); i++, m++) {
		const char *name = btf__name_by_offset(f->btf, m->name_off);
		const struct btf_type *inner = types__real(f->btf, m->type);
		unsigned int bit = btf_member_bit_offset(t, i);
		unsigned int bits = btf_member_bitfield_size(t, i);

		if (!*name && btf_is_composite(inner)) {
			add_members(f, inner, at + bit / 8, depth, comma);
			continue;
		}
		/* the rest wasn't read */
		if (at + bit / 8 >= f->size)
			continue;
		text__string(&f->text, *comma);
		*comma = ",";
		json_put_text(&f->text, name);
		text__char(&f->text, ':');
		if (bits)
			add_bits(f, inner, at * 8 + bit, bits);
		else
			add_bytes(f, inner, at + bit / 8, depth + 1);
	}
}

static void add_string(struct json_form *f, const struct btf_array *array, unsigned long long at)
{
	struct op *op = add_op(f, STRING);
	size_t left = at < f->size ? f->size - at : 0;

	if (!op)
		return;
	op->at = left ? at : 0;
	op->size = left < array->nelems ? left : array->nelems;
}

static void add_array(struct json_form *f, const struct btf_array *array, unsigned long long at,
		      unsigned int depth)
{
	const struct btf_type *inner = types__real(f->btf, array->type);
	long long size = btf__resolve_size(f->btf, array->type);
	unsigned int i;

	if (types__is_text(f->btf, array->type)) {
		add_string(f, array, at);
		return;
	}
	text__char(&f->text, '[');
	for (i = 0; size > 0 && i < array->nelems && at + i * size < f->size; i++) {
		if (i)
			text__char(&f->text, ',');
		add_bytes(f, inner, at + i * size, depth + 1);
	}
	text__char(&f->text, ']');
}

static void add_bytes(struct json_form *f, const struct btf_type *t, unsigned long long at,
		      unsigned int depth)
{
	const char *comma = "";

	if (depth > DEPTH_MAX) {
		text__string(&f->text, "null");
	} else if (btf_is_composite(t)) {
		text__char(&f->text, '{');
		add_members(f, t, at, depth, &comma);
		text__char(&f->text, '}');
	} else if (btf_is_array(t)) {
		add_array(f, btf_array(t), at, depth);
	} else if (types__is_number(t)) {
		add_bits(f, t, at * 8, (btf_is_ptr(t) ? 8 : t->size) * 8);
	} else {
		text__string(&f->text, "null");
	}
}

static void free_form(struct json_form *form)
{
	text__fini(&form->text);
	free(form->ops);
	free(form);
}

static struct json_form *new_form(const struct btf *btf, const struct btf_type *t, size_t size)
{
	struct json_form *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->btf = btf;
	f->type = t;
	f->size = size;
	add_bytes(f, t, 0, 0);
	add_op(f, NOTHING);
	text__bytes(&f->text, (char[CHUNK]){}, CHUNK);
	if (!f->failed && !f->text.failed)
		return f;
	free_form(f);
	return NULL;
}

/* The data may end right behind the number. */
static unsigned long long load(const struct json_form *f, const struct op *op,
			       const unsigned char *data)
{
	unsigned long long n = 0;

	if (op->at + sizeof(n) <= f->size)
		memcpy(&n, data + op->at, sizeof(n));
	else
		memcpy(&n, data + op->at, op->size);
	n <<= op->left;
	if (op->kind == SIGNED || (op->kind == ENUM && btf_kflag(op->type)))
		return (long long)n >> op->right;
	return n >> op->right;
}

static void put_op(const struct json_form *f, const struct op *op, const unsigned char *data,
		   struct text *to)
{
	char *at = text__room(to, op->text_len + CHUNK + JSON_NUMBER_MAX);
	const char *text = f->text.data + op->text;
	unsigned long long n;
	size_t i;

	if (!at)
		return;
	for (i = 0; i < op->text_len; i += CHUNK)
		memcpy(at + i, text + i, CHUNK);
	text__end(to, at + op->text_len);
	if (op->kind == NOTHING)
		return;
	if (op->kind == STRING) {
		json_put_bytes(to, data + op->at, op->size);
		return;
	}
	at += op->text_len;
	n = load(f, op, data);
	if (op->kind == UNSIGNED || op->kind == SIGNED)
		text__end(to, json_write_number(at, n, op->kind == SIGNED));
	else if (op->kind == ADDRESS)
		text__end(to, json_write_address(at, n));
	else
		put_number(to, f->btf, op->type, op->kind, n);
}

static struct json_form **find_bucket(struct json_forms *forms, const struct btf_type *t)
{
	size_t cnt = ARRAY_SIZE(forms->buckets);

	return &forms->buckets[(unsigned long)t / sizeof(*t) % cnt];
}

static void put_bytes(struct json_forms *forms, struct text *to, const struct btf *btf,
		      const struct btf_type *t, const void *data, size_t size)
{
	struct json_form **bucket = find_bucket(forms, t), *f;
	size_t i;

	for (f = *bucket; f; f = f->next)
		if (f->type == t && f->size == size)
			break;
	if (!f) {
		f = new_form(btf, t, size);
		if (!f) {
			to->failed = true;
			return;
		}
		f->next = *bucket;
		*bucket = f;
	}
	for (i = 0; i < f->cnt; i++)
		put_op(f, &f->ops[i], data, to);
}

void json_forms__free(struct json_forms *forms)
{
	struct json_form *f, *next;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms->buckets); i++) {
		for (f = forms->buckets[i]; f; f = next) {
			next = f->next;
			free_form(f);
		}
	}
}

static void put_dump(struct text *to, const void *bytes, size_t size)
{
	text__char(to, '"');
	typed__bytes(to, bytes, size);
	text__char(to, '"');
}

static void put_network(struct text *to, enum expr_format format, const void *bytes, size_t size)
{
	text__string(to, format == EXPR_PORT ? "" : "\"");
	typed__network(to, format, bytes, size);
	text__string(to, format == EXPR_PORT ? "" : "\"");
}

/* @t: of types__real() */
static void put_formatted(struct text *to, const struct btf *btf, const struct btf_type *t,
			  enum expr_format format, unsigned long long n)
{
	if (format >= EXPR_IP)
		put_network(to, format, &n, sizeof(__u32));
	else if (format == EXPR_BY_TYPE)
		put_value(to, btf, t, n);
	else if (format == EXPR_HEX)
		json_put_address(to, n);
	else
		json_put_number(to, n, types__is_signed(t));
}

static void put_slots(struct json_forms *forms, struct text *to, const struct call *call,
		      const struct shown *shown)
{
	const struct btf *btf = call->plan->scope.btf;
	unsigned long long slots[TRACE_MAX_ARGS];
	unsigned int i;

	for (i = 0; i < shown->slots; i++)
		slots[i] = call->values[shown->number + i].number;
	put_bytes(forms, to, btf, shown->real, slots, shown->slots * sizeof(slots[0]));
}

static void put_data(struct json_forms *forms, struct text *to, const struct call *call,
		     const struct shown *shown)
{
	const struct trace_value *v = &call->plan->plan.values[shown->data];
	const struct call_value *value = &call->values[shown->data];
	const struct btf *btf = call->plan->scope.btf;

	if (!value->ok)
		text__string(to, "null");
	else if (v->kind == TRACE_STRING)
		json_put_bytes(to, value->data, value->size);
	else if (shown->format == EXPR_BYTES)
		put_dump(to, value->data, value->size);
	else if (shown->format >= EXPR_IP)
		put_network(to, shown->format, value->data, value->size);
	else if (v->kind == TRACE_MEMORY)
		put_bytes(forms, to, btf, shown->data_real, value->data, value->size);
	else
		put_value(to, btf, shown->data_real, value->number);
}

void typed__json(struct json_forms *forms, struct text *to, const struct call *call,
		 const struct shown *shown, const char *value, const char *address)
{
	const struct call_value *v = shown->number >= 0 ? &call->values[shown->number] : NULL;
	const struct btf *btf = call->plan->scope.btf;

	json_key(to, value);
	if (v && !v->ok)
		text__string(to, "null");
	else if (shown->data >= 0)
		put_data(forms, to, call, shown);
	else if (!v)
		text__string(to, "null");
	else if (shown->slots)
		put_slots(forms, to, call, shown);
	else
		put_formatted(to, btf, shown->real, shown->format, v->number);
	if (v && v->ok && shown->data >= 0) {
		json_key(to, address);
		json_put_address(to, v->number);
	}
	if (v && v->ok && shown->form_beside >= 0 && call->values[shown->form_beside].ok) {
		json_key(to, "short");
		json_put_bytes(to, call->values[shown->form_beside].data,
			       call->values[shown->form_beside].size);
	}
}
