// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A function: what it is called, and whether programs can be attached to it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* MAX_BPF_FUNC_ARGS. The limit holds for slots of 8 bytes, too. */
#define ARGS_MAX	12
#define ARG_SIZE_MAX	16 /* of a structure by value */
#define RETURN_SIZE_MAX 8  /* that a program at the end is given */

static bool is_only_match(const struct fentry_index *idx, const struct fentry_spec *spec)
{
	const struct fentry_target **found;
	size_t cnt;

	if (fentry_index__search(idx, spec, &found, &cnt))
		return false;
	free(found);
	return cnt == 1;
}

void fentry_target__spec(const struct fentry_target *target, char *buf, size_t size)
{
	char *name = (char *)target->name, *unit = (char *)target->unit;
	char *module = (char *)target->module ?: "vmlinux";
	const struct fentry_spec specs[] = {
		{ .name = name },
		{ .name = name, .unit = unit },
		{ .name = name, .module = module },
		{ .name = name, .module = module, .unit = unit },
		/* always unique */
		{ .id = target->type_id, .module = (char *)target->module },
	};
	size_t i, last = sizeof(specs) / sizeof(specs[0]) - 1;

	for (i = 0; i < last; i++)
		if (is_only_match(target->idx, &specs[i]))
			break;
	fentry_spec__text(&specs[i], buf, size);
}

void fentry_target__label(const struct fentry_target *target, char buf[FENTRY_LABEL_MAX])
{
	char id[16] = "";

	if (fentry_target__is_listed(target)) {
		fentry_target__spec(target, buf, FENTRY_LABEL_MAX);
		if (!strchr(buf, '#'))
			return;
		snprintf(id, sizeof(id), "#%u", target->type_id);
	}
	snprintf(buf, FENTRY_LABEL_MAX, "%s%s%s%s%s%s", target->module ?: "",
		 target->module ? ":" : "", target->name, target->unit ? "@" : "",
		 target->unit ?: "", id);
}

int fentry_target__refuse(const struct fentry_target *target, int err, struct fentry_error *error,
			  const char *fmt, ...)
{
	char label[FENTRY_LABEL_MAX], why[sizeof(error->msg)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	fentry_target__label(target, label);
	return fentry_error__set(error, err, "can't attach to %s: %s", label, why);
}

int fentry_target__check(const struct fentry_target *target, struct fentry_error *error)
{
	if (target->same_name <= 1)
		return 0;
	return fentry_error__set(
		error, -ENOTUNIQ,
		"%u functions are called %s, and this kernel can't tell them apart: it has no /proc/kallsyms_btf (CONFIG_DEBUG_INFO_BTF_FUNC_ADDR)",
		target->same_name, target->name);
}

/* As __get_type_size(): -1 for a type that no argument can have. */
static long size_of(const struct btf *btf, const struct btf_type *t)
{
	if (btf_is_ptr(t))
		return btf__pointer_size(btf);
	if (btf_is_int(t) || btf_is_any_enum(t) || btf_is_composite(t))
		return t->size;
	return btf_is_void(t) ? 0 : -1;
}

static const char *refuse_return(const struct btf *btf, __u32 id, bool exit)
{
	const struct btf_type *t = fentry_type__skip_names(btf, id);
	long size = size_of(btf, t);

	if (size < 0)
		return "returns a type without size";
	if (btf_is_composite(t))
		return "returns a structure or union by value";
	if (exit && size > RETURN_SIZE_MAX)
		return "returns more than 8 bytes, too much for a program at its exit";
	return NULL;
}

const char *fentry_target__unfit(const struct fentry_target *target, bool exit)
{
	const struct btf *btf = target->btf;
	const struct btf_type *func = btf__type_by_id(btf, target->type_id);
	const struct btf_type *proto = btf__type_by_id(btf, func->type);
	const struct btf_param *params = btf_params(proto);
	int i, cnt = btf_vlen(proto), slots = 0;

	if (cnt > ARGS_MAX)
		return "has more than 12 arguments";
	for (i = 0; i < cnt; i++) {
		long size;

		if (!params[i].type)
			return i == cnt - 1 ? "has variable arguments" :
					      "has an argument without type";
		size = size_of(btf, fentry_type__skip_names(btf, params[i].type));
		if (size <= 0)
			return "has an argument without size";
		if (size > ARG_SIZE_MAX)
			return "has a structure of more than 16 bytes by value";
		slots += (size + 7) / 8;
	}
	if (slots > ARGS_MAX)
		return "has more than 12 arguments, as a structure counts twice";
	return refuse_return(btf, proto->type, exit);
}
