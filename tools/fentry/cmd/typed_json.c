// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values of calls as JSON: "value", and "address" of what it is behind a pointer.
 * Structures are objects, whose anonymous members' members are their own; what wasn't
 * read is null.
 */
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "typed.h"

#define DEPTH_MAX 32

/* @t: of types__real(), as in all that follows */
static void put_number(const struct btf *btf, const struct btf_type *t,
		       enum expr_format format, unsigned long long n)
{
	const char *name;

	if (format == EXPR_HEX ||
	    (format == EXPR_BY_TYPE && (btf_is_ptr(t) || btf_is_array(t)))) {
		json_address(n);
		return;
	}
	name = format == EXPR_BY_TYPE && btf_is_any_enum(t) ?
	       types__enumerator(btf, t, n) : NULL;
	if (name)
		json_text(name);
	else if (format == EXPR_BY_TYPE && btf_is_int(t) &&
		 btf_int_encoding(t) & BTF_INT_BOOL && n <= 1)
		fputs(n ? "true" : "false", stdout);
	else
		json_number(n, types__is_signed(t));
}

/* Bytes of a structure, or of a part of one. */
struct bytes {
	const unsigned char *data;
	size_t size;			/* what was read of it */
};

static void put_bytes(const struct btf *btf, const struct btf_type *t, struct bytes b,
		      unsigned int depth);

/* A number of some bits that begin somewhere; false if they weren't read. */
static bool get_bits(struct bytes b, unsigned int bit, unsigned int bits,
		     unsigned long long *ret)
{
	unsigned int first = bit / 8, last = (bit + bits + 7) / 8;

	*ret = 0;
	if (last > b.size || last - first > sizeof(*ret))
		return false;
	memcpy(ret, b.data + first, last - first);
	*ret <<= 64 - bit % 8 - bits;
	return true;
}

static void put_bits(const struct btf *btf, const struct btf_type *t, struct bytes b,
		     unsigned int bit, unsigned int bits)
{
	unsigned long long n;

	if (!bits || bits > 64 || !get_bits(b, bit, bits, &n))
		fputs("null", stdout);
	else if (types__is_signed(t))
		put_number(btf, t, EXPR_BY_TYPE, (long long)n >> (64 - bits));
	else
		put_number(btf, t, EXPR_BY_TYPE, n >> (64 - bits));
}

static struct bytes part_of(struct bytes b, unsigned long long offset)
{
	if (offset >= b.size)
		return (struct bytes){ b.data, 0 };
	return (struct bytes){ b.data + offset, b.size - offset };
}

static void put_members(const struct btf *btf, const struct btf_type *t,
			struct bytes b, unsigned int depth, const char **comma)
{
	const struct btf_member *m = btf_members(t);
	int i;

	for (i = 0; i < btf_vlen(t); i++, m++) {
		const char *name = btf__name_by_offset(btf, m->name_off);
		const struct btf_type *inner = types__real(btf, m->type);
		unsigned int bit = btf_member_bit_offset(t, i);
		unsigned int bits = btf_member_bitfield_size(t, i);

		if (!*name && btf_is_composite(inner)) {
			put_members(btf, inner, part_of(b, bit / 8), depth, comma);
			continue;
		}
		/* the rest wasn't read */
		if (bit / 8 >= b.size)
			continue;
		fputs(*comma, stdout);
		*comma = ",";
		json_text(name);
		putchar(':');
		if (bits)
			put_bits(btf, inner, b, bit, bits);
		else
			put_bytes(btf, inner, part_of(b, bit / 8), depth + 1);
	}
}

static void put_array(const struct btf *btf, const struct btf_array *array,
		      struct bytes b, unsigned int depth)
{
	const struct btf_type *inner = types__real(btf, array->type);
	long long size = btf__resolve_size(btf, array->type);
	unsigned int i;

	if (types__is_text(btf, array->type)) {
		json_bytes(b.data, b.size < array->nelems ? b.size : array->nelems);
		return;
	}
	putchar('[');
	for (i = 0; size > 0 && i < array->nelems && i * (size_t)size < b.size; i++) {
		fputs(i ? "," : "", stdout);
		put_bytes(btf, inner, part_of(b, i * size), depth + 1);
	}
	putchar(']');
}

static void put_bytes(const struct btf *btf, const struct btf_type *t, struct bytes b,
		      unsigned int depth)
{
	const char *comma = "";

	if (depth > DEPTH_MAX) {
		fputs("null", stdout);
	} else if (btf_is_composite(t)) {
		putchar('{');
		put_members(btf, t, b, depth, &comma);
		putchar('}');
	} else if (btf_is_array(t)) {
		put_array(btf, btf_array(t), b, depth);
	} else if (types__is_number(t)) {
		put_bits(btf, t, b, 0, (btf_is_ptr(t) ? 8 : t->size) * 8);
	} else {
		fputs("null", stdout);
	}
}

static void put_slots(const struct call *call, const struct shown *shown)
{
	unsigned long long slots[TRACE_MAX_ARGS];
	const struct bytes b = { (unsigned char *)slots, shown->slots * 8 };
	unsigned int i;

	for (i = 0; i < shown->slots; i++)
		slots[i] = call->values[shown->number + i].number;
	put_bytes(call->plan->btf, types__real(call->plan->btf, shown->type), b, 0);
}

static void put_data(const struct call *call, const struct shown *shown)
{
	const struct trace_value *v = &call->plan->plan.values[shown->data];
	const struct call_value *value = &call->values[shown->data];
	const struct btf *btf = call->plan->btf;

	if (!value->ok)
		fputs("null", stdout);
	else if (v->kind == TRACE_STRING)
		json_bytes(value->data, value->size);
	else if (v->kind == TRACE_MEMORY)
		put_bytes(btf, types__real(btf, shown->data_type),
			  (struct bytes){ value->data, value->size }, 0);
	else
		put_number(btf, types__real(btf, shown->data_type), EXPR_BY_TYPE, value->number);
}

void typed__json(const struct call *call, const struct shown *shown,
		 const char *value, const char *address)
{
	const struct call_value *v = shown->number >= 0 ?
				     &call->values[shown->number] : NULL;
	const struct btf *btf = call->plan->btf;

	printf("\"%s\":", value);
	if (v && !v->ok)
		fputs("null", stdout);
	else if (shown->data >= 0)
		put_data(call, shown);
	else if (!v)
		fputs("null", stdout);
	else if (shown->slots)
		put_slots(call, shown);
	else
		put_number(btf, types__real(btf, shown->type), shown->format, v->number);
	if (v && v->ok && shown->data >= 0) {
		printf(",\"%s\":", address);
		json_address(v->number);
	}
}
