// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "btf_expr.h"

#define SLOT_SIZE 8

/* Where parsing has got to. */
struct cursor {
	const struct btf *btf;
	const char *text; /* what is left */
	__u32 type;	  /* of what has been parsed */
	bool in_memory;
	__u32 off; /* from the last pointer, or the first slot */
	__u32 bit_off, bit_size;
	struct btf_expr *expr;
};

static const struct btf_type *type_of(const struct cursor *c)
{
	return btf__type_by_id(c->btf, btf__resolve_type(c->btf, c->type));
}

/* Is @text "#<n>" for parameter @i? Numbers begin with 1. */
static bool number_is(const char *text, int i)
{
	return *text == '#' && atoi(text + 1) == i + 1;
}

static bool name_is(const struct btf *btf, __u32 off, const char *name, size_t len)
{
	const char *other = btf__name_by_offset(btf, off);

	return strlen(other) == len && !strncmp(other, name, len);
}

/* Find a parameter, and the first one of the 8-byte slots in which it is passed. */
static int enter_param(struct cursor *c, __u32 func_id, const char *name, size_t len)
{
	const struct btf_type *proto;
	const struct btf_param *p;
	__s64 size;
	int i;

	proto = btf__type_by_id(c->btf, func_id);
	proto = btf__type_by_id(c->btf, proto->type);
	p = btf_params(proto);
	if (len == strlen("return") && !strncmp(name, "return", len)) {
		c->expr->watch.is_return = true;
		c->type = proto->type;
		return proto->type ? 0 : -ENOENT;
	}
	for (i = 0; i < btf_vlen(proto); i++, p++) {
		c->type = p->type;
		if (number_is(name, i) || name_is(c->btf, p->name_off, name, len))
			return 0;
		size = btf__resolve_size(c->btf, p->type);
		if (size < 0)
			return size;
		c->expr->watch.slot += (size + SLOT_SIZE - 1) / SLOT_SIZE;
	}
	return -ENOENT;
}

/* Find a member of a structure, in its anonymous members too. */
static bool find_member(struct cursor *c, const char *name, size_t len)
{
	const struct btf_type *t = type_of(c);
	const struct btf_member *m = btf_members(t);
	int i;

	if (!btf_is_composite(t))
		return false;
	for (i = 0; i < btf_vlen(t); i++) {
		__u32 bit = btf_member_bit_offset(t, i);
		struct cursor inner = *c;

		inner.type = m[i].type;
		inner.off += bit / 8;
		inner.bit_off = bit % 8;
		inner.bit_size = btf_member_bitfield_size(t, i);
		if (m[i].name_off ? name_is(c->btf, m[i].name_off, name, len) :
				    find_member(&inner, name, len)) {
			*c = inner;
			return true;
		}
	}
	return false;
}

static int add_ref(struct cursor *c)
{
	struct args_watch *w = &c->expr->watch;

	if (w->ref_cnt == ARGS_MAX_REFS)
		return -E2BIG;
	w->offs[w->ref_cnt++] = c->off;
	return 0;
}

/* Go to where a pointer points. */
static int follow(struct cursor *c)
{
	const struct btf_type *t = type_of(c);
	int err = 0;

	if (!btf_is_ptr(t))
		return -EINVAL;
	if (c->in_memory)
		err = add_ref(c);
	c->type = t->type;
	c->in_memory = true;
	c->off = 0;
	return err;
}

static int finish(struct cursor *c)
{
	struct args_watch *w = &c->expr->watch;
	__s64 size = btf__resolve_size(c->btf, c->type);

	if (size < 0)
		return size;
	c->expr->bit_off = c->bit_off;
	c->expr->bits = c->bit_size ?: size * 8;
	w->size = size < ARGS_MAX_SIZE ? size : ARGS_MAX_SIZE;
	if (c->in_memory)
		return add_ref(c);
	w->slot += c->off / SLOT_SIZE;
	c->expr->byte_off = c->off % SLOT_SIZE;
	return 0;
}

int btf_expr__parse(const struct btf *btf, __u32 func_id, const char *text, struct btf_expr *ret)
{
	bool deref = *text == '*';
	struct cursor c = { .btf = btf, .text = text + deref, .expr = ret };
	size_t len;
	int err;

	memset(ret, 0, sizeof(*ret));
	len = strcspn(c.text, ".-");
	err = enter_param(&c, func_id, c.text, len);
	for (c.text += len; !err && *c.text; c.text += len) {
		bool arrow = *c.text == '-';

		if (arrow)
			err = follow(&c);
		c.text += arrow ? 2 : 1;
		len = strcspn(c.text, ".-");
		if (!err && !find_member(&c, c.text, len))
			err = -ENOENT;
	}
	if (!err && deref)
		err = follow(&c);
	return err ?: finish(&c);
}

__u64 btf_expr__truncate(const struct btf_expr *e, __u64 number)
{
	return e->bits < 64 ? number & ((1ULL << e->bits) - 1) : number;
}

__u64 btf_expr__number(const struct btf_expr *e, const struct args_value *v)
{
	__u64 number = 0;

	memcpy(&number, v->bytes + e->byte_off, sizeof(number));
	return btf_expr__truncate(e, number >> e->bit_off);
}
