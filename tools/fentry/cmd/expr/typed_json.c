// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values of calls as JSON: "value", and "address" of what it is behind a pointer. What
 * wasn't read is null.
 */
#include "output/json.h"
#include "expr/json_form.h"
#include "expr/typed.h"

/* @t: of types__real() */
static void put_number(struct text *to, const struct btf *btf, const struct btf_type *t,
		       enum expr_format format, unsigned long long n)
{
	if (format == EXPR_BY_TYPE)
		json_put_value(to, btf, t, n);
	else if (format == EXPR_HEX)
		json_put_address(to, n);
	else
		json_put_number(to, n, types__is_signed(t));
}

static void put_slots(struct json_forms *forms, struct text *to, const struct call *call,
		      const struct shown *shown)
{
	const struct btf *btf = call->plan->btf;
	unsigned long long slots[TRACE_MAX_ARGS];
	unsigned int i;

	for (i = 0; i < shown->slots; i++)
		slots[i] = call->values[shown->number + i].number;
	json_forms__put(forms, to, btf, types__real(btf, shown->type), slots,
			shown->slots * sizeof(slots[0]));
}

static void put_data(struct json_forms *forms, struct text *to, const struct call *call,
		     const struct shown *shown)
{
	const struct trace_value *v = &call->plan->plan.values[shown->data];
	const struct call_value *value = &call->values[shown->data];
	const struct btf *btf = call->plan->btf;

	if (!value->ok)
		text__string(to, "null");
	else if (v->kind == TRACE_STRING)
		json_put_bytes(to, value->data, value->size);
	else if (v->kind == TRACE_MEMORY)
		json_forms__put(forms, to, btf, types__real(btf, shown->data_type), value->data,
				value->size);
	else
		json_put_value(to, btf, types__real(btf, shown->data_type), value->number);
}

void typed__json(struct json_forms *forms, struct text *to, const struct call *call,
		 const struct shown *shown, const char *value, const char *address)
{
	const struct call_value *v = shown->number >= 0 ? &call->values[shown->number] : NULL;
	const struct btf *btf = call->plan->btf;

	text__char(to, '"');
	text__string(to, value);
	text__string(to, "\":");
	if (v && !v->ok)
		text__string(to, "null");
	else if (shown->data >= 0)
		put_data(forms, to, call, shown);
	else if (!v)
		text__string(to, "null");
	else if (shown->slots)
		put_slots(forms, to, call, shown);
	else
		put_number(to, btf, types__real(btf, shown->type), shown->format, v->number);
	if (v && v->ok && shown->data >= 0) {
		text__string(to, ",\"");
		text__string(to, address);
		text__string(to, "\":");
		json_put_address(to, v->number);
	}
}
