// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places of values, by the types in BTF: members, elements, targets of pointers. Messages that say
 * what is wrong with an expression, and what there is instead.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "output/text.h"

#define POINTER_BITS	64
#define DESCRIPTION_MAX 160

bool expr_error__set(struct expr_error *error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(error->msg, sizeof(error->msg), fmt, args);
	va_end(args);
	return false;
}

void expr_names__add(struct expr_names *names, const char *name)
{
	/* a name that differs in more than half isn't meant */
	unsigned int d = text_distance(names->wanted, names->len, name, (names->len + 1) / 2);
	size_t used = strlen(names->list);

	if (!names->nearest || d < names->distance) {
		names->nearest = name;
		names->distance = d;
	}
	if (names->full)
		return;
	names->full = used + strlen(name) + sizeof(", , ...") > sizeof(names->list);
	sprintf(names->list + used, "%s%s", used ? ", " : "", names->full ? "..." : name);
}

void expr_names__hint(const struct expr_names *names, const char *what, struct expr_error *error)
{
	size_t used = strlen(error->msg), size = sizeof(error->msg) - used;

	if (!names->nearest)
		snprintf(error->msg + used, size, "; it has no %s at all", what);
	else if (names->distance <= (names->len + 1) / 2)
		snprintf(error->msg + used, size, "; did you mean '%s'? It has: %s", names->nearest,
			 names->list);
	else
		snprintf(error->msg + used, size, "; it has: %s", names->list);
}

void place__slot(const struct btf *btf, __u32 type, unsigned int slot, struct place *ret)
{
	*ret = (struct place){
		.btf = btf,
		.value = { .slot = slot, .mask = ~0ULL },
		.type = type,
	};
}

/* Find a member, also in anonymous members, and where it begins. */
static const struct btf_member *find_member(const struct btf *btf, const struct btf_type *t,
					    const char *name, size_t len, unsigned int *bit,
					    unsigned int *bits)
{
	const struct btf_member *m = btf_members(t);
	int i;

	for (i = 0; i < btf_vlen(t); i++, m++) {
		const struct btf_type *inner = types__real(btf, m->type);
		const char *other = btf__name_by_offset(btf, m->name_off);
		unsigned int at = btf_member_bit_offset(t, i);
		const struct btf_member *found = NULL;

		if (*other && !strncmp(other, name, len) && !other[len]) {
			*bit += at;
			*bits = btf_member_bitfield_size(t, i);
			return m;
		}
		if (*other || !btf_is_composite(inner))
			continue;
		*bit += at;
		found = find_member(btf, inner, name, len, bit, bits);
		if (found)
			return found;
		*bit -= at;
	}
	return NULL;
}

static void add_names(const struct btf *btf, const struct btf_type *t, struct expr_names *names)
{
	const struct btf_member *m = btf_members(t);
	int i;

	for (i = 0; i < btf_vlen(t); i++, m++) {
		const struct btf_type *inner = types__real(btf, m->type);
		const char *name = btf__name_by_offset(btf, m->name_off);

		if (*name)
			expr_names__add(names, name);
		else if (btf_is_composite(inner))
			add_names(btf, inner, names);
	}
}

/* Move whole bytes, or slots, from the place's bit to its offset, or its slot. */
static bool normalize(struct place *p, struct expr_error *error)
{
	long long offset = (long long)p->value.offset + p->bit / 8;

	if (p->in_memory) {
		if (offset > INT_MAX || offset < INT_MIN)
			return expr_error__set(error, "that is too far away");
		p->value.offset = offset;
		p->bit %= 8;
	} else {
		p->value.slot += p->bit / POINTER_BITS;
		p->bit %= POINTER_BITS;
	}
	return true;
}

/* What the type of a place is called in C, for messages. */
static const char *describe(const struct place *p, char buf[DESCRIPTION_MAX])
{
	const struct btf_type *t = types__real(p->btf, p->type);
	const char *name = types__name(p->btf, t);
	const char *stars = "";

	if (btf_is_ptr(t)) {
		t = types__real(p->btf, t->type);
		name = types__name(p->btf, t);
		stars = " *";
	}
	if (btf_is_struct(t) || btf_is_union(t) || btf_is_fwd(t))
		snprintf(buf, DESCRIPTION_MAX, "%s%s%s%s",
			 btf_is_union(t) || (btf_is_fwd(t) && btf_kflag(t)) ? "union" : "struct",
			 *name ? " " : "", name, stars);
	else if (btf_is_any_enum(t))
		snprintf(buf, DESCRIPTION_MAX, "enum%s%s%s", *name ? " " : "", name, stars);
	else if (btf_is_array(t))
		snprintf(buf, DESCRIPTION_MAX, "an array%s", *stars ? ", by pointer" : "");
	else if (btf_is_ptr(t))
		snprintf(buf, DESCRIPTION_MAX, "a pointer to a pointer");
	else if (btf_is_func_proto(t))
		snprintf(buf, DESCRIPTION_MAX, "a pointer to a function");
	else
		snprintf(buf, DESCRIPTION_MAX, "%s%s", btf_is_void(t) ? "void" : name, stars);
	return buf;
}

bool place__member(struct place *p, const char *name, size_t len, struct expr_error *error)
{
	const struct btf_type *t = types__real(p->btf, p->type);
	struct expr_names names = { .wanted = name, .len = len };
	char type[DESCRIPTION_MAX];
	const struct btf_member *m;

	describe(p, type);
	if (btf_is_ptr(t))
		return expr_error__set(error, "this is a pointer (%s): write '->' instead of '.'",
				       type);
	if (btf_is_fwd(t))
		return expr_error__set(error, "BTF doesn't say what %s consists of", type);
	if (!btf_is_composite(t))
		return expr_error__set(error, "this has no members, it is %s", type);
	m = find_member(p->btf, t, name, len, &p->bit, &p->bits);
	if (!m) {
		add_names(p->btf, t, &names);
		expr_error__set(error, "%s has no member '%.*s'", type, (int)len, name);
		expr_names__hint(&names, "members", error);
		return false;
	}
	p->type = m->type;
	return normalize(p, error);
}

bool place__deref(struct place *p, struct expr_error *error)
{
	const struct btf_type *t = types__real(p->btf, p->type);
	struct trace_value *v = &p->value;
	char type[DESCRIPTION_MAX];

	describe(p, type);
	if (btf_is_array(t))
		return place__index(p, 0, error);
	if (!btf_is_ptr(t))
		return expr_error__set(error, "this is no pointer, it is %s", type);
	if (btf_is_void(types__real(p->btf, t->type)) ||
	    btf_is_func_proto(types__real(p->btf, t->type)))
		return expr_error__set(error, "this points to nothing that has a type, it is %s",
				       type);
	if (p->bit || p->bits)
		return expr_error__set(error, "this isn't a whole pointer");
	if (p->in_memory) {
		if (v->step_cnt == TRACE_STEPS)
			return expr_error__set(error, "more than %d pointers one after another",
					       TRACE_STEPS);
		v->steps[v->step_cnt++] = v->offset;
	}
	v->offset = 0;
	p->in_memory = true;
	p->type = t->type;
	return true;
}

bool place__index(struct place *p, unsigned long long i, struct expr_error *error)
{
	const struct btf_type *t = types__real(p->btf, p->type);
	char type[DESCRIPTION_MAX];
	unsigned int cnt;
	__u64 bits;

	describe(p, type);
	if (btf_is_array(t)) {
		cnt = btf_array(t)->nelems;
		/* no element, or one, may mean any number at the end of a structure */
		if (cnt > 1 && i >= cnt)
			return expr_error__set(error, "the array has %u elements, the last is [%u]",
					       cnt, cnt - 1);
		p->type = btf_array(t)->type;
	} else if (btf_is_ptr(t)) {
		if (!place__deref(p, error))
			return false;
	} else {
		return expr_error__set(error, "this is neither array nor pointer, it is %s", type);
	}
	if (__builtin_mul_overflow(btf__resolve_size(p->btf, p->type) * 8, i, &bits) ||
	    bits + p->bit > UINT_MAX)
		return expr_error__set(error, "that is too far away");
	p->bit += bits;
	p->bits = 0;
	return normalize(p, error);
}

static void cut_bits(struct trace_value *v, unsigned int bit, unsigned int bits)
{
	v->left = 64 - bit - bits;
	v->right = 64 - bits;
}

bool place__number(const struct place *p, struct trace_value *ret, struct expr_error *error)
{
	const struct btf_type *t = types__real(p->btf, p->type);
	unsigned int bits = p->bits ?: btf_is_ptr(t) ? POINTER_BITS : t->size * 8;
	char type[DESCRIPTION_MAX];

	*ret = p->value;
	ret->kind = TRACE_NUMBER;
	if (btf_is_array(t) && p->in_memory)
		return true; /* its address */
	if (!types__is_number(t))
		return expr_error__set(error, "this is no number, it is %s", describe(p, type));
	if (p->bit + bits > 64)
		return expr_error__set(error, "this bit field is spread over more than 8 bytes");
	ret->is_signed = types__is_signed(t);
	if (p->in_memory)
		ret->size = (p->bit + bits + 7) / 8;
	cut_bits(ret, p->bit, bits);
	return true;
}

bool place__string(const struct place *p, bool any, struct trace_value *ret)
{
	const struct btf_type *t = types__real(p->btf, p->type);
	struct expr_error error;
	struct place to = *p;
	__u32 element;

	if (btf_is_array(t))
		element = btf_array(t)->type;
	else if (btf_is_ptr(t))
		element = t->type;
	else
		return false;
	if (!any && !types__is_text(p->btf, element))
		return false;
	if (btf_is_ptr(t)) {
		/* what it points to may have no size */
		if (to.in_memory && to.value.step_cnt == TRACE_STEPS)
			return false;
		if (to.in_memory)
			to.value.steps[to.value.step_cnt++] = to.value.offset;
		to.value.offset = 0;
	} else if (!p->in_memory || !place__index(&to, 0, &error)) {
		return false;
	}
	*ret = to.value;
	ret->kind = TRACE_STRING;
	ret->size = TRACE_BYTES_MAX;
	/* an array needn't end with NUL */
	if (btf_is_array(t) && btf_array(t)->nelems > 1 && btf_array(t)->nelems < TRACE_BYTES_MAX)
		ret->size = btf_array(t)->nelems + 1;
	return true;
}

static bool set_memory(struct trace_value *ret, long long size)
{
	ret->kind = TRACE_MEMORY;
	ret->size = size > TRACE_BYTES_MAX ? TRACE_BYTES_MAX : size;
	return true;
}

bool place__buffer(const struct place *p, struct trace_value *ret)
{
	long long size = btf_is_ptr(types__real(p->btf, p->type)) ?
				 TRACE_BYTES_MAX :
				 btf__resolve_size(p->btf, p->type);

	return size > 0 && place__string(p, true, ret) && set_memory(ret, size);
}

bool place__memory(const struct place *p, struct trace_value *ret)
{
	long long size = btf__resolve_size(p->btf, p->type);

	if (!p->in_memory || size <= 0)
		return false;
	*ret = p->value;
	return set_memory(ret, size);
}

/* May a value of this size be printed so? */
static bool is_network_size(enum expr_format format, long long size)
{
	if (format == EXPR_PORT)
		return size == 2;
	return format == EXPR_MAC ? size == 6 : size == 4 || size == 16;
}

bool place__network(const struct place *p, enum expr_format format, struct trace_value *ret,
		    struct expr_error *error)
{
	static const char *const sizes[] = {
		[EXPR_IP] = "':ip' needs 4 or 16 bytes",
		[EXPR_PORT] = "':port' needs 2 bytes",
		[EXPR_MAC] = "':mac' needs 6 bytes",
	};
	struct place to = *p;
	char type[DESCRIPTION_MAX];
	long long size;

	if (btf_is_ptr(types__real(p->btf, p->type)) && !place__deref(&to, error))
		return false;
	size = btf__resolve_size(p->btf, to.type);
	/* a pointer to bytes is one to an address of 6 of them; that of IP may have 4 or 16 */
	if (size == 1 && format == EXPR_MAC && to.type != p->type)
		size = 6;
	if (!is_network_size(format, size) || to.bits || (!to.in_memory && size > 8))
		return expr_error__set(error, "%s, and this is %s", sizes[format],
				       describe(p, type));
	if (types__is_number(types__real(p->btf, to.type)) && size > 1 && size <= 4)
		return place__number(&to, ret, error);
	if (!to.in_memory)
		return expr_error__set(error, "this is a part of a register: print its members");
	*ret = to.value;
	return set_memory(ret, size);
}
